// Package monitor is the server of the web pages: it serves the files of static, streams topics to every page over one
// WebSocket each, and carries out the commands of a table. It knows no topic: a topic is a name and a JSON value.
//
//	GET  /                    the first page, and all files; /referee is referee.html, /robot/3 leads to /robot#3
//	GET  /api/pages           {"pages":["wall","referee",…]}: the pages of this server, and its addresses for others
//	GET  /api/stream          WebSocket; the page sends {"subscribe":["wall"],"most":{"wall":5},"token":"…"}
//	                          and receives {"run":"…","topic":"wall","value":…}
//	POST /api/command/NAME    a command with a JSON body; the answer is 204, JSON, or {"error":"…"}
//
// "most" bounds the values a second of a topic. Up to four pages get each value without it, more pages 20 a second. Numbers
// are rounded (wire.RoundNumbers), messages and texts are compressed.
//
// "run" identifies one start of the program: a page forgets its history when it changes.
// A page with a token sends it with its subscription and, as "Authorization: Bearer TOKEN", with each command.
//
// All requests with a Host that was not configured are refused, because a page elsewhere could point its own name at this
// machine. Streams and commands refuse pages of other origins.
package monitor

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"touchline/internal/control"
)

//go:embed static/*.html static/*.svg static/batch static/behaviour static/calibrate static/manage static/match static/lobby static/shared static/start static/wall static/session static/booking static/chart static/pair static/tcm static/network static/robot static/vss static/refbox static/log static/review static/htm
var embedded embed.FS

// Config configures a Server. DefaultConfig returns it filled; zero means zero.
type Config struct {
	// Pages are the pages of this server, for the links between them: "wall", "referee", "scoreboard", ... / shows the first,
	// "up" leads to the folder above. Default none: / shows the wall.
	Pages []string
	// Commands are the commands of the pages. An error is shown to the user, with status 403 if it is Forbidden, else 400.
	// Default none: commands are refused.
	Commands control.Table
	// Guard checks the token, which opens the private topics and authorises commands. Default nil: nothing is authorised.
	Guard *Guard
	// Private reports whether a topic needs the token. Default nil: no topic does.
	Private func(topic string) bool
	// Handlers answer further requests, by their pattern for http.ServeMux. Host and origin are checked for them too.
	Handlers map[string]http.Handler
	// Hosts are further names and addresses of the server, with or without port. localhost and the loopback addresses are
	// always accepted. Default none.
	Hosts []string
	// Addresses are those of the pages for other machines, the best first; GET /api/code.svg has to be the first one as a
	// square code. Default none
	Addresses []string
	ViewOnly  bool // the pages offer no commands, and the server refuses all. Default false
	// MaxClients is how many streams may be open at a time; beyond the limit only clients with the token connect. Default
	// 200.
	MaxClients int
}

// DefaultConfig returns the configuration of a server that accepts no commands.
func DefaultConfig() Config { return Config{MaxClients: 200} }

// maxBody is the longest command without a bound of its own, in bytes.
const maxBody = 64 << 10

// bodyTime is the time in which the body of a command must arrive.
const bodyTime = 5 * time.Second

// Server is the http.Handler of the pages. Its methods may be called from any goroutine.
type Server struct {
	cfg Config
	run string // identifies this start of the program
	mux *http.ServeMux

	mu        sync.Mutex
	clients   map[*client]struct{}
	refreshes map[string]chan struct{} // by topic: wakes its Every
	admitted  uint64                   // number of clients since the start
	closed    bool
	streams   sync.WaitGroup
}

// New returns a Server. The http.Server that runs it should set ReadHeaderTimeout.
func New(cfg Config) *Server {
	s := &Server{
		cfg: cfg, run: strconv.FormatInt(time.Now().UnixNano(), 36), mux: http.NewServeMux(),
		clients:   make(map[*client]struct{}),
		refreshes: make(map[string]chan struct{}),
	}
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusForbidden, "pages of other origins may not send commands")
	}))
	s.mux.Handle("GET /", compressed(http.HandlerFunc(s.file)))
	s.mux.HandleFunc("GET /api/pages", s.pages)
	s.mux.HandleFunc("GET /api/stream", s.stream)
	s.mux.Handle("POST /api/command/{name}", sameOrigin.Handler(http.HandlerFunc(s.command)))
	for pattern, h := range cfg.Handlers {
		s.mux.Handle(pattern, compressed(sameOrigin.Handler(h)))
	}
	s.mux.HandleFunc("/", notFound)
	return s
}

// compressed compresses texts of a kilobyte and more for a browser that accepts that.
var compressed = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{
		"text/html", "text/css", "text/javascript", "text/plain", "application/json", "image/svg+xml",
	}))
	if err != nil {
		panic(err) // an option is out of range
	}
	return wrap
}()

// Close ends all streams, waits for their end, and refuses new ones. Pages reconnect by themselves.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.clients {
		c.cancel()
	}
	s.mu.Unlock()
	s.streams.Wait()
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !s.isOwnHost(r.Host) {
		fail(w, http.StatusForbidden, fmt.Sprintf(
			"%q is not a name of this server; open it as localhost, or start it with that name in --http", clip(r.Host)))
		return
	}
	if r.ContentLength != 0 {
		// A body that nobody reads must arrive in time, too. Some ResponseWriters have no deadlines.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	}
	s.mux.ServeHTTP(w, r)
}

// notFound answers requests that no other handler serves.
func notFound(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		fail(w, http.StatusNotFound, "unknown address: "+r.Method+" "+clip(r.URL.Path))
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		fail(w, http.StatusMethodNotAllowed, "method not allowed: use GET, HEAD or POST")
	}
}

// isOwnHost reports whether host names this server. Loopback names are accepted with any port: tunnels change it, and no
// foreign name resolves to one of them in a Host header.
func (s *Server) isOwnHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.IsLoopback() {
		return true
	}
	is := func(h string) bool { return strings.EqualFold(h, host) || strings.EqualFold(h, name) }
	return is("localhost") || slices.ContainsFunc(s.cfg.Hosts, is)
}

// contentTypes are the content types by file extension; the machine's own table may contain anything.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8", // programs to copy
	"":      "text/plain; charset=utf-8", // licences
}

// file serves a page or one of its files.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		if pages := s.cfg.Pages; len(pages) > 0 && !slices.Contains(pages, "wall") {
			w.Header().Set("Location", pages[0]) // relative: this server may answer in a folder of another one
			w.WriteHeader(http.StatusFound)
			return
		}
		name = "wall.html"
		if len(s.cfg.Pages) > 0 && s.cfg.Pages[0] == "start" {
			name = "start.html"
		}
	}
	body, err := embedded.ReadFile("static/" + name)
	if err != nil && path.Ext(name) == "" {
		name += ".html"
		body, err = embedded.ReadFile("static/" + name)
	}
	if page, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); err != nil {
		_, unnumbered := strconv.ParseUint(number, 10, 32)
		if _, unknown := embedded.ReadFile("static/" + page + ".html"); unnumbered == nil && unknown == nil {
			http.Redirect(w, r, "/"+page+"#"+number, http.StatusFound)
			return
		}
	}
	contentType, ok := contentTypes[path.Ext(name)]
	switch {
	case r.URL.Path == "/api/logs": // no handler answers it; the page /log shows the error
		fail(w, http.StatusNotFound, "this program has no log for its page: touchline replay FILE shows one")
		return
	case err != nil || !ok:
		fail(w, http.StatusNotFound, "unknown page "+clip(r.URL.Path))
		return
	}
	sum := sha256.Sum256(body)
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `W/"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// pages answers with the names of the pages.
func (s *Server) pages(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, struct {
		Pages     []string `json:"pages"`
		Addresses []string `json:"addresses,omitempty"`
		ViewOnly  bool     `json:"viewOnly,omitempty"`
	}{append([]string{}, s.cfg.Pages...), s.cfg.Addresses, s.cfg.ViewOnly})
}

// command carries out a command of a page.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	if len(s.cfg.Commands) == 0 || s.cfg.ViewOnly {
		fail(w, http.StatusForbidden, "this server accepts no commands: it only displays")
		return
	}
	received, name := time.Now(), r.PathValue("name")
	most := cmp.Or(s.cfg.Commands[name].Max, maxBody)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil { // the answer may take longer; the rest of a body that did not arrive may not
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the command is too long: at most %d bytes", most))
		return
	case err != nil:
		fail(w, http.StatusBadRequest, "the command is incomplete: "+err.Error())
		return
	case len(body) == 0:
		body = []byte("{}")
	case !json.Valid(body):
		fail(w, http.StatusBadRequest, "the command is not valid JSON")
		return
	}
	value, err := s.cfg.Commands.Carry(control.Request{
		Name: name, Body: body, Authorised: s.cfg.Guard.Authorised(r), Received: received,
	})
	var forbidden Forbidden
	switch {
	case errors.As(err, &forbidden):
		fail(w, http.StatusForbidden, err.Error())
	case err != nil:
		fail(w, http.StatusBadRequest, err.Error())
	case value == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		answer(w, http.StatusOK, value)
	}
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, text string) {
	answer(w, status, struct {
		Error string `json:"error"`
	}{text})
}

// answer answers with JSON.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // after a failed write the client is gone
}

// clip shortens untrusted text for an error message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
