package teamcomnet_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

var (
	robot1   = tcm.Entity{Kind: tcm.Robot, ID: 1}
	robot2   = tcm.Entity{Kind: tcm.Robot, ID: 2}
	robots   = tcm.Entity{Kind: tcm.Robot}
	computer = tcm.Entity{Kind: tcm.Computer, ID: 1}
)

// ownType is a type of a team's own: bulk class, without parity.
const ownType = tcm.FirstOwnType

// bases returns base ports of four available ports each, as addresses of 127.0.0.1.
func bases(t testing.TB, n int) (list []string) {
	t.Helper()
	for range n {
		list = append(list, net.JoinHostPort("127.0.0.1", strconv.Itoa(wiretest.FreePorts(t, "udp", tcm.Sockets))))
	}
	return list
}

// ini writes a TCM.ini with robots 1 and 2 and computer 1, each a line "ID = ADDRESS", and returns its path.
func ini(t testing.TB, team, robot1, robot2, computer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "TCM.ini")
	writeIni(t, path, team, robot1, robot2, computer)
	return path
}

func writeIni(t testing.TB, path, team, robot1, robot2, computer string) {
	t.Helper()
	text := fmt.Sprintf("[team]\n%s\n[robots]\n1 = %s\n2 = %s\n[computers]\n1 = %s\n", team, robot1, robot2, computer)
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// localIni is ini with available ports of 127.0.0.1.
func localIni(t testing.TB, team string) string {
	t.Helper()
	at := bases(t, 3)
	return ini(t, team, at[0], at[1], at[2])
}

// testLog is the log of an endpoint.
type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", bytes.TrimSpace(b))
	return len(b), nil
}

// open opens an endpoint that the test's end closes.
func open(t testing.TB, path string, self tcm.Entity, change func(*teamcomnet.Config)) *teamcomnet.Endpoint {
	t.Helper()
	return openLogged(t, path, self, slog.New(slog.NewTextHandler(testLog{t}, nil)), change)
}

func openLogged(
	t testing.TB, path string, self tcm.Entity, log *slog.Logger, change func(*teamcomnet.Config),
) *teamcomnet.Endpoint {
	t.Helper()
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Ini = path
	if change != nil {
		change(&cfg)
	}
	e, err := teamcomnet.Open(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// run runs endpoints until the test ends.
func run(t testing.TB, endpoints ...*teamcomnet.Endpoint) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	for _, e := range endpoints {
		go func() { ended <- e.Run(ctx) }()
	}
	t.Cleanup(func() {
		cancel()
		for range endpoints {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}

// message is a received message.
type message struct {
	from teamcom.From
	data string
}

// listen returns the messages of a type that an endpoint receives.
func listen(e *teamcomnet.Endpoint, m tcm.Module, t tcm.Type) <-chan message {
	c := make(chan message, 10_000)
	teamcom.HandleBytes(e.Module(m), t, func(from teamcom.From, b []byte) {
		from.Missing = nil // valid during the call only
		c <- message{from, string(b)}
	})
	return c
}

// send sends a message of bytes.
func send(t testing.TB, e *teamcomnet.Endpoint, to tcm.Entity, typ tcm.Type, data string) {
	t.Helper()
	now := e.Now()
	if err := e.Module(tcm.GM).Client().SendBytes(now, to, typ, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// receive waits for a message.
func receive(t testing.TB, c <-chan message) message {
	t.Helper()
	select {
	case m := <-c:
		return m
	case <-time.After(30 * time.Second):
		t.Fatal("no message within 30 s")
		return message{}
	}
}

// A message of each class arrives over the socket of the class, and a large one in pieces.
func TestMessages(t *testing.T) {
	path := localIni(t, "")
	a, b, c := open(t, path, robot1, nil), open(t, path, robot2, nil), open(t, path, computer, nil)
	large := string(bytes.Repeat([]byte("0123456789abcde"), 20_000))
	for _, typ := range []tcm.Type{tcm.Belief, tcm.Status, tcm.Motor, ownType} {
		atRobot, atComputer := listen(b, tcm.GM, typ), listen(c, tcm.Manager, typ)
		if typ == tcm.Belief {
			run(t, a, b, c)
		}
		before := a.Now()
		send(t, a, robots, typ, "to all")
		got := receive(t, atRobot)
		if got.data != "to all" || got.from.Entity != robot1 || got.from.Module != tcm.GM || got.from.To != robots {
			t.Errorf("%v: got %q from %+v", typ, got.data, got.from)
		}
		const near = soccer.Time(time.Minute)
		if got.from.Received < before-near || got.from.Received > a.Now()+near {
			t.Errorf("%v: received at %d, sent at %d", typ, got.from.Received, before)
		}
		send(t, a, computer, typ, large)
		if got := receive(t, atComputer); got.data != large || got.from.To != computer {
			t.Errorf("%v: got %d bytes to %v, want %d to %v", typ, len(got.data), got.from.To, len(large), computer)
		}
	}
	for _, e := range []*teamcomnet.Endpoint{a, b, c} {
		if r := e.Report(e.Now()); r.Refused != (teamcom.RefusedReport{}) {
			t.Errorf("%s refused datagrams: %+v", r.Entity, r.Refused)
		}
	}
}

// A broadcast goes to the multicast group that TCM.ini names. The sender does not receive its own.
func TestGroup(t *testing.T) {
	path := localIni(t, "group = 239.255.70.1:"+portOf(t)+"\nmanagers = 239.255.70.2:"+portOf(t))
	a, b, c := open(t, path, robot1, nil), open(t, path, robot2, nil), open(t, path, computer, nil)
	atA, atB, atC := listen(a, tcm.GM, tcm.Belief), listen(b, tcm.GM, tcm.Belief), listen(c, tcm.Manager, tcm.Status)
	group := make(chan netip.AddrPort, 100)
	b.Record = func(_ soccer.Time, _, to netip.AddrPort, _ []byte) {
		if to.Addr().IsMulticast() {
			group <- to
		}
	}
	run(t, a, b, c)
	send(t, a, robots, tcm.Belief, "belief")
	if got := receive(t, atB); got.data != "belief" || got.from.To != robots {
		t.Errorf("got %q to %v", got.data, got.from.To)
	}
	if to := <-group; to.Addr() != netip.MustParseAddr("239.255.70.1") {
		t.Errorf("the belief went to %s, want the group", to)
	}
	send(t, a, tcm.Entity{Kind: tcm.Computer}, tcm.Status, "status")
	if got := receive(t, atC); got.data != "status" {
		t.Errorf("got %q", got.data)
	}
	if len(atA) > 0 {
		t.Error("the sender received its own broadcast")
	}
}

func portOf(t testing.TB) string {
	t.Helper()
	return strconv.Itoa(wiretest.FreePorts(t, "udp", tcm.Sockets))
}

// A computer whose address TCM.ini does not give is learned from its datagrams.
func TestLearnedAddress(t *testing.T) {
	at := bases(t, 2)
	path := ini(t, "", at[0], at[1], "any")
	a, c := open(t, path, robot1, nil), open(t, path, computer, nil)
	atRobot, atComputer := listen(a, tcm.GM, ownType), listen(c, tcm.Manager, ownType)
	run(t, a, c)
	now := a.Now()
	if err := a.Module(tcm.GM).Client().SendBytes(now, computer, ownType, []byte("early")); err == nil {
		t.Error("a message to an unknown address was accepted")
	}
	send(t, c, robot1, ownType, "hello")
	receive(t, atRobot)
	send(t, a, computer, ownType, "welcome")
	if got := receive(t, atComputer); got.data != "welcome" {
		t.Errorf("got %q", got.data)
	}
}
