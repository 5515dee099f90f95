package overview_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/wire"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// datagram encodes a datagram of robot 3 to all robots.
func datagram(t *testing.T, sequence uint64, pieces ...tcm.Piece) []byte {
	t.Helper()
	d := tcm.Datagram{Header: tcm.Header{
		Team: 1, From: tcm.Entity{Kind: tcm.Robot, ID: 3}, To: tcm.Entity{Kind: tcm.Robot}, Boot: 7, Sequence: sequence,
		Sent: 5_000_000,
	}, Pieces: pieces}
	b, err := d.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// belief encodes a belief with a ball at x m.
func belief(t *testing.T, number uint32, x float32) tcm.Piece {
	t.Helper()
	m := team.Belief{Ball: team.Ball{Known: true, X: x, Confidence: 1}}
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return tcm.Piece{Module: tcm.GM, Type: tcm.Belief, Number: number, Captured: 2_000_000, Data: b}
}

func receive(m *overview.Messages, at time.Duration, b []byte) {
	m.Receive(&soccer.Packet{Time: soccer.Epoch.Add(at), Data: b})
}

// value returns the value of a message's field.
func value(t *testing.T, m overview.Message, name string) string {
	t.Helper()
	for _, f := range m.Fields {
		if f.Name == name {
			return strings.TrimSpace(f.Value + " " + f.Unit)
		}
	}
	t.Errorf("no field %s in %v", name, m.Fields)
	return ""
}

// The newest messages are shown first, each once, with the fields of datagram and message in one table that covers every
// byte.
func TestMessages(t *testing.T) {
	m := overview.NewMessages(soccer.Epoch)
	for i := range 12 {
		b := datagram(t, uint64(i+1), belief(t, uint32(i), float32(i)))
		receive(m, time.Duration(i)*50*time.Millisecond, b)
		receive(m, time.Duration(i)*50*time.Millisecond, b) // its copy at another receiver
	}
	receive(m, 0, []byte("no TCM datagram"))
	if got := fmt.Sprint(m.Senders()); got != "[{robot:3 [belief]}]" {
		t.Errorf("got senders %s", got)
	}
	if _, found := m.View("robot:3/status"); found {
		t.Error("a type of which no message arrived was found")
	}
	view, found := m.View("robot:3/belief")
	if !found || len(view.Messages) != 9 {
		t.Fatalf("found %t, %d messages, want 9", found, len(view.Messages))
	}
	newest := view.Messages[0]
	if newest.Number != 11 || newest.Sequence != 12 || newest.Time != 0.55 || newest.To != "robots" ||
		newest.Module != "GM" || newest.Pieces != 1 || newest.Arrived != 1 || newest.HeldMillis != 3 || newest.Boot != 7 {
		t.Errorf("got the newest message %+v", newest)
	}
	if len(newest.Issues) != 0 {
		t.Errorf("got issues %v", newest.Issues)
	}
	if got := value(t, newest, "belief.ball.x"); got != "11 m" {
		t.Errorf("got the ball at %s, want 11 m", got)
	}
	if got := value(t, newest, "from.id"); got != "3" {
		t.Errorf("got sender %s, want 3", got)
	}
	at := 0
	for _, f := range newest.Fields {
		if f.Offset != at {
			t.Fatalf("field %s begins at byte %d, want %d", f.Name, f.Offset, at)
		}
		at += f.Len
	}
	if at != len(newest.Hex)/2 {
		t.Errorf("the fields end at byte %d of %d", at, len(newest.Hex)/2)
	}
}

// An illegal value of a message is reported at its bytes in the datagram.
func TestIllegalField(t *testing.T) {
	p := belief(t, 1, 1)
	x := slices.IndexFunc(team.Fields(team.TypeBelief, p.Data), func(f wire.Field) bool { return f.Name == "ball.x" })
	field := team.Fields(team.TypeBelief, p.Data)[x]
	nan := math.Float32bits(float32(math.NaN()))
	for i := range 4 {
		p.Data[field.Offset+i] = byte(nan >> (8 * i))
	}
	m := overview.NewMessages(soccer.Epoch)
	receive(m, 0, datagram(t, 1, belief(t, 0, 1), p))
	view, _ := m.View("robot:3/belief")
	if len(view.Messages) != 2 {
		t.Fatalf("%d messages, want the 2 of one datagram", len(view.Messages))
	}
	want := tcm.HeaderSize + tcm.PieceHeader + len(p.Data) + tcm.PieceHeader + field.Offset
	issues := view.Messages[0].Issues
	if len(issues) != 1 || issues[0].Offset != want || issues[0].Field != "belief.ball.x" {
		t.Errorf("got issues %v, want one of belief.ball.x at byte %d", issues, want)
	}
}

// A fragmented message is one message, whatever the number of its pieces that arrived.
func TestFragments(t *testing.T) {
	m := overview.NewMessages(soccer.Epoch)
	fragment := func(index uint16) tcm.Piece {
		data := make([]byte, tcm.PieceSize)
		if index == 3 {
			data = data[:400]
		}
		return tcm.Piece{
			Fragment: true, Module: tcm.Manager, Type: tcm.Image, Number: 5, Index: index, Count: 4, Total: 4000, Data: data,
		}
	}
	for i, index := range []uint16{1, 2, 2, 3} {
		b := datagram(t, uint64(i+1), fragment(index))
		if i == 2 {
			b = datagram(t, 2, fragment(index)) // a duplicate
		}
		receive(m, time.Duration(i)*time.Millisecond, b)
	}
	view, _ := m.View("robot:3/image")
	if len(view.Messages) != 1 {
		t.Fatalf("%d messages, want 1", len(view.Messages))
	}
	got := view.Messages[0]
	if got.Bytes != 4000 || got.Pieces != 4 || got.Arrived != 3 {
		t.Errorf("got %d bytes and %d of %d pieces, want 4000 bytes and 3 of 4", got.Bytes, got.Arrived, got.Pieces)
	}
	if text := value(t, got, "piece[0].payload"); len(text) > 60 || !strings.HasSuffix(text, "(1200 bytes)") {
		t.Errorf("got the payload %s, want its beginning", text)
	}
}

// A flood of senders and types takes bounded memory and leaves the messages of those that were there.
func TestFlood(t *testing.T) {
	m := overview.NewMessages(soccer.Epoch)
	receive(m, 0, datagram(t, 1, belief(t, 1, 1)))
	for i := range 2000 {
		p := tcm.Piece{Module: tcm.GM, Type: tcm.FirstOwnType + tcm.Type(i), Number: 1}
		receive(m, time.Duration(i)*time.Millisecond, datagram(t, uint64(i+2), p))
	}
	if types := m.Senders()[0].Types; len(types) != 256 || types[0] != "belief" {
		t.Errorf("%d types are kept, want 256 with belief", len(types))
	}
	receive(m, time.Minute, datagram(t, 3000, tcm.Piece{Module: tcm.GM, Type: 9999, Number: 1}))
	if _, found := m.View("robot:3/type 9999"); !found {
		t.Error("a new type found no place beside idle ones")
	}
}
