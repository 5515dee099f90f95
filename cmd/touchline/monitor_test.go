package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/control"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/playback"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	teammsg "touchline/wire/team"
	"touchline/wire/wiretest"
)

// teamIni writes a TCM.ini with a robot, two computers and groups.
func teamIni(t *testing.T) string {
	t.Helper()
	base := func() int { return wiretest.FreePorts(t, "udp", tcm.Sockets) }
	text := fmt.Sprintf("[team]\nnumber = 3\ngroup = 239.255.42.1:%d\nmanagers = 239.255.42.1:%d\n"+
		"[robots]\n1 = 127.0.0.1:%d\n[computers]\n1 = 127.0.0.1:%d\n2 = 127.0.0.1:%d\n", base(), base(), base(), base(), base())
	path := filepath.Join(t.TempDir(), "TCM.ini")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A monitor with --tcm joins the team: it measures the links to it, and shows what the robots send to each other.
func TestMonitorOfTeam(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	f := monitorFlags{tcm: teamIni(t), as: "computer:2"}
	m, err := f.openTeam(soccer.MSL18x12(), playback.New(playback.Config{}, log), log)
	if err != nil {
		t.Fatal(err)
	}
	cfg := teamcomnet.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 1})
	cfg.Ini = f.tcm
	robot, err := teamcomnet.Open(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	go func() { done <- m.run(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil }) }()
	go func() { done <- robot.Run(ctx) }()
	wiretest.Eventually(t, "the monitor shows the robot's link, its status and its belief", func() bool {
		send := func(to tcm.Kind, msg interface {
			AppendBinary([]byte) ([]byte, error)
			DataType() uint16
		}) {
			if err := robot.Module(tcm.HFSM).Client().Send(robot.Now(), tcm.Entity{Kind: to}, msg); err != nil {
				t.Fatal(err)
			}
		}
		send(tcm.Computer, &teammsg.Status{})
		send(tcm.Robot, &teammsg.Belief{})
		time.Sleep(10 * time.Millisecond)
		nodes := m.Nodes("teamcom").(teamcom.View).Nodes
		traffic := m.Traffic("messages").(watch.Overview)
		if len(nodes[0].Links) != 1 || !nodes[0].Links[0].Synced || len(traffic.Senders) == 0 {
			return false
		}
		types := fmt.Sprint(traffic.Senders[0].Types)
		return nodes[0].Links[0].Peer == "robot:1" && nodes[0].Types[0].Type == "status" &&
			strings.Contains(types, "/robots/HFSM/belief") && strings.Contains(types, "/computers/HFSM/status")
	})
	cancel()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A monitor with --tcm manages the robots of TCM.ini: it shows their parameters and sets them, and knows where they are.
func TestMonitorManages(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	f := monitorFlags{tcm: teamIni(t), as: "computer:1"}
	m, err := f.openTeam(soccer.MSL18x12(), playback.New(playback.Config{}, log), log)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	cfg := teamcomnet.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: 1})
	cfg.Ini = f.tcm
	node, err := teamcomnet.Open(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	own := manager.DefaultRobotConfig(managernet.Seed())
	own.Parameters = []teammsg.Parameter{{Name: "exposure", Unit: "ms", Value: 8, Default: 8, Min: 1, Max: 20}}
	robot, err := manager.NewRobot(own)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	running.Go(func() { _ = m.run(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil }) })
	running.Go(func() { _ = node.Run(ctx) })
	running.Go(func() { managernet.Manage(ctx, node, robot) })
	defer running.Wait()
	defer cancel()
	command := f.page.guarded("a robot", m.office.Commands()).Carry
	ask := func(name, body string) {
		if _, err := command(control.Request{Name: name, Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	exposure := func() float32 {
		ask("robot-attend", `{"robot": 1, "page": 7, "name": "test"}`)
		v, _ := m.office.Topic("robot/1").(*manager.View)
		if v == nil || !v.Seen || len(v.Parameters) != 1 {
			return 0
		}
		return v.Parameters[0].Value
	}
	wiretest.Eventually(t, "the page shows the robot's parameter", func() bool { return exposure() == 8 })
	ask("robot-take", `{"robot": 1, "page": 7}`)
	wiretest.Eventually(t, "the robot takes a value, and the monitor knows where it stands", func() bool {
		ask("robot-set", `{"robot": 1, "page": 7, "name": "exposure", "value": 5}`)
		status := &teammsg.Status{Self: teammsg.Self{Known: true, HasHeading: true, X: 2, Heading: 1}}
		if err := node.Module(tcm.HFSM).Client().Send(node.Now(), tcm.Entity{Kind: tcm.Computer}, status); err != nil {
			t.Fatal(err)
		}
		pose, known := m.self(1)
		return exposure() == 5 && known && pose == soccer.Pose{X: 2, Theta: 1}
	})
	if _, err := command(control.Request{Name: "kick", Body: []byte("{}")}); err == nil {
		t.Error("a monitor that has no ball takes the command kick")
	}
	f.page.http = "0.0.0.0:0"
	if _, err := command(control.Request{Name: "robot-take", Body: []byte(`{"robot": 1, "page": 7}`)}); err == nil {
		t.Error("other machines take the control without the token")
	}
}

// A monitor that cannot join the team says why.
func TestMonitorOfTeamMisuse(t *testing.T) {
	ini := teamIni(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--tcm", "missing.ini"}, "missing.ini"},
		{[]string{"--tcm", ini, "--tcm-as", "robot:1"}, "--tcm-as robot:1: want a computer"},
		{[]string{"--tcm", ini, "--tcm-as", "computers"}, "--tcm-as computers: want a computer"},
		{[]string{"--tcm", ini, "--tcm-as", "computer:9"}, "does not list computer:9"},
	} {
		args := append([]string{"monitor", "--http", "127.0.0.1:0", "--group", freeGroup(t), "--duration", "1s"}, c.args...)
		if _, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, %q, want 2 and %q", c.args, code, errs, c.want)
		}
	}
}
