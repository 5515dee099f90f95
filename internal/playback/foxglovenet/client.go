package foxglovenet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/bounded"
	"touchline/internal/control"
	"touchline/soccer"
)

// Bounds of a client.
const (
	maxMessage   = 1 << 20          // bytes of a message that it sends
	maxQueued    = 512              // messages of topics that wait for it
	maxBytes     = 4 << 20          // bytes of these; the newest message waits in any case
	maxFrames    = 1024             // other messages that wait for it: a client with more is disconnected
	writeTimeout = 30 * time.Second // for one message: a client that takes none for so long is disconnected
	calmAfter    = 10 * time.Second // without a dropped message: the status about them is removed
)

// limitReached is the text of the status of a client for which messages were dropped. Lichtblick explains this very text.
const limitReached = "Send buffer limit reached"

const limitID = "send-buffer" // of that status

// client is one connection. Server.mu guards subscribed, byID, controls, graph, parameters and asked; mu the rest that
// changes.
type client struct {
	from   netip.AddrPort
	access access

	subscribed map[uint32]uint32 // by channel: the client's number of its subscription
	byID       map[uint32]uint32 // by subscription: its channel
	controls   bool              // it knows of playback
	graph      bool              // it wants the graph of connections
	parameters map[string]bool   // it wants changes of these
	asked      time.Time         // when it asked for all parameters

	wake   chan struct{} // holds one token while something waits
	cancel context.CancelFunc
	buf    []byte // of the goroutine that sends

	mu      sync.Mutex
	frames  []frame
	queue   bounded.Ring[queued]
	bytes   int // of the queue
	now     soccer.Time
	moved   bool      // now is to be sent
	state   *Playback // of the playback; nil: the client knows it
	limited bool      // the client was told that messages are dropped
	dropped time.Time
	gone    bool // too many frames wait
}

// frame is a message that is not dropped.
type frame struct {
	binary bool
	data   []byte
}

// queued is a message of a topic.
type queued struct {
	id      uint32 // of the subscription
	at      soccer.Time
	payload []byte
}

func newClient(from netip.AddrPort, a access, controls bool) *client {
	return &client{
		from: from, access: a, controls: controls, subscribed: map[uint32]uint32{}, byID: map[uint32]uint32{},
		parameters: map[string]bool{}, wake: make(chan struct{}, 1), cancel: func() {},
	}
}

// name is what others see of the client.
func (c *client) name() string { return "Foxglove " + c.from.String() }

// greet queues the first messages to a client. The caller holds s.mu.
func (c *client) greet(s *Server) {
	c.tell(s.info())
	all := advertise{"advertise", []description{}}
	for i := range s.channels {
		if c.mayRead(&s.channels[i]) {
			all.Channels = append(all.Channels, s.channels[i].description)
		}
	}
	c.tell(all)
	if len(s.cfg.Services) > 0 {
		c.tell(s.services())
	}
	if c.controls && s.playback != nil {
		c.push(frame{binary: true, data: appendPlayback(nil, s.playback)})
	}
	if s.now != 0 {
		c.setTime(s.now)
	}
}

// mayRead reports whether the client may read a channel.
func (c *client) mayRead(of *channel) bool { return c.access.authorised || !of.private }

// tell queues a JSON message.
func (c *client) tell(v any) { c.push(frame{data: encode(v)}) }

// refuse tells the client what was wrong with its message.
func (c *client) refuse(format string, args ...any) {
	c.tell(status{Op: "status", Level: levelError, Message: fmt.Sprintf(format, args...)})
}

func (c *client) push(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.frames) >= maxFrames {
		c.gone = true // its queue of frames stays as it is
	} else {
		c.frames = append(c.frames, f)
	}
	c.rouse()
}

// rouse wakes the goroutine that sends to the client.
func (c *client) rouse() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// enqueue queues a message of a topic. The oldest ones make room.
func (c *client) enqueue(m queued) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := c.queue.Len(); n > 0 && (n >= maxQueued || c.bytes+len(m.payload) > maxBytes); n = c.queue.Len() {
		oldest := c.queue.At(0)
		c.bytes -= len(oldest.payload)
		oldest.payload = nil
		c.queue.Drop(1)
		c.dropped = time.Now()
		if !c.limited {
			c.limited = true
			c.frames = append(c.frames, frame{data: encode(status{"status", levelWarning, limitReached, limitID})})
		}
	}
	*c.queue.Push(maxQueued) = m
	c.bytes += len(m.payload)
	c.rouse()
}

// setTime queues the time of the recording; a newer one replaces it.
func (c *client) setTime(now soccer.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.moved = now, true
	c.rouse()
}

// setState queues the state of the playback, which follows the messages that wait: a recording has ended when its last
// message was sent. A newer state replaces it; nil takes it back.
func (c *client) setState(p *Playback) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = p
	c.rouse()
}

// next takes the next message to the client: a frame, or else the time, a message of a topic, or the state of the playback.
// The time comes before the messages of a step: Lichtblick drops what it has when the time goes back, and computes the rate
// of a topic from the time that has passed. next reports false if nothing waits.
func (c *client) next() (f frame, m queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limited && c.queue.Len() == 0 && time.Since(c.dropped) > calmAfter {
		c.limited = false
		c.frames = append(c.frames, frame{data: encode(removeStatus{"removeStatus", []string{limitID}})})
	}
	switch {
	case len(c.frames) > 0:
		f = c.frames[0]
		if c.frames = c.frames[1:]; len(c.frames) == 0 {
			c.frames = nil
		}
	case c.moved:
		c.moved = false
		f = frame{binary: true, data: appendTime(nil, c.now)}
	case c.queue.Len() > 0:
		oldest := c.queue.At(0)
		m = *oldest
		c.bytes -= len(m.payload)
		oldest.payload = nil
		c.queue.Drop(1)
	case c.state != nil:
		f = frame{binary: true, data: appendPlayback(nil, c.state)}
		c.state = nil
	default:
		return f, m, false
	}
	return f, m, true
}

// serve serves a client that was admitted until it disconnects or ctx ends.
func (s *Server) serve(ctx context.Context, c *client, conn *websocket.Conn) {
	conn.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	c.cancel = cancel
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return
	}
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		defer cancel()
		for {
			kind, msg, err := conn.Read(ctx)
			if err != nil {
				return
			}
			s.receive(c, kind, msg)
		}
	}()
	for c.send(ctx, conn) == nil {
	}
	cancel()
	<-reading // it may still send the reason of a close
}

// send waits for messages to the client, and writes them.
func (c *client) send(ctx context.Context, conn *websocket.Conn) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.wake:
	}
	for {
		f, m, ok := c.next()
		if !ok {
			break
		}
		kind := websocket.MessageText
		if f.data == nil { // it is copied here, where it delays nobody
			c.buf = appendMessage(c.buf[:0], m.id, m.at, m.payload)
			f = frame{binary: true, data: c.buf}
		}
		if f.binary {
			kind = websocket.MessageBinary
		}
		write, cancel := context.WithTimeout(ctx, writeTimeout)
		err := conn.Write(write, kind, f.data)
		cancel()
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	gone := c.gone
	c.mu.Unlock()
	if gone {
		return conn.Close(websocket.StatusPolicyViolation, "too many requests: their answers were not read")
	}
	return nil
}

// receive carries out a message of a client.
func (s *Server) receive(c *client, kind websocket.MessageType, msg []byte) {
	r, err := parse(kind, msg)
	if err != nil {
		c.refuse("%s", err.Error())
		return
	}
	switch r.Op {
	case "subscribe":
		s.subscribe(c, r.Subscriptions)
	case "unsubscribe":
		s.unsubscribe(c, r.Unsubscribed)
	case "call":
		s.carry(c, &r)
	case "control":
		s.control(c, &r.control)
	case "subscribeConnectionGraph":
		if s.cfg.Graph == nil {
			c.refuse("this program knows no graph of connections")
			return
		}
		s.lookAtGraph(c)
	case "unsubscribeConnectionGraph":
		s.mu.Lock()
		c.graph = false
		s.mu.Unlock()
	case "getParameters", "setParameters", "subscribeParameterUpdates", "unsubscribeParameterUpdates":
		s.parameters(c, &r)
	case "advertise", "unadvertise", "publish":
		c.refuse("clients publish nothing here: drive robots on their pages")
	case "fetchAsset":
		c.refuse("there are no assets here")
	}
}

// subscribe subscribes a client to channels. Those that cannot be subscribed are named in one status.
func (s *Server) subscribe(c *client, wanted []subscription) {
	var refused []string
	var first []subscription
	s.mu.Lock()
	for _, w := range wanted {
		why := ""
		switch {
		case w.Channel < 1 || int64(w.Channel) > int64(len(s.channels)) || !c.mayRead(&s.channels[w.Channel-1]):
			why = fmt.Sprintf("there is no channel %d", w.Channel)
		case has(c.byID, w.ID):
			why = fmt.Sprintf("the subscription %d exists", w.ID)
		case has(c.subscribed, w.Channel):
			why = fmt.Sprintf("%s is subscribed already", s.channels[w.Channel-1].Topic)
		}
		if why != "" {
			refused = append(refused, why)
			continue
		}
		c.subscribed[w.Channel], c.byID[w.ID] = w.ID, w.Channel
		s.channels[w.Channel-1].subscribers++
		first = append(first, w)
	}
	s.mu.Unlock()
	if len(refused) > 0 {
		c.refuse("%d of %d subscriptions are refused: %s", len(refused), len(wanted),
			strings.Join(refused[:min(3, len(refused))], "; "))
	}
	if s.cfg.First == nil {
		return
	}
	for _, w := range first {
		s.mu.Lock()
		name := s.channels[w.Channel-1].Topic
		s.mu.Unlock()
		if m, ok := s.cfg.First(name); ok {
			c.enqueue(queued{w.ID, m.Time, payloadOf(&m)})
		}
	}
}

func has(m map[uint32]uint32, key uint32) bool {
	_, ok := m[key]
	return ok
}

func (s *Server) unsubscribe(c *client, ids []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unknown := 0
	for _, id := range ids {
		channel, ok := c.byID[id]
		if !ok {
			unknown++
			continue
		}
		delete(c.byID, id)
		delete(c.subscribed, channel)
		s.channels[channel-1].subscribers--
	}
	if unknown > 0 {
		c.refuse("unsubscribe: %d of %d subscriptions do not exist", unknown, len(ids))
	}
}

// errReads is why a client may change nothing.
var errReads = errors.New("this connection may only read: connect to the address with a token that the page /foxglove of " +
	"this program shows")

// carry carries out a service call.
func (s *Server) carry(c *client, r *request) {
	answer, err := s.call(c, r)
	if err != nil {
		c.tell(callFailure{"serviceCallFailure", r.service, r.call, err.Error()})
		return
	}
	c.push(frame{binary: true, data: appendAnswer(nil, r.service, r.call, "json", answer)})
}

// call returns the answer of a service as JSON.
func (s *Server) call(c *client, r *request) ([]byte, error) {
	if r.service < 1 || int64(r.service) > int64(len(s.cfg.Services)) {
		return nil, fmt.Errorf("there is no service %d", r.service)
	}
	name, body := s.cfg.Services[r.service-1].Name, r.payload
	if len(body) == 0 {
		body = []byte("{}")
	}
	switch {
	case !c.access.calls:
		return nil, fmt.Errorf("%s: %w", name, errReads)
	case r.encoding != "json":
		return nil, fmt.Errorf("%s: the encoding %.40q is not known: want json", name, r.encoding)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%s: the request has %d bytes: at most %d", name, len(body), maxBody)
	case !json.Valid(body):
		return nil, fmt.Errorf("%s: the request is not valid JSON", name)
	}
	v, err := s.cfg.Commands.Carry(control.Request{
		Name: name, Body: body, Authorised: c.access.authorised, Received: time.Now(),
	})
	if err != nil || v == nil {
		return []byte("{}"), err
	}
	return json.Marshal(v)
}

// maxBody is the longest request of a service in bytes, as of a page's command.
const maxBody = 64 << 10

// control controls the playback for a client, which then knows of it.
func (s *Server) control(c *client, wish *Control) {
	switch {
	case s.cfg.Control == nil:
		c.refuse("playback: the session is live")
		return
	case !c.access.calls:
		c.refuse("playback: %v", errReads)
		return
	}
	p := s.cfg.Control(*wish)
	s.tell(p, c)
	p.ID = wish.ID
	c.push(frame{binary: true, data: appendPlayback(nil, &p)})
}
