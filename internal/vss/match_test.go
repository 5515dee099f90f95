package vss_test

import (
	"fmt"
	"math"
	"net/netip"
	"testing"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// player is a team that answers vision.
type player interface {
	Play(env *firasim.Environment, ref firasim.RefereeCommand, out *firasim.Packet)
}

// match is a match of the built-in teams under the built-in referee. All packets are encoded and decoded.
type match struct {
	tb      testing.TB
	session *vss.Session
	ref     *vss.Referee
	teams   [2]player
	field   soccer.Field

	env    firasim.Environment // as the simulator has it
	seen   firasim.Environment // as clients read it
	out    firasim.Packet
	heard  firasim.Packet
	vision []byte
	packet []byte
	last   firasim.RefereeCommand
	asked  [2][5]float64 // rad/s of each robot's faster wheel
	calls  map[firasim.Foul]int
	ticks  int
}

func newMatch(tb testing.TB, robots int, physics string, seed uint64) *match {
	cfg := vss.DefaultConfig()
	cfg.Robots, cfg.Physics, cfg.Seed = robots, physics, seed
	return matchOf(tb, cfg)
}

func matchOf(tb testing.TB, cfg vss.Config) *match {
	robots, seed := cfg.Robots, cfg.Seed
	session, err := vss.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	field := soccer.VSS3v3()
	if robots > 3 {
		field = soccer.VSS5v5()
	}
	return &match{
		tb: tb, session: session, field: field, ref: vss.NewReferee(vss.DefaultRefereeConfig(field, robots)),
		teams: [2]player{vss.NewTeam(false, field, robots, seed), vss.NewTeam(true, field, robots, seed)},
		calls: map[firasim.Foul]int{},
	}
}

// send encodes and decodes a packet for the simulator.
func (m *match) send(p *firasim.Packet) {
	var err error
	if m.packet, err = p.AppendBinary(m.packet[:0]); err != nil {
		m.tb.Fatalf("tick %d: %v", m.ticks, err)
	}
	if err := m.heard.UnmarshalBinary(m.packet); err != nil {
		m.tb.Fatal(err)
	}
	m.session.Receive(netip.AddrPort{}, &m.heard)
}

func (m *match) tick() {
	m.ticks++
	m.session.Tick()
	m.session.Environment(&m.env)
	var err error
	if m.vision, err = m.env.AppendBinary(m.vision[:0]); err != nil {
		m.tb.Fatalf("tick %d: %v", m.ticks, err)
	}
	if err := m.seen.UnmarshalBinary(m.vision); err != nil {
		m.tb.Fatal(err)
	}
	c, changed, replace := m.ref.Watch(&m.seen)
	m.last = c
	if changed {
		m.calls[c.Foul]++
	}
	for i, team := range m.teams {
		team.Play(&m.seen, c, &m.out)
		m.send(&m.out)
		for _, c := range m.heard.Commands {
			m.asked[i][c.ID] = max(math.Abs(c.Left), math.Abs(c.Right))
		}
	}
	if replace != nil {
		m.send(replace)
	}
}

// anchor is a pose and the number of ticks for which a robot or the ball has kept it.
type anchor struct {
	at      soccer.Pose
	ticks   int
	longest int
}

// stay counts a tick at p. Leaving the place restarts the count, and so does count = false.
func (a *anchor) stay(p soccer.Pose, radius float64, count bool) {
	if !count || p.XY().Sub(a.at.XY()).Len() > radius || math.Abs(soccer.WrapAngle(p.Theta-a.at.Theta)) > 0.3 {
		*a = anchor{at: p, longest: a.longest}
	}
	a.ticks++
	a.longest = max(a.longest, a.ticks)
}

// play plays to the end and returns the goals. It checks that no robot leaves the field, and that during play neither
// the ball rests nor a driven robot stands still for long.
func (m *match) play() (blue, yellow uint32) {
	m.tb.Helper()
	const longest = 15000 / 16 // ticks
	var ball anchor
	var robots [2][5]anchor
	for ; !m.ref.Over(); m.tick() {
		if m.ticks > 100000 {
			m.tb.Fatalf("not over after %d ticks, %v", m.ticks, m.calls)
		}
		on := m.last.Foul == firasim.GameOn
		b := m.seen.Frame.Ball
		ball.stay(soccer.Pose{X: b.X, Y: b.Y}, 0.05, on)
		for team, all := range [2][]firasim.Robot{m.seen.Frame.Blue, m.seen.Frame.Yellow} {
			for _, r := range all {
				m.checkInside(team, r)
				pose := soccer.Pose{X: r.X, Y: r.Y, Theta: r.Orientation}
				robots[team][r.ID].stay(pose, 0.02, on && m.asked[team][r.ID] > 5)
			}
		}
	}
	if ball.longest > longest {
		m.tb.Errorf("the ball rested for %d ticks near %v", ball.longest, ball.at)
	}
	for team := range robots {
		for id, r := range robots[team] {
			if r.longest > longest {
				m.tb.Errorf("robot %d of team %d stood still for %d ticks despite its commands", id, team, r.longest)
			}
		}
	}
	return m.session.Goals()
}

// checkInside fails for a robot whose inscribed circle overlaps a wall, a goal or a post by more than 5 mm.
func (m *match) checkInside(team int, r firasim.Robot) {
	const least = soccer.VSSRobotEdge/2 - 0.005
	x, y, line, post := math.Abs(r.X), math.Abs(r.Y), m.field.Length/2, m.field.GoalWidth/2
	field := x <= line-least && y <= m.field.Width/2-least
	mouth := x <= line && y < post && math.Hypot(x-line, y-post) >= least
	goal := x <= line+m.field.GoalDepth-least && y <= post-least
	if !field && !mouth && !goal {
		m.tb.Fatalf("tick %d: robot %d of team %d at %v, %v", m.ticks, r.ID, team, r.X, r.Y)
	}
}

// TestMatch plays a whole match in each division and with both physics. BenchmarkMatch5v5 plays more.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		robots  int
		physics string
		seed    uint64
	}{{5, "firasim", 1}, {5, "firasim", 2}, {3, "firasim", 3}, {5, "rsim", 4}, {3, "rsim", 5}} {
		t.Run(fmt.Sprint(c.robots, c.physics, c.seed), func(t *testing.T) {
			m := newMatch(t, c.robots, c.physics, c.seed)
			blue, yellow := m.play()
			t.Logf("%d : %d in %d ticks, %v", blue, yellow, m.ticks, m.calls)
			if blue+yellow == 0 {
				t.Error("got no goal")
			}
			if kickoffs := m.calls[firasim.Kickoff]; kickoffs != 2+int(blue+yellow) {
				t.Errorf("got %d kick-offs for %d goals, want one each and one a half", kickoffs, blue+yellow)
			}
			if _, _, left := m.ref.Clock(); left != 0 {
				t.Errorf("got %v s left, want 0", left)
			}
		})
	}
}

// The same seed gives the same match, another seed another match.
func TestMatchRepeats(t *testing.T) {
	var after [3][]byte
	for i, seed := range []uint64{1, 1, 2} {
		m := newMatch(t, 5, "firasim", seed)
		for range 3000 {
			m.tick()
		}
		after[i] = m.vision
	}
	if string(after[0]) != string(after[1]) || string(after[0]) == string(after[2]) {
		t.Error("the seed does not determine the match")
	}
}

// BenchmarkMatch5v5 measures a whole match, each with another seed, with encoded packets on one core.
func BenchmarkMatch5v5(b *testing.B) {
	var blue, yellow, ticks, seed uint64
	for b.Loop() {
		seed++
		m := newMatch(b, 5, "firasim", seed)
		goals, against := m.play()
		blue, yellow, ticks = blue+uint64(goals), yellow+uint64(against), ticks+uint64(m.ticks)
	}
	if seed >= 20 && (blue == 0 || yellow == 0) {
		b.Errorf("%d goals to %d", blue, yellow)
	}
	b.ReportMetric(float64(ticks)*0.016/b.Elapsed().Seconds(), "x-real-time")
	b.ReportMetric(float64(blue)/float64(seed), "blue-goals/op")
	b.ReportMetric(float64(yellow)/float64(seed), "yellow-goals/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(ticks), "ns/tick")
}
