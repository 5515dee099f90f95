package refboxnet_test

import (
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// FuzzCommand sends any command of a page to a running box: it answers and continues.
func FuzzCommand(f *testing.F) {
	for _, body := range []string{`{}`, `{"command":"KICKOFF","side":"home"}`, `{"conn":1,"side":"home"}`, `{"side":"away"}`,
		`{"command":"SET_CLOCK","total":1,"effective":2}`, `{"command":"UNDO","ref":3}`, `[1]`, `null`, `"x"`, `{"command":"RESET","force":true}`} {
		for name := range uint8(7) {
			f.Add(name, body)
		}
	}
	names := []string{"decide", "preview", "admit", "refuse", "release", "promote", "other"}
	box := open(f, liveConfig(f.TempDir()))
	f.Fuzz(func(t *testing.T, name uint8, body string) {
		if !json.Valid([]byte(body)) {
			return // the page's server refuses it
		}
		_, _ = box.live.Commands().Do(names[int(name)%len(names)], []byte(body))
		if _, err := box.live.Decide(t.Context(), game.Decision{Command: game.Stop}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzStream sends any bytes of a base station in two pieces: its end is noticed, decisions pass meanwhile, and the
// journal has every message.
func FuzzStream(f *testing.F) {
	for _, said := range []string{"", "\x00", "\x00\x00{}\x00", worldstate("CAMBADA", 1) + "\x00", "{\"type\":\"event\"}\x00half", "\xff\x00[[[[\x00", `{"a":NaN}` + "\x00"} {
		f.Add(said, uint8(len(said)/2))
	}
	box := open(f, liveConfig(f.TempDir()))
	f.Fuzz(func(t *testing.T, said string, at uint8) {
		s := dial(t, box.live.Addr(), "127.0.39.1")
		s.receives(command("WELCOME", cambada))
		cut := min(int(at), len(said))
		for _, part := range []string{said[:cut], said[cut:]} {
			if _, err := io.WriteString(s, part); err != nil {
				t.Fatal(err)
			}
			if _, err := box.live.Decide(t.Context(), game.Decision{Command: game.Stop}); err != nil {
				t.Fatal(err)
			}
			s.receives(command("STOP", ""))
		}
		if err := s.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		s.ends()
	})
}

// The score is sent to its clients over UDP 20 times a second, and an event for each message. A client that does not
// listen does not affect the others.
func TestScoreClients(t *testing.T) {
	client, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	gone := netip.MustParseAddrPort("127.0.0.1:" + wiretest.FreePort(t, "udp"))
	cfg := liveConfig(t.TempDir())
	cfg.ScoreClients = append(cfg.ScoreClients, gone,
		client.LocalAddr().(*net.UDPAddr).AddrPort())
	box := open(t, cfg)
	home, _ := box.both()
	home.sends(worldstate("CAMBADA", 7))
	box.decide(`{"command":"KICKOFF","side":"home"}`)
	var scores, events int
	buf := make([]byte, 1<<16)
	for began := time.Now(); events < 3 || scores < 10; { // WELCOME twice, and KICKOFF
		_ = client.SetReadDeadline(began.Add(patience))
		n, err := client.Read(buf)
		if err != nil {
			t.Fatalf("%d scores, %d events: %v", scores, events, err)
		}
		var m struct{ Type string }
		if err := json.Unmarshal(buf[:n-1], &m); err != nil || buf[n-1] != 0 {
			t.Fatalf("%q: %v", buf[:n], err)
		}
		switch m.Type {
		case "teams":
			scores++
		case "event":
			events++
		default:
			t.Errorf("received %q", buf[:n])
		}
	}
}

// With hostile clients around a game every decision reaches both teams, and all their messages are in the journal.
func TestHostileClients(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	home, away := f.both()
	defer crowd(t, f.live.Addr().String())()
	var show refbox.RefereeShow
	f.topic("referee", &show, func() bool { return len(show.Refused) == 10 })
	const n = 60
	for i := range n {
		home.sends(worldstate("CAMBADA", i))
		away.sends(worldstate("TUE", i))
		f.decide(`{"command":"KICKOFF","side":"home"}`)
		home.receives(command("KICKOFF", cambada))
		away.receives(command("KICKOFF", cambada))
	}
	log := journals(t, f.live.Config.Dir, ".mcap")[0]
	for team, channel := range map[string]string{"CAMBADA": matchlog.Home, "TUE": matchlog.Away} {
		var got []string
		wiretest.Eventually(t, "all that the team said", func() bool { got = read(t, log, channel); return len(got) == n })
		for i := range got {
			if got[i] != worldstate(team, i) {
				t.Fatalf("message %d of %s is %q", i, team, got[i])
			}
		}
	}
}
