package manager_test

import (
	"slices"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// No command of a page makes a message that cannot be sent, or makes the desk panic.
func FuzzCommand(f *testing.F) {
	for name, body := range map[string]string{
		"robot-attend": `{"robot":3,"page":5,"name":"Eva","picture":{"rate":25,"format":"jpeg"}}`,
		"robot-take":   `{"robot":3,"page":5}`, "robot-set": `{"robot":3,"page":5,"name":"exposure","value":1e30}`,
		"robot-drive":        `{"robot":3,"page":5,"nonce":"18446744073709551615","sequence":1,"vx":1,"pan":0,"tilt":1}`,
		"robot-machine":      `{"robot":3,"page":5,"machine":{"name":"m","states":[{"name":"a","behaviour":"b"}],"transitions":[]}}`,
		manager.CheckMachine: `{"robot":3,"page":5,"machine":{"name":"m","states":[{"name":"a","behaviour":"b"}],"transitions":[]}}`,
		"robot-fetch":        `{"robot":3,"page":5}`,
		"robot-undo":         `{"robot":3,"page":5}`,
		"robot-kick-check":   `{"robot":3,"page":5,"index":1,"tries":3,"speed":2,"x":1e9,"y":0,"heading":3}`,
		"robot-walk-check":   `{"robot":3,"page":5,"figure":"square","speed":1,"size":2,"laps":1}`,
	} {
		f.Add(name, []byte(body))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		d := manager.NewDesk(manager.DeskConfig{Computer: 1})
		robot, now := tcm.Entity{Kind: tcm.Robot, ID: 3}, soccer.Epoch
		d.Receive(teamcom.From{Entity: robot, Received: now}, &team.Management{Table: 1, Revision: 1, Parameters: 1, Nonce: 1}, nil)
		d.Receive(teamcom.From{Entity: robot}, &team.Parameters{Table: 1, Upto: 1, Revision: 1, List: []team.Parameter{{Name: "exposure", Revision: 1}}}, nil)
		send := func(_ tcm.Entity, data teamcom.Data) {
			if _, err := data.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Command(now, "robot-attend", []byte(`{"robot":3,"page":5,"name":"Eva"}`), send); err != nil {
			t.Fatal(err)
		}
		if name == manager.CheckMachine {
			_, _ = d.Check(body)
		}
		if d.Command(now, name, body, send) == nil && !slices.Contains(manager.Commands(), name) {
			t.Fatalf("the unknown command %q was executed", name)
		}
		for range 10 {
			now = now.Add(50 * time.Millisecond)
			d.Step(now, send)
		}
		d.View(3, now)
	})
}
