package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/monitor"
	"touchline/internal/scratch"
	"touchline/soccer"
)

// Bounds of the matches that a page of a batch wants to see.
const (
	mostAgain = 4 // recordings that are kept; one of 2 x 60 s has 20 MB
	mostAsked = 8 // matches that wait to be played again
)

// againMatches plays matches of a batch again, one after the other, records them into temporary files, and serves the
// pages of touchline replay for each in the folder /again/ID/.
type againMatches struct {
	plan   *batch.Plan
	job    func(id string) (batch.Job, bool)
	folder *batchnet.Folder // with the results to compare with; nil: there is none
	dir    *scratch.Folder
	hosts  []string // hosts of the pages, set before run

	wake chan struct{}
	mu   sync.Mutex
	all  []*againMatch // the newest wish last
}

// againMatch is a match that was asked for. Its fields are guarded by againMatches.mu.
type againMatch struct {
	batch.Again
	job    batch.Job
	server *monitor.Server // nil until it is ready
	close  func()
}

func newAgainMatches(b *batchPage) (*againMatches, error) {
	dir, err := scratch.New()
	if err != nil {
		return nil, fmt.Errorf("cannot create a folder for match recordings: %w", err)
	}
	return &againMatches{
		plan: b.plan, job: b.live.Job, folder: b.folder, dir: dir, wake: make(chan struct{}, 1),
	}, nil
}

// close removes the records.
func (a *againMatches) close() { _ = a.dir.Remove() } // the next program removes what stays

// states returns the matches, the newest wish first.
func (a *againMatches) states() []batch.Again {
	a.mu.Lock()
	defer a.mu.Unlock()
	states := []batch.Again{}
	for _, m := range slices.Backward(a.all) {
		states = append(states, m.Again)
	}
	return states
}

// ask wants a match. One that is there, or on its way, is not played again.
func (a *againMatches) ask(id string) error {
	job, ok := a.job(id)
	if !ok {
		return fmt.Errorf("match %.40q: the plan has no such match", id)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := 0
	for i, m := range a.all {
		switch {
		case m.ID == id && m.State == batch.AgainFailed:
			a.all = slices.Delete(a.all, i, i+1)
			return a.enqueue(job)
		case m.ID == id:
			return nil
		case m.State == batch.AgainWaits:
			waiting++
		}
	}
	if waiting >= mostAsked {
		return fmt.Errorf("%d matches are already waiting to be played again: wait until one is done", waiting)
	}
	return a.enqueue(job)
}

// enqueue adds a match; the caller holds mu.
func (a *againMatches) enqueue(job batch.Job) error {
	a.all = append(a.all, &againMatch{
		Again: batch.Again{ID: job.ID, State: batch.AgainWaits}, job: job, close: func() {},
	})
	select {
	case a.wake <- struct{}{}:
	default: // it is awake
	}
	return nil
}

// run plays the matches until ctx ends.
func (a *againMatches) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for {
			m := a.next()
			if m == nil {
				select {
				case <-ctx.Done():
					return nil
				case <-a.wake:
					continue
				}
			}
			trouble := a.record(ctx, m)
			if ctx.Err() != nil {
				return nil
			}
			a.show(ctx, group, m, trouble)
		}
	})
	return group.Wait()
}

// next returns the match that waits longest, and says that it is played; nil: none waits.
func (a *againMatches) next() *againMatch {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.all {
		if m.State == batch.AgainWaits {
			m.State = batch.AgainPlays
			return m
		}
	}
	return nil
}

func (a *againMatches) path(m *againMatch) string { return filepath.Join(a.dir.Path, m.ID[:8]+".mcap") }

// record plays a match and records it. A match that does not end is recorded until a minute after its time. The error
// says what went wrong; a part of the match may be recorded.
func (a *againMatches) record(ctx context.Context, m *againMatch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v, at %.300s", p, debug.Stack())
		}
	}()
	f := matchFlags{cfg: match.DefaultMatchConfig(), read: a.plan.Read, dir: a.plan.Folder, record: a.path(m), speed: "max"}
	f.use(&setup{Flags: m.job.Flags})
	if f.cfg, err = f.setup().Config(f.read); err != nil {
		return err
	}
	if err := batchnet.CheckPrograms(a.plan); err != nil {
		return err
	}
	f.cfg.Debug = true
	if a.folder != nil {
		f.stored, _ = a.folder.Get(a.plan, &m.job) // a damaged result has nothing to compare with
	}
	if f.stored != nil && f.stored.Trouble != "" {
		f.stored = nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	const pauses = 12 * time.Second // in which the ball is out of play, of a short match
	length, late := 2*f.cfg.Half, false
	f.advanced = func(now soccer.Time) {
		passed := now.Sub(soccer.Epoch)
		a.mu.Lock()
		m.Share = min(passed.Seconds()/(length+pauses).Seconds(), 0.99)
		a.mu.Unlock()
		if passed > length+batch.Overtime {
			late = true
			stop()
		}
	}
	if _, err = f.play(ctx, io.Discard); late {
		return errors.New("it was not over one minute after its scheduled end")
	}
	return err
}

// show serves the pages of a match that was recorded, and forgets the oldest ones.
func (a *againMatches) show(ctx context.Context, group *errgroup.Group, m *againMatch, trouble error) {
	shown, err := openShown([]string{a.path(m)})
	a.mu.Lock()
	defer a.mu.Unlock()
	if trouble != nil {
		m.Text = console.Plain(strings.TrimSpace(trouble.Error()))
	}
	if err != nil {
		m.State = batch.AgainFailed
		if m.Text == "" {
			m.Text = console.Plain(err.Error())
		}
	} else {
		a.open(ctx, group, m, shown)
	}
	for len(a.all) > mostAgain+mostAsked || a.ready() > mostAgain {
		i := slices.IndexFunc(a.all, func(o *againMatch) bool { return o.State != batch.AgainWaits && o != m })
		a.all[i].close()
		_ = os.Remove(a.path(a.all[i])) // the folder is removed at the end
		a.all = slices.Delete(a.all, i, i+1)
	}
}

// ready returns the number of records; the caller holds mu.
func (a *againMatches) ready() (n int) {
	for _, m := range a.all {
		if m.State == batch.AgainReady {
			n++
		}
	}
	return n
}

// open serves the pages of a match; the caller holds mu.
func (a *againMatches) open(ctx context.Context, group *errgroup.Group, m *againMatch, shown *shownLog) {
	ctx, stop := context.WithCancel(ctx)
	shown.annotated(&pageFlags{viewOnly: true}) // the record is soon gone
	shown.pages.Hosts, shown.pages.Pages = a.hosts, append(shown.pages.Pages, "up")
	server := monitor.New(shown.pages)
	m.State, m.Share, m.Page, m.server, m.close = batch.AgainReady, 1, "again/"+m.ID+"/"+shown.path, server, stop
	group.Go(func() error {
		defer shown.close()
		defer server.Close()
		if shown.replay == nil {
			<-ctx.Done()
			return nil
		}
		session := sessionTopic(shown.replay)
		parts, ctx := errgroup.WithContext(ctx)
		parts.Go(func() error { return server.Every(ctx, session.name, session.period, session.snapshot) })
		parts.Go(func() error { return shown.replay.Run(ctx) })
		if err := parts.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			a.mu.Lock()
			m.Text = console.Plain(err.Error())
			a.mu.Unlock()
		}
		<-ctx.Done()
		return nil
	})
}

// ServeHTTP answers for the pages of a match, /again/ID/.
func (a *againMatches) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/again/"), "/")
	if id == "" {
		http.Redirect(w, r, "/batch", http.StatusFound)
		return
	}
	var server *monitor.Server
	a.mu.Lock()
	for _, m := range a.all {
		if m.ID == id {
			server = m.server
		}
	}
	a.mu.Unlock()
	if server == nil {
		http.Error(w, "This match is no longer there: open it again on the page of the batch.", http.StatusNotFound)
		return
	}
	http.StripPrefix("/again/"+id, server).ServeHTTP(w, r)
}
