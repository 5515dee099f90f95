package world

import (
	"time"

	"touchline/soccer"
)

// fuseBalls adds what one percept set says about the ball.
func (m *Model) fuseBalls(p *peer, percepts *soccer.Percepts, scale float64) {
	if len(percepts.Balls) == 0 || p != &m.own && !m.votes[p.reporter].take(percepts.Time) {
		return
	}
	o := &m.observers[p.slot]
	s := ballSight{at: percepts.Time, observer: o, reporter: p.reporter, fresh: true, member: m.member,
		doubt: o.doubtAt(percepts.Time), heights: o.heights}
	if o.dispute.named && !o.own {
		s.doubt = max(s.doubt, disputed)
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
	if !m.ball.insert(&s) {
		m.counts.Stale++
		return
	}
	m.ball.process(&m.cfg, &m.poses) // now, so that what is learnt does not depend on when the caller asks for the World
}

// votes bounds the sights of the ball that count for one address, however many robots it sends for: 30 a second, as many
// as pictures of a fast camera.
type votes struct {
	time soccer.Time
	left float64
}

// take reports whether another sight counts.
func (v *votes) take(at soccer.Time) bool {
	const rate, most = 30.0, 2.0
	if v.time == 0 {
		v.left = most
	}
	if at > v.time {
		v.left, v.time = min(most, v.left+float64(rate*seconds(at, v.time))), at
	}
	if v.left < 1 {
		return false
	}
	v.left--
	return true
}

// believed returns the ball at time now: the mean of the most likely hypothesis and those near it. A ball that may be
// anywhere is unknown.
func (m *Model) believed(now soccer.Time) soccer.Ball {
	f := &m.scratch
	m.ball.beforeSight(m.ball.n).copyTo(f)
	ahead := seconds(now, f.time)
	f.predict(now, &m.cfg)
	for i, n := 0, f.n; i < n; i++ {
		f.supposeRebound(i, ahead, 0, &m.cfg)
	}
	if f.keepNear() == nil {
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
	return b
}

// seenByWindow is how long after a sighting a robot counts as seeing the ball.
const seenByWindow = 500 * time.Millisecond

// seenBy returns the robots whose sights of the ball were believed lately.
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
