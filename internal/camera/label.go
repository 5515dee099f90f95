package camera

import "slices"

// Thing is what a pixel shows.
type Thing uint8

// The things of a hall. A player's body and the robot's own are black, and so is an obstacle.
const (
	OtherThing Thing = iota // walls, people, what lies beyond the carpet
	Carpet
	FieldLine
	Ball
	Goal // posts, bar and solid walls; a net shows what is behind it
	RobotBody
	CyanMarker
	MagentaMarker
	Things // how many there are
)

var thingNames = [Things]string{
	"other", "carpet", "line", "ball", "goal", "robot", "cyan marker", "magenta marker",
}

// String returns the name of a thing.
func (t Thing) String() string {
	if t < Things {
		return thingNames[t]
	}
	return "unknown"
}

// Label appends what each pixel of a scene's picture shows, row by row: the thing that covers more than half of it. Blur,
// noise and shadows do not count. It allocates only where dst is too small.
func (r *Renderer) Label(s *Scene, p *Params, dst []Thing) []Thing {
	paint := r.stand(s, p)
	paint.things = slices.Grow(dst[:0], len(r.spots))[:len(r.spots)]
	clear(paint.things)
	for y, span := range r.spans {
		for i := y*r.cam.Width + span.from; i < y*r.cam.Width+span.to; i++ {
			paint.things[i] = paint.ground(&r.spots[i])
		}
	}
	for i := range r.shapes {
		if r.shapes[i].kind != shadow {
			paint.paint(&r.shapes[i])
		}
	}
	return paint.things
}

// ground returns what a pixel shows where no shape is.
func (p *painter) ground(s *spot) Thing {
	if s.n == onBody {
		return RobotBody
	}
	if s.n == 0 {
		return OtherThing
	}
	dx, dy := p.turned(float64(s.x), float64(s.y))
	long := float64(s.z)
	cover, _, ok := p.hall.floor.look(p.at.X+dx, p.at.Y+dy, float64(dx*long), float64(dy*long), s.level, s.n)
	switch {
	case !ok:
		return OtherThing
	case cover > 127:
		return FieldLine
	}
	return Carpet
}

// ClassOf returns the class that the pixels of a thing should get in a hall of the Middle Size League.
func ClassOf(t Thing) Class {
	switch t {
	case Carpet:
		return Green
	case FieldLine, Goal:
		return White
	case Ball:
		return Orange
	case RobotBody:
		return Black
	case CyanMarker:
		return Cyan
	case MagentaMarker:
		return Magenta
	}
	return None
}

// Sorted counts the pixels of each thing (row) that got each class (column).
type Sorted [Things][Classes]int

// Count adds a segmented picture. Both slices have one element a pixel; the longer one's rest is ignored.
func (s *Sorted) Count(truth []Thing, segmented []Class) {
	for i := range min(len(truth), len(segmented)) {
		s[truth[i]%Things][segmented[i]%Classes]++
	}
}
