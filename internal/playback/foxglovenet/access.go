package foxglovenet

import (
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"touchline/internal/sheet"
)

// access is what a client may do.
type access struct {
	calls      bool // services, parameters and the playback, as a page of the program may
	authorised bool // it has the program's token
}

// apps are the origins of applications that may read without a key, from this machine.
var apps = []string{"https://app.foxglove.dev"}

// access returns what the client of a request may do. The address of a client may have "token=": the program's token, or
// the key, which the page of this address shows. A page of another origin cannot read that page, so that its address has
// the key only if a user gave it that. Without it
//   - programs that are no pages, and pages of this program, may do what a page of this program may;
//   - Foxglove's application, and pages that this machine serves, such as Lichtblick, may read, on this machine;
//   - others are refused, also files that a browser opened.
func (s *Server) access(r *http.Request) (a access, err error) {
	if given := r.URL.Query().Get("token"); given != "" {
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.key)) == 1 {
			return access{calls: true}, nil
		}
		with := r.Clone(r.Context())
		with.Header.Set("Authorization", "Bearer "+given)
		if s.cfg.Authorised == nil || !s.cfg.Authorised(with) {
			return a, fmt.Errorf("the token of this address is wrong, or of an earlier start: http://%s/foxglove has the "+
				"new one", r.Host)
		}
		return access{calls: true, authorised: true}, nil
	}
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	switch {
	case origin == "", err == nil && strings.EqualFold(u.Host, r.Host):
		return access{calls: true}, nil
	case addressOf(r).Addr().IsLoopback() && (slices.Contains(apps, origin) || err == nil && isLoopback(u)):
		return a, nil
	}
	return a, fmt.Errorf("a page of %.60q may not read this session without a key: connect to the address that "+
		"http://%s/foxglove shows", origin, r.Host)
}

// isLoopback reports whether this machine serves the page of an origin.
func isLoopback(origin *url.URL) bool {
	name := origin.Hostname()
	addr, err := netip.ParseAddr(name)
	local := strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
	return local && strings.HasPrefix(origin.Scheme, "http")
}

// ServeHTTP serves one client until it disconnects. A browser that opens the address as a page is told how to use it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		s.explain(w, r)
		return
	}
	access, err := s.access(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	offered := protocols(r.Header)
	if !slices.Contains(offered, sdkProtocol) && !slices.Contains(offered, olderProtocol) {
		http.Error(w, fmt.Sprintf("the client offers no sub-protocol that is spoken here: want %s or %s in "+
			"Sec-WebSocket-Protocol", sdkProtocol, olderProtocol), http.StatusBadRequest)
		return
	}
	c := newClient(addressOf(r), access, !slices.Contains(offered, olderProtocol))
	if err := s.admit(c); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.remove(c)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{sdkProtocol, olderProtocol}, InsecureSkipVerify: true, // access has checked the origin
	})
	if err != nil {
		return // Accept has sent the answer
	}
	defer conn.CloseNow()
	s.serve(r.Context(), c, conn)
}

// protocols returns the sub-protocols that a client offers.
func protocols(h http.Header) (all []string) {
	for _, line := range h.Values("Sec-Websocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(name))
		}
	}
	return all
}

// Address returns the address to which clients connect.
func (s *Server) Address(host string) string { return "ws://" + host + "/foxglove?token=" + s.key }

// explain answers a browser that opens the address as a page, and a program that asks for text.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	address := s.Address(r.Host)
	query := "?ds=foxglove-websocket&ds.url=" + url.QueryEscape(address)
	app, lichtblick := "https://app.foxglove.dev/~/view"+query, "http://localhost:8080/"+query
	w.Header().Set("Cache-Control", "no-store")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = io.WriteString(w, explanation(address, app, lichtblick))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, `Foxglove and Lichtblick show this program live.

In the application choose "Open connection", "Foxglove WebSocket", and this address:
  %s

Or open it in a browser; Lichtblick where this machine serves it:
  %s
  %s

A layout for them: touchline log layout -o layout.json
The address is valid until this program ends. docs/foxglove.md says more.
`, address, app, lichtblick)
}

// explanation returns the page for browsers.
func explanation(address, app, lichtblick string) string {
	var page sheet.Sheet
	page.Begin("Foxglove and Lichtblick", "section { padding: 16px; }\na { color: inherit; }\n")
	page.Put(`<h1>Foxglove and Lichtblick show this program live</h1>
<section>
<p>In the application choose <b>Open connection</b>, <b>Foxglove WebSocket</b>, and paste this address:</p>
<pre>%s</pre>
<p>Or open it in a browser: <a href="%s">Foxglove</a>, or <a href="%s">Lichtblick</a> where this machine serves it on port 8080.</p>
<p>They show nothing of a session by default. This writes a layout for them:</p>
<pre>touchline log layout -o layout.json</pre>
<p class="small">The address is valid until this program ends. <a href="./">Back to the page</a></p>
</section>`, address, app, lichtblick)
	page.End()
	return page.String()
}
