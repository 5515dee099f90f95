package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
)

// externalStep is the time in which a match hands over the motor commands that arrived.
const externalStep = 10 * time.Millisecond

// outside are the fields on which programs outside drive the robots of external teams.
type outside struct {
	fields []*matchnet.Field
	group  *errgroup.Group
	cancel context.CancelFunc
}

// prepareExternal checks the flags of external teams.
func (f *flags) prepareExternal(speedGiven bool) error {
	if !f.cfg.Home.External && !f.cfg.Away.External {
		if f.port != 0 {
			return errors.New("--port: it is for an external team, for example --away external")
		}
		return nil
	}
	switch {
	case f.fork != "":
		return errors.New("--fork: the match has an external team, and cannot be played again")
	case speedGiven && f.speed != "1":
		return fmt.Errorf("--speed %s: a match with an external team runs in real time", f.speed)
	case f.port > 65532:
		return fmt.Errorf("--port %d: want 1 to 65532, the first of four ports", f.port)
	case f.port != 0 && f.cfg.Home.External && f.cfg.Away.External:
		return errors.New("--port: leave it out if both teams are external")
	}
	f.speed = "1"
	return nil
}

// openOutside opens the fields of external teams and waits for their first motor commands. It returns nil without one.
func (f *flags) openOutside(ctx context.Context, errs io.Writer) (*outside, error) {
	o := new(outside)
	ctx, o.cancel = context.WithCancel(ctx)
	o.group, ctx = errgroup.WithContext(ctx)
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, side := range game.Sides {
		if !f.cfg.Team(side).External {
			continue
		}
		field, err := matchnet.Open(side, f.port, log)
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.fields = append(o.fields, field)
		o.group.Go(func() error { return field.Run(ctx) })
	}
	for _, field := range o.fields {
		side := field.Side()
		number := matchnet.TeamNumber(side)
		fmt.Fprintf(errs, "waiting for the %s team: its program sends motor commands of robots 1 to %d, team %d, to the field %s "+
			"(docs/match.md), for example: python3 docs/team.py %s %d\n", side, f.cfg.Team(side).Robots, number,
			field.Address(), field.Address(), number)
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("interrupted before the %s team came", side), o.close())
		case <-field.Arrived():
		}
	}
	return o, nil
}

// tap completes a match's tap.
func (o *outside) tap(tap *match.Tap) {
	for _, field := range o.fields {
		field.Tap(tap)
	}
}

// execute hands the motor commands that arrived to the match.
func (o *outside) execute(m *match.Match) {
	for _, field := range o.fields {
		field.Execute(m)
	}
}

// close ends the fields.
func (o *outside) close() error {
	o.cancel()
	return o.group.Wait()
}
