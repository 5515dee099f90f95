package monitor

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/control"
)

// serve starts a real server on a loopback port.
func serve(t *testing.T, cfg Config) (*Server, *httptest.Server) {
	t.Helper()
	s := New(cfg)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		h.Close()
	})
	return s, h
}

// ask sends one request and returns the answer with its body.
func ask(t *testing.T, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// wantError fails unless the answer is {"error":"…"} with a status.
func wantError(t *testing.T, resp *http.Response, body string, status int) {
	t.Helper()
	var e struct{ Error string }
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error == "" || resp.StatusCode != status {
		t.Errorf("got %d %q, want %d and a JSON error", resp.StatusCode, body, status)
	}
}

func TestFiles(t *testing.T) {
	_, h := serve(t, DefaultConfig())
	for path, kind := range map[string]string{
		"/":                                "text/html; charset=utf-8",
		"/shared/page.js":                  "text/javascript; charset=utf-8",
		"/shared/shared.css":               "text/css; charset=utf-8",
		"/vss":                             "text/html; charset=utf-8",
		"/vss/vss.css":                     "text/css; charset=utf-8",
		"/icon.svg":                        "image/svg+xml",
		"/htm/preact/standalone.module.js": "text/javascript; charset=utf-8",
		"/htm/LICENSE":                     "text/plain; charset=utf-8",
	} {
		resp, body := ask(t, "GET", h.URL+path, "")
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != kind || body == "" {
			t.Errorf("GET %s: %d %q, %d bytes", path, resp.StatusCode, resp.Header.Get("Content-Type"), len(body))
		}
		if !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'self';") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s: headers %v", path, resp.Header)
		}
		again, _ := ask(t, "GET", h.URL+path, "", "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("GET %s with its ETag: %d", path, again.StatusCode)
		}
	}
	resp, packed := ask(t, "GET", h.URL+"/wall/wall.js", "", "Accept-Encoding", "gzip")
	if r, err := gzip.NewReader(strings.NewReader(packed)); err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("a file for a browser that accepts gzip: headers %v, %v", resp.Header, err)
	} else if body, err := io.ReadAll(r); err != nil || len(body) < 2*len(packed) || !strings.Contains(string(body), "import") {
		t.Errorf("a file of %d bytes is packed into %d, %v", len(body), len(packed), err)
	}
	if resp, _ := ask(t, "GET", h.URL+"/robot/3", ""); resp.StatusCode != 302 || resp.Header.Get("Location") != "/robot#3" {
		t.Errorf("GET /robot/3: %d, location %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	resp, body := ask(t, "GET", h.URL+"/api/logs", "")
	if wantError(t, resp, body, http.StatusNotFound); !strings.Contains(body, "touchline replay") {
		t.Errorf("the page /log of a program without a log shows %s", body)
	}
	if resp, body := ask(t, "HEAD", h.URL+"/", ""); resp.StatusCode != 200 || body != "" {
		t.Errorf("HEAD /: %d %q", resp.StatusCode, body)
	}
}

func TestUnknown(t *testing.T) {
	_, h := serve(t, DefaultConfig())
	for _, path := range []string{"/nothing", "/htm", "/htm/", "/shared", "/log/", "/log/x", "/robot/3/4", "/robot/-1", "/htm/3", "/static/wall.html", "/types.d.ts", "/api", "/api/command/kick", "/%2e%2e/monitor.go", "/a%00b", "/" + strings.Repeat("x", 4000)} {
		resp, body := ask(t, "GET", h.URL+path, "")
		wantError(t, resp, body, 404)
		if len(body) > 300 {
			t.Errorf("GET of a long path: got %d bytes", len(body))
		}
	}
	for path, want := range map[string]int{"/": 404, "/shared/page.js": 404, "/api/command/": 404, "/api/stream": 404} {
		resp, body := ask(t, "POST", h.URL+path, "{}")
		wantError(t, resp, body, want)
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
		resp, body := ask(t, method, h.URL+"/", "")
		wantError(t, resp, body, 405)
	}
	resp, body := ask(t, "GET", h.URL+"/api/stream", "")
	wantError(t, resp, body, 426)
}

func TestCommand(t *testing.T) {
	type call struct {
		name, body string
		authorised bool
	}
	calls := make(chan call, 1)
	cfg := DefaultConfig()
	cfg.Guard = NewGuard("s3cret", nil)
	note := func(r control.Request) (any, error) {
		calls <- call{r.Name, string(r.Body), r.Authorised}
		return nil, nil
	}
	cfg.Commands = control.Table{
		"kick": {Do: note}, "machine": {Do: note, Max: 256 << 10},
		"refuse": {Do: func(control.Request) (any, error) { return nil, errors.New("robot 9 is not on the field") }},
		"ask":    {Do: func(control.Request) (any, error) { return map[string]int{"goals": 2}, nil }},
	}
	_, h := serve(t, cfg)
	url := h.URL + "/api/command/"
	for sent, want := range map[string]string{`{"vx":1}`: `{"vx":1}`, "": "{}"} {
		if resp, body := ask(t, "POST", url+"kick", sent); resp.StatusCode != 204 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		if c := <-calls; c != (call{"kick", want, false}) {
			t.Errorf("got command %v", c)
		}
	}
	if resp, body := ask(t, "POST", url+"ask", ""); resp.StatusCode != 200 || body != "{\"goals\":2}\n" {
		t.Errorf("got answer %d %s", resp.StatusCode, body)
	}
	for token, want := range map[string]bool{"Bearer s3cret": true, "Bearer s3cre": false, "s3cret": false, "Bearer ": false} {
		ask(t, "POST", url+"kick", "", "Authorization", token)
		if c := <-calls; c.authorised != want {
			t.Errorf("Authorization %q: authorised %t, want %t", token, c.authorised, want)
		}
	}
	resp, body := ask(t, "POST", url+"refuse", "{}")
	wantError(t, resp, body, 400)
	if resp, unknown := ask(t, "POST", url+"dance", "{}"); resp.StatusCode != 400 ||
		!strings.Contains(unknown, "want one of ask, kick, machine, refuse") {
		t.Errorf("an unknown command: %s", unknown)
	}
	if !strings.Contains(body, "robot 9 is not on the field") {
		t.Errorf("got %s, want the command's error", body)
	}
	for sent, want := range map[string]int{
		"{": 400, "kick": 400, "{}{}": 400, `"` + strings.Repeat("x", 64<<10-1) + `"`: 413, strings.Repeat(" ", 1<<20): 413,
	} {
		resp, body := ask(t, "POST", url+"kick", sent)
		wantError(t, resp, body, want)
	}
	for n, want := range map[int]int{200_000: 204, 256<<10 + 1: 413} {
		resp, body := ask(t, "POST", url+"machine", `"`+strings.Repeat("x", n-2)+`"`)
		if resp.StatusCode != want {
			t.Errorf("a machine of %d bytes: %d %s, want %d", n, resp.StatusCode, body, want)
		}
		if want == 204 {
			<-calls
		}
	}
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"},
		{"Host", "evil.example"}, {"Host", "evil.example:80"}, {"Host", "127.0.0.1.evil.example"},
	} {
		resp, body := ask(t, "POST", url+"kick", "{}", header...)
		wantError(t, resp, body, 403)
	}
	if len(calls) != 0 {
		t.Errorf("a refused command was carried out: %v", <-calls)
	}
	_, watches := serve(t, DefaultConfig())
	resp, body = ask(t, "POST", watches.URL+"/api/command/kick", "{}")
	wantError(t, resp, body, 403)
}

// TestSlowBody: a body of a terabyte is refused before it is read.
func TestSlowBody(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Commands = control.Refuse(errors.New("carried out"), "kick")
	_, h := serve(t, cfg)
	conn, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "POST /api/command/kick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n%s", strings.Repeat(" ", 66000))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 413 {
		t.Errorf("got %s, want 413", resp.Status)
	}
}

func TestHost(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Hosts = []string{"field-laptop", "192.168.1.20:8080"}
	_, h := serve(t, cfg)
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:1234": 200, "127.0.0.1:9": 200, "127.9.9.9": 200, "[::1]:8080": 200, "[::1]": 200,
		"field-laptop": 200, "Field-Laptop:8080": 200, "192.168.1.20:8080": 200,
		"192.168.1.20": 403, "192.168.1.20:81": 403, "evil.example": 403, "localhost.evil.example": 403, "field-laptop.evil.example": 403, "10.0.0.1": 403,
	} {
		resp, body := ask(t, "GET", h.URL+"/", "", "Host", host)
		if resp.StatusCode != want {
			t.Errorf("Host %s: %d, want %d", host, resp.StatusCode, want)
		}
		if want == 403 {
			wantError(t, resp, body, want)
		}
	}
}

// page is the stream of one page.
type page struct {
	*websocket.Conn
	ctx context.Context
}

func dial(t *testing.T, h *httptest.Server) page {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, h.URL+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return page{conn, ctx}
}

func (p page) subscribe(t *testing.T, topics ...string) {
	t.Helper()
	msg, err := json.Marshal(map[string][]string{"subscribe": topics})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(p.ctx, websocket.MessageText, msg); err != nil {
		t.Fatal(err)
	}
}

// next reads one message of the stream.
func (p page) next(t *testing.T) (topic string, value string) {
	t.Helper()
	_, msg, err := p.Read(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Topic string
		Value json.RawMessage
	}
	if err := json.Unmarshal(msg, &m); err != nil {
		t.Fatal(err)
	}
	return m.Topic, string(m.Value)
}

// TestPages: the server names its pages; without a wall, / redirects to the first.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		pages    []string
		status   int
		location string
		answer   string
	}{
		{nil, 200, "", `{"pages":[]}`},
		{[]string{"wall", "referee"}, 200, "", `{"pages":["wall","referee"]}`},
		{[]string{"scoreboard", "referee"}, 302, "scoreboard", `{"pages":["scoreboard","referee"]}`},
		{[]string{"vss"}, 302, "vss", `{"pages":["vss"]}`},
		{[]string{"start", "wall"}, 200, "", `{"pages":["start","wall"]}`},
	} {
		cfg := DefaultConfig()
		cfg.Pages = c.pages
		_, h := serve(t, cfg)
		if r, _ := ask(t, "GET", h.URL, ""); r.StatusCode != c.status || r.Header.Get("Location") != c.location {
			t.Errorf("%v: got %s, Location %q for /", c.pages, r.Status, r.Header.Get("Location"))
		}
		if r, text := ask(t, "GET", h.URL+"/api/pages", ""); r.StatusCode != 200 || strings.TrimSpace(text) != c.answer {
			t.Errorf("%v: %s %s", c.pages, r.Status, text)
		}
	}
}

// TestPagesElsewhere: the server tells its addresses for other machines, and that its pages send no commands.
func TestPagesElsewhere(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Addresses, cfg.ViewOnly = []string{"http://192.0.2.1:8014/"}, true
	cfg.Commands = control.Table{"pause": control.Handle(func(control.Pause) error { t.Error("it is carried out"); return nil })}
	_, h := serve(t, cfg)
	want := `{"pages":[],"addresses":["http://192.0.2.1:8014/"],"viewOnly":true}`
	if _, text := ask(t, "GET", h.URL+"/api/pages", ""); strings.TrimSpace(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	if r, _ := ask(t, "POST", h.URL+"/api/command/pause", `{"paused":true}`); r.StatusCode != http.StatusForbidden {
		t.Errorf("a command is answered with %s", r.Status)
	}
}

// TestForbidden: a command without the token has another status than a wrong command.
func TestForbidden(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Guard = NewGuard("right", nil)
	cfg.Commands = control.Table{"do": {Do: func(r control.Request) (any, error) {
		if !r.Authorised {
			return nil, fmt.Errorf("%s: %w", r.Name, Forbidden("it needs the token"))
		}
		return nil, errors.New("no such thing")
	}}}
	_, h := serve(t, cfg)
	if r, text := ask(t, "POST", h.URL+"/api/command/do", "{}"); r.StatusCode != 403 || !strings.Contains(text, "do: it needs the token") {
		t.Errorf("%s %s", r.Status, text)
	}
	if r, text := ask(t, "POST", h.URL+"/api/command/do", "{}", "Authorization", "Bearer right"); r.StatusCode != 400 {
		t.Errorf("%s %s", r.Status, text)
	}
}

// oneConn is a listener with one connection.
type oneConn struct{ conns chan net.Conn }

func (l oneConn) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (oneConn) Close() error   { return nil }
func (oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// A POST whose body never arrives loses its connection after 6 s, whether its command exists or not. One that is whole
// keeps it.
func TestMissingBody(t *testing.T) {
	for _, c := range []struct {
		request string
		open    bool // the connection, after 6 s
	}{
		{"POST /api/command/kick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", false},
		{"POST /api/command/kick HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		{"POST /api/other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", false},
		{"POST /api/command/kick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Commands = control.Table{"kick": {Do: func(control.Request) (any, error) { return nil, nil }}}
			server := &http.Server{Handler: New(cfg), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
			end, other := net.Pipe()
			l := oneConn{make(chan net.Conn, 1)}
			l.conns <- other
			go server.Serve(l)
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				_, _ = io.Copy(io.Discard, end)
			}()
			if _, err := io.WriteString(end, c.request); err != nil {
				t.Error(err)
			}
			time.Sleep(6 * time.Second) // in the bubble
			synctest.Wait()
			select {
			case <-closed:
				if c.open {
					t.Errorf("%.40q: the connection is gone", c.request)
				}
			default:
				if !c.open {
					t.Errorf("%.40q: the connection is still open after 6 s", c.request)
				}
			}
			close(l.conns)
			server.Close()
			end.Close()
			<-closed
		})
	}
}
