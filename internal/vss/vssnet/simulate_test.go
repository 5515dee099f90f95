package vssnet_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"touchline/internal/vss"
	"touchline/internal/vss/vssnet"
	"touchline/wire/firasim"
	pb "touchline/wire/firasim/firasimpb"
)

func both(c *vssnet.Config) { c.Lockstep, c.Speed = [2]bool{true, true}, 0 }

// learner is a generated gRPC client.
func learner(t testing.TB, sim *started) pb.SimulateClient {
	t.Helper()
	conn, err := grpc.NewClient(sim.at.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return pb.NewSimulateClient(conn)
}

// A generated client steps 10,000 ticks and gets the states of a Session in process, bit by bit.
func TestSimulate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	client := learner(t, start(t, both))
	local, err := vss.New(vss.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	var want []byte
	for k := range 10_000 {
		packet := &pb.Packet{Cmd: &pb.Commands{}}
		if k%25 == 0 {
			for i := range uint32(6) {
				packet.Cmd.RobotCommands = append(packet.Cmd.RobotCommands, &pb.Command{
					Id: i / 2, Yellowteam: i%2 == 0, WheelLeft: 120*r.Float64() - 60, WheelRight: 120*r.Float64() - 60,
				})
			}
		}
		if k%1000 == 999 {
			packet.Replace = &pb.Replacement{Ball: &pb.BallReplacement{X: 0.5, Vx: 1}}
		}
		env, err := client.Simulate(ctx, packet)
		if err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(packet)
		if err != nil {
			t.Fatal(err)
		}
		var same firasim.Packet
		if err := same.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		local.Receive(netip.AddrPort{}, &same)
		local.Tick()
		state, _ := local.Vision()
		if want, err = state.AppendBinary(want[:0]); err != nil {
			t.Fatal(err)
		}
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(env)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("tick %d: got %v, want the state of the session", k+1, env)
		}
	}
}

// With a client for each team each tick waits for both, and answers both with the same state.
func TestSimulateTogether(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sim := start(t, func(c *vssnet.Config) { both(c); c.LockstepWait = 0 })
	steps := make(chan []uint32, 2)
	for _, team := range []bool{blue, yellow} {
		client := learner(t, sim)
		go func() {
			var seen []uint32
			defer func() { steps <- seen }()
			for range 300 {
				env, err := client.Simulate(ctx, wheels(team, 0, 5, 5))
				if err != nil {
					t.Error(err)
					return
				}
				seen = append(seen, env.GetStep())
			}
		}()
	}
	for range 2 {
		for k, step := range <-steps {
			if step != uint32(16*(k+1)) {
				t.Fatalf("call %d: got step %d", k+1, step)
			}
		}
	}
}

// Without commands of the other team a call is answered after the wait.
func TestSimulateWaitEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := learner(t, start(t, func(c *vssnet.Config) { both(c); c.LockstepWait = 20 * time.Millisecond }))
	for k := range 3 {
		env, err := client.Simulate(ctx, wheels(blue, 0, 5, 5))
		if err != nil || env.GetStep() != uint32(16*(k+1)) {
			t.Fatalf("call %d: got %v, %v", k+1, env, err)
		}
	}
}

func TestSimulateRefuses(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sim := start(t, func(c *vssnet.Config) { both(c); c.LockstepWait = 0 })
	client := learner(t, sim)
	large := &pb.Packet{Cmd: &pb.Commands{}}
	for range 10_000 {
		large.Cmd.RobotCommands = append(large.Cmd.RobotCommands, &pb.Command{Id: 1, WheelLeft: 1, WheelRight: 1})
	}
	if _, err := client.Simulate(ctx, large); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("message of %d bytes: got %v", proto.Size(large), err)
	}
	if env, err := client.Simulate(ctx, &pb.Packet{}); err != nil || env.GetStep() != 16 {
		t.Errorf("empty call: got %v, %v; want a tick", env, err)
	}
	if env, err := client.Simulate(ctx, &pb.Packet{Cmd: &pb.Commands{RobotCommands: []*pb.Command{
		{Id: 4e9, WheelLeft: math.NaN()}, {Yellowteam: true, WheelRight: math.Inf(1)},
	}}}); err != nil || env.GetStep() != 32 {
		t.Errorf("invalid commands for both teams: got %v, %v; want a tick", env, err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := client.Simulate(ctx, wheels(blue, 0, 1, 1))
		waiting <- err
	}()
	for len(sim.Show().Waiting) != 1 {
		if ctx.Err() != nil {
			t.Fatal("the call did not arrive")
		}
	}
	if err := sim.stop(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; status.Code(err) != codes.Unavailable {
		t.Errorf("call that waits when the simulator stops: got %v, want Unavailable", err)
	}
}

// In lockstep over UDP a tick waits for both teams, however they divide their commands into packets.
func TestLockstepUDP(t *testing.T) {
	whole, single := newPeer(t), newPeer(t)
	start(t, func(c *vssnet.Config) { both(c); c.LockstepWait = 0 }, whole, single)
	errs := make(chan error, 2)
	const ticks = 500
	go func() { // blue: all in one packet
		errs <- follow(whole, ticks, func(e *pb.Environment) {
			packet := &pb.Packet{Cmd: &pb.Commands{}}
			for id := range uint32(3) {
				packet.Cmd.RobotCommands = append(packet.Cmd.RobotCommands,
					&pb.Command{Id: id, WheelLeft: 3, WheelRight: 3})
			}
			whole.send(packet)
		})
	}()
	go func() { // yellow: one robot a packet
		errs <- follow(single, ticks, func(e *pb.Environment) {
			for id := range uint32(3) {
				single.send(wheels(yellow, id, 3, 3))
			}
		})
	}()
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// follow answers vision and checks that ticks follow each other.
func follow(p *peer, ticks int, answer func(*pb.Environment)) error {
	for k := range uint32(ticks) {
		env := p.see()
		if env.GetStep() != 16*k {
			return errors.New("a tick is missing or repeated: " + strings.TrimSpace(env.String()))
		}
		answer(env)
	}
	return nil
}

// A team that drives one robot of three causes the wait only once.
func TestLockstepLearns(t *testing.T) {
	p := newPeer(t)
	start(t, func(c *vssnet.Config) { both(c); c.Lockstep[1], c.LockstepWait = false, 300*time.Millisecond }, p)
	began := time.Now()
	if err := follow(p, 50, func(*pb.Environment) { p.send(wheels(blue, 1, 2, 2)) }); err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("got 50 ticks in %v, want a wait in only one", d)
	}
}

// In lockstep a client plays against the built-in team, tick by tick.
func TestLockstepWithBuiltin(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	play := func() (steps uint32, last string) {
		sim := start(t, func(c *vssnet.Config) { both(c); c.Builtin[1], c.LockstepWait = "builtin", 0 })
		client := learner(t, sim)
		for range 500 {
			env, err := client.Simulate(ctx, wheels(blue, 0, 10, -10))
			if err != nil {
				t.Fatal(err)
			}
			steps, last = env.GetStep(), env.String()
		}
		return steps, last
	}
	steps, last := play()
	if _, again := play(); steps != 8000 || again != last {
		t.Errorf("got step %d, and another state after the same calls: %t", steps, again != last)
	}
}
