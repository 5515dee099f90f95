package sim_test

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"touchline/sim"
	"touchline/soccer"
)

// motion is one recorded motion: how it was set up (testdata/README.md) and the limits of a replay.
type motion struct {
	name          string
	before        soccer.Wheels                   // of blue 0, for 40 ticks; what is recorded begins then
	blue, yellow  soccer.Wheels                   // of blue 0 and yellow 0, given just before the first row
	placed        bool                            // the ball is placed just before the first row
	ball, kick    soccer.Vec                      // where, and its velocity
	robotLimit    float64                         // m, root of the mean square over all rows
	ballLimit     float64                         // m
	commands      map[int]map[uint8]soccer.Wheels // later ones: by frame and robot
	headingCounts bool                            // within 0.05 rad, or 1 % of the angle turned
}

func free(name string, blue soccer.Wheels) motion {
	return motion{name: name, blue: blue, robotLimit: 0.01, ballLimit: 0.01, headingCounts: true}
}

func meeting(name string, blue soccer.Wheels) motion {
	return motion{name: name, blue: blue, robotLimit: 0.03, ballLimit: 0.03}
}

func both(w float64) soccer.Wheels { return soccer.Wheels{Left: w, Right: w} }
func spin(w float64) soccer.Wheels { return soccer.Wheels{Left: -w, Right: w} }

func (m motion) with(change func(*motion)) motion {
	change(&m)
	return m
}

// kickedFrom says that the ball is placed at (x, y) with velocity (vx, vy).
func kickedFrom(x, y, vx, vy float64) func(*motion) {
	return func(m *motion) { m.placed, m.ball, m.kick = true, soccer.Vec{X: x, Y: y}, soccer.Vec{X: vx, Y: vy} }
}

// arc is a motion with the limits of arcs and brakes.
func arc(name string, left, right float64) motion {
	m := free(name, soccer.Wheels{Left: left, Right: right})
	m.robotLimit = 0.02
	return m
}

func motions() []motion {
	var none soccer.Wheels
	return []motion{
		free("straight_w10", both(10)), free("straight_w30", both(30)), free("straight_w100", both(100)),
		free("reverse_w30", both(-30)),
		free("spin_w5", spin(5)), free("spin_w20", spin(20)), free("spin_w40", spin(40)), free("spin_w60", spin(60)),
		free("spin_w80", spin(80)),
		arc("arc_10_40", 10, 40), arc("arc_20_30", 20, 30), arc("arc_m10_30", -10, 30),
		arc("brake_from_0.6", 0, 0).with(func(m *motion) { m.before = both(30) }),
		arc("brake_from_spin_w40", 0, 0).with(func(m *motion) { m.before = spin(40) }),
		free("ballroll_v0.3", none).with(kickedFrom(-0.6, 0.2, 0.3, 0)),
		free("ballroll_v2.0", none).with(kickedFrom(-0.6, 0.2, 2, 0)),
		meeting("ball_corner", none).with(kickedFrom(0.45, 0.4, 1, 0.8)),
		meeting("ball_goal_v1.5", none).with(kickedFrom(0.2, 0, 1.5, 0)),
		meeting("ball_hits_robot_v1", none).with(kickedFrom(-0.2, 0, 1, 0)),
		meeting("push_ball_w25", both(25)), meeting("hit_ball_w80", both(80)), meeting("robot_wall_w40", both(40)),
		meeting("spin_kick_w60", spin(60)).with(func(m *motion) { m.robotLimit, m.ballLimit = 0.05, 0.05 }),
		meeting("headon_w25", both(25)).with(func(m *motion) { m.yellow = both(25) }),
	}
}

// row is one vision packet, or the state after one tick of the simulation.
type row struct {
	ball   soccer.Vec
	robots [6]soccer.Pose // blue 0..2, yellow 0..2
}

// traces opens motions that were recorded from FIRASim: testdata/README.md says how.
func traces(t *testing.T, name string) *zip.Reader {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("testdata", name))
	must(t, err)
	t.Cleanup(func() { must(t, z.Close()) })
	return &z.Reader
}

// TestTraces replays motions that were recorded from FIRASim.
func TestTraces(t *testing.T) {
	z := traces(t, "firasim-traces.zip")
	for _, m := range motions() {
		t.Run(m.name, func(t *testing.T) { m.check(t, readTrace(t, z, m.name)) })
	}
}

// check replays m and compares it with its recording, moved by the tick that fits best: the recorded command was given
// at an unknown phase of a tick, and takes effect one tick later than here.
func (m motion) check(t *testing.T, recorded []row) {
	replayed := m.replay(t, recorded[0], len(recorded)+2)
	best := deviation{robot: math.Inf(1)}
	for shift := range 3 {
		if d := compare(recorded, replayed[shift:]); d.robot+d.ball+0.04*d.heading < best.robot+best.ball+0.04*best.heading {
			best = d
			best.shift = shift - 1
		}
	}
	limit := max(0.05, best.turned*0.01)
	heading := fmt.Sprintf("heading %6.4f rad (limit %.3f)", best.heading, limit)
	t.Logf("%-20s shift %+d: robot %5.2f mm (limit %2.0f), %s, ball %5.2f mm (limit %2.0f)",
		m.name, best.shift, best.robot*1000, m.robotLimit*1000, heading, best.ball*1000, m.ballLimit*1000)
	beyond := best.robot > m.robotLimit || best.ball > m.ballLimit || m.headingCounts && best.heading > limit
	if reason := missed[m.name]; beyond != (reason != "") {
		t.Errorf("%s: the replay exceeds its limits: %t; reason for a miss: %q", m.name, beyond, reason)
	}
}

// replay simulates m from the first recorded poses and returns rows, the first one before any tick.
func (m motion) replay(t *testing.T, first row, moments int) []row {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	place := func(keep bool) {
		p := sim.Placement{HasBall: !keep, Ball: first.ball, KeepVelocity: keep}
		for i, pose := range first.robots {
			p.Robots = append(p.Robots, sim.PlacedRobot{ID: uint8(i), Pose: pose})
		}
		must(t, e.Place(p))
	}
	place(false)
	for range 60 {
		e.Step(sim.Tick) // the ball comes to rest
	}
	if m.before != (soccer.Wheels{}) {
		must(t, e.Drive(0, m.before))
		for range 40 {
			e.Step(sim.Tick)
		}
		place(true)
	}
	must(t, e.Drive(0, m.blue))
	must(t, e.Drive(3, m.yellow))
	if m.placed {
		must(t, e.Place(sim.Placement{HasBall: true, Ball: m.ball, BallVelocity: m.kick}))
	}
	var out []row
	for k := range moments {
		for _, id := range slices.Sorted(maps.Keys(m.commands[k])) {
			must(t, e.Drive(id, m.commands[k][id]))
		}
		var now row
		ball, _ := e.Ball()
		now.ball = ball.XY()
		for i := range now.robots {
			now.robots[i], _, _ = e.Robot(uint8(i))
		}
		out = append(out, now)
		e.Step(sim.Tick)
	}
	return out
}

// deviation is the difference of two motions: root mean squares, for the worst robot.
type deviation struct {
	shift                int
	robot, ball, heading float64
	turned               float64 // rad in all, by the robot whose heading is worst
}

func compare(a, b []row) deviation {
	var d deviation
	n := float64(len(a))
	for i := range a[0].robots {
		var way, angle, turned float64
		for k := range a {
			p, q := a[k].robots[i], b[k].robots[i]
			way += square(p.X-q.X) + square(p.Y-q.Y)
			angle += square(soccer.WrapAngle(p.Theta - q.Theta))
			if k > 0 {
				turned += math.Abs(soccer.WrapAngle(p.Theta - a[k-1].robots[i].Theta))
			}
		}
		d.robot = max(d.robot, math.Sqrt(way/n))
		if h := math.Sqrt(angle / n); h > d.heading {
			d.heading, d.turned = h, turned
		}
	}
	var way float64
	for k := range a {
		way += square(a[k].ball.X-b[k].ball.X) + square(a[k].ball.Y-b[k].ball.Y)
	}
	d.ball = math.Sqrt(way / n)
	return d
}

func square(x float64) float64 { return x * x }

func readTrace(t *testing.T, z *zip.Reader, name string) []row {
	t.Helper()
	f, err := z.Open(name + ".csv")
	must(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	must(t, err)
	var out []row
	for _, line := range lines[1:] {
		var v []float64
		for _, s := range line {
			x, err := strconv.ParseFloat(s, 64)
			must(t, err)
			v = append(v, x)
		}
		now := row{ball: soccer.Vec{X: v[1], Y: v[2]}}
		for i := range now.robots {
			at := 6 + 6*i
			now.robots[i] = soccer.Pose{X: v[at], Y: v[at+1], Theta: v[at+2]}
		}
		out = append(out, now)
	}
	return out
}

// setup is how a motion of the second set was recorded: commands by frame; the first row is frame 0.
type setup struct {
	Class    string              `json:"class"`
	Commands map[string][][4]any `json:"commands"` // by frame: id, team, left, right
	Ball     *[4]float64         `json:"ball_placed_at_frame_0"`
}

// limits of the second set in m, by class.
var limits = map[string]float64{
	"fast": 0.01, "saturated": 0.01, "play": 0.01,
	"arc": 0.02, "brake": 0.02, "chain": 0.02,
	"rebound": 0.03, "robotball": 0.03, "pile": 0.03,
	"spinkick": 0.05,
}

// firstSecond is the number of compared rows of random_play_1: contacts in play soon amplify a difference.
const firstSecond = 62

// parting is the distance in m at which two courses of a game count as different.
const parting = 0.1

// missed are the motions of which a replay exceeds its limits, with the reason.
var missed = map[string]string{
	"chain_1":     "the heading, after a robot rocked from its nose onto its back: 0.14 rad of 0.12",
	"robotball_2": inNet, "robotball_6": inNet, "robotball_9": inNet,
	"pile_3": "the ball, pressed out between two corners", "pile_19": "three robots whose corners meet",
}

const inNet = "robot and ball hit the back of the goal at 1.7 m/s: FIRASim throws the robot back and up"

// TestSecondSet replays motions with changing commands.
func TestSecondSet(t *testing.T) { replaySet(t, "firasim-traces.zip") }

// TestDrawnSet replays motions that were drawn by chance.
func TestDrawnSet(t *testing.T) { replaySet(t, "firasim-motions.zip") }

// replaySet replays the motions that a setups.json describes.
func replaySet(t *testing.T, archive string) {
	z := traces(t, archive)
	b, err := fs.ReadFile(z, "setups.json")
	must(t, err)
	var setups map[string]setup
	must(t, json.Unmarshal(b, &setups))
	for name, s := range setups {
		t.Run(name, func(t *testing.T) {
			limit, known := limits[s.Class]
			if !known {
				t.Fatalf("class %q has no limit", s.Class)
			}
			m := motion{name: name, robotLimit: limit, ballLimit: limit, commands: map[int]map[uint8]soccer.Wheels{}}
			m.headingCounts = s.Class != "pile"
			if s.Ball != nil {
				kickedFrom(s.Ball[0], s.Ball[1], s.Ball[2], s.Ball[3])(&m)
			}
			for frame, commands := range s.Commands {
				k, err := strconv.Atoi(frame)
				must(t, err)
				m.commands[k] = map[uint8]soccer.Wheels{}
				for _, c := range commands {
					id := uint8(c[0].(float64))
					if c[1] == "yellow" {
						id += 3
					}
					m.commands[k][id] = soccer.Wheels{Left: c[2].(float64), Right: c[3].(float64)}
				}
			}
			recorded := readTrace(t, z, name)
			if name == "random_play_1" {
				m.logParting(t, recorded)
				recorded = recorded[:firstSecond]
			}
			m.check(t, recorded)
		})
	}
}

// logParting logs how long a replay stays within parting of its recording.
func (m motion) logParting(t *testing.T, recorded []row) {
	replayed := m.replay(t, recorded[0], len(recorded))
	for k := 1; k < len(recorded); k++ { // the command takes effect one tick later than here
		if d := compare(recorded[k:k+1], replayed[k-1:k]); max(d.robot, d.ball) > parting {
			t.Logf("%s: a body is %g m from its recording after %.2f s", m.name, parting, float64(k)*sim.Tick.Seconds())
			return
		}
	}
	t.Logf("%s: no body is %g m from its recording within %.2f s", m.name, parting, float64(len(recorded))*sim.Tick.Seconds())
}

// TestThrownBack drives a robot with the ball into a goal. The ball bounces off the net with half its speed and throws the
// robot back: in FIRASim from 1.80 to -0.66 m/s, where the robot rears up as well.
func TestThrownBack(t *testing.T) {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	must(t, e.Place(sim.Placement{
		HasBall: true, Ball: soccer.Vec{X: -0.27},
		Robots: []sim.PlacedRobot{{ID: 0, Pose: soccer.Pose{X: -0.55}}},
	}))
	must(t, e.Drive(0, both(100)))
	ahead, back := 0.0, 0.0
	for range 100 {
		e.Step(sim.Tick)
		_, twist, _ := e.Robot(0)
		ahead, back = max(ahead, twist.X), min(back, twist.X)
	}
	if ahead < 1.7 || back > -0.6 || back < -0.95 {
		t.Errorf("got %.2f m/s ahead and %.2f m/s back", ahead, back)
	}
}

// TestNoseDive reverses a straight robot at full speed. It brakes on its nose, whose friction acts along the axes of the
// field, and turns unless it drives along one of them. FIRASim's robot turns by these angles.
func TestNoseDive(t *testing.T) {
	for _, c := range []struct{ degrees, turned float64 }{{0, 0}, {-3.3, 0.2207}, {20, -0.1439}} {
		first := row{ball: soccer.Vec{X: 0.6, Y: 0.45}}
		for i := range first.robots {
			first.robots[i].X, first.robots[i].Y = -0.5+0.2*float64(i%3), 0.58*float64(i/3*2-1)
		}
		first.robots[0] = soccer.Pose{X: -0.55, Y: 0.08, Theta: c.degrees * math.Pi / 180}
		m := motion{name: "nose dive", blue: both(51.2)}
		m.commands = map[int]map[uint8]soccer.Wheels{55: {0: both(-51.2)}}
		rows := m.replay(t, first, 101)
		if got := soccer.WrapAngle(rows[100].robots[0].Theta - first.robots[0].Theta); math.Abs(got-c.turned) > 0.03 {
			t.Errorf("at %g degrees: turned by %.3f rad, FIRASim by %.3f", c.degrees, got, c.turned)
		}
	}
}
