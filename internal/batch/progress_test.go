package batch_test

import (
	"math"
	"testing"

	"touchline/internal/batch"
	"touchline/internal/stat"
)

var test100 = stat.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}

// given returns the result of a job with some goals.
func given(p *batch.Plan, job *batch.Job, home, away int) *batch.Result {
	r := p.Failed(job, "")
	r.Home.Goals, r.Away.Goals = home, away
	return &r
}

// Rate and time left follow the results of the last minute; a batch that goes on does not count the time before it
// began.
func TestProgress(t *testing.T) {
	m := batch.DefaultMatrix()
	m.Teams, m.Seeds = []string{"touchline", "still"}, 50
	p, err := batch.NewPlan(m, batch.Program{Version: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := p.Jobs()
	r := batch.NewRunning(p, jobs)
	if now := r.Progress(0); now.Rate != 0 || now.Left != nil || now.Quiet != nil || now.Jobs != 100 {
		t.Errorf("before the first result: %+v", now)
	}
	for i := range 20 { // of an earlier run
		r.Add(given(p, &jobs[i], 1, 0), -3600)
	}
	for i := 20; i < 40; i++ { // two a second
		r.Add(given(p, &jobs[i], 0, 0), float64(i-19)/2)
	}
	now := r.Progress(10)
	if now.Done != 40 || math.Abs(now.Rate-120) > 1e-9 || math.Abs(*now.Left-30) > 1e-6 || *now.Quiet != 0 {
		t.Errorf("%d done, %g a minute, %g s left, quiet for %g s; want 40, 120, 30, 0", now.Done, now.Rate, *now.Left, *now.Quiet)
	}
	if first, old := &now.Newest[0], &now.Newest[20]; first.ID != jobs[39].ID || first.Where != "" ||
		old.Goals != [2]int{1, 0} || old.Age != 3610 {
		t.Errorf("newest %+v, %+v", first, old)
	}
	r.Add(given(p, &jobs[39], 5, 0), 10) // the first result of a job counts
	trouble := p.Failed(&jobs[40], "panic: the sky fell")
	r.Add(&trouble, 10)
	foreign := trouble
	foreign.ID = "00"
	r.Add(&foreign, 10)
	if now := r.Progress(11); now.Done != 41 || now.Failed != 1 || now.Newest[0].Trouble != "panic: the sky fell" {
		t.Errorf("%+v", now)
	}
	// Half an hour without a result: the rate is that of a longer time.
	if now := r.Progress(1800); now.Rate <= 0 || now.Rate > 2 || *now.Quiet != 1790 {
		t.Errorf("rate %g, quiet for %g s", now.Rate, *now.Quiet)
	}
}

// More results than the rate looks at.
func TestProgressFast(t *testing.T) {
	m := batch.DefaultMatrix()
	m.Teams, m.Seeds = []string{"touchline", "still"}, 1000
	p, err := batch.NewPlan(m, batch.Program{Version: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := p.Jobs()
	r := batch.NewRunning(p, jobs)
	for i := range 1500 {
		r.Add(given(p, &jobs[i], 0, 0), float64(i+1)/100)
	}
	if now := r.Progress(15); math.Abs(now.Rate-6000) > 10 || math.Abs(*now.Left-5) > 0.1 || len(now.Newest) != 40 {
		t.Errorf("%g a minute, %g s left, %d newest; want 6000, 5, 40", now.Rate, *now.Left, len(now.Newest))
	}
}

// The trial asks whether the new team is better, in the order of the seeds, and keeps the verdict at the first bound.
func TestTrial(t *testing.T) {
	m := batch.DefaultMatrix()
	m.Teams, m.Against, m.Seeds = []string{"touchline"}, []string{"still"}, 60
	p, err := batch.NewPlan(m, batch.Program{Version: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := p.Jobs()
	r := batch.NewRunning(p, jobs)
	_, trial := batch.Standing(p, jobs, r.Results(), test100)
	if trial.Verdict != stat.GoOn || trial.Elo != nil || len(trial.Curve) != 1 {
		t.Errorf("without results: %+v", trial)
	}
	for i := range jobs { // touchline wins most pairs 1.5:0.5
		home, away := 1, 1
		if jobs[i].Flags.Home == "touchline" && i%8 != 0 {
			home = 2
		}
		r.Add(given(p, &jobs[i], home, away), float64(i))
	}
	results := r.Results()
	results[3] = nil // half of a pair counts for the report only
	trouble := p.Failed(&jobs[5], "it broke")
	results[5] = &trouble
	report, trial := batch.Standing(p, jobs, results, test100)
	if trial.A != "still" || trial.B != "touchline" || trial.Pairs.Count() != 58 || trial.Failed != 1 ||
		trial.Pairs[3] == 0 || trial.Pairs[1] != 0 {
		t.Errorf("%+v", trial)
	}
	if trial.Verdict != stat.Accept1 || trial.After == 0 || trial.After >= 58 || len(trial.Curve) != 59 ||
		trial.Curve[58][1] != trial.LLR {
		t.Errorf("verdict %s after %d pairs, %d points", trial.Verdict, trial.After, len(trial.Curve))
	}
	want, llr := test100.Judge(&trial.Pairs)
	if want != trial.Verdict || llr != trial.LLR || trial.Score <= 0.5 || *trial.Elo <= 0 {
		t.Errorf("verdict %s, ratio %g, score %g; Judge says %s, %g", trial.Verdict, trial.LLR, trial.Score, want, llr)
	}
	if report.Done != 119 || report.Failed != 1 {
		t.Errorf("the report has %d results, %d failed", report.Done, report.Failed)
	}
	m.Against = []string{"still", "touchline-nobooking"}
	if p, err = batch.NewPlan(m, batch.Program{}, nil); err != nil {
		t.Fatal(err)
	}
	jobs = p.Jobs()
	if _, trial := batch.Standing(p, jobs, make([]*batch.Result, len(jobs)), test100); trial != nil {
		t.Errorf("a trial of three teams: %+v", trial)
	}
}
