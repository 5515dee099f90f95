package monitor_test

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"touchline/monitor"
)

func TestStream(t *testing.T) {
	s, h := serve(t, monitor.DefaultConfig())
	if err := s.Publish("wall", func() {}); err != nil {
		t.Errorf("a value that nobody wants was encoded: %v", err)
	}
	p := dial(t, h)
	p.subscribe(t, "wall", "packets/a", "wall")
	until(t, "the subscription", func() bool { return s.Wanted("wall") })
	if got := s.Topics(); !slices.Equal(got, []string{"packets/a", "wall"}) || s.Wanted("network") {
		t.Errorf("topics are %q", got)
	}
	for _, topic := range []string{"network", "wall"} {
		if err := s.Publish(topic, map[string]int{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if topic, value := p.next(t); topic != "wall" || value != `{"n":1}` {
		t.Errorf("%s %s came", topic, value)
	}
	if err := s.Publish("wall", math.NaN()); err == nil || !strings.HasPrefix(err.Error(), "monitor: topic wall: ") {
		t.Errorf("NaN has no JSON, but Publish says %v", err)
	}
	p.subscribe(t, "network")
	until(t, "the other subscription", func() bool { return s.Wanted("network") && !s.Wanted("wall") })
	p.subscribe(t)
	until(t, "no subscription", func() bool { return len(s.Topics()) == 0 })
	p.CloseNow()
}

// TestEvery publishes a topic once a period, only while a page watches it, and each topic of a prefix by its name.
func TestEvery(t *testing.T) {
	s, h := serve(t, monitor.DefaultConfig())
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	var asked atomic.Int64
	group.Go(func() error {
		return s.Every(ctx, "wall", time.Millisecond, func(string) any { return asked.Add(1) })
	})
	group.Go(func() error {
		return s.Every(ctx, "packets/", time.Millisecond, func(topic string) any {
			if topic == "packets/none" {
				return nil
			}
			return topic
		})
	})
	p := dial(t, h)
	p.subscribe(t, "packets/a", "packets/none")
	if topic, value := p.next(t); topic != "packets/a" || value != `"packets/a"` {
		t.Errorf("%s %s came", topic, value)
	}
	if asked.Load() != 0 {
		t.Error("a snapshot was taken that no page watches")
	}
	p.subscribe(t, "wall")
	for topic, _ := p.next(t); topic != "wall"; topic, _ = p.next(t) {
	}
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	bad := s.Every(t.Context(), "wall", time.Millisecond, func(string) any { return math.NaN() })
	if bad == nil || !strings.Contains(bad.Error(), "monitor: topic wall: ") {
		t.Errorf("NaN has no JSON, but Every says %v", bad)
	}
}

// TestSubscriptionBounds: whoever asks for too much is told why and closed.
func TestSubscriptionBounds(t *testing.T) {
	s, h := serve(t, monitor.DefaultConfig())
	many := make([]string, 16)
	for i := range many {
		many[i] = strconv.Itoa(i) + strings.Repeat("t", 250)
	}
	p := dial(t, h)
	p.subscribe(t, many...)
	until(t, "16 topics", func() bool { return len(s.Topics()) == 16 })
	p.CloseNow()
	for name, sent := range map[string]string{
		"17 topics":   `{"subscribe":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]}`,
		"long topic":  `{"subscribe":["` + strings.Repeat("x", 257) + `"]}`,
		"not JSON":    `wall`,
		"other words": `{"publish":["wall"]}`,
		"no list":     `{"subscribe":"wall"}`,
	} {
		p := dial(t, h)
		if err := p.Write(p.ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
		_, _, err := p.Read(p.ctx)
		var closed websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.StatusPolicyViolation || closed.Reason == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge := dial(t, h)
	if err := huge.Write(huge.ctx, websocket.MessageText, []byte(strings.Repeat(" ", 1<<20))); err == nil {
		if _, _, err = huge.Read(huge.ctx); err == nil {
			t.Error("a message of a megabyte was taken")
		}
	}
	binary := dial(t, h)
	if err := binary.Write(binary.ctx, websocket.MessageBinary, []byte(`{"subscribe":["wall"]}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := binary.Read(binary.ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("a binary message: %v", err)
	}
	until(t, "nobody is left", func() bool { return len(s.Topics()) == 0 })
}

func TestForeignPages(t *testing.T) {
	_, h := serve(t, monitor.DefaultConfig())
	own := strings.TrimPrefix(h.URL, "http://")
	for _, header := range []http.Header{
		{"Origin": {"http://evil.example"}}, {"Origin": {"null"}}, {"Origin": {"http://" + own + ".evil.example"}},
		{"Origin": {"http://127.0.0.1:1"}}, {"Origin": {"http://localhost"}}, {"Host": {"evil.example"}, "Origin": {"http://evil.example"}},
	} {
		_, resp, err := websocket.Dial(t.Context(), h.URL+"/api/stream", &websocket.DialOptions{HTTPHeader: header, Host: header.Get("Host")})
		if err == nil || resp == nil || resp.StatusCode != 403 {
			t.Errorf("%v: %v %v", header, resp, err)
		}
	}
	conn, _, err := websocket.Dial(t.Context(), h.URL+"/api/stream", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://" + own}}})
	if err != nil {
		t.Fatalf("the page itself is refused: %v", err)
	}
	conn.CloseNow()
}

// TestDeafPage has a page that subscribes and never reads: Publish never waits for it, the others get what is new, and
// it is dropped.
func TestDeafPage(t *testing.T) {
	s, h := serve(t, monitor.DefaultConfig())
	// A page with a socket that keeps little, below the WebSocket library, so that nobody reads for it.
	raw, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	deaf, _, err := websocket.Dial(t.Context(), h.URL+"/api/stream", &websocket.DialOptions{HTTPClient: &http.Client{
		Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return raw, nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.CloseNow()
	page{deaf, t.Context()}.subscribe(t, "wall", "deaf")
	hears := dial(t, h)
	hears.SetReadLimit(2 << 20)
	hears.subscribe(t, "wall", "hears")
	until(t, "both subscriptions", func() bool { return slices.Equal(s.Topics(), []string{"deaf", "hears", "wall"}) })

	big := strings.Repeat("x", 1<<20)
	newest := make(chan error, 1)
	go func() { // reads all the while; what it missed was overtaken
		for {
			_, msg, err := hears.Read(hears.ctx)
			if err != nil || strings.Contains(string(msg), `"last"`) {
				newest <- err
				return
			}
		}
	}()
	until(t, "the deaf page is dropped", func() bool {
		if err := s.Publish("wall", big); err != nil {
			t.Error(err)
		}
		return !s.Wanted("deaf")
	})
	if err := s.Publish("wall", "last"); err != nil {
		t.Fatal(err)
	}
	if err := <-newest; err != nil {
		t.Errorf("the page that reads: %v", err)
	}
}

// TestHundredPages: each of them gets the newest frame; one more than allowed is told so.
func TestHundredPages(t *testing.T) {
	cfg := monitor.DefaultConfig()
	if cfg.MaxClients != 200 {
		t.Errorf("%d pages may be open, want 200", cfg.MaxClients)
	}
	cfg.MaxClients = 100
	s, h := serve(t, cfg)
	pages := make([]page, 100)
	for i := range pages {
		pages[i] = dial(t, h)
		pages[i].subscribe(t, "wall", strconv.Itoa(i))
	}
	until(t, "100 subscriptions", func() bool { return len(s.Topics()) == 101 })
	for frame := range 30 {
		if err := s.Publish("wall", frame); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range pages {
		for {
			topic, value := p.next(t)
			if topic != "wall" {
				t.Fatalf("page %d gets %s", i, topic)
			}
			if value == "29" {
				break
			}
		}
	}
	more := dial(t, h)
	_, _, err := more.Read(more.ctx)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusTryAgainLater || closed.Reason != "100 pages are open already; close one of them" {
		t.Errorf("page 101: %v", err)
	}
	pages[0].CloseNow()
	until(t, "one has gone", func() bool { return len(s.Topics()) == 100 })
	again := dial(t, h)
	again.subscribe(t, "again")
	until(t, "another has come", func() bool { return s.Wanted("again") })
}

// TestClose ends the streams; a page that connects again finds the server that follows.
func TestClose(t *testing.T) {
	s, h := serve(t, monitor.DefaultConfig())
	p := dial(t, h)
	p.subscribe(t, "wall")
	until(t, "the subscription", func() bool { return s.Wanted("wall") })
	s.Close()
	if _, _, err := p.Read(p.ctx); err == nil {
		t.Error("the stream goes on")
	}
	if s.Wanted("wall") {
		t.Error("somebody is still there")
	}
	late := dial(t, h)
	if _, _, err := late.Read(late.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("a page that comes after the end: %v", err)
	}
	s.Close() // twice does no harm

	next, again := serve(t, monitor.DefaultConfig())
	q := dial(t, again)
	q.subscribe(t, "wall")
	until(t, "the new subscription", func() bool { return next.Wanted("wall") })
	if err := next.Publish("wall", true); err != nil {
		t.Fatal(err)
	}
	if _, value := q.next(t); value != "true" {
		t.Errorf("%s came", value)
	}
}

// TestPrivate subscribes to a private topic: with the token it is sent, without it the stream is closed with the reason.
func TestPrivate(t *testing.T) {
	cfg := monitor.DefaultConfig()
	cfg.Token, cfg.Private = "s3cret", func(topic string) bool { return topic == "referee" }
	s, h := serve(t, cfg)
	p := dial(t, h)
	write := func(sent string) {
		if err := p.Write(p.ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"subscribe":["referee","refbox"],"token":"s3cret"}`)
	until(t, "the subscription", func() bool { return s.Wanted("referee") && s.Wanted("refbox") })
	write(`{"subscribe":["referee"],"token":"guess"}`)
	_, _, err := p.Read(p.ctx)
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "this page needs the token") {
		t.Errorf("it ended with %v", err)
	}
	until(t, "nobody listening", func() bool { return len(s.Topics()) == 0 })
}

// TestStrangersMakeRoom: whoever fills the server with pages keeps nobody out who has the token.
func TestStrangersMakeRoom(t *testing.T) {
	cfg := monitor.DefaultConfig()
	cfg.MaxClients = 3
	cfg.Token, cfg.Private = "s3cret", func(topic string) bool { return topic == "referee" }
	s, h := serve(t, cfg)
	strangers := []string{"0", "1", "2"}
	for _, topic := range strangers {
		dial(t, h).subscribe(t, topic)
		until(t, "a stranger", func() bool { return s.Wanted(topic) })
	}
	for name, sent := range map[string]string{
		"no token": `{"subscribe":["refbox"]}`, "any token": `{"subscribe":["refbox"],"token":"guess"}`,
	} {
		p := dial(t, h)
		if err := p.Write(p.ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Read(p.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), "3 pages are open already") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := dial(t, h)
	if err := p.Write(p.ctx, websocket.MessageText, []byte(`{"subscribe":["referee"],"token":"s3cret"}`)); err != nil {
		t.Fatal(err)
	}
	until(t, "the referee instead of the oldest", func() bool { return slices.Equal(s.Topics(), []string{"1", "2", "referee"}) })
}

// TestPagesOfOneAddress: no address beyond this machine has more than its share.
func TestPagesOfOneAddress(t *testing.T) {
	s := monitor.New(monitor.DefaultConfig())
	defer s.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "192.0.2.7:" + strconv.Itoa(1000+len(s.Topics()))
		s.ServeHTTP(w, r)
	}))
	defer h.Close()
	for i := range 20 {
		dial(t, h).subscribe(t, strconv.Itoa(i))
		until(t, "a page", func() bool { return s.Wanted(strconv.Itoa(i)) })
	}
	more := dial(t, h)
	if _, _, err := more.Read(more.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), "192.0.2.7") {
		t.Errorf("page 21: %v", err)
	}
}

// TestSilentStream: who never says what it wants is closed.
func TestSilentStream(t *testing.T) {
	t.Parallel() // it waits for that
	_, h := serve(t, monitor.DefaultConfig())
	p := dial(t, h)
	if _, _, err := p.Read(p.ctx); err == nil || p.ctx.Err() != nil {
		t.Errorf("it ended with %v, %v", err, p.ctx.Err())
	}
}
