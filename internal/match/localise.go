package match

import (
	"fmt"
	"math/rand/v2"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	"touchline/world/selfloc"
)

// compassSigma is the error of a robot's compass in rad, beside motors and goals of metal.
const compassSigma = 0.3

// carried is the speed in m/s above which somebody carried the robot: its wheels did not turn.
const carried = 5.0

// localiser is the self-localisation of a robot with its sensors: wheels that slip, a camera that sees field lines, and
// a compass, which tells one half of the field from the other. Poses are in the field frame. It is not safe for
// concurrent use.
type localiser struct {
	id      uint8
	wheels  *sim.Odometer
	eyes    *sim.LineScanner
	compass *rand.Rand
	locator *selfloc.Locator
	pose    soccer.Pose // true one in the newest picture
	at      soccer.Time // of that
	points  []soccer.Vec
}

// newLocaliser returns the self-localisation of a robot that stands on the field and is told its pose, at now. The error is that
// of a robot that is not on the field.
func newLocaliser(e *sim.Engine, field soccer.Field, seed uint64, id uint8, now soccer.Time) (*localiser, error) {
	pose, ok := e.RobotPose(id)
	if !ok {
		return nil, fmt.Errorf("localise: robot %d is not on the field", id)
	}
	l := &localiser{id: id, locator: selfloc.New(selfloc.DefaultConfig(field)), pose: pose, at: now}
	var err error
	if l.wheels, err = sim.NewOdometer(sim.DefaultSlip(), seed, id); err != nil {
		return nil, fmt.Errorf("localise: %w", err)
	}
	if err := l.reseed(seed); err != nil {
		return nil, err
	}
	const sigma, sigmaTurn = 0.1, 0.05
	l.locator.Place(now, soccer.Pose{
		X: pose.X + float64(sigma*exact.Normal(l.compass)), Y: pose.Y + float64(sigma*exact.Normal(l.compass)),
		Theta: pose.Theta + float64(sigmaTurn*exact.Normal(l.compass)),
	}, sigma, sigmaTurn)
	return l, nil
}

// reseed draws the errors of compass and camera from now on from another seed. Those of the wheels are the robot's own.
func (l *localiser) reseed(seed uint64) (err error) {
	l.compass = rand.New(rand.NewPCG(seed, 0xc0a55<<8|uint64(l.id)))
	if l.eyes, err = sim.NewLineScanner(sim.DefaultLineCamera(), seed, l.id); err != nil {
		return fmt.Errorf("localise: %w", err)
	}
	return nil
}

// travel returns the way that the wheels measured.
func (l *localiser) travel() soccer.Pose { return l.wheels.Travel() }

// locate returns the pose that the robot believes in a picture of the field now. fov is the camera's field of view in rad.
func (l *localiser) locate(e *sim.Engine, fov float64) soccer.Localisation {
	pose, ok := e.RobotPose(l.id)
	if !ok {
		return soccer.Localisation{}
	}
	now := e.Now()
	if dt := now.Sub(l.at); pose.XY().Sub(l.pose.XY()).Len() <= float64(carried*dt.Seconds()) {
		l.wheels.Drive(l.pose, pose, dt)
	}
	l.pose, l.at = pose, now
	l.locator.Odometry(now, l.wheels.Travel())
	if points, err := l.eyes.Scan(e, fov, l.points[:0]); err == nil {
		l.points = points
		l.locator.Lines(now, points)
	}
	l.locator.Compass(now, pose.Theta+float64(compassSigma*exact.Normal(l.compass)), compassSigma)
	return l.locator.Estimate(now).Self
}
