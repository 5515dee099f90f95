package analysis_test

import (
	"strings"
	"testing"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
)

// Each figure of a report that is written by hand.
func TestMetrics(t *testing.T) {
	r := &analysis.Report{}
	r.Figures.Home = analysis.TallyTeam{Goals: 1, Possession: 0.4, Shots: 5, OnTarget: 3, Saves: 2, Passes: 9, PassesLost: 4,
		SetPieces: analysis.SetPieces{KickOffs: 2, Corners: 1}, Crowding: 1.25, Coverage: 0.3, Distance: 120}
	r.Figures.Away.Goals = 4
	team := &r.Teams[0]
	team.Directions[0], team.Directions[3] = analysis.Direction{Tried: 6, Arrived: 4}, analysis.Direction{Tried: 6, Arrived: 5}
	team.Chains, team.XG, team.Thirds, team.Control, team.Hull = analysis.Chains{Count: 7, Seconds: 2.5}, 0.75, [3]float64{0.5, 0.3, 0.2}, 0.45, 12.5
	team.AtBall.None, team.Losses = 0.6, []analysis.LossRow{{Cause: analysis.Tackled, Count: 2}, {Cause: analysis.Fouled, Count: 3}}
	team.BallError, team.Blind, team.Judged, team.RadioLoss = analysis.Errors{Samples: 10, Known: 1, Mean: 0.25}, 1, 4, -1
	r.Teams[1].RadioLoss = 0.125
	r.Robots = []analysis.Robot{
		{Player: autoref.Player{Side: game.Home, Number: 2}, SelfError: analysis.Errors{Samples: 30, Known: 1, Mean: 0.1}},
		{Player: autoref.Player{Side: game.Home, Number: 3}, SelfError: analysis.Errors{Samples: 20, Known: 0.5, Mean: 0.5}},
	}
	want := map[string]string{
		"goals": "1", "conceded": "4", "possession": "40 %", "shots": "5", "onTarget": "3", "xg": "0.75", "saves": "2", "passes": "9",
		"accuracy": "75 %", "passesLost": "4", "chains": "7", "chainSeconds": "2.5 s", "third": "20 %", "space": "45 %",
		"span": "12.5 m²", "coverage": "30 %", "driven": "120 m", "crowding": "1.25", "deserted": "60 %", "setPieces": "3", "lost": "5", "yellowCards": "0",
		"redCards": "0", "ballError": "0.25 m", "blind": "25 %", "selfError": "0.20 m", "radioLoss": "",
	}
	for i := range analysis.Metrics {
		m := &analysis.Metrics[i]
		got := ""
		if v, known := m.Value(r, game.Home); known {
			got = m.Format(v, 0)
		}
		text, listed := want[m.Name]
		if !listed || got != text {
			t.Errorf("%s is %q, want %q", m.Name, got, text)
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	if loss := analysis.Metrics[len(analysis.Metrics)-1]; loss.Name != "radioLoss" || loss.FormatDifference(-0.0125, 1) != "-1.25" {
		t.Errorf("the last figure is %s", loss.Name)
	} else if v, known := loss.Value(r, game.Away); !known || v != 0.125 {
		t.Errorf("the other team lost %v, known %t", v, known)
	}
	if _, known := analysis.Metrics[8].Value(r, game.Away); known {
		t.Error("a team without a pass has an accuracy")
	}
}

func TestMetricsOf(t *testing.T) {
	chosen, err := analysis.MetricsOf([]string{"xg", "POSSESSION"})
	if err != nil || len(chosen) != 2 || chosen[0].Name != "xg" || chosen[1].Name != "possession" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if all, err := analysis.MetricsOf(nil); err != nil || len(all) != len(analysis.Metrics) {
		t.Errorf("got %d figures, %v", len(all), err)
	}
	for name, want := range map[string]string{"luck": "want one or more of goals, ", "": "is not a figure", "shots": "twice"} {
		if _, err := analysis.MetricsOf([]string{"shots", name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestShootOut tells the goals of a shoot-out from those before it.
func TestShootOut(t *testing.T) {
	r := &analysis.Report{Parts: []analysis.Part{{Name: game.ShootOut, Goals: [2]int{2, 1}}}}
	if goals, ok := r.ShootOut(); ok {
		t.Errorf("a log that begins in a shoot-out: %v", goals)
	}
	r.Parts = []analysis.Part{
		{Name: game.SecondHalf, Goals: [2]int{1, 1}}, {Name: game.ShootOut, Goals: [2]int{3, 2}},
		{Name: game.End, Goals: [2]int{3, 2}}, {Name: game.ShootOut, Goals: [2]int{4, 2}},
	}
	if goals, ok := r.ShootOut(); !ok || goals != [2]int{3, 1} {
		t.Errorf("goals %v, %v", goals, ok)
	}
}
