package teamcom

import (
	"net/netip"
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/tcm"
)

// senderIdle is the time after which a silent sender makes room for a new one.
const senderIdle = 10 * time.Second

// linkIdle is the time after which a silent sender gets no echoes and beacons.
const linkIdle = 3 * time.Second

// sender is the state of one robot or computer from which the node receives.
type sender struct {
	entity   tcm.Entity
	link     *link
	active   bool
	base     netip.AddrPort // address and base port of its newest datagram, where the directory has none
	received soccer.Time    // arrival of the newest datagram
	answered soccer.Time    // when a datagram of this node last echoed one of the sender
	sent     uint64         // when the newest datagram left, on the sender's clock
	restarts uint64
	streams  bounded.Table[streamKey, stream, soccer.Time]
	partials []*partial
	bytes    int // bytes of the partials' slabs
}

// sender returns the state of an entity. It returns nil if the node has as many senders as it may and a datagram of
// each of them arrived in the last 10 s.
func (n *Node) sender(now soccer.Time, e tcm.Entity) *sender {
	slot := &n.senders[e.Kind-1][e.ID]
	if *slot != nil && (*slot).active {
		return *slot
	}
	if len(n.active) >= n.cfg.Senders {
		idlest := n.active[0]
		for _, s := range n.active {
			if s.received < idlest.received {
				idlest = s
			}
		}
		if now.Sub(idlest.received) < senderIdle {
			return nil
		}
		n.forget(idlest)
	}
	if *slot == nil {
		*slot = &sender{
			entity: e, partials: make([]*partial, 0, maxPartials),
			link: newLink(linkConfig{
				Self: n.cfg.Self, Peer: e, Started: n.started, Signed: n.key != nil, Timeout: n.cfg.Timeout, Lean: n.cfg.Lean,
			}),
		}
	}
	s := *slot
	s.active, s.received, s.answered = true, now, now
	n.active = append(n.active, s)
	return s
}

// forget gives up a sender's place. While signing is on the node remembers its boot and sequences: its datagrams must
// not be accepted twice.
func (n *Node) forget(s *sender) {
	n.restart(s)
	s.active = false
	if n.key == nil {
		n.senders[s.entity.Kind-1][s.entity.ID] = nil
	}
	n.active = slices.DeleteFunc(n.active, func(a *sender) bool { return a == s })
}

// restart forgets the messages of a sender's earlier boot.
func (n *Node) restart(s *sender) {
	for len(s.partials) > 0 {
		n.dropped.Displaced++
		n.close(s, s.partials[0])
	}
	s.streams.Clear()
}

// local converts a time of the sender's clock to this node's. Until the offset of the clock is known, it counts the
// latency of the newest datagram as 0.
func (s *sender) local(now soccer.Time, remote uint64) (soccer.Time, bool) {
	if at, ok := s.link.Local(remote); ok {
		return min(at, now), true
	}
	age := min(max(int64(s.sent-remote), 0), int64(now))
	return now - soccer.Time(age), false
}
