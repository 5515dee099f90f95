package game

import "touchline/soccer"

// The channels of a game's journal: a referee box writes them, and a match log holds them.
const (
	HomeChannel       = "home"       // a team's messages as received, without the NUL
	AwayChannel       = "away"       //
	HomeEmptyChannel  = "home/empty" // the empty worldstate of each 100 ms window without a worldstate
	AwayEmptyChannel  = "away/empty" //
	HomeSentChannel   = "home/sent"  // Departure as JSON, of each message to the team
	AwaySentChannel   = "away/sent"  //
	CommandsChannel   = "commands"   // messages to the teams as sent, without the NUL
	DecisionsChannel  = "decisions"  // Decision as JSON
	AdmissionsChannel = "admissions" // which team has which side, as JSON
	LinesChannel      = "lines"      // lines of the RefBox's log of events, without the line break
	StatesChannel     = "states"     // State as JSON, after each decision and once a second
	SentChannel       = "sent"       // Delivery as JSON, once all teams were sent a decision
	OmittedChannel    = "omitted"    // Omission as JSON
	NotesChannel      = "notes"      // free text: trouble, lost bytes, reconnections
	VerdictsChannel   = "verdicts"   // Verdict as JSON
)

// Delivery records that the messages of a decision are in the sockets of all teams. A decision without one was made
// just before a crash: the teams may not have received it.
type Delivery struct {
	Decision int     `json:"decision"` // its number, from 1
	Millis   float64 `json:"millis"`   // latency from the referee's request to the last socket
	Disk     float64 `json:"disk"`     // ms of that for the journal
}

// Omission counts the messages of a team that the journal does not hold, because the team sent more in one second than
// a referee box keeps.
type Omission struct {
	Time    soccer.Time `json:"time"` // start of the second
	Side    Side        `json:"side"`
	Kept    uint64      `json:"kept"`    // messages of the second that the journal holds
	Omitted uint64      `json:"omitted"` // messages that it does not hold
	Bytes   uint64      `json:"bytes"`   // size of the omitted messages
}

// Truth is the ground truth at one time, in the field frame: a message of a log's channel truth.
type Truth struct {
	Time     soccer.Time  `json:"time"`
	Ball     soccer.Vec3  `json:"ball"` // m
	Robots   []TruthRobot `json:"robots"`
	Contacts *Contacts    `json:"contacts,omitempty"` // nil: not known
}

// TruthRobot is a robot of a Truth.
type TruthRobot struct {
	Number uint8       `json:"number"` // jersey
	Team   Side        `json:"team"`
	Shape  string      `json:"shape"`         // "robot", or "camera" for a unit without a robot
	Off    bool        `json:"off,omitempty"` // it stands on the field, and its software does not run
	Pose   soccer.Pose `json:"pose"`
}

// Contacts tells which robots handled the ball. Times are 0 where none did.
type Contacts struct {
	Holder       *Contact    `json:"holder,omitempty"` // holds or dribbles it now; nil: none
	Touched      Contact     `json:"touched"`          // the newest touch
	Kicked       Contact     `json:"kicked"`           // the newest kick
	KickBall     soccer.Vec3 `json:"kickBall"`         // m, where the ball was then
	KickVelocity soccer.Vec3 `json:"kickVelocity"`     // m/s, of the ball right after it
}

// Contact is a robot that handled the ball.
type Contact struct {
	Team   Side        `json:"team"`
	Number uint8       `json:"number"`
	At     soccer.Time `json:"at"`
}

// Departure records when a message left for a team. The messages of a decision leave one after the other.
type Departure struct {
	Message  string  `json:"message"`            // the command, with the robot's number: "SUBSTITUTION 3"
	Decision int     `json:"decision,omitempty"` // its number, from 1; 0: the box's own message, like WELCOME
	Millis   float64 `json:"millis"`             // latency from the referee's request, or from when it was due, to the socket
	Why      string  `json:"why,omitempty"`      // why it did not leave; "": it left
}

// Verdict is what the referee's review of a decision found. A later one about the same decision counts instead. It
// changes nothing in the game: an overturned decision is undone with UNDO.
type Verdict struct {
	Version  int         `json:"v"`        // Version; 0 stands for it
	Time     soccer.Time `json:"time"`     // when it was found
	Decision int         `json:"decision"` // number of the decision, from 1
	Found    Found       `json:"verdict"`
	Note     string      `json:"note,omitzero"` // why, at most MostNote bytes on one line
}

// Found is what a review found.
type Found string

// Findings of a review.
const (
	Upheld     Found = "upheld"
	Overturned Found = "overturned"
	Unclear    Found = "unclear" // the review does not tell
)

// MostNote is the length of the longest note of a Verdict in bytes.
const MostNote = 500
