package teamcom_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// pair joins two nodes directly.
type pair struct {
	t    *testing.T
	now  soccer.Time
	a, b *teamcom.Node
}

func newPair(t *testing.T, a, b func(*teamcom.Config)) *pair {
	t.Helper()
	node := func(id uint8, change func(*teamcom.Config)) *teamcom.Node {
		cfg := teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: id})
		change(&cfg)
		n, err := teamcom.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return &pair{t, soccer.Epoch, node(1, a), node(2, b)}
}

type text []byte

func (x text) AppendBinary(b []byte) ([]byte, error) { return append(b, x...), nil }
func (text) DataType() uint16                        { return uint16(tcm.FirstOwnType) }

// send sends n messages from a to b.
func (p *pair) send(n int) {
	p.t.Helper()
	for range n {
		p.now = p.now.Add(50 * time.Millisecond)
		if err := p.a.Module(tcm.GM).Client().Send(p.now, tcm.Entity{Kind: tcm.Robot}, text("hello")); err != nil {
			p.t.Fatal(err)
		}
		for {
			out, ok := p.a.Next(p.now, nil)
			if !ok {
				break
			}
			p.b.Receive(&soccer.Packet{Time: p.now, Data: out.Data}, out.Socket)
		}
	}
}

func (p *pair) view(o *teamcom.Overview) teamcom.View {
	return o.View(p.now, []teamcom.Report{p.a.Report(p.now), p.b.Report(p.now)})
}

func same(*teamcom.Config) {}

// The view of healthy nodes has their links and no alarm; when they fall silent it reports how long and what to check.
func TestView(t *testing.T) {
	p := newPair(t, same, same)
	o := teamcom.NewOverview(soccer.Epoch, "check the cable")
	p.now = p.now.Add(5 * time.Second)
	if v := p.view(o); v.Silence == nil || v.Silence.Seconds != 5 {
		t.Errorf("before the first datagram: got silence %+v, want 5 s", v.Silence)
	}
	p.send(20)
	v := p.view(o)
	if v.Time != 6 || len(v.Nodes) != 2 || v.Nodes[1].Entity != "robot:2" {
		t.Fatalf("got %+v", v)
	}
	if len(v.Nodes[1].Links) != 1 || v.Nodes[1].Links[0].Received != 20 || v.Silence != nil || len(v.Alarms) != 0 {
		t.Errorf("got links %+v, silence %+v, alarms %q", v.Nodes[1].Links, v.Silence, v.Alarms)
	}
	p.now = p.now.Add(4 * time.Second)
	if v := p.view(o); v.Silence == nil || v.Silence.Seconds != 4 || !slices.Equal(v.Silence.Hints, []string{"check the cable"}) {
		t.Errorf("got silence %+v, want 4 s with the hint", v.Silence)
	}
	if links := p.view(o).Nodes[1].Links; len(links) != 1 || links[0].Up {
		t.Errorf("after 4 s: got links %+v, want one that is down", links)
	}
	p.now = p.now.Add(time.Minute)
	if two := p.view(o).Nodes[1]; len(two.Links) != 0 || len(two.Types) != 0 {
		t.Errorf("after a minute: got links %+v and types %+v, want none", two.Links, two.Types)
	}
}

// Refusals of a node raise an alarm that names the node, and ends ten seconds after the last one.
func TestRefusals(t *testing.T) {
	secret := func(text string) func(*teamcom.Config) {
		return func(c *teamcom.Config) { c.Secret = []byte(text) }
	}
	receiver := func(p *pair, o *teamcom.Overview) teamcom.View {
		return o.View(p.now, []teamcom.Report{p.b.Report(p.now)})
	}
	cases := map[string]struct {
		a, b func(*teamcom.Config)
		want string
	}{
		"another key": {secret("0123456789abcdef"), secret("fedcba9876543210"),
			"Robot 2 refused 3 datagrams that are signed with another key"},
		"no key":       {same, secret("fedcba9876543210"), "Robot 2 refused 3 unsigned datagrams"},
		"another team": {func(c *teamcom.Config) { c.Team = 7 }, same, "Robot 2 refused 3 datagrams of another team"},
		"the same id": {func(c *teamcom.Config) { c.Self.ID, c.Boot = 2, 9 }, same,
			"Robot 2 received 3 datagrams that name it as their sender: another program uses its id"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, o := newPair(t, c.a, c.b), teamcom.NewOverview(soccer.Epoch)
			p.send(3)
			if v := receiver(p, o); len(v.Alarms) != 1 || !strings.HasPrefix(v.Alarms[0], c.want) {
				t.Errorf("got alarms %q, want %q", v.Alarms, c.want)
			}
			p.now = p.now.Add(9 * time.Second)
			if v := receiver(p, o); len(v.Alarms) != 1 {
				t.Errorf("after 9 s: got alarms %q, want 1", v.Alarms)
			}
			p.now = p.now.Add(time.Second)
			if v := receiver(p, o); len(v.Alarms) != 0 {
				t.Errorf("after 10 s: got alarms %q, want none", v.Alarms)
			}
			p.send(1)
			if v := receiver(p, o); len(v.Alarms) != 1 || !strings.Contains(v.Alarms[0], "4") {
				t.Errorf("after another datagram: got alarms %q, want 1 that counts 4", v.Alarms)
			}
		})
	}
}

// An id that two programs use is one alarm, whatever the number of nodes that notice it; and nodes that refuse for one
// reason share an alarm.
func TestAlarmsAreMerged(t *testing.T) {
	clash := []teamcom.LinkReport{{Peer: "robot:4", Clash: true}}
	nodes := []teamcom.Report{
		{Entity: "robot:1", Links: clash, Refused: teamcom.RefusedReport{OtherTeam: 5}},
		{Entity: "robot:2", Links: clash, Refused: teamcom.RefusedReport{OtherTeam: 6}},
		{Entity: "computer:1", Refused: teamcom.RefusedReport{OtherTeam: 7}},
	}
	v := teamcom.NewOverview(0).View(soccer.Epoch, nodes)
	if len(v.Alarms) != 2 || !strings.HasPrefix(v.Alarms[0], "Two programs send as robot 4:") ||
		!strings.HasPrefix(v.Alarms[1], "Robot 1, robot 2 and computer 1 refused 18 datagrams of another team") {
		t.Errorf("got alarms %q", v.Alarms)
	}
}

// A handler that panics is an alarm with its module and the text of the panic.
func TestPanics(t *testing.T) {
	p, o := newPair(t, same, same), teamcom.NewOverview(soccer.Epoch)
	gm := p.b.Module(tcm.GM)
	teamcom.HandleBytes(gm, tcm.FirstOwnType, func(teamcom.From, []byte) { panic("no map") })
	p.send(2)
	gm.Run(func() soccer.Time { return p.now }, 10)
	v := p.view(o)
	want := "Module GM of robot 2 panicked in 2 of 2 calls"
	if len(v.Alarms) != 1 || !strings.HasPrefix(v.Alarms[0], want) || !strings.HasSuffix(v.Alarms[0], "no map") {
		t.Errorf("got alarms %q, want %q", v.Alarms, want)
	}
	if text := fmt.Sprint(v.Nodes[1].Handlers); !strings.Contains(text, "no map") {
		t.Errorf("got handlers %s", text)
	}
}
