package managernet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/manager"

	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// computer is a computer with a desk, and one page.
type computer struct {
	t        *testing.T
	node     *teamcomnet.Endpoint
	desk     *manager.Desk
	pictures Pictures
	attended time.Time
	sequence int
}

// newComputer runs computer:1 at a base port beside robot:9 at another.
func newComputer(t *testing.T, ctx context.Context, ports []uint16) *computer {
	t.Helper()
	self, robot := tcm.Entity{Kind: tcm.Computer, ID: 1}, tcm.Entity{Kind: tcm.Robot, ID: 9}
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Node.Directory = &teamcom.Directory{Team: 1, Entries: []teamcom.Entry{
		{Entity: robot, Addr: teamcomnet.Loopback(ports[0])}, {Entity: self, Addr: teamcomnet.Loopback(ports[1])},
	}}
	node, err := teamcomnet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c := &computer{t: t, node: node, desk: manager.NewDesk(manager.DeskConfig{Computer: 1, Seed: Seed()})}
	c.pictures.Receive(node)
	var running sync.WaitGroup
	running.Go(func() { _ = node.Run(ctx) })
	running.Go(func() { Serve(ctx, node, c.desk) })
	t.Cleanup(running.Wait)
	return c
}

func (c *computer) command(name string, more map[string]any) {
	c.t.Helper()
	body := map[string]any{"robot": 9, "page": 5, "name": "Eva"}
	for k, v := range more {
		body[k] = v
	}
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.desk.Command(c.node.Now(), name, text, Send(c.node)); err != nil {
		c.t.Fatal(err)
	}
}

// until waits until a condition holds, while the page attends the robot.
func (c *computer) until(what string, holds func(v *manager.View) bool) {
	c.t.Helper()
	wiretest.Eventually(c.t, what, func() bool {
		if now := time.Now(); now.Sub(c.attended) > 500*time.Millisecond {
			c.attended = now
			c.command("robot-attend", map[string]any{"picture": map[string]any{"rate": 5, "format": "ycbcr"}})
		}
		v := c.desk.View(9, c.node.Now())
		return v != nil && holds(v)
	})
}

func (c *computer) drive(vx float64, kick int) {
	c.t.Helper()
	if d := c.desk.DriveView(9); d.Nonce != "" {
		c.sequence++
		c.command("robot-drive", map[string]any{"nonce": d.Nonce, "sequence": c.sequence, "vx": vx, "kick": kick})
	}
	time.Sleep(20 * time.Millisecond)
}

// The robot of docs/manager.py, a program in Python from docs/manager.md, is seen, sends a picture, takes parameters,
// is driven, kicks, and stops when the page is silent.
func TestPythonRobot(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is not installed: ./check installs it")
	}
	ports, err := teamcomnet.FreeBases(2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	program := exec.CommandContext(ctx, "python3", "../../../docs/manager.py", "9", fmt.Sprint(ports[0]),
		fmt.Sprintf("127.0.0.1:%d", ports[1]))
	var complaints bytes.Buffer
	program.Stderr = &complaints
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var lines []string
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			mu.Lock()
			lines = append(lines, s.Text())
			mu.Unlock()
		}
	}()
	said := func(line string) bool {
		mu.Lock()
		defer mu.Unlock()
		return len(lines) > 0 && lines[len(lines)-1] == line
	}
	c := newComputer(t, ctx, ports)
	defer func() {
		cancel()
		_ = program.Wait() // it was killed
		if t.Failed() {
			t.Logf("the program printed %q and\n%s", lines, complaints.String())
		}
	}()
	c.until("the robot declares three parameters", func(v *manager.View) bool { return len(v.Parameters) == 3 && !v.Behind })
	c.until("a picture arrives", func(*manager.View) bool {
		p := c.pictures.View(9, c.node.Now())
		if p == nil || p.Missing > 0 {
			return false
		}
		img, err := jpeg.Decode(bytes.NewReader(p.Data))
		return err == nil && img.Bounds().Dx() == 64 && img.Bounds().Dy() == 48
	})
	c.command("robot-take", nil)
	c.command("robot-set", map[string]any{"name": "gain", "value": 20})
	c.until("the robot has the new gain", func(v *manager.View) bool {
		return v.Parameters[2].Name == "speed" && v.Parameters[1].Value == 20 && v.Parameters[1].By == "Eva"
	})
	c.until("the robot drives", func(*manager.View) bool { c.drive(0.5, 0); return said("velocity 0.50 0.00 0.00") })
	c.until("the robot kicks", func(*manager.View) bool { c.drive(0.5, 1); return said("kick push") })
	c.until("the robot stops without commands", func(v *manager.View) bool {
		return said("velocity 0.00 0.00 0.00") && v.Drive == "lapsed"
	})
	c.command("robot-kick-check", map[string]any{"tries": 3, "speed": 2})
	c.until("the robot refuses a check", func(*manager.View) bool {
		return c.desk.CheckView(9).Refused == "refused: this robot executes no checks"
	})
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(strings.Join(lines, "\n"), "kick"); n != 1 {
		t.Errorf("%d kicks", n)
	}
}
