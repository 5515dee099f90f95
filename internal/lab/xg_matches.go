package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/soccer"
)

// XGMatches compares the expected goals of matches of the built-in team with their goals.
type XGMatches struct {
	First   uint64     `json:"first"` // seed
	Matches int        `json:"matches"`
	Half    float64    `json:"half"` // s
	Shots   int        `json:"shots"`
	Goals   int        `json:"goals"` // of these shots
	XG      float64    `json:"xg"`    // of the shots, by the table of the program
	Sigma   float64    `json:"sigma"` // by which the goals differ from XG by chance: sqrt of the sum of xG (1 - xG)
	Brier   float64    `json:"brier"` // mean of (xG - goal)^2
	Flat    float64    `json:"flat"`  // the same for one xG for all: the share of the goals of these shots
	Bins    []XGPlaces `json:"bins"`  // by the distance from the goal's middle, in steps of 1 m from 0 on
	squares float64    // sum of (xG - goal)^2
}

// XGPlaces sums up the shots from one range of distances.
type XGPlaces struct {
	Shots int     `json:"shots"`
	Goals int     `json:"goals"`
	XG    float64 `json:"xg"`
}

// XGPlay plays matches of the built-in team against itself, several at a time, on a perfect network.
func XGPlay(ctx context.Context, first uint64, matches int, half time.Duration, progress func(done int)) (XGMatches, error) {
	r := XGMatches{First: first, Matches: matches, Half: half.Seconds(), Bins: make([]XGPlaces, 10)}
	if matches < 1 || matches > 100_000 {
		return r, fmt.Errorf("xg: matches %d: want 1 to 100000", matches)
	}
	all := make([][]analysis.Event, matches)
	var lock sync.Mutex
	done := 0
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range matches {
		group.Go(func() (err error) {
			if all[i], err = shotsOf(ctx, first+uint64(i), half); err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			done++
			progress(done)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return r, err
	}
	field := match.DefaultMatchConfig().Field
	for _, events := range all {
		for i := range events {
			r.add(&field, &events[i])
		}
	}
	variance := r.Sigma
	n := max(float64(r.Shots), 1)
	share := float64(r.Goals) / n
	r.Sigma, r.Brier, r.Flat = math.Sqrt(variance), r.squares/n, share*(1-share)
	return r, nil
}

// add counts a shot.
func (r *XGMatches) add(field *soccer.Field, e *analysis.Event) {
	from := e.From
	if e.By.Side == game.Away {
		from = from.Turned()
	}
	goal := 0
	if e.Success {
		goal = 1
	}
	r.Shots++
	r.Goals += goal
	r.XG += e.XG
	r.Sigma += e.XG * (1 - e.XG)
	r.squares += (e.XG - float64(goal)) * (e.XG - float64(goal))
	d := soccer.Vec{X: field.Length / 2}.Sub(from).Len()
	b := &r.Bins[min(int(d), len(r.Bins)-1)]
	b.Shots++
	b.Goals += goal
	b.XG += e.XG
}

// shotsOf plays a match and returns its shots.
func shotsOf(ctx context.Context, seed uint64, half time.Duration) (shots []analysis.Event, err error) {
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Half = seed, half
	analyst := analysis.NewAnalyst(cfg.Field)
	m, err := match.NewMatch(cfg, match.Tap{Sample: func(now soccer.Time, s *autoref.Scene, st *game.State) {
		analyst.Step(&analysis.Frame{Time: now, At: now, State: *st, Scene: *s, Known: true, Told: true})
	}})
	if err != nil {
		return nil, err
	}
	for end := m.Now().Add(2*half + time.Minute); !m.Over(); m.Advance(m.Now().Add(time.Second)) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case m.Err() != nil:
			return nil, m.Err()
		case m.Now() > end:
			return nil, errors.New("xg: a match was not over a minute after its time")
		}
	}
	for _, e := range analyst.Report().Events {
		if e.Kind == analysis.Shot {
			shots = append(shots, e)
		}
	}
	return shots, nil
}
