package lab

import (
	"math"

	"touchline/game/autoref"
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
	Goalless int             `json:"goalless"`     // matches without a goal
	Stuck    int             `json:"stuck_balls"`  // dropped because they did not move
	Played   Figure          `json:"played_s"`     // time in play of a match
	Failures []Failure       `json:"failures"`     // matches that did not end
	Examples []Broken        `json:"rule_samples"` // the first rules that robots broke, at most 20
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

// Broken is a rule that a robot broke in one of the matches.
type Broken struct {
	Seed uint64  `json:"seed"`
	Team string  `json:"team"`
	At   float64 `json:"at"` // s since the match began
	autoref.Broken
}

const mostExamples = 20

// Name is the name of a figure.
type Name string

// figures are the figures of a team in one match, in the order in which reports show them.
var figures = []struct {
	name Name
	unit string
	of   func(s *score, team int) float64
}{
	{"goals", "", func(s *score, i int) float64 { return float64(s.teams[i].Goals) }},
	{"crowding", "robots", func(s *score, i int) float64 { return s.teams[i].Crowding }},
	{"coverage", "%", func(s *score, i int) float64 { return 100 * s.teams[i].Coverage }},
	{"possession", "%", func(s *score, i int) float64 { return 100 * s.teams[i].Possession }},
	{"passes", "", func(s *score, i int) float64 { return float64(s.teams[i].Passes) }},
	{"passes_lost", "", func(s *score, i int) float64 { return float64(s.teams[i].PassesLost) }},
	{"shots", "", func(s *score, i int) float64 { return float64(s.teams[i].Shots) }},
	{"on_target", "", func(s *score, i int) float64 { return float64(s.teams[i].OnTarget) }},
	{"saves", "", func(s *score, i int) float64 { return float64(s.teams[i].Saves) }},
	{"distance", "m", func(s *score, i int) float64 { return s.teams[i].Distance }},
	{"set_pieces", "", func(s *score, i int) float64 { return float64(s.teams[i].SetPieces.All()) }},
	{"rules_broken", "", func(s *score, i int) float64 {
		sum := 0
		for _, rule := range autoref.Rules() {
			sum += s.broken[i][rule]
		}
		return float64(sum)
	}},
}

// Figures returns the names of a team's figures in their order, each with its unit.
func Figures() (names []Name, units []string) {
	for _, f := range figures {
		names, units = append(names, f.name), append(units, f.unit)
	}
	return names, units
}

func newReport(cfg *Config, scores []score) Report {
	r := Report{First: cfg.First, Seconds: cfg.Half.Seconds(), Loss: cfg.Link.Loss, Less: map[Name]Figure{},
		Failures: []Failure{}, Examples: []Broken{}}
	var ended []*score
	for i := range scores {
		s := &scores[i]
		switch {
		case s.trouble != "":
			r.Failures = append(r.Failures, Failure{cfg.First + uint64(i), s.trouble})
		case s.done:
			ended = append(ended, s)
		}
	}
	r.Matches = len(ended)
	mean := func(value func(s *score) float64) Figure { return interval(ended, value) }
	for i := range r.Teams {
		team := Team{Name: cfg.team(i).Name, Booking: cfg.team(i).Booking, Figures: map[Name]Figure{},
			Broken: map[autoref.Rule]int{}}
		for _, f := range figures {
			team.Figures[f.name] = mean(func(s *score) float64 { return f.of(s, i) })
			r.Less[f.name] = mean(func(s *score) float64 { return f.of(s, 0) - f.of(s, 1) })
		}
		for _, s := range ended {
			for _, rule := range autoref.Rules() {
				if n := s.broken[i][rule]; n > 0 {
					team.Broken[rule] += n
				}
			}
		}
		r.Teams[i] = team
	}
	r.Played = mean(func(s *score) float64 { return s.played })
	for _, s := range ended {
		r.count(s)
	}
	return r
}

// count counts a match that ended.
func (r *Report) count(s *score) {
	switch one, other := s.teams[0].Goals, s.teams[1].Goals; {
	case one > other:
		r.Teams[0].Won++
	case one < other:
		r.Teams[1].Won++
	default:
		r.Drawn++
	}
	if s.teams[0].Goals+s.teams[1].Goals == 0 {
		r.Goalless++
	}
	r.Stuck += s.stuck
	r.Examples = append(r.Examples, s.example[:min(len(s.example), mostExamples-len(r.Examples))]...)
}

// normal95 is the half width of the 95 % interval in standard deviations.
const normal95 = 1.96

// interval returns the mean over matches with its confidence interval.
func interval(scores []*score, value func(s *score) float64) Figure {
	n := float64(len(scores))
	if n == 0 {
		return Figure{}
	}
	sum, squares := 0.0, 0.0
	for _, s := range scores {
		sum += value(s)
	}
	mean := sum / n
	for _, s := range scores {
		d := value(s) - mean
		squares += d * d
	}
	if n < 2 {
		return Figure{Mean: mean}
	}
	half := normal95 * math.Sqrt(squares/(n-1)/n)
	return Figure{Mean: mean, CI: &[2]float64{mean - half, mean + half}}
}
