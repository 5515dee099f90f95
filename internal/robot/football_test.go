package robot

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/team"
)

// A robot alone scores within 20 s, wherever the ball lies, with the errors of a camera.
func TestScoresOnAnEmptyField(t *testing.T) {
	for i, at := range []soccer.Vec{{X: 1, Y: -2}, {X: -5, Y: 4}, {X: 5, Y: 4.5}, {X: 6, Y: 0}} {
		m := newMatch(t, uint64(i+1), sim.DefaultCamera())
		m.enter(0, 2, -3, 1, "lease")
		m.ball(at.X, at.Y, 0, 0)
		if m.run(20*time.Second, func() bool { return m.goal() == 0 }) || m.goal() != 1 {
			b, _ := m.engine.Ball()
			t.Errorf("ball at %v: no goal in 20 s; it is at %v", at, b)
		}
	}
}

// A goalkeeper saves shots from 6 m that a robot can reach.
func TestKeeperSaves(t *testing.T) {
	for i, y := range []float64{-0.6, -0.3, 0, 0.3, 0.6} {
		for _, from := range []soccer.Vec{{X: -3}, {X: -4, Y: 2.5}, {X: -4, Y: -2.5}} {
			m := newMatch(t, uint64(i+1), sim.DefaultCamera())
			m.enter(0, 1, -8, 0, "lease")
			m.ball(from.X, from.Y, 0, 0)
			m.run(2*time.Second, nil)
			d := soccer.Vec{X: -9 - from.X, Y: y - from.Y}
			k := 6 / d.Len()
			m.ball(from.X, from.Y, k*d.X, k*d.Y)
			if !m.run(3*time.Second, func() bool { return m.goal() == 0 }) {
				t.Errorf("a shot of 6 m/s from %v at y = %.1f is a goal", from, y)
			}
		}
	}
}

// The goalkeeper clears a ball that lies in its area, and returns.
func TestKeeperClears(t *testing.T) {
	m := newMatch(t, 1, sim.DefaultCamera())
	keeper := m.enter(0, 1, -8.5, 0, "lease")
	m.ball(-7.6, 1.5, 0, 0)
	away := func() bool { b, _ := m.engine.Ball(); return b.X > -5 }
	if m.run(10*time.Second, func() bool { return !away() }) {
		b, _ := m.engine.Ball()
		t.Fatalf("the ball is at %v", b)
	}
	m.run(4*time.Second, nil)
	if p, _ := m.engine.RobotPose(keeper.id()); p.X > -8 || math.Abs(p.Y) > 1 {
		t.Errorf("the goalkeeper is at %v", p)
	}
}

// A robot that was put into a goal area beside the goalkeeper leaves it at once, and one on its way does not drive through
// it.
func TestStaysInNoGoalArea(t *testing.T) {
	for _, c := range []struct {
		what          string
		at, ball      soccer.Vec
		keeper, block soccer.Vec // keeper: of the other team, in its team frame
		most          time.Duration
	}{
		{"in it", soccer.Vec{X: 8.6, Y: 0.6}, soccer.Vec{X: 2}, soccer.Vec{X: -8.55}, soccer.Vec{X: 2, Y: 3}, 700 * time.Millisecond},
		{"with the way out blocked", soccer.Vec{X: 8.6, Y: 0.6}, soccer.Vec{X: 2}, soccer.Vec{X: -8.55}, soccer.Vec{X: 8.07, Y: 0.6}, 700 * time.Millisecond},
		{"on the other side", soccer.Vec{X: 8.7, Y: -2.8}, soccer.Vec{X: 8.6, Y: 2.6}, soccer.Vec{X: -8.55}, soccer.Vec{X: 2, Y: 3}, 0},
		{"beyond the goal line", soccer.Vec{X: 9.3, Y: 4}, soccer.Vec{X: 8.4, Y: -2.6}, soccer.Vec{X: -8.55}, soccer.Vec{X: 2, Y: 3}, 0},
		{"fast to the ball", soccer.Vec{X: 4}, soccer.Vec{X: 8.6}, soccer.Vec{X: -8.55, Y: 0.8}, soccer.Vec{X: 2, Y: 3}, 0},
	} {
		m := newMatch(t, 7, sim.DefaultCamera())
		r := m.enter(0, 3, c.at.X, c.at.Y, "lease")
		m.enter(0, 4, c.block.X, c.block.Y, "lease")
		m.enter(1, 1, c.keeper.X, c.keeper.Y, "lease")
		m.ball(c.ball.X, c.ball.Y, 0, 0)
		stays := time.Duration(0)
		m.run(4*time.Second, func() bool {
			if p, _ := m.engine.RobotPose(r.id()); p.X > 8.25 && p.X < 9 && math.Abs(p.Y) < 1.95 {
				stays += 20 * time.Millisecond
			}
			return true
		})
		if stays > c.most {
			t.Errorf("%s: the robot is in the goal area for %v", c.what, stays)
		}
	}
}

// enterTeam enters the robots of a team.
func enterTeam(m *match, team int, booking string) []*body {
	from := len(m.robots)
	for i, at := range []soccer.Vec{{X: -8.5}, {X: -5, Y: 2}, {X: -5, Y: -2}, {X: -2.5, Y: 0.6}, {X: -3, Y: -3}} {
		m.enter(team, uint8(i+1), at.X, at.Y, booking)
	}
	return m.robots[from:]
}

// The robot that has booked the ball goes to it. Nobody else comes within a metre.
func TestOnlyTheBookerGoesToTheBall(t *testing.T) {
	m := newMatch(t, 3, sim.DefaultCamera())
	robots := enterTeam(m, 0, "lease")
	m.ball(2, 1, 0, 0)
	reached := !m.run(6*time.Second, func() bool {
		for _, r := range robots {
			if r.number != 4 && m.away(r) < 1 {
				t.Fatalf("robot %d is %.2f m from the ball", r.number, m.away(r))
			}
		}
		return !m.engine.HoldsBall(robots[3].id())
	})
	if !reached {
		t.Errorf("robot 4 did not reach the ball: %.2f m", m.away(robots[3]))
	}
}

// Without the booking all but the goalkeeper go to the ball.
func TestWithoutBookingAllGoToTheBall(t *testing.T) {
	m := newMatch(t, 3, sim.DefaultCamera())
	robots := enterTeam(m, 0, "none")
	m.ball(0, 0, 0, 0)
	m.run(time.Second, nil)
	for _, r := range robots {
		if goes := slices.Contains(r.states, "attack"); goes != (r.number != 1) {
			t.Errorf("robot %d: %q", r.number, r.states)
		}
	}
}

// A robot stands from the message of STOP on, and a second after the last message of the referee.
func TestStop(t *testing.T) {
	m := newMatch(t, 1, perfect())
	robots := append(enterTeam(m, 0, "lease"), enterTeam(m, 1, "none")...)
	m.ball(0, 0, 0, 0)
	m.run(1500*time.Millisecond, nil)
	moving := func() (n int) {
		for _, r := range robots {
			if r.Motor(m.engine.Now()) != (soccer.Motor{}) {
				n++
			}
		}
		return n
	}
	if moving() < 8 {
		t.Fatalf("%d robots move in play", moving())
	}
	m.refer(team.Stop, team.NoSetPiece, 0)
	if n := moving(); n > 0 {
		t.Errorf("%d robots move after STOP", n)
	}
	m.run(1500*time.Millisecond, func() bool { return moving() == 0 })
	for _, r := range robots {
		if _, v, _ := m.engine.Robot(r.id()); math.Hypot(v.X, v.Y) > 0.01 || moving() > 0 {
			t.Errorf("robot %d still moves with %v", r.id(), v)
		}
		if r.status.Mode != team.Stopped {
			t.Errorf("robot %d reports %v", r.id(), r.status.Mode)
		}
	}
	m.refer(team.Running, team.NoSetPiece, 0)
	m.run(time.Second, nil)
	m.silent = true
	m.run(700*time.Millisecond, nil)
	if moving() == 0 {
		t.Error("no robot moves 0.7 s after the referee's last message")
	}
	m.run(340*time.Millisecond, nil)
	if n := moving(); n > 0 {
		t.Errorf("%d robots move without a referee", n)
	}
}

// A message that was overtaken by a newer one changes nothing, until the referee's computer starts again.
func TestOldRefereeMessages(t *testing.T) {
	m := newMatch(t, 1, perfect())
	r := m.enter(0, 2, 0, 0, "lease")
	m.ball(3, 0, 0, 0)
	m.run(time.Second, nil)
	m.refer(team.Stop, team.NoSetPiece, 0)
	r.ReceiveReferee(m.engine.Now(), &team.Referee{State: team.Running, Sequence: 1})
	m.run(200*time.Millisecond, func() bool { return r.Motor(m.engine.Now()) == soccer.Motor{} })
	m.silent = true
	m.run(1200*time.Millisecond, nil)
	m.orders[0] = team.Referee{State: team.Running, Sequence: 1}
	m.silent = false
	m.run(400*time.Millisecond, nil)
	if (r.Motor(m.engine.Now()) == soccer.Motor{}) {
		t.Error("the robot does not obey a referee that started again")
	}
}

// Before a set piece all robots keep their distances; the taker stands at the ball, and puts it into play in a few
// seconds.
func TestSetPieces(t *testing.T) {
	for _, test := range []struct {
		piece team.SetPiece
		side  int
		ball  soccer.Vec
	}{
		{team.KickOff, 1, soccer.Vec{}}, {team.KickOff, 2, soccer.Vec{}},
		{team.FreeKick, 1, soccer.Vec{X: 2, Y: 3}}, {team.FreeKick, 2, soccer.Vec{X: -1, Y: -2}},
		{team.ThrowIn, 1, soccer.Vec{X: 4, Y: 5.7}}, {team.ThrowIn, 2, soccer.Vec{X: 4, Y: -5.7}},
		{team.Corner, 1, soccer.Vec{X: 8.7, Y: 5.7}}, {team.Corner, 2, soccer.Vec{X: -8.7, Y: 5.7}},
		{team.GoalKick, 1, soccer.Vec{X: -5.4, Y: 3}}, {team.GoalKick, 2, soccer.Vec{X: 5.4, Y: -3}},
		{team.Penalty, 1, soccer.Vec{X: 5.4}}, {team.Penalty, 2, soccer.Vec{X: -5.4}},
		{team.DroppedBall, 0, soccer.Vec{X: 1, Y: 1}},
	} {
		lens := sim.DefaultCamera()
		lens.Range = 25 // they see the ball from where they begin
		m := newMatch(t, 5, lens)
		all := append(enterTeam(m, 0, "lease"), enterTeam(m, 1, "none")...)
		m.ball(test.ball.X, test.ball.Y, 0, 0)
		m.refer(team.Stop, team.NoSetPiece, 0)
		m.run(time.Second, nil)
		m.refer(team.Waiting, test.piece, test.side)
		m.run(3*time.Second, nil)
		if m.run(7*time.Second, func() bool { return !m.still() }) {
			t.Errorf("%v of team %d: robots still move after 10 s", test.piece, test.side)
		}
		taker := -1
		for i, r := range all {
			if r.team+1 == test.side && m.away(r) < 1 && taker < 0 {
				taker = i
				continue
			}
			checkPlace(t, m, r, test.piece, test.side)
		}
		if test.side > 0 && taker < 0 {
			t.Errorf("%v of team %d: no robot at the ball", test.piece, test.side)
		}
		m.refer(team.Running, test.piece, test.side)
		start, _ := m.engine.Ball()
		far := 0.5 // m
		if test.side == 0 {
			far = 0.1 // robots of both teams surround the ball: one team books nothing
		}
		if m.run(7*time.Second, func() bool {
			b, _ := m.engine.Ball()
			return b.XY().Sub(start.XY()).Len() < far
		}) {
			t.Errorf("%v of team %d: the ball did not move in 7 s", test.piece, test.side)
		}
		if id, _, ok := m.engine.LastTouch(); ok && taker >= 0 && id != all[taker].id() {
			t.Errorf("%v of team %d: robot %d took it, not %d", test.piece, test.side, id, all[taker].id())
		}
	}
}

// checkPlace checks the distance of a robot to the ball, and its side of the field, before a set piece (MSL Rules 2026).
func checkPlace(t *testing.T, m *match, r *body, piece team.SetPiece, side int) {
	t.Helper()
	p, _ := m.engine.RobotPose(r.id())
	ball, _ := m.engine.Ball()
	ours := r.team+1 == side
	least := 3.0
	switch {
	case piece == team.DroppedBall:
		least = 1
	case piece == team.Penalty && !ours && r.number == 1:
		least = 0
	case piece != team.Penalty && ours:
		least = 2
	}
	if d := m.away(r); d < least {
		t.Errorf("%v of team %d: robot %d is %.2f m from the ball, want %.0f", piece, side, r.id(), d, least)
	}
	if r.team == 1 {
		p.X = -p.X
	}
	if piece == team.KickOff && p.X > 0 {
		t.Errorf("kick-off of team %d: robot %d is in the other half: %v", side, r.id(), p)
	}
	behind := (p.X - ball.X) * math.Copysign(1, ball.X) // beyond the ball's line
	if r.team == 1 {
		behind = (-p.X - ball.X) * math.Copysign(1, ball.X)
	}
	if piece == team.Penalty && (ours || r.number != 1) && r.number != 1 && behind > 0 {
		t.Errorf("penalty of team %d: robot %d is before the ball: %v", side, r.id(), p)
	}
}

// still reports whether all robots stand.
func (m *match) still() bool {
	return !slices.ContainsFunc(m.robots, func(r *body) bool {
		_, v, _ := m.engine.Robot(r.id())
		return math.Hypot(v.X, v.Y) > 0.1
	})
}

// A robot that is sent off leaves over the touch line and returns; when the robots park, all leave.
func TestLeavingTheField(t *testing.T) {
	m := newMatch(t, 1, sim.DefaultCamera())
	robots := enterTeam(m, 0, "lease")
	m.ball(3, 0, 0, 0)
	m.orders[0].Out = 1 << 4
	m.refer(team.Running, team.NoSetPiece, 0)
	outside := func(r *body) bool {
		p, _ := m.engine.RobotPose(r.id())
		return math.Abs(p.Y) > 6.2
	}
	m.run(8*time.Second, nil)
	for _, r := range robots {
		if out := r.number == 4; outside(r) != out {
			t.Errorf("robot %d is outside: %t, want %t", r.number, outside(r), out)
		}
	}
	if robots[3].status.Mode != team.Penalised || robots[3].booker == 4 {
		t.Errorf("robot 4, sent off, reports %v", robots[3].status.Mode)
	}
	m.orders[0].Out = 0
	m.refer(team.Parking, team.NoSetPiece, 0)
	m.run(15*time.Second, nil)
	for _, r := range robots {
		if !outside(r) {
			p, _ := m.engine.RobotPose(r.id())
			t.Errorf("robot %d parks at %v", r.number, p)
		}
	}
}

// Another robot guards the goal when the goalkeeper's program ends, and leaves it when it runs again.
func TestGoalkeeperIsReplaced(t *testing.T) {
	m := newMatch(t, 2, sim.DefaultCamera())
	robots := enterTeam(m, 0, "lease")
	m.ball(6, 3, 0, 0)
	m.run(3*time.Second, nil)
	keeping := func(r *body) bool { return slices.Contains(r.states, "goalkeeper") }
	if !keeping(robots[0]) || keeping(robots[1]) {
		t.Fatalf("states %q and %q", robots[0].states, robots[1].states)
	}
	robots[0].dead = true
	m.run(4*time.Second, nil)
	if !keeping(robots[1]) || keeping(robots[2]) {
		t.Errorf("without the goalkeeper: states %q and %q", robots[1].states, robots[2].states)
	}
	robots[0].dead = false
	m.run(2*time.Second, nil)
	if keeping(robots[1]) {
		t.Errorf("with the goalkeeper again: states %q", robots[1].states)
	}
}

// A robot without a pose stands; one that sees no ball turns and then goes to its place.
func TestWithoutPoseOrBall(t *testing.T) {
	lens := sim.Camera{Range: 2, FOV: 2 * math.Pi}
	m := newMatch(t, 1, lens)
	r := m.enter(0, 3, -5, 0, "lease")
	m.ball(5, 0, 0, 0)
	m.run(time.Second, nil)
	if v := r.Motor(m.engine.Now()); !slices.Contains(r.states, "search") || v.Twist.Theta == 0 {
		t.Errorf("without a ball: %q, motor %+v", r.states, v)
	}
	m.run(6*time.Second, nil)
	if p, _ := m.engine.RobotPose(r.id()); math.Hypot(p.X+5, p.Y) < 0.5 {
		t.Errorf("after 7 s without a ball the robot is still at %v", p)
	}
	blind := picture(m.engine.Now(), soccer.Pose{})
	blind.Self = soccer.Localisation{}
	r.Sense(blind)
	r.Messages(m.engine.Now().Add(20*time.Millisecond), func(*Message) {})
	if v := r.Motor(m.engine.Now().Add(20 * time.Millisecond)); v != (soccer.Motor{}) {
		t.Errorf("without a pose: motor %+v", v)
	}
}

// The debug record names the machine and its active states, the status the target.
func TestReportsOfARobotThatPlays(t *testing.T) {
	m := newMatch(t, 1, perfect())
	r := m.enter(0, 2, -4, 0, "lease")
	m.ball(3, 0, 0, 0)
	m.run(time.Second, nil)
	if want := []string{"active", "play", "attack", "approach"}; !slices.Equal(r.states, want) {
		t.Errorf("states %q, want %q", r.states, want)
	}
	if r.machine != play.Default().Checksum() {
		t.Errorf("machine %08x, want %08x", r.machine, play.Default().Checksum())
	}
	to, ok := r.status.Target()
	if r.status.Intention != "go to the ball" || !ok || math.Abs(to.X-3) > 0.5 || r.status.Mode != team.Playing {
		t.Errorf("status %+v", r.status)
	}
}

func TestRefusedMachine(t *testing.T) {
	cfg := DefaultConfig(1, soccer.Cyan, 63)
	cfg.Machine = &hfsm.Machine{Name: "m", States: []hfsm.State{{Name: "a", Behaviour: "fly"}}}
	if _, err := New(cfg, soccer.Epoch); err == nil {
		t.Error("a machine with an unknown behaviour was accepted")
	}
}

// A robot without teammates takes a set piece, also one that is the goalkeeper.
func TestAloneAtASetPiece(t *testing.T) {
	for _, number := range []uint8{1, 4} {
		for _, piece := range []team.SetPiece{team.KickOff, team.Penalty} {
			lens := sim.DefaultCamera()
			lens.Range = 25
			m := newMatch(t, 7, lens)
			r := m.enter(0, number, -4, 0, "lease")
			at := 0.0
			if piece == team.Penalty {
				at = 5.4
			}
			m.ball(at, 0, 0, 0)
			m.refer(team.Waiting, piece, 1)
			m.run(8*time.Second, nil)
			if d := m.away(r); d > 1 {
				t.Errorf("%v: robot %d waits %.1f m from the ball", piece, number, d)
			}
			m.refer(team.Running, piece, 1)
			if m.run(6*time.Second, func() bool {
				b, _ := m.engine.Ball()
				return math.Abs(b.X-at) < 0.5 && math.Abs(b.Y) < 0.5
			}) {
				t.Errorf("%v: robot %d does not take it", piece, number)
			}
		}
	}
}

// Robots that hear nothing of each other play on: one of them scores.
func TestSilentTeammates(t *testing.T) {
	m := newMatch(t, 3, sim.DefaultCamera())
	m.mute = true
	m.enter(0, 1, -8.5, 0, "lease")
	m.enter(0, 2, -3, 2, "lease")
	m.enter(0, 3, -4, -2, "lease")
	m.ball(2, 0, 0, 0)
	if m.run(40*time.Second, func() bool { return m.goal() == 0 }) || m.goal() != 1 {
		b, _ := m.engine.Ball()
		t.Errorf("no goal in 40 s; the ball is at %v", b)
	}
}
