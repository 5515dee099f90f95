package watch

import (
	"strconv"

	"touchline/soccer"
	"touchline/wire"
)

// The types of this file are what the page shows; they travel as JSON. Positions are in the field frame in m, times are
// seconds since the session began, ages milliseconds. A pointer that is nil is not known.

// Wall is the topic "wall": one instant of everything, about 30 times a second.
type Wall struct {
	Session  string       `json:"session"` // "practical session" or "monitor"
	Seed     string       `json:"seed"`    // "" when nothing here is random
	Time     float64      `json:"time"`
	Paused   bool         `json:"paused"`
	Controls bool         `json:"controls"` // commands are taken
	Link     Link         `json:"link"`
	Field    soccer.Field `json:"field"`
	Truth    *Scene       `json:"truth"`   // nil where truth is not known
	Fused    *Belief      `json:"fused"`   // without truth: what all cyan packets say together
	Waiting  []Member     `json:"waiting"` // who stands outside
	Tiles    []Tile       `json:"tiles"`
	Spread   *float64     `json:"spread"` // m: how far the tiles' balls lie from their mean, root mean square
	Marks    []Mark       `json:"marks"`  // of the last 60 s, oldest first
	Silence  *Silence     `json:"silence"`
}

// Link says where the packets travel.
type Link struct {
	Group     string `json:"group"`     // "224.16.32.75:2005"
	Interface string `json:"interface"` // "lo", or "memory"
	Loopback  bool   `json:"loopback"`  // nothing leaves this machine
	Trouble   string `json:"trouble"`   // why multicast does not work here and how to mend it; "" when it does
}

// Silence is shown when nothing was heard for 5 s.
type Silence struct {
	Seconds    float64     `json:"seconds"`
	Interfaces []Interface `json:"interfaces"` // this machine's others
	Command    string      `json:"command"`    // to type next
}

// Interface is a network interface of this machine.
type Interface struct {
	Name  string   `json:"name"`
	Addrs []string `json:"addrs"`
	Up    bool     `json:"up"`
}

// Scene is the truth.
type Scene struct {
	Ball      Thing    `json:"ball"`
	Robots    []Figure `json:"robots"`
	Obstacles []Thing  `json:"obstacles"`
}

// Thing is a ball or an obstacle.
type Thing struct {
	X   float64     `json:"x"`
	Y   float64     `json:"y"`
	Z   float64     `json:"z"`
	VX  float64     `json:"vx"`
	VY  float64     `json:"vy"`
	Cov *soccer.Cov `json:"cov"`
	Age *float64    `json:"age"`
}

// Figure is a robot as drawn.
type Figure struct {
	Number uint8        `json:"number"` // jersey
	Color  soccer.Color `json:"color"`
	Shape  string       `json:"shape"` // "robot", or "camera" for one without a body that moves
	Pose   soccer.Pose  `json:"pose"`
	Facing bool         `json:"facing"` // false: the heading is not known, draw a disc
	Self   bool         `json:"self"`   // the tile's own robot
	Age    *float64     `json:"age"`
}

// Member is a participant.
type Member struct {
	Number uint8  `json:"number"`
	Team   string `json:"team"`
}

// Jerseys are jersey numbers. A plain []uint8 would travel as a base64 string.
type Jerseys []uint8

// MarshalJSON writes an array of numbers; without numbers it is [].
func (j Jerseys) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, n := range j {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return append(b, ']'), nil
}

// Belief is what one robot believes.
type Belief struct {
	Ball      *Thing   `json:"ball"`
	SeesBall  bool     `json:"seesBall"` // with its own sensors
	By        Jerseys  `json:"by"`       // jerseys of those whose sight is in the ball
	Robots    []Figure `json:"robots"`   // itself and its peers with a pose
	Unplaced  Jerseys  `json:"unplaced"` // peers that live but do not know where they are
	Obstacles []Thing  `json:"obstacles"`
}

// Tile is one robot's monitor.
type Tile struct {
	Key       string       `json:"key"`    // stable while the monitor stands there
	Sender    string       `json:"sender"` // key of its packets: topic "packets/" + Sender
	Number    uint8        `json:"number"`
	Color     soccer.Color `json:"color"`
	Team      string       `json:"team"`  // "Tech United", "CAMBADA (laptop)"
	Shape     string       `json:"shape"` // "robot" or "camera"
	Real      bool         `json:"real"`  // a robot that is no part of the session: the tile shows its packets' contents
	State     string       `json:"state"` // "live", "off", "silent"
	Rate      float64      `json:"rate"`  // packets a second heard from it
	Belief    Belief       `json:"belief"`
	BallError *float64     `json:"ballError"` // m against the truth
	Found     *int         `json:"found"`     // obstacles within 0.5 m of a true one
	False     *int         `json:"false"`     // obstacles that are none
	Left      *Left        `json:"left"`      // nil for a robot that is no part of the session
}

// Left counts what a robot heard since it was switched on but did not take into its world.
type Left struct {
	Unplaced   uint64 `json:"unplaced"`   // candidates of robots that do not know where they are
	Repeated   uint64 `json:"repeated"`   // packets that came twice
	Stale      uint64 `json:"stale"`      // packets that came a second late, or with a stamp that no other confirmed
	OtherColor uint64 `json:"otherColor"` // packets of the other side
	Foreign    uint64 `json:"foreign"`    // datagrams that are no packages
}

// Mark is an event on the time strip.
type Mark struct {
	Time   float64 `json:"time"`
	Kind   string  `json:"kind"`   // "kick", "off", "on", "substitute"
	Number uint8   `json:"number"` // jersey, 0 where none
	Text   string  `json:"text"`
}

// Network is the topic "network", twice a second.
type Network struct {
	Group      string      `json:"group"`
	BitsPerS   float64     `json:"bitsPerS"` // on the air, with UDP, IP and Ethernet headers
	BudgetBits float64     `json:"budgetBits"`
	OverBudget bool        `json:"overBudget"` // with hysteresis
	Drops      uint64      `json:"drops"`      // datagrams that the kernel dropped before we read them
	Senders    []SenderRow `json:"senders"`
	Alarms     []string    `json:"alarms"` // in plain words
}

// SenderRow is one sender's row of the network panel.
type SenderRow struct {
	Key        string       `json:"key"`
	Addr       string       `json:"addr"`
	Number     uint8        `json:"number"`
	Color      soccer.Color `json:"color"`
	Team       string       `json:"team"`
	Foreign    bool         `json:"foreign"`  // not a mixed team package
	Variant    string       `json:"variant"`  // "v1", "v2", "v2 padded", "unrecognised"
	Sure       float64      `json:"sure"`     // of the variant, 0..1
	Trailing   int          `json:"trailing"` // own bytes after the package
	Rate       float64      `json:"rate"`
	GapP99     *float64     `json:"gapP99"` // ms
	Jitter     *float64     `json:"jitter"` // ms
	BytesPerS  float64      `json:"bytesPerS"`
	Packets    uint64       `json:"packets"`
	Missing    *float64     `json:"missing"` // share of packets that did not come at this sender's usual rate, 0..1
	Duplicates uint64       `json:"duplicates"`
	ClockJumps uint64       `json:"clockJumps"`
	Issues     uint64       `json:"issues"` // packets with issues, of those that were searched: five a second
	LastIssue  string       `json:"lastIssue"`
	Note       string       `json:"note"` // worth knowing, but nothing is wrong: a rate outside 10 to 30 Hz
	Age        float64      `json:"age"`  // ms since the last
}

// PacketView is the topic "packets/KEY": the last packets of one sender, five times a second while somebody looks.
type PacketView struct {
	Key     string        `json:"key"`
	Packets []PacketEntry `json:"packets"` // newest first
}

// PacketEntry is one packet, whole.
type PacketEntry struct {
	Time    float64      `json:"time"`
	Variant string       `json:"variant"`
	Sure    float64      `json:"sure"` // 0..1
	Why     string       `json:"why"`  // how the variant was told
	Len     int          `json:"len"`  // bytes
	Hex     string       `json:"hex"`  // of the first 2 KiB
	Fields  []wire.Field `json:"fields"`
	Issues  []wire.Issue `json:"issues"`
}
