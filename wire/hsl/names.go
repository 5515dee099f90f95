package hsl

import "fmt"

// Competition is the division of a game.
type Competition uint8

// Phase is the phase of a game.
type Phase uint8

// State is the state of a game.
type State uint8

// SetPlay is the set play of a game.
type SetPlay uint8

// Color is the colour of jerseys.
type Color uint8

// Penalty is why a player does not play.
type Penalty uint8

// Divisions.
const (
	Small Competition = iota
	Middle
	Large
)

// Phases.
const (
	Normal Phase = iota
	PenaltyShootOut
	ExtraTime
	Timeout
)

// States.
const (
	Initial State = iota
	Ready
	Set
	Playing
	Finished
)

// Set plays. A kick-off is none.
const (
	NoSetPlay SetPlay = iota
	DirectFreeKick
	IndirectFreeKick
	PenaltyKick
	ThrowIn
	GoalKick
	CornerKick
)

// Penalties.
const (
	NoPenalty Penalty = iota
	IllegalPositioning
	MotionInSet
	LocalGameStuck
	IncapableRobot
	PickedUp
	BallHolding
	LeavingTheField
	PlayingWithArmsHands
	Pushing
	SentOff
	Substitute
)

// Numbers of names, by the order in the header of HSL GameController.
var (
	competitionNames = []string{"small", "middle", "large"}
	phaseNames       = []string{"normal", "penalty shoot-out", "extra time", "timeout"}
	stateNames       = []string{"initial", "ready", "set", "playing", "finished"}
	setPlayNames     = []string{
		"none", "direct free kick", "indirect free kick", "penalty kick", "throw-in", "goal kick", "corner kick",
	}
	colorNames = []string{
		"blue", "red", "yellow", "black", "white", "green", "orange", "purple", "brown", "gray",
	}
	penaltyNames = []string{
		"none", "illegal positioning", "motion in set", "local game stuck", "incapable robot", "picked up", "ball holding",
		"leaving the field", "playing with arms or hands", "pushing", "sent off", "substitute",
	}
	yesNo = []string{"no", "yes"}
)

// String returns the name of the division.
func (c Competition) String() string { return nameOf(c, competitionNames, "competition") }

// String returns the name of the phase.
func (p Phase) String() string { return nameOf(p, phaseNames, "phase") }

// String returns the name of the state.
func (s State) String() string { return nameOf(s, stateNames, "state") }

// String returns the name of the set play.
func (s SetPlay) String() string { return nameOf(s, setPlayNames, "set play") }

// String returns the name of the colour.
func (c Color) String() string { return nameOf(c, colorNames, "colour") }

// String returns the name of the penalty.
func (p Penalty) String() string { return nameOf(p, penaltyNames, "penalty") }

func nameOf[T ~uint8](v T, names []string, noun string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s %d", noun, uint8(v))
}
