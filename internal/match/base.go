package match

import (
	"fmt"

	"touchline/game"
	"touchline/internal/robot"
	"touchline/internal/station"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/msl"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// base is the base station of a team: it follows the referee box's commands, and tells them its robots over the TCM.
type base struct {
	side    game.Side
	group   string // its address in commands
	core    *station.Station
	node    *teamcom.Node
	manager *teamcom.Module
	client  *teamcom.Client
	due     soccer.Time // of the next referee message
	told    uint32      // its newest sequence
	all     []teamcom.Data
	read    func(*soccer.Packet, tcm.Socket)
}

// groups are the multicast groups of the teams in commands, home first.
var groups = [2]string{"224.16.32.201", "224.16.32.202"}

func (b *base) open(m *Match, side game.Side) error {
	t := side.Index()
	cfg := station.DefaultConfig(201 + t)
	cfg.Name, cfg.Color, cfg.World.Field = m.cfg.Team(side).Shown(), side.Color(), m.cfg.Field
	core, err := station.New(cfg)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	c := teamcom.DefaultConfig(robot.Station)
	c.Name, c.Team = "base station of "+cfg.Name, uint8(t+1)
	c.Timeout, c.Beacon, c.Lean = robot.LinkTimeout, robot.Beacon, !m.cfg.Debug
	node, err := teamcom.New(c)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	*b = base{side: side, group: groups[t], core: core, node: node, manager: node.Module(tcm.Manager)}
	b.client, b.all, b.due = b.manager.Client(), make([]teamcom.Data, 1), m.now
	b.read = func(p *soccer.Packet, socket tcm.Socket) {
		if socket == packages {
			core.Receive(p)
			return
		}
		node.Receive(p, socket)
	}
	teamcom.Handle(b.manager, func(from teamcom.From, s *team.Status) {
		if from.Entity.Kind == tcm.Robot {
			core.ReceiveStatus(from.Entity.ID, from.Received, s)
		}
	})
	teamcom.Handle(b.manager, func(teamcom.From, *team.Debug) {}) // only measured
	b.command(m, &msl.Command{Name: msl.Welcome, TargetTeam: b.group})
	return nil
}

// command gives a command of the referee box to the station, as it travels.
func (b *base) command(m *Match, c *msl.Command) {
	data, err := c.AppendBinary(nil)
	if err == nil {
		_, err = b.core.Apply(m.now, data)
	}
	m.fail(err)
}

// AppendWorldstate appends the worldstate that the base station of a team would send to the RefBox now, closed by its NUL.
// It appends nothing for the station of an external team.
func (m *Match) AppendWorldstate(b []byte, side game.Side) ([]byte, error) {
	return m.bases[side.Index()].core.AppendWorldstate(b, m.now)
}

// step receives what the robots sent, and tells them the state of the game: at once when it changed, then repeatedly,
// and not at all while the referee box is silent.
func (b *base) step(m *Match) {
	if m.box != nil {
		return // the base stations are outside
	}
	t := b.side.Index()
	m.ether.fetch(m, t, computer, b.read)
	for b.manager.Run(m.clock, 64) > 0 {
	}
	if b.core.State().Accepted {
		message := b.core.Referee(m.now)
		if b.due <= m.now || message.Sequence != b.told {
			b.due, b.told = m.now.Add(station.RefereePeriod), message.Sequence
			b.all[0] = message
			m.fail(b.client.Send(m.now, tcm.Entity{Kind: tcm.Robot}, b.all...))
			m.tellReferee(b.side, message)
		}
	}
	m.ether.pump(m, t, computer, b.node)
}
