package league

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"touchline/game"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire"
)

// Wall returns the topic "wall". The caller fills in Silence.
func (m *Monitor) Wall(now soccer.Time) *watch.Wall {
	pic := &m.picture
	w := &watch.Wall{
		Session: "monitor, " + pic.league, Speed: 1, Time: now.Sub(m.cfg.Start).Seconds(), Field: pic.field, Link: m.cfg.Link,
		Waiting: []watch.Member{}, Tiles: make([]watch.Tile, 0, len(pic.robots)), Marks: m.recent(now), Game: m.game(now),
	}
	slices.SortFunc(pic.robots, func(a, b *robot) int { return a.from.compare(b.from) })
	for _, r := range pic.robots {
		if r.side != game.Both && now.Sub(r.at) < tileFor {
			w.Tiles = append(w.Tiles, m.tile(r, now))
		}
	}
	w.Spread = watch.Spread(w.Tiles)
	if pic.truth != nil && now.Sub(pic.truth.Time) < truthFor {
		w.Truth = m.scene()
	} else {
		w.Fused = m.fused(now)
	}
	return w
}

// recent returns the events of the last minute.
func (m *Monitor) recent(now soccer.Time) []watch.Mark {
	from := now.Add(-marksFor).Sub(m.cfg.Start).Seconds()
	i := 0
	for i < len(m.marks) && m.marks[i].Time < from {
		i++
	}
	return append([]watch.Mark{}, m.marks[i:]...)
}

// tile returns the tile of a robot.
func (m *Monitor) tile(r *robot, now soccer.Time) watch.Tile {
	age := now.Sub(r.at)
	rate, _ := r.from.rate(now)
	t := watch.Tile{
		Key: r.from.key, Sender: r.from.key, Number: r.number, Color: r.side.Color(),
		Team:  m.picture.teams[r.side.Index()].name,
		Shape: "robot", Real: true, State: "live", Rate: rate, Belief: r.belief(now), Faults: current(r.from.faults, now),
		Penalised: r.penalty != "", Status: status(r.status, r.penalty),
	}
	if note := rateNote(r.from, now, rate); note != nil && age <= m.picture.live {
		t.Faults = append(t.Faults, *note)
	}
	if age > m.picture.live {
		t.State, t.Silent = "silent", age.Seconds()
	}
	return t
}

// status joins what holds a robot back.
func status(all ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), ", ")
}

// belief returns what a robot told, with ages at a time.
func (r *robot) belief(now soccer.Time) watch.Belief {
	b := watch.Belief{By: watch.Jerseys{}, Robots: []watch.Figure{}, Unplaced: watch.Jerseys{}, Obstacles: []watch.Thing{}}
	age := now.Sub(r.at)
	if of := r.ballAge + age; r.ball != nil && of < ballFor {
		millis := of.Seconds() * 1e3
		b.Ball = &watch.Thing{X: r.ball.X, Y: r.ball.Y, Age: &millis}
		b.SeesBall, b.By = r.ballAge < idleAfter, watch.Jerseys{r.number}
	}
	if !r.known {
		b.Unplaced = append(b.Unplaced, r.number)
		return b
	}
	f := r.figure()
	millis := age.Seconds() * 1e3
	f.Self, f.Age = true, &millis
	b.Robots = append(b.Robots, f)
	return b
}

func (r *robot) figure() watch.Figure {
	return watch.Figure{Number: r.number, Color: r.side.Color(), Shape: "robot", Pose: r.pose, Facing: true}
}

// fused returns what all robots together tell: each stands where it says, and the ball is the median of the fresh ones,
// so that a robot that is mirrored does not move it.
func (m *Monitor) fused(now soccer.Time) *watch.Belief {
	b := &watch.Belief{By: watch.Jerseys{}, Robots: []watch.Figure{}, Unplaced: watch.Jerseys{}, Obstacles: []watch.Thing{}}
	var xs, ys, ages []float64
	for _, r := range m.picture.robots {
		age := now.Sub(r.at)
		if r.side == game.Both || age > m.picture.live {
			continue
		}
		if r.known {
			b.Robots = append(b.Robots, r.figure())
		} else {
			b.Unplaced = append(b.Unplaced, r.number)
		}
		if of := r.ballAge + age; r.ball != nil && r.penalty == "" && of < fuseFor {
			xs, ys, ages = append(xs, r.ball.X), append(ys, r.ball.Y), append(ages, of.Seconds()*1e3)
			b.By = append(b.By, r.number)
		}
	}
	if len(xs) > 0 {
		youngest := slices.Min(ages)
		b.Ball = &watch.Thing{X: median(xs), Y: median(ys), Age: &youngest}
	}
	return b
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// scene returns the ground truth as the page draws it.
func (m *Monitor) scene() *watch.Scene {
	t := m.picture.truth
	ball := watch.Thing{X: t.Ball.X, Y: t.Ball.Y, Z: t.Ball.Z}
	s := &watch.Scene{Ball: ball, Robots: []watch.Figure{}, Obstacles: []watch.Thing{}}
	for i := range t.Robots {
		r := &t.Robots[i]
		s.Robots = append(s.Robots, watch.Figure{
			Number: r.Number, Color: r.Team.Color(), Shape: r.Shape, Pose: r.Pose, Facing: true,
		})
	}
	return s
}

// partWords are the words of these leagues for parts that the Middle Size League calls otherwise.
var partWords = map[game.Part]string{
	game.PreOvertime: "before extra time", game.OvertimeFirst: "extra time, first half",
	game.OvertimeHalfTime: "extra time, half-time", game.OvertimeSecond: "extra time, second half",
	game.ShootOut: "penalty shoot-out",
}

// game returns the header of the game.
func (m *Monitor) game(now soccer.Time) *watch.Game {
	pic := &m.picture
	g := &watch.Game{
		League: pic.league, Home: m.gameTeam(game.Home), Away: m.gameTeam(game.Away), Notes: current(m.alarms, now),
	}
	if !pic.known {
		return g
	}
	g.Part = cmp.Or(partWords[pic.state.Part], string(pic.state.Part))
	g.Phase, g.Clock, g.Second, g.Live = pic.phase, pic.clock, pic.second, pic.state.Running
	if silent := now.Sub(pic.heard); silent > pic.stale {
		g.Stale = silent.Seconds()
	}
	return g
}

func (m *Monitor) gameTeam(side game.Side) watch.GameTeam {
	t := &m.picture.teams[side.Index()]
	return watch.GameTeam{
		Number: t.number, Name: t.name, Jersey: t.jersey, Score: m.picture.state.Team(side).Goals, Left: t.left, Heard: t.heard,
	}
}

// Report returns the topic "network". drops is the number of datagrams that were lost before they were read.
func (m *Monitor) Report(now soccer.Time, drops uint64) watch.Network {
	_, bytes := m.load.Mean(now, window/10)
	n := watch.Network{
		Group: m.cfg.Link.Group, BitsPerS: 8 * bytes, Drops: drops, Senders: []watch.SenderRow{}, Alarms: []string{},
	}
	if drops > m.drops {
		m.drops = drops
		m.alarm(now, watch.Fault{Short: "lost packets",
			Text: "this machine is too slow: packets were lost before they were read"})
	}
	for _, a := range current(m.alarms, now) {
		if !a.Suspicion {
			n.Alarms = append(n.Alarms, a.Text)
		}
	}
	var shown []*sender
	for _, e := range m.senders.All() {
		if now.Sub(e.Value.at) < tileFor {
			shown = append(shown, e.Value)
		}
	}
	slices.SortFunc(shown, (*sender).compare)
	for _, s := range shown {
		n.Senders = append(n.Senders, m.row(s, now))
	}
	return n
}

// compare orders senders: robots of home, of away, then others.
func (s *sender) compare(o *sender) int {
	rank := func(s *sender) int {
		n := s.side.Index()
		if s.side == game.Both {
			n = 2
		}
		if s.foreign {
			n += 3
		}
		return n
	}
	return cmp.Or(cmp.Compare(rank(s), rank(o)), cmp.Compare(s.number, o.number), strings.Compare(s.key, o.key))
}

// row returns the row of a sender.
func (m *Monitor) row(s *sender, now soccer.Time) watch.SenderRow {
	packets, bytes := s.rate(now)
	row := watch.SenderRow{
		Key: s.key, Addr: s.addr.String(), Number: s.number, Color: soccer.NoColor, Team: s.message, Foreign: s.foreign,
		Variant: s.message, Sure: 1, Rate: packets, BytesPerS: bytes, Packets: s.packets, Issues: s.issues, LastIssue: s.lastIssue,
		Faults: current(s.faults, now), Age: max(0, now.Sub(s.at).Seconds()*1e3),
	}
	if s.side != game.Both {
		row.Color, row.Team = s.side.Color(), m.picture.teams[s.side.Index()].name
	}
	if note := rateNote(s, now, packets); note != nil && !s.foreign && now.Sub(s.at) <= m.picture.live {
		row.Note = note.Text
	}
	return row
}

// Packets returns the last packets of the sender whose row has this key, newest first, and what its robot told. It
// reports false when there is no such sender.
func (m *Monitor) Packets(key string) (watch.PacketView, bool) {
	for _, e := range m.senders.All() {
		if s := e.Value; s.key == key {
			return m.packets(s), true
		}
	}
	return watch.PacketView{}, false
}

func (m *Monitor) packets(s *sender) watch.PacketView {
	v := watch.PacketView{Key: s.key, Packets: []watch.PacketEntry{}, Reports: []watch.Report{}}
	for i := s.last.Len() - 1; i >= 0; i-- {
		l := s.last.At(i)
		v.Packets = append(v.Packets, watch.PacketEntry{
			Time: l.at.Sub(m.cfg.Start).Seconds(), Variant: s.message, Sure: 1, Why: "its header and port", Len: l.len,
			Hex: hex.EncodeToString(l.data), Fields: append([]wire.Field{}, l.fields(l.data)...),
			Issues: append([]wire.Issue{}, l.check(l.data)...),
		})
	}
	for _, r := range m.picture.robots {
		if r.from == s {
			own := r.belief(m.received)
			v.Own = &own
		}
	}
	return v
}
