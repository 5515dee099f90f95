package match

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"touchline/internal/exact"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// start switches on the robot of a slot with fresh software, whose clock starts with the session. Software outside the
// session starts by itself.
func (s *Session) start(i int) error {
	if s.cfg.Outside {
		return nil
	}
	at := &s.slots[i]
	m := &s.members[at.member]
	cfg := robot.DefaultConfig(m.Number, soccer.Cyan, m.TeamID)
	cfg.Variant, cfg.Trailer = s.cfg.Variant, s.cfg.Trailer
	cfg.World.PeerScale, cfg.World.Field = m.PeerScale, s.cfg.Field
	cfg.Seed, cfg.Booking = s.cfg.Seed, s.cfg.Booking
	r, err := robot.New(cfg, soccer.Epoch)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	at.robot, at.received = r, nil
	err = s.takePictures(i, func() bool { return at.robot == r }, func(sense *soccer.Sense) {
		r.Sense(sense)
		if s.probe.Sensed != nil {
			s.probe.Sensed(m.Number, r.Percepts())
		}
		b, err := r.AppendPacket(s.buf[:0])
		s.buf = b
		if err == nil {
			s.scores[at.member].Sent++
			s.send(m.Number, b)
		}
		if s.radio != nil {
			r.Messages(s.now, func(message *robot.Message) { s.radio.Send(m.Number, message) })
		}
	})
	if err != nil {
		return err
	}
	return s.connect(i)
}

// stop ends the software of a slot's robot.
func (s *Session) stop(i int) {
	s.disconnect(i)
	s.slots[i].robot, s.slots[i].outside, s.slots[i].mirrored = nil, nil, false
	s.Release(s.slots[i].number)
}

// takePictures takes the pictures of the camera in a slot while its robot is on, and hands each to use after the camera's
// latency.
func (s *Session) takePictures(i int, on func() bool, use func(*soccer.Sense)) error {
	at := &s.slots[i]
	if at.self, at.body = nil, (Body{}); s.cfg.Localise && !at.lens.SeesThrough { // a stand-in that sees through bodies has no wheels
		var err error
		if at.self, err = newLocaliser(s.engine, s.cfg.Field, s.cfg.Seed, at.number, s.now); err != nil {
			return fmt.Errorf("match: %w", err)
		}
	}
	pixels, rate := s.openEyes(&s.members[at.member]), at.lens.Rate
	if pixels != nil {
		rate = min(rate, pixelRate)
	}
	started, period := s.now, float64(time.Second)/rate
	phase := exact.Uniform(s.rng) // cameras are not synchronised
	pictures := 0.0
	var picture func()
	picture = func() {
		if !on() {
			return // switched off or replaced
		}
		sense := new(soccer.Sense)
		if s.picture(&at.unit, s.twist(at), at.mirrored, sense) == nil {
			developed := func() {}
			if pixels != nil {
				developed = s.look(pixels, at.number, sense)
			}
			body := Body{Sense: sense}
			body.Travel, _ = s.travel(&at.unit)
			s.after(at.lens.Latency, func() {
				if on() {
					developed()
					at.body = body
					use(sense)
				}
			})
		}
		pictures++
		due := started.Add(time.Duration(float64((phase + pictures) * period)))
		s.after(due.Sub(s.now), picture)
	}
	s.after(time.Duration(float64(phase*period)), picture)
	return nil
}

// slot returns the slot of a jersey number, or -1 if it is not on the field.
func (s *Session) slot(number uint8) int {
	for i := range s.slots {
		if s.slots[i].number == number {
			return i
		}
	}
	return -1
}

// Deliver hands a datagram to the robot of a jersey number, or to the Monitor, through the session's Link. Its bytes
// need to be valid during the call only. A robot does not receive its own datagrams.
func (s *Session) Deliver(to uint8, p *soccer.Packet) {
	if to != Monitor && p.From == s.addrs[to] {
		return
	}
	if to == Monitor {
		s.adopt(p)
	}
	from := s.sends(p.From)
	if s.cfg.Link == (traffic.Link{}) && !s.links.parted(0, from, to) {
		s.receive(to, p)
		return
	}
	for _, delay := range s.links.next(0, from, to, link{p.From, to}) {
		late := *p
		late.Time = p.Time.Add(delay)
		if late.Time <= s.now {
			s.receive(to, &late)
			continue
		}
		late.Data = append([]byte(nil), p.Data...)
		s.after(late.Time.Sub(s.now), func() { s.receive(to, &late) })
	}
}

// SetLink impairs the packets of the rest of the session; those under way arrive as they would have. It returns an error
// that names a value out of range.
func (s *Session) SetLink(l traffic.Link) error {
	if err := l.Validate(); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	s.cfg.Link = l
	s.links.set(l)
	return nil
}

// Link returns how the packets to each receiver are impaired.
func (s *Session) Link() traffic.Link { return s.cfg.Link }

func (s *Session) receive(to uint8, p *soccer.Packet) {
	if to == Monitor {
		s.watcher.Receive(p)
		s.countPackage(p.From)
		return
	}
	if i := s.slot(to); i >= 0 && s.slots[i].robot != nil {
		if s.probe.Received != nil {
			s.probe.Received(to, p)
		}
		s.slots[i].robot.Receive(p)
		s.slots[i].keep(p)
	}
}

// The page shows the newest package that a robot received from each of maxReports senders, for reportFor.
const (
	maxReports = 16
	reportFor  = 2 * time.Second
)

// keep keeps a packet in place of the sender's last one, or in place of the oldest one.
func (s *slot) keep(p *soccer.Packet) {
	at := slices.IndexFunc(s.received, func(r soccer.Packet) bool { return r.From == p.From })
	switch {
	case at < 0 && len(s.received) < maxReports:
		s.received = append(s.received, soccer.Packet{})
		at = len(s.received) - 1
	case at < 0:
		at = 0
		for i := range s.received {
			if s.received[i].Time < s.received[at].Time {
				at = i
			}
		}
	}
	kept := &s.received[at]
	kept.Time, kept.From, kept.Data = p.Time, p.From, append(kept.Data[:0], p.Data...)
}

// MoveRobot moves a robot on the field; it keeps running.
func (s *Session) MoveRobot(number uint8, pose soccer.Pose) error {
	was, _ := s.engine.RobotPose(number)
	if err := s.engine.MoveRobot(number, pose); err != nil {
		return err
	}
	s.slots[s.slot(number)].drag.move(was, pose, s.now)
	return nil
}

// Switch switches the robot of a jersey number off or on. Its body stays where it is.
func (s *Session) Switch(number uint8, on bool) error {
	i := s.slot(number)
	if i < 0 {
		return errNotOnField(number)
	}
	running := s.slots[i].robot != nil || s.slots[i].outside != nil
	s.slots[i].off = !on
	if on == running {
		return nil
	}
	if !on {
		s.stop(i)
		s.Note("off", number, fmt.Sprintf("%d switched off", number))
		return nil
	}
	s.Note("on", number, fmt.Sprintf("%d switched on", number))
	s.report(number, "switched on")
	return s.start(i)
}

// Substitute replaces the robot of a jersey number by the substitute, which takes its position and its tile and keeps
// its own number.
func (s *Session) Substitute(number uint8) error {
	if s.cfg.Alone {
		return errors.New("match: a single robot has no substitute")
	}
	i := s.slot(number)
	if i < 0 {
		return errNotOnField(number)
	}
	return s.replace(i)
}

// substituteAny replaces a random robot. Where the session has software of its own, it leaves a robot that a program
// outside runs.
func (s *Session) substituteAny() {
	if i := s.rng.IntN(len(s.slots)); s.slots[i].outside == nil || s.cfg.Outside {
		_ = s.replace(i)
	}
}

// replace replaces the robot of a slot by the substitute.
func (s *Session) replace(i int) error {
	out, in := s.slots[i].number, s.members[s.substitute].Number
	pose, ok := s.engine.RobotPose(out)
	if !ok {
		return errNotOnField(out)
	}
	s.engine.RemoveRobot(out)
	if err := s.engine.AddRobot(in, pose); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	s.stop(i)
	next := s.substitute
	s.substitute = s.slots[i].member
	s.slots[i].enter(next, &s.members[next])
	text := fmt.Sprintf("%d replaces %d", in, out)
	s.Note("substitute", in, text)
	s.report(out, "substitute, "+text)
	return s.start(i)
}
