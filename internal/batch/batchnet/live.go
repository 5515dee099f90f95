package batchnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"touchline/internal/batch"
	"touchline/internal/stat"
)

// Live follows a batch while it runs, for its page. Results come by Put, from a folder by Watch, or both: the first one
// of a job counts. Its methods may be called from any goroutine.
type Live struct {
	plan  *batch.Plan
	jobs  []batch.Job
	test  stat.SPRT
	began time.Time

	// The following are set before the first call of Progress; nil: there are none.
	Workers func() []batch.Worker // machines that play
	Again   func() []batch.Again  // matches that are played again for the page
	AtMost  bool                  // a verdict may end the batch earlier

	mu      sync.Mutex
	running *batch.Running
	damaged map[string]string // what is wrong with a file, by its path

	standing sync.Mutex // guards the following
	report   *batch.Report
	trial    *batch.Trial
	of       int       // results of which they were made
	due      time.Time // when they may be made again
}

// NewLive returns a batch without results. jobs are those of the plan in its order, or a beginning of them; test judges
// two teams.
func NewLive(plan *batch.Plan, jobs []batch.Job, test stat.SPRT) *Live {
	return &Live{
		plan: plan, jobs: jobs, test: test, began: time.Now(), running: batch.NewRunning(plan, jobs),
		damaged: map[string]string{}, of: -1,
	}
}

// Job returns the job with an id.
func (l *Live) Job(id string) (batch.Job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running.Job(id)
}

// Put adds a result that came now. A nil Live has no page, and forgets it.
func (l *Live) Put(r *batch.Result) {
	if l != nil {
		l.put(r, time.Now())
	}
}

func (l *Live) put(r *batch.Result, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running.Add(r, min(at.Sub(l.began), time.Since(l.began)).Seconds())
}

// Tables cost at most a share of a core while a page looks: they are made again after this time, or a multiple of what
// they took, whichever is longer.
const (
	tablesPeriod = 2 * time.Second
	tablesRest   = 20
)

// mostDamaged is how many damaged results a Progress names.
const mostDamaged = 20

// Progress returns how far the batch is.
func (l *Live) Progress() *batch.Progress {
	l.mu.Lock()
	p := l.running.Progress(time.Since(l.began).Seconds())
	for _, text := range l.damaged {
		p.Damaged = append(p.Damaged, text)
	}
	l.mu.Unlock()
	slices.Sort(p.Damaged)
	p.Damaged = p.Damaged[:min(len(p.Damaged), mostDamaged)]
	p.AtMost, p.CanOpen = l.AtMost, l.Again != nil
	if l.Workers != nil {
		p.Workers = l.Workers()
	}
	if l.Again != nil {
		p.Again = l.Again()
	}
	p.Report, p.Trial = l.tables()
	return &p
}

// tables returns the report and the trial. It makes them again if results came since, and enough time has passed.
func (l *Live) tables() (*batch.Report, *batch.Trial) {
	l.standing.Lock()
	defer l.standing.Unlock()
	begin := time.Now()
	l.mu.Lock()
	var results []*batch.Result
	if done := l.running.Done(); done != l.of && (!begin.Before(l.due) || done == len(l.jobs)) {
		l.of, results = done, l.running.Results()
	}
	l.mu.Unlock()
	if results != nil {
		l.report, l.trial = batch.Standing(l.plan, l.jobs, results, l.test)
		l.due = begin.Add(max(tablesPeriod, tablesRest*time.Since(begin)))
	}
	return l.report, l.trial
}

// watchPeriod is how often Watch looks for results.
const watchPeriod = 2 * time.Second

// Watch adds the results of a folder that other programs fill, until ctx ends. It reads each file once.
func (l *Live) Watch(ctx context.Context, folder *Folder) error {
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	seen := map[string]looked{}
	for {
		if err := l.look(ctx, folder, seen); err != nil && ctx.Err() == nil {
			return fmt.Errorf("cannot read the results: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// found is a file that may be a result.
type found struct {
	job *batch.Job
	at  time.Time
}

// looked is a folder that was read: its time, and whether it was read again at the same time, because clocks of file
// systems are coarse.
type looked struct {
	at    time.Time
	twice bool
}

// look adds new results, the oldest first. It reads folders only that may have changed since they were seen.
func (l *Live) look(ctx context.Context, folder *Folder, seen map[string]looked) error {
	var all []found
	for i := range 256 {
		dir := filepath.Join(folder.Path, fmt.Sprintf("%02x", i))
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		last, same := seen[dir], seen[dir].at.Equal(info.ModTime())
		if seen[dir] = (looked{info.ModTime(), same}); same && last.twice {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		all = l.missing(all, entries)
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.job.ID, b.job.ID)) })
	for _, f := range all {
		if ctx.Err() != nil {
			break
		}
		r, err := folder.Get(l.plan, f.job)
		l.mu.Lock()
		if path := folder.path(f.job.ID); err != nil {
			l.damaged[path] = err.Error()
		} else {
			delete(l.damaged, path)
		}
		l.mu.Unlock()
		if r != nil {
			l.put(r, f.at)
		}
	}
	return nil
}

// missing appends the files of jobs that have no result yet.
func (l *Live) missing(all []found, entries []fs.DirEntry) []found {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		job := l.running.Missing(id)
		if job == nil {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was just removed
			all = append(all, found{job, info.ModTime()})
		}
	}
	return all
}
