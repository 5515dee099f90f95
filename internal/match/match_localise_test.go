package match

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// localised is a session whose robots find their poses themselves, and the errors of the poses that they sense.
func localised(t *testing.T, seed uint64) (*Session, *[]float64) {
	t.Helper()
	cfg := quiet()
	cfg.Seed, cfg.Localise = seed, true
	s, err := Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	errs := new([]float64)
	s.Attach(Probe{Sensed: func(number uint8, p *soccer.Percepts) {
		if number == 1 {
			return // CAMBADA's laptop has no wheels
		}
		*errs = append(*errs, poseError(s, number, &p.Self))
	}})
	return s, errs
}

// poseError returns the distance of a pose from the true one; 100 m without a pose.
func poseError(s *Session, number uint8, self *soccer.Localisation) float64 {
	if !self.Known {
		return 100
	}
	for _, r := range s.Truth().Robots {
		if r.Number == number {
			return r.Pose.XY().Sub(self.Pose.XY()).Len()
		}
	}
	return math.Inf(1)
}

// Robots that stand know their poses far better than the drawn errors of 8 cm.
func TestRobotsLocaliseThemselves(t *testing.T) {
	var all []float64
	for seed := range uint64(3) {
		s, errs := localised(t, seed+1)
		advance(s, 10*time.Second)
		all = append(all, *errs...)
	}
	slices.Sort(all)
	if median, p95 := all[len(all)/2], all[len(all)*95/100]; len(all) < 1500 || median > 0.04 || p95 > 0.12 {
		t.Errorf("%d pictures: pose errors %.3f m in the median, %.3f m at most in 95 %%: want 0.04 m and 0.12 m", len(all),
			median, p95)
	}
}

// A robot that drives keeps its pose, and one that somebody carries finds it again.
func TestDrivenAndCarried(t *testing.T) {
	s, errs := localised(t, 2)
	var m team.Motor
	for i := range 100 {
		m.Sequence = uint32(i)
		m.SetTwist(soccer.Twist{X: 1.5 * math.Sin(0.1*float64(i)), Y: 0.5, Theta: 1})
		s.Drive(2, &m)
		advance(s, 50*time.Millisecond)
	}
	slices.Sort(*errs)
	if p95 := (*errs)[len(*errs)*95/100]; p95 > 0.25 { // pictures are judged 60 ms late
		t.Errorf("while a robot drives, the pose errors are up to %.2f m", p95)
	}
	if err := s.MoveRobot(2, soccer.Pose{X: 5.5, Y: -3.5, Theta: 2}); err != nil {
		if err = s.MoveRobot(2, soccer.Pose{X: -5.5, Y: 3.5, Theta: 2}); err != nil {
			t.Fatal(err)
		}
	}
	advance(s, 3*time.Second)
	*errs = (*errs)[:0]
	advance(s, time.Second)
	slices.Sort(*errs)
	if worst := (*errs)[len(*errs)-1]; worst > 0.3 {
		t.Errorf("3 s after a robot was carried away a pose is off by %.2f m", worst)
	}
}
