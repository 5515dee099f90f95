package watch

import (
	"math"
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
			Real: true, State: "live", Rate: rate, Belief: PerceptsOf(s.Percepts, s.Sender, now.Sub(s.Time)),
			Faults: w.Faults(s.Sender, now), Values: valuesOf(s.Percepts),
		}
		if now.Sub(s.Time) > liveFor {
			t.State = "silent"
		}
		tiles = append(tiles, t)
	}
	return tiles
}

// Faults returns what is wrong with the meaning of a sender's packages, faults before suspicions. A wrong byte order
// comes first.
func (w *Watcher) Faults(s soccer.Sender, now soccer.Time) []Fault {
	list := []Fault{}
	if e := w.rows.Find(sourceKey{s, false}); e != nil && e.Value.identity.BigEndian {
		list = append(list, Fault{Short: "byte order", Text: e.Value.identity.Reason + ": write integers little-endian"})
	}
	for _, f := range w.judge.Faults(s, now) {
		list = append(list, Fault{Short: f.Short, Text: f.Text, Suspicion: f.Note})
	}
	return list
}

// valuesOf converts the contents of a package back to its own frame, in metres and degrees.
func valuesOf(p *soccer.Percepts) *Values {
	v := &Values{}
	inFrame := func(at soccer.Vec) (x, y *float64) { right := -at.Y; return &right, &at.X }
	if p.Self.Known {
		v.X, v.Y = inFrame(p.Self.Pose.XY())
		if p.Self.HasHeading {
			degrees := math.Mod(math.Round(p.Self.Pose.Theta*180/math.Pi)+360, 360)
			v.Heading = &degrees
		}
	}
	if len(p.Balls) > 0 {
		v.BallX, v.BallY = inFrame(p.Balls[0].Position.XY())
	}
	return v
}
