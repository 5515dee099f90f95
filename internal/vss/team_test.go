package vss_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// standing returns a frame with both teams and a ball at rest.
func standing(robots int) *firasim.Environment {
	env := &firasim.Environment{Step: 16, HasFrame: true}
	env.Frame.HasBall, env.Frame.Ball.Z = true, soccer.VSSBallRadius
	for id := range robots {
		y := 0.12 * float64(id-2)
		env.Frame.Blue = append(env.Frame.Blue, firasim.Robot{ID: uint32(id), X: -0.3, Y: y})
		env.Frame.Yellow = append(env.Frame.Yellow, firasim.Robot{ID: uint32(id), X: 0.3, Y: y})
	}
	return env
}

var gameOn = firasim.RefereeCommand{Foul: firasim.GameOn, Team: firasim.NoTeam}

// Unless the referee's command is GAME_ON all wheels stop, and each robot always has one command.
func TestTeamObeys(t *testing.T) {
	for _, n := range []int{3, 5} {
		field := soccer.VSS3v3()
		if n == 5 {
			field = soccer.VSS5v5()
		}
		for _, yellow := range []bool{false, true} {
			env := standing(n)
			own := vss.NewTeam(yellow, field, n, 1)
			out := firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{HasBall: true},
				Commands: make([]firasim.Command, 9)}
			for foul := firasim.FreeKick; foul <= firasim.Halt; foul++ {
				env.Step += 16
				own.Play(env, firasim.RefereeCommand{Foul: foul}, &out)
				if !out.HasCommands || out.HasReplacement || len(out.Commands) != n {
					t.Fatalf("%v: got %+v, want one command for each robot", foul, out)
				}
				moves := false
				for i, c := range out.Commands {
					if c.ID != uint32(i) || c.Yellow != yellow {
						t.Errorf("%v: got command %d %+v", foul, i, c)
					}
					moves = moves || c.Left != 0 || c.Right != 0
				}
				if moves != (foul == firasim.GameOn) {
					t.Errorf("%v: got moving %t", foul, moves)
				}
			}
			// A robot that is switched off gets zeros, the others play on.
			env.Frame.Blue, env.Frame.Yellow = env.Frame.Blue[1:], env.Frame.Yellow[1:]
			own.Play(env, gameOn, &out)
			if c := out.Commands[0]; c.Left != 0 || c.Right != 0 || len(out.Commands) != n {
				t.Errorf("got %+v, want zeros for the missing robot 0", out.Commands)
			}
		}
	}
}

// alone simulates a keeper and one robot of a team with a ball, and reports whether they score.
func alone(t *testing.T, yellow bool, pose soccer.Pose, ball soccer.Vec, physics sim.Physics,
	play time.Duration) (*sim.Engine, bool) {
	t.Helper()
	field := soccer.VSS3v3()
	e := sim.New(sim.VSS(field, physics))
	own := vss.NewTeam(yellow, field, 3, 7)
	keeper := soccer.Pose{X: -0.7}
	if yellow {
		keeper = keeper.Turned()
	}
	if err := e.Place(sim.Placement{HasBall: true, Ball: ball,
		Robots: []sim.PlacedRobot{{ID: 0, Pose: keeper}, {ID: 1, Pose: pose}}}); err != nil {
		t.Fatal(err)
	}
	var env firasim.Environment
	var out firasim.Packet
	for range play / sim.Tick {
		e.Step(sim.Tick)
		env.Step += 16
		b, v := e.Ball()
		if math.Abs(b.X) > field.Length/2+soccer.VSSBallRadius {
			return e, true
		}
		env.HasFrame, env.Frame.HasBall = true, true
		env.Frame.Ball = firasim.Ball{X: b.X, Y: b.Y, Z: b.Z, VX: v.X, VY: v.Y, VZ: v.Z}
		var robots []firasim.Robot
		for id := range uint8(2) {
			p, w, _ := e.Robot(id)
			robots = append(robots, firasim.Robot{ID: uint32(id), X: p.X, Y: p.Y, Orientation: p.Theta, VX: w.X,
				VY: w.Y, VOrientation: w.Theta})
		}
		env.Frame.Blue, env.Frame.Yellow = robots, nil
		if yellow {
			env.Frame.Blue, env.Frame.Yellow = nil, robots
		}
		own.Play(&env, gameOn, &out)
		for _, c := range out.Commands[:2] {
			if err := e.Drive(uint8(c.ID), soccer.Wheels{Left: c.Left, Right: c.Right}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e, false
}

// Without opponents a robot scores from nearly anywhere within a minute, also from in front of the ball, walls and
// corners, and never scores an own goal.
func TestTeamScores(t *testing.T) {
	tries, failed := 0, 0
	for name, physics := range map[string]sim.Physics{"firasim": sim.FIRASim(), "rsim": sim.RSim()} {
		for _, at := range []soccer.Vec{
			{X: 0.2, Y: 0.1}, {X: -0.3, Y: -0.2}, {X: -0.4, Y: 0.4}, {X: 0.1, Y: 0.6}, {X: -0.2, Y: -0.62},
			{X: 0.6, Y: 0.5}, {X: 0.66, Y: -0.56}, {X: -0.66, Y: 0.56},
		} {
			for _, from := range []soccer.Pose{{X: -0.5, Y: 0.1}, {X: 0.5, Y: -0.1, Theta: 1},
				{X: 0.1, Y: 0.3, Theta: 3}} {
				for _, yellow := range []bool{false, true} {
					pose, ball, side := from, at, 1.0
					if yellow {
						pose, ball, side = from.Turned(), at.Turned(), -1
					}
					e, scored := alone(t, yellow, pose, ball, physics, time.Minute)
					b, _ := e.Ball()
					tries++
					if !scored {
						failed++
						t.Logf("%s, yellow %t, ball at %v, robot at %v: no goal, ball now at %v", name, yellow, at,
							from, b)
					} else if b.X*side < 0 {
						t.Errorf("%s, yellow %t, ball at %v, robot at %v: own goal", name, yellow, at, from)
					}
				}
			}
		}
	}
	if failed*20 > tries {
		t.Errorf("got no goal in %d of %d tries, want at most 5 %%", failed, tries)
	}
}

// The keeper stays on its line, within its goal, and follows the ball partly.
func TestKeeper(t *testing.T) {
	field := soccer.VSS5v5()
	for _, y := range []float64{-0.6, -0.1, 0, 0.15, 0.6} {
		e := sim.New(sim.VSS(field, sim.FIRASim()))
		own := vss.NewTeam(false, field, 5, 1)
		if err := e.Place(sim.Placement{HasBall: true, Ball: soccer.Vec{X: -0.5, Y: y},
			Robots: []sim.PlacedRobot{{ID: 0, Pose: soccer.Pose{X: -1}}}}); err != nil {
			t.Fatal(err)
		}
		var env firasim.Environment
		var out firasim.Packet
		for range 5 * time.Second / sim.Tick {
			p, w, _ := e.Robot(0)
			env.Step += 16
			env.HasFrame, env.Frame.HasBall = true, true
			env.Frame.Ball = firasim.Ball{X: -0.5, Y: y}
			env.Frame.Blue = append(env.Frame.Blue[:0],
				firasim.Robot{X: p.X, Y: p.Y, Orientation: p.Theta, VX: w.X, VY: w.Y})
			own.Play(&env, gameOn, &out)
			if err := e.Drive(0, soccer.Wheels{Left: out.Commands[0].Left, Right: out.Commands[0].Right}); err != nil {
				t.Fatal(err)
			}
			e.Step(sim.Tick)
		}
		p, _, _ := e.Robot(0)
		if want := min(max(0.45*y, -0.17), 0.17); math.Abs(p.Y-want) > 0.03 || p.X > -1.1+0.08 {
			t.Errorf("ball at y = %v: got the keeper at %+v", y, p)
		}
	}
}

func TestPlayAllocatesNothing(t *testing.T) {
	env := standing(5)
	own := vss.NewTeam(true, soccer.VSS5v5(), 5, 1)
	var out firasim.Packet
	own.Play(env, gameOn, &out)
	if n := testing.AllocsPerRun(2000, func() {
		env.Step += 16
		own.Play(env, gameOn, &out)
	}); n != 0 {
		t.Errorf("got %v allocations a tick, want 0", n)
	}
}

func BenchmarkTeam(b *testing.B) {
	env := standing(5)
	own := vss.NewTeam(false, soccer.VSS5v5(), 5, 1)
	var out firasim.Packet
	b.ReportAllocs()
	for b.Loop() {
		env.Step += 16
		own.Play(env, gameOn, &out)
	}
}
