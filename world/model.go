package world

import (
	"slices"
	"time"

	"touchline/soccer"
)

// Model is one robot's world model. It keeps everything that it needs in itself: after New it allocates nothing. It is
// not safe for concurrent use.
type Model struct {
	cfg       Config
	own       peer // this robot itself
	peers     []peer
	balls     []ballTrack
	obstacles []track
	best      int // index of the ball to believe in, -1 none
	counts    Counts

	noises [maxSeen]noise // scratch of one percept set
	taken  [maxSeen]bool
	pairs  [64]pair
	spots  [maxObstacles]place
	fits   [64]innovation
	places [maxPeers + 1]soccer.Vec
}

// maxSeen bounds how many observations of one kind are read from one percept set; the package holds 12 at most.
const maxSeen = 16

// Counts says what a Model did not take in, and why. All numbers count up from New.
type Counts struct {
	OtherSide  uint64 // packets of the other side
	Unplaced   uint64 // candidates of a robot that does not know where it is
	Duplicate  uint64 // packets that were heard before, or hold the same moment as another
	Stale      uint64 // packets older than a second or than the eight newest, or whose stamp no other confirms yet
	ClockJumps uint64 // times that a peer's clock jumped, a new part of the match included
}

// New returns a Model that knows nothing yet.
func New(cfg Config) *Model {
	return &Model{
		cfg: cfg, best: -1,
		peers:     make([]peer, 0, maxPeers),
		balls:     make([]ballTrack, 0, maxBalls),
		obstacles: make([]track, 0, maxObstacles),
	}
}

// Counts returns what was left out so far.
func (m *Model) Counts() Counts { return m.counts }

// Observe takes in what this robot perceived itself; p.Time is when.
func (m *Model) Observe(p *soccer.Percepts) {
	m.own.self, m.own.stands = p.Self, p.Time
	m.own.sender.Robot = m.cfg.Robot
	m.fuse(&m.own, p)
}

// Message is one package that a teammate sent.
type Message struct {
	From     soccer.Sender
	Arrival  soccer.Time
	HasStamp bool
	Stamp    uint32 // ms since the current part of the match began, on the sender's clock
	Percepts *soccer.Percepts
}

// Receive takes in what another robot sent; its Percepts' own Time is not read, the capture time comes from the stamp.
// Packets of the other colour are counted and left out; a sender without a colour counts as a teammate.
func (m *Model) Receive(msg *Message) {
	if c := msg.From.Color; c != m.cfg.Color && c != soccer.NoColor {
		m.counts.OtherSide++
		return
	}
	m.forget(msg.Arrival) // whether or not anybody asks for the World
	p := m.peer(msg.From, msg.Arrival)
	captured, ok := m.capture(p, msg)
	p.heard = max(p.heard, msg.Arrival)
	if captured != 0 && captured >= p.stands {
		p.self, p.stands = msg.Percepts.Self, captured
	}
	if !ok {
		return
	}
	percepts := *msg.Percepts
	percepts.Time = captured
	m.fuse(p, &percepts)
}

// fuse takes one robot's percepts into the tracks.
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

// noise returns the covariance of an observation seen from self, times scale.
func (m *Model) noise(self soccer.Vec, o *soccer.Observation, scale float64) noise {
	c := &m.cfg
	ray := o.Position.XY().Sub(self)
	d := ray.Len()
	ux, uy := 1.0, 0.0
	if d > 0 {
		ux, uy = ray.X/d, ray.Y/d
	}
	along, across, turn := c.SigmaBase+float64(c.SigmaAlong*d), c.SigmaBase+float64(c.SigmaAcross*d), float64(c.PoseHeading*d)
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

// seconds returns how long after u the moment t is.
func seconds(t, u soccer.Time) float64 { return float64(t-u) / 1e9 }

// World writes this robot's belief of the moment now into w, whose slices it reuses.
func (m *Model) World(now soccer.Time, w *soccer.World) {
	m.forget(now)
	w.Time = now
	w.Self = m.own.at(now)
	w.Ball = m.ball(now)
	w.Peers = w.Peers[:0]
	for i := range m.peers {
		p := &m.peers[i]
		w.Peers = append(w.Peers, soccer.Peer{Sender: p.sender, Self: p.at(now), LastReceived: p.heard})
	}
	w.Obstacles = w.Obstacles[:0]
	teammates := m.teammates(now)
	for i := range m.obstacles {
		t := m.obstacles[i]
		if !t.confirmed || m.near(t.x, t.y, teammates) {
			continue
		}
		t.predict(max(0, seconds(now, t.time)), m.cfg.ObstacleNoise, 0)
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{
			Position: soccer.Vec{X: t.x, Y: t.y}, Velocity: soccer.Vec{X: t.vx, Y: t.vy}, Cov: t.pp, LastSeen: t.seen,
		})
	}
}

// forget drops what was unseen or unheard for too long.
func (m *Model) forget(now soccer.Time) {
	m.forgetBalls(now)
	m.obstacles = slices.DeleteFunc(m.obstacles, func(t track) bool {
		return now.Sub(t.seen) > m.patience(&t, m.cfg.ObstacleTimeout)
	})
	m.peers = slices.DeleteFunc(m.peers, func(p peer) bool { return now.Sub(p.heard) > m.cfg.PeerTimeout })
}

// patience is how long a track may go unseen.
func (m *Model) patience(t *track, confirmed time.Duration) time.Duration {
	if t.confirmed {
		return confirmed
	}
	return m.cfg.TentativeTimeout
}
