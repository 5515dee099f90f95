package matchnet

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/internal/scratch"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// teamNodes are the session's nodes of the TCM: those of the robots whose software runs here, of the team's station and
// of the field. They are a match.Radio, whose methods require the session's lock.
type teamNodes struct {
	session     *Session
	folder      *scratch.Folder // of ini, deleted at the end
	ini         string
	text        string // of ini
	key         string // of the team; "": it does not sign
	verify      verifier
	directory   teamcom.Directory
	field       fieldNode
	station     *teamcomnet.Endpoint
	robots      map[uint8]*node
	refused     map[uint8]string // why robots outside cannot join
	others      []*teamcomnet.Endpoint
	boots       uint32        // boot ids of the robots' nodes
	inside      atomic.Uint64 // a soccer.RobotSet: the keys of robots, for the endpoints' goroutines
	ctx         context.Context
	cancel      context.CancelFunc
	running     sync.WaitGroup
	workstation *managernet.Workstation
	helper      helper
	drawn       map[uint8]*managernet.Drawn // by robot, for the page; robots outside draw by themselves
	venue       func() *camera.Venue        // built when somebody looks
}

// node is the node of a robot whose software runs here.
type node struct {
	*teamcomnet.Endpoint
	cancel context.CancelFunc
	link   *robot.Link
	agent  *agent
}

// openTCM writes TCM.ini and opens the nodes of the session.
func (s *Session) openTCM() error {
	t := &teamNodes{session: s, robots: map[uint8]*node{}, refused: map[uint8]string{}}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	s.tcm = t // Close closes it from here on
	var err error
	if t.folder, err = scratch.New(); err != nil {
		return fmt.Errorf("match: cannot create a folder for TCM.ini: %w", err)
	}
	if err := t.writeIni(); err != nil {
		return err
	}
	s.mu.Lock() // robots outside may ask to join as soon as the field is open
	defer s.mu.Unlock()
	if err := t.openField(); err != nil {
		return err
	}
	if err := t.openStation(); err != nil {
		return err
	}
	return s.core.Connect(t)
}

// teamGroup is the group of the broadcasts to the robots of a team on a network: each robot may run on another machine,
// and learns by them where the others are. The last number of the address is that of the team.
func teamGroup(team uint8) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{239, 77, 0, team}), 23100)
}

// writeIni writes TCM.ini with available ports. On an interface that the user named the team signs, and its robots may come
// from any address.
func (t *teamNodes) writeIni() error {
	at := teamcomnet.Loopback(0).Addr()
	if name := t.session.cfg.Network.Interface; name != "" {
		var err error
		if at, err = transport.Address(name); err != nil {
			return err
		}
	}
	var entities []tcm.Entity
	for _, p := range match.Participants() {
		entities = append(entities, tcm.Entity{Kind: tcm.Robot, ID: p.Number})
	}
	entities = append(entities, robot.Station, robot.Field)
	ports, err := teamcomnet.FreeBasesAt(at, len(entities))
	if err != nil {
		return err
	}
	d := &t.directory
	d.Team = match.TeamNumber
	for i, entity := range entities {
		d.Entries = append(d.Entries, teamcom.Entry{Entity: entity, Addr: netip.AddrPortFrom(at, ports[i])})
	}
	open := *d
	if t.session.cfg.Network.Interface != "" {
		t.key = newKey()
		t.verify.key, _ = tcm.NewKey([]byte(t.key)) // it is long enough
		open.KeyFile, open.Group = "team.key", teamGroup(d.Team)
		if err := os.WriteFile(filepath.Join(t.folder.Path, open.KeyFile), []byte(t.key), 0o600); err != nil {
			return fmt.Errorf("match: the team's key: %w", err)
		}
		open.Entries = slices.Clone(d.Entries)
		for i := range open.Entries {
			if e := &open.Entries[i]; e.Entity.Kind == tcm.Robot {
				e.Addr, e.Learn = netip.AddrPort{}, true
			}
		}
	}
	const head = "; The team of the practical session. See docs/teamcom.md.\n"
	t.text = string(open.Append([]byte(head)))
	t.ini = filepath.Join(t.folder.Path, "TCM.ini")
	if err := os.WriteFile(t.ini, []byte(t.text), 0o600); err != nil {
		return fmt.Errorf("match: TCM.ini: %w", err)
	}
	return nil
}

// open opens the node of a robot or the station. Their reception is impaired.
func (t *teamNodes) open(self tcm.Entity) (*teamcomnet.Endpoint, error) {
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Ini, cfg.Node.Name = t.ini, match.NodeName(self)
	if self.Kind == tcm.Robot && t.key == "" { // a receiver of signed datagrams hears the greatest boot id only: that of now
		t.boots++ // every program that takes over this robot has a greater boot id
		cfg.Node.Boot = t.boots
	}
	if own, ok := t.directory.Entry(self); ok {
		cfg.Address = own.Addr // where TCM.ini leaves it open
	}
	e, err := robotnet.OpenNode(cfg, t.session.log)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	s := t.session
	e.Impair = func(from netip.AddrPort) []time.Duration {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.core.TCMDelays(t.directory.At(from), from, self)
	}
	t.record(e)
	return e, nil
}

// record passes the datagrams of the TCM to Config.TapTCM: those that arrive at a node, and those that leave for robots
// outside.
func (t *teamNodes) record(e *teamcomnet.Endpoint) {
	tap := t.session.cfg.TapTCM
	if tap == nil {
		return
	}
	own := e.Address()
	e.Record = func(now soccer.Time, from, to netip.AddrPort, data []byte) {
		if (teamcom.Listens(own, to) || t.leaves(data)) && t.verify.valid(data) {
			tap(&soccer.Packet{Time: now, Channel: to.String(), From: from, Data: data})
		}
	}
}

// verifier finds the datagrams that are signed with a key; without one all are valid. It is safe for concurrent use.
type verifier struct {
	mu  sync.Mutex
	key *tcm.Key
}

func (v *verifier) valid(datagram []byte) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.key == nil || v.key.Valid(datagram)
}

// leaves reports whether a datagram goes to a robot outside. Datagrams to nodes of the session arrive at them.
func (t *teamNodes) leaves(datagram []byte) bool {
	var d tcm.Datagram
	inside := soccer.RobotSet(t.inside.Load())
	return d.UnmarshalBinary(datagram) == nil && d.To.Kind == tcm.Robot && d.To.ID != 0 && !inside.Has(d.To.ID)
}

// run runs a node until ctx ends.
func (t *teamNodes) run(ctx context.Context, e *teamcomnet.Endpoint) {
	t.running.Go(func() {
		if err := e.Run(ctx); err != nil && ctx.Err() == nil {
			t.session.log.Error("a node of the TCM failed", "node", e.Self(), "err", err)
		}
	})
}

// openStation opens the node of the team's station, which receives the robots' status.
func (t *teamNodes) openStation() error {
	e, err := t.open(robot.Station)
	if err != nil {
		return err
	}
	t.others, t.station = append(t.others, e), e
	manager := e.Module(tcm.Manager)
	teamcom.Handle(manager, func(teamcom.From, *team.Status) {}) // they are measured; worldstates come from packages
	teamcom.Handle(manager, func(teamcom.From, *team.Debug) {})
	t.openWorkstation()
	t.run(t.ctx, e)
	return nil
}

// Start starts the node of a robot.
func (t *teamNodes) Start(number uint8, r *robot.Robot) error {
	e, err := t.open(tcm.Entity{Kind: tcm.Robot, ID: number})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.ctx)
	n := &node{Endpoint: e, cancel: cancel}
	if err := t.startAgent(ctx, number, r, n); err != nil {
		cancel()
		e.Close()
		return err
	}
	t.robots[number] = n
	t.inside.Or(uint64(soccer.RobotSet(0).With(number)))
	link := t.session.linkConfig(e.Now)
	link.Referee = func(_ soccer.Time, m *team.Referee) { n.agent.ReceiveReferee(m) }
	n.link = robot.NewLink(r, e.Node, link)
	t.run(ctx, e)
	return nil
}

// linkConfig returns how a robot of the session fits to a node, whose clock goes on in pauses and slow motion.
func (s *Session) linkConfig(node func() soccer.Time) robot.LinkConfig {
	return robot.LinkConfig{
		Lock: &s.mu, Paused: func() bool { return s.standing },
		FromNode: func(at soccer.Time) soccer.Time {
			age := time.Duration(float64(node().Sub(at)) * s.speed)
			return min(s.at(time.Now()).Add(-age), s.core.Now())
		},
		ToNode: func(at soccer.Time) soccer.Time {
			age := time.Duration(float64(s.at(time.Now()).Sub(at)) / s.speed)
			return node().Add(-max(age, 0))
		},
	}
}

// Send sends a message of a robot.
func (t *teamNodes) Send(number uint8, m *robot.Message) {
	if n := t.robots[number]; n != nil {
		n.link.Send(m)
	}
}

// Refer sends the state of the game from the station.
func (t *teamNodes) Refer(m *team.Referee) {
	_ = t.station.Module(tcm.Manager).Client().Send(t.station.Now(), tcm.Entity{Kind: tcm.Robot}, m) // the node counts what it drops
}

// Stop ends the node of a robot. Its ports are available afterwards.
func (t *teamNodes) Stop(number uint8) {
	if n := t.robots[number]; n != nil {
		n.cancel()
		n.Close()
		delete(t.robots, number)
		t.inside.And(^uint64(soccer.RobotSet(0).With(number)))
	}
}

// Reports returns what the nodes measured: the field's, the station's, and those of the robots by number.
func (t *teamNodes) Reports() []teamcom.Report {
	var reports []teamcom.Report
	for _, e := range t.others {
		reports = append(reports, e.Report(e.Now()))
	}
	for _, p := range match.Participants() {
		if n := t.robots[p.Number]; n != nil {
			reports = append(reports, n.Report(n.Now()))
		}
	}
	return reports
}

// close ends all nodes and deletes TCM.ini. The session's lock may not be held: handlers wait for it.
func (t *teamNodes) close() {
	t.cancel()
	for _, e := range t.others {
		e.Close()
	}
	t.running.Wait()
	_ = t.folder.Remove() // the next program tries again
}
