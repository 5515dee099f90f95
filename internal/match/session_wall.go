package match

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
)

// Wall returns the topic "wall": the ground truth and a tile for each robot. The caller fills in Link, Paused and
// Silence, and Speed where the session is not in real time.
func (s *Session) Wall() *watch.Wall {
	truth, bodies := s.truth(false)
	w := &watch.Wall{
		Session: s.cfg.Name(), Seed: strconv.FormatUint(s.cfg.Seed, 10), Controls: true, Speed: 1,
		Time: seconds(s.now), Field: s.cfg.Field, Truth: truth,
		Waiting: []watch.Member{}, Apart: watch.Jerseys{}, Unreached: watch.Jerseys{},
		Tiles: make([]watch.Tile, len(s.slots)), Marks: append([]watch.Mark{}, s.marks...),
	}
	if out := s.members[s.substitute]; !s.cfg.Alone {
		w.Waiting = append(w.Waiting, watch.Member{Number: out.Number, Team: out.Team})
	}
	for number := range uint8(maxMembers + 1) {
		if s.links.apart[0].Has(number) {
			w.Apart = append(w.Apart, number)
		}
	}
	for i := range s.slots {
		if s.slots[i].outside != nil && !s.cfg.Outside {
			w.Unreached = append(w.Unreached, s.slots[i].number)
		}
		w.Tiles[i] = s.tileOf(i, truth, bodies)
	}
	for source, rate := range s.watcher.Senders(s.now) {
		for i := range s.slots {
			if source.Sender.Addr == s.addrs[w.Tiles[i].Number] {
				w.Tiles[i].Sender, w.Tiles[i].Rate = source.Key, rate
				w.Tiles[i].Faults = s.watcher.Faults(source.Sender, s.now)
			}
		}
	}
	w.Spread = watch.Spread(w.Tiles) // without real robots, which see another ball
	w.Tiles = append(w.Tiles, s.watcher.Tiles(s.now, s.Bound)...)
	return w
}

// Truth returns the ground truth.
func (s *Session) Truth() *watch.Scene {
	scene, _ := s.truth(false)
	return scene
}

// tileOf returns the tile of one slot, without the key and rate of its packets.
func (s *Session) tileOf(i int, truth *watch.Scene, bodies []soccer.Vec) watch.Tile {
	at := &s.slots[i]
	var w *soccer.World
	if s.believes(&at.unit, s.now, &s.world) {
		w = &s.world
	}
	t := s.tile(&at.unit, fmt.Sprintf("place/%d", i+1), w, s.cameras(), truth, bodies)
	t.Penalised = s.penalised.Has(at.number)
	if at.robot == nil && at.outside == nil {
		t.State = "off"
		if at.crashed != 0 && !at.off {
			t.Crashed = CrashText("", at.crashed.Add(restartAfter).Sub(s.now))
		}
	}
	return t
}

// CrashText says that software crashed, why if that is known, and when it starts again.
func CrashText(why string, left time.Duration) string {
	text := "crashed"
	if why != "" {
		text += " (" + why + ")"
	}
	switch {
	case left > time.Hour:
		return text
	case left <= 0:
		return text + ", starts again now"
	default:
		return fmt.Sprintf("%s, starts again in %d s", text, (left+time.Second-1)/time.Second)
	}
}

// cameras returns the jersey numbers of the camera units.
func (s *Session) cameras() (set soccer.RobotSet) {
	for i := range s.members {
		if s.members[i].Shape == "camera" {
			set = set.With(s.members[i].Number)
		}
	}
	return set
}

// Network returns the topic "network" as the observing monitor receives it. drops is the number of datagrams
// that were lost before they were read. Call it at least once a second; see watch.Watcher.Report.
func (s *Session) Network(drops uint64) watch.Network { return s.watcher.Report(s.now, drops) }

// Packets returns the last packets of the sender whose row has this key, and what its robot knows if it is one of the
// session. It reports false when there is no such sender.
func (s *Session) Packets(key string) (watch.PacketView, bool) {
	v, ok := s.watcher.Packets(key)
	for source := range s.watcher.Senders(s.now) {
		if source.Key != key {
			continue
		}
		for i := range s.slots {
			if s.addrs[s.slots[i].number] == source.Sender.Addr && s.slots[i].robot != nil {
				s.know(&v, source.Sender, &s.slots[i])
			}
		}
	}
	return v, ok
}

// know fills in what a robot of the session perceived and received itself: the link to the monitor loses other packets.
func (s *Session) know(v *watch.PacketView, self soccer.Sender, at *slot) {
	percepts := at.robot.Percepts()
	own := watch.PerceptsOf(percepts, self, s.now.Sub(percepts.Time))
	at.robot.OwnWorld(s.now, &s.world)
	alone := watch.BeliefOf(&s.world, soccer.Cyan, self.Robot, s.cameras())
	v.Own, v.Alone, v.Reports = &own, &alone, []watch.Report{}
	for i := range at.received {
		p := &at.received[i]
		if report, ok := watch.ReportOf(p, s.now); ok && s.now.Sub(p.Time) <= reportFor {
			v.Reports = append(v.Reports, report)
		}
	}
	slices.SortFunc(v.Reports, func(a, b watch.Report) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Age, b.Age))
	})
}

// SilentFor returns the time since the observing monitor last received a packet.
func (s *Session) SilentFor() time.Duration { return s.watcher.SilentFor(s.now) }
