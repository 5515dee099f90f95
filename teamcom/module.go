package teamcom

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// From describes a received message.
type From struct {
	Entity   tcm.Entity
	Module   tcm.Module // module that sent it
	To       tcm.Entity // this node, or all of its kind
	Type     tcm.Type
	Number   uint32      // number among the messages of this source, destination, module and type
	Received soccer.Time // arrival of the datagram that completed it
	Now      soccer.Time // when the handler started
	// Captured is the capture time on this node's clock. Until the offset of the source's clock is known (Synced is
	// false), it is the arrival less the message's age at departure: latency counts as 0.
	Captured soccer.Time
	Synced   bool
	Size     int // bytes of the message
	// Missing has the bytes that did not arrive and are 0 in the message. Empty: the message is whole. It is valid during
	// the call.
	Missing []Range
}

// Range is a range of bytes [Start, End).
type Range struct{ Start, End int }

// Payload is a message that decodes itself from bytes. DataType returns its tcm.Type.
type Payload[T any] interface {
	*T
	UnmarshalBinary(b []byte) error
	DataType() uint16
}

// Module is a module of this node's program: it receives messages through its handlers, one at a time and in order, and
// sends with its Client.
type Module struct {
	node     *Node
	id       tcm.Module
	handlers []handlers
	queue    inbox
	running  bool
	current  delivery    // whose handlers run
	started  soccer.Time // start of the running handler
	busy     time.Duration
	counters HandlerReport
}

// handlers are those of a module for one type, and listeners the modules with handlers for it. A node has few types: a list
// is searched sooner than a map.
type (
	handlers struct {
		typ tcm.Type
		all []handler
	}
	listeners struct {
		typ tcm.Type
		all []*Module
	}
)

// handler handles one message outside the node's lock. It returns an error if the message does not decode.
type handler func(from *From, message []byte) error

// Module returns the module of an id, and creates it at the first call.
func (n *Node) Module(id tcm.Module) *Module {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.modules[id] == nil {
		n.modules[id] = &Module{node: n, id: id}
	}
	return n.modules[id]
}

// ID returns the module's id.
func (m *Module) ID() tcm.Module { return m.id }

// Client returns the module's client.
func (m *Module) Client() *Client { return &Client{node: m.node, module: m.id} }

// Handle registers fn for the messages of a type. The message is decoded into memory that the next call reuses: fn
// copies the parts that it keeps. Messages that do not decode are counted.
func Handle[T any, P Payload[T]](m *Module, fn func(From, P)) {
	message := P(new(T))
	m.register(tcm.Type(message.DataType()), func(from *From, b []byte) error {
		if len(from.Missing) > 0 {
			return errIncomplete
		}
		if err := message.UnmarshalBinary(b); err != nil {
			return err
		}
		fn(*from, message)
		return nil
	})
}

// HandleBytes registers fn for the undecoded messages of a type. The bytes are valid during the call. If the type's
// options have Partial, fn also receives incomplete messages; From.Missing then lists the missing ranges.
func HandleBytes(m *Module, t tcm.Type, fn func(From, []byte)) {
	m.register(t, func(from *From, b []byte) error {
		fn(*from, b)
		return nil
	})
}

func (m *Module) register(t tcm.Type, h handler) {
	m.node.mu.Lock()
	defer m.node.mu.Unlock()
	i := slices.IndexFunc(m.handlers, func(l handlers) bool { return l.typ == t })
	if i < 0 {
		i = len(m.handlers)
		m.handlers = append(m.handlers, handlers{typ: t})
		m.node.listen(t, m)
	}
	m.handlers[i].all = append(m.handlers[i].all, h)
}

// listen makes a module receive messages of a type.
func (n *Node) listen(t tcm.Type, m *Module) {
	i := slices.IndexFunc(n.listeners, func(l listeners) bool { return l.typ == t })
	if i < 0 {
		i = len(n.listeners)
		n.listeners = append(n.listeners, listeners{typ: t})
	}
	n.listeners[i].all = append(n.listeners[i].all, m)
}

// listenersOf returns the modules that have handlers for a type.
func (n *Node) listenersOf(t tcm.Type) []*Module {
	for i := range n.listeners {
		if n.listeners[i].typ == t {
			return n.listeners[i].all
		}
	}
	return nil
}

// handlersOf returns the module's handlers for a type.
func (m *Module) handlersOf(t tcm.Type) []handler {
	for i := range m.handlers {
		if m.handlers[i].typ == t {
			return m.handlers[i].all
		}
	}
	return nil
}

// Pending returns the number of messages that wait for the module's handlers.
func (m *Module) Pending() int {
	m.node.mu.Lock()
	defer m.node.mu.Unlock()
	return m.queue.Len()
}

// Run calls the handlers of at most limit waiting messages, in the order of their arrival, and returns the number of
// messages. It is called on the module's goroutine, or in virtual time by the loop that owns the node; while one call
// runs, others return 0. It measures the time of handlers with the clock now. A handler that panics is counted, and the
// next one runs.
func (m *Module) Run(now func() soccer.Time, limit int) int {
	if limit <= 0 {
		return 0
	}
	at := now()
	handlers := m.start(at)
	done := 0
	for ; handlers != nil; done++ {
		d := &m.current
		d.from.Now = at
		var results [4]error // most types have one handler
		errs := results[:0]
		for _, h := range handlers {
			errs = append(errs, call(h, &d.from, d.message()))
		}
		at = now()
		handlers = m.next(errs, at, done+1 < limit)
	}
	return done
}

// start makes the oldest message of the queue the current one and returns its handlers, or nil if there is none.
func (m *Module) start(now soccer.Time) []handler {
	m.node.mu.Lock()
	defer m.node.mu.Unlock()
	if m.running {
		return nil
	}
	return m.pop(now)
}

// next finishes the current message, whose handlers returned errs, and starts another one if more is true.
func (m *Module) next(errs []error, now soccer.Time, more bool) []handler {
	m.node.mu.Lock()
	defer m.node.mu.Unlock()
	for _, err := range errs {
		m.count(err)
	}
	m.running = false
	m.busy += max(now.Sub(m.started), 0)
	m.node.pool.release(m.current.buf)
	if !more {
		return nil
	}
	return m.pop(now)
}

func (m *Module) pop(now soccer.Time) []handler {
	if m.queue.Len() == 0 {
		return nil
	}
	m.queue.pop(&m.current)
	m.running, m.started = true, now
	return m.handlersOf(m.current.from.Type)
}

func (m *Module) count(err error) {
	if err == errIncomplete {
		return
	}
	m.counters.Calls++
	switch err := err.(type) {
	case nil:
	case panicError:
		m.counters.Panics++
		m.counters.LastPanic = string(err)
	default:
		m.counters.Undecodable++
	}
}

// errIncomplete means that a handler does not receive incomplete messages.
var errIncomplete = errors.New("teamcom: incomplete message")

// panicError is the text of a handler's panic.
type panicError string

func (p panicError) Error() string { return string(p) }

// call calls h and turns a panic into a panicError.
func call(h handler, from *From, message []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			const most = 200
			text := fmt.Sprint(r)
			err = panicError(text[:min(len(text), most)])
		}
	}()
	return h(from, message)
}
