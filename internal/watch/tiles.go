package watch

import (
	"math"
	"net/netip"
	"slices"
	"time"

	"touchline/soccer"
)

// liveFor is the time after its last packet for which a robot counts as live.
const liveFor = time.Second

// Tiles returns a tile for each robot that sent a packet, except those whose address own reports. A robot that falls
// silent keeps its tile, for a page to dismiss, unless one with its colour and number sends from another address. A tile
// shows the contents of the robot's packets; what the robot fuses from its teammates' is in no packet.
func (w *Watcher) Tiles(now soccer.Time, own func(netip.AddrPort) bool) []Tile {
	tiles := []Tile{}
	oldest := w.oldestTile(now)
	for _, r := range w.list(func(r *row) bool { return !r.Foreign }) {
		s := &r.Source
		if own(s.Sender.Addr) || now.Sub(s.Time) > tileFor && (s.Time < oldest || w.replaced(r)) {
			continue
		}
		rate, _ := r.rate(now)
		t := Tile{
			Key: s.Key, Sender: s.Key, Number: s.Sender.Robot, Color: s.Sender.Color,
			Team: soccer.MSLTeam(int(s.Header.TeamID)).Name, Shape: "robot",
			Real: true, State: "live", Rate: rate, Belief: PerceptsOf(s.Percepts, s.Sender, now.Sub(s.Time)),
			Faults: w.Faults(s.Sender, now), Values: valuesOf(s.Percepts),
		}
		if now.Sub(s.Time) > liveFor {
			t.State, t.Silent = "silent", now.Sub(s.Time).Seconds()
		}
		tiles = append(tiles, t)
	}
	return tiles
}

// replaced reports whether a sender with the colour and number of r sent later than r.
func (w *Watcher) replaced(r *row) bool {
	for _, e := range w.rows.All() {
		if o := e.Value; !o.Foreign && o.Sender.Color == r.Sender.Color && o.Sender.Robot == r.Sender.Robot && o.Time > r.Time {
			return true
		}
	}
	return false
}

// oldestTile returns the time of the newest packet of the last of silentTiles senders that are silent for long.
func (w *Watcher) oldestTile(now soccer.Time) soccer.Time {
	var silent []soccer.Time
	for _, e := range w.rows.All() {
		if r := e.Value; !r.Foreign && now.Sub(r.Time) > tileFor && !w.replaced(r) {
			silent = append(silent, r.Time)
		}
	}
	if len(silent) <= silentTiles {
		return 0
	}
	slices.Sort(silent)
	return silent[len(silent)-silentTiles]
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
