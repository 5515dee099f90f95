package watch

import (
	"net/netip"
	"time"

	"touchline/soccer"
)

// liveFor is the time after its last packet for which a robot counts as live.
const liveFor = time.Second

// Tiles returns a tile for each robot that sent a packet within the last ten seconds, except those whose address own
// reports. A tile shows the contents of the robot's packets; what the robot fuses from its teammates' is in no packet.
func (w *Watcher) Tiles(now soccer.Time, own func(netip.AddrPort) bool) []Tile {
	tiles := []Tile{}
	for s, rate := range w.Senders(now) {
		if own(s.Sender.Addr) || now.Sub(s.Time) > tileFor {
			continue
		}
		t := Tile{
			Key: s.Key, Sender: s.Key, Number: s.Sender.Robot, Color: s.Sender.Color,
			Team: soccer.MSLTeam(int(s.Header.TeamID)).Name, Shape: "robot",
			Real: true, State: "live", Rate: rate, Belief: perceptsOf(s.Percepts, s.Sender, now.Sub(s.Time)),
		}
		if now.Sub(s.Time) > liveFor {
			t.State = "silent"
		}
		tiles = append(tiles, t)
	}
	return tiles
}
