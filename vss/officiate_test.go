package vss_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/soccer"
	"touchline/transport"
	"touchline/vss"
	pb "touchline/wire/firasim/firasimpb"
)

// When another referee is heard the page shows its address and the built-in one stays silent.
func TestRefereeYields(t *testing.T) {
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
	sim := start(t, func(c *vss.Config) {
		rules := vss.DefaultRefereeConfig(soccer.VSS3v3(), 3)
		c.Referee, c.RefereeGroup = &rules, group
	}, p)
	packet, err := ear.ReadPacket(make([]byte, 100))
	if err != nil {
		t.Fatal(err)
	}
	command := &pb.VSSRef_Command{}
	if err := proto.Unmarshal(packet.Data, command); err != nil || command.GetFoul() != pb.Foul_KICKOFF {
		t.Errorf("the match begins with %v, %v", command, err)
	}
	if v := sim.Show().Referee; v == nil || v.Source != "builtin" || v.Left <= 0 {
		t.Errorf("the page shows %+v", v)
	}
	other, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	b, err := proto.Marshal(&pb.VSSRef_Command{Foul: pb.Foul_FREE_BALL, Teamcolor: pb.Color_YELLOW, FoulQuadrant: pb.Quadrant_QUADRANT_3})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Send(b); err != nil {
		t.Fatal(err)
	}
	for {
		p.see()
		if v := sim.Show().Referee; v.Source == other.LocalAddr().String() && v.Foul == "FREE_BALL" && v.Team == "yellow" {
			break
		}
	}
	if err := sim.Command(t.Context(), "referee", json.RawMessage(`{"command":"kickoff"}`)); err == nil || !strings.Contains(err.Error(), other.LocalAddr().String()) {
		t.Errorf("the built-in referee obeys: %v", err)
	}
	if err := sim.Command(t.Context(), "reset", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	p.see()
	p.see()
	if v := sim.Show().Referee; v.Source != "builtin" {
		t.Errorf("after a reset %+v", v)
	}
}

// VSSReferee is also known by what it does: it places things and never drives.
func TestForeignReplacer(t *testing.T) {
	p := newPeer(t)
	sim := start(t, func(c *vss.Config) {
		rules := vss.DefaultRefereeConfig(soccer.VSS3v3(), 3)
		c.Referee = &rules
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
	t.Errorf("the page shows %+v", sim.Show().Referee)
}

// Teams tell the built-in referee where they want to stand, in degrees, and it puts them there.
func TestWishesAreHeard(t *testing.T) {
	p := newPeer(t)
	group := freeGroup(t, "224.5.23.2")
	sim := start(t, func(c *vss.Config) {
		rules := vss.DefaultRefereeConfig(soccer.VSS3v3(), 3)
		c.Referee, c.WishesGroup, c.Speed = &rules, group, 20
	}, p)
	team, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	b, err := proto.Marshal(&pb.VSSRef_Placement{World: &pb.VSSRef_Placement_Frame{TeamColor: pb.Color_BLUE, Robots: []*pb.VSSRef_Placement_Robot{
		{RobotId: 0, X: -0.6, Y: 0.1, Orientation: 90}, {RobotId: 1, X: -0.4, Y: 0.3}, {RobotId: 2, X: -0.4, Y: -0.3},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Command(t.Context(), "referee", json.RawMessage(`{"command":"kickoff yellow"}`)); err != nil {
		t.Fatal(err)
	}
	if err := team.Send(b); err != nil {
		t.Fatal(err)
	}
	p.until("blue 0 where its team wants it, facing +y", func(e *pb.Environment) bool {
		r := e.GetFrame().GetRobotsBlue()[0]
		return math.Abs(r.GetX()+0.6) < 0.01 && math.Abs(r.GetY()-0.1) < 0.01 && math.Abs(r.GetOrientation()-math.Pi/2) < 0.05
	})
}
