package sights

import (
	"errors"
	"math"

	"touchline/camera"
	"touchline/camera/calib"
	"touchline/camera/percept"
	"touchline/exact"
	"touchline/soccer"
)

// HeadPoses chooses where the head of a standing robot looks for a calibration.
type HeadPoses int

// The sets of head poses. All but Varied cannot determine a camera.
const (
	Varied  HeadPoses = iota
	PanOnly           // one tilt
	OnePose           // one pan and one tilt
	OneLine           // varied, but the robot sees no more than one straight line
)

// Calibration is one seeded run: a camera that is wrong by 5 degrees of tilt, 3 of roll and 10 % of focal length, joints
// with errors of 0.3 degrees, and a robot that is wrong by 8 cm and 1.1 degrees about where it stands.
type Calibration struct {
	Tilt, Roll  float64 // rad, errors of the result
	Focal       float64 // relative, its error
	Sigma       calib.Sigma
	RMS         float64 // px
	HoldOut     float64 // px, rms in pictures that were not used
	Refused     error   // ErrUndetermined: the set was refused
	Points      int
	Calibration calib.Result
}

// Good reports whether the result is within 0.3 degrees and 1 %.
func (c *Calibration) Good() bool {
	return c.Refused == nil && math.Abs(c.Tilt) <= 0.3*degree && math.Abs(c.Roll) <= 0.3*degree &&
		math.Abs(c.Focal) <= 0.01
}

// Calibrate takes pictures with a camera of a preset and calibrates it.
func Calibrate(p Preset, seed uint64, pictures int, poses HeadPoses) (Calibration, error) {
	c := NewCamera(p, percept.DefaultTable(), seed)
	wrong := p.Camera
	wrong.Mount.Tilt += c.either(5 * degree)
	wrong.Mount.Roll += c.either(3 * degree)
	wrong.Lens.Focal = float64(wrong.Lens.Focal * (1 + c.either(0.1)))
	cfg := p.Config
	cfg.Uncalibrated = true
	c.finder = percept.NewFinder(wrong, cfg, percept.DefaultTable())

	stands := c.place(poses)
	sin, cos := exact.Sincos(c.uniform(-math.Pi, math.Pi))
	believed := soccer.Pose{
		X: stands.X + float64(0.08*cos), Y: stands.Y + float64(0.08*sin), Theta: stands.Theta + c.either(1.1*degree),
	}
	problem := calib.NewProblem(wrong, p.Hall.Field, believed)
	for i := range pictures {
		problem.Samples = append(problem.Samples, c.sample(stands, i, pictures, poses))
	}
	var held []calib.Sample
	for i := range pictures / 2 {
		held = append(held, c.sample(stands, i, pictures/2, Varied))
	}
	result, err := calib.Calibrate(&problem)
	if err != nil && !errors.Is(err, calib.ErrUndetermined) {
		return Calibration{}, err
	}
	out := Calibration{
		Tilt: result.Camera.Mount.Tilt - p.Camera.Mount.Tilt, Roll: result.Camera.Mount.Roll - p.Camera.Mount.Roll,
		Focal: result.Camera.Lens.Focal/p.Camera.Lens.Focal - 1, Sigma: result.Sigma, RMS: result.RMS, Refused: err,
		Calibration: result,
	}
	for _, f := range result.Fits {
		out.Points += f.Used
	}
	if err == nil {
		out.HoldOut, _, err = calib.HoldOut(&result, p.Hall.Field, held)
	} else {
		err = nil
	}
	return out, err
}

// either returns v or -v.
func (c *Camera) either(v float64) float64 {
	if c.random.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// place returns where the robot stands: before a penalty area, facing the goal, as a person puts it down. For OneLine
// it stands before a touch line, away from all others.
func (c *Camera) place(poses HeadPoses) soccer.Pose {
	f := &c.preset.Hall.Field
	unit := f.LineWidth / 0.125 * 2 // m: smaller for a smaller field
	unit = min(max(unit, 0.9), 2)
	if poses == OneLine {
		return soccer.Pose{X: float64(f.Length * 0.25), Y: float64(f.Width*0.5) - unit, Theta: math.Pi/2 + c.uniform(-0.1, 0.1)}
	}
	x := float64(f.Length*0.5) - f.PenaltyAreaLength - float64(unit*c.uniform(0.3, 0.8))
	return soccer.Pose{X: x, Y: c.uniform(-0.4, 0.4) * unit, Theta: c.uniform(-0.2, 0.2)}
}

// sample takes picture i of n, with the head in the pose that the set has for it.
func (c *Camera) sample(stands soccer.Pose, i, n int, poses HeadPoses) calib.Sample {
	share := (float64(i) + 0.5) / float64(n)
	turn := math.Mod(float64(float64(i)*0.618), 1) // spreads the pans evenly for any n
	pan, tilt := c.uniform(-3*degree, 3*degree)+float64((turn-0.5)*100*degree), -(4*degree + float64(28*degree*share))
	switch poses {
	case PanOnly:
		tilt = -14 * degree
	case OnePose:
		pan, tilt = 0, -14*degree
	case OneLine:
		pan = float64(pan * 0.2)
	}
	params := camera.DefaultParams()
	params.Pan, params.Tilt = pan, tilt
	sway := camera.Sway{Pan: 0.3 * degree * exact.Normal(c.random), Tilt: 0.3 * degree * exact.Normal(c.random)}
	if i > 0 && (poses == PanOnly || poses == OnePose) { // a joint repeats its error
		sway.Tilt = c.scene.Sway.Tilt
		if poses == OnePose {
			sway.Pan = c.scene.Sway.Pan
		}
	}
	c.scene = camera.Scene{Time: c.scene.Time.Add(40e6), Self: stands, Light: 1, Sway: sway}
	c.renderer.Render(&c.scene, &params, &c.picture)
	view := percept.View{Pan: pan, Tilt: tilt}
	if err := c.finder.Find(&c.picture, &view, &c.percepts); err != nil {
		panic(err) // the renderer and the finder have one camera's size
	}
	return calib.Sample{Pan: pan, Tilt: tilt, Points: calib.Collect(&c.picture, c.percepts.Lines, nil)}
}
