package watchnet

import (
	"strings"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/overview"
	"touchline/watch/inspect"
)

// Team shows how the robots of a team talk over the TCM: what the nodes of this program report, and the datagrams that
// they receive. Its methods may be called from any goroutine.
type Team struct {
	clock   soccer.Clock
	reports func() []teamcom.Report

	mu        sync.Mutex
	overview  *overview.Overview
	inspector *inspect.Inspector
}

// NewTeam returns a Team of the nodes that reports returns. hints tell a user who receives nothing what to check.
func NewTeam(reports func() []teamcom.Report, hints ...string) *Team {
	clock := soccer.NewClock(time.Now())
	return &Team{
		clock: clock, reports: reports, inspector: inspect.New(clock.Start),
		overview: overview.New(overview.Config{Start: clock.Start, Hints: hints}),
	}
}

// Follow lets booking and behaviour keep to the clock of a session, which may pause: it returns the time since the session started.
// Call it before the first packet.
func (t *Team) Follow(clock func() time.Duration) { t.inspector.Clock = clock }

// Packet inspects a datagram that arrived at one of the nodes. It keeps nothing of p.
func (t *Team) Packet(p *soccer.Packet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inspector.Receive(p)
}

// Nodes returns the topic "teamcom", an overview.View, or nil without a node.
func (t *Team) Nodes(string) any {
	reports := t.reports() // may wait for locks of the nodes
	if len(reports) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overview.View(t.clock.At(time.Now()), reports)
}

// Traffic returns the topic "messages", an inspect.Overview.
func (t *Team) Traffic(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Overview(t.clock.At(time.Now()))
}

// Booking returns the topic "booking", a bookings.View.
func (t *Team) Booking(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Booking(t.clock.At(time.Now()))
}

// Behaviour returns the topic "behaviour", a behaviour.View.
func (t *Team) Behaviour(string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inspector.Behaviour(t.clock.At(time.Now()))
}

// Messages returns a topic "messages/KEY", an inspect.Messages.
func (t *Team) Messages(topic string) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	view, _ := t.inspector.Messages(strings.TrimPrefix(topic, "messages/"))
	return view
}
