package teamcom_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// A small message arrives at every module that listens to its type, at one robot or at all of them, and nowhere else.
func TestSmallMessages(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: 3 * time.Millisecond}, 1)
	var log []string
	for id := range uint8(3) {
		n := w.add(robot(id+1), nil)
		for _, module := range []tcm.Module{tcm.GM, tcm.HFSM} {
			m := w.module(n, module)
			teamcom.HandleBytes(m, tcm.Belief, func(from teamcom.From, b []byte) {
				log = append(log, fmt.Sprintf("%v %v: %q from %v %v to %v", n.Self(), m.ID(), b, from.Entity, from.Module, from.To))
			})
		}
	}
	client := w.nodes[0].Module(tcm.PAM).Client()
	send := func(to tcm.Entity, text string) {
		if err := client.SendBytes(w.now, to, tcm.Belief, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	send(robot(2), "one")
	w.run(time.Second)
	send(robots, "all")
	w.run(time.Second)
	slices.Sort(log)
	want := []string{
		`robot:2 GM: "all" from robot:1 PAM to robots`, `robot:2 GM: "one" from robot:1 PAM to robot:2`,
		`robot:2 HFSM: "all" from robot:1 PAM to robots`, `robot:2 HFSM: "one" from robot:1 PAM to robot:2`,
		`robot:3 GM: "all" from robot:1 PAM to robots`, `robot:3 HFSM: "all" from robot:1 PAM to robots`,
	}
	if !slices.Equal(log, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
}

// A capture time arrives on the receiver's clock, although the sender's is an hour off. Until the offset is known, the
// message's age at departure counts.
func TestCaptured(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: 3 * time.Millisecond}, 1)
	client := w.add(robot(1), nil).Module(tcm.PAM).Client()
	w.offsets[0] = time.Hour
	var last teamcom.From
	m := w.module(w.add(robot(2), nil), tcm.GM)
	teamcom.HandleBytes(m, tcm.Belief, func(from teamcom.From, _ []byte) { last = from })
	send := func() time.Duration {
		captured := w.now.Add(-40 * time.Millisecond)
		if err := client.SendBytes(captured.Add(time.Hour), robot(2), tcm.Belief, nil); err != nil {
			t.Fatal(err)
		}
		w.run(50 * time.Millisecond)
		return last.Captured.Sub(captured)
	}
	if late := send(); last.Synced || late != 3*time.Millisecond {
		t.Errorf("the first message seems captured %v late (synced: %t), want the latency of 3 ms", late, last.Synced)
	}
	for range 40 {
		send()
	}
	if late := send(); !last.Synced || late.Abs() > time.Millisecond {
		t.Errorf("after 2 s a message seems captured %v late (synced: %t), want less than 1 ms", late, last.Synced)
	}
	if links := w.nodes[1].Report(w.now).Links; len(links) != 1 || links[0].Received < 40 || !links[0].Up {
		t.Errorf("got links %+v, want one to robot:1 that is up", links)
	}
}
