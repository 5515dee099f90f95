package check_test

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

const pi = math.Pi

// drive is a behaviour: the pose in the team frame at a time, and whether it moves.
type drive func(t float64, ball soccer.Vec) (pose soccer.Pose, moves bool)

// session runs the practical session with moving robots and passes their packets to a Judge.
type session struct {
	t       *testing.T
	match   *match.Session
	judge   check.Judge
	drives  map[uint8]drive
	mutate  map[uint8]func(b []byte, t float64) []byte
	addr    map[uint8]netip.AddrPort
	links   map[uint8]*traffic.Impairment
	link    traffic.Link
	seed    uint64
	twist   bool                    // the robots report the velocity of their drive
	silent  bool                    // the robots report no velocity
	history map[uint8][]soccer.Pose // the last 100 ms
	pending []packet
	packets int
}

type packet struct {
	at   soccer.Time
	from netip.AddrPort
	data []byte
}

// newSession returns a session whose robots do not move yet.
func newSession(t *testing.T, cfg match.Config) *session {
	t.Helper()
	s := &session{t: t, drives: map[uint8]drive{}, mutate: map[uint8]func([]byte, float64) []byte{}, seed: cfg.Seed,
		history: map[uint8][]soccer.Pose{}, addr: map[uint8]netip.AddrPort{}, links: map[uint8]*traffic.Impairment{}, link: cfg.Link}
	s.judge.Field = cfg.Field
	var err error
	if s.match, err = match.New(cfg, s.send); err != nil {
		t.Fatal(err)
	}
	for n := range uint8(7) {
		s.addr[n] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), 4000)
	}
	return s
}

// send completes a robot's packet with its velocity, applies its fault, and delays it.
func (s *session) send(n uint8, b []byte) {
	now := s.match.Now()
	b = slices.Clone(b)
	at := now.Sub(soccer.Epoch).Seconds()
	if h := s.history[n]; s.twist && len(h) == 5 {
		const dt = 0.04
		a, c := h[0], h[2] // the picture is 60 ms old
		put(b, vx, -(c.Y-a.Y)/dt*1000)
		put(b, vy, (c.X-a.X)/dt*1000)
		put(b, vtheta, soccer.WrapAngle(c.Theta-a.Theta)/dt*1000)
	}
	if s.silent {
		put(b, vx, 0)
		put(b, vy, 0)
		put(b, vtheta, 0)
	}
	if f := s.mutate[n]; f != nil {
		if b = f(b, at); b == nil {
			return
		}
	}
	m := s.links[n]
	if m == nil {
		m = traffic.NewImpairment(s.link, s.seed+uint64(n), 0)
		s.links[n] = m
	}
	for _, delay := range m.Next(nil) {
		s.pending = append(s.pending, packet{now.Add(delay + 300*time.Microsecond), s.addr[n], b})
	}
}

// run runs the session for d and calls each after every packet.
func (s *session) run(d time.Duration, each func(now soccer.Time, from soccer.Sender)) {
	s.t.Helper()
	var header mixedteam.Header
	var percepts soccer.Percepts
	for end := s.match.Now().Add(d); s.match.Now() < end; {
		now := s.match.Now().Add(20 * time.Millisecond)
		ball := s.match.Truth().Ball
		for n := range uint8(7) {
			if f := s.drives[n]; f != nil {
				if pose, moves := f(now.Sub(soccer.Epoch).Seconds(), soccer.Vec{X: ball.X, Y: ball.Y}); moves {
					_ = s.match.MoveRobot(n, pose) // another robot may be in the way, or n was substituted
					s.keep(n)
				}
			}
		}
		s.match.Advance(now)
		slices.SortStableFunc(s.pending, func(a, b packet) int { return cmp.Compare(a.at, b.at) })
		due := 0
		for ; due < len(s.pending) && s.pending[due].at <= now; due++ {
			p := &s.pending[due]
			if _, err := mixedteam.Decode(p.data, &header, &percepts); err != nil {
				s.t.Fatal(err)
			}
			from := soccer.Sender{Addr: p.from, Color: header.Color, Robot: header.Robot}
			s.judge.Observe(p.at, &check.Package{From: from, Header: header, Percepts: &percepts})
			s.packets++
			each(p.at, from)
		}
		s.pending = slices.Delete(s.pending, 0, due)
	}
}

// keep keeps a robot's newest pose.
func (s *session) keep(n uint8) {
	for _, r := range s.match.Truth().Robots {
		if r.Number == n {
			h := append(s.history[n], r.Pose)
			s.history[n] = h[max(0, len(h)-5):]
		}
	}
}

// Offsets in a v2 package.
const (
	stamp  = 2
	ball   = 9
	self   = 156
	theta  = self + 4
	vx     = self + 6
	vy     = self + 8
	vtheta = self + 10
)

func get(b []byte, at int) float64    { return float64(int16(binary.LittleEndian.Uint16(b[at:]))) }
func put(b []byte, at int, v float64) { binary.LittleEndian.PutUint16(b[at:], uint16(int16(v))) }

// vectors calls f with the offset of each used position and velocity in the plane.
func vectors(b []byte, f func(at int, position bool)) {
	used := func(at int) bool { return get(b, at) != mixedteam.Unused }
	for i := range 3 {
		if at := ball + 13*i; used(at) {
			f(at, true)
			if used(at + 6) {
				f(at+6, false)
			}
		}
	}
	for i := range 12 {
		if at := 48 + 9*i; used(at) {
			f(at, true)
			if used(at + 4) {
				f(at+4, false)
			}
		}
	}
	f(self, true)
	f(vx, false)
}

// circle drives forwards on a circle.
func circle(x, y, radius, speed float64) drive {
	return func(t float64, _ soccer.Vec) (soccer.Pose, bool) {
		a := t * speed / radius
		sin, cos := math.Sincos(a)
		return soccer.Pose{X: x + radius*cos, Y: y + radius*sin, Theta: soccer.WrapAngle(a + pi/2)}, true
	}
}

// zigzag drives forwards along straight lines between random points; sideways, backwards or facing the ball if told.
func zigzag(seed uint64, speed, turned float64, atBall bool) drive {
	rnd := rand.New(rand.NewPCG(seed, 17))
	from, to, began := soccer.Vec{}, soccer.Vec{X: 1}, 0.0
	heading := 0.0
	return func(t float64, ball soccer.Vec) (soccer.Pose, bool) {
		way := to.Sub(from)
		done := (t - began) * speed / way.Len()
		if done >= 1 {
			from, began, done = to, t, 0
			to = soccer.Vec{X: rnd.Float64()*14 - 7, Y: rnd.Float64()*9 - 4.5}
			way = to.Sub(from)
		}
		here := soccer.Vec{X: from.X + done*way.X, Y: from.Y + done*way.Y}
		aim := math.Atan2(way.Y, way.X) + turned
		if atBall {
			aim = math.Atan2(ball.Y-here.Y, ball.X-here.X)
		}
		heading = soccer.WrapAngle(heading + max(-0.1, min(0.1, soccer.WrapAngle(aim-heading))))
		return soccer.Pose{X: here.X, Y: here.Y, Theta: heading}, true
	}
}

// facing drives like another behaviour, but always faces one way.
func facing(d drive, heading float64) drive {
	return func(t float64, ball soccer.Vec) (soccer.Pose, bool) {
		pose, moves := d(t, ball)
		pose.Theta = heading
		return pose, moves
	}
}
