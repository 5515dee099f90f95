package refboxnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/wire"
)

// Errors of what a page asks for.
var (
	errNotOpen   = errors.New("the referee box is busy: it is starting, or the disk does not answer")
	errNoStandby = errors.New("this is the referee box itself: there is nothing to take over")
)

// Command carries out a command of a page that has the referee's token: decide, preview, admit, refuse, release, promote.
// It returns when that is done and may be called from any goroutine. received is the time at which the request was read.
func (l *Server) Command(name string, body []byte, received time.Time) (any, error) {
	switch name {
	case "decide", "preview":
		d, err := refbox.ParseDecision(body)
		if err != nil {
			return nil, err
		}
		if name == "decide" {
			return l.decide(d, received)
		}
		var p refbox.PreviewShow
		err = l.call(l.calls, func(soccer.Time) { p = l.box.Preview(d) })
		return p, err
	case "admit", "refuse", "release":
		return nil, l.seatCommand(name, body)
	case "promote":
		return nil, errNoStandby
	}
	return nil, fmt.Errorf("unknown command %q: use decide, preview, admit, refuse, release or promote", name)
}

// seatCommand lets a base station in or not.
func (l *Server) seatCommand(name string, body []byte) error {
	var q struct {
		Conn refbox.ConnID `json:"conn"`
		Side game.Side     `json:"side"`
	}
	if err := wire.DecodeJSON(body, "the command", &q); err != nil {
		return fmt.Errorf("%s: want {\"conn\":7} or {\"conn\":7,\"side\":\"home\"}: %w", name, err)
	}
	var failed error
	err := l.call(l.calls, func(now soccer.Time) {
		var e refbox.Effects
		switch name {
		case "admit":
			e, failed = l.box.Admit(now, q.Conn, q.Side)
		case "refuse":
			e, failed = l.box.Refuse(now, q.Conn, "the referee refused it")
		default:
			e, failed = l.box.Release(now, q.Side)
		}
		l.apply(e)
	})
	return errors.Join(err, failed)
}

// Decide takes a decision of the referee and returns when the teams' sockets have it. Its Time is the moment of the call.
// An error that wraps ErrRefused says why it may not be made now.
func (l *Server) Decide(_ context.Context, d game.Decision) (game.Outcome, error) {
	done, err := l.decide(d, time.Now())
	return done.Outcome, err
}

func (l *Server) decide(d game.Decision, received time.Time) (refbox.Decided, error) {
	way := &delivery{received: received, stop: d.Command == game.Stop, done: make(chan struct{}), report: l.out}
	var out game.Outcome
	var refused error
	err := l.call(l.calls, func(now soccer.Time) {
		var e refbox.Effects
		out, e, refused = l.box.Decide(now, d)
		if refused != nil {
			l.apply(e)
			return
		}
		l.box.Trouble("restart", "")
		way.number = len(l.box.Game().Log())
		l.carryOut(e, way)
	})
	if err = errors.Join(err, refused); err != nil {
		return refbox.Decided{}, err
	}
	answer := refbox.Decided{Outcome: game.Outcome{
		Messages: listed(out.Messages), Dropped: listed(out.Dropped), Restored: listed(out.Restored), Notes: listed(out.Notes),
	}, Number: way.number}
	patience := time.NewTimer(maxSync + maxDelivery)
	defer patience.Stop()
	select {
	case <-way.done:
		answer.Millis, answer.Disk, answer.Kept, answer.Missed = &way.millis, float64(way.disk)/1e6, way.kept, way.lost.Load()
	case <-patience.C:
	case <-l.ended:
	}
	l.tail.wait()
	return answer, nil
}

// listed returns a list that is written as one where it is empty, too.
func listed[T any](all []T) []T { return append([]T{}, all...) }

// call lets the loop do something and returns when it is done.
func (l *Server) call(way chan func(soccer.Time), f func(now soccer.Time)) error {
	done := make(chan struct{})
	patience := time.NewTimer(5 * time.Second)
	defer patience.Stop()
	select {
	case way <- func(now soccer.Time) { f(now); close(done) }:
		<-done // the loop has it, and does it whole
		return nil
	case <-l.ended:
		return errEnded
	case <-patience.C:
		return errNotOpen
	}
}

// ErrLogClosed refuses the log of a running game.
var ErrLogClosed = errors.New("the log of a running game needs the referee's token until the game is over")

// Handlers returns the http.Handlers of the logs and of the journal that a standby copies, by the pattern of
// http.ServeMux. authorised reports whether a request carries the referee's token.
func (l *Server) Handlers(authorised func(*http.Request) bool) map[string]http.Handler {
	running := func(name string) bool {
		running, _ := l.running.Load().(string)
		return running != "" && strings.HasPrefix(name, running)
	}
	shelf := matchlognet.Shelf{
		Dir:  l.Config.Dir,
		Over: func(name string) bool { return !running(name) },
		Allowed: func(r *http.Request, name string) error {
			if running(name) && !authorised(r) {
				return ErrLogClosed
			}
			return nil
		},
	}
	all := shelf.Handlers()
	all["GET /api/journal"] = journalHandler(l.Config.Dir, l.tail, l.now, authorised)
	return all
}

// Truth writes what truly was, as the channel truth has it. It never waits: what the journal cannot take is left out.
func (l *Server) Truth(m matchlog.Message) {
	m.Channel = matchlog.Truth
	select {
	case l.truth <- m:
	default:
	}
}

// Topics returns the topics that Snapshot knows and how often a page wants them.
func Topics() map[string]time.Duration {
	return map[string]time.Duration{
		"refbox": 100 * time.Millisecond, "referee": 100 * time.Millisecond,
		"teams": 500 * time.Millisecond, "teams/all": 500 * time.Millisecond,
	}
}

// Private reports whether a topic needs the referee's token.
func Private(topic string) bool { return topic == "referee" || topic == "teams/all" }

// Snapshot returns the value of one of the Topics: a refbox.Show, refbox.RefereeShow or refbox.TeamsShow; nil while the
// server does not run. It may be called from any goroutine.
func (l *Server) Snapshot(topic string) any {
	var v any
	err := l.call(l.asks, func(now soccer.Time) {
		switch topic {
		case "refbox":
			s := l.box.Show(now)
			s.Game = l.journal.name()
			v = s
		case "referee":
			v = l.box.Referee(now)
		case "teams":
			v = l.box.Teams(now, false)
		case "teams/all":
			v = l.box.Teams(now, true)
		}
	})
	if err != nil {
		return nil // it is ending, or busy for seconds
	}
	return v
}

// tellScore tells the score clients.
func (l *Server) tellScore(ctx context.Context) error {
	if l.score == nil {
		return nil
	}
	ticker := time.NewTicker(scoreEvery)
	defer ticker.Stop()
	failed := false
	for {
		var b []byte
		select {
		case <-ctx.Done():
			return nil
		case b = <-l.events:
		case <-ticker.C:
			if l.call(l.asks, func(now soccer.Time) { b = l.box.Score(now) }) != nil {
				continue
			}
		}
		for _, to := range l.Config.ScoreClients {
			// Nobody may listen there, and that is no error of ours; what is too long for a datagram is one.
			_, err := l.score.WriteToUDPAddrPort(b, to)
			if err != nil && !failed && ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				failed = true
				l.Log.Warn("a score client could not be told", "to", to, "err", err)
			}
		}
	}
}
