package autoref

import (
	"fmt"
	"slices"
	"time"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/soccer"
)

// Rule is a rule for robots that the referee watches.
type Rule uint8

// The rules.
const (
	StillMoving    Rule = iota // a robot moves after a STOP
	TooNear                    // a robot is too near to the ball before a set piece is taken
	WrongHalf                  // a robot is in the wrong half at a kick-off
	AreaCrowded                // a goal area or penalty area
	DribbledTooFar             // a robot took the ball too far
	Pushing                    // an opponent, for a second
	rules
)

var ruleNames = [rules]string{
	"still moving", "too near", "wrong half", "area crowded", "dribbled too far", "pushing",
}

// String returns the rule in words.
func (r Rule) String() string {
	if r >= rules {
		return fmt.Sprintf("rule %d", uint8(r))
	}
	return ruleNames[r]
}

// MarshalText returns String.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Rule) UnmarshalText(text []byte) error {
	i := slices.Index(ruleNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("autoref: unknown rule %.40q", text)
	}
	*r = Rule(i)
	return nil
}

// Rules returns all rules.
func Rules() []Rule {
	all := make([]Rule, rules)
	for i := range all {
		all[i] = Rule(i)
	}
	return all
}

// The figures of the rules for robots, beside the distances at set pieces in soccer. Distances are from centre to centre.
const (
	// mostDribble is how far a robot may take the ball, in m from where it got it (simatch).
	mostDribble = 3.0
	// mostInArea is how many robots of a team, the goalkeeper apart, may be in a penalty area (simatch; the Falcons let
	// one enter it), and crowdedFor how long more of them may (Falcons: the time after which their robots leave).
	mostInArea = 2
	crowdedFor = 10 * time.Second
	// goalAreaFor is how long a robot may be in a goal area that is not the goalkeeper: long enough to cross it. Simatch
	// and the Falcons let none enter.
	goalAreaFor = time.Second

	// stopWithin is how soon a robot reacts to a STOP.
	stopWithin = 100 * time.Millisecond
	// leastBraking is the deceleration in m/s^2 that it reaches at least.
	leastBraking = 2.0
	// standing is the speed in m/s below which a robot stands.
	standing = 0.1

	settled   = 0.5                         // m/s, of a robot that has taken its place, and corrects it
	foresight = 0.4                         // s: START waits for robots that will be at a wrong place then
	downGrace = 5 * time.Second             // without a sign of life before a robot is taken out
	pushGrace = time.Second                 // pushing counts after this time
	pushSpeed = 0.3                         // m/s, of both robots, in the direction from the one that pushes to the other one
	stopSlack = 20 * time.Millisecond       // one control period
	touching  = 2*soccer.RobotRadius + 0.05 // m, between the centres of robots that touch, or did a moment ago
)

// Broken is a rule that a robot broke.
type Broken struct {
	Time soccer.Time `json:"time"`
	Player
	Rule Rule   `json:"rule"`
	Text string `json:"text"`
}

// Slack is how many m of a distance count for nothing: nobody sees better on a field.
const Slack = 0.1

// mostBroken is how many broken rules a Referee keeps.
const mostBroken = 64

// fouls keeps which robot broke which rule, each once until play starts or stops.
type fouls struct {
	list   []Broken
	counts [2][rules]int
	noted  [rules]uint16 // robots by their place in the Scene
}

// Broken returns the newest rules broken, oldest first, at most 64. It is read-only and valid until the next Step.
func (r *Referee) Broken() []Broken { return r.fouls.list }

// Count returns how often robots of a side broke a rule.
func (r *Referee) Count(side game.Side, rule Rule) int {
	if rule >= rules || side == game.Both {
		return 0
	}
	return r.fouls.counts[side.Index()][rule]
}

// note notes once that the robot at place i of the scene broke a rule.
func (r *Referee) note(s *Scene, i int, rule Rule, format string, args ...any) {
	f := &r.fouls
	if f.noted[rule]>>i&1 == 1 {
		return
	}
	f.noted[rule] |= 1 << i
	p := s.Robots[i].Player
	f.counts[p.Side.Index()][rule]++
	f.list = bounded.Append(f.list, Broken{r.last, p, rule, fmt.Sprintf(format, args...)}, mostBroken)
}
