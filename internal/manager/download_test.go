package manager_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// fetchable is a robot that gives the sheet of a machine.
func fetchable(seed uint64, sheet *hfsm.Sheet) manager.RobotConfig {
	cfg := drivable(seed)
	cfg.Fetch = func(name string) ([]byte, error) {
		if name != hfsm.SheetFile {
			return nil, errors.New("no such file")
		}
		return json.Marshal(sheet)
	}
	return cfg
}

// fetched runs the bench until the sheet is here or failed.
func (b *bench) fetched(desk int) *manager.SheetView {
	b.t.Helper()
	for range 100 {
		b.attend(500*time.Millisecond, desk)
		if v := b.desks[desk].SheetView(3); v.State != "asking" {
			return v
		}
	}
	b.t.Fatal("the sheet is on its way for 50 s")
	return nil
}

// The state machine of a robot, 200 kB long, arrives at the pages of two operators over links that lose a tenth of all
// datagrams, also when it changes meanwhile; nobody needs the control for it, and the audit log has no line about it.
func TestFetchMachine(t *testing.T) {
	sheet := &hfsm.Sheet{Machine: manyWays(ring(250), 700), Conditions: []string{"halted"}, Behaviours: []string{"stand"}}
	b := newBench(t, fetchable(1, sheet), 2, traffic.Link{Loss: 0.1})
	b.attend(time.Second, 0, 1)
	for desk := range 2 {
		b.must(desk, "robot-fetch", page(desk+1))
	}
	for desk := range 2 {
		if v := b.fetched(desk); v.State != "here" || v.Sheet.Machine.Checksum() != sheet.Machine.Checksum() ||
			len(v.Sheet.Conditions) != 1 || v.Sheet.Default != nil {
			t.Fatalf("desk %d: %s %q", desk, v.State, v.Text)
		}
	}
	b.must(0, "robot-fetch", page(1))
	b.must(0, "robot-fetch", page(1)) // a second press
	b.run(50 * time.Millisecond)
	sheet.Machine = ring(200)
	if v := b.fetched(0); v.State != "here" || len(v.Sheet.Machine.States) != 200 {
		t.Errorf("%s %q, %d states", v.State, v.Text, len(v.Sheet.Machine.States))
	}
	if len(b.log) > 0 {
		t.Errorf("the audit log has %+v", b.log)
	}
}

// A robot's colour table is fetched as its state machine is. The one that the robot takes counts from then on, and none
// after a restart.
func TestFetchColors(t *testing.T) {
	cfg := fetchable(1, &hfsm.Sheet{})
	table := bytes.Repeat([]byte("colour"), 20_000)
	sheet := cfg.Fetch
	cfg.Fetch = func(name string) ([]byte, error) {
		if name == manager.ColorsFile {
			return table, nil
		}
		return sheet(name)
	}
	cfg.Adopt = func(string, []byte) error { return nil }
	b := newBench(t, cfg, 1, traffic.Link{Loss: 0.1})
	b.attend(time.Second, 0)
	fetch := func() {
		t.Helper()
		b.must(0, "robot-fetch", page(1, "file", manager.ColorsFile))
		if err := b.command(0, "robot-fetch", page(1)); err == nil {
			t.Error("two files are on their way")
		}
		b.attend(3*time.Second, 0)
	}
	if err := b.command(0, "robot-fetch", page(1, "file", "passwd")); err == nil {
		t.Error("a file of any name is asked for")
	}
	fetch()
	if got := b.desks[0].Colors(3); !bytes.Equal(got, table) {
		t.Fatalf("%d bytes, want %d", len(got), len(table))
	}
	if v := b.desks[0].SheetView(3); v.State != "none" {
		t.Errorf("the state machine is %s %s", v.State, v.Text)
	}
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	if err := b.desks[0].SendFile(3, 1, manager.ColorsFile, []byte("another")); err != nil {
		t.Fatal(err)
	}
	b.attend(3*time.Second, 0)
	if got := b.desks[0].Colors(3); string(got) != "another" {
		t.Errorf("after the robot took another one: %d bytes, %q", len(got), b.desks[0].View(3, b.now).Machine.Upload)
	}
	cfg.Seed = 2
	b.startRobot(cfg, 2)
	b.attend(time.Second, 0)
	if got := b.desks[0].Colors(3); got != nil {
		t.Errorf("after a restart: %d bytes", len(got))
	}
}

// A robot that gives no files, restarts meanwhile, or sends nonsense, ends the download with the reason.
func TestFetchFails(t *testing.T) {
	b := newBench(t, drivable(1), 1, traffic.Link{})
	fails := func(want string) {
		t.Helper()
		if v := b.fetched(0); v.State != "failed" || !strings.Contains(v.Text, want) {
			t.Errorf("%s %q, want %q in it", v.State, v.Text, want)
		}
	}
	b.attend(time.Second, 0)
	b.must(0, "robot-fetch", page(1))
	fails("this robot gives no files")
	b.startRobot(fetchable(2, &hfsm.Sheet{Machine: manyWays(ring(250), 700)}), 2)
	b.attend(time.Second, 0)
	b.must(0, "robot-fetch", page(1))
	b.run(30 * time.Millisecond)
	b.startRobot(fetchable(3, &hfsm.Sheet{Machine: &hfsm.Machine{States: make([]hfsm.State, 10_000)}}), 3)
	fails("the robot restarted")
	b.attend(time.Second, 0)
	b.must(0, "robot-fetch", page(1))
	fails("a machine of 10000 states")
	b.attend(time.Second, 0)
	b.must(0, "robot-fetch", page(1))
	b.cut = true
	fails("did not answer")
}

// A robot that answers and sends other chunks than those of the file, or one that is too long, costs the desk no memory.
func TestFetchFromLiar(t *testing.T) {
	desk, robot, now := manager.NewDesk(manager.DeskConfig{Computer: 1}), tcm.Entity{Kind: tcm.Robot, ID: 3}, soccer.Epoch
	var asked team.Request
	send := func(_ tcm.Entity, data teamcom.Data) {
		if q, ok := data.(*team.Request); ok {
			asked = *q
		}
	}
	report := func() {
		desk.Receive(teamcom.From{Entity: robot, Received: now}, &team.Management{Table: 1, Nonce: 1}, nil)
	}
	report()
	for _, name := range []string{"robot-attend", "robot-fetch"} {
		if err := desk.Command(now, name, []byte(`{"robot":3,"page":1,"name":"Eva"}`), send); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint32(2000) {
		now = now.Add(20 * time.Millisecond)
		report()
		desk.Receive(teamcom.From{Entity: robot, Received: now}, &team.Answer{Operator: 1, Number: asked.Number}, send)
		for _, size := range []uint64{math.MaxUint32, 5000} {
			desk.Receive(teamcom.From{Entity: robot, Received: now}, &team.File{
				Transfer: asked.ID, Size: size, Sum: [32]byte{byte(i)}, ChunkSize: 1024, Index: i % 4, Data: make([]byte, 1024),
			}, nil)
		}
		desk.Step(now, send)
	}
	if v := desk.SheetView(3); v.State != "failed" || v.Text != "the robot does not send its file" {
		t.Errorf("%s %q", v.State, v.Text)
	}
}

// The holder holds the state machine, at once or from a state on, and lets it take single transitions. It goes on when the
// control is given up, taken over or lost, and when a refereed game begins, in which it cannot be held.
func TestHoldMachine(t *testing.T) {
	cfg := drivable(1)
	cfg.Holds = true
	b := newBench(t, cfg, 2, traffic.Link{})
	b.attend(time.Second, 0, 1)
	hold := func(want hfsm.Hold) {
		t.Helper()
		if h := b.robot.Hold(b.now); h.On != want.On || h.At != want.At || h.Step != want.Step {
			t.Errorf("hold %+v, want %+v", h, want)
		}
	}
	ask := func(value int, at string) {
		t.Helper()
		b.must(0, "robot-hold-machine", page(1, "value", value, "name", at))
		b.attend(500*time.Millisecond, 0, 1)
	}
	ask(1, "")
	hold(hfsm.Hold{}) // nobody has the control
	again := func() {
		t.Helper()
		b.must(0, "robot-take", page(1))
		ask(1, "approach")
		hold(hfsm.Hold{On: true, At: "approach"})
		if v := b.desks[1].View(3, b.now); v.Drive != "held" {
			t.Errorf("the other operator sees %q", v.Drive)
		}
	}
	again()
	first := b.robot.Hold(b.now).Number
	ask(2, "")
	hold(hfsm.Hold{On: true, Step: true})
	if n := b.robot.Hold(b.now).Number; n == first {
		t.Error("another wish has the same number")
	}
	ask(3, "")
	hold(hfsm.Hold{On: true, Step: true})
	ask(0, "")
	hold(hfsm.Hold{})
	again()
	b.must(0, "robot-release", page(1))
	b.attend(500*time.Millisecond, 0, 1)
	hold(hfsm.Hold{})
	again()
	b.must(1, "robot-take", page(2))
	b.attend(500*time.Millisecond, 0, 1)
	hold(hfsm.Hold{})
	again()
	b.robot.ReceiveReferee(&team.Referee{Part: team.FirstHalf, State: team.Running})
	hold(hfsm.Hold{})
	ask(1, "")
	hold(hfsm.Hold{})
	b.robot.ReceiveReferee(&team.Referee{})
	again()
	b.run(manager.PageFor + manager.HoldFor + time.Second) // the page is gone
	hold(hfsm.Hold{})
}

// The check of a machine names the state and the transition of each fault, and knows the vocabulary of the robot once its
// sheet is here.
func TestCheckMachine(t *testing.T) {
	sheet := &hfsm.Sheet{Conditions: []string{"halted"}, Behaviours: []string{"stand"}}
	b := newBench(t, fetchable(1, sheet), 1, traffic.Link{})
	b.attend(time.Second, 0)
	m := ring(3)
	m.Transitions = m.Transitions[:2]
	check := func(m *hfsm.Machine) *manager.MachineCheck {
		t.Helper()
		text, err := json.Marshal(page(1, "machine", m))
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.desks[0].Check([]byte(strings.Replace(string(text), `"name":"operator 1",`, "", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := check(m); c.Changes != nil || len(c.Faults) != 1 ||
		c.Faults[0] != (hfsm.Fault{State: "state 3", Transition: -1, Text: `state "state 3" has no way out`}) {
		t.Errorf("without a vocabulary: %+v", c)
	}
	b.must(0, "robot-fetch", page(1))
	b.fetched(0)
	c := check(m)
	if f := c.Faults; len(f) != 2 || f[1].Transition != 1 || f[1].State != "state 2" ||
		!strings.Contains(f[1].Text, "unknown condition") || !strings.Contains(f[0].Text, "unknown condition") {
		t.Errorf("with a vocabulary: %+v", c.Faults)
	}
	if len(c.Changes) != 1 || c.Changes[0].Text != "the robot executes no state machine" {
		t.Errorf("of a robot without a machine: %+v", c.Changes)
	}
	sheet.Machine = ring(3)
	b.robot.SetMachines(manager.Machines{Running: sheet.Machine.Checksum()})
	b.must(0, "robot-fetch", page(1))
	b.fetched(0)
	if c := check(ring(3)); c.Changes == nil || len(c.Changes) > 0 {
		t.Errorf("of the machine itself: %+v", c.Changes)
	}
	if c := check(m); len(c.Changes) != 1 || c.Changes[0].State != "state 3" {
		t.Errorf("without the last transition: %+v", c.Changes)
	}
	b.robot.SetMachines(manager.Machines{Running: 7})
	b.run(time.Second)
	if c := check(m); c.Changes != nil {
		t.Errorf("of a machine that was not fetched: %+v", c.Changes)
	}
}
