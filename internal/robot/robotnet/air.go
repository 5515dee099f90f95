package robotnet

import (
	"bytes"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
	"touchline/wire/tcm"
)

// Air is how a bad network impairs what the robot receives: packages, and the TCM without the field's messages, which are
// no radio. The zero Air is perfect.
type Air struct {
	Link  traffic.Link    // from each sender
	Apart soccer.RobotSet // robots of which nothing arrives; 0 stands for the team's computers
}

// air applies an Air.
type air struct {
	robot *Robot

	mu    sync.Mutex
	air   Air
	links map[netip.AddrPort]*traffic.Impairment // by sender

	// scratch memory of packages
	header   mixedteam.Header
	percepts soccer.Percepts
}

// SetAir impairs what the robot receives from now on.
func (r *Robot) SetAir(to Air) error {
	if err := to.Link.Validate(); err != nil {
		return fmt.Errorf("robot: %w", err)
	}
	r.air.mu.Lock()
	defer r.air.mu.Unlock()
	r.air.air, r.air.links = to, map[netip.AddrPort]*traffic.Impairment{}
	return nil
}

// atOnce are the delays of a datagram on a perfect link.
var atOnce = []time.Duration{0}

// delays returns the delays of the copies of a datagram from an address of a robot, 0 for others.
func (a *air) delays(from netip.AddrPort, number uint8) []time.Duration {
	const most = 512 // links; further ones share one
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.air.Apart.Has(number):
		return nil
	case a.air.Link == (traffic.Link{}):
		return atOnce
	case len(a.links) >= most && a.links[from] == nil:
		from = netip.AddrPort{}
	}
	link := a.links[from]
	if link == nil {
		cfg := &a.robot.cfg.Robot
		link = traffic.NewImpairment(a.air.Link, cfg.Seed*1_000_003+uint64(from.Port())*257+uint64(cfg.Number), 0)
		a.links[from] = link
	}
	return link.Next(nil)
}

// teamDelays returns the delays of a datagram of the TCM.
func (r *Robot) teamDelays(from netip.AddrPort) []time.Duration {
	for i := range r.directory.Entries {
		e := &r.directory.Entries[i]
		if e.Addr.Addr() != from.Addr() || from.Port()-e.Addr.Port() >= tcm.Sockets {
			continue
		}
		if e.Entity == r.cfg.Entity {
			return atOnce
		}
		if e.Entity.Kind == tcm.Robot {
			return r.air.delays(from, e.Entity.ID)
		}
	}
	return r.air.delays(from, 0)
}

// packageDelays returns the delays of a package. Only a partition needs the number of its robot.
func (a *air) packageDelays(p *soccer.Packet) []time.Duration {
	a.mu.Lock()
	whole := a.air.Apart == 0
	a.mu.Unlock()
	number := uint8(0)
	if whole {
		return a.delays(p.From, number)
	}
	if _, err := mixedteam.Decode(p.Data, &a.header, &a.percepts); err == nil {
		number = a.header.Robot
	}
	return a.delays(p.From, number)
}

// receive passes a package of another robot to the robot's software, through the air.
func (r *Robot) receive(a *transport.Arrival) {
	if a.Packet.From == r.sender.LocalAddr() {
		return
	}
	a.Packet.Time = r.endpoint.Now().Add(-time.Since(a.At))
	for _, delay := range r.air.packageDelays(&a.Packet) {
		if delay <= 0 {
			r.take(&a.Packet)
			continue
		}
		late := a.Packet
		late.Time, late.Data = late.Time.Add(delay), bytes.Clone(late.Data)
		time.AfterFunc(delay, func() { r.take(&late) })
	}
}

// take fuses a package of another robot.
func (r *Robot) take(p *soccer.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.Receive(p)
}
