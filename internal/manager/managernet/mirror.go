package managernet

import (
	"fmt"
	"math"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
)

// A robot whose camera looks into a mirror has no head to turn: its operator drives it to the places of the pictures.
const (
	drivePatience = time.Minute // for the next place
	apart         = 0.4         // m between two places, or
	turned        = 25 * degree // between two headings
	unrest        = 0.03        // m by which a robot that stands may believe to move
	unrestTurn    = 1.5 * degree
)

// down reports whether the camera looks into a mirror.
func (p *calibrationPose) down() bool { return p.problem.Camera.Mount.Down }

// patience is the longest time between two pictures.
func (p *calibrationPose) patience() time.Duration {
	if p.down() {
		return drivePatience
	}
	return patience
}

// late says what did not come in time.
func (p *calibrationPose) late() string {
	if p.down() {
		return fmt.Sprintf("the robot did not stand in another place, with a whole picture, within %v", drivePatience)
	}
	return fmt.Sprintf("the head, or a whole picture, did not come within %v", patience)
}

// back returns the values that turn the head to where it was at the start.
func (p *calibrationPose) back() []manager.Value {
	if p.down() {
		return nil
	}
	return look(p.home)
}

// stands reports whether the robot stands in a place that no sample has.
func (p *calibrationPose) stands(now soccer.Time, self func() (soccer.Pose, bool)) bool {
	at, ok := self()
	if !ok {
		p.arrived = 0
		return false
	}
	if p.arrived == 0 || !near(at, p.place, unrest, unrestTurn) {
		p.place, p.arrived = at, now
		return false
	}
	for i := range p.problem.Samples {
		if near(at, *p.problem.Samples[i].Self, apart, turned) {
			return false
		}
	}
	return true
}

// near reports whether two poses differ by less than a distance and an angle.
func near(a, b soccer.Pose, distance, angle float64) bool {
	return a.XY().Sub(b.XY()).Len() < distance && math.Abs(soccer.WrapAngle(a.Theta-b.Theta)) < angle
}
