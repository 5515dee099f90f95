package watch_test

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// inspectRobot sends datagrams with one belief each.
type inspectRobot struct {
	id       uint8
	sequence uint64
}

// belief returns the robot's next datagram, with a ball at x.
func (r *inspectRobot) belief(t testing.TB, now soccer.Time, x float32) *soccer.Packet {
	t.Helper()
	m := team.Belief{Ball: team.Ball{Known: true, X: x}, Self: team.Self{Known: true, HasHeading: true, X: 1}}
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.sequence++
	return r.datagram(now, tcm.Piece{Module: tcm.GM, Type: tcm.Belief, Number: uint32(r.sequence), Captured: uint64(now) - 40e6, Data: b})
}

// datagram returns a datagram with a piece.
func (r *inspectRobot) datagram(now soccer.Time, p tcm.Piece) *soccer.Packet {
	h := tcm.Header{
		Team: 1, From: tcm.Entity{Kind: tcm.Robot, ID: r.id}, To: tcm.Entity{Kind: tcm.Robot}, Boot: 1, Sequence: r.sequence,
		Sent: uint64(now),
	}
	return &soccer.Packet{
		Time: now.Add(time.Millisecond), Channel: "239.0.0.1:4000",
		From: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, r.id}), 4000), Data: tcm.Seal(p.Append(h.Append(nil)), nil),
	}
}

// A message of the ball booking has its fields and its faults.
func TestBookingIsDecoded(t *testing.T) {
	i := watch.NewInspector(soccer.Epoch)
	claim, err := (&b3p.Claim{Booker: 4, Epoch: 41, Sequence: 7, Claimed: 1500, Advertised: 1750}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := inspectRobot{id: 3, sequence: 1}
	i.Receive(r.datagram(soccer.Epoch, tcm.Piece{Module: tcm.GM, Type: tcm.BookingClaim, Captured: uint64(soccer.Epoch), Data: claim}))
	v, ok := i.Messages("1/robot:3/robots/GM/booking claim")
	if !ok || len(v.Messages) != 1 || len(v.Messages[0].Fields) != 6 || len(v.Messages[0].Issues) != 1 {
		t.Fatalf("got %+v, want one claim with 6 fields and a fault", v)
	}
	if f, issue := v.Messages[0].Fields[5], v.Messages[0].Issues[0]; f.Name != "advertised" || f.Value != "1750" ||
		issue.Field != "booker" || issue.Offset != 1 {
		t.Errorf("got field %+v and issue %+v, want 1750 mm and a wrong booker at byte 1", f, issue)
	}
}

// An Inspector keeps the newest messages of a row with their fields and issues, and the figures of each sender.
func TestMessages(t *testing.T) {
	i := watch.NewInspector(soccer.Epoch)
	var robots [3]inspectRobot
	now := soccer.Epoch
	for n := range 100 {
		now = soccer.Epoch.Add(time.Duration(n) * 50 * time.Millisecond)
		for k := range robots {
			robots[k].id = uint8(3 - k)
			p := robots[k].belief(t, now, float32(n)/100)
			if k == 1 && n%10 == 9 { // lost
				continue
			}
			i.Receive(p)
			if n == 50 {
				i.Receive(p)
			}
		}
	}
	i.Receive(&soccer.Packet{Time: now, Data: []byte("{ another protocol")})
	i.Receive(&soccer.Packet{Time: now, Data: []byte("TCM\x01 and nothing else")})
	o := i.Overview(now.Add(10 * time.Millisecond))
	if o.Datagrams != 294 || o.Unreadable != 1 || len(o.Senders) != 3 {
		t.Fatalf("got %d datagrams, %d unreadable, %d senders", o.Datagrams, o.Unreadable, len(o.Senders))
	}
	s := o.Senders[1]
	if s.Entity != "robot:2" || s.Addr != "10.0.0.2:4000" || s.Streams[0].Lost != 9 || s.Streams[0].Duplicates != 1 || s.Faulty != 0 {
		t.Errorf("got %+v", s)
	}
	row := s.Types[0]
	if row.Key != "1/robot:2/robots/GM/belief" || row.Received != 90 || row.Lost != 9 || row.Rate < 15 || row.Rate > 20 {
		t.Errorf("got %+v", row)
	}
	v, ok := i.Messages("1/robot:3/robots/GM/belief")
	if !ok || len(v.Messages) != 8 {
		t.Fatalf("got %t, %+v", ok, v)
	}
	m := v.Messages[0]
	if m.Number != 100 || m.CaptureMs != 40 || m.Pieces != 1 || m.Incomplete || m.Time < 4.9 || m.Time > 5 {
		t.Errorf("got %+v", m)
	}
	data, _ := hex.DecodeString(m.Hex)
	var b team.Belief
	if err := b.UnmarshalBinary(data); err != nil || b.Ball.X != 0.99 || len(m.Fields) < 10 {
		t.Errorf("got %+v, %v, %d fields", b, err, len(m.Fields))
	}
	if v, ok := i.Messages("1/robot:9/robots/GM/belief"); ok || len(v.Messages) != 0 {
		t.Errorf("got messages of an unknown robot: %+v", v)
	}
}

// Faults of datagrams and of contents are shown with their counts, one of each kind.
func TestFaults(t *testing.T) {
	i := watch.NewInspector(soccer.Epoch)
	r := inspectRobot{id: 4}
	for n := range 20 {
		now := soccer.Epoch.Add(time.Duration(n) * 50 * time.Millisecond)
		p := r.belief(t, now, 1)
		r.sequence++
		wrong := r.datagram(now, tcm.Piece{
			Module: tcm.GM, Type: tcm.Status, Number: uint32(n), Captured: uint64(now) + 5e9, Data: []byte{team.Version},
		})
		i.Receive(p)
		i.Receive(wrong)
	}
	o := i.Overview(soccer.Epoch.Add(time.Second))
	if len(o.Senders) != 1 || o.Senders[0].Faulty != 20 || len(o.Senders[0].Faults) != 2 {
		t.Fatalf("got %+v", o)
	}
	for _, f := range o.Senders[0].Faults {
		if f.Count != 20 {
			t.Errorf("got %d of %s, want 20", f.Count, f.Text)
		}
	}
	v, _ := i.Messages("1/robot:4/robots/GM/status")
	if len(v.Messages) != 8 || len(v.Messages[0].Issues) == 0 || !strings.Contains(v.Messages[0].Issues[0].Text, "truncated") {
		t.Errorf("got %+v", v.Messages)
	}
}

// An Inspector's memory is bounded, and senders that keep sending keep their rows.
func TestBounds(t *testing.T) {
	i := watch.NewInspector(soccer.Epoch)
	real := inspectRobot{id: 1}
	for n := range 30_000 {
		now := soccer.Epoch.Add(time.Duration(n) * 200 * time.Microsecond)
		if n%100 == 0 {
			i.Receive(real.belief(t, now, 1))
		}
		forged := inspectRobot{id: uint8(2 + n%250), sequence: uint64(n + 1)}
		i.Receive(forged.datagram(now, tcm.Piece{
			Module: tcm.Module(64 + n%60), Type: tcm.FirstOwnType + tcm.Type(n%5000), Number: uint32(n), Captured: uint64(now),
			Data: make([]byte, 1100),
		}))
	}
	o := i.Overview(soccer.Epoch.Add(6 * time.Second))
	types := 0
	kept := false
	for _, s := range o.Senders {
		types += len(s.Types)
		kept = kept || s.Entity == "robot:1" && s.Datagrams == 300 && s.Types[0].Received == 300
	}
	if len(o.Senders) > 64 || types > 512 || !kept {
		t.Errorf("got %d senders, %d types; robot:1 is whole: %t", len(o.Senders), types, kept)
	}
}

// Datagrams of any content are accepted without a panic, and every key of an overview has messages.
func FuzzInspector(f *testing.F) {
	r := inspectRobot{id: 1}
	f.Add(r.belief(f, soccer.Epoch, 1).Data, uint8(3))
	f.Add([]byte("TCM"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, times uint8) {
		i := watch.NewInspector(soccer.Epoch)
		for n := range int(times) + 1 {
			i.Receive(&soccer.Packet{Time: soccer.Epoch.Add(time.Duration(n) * time.Millisecond), Data: b})
			if body := len(b) - tcm.SumSize; body >= tcm.HeaderSize { // the same with a valid checksum
				i.Receive(&soccer.Packet{Time: soccer.Epoch, Data: tcm.Seal(append([]byte(nil), b[:body]...), nil)})
			}
		}
		for _, s := range i.Overview(soccer.Epoch.Add(time.Second)).Senders {
			for _, ty := range s.Types {
				if v, ok := i.Messages(ty.Key); !ok || ty.Received > 0 && len(v.Messages) == 0 {
					t.Fatal(fmt.Sprint("no messages of ", ty.Key))
				}
			}
		}
	})
}
