package refbox

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"touchline/game"
	"touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

// BoxConfig is what a referee box is told once.
type Config struct {
	Rules          game.Rules
	Teams          []soccer.Team // the team table
	HomeID, AwayID int           // teams of the table that are taken in without a click; 0: none. Both the same: one team twice
	Resync         bool          // a base station that comes back is told where the game is; clients of the RefBox 2.1 do not expect it
	StrictUpstream bool          // a worldstate that the RefBox 2.1 would drop is not counted as received; it is logged anyway
	Name           string        // of the field
	Field          soccer.Field  // what a report card judges positions by
}

// DefaultBoxConfig returns this year's rules, the league's teams and field, and nobody expected.
func DefaultConfig() Config {
	return Config{Rules: game.DefaultRules(), Teams: soccer.MSLTeams(), Name: "Field A", Field: soccer.MSL22x14()}
}

// Conn names a connection of a base station, for as long as the box runs.
type ConnID uint64

// Admission is who has a side since when. Its JSON is the journal's.
type Admission struct {
	Time  soccer.Time `json:"time"` // the team's 100 ms windows are counted from here
	Side  game.Side   `json:"side"`
	ID    int         `json:"id"`             // of the team table
	Name  string      `json:"name"`           // one team twice: the second one's ends with the letter of its side, A or B
	Short string      `json:"short"`          // at most 8 bytes
	Group string      `json:"group"`          // what the wire calls the team; one team twice: the second one's ends with ":1"
	Addr  string      `json:"addr"`           // where its base station is, without the port
	Gone  bool        `json:"gone,omitempty"` // the side was released: nobody has it
}

// Effects is what a call of the box asks of its shell, in this order: another journal (NewGame), Log into the journal,
// the disk (Sync), Send, Close, Score, the zip (Over). A call that returns an error has effects too.
type Effects struct {
	NewGame bool     // the journal of the last game is to be finished and another begun before Log is written
	Log     []Record // to the journal; Data of a message that was heard is the caller's own
	Sync    bool     // Log has to be on the disk before Send: there is a decision in it
	Send    []Send
	Close   []Closing
	Score   [][]byte // datagrams to the score clients: what was just sent (facts msl 1.9)
	Over    bool     // the log is to be released: END_GAME, GAMEOVER or RESET was sent
}

// Record is one message for the journal.
type Record struct {
	Time      soccer.Time // when it was received or made
	Published soccer.Time // when its contents were current: Time less ageMs for a worldstate
	Channel   string      // one of the channels of package game
	Data      []byte
}

// Send is what one base station is sent: one or more messages, each with its NUL.
type Send struct {
	To   ConnID
	Data []byte
}

// Closing is a connection to close, after what was to be sent to it.
type Closing struct {
	Conn    ConnID
	Refusal string
}

// Box is the referee box without its sockets, files and clock: a game, who plays it, what the base stations say, and what
// they are to be told. Every method's now is the moment of the call. It is a value of one goroutine.
type Box struct {
	cfg     Config
	now     soccer.Time // never goes back
	held    bool        // a clock that was set back has been noted
	game    *game.Game
	began   soccer.Time
	seats   [2]seat
	waiting []waiting   // by their coming
	refused []refusal   // of the last 10 addresses, newest last
	trouble []trouble   // by their coming
	touched bool        // a team was taken in
	back    bool        // it was restored and not yet called
	since   soccer.Time // when a restored box was first called
	over    soccer.Time // when the game was last seen on
	millis  []float64   // how long decision i+1 took to go out; 0: not known
	last    string      // what was last sent, in words
	saidAt  int64       // second of the last state in the log
	chat    chatter
}

// trouble is something that the referee has to know of as long as it lasts.
type trouble struct{ kind, text string }

// NewBox returns a box with a game that begins now.
func New(cfg Config, now soccer.Time) *Box {
	now = min(max(now, 0), game.Latest)
	return &Box{
		cfg: cfg, now: now, began: now, game: game.New(cfg.Rules, now),
		seats: [2]seat{
			{side: game.Home, channel: game.HomeChannel, empties: game.HomeEmptyChannel},
			{side: game.Away, channel: game.AwayChannel, empties: game.AwayEmptyChannel},
		},
	}
}

// Past is what a journal tells of its game.
type History struct {
	Began, Last soccer.Time // Last is that of the newest state
	Decisions   []game.Decision
	Admissions  []Admission
	Messages    []Record // of the channels of both teams, from lastSaid before Last to as long after it
}

// lastSaid is how long before the last state of a journal windows may be open.
const Lookback = 2 * time.Second

// RestoreBox returns the box that a journal leads to: the same game at its last moment, and the same teams, which are not
// connected yet; what the teams were told by then is not told again. The next call brings it to the present: the game ran
// on meanwhile. Where a decision of the journal is refused, which only other rules can bring about, the error names it and
// the box is not to be used.
func Restore(cfg Config, p History) (*Box, error) {
	b := New(cfg, p.Began)
	g, err := game.Replay(cfg.Rules, b.began, p.Decisions)
	if err != nil {
		return nil, err
	}
	b.game, b.touched, b.back = g, len(p.Admissions) > 0, true
	b.now = max(b.now, g.State().Time, min(p.Last, game.Latest))
	g.Tick(b.now)
	for i := range p.Admissions {
		a := &p.Admissions[i]
		if a.Side != game.Home && a.Side != game.Away {
			return nil, fmt.Errorf("refbox: admission %d: side %q is neither home nor away", i+1, a.Side)
		}
		if _, err := (&msl.Command{Name: msl.Welcome, TargetTeam: a.Group}).AppendBinary(nil); err != nil {
			return nil, fmt.Errorf("refbox: admission %d: %w", i+1, err)
		}
		s := b.seat(a.Side)
		*s = seat{side: s.side, channel: s.channel, empties: s.empties}
		if a.Gone {
			continue
		}
		host, _ := netip.ParseAddr(a.Addr) // one that cannot be read is nobody's
		s.take(*a, host, cfg.Field)
	}
	for i := range b.seats {
		b.restoreGrid(&b.seats[i], p.Messages)
	}
	return b, nil
}

// seat returns a side's.
func (b *Box) seat(side game.Side) *seat {
	if side == game.Away {
		return &b.seats[1]
	}
	return &b.seats[0]
}

// isReset reports whether the game was ended by RESET: what is decided next begins another one.
func (b *Box) isReset() bool { return b.game.State().Resets > 0 }

// isOn reports whether the game is neither over nor reset.
func (b *Box) InProgress() bool { return b.game.State().Part != game.End && !b.isReset() }

// Untouched reports whether nothing has happened in the game: it has no decision, and nobody was ever taken in.
func (b *Box) Untouched() bool { return len(b.game.Log()) == 0 && !b.touched }

// Game returns the game. It is not to be changed, and another one after a RESET.
func (b *Box) Game() *game.Game { return b.game }

// Began returns when the game of the journal began.
func (b *Box) Began() soccer.Time { return b.began }

// Admissions returns who has a side.
func (b *Box) Admissions() []Admission {
	var all []Admission
	for i := range b.seats {
		if s := &b.seats[i]; s.taken {
			all = append(all, s.Admission)
		}
	}
	return all
}

// log adds a message to the journal.
func (e *Effects) log(now soccer.Time, channel string, data []byte) {
	e.Log = append(e.Log, Record{Time: now, Published: now, Channel: channel, Data: data})
}

// note writes free text into the journal.
func (b *Box) note(e *Effects, format string, args ...any) {
	e.log(b.now, game.NotesChannel, fmt.Appendf(nil, format, args...))
}

// logLine writes a line of the RefBox's log of events; what cannot be one becomes a note.
func (b *Box) logLine(e *Effects, l msl.Line) {
	data, err := l.AppendBinary(nil)
	if err != nil {
		b.note(e, "%v", err)
		return
	}
	e.log(b.now, game.LinesChannel, data)
}

// reach brings the box to a moment: what became due is sent. A moment before the last one is held there: one decision
// never comes before another.
func (b *Box) advance(now soccer.Time, e *Effects) {
	if now < b.now.Add(-tolerance) && !b.held {
		b.note(e, "the clock was set back by %v: the game's stands until it is caught up", b.now.Sub(now))
		b.held = true
	}
	if now >= b.now {
		b.now, b.held = min(now, game.Latest), false
	}
	if b.back {
		b.back, b.since = false, b.now
	}
	if due := b.game.Tick(b.now); len(due) > 0 {
		b.announce(due, b.game.State(), e)
		e.log(b.now, game.StatesChannel, journalJSON(b.game.State()))
	}
	if b.InProgress() {
		b.over = b.now
	}
}

// comparedEvery is how often the teams' balls are held against each other, in s.
const comparedEvery = 60

// tolerance is how far the moment of a message may lie behind without a word: it was read while others were decided upon.
const tolerance = time.Second

// Tick brings the box to now and closes the windows that have passed; it is to be called every 10 ms or so, and after Hear
// for whatever was read before. Once a second it writes the state of the game.
func (b *Box) Tick(now soccer.Time) Effects {
	var e Effects
	b.advance(now, &e)
	b.closeWindows(&e)
	second := int64(b.now) / int64(time.Second)
	if second == b.saidAt {
		return e
	}
	b.saidAt = second
	if n := b.chat.next(); n > 0 {
		b.note(&e, "%d more lines about connections are left out: they come too fast", n)
	}
	if b.InProgress() && (b.seats[0].taken || b.seats[1].taken || b.game.State().Part != game.PreGame) {
		e.log(b.now, game.StatesChannel, journalJSON(b.game.State()))
	}
	for i := range b.seats {
		b.unclosedNote(&b.seats[i], &e)
	}
	if home, away := &b.seats[0], &b.seats[1]; second%comparedEvery == 0 && home.taken && away.taken && !b.game.State().Running {
		reportcard.Compare(home.card, away.card) // it looks at all of the game: not while the ball is in play
	}
	return e
}

// Decide takes a decision of the referee; its Time is set to now. After a RESET whatever but UNDO, REDO, STOP and RESET
// begins another game: these two are pressed without a thought, and change nothing then. An error wraps ErrRefused, and the decision has no
// effects then; what became due meanwhile has.
func (b *Box) Decide(now soccer.Time, d game.Decision) (game.Outcome, Effects, error) {
	var e Effects
	b.advance(now, &e)
	g, another := b.gameFor(d)
	d.Time = b.now
	before := g.State()
	out, err := g.Apply(d)
	if err != nil {
		return game.Outcome{}, e, err
	}
	if another {
		b.begin(g, &e)
	}
	log := g.Log()
	taken := &log[len(log)-1].Decision
	e.log(b.now, game.DecisionsChannel, journalJSON(taken))
	switch taken.Command {
	case game.Undo, game.Redo, game.SetScore, game.SetClock, game.SetPart:
		b.logLine(&e, msl.Line{Text: "Referee: " + plain(b.Describe(taken))})
	}
	b.announce(out.Messages, before, &e)
	for _, note := range out.Notes {
		b.note(&e, "%s", note)
	}
	e.log(b.now, game.StatesChannel, journalJSON(g.State()))
	e.Sync = !idle(taken, &before)
	return out, e, nil
}

// idle reports whether a decision is a STOP that changes nothing, as Space gives by the dozen: nobody waits for the disk
// because of it.
func idle(d *game.Decision, before *game.State) bool {
	return d.Command == game.Stop && !before.Running && before.SetPiece.Command == ""
}

// gameFor returns the game that a decision is about, and whether that is another one.
func (b *Box) gameFor(d game.Decision) (*game.Game, bool) {
	if !b.isReset() {
		return b.game, false
	}
	switch d.Command {
	case game.Undo, game.Redo, game.Stop, game.Reset:
		return b.game, false
	}
	return game.New(b.cfg.Rules, b.now), true
}

// begin lets another game begin: the teams stay.
func (b *Box) begin(g *game.Game, e *Effects) {
	b.game, b.began, b.over, b.millis, b.touched = g, b.now, b.now, nil, false
	e.NewGame = true
	for i := range b.seats {
		if s := &b.seats[i]; s.taken {
			s.Admission.Time, b.touched = b.now, true
			s.openGrid(b.now)
			e.log(b.now, game.AdmissionsChannel, journalJSON(s.Admission))
		}
	}
	e.log(b.now, game.StatesChannel, journalJSON(g.State()))
}

// PreviewShow is what a decision would bring about.
type PreviewShow struct {
	Ref      int      `json:"ref"`      // UNDO, REDO: the number of the decision that it is about
	Text     string   `json:"text"`     // that decision, in words
	Messages []string `json:"messages"` // the wire's words and the team, like "SUBGOAL CAMBADA"
	Notes    []string `json:"notes"`    // what no message can say
	Dropped  []string `json:"dropped"`  // later decisions that would hold no longer, and why
	Restored []string `json:"restored"` // later decisions that would hold again
	Refusal  string   `json:"why"`      // it would be refused; "": it would not
}

// Preview returns what Decide would bring about now, and changes nothing.
func (b *Box) Preview(d game.Decision) PreviewShow {
	g, _ := b.gameFor(d)
	d.Time = b.now
	p := PreviewShow{Messages: []string{}, Notes: []string{}, Dropped: []string{}, Restored: []string{}}
	if d.Command == game.Undo || d.Command == game.Redo {
		if ref, why := g.Target(d); why == "" {
			p.Ref, p.Text = ref, b.Describe(&g.Log()[ref-1].Decision)
		}
	}
	out, _, err := g.Preview(d)
	if err != nil {
		p.Refusal = strings.TrimPrefix(err.Error(), game.ErrRefused.Error()+": ")
		return p
	}
	for i := range out.Messages {
		p.Messages = append(p.Messages, b.wireText(&out.Messages[i]))
	}
	p.Notes = append(p.Notes, out.Notes...)
	switch d.Command {
	case game.Repair, game.YellowCard, game.RedCard:
		p.Notes = append(p.Notes, "goes out with the next START")
	case game.SetPart:
		p.Notes = append(p.Notes, "the clock goes on as it is: SET_CLOCK corrects it")
	}
	for _, c := range out.Dropped {
		p.Dropped = append(p.Dropped, fmt.Sprintf("%s: %s", b.Describe(&g.Log()[c.Number-1].Decision), c.Why))
	}
	for _, c := range out.Restored {
		p.Restored = append(p.Restored, b.Describe(&g.Log()[c.Number-1].Decision))
	}
	return p
}

// Sent says how long decision number of this game took from the request to the last byte handed to a socket, in ms.
func (b *Box) Sent(number int, millis float64) {
	if number < 1 || number > len(b.game.Log()) {
		return
	}
	for len(b.millis) < number {
		b.millis = append(b.millis, 0)
	}
	b.millis[number-1] = millis
}

// Trouble shows the referee what is wrong, one text a kind; "" takes it back.
func (b *Box) Trouble(kind, text string) {
	for i := range b.trouble {
		if b.trouble[i].kind == kind {
			if b.trouble[i].text = text; text == "" {
				b.trouble = append(b.trouble[:i], b.trouble[i+1:]...)
			}
			return
		}
	}
	if text != "" {
		b.trouble = append(b.trouble, trouble{kind, text})
	}
}

// tell sends messages to both base stations and writes them down. before is the game's moment before them.
func (b *Box) announce(messages []game.Message, before game.State, e *Effects) {
	if len(messages) == 0 {
		return
	}
	after := b.game.State()
	var burst []byte
	for i := range messages {
		m := &messages[i]
		data := b.encode(m)
		e.log(b.now, game.CommandsChannel, data)
		b.logLine(e, b.eventLine(m, &before, &after))
		e.Score = append(e.Score, b.scoreEvent(m))
		e.Over = e.Over || m.Command == game.GameEnds || m.Command == game.GameOver || m.Command == game.Reset
		burst = append(append(burst, data...), 0)
		b.last = b.phrase(m.Command, m.Side, m.RobotID)
	}
	for i := range b.seats {
		if s := &b.seats[i]; s.connected {
			e.Send = append(e.Send, Send{s.conn, burst})
			s.told, s.toldAt = b.last, b.now
		}
	}
}

// encode returns a message as the RefBox 2.1 sends it, without its NUL.
func (b *Box) encode(m *game.Message) []byte {
	c := msl.Command{Name: string(m.Command), RobotID: m.RobotID}
	if m.Side != game.Both {
		c.TargetTeam = b.seat(m.Side).group()
	}
	data, err := c.AppendBinary(nil)
	if err != nil {
		panic(err) // words, groups and numbers are our own: a test sends all of them
	}
	return data
}
