package matchnet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
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

// liveTeam is a team of a match in real time: its side of the field, its base station, and its robots where touchline's
// own software drives them.
type liveTeam struct {
	match     *Match
	side      game.Side
	external  bool
	key       string // with which the programs of an external team sign; "": they do not
	verify    verifier
	directory teamcom.Directory // of the team, for robots that ask for it
	field     *Field
	station   *stationnet.Client
	node      *teamcomnet.Endpoint // of the station; nil for an external team, which hears the station through the field
	told      chan struct{}        // the referee box sent a command
	robots    *supervisor          // nil if programs outside drive the robots

	// The team's computer looks through the cameras of its robots, and asks nothing else of them.
	desk     *manager.Desk
	pictures managernet.Pictures
}

// openTeam opens the sockets of a team, except those of its robots. bases are free base ports for all.
func openTeam(m *Match, side game.Side, bases []uint16) (*liveTeam, error) {
	t := &liveTeam{match: m, side: side, external: m.cfg.Match.Team(side).External, told: make(chan struct{}, 1)}
	t.directory.Team = TeamNumber(side)
	for n := range m.cfg.Match.Team(side).Robots {
		t.directory.Entries = append(t.directory.Entries, teamcom.Entry{
			Entity: tcm.Entity{Kind: tcm.Robot, ID: uint8(n + 1)}, Addr: teamcomnet.Loopback(bases[n+2]),
		})
	}
	t.directory.Entries = append(t.directory.Entries,
		teamcom.Entry{Entity: robot.Station, Addr: teamcomnet.Loopback(bases[0])},
		teamcom.Entry{Entity: robot.Field, Addr: teamcomnet.Loopback(bases[1])})
	var err error
	if t.external && m.cfg.Interface != "" {
		err = t.openRemote()
	} else {
		t.field, err = OpenField(side, teamcomnet.Loopback(bases[1]), nil, m.log)
	}
	if err != nil {
		return nil, err
	}
	t.field.obey(fieldRules{debug: t.showBelief, scene: t.completeScene,
		directory: func(teamcom.From) (string, bool) { return string(t.directory.Append(nil)), true }})
	if t.external {
		t.field.Record = robotnet.RecordArrivals(t.field.Endpoint, t.record)
		return t, nil
	}
	if err = t.openStation(); err == nil {
		t.robots, err = t.supervise()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// openRemote opens the field on an interface: the robots of the team may be on any machines that it reaches.
func (t *liveTeam) openRemote() (err error) {
	if t.field, t.key, err = OpenRemoteField(t.side, t.match.cfg.Interface, 0, t.match.log); err != nil {
		return err
	}
	t.verify.key, _ = tcm.NewKey([]byte(t.key)) // it is long enough
	d := &t.directory
	d.Group = teamGroup(d.Team)
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Entity.Kind == tcm.Robot {
			e.Addr, e.Learn = netip.AddrPort{}, true
		}
	}
	d.Entries = slices.DeleteFunc(d.Entries, func(e teamcom.Entry) bool { return e.Entity == robot.Station })
	d.Entries[len(d.Entries)-1].Addr = t.field.Address()
	return nil
}

// openStation opens the station's node of the TCM.
func (t *liveTeam) openStation() error {
	cfg := teamcomnet.DefaultConfig(robot.Station)
	cfg.Node.Directory, cfg.Node.Name = &t.directory, "base station"
	var err error
	if t.node, err = robotnet.OpenNode(cfg, t.match.log); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	t.node.Record, t.node.Impair = robotnet.RecordArrivals(t.node, t.record), t.delays
	t.desk = manager.NewDesk(manager.DeskConfig{Computer: t.node.Self().ID, Seed: managernet.Seed(), Start: t.node.Now()})
	t.pictures.Receive(t.node)
	own := t.node.Module(tcm.Manager)
	teamcom.Handle(own, func(from teamcom.From, m *team.Status) {
		if from.Entity.Kind == tcm.Robot {
			t.station.ReceiveStatus(from.Entity.ID, m)
		}
	})
	teamcom.Handle(own, func(from teamcom.From, m *team.Debug) {
		if from.Entity.Kind == tcm.Robot {
			t.station.ReceiveDebug(from.Entity.ID, m)
		}
	})
	return nil
}

// supervise returns what runs the team's robots: processes, or software in this program.
func (t *liveTeam) supervise() (*supervisor, error) {
	m, team := t.match, t.match.cfg.Match.Team(t.side)
	var all soccer.RobotSet
	for n := range team.Robots {
		all = all.With(uint8(n + 1))
	}
	cfg := supervised{
		start: t.startRobot(), wanted: func() soccer.RobotSet { return all },
		mark:      func(kind string, number uint8, text string) { m.note(kind, number, string(t.side)+" "+text) },
		reception: func(number uint8) robotnet.Reception { return m.reception(t.side, number) },
	}
	if p := m.cfg.Processes; p != nil {
		field := m.cfg.Match.Field
		var err error
		cfg.start, err = p.starter(m.infos, "", "--field", t.field.Address().String(), "--team", string(t.side), "--plays", team.Name,
			"--size", fmt.Sprintf("%.0fx%.0f", field.Length, field.Width), "--seed", strconv.FormatUint(m.cfg.Match.Seed, 10))
		if err != nil {
			return nil, err
		}
		cfg.restart = p.Restart
	}
	return newSupervisor(cfg, m.infos.With("team", t.side)), nil
}

// startRobot returns the function that starts the software of a robot in this program.
func (t *liveTeam) startRobot() func(uint8, func(*RobotReport)) (software, error) {
	m := t.match
	var boots [match.MostRobots + 1]uint64 // each robot has a goroutine of its own
	return func(number uint8, report func(*RobotReport)) (software, error) {
		boots[number]++
		cfg := robotnet.Config{
			Robot: m.cfg.Match.Software(t.side, number), Name: m.cfg.Match.Team(t.side).Name, Team: TeamNumber(t.side),
			Field: t.field.Address(), Entity: t.field.Self(), Camera: camera.Perspective(), Tap: m.cfg.Tap,
		}
		cfg.Robot.Seed = m.cfg.Match.Seed*1_000_003 + uint64(t.side.Index())<<40 + uint64(number)<<32 + boots[number]
		return startInside(cfg, report, m.log.With("team", t.side, "robot", number))
	}
}

// connect prepares the station's connection to a referee box.
func (t *liveTeam) connect(b *box) (err error) {
	cfg := stationnet.DefaultConfig(firstTeam + t.side.Index())
	cfg.Station.Name, cfg.Station.Color = t.match.cfg.Match.Team(t.side).Shown(), t.side.Color()
	cfg.Station.World.Field = t.match.cfg.Match.Field
	t.station, err = b.station(cfg, func(station.Command, []byte) {
		select {
		case t.told <- struct{}{}:
		default:
		}
	}, t.match.log)
	return err
}

// close closes what openTeam opened, if run was not called.
func (t *liveTeam) close() {
	t.field.Close()
	if t.node != nil {
		t.node.Close()
	}
}

// run runs the team until ctx ends.
func (t *liveTeam) run(ctx context.Context, group *errgroup.Group) {
	group.Go(func() error { return t.field.Run(ctx) })
	if t.node != nil {
		group.Go(func() error { return t.node.Run(ctx) })
		group.Go(func() error {
			managernet.Serve(ctx, t.node, t.desk)
			return nil
		})
		group.Go(func() error { return t.robots.run(ctx, t.match.cfg.Match.Team(t.side).Robots) })
	}
	group.Go(func() error { return t.station.Run(ctx, nil) })
	group.Go(func() error { t.tell(ctx); return nil })
}

// tell tells the robots what the referee box says: at once, then repeatedly, and not at all while it is silent.
func (t *liveTeam) tell(ctx context.Context) {
	again := time.NewTicker(station.RefereePeriod)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.told:
		case <-again.C:
		}
		m, ok := t.station.Referee()
		if !ok {
			continue
		}
		if robots := (tcm.Entity{Kind: tcm.Robot}); t.external {
			t.field.send(robots, 0, &m)
		} else {
			_ = t.node.Module(tcm.Manager).Client().Send(t.node.Now(), robots, &m) // the node counts what it drops
		}
		t.heard(&m)
	}
}

// heard notes that the robots heard the station. Where messages are lost or late nobody knows when they did.
func (t *liveTeam) heard(message *team.Referee) {
	m := t.match
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.show.Config().Link != (traffic.Link{}) {
		return
	}
	for n := range m.cfg.Match.Team(t.side).Robots {
		if number := uint8(n + 1); !m.show.Apart(t.side).Has(number) {
			m.show.Hear(t.side, number, message)
		}
	}
}

// showBelief shows the belief of a robot.
func (t *liveTeam) showBelief(from teamcom.From, d *team.Debug) {
	t.match.mu.Lock()
	defer t.match.mu.Unlock()
	t.match.show.Believe(t.side, from.Entity.ID, from.Now.Sub(from.Captured), d)
}

// completeScene says what lies before the camera of a robot of touchline. A program of another team is told nothing.
func (t *liveTeam) completeScene(from teamcom.From, m *team.Scene) bool {
	if t.external {
		return false
	}
	var seen camera.Scene
	t.match.mu.Lock()
	known := t.match.show.Scene(t.side, from.Entity.ID, &seen)
	t.match.mu.Unlock()
	if known {
		managernet.SetScene(m, &seen, t.match.cfg.Match.Seed)
	}
	return known
}

// record shows and records a datagram that arrived at a node of the team.
func (t *liveTeam) record(p *soccer.Packet) {
	m := t.match
	if !t.verify.valid(p.Data) {
		return
	}
	if m.cfg.Tap != nil {
		m.cfg.Tap(p)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Time = m.show.Now()
	m.show.Receive(t.side, p)
}

// delays returns the delays of the copies of a datagram that arrives at the station.
func (t *liveTeam) delays(from netip.AddrPort) []time.Duration {
	number := uint8(0)
	if e := t.directory.At(from); e.Kind == tcm.Robot {
		number = e.ID
	}
	t.match.mu.Lock()
	defer t.match.mu.Unlock()
	return t.match.show.StationDelays(t.side, number)
}

// reports returns what the team's nodes measured, the station's first.
func (t *liveTeam) reports() []teamcom.Report {
	node := t.node
	if node == nil {
		node = t.field.Endpoint
	}
	return append([]teamcom.Report{node.Report(node.Now())}, t.robots.nodes()...)
}

// attend executes the command robot-attend of a page, which looks at a robot.
func (t *liveTeam) attend(body json.RawMessage) error {
	return t.desk.Command(t.node.Now(), "robot-attend", body, managernet.Send(t.node))
}
