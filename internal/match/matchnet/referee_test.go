package matchnet_test

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

	"touchline/game"
	"touchline/internal/match/matchnet"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

// refereed runs a session with a referee box, whose log goes to dir; end ends it.
func refereed(t *testing.T, dir string) (s *matchnet.Session, end func()) {
	t.Helper()
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:" + wiretest.FreePort(t, "udp")))
	box := refboxnet.DefaultConfig()
	box.Listen, box.Dir, box.ScoreClients = "127.0.0.1:0", dir, nil
	s, err := matchnet.New(matchnet.Config{Match: quiet(), Network: network, RefBox: &box}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
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
	}
	t.Cleanup(end)
	return s, end
}

// Robots, base station, referee box and log work together.
func TestSessionIsLogged(t *testing.T) {
	dir := t.TempDir()
	s, end := refereed(t, dir)
	wiretest.Eventually(t, "the game starts", func() bool { return read(t, dir, matchlog.Commands, `"FIRST_HALF"`) != "" })
	if _, err := s.Commands().Do("kick", json.RawMessage(`{"vx":1,"vy":0}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commands().Do("substitute", json.RawMessage(`{"number":1}`)); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "substitution and kick are in the log", func() bool {
		events := read(t, dir, matchlog.Home, `"event"`)
		return strings.Contains(events, `"robotId":1,"event":"substitute, 6 replaces 1"`) &&
			strings.Contains(events, `"event":"kick"`)
	})
	wiretest.Eventually(t, "the substitute is in the worldstates", func() bool {
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
			if err := json.Unmarshal(m.Data, &truth); err != nil || truth.Time != m.Time || len(truth.Robots) != 5 ||
				truth.Robots[0].Team != "home" {
				t.Fatalf("%v: %s", err, m.Data)
			}
		}
	}
	if counts[matchlog.Home] < 3 || counts[matchlog.Truth] < 2 || counts[matchlog.Decisions] != 2 ||
		counts[matchlog.Away] != 0 {
		t.Errorf("got %v messages by channel", counts)
	}
}

// Without a folder the log is deleted at the end, and so is TCM.ini.
func TestTemporaryLog(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	s, end := refereed(t, "")
	wiretest.Eventually(t, "the box runs", func() bool {
		_, err := s.RefBox().Decide(t.Context(), game.Decision{Command: game.Stop})
		return err == nil || errors.Is(err, game.ErrRefused)
	})
	if left, _ := os.ReadDir(tmp); len(left) != 2 {
		t.Errorf("while it runs there is %v, want a folder for the log and one for TCM.ini", left)
	}
	end()
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("it leaves %v, want nothing", left)
	}
}

// Close closes a session that never ran.
func TestCloseWithoutRun(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:2005"))
	box := refboxnet.DefaultConfig()
	box.Listen, box.Dir = "", ""
	s, err := matchnet.New(matchnet.Config{Match: quiet(), Network: network, RefBox: &box}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := s.RefBox().Addr().String()
	s.Close()
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("it leaves %v, want nothing", left)
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

// read returns the messages of a channel that contain a text, one a line.
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
			break // the last one is being written
		}
		if strings.Contains(string(m.Data), text) {
			b.Write(m.Data)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
