package lab

import (
	"errors"
	"math"

	"touchline/internal/camera"
	"touchline/internal/exact"
	"touchline/soccer"
)

// HeadPoses chooses where the head of a standing robot looks for a calibration, or where a robot with a mirror stands.
type HeadPoses int

// The sets of head poses. All but Varied cannot determine a camera on a head.
const (
	varied  HeadPoses = iota
	panOnly           // one tilt; with a mirror one place, with other headings
	onePose           // one pan and one tilt; with a mirror one place and one heading
	oneLine           // varied, but the robot sees no more than one straight line
)

// calibration is one seeded run: a camera that is wrong by 5 degrees of tilt, 3 of roll and 10 % of focal length, joints
// with errors of 0.3 degrees, and a robot that is wrong by 8 cm and 1.1 degrees about where it stands. A mirror is wrong by
// 3 and 2 degrees, 5 % and 2 cm of height, and the robot's body sways by 0.1 degrees wherever it stands.
type calibration struct {
	Tilt, Roll  float64 // rad, errors of the result
	Focal       float64 // relative, its error
	Sigma       camera.Sigma
	RMS         float64 // px
	HoldOut     float64 // px, rms in pictures that were not used
	Refused     error   // ErrUndetermined: the set was refused
	Points      int
	Calibration camera.Result
}

// good reports whether the result is within 0.3 degrees and 1 %.
func (c *calibration) good() bool {
	return c.Refused == nil && math.Abs(c.Tilt) <= 0.3*degree && math.Abs(c.Roll) <= 0.3*degree &&
		math.Abs(c.Focal) <= 0.01
}

// calibrate takes pictures with a camera of a preset and calibrates it.
func calibrate(p preset, seed uint64, pictures int, poses HeadPoses) (calibration, error) {
	mirror := p.Camera.Mount.Down
	if mirror && poses == oneLine { // all other lines are far away
		wide := p.Hall.Field
		wide.Length, wide.Width = 60, 40
		p.Hall = camera.MSLVenue(wide, seed)
	}
	c := newCamera(p, camera.DefaultTable(), seed)
	wrong := p.Camera
	off := [3]float64{5 * degree, 3 * degree, 0.1}
	if mirror {
		off = [3]float64{3 * degree, 2 * degree, 0.05}
		wrong.Mount.Height += c.either(0.02)
	}
	wrong.Mount.Tilt += c.either(off[0])
	wrong.Mount.Roll += c.either(off[1])
	wrong.Lens.Focal = float64(wrong.Lens.Focal * (1 + c.either(off[2])))
	cfg := p.Config
	cfg.Uncalibrated = true
	c.finder = camera.NewFinder(wrong, cfg, camera.DefaultTable())

	stands := c.place(poses)
	problem := camera.NewProblem(wrong, p.Hall.Field, c.mistaken(stands))
	take := func(i, n int, poses HeadPoses) camera.Sample {
		if mirror {
			return c.inMirror(i, poses)
		}
		return c.sample(stands, i, n, poses)
	}
	for i := range pictures {
		problem.Samples = append(problem.Samples, take(i, pictures, poses))
	}
	var held []camera.Sample
	for i := range pictures / 2 {
		held = append(held, take(i, pictures/2, varied))
	}
	result, err := camera.Calibrate(&problem)
	if err != nil && !errors.Is(err, camera.ErrUndetermined) {
		return calibration{}, err
	}
	out := calibration{
		Tilt: result.Camera.Mount.Tilt - p.Camera.Mount.Tilt, Roll: result.Camera.Mount.Roll - p.Camera.Mount.Roll,
		Focal: result.Camera.Lens.Focal/p.Camera.Lens.Focal - 1, Sigma: result.Sigma, RMS: result.RMS, Refused: err,
		Calibration: result,
	}
	for _, f := range result.Fits {
		out.Points += f.Used
	}
	if err == nil {
		out.HoldOut, _, err = camera.HoldOut(&result, p.Hall.Field, held)
	} else {
		err = nil
	}
	return out, err
}

// mistaken returns where a robot believes to stand that is wrong by 8 cm and 1.1 degrees.
func (c *Camera) mistaken(at soccer.Pose) soccer.Pose {
	sin, cos := exact.Sincos(c.uniform(-math.Pi, math.Pi))
	return soccer.Pose{X: at.X + float64(0.08*cos), Y: at.Y + float64(0.08*sin), Theta: at.Theta + c.either(1.1*degree)}
}

// inMirror takes picture i of a robot that looks into a mirror, in a place of the set.
func (c *Camera) inMirror(i int, poses HeadPoses) camera.Sample {
	f, at, sway := &c.preset.Hall.Field, c.scene.Self, c.scene.Sway
	if i == 0 || poses == varied {
		at = soccer.Pose{X: float64(f.Length * c.uniform(-0.45, 0.45)), Y: float64(f.Width * c.uniform(-0.45, 0.45))}
	}
	if poses == oneLine {
		at = soccer.Pose{X: c.uniform(14, 16), Y: float64(f.Width*0.5) - c.uniform(0.8, 2)}
	}
	if i == 0 || poses != onePose {
		at.Theta = c.uniform(-math.Pi, math.Pi)
		sway = camera.Sway{Tilt: 0.1 * degree * exact.Normal(c.random), Roll: 0.1 * degree * exact.Normal(c.random)}
	}
	self := c.mistaken(at)
	c.scene = camera.Scene{Time: c.scene.Time.Add(40e6), Self: at, Light: 1, Sway: sway}
	s := c.shoot(camera.DefaultParams())
	s.Self = &self
	return s
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
	if poses == oneLine {
		return soccer.Pose{X: float64(f.Length * 0.25), Y: float64(f.Width*0.5) - unit, Theta: math.Pi/2 + c.uniform(-0.1, 0.1)}
	}
	x := float64(f.Length*0.5) - f.PenaltyAreaLength - float64(unit*c.uniform(0.3, 0.8))
	return soccer.Pose{X: x, Y: c.uniform(-0.4, 0.4) * unit, Theta: c.uniform(-0.2, 0.2)}
}

// sample takes picture i of n, with the head in the pose that the set has for it.
func (c *Camera) sample(stands soccer.Pose, i, n int, poses HeadPoses) camera.Sample {
	share := (float64(i) + 0.5) / float64(n)
	turn := math.Mod(float64(float64(i)*0.618), 1) // spreads the pans evenly for any n
	pan, tilt := c.uniform(-3*degree, 3*degree)+float64((turn-0.5)*100*degree), -(4*degree + float64(28*degree*share))
	switch poses {
	case panOnly:
		tilt = -14 * degree
	case onePose:
		pan, tilt = 0, -14*degree
	case oneLine:
		pan = float64(pan * 0.2)
	}
	params := camera.DefaultParams()
	params.Pan, params.Tilt = pan, tilt
	sway := camera.Sway{Pan: 0.3 * degree * exact.Normal(c.random), Tilt: 0.3 * degree * exact.Normal(c.random)}
	if i > 0 && (poses == panOnly || poses == onePose) { // a joint repeats its error
		sway.Tilt = c.scene.Sway.Tilt
		if poses == onePose {
			sway.Pan = c.scene.Sway.Pan
		}
	}
	c.scene = camera.Scene{Time: c.scene.Time.Add(40e6), Self: stands, Light: 1, Sway: sway}
	return c.shoot(params)
}

// shoot takes a picture of the scene.
func (c *Camera) shoot(params camera.Params) camera.Sample {
	c.renderer.Render(&c.scene, &params, &c.picture)
	view := camera.View{Pan: params.Pan, Tilt: params.Tilt}
	if err := c.finder.Find(&c.picture, &view, &c.percepts); err != nil {
		panic(err) // the renderer and the finder have one camera's size
	}
	return camera.Sample{Pan: params.Pan, Tilt: params.Tilt, Points: camera.Collect(&c.picture, c.percepts.Lines, nil)}
}
