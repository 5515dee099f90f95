package vssnet_test

import (
	"encoding/json"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/internal/vss/vssnet"
	pb "touchline/wire/firasim/firasimpb"
)

func TestHTTPCommands(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	do := func(name, body string) {
		t.Helper()
		if _, err := sim.Commands().Do(name, json.RawMessage(body)); err != nil {
			t.Fatalf("%s %s: %v", name, body, err)
		}
	}
	do("pause", `{"on":true}`)
	then := sim.Show()
	do("ball", `{"x":0.3,"y":-0.4,"vx":0.5}`)
	do("robot", `{"team":"yellow","id":1,"x":-0.1,"y":0.5,"theta":1.5}`)
	do("switch", `{"team":"blue","id":0,"on":false}`)
	v := sim.Show()
	if v.Time != then.Time || !v.Paused {
		t.Errorf("got %g s simulated in a pause, want 0", v.Time-then.Time)
	}
	if x, theta := v.Ball.Position.X, v.Yellow[1].Pose.Theta; math.Abs(x-0.3) > 1e-3 || math.Abs(theta-1.5) > 1e-3 {
		t.Errorf("got the ball's x %g and yellow 1's heading %g, want 0.3 and 1.5", x, theta)
	}
	if v.Blue[0].On || !v.Yellow[1].On {
		t.Errorf("got blue 0 on: %t, want only yellow 1 on", v.Blue[0].On)
	}
	wanted := uint32(1000*then.Time+0.5) + 3*16
	do("step", `{"ticks":3}`)
	p.until("the third step", func(e *pb.Environment) bool { return e.GetStep() == wanted })
	do("speed", `{"x":0}`)
	do("pause", `{"on":false}`)
	p.until("ten seconds at full speed", func(e *pb.Environment) bool { return e.GetStep() > wanted+10_000 })
	do("reset", ``+`{}`)
	for want, c := range map[string][2]string{
		`pause, key "on": want true or false`:                       {"pause", `{"on":1}`},
		"pause is not a JSON object":                                {"pause", `[1]`},
		`step, key "ticks": want a whole number`:                    {"step", `{"ticks":1.5}`},
		`robot, key "id": want a whole number from 0 to 4294967295`: {"robot", `{"team":"blue","id":-1,"x":0,"y":0}`},
		`ball: give "x" and "y" in m`:                               {"ball", `{"x":1}`},
		`speed, key "x": want a number up to 1e308`:                 {"speed", `{"x":1e999}`},
		"a ball of 50 m/s is too fast: want up to 20 m/s":           {"ball", `{"x":0,"y":0,"vx":30,"vy":-40}`},
		"(0.745, 0.645) m is outside the field": {"robot",
			`{"team":"blue","id":0,"x":0.745,"y":0.645}`},
	} {
		if _, err := sim.Commands().Do(c[0], json.RawMessage(c[1])); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: got %v, want %s", c[0], c[1], err, want)
		}
	}
	for name, bodies := range map[string][]string{
		"pause": {`{}`, `{"on":1}`, `{"on":true,"off":1}`, `{"on":true}{}`, `[]`, `null`},
		"step":  {`{"ticks":0}`, `{"ticks":100001}`, `{"ticks":1.5}`},
		"speed": {`{}`, `{"x":-1}`, `{"x":1e7}`, `{"x":1e-300}`},
		"reset": {`{"x":1}`},
		"ball":  {`{"x":1}`, `{"x":9,"y":0}`, `{"x":0,"y":0,"vx":1e9}`, `{"x":0,"y":0,"z":1}`},
		"robot": {`{"team":"blue","id":3,"x":0,"y":0}`, `{"team":"red","id":0,"x":0,"y":0}`,
			`{"team":"blue","x":0,"y":0}`, `{"team":"blue","id":0,"x":9,"y":0}`},
		"switch":  {`{"team":"blue","id":0}`, `{"team":"blue","on":true}`, `{"id":0,"on":true}`},
		"referee": {`{"command":"kickoff"}`},
		"launch":  {`{}`},
	} {
		for _, body := range bodies {
			if _, err := sim.Commands().Do(name, json.RawMessage(body)); err == nil || !plain(err) {
				t.Errorf("%s %s: %v", name, body, err)
			}
		}
	}
}

// While lockstep waits, vision shows placements of users and of packets without commands at once, whatever the latency.
func TestPlacedInLockstep(t *testing.T) {
	p := newPeer(t)
	sim := start(t, func(c *vssnet.Config) { both(c); c.Game.Latency = 80 * time.Millisecond }, p)
	p.send(&pb.Packet{Replace: &pb.Replacement{Ball: &pb.BallReplacement{X: 0.3, Y: 0.1}}})
	p.until("the ball that a packet placed", func(e *pb.Environment) bool {
		return e.GetStep() == 0 &&
			e.GetFrame().GetBall().GetX() == 0.3
	})
	for _, c := range []struct {
		name, body string
		want       func(*pb.Environment) bool
	}{
		{"ball", `{"x":-0.2,"y":0.3}`, func(e *pb.Environment) bool { return e.GetFrame().GetBall().GetX() == -0.2 }},
		{"switch", `{"team":"blue","id":0,"on":false}`,
			func(e *pb.Environment) bool { return len(e.GetFrame().GetRobotsBlue()) == 2 }},
		{"reset", `{}`, func(e *pb.Environment) bool {
			return len(e.GetFrame().GetRobotsBlue()) == 3 && e.GetFrame().GetBall().GetX() == 0
		}},
	} {
		if _, err := sim.Commands().Do(c.name, json.RawMessage(c.body)); err != nil {
			t.Fatal(err)
		}
		p.until(c.name, func(e *pb.Environment) bool { return e.GetStep() == 0 && c.want(e) })
	}
}

// In a pause vision shows placements at once, commands wait, and vision is repeated each second.
func TestPause(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	p.see()
	if _, err := sim.Commands().Do("pause", json.RawMessage(`{"on":true}`)); err != nil {
		t.Fatal(err)
	}
	p.send(&pb.Packet{
		Cmd:     &pb.Commands{RobotCommands: []*pb.Command{{WheelLeft: 30, WheelRight: 30}}},
		Replace: &pb.Replacement{Robots: []*pb.RobotReplacement{{Position: &pb.Robot{X: -0.5, Y: 0.4}, Turnon: true}}},
	})
	deadline := time.Now().Add(10 * time.Second)
	for sim.Show().Blue[0].Pose.X > -0.49 {
		if time.Now().After(deadline) {
			t.Fatal("the page does not show a placement")
		}
	}
	if r := sim.Show().Blue[0]; r.Twist.X != 0 {
		t.Errorf("got %+v, want a robot at rest", r)
	}
	env := p.until("the placement", func(e *pb.Environment) bool { return e.GetFrame().GetRobotsBlue()[0].GetX() == -0.5 })
	if again := p.see(); !proto.Equal(again, env) {
		t.Errorf("got repeated vision %v, want %v", again, env)
	}
	if _, err := sim.Commands().Do("step", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	p.until("the command in effect in the next tick", func(e *pb.Environment) bool {
		r := e.GetFrame().GetRobotsBlue()[0]
		return r.GetX() < -0.49 && r.GetVx() > 0
	})
}

// FuzzCommand checks that no body of a command does harm, and that errors are in plain words.
func FuzzCommand(f *testing.F) {
	for name, body := range map[string]string{
		"pause": `{"on":true}`, "step": `{"ticks":3}`, "speed": `{"x":2}`, "reset": `{}`, "ball": `{"x":1,"y":2}`,
		"robot": `{"team":"blue","id":0,"x":0,"y":0,"theta":1}`, "switch": `{"team":"yellow","id":1,"on":false}`,
		"referee": `{"command":"halt"}`,
		"save":    `{"slot":"a"}`, "restore": `{"slot":"a"}`,
	} {
		f.Add(name, []byte(body))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		cfg := vssnet.DefaultConfig()
		cfg.Referee = true
		live, err := vssnet.New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := live.Commands().Do(name, body); err != nil && !plain(err) {
			t.Errorf("%q %q: %v", name, body, err)
		}
		if _, err := json.Marshal(live.Show()); err != nil {
			t.Errorf("%q %q: %v", name, body, err)
		}
	})
}

// plain reports whether an error has no Go identifiers.
func plain(err error) bool {
	text := err.Error()
	return !strings.HasPrefix(text, "json:") && !strings.Contains(text, "Go ") && !strings.Contains(text, "float64")
}
