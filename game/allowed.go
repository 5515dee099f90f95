package game

import (
	"fmt"
	"strings"
	"time"

	"touchline/soccer"
)

// Latest is the latest time of a game, in the year 2116: sums of times stay within int64.
const Latest soccer.Time = 1 << 62

const (
	maxGoals  = 99
	maxRepair = 3 // robots of one REPAIR (RefBox 2.1)
	maxNumber = 99
	maxClock  = 24 * time.Hour
)

// uses lists the fields of each decision.
var uses = map[Command]string{
	Start: "", Stop: "", DropBall: "", Park: "", EndPart: "", Reset: "force",
	KickOff: "side force", FreeKick: "side", GoalKick: "side", ThrowIn: "side", Corner: "side", PenaltyKick: "side",
	Goal: "side", SubGoal: "side", IsAlive: "side robot", Substitution: "side robot",
	Repair: "side robot count", YellowCard: "side robot", RedCard: "side robot",
	SetScore: "side count", SetClock: "total effective", SetPart: "part", Undo: "ref", Redo: "ref",
}

// malformed returns what is wrong with a decision in any game, "" if nothing is.
func (d *Decision) malformed() string {
	used, known := uses[d.Command]
	if !known {
		return fmt.Sprintf("unknown decision %q", d.Command)
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
		return fmt.Sprintf("the decision has version %d; this program reads version %d", d.Version, Version)
	case d.Time < 0 || d.Time > Latest:
		return fmt.Sprintf("time %d is outside the years 1970 to 2116: give ns since 1970", d.Time)
	case strings.Contains(used, "side") && d.Side != Home && d.Side != Away:
		return fmt.Sprintf("%s needs a side: home or away, not %q", d.Command, d.Side)
	}
	return d.outOfRange()
}

// outOfRange returns what is wrong with the numbers of a decision, "" if nothing is.
func (d *Decision) outOfRange() string {
	_, isPart := parts[d.Part]
	switch {
	case (d.Command == IsAlive || d.Command == Substitution) && d.Robot == 0:
		return fmt.Sprintf("%s needs a robot: a number from 1 to %d", d.Command, maxNumber)
	case d.Robot < 0 || d.Robot > maxNumber:
		return fmt.Sprintf("robot %d is out of range: 1 to %d", d.Robot, maxNumber)
	case d.Command == Repair && (d.Count < 1 || d.Count > maxRepair):
		return fmt.Sprintf("count %d is out of range for a repair: 1 to %d", d.Count, maxRepair)
	case d.Command == Repair && d.Robot != 0 && d.Count != 1:
		return "a repair that names its robot needs count 1"
	case d.Count < 0 || d.Count > maxGoals:
		return fmt.Sprintf("score %d is out of range: 0 to %d", d.Count, maxGoals)
	case d.Command == SetPart && !isPart:
		return fmt.Sprintf("unknown part %q", d.Part)
	case d.Effective < 0 || d.Effective > d.Total || d.Total > maxClock:
		return "the clock is out of range: total 0 to 24 h, and effective at most total"
	case d.Ref < 0:
		return fmt.Sprintf("decision %d is out of range: numbers start at 1", d.Ref)
	}
	return ""
}

// Key is one key of the referee.
type Key struct {
	Command Command `json:"command"`
	Side    Side    `json:"side"`
	Why     string  `json:"why"` // why it is refused now; "": it is allowed
}

// Keys returns every key in a fixed order, common keys first.
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
			keys = append(keys, Key{c, side, g.Refusal(d)})
		}
	}
	return keys
}

// otherPart returns a part that SET_PART could set.
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
	d.fill()
	why := d.malformed()
	switch {
	case why != "":
	case d.Command == Undo || d.Command == Redo:
		if d.Ref, why = g.Target(d); why == "" {
			_, _, why = g.judge(d, &Outcome{}) // only a try shows whether it fits
		}
	default:
		why = g.state.refusal(&g.rules, &d, false)
	}
	return why
}

const (
	reasonRunning = "the ball is in play: press STOP first"
	reasonChosen  = "a set piece is chosen: START starts it, STOP cancels it"
	reasonGoal    = "after a goal only the other team's kick-off, a substitution or the end of the part is possible"
)

// refusal returns the reason for refusing a decision, "" if it is allowed. Past decisions are judged again after an UNDO or
// REDO: of them only the impossible ones are refused, because they did happen.
func (s *State) refusal(r *Rules, d *Decision, past bool) string {
	chosen := s.SetPiece.Command != "" && !past
	switch d.Command {
	case Stop, SetScore, SetClock:
		return ""
	case Reset:
		if past || d.Force || s.Part == End || (s.Part == PreGame || s.Part == PreOvertime) && !chosen {
			return ""
		}
		return "the game is not over: RESET needs force"
	case Start:
		return s.refuseStart(chosen, past)
	}
	switch {
	case s.Running:
		return reasonRunning
	case d.Command == SetPart && d.Part == s.Part:
		return "the game is in this part already"
	case d.Command == SetPart:
		return ""
	case s.Part == End && d.Command != Park:
		return "the game is over: only PARK and RESET are possible"
	}
	switch d.Command {
	case Park:
		if s.Part == PreGame || !s.Part.IsInterval() && !past || chosen {
			return "robots park only in intervals and after the end"
		}
		return ""
	case EndPart:
		switch {
		case s.Part.IsInterval() && s.Part != PreOvertime:
			return "no half is being played that could end"
		case chosen:
			return reasonChosen
		}
		return ""
	case KickOff:
		return s.refuseKickOff(d, chosen, past)
	case Substitution:
		return s.refuseSubstitution(r, d)
	}
	return s.refuseInPart(r, d, chosen, past)
}

// refuseInPart is refusal for decisions that need a stopped half or shoot-out.
func (s *State) refuseInPart(r *Rules, d *Decision, chosen, past bool) string {
	afterGoal := s.Goal != Both && s.SetPiece.Command == "" && !past
	switch {
	case s.Part.IsInterval():
		return "only possible during a half: it begins with a kick-off"
	case d.Command == SubGoal:
		return s.refuseSubGoal(d, chosen)
	case d.Command == Goal && chosen:
		return reasonChosen
	case afterGoal:
		return reasonGoal
	}
	switch d.Command {
	case Goal:
		if s.Team(d.Side).Goals >= maxGoals {
			return fmt.Sprintf("the highest score is %d", maxGoals)
		}
		return ""
	case Repair, YellowCard, RedCard:
		return s.refusePenalty(r, d)
	case IsAlive:
		return ""
	}
	return s.refuseSetPiece(d, chosen)
}

func (s *State) refuseStart(chosen, past bool) string {
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

func (s *State) refuseKickOff(d *Decision, chosen, past bool) string {
	again := s.SetPiece == SetPiece{KickOff, d.Side} // the same key again sends the command again
	var right Side                                   // the team that has to kick off
	switch s.Part {
	case ShootOut:
		return "only penalties are possible in the shoot-out"
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
			return "a kick-off begins a half or follows a goal: force it if needed"
		}
	}
	free := d.Force || past || right == d.Side || s.FirstKick == Both && s.Part.IsInterval()
	switch {
	case chosen && !again:
		return reasonChosen
	case !free && !again:
		return fmt.Sprintf("%s has the kick-off: force it if needed", right.Text())
	}
	return ""
}

func (s *State) refuseSetPiece(d *Decision, chosen bool) string {
	switch {
	case s.Part == ShootOut && d.Command != PenaltyKick:
		return "only penalties are possible in the shoot-out"
	case s.Part != ShootOut && chosen && s.SetPiece != SetPiece{d.Command, d.Side}:
		return reasonChosen
	}
	return ""
}

func (s *State) refuseSubGoal(d *Decision, chosen bool) string {
	switch {
	case s.Team(d.Side).Goals == 0:
		return "there is no goal to cancel"
	case chosen:
		return reasonChosen
	}
	return ""
}

func (s *State) refuseSubstitution(r *Rules, d *Decision) string {
	switch {
	case s.Part == PreGame:
		return "before the first kick-off teams change robots freely"
	case s.Team(d.Side).Substitutions >= r.Substitutions:
		return fmt.Sprintf("%s has no substitutions left: %d in a game", d.Side.Text(), r.Substitutions)
	}
	return ""
}

func (s *State) refusePenalty(r *Rules, d *Decision) string {
	playing := s.playing(r, d.Side)
	t := s.Team(d.Side)
	for i := range t.Penalties {
		if p := &t.Penalties[i]; d.Robot != 0 && p.Robot == d.Robot && p.off() && (d.Command == Repair ||
			p.Command == RedCard) {
			return fmt.Sprintf("robot %d of %s is off the field", d.Robot, d.Side.Text())
		}
	}
	switch {
	case d.Command == Repair && playing-d.Count < r.LeastRobots:
		return fmt.Sprintf("%s has %d robots on the field; %d must stay", d.Side.Text(), playing, r.LeastRobots)
	case playing < 1:
		return fmt.Sprintf("%s has no robot on the field", d.Side.Text())
	}
	return ""
}
