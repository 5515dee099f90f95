package match

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"touchline/soccer"
	"touchline/watch"
)

// Events stay on the time strip for a minute, and no more than so many.
const (
	markMemory = 60 * time.Second
	maxMarks   = 100
)

// mark puts an event on the time strip.
func (s *Session) mark(kind string, number uint8, text string) {
	s.marked++
	s.marks = append(s.marks, watch.Mark{Time: s.seconds(s.now), Kind: kind, Number: number, Text: text})
	for len(s.marks) > maxMarks || s.marks[0].Time < s.seconds(s.now)-markMemory.Seconds() {
		s.marks = s.marks[1:]
	}
}

func (s *Session) seconds(t soccer.Time) float64 { return t.Sub(soccer.Epoch).Seconds() }

// Wall returns this instant as the page shows it: the truth and each robot's monitor. What the session itself does not
// know (Link, Paused) is the caller's to fill.
func (s *Session) Wall() *watch.Wall {
	truth, bodies := s.truth()
	out := s.members[s.waiting]
	w := &watch.Wall{
		Session: "practical session", Seed: strconv.FormatUint(s.cfg.Seed, 10), Controls: true,
		Time: s.seconds(s.now), Field: s.cfg.Field, Truth: truth,
		Waiting: []watch.Member{{Number: out.Number, Team: out.Team}},
		Tiles:   make([]watch.Tile, len(s.slots)), Marks: append([]watch.Mark{}, s.marks...),
	}
	for i := range s.slots {
		w.Tiles[i] = s.tile(i, truth, bodies)
	}
	for speaker, rate := range s.watcher.Senders(s.now) {
		for i := range s.slots {
			if speaker.Sender.Addr == s.addrs[w.Tiles[i].Number] {
				w.Tiles[i].Sender, w.Tiles[i].Rate = speaker.Key, rate
			}
		}
	}
	w.Spread = watch.Spread(w.Tiles) // a real robot sees another ball
	ours := func(a netip.AddrPort) bool { return slices.Contains(s.addrs[:], a) }
	w.Tiles = append(w.Tiles, s.watcher.Tiles(s.now, ours)...)
	return w
}

// truth returns what really is on the field, and where all robots' bodies stand.
func (s *Session) truth() (*watch.Scene, []soccer.Vec) {
	p, v := s.engine.Ball()
	scene := &watch.Scene{
		Ball:   watch.Thing{X: p.X, Y: p.Y, Z: p.Z, VX: v.X, VY: v.Y},
		Robots: []watch.Figure{}, Obstacles: []watch.Thing{},
	}
	var bodies []soccer.Vec
	for i := range s.slots {
		m := &s.members[s.slots[i].member]
		pose, ok := s.engine.RobotPose(m.Number)
		if !ok {
			continue
		}
		scene.Robots = append(scene.Robots, watch.Figure{Number: m.Number, Shape: m.Shape, Pose: pose, Facing: true})
		bodies = append(bodies, pose.XY())
	}
	for _, o := range s.engine.Obstacles() {
		scene.Obstacles = append(scene.Obstacles, watch.Thing{X: o.X, Y: o.Y})
	}
	return scene, bodies
}

// tile returns the monitor of one slot, but for what is heard of its robot.
func (s *Session) tile(i int, truth *watch.Scene, bodies []soccer.Vec) watch.Tile {
	m := &s.members[s.slots[i].member]
	t := watch.Tile{
		Key: fmt.Sprintf("place/%d", i+1), Number: m.Number, Team: m.Team, Shape: m.Shape, State: "live",
	}
	r := s.slots[i].robot
	if r == nil {
		t.State = "off"
		t.Belief = watch.BeliefOf(&soccer.World{Time: s.now}, soccer.Cyan, 0, 0)
		return t
	}
	r.World(s.now, &s.world)
	t.Belief = watch.BeliefOf(&s.world, soccer.Cyan, m.Number, s.cameras())
	ball, found, ghosts := t.Belief.Score(truth, bodies)
	t.BallError, t.Found, t.False = ball, &found, &ghosts
	left, foreign := r.Counts()
	t.Left = &watch.Left{
		Unplaced: left.Unplaced, Repeated: left.Duplicate, Stale: left.Stale, OtherColor: left.OtherSide, Foreign: foreign,
	}
	return t
}

// cameras returns the jersey numbers that are units without a robot.
func (s *Session) cameras() (set soccer.RobotSet) {
	for i := range s.members {
		if s.members[i].Shape == "camera" {
			set = set.With(s.members[i].Number)
		}
	}
	return set
}
