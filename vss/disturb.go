package vss

import (
	"math/rand/v2"

	"touchline/exact"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// streams are the random numbers of each disturbance: one that is switched on does not change the others.
type streams struct{ position, heading, vanish, loss, commands stream }

func newStreams(seed uint64) streams {
	return streams{newStream(seed, 1), newStream(seed, 2), newStream(seed, 3), newStream(seed, 4), newStream(seed, 5)}
}

// clone returns streams that continue with the same numbers.
func (s *streams) clone() streams {
	return streams{s.position.clone(), s.heading.clone(), s.vanish.clone(), s.loss.clone(), s.commands.clone()}
}

// stream is the random numbers of one purpose.
type stream struct {
	*rand.Rand
	source *rand.PCG
}

func newStream(seed, purpose uint64) stream { return streamOf(*rand.NewPCG(seed, purpose)) }

func streamOf(source rand.PCG) stream { return stream{rand.New(&source), &source} }

func (s *stream) clone() stream { return streamOf(*s.source) }

// look writes down what vision sees of this tick.
func (s *Session) look() {
	slot := s.ticks % uint64(len(s.vision))
	env := &s.vision[slot]
	s.Environment(env)
	f := &env.Frame
	s.blur(&f.Ball.X, &f.Ball.Y)
	if s.vanishes() {
		f.HasBall = false
	}
	f.Blue = s.disturb(f.Blue)
	f.Yellow = s.disturb(f.Yellow)
	s.lost[slot] = s.cfg.Loss > 0 && exact.Uniform(s.noise.loss.Rand) < s.cfg.Loss
}

// Renew lets vision say what is now, undisturbed and instead of all that is under way: something was placed while time
// stands still.
func (s *Session) Renew() {
	for i := range s.vision {
		s.Environment(&s.vision[i])
		s.lost[i] = false
	}
}

// disturb blurs one team and leaves out who vanishes.
func (s *Session) disturb(team []firasim.Robot) []firasim.Robot {
	seen := team[:0]
	for _, r := range team {
		s.blur(&r.X, &r.Y)
		if sigma := s.cfg.NoiseHeading; sigma > 0 {
			r.Orientation = soccer.WrapAngle(r.Orientation + float64(sigma*exact.Normal(s.noise.heading.Rand)))
		}
		if !s.vanishes() {
			seen = append(seen, r)
		}
	}
	return seen
}

func (s *Session) blur(x, y *float64) {
	if sigma := s.cfg.NoisePosition; sigma > 0 {
		*x += float64(sigma * exact.Normal(s.noise.position.Rand))
		*y += float64(sigma * exact.Normal(s.noise.position.Rand))
	}
}

func (s *Session) vanishes() bool {
	return s.cfg.Vanish > 0 && exact.Uniform(s.noise.vanish.Rand) < s.cfg.Vanish
}

// Vision returns what vision says after this tick, late and disturbed as configured, and whether it is sent: not when it
// is lost, and not before the first is there. It holds until the next Tick or Renew.
func (s *Session) Vision() (env *firasim.Environment, sent bool) {
	slot := (s.ticks + 1) % uint64(len(s.vision)) // the oldest
	return &s.vision[slot], !s.lost[slot]
}
