package watch

import (
	"net/netip"

	"touchline/soccer"
	"touchline/world"
)

// Monitor makes the wall of a network without ground truth: a tile for each sender, and the fusion of all packets of the
// cyan side and of those without a colour. It is not safe for concurrent use.
type Monitor struct {
	*Watcher
	fused *world.Model
	world soccer.World // scratch
	wall  Wall         // what never changes
}

// NewMonitor returns a Monitor without senders.
func NewMonitor(cfg Config, link Link) *Monitor {
	fusion := world.DefaultConfig(0, soccer.Cyan)
	fusion.Field = cfg.Field
	return &Monitor{
		Watcher: New(cfg), fused: world.New(fusion),
		wall: Wall{Session: "monitor", Speed: 1, Field: cfg.Field, Link: link, Waiting: []Member{}, Marks: []Mark{}},
	}
}

// Receive decodes, counts and fuses one packet, whose Time is now. See Watcher.Receive.
func (m *Monitor) Receive(p *soccer.Packet) {
	s := m.Watcher.Receive(p)
	if s.Percepts == nil {
		return
	}
	m.fused.Receive(&world.Message{
		From: s.Sender, Arrival: p.Time, HasStamp: s.Header.HasTimestamp, Stamp: s.Header.TimestampMillis,
		Percepts: s.Percepts,
	})
}

// Wall returns the topic "wall". The caller fills in Silence.
func (m *Monitor) Wall(now soccer.Time) *Wall {
	w := m.wall
	w.Time = now.Sub(m.cfg.Start).Seconds()
	w.Tiles = m.Tiles(now, func(netip.AddrPort) bool { return false })
	w.Spread = Spread(w.Tiles)
	m.fused.World(now, &m.world)
	fused := BeliefOf(&m.world, soccer.Cyan, 0, 0)
	w.Fused = &fused
	return &w
}
