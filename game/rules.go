package game

import "time"

// Rules holds the numbers that change from year to year.
type Rules struct {
	Name                string `json:"name"`                // default "MSL 2026"
	HalfSeconds         int    `json:"halfSeconds"`         // length of a half, s; default 900 (MSL Rules 2026)
	HalfTimeSeconds     int    `json:"halfTimeSeconds"`     // longest half-time, s; default 600 (MSL Rules 2026)
	OvertimeSeconds     int    `json:"overtimeSeconds"`     // length of a half of overtime, s; default 300 (MSL Rules 2026)
	RepairSeconds       int    `json:"repairSeconds"`       // playing time lost by a repair, s; default 20 (RefBox 2.1)
	DoubleYellowSeconds int    `json:"doubleYellowSeconds"` // playing time lost by a second yellow card, s; default 90 (RefBox 2.1)
	SetPieceSeconds     int    `json:"setPieceSeconds"`     // time to take a set piece after START, s; default 7 (RefBox 2.1)
	SubstitutionSeconds int    `json:"substitutionSeconds"` // time for a substitution, s; default 20 (RefBox 2.1)
	Substitutions       int    `json:"substitutions"`       // most substitutions of a team in a game; default 3 (RefBox 2.1)
	Robots              int    `json:"robots"`              // robots of a team on the field; default 5 (MSL Rules 2026)
	LeastRobots         int    `json:"leastRobots"`         // robots that repairs leave on the field; default 2 (MSL Rules 2026)
}

// DefaultRules returns the rules of 2026.
func DefaultRules() Rules {
	return Rules{
		Name: "MSL 2026", HalfSeconds: 900, HalfTimeSeconds: 600, OvertimeSeconds: 300,
		RepairSeconds: 20, DoubleYellowSeconds: 90, SetPieceSeconds: 7, SubstitutionSeconds: 20,
		Substitutions: 3, Robots: 5, LeastRobots: 2,
	}
}

// Length returns the length of a part, 0 if the rules set none. No part ends by itself: the referee ends it.
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
