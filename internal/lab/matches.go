package lab

import (
	"context"
	"errors"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/transport/traffic"
)

// Config says what Run plays.
type Config struct {
	One, Other string        // the teams, as match.FindTeam knows them. Default touchline, and touchline-nobooking
	Link       traffic.Link  // impairs all datagrams. Default 10 % loss
	First      uint64        // seed. Default 1
	Seeds      int           // matches. Default 20
	Half       time.Duration // of each half. Default 60 s
}

// DefaultConfig returns 20 matches of 2 x 60 s with 10 % loss, with and without the ball booking.
func DefaultConfig() Config {
	return Config{
		One: "touchline", Other: "touchline-nobooking", Link: traffic.Link{Loss: 0.1}, First: 1, Seeds: 20, Half: time.Minute,
	}
}

// Validate returns an error that names the first value out of range and the range.
func (c *Config) Validate() error {
	_, err := c.plan()
	return err
}

// plan returns the plan of a batch with these matches.
func (c *Config) plan() (*batch.Plan, error) {
	m := batch.DefaultMatrix()
	m.Teams, m.Against, m.Half, m.First, m.Seeds = []string{c.One}, []string{c.Other}, c.Half, c.First, c.Seeds
	m.Networks[0].Link = c.Link
	return batchnet.NewPlan(m, batch.Program{}, ".", nil)
}

// sides returns the sides of the two teams with a seed: they change with each.
func (c *Config) sides(seed uint64) [2]game.Side {
	if (seed-c.First)%2 == 1 {
		return [2]game.Side{game.Away, game.Home}
	}
	return [2]game.Side{game.Home, game.Away}
}

// team returns the name of the first team or of the second one.
func (c *Config) team(i int) string { return []string{c.One, c.Other}[i] }

// Run plays the matches, several at a time. After each one it calls progress, from one goroutine at a time, with the
// number of matches that are done. When ctx ends, it returns the figures of those, and the cause.
func Run(ctx context.Context, cfg Config, progress func(done int)) (Report, error) {
	plan, err := cfg.plan()
	if err != nil {
		return Report{}, errors.New("matches: " + err.Error())
	}
	results := make([]*batch.Result, cfg.Seeds) // in the order of the seeds
	var lock sync.Mutex
	done := 0
	err = batchnet.OnCores(batchnet.Cores())(ctx, plan, func(yield func(*batch.Job) bool) {
		for n := range cfg.Seeds {
			if pair := plan.AppendSeed(nil, n); !yield(&pair[n%2]) {
				return
			}
		}
	}, func(job *batch.Job, r *batch.Result) error {
		lock.Lock()
		defer lock.Unlock()
		results[job.Flags.Seed-cfg.First] = r
		done++
		progress(done)
		return nil
	})
	return newReport(&cfg, results), err
}
