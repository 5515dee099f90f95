package analysis

import (
	"math"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/exact"
	"touchline/soccer"
)

// Figures of the detector, fitted to matches whose truth tells who handled the ball (docs/analysis.md).
const (
	reach     = 0.42                   // m from a robot's centre to the ball's centre, when they touch
	kickReach = 0.75                   // m, at the sample before a kick or after a touch
	kickJump  = 1.2                    // m/s by which a kick changes the ball's velocity
	bend      = 0.8                    // m/s by which a touch changes it
	facing    = 0.85                   // cosine of the angle between a kicker's heading and the ball's new way, at least
	preferred = 0.3                    // m that it may be farther from the ball than another robot
	high      = 0.3                    // m, above which a ball that changes nothing flies over a robot's edge
	tall      = 0.9                    // m, of a robot and the ball's radius
	longest   = 500 * time.Millisecond // between two samples whose motion means anything
)

// Detector finds out from the motion of ball and robots which robots touched and kicked the ball, for logs that do not
// tell it. It is two samples behind with kicks, because they show in the motion after them. It is not safe for concurrent use.
type Detector struct {
	// Field is that of the match. Lengths and speeds are a sixth on the fields of VSS, whose robots push the ball, and a third
	// on those of SSL. Default the fields of the Middle Size League
	Field  soccer.Field
	frames [4]seen // the newest last
	n      int
	kick   autoref.Scene // the newest kick
	out    autoref.Scene // what was found
}

// seen is a sample.
type seen struct {
	at    soccer.Time
	ball  soccer.Vec3
	scene []autoref.Robot
}

// Fill sets what a scene tells of the robots that handled the ball. Frames that a simulator told are left as they are.
func (d *Detector) Fill(f *Frame) {
	if f.Told {
		return
	}
	holder := f.Scene.Holder
	d.push(f)
	d.settle()
	if d.n >= 2 {
		d.touches()
	}
	if d.n >= 3 {
		d.kicks()
	}
	s := &f.Scene
	s.Touched, s.TouchedAt, s.Kicked, s.KickedAt = d.out.Touched, d.out.TouchedAt, d.out.Kicked, d.out.KickedAt
	s.KickBall, s.KickVelocity = d.out.KickBall, d.out.KickVelocity
	if holder.Side != game.Both && f.Known {
		d.touch(holder, f.Time)
		s.Touched, s.TouchedAt = holder, f.Time
	}
}

func (d *Detector) scale() float64 {
	if d.Field.Length == 0 {
		return 1
	}
	return scaleOf(&d.Field)
}

func (d *Detector) push(f *Frame) {
	oldest := d.frames[0].scene
	copy(d.frames[:], d.frames[1:])
	robots := append(oldest[:0], f.Scene.Robots...)
	d.frames[3] = seen{f.Time, f.Scene.Ball, robots}
	if last := &d.frames[2]; !f.Known || !f.State.Running || d.n > 0 && (f.Time <= last.at || f.Time.Sub(last.at) > longest) {
		d.n = 0
	}
	if f.Known && f.State.Running {
		d.n = min(d.n+1, 4)
	}
}

// velocity returns the mean velocity of the ball from one sample to the next in m/s.
func velocity(a, b *seen) soccer.Vec3 {
	dt := b.at.Sub(a.at).Seconds()
	return soccer.Vec3{X: (b.ball.X - a.ball.X) / dt, Y: (b.ball.Y - a.ball.Y) / dt, Z: (b.ball.Z - a.ball.Z) / dt}
}

// nearest returns the robot that is nearest to a point, and its distance in m.
func nearest(s *seen, p soccer.Vec) (best autoref.Player, distance float64) {
	distance = math.Inf(1)
	for i := range s.scene {
		if r := &s.scene[i]; r.There {
			if d := r.Pose.XY().Sub(p).Len(); d < distance {
				best, distance = r.Player, d
			}
		}
	}
	return best, distance
}

func (d *Detector) touch(p autoref.Player, at soccer.Time) {
	if p.Side != game.Both {
		d.out.Touched, d.out.TouchedAt = p, max(at, d.out.TouchedAt)
	}
}

// touches finds a robot at the ball now.
func (d *Detector) touches() {
	now := &d.frames[3]
	if p, off := nearest(now, now.ball.XY()); off <= d.scale()*reach && now.ball.Z < d.scale()*high {
		d.touch(p, now.at)
	}
}

// kicks finds what changed the ball's way near the sample before the newest two.
func (d *Detector) kicks() {
	a, b, c := &d.frames[1], &d.frames[2], &d.frames[3]
	before, after := velocity(a, b), velocity(b, c)
	change, faster := after.XY().Sub(before.XY()).Len(), after.XY().Len()-before.XY().Len()
	p, off := nearest(b, b.ball.XY())
	if q, near := nearest(a, a.ball.XY()); near < off {
		p, off = q, near
	}
	scale := d.scale()
	if off > scale*kickReach || min(a.ball.Z, b.ball.Z) > scale*tall {
		return
	}
	if change >= scale*kickJump && faster > scale*kickJump/2 && b.at.Sub(d.kick.KickedAt) > 3*longest/5 {
		p = d.kicker(a, b, after.XY())
		d.touch(p, b.at)
		d.kick = autoref.Scene{Kicked: p, KickedAt: b.at, KickBall: b.ball, KickVelocity: after}
		return
	}
	if change >= scale*bend {
		d.touch(p, b.at)
	}
}

// kicker returns the robot that kicked the ball: the nearest one, or in a duel one that is little farther, has the ball
// before it and faces its new way. Robots of VSS have no front.
func (d *Detector) kicker(a, b *seen, after soccer.Vec) (best autoref.Player) {
	least, speed := math.Inf(1), after.Len()
	for _, s := range [2]*seen{b, a} {
		for i := range s.scene {
			r := &s.scene[i]
			if !r.There {
				continue
			}
			to := s.ball.XY().Sub(r.Pose.XY())
			off := to.Len()
			sin, cos := exact.Sincos(r.Pose.Theta)
			front := soccer.Vec{X: cos, Y: sin}
			if d.scale() == 1 && after.Dot(front) > facing*speed && to.Dot(front) > 0.5*off {
				off -= preferred
			}
			if off < least {
				best, least = r.Player, off
			}
		}
	}
	return best
}

// settle finishes the newest kick with the motion of the ball after the sample that followed it: the kick was somewhere
// between two samples, and the ball has its full speed only now.
func (d *Detector) settle() {
	k := &d.kick
	if k.KickedAt == 0 || k.KickedAt == d.out.KickedAt {
		return
	}
	if b, c := &d.frames[2], &d.frames[3]; d.n >= 4 && d.frames[1].at == k.KickedAt {
		v, was := velocity(b, c), k.KickVelocity
		if straight := v.XY().Dot(was.XY()) > 0.9*v.XY().Len()*was.XY().Len(); straight && v.XY().Len() > was.XY().Len() {
			k.KickVelocity = v
		}
		if k.KickVelocity.Z > 0 && b.ball.Z > d.scale()*high { // it has slowed down since the kick
			k.KickVelocity.Z += float64(1.5 * soccer.Gravity * c.at.Sub(b.at).Seconds())
		}
	}
	d.out.Kicked, d.out.KickedAt, d.out.KickBall, d.out.KickVelocity = k.Kicked, k.KickedAt, k.KickBall, k.KickVelocity
}
