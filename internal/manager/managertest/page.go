// Package managertest is an operator's page of a robot, for tests of programs whose robots are managed.
package managertest

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/wire/wiretest"
)

// Page is the page of an operator.
type Page struct {
	testing.TB
	Robot   uint8
	Command func(name string, body json.RawMessage) error
	State   func() *manager.View // of the robot; nil: it is not known yet
	Wish    map[string]any       // for pictures; nil: none

	attended time.Time
}

// Number is that of the page in its commands.
const Number = 77

// Try executes a command about the robot with more keys.
func (p *Page) Try(name string, more map[string]any) error {
	body := map[string]any{"robot": p.Robot, "page": Number}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return p.Command(name, text)
}

// Ask executes a command of an operator with a name, and fails the test on an error.
func (p *Page) Ask(name string, more map[string]any) {
	p.Helper()
	body := map[string]any{"name": "Eva"}
	maps.Copy(body, more)
	if err := p.Try(name, body); err != nil {
		p.Fatal(err)
	}
}

// Attend says that the page is there, three times a second at most. A page that is silent for manager.PageFor is gone.
func (p *Page) Attend() {
	p.Helper()
	if now := time.Now(); now.Sub(p.attended) > manager.PageFor/5 {
		p.attended = now
		p.Ask("robot-attend", map[string]any{"picture": p.Wish})
	}
}

// Until keeps the page open until the state of a robot that answers holds, and returns it.
func (p *Page) Until(what string, holds func(*manager.View) bool) (v *manager.View) {
	p.Helper()
	wiretest.Eventually(p, what, func() bool {
		p.Attend()
		v = p.State()
		return v != nil && v.Seen && holds(v)
	})
	return v
}

// Insist holds the control and repeats try until the robot's state holds: on a machine that stands still for a while the
// control lapses and requests stay without an answer, and an operator tries again.
func (p *Page) Insist(what string, try func(), holds func(*manager.View) bool) *manager.View {
	p.Helper()
	var tried time.Time
	return p.Until(what, func(v *manager.View) bool {
		switch now := time.Now(); {
		case holds(v):
			return true
		case now.Sub(tried) < 3*time.Second:
		case v.Holder == nil:
			p.Ask("robot-take", nil)
			time.Sleep(100 * time.Millisecond)
		default:
			tried = now
			try()
		}
		return false
	})
}
