package world

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"

	"touchline/soccer"
)

// peer is another robot whose packages arrive, with the offset of its clock.
type peer struct {
	sender   soccer.Sender
	slot     uint8 // index of its observer
	reporter uint8 // one number per address, however many robots it sends for; 0: this robot itself, or a 64th address
	self     soccer.Localisation
	poseTime soccer.Time    // time of self
	received soccer.Time    // arrival of the newest package or raw picture
	measured soccer.Time    // arrival of the newest raw picture
	packaged soccer.Time    // capture time of the newest package that was fused
	captures [8]soccer.Time // capture times of the newest packages
	clock    senderClock    // clock of the sender
}

const (
	maxAge          = time.Second           // age of contents that are fused
	samePicture     = 15 * time.Millisecond // two packages closer than this hold the same picture: no camera is so fast
	maxPeersPerAddr = 8
	numberFor       = time.Second // a robot keeps its number for this time after its last package
)

// key returns what tells most senders apart in one comparison. Its low 16 bits are colour and number.
func key(s soccer.Sender) uint64 {
	ip := s.Addr.Addr().As16()
	return uint64(binary.BigEndian.Uint32(ip[12:]))<<32 | uint64(s.Addr.Port())<<16 | uint64(s.Color)<<8 | uint64(s.Robot)
}

// peer returns the peer for a sender.
func (m *Model) peer(from soccer.Sender, now soccer.Time) *peer {
	k := key(from)
	for i := range m.peers {
		if m.keys[i] == k && m.peers[i].sender == from {
			return &m.peers[i]
		}
	}
	return m.newPeer(from, now)
}

// newPeer returns a peer for a new sender. A 65th sender replaces the one silent for longest. The ninth of one address
// replaces one of that address: a base station may send for its robots, but not for a crowd.
func (m *Model) newPeer(from soccer.Sender, now soccer.Time) *peer {
	oldest, oldestOfAddr, ofAddr := 0, 0, 0
	for i := range m.peers {
		p := &m.peers[i]
		if p.received < m.peers[oldest].received {
			oldest = i
		}
		if from.Addr.IsValid() && p.sender.Addr == from.Addr {
			if ofAddr == 0 || p.received < m.peers[oldestOfAddr].received {
				oldestOfAddr = i
			}
			ofAddr++
		}
	}
	switch {
	case ofAddr >= maxPeersPerAddr:
		oldest = oldestOfAddr
	case len(m.peers) < maxPeers:
		m.peers = append(m.peers, peer{})
		oldest = len(m.peers) - 1
	}
	slot := m.slot(oldest)
	m.observers[slot] = observer{}
	m.poses.leave(slot)
	m.keys[oldest], m.heard = key(from), min(m.heard, now)
	for i := range m.observers {
		d := &m.observers[i].dispute
		d.ball[slot], d.pose[slot] = charge{}, charge{}
	}
	m.peers[oldest] = peer{sender: from, slot: slot, reporter: m.reporter(from.Addr, oldest)}
	return &m.peers[oldest]
}

// slot returns an observer that no other peer has. It ignores the peer at index replaced.
func (m *Model) slot(replaced int) uint8 {
	var used uint64
	for i := range m.peers {
		if i != replaced {
			used |= 1 << m.peers[i].slot
		}
	}
	return uint8(bits.TrailingZeros64(^used))
}

// numberInUse reports whether this robot, or an active peer at another address, has the number of a message's sender.
// Number 0 was never set.
func (m *Model) numberInUse(msg *Message) bool {
	if msg.From.Robot == m.cfg.Robot && msg.From.Color == m.cfg.Color && m.cfg.Robot != 0 {
		return true
	}
	k := uint16(key(msg.From))
	for i := range m.peers {
		if uint16(m.keys[i]) == k && m.peers[i].sender.Addr != msg.From.Addr && msg.From.Robot != 0 &&
			msg.Arrival.Sub(m.peers[i].received) < numberFor {
			return true
		}
	}
	return false
}

// reporter returns the number of an address, or the first available one. It ignores the peer at index replaced.
func (m *Model) reporter(addr netip.AddrPort, replaced int) uint8 {
	used := uint64(1) // this robot's
	for i := range m.peers {
		if i == replaced {
			continue
		}
		if addr.IsValid() && m.peers[i].sender.Addr == addr {
			return m.peers[i].reporter
		}
		used |= 1 << m.peers[i].reporter
	}
	return uint8(bits.TrailingZeros64(^used)) % 64
}

// captureTime returns the capture time of a message's contents on this robot's clock, 0 if it is unknown, and whether
// to fuse them. Without a stamp, and before the half starts (stamp 0), they are as old as the configured latency.
func (m *Model) captureTime(p *peer, msg *Message) (soccer.Time, bool) {
	if !msg.HasStamp || msg.Stamp == 0 {
		return m.isNew(p, msg.Arrival.Add(-m.cfg.Latency))
	}
	least, jumped, ok := p.clock.read(msg.Stamp, msg.Arrival)
	if jumped {
		m.counts.ClockJumps++
		m.observers[p.slot].clockJumped()
	}
	captured := least.Add(-m.cfg.Latency)
	if !ok || msg.Arrival.Sub(captured) > maxAge {
		m.counts.Stale++
		return 0, false
	}
	return m.isNew(p, captured)
}

// isNew returns captured, and whether it differs from the capture times of the peer's newest packages and is not older
// than all of them. A sender that repeats contents, or sends more often than its camera takes pictures, gains no
// weight.
func (m *Model) isNew(p *peer, captured soccer.Time) (soccer.Time, bool) {
	oldest := 0
	for i, c := range p.captures {
		if captured.Sub(c).Abs() < samePicture {
			m.counts.Duplicate++
			return captured, false
		}
		if c < p.captures[oldest] {
			oldest = i
		}
	}
	if captured < p.captures[oldest] {
		m.counts.Stale++
		return captured, false
	}
	p.captures[oldest] = captured
	return captured, true
}

// poseAt returns the peer's localisation at time now, predicted with its own velocity by at most half a second.
func (p *peer) poseAt(now soccer.Time) soccer.Localisation {
	l := p.self
	if !l.Known || !l.HasTwist {
		return l
	}
	dt := min(max(0, seconds(now, p.poseTime)), 0.5)
	place := p.placeAt(now)
	l.Pose.X, l.Pose.Y = place.X, place.Y
	if l.HasHeading {
		l.Pose.Theta = soccer.WrapAngle(l.Pose.Theta + float64(l.Twist.Theta*dt))
	}
	return l
}

// placeAt returns the place of poseAt.
func (p *peer) placeAt(now soccer.Time) soccer.Vec {
	l := &p.self
	if !l.Known || !l.HasTwist {
		return l.Pose.XY()
	}
	dt := min(max(0, seconds(now, p.poseTime)), 0.5)
	return soccer.Vec{X: l.Pose.X + float64(l.Twist.X*dt), Y: l.Pose.Y + float64(l.Twist.Y*dt)}
}

// teammates returns where this robot and its peers report to be, but for one of them, in scratch memory.
func (m *Model) teammates(but *peer, now soccer.Time) []mate {
	found := m.mates[:0]
	if m.own.self.Known && but != &m.own {
		found = append(found, m.mate(&m.own, now))
	}
	for i := range m.peers {
		if p := &m.peers[i]; p != but && p.self.Known && now.Sub(p.received) <= m.cfg.PeerTimeout {
			found = append(found, m.mate(p, now))
		}
	}
	return found
}

// mate returns where a robot is by its own report.
func (m *Model) mate(p *peer, now soccer.Time) mate {
	variance := float64(m.cfg.PoseSigma * m.cfg.PoseSigma)
	if c := &p.self.Cov; c[0] > 0 { // every plausible covariance is
		variance = max(c[0], c[3])
	}
	return mate{p.placeAt(now), variance}
}
