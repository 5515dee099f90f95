package queue

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"touchline/internal/batch"
)

const (
	sendAtATime   = 500              // jobs whose storage is awaited at a time
	fetchAtATime  = 500              // results
	standsStill   = 30 * time.Second // without a result
	workerForgets = 10 * time.Second // without a report, after which a worker is gone
	maxWorkers    = 4096             // that are kept in mind
	maxOthers     = 20               // workers of other programs that are told
	idLength      = 32               // of a job
)

// How far jobs are handed out behind the first one without a result. A core plays about 16 matches of 2 x 60 s in the 10 s
// after which the match of a dead worker is handed out again: until then the others find enough.
const (
	aheadOfCore = 16     // jobs for each core of the workers
	leastAhead  = 32     // before workers reported
	mostAhead   = 16_384 // on any number of cores
	maxCores    = 1024   // of a worker that count
)

// Worker is what a worker reports of itself every two seconds.
type Worker struct {
	batch.Worker
	Failed  int    `json:"failed"` // of those done, matches that did not end
	Program string `json:"program"`
}

// Events are what Play tells, from one goroutine at a time, and how it hands out jobs.
type Events struct {
	Result  func(*batch.Job, *batch.Result) error // the first result of each job; an error ends Play
	Workers func([]Worker)                        // those of this program that reported in the last 10 s, once a second
	Note    func(text string)                     // something that the user should know

	All      bool          // hand out all jobs at once, and leave them to the workers when ctx ends
	Patience time.Duration // without a result, after which a batch stands still; 0: 30 s
}

// storePlan stores a plan for the workers. The error says that it is too large for the servers.
func (q *Queue) storePlan(ctx context.Context, p *batch.Plan, e *Events) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(p.Text()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if most := q.conn.MaxPayload(); int64(b.Len()) > most {
		return fmt.Errorf("the plan takes %d bytes, and the server accepts at most %d: raise its max_payload, or plan fewer teams",
			b.Len(), most)
	}
	for asked := time.Now(); ; {
		_, err := q.js.Publish(ctx, plansSubject+BatchKey(p), b.Bytes())
		if err == nil {
			return nil
		}
		if full(err) {
			return fmt.Errorf("the servers have no room for the plan: %w; touchline-fleet gc removes old batches", err)
		}
		if !Pause(ctx, retryTime) {
			return fmt.Errorf("the servers did not store the plan: %w", errors.Join(context.Cause(ctx), err))
		}
		if time.Since(asked) >= e.Patience {
			asked = time.Now()
			e.note("the servers do not store the plan for %v: %v", e.Patience, err)
		}
	}
}

// errPlan is the error of a plan that cannot be read, and never will.
var errPlan = errors.New("the stored plan is damaged")

// Plan returns the plan of a batch that the servers keep; nil without one.
func (q *Queue) Plan(ctx context.Context, key string) (*batch.Plan, error) {
	m, err := q.last(ctx, plansStream, plansSubject+key)
	if m == nil || err != nil {
		return nil, err
	}
	p, err := unpackPlan(m.Data)
	if err == nil && BatchKey(p) != key {
		err = errors.New("its contents do not match its name")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errPlan, key, err)
	}
	return p, nil
}

// unpackPlan reads the message of a plan.
func unpackPlan(b []byte) (*batch.Plan, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, batch.MaxPlan+1))
	if err != nil {
		return nil, err
	}
	return batch.ParsePlan(text)
}

// last returns the last message of a subject; nil without one.
func (q *Queue) last(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	s, err := q.js.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// Play lets the workers play jobs of a plan, and returns when each has a result, ctx ends, or a result is not accepted. Results
// that are stored already count: after a kill of this program, the same call goes on. When nothing comes for 30 s, it says
// so and sends again what has no result.
//
// It hands out jobs up to a bound behind the first one without a result, and at the end withdraws those that wait; with
// e.All it hands out all of them, and leaves them there.
func (q *Queue) Play(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job], e Events) error {
	c, stop := q.newCollection(plan, jobs, e)
	defer stop()
	if err := q.storePlan(ctx, plan, &c.events); err != nil {
		return err
	}
	if !e.All {
		defer c.withdraw(context.WithoutCancel(ctx))
	}
	heard, err := q.conn.Subscribe(workersSubject, func(m *nats.Msg) { c.report(m.Data, time.Now()) })
	if err != nil {
		return err
	}
	defer func() { _ = heard.Unsubscribe() }()
	if err := c.fetch(ctx, false); err != nil { // of an earlier run
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	sending, stopSending := context.WithCancel(inner)
	group.Go(func() error {
		if err := c.sendDrawn(sending); sending.Err() == nil {
			return err
		}
		return nil // all results came meanwhile
	})
	group.Go(func() error {
		defer stopSending()
		return c.fetch(inner, true)
	})
	return group.Wait()
}

// Pull hands over the results of jobs that are stored at this moment.
func (q *Queue) Pull(ctx context.Context, plan *batch.Plan, jobs []batch.Job, e Events) error {
	e.All = true
	c, stop := q.newCollection(plan, batch.Each(jobs), e)
	defer stop()
	return c.fetch(ctx, false)
}

// collection is one call of Play. The goroutine that fetches results draws jobs and calls the events; another one sends.
type collection struct {
	q      *Queue
	plan   *batch.Plan
	key    string
	events Events
	next   func() (*batch.Job, bool)
	seen   uint64 // sequence of the last result
	heard  time.Time

	unsent chan struct{} // holds a value when waiting has jobs

	lock    sync.Mutex
	drawn   bool                  // there are no more jobs
	given   []*batch.Job          // those that were drawn, from the first one without a result
	waiting []*batch.Job          // to be sent
	missing map[string]*batch.Job // those of given without a result, by id
	stored  map[string]bool       // results of jobs that are not drawn yet, by id
	workers []heardWorker         // of this program
	others  []Worker              // of other programs, in the order in which they came
	told    int                   // how many of others the user knows
}

// heardWorker is a worker, and when it reported last.
type heardWorker struct {
	Worker
	at time.Time
}

func (q *Queue) newCollection(plan *batch.Plan, jobs iter.Seq[*batch.Job], e Events) (c *collection, stop func()) {
	if e.Patience == 0 {
		e.Patience = standsStill
	}
	c = &collection{
		q: q, plan: plan, key: BatchKey(plan), events: e, unsent: make(chan struct{}, 1),
		missing: map[string]*batch.Job{}, stored: map[string]bool{},
	}
	c.next, stop = iter.Pull(jobs)
	return c, stop
}

// withoutResult returns those of some jobs that have no result. The lock is held.
func (c *collection) withoutResult(jobs []*batch.Job) (left []*batch.Job) {
	for _, job := range jobs {
		if c.missing[job.ID] != nil {
			left = append(left, job)
		}
	}
	return left
}

// draw draws jobs until enough are handed out. The results of those that an earlier run handed out count at once.
func (c *collection) draw(ctx context.Context) error {
	for ctx.Err() == nil && c.room() {
		job, more := c.next()
		c.lock.Lock()
		if !more {
			c.drawn = true
			c.lock.Unlock()
			break
		}
		c.given, c.missing[job.ID] = append(c.given, job), job
		there := c.stored[job.ID]
		delete(c.stored, job.ID)
		c.lock.Unlock()
		if there {
			if err := c.lookUp(ctx, job); err != nil {
				return err
			}
		}
		c.lock.Lock()
		if c.missing[job.ID] != nil {
			c.waiting = append(c.waiting, job)
		}
		c.lock.Unlock()
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.waiting) > 0 {
		select {
		case c.unsent <- struct{}{}:
		default: // it is already told
		}
	}
	return nil
}

// room reports whether another job may be drawn.
func (c *collection) room() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	for len(c.given) > 0 && c.missing[c.given[0].ID] == nil {
		c.given = c.given[1:]
	}
	if c.drawn || c.events.All {
		return !c.drawn
	}
	cores := 0
	for i := range c.workers {
		cores += max(min(c.workers[i].Cores, maxCores), 0)
	}
	return len(c.given) < min(max(aheadOfCore*cores, leastAhead), mostAhead)
}

// lookUp hands over the result of a job, which was stored before the job was drawn.
func (c *collection) lookUp(ctx context.Context, job *batch.Job) error {
	for {
		asked, cancel := context.WithTimeout(ctx, answerTime)
		m, err := c.q.last(asked, resultsStream, resultsSubject+c.key+"."+job.ID)
		cancel()
		switch {
		case err == nil && m == nil: // it was removed
			return nil
		case err == nil:
			return c.accept(ctx, job.ID, m.Data, m.Sequence)
		}
		if err := c.q.closed(ctx); err != nil {
			return err
		}
		if time.Since(c.heard) >= c.events.Patience {
			c.heard = time.Now()
			c.events.note("the servers do not answer for %v: %v", c.events.Patience, err)
		}
		Pause(ctx, retryTime)
	}
}

// sendDrawn stores jobs as they are drawn, until ctx ends.
func (c *collection) sendDrawn(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.unsent:
		}
		c.lock.Lock()
		jobs := c.withoutResult(c.waiting)
		c.waiting = nil
		c.lock.Unlock()
		if err := c.send(ctx, jobs); err != nil {
			return err
		}
	}
}

// withdraw removes the jobs of the batch that wait or are with a worker, also those that an earlier run handed out. The
// worker's result is stored all the same.
func (c *collection) withdraw(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	s, err := c.q.js.Stream(ctx, jobsStream)
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSubject(jobsSubject+programKey(c.plan.Program)+"."+c.key+".*"))
	}
	if err != nil {
		c.events.note("matches that nobody needs may stay in the queue: %v; touchline-fleet gc %s removes the batch", err, c.key)
	}
}

// send stores jobs until each is stored. A job that is stored already is refused by its subject, which holds one message.
func (c *collection) send(ctx context.Context, jobs []*batch.Job) error {
	head := jobsSubject + programKey(c.plan.Program) + "." + c.key + "."
	for len(jobs) > 0 {
		some := jobs[:min(len(jobs), sendAtATime)]
		jobs = jobs[len(some):]
		for len(some) > 0 {
			failed, err := c.sendSome(head, some)
			if full(err) {
				return fmt.Errorf("the servers have no room for more jobs: %w; touchline-fleet gc removes old batches", err)
			}
			if some = failed; len(some) > 0 && !Pause(ctx, retryTime) {
				return errors.Join(ctx.Err(), err)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// sendSome stores some jobs, and returns those that may not be stored, with the last cause.
func (c *collection) sendSome(head string, jobs []*batch.Job) (failed []*batch.Job, cause error) {
	acks := make([]jetstream.PubAckFuture, len(jobs))
	for i, job := range jobs {
		text, err := json.Marshal(job)
		if err != nil {
			panic(err) // texts and finite numbers
		}
		if acks[i], err = c.q.js.PublishAsync(head+job.ID, text); err != nil {
			cause = err
		}
	}
	for i, ack := range acks {
		var err error
		if ack == nil {
			failed = append(failed, jobs[i])
			continue
		}
		select { // each ends within answerTime
		case <-ack.Ok():
			continue
		case err = <-ack.Err():
		}
		if !strings.Contains(err.Error(), "maximum messages per subject exceeded") {
			failed, cause = append(failed, jobs[i]), err
		}
	}
	return failed, cause
}

// full reports whether an error says that a stream holds no more bytes.
func full(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "maximum bytes exceeded") ||
		strings.Contains(err.Error(), "insufficient storage") || strings.Contains(err.Error(), "resource limits exceeded"))
}

// fetch hands over results as they are stored; to the end of the batch, or those that are stored at this moment.
func (c *collection) fetch(ctx context.Context, toEnd bool) error {
	var results jetstream.Consumer
	var err error
	c.heard = time.Now()
	for {
		if err := c.draw(ctx); err != nil {
			return err
		}
		if c.over() {
			return nil
		}
		if err := c.q.closed(ctx); err != nil {
			return err
		}
		c.tellWorkers(time.Now())
		if time.Since(c.heard) >= c.events.Patience {
			if err := c.unblock(ctx); err != nil {
				return err
			}
			results = nil
		}
		if results == nil {
			if results, err = c.consumer(ctx); err != nil {
				results = nil
				Pause(ctx, retryTime)
				continue
			}
		}
		n, err := c.take(ctx, results, toEnd)
		switch {
		case errors.Is(err, errNotAccepted):
			return err
		case err != nil: // its server is gone: another consumer goes on after the last result
			results = nil
			Pause(ctx, retryTime)
		case n == 0 && !toEnd:
			return nil
		}
	}
}

// over reports whether all jobs have a result.
func (c *collection) over() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.drawn && len(c.missing) == 0
}

// consumer returns a consumer of the results after the last one. It is the servers' memory alone, and they forget it.
func (c *collection) consumer(ctx context.Context) (jetstream.Consumer, error) {
	return c.q.js.CreateConsumer(ctx, resultsStream, jetstream.ConsumerConfig{
		FilterSubject: resultsSubject + c.key + ".*", AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: c.seen + 1, InactiveThreshold: time.Minute,
	})
}

// errNotAccepted marks an error of the caller.
var errNotAccepted = errors.New("a result is not accepted")

// take hands over the results that come within a second, or those that are there, and returns how many messages came.
func (c *collection) take(ctx context.Context, results jetstream.Consumer, wait bool) (n int, err error) {
	var some jetstream.MessageBatch
	if wait {
		some, err = results.Fetch(fetchAtATime, jetstream.FetchMaxWait(time.Second))
	} else {
		some, err = results.FetchNoWait(fetchAtATime)
	}
	if err != nil {
		return 0, err
	}
	for m := range some.Messages() {
		n++
		if info, err := m.Metadata(); err == nil {
			c.seen = info.Sequence.Stream
		}
		id := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if err := c.accept(ctx, id, m.Data(), c.seen); err != nil {
			return n, fmt.Errorf("%w: %w", errNotAccepted, err)
		}
		if err := c.draw(ctx); err != nil {
			return n, fmt.Errorf("%w: %w", errNotAccepted, err)
		}
		if ctx.Err() != nil || c.over() {
			return n, nil
		}
	}
	return n, some.Error()
}

// accept hands over a result. One that is damaged, or of another job than its subject names, is removed from the stream:
// its job is sent again when the batch stands still.
func (c *collection) accept(ctx context.Context, id string, text []byte, sequence uint64) error {
	c.lock.Lock()
	job := c.missing[id]
	if job == nil && !c.drawn && len(id) == idLength && len(c.stored) < batch.MaxJobs {
		c.stored[id] = true
	}
	c.lock.Unlock()
	if job == nil {
		return nil
	}
	r, err := batch.ParseResult(text)
	if err == nil && !c.plan.Answers(job, r) {
		err = errors.New("it is the result of another job")
	}
	if err != nil {
		c.events.note("a stored result is thrown away, and its match %.8s will be played again: %v", id, err)
		if s, err := c.q.js.Stream(ctx, resultsStream); err == nil {
			_ = s.DeleteMsg(ctx, sequence) // what stays is found again
		}
		return nil
	}
	if err := c.events.Result(job, r); err != nil {
		return err
	}
	c.heard = time.Now()
	c.lock.Lock()
	delete(c.missing, id)
	c.lock.Unlock()
	return nil
}

func (e *Events) note(format string, args ...any) {
	if e.Note != nil {
		e.Note(fmt.Sprintf(format, args...))
	}
}

// unblock says why a batch may stand still, sends what has no result again, and reads all results from the first.
func (c *collection) unblock(ctx context.Context) error {
	c.lock.Lock()
	workers, jobs := len(c.workers), c.withoutResult(c.given)
	c.lock.Unlock()
	asked, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	why := ""
	info, err := c.q.js.Consumer(asked, jobsStream, "workers-"+programKey(c.plan.Program))
	switch {
	case err == nil:
		i := info.CachedInfo()
		why = fmt.Sprintf("%d wait, %d are with a worker", i.NumPending, i.NumAckPending)
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		why = fmt.Sprintf("no worker of touchline %s was ever there: start touchline worker --nats with the same program", c.plan.Program)
	default:
		why = fmt.Sprintf("the servers do not answer: %v", err)
	}
	c.events.note("no result came for %v: %d matches have none; %s; %d workers reported in the last 10 s", c.events.Patience,
		len(jobs), why, workers)
	c.heard, c.seen = time.Now(), 0
	resend, cancel := context.WithTimeout(ctx, c.events.Patience)
	defer cancel()
	if err := c.send(resend, jobs); err != nil && full(err) {
		return err
	}
	return nil
}

// report takes the report of a worker.
func (c *collection) report(b []byte, now time.Time) {
	var w Worker
	if len(b) > 4096 || json.Unmarshal(b, &w) != nil || w.Name == "" {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if w.Program != c.plan.Program.String() {
		known := slices.ContainsFunc(c.others, func(o Worker) bool { return o.Name == w.Name && o.Program == w.Program })
		if !known && len(c.others) < maxOthers {
			c.others = append(c.others, w)
		}
		return
	}
	i := slices.IndexFunc(c.workers, func(o heardWorker) bool { return o.Name == w.Name })
	switch {
	case i >= 0:
		c.workers[i] = heardWorker{w, now}
	case len(c.workers) < maxWorkers:
		c.workers = append(c.workers, heardWorker{w, now})
	}
}

// tellWorkers tells which workers are there, without those that do not report any more, and names those of other programs.
func (c *collection) tellWorkers(now time.Time) {
	c.lock.Lock()
	c.workers = slices.DeleteFunc(c.workers, func(w heardWorker) bool { return now.Sub(w.at) >= workerForgets })
	told := make([]Worker, len(c.workers))
	for i, w := range c.workers {
		told[i] = w.Worker
		told[i].Seen = now.Sub(w.at).Seconds()
	}
	others := c.others[c.told:]
	c.told = len(c.others)
	c.lock.Unlock()
	for _, w := range others {
		c.events.note("worker %.60q has touchline %.100q, which may play other matches, and gets none of these: "+
			"start it there with touchline %q", w.Name, w.Program, c.plan.Program.String())
	}
	if c.events.Workers != nil {
		c.events.Workers(told)
	}
}
