package camera

import (
	"math"

	"touchline/exact"
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

	distance float64 // from the eye
}

type shapeKind uint8

const (
	pillar shapeKind = iota // an upright cylinder
	panel                   // an upright rectangle
	ball
	shadow // on the floor
)

// painter paints the shapes of one picture.
type painter struct {
	*Renderer
	eye *Eye
}

// box returns the pixels that a shape may cover: corners of what encloses it, projected, with a margin for the bulging of
// straight edges.
func (p *painter) box(s *shape) (x0, y0, x1, y1 int, seen bool) {
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
			x, y, ok := p.eye.Pixel(at)
			if !ok {
				hidden++
				continue
			}
			visible++
			minX, minY, maxX, maxY = min(minX, x), min(minY, y), max(maxX, x), max(maxY, y)
		}
	}
	width, height := p.cam.Width, p.cam.Height
	switch {
	case visible == 0:
		return 0, 0, 0, 0, false
	case hidden > 0:
		return 0, 0, width - 1, height - 1, p.mayShow(s)
	}
	const margin = 3
	if maxX < -margin || maxY < -margin || minX > float64(width+margin) || minY > float64(height+margin) {
		return 0, 0, 0, 0, false
	}
	return max(int(minX)-margin, 0), max(int(minY)-margin, 0),
		min(int(maxX)+margin, width-1), min(int(maxY)+margin, height-1), true
}

// mayShow reports whether a sphere around a shape reaches into the cone of the lens's view.
func (p *painter) mayShow(s *shape) bool {
	middle, radius := s.from, s.radius
	if s.kind == panel {
		middle = soccer.Vec{X: float64((s.from.X + s.to.X) * 0.5), Y: float64((s.from.Y + s.to.Y) * 0.5)}
		radius = float64(s.to.Sub(s.from).Len() * 0.5)
	}
	half := float64((s.high - s.low) * 0.5)
	to := soccer.Vec3{X: middle.X - p.eye.At.X, Y: middle.Y - p.eye.At.Y, Z: s.low + half - p.eye.At.Z}
	radius = math.Sqrt(float64(radius*radius) + float64(half*half))
	distance := math.Sqrt(dot(to, to))
	if distance <= radius {
		return true
	}
	a := &p.eye.Axes
	along := float64(a[0][2]*to.X) + float64(a[1][2]*to.Y) + float64(a[2][2]*to.Z)
	angle := exact.Atan2(math.Sqrt(max(float64(distance*distance)-float64(along*along), 0)), along)
	wide := exact.Atan2(radius, math.Sqrt(float64(distance*distance)-float64(radius*radius)))
	return angle < p.view+wide
}

// paint paints one shape.
func (p *painter) paint(s *shape) {
	x0, y0, x1, y1, seen := p.box(s)
	if !seen {
		return
	}
	for y := y0; y <= y1; y++ {
		span := p.spans[y]
		for x := max(x0, span.from); x <= min(x1, span.to-1); x++ {
			i := y*p.cam.Width + x
			d := p.eye.turned(p.rays[i].vec())
			coverage, shade := p.meet(s, d, float64(p.rays[i].size))
			if coverage <= 0 {
				continue
			}
			p.lit[i] = s.color.shaded(shade).over(p.lit[i], uint32(coverage*float64(s.opacity)))
		}
	}
}

// meet returns how much of a pixel a shape covers, 0 to 1, and how bright the shape is there, 256 in full light. The
// pixel looks along d and is size rad wide.
func (p *painter) meet(s *shape, d soccer.Vec3, size float64) (coverage float64, shade uint32) {
	to := soccer.Vec3{X: s.from.X - p.eye.At.X, Y: s.from.Y - p.eye.At.Y, Z: s.low - p.eye.At.Z}
	switch s.kind {
	case ball:
		return meetBall(s, to, d, size)
	case pillar:
		return p.meetPillar(s, to, d, size)
	case panel:
		return p.meetPanel(s, to, d, size)
	}
	if d.Z > -0.01 {
		return 0, 0
	}
	t := -p.eye.At.Z / d.Z
	u, v := float64(t*d.X)-to.X, float64(t*d.Y)-to.Y
	r := math.Sqrt(float64(u*u) + float64(v*v))
	return min(max(1.5*(1-r/s.radius), 0), 1), 0
}

func meetBall(s *shape, to, d soccer.Vec3, size float64) (coverage float64, shade uint32) {
	along := dot(to, d)
	if along <= 0 {
		return 0, 0
	}
	beside := math.Sqrt(max(dot(to, to)-float64(along*along), 0))
	coverage = min(max((s.radius-beside)/(size*along)+0.5, 0), 1)
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

func (p *painter) meetPillar(s *shape, to, d soccer.Vec3, size float64) (coverage float64, shade uint32) {
	flat := math.Sqrt(float64(d.X*d.X) + float64(d.Y*d.Y))
	if flat < 1e-6 {
		return 0, 0
	}
	along := (float64(d.X*to.X) + float64(d.Y*to.Y)) / flat
	if along <= 0 {
		return 0, 0
	}
	beside := math.Abs(float64(d.X*to.Y)-float64(d.Y*to.X)) / flat
	if beside > s.radius+float64(2*size*along) {
		return 0, 0
	}
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
	z := p.eye.At.Z + float64(t*d.Z)
	wide := min(max((s.radius-beside)/pixel+0.5, 0), 1)
	tall := min(max(min(z-s.low, s.high-z)/float64(pixel*flat)+0.5, 0), 1)
	return wide * tall, uint32(140 + float64(100*facing))
}

func (p *painter) meetPanel(s *shape, to, d soccer.Vec3, size float64) (coverage float64, shade uint32) {
	side := s.to.Sub(s.from)
	length := side.Len()
	side.X, side.Y = side.X/length, side.Y/length
	against := float64(d.Y*side.X) - float64(d.X*side.Y)
	if math.Abs(against) < 1e-6 {
		return 0, 0
	}
	t := (float64(to.Y*side.X) - float64(to.X*side.Y)) / against
	if t <= 0 {
		return 0, 0
	}
	along := float64((float64(t*d.X)-to.X)*side.X) + float64((float64(t*d.Y)-to.Y)*side.Y)
	z := p.eye.At.Z + float64(t*d.Z)
	pixel := size * t
	wide := min(max(float64(min(along, length-along)*math.Abs(against))/pixel+0.5, 0), 1)
	tall := min(max(min(z-s.low, s.high-z)/pixel+0.5, 0), 1)
	return wide * tall, uint32(180 + float64(60*math.Abs(side.Y)))
}
