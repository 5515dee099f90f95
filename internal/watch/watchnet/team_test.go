package watchnet_test

import (
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// A Team shows the nodes' reports and the datagrams that they received.
func TestTeam(t *testing.T) {
	team := watchnet.NewTeam(func() []teamcom.Report { return []teamcom.Report{{Entity: "robot:1"}} }, "look at the cable")
	header := tcm.Header{
		Team: 1, From: tcm.Entity{Kind: tcm.Robot, ID: 2}, To: tcm.Entity{Kind: tcm.Robot}, Boot: 1, Sequence: 1, Sent: 1,
	}
	piece := tcm.Piece{Module: tcm.GM, Type: tcm.FirstOwnType, Data: []byte("hello")}
	team.Packet(&soccer.Packet{
		Time: soccer.NewClock(time.Now()).Start, Data: tcm.Seal(piece.Append(header.Append(nil)), nil),
	})
	if v := team.Nodes("teamcom").(teamcom.View); len(v.Nodes) != 1 || v.Nodes[0].Entity != "robot:1" || v.Time < 0 {
		t.Errorf("got nodes %+v", v)
	}
	traffic := team.Traffic("messages").(watch.Overview)
	if len(traffic.Senders) != 1 || len(traffic.Senders[0].Types) != 1 {
		t.Fatalf("got traffic %+v", traffic)
	}
	key := traffic.Senders[0].Types[0].Key
	if v := team.Messages("messages/" + key).(watch.Messages); v.Key != key || len(v.Messages) != 1 ||
		v.Messages[0].Hex != "68656c6c6f" {
		t.Errorf("got messages %+v", v)
	}
	if v := team.Messages("messages/nobody").(watch.Messages); v.Key != "nobody" || len(v.Messages) != 0 {
		t.Errorf("got messages %+v of nobody", v)
	}
}
