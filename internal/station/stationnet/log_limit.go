package stationnet

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// onceASecond is a slog.Handler that passes at most one record a second with the same message. The rest of a second is
// summed up at its end: the last record, with the number of records that it stands for.
type onceASecond struct {
	slog.Handler
	state *limitState
}

type limitState struct {
	mu    sync.Mutex
	lines map[string]*limitedLine // by message; messages are constants of the program, hence few
}

// limitedLine is the current second of a message.
type limitedLine struct {
	passed  time.Time
	pending int // records since
	last    slog.Record
}

const limitPeriod = time.Second

// LimitLog returns a logger that passes each message at most once a second.
func LimitLog(log *slog.Logger) *slog.Logger {
	return slog.New(onceASecond{log.Handler(), &limitState{lines: map[string]*limitedLine{}}})
}

func (h onceASecond) Handle(ctx context.Context, r slog.Record) error {
	h.state.mu.Lock()
	line := h.state.lines[r.Message]
	if line == nil {
		line = new(limitedLine)
		h.state.lines[r.Message] = line
	}
	rest := limitPeriod - r.Time.Sub(line.passed)
	if line.pending == 0 && rest <= 0 {
		line.passed = r.Time
		h.state.mu.Unlock()
		return h.Handler.Handle(ctx, r)
	}
	defer h.state.mu.Unlock()
	line.last = r.Clone()
	if line.pending++; line.pending == 1 {
		time.AfterFunc(rest, func() { h.sumUp(line) })
	}
	return nil
}

// sumUp passes the pending records of a message as one.
func (h onceASecond) sumUp(line *limitedLine) {
	h.state.mu.Lock()
	r, n := line.last, line.pending
	line.pending, line.passed = 0, time.Now()
	h.state.mu.Unlock()
	if n > 1 {
		r.AddAttrs(slog.Int("times", n))
	}
	_ = h.Handler.Handle(context.Background(), r) // the log has no other place for its own trouble
}

func (h onceASecond) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onceASecond{h.Handler.WithAttrs(attrs), h.state}
}

func (h onceASecond) WithGroup(name string) slog.Handler {
	return onceASecond{h.Handler.WithGroup(name), h.state}
}

// Warnings returns a logger that drops what is below a warning: the connections within one program are of no interest,
// only trouble with them.
func Warnings(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}
