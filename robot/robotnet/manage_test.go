package robotnet_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"touchline/manager"
	"touchline/manager/managernet"
	"touchline/robot"
	"touchline/wire/wiretest"
)

// An operator drives a robot in a process of its own: its motor commands are the operator's, and zero when the page is
// silent.
func TestOperatorDrives(t *testing.T) {
	f := newField(t, goodDirectory)
	run(t, f, slog.New(slog.DiscardHandler))
	desk := manager.New(manager.Config{Computer: robot.Field.ID, Seed: managernet.Seed()})
	go managernet.Serve(t.Context(), f, desk)
	attended, sequence := time.Time{}, 0
	command := func(name, more string) {
		t.Helper()
		body := fmt.Sprintf(`{"robot": 3, "page": 5, "name": "Eva"%s}`, more)
		if err := desk.Command(f.Now(), name, []byte(body), managernet.Send(f)); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, holds func(v *manager.View) bool) {
		t.Helper()
		wiretest.Eventually(t, what, func() bool {
			if now := time.Now(); now.Sub(attended) > 300*time.Millisecond {
				attended = now
				command("robot-attend", "")
			}
			v := desk.View(3, f.Now())
			return v != nil && holds(v)
		})
	}
	speed := func() float32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.motor.VX
	}
	until("the robot can be managed", func(v *manager.View) bool { return v.Seen && len(v.Kicks) == 3 })
	command("robot-take", "")
	until("the robot drives", func(*manager.View) bool {
		if d := desk.DriveView(3); d.Nonce != "" {
			sequence++
			command("robot-drive", fmt.Sprintf(`, "nonce": %q, "sequence": %d, "vx": 0.75`, d.Nonce, sequence))
		}
		time.Sleep(20 * time.Millisecond)
		return speed() == 0.75
	})
	until("the robot stands", func(v *manager.View) bool { return v.Drive == "lapsed" && speed() == 0 })
}
