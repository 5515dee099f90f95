package matchnet

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// fieldNode is the field's node of the TCM of one team (docs/teamcom.md, "Drive a robot"): robots ask it for the team's
// directory, and exchange senses and motor commands with it.
type fieldNode struct{ *teamcomnet.Endpoint }

// fieldRules say what a field does with the messages of robots.
type fieldRules struct {
	directory func(from teamcom.From) (text string, ok bool) // of the team, as TCM.ini
	motor     func(from teamcom.From, m *team.Motor)         // nil: handled elsewhere
	debug     func(from teamcom.From, m *team.Debug)
	scene     func(from teamcom.From, m *team.Scene) (seen bool) // completes m
}

// openFieldNode opens the node of a field for the entities of a directory: that of TCM.ini where the Config names one, also
// after a change of it. The field knows each robot by the address that the robot's datagrams come from.
func openFieldNode(cfg teamcomnet.Config, d teamcom.Directory, log *slog.Logger) (fieldNode, error) {
	cfg.Adapt = func(d *teamcom.Directory) {
		for i := range d.Entries {
			if e := &d.Entries[i]; e.Entity.Kind == tcm.Robot {
				e.Addr, e.Learn = netip.AddrPort{}, true
			}
		}
	}
	d.Entries = slices.Clone(d.Entries)
	cfg.Adapt(&d)
	cfg.Node.Directory = &d
	endpoint, err := robotnet.OpenNode(cfg, log)
	if err != nil {
		return fieldNode{}, fmt.Errorf("match: %w", err)
	}
	return fieldNode{endpoint}, nil
}

// obey handles the messages of robots by rules.
func (f fieldNode) obey(rules fieldRules) {
	handleRobots(f, rules.motor)
	handleRobots(f, rules.debug)
	handleRobots(f, func(from teamcom.From, m *team.Directory) {
		if m.Text != "" {
			return
		}
		if text, ok := rules.directory(from); ok {
			f.send(from.Entity, 0, &team.Directory{Text: text})
		}
	})
	handleRobots(f, func(from teamcom.From, m *team.Scene) {
		if !m.Known && rules.scene(from, m) {
			f.send(from.Entity, 0, m)
		}
	})
}

// handleRobots handles the messages of a type that come from robots.
func handleRobots[T any, M teamcom.Payload[T]](f fieldNode, do func(teamcom.From, M)) {
	if do == nil {
		return
	}
	teamcom.Handle(f.Module(tcm.Field), func(from teamcom.From, m M) {
		if from.Entity.Kind == tcm.Robot {
			do(from, m)
		}
	})
}

// send sends a message about something that happened age ago. The node counts what it drops.
func (f fieldNode) send(to tcm.Entity, age time.Duration, m teamcom.Data) {
	_ = f.Module(tcm.Field).Client().Send(f.Now().Add(-max(age, 0)), to, m)
}

// maxWaiting bounds the motor commands that wait for the match: 1 s of five robots at 50 Hz.
const maxWaiting = 256

// Field is the field of a match for the programs of one team. Its methods may be called from any goroutine.
type Field struct {
	fieldNode
	side game.Side

	mu      sync.Mutex
	waiting []motorCommand
	newest  time.Time // when a motor command came
	once    sync.Once
	arrived chan struct{} // closed by the first motor command
}

// motorCommand is a motor command that arrived.
type motorCommand struct {
	number uint8
	motor  team.Motor
}

// OpenField opens the field for a team at an address and base port of this machine; port 0 chooses one. With a secret
// the field signs, and hears only programs that sign with it.
func OpenField(side game.Side, at netip.AddrPort, secret []byte, log *slog.Logger) (*Field, error) {
	if at.Port() == 0 {
		bases, err := teamcomnet.FreeBasesAt(at.Addr(), 1)
		if err != nil {
			return nil, err
		}
		at = netip.AddrPortFrom(at.Addr(), bases[0])
	}
	cfg := teamcomnet.DefaultConfig(robot.Field)
	cfg.Node.Name, cfg.Node.Secret = "field", secret
	// A program with one socket uses one class for all.
	cfg.Node.Types = map[tcm.Type]teamcom.Options{tcm.Type(team.TypeReferee): teamcom.DefaultOptions(tcm.Type(team.TypeSense))}
	d := teamcom.Directory{Team: TeamNumber(side)}
	for n := range match.MostRobots {
		d.Entries = append(d.Entries, teamcom.Entry{Entity: tcm.Entity{Kind: tcm.Robot, ID: uint8(n + 1)}})
	}
	d.Entries = append(d.Entries, teamcom.Entry{Entity: robot.Field, Addr: at})
	node, err := openFieldNode(cfg, d, log)
	if err != nil {
		return nil, err
	}
	f := &Field{fieldNode: node, side: side, arrived: make(chan struct{})}
	handleRobots(node, f.receiveMotor)
	return f, nil
}

// OpenRemoteField opens the field for a team at the address of an interface, where other machines reach it. It returns the
// key with which the field and the team's programs sign.
func OpenRemoteField(side game.Side, iface string, port uint16, log *slog.Logger) (*Field, string, error) {
	at, err := transport.Address(iface)
	if err != nil {
		return nil, "", err
	}
	key := newKey()
	f, err := OpenField(side, netip.AddrPortFrom(at, port), []byte(key), log)
	return f, key, err
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
func (f *Field) Address() netip.AddrPort { return f.Endpoint.Address() }

// Run receives and sends until ctx ends.
func (f *Field) Run(ctx context.Context) error { return f.Endpoint.Run(ctx) }

// Arrived is closed when the first motor command has arrived.
func (f *Field) Arrived() <-chan struct{} { return f.arrived }

// Silent returns for how long no motor command has come at now. The first one has arrived.
func (f *Field) Silent(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Sub(f.newest)
}

// receiveMotor keeps a motor command until the match executes it.
func (f *Field) receiveMotor(from teamcom.From, m *team.Motor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = time.Now()
	if len(f.waiting) < maxWaiting {
		f.waiting = append(f.waiting, motorCommand{from.Entity.ID, *m})
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
