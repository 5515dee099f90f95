package robotnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/color"
	"image/png"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/manager/managertest"
	"touchline/internal/robot"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// operator is the page of an operator of robot 3, at a station of its own.
type operator struct {
	managertest.Page
	field    *field
	node     *teamcomnet.Endpoint
	desk     *manager.Desk
	pictures managernet.Pictures
}

// newOperator runs robot 3 with a camera beside a field, and a station that manages it. Both receive through a link.
func newOperator(t *testing.T, link traffic.Link) *operator {
	t.Helper()
	station := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(wiretest.FreePorts(t, "udp", tcm.Sockets)))
	var ini *teamcom.Directory
	f := newField(t, func(own, peer netip.AddrPort) string {
		ini = &teamcom.Directory{Team: 1, Entries: []teamcom.Entry{
			{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Addr: peer}, {Entity: robot.Station, Addr: station},
			{Entity: robot.Field, Addr: own},
		}}
		return string(ini.Append(nil))
	})
	r, err := robotnet.New(robotnet.Config{
		Robot: robot.DefaultConfig(3, soccer.Cyan, 74), Team: 1, Field: f.Address(), Entity: robot.Field,
		Camera: camera.Perspective(),
	}, slog.New(slog.DiscardHandler))
	if err == nil {
		err = r.SetReception(robotnet.Reception{Link: link})
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{field: f, desk: manager.NewDesk(manager.DeskConfig{Computer: robot.Station.ID, Seed: managernet.Seed()})}
	cfg := teamcomnet.DefaultConfig(robot.Station)
	cfg.Node.Directory = ini
	if o.node, err = teamcomnet.Open(cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	lossy := traffic.NewImpairment(link, 1, 0)
	o.node.Impair = func(netip.AddrPort) []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return lossy.Next(nil)
	}
	o.Page = managertest.Page{
		TB: t, Robot: 3, State: func() *manager.View { return o.desk.View(3, o.node.Now()) },
		Command: func(name string, body json.RawMessage) error {
			return o.desk.Command(o.node.Now(), name, body, managernet.Send(o.node))
		},
	}
	o.pictures.Receive(o.node)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- o.node.Run(ctx) }()
	go func() { ended <- r.Run(ctx) }()
	go managernet.Serve(ctx, o.node, o.desk)
	t.Cleanup(func() {
		cancel()
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return o
}

// send sends the robot a file until its view holds.
func (o *operator) send(what, name string, contents []byte, holds func(v *manager.View) bool) {
	o.Helper()
	o.Insist(what, func() {
		if err := o.desk.SendFile(3, managertest.Number, name, contents); err != nil {
			o.Log(err) // the one before is still on its way
		}
	}, holds)
}

// motor returns the newest command for the robot's motors.
func (o *operator) motor() team.Motor {
	o.field.mu.Lock()
	defer o.field.mu.Unlock()
	return o.field.motor
}

// states returns the active states of the robot's machine, and how often the robot reported them so far.
func (o *operator) states() (string, int) {
	o.field.mu.Lock()
	defer o.field.mu.Unlock()
	return strings.Join(o.field.debug.States, " "), o.field.debugs
}

// An operator drives a robot in a process of its own: its motor commands are the operator's, and zero when the page is
// silent.
func TestOperatorDrives(t *testing.T) {
	o, sequence := newOperator(t, traffic.Link{}), 0
	o.Until("the robot can be managed", func(v *manager.View) bool { return len(v.Kicks) == 3 && len(v.Parameters) > 5 })
	o.Insist("the robot takes the exposure", func() {
		o.Ask("robot-set", map[string]any{"name": "exposure", "value": 20})
	}, func(v *manager.View) bool { return v.Parameters[0].Name == "exposure" && v.Parameters[0].Value == 20 })
	o.Insist("the robot drives", func() {}, func(*manager.View) bool {
		if d := o.desk.DriveView(3); d.Nonce != "" {
			sequence++
			o.Ask("robot-drive", map[string]any{"nonce": d.Nonce, "sequence": sequence, "vx": 0.75})
		}
		time.Sleep(20 * time.Millisecond)
		return o.motor().VX == 0.75
	})
	o.Until("the robot stands", func(*manager.View) bool { return o.motor().VX == 0 })
}

// ring is a machine whose states follow each other, 400 ms in each.
func ring() *hfsm.Machine {
	m := &hfsm.Machine{Name: "ring"}
	for i, name := range ringStates {
		m.States = append(m.States, hfsm.State{Name: name, Behaviour: "search"})
		next := ringStates[(i+1)%len(ringStates)]
		m.Transitions = append(m.Transitions, hfsm.Transition{From: name, To: next, After: 400 * time.Millisecond})
	}
	return m
}

var ringStates = []string{"a", "b", "c", "d"}

// A robot in a process of its own takes a state machine over a network that loses a fifth of all datagrams, plays it, is
// held and takes single transitions, and goes back to the machine before.
func TestStateMachineAtLoss(t *testing.T) {
	o := newOperator(t, traffic.Link{Loss: 0.2})
	text, err := json.Marshal(play.Default())
	if err != nil {
		t.Fatal(err)
	}
	bad := `{"name": "bad", "states": [{"name": "levitate", "behaviour": "fly"}], "transitions": []}`
	o.send("a bad machine is refused", manager.MachineFile, []byte(bad), func(v *manager.View) bool {
		return strings.HasPrefix(v.Machine.Upload, `refused: hfsm: state "levitate": unknown behaviour "fly"`)
	})
	if m := o.motor(); m.VX != 0 {
		t.Errorf("without a machine the robot drives %v m/s", m.VX)
	}
	o.send("the machine runs", manager.MachineFile, text, func(v *manager.View) bool {
		return v.Machine.Running == play.Default().Checksum() && v.Machine.Upload == "done"
	})
	o.Until("the robot plays", func(*manager.View) bool { return o.motor().VX > 0.2 })
	if text, err = json.Marshal(ring()); err != nil {
		t.Fatal(err)
	}
	o.send("another machine runs", manager.MachineFile, text, func(v *manager.View) bool {
		return v.Machine.Running == ring().Checksum() && v.Machine.Previous == play.Default().Checksum()
	})
	hold := func(value int) func() {
		return func() { o.Ask("robot-hold-machine", map[string]any{"name": "", "value": value}) }
	}
	held, from := "", 0
	o.Insist("the machine stays in its state for ten reports, a second", hold(1), func(v *manager.View) bool {
		now, n := o.states()
		if v.Drive != "held" || now != held {
			held, from = now, n
		}
		return n >= from+10
	})
	next := ringStates[(slices.Index(ringStates, held)+1)%len(ringStates)]
	o.Insist("one transition", hold(2), func(*manager.View) bool {
		now, _ := o.states()
		return now == next && o.motor().VHeading == 0
	})
	o.Insist("the machine before runs again", func() { o.Ask("robot-rollback", nil) }, func(v *manager.View) bool {
		return v.Machine.Running == play.Default().Checksum()
	})
}

// A robot in a process of its own draws what the field says that its camera sees, and takes a colour table over a network
// that loses a fifth of all datagrams: its classes are those of the table from then on.
func TestCameraAtLoss(t *testing.T) {
	o := newOperator(t, traffic.Link{Loss: 0.2})
	o.Wish = map[string]any{"rate": 25, "format": "classes", "quality": 0, "overlay": true}
	// share returns the share of a class in a picture that arrived whole, and what is drawn over it; false: none did.
	share := func(class camera.Class) (part float64, over []managernet.ShapeView, ok bool) {
		p := o.pictures.View(3, o.node.Now())
		if p == nil || p.Missing > 0 {
			return 0, nil, false
		}
		img, err := png.Decode(bytes.NewReader(p.Data))
		if err != nil || img.Bounds().Dx() != 208 || img.Bounds().Dy() != 160 {
			t.Fatalf("%v, %v", img.Bounds(), err)
		}
		n := 0
		for i := range 208 * 160 {
			if color.RGBAModel.Convert(img.At(i%208, i/208)) == color.RGBAModel.Convert(managernet.Palette[class]) {
				n++
			}
		}
		return float64(n) / (208 * 160), p.Overlay, true
	}
	o.Until("a picture of the carpet, with the ball found 1.5 m ahead", func(*manager.View) bool {
		part, over, ok := share(camera.Green)
		return ok && part > 0.3 && slices.ContainsFunc(over, func(s managernet.ShapeView) bool {
			return s.Kind == "ball" && s.Distance > 1.3 && s.Distance < 1.7
		})
	})
	table := camera.DefaultTable()
	for i := range table {
		table[i] = camera.Magenta
	}
	file, err := table.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	o.send("all is magenta", manager.ColorsFile, file, func(*manager.View) bool {
		part, _, ok := share(camera.Magenta)
		return ok && part == 1
	})
}
