package teamcomnet

import (
	"time"

	"touchline/teamcom"
)

// worker runs the handlers of one module on a goroutine of its own.
type worker struct {
	module *teamcom.Module
	wake   chan struct{}
	quit   chan struct{}
	ended  chan struct{}
}

// runAtOnce is the number of messages that a worker handles before it checks whether the endpoint ends.
const runAtOnce = 64

// wakeModule tells a module's goroutine that a message waits, and starts it with the first one. The node calls it with
// its lock held.
func (e *Endpoint) wakeModule(m *teamcom.Module) {
	w := e.workers[m.ID()]
	if w == nil {
		w = &worker{module: m, wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{})}
		e.workers[m.ID()] = w
		go e.runModule(w)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// runModule calls the handlers of a module until the endpoint ends.
func (e *Endpoint) runModule(w *worker) {
	defer close(w.ended)
	for {
		for w.module.Run(e.Now, runAtOnce) == runAtOnce {
			select {
			case <-w.quit:
				return
			default:
			}
		}
		select {
		case <-w.quit:
			return
		case <-w.wake:
		}
	}
}

// stopModules ends the modules' goroutines. It waits for handlers that run, but not for one that blocks.
func (e *Endpoint) stopModules() {
	limit := time.NewTimer(handlersEnd)
	defer limit.Stop()
	for _, w := range e.workers {
		if w != nil {
			close(w.quit)
		}
	}
	for _, w := range e.workers {
		if w == nil {
			continue
		}
		select {
		case <-w.ended:
		case <-limit.C:
			e.log.Warn("a handler does not end; the program continues without waiting for it", "module", w.module.ID())
			return
		}
	}
}
