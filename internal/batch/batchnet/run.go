package batchnet

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/batch"
)

// Run plays jobs on some cores until next has none, ctx ends, or put fails, and returns the cause of an early end. next is
// called by one goroutine at a time, put by any. On Ctrl-C the running matches are lost, and nothing else.
func Run(ctx context.Context, plan *batch.Plan, cores int, next func() (batch.Job, bool),
	put func(*batch.Job, *batch.Result) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var lock sync.Mutex
	for range cores {
		group.Go(func() error {
			for ctx.Err() == nil {
				lock.Lock()
				job, more := next()
				lock.Unlock()
				if !more {
					return nil
				}
				r, played := Play(ctx, plan, &job)
				if !played {
					break
				}
				if err := put(&job, &r); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// Ordered is Run for results that are wanted in the order of the jobs: consume gets each of them, from one goroutine at a
// time, and ends the run when it returns false. Results that the folder keep holds are not played again, and others are put
// there; nil: no folder. played is the number of matches that were played.
func Ordered(ctx context.Context, plan *batch.Plan, cores int, next func() (batch.Job, bool), keep *Folder,
	consume func(*batch.Job, *batch.Result) bool) (played int, err error) {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var lock sync.Mutex
	numbers, waiting, due, over, given := map[string]int{}, map[int]*batch.Result{}, 0, false, []batch.Job{}
	deliver := func(job *batch.Job, r *batch.Result) {
		lock.Lock()
		defer lock.Unlock()
		waiting[numbers[job.ID]] = r
		for waiting[due] != nil && !over {
			if over = !consume(&given[due], waiting[due]); over {
				cancel()
			}
			delete(waiting, due)
			due++
		}
	}
	err = Run(ctx, plan, cores, func() (batch.Job, bool) {
		for {
			job, more := next()
			if !more || ctx.Err() != nil {
				return job, false
			}
			lock.Lock()
			numbers[job.ID] = len(given)
			given = append(given, job)
			lock.Unlock()
			if keep == nil {
				return job, true
			}
			r, err := keep.Get(plan, &job)
			if err != nil || r == nil { // a damaged file is replaced
				return job, true
			}
			deliver(&job, r)
		}
	}, func(job *batch.Job, r *batch.Result) error {
		if keep != nil {
			if err := keep.Put(r); err != nil {
				return err
			}
		}
		lock.Lock()
		played++
		lock.Unlock()
		deliver(job, r)
		return nil
	})
	if over && outer.Err() == nil {
		err = nil
	}
	return played, err
}

// Cores returns the number of cores that a batch uses by default.
func Cores() int { return runtime.GOMAXPROCS(0) }

// Play plays a job; false: ctx ended first. A panic is a failure of that match only.
func Play(ctx context.Context, plan *batch.Plan, job *batch.Job) (r batch.Result, played bool) {
	defer func() {
		if p := recover(); p != nil {
			r, played = plan.Failed(job, fmt.Sprintf("panic: %v at %s", p, where(debug.Stack()))), true
		}
	}()
	begin := time.Now()
	r, played = plan.Play(job, func() bool { return ctx.Err() != nil })
	r.Cost = time.Since(begin).Seconds()
	return r, played
}

// where returns the place of a panic: the first function of this module in a stack below the call of panic, and its file.
func where(stack []byte) string {
	_, below, _ := strings.Cut(string(stack), "panic(")
	ours := false
	var folder string
	for line := range strings.Lines(below) {
		if !ours {
			if ours = strings.HasPrefix(line, "touchline/"); ours {
				name, _, _ := strings.Cut(line, "(")
				slash := strings.LastIndex(name, "/")
				folder, _, _ = strings.Cut(name[slash+1:], ".")
				folder = name[:slash+1] + folder
			}
			continue
		}
		file, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
		return path.Join(folder, path.Base(filepath.ToSlash(file)))
	}
	return "an unknown place"
}
