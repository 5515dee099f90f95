package world

import (
	"math/bits"
	"net/netip"
	"time"

	"touchline/soccer"
)

// peer is one robot that is heard, with the clock that it speaks by.
type peer struct {
	sender soccer.Sender
	voice  uint8 // the same for all peers of one address, however many robots it speaks for; 0 is this robot's own, and a 64th address'
	self   soccer.Localisation
	stands soccer.Time // when self held
	heard  soccer.Time
	recent [8]soccer.Time // capture times of its newest packages

	stamped bool
	// The least arrival - stamp of this window and the one before, in ns: the offset of the sender's clock, with the
	// least delay in it. Two windows of 10 s follow a drift of 100 ppm within 2 ms.
	window  soccer.Time
	now     int64
	earlier int64
	// Packets in a row whose stamps agree with each other, but not with the offset.
	trial  int64
	trials int
	tried  soccer.Time
}

const (
	offsetWindow = 10 * time.Second
	clockJump    = time.Second // a stamp that is further off is a new part, a restart, late or nonsense
	tooOld       = time.Second // contents older than this are not fused
	noOffset     = int64(1) << 62
	sameMoment   = 15 * time.Millisecond // no robot has two pictures within so short a time: it is one that came twice
	maxOfOne     = 8                     // peers of one address
)

// peer returns the peer for a sender. A 65th sender takes the place of the one unheard for longest; so does the ninth of
// one address, among those of that address: a base station may speak for its robots, not for a crowd.
func (m *Model) peer(from soccer.Sender, now soccer.Time) *peer {
	oldest, own, same := 0, 0, 0
	for i := range m.peers {
		p := &m.peers[i]
		if p.sender == from {
			return p
		}
		if p.heard < m.peers[oldest].heard {
			oldest = i
		}
		if p.sender.Addr == from.Addr {
			if same == 0 || p.heard < m.peers[own].heard {
				own = i
			}
			same++
		}
	}
	switch {
	case same >= maxOfOne:
		oldest = own
	case len(m.peers) < maxPeers:
		m.peers = append(m.peers, peer{})
		oldest = len(m.peers) - 1
	}
	m.peers[oldest] = peer{sender: from, voice: m.voice(from.Addr, oldest), now: noOffset, earlier: noOffset, window: now}
	return &m.peers[oldest]
}

// voice returns that of an address, or the first that is free; the peer at index `not` is leaving.
func (m *Model) voice(of netip.AddrPort, not int) uint8 {
	taken := uint64(1) // this robot's
	for i := range m.peers {
		if i == not {
			continue
		}
		if m.peers[i].sender.Addr == of {
			return m.peers[i].voice
		}
		taken |= 1 << m.peers[i].voice
	}
	return uint8(bits.TrailingZeros64(^taken)) % 64
}

// capture returns when a message's contents held, on this robot's clock (0 where that is not known), and whether they are
// worth fusing. Without a
// stamp, and before the part began (stamp 0), that is the configured latency before they came.
func (m *Model) capture(p *peer, msg *Message) (soccer.Time, bool) {
	if !msg.HasStamp || msg.Stamp == 0 {
		return p.another(m, msg.Arrival.Add(-m.cfg.Latency))
	}
	offset := int64(msg.Arrival) - int64(msg.Stamp)*int64(time.Millisecond)
	known := min(p.now, p.earlier)
	if p.stamped && apart(offset, known) > int64(clockJump) {
		if !p.jumped(offset, msg.Arrival) {
			m.counts.Stale++
			return 0, false
		}
		m.counts.ClockJumps++
		p.now, p.earlier, p.window = noOffset, noOffset, msg.Arrival
	}
	p.trials = 0
	if msg.Arrival.Sub(p.window) > offsetWindow {
		p.now, p.earlier, p.window = noOffset, p.now, msg.Arrival
	}
	p.now = min(p.now, offset)
	p.stamped = true
	captured := soccer.Time(int64(msg.Stamp)*int64(time.Millisecond) + min(p.now, p.earlier)).Add(-m.cfg.Latency)
	if msg.Arrival.Sub(captured) > tooOld {
		m.counts.Stale++
		return 0, false
	}
	return p.another(m, captured)
}

// another reports whether contents captured at `at` are those of none of the newest packages. Who sends more often than a
// robot can look, or the same again, gets no more weight by it; what is older than all of them comes too late.
func (p *peer) another(m *Model, at soccer.Time) (soccer.Time, bool) {
	oldest := 0
	for i, r := range p.recent {
		if apart(int64(at), int64(r)) < int64(sameMoment) {
			m.counts.Duplicate++
			return at, false
		}
		if r < p.recent[oldest] {
			oldest = i
		}
	}
	if at < p.recent[oldest] {
		m.counts.Stale++
		return at, false
	}
	p.recent[oldest] = at
	return at, true
}

func apart(a, b int64) int64 { return max(a-b, b-a) }

// jumped reports whether a stamp that is far off is the sender's clock that jumped, as it does with each part: then
// several packets agree, and did not come in one burst as packets do that were held up.
func (p *peer) jumped(offset int64, now soccer.Time) bool {
	const packets, spell = 3, 100 * time.Millisecond
	if p.trials == 0 || apart(offset, p.trial) > int64(clockJump)/2 {
		p.trial, p.trials, p.tried = offset, 0, now
	}
	p.trials++
	return p.trials >= packets && now.Sub(p.tried) >= spell
}

// at returns where the peer stands now, moved on by its own velocity for half a second at most.
func (p *peer) at(now soccer.Time) soccer.Localisation {
	l := p.self
	if !l.Known || !l.HasTwist {
		return l
	}
	dt := min(max(0, seconds(now, p.stands)), 0.5)
	l.Pose.X += float64(l.Twist.X * dt)
	l.Pose.Y += float64(l.Twist.Y * dt)
	if l.HasHeading {
		l.Pose.Theta = soccer.WrapAngle(l.Pose.Theta + float64(l.Twist.Theta*dt))
	}
	return l
}

// teammates returns where this robot and its peers say they stand, in scratch memory.
func (m *Model) teammates(now soccer.Time) []soccer.Vec {
	places := m.places[:0]
	if l := m.own.at(now); l.Known {
		places = append(places, l.Pose.XY())
	}
	for i := range m.peers {
		if p := &m.peers[i]; p.self.Known && now.Sub(p.heard) <= m.cfg.PeerTimeout {
			places = append(places, p.at(now).Pose.XY())
		}
	}
	return places
}

// near reports whether a place is within PeerRadius of one of the others.
func (m *Model) near(x, y float64, others []soccer.Vec) bool {
	for _, o := range others {
		dx, dy := x-o.X, y-o.Y
		if float64(dx*dx)+float64(dy*dy) < float64(m.cfg.PeerRadius*m.cfg.PeerRadius) {
			return true
		}
	}
	return false
}
