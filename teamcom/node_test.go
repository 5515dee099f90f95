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
				age := from.Received.Sub(from.Captured)
				log = append(log, fmt.Sprintf("%v %v: %q from %v %v to %v, %v old", n.Self(), m.ID(), b, from.Entity,
					from.Module, from.To, age))
			})
		}
	}
	client := w.nodes[0].Module(tcm.PAM).Client()
	send := func(to tcm.Entity, text string) {
		if err := client.SendBytes(w.now.Add(-2*time.Millisecond), to, tcm.Belief, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	send(robot(2), "one")
	w.run(time.Second)
	send(robots, "all")
	w.run(time.Second)
	slices.Sort(log)
	want := []string{
		`robot:2 GM: "all" from robot:1 PAM to robots, 2ms old`, `robot:2 GM: "one" from robot:1 PAM to robot:2, 2ms old`,
		`robot:2 HFSM: "all" from robot:1 PAM to robots, 2ms old`, `robot:2 HFSM: "one" from robot:1 PAM to robot:2, 2ms old`,
		`robot:3 GM: "all" from robot:1 PAM to robots, 2ms old`, `robot:3 HFSM: "all" from robot:1 PAM to robots, 2ms old`,
	}
	if !slices.Equal(log, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
}
