package batchnet

import (
	"context"
	"fmt"
	"iter"
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

// Player plays jobs of a plan until there are no more, ctx ends, or put fails, and returns the cause of an early end. It draws
// jobs from one goroutine at a time, and calls put from any. It is the one seam between a batch and where its matches are
// played: OnCores plays on this machine, and the queue's Play on others.
type Player func(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job],
	put func(*batch.Job, *batch.Result) error) error

// OnCores returns a Player that plays on some cores of this machine. On Ctrl-C the running matches are lost, and nothing
// else.
func OnCores(cores int) Player {
	return func(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job],
		put func(*batch.Job, *batch.Result) error) error {
		next, stop := iter.Pull(jobs)
		defer stop()
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
					r, played := Play(ctx, plan, job)
					if !played {
						break
					}
					if err := put(job, &r); err != nil {
						return err
					}
				}
				return ctx.Err()
			})
		}
		return group.Wait()
	}
}

// Ordered plays jobs as play does, and hands their results to consume in the order of the jobs, from one goroutine at a time.
// It ends when consume returns false; results of later jobs do not count then. Results that the folder keep holds are not
// played again, and others are put there; nil: no folder.
func (play Player) Ordered(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job], keep *Folder,
	consume func(*batch.Job, *batch.Result) bool) error {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type arrival struct {
		job    *batch.Job
		result *batch.Result
	}
	var lock sync.Mutex
	numbers, waiting, due, over := map[string]int{}, map[int]arrival{}, 0, false
	deliver := func(job *batch.Job, r *batch.Result) {
		lock.Lock()
		defer lock.Unlock()
		waiting[numbers[job.ID]] = arrival{job, r}
		delete(numbers, job.ID)
		for next, there := waiting[due]; there && !over; next, there = waiting[due] {
			if over = !consume(next.job, next.result); over {
				cancel()
			}
			delete(waiting, due)
			due++
		}
	}
	missing := func(yield func(*batch.Job) bool) {
		given := 0
		for job := range jobs {
			if ctx.Err() != nil {
				return
			}
			lock.Lock()
			numbers[job.ID] = given
			lock.Unlock()
			given++
			if keep != nil { // a damaged file is replaced, and a mended program tried again
				if r, err := keep.Get(plan, job); err == nil && r != nil && !r.Outside {
					deliver(job, r)
					continue
				}
			}
			if !yield(job) {
				return
			}
		}
	}
	err := play(ctx, plan, missing, func(job *batch.Job, r *batch.Result) error {
		if keep != nil {
			if err := keep.Put(r); err != nil {
				return err
			}
		}
		deliver(job, r)
		return nil
	})
	if over && outer.Err() == nil {
		err = nil
	}
	return err
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
	r, played = plan.Play(job, func() bool { return ctx.Err() != nil }, opener(ctx, plan))
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
