package watch

// Game is a game of another league, of which a monitor hears on the network. It is a part of the topic "wall".
type Game struct {
	League string   `json:"league"` // "HSL"
	Home   GameTeam `json:"home"`   // attacks positive x on the page in every part
	Away   GameTeam `json:"away"`
	Part   string   `json:"part"`   // "first half"; "" before the referee's program is heard
	Phase  string   `json:"phase"`  // "ready", "set", "playing, throw-in for 5"
	Clock  float64  `json:"clock"`  // s left in the part; negative in additional time
	Second *float64 `json:"second"` // s left on the second clock, for a set play or a timeout; nil: it does not run
	Live   bool     `json:"live"`   // the ball is in play
	Stale  float64  `json:"stale"`  // s since the referee's program was heard, once that is too long; 0 otherwise
	Notes  []Fault  `json:"notes"`  // what is wrong with the game as a whole
}

// GameTeam is a team of a Game.
type GameTeam struct {
	Number uint8  `json:"number"`
	Name   string `json:"name"`   // "B-Human", or "team 99" without a name
	Jersey string `json:"jersey"` // colour of its field players
	Score  int    `json:"score"`
	Left   *int   `json:"left"`  // team messages that it may still send; nil: without a budget
	Heard  uint64 `json:"heard"` // team messages that the monitor received
}
