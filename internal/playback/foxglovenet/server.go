// Package foxglovenet serves the messages of a session, or of a recording, to Foxglove and Lichtblick over the Foxglove
// WebSocket protocol, in its sub-protocols foxglove.sdk.v1 and foxglove.websocket.v1 (docs/foxglove.md). It knows no
// topic: a topic is a channel of a matchlog, with its schema, its encoding and its bytes.
//
// It is apart from package playback, its only user besides the program, because it speaks a protocol of others.
//
// A client never makes another one, or the session, wait: it has a queue of bounded length, whose oldest messages make
// room.
package foxglovenet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"touchline/internal/control"
	"touchline/matchlog"
	"touchline/soccer"
)

// Bounds of a Server.
const (
	maxChannels = 1024
	maxPerAddr  = 20 // clients of one address of another machine, as of the page's stream
	lookPeriod  = time.Second
	// asksFor is how long a client that has asked for parameters is told of new ones.
	asksFor = time.Minute
)

// Config configures a Server. Nil functions stand for a capability that the program does not have.
type Config struct {
	Name     string            // of the server
	Metadata map[string]string // for the clients. Default none
	// Schema returns the schema of a channel; one without a name for none.
	Schema func(channel string) matchlog.Schema
	// Private reports whether only clients with the token may read a channel. Default nil: none is private
	Private func(channel string) bool
	// First returns what a client gets of a channel as soon as it subscribes; false for nothing. Default nil: nothing
	First func(channel string) (matchlog.Message, bool)
	// Services are commands that clients may call, of Commands.
	Services []Service
	Commands control.Table
	// Graph returns which robots publish and receive which topics. It is called once a second while a client looks
	Graph func() Graph
	// Parameters returns all parameters of robots; authorised: a client with the token looks. It is called once a second
	// while a client does
	Parameters func(authorised bool) []Parameter
	// SetParameters asks for values; client is the name of the program that asks
	SetParameters func(client string, authorised bool, values []Parameter) error
	// Ask requests messages that are sent only on request, for the wanted channels, and returns all channels that it can
	// request. The server calls it once a second while a client that may call services is connected; authorised: the clients
	// have the token
	Ask func(wanted []string, authorised bool) []string
	// Range returns the times of the first and the last message of a recording, and Control controls its playback.
	Range   func() (from, to soccer.Time)
	Control func(Control) Playback
	// Authorised reports whether a request has the token that commands may need, as "Authorization: Bearer TOKEN". Default
	// nil: none does
	Authorised func(*http.Request) bool
	MaxClients int // Default 50
}

// DefaultConfig returns the configuration of a server without services.
func DefaultConfig() Config { return Config{Name: "touchline", MaxClients: 50} }

// Service is a command as clients see it.
type Service struct {
	Name   string // of the service and of the command
	Schema string // JSON Schema of its body, an object
}

// Parameter is a parameter with its value: a number, a bool or a text.
type Parameter struct {
	Name  string `json:"name"`
	Value any    `json:"value,omitempty"`
	Type  string `json:"type,omitempty"` // "float64" for a number that need not be whole
}

// Server is the http.Handler of the address to which clients connect. Its methods may be called from any goroutine. A nil
// Server has no clients.
type Server struct {
	cfg     Config
	key     string // see access
	session string // identifies this start of the program

	mu       sync.Mutex
	channels []channel // the id of a channel is its place, plus 1
	ids      map[string]uint32
	clients  map[*client]struct{}
	playback *Playback // the newest that was told; nil: none yet
	now      soccer.Time
	closed   bool
	streams  sync.WaitGroup

	looks     sync.Mutex // one look at the graph or the parameters at a time
	graph     Graph      // that clients know
	parameter map[string]any
}

// channel is a channel that clients can subscribe to.
type channel struct {
	description
	private     bool
	subscribers int
}

// New returns a Server.
func New(cfg Config) *Server {
	return &Server{
		cfg: cfg, key: rand.Text(), session: rand.Text(), ids: map[string]uint32{},
		clients: map[*client]struct{}{}, parameter: map[string]any{},
	}
}

// Wants makes a channel known to the clients, and reports whether one of them wants its messages.
func (s *Server) Wants(name string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, known := s.ids[name]
	if known {
		return s.channels[id-1].subscribers > 0
	}
	if len(s.channels) == maxChannels {
		return false
	}
	id = uint32(len(s.channels) + 1)
	added := channel{description: describe(id, name, s.cfg.Schema(name))}
	added.private = s.cfg.Private != nil && s.cfg.Private(name)
	s.ids[name], s.channels = id, append(s.channels, added)
	for c := range s.clients {
		if c.mayRead(&added) {
			c.tell(advertise{"advertise", []description{added.description}})
		}
	}
	return false
}

// Put sends a message to the clients that want its channel. It keeps m.Data.
func (s *Server) Put(m matchlog.Message) {
	if !s.Wants(m.Channel) {
		return
	}
	payload := payloadOf(&m)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.ids[m.Channel]
	for c := range s.clients {
		if sub, ok := c.subscribed[id]; ok {
			c.enqueue(queued{sub, m.Time, payload})
		}
	}
}

// payloadOf returns the bytes of a message as a file has them.
func payloadOf(m *matchlog.Message) []byte {
	if encoding, _ := matchlog.Encoding(m.Channel); encoding == "json" {
		return m.Data
	}
	return matchlog.AppendData(make([]byte, 0, len(m.Data)+10), m)
}

// Wanted returns the channels that clients want, sorted.
func (s *Server) Wanted() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.channels {
		if s.channels[i].subscribers > 0 {
			names = append(names, s.channels[i].Topic)
		}
	}
	slices.Sort(names)
	return names
}

// ask asks for the messages of channels that clients with or without the token want, and makes known which there are.
func (s *Server) ask(authorised bool) {
	asks := func(c *client) bool { return c.access.calls && c.access.authorised == authorised }
	if s.cfg.Ask == nil || !s.anyClient(asks) {
		return
	}
	wanted := []string{}
	s.mu.Lock()
	for c := range s.clients {
		if !asks(c) {
			continue
		}
		for id := range c.subscribed {
			if name := s.channels[id-1].Topic; !slices.Contains(wanted, name) {
				wanted = append(wanted, name)
			}
		}
	}
	s.mu.Unlock()
	slices.Sort(wanted)
	for _, name := range s.cfg.Ask(wanted, authorised) {
		s.Wants(name)
	}
}

// SetTime tells all clients the time of the recording, which a client shows in place of its own.
func (s *Server) SetTime(now soccer.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	for c := range s.clients {
		c.setTime(now)
	}
}

// Tell tells the clients that know of playback its state.
func (s *Server) Tell(p Playback) { s.tell(p, nil) }

// tell tells the state of the playback to all clients that know of it but one, which has asked for it: from now on it
// knows, too.
func (s *Server) tell(p Playback, asked *client) {
	p.ID = ""
	s.mu.Lock()
	defer s.mu.Unlock()
	s.playback = &p
	if asked != nil {
		asked.controls = true
		asked.setState(nil)
	}
	for c := range s.clients {
		if c.controls && c != asked {
			c.setState(&p)
		}
	}
}

// Renew tells the clients the times of the recording again, which are known now.
func (s *Server) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		c.tell(s.info())
	}
}

// Warn tells all clients what went wrong.
func (s *Server) Warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		c.refuse("%s", text)
	}
}

// Run serves clients until ctx ends, and closes their connections then.
func (s *Server) Run(ctx context.Context) {
	ticker := time.NewTicker(lookPeriod)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			s.lookAtGraph(nil)
			s.lookAtParameters()
			s.ask(false)
			s.ask(true)
		}
	}
	s.mu.Lock()
	s.closed = true
	for c := range s.clients {
		c.cancel()
	}
	s.mu.Unlock()
	s.streams.Wait()
}

// admit adds a client, unless there are too many.
func (s *Server) admit(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for o := range s.clients {
		if o.from.Addr() == c.from.Addr() {
			same++
		}
	}
	switch addr := c.from.Addr(); {
	case s.closed:
		return fmt.Errorf("the program ends")
	case len(s.clients) >= s.cfg.MaxClients, same >= maxPerAddr && addr.IsValid() && !addr.IsLoopback():
		return fmt.Errorf("%d clients are connected already; close one of them", len(s.clients))
	}
	s.clients[c] = struct{}{}
	s.streams.Add(1)
	c.greet(s)
	return nil
}

// remove forgets a client.
func (s *Server) remove(c *client) {
	s.mu.Lock()
	delete(s.clients, c)
	for id := range c.subscribed {
		s.channels[id-1].subscribers--
	}
	s.mu.Unlock()
	s.streams.Done()
}

// capabilities returns the names of what the server can do.
func (s *Server) capabilities() []string {
	all := []string{}
	for _, c := range []struct {
		has   bool
		names []string
	}{
		{s.cfg.Control != nil, []string{"time", "playbackControl"}},
		{len(s.cfg.Services) > 0, []string{"services"}},
		{s.cfg.Graph != nil, []string{"connectionGraph"}},
		{s.cfg.Parameters != nil, []string{"parameters", "parametersSubscribe"}},
	} {
		if c.has {
			all = append(all, c.names...)
		}
	}
	return all
}

// info returns the first message to a client.
func (s *Server) info() serverInfo {
	v := serverInfo{
		Op: "serverInfo", Name: s.cfg.Name, Capabilities: s.capabilities(), Metadata: s.cfg.Metadata, Session: s.session,
	}
	if len(s.cfg.Services) > 0 {
		v.Encodings = []string{"json"}
	}
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	if s.cfg.Control != nil {
		from, to := s.cfg.Range()
		v.Start, v.End = instantOf(from), instantOf(to)
	}
	return v
}

// services returns the services for a client.
func (s *Server) services() advertiseServices {
	a := advertiseServices{"advertiseServices", []serviceDescription{}}
	for i, v := range s.cfg.Services {
		name := "touchline." + v.Name
		a.Services = append(a.Services, serviceDescription{
			ID: uint32(i + 1), Name: "/" + v.Name, Type: name, Request: definition{"json", name, "jsonschema", v.Schema},
			Response: definition{"json", name + "Answer", "jsonschema", `{"type":"object","properties":{}}`},
		})
	}
	return a
}

// addressOf returns the address of a request's client.
func addressOf(r *http.Request) netip.AddrPort {
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	return netip.AddrPortFrom(from.Addr().Unmap().WithZone(""), from.Port())
}

// encode encodes a JSON message. The types of this package always encode; numbers of parameters may not.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(status{Op: "status", Level: levelError, Message: err.Error()})
	}
	return b
}
