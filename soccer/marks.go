package soccer

import "math"

// Mark is a piece of a field's lines, as the middle of its stripe: a straight piece, or an arc.
type Mark struct {
	From, To Vec // ends of a straight piece

	// An arc has a Radius in m above 0. Toward selects a quarter of its circle by the signs of X and Y; zeros select all
	// of it.
	Centre, Toward Vec
	Radius         float64
}

// Marks returns the field's lines: the boundary, the middle line and the centre circle, the areas before both goals and
// the arcs in the corners. The spots are not among them.
func (f *Field) Marks() []Mark {
	var all []Mark
	line := func(x1, y1, x2, y2 float64) {
		all = append(all, Mark{From: Vec{x1, y1}, To: Vec{x2, y2}})
	}
	l, w := float64(f.Length*0.5), float64(f.Width*0.5)
	line(-l, -w, l, -w)
	line(-l, w, l, w)
	line(0, -w, 0, w)
	all = append(all, Mark{Radius: f.CircleRadius})
	for _, side := range []float64{-1, 1} {
		goal := float64(side * l)
		line(goal, -w, goal, w)
		for _, area := range []Vec{{f.GoalAreaLength, f.GoalAreaWidth}, {f.PenaltyAreaLength, f.PenaltyAreaWidth}} {
			if area.X <= 0 {
				continue
			}
			front, y := goal-float64(side*area.X), float64(area.Y*0.5)
			line(front, -y, front, y)
			line(goal, -y, front, -y)
			line(goal, y, front, y)
		}
		for _, y := range []float64{-w, w} {
			if f.CornerRadius > 0 {
				all = append(all, Mark{Radius: f.CornerRadius, Centre: Vec{goal, y}, Toward: Vec{-goal, -y}})
			}
		}
	}
	return all
}

// Nearest returns the point of the mark that is nearest to p.
func (m *Mark) Nearest(p Vec) Vec {
	if m.Radius > 0 {
		return m.nearestOfArc(p)
	}
	d := m.To.Sub(m.From)
	v := p.Sub(m.From)
	share := min(max(v.Dot(d)/max(d.Dot(d), 1e-12), 0), 1)
	return m.From.Add(d.Scale(share))
}

func (m *Mark) nearestOfArc(p Vec) Vec {
	v := p.Sub(m.Centre)
	if m.Toward != (Vec{}) {
		x, y := float64(v.X*m.Toward.X) > 0, float64(v.Y*m.Toward.Y) > 0
		if !x || !y {
			// Beyond the ends of the quarter: one of them is the nearest point.
			ends := [2]Vec{
				{m.Centre.X + math.Copysign(m.Radius, m.Toward.X), m.Centre.Y},
				{m.Centre.X, m.Centre.Y + math.Copysign(m.Radius, m.Toward.Y)},
			}
			if p.Sub(ends[1]).Len() < p.Sub(ends[0]).Len() {
				return ends[1]
			}
			return ends[0]
		}
	}
	length := v.Len()
	if length == 0 {
		return Vec{m.Centre.X + m.Radius, m.Centre.Y}
	}
	return Vec{m.Centre.X + float64(v.X/length*m.Radius), m.Centre.Y + float64(v.Y/length*m.Radius)}
}

// Crossings returns the distances at which a ray from p in direction d, of length 1, crosses the mark, in m. Those that
// it does not cross are -1.
func (m *Mark) Crossings(p, d Vec) (near, far float64) {
	if m.Radius == 0 {
		return crossing(m.From, m.To, p, d), -1
	}
	v := p.Sub(m.Centre)
	along := v.Dot(d)
	root := float64(along*along) - float64(v.X*v.X) - float64(v.Y*v.Y) + float64(m.Radius*m.Radius)
	if root < 0 {
		return -1, -1
	}
	root = math.Sqrt(root)
	on := func(distance float64) float64 {
		x, y := v.X+float64(distance*d.X), v.Y+float64(distance*d.Y)
		if float64(x*m.Toward.X) < 0 || float64(y*m.Toward.Y) < 0 {
			return -1 // the circle has the point, the arc does not
		}
		return distance
	}
	return on(-along - root), on(root - along)
}

// crossing returns the distance at which a ray from p in direction d crosses the piece from a to b, -1 if it does not.
func crossing(a, b, p, d Vec) float64 {
	ab, pa := b.Sub(a), a.Sub(p)
	across := d.Cross(ab)
	if math.Abs(across) < 1e-9 {
		return -1 // parallel
	}
	share := pa.Cross(d) / across
	if share < 0 || share > 1 {
		return -1
	}
	return pa.Cross(ab) / across
}
