package vss

import (
	"math/rand/v2"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// streams are the random numbers of each disturbance, one stream each: switching one on does not change the others.
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

// observe generates the vision of this tick.
func (s *Session) observe() {
	slot := s.ticks % uint64(len(s.vision))
	env := &s.vision[slot]
	s.Environment(env)
	s.lost[slot] = false
	if c := &s.cfg; c.NoisePosition == 0 && c.NoiseHeading == 0 && c.Vanish == 0 && c.Loss == 0 {
		return
	}
	f := &env.Frame
	s.blur(&f.Ball.X, &f.Ball.Y)
	if s.vanishes() {
		f.HasBall = false
	}
	f.Blue = s.disturb(f.Blue)
	f.Yellow = s.disturb(f.Yellow)
	s.lost[slot] = s.cfg.Loss > 0 && exact.Uniform(s.noise.loss.Rand) < s.cfg.Loss
}

// RefreshVision replaces the vision in flight by the present state, undisturbed: it shows placements in a pause.
func (s *Session) RefreshVision() {
	for i := range s.vision {
		s.Environment(&s.vision[i])
		s.lost[i] = false
	}
}

// disturb adds noise to the robots of one team and removes those that vanish.
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

// Vision returns the vision packet that arrives after this tick, with the configured latency and noise, and whether it
// arrives: it does not when it is lost, or when the latency has not passed since the start. It is valid until the next
// Tick or RefreshVision.
func (s *Session) Vision() (env *firasim.Environment, sent bool) {
	slot := (s.ticks + 1) % uint64(len(s.vision)) // the oldest
	return &s.vision[slot], !s.lost[slot]
}
