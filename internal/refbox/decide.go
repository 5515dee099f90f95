package refbox

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// tolerance is how far behind the box a message's time may be without a note: it was read while others were judged.
const tolerance = time.Second

// compareEvery is the period for comparing the two teams' report cards, in s.
const compareEvery = 60

// advance moves the box to now and sends the messages that are due. A time before the last one stands for the last one:
// decisions keep their order.
func (b *Box) advance(now soccer.Time, e *Effects) {
	if now < b.now.Add(-tolerance) && !b.clockNoted {
		b.note(e, "the clock was set back by %v: the game's clock stops until then", b.now.Sub(now))
		b.clockNoted = true
	}
	if now >= b.now {
		b.now, b.clockNoted = min(now, game.Latest), false
	}
	if b.restored {
		b.restored, b.since = false, b.now
	}
	if due := b.game.Tick(b.now); len(due) > 0 {
		b.announce(due, b.game.State(), e)
		e.log(b.now, game.StatesChannel, journalJSON(b.game.State()))
	}
	if b.InProgress() {
		b.lastInProgress = b.now
	}
}

// Tick advances the box to now and closes the sampling windows that have passed. Call it about every 10 ms, after
// Receive for messages read before now. Once a second it records the state of the game.
func (b *Box) Tick(now soccer.Time) Effects {
	var e Effects
	b.advance(now, &e)
	b.closeWindows(&e)
	if slices.ContainsFunc(b.waiting, func(w waiting) bool { return w.contests }) {
		b.placeWaiting(&e) // a silent base station loses its side to the other one of its team
	}
	for i := range b.seats {
		b.closeSecond(&b.seats[i], &e)
	}
	second := int64(b.now) / int64(time.Second)
	if second == b.stateLogged {
		return e
	}
	b.stateLogged = second
	if n := b.limit.restart(); n > 0 {
		b.note(&e, "%d more lines about connections are omitted: the limit is %d a second", n, maxLines)
	}
	if b.InProgress() && (b.seats[0].taken || b.seats[1].taken || b.game.State().Part != game.PreGame) {
		e.log(b.now, game.StatesChannel, journalJSON(b.game.State()))
	}
	for i := range b.seats {
		s := &b.seats[i]
		b.noteUnterminated(s, &e)
		if s.check != nil && !s.checkNoted && s.check.result(b.now).Verdict != running {
			b.noteCheck(s, &e)
		}
	}
	if home, away := &b.seats[0], &b.seats[1]; second%compareEvery == 0 && home.taken && away.taken &&
		!b.game.State().Running {
		home.card.Compare(away.card) // too slow while the ball is in play: it compares the whole game
	}
	return e
}

// Decide makes a decision of the referee at now. After a RESET, decisions other than UNDO, REDO, STOP and RESET begin
// another game; STOP and RESET change nothing then. An error wraps game.ErrRefused; the effects then only hold the
// messages that were due.
func (b *Box) Decide(now soccer.Time, d game.Decision) (game.Outcome, Effects, error) {
	var e Effects
	b.advance(now, &e)
	g, another := b.gameFor(d)
	d.Time = b.now
	before := g.State()
	out, err := g.Apply(d)
	if err != nil {
		return game.Outcome{}, e, fmt.Errorf("%w: %s", game.ErrRefused, b.refusal(err))
	}
	b.nameAll(&out)
	if another {
		b.startGame(g, &e)
	}
	log := g.Log()
	taken := &log[len(log)-1].Decision
	e.log(b.now, game.DecisionsChannel, journalJSON(taken))
	switch taken.Command {
	case game.Undo, game.Redo, game.SetScore, game.SetClock, game.SetPart:
		b.logLine(&e, msl.Line{Text: "Referee: " + msl.LineText(b.Describe(taken))})
	}
	b.announce(out.Messages, before, &e)
	for _, note := range out.Notes {
		b.note(&e, "%s", note)
	}
	e.log(b.now, game.StatesChannel, journalJSON(g.State()))
	e.Sync = !taken.Idle(&before)
	return out, e, nil
}

// Judge records what a review of a decision found. It changes nothing in the game. An error wraps game.ErrRefused.
func (b *Box) Judge(now soccer.Time, v game.Verdict) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	v.Time = b.now
	if v.Version == 0 {
		v.Version = game.Version
	}
	if why := b.malformed(&v); why != "" {
		return e, fmt.Errorf("%w: %s", game.ErrRefused, why)
	}
	b.verdicts[v.Decision] = v
	e.log(b.now, game.VerdictsChannel, journalJSON(v))
	text := fmt.Sprintf("Referee: review of %s: %s", b.Describe(&b.game.Log()[v.Decision-1].Decision), v.Found)
	if v.Note != "" {
		text += ", " + v.Note
	}
	b.logLine(&e, msl.Line{Text: msl.LineText(text)})
	e.Sync = true
	return e, nil
}

// malformed returns why a verdict is none; "" if it is one.
func (b *Box) malformed(v *game.Verdict) string {
	switch n := len(b.game.Log()); {
	case v.Version != game.Version:
		return fmt.Sprintf("the verdict has version %d; this program reads version %d", v.Version, game.Version)
	case v.Decision < 1 || v.Decision > n:
		return fmt.Sprintf("there is no decision %d: the game has %d", v.Decision, n)
	case v.Found != game.Upheld && v.Found != game.Overturned && v.Found != game.Unclear:
		return fmt.Sprintf("the verdict %.40q: want %s, %s or %s", v.Found, game.Upheld, game.Overturned, game.Unclear)
	case len(v.Note) > game.MostNote:
		return fmt.Sprintf("the note has %d bytes; the limit is %d", len(v.Note), game.MostNote)
	case wire.Printable(v.Note) != v.Note:
		return "the note has characters that cannot be printed: write it on one line"
	}
	return ""
}

// refusal returns the text of an error of package game, with the names of the teams.
func (b *Box) refusal(err error) string {
	return b.named(strings.TrimPrefix(err.Error(), game.ErrRefused.Error()+": "))
}

// nameAll names the teams in the texts of an outcome.
func (b *Box) nameAll(out *game.Outcome) {
	for i := range out.Notes {
		out.Notes[i] = b.named(out.Notes[i])
	}
	for i := range out.Dropped {
		out.Dropped[i].Why = b.named(out.Dropped[i].Why)
	}
}

// gameFor returns the game that a decision applies to, and whether that is a new one.
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

// startGame begins another game with the same teams.
func (b *Box) startGame(g *game.Game, e *Effects) {
	b.game, b.began, b.lastInProgress, b.millis, b.touched = g, b.now, b.now, nil, false
	clear(b.verdicts)
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

// Preview returns the outcome that Decide would have now. It changes nothing.
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
		p.Why = b.refusal(err)
		return p
	}
	b.nameAll(&out)
	for i := range out.Messages {
		p.Messages = append(p.Messages, b.wireText(&out.Messages[i]))
	}
	p.Notes = append(p.Notes, out.Notes...)
	switch d.Command {
	case game.Repair, game.YellowCard, game.RedCard:
		p.Notes = append(p.Notes, "waits for the next START")
	case game.SetPart:
		p.Notes = append(p.Notes, "the clock continues unchanged: SET_CLOCK corrects it")
	}
	for _, c := range out.Dropped {
		p.Dropped = append(p.Dropped, fmt.Sprintf("%s: %s", b.Describe(&g.Log()[c.Number-1].Decision), c.Why))
	}
	for _, c := range out.Restored {
		p.Restored = append(p.Restored, b.Describe(&g.Log()[c.Number-1].Decision))
	}
	return p
}

// announce sends messages to both base stations and records them; before is the state before them.
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
			e.Send = append(e.Send, Send{s.conn, burst, s.side})
			s.lastSent, s.lastSentAt = b.last, b.now
		}
	}
}

// encode returns a message as RefBox 2.1 sends it, without its NUL.
func (b *Box) encode(m *game.Message) []byte {
	c := msl.Command{Name: string(m.Command), RobotID: m.RobotID}
	if m.Side != game.Both {
		c.TargetTeam = b.seat(m.Side).group()
	}
	data, err := c.AppendBinary(nil)
	if err != nil {
		panic(err) // commands, groups and robots are valid: a test sends all of them
	}
	return data
}

// CheckReader sends a burst of harmless messages to the base station of a side before the first half, to find out how it
// reads. An error wraps game.ErrRefused.
func (b *Box) CheckReader(now soccer.Time, side game.Side) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	s, err := b.seatOf(side)
	switch {
	case err != nil:
		return e, err
	case !s.connected:
		return e, fmt.Errorf("%w: no base station is connected as %s", game.ErrRefused, side)
	case b.game.State().Part != game.PreGame || b.isReset():
		return e, fmt.Errorf("%w: a reader can be checked only before the first half", game.ErrRefused)
	}
	s.check, s.checkNoted = &readerCheck{began: b.now}, false
	burst := CheckBurst(1, CheckMessages)
	for m := range bytes.SplitSeq(bytes.TrimSuffix(burst, []byte{0}), []byte{0}) {
		e.log(b.now, game.CommandsChannel, m)
	}
	b.note(&e, "%s is sent a check of its reader: %d messages to group %s", s.Name, CheckMessages, CheckGroup)
	e.Send = append(e.Send, Send{s.conn, burst, s.side})
	return e, nil
}

// TellReader takes what a team saw of the last check of its reader: all messages, or not all. An error wraps
// game.ErrRefused.
func (b *Box) TellReader(now soccer.Time, side game.Side, all bool) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	s := b.seat(side)
	if side != game.Home && side != game.Away || s.check == nil {
		return e, fmt.Errorf("%w: side %q has no check of its reader", game.ErrRefused, side)
	}
	s.check.tell(all)
	b.noteCheck(s, &e)
	return e, nil
}

// noteCheck records the result of a check in the journal.
func (b *Box) noteCheck(s *seat, e *Effects) {
	s.checkNoted = true
	b.note(e, "check of the reader of %s: %s", s.Name, s.check.result(b.now).Text)
}
