package watchnet

import (
	"strings"
	"sync"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
)

// Team shows how the robots of a team talk over the TCM: what the nodes of this program report, and the datagrams that
// they receive. Its methods may be called from any goroutine.
type Team struct {
	clock   soccer.Clock
	reports func() []teamcom.Report

	mu        sync.Mutex
	overview  *teamcom.Overview
	inspector *watch.Inspector
}

// NewTeam returns a Team of the nodes that reports returns. hints tell a user who receives nothing what to check.
func NewTeam(reports func() []teamcom.Report, hints ...string) *Team {
	clock := soccer.NewClock(time.Now())
	return &Team{
		clock: clock, reports: reports, inspector: watch.NewInspector(clock.Start),
		overview: teamcom.NewOverview(clock.Start, hints...),
	}
}

// Follow lets booking and behaviour keep to the clock of a session, which may pause: clock returns the time since the
// session started. Call it before the first packet.
func (t *Team) Follow(clock func() time.Duration) { t.inspector.Clock = clock }

// Packet inspects a datagram that arrived at one of the nodes. It keeps nothing of p.
func (t *Team) Packet(p *soccer.Packet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inspector.Receive(p)
}

// Nodes returns the topic "teamcom", a teamcom.View, or nil without a node.
func (t *Team) Nodes(string) any {
	reports := t.reports() // may wait for locks of the nodes
	if len(reports) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overview.View(t.clock.At(time.Now()), reports)
}

// Traffic returns the topic "messages", a watch.Overview.
func (t *Team) Traffic(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Overview(t.clock.At(time.Now()))
}

// Booking returns the topic "booking", a watch.BookingView.
func (t *Team) Booking(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Booking(t.clock.At(time.Now()))
}

// Behaviour returns the topic "behaviour", a watch.BehaviourView.
func (t *Team) Behaviour(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Behaviour(t.clock.At(time.Now()))
}

// Messages returns a topic "messages/KEY", a watch.Messages.
func (t *Team) Messages(topic string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	view, _ := t.inspector.Messages(strings.TrimPrefix(topic, "messages/"))
	return view
}
