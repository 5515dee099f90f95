package learnnet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"touchline/internal/vss"
	"touchline/internal/vss/learn"
	"touchline/internal/vss/learn/learnnet"
)

// rawCodec hands the bytes of messages through.
type rawCodec struct{}

func (rawCodec) Name() string                    { return "proto" }
func (rawCodec) Marshal(m any) ([]byte, error)   { return *m.(*[]byte), nil }
func (rawCodec) Unmarshal(b []byte, m any) error { *m.(*[]byte) = bytes.Clone(b); return nil }

var _ encoding.Codec = rawCodec{}

// stepper is a client of games.proto with gRPC's own Go library.
type stepper struct {
	t      testing.TB
	stream grpc.ClientStream
}

// reply is a StepsReply: the content of each field by its number.
type reply map[protowire.Number][]byte

func (r reply) floats(number protowire.Number) (all []float32) {
	for b := range slices.Chunk(r[number], 4) {
		all = append(all, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return all
}

// serveSteps starts the service and returns its address.
func serveSteps(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- learnnet.ServeSteps(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func newStepper(t testing.TB, address string) *stepper {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true},
		"/touchline.learn.Games/Steps")
	if err != nil {
		t.Fatal(err)
	}
	return &stepper{t, stream}
}

// field appends a field with a length.
func field(b []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), content)
}

func packed(v ...float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// ask sends a request and returns its reply.
func (s *stepper) ask(request []byte) (reply, error) {
	s.t.Helper()
	_ = s.stream.SendMsg(&request) // its error is that of RecvMsg
	var b []byte
	if err := s.stream.RecvMsg(&b); err != nil {
		return nil, err
	}
	r := reply{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || kind != protowire.BytesType {
			s.t.Fatalf("got % x", b)
		}
		content, size := protowire.ConsumeBytes(b[n:])
		if size < 0 {
			s.t.Fatalf("got % x", b)
		}
		r[number], b = content, b[n+size:]
	}
	return r, nil
}

func (s *stepper) must(request []byte) reply {
	s.t.Helper()
	r, err := s.ask(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if text := string(r[2]); text != "" {
		s.t.Fatal(text)
	}
	return r
}

// Over gRPC the same seeds and actions give the same numbers as in process, bit by bit.
func TestSteps(t *testing.T) {
	const games, ticks, steps = 5, 2, 40
	cfg := learn.DefaultConfig()
	cfg.Games, cfg.Ticks, cfg.Agents, cfg.Opponents = games, ticks, 2, learn.Builtin
	s := newStepper(t, serveSteps(t))
	first := s.must(field(nil, 1, []byte(`{"games":5,"ticks":2,"agents":2,"opponents":"builtin"}`)))
	var d struct {
		Arrays []learnnet.Array `json:"arrays"`
	}
	if err := json.Unmarshal(first[1], &d); err != nil || len(d.Arrays) != 10 {
		t.Fatalf("got description %q, %v", first[1], err)
	}
	seeds := []byte{}
	for i := range games {
		seeds = binary.LittleEndian.AppendUint64(seeds, uint64(100+i))
	}
	r := s.must(field(field(nil, 3, []byte{1, 1, 1, 1, 1}), 4, seeds))
	local := make([]*learn.Game, games)
	for i := range local {
		local[i] = learn.New(&cfg)
		if err := local[i].Reset(uint64(100+i), (*vss.Lineup)(nil)); err != nil {
			t.Fatal(err)
		}
	}
	for k := range steps {
		var actions []float32
		want := make([]byte, 4*cfg.Observation())
		for i, g := range local {
			own := []float32{float32(k%7)/7 - 0.5, float32(i) / 5, 0.3, -float32(k) / steps}
			g.Observe(0, want)
			if got := r[3][i*len(want):][:len(want)]; !bytes.Equal(got, want) {
				t.Fatalf("step %d, game %d: got observation % x, want % x", k, i, got, want)
			}
			g.Step(own)
			actions = append(actions, own...)
		}
		if r = s.must(field(nil, 2, packed(actions...))); len(r[1]) > 0 {
			t.Fatal("the description came again")
		}
		for i, g := range local {
			if got, want := r.floats(5)[i], float32(g.Result().Reward[0]); got != want {
				t.Fatalf("step %d, game %d: got reward %v, want %v", k, i, got, want)
			}
			if g.Done() {
				t.Fatalf("step %d, game %d ended; choose other seeds", k, i)
			}
		}
	}
	if len(r[7]) != 2*games || len(r[9]) != 4*games || len(r.floats(8)) != games*cfg.Truth() {
		t.Errorf("got ends %v, episodes %v and %d numbers of truth", r[7], r[9], len(r.floats(8)))
	}
	if err := s.stream.CloseSend(); err != nil {
		t.Error(err)
	}
	var b []byte
	if err := s.stream.RecvMsg(&b); err == nil || err.Error() != "EOF" {
		t.Errorf("at the end: got %v, want EOF", err)
	}
}

// A wrong request has no effect, and the stream goes on.
func TestStepsWrong(t *testing.T) {
	s := newStepper(t, serveSteps(t))
	s.must(field(nil, 1, []byte(`{"games":2}`)))
	for want, request := range map[string][]byte{
		"shape [2 1 1 2]":    field(nil, 2, packed(1, 1)),
		"finite numbers":     field(nil, 2, packed(1, float32(math.NaN()), 0, 0)),
		"not both":           field(field(nil, 2, packed(1, 1, 1, 1)), 3, []byte{1, 1}),
		"seeds: got 0 bytes": field(nil, 3, []byte{1, 1}),
		"mask: got 3 bytes":  field(field(nil, 3, []byte{1, 1, 1}), 4, make([]byte, 16)),
	} {
		r, err := s.ask(request)
		if err != nil || !strings.Contains(string(r[2]), want) {
			t.Errorf("got %q, %v, want %q", r[2], err, want)
		}
	}
	var unpacked []byte
	for range 4 {
		unpacked = protowire.AppendFixed32(protowire.AppendTag(unpacked, 2, protowire.Fixed32Type), math.Float32bits(0.5))
	}
	s.must(unpacked)
	if _, err := s.ask(field(nil, 1, []byte("{}"))); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a second configuration: got %v", err)
	}
}

// A configuration that is refused ends the stream; games and memory of an ended stream are free again.
func TestStepsRefused(t *testing.T) {
	address := serveSteps(t)
	for want, config := range map[string]string{
		"games": `{"games":0}`, "the limit is 2048 MiB": `{"games":100000}`, "ticks": `{"ticks":0}`, "JSON": `{`,
	} {
		_, err := newStepper(t, address).ask(field(nil, 1, []byte(config)))
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", config, err, want)
		}
	}
	for range 40 { // more than there may be at the same time
		s := newStepper(t, address)
		s.must(nil)
		_ = s.stream.CloseSend()
		var b []byte
		for s.stream.RecvMsg(&b) == nil {
		}
	}
	held := make([]*stepper, 32)
	for i := range held {
		held[i] = newStepper(t, address)
		held[i].must(nil)
	}
	if _, err := newStepper(t, address).ask(nil); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("stream 33: got %v", err)
	}
}

func BenchmarkSteps(b *testing.B) {
	s := newStepper(b, serveSteps(b))
	s.must(field(nil, 1, []byte(`{"games":16,"ticks":4,"autoreset":true}`)))
	actions := field(nil, 2, packed(make([]float32, 32)...))
	b.ResetTimer()
	for range b.N {
		s.must(actions)
	}
	b.ReportMetric(float64(64*b.N)/b.Elapsed().Seconds(), "ticks/s")
}

// After the last stream the service gives the memory of its games back to the system.
func TestMemoryIsGivenBack(t *testing.T) {
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	address := serveSteps(t)
	debug.FreeOSMemory()
	before := held()
	var streams []*stepper
	for range 4 {
		s := newStepper(t, address)
		if _, err := s.ask(field(nil, 1, []byte(`{"games":500}`))); err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	}
	took := held() - before
	for _, s := range streams {
		if err := s.stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2000 {
		if held() < before+took/4 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d bytes of %d are still held after the last stream", held()-before, took)
}
