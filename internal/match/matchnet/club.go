package matchnet

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/station"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// firstTeam is the number of home's base station at the referee box; away's is the next one. The league has no such
// teams.
const firstTeam = 201

// club is a team of a match in real time: its side of the field, its base station, and its robots where touchline's own
// software drives them.
type club struct {
	live      *Live
	side      game.Side
	external  bool
	directory teamcom.Directory // of the team, for robots that ask for it
	field     *Field
	station   *stationnet.Client
	node      *teamcomnet.Endpoint // of the station; nil for an external team, which hears the station through the field
	told      chan struct{}        // the referee box sent a command
	runners   []*runner            // nil if programs outside drive the robots
	lookout   lookout              // of node

	links [match.MostRobots + 1]*traffic.Impairment // to the station, by robot; requires the match's lock
}

// openClub opens the sockets of a team, except those of its robots. bases are free base ports for all.
func openClub(l *Live, side game.Side, bases []uint16) (*club, error) {
	c := &club{live: l, side: side, external: l.cfg.Match.Team(side).External, told: make(chan struct{}, 1)}
	c.directory.Team = TeamNumber(side)
	for n := range l.cfg.Match.Team(side).Robots {
		c.directory.Entries = append(c.directory.Entries, teamcom.Entry{
			Entity: tcm.Entity{Kind: tcm.Robot, ID: uint8(n + 1)}, Addr: teamcomnet.Loopback(bases[n+2]),
		})
	}
	c.directory.Entries = append(c.directory.Entries,
		teamcom.Entry{Entity: robot.Station, Addr: teamcomnet.Loopback(bases[0])},
		teamcom.Entry{Entity: robot.Field, Addr: teamcomnet.Loopback(bases[1])})
	var err error
	if c.field, err = Open(side, bases[1], l.log); err != nil {
		return nil, err
	}
	field := c.field.endpoint.Module(tcm.Field)
	teamcom.Handle(field, c.onDebug)
	teamcom.Handle(field, c.onDirectory)
	teamcom.Handle(field, c.onScene)
	if c.external {
		c.field.endpoint.Record = c.record(c.field.endpoint)
		return c, nil
	}
	if err := c.openStation(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// openStation opens the station's node of the TCM.
func (c *club) openStation() error {
	cfg := teamcomnet.DefaultConfig(robot.Station)
	cfg.Node.Directory, cfg.Node.Name = &c.directory, "base station"
	cfg.Node.Timeout, cfg.Node.Beacon = robot.LinkTimeout, robot.Beacon
	var err error
	if c.node, err = teamcomnet.Open(cfg, c.live.log); err != nil {
		return fmt.Errorf("fiveasidenet: %w", err)
	}
	c.node.Record, c.node.Impair = c.record(c.node), c.delays
	c.openLookout()
	manager := c.node.Module(tcm.Manager)
	teamcom.Handle(manager, func(from teamcom.From, m *team.Status) {
		if from.Entity.Kind == tcm.Robot {
			c.station.ReceiveStatus(from.Entity.ID, m)
		}
	})
	teamcom.Handle(manager, func(from teamcom.From, m *team.Debug) {
		if from.Entity.Kind == tcm.Robot {
			c.station.ReceiveDebug(from.Entity.ID, m)
		}
	})
	return nil
}

// connect prepares the station's connection to a referee box.
func (c *club) connect(box string) (err error) {
	cfg := stationnet.DefaultConfig(firstTeam + c.side.Index())
	cfg.Station.Name, cfg.Station.Color = c.live.cfg.Match.Team(c.side).Name, c.side.Color()
	cfg.Station.World.Field = c.live.cfg.Match.Field
	if cfg.RefBox, err = stationnet.ParseTarget(box); err != nil {
		return err
	}
	cfg.OnCommand = func(station.Command, []byte) {
		select {
		case c.told <- struct{}{}:
		default:
		}
	}
	c.station, err = stationnet.New(cfg, c.live.log)
	return err
}

// close closes what openClub opened, if run was not called.
func (c *club) close() {
	c.field.endpoint.Close()
	if c.node != nil {
		c.node.Close()
	}
}

// run runs the team until ctx ends.
func (c *club) run(ctx context.Context, group *errgroup.Group) {
	group.Go(func() error { return c.field.Run(ctx) })
	if c.node != nil {
		group.Go(func() error { return c.node.Run(ctx) })
		group.Go(func() error {
			managernet.Serve(ctx, c.node, c.lookout.desk)
			return nil
		})
	}
	group.Go(func() error { return c.live.connections.keep(ctx, c.station) })
	group.Go(func() error { c.tell(ctx); return nil })
	for _, r := range c.runners {
		group.Go(func() error { return r.run(ctx) })
	}
}

// tell tells the robots what the referee box says: at once, then repeatedly, and not at all while it is silent.
func (c *club) tell(ctx context.Context) {
	again := time.NewTicker(station.RefereePeriod)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.told:
		case <-again.C:
		}
		m, ok := c.station.Referee()
		if !ok {
			continue
		}
		if robots := (tcm.Entity{Kind: tcm.Robot}); c.external {
			c.field.send(robots, 0, &m)
		} else {
			_ = c.node.Module(tcm.Manager).Client().Send(c.node.Now(), robots, &m) // the node counts what it drops
		}
		c.live.heard(c, &m)
	}
}

// onDirectory answers a robot's request for the directory.
func (c *club) onDirectory(from teamcom.From, m *team.Directory) {
	if m.Text == "" && from.Entity.Kind == tcm.Robot {
		c.field.send(from.Entity, 0, &team.Directory{Text: string(c.directory.Append(nil))})
	}
}

// onDebug shows the belief of a robot.
func (c *club) onDebug(from teamcom.From, m *team.Debug) {
	c.live.mu.Lock()
	defer c.live.mu.Unlock()
	c.live.show.Believe(c.side, from.Entity.ID, from.Now.Sub(from.Captured), m)
}

// record returns a function that shows and records the datagrams that arrive at a node.
func (c *club) record(e *teamcomnet.Endpoint) func(at soccer.Time, from, to netip.AddrPort, data []byte) {
	own := e.Address()
	return func(at soccer.Time, from, to netip.AddrPort, data []byte) {
		if to.Addr() == own.Addr() && to.Port()-own.Port() < tcm.Sockets {
			c.live.receive(c.side, &soccer.Packet{Time: at, Channel: to.String(), From: from, Data: data})
		}
	}
}

// numberAt returns the robot at an address of the directory, 0 for another address.
func (c *club) numberAt(from netip.AddrPort) uint8 {
	for i := range c.directory.Entries {
		e := &c.directory.Entries[i]
		if e.Entity.Kind == tcm.Robot && e.Addr.Addr() == from.Addr() && from.Port()-e.Addr.Port() < tcm.Sockets {
			return e.Entity.ID
		}
	}
	return 0
}

// delays returns the delays of the copies of a datagram that arrives at the station.
func (c *club) delays(from netip.AddrPort) []time.Duration {
	number := c.numberAt(from)
	l := c.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.show.Apart(c.side).Has(number) {
		return nil
	}
	if c.links[number] == nil {
		cfg := l.show.Config()
		c.links[number] = traffic.NewImpairment(cfg.Link, cfg.Seed, uint64(c.side.Index())<<8|uint64(number))
	}
	return c.links[number].Next(nil)
}

// reports returns what the team's nodes of this program measured, the station's first.
func (c *club) reports() (all []teamcom.Report) {
	if c.node != nil {
		all = append(all, c.node.Report(c.node.Now()))
	} else {
		all = append(all, c.field.endpoint.Report(c.field.endpoint.Now()))
	}
	for _, r := range c.runners {
		if report, ok := r.report(); ok {
			all = append(all, report)
		}
	}
	return all
}
