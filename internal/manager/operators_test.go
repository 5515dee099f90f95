package manager_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
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

// manyParameters declares parameters p0, p1, ... from 0 to 1000.
func manyParameters(n int) (list []team.Parameter) {
	for i := range n {
		list = append(list, team.Parameter{Name: fmt.Sprintf("p%d", i), Min: 0, Max: 1000, Step: 1, Kind: team.Integer})
	}
	return list
}

// Two operators at two computers make 1,000 random changes over links that lose a fifth of all datagrams, taking the
// control from each other: a view never has a value that the robot did not have, in the end both views are the robot's
// table, and each change is in the audit log once.
func TestTwoOperatorsUnderLoss(t *testing.T) {
	const parameters, changes = 40, 1000
	had, made := map[string]map[float32]bool{}, 0
	cfg := manager.RobotConfig{Parameters: manyParameters(parameters), Set: func(name string, v float32) (float32, error) {
		made++
		if int(v)%10 == 9 {
			v-- // as a device that knows even steps only
		}
		had[name][v] = true
		return v, nil
	}}
	for _, p := range cfg.Parameters {
		had[p.Name] = map[float32]bool{0: true}
	}
	b := newBench(t, cfg, 2, traffic.Link{Loss: 0.2})
	equal := func() (at string) {
		for i, desk := range b.desks {
			v := desk.View(3, b.now)
			for _, p := range v.Parameters {
				if !had[p.Name][p.Value] {
					t.Fatalf("computer %d shows %s %v, which the robot never had", i+1, p.Name, p.Value)
				}
				if have, _ := b.robot.Value(p.Name); have != p.Value {
					at = fmt.Sprintf("computer %d shows %s %v, the robot has %v", i+1, p.Name, p.Value, have)
				}
			}
			if len(v.Parameters) != parameters || v.Behind {
				at = fmt.Sprintf("computer %d shows %d parameters, behind: %v", i+1, len(v.Parameters), v.Behind)
			}
		}
		return at
	}
	b.attend(3*time.Second, 0, 1)
	if at := equal(); at != "" {
		t.Fatal(at)
	}
	asked := 0
	for holder := 0; asked < changes; holder = 1 - holder {
		b.must(holder, "robot-take", page(holder+1))
		for range 20 {
			name := fmt.Sprintf("p%d", b.rng.IntN(parameters))
			b.must(holder, "robot-set", page(holder+1, "name", name, "value", b.rng.IntN(1001)))
			asked++
			b.attend(time.Duration(b.rng.IntN(200))*time.Millisecond, 0, 1)
			equal()
		}
		b.attend(2*time.Second, 0, 1) // the queue empties
	}
	b.attend(3*time.Second, 0, 1)
	if at := equal(); at != "" {
		t.Error(at)
	}
	logged := 0
	for _, c := range b.log {
		if strings.HasPrefix(c.What, "p") && (c.Result == "done" || c.Result == "adjusted") {
			logged++
		}
	}
	if logged != made || made < changes/2 {
		t.Errorf("%d changes in the audit log, the robot made %d of %d", logged, made, asked)
	}
}

// With a fifth of all datagrams lost, an operator who drives for ten minutes meets no stop.
func TestDriveUnderLoss(t *testing.T) {
	b := newBench(t, drivable(7), 1, traffic.Link{Loss: 0.2})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	var d driver
	stops, moving := 0, false
	for end := b.now.Add(10 * time.Minute); b.now < end; {
		d.step(b, 0, 0.5)
		b.run(step)
		m, _ := b.robot.Motor(b.now)
		if moving && m.Twist.X == 0 {
			stops++
		}
		moving = m.Twist.X != 0
	}
	if stops > 0 || !moving {
		t.Errorf("%d stops in ten minutes, moving at the end: %v", stops, moving)
	}
}

// The second operator sees who holds the control, can take it over, and the first one's commands have no effect from
// then on. While a game plays, nobody drives.
func TestControl(t *testing.T) {
	b := newBench(t, drivable(1), 2, traffic.Link{})
	b.attend(time.Second, 0, 1)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0, 1)
	for i, here := range []bool{true, false} {
		if h := b.desks[i].View(3, b.now).Holder; h == nil || *h != (manager.HolderView{1, 1, "operator 1", here}) {
			t.Fatalf("computer %d: holder %+v", i+1, h)
		}
	}
	var d driver
	drive := func(desk int) float64 {
		for range 40 {
			d.step(b, desk, 0.5)
			b.run(step)
		}
		m, _ := b.robot.Motor(b.now)
		return m.Twist.X
	}
	if v := drive(0); v != 0.5 {
		t.Errorf("the holder drives with %v m/s", v)
	}
	b.must(1, "robot-take", page(2))
	b.attend(time.Second, 0, 1)
	if v := drive(0); v != 0 {
		t.Errorf("after the other took over, the first drives with %v m/s", v)
	}
	if v := drive(1); v != 0.5 {
		t.Errorf("after taking over: %v m/s", v)
	}
	b.robot.ReceiveReferee(&team.Referee{Part: team.FirstHalf, State: team.Running})
	if v := drive(1); v != 0 || b.desks[1].View(3, b.now).Drive != "refused" {
		t.Errorf("while a game plays: %v m/s, %s", v, b.desks[1].View(3, b.now).Drive)
	}
	b.robot.ReceiveReferee(&team.Referee{})
	b.must(1, "robot-release", page(2))
	b.attend(time.Second, 0, 1)
	if h := b.desks[0].View(3, b.now).Holder; h != nil {
		t.Errorf("after giving up: holder %+v", h)
	}
	b.must(0, "robot-take", page(1))
	b.attend(500*time.Millisecond, 0, 1)
	b.run(manager.HoldFor + time.Second + manager.PageFor)
	if h := b.robotHolder(); h != (team.Operator{}) {
		t.Errorf("a page that closed still holds the control: %+v", h)
	}
}

// robotHolder returns who holds the control, as the robot says.
func (b *bench) robotHolder() (holder team.Operator) {
	b.robot.Receive(tcm.Entity{Kind: tcm.Computer, ID: 9}, b.now, &team.Attend{}, nil)
	b.robot.Step(b.now.Add(time.Second), func(_ tcm.Entity, data teamcom.Data) {
		if m, ok := data.(*team.Management); ok {
			holder = m.Holder
		}
	})
	return holder
}

// A kick is executed once for its id, however often its command arrives, and not when the next command has the same id.
func TestKickOnce(t *testing.T) {
	b := newBench(t, drivable(1), 1, traffic.Link{Duplicate: 0.5})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	d, kicks, last := driver{}, 0, uint32(0)
	for i := range 600 {
		d.kick = uint32(i/200) + 1
		d.step(b, 0, 0)
		b.run(step)
		if m, _ := b.robot.Motor(b.now); m.Kick != last {
			if last = m.Kick; m.Kick != 0 {
				kicks++
				if m.KickSpeed != 6 {
					t.Errorf("kick of %v m/s", m.KickSpeed)
				}
			}
		}
	}
	if kicks != 3 || b.desks[0].DriveView(3).Kick != 3 {
		t.Errorf("%d kicks, the robot reports %d; want 3", kicks, b.desks[0].DriveView(3).Kick)
	}
}

// Everything that an operator sent in one session does nothing when it arrives again: at the same robot seconds later,
// nor at its next start.
func TestReplay(t *testing.T) {
	b := newBench(t, drivable(5), 1, traffic.Link{})
	computer := tcm.Entity{Kind: tcm.Computer, ID: 1}
	type sent struct {
		drive   *team.Drive
		request *team.Request
	}
	var record []sent
	teamcom.Handle(b.nodes[0].Module(tcm.Manager), func(_ teamcom.From, m *team.Drive) {
		command := *m
		record = append(record, sent{drive: &command})
	})
	teamcom.Handle(b.nodes[0].Module(tcm.Manager), func(_ teamcom.From, m *team.Request) {
		request := *m
		record = append(record, sent{request: &request})
	})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.must(0, "robot-set", page(1, "name", "exposure", "value", 5))
	b.attend(time.Second, 0)
	var d driver
	for d.kick = 1; d.sequence < 50; {
		d.step(b, 0, 0.5)
		b.run(step)
	}
	b.must(0, "robot-release", page(1))
	b.attend(time.Second, 0)
	if len(record) < 50 {
		t.Fatalf("%d messages recorded", len(record))
	}
	for _, next := range []string{"later", "after the next start"} {
		b.run(manager.NonceFor + time.Second)
		if next == "after the next start" {
			b.startRobot(drivable(6), 2)
		}
		if err := b.robot.Set("exposure", 7); err != nil {
			t.Fatal(err)
		}
		for _, s := range record {
			if s.drive != nil {
				b.robot.Receive(computer, b.now, s.drive, nil)
			} else {
				b.robot.Receive(computer, b.now, s.request, func(_ tcm.Entity, data teamcom.Data) {
					t.Errorf("%s: answered with %+v", next, data)
				})
			}
			if m, driven := b.robot.Motor(b.now); driven || m != (soccer.Motor{}) {
				t.Fatalf("%s: driven with %+v", next, m)
			}
			b.run(step)
		}
		if v, _ := b.robot.Value("exposure"); v != 7 {
			t.Errorf("%s: exposure %v", next, v)
		}
	}
}

// State machines of 60 kB and of 200 kB arrive over links that lose a tenth of all datagrams, with their checksums; the
// robot that restarts in mid-upload ends it, and a bad machine is refused with the state named.
func TestUpload(t *testing.T) {
	var got []string
	var sum [sha256.Size]byte
	cfg := drivable(1)
	cfg.Adopt = func(name string, contents []byte) error {
		m, err := hfsm.Parse(contents)
		if err != nil {
			return err
		}
		got, sum = append(got, fmt.Sprintf("%s %s %d", name, m.Name, len(m.States))), sha256.Sum256(contents)
		return nil
	}
	b := newBench(t, cfg, 1, traffic.Link{Loss: 0.1})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	upload := func(m *hfsm.Machine) string {
		t.Helper()
		if err := b.command(0, "robot-machine", page(1, "machine", m)); err != nil {
			return err.Error()
		}
		b.attend(4*time.Second, 0)
		return b.desks[0].View(3, b.now).Machine.Upload
	}
	big := ring(250)
	large := manyWays(big, 700)
	for i, m := range []*hfsm.Machine{big, large} {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if least := []int{60_000, 200_000}[i]; len(text) < least {
			t.Errorf("machine %d has %d bytes, want at least %d", i, len(text), least)
		}
		if s := upload(m); s != "done" || len(got) != i+1 || got[i] != "machine.json ring 250" || sum != sha256.Sum256(text) {
			t.Fatalf("upload %q of %d bytes, the robot has %q with checksum %x", s, len(text), got, sum)
		}
	}
	bad := ring(3)
	bad.Transitions = bad.Transitions[:2]
	if s := upload(bad); !strings.Contains(s, `state "state 3" has no way out`) {
		t.Errorf("a bad machine: %q", s)
	}
	if err := b.command(0, "robot-machine", page(1, "machine", big)); err != nil {
		t.Fatal(err)
	}
	b.run(30 * time.Millisecond)
	cfg.Seed = 2
	b.startRobot(cfg, 2)
	b.attend(4*time.Second, 0)
	if s := b.desks[0].View(3, b.now).Machine.Upload; !strings.HasSuffix(s, "the robot restarted") || len(got) != 2 {
		t.Errorf("after a restart: %q, the robot has %q", s, got)
	}
}

// A file of one chunk arrives although the chunk or the question about it is lost, or the question overtakes it. A robot
// that takes no files says so.
func TestUploadOfOneChunk(t *testing.T) {
	cfg, adopted := drivable(1), 0
	cfg.Adopt = func(string, []byte) error {
		adopted++
		return nil
	}
	b := newBench(t, cfg, 1, traffic.Link{Loss: 0.3})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	for i := range 50 {
		b.must(0, "robot-machine", page(1, "machine", ring(3)))
		b.attend(3*time.Second, 0)
		if v := b.desks[0].View(3, b.now); v.Machine.Upload != "done" || adopted != i+1 {
			t.Fatalf("upload %d: %q, adopted %d times", i, v.Machine.Upload, adopted)
		}
	}
	b.startRobot(drivable(2), 2)
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	b.must(0, "robot-machine", page(1, "machine", ring(3)))
	b.attend(3*time.Second, 0)
	if v := b.desks[0].View(3, b.now); v.Machine.Upload != "refused: this robot takes no files" {
		t.Errorf("a robot that takes no files: %q", v.Machine.Upload)
	}
}

// An upload ends although its page fell silent, for example because the program stood still for 2 s, and another one
// can follow.
func TestUploadOfSilentPage(t *testing.T) {
	cfg := drivable(1)
	cfg.Adopt = func(string, []byte) error { return nil }
	b := newBench(t, cfg, 1, traffic.Link{})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	b.must(0, "robot-machine", page(1, "machine", ring(3)))
	b.now = b.now.Add(2 * time.Second)
	b.run(8 * time.Second)
	if v := b.desks[0].View(3, b.now); strings.HasSuffix(v.Machine.Upload, "sent") || strings.Contains(v.Machine.Upload, "checks") {
		t.Errorf("8 s later: %q", v.Machine.Upload)
	}
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	b.must(0, "robot-machine", page(1, "machine", ring(3)))
	b.attend(2*time.Second, 0)
	if v := b.desks[0].View(3, b.now); v.Machine.Upload != "done" {
		t.Errorf("the next upload: %q", v.Machine.Upload)
	}
}

// ring returns a machine of states in a ring.
func ring(n int) *hfsm.Machine {
	m := &hfsm.Machine{Name: "ring"}
	for i := range n {
		m.States = append(m.States, hfsm.State{Name: fmt.Sprintf("state %d", i+1), Behaviour: "stand"})
		m.Transitions = append(m.Transitions, hfsm.Transition{
			From: fmt.Sprintf("state %d", i+1), To: fmt.Sprintf("state %d", (i+1)%n+1), When: "a condition with a long name to fill the file, " + strings.Repeat("x", 100),
			After: time.Second,
		})
	}
	return m
}

// manyWays adds transitions to a ring, from each state to those after the next one.
func manyWays(m *hfsm.Machine, ways int) *hfsm.Machine {
	m = &hfsm.Machine{Name: m.Name, States: m.States, Transitions: slices.Clone(m.Transitions)}
	for i, n := 0, len(m.States); i < ways; i++ {
		w := m.Transitions[i]
		w.To = m.States[(i%n+2+i/n)%n].Name
		m.Transitions = append(m.Transitions, w)
	}
	return m
}

// A page that sends 10,000 states, a loop without time, or more text than a machine has, is told so, and nothing leaves.
func TestRefusesMachine(t *testing.T) {
	cfg := drivable(1)
	cfg.Adopt = func(string, []byte) error {
		t.Error("the robot got a machine")
		return nil
	}
	b := newBench(t, cfg, 1, traffic.Link{})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	many, loop, long := &hfsm.Machine{Name: "many"}, ring(3), ring(3)
	many.States = make([]hfsm.State, 10_000)
	for i := range loop.Transitions {
		loop.Transitions[i].After, loop.Transitions[i].When = 0, ""
	}
	long.Transitions[0].When = strings.Repeat("x", hfsm.MaxText)
	for want, m := range map[string]*hfsm.Machine{
		"10000 states: want 1 to 256": many, "the limit is": long,
		`the transitions from "state 1" lead back to it without condition and time`: loop,
	} {
		if err := b.command(0, "robot-machine", page(1, "machine", m)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	b.attend(time.Second, 0)
}

// A robot that claims 100,000 parameters costs the desk a bounded memory, and says so.
func TestTooManyParameters(t *testing.T) {
	desk := manager.NewDesk(manager.DeskConfig{Computer: 1})
	robot := tcm.Entity{Kind: tcm.Robot, ID: 3}
	desk.Receive(teamcom.From{Entity: robot, Received: 1}, &team.Management{Table: 1, Revision: 100_000, Parameters: 100_000, Nonce: 1}, nil)
	for since := uint32(0); since < 100_000; since += 16 {
		m := &team.Parameters{Table: 1, Since: since, Upto: since + 16, Revision: 100_000}
		for i := range uint32(16) {
			m.List = append(m.List, team.Parameter{Name: fmt.Sprint(since + i), Revision: since + i + 1, Min: 5, Max: -5})
		}
		desk.Receive(teamcom.From{Entity: robot}, m, nil)
	}
	v := desk.View(3, 2)
	if len(v.Parameters) != manager.MaxParameters || v.Declared != 100_000 || v.Behind {
		t.Errorf("%d parameters shown of %d, behind %v", len(v.Parameters), v.Declared, v.Behind)
	}
}

// Parameters with a revision that the robot cannot have do not freeze the values on the page: they are refused, and a
// revision that is not the robot's after all is forgotten.
func TestForgedRevision(t *testing.T) {
	desk := manager.NewDesk(manager.DeskConfig{Computer: 1})
	from := teamcom.From{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Received: 1}
	report := func(revision uint32) {
		desk.Receive(from, &team.Management{Table: 1, Revision: revision, Parameters: 1, Nonce: 1}, nil)
	}
	send := func(since, upto, revision uint32, value float32, own uint32) {
		m := &team.Parameters{Table: 1, Since: since, Upto: upto, Revision: revision}
		if own > 0 {
			m.List = []team.Parameter{{Name: "exposure", Max: 100, Value: value, Revision: own}}
		}
		desk.Receive(from, m, nil)
	}
	value := func(want float32) {
		t.Helper()
		if v := desk.View(3, 2); len(v.Parameters) != 1 || v.Parameters[0].Value != want {
			t.Errorf("got parameters %+v, want %v", v.Parameters, want)
		}
	}
	const most = 1<<32 - 1
	report(1)
	send(0, 1, 1, 10, 1)
	value(10)
	send(1, most, most, 0, 0)     // the newest revision there is
	send(1, most, 2, 0, 0)        // beyond the whole table
	send(1, 2, 2, 66, most)       // a parameter that is newer than its message
	send(1, 50_000, 50_000, 0, 0) // far ahead of the reports
	report(2)
	send(1, 2, 2, 20, 2)
	value(20)
	send(2, 9000, 9000, 66, 9000) // may be, until the robot's reports contradict
	value(66)
	for range 2 {
		report(3)
	}
	value(66)
	report(3)
	send(0, 3, 3, 30, 3) // the answer to the question for the whole table
	value(30)
}

// An operator who floods is refused, and others still drive.
func TestFlood(t *testing.T) {
	b := newBench(t, drivable(1), 1, traffic.Link{})
	b.attend(time.Second, 0)
	refused := 0
	for i := range 1000 {
		if b.command(0, "robot-drive", page(1, "name", "", "nonce", "1", "sequence", i)) != nil {
			refused++
		}
		if b.command(0, "robot-set", page(1, "name", "exposure", "value", i)) != nil {
			t.Fatal("a slider that moves fast was refused")
		}
	}
	if refused < 800 {
		t.Errorf("%d of 1000 commands refused", refused)
	}
	for i := range 100 { // further pages
		if err := b.command(0, "robot-attend", page(i+2)); (err != nil) != (i >= 15) {
			t.Fatalf("page %d: %v", i+2, err)
		}
	}
}

// A program that manages robots and starts again with the same pages is answered: its requests begin with number 1 again.
func TestDeskStartsAgain(t *testing.T) {
	b := newBench(t, drivable(1), 1, traffic.Link{})
	for range 2 {
		b.attend(time.Second, 0)
		b.must(0, "robot-take", page(1))
		for i := range 5 {
			b.must(0, "robot-set", page(1, "name", "exposure", "value", i+1))
			b.attend(500*time.Millisecond, 0)
			if v := b.desks[0].View(3, b.now); v.Parameters[0].Value != float32(i+1) {
				t.Fatalf("exposure %v, want %d", v.Parameters[0].Value, i+1)
			}
		}
		b.attend(manager.NonceFor+time.Second, 0)
		b.desks[0] = manager.NewDesk(manager.DeskConfig{Computer: 1, Seed: 9})
		b.nodes[1] = b.node(tcm.Entity{Kind: tcm.Computer, ID: 1}, 2)
		b.desks[0].Handle(b.nodes[1].Module(tcm.Manager))
	}
}

// A page that was away, or uploads while it is silent, goes on.
func TestPageReturns(t *testing.T) {
	cfg, adopted := drivable(1), 0
	cfg.Adopt = func(string, []byte) error {
		adopted++
		return nil
	}
	b := newBench(t, cfg, 1, traffic.Link{})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	b.attend(time.Second, 0)
	b.must(0, "robot-machine", page(1, "machine", ring(200)))
	b.run(manager.PageFor + time.Second)
	b.attend(time.Second, 0)
	b.must(0, "robot-set", page(1, "name", "exposure", "value", 4))
	b.attend(time.Second, 0)
	if v := b.desks[0].View(3, b.now); adopted != 1 || v.Parameters[0].Value != 4 {
		t.Errorf("adopted %d times, exposure %v", adopted, v.Parameters[0].Value)
	}
}
