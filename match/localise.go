package match

import (
	"fmt"
	"math/rand/v2"

	"touchline/exact"
	"touchline/sim"
	"touchline/sim/omni"
	"touchline/soccer"
	"touchline/world/selfloc"
)

// compassSigma is the error of a robot's compass in rad, beside motors and goals of metal.
const compassSigma = 0.3

// localiser is the self-localisation of a robot with its sensors: wheels that slip, a camera that sees field lines, and
// a compass, which tells one half of the field from the other.
type localiser struct {
	wheels  *omni.Odometer
	eyes    *sim.LineScanner
	compass *rand.Rand
	locator *selfloc.Locator
	pose    soccer.Pose // true one in the newest picture
	at      soccer.Time // of that
	points  []soccer.Vec
}

// newLocaliser returns the self-localisation of a participant that stands on the field and is told its pose.
func (s *Session) newLocaliser(m *Participant) (*localiser, error) {
	pose, ok := s.engine.RobotPose(m.Number)
	if !ok {
		return nil, errNotOnField(m.Number)
	}
	l := &localiser{
		compass: rand.New(rand.NewPCG(s.cfg.Seed, 0xc0a55<<8|uint64(m.Number))),
		locator: selfloc.New(selfloc.DefaultConfig(s.cfg.Field)), pose: pose, at: s.now,
	}
	var err error
	if l.wheels, err = omni.NewOdometer(omni.DefaultSlip(), s.cfg.Seed, m.Number); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	if l.eyes, err = sim.NewLineScanner(sim.DefaultLineCamera(), s.cfg.Seed, m.Number); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	const sigma, sigmaTurn = 0.1, 0.05
	l.locator.Place(s.now, soccer.Pose{
		X: pose.X + float64(sigma*exact.Normal(l.compass)), Y: pose.Y + float64(sigma*exact.Normal(l.compass)),
		Theta: pose.Theta + float64(sigmaTurn*exact.Normal(l.compass)),
	}, sigma, sigmaTurn)
	return l, nil
}

// locate returns the pose that a robot believes in a picture of the field now.
func (l *localiser) locate(e *sim.Engine, m *Participant) soccer.Localisation {
	pose, ok := e.RobotPose(m.Number)
	if !ok {
		return soccer.Localisation{}
	}
	now := e.Now()
	if dt := now.Sub(l.at); pose.XY().Sub(l.pose.XY()).Len() <= float64(dragSpeed*dt.Seconds()) {
		l.wheels.Drive(l.pose, pose, dt)
	} // else somebody carried it
	l.pose, l.at = pose, now
	l.locator.Odometry(now, l.wheels.Travel())
	if points, err := l.eyes.Scan(e, m.Camera.FOV, l.points[:0]); err == nil {
		l.points = points
		l.locator.Lines(now, points)
	}
	l.locator.Compass(now, pose.Theta+float64(compassSigma*exact.Normal(l.compass)), compassSigma)
	return l.locator.Estimate(now).Self
}
