package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// session is a game of the project's own simulator: the practical session in virtual time, whose robots run their own
// software. Each of them carries estimators, which receive what the robot perceives and the packages that reach it.
type session struct {
	*match.Session
	s        *Scenario
	players  *players
	trackers [robots]tracker
	cameras  [robots]TrialsCamera
	sent     [robots][]sent // the newest of each robot, oldest first
	carried  [robots][]named
	judges   [robots][]judge
	now      truth
	err      error
}

// sent is the ball that a robot tracked when it sent the package with this stamp.
type sent struct {
	stamp uint32
	Track
}

// robotItself is the belief that a robot of the session has.
type robotItself struct {
	session *match.Session
	number  uint8
}

func (r robotItself) Receive(*Package) {} // the session delivers to it

func (r robotItself) World(_ soccer.Time, w *soccer.World) { r.session.World(r.number, w) }

// playSession plays one session and returns the score of each estimator, added up over the robots.
func playSession(ctx context.Context, s *Scenario, seed uint64, length time.Duration) ([]Score, error) {
	cfg := match.DefaultConfig()
	cfg.Seed, cfg.Robots, cfg.Obstacles = seed, robots, opponents
	cfg.Substitute = [2]time.Duration{} // the same five robots throughout
	if s.KickRate > 0 || s.Dribbling {
		cfg.Kick = [2]time.Duration{} // no kick-ins
	}
	cfg.Link = traffic.Link{Loss: s.Loss, Burst: s.Burst, Delay: s.DelayLeast, Jitter: s.DelayTop - s.DelayLeast}
	if s.Late > 0 {
		cfg.Link.Delay, cfg.Link.Jitter = 200*time.Millisecond, 300*time.Millisecond
	}
	played, err := match.Virtual(cfg, nil)
	if err != nil {
		return nil, fmt.Errorf("trials: %w", err)
	}
	g := &session{Session: played, s: s, now: truth{seen: math.Inf(-1)}}
	g.players = newPlayers(played, s, rand.New(rand.NewPCG(seed, 30)))
	for i, p := range match.Participants()[:robots] {
		c := s.Camera
		c.SigmaBase, c.SigmaAlong, c.SigmaAngle = p.Camera.SigmaBase, p.Camera.SigmaRange, p.Camera.SigmaBearing
		c.PoseSigma, c.PoseAngle = p.Camera.PoseSigma, p.Camera.PoseSigmaHeading
		g.cameras[i] = c
		g.trackers[i].camera = &g.cameras[i]
		g.carried[i] = estimators(Simulator, s)
		g.carried[i][0].Estimator = robotItself{played, p.Number}
		g.judges[i] = make([]judge, len(g.carried[i]))
		for k := range g.judges[i] {
			g.judges[i][k].self, g.judges[i][k].numbered = i, k == 0
		}
	}
	played.Attach(match.Probe{Sensed: g.sensed, Received: g.received})
	for played.Now() < soccer.Epoch.Add(length) && g.err == nil {
		g.advance()
		g.compare()
		g.err = cmp.Or(g.err, ctx.Err())
	}
	return g.scores(), g.err
}

// index returns where estimators that robot carries find what robot from sends: 0 is the robot itself.
func index(from, robot int) int { return (from - robot + robots) % robots }

// stamp returns the time of a picture as the session's robots send it.
func stamp(t soccer.Time) uint32 { return uint32(t.Sub(soccer.Epoch) / time.Millisecond) }

// sensed passes on what a robot perceives itself, and notes the ball that it tracks.
func (g *session) sensed(number uint8, p *soccer.Percepts) {
	robot, now := int(number-1), g.Now()
	own := clone(p)
	g.trackers[robot].observe(own, g.s.Friction)
	track := g.trackers[robot].track()
	const most = 64 // pictures: more than two seconds
	if len(g.sent[robot]) == most {
		g.sent[robot] = g.sent[robot][1:]
	}
	g.sent[robot] = append(g.sent[robot], sent{stamp(p.Time), track})
	g.noteSight(own)
	for _, e := range g.carried[robot] {
		e.Receive(&Package{Arrival: now, Stamp: stamp(p.Time), Claimed: p.Time, Percepts: own, Track: track})
	}
}

// noteSight notes that a robot saw the true ball.
func (g *session) noteSight(p *soccer.Percepts) {
	const same = 1.0 // m
	t := g.Truth().Ball
	late := g.Now().Sub(p.Time).Seconds()
	then := soccer.Vec{X: t.X - t.VX*late, Y: t.Y - t.VY*late}
	for i := range p.Balls {
		if p.Balls[i].Position.XY().Sub(then).Len() < same {
			g.now.seen = p.Time.Sub(soccer.Epoch).Seconds()
		}
	}
}

// received passes on a package.
func (g *session) received(number uint8, packet *soccer.Packet) {
	var h mixedteam.Header
	p := new(soccer.Percepts)
	if _, err := mixedteam.Decode(packet.Data, &h, p); err != nil || int(h.Robot) < 1 || int(h.Robot) > robots {
		g.err = fmt.Errorf("trials: robot %d received a package of robot %d: %w", number, h.Robot, err)
		return
	}
	robot, from := int(number-1), int(h.Robot-1)
	m := Package{
		From: index(from, robot), Arrival: packet.Time, Stamp: h.TimestampMillis, Percepts: p,
		Claimed: soccer.Epoch.Add(time.Duration(h.TimestampMillis) * time.Millisecond),
	}
	p.Time = m.Claimed
	for _, s := range g.sent[from] {
		if s.stamp == h.TimestampMillis {
			m.Track = s.Track
		}
	}
	for _, e := range g.carried[robot] {
		e.Receive(&m)
	}
}

// advance plays until the next comparison, and notes kicks and placements.
func (g *session) advance() {
	for range int(math.Round(sampleEvery / actEvery)) {
		g.Advance(g.Now().Add(time.Duration(actEvery * 1e9)))
		g.now.now = g.Now().Sub(soccer.Epoch).Seconds()
		z := g.Truth().Ball.Z
		g.now.height, g.now.climb = z, (z-g.now.height)/actEvery-soccer.Gravity*actEvery/2
		g.players.act(g.now.now)
		if g.players.placed {
			g.now.event, g.now.placed = g.now.now, true
		}
	}
	for _, e := range g.Events() {
		switch e.Text {
		case "kick", "kick-in", "rolled out":
			g.now.event, g.now.placed = g.now.now, false
		}
	}
}

// compare compares all beliefs with the truth.
func (g *session) compare() {
	t, scene := &g.now, g.Truth()
	t.ball = soccer.Vec{X: scene.Ball.X, Y: scene.Ball.Y}
	t.velocity = soccer.Vec{X: scene.Ball.VX, Y: scene.Ball.VY}
	for i, o := range scene.Obstacles {
		t.opponents[i], t.visible[i] = soccer.Vec{X: o.X, Y: o.Y}, true // the laptop sees the whole field
	}
	if t.now <= warmUp {
		return
	}
	t.faulty[faultyNumber-1] = faulty(g.s, faultyNumber-1, t.now)
	var w soccer.World
	for robot := range g.carried {
		if g.s.Fault != healthy && robot == faultyNumber-1 {
			continue
		}
		for k, e := range g.carried[robot] {
			e.World(g.Now(), &w)
			g.judges[robot][k].compare(t, &w)
		}
	}
}

// scores returns the score of each estimator.
func (g *session) scores() []Score {
	all := make([]Score, len(g.judges[0]))
	for robot := range g.judges {
		for k := range all {
			g.judges[robot][k].finish()
			all[k].add(&g.judges[robot][k].Score)
		}
	}
	return all
}

func clone(p *soccer.Percepts) *soccer.Percepts {
	c := *p
	c.Balls, c.Obstacles = append([]soccer.Observation(nil), p.Balls...), append([]soccer.Observation(nil), p.Obstacles...)
	return &c
}
