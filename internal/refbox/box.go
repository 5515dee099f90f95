// Package refbox is the referee box of the Middle Size League: it decides which team plays on which side, sends the
// referee's commands to both base stations, receives their worldstates and events, and offers what pages, score clients
// and the journal need. The rules of a match are in package game, the sockets, files and the clock in package
// refboxnet.
package refbox

import (
	"fmt"
	"slices"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/msl"
)

// Config describes a referee box. DefaultConfig returns it filled; zero means zero.
type Config struct {
	// Rules are the year's rules. Default those of 2026.
	Rules game.Rules
	// Teams is the team table. Default soccer.MSLTeams.
	Teams []soccer.Team
	// HomeID and AwayID are teams of the table that are admitted automatically. Both may be the same: one team against
	// itself. Default 0: none.
	HomeID, AwayID int
	// Resync sends a base station that reconnects the state of the game. Clients of RefBox 2.1 do not expect it.
	// Default false.
	Resync bool
	// StrictUpstream does not count worldstates that RefBox 2.1 would drop; the journal holds them anyway. Default
	// false.
	StrictUpstream bool
	// MaxWaiting is how many connections without a side wait for the referee at a time. Default 250.
	MaxWaiting int
	// Name is the name of the field on every page. Default "Field A".
	Name string
	// Field is the field that report cards check positions against. Default 22 x 14 m.
	Field soccer.Field
	// NewCard returns an empty report card of a team on Field. Default nil: pages show no findings of report cards.
	NewCard func(team string, field soccer.Field) ReportCard
}

// ReportCard judges all messages of a team. It keeps nothing of its arguments.
type ReportCard interface {
	// Add judges the number-th message. found and err are what world.Examine returned for data; Add may change world.
	Add(received, published soccer.Time, number int64, data []byte, world *msl.Worldstate, found []msl.Finding, err error)
	// AddOmitted counts messages of one second that the box did not keep.
	AddOmitted(kept, omitted uint64)
	// SetUnclosed notes how many bytes no NUL closes, and how many were dropped because their NUL came too late.
	SetUnclosed(pending, dropped int64)
	// Compare notes what the opponents' card shows about both teams.
	Compare(opponents ReportCard)
	// Findings returns the findings, the most severe first.
	Findings() []CardShow
	// Describe returns what breaks a rule, without quoting the team; "" for an unknown rule.
	Describe(rule string) string
}

// noCard is the report card of a box that keeps none.
type noCard struct{}

func (noCard) Add(_, _ soccer.Time, _ int64, _ []byte, _ *msl.Worldstate, _ []msl.Finding, _ error) {}

func (noCard) AddOmitted(_, _ uint64)   {}
func (noCard) SetUnclosed(_, _ int64)   {}
func (noCard) Compare(ReportCard)       {}
func (noCard) Findings() []CardShow     { return nil }
func (noCard) Describe(_ string) string { return "" }

// DefaultConfig returns a referee box with this year's rules and field that expects no particular team.
func DefaultConfig() Config {
	return Config{Rules: game.DefaultRules(), Teams: soccer.MSLTeams(), MaxWaiting: 250, Name: "Field A",
		Field: soccer.MSL22x14()}
}

// maxSent is how many messages to a team its page shows.
const maxSent = 12

// ConnID identifies a connection of a base station as long as the box runs.
type ConnID uint64

// Admission says which team has a side. The journal holds it as JSON.
type Admission struct {
	Time  soccer.Time `json:"time"` // start of the team's first 100 ms window
	Side  game.Side   `json:"side"`
	ID    int         `json:"id"`             // ID in the team table
	Name  string      `json:"name"`           // has the suffix " A" or " B" where one team plays itself
	Short string      `json:"short"`          // at most 8 bytes
	Group string      `json:"group"`          // targetTeam on the wire, with the suffix ":1" for the second side of one team
	Addr  string      `json:"addr"`           // address of its base station, without the port
	Gone  bool        `json:"gone,omitempty"` // the side was released
}

// Effects are what the shell has to do after a call of the box, in this order: change the journal (NewGame), write Log,
// wait for the disk (Sync), Send, Close, Score, release the log (Over). A call that returns an error has effects, too.
type Effects struct {
	NewGame bool     // finish the journal of the last game and begin another one before writing Log
	Log     []Record // records for the journal; Data of a received message is the caller's own memory
	Sync    bool     // Log holds a decision or an admission: it must be on disk before Send
	Send    []Send
	Close   []Closing
	Score   [][]byte // datagrams about the sent messages, for the score clients
	Over    bool     // END_GAME, GAMEOVER or RESET was sent: release the log
}

// Record is one message for the journal.
type Record struct {
	Time      soccer.Time // time of arrival, or when the box made it
	Published soccer.Time // time for which its contents hold: Time less ageMs for a worldstate
	Channel   string      // one of the channels of package game
	Data      []byte
}

// Send is data for one base station: one or more messages, each with its NUL. They leave one after the other, as a
// SendQueue decides.
type Send struct {
	To   ConnID
	Data []byte
	Side game.Side // side of the team
}

// Closing is a connection to close once everything queued for it is sent.
type Closing struct {
	Conn ConnID
	Why  string
}

// Box is a referee box without sockets, files and clock. The now of every method is the time of the call. A Box is not
// safe for concurrent use.
type Box struct {
	cfg            Config
	now            soccer.Time // never decreases
	clockNoted     bool        // the journal has a note that the clock was set back
	game           *game.Game
	began          soccer.Time
	seats          [2]seat
	waiting        []waiting            // sorted by the time of connection
	refused        []refusal            // the last 10 addresses, newest last
	trouble        []trouble            // oldest first
	touched        bool                 // a team was admitted
	restored       bool                 // Restore made it, and no other method was called yet
	since          soccer.Time          // time of the first call after Restore
	lastInProgress soccer.Time          // the game was last in progress then
	verdicts       map[int]game.Verdict // newest of each decision, by its number
	millis         []float64            // latency of decision i+1, in ms; 0: unknown
	last           string               // the last sent message, as text
	stateLogged    int64                // second of the last State in the journal
	limit          lineLimit
}

// trouble is a warning that the referee sees as long as it lasts.
type trouble struct{ kind, text string }

// New returns a box with a game that begins now.
func New(cfg Config, now soccer.Time) *Box {
	now = min(max(now, 0), game.Latest)
	return &Box{
		cfg: cfg, now: now, began: now, game: game.New(cfg.Rules, now), verdicts: map[int]game.Verdict{},
		seats: [2]seat{
			{side: game.Home, channel: game.HomeChannel, emptyChannel: game.HomeEmptyChannel},
			{side: game.Away, channel: game.AwayChannel, emptyChannel: game.AwayEmptyChannel},
		},
	}
}

// seat returns the seat of a side.
func (b *Box) seat(side game.Side) *seat {
	if side == game.Away {
		return &b.seats[1]
	}
	return &b.seats[0]
}

// seatOf returns the seat of a side that the referee names.
func (b *Box) seatOf(side game.Side) (*seat, error) {
	if side != game.Home && side != game.Away {
		return nil, fmt.Errorf("%w: side %q is neither home nor away", game.ErrRefused, side)
	}
	return b.seat(side), nil
}

// isReset reports whether RESET ended the game: the next decision begins another one.
func (b *Box) isReset() bool { return b.game.State().Resets > 0 }

// InProgress reports whether the game is neither over nor reset.
func (b *Box) InProgress() bool { return b.game.State().Part != game.End && !b.isReset() }

// Untouched reports whether nothing has happened in the game: it has no decision and no admission.
func (b *Box) Untouched() bool { return len(b.game.Log()) == 0 && !b.touched }

// Game returns the game, which is read-only. After a RESET another one follows.
func (b *Box) Game() *game.Game { return b.game }

// Began returns when the game of the journal began.
func (b *Box) Began() soccer.Time { return b.began }

// Admissions returns the teams that have a side.
func (b *Box) Admissions() []Admission {
	var all []Admission
	for i := range b.seats {
		if s := &b.seats[i]; s.taken {
			all = append(all, s.Admission)
		}
	}
	return all
}

// log adds a record for the journal.
func (e *Effects) log(now soccer.Time, channel string, data []byte) {
	e.Log = append(e.Log, Record{Time: now, Published: now, Channel: channel, Data: data})
}

// note adds a note for the journal.
func (b *Box) note(e *Effects, format string, args ...any) {
	e.log(b.now, game.NotesChannel, fmt.Appendf(nil, format, args...))
}

// logLine adds a line of the RefBox's log of events. A line that cannot be encoded becomes a note.
func (b *Box) logLine(e *Effects, l msl.Line) {
	data, err := l.AppendBinary(nil)
	if err != nil {
		b.note(e, "%v", err)
		return
	}
	e.log(b.now, game.LinesChannel, data)
}

// Delivered reports the latency of decision number, from the referee's request to the last byte in a team's socket, in
// ms.
func (b *Box) Delivered(number int, millis float64) {
	if number < 1 || number > len(b.game.Log()) {
		return
	}
	for len(b.millis) < number {
		b.millis = append(b.millis, 0)
	}
	b.millis[number-1] = millis
}

// Departed reports that a message left for the team of a side at this time, or why it will not leave.
func (b *Box) Departed(at soccer.Time, side game.Side, d game.Departure) {
	s := b.seat(side)
	if s.check != nil {
		s.check.left(d.Message, at, d.Why)
	}
	s.sent = bounded.Append(s.sent, SentShow{Time: float64(at) / 1e6, Text: d.Message, Millis: d.Millis, Why: d.Why}, maxSent)
}

// Trouble sets the warning of a kind that the referee sees; "" removes it.
func (b *Box) Trouble(kind, text string) {
	i := slices.IndexFunc(b.trouble, func(t trouble) bool { return t.kind == kind })
	switch {
	case i >= 0 && text == "":
		b.trouble = slices.Delete(b.trouble, i, i+1)
	case i >= 0:
		b.trouble[i].text = text
	case text != "":
		b.trouble = append(b.trouble, trouble{kind, text})
	}
}
