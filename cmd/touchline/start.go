package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/vss/vssnet"
	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/teamcom"
)

const (
	previewPeriod = 66 * time.Millisecond
	idleAfter     = 3 * time.Second // without a page that looks: then a side stands still
	endShown      = 6 * time.Second // before a side without a visitor begins again
)

// side is a program beside the session in a folder of its page, /NAME/. It opens when a page first asks for it, and plays
// while one looks.
type side struct {
	name  string
	build func(ctx context.Context) (*sideProgram, error)

	mu      sync.Mutex
	program *sideProgram // nil until it is opened
	server  *monitor.Server
	err     error // why it cannot be opened
	looked  time.Time
	visited time.Time // when one of its own pages looked that may command it
}

// sideProgram is the program of a side.
type sideProgram struct {
	pages   monitor.Config
	topics  []topic
	run     func(context.Context) error // plays until the context ends, and goes on there when it is called again
	preview func() any
	goesOn  func() // is called while somebody looks and no page commands it; nil for a program without an end
}

// sides are the programs beside a session.
type sides struct {
	all []*side

	log   *slog.Logger
	began chan struct{} // closed when the next fields are set
	ctx   context.Context
	group *errgroup.Group
	page  *page
}

// newSides returns the programs that the start page shows beside the session. They have no sockets that others use.
func newSides(log *slog.Logger) *sides {
	all := []*side{
		{name: "football", build: func(context.Context) (*sideProgram, error) {
			return footballSide(match.DefaultMatchConfig())
		}},
		{name: "simulator", build: func(ctx context.Context) (*sideProgram, error) { return simulatorSide(ctx, log) }},
	}
	for _, story := range match.Stories() {
		all = append(all, &side{name: "story-" + story, build: func(context.Context) (*sideProgram, error) {
			return storySide(story, log)
		}})
	}
	return &sides{all: all, log: log, began: make(chan struct{})}
}

// run runs what the page shows, and the sides beside it.
func (s *sides) run(shown func(context.Context) error, page *page) func(context.Context) error {
	return func(ctx context.Context) error {
		s.group, s.ctx = errgroup.WithContext(ctx)
		s.page = page
		close(s.began)
		s.group.Go(func() error { return shown(s.ctx) })
		return s.group.Wait()
	}
}

// handlers answer the requests in the folders of the sides.
func (s *sides) handlers() map[string]http.Handler {
	all := map[string]http.Handler{}
	for _, one := range s.all {
		folder := "/" + one.name
		h := http.StripPrefix(folder, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			server, err := s.open(one)
			if err != nil {
				http.Error(w, console.Plain(err.Error()), http.StatusServiceUnavailable)
				return
			}
			one.look(!s.page.viewOnly)
			server.ServeHTTP(w, r)
		}))
		all["GET "+folder+"/"], all["POST "+folder+"/"] = h, h
	}
	return all
}

// open opens a side unless it is open.
func (s *sides) open(one *side) (*monitor.Server, error) {
	<-s.began
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.program != nil || one.err != nil {
		return one.server, one.err
	}
	program, err := one.build(s.ctx)
	if err != nil {
		one.err = fmt.Errorf("cannot open %s: %w", one.name, err)
		return nil, one.err
	}
	program.pages.Hosts, program.pages.Pages = s.page.hosts, append(program.pages.Pages, "up")
	program.pages.ViewOnly = s.page.viewOnly
	one.program, one.server, one.looked = program, monitor.New(program.pages), time.Now()
	for _, t := range program.topics {
		if s.page.viewOnly {
			t.snapshot = withoutControls(t.snapshot)
		}
		s.group.Go(func() error {
			return one.server.Every(s.ctx, t.name, t.period, func(topic string) any {
				one.look(!s.page.viewOnly)
				return t.snapshot(topic)
			})
		})
	}
	s.group.Go(func() error {
		defer one.server.Close()
		if err := one.play(s.ctx); err != nil {
			s.log.Warn("a program of the start page has stopped", "name", one.name, "err", err)
		}
		return nil
	})
	return one.server, nil
}

// look notes that a page looks; commands: one of the side itself, which may send commands.
func (o *side) look(commands bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looked = time.Now()
	if commands {
		o.visited = o.looked
	}
}

// play runs the program while somebody looks. One that nobody commands goes on by itself where it waits or ends.
func (o *side) play(ctx context.Context) error {
	var stop context.CancelFunc
	var ended chan error
	for ctx.Err() == nil {
		o.mu.Lock()
		looks, alone := time.Since(o.looked) < idleAfter, time.Since(o.visited) > idleAfter
		o.mu.Unlock()
		switch {
		case looks && stop == nil:
			var playing context.Context
			playing, stop = context.WithCancel(ctx)
			ended = make(chan error, 1)
			go func() { ended <- o.program.run(playing) }()
		case !looks && stop != nil:
			stop()
			if err := <-ended; err != nil {
				return err
			}
			stop = nil
		case looks && alone && o.program.goesOn != nil:
			o.program.goesOn()
		}
		select {
		case <-ctx.Done():
		case <-time.After(previewPeriod):
		}
	}
	if stop != nil {
		stop()
		return <-ended
	}
	return nil
}

// preview returns a topic "preview/NAME".
func (s *sides) preview(topic string) any {
	for _, one := range s.all {
		if one.name != strings.TrimPrefix(topic, "preview/") {
			continue
		}
		if _, err := s.open(one); err != nil {
			return watch.Preview{Text: console.Plain(err.Error())}
		}
		one.look(false)
		return one.program.preview()
	}
	return nil
}

// footballSide returns a match in virtual time. Where nobody watches it in large, another one follows its end.
func footballSide(cfg match.MatchConfig) (*sideProgram, error) {
	cfg.Localise = true
	m, err := matchnet.VirtualMatch(cfg, match.Tap{})
	if err != nil {
		return nil, err
	}
	over := time.Time{} // when it was over first; zero while it is played
	return &sideProgram{
		pages: commanded(m.Commands(), gamePages...), topics: gameTopics(func() *matchnet.Match { return m }), run: m.Run,
		preview: func() any { return m.Preview() },
		goesOn: func() {
			switch v := m.Match("match").(*match.ShowView); {
			case !v.Over:
				over = time.Time{}
			case over.IsZero():
				over = time.Now()
			case time.Since(over) > endShown:
				_, _ = m.Commands().Do("again", []byte(`{}`)) // a page has asked for it already
			}
		},
	}, nil
}

// storySide returns a story. While nobody commands it, it goes on by itself, and begins again after its end.
func storySide(name string, log *slog.Logger) (*sideProgram, error) {
	const pause = 2 * time.Second
	cfg := matchnet.DefaultConfig()
	cfg.Story = name
	var s *matchnet.Session
	team := watchnet.NewTeam(func() []teamcom.Report { return nil })
	team.Follow(func() time.Duration {
		if s == nil { // what the robots say while the session opens
			return 0
		}
		return s.Elapsed()
	})
	s, err := matchnet.Virtual(cfg, team.Packet, log)
	if err != nil {
		return nil, err
	}
	figure, since := 0, time.Now()
	return &sideProgram{
		pages: commanded(s.Commands(), "booking", "wall", "network"), run: s.RunVirtual,
		topics:  append(wallTopics(s), topic{"booking", watch.BookingPeriod, team.Booking}),
		preview: func() any { return s.Preview() },
		goesOn: func() {
			story := s.Story()
			if !story.Reached || story.Figure != figure {
				figure, since = story.Figure, time.Now()
			}
			var err error
			switch waited := time.Since(since); {
			case !story.Reached:
			case !story.Over && waited > pause:
				_, err = s.Commands().Do("next", []byte(`{}`))
			case story.Over && waited > endShown:
				_, err = s.Commands().Do("figure", fmt.Appendf(nil, `{"number":%d}`, story.First))
			}
			if err != nil {
				log.Debug("a story of the start page does not go on", "err", err)
			}
		},
	}, nil
}

// simulatorSide returns a simulator in which the built-in teams play. It sends no vision and has no referee: it disturbs
// no other one. While nobody commands it, a ball that has come to rest, in a goal or between robots, returns to the centre.
func simulatorSide(ctx context.Context, log *slog.Logger) (*sideProgram, error) {
	cfg := vssnet.DefaultConfig()
	cfg.Commands, cfg.Vision, cfg.Builtin = "127.0.0.1:0", nil, [2]string{"builtin", "builtin"}
	cfg.Lockstep, cfg.Speed = [2]bool{true, true}, 1
	server, err := vssnet.New(cfg, log)
	if err != nil {
		return nil, err
	}
	if err := server.Open(); err != nil {
		return nil, err
	}
	const slow = 0.05 // m/s
	commands, ended, rolled := server.Commands(), make(chan error, 1), time.Now()
	go func() { ended <- server.Run(ctx) }()
	return &sideProgram{
		pages: commanded(commands, "vss"), preview: func() any { return server.Show() },
		topics: []topic{{"vss", vssnet.ShowPeriod, func(string) any { return server.Show() }}},
		goesOn: func() {
			show := server.Show()
			ball := show.Ball
			if math.Hypot(ball.Velocity.X, ball.Velocity.Y) > slow && math.Abs(ball.Position.X) < show.Field.Length/2 {
				rolled = time.Now()
			}
			if time.Since(rolled) < endShown/2 {
				return
			}
			rolled = time.Now()
			if _, err := commands.Do("ball", []byte(`{"x":0,"y":0,"vx":0,"vy":0}`)); err != nil {
				log.Debug("the simulator of the start page does not go on", "err", err)
			}
		},
		run: func(ctx context.Context) error {
			if _, err := commands.Do("pause", []byte(`{"paused":false}`)); err != nil {
				return err
			}
			select {
			case err := <-ended:
				return err
			case <-ctx.Done():
			}
			_, _ = commands.Do("pause", []byte(`{"paused":true}`)) // one that has ended stands still
			return nil
		},
	}, nil
}
