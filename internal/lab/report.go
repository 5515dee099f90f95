package lab

import (
	"os"

	"touchline/game/autoref"
	"touchline/internal/batch"
	"touchline/internal/match"
	"touchline/internal/stat"
)

// Report holds the figures of a batch of matches.
type Report struct {
	First    uint64          `json:"first_seed"`
	Matches  int             `json:"matches"` // that were played to their end
	Seconds  float64         `json:"half_seconds"`
	Loss     float64         `json:"loss"`
	Teams    [2]Team         `json:"teams"`
	Less     map[Name]Figure `json:"difference"` // of the first team's figures less the second one's
	Drawn    int             `json:"drawn"`
	Goalless int             `json:"goalless"`    // matches without a goal
	Stuck    int             `json:"stuck_balls"` // dropped because they did not move
	Played   Figure          `json:"played_s"`    // time in play of a match
	Failures []Failure       `json:"failures"`    // matches that did not end
}

// Team holds the figures of one team.
type Team struct {
	Name    string               `json:"name"`
	Booking string               `json:"booking"`
	Won     int                  `json:"won"`
	Figures map[Name]Figure      `json:"figures"`
	Broken  map[autoref.Rule]int `json:"rules_broken"` // in all matches; a rule that is not there was never broken
}

// Figure is the mean over the matches, with its 95 % confidence interval.
type Figure struct {
	Mean float64     `json:"mean"`
	CI   *[2]float64 `json:"ci95"` // nil: a single match has none
}

// Failure is a match that did not end.
type Failure struct {
	Seed uint64 `json:"seed"`
	Text string `json:"text"`
}

// Name is the name of a figure.
type Name string

// figures are the figures of a team in one match, in the order in which reports show them.
var figures = []struct {
	name Name
	unit string
	of   func(s *batch.Side) float64
}{
	{"goals", "", func(s *batch.Side) float64 { return float64(s.Goals) }},
	{"crowding", "robots", func(s *batch.Side) float64 { return s.Crowding }},
	{"coverage", "%", func(s *batch.Side) float64 { return 100 * s.Coverage }},
	{"possession", "%", func(s *batch.Side) float64 { return 100 * s.Possession }},
	{"passes", "", func(s *batch.Side) float64 { return float64(s.Passes) }},
	{"passes_lost", "", func(s *batch.Side) float64 { return float64(s.PassesLost) }},
	{"shots", "", func(s *batch.Side) float64 { return float64(s.Shots) }},
	{"on_target", "", func(s *batch.Side) float64 { return float64(s.OnTarget) }},
	{"saves", "", func(s *batch.Side) float64 { return float64(s.Saves) }},
	{"distance", "m", func(s *batch.Side) float64 { return s.Distance }},
	{"set_pieces", "", func(s *batch.Side) float64 { return float64(s.SetPieces.All()) }},
	{"rules_broken", "", func(s *batch.Side) float64 { return float64(s.BrokenRules()) }},
}

// Figures returns the names of a team's figures in their order, each with its unit.
func Figures() (names []Name, units []string) {
	for _, f := range figures {
		names, units = append(names, f.name), append(units, f.unit)
	}
	return names, units
}

// newReport makes the report of results in the order of the seeds; nil: a match was not played.
func newReport(cfg *Config, results []*batch.Result) Report {
	r := Report{First: cfg.First, Seconds: cfg.Half.Seconds(), Loss: cfg.Link.Loss, Less: map[Name]Figure{}, Failures: []Failure{}}
	var ended [2][]*batch.Side // of the teams
	var played []float64
	for i, result := range results {
		seed := cfg.First + uint64(i)
		switch {
		case result == nil:
		case result.Trouble != "":
			r.Failures = append(r.Failures, Failure{seed, result.Trouble})
		default:
			for k, side := range cfg.sides(seed) {
				ended[k] = append(ended[k], result.Side(side))
			}
			played = append(played, result.Played)
			r.Stuck += result.Stuck
		}
	}
	r.Matches, r.Played = len(played), mean(played)
	for i := range r.Teams {
		team := Team{Name: cfg.team(i), Figures: map[Name]Figure{}, Broken: map[autoref.Rule]int{}}
		if found, err := match.FindTeam(team.Name, os.ReadFile); err == nil {
			team.Booking = found.Booking
		}
		for _, s := range ended[i] {
			for _, b := range s.Broken {
				team.Broken[b.Rule] += b.Count
			}
		}
		r.Teams[i] = team
	}
	for _, f := range figures {
		var values [3][]float64 // of the teams, and their difference
		for k := range r.Matches {
			one, other := f.of(ended[0][k]), f.of(ended[1][k])
			values[0], values[1], values[2] = append(values[0], one), append(values[1], other), append(values[2], one-other)
		}
		r.Teams[0].Figures[f.name], r.Teams[1].Figures[f.name], r.Less[f.name] = mean(values[0]), mean(values[1]), mean(values[2])
	}
	for k := range r.Matches {
		r.count(ended[0][k].Goals, ended[1][k].Goals)
	}
	return r
}

// count counts the goals of a match that ended.
func (r *Report) count(one, other int) {
	switch {
	case one > other:
		r.Teams[0].Won++
	case one < other:
		r.Teams[1].Won++
	default:
		r.Drawn++
	}
	if one+other == 0 {
		r.Goalless++
	}
}

// mean returns the mean of values with its confidence interval.
func mean(values []float64) Figure {
	m, in, known := stat.Mean(values)
	if !known {
		return Figure{Mean: m}
	}
	return Figure{Mean: m, CI: &[2]float64{in.From, in.To}}
}
