package lab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/world"
)

// Names of the estimators.
const (
	Ours         = "touchline"
	packages     = "touchline, package v2"
	Raw          = "touchline, raw over TCM"
	own          = "own only"
	Cambada      = "CAMBADA"
	BHuman       = "B-Human"
	sum          = "information sum"
	Intersection = "covariance intersection"
	newest       = "newest wins"
	gnn          = "GNN"
	GNNPose      = "GNN + pose"
)

// estimators returns new estimators for one game of a scenario, in the order of the report. In the simulator, Ours is a
// robot that receives raw measurements over the TCM.
func estimators(source Source, s *Scenario) []named {
	rule := func(pick func(*ballRule, soccer.Time, []report) (filter, bool)) Estimator {
		return &ballRule{scene: s, pick: pick}
	}
	all := []named{
		{Ours, &ours{model: world.New(world.DefaultConfig(1, soccer.Cyan))}},
		{packages, &ours{model: world.New(world.DefaultConfig(1, soccer.Cyan)), coded: true}},
		{own, rule(pickOwn)}, {Cambada, rule(pickNearest)}, {BHuman, rule(pickMean)}, {sum, rule(pickSum)},
		{Intersection, rule(pickIntersection)}, {newest, &newestWins{}}, {gnn, &nearest{camera: &s.Camera}},
		{GNNPose, &nearest{camera: &s.Camera, pose: true}},
	}
	if source == Generator {
		all = append(all, named{Raw, &raw{model: world.New(world.DefaultConfig(1, soccer.Cyan)), camera: &s.Camera}})
	}
	return all
}

type named struct {
	name string
	Estimator
}

// ours is a world.Model, which receives percepts as they are or, coded, through the Mixed Team Package v2.
type ours struct {
	model *world.Model
	coded bool
}

func (o *ours) Receive(m *Package) {
	if m.From == 0 {
		o.model.Observe(m.Percepts)
		return
	}
	msg := world.Message{
		From:    soccer.Sender{Addr: address(m.From), Color: soccer.Cyan, Robot: uint8(m.From + 1)},
		Arrival: m.Arrival, HasStamp: true, Stamp: m.Stamp, Percepts: m.Percepts,
	}
	if o.coded {
		h := mixedteam.Header{Variant: mixedteam.V2, Color: soccer.Cyan, TeamID: uint8(m.From), Robot: msg.From.Robot,
			HasTimestamp: true, TimestampMillis: m.Stamp}
		b, err := mixedteam.Append(nil, &h, m.Percepts)
		var decoded soccer.Percepts
		if err == nil {
			_, err = mixedteam.Decode(b, &h, &decoded)
		}
		if err != nil {
			panic(fmt.Sprintf("trials: a percept does not fit into a package: %v", err))
		}
		msg.Percepts, msg.Stamp = &decoded, h.TimestampMillis
	}
	o.model.Receive(&msg)
}

func (o *ours) World(now soccer.Time, w *soccer.World) { o.model.World(now, w) }

// raw is a world.Model that receives percepts raw over the TCM: with the covariances that the sender knows, and with a
// capture time that its clock measurement gives to 1.5 ms.
type raw struct {
	model  *world.Model
	camera *TrialsCamera
}

func (r *raw) Receive(m *Package) {
	p := clone(m.Percepts)
	r.describe(p)
	if m.From == 0 {
		r.model.Observe(p)
		return
	}
	const clockError = 1500 * time.Microsecond
	if m.From%2 == 0 {
		p.Time = p.Time.Add(-clockError)
	} else {
		p.Time = p.Time.Add(clockError)
	}
	r.model.Measure(soccer.Sender{Color: soccer.Cyan, Robot: uint8(m.From + 1)}, m.Arrival, p)
}

// describe adds the covariances of the pose and of the camera.
func (r *raw) describe(p *soccer.Percepts) {
	c := r.camera
	pose := c.PoseSigma * c.PoseSigma
	p.Self.Cov = soccer.PoseCov{0: pose, 3: pose, 5: c.PoseAngle * c.PoseAngle}
	for _, seen := range [...][]soccer.Observation{p.Balls, p.Obstacles} {
		for i := range seen {
			ray := seen[i].Position.XY().Sub(p.Self.Pose.XY())
			if d := ray.Len(); d > 0 {
				along, across := c.SigmaBase+c.SigmaAlong*d, c.SigmaAngle*d
				seen[i].Cov = soccer.Cov{XX: along * along, YY: across * across}.Rotated(ray.Y/d, ray.X/d)
			}
		}
	}
}

func (r *raw) World(now soccer.Time, w *soccer.World) { r.model.World(now, w) }

// address returns the address from which a robot sends.
func address(robot int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(robot)}), 2005)
}

// trial is one game with its estimators.
type trial struct {
	*trialsGame
	eyes     [robots]*eye
	links    [robots]*link
	trackers [robots]tracker
	ready    [robots][]*soccer.Percepts // percepts that the robot's camera is still working on
	newest   [robots]*soccer.Percepts
	flying   []*Package // sent, in order of arrival
	seen     float64    // s, when an honest robot last saw the ball
	evidence evidence
	judges   []judge
}

// playGame plays one game of the generator and returns the score of each estimator.
func playGame(ctx context.Context, s *Scenario, seed uint64, length time.Duration) ([]Score, error) {
	all := estimators(Generator, s)
	stream := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
	t := &trial{trialsGame: newGame(s, stream(0)), seen: math.Inf(-1), judges: make([]judge, len(all))}
	for i := range t.eyes {
		t.eyes[i] = newEye(s, i, stream(uint64(10+i)))
		t.links[i] = newLink(s, i, stream(uint64(20+i)))
		t.trackers[i].camera = &s.Camera
	}
	period := int(math.Round(1 / (s.Camera.Rate * tick)))
	sample := int(math.Round(sampleEvery / tick))
	var w soccer.World
	for n := range int(length.Seconds() / tick) {
		t.step()
		for i := range robots {
			if (n+i*3)%period == 0 { // cameras are not synchronised
				t.look(i)
			}
		}
		now := soccer.Epoch.Add(time.Duration(t.now * 1e9))
		t.process(now, all)
		t.deliver(now, all)
		if n%sample == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if t.now > warmUp && n%sample == 0 {
			reality := t.truth(t.seen)
			reality.contradicted = t.evidence.since
			for k := range all {
				all[k].World(now, &w)
				t.judges[k].compare(&reality, &w)
			}
		}
	}
	scores := make([]Score, len(all))
	for k := range scores {
		t.judges[k].finish()
		scores[k] = t.judges[k].Score
	}
	return scores, nil
}

// look takes a picture.
func (t *trial) look(i int) {
	p, saw := t.eyes[i].picture(t.trialsGame)
	t.ready[i] = append(t.ready[i], p)
	t.evidence.note(t.trialsGame, i, p, saw)
	if saw {
		t.seen = t.now
	}
}

// process finishes pictures and sends packages.
func (t *trial) process(now soccer.Time, all []named) {
	for i := range robots {
		for len(t.ready[i]) > 0 && now.Sub(t.ready[i][0].Time) >= t.s.Camera.Delay {
			p := t.ready[i][0]
			t.ready[i], t.newest[i] = t.ready[i][1:], p
			t.trackers[i].observe(p, t.s.Friction)
			if i == 0 {
				own := Package{Arrival: now, Claimed: p.Time, Percepts: p, Track: t.trackers[0].track()}
				for k := range all {
					all[k].Receive(&own)
				}
			}
		}
		if l := t.links[i]; i > 0 && t.now >= l.next && t.newest[i] != nil {
			l.next += 1 / t.s.Camera.Packages
			if m := l.send(t.now, t.newest[i], t.trackers[i].track()); m != nil {
				at, _ := slices.BinarySearchFunc(t.flying, m, func(a, b *Package) int {
					return int(min(1, max(-1, a.Arrival-b.Arrival)))
				})
				t.flying = slices.Insert(t.flying, at, m)
			}
		}
	}
}

// deliver passes on the packages that have arrived.
func (t *trial) deliver(now soccer.Time, all []named) {
	for len(t.flying) > 0 && t.flying[0].Arrival <= now {
		for k := range all {
			all[k].Receive(t.flying[0])
		}
		t.flying = t.flying[1:]
	}
}
