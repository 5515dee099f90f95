package league_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/hslgame"
	"touchline/internal/league"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/hsl"
	"touchline/wire/wiretest"
)

// binary is a message of the league.
type binary interface {
	AppendBinary(b []byte) ([]byte, error)
}

// network passes packets to a monitor.
type network struct {
	t testing.TB
	m *league.Monitor
	n soccer.Time
}

var controller = netip.MustParseAddr("10.0.0.1")

func newNetwork(t testing.TB) *network {
	return &network{t: t, m: league.NewHSL(league.Config{Start: soccer.Epoch}, netip.Addr{}), n: soccer.Epoch}
}

// raw passes a datagram.
func (n *network) raw(from netip.Addr, port uint16, data []byte) {
	n.m.Receive(&soccer.Packet{
		Time: n.n, Channel: netip.AddrPortFrom(netip.MustParseAddr("239.0.0.1"), port).String(),
		From: netip.AddrPortFrom(from, 5000), Data: data,
	})
}

// send passes a message of the GameController.
func (n *network) send(port uint16, m binary) {
	n.t.Helper()
	data, err := m.AppendBinary(nil)
	if err != nil {
		n.t.Fatal(err)
	}
	n.raw(controller, port, data)
}

// wait advances the time.
func (n *network) wait(d time.Duration) { n.n = n.n.Add(d) }

func (n *network) wall() *watch.Wall {
	n.t.Helper()
	w := n.m.Wall(n.n)
	if _, err := json.Marshal(w); err != nil {
		n.t.Fatal(err)
	}
	return w
}

// control returns a control message of a game of teams 5 and 24.
func control() *hsl.Control {
	return &hsl.Control{
		True: true, PlayersPerTeam: 7, Competition: hsl.Middle, State: hsl.Playing, FirstHalf: true, KickingTeam: hsl.NoTeam,
		SecondsRemaining: 321, Teams: [2]hsl.Team{
			{Number: 5, FieldColor: 0, GoalkeeperColor: 2, Score: 1, MessageBudget: 900},
			{Number: 24, FieldColor: 1, GoalkeeperColor: 3, MessageBudget: 12_000},
		},
	}
}

// forward returns a return message as the GameController forwards it.
func forward(team, player uint8) *hsl.Forward {
	return &hsl.Forward{
		Robot:  netip.AddrFrom4([4]byte{10, 0, team, player}),
		Return: hsl.Return{Player: player, Team: team, X: 1500, Y: -500, Theta: 0, BallAge: 0.5, BallX: 1000},
	}
}

// TestWall shows both teams in the field frame, with score, clock and budgets.
func TestWall(t *testing.T) {
	n := newNetwork(t)
	c := control()
	c.Teams[1].Players[2] = hsl.Player{Penalty: hsl.Pushing, SecondsLeft: 12}
	n.send(hsl.ControlPort, c)
	n.send(hsl.ForwardPort, forward(5, 1))
	away := forward(24, 3)
	away.Return.Fallen = true
	n.send(hsl.ForwardPort, away)
	n.wait(time.Second)
	w := n.wall()
	if g := w.Game; g.Home.Name != "B-Human" || g.Away.Name != "HULKs" || g.Home.Score != 1 || *g.Home.Left != 900 ||
		g.Home.Jersey != "blue" || g.Part != "first half" || g.Phase != "playing" || g.Clock != 321 || !g.Live || len(g.Notes) > 0 {
		t.Errorf("game %+v", w.Game)
	}
	if w.Field.Length != 14 || len(w.Tiles) != 2 {
		t.Fatalf("field of %v m, tiles %+v", w.Field.Length, w.Tiles)
	}
	home, other := w.Tiles[0], w.Tiles[1]
	if p := home.Belief.Robots[0].Pose; p.X != 1.5 || p.Y != -0.5 || p.Theta != 0 || home.Color != soccer.Cyan {
		t.Errorf("home stands at %+v", p)
	}
	if b := home.Belief.Ball; b.X != 2.5 || b.Y != -0.5 || *b.Age != 1500 {
		t.Errorf("home's ball is %+v", b)
	}
	if p := other.Belief.Robots[0].Pose; p.X != -1.5 || p.Y != 0.5 || math.Abs(p.Theta) < 3.14 || other.Color != soccer.Magenta {
		t.Errorf("away stands at %+v, want half a turn from home", p)
	}
	if !other.Penalised || other.Status != "fallen, pushing 12 s" || home.Status != "" {
		t.Errorf("status %q and %q", other.Status, home.Status)
	}
	if f := w.Fused; len(f.Robots) != 2 || f.Ball == nil || f.Ball.X != 2.5 { // that of a robot off the field does not count
		t.Errorf("fused %+v", f)
	}
	n.wait(4 * time.Second)
	if w := n.wall(); w.Tiles[0].State != "silent" || w.Game.Stale != 5 {
		t.Errorf("after 5 s of silence a tile is %s, the game %v s old", w.Tiles[0].State, w.Game.Stale)
	}
}

// TestVersions says which version the GameController sends, and shows nothing of it.
func TestVersions(t *testing.T) {
	for _, version := range []byte{18, 20} {
		n := newNetwork(t)
		data, err := control().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if data[4] = version; version == 18 {
			data = data[:118]
		}
		n.raw(controller, hsl.ControlPort, data)
		g := n.wall().Game
		want := fmt.Sprintf("the GameController sends version %d; touchline reads 19", version)
		if g.Part != "" || len(g.Notes) != 1 || !strings.HasPrefix(g.Notes[0].Text, want) {
			t.Errorf("version %d: game %+v", version, g)
		}
		if alarms := n.m.Report(n.n, 0).Alarms; len(alarms) != 1 || !strings.HasPrefix(alarms[0], want) {
			t.Errorf("version %d: alarms %q", version, alarms)
		}
	}
}

// TestTeamMessages names a message that is too long, and one beyond the budget, also on the tile of its robot.
func TestTeamMessages(t *testing.T) {
	n := newNetwork(t)
	c := control()
	c.Teams[1].MessageBudget = 0
	n.send(hsl.ControlPort, c)
	n.send(hsl.ForwardPort, forward(5, 2))
	n.raw(netip.MustParseAddr("10.0.5.2"), hsl.TeamPort+5, make([]byte, 513))
	n.raw(netip.MustParseAddr("10.0.24.9"), hsl.TeamPort+24, make([]byte, 20))
	w := n.wall()
	var notes []string
	for _, f := range w.Game.Notes {
		notes = append(notes, f.Short)
	}
	if want := []string{"size of B-Human", "budget of HULKs"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if f := w.Tiles[0].Faults; len(f) != 1 || !strings.Contains(f[0].Text, "513 bytes") {
		t.Errorf("faults of the robot %+v", f)
	}
	if w.Game.Home.Heard != 1 || w.Game.Away.Heard != 1 {
		t.Errorf("heard %d and %d messages, want one of each team", w.Game.Home.Heard, w.Game.Away.Heard)
	}
	n.wait(11 * time.Second)
	if w := n.wall(); len(w.Game.Notes) > 0 {
		t.Errorf("after 10 s there is still %+v", w.Game.Notes)
	}
}

// TestReturns names what is wrong with return messages, and who sends them.
func TestReturns(t *testing.T) {
	n := newNetwork(t)
	n.send(hsl.ControlPort, control())
	metres := forward(5, 1)
	metres.Return.X, metres.Return.Y = 1.5, 2.5
	n.send(hsl.ForwardPort, metres)
	same := forward(24, 3)
	n.send(hsl.ForwardPort, same)
	same.Robot = netip.MustParseAddr("10.0.24.4")
	n.send(hsl.ForwardPort, same)
	n.send(hsl.ForwardPort, forward(99, 1))
	n.raw(controller, hsl.ForwardPort, []byte{10, 0, 9, 9, 'h', 'e', 'l', 'l', 'o'})
	w := n.wall()
	got := map[string]string{}
	for _, tile := range w.Tiles {
		for _, f := range tile.Faults {
			got[fmt.Sprint(tile.Color, tile.Number)] += f.Short
		}
	}
	if want := map[string]string{"cyan 1": "pose.x", "magenta 3": "number shared"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("faults %v, want %v", got, want)
	}
	alarms := strings.Join(n.m.Report(n.n, 0).Alarms, "\n")
	for _, want := range []string{"10.0.99.1 sends as robot 1 of team 99", "10.0.9.9 sends the GameController what is no"} {
		if !strings.Contains(alarms, want) {
			t.Errorf("alarms %q, want %q", alarms, want)
		}
	}
	key := w.Tiles[0].Sender
	if v, ok := n.m.Packets(key); !ok || len(v.Packets) != 1 || len(v.Packets[0].Issues) == 0 || v.Own == nil {
		t.Errorf("packets of %s: %+v", key, v)
	}
}

// TestRequest asks the GameController until the true state comes, and says why it may not come.
func TestRequest(t *testing.T) {
	n := newNetwork(t)
	if to, due := n.m.Request(n.n); due {
		t.Errorf("asks %v before it knows the GameController", to)
	}
	public := control()
	public.True = false
	n.send(hsl.ControlPort, public)
	asked := 0
	for range 28 { // 7 s
		n.send(hsl.ControlPort, public)
		if to, due := n.m.Request(n.n); due && to == controller {
			asked++
		}
		n.wait(250 * time.Millisecond)
	}
	if g := n.wall().Game; asked != 7 || len(g.Notes) != 1 || g.Notes[0].Short != "no answer" {
		t.Errorf("asked %d times in 7 s, and says %+v", asked, g.Notes)
	}
	n.wait(11 * time.Second)
	for range 28 {
		n.m.Request(n.n)
		n.wait(250 * time.Millisecond)
	}
	if g := n.wall().Game; len(g.Notes) > 0 || g.Stale == 0 {
		t.Errorf("a GameController that has ended is silent, not deaf: %+v", g)
	}
	n.send(hsl.ControlPort, control())
	if _, due := n.m.Request(n.n); due {
		t.Error("asks although the true state comes")
	}
	public.State = hsl.Ready // robots learn it late
	n.send(hsl.ControlPort, public)
	if g := n.wall().Game; g.Phase != "playing" {
		t.Errorf("shows %q, not the true state", g.Phase)
	}
}

// TestFlood leaves room on the page for other alarms while hundreds of addresses send nonsense.
func TestFlood(t *testing.T) {
	n := newNetwork(t)
	for i := range 600 {
		n.raw(controller, hsl.ForwardPort, []byte{10, 9, byte(i), byte(i >> 8), 'x'})
		n.wait(time.Millisecond)
	}
	n.send(hsl.ControlPort, control())
	data, err := control().AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	data[4] = 20
	n.raw(netip.MustParseAddr("10.0.0.2"), hsl.ControlPort, data)
	var shorts []string
	for _, f := range n.wall().Game.Notes {
		shorts = append(shorts, f.Short)
	}
	want := []string{"not a robot 10.9.0.0", "not a robot 10.9.1.0", "not a robot 10.9.2.0", "not a robot 10.9.3.0",
		"not a robot, more", "crowded", "two controllers"}
	if !slices.Equal(shorts, want) {
		t.Errorf("notes %q, want %q", shorts, want)
	}
}

// TestRealGame shows a game as the real GameController told it, with a timeout, extra time and a penalty shoot-out.
func TestRealGame(t *testing.T) {
	showGame(t, "sent", []string{
		"set: first half, set, kick-off for B-Human, 0:0, 600",
		"playing: first half, playing, 0:0, 590 live",
		"throw-in: first half, playing, stopped, throw-in for HULKs, 0:0, 589 (45)",
		"pushing: first half, playing, throw-in for HULKs, 0:0, 585 (42) live",
		"pushing-28-s: first half, playing, 0:0, 582 live",
		"goal: first half, ready, kick-off for HULKs, 1:0, 581 (45)",
		"timeout: first half, timeout of HULKs, 1:0, 581 (300)",
		"substitution: first half, playing, kick-off for B-Human, 1:0, 575 (7) live",
		"dropped-ball: first half, ready, dropped ball, 1:0, 573 (45)",
		"half-time: half-time, finished, 1:0, 572 (600)",
		"second-half: half-time, initial, 1:0, 600 (598)",
		"stopped: second half, playing, stopped, kick-off for HULKs, 1:0, 599 (9)",
		"finished: end, finished, 1:1, 594",
		"extra-time: before extra time, initial, 1:1, 300",
		"shoot-out: penalty shoot-out, no shot yet, initial, 1:1, 0",
		"shot: penalty shoot-out, no shot yet, playing, penalty shot for B-Human, 1:1, 59 live",
		"shot-of-the-other: penalty shoot-out, 1:0 after 1 shot, set, penalty shot for HULKs, 2:1, 60",
	})
}

// TestRealPhases shows what the real GameController writes in timeouts and in a penalty shoot-out.
func TestRealPhases(t *testing.T) {
	showGame(t, "written", []string{
		"goal: first half, ready, kick-off for B-Human, 0:1, 588 (45)",
		"ready: first half, ready, kick-off for B-Human, 0:1, 577 (34)",
		"timeout: first half, timeout of B-Human, 0:1, 588 (300)",
		"timeout-overdue: first half, timeout of B-Human, 0:1, 588 (-12)",
		"timeout-of-the-referee-in-it: first half, timeout of the referee, 0:1, 588 (588)",
		"timeout-of-the-referee: first half, timeout of the referee, 0:1, 520 (600)",
		"half-time: half-time, finished, 1:1, 460 (600)",
		"second-half: half-time, initial, 1:1, 600 (299)",
		"timeout-in-half-time: half-time, timeout of HULKs, 1:1, 600 (599)",
		"extra-time-second-half: extra time, half-time, initial, 1:1, 300",
		"shoot-out: penalty shoot-out, no shot yet, initial, 1:1, 0",
		"timeout-before-shots: penalty shoot-out, timeout of the referee, 1:1, 0 (600)",
		"shot-1-scored: penalty shoot-out, 1:0 after 1 shot, finished, 2:1, 42",
		"shot-2-too-late: penalty shoot-out, 1:0 after 2 shots, finished, 2:1, -8",
		"shot-4-scored: penalty shoot-out, 1:1 after 4 shots, finished, 2:2, 42",
		"shot-7: penalty shoot-out, 1:1 after 6 shots, sudden death, set, penalty shot for B-Human, 2:2, 60",
		"shot-8: penalty shoot-out, 2:1 after 7 shots, sudden death, playing, penalty shot for HULKs, 3:2, 52 live",
		"over: penalty shoot-out, 3:2 after 10 shots, sudden death, finished, 4:3, 41",
	})
}

// showGame passes the messages of a game to a monitor, and compares what it shows.
func showGame(t *testing.T, kind string, want []string) {
	t.Helper()
	n := newNetwork(t)
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", "hsl-true-state.txt")) {
		name, ok := strings.CutPrefix(v.Name, "true-state-"+kind+"-")
		if !ok {
			continue
		}
		n.wait(time.Second)
		n.raw(controller, hsl.ControlPort, v.Data)
		g := n.wall().Game
		second := ""
		if g.Second != nil {
			second = fmt.Sprintf(" (%v)", *g.Second)
		}
		got := fmt.Sprintf("%s: %s, %s, %d:%d, %v%s", name, g.Part, g.Phase, g.Home.Score, g.Away.Score, g.Clock, second)
		if g.Live {
			got += " live"
		}
		if len(want) == 0 || got != want[0] {
			t.Errorf("%q,", got)
		}
		want = want[min(1, len(want)):]
		if g.Home.Number != 5 || g.Away.Number != 24 || len(g.Notes) > 0 {
			t.Errorf("%s: teams %d and %d, notes %+v", name, g.Home.Number, g.Away.Number, g.Notes)
		}
		late := newNetwork(t) // a monitor that starts now
		late.raw(controller, hsl.ControlPort, v.Data)
		joined := late.wall().Game
		shots := strings.Contains(g.Part, "shoot-out") != strings.Contains(joined.Part, "shoot-out")
		if joined.Home.Number != 5 || shots || joined.Home.Score != g.Home.Score {
			t.Errorf("%s: a new monitor shows %+v", name, joined)
		}
	}
	if len(want) > 0 {
		t.Errorf("no vectors for %q", want)
	}
}

// TestForwardingEnds asks again while the true state comes without the robots' messages, as the GameController leaves a
// monitor after a burst of them.
func TestForwardingEnds(t *testing.T) {
	n := newNetwork(t)
	n.send(hsl.ControlPort, control())
	n.send(hsl.ForwardPort, forward(5, 1))
	asked := 0
	for range 40 { // 20 s with the true state alone
		n.wait(500 * time.Millisecond)
		n.send(hsl.ControlPort, control())
		if _, due := n.m.Request(n.n); due {
			asked++
		}
	}
	if asked != 7 {
		t.Errorf("asked %d times in 20 s, want every 2 s for ten and every 5 s later", asked)
	}
	if g := n.wall().Game; len(g.Notes) > 0 {
		t.Errorf("robots that are silent are no fault: %+v", g.Notes)
	}
	for range 6 { // 3 s
		n.wait(500 * time.Millisecond)
		n.send(hsl.ControlPort, control())
		n.send(hsl.ForwardPort, forward(5, 1))
		if _, due := n.m.Request(n.n); due {
			t.Fatal("asks although the robots' messages come")
		}
	}
	for range 5 { // 2.5 s
		n.wait(500 * time.Millisecond)
		n.send(hsl.ControlPort, control())
		n.m.Request(n.n)
	}
	n.send(hsl.ForwardPort, forward(5, 1))
	if g := n.wall().Game; len(g.Notes) != 1 || !strings.Contains(g.Notes[0].Text, "more than 16") {
		t.Errorf("robots came again after a request, and the page says %+v", g.Notes)
	}
}

// TestTwoControllers keeps the game of the first one.
func TestTwoControllers(t *testing.T) {
	n := newNetwork(t)
	n.send(hsl.ControlPort, control())
	other := control()
	other.Teams[0].Number, other.Teams[1].Number = 3, 4
	data, err := other.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	n.raw(netip.MustParseAddr("10.0.0.2"), hsl.ControlPort, data)
	if g := n.wall().Game; g.Home.Number != 5 || len(g.Notes) != 1 || g.Notes[0].Short != "two controllers" {
		t.Errorf("game %+v", g)
	}
	n.wait(3 * time.Second) // the first one has ended
	n.raw(netip.MustParseAddr("10.0.0.2"), hsl.ControlPort, data)
	if g := n.wall().Game; g.Home.Number != 3 {
		t.Errorf("the second controller's game is not shown: %+v", g)
	}
}

// play passes a game of synthetic robots to a monitor in virtual time.
func play(t testing.TB, cfg hslgame.Config, n *network, each func(c *hslgame.Controller)) *hslgame.Controller {
	t.Helper()
	cfg.Start = n.n
	c, err := hslgame.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	here := netip.MustParseAddr("10.0.0.77")
	c.Request(n.n, here, []byte("RGTr\x00"))
	for !c.Over() {
		n.wait(20 * time.Millisecond)
		c.Step(n.n)
		for _, o := range c.Take() {
			if o.To.IsValid() && o.To != here {
				t.Fatalf("a datagram to %v", o.To)
			}
			if o.Port > hsl.TeamPort {
				c.TeamMessage(controller, uint8(o.Port-hsl.TeamPort), o.Data)
			}
			n.raw(controller, o.Port, o.Data)
		}
		each(c)
	}
	return c
}

// entered returns the parts that a game has entered, after a state of it.
func entered(parts []game.Part, now game.Part) []game.Part {
	if len(parts) == 0 || parts[len(parts)-1] != now {
		parts = append(parts, now)
	}
	return parts
}

// TestGame follows a whole game: score and parts are those of the GameController, and home keeps its place although the
// teams change ends.
func TestGame(t *testing.T) {
	n := newNetwork(t)
	cfg := hslgame.DefaultConfig()
	cfg.Robots, cfg.Players, cfg.Seed, cfg.Half, cfg.Speed = true, 20, 4, 4*time.Minute, 4
	var parts []game.Part
	goals, running, most, tiles := 0, time.Duration(0), time.Duration(0), 0
	last, before := n.n, game.State{}
	c := play(t, cfg, n, func(*hslgame.Controller) {
		st, ok := n.m.TakeState(n.n)
		if !ok {
			return
		}
		parts = entered(parts, st.Part)
		if st.Goal != game.Both && before.Goal == game.Both {
			goals++
		}
		if st.Running {
			running += n.n.Sub(last)
		}
		most, last, before = max(most, n.n.Sub(last)), n.n, st
		tiles = max(tiles, len(n.wall().Tiles))
	})
	want := []game.Part{game.PreGame, game.FirstHalf, game.HalfTime, game.SecondHalf, game.End}
	if !slices.Equal(parts, want) {
		t.Errorf("parts %q, want %q", parts, want)
	}
	r, w := c.Report(), n.wall()
	if g := w.Game; g.Home.Score != int(r.Score[0]) || g.Away.Score != int(r.Score[1]) || g.Home.Number != 5 || goals == 0 ||
		goals != g.Home.Score+g.Away.Score {
		t.Errorf("%d goals and a score of %d:%d, want %v", goals, g.Home.Score, g.Away.Score, r.Score)
	}
	if *w.Game.Home.Left != int(r.Left[0]) || w.Game.Home.Heard == 0 {
		t.Errorf("home has %d messages left, want %d", *w.Game.Home.Left, r.Left[0])
	}
	if !r.OK || tiles != 40 || most > 1600*time.Millisecond || running < time.Minute {
		t.Errorf("report ok %v, %d tiles, a state each %v, play for %v", r.OK, tiles, most, running)
	}
	for _, tile := range w.Tiles {
		if len(tile.Faults) > 0 || tile.Rate < 1.5 || tile.Rate > 2 {
			t.Fatalf("robot %d of %s: %.2f Hz, %+v", tile.Number, tile.Team, tile.Rate, tile.Faults)
		}
	}
	if len(before.Home.Penalties)+len(before.Away.Penalties) == 0 {
		t.Error("no penalty was noted")
	}
}

// TestKnockout follows extra time and a penalty shoot-out, and says how they stand.
func TestKnockout(t *testing.T) {
	for seed, want := range map[uint64]string{1: "1:0 after 6 shots, finished", 10: "3:2 after 10 shots, sudden death, finished"} {
		n := newNetwork(t)
		cfg := hslgame.DefaultConfig()
		cfg.Robots, cfg.Seed, cfg.Half, cfg.Begin, cfg.Break = true, seed, 20*time.Second, hslgame.ExtraTime, 2*time.Second
		var parts []game.Part
		c := play(t, cfg, n, func(*hslgame.Controller) {
			st, ok := n.m.TakeState(n.n)
			if !ok {
				return
			}
			parts = entered(parts, st.Part)
			for _, tile := range n.wall().Tiles {
				if len(tile.Faults) > 0 {
					t.Fatalf("robot %d of %s: %+v", tile.Number, tile.Team, tile.Faults)
				}
			}
		})
		g, r := n.wall().Game, c.Report()
		if !slices.Equal(parts, []game.Part{
			game.PreOvertime, game.OvertimeFirst, game.OvertimeHalfTime, game.OvertimeSecond, game.End, game.ShootOut,
		}) {
			t.Errorf("parts %q", parts)
		}
		if g.Part != "penalty shoot-out" || g.Phase != want || g.Home.Number != 5 || g.Home.Score != int(r.Score[0]) ||
			g.Away.Score != int(r.Score[1]) || !strings.Contains(r.State, want) || !r.OK {
			t.Errorf("the wall shows %+v, the game ended %q with %v", g, r.State, r.Score)
		}
	}
}

// TestBounds passes messages of more robots than there are rows for.
func TestBounds(t *testing.T) {
	n := newNetwork(t)
	n.send(hsl.ControlPort, control())
	for i := range 3000 {
		f := forward(5, uint8(1+i%20))
		f.Robot = netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)})
		n.send(hsl.ForwardPort, f)
		n.wait(time.Millisecond)
	}
	if w := n.wall(); len(w.Tiles) > 160 || len(n.m.Report(n.n, 0).Senders) > 160 {
		t.Errorf("%d tiles", len(w.Tiles))
	}
}

// FuzzReceive passes any datagrams: nothing panics, and all topics can be sent.
func FuzzReceive(f *testing.F) {
	c, err := control().AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	r, err := forward(24, 3).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c, r, uint16(hsl.ForwardPort))
	f.Add(c, []byte("hello"), uint16(hsl.TeamPort+5))
	f.Add(r[4:], c[:118], uint16(hsl.ReturnPort))
	f.Fuzz(func(t *testing.T, first, second []byte, port uint16) {
		n := newNetwork(t)
		for range 2 {
			n.raw(controller, hsl.ControlPort, first)
			n.raw(controller, port, second)
			n.m.Request(n.n)
			n.wait(300 * time.Millisecond)
			if st, ok := n.m.TakeState(n.n); ok {
				if _, err := json.Marshal(st); err != nil {
					t.Fatal(err)
				}
			}
			n.wall()
			report := n.m.Report(n.n, 1)
			if _, err := json.Marshal(report); err != nil {
				t.Fatal(err)
			}
			for _, s := range report.Senders {
				if _, ok := n.m.Packets(s.Key); !ok {
					t.Fatalf("no packets of %s", s.Key)
				}
			}
		}
	})
}

// BenchmarkWall plays 40 robots for a second: their packets, and the walls of one page and of a recording as JSON.
func BenchmarkWall(b *testing.B) {
	n := newNetwork(b)
	cfg := hslgame.DefaultConfig()
	cfg.Robots, cfg.Players, cfg.Start = true, 20, n.n
	c, err := hslgame.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	c.Request(n.n, netip.MustParseAddr("10.0.0.77"), []byte("RGTr\x00"))
	size := 0
	for b.Loop() {
		for range 50 { // steps of 20 ms
			b.StopTimer()
			n.wait(20 * time.Millisecond)
			c.Step(n.n)
			out := c.Take()
			b.StartTimer()
			for _, o := range out {
				n.raw(controller, o.Port, o.Data)
			}
			data, err := json.Marshal(n.m.Wall(n.n))
			if err != nil {
				b.Fatal(err)
			}
			size = len(data)
		}
	}
	b.ReportMetric(float64(size), "B/wall")
}
