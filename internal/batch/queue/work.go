package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"touchline/internal/batch"
	"touchline/wire"
)

const (
	ackWait       = 10 * time.Second // after which the servers hand a job to another worker
	progressEvery = 3 * time.Second  // a worker tells that it still plays
	reportEvery   = 2 * time.Second
	pullTime      = 5 * time.Second // one request for a job
	maxTries      = 10              // deliveries of a job, after which it counts as failed
	maxKept       = 8               // plans that a worker keeps
)

// Work is what a worker needs.
type Work struct {
	Program batch.Program
	Name    string // of the worker, for reports
	Cores   int
	// Play plays a job, from any goroutine; false: ctx ended first.
	Play func(context.Context, *batch.Plan, *batch.Job) (batch.Result, bool)
	Note func(text string)               // something that the user should know
	Done func(w Worker, r *batch.Result) // after each match whose result is stored
}

// Serve plays jobs until ctx ends, and returns what was played. Jobs that run then are given back.
func (q *Queue) Serve(ctx context.Context, w Work) (Worker, error) {
	state := Worker{Worker: batch.Worker{Name: w.Name, Cores: w.Cores}, Program: w.Program.String()}
	s := &worker{q: q, work: w, state: state, plans: map[string]*batch.Plan{}}
	group, ctx := errgroup.WithContext(ctx)
	for range w.Cores {
		group.Go(func() error { return s.serve(ctx) })
	}
	group.Go(func() error {
		for {
			text, err := json.Marshal(s.look())
			if err != nil {
				panic(err) // texts and numbers
			}
			_ = q.conn.Publish(workersSubject, text) // nobody depends on it
			if !Pause(ctx, reportEvery) {
				return ctx.Err()
			}
		}
	})
	err := group.Wait()
	return s.look(), err
}

// worker is one call of Serve.
type worker struct {
	q    *Queue
	work Work

	lock  sync.Mutex
	state Worker
	plans map[string]*batch.Plan // by key
	kept  []string               // their keys, the oldest first

	rested int // matches that were played before the last rest
}

func (w *worker) look() Worker {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.state
}

// serve plays one job after the other. It asks for one at a time: a job that waits behind a running match would wait for
// nothing.
func (w *worker) serve(ctx context.Context) error {
	var jobs jetstream.Consumer
	for {
		err := w.q.closed(ctx)
		if err != nil {
			return err
		}
		if jobs == nil {
			jobs, err = w.q.js.CreateOrUpdateConsumer(ctx, jobsStream, consumerConfig(programKey(w.work.Program)))
		}
		if err == nil {
			err = w.playOne(ctx, jobs)
		}
		if err != nil && ctx.Err() == nil { // its server is gone, or the stream is not there yet
			jobs = nil
			Pause(ctx, retryTime)
		}
	}
}

// playOne waits some seconds for a job and plays it.
func (w *worker) playOne(ctx context.Context, jobs jetstream.Consumer) error {
	asked, cancel := context.WithTimeout(ctx, pullTime)
	some, err := jobs.Fetch(1, jetstream.FetchContext(asked), jetstream.FetchHeartbeat(time.Second))
	if err != nil {
		cancel()
		return err
	}
	n := 0
	for m := range some.Messages() {
		cancel() // the request is answered
		n++
		w.handle(ctx, m)
	}
	cancel()
	if n == 0 {
		w.rest()
	}
	if err = some.Error(); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = nil // no job came
	}
	return err
}

// rest gives the memory of the last matches back to the system once nothing is played: a worker may wait for days.
func (w *worker) rest() {
	w.lock.Lock()
	rests := w.state.Running == 0 && w.state.Done > w.rested
	if rests {
		w.rested = w.state.Done
	}
	w.lock.Unlock()
	if rests {
		debug.FreeOSMemory()
	}
}

// handle plays the job of a message.
func (w *worker) handle(ctx context.Context, m jetstream.Msg) {
	plan, job, subject, err := w.read(ctx, m)
	switch {
	case err != nil && ctx.Err() == nil:
		w.work.Note(fmt.Sprintf("a job is set aside: %v", err))
		_ = m.TermWithReason(err.Error())
		return
	case plan == nil: // the servers do not answer, or ctx ended
		_ = m.NakWithDelay(time.Second)
		return
	}
	if there, err := w.q.last(ctx, resultsStream, subject); err != nil {
		_ = m.NakWithDelay(time.Second)
		return
	} else if there != nil {
		w.finish(ctx, m)
		return
	}
	r, played := w.play(ctx, plan, job, m)
	if !played || !w.store(ctx, subject, &r) {
		_ = m.Nak()
		_ = w.q.conn.FlushTimeout(time.Second)
		return
	}
	w.finish(ctx, m)
	w.change(func(s *Worker) {
		if s.Done++; r.Trouble != "" {
			s.Failed++
		}
	})
	w.work.Done(w.look(), &r)
}

// read returns the job of a message, its plan, and the subject of its result. The error says why nobody can play it; a nil
// plan without an error: not now.
func (w *worker) read(ctx context.Context, m jetstream.Msg) (plan *batch.Plan, job *batch.Job, subject string, err error) {
	names := strings.Split(strings.TrimPrefix(m.Subject(), jobsSubject), ".")
	if len(names) != 3 {
		return nil, nil, "", fmt.Errorf("its subject is %.200q", m.Subject())
	}
	if job, err = decodeJob(m.Data()); err != nil {
		return nil, nil, "", err
	}
	w.lock.Lock()
	plan = w.plans[names[1]]
	w.lock.Unlock()
	if plan == nil {
		if plan, err = w.q.Plan(ctx, names[1]); plan == nil {
			if !errors.Is(err, errPlan) {
				err = nil // the servers do not answer, or the plan is removed
			}
			return nil, nil, "", err
		}
		w.keep(names[1], plan)
	}
	if len(plan.Programs) > 0 {
		return nil, nil, "", fmt.Errorf("the plan %s has teams that are programs: a worker does not run other people's commands", names[1])
	}
	if job.ID != names[2] || !plan.Holds(job) || plan.Program != w.work.Program {
		return nil, nil, "", fmt.Errorf("job %.40q does not belong to the plan %s", names[2], names[1])
	}
	return plan, job, resultsSubject + names[1] + "." + names[2], nil
}

// decodeJob reads the message of a job.
func decodeJob(b []byte) (*batch.Job, error) {
	job := new(batch.Job)
	return job, wire.DecodeJSONUpTo(batch.MaxResult, b, "the job", job)
}

// keep keeps a plan for later jobs.
func (w *worker) keep(key string, plan *batch.Plan) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.plans[key] != nil {
		return
	}
	w.plans[key], w.kept = plan, append(w.kept, key)
	if len(w.kept) > maxKept {
		delete(w.plans, w.kept[0])
		w.kept = w.kept[1:]
	}
}

// play plays a job, and tells the servers meanwhile that it does. A job at which many workers died is a failed match.
func (w *worker) play(ctx context.Context, plan *batch.Plan, job *batch.Job, m jetstream.Msg) (batch.Result, bool) {
	if info, err := m.Metadata(); err == nil && info.NumDelivered > maxTries {
		return plan.Failed(job, fmt.Sprintf("no worker ended this match: it was handed out %d times", info.NumDelivered-1)), true
	}
	w.change(func(s *Worker) { s.Running++ })
	defer w.change(func(s *Worker) { s.Running-- })
	over, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for Pause(over, progressEvery) {
			_ = m.InProgress()
		}
	}()
	return w.work.Play(ctx, plan, job)
}

func (w *worker) change(f func(*Worker)) {
	w.lock.Lock()
	defer w.lock.Unlock()
	f(&w.state)
}

// store stores a result unless one is there, for as long as the servers need to come back. It reports false when ctx ends
// first; an answer that is due then is waited for, so that the match counts.
func (w *worker) store(ctx context.Context, subject string, r *batch.Result) bool {
	told := false
	for {
		asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		_, err := w.q.js.Publish(asked, subject, r.Text(), jetstream.WithExpectLastSequencePerSubject(0),
			jetstream.WithRetryAttempts(0))
		if err != nil && conflict(err) { // look: the other message may not have been stored in the end
			var there *jetstream.RawStreamMsg
			if there, err = w.q.last(asked, resultsStream, subject); err == nil && there == nil {
				err = errors.New("the result is not stored yet")
			}
		}
		cancel()
		if err == nil {
			return true
		}
		if full(err) && !told {
			told = true
			w.work.Note(fmt.Sprintf("the servers have no room for results: %v; touchline-fleet gc removes old batches", err))
		}
		if !Pause(ctx, retryTime) {
			return false
		}
	}
}

// conflict reports whether an error says that another message has the subject.
func conflict(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// finish removes a job whose result is stored. If that fails, its next worker finds the result.
func (w *worker) finish(ctx context.Context, m jetstream.Msg) {
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	_ = m.DoubleAck(asked)
}
