package fleet_test

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
	"touchline/wire/wiretest"
)

// slowly gives the results of jobs in another order than that of the jobs, and counts the jobs.
func slowly(begun *atomic.Int64) func(context.Context, *batch.Plan, *batch.Job) (batch.Result, bool) {
	return func(ctx context.Context, plan *batch.Plan, job *batch.Job) (batch.Result, bool) {
		begun.Add(1)
		random := rand.New(rand.NewPCG(job.Flags.Seed, uint64(len(job.Flags.Home))))
		if !queue.Pause(ctx, time.Duration(random.IntN(30))*time.Millisecond) {
			return batch.Result{}, false
		}
		return trivial(ctx, plan, job)
	}
}

// firstResults consumes the first results of a plan that workers play, and returns the ids of their jobs.
func firstResults(t *testing.T, q *queue.Queue, plan *batch.Plan, most int) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var arrived []string
	player := func(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job], put func(*batch.Job, *batch.Result) error) error {
		return q.Play(ctx, plan, jobs, queue.Events{Result: func(job *batch.Job, r *batch.Result) error {
			arrived = append(arrived, job.ID)
			return put(job, r)
		}})
	}
	err := batchnet.Player(player).Ordered(ctx, plan, plan.Seeds(plan.Matrix.Seeds), nil, func(job *batch.Job, r *batch.Result) bool {
		if r.Digest != "of "+job.ID {
			t.Errorf("the result of %s comes with job %s", r.Digest, job.ID)
		}
		ids = append(ids, job.ID)
		return len(ids) < most
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(arrived) >= most && slices.Equal(ids, arrived[:len(ids)]) && most > 10 {
		t.Error("the results came in the order of the jobs: the test shows nothing")
	}
	return ids
}

// Results of workers that finish out of order are handed over in the order of the jobs. When enough are there, the jobs that
// wait are withdrawn, those of another batch stay, and few matches were played in vain. The same again finds what is stored,
// and goes on.
func TestOrderedThroughQueue(t *testing.T) {
	const enough, workers = 61, 3
	node, plan := start(t, fleet.Config{}), newPlan(t, 2000)
	q, jobs := connect(t, queue.Address{URL: node.URL()}), plan.Jobs()
	var begun atomic.Int64
	for range workers {
		serve(t, connect(t, queue.Address{URL: node.URL()}), plan.Program, slowly(&begun)) // on two cores each
	}
	other := newPlan(t, 100)
	otherDone := make(chan error, 1)
	go func() {
		otherDone <- connect(t, queue.Address{URL: node.URL()}).Play(t.Context(), other, batch.Each(other.Jobs()), queue.Events{
			All: true, Result: func(*batch.Job, *batch.Result) error { return nil },
		})
	}()
	check := func(ids []string, want int) {
		t.Helper()
		if len(ids) != want {
			t.Fatalf("%d results count, want %d", len(ids), want)
		}
		for i, id := range ids {
			if id != jobs[i].ID {
				t.Fatalf("result %d is that of %s, want %s", i, id, jobs[i].ID)
			}
		}
	}
	check(firstResults(t, q, plan, enough), enough)
	if err := <-otherDone; err != nil {
		t.Error(err)
	}
	wiretest.Eventually(t, "no job waits, and no worker plays", func() bool {
		stored, err := q.Batches(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(stored, func(s queue.Stored) bool { return s.Waiting > 0 }) &&
			int(begun.Load()) == stored[0].Results+stored[1].Results
	})
	inVain := int(begun.Load()) - 100 - enough
	t.Logf("%d matches were played in vain", inVain)
	if inVain < 0 || inVain > 4*2*workers {
		t.Errorf("%d matches were played in vain", inVain)
	}
	before := begun.Load()
	check(firstResults(t, q, plan, enough), enough)
	if now := begun.Load(); now > before+2*2*workers {
		t.Errorf("the same again plays %d matches, though all results are stored", now-before)
	}
	check(firstResults(t, q, plan, 3*enough), 3*enough)
	begin := time.Now()
	check(firstResults(t, q, plan, len(jobs)/4), len(jobs)/4)
	t.Logf("%v for %d matches, of which %d were stored", time.Since(begin), len(jobs)/4, 3*enough)
}

// A driver whose results nobody accepts ends with the cause, and withdraws its jobs.
func TestNotAccepted(t *testing.T) {
	node, plan := start(t, fleet.Config{}), newPlan(t, 200)
	q := connect(t, queue.Address{URL: node.URL()})
	serve(t, connect(t, queue.Address{URL: node.URL()}), plan.Program, trivial)
	full := errors.New("the disk is full")
	err := q.Play(t.Context(), plan, plan.Seeds(100), queue.Events{Result: func(*batch.Job, *batch.Result) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("it ends with %v", err)
	}
	stored, err := q.Batches(t.Context())
	if err != nil || len(stored) != 1 || stored[0].Waiting != 0 {
		t.Errorf("%+v, %v", stored, err)
	}
}

// A driver that waits for servers that are gone says so, and ends at once when it is told.
func TestServersGone(t *testing.T) {
	node, plan := start(t, fleet.Config{}), newPlan(t, 200)
	q := connect(t, queue.Address{URL: node.URL()})
	var begun atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	notes := make(chan string, 100)
	ended := make(chan error, 1)
	got := make(chan struct{}, 200)
	serving, stopServing := context.WithCancel(t.Context())
	defer stopServing()
	w := connect(t, queue.Address{URL: node.URL()})
	go func() {
		_, _ = w.Serve(serving, queue.Work{Program: plan.Program, Name: "w", Cores: 2, Play: slowly(&begun), Note: func(string) {},
			Done: func(queue.Worker, *batch.Result) {}})
	}()
	go func() {
		ended <- q.Play(ctx, plan, plan.Seeds(100), queue.Events{
			Patience: 2 * time.Second, Note: func(text string) { notes <- text },
			Result: func(*batch.Job, *batch.Result) error {
				got <- struct{}{}
				return nil
			},
		})
	}()
	for range 20 {
		<-got
	}
	node.Stop()
	for !strings.Contains(<-notes, "do not answer") { // also: no result came
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
