package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/wire"
)

// matchResult is the result of a match. Its JSON is stable; assertions name its numbers: "goals.home".
type matchResult struct {
	Seed    uint64       `json:"seed"`
	Half    float64      `json:"half"` // s, as configured
	Home    string       `json:"home"`
	Away    string       `json:"away"`
	Names   pair[string] `json:"names"`   // of the teams, as pages show them
	Over    bool         `json:"over"`    // false: interrupted
	Seconds float64      `json:"seconds"` // of the match, stoppages included
	Played  float64      `json:"played"`  // s with the ball in play
	Loose   float64      `json:"loose"`   // share of played in which neither team had the ball
	Goals   pair[int]    `json:"goals"`
	Share   pair[float]  `json:"possession"` // share of played
	Passes  pair[int]    `json:"passes"`     // that a mate received
	Lost    pair[int]    `json:"passesLost"` // that an opponent received
	Shots   pair[int]    `json:"shots"`
	Target  pair[int]    `json:"onTarget"` // shots between the posts
	Saves   pair[int]    `json:"saves"`
	Crowd   pair[float]  `json:"crowding"` // mean number of robots within 1 m of the ball
	Cover   pair[float]  `json:"coverage"` // mean share of the field within 3 m of a robot
	Way     pair[float]  `json:"distance"` // m, mean that a robot drove
	KickOff pair[int]    `json:"kickOffs"` // taken, as the other set pieces
	Free    pair[int]    `json:"freeKicks"`
	Goal    pair[int]    `json:"goalKicks"`
	ThrowIn pair[int]    `json:"throwIns"`
	Corner  pair[int]    `json:"corners"`
	Penalty pair[int]    `json:"penalties"`
	Broken  pair[int]    `json:"broken"` // rules that robots broke

	Scorers []analysis.TallyGoal `json:"scorers"`         // oldest goal first
	Forks   []matchFork          `json:"forks,omitempty"` // where the match went on with another seed; Seed is the first one
}

type float = float64

// pair is a figure of both teams.
type pair[T int | float64 | string] struct {
	Home T `json:"home"`
	Away T `json:"away"`
}

// resultOf returns the result of a match so far.
func (f *matchFlags) resultOf(m *match.Match) *matchResult {
	var v match.View
	m.View(&v)
	cfg, t := m.Config(), &v.Tally
	h, a := &t.Home, &t.Away
	hs, as := &h.SetPieces, &a.SetPieces
	return &matchResult{
		Seed: f.cfg.Seed, Half: cfg.Half.Seconds(), Home: cfg.Home.Name, Away: cfg.Away.Name, Over: m.Over(),
		Names:   pair[string]{cfg.Home.Shown(), cfg.Away.Shown()},
		Seconds: m.Now().Sub(soccer.Epoch).Seconds(), Played: t.Played, Loose: t.Loose,
		Goals: pair[int]{v.Game.Home.Goals, v.Game.Away.Goals}, Share: pair[float]{h.Possession, a.Possession},
		Passes: pair[int]{h.Passes, a.Passes}, Lost: pair[int]{h.PassesLost, a.PassesLost},
		Shots: pair[int]{h.Shots, a.Shots}, Target: pair[int]{h.OnTarget, a.OnTarget}, Saves: pair[int]{h.Saves, a.Saves},
		Crowd: pair[float]{h.Crowding, a.Crowding}, Cover: pair[float]{h.Coverage, a.Coverage},
		Way:     pair[float]{h.Distance, a.Distance},
		KickOff: pair[int]{hs.KickOffs, as.KickOffs}, Free: pair[int]{hs.FreeKicks, as.FreeKicks},
		Goal: pair[int]{hs.GoalKicks, as.GoalKicks}, ThrowIn: pair[int]{hs.ThrowIns, as.ThrowIns},
		Corner: pair[int]{hs.Corners, as.Corners}, Penalty: pair[int]{hs.Penalties, as.Penalties},
		Broken:  pair[int]{m.BrokenRules(game.Home), m.BrokenRules(game.Away)},
		Scorers: append([]analysis.TallyGoal{}, t.Goals...), Forks: f.forks,
	}
}

// words returns the result for people.
func (r *matchResult) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d : %d %s, seed %d\n", r.Names.Home, r.Goals.Home, r.Goals.Away, r.Names.Away, r.Seed)
	for _, k := range r.Forks {
		fmt.Fprintf(&b, "after %v it went on with seed %d\n", k.At, k.Seed)
	}
	fmt.Fprintf(&b, "%.0f s of two halves of %.0f s, %.0f s of them with the ball in play\n", r.Seconds, r.Half, r.Played)
	if !r.Over {
		b.WriteString("the match is not over\n")
	}
	name := func(side game.Side) string {
		switch {
		case r.Names.Home == r.Names.Away:
			return string(side)
		case side == game.Away:
			return r.Names.Away
		}
		return r.Names.Home
	}
	for _, g := range r.Scorers {
		own := ""
		if g.Own {
			own = ", own goal"
		}
		fmt.Fprintf(&b, "  goal for %s after %.0f s in the %s, by robot %d%s\n", name(g.Side), g.Clock, g.Part, g.Scorer.Number, own)
	}
	fmt.Fprintf(&b, "\n%-38s %10s %10s\n", "", "home", "away")
	percent := func(what string, p pair[float]) {
		fmt.Fprintf(&b, "%-38s %8.0f %% %8.0f %%\n", what, 100*p.Home, 100*p.Away)
	}
	number := func(what string, p pair[int]) { fmt.Fprintf(&b, "%-38s %10d %10d\n", what, p.Home, p.Away) }
	percent("possession", r.Share)
	number("passes that arrived", r.Passes)
	number("passes that an opponent got", r.Lost)
	number("shots", r.Shots)
	number("shots on target", r.Target)
	number("saves", r.Saves)
	number("free kicks", r.Free)
	number("corners", r.Corner)
	number("rules broken", r.Broken)
	fmt.Fprintf(&b, "%-38s %10.2f %10.2f\n", "robots within 1 m of the ball (mean)", r.Crowd.Home, r.Crowd.Away)
	percent("field within 3 m of a robot", r.Cover)
	fmt.Fprintf(&b, "%-38s %8.0f m %8.0f m\n", "way of a robot (mean)", r.Way.Home, r.Way.Away)
	return b.String()
}

// assertion compares a number of the result with another one.
type assertion struct {
	text, field, operator string
	value                 float64
}

// operators compare the number of the result with that of the assertion.
var operators = map[string]func(a, b float64) bool{
	">=": func(a, b float64) bool { return a >= b }, "<=": func(a, b float64) bool { return a <= b },
	"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
	">": func(a, b float64) bool { return a > b }, "<": func(a, b float64) bool { return a < b },
}

var assertionText = regexp.MustCompile(`^\s*([A-Za-z.]+)\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*$`)

// numbers returns the numbers of a result by the names of their fields.
func numbers(r *matchResult) map[string]float64 {
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // a matchResult has no number that JSON lacks
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		panic(err)
	}
	found := map[string]float64{}
	for name, v := range all {
		switch v := v.(type) {
		case float64:
			found[name] = v
		case map[string]any:
			for part, v := range v {
				if n, ok := v.(float64); ok {
					found[name+"."+part] = n
				}
			}
		}
	}
	return found
}

// parseAssertions parses the values of --assert. The error names the first one that means nothing, and what is allowed.
func parseAssertions(texts []string) ([]assertion, error) {
	known := numbers(&matchResult{})
	var list []assertion
	for _, text := range texts {
		parts := assertionText.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("--assert %s: want a field, one of >= <= > < == != and a number, for example 'goals.home>=1'",
				quoted(text))
		}
		if _, ok := known[parts[1]]; !ok {
			return nil, fmt.Errorf("--assert %s: the result has no field %q: want one of %s", quoted(text), parts[1],
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		value, err := strconv.ParseFloat(parts[3], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("--assert %s: %q is not a number: want for example 1 or 0.25", quoted(text), parts[3])
		}
		list = append(list, assertion{text: strings.TrimSpace(text), field: parts[1], operator: parts[2], value: value})
	}
	return list, nil
}

func quoted(text string) string { return fmt.Sprintf("%.80q", wire.Printable(text)) }

// checkAssertions prints the assertions that do not hold, and returns for each what is wrong with it; "" if nothing is.
func checkAssertions(list []assertion, r *matchResult, errs io.Writer) []string {
	found := numbers(r)
	failures := make([]string, len(list))
	for i, a := range list {
		if is := found[a.field]; !operators[a.operator](is, a.value) {
			failures[i] = fmt.Sprintf("expected %s %s %v, found %v", a.field, a.operator, a.value, is)
			fmt.Fprintln(errs, "assertion failed:", failures[i])
		}
	}
	return failures
}

// suite is a test suite in JUnit's XML.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr"` // s of the match
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *trouble `xml:"failure"`
	Error   *trouble `xml:"error"`
}

type trouble struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes a test case for the match, which fails if it did not end, and one for each assertion.
func writeJUnit(path string, list []assertion, failures []string, r *matchResult, played error) error {
	name := fmt.Sprintf("%s against %s, seed %d", r.Names.Home, r.Names.Away, r.Seed)
	s := suite{Name: "touchline match: " + name, Tests: len(list) + 1, Time: fmt.Sprintf("%.3f", r.Seconds)}
	whole := testcase{Class: "match", Name: name, Time: s.Time}
	if played != nil {
		s.Errors, whole.Error = 1, &trouble{played.Error()}
	}
	s.Cases = append(s.Cases, whole)
	for i, a := range list {
		c := testcase{Class: "match", Name: a.text, Time: "0"}
		if failures[i] != "" {
			s.Failures++
			c.Failure = &trouble{failures[i]}
		}
		s.Cases = append(s.Cases, c)
	}
	data, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	if err := os.WriteFile(path, append([]byte(xml.Header), append(data, '\n')...), 0o644); err != nil {
		return console.Usage(fmt.Errorf("--junit: %w", err))
	}
	return nil
}
