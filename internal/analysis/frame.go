package analysis

import (
	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Frame is what a log holds of a match at one time. Positions are in the field frame, in m and rad.
type Frame struct {
	Time  soccer.Time // the match's own clock, which stands still in a pause
	At    soccer.Time // where the log has it
	State game.State
	Scene autoref.Scene // Holder, Touched and Kicked are meaningful if Told. The robots' velocities are not set
	Known bool          // the ball's place is known
	Told  bool          // a simulator told which robots handled the ball
	// Beliefs are the newest ones of the robots that have one, at most a second old, sorted like the scene's robots.
	Beliefs []Belief
}

// Belief is what a robot, or the base station of a team, believes.
type Belief struct {
	By   autoref.Player // number Station: the base station, in a worldstate
	At   soccer.Time
	Ball *soccer.Vec3 // nil: it knows none
	// Cov is the covariance of the ball's place in m^2, and Age the time in s since somebody saw it, as the robot believes;
	// nil: not told.
	Cov  *soccer.Cov
	Age  *float64
	Self *soccer.Pose // its own pose; nil: it does not know it
	// Named are the mates whose reports contradict those of the others, as the robot believes.
	Named []Named
}

// Station stands for the base station of a team in place of a jersey number.
const Station = 255

// Origin is where the frames of a log come from.
type Origin string

// Origins, the best first.
const (
	FromTruth       Origin = "ground truth"                    // of a simulator
	FromWorldstates Origin = "worldstates"                     // of the teams' base stations
	FromPackages    Origin = "beliefs of the robots' packages" // that a monitor fused
)
