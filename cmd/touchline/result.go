package main

import (
	"fmt"
	"strings"

	"touchline/game"
	"touchline/internal/match"
	"touchline/soccer"
)

// Result is the result of a match. Its JSON is stable; assertions name its numbers: "goals.home".
type Result struct {
	Seed    uint64      `json:"seed"`
	Half    float64     `json:"half"` // s, as configured
	Home    string      `json:"home"`
	Away    string      `json:"away"`
	Over    bool        `json:"over"`    // false: interrupted
	Seconds float64     `json:"seconds"` // of the match, stoppages included
	Played  float64     `json:"played"`  // s with the ball in play
	Loose   float64     `json:"loose"`   // share of played in which neither team had the ball
	Goals   pair[int]   `json:"goals"`
	Share   pair[float] `json:"possession"` // share of played
	Passes  pair[int]   `json:"passes"`     // that a mate received
	Lost    pair[int]   `json:"passesLost"` // that an opponent received
	Shots   pair[int]   `json:"shots"`
	Target  pair[int]   `json:"onTarget"` // shots between the posts
	Saves   pair[int]   `json:"saves"`
	Crowd   pair[float] `json:"crowding"` // mean number of robots within 1 m of the ball
	Cover   pair[float] `json:"coverage"` // mean share of the field within 3 m of a robot
	Way     pair[float] `json:"distance"` // m, mean that a robot drove
	KickOff pair[int]   `json:"kickOffs"` // taken, as the other set pieces
	Free    pair[int]   `json:"freeKicks"`
	Goal    pair[int]   `json:"goalKicks"`
	ThrowIn pair[int]   `json:"throwIns"`
	Corner  pair[int]   `json:"corners"`
	Penalty pair[int]   `json:"penalties"`
	Broken  pair[int]   `json:"broken"` // rules that robots broke

	Scorers []match.TallyGoal `json:"scorers"`         // oldest goal first
	Forks   []Fork            `json:"forks,omitempty"` // where the match went on with another seed; Seed is the first one
}

type float = float64

// pair is a figure of both teams.
type pair[T int | float64] struct {
	Home T `json:"home"`
	Away T `json:"away"`
}

// resultOf returns the result of a match so far.
func (f *flags) resultOf(m *match.Match) *Result {
	var v match.View
	m.View(&v)
	cfg, t := m.Config(), &v.Tally
	h, a := &t.Home, &t.Away
	hs, as := &h.SetPieces, &a.SetPieces
	return &Result{
		Seed: f.cfg.Seed, Half: cfg.Half.Seconds(), Home: cfg.Home.Name, Away: cfg.Away.Name, Over: m.Over(),
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
		Scorers: append([]match.TallyGoal{}, t.Goals...), Forks: f.forks,
	}
}

// words returns the result for people.
func (r *Result) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d : %d %s, seed %d\n", r.Home, r.Goals.Home, r.Goals.Away, r.Away, r.Seed)
	for _, k := range r.Forks {
		fmt.Fprintf(&b, "after %v it went on with seed %d\n", k.At, k.Seed)
	}
	fmt.Fprintf(&b, "%.0f s of two halves of %.0f s, %.0f s of them with the ball in play\n", r.Seconds, r.Half, r.Played)
	if !r.Over {
		b.WriteString("the match is not over\n")
	}
	for _, g := range r.Scorers {
		own := ""
		if g.Own {
			own = ", own goal"
		}
		fmt.Fprintf(&b, "  goal for %s after %.0f s in the %s, by robot %d%s\n", g.Side, g.Clock, g.Part, g.Scorer.Number, own)
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
