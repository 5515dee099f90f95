package teamcom_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

func parse(t testing.TB, text string) *teamcom.Directory {
	t.Helper()
	d, err := teamcom.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A message to an id goes to that entry of the directory, a broadcast to the group, or without one to each entry; the
// port follows from the class.
func TestAddresses(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), func(cfg *teamcom.Config) {
		cfg.Directory = parse(t, `
[team]
number = 7
managers = 224.16.32.80:9000
[robots]
1 = 127.0.0.1:7100
2 = 127.0.0.1:7200
3 = 127.0.0.1:7300
4 = any
[computers]
1 = 127.0.0.1:8100
`)
	})
	client := n.Module(tcm.GM).Client()
	check := func(to tcm.Entity, typ tcm.Type, want string) {
		t.Helper()
		if err := client.SendBytes(w.now, to, typ, nil); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Second)
		out, _ := n.Next(w.now, nil)
		if got := fmt.Sprint(out.Addrs); got != want {
			t.Errorf("%v to %v goes to %s, want %s", typ, to, got, want)
		}
	}
	check(robot(2), tcm.Belief, "[127.0.0.1:7200]")
	check(robot(2), tcm.Motor, "[127.0.0.1:7203]")
	check(robots, tcm.Belief, "[127.0.0.1:7200 127.0.0.1:7300]")
	check(computer(1), tcm.Status, "[127.0.0.1:8102]")
	check(computers, tcm.Image, "[224.16.32.80:9001]")
	for _, to := range []tcm.Entity{robot(4), robot(5), computer(2), robot(1), {}, {Kind: 3, ID: 1}} {
		if err := client.SendBytes(w.now, to, tcm.Belief, nil); err == nil {
			t.Errorf("a message to %v was accepted", to)
		}
	}

	mate := newForger(robot(4), robot(1), tcm.Telemetry)
	mate.header.Team = 7
	p := mate.datagram(w.now)
	p.From = netip.MustParseAddrPort("127.0.0.1:7402")
	n.Receive(p, tcm.Telemetry)
	check(robot(4), tcm.Belief, "[127.0.0.1:7400]")
	check(robots, tcm.Belief, "[127.0.0.1:7200 127.0.0.1:7300 127.0.0.1:7400]")
	stranger := newForger(robot(5), robot(1), tcm.Telemetry)
	stranger.header.Team = 7
	n.Receive(stranger.datagram(w.now), tcm.Telemetry)
	stranger.header.From, stranger.header.Team = robot(4), 8
	n.Receive(stranger.datagram(w.now), tcm.Telemetry)
	if r := n.Report(w.now).Refused; r.UnknownSender != 1 || r.OtherTeam != 1 {
		t.Errorf("got %+v, want one unknown sender and one datagram of another team", r)
	}

	n.SetDirectory(parse(t, "[team]\nnumber = 8\n[robots]\n1 = 127.0.0.1:7100\n2 = 127.0.0.1:7500\n"))
	check(robot(2), tcm.Belief, "[127.0.0.1:7500]")
	check(robots, tcm.Belief, "[127.0.0.1:7500]")
	if links := n.Report(w.now).Links; len(links) != 0 {
		t.Errorf("got links %+v after the directory lost robot:4, want none", links)
	}
	check(computers, tcm.Motor, "[]")
	if got := n.Report(w.now).Queues[0].Unreachable; got != 1 {
		t.Errorf("%d datagrams were unreachable, want the one to computers that are not listed", got)
	}
}

// A datagram for someone else, from the node's own id or on the wrong socket is refused and counted.
func TestMisdirected(t *testing.T) {
	l := listen(t, nil)
	small := tcm.Piece{Module: tcm.PAM, Type: tcm.File, Data: []byte("file")}
	receive := func(change func(*tcm.Header)) {
		f := newForger(robot(2), robot(1), tcm.Bulk)
		change(&f.header)
		l.receive(f.datagram(l.now, small))
	}
	receive(func(h *tcm.Header) { h.To = robot(3) })
	receive(func(h *tcm.Header) { h.To = computers })
	receive(func(h *tcm.Header) { h.From, h.To = robot(1), robots })
	receive(func(h *tcm.Header) { h.From, h.To, h.Boot = robot(1), robots, 2 })
	receive(func(h *tcm.Header) { h.Socket = tcm.Telemetry })
	receive(func(h *tcm.Header) { h.Team = 2 })
	receive(func(h *tcm.Header) { h.From.ID = 0 })
	receive(func(h *tcm.Header) { h.From.Kind = 3 })
	receive(func(h *tcm.Header) { h.From.Kind = 0 })
	want := teamcom.RefusedReport{
		OtherDestination: 2, Own: 1, SameEntity: 1, OtherSocket: 1, OtherTeam: 1, Malformed: 3,
	}
	if got := l.Report(l.now).Refused; got != want || l.whole != 0 {
		t.Errorf("got %+v and %d messages, want %+v and none", got, l.whole, want)
	}
}

// Where TCM.ini gives an address, a datagram from another one is refused and counted, and does not silence the robot
// whose id it has. A robot whose address is any is heard from everywhere.
func TestOtherAddress(t *testing.T) {
	l := listen(t, func(cfg *teamcom.Config) {
		cfg.Directory = parse(t, "[robots]\n1 = 127.0.0.1:7100\n2 = 127.0.0.1:7200\n3 = any\n")
	})
	receive := func(f *forger, from string) {
		p := f.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: tcm.File, Number: uint32(f.header.Sequence), Data: []byte("file")})
		p.From = netip.MustParseAddrPort(from)
		l.receive(p)
	}
	mate, forged, free := newForger(robot(2), robot(1), tcm.Bulk), newForger(robot(2), robot(1), tcm.Bulk), newForger(robot(3), robot(1), tcm.Bulk)
	for i := range uint32(50) {
		receive(mate, "127.0.0.1:7201")
		forged.header.Boot = 1000 + i
		receive(forged, "127.0.0.1:7301") // another port
		receive(forged, "127.0.0.9:7201")
		receive(free, fmt.Sprintf("127.0.0.1:%d", 7401+i))
		l.pass(20 * time.Millisecond)
	}
	r := l.Report(l.now)
	if l.whole != 100 || r.Refused != (teamcom.RefusedReport{OtherAddress: 100}) {
		t.Errorf("%d messages were delivered, want 50 of robot 2 and 50 of robot 3; refused: %+v", l.whole, r.Refused)
	}
	v := teamcom.NewOverview(soccer.Epoch).View(l.now, []teamcom.Report{r})
	if len(v.Alarms) != 1 || !strings.HasPrefix(v.Alarms[0], "Robot 1 refused 100 datagrams that come from another address") {
		t.Errorf("got alarms %q", v.Alarms)
	}
}

// Every datagram that is cut short, or longer than its buffer, is refused.
func TestTruncatedDatagrams(t *testing.T) {
	l := listen(t, nil)
	f := newForger(robot(2), robot(1), tcm.Bulk)
	p := f.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: tcm.File, Data: []byte("file")})
	for n := range p.Data {
		l.receive(&soccer.Packet{Time: l.now, Data: p.Data[:n]})
	}
	l.receive(&soccer.Packet{Time: l.now, Data: p.Data, Size: len(p.Data) + 1})
	if r := l.Report(l.now); l.whole != 0 || len(r.Links) != 0 {
		t.Errorf("got %d messages and links %+v, want none", l.whole, r.Links)
	}
	if l.receive(p); l.whole != 1 {
		t.Error("the whole datagram was refused")
	}
}

// A configuration that cannot work is refused, and the error names the accepted values.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		change func(*teamcom.Config)
		want   string
	}{
		{func(cfg *teamcom.Config) { cfg.Self = robots }, "want one robot or computer, for example robot:3"},
		{func(cfg *teamcom.Config) { cfg.Self.Kind = 3 }, "want one robot or computer"},
		{func(cfg *teamcom.Config) { cfg.Team = 0 }, "want 1 to 255"},
		{func(cfg *teamcom.Config) { cfg.Senders = 511 }, "want 1 to 510"},
		{func(cfg *teamcom.Config) { cfg.Senders = 0 }, "want 1 to 510"},
		{func(cfg *teamcom.Config) { cfg.Beacon = -1 }, "want 0 (none) or more"},
		{func(cfg *teamcom.Config) { cfg.Queues[tcm.Bulk].Bytes = 0 }, "the bulk queue"},
		{func(cfg *teamcom.Config) { cfg.Budget[tcm.Command] = 0 }, "bytes/s for command"},
		{func(cfg *teamcom.Config) { cfg.Budget[tcm.Command] = -1 }, "bytes/s for command"},
		{func(cfg *teamcom.Config) { cfg.Modules.Messages = 0 }, "a module's queue"},
	} {
		cfg := teamcom.DefaultConfig(robot(1))
		c.change(&cfg)
		if _, err := teamcom.New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}
