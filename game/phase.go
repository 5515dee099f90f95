package game

import (
	"strings"
	"time"

	"touchline/soccer"
)

// Phase is the RefBox's name for what a game is doing: its part, and for a half or the shoot-out whether play is
// stopped.
type Phase struct {
	Number int    // gameState of the score datagrams
	Name   string // name in the RefBox's log of events, and gameStateString of the score datagrams
}

// phases are the RefBox 2.1's phases. A part that can be stopped has the number of its stopped phase here; the running
// phase has the next number.
var phases = [...]struct {
	part    Part
	number  int
	name    string
	stopped string // suffix of the stopped phase; "": the part has a single phase
}{
	{PreGame, 0, "Pre-Game", ""},
	{FirstHalf, 1, "1st Half", " - STOP"},
	{HalfTime, 3, "Halftime", ""},
	{SecondHalf, 4, "2nd Half", " - STOP"},
	{PreOvertime, 6, "Pre-Overtime", ""},
	{OvertimeFirst, 7, "Overtime - 1st Half", " - STOP"},
	{OvertimeHalfTime, 9, "Overtime - Halftime", ""},
	{OvertimeSecond, 10, "Overtime - 2nd Half", " - STOP"},
	{ShootOut, 12, "Penalties", "/STOP"},
	{End, 14, "End Game", ""},
}

// PhaseOf returns the phase of a part; running reports whether START was the last command. A part that does not exist
// has the part's own name and number 0.
func PhaseOf(part Part, running bool) Phase {
	for _, p := range phases {
		switch {
		case p.part != part:
		case p.stopped == "":
			return Phase{p.number, p.name}
		case running:
			return Phase{p.number + 1, p.name}
		default:
			return Phase{p.number, p.name + p.stopped}
		}
	}
	return Phase{0, string(part)}
}

// ParsePhase returns the part of a phase's name and whether play is running in it. An unknown name becomes the part of
// that name, without a " - STOP" or "/STOP" at its end.
func ParsePhase(name string) (part Part, running bool) {
	name, stopped := strings.CutSuffix(name, " - STOP")
	if !stopped {
		name, stopped = strings.CutSuffix(name, "/STOP")
	}
	for _, p := range phases {
		if p.name == name {
			return p.part, p.stopped != "" && !stopped
		}
	}
	return Part(name), strings.Contains(name, " half") && !stopped
}

// Moment is the clock and the score at one time: the part of a State that readers of a match log need.
type Moment struct {
	Time      soccer.Time   `json:"time"`
	Part      Part          `json:"part"`
	Running   bool          `json:"running"`
	Total     time.Duration `json:"total"`     // ns since the part began
	Effective time.Duration `json:"effective"` // ns of it in play
	Home      Score         `json:"home"`
	Away      Score         `json:"away"`
}

// Score is one team's score.
type Score struct {
	Goals int `json:"goals"`
}

// At returns the moment at t if nothing is decided until then. A time before m's shows m's clock.
func (m Moment) At(t soccer.Time) Moment {
	d := max(t.Sub(m.Time), 0)
	m.Time = t
	m.Total += d
	if m.Running && m.Part != ShootOut {
		m.Effective += d
	}
	return m
}
