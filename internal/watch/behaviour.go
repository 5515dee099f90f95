package watch

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"touchline/internal/check"
	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// BehaviourPeriod is how often pages receive a BehaviourView and recordings keep one.
const BehaviourPeriod = 200 * time.Millisecond

// Bounds of what is known of robots' behaviour and booking.
const (
	keptFor     = time.Minute
	silentAfter = 600 * time.Millisecond // without a message a robot's state and belief are unknown: six debug records
	restarted   = time.Second            // a capture time that far back is of another run of the robot's program
)

// Bounds of a behaviour.
const (
	behaviourMaxRobots = 32
	maxSpans           = 300 // spans of one robot; the oldest make room
)

// dropOld drops the spans that ended more than a minute ago, and all but the newest most.
func dropOld[S any](spans []S, now soccer.Time, most int, end func(*S) soccer.Time) []S {
	old := max(0, len(spans)-most)
	for old < len(spans) && now.Sub(end(&spans[old])) > keptFor {
		old++
	}
	return slices.Delete(spans, 0, old)
}

// BehaviourView is the topic "behaviour". Its JSON is stable. Times are in s since the session started.
type BehaviourView struct {
	Time     float64            `json:"time"`
	Robots   []BehaviourRobot   `json:"robots"`   // robots of the last minute, sorted by team and number
	Machines []BehaviourMachine `json:"machines"` // those of these robots that are known
}

// BehaviourRobot is what one robot does.
type BehaviourRobot struct {
	Team     uint8           `json:"team"` // number of its team's group
	Number   uint8           `json:"number"`
	Live     bool            `json:"live"` // heard from within the last 600 ms
	SilentMs float64         `json:"silentMs"`
	Machine  uint32          `json:"machine"` // checksum; 0: its records name none
	States   []string        `json:"states"`  // active ones, from the outermost to the innermost
	Since    float64         `json:"since"`   // when the innermost one became active, or the first record came
	Spans    []BehaviourSpan `json:"spans"`   // oldest first; in gaps nothing was heard of the robot
}

// BehaviourSpan is a time in which a robot's innermost state did not change.
type BehaviourSpan struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	State string  `json:"state"`
	Left  string  `json:"left"` // the state before; "" if nothing was heard before
	Why   string  `json:"why"`  // conditions of the transition; "" if unknown
}

// BehaviourMachine is a state machine with the checksum that robots send.
type BehaviourMachine struct {
	Checksum uint32        `json:"checksum"`
	Machine  *hfsm.Machine `json:"machine"`
}

// behaviour shows what robots decide: the active states of each robot's state machine (TeamChaos paper, section 2) and the
// transitions of the last minute. It learns them from the robots' debug records, of which every robot sends ten a second,
// so that it shows robots of other programs, too. With the machine that a record names by its checksum, it also tells why a
// transition was taken. It is not safe for concurrent use.
type behaviour struct {
	start    soccer.Time
	machines []BehaviourMachine
	lanes    []*lane // sorted by team and robot
}

// newBehaviour returns an empty behaviour that knows machines. Times of its view count from start.
func newBehaviour(start soccer.Time, machines ...*hfsm.Machine) *behaviour {
	t := &behaviour{start: start}
	for _, m := range machines {
		t.machines = append(t.machines, BehaviourMachine{m.Checksum(), m})
	}
	return t
}

// lane is what is known of one robot.
type lane struct {
	from     check.Source
	captured uint64 // capture time of the newest record, on the robot's clock
	arrived  soccer.Time
	machine  uint32
	states   []string
	booker   uint8 // robot that it believes to be the booker; 0: none
	spans    []span

	status team.Status
	told   soccer.Time // when the status came; 0: never
}

type span struct {
	from, to         soccer.Time
	state, left, why string
}

// Doing is what a robot does now.
type Doing struct {
	State  string       // innermost active state; "" if none is known
	Booked bool         // it believes that itself has booked the ball
	Status *team.Status // its newest status, valid until the next message; nil: none came
}

// message receives a message of the TCM. It ignores other messages than robots' debug records and statuses, and keeps
// nothing of m.
func (t *behaviour) message(m *check.Message) {
	if m.From.Entity.Kind != tcm.Robot {
		return
	}
	switch m.Type {
	case tcm.Debug:
		var d team.Debug
		if d.UnmarshalBinary(m.Data) == nil {
			t.record(m.From, m.Captured, m.Time, &d)
		}
	case tcm.Status:
		if l := t.lane(m.From); l != nil && l.status.UnmarshalBinary(m.Data) == nil {
			l.told = m.Time
		}
	}
}

// record receives a debug record that a robot captured at a time of its own clock in ns and that arrived now. It keeps
// nothing of d.
func (t *behaviour) record(from check.Source, captured uint64, now soccer.Time, d *team.Debug) {
	t.forget(now)
	l := t.lane(from)
	if l == nil {
		return
	}
	silent := l.arrived == 0 || now.Sub(l.arrived) > silentAfter
	if back := int64(l.captured) - int64(captured); !silent && back >= 0 && back < int64(restarted) {
		return // overtaken
	}
	now = max(now, l.arrived)
	l.follow(t.find(d.Machine), now, d.States, silent || d.Machine != l.machine)
	l.captured, l.arrived, l.machine, l.booker = captured, now, d.Machine, 0
	if d.Booking.Booked {
		l.booker = d.Booking.Booker
	}
}

// search returns the place of a robot's lane, and whether there is one.
func (t *behaviour) search(from check.Source) (int, bool) {
	return slices.BinarySearchFunc(t.lanes, from, func(l *lane, f check.Source) int {
		return cmp.Or(cmp.Compare(l.from.Team, f.Team), cmp.Compare(l.from.Entity.ID, f.Entity.ID))
	})
}

// lane returns the lane of a robot; nil if there is no room.
func (t *behaviour) lane(from check.Source) *lane {
	i, found := t.search(from)
	if found {
		return t.lanes[i]
	}
	if len(t.lanes) == behaviourMaxRobots {
		return nil
	}
	l := &lane{from: from}
	t.lanes = slices.Insert(t.lanes, i, l)
	return l
}

// follow continues the newest span, or begins one. fresh: the states before are unknown.
func (l *lane) follow(m *hfsm.Machine, now soccer.Time, states []string, fresh bool) {
	inner := ""
	if n := len(states); n > 0 {
		inner = states[n-1]
	}
	n := len(l.spans)
	switch {
	case n == 0 || fresh:
		l.spans = append(l.spans, span{from: now, to: now, state: inner})
	case l.spans[n-1].state != inner:
		last := &l.spans[n-1]
		last.to = now
		l.spans = append(l.spans, span{now, now, inner, last.state, reasons(m, l.states, inner)})
	default:
		l.spans[n-1].to = now
	}
	if !slices.Equal(l.states, states) {
		l.states = append(l.states[:0], states...)
	}
}

// forget drops what is older than a minute.
func (t *behaviour) forget(now soccer.Time) {
	t.lanes = slices.DeleteFunc(t.lanes, func(l *lane) bool { return now.Sub(max(l.arrived, l.told)) > keptFor })
	for _, l := range t.lanes {
		l.spans = dropOld(l.spans, now, maxSpans, func(s *span) soccer.Time { return s.to })
	}
}

// find returns the machine with a checksum; nil if it is unknown.
func (t *behaviour) find(checksum uint32) *hfsm.Machine {
	for _, m := range t.machines {
		if m.Checksum == checksum {
			return m.Machine
		}
	}
	return nil
}

// reasons returns the conditions of the transitions that lead from active states to an innermost state: a record does
// not tell which one was taken. Two transitions between two records leave it unknown.
func reasons(m *hfsm.Machine, active []string, to string) string {
	if m == nil {
		return ""
	}
	var found []string
	for i := range m.Transitions {
		t := &m.Transitions[i]
		if !slices.Contains(active, t.From) || innermost(m, t.To) != to {
			continue
		}
		if why := reason(t); !slices.Contains(found, why) {
			found = append(found, why)
		}
	}
	return strings.Join(found, " or ")
}

// reason returns the condition of a transition in words.
func reason(t *hfsm.Transition) string {
	switch {
	case t.After > 0 && t.When != "":
		return t.When + ", after " + t.After.String()
	case t.After > 0:
		return "after " + t.After.String()
	case t.When == "":
		return "always"
	}
	return t.When
}

// innermost returns the state without children that becomes active when a state is entered.
func innermost(m *hfsm.Machine, name string) string {
	for range hfsm.MaxDepth {
		i := slices.IndexFunc(m.States, func(s hfsm.State) bool { return s.In == name })
		if i < 0 {
			break
		}
		name = m.States[i].Name
	}
	return name
}

// view returns the view at now.
func (t *behaviour) view(now soccer.Time) BehaviourView {
	t.forget(now)
	v := BehaviourView{Time: t.seconds(now), Robots: []BehaviourRobot{}, Machines: []BehaviourMachine{}}
	for _, l := range t.lanes {
		if l.arrived == 0 { // only its status came
			continue
		}
		v.Robots = append(v.Robots, t.robot(l, now))
		known := slices.ContainsFunc(v.Machines, func(m BehaviourMachine) bool { return m.Checksum == l.machine })
		if m := t.find(l.machine); m != nil && !known {
			v.Machines = append(v.Machines, BehaviourMachine{l.machine, m})
		}
	}
	return v
}

// doing returns what the robot of a team does now. It reports false for one that is silent.
func (t *behaviour) doing(group, robot uint8, now soccer.Time) (Doing, bool) {
	i, found := t.search(check.Source{Team: group, Entity: tcm.Entity{Kind: tcm.Robot, ID: robot}})
	if !found || now.Sub(max(t.lanes[i].arrived, t.lanes[i].told)) > silentAfter {
		return Doing{}, false
	}
	l := t.lanes[i]
	d := Doing{Booked: l.booker == robot && now.Sub(l.arrived) <= silentAfter}
	if n := len(l.states); n > 0 {
		d.State = l.states[n-1]
	}
	if l.told != 0 {
		d.Status = &l.status
	}
	return d, true
}

func (t *behaviour) robot(l *lane, now soccer.Time) BehaviourRobot {
	silent := max(now.Sub(l.arrived), 0)
	r := BehaviourRobot{
		Team: l.from.Team, Number: l.from.Entity.ID, Live: silent <= silentAfter, SilentMs: silent.Seconds() * 1e3,
		Machine: l.machine, States: slices.Clone(l.states), Spans: make([]BehaviourSpan, 0, len(l.spans)),
	}
	for _, s := range l.spans {
		r.Spans = append(r.Spans, BehaviourSpan{t.seconds(s.from), t.seconds(s.to), s.state, s.left, s.why})
	}
	if n := len(r.Spans); n > 0 {
		r.Since = r.Spans[n-1].From
	}
	return r
}

func (t *behaviour) seconds(at soccer.Time) float64 { return at.Sub(t.start).Seconds() }
