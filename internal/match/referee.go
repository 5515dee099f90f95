package match

import (
	"errors"
	"fmt"
	"math"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/msl"
)

// referee is the referee box of a match: an automatic referee that sees the truth.
type referee struct {
	*autoref.Referee
	silent bool // no command leaves
	scene  autoref.Scene
	state  game.State // of a box outside
	part   game.Part  // at the referee's last look
}

func (r *referee) open(cfg *MatchConfig, rules game.Rules, robots int) {
	r.Referee = autoref.New(autoref.Config{Field: cfg.Field, Rules: rules})
	r.scene.Robots = make([]autoref.Robot, robots)
	r.state.Part, r.part = game.PreGame, game.PreGame
}

// wireCommand returns a message of the game as it travels.
func wireCommand(message *game.Message) *msl.Command {
	c := msl.Command{Name: string(message.Command), RobotID: message.RobotID}
	if message.Side != game.Both {
		c.TargetTeam = groups[message.Side.Index()]
	}
	return &c
}

// decide applies a decision and sends its messages to both stations.
func (m *Match) decide(d game.Decision) error {
	if m.box != nil {
		m.box.Decide(d)
		return nil
	}
	out, err := m.game.Apply(d)
	if err != nil {
		return fmt.Errorf("%s %s: %w", d.Command, d.Side, err)
	}
	if m.tap.Decision != nil {
		m.tap.Decision(&d, &out)
	}
	m.announce(out.Messages)
	state := m.game.State()
	m.over = state.Part == game.End
	return nil
}

// Decide lets a person decide: the referee goes on from there. An error wraps game.ErrRefused.
func (m *Match) Decide(d game.Decision) error {
	d.Time = m.now
	return m.decide(d)
}

// Again begins another game with another seed once one is over: the clock goes on, and the robots drive to their halves
// from where they stand.
func (m *Match) Again(seed uint64) error {
	if !m.over {
		return errors.New("match: again: the game is not over yet: it ends with the second half")
	}
	m.over = false
	m.Reseed(seed)
	return m.Decide(game.Decision{Command: game.Reset})
}

// announce sends messages to both stations.
func (m *Match) announce(messages []game.Message) {
	for i := range messages {
		c := wireCommand(&messages[i])
		if m.tap.Command != nil {
			data, err := c.AppendBinary(nil)
			m.fail(err)
			m.tap.Command(m.now, data)
		}
		for k := range m.bases {
			m.bases[k].command(m, c)
		}
		m.Note("referee", 0, Phrase(&messages[i]))
	}
}

// Phrase returns a message as the timeline shows it.
func Phrase(message *game.Message) string {
	if message.Side == game.Both {
		return string(message.Command)
	}
	return string(message.Command) + " " + string(message.Side)
}

// judge lets the referee look at the field.
func (m *Match) judge() {
	ready := m.lookAtGame()
	state := m.state()
	if ready && state.Part == game.PreGame && m.referee.part != game.PreGame {
		m.tally, m.began = analysis.NewTally(m.cfg.Field), m.now // another game
	}
	m.observe()
	if m.tap.Look != nil {
		m.tap.Look(m.now, &m.referee.scene, &state)
	}
	if m.judged++; m.judged%tallyPeriod == 1 {
		m.sample(&state)
	}
	if !ready {
		return
	}
	for _, d := range m.referee.Step(m.now, &m.referee.scene, &state) {
		m.fail(m.decide(d))
	}
	part, now := m.referee.part, m.state().Part
	m.referee.part = now
	if now.Attack(game.Home) != part.Attack(game.Home) && now.IsInterval() {
		m.fail(m.changeEnds())
	}
	if place, ok := m.referee.Placement(); ok {
		m.placeBall(place.At)
	}
}

// sample counts the figures of now, with the digits that a record of the match has.
func (m *Match) sample(st *game.State) {
	analysis.Sample(&m.sampled, &m.referee.scene)
	m.tally.Step(m.now, &m.sampled, st)
	if m.tap.Sample != nil {
		m.tap.Sample(m.now, &m.sampled, st)
	}
}

// observe sets the scene that the referee sees.
func (m *Match) observe() {
	s := &m.referee.scene
	s.Ball, s.Velocity = m.engine.Ball()
	s.Holder, s.Touched = autoref.Player{}, autoref.Player{}
	if id, at, ok := m.engine.LastTouch(); ok {
		s.Touched, s.TouchedAt = playerOf(id), at
	}
	for i := range m.players {
		p, r := &m.players[i], &s.Robots[i]
		pose, twist, on := m.engine.Robot(p.id)
		r.Player = autoref.Player{Side: p.side, Number: p.number}
		r.Pose, r.Velocity, r.There, r.On = pose, soccer.Vec{X: twist.X, Y: twist.Y}, on, on && p.runs(m.now)
		r.StopHeard = p.stopHeard
		if on && m.engine.HoldsBall(p.id) && (s.Holder.Side == game.Both || s.Touched == r.Player) {
			s.Holder = r.Player
		}
	}
}

// placeBall puts the ball at rest at a point, or where there is room nearest to it. A ball that lies there stays.
func (m *Match) placeBall(at soccer.Vec) {
	const there = 0.02
	ball, v := m.engine.Ball()
	resting := v == (soccer.Vec3{})
	if resting && ball.XY().Sub(at).Len() <= there {
		return
	}
	m.fail(nearest(at, func(p soccer.Vec) error {
		if resting && ball.XY().Sub(p).Len() <= there {
			return nil // it lies as near as it can
		}
		return m.engine.PlaceBall(soccer.Vec3{X: p.X, Y: p.Y, Z: soccer.BallRadius})
	}))
}

// nearest puts something down at a point, or where there is room nearest to it: at points of rings around it.
func nearest(at soccer.Vec, put func(soccer.Vec) error) error {
	const step, around, rings = 0.1, 12, 30
	for ring := range rings {
		for k := range around {
			sin, cos := exact.Sincos(2 * math.Pi * float64(k) / around)
			d := float64(ring) * step
			err := put(soccer.Vec{X: at.X + float64(d*cos), Y: at.Y + float64(d*sin)})
			if !errors.Is(err, sim.ErrOverlap) && !errors.Is(err, sim.ErrRange) {
				return err
			}
			if ring == 0 {
				break // all points of it are one
			}
		}
	}
	return nil
}

// changeEnds starts the robots again for the other direction, as teams do at half-time. They drive to their half before
// the kick-off; people carry those that never move.
func (m *Match) changeEnds() (err error) {
	var carried []*player
	for i := range m.players {
		if p := &m.players[i]; m.cfg.Team(p.side).Still {
			m.engine.RemoveRobot(p.id)
			carried = append(carried, p)
		}
	}
	for _, p := range carried {
		home := m.home(p)
		err = errors.Join(err, nearest(home.XY(), func(at soccer.Vec) error {
			return m.engine.AddRobot(p.id, soccer.Pose{X: at.X, Y: at.Y, Theta: home.Theta})
		}))
	}
	for i := range m.players {
		if p := &m.players[i]; p.robot != nil || p.outside != nil {
			err = errors.Join(err, m.start(i))
		}
	}
	return err
}
