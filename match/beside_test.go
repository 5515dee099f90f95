package match_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/match"
	"touchline/matchlog"
	"touchline/monitor"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
)

// refereed is a live session with a referee box beside it.
func refereed(t *testing.T, dir string) (live *match.Live, end func()) {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0") // a port that nobody uses now
	if err != nil {
		t.Fatal(err)
	}
	port := c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	c.Close()
	network := transport.DefaultConfig(netip.AddrPortFrom(netip.MustParseAddr("224.16.32.75"), port))
	live, err = match.NewLive(quiet(), network, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	referee := refbox.DefaultLiveConfig()
	referee.Listen, referee.Dir, referee.ScoreClients = "127.0.0.1:0", dir, nil
	live.Referee = &referee
	live.Page = monitor.New(monitor.DefaultConfig())
	ctx, cancel := context.WithCancel(t.Context())
	if err := live.Open(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- live.Run(ctx) }()
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the session ended with %v", err)
		}
		live.Page.Close()
	}
	t.Cleanup(end)
	return live, end
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// The session is a match: robots, base station, referee box, log.
func TestSessionIsLogged(t *testing.T) {
	dir := t.TempDir()
	live, end := refereed(t, dir)
	until(t, "the game has begun", func() bool { return read(t, dir, matchlog.Commands, `"FIRST_HALF"`) != "" })
	if err := live.Command(t.Context(), "kick", json.RawMessage(`{"vx":1,"vy":0}`)); err != nil {
		t.Fatal(err)
	}
	if err := live.Command(t.Context(), "substitute", json.RawMessage(`{"number":1}`)); err != nil {
		t.Fatal(err)
	}
	until(t, "substitute and kick are in the log", func() bool {
		events := read(t, dir, matchlog.Home, `"event"`)
		return strings.Contains(events, `"robotId":1,"event":"substitute, 6 for 1"`) && strings.Contains(events, `"event":"kick"`)
	})
	until(t, "the substitute is in the worldstates", func() bool {
		return strings.Contains(read(t, dir, matchlog.Home, `{"id":6,"pose"`), `"teamName":"Mixed teams"`)
	})
	end()

	log, err := matchlog.Open(file(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	counts := map[string]int{}
	var truth struct {
		Time   soccer.Time
		Ball   soccer.Vec3
		Robots []struct {
			Number uint8
			Team   string
			Pose   soccer.Pose
		}
	}
	for m, err := range log.Messages(0, 1<<62) {
		if err != nil {
			t.Fatal(err)
		}
		counts[m.Channel]++
		switch m.Channel {
		case matchlog.Home:
			if issues := msl.Check(m.Data); len(issues) > 0 {
				t.Errorf("%v in %s", issues, m.Data)
			}
		case matchlog.Truth:
			if err := json.Unmarshal(m.Data, &truth); err != nil || truth.Time != m.Time || len(truth.Robots) != 5 || truth.Robots[0].Team != "home" {
				t.Fatalf("%v: %s", err, m.Data)
			}
		}
	}
	if counts[matchlog.Home] < 3 || counts[matchlog.Truth] < 2 || counts[matchlog.Decisions] != 2 || counts[matchlog.Away] != 0 {
		t.Errorf("the log has %v", counts)
	}
}

// Without a folder the log is gone at the end.
func TestLogOfAMoment(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	live, end := refereed(t, "")
	until(t, "the box runs", func() bool {
		_, err := live.RefBox().Decide(t.Context(), game.Decision{Command: game.Stop})
		return err == nil || errors.Is(err, game.ErrRefused)
	})
	if left, _ := os.ReadDir(tmp); len(left) != 1 {
		t.Errorf("while it runs there is %v", left)
	}
	end()
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

// What was opened for nothing is closed again.
func TestNeverRun(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:2005"))
	live, err := match.NewLive(quiet(), network, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	referee := refbox.DefaultLiveConfig()
	referee.Listen, referee.Dir = "", ""
	live.Referee = &referee
	if err := live.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := live.RefBox().Addr().String()
	live.Close()
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatalf("its port is still taken: %v", err)
	}
	l.Close()
}

func file(t *testing.T, dir string) string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(dir), "*.mcap")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v: want one log", found, err)
	}
	return filepath.Join(dir, found[0])
}

// read returns the messages of a channel that hold a text, a line each.
func read(t *testing.T, dir, channel, text string) string {
	t.Helper()
	log, err := matchlog.Open(file(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var b strings.Builder
	for m, err := range log.Messages(0, 1<<62, channel) {
		if err != nil {
			break // its last one is being written
		}
		if strings.Contains(string(m.Data), text) {
			b.Write(m.Data)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
