package play

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

func TestDefaultMachineIsSound(t *testing.T) {
	if err := Default().Check(Conditions(), Behaviours()); err != nil {
		t.Fatal(err)
	}
}

func player(t testing.TB, number uint8, books bool) *Player {
	t.Helper()
	p, err := New(Config{Number: number, Field: soccer.MSL18x12(), Books: books})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// randomView sets v to a view of random numbers, some of them NaN, infinite or beyond all fields.
func randomView(r *rand.Rand, v *View) {
	number := func(most float64) float64 {
		switch r.IntN(40) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*r.IntN(2))
		case 2:
			return math.Exp(float64(r.IntN(1400) - 700))
		}
		return most * (2*r.Float64() - 1)
	}
	vec := func(most float64) soccer.Vec { return soccer.Vec{X: number(most), Y: number(most)} }
	w := v.World
	v.Now = v.Now.Add(time.Duration(r.IntN(60)) * time.Millisecond)
	v.Heard, v.HasBall, v.Booker = r.IntN(20) > 0, r.IntN(3) == 0, uint8(r.IntN(7))
	v.Self = soccer.Localisation{Known: r.IntN(20) > 0, HasHeading: r.IntN(20) > 0, Pose: soccer.Pose{X: number(9), Y: number(6), Theta: number(4)}}
	v.Self.Cov[0] = max(0, number(0.1))
	v.Referee = team.Referee{State: team.State(r.IntN(6)), SetPiece: team.SetPiece(r.IntN(9)), Side: team.Side(r.IntN(4))}
	if r.IntN(10) == 0 {
		v.Referee.Out = r.Uint64()
	}
	at, speed := vec(9), vec(4)
	w.Ball = soccer.Ball{Known: r.IntN(5) > 0, Position: soccer.Vec3{X: at.X, Y: at.Y, Z: number(1)},
		Velocity: soccer.Vec3{X: speed.X, Y: speed.Y}}
	w.Obstacles, w.Peers = w.Obstacles[:0], w.Peers[:0]
	for range r.IntN(80) {
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{Position: vec(9), Velocity: vec(3)})
	}
	for range r.IntN(8) {
		p := soccer.Peer{Sender: soccer.Sender{Robot: uint8(r.IntN(9))}, LastReceived: v.Now}
		p.Self.Known, p.Self.HasTwist = true, r.IntN(2) == 0
		p.Self.Pose.X, p.Self.Pose.Y, p.Self.Twist.X = number(9), number(6), number(3)
		w.Peers = append(w.Peers, p)
	}
}

// For any belief of a robot, its motors get finite numbers within its limits.
func TestMotorIsFiniteAndBounded(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := player(t, uint8(seed%6+1), seed%2 == 0)
		v := &View{Now: soccer.Epoch, World: new(soccer.World)}
		for i := range 5000 {
			randomView(r, v)
			checkAction(t, p, v)
			if t.Failed() {
				t.Fatalf("seed %d, view %d: %+v", seed, i, v)
			}
		}
	}
}

func checkAction(t *testing.T, p *Player, v *View) {
	t.Helper()
	a := p.Decide(v)
	m := a.Motor
	switch {
	case !(math.Hypot(m.Twist.X, m.Twist.Y) <= maxSpeed*1.0001), !(math.Abs(m.Twist.Theta) <= maxTurn),
		!(m.Dribbler >= 0 && m.Dribbler <= 1), !(m.KickSpeed >= 0 && m.KickSpeed <= maxKick),
		!(m.KickElevation >= 0 && m.KickElevation <= maxElevation):
		t.Errorf("motor %+v", m)
	case a.HasTarget && !(a.Target.XY().Len() < 100 && math.Abs(a.Target.Theta) < 10):
		t.Errorf("target %+v", a.Target)
	case a.Intention == "" || len(a.Intention) > team.MaxText:
		t.Errorf("intention %q", a.Intention)
	case len(p.States()) == 0:
		t.Error("no active state")
	}
	moves := v.Heard && v.Referee.State >= team.Waiting && v.Referee.State <= team.Parking
	if !moves && m != (soccer.Motor{}) {
		t.Errorf("motor %+v, but the referee says %v (heard: %t)", m, v.Referee.State, v.Heard)
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(uint64(1), uint8(1), true)
	f.Add(uint64(2), uint8(4), false)
	f.Fuzz(func(t *testing.T, seed uint64, number uint8, books bool) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := player(t, number%6+1, books)
		v := &View{Now: soccer.Epoch, World: new(soccer.World)}
		for range 200 {
			randomView(r, v)
			checkAction(t, p, v)
		}
	})
}

func TestDecideDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := player(t, 3, true)
	v := &View{Now: soccer.Epoch, World: new(soccer.World)}
	w := v.World
	w.Obstacles, w.Peers = make([]soccer.Obstacle, 0, 100), make([]soccer.Peer, 0, 10)
	if n := testing.AllocsPerRun(2000, func() {
		randomView(r, v)
		p.Decide(v)
	}); n > 0 {
		t.Errorf("%v allocations in a control period, want none", n)
	}
}

// BenchmarkDecide decides in play: four teammates and five opponents around a ball that moves.
func BenchmarkDecide(b *testing.B) {
	p := player(b, 3, true)
	v := &View{Now: soccer.Epoch, World: new(soccer.World), Heard: true, Referee: team.Referee{State: team.Running}}
	w := v.World
	v.Self = soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: 1, Y: 1}}
	w.Ball = soccer.Ball{Known: true, Position: soccer.Vec3{X: 1.4, Y: 1, Z: 0.11}, Velocity: soccer.Vec3{X: 0.3}}
	for i := range 5 {
		at := soccer.Vec{X: 2 + float64(i), Y: float64(i*i%7) - 3}
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{Position: at})
		if number := uint8(i + 1); number != 3 {
			m := soccer.Peer{Sender: soccer.Sender{Robot: number}, Self: soccer.Localisation{Known: true}}
			m.Self.Pose.X, m.Self.Pose.Y = at.X-5, -at.Y
			w.Peers = append(w.Peers, m)
		}
	}
	for b.Loop() {
		v.Now = v.Now.Add(20 * time.Millisecond)
		v.HasBall = v.Now/1e9%2 == 0
		v.Booker = uint8(v.Now / 3e9 % 5)
		for i := range w.Peers {
			w.Peers[i].LastReceived = v.Now
		}
		p.Decide(v)
	}
}

// The page for people names every condition, behaviour and state.
func TestDocumentNamesEverything(t *testing.T) {
	text, err := os.ReadFile("../../../docs/robot.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(Conditions(), Behaviours()) {
		if !strings.Contains(strings.ReplaceAll(string(text), "\n", " "), "`"+name+"`") {
			t.Errorf("docs/robot.md does not name %q", name)
		}
	}
	for _, s := range Default().States {
		if !strings.Contains(string(text), s.Name) {
			t.Errorf("docs/robot.md does not show the state %q", s.Name)
		}
	}
}

// Two robots that both believe to be the nearest to the ball of a set piece agree when they get there: one steps back.
func TestOneTakerAtASetPiece(t *testing.T) {
	players := map[uint8]*Player{2: player(t, 2, true), 3: player(t, 3, true)}
	act := func(now soccer.Time, own, other uint8, at, mate soccer.Vec) string {
		w := &soccer.World{Time: now}
		w.Ball = soccer.Ball{Known: true, Position: soccer.Vec3{Z: soccer.BallRadius}, LastSeen: now}
		peer := soccer.Peer{Sender: soccer.Sender{Robot: other}, LastReceived: now}
		peer.Self = soccer.Localisation{Known: true, Confidence: 1, Pose: soccer.Pose{X: mate.X, Y: mate.Y}}
		w.Peers = append(w.Peers, peer)
		v := &View{Now: now, World: w, Heard: true,
			Referee: team.Referee{State: team.Waiting, SetPiece: team.FreeKick, Side: team.Ours},
			Self:    soccer.Localisation{Known: true, HasHeading: true, Confidence: 1, Pose: soccer.Pose{X: at.X, Y: at.Y}}}
		return players[own].Decide(v).Intention
	}
	now := soccer.Epoch
	both := func(at2, at3, noise soccer.Vec) [2]string { // each sees the other one farther away than it is
		now = now.Add(20 * time.Millisecond)
		return [2]string{act(now, 2, 3, at2, at3.Sub(noise)), act(now, 3, 2, at3, at2.Sub(noise))}
	}
	for range 50 {
		both(soccer.Vec{X: -3}, soccer.Vec{X: -3, Y: 1}, soccer.Vec{X: 0.6})
	}
	var last [2]string
	for range 100 {
		last = both(soccer.Vec{X: -0.7}, soccer.Vec{X: -0.3, Y: 0.7}, soccer.Vec{X: 0.1})
	}
	if last[0] == last[1] {
		t.Errorf("both %s", last[0])
	}
}
