package batch

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/internal/stat"
)

// results makes up results of a plan: the first team scores more.
func results(p *Plan) map[string]*Result {
	all := map[string]*Result{}
	random := rand.New(rand.NewPCG(3, 3))
	for _, j := range p.Jobs() {
		r := p.Failed(&j, "")
		for _, side := range game.Sides {
			s, name := r.Side(side), []string{j.Flags.Home, j.Flags.Away}[side.Index()]
			if s.Goals = random.IntN(3); name == p.Matrix.Teams[0] {
				s.Goals += random.IntN(2)
			}
			s.Possession, s.Broken = 0.5, append(s.Broken, RuleCount{0, 2})
		}
		all[j.ID] = &r
	}
	return all
}

// The tables agree with each other and with the results; missing and failed matches are counted.
func TestReport(t *testing.T) {
	p := plan(t, small)
	all, jobs := results(p), p.Jobs()
	delete(all, jobs[0].ID)
	all[jobs[3].ID].Trouble = "it failed"
	r := NewReport(p, jobs, func(j *Job) *Result { return all[j.ID] })
	if r.Jobs != 144 || r.Done != 143 || r.Failed != 1 || len(r.Failures) != 1 || r.Failures[0].ID != jobs[3].ID || len(r.Conditions) != 8 {
		t.Errorf("%d jobs, %d done, %d failed %v, %d conditions", r.Jobs, r.Done, r.Failed, r.Failures, len(r.Conditions))
	}
	games, elo := 0, 0.0
	for i, team := range r.Teams {
		games += team.Games
		elo += team.Rating.Elo
		var row Cell
		for k, c := range r.Cross[i] {
			row.Games, row.Won, row.Drawn, row.Lost = row.Games+c.Games, row.Won+c.Won, row.Drawn+c.Drawn, row.Lost+c.Lost
			if back := r.Cross[k][i]; c.Won != back.Lost || c.Goals != back.Conceded || c.Drawn != back.Drawn {
				t.Errorf("%s against %s: %+v and %+v", team.Name, r.Teams[k].Name, c, back)
			}
		}
		if row.Games != team.Games || row.Won != team.Won || row.Drawn != team.Drawn || row.Lost != team.Lost {
			t.Errorf("%s: the row sums up to %+v, the team is %+v", team.Name, row, team)
		}
		figures := map[string]float64{}
		for _, f := range team.Figures {
			figures[f.Name] = f.Mean.Mean
		}
		if figures["broken"] != 2 || figures["possession"] != 0.5 || figures["goals"] < 0.5 {
			t.Errorf("%s: %v", team.Name, figures)
		}
	}
	if games != 2*142 || math.Abs(elo) > 1e-6 || r.Teams[0].Name != "touchline" || r.Teams[0].Points.Interval == nil {
		t.Errorf("%d games, Elo sums up to %v, the first is %+v", games, elo, r.Teams[0])
	}
	placed := 0
	for _, c := range r.Conditions {
		placed += c.Games
	}
	if placed != 142 {
		t.Errorf("the conditions have %d matches", placed)
	}
	one, _ := json.Marshal(r)
	two, _ := json.Marshal(NewReport(p, jobs, func(j *Job) *Result { return all[j.ID] }))
	if string(one) != string(two) {
		t.Error("the same results gave two reports")
	}
	if empty := NewReport(p, jobs, func(*Job) *Result { return nil }); empty.Done != 0 || len(empty.Teams) != 3 {
		t.Errorf("without results: %+v", empty)
	}
}

// The row of a match has a column for each figure.
func TestRow(t *testing.T) {
	p := plan(t, small)
	j := p.Jobs()[1]
	r, _ := p.Play(&j, never, nil)
	row := NewRow(&j, &r)
	if row.ID != j.ID || row.Home != r.Flags.Home || row.Network != "perfect" || row.WayHome != r.Home.Distance || row.Half != 2 {
		t.Errorf("%+v", row)
	}
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("parquet") == "" {
			t.Errorf("the field %s has no column", v.Type().Field(i).Name)
		}
	}
}

func TestParameters(t *testing.T) {
	m := play.Default()
	all, err := Parameters(m, nil)
	if err != nil || len(all) < 10 || m.Transitions[all[0].Transition].After == 0 {
		t.Errorf("all times are %v, %v", all, err)
	}
	for _, p := range all {
		if p.From != defaultFrom || p.To != defaultTo {
			t.Errorf("the range of %s is %v to %v", p.Name, p.From, p.To)
		}
	}
	if err := Shortest(m, all).Check(play.Conditions(), play.Behaviours()); err != nil {
		t.Errorf("the default ranges hold machines that cannot play: %v", err)
	}
	some, err := Parameters(m, []string{"pass>shoot=100ms..1s", "search>attack"})
	if err != nil || len(some) != 2 || some[0].From != 100*time.Millisecond || some[0].To != time.Second || some[1].To != defaultTo {
		t.Errorf("got %v, %v", some, err)
	}
	for _, text := range []string{"a>b", "pass>shoot=1s..0s", "pass>shoot=0..", "pass>shoot=0s..2h", ""} {
		if _, err := Parameters(m, []string{text}); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Parameters(m, []string{"pass>shoot", "pass>shoot"}); err == nil {
		t.Error("a parameter is listed twice")
	}
}

// The tuner moves to where a machine wins more, from noisy matches, and stays in the ranges.
func TestTuner(t *testing.T) {
	m := play.Default()
	parameters, err := Parameters(m, []string{"pass>shoot=0s..1s", "release>pass=0s..1s", "dribble>pass=0s..1s"})
	if err != nil {
		t.Fatal(err)
	}
	best := []float64{0.8, 0.5, 0.1} // s
	strength := func(m *hfsm.Machine) (elo float64) {
		for i, p := range parameters {
			d := m.Transitions[p.Transition].After.Seconds() - best[i]
			elo -= 400 * d * d
		}
		return elo
	}
	better := 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		tuner := NewTuner(m, parameters, 100, seed)
		for range 100 {
			plus, minus := tuner.Step()
			score, win := 0.0, stat.EloScore(strength(plus)-strength(minus))
			for range 16 {
				if random.Float64() < win {
					score += 1.0 / 16
				}
			}
			tuner.Tell(score)
		}
		tuned := tuner.Machine()
		if err := tuned.Check(play.Conditions(), play.Behaviours()); err != nil {
			t.Fatal(err)
		}
		for _, p := range parameters {
			if after := tuned.Transitions[p.Transition].After; after < p.From || after > p.To {
				t.Errorf("%s is %v", p.Name, after)
			}
		}
		if strength(tuned) > strength(m)/2 { // from -126 points
			better++
		}
	}
	if better < 18 {
		t.Errorf("%d of 20 searches ended nearer to the best machine", better)
	}
}
