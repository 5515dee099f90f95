package learnnet

import (
	"runtime"
	"sync/atomic"
	"time"
)

// gamesAWorker is how many games a worker has at least: fewer take less time than handing them over.
const gamesAWorker = 4

// workers share the games of a command, each a fixed part of them.
type workers struct {
	begin []chan byte   // one a worker besides the caller's own goroutine
	left  atomic.Int32  // workers that have not finished
	ended chan struct{} // the last one finished
	share func(command byte, worker, workers int)
}

// hire starts the workers for a number of games.
func hire(games int, share func(command byte, worker, workers int)) *workers {
	w := &workers{ended: make(chan struct{}, 1), share: share}
	n := max(1, min(runtime.GOMAXPROCS(0), games/gamesAWorker))
	for range n - 1 {
		w.begin = append(w.begin, make(chan byte, 1))
	}
	for i, begin := range w.begin {
		go func() {
			for {
				command, more := receive(begin)
				if !more {
					return
				}
				share(command, i+1, n)
				if w.left.Add(-1) == 0 {
					w.ended <- struct{}{}
				}
			}
		}()
	}
	return w
}

// do carries out a command for all games.
func (w *workers) do(command byte) {
	w.left.Store(int32(len(w.begin)))
	for _, begin := range w.begin {
		begin <- command
	}
	w.share(command, 0, len(w.begin)+1)
	if len(w.begin) > 0 {
		receive(w.ended)
	}
}

// close ends the workers.
func (w *workers) close() {
	for _, begin := range w.begin {
		close(begin)
	}
}

// receive receives from a channel, and looks for a value for a while before it sleeps.
func receive[T any](from <-chan T) (v T, more bool) {
	for wait := newPatience(); !wait.over(); {
		select {
		case v, more = <-from:
			return v, more
		default:
		}
	}
	v, more = <-from
	return v, more
}

// patience is the time for which a goroutine looks for work before it sleeps.
type patience struct {
	looks int
	until time.Time
}

// awake is longer than a program with a small policy thinks between two steps.
const awake = 100 * time.Microsecond

func newPatience() patience { return patience{until: time.Now().Add(awake)} }

// over reports whether it is time to sleep. Now and then it lets other goroutines run.
func (p *patience) over() bool {
	p.looks++
	if p.looks%64 == 0 {
		runtime.Gosched()
		return time.Now().After(p.until)
	}
	return false
}
