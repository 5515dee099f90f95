package stationnet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

const timeout = 20 * time.Second

// box is a RefBox that the test plays.
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
	b.Listener.(*net.TCPListener).SetDeadline(time.Now().Add(timeout))
	c, err := b.Accept()
	if err != nil {
		b.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(timeout))
	b.t.Cleanup(func() { c.Close() })
	return &conn{c, bufio.NewReader(c), b.t}
}

func (c *conn) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next message.
func (c *conn) receive() []byte {
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

// config returns the configuration of a team's station with a RefBox at an address.
func config(t *testing.T, team int, address string) stationnet.Config {
	t.Helper()
	cfg := stationnet.DefaultConfig(team)
	var err error
	if cfg.RefBox, err = stationnet.ParseTarget(address); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// rejected returns why RefBox 2.1 drops a message, "" if it accepts it as a worldstate.
func rejected(b []byte) string {
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return "not JSON"
	}
	if age, ok := m["ageMs"].(float64); m["type"] != "worldstate" || !ok || age != math.Trunc(age) {
		return "type or ageMs"
	}
	for _, key := range []string{"teamName", "intention"} {
		if _, ok := m[key].(string); !ok {
			return key
		}
	}
	for _, key := range []string{"robots", "balls", "obstacles"} {
		if _, ok := m[key].([]any); !ok {
			return key
		}
	}
	return ""
}

// running is a station on the network.
type running struct {
	*stationnet.Client
	commands chan string
	done     chan error
}

func run(t *testing.T, address string, robots *transport.Receiver, rate float64) *running {
	t.Helper()
	return runLogged(t, address, robots, rate, slog.New(slog.DiscardHandler))
}

func runLogged(t *testing.T, address string, robots *transport.Receiver, rate float64, log *slog.Logger) *running {
	t.Helper()
	r := &running{commands: make(chan string, 1000), done: make(chan error, 1)}
	cfg := config(t, 39, address)
	cfg.Rate = rate
	cfg.OnCommand = func(c station.Command, _ []byte) { r.commands <- c.Name }
	var err error
	if r.Client, err = stationnet.New(cfg, log); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { r.done <- r.Run(ctx, robots) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return r
}

// receives checks that the next commands of the station have these names.
func (r *running) receives(t *testing.T, names ...string) {
	t.Helper()
	for _, want := range names {
		select {
		case got := <-r.commands:
			if got != want {
				t.Fatalf("got the command %s, want %s", got, want)
			}
		case <-time.After(timeout):
			t.Fatalf("the command %s did not arrive", want)
		}
	}
}

// The robots are told of the game while the station is admitted, also who stays off the field, and nothing otherwise.
func TestReferee(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 20)
	if m, ok := r.Referee(); ok {
		t.Errorf("before WELCOME the robots are told %+v", m)
	}
	r.ReceiveStatus(3, &team.Status{Mode: team.Faulty})
	c := b.accept()
	c.send(welcome + command("FIRST_HALF") + command("START") +
		"{\"command\": \"REPAIR\", \"targetTeam\": \"224.16.32.39\"}\x00")
	r.receives(t, "WELCOME", "FIRST_HALF", "START", "REPAIR")
	if m, ok := r.Referee(); !ok || m.State != team.Running || m.Out != 1<<3 {
		t.Errorf("the robots are told %+v (%v), want a running game without robot 3", m, ok)
	}
	c.Close()
	for deadline := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
		if _, ok := r.Referee(); !ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the robots are still told of the game")
		}
	}
}

// A station connects from its team's address, sends nothing before WELCOME, and then what RefBox 2.1 accepts.
func TestWelcomeComesLate(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 100)
	c := b.accept()
	from := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
	if known := soccer.TeamAt(soccer.MSLTeams(), from).ID; known != 39 || !acceptedByRefBox21(from) {
		t.Errorf("team 39 connects from %v, the address of team %d", from, known)
	}
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := c.r.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("it sends before WELCOME: %v", err)
	}
	if err := r.Event(2, "kick"); err != station.ErrNotAccepted {
		t.Errorf("an event before WELCOME: %v", err)
	}
	c.SetDeadline(time.Now().Add(timeout))
	c.send(welcome)
	for range 30 {
		if m := c.receive(); rejected(m) != "" {
			t.Fatalf("RefBox 2.1 drops it for its %s: %s", rejected(m), m)
		}
	}
	if err := r.Event(2, "kick"); err != nil {
		t.Fatal(err)
	}
	for m := c.receive(); ; m = c.receive() {
		if msl.KindOf(m) == msl.KindEvent {
			if string(m) != `{"type":"event","robotId":2,"event":"kick"}` {
				t.Errorf("event %s", m)
			}
			break
		}
	}
	wiretest.Eventually(t, "everything is counted", func() bool { h := r.Health(); return h.Sent >= 30 && h.Events == 1 })
	if h := r.Health(); h.RefBox != b.Addr().String() || h.Trouble != "" {
		t.Errorf("health %+v", h)
	}
}

// acceptedByRefBox21 reports whether RefBox 2.1's team table has an address; it compares the first three bytes.
func acceptedByRefBox21(a netip.Addr) bool {
	return slices.ContainsFunc(soccer.MSLTeams(), func(t soccer.Team) bool { return t.BaseStations().Contains(a) })
}

// A RefBox that closes the connection without WELCOME refused it: the health says why, and when the next attempt is.
func TestRefused(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	for from, want := range map[string]string{
		"127.0.39.1": "127.0.39.1 is not in the league's table: connect from an address in 172.16.39.0/24, or on the RefBox's " +
			"own machine from 127.0.0.39; the next attempt is in 30s",
		"127.0.0.39": "perhaps both sides are taken, another team waits for the referee, or the referee refused it; the next " +
			"attempt is in 2s",
	} {
		cfg := config(t, 39, b.Addr().String())
		cfg.RefBox.From = netip.MustParseAddr(from)
		client, err := stationnet.New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- client.Run(ctx, nil) }()
		b.accept().Close()
		wiretest.Eventually(t, "the health says why", func() bool { return strings.Contains(client.Health().Trouble, want) })
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// Commands arrive complete and in order, however the stream is cut and whatever lies between them.
func TestCutStream(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, stationnet.DefaultRate)
	c := b.accept()
	all := welcome + "\x00\x00" + command("FIRST_HALF") + command("START") + "nonsense\x00" + command("VAR_CHECK") + command(" GAME_OVER")
	for i := range len(all) {
		c.send(all[i : i+1])
	}
	r.receives(t, "WELCOME", "FIRST_HALF", "START", "VAR_CHECK", "GAMEOVER")
	c.send(command("STOP") + command("FREEKICK") + command("START") + strings.Repeat("x",
		msl.MaxMessage+1000) + "\x00" + command("STOP"))
	r.receives(t, "STOP", "FREEKICK", "START", "STOP")
	if st := r.State(); st.Part != msl.GameOver || st.Unknown != 1 || st.Running {
		t.Errorf("state %+v", st)
	}
}

// A station reconnects to a RefBox that restarts, waits for WELCOME again, and drops what was queued for the old
// connection.
func TestRefBoxRestarts(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 100)
	for i := range 3 {
		c := b.accept()
		c.send(welcome)
		r.receives(t, "WELCOME")
		if m := c.receive(); msl.KindOf(m) != msl.KindWorldstate {
			t.Fatalf("connection %d starts with %s, want a worldstate", i, m)
		}
		c.send(command("START"))
		r.receives(t, "START")
		b.Close() // no RefBox listens for a while
		c.Close()
		wiretest.Eventually(t, "the station notices the end",
			func() bool { return r.Health().Trouble != "" && !r.State().Accepted })
		if !r.State().Running {
			t.Error("the end of the connection stopped the game")
		}
		b = listen(t, b.Addr().String())
	}
	if h := r.Health(); h.Connected < 3 {
		t.Errorf("health %+v", h)
	}
}

// A RefBox that reads nothing does not block the station: commands arrive, excess messages are dropped, and none is
// cut.
func TestRefBoxReadsNothing(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	r := run(t, b.Addr().String(), nil, 200)
	c := b.accept()
	if err := c.Conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	c.send(welcome)
	r.receives(t, "WELCOME")
	text := strings.Repeat("kick ", 200)
	sent := 0
	wiretest.Eventually(t, "events are refused", func() bool {
		for range 10 {
			if r.Event(2, text) != nil {
				return true
			}
			sent++
		}
		return false
	})
	c.send(command("START"))
	r.receives(t, "START")
	if !r.State().Running {
		t.Error("START was not applied")
	}
	before := r.Health().Sent
	for events := 0; events < sent || r.Health().Dropped == 0 || r.Health().Sent < before+10; {
		switch m := c.receive(); msl.KindOf(m) {
		case msl.KindEvent:
			events++
		case msl.KindWorldstate:
		default:
			t.Fatalf("cut: %.60q", m)
		}
	}
}

// The robots' packages on the network are in the worldstate.
func TestRobotsToWorldstate(t *testing.T) {
	memory, err := transport.NewMemory(traffic.Link{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	group := netip.MustParseAddrPort(mixedteam.Group)
	in, err := memory.Listen(group)
	if err != nil {
		t.Fatal(err)
	}
	out, err := memory.Listen(netip.AddrPort{})
	if err != nil {
		t.Fatal(err)
	}
	b := listen(t, "127.0.0.1:0")
	run(t, b.Addr().String(), transport.NewReceiver(in, mixedteam.Group), 50)
	c := b.accept()
	c.send(welcome)
	sender := transport.NewSender(out, group)
	defer sender.Close()
	for stamp := uint32(1); ; stamp += 50 {
		p, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: stamp,
			TeamID: 39, Robot: 3},
			&soccer.Percepts{Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 2, Y: 1}, Confidence: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.Send(p); err != nil {
			t.Fatal(err)
		}
		if err := sender.Send([]byte("garbage")); err != nil {
			t.Fatal(err)
		}
		var w msl.Worldstate
		if err := w.UnmarshalBinary(c.receive()); err != nil {
			t.Fatal(err)
		}
		if len(w.Robots) == 0 || w.AgeMillis.Value < 60 { // the time of the first is not before that of the empty ones
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
		got, err := stationnet.ParseTarget(address)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("%q: %v, %v; want %q", address, got, err, want)
		}
	}
}

// Over IPv6 the RefBox cannot identify the team, but the referee can admit it.
func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this system has no IPv6: ", err)
	}
	b := &box{l, t}
	defer b.Close()
	warned := new(warnings)
	r := runLogged(t, b.Addr().String(), nil, 100, slog.New(slog.NewTextHandler(warned,
		&slog.HandlerOptions{Level: slog.LevelWarn})))
	c := b.accept()
	c.send(welcome)
	r.receives(t, "WELCOME")
	if text := warned.String(); !strings.Contains(text, "use 127.0.0.1") {
		t.Errorf("the log has %q, want a warning", text)
	}
	if m := c.receive(); !bytes.HasPrefix(m, []byte(`{"type":"worldstate"`)) {
		t.Errorf("got %s, want a worldstate", m)
	}
}

// Without a RefBox the health names the reason.
func TestNoRefBox(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	b.Close()
	r := run(t, b.Addr().String(), nil, stationnet.DefaultRate)
	wiretest.Eventually(t, "the health names the reason",
		func() bool { return strings.Contains(r.Health().Trouble, "no RefBox listens") })
}

// The log warns if the RefBox takes the station for another team's.
func TestTakenForAnotherTeam(t *testing.T) {
	b := listen(t, "127.0.0.1:0")
	warned := new(warnings)
	client, err := stationnet.New(config(t, 63, b.Addr().String()),
		slog.New(slog.NewTextHandler(warned, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- client.Run(ctx, nil) }()
	c := b.accept()
	c.send("{\"command\":\"WELCOME\",\"targetTeam\":\"224.16.32.63:1\"}\x00")
	wiretest.Eventually(t, "the station is accepted", func() bool { return client.State().Accepted })
	if text := warned.String(); text != "" {
		t.Errorf("the second station of its own team is warned of: %s", text)
	}
	c.send(welcome)
	wiretest.Eventually(t, "the log warns", func() bool { return strings.Contains(warned.String(), "another team") })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// warnings collects what is logged.
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
