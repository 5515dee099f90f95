package managernet

import (
	"math"
	"slices"

	"touchline/internal/camera"
	"touchline/soccer"
	"touchline/wire/team"
)

// Drawing.
const (
	margin    = 40           // px beyond the picture to which lines are drawn
	stride    = 0.05         // m between the points of a projected line, at least
	slope     = 0.03         // the same as a share of their distance
	bearing   = math.Pi / 90 // rad between the points of the horizon
	far       = 1e4          // m, of the horizon
	tolerance = 0.3          // px by which a point may lie beside the line that leaves it out
	ahead     = 24           // points of a line that are looked at together
	circle    = 16           // points of a ball's outline
)

// sketch draws overlays.
type sketch struct {
	camera *camera.Camera
	field  soccer.Field
	marks  []soccer.Mark

	to   *team.Overlay
	eye  camera.Eye   // in the robot's frame
	path []soccer.Vec // px, of the line under way
	left []soccer.Vec // points after the last one of path, which the next one may make needless
}

// draw sets m to the shapes of what was found, of the horizon, and of the field's lines where the robot knows its pose.
func (s *sketch) draw(p *camera.Percepts, view *camera.View, m *team.Overlay) {
	s.to = m
	s.eye = s.camera.Eye(view.Pan, view.Tilt)
	for i := range p.Balls {
		s.ball(&p.Balls[i])
	}
	for i := range p.Obstacles {
		s.robot(&p.Obstacles[i])
	}
	for i := range p.Posts {
		s.post(&p.Posts[i])
	}
	for i := range p.Segments {
		g := &p.Segments[i]
		shape := s.line(team.LineShape, &s.eye, g.From, g.To)
		s.measure(shape, soccer.Vec{X: (g.From.X + g.To.X) / 2, Y: (g.From.Y + g.To.Y) / 2}, soccer.Cov{})
	}
	s.dots(p.Lines)
	s.horizon()
	if !view.Self.Known {
		return
	}
	eye := s.camera.EyeAt(view.Self.Pose, view.Pan, view.Tilt)
	for i := range s.marks {
		s.mark(&eye, &s.marks[i])
	}
}

// add appends a shape without points; nil: the overlay is full.
func (s *sketch) add(kind team.ShapeKind) *team.Shape {
	m := s.to
	if len(m.Shapes) == team.MaxShapes {
		return nil
	}
	m.Shapes = slices.Grow(m.Shapes, 1)[:len(m.Shapes)+1]
	shape := &m.Shapes[len(m.Shapes)-1]
	*shape = team.Shape{Kind: kind, Points: shape.Points[:0]}
	return shape
}

// put appends a point to a shape.
func put(shape *team.Shape, x, y float64) {
	q := func(v float64) int16 { return int16(math.Round(max(min(v, 8000), -8000) * team.PixelScale)) }
	shape.Points = append(shape.Points, team.Pixel{X: q(x), Y: q(y)})
}

// measure sets the distance of a shape.
func (s *sketch) measure(shape *team.Shape, at soccer.Vec, cov soccer.Cov) {
	d := at.Len()
	if shape == nil || !(d > 0 && d < 1000) {
		return
	}
	x, y := at.X/d, at.Y/d
	along := x*x*cov.XX + 2*x*y*cov.XY + y*y*cov.YY
	shape.Distance, shape.Sigma = float32(d), float32(min(math.Sqrt(max(along, 0)), 100))
}

func (s *sketch) ball(b *camera.BallCandidate) {
	if b.Rejected == camera.TooSmall { // there is no circle to draw
		return
	}
	shape := s.add(team.BallShape)
	if shape == nil {
		return
	}
	shape.Closed = true
	s.measure(shape, b.Position.XY(), b.Cov)
	if b.Rejected != camera.Accepted {
		shape.Kind, shape.Text, shape.Distance, shape.Sigma = team.NoBall, b.Rejected.String(), 0, 0
	}
	for i := range circle {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / circle)
		put(shape, b.X+b.Radius*cos, b.Y+b.Radius*sin)
	}
}

func (s *sketch) robot(o *camera.Obstacle) {
	shape := s.add(team.RobotShape)
	if shape == nil {
		return
	}
	shape.Closed = true
	if o.Color != soccer.NoColor {
		shape.Text = o.Color.String()
	}
	s.measure(shape, o.Position, o.Cov)
	for _, corner := range [4][2]int{{o.Left, o.Top}, {o.Right, o.Top}, {o.Right, o.Bottom}, {o.Left, o.Bottom}} {
		put(shape, float64(corner[0]), float64(corner[1]))
	}
}

// post draws a goal post from its foot to the goal's height.
func (s *sketch) post(p *camera.Post) {
	shape := s.add(team.PostShape)
	if shape == nil {
		return
	}
	s.measure(shape, p.Position, p.Cov)
	put(shape, p.X, p.Y)
	if x, y, ok := s.eye.Pixel(soccer.Vec3{X: p.Position.X, Y: p.Position.Y, Z: s.field.GoalHeight}); ok {
		put(shape, x, y)
	}
}

// dots draws some of the points on lines.
func (s *sketch) dots(points []camera.LinePoint) {
	if len(points) == 0 {
		return
	}
	shape := s.add(team.LineDots)
	if shape == nil {
		return
	}
	n := min(len(points), team.MaxPoints)
	for i := range n {
		p := &points[i*len(points)/n]
		put(shape, (p.NearPixel.X+p.FarPixel.X)/2, (p.NearPixel.Y+p.FarPixel.Y)/2)
	}
}

// horizon draws the points of all level rays.
func (s *sketch) horizon() {
	for i := range int(2*math.Pi/bearing) + 1 {
		sin, cos := math.Sincos(float64(i)*bearing - math.Pi)
		s.visit(team.Horizon, &s.eye, soccer.Vec3{X: far * cos, Y: far * sin, Z: s.eye.At.Z})
	}
	s.finish(team.Horizon)
}

// mark draws a line of the field as the robot's pose gives it.
func (s *sketch) mark(eye *camera.Eye, m *soccer.Mark) {
	if m.Radius == 0 {
		s.line(team.FieldLine, eye, m.From, m.To)
		return
	}
	n := max(8, int(2*math.Pi*m.Radius/step(eye, m.Nearest(eye.At.XY()))))
	for i := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		if m.Toward.X*cos < -1e-9 || m.Toward.Y*sin < -1e-9 {
			s.finish(team.FieldLine)
			continue
		}
		s.visit(team.FieldLine, eye, soccer.Vec3{X: m.Centre.X + m.Radius*cos, Y: m.Centre.Y + m.Radius*sin})
	}
	s.finish(team.FieldLine)
}

// line draws a line on the floor and returns its last shape; nil if the picture does not show it.
func (s *sketch) line(kind team.ShapeKind, eye *camera.Eye, from, to soccer.Vec) *team.Shape {
	before, d := len(s.to.Shapes), to.Sub(from)
	length := d.Len()
	for at := 0.0; length > 0; {
		p := soccer.Vec3{X: from.X + at/length*d.X, Y: from.Y + at/length*d.Y}
		s.visit(kind, eye, p)
		if at >= length {
			break
		}
		at = min(at+step(eye, p.XY()), length)
	}
	s.finish(kind)
	if len(s.to.Shapes) == before {
		return nil
	}
	return &s.to.Shapes[len(s.to.Shapes)-1]
}

// step returns the way to the next point of a line on the floor: a few pixels.
func step(eye *camera.Eye, at soccer.Vec) float64 {
	return max(stride, slope*at.Sub(eye.At.XY()).Len())
}

// visit adds a point to the line under way. A point that the picture does not show ends it.
func (s *sketch) visit(kind team.ShapeKind, eye *camera.Eye, p soccer.Vec3) {
	x, y, ok := eye.Pixel(p)
	w, h := float64(s.camera.Width), float64(s.camera.Height)
	if c := s.camera.Lens.Circle; c > 0 && ok {
		ok = math.Hypot(x-s.camera.Lens.CX, y-s.camera.Lens.CY) <= c
	}
	if !ok || x < -margin || y < -margin || x > w+margin || y > h+margin {
		s.finish(kind)
		return
	}
	at := soccer.Vec{X: x, Y: y}
	if len(s.path) == 0 {
		s.path = append(s.path, at)
		return
	}
	from := s.path[len(s.path)-1]
	if n := len(s.left); n == ahead || slices.ContainsFunc(s.left, func(p soccer.Vec) bool { return beside(from, p, at) > tolerance }) {
		s.path, s.left = append(s.path, s.left[n-1]), s.left[:0]
	}
	s.left = append(s.left, at)
}

// beside returns how far b lies beside the way from a to c, in px.
func beside(a, b, c soccer.Vec) float64 {
	d, e := c.Sub(a), b.Sub(a)
	length := d.Len()
	if length == 0 {
		return e.Len()
	}
	return math.Abs(e.X*d.Y-e.Y*d.X) / length
}

// finish ends the line under way: it becomes shapes, each of which begins where the one before ends.
func (s *sketch) finish(kind team.ShapeKind) {
	if n := len(s.left); n > 0 {
		s.path, s.left = append(s.path, s.left[n-1]), s.left[:0]
	}
	path := s.path
	s.path = s.path[:0]
	for len(path) >= 2 {
		n := min(len(path), team.MaxPoints)
		shape := s.add(kind)
		if shape == nil {
			return
		}
		for _, p := range path[:n] {
			put(shape, p.X, p.Y)
		}
		path = path[n-1:]
	}
}
