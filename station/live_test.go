package station_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/station"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

const patience = 20 * time.Second

// box plays a RefBox: a listener that the test speaks for.
type box struct {
	net.Listener
	t *testing.T
}

func listen(t *testing.T, address string) *box {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &box{l, t}
}

// conn is the box's end of a connection.
type conn struct {
	net.Conn
	r *bufio.Reader
	t *testing.T
}

func (b *box) accept() *conn {
	b.t.Helper()
	b.Listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	c, err := b.Accept()
	if err != nil {
		b.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	b.t.Cleanup(func() { c.Close() })
	return &conn{c, bufio.NewReader(c), b.t}
}

func (c *conn) says(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// hears returns the next message.
func (c *conn) hears() []byte {
	c.t.Helper()
	m, err := c.r.ReadBytes(0)
	if err != nil {
		c.t.Fatal(err)
	}
	return m[:len(m)-1]
}

const welcome = "{\n  \"command\": \"WELCOME\",\n  \"targetTeam\": \"224.16.32.39\"\n}\x00"

func command(name string) string {
	return fmt.Sprintf("{\n  \"command\": %q,\n  \"targetTeam\": \"\"\n}\x00", name)
}

// running is a station on the network.
type running struct {
	*station.Live
	told chan string
	stop context.CancelFunc
	done chan error
}

func run(t *testing.T, address string, robots *transport.Receiver, rate float64) *running {
	t.Helper()
	return runLogged(t, address, robots, rate, slog.New(slog.DiscardHandler))
}

func runLogged(t *testing.T, address string, robots *transport.Receiver, rate float64, log *slog.Logger) *running {
	t.Helper()
	live, err := station.NewLive(station.DefaultConfig(39), address, log)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{Live: live, told: make(chan string, 1000), done: make(chan error, 1)}
	live.Rate = rate
	live.Told = func(c station.Told, _ []byte) { r.told <- c.Command.Name }
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.done <- live.Run(ctx, robots) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("the station ended with %v", err)
		}
	})
	return r
}

func (r *running) hears(t *testing.T, names ...string) {
	t.Helper()
	for _, want := range names {
		select {
		case got := <-r.told:
			if got != want {
				t.Fatalf("it heard %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("it did not hear %s", want)
		}
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// It comes from its team's address, is silent before WELCOME, and then sends what RefBox 2.1 takes.
func TestWelcomeComesLate(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 100)
	c := b.accept()
	if from := c.RemoteAddr().(*net.TCPAddr).IP.String(); from != "127.0.39.1" {
		t.Errorf("team 39 connects from %s", from)
	}
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := c.r.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("before WELCOME it says something: %v", err)
	}
	if err := r.Event(2, "kick"); err != station.ErrNotAccepted {
		t.Errorf("an event before WELCOME: %v", err)
	}
	c.SetDeadline(time.Now().Add(patience))
	c.says(welcome)
	for range 30 {
		if m := c.hears(); takenUpstream(m) != "" {
			t.Fatalf("RefBox 2.1 drops %s", m)
		}
	}
	if err := r.Event(2, "kick"); err != nil {
		t.Fatal(err)
	}
	for m := c.hears(); ; m = c.hears() {
		if msl.KindOf(m) == msl.KindEvent {
			if string(m) != `{"type":"event","robotId":2,"event":"kick"}` {
				t.Errorf("event %s", m)
			}
			break
		}
	}
	until(t, "all is counted", func() bool { h := r.Health(); return h.Sent >= 30 && h.Events == 1 })
	if h := r.Health(); h.RefBox != b.Addr().String() || h.Trouble != "" {
		t.Errorf("health %+v", h)
	}
}

// Commands arrive whole and in order, however the stream is cut and whatever is between them.
func TestCutStream(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, station.DefaultRate)
	c := b.accept()
	all := welcome + "\x00\x00" + command("FIRST_HALF") + command("START") + "nonsense\x00" + command("VAR_CHECK") + command(" GAME_OVER")
	for i := range len(all) {
		c.says(all[i : i+1])
	}
	r.hears(t, "WELCOME", "FIRST_HALF", "START", "VAR_CHECK", "GAMEOVER")
	c.says(command("STOP") + command("FREEKICK") + command("START") + strings.Repeat("x", msl.MaxMessage+1000) + "\x00" + command("STOP"))
	r.hears(t, "STOP", "FREEKICK", "START", "STOP")
	if st := r.State(); st.Part != msl.GameOver || st.Unknown != 1 || st.Running {
		t.Errorf("state %+v", st)
	}
}

// It connects again when the RefBox starts again, waits for WELCOME anew, and nothing of the old connection is sent on.
func TestRefBoxStartsAgain(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 100)
	for i := range 3 {
		c := b.accept()
		c.says(welcome)
		r.hears(t, "WELCOME")
		if m := c.hears(); msl.KindOf(m) != msl.KindWorldstate {
			t.Fatalf("connection %d begins with %s", i, m)
		}
		c.says(command("START"))
		r.hears(t, "START")
		b.Close() // nobody listens for a while
		c.Close()
		until(t, "it sees the end", func() bool { return r.Health().Trouble != "" && !r.State().Accepted })
		if !r.State().Running {
			t.Error("the end of the connection stopped the game")
		}
		b = listen(t, b.Addr().String())
	}
	if h := r.Health(); h.Connected < 3 {
		t.Errorf("health %+v", h)
	}
}

// A RefBox that reads nothing holds nobody up: commands are heard, what is too much is dropped, and nothing is cut.
func TestRefBoxReadsNothing(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 200)
	c := b.accept()
	if err := c.Conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	c.says(welcome)
	r.hears(t, "WELCOME")
	text := strings.Repeat("kick ", 200)
	sent := 0
	until(t, "events are refused", func() bool {
		for range 10 {
			if r.Event(2, text) != nil {
				return true
			}
			sent++
		}
		return false
	})
	c.says(command("START"))
	r.hears(t, "START")
	if !r.State().Running {
		t.Error("it did not hear START")
	}
	held := r.Health().Sent
	for events := 0; events < sent || r.Health().Dropped == 0 || r.Health().Sent < held+10; {
		switch m := c.hears(); msl.KindOf(m) {
		case msl.KindEvent:
			events++
		case msl.KindWorldstate:
		default:
			t.Fatalf("cut: %.60q", m)
		}
	}
}

// What the robots say on the network arrives in the worldstate.
func TestRobotsToWorldstate(t *testing.T) {
	memory, err := transport.NewMemory(traffic.Link{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	group := netip.MustParseAddrPort(mixedteam.Group)
	ear, err := memory.Listen(group)
	if err != nil {
		t.Fatal(err)
	}
	voice, err := memory.Listen(netip.AddrPort{})
	if err != nil {
		t.Fatal(err)
	}
	b := listen(t, "127.0.0.1:0")
	run(t, b.Addr().String(), transport.NewReceiver(ear, mixedteam.Group), 50)
	c := b.accept()
	c.says(welcome)
	sender := transport.NewSender(voice, group)
	defer sender.Close()
	for stamp := uint32(1); ; stamp += 50 {
		p, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: stamp, TeamID: 39, Robot: 3},
			&soccer.Percepts{Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 2, Y: 1}, Confidence: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.Send(p); err != nil {
			t.Fatal(err)
		}
		if err := sender.Send([]byte("no package")); err != nil {
			t.Fatal(err)
		}
		w := decode(t, c.hears())
		if len(w.Robots) == 0 || w.AgeMillis.Value < 60 { // the first ones hold no earlier moment than the empty ones before
			continue
		}
		if w.Robots[0].ID.Value != 3 || w.Robots[0].Pose.At[0].Value != -1 || w.Robots[0].Pose.At[1].Value != 2 {
			t.Errorf("worldstate %+v", w)
		}
		return
	}
}

func TestTargets(t *testing.T) {
	for address, want := range map[string]string{
		"172.16.1.2": "172.16.1.2:28097", "refbox:5000": "refbox:5000", "::1": "[::1]:28097", "[::1]:5000": "[::1]:5000",
		"": "", ":28097": "", "refbox:": "", "refbox:port": "", "refbox:0": "", "refbox:70000": "", "a:b:c": "",
	} {
		got, err := station.ParseTarget(address, 39)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("%q: %v, %v; want %q", address, got, err, want)
		}
	}
}

// IPv6 works where the system has it; nobody knows the team there, but the referee can take it in by hand.
func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this system has no IPv6: ", err)
	}
	b := &box{l, t}
	defer b.Close()
	warned := new(warnings)
	r := runLogged(t, b.Addr().String(), nil, 100, slog.New(slog.NewTextHandler(warned, &slog.HandlerOptions{Level: slog.LevelWarn})))
	c := b.accept()
	c.says(welcome)
	r.hears(t, "WELCOME")
	if text := warned.String(); !strings.Contains(text, "call it by 127.0.0.1") {
		t.Errorf("it warns %q", text)
	}
	if m := c.hears(); !bytes.HasPrefix(m, []byte(`{"type":"worldstate"`)) {
		t.Errorf("it says %s", m)
	}
}

// Without a RefBox it tells why, and ends when it is told to.
func TestNoRefBox(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	b.Close()
	r := run(t, b.Addr().String(), nil, station.DefaultRate)
	until(t, "it says why", func() bool { return strings.Contains(r.Health().Trouble, "no RefBox listens") })
}

// A RefBox that takes the station for another team's is a matter of addresses, and is told.
func TestTakenForAnother(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	warned := new(warnings)
	live, err := station.NewLive(station.DefaultConfig(63), b.Addr().String(), slog.New(slog.NewTextHandler(warned, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- live.Run(ctx, nil) }()
	c := b.accept()
	c.says("{\"command\":\"WELCOME\",\"targetTeam\":\"224.16.32.63:1\"}\x00")
	until(t, "it is accepted", func() bool { return live.State().Accepted })
	if text := warned.String(); text != "" {
		t.Errorf("its own team's second station: %s", text)
	}
	c.says(welcome)
	until(t, "it warns", func() bool { return strings.Contains(warned.String(), "another team") })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// warnings keeps what is logged.
type warnings struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *warnings) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}
