// Package show is what pages and recordings show of a match of five against five: the topics match, wall, teamcom,
// booking and behaviour. It is a pure core: it listens to the datagrams of a match and asks the match for the truth, and
// the same match gives the same topics.

package match

import (
	"touchline/internal/watch"
	"touchline/soccer"
)

// ShowView is the topic "match". Its JSON is stable. Positions are in m in the frame of the page, in which the first-named
// team always attacks +x; times are in s since the match began.
type ShowView struct {
	Time     float64      `json:"time"`
	Seed     string       `json:"seed"`
	Controls bool         `json:"controls"` // the page may send commands
	Paused   bool         `json:"paused"`
	Speed    float64      `json:"speed"` // of the match's time; 1 is real time, 0 as fast as possible
	Loops    *Loops       `json:"loops"` // of a match in real time, which cannot be held; nil: it is in virtual time
	Loss     float64      `json:"loss"`  // share of the datagrams to each receiver, 0..1
	Delay    float64      `json:"delay"` // ms
	Field    soccer.Field `json:"field"`
	Part     string       `json:"part"`    // "first half"
	Clock    float64      `json:"clock"`   // s since the part began
	Running  bool         `json:"running"` // the ball is in play
	Phase    string       `json:"phase"`   // what goes on: "play on", "corner touchline", "goal for touchline"
	Over     bool         `json:"over"`
	Ball     watch.Thing  `json:"ball"`
	Home     ShowTeam     `json:"home"`
	Away     ShowTeam     `json:"away"`
	Robots   []Robot      `json:"robots"` // home 1.., away 1..
	// Possession is who had the ball in each of equal parts of the time from 0 to Length: h, a, or - for neither.
	Possession string  `json:"possession"`
	Length     float64 `json:"length"` // s
	Goals      []Goal  `json:"goals"`
}

// Loops are how well the robots of a match in real time keep their control periods, and what the match costs.
type Loops struct {
	Robots int     `json:"robots"` // that were measured; those of other programs are not
	P99    float64 `json:"p99"`    // ms by which 99 of 100 periods deviate at most, of the robot with the greatest value
	CPU    float64 `json:"cpu"`    // share of one core that the program used lately, with its robots in other processes
}

// ShowTeam is one team.
type ShowTeam struct {
	Name  string        `json:"name"`
	Color soccer.Color  `json:"color"`
	Group uint8         `json:"group"` // number of the team in its datagrams
	Apart watch.Jerseys `json:"apart"` // robots that are cut off from the others
	Ball  *watch.Thing  `json:"ball"`  // as the robot of the team believes that knows it best; nil: none knows it
	Tally TallyTeam     `json:"tally"`
}

// Robot is one robot.
type Robot struct {
	Color     soccer.Color `json:"color"`
	Number    uint8        `json:"number"`
	On        bool         `json:"on"`      // on the field
	Running   bool         `json:"running"` // its software runs
	Penalised bool         `json:"penalised"`
	Pose      soccer.Pose  `json:"pose"`
	Target    *soccer.Vec  `json:"target"` // where it wants to go; nil: nowhere
	State     string       `json:"state"`  // innermost active state; "" if its records do not tell
	Booker    bool         `json:"booker"` // it believes that itself has booked the ball
	Ball      bool         `json:"ball"`   // it has the ball
}

// Goal is one goal.
type Goal struct {
	At   float64 `json:"at"`
	Home bool    `json:"home"` // whose goal it is
}
