package match

import (
	"time"

	"touchline/soccer"
)

// drag is how a user moves a robot. It measures this motion as its own velocity, as a robot that drives there would.
type drag struct {
	start soccer.Pose // of the measured piece
	since soccer.Time
	last  soccer.Time // of the newest move
	twist soccer.Twist
}

const (
	dragPiece = 50 * time.Millisecond  // least duration of a measured piece
	dragEnds  = 200 * time.Millisecond // without a move: then the robot stands
	dragSpeed = 5.0                    // m/s; a faster move is a jump of the mouse
)

// move measures a move from one pose to another.
func (d *drag) move(from, to soccer.Pose, now soccer.Time) {
	if now.Sub(d.last) > dragEnds {
		*d = drag{start: from, since: now}
	}
	d.last = now
	dt := now.Sub(d.since)
	if dt < dragPiece {
		return
	}
	s := dt.Seconds()
	d.twist = soccer.Twist{X: (to.X - d.start.X) / s, Y: (to.Y - d.start.Y) / s,
		Theta: soccer.WrapAngle(to.Theta-d.start.Theta) / s}
	if (soccer.Vec{X: d.twist.X, Y: d.twist.Y}).Len() > dragSpeed {
		d.twist = soccer.Twist{}
	}
	d.start, d.since = to, now
}

// at returns the velocity at a time.
func (d *drag) at(now soccer.Time) soccer.Twist {
	if now.Sub(d.last) > dragEnds {
		return soccer.Twist{}
	}
	return d.twist
}
