// Package rcg reads the game logs of the RoboCup 2D simulation, files .rcg in the text formats 4, 5 and 6 of rcssserver 19:
// each line is one expression in parentheses. Values have the units and the frame of the files: metres, metres a cycle and
// degrees; x to the goal of the right team, y downwards, angles clockwise. The teams do not change sides at half-time.
package rcg

import (
	"bytes"
	"errors"
	"fmt"
)

// Limits of a line. A team has eleven players; a line of rcssserver 19 has 6 kB.
const (
	Players = 22
	MaxLine = 64 << 10 // bytes
)

// ErrMalformed is the error of a line that is no expression of a game log, or one with other values than its name asks for.
var ErrMalformed = errors.New("rcg: malformed line")

// Version returns the format of a game log by its first line, "ULG6"; 0 for another one. Formats 1 to 3 are binary.
func Version(head []byte) int {
	if len(head) < 4 || !bytes.HasPrefix(head, []byte("ULG")) {
		return 0
	}
	if v := int(head[3]); v < 10 { // a byte
		return v
	}
	if v := int(head[3] - '0'); v <= 9 {
		return v
	}
	return 0
}

// CheckVersion says why a file of a format cannot be read; nil for the text formats.
func CheckVersion(version int) error {
	switch {
	case version >= 4 && version <= 6:
		return nil
	case version > 6:
		return fmt.Errorf("rcg: format %d is newer than format 6 of rcssserver 19, which touchline reads", version)
	default:
		return fmt.Errorf("rcg: format %d is binary: convert the file with rclmconv of rcsslogplayer, version 5", version)
	}
}

// Kind is what a line holds.
type Kind byte

// Kinds of lines.
const (
	KindOther   Kind = iota // parameters of players, drawings, graphics
	KindShow                // a cycle: ball and players
	KindMode                // the referee's play mode
	KindTeams               // names and scores
	KindParams              // of the server
	KindMessage             // of the referee, a coach or the log
)

// Line is a line of a game log. The fields of its kind are set.
type Line struct {
	Kind        Kind
	Cycle       int // of a show, mode, teams or message: it stands still while play is stopped
	Mode        string
	Left, Right Team
	Show        Show
	Params      Params
	Text        string // of a message
}

// Team is a team of a line with teams.
type Team struct {
	Name           string // "" before it connects
	Score          int
	Scored, Missed int // penalties of the shoot-out
}

// Params are the parameters of the server that a reader needs; 0 where the line has none.
type Params struct {
	HalfTime      int // of a half, s
	ExtraHalfTime int // of a half of overtime, s
	Step          int // of a cycle, ms
}

// Show is what a line tells of a cycle.
type Show struct {
	Ball    Ball
	Players []Player // reused
}

// Ball is the ball, in m and m/cycle.
type Ball struct{ X, Y, VX, VY float64 }

// Player is a player, in m, m/cycle and degrees.
type Player struct {
	Right        bool
	Number       uint8 // 1 to 11
	State        State
	X, Y, VX, VY float64
	Body, Neck   float64 // Neck is relative to Body
}

// State is a player's state in a cycle (rcssserver types.h).
type State uint32

// Bits of a State.
const (
	Stand       State = 0x1 // the player is on the field; 0: it is not connected, or sent off
	Kick        State = 0x2
	KickFault   State = 0x4
	Goalie      State = 0x8
	Catch       State = 0x10
	CatchFault  State = 0x20
	Collided    State = 0x400 // with the ball
	Tackle      State = 0x1000
	TackleFault State = 0x2000
	YellowCard  State = 0x40000
	RedCard     State = 0x80000
)

// Kicked reports whether the player kicked the ball in this cycle: it was within reach.
func (s State) Kicked() bool { return s&(Kick|KickFault) == Kick || s&(Tackle|TackleFault) == Tackle }

// Caught reports whether the goalkeeper caught the ball.
func (s State) Caught() bool { return s&(Catch|CatchFault) == Catch }

// UnmarshalText reads a line without its end, and reuses the players. A line that is none of the kinds is KindOther. The error
// wraps ErrMalformed.
func (l *Line) UnmarshalText(b []byte) error {
	*l = Line{Show: Show{Players: l.Show.Players[:0]}}
	if len(b) > MaxLine {
		return fmt.Errorf("%w: it has %d bytes, and one of a game log has at most %d", ErrMalformed, len(b), MaxLine)
	}
	t := text{rest: b}
	t.open()
	name := string(t.word())
	switch name {
	case "show":
		l.Kind, l.Cycle = KindShow, t.whole()
		l.Show.read(&t)
	case "playmode":
		l.Kind, l.Cycle, l.Mode = KindMode, t.whole(), string(t.word())
	case "team":
		l.Kind, l.Cycle = KindTeams, t.whole()
		l.teams(&t)
	case "server_param":
		l.Kind = KindParams
		l.Params.read(&t)
	case "msg":
		l.Kind, l.Cycle = KindMessage, t.whole()
		t.whole() // the board: 1 the referee, 2 the log
		l.Text = string(bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(t.rest), []byte{'"'}), []byte(`")`)))
		t.rest = nil
		return t.err(name)
	default:
		return t.err(name)
	}
	t.close()
	if t.skip(); !t.bad && len(t.rest) > 0 {
		t.fail("more behind its end")
	}
	return t.err(name)
}

// teams reads names and scores.
func (l *Line) teams(t *text) {
	for _, team := range []*Team{&l.Left, &l.Right} {
		if team.Name = string(t.word()); team.Name == "null" {
			team.Name = ""
		}
	}
	l.Left.Score, l.Right.Score = t.whole(), t.whole()
	if !t.ends() {
		l.Left.Scored, l.Left.Missed, l.Right.Scored, l.Right.Missed = t.whole(), t.whole(), t.whole(), t.whole()
	}
}

// read reads the parameters that are asked for, and passes over the others.
func (p *Params) read(t *text) {
	for !t.ends() {
		t.open()
		switch string(t.word()) {
		case "half_time":
			p.HalfTime = t.whole()
		case "extra_half_time":
			p.ExtraHalfTime = t.whole()
		case "simulator_step":
			p.Step = t.whole()
		}
		t.leave()
	}
}

// read reads ball and players.
func (s *Show) read(t *text) {
	seen := [2][Players/2 + 1]bool{}
	for !t.ends() {
		if t.open(); !t.opens() { // the play mode or the teams, as monitors get them
			t.leave()
			continue
		}
		t.open()
		switch side := string(t.word()); side {
		case "b":
			t.close()
			s.Ball = Ball{t.number(), t.number(), t.number(), t.number()}
		case "l", "r":
			p := Player{Right: side == "r"}
			p.read(t)
			is := &seen[0]
			if p.Right {
				is = &seen[1]
			}
			if is[p.Number] {
				t.fail("player %d of one side twice", p.Number)
				return
			}
			is[p.Number] = true
			s.Players = append(s.Players, p)
		default:
			t.fail("want ball or player, not %.10q", side)
		}
		t.leave()
	}
}

// read reads a player behind its side.
func (p *Player) read(t *text) {
	number := t.whole()
	if number < 1 || number > Players/2 {
		t.fail("player %d: want 1 to %d", number, Players/2)
		return
	}
	t.close()
	p.Number = uint8(number)
	t.whole() // the player's type
	p.State = State(t.bits())
	p.X, p.Y, p.VX, p.VY, p.Body, p.Neck = t.number(), t.number(), t.number(), t.number(), t.number(), t.number()
}
