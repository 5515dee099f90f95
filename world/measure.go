package world

import (
	"time"

	"touchline/soccer"
)

// Measure fuses what a teammate perceived in one picture, sent raw over a link that measures clocks: p.Time is the time
// of the picture on this robot's clock. The covariances in p replace the model's assumptions. While raw pictures of a
// robot arrive, its packages, which show the same, only prove that it is there. Only the number and the colour of a
// sender must be set.
func (m *Model) Measure(from soccer.Sender, arrival soccer.Time, p *soccer.Percepts) {
	if from.Color != m.cfg.Color && from.Color != soccer.NoColor {
		m.counts.OtherSide++
		return
	}
	if from.Robot == 0 || from.Robot == m.cfg.Robot {
		m.counts.SameNumber++
		return
	}
	m.expire(arrival)
	var mate *peer
	if i := m.numbered(from); i >= 0 {
		mate = &m.peers[i]
	} else {
		mate = m.peer(from, arrival)
	}
	mate.measured, mate.received = max(mate.measured, arrival), max(mate.received, arrival)
	switch age := arrival.Sub(p.Time); {
	case age < 0 || age > maxAge:
		m.counts.Stale++
		return
	case p.Time < mate.packaged.Add(samePicture):
		m.counts.Duplicate++
		return
	}
	if _, isNew := m.isNew(mate, p.Time); !isNew {
		return
	}
	percepts := *p
	percepts.Self = m.plausiblePose(p.Self)
	if p.Time >= mate.poseTime {
		mate.self, mate.poseTime = percepts.Self, p.Time
	}
	m.observers[mate.slot].arrived(arrival.Sub(p.Time))
	m.fuse(mate, &percepts)
}

// measuredFor is the time for which a robot's packages are not fused after the newest of its raw pictures.
const measuredFor = 300 * time.Millisecond

// numbered returns the index of the peer with a sender's number, the most recent one of several, or -1. Raw pictures and
// packages of one robot come from different addresses, and packages v1 have no colour.
func (m *Model) numbered(from soccer.Sender) int {
	found := -1
	for i := range m.peers {
		if uint8(m.keys[i]) != from.Robot {
			continue
		}
		p := &m.peers[i]
		alike := p.sender.Color == from.Color || p.sender.Color == soccer.NoColor || from.Color == soccer.NoColor
		if alike && (found < 0 || p.received > m.peers[found].received) {
			found = i
		}
	}
	return found
}

// repeats reports whether a package comes from a robot whose raw pictures arrive. The first address that claims to be
// this robot is taken for its own.
func (m *Model) repeats(msg *Message) bool {
	if msg.From.Robot == 0 {
		return false
	}
	i := m.numbered(msg.From)
	if i < 0 {
		return false
	}
	p := &m.peers[i]
	if p.measured == 0 || msg.Arrival.Sub(p.measured) > measuredFor {
		return false
	}
	if !p.sender.Addr.IsValid() {
		p.sender.Addr = msg.From.Addr
		m.keys[i] = key(p.sender)
	}
	if p.sender.Addr != msg.From.Addr {
		m.counts.SameNumber++
		return true
	}
	m.counts.Measured++
	p.received = max(p.received, msg.Arrival)
	return true
}

// Bounds of covariances. A measurement that claims to be more exact counts as this exact; a less exact one is ignored.
const (
	leastSigma   = 0.02  // m
	leastHeading = 0.005 // rad
	mostSigma    = 2.0   // m
	mostHeading  = 1.0   // rad
)

// plausibleCov removes the covariance of an observation if it is invalid, and reports whether the observation is exact
// enough to be used.
func (m *Model) plausibleCov(o *soccer.Observation) bool {
	c := &o.Cov
	if *c == (soccer.Cov{}) {
		return true
	}
	if c.XX > mostSigma*mostSigma || c.YY > mostSigma*mostSigma {
		m.counts.Absurd++
		return false
	}
	if !(c.XX > 0 && c.YY > 0 && float64(c.XX*c.YY)-float64(c.XY*c.XY) > 0) {
		m.counts.Absurd++
		*c = soccer.Cov{}
		return true
	}
	c.XX, c.YY = max(c.XX, leastSigma*leastSigma), max(c.YY, leastSigma*leastSigma)
	return true
}

// plausiblePoseCov removes the covariance of a pose if it is invalid. A pose that is too inexact becomes unknown.
func (m *Model) plausiblePoseCov(l *soccer.Localisation) {
	c := &l.Cov
	if *c == (soccer.PoseCov{}) {
		return
	}
	xx, xy, xh, yy, yh, hh := c[0], c[1], c[2], c[3], c[4], c[5]
	if xx > mostSigma*mostSigma || yy > mostSigma*mostSigma || hh > mostHeading*mostHeading {
		m.counts.Absurd++
		*l = soccer.Localisation{}
		return
	}
	plane := float64(xx*yy) - float64(xy*xy)
	whole := float64(plane*hh) - float64(xx*yh*yh) - float64(yy*xh*xh) + float64(2*xy*xh*yh)
	if !(xx > 0 && yy > 0 && hh > 0 && plane > 0 && whole > 0) {
		m.counts.Absurd++
		*c = soccer.PoseCov{}
		return
	}
	c[0], c[3] = max(xx, leastSigma*leastSigma), max(yy, leastSigma*leastSigma)
	c[5] = max(hh, leastHeading*leastHeading)
}

// poseErrors returns the covariance of a robot's pose, the assumed one where the robot gives none.
func (c *Config) poseErrors(l *soccer.Localisation) [3][3]float64 {
	if v := &l.Cov; *v != (soccer.PoseCov{}) {
		return [3][3]float64{{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}}
	}
	pose, heading := float64(c.PoseSigma*c.PoseSigma), float64(c.PoseHeading*c.PoseHeading)
	return [3][3]float64{{pose, 0, 0}, {0, pose, 0}, {0, 0, heading}}
}

// arrived notes the age of a raw picture on arrival.
func (o *observer) arrived(age time.Duration) { o.age += (age - o.age) / 8 }

// lateness returns by how much later than usual the observer's pictures arrive: as raw ones did, or as was learnt of its
// packages. Obstacles that it sees are believed that much longer.
func (o *observer) lateness() time.Duration {
	const usual = 150 * time.Millisecond
	return max(0, o.age-usual, o.delay.mean)
}
