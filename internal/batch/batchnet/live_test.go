package batchnet_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/stat"
	"touchline/wire/wiretest"
)

// A folder that others fill is followed: results that were there, the oldest first, those that come, and a damaged file
// until it is replaced. The tables are those of the report.
func TestWatch(t *testing.T) {
	plan := newPlan(t, 3, "touchline", "still")
	jobs := plan.Jobs()
	folder, err := batchnet.OpenFolder(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int) {
		t.Helper()
		r := plan.Failed(&jobs[i], "")
		r.Home.Goals = i
		if err := folder.Put(&r); err != nil {
			t.Fatal(err)
		}
	}
	path := func(i int) string { return filepath.Join(folder.Path, jobs[i].ID[:2], jobs[i].ID+".json") }
	put(0)
	put(1)
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path(1), hour, hour); err != nil {
		t.Fatal(err)
	}
	put(2)
	if err := os.WriteFile(path(2), []byte("torn"), 0o644); err != nil {
		t.Fatal(err)
	}
	live := batchnet.NewLive(plan, jobs, stat.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- live.Watch(ctx, folder) }()
	var p *batch.Progress
	wiretest.Eventually(t, "two results and a damaged one", func() bool {
		p = live.Progress()
		return p.Done == 2 && len(p.Damaged) == 1
	})
	if p.Newest[0].ID != jobs[0].ID || p.Newest[1].Age < 3599 || !strings.Contains(p.Damaged[0], path(2)) {
		t.Errorf("%+v, %v", p.Newest, p.Damaged)
	}
	for i := 2; i < len(jobs); i++ {
		put(i)
	}
	live.Put(new(plan.Failed(&jobs[5], ""))) // also played by this program
	wiretest.Eventually(t, "all results", func() bool {
		p = live.Progress()
		return p.Done == len(jobs) && len(p.Damaged) == 0
	})
	if p.Report.Done != len(jobs) || p.Trial == nil || p.Trial.Pairs.Count() != 3 || len(p.Workers) != 0 || p.CanOpen {
		t.Errorf("%+v, %+v", p.Report, p.Trial)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	var none *batchnet.Live
	none.Put(new(plan.Failed(&jobs[0], "")))
}

// BenchmarkStanding makes the tables of 10,000 results, and the trial if two teams play.
func BenchmarkStanding(b *testing.B) {
	for name, teams := range map[string][]string{
		"trial": {"touchline", "still"}, "ratings": {"touchline", "touchline-nobooking", "touchline-nearest", "still"},
	} {
		b.Run(name, func(b *testing.B) {
			plan := newPlan(b, 10_000/len(teams)/(len(teams)-1), teams...)
			jobs := plan.Jobs()
			results := make([]*batch.Result, len(jobs))
			for i := range jobs {
				r := plan.Failed(&jobs[i], "")
				r.Home.Goals = i % 3
				results[i] = &r
			}
			for b.Loop() {
				batch.Standing(plan, jobs, results, stat.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05})
			}
		})
	}
}
