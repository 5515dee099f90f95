package matchnet_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
)

// permit lets a check go on, as a page does: 25 commands a second, from a goroutine of its own until the test ends.
func (o *operator) permit() {
	stop, ended := make(chan struct{}), make(chan struct{})
	o.Cleanup(func() { close(stop); <-ended })
	go func() {
		defer close(ended)
		ticker := time.NewTicker(40 * time.Millisecond)
		defer ticker.Stop()
		for sequence := 1; ; sequence++ {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			if d, _ := o.session.Managed(fmt.Sprintf("drive/%d", o.Robot)).(*manager.DriveView); d != nil && d.Nonce != "" {
				// The page may be unknown yet.
				_ = o.Try("robot-drive", map[string]any{"nonce": d.Nonce, "sequence": sequence, "check": true})
			}
		}
	}()
}

// check starts a check until it has finished: a machine that stands still for seconds ends it, as a page that sleeps does,
// and an operator starts it again.
func (o *operator) check(what, command string, body map[string]any, state func(*manager.CheckView) string) *manager.CheckView {
	o.Helper()
	var asked time.Time
	was := ""
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		o.Attend()
		v, _ := o.session.Managed(fmt.Sprintf("robot/%d", o.Robot)).(*manager.View)
		c, _ := o.session.Managed(fmt.Sprintf("checks/%d", o.Robot)).(*manager.CheckView)
		now := time.Now()
		if is := state(c); is != was {
			o.Logf("%s: %s", what, is)
			was = is
		}
		switch {
		case strings.HasPrefix(was, "finished"):
			return c
		case now.After(deadline):
			o.Fatalf("%s: %s", what, was)
		case v == nil || now.Sub(asked) < 2*time.Second:
		case v.Holder == nil:
			asked = now
			o.Ask("robot-take", nil)
		case was == "" || strings.HasPrefix(was, "aborted"):
			asked = now
			o.Ask(command, body)
		}
	}
}

// A robot of the session turns on the spot and kicks a ball that a helper puts there; both are measured by the robot, and
// by the truth.
func TestChecksOfSession(t *testing.T) {
	cfg := quiet()
	cfg.Robots, cfg.Obstacles = 3, 0
	checksOf(t, run(t, cfg))
}

// So does a robot that runs outside the session.
func TestChecksOfJoinedRobot(t *testing.T) {
	cfg := quiet()
	cfg.Robots, cfg.Obstacles = 3, 0
	r := run(t, cfg)
	join(t, r, 3)
	checksOf(t, r)
}

func checksOf(t *testing.T, r *running) {
	t.Helper()
	o := operate(t, r.session, 3)
	o.Until("the robot can be managed", func(v *manager.View) bool { return v.Seen })
	o.permit()
	at := pose(r, 3)
	c := o.check("the robot turns", "robot-walk-check", map[string]any{
		"figure": "turn", "speed": 2, "laps": 1, "x": at.x, "y": at.y, "heading": at.theta,
	}, func(c *manager.CheckView) string {
		if c == nil || c.Walk == nil {
			return ""
		}
		return c.Walk.State + " " + c.Walk.Note
	})
	first := c.Walk.Run
	o.Until("its path arrives", func(*manager.View) bool {
		c, _ = r.session.Managed("checks/3").(*manager.CheckView)
		return len(c.Walk.Path) == c.Walk.Total
	})
	if w := c.Walk; w.Run != first || w.Summary.Turned < 5 || len(w.Path) < 10 || w.Path[0].Truth == nil {
		t.Errorf("turned %.1f rad in %d points: %+v", w.Summary.Turned, len(w.Path), w)
	}
	at = pose(r, 3)
	start := soccer.Pose{X: at.x, Y: at.y, Theta: at.theta}
	place := start.Compose(soccer.Pose{X: 0.7}) // where the ball lies in front of it
	c = o.check("the robot kicks", "robot-kick-check", map[string]any{
		"index": 0, "tries": 1, "speed": 1, "x": place.X, "y": place.Y, "heading": place.Theta,
	}, func(c *manager.CheckView) string {
		if c == nil || c.Kick == nil {
			return ""
		}
		return c.Kick.State + " " + c.Kick.Note
	})
	if k := c.Kick; len(k.Tries) != 1 || k.Total != 1 {
		t.Fatalf("%d of %d tries", len(k.Tries), k.Total)
	}
	if try := c.Kick.Tries[0]; try.OK && (try.Truth == nil || math.Abs(float64(try.Truth.Speed)-1) > 0.3) {
		t.Errorf("1 m/s: %+v, truth %+v", try, try.Truth)
	}
	o.Ask("robot-kick-check", map[string]any{"index": 0, "tries": 1, "speed": 1, "x": 20, "y": 0, "heading": 0})
	o.Until("a place outside the field is refused", func(*manager.View) bool {
		c, _ = r.session.Managed("checks/3").(*manager.CheckView)
		return strings.Contains(c.Refused, "leaves the field") || strings.Contains(c.Refused, "take the control first")
	})
}
