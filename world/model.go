package world

import (
	"slices"
	"time"

	"touchline/soccer"
)

// Model is one robot's world model. It allocates all its memory in New. It is not safe for concurrent use.
type Model struct {
	cfg       Config
	own       peer // this robot itself
	peers     []peer
	balls     []ballTrack
	obstacles []track
	best      int // index of the believed ball, -1: none
	counts    Counts

	noises    [maxSeen]noise // scratch memory for one percept set
	assigned  [maxSeen]bool
	pairs     [64]pair
	positions [maxObstacles]pastPosition
	fits      [64]innovation
	mates     [maxPeers + 1]soccer.Vec // scratch memory of teammates
}

// maxSeen bounds the observations of one kind in one percept set; a mixed team package holds at most 12.
const maxSeen = 16

// Counts holds how much input a Model did not fuse since New, by reason, and how often the clock of a peer jumped.
type Counts struct {
	OtherSide  uint64 // packages of the other side
	SameNumber uint64 // packages with the number of this robot or of an active one at another address
	Unplaced   uint64 // observations by a robot that does not know its pose
	Duplicate  uint64 // packages with the capture time of an earlier one
	Stale      uint64 // packages older than a second or the eight newest, or with a stamp that no other confirms yet
	ClockJumps uint64 // jumps of a peer's clock, for example at the start of a half
}

// New returns an empty Model.
func New(cfg Config) *Model {
	return &Model{
		cfg: cfg, best: -1,
		peers:     make([]peer, 0, maxPeers),
		balls:     make([]ballTrack, 0, maxBalls),
		obstacles: make([]track, 0, maxObstacles),
	}
}

// Counts returns how much input was not fused so far.
func (m *Model) Counts() Counts { return m.counts }

// Observe fuses what this robot perceived itself at p.Time.
func (m *Model) Observe(p *soccer.Percepts) {
	m.own.self, m.own.poseTime = p.Self, p.Time
	m.own.sender.Robot = m.cfg.Robot
	m.fuse(&m.own, p)
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
	if m.numberInUse(msg) {
		m.counts.SameNumber++
		return
	}
	m.expire(msg.Arrival) // here too: the caller may never ask for the World
	p := m.peer(msg.From, msg.Arrival)
	captured, ok := m.captureTime(p, msg)
	p.received = max(p.received, msg.Arrival)
	if captured != 0 && captured >= p.poseTime {
		p.self, p.poseTime = msg.Percepts.Self, captured
	}
	if !ok {
		return
	}
	percepts := *msg.Percepts
	percepts.Time = captured
	m.fuse(p, &percepts)
}

// fuse updates the tracks with one robot's percepts.
func (m *Model) fuse(p *peer, percepts *soccer.Percepts) {
	if !percepts.Self.Known {
		m.counts.Unplaced += uint64(len(percepts.Balls) + len(percepts.Obstacles))
		return
	}
	scale := 1.0
	if p != &m.own {
		scale = m.cfg.PeerScale
	}
	m.fuseBalls(p, percepts, scale)
	m.fuseObstacles(percepts, scale)
}

// noise returns the covariance of an observation from self, times scale.
func (m *Model) noise(self soccer.Vec, o *soccer.Observation, scale float64) noise {
	c := &m.cfg
	ray := o.Position.XY().Sub(self)
	d := ray.Len()
	ux, uy := 1.0, 0.0
	if d > 0 {
		ux, uy = ray.X/d, ray.Y/d
	}
	along, across := c.SigmaBase+float64(c.SigmaAlong*d), c.SigmaBase+float64(c.SigmaAcross*d)
	turn := float64(c.PoseHeading * d)
	pose := float64(c.PoseSigma * c.PoseSigma)
	a := float64(along*along) + pose
	b := float64(across*across) + float64(turn*turn) + pose
	if o.Confidence == 0 {
		scale *= c.UnknownScale
	}
	a, b = float64(a*scale), float64(b*scale)
	return noise{
		XX: float64(a*ux*ux) + float64(b*uy*uy),
		XY: float64((a - b) * ux * uy),
		YY: float64(a*uy*uy) + float64(b*ux*ux),
	}
}

// seconds returns t - u in seconds.
func seconds(t, u soccer.Time) float64 { return float64(t-u) / 1e9 }

// World writes this robot's belief at time now to w, reusing its slices.
func (m *Model) World(now soccer.Time, w *soccer.World) {
	m.expire(now)
	w.Time = now
	w.Self = m.own.poseAt(now)
	w.Ball = m.ball(now)
	w.Peers = w.Peers[:0]
	for i := range m.peers {
		p := &m.peers[i]
		w.Peers = append(w.Peers, soccer.Peer{Sender: p.sender, Self: p.poseAt(now), LastReceived: p.received})
	}
	w.Obstacles = w.Obstacles[:0]
	teammates := m.teammates(now)
	for i := range m.obstacles {
		t := m.obstacles[i]
		if !t.confirmed || m.nearAny(t.x, t.y, teammates) {
			continue
		}
		t.predict(max(0, seconds(now, t.time)), m.cfg.ObstacleNoise, 0)
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{
			Position: soccer.Vec{X: t.x, Y: t.y}, Velocity: soccer.Vec{X: t.vx, Y: t.vy}, Cov: t.pp, LastSeen: t.lastSeen,
		})
	}
}

// expire drops tracks and peers whose timeout has passed.
func (m *Model) expire(now soccer.Time) {
	m.expireBalls(now)
	m.obstacles = slices.DeleteFunc(m.obstacles, func(t track) bool {
		return now.Sub(t.lastSeen) > m.timeout(&t, m.cfg.ObstacleTimeout)
	})
	m.peers = slices.DeleteFunc(m.peers, func(p peer) bool { return now.Sub(p.received) > m.cfg.PeerTimeout })
}

// timeout returns the time without a hit after which a track is dropped.
func (m *Model) timeout(t *track, confirmed time.Duration) time.Duration {
	if t.confirmed {
		return confirmed
	}
	return m.cfg.TentativeTimeout
}
