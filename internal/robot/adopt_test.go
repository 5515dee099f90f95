package robot

import (
	"strings"
	"testing"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire/team"
)

// A machine that a running robot adopts takes effect when the robot no longer holds the ball, and can be rolled back; one
// with an unknown behaviour is refused with the state's name.
func TestAdopt(t *testing.T) {
	cfg := DefaultConfig(2, soccer.Cyan, 74)
	cfg.Machine = play.Default()
	r, err := New(cfg, soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	now := soccer.Epoch
	step := func(hasBall bool) {
		now = now.Add(100 * time.Millisecond)
		r.ReceiveReferee(now, &team.Referee{State: team.Running})
		r.Sense(&soccer.Sense{Time: now, HasBall: hasBall, Self: soccer.Localisation{Known: true, HasHeading: true}})
		r.Messages(now, func(*Message) {})
	}
	expect := func(what string, running, previous, waiting *hfsm.Machine) {
		t.Helper()
		sum := func(m *hfsm.Machine) uint32 {
			if m == nil {
				return 0
			}
			return m.Checksum()
		}
		a, b, c := r.Machines()
		if a != sum(running) || b != sum(previous) || c != sum(waiting) {
			t.Errorf("%s: machines %x, %x, %x", what, a, b, c)
		}
	}
	statue := &hfsm.Machine{Name: "statue", States: []hfsm.State{{Name: "statue", Behaviour: "stand"}}}
	bad := &hfsm.Machine{Name: "bad", States: []hfsm.State{{Name: "fly", Behaviour: "fly"}}}
	if err := r.Adopt(bad); err == nil || !strings.Contains(err.Error(), `state "fly": unknown behaviour`) {
		t.Errorf("a bad machine: %v", err)
	}
	if err := r.RollBack(); err == nil {
		t.Error("rolled back to nothing")
	}
	step(true)
	if err := r.Adopt(statue); err != nil {
		t.Fatal(err)
	}
	step(true)
	expect("with the ball", cfg.Machine, nil, statue)
	step(false)
	step(false)
	expect("without the ball", statue, cfg.Machine, nil)
	if m := r.Motor(now); m.Twist != (soccer.Twist{}) {
		t.Errorf("a statue moves: %+v", m)
	}
	if err := r.RollBack(); err != nil {
		t.Fatal(err)
	}
	step(false)
	expect("rolled back", cfg.Machine, statue, nil)
}
