package game

import (
	"fmt"
	"strings"
	"time"

	"touchline/soccer"
)

// Latest is the last moment that a game may reach: sums of times stay inside int64. It is in the year 2116.
const Latest soccer.Time = 1 << 62

const (
	mostGoals  = 99
	mostRepair = 3 // robots of one REPAIR (facts msl 1.3)
	mostNumber = 99
	mostClock  = 24 * time.Hour
)

// uses says which fields each decision takes.
var uses = map[Command]string{
	Start: "", Stop: "", DropBall: "", Park: "", EndPart: "", Reset: "force",
	KickOff: "side force", FreeKick: "side", GoalKick: "side", ThrowIn: "side", Corner: "side", PenaltyKick: "side",
	Goal: "side", SubGoal: "side", IsAlive: "side robot", Substitution: "side robot",
	Repair: "side robot count", YellowCard: "side robot", RedCard: "side robot",
	SetScore: "side count", SetClock: "total effective", SetPart: "part", Undo: "ref", Redo: "ref",
}

// malformed says what is wrong with a decision, whatever the game; "" if nothing is.
func (d *Decision) malformed() string {
	used, known := uses[d.Command]
	if !known {
		return fmt.Sprintf("%q is no decision", d.Command)
	}
	for _, f := range [...]struct {
		name string
		set  bool
	}{
		{"side", d.Side != Both}, {"robot", d.Robot != 0}, {"count", d.Count != 0}, {"part", d.Part != ""},
		{"total", d.Total != 0}, {"effective", d.Effective != 0}, {"ref", d.Ref != 0}, {"force", d.Force},
	} {
		if f.set && !strings.Contains(used, f.name) {
			return fmt.Sprintf("%s has no %s: leave it out", d.Command, f.name)
		}
	}
	switch {
	case d.Version != Version:
		return fmt.Sprintf("version %d of a decision is not known: this program knows %d", d.Version, Version)
	case d.Time < 0 || d.Time > Latest:
		return fmt.Sprintf("time %d is not in the years 1970 to 2116: give ns since 1970", d.Time)
	case strings.Contains(used, "side") && d.Side != Home && d.Side != Away:
		return fmt.Sprintf("%s needs a side: home or away, not %q", d.Command, d.Side)
	}
	return d.outOfRange()
}

// outOfRange says which of a decision's numbers cannot be; "" if all can.
func (d *Decision) outOfRange() string {
	_, isPart := parts[d.Part]
	switch {
	case (d.Command == IsAlive || d.Command == Substitution) && d.Robot == 0:
		return fmt.Sprintf("%s needs a robot: its number, 1 to %d", d.Command, mostNumber)
	case d.Robot < 0 || d.Robot > mostNumber:
		return fmt.Sprintf("robot %d: numbers go from 1 to %d", d.Robot, mostNumber)
	case d.Command == Repair && (d.Count < 1 || d.Count > mostRepair):
		return fmt.Sprintf("repair of %d robots: count goes from 1 to %d", d.Count, mostRepair)
	case d.Command == Repair && d.Robot != 0 && d.Count != 1:
		return "a repair that names its robot is for one: count 1"
	case d.Count < 0 || d.Count > mostGoals:
		return fmt.Sprintf("a score of %d: it goes from 0 to %d", d.Count, mostGoals)
	case d.Command == SetPart && !isPart:
		return fmt.Sprintf("%q is no part of the game", d.Part)
	case d.Effective < 0 || d.Effective > d.Total || d.Total > mostClock:
		return "a clock goes from 0 to 24 h, and the time in play is a part of it"
	case d.Ref < 0:
		return fmt.Sprintf("decision %d: numbers go from 1 on", d.Ref)
	}
	return ""
}

// Key is one of the referee's keys: what it decides, and why it may not be pressed now.
type Key struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"`
	Why     string  `json:"why"` // "": it may be pressed
}

// Keys returns every key in a fixed order, the common ones first.
func (g *Game) Keys() []Key {
	common := [...]Command{Start, Stop, DropBall, EndPart, Park, Reset, Undo, Redo, SetClock, SetPart}
	team := [...]Command{
		KickOff, FreeKick, GoalKick, ThrowIn, Corner, PenaltyKick, Goal, SubGoal, IsAlive, Substitution,
		Repair, YellowCard, RedCard, SetScore,
	}
	keys := make([]Key, 0, len(common)+2*len(team))
	for _, c := range common {
		keys = append(keys, Key{c, Both, g.Refusal(Decision{Command: c, Part: g.otherPart(c)})})
	}
	for _, side := range [2]Side{Home, Away} {
		for _, c := range team {
			d := Decision{Command: c, Side: side}
			if c == IsAlive || c == Substitution {
				d.Robot = 1
			}
			if c == Repair {
				d.Count = 1
			}
			keys = append(keys, Key{c, side, g.Refusal(d)})
		}
	}
	return keys
}

// otherPart returns a part that SET_PART could lead to.
func (g *Game) otherPart(c Command) Part {
	switch {
	case c != SetPart:
		return ""
	case g.state.Part == PreGame:
		return FirstHalf
	}
	return PreGame
}

// Refusal returns the reason why Apply would refuse d now, as text for a page; "" if it would accept it.
func (g *Game) Refusal(d Decision) string {
	if d.Version == 0 {
		d.Version = Version
	}
	why := d.malformed()
	switch {
	case why != "":
	case d.Command == Undo || d.Command == Redo:
		if d.Ref, why = g.Target(d); why == "" {
			_, _, why = g.judge(d, &Outcome{}) // only trying it shows whether it fits
		}
	default:
		why = g.state.why(&g.rules, &d, false)
	}
	return why
}

const (
	whyRunning = "the ball is in play: press STOP first"
	whyChosen  = "a set piece is chosen: START begins it, STOP takes it back"
	whyGoal    = "after a goal come the other team's kick-off, a substitution or the end of the part"
)

// why says why a decision is refused. Of what is past (a decision that an earlier one, taken back or put back, makes us
// judge again) only the impossible is refused: it happened, though today's order of keys may not lead there.
func (s *State) why(r *Rules, d *Decision, past bool) string {
	chosen := s.SetPiece.Command != "" && !past
	switch d.Command {
	case Stop, SetScore, SetClock:
		return ""
	case Reset:
		if past || d.Force || s.Part == End || (s.Part == PreGame || s.Part == PreOvertime) && !chosen {
			return ""
		}
		return "a game is on: RESET needs force before its end"
	case Start:
		return s.whyNoStart(chosen, past)
	}
	switch {
	case s.Running:
		return whyRunning
	case d.Command == SetPart && d.Part == s.Part:
		return "this part is on already"
	case d.Command == SetPart:
		return ""
	case s.Part == End && d.Command != Park:
		return "the game is over: only PARK and RESET are left"
	}
	switch d.Command {
	case Park:
		if s.Part == PreGame || !s.Part.IsInterval() && !past || chosen {
			return "robots park in intervals and after the end"
		}
		return ""
	case EndPart:
		switch {
		case s.Part.IsInterval() && s.Part != PreOvertime:
			return "no part is on that could end"
		case chosen:
			return whyChosen
		}
		return ""
	case KickOff:
		return s.whyNoKickOff(d, chosen, past)
	case Substitution:
		return s.whyNoSubstitution(r, d)
	}
	return s.whyNotInPart(r, d, chosen, past)
}

// whyNotInPart does so for what needs a part of the game that is stopped.
func (s *State) whyNotInPart(r *Rules, d *Decision, chosen, past bool) string {
	afterGoal := s.Goal != Both && s.SetPiece.Command == "" && !past
	switch {
	case s.Part.IsInterval():
		return "only in a part of the game: it begins with a kick-off"
	case d.Command == SubGoal:
		return s.whyNoSubGoal(d, chosen)
	case d.Command == Goal && chosen:
		return whyChosen
	case afterGoal:
		return whyGoal
	}
	switch d.Command {
	case Goal:
		if s.Team(d.Side).Goals >= mostGoals {
			return fmt.Sprintf("a score ends at %d", mostGoals)
		}
		return ""
	case Repair, YellowCard, RedCard:
		return s.whyNoPenalty(r, d)
	case IsAlive:
		return ""
	}
	return s.whyNoSetPiece(d, chosen)
}

func (s *State) whyNoStart(chosen, past bool) string {
	switch {
	case s.Running:
		return "the ball is in play already"
	case s.Part == End:
		return "the game is over"
	case !chosen && !past && s.Part != ShootOut:
		return "choose a set piece first"
	}
	return ""
}

func (s *State) whyNoKickOff(d *Decision, chosen, past bool) string {
	again := s.SetPiece == SetPiece{KickOff, d.Side} // pressing it again sends it again
	var right Side                                   // who has to kick off
	switch s.Part {
	case ShootOut:
		return "in the shoot-out there are only penalties"
	case PreGame:
		right = d.Side
	case HalfTime, OvertimeHalfTime:
		right = s.FirstKick.Opponent()
	case PreOvertime:
		right = s.FirstKick
	default:
		if s.Goal != Both {
			right = s.Goal.Opponent()
		} else if !d.Force && !past && !again {
			return "a kick-off begins a part or follows a goal: force it otherwise"
		}
	}
	free := d.Force || past || right == d.Side || s.FirstKick == Both && s.Part.IsInterval()
	switch {
	case chosen && !again:
		return whyChosen
	case !free && !again:
		return fmt.Sprintf("it is the %s team's kick-off: force it otherwise", right)
	}
	return ""
}

func (s *State) whyNoSetPiece(d *Decision, chosen bool) string {
	switch {
	case s.Part == ShootOut && d.Command != PenaltyKick:
		return "in the shoot-out there are only penalties"
	case s.Part != ShootOut && chosen && s.SetPiece != SetPiece{d.Command, d.Side}:
		return whyChosen
	}
	return ""
}

func (s *State) whyNoSubGoal(d *Decision, chosen bool) string {
	switch {
	case s.Team(d.Side).Goals == 0:
		return "there is no goal to withdraw"
	case chosen:
		return whyChosen
	}
	return ""
}

func (s *State) whyNoSubstitution(r *Rules, d *Decision) string {
	switch {
	case s.Part == PreGame:
		return "before the first kick-off teams change robots as they like"
	case s.Team(d.Side).Substitutions >= r.Substitutions:
		return fmt.Sprintf("the %s team has made its substitutions: %d in a game", d.Side, r.Substitutions)
	}
	return ""
}

func (s *State) whyNoPenalty(r *Rules, d *Decision) string {
	playing := s.playing(r, d.Side)
	t := s.Team(d.Side)
	for i := range t.Penalties {
		if p := &t.Penalties[i]; d.Robot != 0 && p.Robot == d.Robot && p.off() && (d.Command == Repair || p.Command == RedCard) {
			return fmt.Sprintf("robot %d of the %s team is off the field", d.Robot, d.Side)
		}
	}
	switch {
	case d.Command == Repair && playing-d.Count < r.LeastRobots:
		return fmt.Sprintf("%d robots of the %s team play, and %d have to stay", playing, d.Side, r.LeastRobots)
	case playing < 1:
		return fmt.Sprintf("no robot of the %s team plays", d.Side)
	}
	return ""
}
