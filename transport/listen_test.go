package transport_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchline/transport"
	"touchline/wire/wiretest"
)

// serve runs a server behind a Listener until the test ends, and returns its address. A request with the header Token is
// trusted; /slow sends without end.
func serve(t *testing.T, limits transport.Limits) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Token") != "" {
			transport.Trust(r)
		}
		for r.URL.Path == "/slow" {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, "here")
	})}
	done := make(chan error, 1)
	go func() { done <- transport.Limit(l, limits).Serve(server) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// client is one connection.
type client struct {
	t testing.TB
	net.Conn
	r *bufio.Reader
}

// listenDial connects from an address.
func listenDial(t testing.TB, to, from string) *client {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{t, c, bufio.NewReader(c)}
}

// ask sends a request and reads its answer; "" if the connection ends.
func (c *client) ask(header string) string {
	c.t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n"+header+"\r\n"); err != nil {
		return ""
	}
	a, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return ""
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		return ""
	}
	return string(b)
}

// A flood of connections without a request, or with half of one, closes its own connections: clients with a request and
// trusted ones stay, and a new one is served.
func TestFloodClosesItself(t *testing.T) {
	at := serve(t, transport.Limits{Total: 20, PerAddress: 20, Write: time.Minute})
	trusted, page := listenDial(t, at, "127.0.0.1"), listenDial(t, at, "127.0.0.2")
	if trusted.ask("Token: yes\r\n") != "here" || page.ask("") != "here" {
		t.Fatal("no answer before the flood")
	}
	var flood []*client
	for i := range 100 {
		c := listenDial(t, at, "127.0.0.9")
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHo") // it may be closed already
		}
		flood = append(flood, c)
	}
	if got := listenDial(t, at, "127.0.0.9").ask(""); got != "here" {
		t.Errorf("a new client of the flooding address got %q", got)
	}
	if trusted.ask("") != "here" || page.ask("") != "here" {
		t.Error("the flood closed a client with a request")
	}
	var closed atomic.Int32
	for _, c := range flood {
		go func() {
			_, _ = io.Copy(io.Discard, c) // until the server or the end of the test closes it
			closed.Add(1)
		}()
	}
	wiretest.Eventually(t, "at most 18 connections of the flood are open", func() bool { return closed.Load() >= 82 })
}

// A flood of requests whose body never ends leaves room for a new client, too.
func TestFloodOfRequests(t *testing.T) {
	at := serve(t, transport.Limits{Total: 20, PerAddress: 20, Write: time.Minute})
	for range 100 {
		c := listenDial(t, at, "127.0.0.9")
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{") // as above
	}
	late := listenDial(t, at, "127.0.0.9")
	for range 9 {
		listenDial(t, at, "127.0.0.9") // while it has not sent its request yet
	}
	if got := late.ask("Token: yes\r\n"); got != "here" {
		t.Errorf("a new client got %q", got)
	}
}

// When every connection is trusted, a new one is closed.
func TestAllTrusted(t *testing.T) {
	at := serve(t, transport.Limits{Total: 2, PerAddress: 2, Write: time.Minute})
	a, b := listenDial(t, at, "127.0.0.1"), listenDial(t, at, "127.0.0.1")
	if a.ask("Token: a\r\n") != "here" || b.ask("Token: b\r\n") != "here" {
		t.Fatal("no answer")
	}
	if got := listenDial(t, at, "127.0.0.1").ask(""); got != "" {
		t.Errorf("a third client got %q", got)
	}
	if a.ask("") != "here" || b.ask("") != "here" {
		t.Error("a trusted client was closed")
	}
}

// A client that does not read its answer loses its connection.
func TestSlowReader(t *testing.T) {
	at := serve(t, transport.Limits{Total: 20, PerAddress: 20, Write: 50 * time.Millisecond})
	c := listenDial(t, at, "127.0.0.1")
	if _, err := io.WriteString(c, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "its connection is closed", func() bool {
		_, err := io.WriteString(c, strings.Repeat("x", 1<<10))
		return err != nil
	})
}

// The limits of a program leave file descriptors for everything else.
func TestShare(t *testing.T) {
	if n := transport.Share(512, 2); n < 16 || n > 512 {
		t.Errorf("got %d", n)
	}
	if n := transport.Share(5, 1<<20); n != 5 {
		t.Errorf("the least share is %d, want 5", n)
	}
	if l := transport.DefaultLimits(); l.Total < 16 || l.PerAddress == 0 || l.Write == 0 {
		t.Errorf("got %+v", l)
	}
}
