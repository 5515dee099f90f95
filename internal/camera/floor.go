package camera

import (
	"math"
	"math/rand/v2"

	"touchline/internal/exact"
	"touchline/soccer"
)

// floor is a map of the carpet, in several resolutions. Each level halves the resolution of the one before.
type floor struct {
	halfLength, halfWidth float64 // m, of the carpet
	levels                [5]level
	palette               [256]light // light by line coverage
}

// level holds for each cell how much of it is line, in the upper byte, and its brightness, 128 for the mean.
type level struct {
	cells         []uint16
	columns, rows int
	scale         float64 // cells a metre
}

// cellsPerLine is how many cells of the finest level fit into a line's width.
const cellsPerLine = 6

func newFloor(f *soccer.Field, r *rand.Rand) *floor {
	m := &floor{
		halfLength: float64(f.Length*0.5) + f.Border + 0.3, halfWidth: float64(f.Width*0.5) + f.Border + 0.3,
	}
	fine := &m.levels[0]
	fine.scale = cellsPerLine / f.LineWidth
	fine.columns = int(2*m.halfLength*fine.scale) + 1
	fine.rows = int(2*m.halfWidth*fine.scale) + 1
	fine.cells = make([]uint16, fine.columns*fine.rows)
	fine.shade(r)
	for _, mark := range f.Marks() {
		m.paint(&mark, float64(f.LineWidth*0.5))
	}
	goal := float64(f.Length * 0.5)
	for _, x := range []float64{-goal + f.PenaltySpot, 0, goal - f.PenaltySpot} {
		at := soccer.Vec{X: x}
		m.paint(&soccer.Mark{From: at, To: at}, float64(f.LineWidth*0.8))
	}
	for i := 1; i < len(m.levels); i++ {
		m.levels[i] = m.levels[i-1].halved()
	}
	for i := range m.palette {
		m.palette[i] = lineColor.over(carpetColor, uint32(i*256/255))
	}
	return m
}

// shade gives the carpet the patches and the grain that feet and seams leave.
func (l *level) shade(r *rand.Rand) {
	const patch = 24 // cells
	columns := l.columns/patch + 2
	patches := make([]float64, columns*(l.rows/patch+2))
	for i := range patches {
		patches[i] = 118 + float64(20*exact.Uniform(r))
	}
	for y := range l.rows {
		row, v := y/patch*columns, float64(y%patch)/patch
		for x := range l.columns {
			i, u := row+x/patch, float64(x%patch)/patch
			near := patches[i] + float64(u*(patches[i+1]-patches[i]))
			far := patches[i+columns] + float64(u*(patches[i+columns+1]-patches[i+columns]))
			grain := float64(float64(r.Uint64()>>56) / 16) // 0 to 16
			l.cells[y*l.columns+x] = uint16(near + float64(v*(far-near)) + grain - 8)
		}
	}
}

// paint paints all cells that lie within a distance of a mark.
func (m *floor) paint(mark *soccer.Mark, within float64) {
	low, high := mark.From, mark.From
	low.X, low.Y = min(low.X, mark.To.X), min(low.Y, mark.To.Y)
	high.X, high.Y = max(high.X, mark.To.X), max(high.Y, mark.To.Y)
	if r := mark.Radius; r > 0 {
		low = soccer.Vec{X: mark.Centre.X - r, Y: mark.Centre.Y - r}
		high = soccer.Vec{X: mark.Centre.X + r, Y: mark.Centre.Y + r}
	}
	l := &m.levels[0]
	margin := within + 1/l.scale
	x0, y0 := m.cell(low.X-margin, low.Y-margin)
	x1, y1 := m.cell(high.X+margin, high.Y+margin)
	for y := max(y0, 0); y <= min(y1, l.rows-1); y++ {
		for x := max(x0, 0); x <= min(x1, l.columns-1); x++ {
			at := soccer.Vec{X: (float64(x)+0.5)/l.scale - m.halfLength, Y: (float64(y)+0.5)/l.scale - m.halfWidth}
			part := float64((within-at.Sub(mark.Nearest(at)).Len())*l.scale) + 0.5
			cell := &l.cells[y*l.columns+x]
			cover := max(*cell>>8, uint16(255*min(max(part, 0), 1)))
			*cell = cover<<8 | *cell&255
		}
	}
}

func (m *floor) cell(x, y float64) (column, row int) {
	s := m.levels[0].scale
	return int(math.Floor((x + m.halfLength) * s)), int(math.Floor((y + m.halfWidth) * s))
}

// halved returns the level of half the resolution: each cell is the mean of four.
func (l *level) halved() level {
	h := level{columns: (l.columns + 1) / 2, rows: (l.rows + 1) / 2, scale: l.scale / 2}
	h.cells = make([]uint16, h.columns*h.rows)
	for y := range h.rows {
		above, below := l.cells[2*y*l.columns:], l.cells[min(2*y+1, l.rows-1)*l.columns:]
		for x := range h.columns {
			a, b := 2*x, min(2*x+1, l.columns-1)
			var cover, shade uint32
			for _, c := range [4]uint16{above[a], above[b], below[a], below[b]} {
				cover, shade = cover+uint32(c>>8), shade+uint32(c&255)
			}
			h.cells[y*h.columns+x] = uint16((cover+2)/4<<8 | (shade+2)/4)
		}
	}
	return h
}

// levelFor returns the level whose cells suit a pixel that is across m wide on the floor.
func (m *floor) levelFor(across float64) (i uint8) {
	for w := across * m.levels[0].scale; w > 1.5 && int(i) < len(m.levels)-1; w *= 0.5 {
		i++
	}
	return i
}

// nth is 65536/n, rounded up.
var nth = [9]uint32{0, 65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192}

// light returns what a pixel sees of the floor, with the arguments of look.
func (m *floor) light(x, y, dx, dy float64, level, n uint8) light {
	cover, shade, ok := m.look(x, y, dx, dy, level, n)
	if !ok {
		return groundColor
	}
	return m.palette[cover].shaded(shade)
}

// look returns how much of the floor around a point is line, 0 to 255, and its brightness, 256 for the mean. It looks at n
// spots of a level, which are (dx, dy) m apart. It reports false beyond the carpet.
func (m *floor) look(x, y, dx, dy float64, level, n uint8) (cover, shade uint32, ok bool) {
	if math.Abs(x) >= m.halfLength || math.Abs(y) >= m.halfWidth {
		return 0, 0, false
	}
	l := &m.levels[level]
	u, v := float64((x+m.halfLength)*l.scale), float64((y+m.halfWidth)*l.scale)
	if n > 1 {
		const bits, unit = 16, 1 << 16 // size of a cell
		stepU, stepV := int(float64(dx*l.scale*unit)), int(float64(dy*l.scale*unit))
		back := int(n) - 1
		atU, atV := int(float64(u*unit))-back*stepU>>1, int(float64(v*unit))-back*stepV>>1
		if l.holds(atU>>bits, atV>>bits) && l.holds((atU+back*stepU)>>bits, (atV+back*stepV)>>bits) {
			var sum uint32
			for range n {
				c := uint32(l.cells[atV>>bits*l.columns+atU>>bits])
				sum += c>>8<<16 | c&255
				atU, atV = atU+stepU, atV+stepV
			}
			return min(sum>>16*nth[n]>>16, 255), sum & 0xffff * nth[n] >> 15, true
		}
	}
	cover, shade = l.between(u-0.5, v-0.5)
	return min(cover>>8, 255), shade >> 7, true
}

// holds reports whether a level has a cell.
func (l *level) holds(column, row int) bool {
	return uint(column) < uint(l.columns) && uint(row) < uint(l.rows)
}

// between returns the coverage and the brightness, each times 256, between the four cells around a point.
func (l *level) between(u, v float64) (cover, shade uint32) {
	u, v = min(max(u, 0), float64(l.columns-2)), min(max(v, 0), float64(l.rows-2))
	x, y := int(u), int(v)
	a, b := uint32((u-float64(x))*16), uint32((v-float64(y))*16)
	top := l.cells[y*l.columns+x:]
	bottom := l.cells[(y+1)*l.columns+x:]
	w := [4]uint32{(16 - a) * (16 - b), a * (16 - b), (16 - a) * b, a * b}
	for i, c := range [4]uint16{top[0], top[1], bottom[0], bottom[1]} {
		cover, shade = cover+w[i]*uint32(c>>8), shade+w[i]*uint32(c&255)
	}
	return cover, shade
}
