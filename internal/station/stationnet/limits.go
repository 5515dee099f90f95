package stationnet

import (
	"fmt"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// Limits of an address with its port. A relay sends for all robots of both sides: 12 of them at 60 packages a second
// fit.
const (
	addressRate  = 800
	addressBurst = 200
)

// limits drop what a station receives too much of: of one robot, so that a relay may send for all of them, and of one
// address, so that one that floods does not starve the others.
type limits struct {
	addresses, robots *traffic.Guard
	header            mixedteam.Header
	percepts          soccer.Percepts
}

func newLimits() *limits {
	return &limits{
		addresses: traffic.NewGuard(addressRate, addressBurst),
		robots:    traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst),
	}
}

// exceeded returns the sender of a datagram that is one too many, "" for another one. Datagrams that are no packages
// count as those of one robot.
func (l *limits) exceeded(p *soccer.Packet) string {
	if !l.addresses.Allow(p.From, p.Time) {
		return fmt.Sprintf("%v, which sends more than %d a second", p.From, addressRate)
	}
	robot := uint16(0)
	if _, err := mixedteam.Decode(p.Data, &l.header, &l.percepts); err == nil {
		robot = 1<<15 | uint16(l.header.Color)<<8 | uint16(l.header.Robot)
	}
	switch {
	case l.robots.AllowRobot(p.From, robot, p.Time):
		return ""
	case robot == 0:
		return fmt.Sprintf("%v, which sends more than %d a second that are no mixed team packages", p.From, traffic.GuardRate)
	}
	return fmt.Sprintf("robot %d at %v, which sends more than %d a second", l.header.Robot, p.From, traffic.GuardRate)
}
