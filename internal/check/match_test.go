package check_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	. "touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/msl"
)

// sent is one message of a made-up match: its contents and times.
type sent struct {
	world    msl.Worldstate
	received soccer.Time
	data     []byte // of world, or what stands for it
}

// game is a made-up match that a team reports without fault.
type game struct {
	rng           *rand.Rand
	length, width float64
	exact         bool // what stands is reported to the same digit
	robots        []player
	ball, roll    soccer.Vec
	stopped       bool
	setUp         bool // the robots go to their places while the ball lies
	lost          int  // messages during which no robot sees the ball
}

type player struct {
	id          int
	at, to, v   soccer.Vec
	heading     float64
	battery     float64
	off, engage bool
}

// clean returns the messages of a team in a made-up match of some seconds: it plays, stands still for minutes, takes
// its places again, loses sight of the ball, and substitutes a robot. It sends at 20 Hz, with jitter.
func clean(seed uint64, seconds int) []sent { return cleanAt(seed, seconds, 20) }

// cleanAt is clean at another rate in Hz.
func cleanAt(seed uint64, seconds, hz int) []sent {
	g := game{rng: rand.New(rand.NewPCG(seed, 7)), length: 22, width: 14, exact: seed%2 == 0}
	if seed%3 == 1 {
		g.length, g.width = 18, 12
	}
	for i := range 5 {
		p := player{id: i + 1, battery: 80 + 20*g.rng.Float64(), heading: g.rng.Float64() * 6}
		p.at = g.somewhere()
		p.to = p.at
		if i == 0 {
			p.at, p.heading = soccer.Vec{Y: 0.6 - g.length/2}, 0
			p.to = p.at
		}
		g.robots = append(g.robots, p)
	}
	var all []sent
	period := time.Second / time.Duration(hz)
	start := soccer.Time(1_783_000_000e9)
	var last soccer.Time
	for n := range seconds * hz {
		second := n / hz
		g.stopped = second%100 >= 60 // a minute of play, then a stop: at first no robot moves, then all take their places
		g.setUp = second%100 >= 90
		if n%hz == 0 && g.rng.IntN(12) == 0 {
			g.lost = hz + g.rng.IntN(3*hz)
		}
		if second == seconds/2 && n%hz == 0 {
			g.robots[3].id, g.robots[3].at = 7, soccer.Vec{X: g.width / 2, Y: 1} // comes on at the touch line
		}
		g.robots[4].off = second > seconds*3/4 && second < seconds*3/4+15
		g.move(period.Seconds())
		captured := start.Add(time.Duration(n) * period)
		sending := captured.Add(time.Duration(6e6 + g.rng.Float64()*0.6*float64(period))) // time to compute and send it
		received := max(sending.Add(time.Duration(g.rng.Float64()*2e6)), last)
		last = received
		s := sent{world: g.world(), received: received}
		s.world.AgeMillis = msl.Num(float64(sending.Sub(captured).Milliseconds()))
		s.encode()
		all = append(all, s)
		if n%(15*hz) == 15*hz-1 {
			s.data = fmt.Appendf(nil, `{"type": "event", "robotId": %d, "event": "pass"}`, g.robots[n%3].id)
			all = append(all, s)
		}
	}
	return all
}

func (s *sent) encode() {
	b, err := s.world.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	s.data = b
}

func (g *game) somewhere() soccer.Vec {
	return soccer.Vec{X: (g.rng.Float64() - 0.5) * g.width * 0.95, Y: (g.rng.Float64() - 0.5) * g.length * 0.9}
}

// move moves the robots and the ball for dt seconds.
func (g *game) move(dt float64) {
	for i := range g.robots {
		p := &g.robots[i]
		p.v = soccer.Vec{}
		p.engage = false
		if p.off || g.stopped && !g.setUp {
			continue
		}
		way := p.to.Sub(p.at)
		if way.Len() < 0.2 {
			p.to = g.somewhere()
			if i == 0 {
				p.to = soccer.Vec{X: (g.rng.Float64() - 0.5) * 2, Y: 0.5 - g.length/2 + 0.4*g.rng.Float64()}
			} else if i == 1 && !g.stopped {
				p.to = g.ball
			}
			way = p.to.Sub(p.at)
		}
		if n := way.Len(); n > 0 {
			speed := min(n/dt, 1+float64(i)*0.6)
			p.v = soccer.Vec{X: way.X / n * speed, Y: way.Y / n * speed}
		}
		p.at.X, p.at.Y = p.at.X+p.v.X*dt, p.at.Y+p.v.Y*dt
		turn := (g.rng.Float64() - 0.5) * 0.2
		if i == 0 {
			turn -= 0.1 * math.Remainder(p.heading, 2*math.Pi)
		}
		p.heading = math.Mod(p.heading+turn+2*math.Pi, 2*math.Pi)
		p.battery = max(p.battery-dt*0.005, 15)
		if near := g.ball.Sub(p.at).Len(); near < 0.45 && !g.stopped {
			p.engage = true
			g.roll = soccer.Vec{X: (g.rng.Float64() - 0.5) * 8, Y: (g.rng.Float64() - 0.4) * 8}
		}
	}
	if g.stopped {
		g.roll = soccer.Vec{}
	}
	g.ball.X, g.ball.Y = g.ball.X+g.roll.X*dt, g.ball.Y+g.roll.Y*dt
	g.roll.X, g.roll.Y = g.roll.X*0.98, g.roll.Y*0.98
	if math.Abs(g.ball.X) > g.width/2+0.5 || math.Abs(g.ball.Y) > g.length/2+0.5 {
		g.ball, g.roll = soccer.Vec{X: g.rng.Float64(), Y: g.rng.Float64()}, soccer.Vec{}
	}
}

// noise returns the error of a measurement in m.
func (g *game) noise(scale float64) float64 {
	if g.exact && g.stopped {
		return 0
	}
	return (g.rng.Float64() - 0.5) * scale
}

// world returns what the team believes.
func (g *game) world() msl.Worldstate {
	w := msl.Worldstate{TeamName: "Clean", Intention: "attack"}
	for _, p := range g.robots {
		r := msl.Robot{ID: msl.Num(float64(p.id)), Intention: `wait for the "ball"`,
			BatteryLevel: msl.Num(math.Round(p.battery*10) / 10), BallEngaged: msl.Num(0)}
		if p.engage {
			r.BallEngaged = msl.Num(1)
		}
		r.Pose = msl.Vec3(p.at.X+g.noise(0.02), p.at.Y+g.noise(0.02), math.Mod(p.heading+g.noise(0.01)+2*math.Pi, 2*math.Pi))
		if !p.off {
			r.TargetPose = msl.Vec3(p.to.X, p.to.Y, 1.2345)
			r.Velocity = msl.Vec3(p.v.X, p.v.Y, g.noise(0.4))
		}
		w.Robots = append(w.Robots, r)
	}
	if g.lost > 0 {
		g.lost--
		if g.rng.IntN(2) == 0 {
			w.Balls = append(w.Balls, msl.Ball{Position: msl.Vec{Len: 3}, Velocity: msl.Vec{Len: 3}, Confidence: msl.Num(0)})
		}
	} else {
		b := msl.Ball{Position: msl.Vec3(g.ball.X+g.noise(0.03), g.ball.Y+g.noise(0.03), 0.11), Velocity: msl.Vec3(g.roll.X,
			g.roll.Y, 0)}
		b.Confidence = msl.Num(math.Round((0.8+0.15*g.rng.Float64())*1000) / 1000)
		w.Balls = append(w.Balls, b)
		if g.rng.IntN(4) == 0 {
			other := b
			other.Position = msl.Vec3(g.ball.X+1, g.ball.Y-2, 0.11)
			other.Confidence = msl.Num(math.Round(0.4*g.rng.Float64()*1000) / 1000)
			w.Balls = append(w.Balls, other)
		}
	}
	for i := range 5 {
		at := soccer.Vec{X: float64(i) - 2 + g.noise(0.05), Y: 1 + float64(i) + g.noise(0.05)}
		w.Obstacles = append(w.Obstacles, msl.Obstacle{Position: msl.Vec2(at.X, at.Y), Velocity: msl.Vec2(0, 0),
			Radius: msl.Num(0.25), Confidence: msl.Num(0.9)})
	}
	return w
}

// card returns the card of messages as a log of the RefBox has them: in whole milliseconds, with computed times of
// receipt.
func card(all []sent) *Card {
	c := NewCard("Clean", soccer.Field{})
	for i := range all {
		millis := int64(all[i].received)/1e6 - int64(all[i].world.AgeMillis.Value)
		received := soccer.Time((millis + int64(all[i].world.AgeMillis.Value)) * 1e6)
		c.Add(&StationMessage{Received: received, Published: soccer.Time(millis * 1e6), Polled: true, Offset: int64(i + 1),
			Data: all[i].data})
	}
	return c
}

// TestCardClean wants no finding for a team without faults, in several matches.
func TestCardClean(t *testing.T) {
	for seed := range uint64(6) {
		seconds := 75
		switch seed {
		case 0:
			seconds = 320 // several stops
		case 2:
			seconds = 115 // one, with a ball that is reported to the same digit
		}
		c := card(clean(seed, seconds))
		for _, f := range c.Findings() {
			t.Errorf("seed %d: %+v", seed, f)
		}
		if r := c.Report(); !r.OK || r.Rate == nil || math.Abs(*r.Rate-20) > 0.1 || r.AgeP50 == nil || *r.AgeP50 < 15 ||
			*r.AgeP50 > 27 {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
	if n := len(NewCard("A", soccer.Field{}).Findings()); n != 0 {
		t.Errorf("no message gave %d findings", n)
	}
}

// TestCardTenHertz wants no finding for a team that sends ten worldstates a second with jitter.
func TestCardTenHertz(t *testing.T) {
	var all []sent
	for i, s := range clean(5, 120) {
		if i%2 == 0 {
			all = append(all, s)
		}
	}
	if f := card(all).Findings(); len(f) != 0 {
		t.Errorf("got %+v", f)
	}
}

// TestCardChangeOfEnds wants no finding for a team that changes ends while one of its robots drives.
func TestCardChangeOfEnds(t *testing.T) {
	worldstates := slices.DeleteFunc(clean(2, 60), func(s sent) bool { return strings.Contains(string(s.data), `"event"`) })
	all := robots(func(i int, r *msl.Robot) {
		if i < 500 {
			return
		}
		flipped(r)
		if r.ID.Value == 3 {
			r.Pose.At[0].Value += 0.8
		}
	})(worldstates)
	for _, f := range card(all).Findings() {
		if f.Rule == RuleJump || f.Rule == RuleFlip {
			t.Error(f.Text)
		}
	}
}

// TestCardParked wants only a note for a forward that waits at the opponents' goal while no keeper is listed.
func TestCardParked(t *testing.T) {
	all := robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 1 {
			r.Pose, r.Velocity = msl.Vec3(0.5+0.002*math.Sin(float64(i)), 9.5, 0.1+0.01*math.Cos(float64(i))), msl.Vec3(0, 0, 0)
		}
	})(clean(11, 60))
	if got := rules(card(all).Findings()); !slices.Equal(got, []string{"note " + RuleFrame}) {
		t.Errorf("got %q", got)
	}
}

// TestCardCarried wants no turn in robots that are carried: each is away for 2 s of 6, returns with another heading, and
// stands.
func TestCardCarried(t *testing.T) {
	all := edit(func(i int, w *msl.Worldstate) {
		w.Robots = slices.DeleteFunc(w.Robots, func(r msl.Robot) bool { return (i/20+int(r.ID.Value))%6 < 2 })
		for k := range w.Robots {
			r := &w.Robots[k]
			cycle := float64((i/20 + int(r.ID.Value)) / 6)
			r.Pose = msl.Vec3(r.ID.Value, -r.ID.Value+0.002*math.Sin(float64(i)), math.Mod(2*cycle, 2*math.Pi))
			r.Velocity = msl.Vec3(0, 0, 0)
		}
	})(clean(11, 120))
	for _, f := range card(all).Findings() {
		if strings.Contains(f.Text, "angular velocity") {
			t.Errorf("got %s", f.Text)
		}
	}
}

// TestCardNoFault wants no finding for what a team may do.
func TestCardNoFault(t *testing.T) {
	joins := clean(11, 60) // robot 7 comes on later
	joins[100].data = []byte(`{"type":"event","robotId":7,"event":"joined"}`)
	var held msl.Vec
	for name, all := range map[string][]sent{
		"an event of a robot that joins": joins,
		// The base station repeats what it last heard.
		"a fast robot that is silent for half a second": robots(func(i int, r *msl.Robot) {
			if r.ID.Value == 5 && i%100 >= 90 {
				r.Pose = held
			} else if r.ID.Value == 5 {
				held = r.Pose
			}
		})(clean(11, 60)),
	} {
		for _, f := range card(all).Findings() {
			t.Errorf("%s: %s: %s", name, f.Rule, f.Text)
		}
	}
}

// TestCardKeeperOut finds a wrong frame by a keeper that is away for a fifth of the time, with no other robot at the
// goals.
func TestCardKeeperOut(t *testing.T) {
	all := robots(func(i int, r *msl.Robot) {
		x, y := &r.Pose.At[0].Value, &r.Pose.At[1].Value
		if *x, *y = -*x, -*y; r.ID.Value == 1 && i%9 < 2 {
			*y = 4
		} else if *y < -6 {
			*y = -6
		}
	})(clean(11, 62))
	if got := card(all).Findings(); !slices.ContainsFunc(got, func(f StationFinding) bool {
		return !f.Note && strings.Contains(f.Text, "robot 1, the keeper by its position")
	}) {
		t.Errorf("got %+v", got)
	}
}

// TestCardAge0 wants only a note for an age that is always 0, as it is not measured.
func TestCardAge0(t *testing.T) {
	all := edit(func(_ int, w *msl.Worldstate) { w.AgeMillis = msl.Num(0) })(clean(11, 30))
	if got := rules(card(all).Findings()); !slices.Equal(got, []string{"note " + RuleConstant}) {
		t.Errorf("got %q", got)
	}
}

// TestCardAxes wants the correct axes named to a team whose X leads to a goal.
func TestCardAxes(t *testing.T) {
	negative, positive := "negative X, and no robot goes further along Y than the field is wide: the frame is turned by a quarter (correct: x = -y, y = x), "+
		"or X and Y are exchanged (correct: x = y, y = x)", "(correct: x = y, y = -x), or X and Y are exchanged (correct: x = -y, y = -x)"
	for want, f := range map[string]func(x, y float64) (float64, float64){
		negative: func(x, y float64) (float64, float64) { return y, -x },
		positive: func(x, y float64) (float64, float64) { return -y, -x },
	} {
		all := clean(11, 30)
		for i := range all {
			all[i].world = deep(all[i].world)
		}
		got := card(turn(f)(all)).Findings()
		if !slices.ContainsFunc(got, func(f StationFinding) bool {
			return f.Rule == RuleFrame && !f.Note &&
				strings.Contains(f.Text, want)
		}) {
			t.Errorf("%s is not in %+v", want, got)
		}
	}
}

// TestCardPolled wants nothing for a team whose worldstates a RefBox 2.1 reads every 80 ms, or that a network delays
// once a minute. A team that itself sends two at a time still gets a finding where the receiver reads at once.
func TestCardPolled(t *testing.T) {
	all := clean(11, 60)
	for i := range all {
		all[i].received = (all[i].received/80e6 + 1) * 80e6
	}
	if got := rules(card(all).Findings()); len(got) > 0 {
		t.Errorf("polled: got %q, want none", got)
	}
	delayed := clean(11, 70)
	for i := range delayed {
		if i%1200 >= 600 && i%1200 < 603 && i < 1300 {
			delayed[i].received = delayed[i-i%1200+603].received
		}
	}
	if got := card(delayed).Findings(); slices.ContainsFunc(got, func(f StationFinding) bool { return !f.Note }) {
		t.Errorf("delayed: %+v", got)
	}
	c := NewCard("Clean", soccer.Field{})
	for i := range all { // received at these times without a RefBox between
		c.Add(&StationMessage{Received: all[i].received, Published: all[i].received.Add(-20 * time.Millisecond), Data: all[i].data})
	}
	if got := rules(c.Findings()); !slices.Equal(got, []string{RuleBurst}) {
		t.Errorf("received directly: %q", got)
	}
}

// TestCardFilled wants the empty structures of a referee box counted apart from empty worldstates of a team.
func TestCardFilled(t *testing.T) {
	empty := []byte(`{"type":"worldstate","teamName":"A","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":0}`)
	var logged, received Card
	for i := range 50 {
		at := soccer.Time(1_783_000_000e9 + int64(i)*100e6)
		logged.AddFilled(&StationMessage{Received: at})
		received.Add(&StationMessage{Received: at, Published: at, Data: empty})
	}
	if r := logged.Report(); r.Filled != 50 || r.Messages != 0 || !slices.Equal(rules(r.Findings), []string{RuleGap}) {
		t.Errorf("logged: %+v", r)
	}
	if r := received.Report(); r.Filled != 0 || r.Worldstates != 50 || !slices.Equal(rules(r.Findings),
		[]string{"note " + RuleEmpty}) {
		t.Errorf("received: %+v", r)
	}
}

// rules returns the rules of findings, each once; notes say so.
func rules(all []StationFinding) (names []string) {
	for _, f := range all {
		name := f.Rule
		if f.Note {
			name = "note " + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
