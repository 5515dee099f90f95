package watch

import (
	"strconv"

	"touchline/soccer"
	"touchline/wire"
)

// The types of this file are topics of the page, sent as JSON. Positions are in the field frame in m, times in seconds
// since the session started, ages in milliseconds. A nil pointer means that the value is not known.

// Wall is the topic "wall", sent about 30 times a second.
type Wall struct {
	Session  string       `json:"session"` // "practical session" or "monitor"
	Seed     string       `json:"seed"`    // "" when nothing is random
	Time     float64      `json:"time"`
	Paused   bool         `json:"paused"`
	Speed    float64      `json:"speed"`    // speed of the session's time; 1 is real time
	Controls bool         `json:"controls"` // the page may send commands
	Link     Link         `json:"link"`
	Field    soccer.Field `json:"field"`
	Truth    *Scene       `json:"truth"`   // ground truth; nil where it is not known
	Fused    *Belief      `json:"fused"`   // without ground truth: the fusion of all cyan packets
	Waiting  []Member     `json:"waiting"` // substitutes
	Apart    Jerseys      `json:"apart"`   // robots that a partition separates from the others; [] without one
	// Unreached are robots whose programs the session did not start: its loss, delay, partition and crashes do not reach
	// them.
	Unreached Jerseys  `json:"unreached"`
	Tiles     []Tile   `json:"tiles"`
	Spread    *float64 `json:"spread"` // m; see the function Spread
	Marks     []Mark   `json:"marks"`  // events of the last 60 s, oldest first
	Silence   *Silence `json:"silence"`
	Story     *Story   `json:"story"` // nil: the session follows none
	Game      *Game    `json:"game"`  // nil: no game of another league
}

// Story is a scripted session that stops at each of its figures.
type Story struct {
	Name    string   `json:"name"`    // "booking", "liar" or "network"
	Heading string   `json:"heading"` // what the story is about
	Figure  int      `json:"figure"`  // figure that is reached, or comes next
	First   int      `json:"first"`   // number of the first and the last figure
	Last    int      `json:"last"`
	Titles  []string `json:"titles"` // of all figures
	Title   string   `json:"title"`
	Caption string   `json:"caption"`
	Booking string   `json:"booking"` // what the robots believe, once the figure is reached; "" before
	Reached bool     `json:"reached"`
	Over    bool     `json:"over"`   // it waits for nothing more: the session runs on
	Failed  string   `json:"failed"` // why the story does not go on; "" if it does
}

// Preview is a game in small, for a page from which a user chooses one.
type Preview struct {
	Field soccer.Field `json:"field"`
	Scene *Scene       `json:"scene"`
	Text  string       `json:"text"` // how it stands
	Said  []Figure     `json:"said"` // where robots that lie say to be
}

// Link describes the network of the packets.
type Link struct {
	Group     string `json:"group"`     // "224.16.32.75:2005"
	Interface string `json:"interface"` // "lo", or "memory"
	Loopback  bool   `json:"loopback"`  // no packet leaves this machine
	Trouble   string `json:"trouble"`   // why multicast does not work and how to fix it; "" when it works
	// Missing are sentences on what this system cannot receive, such as local programs that send by the default route.
	Missing []string `json:"missing"`

	// The impairment of the packets to each receiver.
	Loss  float64 `json:"loss"`  // share of them, 0..1
	Delay float64 `json:"delay"` // ms
}

// Silence is shown when no packet arrived for 5 s.
type Silence struct {
	Seconds    float64     `json:"seconds"`
	Why        string      `json:"why"`        // a sentence, where the program knows the cause: nothing else is to check; "" otherwise
	Interfaces []Interface `json:"interfaces"` // the other interfaces of this machine
	Command    string      `json:"command"`    // a command to try next
}

// Interface is a network interface of this machine.
type Interface struct {
	Name  string   `json:"name"`
	Addrs []string `json:"addrs"`
	Up    bool     `json:"up"`
}

// Scene is the ground truth.
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
	Shape  string       `json:"shape"` // "robot", or "camera" for a unit without a robot
	Pose   soccer.Pose  `json:"pose"`
	Facing bool         `json:"facing"` // the heading is known
	Self   bool         `json:"self"`   // the tile's own robot
	Age    *float64     `json:"age"`
	Trust  *Trust       `json:"trust"` // nil: unknown
}

// Trust is what a world model has learnt of a teammate.
type Trust struct {
	PoseError soccer.Pose   `json:"poseError"` // m and rad: the estimated error of its pose, reported minus true
	Doubt     float64       `json:"doubt"`     // 0 to 1: how likely its next sight of the ball is false
	Disagrees *Disagreement `json:"disagrees"` // nil: it agrees with the others
}

// Disagreement says that the reports of one robot contradict those of the others.
type Disagreement struct {
	Seconds float64 `json:"seconds"` // time since it began
	What    string  `json:"what"`    // the reports that contradict the others: "ball" or "pose"
	By      float64 `json:"by"`      // m, how far they lie from what the others report
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

// Belief is the world of one robot.
type Belief struct {
	Ball      *Thing   `json:"ball"`
	SeesBall  bool     `json:"seesBall"` // its own camera sees the ball
	By        Jerseys  `json:"by"`       // jerseys of the robots whose sightings are in the ball
	Robots    []Figure `json:"robots"`   // itself and its teammates with a pose
	Unplaced  Jerseys  `json:"unplaced"` // teammates without self-localisation
	Obstacles []Thing  `json:"obstacles"`
	// Disagrees says how the robot itself contradicts its teammates; nil: it agrees with them.
	Disagrees *Disagreement `json:"disagrees"`
	Goal      *Goal         `json:"goal"` // the newest goal, of the last minute; nil: none
}

// Goal says that the ball crossed a goal line, as a robot believes.
type Goal struct {
	Conceded    bool    `json:"conceded"`    // into the goal of the robot's own team
	End         float64 `json:"end"`         // 1: the goal at positive x; -1: the other one
	Seconds     float64 `json:"seconds"`     // time since it crossed the line
	Probability float64 `json:"probability"` // probability of the goal
}

// Tile is one robot's monitor.
type Tile struct {
	Key       string       `json:"key"`    // the same as long as the tile exists
	Sender    string       `json:"sender"` // key of its packets: topic "packets/" + Sender
	Number    uint8        `json:"number"`
	Color     soccer.Color `json:"color"`
	Team      string       `json:"team"`     // "Tech United", "CAMBADA (laptop)"
	Shape     string       `json:"shape"`    // "robot" or "camera"
	Real      bool         `json:"real"`     // not a robot of the session: the tile shows the contents of its packets
	Mirrored  bool         `json:"mirrored"` // the session mirrors its pose
	Penalised bool         `json:"penalised"`
	Status    string       `json:"status"`  // what holds the robot back: "fallen", "pushing, 12 s"; "": nothing
	State     string       `json:"state"`   // "live", "off", "silent"
	Crashed   string       `json:"crashed"` // why the robot crashed, and when it starts again; "": it did not crash
	Silent    float64      `json:"silent"`  // s since the newest packet of a silent robot outside the session; 0 otherwise
	Rate      float64      `json:"rate"`    // received packets a second
	Belief    Belief       `json:"belief"`
	BallError *float64     `json:"ballError"` // m from the ground truth
	Found     *int         `json:"found"`     // true obstacles within 0.5 m of a believed one
	False     *int         `json:"false"`     // believed obstacles that do not exist
	Left      *Left        `json:"left"`      // nil for a robot outside the session
	Faults    []Fault      `json:"faults"`    // faults in the meaning of its packages, then suspicions
	Values    *Values      `json:"values"`    // contents of its newest package; nil for a robot of the session
}

// Fault is a fault in the meaning of a robot's packages, such as metres for millimetres.
type Fault struct {
	Short     string `json:"short"` // two or three words
	Text      string `json:"text"`  // what is wrong, and how to fix it
	Suspicion bool   `json:"suspicion"`
}

// Values are what a robot's newest package says in the frame of the package (X to the right, Y to the opponents' goal),
// so that its programmer can compare them.
type Values struct {
	X       *float64 `json:"x"` // m; nil without self-localisation
	Y       *float64 `json:"y"`
	Heading *float64 `json:"heading"` // degrees, 0 to 360; nil if unknown
	BallX   *float64 `json:"ballX"`   // m, of the most confident candidate; nil without one
	BallY   *float64 `json:"ballY"`
}

// Left counts what a robot received since it was switched on but did not fuse.
type Left struct {
	Unplaced   uint64 `json:"unplaced"`   // ball candidates of robots without self-localisation
	Repeated   uint64 `json:"repeated"`   // duplicates
	Stale      uint64 `json:"stale"`      // packets a second late, or with a timestamp that no other confirmed
	OtherColor uint64 `json:"otherColor"` // packets of the other side
	SameNumber uint64 `json:"sameNumber"` // packets from a second address with the number of an active robot
	Foreign    uint64 `json:"foreign"`    // datagrams that are not packages
}

// Mark is an event on the timeline.
type Mark struct {
	Time   float64 `json:"time"`
	Kind   string  `json:"kind"`   // "kick", "off", "on", "substitute", "mirror", "referee", "crash", "penalise", "partition", "heal"
	Number uint8   `json:"number"` // jersey, 0 where none
	Text   string  `json:"text"`
}

// Network is the topic "network", twice a second.
type Network struct {
	Group      string      `json:"group"`
	BitsPerS   float64     `json:"bitsPerS"` // load of the air, with UDP, IP and Ethernet headers
	BudgetBits float64     `json:"budgetBits"`
	OverBudget bool        `json:"overBudget"` // has hysteresis
	Drops      uint64      `json:"drops"`      // datagrams lost before they were read
	Senders    []SenderRow `json:"senders"`
	Alarms     []string    `json:"alarms"` // sentences
}

// SenderRow is one sender's row of the network panel.
type SenderRow struct {
	Key        string       `json:"key"`
	Addr       string       `json:"addr"`
	Number     uint8        `json:"number"`
	Color      soccer.Color `json:"color"`
	Team       string       `json:"team"`
	Foreign    bool         `json:"foreign"`  // not a mixed team package
	Variant    string       `json:"variant"`  // "v1", "v2", "v2 padded", "unrecognised"; of other traffic "TCM datagram"
	Sure       float64      `json:"sure"`     // confidence in the variant, 0..1
	Trailing   int          `json:"trailing"` // bytes after the package
	Rate       float64      `json:"rate"`
	GapP99     *float64     `json:"gapP99"` // ms
	Jitter     *float64     `json:"jitter"` // ms
	BytesPerS  float64      `json:"bytesPerS"`
	Packets    uint64       `json:"packets"`
	Missing    *float64     `json:"missing"` // estimated share of lost packets, 0..1; nil for a silent sender
	Duplicates uint64       `json:"duplicates"`
	ClockJumps uint64       `json:"clockJumps"`
	Issues     uint64       `json:"issues"` // packets with issues, of the five a second that are checked
	LastIssue  string       `json:"lastIssue"`
	Faults     []Fault      `json:"faults"` // faults in the meaning of its packages
	Note       string       `json:"note"`   // a remark, not an issue: a rate outside 10 to 30 Hz
	Age        float64      `json:"age"`    // ms since the last packet
}

// PacketView is the topic "packets/KEY": the last packets of one sender and what its robot knows, sent five times a
// second.
type PacketView struct {
	Key     string        `json:"key"`
	Packets []PacketEntry `json:"packets"` // newest first
	Own     *Belief       `json:"own"`     // contents of its newest package: its own percepts; nil without a package
	Reports []Report      `json:"reports"` // newest packages of the others of its side, of the last two seconds
	Alone   *Belief       `json:"alone"`   // fused from its own percepts alone; nil where unknown
}

// Report is the newest package that a robot received from another one.
type Report struct {
	Number uint8        `json:"number"` // jersey of the sender
	Color  soccer.Color `json:"color"`
	Team   string       `json:"team"`
	Age    float64      `json:"age"`    // ms since it arrived
	Belief Belief       `json:"belief"` // its contents
}

// PacketEntry is one packet.
type PacketEntry struct {
	Time    float64      `json:"time"`
	Variant string       `json:"variant"`
	Sure    float64      `json:"sure"` // 0..1
	Why     string       `json:"why"`  // how the variant was identified
	Len     int          `json:"len"`  // bytes
	Hex     string       `json:"hex"`  // the first 2 KiB
	Fields  []wire.Field `json:"fields"`
	Issues  []wire.Issue `json:"issues"`
}
