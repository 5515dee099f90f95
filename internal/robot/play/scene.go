package play

import (
	"math"
	"slices"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// scene is a view with what follows from it. Conditions and behaviours are functions of it.
type scene struct {
	*View
	cfg   *Config
	field *soccer.Field
	// Halves of the field's length and width and of a goal's width, in m.
	end, touch, post float64
	memory           *memory
	since            soccer.Time // when the active state was entered

	located    bool
	self       soccer.Pose
	me         soccer.Vec
	sin, cos   float64 // sine and cosine of the heading
	knows      bool    // the robot knows where the ball is
	ball, roll soccer.Vec
	height     float64
	speed      float64 // speed of the ball
	away       float64 // m to the ball
	has        bool    // the ball, also while the picture misses it for a moment
	circles    []circle
	mates      int // the first circles
	keeper     uint8
	isKeeper   bool
	taker      uint8
	job        job
	shot       aim
	pass       aim
	space      aim
	avoids     keep // the place that the robot keeps away from
	playsAhead bool // it kicks the ball only ahead, and runs after it
}

// circle is a robot or an obstacle on the way.
type circle struct {
	at, velocity soccer.Vec
	number       uint8 // of a teammate; 0: another robot or obstacle
}

const (
	bodies     = 2 * soccer.RobotRadius                 // m, between the centres of robots that touch
	reachBall  = soccer.RobotRadius + soccer.BallRadius // m, from the robot's centre to a ball that it touches
	hadFor     = 150 * time.Millisecond                 // after the newest picture with the ball at its front
	mateFor    = time.Second                            // a silent teammate is still where it was
	keeperFor  = 2 * time.Second                        // after which another robot replaces a silent goalkeeper
	farthest   = 60.0                                   // m, of coordinates that make sense
	unsure     = 0.8                                    // m, standard deviation of a pose that is unknown
	takerRests = 1500 * time.Millisecond                // that the taker of a set piece leaves the ball to others
	pieceFor   = 10 * time.Second                       // a set piece that nobody takes is over
	inPlay     = 0.8                                    // m, that the ball seems to move when it is in play: 0.5 m (MSL Rules 2026) and what cameras err
)

// finite reports whether values are numbers of a sensible size.
func finite(most float64, values ...float64) bool {
	for _, v := range values {
		if !(math.Abs(v) <= most) {
			return false
		}
	}
	return true
}

// look sets s to what a view shows. Values that make no sense count as unknown.
func (s *scene) look(p *Player, v *View) {
	*s = scene{View: v, cfg: &p.cfg, field: &p.cfg.Field, memory: &p.memory, circles: s.circles[:0]}
	s.end, s.touch, s.post = float64(s.field.Length/2), float64(s.field.Width/2), float64(s.field.GoalWidth/2)
	m := s.memory
	if m.began == 0 {
		m.began = v.Now
	}
	s.lookSelf()
	s.lookBall()
	s.lookAround()
	s.chooseKeeper()
	s.hold()
	s.follow()
	s.chooseTaker()
	s.contest()
	s.assign()
	const soon = 2.5 // m
	if s.has || s.knows && s.away < soon && s.onBall() {
		s.shot, s.pass = s.aimShot(), s.aimPass()
	}
	if s.has && (s.threatened() || s.mustRelease()) {
		s.space = s.aimSpace()
	}
}

func (s *scene) lookSelf() {
	l := &s.Self
	p, c := l.Pose, &l.Cov
	s.located = l.Known && l.HasHeading && finite(farthest, p.X, p.Y, p.Theta) && c[0] <= unsure*unsure && c[3] <= unsure*unsure
	if !s.located {
		return
	}
	s.self, s.me = p, p.XY()
	s.sin, s.cos = exact.Sincos(p.Theta)
}

func (s *scene) lookBall() {
	b, m := &s.World.Ball, s.memory
	s.knows = b.Known && finite(farthest, b.Position.X, b.Position.Y, b.Position.Z)
	if !s.knows {
		return
	}
	s.ball, s.height = b.Position.XY(), b.Position.Z
	if v := (soccer.Vec{X: b.Velocity.X, Y: b.Velocity.Y}); finite(20, v.X, v.Y) {
		s.roll, s.speed = v, v.Len()
	}
	s.trustOwnEyes()
	s.away = s.ball.Sub(s.me).Len()
	m.lastBall, m.lastAt = s.ball, s.Now
}

// trustOwnEyes takes a ball nearby from the robot's own picture: the error of its pose, by which the ball of all robots
// seems elsewhere, does not matter there.
func (s *scene) trustOwnEyes() {
	const (
		near = 2.5 // m
		same = 0.8 // m, else it is another ball
		late = 200 * time.Millisecond
	)
	age := s.Now.Sub(s.SightAt)
	if s.SightAt == 0 || age > late || !finite(farthest, s.Sight.X, s.Sight.Y) {
		return
	}
	if at := s.Sight.Add(s.roll.Scale(age.Seconds())); at.Sub(s.me).Len() < near && at.Sub(s.ball).Len() < same {
		s.ball = at
	}
}

// lookAround lists teammates and obstacles, the teammates first.
func (s *scene) lookAround() {
	w, m := s.World, s.memory
	for i := range w.Peers {
		p := &w.Peers[i]
		n := p.Sender.Robot
		pose := p.Self.Pose
		if n == 0 || n > maxRobot || n == s.cfg.Number || p.Sender.Color != s.MateSide || !p.Self.Known ||
			s.Now.Sub(p.LastReceived) > mateFor || !finite(farthest, pose.X, pose.Y) || s.mate(n) != nil {
			continue
		}
		s.circles = append(s.circles, circle{at: pose.XY(), velocity: velocityOf(&p.Self), number: n})
		s.mates++
		m.met[n] = s.Now
	}
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		if len(s.circles) == cap(s.circles) || !finite(farthest, o.Position.X, o.Position.Y) {
			continue
		}
		c := circle{at: o.Position}
		if finite(10, o.Velocity.X, o.Velocity.Y) {
			c.velocity = o.Velocity
		}
		s.circles = append(s.circles, c)
	}
}

// others returns the robots and obstacles that are no teammates.
func (s *scene) others() []circle { return s.circles[s.mates:] }

// contested reports whether a robot that is no teammate is within a distance, in m, of a place.
func (s *scene) contested(at soccer.Vec, distance float64) bool {
	return slices.ContainsFunc(s.others(), func(c circle) bool { return c.at.Sub(at).Len() < distance })
}

// mate returns the teammate with a number, nil if it is silent.
func (s *scene) mate(number uint8) *circle {
	for i := range s.circles[:s.mates] {
		if s.circles[i].number == number {
			return &s.circles[i]
		}
	}
	return nil
}

// chooseKeeper finds the goalkeeper: number 1, or while it is silent the lowest number of at least three robots.
func (s *scene) chooseKeeper() {
	m, n := s.memory, s.cfg.Number
	s.keeper = soccer.Goalkeeper
	if n != soccer.Goalkeeper && s.Now.Sub(max(m.met[soccer.Goalkeeper], m.began)) > keeperFor && s.mates >= 2 {
		s.keeper = n
		for i := range s.circles[:s.mates] {
			s.keeper = min(s.keeper, s.circles[i].number)
		}
	}
	s.isKeeper = n == s.keeper
}

// hold follows whether the robot has the ball.
func (s *scene) hold() {
	// A robot that loses the ball for a moment, and takes it on, dribbles on.
	const (
		same  = 0.5 // m, that the ball is away then
		lasts = time.Second
	)
	m := s.memory
	if s.HasBall {
		at, lost := s.front(), s.Now.Sub(m.had)
		if lost > hadFor {
			m.got = s.Now
		}
		if m.had == 0 || lost > lasts || at.Sub(m.hadAt).Len() > same {
			m.gotAt = at
		}
		m.had, m.hadAt = s.Now, at
	}
	s.has = m.had > 0 && s.Now.Sub(m.had) <= hadFor && s.Now.Sub(m.kicked) > hadFor
}

// contest follows whether another robot contests the ball that this one has or reaches for.
func (s *scene) contest() {
	if m := s.memory; !s.knows || s.away > reachBall+0.25 || !s.contested(s.ball, reachBall+0.2) {
		m.alone = s.Now
	}
}

// duels reports whether another robot has contested the ball for a while.
func (s *scene) duels() bool {
	const patience = 400 * time.Millisecond
	return s.knows && s.Now.Sub(s.memory.alone) > patience
}

// front returns where a ball is that the robot has.
func (s *scene) front() soccer.Vec { return s.me.Add(soccer.Vec{X: s.cos, Y: s.sin}.Scale(reachBall)) }

// carried returns how far the robot has taken the ball, in m.
func (s *scene) carried() float64 { return s.front().Sub(s.memory.gotAt).Len() }

// halted reports whether the robot must stand.
func (s *scene) halted() bool {
	return !s.Heard || s.Referee.State != team.Waiting && s.Referee.State != team.Running && s.Referee.State != team.Parking
}

// sentOff reports whether the robot must leave the field.
func (s *scene) sentOff() bool {
	return s.Referee.State == team.Parking || soccer.RobotSet(s.Referee.Out).Has(s.cfg.Number)
}

// inReach reports whether the ball is slow and in the own penalty area, where the goalkeeper takes it.
func (s *scene) inReach() bool {
	const margin, slow = 0.3, 2.0 // m, m/s
	f := s.field
	return s.knows && s.speed < slow && s.ball.X < -s.end+f.PenaltyAreaLength+margin &&
		math.Abs(s.ball.Y) < float64(f.PenaltyAreaWidth/2)+margin
}

// passed reports whether the robot has just kicked the ball away, or taken a set piece: it may not touch the ball again
// before another robot does.
func (s *scene) passed() bool {
	const leave = 700 * time.Millisecond
	m := s.memory
	return m.kicked > 0 && s.Now.Sub(m.kicked) < leave && !m.ahead || m.took > 0 && s.Now.Sub(m.took) < takerRests
}

// onBall reports whether this robot goes to the ball.
func (s *scene) onBall() bool {
	switch {
	case !s.knows || s.passed():
		return false
	case s.isKeeper && !s.inReach():
		return false
	case s.cfg.Books:
		return s.Booker == s.cfg.Number
	}
	return true
}

// theirBall reports whether an opponent has the ball.
func (s *scene) theirBall() bool {
	if !s.knows || s.has {
		return false
	}
	const near = bodies + 0.15
	theirs := false
	for i := range s.circles {
		if s.circles[i].at.Sub(s.ball).Len() < near {
			if i < s.mates {
				return false
			}
			theirs = true
		}
	}
	return theirs
}
