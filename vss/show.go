package vss

import (
	"strconv"
	"time"

	"touchline/sim"
	"touchline/soccer"
	"touchline/wire"
)

// Show is topic "vss" of the page: one moment of the field, and how the network fares.
type Show struct {
	Field    soccer.Field `json:"field"`
	Robots   int          `json:"robots"` // a team: 3 or 5
	Physics  string       `json:"physics"`
	Seed     string       `json:"seed"`
	Time     float64      `json:"time"` // s of simulated time
	Paused   bool         `json:"paused"`
	Speed    float64      `json:"speed"`    // wanted, 1 is real time; 0 is as fast as it goes
	Rate     float64      `json:"rate"`     // measured over the last second
	Lockstep bool         `json:"lockstep"` // ticks wait for the teams' commands
	Waiting  []string     `json:"waiting"`  // for which teams, in lockstep

	Ball        ShowBall     `json:"ball"`
	Blue        []ShowRobot  `json:"blue"` // all, also those that are off, by id
	Yellow      []ShowRobot  `json:"yellow"`
	GoalsBlue   uint32       `json:"goalsBlue"`
	GoalsYellow uint32       `json:"goalsYellow"`
	Referee     *ShowReferee `json:"referee"` // null: there is none

	Vision   []string     `json:"vision"`   // where vision goes
	Commands string       `json:"commands"` // where commands are heard
	In       float64      `json:"in"`       // packets a second heard
	Out      float64      `json:"out"`      // packets a second sent, all addresses together
	Clients  []ShowClient `json:"clients"`  // heard within the last 10 s, by address
	Refused  []ShowCount  `json:"refused"`  // what was not obeyed and why, in the order of first times
	Marks    []ShowMark   `json:"marks"`    // the last 64 things that happened, oldest first
	Trouble  string       `json:"trouble"`  // what is wrong and what mends it; "" if nothing
}

// ShowBall is the ball in the field frame.
type ShowBall struct {
	Position soccer.Vec3 `json:"position"`
	Velocity soccer.Vec3 `json:"velocity"`
}

// ShowRobot is one robot in the field frame.
type ShowRobot struct {
	ID     uint8         `json:"id"`
	On     bool          `json:"on"`
	Pose   soccer.Pose   `json:"pose"`
	Twist  soccer.Twist  `json:"twist"`
	Wheels soccer.Wheels `json:"wheels"` // last command, rad/s
	Age    *float64      `json:"age"`    // s since that command came, in simulated time; null: none yet
	From   string        `json:"from"`   // who sent it: an address, "builtin", or ""
}

// ShowReferee is what the referee last said.
type ShowReferee struct {
	Source string  `json:"source"` // "builtin", or the address of the one that is heard
	Foul   string  `json:"foul"`   // "GAME_ON", "KICKOFF", ... as VSSReferee names them
	Team   string  `json:"team"`   // "blue", "yellow", ""
	Half   string  `json:"half"`   // "first half", ...
	Clock  float64 `json:"clock"`  // s of the part that are over; only the built-in referee knows
	Left   float64 `json:"left"`   // s of the part that are left
}

// ShowClient is somebody who sends commands.
type ShowClient struct {
	Address string  `json:"address"`
	Rate    float64 `json:"rate"` // packets a second
	Blue    []int   `json:"blue"` // ids that it drives
	Yellow  []int   `json:"yellow"`
}

// ShowPacket is topic "vss/packet/ADDRESS" of the page: the last packet of a client, field by field.
type ShowPacket struct {
	Address string       `json:"address"`
	Time    float64      `json:"time"` // s of simulated time when it was received
	Len     int          `json:"len"`  // bytes
	Hex     string       `json:"hex"`  // of the first 2 KiB
	Fields  []wire.Field `json:"fields"`
	Issues  []wire.Issue `json:"issues"`
}

// ShowCount counts one kind of what was not obeyed.
type ShowCount struct {
	Reason string `json:"reason"`
	Count  uint64 `json:"count"`
	Last   string `json:"last"` // the last of them, in words
}

// ShowMark is something that happened: a goal, a referee's command, a placement refused.
type ShowMark struct {
	Time float64 `json:"time"` // s of simulated time
	Kind string  `json:"kind"` // "goal", "referee", "refused", "reset", ...
	Text string  `json:"text"`
}

// Show returns the field's part of what the page shows; the lists that the network fills are empty.
func (s *Session) Show() *Show {
	v := &Show{
		Field: s.field, Robots: s.cfg.Robots, Physics: s.cfg.Physics, Seed: strconv.FormatUint(s.cfg.Seed, 10),
		Time: s.Now().Seconds(), Waiting: []string{}, GoalsBlue: s.goals[0], GoalsYellow: s.goals[1],
		Blue: s.showTeam(0), Yellow: s.showTeam(1), Clients: []ShowClient{}, Refused: s.Refused(),
		Marks: append([]ShowMark{}, s.marks...),
	}
	v.Ball.Position, v.Ball.Velocity = s.engine.Ball()
	return v
}

func (s *Session) showTeam(team int) []ShowRobot {
	all := make([]ShowRobot, s.cfg.Robots)
	for id := range all {
		r := &s.robots[id+team*s.cfg.Robots]
		v := &all[id]
		v.ID, v.On, v.Pose = uint8(id), r.on, r.pose
		if pose, twist, there := s.engine.Robot(uint8(id + team*s.cfg.Robots)); there {
			v.Pose, v.Twist = pose, twist
			v.Wheels, _ = s.engine.Wheels(uint8(id + team*s.cfg.Robots))
		}
		if r.obeyed {
			age := (time.Duration(s.ticks-r.lastTick) * sim.Tick).Seconds()
			v.Age, v.From = &age, SourceName(r.last.from)
		}
	}
	return all
}
