package teamcom_test

import (
	"slices"
	"testing"
	"time"

	"touchline/teamcom"
	"touchline/transport/traffic"
)

// counted is a note that counts how often it is decoded.
type counted struct {
	note
	decoded int
}

func (c *counted) UnmarshalBinary(b []byte) error {
	c.decoded++
	return c.note.UnmarshalBinary(b)
}

// Three nodes decode each message of a sender once. A message that does not decode counts at each of them, and does not hide the
// message before it; nodes with messages of their own decode them like nodes with Handle.
func TestHandleShared(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	one, two := w.add(robot(1), nil).Module(1).Client(), w.add(robot(2), nil).Module(1).Client()
	var shared teamcom.Shared[counted, *counted]
	var nodes []*teamcom.Node
	var log []string
	decoded := map[*counted]int{}
	for id := range uint8(3) {
		n := w.add(robot(3+id), nil)
		nodes = append(nodes, n)
		teamcom.HandleShared(w.module(n, 2), &shared, func(from teamcom.From, c *counted) {
			log = append(log, from.Entity.String()+" "+c.text)
			decoded[c] = c.decoded
		})
	}
	send := func(client *teamcom.Client, text string) {
		t.Helper()
		if err := client.Send(w.now, robots, &note{text}); err != nil {
			t.Fatal(err)
		}
		w.run(20 * time.Millisecond)
	}
	for _, text := range []string{"a", "b", "", "b"} {
		send(one, text)
	}
	send(two, "b")
	want := slices.Concat(slices.Repeat([]string{"robot:1 a"}, 3), slices.Repeat([]string{"robot:1 b"}, 6),
		slices.Repeat([]string{"robot:2 b"}, 3))
	if !slices.Equal(log, want) {
		t.Errorf("the handlers ran for %q, want %q", log, want)
	}
	var times []int
	for _, n := range decoded {
		times = append(times, n)
	}
	slices.Sort(times)
	if want := []int{1, 6}; !slices.Equal(times, want) { // a, b, b again, and the empty one at each node
		t.Errorf("the messages of the senders were decoded %v times, want %v", times, want)
	}
	for _, n := range nodes {
		if got := n.Report(w.now).Handlers[0]; got.Undecodable != 1 || got.Calls != 5 {
			t.Errorf("got %+v, want 5 calls and 1 undecodable message", got)
		}
	}
}
