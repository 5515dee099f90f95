package game

import "time"

// Rules is what changes from year to year. Times are whole seconds.
type Rules struct {
	Name                string `json:"name"`                // default "MSL 2026"
	HalfSeconds         int    `json:"halfSeconds"`         // length of a half, s; default 900 (facts msl 5)
	HalfTimeSeconds     int    `json:"halfTimeSeconds"`     // longest half-time, s; default 600 (facts msl 5)
	OvertimeSeconds     int    `json:"overtimeSeconds"`     // length of a half of the overtime, s; default 300 (facts msl 5)
	RepairSeconds       int    `json:"repairSeconds"`       // playing time that a robot in repair misses, s; default 20 (facts msl 1.9)
	DoubleYellowSeconds int    `json:"doubleYellowSeconds"` // playing time that a second yellow card costs, s; default 90 (facts msl 1.9)
	SetPieceSeconds     int    `json:"setPieceSeconds"`     // for a set piece after START, s; default 7 (facts msl 1.9)
	SubstitutionSeconds int    `json:"substitutionSeconds"` // for a substitution, s; default 20 (facts msl 1.9)
	Substitutions       int    `json:"substitutions"`       // most of a team in a game; default 3 (facts msl 1.9)
	Robots              int    `json:"robots"`              // of a team on the field; default 5 (facts msl 5)
	LeastRobots         int    `json:"leastRobots"`         // that repair leaves on the field; default 2 (facts msl 5)
}

// DefaultRules returns the rules of 2026.
func DefaultRules() Rules {
	return Rules{
		Name: "MSL 2026", HalfSeconds: 900, HalfTimeSeconds: 600, OvertimeSeconds: 300,
		RepairSeconds: 20, DoubleYellowSeconds: 90, SetPieceSeconds: 7, SubstitutionSeconds: 20,
		Substitutions: 3, Robots: 5, LeastRobots: 2,
	}
}

// Length returns how long a part lasts; 0 where the rules set no end. None ends by itself: the referee ends it.
func (r *Rules) Length(p Part) time.Duration {
	switch p {
	case FirstHalf, SecondHalf:
		return seconds(r.HalfSeconds)
	case HalfTime:
		return seconds(r.HalfTimeSeconds)
	case OvertimeFirst, OvertimeSecond:
		return seconds(r.OvertimeSeconds)
	}
	return 0
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
