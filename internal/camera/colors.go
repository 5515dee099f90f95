package camera

import (
	"touchline/soccer"
)

// Editor changes a colour table, and can take back each change.
type Editor struct {
	Table   *Table
	changes [][]cell // newest last
}

// cell is a cell of a table and its class before a change.
type cell struct {
	index int32
	was   Class
}

// maxChanges is how many changes can be taken back.
const maxChanges = 200

// Add gives the colours of the pixels (indices into the picture) a class. Colours within spread cells of them, 4 steps
// of a channel each, get it, too, where they have none; spread is at most 4. Unknown pixels are ignored. It returns how
// many cells changed.
func (e *Editor) Add(p *Picture, pixels []int, class Class, spread int) int {
	if class >= Classes {
		return 0
	}
	var change []cell
	set := func(i int) {
		if was := e.Table[i]; was != class {
			change = append(change, cell{int32(i), was})
			e.Table[i] = class
		}
	}
	for _, i := range pixels {
		if i < 0 || i >= len(p.Y) || i >= len(p.Cb) || i >= len(p.Cr) {
			continue
		}
		index := Index(p.Y[i], p.Cb[i], p.Cr[i])
		set(index)
		around(index, min(spread, 4), func(i int) {
			if e.Table[i] == None {
				set(i)
			}
		})
	}
	if len(change) > 0 {
		e.changes = append(e.changes, change)
		e.changes = e.changes[max(len(e.changes)-maxChanges, 0):]
	}
	return len(change)
}

// around calls f for the cells within spread of one, in all three channels.
func around(index, spread int, f func(int)) {
	y, cr, cb := index&63, index>>6&63, index>>12
	for b := max(cb-spread, 0); b <= min(cb+spread, 63); b++ {
		for r := max(cr-spread, 0); r <= min(cr+spread, 63); r++ {
			for l := max(y-spread, 0); l <= min(y+spread, 63); l++ {
				f(b<<12 | r<<6 | l)
			}
		}
	}
}

// CanUndo reports whether there is a change to take back.
func (e *Editor) CanUndo() bool { return len(e.changes) > 0 }

// Undo takes back the newest change, and reports whether there was one.
func (e *Editor) Undo() bool {
	if len(e.changes) == 0 {
		return false
	}
	last := e.changes[len(e.changes)-1]
	for i := len(last) - 1; i >= 0; i-- {
		e.Table[last[i].index] = last[i].was
	}
	e.changes = e.changes[:len(e.changes)-1]
	return true
}

// Learn starts a table from pictures whose pixels are labelled, as one change: each colour gets the class that most of
// its pixels have, and colours beside it that no picture shows get it, too. Pixels labelled None are not looked at.
func (e *Editor) Learn(pictures []Picture, labels [][]Class) {
	votes := make([][Classes]uint16, len(e.Table))
	for k := range pictures {
		p := &pictures[k]
		for i := range min(len(p.Y), len(labels[k])) {
			if labels[k][i] == None {
				continue
			}
			if v := &votes[Index(p.Y[i], p.Cb[i], p.Cr[i])][labels[k][i]%Classes]; *v < 65535 {
				*v++
			}
		}
	}
	learned := new(Table)
	for i := range votes {
		best := None
		for c, n := range votes[i] {
			if n > votes[i][best] {
				best = Class(c)
			}
		}
		learned[i] = best
	}
	grown := *learned
	for i, c := range learned {
		if c == None {
			continue
		}
		around(i, 1, func(j int) {
			if learned[j] == None && votes[j] == [Classes]uint16{} {
				grown[j] = c
			}
		})
	}
	var change []cell
	for i, c := range grown {
		if was := e.Table[i]; c != None && was != c {
			change = append(change, cell{int32(i), was})
			e.Table[i] = c
		}
	}
	e.changes = append(e.changes, change)
}

// FieldLabels appends the class of each pixel as far as the model of the field knows it, for a robot that knows its pose
// and a camera that is calibrated: carpet is green, lines are white. Pixels near the border of a line, those within 0.5 m
// of a camera that looks down, where the robot itself is, and all others are None.
func FieldLabels(eye *Eye, width, height int, f *soccer.Field, dst []Class) []Class {
	marks := f.Marks()
	half := float64(f.LineWidth * 0.5)
	down := eye.Axes[2][2] < -0.7
	for i := range width * height {
		class := None
		at, ok := eye.Floor(float64(i%width), float64(i/width), 0)
		inside := max(at.X, -at.X) < float64(f.Length*0.5) && max(at.Y, -at.Y) < float64(f.Width*0.5)
		far := at.Sub(eye.At.XY()).Len()
		if ok && inside && far < 4 && (far > 0.5 || !down) {
			nearest := 1e9
			for k := range marks {
				nearest = min(nearest, at.Sub(marks[k].Nearest(at)).Len())
			}
			switch {
			case nearest < 0.4*half:
				class = White
			case nearest > 3*half:
				class = Green
			}
		}
		dst = append(dst, class)
	}
	return dst
}

// Confusion counts the pixels of each true class (row) that got each class (column).
type Confusion [Classes][Classes]int

// Count adds a segmented picture. Both slices have one class a pixel; the longer one's rest is ignored.
func (c *Confusion) Count(truth, segmented []Class) {
	for i := range min(len(truth), len(segmented)) {
		c[truth[i]%Classes][segmented[i]%Classes]++
	}
}

// Recall returns the share of a class's pixels that got it, and how many there are.
func (c *Confusion) Recall(class Class) (share float64, pixels int) {
	for _, n := range c[class] {
		pixels += n
	}
	return float64(c[class][class]) / float64(max(pixels, 1)), pixels
}
