package match

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// virtualRadio is a Radio in virtual time: nodes of robots and of the station, joined by the session's links.
type virtualRadio struct {
	session *Session
	tap     func(*soccer.Packet)
	dir     *teamcom.Directory
	nodes   []*virtualNode // by start
	boots   uint32
	buf     []byte
	packet  soccer.Packet // scratch
}

// virtualNode is a node of a virtualRadio.
type virtualNode struct {
	*teamcom.Node
	link    *robot.Link // nil: the station's
	base    netip.AddrPort
	modules []*teamcom.Module
	wake    soccer.Time // when the node is next asked for datagrams
}

// newVirtualRadio returns a radio with the node of the team's station.
func newVirtualRadio(s *Session, tap func(*soccer.Packet)) (*virtualRadio, error) {
	e := &virtualRadio{session: s, tap: tap, dir: &teamcom.Directory{Team: TeamNumber}, buf: make([]byte, 0, tcm.OwnDatagram)}
	const robots, computers = 41000, 42000 // base ports
	at := func(entity tcm.Entity, port uint16) {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port+10*uint16(entity.ID))
		e.dir.Entries = append(e.dir.Entries, teamcom.Entry{Entity: entity, Addr: addr})
	}
	for i := range s.members {
		at(tcm.Entity{Kind: tcm.Robot, ID: s.members[i].Number}, robots)
	}
	at(robot.Station, computers)
	n, err := e.open(robot.Station)
	if err != nil {
		return nil, err
	}
	manager := n.Module(tcm.Manager)
	n.modules = append(n.modules, manager)
	teamcom.Handle(manager, func(teamcom.From, *team.Status) {}) // in virtual time they are only measured
	teamcom.Handle(manager, func(teamcom.From, *team.Debug) {})
	return e, nil
}

// open adds the node of an entity.
func (e *virtualRadio) open(self tcm.Entity) (*virtualNode, error) {
	e.boots++
	cfg := teamcom.DefaultConfig(self)
	cfg.Name, cfg.Boot, cfg.Directory = NodeName(self), e.boots, e.dir
	cfg.Timeout, cfg.Beacon = robot.LinkTimeout, robot.Beacon
	node, err := teamcom.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	entry, _ := e.dir.Entry(self)
	n := &virtualNode{Node: node, base: entry.Addr, wake: teamcom.Never}
	e.nodes = append(e.nodes, n)
	return n, nil
}

// Start starts the node of a robot.
func (e *virtualRadio) Start(number uint8, r *robot.Robot) error {
	n, err := e.open(tcm.Entity{Kind: tcm.Robot, ID: number})
	if err != nil {
		return err
	}
	n.modules = append(n.modules, n.Module(tcm.GM))
	n.link = robot.NewLink(r, n.Node, robot.LinkConfig{Sent: func() { e.pump(n) }})
	return nil
}

// Stop ends the node of a robot.
func (e *virtualRadio) Stop(number uint8) {
	if i := e.index(number); i >= 0 {
		e.nodes = slices.Delete(e.nodes, i, i+1)
	}
}

// index returns the index of a robot's node, -1 without one.
func (e *virtualRadio) index(number uint8) int {
	self := tcm.Entity{Kind: tcm.Robot, ID: number}
	return slices.IndexFunc(e.nodes, func(n *virtualNode) bool { return n.Self() == self })
}

// Send sends a message of a robot.
func (e *virtualRadio) Send(number uint8, m *robot.Message) {
	if i := e.index(number); i >= 0 {
		e.nodes[i].link.Send(m)
	}
}

// Refer sends the state of the game from the station, which is the first node.
func (e *virtualRadio) Refer(m *team.Referee) {
	station := e.nodes[0]
	_ = station.Module(tcm.Manager).Client().Send(e.session.now, tcm.Entity{Kind: tcm.Robot}, m) // the node counts what it drops
	e.pump(station)
}

// running reports whether a node still runs.
func (e *virtualRadio) running(n *virtualNode) bool { return slices.Contains(e.nodes, n) }

// pump sends what a node sends now, and schedules what it sends later.
func (e *virtualRadio) pump(n *virtualNode) {
	now := e.session.now
	for {
		out, ok := n.Next(now, e.buf)
		if !ok {
			break
		}
		for _, to := range out.Addrs {
			e.transmit(n, &out, to)
		}
	}
	wake := max(n.Wake(), now+1)
	if wake >= n.wake && n.wake > now || wake == teamcom.Never {
		return // it is scheduled
	}
	n.wake = wake
	e.session.afterStill(wake.Sub(now), func() {
		if n.wake == wake && e.running(n) {
			n.wake = teamcom.Never
			e.pump(n)
		}
	})
}

// transmit sends a datagram to an address through the link to the node there.
func (e *virtualRadio) transmit(n *virtualNode, out *teamcom.Outgoing, to netip.AddrPort) {
	s := e.session
	from := teamcom.Port(n.base, out.Socket)
	e.packet = soccer.Packet{Time: s.now.Add(airTime), Channel: to.String(), From: from, Data: out.Data}
	e.tap(&e.packet)
	for _, r := range e.nodes {
		if teamcom.Port(r.base, out.Socket) != to {
			continue
		}
		arrival := e.packet
		arrival.Data = append([]byte(nil), out.Data...)
		for _, delay := range s.links.next(0, placeOf(n.Self()), placeOf(r.Self()), link{n.base, linkID(r.Self())}) {
			e.arrive(r, arrival, out.Socket, airTime+delay)
		}
	}
}

// linkID numbers the receivers of links: robots have their jersey numbers, computers follow.
func linkID(e tcm.Entity) uint8 {
	if e.Kind == tcm.Computer {
		return 100 + e.ID
	}
	return e.ID
}

// arrive hands a datagram to a node after a delay, and runs the handlers of what it completes.
func (e *virtualRadio) arrive(r *virtualNode, p soccer.Packet, socket tcm.Socket, delay time.Duration) {
	e.session.afterStill(delay, func() {
		if !e.running(r) {
			return
		}
		p.Time = e.session.now
		r.Receive(&p, socket)
		for _, m := range r.modules {
			for m.Run(e.session.Now, 64) > 0 {
			}
		}
		e.pump(r)
	})
}

// Reports returns what the nodes measured, the station's first, then in the order in which they started.
func (e *virtualRadio) Reports() []teamcom.Report {
	reports := make([]teamcom.Report, 0, len(e.nodes))
	for _, n := range e.nodes {
		reports = append(reports, n.Report(e.session.now))
	}
	return reports
}
