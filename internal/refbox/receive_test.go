package refbox_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
	"touchline/wire/msl"
)

const minimal = `{"type":"worldstate","teamName":"CAMBADA"}`

// world returns a correct worldstate.
func world(age string, numbers ...int) []byte {
	var robots []string
	for _, n := range numbers {
		robots = append(robots, fmt.Sprintf(`{"id":%d,"pose":[1.234,2.345,0.1234],"intention":"hide"}`, n))
	}
	return fmt.Appendf(nil, `{"type":"worldstate","teamName":"CAMBADA","intention":"secret plan","robots":[%s],"balls":[],"obstacles":[],"ageMs":%s}`, strings.Join(robots, ","), age)
}

// Every 100 ms window from a team's admission to the end of the game has either worldstates or one empty worldstate, at
// any times of messages and ticks.
func TestGridIsWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		cfg := refbox.DefaultConfig()
		cfg.HomeID = 39
		start := epoch.Add(time.Duration(rng.IntN(1e9)))
		r := newRig(t, cfg, start)
		admitted := start.Add(time.Duration(rng.IntN(3e9)))
		r.do(r.box.Connect(admitted, 1, stationOf(39, 1)))
		now, tick := admitted, admitted
		for now.Sub(admitted) < 20*time.Second {
			now = now.Add(time.Duration(rng.ExpFloat64() * 80e6))
			for tick < now {
				r.do(r.box.Tick(tick))
				if tick = tick.Add(10 * time.Millisecond); rng.IntN(300) == 0 {
					tick = tick.Add(time.Duration(rng.IntN(4e9))) // the machine was busy
				}
			}
			read := now.Add(-time.Duration(rng.IntN(400e6))) // while the loop was busy
			r.do(r.box.Receive(max(read, admitted), 1, []byte(minimal)))
		}
		end := tick
		r.do(r.box.Tick(end.Add(time.Second)))
		windows := int(end.Sub(admitted) / (100 * time.Millisecond))
		heard, empty := map[int]bool{}, map[int]int{}
		for _, m := range r.logged(game.HomeChannel) {
			heard[int(m.Time.Sub(admitted)/(100*time.Millisecond))] = true
		}
		for _, m := range r.logged(game.HomeEmptyChannel) {
			if m.Time.Sub(admitted)%(100*time.Millisecond) != 0 {
				t.Fatalf("an empty worldstate at %v", m.Time.Sub(admitted))
			}
			empty[int(m.Time.Sub(admitted)/(100*time.Millisecond))-1]++
		}
		for w := range windows {
			if heard[w] == (empty[w] != 0) || empty[w] > 1 {
				t.Fatalf("window %d of %d: received %t, %d empty worldstates", w, windows, heard[w], empty[w])
			}
		}
		h := r.box.Teams(end.Add(time.Second), true).Teams[0]
		if h.Empty != uint64(len(r.logged(game.HomeEmptyChannel))) || h.Windows < uint64(windows) ||
			h.Windows > uint64(windows+11) {
			t.Errorf("%d windows, %d of them empty; %d passed, %d empty worldstates", h.Windows, h.Empty, windows,
				len(r.logged(game.HomeEmptyChannel)))
		}
	}
}

// The empty worldstate follows MSL World Model 2015, section 3: valid, with all seven keys, and empty.
func TestEmptyWorldstate(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.tick(now, time.Second)
	m := r.logged(game.AwayEmptyChannel)[0]
	if string(m.Data) != `{"type":"worldstate","teamName":"Tech United Eindhoven","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":0}` {
		var w msl.Worldstate
		if err := w.UnmarshalBinary(m.Data); err != nil || len(msl.Check(m.Data)) != 0 ||
			len(w.Robots)+len(w.Balls)+len(w.Obstacles) != 0 || !w.AgeMillis.Is(0) {
			t.Errorf("%s: %v %v", m.Data, err, msl.Check(m.Data))
		}
		for _, key := range []string{"type", "teamName", "intention", "robots", "balls", "obstacles", "ageMs"} {
			if !strings.Contains(string(m.Data), `"`+key+`"`) {
				t.Errorf("%s: no %s", m.Data, key)
			}
		}
	}
}

// Windows end with the game; after an undone end they continue on the same grid. A clock jump is noted.
func TestGridEnds(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.SetPart, Part: game.ShootOut})
	r.decide(now, game.Decision{Command: game.EndPart})
	over := now
	now = r.tick(now, time.Second)
	n := len(r.logged(game.HomeEmptyChannel))
	if last := r.logged(game.HomeEmptyChannel)[n-1].Time; over.Sub(last) < 0 || over.Sub(last) >= 100*time.Millisecond {
		t.Errorf("the last window is closed %v before the end", over.Sub(last))
	}
	r.decide(now, game.Decision{Command: game.Undo})
	now = r.tick(now, time.Second)
	if got := len(r.logged(game.HomeEmptyChannel)) - n; got < 8 || got > 10 {
		t.Errorf("%d empty worldstates in a second", got)
	}
	now = now.Add(time.Hour)
	r.do(r.box.Tick(now))
	n = len(r.logged(game.HomeEmptyChannel))
	r.tick(now, time.Second)
	if got := len(r.logged(game.HomeEmptyChannel)) - n; got < 8 || got > 10 {
		t.Errorf("%d empty worldstates in a second", got)
	}
	notes := r.logged(game.NotesChannel)
	if last := string(notes[len(notes)-1].Data); !strings.Contains(last, "the clock jumped by") {
		t.Errorf("%s", last)
	}
	for _, m := range r.logged(game.HomeEmptyChannel) {
		if m.Time.Sub(epoch)%(100*time.Millisecond) != 0 {
			t.Errorf("a window ends at %v", m.Time.Sub(epoch))
		}
	}
}

// A clock that is set back is noted once; the game's clock stops, and times in the journal do not decrease.
func TestClockSetBack(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.FreeKick, Side: game.Home})
	back := now.Add(-time.Hour)
	for i := range 100 {
		at := back.Add(time.Duration(i) * 10 * time.Millisecond)
		r.do(r.box.Tick(at))
		r.do(r.box.Receive(at, 1, []byte(minimal)))
	}
	r.decide(back.Add(time.Second), game.Decision{Command: game.Start})
	now = r.tick(now, time.Second)
	if v := r.box.Show(now); v.Effective != 2 {
		t.Errorf("%+v", v)
	}
	notes := 0
	var last soccer.Time
	for _, m := range r.journal {
		if strings.Contains(string(m.Data), "set back") {
			notes++
		}
		if m.Channel != game.HomeEmptyChannel && m.Channel != game.AwayEmptyChannel {
			if m.Time < last {
				t.Fatalf("%s goes back", m.Channel)
			}
			last = m.Time
		}
	}
	if notes != 1 {
		t.Errorf("%d notes", notes)
	}
}

// Published is the receipt time less ageMs if ageMs is possible.
func TestPublished(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for _, c := range []struct {
		age  string
		want time.Duration
	}{
		{"20", 20 * time.Millisecond}, {"20.5", 20500 * time.Microsecond}, {`"30"`, 30 * time.Millisecond}, {"0", 0}, {"null", 0},
		{"-5", 0}, {"1e300", 0}, {"1448000000000", 0}, {"3600000", time.Hour}, {"3600001", 0}, {`"soon"`, 0},
	} {
		r.journal = nil
		r.do(r.box.Receive(now, 1, world(c.age)))
		m := r.logged(game.HomeChannel)[0]
		if m.Time != now || m.Time.Sub(m.Published) != c.want {
			t.Errorf("age %s: %v before", c.age, m.Time.Sub(m.Published))
		}
	}
}

// Every message of a team is in the journal, byte for byte; events are accepted in any part; other messages are counted.
func TestReceiveCounts(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.do(r.box.Receive(now, 1, world("10", 1, 7, 99)))
	r.journal = nil
	all := []string{
		string(world("10", 1, 7, 8)), `{"type":"event","robotId":7,"event":"kick"}`, `{"type":"event","robotId":9,"event":"pass"}`,
		`{"type":"event","robotId":9,"event":"pass"}`, `{"type":"event","robotId":null,"event":"fly"}`, `{"command":"START"}`, `{`, "\x01\xff", `[1]`,
		`{"type":"worldstate","type":"worldstate"}`, `{"type":"worldstate","teamName":"A","robots":[{"id":NaN}]}`,
	}
	for _, s := range all {
		r.do(r.box.Receive(now, 1, []byte(s)))
	}
	for i, m := range r.logged(game.HomeChannel) {
		if string(m.Data) != all[i] {
			t.Errorf("the journal has %q, want %q", m.Data, all[i])
		}
	}
	h := r.box.Teams(now, true).Teams[0]
	if len(r.logged(game.HomeChannel)) != len(all) || h.Messages != 12 || h.Events != 4 || h.Broken != 6 ||
		h.LastEvent != "robot ?: fly" || h.Rate != 2 || h.Level != "poor" {
		t.Errorf("%+v", h)
	}
	counts := map[string]uint64{}
	for _, f := range h.Findings {
		counts[f.Rule] += f.Count
	}
	if counts["event-robot"] != 2 || counts["syntax"] == 0 {
		t.Errorf("%v", counts)
	}
	r.decide(now, game.Decision{Command: game.Reset, Force: true})
	r.do(r.box.Receive(now, 2, []byte(`{"type":"event","robotId":7,"event":"kick"}`)))
	if h := r.box.Teams(now, true).Teams[1]; h.Events != 1 || h.LastEvent != "robot 7: kick" {
		t.Errorf("%+v", h)
	}
}

// Two teams report the same ball in the same frame. Their frames should be turned by pi: both cards have that finding.
func TestTeamsAreCompared(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for i := range 1500 { // the ball moves for a minute and a half
		now = r.tick(now, 60*time.Millisecond)
		at := float64(i) / 40
		ball := fmt.Appendf(nil, `{"type":"worldstate","teamName":"T","intention":"","robots":[],"balls":[{"position":[%.3f,%.3f,0.000],"confidence":0.9}],"obstacles":[],"ageMs":0}`,
			1+4*math.Cos(at), 2+5*math.Sin(at))
		r.do(r.box.Receive(now, 1, ball))
		r.do(r.box.Receive(now, 2, ball))
	}
	for _, h := range r.box.Teams(now, true).Teams {
		if !slices.ContainsFunc(h.Findings, func(f refbox.CardShow) bool {
			return f.Rule == "frame" &&
				strings.Contains(f.Text, "turned by pi")
		}) {
			t.Errorf("%s: %+v", h.Name, h.Findings)
		}
	}
}

// A team that sends in time and lists no robot is no team whose worldstates are good.
func TestNoRobots(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for range 40 {
		now = r.tick(now, 50*time.Millisecond)
		r.do(r.box.Receive(now, 1, world("24")))
	}
	if got := r.box.Referee(now).Home; got.Text != "20 a second, no robots" || got.Level != "poor" {
		t.Errorf("%+v", got)
	}
	r.do(r.box.Receive(now, 1, world("24", 3)))
	if got := r.box.Referee(now).Home; got.Level != "good" {
		t.Errorf("%+v", got)
	}
}

// Rates, gaps and level of a team that sends 20 a second, then 5, then nothing.
func TestHealth(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	send := func(every time.Duration, n int) {
		for range n {
			now = r.tick(now, every)
			r.do(r.box.Receive(now, 1, world("24", 1, 2, 3)))
		}
	}
	health := func() refbox.TeamHealth { return r.box.Teams(now, true).Teams[0] }
	send(50*time.Millisecond, 200)
	h, got := health(), r.box.Referee(now).Home
	if h.Rate != 20 || h.Level != "good" || *h.Gap < 0.0499 || *h.Age != 24 || *h.Silent != 0 ||
		got.Text != "20 a second, age 24 ms" || h.Rates[len(h.Rates)-2] != 20 {
		t.Errorf("%+v %+v", h, got)
	}
	send(200*time.Millisecond, 50)
	if h, got := health(), r.box.Referee(now).Home; h.Rate != 5 || h.Level != "poor" || *h.Gap < 0.2 || *h.Gap > 0.25 ||
		got.Text != "only 5 a second instead of 10, age 24 ms" {
		t.Errorf("%+v %+v", h, got)
	}
	now = r.tick(now, 70*time.Second)
	if h, got := health(), r.box.Referee(now).Home; h.Rate != 0 || h.Level != "none" || *h.Silent != 70 ||
		got.Text != "no worldstate for 70.0 s" || len(h.Rates) != 60 || h.Rates[59] != 0 {
		t.Errorf("%+v %+v", h, got)
	}
	if got := r.box.Referee(now).Away; got.Text != "no worldstate yet" || got.Last != "STOP" || *got.Ago < 70 {
		t.Errorf("%+v", got)
	}
}

// Bytes that wait for their NUL for over a second are reported, and so are lost bytes.
func TestUnterminated(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	unclosed := func() float64 { return r.box.Teams(now, true).Teams[1].Unterminated }
	for range 30 {
		now = r.tick(now, 100*time.Millisecond)
		r.do(r.box.Unterminated(now, 2, 10, 0)) // the next message has begun
		r.do(r.box.Receive(now, 2, []byte(minimal)))
		r.do(r.box.Unterminated(now, 2, 12, 0))
	}
	if unclosed() != 0 {
		t.Errorf("%v s", unclosed())
	}
	for i := range 30 {
		now = r.tick(now, 100*time.Millisecond)
		r.do(r.box.Unterminated(now, 2, 100+i, 0))
	}
	if s := unclosed(); s < 2.9 || s > 3.1 || !strings.Contains(r.box.Referee(now).Away.Text,
		"without a NUL for 3.0 s") {
		t.Errorf("%v s, %+v", s, r.box.Referee(now).Away)
	}
	r.do(r.box.Unterminated(now, 2, 2<<20, 1<<20))
	r.do(r.box.Unterminated(now, 2, 3<<20, 2<<20))
	r.do(r.box.Disconnect(now, 2))
	r.do(r.box.Connect(now, 3, stationOf(63, 9)))
	r.do(r.box.Unterminated(now, 3, 5, 7))
	if h := r.box.Teams(now, true).Teams[1]; h.Lost != 2<<20+7 || h.Unterminated != 0 {
		t.Errorf("%+v", h)
	}
	notes := r.logged(game.NotesChannel)
	if f := r.box.Teams(now, false).Teams[1].Findings; !slices.ContainsFunc(f, func(f refbox.CardShow) bool {
		return f.Rule == "unclosed" && f.Text == "bytes without a NUL at the end"
	}) {
		t.Errorf("%+v", f)
	}
	if len(notes) != 2 || !strings.Contains(string(notes[0].Data), "wait for the NUL") ||
		!strings.Contains(string(notes[1].Data), "longer than 1048576 bytes") {
		t.Errorf("%+v", notes)
	}
}

// A message that is too long is recorded and not decoded, so that nothing waits for it.
func TestLongMessage(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.do(r.box.Receive(now, 1, world("10", 1)))
	before := r.box.Teams(now, true).Teams[0]
	r.journal = nil
	long := `{"type":"worldstate","teamName":"CAMBADA","x":"` + strings.Repeat("y", 64<<10) + `"}`
	r.do(r.box.Receive(now, 1, []byte(long)))
	h := r.box.Teams(now, true).Teams[0]
	if h.Messages != 2 || h.Broken != 1 || h.Rate != before.Rate || *h.Age != *before.Age {
		t.Errorf("%+v", h)
	}
	if all := r.logged(game.HomeChannel); len(all) != 1 || string(all[0].Data) != long {
		t.Errorf("%d in the journal", len(all))
	}
	for _, open := range []bool{true, false} {
		findings := r.box.Teams(now, open).Teams[0].Findings
		i := slices.IndexFunc(findings, func(c refbox.CardShow) bool { return c.Rule == "too-long" })
		if i < 0 || findings[i].Count != 1 || findings[i].Excerpt != "" || len(findings) != len(before.Findings)+1 {
			t.Errorf("%+v", findings)
		}
	}
}

// Messages count in the second of their arrival, whatever order they come in.
func TestSeconds(t *testing.T) {
	const second = soccer.Time(1e9)
	var s refbox.Seconds
	if s.Recent(1e9 * second) {
		t.Error("recent without messages")
	}
	for _, n := range []soccer.Time{1000, 1000, 1001, 1003, 1002, 1003, 1005, -3} {
		s.Count(n*second, 0)
	}
	if got := s.Counts(0, 1006*second); len(got) != 60 || !slices.Equal(got[54:], []int{2, 1, 1, 2, 0, 1}) || !s.Recent(1006*second) {
		t.Errorf("%v, %t", got, s.Recent(1006*second))
	}
	s.Count(5e9*second, 0)
	if got := s.Counts(0, 5e9*second+second); got[59] != 1 || got[58] != 0 {
		t.Errorf("%v", got)
	}
}
