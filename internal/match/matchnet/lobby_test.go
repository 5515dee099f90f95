package matchnet_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// openLobby runs a lobby and its server.
func openLobby(t *testing.T, adapt func(*matchnet.LobbyConfig)) (*matchnet.Lobby, string) {
	t.Helper()
	cfg := matchnet.DefaultLobbyConfig()
	cfg.Match.Half, cfg.Pause = time.Second, 0
	adapt(&cfg)
	l, err := matchnet.NewLobby(cfg, liveQuiet)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range l.Handlers() {
		mux.Handle(pattern, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	background(t, l.Run)
	return l, strings.TrimPrefix(s.URL, "http://")
}

func lobbyView(l *matchnet.Lobby) *match.LobbyView { return l.View("").(*match.LobbyView) }

// until waits until something holds of a lobby.
func until(t *testing.T, l *matchnet.Lobby, what string, holds func(*match.LobbyView) bool) *match.LobbyView {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		v := lobbyView(l)
		if holds(v) {
			return v
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("waiting for %s: %+v", what, v)
		}
	}
}

// send sends a body with a signature, and returns status and answer.
func send(t *testing.T, address string, body []byte, signature string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/api/lobby/join", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if signature != "" {
		r.Header.Set(matchnet.Signature, signature)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// signed signs as docs/lobby.md says.
func signed(key string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// request returns the body of a request.
func request(t *testing.T, l *matchnet.Lobby, name string, count uint64) []byte {
	t.Helper()
	body, err := json.Marshal(match.LobbyRequest{
		Lobby: lobbyView(l).Lobby, Name: name, Nonce: "nonce of " + name, Count: count, Robots: []netip.AddrPort{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Two teams of touchline join from their own programs and play; both hear the result, which is the one in the table.
func TestLobby(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays in real time")
	}
	t.Parallel()
	results := make(chan match.Fixture, 2)
	l, address := openLobby(t, func(cfg *matchnet.LobbyConfig) {
		cfg.Lobby.Matches, cfg.Match.Home.Robots, cfg.Match.Away.Robots = 1, 2, 2
		cfg.Patience, cfg.Silence = time.Minute, time.Minute // of a machine that others load
		cfg.OnResult = func(f match.Fixture) { results <- f }
	})
	var mu sync.Mutex
	told := map[string][]string{}
	var teams sync.WaitGroup
	for _, name := range []string{"Ada", "Bob"} {
		teams.Go(func() {
			err := matchnet.Join(t.Context(), matchnet.JoinConfig{
				Lobby: address, Key: l.Key(), Name: name, Team: match.Teams()[0],
				Tell: func(text string) {
					mu.Lock()
					defer mu.Unlock()
					told[name] = append(told[name], text)
				},
			}, liveQuiet)
			if err != nil {
				t.Error(err)
			}
		})
	}
	teams.Wait()
	f := <-results
	v := lobbyView(l)
	if f.Reason != "" || !f.Over || v.Ended != 1 || v.Table[0].Played != 1 || v.Table[0].For+v.Table[1].For != f.Goals[0]+f.Goals[1] ||
		v.Refused != (match.LobbyRefused{}) {
		t.Errorf("the result is %+v, and the lobby %+v", f, v)
	}
	over := fmt.Sprintf("match 1 is over: %s %d : %d %s", f.Home, f.Goals[0], f.Goals[1], f.Away)
	for _, name := range []string{"Ada", "Bob"} {
		if !slices.Contains(told[name], over) {
			t.Errorf("%s was told %q, want %q among them", name, told[name], over)
		}
	}
}

// A team that drives no robot loses, and one that stops in the middle of a match, too.
func TestLobbyForfeits(t *testing.T) {
	t.Parallel()
	l, address := openLobby(t, func(cfg *matchnet.LobbyConfig) {
		cfg.Match.Half, cfg.Match.Home.Robots, cfg.Match.Away.Robots = time.Hour, 1, 1
		cfg.Patience, cfg.Silence = 3*time.Second, time.Second
	})
	ctx, leave := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() {
		for n := uint64(1); ctx.Err() == nil; n++ { // is there, and drives nothing
			body := request(t, l, "lazy", n)
			send(t, address, body, signed(l.Key(), body))
			time.Sleep(200 * time.Millisecond)
		}
	})
	joined.Go(func() {
		err := matchnet.Join(ctx, matchnet.JoinConfig{
			Lobby: address, Key: l.Key(), Name: "keen", Team: match.Teams()[0], Tell: func(string) {},
		}, liveQuiet)
		if err != nil {
			t.Error(err)
		}
	})
	v := until(t, l, "the first result", func(v *match.LobbyView) bool { return v.Ended > 0 })
	if f := v.Matches[0]; !strings.Contains(f.Reason, "lazy drove no robot within 3s") {
		t.Errorf("the first match is %+v", f)
	}
	leave()
	joined.Wait()
	until(t, l, "the end of the second match", func(v *match.LobbyView) bool { return v.Matches[len(v.Matches)-1].Over })
}

// A stranger without the key changes nothing, whatever it sends: nor does one that repeats what a team sent.
func TestLobbyStrangers(t *testing.T) {
	t.Parallel()
	l, address := openLobby(t, func(cfg *matchnet.LobbyConfig) { cfg.Patience = time.Minute })
	first := request(t, l, "A", 5)
	if status, text := send(t, address, first, signed(l.Key(), first)); status != http.StatusOK {
		t.Fatalf("the first team: %d %s", status, text)
	}
	before := lobbyView(l)
	evil := request(t, l, "evil", 7)
	for _, c := range []struct {
		what      string
		body      []byte
		signature string
		want      int
	}{
		{"unsigned", evil, "", http.StatusForbidden},
		{"another key", evil, signed("another key of 16", evil), http.StatusForbidden},
		{"the signature of another body", evil, signed(l.Key(), first), http.StatusForbidden},
		{"no JSON", []byte("{"), signed(l.Key(), []byte("{")), http.StatusBadRequest},
		{"a replay", first, signed(l.Key(), first), http.StatusConflict},
		{"a long body", bytes.Repeat([]byte(" "), 5000), "", http.StatusRequestEntityTooLarge},
		{"another lobby", bytes.ReplaceAll(first, []byte(before.Lobby), []byte("another")), "", http.StatusGone},
	} {
		if c.want == http.StatusGone {
			c.signature = signed(l.Key(), c.body)
		}
		if status, text := send(t, address, c.body, c.signature); status != c.want || !strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d %s, want %d", c.what, status, text, c.want)
		}
	}
	after := lobbyView(l)
	if r := after.Refused; r.Unsigned != 1 || r.Forged != 2 || r.Invalid != 3 {
		t.Errorf("it counts %+v", r)
	}
	if !slices.Equal(after.Table, before.Table) || len(after.Matches) > 0 {
		t.Errorf("the lobby was %+v and is %+v", before, after)
	}
	for n := range uint64(100) { // a team that floods with the key is held up
		body := request(t, l, "A", 100+n)
		send(t, address, body, signed(l.Key(), body))
	}
	if lobbyView(l).Refused.TooMany == 0 {
		t.Error("a flood with the key is not held up")
	}
}

// Motor commands without the team's key drive nobody and do not begin a match.
func TestLobbyStrangerOnTheField(t *testing.T) {
	t.Parallel()
	l, address := openLobby(t, func(cfg *matchnet.LobbyConfig) { cfg.Patience = time.Minute })
	var task *matchnet.LobbyTask
	for n := uint64(1); task == nil; n++ {
		for _, name := range []string{"A", "B"} {
			body := request(t, l, name, n)
			_, text := send(t, address, body, signed(l.Key(), body))
			var a matchnet.LobbyAnswer
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Fatal(err)
			}
			if name == "A" {
				task = a.Match
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	if d, err := teamcom.Parse([]byte(task.Ini)); err != nil || d.Team != task.Team || len(d.Entries) != 6 {
		t.Errorf("TCM.ini is %s: %v", task.Ini, err)
	}
	conn, err := net.Dial("udp", teamcom.Port(task.Field, tcm.Telemetry).String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	drive := func(secret string) {
		cfg := teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 1})
		cfg.Team, cfg.Types = task.Team, map[tcm.Type]teamcom.Options{tcm.Type(team.TypeMotor): {Socket: tcm.Telemetry}}
		if secret != "" {
			cfg.Secret = []byte(secret)
		}
		node, err := teamcom.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		now := soccer.Epoch
		if err := node.Module(tcm.Cmd).Client().Send(now, robot.Field, &team.Motor{Sequence: 1}); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, tcm.MaxDatagram)
		for {
			out, ok := node.Next(now, buf)
			if !ok {
				return
			}
			if _, err := conn.Write(out.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 10 {
		drive("")
		drive(matchnet.TeamKey(l.Key(), "nonce of B", task.Number))
		drive(matchnet.TeamKey(l.Key(), "nonce of A", task.Number+1))
	}
	v := until(t, l, "30 refused datagrams", func(v *match.LobbyView) bool { return v.Refused.Datagrams >= 30 })
	waits := func(v *match.LobbyView, name string) bool { return v.Phase == "waiting for the robots of "+name }
	if home := v.Matches[0].Home; !waits(v, home) {
		t.Fatalf("the phase is %q, want one that waits for %s", v.Phase, home)
	}
	drive(matchnet.TeamKey(l.Key(), "nonce of A", task.Number))
	if v.Matches[0].Home == "A" {
		until(t, l, "the other team", func(v *match.LobbyView) bool { return waits(v, "B") })
	}
}
