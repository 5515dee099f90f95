package check_test

import (
	"cmp"
	"encoding"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	payloads "touchline/wire/team"
)

// team generates the datagrams of a clean team: robots that broadcast small messages, answer each other and send their
// computer images with parity, with clocks of their own, over a network that loses, delays, duplicates and reorders.
type team struct {
	rnd    *rand.Rand
	robots []*robot
	link   *traffic.Impairment
	on     []arrival // under way
	// mutate changes a datagram before it is encoded. It may return others in its place.
	mutate func(r *robot, d *tcm.Datagram) []tcm.Datagram
	// corrupt changes an encoded datagram of a robot.
	corrupt func(r *robot, b []byte) []byte
	key     *tcm.Key
	// contents changes the contents of messages before they are encoded.
	contents func(r *robot, now time.Duration, b *payloads.Belief, s *payloads.Status)
}

type arrival struct {
	at   soccer.Time
	from *robot
	sent uint64
	data []byte
}

// robot is one sender.
type robot struct {
	entity    tcm.Entity
	addr      netip.AddrPort
	boot      uint32
	offset    time.Duration // of its clock
	drift     float64
	sequences map[stream]uint64
	numbers   map[kind]uint32
	next      time.Duration // of its next messages
	restarts  time.Duration // when its program restarts; 0: never
	boots     int           // added to its boot id then
	all       uint64        // for a faulty robot: one sequence
	heard     map[tcm.Entity]heard
}

type stream struct {
	to     tcm.Entity
	socket tcm.Socket
}

type kind struct {
	to     tcm.Entity
	module tcm.Module
	of     tcm.Type
}

type heard struct {
	sent uint64
	at   time.Duration
}

func newTeam(seed uint64, link traffic.Link, robots int) *team {
	t := &team{rnd: rand.New(rand.NewPCG(seed, 5)), link: traffic.NewImpairment(link, seed, 1)}
	for i := range robots {
		id := uint8(i + 1)
		t.robots = append(t.robots, &robot{
			entity: tcm.Entity{Kind: tcm.Robot, ID: id}, addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, id}), 4000),
			boot: uint32(soccer.Epoch/1e9) - uint32(t.rnd.IntN(1000)), offset: time.Duration(t.rnd.Int64N(int64(time.Hour))),
			drift: (t.rnd.Float64() - 0.5) * 2e-4, boots: 10, next: time.Duration(t.rnd.Int64N(50e6)),
			sequences: map[stream]uint64{}, numbers: map[kind]uint32{}, heard: map[tcm.Entity]heard{},
		})
	}
	return t
}

// clock returns a robot's clock at a time of the test.
func (r *robot) clock(now time.Duration) uint64 {
	return uint64(soccer.Epoch.Add(now+r.offset)) + uint64(float64(now)*(1+r.drift)) - uint64(now)
}

// restart starts a robot's program again.
func (r *robot) restart() {
	r.boot += uint32(r.boots)
	r.offset /= 2 // its clock goes back
	clear(r.sequences)
	clear(r.numbers)
	clear(r.heard)
}

// header returns the header of a robot's next datagram.
func (t *team) header(r *robot, now time.Duration, to tcm.Entity, socket tcm.Socket) tcm.Header {
	key := stream{to, socket}
	r.sequences[key]++
	h := tcm.Header{
		Team: 1, From: r.entity, To: to, Socket: socket, Boot: r.boot, Sequence: r.sequences[key], Sent: r.clock(now),
	}
	peers := slices.SortedFunc(func(yield func(tcm.Entity) bool) {
		for e := range r.heard {
			if !yield(e) {
				return
			}
		}
	}, func(a, b tcm.Entity) int { return cmp.Compare(a.ID, b.ID) })
	if len(peers) > 0 {
		e := peers[t.rnd.IntN(len(peers))]
		h.Echo = tcm.Echo{From: e, Held: uint32((now - r.heard[e].at) / time.Microsecond), Sent: r.heard[e].sent}
	}
	return h
}

// number returns the number of a robot's next message.
func (r *robot) number(k kind) uint32 {
	if _, started := r.numbers[k]; !started {
		r.numbers[k] = -uint32(r.entity.ID) * 20 // it wraps soon
	}
	r.numbers[k]++
	return r.numbers[k]
}

var (
	mates     = tcm.Entity{Kind: tcm.Robot}
	computers = tcm.Entity{Kind: tcm.Computer}
	manager   = tcm.Entity{Kind: tcm.Computer, ID: 1}
)

// small sends a belief, and a status with every second one.
func (t *team) small(r *robot, now time.Duration) {
	d := tcm.Datagram{Header: t.header(r, now, mates, tcm.Robots)}
	add := func(of tcm.Type, age uint64, m encoding.BinaryAppender) {
		b, err := m.AppendBinary(nil)
		if err != nil {
			panic(err)
		}
		d.Pieces = append(d.Pieces, tcm.Piece{
			Module: tcm.GM, Type: of, Number: r.number(kind{mates, tcm.GM, of}), Captured: d.Sent - age, Data: b,
		})
	}
	belief := payloads.Belief{Ball: t.ball(now), Self: r.self(now)}
	status := payloads.Status{Mode: payloads.Playing, Battery: 80, Self: r.self(now), Intention: "attack"}
	if t.contents != nil {
		t.contents(r, now, &belief, &status)
	}
	add(tcm.Belief, uint64(t.rnd.IntN(60e6)), &belief)
	if t.rnd.IntN(2) == 0 {
		add(tcm.Status, uint64(t.rnd.IntN(60e6)), &status)
	}
	of, booking := t.booking(r, now)
	add(of, 0, booking)
	t.send(r, now, &d)
}

// booking returns a message of the ball booking: each robot has the ball booked in its turn, for a second.
func (t *team) booking(r *robot, now time.Duration) (tcm.Type, encoding.BinaryAppender) {
	second := int(now / time.Second)
	booker := uint8(second%len(t.robots) + 1)
	epoch, sequence := uint32(second), uint32(now/time.Millisecond)-5000 // it wraps
	switch left := time.Duration(second+1)*time.Second - now; {
	case booker != r.entity.ID:
		return tcm.BookingBelief, &b3p.Belief{Booker: booker, Epoch: epoch, Sequence: sequence, Claimed: 500, Advertised: 550, Own: 4000}
	case left < 100*time.Millisecond:
		return tcm.BookingRelease, &b3p.Release{Booker: booker, Epoch: epoch, Sequence: sequence}
	}
	return tcm.BookingClaim, &b3p.Claim{Booker: booker, Epoch: epoch, Sequence: sequence, Claimed: 500, Advertised: 550}
}

// self returns a robot's self-localisation: it drives forwards on a circle of its own.
func (r *robot) self(now time.Duration) payloads.Self {
	n := float64(r.entity.ID)
	speed, radius := 0.8+0.2*n, 1+0.3*n
	turn := speed / radius
	a := turn*now.Seconds() + n
	sin, cos := math.Sincos(a)
	return payloads.Self{
		Known: true, HasHeading: true, HasVelocity: true, HasCov: true, X: float32(2*n - 5 + radius*cos), Y: float32(radius * sin),
		Heading: float32(soccer.WrapAngle(a + math.Pi/2)), VX: float32(-speed * sin), VY: float32(speed * cos), VHeading: float32(turn),
		Cov: [6]float32{0.01, 0, 0, 0.01, 0, 0.001}, Confidence: 0.9,
	}
}

// ball returns what a robot believes of the ball, which rolls on an ellipse.
func (t *team) ball(now time.Duration) payloads.Ball {
	sin, cos := math.Sincos(0.5 * now.Seconds())
	noise := func() float32 { return float32(t.rnd.NormFloat64() * 0.05) }
	return payloads.Ball{
		Known: true, HasVelocity: true, HasCov: true, X: float32(5*cos) + noise(), Y: float32(1+3*sin) + noise(), Z: 0.11,
		VX: float32(-2.5 * sin), VY: float32(1.5 * cos), Cov: [10]float32{0: 0.01, 4: 0.01, 7: 0.1, 9: 0.1}, ZVar: 0.001, VZVar: 0.01,
		Confidence: 0.8, Age: 0.03,
	}
}

// bytes returns n random bytes.
func (t *team) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(t.rnd.Uint32())
	}
	return b
}

// large sends a message in fragments with parity.
func (t *team) large(r *robot, now time.Duration, size int, every uint8) {
	data := t.bytes(size)
	first := tcm.Piece{
		Fragment: true, Module: tcm.PAM, Type: tcm.Image, Number: r.number(kind{manager, tcm.PAM, tcm.Image}),
		Captured: r.clock(now - 30*time.Millisecond), Total: uint32(size), Sum: tcm.Sum(data), Every: every,
		Count: uint16((size + tcm.PieceSize - 1) / tcm.PieceSize),
	}
	parity := make([][]byte, first.Groups())
	send := func(p tcm.Piece) {
		d := tcm.Datagram{Header: t.header(r, now, manager, tcm.Bulk), Pieces: []tcm.Piece{p}}
		t.send(r, now, &d)
		now += 20 * time.Microsecond
	}
	for i := range int(first.Count) {
		p := first
		p.Index, p.Data = uint16(i), data[i*tcm.PieceSize:min((i+1)*tcm.PieceSize, size)]
		if every > 0 {
			g := &parity[i%len(parity)]
			if *g == nil {
				*g = make([]byte, tcm.PieceSize)
			}
			for k, b := range p.Data {
				(*g)[k] ^= b
			}
		}
		send(p)
	}
	for g := range parity {
		p := first
		p.Parity, p.Index, p.Data = true, uint16(g), parity[g]
		send(p)
	}
}

// send encodes a datagram and passes it to the network.
func (t *team) send(r *robot, now time.Duration, d *tcm.Datagram) {
	all := []tcm.Datagram{*d}
	if t.mutate != nil {
		all = t.mutate(r, d)
	}
	for i := range all {
		d := &all[i]
		b := d.Header.Append(nil)
		for k := range d.Pieces {
			b = d.Pieces[k].Append(b)
		}
		b = tcm.Seal(b, t.key)
		if t.corrupt != nil {
			b = t.corrupt(r, b)
		}
		for _, delay := range t.link.Next(nil) {
			at := now + delay + 300*time.Microsecond
			t.on = append(t.on, arrival{soccer.Epoch.Add(at), r, d.Sent, b})
		}
	}
}

// run lets the team send for some time and calls receive with each datagram in the order of arrival.
func (t *team) run(to time.Duration, receive func(p *soccer.Packet)) {
	for now := time.Duration(0); now < to; now += time.Millisecond {
		for _, r := range t.robots {
			if now == r.restarts && now > 0 {
				r.restart()
			}
			if now < r.next {
				continue
			}
			r.next = now + 45*time.Millisecond + time.Duration(t.rnd.Int64N(10e6))
			t.small(r, now)
			if t.rnd.IntN(20) == 0 {
				t.large(r, now, 1201+t.rnd.IntN(30_000), uint8(t.rnd.IntN(3)*4))
			}
			if t.rnd.IntN(40) == 0 { // a beacon
				d := tcm.Datagram{Header: t.header(r, now, computers, tcm.Telemetry)}
				t.send(r, now, &d)
			}
		}
		t.deliver(soccer.Epoch.Add(now), receive)
	}
	t.deliver(soccer.Epoch.Add(to+time.Hour), receive)
}

// deliver delivers what is due.
func (t *team) deliver(now soccer.Time, receive func(p *soccer.Packet)) {
	slices.SortStableFunc(t.on, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	due := 0
	for ; due < len(t.on) && t.on[due].at <= now; due++ {
		a := &t.on[due]
		for _, o := range t.robots {
			if o != a.from {
				o.heard[a.from.entity] = heard{a.sent, a.at.Sub(soccer.Epoch)}
			}
		}
		receive(&soccer.Packet{Time: a.at, Channel: "239.0.0.1:4000", From: a.from.addr, Data: a.data})
	}
	t.on = slices.Delete(t.on, 0, due)
}

// tcmCheck runs a team for some time and returns the issues, and the number of datagrams of each sender that has some.
func tcmCheck(t *testing.T, tm *team, length time.Duration, c *check.DatagramChecker) map[check.Source]map[string]int {
	t.Helper()
	found := map[check.Source]map[string]int{}
	add := func(from check.Source, text string) {
		if found[from] == nil {
			found[from] = map[string]int{}
		}
		found[from][text]++
	}
	n := uint64(0)
	tm.run(length, func(p *soccer.Packet) {
		n++
		from, issues := c.Observe(n, p)
		for _, i := range issues {
			add(from, i.String())
		}
		for _, e := range c.Ended() {
			add(e.From, e.Issue.String())
		}
	})
	for _, e := range c.Close() {
		add(e.From, e.Issue.String())
	}
	return found
}
