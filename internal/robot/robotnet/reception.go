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

// Reception is how a bad network impairs what the robot receives: packages, and the TCM without the messages of the
// field. The zero Reception is perfect.
type Reception struct {
	Link  traffic.Link    // from each sender
	Apart soccer.RobotSet // robots of which nothing arrives; 0 stands for the team's computers
}

// reception applies a Reception.
type reception struct {
	mu    sync.Mutex
	to    Reception
	seed  uint64
	robot uint8
	links map[netip.AddrPort]*traffic.Impairment // by sender

	// scratch memory of packages
	header   mixedteam.Header
	percepts soccer.Percepts
}

// SetReception impairs what the robot receives from now on.
func (r *Robot) SetReception(to Reception) error {
	if err := to.Link.Validate(); err != nil {
		return fmt.Errorf("robot: %w", err)
	}
	r.reception.mu.Lock()
	defer r.reception.mu.Unlock()
	r.reception.to, r.reception.links = to, map[netip.AddrPort]*traffic.Impairment{}
	return nil
}

// atOnce are the delays of a datagram on a perfect link.
var atOnce = []time.Duration{0}

// delays returns the delays of the copies of a datagram from an address of a robot, 0 for others.
func (r *reception) delays(from netip.AddrPort, number uint8) []time.Duration {
	const most = 512 // links; further ones share one
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.to.Apart.Has(number):
		return nil
	case r.to.Link == (traffic.Link{}):
		return atOnce
	case len(r.links) >= most && r.links[from] == nil:
		from = netip.AddrPort{}
	}
	link := r.links[from]
	if link == nil {
		link = traffic.NewImpairment(r.to.Link, r.seed*1_000_003+uint64(from.Port())*257+uint64(r.robot), 0)
		r.links[from] = link
	}
	return link.Next(nil)
}

// teamDelays returns the delays of a datagram of the TCM.
func (r *Robot) teamDelays(from netip.AddrPort) []time.Duration {
	switch e := r.directory.At(from); {
	case e == r.cfg.Entity:
		return atOnce
	case e.Kind == tcm.Robot:
		return r.reception.delays(from, e.ID)
	}
	return r.reception.delays(from, 0)
}

// packageDelays returns the delays of a package. Only a partition needs the number of its robot.
func (r *reception) packageDelays(p *soccer.Packet) []time.Duration {
	r.mu.Lock()
	whole := r.to.Apart == 0
	r.mu.Unlock()
	number := uint8(0)
	if whole {
		return r.delays(p.From, number)
	}
	if _, err := mixedteam.Decode(p.Data, &r.header, &r.percepts); err == nil {
		number = r.header.Robot
	}
	return r.delays(p.From, number)
}

// receive passes a package of another robot to the robot's software, as its reception delays it.
func (r *Robot) receive(a *transport.Arrival) {
	if a.Packet.From == r.sender.LocalAddr() {
		return
	}
	a.Packet.Time = r.endpoint.Now().Add(-time.Since(a.At))
	for _, delay := range r.reception.packageDelays(&a.Packet) {
		if delay <= 0 {
			r.receivePackage(&a.Packet)
			continue
		}
		late := a.Packet
		late.Time, late.Data = late.Time.Add(delay), bytes.Clone(late.Data)
		time.AfterFunc(delay, func() { r.receivePackage(&late) })
	}
}

// receivePackage fuses a package of another robot.
func (r *Robot) receivePackage(p *soccer.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.Receive(p)
}
