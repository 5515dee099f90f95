package robotnet

import (
	"log/slog"
	"net/netip"

	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
)

// OpenNode opens a node of a team of robots: a robot's, its station's or the field's. A peer is gone after the silence
// that package robot allows.
func OpenNode(cfg teamcomnet.Config, log *slog.Logger) (*teamcomnet.Endpoint, error) {
	cfg.Node.Timeout, cfg.Node.Beacon = robot.LinkTimeout, robot.Beacon
	return teamcomnet.Open(cfg, log)
}

// RecordArrivals returns the Record of a node that passes to tap what arrives; it is nil without one.
func RecordArrivals(e *teamcomnet.Endpoint, tap func(*soccer.Packet)) func(soccer.Time, netip.AddrPort, netip.AddrPort, []byte) {
	if tap == nil {
		return nil
	}
	own := e.Address()
	return func(at soccer.Time, from, to netip.AddrPort, data []byte) {
		if teamcom.Listens(own, to) {
			tap(&soccer.Packet{Time: at, Channel: to.String(), From: from, Data: data})
		}
	}
}
