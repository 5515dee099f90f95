package sim

import (
	"fmt"
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// LineCamera is how a robot's camera sees the lines of the field: along rays on the floor it finds where each crosses a
// line, as the omnidirectional cameras of the league do (Tribots). A point is the middle of the stripe. The defaults are
// assumptions.
type LineCamera struct {
	Rays         int     // number of rays in a full turn; default 60
	Near         float64 // m, nearer than this the robot's body hides the floor; default 0.5
	Range        float64 // m, farther away a stripe is too thin; default 5
	SigmaBase    float64 // m, noise along the ray at distance 0; default 0.02
	SigmaRange   float64 // additional noise along the ray, relative to the distance; default 0.02
	SigmaBearing float64 // rad, noise across the ray; default 0.005
	Miss         float64 // probability to miss a line at Range; it falls to 0 at the robot; default 0.3
	False        float64 // mean number of false points in a picture, 0..100; default 3

	// Errors that all points of a picture have in common.
	Scale   float64       // sigma of a camera's constant error of distances, relative to them; default 0.01
	Tilt    float64       // rad, sigma of the camera's tilt about each axis, a first-order process; default 0.15 degrees
	TiltTau time.Duration // its time constant; default 200 ms
	Height  float64       // m, of the camera; default 0.7
}

// DefaultLineCamera returns a calibrated omnidirectional camera.
func DefaultLineCamera() LineCamera {
	return LineCamera{
		Rays: 60, Near: 0.5, Range: 5, SigmaBase: 0.02, SigmaRange: 0.02, SigmaBearing: 0.005, Miss: 0.3, False: 3,
		Scale: 0.01, Tilt: 0.15 * math.Pi / 180, TiltTau: 200 * time.Millisecond, Height: 0.7,
	}
}

const maxRays = 720

func (c *LineCamera) check() error {
	if c.Rays < 0 || c.Rays > maxRays {
		return fmt.Errorf("%w: line camera: Rays is %d: want 0 to %d", ErrRange, c.Rays, maxRays)
	}
	for _, f := range [...]struct {
		name            string
		value, from, to float64
	}{
		{"Near", c.Near, 0, 1000}, {"Range", c.Range, 0, 1000}, {"SigmaBase", c.SigmaBase, 0, 10},
		{"SigmaRange", c.SigmaRange, 0, 10}, {"SigmaBearing", c.SigmaBearing, 0, math.Pi}, {"Miss", c.Miss, 0, 1},
		{"False", c.False, 0, 100}, {"Scale", c.Scale, 0, 1}, {"Tilt", c.Tilt, 0, 1},
		{"TiltTau", c.TiltTau.Seconds(), 0, 1e6}, {"Height", c.Height, 0.01, 100},
	} {
		if !(f.value >= f.from && f.value <= f.to) {
			return fmt.Errorf("%w: line camera: %s is %g: want %g to %g", ErrRange, f.name, f.value, f.from, f.to)
		}
	}
	return nil
}

// LineScanner finds line points in the pictures of one robot. It is not safe for concurrent use.
type LineScanner struct {
	cam   LineCamera
	id    uint8
	r     random
	scale float64    // factor of distances
	tilt  soccer.Vec // tilt ahead and to the left, in units of Tilt
	time  soccer.Time
	fresh bool // no picture yet
	marks []soccer.Mark
}

// NewLineScanner returns the scanner of robot id. The same seed gives the same errors.
func NewLineScanner(cam LineCamera, seed uint64, id uint8) (*LineScanner, error) {
	if err := cam.check(); err != nil {
		return nil, err
	}
	s := &LineScanner{cam: cam, id: id, r: stream(seed, id, lineSight), fresh: true}
	s.scale = 1 + float64(cam.Scale*exact.Normal(s.r.Rand))
	return s, nil
}

// Scan takes a picture and appends its line points to dst, in the robot's frame. Robots and obstacles hide what lies
// behind them; fov is the camera's field of view in rad, half to each side of straight ahead. The error is ErrUnknown
// for a robot that is not on the field.
func (s *LineScanner) Scan(e *Engine, fov float64, dst []soccer.Vec) ([]soccer.Vec, error) {
	i, there := e.find(s.id)
	if !there {
		return dst, fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, s.id)
	}
	if s.marks == nil {
		s.marks = e.cfg.Field.Marks()
	}
	s.sway(e.now)
	pose := e.robots[i].pose
	v := view{e: e, pose: pose, self: i}
	fov = clamp(fov, 0, 2*math.Pi)
	step := 2 * math.Pi / float64(max(s.cam.Rays, 1))
	phase := exact.Uniform(s.r.Rand) // the rays turn from picture to picture
	for k := range s.cam.Rays {
		bearing := float64((float64(k)+phase)*step) - math.Pi
		if math.Abs(bearing) > float64(fov*0.5) {
			continue
		}
		sin, cos := exact.Sincos(pose.Theta + bearing)
		for m := range s.marks {
			near, far := s.marks[m].Crossings(pose.XY(), soccer.Vec{X: cos, Y: sin})
			for _, distance := range [2]float64{near, far} {
				at := soccer.Vec3{X: pose.X + float64(distance*cos), Y: pose.Y + float64(distance*sin)}
				if !(distance >= s.cam.Near && distance <= s.cam.Range) || v.hidden(at, -1, -1) ||
					exact.Uniform(s.r.Rand) < float64(s.cam.Miss*distance/s.cam.Range) {
					continue
				}
				dst = append(dst, s.distort(distance, bearing))
			}
		}
	}
	for range int(math.Floor(s.cam.False + exact.Uniform(s.r.Rand))) {
		distance := s.cam.Near + float64((s.cam.Range-s.cam.Near)*exact.Uniform(s.r.Rand))
		sin, cos := exact.Sincos(float64(fov * (exact.Uniform(s.r.Rand) - 0.5)))
		dst = append(dst, soccer.Vec{X: distance * cos, Y: distance * sin})
	}
	return dst, nil
}

// sway advances the camera's tilt to now. Its statistics do not depend on the intervals.
func (s *LineScanner) sway(now soccer.Time) {
	keep := 0.0
	if !s.fresh && s.cam.TiltTau > 0 {
		keep = exact.Exp(-now.Sub(s.time).Seconds() / s.cam.TiltTau.Seconds())
	}
	s.fresh, s.time = false, now
	more := math.Sqrt(1 - float64(keep*keep))
	s.tilt.X = float64(keep*s.tilt.X) + float64(more*exact.Normal(s.r.Rand))
	s.tilt.Y = float64(keep*s.tilt.Y) + float64(more*exact.Normal(s.r.Rand))
}

// distort returns a point in the robot's frame as the camera sees it.
func (s *LineScanner) distort(distance, bearing float64) soccer.Vec {
	sin, cos := exact.Sincos(bearing)
	tilt := float64(s.cam.Tilt * (float64(s.tilt.X*cos) + float64(s.tilt.Y*sin)))
	// A tilt moves the point where the camera's ray meets the floor.
	slope := (float64(distance*distance) + float64(s.cam.Height*s.cam.Height)) / s.cam.Height
	sigma := s.cam.SigmaBase + float64(s.cam.SigmaRange*distance)
	seen := float64(distance*s.scale) + float64(tilt*slope) + float64(sigma*exact.Normal(s.r.Rand))
	sin, cos = exact.Sincos(bearing + float64(s.cam.SigmaBearing*exact.Normal(s.r.Rand)))
	seen = max(seen, 0)
	return soccer.Vec{X: seen * cos, Y: seen * sin}
}
