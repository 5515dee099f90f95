// Package league is the monitor of a game of another league than the Middle Size League: what its robots and its
// referee's program send becomes the wall that touchline shows of its own sessions. It keeps a neutral picture of the
// game; a file for each league, such as hsl.go, turns packets into it. It is a pure core: packets and the time go in,
// topics of the page and states for a log come out. Memory is bounded, whatever arrives.
//
// Home is the first team of the first part. The picture is in the field frame of a first part, in which home attacks +x,
// also in later parts: the page and the analysis of logs draw it like this.
package league

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/internal/check"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire"
)

// Bounds of a Monitor, which grows to about 1 MiB.
const (
	maxSenders   = 160 // two teams of 20 robots with their team messages, and some to spare
	maxOfAddress = 48  // a machine may run the programs of all robots
	maxFaults    = 8   // of a sender
	keptPackets  = 8   // last packets of a sender
	keptBytes    = 2048
	maxPenalties = 200 // of a team, in a game
	maxAlarms    = 24
	maxOfKind    = 4 // alarms of one kind from different addresses
	maxMarks     = 50
)

// Times of a Monitor.
const (
	window    = 10 * time.Second // span of rates
	hold      = 10 * time.Second // a fault is shown until this time after its last evidence
	idleAfter = time.Second      // a sender that was silent for this long may lose its row to a new one
	tileFor   = time.Minute      // a silent robot keeps its tile for this long
	ballFor   = 10 * time.Second // an older ball is not shown: the robot has lost it
	fuseFor   = 2 * time.Second  // an older ball counts for nothing in the fusion
	marksFor  = time.Minute      // the wall repeats an event for this long
	truthFor  = 2 * time.Second  // older ground truth is not shown
	statesFor = time.Second      // longest time between two states in a log
	together  = time.Second      // two addresses that send as one robot within this time are two robots
)

// Config describes a Monitor.
type Config struct {
	Start soccer.Time // when the session started: times on the page count from it. Default 0
	Link  watch.Link  // the network, as the page shows it
	// Field is the field that the page draws. Default, with Length 0: the one that the league tells
	Field soccer.Field
	// Shift was added to all UDP ports of the league. Default 0
	Shift uint16
}

// Monitor follows a game. It is not safe for concurrent use.
type Monitor struct {
	cfg     Config
	receive func(p *soccer.Packet) // of the league
	hsl     hslGame
	ssl     sslGame

	picture picture
	senders bounded.Table[senderKey, *sender, soccer.Time]
	load    watch.Load
	alarms  []alarm
	marks   []watch.Mark

	received soccer.Time // time of the newest packet; 0 before the first
	drops    uint64      // packets that were lost before they were read
	changed  bool        // the state differs from the logged one
	logged   soccer.Time // when TakeState last returned a state
}

// picture is what is known of a game, in the words that all leagues share.
type picture struct {
	league string // "HSL"
	known  bool   // the referee's program was heard
	field  soccer.Field
	teams  [2]team
	state  game.State
	phase  string        // what goes on, in the league's words
	clock  float64       // s left in the part
	second *float64      // s left on the second clock
	heard  soccer.Time   // when the referee's program was last heard
	stale  time.Duration // silence of the referee's program from which on the state is old
	live   time.Duration // silence of a robot from which on it does not count as live
	checks time.Duration // time between two packets of a sender that are checked; 0: all are
	robots []*robot
	truth  *game.Truth // nil: nobody tells it
}

// team is one of the two teams.
type team struct {
	number uint8
	name   string
	jersey string
	left   *int   // messages that it may send
	heard  uint64 // messages that the monitor received
}

// robot is what a robot told of itself and of the ball.
type robot struct {
	side    game.Side
	number  uint8
	from    *sender
	at      soccer.Time // of its newest message
	known   bool        // it knows its pose
	pose    soccer.Pose
	ball    *soccer.Vec3
	ballAge time.Duration // at the time of the message
	status  string        // what it tells that holds it back
	penalty string        // what the referee tells that holds it back
}

// senderKey identifies a sender: what it sends, and as which robot of which team.
type senderKey struct {
	addr    netip.Addr
	message string // name of the message
	team    uint8
	number  uint8
}

// sender holds what is known of a sender.
type sender struct {
	senderKey
	key       string // in topics
	side      game.Side
	foreign   bool
	at, first soccer.Time
	packets   uint64
	issues    uint64
	lastIssue string
	load      watch.Load
	faults    []alarm
	checked   soccer.Time // when a packet was last checked
	last      bounded.Ring[shownPacket]
}

// alarm is a fault with the times of its evidence.
type alarm struct {
	watch.Fault
	last soccer.Time
}

// shownPacket is a packet that the page may show.
type shownPacket struct {
	at     soccer.Time
	len    int
	data   []byte
	fields func([]byte) []wire.Field
	check  func([]byte) []wire.Issue
}

// New returns a monitor of a league with this name, "HSL" or "SSL", as walls and logs have it; nil for another one.
func New(name string, cfg Config) *Monitor {
	switch name {
	case "HSL":
		return NewHSL(cfg, netip.Addr{})
	case "SSL":
		return NewSSL(cfg)
	}
	return nil
}

// newMonitor returns a Monitor of a league.
func newMonitor(cfg Config, league string, field soccer.Field) *Monitor {
	m := &Monitor{cfg: cfg, picture: picture{league: league, field: field}}
	if cfg.Field.Length > 0 {
		m.picture.field = cfg.Field
	}
	m.picture.state.Part = game.PreGame
	return m
}

// Receive decodes and counts one packet, whose Time is now.
func (m *Monitor) Receive(p *soccer.Packet) {
	m.received = p.Time
	m.load.Add(p.Time, watch.OnAir(p.FullSize()))
	m.receive(p)
}

// SilentFor returns the time since the last packet, or since the session's start.
func (m *Monitor) SilentFor(now soccer.Time) time.Duration {
	return max(0, now.Sub(max(m.received, m.cfg.Start)))
}

// TakeState returns the state of the game if a log needs it: it changed, or the last one is a second old. It reports
// false otherwise, and before the referee's program is heard.
func (m *Monitor) TakeState(now soccer.Time) (game.State, bool) {
	if !m.picture.known || !m.changed && now.Sub(m.logged) < statesFor {
		return game.State{}, false
	}
	m.changed, m.logged = false, now
	st := m.picture.state
	st.Home.Penalties, st.Away.Penalties = slices.Clone(st.Home.Penalties), slices.Clone(st.Away.Penalties)
	return st, true
}

// otherTraffic is what a sender of packets of no league sends.
const otherTraffic = "other traffic"

// countOther counts a packet of no league.
func (m *Monitor) countOther(p *soccer.Packet, from netip.Addr) {
	fields := func([]byte) []wire.Field { return nil }
	rules := func([]byte) []wire.Issue { return nil }
	if s := m.count(p, senderKey{addr: from, message: otherTraffic}, from.String(), fields, rules); s != nil {
		s.foreign = true
	}
}

// count counts a packet of a sender, with what is wrong with it. It returns nil where all rows are taken.
func (m *Monitor) count(
	p *soccer.Packet, k senderKey, key string, fields func([]byte) []wire.Field, rules func([]byte) []wire.Issue,
) *sender {
	e := m.senders.Find(k)
	if e == nil {
		same := func(o senderKey) bool { return o.addr == k.addr }
		if e, _ = m.senders.AddToGroup(k, p.Time, maxSenders, idleAfter, maxOfAddress, same); e == nil {
			m.alarm(p.Time, watch.Fault{Short: "crowded",
				Text: "more senders at once than this page has rows: the newest have none"})
			return nil
		}
		if old := e.Value; old != nil {
			m.picture.robots = slices.DeleteFunc(m.picture.robots, func(r *robot) bool { return r.from == old })
		}
		e.Value = &sender{senderKey: k, key: key, first: p.Time, side: game.Both}
	}
	e.Used = p.Time
	s := e.Value
	if p.Time.Sub(s.at) > window {
		s.first, s.load = p.Time, watch.Load{}
	}
	s.at = p.Time
	s.packets++
	s.load.Add(p.Time, watch.OnAir(p.FullSize()))
	l := s.last.Push(keptPackets)
	l.at, l.len, l.fields, l.check = p.Time, p.FullSize(), fields, rules
	l.data = append(l.data[:0], p.Data[:min(len(p.Data), keptBytes)]...)
	if p.Time.Sub(s.checked) < m.picture.checks {
		return s
	}
	s.checked = p.Time
	wrong := false
	for _, issue := range rules(p.Data) {
		s.fault(p.Time, faultOf(&issue))
		if !issue.Note && !wrong {
			wrong, s.lastIssue = true, issue.String()
			s.issues++
		}
	}
	return s
}

// faultOf returns an issue as the page shows it.
func faultOf(issue *wire.Issue) watch.Fault {
	short := issue.Field
	if short == "" {
		short = "message"
	}
	return watch.Fault{Short: short, Text: issue.Text, Suspicion: issue.Note}
}

// fault notes evidence of a fault of a sender.
func (s *sender) fault(now soccer.Time, f watch.Fault) { s.faults = noted(s.faults, now, f, maxFaults) }

// alarm notes evidence of a fault of the game as a whole.
func (m *Monitor) alarm(now soccer.Time, f watch.Fault) {
	m.alarms = noted(m.alarms, now, f, maxAlarms)
}

// alarmOf notes evidence of a fault of an address. Those of more than a few addresses become one, so that a flood leaves
// room for other alarms.
func (m *Monitor) alarmOf(now soccer.Time, kind string, from netip.Addr, text string) {
	f := watch.Fault{Short: fmt.Sprintf("%s %v", kind, from), Text: fmt.Sprintf("%v %s", from, text)}
	others, more := 0, kind+", more"
	for i := range m.alarms {
		a := &m.alarms[i]
		if strings.HasPrefix(a.Short, kind) && a.Short != f.Short && a.Short != more && now.Sub(a.last) < hold {
			others++
		}
	}
	if others >= maxOfKind {
		f = watch.Fault{Short: more, Text: fmt.Sprintf("more than %d addresses do the same; the newest, %v, %s",
			maxOfKind, from, text)}
	}
	m.alarm(now, f)
}

// noted adds a fault to a list of at most most, or its evidence if the list has it.
func noted(list []alarm, now soccer.Time, f watch.Fault, most int) []alarm {
	list = slices.DeleteFunc(list, func(a alarm) bool { return now.Sub(a.last) >= hold })
	for i := range list {
		if list[i].Short == f.Short && list[i].Suspicion == f.Suspicion {
			list[i] = alarm{f, now}
			return list
		}
	}
	if len(list) < most {
		list = append(list, alarm{f, now})
	}
	return list
}

// current returns the faults of a list, those that are certain first.
func current(list []alarm, now soccer.Time) []watch.Fault {
	faults := []watch.Fault{}
	for _, suspicion := range [...]bool{false, true} {
		for i := range list {
			if a := &list[i]; a.Suspicion == suspicion && now.Sub(a.last) < hold {
				faults = append(faults, a.Fault)
			}
		}
	}
	return faults
}

// robotOf returns the robot of a sender, a new one if it has none.
func (m *Monitor) robotOf(s *sender) *robot {
	for _, r := range m.picture.robots {
		if r.from == s {
			return r
		}
	}
	r := &robot{number: s.number, from: s}
	m.picture.robots = append(m.picture.robots, r)
	return r
}

// sharesNumber notes that another address sends as the same robot.
func (m *Monitor) sharesNumber(r *robot) {
	for _, o := range m.picture.robots {
		if o != r && o.side == r.side && o.number == r.number && r.at.Sub(o.at) < together {
			r.from.fault(r.at, watch.Fault{Short: "number shared",
				Text: o.from.addr.String() + " sends as the same robot: give each robot its own number"})
		}
	}
}

// mark notes an event of the game.
func (m *Monitor) mark(now soccer.Time, kind string, number uint8, text string) {
	mark := watch.Mark{Time: now.Sub(m.cfg.Start).Seconds(), Kind: kind, Number: number, Text: text}
	m.marks = bounded.Append(slices.Clone(m.marks), mark, maxMarks)
}

// rateNote returns a fault of the rate of a sender's messages, whose rule is that of package check; nil without one.
func rateNote(s *sender, now soccer.Time, rate float64) *watch.Fault {
	if now.Sub(s.first) < 5*time.Second {
		return nil
	}
	text := check.ReturnRateNote(rate)
	if text == "" {
		return nil
	}
	return &watch.Fault{Short: "rate", Text: text, Suspicion: true}
}

// rate returns packets and bytes a second of a sender.
func (s *sender) rate(now soccer.Time) (packets, bytes float64) {
	return s.load.Mean(now, min(window, max(now.Sub(s.first), time.Second)))
}
