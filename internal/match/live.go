package match

import (
	"touchline/game"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// Trouble adds a fault during the match. A begin before now counts as now. The error is that of Config.Validate.
func (m *Match) Trouble(f Fault) error {
	f.From = max(f.From, m.now.Sub(soccer.Epoch))
	if err := f.validate(&m.cfg); err != nil {
		return err
	}
	i := len(m.cfg.Faults)
	m.cfg.Faults = append(m.cfg.Faults, f)
	m.schedule(soccer.Epoch.Add(f.From), faultBegins, i)
	m.schedule(soccer.Epoch.Add(f.To), faultEnds, i)
	return nil
}

// SetLink impairs the datagrams of both teams from now on.
func (m *Match) SetLink(link traffic.Link) error {
	if err := link.Validate(); err != nil {
		return err
	}
	m.cfg.Link = link
	m.ether.impair(&m.cfg, uint64(m.now))
	return nil
}

// Cut cuts robots of a team off from its other robots and its base station; an empty set connects all again.
func (m *Match) Cut(side game.Side, robots soccer.RobotSet) {
	robots &^= 1 // place 0 is the base station's
	apart := &m.ether.apart[side.Index()]
	if robots == *apart {
		return
	}
	*apart = robots
	if robots == 0 {
		m.Note("heal", 0, string(side)+" is connected again")
	} else {
		m.Note("partition", 0, "robots of "+string(side)+" are cut off")
	}
}

// Apart returns the robots of a team that are cut off from the others.
func (m *Match) Apart(side game.Side) soccer.RobotSet { return m.ether.apart[side.Index()] }

// Reseed goes on with another seed: what happened before stays, and all random numbers from now on are others.
func (m *Match) Reseed(seed uint64) {
	m.cfg.Seed = seed
	m.engine.Reseed(seed)
	m.ether.impair(&m.cfg, uint64(m.now))
	for i := range m.players {
		if p := &m.players[i]; p.robot != nil {
			p.robot.Reseed(p.seed(&m.cfg))
			if p.self != nil {
				m.fail(p.self.Reseed(seed))
			}
		}
	}
}
