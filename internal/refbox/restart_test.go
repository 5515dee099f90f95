package refbox_test

import (
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// Messages sent before a restart are not sent again.
func TestRestartSendsNothingTwice(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Repair, Side: game.Home, Count: 1})
	r.decide(now, game.Decision{Command: game.DropBall})
	r.decide(now, game.Decision{Command: game.Start})
	r.forget()
	now = r.tick(now, 25*time.Second)
	r.want(map[refbox.ConnID]string{1: wire("REPAIR_END 224.16.32.39"), 2: wire("REPAIR_END 224.16.32.39")})
	b := restored(t, refbox.DefaultConfig(), r.box.Began(), r.journal)
	after := &rig{t: t, box: b, sent: map[refbox.ConnID][]byte{}, closed: map[refbox.ConnID]string{}}
	after.tick(now, time.Second)
	if said := after.logged(game.CommandsChannel); len(said) != 0 {
		t.Errorf("%s", said[0].Data)
	}
}

// Windows continue after a restart: each has worldstates or one empty worldstate.
func TestRestartKeepsTheGrid(t *testing.T) {
	for offset := range 30 {
		cfg := refbox.DefaultConfig()
		r, now := playing(t, cfg)
		for range 30 {
			now = r.tick(now, 130*time.Millisecond)
			r.do(r.box.Receive(now, 1, []byte(minimal)))
		}
		r.do(r.box.Receive(now, 1, []byte(`{"type":"event","robotId":7,"event":"kick"}`)))
		now = r.tick(now, time.Duration(offset)*10*time.Millisecond)
		r.box = restored(t, cfg, r.box.Began(), r.journal)
		now = now.Add(7500 * time.Millisecond)
		e := r.box.Tick(now)
		var last soccer.Time
		for _, m := range e.Log {
			if m.Channel != game.StatesChannel && m.Time < last {
				t.Fatalf("%s goes back by %v", m.Channel, last.Sub(m.Time))
			}
			last = m.Time
		}
		r.do(e)
		now = r.tick(now, time.Second)
		for channel, empties := range map[string]string{game.HomeChannel: game.HomeEmptyChannel,
			game.AwayChannel: game.AwayEmptyChannel} {
			heard, empty := map[time.Duration]bool{}, map[time.Duration]int{}
			for _, m := range r.logged(channel) {
				if !strings.Contains(string(m.Data), "event") {
					heard[m.Time.Sub(epoch)/1e8] = true
				}
			}
			for _, m := range r.logged(empties) {
				empty[m.Time.Sub(epoch)/1e8-1]++
			}
			for w := range now.Sub(epoch)/1e8 - 1 {
				if heard[w] == (empty[w] != 0) || empty[w] > 1 {
					t.Fatalf("stopped %d0 ms later, %s: window %d: received %t, %d empty worldstates", offset, channel, w,
						heard[w], empty[w])
				}
			}
		}
	}
}

// After a RESET keys and texts of the page match the effects of the decisions.
func TestKeysAfterReset(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
	r.decide(now, game.Decision{Command: game.Undo})
	r.decide(now, game.Decision{Command: game.Reset, Force: true})
	for _, k := range r.box.Referee(now).Keys {
		d := game.Decision{Command: k.Command, Side: k.Side}
		switch d.Command {
		case game.IsAlive, game.Substitution:
			d.Robot = 1
		case game.Repair:
			d.Count = 1
		case game.SetPart:
			d.Part = game.FirstHalf
		}
		if p := r.box.Preview(d); p.Why != k.Why {
			t.Errorf("%s %s: the key has %q, the preview %q", k.Command, k.Side, k.Why, p.Why)
		}
	}
	if v := r.box.Referee(now); v.Redo != "" || v.Undo != "RESET" {
		t.Errorf("undo %q, redo %q", v.Undo, v.Redo)
	}
	r.decide(now, game.Decision{Command: game.Undo})
	r.decide(now, game.Decision{Command: game.Redo})
	if r.games != 1 {
		t.Errorf("%d games", r.games)
	}
}

// A snapshot does not change with the box.
func TestShownAgeStays(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.do(r.box.Receive(now, 1, world("24", 1)))
	age := r.box.Teams(now, true).Teams[0].Age
	r.do(r.box.Receive(now, 1, world("50", 1)))
	if *age != 24 {
		t.Errorf("%v ms", *age)
	}
}

// SET_PART does not change the clock, and its preview tells that.
func TestSetPartNote(t *testing.T) {
	r, _ := playing(t, refbox.DefaultConfig())
	p := r.box.Preview(game.Decision{Command: game.SetPart, Part: game.SecondHalf})
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "SET_CLOCK") {
		t.Errorf("%q", p.Notes)
	}
}
