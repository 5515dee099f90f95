package refboxnet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"touchline/internal/control"
	"touchline/internal/monitor"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
)

// patience limits how long a test waits.
const patience = 20 * time.Second

// field is a referee box on real sockets with its page.
type field struct {
	t    testing.TB
	live *refboxnet.Server
	page *httptest.Server
	stop func() // ends it within the game, and waits for its end
}

// liveConfig returns a box for CAMBADA against Tech United in a folder, on available ports.
func liveConfig(dir string) refboxnet.Config {
	cfg := refboxnet.DefaultConfig()
	cfg.Dir, cfg.Listen, cfg.ScoreClients = dir, "127.0.0.1:0", nil
	cfg.Box.HomeID, cfg.Box.AwayID = 39, 63
	return cfg
}

// pageOf returns the page of a referee box and the function that publishes its topics, as the command ties them.
func pageOf(live *refboxnet.Server) (page *monitor.Server, publish func(context.Context) error) {
	cfg := monitor.DefaultConfig()
	cfg.Guard, cfg.Private = monitor.NewGuard(live.Token(), nil), refboxnet.Private
	cfg.Commands = live.Commands().Around(func(r control.Request, do func() (any, error)) (any, error) {
		if !r.Authorised {
			return nil, monitor.Forbidden("only the referee may do this")
		}
		return do()
	})
	cfg.Handlers = live.Handlers(cfg.Guard.Authorised)
	page = monitor.New(cfg)
	return page, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		for topic, period := range refboxnet.Topics() {
			group.Go(func() error { return page.Every(ctx, topic, period, live.Snapshot) })
		}
		return group.Wait()
	}
}

// open starts a referee box.
func open(t testing.TB, cfg refboxnet.Config) *field {
	t.Helper()
	live, err := refboxnet.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := live.Open(ctx); err != nil {
		cancel()
		t.Fatal(err)
	}
	page, publish := pageOf(live)
	f := &field{t: t, live: live, page: httptest.NewServer(page)}
	done := make(chan error, 1)
	go func() {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return publish(ctx) })
		group.Go(func() error { return live.Run(ctx) })
		done <- group.Wait()
	}()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		page.Close()
		f.page.Close()
	})
	t.Cleanup(f.stop)
	return f
}

// post sends a command as a page does; trouble is the text of its error, "" without one.
func (f *field) post(name, body, token string) (refbox.Decided, string) {
	f.t.Helper()
	return post(f.t, f.page.URL, name, body, token)
}

func post(t testing.TB, url, name, body, token string) (refbox.Decided, string) {
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
		refbox.Decided
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

// decide sends decisions that must be accepted.
func (f *field) decide(decisions ...string) refbox.Decided {
	f.t.Helper()
	var last refbox.Decided
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

// topic reads a topic of the page until want holds.
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

// station is the socket of a base station.
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

// command returns a command as sent.
func command(word, team string) string {
	return fmt.Sprintf("{\n  \"command\": %q,\n  \"targetTeam\": %q\n}\x00", word, team)
}

// The groups of the teams in a game of liveConfig.
const cambada, techUnited = "224.16.32.39", "224.16.32.63"

// receives reads exactly these bytes.
func (s *station) receives(commands ...string) {
	s.t.Helper()
	want := strings.Join(commands, "")
	got := make([]byte, len(want))
	_ = s.SetReadDeadline(time.Now().Add(patience))
	n, err := io.ReadFull(s, got)
	if string(got[:n]) != want {
		s.t.Fatalf("received %q (%v), want %q", got[:n], err, want)
	}
}

// ends reads the end of the connection, and nothing before it.
func (s *station) ends() {
	s.t.Helper()
	_ = s.SetReadDeadline(time.Now().Add(patience))
	if b, err := io.ReadAll(s); len(b) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		s.t.Fatalf("received %q and %v, want the end", b, err)
	}
}

// sends sends messages, each with its NUL.
func (s *station) sends(messages ...string) {
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
	home.receives(command("WELCOME", cambada))
	away = f.dial("127.0.63.1")
	away.receives(command("WELCOME", techUnited))
	return home, away
}

// journals returns the files of a folder with a suffix.
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
