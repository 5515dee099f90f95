package analysislog

import (
	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/matchlog"
)

// groups are the sides of a match by the numbers of the teams' groups.
var groups = map[uint8]game.Side{1: game.Home, 2: game.Away}

// booking passes on which robot of a team goes to the ball.
func (r *reader) booking(m *matchlog.Message) {
	var b analysis.Booked
	told := false // by the live robot with the lowest number, which comes first
	t := text{b: m.Data}
	t.object(func(name []byte) {
		switch string(name) {
		case "time":
			t.decode(&b.Now)
		case "robots":
			t.list(func() {
				if live, booker, epoch := bookerOf(&t); live && !told {
					told, b.Booker, b.Epoch = true, booker, epoch
				}
			})
		case "two":
			t.member("spans", func() { t.decode(&b.Two) })
		case "none":
			t.member("spans", func() { t.decode(&b.None) })
		default:
			t.skip()
		}
	})
	side := game.Home
	if m.Channel != bookingChannel {
		side = game.Away
	}
	if !t.bad {
		r.options.Decided.Booked(m.Time, side, &b)
	}
}

// bookerOf reads which robot goes to the ball, as one of its team believes; 0: none.
func bookerOf(t *text) (live bool, booker uint8, epoch uint32) {
	t.object(func(name []byte) {
		switch string(name) {
		case "live":
			t.decode(&live)
		case "booker":
			t.decode(&booker)
		case "epoch":
			t.decode(&epoch)
		default:
			t.skip()
		}
	})
	return live, booker, epoch
}

// behaviour passes on the innermost state of each robot's machine.
func (r *reader) behaviour(m *matchlog.Message) {
	t := text{b: m.Data}
	t.member("robots", func() {
		t.list(func() {
			var team, number uint8
			var live bool
			var states []string
			t.object(func(name []byte) {
				switch string(name) {
				case "team":
					t.decode(&team)
				case "number":
					t.decode(&number)
				case "live":
					t.decode(&live)
				case "states":
					t.decode(&states)
				default:
					t.skip()
				}
			})
			if side, known := groups[team]; known && live && !t.bad && len(states) > 0 {
				r.options.Decided.State(m.Time, autoref.Player{Side: side, Number: number}, states[len(states)-1])
			}
		})
	})
}
