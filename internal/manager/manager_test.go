package manager_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// bench is a robot and the computers that manage it, with the TCM between them, in virtual time.
type bench struct {
	t     *testing.T
	now   soccer.Time
	rng   *rand.Rand
	link  traffic.Link
	robot *manager.Robot
	nodes []*teamcom.Node // of the robot, then of the computers
	desks []*manager.Desk
	links map[[2]int]*traffic.Impairment
	air   []flight
	cut   bool // nothing arrives
	log   []manager.Change
}

// flight is a datagram under way.
type flight struct {
	at     soccer.Time
	to     int
	socket tcm.Socket
	data   []byte
}

// step is the period of the bench: that of the robot's motors is 20 ms.
const step = 5 * time.Millisecond

func newBench(t *testing.T, cfg manager.RobotConfig, computers int, link traffic.Link) *bench {
	t.Helper()
	b := &bench{t: t, now: soccer.Epoch, rng: rand.New(rand.NewPCG(1, 2)), link: link, links: map[[2]int]*traffic.Impairment{}}
	b.startRobot(cfg, 1)
	for i := range computers {
		desk := manager.NewDesk(manager.DeskConfig{
			Computer: uint8(i + 1), Seed: uint64(i), Start: soccer.Epoch, Changed: func(c manager.Change) { b.log = append(b.log, c) },
		})
		node := b.node(tcm.Entity{Kind: tcm.Computer, ID: uint8(i + 1)}, 1)
		desk.Handle(node.Module(tcm.Manager))
		b.desks, b.nodes = append(b.desks, desk), append(b.nodes, node)
	}
	return b
}

// startRobot starts the robot's software, again with a greater boot.
func (b *bench) startRobot(cfg manager.RobotConfig, boot uint32) {
	b.t.Helper()
	var err error
	if b.robot, err = manager.NewRobot(cfg); err != nil {
		b.t.Fatal(err)
	}
	node := b.node(tcm.Entity{Kind: tcm.Robot, ID: 3}, boot)
	b.robot.Handle(node.Module(tcm.Manager))
	if len(b.nodes) == 0 {
		b.nodes = append(b.nodes, node)
	}
	b.nodes[0] = node
}

func (b *bench) node(self tcm.Entity, boot uint32) *teamcom.Node {
	b.t.Helper()
	cfg := teamcom.DefaultConfig(self)
	cfg.Boot = boot
	n, err := teamcom.New(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// send returns a function that sends from a node.
func (b *bench) send(i int) func(tcm.Entity, teamcom.Data) {
	return func(to tcm.Entity, data teamcom.Data) {
		if err := b.nodes[i].Module(tcm.Manager).Client().Send(b.now, to, data); err != nil {
			b.t.Error(err)
		}
	}
}

// run runs the bench for a time.
func (b *bench) run(d time.Duration) {
	b.t.Helper()
	for end := b.now.Add(d); b.now < end; b.now = b.now.Add(step) {
		b.deliver()
		b.robot.Step(b.now, b.send(0))
		for i, desk := range b.desks {
			desk.Step(b.now, b.send(i+1))
		}
		for i := range b.nodes {
			b.transmit(i)
		}
	}
}

// transmit puts what a node sends into the air.
func (b *bench) transmit(from int) {
	for {
		out, ok := b.nodes[from].Next(b.now, nil)
		if !ok {
			return
		}
		for to, n := range b.nodes {
			if n.Self() != out.To {
				continue
			}
			for _, delay := range b.impairment(from, to).Next(nil) {
				b.air = append(b.air, flight{b.now.Add(delay + time.Millisecond), to, out.Socket, slices.Clone(out.Data)})
			}
		}
	}
}

func (b *bench) impairment(from, to int) *traffic.Impairment {
	at := [2]int{from, to}
	if b.links[at] == nil {
		b.links[at] = traffic.NewImpairment(b.link, uint64(from*16+to), 0)
	}
	return b.links[at]
}

// deliver hands over the datagrams that arrive, and lets the modules handle them.
func (b *bench) deliver() {
	if b.cut {
		return
	}
	late := b.air[:0]
	for _, f := range b.air {
		if f.at > b.now {
			late = append(late, f)
			continue
		}
		b.nodes[f.to].Receive(&soccer.Packet{Time: b.now, Data: f.data}, f.socket)
	}
	b.air = late
	for _, n := range b.nodes {
		n.Module(tcm.Manager).Run(func() soccer.Time { return b.now }, 1000)
	}
}

// command executes a command of a page at a desk.
func (b *bench) command(desk int, name string, body map[string]any) error {
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.desks[desk].Command(b.now, name, text, b.send(desk+1))
}

func (b *bench) must(desk int, name string, body map[string]any) {
	b.t.Helper()
	if err := b.command(desk, name, body); err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
}

// page returns the body of a page's command.
func page(number int, more ...any) map[string]any {
	m := map[string]any{"robot": 3, "page": number, "name": fmt.Sprintf("operator %d", number)}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

// attend lets pages show the robot for a time: they say so twice a second.
func (b *bench) attend(d time.Duration, desks ...int) {
	b.t.Helper()
	for end := b.now.Add(d); b.now < end; {
		for _, desk := range desks {
			b.must(desk, "robot-attend", page(desk+1))
		}
		b.run(min(500*time.Millisecond, end.Sub(b.now)))
	}
}

// exposure is a table of one parameter.
func exposure() []team.Parameter {
	return []team.Parameter{{Name: "exposure", Unit: "ms", Value: 8, Default: 8, Min: 0.125, Max: 20}}
}

// An operator sees the robot's parameters, takes the control, and sets one; the view has the value that the robot took,
// the audit log has one line for each change, and undo and redo set the value again.
func TestSetUndoRedo(t *testing.T) {
	cfg := manager.RobotConfig{Parameters: exposure(), Set: func(_ string, v float32) (float32, error) {
		if v > 18 {
			return 18, nil
		}
		return v, nil
	}}
	b := newBench(t, cfg, 1, traffic.Link{})
	b.attend(time.Second, 0)
	value := func(want float32, undo, redo string) {
		t.Helper()
		v := b.desks[0].View(3, b.now)
		if len(v.Parameters) != 1 || v.Parameters[0].Value != want || v.Parameters[0].Asked != nil {
			t.Fatalf("parameters %+v, want exposure %v", v.Parameters, want)
		}
		if o := v.Operators[0]; o.Undo != undo || o.Redo != redo {
			t.Errorf("undo %q, redo %q; want %q, %q", o.Undo, o.Redo, undo, redo)
		}
	}
	value(8, "", "")
	b.must(0, "robot-set", page(1, "name", "exposure", "value", 5))
	b.attend(time.Second, 0)
	value(8, "", "")
	if p := b.desks[0].View(3, b.now).Parameters[0]; p.Result != "refused" || p.Text != "take the control first" {
		t.Errorf("without the control: %q %q", p.Result, p.Text)
	}
	b.must(0, "robot-take", page(1))
	b.must(0, "robot-set", page(1, "name", "exposure", "value", 5))
	b.attend(time.Second, 0)
	value(5, "exposure 5 → 8", "")
	b.must(0, "robot-set", page(1, "name", "exposure", "value", 20))
	b.attend(time.Second, 0)
	value(18, "exposure 18 → 5", "")
	b.must(0, "robot-undo", page(1))
	b.attend(time.Second, 0)
	value(5, "exposure 5 → 8", "exposure 5 → 18")
	b.must(0, "robot-redo", page(1))
	b.attend(time.Second, 0)
	value(18, "exposure 18 → 5", "")
	got := ""
	for _, c := range b.log {
		got += fmt.Sprintf("%s %s %v %v %v %s %s\n", c.Operator, c.What, c.From, c.Asked, c.To, c.Result, c.Text)
	}
	const want = `operator 1 exposure 8 5 8 refused take the control first
operator 1 took the control 0 0 0 done ` + `
operator 1 exposure 8 5 5 done ` + `
operator 1 exposure 5 20 18 adjusted the robot took 18
operator 1 exposure 18 5 5 done ` + `
operator 1 exposure 5 18 18 done ` + "\n"
	if got != want {
		t.Errorf("audit log:\n%swant:\n%s", got, want)
	}
}

// drive lets a page drive at 25 Hz with the newest nonce.
type driver struct {
	sequence uint32
	next     soccer.Time
	kick     uint32
}

func (d *driver) step(b *bench, desk int, vx float64) {
	if b.now < d.next {
		return
	}
	d.next, d.sequence = b.now.Add(40*time.Millisecond), d.sequence+1
	if v := b.desks[desk].DriveView(3); v.Nonce != "" {
		b.must(desk, "robot-drive", page(desk+1, "name", "", "nonce", v.Nonce, "sequence", d.sequence, "vx", vx, "kick", d.kick))
	}
}

// drivable is a robot that can be driven.
func drivable(seed uint64) manager.RobotConfig {
	return manager.RobotConfig{
		Seed: seed, MaxAhead: 1, MaxSide: 1, MaxTurn: 2, Kicks: []team.Kick{{Name: "flat", Speed: 6}}, Parameters: exposure(),
	}
}

// The command of a page that dies, or whose connection stalls and is released, ends 300 ms after the robot sent the
// nonce that it echoes, at 100 moments, and commands that waited never move the robot again.
func TestDeadMan(t *testing.T) {
	const period = 20 * time.Millisecond // of the motors
	for n := range 100 {
		b := newBench(t, drivable(uint64(n)), 1, traffic.Link{})
		b.attend(500*time.Millisecond, 0)
		b.must(0, "robot-take", page(1))
		b.attend(500*time.Millisecond, 0)
		var d driver
		alive := time.Second + time.Duration(b.rng.Int64N(int64(time.Second)))
		for end := b.now.Add(alive); b.now < end; {
			d.step(b, 0, 0.5)
			b.run(step)
		}
		if m, driven := b.robot.Motor(b.now); !driven || m.Twist.X != 0.5 {
			t.Fatalf("run %d: the robot is not driven: %v %v", n, m, driven)
		}
		stalls, died := n%2 == 0, b.now // the network stalls and keeps what it carries; or the page dies
		b.cut = stalls
		stopped := soccer.Time(0)
		for end := b.now.Add(2 * time.Second); b.now < end; {
			if stalls {
				d.step(b, 0, 0.5)
				if b.now.Sub(died) > time.Second {
					b.cut = false
				}
			}
			b.run(step)
			m, _ := b.robot.Motor(b.now)
			if m.Twist.X == 0 && stopped == 0 {
				stopped = b.now
			}
			if left := b.robot.LeaseLeft(b.now); left > manager.Lease {
				t.Fatalf("run %d: the lease lasts %v", n, left)
			}
			if !stalls && stopped > 0 && m.Twist.X != 0 {
				t.Fatalf("run %d: the robot moved again", n)
			}
		}
		if took := stopped.Sub(died); stopped == 0 || took > manager.Lease+period {
			t.Fatalf("run %d: the robot stopped after %v", n, took)
		}
	}
}

// Commands that waited in a stalled connection arrive late and together, after their page died: the robot stays still.
func TestReleasedCommandsAreTooOld(t *testing.T) {
	for n := range 100 {
		b := newBench(t, drivable(uint64(n)), 1, traffic.Link{})
		b.attend(500*time.Millisecond, 0)
		b.must(0, "robot-take", page(1))
		b.attend(500*time.Millisecond, 0)
		var d driver
		for end := b.now.Add(time.Second); b.now < end; {
			d.step(b, 0, 0.5)
			b.run(step)
		}
		var waiting []map[string]any // commands that the page made while its connection was stalled
		for i := range 8 {
			b.run(40 * time.Millisecond)
			waiting = append(waiting, page(1, "name", "", "nonce", b.desks[0].DriveView(3).Nonce,
				"sequence", d.sequence+uint32(i)+1, "vx", 0.5, "kick", 1))
		}
		b.run(manager.Lease + time.Duration(b.rng.Int64N(int64(time.Second))))
		for _, body := range waiting {
			b.must(0, "robot-drive", body)
		}
		for range 200 {
			b.run(step)
			if m, _ := b.robot.Motor(b.now); m != (soccer.Motor{}) {
				t.Fatalf("run %d: the robot moves: %+v", n, m)
			}
		}
	}
}

// Values that are set together are taken back together, but for those that somebody changed since.
func TestSetAllUndo(t *testing.T) {
	b := newBench(t, manager.RobotConfig{Parameters: manyParameters(4)}, 1, traffic.Link{})
	b.attend(time.Second, 0)
	b.must(0, "robot-take", page(1))
	values := func(want ...float32) {
		t.Helper()
		b.attend(time.Second, 0)
		for i, p := range b.desks[0].View(3, b.now).Parameters {
			if p.Value != want[i] {
				t.Fatalf("%s is %v, want %v", p.Name, p.Value, want[i])
			}
		}
	}
	b.must(0, "robot-set", page(1, "name", "p0", "value", 1))
	all := []manager.Value{{Name: "p1", Value: 10}, {Name: "p2", Value: 20}, {Name: "p3", Value: 30}}
	b.must(0, "robot-set-all", page(1, "values", all))
	values(1, 10, 20, 30)
	if o := b.desks[0].View(3, b.now).Operators[0]; o.Undo != "p3 30 → 0 and 2 more" {
		t.Errorf("undo %q", o.Undo)
	}
	b.must(0, "robot-undo", page(1))
	values(1, 0, 0, 0)
	b.must(0, "robot-redo", page(1))
	values(1, 10, 20, 30)
	if err := b.robot.Set("p2", 7); err != nil {
		t.Fatal(err)
	}
	b.attend(time.Second, 0)
	b.must(0, "robot-undo", page(1))
	values(1, 0, 7, 0)
	b.must(0, "robot-undo", page(1))
	values(0, 0, 7, 0)
	for _, bad := range []any{[]manager.Value{}, make([]manager.Value, manager.MaxParameters+1), []manager.Value{{Name: "p9"}}} {
		if err := b.command(0, "robot-set-all", page(1, "values", bad)); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// A page may show a robot that never reported: it is not silent since 1970.
func TestNeverHeard(t *testing.T) {
	d := manager.NewDesk(manager.DeskConfig{Computer: 1})
	err := d.Command(soccer.Epoch, "robot-attend", []byte(`{"robot":7,"page":5,"name":"Eva"}`), func(tcm.Entity, teamcom.Data) {})
	if v := d.View(7, soccer.Epoch.Add(time.Minute)); err != nil || v.Seen || v.SilentMillis != 0 {
		t.Errorf("got %v, seen %t, silent for %v ms", err, v.Seen, v.SilentMillis)
	}
}
