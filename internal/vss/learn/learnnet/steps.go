package learnnet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"

	"touchline/transport"
)

// stepsProcedure is the service of games.proto.
const stepsProcedure = "/touchline.learn.Games/Steps"

// Bounds of the service: streams at the same time, and bytes of a request.
const (
	maxStreams = 32
	maxRequest = 64 << 20
)

// ServeSteps serves games over gRPC (games.proto) to programs that share no memory with this one, until the context ends.
// Each stream has games of its own, and all of them together take maxMemory at most.
func ServeSteps(ctx context.Context, l net.Listener) error {
	steps := &stepsServer{}
	mux := http.NewServeMux()
	games := connect.NewBidiStreamHandler(stepsProcedure, steps.serve,
		connect.WithCodec(stepsCodec{}), connect.WithReadMaxBytes(maxRequest))
	mux.HandleFunc(stepsProcedure, func(w http.ResponseWriter, r *http.Request) {
		games.ServeHTTP(w, r)
		steps.giveBack()
	})
	server := &http.Server{
		Handler: http.NewCrossOriginProtection().Handler(mux), ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, WriteByteTimeout: 10 * time.Second, SendPingTimeout: time.Minute,
		},
	}
	server.Protocols.SetUnencryptedHTTP2(true)
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := transport.Limit(l, transport.DefaultLimits()).Serve(server); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("games at %s: %w", l.Addr(), err)
	}
	return nil
}

// stepsServer counts the streams and their memory.
type stepsServer struct {
	mu      sync.Mutex
	streams int
	used    int // bytes
}

// claim takes a stream's memory, for which maxMemory is left, until the function that it returns is called.
func (s *stepsServer) claim(need int) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= maxStreams || s.used+need > maxMemory {
		return nil, connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("%d streams have games already, with %d MiB; "+
			"the limits are %d streams and %d MiB, and these games need %d MiB", s.streams, s.used>>20, maxStreams,
			maxMemory>>20, need>>20))
	}
	s.streams, s.used = s.streams+1, s.used+need
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams, s.used = s.streams-1, s.used-need
	}, nil
}

// giveBack gives the memory of games back to the system after the last stream. The first collection leaves what is kept
// for reuse.
func (s *stepsServer) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == 0 {
		runtime.GC()
		debug.FreeOSMemory()
	}
}

// serve plays the games of one stream.
func (s *stepsServer) serve(_ context.Context, stream *connect.BidiStream[stepsRequest, stepsReply]) error {
	q, err := stream.Receive()
	if err != nil {
		return ended(err)
	}
	config := []byte(q.config)
	if len(config) == 0 {
		config = []byte("{}")
	}
	release := func() {}
	games, err := newServer(config, func(l *layout) (*shared, error) {
		var err error
		if release, err = s.claim(l.need); err != nil {
			release = func() {}
			return nil, err
		}
		return &shared{data: make([]byte, l.size)}, nil
	})
	defer func() { release() }()
	if err != nil {
		if connect.CodeOf(err) == connect.CodeUnknown {
			err = connect.NewError(connect.CodeInvalidArgument, err)
		}
		return err
	}
	defer games.close()
	description, err := json.Marshal(games.describe())
	if err != nil {
		return err
	}
	for reply := (&stepsReply{games: games, description: string(description)}); ; reply.description = "" {
		reply.err = games.carryOut(q)
		if err := stream.Send(reply); err != nil {
			return err
		}
		if q, err = stream.Receive(); err != nil {
			return ended(err)
		}
		if q.config != "" {
			return connect.NewError(connect.CodeInvalidArgument, errors.New("config: only the first request of a stream has it"))
		}
	}
}

// ended returns nil where the program closed its stream.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// carryOut lets the games do what a request wants.
func (s *server) carryOut(q *stepsRequest) error {
	put := func(name string, to *Array, from []byte) error {
		part := to.all(s.memory.data)
		if len(from) != len(part) {
			return fmt.Errorf("%s: got %d bytes, want %d: shape %v", name, len(from), len(part), to.Shape)
		}
		copy(part, from)
		return nil
	}
	switch l := s.layout; {
	case len(q.actions) > 0 && len(q.mask)+len(q.seeds) > 0:
		return errors.New("actions and mask: a request is a step or a reset, not both")
	case len(q.actions) > 0:
		if err := put("actions", &l.actions, q.actions); err != nil {
			return err
		}
		return s.command(stepCommand)
	case len(q.mask)+len(q.seeds) > 0:
		if err := errors.Join(put("mask", &l.mask, q.mask), put("seeds", &l.seeds, q.seeds)); err != nil {
			return err
		}
		return s.command(resetCommand)
	}
	return nil
}

// stepsRequest is StepsRequest. Lists of numbers are their little-endian bytes, as in the block.
type stepsRequest struct {
	config               string
	actions, mask, seeds []byte
}

// stepsReply is StepsReply: the arrays of games.
type stepsReply struct {
	games       *server
	description string
	err         error
}

// stepsCodec reads and writes the messages of games.proto.
type stepsCodec struct{}

// Name returns the name of the format in gRPC.
func (stepsCodec) Name() string { return "proto" }

// Marshal encodes a StepsReply: the numbers of the block are those of packed lists, byte by byte.
func (stepsCodec) Marshal(m any) ([]byte, error) {
	r, ok := m.(*stepsReply)
	if !ok {
		return nil, fmt.Errorf("the service does not send %T", m)
	}
	l, block := r.games.layout, r.games.memory.data
	b := make([]byte, 0, len(block)+len(r.description)+256)
	text := func(number protowire.Number, s string) {
		if s != "" {
			b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
		}
	}
	text(1, r.description)
	if r.err != nil {
		text(2, r.err.Error())
	}
	for i, a := range []*Array{&l.observations, &l.finals, &l.rewards, &l.terms, &l.ends, &l.truth, &l.episodes} {
		b = protowire.AppendTag(b, protowire.Number(i+3), protowire.BytesType)
		b = protowire.AppendBytes(b, a.all(block))
	}
	return b, nil
}

// Unmarshal decodes a StepsRequest. Lists may be packed or not.
func (stepsCodec) Unmarshal(b []byte, m any) error {
	q, ok := m.(*stepsRequest)
	if !ok {
		return fmt.Errorf("the service does not receive %T", m)
	}
	*q = stepsRequest{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		value := b[n:]
		size := protowire.ConsumeFieldValue(number, kind, value)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = value[size:]
		switch {
		case kind == protowire.BytesType:
			content, _ := protowire.ConsumeBytes(value)
			q.set(number, content)
		case kind == protowire.Fixed32Type && number == 2:
			q.actions = append(q.actions, value[:4]...)
		case kind == protowire.Fixed64Type && number == 4:
			q.seeds = append(q.seeds, value[:8]...)
		}
	}
	return nil
}

// set takes the content of a field.
func (q *stepsRequest) set(number protowire.Number, content []byte) {
	switch number {
	case 1:
		q.config = string(content)
	case 2:
		q.actions = append(q.actions, content...)
	case 3:
		q.mask = append(q.mask[:0], content...)
	case 4:
		q.seeds = append(q.seeds, content...)
	}
}
