package refbox_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/gametest"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// restored returns the box of a journal.
func restored(t testing.TB, cfg refbox.Config, began soccer.Time, journal []refbox.Record) *refbox.Box {
	t.Helper()
	p := refbox.History{Began: began}
	for _, m := range journal {
		switch m.Channel {
		case game.DecisionsChannel:
			d, err := refbox.ParseDecision(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			p.Decisions = append(p.Decisions, d)
		case game.AdmissionsChannel:
			a, err := refbox.ParseAdmission(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			p.Admissions = append(p.Admissions, a)
		case game.VerdictsChannel:
			v, err := refbox.ParseVerdict(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			p.Verdicts = append(p.Verdicts, v)
		case game.StatesChannel:
			p.Last = m.Time
		default:
			p.Messages = append(p.Messages, m)
		}
	}
	b, err := refbox.Restore(cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// journalled returns the part of a Show that a journal determines.
func journalled(v refbox.Show) refbox.Show {
	for _, team := range []*refbox.TeamShow{&v.Home, &v.Away} {
		team.Connected, team.Robots = false, nil
	}
	v.Last, v.Trouble = "", nil
	return v
}

// storm drives a box with random events and checks the invariants.
func storm(t testing.TB, rng *rand.Rand, steps int) {
	cfg := refbox.DefaultConfig()
	cfg.Resync, cfg.StrictUpstream = rng.IntN(2) == 0, rng.IntN(2) == 0
	if rng.IntN(2) == 0 {
		cfg.HomeID, cfg.AwayID = 39, 63
	}
	r := newRig(t, cfg, epoch)
	now := epoch
	mayReset := false
	messages := []string{minimal, string(world("20", 1, 2, 3)), `{"type":"event","robotId":2,"event":"kick"}`, `{`, "", "\x00", `[[[[`}
	for i := range steps {
		now = now.Add(time.Duration(rng.ExpFloat64() * 30e6))
		if rng.IntN(40) == 0 {
			now = now.Add(25 * time.Second) // repairs end, clocks jump
		}
		at := now
		if rng.IntN(50) == 0 {
			at = now.Add(-time.Duration(rng.IntN(5e9))) // a time in the past
		}
		c := refbox.ConnID(rng.IntN(12))
		switch rng.IntN(8) {
		case 0:
			a := [4]byte{127, 0, []byte{39, 63, 67, 0, 200}[rng.IntN(5)], byte(1 + rng.IntN(2))}
			if r.box.Referee(now); r.closed[refbox.ConnID(100+i)] == "" {
				r.do(r.box.Connect(at, refbox.ConnID(100+i), netip.AddrPortFrom(netip.AddrFrom4(a), 1)))
			}
		case 1:
			r.do(r.box.Disconnect(at, refbox.ConnID(100+rng.IntN(i+1))))
		case 2:
			for _, w := range r.box.Referee(now).Waiting {
				c = refbox.ConnID(w.Conn)
			}
			if rng.IntN(4) == 0 {
				e, _ := r.box.Refuse(at, c)
				r.do(e)
			} else {
				e, _ := r.box.Admit(at, c, []game.Side{game.Home, game.Away, game.Both}[rng.IntN(3)])
				r.do(e)
			}
		case 3:
			e, _ := r.box.Release(at, []game.Side{game.Home, game.Away}[rng.IntN(2)])
			r.do(e)
		case 4:
			r.do(r.box.Receive(at, refbox.ConnID(100+rng.IntN(i+1)), []byte(messages[rng.IntN(len(messages))])))
			r.do(r.box.Unterminated(at, refbox.ConnID(100+rng.IntN(i+1)), rng.IntN(3), int64(rng.IntN(3))))
		case 5, 6:
			d := gametest.Decisions([]byte{byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.Uint32()), 0})[0]
			r.box.Preview(d)
			out, e, err := r.box.Decide(at, d)
			for _, m := range out.Messages {
				mayReset = mayReset || m.Command == game.Reset
			}
			if err != nil && (e.NewGame || e.Sync) {
				t.Fatalf("refused, but %+v", e)
			}
			r.do(e)
			r.box.Delivered(rng.IntN(30), 0.5)
		case 7:
			r.do(r.box.Tick(at))
		}
		if i%20 != 0 {
			continue
		}
		checkRestored(t, r, cfg, now)
	}
	if sent := string(r.sent[0]); sent != "" {
		t.Fatalf("no connection was sent %q", sent)
	}
	for c, b := range r.sent {
		if !mayReset && len(b) > 0 && bytes.Contains(b, []byte(`"RESET"`)) {
			t.Fatalf("connection %d was sent RESET", c)
		}
	}
}

// checkRestored compares the box with the one restored from its journal.
func checkRestored(t testing.TB, r *rig, cfg refbox.Config, now soccer.Time) {
	t.Helper()
	r.do(r.box.Tick(now))
	v := r.box.Show(now)
	r.box.Teams(now, now%2 == 0)
	r.box.Score(now)
	b := restored(t, cfg, r.box.Began(), r.journal)
	b.Tick(now)
	if got, want := text(t, journalled(b.Show(now))), text(t, journalled(v)); got != want {
		t.Fatalf("restored: %s\nwant %s", got, want)
	}
	if got, want := text(t, b.Game().State()), text(t, r.box.Game().State()); got != want {
		t.Fatalf("restored: %s\nwant %s", got, want)
	}
	if got, want := text(t, b.Game().Keys()), text(t, r.box.Game().Keys()); got != want {
		t.Fatalf("restored: %s\nwant %s", got, want)
	}
	if len(r.box.Admissions()) != len(b.Admissions()) {
		t.Fatalf("%+v, restored %+v", r.box.Admissions(), b.Admissions())
	}
}

// With events in any order the box does not panic, sends no RESET that was not decided, and can be restored from its
// journal with the same game and teams.
func TestStorm(t *testing.T) {
	for seed := range uint64(40) {
		storm(t, rand.New(rand.NewPCG(seed, 7)), 400)
	}
}

// A journal cut off within a burst: the restored box sends due messages once and continues.
func TestRestoreContinues(t *testing.T) {
	cfg := refbox.DefaultConfig()
	r, now := playing(t, cfg)
	r.decide(now, game.Decision{Command: game.Repair, Side: game.Home, Count: 2})
	r.decide(now, game.Decision{Command: game.DropBall})
	r.decide(now, game.Decision{Command: game.Start})
	now = r.tick(now, 15*time.Second)
	b := restored(t, cfg, r.box.Began(), r.journal)
	after := &rig{t: t, box: b, sent: map[refbox.ConnID][]byte{}, closed: map[refbox.ConnID]string{}}
	now = now.Add(3 * time.Second)
	after.do(b.Connect(now, 1, netip.MustParseAddrPort("172.16.63.9:1")))
	after.do(b.Connect(now, 2, netip.MustParseAddrPort("172.16.39.9:1")))
	after.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.63"), 2: wire("WELCOME 224.16.32.39")})
	if v := b.Show(now); v.Effective != 1+15+3 || len(v.Countdowns) != 2 || v.Countdowns[0].Left != 2 ||
		v.Countdowns[0].Kind != "repair" {
		t.Errorf("%+v", v)
	}
	after.forget()
	after.tick(now, 3*time.Second)
	after.want(map[refbox.ConnID]string{1: wire("REPAIR_END 224.16.32.39", "REPAIR_END 224.16.32.39"),
		2: wire("REPAIR_END 224.16.32.39", "REPAIR_END 224.16.32.39")})
}

func TestRestoreRefuses(t *testing.T) {
	if _, err := refbox.Restore(refbox.DefaultConfig(), refbox.History{Began: epoch,
		Decisions: []game.Decision{{Command: game.Start, Time: epoch}}}); err == nil {
		t.Error("a START before any set piece was accepted")
	}
	for _, a := range []refbox.Admission{{Side: "left"}, {Side: game.Home, Group: "\xff"}} {
		if _, err := refbox.Restore(refbox.DefaultConfig(), refbox.History{Began: epoch,
			Admissions: []refbox.Admission{a}}); err == nil {
			t.Errorf("%+v was accepted", a)
		}
	}
}

// Any bytes of a base station are recorded unchanged, and pages and datagrams stay valid.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{minimal, string(world("20", 1, 2)), `{"type":"event","robotId":2,"event":"kick"}`, `{"ageMs":1e999}`, "\xff\x00", `{"type":"worldstate","robots":[{"id":1e30}],"ageMs":"-9223372036854775808"}`,
		`{"type":"worldstate","robots":[],"own":1e368547750}`,
		`{"type":"worldstate","robots":[],"own":1.5e368}`, `{"type":"worldstate","robots":[],"own":1` + strings.Repeat("0", 400) + `}`} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, strict bool) {
		cfg := refbox.DefaultConfig()
		cfg.StrictUpstream = strict
		r, now := playing(t, cfg)
		for range 3 {
			now = now.Add(50 * time.Millisecond)
			r.do(r.box.Receive(now, 1, b))
		}
		r.do(r.box.Tick(now.Add(time.Second)))
		got := r.logged(game.HomeChannel)
		if len(got) != 3 || string(got[2].Data) != string(b) || got[2].Published > got[2].Time ||
			got[2].Time.Sub(got[2].Published) > time.Hour {
			t.Fatalf("%+v", got)
		}
		text(t, r.box.Teams(now, true))
		text(t, r.box.Referee(now))
		score := r.box.Score(now)
		structure(t, score[:len(score)-1])
		if len(score) > 60000 || score[len(score)-1] != 0 {
			t.Fatalf("%d bytes", len(score))
		}
	})
}

// BenchmarkBoxReceive measures a worldstate of a real size, 3.7 kB: journal, report card, grid and counts.
func BenchmarkBoxReceive(b *testing.B) {
	r, now := playing(b, refbox.DefaultConfig())
	message := realWorld()
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(50 * time.Millisecond)
		r.box.Receive(now, 1, message)
	}
}

// realWorld returns a worldstate as long as in a real match.
func realWorld() []byte {
	var s strings.Builder
	s.WriteString(`{"type":"worldstate","teamName":"CAMBADA","intention":"attack on the left","robots":[`)
	for i := range 5 {
		fmt.Fprintf(&s, `%s{"id":%d,"pose":[%d.123,-2.345,1.2345],"targetPose":[3.123,4.345,0.2345],"velocity":[0.123,-0.456,0.7891],"intention":"go to the ball","batteryLevel":93.5,"ballEngaged":0}`, comma(i), i+1, i)
	}
	s.WriteString(`],"balls":[`)
	for i := range 4 {
		fmt.Fprintf(&s, `%s{"position":[1.2%d3,-0.456,0.110],"velocity":[0.123,-1.456,0.000],"confidence":0.%d25}`, comma(i), i, 9-i)
	}
	s.WriteString(`],"obstacles":[`)
	for i := range 24 {
		fmt.Fprintf(&s, `%s{"position":[%d.25,-3.456],"velocity":[0.120,0.340],"radius":0.251,"confidence":0.85}`, comma(i), i%6)
	}
	s.WriteString(`],"ageMs":20}`)
	return []byte(s.String())
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func BenchmarkBoxDecide(b *testing.B) {
	r, now := playing(b, refbox.DefaultConfig())
	for i := 0; b.Loop(); i++ {
		now = now.Add(time.Second)
		d := game.Decision{Command: game.FreeKick, Side: game.Home}
		if i%2 == 1 {
			d = game.Decision{Command: game.Stop}
		}
		if i%1000 == 999 { // about one game
			r.decide(now, game.Decision{Command: game.Reset, Force: true})
			r.decide(now, game.Decision{Command: game.KickOff, Side: game.Home})
			r.decide(now, game.Decision{Command: game.Start})
			r.decide(now, game.Decision{Command: game.Stop})
			clear(r.sent)
			continue
		}
		if _, _, err := r.box.Decide(now, d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBoxPages measures the referee's page after a game of 300 decisions.
func BenchmarkBoxPages(b *testing.B) {
	r, now := playing(b, refbox.DefaultConfig())
	for range 150 {
		r.decide(now, game.Decision{Command: game.FreeKick, Side: game.Home})
		r.decide(now, game.Decision{Command: game.Stop})
	}
	for range 100 {
		now = now.Add(50 * time.Millisecond)
		r.box.Receive(now, 1, realWorld())
	}
	b.Run("Referee", func(b *testing.B) {
		for b.Loop() {
			r.box.Referee(now)
		}
	})
	b.Run("Show", func(b *testing.B) {
		for b.Loop() {
			r.box.Show(now)
		}
	})
	b.Run("Teams", func(b *testing.B) {
		for b.Loop() {
			r.box.Teams(now, true)
		}
	})
	b.Run("Score", func(b *testing.B) {
		for b.Loop() {
			r.box.Score(now)
		}
	})
}
