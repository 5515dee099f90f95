package vssnet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"touchline/internal/vss/vssnet"
	pb "touchline/wire/firasim/firasimpb"
)

// A learning program saves a state, plays 500 ticks against the built-in team under the built-in referee, restores the
// state, and the same calls lead to the same vision.
func TestSaveAndRestore(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sim := start(t, func(c *vssnet.Config) { both(c); c.Builtin[1], c.Referee, c.LockstepWait = "builtin", true, 0 })
	conn, err := grpc.NewClient(sim.at.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := pb.NewSimulateClient(conn)
	play := func() (all []string) {
		for k := range 500 {
			env, err := client.Simulate(ctx, wheels(blue, uint32(k%3), float64(k%40), 20))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, env.String())
		}
		return all
	}
	before := play()
	if err := conn.Invoke(ctx, "/touchline.vss.State/Save", wrapperspb.String("kick-off"),
		&emptypb.Empty{}); err != nil {
		t.Fatal(err)
	}
	first := play()
	restored := &pb.Environment{}
	if err := conn.Invoke(ctx, "/touchline.vss.State/Restore", wrapperspb.String("kick-off"), restored); err != nil {
		t.Fatal(err)
	}
	if got := restored.String(); got != before[len(before)-1] {
		t.Errorf("Restore returned %s, want the vision at Save", got)
	}
	for k, got := range play() {
		if got != first[k] {
			t.Fatalf("tick %d after Restore: got %s, want %s", k, got, first[k])
		}
	}
	err = conn.Invoke(ctx, "/touchline.vss.State/Restore", wrapperspb.String("half-time"), restored)
	if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), `"half-time"; saved are "kick-off"`) {
		t.Errorf("unknown slot: got %v", err)
	}
	err = conn.Invoke(ctx, "/touchline.vss.State/Save", wrapperspb.String(""), &emptypb.Empty{})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "the slot has no name") {
		t.Errorf("a slot without a name: got %v", err)
	}
}

// In a pause vision of the restored state is sent at once.
func TestRestoreInPause(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	do := func(name, body string) error { _, err := sim.Commands().Do(name, json.RawMessage(body)); return err }
	for _, c := range [][2]string{{"pause", `{"on":true}`}, {"ball", `{"x":0.2,"y":0.1}`}, {"save", `{"slot":"0"}`},
		{"ball", `{"x":-0.3,"y":0}`}} {
		if err := do(c[0], c[1]); err != nil {
			t.Fatal(err)
		}
	}
	p.until("the ball elsewhere", func(e *pb.Environment) bool { return e.GetFrame().GetBall().GetX() == -0.3 })
	if err := do("restore", `{"slot":"0"}`); err != nil {
		t.Fatal(err)
	}
	first := p.until("the restored ball", func(e *pb.Environment) bool { return e.GetFrame().GetBall().GetX() == 0.2 })
	if again := p.see(); !proto.Equal(first, again) {
		t.Errorf("got repeated vision %v", again)
	}
	for want, c := range map[string][2]string{
		`slot "x"; saved are "0"`:        {"restore", `{"slot":"x"}`},
		"save: the slot has no name":     {"save", `{"slot":""}`},
		`save: unknown key "name"`:       {"save", `{"name":"x"}`},
		"save: the slot's name has 65 b": {"save", fmt.Sprintf(`{"slot":%q}`, strings.Repeat("x", 65))},
	} {
		if err := do(c[0], c[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: got %v, want %s", c[0], c[1], err, want)
		}
	}
	for k := range 64 {
		if err := do("save", fmt.Sprintf(`{"slot":"%d"}`, k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := do("save", `{"slot":"one more"}`); err == nil ||
		!strings.Contains(err.Error(), "all 64 slots are taken") {
		t.Errorf("slot 65: got %v", err)
	}
}
