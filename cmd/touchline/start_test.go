package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/match"
	"touchline/internal/vss"
	"touchline/internal/watch"
	"touchline/wire/wiretest"
)

// openSides runs the programs beside a session until the test ends, and returns them with a server of their folders.
func openSides(t *testing.T) (*sides, string) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSides(slog.New(slog.DiscardHandler))
	mux := http.NewServeMux()
	for pattern, h := range s.handlers() {
		mux.Handle(pattern, h)
	}
	server, done := httptest.NewServer(mux), make(chan error, 1)
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		server.Close()
	})
	go func() {
		done <- s.run(func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}, &page{})(ctx)
	}()
	return s, server.URL
}

// Each program beside the session moves in its preview.
func TestSidesMove(t *testing.T) {
	single(t)
	s, _ := openSides(t)
	for _, name := range []string{"football", "simulator", "story-booking", "story-liar", "story-network"} {
		place := func() (x, y float64) {
			switch v := s.preview("preview/" + name).(type) {
			case watch.Preview:
				if v.Scene != nil && len(v.Scene.Robots) > 0 {
					x, y = v.Scene.Ball.X, v.Scene.Ball.Y
					for _, r := range v.Scene.Robots {
						x, y = x+r.Pose.X, y+r.Pose.Y
					}
					return x, y
				}
			case *vss.Show:
				return v.Ball.Position.X, v.Ball.Position.Y
			}
			t.Fatalf("%s: no preview", name)
			return 0, 0
		}
		x, y := place()
		wiretest.Eventually(t, name+" moves", func() bool {
			nx, ny := place()
			return nx != x || ny != y
		})
	}
	if v := s.preview("preview/session"); v != nil {
		t.Errorf("a preview that is not a side's: %v", v)
	}
}

// The folder of each program has its pages, whose addresses are relative, and a way back.
func TestSidesHavePages(t *testing.T) {
	single(t)
	_, url := openSides(t)
	get := func(path string) string {
		t.Helper()
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.Status + " " + string(body)
	}
	for path, want := range map[string]string{
		"/football/": "wall/wall.js", "/football/api/pages": `["match","wall","tcm","booking","up"]`, "/football/shared/page.js": "export",
		"/simulator/vss": "vss/vss.js", "/story-liar/api/pages": `["booking","wall","network","up"]`,
	} {
		if got := get(path); !strings.HasPrefix(got, "200") || !strings.Contains(got, want) {
			t.Errorf("%s: got %.200s, want %s", path, got, want)
		}
	}
}

// While somebody looks and nobody commands them, a match that is over begins again, a story goes on, and a simulated ball
// returns from a goal.
func TestSidesGoOn(t *testing.T) {
	single(t)
	short := match.DefaultMatchConfig()
	short.Half = time.Second
	football, err := footballSide(short)
	if err != nil {
		t.Fatal(err)
	}
	story, err := storySide("booking", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ctx)
	simulator, err := simulatorSide(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	sides := []*side{
		{name: "football", program: football}, {name: "story-booking", program: story}, {name: "simulator", program: simulator},
	}
	for _, o := range sides {
		o.look(false)
		group.Go(func() error { return o.play(ctx) })
	}
	defer func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := football.pages.Commands.Do("speed", []byte(`{"factor":0}`)); err != nil {
		t.Fatal(err)
	}
	game := func() *match.ShowView { return football.topics[0].snapshot("match").(*match.ShowView) }
	looked := func(holds func() bool) func() bool {
		return func() bool {
			for _, o := range sides {
				o.look(false)
			}
			return holds()
		}
	}
	seed, told := game().Seed, story.preview().(watch.Preview).Text
	wiretest.Eventually(t, "the match ends", looked(func() bool { return game().Over }))
	wiretest.Eventually(t, "another match begins", looked(func() bool { return game().Seed != seed && !game().Over }))
	if _, err := simulator.pages.Commands.Do("ball", []byte(`{"x":0.8,"y":0,"vx":0,"vy":0}`)); err != nil {
		t.Fatal(err)
	}
	where := func() float64 { return simulator.preview().(*vss.Show).Ball.Position.X }
	wiretest.Eventually(t, "the ball is in the goal", looked(func() bool { return where() > 0.7 }))
	wiretest.Eventually(t, "the ball is back", looked(func() bool { return where() < 0.3 }))
	wiretest.Eventually(t, "the story goes on", looked(func() bool { return story.preview().(watch.Preview).Text != told }))
}
