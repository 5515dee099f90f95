package teamcom

import (
	"math"
	"net/netip"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// senderIdle is the time after which a silent sender makes room for a new one.
const senderIdle = 10 * time.Second

// linkIdle is the time after which a silent sender gets no echoes and beacons.
const linkIdle = 3 * time.Second

// sender is what a node keeps of one robot or computer from which it receives.
type sender struct {
	entity   tcm.Entity
	boot     uint32
	base     netip.AddrPort // address and base port of its newest datagram, where the directory has none
	heard    soccer.Time    // arrival of the newest datagram
	answered soccer.Time    // when a datagram of this node last echoed one of the sender
	sent     uint64         // when the newest datagram left, on the sender's clock
	streams  []stream
	partials []*partial
	bytes    int // of the partials' buffers
}

// sender returns the state of an entity. It returns nil if the node listens to as many senders as it may and all of them
// were heard lately.
func (n *Node) sender(now soccer.Time, e tcm.Entity) *sender {
	slot := &n.senders[e.Kind-1][e.ID]
	if *slot != nil {
		return *slot
	}
	if len(n.active) >= n.cfg.Senders {
		idlest := n.active[0]
		for _, s := range n.active {
			if s.heard < idlest.heard {
				idlest = s
			}
		}
		if now.Sub(idlest.heard) < senderIdle {
			return nil
		}
		n.forget(idlest)
	}
	*slot = &sender{entity: e, answered: now, streams: make([]stream, 0, maxStreams), partials: make([]*partial, 0, maxPartials)}
	n.active = append(n.active, *slot)
	return *slot
}

// local converts a time of the sender's clock to this node's.
func (s *sender) local(now soccer.Time, remote uint64) (soccer.Time, bool) {
	age := min(max(int64(s.sent-remote), 0), int64(now))
	return now - soccer.Time(age), false
}

// forget forgets a sender.
func (n *Node) forget(s *sender) {
	n.restart(s)
	n.senders[s.entity.Kind-1][s.entity.ID] = nil
	n.active = slices.DeleteFunc(n.active, func(a *sender) bool { return a == s })
}

// restart forgets the messages of a sender's earlier boot.
func (n *Node) restart(s *sender) {
	for len(s.partials) > 0 {
		n.dropped.Displaced++
		n.close(s, s.partials[0])
	}
	s.streams = s.streams[:0]
}

// echo returns the echo of the sender's newest datagram.
func (s *sender) echo(now soccer.Time) tcm.Echo {
	held := min(max(now.Sub(s.heard).Microseconds(), 0), math.MaxUint32)
	return tcm.Echo{From: s.entity, Held: uint32(held), Sent: s.sent}
}
