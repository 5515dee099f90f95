package refbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/matchlog"
	"touchline/monitor"
	. "touchline/refbox"
	"touchline/soccer"
)

// patience bounds what a test waits for.
const patience = 20 * time.Second

// field is a referee box on real sockets with its page.
type field struct {
	t    testing.TB
	live *Live
	page *httptest.Server
	stop func() // ends it without finishing the game, and waits
}

// liveConfig is a box for CAMBADA against Tech United in a folder, on ports that nobody uses.
func liveConfig(dir string) LiveConfig {
	cfg := DefaultLiveConfig()
	cfg.Dir, cfg.Listen, cfg.ScoreClients = dir, "127.0.0.1:0", nil
	cfg.Box.HomeID, cfg.Box.AwayID = 39, 63
	return cfg
}

// open starts a referee box.
func open(t testing.TB, cfg LiveConfig) *field {
	t.Helper()
	live, err := NewLive(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := live.Open(ctx); err != nil {
		cancel()
		t.Fatal(err)
	}
	page := monitor.DefaultConfig()
	page.Command, page.Allowed, page.Handlers = live.Command, live.Allowed, live.Handlers()
	live.Page = monitor.New(page)
	f := &field{t: t, live: live, page: httptest.NewServer(live.Page)}
	done := make(chan error, 1)
	go func() { done <- live.Run(ctx) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		live.Page.Close()
		f.page.Close()
	})
	t.Cleanup(f.stop)
	return f
}

// post sends a command as a page does; the answer is an error's text where it is not well.
func (f *field) post(name, body, token string) (Decided, string) {
	f.t.Helper()
	return post(f.t, f.page.URL, name, body, token)
}

func post(t testing.TB, url, name, body, token string) (Decided, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url+"/api/command/"+name, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Decided
		Error string `json:"error"`
	}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%s answers %s: %v", name, b, err)
		}
	}
	if v.Error == "" && answer.StatusCode >= 300 {
		t.Fatalf("%s answers %s: %s", name, answer.Status, b)
	}
	return v.Decided, v.Error
}

// decide sends decisions that have to be taken.
func (f *field) decide(decisions ...string) Decided {
	f.t.Helper()
	var last Decided
	for _, d := range decisions {
		var trouble string
		if last, trouble = f.post("decide", d, f.live.Token()); trouble != "" {
			f.t.Fatalf("%s: %s", d, trouble)
		}
		if last.Millis == nil || !last.Kept || last.Missed {
			f.t.Fatalf("%s: %+v", d, last)
		}
	}
	return last
}

// topic reads a topic of the page until it is as wanted.
func (f *field) topic(name string, v any, want func() bool) {
	f.t.Helper()
	topic(f.t, f.page.URL, name, f.live.Token(), v, want)
}

func topic(t testing.TB, url, name, token string, v any, want func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	if err := c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"subscribe":[%q],"token":%q}`, name, token)); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			t.Fatalf("topic %s: %v; the last was %s", name, err, last)
		}
		last = b
		m := struct{ Value any }{v}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		if want() {
			return
		}
	}
}

// station is a base station's socket.
type station struct {
	t testing.TB
	net.Conn
}

// dial connects from an address.
func dial(t testing.TB, to netip.AddrPort, from string) *station {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: patience}
	c, err := d.Dial("tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &station{t, c}
}

func (f *field) dial(from string) *station {
	f.t.Helper()
	return dial(f.t, f.live.Addr(), from)
}

// command is what the wire has for a command.
func command(word, team string) string {
	return fmt.Sprintf("{\n  \"command\": %q,\n  \"targetTeam\": %q\n}\x00", word, team)
}

// teams' groups in a game of liveConfig.
const cambada, techUnited = "224.16.32.39", "224.16.32.63"

// hears reads exactly these bytes.
func (s *station) hears(commands ...string) {
	s.t.Helper()
	want := strings.Join(commands, "")
	got := make([]byte, len(want))
	_ = s.SetReadDeadline(time.Now().Add(patience))
	n, err := io.ReadFull(s, got)
	if string(got[:n]) != want {
		s.t.Fatalf("heard %q (%v), want %q", got[:n], err, want)
	}
}

// ends reads the end, and nothing before it.
func (s *station) ends() {
	s.t.Helper()
	_ = s.SetReadDeadline(time.Now().Add(patience))
	if b, err := io.ReadAll(s); len(b) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		s.t.Fatalf("heard %q and %v, want the end", b, err)
	}
}

// says sends messages, each closed by its NUL.
func (s *station) says(messages ...string) {
	s.t.Helper()
	for _, m := range messages {
		if _, err := io.WriteString(s, m+"\x00"); err != nil {
			s.t.Fatal(err)
		}
	}
}

func worldstate(team string, n int) string {
	return fmt.Sprintf(`{"type":"worldstate","teamName":%q,"intention":"number %d","robots":[],"balls":[],"obstacles":[],"ageMs":0}`, team, n)
}

// both connects the two teams.
func (f *field) both() (home, away *station) {
	f.t.Helper()
	home = f.dial("127.0.39.1")
	home.hears(command("WELCOME", cambada))
	away = f.dial("127.0.63.1")
	away.hears(command("WELCOME", techUnited))
	return home, away
}

// journals returns the names of what a folder holds, by suffix.
func journals(t testing.TB, dir, suffix string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "2*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// read returns the data of a channel of a log.
func read(t testing.TB, path, channel string) []string {
	t.Helper()
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var all []string
	for m, err := range log.Messages(0, 1<<62, channel) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(m.Data))
	}
	return all
}

// eventually waits for what other goroutines bring about.
func eventually(t testing.TB, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !true(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// A small game over TCP: both teams hear every byte in its order, what they say is in the journal, and at the end there
// are the zip and a log that everybody may have.
func TestGameOnSockets(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	home, away := f.both()
	for i := range 3 {
		home.says(worldstate("CAMBADA", i))
		away.says(worldstate("TUE", i))
	}
	away.says(`{"type":"event","robotId":2,"event":"kick"}`)
	last := f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"away"}`, `{"command":"END_PART"}`)
	if stop := f.decide(`{"command":"STOP"}`); stop.Disk != 0 {
		t.Errorf("a STOP that changes nothing waits for the disk: %+v", stop)
	}
	if last.Number != 5 || last.Disk <= 0 || last.Disk > *last.Millis {
		t.Errorf("%+v", last)
	}
	for _, s := range []*station{home, away} {
		s.hears(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""), command("GOAL", techUnited), command("HALF_TIME", ""), command("STOP", ""))
	}
	log := journals(t, dir, ".mcap")[0]
	eventually(t, "all that was said is in the journal", func() bool {
		return len(read(t, log, matchlog.Home)) == 3 && len(read(t, log, matchlog.Away)) == 4
	})
	if answer, err := http.Get(f.page.URL + "/api/logs/" + filepath.Base(log) + "/mcap"); err != nil {
		t.Error(err)
	} else if answer.Body.Close(); answer.StatusCode == http.StatusOK {
		t.Error("the log of a running game was given without a token")
	}
	f.decide(`{"command":"RESET","force":true}`)
	home.hears(command("RESET", ""))
	eventually(t, "the log is everybody's", func() bool {
		answer, err := http.Get(f.page.URL + "/api/logs/" + filepath.Base(log) + "/zip")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	eventually(t, "the zip", func() bool { return len(journals(t, dir, ".zip")) == 1 })
	if name := filepath.Base(journals(t, dir, ".zip")[0]); !strings.HasSuffix(name, ".CAMBADA-TUe.zip") {
		t.Errorf("the zip is called %s", name)
	}
	// What is decided next begins another game in another journal.
	f.decide(`{"command":"KICKOFF","side":"away"}`)
	away.hears(command("RESET", ""), command("KICKOFF", techUnited))
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

// A team that connects again takes its own place, others are turned away with a reason on the page, and in all that the
// other team hears nothing.
func TestOnlyTheTeamHears(t *testing.T) {
	cfg := liveConfig(t.TempDir())
	cfg.Box.HomeID, cfg.Box.AwayID = 0, 63
	f := open(t, cfg)
	away := f.dial("127.0.63.1")
	away.hears(command("WELCOME", techUnited))

	// One that waits and goes is noticed, however much it said.
	stranger := f.dial("127.0.74.1")
	var desk RefereeShow
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 1 })
	stranger.says(strings.Repeat("x", 50_000))
	stranger.Close()
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 0 })

	// Nobody expects it: it hears nothing until the referee takes it in. What it says until then is nobody's.
	home := f.dial("127.0.39.1")
	home.says(worldstate("CAMBADA", 0))
	if _, err := io.WriteString(home, "half a mess"); err != nil {
		t.Fatal(err)
	}
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 1 })
	w := desk.Waiting[0]
	if w.ID != 39 || w.Name != "CAMBADA" || len(w.Sides) != 1 || w.Sides[0] != Home {
		t.Fatalf("%+v waits", w)
	}
	if _, trouble := f.post("admit", fmt.Sprintf(`{"conn":%d,"side":"away"}`, w.Conn), f.live.Token()); trouble == "" {
		t.Error("it was given a side that another team has")
	}
	if _, trouble := f.post("admit", fmt.Sprintf(`{"conn":%d,"side":"home"}`, w.Conn), f.live.Token()); trouble != "" {
		t.Fatal(trouble)
	}
	home.hears(command("WELCOME", cambada))
	if _, err := io.WriteString(home, "age\x00"); err != nil {
		t.Fatal(err)
	}
	home.says(worldstate("CAMBADA", 1))

	third := f.dial("127.0.74.1")
	third.ends()
	unknown := f.dial("127.0.0.1")
	unknown.ends()
	f.topic("referee", &desk, func() bool { return len(desk.Refused) == 2 && strings.Contains(desk.Refused[0].Why, "both sides") })

	again := f.dial("127.0.39.1")
	again.hears(command("WELCOME", cambada))
	home.ends()
	again.says(worldstate("CAMBADA", 2))
	f.decide(`{"command":"KICKOFF","side":"home"}`)
	again.hears(command("KICKOFF", cambada))
	away.hears(command("KICKOFF", cambada))
	log := journals(t, f.live.Config.Dir, ".mcap")[0]
	eventually(t, "the journal has what was said since", func() bool { return len(read(t, log, matchlog.Home)) == 2 })
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
		for topic, open := range map[string]bool{"refbox": true, "teams": true, "referee": false, "teams/all": false} {
			if err := f.live.Allowed(topic, token); (err == nil) != open {
				t.Errorf("topic %s with token %q: %v", topic, token, err)
			}
		}
	}
	for _, body := range []string{`[]`, `{"command":"NO"}`, `{"command":"KICKOFF"}`, `{"command":"START"}`, `{"command":"STOP","no":1}`, `{}`} {
		if _, trouble := f.post("decide", body, f.live.Token()); trouble == "" {
			t.Errorf("%s was decided", body)
		}
	}
	for _, body := range []string{`[]`, `{"conn":"1"}`, `{"conn":-1}`, `{"conn":1,"side":"home"}`, `{"conn":1,"x":2}`} {
		if _, trouble := f.post("admit", body, f.live.Token()); trouble == "" {
			t.Errorf("%s was admitted", body)
		}
	}
	// The next start has the same token, and nobody else may read it.
	dir, token := f.live.Config.Dir, f.live.Token()
	if info, err := os.Stat(filepath.Join(dir, "token")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	f.stop()
	if again := open(t, liveConfig(dir)); again.live.Token() != token || len(token) < 20 {
		t.Errorf("tokens %q and %q", token, again.live.Token())
	}
}

// A box that was cut off goes on where it was: the same game and score, the clock by the time that has passed, the same
// teams without a click, and a decision that nobody is known to have been sent is named.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	if f.live.Resumed() != "" {
		t.Errorf("goes on with %q", f.live.Resumed())
	}
	home, _ := f.both()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"YELLOW_CARD","side":"away","robot":4}`, `{"command":"GOAL","side":"home"}`)
	if _, err := NewLive(liveConfig(dir), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	second, err := NewLive(liveConfig(dir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "another referee box writes to") {
		t.Errorf("a second box in one folder: %v", err)
	}
	var before, after Show
	f.topic("refbox", &before, func() bool { return before.Home.Goals == 1 })
	f.stop()
	// The journal ends within a record, as after a loss of power.
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
		t.Errorf("goes on with %q", got)
	}
	f.topic("refbox", &after, func() bool { return after.Total > 0 })
	if after.Game != before.Game || after.Part != FirstHalf || after.Home.Goals != 1 || after.Total < before.Total || after.Effective != before.Effective || after.Run == before.Run {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	home.hears(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""), command("GOAL", cambada))
	home.ends()
	home, away := f.both()
	home.says(worldstate("CAMBADA", 1))
	f.decide(`{"command":"KICKOFF","side":"away"}`, `{"command":"START"}`)
	for _, s := range []*station{home, away} {
		s.hears(command("KICKOFF", techUnited), command("YELLOW_CARD", techUnited), command("START", ""))
	}
	if n := len(journals(t, dir, ".mcap")); n != 1 {
		t.Errorf("%d journals", n)
	}
	f.stop()

	// --new finishes the old game and begins one.
	cfg.New = true
	f = open(t, cfg)
	if f.live.Resumed() != "" || len(journals(t, dir, ".mcap")) != 2 || len(journals(t, dir, ".zip")) != 1 {
		t.Errorf("goes on with %q; %v", f.live.Resumed(), journals(t, dir, ""))
	}
	// Nothing happened in it: it is gone, and the next start begins anew.
	f.stop()
	if n := len(journals(t, dir, ".mcap")); n != 1 {
		t.Errorf("%d journals", n)
	}
	cfg.New = false
	f = open(t, cfg)
	if f.live.Resumed() != "" {
		t.Errorf("goes on with %q", f.live.Resumed())
	}
}

// A team that never reads delays nobody and is closed; a repeated STOP reaches the other one.
func TestWhoDoesNotRead(t *testing.T) {
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
			t.Fatal("it is never closed")
		}
		_, err := f.live.Decide(t.Context(), Decision{Command: IsAlive, Side: Away, Robot: 1 + i%99})
		if err != nil {
			t.Fatal(err)
		}
		var s Show
		if i%1000 == 999 {
			f.topic("refbox", &s, func() bool { return s.Run != "" })
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

// A team's flood is slowed down, and nothing of it is lost; decisions pass, and so does the other team's data.
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
		away.says(worldstate("TUE", i))
		f.decide(`{"command":"STOP"}`)
		away.hears(command("STOP", ""))
	}
	if err := <-flood; err != nil {
		t.Fatal(err)
	}
	log := journals(t, f.live.Config.Dir, ".mcap")[0]
	var got []string
	eventually(t, "all of the flood is in the journal", func() bool {
		got = read(t, log, matchlog.Home)
		return len(got) >= messages
	})
	for i, m := range got {
		if m != fmt.Sprintf(`{"n":%d}`, i) {
			t.Fatalf("message %d is %q", i, m)
		}
	}
	if n := len(read(t, log, matchlog.Away)); n != 20 {
		t.Errorf("%d worldstates of the other team", n)
	}
}

// A journal whose last moment is still to come, as after the machine's clock was set back: the game's clock does not fall
// back, and the referee is told of both that and the decision that nobody is known to have been sent.
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
		for _, m := range []matchlog.Message{{Channel: matchlog.Decisions, Data: []byte(d)}, {Channel: matchlog.Notes, Data: fmt.Appendf(nil, "decision %d went out 1.0 ms after it was asked for", min(i+1, 2))}} {
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
	var show Show
	f.topic("refbox", &show, func() bool { return show.Part == FirstHalf })
	text := strings.Join(show.Trouble, "\n")
	if !strings.Contains(text, "behind the journal") || !strings.Contains(text, "decided just before the restart: STOP.") {
		t.Errorf("the referee is told %q", text)
	}
	if show.Total < 10 || show.Total > 30 || show.Effective != 10 || show.Length != 600 || show.Time < float64(last)/1e6 {
		t.Errorf("%+v", show)
	}
	f.decide(`{"command":"FREEKICK","side":"home"}`)
	f.topic("refbox", &show, func() bool { return !strings.Contains(strings.Join(show.Trouble, ""), "restart") })
}
