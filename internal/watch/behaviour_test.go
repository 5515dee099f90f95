package watch

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

var machine = &hfsm.Machine{
	Name:   "test",
	States: []hfsm.State{{Name: "stop", Behaviour: "stand"}, {Name: "play"}, {Name: "search", In: "play", Behaviour: "turn"}, {Name: "kick", In: "play", Behaviour: "kick"}},
	Transitions: []hfsm.Transition{
		{From: "stop", To: "play", When: "running"}, {From: "play", To: "stop", When: "!running"},
		{From: "search", To: "kick", When: "has ball"}, {From: "kick", To: "search", After: 500 * time.Millisecond},
		{From: "search", To: "kick", When: "ball near & free"},
	},
}

func sender(teamID, robot uint8) check.Source {
	return check.Source{Team: teamID, Entity: tcm.Entity{Kind: tcm.Robot, ID: robot}}
}

// say sends a debug record through the codec, ms after the start.
func say(t *testing.T, line *behaviour, robot uint8, ms int, checksum uint32, states ...string) {
	t.Helper()
	data, err := (&team.Debug{Machine: checksum, States: states}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Duration(ms) * time.Millisecond
	line.message(&check.Message{
		From: sender(1, robot), Kind: check.Kind{Type: tcm.Debug}, Captured: uint64(time.Hour + at), Time: soccer.Epoch.Add(at),
		Data: data,
	})
}

func texts(r BehaviourRobot) (all []string) {
	for _, s := range r.Spans {
		all = append(all, fmt.Sprintf("%.1f-%.1f %s<%s (%s)", s.From, s.To, s.State, s.Left, s.Why))
	}
	return all
}

// A robot whose machine is known: each transition has its reason, also one from an outer state into another.
func TestKnownMachine(t *testing.T) {
	line, sum := newBehaviour(soccer.Epoch, machine), machine.Checksum()
	paths := [][]string{{"stop"}, {"stop"}, {"play", "search"}, {"play", "kick"}, {"play", "search"}, {"stop"}, {"play", "kick"}}
	for i, path := range paths {
		say(t, line, 3, 100*i, sum, path...)
	}
	v := line.view(soccer.Epoch.Add(700 * time.Millisecond))
	if len(v.Robots) != 1 || len(v.Machines) != 1 || v.Machines[0].Machine != machine {
		t.Fatalf("got %+v", v)
	}
	r := v.Robots[0]
	want := []string{
		"0.0-0.2 stop< ()", "0.2-0.3 search<stop (running)", "0.3-0.4 kick<search (has ball or ball near & free)",
		"0.4-0.5 search<kick (after 500ms)", "0.5-0.6 stop<search (!running)", "0.6-0.6 kick<stop ()",
	}
	if got := texts(r); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !r.Live || r.Since != 0.6 || !slices.Equal(r.States, paths[6]) || r.Machine != sum || r.Number != 3 || r.Team != 1 {
		t.Errorf("got %+v", r)
	}
	if _, err := json.Marshal(v); err != nil {
		t.Error(err)
	}
}

// A robot of another program has its path and its history. Silence interrupts the history.
func TestForeignRobot(t *testing.T) {
	line := newBehaviour(soccer.Epoch, machine)
	say(t, line, 2, 0, 77, "attack", "shoot")
	say(t, line, 2, 300, 77, "attack", "run")
	say(t, line, 2, 200, 77, "attack", "shoot") // overtaken
	say(t, line, 2, 2000, 77, "attack", "shoot")
	say(t, line, 2, 2100, 77)
	v := line.view(soccer.Epoch.Add(3 * time.Second))
	want := []string{"0.0-0.3 shoot< ()", "0.3-0.3 run<shoot ()", "2.0-2.1 shoot< ()", "2.1-2.1 <shoot ()"}
	if got := texts(v.Robots[0]); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if r := v.Robots[0]; r.Live || r.SilentMs != 900 || len(r.States) != 0 || len(v.Machines) != 0 {
		t.Errorf("got %+v", v)
	}
	if v := line.view(soccer.Epoch.Add(2 * time.Minute)); len(v.Robots) != 0 {
		t.Errorf("after two minutes: got %+v", v)
	}
}

// Doing returns what a robot does now, from its debug record and its status.
func TestDoing(t *testing.T) {
	line := newBehaviour(soccer.Epoch)
	if _, ok := line.doing(1, 4, soccer.Epoch); ok {
		t.Error("a robot that sent nothing does something")
	}
	status, err := (&team.Status{HasTarget: true, TargetX: 3, Battery: 80, Intention: "fetch the ball"}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	line.message(&check.Message{
		From: sender(1, 4), Kind: check.Kind{Type: tcm.Status}, Captured: 5, Time: soccer.Epoch, Data: status,
	})
	if v := line.view(soccer.Epoch); len(v.Robots) != 0 {
		t.Errorf("a robot without a debug record is among those with one: %+v", v)
	}
	d := team.Debug{States: []string{"play", "approach"}, Booking: team.Booking{Protocol: team.Lease, Booked: true, Booker: 4}}
	line.record(sender(1, 4), 6, soccer.Epoch, &d)
	got, ok := line.doing(1, 4, soccer.Epoch.Add(100*time.Millisecond))
	if !ok || got.State != "approach" || !got.Booked || got.Status == nil || got.Status.TargetX != 3 {
		t.Errorf("got %+v", got)
	}
	if _, ok := line.doing(1, 4, soccer.Epoch.Add(time.Second)); ok {
		t.Error("a silent robot does something")
	}
}

// Memory stays bounded, whatever is sent; damaged records and messages of computers do not count.
func TestHostile(t *testing.T) {
	line := newBehaviour(soccer.Epoch)
	for ms := range 2000 {
		say(t, line, 1, ms, 5, fmt.Sprint("state ", ms))
	}
	for id := range uint8(64) {
		for _, group := range []uint8{1, 2} {
			line.record(sender(group, id), 1, soccer.Epoch.Add(2*time.Second), &team.Debug{})
		}
	}
	computer := sender(1, 90)
	computer.Entity.Kind = tcm.Computer
	for _, from := range []check.Source{computer, sender(3, 9)} {
		line.message(&check.Message{From: from, Kind: check.Kind{Type: tcm.Debug}, Time: soccer.Epoch, Data: []byte{1, 2, 3}})
	}
	v := line.view(soccer.Epoch.Add(2 * time.Second))
	if len(v.Robots) != 32 || slices.ContainsFunc(v.Robots, func(r BehaviourRobot) bool { return len(r.Spans) > 300 }) {
		t.Errorf("got %d robots", len(v.Robots))
	}
}
