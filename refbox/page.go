package refbox

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/monitor"
	"touchline/soccer"
)

// Errors of what a page asks for.
var (
	errToken     = monitor.Forbidden("only the referee may do that: open the page by the address that was printed at the start, with its token")
	errNotOpen   = errors.New("the referee box is busy: it is starting, or the disk does not answer")
	errNoCopy    = errors.New("this is the referee box itself: there is nothing to take over")
	errLogClosed = errors.New("the log of a game is the referee's until the game is over")
)

// Decided is the answer to a decision.
type Decided struct {
	game.Outcome
	Number int      `json:"number"` // in the game's log; 0: it was sent before it was in it
	Millis *float64 `json:"millis"` // from the request to the last byte handed to a team's socket; null: it still waits for one
	Disk   float64  `json:"disk"`   // ms of that for the journal
	Kept   bool     `json:"kept"`   // it was on the disk before it was sent, or changed nothing
	Missed bool     `json:"missed"` // a team could not be sent it
}

// Command carries out what a page asks for: decide, preview, admit, refuse, release, promote. It returns when that is
// done and may be called from any goroutine.
func (l *Live) Command(r monitor.Request) (any, error) {
	if !l.isToken(r.Token) {
		return nil, errToken
	}
	switch r.Name {
	case "decide", "preview":
		d, err := ParseDecision(r.Body)
		if err != nil {
			return nil, err
		}
		if r.Name == "decide" {
			return l.decide(d, r.Received)
		}
		var p PreviewShow
		err = l.call(l.calls, func(soccer.Time) { p = l.box.Preview(d) })
		return p, err
	case "admit", "refuse", "release":
		return nil, l.seatCommand(r)
	case "promote":
		return nil, errNoCopy
	}
	return nil, fmt.Errorf("there is no command %q; there are decide, preview, admit, refuse, release and promote", r.Name)
}

// seatCommand lets a base station in or not.
func (l *Live) seatCommand(r monitor.Request) error {
	var q struct {
		Conn Conn      `json:"conn"`
		Side game.Side `json:"side"`
	}
	if err := parseOne(r.Body, "command", &q); err != nil {
		return fmt.Errorf("%s: want {\"conn\":7} or {\"conn\":7,\"side\":\"home\"}: %w", r.Name, err)
	}
	var failed error
	err := l.call(l.calls, func(now soccer.Time) {
		var e Effects
		switch r.Name {
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
func (l *Live) Decide(_ context.Context, d game.Decision) (game.Outcome, error) {
	done, err := l.decide(d, time.Now())
	return done.Outcome, err
}

func (l *Live) decide(d game.Decision, received time.Time) (Decided, error) {
	way := &delivery{received: received, stop: d.Command == game.Stop, done: make(chan struct{}), report: l.out}
	var out game.Outcome
	var refused error
	err := l.call(l.calls, func(now soccer.Time) {
		var e Effects
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
		return Decided{}, err
	}
	answer := Decided{Outcome: game.Outcome{
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
func (l *Live) call(way chan func(soccer.Time), f func(now soccer.Time)) error {
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

// isToken compares in a time that tells nothing of the token.
func (l *Live) isToken(token string) bool {
	return l.token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(l.token)) == 1
}

// Allowed says why a page with a token may not see a topic; nil: it may. It is monitor.Config's.
func (l *Live) Allowed(topic, token string) error {
	if (topic == "referee" || topic == "teams/all") && !l.isToken(token) {
		return errToken
	}
	return nil
}

// Handlers answer what the page asks for besides: the logs, and the journal for who follows. They are monitor.Config's.
func (l *Live) Handlers() map[string]http.Handler {
	shelf := matchlog.Shelf{Dir: l.Config.Dir, Allowed: func(token, name string) error {
		if running, _ := l.running.Load().(string); running != "" && strings.HasPrefix(name, running) && !l.isToken(token) {
			return errLogClosed
		}
		return nil
	}}
	shelf.Over = func(name string) bool {
		running, _ := l.running.Load().(string)
		return running == "" || !strings.HasPrefix(name, running)
	}
	all := shelf.Handlers()
	all["GET /api/journal"] = journalHandler(l.Config.Dir, l.tail, l.now, func(token string) error { return l.Allowed("referee", token) })
	return all
}

// Truth writes what truly was, as the channel truth has it. It never waits: what the journal cannot take is left out.
func (l *Live) Truth(m matchlog.Message) {
	m.Channel = matchlog.Truth
	select {
	case l.truth <- m:
	default:
	}
}

// show shows the pages what there is. The loop makes the values, they are encoded here.
func (l *Live) show(ctx context.Context) error {
	if l.Page == nil {
		return nil
	}
	ticker := time.NewTicker(showEvery)
	defer ticker.Stop()
	var teamsAt time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.poke:
		case <-ticker.C:
		}
		values := map[string]any{"refbox": nil, "referee": nil}
		if now := time.Now(); now.Sub(teamsAt) >= teamsEvery {
			teamsAt = now
			values["teams"], values["teams/all"] = nil, nil
		}
		for topic := range values {
			if !l.Page.Wanted(topic) {
				delete(values, topic)
			}
		}
		if len(values) == 0 {
			continue
		}
		if l.call(l.asks, func(now soccer.Time) { l.look(now, values) }) != nil {
			continue // it ends, or is just busy
		}
		for topic, v := range values {
			if err := l.Page.Publish(topic, v); err != nil {
				return err
			}
		}
	}
}

// look fills in what the pages want to see.
func (l *Live) look(now soccer.Time, values map[string]any) {
	for topic := range values {
		switch topic {
		case "refbox":
			s := l.box.Show(now)
			s.Game = l.journal.name()
			values[topic] = s
		case "referee":
			values[topic] = l.box.Referee(now)
		case "teams":
			values[topic] = l.box.Teams(now, false)
		case "teams/all":
			values[topic] = l.box.Teams(now, true)
		}
	}
}

// tellScore tells the score clients.
func (l *Live) tellScore(ctx context.Context) error {
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
