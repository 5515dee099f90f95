package foxglovenet

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/control"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// serve serves clients until the test ends.
func serve(t testing.TB, change func(*Config)) (*Server, string) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Schema = func(channel string) matchlog.Schema {
		if channel == "topic/wall" {
			return matchlog.Schema{Name: "touchline.Wall", Data: []byte(`{"type":"object","properties":{}}`)}
		}
		return matchlog.Schema{}
	}
	if change != nil {
		change(&cfg)
	}
	s := New(cfg)
	h := httptest.NewServer(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		h.Close()
	})
	return s, h.URL
}

// peer is a client of a test.
type peer struct {
	*websocket.Conn
	t testing.TB
}

// dial connects a client, and returns it with the first messages: the server's info and the channels.
func dial(t testing.TB, url string, header http.Header, protocols ...string) (p *peer, info, channels map[string]any) {
	t.Helper()
	if len(protocols) == 0 {
		protocols = []string{olderProtocol, sdkProtocol}
	}
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: protocols, HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { conn.CloseNow() })
	p = &peer{conn, t}
	return p, p.json(), p.json()
}

// json returns the next message, which is JSON.
func (p *peer) json() (v map[string]any) {
	p.t.Helper()
	kind, b, err := p.Read(p.t.Context())
	if err != nil || kind != websocket.MessageText {
		p.t.Fatalf("got %v %x, %v, want JSON", kind, b, err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		p.t.Fatal(err)
	}
	return v
}

// binary returns the next message, which is binary.
func (p *peer) binary() []byte {
	p.t.Helper()
	kind, b, err := p.Read(p.t.Context())
	if err != nil || kind != websocket.MessageBinary {
		p.t.Fatalf("got %v %s, %v, want a binary message", kind, b, err)
	}
	return b
}

func (p *peer) text(format string, args ...any) {
	p.t.Helper()
	if err := p.Write(p.t.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) bytes(b []byte) {
	p.t.Helper()
	if err := p.Write(p.t.Context(), websocket.MessageBinary, b); err != nil {
		p.t.Fatal(err)
	}
}

// wantStatus reads the next message, which is a status about something.
func (p *peer) wantStatus(part string) {
	p.t.Helper()
	if v := p.json(); v["op"] != "status" || !strings.Contains(fmt.Sprint(v["message"]), part) {
		p.t.Errorf("got %v, want a status with %q", v, part)
	}
}

// Of what a client offers the server chooses the newer sub-protocol; without one it answers 400.
func TestSubprotocols(t *testing.T) {
	_, url := serve(t, nil)
	for _, c := range []struct {
		offered []string
		want    string
	}{
		{[]string{sdkProtocol}, sdkProtocol}, {[]string{olderProtocol}, olderProtocol},
		{[]string{olderProtocol, sdkProtocol}, sdkProtocol}, {[]string{sdkProtocol, olderProtocol}, sdkProtocol},
		{[]string{"x", olderProtocol}, olderProtocol}, {nil, ""}, {[]string{"foxglove.sdk.v2"}, ""},
	} {
		conn, answer, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: c.offered})
		if c.want != "" {
			if err != nil || conn.Subprotocol() != c.want {
				t.Errorf("%q: got %v, %v, want %s", c.offered, conn, err, c.want)
			}
			conn.CloseNow()
			continue
		}
		body, _ := io.ReadAll(answer.Body)
		if err == nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), sdkProtocol) {
			t.Errorf("%q: got %v, %d %s", c.offered, err, answer.StatusCode, body)
		}
	}
}

// A page of another origin needs a token: one that a page of this program may know, or that of the program.
func TestOrigins(t *testing.T) {
	s, url := serve(t, func(cfg *Config) {
		cfg.Authorised = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer RIGHT" }
	})
	host := strings.TrimPrefix(url, "http://")
	for _, c := range []struct {
		origin, token     string
		calls, authorised bool
		refused           bool
	}{
		{origin: "", calls: true},
		{origin: "http://" + host, calls: true},
		{origin: "https://app.foxglove.dev"},
		{origin: "http://localhost:8080"}, {origin: "http://[::1]:8080"}, {origin: "https://127.0.0.2"},
		{origin: "https://evil.example", refused: true}, {origin: "null", refused: true}, {origin: "file://", refused: true},
		{origin: "https://app.foxglove.dev.evil.example", refused: true}, {origin: "http://localhost.evil.example", refused: true},
		{origin: "ftp://localhost", refused: true}, {origin: "http://%zz", refused: true},
		{origin: "https://evil.example", token: s.key, calls: true},
		{origin: "https://evil.example", token: "RIGHT", calls: true, authorised: true},
		{origin: "", token: "WRONG", refused: true},
		{origin: "http://" + host, token: "WRONG", refused: true},
	} {
		r := httptest.NewRequest("GET", "/foxglove?token="+c.token, nil)
		r.Host, r.RemoteAddr = host, "127.0.0.1:4000"
		r.Header.Set("Origin", c.origin)
		a, err := s.access(r)
		if (err != nil) != c.refused || a.calls != c.calls || a.authorised != c.authorised {
			t.Errorf("origin %q, token %q: got %+v, %v", c.origin, c.token, a, err)
		}
		r.RemoteAddr = "192.0.2.7:4000"
		if _, err := s.access(r); err == nil && c.token == "" && c.origin != "" && !c.calls {
			t.Errorf("origin %q reads from another machine without a token", c.origin)
		}
	}
}

// A channel becomes known to clients, is subscribed, and its messages arrive as a file has them.
func TestMessages(t *testing.T) {
	s, url := serve(t, func(cfg *Config) {
		cfg.First = func(channel string) (matchlog.Message, bool) {
			return matchlog.Message{Time: 5, Channel: channel, Data: []byte(`{"first":1}`)}, channel == "topic/wall"
		}
	})
	if s.Wants("topic/wall") {
		t.Error("a channel is wanted before a client subscribes")
	}
	p, info, channels := dial(t, url, nil)
	if info["op"] != "serverInfo" || info["name"] != "touchline" || fmt.Sprint(info["capabilities"]) != "[]" || info["sessionId"] == "" {
		t.Errorf("the info is %v", info)
	}
	want := "map[channels:[map[encoding:json id:1 schema:{\"type\":\"object\",\"properties\":{}} schemaEncoding:jsonschema " +
		"schemaName:touchline.Wall topic:topic/wall]] op:advertise]"
	if got := fmt.Sprint(channels); got != want {
		t.Errorf("the channels are\n%s\nwant\n%s", got, want)
	}
	s.Wants(matchlog.Packets)
	if added := fmt.Sprint(p.json()); !strings.Contains(added, "encoding:protobuf id:2") || !strings.Contains(added, "schemaName:touchline.Packet") {
		t.Errorf("the added channel is %s", added)
	}
	p.text(`{"op":"subscribe","subscriptions":[{"id":7,"channelId":1},{"id":8,"channelId":2}]}`)
	// Opcode, subscription, time, payload (Foxglove WebSocket protocol).
	if got := p.binary(); string(got) != "\x01\x07\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"+`{"first":1}` {
		t.Errorf("the first message is %q", got)
	}
	wiretest.Eventually(t, "the subscriptions", func() bool { return slices.Equal(s.Wanted(), []string{matchlog.Packets, "topic/wall"}) })
	s.Put(matchlog.Message{Time: 258, Channel: "topic/wall", Data: []byte("{}")})
	s.Put(matchlog.Message{Time: 259, Channel: matchlog.Packets, Data: []byte("abc")})
	if got := p.binary(); string(got) != "\x01\x07\x00\x00\x00\x02\x01\x00\x00\x00\x00\x00\x00{}" {
		t.Errorf("the message is %q", got)
	}
	// The packet is field 1 of a message of protocol buffers.
	if got := p.binary(); string(got) != "\x01\x08\x00\x00\x00\x03\x01\x00\x00\x00\x00\x00\x00\x0a\x03abc" {
		t.Errorf("the packet is %q", got)
	}
	s.Put(matchlog.Message{Time: 260, Channel: "other", Data: []byte("abc")})
	if added := fmt.Sprint(p.json()); !strings.Contains(added, "topic:other") {
		t.Errorf("a message of a new channel makes it known as %s", added)
	}
	p.text(`{"op":"unsubscribe","subscriptionIds":[7,7]}`)
	p.wantStatus("1 of 2 subscriptions do not exist")
	if s.Wants("topic/wall") || !s.Wants(matchlog.Packets) {
		t.Errorf("%q are wanted", s.Wanted())
	}
	p.CloseNow()
	wiretest.Eventually(t, "no subscription", func() bool { return len(s.Wanted()) == 0 })
}

// Wrong messages are answered with a status, one each, and the connection goes on.
func TestWrongMessages(t *testing.T) {
	s, url := serve(t, nil)
	s.Wants("a")
	p, _, _ := dial(t, url, nil)
	many := make([]subscription, 10_000)
	for i := range many {
		many[i] = subscription{uint32(i), uint32(i + 2)}
	}
	list, _ := json.Marshal(many)
	for _, c := range []struct{ text, part string }{
		{`{`, "no JSON"}, {`[]`, "no JSON"}, {`null`, `operation "" is not known`}, {`{"op":"dance"}`, `"dance"`}, {`{"op":5}`, "no JSON"},
		{`{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}`, "no JSON"},
		{`{"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]}`, "no JSON"},
		{`{"op":"subscribe","subscriptions":[{"id":1,"channelId":0}]}`, "there is no channel 0"},
		{`{"op":"subscribe","subscriptions":[{"id":1,"channelId":1},{"id":1,"channelId":1}]}`, "1 of 2 subscriptions are refused"},
		{`{"op":"subscribe","subscriptions":[{"id":2,"channelId":1}]}`, "a is subscribed already"},
		{`{"op":"subscribe","subscriptions":` + string(list) + `}`, "10000 of 10000 subscriptions are refused"},
		{`{"op":"advertise","channels":[{"id":1,"topic":"x"}]}`, "publish nothing"}, {`{"op":"fetchAsset","uri":"x"}`, "no assets"},
		{`{"op":"getParameters","parameterNames":[]}`, "no parameters"},
		{`{"op":"getParameters","parameterNames":["` + strings.Repeat("x", 300) + `"]}`, "300 bytes"},
		{`{"op":"getParameters","parameterNames":["` + strings.Repeat(`","`, 1100) + `"]}`, "too many"},
		{`{"op":"getParameters","id":"` + strings.Repeat("x", 300) + `"}`, "too long"},
		{`{"op":"subscribeConnectionGraph"}`, "no graph"},
	} {
		p.text("%s", c.text)
		p.wantStatus(c.part)
	}
	for hexed, part := range map[string]string{
		"": "empty", "00": "opcode 0", "07ff": "opcode 7", "ff": "opcode 255", "02": "want 13", "03": "want 19", "01": "publish nothing",
		"0200000000000000000f000000ff":               "the encoding of a service call has 15 bytes, and 1 follow",
		"03020000803f00000000000000000000000000":     "command 2",
		"03000000c07f00000000000000000000000000":     "speed NaN",
		"03000000803f01ffffffffffffffff00000000":     "after the year 2262",
		"03000000803f00000000000000000005000000":     "the request's id has 5 bytes",
		"03000000803f000000000000000000020000006162": "live",
		"03000000803f00000000000000000001000000ff":   "want text",
	} {
		b, err := hex.DecodeString(hexed)
		if err != nil {
			t.Fatal(err)
		}
		p.bytes(b)
		p.wantStatus(part)
	}
	p.bytes([]byte("\x02\x09\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00json{}"))
	if v := p.json(); v["op"] != "serviceCallFailure" || v["callId"] != 1.0 || v["serviceId"] != 9.0 {
		t.Errorf("got %v", v)
	}
	p.bytes(make([]byte, maxMessage+1))
	if _, _, err := p.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("a message that is too long: %v", err)
	}
}

// A client that takes nothing loses its oldest messages, is told so once, and makes nobody wait.
func TestStalledClient(t *testing.T) {
	s, url := serve(t, nil)
	s.Wants("a")
	slow, _, _ := dial(t, url, nil)
	fast, _, _ := dial(t, url, nil)
	for _, p := range []*peer{slow, fast} {
		p.text(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]}`)
	}
	wiretest.Eventually(t, "both subscriptions", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.channels[0].subscribers == 2
	})
	const n, size = 300, 100 << 10 // 30 MB, more than the sockets and the queue hold
	for i := range n {
		s.Put(matchlog.Message{Time: soccer.Time(i), Channel: "a", Data: make([]byte, size)})
		if got := fast.binary(); len(got) != messageHead+size || binary.LittleEndian.Uint64(got[5:]) != uint64(i) {
			t.Fatalf("message %d has %d bytes", i, len(got))
		}
	}
	var times []uint64
	statuses := 0
	for len(times) == 0 || times[len(times)-1] != n-1 {
		kind, b, err := slow.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.MessageText {
			if want := `{"op":"status","level":1,"message":"Send buffer limit reached","id":"send-buffer"}`; string(b) != want {
				t.Errorf("got %s, want %s", b, want)
			}
			statuses++
			continue
		}
		times = append(times, binary.LittleEndian.Uint64(b[5:]))
	}
	if statuses != 1 || len(times) >= n || !slices.IsSorted(times) {
		t.Errorf("the stalled client got %d statuses and %d of %d messages, in order: %t", statuses, len(times), n, slices.IsSorted(times))
	}
	s.mu.Lock()
	for c := range s.clients { // the time passes
		c.mu.Lock()
		c.dropped = c.dropped.Add(-2 * calmAfter)
		c.mu.Unlock()
	}
	s.mu.Unlock()
	s.Put(matchlog.Message{Time: n, Channel: "a", Data: []byte("{}")})
	slow.binary()
	if v := slow.json(); v["op"] != "removeStatus" || fmt.Sprint(v["statusIds"]) != "[send-buffer]" {
		t.Errorf("got %v", v)
	}
}

// A client that sends requests and reads no answers is disconnected.
func TestUnreadAnswers(t *testing.T) {
	c := newClient(addressOf(httptest.NewRequest("GET", "/", nil)), access{}, false)
	for range 10 * maxFrames {
		c.refuse("no")
	}
	if !c.gone || len(c.frames) != maxFrames {
		t.Errorf("%d messages wait", len(c.frames))
	}
}

// Private channels are there for clients with the token alone.
func TestPrivateChannels(t *testing.T) {
	s, url := serve(t, func(cfg *Config) {
		cfg.Private = func(channel string) bool { return channel == "home" }
		cfg.Authorised = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer RIGHT" }
	})
	s.Wants("home")
	other, _, channels := dial(t, url, nil)
	if fmt.Sprint(channels["channels"]) != "[]" {
		t.Errorf("without the token: %v", channels)
	}
	other.text(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]}`)
	other.wantStatus("there is no channel 1")
	if _, _, channels := dial(t, url+"/?token=RIGHT", nil); !strings.Contains(fmt.Sprint(channels), "topic:home") {
		t.Errorf("with the token: %v", channels)
	}
}

// A service is a command of the page: its table decides, and a client that may only read calls none.
func TestServices(t *testing.T) {
	var done atomic.Int64
	_, url := serve(t, func(cfg *Config) {
		cfg.Services = []Service{{"kick", `{"type":"object"}`}, {"count", "{}"}}
		cfg.Authorised = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer RIGHT" }
		cfg.Commands = control.Table{
			"kick": {Do: func(r control.Request) (any, error) {
				if !r.Authorised {
					return nil, errors.New("kick needs the token")
				}
				done.Add(1)
				return nil, nil
			}},
			"count": {Do: func(r control.Request) (any, error) { return map[string]string{"body": string(r.Body)}, nil }},
		}
	})
	call := func(service, encoding, body string) []byte {
		b := append([]byte{2, service[0] - '0', 0, 0, 0, 9, 0, 0, 0, byte(len(encoding)), 0, 0, 0}, encoding...)
		return append(b, body...)
	}
	p, info, _ := dial(t, url, nil)
	services := fmt.Sprint(p.json())
	if fmt.Sprint(info["capabilities"]) != "[services]" || fmt.Sprint(info["supportedEncodings"]) != "[json]" ||
		!strings.Contains(services, "name:/kick") || !strings.Contains(services, "schemaName:touchline.count") {
		t.Errorf("%v\n%s", info, services)
	}
	p.bytes(call("2", "json", ""))
	if got := p.binary(); string(got) != "\x03\x02\x00\x00\x00\x09\x00\x00\x00\x04\x00\x00\x00json"+`{"body":"{}"}` {
		t.Errorf("the answer is %q", got)
	}
	for _, c := range []struct{ service, encoding, body, part string }{
		{"1", "json", `{}`, "needs the token"}, {"2", "ros1", `{}`, `"ros1" is not known`}, {"2", "json", `{`, "not valid JSON"},
		{"3", "json", `{}`, "no service 3"}, {"0", "json", `{}`, "no service 0"},
		{"2", "json", `"` + strings.Repeat("x", maxBody) + `"`, "at most 65536"},
	} {
		p.bytes(call(c.service, c.encoding, c.body))
		if v := p.json(); v["op"] != "serviceCallFailure" || v["callId"] != 9.0 || !strings.Contains(fmt.Sprint(v["message"]), c.part) {
			t.Errorf("got %v, want a failure with %q", v, c.part)
		}
	}
	reader, _, _ := dial(t, url, http.Header{"Origin": {"https://app.foxglove.dev"}})
	reader.json()
	reader.bytes(call("2", "json", `{}`))
	if v := reader.json(); !strings.Contains(fmt.Sprint(v["message"]), "may only read") {
		t.Errorf("got %v", v)
	}
	trusted, _, _ := dial(t, url+"/?token=RIGHT", nil)
	trusted.json()
	trusted.bytes(call("1", "json", `{}`))
	if got := trusted.binary(); !strings.HasSuffix(string(got), "json{}") || done.Load() != 1 {
		t.Errorf("got %q, and %d kicks", got, done.Load())
	}
}

// The messages of playback are those of the SDK's own tests (Foxglove WebSocket protocol).
func TestPlaybackMessages(t *testing.T) {
	asked := make(chan Control, 10)
	s, url := serve(t, func(cfg *Config) {
		cfg.Range = func() (from, to soccer.Time) { return 1e9 + 2, 3e9 + 4 }
		cfg.Control = func(c Control) Playback {
			asked <- c
			return Playback{Status: Playing, Time: 12345, Speed: 1}
		}
	})
	p, info, _ := dial(t, url, nil, sdkProtocol)
	older, _, _ := dial(t, url, nil)
	if fmt.Sprint(info["capabilities"]) != "[time playbackControl]" || fmt.Sprint(info["dataStartTime"]) != "map[nsec:2 sec:1]" ||
		fmt.Sprint(info["dataEndTime"]) != "map[nsec:4 sec:3]" {
		t.Errorf("the info is %v", info)
	}
	p.bytes([]byte("\x03\x00\x00\x00\x80\x3f\x01\x15\xcd\x5b\x07\x00\x00\x00\x00\x07\x00\x00\x00some-id"))
	if got, want := <-asked, (Control{Speed: 1, Seeks: true, Time: 123456789, ID: "some-id"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := p.binary(); string(got) != "\x05\x00\x39\x30\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x07\x00\x00\x00some-id" {
		t.Errorf("the state is %x", got)
	}
	s.Tell(Playback{Status: Playing, Time: 12345, Speed: 1, Sought: true})
	if got := p.binary(); string(got) != "\x05\x00\x39\x30\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x01\x00\x00\x00\x00" {
		t.Errorf("the state is %x", got)
	}
	s.SetTime(12345)
	for _, p := range []*peer{p, older} { // an older client gets the time alone
		if got := p.binary(); string(got) != "\x02\x39\x30\x00\x00\x00\x00\x00\x00" {
			t.Errorf("the time is %x", got)
		}
	}
	older.bytes([]byte("\x03\x01\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00some-id"))
	if got := <-asked; !got.Paused || got.Seeks {
		t.Errorf("got %+v", got)
	}
	older.binary()
	reader, _, _ := dial(t, url, http.Header{"Origin": {"https://app.foxglove.dev"}})
	reader.binary() // the time
	reader.bytes([]byte("\x03\x01\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	reader.wantStatus("may only read")
}

// A browser gets a page with links, and a program text; both with the address that has the key.
func TestExplanation(t *testing.T) {
	s, url := serve(t, nil)
	for accept, want := range map[string]string{
		"text/html,*/*": `<a href="https://app.foxglove.dev/~/view?ds=foxglove-websocket&amp;ds.url=ws%3A%2F%2F`,
		"*/*":           "  https://app.foxglove.dev/~/view?ds=foxglove-websocket&ds.url=ws%3A%2F%2F",
	} {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		address := s.Address(strings.TrimPrefix(url, "http://"))
		if err != nil || !strings.Contains(string(b), want) || !strings.Contains(string(b), address) {
			t.Errorf("%s: got %s, %v, want %s", accept, b, err, want)
		}
	}
}

// A client hears the time of a recording before the messages of that time, and that the recording has ended after the last
// message.
func TestEndFollowsMessages(t *testing.T) {
	s, url := serve(t, func(cfg *Config) {
		cfg.Range = func() (from, to soccer.Time) { return 1, 100 }
		cfg.Control = func(Control) Playback { return Playback{} }
	})
	s.Wants("topic/wall")
	p, _, _ := dial(t, url, nil, sdkProtocol)
	p.text(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]}`)
	wiretest.Eventually(t, "the subscription", func() bool { return s.Wants("topic/wall") })
	const messages = 200
	s.SetTime(messages)
	if got := p.binary(); got[0] != opTime {
		t.Fatalf("got %x, want the time", got)
	}
	for i := range messages {
		s.Put(matchlog.Message{Channel: "topic/wall", Time: soccer.Time(i), Data: []byte("{}")})
	}
	s.Tell(Playback{Status: Ended, Time: messages, Speed: 1})
	for i := range messages {
		if got := p.binary(); got[0] != opMessage {
			t.Fatalf("opcode %d after %d of %d messages", got[0], i, messages)
		}
	}
	if state := p.binary(); state[0] != opPlayback || state[1] != byte(Ended) {
		t.Errorf("got %x, want the end", state)
	}
}

// A client learns the whole graph, and then what changes.
func TestGraph(t *testing.T) {
	var later atomic.Bool
	s, url := serve(t, func(cfg *Config) {
		cfg.Graph = func() Graph {
			if later.Load() {
				return Graph{map[string][]string{"a": {"1", "2"}, "c": {"4"}}, map[string][]string{"c": {"5"}}}
			}
			return Graph{map[string][]string{"a": {"1"}, "b": {"3"}, "c": {"4"}}, map[string][]string{"a": {"2"}, "b": {"1"}}}
		}
	})
	p, _, _ := dial(t, url, nil)
	p.text(`{"op":"subscribeConnectionGraph"}`)
	want := "map[advertisedServices:[] op:connectionGraphUpdate publishedTopics:[map[name:a publisherIds:[1]] map[name:b publisherIds:[3]] " +
		"map[name:c publisherIds:[4]]] removedServices:[] removedTopics:[] subscribedTopics:[map[name:a subscriberIds:[2]] " +
		"map[name:b subscriberIds:[1]]]]"
	if got := fmt.Sprint(p.json()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	later.Store(true)
	s.lookAtGraph(nil)
	want = "map[advertisedServices:[] op:connectionGraphUpdate publishedTopics:[map[name:a publisherIds:[1 2]]] removedServices:[] " +
		"removedTopics:[b] subscribedTopics:[map[name:c subscriberIds:[5]] map[name:a subscriberIds:[]]]]"
	if got := fmt.Sprint(p.json()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.text(`{"op":"unsubscribeConnectionGraph"}`)
	wiretest.Eventually(t, "nobody looks", func() bool { return !s.anyClient(func(c *client) bool { return c.graph }) })
}

// Parameters are read, set, and told when they change.
func TestParameters(t *testing.T) {
	var value atomic.Int64
	s, url := serve(t, func(cfg *Config) {
		cfg.Parameters = func(bool) []Parameter {
			return []Parameter{{"speed", float32(0.1), "float64"}, {"count", value.Load(), ""}}
		}
		cfg.SetParameters = func(client string, authorised bool, values []Parameter) error {
			if n, ok := values[0].Value.(float64); ok && strings.HasPrefix(client, "Foxglove 127.0.0.1:") {
				value.Store(int64(n))
				return nil
			}
			return errors.New("want a number")
		}
	})
	p, info, _ := dial(t, url, nil)
	if fmt.Sprint(info["capabilities"]) != "[parameters parametersSubscribe]" {
		t.Errorf("the info is %v", info)
	}
	want := func(text string) {
		t.Helper()
		if got := fmt.Sprint(p.json()); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
	}
	p.text(`{"op":"getParameters","parameterNames":["count"],"id":"1"}`)
	want("map[id:1 op:parameterValues parameters:[map[name:count value:0]]]")
	p.text(`{"op":"getParameters","parameterNames":["none"],"id":"2"}`)
	want("map[id:2 op:parameterValues parameters:[]]")
	p.text(`{"op":"setParameters","parameters":[{"name":"count","value":5}],"id":"3"}`)
	want("map[id:3 op:parameterValues parameters:[map[name:count value:5]]]")
	p.text(`{"op":"setParameters","parameters":[{"name":"count","value":"x"}]}`)
	p.wantStatus("want a number")
	p.text(`{"op":"setParameters","parameters":[{"name":"count"}]}`)
	p.wantStatus("no parameter can be removed")
	p.text(`{"op":"subscribeParameterUpdates","parameterNames":["count"]}`)
	want("map[op:parameterValues parameters:[map[name:count value:5]]]")
	value.Store(6)
	s.lookAtParameters()
	want("map[op:parameterValues parameters:[map[name:count value:6]]]")
}

// Channels that are sent on request are known, and are asked for while a client wants them that may call services.
func TestAsk(t *testing.T) {
	asked := make(chan string, 100)
	_, url := serve(t, func(cfg *Config) {
		cfg.Ask = func(wanted []string, authorised bool) []string {
			asked <- fmt.Sprint(wanted, authorised)
			return []string{"foxglove/camera/5"}
		}
	})
	reader, _, _ := dial(t, url, http.Header{"Origin": {"http://localhost:8080"}})
	c, _, channels := dial(t, url, nil)
	if list := channels["channels"].([]any); len(list) == 0 {
		channels = c.json()
	}
	if got := fmt.Sprint(channels["channels"]); !strings.Contains(got, "foxglove/camera/5") {
		t.Errorf("the channels are %s", got)
	}
	reader.text(`{"op":"subscribe","subscriptions":[{"id":4,"channelId":1}]}`)
	if got := <-asked; got != "[] false" {
		t.Errorf("before a subscription of a client that may call, %s is asked for", got)
	}
	c.text(`{"op":"subscribe","subscriptions":[{"id":7,"channelId":1}]}`)
	for got := range asked {
		if got == "[foxglove/camera/5] false" {
			break
		}
		if got != "[] false" {
			t.Fatalf("%s is asked for", got)
		}
	}
}

// Beyond the limit a client is refused with a sentence.
func TestMostClients(t *testing.T) {
	_, url := serve(t, func(cfg *Config) { cfg.MaxClients = 2 })
	dial(t, url, nil)
	dial(t, url, nil)
	_, answer, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{sdkProtocol}})
	if err == nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third client: %v", err)
	}
}

// FuzzParse parses arbitrary messages: what is accepted is within the bounds.
func FuzzParse(f *testing.F) {
	f.Add(true, []byte(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}`))
	f.Add(true, []byte(`{"op":"setParameters","parameters":[{"name":"a","value":[1,{"b":null}]}],"id":"x"}`))
	f.Add(true, []byte(`{"op":"getParameters","parameterNames":["a"]}`))
	f.Add(false, []byte("\x02\x01\x00\x00\x00\x09\x00\x00\x00\x04\x00\x00\x00json{}"))
	f.Add(false, []byte("\x03\x00\x00\x00\x80\x3f\x01\x15\xcd\x5b\x07\x00\x00\x00\x00\x07\x00\x00\x00some-id"))
	f.Fuzz(func(t *testing.T, text bool, msg []byte) {
		kind := websocket.MessageBinary
		if text {
			kind = websocket.MessageText
		}
		r, err := parse(kind, msg)
		if err != nil {
			return
		}
		c := r.control
		if r.Op == "" || len(r.Names) > maxRequests || len(r.Parameters) > maxRequests || len(r.ID) > maxIDLength ||
			len(r.encoding)+len(r.payload) > len(msg) || len(c.ID) > maxIDLength ||
			r.Op == "control" && !(c.Speed >= slowest && c.Speed <= fastest && c.Time >= 0) {
			t.Errorf("accepted %+v", r)
		}
	})
}

// BenchmarkClients: eight clients of 20 topics at 60 Hz, for as long as the benchmark runs; the time from Put to the client.
func BenchmarkClients(b *testing.B) {
	const clients, topics, size = 8, 20, 4 << 10
	s, url := serve(b, nil)
	names := make([]string, topics)
	wanted := make([]subscription, topics)
	for i := range names {
		names[i], wanted[i] = fmt.Sprint("topic/", i), subscription{uint32(i), uint32(i + 1)}
		s.Wants(names[i])
	}
	list, _ := json.Marshal(wanted)
	began := time.Now()
	late := make(chan []time.Duration, clients)
	for range clients {
		p, _, _ := dial(b, url, nil)
		p.text(`{"op":"subscribe","subscriptions":%s}`, list)
		go func() {
			var all []time.Duration
			for range b.N * topics {
				_, m, err := p.Read(b.Context())
				if err != nil {
					break
				}
				all = append(all, time.Since(began)-time.Duration(binary.LittleEndian.Uint64(m[5:])))
			}
			late <- all
		}()
	}
	wiretest.Eventually(b, "the subscriptions", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.channels[topics-1].subscribers == clients
	})
	ticker := time.NewTicker(time.Second / 60)
	defer ticker.Stop()
	var put time.Duration
	b.ResetTimer()
	for range b.N {
		<-ticker.C
		at := time.Now()
		for _, name := range names {
			s.Put(matchlog.Message{Time: soccer.Time(time.Since(began)), Channel: name, Data: make([]byte, size)})
		}
		put = max(put, time.Since(at))
	}
	var all []time.Duration
	for range clients {
		all = append(all, <-late...)
	}
	b.StopTimer()
	slices.Sort(all)
	b.ReportMetric(all[len(all)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(all[len(all)*99/100].Seconds()*1e3, "p99-ms")
	b.ReportMetric(put.Seconds()*1e3, "longest-put-ms")
	b.ReportMetric(float64(len(all))/float64(b.N*topics*clients), "received")
}
