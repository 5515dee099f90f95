package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/exact"
	"touchline/internal/match"
	software "touchline/internal/robot"
	"touchline/sim"
	"touchline/soccer"
)

// XGConfig says how many shots XGRun takes.
type XGConfig struct {
	Seed   uint64       // of the situations. Default 1
	Shots  int          // that the table is fitted to; 0: the table of the program is checked. Default 100,000
	Checks int          // others that it is checked with. Default 10,000
	Field  soccer.Field // Default 18 x 12 m, with the goal of 2 x 1 m
}

// DefaultXGConfig returns 100,000 shots for the table and 10,000 others.
func DefaultXGConfig() XGConfig {
	return XGConfig{Seed: 1, Shots: 100_000, Checks: 10_000, Field: soccer.MSL18x12()}
}

// Validate returns an error that names the first value out of range and the range.
func (c *XGConfig) Validate() error {
	switch {
	case c.Shots != 0 && (c.Shots < 100 || c.Shots > 10_000_000):
		return fmt.Errorf("shots %d: want 100 to 10000000, or 0 to check the table of the program", c.Shots)
	case c.Checks < 100 || c.Checks > 10_000_000:
		return fmt.Errorf("checks %d: want 100 to 10000000", c.Checks)
	}
	return nil
}

// outcome is what became of a shot.
type outcome uint8

const (
	noShot outcome = iota // the robot did not shoot
	scored
	saved   // the goalkeeper touched the ball
	blocked // another robot did
	missed  // the ball went out
	died    // it lay still, or 5 s passed
)

// Outcomes are the names of what becomes of shots, beginning with goals.
var outcomes = [...]string{scored: "goal", saved: "saved", blocked: "blocked", missed: "wide", died: "short"}

// shot is one shot.
type shot struct {
	from    soccer.Vec
	opening float64
	outcome outcome
}

// XGRun takes shots, several at a time. It calls progress, from one goroutine at a time, with the number of shots that are
// done. When ctx ends, it returns the cause.
func XGRun(ctx context.Context, cfg XGConfig, progress func(done int)) (XGReport, error) {
	if err := cfg.Validate(); err != nil {
		return XGReport{}, errors.New("xg: " + err.Error())
	}
	shots := make([]shot, cfg.Shots+cfg.Checks)
	tried := make([]int, len(shots))
	var lock sync.Mutex
	done := 0
	const chunk = 100
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(shots); from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, len(shots)); i++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				var err error
				if shots[i], tried[i], err = takeShot(&cfg, uint64(i)); err != nil {
					return err
				}
			}
			lock.Lock()
			defer lock.Unlock()
			done += min(chunk, len(shots)-from)
			progress(done)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return XGReport{}, err
	}
	return newXGReport(&cfg, shots, tried), nil
}

// takeShot draws situations until the robot shoots in one, and returns that shot and the number of situations.
func takeShot(cfg *XGConfig, number uint64) (s shot, tried int, err error) {
	const most = 1000
	for tried = 1; tried <= most; tried++ {
		t := shooting{field: &cfg.Field, random: rand.New(rand.NewPCG(cfg.Seed, number<<10|uint64(tried)))}
		if err := t.draw(); err != nil {
			if errors.Is(err, sim.ErrOverlap) || errors.Is(err, sim.ErrRange) {
				continue // no room: another one
			}
			return s, tried, err
		}
		if s, err = t.play(); err != nil || s.outcome != noShot {
			return s, tried, err
		}
	}
	return s, tried, fmt.Errorf("xg: no shot in %d situations", most)
}

// shooting is a situation: a robot with the ball before a goal, its goalkeeper and up to three defenders. The robot and the
// goalkeeper run the software of the built-in team, each with its own camera and without teammates; the defenders stand
// until the kick and run to the ball's way then.
type shooting struct {
	field     *soccer.Field
	random    *rand.Rand
	engine    *sim.Engine
	players   [2]shotPlayer // the shooter, the goalkeeper
	defenders []uint8
	periods   int
	begins    soccer.Time // the shooter's software
	far       bool        // the robot does not decide: its kick is drawn
}

// shotPlayer is a robot with its software.
type shotPlayer struct {
	*software.Robot
	id              uint8
	turned          bool
	senses          [4]soccer.Sense // a ring of pictures in processing
	taken, pictures int
	used            int
}

const (
	shooterID, keeperID, defenderID = 5, 11, 12 // of bodies

	shoots = 8.0 // m, up to which built-in robots shoot
	near   = 2.7 // m, up to which the goalkeeper is often surprised
)

// uniform returns a random number of a range.
func (t *shooting) uniform(from, to float64) float64 { return between(t.random, from, to) }

// draw puts everybody on the field. An error that is sim.ErrOverlap or sim.ErrRange means that there is no room.
func (t *shooting) draw() error {
	cfg := sim.DefaultConfig()
	cfg.Field, cfg.Seed = *t.field, t.random.Uint64()
	t.engine = sim.New(cfg)
	ball := t.place()
	goal := soccer.Vec{X: float64(t.field.Length * 0.5)}
	away := goal.Sub(ball)
	face := away.Angle() + min(max(0.5*exact.Normal(t.random), -1.2), 1.2)
	if t.far = away.Len() > shoots; t.far {
		face = away.Add(soccer.Vec{Y: t.uniform(-1.4, 1.4)}).Angle()
	}
	t.begins = soccer.Epoch
	if away.Len() > near {
		t.begins = soccer.Epoch.Add(time.Duration(t.uniform(0.1, 0.7)*1e3) * time.Millisecond)
	}
	sin, cos := exact.Sincos(face)
	const atBall = soccer.RobotRadius + soccer.BallRadius + 0.01 // m, where the dribbler holds the ball
	at := ball.Sub(soccer.Vec{X: cos, Y: sin}.Scale(atBall))
	if err := t.engine.AddRobot(shooterID, soccer.Pose{X: at.X, Y: at.Y, Theta: soccer.WrapAngle(face)}); err != nil {
		return err
	}
	if err := t.engine.PlaceBall(soccer.Vec3{X: ball.X, Y: ball.Y, Z: soccer.BallRadius}); err != nil {
		return err
	}
	if err := t.engine.AddRobot(keeperID, t.guard(ball)); err != nil {
		return err
	}
	for i := range t.random.IntN(4) {
		id := uint8(defenderID + i)
		at := t.defend(ball, goal)
		if err := t.engine.AddRobot(id, soccer.Pose{X: at.X, Y: at.Y}); err != nil {
			return err
		}
		t.defenders = append(t.defenders, id)
	}
	if moved, _ := t.engine.Ball(); moved.XY() != ball {
		return sim.ErrOverlap // a robot pushed the ball aside
	}
	return t.start()
}

// place draws where the ball lies: in the opponents' half, evenly in distance and bearing from the goal's middle, most of
// it where the built-in robots shoot.
func (t *shooting) place() soccer.Vec {
	const touch = 0.2 // m, from the touch line
	for {
		d, bearing := t.uniform(0.5, 8), t.uniform(-80, 80)*math.Pi/180
		if t.random.IntN(8) == 0 {
			d = t.uniform(8, 12)
		}
		sin, cos := exact.Sincos(bearing)
		p := soccer.Vec{X: float64(t.field.Length*0.5) - float64(d*cos), Y: float64(d * sin)}
		if p.X >= 0 && math.Abs(p.Y) <= float64(t.field.Width*0.5)-touch {
			return p
		}
	}
}

// guard draws where the goalkeeper stands: near its place between ball and goal, looking at the ball.
func (t *shooting) guard(ball soccer.Vec) soccer.Pose {
	spread := 0.08 // m
	switch d := ball.Sub(soccer.Vec{X: float64(t.field.Length * 0.5)}).Len(); {
	case t.random.IntN(16) == 0:
		spread = 1.5 // it is on its way back
	case d < near && t.random.IntN(2) == 0:
		spread = 0.6 // a ball gets there by a rebound or a steal, before the goalkeeper does
	}
	at := analysis.GuardPlace(t.field, ball)
	at.X = min(at.X+float64(spread*exact.Normal(t.random)), float64(t.field.Length*0.5))
	at.Y += float64(spread * exact.Normal(t.random))
	face := ball.Sub(at).Angle() + float64(0.2*exact.Normal(t.random))
	return soccer.Pose{X: at.X, Y: at.Y, Theta: soccer.WrapAngle(face)}
}

// defend draws where a defender stands: it presses the robot with the ball, or stands in the way to the goal.
func (t *shooting) defend(ball, goal soccer.Vec) soccer.Vec {
	to := goal.Add(soccer.Vec{Y: t.uniform(-1.3, 1.3)}).Sub(ball)
	if t.random.IntN(2) == 0 {
		sin, cos := exact.Sincos(to.Angle() + t.uniform(-1.5, 1.5))
		return ball.Add(soccer.Vec{X: cos, Y: sin}.Scale(t.uniform(0.45, 1.8)))
	}
	at := ball.Add(to.Scale(t.uniform(0.15, 0.9)))
	if length, width := t.field.GoalArea(); goal.X-at.X < length && math.Abs(at.Y) < float64(width*0.5) {
		at.X = goal.X - length - soccer.RobotRadius // it may not stay there
	}
	return at
}

// start starts the software of the shooter and of the goalkeeper.
func (t *shooting) start() error {
	cfg := match.DefaultMatchConfig()
	cfg.Field = *t.field
	for i, side := range game.Sides {
		number, id := uint8(shooterID), uint8(shooterID)
		if side == game.Away {
			number, id = soccer.Goalkeeper, keeperID
		}
		program := cfg.Software(side, number)
		program.Seed, program.NoDebug = t.random.Uint64(), true
		r, err := software.New(program, t.engine.Now())
		if err != nil {
			return fmt.Errorf("xg: %w", err)
		}
		t.players[i] = shotPlayer{Robot: r, id: id, turned: side == game.Away}
	}
	return nil
}
