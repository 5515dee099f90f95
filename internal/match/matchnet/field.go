// Package fiveasidenet lets programs outside drive the robots of a team in a match (docs/teamcom.md, "Drive a robot"): the
// field sends each robot what it senses and what its base station tells it, and receives its motor commands.

package matchnet

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// maxWaiting bounds the motor commands that wait for the match: 1 s of five robots at 50 Hz.
const maxWaiting = 256

// Field is the field for the programs of one team. Its methods may be called from any goroutine.
type Field struct {
	side     game.Side
	endpoint *teamcomnet.Endpoint

	mu      sync.Mutex
	waiting []liveCommand
	once    sync.Once
	arrived chan struct{} // closed by the first motor command
}

// liveCommand is a motor liveCommand that arrived.
type liveCommand struct {
	number uint8
	motor  team.Motor
}

// Open opens the field for a team on 127.0.0.1. base is its base port; 0 chooses one.
func Open(side game.Side, base uint16, log *slog.Logger) (*Field, error) {
	if base == 0 {
		bases, err := teamcomnet.FreeBases(1)
		if err != nil {
			return nil, err
		}
		base = bases[0]
	}
	d := &teamcom.Directory{Team: TeamNumber(side)}
	for n := uint8(1); n <= match.MostRobots; n++ {
		d.Entries = append(d.Entries, teamcom.Entry{Entity: tcm.Entity{Kind: tcm.Robot, ID: n}, Learn: true})
	}
	d.Entries = append(d.Entries, teamcom.Entry{Entity: robot.Field, Addr: teamcomnet.Loopback(base)})
	cfg := teamcomnet.DefaultConfig(robot.Field)
	cfg.Node.Directory, cfg.Node.Name = d, "field"
	cfg.Node.Timeout, cfg.Node.Beacon = robot.LinkTimeout, robot.Beacon
	// A program with one socket uses one class for all.
	cfg.Node.Types = map[tcm.Type]teamcom.Options{tcm.Type(team.TypeReferee): teamcom.DefaultOptions(tcm.Type(team.TypeSense))}
	e, err := teamcomnet.Open(cfg, log)
	if err != nil {
		return nil, fmt.Errorf("fiveasidenet: %w", err)
	}
	f := &Field{side: side, endpoint: e, arrived: make(chan struct{})}
	teamcom.Handle(e.Module(tcm.Field), f.receive)
	return f, nil
}

// TeamNumber returns the number of a side's team in the TCM: home 1, away 2.
func TeamNumber(side game.Side) uint8 {
	if side == game.Home {
		return 1
	}
	return 2
}

// Side returns the side whose robots the field hands over.
func (f *Field) Side() game.Side { return f.side }

// Address returns the address of the field's first socket.
func (f *Field) Address() netip.AddrPort { return f.endpoint.Address() }

// Run receives and sends until ctx ends.
func (f *Field) Run(ctx context.Context) error { return f.endpoint.Run(ctx) }

// Arrived is closed when the first motor command has arrived.
func (f *Field) Arrived() <-chan struct{} { return f.arrived }

// receive keeps a motor command until the match executes it.
func (f *Field) receive(from teamcom.From, m *team.Motor) {
	if from.Entity.Kind != tcm.Robot {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) < maxWaiting {
		f.waiting = append(f.waiting, liveCommand{from.Entity.ID, *m})
	}
	f.once.Do(func() { close(f.arrived) })
}

// Tap completes a match's tap: what robots sense and stations tell leaves for the programs of the team.
func (f *Field) Tap(tap *match.Tap) {
	sense, referee := tap.Sense, tap.Referee
	tap.Sense = func(side game.Side, number uint8, age time.Duration, m *team.Sense) {
		if side == f.side {
			f.send(tcm.Entity{Kind: tcm.Robot, ID: number}, age, m)
		} else if sense != nil {
			sense(side, number, age, m)
		}
	}
	tap.Referee = func(side game.Side, m *team.Referee) {
		if side == f.side {
			f.send(tcm.Entity{Kind: tcm.Robot}, 0, m)
		} else if referee != nil {
			referee(side, m)
		}
	}
}

func (f *Field) send(to tcm.Entity, age time.Duration, m teamcom.Data) {
	_ = f.endpoint.Module(tcm.Field).Client().Send(f.endpoint.Now().Add(-max(age, 0)), to, m) // the node counts what it drops
}

// Execute hands the motor commands that have arrived to the match. One that no robot can execute is dropped.
func (f *Field) Execute(m *match.Match) {
	f.mu.Lock()
	waiting := f.waiting
	f.waiting = nil
	f.mu.Unlock()
	for i := range waiting {
		_ = m.Drive(f.side, waiting[i].number, &waiting[i].motor)
	}
}
