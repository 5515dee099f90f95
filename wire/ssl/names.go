package ssl

import "strconv"

// Stage is a part of the match.
type Stage int32

// The values of Referee.Stage.
const (
	FirstHalfPre Stage = iota
	FirstHalf
	HalfTime
	SecondHalfPre
	SecondHalf
	ExtraTimeBreak
	ExtraFirstHalfPre
	ExtraFirstHalf
	ExtraHalfTime
	ExtraSecondHalfPre
	ExtraSecondHalf
	ShootoutBreak
	Shootout
	PostGame
)

var stageNames = []string{
	"NORMAL_FIRST_HALF_PRE", "NORMAL_FIRST_HALF", "NORMAL_HALF_TIME", "NORMAL_SECOND_HALF_PRE", "NORMAL_SECOND_HALF",
	"EXTRA_TIME_BREAK", "EXTRA_FIRST_HALF_PRE", "EXTRA_FIRST_HALF", "EXTRA_HALF_TIME", "EXTRA_SECOND_HALF_PRE",
	"EXTRA_SECOND_HALF", "PENALTY_SHOOTOUT_BREAK", "PENALTY_SHOOTOUT", "POST_GAME",
}

// Command is a command of the referee.
type Command int32

// The values of Referee.Command. The game controller sends no indirect free kicks and goals any more.
const (
	Halt Command = iota
	Stop
	NormalStart
	ForceStart
	KickoffYellow
	KickoffBlue
	PenaltyYellow
	PenaltyBlue
	DirectYellow
	DirectBlue
	IndirectYellow
	IndirectBlue
	TimeoutYellow
	TimeoutBlue
	GoalYellow
	GoalBlue
	PlacementYellow
	PlacementBlue
)

var commandNames = []string{
	"HALT", "STOP", "NORMAL_START", "FORCE_START", "PREPARE_KICKOFF_YELLOW", "PREPARE_KICKOFF_BLUE",
	"PREPARE_PENALTY_YELLOW", "PREPARE_PENALTY_BLUE", "DIRECT_FREE_YELLOW", "DIRECT_FREE_BLUE", "INDIRECT_FREE_YELLOW",
	"INDIRECT_FREE_BLUE", "TIMEOUT_YELLOW", "TIMEOUT_BLUE", "GOAL_YELLOW", "GOAL_BLUE", "BALL_PLACEMENT_YELLOW",
	"BALL_PLACEMENT_BLUE",
}

// Team returns the team that a command is for, NoTeam for a command to both.
func (c Command) Team() Team {
	switch {
	case c < KickoffYellow || c > PlacementBlue:
		return NoTeam
	case c%2 == 0:
		return Yellow
	}
	return Blue
}

// MatchType is the kind of a match.
type MatchType int32

var matchNames = []string{"UNKNOWN_MATCH", "GROUP_PHASE", "ELIMINATION_PHASE", "FRIENDLY"}

// HullColor is how dark the robots of a team are.
type HullColor int32

var hullNames = []string{"HULL_COLOR_UNKNOWN", "HULL_COLOR_DARK", "HULL_COLOR_LIGHT"}

var teamNames = []string{"UNKNOWN", "YELLOW", "BLUE"}

var capabilityNames = []string{"unknown", "flying balls", "several balls", "kicked balls"}

// String returns the name of s in the game controller, like "NORMAL_FIRST_HALF", or its number.
func (s Stage) String() string { return nameOf(int32(s), stageNames) }

// String returns the name of c in the game controller, like "FORCE_START", or its number.
func (c Command) String() string { return nameOf(int32(c), commandNames) }

// String returns "YELLOW", "BLUE", "UNKNOWN" or the number of t.
func (t Team) String() string { return nameOf(int32(t), teamNames) }

// String returns the name of m in the game controller, or its number.
func (m MatchType) String() string { return nameOf(int32(m), matchNames) }

// String returns the name of h in the game controller, or its number.
func (h HullColor) String() string { return nameOf(int32(h), hullNames) }

// nameOf returns the name of v, or its number without a name.
func nameOf(v int32, names []string) string {
	if uint32(v) >= uint32(len(names)) {
		return strconv.Itoa(int(v))
	}
	return names[v]
}
