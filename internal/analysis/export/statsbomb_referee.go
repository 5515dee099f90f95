package export

import (
	"cmp"
	"slices"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/soccer"
)

// booking is a card.
type booking struct {
	game.Penalty
	side game.Side
	at   soccer.Time // of the first frame with it
	foul *analysis.Event
}

// cards are those of StatsBomb by the referee's commands.
var cards = map[game.Command]named{
	game.YellowCard: {7, "Yellow Card"}, game.DoubleYellow: {6, "Second Yellow"}, game.RedCard: {5, "Red Card"},
}

// is reports whether a booking is that of a penalty.
func (b *booking) is(side game.Side, p *game.Penalty) bool {
	return b.side == side && b.Number == p.Number && b.Index == p.Index && b.Command == p.Command
}

// book notes the cards of a frame that were not there before.
func (s *statsBomb) book(f *frame) {
	s.final = f.source.State
	for _, side := range game.Sides {
		for _, p := range s.final.Team(side).Penalties {
			_, card := cards[p.Command]
			if card && !slices.ContainsFunc(s.bookings, func(b booking) bool { return b.is(side, &p) }) {
				s.bookings = append(s.bookings, booking{Penalty: p, side: side, at: f.at})
			}
		}
	}
}

// isFoul reports whether an event is the taking of a free kick or a penalty: the other team has committed a foul.
func isFoul(v *analysis.Event) bool {
	taken := game.Command(v.Result)
	return v.Kind == analysis.SetPiece && (taken == game.FreeKick || taken == game.PenaltyKick)
}

// assign leaves out the cards that the referee took back, and gives each foul the card that its team got between it and the
// set piece before.
func (s *statsBomb) assign() {
	s.bookings = slices.DeleteFunc(s.bookings, func(b booking) bool {
		given := func(list []game.Penalty) bool {
			return slices.ContainsFunc(list, func(p game.Penalty) bool { return b.is(b.side, &p) })
		}
		team := s.final.Team(b.side)
		return !given(team.Penalties) || given(team.TakenBack)
	})
	before := soccer.Time(0)
	for i := range s.e.report.Events {
		v := &s.e.report.Events[i]
		if v.Kind != analysis.SetPiece {
			continue
		}
		for k := range s.bookings {
			if b := &s.bookings[k]; isFoul(v) && b.side == v.By.Side.Opponent() && b.foul == nil && b.at > before && b.at <= v.At {
				b.foul = v
				break
			}
		}
		before = v.At
	}
}

// foul adds the foul that a free kick or a penalty follows: the robot is known if it got a card.
func (s *statsBomb) foul(h *half, v *analysis.Event) {
	by := autoref.Player{Side: v.By.Side.Opponent()}
	committed := map[string]any{}
	if i := slices.IndexFunc(s.bookings, func(b booking) bool { return b.foul == v }); i >= 0 {
		by.Number, committed["card"] = uint8(s.bookings[i].Robot), cards[s.bookings[i].Command]
	}
	if game.Command(v.Result) == game.PenaltyKick {
		committed["penalty"] = true
	}
	e := s.add(named{22, "Foul Committed"}, by.Side, h, v.At.Sub(h.from))
	e["location"] = s.location(by.Side, v.From.X, v.From.Y)
	if s.name(e, by); len(committed) > 0 {
		e["foul_committed"] = committed
	}
}

// has reports whether the lineups have a robot: one that was sent off and still touches the ball is in no frame.
func (s *statsBomb) has(p autoref.Player) bool {
	return slices.ContainsFunc(s.e.walk.players, func(o player) bool { return o.Player == p })
}

// name sets the robot of an event, if the lineups have it.
func (s *statsBomb) name(e map[string]any, p autoref.Player) {
	if s.has(p) {
		e["player"], e["position"] = s.player(p), position(p)
	}
}

// change is a card without a foul, or a substitution.
type change struct {
	at  soccer.Time
	add func(h *half, at time.Duration)
}

// changes returns the cards without a foul and the substitutions, by their times.
func (s *statsBomb) changes() (all []change) {
	for _, b := range s.bookings {
		if b.foul == nil {
			all = append(all, change{b.at, func(h *half, at time.Duration) {
				e := s.add(named{24, "Bad Behaviour"}, b.side, h, at)
				e["bad_behaviour"] = map[string]any{"card": cards[b.Command]}
				s.name(e, autoref.Player{Side: b.side, Number: uint8(b.Robot)})
			}})
		}
	}
	w := &s.e.walk
	left := slices.Clone(w.players) // and were not replaced
	for _, in := range w.players {
		h := w.halfOf(in.first)
		if h == nil || in.first == w.halves[0].first {
			continue
		}
		out := -1
		for i, p := range left {
			if p.Side == in.Side && p.last < in.first && (out < 0 || p.last > left[out].last) && !s.sentOff(p.Player) {
				out = i
			}
		}
		if out < 0 {
			continue
		}
		old := left[out].Player
		left = slices.Delete(left, out, out+1)
		since := time.Duration(in.first-h.first) * time.Second / time.Duration(w.rate)
		all = append(all, change{h.from.Add(since), func(h *half, at time.Duration) {
			e := s.add(named{19, "Substitution"}, old.Side, h, at)
			e["player"], e["position"] = s.player(old), position(old)
			e["substitution"] = map[string]any{"outcome": named{103, "Tactical"}, "replacement": s.player(in.Player)}
		}})
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return all
}

// sentOff reports whether a robot got a red card, or a second yellow one: nobody replaces it.
func (s *statsBomb) sentOff(p autoref.Player) bool {
	return slices.ContainsFunc(s.bookings, func(b booking) bool {
		return b.Command != game.YellowCard && b.side == p.Side && b.Robot == int(p.Number)
	})
}

// change adds the changes of a half up to a time, and returns the others.
func (s *statsBomb) change(list []change, h *half, to soccer.Time) []change {
	for len(list) > 0 && list[0].at <= to {
		list[0].add(h, list[0].at.Sub(h.from))
		list = list[1:]
	}
	return list
}
