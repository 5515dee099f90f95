package monitor

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

	"touchline/wire/wiretest"
)

func TestStream(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	if err := s.Publish("wall", func() {}); err != nil {
		t.Errorf("Publish without subscribers encoded the value: %v", err)
	}
	p := dial(t, h)
	p.subscribe(t, "wall", "packets/a", "wall")
	wiretest.Eventually(t, "the subscription", func() bool { return s.wanted("wall") })
	if got := s.topics(); !slices.Equal(got, []string{"packets/a", "wall"}) || s.wanted("network") {
		t.Errorf("topics are %q", got)
	}
	for _, topic := range []string{"network", "wall"} {
		if err := s.Publish(topic, map[string]int{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if topic, value := p.next(t); topic != "wall" || value != `{"n":1}` {
		t.Errorf("got %s %s, want wall {\"n\":1}", topic, value)
	}
	if err := s.Publish("wall", math.NaN()); err == nil || !strings.HasPrefix(err.Error(), "monitor: topic wall: ") {
		t.Errorf("Publish of NaN: got error %v", err)
	}
	p.subscribe(t, "network")
	wiretest.Eventually(t, "the second subscription", func() bool { return s.wanted("network") && !s.wanted("wall") })
	p.subscribe(t)
	wiretest.Eventually(t, "no subscription", func() bool { return len(s.topics()) == 0 })
	p.CloseNow()
}

// TestEvery: a topic is published once a period, only while a page watches it; topics of a prefix keep their names.
func TestEvery(t *testing.T) {
	s, h := serve(t, DefaultConfig())
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
		t.Errorf("got %s %s, want packets/a", topic, value)
	}
	if asked.Load() != 0 {
		t.Error("a snapshot of an unwatched topic was taken")
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
		t.Errorf("Every of NaN: got error %v", bad)
	}
}

// TestEveryEqual: a value that stays as it is reaches a page again after half a second, and a new one at once.
func TestEveryEqual(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	var value, asked atomic.Int64
	group.Go(func() error {
		return s.Every(ctx, "drive", time.Millisecond, func(string) any {
			asked.Add(1)
			return value.Load()
		})
	})
	p := dial(t, h)
	start := time.Now()
	p.subscribe(t, "drive")
	for range 2 {
		if _, got := p.next(t); got != "0" {
			t.Errorf("got %s, want 0", got)
		}
	}
	if passed := time.Since(start); passed < time.Second/2 {
		t.Errorf("an equal value came again within %v, when it was asked for %d times", passed, asked.Load())
	}
	value.Store(1)
	for _, got := p.next(t); got != "1"; _, got = p.next(t) {
	}
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestRefresh publishes a topic long before its period ends.
func TestRefresh(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	group.Go(func() error {
		return s.Every(ctx, "refbox", time.Hour, func(string) any { return "decided" })
	})
	p := dial(t, h)
	p.subscribe(t, "refbox")
	wiretest.Eventually(t, "the subscription", func() bool { return s.wanted("refbox") })
	s.Refresh("refbox")
	s.Refresh("nobody watches this")
	if topic, value := p.next(t); topic != "refbox" || value != `"decided"` {
		t.Errorf("got %s %s, want refbox", topic, value)
	}
	cancel()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSubscriptionBounds: subscriptions beyond the bounds are closed with a reason.
func TestSubscriptionBounds(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	many := make([]string, 16)
	for i := range many {
		many[i] = strconv.Itoa(i) + strings.Repeat("t", 250)
	}
	p := dial(t, h)
	p.subscribe(t, many...)
	wiretest.Eventually(t, "16 topics", func() bool { return len(s.topics()) == 16 })
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
			t.Error("a message of a megabyte was accepted")
		}
	}
	binary := dial(t, h)
	if err := binary.Write(binary.ctx, websocket.MessageBinary, []byte(`{"subscribe":["wall"]}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := binary.Read(binary.ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("a binary message: %v", err)
	}
	wiretest.Eventually(t, "no subscriptions", func() bool { return len(s.topics()) == 0 })
}

func TestForeignPages(t *testing.T) {
	_, h := serve(t, DefaultConfig())
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
		t.Fatalf("the page's own origin is refused: %v", err)
	}
	conn.CloseNow()
}

// TestSlowPage: Publish does not wait for a page that never reads; that page is closed, and the others get the newest
// value.
func TestSlowPage(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	// The small buffer is below the WebSocket library, which would otherwise read ahead.
	raw, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	slow, _, err := websocket.Dial(t.Context(), h.URL+"/api/stream", &websocket.DialOptions{HTTPClient: &http.Client{
		Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return raw, nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.CloseNow()
	page{slow, t.Context()}.subscribe(t, "wall", "slow")
	fast := dial(t, h)
	fast.SetReadLimit(2 << 20)
	fast.subscribe(t, "wall", "fast")
	wiretest.Eventually(t, "both subscriptions", func() bool { return slices.Equal(s.topics(), []string{"fast", "slow", "wall"}) })

	big := strings.Repeat("x", 1<<20)
	newest := make(chan error, 1)
	go func() { // reads until the last value; it may miss values in between
		for {
			_, msg, err := fast.Read(fast.ctx)
			if err != nil || strings.Contains(string(msg), `"last"`) {
				newest <- err
				return
			}
		}
	}()
	wiretest.Eventually(t, "the end of the slow page", func() bool {
		if err := s.Publish("wall", big); err != nil {
			t.Error(err)
		}
		return !s.wanted("slow")
	})
	if err := s.Publish("wall", "last"); err != nil {
		t.Fatal(err)
	}
	if err := <-newest; err != nil {
		t.Errorf("the fast page: %v", err)
	}
}

// TestHundredPages: all pages get the newest value; a page above MaxClients is refused with a reason.
func TestHundredPages(t *testing.T) {
	cfg := DefaultConfig()
	if cfg.MaxClients != 200 {
		t.Errorf("got MaxClients %d, want 200", cfg.MaxClients)
	}
	cfg.MaxClients = 100
	s, h := serve(t, cfg)
	pages := make([]page, 100)
	for i := range pages {
		pages[i] = dial(t, h)
		pages[i].subscribe(t, "wall", strconv.Itoa(i))
	}
	wiretest.Eventually(t, "100 subscriptions", func() bool { return len(s.topics()) == 101 })
	for frame := range 30 {
		if err := s.Publish("wall", frame); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range pages {
		for {
			topic, value := p.next(t)
			if topic != "wall" {
				t.Fatalf("page %d got topic %s", i, topic)
			}
			if value == "29" {
				break
			}
		}
	}
	more := dial(t, h)
	_, _, err := more.Read(more.ctx)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusTryAgainLater || closed.Reason != "100 pages are already open; close one of them" {
		t.Errorf("page 101: %v", err)
	}
	pages[0].CloseNow()
	wiretest.Eventually(t, "the end of one page", func() bool { return len(s.topics()) == 100 })
	again := dial(t, h)
	again.subscribe(t, "again")
	wiretest.Eventually(t, "the next page", func() bool { return s.wanted("again") })
}

// TestClose: Close ends the streams and refuses new ones.
func TestClose(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	p := dial(t, h)
	p.subscribe(t, "wall")
	wiretest.Eventually(t, "the subscription", func() bool { return s.wanted("wall") })
	s.Close()
	if _, _, err := p.Read(p.ctx); err == nil {
		t.Error("the stream is still open")
	}
	if s.wanted("wall") {
		t.Error("a subscription is left")
	}
	late := dial(t, h)
	if _, _, err := late.Read(late.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("a page after Close: %v", err)
	}
	s.Close() // a second time has no effect

	next, again := serve(t, DefaultConfig())
	q := dial(t, again)
	q.subscribe(t, "wall")
	wiretest.Eventually(t, "the new subscription", func() bool { return next.wanted("wall") })
	if err := next.Publish("wall", true); err != nil {
		t.Fatal(err)
	}
	if _, value := q.next(t); value != "true" {
		t.Errorf("got %s, want true", value)
	}
}

// TestPrivate: a private topic needs the token; without it the stream is closed with a reason.
func TestPrivate(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Guard, cfg.Private = NewGuard("s3cret", nil), func(topic string) bool { return topic == "referee" }
	s, h := serve(t, cfg)
	p := dial(t, h)
	write := func(sent string) {
		if err := p.Write(p.ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"subscribe":["referee","refbox"],"token":"s3cret"}`)
	wiretest.Eventually(t, "the subscription", func() bool { return s.wanted("referee") && s.wanted("refbox") })
	write(`{"subscribe":["referee"],"token":"guess"}`)
	_, _, err := p.Read(p.ctx)
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "this page needs the token") {
		t.Errorf("got %v, want a close with the reason", err)
	}
	wiretest.Eventually(t, "no subscriptions", func() bool { return len(s.topics()) == 0 })
}

// TestTokenAboveMaxClients: a page with the token replaces the oldest page without it when the server is full.
func TestTokenAboveMaxClients(t *testing.T) {
	cfg := DefaultConfig()
	cfg.MaxClients = 3
	cfg.Guard, cfg.Private = NewGuard("s3cret", nil), func(topic string) bool { return topic == "referee" }
	s, h := serve(t, cfg)
	others := []string{"0", "1", "2"}
	for _, topic := range others {
		dial(t, h).subscribe(t, topic)
		wiretest.Eventually(t, "a page without the token", func() bool { return s.wanted(topic) })
	}
	for name, sent := range map[string]string{
		"no token": `{"subscribe":["refbox"]}`, "any token": `{"subscribe":["refbox"],"token":"guess"}`,
	} {
		p := dial(t, h)
		if err := p.Write(p.ctx, websocket.MessageText, []byte(sent)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Read(p.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), "3 pages are already open") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := dial(t, h)
	if err := p.Write(p.ctx, websocket.MessageText, []byte(`{"subscribe":["referee"],"token":"s3cret"}`)); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the page with the token in place of the oldest", func() bool { return slices.Equal(s.topics(), []string{"1", "2", "referee"}) })
}

// TestPagesOfOneAddress: an address of another machine has at most 20 streams.
func TestPagesOfOneAddress(t *testing.T) {
	s := New(DefaultConfig())
	defer s.Close()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "192.0.2.7:" + strconv.Itoa(1000+len(s.topics()))
		s.ServeHTTP(w, r)
	}))
	defer h.Close()
	for i := range 20 {
		dial(t, h).subscribe(t, strconv.Itoa(i))
		wiretest.Eventually(t, "a page", func() bool { return s.wanted(strconv.Itoa(i)) })
	}
	more := dial(t, h)
	if _, _, err := more.Read(more.ctx); websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), "192.0.2.7") {
		t.Errorf("page 21: %v", err)
	}
}

// TestSilentStream: a stream without a subscription is closed.
func TestSilentStream(t *testing.T) {
	t.Parallel() // it waits five seconds
	_, h := serve(t, DefaultConfig())
	p := dial(t, h)
	if _, _, err := p.Read(p.ctx); err == nil || p.ctx.Err() != nil {
		t.Errorf("got %v, %v, want the end of the stream", err, p.ctx.Err())
	}
}

// TestRates: a page gets each value, or as many a second as it wants on average; one of many pages gets 20. The newest
// value always comes.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		name       string
		most       string
		pages      int
		first      int // values of the first second, one each 30 ms
		afterwards int // of each further second
	}{
		{"one page", `{}`, 1, 34, 33},
		{"five a second", `{"wall":5}`, 1, 5, 5},
		{"one in two seconds", `{"wall":0.5}`, 1, 1, 0},
		{"a class", `{}`, 30, 20, 20},
		{"one of a class wants less", `{"wall":5}`, 30, 5, 5},
		{"one of a class wants more", `{"wall":100}`, 30, 20, 20},
	} {
		s := New(DefaultConfig())
		for range c.pages {
			s.clients[&client{}] = struct{}{}
		}
		wish, err := parseSubscription(websocket.MessageText, []byte(`{"subscribe":["wall"],"most":`+c.most+`}`))
		if err != nil {
			t.Fatal(err)
		}
		p := &client{latest: map[string][]byte{}, queued: map[string]queued{}, due: map[string]time.Time{}}
		if err := s.subscribe(p, wish, false); err != nil {
			t.Fatal(err)
		}
		start, got := time.Unix(0, 0), [2]int{}
		for i := range 67 {
			now := start.Add(time.Duration(i) * 30 * time.Millisecond)
			p.latest["wall"] = []byte("value")
			msgs, wait := s.take(p, now)
			if len(msgs) == 0 && wait <= 0 {
				t.Errorf("%s: a value waits without an end", c.name)
			}
			got[min(i/34, 1)] += len(msgs)
		}
		if got != [2]int{c.first, c.afterwards} {
			t.Errorf("%s: %d values in the first second and %d in the next, want %d and %d", c.name, got[0], got[1], c.first,
				c.afterwards)
		}
		if s.take(p, start.Add(time.Minute)); len(p.latest) != 0 {
			t.Errorf("%s: the newest value did not come", c.name)
		}
	}
}

// TestSubscriptionRates: rates that no clock keeps are refused.
func TestSubscriptionRates(t *testing.T) {
	for _, most := range []string{`{"wall":0}`, `{"wall":-1}`, `{"wall":1e9}`, `{"wall":0.001}`, `{"wall":"5"}`} {
		_, err := parseSubscription(websocket.MessageText, []byte(`{"subscribe":["wall"],"most":`+most+`}`))
		if err == nil {
			t.Errorf("%s was accepted", most)
		}
	}
}

// TestStreamIsCompressed: repeated values take a fraction of their length.
func TestStreamIsCompressed(t *testing.T) {
	s, h := serve(t, DefaultConfig())
	var read atomic.Int64
	dialer := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &countingConn{c, &read}, err
	}}}
	conn, _, err := websocket.Dial(t.Context(), h.URL+"/api/stream", &websocket.DialOptions{
		HTTPClient: dialer, CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"subscribe":["wall"]}`)); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the subscription", func() bool { return s.wanted("wall") })
	value, sent := strings.Repeat("a robot at 1.234 5.678, ", 200), 0
	for i := range 10 {
		if err := s.Publish("wall", []any{i, value}); err != nil {
			t.Fatal(err)
		}
		_, msg, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(msg), value) {
			t.Fatalf("got %d bytes, %v", len(msg), err)
		}
		sent += len(msg)
	}
	if read.Load() > int64(sent)/10 {
		t.Errorf("%d bytes of values took %d bytes", sent, read.Load())
	}
}

type countingConn struct {
	net.Conn
	n *atomic.Int64
}

func (c *countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}
