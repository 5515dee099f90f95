package match

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

const (
	fov           = 2 * math.Pi // field of view of the camera, rad
	picturePeriod = 50 * time.Millisecond
	step          = 25 * time.Millisecond // of motor commands
	localiseRobot = 2                     // id of the body
)

// drive lets a robot drive on the field for a time, and calls seen with each believed pose and the true one. Its way is
// a loop through the half of the field that it starts in.
func drive(t *testing.T, e *sim.Engine, l *localiser, d time.Duration, seen func(self soccer.Localisation, truth soccer.Pose)) {
	t.Helper()
	for end := e.Now().Add(d); e.Now() < end; {
		s := e.Now().Sub(soccer.Epoch).Seconds()
		motor := soccer.Motor{Twist: soccer.Twist{X: 1.5 * math.Sin(s), Y: 1.2 * math.Cos(0.7*s), Theta: 0.8 * math.Sin(0.3*s)}}
		for range picturePeriod / step {
			if err := e.Command(localiseRobot, &motor); err != nil {
				t.Fatal(err)
			}
			e.Step(step)
		}
		self := l.locate(e, fov)
		truth, ok := e.RobotPose(localiseRobot)
		if !ok {
			t.Fatal("the robot left the field")
		}
		seen(self, truth)
	}
}

// localiseOpen returns a field with a robot, and its self-localisation.
func localiseOpen(t *testing.T, seed uint64) (*sim.Engine, *localiser) {
	t.Helper()
	e := sim.New(sim.DefaultConfig())
	if err := e.AddRobot(localiseRobot, soccer.Pose{X: -3, Y: 1, Theta: 0.5}); err != nil {
		t.Fatal(err)
	}
	l, err := newLocaliser(e, soccer.MSL18x12(), seed, localiseRobot, e.Now())
	if err != nil {
		t.Fatal(err)
	}
	return e, l
}

// A robot that drives for a minute knows its pose to a few centimetres all the time, and how well it does: the lines
// correct what its wheels get wrong, which alone would be off by far more.
func TestDriftIsBounded(t *testing.T) {
	for seed := range uint64(3) {
		e, l := localiseOpen(t, seed+1)
		var errs, turns []float64
		honest, pictures := 0, 0
		start, _ := e.RobotPose(localiseRobot)
		var wheels float64
		drive(t, e, l, time.Minute, func(self soccer.Localisation, truth soccer.Pose) {
			if !self.Known || !self.HasHeading {
				t.Fatalf("seed %d: after %v the robot does not know its pose", seed, e.Now().Sub(soccer.Epoch))
			}
			d := self.Pose.XY().Sub(truth.XY())
			errs = append(errs, d.Len())
			turns = append(turns, math.Abs(soccer.WrapAngle(self.Pose.Theta-truth.Theta)))
			const chi2 = 9.21 // of two degrees of freedom, 99 %
			xx, xy, yy := self.Cov[0], self.Cov[1], self.Cov[3]
			if det := xx*yy - xy*xy; det > 0 && (d.X*d.X*yy-2*d.X*d.Y*xy+d.Y*d.Y*xx)/det <= chi2 {
				honest++
			}
			pictures++
			way := l.travel()
			sin, cos := math.Sincos(start.Theta)
			dead := soccer.Vec{X: start.X + cos*way.X - sin*way.Y, Y: start.Y + sin*way.X + cos*way.Y}
			wheels = max(wheels, dead.Sub(truth.XY()).Len())
		})
		slices.Sort(errs)
		slices.Sort(turns)
		n := len(errs)
		t.Logf("seed %d: error %.3f m (median), %.3f m (95 %%), %.3f m (worst); heading %.3f rad (95 %%); wheels alone %.2f m; honest %d of %d",
			seed, errs[n/2], errs[n*95/100], errs[n-1], turns[n*95/100], wheels, honest, pictures)
		if errs[n/2] > 0.03 || errs[n*95/100] > 0.12 || errs[n-1] > 0.4 || turns[n*95/100] > 0.03 {
			t.Errorf("seed %d: the errors are too great", seed)
		}
		if wheels < 2*errs[n-1] {
			t.Errorf("seed %d: the wheels alone are off by %.2f m only: the test shows no correction", seed, wheels)
		}
		if honest < pictures*9/10 {
			t.Errorf("seed %d: only %d of %d poses lie within their covariance", seed, honest, pictures)
		}
	}
}

// The same seed gives the same poses, bit by bit; another one, and a new one in the middle, others.
func TestLocaliseSameSeed(t *testing.T) {
	run := func(seed, later uint64) (poses []soccer.Pose) {
		e, l := localiseOpen(t, seed)
		note := func(self soccer.Localisation, _ soccer.Pose) { poses = append(poses, self.Pose) }
		drive(t, e, l, 2*time.Second, note)
		if later != 0 {
			if err := l.reseed(later); err != nil {
				t.Fatal(err)
			}
		}
		drive(t, e, l, 2*time.Second, note)
		return poses
	}
	first := run(7, 0)
	if !slices.Equal(first, run(7, 0)) {
		t.Error("the same seed gives other poses")
	}
	if slices.Equal(first, run(8, 0)) {
		t.Error("another seed gives the same poses")
	}
	forked, half := run(7, 9), len(first)/2
	if !slices.Equal(first[:half], forked[:half]) || slices.Equal(first[half:], forked[half:]) {
		t.Error("a new seed in the middle changes the past, or not the future")
	}
}

// A robot that somebody carries away finds its pose again; one that is taken off the field has none.
func TestCarried(t *testing.T) {
	e, l := localiseOpen(t, 3)
	ignore := func(soccer.Localisation, soccer.Pose) {}
	drive(t, e, l, 2*time.Second, ignore)
	if err := e.MoveRobot(localiseRobot, soccer.Pose{X: 5, Y: -3, Theta: 2}); err != nil {
		t.Fatal(err)
	}
	drive(t, e, l, 4*time.Second, ignore)
	drive(t, e, l, time.Second, func(self soccer.Localisation, truth soccer.Pose) {
		if d := self.Pose.XY().Sub(truth.XY()).Len(); !self.Known || d > 0.4 {
			t.Errorf("4 s after it was carried away, the pose is off by %.2f m (known: %v)", d, self.Known)
		}
	})
	e.RemoveRobot(localiseRobot)
	if self := l.locate(e, fov); self.Known {
		t.Errorf("off the field it believes to be at %v", self.Pose)
	}
	if _, err := newLocaliser(e, soccer.MSL18x12(), 1, localiseRobot, e.Now()); err == nil {
		t.Error("a robot that is not on the field is localised")
	}
}
