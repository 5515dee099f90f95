package vssnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"touchline/transport"
	"touchline/wire/firasim"
)

// simulateProcedure is the service that FIRASim's proto files declare and FIRASim never served (FIRASim).
const simulateProcedure = "/fira_message.sim_to_ref.Simulate/Simulate"

// The procedures of the service that saves and restores the state, which is touchline's own:
//
//	service State {
//	  rpc Save(google.protobuf.StringValue) returns (google.protobuf.Empty);  // the name of a slot
//	  rpc Restore(google.protobuf.StringValue) returns (fira_message.sim_to_ref.Environment);
//	}
const (
	saveProcedure    = "/touchline.vss.State/Save"
	restoreProcedure = "/touchline.vss.State/Restore"
)

// Bounds of the service: bytes of a Packet, waiting calls, and the times for a request and its answer.
const (
	maxPacket  = 64 << 10
	maxCalls   = 64
	headerTime = 5 * time.Second  // also for the body
	writeTime  = 10 * time.Second // of HTTP/2, for some bytes of an answer
)

// simulate applies a packet and returns the vision of the next tick, which runs when the commands of all expected teams
// have arrived. A packet has the complete commands of its teams for this tick; a packet without commands stands for all
// teams. The configured loss of vision does not apply.
func (s *Server) simulate(ctx context.Context, from netip.AddrPort, r *request) (*firasim.Environment, error) {
	c := &call{done: make(chan struct{})}
	now := time.Now()
	s.mu.Lock()
	step := s.step
	step.note(&r.packet, true, now)
	completes := s.step.waits(s.session) && !step.waits(s.session)
	if len(step.calls) >= maxCalls && !completes {
		s.mu.Unlock()
		return nil, connect.NewError(connect.CodeResourceExhausted,
			fmt.Errorf("vss: %d calls are waiting already; the limit is reached", maxCalls))
	}
	s.noteClient(from, &r.packet, r.raw, now)
	s.session.Receive(from, &r.packet)
	s.step = step
	s.step.calls = append(s.step.calls, c)
	s.mu.Unlock()
	s.received.Add(1)
	s.wakeLoop()
	select {
	case <-c.done:
		return &c.env, nil
	case <-ctx.Done(): // its commands stay in effect
		s.mu.Lock()
		s.step.calls = slices.DeleteFunc(s.step.calls, func(other *call) bool { return other == c })
		s.mu.Unlock()
		return nil, ctx.Err()
	case <-s.ended:
		return nil, connect.NewError(connect.CodeUnavailable, errEnded)
	}
}

// serveSimulate serves Simulate over gRPC (HTTP/2 without TLS), gRPC-Web and Connect until the context ends.
func (s *Server) serveSimulate(ctx context.Context, tcp net.Listener) error {
	at, _ := netip.ParseAddrPort(tcp.Addr().String())
	answer := func(ctx context.Context, r *connect.Request[request]) (*connect.Response[firasim.Environment], error) {
		from, _ := netip.ParseAddrPort(r.Peer().Addr) // always valid over TCP
		s.recordSent(from, at, r.Msg.raw)
		env, err := s.simulate(ctx, from, r.Msg)
		if err != nil {
			return nil, err
		}
		s.recordAnswer(at, from, env)
		return connect.NewResponse(env), nil
	}
	options := []connect.HandlerOption{connect.WithCodec(codec{}), connect.WithReadMaxBytes(maxPacket)}
	mux := http.NewServeMux()
	mux.Handle(simulateProcedure, connect.NewUnaryHandler(simulateProcedure, answer, options...))
	mux.Handle(saveProcedure, connect.NewUnaryHandler(saveProcedure, s.serveSave, options...))
	mux.Handle(restoreProcedure, connect.NewUnaryHandler(restoreProcedure, s.serveRestore, options...))
	server := &http.Server{
		Handler: http.NewCrossOriginProtection().Handler(timed(mux)), ReadHeaderTimeout: headerTime, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxCalls, WriteByteTimeout: writeTime, SendPingTimeout: time.Minute},
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := transport.Limit(tcp, transport.DefaultLimits()).Serve(server); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("vss: Simulate at %s: %w", tcp.Addr(), err)
	}
	return nil
}

// timed limits the time in which the body of a request must arrive.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(headerTime)) // both protocols have deadlines
		r.Body = timedBody{r.Body, control}
		next.ServeHTTP(w, r)
	})
}

// timedBody removes the deadline at the end of the body: a call may then wait for its tick.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// serveSave answers Save.
func (s *Server) serveSave(_ context.Context,
	r *connect.Request[wrapperspb.StringValue]) (*connect.Response[emptypb.Empty], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.save(r.Msg.GetValue()); {
	case errors.Is(err, errSlotsTaken):
		return nil, connect.NewError(connect.CodeResourceExhausted, err)
	case err != nil:
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	return connect.NewResponse(&emptypb.Empty{}), nil
}

// serveRestore answers Restore with the restored vision.
func (s *Server) serveRestore(_ context.Context,
	r *connect.Request[wrapperspb.StringValue]) (*connect.Response[firasim.Environment], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.restore(r.Msg.GetValue()); err != nil {
		return nil, connect.NewError(connect.CodeNotFound, err)
	}
	env, _ := s.session.Vision()
	restored := env.Clone()
	return connect.NewResponse(&restored), nil
}

// recordAnswer records the answer to a call as a datagram, without the framing of gRPC.
func (s *Server) recordAnswer(from, to netip.AddrPort, env *firasim.Environment) {
	if s.Record == nil {
		return
	}
	if b, err := env.AppendBinary(nil); err == nil { // on an error the caller gets no answer either
		s.recordSent(from, to, b)
	}
}

// request is the Packet of a call.
type request struct {
	packet firasim.Packet
	raw    []byte // for the record and the page
}

// codec reads and writes the service's messages.
type codec struct{}

// Name returns the name of the format in gRPC.
func (codec) Name() string { return "proto" }

// Marshal encodes a message.
func (codec) Marshal(m any) ([]byte, error) {
	switch m := m.(type) {
	case *firasim.Environment:
		return m.AppendBinary(nil)
	case *emptypb.Empty:
		return nil, nil
	}
	return nil, fmt.Errorf("vss: the service does not send %T", m)
}

// Unmarshal decodes a message.
func (codec) Unmarshal(b []byte, m any) error {
	switch m := m.(type) {
	case *request:
		m.raw = bytes.Clone(b)
		return m.packet.UnmarshalBinary(b)
	case *wrapperspb.StringValue:
		return proto.Unmarshal(b, m)
	}
	return fmt.Errorf("vss: the service does not receive %T", m)
}
