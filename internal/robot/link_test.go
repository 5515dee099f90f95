package robot

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// countLock counts how often a lock is taken.
type countLock struct{ locked, unlocked int }

func (c *countLock) Lock()   { c.locked++ }
func (c *countLock) Unlock() { c.unlocked++ }

// node returns the node of a robot of team 1.
func node(t *testing.T, number uint8) *teamcom.Node {
	t.Helper()
	n, err := teamcom.New(teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: number}))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A link hands what a teammate sends to its robot, at the times of the robot's clock and with its lock held. A robot whose
// clock stands still receives no measurements.
func TestLink(t *testing.T) {
	const ahead = 40 * time.Second // of the robot's clock before the node's
	paused, arrivals, sent := false, []soccer.Time{}, 0
	lock := new(countLock)
	r, err := New(DefaultConfig(2, soccer.Cyan, 1), soccer.Epoch.Add(ahead))
	if err != nil {
		t.Fatal(err)
	}
	from, to := node(t, 1), node(t, 2)
	l := NewLink(r, to, LinkConfig{
		Lock:     lock,
		FromNode: func(at soccer.Time) soccer.Time { return at.Add(ahead) },
		ToNode:   func(at soccer.Time) soccer.Time { return at.Add(-ahead) },
		Paused:   func() bool { return paused },
		Referee:  func(at soccer.Time, _ *team.Referee) { arrivals = append(arrivals, at) },
		Sent:     func() { sent++ },
	})
	now, buf := soccer.Epoch.Add(time.Second), make([]byte, 0, tcm.OwnDatagram)
	all := tcm.Entity{Kind: tcm.Robot}
	exchange := func() {
		t.Helper()
		sense := picture(now, soccer.Pose{}, soccer.Vec3{X: 3, Y: 1, Z: soccer.BallRadius})
		sense.Balls[0].Cov, sense.Self.Cov = soccer.Cov{XX: 0.01, YY: 0.01}, soccer.PoseCov{0: 0.01, 3: 0.01, 5: 0.01}
		m := new(team.Measurements)
		m.SetSense(sense)
		for _, data := range []teamcom.Data{m, &team.Referee{State: team.Running}} {
			if err := from.Module(tcm.GM).Client().Send(now, all, data); err != nil {
				t.Fatal(err)
			}
		}
		for {
			out, ok := from.Next(now, buf)
			if !ok {
				break
			}
			to.Receive(&soccer.Packet{Time: now, Data: out.Data}, out.Socket)
		}
		for to.Module(tcm.GM).Run(func() soccer.Time { return now }, 64) > 0 {
		}
	}
	knows := func() bool {
		var w soccer.World
		r.World(now.Add(ahead), &w)
		return w.Ball.Known
	}
	paused = true
	if exchange(); knows() || len(arrivals) != 1 || arrivals[0] != now {
		t.Errorf("paused: the robot knows a ball: %v; the referee's messages arrived at %v, want one at %v", knows(), arrivals, now)
	}
	const pictures = 10
	paused = false
	for range pictures {
		now = now.Add(40 * time.Millisecond)
		exchange()
	}
	if !knows() {
		t.Error("the robot knows no ball after a teammate's measurements")
	}
	if want := 2 * (pictures + 1); lock.locked != want || lock.unlocked != want {
		t.Errorf("the lock was taken %d times and released %d times, want %d of each: once a message", lock.locked, lock.unlocked, want)
	}
	if r.Messages(now.Add(ahead), l.Send); sent == 0 {
		t.Error("nothing was sent")
	}
}
