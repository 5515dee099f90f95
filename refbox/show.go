package refbox

import "touchline/game"

// Show is the topic "refbox", ten times a second: what everybody may see of a match.
type Show struct {
	Name       string        `json:"name"`      // of the field, as --name says
	Game       string        `json:"game"`      // of the log, like 20260703_155014; "" before it is begun
	Time       float64       `json:"time"`      // ms since 1970
	Part       game.Part     `json:"part"`      //
	Play       bool          `json:"play"`      // the ball can be in play in this part: it is no interval
	Running    bool          `json:"running"`   // START was the last
	Total      float64       `json:"total"`     // s since the part began
	Effective  float64       `json:"effective"` // s of it in play
	Length     float64       `json:"length"`    // s that the part lasts by the rules; 0: no end
	SetPiece   game.SetPiece `json:"setPiece"`  // chosen, waits for START
	Taking     game.SetPiece `json:"taking"`    // begun by the last START
	Countdowns []Countdown   `json:"countdowns"`
	Home       TeamShow      `json:"home"`
	Away       TeamShow      `json:"away"`
	Last       string        `json:"last"`    // what was last sent, in words: "free kick CAMBADA"
	Trouble    []string      `json:"trouble"` // that the referee has to know of, in plain words: the disk is full, ...
	Follows    string        `json:"follows"` // whose copy this is, as --follow says; "": it is the referee box itself
	Lag        float64       `json:"lag"`     // s since the copy last heard of it
}

// Countdown is time that runs out.
type Countdown struct {
	Kind    string    `json:"kind"` // "set piece", "repair", "card", "substitution"
	Side    game.Side `json:"side"`
	Robot   int       `json:"robot"`   // jersey number; 0: none, or not said
	Left    float64   `json:"left"`    // s
	Length  float64   `json:"length"`  // s at its beginning
	Playing bool      `json:"playing"` // it runs while the ball is in play only
}

// TeamShow is one side of a Show.
type TeamShow struct {
	Side          game.Side   `json:"side"`
	ID            int         `json:"id"`    // of the team table; 0: nobody has this side
	Name          string      `json:"name"`  // "Home" or "Away" while nobody has this side
	Short         string      `json:"short"` // at most 8 characters
	Group         string      `json:"group"` // as targetTeam has it
	Connected     bool        `json:"connected"`
	Goals         int         `json:"goals"`
	Substitutions int         `json:"substitutions"` // done
	Most          int         `json:"most"`          // substitutions by the rules
	Robots        []RobotShow `json:"robots"`
	TakenBack     []string    `json:"takenBack"` // cards that the team was told and that hold no longer, in words
}

// RobotShow is a robot as the referee knows it: by its worldstate, or by a card.
type RobotShow struct {
	Number int      `json:"number"` // jersey; 0: the card or repair did not say whose
	State  string   `json:"state"`  // "plays", "yellow", "repair", "double yellow", "red"
	Waits  bool     `json:"waits"`  // State goes out with the next START
	Left   *float64 `json:"left"`   // s of playing time until it comes back
}

// RefereeShow is the topic "referee", ten times a second: what the referee works with. It needs the referee's token.
type RefereeShow struct {
	Keys    []game.Key  `json:"keys"`    // in Keys' order
	Entries []EntryShow `json:"entries"` // the last 60, newest first
	Undo    string      `json:"undo"`    // what UNDO takes back, in words; "": nothing
	Redo    string      `json:"redo"`
	Pending []string    `json:"pending"` // what goes out with the next START, in words
	Waiting []Waiting   `json:"waiting"`
	Refused []Refusal   `json:"refused"` // the last 10, newest first
	Home    Received    `json:"home"`
	Away    Received    `json:"away"`
}

// EntryShow is a decision as the page lists it.
type EntryShow struct {
	Number int       `json:"number"` // from 1
	Clock  float64   `json:"clock"`  // s since its part began
	Part   game.Part `json:"part"`
	Text   string    `json:"text"`   // "yellow card CAMBADA 4"
	Of     int       `json:"of"`     // number of the decision that it takes back or puts back; 0: it is no UNDO or REDO
	State  string    `json:"state"`  // "sent", "waits" for START, "noted" (nothing is sent for it), "undone", "void"
	Why    string    `json:"why"`    // it is void, or when it was undone
	Millis *float64  `json:"millis"` // from the request to the last byte handed to a team's socket; nil: not known
	Sent   []string  `json:"sent"`   // wire words in their order
}

// Waiting is a connection that nobody has taken in yet; it has not been sent a byte.
type Waiting struct {
	Conn  uint64      `json:"conn"` // to name it by
	Addr  string      `json:"addr"`
	ID    int         `json:"id"`    // of the team whose address it is; 0: unknown
	Name  string      `json:"name"`  // "unknown" where ID is 0
	Since float64     `json:"since"` // s
	Sides []game.Side `json:"sides"` // that it may be given
}

// Refusal is a connection that was closed.
type Refusal struct {
	Addr string  `json:"addr"`
	Ago  float64 `json:"ago"` // s
	Why  string  `json:"why"`
}

// Received is what a team last received, and what it was last heard saying.
type Received struct {
	Last  string   `json:"last"`  // in words; "": nothing yet
	Ago   *float64 `json:"ago"`   // s
	Rate  float64  `json:"rate"`  // worldstates in the last second
	Level string   `json:"level"` // "good", "poor", "none"
	Text  string   `json:"text"`  // "20 a second, age 24 ms", or what is wrong
	Rates []int    `json:"rates"` // worldstates of each of the last 60 s, oldest first
}

// TeamsShow is the topic "teams", twice a second: how well each team sends. What a team said itself is in it only while
// no part is on, or for a page with the referee's token (topic "teams/all").
type TeamsShow struct {
	Teams []TeamHealth `json:"teams"`
	Open  bool         `json:"open"` // findings carry what was said
}

// TeamHealth is one team's worldstates. Counts are since it was taken in.
type TeamHealth struct {
	Side         game.Side  `json:"side"`
	ID           int        `json:"id"`
	Name         string     `json:"name"`
	Connected    bool       `json:"connected"`
	Rate         float64    `json:"rate"`  // worldstates in the last second
	Level        string     `json:"level"` // "good" from 10 a second on (MSL World Model 2015, section 3), "poor", "none"
	Rates        []int      `json:"rates"` // of each of the last 60 s, oldest first
	Gap          *float64   `json:"gap"`   // s: the longest of the last 10 s
	Silent       *float64   `json:"silent"`
	Age          *float64   `json:"age"` // ms: ageMs of the last one
	Messages     uint64     `json:"messages"`
	Events       uint64     `json:"events"`
	Broken       uint64     `json:"broken"` // messages that are no JSON, none of the two kinds, or longer than 64 KiB
	Bytes        uint64     `json:"bytes"`
	Windows      uint64     `json:"windows"`   // of 100 ms
	Empty        uint64     `json:"empty"`     // of them without a worldstate
	Unterminated float64    `json:"unclosed"`  // s that bytes wait for their NUL; 0: none do
	Lost         uint64     `json:"lost"`      // bytes of messages longer than 1 MiB
	LastEvent    string     `json:"lastEvent"` // "robot 2: kick"; "" while Open is false
	Findings     []CardShow `json:"findings"`
}

// CardShow is a line of a team's report card.
type CardShow struct {
	Rule    string `json:"rule"`
	Note    bool   `json:"note"` // worth knowing, but no document forbids it
	Count   uint64 `json:"count"`
	Text    string `json:"text"`
	Fix     string `json:"fix"`
	Excerpt string `json:"excerpt"` // of the first message that has it; "" while Open is false
	At      int    `json:"at"`      // where in the excerpt
}

// Decided is the answer to a decision.
type Decided struct {
	game.Outcome
	Number int      `json:"number"` // in the game's log; 0: it was sent before it was in it
	Millis *float64 `json:"millis"` // from the request to the last byte handed to a team's socket; null: it still waits for one
	Disk   float64  `json:"disk"`   // ms of that for the journal
	Kept   bool     `json:"kept"`   // it was on the disk before it was sent, or changed nothing
	Missed bool     `json:"missed"` // a team could not be sent it
}

// PreviewShow is the outcome that a decision would have.
type PreviewShow struct {
	Ref      int      `json:"ref"`      // UNDO, REDO: the number of the decision that it applies to
	Text     string   `json:"text"`     // that decision, as text
	Messages []string `json:"messages"` // command and team, like "SUBGOAL CAMBADA"
	Notes    []string `json:"notes"`    // facts that no message covers
	Dropped  []string `json:"dropped"`  // later decisions that would become void, and why
	Restored []string `json:"restored"` // later decisions that would be in effect again
	Why      string   `json:"why"`      // why it would be refused; "": it would be accepted
}
