package world

import "touchline/soccer"

// BallRun is a run of sights of the ball by one robot without a gap or a jump: one ball, right or wrong.
type BallRun struct {
	Since    soccer.Time // of the first sight
	At       soccer.Time // of the newest one
	Place    soccer.Vec
	SeenBy   soccer.RobotSet // those that saw this ball, too, before anybody contradicted it; by peer.reporter of world
	Common   soccer.Time     // when these and the robot were more than half of the team; 0: they are not
	Disputed float64         // s, for which others contradicted it
	Jumped   bool            // it began with a jump, not after a gap
}

// Credited reports whether it counts that others see this ball, too.
func (r *BallRun) Credited() bool {
	const undisputed, long = 0.2, 0.5 // s
	return r.Disputed < undisputed && pictureSeconds(r.At, r.Since) > long
}

// Extend adds a sight to the run, or begins another one.
func (r *BallRun) Extend(at soccer.Time, place soccer.Vec) {
	const gap, noise, speed = 0.4, 1.0, 5.0 // s, m, m/s
	dt := pictureSeconds(at, r.At)
	if dt > gap || !pictureNear(place.Sub(r.Place), noise+float64(speed*dt)) {
		*r = BallRun{Since: at, Jumped: dt <= gap}
	}
	r.At, r.Place = at, place
}
