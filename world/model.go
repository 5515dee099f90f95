package world

import (
	"math"
	"slices"
	"time"

	"touchline/soccer"
)

// Model is one robot's world model. It allocates all its memory in New. It is not safe for concurrent use.
type Model struct {
	cfg       Config
	own       peer // this robot itself
	peers     []peer
	keys      [maxPeers]uint64       // key of each peer's sender
	heard     soccer.Time            // not later than peer.received of any peer
	observers [maxPeers + 1]observer // indexed by peer.slot; the last one is this robot
	poses     poseGroup
	member    int // observer of the package that is fused, as a member of poses; -1: none
	ball      *ballFilter
	votes     [64]votes // indexed by peer.reporter
	turn      int
	judged    int     // whose delay was judged last
	lag       float64 // s, mean age of others' pictures on arrival
	scratch   ballMixture
	obstacles []obstacle
	newest    uint32  // id of an obstacle
	matesSeen float64 // share of teammates in view that robots see as obstacles
	counts    Counts

	seen    [maxPlaces + maxSeen]soccer.Observation // scratch memory for one percept set
	spots   [maxSeen]spot
	pairs   [maxSeen][maxObstacles + maxPeers]pair
	targets [maxObstacles]target
	bands   bands
	mates   [maxPeers + 1]mate // scratch memory of teammates
}

// maxSeen bounds the observations of one kind in one percept set; a mixed team package holds at most 12.
const maxSeen = 16

// Counts holds how much input a Model did not fuse since New, by reason, and how often the clock of a peer jumped.
type Counts struct {
	OtherSide  uint64 // packages of the other side
	SameNumber uint64 // packages with the number of this robot or of an active one at another address
	Measured   uint64 // packages of robots whose raw pictures arrive (Measure)
	Absurd     uint64 // observations, poses and covariances that cannot be true: no numbers, 50 m from the centre, negative
	Unplaced   uint64 // observations by a robot that does not know its pose
	Duplicate  uint64 // packages and raw pictures with the capture time of an earlier one
	// Stale counts packages and raw pictures older than a second or the eight newest, raw pictures from the future, and
	// packages with a stamp that no other confirms yet.
	Stale      uint64
	ClockJumps uint64 // jumps of a peer's clock, for example at the start of a half
}

// New returns an empty Model.
func New(cfg Config) *Model {
	m := &Model{
		cfg: cfg, own: peer{slot: maxPeers}, ball: &ballFilter{fit: 1.3}, matesSeen: 0.5,
		peers:     make([]peer, 0, maxPeers),
		obstacles: make([]obstacle, 0, maxObstacles),
	}
	m.observers[maxPeers].own = true
	return m
}

// Counts returns how much input was not fused so far.
func (m *Model) Counts() Counts { return m.counts }

// Observe fuses what this robot perceived itself at p.Time.
func (m *Model) Observe(p *soccer.Percepts) {
	percepts := *p
	percepts.Self = m.plausiblePose(p.Self)
	m.own.self, m.own.poseTime = percepts.Self, p.Time
	m.own.sender.Robot = m.cfg.Robot
	m.fuse(&m.own, &percepts)
}

// Message is one package of another robot.
type Message struct {
	From     soccer.Sender
	Arrival  soccer.Time
	HasStamp bool   // false: package v1
	Stamp    uint32 // ms since the start of the current half, on the sender's clock
	Percepts *soccer.Percepts
}

// Receive fuses a package of another robot. It derives the capture time from the stamp and ignores Percepts.Time.
// Packages of the other side are counted, not fused; a sender without a colour counts as a teammate. Of two active
// senders with one number only the first is fused: nobody knows which of them is the robot.
func (m *Model) Receive(msg *Message) {
	if c := msg.From.Color; c != m.cfg.Color && c != soccer.NoColor {
		m.counts.OtherSide++
		return
	}
	if m.repeats(msg) {
		return
	}
	if m.numberInUse(msg) {
		m.counts.SameNumber++
		return
	}
	m.expire(msg.Arrival) // here too: the caller may never ask for the World
	p := m.peer(msg.From, msg.Arrival)
	captured, ok := m.captureTime(p, msg)
	p.received = max(p.received, msg.Arrival)
	if captured != 0 && p.clock.known {
		captured = captured.Add(-m.observers[p.slot].delay.mean)
	}
	percepts := *msg.Percepts
	percepts.Self = m.plausiblePose(percepts.Self)
	if captured != 0 && captured >= p.poseTime {
		p.self, p.poseTime = percepts.Self, captured
	}
	if !ok {
		return
	}
	percepts.Time, p.packaged = captured, max(p.packaged, captured)
	m.fuse(p, &percepts)
}

// fuse updates the tracks with one robot's percepts. It changes percepts, which are the caller's copy.
func (m *Model) fuse(p *peer, percepts *soccer.Percepts) {
	if !percepts.Self.Known {
		m.counts.Unplaced += uint64(len(percepts.Balls) + len(percepts.Obstacles))
		return
	}
	percepts.Balls = m.plausible(m.seen[:0:maxPlaces], percepts.Balls)
	percepts.Obstacles = m.plausible(m.seen[maxPlaces:maxPlaces], percepts.Obstacles)
	scale := 1.0
	if p != &m.own {
		m.lag += float64(0.02 * (min(1, seconds(p.received, percepts.Time)) - m.lag))
		scale = m.cfg.PeerScale
	}
	usual := m.cfg.poseErrors(&percepts.Self)
	o := &m.observers[p.slot]
	o.advance(percepts.Time, &m.cfg)
	m.member = m.poses.join(p.slot, percepts.Time, &usual)
	m.poses.advance(percepts.Time, m.cfg.PoseTau)
	o.poseError = m.poses.of(m.member, &usual)
	m.compare(p, percepts, scale)
	m.fuseBalls(p, percepts, float64(scale*o.scale))
	m.fuseObstacles(p, percepts, float64(scale*max(1, o.scale)))
	m.poses.learn()
}

// sane reports whether a place is a number of metres that can be on or beside a field.
func sane(v soccer.Vec3) bool {
	const most = 50 // m
	return math.Abs(v.X) < most && math.Abs(v.Y) < most && math.Abs(v.Z) < most
}

// plausiblePose returns l, or an unknown pose if l is no pose on a field. It counts such poses.
func (m *Model) plausiblePose(l soccer.Localisation) soccer.Localisation {
	if sane(soccer.Vec3{X: l.Pose.X, Y: l.Pose.Y, Z: l.Pose.Theta}) && sane(soccer.Vec3{X: l.Twist.X, Y: l.Twist.Y, Z: l.Twist.Theta}) {
		m.plausiblePoseCov(&l)
		return l
	}
	m.counts.Absurd++
	return soccer.Localisation{}
}

// plausible appends to kept the sane ones of what a robot saw, as many as fit, and counts the others.
func (m *Model) plausible(kept, seen []soccer.Observation) []soccer.Observation {
	for i := range seen {
		switch {
		case !sane(seen[i].Position) || seen[i].HasVelocity && !sane(seen[i].Velocity):
			m.counts.Absurd++
		case len(kept) < cap(kept):
			kept = append(kept, seen[i])
			if last := len(kept) - 1; !m.plausibleCov(&kept[last]) {
				kept = kept[:last]
			}
		}
	}
	return kept
}

// noise returns the covariance of an observation along a ray, times scale, without the error of the observer's pose.
func (m *Model) noise(ray soccer.Vec, o *soccer.Observation, scale float64) noise {
	if o.Cov != (soccer.Cov{}) {
		scale = max(1, scale) // the sender knows how exact it is, at best
		return noise{XX: float64(o.Cov.XX * scale), XY: float64(o.Cov.XY * scale), YY: float64(o.Cov.YY * scale)}
	}
	c := &m.cfg
	d := ray.Len()
	ux, uy := 1.0, 0.0
	if d > 0 {
		ux, uy = ray.X/d, ray.Y/d
	}
	along, across := c.SigmaBase+float64(c.SigmaAlong*d), c.SigmaBase+float64(c.SigmaAcross*d)
	a, b := float64(along*along), float64(across*across)
	if o.Confidence == 0 {
		scale *= c.UnknownScale
	}
	a, b = float64(a*scale), float64(b*scale)
	return noise{XX: a, YY: b}.Rotated(uy, ux)
}

// seconds returns t - u in seconds.
func seconds(t, u soccer.Time) float64 { return float64(float64(t-u) * 1e-9) }

// World writes this robot's belief at time now to w, reusing its slices.
func (m *Model) World(now soccer.Time, w *soccer.World) {
	m.expire(now)
	w.Time = now
	w.Self = m.own.poseAt(now)
	w.Ball = m.believed(now)
	w.Goal = m.ball.goals.newest
	w.SelfDisagrees = m.observers[m.own.slot].dispute.disagreement()
	w.Peers = w.Peers[:0]
	for i := range m.peers {
		p := &m.peers[i]
		o := &m.observers[p.slot]
		w.Peers = append(w.Peers, soccer.Peer{
			Sender: p.sender, Self: p.poseAt(now), LastReceived: p.received,
			PoseError: soccer.Pose{X: o.x, Y: o.y, Theta: o.theta}, Doubt: o.doubtOf(&m.cfg),
			Disagrees: o.dispute.disagreement(),
		})
	}
	m.believedObstacles(now, w)
}

// expire drops tracks and peers whose timeout has passed.
func (m *Model) expire(now soccer.Time) {
	m.dropObstacles(func(t *obstacle) bool {
		return now.Sub(t.lastSeen) > m.cfg.timeout(&t.track, m.cfg.ObstacleMemory)+t.late
	})
	if now.Sub(m.heard) <= m.cfg.PeerTimeout {
		return
	}
	m.peers = slices.DeleteFunc(m.peers, func(p peer) bool { return now.Sub(p.received) > m.cfg.PeerTimeout })
	m.heard = now
	for i := range m.peers {
		m.keys[i] = key(m.peers[i].sender)
		m.heard = min(m.heard, m.peers[i].received)
	}
}

// timeout returns the time without a hit after which a track is dropped.
func (c *Config) timeout(t *track, confirmed time.Duration) time.Duration {
	if t.confirmed {
		return confirmed
	}
	return c.TentativeTimeout
}
