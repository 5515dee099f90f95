package match

import (
	"net/netip"
	"strconv"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// stations is the place of a team's base station among its nodes; robot n has place n.
const (
	stationPlace = 0
	places       = MostRobots + 1
)

// matchEther carries the datagrams of both teams. No team receives those of the other. A datagram that is on its way lies in
// a slot; the receivers fetch it when they next read their sockets.
type matchEther struct {
	slots  []datagram
	free   []int32
	links  [2][places][places][sockets]*traffic.Impairment // by team, sender, receiver and class
	apart  [2]soccer.RobotSet                              // places that are cut off from the others, by team
	inbox  [2][places]traffic.Queue[int32]                 // of slots, by team and receiver
	from   [2][places][sockets]netip.AddrPort
	groups [2][sockets]string // what the datagrams of a class are addressed to
	delays []time.Duration    // scratch
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

// open prepares the links and addresses. Each class of a link has a stream of random numbers of its own.
func (e *matchEther) open(cfg *MatchConfig) {
	e.buf = make([]byte, 0, tcm.OwnDatagram)
	e.impair(cfg, 0)
	for t := range e.links {
		for from := range places {
			for s := range sockets {
				host := netip.AddrFrom4([4]byte{10, 0, byte(t + 1), byte(from + 1)})
				e.from[t][from][s] = netip.AddrPortFrom(host, 41000+uint16(s))
			}
		}
		for s := range sockets {
			group := netip.AddrFrom4([4]byte{239, 255, byte(t + 1), 1})
			e.groups[t][s] = group.String() + ":" + strconv.Itoa(41000+s)
		}
	}
}

// impair impairs each link, with random numbers from the seed and the time of the change.
func (e *matchEther) impair(cfg *MatchConfig, changed uint64) {
	for t := range e.links {
		for from := range places {
			for to := range places {
				for s := range sockets { // a class more, such as debug records, changes nothing for the others
					stream := uint64(1 + ((t*places+from)*places+to)*sockets + s)
					e.links[t][from][to][s] = traffic.NewImpairment(cfg.Link, cfg.Seed+changed, stream)
				}
			}
		}
	}
}

// send puts a datagram of a sender on its way to one receiver, or to all others of a range of places.
func (e *matchEther) send(m *Match, t, from int, first, last int, socket tcm.Socket, data []byte) {
	if m.tap.Packet != nil {
		e.packet = soccer.Packet{
			Time: m.now.Add(air), Channel: e.groups[t][socket], From: e.from[t][from][socket], Data: data,
		}
		m.tap.Packet(game.Sides[t], &e.packet)
	}
	slot := e.slot()
	d := &e.slots[slot]
	d.data, d.from, d.socket, d.refs = append(d.data[:0], data...), e.from[t][from][socket], socket, 0
	for to := first; to <= last; to++ {
		if to == from || e.apart[t].Has(uint8(to)) != e.apart[t].Has(uint8(from)) {
			continue
		}
		e.delays = e.links[t][from][to][socket].Next(e.delays[:0])
		for _, delay := range e.delays {
			d.refs++
			e.inbox[t][to].Push(m.now.Add(air+delay), slot)
		}
	}
	if d.refs == 0 {
		e.free = append(e.free, slot)
	}
}

// slot returns a free slot.
func (e *matchEther) slot() int32 {
	if n := len(e.free); n > 0 {
		slot := e.free[n-1]
		e.free = e.free[:n-1]
		return slot
	}
	e.slots = append(e.slots, datagram{data: make([]byte, 0, 512)})
	return int32(len(e.slots) - 1)
}

// fetch passes the datagrams that have arrived at a receiver to read, in the order of their arrival.
func (e *matchEther) fetch(m *Match, t, to int, read func(p *soccer.Packet, socket tcm.Socket)) {
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
func (e *matchEther) pump(m *Match, t, from int, node *teamcom.Node) {
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
		return stationPlace, stationPlace
	case to.ID == 0:
		return 1, MostRobots
	}
	return int(to.ID), min(int(to.ID), MostRobots)
}
