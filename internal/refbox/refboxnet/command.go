package refboxnet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/control"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
	"touchline/wire"
)

// Errors of commands.
var (
	errNotOpen   = errors.New("the referee box is busy: it is starting, or the disk does not answer; try again")
	errNoStandby = errors.New("this is the referee box itself: there is nothing to take over")
)

// connection names a base station, and the side on which it plays.
type connection struct {
	Conn refbox.ConnID `json:"conn"`
	Side game.Side     `json:"side"`
}

// seat names the base station of a side. All says for tell-reader that the team saw all of the probe.
type seat struct {
	Side game.Side `json:"side"`
	All  bool      `json:"all"`
}

// Commands returns the commands of pages that have the referee's token. Each returns when it is carried out.
func (srv *Server) Commands() control.Table {
	return control.Table{
		"decide":  decision(func(r control.Request, d game.Decision) (any, error) { return srv.decide(d, r.Received) }),
		"preview": decision(srv.preview),
		"admit": change(srv, `{"conn":7,"side":"home"}`, func(now soccer.Time, c connection) (refbox.Effects, error) {
			return srv.box.Admit(now, c.Conn, c.Side)
		}),
		"refuse": change(srv, `{"conn":7}`, func(now soccer.Time, c connection) (refbox.Effects, error) {
			return srv.box.Refuse(now, c.Conn)
		}),
		"release": change(srv, `{"side":"home"}`, func(now soccer.Time, c connection) (refbox.Effects, error) {
			return srv.box.Release(now, c.Side)
		}),
		"check-reader": change(srv, `{"side":"home"}`, func(now soccer.Time, s seat) (refbox.Effects, error) {
			return srv.box.CheckReader(now, s.Side)
		}),
		"tell-reader": change(srv, `{"side":"home","all":true}`, func(now soccer.Time, s seat) (refbox.Effects, error) {
			return srv.box.TellReader(now, s.Side, s.All)
		}),
		"verdict": change(srv, `{"decision":12,"verdict":"upheld","note":"40 cm over the line"}`,
			func(now soccer.Time, v game.Verdict) (refbox.Effects, error) { return srv.box.Judge(now, v) }),
		"promote": {Do: func(control.Request) (any, error) { return nil, errNoStandby }},
	}.Around(func(_ control.Request, do func() (any, error)) (any, error) {
		if err := srv.superseded(); err != nil {
			return nil, err
		}
		return do()
	})
}

// decision returns the command whose body is a decision of the referee.
func decision(do func(control.Request, game.Decision) (any, error)) control.Command {
	return control.Command{Do: func(r control.Request) (any, error) {
		d, err := refbox.ParseDecision(r.Body)
		if err != nil {
			return nil, err
		}
		return do(r, d)
	}}
}

// preview returns the effect that a decision would have.
func (srv *Server) preview(_ control.Request, d game.Decision) (any, error) {
	var p refbox.PreviewShow
	err := srv.call(srv.calls, func(soccer.Time) { p = srv.box.Preview(d) })
	return p, err
}

// change returns the command that changes the box in its loop. example is a body that it accepts.
func change[Body any](srv *Server, example string, do func(soccer.Time, Body) (refbox.Effects, error)) control.Command {
	return control.Command{Do: func(r control.Request) (any, error) {
		var body Body
		if err := wire.DecodeJSON(r.Body, "the command", &body); err != nil {
			return nil, fmt.Errorf("%s: want %s: %w", r.Name, example, err)
		}
		var failed error
		err := srv.call(srv.calls, func(now soccer.Time) {
			var e refbox.Effects
			e, failed = do(now, body)
			srv.apply(e)
		})
		return nil, errors.Join(err, failed)
	}}
}

// Decide makes a decision of the referee and returns once it is in the teams' sockets. Its Time is the time of the
// call. An error that wraps game.ErrRefused tells why the decision is not possible now.
func (srv *Server) Decide(_ context.Context, d game.Decision) (game.Outcome, error) {
	done, err := srv.decide(d, time.Now())
	return done.Outcome, err
}

// Game returns the state of the game now; its times are those of Now. The error is that of a server that does not run.
func (srv *Server) Game() (game.State, error) {
	var st game.State
	err := srv.call(srv.queries, func(now soccer.Time) { st = srv.box.Game().State().At(now) })
	return st, err
}

func (srv *Server) decide(made game.Decision, received time.Time) (refbox.Decided, error) {
	d := &delivery{received: received, stop: made.Command == game.Stop, done: make(chan struct{}), report: srv.out}
	var out game.Outcome
	var refused error
	err := srv.call(srv.calls, func(now soccer.Time) {
		if refused = srv.superseded(); refused != nil {
			return
		}
		var e refbox.Effects
		out, e, refused = srv.box.Decide(now, made)
		if refused != nil {
			srv.apply(e)
			return
		}
		srv.box.Trouble("restart", "")
		srv.box.Trouble("lost", "")
		d.number = len(srv.box.Game().Log())
		srv.applyDecision(e, d)
	})
	if err = errors.Join(err, refused); err != nil {
		return refbox.Decided{}, err
	}
	answer := refbox.Decided{Number: d.number, Outcome: game.Outcome{
		Messages: asList(out.Messages), Dropped: asList(out.Dropped), Restored: asList(out.Restored),
		Notes: asList(out.Notes),
	}}
	patience := time.NewTimer(maxSync + maxDelivery)
	defer patience.Stop()
	select {
	case <-d.done:
		answer.Millis, answer.Disk, answer.Kept, answer.Missed = &d.millis, float64(d.disk)/1e6, d.kept, d.lost.Load()
		void, read := d.read()
		answer.Void = void
		sleep(srv.ended, time.Until(read)) // a STOP right after the answer shares a read with nothing
	case <-patience.C:
	case <-srv.ended:
	}
	srv.tail.wait()
	return answer, nil
}

// sleep waits for d, or until ended is closed.
func sleep(ended <-chan struct{}, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ended:
	}
}

// asList returns a list that is not null in JSON.
func asList[T any](all []T) []T { return append([]T{}, all...) }

// call runs f in the loop and returns when it is done.
func (srv *Server) call(queue chan func(soccer.Time), f func(now soccer.Time)) error {
	done := make(chan struct{})
	patience := time.NewTimer(5 * time.Second)
	defer patience.Stop()
	select {
	case queue <- func(now soccer.Time) { f(now); close(done) }:
		<-done // the loop has accepted it and completes it
		return nil
	case <-srv.ended:
		return errEnded
	case <-patience.C:
		return errNotOpen
	}
}

// errLogClosed refuses the log of a running game.
var errLogClosed = errors.New("running game: referee token required")

// Handlers returns the http.Handlers of the logs and of the journal that a standby copies, by the pattern of
// http.ServeMux. authorised reports whether a request carries the referee's token.
func (srv *Server) Handlers(authorised func(*http.Request) bool) map[string]http.Handler {
	running := func(name string) bool {
		running, _ := srv.running.Load().(string)
		return running != "" && strings.HasPrefix(name, running)
	}
	logs := matchlognet.Logs{
		Dir:  srv.Config.Dir,
		Over: func(name string) bool { return !running(name) },
		Allowed: func(r *http.Request, name string) error {
			if running(name) && !authorised(r) {
				return errLogClosed
			}
			return nil
		},
		Parts: map[string]matchlognet.Part{"review": new(analysislog.Reviews).Serve},
	}
	all := logs.Handlers()
	maps.Copy(all, srv.takeoverHandlers(authorised))
	all["GET /api/journal"] = journalHandler(srv.Config.Dir, srv.tail, srv.Now, authorised)
	return all
}

// Truth records ground truth in the channel truth. It never waits: messages that the journal cannot take are dropped.
func (srv *Server) Truth(m matchlog.Message) {
	m.Channel = matchlog.Truth
	select {
	case srv.truth <- m:
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
func (srv *Server) Snapshot(topic string) any {
	var v any
	err := srv.call(srv.queries, func(now soccer.Time) {
		switch topic {
		case "refbox":
			s := srv.box.Show(now)
			s.Game = srv.journal.name()
			srv.addSuccessor(&s)
			v = s
		case "referee":
			r := srv.box.Referee(now)
			srv.disableKeys(&r)
			v = r
		case "teams":
			v = srv.box.Teams(now, false)
		case "teams/all":
			v = srv.box.Teams(now, true)
		}
	})
	if err != nil {
		return nil // it is ending, or busy for seconds
	}
	return v
}

// sendScore sends the score to the score clients.
func (srv *Server) sendScore(ctx context.Context) error {
	if srv.score == nil {
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
		case b = <-srv.events:
		case <-ticker.C:
			if srv.successor.Load() != nil {
				continue // its score counts
			}
			if srv.call(srv.queries, func(now soccer.Time) { b = srv.box.Score(now) }) != nil {
				continue
			}
		}
		for _, to := range srv.Config.ScoreClients {
			_, err := srv.score.WriteToUDPAddrPort(b, to)
			if err != nil && !failed && ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				failed = true
				srv.Log.Warn("sending the score failed", "to", to, "err", err)
			}
		}
	}
}
