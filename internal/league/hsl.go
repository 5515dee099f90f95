package league

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/game"
	"touchline/internal/check"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/hsl"
)

// Times of the Humanoid Soccer League.
const (
	hslOffline    = 4 * time.Second // the GameController shows a robot as offline then
	hslStale      = 2 * time.Second // four control messages are missing
	hslAskAgain   = time.Second     // period of monitor requests, until the true state comes
	hslUnanswered = 5 * time.Second // requests without an answer for this long have a cause
	hslForwards   = 2 * time.Second // a robot sends at least once in it
	hslIdle       = 5 * time.Second // period of requests while no robot sends
)

// Times in s that a timeout adds to the second clock (HSL GameController, config), less what lost messages may hide.
const (
	hslTeamTimeout    = 300
	hslRefereeTimeout = 600
	hslHidden         = 5
)

// hslGame is what is known of a game of the Humanoid Soccer League.
type hslGame struct {
	messages check.HSLGame
	control  hsl.Control // the newest one that the picture has
	home     uint8       // number of the home team
	timeout  string      // whose timeout it is: "timeout of B-Human"

	controller netip.Addr  // of the GameController; zero: unknown
	given      bool        // the user named it
	told       soccer.Time // when the true state was last received; 0: never
	heard      soccer.Time // when the GameController last sent anything
	asked      soccer.Time // when the last monitor request was due
	unanswered soccer.Time // when the first request without an answer was due; 0: none
	forwarded  soccer.Time // when it last forwarded a robot's message; 0: never
	again      soccer.Time // when it was last asked for those messages alone
}

// NewHSL returns a monitor of the Humanoid Soccer League. Its field is that of the division. controller is the address of
// the GameController; the zero Addr stands for the one that the control messages come from.
func NewHSL(cfg Config, controller netip.Addr) *Monitor {
	m := newMonitor(cfg, "HSL", hslField(hsl.Small))
	m.receive, m.hsl.controller, m.hsl.given = m.receiveHSL, controller, controller.IsValid()
	m.picture.stale, m.picture.live = hslStale, hslOffline
	return m
}

// hslField returns the field of a division. The middle and the large division may also play on the next smaller one.
func hslField(division hsl.Competition) soccer.Field {
	switch division {
	case hsl.Middle:
		return soccer.HSLMiddle()
	case hsl.Large:
		return soccer.HSLLarge()
	}
	return soccer.HSLSmall()
}

// Request returns the GameController's address if a monitor request to it is due at now: it is known, and its true state
// or the robots' messages do not come. It stops forwarding them when more than 16 reach it at once, while the true state
// goes on; a new request begins both again (HSL GameController, measured).
func (m *Monitor) Request(now soccer.Time) (netip.Addr, bool) {
	g := &m.hsl
	told, period := g.told != 0 && now.Sub(g.told) <= hslStale, hslAskAgain
	if told {
		if period = hslForwards; g.forwarded == 0 || now.Sub(g.forwarded) > hold {
			period = hslIdle
		}
	}
	asked := g.asked != 0 && now.Sub(g.asked) < period
	forwarded := g.forwarded != 0 && now.Sub(g.forwarded) < hslForwards
	if !g.controller.IsValid() || asked || told && forwarded {
		return netip.Addr{}, false
	}
	g.asked = now
	if told {
		g.again = now
		return g.controller, true
	}
	if g.unanswered == 0 {
		g.unanswered = now
	}
	if silent := g.heard != 0 && now.Sub(g.heard) > hslStale; !silent && now.Sub(g.unanswered) >= hslUnanswered {
		m.alarm(now, watch.Fault{Short: "no answer", Text: fmt.Sprintf("the GameController at %v does not answer the monitor "+
			"request: it answers no host that has sent it a return message, so run this monitor on another machine than a "+
			"robot's program, and let the firewall pass UDP %d and %d", g.controller, hsl.ControlPort, hsl.ForwardPort)})
	}
	return g.controller, true
}

// Teams returns the numbers of the two teams, home first. It reports false while they are unknown.
func (m *Monitor) Teams() ([2]uint8, bool) {
	return [2]uint8{m.picture.teams[0].number, m.picture.teams[1].number}, m.picture.known
}

// receiveHSL decodes and counts one packet.
func (m *Monitor) receiveHSL(p *soccer.Packet) {
	to, _ := netip.ParseAddrPort(p.Channel)
	port := to.Port() - m.cfg.Shift
	kind, ok := hsl.Identify(port, p.Data)
	if port == hsl.ForwardPort {
		kind, ok = hsl.KindForward, true // the GameController forwards whatever robots send it
	}
	from := p.From.Addr().Unmap()
	switch {
	case !ok:
		m.countOther(p, from)
	case kind == hsl.KindControl || kind == hsl.KindTrueState:
		m.receiveControl(p, kind, from)
	case kind == hsl.KindForward || kind == hsl.KindReturn:
		m.receiveReturn(p, kind, from)
	case kind == hsl.KindTeam:
		m.receiveTeam(p, from, uint8(port-hsl.TeamPort))
	default: // a request of another monitor
		m.countHSL(p, kind, senderKey{addr: from, message: kind.String()}, from.String()+"/"+kind.String())
	}
}

// countHSL counts a message of the league.
func (m *Monitor) countHSL(p *soccer.Packet, kind hsl.Kind, k senderKey, key string) *sender {
	s := m.count(p, k, key, func(b []byte) []wire.Field { return hsl.Fields(kind, b) },
		func(b []byte) []wire.Issue { return hsl.Check(kind, b) })
	if s != nil {
		s.foreign = k.number == 0
	}
	return s
}

// receiveControl applies a control message, or the true state.
func (m *Monitor) receiveControl(p *soccer.Packet, kind hsl.Kind, from netip.Addr) {
	m.countHSL(p, kind, senderKey{addr: from, message: kind.String()}, from.String()+"/"+kind.String())
	g := &m.hsl
	var c hsl.Control
	err := c.UnmarshalBinary(p.Data)
	switch another := g.controller.IsValid() && g.controller != from; {
	case another && g.given:
		return
	case another && p.Time.Sub(g.heard) < hslStale:
		if err == nil || errors.Is(err, hsl.ErrVersion) {
			m.alarm(p.Time, watch.Fault{Short: "two controllers", Text: fmt.Sprintf("GameControllers at %v and %v send to this "+
				"network: this page shows the game of the first; choose with --gamecontroller", g.controller, from)})
		}
		return
	case errors.Is(err, hsl.ErrVersion):
		what := "an older program: update the GameController"
		if p.Data[4] > hsl.ControlVersion {
			what = "a newer program: update touchline"
		}
		m.alarm(p.Time, watch.Fault{Short: "version", Text: fmt.Sprintf(
			"the GameController sends version %d; touchline reads %d: %s", p.Data[4], hsl.ControlVersion, what)})
		return
	case err != nil:
		return
	}
	g.controller, g.heard = from, p.Time
	g.messages.Observe(p.Data)
	if c.True {
		g.told, g.unanswered = p.Time, 0
	} else if g.told != 0 && p.Time.Sub(g.told) <= hslStale {
		return // robots get the state of play late
	}
	m.apply(&c, p.Time)
}

// apply brings the picture to the state of a control message.
func (m *Monitor) apply(c *hsl.Control, now soccer.Time) {
	g, pic := &m.hsl, &m.picture
	was := g.control
	if !pic.known || !slices.ContainsFunc(c.Teams[:], func(t hsl.Team) bool { return t.Number == g.home }) ||
		!slices.ContainsFunc(c.Teams[:], func(t hsl.Team) bool { return t.Number == pic.teams[1].number }) {
		m.newGame(c, now)
		if was = *c; c.Phase == hsl.Timeout {
			was.Phase, was.State = hsl.Normal, hsl.Playing // it begins with this message, or is one without a name
		}
	}
	pic.heard, g.control = now, *c
	st := &pic.state
	if c.Phase == hsl.Timeout {
		m.beginTimeout(c, &was)
	}
	m.tick(g.part(c, st.Part), c.State == hsl.Playing && !c.Stopped && c.Phase != hsl.Timeout, now)
	for i, side := range game.Sides {
		t, old := g.team(c, side), g.team(&was, side)
		m.applyTeam(side, i, t, old, now)
	}
	m.applyPiece(c)
	pic.clock, pic.second = float64(c.SecondsRemaining), nil
	if c.SecondaryTime != 0 {
		second := float64(c.SecondaryTime)
		pic.second = &second
	}
	if phase := m.phaseOf(c); phase != pic.phase {
		pic.phase = phase
		m.mark(now, "referee", 0, phase)
	}
	for _, r := range pic.robots {
		m.penalise(r)
	}
}

// newGame begins a game. The team that defends the operator's left goal in the first part is home; the GameController
// lists the teams the other way round in the second one. In a shoot-out it lists them as the operator chose, but home has
// the first shot.
func (m *Monitor) newGame(c *hsl.Control, now soccer.Time) {
	pic, home, part := &m.picture, 0, game.PreGame
	left, right := &c.Teams[0], &c.Teams[1]
	switch shots := c.Phase == hsl.PenaltyShootOut || c.Phase == hsl.Timeout && allSubstitutes(c); {
	case shots:
		if even := left.PenaltyShot == right.PenaltyShot && left.PenaltyShot > 0; even != (c.KickingTeam == right.Number) {
			home = 1
		}
		part = game.ShootOut
	case !c.FirstHalf:
		home, part = 1, game.SecondHalf
	case c.Phase == hsl.Timeout:
		part = game.FirstHalf
	}
	m.hsl.home, m.hsl.timeout, pic.known, pic.phase = c.Teams[home].Number, "timeout", true, ""
	pic.state = game.State{Time: now, Part: part} // a timeout has no part of its own
	for i, t := range []*hsl.Team{&c.Teams[home], &c.Teams[1-home]} {
		pic.teams[i] = team{number: t.Number, name: HSLTeam(t.Number), jersey: t.FieldColor.String()}
		pic.state.Team(game.Sides[i]).Goals = int(t.Score)
	}
	if m.cfg.Field.Length == 0 {
		pic.field = hslField(c.Competition)
	}
	for _, r := range pic.robots {
		r.side = m.hslSide(r.from.team)
		r.from.side = r.side
	}
	m.changed = true
}

// allSubstitutes reports whether no player takes part, as in a timeout before the shots of a shoot-out.
func allSubstitutes(c *hsl.Control) bool {
	for i := range c.Teams {
		plays := func(p hsl.Player) bool { return p.Penalty != hsl.Substitute && p.Penalty != hsl.SentOff }
		if slices.ContainsFunc(c.Teams[i].Players[:], plays) {
			return false
		}
	}
	return true
}

// beginTimeout finds whose timeout begins, by what it adds to the second clock; was is the message before. After that of a
// team the other one kicks off, but not in a shoot-out. It changes nothing while a timeout goes on.
func (m *Monitor) beginTimeout(c, was *hsl.Control) {
	g, added := &m.hsl, int(c.SecondaryTime)
	switch goesOn := was.Phase == hsl.Timeout; {
	case goesOn, was.State == hsl.Initial && !was.FirstHalf && was.SecondaryTime > 0: // one more, or one in half-time
		added -= int(was.SecondaryTime)
	default:
		g.timeout = "timeout"
	}
	side := m.hslSide(c.KickingTeam)
	switch {
	case added >= hslRefereeTimeout-hslHidden && added <= hslRefereeTimeout+hslHidden:
		g.timeout = "timeout of the referee"
	case added < hslTeamTimeout-hslHidden || added > hslTeamTimeout+hslHidden:
	case side == game.Both || allSubstitutes(c):
		g.timeout = "timeout of a team"
	default:
		g.timeout = "timeout of " + m.picture.teams[side.Opponent().Index()].name
	}
}

// team returns the team of a side in a control message.
func (g *hslGame) team(c *hsl.Control, side game.Side) *hsl.Team {
	if (c.Teams[0].Number == g.home) == (side == game.Home) {
		return &c.Teams[0]
	}
	return &c.Teams[1]
}

// hslSide returns the side of a team; Both for one that does not play.
func (m *Monitor) hslSide(number uint8) game.Side {
	for i := range m.picture.teams {
		if m.picture.known && m.picture.teams[i].number == number {
			return game.Sides[i]
		}
	}
	return game.Both
}

// part returns the part of the game; was is the one before.
func (g *hslGame) part(c *hsl.Control, was game.Part) game.Part {
	parts := [2][3]game.Part{ // of the first and the second half: before, during and after it
		{game.PreGame, game.FirstHalf, game.HalfTime}, {game.HalfTime, game.SecondHalf, game.End},
	}
	switch c.Phase {
	case hsl.Timeout:
		return was
	case hsl.PenaltyShootOut:
		return game.ShootOut
	case hsl.ExtraTime:
		parts = [2][3]game.Part{
			{game.PreOvertime, game.OvertimeFirst, game.OvertimeHalfTime}, {game.OvertimeHalfTime, game.OvertimeSecond, game.End},
		}
	}
	half := 1
	if c.FirstHalf {
		half = 0
	}
	switch c.State {
	case hsl.Initial:
		return parts[half][0]
	case hsl.Finished:
		return parts[half][2]
	}
	return parts[half][1]
}

// tick advances the clocks of the state, and sets its part and whether the ball is in play.
func (m *Monitor) tick(part game.Part, running bool, now soccer.Time) {
	st := &m.picture.state
	d := max(0, now.Sub(st.Time))
	st.Time = now
	st.Total += d
	if st.Running && st.Part != game.ShootOut {
		st.Effective += d
		st.Played += d
	}
	if part != st.Part {
		st.Part, st.Total, st.Effective, m.changed = part, 0, 0, true
	}
	if running != st.Running {
		st.Running, m.changed = running, true
		if running {
			st.Goal, st.Taking, st.SetPiece = game.Both, st.SetPiece, game.SetPiece{}
		} else {
			st.Taking = game.SetPiece{}
		}
	}
}

// applyTeam brings a team of the state to that of a control message.
func (m *Monitor) applyTeam(side game.Side, i int, t, old *hsl.Team, now soccer.Time) {
	pic := &m.picture
	st := pic.state.Team(side)
	left := int(t.MessageBudget)
	pic.teams[i].left, pic.teams[i].jersey = &left, t.FieldColor.String()
	if goals := int(t.Score); goals != st.Goals {
		text := fmt.Sprintf("goal for %s", pic.teams[i].name)
		if goals > st.Goals {
			pic.state.Goal = side
		} else {
			text = fmt.Sprintf("the score of %s is %d", pic.teams[i].name, goals)
		}
		st.Goals, m.changed = goals, true
		m.mark(now, "referee", 0, text)
	}
	for k := range t.Players {
		p, before := &t.Players[k], &old.Players[k]
		is, was := penalised(p.Penalty), penalised(before.Penalty)
		if is && !was {
			command := game.Repair
			if p.Penalty == hsl.SentOff {
				command = game.RedCard
			}
			m.penalty(st, command, k+1)
			m.mark(now, "penalise", uint8(k+1), fmt.Sprintf("%s, robot %d: %v", pic.teams[i].name, k+1, p.Penalty))
		}
		if was && !is {
			m.endPenalty(st, k+1)
		}
		if p.Cautions > before.Cautions {
			m.penalty(st, game.YellowCard, k+1)
		}
	}
}

// penalised reports whether a player is off the field by a decision.
func penalised(p hsl.Penalty) bool { return p != hsl.NoPenalty && p != hsl.Substitute }

// penalty adds a card, or a time off the field, to a team.
func (m *Monitor) penalty(t *game.Team, c game.Command, robot int) {
	m.changed = true
	if n := len(t.Penalties); n < maxPenalties {
		t.Penalties = append(t.Penalties, game.Penalty{Number: n + 1, Command: c, Robot: robot, Sent: true})
	}
}

// endPenalty ends the time of a robot off the field.
func (m *Monitor) endPenalty(t *game.Team, robot int) {
	m.changed = true
	for i := range t.Penalties {
		if p := &t.Penalties[i]; p.Robot == robot && p.Command != game.YellowCard {
			p.Over = true
		}
	}
}

// hslPieces are the set pieces of the league.
var hslPieces = map[hsl.SetPlay]game.Command{
	hsl.DirectFreeKick: game.FreeKick, hsl.IndirectFreeKick: game.FreeKick, hsl.PenaltyKick: game.PenaltyKick,
	hsl.ThrowIn: game.ThrowIn, hsl.GoalKick: game.GoalKick, hsl.CornerKick: game.Corner,
}

// applyPiece brings the set piece of the state to that of a control message.
func (m *Monitor) applyPiece(c *hsl.Control) {
	st, piece := &m.picture.state, game.SetPiece{}
	side := m.hslSide(c.KickingTeam)
	if command, ok := hslPieces[c.SetPlay]; ok {
		piece = game.SetPiece{Command: command, Side: side}
	} else if c.State == hsl.Ready || c.State == hsl.Set {
		piece = game.SetPiece{Command: game.KickOff, Side: side}
		switch {
		case c.Phase == hsl.PenaltyShootOut:
			piece.Command = game.PenaltyKick
		case c.KickingTeam == hsl.NoTeam:
			piece.Command = game.DropBall
		}
	}
	switch {
	case !st.Running && st.SetPiece != piece:
		st.SetPiece, m.changed = piece, true
	case st.Running && piece.Command != "" && st.Taking != piece:
		st.Taking, m.changed = piece, true
	}
}

// phaseOf says what goes on.
func (m *Monitor) phaseOf(c *hsl.Control) string {
	if c.Phase == hsl.Timeout {
		return m.hsl.timeout
	}
	text := c.State.String()
	if c.Phase == hsl.PenaltyShootOut {
		text = status(c.ShootOut(m.hsl.team(c, game.Home), m.hsl.team(c, game.Away)), text)
	}
	if c.Stopped {
		text += ", stopped"
	}
	what, side := "", m.hslSide(c.KickingTeam)
	before := c.State == hsl.Ready || c.State == hsl.Set
	switch {
	case c.Phase == hsl.PenaltyShootOut:
		if before || c.State == hsl.Playing {
			what = "penalty shot"
		}
	case c.SetPlay != hsl.NoSetPlay:
		what = c.SetPlay.String()
	case before && c.KickingTeam == hsl.NoTeam:
		what = "dropped ball"
	case before, c.State == hsl.Playing && side != game.Both: // a kick-off that is not over
		what = "kick-off"
	}
	if what != "" && side != game.Both {
		what += " for " + m.picture.teams[side.Index()].name
	}
	return status(text, what)
}

// receiveReturn applies a return message, which the GameController forwarded unless it came directly.
func (m *Monitor) receiveReturn(p *soccer.Packet, kind hsl.Kind, from netip.Addr) {
	var r hsl.Return
	if kind == hsl.KindForward {
		if from == m.hsl.controller {
			m.forwards(p.Time)
		}
		var f hsl.Forward
		_ = f.UnmarshalBinary(p.Data) // its issues are reported; player and team are known even if a number is NaN
		if r = f.Return; len(p.Data) >= 4 {
			from = netip.AddrFrom4([4]byte(p.Data))
		}
	} else {
		_ = r.UnmarshalBinary(p.Data)
	}
	key := fmt.Sprintf("%v/%d/%d", from, r.Team, r.Player)
	s := m.countHSL(p, kind, senderKey{addr: from, message: kind.String(), team: r.Team, number: r.Player}, key)
	if s == nil {
		return
	}
	s.side = m.hslSide(r.Team)
	switch {
	case r.Player == 0 || r.Player > hsl.MaxPlayers:
		m.alarmOf(p.Time, "not a robot", from, "sends the GameController what is no return message of a robot: "+s.lastIssue)
		return
	case m.picture.known && s.side == game.Both:
		m.alarmOf(p.Time, "not playing", from,
			fmt.Sprintf("sends as robot %d of team %d, which does not play", r.Player, r.Team))
	}
	m.believe(m.robotOf(s), &r, p.Time)
}

// forwards notes that the GameController forwards the robots' messages, and whether it had to be asked again.
func (m *Monitor) forwards(now soccer.Time) {
	g := &m.hsl
	paused := g.forwarded != 0 && now.Sub(g.forwarded) >= hslForwards && now.Sub(g.forwarded) < hslOffline
	if paused && g.again > g.forwarded && now.Sub(g.again) < hslForwards {
		m.alarm(now, watch.Fault{Short: "forwarding stopped", Suspicion: true, Text: "the GameController stopped forwarding " +
			"the robots' messages until it was asked again, as it does when more than 16 reach it at once: let robots send at " +
			"different moments; the GameController itself heard them all"})
	}
	g.forwarded = now
}

// believe sets what a robot told of itself and of the ball.
func (m *Monitor) believe(r *robot, told *hsl.Return, now soccer.Time) {
	r.side, r.at, r.known, r.ball, r.status = r.from.side, now, false, nil, ""
	if told.Fallen {
		r.status = "fallen"
	}
	m.penalise(r)
	m.sharesNumber(r)
	var percepts soccer.Percepts
	age, err := told.Observe(&percepts)
	if err != nil {
		return // a rule names it
	}
	self, turned := percepts.Self, r.side == game.Away
	if turned {
		self = self.Turned()
	}
	r.known, r.pose, r.ballAge = true, self.Pose, age
	if len(percepts.Balls) > 0 {
		ball := percepts.Balls[0].Position
		if turned {
			ball = ball.Turned()
		}
		r.ball = &ball
	}
}

// penalise sets what the referee tells of a robot.
func (m *Monitor) penalise(r *robot) {
	r.penalty = ""
	if r.side == game.Both || !m.picture.known || r.number == 0 || r.number > hsl.MaxPlayers {
		return
	}
	p := &m.hsl.team(&m.hsl.control, r.side).Players[r.number-1]
	if p.Penalty == hsl.NoPenalty {
		return
	}
	r.penalty = p.Penalty.String()
	if p.SecondsLeft > 0 {
		r.penalty += fmt.Sprintf(" %d s", p.SecondsLeft)
	}
}

// receiveTeam counts a message of a team to its robots.
func (m *Monitor) receiveTeam(p *soccer.Packet, from netip.Addr, number uint8) {
	kind := hsl.KindTeam
	key := senderKey{addr: from, message: kind.String(), team: number}
	s := m.countHSL(p, kind, key, fmt.Sprintf("%v/team/%d", from, number))
	side := m.hslSide(number)
	if s != nil {
		s.side = side
	}
	if side == game.Both {
		return
	}
	t := &m.picture.teams[side.Index()]
	t.heard++
	for _, issue := range slices.Concat(hsl.Check(kind, p.Data), m.hsl.messages.TeamMessage(number)) {
		f := watch.Fault{Short: "budget", Text: fmt.Sprintf("%s, %v: %s", t.name, from, issue.Text), Suspicion: issue.Note}
		if issue.Field != "" {
			f.Short = "size"
		}
		if s != nil {
			s.fault(p.Time, f)
		}
		m.blame(from, side, p.Time, f)
		f.Short += " of " + t.name
		m.alarm(p.Time, f)
	}
}

// blame notes a fault of a team's message at the robot that sends from its address, if it is one robot.
func (m *Monitor) blame(from netip.Addr, side game.Side, now soccer.Time, f watch.Fault) {
	var sent *robot
	for _, r := range m.picture.robots {
		if r.side == side && r.from.addr == from {
			if sent != nil {
				return
			}
			sent = r
		}
	}
	if sent != nil {
		sent.from.fault(now, f)
	}
}
