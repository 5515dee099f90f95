// Package autoref is the automatic referee of a Middle Size League match: it sees the true field and the state of the
// game, and makes the decisions that a person at the referee box would make, from the first kick-off to the end. It
// also notes which robot broke which rule.
//
// A Referee orders STOP, waits for a moment, chooses the set piece and says where the ball must lie, lets the robots
// take their places, and orders START. It follows the State that it is given and never contradicts a person: a stop or a
// set piece of somebody else is theirs, and the referee goes on after their START.
//
// The figures are those of simatch, the league's simulator with an automatic referee, where MSL Rules 2026 as quoted
// in public give none.
package autoref

import (
	"math"

	"touchline/game"
	"touchline/soccer"
)

// Player names a robot by its team and its jersey number. Side Both stands for no robot.
type Player struct {
	Side   game.Side `json:"side"`
	Number uint8     `json:"number"`
}

// Robot is the truth about one robot, in the field frame.
type Robot struct {
	Player
	Pose     soccer.Pose
	Velocity soccer.Vec // m/s
	On       bool       // it is on the field and running; false: crashed, switched off or taken out
	There    bool       // it stands on the field, running or not; the figures need it, the referee does not
	// StopHeard is when the robot received the newest STOP; 0: it has not yet, or nobody knows. Such a robot is not judged
	// for moving after a STOP.
	StopHeard soccer.Time
}

// Scene is the truth about the field at one time, in the field frame.
type Scene struct {
	Ball      soccer.Vec3 // m, its centre
	Velocity  soccer.Vec3 // m/s
	Robots    []Robot     // robots in the same order at every step; those after the first MaxRobots are ignored
	Holder    Player      // the robot that holds or dribbles the ball
	Touched   Player      // the robot that touched the ball last
	TouchedAt soccer.Time // time of that touch, the newest one while it lasts
	Kicked    Player      // the robot that kicked last
	KickedAt  soccer.Time
	// The ball right after that kick: its centre, and its velocity in m/s.
	KickBall     soccer.Vec3
	KickVelocity soccer.Vec3
}

// MaxRobots is the number of robots of both teams that a Referee looks at.
const MaxRobots = 16

// Placement says where the ball must lie for a set piece.
type Placement struct {
	At  soccer.Vec    `json:"at"` // field frame
	For game.SetPiece `json:"for"`
	Why string        `json:"why"` // reason in words, such as "the ball left the field over the touch line"
}

// sane reports whether a coordinate is a number within a kilometre.
func sane(v float64) bool { return math.Abs(v) <= 1000 }

// usable reports whether the referee may judge a robot.
func (r *Robot) usable() bool {
	return r.On && r.Side != game.Both && sane(r.Pose.X) && sane(r.Pose.Y) && sane(r.Velocity.X) && sane(r.Velocity.Y)
}

func (r *Robot) speed() float64 { return r.Velocity.Len() }
