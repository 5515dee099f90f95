package batch

import (
	"cmp"
	"slices"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/stat"
)

// Report is what the results of a plan say. It depends on the plan and on the results alone, not on their order, on the
// slices or on the machines. Its JSON is stable.
type Report struct {
	Name       string       `json:"name"`
	Program    Program      `json:"program"`
	Half       float64      `json:"half"`     // s
	Jobs       int          `json:"jobs"`     // of the plan
	Done       int          `json:"done"`     // that have a result, failures included
	Failed     int          `json:"failed"`   // matches that did not end
	Failures   []Failure    `json:"failures"` // the first of them, at most 20
	Teams      []TeamReport `json:"teams"`    // the strongest first
	Cross      [][]Cell     `json:"cross"`    // what the team of a row got from that of a column; both in the order of teams
	Conditions []Condition  `json:"conditions"`
}

// Failure is a match that did not end.
type Failure struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// TeamReport is what a team did in all its matches. Intervals are 95 %, over pairs of matches with one seed and swapped
// sides; nil: there are too few.
type TeamReport struct {
	Name    string         `json:"name"`
	Games   int            `json:"games"`
	Won     int            `json:"won"`
	Drawn   int            `json:"drawn"`
	Lost    int            `json:"lost"`
	Points  Mean           `json:"points"` // of a match: 1 for a win, 0.5 for a draw
	Rating  stat.Rating    `json:"rating"`
	Figures []FigureReport `json:"figures"`
}

// Mean is a mean over matches.
type Mean struct {
	Mean     float64        `json:"mean"`
	Interval *stat.Interval `json:"interval"` // 95 %; null: too few matches
}

// FigureReport is the mean of a figure.
type FigureReport struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Unit string `json:"unit"` // "%": the values are shares from 0 to 1
	Mean

	Metric *analysis.Metric `json:"-"`
}

// Cell is what one team got from another one.
type Cell struct {
	Games    int `json:"games"`
	Won      int `json:"won"`
	Drawn    int `json:"drawn"`
	Lost     int `json:"lost"`
	Goals    int `json:"goals"`
	Conceded int `json:"conceded"`
}

// Condition is how the teams did on one field, network and set of faults.
type Condition struct {
	Field   string  `json:"field"`
	Network string  `json:"network"`
	Faults  string  `json:"faults"`
	Games   int     `json:"games"`
	Points  []Mean  `json:"points"` // of each team, in the order of teams
	Goals   float64 `json:"goals"`  // of both teams in a match, mean
}

const mostFailures = 20

// tallied are the figures of a result in the order of reports, by their names in analysis.Metrics.
var tallied = []string{"goals", "conceded", "possession", "shots", "onTarget", "saves", "passes", "passesLost", "setPieces",
	"crowding", "coverage", "driven"}

// broken is the one figure that analysis.Metrics has not.
var broken = analysis.Metric{Name: "broken", Text: "rules broken"}

// Metrics returns the figures of results, in their order.
func Metrics() []analysis.Metric {
	all, err := analysis.MetricsOf(tallied)
	if err != nil {
		panic(err) // the names are constants
	}
	return append(slices.Clone(all), broken)
}

// Figures returns the figures of a side, in the order of Metrics.
func (r *Result) Figures(side game.Side, metrics []analysis.Metric) []float64 {
	report := analysis.Report{}
	report.Figures.Home, report.Figures.Away = r.Home.TallyTeam, r.Away.TallyTeam
	values := make([]float64, len(metrics))
	for i := range metrics {
		if metrics[i].Value == nil {
			values[i] = float64(r.Side(side).BrokenRules())
			continue
		}
		values[i], _ = metrics[i].Value(&report, side)
	}
	return values
}

// BrokenRules returns how often robots of the team broke a rule.
func (s *Side) BrokenRules() (n int) {
	for _, b := range s.Broken {
		n += b.Count
	}
	return n
}

// Points returns the points of a side: 1 for a win, 0.5 for a draw.
func (r *Result) Points(side game.Side) float64 {
	switch d := r.Side(side).Goals - r.Side(side.Opponent()).Goals; {
	case d > 0:
		return 1
	case d < 0:
		return 0
	}
	return 0.5
}

// sums collects what becomes a report.
type sums struct {
	metrics []analysis.Metric
	teams   []TeamReport
	cross   [][]Cell
	points  [][]float64 // of a match in each pair, by team
	values  [][][]float64
	met     []stat.Meeting
	where   []Condition
	placed  [][][]float64 // points of a match in each pair, by condition and team
	goals   []float64     // by condition
}

// NewReport makes the report. jobs are all jobs of the plan in its order; result returns the result of one, or nil.
func NewReport(p *Plan, jobs []Job, result func(*Job) *Result) *Report {
	m := &p.Matrix
	r := &Report{
		Name: m.Name, Program: p.Program, Half: m.Half.Seconds(), Jobs: len(jobs), Failures: []Failure{}, Conditions: []Condition{},
	}
	names := m.All()
	s := newSums(names)
	for i := 0; i+1 < len(jobs); i += 2 {
		pair := [2]*Result{}
		for k := range pair {
			got := result(&jobs[i+k])
			if got == nil {
				continue
			}
			if r.Done++; got.Trouble != "" {
				if r.Failed++; len(r.Failures) < mostFailures {
					r.Failures = append(r.Failures, Failure{got.ID, got.Trouble})
				}
				continue
			}
			pair[k] = got
		}
		a, b := slices.Index(names, jobs[i].Flags.Home), slices.Index(names, jobs[i].Flags.Away)
		s.addPair([2]int{a, b}, &jobs[i], pair)
	}
	s.finish(r)
	return r
}

func newSums(names []string) *sums {
	s := &sums{metrics: Metrics(), points: make([][]float64, len(names)), values: make([][][]float64, len(names))}
	for i, name := range names {
		s.teams = append(s.teams, TeamReport{Name: name})
		s.cross = append(s.cross, make([]Cell, len(names)))
		s.values[i] = make([][]float64, len(s.metrics))
	}
	return s
}

// addPair adds the two matches of a pair, in the first of which the first team was home; nil: it was not played.
func (s *sums) addPair(teams [2]int, job *Job, pair [2]*Result) {
	at := s.condition(job)
	for i, team := range teams {
		games, points, values := 0.0, 0.0, make([]float64, len(s.metrics))
		for k, r := range pair {
			if r == nil {
				continue
			}
			side := game.Sides[(i+k)%2]
			games++
			points += r.Points(side)
			for n, v := range r.Figures(side, s.metrics) {
				values[n] += v
			}
			s.count(team, teams[1-i], r, side)
			if i == 0 {
				s.where[at].Games++
				s.goals[at] += float64(r.Home.Goals + r.Away.Goals)
			}
		}
		if games == 0 {
			return
		}
		s.points[team] = append(s.points[team], points/games)
		s.placed[at][team] = append(s.placed[at][team], points/games)
		for n, v := range values {
			s.values[team][n] = append(s.values[team][n], v/games)
		}
		if i == 0 {
			s.met = append(s.met, stat.Meeting{A: team, B: teams[1], Points: points, Games: games})
		}
	}
}

// count counts a match of a team.
func (s *sums) count(team, other int, r *Result, side game.Side) {
	t, c := &s.teams[team], &s.cross[team][other]
	t.Games++
	c.Games++
	c.Goals += r.Side(side).Goals
	c.Conceded += r.Side(side.Opponent()).Goals
	switch r.Points(side) {
	case 1:
		t.Won++
		c.Won++
	case 0:
		t.Lost++
		c.Lost++
	default:
		t.Drawn++
		c.Drawn++
	}
}

// condition returns the number of a job's condition.
func (s *sums) condition(j *Job) int {
	i := slices.IndexFunc(s.where, func(c Condition) bool {
		return c.Field == j.Flags.Field && c.Network == j.Network && c.Faults == j.Faults
	})
	if i < 0 {
		i = len(s.where)
		s.where = append(s.where, Condition{Field: j.Flags.Field, Network: j.Network, Faults: j.Faults})
		s.placed = append(s.placed, make([][]float64, len(s.teams)))
		s.goals = append(s.goals, 0)
	}
	return i
}

// finish fills in the tables.
func (s *sums) finish(r *Report) {
	ratings := stat.Ratings(len(s.teams), s.met)
	order := make([]int, len(s.teams))
	for i := range s.teams {
		t := &s.teams[i]
		order[i], t.Rating, t.Points = i, ratings[i], meanOf(s.points[i])
		for k := range s.metrics {
			m := &s.metrics[k]
			t.Figures = append(t.Figures, FigureReport{m.Name, m.Text, m.Unit, meanOf(s.values[i][k]), m})
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(ratings[b].Elo, ratings[a].Elo)
	})
	for _, i := range order {
		r.Teams = append(r.Teams, s.teams[i])
		row := make([]Cell, 0, len(order))
		for _, k := range order {
			row = append(row, s.cross[i][k])
		}
		r.Cross = append(r.Cross, row)
	}
	for at, c := range s.where {
		for _, i := range order {
			c.Points = append(c.Points, meanOf(s.placed[at][i]))
		}
		if c.Games > 0 {
			c.Goals = s.goals[at] / float64(c.Games)
		}
		r.Conditions = append(r.Conditions, c)
	}
}

func meanOf(values []float64) Mean {
	mean, in, known := stat.Mean(values)
	if !known {
		return Mean{Mean: mean}
	}
	return Mean{mean, &in}
}
