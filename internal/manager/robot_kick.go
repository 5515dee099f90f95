package manager

import (
	"errors"
	"fmt"
	"math"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/team"
)

// Figures of a kick check. Times are on the clock of the pictures.
const (
	runUp       = 0.35 // m, from the robot at its start to the ball
	ballFor     = 500 * time.Millisecond
	ballWithin  = 90 * time.Second // somebody puts the ball back
	fetchWithin = 8 * time.Second
	holdFor     = 600 * time.Millisecond // the ball, before the kick
	aimFor      = 3 * time.Second        // at most
	measureFor  = 12 * time.Second       // of a ball that rolls
	lostFor     = 1200 * time.Millisecond
	mostFetches = 3
	heldSamples = 10
	maxSamples  = 1000
)

// phase is what a kick check does.
type phase uint8

const (
	goToStart phase = iota
	waitForBall
	fetchBall
	aim
	measure
)

// kickCheck is a check of a kick: the robot stands behind a place, somebody puts the ball there, the robot fetches it,
// kicks, and measures the ball by its own camera.
type kickCheck struct {
	report  team.KickCheck
	tries   [team.MaxTries]team.KickTry
	times   [team.MaxTries]soccer.Time // when their commands left, on the node's clock
	kick    team.Kick
	place   soccer.Pose // of the ball, and the direction of the kicks: team frame
	phase   phase
	since   soccer.Time // when the phase began
	settled soccer.Time // since when what the phase waits for is so; 0: it is not
	fetches int         // in a row that failed
	ball    soccer.Vec  // newest sample, in the robot's frame
	seen    soccer.Time // of it
	kicked  soccer.Time // when the command left
	left    soccer.Time // the same on the node's clock
	command uint32
	samples []ballSample
}

// plan prepares a check.
func (k *kickCheck) plan(cfg *RobotConfig, number uint32, m *team.Request) error {
	if m.ID >= uint64(len(cfg.Kicks)) {
		return fmt.Errorf("the robot has no kick %d", m.ID)
	}
	kick := cfg.Kicks[m.ID]
	tries := float64(m.Value)
	switch {
	case len(m.Numbers) != 4:
		return errors.New("a kick check needs a speed, and the place's x, y and heading")
	case !(tries >= 1 && tries <= team.MaxTries && tries == math.Trunc(tries)):
		return fmt.Errorf("%v tries: want 1 to %d", tries, team.MaxTries)
	case !(m.Numbers[0] >= 0.5 && m.Numbers[0] <= kick.Speed):
		return fmt.Errorf("%.3g m/s: this kick has 0.5 to %.3g m/s", m.Numbers[0], kick.Speed)
	}
	kick.Speed = m.Numbers[0]
	place := soccer.Pose{X: float64(m.Numbers[1]), Y: float64(m.Numbers[2]), Theta: soccer.WrapAngle(float64(m.Numbers[3]))}
	if err := inside(&cfg.Field, place.XY(), "the ball"); err != nil {
		return err
	}
	if err := inside(&cfg.Field, stand(place).XY(), "the robot behind the ball"); err != nil {
		return err
	}
	*k = kickCheck{kick: kick, place: place, samples: k.samples[:0], report: team.KickCheck{
		Run: number, Kick: uint8(m.ID), Total: uint8(tries), Speed: kick.Speed,
		PlaceX: float32(place.X), PlaceY: float32(place.Y), PlaceTheta: float32(place.Theta),
	}}
	return nil
}

// stand returns where the robot stands before it fetches the ball.
func stand(place soccer.Pose) soccer.Pose {
	return place.Compose(soccer.Pose{X: -(contact + runUp)})
}

// enter begins a phase.
func (k *kickCheck) enter(p phase, now soccer.Time) { k.phase, k.since, k.settled = p, now, 0 }

// goOn goes on after a time in which the robot had to stand. Where that disturbed a try, it begins again, and goOn returns
// true; disturbs says that a ball that rolls was not measured.
func (k *kickCheck) goOn(now soccer.Time, disturbs bool) bool {
	switch {
	case k.phase == measure && !disturbs:
		return false
	case k.phase == goToStart || k.phase == waitForBall:
		k.enter(k.phase, now)
		return false
	}
	k.samples = k.samples[:0]
	k.enter(goToStart, now)
	return true
}

// holds reports whether a condition has held for a while.
func (k *kickCheck) holds(is bool, now soccer.Time, d time.Duration) bool {
	switch {
	case !is:
		k.settled = 0
	case k.settled == 0:
		k.settled = now
	}
	return k.settled != 0 && now.Sub(k.settled) >= d
}

// stepKick continues a kick check with a picture.
func (r *Robot) stepKick(b *Body) {
	c, k, self, now := &r.check, &r.check.kick, b.Sense.Self, b.Sense.Time
	if k.since == 0 {
		k.enter(goToStart, now)
	}
	k.look(b)
	if self.Known && leaves(&r.cfg.Field, self.Pose.XY()) {
		c.end(team.Aborted, "the robot would leave the field")
		return
	}
	n := len(k.report.Tries) + 1
	switch k.phase {
	case goToStart:
		c.state, c.note = team.Preparing, fmt.Sprintf("try %d: goes behind the ball's place", n)
		at := self.Known && there(self.Pose, stand(k.place))
		switch {
		case k.holds(at, now, standFor):
			k.enter(waitForBall, now)
		case now.Sub(k.since) > reachWithin:
			c.end(team.Aborted, "the robot did not reach its place: is the way free?")
		case self.Known && !at:
			r.drive(toward(self.Pose, stand(k.place)))
		}
	case waitForBall:
		c.state, c.note = team.Preparing, fmt.Sprintf("try %d: put the ball at x %.2f, y %.2f m", n, k.place.X, k.place.Y)
		r.awaitBall(now)
	case fetchBall:
		c.state, c.note = team.Executing, fmt.Sprintf("try %d: fetches the ball", n)
		r.fetch(b)
	case aim:
		c.state, c.note = team.Executing, fmt.Sprintf("try %d: aims", n)
		r.aim(b)
	case measure:
		c.state, c.note = team.Measuring, fmt.Sprintf("try %d: the ball rolls", n)
		r.measureKick(b)
	}
}

// look notes where the ball is: the sample that is nearest to the last one, or to the kicker.
func (k *kickCheck) look(b *Body) {
	now, best := b.Sense.Time, -1
	from, reach := soccer.Vec{X: contact}, 1.0
	rolls := k.phase == measure
	if rolls || now.Sub(k.seen) < lostFor {
		from = k.ball
		reach = 0.5 + float64(1.5*float64(k.kick.Speed)*now.Sub(max(k.seen, k.kicked)).Seconds())
	}
	for i := range b.Sense.Balls {
		p := b.Sense.Balls[i].Position.XY()
		if rolls && math.Abs(p.Angle()) > math.Pi/5 {
			continue // it does not come from the kicker
		}
		if d := p.Sub(from).Len(); d < reach {
			best, reach = i, d
		}
	}
	if best >= 0 {
		o := &b.Sense.Balls[best]
		k.ball, k.seen = o.Position.XY(), now
		s := ballSample{Time: now, Position: k.ball, Cov: o.Cov}
		if !rolls {
			k.samples = bounded.Append(k.samples, s, heldSamples)
		} else if len(k.samples) < maxSamples {
			k.samples = append(k.samples, s)
		}
	}
}

// awaitBall waits until the ball lies in front of the robot.
func (r *Robot) awaitBall(now soccer.Time) {
	c, k := &r.check, &r.check.kick
	const least, most, aside = 0.3, 1.1, 0.45 // m
	lies := now.Sub(k.seen) < lostFor && k.ball.X > least && k.ball.X < most && math.Abs(k.ball.Y) < aside
	switch {
	case k.holds(lies, now, ballFor):
		k.enter(fetchBall, now)
	case now.Sub(k.since) > ballWithin:
		c.end(team.Aborted, "nobody put the ball at its place")
	case !lies:
		c.state = team.AwaitingBall
	}
}

// fetch drives to the ball until the robot holds it.
func (r *Robot) fetch(b *Body) {
	c, k, now := &r.check, &r.check.kick, b.Sense.Time
	c.motor.Dribbler = 1
	switch {
	case k.holds(b.Sense.HasBall, now, holdFor/2):
		k.enter(aim, now)
	case b.Sense.HasBall:
	case now.Sub(k.seen) > lostFor || now.Sub(k.since) > fetchWithin:
		r.missBall(now)
	default:
		turn := 0.0
		if s := &b.Sense.Self; s.Known && s.HasHeading {
			turn = min(max(float64(1.5*soccer.WrapAngle(k.place.Theta-s.Pose.Theta)), -1), 1)
		}
		r.drive(soccer.Twist{
			X: min(max(float64(1.2*(k.ball.X-soccer.RobotRadius-soccer.BallRadius)), 0.12), 0.5),
			Y: min(max(float64(2*k.ball.Y), -0.4), 0.4), Theta: turn,
		})
		c.motor.Dribbler = 1
	}
}

// missBall tries again to fetch the ball, a few times.
func (r *Robot) missBall(now soccer.Time) {
	if r.check.kick.fetches++; r.check.kick.fetches >= mostFetches {
		r.check.end(team.Aborted, "the robot cannot hold the ball")
		return
	}
	r.check.kick.enter(goToStart, now)
}

// aim turns the robot that holds the ball into the direction of the kick, waits until it stands, and kicks.
func (r *Robot) aim(b *Body) {
	c, k, now, self := &r.check, &r.check.kick, b.Sense.Time, &b.Sense.Self
	const straight = 0.03 // rad
	off := 0.0
	if self.Known && self.HasHeading {
		off = soccer.WrapAngle(k.place.Theta - self.Pose.Theta)
	}
	c.motor.Dribbler = 1
	aimed := math.Abs(off) < straight || now.Sub(k.since) > aimFor
	switch {
	case !b.Sense.HasBall:
		r.missBall(now)
	case k.holds(aimed, now, holdFor):
		k.enter(measure, now)
		k.fetches, k.kicked, k.left = 0, b.Now, c.sensed
		r.control.number = max(firstKick, r.control.number+1)
		k.command = r.control.number
		r.kickBall()
	case !aimed:
		r.drive(soccer.Twist{Theta: min(max(float64(2*off), -0.8), 0.8)})
		c.motor.Dribbler = 1
	}
}

// kickBall sets the command to the kick.
func (r *Robot) kickBall() {
	m, k := &r.check.motor, &r.check.kick
	*m = soccer.Motor{Kick: k.command, KickSpeed: float64(k.kick.Speed), KickElevation: float64(k.kick.Elevation)}
}

// measureKick watches the ball until it lies still or is out of sight.
func (r *Robot) measureKick(b *Body) {
	c, k, now := &r.check, &r.check.kick, b.Sense.Time
	since := now.Sub(k.kicked)
	if since < kickFor {
		r.kickBall()
	}
	at, sigma, still := rest(rolling(k.samples, k.kicked))
	gone := since > lostFor && now.Sub(max(k.seen, k.kicked)) > lostFor
	if since < lostFor || !still && !gone && since < measureFor {
		return
	}
	try := launch(k.kicked, float64(k.kick.Speed), k.samples)
	if try.OK && still && !gone && r.liesInside(b, at) {
		try.Inside, try.DistanceSigma = true, float32(sigma)
		try.Distance = float32(at.Sub(soccer.Vec{X: contact}).Len())
	}
	n := len(k.report.Tries)
	k.tries[n], k.times[n] = try, k.left
	k.report.Tries = k.tries[:n+1]
	if c.report = 0; n+1 == int(k.report.Total) {
		c.end(team.Finished, "")
		return
	}
	k.samples = k.samples[:0]
	k.enter(goToStart, now)
}

// rolling returns the samples after the kick.
func rolling(list []ballSample, kicked soccer.Time) []ballSample {
	for i := range list {
		if list[i].Time > kicked {
			return list[i:]
		}
	}
	return nil
}

// liesInside reports whether a ball in the robot's frame lies inside the lines.
func (r *Robot) liesInside(b *Body, ball soccer.Vec) bool {
	s, f := &b.Sense.Self, &r.cfg.Field
	p := s.Pose.Compose(soccer.Pose{X: ball.X, Y: ball.Y})
	return s.Known && math.Abs(p.X) <= float64(0.5*f.Length) && math.Abs(p.Y) <= float64(0.5*f.Width)
}
