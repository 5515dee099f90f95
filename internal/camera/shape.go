package camera

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// shape is a simple thing that stands on the field, or a shadow on it. Shapes are painted one over the other, the
// farthest first.
type shape struct {
	kind      shapeKind
	from, to  soccer.Vec // m: the axis or centre; a panel's ends
	radius    float64    // m
	low, high float64    // m above the floor; a ball's centre is at low
	color     light
	opacity   uint32 // 0 to 256
	thing     Thing

	distance float64    // distance from the eye
	side     soccer.Vec // the direction of a panel, of unit length
	length   float64    // m, of a panel
	bright   uint32     // brightness of a panel, 256 in full light
}

type shapeKind uint8

const (
	pillar shapeKind = iota // an upright cylinder
	panel                   // an upright rectangle
	ball
	shadow // shadow on the floor
)

// place turns a shape into the level frame.
func (s *shape) place(p *painter) {
	turn := func(v soccer.Vec) soccer.Vec { return v.Sub(p.at.XY()).Rotated(-p.sin, p.cos) }
	if s.kind == panel {
		side := s.to.Sub(s.from)
		s.length = side.Len()
		s.bright = uint32(180 + float64(60*math.Abs(side.Y/s.length)))
		s.to = turn(s.to)
	}
	s.from = turn(s.from)
	middle := s.from
	if s.kind == panel {
		side := s.to.Sub(s.from)
		s.side = soccer.Vec{X: side.X / s.length, Y: side.Y / s.length}
		middle = s.from.Add(s.to).Scale(0.5)
	}
	s.distance = middle.Len()
	if s.kind == shadow {
		s.distance += 1000 // what lies on the floor is drawn before all that stands
	}
}

// box returns the pixels that a shape may cover: corners of what encloses it, projected, with a margin for the bulging of
// straight edges.
func (r *Renderer) box(s *shape) (x0, y0, x1, y1 int, seen bool) {
	ends := [2]soccer.Vec{s.from, s.from}
	if s.kind == panel {
		ends[1] = s.to
	}
	low, high := s.low, s.high
	switch s.kind {
	case ball:
		low, high = s.low-s.radius, s.low+s.radius
	case shadow:
		low, high = 0, 0
	}
	minX, minY, maxX, maxY := 1e9, 1e9, -1e9, -1e9
	visible, hidden := 0, 0
	steps := 2
	if s.kind == panel {
		steps = 9
	}
	for k := range steps {
		u := float64(k) / float64(steps-1)
		for i := range 8 {
			at := soccer.Vec3{
				X: ends[0].X + float64(u*(ends[1].X-ends[0].X)) + float64(s.radius*float64(2*(i&1)-1)),
				Y: ends[0].Y + float64(u*(ends[1].Y-ends[0].Y)) + float64(s.radius*float64((i&2)-1)), Z: low,
			}
			if i&4 != 0 {
				at.Z = high
			}
			x, y, ok := r.attitude.eye.Pixel(at)
			if !ok {
				hidden++
				continue
			}
			visible++
			minX, minY, maxX, maxY = min(minX, x), min(minY, y), max(maxX, x), max(maxY, y)
		}
	}
	width, height := r.cam.Width, r.cam.Height
	switch {
	case visible == 0:
		return 0, 0, 0, 0, false
	case hidden > 0:
		return 0, 0, width - 1, height - 1, r.mayShow(s)
	}
	const margin = 3
	if maxX < -margin || maxY < -margin || minX > float64(width+margin) || minY > float64(height+margin) {
		return 0, 0, 0, 0, false
	}
	return max(int(minX)-margin, 0), max(int(minY)-margin, 0),
		min(int(maxX)+margin, width-1), min(int(maxY)+margin, height-1), true
}

// mayShow reports whether a sphere around a shape reaches into the cone of the lens's view.
func (r *Renderer) mayShow(s *shape) bool {
	middle, radius := s.from, s.radius
	if s.kind == panel {
		middle = s.from.Add(s.to).Scale(0.5)
		radius = float64(s.to.Sub(s.from).Len() * 0.5)
	}
	half := float64((s.high - s.low) * 0.5)
	to := soccer.Vec3{X: middle.X, Y: middle.Y, Z: s.low + half - r.attitude.eye.At.Z}
	radius = math.Sqrt(float64(radius*radius) + float64(half*half))
	distance := math.Sqrt(to.Dot(to))
	if distance <= radius {
		return true
	}
	a := &r.attitude.eye.Axes
	along := float64(a[0][2]*to.X) + float64(a[1][2]*to.Y) + float64(a[2][2]*to.Z)
	angle := exact.Atan2(math.Sqrt(max(float64(distance*distance)-float64(along*along), 0)), along)
	wide := exact.Atan2(radius, math.Sqrt(float64(distance*distance)-float64(radius*radius)))
	return angle < r.view+wide
}

// paint paints one shape.
func (p *painter) paint(s *shape) {
	x0, y0, x1, y1, seen := p.box(s)
	if !seen {
		return
	}
	for y := y0; y <= y1; y++ {
		span := p.spans[y]
		for i := y*p.cam.Width + max(x0, span.from); i <= y*p.cam.Width+min(x1, span.to-1); i++ {
			coverage, shade := p.meet(s, i)
			if coverage <= 0 {
				continue
			}
			part := uint32(coverage * float64(s.opacity))
			switch {
			case p.things == nil:
				p.lit[i] = s.color.shaded(shade).over(p.lit[i], part)
			case part > 128:
				p.things[i] = s.thing
			}
		}
	}
}

// meet returns how much of a pixel a shape covers, 0 to 1, and how bright the shape is there, 256 in full light.
func (r *Renderer) meet(s *shape, i int) (coverage float64, shade uint32) {
	switch s.kind {
	case ball:
		return r.meetBall(s, r.aims[i])
	case pillar:
		return r.meetPillar(s, r.aims[i])
	case panel:
		return r.meetPanel(s, r.aims[i])
	}
	at := r.spots[i]
	if at.n == 0 || at.n == onBody {
		return 0, 0
	}
	u, v := float64(at.x)-s.from.X, float64(at.y)-s.from.Y
	r2 := float64(u*u) + float64(v*v)
	if r2 >= float64(s.radius*s.radius) {
		return 0, 0
	}
	return min(1.5*(1-math.Sqrt(r2)/s.radius), 1), 0
}

func (r *Renderer) meetBall(s *shape, at ray) (coverage float64, shade uint32) {
	d, to := at.vec(), soccer.Vec3{X: s.from.X, Y: s.from.Y, Z: s.low - r.attitude.eye.At.Z}
	along := to.Dot(d)
	if along <= 0 {
		return 0, 0
	}
	blur := float64(float64(at.size) * along)
	beside2 := to.Dot(to) - float64(along*along)
	if reach := s.radius + blur; beside2 > float64(reach*reach) {
		return 0, 0
	}
	beside := math.Sqrt(max(beside2, 0))
	coverage = min(max((s.radius-beside)/blur+0.5, 0), 1)
	if coverage == 0 {
		return 0, 0
	}
	depth := math.Sqrt(max(float64(s.radius*s.radius)-float64(beside*beside), 0))
	up := (float64((along-depth)*d.Z) - to.Z) / s.radius
	light := 0.68 + float64(0.42*up)
	if up > 0.9 { // the lamps' reflection
		light += float64((up - 0.9) * 3)
	}
	return coverage, uint32(256 * max(light, 0))
}

func (r *Renderer) meetPillar(s *shape, at ray) (coverage float64, shade uint32) {
	dx, dy, size := float64(at.x), float64(at.y), float64(at.size)
	towards := float64(dx*s.from.X) + float64(dy*s.from.Y)
	cross := math.Abs(float64(dx*s.from.Y) - float64(dy*s.from.X))
	margin := float64(2 * size * towards)
	if towards <= 0 || cross > s.radius+margin { // most pixels of its box; flat is 1 at most
		return 0, 0
	}
	flat := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	if flat < 1e-6 || cross > float64(s.radius*flat)+margin {
		return 0, 0
	}
	along, beside := towards/flat, cross/flat
	front := along
	facing := 0.0
	if beside < s.radius {
		depth := math.Sqrt(float64(s.radius*s.radius) - float64(beside*beside))
		front, facing = along-depth, depth/s.radius
	}
	t := front / flat
	if t <= 0 {
		return 0, 0
	}
	pixel := size * t
	z := r.attitude.eye.At.Z + float64(t*float64(at.z))
	tall := min(max(min(z-s.low, s.high-z)/float64(pixel*flat)+0.5, 0), 1)
	if tall == 0 {
		return 0, 0
	}
	wide := min(max((s.radius-beside)/pixel+0.5, 0), 1)
	return wide * tall, uint32(140 + float64(100*facing))
}

func (r *Renderer) meetPanel(s *shape, at ray) (coverage float64, shade uint32) {
	dx, dy := float64(at.x), float64(at.y)
	against := float64(dy*s.side.X) - float64(dx*s.side.Y)
	if math.Abs(against) < 1e-6 {
		return 0, 0
	}
	t := (float64(s.from.Y*s.side.X) - float64(s.from.X*s.side.Y)) / against
	if t <= 0 {
		return 0, 0
	}
	along := float64((float64(t*dx)-s.from.X)*s.side.X) + float64((float64(t*dy)-s.from.Y)*s.side.Y)
	z := r.attitude.eye.At.Z + float64(t*float64(at.z))
	pixel := float64(at.size) * t
	beyond, above := min(along, s.length-along), min(z-s.low, s.high-z)
	if beyond < -pixel || above < -pixel { // against is 1 at most
		return 0, 0
	}
	wide := min(max(float64(beyond*math.Abs(against))/pixel+0.5, 0), 1)
	tall := min(max(above/pixel+0.5, 0), 1)
	return wide * tall, s.bright
}
