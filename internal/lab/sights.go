package lab

import (
	"math"
	"math/rand/v2"

	"touchline/internal/camera"
	"touchline/internal/exact"
	"touchline/soccer"
)

const degree = math.Pi / 180

// preset is a camera in its hall, with what finds things in its pictures.
type preset struct {
	Name   string
	Camera camera.Camera
	Hall   *camera.Venue
	Config camera.Config
}

// presets returns the presets that are measured: "perspective", "aibo" and "omnidirectional".
func presets(seed uint64) []preset {
	msl := camera.MSLVenue(soccer.MSL18x12(), seed)
	legged := camera.FourLeggedVenue(seed)
	return []preset{
		{"perspective", camera.Perspective(), msl, camera.DefaultConfig()},
		{"aibo", camera.AIBO(), legged, camera.FourLeggedConfig()},
		{"omnidirectional", camera.Omnidirectional(), msl, camera.DefaultConfig()},
	}
}

// Trial says which pictures are taken.
type Trial struct {
	Pictures int
	Ball     bool    // each picture shows a ball within Reach; false: none is on the field
	Reach    float64 // m; default 4
	Sway     float64 // rad, deviation of the camera's pan, tilt and roll from what the robot believes; default 0.3 degrees
	Light    float64 // of the hall; default 1
	Warmth   float64 // of its light; default 0
	Params   camera.Params
}

// defaultTrial returns n pictures of a ball within 4 m, with a camera pose noise of 0.3 degrees.
func defaultTrial(n int) Trial {
	return Trial{Pictures: n, Ball: true, Reach: 4, Sway: 0.3 * degree, Light: 1, Params: camera.DefaultParams()}
}

// balls are the figures of a trial.
type balls struct {
	Pictures int
	InView   int       // pictures whose ball no robot hides and the picture's border does not cut
	Found    int       // of them
	Errors   []Error   // of the balls that were found
	False    int       // accepted balls within Reach, where there is none
	FalseFar int       // accepted balls beyond
	Shoes    int       // of False and FalseFar: orange shoes of people beside the field
	NEES     []float64 // squared errors in units of the covariance that the percept claims; 2 is ideal on average
}

// Error is how far a ball was reported from its place.
type Error struct{ Distance, Error float64 } // m

// withinLimit returns the share of errors that are at most 5 % of the distance plus 3 cm.
func (b *balls) withinLimit() float64 {
	n := 0
	for _, e := range b.Errors {
		if e.Error <= float64(0.05*e.Distance)+0.03 {
			n++
		}
	}
	return float64(n) / float64(max(len(b.Errors), 1))
}

// Camera is one camera whose pictures are judged. It keeps the renderer's and the finder's buffers.
type Camera struct {
	preset   preset
	random   *rand.Rand
	renderer *camera.Renderer
	finder   *camera.Finder
	picture  camera.Picture
	percepts camera.Percepts
	scene    camera.Scene
}

// newCamera returns a camera with a table of colours.
func newCamera(p preset, table *camera.Table, seed uint64) *Camera {
	return &Camera{
		preset: p, random: rand.New(rand.NewPCG(seed, 0x51647)), renderer: camera.NewRenderer(p.Camera, p.Hall, seed),
		finder: camera.NewFinder(p.Camera, p.Config, table),
	}
}

// measure takes the pictures of a trial.
func (c *Camera) measure(t Trial) (balls, error) {
	var b balls
	for range t.Pictures {
		params, inView := c.arrange(&t)
		c.renderer.Render(&c.scene, &params, &c.picture)
		view := camera.View{Pan: params.Pan, Tilt: params.Tilt, Self: c.believed()}
		if err := c.finder.Find(&c.picture, &view, &c.percepts); err != nil {
			return b, err
		}
		c.score(&t, &b, inView)
	}
	return b, nil
}

// uniform returns a random number between a and b.
func (c *Camera) uniform(a, b float64) float64 { return a + float64((b-a)*exact.Uniform(c.random)) }

// arrange places robot, ball and other robots at random, and reports whether the ball is fully in view.
func (c *Camera) arrange(t *Trial) (camera.Params, bool) {
	f := &c.preset.Hall.Field
	halfX, halfY := float64(f.Length*0.5), float64(f.Width*0.5)
	s := &c.scene
	*s = camera.Scene{
		Time: s.Time.Add(40e6), Robots: s.Robots[:0], Light: t.Light, Warmth: t.Warmth,
		Sway: camera.Sway{
			Pan: t.Sway * exact.Normal(c.random), Tilt: t.Sway * exact.Normal(c.random), Roll: t.Sway * exact.Normal(c.random),
		},
	}
	params := t.Params
	distance := c.uniform(0.6, t.Reach)
	for {
		s.Self = soccer.Pose{X: c.uniform(-halfX, halfX), Y: c.uniform(-halfY, halfY), Theta: c.uniform(-math.Pi, math.Pi)}
		bearing := c.uniform(-20*degree, 20*degree)
		if c.preset.Camera.Mount.Down {
			bearing = c.uniform(-math.Pi, math.Pi)
		}
		sin, cos := exact.Sincos(s.Self.Theta + bearing)
		s.Ball = soccer.Vec3{
			X: s.Self.X + float64(distance*cos), Y: s.Self.Y + float64(distance*sin), Z: c.preset.Hall.BallRadius,
		}
		if math.Abs(s.Ball.X) < halfX && math.Abs(s.Ball.Y) < halfY {
			break
		}
	}
	s.HasBall = t.Ball
	down := exact.Atan2(c.preset.Camera.Mount.Height, max(distance-c.preset.Camera.Mount.Ahead, 0.1))
	params.Tilt = min(max(c.uniform(-8*degree, 8*degree)-down, -55*degree), 0)
	for i := range 4 {
		at := soccer.Pose{X: c.uniform(-halfX, halfX), Y: c.uniform(-halfY, halfY)}
		if at.XY().Sub(s.Self.XY()).Len() > 0.7 && at.XY().Sub(s.Ball.XY()).Len() > 0.4 {
			s.Robots = append(s.Robots, camera.Body{Pose: at, Color: soccer.Color(i & 1)})
		}
	}
	return params, t.Ball && c.visible(&params)
}

// visible reports whether the whole ball is in the picture and no robot hides a part of it.
func (c *Camera) visible(p *camera.Params) bool {
	s, cam := &c.scene, c.preset.Camera
	eye := cam.EyeAt(s.Self, p.Pan, p.Tilt)
	x, y, ok := eye.Pixel(s.Ball)
	d := s.Ball.XY().Sub(eye.At.XY())
	length := d.Len()
	margin := float64(c.preset.Hall.BallRadius/length*cam.Lens.Focal) + 4
	if !ok || x < margin || y < margin || x > float64(cam.Width)-margin || y > float64(cam.Height)-margin {
		return false
	}
	for i := range s.Robots {
		r := s.Robots[i].Pose.XY().Sub(eye.At.XY())
		along := (float64(r.X*d.X) + float64(r.Y*d.Y)) / length
		across := math.Abs(float64(r.X*d.Y)-float64(r.Y*d.X)) / length
		if along > 0 && along < length && across < soccer.RobotRadius+c.preset.Hall.BallRadius {
			return false
		}
	}
	return true
}

// believed returns the robot's own pose with the error of a good self-localisation.
func (c *Camera) believed() soccer.Localisation {
	l := soccer.Localisation{Known: true, HasHeading: true, Pose: c.scene.Self, Confidence: 1}
	l.Pose.X += float64(0.08 * exact.Normal(c.random))
	l.Pose.Y += float64(0.08 * exact.Normal(c.random))
	l.Pose.Theta += float64(1.1 * degree * exact.Normal(c.random))
	return l
}

// score compares the percepts of a picture with the truth.
func (c *Camera) score(t *Trial, b *balls, inView bool) {
	s := &c.scene
	b.Pictures++
	if inView {
		b.InView++
	}
	sin, cos := exact.Sincos(s.Self.Theta)
	d := s.Ball.XY().Sub(s.Self.XY())
	truth := soccer.Vec{X: float64(cos*d.X) + float64(sin*d.Y), Y: float64(cos*d.Y) - float64(sin*d.X)}
	found := false
	for i := range c.percepts.Balls {
		p := &c.percepts.Balls[i]
		if p.Rejected != camera.Accepted {
			continue
		}
		e := p.Position.XY().Sub(truth)
		if s.HasBall && e.Len() < 0.25*truth.Len()+0.2 {
			if !found && inView {
				b.Errors = append(b.Errors, Error{truth.Len(), e.Len()})
				inv := p.Cov.Inverse()
				b.NEES = append(b.NEES, float64(inv.XX*e.X*e.X)+float64(2*inv.XY*e.X*e.Y)+float64(inv.YY*e.Y*e.Y))
				b.Found++
			}
			found = true
			continue
		}
		if p.Position.XY().Len() <= t.Reach {
			b.False++
		} else {
			b.FalseFar++
		}
		if c.besideField(p.Position.XY(), sin, cos) {
			b.Shoes++
		}
	}
}

// besideField reports whether a place, in the robot's frame, is where people stand.
func (c *Camera) besideField(p soccer.Vec, sin, cos float64) bool {
	x := c.scene.Self.X + float64(cos*p.X) - float64(sin*p.Y)
	y := c.scene.Self.Y + float64(sin*p.X) + float64(cos*p.Y)
	f := &c.preset.Hall.Field
	return math.Abs(y) > float64(f.Width*0.5)+f.Border || math.Abs(x) > float64(f.Length*0.5)+f.Border
}
