package analysis

import (
	"fmt"
	"slices"
	"strings"

	"touchline/game"
)

// Metric is one figure of a team in a match: the page of a report and comparisons of matches show the same ones.
type Metric struct {
	Name     string // as users choose it: "possession"
	Text     string // what it is: "possession of the time in play"
	Unit     string // "%" for a share, which Value returns as 0 to 1; "" for a count
	Decimals int    // that are worth showing of one match
	Summary  bool   // the page of a report shows it in its comparison of the teams
	Rare     bool   // that comparison leaves it out where neither team has any
	Beliefs  bool   // it needs the beliefs of a log, which take most of the time to read
	// Value returns the figure of a team, and false for a match whose log does not hold it.
	Value func(r *Report, side game.Side) (float64, bool)
}

// Metrics are all figures of a team, in the order of the report.
var Metrics = []Metric{
	{Name: "goals", Text: "goals", Value: tallied(func(t *TallyTeam) float64 { return float64(t.Goals) })},
	{Name: "conceded", Text: "goals of the opponents", Value: func(r *Report, side game.Side) (float64, bool) {
		return float64(r.Figures.Team(side.Opponent()).Goals), true
	}},
	{Name: "possession", Text: "possession of the time in play", Unit: "%", Summary: true,
		Value: tallied(func(t *TallyTeam) float64 { return t.Possession })},
	{Name: "shots", Text: "shots", Summary: true, Value: tallied(func(t *TallyTeam) float64 { return float64(t.Shots) })},
	{Name: "onTarget", Text: "shots on target", Summary: true,
		Value: tallied(func(t *TallyTeam) float64 { return float64(t.OnTarget) })},
	{Name: "xg", Text: "expected goals (xG)", Decimals: 2, Summary: true, Value: summed(func(t *Team) float64 { return t.XG })},
	{Name: "saves", Text: "saves of the goalkeeper", Value: tallied(func(t *TallyTeam) float64 { return float64(t.Saves) })},
	{Name: "passes", Text: "passes that arrived", Summary: true,
		Value: tallied(func(t *TallyTeam) float64 { return float64(t.Passes) })},
	{Name: "accuracy", Text: "arrived of the passes tried", Unit: "%", Summary: true, Value: accuracy},
	{Name: "passesLost", Text: "passes that an opponent got",
		Value: tallied(func(t *TallyTeam) float64 { return float64(t.PassesLost) })},
	{Name: "chains", Text: "possessions without a break", Value: summed(func(t *Team) float64 { return float64(t.Chains.Count) })},
	{Name: "chainSeconds", Text: "duration of a possession, mean", Unit: "s", Decimals: 1,
		Value: summed(func(t *Team) float64 { return t.Chains.Seconds })},
	{Name: "third", Text: "ball in the opponents' third", Unit: "%", Summary: true,
		Value: summed(func(t *Team) float64 { return t.Thirds[2] })},
	{Name: "space", Text: "space reached first", Unit: "%", Summary: true, Value: summed(func(t *Team) float64 { return t.Control })},
	{Name: "span", Text: "area between the robots", Unit: "m²", Decimals: 1, Value: summed(func(t *Team) float64 { return t.Hull })},
	{Name: "coverage", Text: "field within 3 m of a robot", Unit: "%",
		Value: tallied(func(t *TallyTeam) float64 { return t.Coverage })},
	{Name: "driven", Text: "driven by each robot", Unit: "m", Summary: true,
		Value: tallied(func(t *TallyTeam) float64 { return t.Distance })},
	{Name: "crowding", Text: "robots within 1 m of the ball", Decimals: 2, Summary: true,
		Value: tallied(func(t *TallyTeam) float64 { return t.Crowding })},
	{Name: "deserted", Text: "time with no robot within 1 m of the ball", Unit: "%",
		Value: summed(func(t *Team) float64 { return t.AtBall.None })},
	{Name: "setPieces", Text: "set pieces taken", Value: tallied(func(t *TallyTeam) float64 { return float64(t.SetPieces.All()) })},
	{Name: "yellowCards", Text: "yellow cards", Summary: true, Rare: true,
		Value: summed(func(t *Team) float64 { return float64(t.YellowCards) })},
	{Name: "redCards", Text: "red cards", Summary: true, Rare: true,
		Value: summed(func(t *Team) float64 { return float64(t.RedCards) })},
	{Name: "lost", Text: "balls lost", Value: summed(func(t *Team) float64 {
		n := 0
		for _, l := range t.Losses {
			n += l.Count
		}
		return float64(n)
	})},
	{Name: "ballError", Text: "error of the ball that robots believe", Unit: "m", Decimals: 2, Summary: true, Beliefs: true,
		Value: func(r *Report, side game.Side) (float64, bool) {
			e := &r.Teams[side.Index()].BallError
			return e.Mean, e.Samples > 0 && e.Known > 0
		}},
	{Name: "blind", Text: "lost balls with a wrong belief of the ball", Unit: "%", Beliefs: true,
		Value: func(r *Report, side game.Side) (float64, bool) {
			t := &r.Teams[side.Index()]
			return share(float64(t.Blind), float64(t.Judged)), t.Judged > 0
		}},
	{Name: "selfError", Text: "error of the robots' own poses", Unit: "m", Decimals: 2, Beliefs: true, Value: selfError},
	{Name: "radioLoss", Text: "lost datagrams", Unit: "%", Decimals: 1, Value: func(r *Report, side game.Side) (float64, bool) {
		loss := r.Teams[side.Index()].RadioLoss
		return loss, loss >= 0
	}},
}

// MetricNames returns the names of Metrics.
func MetricNames() (names []string) {
	for i := range Metrics {
		names = append(names, Metrics[i].Name)
	}
	return names
}

// MetricsOf returns the Metrics with these names, in the order of the names; all of them without a name.
func MetricsOf(names []string) ([]Metric, error) {
	if len(names) == 0 {
		return Metrics, nil
	}
	var chosen []Metric
	for _, name := range names {
		i := slices.IndexFunc(Metrics, func(m Metric) bool { return strings.EqualFold(m.Name, name) })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%.40q is not a figure: want one or more of %s", name, strings.Join(MetricNames(), ", "))
		case slices.ContainsFunc(chosen, func(m Metric) bool { return m.Name == Metrics[i].Name }):
			return nil, fmt.Errorf("%s is listed twice: remove one", Metrics[i].Name)
		}
		chosen = append(chosen, Metrics[i])
	}
	return chosen, nil
}

// Format returns a value as text with its unit, with some more decimals than one match deserves.
func (m *Metric) Format(v float64, more int) string {
	text := fmt.Sprintf("%.*f", m.Decimals+more, m.number(v))
	if m.Unit != "" {
		text += " " + m.Unit
	}
	return text
}

// FormatDifference returns the difference of two values as text with its sign; that of shares is in points of percent.
func (m *Metric) FormatDifference(v float64, more int) string {
	text := fmt.Sprintf("%+.*f", m.Decimals+more, m.number(v))
	if strings.Trim(text, "+-0.") == "" {
		return text[1:] // a zero has no sign
	}
	return text
}

// number returns a value in the unit.
func (m *Metric) number(v float64) float64 {
	if m.Unit == "%" {
		return 100 * v
	}
	return v
}

// tallied returns what tells a figure that is also counted live.
func tallied(value func(*TallyTeam) float64) func(*Report, game.Side) (float64, bool) {
	return func(r *Report, side game.Side) (float64, bool) { return value(r.Figures.Team(side)), true }
}

// summed returns what tells a figure of the report.
func summed(value func(*Team) float64) func(*Report, game.Side) (float64, bool) {
	return func(r *Report, side game.Side) (float64, bool) { return value(&r.Teams[side.Index()]), true }
}

// accuracy returns the share of the passes that arrived.
func accuracy(r *Report, side game.Side) (float64, bool) {
	tried, arrived := 0, 0
	for _, d := range r.Teams[side.Index()].Directions {
		tried += d.Tried
		arrived += d.Arrived
	}
	return share(float64(arrived), float64(tried)), tried > 0
}

// selfError returns the mean error of the poses that robots believe, over the samples of all of them.
func selfError(r *Report, side game.Side) (float64, bool) {
	sum, n := 0.0, 0.0
	for i := range r.Robots {
		if e := &r.Robots[i].SelfError; r.Robots[i].Side == side {
			known := float64(float64(e.Samples) * e.Known)
			sum += float64(known * e.Mean)
			n += known
		}
	}
	return share(sum, n), n > 0
}
