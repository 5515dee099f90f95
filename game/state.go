package game

import (
	"cmp"
	"slices"
	"time"

	"touchline/soccer"
)

// Part is a part of the game.
type Part string

// The parts in their order, with the intervals between the halves.
const (
	PreGame          Part = "pre-game"
	FirstHalf        Part = "first half"
	HalfTime         Part = "half-time"
	SecondHalf       Part = "second half"
	PreOvertime      Part = "before overtime"
	OvertimeFirst    Part = "overtime first half"
	OvertimeHalfTime Part = "overtime half-time"
	OvertimeSecond   Part = "overtime second half"
	ShootOut         Part = "shoot-out"
	End              Part = "end"
)

// parts holds for each part the next one, which START or END_PART leads to, and the message that announces it.
var parts = map[Part]struct {
	play  bool // not an interval
	next  Part
	begin Command
}{
	PreGame:          {false, FirstHalf, ""},
	FirstHalf:        {true, HalfTime, FirstHalfBegins},
	HalfTime:         {false, SecondHalf, HalfTimeBegins},
	SecondHalf:       {true, PreOvertime, SecondHalfBegins},
	PreOvertime:      {false, OvertimeFirst, GameEnds},
	OvertimeFirst:    {true, OvertimeHalfTime, OvertimeFirstBegins},
	OvertimeHalfTime: {false, OvertimeSecond, HalfTimeBegins},
	OvertimeSecond:   {true, ShootOut, OvertimeSecondBegins},
	ShootOut:         {true, End, GameEnds},
	End:              {false, "", GameOver},
}

// IsInterval reports whether the ball cannot be in play in this part: before, between and after the halves.
func (p Part) IsInterval() bool { return !parts[p].play }

// Next returns the part that follows; "" for End.
func (p Part) Next() Part { return parts[p].next }

// Attack returns the direction along x in which a side plays in a part: +1 or -1. Home attacks +x in the first half.
// Teams change ends at half-time, before overtime and at its half-time; an interval has the ends of the part after it.
func (p Part) Attack(side Side) float64 {
	home := 1.0
	switch p {
	case HalfTime, SecondHalf, OvertimeHalfTime, OvertimeSecond, End:
		home = -1
	}
	if side == Away {
		return -home
	}
	return home
}

// SetPiece is how the ball comes into play; the zero value stands for none.
type SetPiece struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"` // Both for a dropped ball
}

// State is the state of the game at one time. As in RefBox 2.1 the clocks restart with every part: Total always runs,
// Effective runs while the ball is in play. In the shoot-out neither Effective nor Played runs.
type State struct {
	Time      soccer.Time   `json:"time"`
	Part      Part          `json:"part"`
	Running   bool          `json:"running"`
	Total     time.Duration `json:"total"`     // ns since the part began
	Effective time.Duration `json:"effective"` // ns of it with the ball in play
	Played    time.Duration `json:"played"`    // ns of playing time since the game began; corrections do not change it

	SetPiece  SetPiece `json:"setPiece"`  // chosen, and waits for START
	Goal      Side     `json:"goal"`      // the team that has just scored, so that its opponents kick off; Both: none
	FirstKick Side     `json:"firstKick"` // the team that kicked off the first half; Both: unknown

	Taking            SetPiece    `json:"taking"`            // started by the last START; none after STOP
	TakingUntil       soccer.Time `json:"takingUntil"`       // deadline for taking it
	SubstitutionUntil soccer.Time `json:"substitutionUntil"` // deadline of the last substitution; 0 before the first

	Home   Team `json:"home"`
	Away   Team `json:"away"`
	Resets int  `json:"resets"` // RESETs so far
}

// Team is one side of a State.
type Team struct {
	Goals         int       `json:"goals"`
	Substitutions int       `json:"substitutions"` // made so far
	Penalties     []Penalty `json:"penalties"`     // penalties of the whole game, in the order of the decisions
	TakenBack     []Penalty `json:"takenBack"`     // cards that were sent and are void now
}

// Penalty is a card, or one robot in repair.
type Penalty struct {
	Number  int           `json:"number"`  // number of the decision, counted from 1
	Index   int           `json:"index"`   // place of the robot within one repair, counted from 0
	Command Command       `json:"command"` // REPAIR, YELLOW_CARD, RED_CARD or DOUBLE_YELLOW
	Robot   int           `json:"robot"`   // jersey number; 0: not given
	Sent    bool          `json:"sent"`    // false: waits for the next START
	Over    bool          `json:"over"`    // served, or a yellow card that a second one followed
	Until   time.Duration `json:"until"`   // the State.Played at which it ends; 0: not started, or never
}

// Pending returns a team's cards and repairs that the next START sends, in the order of sending. A yellow card that
// became a second one is sent too.
func (t *Team) Pending() []Penalty {
	var all []Penalty
	for _, c := range burst {
		for _, p := range t.Penalties {
			if p.Command == c && !p.Sent && find(t.TakenBack, &p) == nil {
				all = append(all, p)
			}
		}
	}
	return all
}

// Cards returns a team's cards without those that were taken back, in the order of the decisions.
func (t *Team) Cards() []Penalty {
	var all []Penalty
	for _, p := range t.Penalties {
		if p.Command != Repair && find(t.TakenBack, &p) == nil {
			all = append(all, p)
		}
	}
	return all
}

// off reports whether the robot is off the field, or will be from the next START.
func (p *Penalty) off() bool { return !p.Over && p.Command != YellowCard }

// At returns the state at now if nothing is decided until then; a time before s's own returns s.
func (s State) At(now soccer.Time) State {
	s.advance(min(now, Latest), &Outcome{})
	return s
}

// Resync returns the messages that bring a base station that knows nothing to this state: cards and repairs in effect,
// goals, the part, START or the set piece.
func (s State) Resync() []Message {
	s.Home.TakenBack, s.Away.TakenBack, s.Resets = nil, nil, 0
	var out Outcome
	s.announce(&State{Part: PreGame}, &out)
	return out.Messages
}

// Phase returns the RefBox's name for the state.
func (s *State) Phase() Phase { return PhaseOf(s.Part, s.Running) }

// Team returns one side's team.
func (s *State) Team(side Side) *Team {
	if side == Home {
		return &s.Home
	}
	return &s.Away
}

// playing returns how many robots of a team stay on the field once the waiting penalties have started.
func (s *State) playing(r *Rules, side Side) int {
	n := r.Robots
	t := s.Team(side)
	for i := range t.Penalties {
		if t.Penalties[i].off() {
			n--
		}
	}
	return n
}

// advance moves s to a later time and ends the penalties served by then.
func (s *State) advance(now soccer.Time, out *Outcome) {
	if now <= s.Time {
		return
	}
	d := now.Sub(s.Time)
	s.Time = now
	s.Total += d
	if !s.Running || s.Part == ShootOut {
		return
	}
	s.Effective += d
	s.Played += d
	s.endPenalties(out)
}

// endPenalties ends the served penalties in the order of their ends, so that the messages do not depend on the time
// steps.
func (s *State) endPenalties(out *Outcome) {
	type end struct {
		until time.Duration
		side  Side
	}
	var repairs []end
	for _, side := range [2]Side{Home, Away} {
		t, cloned := s.Team(side), false
		for i, p := range t.Penalties {
			if p.Over || p.Until == 0 || p.Until > s.Played {
				continue
			}
			if !cloned {
				t.Penalties, cloned = slices.Clone(t.Penalties), true
			}
			t.Penalties[i].Over = true
			if p.Command == Repair {
				repairs = append(repairs, end{p.Until, side})
			}
		}
	}
	slices.SortStableFunc(repairs, func(a, b end) int { return cmp.Compare(a.until, b.until) })
	for _, e := range repairs {
		out.send(RepairEnds, e.side)
	}
}

// endRepairs ends every repair that has started, as an interval does (RefBox 2.1).
func (s *State) endRepairs(out *Outcome) {
	for _, side := range [2]Side{Home, Away} {
		t := s.Team(side)
		t.Penalties = slices.Clone(t.Penalties)
		for i := range t.Penalties {
			if p := &t.Penalties[i]; p.Command == Repair && p.Sent && !p.Over {
				p.Over = true
				out.send(RepairEnds, side)
			}
		}
	}
}
