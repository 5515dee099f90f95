package match

import (
	"fmt"
	"slices"
	"time"

	"touchline/game"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/wire/team"
)

// external is a robot whose software is a program outside the match.
type external struct {
	sense    team.Sense   // scratch
	sequence uint32       // of the newest motor command
	driven   soccer.Time  // when it came; 0: never
	world    soccer.World // that it believes
	told     soccer.Time  // when it told; 0: never
}

// matchBeliefFor is the time for which the belief of a robot of an external team counts.
const matchBeliefFor = time.Second

// belief fills w with the newest belief that the program told, if it did lately.
func (o *external) belief(now soccer.Time, w *soccer.World) bool {
	if o.told == 0 || now.Sub(o.told) > matchBeliefFor {
		return false
	}
	obstacles, peers := append(w.Obstacles[:0], o.world.Obstacles...), append(w.Peers[:0], o.world.Peers...)
	*w = o.world
	w.Obstacles, w.Peers = obstacles, peers
	return true
}

// player returns the robot of a side with a jersey number, nil without one.
func (m *Match) player(side game.Side, number uint8) *player {
	i := slices.IndexFunc(m.players, func(p player) bool { return p.side == side && p.number == number })
	if i < 0 {
		return nil
	}
	return &m.players[i]
}

// Believe notes the belief that a robot of an external team told in its debug record, which it held age ago.
func (m *Match) Believe(side game.Side, number uint8, age time.Duration, debug *team.Debug) {
	if p := m.player(side, number); p != nil && p.outside != nil {
		debug.World(m.now.Add(-max(age, 0)), &p.outside.world)
		p.outside.told = m.now
	}
}

// runs reports whether the software of a robot runs.
func (p *player) runs(now soccer.Time) bool {
	return p.robot != nil || p.outside != nil && p.outside.driven != 0 && now.Sub(p.outside.driven) <= robot.SilentFor
}

// Drive executes a motor command that a program outside sent for a robot of an external team. The robot keeps to it for
// 300 ms. The error names a robot that the match does not hand over, or a command that no robot can execute.
func (m *Match) Drive(side game.Side, number uint8, command *team.Motor) error {
	p := m.player(side, number)
	if p == nil || p.outside == nil {
		return fmt.Errorf("fiveaside: robot %d of %s: want a robot of an external team", number, side)
	}
	motor := command.Command()
	if err := m.engine.Command(p.id, &motor); err != nil {
		return fmt.Errorf("fiveaside: %w", err)
	}
	p.outside.sequence, p.outside.driven = command.Sequence, m.now
	return nil
}

// tellSenses hands a picture to the program outside, with the odometry of now.
func (m *Match) tellSenses(p *player, picture *soccer.Sense) {
	if m.tap.Sense == nil {
		return
	}
	dst := &p.outside.sense
	dst.Battery, dst.Motor = team.Unknown, p.outside.sequence
	travel, moved := m.engine.Travel(p.id)
	if p.self != nil {
		travel, moved = p.self.Travel(), true
	}
	dst.HasOdometry = moved
	dst.SetOdometry(travel, picture.Self.Twist, picture.Self.Pose.Theta)
	dst.Percepts.SetSense(picture)
	m.tap.Sense(p.side, p.number, m.now.Sub(picture.Time), dst)
}

// tellReferee hands the newest message of a station to the program outside that drives its team.
func (m *Match) tellReferee(side game.Side, message *team.Referee) {
	if !m.cfg.Team(side).External {
		return
	}
	for i := range m.players {
		if p := &m.players[i]; p.side == side {
			p.hearReferee(m.now, message)
		}
	}
	if m.tap.Referee != nil {
		m.tap.Referee(side, message)
	}
}
