// Package hslgame is a GameController of the Humanoid Soccer League for tests: it plays a game by a seed, and says
// so with the messages of the real one (HSL GameController), so that robots and monitors need no second program and no
// operator. It is a pure core: packets and the time go in, packets come out.
package hslgame

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/internal/bounded"
	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/hsl"
)

// Times of the real program (HSL GameController).
const (
	sendPeriod = 500 * time.Millisecond // between control messages
	fastPeriod = 200 * time.Millisecond // after play was stopped
	fastCount  = 4                      // periods of that length
	delay      = 10 * time.Second       // for which robots do not learn that play has started
	offline    = 4 * time.Second        // a robot that is silent for longer is offline
)

// Bounds of a Controller.
const (
	maxMonitors = 8
	maxPlayers  = 256 // addresses that sent return messages
	maxRobots   = 128 // rows of the report
	maxFindings = 16  // of a robot, of all that are none, and of team messages
)

// Config describes a game. DefaultConfig returns it filled.
type Config struct {
	Seed     uint64
	Start    soccer.Time     // when the game begins
	Teams    [2]uint8        // numbers: home, which defends the left goal in the first half, and away. Default 5, 17
	Players  int             // of a team, 1 to 20. Default 7
	Robots   bool            // synthetic robots play. Default false
	Division hsl.Competition // Default small
	Half     time.Duration   // of game time. Default 10 min
	Speed    float64         // game time a second. Default 1
	Budget   uint16          // team messages of a team. Default 12,000
	NoDelay  bool            // robots learn at once that play has started. Default false
	Begin    Begin           // where the game begins. Default FirstHalf
	Knockout bool            // after a draw come extra time and a penalty shoot-out, also if it begins there. Default false
	Break    time.Duration   // of game time: half-time and other breaks, and timeouts, which the operator ends. Default 30 s
}

// Begin is where a game begins.
type Begin uint8

// Beginnings.
const (
	FirstHalf      Begin = iota
	TeamTimeout          // in a timeout of the first team, in the middle of the first half
	RefereeTimeout       // in one of the referee
	ExtraTime            // before it
	ShootOut             // before the penalty shoot-out
)

// Beginnings are the names of the beginnings.
var Beginnings = []string{"first-half", "timeout", "referee-timeout", "extra", "shootout"}

// DefaultConfig returns a game of the small division.
func DefaultConfig() Config {
	return Config{
		Teams: [2]uint8{5, 17}, Players: 7, Half: 10 * time.Minute, Speed: 1, Budget: hsl.Budget, Break: 30 * time.Second,
	}
}

// Validate names the first value that is out of range.
func (c *Config) Validate() error {
	switch {
	case c.Teams[0] == c.Teams[1] || c.Teams[0] == hsl.NoTeam || c.Teams[1] == hsl.NoTeam:
		return fmt.Errorf("teams %d and %d: want two different numbers from 0 to 254, for example 5,17", c.Teams[0], c.Teams[1])
	case c.Players < 1 || c.Players > hsl.MaxPlayers:
		return fmt.Errorf("%d players: want 1 to %d of a team", c.Players, hsl.MaxPlayers)
	case c.Half < 20*time.Second || c.Half > 2*time.Hour:
		return fmt.Errorf("a half of %v: want 20s to 2h", c.Half)
	case c.Break < time.Second || c.Break > refereeTimeout:
		return fmt.Errorf("a break of %v: want 1s to %v", c.Break, refereeTimeout)
	case int(c.Begin) >= len(Beginnings):
		return fmt.Errorf("beginning %d: want %s", c.Begin, strings.Join(Beginnings, ", "))
	case !(c.Speed >= 0.1 && c.Speed <= 100):
		return fmt.Errorf("speed %g: want 0.1 to 100", c.Speed)
	case c.Division > hsl.Large:
		return fmt.Errorf("division %d: want small, middle or large", c.Division)
	}
	return nil
}

// Out is a datagram to send.
type Out struct {
	To   netip.Addr // the zero Addr: broadcast
	Port uint16
	Data []byte
}

// Controller runs a game. It is not safe for concurrent use.
type Controller struct {
	cfg       Config
	game      match
	robots    *squad // nil: no synthetic robots play
	now       soccer.Time
	control   stream
	monitors  []monitor
	players   bounded.Table[netip.Addr, struct{}, soccer.Time]
	heard     []*robotRow
	strange   uint64    // return messages of no robot of the teams
	strangers []Finding // of return messages and requests that no robot or monitor sends
	others    []Finding // of team messages and bounds
	out       []Out
}

// stream is a stream of control messages to one receiver.
type stream struct {
	next    soccer.Time
	number  uint8
	fast    int  // fast periods that follow
	stopped bool // of the newest message
}

// monitor is a host that asked for the true state.
type monitor struct {
	addr netip.Addr
	stream
}

// Row is what was heard of a robot.
type Row struct {
	Address  string    `json:"address"`
	Team     uint8     `json:"team"`
	Player   uint8     `json:"player"`
	Messages uint64    `json:"messages"` // return messages
	Wrong    uint64    `json:"wrong"`    // those that break a rule
	Rate     float64   `json:"rate"`     // Hz, over its whole time
	Silent   float64   `json:"silent"`   // s since the newest one
	Findings []Finding `json:"findings"`
}

// Finding is what is wrong with messages.
type Finding struct {
	Text  string `json:"text"`
	Note  bool   `json:"note"` // not a broken rule
	Count uint64 `json:"count"`
}

// Report is what a Controller heard.
type Report struct {
	OK       bool      `json:"ok"`    // no message broke a rule
	State    string    `json:"state"` // of the game
	Seconds  float64   `json:"seconds"`
	Score    [2]uint8  `json:"score"`
	Left     [2]uint16 `json:"left"`     // team messages that the teams may still send
	Monitors []string  `json:"monitors"` // addresses that get the true state
	Robots   []Row     `json:"robots"`
	Others   []Finding `json:"others"` // of messages that no robot of the two teams sent, and of team messages
}

type robotRow struct {
	Row
	addr        netip.Addr
	first, last soccer.Time
}

// New returns a Controller of a game that has not begun.
func New(cfg Config) (*Controller, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Controller{cfg: cfg, now: cfg.Start}
	c.game = newMatch(&c.cfg, rand.New(rand.NewPCG(cfg.Seed, 1)))
	if cfg.Robots {
		c.robots = newSquad(&c.cfg, rand.New(rand.NewPCG(cfg.Seed, 2)))
	}
	return c, nil
}

// Step advances the game to a time. Take returns what is to be sent.
func (c *Controller) Step(now soccer.Time) {
	if now < c.now {
		return
	}
	d := time.Duration(float64(now.Sub(c.now)) * c.cfg.Speed)
	c.now = now
	c.game.advance(d)
	if c.robots != nil {
		c.robots.advance(d, &c.game)
		c.sendRobots(now)
	}
	if shown := c.game.shown(); c.control.due(now, shown.Stopped) {
		c.send(&c.control, netip.Addr{}, shown, false)
	}
	for i := range c.monitors {
		if m := &c.monitors[i]; m.due(now, c.game.state.Stopped) {
			c.send(&m.stream, m.addr, &c.game.state, true)
		}
	}
}

// Over reports whether the game has ended.
func (c *Controller) Over() bool { return c.game.over }

// due reports whether a message of the stream is to be sent now.
func (s *stream) due(now soccer.Time, stopped bool) bool {
	if stopped && !s.stopped {
		s.fast, s.next = fastCount, now // at once
	}
	s.stopped = stopped
	if now < s.next {
		return false
	}
	period := sendPeriod
	if s.fast > 0 {
		s.fast--
		period = fastPeriod
	}
	if s.next = s.next.Add(period); s.next <= now { // the first one, or the program was held up
		s.next = now.Add(period)
	}
	return true
}

// send sends a state of the game.
func (c *Controller) send(s *stream, to netip.Addr, state *hsl.Control, isTrue bool) {
	m := *state
	m.True, m.PacketNumber = isTrue, s.number
	s.number++
	if c.game.swapped { // the team that defends the operator's left goal comes first
		m.Teams = [2]hsl.Team{state.Teams[1], state.Teams[0]}
	}
	if data, err := m.AppendBinary(nil); err == nil {
		c.out = append(c.out, Out{To: to, Port: hsl.ControlPort, Data: data})
	}
}

// sendRobots sends the messages of the synthetic robots that are due. Their return messages need no network.
func (c *Controller) sendRobots(now soccer.Time) {
	c.robots.messages(now, &c.game, func(r *walker, m *hsl.Return) {
		if data, err := m.AppendBinary(nil); err == nil {
			c.Return(now, netip.AddrFrom4([4]byte{127, m.Team, 0, m.Player}), data)
		}
		if c.game.saves(r.side) {
			return
		}
		data := fmt.Appendf(nil, "robot %d of team %d: ball %.2f %.2f", m.Player, m.Team, r.ball.X, r.ball.Y)
		c.out = append(c.out, Out{Port: hsl.TeamPort + uint16(m.Team), Data: data})
	})
}

// Request handles a monitor request from an address. A host that sent return messages is a robot, which must not get the
// true state.
func (c *Controller) Request(now soccer.Time, from netip.Addr, data []byte) {
	c.note(&c.strangers, from, hsl.Check(hsl.KindRequest, data))
	if new(hsl.Request).UnmarshalBinary(data) != nil {
		return
	}
	if c.players.Find(from) != nil {
		c.note(&c.strangers, from, []wire.Issue{{Text: "asks for the true state, but sends return messages, too: a " +
			"monitor must run on another host than a robot"}})
		return
	}
	i := slices.IndexFunc(c.monitors, func(m monitor) bool { return m.addr == from })
	switch {
	case i >= 0:
		c.monitors[i].stream = stream{next: now}
	case len(c.monitors) < maxMonitors:
		c.monitors = append(c.monitors, monitor{addr: from, stream: stream{next: now}})
	default:
		c.note(&c.others, netip.Addr{}, []wire.Issue{{Note: true,
			Text: fmt.Sprintf("more than %d monitors ask for the true state: the newest get none", maxMonitors)}})
	}
}

// Return handles a return message from an address. Monitors get it, too.
func (c *Controller) Return(now soccer.Time, from netip.Addr, data []byte) {
	if e := c.players.Find(from); e != nil {
		e.Used = now
	} else {
		c.players.Add(from, now, maxPlayers, 0)
	}
	c.monitors = slices.DeleteFunc(c.monitors, func(m monitor) bool { return m.addr == from })
	if from.Is4() {
		address := from.As4()
		forward := append(address[:], data[:min(len(data), hsl.ReturnSize)]...)
		for i := range c.monitors {
			c.out = append(c.out, Out{To: c.monitors[i].addr, Port: hsl.ForwardPort, Data: forward})
		}
	}
	var m hsl.Return
	_ = m.UnmarshalBinary(data) // Check names its faults; player and team are known even if a number is NaN
	issues := hsl.Check(hsl.KindReturn, data)
	plays := m.Team == c.cfg.Teams[0] || m.Team == c.cfg.Teams[1]
	if m.Player == 0 || m.Player > hsl.MaxPlayers || !plays {
		c.strange++
		if len(issues) == 0 {
			issues = []wire.Issue{{Text: fmt.Sprintf("robot %d of team %d: the team does not play", m.Player, m.Team)}}
		}
		c.note(&c.strangers, from, issues)
		return
	}
	r := c.row(from, m.Team, m.Player, now)
	if r == nil {
		c.note(&c.others, netip.Addr{}, []wire.Issue{{
			Text: fmt.Sprintf("more than %d senders of return messages: the newest are not listed", maxRobots)}})
		return
	}
	r.Messages++
	r.last = now
	if violations(issues) > 0 {
		r.Wrong++
	}
	c.note(&r.Findings, netip.Addr{}, issues)
}

// Take returns what is to be sent since the last call.
func (c *Controller) Take() []Out {
	out := slices.Clone(c.out)
	c.out = c.out[:0]
	return out
}

// TeamMessage counts a message to the port of a team. One that is too long, or beyond the budget, costs the team its
// goals.
func (c *Controller) TeamMessage(from netip.Addr, number uint8, data []byte) {
	i := slices.Index(c.cfg.Teams[:], number)
	if i < 0 {
		return
	}
	issues := hsl.Check(hsl.KindTeam, data)
	if t := &c.game.state.Teams[i]; c.game.counts() {
		if t.MessageBudget == 0 {
			issues = append(issues, wire.Issue{Text: "the team has no messages left: its score is 0, and it scores no more goals"})
		}
		if violations(issues) > 0 {
			c.game.illegal[i], t.Score = true, 0
		}
		t.MessageBudget -= min(t.MessageBudget, 1)
	}
	for k := range issues {
		issues[k].Field, issues[k].Text = "", fmt.Sprintf("message to team %d: %s", number, issues[k].Text)
	}
	c.note(&c.others, from, issues)
}

func violations(issues []wire.Issue) (n int) {
	for i := range issues {
		if !issues[i].Note {
			n++
		}
	}
	return n
}

// row returns the row of a robot; nil where all are taken.
func (c *Controller) row(from netip.Addr, team, player uint8, now soccer.Time) *robotRow {
	for _, r := range c.heard {
		if r.addr == from && r.Team == team && r.Player == player {
			return r
		}
	}
	if len(c.heard) == maxRobots {
		return nil
	}
	r := &robotRow{Row: Row{Address: from.String(), Team: team, Player: player, Findings: []Finding{}}, addr: from, first: now}
	c.heard = append(c.heard, r)
	return r
}

// note counts issues in a list of findings.
func (c *Controller) note(list *[]Finding, from netip.Addr, issues []wire.Issue) {
	for i := range issues {
		issue := &issues[i]
		text := issue.Text
		if issue.Field != "" {
			text = issue.Field + ": " + text
		}
		if from.IsValid() {
			text = from.String() + ": " + text
		}
		same := func(f Finding) bool { return f.Text == text }
		if k := slices.IndexFunc(*list, same); k >= 0 {
			(*list)[k].Count++
		} else if len(*list) < maxFindings {
			*list = append(*list, Finding{Text: text, Note: issue.Note, Count: 1})
		}
	}
}

// Report returns what was heard until now.
func (c *Controller) Report() Report {
	s := &c.game.state
	r := Report{
		OK: c.strange == 0, State: c.game.text(), Seconds: c.now.Sub(c.cfg.Start).Seconds(), Robots: []Row{},
		Score: [2]uint8{s.Teams[0].Score, s.Teams[1].Score}, Monitors: []string{},
		Left: [2]uint16{s.Teams[0].MessageBudget, s.Teams[1].MessageBudget}, Others: slices.Concat(c.others, c.strangers),
	}
	for i := range c.monitors {
		r.Monitors = append(r.Monitors, c.monitors[i].addr.String())
	}
	for _, f := range r.Others {
		r.OK = r.OK && f.Note
	}
	heard := slices.Clone(c.heard)
	slices.SortFunc(heard, func(a, b *robotRow) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Player, b.Player), a.addr.Compare(b.addr))
	})
	for _, h := range heard {
		row := h.Row
		row.Findings = slices.Clone(h.Findings)
		row.Silent = c.now.Sub(h.last).Seconds()
		if span := h.last.Sub(h.first).Seconds(); span > 0 {
			row.Rate = float64(h.Messages-1) / span
			if text := check.ReturnRateNote(row.Rate); text != "" && span >= 5 {
				row.Findings = append(row.Findings, Finding{Text: text, Note: true, Count: row.Messages})
			}
		}
		r.OK = r.OK && row.Wrong == 0
		r.Robots = append(r.Robots, row)
	}
	return r
}

// Offline reports whether a robot is silent for so long that the program shows it as offline.
func (r *Row) Offline() bool { return r.Silent > offline.Seconds() }
