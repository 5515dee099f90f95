package selfloc

import (
	"math"

	"touchline/soccer"
)

// lineMap finds the line nearest to a point. A grid holds, for each cell, the two marks nearest to its centre, to which
// the distance is computed, and the distance of the centre for the search.
type lineMap struct {
	marks  []soccer.Mark
	cells  [][2]uint8
	rough  []float32 // m^2
	nx, ny int
	ox, oy float64 // m, corner of the grid
}

const (
	cellSize = 0.1 // m
	margin   = 2.0 // m, around the lines; points farther out take the cell at the edge
)

func newLineMap(f *soccer.Field) *lineMap {
	m := &lineMap{
		marks: f.Marks(), ox: -float64(f.Length*0.5) - margin, oy: -float64(f.Width*0.5) - margin,
		nx: int(math.Floor((f.Length+2*margin)/cellSize)) + 1, ny: int(math.Floor((f.Width+2*margin)/cellSize)) + 1,
	}
	m.cells, m.rough = make([][2]uint8, m.nx*m.ny), make([]float32, m.nx*m.ny)
	for i := range m.cells {
		centre := soccer.Vec{
			X: m.ox + float64((float64(i%m.nx)+0.5)*cellSize), Y: m.oy + float64((float64(i/m.nx)+0.5)*cellSize),
		}
		best, second := math.Inf(1), math.Inf(1)
		for k := range m.marks {
			switch d := centre.Sub(m.marks[k].Nearest(centre)).Len(); {
			case d < best:
				best, second = d, best
				m.cells[i][0], m.cells[i][1] = uint8(k), m.cells[i][0]
			case d < second:
				second = d
				m.cells[i][1] = uint8(k)
			}
		}
		m.rough[i] = float32(best * best)
	}
	return m
}

// offset returns the way from the nearest point of a line to p.
func (m *lineMap) offset(p soccer.Vec) soccer.Vec {
	cell := &m.cells[m.cell(p)]
	a := p.Sub(m.marks[cell[0]].Nearest(p))
	b := p.Sub(m.marks[cell[1]].Nearest(p))
	if b.Dot(b) < a.Dot(a) {
		return b
	}
	return a
}

// cell returns the index of the cell of a point.
func (m *lineMap) cell(p soccer.Vec) int {
	x := min(max(int(math.Floor((p.X-m.ox)*(1/cellSize))), 0), m.nx-1)
	y := min(max(int(math.Floor((p.Y-m.oy)*(1/cellSize))), 0), m.ny-1)
	return y*m.nx + x
}
