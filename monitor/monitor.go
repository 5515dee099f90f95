// Package monitor is the web page: it serves the files of static, streams topics to every page that asks for them over
// one WebSocket each, and hands commands back to its owner. It knows no topic: a topic is a name and a value that is
// JSON.
//
//	GET  /                    the page and its modules; /referee is referee.html
//	GET  /api/pages           {"pages":["wall","referee",…]}: which of the pages have something to show
//	GET  /api/stream          WebSocket; the page sends {"subscribe":["wall"],"token":"…"}, gets {"run":"…","topic":"wall","value":…}
//	POST /api/command/NAME    a command with a JSON body; 204, or its answer as JSON, or {"error":"…"}
//
// "run" differs from one start of the program to the next, so that a page knows when its history is another program's.
// A page that was given a token sends it with its subscription and, as "Authorization: Bearer TOKEN", with each command.
//
// Everything refuses a Host that was not configured (a page elsewhere could point its own name at this machine), streams
// and commands refuse pages of other origins.
package monitor

import (
	"bytes"
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
)

//go:embed static/*.html static/*.svg static/shared static/wall static/vss static/refbox static/log static/htm
var embedded embed.FS

// Config says what a Server does. DefaultConfig returns it filled; zero means zero.
type Config struct {
	// Pages are those that have something to show, for the links on each of them: "wall", "referee", "scoreboard", ...
	// Where the wall is none of them, / leads to the first. Default none: there is only what / shows.
	Pages []string
	// Command carries out what the page asks for. Its answer, if it is not nil, goes back as JSON; its error is shown to
	// the user, with status 403 where it is Forbidden, else 400. Default nil: commands are refused.
	Command func(Request) (any, error)
	// Token opens the private topics and authorises commands. Default "": nothing is authorised.
	Token string
	// Private reports whether a topic needs the token. Default nil: no topic does.
	Private func(topic string) bool
	// Handlers answer further requests, by the pattern of http.ServeMux. Their Host is checked, and a POST's origin.
	Handlers map[string]http.Handler
	// Hosts are names or addresses, with or without port, by which the page may be called besides localhost and the
	// loopback addresses. Default none.
	Hosts []string
	// MaxClients is how many streams may be open at a time; beyond the limit only clients with the token connect. Default
	// 200.
	MaxClients int
}

// Request is a command of a page.
type Request struct {
	Name       string
	Body       json.RawMessage // valid JSON
	Authorised bool            // it came with the token
	Received   time.Time       // when its header had been read
}

// DefaultConfig returns the configuration of a page that takes no commands.
func DefaultConfig() Config { return Config{MaxClients: 200} }

// maxBody bounds a command, in bytes.
const maxBody = 4 << 10

// bodyTime is how long the body of a command may take.
const bodyTime = 5 * time.Second

// Server is the http.Handler of the page. Its methods may be called from any goroutine.
type Server struct {
	cfg Config
	run string // of this start of the program
	mux *http.ServeMux

	mu        sync.Mutex
	clients   map[*client]struct{}
	refreshes map[string]chan struct{} // by topic: wakes its Every
	came      uint64                   // clients so far
	closed    bool
	streams   sync.WaitGroup
}

// New returns a Server. The http.Server around it should bound the time of reading a request's header.
func New(cfg Config) *Server {
	s := &Server{
		cfg: cfg, run: strconv.FormatInt(time.Now().UnixNano(), 36), mux: http.NewServeMux(), clients: make(map[*client]struct{}),
		refreshes: make(map[string]chan struct{}),
	}
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusForbidden, "a page of another origin may not send commands")
	}))
	s.mux.HandleFunc("GET /", s.file)
	s.mux.HandleFunc("GET /api/pages", s.pages)
	s.mux.HandleFunc("GET /api/stream", s.stream)
	s.mux.Handle("POST /api/command/{name}", sameOrigin.Handler(http.HandlerFunc(s.command)))
	for pattern, h := range cfg.Handlers {
		s.mux.Handle(pattern, sameOrigin.Handler(h))
	}
	s.mux.HandleFunc("/", nothing)
	return s
}

// Close ends all streams and waits until they have ended; later ones are refused. A page connects again by itself.
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
	h.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !s.known(r.Host) {
		fail(w, http.StatusForbidden, fmt.Sprintf("%q is not a name of this page; call it by localhost, or start it with that name", clip(r.Host)))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// nothing answers what no other handler does.
func nothing(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		fail(w, http.StatusNotFound, "nothing answers "+r.Method+" "+clip(r.URL.Path))
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		fail(w, http.StatusMethodNotAllowed, "only GET, HEAD and POST are answered")
	}
}

// known reports whether the page may be called by host. Loopback names are fine with any port: tunnels change it, and
// no name of somebody else's becomes one of them.
func (s *Server) known(host string) bool {
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

// kinds are the content types that we serve; those of the machine may be anything.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8", // licences
}

// file serves the page.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		if pages := s.cfg.Pages; len(pages) > 0 && !slices.Contains(pages, "wall") {
			http.Redirect(w, r, pages[0], http.StatusFound)
			return
		}
		name = "wall.html"
	}
	body, err := embedded.ReadFile("static/" + name)
	if err != nil && path.Ext(name) == "" {
		name += ".html"
		body, err = embedded.ReadFile("static/" + name)
	}
	kind, ok := kinds[path.Ext(name)]
	if err != nil || !ok {
		fail(w, http.StatusNotFound, "there is no page "+clip(r.URL.Path))
		return
	}
	sum := sha256.Sum256(body)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// pages says which pages there are.
func (s *Server) pages(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string][]string{"pages": append([]string{}, s.cfg.Pages...)})
}

// command hands a command to the owner.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Command == nil {
		fail(w, http.StatusForbidden, "this page only watches: it takes no commands")
		return
	}
	received := time.Now()
	// Not every ResponseWriter has deadlines; the body stays bounded without one.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("a command is at most %d bytes", maxBody))
		return
	case err != nil:
		fail(w, http.StatusBadRequest, "the command did not arrive whole: "+err.Error())
		return
	case len(body) == 0:
		body = []byte("{}")
	case !json.Valid(body):
		fail(w, http.StatusBadRequest, "the command is not JSON")
		return
	}
	value, err := s.cfg.Command(Request{r.PathValue("name"), body, Authorised(r, s.cfg.Token), received})
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
	_ = json.NewEncoder(w).Encode(value) // nobody is left to tell when it cannot be written
}

// clip keeps what a stranger sent short enough to say it back.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
