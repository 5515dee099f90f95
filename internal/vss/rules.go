package vss

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// robotReach is the distance in m from a robot's centre to its corners.
const robotReach = 0.0531

// RefereeConfig is the parameters of the rules. Values without a source are those of VSSReferee; overtime is from VSSS Rules.
type RefereeConfig struct {
	Field  soccer.Field // sizes in m
	Robots int          // robots a team, 1..5; other numbers are limited to that range

	Half       time.Duration // played time of each half; default 300 s
	Overtime   time.Duration // played time of each of the two parts after a draw, 0: none; default 0, the rules have 180 s
	Transition time.Duration // from a call to STOP, and from STOP to GAME_ON; default 4 s
	StuckTime  time.Duration // a slow ball is stuck after this time; default 5 s
	StuckSpeed float64       // m/s, a ball below it is slow; default 0.1
	HeldTime   time.Duration // a ball near one spot is stuck after this time; default 7 s, our choice: no ball rests for 15 s
	HeldWithin float64       // m, distance from that spot; default 0.1, our choice
	AreaTime   time.Duration // too many robots in an area with the ball are a foul after this time; default 3 s

	FirstKick    firasim.Color // team with the first kick-off; the other team has that of the second half; default Blue
	FreeBall     soccer.Vec    // free-ball mark of quadrant 1 in m; default (0.375, 0.4), in 5v5 (0.55, 0.6)
	FreeBallGap  float64       // m along x from the mark to the robot of each team; default 0.2, in 5v5 0.25
	GoalKick     soccer.Vec    // place of the ball in m, X from the goal line, Y from the middle; default (0.15, 0.3535), in 5v5 (0.15, 0)
	NearBall     float64       // m, distance of a robot at a ball that is stuck in an area; default 0.1125
	BigDefenders int           // too many defenders in the larger area of 5v5; default 5
	BigAttackers int           // too many attackers in the larger area of 5v5; default 4
}

// DefaultRefereeConfig returns the rules for a field and a number of robots a team; above 3 those of 5v5.
func DefaultRefereeConfig(field soccer.Field, robots int) RefereeConfig {
	c := RefereeConfig{
		Field: field, Robots: robots,
		Half: 300 * time.Second, Transition: 4 * time.Second,
		StuckTime: 5 * time.Second, StuckSpeed: 0.1,
		HeldTime: 7 * time.Second, HeldWithin: 0.1, AreaTime: 3 * time.Second,
		FreeBall: soccer.Vec{X: 0.375, Y: 0.4}, FreeBallGap: 0.2,
		GoalKick: soccer.Vec{X: 0.15, Y: 0.375 - soccer.VSSBallRadius},
		NearBall: 1.5 * soccer.VSSRobotEdge, BigDefenders: 5, BigAttackers: 4,
	}
	if robots > 3 {
		c.FreeBall, c.FreeBallGap, c.GoalKick = soccer.Vec{X: 0.55, Y: 0.6}, 0.25, soccer.Vec{X: 0.15}
	}
	return c
}

// spot returns the place of the ball for a call. For goal kicks it is on the side of the field where the ball was.
func (c *RefereeConfig) spot(foul firasim.Foul, team firasim.Color, quadrant int32, was soccer.Vec) soccer.Vec {
	half := float64(c.Field.Length * 0.5)
	var p soccer.Vec // in the frame of the team that kicks
	switch foul {
	case firasim.PenaltyKick:
		p.X = half - c.Field.PenaltySpot
	case firasim.GoalKick:
		p = soccer.Vec{X: c.GoalKick.X - half, Y: math.Copysign(c.GoalKick.Y, ownFrame(team, was).Y)}
	case firasim.FreeBall:
		p = c.FreeBall
		if quadrant == 2 || quadrant == 3 {
			p.X = -p.X
		}
		if quadrant > 2 {
			p.Y = -p.Y
		}
		return p
	}
	return ownFrame(team, p)
}

// ownFrame turns a point of the field frame into the frame of a team, whose own goal is at -x, and back. Blue defends
// -x in every part: the simulator always counts goals at +x for blue.
func ownFrame(team firasim.Color, p soccer.Vec) soccer.Vec {
	if team == firasim.Yellow {
		return p.Turned()
	}
	return p
}

// inBox reports whether p is in an area of that length and width at the goal at -x, or behind it.
func inBox(f *soccer.Field, p soccer.Vec, length, width float64) bool {
	return p.X < length-float64(f.Length*0.5) && math.Abs(p.Y) < float64(width*0.5)
}

// inArea reports whether p is in the goal area at -x.
func (c *RefereeConfig) inArea(p soccer.Vec) bool {
	length, width := c.Field.GoalArea()
	return inBox(&c.Field, p, length, width)
}

// inBig reports whether p is in the larger area at -x; 3v3 has only one area.
func (c *RefereeConfig) inBig(p soccer.Vec) bool {
	return inBox(&c.Field, p, c.Field.PenaltyAreaLength, c.Field.PenaltyAreaWidth)
}

// quadrantOf returns the quadrant of p: 1 for x and y above 0, then counter-clockwise.
func quadrantOf(p soccer.Vec) int32 {
	switch {
	case p.X >= 0 && p.Y >= 0:
		return 1
	case p.Y >= 0:
		return 2
	case p.X < 0:
		return 3
	}
	return 4
}

// inside reports whether a robot at p fits between the walls and those of the corners.
func (c *RefereeConfig) inside(p soccer.Pose) bool {
	sin, cos := exact.Sincos(p.Theta)
	reach := float64(soccer.VSSRobotEdge * 0.5 * (math.Abs(sin) + math.Abs(cos)))
	x, y := math.Abs(p.X), math.Abs(p.Y)
	length, width := float64(c.Field.Length*0.5), float64(c.Field.Width*0.5)
	return x <= length-reach && y <= width-reach && x+y <= length+width-c.Field.CornerCut-float64(robotReach*math.Sqrt2)
}

// Duties of robots when the teams are placed. The other robots have higher numbers.
const (
	keeps = iota
	kicks
)

// formation returns the referee's place for a robot, in the frame of its team. kicking reports whether that team kicks,
// spot is the place of the ball.
func (c *RefereeConfig) formation(foul firasim.Foul, kicking bool, spot soccer.Vec, duty int) soccer.Pose {
	length, width := float64(c.Field.Length*0.5), float64(c.Field.Width*0.5)
	if duty == keeps {
		if foul == firasim.GoalKick && kicking { // between the ball and the goal
			return soccer.Pose{X: soccer.VSSRobotEdge - length, Y: float64(spot.Y * 0.75)}
		}
		return soccer.Pose{X: soccer.VSSRobotEdge/2 + 0.005 - length}
	}
	if duty == kicks {
		switch {
		case foul == firasim.Kickoff && kicking:
			return soccer.Pose{X: -0.12}
		case foul == firasim.Kickoff:
			return soccer.Pose{X: -c.Field.CircleRadius - soccer.VSSRobotEdge}
		case foul == firasim.PenaltyKick && kicking:
			return soccer.Pose{X: spot.X - 2*soccer.VSSRobotEdge}
		case foul == firasim.FreeBall:
			return soccer.Pose{X: spot.X - c.FreeBallGap, Y: spot.Y}
		}
	}
	// The other robots, at distances from the centre line; where the side of the ball matters, on the far side.
	side := [maxPlayers]float64{0, 0.1, 0.45, -0.45, -0.1}[duty]
	back := [maxPlayers]float64{0, 0.25, 0.4, 0.4, 0.65}[duty]
	switch {
	case foul == firasim.PenaltyKick: // each column has a distance of its own from the centre line
		p := soccer.Pose{X: -0.1, Y: float64([maxPlayers]float64{0, 0.15, 0.5, -0.5, -0.15}[duty] * width)}
		if !kicking {
			p.X = 0.3
		}
		return p
	case foul == firasim.FreeBall:
		side = math.Copysign([maxPlayers]float64{0, 0, 0.3, 0.65, 0.35}[duty], -spot.Y)
	}
	return soccer.Pose{X: -float64(back * length), Y: float64(side * width)}
}

// allowed reports whether the rules allow a robot at pose, in the frame of its team.
func (c *RefereeConfig) allowed(foul firasim.Foul, kicking bool, spot soccer.Vec, duty int, pose soccer.Pose) bool {
	p := pose.XY()
	if !c.inside(pose) || p.Sub(spot).Len() < robotReach+soccer.VSSBallRadius {
		return false
	}
	const line = soccer.VSSRobotEdge / 2 // a robot this far from the centre line stands in one half
	switch {
	case foul == firasim.Kickoff:
		return p.X <= -line && (kicking && duty == kicks || p.Len() >= c.Field.CircleRadius+line)
	case foul == firasim.PenaltyKick && kicking && duty == kicks:
		return p.X < spot.X
	case foul == firasim.PenaltyKick && !kicking && duty == keeps: // on its line
		return p.X <= soccer.VSSRobotEdge-float64(c.Field.Length*0.5) && math.Abs(p.Y) <= float64(c.Field.GoalWidth*0.5)
	case foul == firasim.PenaltyKick && !kicking:
		return p.X >= line
	case foul == firasim.PenaltyKick:
		return p.X <= -line
	case foul == firasim.GoalKick && kicking:
		return duty == keeps || !c.inArea(p)
	case foul == firasim.GoalKick:
		return p.X <= -line
	case duty == kicks: // free ball: on its own side of the mark
		return p.X <= spot.X-c.FreeBallGap
	}
	return duty == keeps && c.inBig(p) || quadrantOf(p) != quadrantOf(spot)
}
