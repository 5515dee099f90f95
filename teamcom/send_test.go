package teamcom_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// next returns the decoded datagrams that leave a node now.
func next(t *testing.T, n *teamcom.Node, now soccer.Time) (list []tcm.Datagram) {
	t.Helper()
	for {
		out, ok := n.Next(now, nil)
		if !ok {
			return list
		}
		if len(out.Data) > tcm.OwnDatagram {
			t.Errorf("a datagram of %d bytes, want %d at most", len(out.Data), tcm.OwnDatagram)
		}
		var d tcm.Datagram
		if err := d.UnmarshalBinary(out.Data); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
}

// Small messages to one destination share a datagram; those to others leave on their own, each with its own sequence.
func TestBatch(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), nil)
	client := n.Module(tcm.GM).Client()
	for i := range 6 {
		for _, to := range []tcm.Entity{robot(2), robots} {
			if err := client.SendBytes(w.now, to, tcm.BookingClaim, make([]byte, 300+i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, d := range next(t, n, w.now) {
		text := fmt.Sprint(d.To, " ", d.Sequence, ":")
		for _, p := range d.Pieces {
			text += fmt.Sprintf(" %d=%d", p.Number, len(p.Data))
		}
		got = append(got, text)
	}
	want := []string{
		"robot:2 1: 0=300 1=301 2=302", "robots 1: 0=300 1=301 2=302",
		"robot:2 2: 3=303 4=304 5=305", "robots 2: 3=303 4=304 5=305",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The messages of one call leave together, even if the node is asked for datagrams as soon as one is queued. One that does
// not encode keeps neither those before it nor later calls.
func TestSendTogether(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), nil)
	var got [][]uint32
	leave := make(chan bool, 10)
	n.Notify(func() { leave <- true }, func(*teamcom.Module) {})
	client := n.Module(tcm.GM).Client()
	take := func() {
		for _, d := range next(t, n, w.now) {
			var types []uint32
			for _, p := range d.Pieces {
				types = append(types, uint32(p.Type))
			}
			got = append(got, types)
		}
	}
	send := func(data ...teamcom.Data) error {
		sent := make(chan error)
		go func() { sent <- client.Send(w.now, robots, data...) }()
		for {
			select {
			case <-leave:
				take()
			case err := <-sent:
				return err
			}
		}
	}
	for range 100 {
		got = nil
		err := send(ownData{tcm.Belief, nil}, ownData{tcm.BookingBelief, nil}, ownData{tcm.Status, nil})
		for len(leave) > 0 {
			<-leave
		}
		take()
		if want := [][]uint32{{1, 18}, {3}}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got datagrams %v, error %v, want %v", got, err, want)
		}
	}
	failure := errors.New("no message")
	got = nil
	if err := send(ownData{tcm.Belief, nil}, ownData{tcm.Status, failure}, ownData{tcm.Motor, nil}); !errors.Is(err, failure) {
		t.Errorf("got error %v, want that of the message", err)
	}
	if waiting, _ := n.Waiting(tcm.Command); waiting != 0 {
		t.Errorf("%d messages wait after one that does not encode", waiting)
	}
	if err := send(ownData{tcm.Motor, nil}); err != nil {
		t.Error(err)
	}
}

// ownData is a message of one byte, or one that does not encode.
type ownData struct {
	t   tcm.Type
	err error
}

func (d ownData) AppendBinary(b []byte) ([]byte, error) { return append(b, 1), d.err }
func (d ownData) DataType() uint16                      { return uint16(d.t) }

// Command, robot-to-robot messages and telemetry never wait for bulk data: each leaves with the next datagram.
func TestPriority(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), func(cfg *teamcom.Config) { cfg.Budget[tcm.Bulk] = teamcom.Unlimited })
	client := n.Module(tcm.GM).Client()
	for _, typ := range []tcm.Type{tcm.File, tcm.Status, tcm.Belief, tcm.Motor, tcm.File} {
		size := 1
		if typ == tcm.File {
			size = 10_000
		}
		if err := client.SendBytes(w.now, robot(2), typ, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	var got []tcm.Socket
	for range 5 {
		out, _ := n.Next(w.now, nil)
		got = append(got, out.Socket)
	}
	want := []tcm.Socket{tcm.Command, tcm.Robots, tcm.Telemetry, tcm.Bulk, tcm.Bulk}
	if !slices.Equal(got, want) {
		t.Errorf("the classes leave as %v, want %v", got, want)
	}
	if err := client.SendBytes(w.now, robot(2), tcm.Belief, nil); err != nil {
		t.Fatal(err)
	}
	if out, _ := n.Next(w.now, nil); out.Socket != tcm.Robots {
		t.Errorf("while a file leaves, the next datagram is %v, want the belief", out.Socket)
	}
}

// A class leaves no faster than its budget, and Wake returns when the next datagram may leave.
func TestBudget(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), func(cfg *teamcom.Config) { cfg.Budget[tcm.Bulk] = 100_000 })
	if err := n.Module(tcm.GM).Client().SendBytes(w.now, robot(2), 1000, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for end := w.now.Add(5 * time.Second); w.now <= end; w.now = n.Wake() {
		for {
			out, ok := n.Next(w.now, nil)
			if !ok {
				break
			}
			sent += len(out.Data)
		}
	}
	if sent < 500_000 || sent > 500_000+2*tcm.OwnDatagram {
		t.Errorf("%d bytes left in 5 s, want 500,000 and two datagrams more at most", sent)
	}
}

// A full queue drops the oldest messages of a type that allows it, refuses the others, and counts both. Of a
// latest-wins type only the newest waits.
func TestFullQueue(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), func(cfg *teamcom.Config) {
		for s := range cfg.Queues {
			cfg.Queues[s] = teamcom.Limits{Messages: 3, Bytes: 1000}
		}
	})
	client := n.Module(tcm.GM).Client()
	for i := range 5 {
		for _, typ := range []tcm.Type{tcm.BookingClaim, tcm.Referee, tcm.Status} {
			err := client.SendBytes(w.now, robot(2), typ, []byte{byte(i)})
			if refused := typ == tcm.Referee && i >= 3; errors.Is(err, teamcom.ErrFull) != refused {
				t.Errorf("message %d of %v: got error %v, want one: %t", i, typ, err, refused)
			}
		}
	}
	if err := client.SendBytes(w.now, robot(2), tcm.Status, make([]byte, 1001)); !errors.Is(err, teamcom.ErrFull) {
		t.Errorf("a message larger than the queue: got error %v, want %v", err, teamcom.ErrFull)
	}
	got := map[tcm.Type][]byte{}
	for _, d := range next(t, n, w.now) {
		for _, p := range d.Pieces {
			got[p.Type] = append(got[p.Type], p.Data...)
		}
	}
	for typ, want := range map[tcm.Type][]byte{tcm.BookingClaim: {2, 3, 4}, tcm.Referee: {0, 1, 2}, tcm.Status: {4}} {
		if !bytes.Equal(got[typ], want) {
			t.Errorf("messages %v of %v left, want %v", got[typ], typ, want)
		}
	}
	for _, q := range n.Report(w.now).Queues {
		want := map[string]uint64{"robots": 2, "command": 2, "telemetry": 5}[q.Socket]
		if q.Dropped != want || q.Messages != 0 {
			t.Errorf("the %s queue dropped %d messages and has %d, want %d and 0", q.Socket, q.Dropped, q.Messages, want)
		}
	}
}
