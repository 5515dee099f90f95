package hslgame_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/hslgame"
	"touchline/soccer"
	"touchline/wire/hsl"
)

var (
	robot   = netip.MustParseAddr("10.0.5.1")
	watcher = netip.MustParseAddr("10.0.0.77")
)

const step = 20 * time.Millisecond

// begin returns a game at its start.
func begin(t testing.TB, change func(*hslgame.Config)) (*hslgame.Controller, soccer.Time) {
	t.Helper()
	cfg := hslgame.DefaultConfig()
	cfg.Start = soccer.Epoch
	change(&cfg)
	c, err := hslgame.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, cfg.Start
}

// heard is a control message with the time at which it was sent.
type heard struct {
	at soccer.Time
	hsl.Control
}

// watch runs a game to its end and returns what robots and a monitor got.
func watch(t testing.TB, c *hslgame.Controller, now soccer.Time) (public, exact []heard) {
	t.Helper()
	c.Request(now, watcher, []byte("RGTr\x00"))
	for !c.Over() {
		now = now.Add(step)
		c.Step(now)
		for _, o := range c.Take() {
			if o.Port != hsl.ControlPort {
				continue
			}
			kind := hsl.KindControl
			if o.To == watcher {
				kind = hsl.KindTrueState
			}
			for _, issue := range hsl.Check(kind, o.Data) {
				if !issue.Note {
					t.Fatalf("a message breaks a rule: %v", issue)
				}
			}
			m := heard{at: now}
			if err := m.UnmarshalBinary(o.Data); err != nil {
				t.Fatal(err)
			}
			if m.True {
				exact = append(exact, m)
			} else {
				public = append(public, m)
			}
		}
	}
	return public, exact
}

// TestRates sends twice a second, and five messages in 0.8 s after play was stopped.
func TestRates(t *testing.T) {
	c, now := begin(t, func(cfg *hslgame.Config) { cfg.Half, cfg.Seed = time.Minute, 3 })
	public, exact := watch(t, c, now)
	stops := 0
	for i := range public[:len(public)-6] {
		gap := public[i+1].at.Sub(public[i].at)
		if stopped := public[i+1].Stopped && !public[i].Stopped; stopped {
			stops++
			fast, next := public[i+5].at.Sub(public[i+1].at), public[i+6].at.Sub(public[i+5].at)
			if fast != 800*time.Millisecond || next != 500*time.Millisecond {
				t.Errorf("the five messages after a stop take %v, and the next comes after %v, want 800 ms and 500 ms", fast, next)
			}
			continue
		}
		if gap > 500*time.Millisecond {
			t.Fatalf("a gap of %v", gap)
		}
		if public[i+1].PacketNumber != public[i].PacketNumber+1 {
			t.Fatal("a packet number is missing")
		}
	}
	if stops == 0 || len(exact) < len(public)-20 {
		t.Errorf("%d stops, %d messages to robots and %d to the monitor", stops, len(public), len(exact))
	}
}

// TestDelay lets robots learn ten seconds late that play has started.
func TestDelay(t *testing.T) {
	for _, noDelay := range []bool{false, true} {
		c, now := begin(t, func(cfg *hslgame.Config) { cfg.NoDelay = noDelay })
		public, exact := watch(t, c, now)
		playing := func(m heard) bool { return m.State == hsl.Playing }
		late := public[slices.IndexFunc(public, playing)].at.Sub(exact[slices.IndexFunc(exact, playing)].at)
		if noDelay != (late < time.Second) || late > 11*time.Second {
			t.Errorf("no delay %v: robots learn of play %v late", noDelay, late)
		}
	}
}

// TestAsMeasured keeps to what the real program does, whose operator counts a goal after it was shot.
func TestAsMeasured(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(6) {
		c, now := begin(t, func(cfg *hslgame.Config) { cfg.Seed, cfg.Speed = seed, 5 })
		_, exact := watch(t, c, now)
		for i := 1; i < len(exact); i++ {
			m, was := &exact[i], &exact[i-1]
			if m.FirstHalf && m.State == hsl.Initial && m.Phase == hsl.Normal && m.SecondaryTime != 0 {
				t.Fatalf("%d s of secondary time before the first half", m.SecondaryTime)
			}
			if m.Stopped && m.SetPlay == hsl.NoSetPlay {
				t.Fatal("play is stopped without a set play")
			}
			if m.Stopped && was.Stopped {
				seen["stops"]++
				if m.SecondsRemaining != was.SecondsRemaining || m.SecondaryTime != was.SecondaryTime {
					t.Fatal("a clock runs while play is stopped")
				}
			}
			ready := m.State == hsl.Ready && was.State == hsl.Ready && m.SecondaryTime < was.SecondaryTime
			if ready && was.SecondsRemaining < 600 {
				seen["clocks"]++
				if m.SecondsRemaining == was.SecondsRemaining {
					t.Fatal("the clock stands before a kick-off after a goal")
				}
			}
			for k := range m.Teams {
				asMeasured(t, seen, m, was, k)
			}
		}
	}
	for _, what := range [...]string{"stops", "clocks", "goals", "penalties", "longer", "kept"} {
		if seen[what] == 0 {
			t.Errorf("none of %s in six games", what)
		}
	}
}

// asMeasured looks at one team of two messages that follow each other.
func asMeasured(t *testing.T, seen map[string]int, m, was *heard, k int) {
	t.Helper()
	if m.FirstHalf != was.FirstHalf {
		return // the teams change places
	}
	team, before := &m.Teams[k], &was.Teams[k]
	if team.Score > before.Score {
		seen["goals"]++
		if m.State != hsl.Finished && m.Phase != hsl.Timeout && (m.State != hsl.Ready || m.Stopped || m.KickingTeam == team.Number) {
			t.Fatalf("a goal leads to %v, stopped %v, kick-off for team %d", m.State, m.Stopped, m.KickingTeam)
		}
	}
	for i := range team.Players {
		p, old := team.Players[i], before.Players[i]
		if p.Warnings != 0 || p.Cautions != 0 {
			t.Fatal("the program counts no warnings")
		}
		switch is := p.Penalty != hsl.NoPenalty; {
		case is && old.Penalty == hsl.NoPenalty:
			seen["penalties"]++
			if p.SecondsLeft != 0 {
				t.Fatalf("the time of a penalty begins before the robot stands at the line: %d s", p.SecondsLeft)
			}
		case is && p.SecondsLeft > 30:
			seen["longer"]++
		case is && m.State == hsl.Finished:
			seen["kept"]++
			if p.SecondsLeft != 0 {
				t.Fatalf("%d s of a penalty are left after the half", p.SecondsLeft)
			}
		}
	}
}

// TestTimeouts begins in a timeout, as the real program does it: the second clock counts 300 s down for a team and 600 s
// for the referee, penalties have no time left, and then the other team kicks off, or there is a dropped ball.
func TestTimeouts(t *testing.T) {
	for begin2, want := range map[hslgame.Begin]struct {
		second int16
		next   uint8
	}{hslgame.TeamTimeout: {300, 17}, hslgame.RefereeTimeout: {600, hsl.NoTeam}} {
		c, now := begin(t, func(cfg *hslgame.Config) { cfg.Begin = begin2 })
		public, exact := watch(t, c, now)
		m, last := &exact[0], exact[0]
		if m.Phase != hsl.Timeout || m.State != hsl.Initial || m.SecondaryTime != want.second || m.KickingTeam != want.next ||
			m.SecondsRemaining != 300 || !m.FirstHalf || public[0].Phase != hsl.Timeout {
			t.Errorf("%v begins with %+v", begin2, m)
		}
		after := slices.IndexFunc(exact, func(m heard) bool { return m.Phase != hsl.Timeout })
		for i := range exact[:after] {
			off := 0
			for _, p := range slices.Concat(exact[i].Teams[0].Players[:7], exact[i].Teams[1].Players[:7]) {
				if p.Penalty != hsl.NoPenalty && p.SecondsLeft == 0 {
					off++
				}
			}
			if off != 2 || exact[i].SecondsRemaining != 300 {
				t.Fatalf("%d robots are penalised, %d s left", off, exact[i].SecondsRemaining)
			}
			last = exact[i]
		}
		if n := want.second - last.SecondaryTime; n < 28 || n > 30 {
			t.Errorf("the second clock counts %d s down in a timeout of 30 s", n)
		}
		if m := &exact[after]; m.State != hsl.Ready || m.Phase != hsl.Normal || m.KickingTeam != want.next || m.SecondaryTime != 45 {
			t.Errorf("after the timeout comes %+v", m)
		}
	}
}

// TestTimeoutsOfAGame draws timeouts by the seed: one of a team at most, and the clock goes back to when play ended.
func TestTimeoutsOfAGame(t *testing.T) {
	teams, referee := 0, 0
	for seed := range uint64(8) {
		c, now := begin(t, func(cfg *hslgame.Config) { cfg.Seed, cfg.Half = seed, 20*time.Minute })
		_, exact := watch(t, c, now)
		taken := map[uint8]int{}
		goal := exact[0] // the first message with the newest score
		for i := 1; i < len(exact); i++ {
			m, was := &exact[i], &exact[i-1]
			if m.Teams[0].Score != was.Teams[0].Score || m.Teams[1].Score != was.Teams[1].Score {
				goal = *m
			}
			if m.Phase != hsl.Timeout || was.Phase == hsl.Timeout {
				continue
			}
			if m.SecondaryTime > 300 {
				referee++
				continue
			}
			teams++
			if taken[m.KickingTeam]++; taken[m.KickingTeam] > 1 || was.State != hsl.Ready {
				t.Fatalf("seed %d: a second timeout against team %d, or one in %v", seed, m.KickingTeam, was.State)
			}
			if d := goal.SecondsRemaining - m.SecondsRemaining; d < -1 || d > 0 { // the message came up to half a second after the goal
				t.Fatalf("seed %d: the clock is %d s off the one at the goal", seed, d)
			}
		}
	}
	if teams == 0 || referee == 0 {
		t.Errorf("%d timeouts of teams and %d of the referee in eight games", teams, referee)
	}
}

// TestKnockout plays extra time after a draw, and a penalty shoot-out after another one.
func TestKnockout(t *testing.T) {
	seen := map[hsl.Phase]int{}
	for seed := range uint64(24) {
		c, now := begin(t, func(cfg *hslgame.Config) {
			cfg.Seed, cfg.Knockout, cfg.Half, cfg.Speed = seed, true, 30*time.Second, 1
		})
		_, exact := watch(t, c, now)
		last := &exact[len(exact)-1]
		seen[last.Phase]++
		draw := last.Teams[0].Score == last.Teams[1].Score
		six := last.Teams[0].PenaltyShot == 6 && last.Teams[1].PenaltyShot == 6
		if last.State != hsl.Finished || draw && !six {
			t.Errorf("seed %d ends with %v, %d:%d", seed, last.State, last.Teams[0].Score, last.Teams[1].Score)
		}
		if last.Phase == hsl.Normal {
			continue
		}
		first := exact[slices.IndexFunc(exact, func(m heard) bool { return m.Phase == hsl.ExtraTime })]
		if !first.FirstHalf || first.State != hsl.Initial || first.SecondsRemaining != 15 || first.KickingTeam != 5 ||
			first.Teams[0].Number != 5 || first.Teams[0].MessageBudget != 18000 || first.SecondaryTime != 0 {
			t.Errorf("extra time begins with %v, %d s, team %d", first.State, first.SecondsRemaining, first.KickingTeam)
		}
	}
	if seen[hsl.Normal] == 0 || seen[hsl.ExtraTime] == 0 || seen[hsl.PenaltyShootOut] == 0 {
		t.Errorf("games end in %v", seen)
	}
}

// TestShootOut keeps to what the real program does in a penalty shoot-out.
func TestShootOut(t *testing.T) {
	ends := map[string]bool{}
	for seed := range uint64(30) {
		c, now := begin(t, func(cfg *hslgame.Config) { cfg.Seed, cfg.Begin, cfg.Speed = seed, hslgame.ShootOut, 2 })
		public, exact := watch(t, c, now)
		if m := &exact[0]; m.State != hsl.Initial || m.FirstHalf || m.KickingTeam != 5 || m.SecondsRemaining != 0 ||
			m.Teams[0].Number != 5 || m.Teams[0].Players[0].Penalty != hsl.Substitute || m.Teams[0].Goalkeeper != 0 {
			t.Fatalf("begins with %+v", m)
		}
		for i := range exact {
			shotAsMeasured(t, &exact[i].Control)
		}
		late := 0
		for i := range public {
			if m := &public[i]; m.State == hsl.Set && m.SecondsRemaining == 60 {
				late++
			}
		}
		last := &exact[len(exact)-1]
		home, away := &last.Teams[0], &last.Teams[1]
		if home.Number != 5 {
			home, away = away, home
		}
		ends[last.ShootOut(home, away)] = true
		if shots := int(home.PenaltyShot + away.PenaltyShot); late < 15*shots { // 17 s of game time at two messages a second
			t.Errorf("robots see %d messages before %d shots", late, shots)
		}
	}
	for _, want := range []string{"2 after 4 shots", "sudden death"} {
		if !strings.Contains(fmt.Sprint(ends), want) {
			t.Errorf("no shoot-out ends %s: %v", want, ends)
		}
	}
}

// shotAsMeasured looks at one message of a shoot-out.
func shotAsMeasured(t *testing.T, m *hsl.Control) {
	t.Helper()
	if m.Phase != hsl.PenaltyShootOut || m.SetPlay != hsl.NoSetPlay || m.SecondaryTime != 0 {
		t.Fatalf("a message %+v", m)
	}
	for i := range m.Teams {
		team := &m.Teams[i]
		if team.SingleShots>>team.PenaltyShot != 0 || int(team.Score) != bits.OnesCount16(team.SingleShots) {
			t.Fatalf("score %d with shots %b of %d", team.Score, team.SingleShots, team.PenaltyShot)
		}
		plays := 0
		for _, p := range team.Players {
			if p.Penalty == hsl.NoPenalty {
				plays++
			}
		}
		shoots := team.Number == m.KickingTeam // it defends the left goal: all shots go to the right one
		if m.State == hsl.Playing && (plays != 1 || shoots != (team.Goalkeeper == 0)) || m.State == hsl.Initial && plays != 0 ||
			m.State != hsl.Initial && shoots != (i == 0) {
			t.Fatalf("%v: %d players of team %d, goalkeeper %d", m.State, plays, team.Number, team.Goalkeeper)
		}
	}
}

// TestEnds lists home first in the first half and second in the second one, and counts down two halves.
func TestEnds(t *testing.T) {
	c, now := begin(t, func(cfg *hslgame.Config) { cfg.Half, cfg.Speed, cfg.NoDelay = 2*time.Minute, 5, true })
	public, _ := watch(t, c, now)
	for _, m := range public {
		if first := m.Teams[0].Number == 5; first != m.FirstHalf {
			t.Fatalf("first half %v, but team %d defends the left goal", m.FirstHalf, m.Teams[0].Number)
		}
	}
	last := public[len(public)-1]
	if last.State != hsl.Finished || last.FirstHalf || last.SecondsRemaining > 0 || public[0].SecondsRemaining != 120 {
		t.Errorf("the game begins with %d s and ends with %+v", public[0].SecondsRemaining, last.State)
	}
}

// TestSeed plays the same game again, and another one by another seed.
func TestSeed(t *testing.T) {
	run := func(seed uint64) (all []byte) {
		c, now := begin(t, func(cfg *hslgame.Config) {
			cfg.Seed, cfg.Robots, cfg.Half, cfg.Speed = seed, true, time.Minute, 4
		})
		for !c.Over() {
			now = now.Add(step)
			c.Step(now)
			for _, o := range c.Take() {
				all = append(all, o.Data...)
			}
		}
		return all
	}
	if a, b, other := run(1), run(1), run(2); !bytes.Equal(a, b) || bytes.Equal(a, other) {
		t.Errorf("%d and %d bytes by one seed, %d by another", len(a), len(b), len(other))
	}
}

// TestMonitors refuses a host that sent a return message, and forgets a monitor that sends one.
func TestMonitors(t *testing.T) {
	c, now := begin(t, func(*hslgame.Config) {})
	good := &hsl.Return{Player: 1, Team: 5, X: 100, BallAge: -1}
	data, err := good.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Request(now, watcher, []byte("RGTr\x01"))
	c.Request(now, watcher, []byte("RGTr\x00\x00")) // the real program reads five bytes, too
	c.Return(now, robot, append(slices.Clone(data), 1, 2, 3))
	out := c.Take()
	if len(out) != 1 || out[0].To != watcher || out[0].Port != hsl.ForwardPort ||
		!bytes.Equal(out[0].Data, append([]byte{10, 0, 5, 1}, data...)) {
		t.Errorf("forwarded %+v, want the address and 32 bytes", out)
	}
	c.Request(now, robot, []byte("RGTr\x00"))
	c.Return(now, watcher, data)
	if r := c.Report(); len(r.Monitors) != 0 || len(r.Others) != 3 || r.OK {
		t.Errorf("monitors %q, findings %+v", r.Monitors, r.Others)
	}
}

// TestFloods bounds what thousands of addresses may take, and says that some get nothing.
func TestFloods(t *testing.T) {
	c, now := begin(t, func(*hslgame.Config) {})
	data, err := (&hsl.Return{Player: 1, Team: 5, X: 100, BallAge: -1}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		c.Return(now, netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), data)
		c.Request(now, netip.AddrFrom4([4]byte{10, 2, byte(i >> 8), byte(i)}), []byte("RGTr\x00"))
		if n := len(c.Take()); n > 8 {
			t.Fatalf("%d packets at once", n)
		}
	}
	r := c.Report()
	for i := range 100 {
		c.Return(now, netip.AddrFrom4([4]byte{10, 3, 0, byte(i)}), []byte("RGrt"))
	}
	if n := len(c.Report().Others); n != 2+16 {
		t.Errorf("%d findings, want 16 of strangers beside the others", n)
	}
	if len(r.Monitors) != 8 || len(r.Robots) != 128 || len(r.Others) != 2 {
		t.Fatalf("%d monitors, %d robots, findings %+v", len(r.Monitors), len(r.Robots), r.Others)
	}
	for i, want := range [...]string{"more than 128 senders", "more than 8 monitors"} {
		if !strings.HasPrefix(r.Others[i].Text, want) && !strings.HasPrefix(r.Others[1-i].Text, want) {
			t.Errorf("findings %+v, want %q", r.Others, want)
		}
	}
}

// TestReport names what is wrong with messages.
func TestReport(t *testing.T) {
	c, now := begin(t, func(*hslgame.Config) {})
	bad := &hsl.Return{Player: 2, Team: 17, X: 100, BallAge: -1}
	data, err := bad.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Report(); !r.OK {
		t.Errorf("a report without messages: %+v", r)
	}
	copy(data[8:], []byte{0, 0, 0xc0, 0x7f}) // NaN
	for range 20 {
		c.Return(now, robot, data)
		now = now.Add(100 * time.Millisecond)
		c.Step(now)
	}
	c.Return(now, robot, []byte("hello"))
	r := c.Report()
	if r.OK || len(r.Robots) != 1 || r.Robots[0].Wrong != 20 || r.Robots[0].Player != 2 || r.Robots[0].Team != 17 {
		t.Fatalf("report %+v", r)
	}
	if row := r.Robots[0]; math.Abs(row.Rate-10) > 0.1 || !strings.Contains(row.Findings[0].Text, "pose.x") || row.Offline() {
		t.Errorf("row %+v", row)
	}
	if len(r.Others) != 1 || !strings.Contains(r.Others[0].Text, "10.0.5.1") {
		t.Errorf("other findings %+v", r.Others)
	}
}

// TestTeamMessages counts messages in play, and takes the goals of a team that sends too many or too long ones.
func TestTeamMessages(t *testing.T) {
	c, now := begin(t, func(cfg *hslgame.Config) { cfg.Budget = 3 })
	c.TeamMessage(robot, 5, []byte("before the game"))
	for c.Report().State[:17] != "first half, ready" {
		now = now.Add(step)
		c.Step(now)
	}
	for range 4 {
		c.TeamMessage(robot, 5, []byte("in play"))
	}
	c.TeamMessage(robot, 17, make([]byte, 513))
	c.TeamMessage(robot, 99, make([]byte, 513))
	r := c.Report()
	if r.Left != [2]uint16{0, 2} || len(r.Others) != 2 || r.OK {
		t.Errorf("left %v, findings %+v", r.Left, r.Others)
	}
	if _, exact := watch(t, c, now); exact[len(exact)-1].Teams[0].Score+exact[len(exact)-1].Teams[1].Score != 0 {
		t.Error("a team that broke the rules scores")
	}
}

// TestValidate refuses games that cannot be played.
func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*hslgame.Config){
		"teams":   func(c *hslgame.Config) { c.Teams[1] = c.Teams[0] },
		"players": func(c *hslgame.Config) { c.Players = 21 },
		"half":    func(c *hslgame.Config) { c.Half = time.Second },
		"break":   func(c *hslgame.Config) { c.Break = 0 },
		"begin":   func(c *hslgame.Config) { c.Begin = 9 },
		"speed":   func(c *hslgame.Config) { c.Speed = math.NaN() },
	} {
		cfg := hslgame.DefaultConfig()
		change(&cfg)
		if _, err := hslgame.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// FuzzReceive passes any datagrams.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("RGrt\x04\x01\x05\x00"), []byte("RGTr\x00"), uint8(5))
	f.Fuzz(func(t *testing.T, first, second []byte, team uint8) {
		c, now := begin(t, func(*hslgame.Config) {})
		for _, data := range [][]byte{first, second} {
			c.Request(now, watcher, data)
			c.Return(now, robot, data)
			c.TeamMessage(robot, team, data)
			now = now.Add(time.Second)
			c.Step(now)
		}
		if len(c.Take()) == 0 {
			t.Error("nothing was sent")
		}
		c.Report()
	})
}

// Forty synthetic robots play a whole game within their budgets, and break no rule.
func TestRobotsKeepTheRules(t *testing.T) {
	c, now := begin(t, func(cfg *hslgame.Config) { cfg.Robots, cfg.Players, cfg.Seed = true, hsl.MaxPlayers, 7 })
	for !c.Over() {
		now = now.Add(step)
		c.Step(now)
		for _, o := range c.Take() {
			if number := o.Port - hsl.TeamPort; number == 5 || number == 17 {
				c.TeamMessage(robot, uint8(number), o.Data)
			}
		}
	}
	r := c.Report()
	if !r.OK || len(r.Robots) != 2*hsl.MaxPlayers || len(r.Others) > 0 {
		t.Errorf("%d robots, others %v", len(r.Robots), r.Others)
	}
	for side, left := range r.Left {
		if left > hsl.Budget/10 {
			t.Errorf("side %d has %d messages left", side, left)
		}
	}
}
