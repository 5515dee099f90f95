package camera

// run is a stretch of pixels of one class in a row; to is the last one. Runs of one blob have one root.
type run struct {
	row, from, to int32
	parent        int32
	class         Class
}

// Blob is a connected region of one class.
type Blob struct {
	Class                  Class
	Area                   int
	Left, Top, Right, Last int     // px, its bounding box; Last is the lowest row
	X, Y                   float64 // px, its centroid
	NearX, NearY           float64 // px, its pixel that is nearest to the robot's feet
	nearness               float64
}

// inBlobs says of which classes blobs are made: a field's green and its white lines are looked at along scan lines.
var inBlobs = [Classes]bool{Orange: true, Yellow: true, Blue: true, Black: true, Cyan: true, Magenta: true}

// segment gives each pixel its class, and joins pixels to blobs.
func (f *Finder) segment(p *Picture) {
	f.runs = f.runs[:0]
	w := p.Width
	t := f.Table
	above := 0 // first run of the row above
	for y := range p.Height {
		from, to := f.spans[y][0], f.spans[y][1]
		luma, blue, red := p.Y[y*w+from:y*w+to], p.Cb[y*w+from:y*w+to], p.Cr[y*w+from:y*w+to]
		blue, red = blue[:len(luma)], red[:len(luma)]
		classes := f.classes[y*w+from : y*w+to][:len(luma)]
		begin := len(f.runs)
		last, start := None, 0
		for x := range luma {
			c := t[Index(luma[x], blue[x], red[x])&(len(t)-1)]
			classes[x] = c
			if c == last {
				continue
			}
			if inBlobs[last%Classes] {
				f.closeRun(y, from+start, from+x-1, last)
			}
			last, start = c, x
		}
		if inBlobs[last%Classes] {
			f.closeRun(y, from+start, to-1, last)
		}
		f.join(above, begin)
		above = begin
	}
	f.collect()
}

func (f *Finder) closeRun(row, from, to int, class Class) {
	f.runs = append(f.runs, run{
		row: int32(row), from: int32(from), to: int32(to), parent: int32(len(f.runs)), class: class,
	})
}

// join joins the runs of a row, from begin on, with those of the row above that touch them, corners included.
func (f *Finder) join(above, begin int) {
	i := above
	for j := begin; j < len(f.runs); j++ {
		b := &f.runs[j]
		for i < begin && (f.runs[i].row != b.row-1 || f.runs[i].to < b.from-1) {
			i++
		}
		for k := i; k < begin && f.runs[k].from <= b.to+1; k++ {
			if f.runs[k].class == b.class {
				f.unite(int32(k), int32(j))
			}
		}
	}
}

// root returns the first run of a run's blob.
func (f *Finder) root(i int32) int32 {
	for f.runs[i].parent != i {
		f.runs[i].parent = f.runs[f.runs[i].parent].parent
		i = f.runs[i].parent
	}
	return i
}

func (f *Finder) unite(a, b int32) {
	a, b = f.root(a), f.root(b)
	if a > b {
		a, b = b, a
	}
	f.runs[b].parent = a
}

// minBlob is the least area of a blob in px: smaller ones are noise.
const minBlob = 5

// collect fills f.Blobs from the runs.
func (f *Finder) collect() {
	f.slots = f.slots[:0]
	all := f.Blobs[:0]
	for i := range f.runs {
		r := &f.runs[i]
		root := f.root(int32(i))
		if root == int32(i) {
			all = append(all, Blob{Class: r.class, Left: int(r.from), Right: int(r.to), Top: int(r.row), nearness: 1e18})
			f.slots = append(f.slots, int32(len(all)-1))
		} else {
			f.slots = append(f.slots, f.slots[root])
		}
		b := &all[f.slots[i]]
		n := int(r.to-r.from) + 1
		middle := float64(float64(r.from+r.to) * 0.5)
		b.Area += n
		b.X, b.Y = b.X+float64(middle*float64(n)), b.Y+float64(float64(r.row)*float64(n))
		b.Left, b.Right, b.Last = min(b.Left, int(r.from)), max(b.Right, int(r.to)), int(r.row)
		f.nearest(b, r, middle)
	}
	kept := all[:0]
	for i := range all {
		if b := all[i]; b.Area >= minBlob {
			b.X, b.Y = b.X/float64(b.Area), b.Y/float64(b.Area)
			kept = append(kept, b)
		}
	}
	f.Blobs = kept
}

// nearest updates a blob's pixel that is nearest to the robot's feet: the lowest one, or for a camera that looks down
// the innermost.
func (f *Finder) nearest(b *Blob, r *run, middle float64) {
	x, y := middle, float64(r.row)
	nearness := -y
	if f.Camera.Mount.Down {
		x = min(max(f.Camera.Lens.CX, float64(r.from)), float64(r.to))
		u, v := x-f.Camera.Lens.CX, y-f.Camera.Lens.CY
		nearness = float64(u*u) + float64(v*v)
	}
	if nearness <= b.nearness {
		b.nearness, b.NearX, b.NearY = nearness, x, y
	}
}
