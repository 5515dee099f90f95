package refboxnet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// A small game over TCP: both teams receive every byte in order, their messages are in the journal, and at the end there
// are the zip and a public log.
func TestGameOnSockets(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	home, away := f.both()
	for i := range 3 {
		home.sends(worldstate("CAMBADA", i))
		away.sends(worldstate("TUE", i))
	}
	away.sends(`{"type":"event","robotId":2,"event":"kick"}`)
	last := f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"away"}`, `{"command":"END_PART"}`)
	if stop := f.decide(`{"command":"STOP"}`); stop.Disk != 0 {
		t.Errorf("a STOP that changes nothing waits for the disk: %+v", stop)
	}
	if last.Number != 5 || last.Disk <= 0 || last.Disk > *last.Millis {
		t.Errorf("%+v", last)
	}
	for _, s := range []*station{home, away} {
		s.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""),
			command("GOAL", techUnited), command("HALF_TIME", ""), command("STOP", ""))
	}
	log := journals(t, dir, ".mcap")[0]
	wiretest.Eventually(t, "all that was said is in the journal", func() bool {
		return len(read(t, log, matchlog.Home)) == 3 && len(read(t, log, matchlog.Away)) == 4
	})
	if answer, err := http.Get(f.page.URL + "/api/logs/" + filepath.Base(log) + "/mcap"); err != nil {
		t.Error(err)
	} else if answer.Body.Close(); answer.StatusCode == http.StatusOK {
		t.Error("the log of a running game was given without a token")
	}
	f.decide(`{"command":"RESET","force":true}`)
	home.receives(command("RESET", ""))
	wiretest.Eventually(t, "the log is everybody's", func() bool {
		answer, err := http.Get(f.page.URL + "/api/logs/" + filepath.Base(log) + "/zip")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	wiretest.Eventually(t, "the zip", func() bool { return len(journals(t, dir, ".zip")) == 1 })
	if name := filepath.Base(journals(t, dir, ".zip")[0]); !strings.HasSuffix(name, ".CAMBADA-TUe.zip") {
		t.Errorf("the zip has the name %s", name)
	}
	// The next decision begins another game in another journal.
	f.decide(`{"command":"KICKOFF","side":"away"}`)
	away.receives(command("RESET", ""), command("KICKOFF", techUnited))
	if n := len(journals(t, dir, ".mcap")); n != 2 {
		t.Errorf("%d journals", n)
	}
	if got := read(t, log, matchlog.Decisions); len(got) != 7 {
		t.Errorf("%d decisions in the first journal: %q", len(got), got)
	}
	f.stop()
	if l, err := matchlog.Append(log); err == nil {
		l.Abandon()
		t.Error("the journal of a game that is over was not finished")
	}
}

// A team that reconnects replaces its connection, and other connections are closed with a reason on the page; the other
// team receives nothing of that.
func TestOnlyTheTeamReceives(t *testing.T) {
	cfg := liveConfig(t.TempDir())
	cfg.Box.HomeID, cfg.Box.AwayID = 0, 63
	f := open(t, cfg)
	away := f.dial("127.0.63.1")
	away.receives(command("WELCOME", techUnited))

	// A waiting connection that ends is noticed, however much it sent.
	stranger := f.dial("127.0.74.1")
	var desk refbox.RefereeShow
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 1 })
	stranger.sends(strings.Repeat("x", 50_000))
	stranger.Close()
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 0 })

	// An unexpected base station receives nothing until the referee admits it. Its messages until then are ignored.
	home := f.dial("127.0.39.1")
	home.sends(worldstate("CAMBADA", 0))
	if _, err := io.WriteString(home, "half a mess"); err != nil {
		t.Fatal(err)
	}
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 1 })
	w := desk.Waiting[0]
	if w.ID != 39 || w.Name != "CAMBADA" || len(w.Sides) != 1 || w.Sides[0] != game.Home {
		t.Fatalf("%+v waits", w)
	}
	if _, trouble := f.post("admit", fmt.Sprintf(`{"conn":%d,"side":"away"}`, w.Conn), f.live.Token()); trouble == "" {
		t.Error("it got the side of another team")
	}
	if _, trouble := f.post("admit", fmt.Sprintf(`{"conn":%d,"side":"home"}`, w.Conn), f.live.Token()); trouble != "" {
		t.Fatal(trouble)
	}
	home.receives(command("WELCOME", cambada))
	if _, err := io.WriteString(home, "age\x00"); err != nil {
		t.Fatal(err)
	}
	home.sends(worldstate("CAMBADA", 1))

	third := f.dial("127.0.74.1")
	third.ends()
	unknown := f.dial("127.0.0.1")
	unknown.ends()
	f.topic("referee", &desk, func() bool {
		return len(desk.Refused) == 2 && strings.Contains(desk.Refused[0].Why,
			"both sides")
	})

	again := f.dial("127.0.39.1")
	again.receives(command("WELCOME", cambada))
	home.ends()
	again.sends(worldstate("CAMBADA", 2))
	f.decide(`{"command":"KICKOFF","side":"home"}`)
	again.receives(command("KICKOFF", cambada))
	away.receives(command("KICKOFF", cambada))
	log := journals(t, f.live.Config.Dir, ".mcap")[0]
	wiretest.Eventually(t, "the journal has what was said since", func() bool { return len(read(t, log, matchlog.Home)) == 2 })
	if got := read(t, log, matchlog.Home); got[0] != worldstate("CAMBADA", 1) || got[1] != worldstate("CAMBADA", 2) {
		t.Errorf("the journal has %q", got)
	}
}

func TestTokens(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	for _, token := range []string{"", "wrong", f.live.Token() + "x", f.live.Token()[1:]} {
		for _, name := range []string{"decide", "preview", "admit", "refuse", "release", "promote"} {
			if _, trouble := f.post(name, `{"command":"KICKOFF","side":"home"}`, token); !strings.Contains(trouble, "only the referee") {
				t.Errorf("%s with token %q: %q", name, token, trouble)
			}
		}
		for topic, private := range map[string]bool{"refbox": false, "teams": false, "referee": true,
			"teams/all": true} {
			if refboxnet.Private(topic) != private {
				t.Errorf("topic %s is private: %t", topic, !private)
			}
		}
	}
	for _, body := range []string{`[]`, `{"command":"NO"}`, `{"command":"KICKOFF"}`, `{"command":"START"}`, `{"command":"STOP","no":1}`, `{}`} {
		if _, trouble := f.post("decide", body, f.live.Token()); trouble == "" {
			t.Errorf("%s was accepted", body)
		}
	}
	for _, body := range []string{`[]`, `{"conn":"1"}`, `{"conn":-1}`, `{"conn":1,"side":"home"}`, `{"conn":1,"x":2}`} {
		if _, trouble := f.post("admit", body, f.live.Token()); trouble == "" {
			t.Errorf("%s was admitted", body)
		}
	}
	// The next start has the same token, and its file is private.
	dir, token := f.live.Config.Dir, f.live.Token()
	if info, err := os.Stat(filepath.Join(dir, "token")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	f.stop()
	if again := open(t, liveConfig(dir)); again.live.Token() != token || len(token) < 20 {
		t.Errorf("tokens %q and %q", token, again.live.Token())
	}
}

// After a crash the box resumes: the same game and score, the clock with the time that has passed, the same teams
// automatically, and a warning about decisions without a delivery.
func TestResumes(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	if f.live.Resumed() != "" {
		t.Errorf("resumes %q", f.live.Resumed())
	}
	home, _ := f.both()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"YELLOW_CARD","side":"away","robot":4}`, `{"command":"GOAL","side":"home"}`)
	if _, err := refboxnet.New(liveConfig(dir), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	second, err := refboxnet.New(liveConfig(dir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "another referee box uses") {
		t.Errorf("a second box in one folder: %v", err)
	}
	var before, after refbox.Show
	f.topic("refbox", &before, func() bool { return before.Home.Goals == 1 })
	f.stop()
	// The journal ends within a record, as after a power loss.
	log := journals(t, dir, ".mcap")[0]
	file, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("\x05\xff\x00\x00\x00\x00\x00\x00\x00torn")); err != nil {
		t.Fatal(err)
	}
	file.Close()

	cfg := liveConfig(dir)
	cfg.Box.HomeID, cfg.Box.AwayID = 0, 0
	f = open(t, cfg)
	if got := f.live.Resumed(); !strings.Contains(got, ": CAMBADA 1 : 0 Tech United Eindhoven, first half 00:0") {
		t.Errorf("resumes %q", got)
	}
	f.topic("refbox", &after, func() bool { return after.Total > 0 })
	if after.Game != before.Game || after.Part != game.FirstHalf || after.Home.Goals != 1 ||
		after.Total < before.Total || after.Effective != before.Effective {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	home.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""),
		command("GOAL", cambada))
	home.ends()
	home, away := f.both()
	home.sends(worldstate("CAMBADA", 1))
	f.decide(`{"command":"KICKOFF","side":"away"}`, `{"command":"START"}`)
	for _, s := range []*station{home, away} {
		s.receives(command("KICKOFF", techUnited), command("YELLOW_CARD", techUnited), command("START", ""))
	}
	if n := len(journals(t, dir, ".mcap")); n != 1 {
		t.Errorf("%d journals", n)
	}
	f.stop()

	// --new finishes the old game and begins one.
	cfg.New = true
	f = open(t, cfg)
	if f.live.Resumed() != "" || len(journals(t, dir, ".mcap")) != 2 || len(journals(t, dir, ".zip")) != 1 {
		t.Errorf("resumes %q; %v", f.live.Resumed(), journals(t, dir, ""))
	}
	// Nothing happened in it: it is removed, and the next start begins another game.
	f.stop()
	if n := len(journals(t, dir, ".mcap")); n != 1 {
		t.Errorf("%d journals", n)
	}
	cfg.New = false
	f = open(t, cfg)
	if f.live.Resumed() != "" {
		t.Errorf("resumes %q", f.live.Resumed())
	}
}

// A team that never reads delays no other and is closed; a repeated STOP reaches the other one.
func TestTeamThatDoesNotRead(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	home, away := f.both()
	if err := home.Conn.(*net.TCPConn).SetReadBuffer(2048); err != nil {
		t.Fatal(err)
	}
	got := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, away)
		got <- n
	}()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`)
	for i := 0; ; i++ {
		if i > 200_000 {
			t.Fatal("the connection is never closed")
		}
		_, err := f.live.Decide(t.Context(), game.Decision{Command: game.Stop})
		if err != nil {
			t.Fatal(err)
		}
		var s refbox.Show
		if i%1000 == 999 {
			f.topic("refbox", &s, func() bool { return s.Game != "" })
			if !s.Home.Connected {
				if !s.Away.Connected || len(s.Trouble) == 0 || !strings.Contains(s.Trouble[0], "does not read") {
					t.Errorf("%+v", s)
				}
				break
			}
		}
	}
	away.Close()
	<-got
}

// A team that floods is slowed down, and the journal keeps 200 of its messages a second and counts the rest; decisions
// pass, and so do the other team's messages.
func TestFlood(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	home, away := f.both()
	const messages = 12_000
	flood := make(chan error, 1)
	go func() {
		var b bytes.Buffer
		for i := range messages {
			fmt.Fprintf(&b, "{\"n\":%d}\x00", i)
		}
		_, err := home.Write(b.Bytes())
		flood <- err
	}()
	for i := range 20 {
		away.sends(worldstate("TUE", i))
		f.decide(`{"command":"STOP"}`)
		away.receives(command("STOP", ""))
	}
	if err := <-flood; err != nil {
		t.Fatal(err)
	}
	log := journals(t, f.live.Config.Dir, ".mcap")[0]
	kept, seconds := 0, 0
	wiretest.Eventually(t, "all of the flood is kept or counted", func() bool {
		kept = len(read(t, log, matchlog.Home))
		omitted, all := 0, read(t, log, matchlog.Omitted)
		for _, text := range all {
			var o game.Omission
			if err := json.Unmarshal([]byte(text), &o); err != nil {
				t.Fatal(err)
			}
			omitted += int(o.Omitted)
		}
		seconds = len(all)
		return kept+omitted == messages
	})
	if kept > 200*(seconds+1) {
		t.Errorf("%d messages are kept in %d seconds of flood", kept, seconds)
	}
	if n := len(read(t, log, matchlog.Away)); n != 20 {
		t.Errorf("%d worldstates of the other team", n)
	}
}

// A journal that ends in the future, as after the machine's clock was set back: the game's clock does not go back, and the
// referee is told of that and of the decision without a delivery.
func TestClockBehindJournal(t *testing.T) {
	dir := t.TempDir()
	last := soccer.Time(time.Now().Add(time.Hour).UnixNano())
	began := last.Add(-time.Minute)
	w, err := matchlog.Create(filepath.Join(dir, matchlog.LogName(began)), map[string]string{matchlog.MetaBegan: fmt.Sprint(int64(began)), matchlog.MetaRules: `{"halfSeconds":600}`})
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range []string{`"KICKOFF","side":"home"`, `"START"`, `"STOP"`} {
		at := last.Add(time.Duration(i-2) * 10 * time.Second)
		d := fmt.Sprintf(`{"v":1,"time":%d,"command":%s}`, at, body)
		for _, m := range []matchlog.Message{{Channel: matchlog.Decisions, Data: []byte(d)}, {Channel: matchlog.Sent, Data: fmt.Appendf(nil, `{"decision":%d,"millis":1,"disk":0.5}`, min(i+1, 2))}} {
			m.Time = at
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	f := open(t, liveConfig(dir))
	var show refbox.Show
	f.topic("refbox", &show, func() bool { return show.Part == game.FirstHalf })
	text := strings.Join(show.Trouble, "\n")
	if !strings.Contains(text, "behind the journal") || !strings.Contains(text,
		"decided just before the restart: STOP.") {
		t.Errorf("the warnings are %q", text)
	}
	if show.Total < 10 || show.Total > 30 || show.Effective != 10 || show.Length != 600 ||
		show.Time < float64(last)/1e6 {
		t.Errorf("%+v", show)
	}
	f.decide(`{"command":"FREEKICK","side":"home"}`)
	f.topic("refbox", &show, func() bool { return !strings.Contains(strings.Join(show.Trouble, ""), "restart") })
}
