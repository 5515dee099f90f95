package stationnet

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// flow counts the datagrams of a robot, number 0 for those that are no packages.
type flow struct {
	number          uint8
	rate            int // a second
	passed, dropped int
	name            string // name of the newest dropped one
}

// send lets flows of one address arrive for some seconds.
func send(t *testing.T, l *limits, seconds int, flows []*flow) {
	t.Helper()
	from := netip.MustParseAddrPort("10.0.0.1:4000")
	for at := time.Duration(0); at < time.Duration(seconds)*time.Second; at += time.Millisecond {
		for _, f := range flows {
			if at%(time.Second/time.Duration(f.rate)) != 0 {
				continue
			}
			data := []byte("no package")
			if f.number > 0 {
				var err error
				if data, err = mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, TeamID: 39, Robot: 1},
					&soccer.Percepts{}); err != nil {
					t.Fatal(err)
				}
				data[8] = f.number // mixed_team_robot_id: real teams number theirs beyond 6
			}
			if of := l.exceeded(&soccer.Packet{Time: soccer.Epoch.Add(at), From: from, Data: data}); of == "" {
				f.passed++
			} else {
				f.dropped++
				f.name = of
			}
		}
	}
}

// Ten robots at 25 Hz behind one relay lose nothing.
func TestRelayOfTenRobots(t *testing.T) {
	var flows []*flow
	for n := range uint8(10) {
		flows = append(flows, &flow{number: n + 1, rate: 25})
	}
	send(t, newLimits(), 20, flows)
	for _, f := range flows {
		if f.passed != 500 || f.dropped != 0 {
			t.Errorf("robot %d: %d of 500 packages passed", f.number, f.passed)
		}
	}
}

// A robot that floods behind a relay, and garbage, do not take the packages of the others; the dropped ones have a name.
func TestFloodBehindRelay(t *testing.T) {
	flood, fair, garbage := &flow{number: 3, rate: 500}, &flow{number: 4, rate: 25}, &flow{rate: 250}
	send(t, newLimits(), 10, []*flow{fair, flood, garbage})
	if fair.passed != 250 {
		t.Errorf("%d of 250 packages of the fair robot passed", fair.passed)
	}
	if flood.passed > 2100 || !strings.HasPrefix(flood.name, "robot 3 at 10.0.0.1:4000, which sends more than 200") {
		t.Errorf("%d packages of the flood passed, want 2,060 at most; the dropped ones are of %q", flood.passed, flood.name)
	}
	if garbage.passed > 2100 || !strings.Contains(garbage.name, "no mixed team packages") {
		t.Errorf("%d datagrams passed that are no packages; the dropped ones are of %q", garbage.passed, garbage.name)
	}
}

// An address that invents robots is bounded as a whole.
func TestFloodOfNumbers(t *testing.T) {
	var flows []*flow
	for n := range uint8(99) {
		flows = append(flows, &flow{number: n + 1, rate: 50})
	}
	send(t, newLimits(), 5, flows)
	passed, name := 0, ""
	for _, f := range flows {
		passed += f.passed
		name = f.name
	}
	if passed > 5*addressRate+addressBurst || !strings.HasPrefix(name, "10.0.0.1:4000, which sends more than 800") {
		t.Errorf("%d packages passed, want %d at most; the dropped ones are of %q", passed, 5*addressRate+addressBurst, name)
	}
}
