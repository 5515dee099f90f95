package learnnet

import (
	"runtime"
	"sync/atomic"
	"time"
)

// gamesAWorker is how many games a worker has at least: fewer take less time than handing them over.
const gamesAWorker = 4

// workers carry out commands for games. Each has a part of the games of its own, which stay in the cache of its processor,
// and when it has done them it helps the others.
type workers struct {
	wake  []chan struct{} // one a worker besides the caller's own goroutine
	parts []part
	play  func(command byte, game int)

	command byte
	back    bool          // from the last game to the first: those that the last command used last are in the cache
	left    atomic.Int32  // games that are not done
	ended   chan struct{} // the last one is done
}

// part is a worker's part of the games.
type part struct {
	first, games int
	taken        atomic.Int32 // games, or more when none is left
	_            [40]byte     // each part has a line of the cache
}

// hire starts the workers for a number of games.
func hire(games int, play func(command byte, game int)) *workers {
	n := max(1, min(runtime.GOMAXPROCS(0), games/gamesAWorker))
	w := &workers{parts: make([]part, n), play: play, ended: make(chan struct{}, 1)}
	for i := range w.parts {
		p := &w.parts[i]
		p.first = i * games / n
		p.games = (i+1)*games/n - p.first
		p.taken.Store(int32(p.games))
	}
	for i := range n - 1 {
		wake := make(chan struct{}, 1)
		w.wake = append(w.wake, wake)
		go func() {
			for {
				if _, more := receive(wake); !more {
					return
				}
				w.work(i + 1)
			}
		}()
	}
	return w
}

// do carries out a command for all games. It does not wait for a worker that wakes up too late to help.
func (w *workers) do(command byte) {
	w.command, w.back = command, !w.back
	games := 0
	for i := range w.parts {
		games += w.parts[i].games
	}
	w.left.Store(int32(games))
	for i := range w.parts {
		w.parts[i].taken.Store(0)
	}
	for _, wake := range w.wake {
		select {
		case wake <- struct{}{}:
		default: // it has not woken up since the last command
		}
	}
	w.work(0)
	receive(w.ended)
}

// work does games until all are taken, those of a worker's own part first.
func (w *workers) work(worker int) {
	done := int32(0)
	for i := range w.parts {
		p := &w.parts[(worker+i)%len(w.parts)]
		for {
			n := int(p.taken.Add(1)) - 1
			if n >= p.games {
				break
			}
			if w.back {
				n = p.games - 1 - n
			}
			w.play(w.command, p.first+n)
			done++
		}
	}
	if done > 0 && w.left.Add(-done) == 0 {
		w.ended <- struct{}{}
	}
}

// close ends the workers.
func (w *workers) close() {
	for _, wake := range w.wake {
		close(wake)
	}
}

// receive receives from a channel, and looks for a value for a while before it sleeps.
func receive[T any](from <-chan T) (v T, more bool) {
	for wait := (patience{}); ; {
		select {
		case v, more = <-from:
			return v, more
		default:
		}
		if wait.over() {
			v, more = <-from
			return v, more
		}
	}
}

// patience is the time for which a goroutine looks for work before it sleeps. Its zero value begins with the first look.
type patience struct {
	looks int
	until time.Time
}

// awake is longer than a program with a small policy thinks between two steps.
const awake = 100 * time.Microsecond

// over reports whether it is time to sleep: at once on a single processor, which others need in order to give work. Now
// and then it lets other goroutines run.
func (p *patience) over() bool {
	switch p.looks++; {
	case runtime.NumCPU() == 1:
		return true
	case p.looks == 1:
		p.until = time.Now().Add(awake)
	case p.looks%64 == 0:
		runtime.Gosched()
		return time.Now().After(p.until)
	}
	return false
}
