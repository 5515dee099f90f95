package camera

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"touchline/exact"
	"touchline/soccer"
)

// Renderer draws pictures of scenes as one robot's camera takes them. It reuses its buffers and is not safe for
// concurrent use.
type Renderer struct {
	cam     Camera
	hall    *Hall
	rays    []ray
	spans   []span  // of each row: the pixels that the lens exposes
	lit     []light // what the lens shows
	soft    []light // the same, blurred along the rows
	falloff []uint16
	view    float64 // rad, from the optical axis to the corners
	shapes  []shape
	seed    uint64
	taken   uint64 // pictures
	sensor  sensor
}

// ray is where a pixel looks, in the camera's frame, and how wide it is in rad.
type ray struct{ x, y, z, size float32 }

func (r ray) vec() soccer.Vec3 { return soccer.Vec3{X: float64(r.x), Y: float64(r.y), Z: float64(r.z)} }

// span is a part of a row of pixels.
type span struct{ from, to int }

// NewRenderer returns the renderer of a camera in a hall. The seed is that of the sensor's noise.
func NewRenderer(cam Camera, hall *Hall, seed uint64) *Renderer {
	n := cam.Width * cam.Height
	r := &Renderer{
		cam: cam, hall: hall, seed: seed,
		rays: make([]ray, n), lit: make([]light, n), soft: make([]light, n), falloff: make([]uint16, n),
		spans: make([]span, cam.Height),
	}
	corner := math.Sqrt(float64(cam.Lens.CX*cam.Lens.CX) + float64(cam.Lens.CY*cam.Lens.CY))
	for y := range cam.Height {
		r.spans[y] = cam.exposed(y)
		for x := range cam.Width {
			i := y*cam.Width + x
			u, v := float64(x)-cam.Lens.CX, float64(y)-cam.Lens.CY
			off := math.Sqrt(float64(u*u)+float64(v*v)) / corner
			r.falloff[i] = uint16(4096 * max(1-float64(cam.Lens.Falloff*off*off), 0))
			at, beside := cam.Lens.Ray(float64(x), float64(y)), cam.Lens.Ray(float64(x)+0.5, float64(y)+0.5)
			d := soccer.Vec3{X: beside.X - at.X, Y: beside.Y - at.Y, Z: beside.Z - at.Z}
			r.rays[i] = ray{float32(at.X), float32(at.Y), float32(at.Z), float32(math.Sqrt2 * math.Sqrt(dot(d, d)))}
		}
	}
	edge := cam.Lens.Ray(0, 0)
	r.view = exact.Atan2(math.Sqrt(float64(edge.X*edge.X)+float64(edge.Y*edge.Y)), edge.Z)
	r.sensor.init(rand.New(rand.NewPCG(seed, 0x5e4503)))
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
	cam := r.cam
	cam.Mount.Roll += s.Sway.Roll
	if cam.Mount.Down { // it has no joints: the robot's body sways
		cam.Mount.Tilt += s.Sway.Tilt
	}
	eye := cam.EyeAt(s.Self, p.Pan+s.Sway.Pan, p.Tilt+s.Sway.Tilt)
	paint := painter{r, &eye}
	paint.background(s.Self)
	r.gather(s)
	for i := range r.shapes {
		sh := &r.shapes[i]
		middle := sh.from
		if sh.kind == panel {
			middle = soccer.Vec{X: float64((sh.from.X + sh.to.X) * 0.5), Y: float64((sh.from.Y + sh.to.Y) * 0.5)}
		}
		sh.distance = middle.Sub(eye.At.XY()).Len()
		if sh.kind == shadow {
			sh.distance += 1000 // on the floor, before all that stands
		}
	}
	slices.SortStableFunc(r.shapes, func(a, b shape) int { return cmp.Compare(b.distance, a.distance) })
	for i := range r.shapes {
		paint.paint(&r.shapes[i])
	}
	r.expose(s, p, dst)
}

// background paints the floor, the walls and the robot's own body.
func (p *painter) background(self soccer.Pose) {
	m, w := p.hall.floor, &p.hall.walls
	at := p.eye.At
	own := float64(p.hall.body.radius * p.hall.body.radius)
	for y, span := range p.spans {
		for i := y*p.cam.Width + span.from; i < y*p.cam.Width+span.to; i++ {
			d := p.eye.turned(p.rays[i].vec())
			if d.Z > -0.004 {
				p.lit[i] = w.light(at.X, at.Y, at.Z, d.X, d.Y, d.Z)
				continue
			}
			t := -at.Z / d.Z
			fx, fy := at.X+float64(t*d.X), at.Y+float64(t*d.Y)
			if math.Abs(fx) > w.halfLength || math.Abs(fy) > w.halfWidth {
				p.lit[i] = w.light(at.X, at.Y, at.Z, d.X, d.Y, d.Z)
				continue
			}
			u, v := fx-self.X, fy-self.Y
			if float64(u*u)+float64(v*v) < own {
				p.lit[i] = blackColor
				continue
			}
			across := float64(t * float64(p.rays[i].size))
			long := min(max(int(t/at.Z), 1), 8)
			flat := math.Sqrt(max(1-float64(d.Z*d.Z), 1e-12))
			p.lit[i] = m.light(fx, fy, d.X/flat, d.Y/flat, across, long)
		}
	}
}

// gather collects the shapes of a scene.
func (r *Renderer) gather(s *Scene) {
	h := r.hall
	all := append(r.shapes[:0], h.standing...)
	for _, at := range s.People {
		all = appendPerson(all, at, srgb(0x3050a8), orangeColor)
	}
	for i := range s.Robots {
		all = h.body.appendTo(all, &s.Robots[i])
	}
	for _, at := range s.Obstacles {
		all = append(all, shape{kind: shadow, from: at, radius: 0.4, opacity: 120, color: shadowColor},
			shape{kind: pillar, from: at, radius: 0.25, high: 0.8, color: blackColor, opacity: 256})
	}
	if s.HasBall {
		under := float64(h.BallRadius * 2)
		all = append(all, shape{kind: shadow, from: s.Ball.XY(), radius: under, opacity: 130, color: shadowColor},
			shape{kind: ball, from: s.Ball.XY(), low: s.Ball.Z, radius: h.BallRadius, color: h.ballColor, opacity: 256})
	}
	r.shapes = all
}

// appendTo appends the shapes of a robot: a body with a ring in its team's colour, and a mast with a mirror.
func (f *bodyForm) appendTo(all []shape, b *Body) []shape {
	at := b.Pose.XY()
	part := func(low, high, radius float64, color light) {
		all = append(all, shape{kind: pillar, from: at, low: low, high: high, radius: radius, color: color, opacity: 256})
	}
	all = append(all, shape{kind: shadow, from: at, radius: 1.5 * f.radius, opacity: 120, color: shadowColor})
	if f.mastWidth > 0 {
		part(f.height, f.height+0.15, f.mastRadius, steelColor)
		part(f.height+0.15, f.height+0.2, f.mastWidth, blackColor)
	}
	if b.Color > soccer.Magenta {
		part(0, f.height, f.radius, f.color)
		return all
	}
	part(0, f.markLow, f.radius, f.color)
	part(f.markLow, f.markHigh, f.radius, f.team[b.Color])
	part(f.markHigh, f.height, f.radius, f.color)
	return all
}

// decibels returns the factor of a gain in dB.
func decibels(db float64) float64 { return exact.Exp(float64(db * 0.11512925464970228)) } // ln 10 / 20
