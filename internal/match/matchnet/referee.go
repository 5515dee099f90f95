package matchnet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/scratch"
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
	box     *refboxnet.Server
	station *stationnet.Client
	robots  *transport.Receiver // of the station
	folder  *scratch.Folder     // of the log, deleted at the end; nil if the log stays
	ran     bool                // the box was closed by its own Run
	welcome chan struct{}       // closed when the box has admitted the station
}

// RefereeCommands returns the names of the page's commands that the referee box executes instead of the session.
func RefereeCommands() []string {
	return []string{"decide", "preview", "admit", "refuse", "release", "promote"}
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
	cfg.New, cfg.Box.HomeID, cfg.Box.Field = true, mixedTeam, s.cfg.Match.Field
	if cfg.Dir == "" {
		if r.folder, err = scratch.New(); err != nil {
			return fmt.Errorf("match: cannot create a folder for the log: %w", err)
		}
		cfg.Dir = r.folder.Path
	}
	if r.box, err = openBox(ctx, cfg, s.log); err != nil {
		return err
	}
	base := stationnet.DefaultConfig(mixedTeam)
	if base.RefBox, err = stationnet.ParseTarget(r.box.Addr().String()); err != nil {
		return err
	}
	base.OnCommand = r.onCommand(s.markReferee)
	r.station, err = stationnet.New(base, stationnet.Warnings(s.log))
	return err
}

// openBox opens a referee box. Without an address it listens where base stations connect by default, or on a free port
// if that is taken.
func openBox(ctx context.Context, cfg refboxnet.Config, log *slog.Logger) (box *refboxnet.Server, err error) {
	listen := []string{cfg.Listen}
	if cfg.Listen == "" {
		listen = []string{refboxnet.DefaultConfig().Listen, "127.0.0.1:0"}
	}
	for _, cfg.Listen = range listen {
		if box, err = refboxnet.New(cfg, log); err != nil {
			return nil, err
		}
		if err = box.Open(ctx); err == nil {
			return box, nil
		}
	}
	return nil, err
}

// close closes what openReferee opened.
func (r *referee) close() {
	r.robots.Close()
	if r.box != nil && !r.ran {
		r.box.Close()
	}
	_ = r.folder.Remove() // the next program tries again
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
	r.ran = true
	group.Go(func() error { return r.box.Run(ctx) })
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
