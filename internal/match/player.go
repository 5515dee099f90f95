package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/robot"
	"touchline/internal/robot/play"
	"touchline/sim"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// player is a robot of a team: its body on the field, its camera, its software and its node of the TCM.
type player struct {
	unit
	side   game.Side
	boots  uint32
	due    soccer.Time // of its next picture
	at     soccer.Time // of its newest control period
	back   soccer.Time // when its software starts again after a crash
	node   *teamcom.Node
	gm     *teamcom.Module
	link   *robot.Link
	read   func(*soccer.Packet, tcm.Socket)
	senses [pictures]soccer.Sense // a ring of pictures that are being processed
	taken  int                    // pictures taken
	used   int                    // of them processed

	running   bool        // as the newest message of its station says
	stopHeard soccer.Time // when it last learnt that play stopped
}

// newPlayer returns a robot of a team, which is not on the field yet.
func newPlayer(side game.Side, number uint8, team *Team) player {
	p := player{side: side, unit: unit{
		number: number, color: side.Color(), id: number, team: team.Name, shape: "robot", lens: sim.DefaultCamera(),
	}}
	if p.lens.Rate = pictureRate; side == game.Away {
		p.id += awayBodies
	}
	return p
}

const (
	// pictureRate is that of the cameras, a second: as often as the robots of the league share what they see (Mixed Team
	// Package v2: 10 to 30 times).
	pictureRate = 20
	// pictures is how many pictures a camera has in processing at most: 60 ms of them.
	pictures = 4
)

// awayBodies is what the ids of the bodies of the away team exceed the jersey numbers by.
const awayBodies = 10

// playerOf returns whose body it is.
func playerOf(id uint8) autoref.Player {
	if id > awayBodies {
		return autoref.Player{Side: game.Away, Number: id - awayBodies}
	}
	return autoref.Player{Side: game.Home, Number: id}
}

// homes are where robots stand before the kick-off of the other team, in shares of half the field's length and width, in
// the team frame, by jersey number.
var homes = [MostRobots + 1]soccer.Vec{
	{}, {X: -0.95, Y: 0}, {X: -0.55, Y: 0.35}, {X: -0.55, Y: -0.35}, {X: -0.36, Y: 0.12}, {X: -0.36, Y: -0.3},
}

// home returns where a robot stands before a half, in the field frame.
func (m *Match) home(p *player) soccer.Pose {
	at := homes[p.number]
	pose := soccer.Pose{X: float64(at.X * m.cfg.Field.Length / 2), Y: float64(at.Y * m.cfg.Field.Width / 2)}
	if m.turned(p.side) {
		return pose.Turned()
	}
	return pose
}

// turned reports whether a side attacks -x: away does in the first half, and teams change ends after each half.
func (m *Match) turned(side game.Side) bool {
	state := m.state()
	return state.Part.Attack(side) < 0
}

// enter puts a robot on the field and starts its software.
func (m *Match) enter(i int, phases *rand.Rand) error {
	p := &m.players[i]
	if err := m.engine.AddRobot(p.id, m.home(p)); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	m.units = append(m.units, &p.unit)
	phase := time.Duration(phases.Int64N(int64(controlPeriod/bodyStep))) * bodyStep // robots are not synchronised
	m.every(m.now.Add(phase), controlPeriod, func() { m.control(p) })
	return m.start(i)
}

// seed returns the seed of a robot's software, another one for each start.
func (p *player) seed(cfg *MatchConfig) uint64 {
	return cfg.Seed*1_000_003 + uint64(p.id)<<32 + uint64(p.boots)
}

// Software returns the configuration of the software of a robot in this match. It is Lean and sends debug records.
func (c *MatchConfig) Software(side game.Side, number uint8) robot.Config {
	cfg := robot.DefaultConfig(number, side.Color(), uint8(side.Index()+1))
	cfg.World.Field, cfg.Booking, cfg.Lean = c.Field, c.Team(side).Booking, true
	switch t := c.Team(side); {
	case t.Still:
	case t.Machine != nil:
		cfg.Machine = t.Machine
	default:
		cfg.Machine = play.Default()
	}
	return cfg
}

// start starts the software of a robot, which knows nothing.
func (m *Match) start(i int) error {
	p := &m.players[i]
	t := p.side.Index()
	p.boots++
	p.mirrored = false
	cfg := m.cfg.Software(p.side, p.number)
	cfg.Seed = p.seed(&m.cfg)
	cfg.NoDebug, cfg.Lean = !m.cfg.Debug, !m.cfg.Mixed
	if m.cfg.Localise {
		var err error
		if p.self, err = newLocaliser(m.engine, m.cfg.Field, m.cfg.Seed+uint64(p.boots)<<32, p.id, m.now); err != nil {
			return fmt.Errorf("match: %w", err)
		}
	}
	if m.cfg.Team(p.side).External {
		p.outside, p.motor = new(outside), 0
		p.taken, p.used, p.at = 0, 0, m.now
		return nil
	}
	r, err := robot.New(cfg, m.now)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	node := teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: p.number})
	node.Name, node.Team, node.Boot = fmt.Sprintf("%s %d", m.cfg.Team(p.side).Name, p.number), uint8(t+1), p.boots
	node.Timeout, node.Beacon, node.Lean = robot.LinkTimeout, robot.Beacon, !m.cfg.Debug
	n, err := teamcom.New(node)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	p.robot, p.node, p.gm, p.taken, p.used, p.at = r, n, n.Module(tcm.GM), 0, 0, m.now
	p.link = robot.NewLink(r, n, robot.LinkConfig{Referee: p.hearReferee, Shared: &m.decoded[t]})
	p.read = func(packet *soccer.Packet, socket tcm.Socket) {
		if socket == packages {
			r.Receive(packet)
			return
		}
		n.Receive(packet, socket)
	}
	return nil
}

// hearReferee notes when a robot learns that play stopped.
func (p *player) hearReferee(at soccer.Time, m *team.Referee) {
	if running := m.State == team.Running; running != p.running {
		p.running = running
		if !running {
			p.stopHeard = at
		}
	}
}

// stop ends the software of a robot at once.
func (p *player) stop() { p.robot, p.node, p.gm, p.link, p.read = nil, nil, nil, nil, nil }

// control is a control period of a robot: it processes the datagrams and pictures that have arrived, sends, and drives.
func (m *Match) control(p *player) {
	t := p.side.Index()
	if p.robot == nil {
		m.ether.fetch(m, t, int(p.number), nil)
	}
	if p.robot == nil && p.outside == nil {
		return
	}
	if p.outside == nil { // first what teammates saw: it is older than what this robot has seen meanwhile
		m.ether.fetch(m, t, int(p.number), p.read)
		for p.gm.Run(m.clock, 64) > 0 {
		}
	}
	p.at = m.now
	if p.due <= m.now {
		p.due = max(p.due, m.now.Add(-controlPeriod)).Add(time.Duration(float64(time.Second) / p.lens.Rate))
		m.takePicture(p)
	}
	for p.used < p.taken {
		sense := &p.senses[p.used%pictures]
		if sense.Time.Add(p.lens.Latency) > m.now {
			break
		}
		p.used++
		if p.outside != nil {
			m.tellSenses(p, sense)
			continue
		}
		p.robot.Sense(sense)
		m.sendPackage(p)
	}
	if p.outside != nil {
		return
	}
	p.robot.Messages(m.now, p.link.Send)
	m.ether.pump(m, t, int(p.number), p.node)
	motor := p.robot.Motor(m.now)
	if err := m.engine.Command(p.id, &motor); err != nil && !errors.Is(err, sim.ErrUnknown) {
		m.fail(err)
	}
}

// takePicture takes a picture with a robot's camera.
func (m *Match) takePicture(p *player) {
	if p.taken-p.used == pictures {
		return
	}
	_, twist, _ := m.engine.Robot(p.id)
	if m.picture(&p.unit, twist, m.turned(p.side) != p.mirrored, &p.senses[p.taken%pictures]) == nil { // it is on the field
		p.taken++
	}
}

// sendPackage sends a robot's mixed team package.
func (m *Match) sendPackage(p *player) {
	if !m.cfg.Mixed {
		return
	}
	b, err := p.robot.AppendPacket(m.ether.buf[:0])
	if m.ether.buf = b[:0]; err == nil {
		m.ether.send(m, p.side.Index(), int(p.number), computer, MostRobots, packages, b)
	}
}
