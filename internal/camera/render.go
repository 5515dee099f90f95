package camera

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Renderer draws pictures of scenes as one robot's camera takes them. It reuses its buffers and is not safe for
// concurrent use.
type Renderer struct {
	cam     Camera
	venue   *Venue
	rays    []ray   // rays in the camera's frame
	spans   []span  // pixels of each row that the lens exposes
	lit     []light // what the lens shows
	soft    []light // the same, blurred along the rows
	falloff []uint16
	view    float64 // rad, from the optical axis to the corners
	shapes  []shape
	seed    uint64
	taken   uint64 // pictures
	sensor  sensor

	attitude attitude
	aims     []ray  // rays in the level frame
	spots    []spot // what each pixel looks at, but for shapes
}

// ray is where a pixel looks, and how wide it is in rad.
type ray struct{ x, y, z, size float32 }

func (r ray) vec() soccer.Vec3 { return soccer.Vec3{X: float64(r.x), Y: float64(r.y), Z: float64(r.z)} }

// span is a part of a row of pixels.
type span struct{ from, to int }

// attitude is the eye of a camera in its level frame, which lies below the optical centre and turns with robot and head. It
// changes with the head's tilt and not with the robot's place, so that what follows from it is kept between pictures.
type attitude struct {
	eye  Eye
	body soccer.Vec // m, the robot's centre
}

// spot is what a pixel looks at, in the level frame.
type spot struct {
	x, y float32 // m, the place on the floor; of a pixel that looks at none the ray
	z    float32 // height of the ray; on the floor the length of the pixel, as a share of the place's distance
	// level is that of the floor's map, and n how many of its cells are looked at, outwards: 0 for a pixel that does not
	// look at the floor, onBody for one that looks at the robot itself.
	level, n uint8
}

const onBody = 255

// NewRenderer returns the renderer of a camera in a hall. The seed is that of the sensor's noise.
func NewRenderer(cam Camera, venue *Venue, seed uint64) *Renderer {
	n := cam.Width * cam.Height
	r := &Renderer{
		cam: cam, venue: venue, seed: seed,
		rays: make([]ray, n), lit: make([]light, n), soft: make([]light, n), falloff: make([]uint16, n),
		spans: make([]span, cam.Height), aims: make([]ray, n), spots: make([]spot, n),
	}
	corner := math.Sqrt(float64(cam.Lens.CX*cam.Lens.CX) + float64(cam.Lens.CY*cam.Lens.CY))
	for y := range cam.Height {
		r.spans[y] = cam.exposed(y)
		for x := range cam.Width {
			i := y*cam.Width + x
			u, v := float64(x)-cam.Lens.CX, float64(y)-cam.Lens.CY
			off := math.Sqrt(float64(u*u)+float64(v*v)) / corner
			r.falloff[i] = uint16(4096 * max(1-float64(cam.Lens.Falloff*off*off), 0))
			at, beside := cam.Lens.ray(float64(x), float64(y)), cam.Lens.ray(float64(x)+0.5, float64(y)+0.5)
			d := soccer.Vec3{X: beside.X - at.X, Y: beside.Y - at.Y, Z: beside.Z - at.Z}
			r.rays[i] = ray{float32(at.X), float32(at.Y), float32(at.Z), float32(math.Sqrt2 * math.Sqrt(d.Dot(d)))}
		}
	}
	edge := cam.Lens.ray(0, 0)
	r.view = exact.Atan2(math.Sqrt(float64(edge.X*edge.X)+float64(edge.Y*edge.Y)), edge.Z)
	r.sensor.init(rand.New(rand.NewPCG(seed, 0x5e4503)), cam.Width)
	return r
}

// exposed returns the pixels of a row that the lens exposes.
func (c *Camera) exposed(y int) span {
	if c.Lens.Circle == 0 {
		return span{0, c.Width}
	}
	v := float64(y) - c.Lens.CY
	half2 := float64(c.Lens.Circle*c.Lens.Circle) - float64(v*v)
	if half2 <= 0 {
		return span{}
	}
	half := math.Sqrt(half2)
	return span{max(int(c.Lens.CX-half)+1, 0), min(int(c.Lens.CX+half)+1, c.Width)}
}

// Render draws a scene into dst. It allocates only until its buffers have their size.
func (r *Renderer) Render(s *Scene, p *Params, dst *Picture) {
	paint := r.stand(s, p)
	paint.background()
	for i := range r.shapes {
		paint.paint(&r.shapes[i])
	}
	r.expose(s, p, dst)
}

// painter paints one picture.
type painter struct {
	*Renderer
	at       soccer.Vec3 // m, the optical centre in the field
	sin, cos float64     // sine and cosine of the turn from the level frame to the field's
	things   []Thing     // things that the pixels show, in place of their light; nil: light is painted
}

// stand prepares the attitude and the shapes of a scene, the farthest shape first.
func (r *Renderer) stand(s *Scene, p *Params) painter {
	cam := r.cam
	pan, tilt := p.Pan+s.Sway.Pan, p.Tilt+s.Sway.Tilt
	cam.Mount.Tilt += p.KnockTilt
	cam.Mount.Roll += p.KnockRoll + s.Sway.Roll
	if cam.Mount.Down { // it has no joints: the robot's body sways
		cam.Mount.Tilt += s.Sway.Tilt
		pan = 0
	}
	eye := cam.EyeAt(soccer.Pose{}, 0, tilt)
	sinPan, cosPan := exact.Sincos(pan)
	now := attitude{
		eye:  Eye{Lens: &r.cam.Lens, At: soccer.Vec3{Z: eye.At.Z}, Axes: eye.Axes},
		body: soccer.Vec{X: -float64(eye.At.X * cosPan), Y: float64(eye.At.X * sinPan)},
	}
	if now != r.attitude {
		r.attitude = now
		r.aim()
	}
	paint := painter{Renderer: r, at: cam.EyeAt(s.Self, 0, 0).At}
	paint.sin, paint.cos = exact.Sincos(s.Self.Theta + pan)
	r.gather(s)
	for i := range r.shapes {
		r.shapes[i].place(&paint)
	}
	slices.SortStableFunc(r.shapes, func(a, b shape) int { return cmp.Compare(b.distance, a.distance) })
	return paint
}

// aim finds out what each pixel looks at from a new attitude.
func (r *Renderer) aim() {
	eye, body := &r.attitude.eye, r.attitude.body
	h, m := eye.At.Z, r.venue.floor
	own := float64(r.venue.body.radius * r.venue.body.radius)
	for y, span := range r.spans {
		for i := y*r.cam.Width + span.from; i < y*r.cam.Width+span.to; i++ {
			d := eye.turned(r.rays[i].vec())
			r.aims[i] = ray{float32(d.X), float32(d.Y), float32(d.Z), r.rays[i].size}
			if d.Z > -0.004 {
				r.spots[i] = spot{x: float32(d.X), y: float32(d.Y), z: float32(d.Z)}
				continue
			}
			steep := -1 / d.Z
			t := float64(h * steep)
			x, y := float64(t*d.X), float64(t*d.Y)
			u, v := x-body.X, y-body.Y
			if float64(u*u)+float64(v*v) < own {
				r.spots[i] = spot{n: onBody}
				continue
			}
			size := float64(r.rays[i].size)
			flat := math.Sqrt(max(1-float64(d.Z*d.Z), 1e-12))
			r.spots[i] = spot{
				float32(x), float32(y), float32(size / flat), m.levelFor(float64(t * size)), uint8(min(max(int(steep), 1), 8)),
			}
		}
	}
}

// turned returns a direction of the level frame in the field's.
func (p *painter) turned(x, y float64) (float64, float64) {
	return float64(p.cos*x) - float64(p.sin*y), float64(p.sin*x) + float64(p.cos*y)
}

// background paints the floor, the walls and the robot's own body.
func (p *painter) background() {
	m, w := p.venue.floor, &p.venue.walls
	for y, span := range p.spans {
		from, to := y*p.cam.Width+span.from, y*p.cam.Width+span.to
		lit := p.lit[from:to]
		for i, s := range p.spots[from:to] {
			if s.n == onBody {
				lit[i] = blackColor
				continue
			}
			dx, dy := p.turned(float64(s.x), float64(s.y))
			if s.n == 0 {
				lit[i] = w.light(&p.at, dx, dy, float64(s.z))
				continue
			}
			fx, fy := p.at.X+dx, p.at.Y+dy
			if math.Abs(fx) > w.halfLength || math.Abs(fy) > w.halfWidth {
				lit[i] = w.light(&p.at, dx, dy, -p.at.Z)
				continue
			}
			long := float64(s.z)
			lit[i] = m.light(fx, fy, float64(dx*long), float64(dy*long), s.level, s.n)
		}
	}
}

// gather collects the shapes of a scene.
func (r *Renderer) gather(s *Scene) {
	h := r.venue
	all := append(r.shapes[:0], h.standing...)
	for _, at := range s.People {
		all = appendPerson(all, at, srgb(0x3050a8), orangeColor)
	}
	for i := range s.Robots {
		all = h.body.appendTo(all, &s.Robots[i])
	}
	for _, at := range s.Obstacles {
		all = append(all, shape{kind: shadow, from: at, radius: 0.4, opacity: 120, color: shadowColor},
			shape{kind: pillar, from: at, radius: 0.25, high: 0.8, color: blackColor, opacity: 256, thing: RobotBody})
	}
	if s.HasBall {
		under := float64(h.BallRadius * 2)
		all = append(all, shape{kind: shadow, from: s.Ball.XY(), radius: under, opacity: 130, color: shadowColor},
			shape{
				kind: ball, from: s.Ball.XY(), low: s.Ball.Z, radius: h.BallRadius, color: h.ballColor, opacity: 256, thing: Ball,
			})
	}
	r.shapes = all
}

// appendTo appends the shapes of a robot: a body with a ring in its team's colour, and a mast with a mirror.
func (f *bodyForm) appendTo(all []shape, b *Body) []shape {
	at := b.Pose.XY()
	part := func(low, high, radius float64, color light, thing Thing) {
		all = append(all, shape{
			kind: pillar, from: at, low: low, high: high, radius: radius, color: color, opacity: 256, thing: thing,
		})
	}
	all = append(all, shape{kind: shadow, from: at, radius: 1.5 * f.radius, opacity: 120, color: shadowColor})
	if f.mastWidth > 0 {
		part(f.height, f.height+0.15, f.mastRadius, steelColor, OtherThing)
		part(f.height+0.15, f.height+0.2, f.mastWidth, blackColor, RobotBody)
	}
	if b.Color > soccer.Magenta {
		part(0, f.height, f.radius, f.color, RobotBody)
		return all
	}
	part(0, f.markLow, f.radius, f.color, RobotBody)
	part(f.markLow, f.markHigh, f.radius, f.team[b.Color], CyanMarker+Thing(b.Color))
	part(f.markHigh, f.height, f.radius, f.color, RobotBody)
	return all
}
