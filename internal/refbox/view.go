package refbox

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"touchline/game"
	"touchline/soccer"
)

const maxEntries = 60

// at returns the state at now. It changes nothing.
func (b *Box) at(now soccer.Time) game.State {
	return b.game.State().At(now)
}

// Show returns the public view of the match. The shell sets Game, Follows and Lag.
func (b *Box) Show(now soccer.Time) Show {
	s := b.at(now)
	v := Show{
		Name: b.cfg.Name, Time: float64(s.Time) / 1e6,
		Part: s.Part, Play: !s.Part.IsInterval(), Running: s.Running,
		Total: s.Total.Seconds(), Effective: s.Effective.Seconds(), Length: b.cfg.Rules.Length(s.Part).Seconds(),
		SetPiece: s.SetPiece, Taking: s.Taking, Countdowns: b.countdowns(&s),
		Home: b.teamShow(&b.seats[0], &s), Away: b.teamShow(&b.seats[1], &s),
		Last: b.last, Trouble: []string{},
	}
	for i := range b.seats {
		if text := b.rivalText(&b.seats[i]); text != "" {
			v.Trouble = append(v.Trouble, text)
		}
	}
	for _, t := range b.trouble {
		v.Trouble = append(v.Trouble, t.text)
	}
	return v
}

// countdowns returns the running deadlines and penalties.
func (b *Box) countdowns(s *game.State) []Countdown {
	all := []Countdown{}
	if s.Part == game.End {
		return all
	}
	r := &b.cfg.Rules
	if left := s.TakingUntil.Sub(s.Time).Seconds(); s.Taking.Command != "" && left > 0 {
		all = append(all, Countdown{Kind: "set piece", Side: s.Taking.Side, Left: left,
			Length: float64(r.SetPieceSeconds)})
	}
	for _, side := range [2]game.Side{game.Home, game.Away} {
		for _, p := range s.Team(side).Penalties {
			if !p.Sent || p.Over || p.Until == 0 || sentOff(s.Team(side), p.Robot) {
				continue
			}
			c := Countdown{Kind: "repair", Side: side, Robot: p.Robot, Left: (p.Until - s.Played).Seconds(),
				Length: float64(r.RepairSeconds), Playing: true}
			if p.Command == game.DoubleYellow {
				c.Kind, c.Length = "card", float64(r.DoubleYellowSeconds)
			}
			all = append(all, c)
		}
	}
	if left := s.SubstitutionUntil.Sub(s.Time).Seconds(); left > 0 {
		c := Countdown{Kind: "substitution", Left: left, Length: float64(r.SubstitutionSeconds)}
		for i := len(b.game.Log()) - 1; i >= 0; i-- {
			if e := &b.game.Log()[i]; e.Decision.Command == game.Substitution && e.InEffect() {
				c.Side, c.Robot = e.Decision.Side, e.Decision.Robot
				break
			}
		}
		all = append(all, c)
	}
	return all
}

// sentOff reports whether a robot has a red card: its other penalties end nowhere then.
func sentOff(t *game.Team, robot int) bool {
	return robot != 0 && slices.ContainsFunc(t.Penalties, func(p game.Penalty) bool {
		return p.Command == game.RedCard && p.Robot == robot && p.Sent
	})
}

// teamShow returns one side of a Show.
func (b *Box) teamShow(seat *seat, s *game.State) TeamShow {
	t := s.Team(seat.side)
	v := TeamShow{
		Side: seat.side, Name: seat.name(), Short: seat.name(), Label: seat.label(), Group: seat.group(), Connected: seat.connected,
		Goals: t.Goals, Substitutions: t.Substitutions, Most: b.cfg.Rules.Substitutions,
		TakenBack: []string{},
	}
	v.Robots, v.Unnumbered = b.robots(seat, s)
	if seat.taken {
		v.ID, v.Short = seat.ID, seat.Short
	}
	for _, p := range t.TakenBack {
		v.TakenBack = append(v.TakenBack, b.phrase(p.Command, seat.side, p.Robot))
	}
	return v
}

// robots returns the robots of the last worldstate, or 1 to 5 if it has none, and those with a card or in repair; and
// the cards and repairs that name no robot.
func (b *Box) robots(seat *seat, s *game.State) (all, unnumbered []RobotShow) {
	all, unnumbered = []RobotShow{}, []RobotShow{}
	for _, n := range seat.link.numbers {
		all = append(all, RobotShow{Number: n, State: "plays"})
	}
	for n := 1; n <= b.cfg.Rules.Robots && len(seat.link.numbers) == 0; n++ {
		all = append(all, RobotShow{Number: n, State: "plays"})
	}
	// The most serious penalty first: a robot in repair that has a yellow card, too, is in repair.
	for _, c := range [...]game.Command{game.RedCard, game.DoubleYellow, game.Repair, game.YellowCard} {
		for _, p := range s.Team(seat.side).Penalties {
			switch {
			case p.Command != c || p.Over:
			case p.Robot == 0:
				unnumbered = append(unnumbered, penaltyShow(&p, s.Played))
			default:
				all = withPenalty(all, penaltyShow(&p, s.Played))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b RobotShow) int { return cmp.Compare(a.Number, b.Number) })
	return all, unnumbered
}

// penaltyShow returns a robot with a penalty.
func penaltyShow(p *game.Penalty, played time.Duration) RobotShow {
	r := RobotShow{Number: p.Robot, State: penaltyState[p.Command], Waits: !p.Sent}
	if p.Sent && p.Until != 0 {
		left := (p.Until - played).Seconds()
		r.Left = &left
	}
	return r
}

// withPenalty adds a robot with a penalty, unless it has a more serious one.
func withPenalty(all []RobotShow, r RobotShow) []RobotShow {
	i := slices.IndexFunc(all, func(o RobotShow) bool { return o.Number == r.Number })
	switch {
	case i < 0:
		return append(all, r)
	case all[i].State == "plays":
		all[i] = r
	}
	return all
}

var penaltyState = map[game.Command]string{
	game.Repair: "repair", game.YellowCard: "yellow", game.DoubleYellow: "double yellow", game.RedCard: "red",
}

// Referee returns the referee's view.
func (b *Box) Referee(now soccer.Time) RefereeShow {
	s := b.at(now)
	v := RefereeShow{
		Field: b.cfg.Field,
		Keys:  b.game.Keys(), Entries: []EntryShow{}, Pending: []string{}, Waiting: []Waiting{}, Refused: []Refusal{},
		Home: b.received(&b.seats[0], s.Time), Away: b.received(&b.seats[1], s.Time),
	}
	for i := range v.Keys {
		v.Keys[i].Why = b.named(v.Keys[i].Why)
	}
	if n, why := b.game.Target(game.Decision{Command: game.Undo}); why == "" {
		v.Undo = b.Describe(&b.game.Log()[n-1].Decision)
	}
	if n, why := b.game.Target(game.Decision{Command: game.Redo}); why == "" {
		v.Redo = b.Describe(&b.game.Log()[n-1].Decision)
	}
	for i := len(b.game.Log()) - 1; i >= 0 && len(v.Entries) < maxEntries; i-- {
		v.Entries = append(v.Entries, b.entry(i+1, &s))
	}
	for _, side := range [2]game.Side{game.Home, game.Away} {
		for _, p := range s.Team(side).Pending() {
			v.Pending = append(v.Pending, b.phrase(p.Command, side, p.Robot))
		}
	}
	for i := range b.waiting {
		w := &b.waiting[i]
		name := w.team.Name
		if w.team.ID == 0 {
			name = "unknown"
		}
		v.Waiting = append(v.Waiting, Waiting{
			Conn: uint64(w.conn), Addr: w.addr.String(), ID: w.team.ID, Name: name,
			Since: max(0, s.Time.Sub(w.since).Seconds()), Other: b.contested(w), Sides: b.sidesFor(w),
		})
	}
	for _, r := range slices.Backward(b.refused) {
		v.Refused = append(v.Refused, Refusal{Addr: r.addr, Ago: max(0, s.Time.Sub(r.at).Seconds()), Why: r.why})
	}
	return v
}

// entry returns a decision as the page lists it.
func (b *Box) entry(number int, s *game.State) EntryShow {
	e := &b.game.Log()[number-1]
	d := &e.Decision
	v := EntryShow{Number: number, Time: float64(d.Time) / 1e6, Clock: e.Total.Seconds(), Part: e.Part,
		Text: b.Describe(d), Of: d.Ref, State: "noted", Why: b.named(e.Why), Sent: []string{}}
	revision := game.Decision{Command: game.Undo, Ref: number}
	if e.Undone {
		revision.Command = game.Redo
	}
	_, v.Final = b.game.Target(revision)
	for i := range e.Sent {
		v.Sent = append(v.Sent, b.wireText(&e.Sent[i]))
	}
	if len(e.Sent) > 0 {
		v.State = "sent"
	}
	switch d.Command {
	case game.Repair, game.YellowCard, game.RedCard:
		for _, p := range s.Team(d.Side).Penalties {
			if p.Number == number && !p.Sent {
				v.State = "waits"
			} else if p.Number == number {
				v.State = "sent"
			}
		}
	}
	switch {
	case e.Undone:
		v.State = "undone"
		for i := number; i < len(b.game.Log()); i++ {
			if u := &b.game.Log()[i]; u.Decision.Command == game.Undo && u.Decision.Ref == number {
				v.Why = fmt.Sprintf("undone by decision %d", i+1)
			}
		}
	case e.Why != "":
		v.State = "void"
	}
	if found, ok := b.verdicts[number]; ok {
		v.Verdict = &VerdictShow{Found: found.Found, Note: found.Note, Time: float64(found.Time) / 1e6}
	}
	if number <= len(b.millis) && b.millis[number-1] > 0 {
		ms := b.millis[number-1]
		v.Millis = &ms
	}
	return v
}

// RateLevel returns "good", "poor" or "none" for a rate of worldstates (MSL World Model 2015, section 3).
func RateLevel(rate float64) string {
	switch {
	case rate >= requiredRate:
		return "good"
	case rate > 0:
		return "poor"
	}
	return "none"
}

// countFrom returns the beginning of the first whole second in which a team could send: it had its side, and the box
// was running.
func (b *Box) countFrom(s *seat) soccer.Time {
	return max(s.Admission.Time, b.since).Add(time.Second - 1)
}

// received returns the last message to a team and the state of its worldstates.
func (b *Box) received(s *seat, now soccer.Time) Received {
	h := &s.link
	v := Received{Last: s.lastSent, Rate: h.rate(now), Rates: h.seconds.Counts(b.countFrom(s), now),
		Robots: slices.Clone(h.robots), Balls: slices.Clone(h.balls)}
	if h.last != 0 {
		silent := max(0, now.Sub(h.last).Seconds())
		v.Silent = &silent
	}
	if b.game.State().Part == game.PreGame && !b.isReset() {
		v.Checkable = s.connected
		if s.check != nil {
			r := s.check.result(now)
			v.Check = &r
		}
	}
	v.Level = RateLevel(v.Rate)
	if s.lastSent != "" {
		ago := max(0, now.Sub(s.lastSentAt).Seconds())
		v.Ago = &ago
	}
	age := ""
	if h.age.Known {
		age = fmt.Sprintf(", age %.0f ms", h.age.Value)
	}
	switch silent := now.Sub(h.last); {
	case !s.taken:
		v.Text = "no team has this side"
	case !s.connected:
		v.Text = "not connected"
	case b.rivalText(s) != "":
		v.Text, v.Level = b.rivalText(s), "poor"
	case h.unterminatedFor(now) > 0:
		v.Text = fmt.Sprintf("bytes without a NUL for %.1f s", h.unterminatedFor(now))
	case h.floodText(now) != "":
		v.Text, v.Level = h.floodText(now), "poor"
	case h.last == 0 && h.broken > 0:
		v.Text = fmt.Sprintf("%d messages, none of them a worldstate", h.messages)
	case h.last == 0:
		v.Text = "no worldstate yet"
	case silent > time.Second:
		v.Text = fmt.Sprintf("no worldstate for %.1f s", silent.Seconds())
	case v.Level == "poor":
		v.Text = fmt.Sprintf("only %.0f a second instead of %d%s", v.Rate, requiredRate, age)
	case h.listed == 0:
		v.Text, v.Level = fmt.Sprintf("%.0f a second, no robots", v.Rate), "poor"
	default:
		v.Text = fmt.Sprintf("%.0f a second%s", v.Rate, age)
	}
	return v
}

// Teams returns the health of each team's worldstates. Unless open, the view is public: while a half is being played it
// contains nothing that a team said.
func (b *Box) Teams(now soccer.Time, open bool) TeamsShow {
	open = open || b.game.State().Part.IsInterval()
	v := TeamsShow{Teams: []TeamHealth{}, Open: open}
	now = b.at(now).Time
	for i := range b.seats {
		if b.seats[i].taken {
			v.Teams = append(v.Teams, b.teamHealth(&b.seats[i], now, open))
		}
	}
	return v
}

func (b *Box) teamHealth(s *seat, now soccer.Time, open bool) TeamHealth {
	h := &s.link
	v := TeamHealth{
		Side: s.side, ID: s.ID, Name: s.Name, Connected: s.connected, Trouble: cmp.Or(b.rivalText(s), h.floodText(now)),
		Rate: h.rate(now), Rates: h.seconds.Counts(b.countFrom(s), now), Gap: h.gap(now),
		Messages: h.messages, Events: h.events, Broken: h.broken, Bytes: h.bytes, Omitted: h.omitted, Windows: h.windows, Empty: h.empty,
		Unterminated: h.unterminatedFor(now), Lost: h.lost, Findings: b.findings(s, open),
		Sent: []SentShow{},
	}
	for _, m := range slices.Backward(s.sent) {
		v.Sent = append(v.Sent, m)
	}
	v.Level = RateLevel(v.Rate)
	if h.last != 0 {
		silent := max(0, now.Sub(h.last).Seconds())
		v.Silent = &silent
		if h.age.Known {
			age := h.age.Value // a copy: the box's own value changes
			v.Age = &age
		}
	}
	if open {
		v.LastEvent = h.lastEvent
	}
	return v
}
