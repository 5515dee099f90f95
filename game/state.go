package game

import (
	"cmp"
	"slices"
	"time"

	"touchline/soccer"
)

// Part is where in the game we are.
type Part string

// The parts in their order; between halves there are intervals.
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

// parts says for each part which one START or the end of the part leads to, and what teams hear when it begins.
var parts = map[Part]struct {
	play  bool // the ball can be in play: not an interval
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

// SetPiece is how the ball comes into play; the zero value is none.
type SetPiece struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"` // Both for a dropped ball
}

// State is one moment of the game. The clocks restart with every part, as RefBox 2.1's do: Total runs always, Effective
// in play only; in the shoot-out neither Effective nor Played runs (refbox-2.1-capture).
type State struct {
	Time      soccer.Time   `json:"time"`
	Part      Part          `json:"part"`
	Running   bool          `json:"running"`
	Total     time.Duration `json:"total"`     // ns since the part began
	Effective time.Duration `json:"effective"` // ns of it in play
	Played    time.Duration `json:"played"`    // ns in play since the game began; no correction changes it

	SetPiece  SetPiece `json:"setPiece"`  // chosen, waits for START
	Goal      Side     `json:"goal"`      // who has just scored: the opponents kick off; Both is nobody
	FirstKick Side     `json:"firstKick"` // who kicked off the first half; Both is not known

	Taking            SetPiece    `json:"taking"`            // begun by the last START; none once stopped
	TakingUntil       soccer.Time `json:"takingUntil"`       // by then it has to be taken
	SubstitutionUntil soccer.Time `json:"substitutionUntil"` // by then the last substitution has to be done; 0 before the first

	Home   Team `json:"home"`
	Away   Team `json:"away"`
	Resets int  `json:"resets"` // RESETs so far
}

// Team is one side of a State.
type Team struct {
	Goals         int       `json:"goals"`
	Substitutions int       `json:"substitutions"` // done
	Penalties     []Penalty `json:"penalties"`     // all of the game, in the order of the decisions
	TakenBack     []Penalty `json:"takenBack"`     // cards that teams were told and that hold no longer
}

// Penalty is a card, or one robot in repair.
type Penalty struct {
	Number  int           `json:"number"`  // of the decision in the log, from 1
	Index   int           `json:"index"`   // among the robots of one repair, from 0
	Command Command       `json:"command"` // REPAIR, YELLOW_CARD, RED_CARD or DOUBLE_YELLOW
	Robot   int           `json:"robot"`   // jersey number; 0 is not said
	Sent    bool          `json:"sent"`    // false: goes out with the next START
	Over    bool          `json:"over"`    // served; a yellow card: a second one followed
	Until   time.Duration `json:"until"`   // of State.Played, when it ends; 0: not begun, or never
}

// Pending returns a team's cards and repairs that the next START sends, in the order of sending. A yellow card that became
// a second one is sent too.
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

// off reports whether the robot misses the game, or will from the next START.
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
	s.tell(&State{Part: PreGame}, &out)
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

// playing returns how many robots of a team are left on the field when the penalties that wait have begun.
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

// advance brings s to a later moment and ends the penalties that are served by then.
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

// endPenalties ends what is served, in the order of the moments, so that any steps of time give the same messages.
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

// endRepairs ends every repair that has begun: an interval does (facts msl 1.9).
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
