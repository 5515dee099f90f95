package hslgame

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/hsl"
)

// How synthetic robots walk and see.
const (
	walkSpeed  = 0.04 // of the field's length a second
	turnSpeed  = 1.2  // rad/s
	seeFar     = 0.7  // of the field's length, to the ball
	seeAside   = 1.2  // rad from ahead to the ball
	poseNoise  = 0.04 // m
	ballNoise  = 0.04 // of its distance
	rollSlower = 0.6  // share of the ball's speed that is left after a second
	fallEvery  = 180  // s of play between two falls of a robot
	downFor    = 6 * time.Second
	sayPeriod  = 600 * time.Millisecond // between two return messages, 1.67 Hz
)

// squad are the synthetic robots of both teams and their ball, in the field frame in which home attacks +x.
type squad struct {
	rng      *rand.Rand
	field    soccer.Field
	ball     soccer.Vec
	speed    soccer.Vec
	walkers  []walker
	kickOffs int
}

// walker is a synthetic robot.
type walker struct {
	side   int
	number uint8
	home   soccer.Vec // its place while the ball is in the centre
	pose   soccer.Pose
	down   time.Duration // it has fallen for this long yet
	ball   soccer.Vec    // where it believes the ball to be
	seen   time.Duration // since it saw the ball; negative: never
	next   soccer.Time   // of its next message
	bias   soccer.Vec    // error of its self-localisation
}

// newSquad places the robots at the side of the field.
func newSquad(cfg *Config, rng *rand.Rand) *squad {
	s := &squad{rng: rng, field: soccer.HSLSmall()}
	switch cfg.Division {
	case hsl.Middle:
		s.field = soccer.HSLMiddle()
	case hsl.Large:
		s.field = soccer.HSLLarge()
	}
	for side := range 2 {
		direction := float64(1 - 2*side)
		for k := range cfg.Players {
			w := walker{side: side, number: uint8(k + 1), seen: -1, home: s.place(k, cfg.Players)}
			w.home.X, w.home.Y = direction*w.home.X, direction*w.home.Y
			w.pose = soccer.Pose{X: w.home.X, Y: float64(-direction * (float64(s.field.Width*0.5) + 0.4)), Theta: direction * math.Pi / 2}
			w.bias = soccer.Vec{X: poseNoise * exact.Normal(rng), Y: poseNoise * exact.Normal(rng)}
			s.walkers = append(s.walkers, w)
		}
	}
	return s
}

// place returns where the k-th of n robots stands in its own half: the goalkeeper in its goal, the others in rows of at
// most five.
func (s *squad) place(k, n int) soccer.Vec {
	length, width := s.field.Length, s.field.Width
	if k == 0 {
		return soccer.Vec{X: 0.4 - float64(length*0.5)}
	}
	const across = 5
	row, rows := (k-1)/across, (n-2)/across+1
	from := 0.22 // of the length, from the centre
	if rows > 1 {
		from = 0.38 - float64(0.28*float64(row))/float64(rows-1)
	}
	inRow := min(across, n-1-row*across)
	column := (k - 1) % across
	y := width * ((float64(column)+0.5)/float64(inRow) - 0.5)
	return soccer.Vec{X: -from * length, Y: y}
}

// advance moves robots and ball by game time.
func (s *squad) advance(d time.Duration, m *match) {
	const most = 100 * time.Millisecond
	for d > 0 {
		step := min(d, most)
		d -= step
		s.tick(step, m)
	}
}

func (s *squad) tick(d time.Duration, m *match) {
	if m.kickOffs != s.kickOffs {
		s.kickOffs, s.ball, s.speed = m.kickOffs, soccer.Vec{}, soccer.Vec{}
		if m.phase == hsl.PenaltyShootOut {
			s.placeForShot(m)
		}
	}
	if m.stage == ballInGoal { // the ball lies in the goal
		end := float64(1 - 2*m.scorer)
		s.ball, s.speed = soccer.Vec{X: end * (float64(s.field.Length*0.5) + 0.2), Y: 0.2}, soccer.Vec{}
	}
	seconds := d.Seconds()
	inPlay := m.state.State == hsl.Playing && !m.state.Stopped
	if inPlay {
		s.roll(seconds)
	}
	chasers := s.chasers(m)
	for i := range s.walkers {
		w := &s.walkers[i]
		s.walk(w, seconds, m, chasers[w.side] == i && inPlay)
		s.look(w, d)
	}
}

// off reports whether the robot is off the field, by a penalty or as a substitute.
func (w *walker) off(m *match) bool {
	return m.state.Teams[w.side].Players[w.number-1].Penalty != hsl.NoPenalty
}

// placeForShot puts the ball on the penalty mark, and the robots of the shot where people put them.
func (s *squad) placeForShot(m *match) {
	direction := float64(1 - 2*m.shooter())
	s.ball.X = float64(direction * (float64(s.field.Length*0.5) - s.field.PenaltySpot))
	for i := range s.walkers {
		w := &s.walkers[i]
		if w.off(m) {
			continue
		}
		w.down, w.pose = 0, soccer.Pose{X: w.home.X, Y: w.home.Y, Theta: soccer.WrapAngle(float64(w.side) * math.Pi)}
		if w.side == m.shooter() {
			w.pose.X, w.pose.Y = s.ball.X-float64(direction*1.0), 0
		}
	}
}

// roll moves the ball. At the lines it comes to rest, as if it was put there.
func (s *squad) roll(seconds float64) {
	s.ball.X += float64(s.speed.X * seconds)
	s.ball.Y += float64(s.speed.Y * seconds)
	slower := 1 - float64((1-rollSlower)*seconds)
	s.speed.X, s.speed.Y = s.speed.X*slower, s.speed.Y*slower
	x, y := float64(s.field.Length*0.5)-0.2, float64(s.field.Width*0.5)-0.2
	if math.Abs(s.ball.X) > x || math.Abs(s.ball.Y) > y {
		s.ball = soccer.Vec{X: min(max(s.ball.X, -x), x), Y: min(max(s.ball.Y, -y), y)}
		s.speed = soccer.Vec{}
	}
}

// chasers returns the robot of each team that is the nearest to the ball; -1 for none.
func (s *squad) chasers(m *match) [2]int {
	nearest, best := [2]int{-1, -1}, [2]float64{math.Inf(1), math.Inf(1)}
	for i := range s.walkers {
		w := &s.walkers[i]
		if w.down > 0 || w.off(m) {
			continue
		}
		if far := w.pose.XY().Sub(s.ball).Len(); far < best[w.side] {
			nearest[w.side], best[w.side] = i, far
		}
	}
	return nearest
}

// walk moves a robot towards its place, or to the ball, which it kicks.
func (s *squad) walk(w *walker, seconds float64, m *match, chases bool) {
	direction := float64(1 - 2*w.side)
	to := soccer.Vec{X: w.home.X + float64(0.45*s.ball.X), Y: float64(0.75*w.home.Y) + float64(0.3*s.ball.Y)}
	switch {
	case w.off(m):
		to = soccer.Vec{X: w.home.X, Y: float64(direction * (float64(s.field.Width*0.5) + 0.4))}
	case m.state.State == hsl.Initial || m.state.State == hsl.Finished:
		to = soccer.Vec{X: w.home.X, Y: float64(-direction * (float64(s.field.Width*0.5) + 0.4))}
	case m.state.State == hsl.Set || m.state.Stopped:
		return
	case m.state.State == hsl.Ready || m.state.Teams[w.side].Goalkeeper == w.number:
		to = w.home
	case chases:
		to = soccer.Vec{X: s.ball.X - float64(direction*0.15), Y: s.ball.Y}
	}
	if w.down > 0 {
		w.down -= time.Duration(seconds * float64(time.Second))
		return
	}
	if m.state.State == hsl.Playing && exact.Uniform(s.rng) < seconds/fallEvery {
		w.down = downFor
		return
	}
	away := to.Sub(w.pose.XY())
	far := away.Len()
	aim := exact.Atan2(s.ball.Y-w.pose.Y, s.ball.X-w.pose.X)
	if far > 0.3 && !chases {
		aim = exact.Atan2(away.Y, away.X)
	}
	turn := soccer.WrapAngle(aim - w.pose.Theta)
	w.pose.Theta = soccer.WrapAngle(w.pose.Theta + min(max(turn, -turnSpeed*seconds), turnSpeed*seconds))
	if far > 0.05 {
		step := min(far, walkSpeed*s.field.Length*seconds) / far
		w.pose.X += float64(away.X * step)
		w.pose.Y += float64(away.Y * step)
	}
	if chases && w.pose.XY().Sub(s.ball).Len() < 0.25 {
		s.kick(w, direction)
	}
}

// kick sends the ball towards the opponents' goal, inexactly.
func (s *squad) kick(w *walker, direction float64) {
	goal := soccer.Vec{X: float64(direction * s.field.Length * 0.5), Y: float64(1.5 * exact.Normal(s.rng))}
	way := goal.Sub(s.ball)
	angle := exact.Atan2(way.Y, way.X) + float64(0.35*exact.Normal(s.rng))
	sin, cos := exact.Sincos(soccer.WrapAngle(angle))
	speed := 0.8 + float64(1.2*exact.Uniform(s.rng))
	s.speed = soccer.Vec{X: speed * cos, Y: speed * sin}
	w.pose.X -= float64(direction * 0.1) // it stands still for a moment
}

// look lets a robot see the ball if it is before it.
func (s *squad) look(w *walker, d time.Duration) {
	away := s.ball.Sub(w.pose.XY())
	far := away.Len()
	aside := soccer.WrapAngle(exact.Atan2(away.Y, away.X) - w.pose.Theta)
	switch {
	case w.down <= 0 && far < seeFar*s.field.Length && math.Abs(aside) < seeAside:
		noise := ballNoise * far
		w.ball = soccer.Vec{X: s.ball.X + float64(noise*exact.Normal(s.rng)), Y: s.ball.Y + float64(noise*exact.Normal(s.rng))}
		w.seen = 0
	case w.seen >= 0:
		w.seen += d
	}
}

// messages calls send with the messages that are due. Positions are in each team's frame.
func (s *squad) messages(now soccer.Time, m *match, send func(*walker, *hsl.Return)) {
	for i := range s.walkers {
		w := &s.walkers[i]
		if now < w.next {
			continue
		}
		if w.next == 0 { // robots do not send all at once
			w.next = now.Add(time.Duration(i) * sayPeriod / time.Duration(len(s.walkers)))
			continue
		}
		if w.next = w.next.Add(sayPeriod); w.next <= now {
			w.next = now.Add(sayPeriod)
		}
		pose := soccer.Pose{X: w.pose.X + w.bias.X, Y: w.pose.Y + w.bias.Y, Theta: w.pose.Theta}
		sin, cos := exact.Sincos(w.pose.Theta)
		x, y := w.ball.X-w.pose.X, w.ball.Y-w.pose.Y
		ball := soccer.Vec{X: float64(cos*x) + float64(sin*y), Y: float64(cos*y) - float64(sin*x)}
		if w.side == 1 {
			pose = pose.Turned()
		}
		r := hsl.Return{
			Player: w.number, Team: m.state.Teams[w.side].Number, Fallen: w.down > 0, BallAge: -1,
			X: float32(1000 * pose.X), Y: float32(1000 * pose.Y), Theta: float32(pose.Theta),
		}
		if w.seen >= 0 {
			r.BallAge, r.BallX, r.BallY = float32(w.seen.Seconds()), float32(1000*ball.X), float32(1000*ball.Y)
		}
		send(w, &r)
	}
}
