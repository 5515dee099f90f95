package refboxnet

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/monitor"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// writtenGame is a journal that a Box writes on a clock of its own.
type writtenGame struct {
	box   *refbox.Box
	w     *matchlog.Writer
	tail  *tail
	clock func() soccer.Time
}

// write begins a game in the folder of the followed box.
func (b *box) write(t *testing.T, skew time.Duration) *writtenGame {
	t.Helper()
	b.skew.Store(int64(skew))
	g := &writtenGame{tail: b.tail, clock: b.now}
	began := g.clock()
	g.box = refbox.New(refbox.DefaultConfig(), began)
	w, err := matchlog.Create(filepath.Join(b.dir, matchlog.LogName(began)), map[string]string{
		matchlog.MetaBegan: strconv.FormatInt(int64(began), 10), matchlog.MetaRules: rulesJSON(game.DefaultRules()),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.w = w
	t.Cleanup(func() { w.Abandon() })
	return g
}

func (g *writtenGame) decide(t *testing.T, d game.Decision) {
	t.Helper()
	_, e, err := g.box.Decide(g.clock(), d)
	for _, m := range e.Log {
		err = errors.Join(err, g.w.Write(message(m)))
	}
	if err != nil {
		t.Fatal(err)
	}
	g.tail.set(g.w.Path(), g.w.Size())
}

// standbyOf runs a standby until the test ends.
func standbyOf(t *testing.T, addr, dir string) *Standby {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Listen, cfg.Dir, cfg.Token, cfg.ScoreClients = "127.0.0.1:0", dir, "right", nil
	c, err := NewStandby(cfg, addr, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}

// copied returns the name and size of the copied journal.
func copied(s *Standby) (name string, size int64) {
	s.mirror.mu.Lock()
	defer s.mirror.mu.Unlock()
	return s.mirror.name, s.mirror.size
}

func promote(c *Standby) error {
	_, err := c.Commands().Do("promote", []byte("{}"))
	return err
}

// The other laptop's clock is 90 s ahead: the game's clocks do not jump, and time never goes back.
func TestStandbyTakesOver(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	g := b.write(t, 90*time.Second)
	for _, d := range []game.Decision{{Command: game.KickOff, Side: game.Home}, {Command: game.Start},
		{Command: game.Stop},
		{Command: game.YellowCard, Side: game.Home, Robot: 3}, {Command: game.Goal, Side: game.Away},
		{Command: game.KickOff, Side: game.Home}, {Command: game.Start}} {
		g.decide(t, d)
	}
	c := standbyOf(t, b.addr, dir)
	handler := c.Handlers(monitor.NewGuard("right", nil).Authorised)["GET /api/journal"]
	wiretest.Eventually(t, "all is copied", func() bool { name, size := copied(c); return name != "" && size == g.w.Size() })

	if _, err := c.Commands().Do("decide", []byte(`{"command":"STOP"}`)); !errors.Is(err, errStandby) {
		t.Errorf("a decision of a standby: %v", err)
	}
	status := func() int {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/api/journal?name=x", nil)
		handler.ServeHTTP(w, r)
		return w.Code
	}
	if got := status(); got != http.StatusServiceUnavailable {
		t.Errorf("the journal of a standby: %d", got)
	}
	if err := promote(c); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != http.StatusForbidden {
		t.Errorf("the journal without a token: %d", got)
	}
	live := c.live.Load()
	want := g.box.Show(g.clock())
	var got refbox.Show
	if err := live.call(live.calls, func(now soccer.Time) { got = live.box.Show(now) }); err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Total-want.Total) > 2 || math.Abs(got.Effective-want.Effective) > 2 || got.Away.Goals != 1 ||
		!got.Running {
		t.Errorf("it shows %+v, want %+v", got, want)
	}
	if _, err := live.Decide(t.Context(), game.Decision{Command: game.Stop}); err != nil {
		t.Fatal(err)
	}
	var log []game.Entry
	if err := live.call(live.calls, func(soccer.Time) { log = live.box.Game().Log() }); err != nil {
		t.Fatal(err)
	}
	if n := len(log); n != 8 || log[7].Decision.Time.Sub(log[6].Decision.Time) > 20*time.Second {
		t.Errorf("%d decisions, the last at %v after %v", n, log[n-1].Decision.Time, log[n-2].Decision.Time)
	}
	troubled := func() bool {
		var show refbox.Show
		err := live.call(live.calls, func(now soccer.Time) { show = live.box.Show(now) })
		return err == nil && slices.Contains(show.Trouble,
			b.addr+" still answers: stop it, or two referee boxes send commands to the teams")
	}
	wiretest.Eventually(t, "a warning of two referee boxes", troubled)
	b.close()
	wiretest.Eventually(t, "no warning any more", func() bool { return !troubled() })
	if err := promote(c); !errors.Is(err, errNoStandby) {
		t.Errorf("taking over again: %v", err)
	}
}

// A file with a later name is not resumed instead of the copied game, now or at the next start.
func TestStandbyNewerGame(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	g := b.write(t, 0)
	g.decide(t, game.Decision{Command: game.KickOff, Side: game.Home})
	c := standbyOf(t, b.addr, dir)
	wiretest.Eventually(t, "all is copied", func() bool { _, size := copied(c); return size == g.w.Size() })
	other := newTestBox(t)
	other.dir = dir
	later := other.write(t, 24*time.Hour)
	later.decide(t, game.Decision{Command: game.KickOff, Side: game.Away})
	if err := later.w.Abandon(); err != nil {
		t.Fatal(err)
	}
	if err := promote(c); err != nil {
		t.Fatal(err)
	}
	if name, _ := copied(c); !strings.HasPrefix(c.live.Load().Resumed(), strings.TrimSuffix(name, ".mcap")) {
		t.Errorf("it resumes %s, want %s", c.live.Load().Resumed(), name)
	}
	wiretest.Eventually(t, "the other one is finished", func() bool { return matchlog.Finished(later.w.Path()) })
}

// Without a copy there is nothing to take over, and copying continues. Of several simultaneous takeovers one succeeds.
func TestStandbyWithoutCopy(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	c := standbyOf(t, b.addr, dir)
	if err := promote(c); err == nil || !strings.Contains(err.Error(), "nothing is copied") || c.live.Load() != nil {
		t.Fatalf("taking over nothing: %v", err)
	}
	g := b.write(t, 0)
	g.decide(t, game.Decision{Command: game.KickOff, Side: game.Home})
	wiretest.Eventually(t, "copying goes on", func() bool { _, size := copied(c); return size == g.w.Size() })
	answers := make(chan error)
	for range 4 {
		go func() { answers <- promote(c) }()
	}
	done := 0
	for range 4 {
		switch err := <-answers; {
		case err == nil:
			done++
		case !errors.Is(err, errNoStandby):
			t.Errorf("the other takeovers: %v", err)
		}
	}
	if done != 1 {
		t.Errorf("%d took over", done)
	}
}

func TestNewStandbyRefused(t *testing.T) {
	for _, wrong := range []func(*Config, *string){
		func(c *Config, _ *string) { c.Token = "" },
		func(c *Config, _ *string) { c.New = true },
		func(_ *Config, host *string) { *host = "somewhere" },
		func(_ *Config, host *string) { *host = "127.0.0.1:8014/" },
		func(c *Config, _ *string) { c.Listen = "x" },
	} {
		cfg, host := DefaultConfig(), "127.0.0.1:8014"
		cfg.Token = "right"
		wrong(&cfg, &host)
		if _, err := NewStandby(cfg, host, slog.Default()); err == nil {
			t.Errorf("accepted: %+v, %s", cfg, host)
		}
	}
}
