package vssnet_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/internal/vss"
	"touchline/internal/vss/vssnet"
	"touchline/transport"
	pb "touchline/wire/firasim/firasimpb"
)

// When another referee is received the page shows its address and the built-in referee is silent.
func TestAnotherReferee(t *testing.T) {
	group := freeGroup(t, "224.5.23.2")
	ear, err := transport.Listen(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	if err := ear.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	p := newPeer(t)
	sim := start(t, func(c *vssnet.Config) {
		c.Referee, c.RefereeGroup = true, group
	}, p)
	packet, err := ear.ReadPacket(make([]byte, 100))
	if err != nil {
		t.Fatal(err)
	}
	command := &pb.VSSRef_Command{}
	if err := proto.Unmarshal(packet.Data, command); err != nil || command.GetFoul() != pb.Foul_KICKOFF {
		t.Errorf("got first command %v, %v; want a kick-off", command, err)
	}
	if v := sim.Show().Referee; v == nil || v.Source != "builtin" || v.Left <= 0 {
		t.Errorf("got %+v on the page, want the built-in referee", v)
	}
	other, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	b, err := proto.Marshal(&pb.VSSRef_Command{Foul: pb.Foul_FREE_BALL, Teamcolor: pb.Color_YELLOW,
		FoulQuadrant: pb.Quadrant_QUADRANT_3})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Send(b); err != nil {
		t.Fatal(err)
	}
	for {
		p.see()
		if v := sim.Show().Referee; v.Source == other.LocalAddr().String() && v.Foul == "FREE_BALL" &&
			v.Team == "yellow" {
			break
		}
	}
	if _, err := sim.Commands().Do("referee", json.RawMessage(`{"command":"kickoff"}`)); err == nil ||
		!strings.Contains(err.Error(), other.LocalAddr().String()) {
		t.Errorf("command while another referee controls the match: got %v", err)
	}
	if v := sim.Show(); !strings.Contains(v.Trouble, other.LocalAddr().String()) ||
		!marked(v, "free ball for yellow in quadrant 3") {
		t.Errorf("got trouble %q, events %+v", v.Trouble, v.Marks)
	}
	for name, body := range map[string]string{"referee": `{"command":"resume"}`, "reset": `{}`} {
		if _, err := sim.Commands().Do(name, json.RawMessage(body)); err != nil {
			t.Fatal(err)
		}
		for v := sim.Show(); v.Referee.Source != "builtin" || v.Trouble != ""; v = sim.Show() {
			p.see() // its deadline ends this if the built-in referee stays away
		}
		if err := other.Send(b); err != nil {
			t.Fatal(err)
		}
		for sim.Show().Referee.Source == "builtin" { // it yields again
			p.see()
		}
	}
}

// marked reports whether the page shows an event.
func marked(v *vss.Show, text string) bool {
	return slices.ContainsFunc(v.Marks, func(m vss.ShowMark) bool { return m.Text == text })
}

// Packets that are not a referee's command have no effect on the control of the match.
func TestInvalidCommandsOfReferees(t *testing.T) {
	p := newPeer(t)
	group := freeGroup(t, "224.5.23.2")
	sim := start(t, func(c *vssnet.Config) {
		c.Referee, c.RefereeGroup = true, group
	}, p)
	other, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	vision, err := proto.Marshal(p.see()) // a second simulator may send it here
	if err != nil {
		t.Fatal(err)
	}
	wrong := [][]byte{{}, vision, []byte("kickoff"), {0x08, 0x09}, {0x10, 0x07}} // foul 9 and team 7 do not exist
	for _, b := range wrong {
		if err := other.Send(b); err != nil {
			t.Fatal(err)
		}
	}
	p.until("all are refused", func(*pb.Environment) bool {
		refused := sim.Show().Refused
		return len(refused) == 1 && refused[0].Reason == "packet cannot be decoded" &&
			refused[0].Count == uint64(len(wrong))
	})
	if v := sim.Show(); v.Referee.Source != "builtin" || v.Trouble != "" {
		t.Errorf("got %+v, trouble %q; want the built-in referee", v.Referee, v.Trouble)
	}
	if _, err := sim.Commands().Do("referee", json.RawMessage(`{"command":"resume"}`)); err == nil {
		t.Error("resume while the built-in referee controls the match: got no error")
	}
}

// A sender that only places robots and ball, like VSSReferee, is taken for a referee.
func TestPlacingSenderIsReferee(t *testing.T) {
	p := newPeer(t)
	sim := start(t, func(c *vssnet.Config) {
		c.Referee = true
	}, p)
	for range 10 {
		p.send(&pb.Packet{Replace: &pb.Replacement{Ball: &pb.BallReplacement{}}})
	}
	for range 500 {
		p.see()
		if sim.Show().Referee.Source == p.address() {
			return
		}
	}
	t.Errorf("got %+v, want the sender of placements as the referee", sim.Show().Referee)
}

// The built-in referee uses the placements of teams, whose angles are in degrees.
func TestPlacementsOfTeams(t *testing.T) {
	p := newPeer(t)
	group := freeGroup(t, "224.5.23.2")
	sim := start(t, func(c *vssnet.Config) {
		c.Referee, c.PlacementGroup, c.Speed = true, group, 20
	}, p)
	team, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	b, err := proto.Marshal(&pb.VSSRef_Placement{World: &pb.VSSRef_Placement_Frame{TeamColor: pb.Color_BLUE,
		Robots: []*pb.VSSRef_Placement_Robot{
			{RobotId: 0, X: -0.6, Y: 0.1, Orientation: 90}, {RobotId: 1, X: -0.4, Y: 0.3}, {RobotId: 2, X: -0.4, Y: -0.3},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Commands().Do("referee", json.RawMessage(`{"command":"kickoff yellow"}`)); err != nil {
		t.Fatal(err)
	}
	if err := team.Send(b); err != nil {
		t.Fatal(err)
	}
	p.until("blue 0 where its team wants it, facing +y", func(e *pb.Environment) bool {
		r := e.GetFrame().GetRobotsBlue()[0]
		return math.Abs(r.GetX()+0.6) < 0.01 && math.Abs(r.GetY()-0.1) < 0.01 &&
			math.Abs(r.GetOrientation()-math.Pi/2) < 0.05
	})
}
