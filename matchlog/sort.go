package matchlog

import (
	"container/heap"
	"slices"
)

// Sort sorts the list if an entry was inserted late. What does not fit into memory is sorted in runs, which are written
// to another temporary file and merged.
func (l *List) Sort() error {
	if !l.unsorted || l.err != nil {
		return l.err
	}
	if l.file != nil {
		return l.sortRuns()
	}
	all := make([]Entry, 0, l.length)
	for i := range l.pages {
		all = append(all, l.pages[i].entries...)
	}
	slices.SortFunc(all, compare)
	for i, e := range all {
		l.set(i, e)
	}
	for i := range l.pages {
		l.pages[i].count()
	}
	l.unsorted = false
	return nil
}

// count finds the channels of a page in memory.
func (p *page) count() {
	p.channels = 0
	for _, e := range p.entries {
		p.channels |= 1 << (e.Channel % 64)
	}
}

// run is a sorted part of the entries while the parts are merged.
type run struct {
	next, end int // positions in the file
	entries   []Entry
	first     int // of entries that is not merged yet
}

// runs is a heap of runs by their first entry.
type runs []*run

func (r runs) Len() int { return len(r) }
func (r runs) Less(i, j int) bool {
	return compare(r[i].entries[r[i].first], r[j].entries[r[j].first]) < 0
}
func (r runs) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)   { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// sortRuns sorts a list that is partly in its file.
func (l *List) sortRuns() error {
	file, all, err := l.writeRuns()
	if err != nil {
		l.err = err
		return err
	}
	defer file.Close()
	sorted := New(l.dir)
	for len(all) > 0 && sorted.err == nil {
		r := all[0]
		sorted.append(r.entries[r.first])
		if r.first++; r.first == len(r.entries) {
			if l.err = r.read(file, l); l.err != nil {
				sorted.Close()
				return l.err
			}
		}
		if len(r.entries) == 0 {
			heap.Pop(&all)
		} else {
			heap.Fix(&all, 0)
		}
	}
	l.Close()
	*l = *sorted
	return l.err
}

// writeRuns writes the entries to another file, as many as fit into memory sorted at a time.
func (l *List) writeRuns() (file *Scratch, all runs, err error) {
	if file, err = NewScratch(l.dir); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	memory := make([]Entry, 0, maxResident*pageEntries)
	for from := 0; from < l.length; from += len(memory) {
		memory = memory[:0]
		for i := from; i < min(from+cap(memory), l.length); i++ {
			memory = append(memory, l.At(i))
		}
		if l.err != nil {
			return nil, nil, l.err
		}
		slices.SortFunc(memory, compare)
		for at := 0; at < len(memory); at += pageEntries {
			l.piece = appendEntries(l.piece[:0], memory[at:min(at+pageEntries, len(memory))])
			if _, err := file.WriteAt(l.piece, int64(from+at)*entryBytes); err != nil {
				return nil, nil, file.full(err)
			}
		}
		all = append(all, &run{next: from, end: from + len(memory)})
	}
	l.release()
	for _, r := range all {
		if err := r.read(file, l); err != nil {
			return nil, nil, err
		}
	}
	heap.Init(&all)
	return file, all, nil
}

// release frees the memory of the pages: the runs have their entries.
func (l *List) release() { l.pages, l.length = nil, 0 }

// read reads the next entries of a run.
func (r *run) read(file *Scratch, l *List) (err error) {
	n := min(runPiece, r.end-r.next)
	r.entries, l.piece, err = file.entries(r.entries[:0], l.piece, r.next, n)
	r.next, r.first = r.next+n, 0
	return err
}
