package refbox

import (
	"touchline/game"
	"touchline/soccer"
)

// Show is the topic "refbox": the public view of a match.
type Show struct {
	Name       string        `json:"name"`    // name of the field
	Game       string        `json:"game"`    // name of the log, like 20260703_155014; "" before there is one
	Time       float64       `json:"time"`    // ms since 1970
	Part       game.Part     `json:"part"`    // part of the game
	Play       bool          `json:"play"`    // the part is not an interval
	Running    bool          `json:"running"` // play is running
	Total      float64       `json:"total"`   // s since the part began
	Effective  float64       `json:"effective"`
	Length     float64       `json:"length"`   // s of the part by the rules; 0: unlimited
	SetPiece   game.SetPiece `json:"setPiece"` // chosen, and waits for START
	Taking     game.SetPiece `json:"taking"`   // started by the last START
	Countdowns []Countdown   `json:"countdowns"`
	Home       TeamShow      `json:"home"`
	Away       TeamShow      `json:"away"`
	Last       string        `json:"last"`      // the last sent message: "free kick CAMBADA"
	Trouble    []string      `json:"trouble"`   // warnings for the referee
	Follows    string        `json:"follows"`   // HOST:PORT that a standby follows; "": this is the referee box
	Lag        float64       `json:"lag"`       // s since a standby last received bytes
	Lost       bool          `json:"lost"`      // the box that a standby follows does not answer
	Successor  string        `json:"successor"` // address of the referee box that took over from this one; "": none
	TakenOver  float64       `json:"takenOver"` // time of the takeover, ms since 1970
}

// Countdown is a deadline or a penalty that is running.
type Countdown struct {
	Kind    string    `json:"kind"` // "set piece", "repair", "card", "substitution"
	Side    game.Side `json:"side"`
	Robot   int       `json:"robot"`   // jersey number; 0: none, or not given
	Left    float64   `json:"left"`    // s
	Length  float64   `json:"length"`  // s at its start
	Playing bool      `json:"playing"` // it counts playing time
}

// TeamShow is one side of a Show.
type TeamShow struct {
	Side          game.Side   `json:"side"`
	ID            int         `json:"id"`    // ID in the team table; 0: the side has no team
	Name          string      `json:"name"`  // "Home" or "Away" without a team
	Short         string      `json:"short"` // at most 8 characters
	Label         string      `json:"label"` // name in lists and on keys: Name, or Short if that is too long
	Group         string      `json:"group"` // targetTeam on the wire
	Connected     bool        `json:"connected"`
	Goals         int         `json:"goals"`
	Substitutions int         `json:"substitutions"` // made so far
	Most          int         `json:"most"`          // substitutions that the rules allow
	Robots        []RobotShow `json:"robots"`
	Unnumbered    []RobotShow `json:"unnumbered"` // cards and repairs that name no robot
	TakenBack     []string    `json:"takenBack"`  // cards that were sent and are void now, as text
}

// RobotShow is a robot of the team's last worldstate, or one with a penalty.
type RobotShow struct {
	Number int      `json:"number"` // jersey number; 0 for those of Unnumbered
	State  string   `json:"state"`  // "plays", "yellow", "repair", "double yellow", "red"
	Waits  bool     `json:"waits"`  // the penalty waits for the next START
	Left   *float64 `json:"left"`   // s of playing time until the penalty ends
}

// RefereeShow is the topic "referee": the referee's view. It needs the referee's token.
type RefereeShow struct {
	Keys    []game.Key   `json:"keys"`    // same order as game.Game.Keys
	Entries []EntryShow  `json:"entries"` // the last 60 decisions, newest first
	Undo    string       `json:"undo"`    // the decision that UNDO applies to, as text; "": none
	Redo    string       `json:"redo"`
	Pending []string     `json:"pending"` // penalties that the next START sends, as text
	Waiting []Waiting    `json:"waiting"`
	Refused []Refusal    `json:"refused"` // the last 10, newest first
	Field   soccer.Field `json:"field"`
	Home    Received     `json:"home"`
	Away    Received     `json:"away"`
}

// EntryShow is a decision in the referee's list.
type EntryShow struct {
	Number int       `json:"number"` // counted from 1
	Time   float64   `json:"time"`   // ms since 1970; never less than that of the decision before
	Clock  float64   `json:"clock"`  // s since its part began
	Part   game.Part `json:"part"`
	Text   string    `json:"text"`   // "yellow card CAMBADA 4"
	Of     int       `json:"of"`     // UNDO, REDO: the number of the decision that it applies to; 0: other commands
	State  string    `json:"state"`  // "sent", "waits" for START, "noted" (no message), "undone", "void"
	Why    string    `json:"why"`    // why it is void, or which decision undid it
	Final  string    `json:"final"`  // why it can be neither undone nor redone; "": it can
	Millis *float64  `json:"millis"` // latency from the request to the last byte in a team's socket; null: unknown
	Sent   []string  `json:"sent"`   // its messages, in order
	// Verdict is what the newest review of it found; null: none yet
	Verdict *VerdictShow `json:"verdict"`
}

// VerdictShow is what a review of a decision found.
type VerdictShow struct {
	Found game.Found `json:"verdict"` // "upheld", "overturned" or "unclear"
	Note  string     `json:"note"`
	Time  float64    `json:"time"` // ms since 1970
}

// Waiting is a connection that waits for its admission. It has not been sent a byte.
type Waiting struct {
	Conn  uint64      `json:"conn"` // its identification in commands
	Addr  string      `json:"addr"`
	ID    int         `json:"id"`    // team with that address; 0: unknown
	Name  string      `json:"name"`  // "unknown" where ID is 0
	Since float64     `json:"since"` // s
	Other string      `json:"other"` // the address of the team's live base station, which it would replace; "": none
	Sides []game.Side `json:"sides"` // possible sides
}

// Refusal is a connection that was closed.
type Refusal struct {
	Addr string  `json:"addr"`
	Ago  float64 `json:"ago"` // s
	Why  string  `json:"why"`
}

// Received is the last message to a team and the state of its worldstates.
type Received struct {
	Last  string   `json:"last"`  // text of the message; "": none yet
	Ago   *float64 `json:"ago"`   // s
	Rate  float64  `json:"rate"`  // worldstates in the last second
	Level string   `json:"level"` // "good", "poor", "none"
	Text  string   `json:"text"`  // "20 a second, age 24 ms", or the problem
	Rates []int    `json:"rates"` // worldstates of each of the last 60 s, oldest first
	// Of the last worldstate, in the field frame: home attacks in the direction of x.
	Robots []FieldRobot `json:"robots"`
	Balls  []FieldBall  `json:"balls"`  // at most 3, as the team orders them
	Silent *float64     `json:"silent"` // s since that worldstate; null: none yet
	// Check is the last check of the base station's reader; null: none, or none can be made now.
	Check     *ReaderResult `json:"check"`
	Checkable bool          `json:"checkable"` // CheckReader is possible
}

// FieldRobot is a robot of a team's last worldstate, in m and rad.
type FieldRobot struct {
	Number int      `json:"number"` // jersey number; 0: unknown
	X      float64  `json:"x"`
	Y      float64  `json:"y"`
	Theta  *float64 `json:"theta"` // heading; null: unknown
}

// FieldBall is a ball of a team's last worldstate, in m.
type FieldBall struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// TeamsShow is the topic "teams": the health of the teams' worldstates. It quotes the teams only between the halves, or
// as the topic "teams/all", which needs the referee's token.
type TeamsShow struct {
	Teams []TeamHealth `json:"teams"`
	Open  bool         `json:"open"` // findings quote the teams
}

// TeamHealth is the health of one team's worldstates. It counts from the team's admission.
type TeamHealth struct {
	Side         game.Side  `json:"side"`
	ID           int        `json:"id"`
	Name         string     `json:"name"`
	Connected    bool       `json:"connected"`
	Trouble      string     `json:"trouble"` // "CAMBADA connects from two addresses: ...", "floods: ..."; "": none
	Rate         float64    `json:"rate"`    // worldstates in the last second
	Level        string     `json:"level"`   // "good", "poor", "none", as RateLevel returns it
	Rates        []int      `json:"rates"`   // counts of the last 60 s, oldest first
	Gap          *float64   `json:"gap"`     // s, the longest that ended in the last 10 s, or lasts
	Silent       *float64   `json:"silent"`  // s since the last worldstate
	Age          *float64   `json:"age"`     // ageMs of the last worldstate, ms
	Messages     uint64     `json:"messages"`
	Events       uint64     `json:"events"`
	Broken       uint64     `json:"broken"` // messages that are not JSON, of no known kind, or longer than 64 KiB
	Bytes        uint64     `json:"bytes"`
	Omitted      uint64     `json:"omitted"`   // messages counted and not kept: beyond 200, or 2 MiB, in a second
	Windows      uint64     `json:"windows"`   // windows of 100 ms
	Empty        uint64     `json:"empty"`     // windows without a worldstate
	Unterminated float64    `json:"unclosed"`  // s that bytes have waited for their NUL; 0: none wait
	Lost         uint64     `json:"lost"`      // bytes of messages longer than 1 MiB
	Sent         []SentShow `json:"sent"`      // the last 12 messages to the team, newest first
	LastEvent    string     `json:"lastEvent"` // "robot 2: kick"; "" while Open is false
	Findings     []CardShow `json:"findings"`
}

// CardShow is a finding of a team's report card.
type CardShow struct {
	Rule    string `json:"rule"`
	Note    bool   `json:"note"` // worth knowing, but allowed by the documents
	Count   uint64 `json:"count"`
	Text    string `json:"text"`
	Fix     string `json:"fix"`
	Excerpt string `json:"excerpt"` // part of the first message with the finding; "" while Open is false
	At      int    `json:"at"`      // position in the excerpt
}

// SentShow is a message to a team.
type SentShow struct {
	Time   float64 `json:"time"`   // ms since 1970, when it left
	Text   string  `json:"text"`   // "START"
	Millis float64 `json:"millis"` // latency from the referee's request, or from when it was due, to the socket
	Why    string  `json:"why"`    // why it did not leave; "": it left
}

// Decided is the answer to a decision.
type Decided struct {
	game.Outcome
	Number int      `json:"number"` // number in the game's log; 0: it was sent before it was recorded
	Millis *float64 `json:"millis"` // latency from the request to the last byte in a team's socket; null: not all yet
	Disk   float64  `json:"disk"`   // ms of that for the journal
	Kept   bool     `json:"kept"`   // it was on disk before it was sent, or changed nothing
	Missed bool     `json:"missed"` // at least one team could not be sent it
	Void   []string `json:"void"`   // its commands that did not leave, because a STOP came first
}

// PreviewShow is the outcome that a decision would have.
type PreviewShow struct {
	Ref      int      `json:"ref"`      // UNDO, REDO: the number of the decision that it applies to
	Text     string   `json:"text"`     // text of that decision
	Messages []string `json:"messages"` // command and team, like "SUBGOAL CAMBADA"
	Notes    []string `json:"notes"`    // facts that no message covers
	Dropped  []string `json:"dropped"`  // later decisions that would become void, and why
	Restored []string `json:"restored"` // later decisions that would be in effect again
	Why      string   `json:"why"`      // why it would be refused; "": it would be accepted
}
