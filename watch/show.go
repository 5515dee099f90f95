package watch

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
)

// How often the page is told.
const (
	WallEvery    = 30 * time.Millisecond
	NetworkEvery = 500 * time.Millisecond
	PacketsEvery = 200 * time.Millisecond
)

// silentAfter is how long nothing is heard before the page says so and helps.
const silentAfter = 5 * time.Second

// aliveFor is how long after its last packet a robot counts as live.
const aliveFor = time.Second

// Teller sends the network panel and the packets that somebody looks at to the pages, each in its own time.
type Teller struct {
	Page    *monitor.Server // nil: nobody looks
	network time.Time
	packets time.Time
}

// Tell sends what is due. now is the packets' clock, real the clock on the wall; drops are datagrams lost before they
// were read.
func (t *Teller) Tell(w *Watcher, now soccer.Time, real time.Time, drops uint64) error {
	if t.Page == nil {
		return nil
	}
	if real.Sub(t.network) >= NetworkEvery {
		t.network = real
		if err := t.Page.Publish("network", w.Report(now, drops)); err != nil {
			return err
		}
	}
	if real.Sub(t.packets) < PacketsEvery {
		return nil
	}
	t.packets = real
	for _, topic := range t.Page.Topics() {
		key, ok := strings.CutPrefix(topic, "packets/")
		if !ok {
			continue
		}
		if view, ok := w.Packets(key); ok {
			if err := t.Page.Publish(topic, view); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tiles returns a tile for each robot that was heard within the last ten seconds and whose address is not one of ours: what
// its packets say, not what it fuses from them, which no packet tells.
func (w *Watcher) Tiles(now soccer.Time, ours func(netip.AddrPort) bool) []Tile {
	tiles := []Tile{}
	for s, rate := range w.Senders(now) {
		if ours(s.Sender.Addr) || now.Sub(s.Time) > gone {
			continue
		}
		t := Tile{
			Key: s.Key, Sender: s.Key, Number: s.Sender.Robot, Color: s.Sender.Color, Team: soccer.MSLTeam(int(s.Header.TeamID)).Name, Shape: "robot",
			Real: true, State: "live", Rate: rate, Belief: PerceptsOf(s.Percepts, s.Sender, now.Sub(s.Time)),
		}
		if now.Sub(s.Time) > aliveFor {
			t.State = "silent"
		}
		tiles = append(tiles, t)
	}
	return tiles
}

// SilenceOf returns what to tell a user who hears nothing: since when, which other interfaces there are, and the command
// for the likeliest of them. flags are what else the command needs, "" or with a leading blank. It is nil while something
// is heard.
func SilenceOf(quiet time.Duration, used, flags string) *Silence {
	if quiet < silentAfter {
		return nil
	}
	s := &Silence{Seconds: quiet.Seconds(), Interfaces: []Interface{}}
	all, err := transport.Interfaces()
	if err != nil {
		return s
	}
	for _, i := range all {
		if i.Name == used || i.Loopback && used == "" {
			continue
		}
		other, reachable := Interface{Name: i.Name, Up: i.Up, Addrs: []string{}}, false
		for _, a := range i.Addrs {
			other.Addrs = append(other.Addrs, a.String())
			reachable = reachable || a.Is4() // the groups are IPv4's
		}
		s.Interfaces = append(s.Interfaces, other)
		if s.Command == "" && i.Up && i.Multicast && reachable {
			s.Command = fmt.Sprintf("touchline monitor --interface %s%s", i.Name, flags)
		}
	}
	return s
}
