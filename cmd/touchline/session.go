package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/sync/errgroup"

	"touchline/internal/match/matchnet"
	"touchline/internal/robot/robotnet"
	"touchline/internal/watch"
)

// Of returns the crew of an open session whose robots' software runs outside. args are further flags of the command
// robot; errs receives what the robots log.
func Of(s *matchnet.Session, log *slog.Logger, errs io.Writer, args ...string) (*Crew, error) {
	if trouble := s.Wall("wall").(*watch.Wall).Link.Trouble; trouble != "" {
		return nil, fmt.Errorf("robots as processes need multicast: %s", trouble)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program does not find its own file to start robots: %w", err)
	}
	_, field := s.TCM()
	c := New(Config{
		Program: program, Args: append([]string{"--field", field.String()}, args...), Wanted: s.Wanted, Mark: s.MarkRobot,
		Errors: errs, Air: func(number uint8) (air robotnet.Air) {
			air.Link, air.Apart = s.Air(number)
			return air
		},
	}, log)
	s.OnCrash(c.Kill)
	return c, nil
}

// Beside returns a function that runs a session and its crew. For a nil Crew it is session.
func (c *Crew) Beside(session func(context.Context) error) func(context.Context) error {
	if c == nil {
		return session
	}
	return func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return session(ctx) })
		group.Go(func() error { return c.Run(ctx) })
		return group.Wait()
	}
}
