package matchlog

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"touchline/soccer"
	"touchline/wire"
)

// Info describes a log.
type Info struct {
	Format   string            `json:"format"`   // "mcap", "mcap of another program", "zip", "msl"
	Bytes    int64             `json:"bytes"`    // length of the file; of an unfinished touchline log, that of its whole records
	Ready    float64           `json:"ready"`    // indexed share, 0 to 1; the rest of Info is incomplete until it is 1
	Finished bool              `json:"finished"` // the log was closed
	Torn     string            `json:"torn"`     // how the end is torn; "" if it is whole or still being written
	Start    soccer.Time       `json:"start"`
	End      soccer.Time       `json:"end"`
	Duration float64           `json:"duration"` // s
	Home     string            `json:"home"`
	Away     string            `json:"away"`
	Channels []ChannelInfo     `json:"channels"` // sorted by their first messages
	Meta     map[string]string `json:"meta"`
	// Annotations are the notes that persons wrote, sorted by From.
	Annotations []Annotation `json:"annotations"`
	Notes       []string     `json:"notes"` // irregularities of the file
	Files       []FileInfo   `json:"files"` // the files read from a RefBox's zip, or the .msl file
}

// FileInfo is one of the RefBox's files of a match.
type FileInfo struct {
	Name    string `json:"name"`
	Channel string `json:"channel"` // Home, Away or Lines
	Torn    bool   `json:"torn"`    // the file ends in the middle of a record
	Error   string `json:"error"`   // why a part of the file was not read; "" if all of it was
}

// ChannelInfo is a channel of a log.
type ChannelInfo struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// Info describes the log as far as it is indexed.
func (l *Log) Info() Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.state
	i.Format, i.Bytes, i.Ready = l.format, l.whole(), l.ready()
	i.Start, i.End = l.all.start, l.all.end
	i.Duration = i.End.Sub(i.Start).Seconds()
	i.Meta = map[string]string{}
	maps.Copy(i.Meta, l.all.meta)
	i.Home, i.Away = wire.Printable(i.Meta[MetaHome]), wire.Printable(i.Meta[MetaAway])
	i.Notes = append([]string{}, l.state.Notes...)
	if n := len(l.all.unreadable); n > 0 {
		i.Notes = append(i.Notes, fmt.Sprintf("%d records of notes are damaged, or beyond the limit of %d notes: they are left out",
			n, maxAnnotations))
	}
	i.Annotations = l.all.annotations.list()
	i.Files = append([]FileInfo{}, l.files...)
	i.Channels = make([]ChannelInfo, len(l.all.channels))
	for k, name := range l.all.channels {
		i.Channels[k] = ChannelInfo{name, l.all.counts[k]}
	}
	return i
}

// Loss tells which messages of the file Messages does not return, and why; it is empty for a whole log. The log of a
// program that still writes it, or was killed between two records, is whole.
func (l *Log) Loss() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.losses)
	if l.state.Torn != "" {
		all = append(all, "torn: "+l.state.Torn)
	}
	return all
}

// Schemas returns the schemas of the channels that have one.
func (l *Log) Schemas() map[string]Schema {
	l.mu.Lock()
	defer l.mu.Unlock()
	schemas := map[string]Schema{}
	for i, name := range l.all.channels {
		if id := l.all.schemaOf[i]; id > 0 {
			schemas[name] = l.all.schemas[id-1]
		}
	}
	return schemas
}

// whole returns the length of the file without the zeros behind its last record. It requires l.mu.
func (l *Log) whole() int64 {
	if l.format == "mcap" && !l.state.Finished {
		return l.scan.off
	}
	return l.size
}

// Ready returns the indexed share of the log, 0 to 1.
func (l *Log) Ready() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ready()
}

func (l *Log) ready() float64 {
	if l.ended {
		return 1
	}
	return min(float64(l.read)/float64(max(l.size, 1)), 0.999)
}

// Content returns the bytes of the file without the zeros behind its last record.
func (l *Log) Content() *io.SectionReader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return io.NewSectionReader(l.file, 0, l.whole())
}

// Glance reads only the end of a finished touchline log and returns Start, End, Home and Away. It reports false for any
// other file, and for a log whose end is damaged, of which Torn says what is wrong.
func Glance(path string) (i Info, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return i, false
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return i, false
	}
	var c contents
	if s := (scanner{r: f, size: stat.Size()}); s.head() != nil || !s.ours {
		return i, false
	}
	counts, ok := c.readSummary(f, stat.Size())
	i.Start, i.End = soccer.Time(counts.MessageStartTime), soccer.Time(counts.MessageEndTime)
	i.Home, i.Away = wire.Printable(c.meta[MetaHome]), wire.Printable(c.meta[MetaAway])
	if !ok && summaryOffset(f, stat.Size()) > 0 {
		i.Torn = "the summary at the end of the file is damaged"
	}
	return i, ok
}

// Finished reports whether a log was closed. It reads only the last bytes.
func Finished(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	stat, err := f.Stat()
	return err == nil && summaryOffset(f, stat.Size()) > 0
}

// Millis returns a time in ms since 1970, the unit of pages.
func Millis(t soccer.Time) float64 { return float64(t/1e6) + float64(t%1e6)/1e6 }
