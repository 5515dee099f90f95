package world

import (
	"math"
	"time"

	"touchline/soccer"
)

// fuseBalls adds what one percept set says about the ball.
func (m *Model) fuseBalls(p *peer, percepts *soccer.Percepts, scale float64) {
	const view = 0.85 // share of the distance at which a robot sees balls
	o := &m.observers[p.slot]
	attentive := o.look(percepts.Time, len(percepts.Balls) > 0)
	if len(percepts.Balls) == 0 && !attentive || p != &m.own && !m.votes[p.reporter].take(percepts.Time, len(m.peers)) {
		return
	}
	s := ballSight{at: percepts.Time, observer: o, reporter: p.reporter, fresh: true, member: m.member,
		doubt: o.doubtAt(percepts.Time), heights: o.heights, placing: m.ball.placements.rate(m.cfg.PlacementRate),
		kick:   m.ball.kicks.sigma(m.cfg.BallSpeed),
		hiding: m.ball.hidings.rate(hiddenRate), attentive: attentive, from: percepts.Self.Pose.XY(), reach: float64(view * o.ballAt), miss: o.miss,
		stamped: p.clock.known && p.measured == 0, delay: o.delay.mean}
	if o.dispute.named && !o.own {
		s.doubt = max(s.doubt, o.dispute.falseBall())
	}
	sum := 0.0
	for i := range percepts.Balls {
		b := &percepts.Balls[i]
		place := &s.places[i]
		place.ray = b.Position.XY().Sub(percepts.Self.Pose.XY())
		place.seen, place.camera = b.Position.XY(), m.noise(place.ray, b, scale)
		place.at, place.r = o.correct(place.seen, place.ray, place.camera)
		place.z, place.share, place.unsure = b.Position.Z, max(0.05, b.Confidence), b.Confidence == 0
		place.weighHeight()
		place.lie = o.lieAt(place, percepts.Time)
		sum += place.share
		s.n++
	}
	for i := range s.places[:s.n] {
		s.places[i].share /= sum
	}
	if s.blocked = attentive && m.blocks(p, &s); s.blocked {
		s.miss = max(s.miss, blocked)
	}
	m.surround(percepts.Time)
	if !m.ball.insert(&s) {
		m.counts.Stale++
		return
	}
	m.ball.process(&m.cfg, &m.poses) // now, so that what is learnt does not depend on when the caller asks for the World
	m.ball.goals.see(m.ball.inGoal(&m.cfg))
	if m.ball.delaysLearnt {
		m.ball.delaysLearnt = false
		m.judgeDelays()
	}
}

// judgeDelays draws conclusions from what was learnt about the delays of packages. Of many peers some take turns.
func (m *Model) judgeDelays() {
	const most = 8
	var all delayEvidence
	for i := range m.peers {
		all.add(&m.observers[m.peers[i].slot].delay.evidence)
	}
	for k := range min(most, len(m.peers)) {
		i := k
		if len(m.peers) > most {
			m.judged++
			i = m.judged % len(m.peers)
		}
		m.observers[m.peers[i].slot].delay.judge(&all)
	}
}

// believed returns the ball at time now: the mean of the most likely hypothesis and those near it. A ball that may be
// anywhere, or is probably gone, is unknown.
func (m *Model) believed(now soccer.Time) soccer.Ball {
	const gone = 1.5 // times as likely as the ball
	f := &m.scratch
	m.ball.beforeSight(m.ball.n).copyTo(f)
	ahead := seconds(now, f.time)
	f.predict(now, &m.ball.around, &m.cfg)
	for i, n := 0, f.n; i < n; i++ {
		f.supposeRebound(i, ahead, 0, &m.ball.around, &m.cfg)
	}
	f.discountKicks(m.suddenKicks(), m.ball.kicks.sigma(m.cfg.BallSpeed))
	known := f.keepNear()
	if known == 0 || f.gone > float64(gone*known) {
		return soccer.Ball{}
	}
	b := soccer.Ball{Known: true, SeenBy: m.seenBy(now)}
	for i := range f.all[:f.n] {
		h := &f.all[i]
		b.Position.X += float64(h.weight * h.x)
		b.Position.Y += float64(h.weight * h.y)
		b.Velocity.X += float64(h.weight * h.vx)
		b.Velocity.Y += float64(h.weight * h.vy)
		b.LastSeen = max(b.LastSeen, h.lastSeen)
	}
	f.believedHeight(&b)
	b.HeldBy, b.Held = m.heldBy(f)
	for i := range f.all[:f.n] {
		h := &f.all[i]
		w, dx, dy, du, dv := h.weight, h.x-b.Position.X, h.y-b.Position.Y, h.vx-b.Velocity.X, h.vy-b.Velocity.Y
		b.Cov.XX += float64(w * (h.pp.XX + float64(dx*dx)))
		b.Cov.XY += float64(w * (h.pp.XY + float64(dx*dy)))
		b.Cov.YY += float64(w * (h.pp.YY + float64(dy*dy)))
		b.VelocityCov.XX += float64(w * (h.vv.XX + float64(du*du)))
		b.VelocityCov.XY += float64(w * (h.vv.XY + float64(du*dv)))
		b.VelocityCov.YY += float64(w * (h.vv.YY + float64(dv*dv)))
		b.CrossCov[0][0] += float64(w * (h.pv[0][0] + float64(dx*du)))
		b.CrossCov[0][1] += float64(w * (h.pv[0][1] + float64(dx*dv)))
		b.CrossCov[1][0] += float64(w * (h.pv[1][0] + float64(dy*du)))
		b.CrossCov[1][1] += float64(w * (h.pv[1][1] + float64(dy*dv)))
	}
	if b.Cov.XX+b.Cov.YY > float64(m.cfg.BallSigma*m.cfg.BallSigma) {
		return soccer.Ball{}
	}
	worse := max(1, m.ball.fit/1.3) // greater than usual: errors are greater than assumed
	for _, v := range [...]*float64{&b.Cov.XX, &b.Cov.XY, &b.Cov.YY, &b.VelocityCov.XX, &b.VelocityCov.XY, &b.VelocityCov.YY,
		&b.CrossCov[0][0], &b.CrossCov[0][1], &b.CrossCov[1][0], &b.CrossCov[1][1]} {
		*v *= worse
	}
	return b
}

// suddenKicks returns which share of its weight counts of a kick that no sight has shown yet. Kicks are supposed more often
// than they happen, so that the first sight after one is believed. All of it counts where errors are greater than assumed,
// and where sights are late.
func (m *Model) suddenKicks() float64 {
	const least, good, bad, soon, late = 0.3, 1.0, 1.3, 0.12, 0.25 // good and bad of ballFilter.fit; soon and late in s
	more := max(0, (m.ball.fit-good)/(bad-good), (m.lag-soon)/(late-soon))
	return least + float64((1-least)*min(1, more))
}

// discountKicks lets only a share count of the kicks that no sight has shown yet.
func (f *ballMixture) discountKicks(share, sigma float64) {
	unknown := float64(sigma * sigma) // variance of the velocity, at first twice this
	for i := range f.all[:f.n] {
		if h := &f.all[i]; h.kicked != 0 && h.vv.XX+h.vv.YY > unknown {
			h.weight *= share
		}
	}
}

// keepNear keeps the most likely confirmed hypothesis and the confirmed ones near it, with weights that add up to 1. It
// returns their weight before, 0 without any.
func (f *ballMixture) keepNear() (weight float64) {
	const radius = 1 // m
	best := -1
	for i := range f.all[:f.n] {
		if h := &f.all[i]; h.confirmed && (best < 0 || h.weight > f.all[best].weight) {
			best = i
		}
	}
	if best < 0 {
		return 0
	}
	if best != 0 {
		f.all[0], f.all[best] = f.all[best], f.all[0]
	}
	kept := 0
	for i := range f.all[:f.n] {
		h := &f.all[i]
		if !h.confirmed || !near(h.x-f.all[0].x, h.y-f.all[0].y, radius) {
			continue
		}
		weight += h.weight
		if kept != i {
			f.all[kept] = *h
		}
		kept++
	}
	f.n = kept
	for i := range f.all[:f.n] {
		f.all[i].weight /= weight
	}
	return weight
}

// seenByWindow is how long after a sighting a robot counts as seeing the ball.
const seenByWindow = 500 * time.Millisecond

// seenBy returns the robots with a believed sight of the ball within seenByWindow.
func (m *Model) seenBy(now soccer.Time) (robots soccer.RobotSet) {
	if now.Sub(m.observers[m.own.slot].lastBall) <= seenByWindow {
		robots = robots.With(m.cfg.Robot)
	}
	for i := range m.peers {
		if p := &m.peers[i]; now.Sub(m.observers[p.slot].lastBall) <= seenByWindow {
			robots = robots.With(p.sender.Robot)
		}
	}
	return robots
}

// surroundings are the bodies near the ball.
type surroundings struct {
	n      int
	bodies [4]body
}

const mateBody = 1 << 31 // body.id of a teammate is this with its slot, that of an opponent is obstacle.id

// body is a robot that may hold the ball.
type body struct {
	id           uint32
	time         soccer.Time
	at, velocity soccer.Vec
}

// surround finds the bodies near the ball at about time at.
func (m *Model) surround(at soccer.Time) {
	const radius, recent = 1.5, 0.5 // m and s
	a := &m.ball.around
	a.n = 0
	ball := m.likeliestBall()
	if ball == nil {
		return
	}
	note := func(b body) {
		if a.n < len(a.bodies) && near(b.at.X-ball.x, b.at.Y-ball.y, radius) && math.Abs(seconds(at, b.time)) < recent {
			a.bodies[a.n] = b
			a.n++
		}
	}
	robot := func(p *peer) {
		if p.self.Known && p.self.HasTwist {
			note(body{mateBody | uint32(p.slot), p.poseTime, p.self.Pose.XY(), soccer.Vec{X: p.self.Twist.X, Y: p.self.Twist.Y}})
		}
	}
	robot(&m.own)
	for i := range m.peers {
		robot(&m.peers[i])
	}
	for i := range m.obstacles {
		if o := &m.obstacles[i]; o.believed && seconds(at, o.lastSeen) < recent {
			note(body{o.id, o.time, soccer.Vec{X: o.x, Y: o.y}, soccer.Vec{X: o.vx, Y: o.vy}})
		}
	}
}

// find returns the body with an id, nil without it.
func (a *surroundings) find(id uint32) *body {
	for i := range a.bodies[:a.n] {
		if a.bodies[i].id == id {
			return &a.bodies[i]
		}
	}
	return nil
}

// within reports whether a ball is within reach, in m, of the body at time at.
func (b *body) within(h *ballHypothesis, at soccer.Time, reach float64) bool {
	place := b.place(at)
	return near(h.x-place.X, h.y-place.Y, reach)
}

// place returns where the body is at a time.
func (b *body) place(at soccer.Time) soccer.Vec {
	dt := seconds(at, b.time)
	return b.at.Add(b.velocity.Scale(dt))
}

// supposeHold adds the hypotheses that the most likely free ball is held by a body, or makes those it has more likely.
func (f *ballMixture) supposeHold(around *surroundings) {
	const reach, slow, share, least = 0.7, 2.0, 0.2, 0.05 // m and m/s, between the two; of the ball's weight
	var free *ballHypothesis
	for i := range f.all[:f.n] {
		if h := &f.all[i]; !h.flying && h.holder == 0 && (free == nil || h.weight > free.weight) {
			free = h
		}
	}
	if around.n == 0 || free == nil || free.weight < least {
		return
	}
	for i := range around.bodies[:around.n] {
		b := &around.bodies[i]
		if !b.within(free, f.birth, reach) || !near(free.vx-b.velocity.X, free.vy-b.velocity.Y, slow) {
			continue
		}
		w := float64(free.weight * share)
		h := f.heldAt(free, b.id)
		if h == nil {
			if h = f.add(w, free.confirmed); h == nil || h == free {
				return
			}
			*h = *free
			h.weight, h.holder = 0, b.id
		}
		free.weight -= w
		h.weight += w
	}
}

// heldAt returns the hypothesis that a body holds a ball like this one, nil without one.
func (f *ballMixture) heldAt(ball *ballHypothesis, holder uint32) *ballHypothesis {
	const here, alike = 0.15, 0.7 // m and m/s
	for i := range f.all[:f.n] {
		h := &f.all[i]
		if h.holder == holder && near(h.x-ball.x, h.y-ball.y, here) && near(h.vx-ball.vx, h.vy-ball.vy, alike) {
			return h
		}
	}
	return nil
}

// carry predicts a ball that a body holds: its velocity approaches that of the body, except for how the body turns. One
// that is no longer at the body rolls.
func (h *ballHypothesis) carry(at soccer.Time, dt float64, around *surroundings, c *Config) {
	const (
		tau   = 0.2  // s
		sigma = 0.25 // m/s, of the difference
		lost  = 1.0  // m
	)
	b := around.find(h.holder)
	if b == nil || !b.within(h, h.time, lost) {
		h.holder = 0
		h.track.predict(dt, c.BallNoise, c.BallDeceleration)
		return
	}
	keep := tau / (tau + dt)
	square := float64(keep * keep)
	h.vx, h.vy = b.velocity.X+float64(keep*(h.vx-b.velocity.X)), b.velocity.Y+float64(keep*(h.vy-b.velocity.Y))
	for i := range h.pv {
		h.pv[i][0], h.pv[i][1] = float64(keep*h.pv[i][0]), float64(keep*h.pv[i][1])
	}
	fresh := float64((1 - square) * sigma * sigma)
	h.vv = soccer.Cov{XX: float64(square*h.vv.XX) + fresh, XY: float64(square * h.vv.XY), YY: float64(square*h.vv.YY) + fresh}
	h.track.predict(dt, c.BallNoise, 0)
}

// heldBy returns which robot holds the ball more likely than not: its jersey number, 0 for an opponent.
func (m *Model) heldBy(f *ballMixture) (number uint8, held bool) {
	best := &f.all[0]
	weight := 0.0
	for i := range f.all[:f.n] {
		if f.all[i].holder == best.holder {
			weight += f.all[i].weight
		}
	}
	switch {
	case best.holder == 0 || weight < 0.5:
		return 0, false
	case best.holder == mateBody|maxPeers:
		return m.cfg.Robot, true
	}
	for i := range m.peers {
		if p := &m.peers[i]; best.holder == mateBody|uint32(p.slot) {
			return p.sender.Robot, true
		}
	}
	return 0, true
}
