package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"touchline/refbox"
	"touchline/soccer"
)

// program builds touchline once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "touchline-lab")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "touchline")
	out, err := exec.Command("go", "build", "-o", path, "touchline/cmd/touchline").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// processes returns touchline's binary, or skips the test where it cannot run.
func processes(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("base stations need the addresses 127.0.39.1 and 127.0.63.1, which only Linux has from the start")
	}
	if testing.Short() {
		t.Skip("it starts processes, which the race detector does not see")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Twenty kills of a game under load; the batch is touchline lab refbox-kill.
func TestKill(t *testing.T) {
	cfg := DefaultKillConfig()
	cfg.Program, cfg.Kills, cfg.PerGame, cfg.Dir = processes(t), 20, 10, t.TempDir()
	calls := 0
	r, err := Kill(t.Context(), cfg, func(*KillReport) { calls++ })
	if err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if r.Kills < 20 || r.Decisions < 20 || r.Commands == 0 || r.Worldstates == 0 || r.Failed > 0 || calls == 0 {
		t.Errorf("%+v", r)
	}
	t.Logf("%d kills, %d decisions, start %+v ms, decision %+v ms", r.Kills, r.Decisions, r.StartMillis, r.DecideMillis)
}

// The first laptop dies and the second takes over: the same game, and the base stations are back.
func TestTakeover(t *testing.T) {
	path := processes(t)
	listen, page, other := free(t), free(t), free(t)
	g := &killing{random: rand.New(rand.NewPCG(1, 2)), report: &KillReport{}, dir: t.TempDir()}
	first, err := startBox(path, g.dir, listen, page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { first.kill() }()
	if _, _, err := first.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	stationsOf(t, listen)
	wait(t, first, "both base stations", func(s refbox.Show, _ refbox.RefereeShow) bool { return s.Home.Connected && s.Away.Connected })
	second, err := startBox(path, t.TempDir(), listen, other, "--follow", page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { second.kill() }()

	g.box, g.game = first, refbox.New(refbox.DefaultRules(), soccer.Time(time.Now().UnixNano()))
	for range 60 {
		d, _ := g.next()
		if err := g.decide(d); err != nil {
			t.Fatal(err)
		}
	}
	want, referee, err := first.show(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same := func(s refbox.Show, r refbox.RefereeShow) bool {
		return s.Part == want.Part && s.Running == want.Running && s.Home.Goals == want.Home.Goals && s.Away.Goals == want.Away.Goals &&
			s.SetPiece == want.SetPiece && len(r.Pending) == len(referee.Pending) && len(r.Entries) == len(referee.Entries)
	}
	wait(t, second, "the copy shows the game", func(s refbox.Show, r refbox.RefereeShow) bool { return s.Follows == page && same(s, r) })
	if err := second.decide(refbox.Decision{Command: refbox.Stop}); err == nil {
		t.Error("a copy decided")
	}
	first.kill()
	killed := time.Now()
	if err := second.post("promote", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	open := time.Since(killed)
	got := wait(t, second, "both base stations are back", func(s refbox.Show, _ refbox.RefereeShow) bool {
		return s.Follows == "" && s.Home.Connected && s.Away.Connected
	})
	back := time.Since(killed)
	if back > 3*time.Second {
		t.Errorf("it took %v", back)
	}
	if show, r, err := second.show(t.Context()); err != nil || !same(show, r) {
		t.Errorf("after taking over %+v\nbefore %+v, %v", show, want, err)
	}
	if passed := (got.Time - want.Time) / 1000; math.Abs(got.Total-want.Total-passed) > 0.01 {
		t.Errorf("total %.3f s after %.3f s and %.3f s before", got.Total, passed, want.Total)
	}
	g.box = second
	for range 10 {
		d, _ := g.next()
		if err := g.decide(d); err != nil {
			t.Fatal(err)
		}
	}
	if g.report.Refused > 0 || g.report.Decisions != 70 {
		t.Errorf("%+v", g.report)
	}
	t.Logf("from the kill to the open port %v, to both base stations %v", open, back)
}

func free(t *testing.T) string {
	t.Helper()
	a, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stationsOf runs both base stations until the test ends.
func stationsOf(t *testing.T, listen string) {
	var group sync.WaitGroup
	for _, team := range [2]int{39, 63} {
		s := &baseStation{team: team, to: listen, rate: 100}
		group.Go(func() { s.run(t.Context()) })
	}
	t.Cleanup(group.Wait) // the context has ended by then
}

// wait waits until what a box shows is as wanted.
func wait(t *testing.T, b *boxProcess, what string, wanted func(refbox.Show, refbox.RefereeShow) bool) refbox.Show {
	t.Helper()
	var last any
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		show, referee, err := b.show(t.Context())
		if err == nil && wanted(show, referee) {
			return show
		}
		last = fmt.Sprintf("%+v %v", show, err)
		select {
		case <-b.ended:
			t.Fatalf("%s: it ended: %s", what, b.errors.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatalf("never: %s: %v", what, last)
	return refbox.Show{}
}
