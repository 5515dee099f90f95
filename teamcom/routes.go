package teamcom

import (
	"net/netip"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// route is a destination and a class.
type route struct {
	to     tcm.Entity
	socket tcm.Socket
}

// SetDirectory replaces the directory, for example after TCM.ini changed. Messages that wait to leave go to the new
// addresses; senders that the new directory does not list are forgotten.
func (n *Node) SetDirectory(d *Directory) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cfg.Directory, n.cfg.Team = d, d.Team
	clear(n.routes)
	for i := 0; i < len(n.active); {
		if s := n.active[i]; !n.listed(s.entity) {
			n.forget(s)
			continue
		}
		i++
	}
}

// listed reports whether the directory lists an entity. Without a directory every entity is.
func (n *Node) listed(e tcm.Entity) bool {
	if n.cfg.Directory == nil {
		return true
	}
	_, ok := n.cfg.Directory.Entry(e)
	return ok
}

// fits reports whether a datagram of an entity may come from an address: from the one that the directory gives it, if it
// does. In virtual time datagrams have no address.
func (n *Node) fits(e tcm.Entity, from netip.AddrPort, socket tcm.Socket) bool {
	if n.cfg.Directory == nil || !from.IsValid() {
		return true
	}
	entry, _ := n.cfg.Directory.Entry(e)
	return entry.Learn || from == Port(entry.Addr, socket)
}

// learn keeps the address from which a sender's datagrams come. It counts where the directory has none.
func (n *Node) learn(s *sender, from netip.AddrPort, socket tcm.Socket) {
	if !from.IsValid() || from.Port() <= uint16(socket) {
		return
	}
	base := netip.AddrPortFrom(from.Addr(), from.Port()-uint16(socket))
	if base == s.base {
		return
	}
	s.base = base
	if n.base(s.entity) == base {
		clear(n.routes)
	}
}

// addresses returns where the datagrams of a route go. The slice does not change later.
func (n *Node) addresses(to tcm.Entity, socket tcm.Socket) []netip.AddrPort {
	r := route{to, socket}
	if list, ok := n.routes[r]; ok {
		return list
	}
	list := n.resolve(r)
	n.routes[r] = list
	return list
}

func (n *Node) resolve(r route) (list []netip.AddrPort) {
	if r.to.ID != 0 {
		if base := n.base(r.to); base.IsValid() {
			list = append(list, Port(base, r.socket))
		}
		return list
	}
	if n.cfg.Directory == nil {
		return nil
	}
	if group, ok := n.cfg.Directory.Multicast(r.to.Kind); ok {
		return append(list, Port(group, r.socket))
	}
	for _, e := range n.cfg.Directory.Entries {
		if e.Entity.Kind != r.to.Kind || e.Entity == n.cfg.Self {
			continue
		}
		if base := n.base(e.Entity); base.IsValid() {
			list = append(list, Port(base, r.socket))
		}
	}
	return list
}

// base returns the address and base port of an entity: those of the directory, or those from which its datagrams come.
func (n *Node) base(e tcm.Entity) netip.AddrPort {
	if n.cfg.Directory != nil {
		entry, ok := n.cfg.Directory.Entry(e)
		if !ok || !entry.Learn {
			return entry.Addr
		}
	}
	if s := n.senders[e.Kind-1][e.ID]; s != nil {
		return s.base
	}
	return netip.AddrPort{}
}

// echo returns the echo for a datagram to a destination. Broadcasts echo the senders of their kind in turn.
func (n *Node) echo(now soccer.Time, to tcm.Entity) tcm.Echo {
	var next *sender
	for _, s := range n.active {
		if s.entity.Kind != to.Kind || (to.ID != 0 && s.entity != to) || now.Sub(s.received) > linkIdle {
			continue
		}
		if next == nil || s.answered < next.answered {
			next = s
		}
	}
	if next == nil {
		return tcm.Echo{}
	}
	next.answered = now
	echo, _ := next.link.Echo(now)
	return echo
}

// beacon returns a datagram without a message for a sender to which the node has sent nothing for a while, if there is
// one.
func (n *Node) beacon(now soccer.Time, b []byte) (Outgoing, bool) {
	if now < n.nextBeacon {
		return Outgoing{}, false
	}
	n.nextBeacon = Never
	for _, s := range n.active {
		due := s.answered.Add(n.cfg.Beacon)
		switch {
		case now.Sub(s.received) > linkIdle:
		case due > now:
			n.nextBeacon = min(n.nextBeacon, due)
		case n.cfg.Directory != nil && !n.base(s.entity).IsValid():
			s.answered = now
			n.nextBeacon = min(n.nextBeacon, now.Add(n.cfg.Beacon))
		default:
			n.nextBeacon = now
			return n.depart(now, &n.queues[tcm.Robots], s.entity, n.header(now, s.entity, tcm.Robots).Append(b)), true
		}
	}
	return Outgoing{}, false
}
