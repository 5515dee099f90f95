package match

import (
	"fmt"
	"time"

	"touchline/exact"
	"touchline/robot"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// start switches on the robot of a slot: fresh software, which heard the session's start.
func (s *Session) start(i int) error {
	m := &s.members[s.slots[i].member]
	cfg := robot.DefaultConfig(m.Number, soccer.Cyan, m.TeamID)
	cfg.Variant, cfg.Trailer = s.cfg.Variant, s.cfg.Trailer
	cfg.World.PeerScale = m.PeerScale
	r, err := robot.New(cfg, soccer.Epoch)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	s.slots[i].robot = r
	began, period := s.now, float64(time.Second)/m.Camera.Rate
	phase := exact.Uniform(s.rng) // cameras are not in step
	pictures := 0.0
	var look func()
	look = func() {
		if s.slots[i].robot != r {
			return // switched off or replaced
		}
		s.look(r, m)
		pictures++
		due := began.Add(time.Duration(float64((phase + pictures) * period)))
		s.after(due.Sub(s.now), look)
	}
	s.after(time.Duration(float64(phase*period)), look)
	return nil
}

// look takes a picture; when it is ready, the robot takes it in and sends its package.
func (s *Session) look(r *robot.Robot, m *Participant) {
	sense := new(soccer.Sense)
	if err := s.engine.Look(m.Number, &m.Camera, sense); err != nil {
		return // it no longer stands there
	}
	s.after(m.Camera.Latency, func() {
		i := s.slot(m.Number)
		if i < 0 || s.slots[i].robot != r {
			return
		}
		r.Sense(sense)
		b, err := r.AppendPacket(s.buf[:0])
		s.buf = b
		if err == nil {
			s.scores[s.slots[i].member].Sent++
			s.send(m.Number, b)
		}
	})
}

// slot returns where a jersey number stands on the field, or -1.
func (s *Session) slot(number uint8) int {
	for i := range s.slots {
		if s.members[s.slots[i].member].Number == number {
			return i
		}
	}
	return -1
}

// Arrive hands a datagram to a jersey number's socket, or to the monitor beside the field (0), through what the session's
// Link does to it. Its bytes are only lent. A robot does not hear itself.
func (s *Session) Arrive(to uint8, p *soccer.Packet) {
	if to != Monitor && p.From == s.addrs[to] {
		return
	}
	if s.cfg.Link == (traffic.Link{}) {
		s.deliver(to, p)
		return
	}
	for _, delay := range s.link(link{p.From, to}) {
		late := *p
		late.Time = p.Time.Add(delay)
		if late.Time <= s.now {
			s.deliver(to, &late)
			continue
		}
		late.Data = append([]byte(nil), p.Data...)
		s.after(late.Time.Sub(s.now), func() { s.deliver(to, &late) })
	}
}

// link returns the delays of the copies that one more packet has on a way. Ways beyond the bound share one fate.
func (s *Session) link(way link) []time.Duration {
	const most = 512
	impair := s.links[way]
	if impair == nil {
		if len(s.links) >= most {
			way = link{to: way.to}
		}
		if impair = s.links[way]; impair == nil {
			seed := s.cfg.Seed*1_000_003 + uint64(way.from.Port())*257 + uint64(way.to)
			impair = traffic.NewImpairment(s.cfg.Link, seed, 0)
			s.links[way] = impair
		}
	}
	s.delays = impair.Next(s.delays[:0])
	return s.delays
}

func (s *Session) deliver(to uint8, p *soccer.Packet) {
	if to == Monitor {
		s.watcher.Hear(p)
		return
	}
	if i := s.slot(to); i >= 0 && s.slots[i].robot != nil {
		s.slots[i].robot.Receive(p)
	}
}
