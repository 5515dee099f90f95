package matchnet

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/station"
	"touchline/internal/station/stationnet"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
)

// mixedTeam is the number of mixed teams in the league (RefBox 2.1).
const mixedTeam = 100

// referee is the referee box of the session, and the mixed team's base station that reports to it over TCP.
type referee struct {
	box     *box
	station *stationnet.Client
	robots  *transport.Receiver // of the station
	welcome chan struct{}       // closed when the box has admitted the station
}

// openReferee opens the referee box and the base station's socket.
func (s *Session) openReferee(ctx context.Context) error {
	robots, _, err := s.listen()
	if err != nil {
		return err
	}
	r := &referee{robots: robots, welcome: make(chan struct{})}
	s.referee = r // Close closes it from here on
	cfg := *s.cfg.RefBox
	cfg.Box.HomeID, cfg.Box.Field = mixedTeam, s.cfg.Match.Field
	if r.box, err = openBox(ctx, cfg, s.log); err != nil {
		return err
	}
	r.station, err = r.box.station(stationnet.DefaultConfig(mixedTeam), r.onCommand(s.markReferee), s.log)
	return err
}

// close closes what openReferee opened.
func (r *referee) close() {
	r.robots.Close()
	r.box.close()
}

// onCommand returns a function that calls mark with each command of the referee and closes r.welcome at the first
// WELCOME.
func (r *referee) onCommand(mark func(text string)) func(station.Command, []byte) {
	var once sync.Once
	return func(c station.Command, _ []byte) {
		if c.Name == msl.Welcome {
			once.Do(func() { close(r.welcome) })
			return
		}
		mark(words(&c))
	}
}

// run runs the box and the station, and starts the game when the box has admitted the station.
func (r *referee) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.box.run(ctx) })
	group.Go(func() error { return r.station.Run(ctx, r.robots) })
	group.Go(func() error {
		select {
		case <-ctx.Done():
			return nil
		case <-r.welcome:
			return r.kickOff(ctx)
		}
	})
	return group.Wait()
}

// kickOff starts the game. The box refuses it in a log folder that holds an unfinished game, which is already running.
func (r *referee) kickOff(ctx context.Context) error {
	for _, d := range []game.Decision{{Command: game.KickOff, Side: game.Home}, {Command: game.Start}} {
		if _, err := r.box.Decide(ctx, d); err != nil && !errors.Is(err, game.ErrRefused) && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// words returns a command as the timeline shows it. The mixed team is home.
func words(c *station.Command) string {
	text := strings.ToLower(strings.ReplaceAll(c.Name, "_", " "))
	switch c.Side {
	case station.Ours:
		text += " " + string(game.Home)
	case station.Theirs:
		text += " " + string(game.Away)
	}
	return text
}

// send sends the robots' events to the box. Before WELCOME, and while the box is away, they are lost.
func (r *referee) send(events []match.RobotEvent) {
	for _, e := range events {
		_ = r.station.Event(int(e.Robot), e.Text)
	}
}

// logTruth logs the ground truth of now.
func (r *referee) logTruth(scene *watch.Scene) error {
	now := r.box.Now()
	t := game.Truth{
		Time: now, Ball: soccer.Vec3{X: scene.Ball.X, Y: scene.Ball.Y, Z: scene.Ball.Z},
		Robots: make([]game.TruthRobot, 0, len(scene.Robots)),
	}
	for _, f := range scene.Robots {
		t.Robots = append(t.Robots, game.TruthRobot{Number: f.Number, Team: game.Home, Shape: f.Shape, Pose: f.Pose})
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	r.box.Truth(matchlog.Message{Time: now, Published: now, Channel: matchlog.Truth, Data: data})
	return nil
}

// logTruth logs the field of now; its contacts have the match's own clock.
func (r *matchReferee) logTruth(now soccer.Time, s *autoref.Scene) {
	truth := analysis.Truth(now, s)
	if data, err := json.Marshal(truth); err == nil { // a place that is no number is no place
		at := r.box.Now()
		r.box.Truth(matchlog.Message{Time: at, Published: at, Channel: matchlog.Truth, Data: data})
	}
}

// matchReferee connects the automatic referee of a match, which sees the field, to a referee box on the network. It is a
// match.Box, whose methods require the match's lock.
type matchReferee struct {
	match  *Match
	box    *box
	orders chan game.Decision // of the automatic referee

	// require the match's lock
	waiting int // orders that are not carried out
	state   game.State
	asked   time.Time // when the box told state; zero: it has not
	began   bool      // both base stations were admitted, and the external teams are there
}

// Periods of a match's referee.
const (
	statePeriod = 50 * time.Millisecond
	awayAfter   = time.Second // without an answer the referee box counts as away
)

// openMatchReferee opens the referee box of a match.
func openMatchReferee(ctx context.Context, m *Match) (*matchReferee, error) {
	cfg := refboxnet.DefaultConfig()
	cfg.Listen, cfg.Dir, cfg.ScoreClients = "", m.cfg.Dir, nil
	cfg.Box.Name, cfg.Box.Field, cfg.Box.Resync, cfg.Box.NewCard = "match", m.cfg.Match.Field, true, m.cfg.NewCard
	cfg.Box.Rules.HalfSeconds = int(m.cfg.Match.Half / time.Second)
	cfg.Box.HomeID, cfg.Box.AwayID = firstTeam, firstTeam+1
	home, away := m.cfg.Match.Titles()
	cfg.Box.Teams = []soccer.Team{
		{ID: firstTeam, Name: home, Short: string(game.Home)}, {ID: firstTeam + 1, Name: away, Short: string(game.Away)},
	}
	b, err := openBox(ctx, cfg, m.log)
	if err != nil {
		return nil, err
	}
	return &matchReferee{match: m, box: b, orders: make(chan game.Decision, 16)}, nil
}

// run carries out the orders of the automatic referee, and asks for the state of the game, until ctx ends.
func (r *matchReferee) run(ctx context.Context) error {
	ticker := time.NewTicker(statePeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			r.askState(0)
		case d := <-r.orders:
			out, err := r.box.Decide(ctx, d)
			if err != nil && !errors.Is(err, game.ErrRefused) && ctx.Err() == nil { // the referee tries again
				r.match.log.Warn("the referee box does not take a decision", "decision", d.Command, "err", err)
			}
			for i := range out.Messages {
				r.match.note("referee", 0, match.Phrase(&out.Messages[i]))
			}
			r.askState(1)
		}
	}
}

// askState notes the state of the game, after a number of orders was carried out.
func (r *matchReferee) askState(done int) {
	state, err := r.box.Game()
	r.match.mu.Lock()
	defer r.match.mu.Unlock()
	r.waiting -= done
	if err == nil {
		r.state, r.asked = state, time.Now()
	}
	r.began = r.began || r.match.complete()
}

// State returns the state of the game now.
func (r *matchReferee) State() (game.State, bool) {
	m, st := r.match, r.state
	if r.asked.IsZero() {
		return game.State{Part: game.PreGame}, false
	}
	shift := m.at(r.asked).Sub(st.Time)
	for _, t := range []*soccer.Time{&st.Time, &st.TakingUntil, &st.SubstitutionUntil} {
		*t = t.Add(shift)
	}
	return st.At(m.show.Now()), r.began && r.waiting == 0 && time.Since(r.asked) < awayAfter
}

// Decide orders a decision of the automatic referee.
func (r *matchReferee) Decide(d game.Decision) {
	select {
	case r.orders <- d:
		r.waiting++
	default: // the referee decides again
	}
}
