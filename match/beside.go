package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/station"
	"touchline/transport"
	"touchline/wire/msl"
)

// MixedTeam is the number that the league keeps for mixed teams (facts msl 1.5).
const MixedTeam = 100

// beside is what stands beside the field, as in a match: the robots' base station, and the referee box that it reports to
// over TCP. The session knows nothing of either.
type beside struct {
	box     *refbox.Live
	station *station.Live
	robots  *transport.Receiver // the station's ear
	said    chan string         // the box's commands, for the strip of the page
	scratch string              // where the box's logs are until the end; "": they stay where they are
	ran     bool                // the box closes itself
	told    int                 // of the session's marks, by the station
	truthAt time.Time           // when the truth was last logged
}

// RefereeCommands are the names of a page's commands that the referee box carries out, not the session.
func RefereeCommands() []string {
	return []string{"decide", "preview", "admit", "refuse", "release", "promote"}
}

// truthEvery is how often the truth is logged: once in each window of the box (seed 002: around 100 ms).
const truthEvery = 100 * time.Millisecond

// openBeside opens the referee box, and what its base station will hear.
func (l *Live) openBeside(ctx context.Context) error {
	robots, _, err := l.listen()
	if err != nil {
		return err
	}
	b := &beside{robots: robots, said: make(chan string, 16)}
	l.beside = b // closed with the rest from here on
	cfg := *l.Referee
	cfg.New, cfg.Box.HomeID, cfg.Box.Field = true, MixedTeam, l.Config.Field
	if cfg.Dir == "" {
		if b.scratch, err = os.MkdirTemp("", "touchline-"); err != nil {
			return fmt.Errorf("match: there is no place for the match's log: %w", err)
		}
		cfg.Dir = b.scratch
	}
	if b.box, err = openBox(ctx, cfg, l.Log); err != nil {
		return err
	}
	// Box and station are in one program: that they are connected goes without saying.
	quiet := slog.New(warnings{l.Log.Handler()})
	b.station, err = station.NewLive(station.DefaultConfig(MixedTeam), b.box.Addr().String(), quiet)
	return err
}

// warnings leaves out what is less.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// openBox opens a referee box: where its base stations are not told where to connect, that is where they try first, or
// any free port when that is taken.
func openBox(ctx context.Context, cfg refbox.LiveConfig, log *slog.Logger) (box *refbox.Live, err error) {
	listen := []string{cfg.Listen}
	if cfg.Listen == "" {
		listen = []string{refbox.DefaultLiveConfig().Listen, "127.0.0.1:0"}
	}
	for _, cfg.Listen = range listen {
		if box, err = refbox.NewLive(cfg, log); err != nil {
			return nil, err
		}
		if err = box.Open(ctx); err == nil {
			return box, nil
		}
	}
	return nil, err
}

// RefBox returns the referee box after Open, nil where there is none.
func (l *Live) RefBox() *refbox.Live {
	if l.beside == nil {
		return nil
	}
	return l.beside.box
}

// close gives back what openBeside took.
func (b *beside) close() {
	b.robots.Close()
	if b.box != nil && !b.ran {
		b.box.Close()
	}
	if b.scratch != "" {
		os.RemoveAll(b.scratch)
	}
}

// run runs the box and the station, and begins the game as soon as the box has taken the station in.
func (b *beside) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	b.ran = true
	welcome := make(chan struct{})
	var once sync.Once
	b.station.Told = func(t station.Told, _ []byte) {
		once.Do(func() { close(welcome) }) // the first word is WELCOME
		select {
		case b.said <- words(&t):
		default: // a session that stands still has no need of it
		}
	}
	group.Go(func() error { return b.box.Run(ctx) })
	group.Go(func() error { return b.station.Run(ctx, b.robots) })
	group.Go(func() error {
		select {
		case <-ctx.Done():
			return nil
		case <-welcome:
			return b.begin(ctx)
		}
	})
	return group.Wait()
}

// begin decides what a referee would. A log directory may hold a game that goes on: then there is nothing to begin.
func (b *beside) begin(ctx context.Context) error {
	for _, d := range []game.Decision{{Command: game.KickOff, Side: game.Home}, {Command: game.Start}} {
		if _, err := b.box.Decide(ctx, d); err != nil && !errors.Is(err, game.ErrRefused) && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// words returns a command as the page's strip has it; "" for WELCOME, which is no part of the game.
func words(t *station.Told) string {
	if t.Command.Name == msl.Welcome {
		return ""
	}
	text := strings.ToLower(strings.ReplaceAll(t.Command.Name, "_", " "))
	switch t.Side { // on the page the mixed team is home
	case station.Ours:
		text += " " + string(game.Home)
	case station.Theirs:
		text += " " + string(game.Away)
	}
	return text
}

// note puts what the box said on the strip, and tells the box what happened since the last call, as its base station does,
// and the truth.
func (l *Live) note(now time.Time) error {
	b, s := l.beside, l.session
	if b == nil {
		return nil
	}
	for range len(b.said) {
		if text := <-b.said; text != "" {
			s.mark("referee", 0, text)
		}
	}
	for n := min(s.marked-b.told, len(s.marks)); n > 0; n-- {
		if robot, text := s.event(len(s.marks) - n); robot != 0 {
			_ = b.station.Event(int(robot), text) // nobody is told before WELCOME, nor while the box is away
		}
	}
	b.told = s.marked
	if now.Sub(b.truthAt) < truthEvery {
		return nil
	}
	b.truthAt = now
	at := soccer.Time(now.UnixNano())
	data, err := json.Marshal(s.logged(at))
	if err != nil {
		return err
	}
	b.box.Truth(matchlog.Message{Time: at, Published: at, Channel: matchlog.Truth, Data: data})
	return nil
}

// event returns a mark as its base station tells it: which robot, 0 for none, and what. A substitution is told of the robot
// that goes out, which the RefBox knows. A kick of somebody beside the field is told by the robot nearest to the ball, which
// sees it best.
func (s *Session) event(mark int) (robot uint8, text string) {
	m := &s.marks[mark]
	switch m.Kind {
	case "substitute":
		return s.members[s.waiting].Number, "substitute, " + m.Text
	case "on":
		return m.Number, "switched on"
	case "kick":
		ball, _ := s.engine.Ball()
		nearest := math.Inf(1)
		for i := range s.slots {
			number := s.members[s.slots[i].member].Number
			pose, ok := s.engine.RobotPose(number)
			if d := pose.XY().Sub(ball.XY()).Len(); ok && s.slots[i].robot != nil && d < nearest {
				robot, nearest = number, d
			}
		}
		return robot, m.Text
	}
	return 0, ""
}

// logged is the truth as the log has it: in the field frame, at a moment of the box's clock.
type logged struct {
	Time   soccer.Time   `json:"time"`
	Ball   soccer.Vec3   `json:"ball"`
	Robots []loggedRobot `json:"robots"`
}

type loggedRobot struct {
	Number uint8       `json:"number"`
	Team   game.Side   `json:"team"`
	Pose   soccer.Pose `json:"pose"`
}

func (s *Session) logged(at soccer.Time) logged {
	v := logged{Time: at, Robots: make([]loggedRobot, 0, len(s.slots))}
	v.Ball, _ = s.engine.Ball()
	for i := range s.slots {
		number := s.members[s.slots[i].member].Number
		if pose, ok := s.engine.RobotPose(number); ok {
			v.Robots = append(v.Robots, loggedRobot{number, game.Home, pose})
		}
	}
	return v
}
