package robot

import (
	"math"
	"testing"
	"time"

	"touchline/booking"

	"touchline/internal/robot/play"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// match is a simulated field with robots that play, in lock-step: messages arrive at once.
type match struct {
	t       testing.TB
	engine  *sim.Engine
	robots  []*body
	lens    sim.Camera
	periods int
	orders  [2]team.Referee // of the teams
	silent  bool            // the referee
	mute    bool            // no message of a robot arrives
}

// body is a robot on the field. Team 1 attacks -x.
type body struct {
	*Robot
	team    int
	number  uint8
	dead    bool
	senses  []*soccer.Sense // in processing
	status  team.Status
	states  []string
	machine uint32
	booker  uint8
}

func (b *body) id() uint8 { return uint8(10*b.team) + b.number }

// perfect is a camera without errors.
func perfect() sim.Camera { return sim.Camera{Range: 100, FOV: 2 * math.Pi, SeesThrough: true} }

func newMatch(t testing.TB, seed uint64, lens sim.Camera) *match {
	cfg := sim.DefaultConfig()
	cfg.Seed = seed
	m := &match{t: t, engine: sim.New(cfg), lens: lens}
	m.refer(team.Running, team.NoSetPiece, 0)
	return m
}

// enter puts a robot that plays onto the field, at a place of the team frame.
func (m *match) enter(teamOf int, number uint8, x, y float64, booking string) *body {
	m.t.Helper()
	b := &body{team: teamOf, number: number}
	cfg := DefaultConfig(number, soccer.Color(teamOf), 63)
	cfg.Machine, cfg.Booking = play.Default(), booking
	r, err := New(cfg, m.engine.Now())
	if err != nil {
		m.t.Fatal(err)
	}
	b.Robot = r
	pose := soccer.Pose{X: x, Y: y}
	if teamOf == 1 {
		pose = pose.Turned()
	}
	if err := m.engine.AddRobot(b.id(), pose); err != nil {
		m.t.Fatal(err)
	}
	m.robots = append(m.robots, b)
	return b
}

// refer sets what the referee says: a set piece of team side-1, or of nobody.
func (m *match) refer(state team.State, piece team.SetPiece, side int) {
	for i := range m.orders {
		o := &m.orders[i]
		o.State, o.SetPiece, o.Side = state, piece, team.NoSide
		if o.Sequence++; side > 0 {
			o.Side = team.Theirs
			if side == i+1 {
				o.Side = team.Ours
			}
		}
	}
	m.tell()
}

func (m *match) tell() {
	for _, b := range m.robots {
		if !b.dead && !m.silent {
			b.ReceiveReferee(m.engine.Now(), &m.orders[b.team])
		}
	}
}

// step passes one control period.
func (m *match) step() {
	now := m.engine.Now()
	if m.periods%10 == 0 {
		m.tell()
	}
	for i, b := range m.robots {
		if b.dead {
			continue
		}
		if (m.periods+i)%2 == 0 {
			m.look(b)
		}
		for len(b.senses) > 0 && b.senses[0].Time.Add(m.lens.Latency) <= now {
			b.Sense(b.senses[0])
			b.senses = b.senses[1:]
		}
		b.Messages(now, func(message *Message) { m.deliver(b, message) })
		motor := b.Motor(now)
		if err := m.engine.Command(b.id(), &motor); err != nil {
			m.t.Fatal(err)
		}
	}
	m.periods++
	m.engine.Step(20 * time.Millisecond)
}

// run passes time, as long as a function says so.
func (m *match) run(d time.Duration, on func() bool) bool {
	for end := m.engine.Now().Add(d); m.engine.Now() < end; {
		if m.step(); on != nil && !on() {
			return false
		}
	}
	return true
}

func (m *match) look(b *body) {
	s := new(soccer.Sense)
	if err := m.engine.Look(b.id(), &m.lens, s); err != nil {
		m.t.Fatal(err)
	}
	m.lens.Describe(s)
	s.HasBall = m.engine.HoldsBall(b.id())
	_, s.Self.Twist, _ = m.engine.Robot(b.id())
	if b.team == 1 {
		s.Self = s.Self.Turned()
	}
	b.senses = append(b.senses, s)
}

func (m *match) deliver(from *body, message *Message) {
	now := m.engine.Now()
	var all []sent // decoded first: a message is valid until the robot receives an answer
	for _, data := range message.Data {
		all = append(all, decode(m.t, now, message, data))
	}
	for i := range all {
		d := &all[i]
		if d.status != nil {
			from.status = *d.status
		}
		if d.debug != nil {
			from.states, from.booker, from.machine = d.debug.States, d.debug.Booking.Booker, d.debug.Machine
		}
		for _, to := range m.robots {
			if to == from || to.dead || to.team != from.team || m.mute {
				continue
			}
			answer := func(message *Message) { m.deliver(to, message) }
			switch sender := (tcm.Entity{Kind: tcm.Robot, ID: from.number}); {
			case d.belief != nil:
				to.receiveBelief(from.number, now, d.belief)
			case d.measurements != nil:
				to.receiveMeasurements(sender, message.Captured, now, d.measurements)
			case d.claim != nil:
				to.receiveBooking(sender, now, booking.Message{Type: b3p.TypeClaim, Claim: *d.claim}, answer)
			case d.release != nil:
				to.receiveBooking(sender, now, booking.Message{Type: b3p.TypeRelease, Release: *d.release}, answer)
			case d.booking != nil:
				to.receiveBooking(sender, now, booking.Message{Type: b3p.TypeBelief, Belief: *d.booking}, answer)
			}
		}
	}
}

// ball places the ball, in the field frame, with a velocity.
func (m *match) ball(x, y, vx, vy float64) {
	m.t.Helper()
	if err := m.engine.PlaceBall(soccer.Vec3{X: x, Y: y, Z: soccer.BallRadius}); err != nil {
		m.t.Fatal(err)
	}
	if err := m.engine.KickBall(soccer.Vec3{X: vx, Y: vy}); err != nil {
		m.t.Fatal(err)
	}
}

// goal reports whether the ball is in a goal: 1 at +x, -1 at -x, 0 for none.
func (m *match) goal() int {
	f := soccer.MSL18x12()
	b, _ := m.engine.Ball()
	if math.Abs(b.X) < f.Length/2+soccer.BallRadius || math.Abs(b.Y) > f.GoalWidth/2 {
		return 0
	}
	return int(math.Copysign(1, b.X))
}

// away returns the distance from a robot to the ball.
func (m *match) away(b *body) float64 {
	ball, _ := m.engine.Ball()
	p, _ := m.engine.RobotPose(b.id())
	return ball.XY().Sub(p.XY()).Len()
}
