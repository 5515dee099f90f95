package vss

import (
	"strconv"
	"time"

	"touchline/sim"
	"touchline/soccer"
	"touchline/wire"
)

// Show is topic "vss" of the page: the field and the network at one time.
type Show struct {
	Field    soccer.Field `json:"field"`
	Robots   int          `json:"robots"` // a team: 3 or 5
	Physics  string       `json:"physics"`
	Seed     string       `json:"seed"`
	Time     float64      `json:"time"` // s of simulated time
	Paused   bool         `json:"paused"`
	Speed    float64      `json:"speed"`    // requested, 1 is real time; 0 is as fast as possible
	Rate     float64      `json:"rate"`     // measured over the last second
	Lockstep bool         `json:"lockstep"` // ticks wait for the teams' commands
	Waiting  []string     `json:"waiting"`  // teams whose commands a tick in lockstep waits for

	Ball        ShowBall     `json:"ball"`
	Blue        []ShowRobot  `json:"blue"` // all robots by id, switched-off ones too
	Yellow      []ShowRobot  `json:"yellow"`
	GoalsBlue   uint32       `json:"goalsBlue"`
	GoalsYellow uint32       `json:"goalsYellow"`
	Referee     *ShowReferee `json:"referee"` // null: no referee was received

	Vision   []string     `json:"vision"`   // where vision goes
	Commands string       `json:"commands"` // where commands are received
	In       float64      `json:"in"`       // packets received a second
	Out      float64      `json:"out"`      // packets sent a second, to all addresses
	Clients  []ShowClient `json:"clients"`  // senders of the last 10 s, by address
	Refused  []ShowCount  `json:"refused"`  // reasons of refusals, in the order in which they first occurred
	Marks    []ShowMark   `json:"marks"`    // the last 64 events, oldest first
	Trouble  string       `json:"trouble"`  // problems and their remedies; "" if there are none
}

// ShowBall is the ball in the field frame.
type ShowBall struct {
	Position soccer.Vec3 `json:"position"`
	Velocity soccer.Vec3 `json:"velocity"`
}

// ShowRobot is one robot in the field frame.
type ShowRobot struct {
	ID      uint8         `json:"id"`
	On      bool          `json:"on"`
	Pose    soccer.Pose   `json:"pose"`
	Twist   soccer.Twist  `json:"twist"`
	Wheels  soccer.Wheels `json:"wheels"`  // rad/s: the last command
	Turning soccer.Wheels `json:"turning"` // rad/s: how fast the wheels turn
	Age     *float64      `json:"age"`     // s of simulated time since the last command; null: no command yet
	From    string        `json:"from"`    // its sender: an address, "builtin", or ""
}

// ShowReferee is the last command of the referee.
type ShowReferee struct {
	Source string  `json:"source"` // "builtin", or the address of another referee
	Foul   string  `json:"foul"`   // "GAME_ON", "KICKOFF", ... as VSSReferee names them
	Team   string  `json:"team"`   // "blue", "yellow", ""
	Half   string  `json:"half"`   // "first half", ...
	Clock  float64 `json:"clock"`  // s played of the part; only for the built-in referee
	Left   float64 `json:"left"`   // s left of the part
}

// ShowClient is a sender of commands or placements.
type ShowClient struct {
	Address string  `json:"address"`
	Rate    float64 `json:"rate"` // packets a second
	Blue    []int   `json:"blue"` // ids of the robots that it drives
	Yellow  []int   `json:"yellow"`
}

// ShowPacket is topic "vss/packet/ADDRESS" of the page: the last packet of a client, field by field.
type ShowPacket struct {
	Address string       `json:"address"`
	Time    float64      `json:"time"` // s of simulated time when it was received
	Len     int          `json:"len"`  // bytes
	Hex     string       `json:"hex"`  // the first 2 KiB
	Fields  []wire.Field `json:"fields"`
	Issues  []wire.Issue `json:"issues"`
}

// ShowCount counts the refusals for one reason.
type ShowCount struct {
	Reason string `json:"reason"`
	Count  uint64 `json:"count"`
	Last   string `json:"last"` // description of the last one
}

// ShowMark is an event: a goal, a command of the referee, a reset.
type ShowMark struct {
	Time float64 `json:"time"` // s of simulated time
	Kind string  `json:"kind"` // "goal", "referee", "reset", "restore"
	Text string  `json:"text"`
}

// Show returns the snapshot of the field; the fields of the network are empty.
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
			v.Turning, _ = s.engine.Turning(uint8(id + team*s.cfg.Robots))
		}
		if r.commanded {
			age := (time.Duration(s.ticks-r.lastTick) * sim.Tick).Seconds()
			v.Age, v.From = &age, sourceName(r.command.from)
		}
	}
	return all
}
