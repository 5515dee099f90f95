package match

import (
	"net/netip"
	"strconv"

	"touchline/game"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// places is the number of places of a team: its base station and its robots.
const places = MostRobots + 1

// ether carries the datagrams of both teams. No team receives those of the other. A datagram that is on its way lies in
// a slot; the receivers fetch it when they next read their sockets.
type ether struct {
	slots  []datagram
	free   []int32
	links  links
	seed   uint64                          // of the links
	inbox  [2][places]traffic.Queue[int32] // of slots, by team and receiver
	from   [2][places][sockets]netip.AddrPort
	groups [2][sockets]string // what the datagrams of a class are addressed to
	packet soccer.Packet      // scratch
	buf    []byte             // scratch
}

// packages is the class of mixed team packages, beside those of the TCM.
const (
	packages = tcm.Sockets
	sockets  = tcm.Sockets + 1
)

// datagram is a datagram on its way.
type datagram struct {
	data   []byte
	from   netip.AddrPort
	socket tcm.Socket
	refs   int // receivers that have not fetched it yet
}

// open prepares the links and addresses.
func (e *ether) open(cfg *MatchConfig) {
	e.buf, e.links.seed = make([]byte, 0, tcm.OwnDatagram), e.seedOf
	e.impair(cfg, 0)
	for t := range e.from {
		for from := range places {
			for s := range sockets {
				host := netip.AddrFrom4([4]byte{10, 0, byte(t + 1), byte(from + 1)})
				e.from[t][from][s] = netip.AddrPortFrom(host, firstPort+uint16(s))
			}
		}
		for s := range sockets {
			group := netip.AddrFrom4([4]byte{239, 255, byte(t + 1), 1})
			e.groups[t][s] = group.String() + ":" + strconv.Itoa(firstPort+s)
		}
	}
}

// firstPort is the port of the first class of datagrams.
const firstPort = 41000

// impair impairs each link, with random numbers from the seed and the time of the change.
func (e *ether) impair(cfg *MatchConfig, changed uint64) {
	e.seed = cfg.Seed + changed
	e.links.set(cfg.Link)
}

// seedOf returns the seed of a link, and its stream of random numbers: one for each team, sender, receiver and class. A
// further class, such as debug records, changes nothing for the others.
func (e *ether) seedOf(l link) (seed, stream uint64) {
	host := l.from.Addr().As4()
	t, from, class := int(host[2])-1, int(host[3])-1, int(l.from.Port())-firstPort
	return e.seed, uint64(1 + ((t*places+from)*places+int(l.to))*sockets + class)
}

// send puts a datagram of a sender on its way to one receiver, or to all others of a range of places.
func (e *ether) send(m *Match, t, from int, first, last int, socket tcm.Socket, data []byte) {
	if m.tap.Packet != nil {
		e.packet = soccer.Packet{
			Time: m.now.Add(airTime), Channel: e.groups[t][socket], From: e.from[t][from][socket], Data: data,
		}
		m.tap.Packet(game.Sides[t], &e.packet)
	}
	slot := e.slot()
	d := &e.slots[slot]
	d.data, d.from, d.socket, d.refs = append(d.data[:0], data...), e.from[t][from][socket], socket, 0
	for to := first; to <= last; to++ {
		if to == from {
			continue
		}
		for _, delay := range e.links.next(t, uint8(from), uint8(to), link{d.from, uint8(to)}) {
			d.refs++
			e.inbox[t][to].Push(m.now.Add(airTime+delay), slot)
		}
	}
	if d.refs == 0 {
		e.free = append(e.free, slot)
	}
}

// slot returns a free slot.
func (e *ether) slot() int32 {
	if n := len(e.free); n > 0 {
		slot := e.free[n-1]
		e.free = e.free[:n-1]
		return slot
	}
	e.slots = append(e.slots, datagram{data: make([]byte, 0, 512)})
	return int32(len(e.slots) - 1)
}

// fetch passes the datagrams that have arrived at a receiver to read, in the order of their arrival.
func (e *ether) fetch(m *Match, t, to int, read func(p *soccer.Packet, socket tcm.Socket)) {
	for {
		at, slot, ok := e.inbox[t][to].First()
		if !ok || at > m.now {
			return
		}
		e.inbox[t][to].Pop()
		d := &e.slots[slot]
		if read != nil {
			e.packet = soccer.Packet{Time: at, Channel: e.groups[t][d.socket], From: d.from, Data: d.data}
			read(&e.packet, d.socket)
		}
		if d = &e.slots[slot]; d.refs == 1 {
			e.free = append(e.free, slot)
		}
		d.refs--
	}
}

// pump sends what a node sends now.
func (e *ether) pump(m *Match, t, from int, node *teamcom.Node) {
	for {
		out, ok := node.Next(m.now, e.buf)
		if !ok {
			return
		}
		e.buf = out.Data[:0]
		first, last := placesOf(out.To)
		e.send(m, t, from, first, last, out.Socket, out.Data)
	}
}

// placesOf returns the range of places that an entity stands for.
func placesOf(to tcm.Entity) (first, last int) {
	switch {
	case to.Kind == tcm.Computer:
		return computer, computer
	case to.ID == 0:
		return 1, MostRobots
	}
	return int(to.ID), min(int(to.ID), MostRobots)
}
