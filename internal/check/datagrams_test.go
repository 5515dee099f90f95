package check_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	payloads "touchline/wire/team"
)

// networks are links from a perfect to a bad one.
var networks = map[string]traffic.Link{
	"perfect":  {},
	"lossy":    {Loss: 0.1, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Duplicate: 0.05, Reorder: 0.1},
	"terrible": {Loss: 0.4, Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond, Duplicate: 0.2, Reorder: 0.3},
}

// A clean team has no fault on any network, also when robots restart.
func TestCleanTeamHasNoFault(t *testing.T) {
	for name, link := range networks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(8) {
				tm := newTeam(seed, link, 4)
				if seed%2 == 0 {
					tm.robots[1].restarts = 4 * time.Second
				}
				var c check.DatagramChecker
				for from, issues := range tcmCheck(t, tm, 8*time.Second, &c) {
					t.Errorf("seed %d: %v is blamed: %v", seed, from, issues)
				}
			}
		})
	}
}

// mutation is a fault of one robot, and a text that describes it.
type mutation struct {
	name    string
	want    string
	mutate  func(r *robot, d *tcm.Datagram) []tcm.Datagram
	corrupt func(b []byte) []byte
	prepare func(tm *team, r *robot)
	// contents changes the poses and the ball in all messages.
	contents func(t float64, ball *payloads.Ball, self *payloads.Self)
}

// field is a mutate that changes a number in the payloads, also to values that no codec writes.
func field(name string, f func(v float64) float64) func(*robot, *tcm.Datagram) []tcm.Datagram {
	return pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
		for _, at := range payloads.Fields(uint16(p.Type), p.Data) {
			if at.Name != name {
				continue
			}
			p.Data = bytes.Clone(p.Data)
			b := p.Data[at.Offset:]
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f(v))))
		}
	})
}

// claimed is a mutate that changes claims of the ball, also to what no codec writes.
func claimed(f func(c *b3p.Claim)) func(*robot, *tcm.Datagram) []tcm.Datagram {
	return pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
		if p.Type != tcm.BookingClaim {
			return
		}
		var c b3p.Claim
		if err := c.UnmarshalBinary(p.Data); err != nil {
			panic(err)
		}
		f(&c)
		b := binary.LittleEndian.AppendUint32([]byte{b3p.Version, c.Booker}, c.Epoch)
		b = binary.LittleEndian.AppendUint32(b, c.Sequence)
		b = binary.LittleEndian.AppendUint16(b, c.Claimed)
		p.Data = binary.LittleEndian.AppendUint16(b, c.Advertised)
	})
}

// alter is a mutate that changes a datagram.
func alter(f func(d *tcm.Datagram)) func(*robot, *tcm.Datagram) []tcm.Datagram {
	return func(_ *robot, d *tcm.Datagram) []tcm.Datagram {
		f(d)
		return []tcm.Datagram{*d}
	}
}

// pieces is a mutate that changes each piece.
func pieces(f func(d *tcm.Datagram, p *tcm.Piece)) func(*robot, *tcm.Datagram) []tcm.Datagram {
	return alter(func(d *tcm.Datagram) {
		for i := range d.Pieces {
			f(d, &d.Pieces[i])
		}
	})
}

// fragments is a mutate that changes each fragment, and drops the datagram if f returns false.
func fragments(f func(p *tcm.Piece) bool) func(*robot, *tcm.Datagram) []tcm.Datagram {
	return func(r *robot, d *tcm.Datagram) []tcm.Datagram {
		if len(d.Pieces) == 1 && d.Pieces[0].Fragment && !f(&d.Pieces[0]) {
			r.sequences[stream{d.To, d.Socket}]--
			return nil
		}
		return []tcm.Datagram{*d}
	}
}

// checksum is a corrupt that writes another checksum.
func checksum(f func(b []byte) uint32) func([]byte) []byte {
	return func(b []byte) []byte {
		end := len(b) - tcm.SumSize
		return binary.LittleEndian.AppendUint32(b[:end:end], f(b[:end]))
	}
}

// mutations are faults of datagrams and of their stream.
func mutations() []mutation {
	start := uint64(soccer.Epoch)
	altered := func(p *tcm.Piece) { p.Data = bytes.Clone(p.Data); p.Data[7] ^= 1 }
	return []mutation{
		{name: "checksum of other bytes", want: "crc: ", corrupt: func(b []byte) []byte { b[20] ^= 1; return b }},
		{name: "checksum in big-endian", want: "write integers little-endian", corrupt: checksum(func(b []byte) uint32 {
			return bits.ReverseBytes32(tcm.Sum(b))
		})},
		{name: "checksum of zlib", want: "CRC-32 of zlib", corrupt: checksum(crc32.ChecksumIEEE)},
		{name: "checksum without inversion", want: "inversion", corrupt: checksum(func(b []byte) uint32 { return ^tcm.Sum(b) })},
		{name: "checksum without the header", want: "start with byte 0", corrupt: checksum(func(b []byte) uint32 {
			return tcm.Sum(b[tcm.HeaderSize:])
		})},
		{name: "checksum of its own place", want: "end before it", corrupt: checksum(func(b []byte) uint32 {
			return tcm.Sum(append(bytes.Clone(b), 0, 0, 0, 0))
		})},
		{name: "no checksum", want: "never set", corrupt: checksum(func([]byte) uint32 { return 0 })},
		{name: "sequence in big-endian", want: "with its bytes swapped", mutate: alter(func(d *tcm.Datagram) {
			d.Sequence = bits.ReverseBytes64(d.Sequence)
		})},
		{name: "a byte short", want: "crc: ", corrupt: func(b []byte) []byte { return b[:len(b)-1] }},
		{name: "version 2", want: "version: 2", corrupt: func(b []byte) []byte { b[3] = 2; return b }},

		{name: "one sequence for all", want: "one sequence is shared", mutate: func(r *robot, d *tcm.Datagram) []tcm.Datagram {
			r.all++
			d.Sequence = r.all
			return []tcm.Datagram{*d}
		}},
		{name: "sequence by two", want: "advances by 2", mutate: alter(func(d *tcm.Datagram) { d.Sequence *= 2 })},
		{name: "sequence from the clock", want: "jumps from", mutate: alter(func(d *tcm.Datagram) { d.Sequence = d.Sent })},
		{name: "sequence stands still", want: "sequence: 1 again", mutate: alter(func(d *tcm.Datagram) { d.Sequence = 1 })},
		{name: "sequence restarts", want: "again, in a different datagram", mutate: alter(func(d *tcm.Datagram) {
			d.Sequence = (d.Sequence-1)%40 + 1
		})},
		{name: "sequence restarts late", want: "falls from 50", mutate: alter(func(d *tcm.Datagram) {
			if d.Sequence += 5000; d.Sequence > 5040 {
				d.Sequence -= 5030
			}
		})},
		{name: "boot changes", want: "boot id changes with each", mutate: func(r *robot, d *tcm.Datagram) []tcm.Datagram {
			r.boot++
			return []tcm.Datagram{*d}
		}},
		{name: "boot falls", want: "after boot", prepare: func(tm *team, r *robot) { r.restarts, r.boots = 3*time.Second, -10 }},
		{name: "the same boot again", want: "again, in a different", prepare: func(_ *team, r *robot) {
			r.restarts, r.boots = 2*time.Second, 0
		}},
		{name: "claim for another robot", want: "robot 4, but robot:2 is the sender", mutate: claimed(func(c *b3p.Claim) {
			c.Booker = 4
		})},
		{name: "claim of nobody", want: "robot 0: want 1 to 63", mutate: claimed(func(c *b3p.Claim) { c.Booker = 0 })},
		{name: "claim with a falling sequence", want: "sequence: falls from", mutate: claimed(func(c *b3p.Claim) {
			c.Sequence = -c.Sequence
		})},
		{name: "claim with a falling epoch", want: "epoch: falls from", mutate: claimed(func(c *b3p.Claim) {
			c.Epoch = 99 - c.Epoch
		})},
		{name: "claim beyond the field", want: "want at most 30000", mutate: claimed(func(c *b3p.Claim) {
			c.Advertised = 40_000
		})},
		{name: "release for another robot", want: "robot 1, but robot:2 is the sender", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
			if p.Type == tcm.BookingRelease {
				p.Data = bytes.Clone(p.Data)
				p.Data[1] = 1
			}
		})},
		{name: "two programs", want: "two programs send as robot:2", prepare: func(tm *team, r *robot) {
			twin := newTeam(77, traffic.Link{}, 2).robots[1]
			twin.boot, twin.addr = r.boot+5, netip.MustParseAddrPort("10.0.0.77:5000")
			tm.robots = append(tm.robots, twin)
		}},

		{name: "sent in us", want: "sent: looks like microseconds", mutate: alter(func(d *tcm.Datagram) { d.Sent /= 1000 })},
		{name: "sent in ms", want: "sent: looks like milliseconds", mutate: alter(func(d *tcm.Datagram) { d.Sent /= 1e6 })},
		{name: "sent in s", want: "sent: ", mutate: alter(func(d *tcm.Datagram) { d.Sent /= 1e9 })},
		{name: "sent stands still", want: "sent: stays at", mutate: alter(func(d *tcm.Datagram) { d.Sent = start })},
		{name: "clock set back", want: "sent never goes back", mutate: alter(func(d *tcm.Datagram) {
			if d.Sequence > 40 {
				d.Sent -= 3600e9
			}
		})},

		{name: "echo of itself", want: "echoes itself", mutate: alter(func(d *tcm.Datagram) {
			if d.Echo.From.Kind != 0 {
				d.Echo.From = d.From
			}
		})},
		{name: "held in ms", want: "held: looks like milliseconds", mutate: alter(func(d *tcm.Datagram) { d.Echo.Held /= 1000 })},
		{name: "held in ns", want: "held: looks like nanoseconds", mutate: alter(func(d *tcm.Datagram) { d.Echo.Held *= 1000 })},
		{name: "held of another datagram", want: "arrived only", mutate: alter(func(d *tcm.Datagram) {
			if d.Echo.From.Kind != 0 {
				d.Echo.Held += 2e6
			}
		})},
		{name: "echo of the own clock", want: "echo.sent: ", mutate: alter(func(d *tcm.Datagram) {
			if d.Echo.From.Kind != 0 {
				d.Echo.Sent = d.Sent
			}
		})},

		{name: "captured never set", want: "captured: 0: ", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) { p.Captured = 0 })},
		{name: "captured later", want: "later than sent", mutate: pieces(func(d *tcm.Datagram, p *tcm.Piece) {
			p.Captured = d.Sent + 20e6
		})},
		{name: "captured in ms", want: "looks like milliseconds", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
			p.Captured /= 1e6
		})},
		{name: "captured by another clock", want: "before sent", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
			p.Captured -= 100e9
		})},
		{name: "captured before the boot", want: "before the start of boot", prepare: func(_ *team, r *robot) {
			r.boot = uint32(start/1e9) + uint32(r.offset/time.Second)
		}, mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) { p.Captured -= 9e9 })},
		{name: "captured stands still", want: "the same", mutate: pieces(func(d *tcm.Datagram, p *tcm.Piece) {
			p.Captured = d.Sent - (d.Sent-start)%4e9
		})},

		{name: "number stands still", want: "number: 7 again", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) { p.Number = 7 })},
		{name: "number restarts", want: "falls from", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
			if !p.Fragment {
				p.Number = (p.Number + 1000) % 100
			}
		})},
		{name: "random numbers", want: "number: jumps from", mutate: pieces(func(_ *tcm.Datagram, p *tcm.Piece) {
			if !p.Fragment {
				p.Number *= 0x9e3779b1
			}
		})},

		{name: "other totals", want: "total: ", mutate: fragments(func(p *tcm.Piece) bool {
			if !p.Parity && p.Index == 0 && p.Count > 2 {
				p.Total--
			}
			return true
		})},
		{name: "one piece too many", want: "do not fill", mutate: fragments(func(p *tcm.Piece) bool { p.Count++; return true })},
		{name: "overlap", want: "other bytes before", mutate: func(_ *robot, d *tcm.Datagram) []tcm.Datagram {
			if len(d.Pieces) != 1 || !d.Pieces[0].Fragment || d.Pieces[0].Parity {
				return []tcm.Datagram{*d}
			}
			other := *d // both of the next sequence numbers are used
			other.Pieces = []tcm.Piece{d.Pieces[0]}
			altered(&other.Pieces[0])
			d.Sequence, other.Sequence = 2*d.Sequence, 2*d.Sequence+1
			return []tcm.Datagram{*d, other}
		}},
		{name: "sum of another message", want: "but their CRC-32C is", mutate: fragments(func(p *tcm.Piece) bool {
			p.Sum ^= 1
			return true
		})},
		{name: "parity of consecutive pieces", want: "parity piece of group", mutate: fragments(func(p *tcm.Piece) bool {
			if p.Parity {
				altered(p)
			}
			return true
		})},
		{name: "repaired wrongly", want: "repaired by parity", mutate: fragments(func(p *tcm.Piece) bool {
			if p.Parity {
				altered(p)
			}
			return p.Every == 0 || p.Parity || p.Index != 1
		})},
		{name: "last piece never sent", want: "never completed although no datagram is missing", mutate: fragments(
			func(p *tcm.Piece) bool { return p.Parity || p.Index+1 < p.Count })},
	}
}

// falsities are faults in the contents of messages.
func falsities() []mutation {
	thousand := func(v float64) float64 { return v * 1000 }
	frame := func(f func(x, y float32) (float32, float32)) func(float64, *payloads.Ball, *payloads.Self) {
		return func(_ float64, ball *payloads.Ball, self *payloads.Self) {
			ball.X, ball.Y = f(ball.X, ball.Y)
			ball.VX, ball.VY = f(ball.VX, ball.VY)
			self.X, self.Y = f(self.X, self.Y)
			self.VX, self.VY = f(self.VX, self.VY)
		}
	}
	self := func(f func(t float64, self *payloads.Self)) func(float64, *payloads.Ball, *payloads.Self) {
		return func(t float64, _ *payloads.Ball, s *payloads.Self) { f(t, s) }
	}
	return []mutation{
		{name: "millimetres", want: "looks like millimetres", mutate: field("self.x", thousand)},
		{name: "ball in millimetres", want: "looks like millimetres", mutate: field("ball.x", thousand)},
		{name: "mm/s", want: "looks like mm/s", mutate: field("self.vx", thousand)},
		{name: "degrees", want: "looks like degrees", mutate: field("self.heading", func(v float64) float64 {
			return v * 180 / math.Pi
		})},
		{name: "not a number", want: "ball.y: NaN", mutate: field("ball.y", func(float64) float64 { return math.NaN() })},
		{name: "negative variance", want: "covariance", mutate: field("ball.cov_xx", func(float64) float64 { return -1 })},
		{name: "impossible covariance", want: "covariance", mutate: field("self.cov_xy", func(float64) float64 { return 5 })},
		{name: "variance of 0", want: "means an exact position", contents: func(_ float64, ball *payloads.Ball, _ *payloads.Self) {
			ball.Cov[0] = 0
		}},
		{name: "variance in mm^2", want: "a variance beyond", contents: self(func(_ float64, s *payloads.Self) {
			s.Cov[0], s.Cov[3] = s.Cov[0]*1e6, s.Cov[3]*1e6
		})},
		{name: "own pose in kilometres", want: "a thousand times too small", contents: self(func(_ float64, s *payloads.Self) {
			s.X, s.Y = s.X/1000, s.Y/1000
		})},
		{name: "kilometres", want: "a thousand times too small", contents: func(_ float64, ball *payloads.Ball, self *payloads.Self) {
			ball.X, ball.Y, self.X, self.Y = ball.X/1000, ball.Y/1000, self.X/1000, self.Y/1000
		}},
		{name: "velocity too small", want: "a thousandth of the motion", contents: self(func(_ float64, s *payloads.Self) {
			s.VX, s.VY = s.VX/1000, s.VY/1000
		})},
		{name: "degrees a second", want: "looks like degrees a second", contents: self(func(_ float64, s *payloads.Self) {
			s.VHeading *= 180 / math.Pi
		})},
		{name: "clockwise heading", want: "one of the two counts clockwise", contents: self(func(_ float64, s *payloads.Self) {
			s.Heading = -s.Heading
		})},
		{name: "clockwise heading without velocity", want: "heading seems to count clockwise", contents: self(
			func(_ float64, s *payloads.Self) {
				s.Heading, s.HasVelocity, s.VX, s.VY, s.VHeading = -s.Heading, false, 0, 0, 0
			})},
		{name: "heading from y", want: "heading seems to be measured from y", contents: self(func(_ float64, s *payloads.Self) {
			s.Heading = float32(soccer.WrapAngle(float64(s.Heading) - math.Pi/2))
		})},
		{name: "velocity in the robot's frame", want: "vx and vy are turned by 180", contents: self(
			func(_ float64, s *payloads.Self) { s.VX, s.VY = -s.VX, -s.VY })},
		{name: "frame of the opponents", want: "but turned by 180 degrees at the centre", contents: func(t float64,
			ball *payloads.Ball, self *payloads.Self,
		) {
			frame(func(x, y float32) (float32, float32) { return -x, -y })(t, ball, self)
			self.Heading = float32(soccer.WrapAngle(float64(self.Heading) + math.Pi))
		}},
		{name: "y to the right", want: "but mirrored in y at the centre", contents: func(t float64, ball *payloads.Ball,
			self *payloads.Self,
		) {
			frame(func(x, y float32) (float32, float32) { return x, -y })(t, ball, self)
			self.Heading, self.VHeading = -self.Heading, -self.VHeading
		}},
		{name: "x and y swapped", want: "but swapped at the centre", contents: frame(func(x, y float32) (float32, float32) {
			return y, x
		})},
		{name: "pose never updated", want: "the pose has had the same values", contents: self(func(_ float64, s *payloads.Self) {
			s.X, s.Y, s.Heading = 1.2, -0.5, 1.571
		})},
		{name: "ball never updated", want: "the ball has had the same position", contents: func(_ float64, ball *payloads.Ball,
			_ *payloads.Self,
		) {
			ball.X, ball.Y = 1, 2
		}},
	}
}

// Each fault of one robot is found, and no other robot is blamed.
func TestFaultsAreFound(t *testing.T) {
	for _, m := range slices.Concat(mutations(), falsities()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				tm := newTeam(seed+100, traffic.Link{Delay: time.Millisecond, Jitter: 2 * time.Millisecond}, 4)
				faulty := tm.robots[1]
				if m.prepare != nil {
					m.prepare(tm, faulty)
				}
				tm.mutate = func(r *robot, d *tcm.Datagram) []tcm.Datagram {
					if r != faulty || m.mutate == nil {
						return []tcm.Datagram{*d}
					}
					return m.mutate(r, d)
				}
				tm.contents = func(r *robot, now time.Duration, b *payloads.Belief, s *payloads.Status) {
					if r == faulty && m.contents != nil {
						m.contents(now.Seconds(), &b.Ball, &b.Self)
						m.contents(now.Seconds(), new(payloads.Ball), &s.Self)
					}
				}
				tm.corrupt = func(r *robot, b []byte) []byte {
					if r != faulty || m.corrupt == nil {
						return b
					}
					return m.corrupt(b)
				}
				var c check.DatagramChecker
				all := tcmCheck(t, tm, 8*time.Second, &c)
				blamed := check.Source{Team: 1, Entity: faulty.entity}
				if m.corrupt != nil {
					blamed = check.Source{}
				}
				if !found(all[blamed], m.want) {
					t.Errorf("seed %d: got %.1000s, want %q", seed, fmt.Sprint(all[blamed]), m.want)
				}
				delete(all, blamed)
				if len(all) > 0 {
					t.Errorf("seed %d: others are blamed: %.1000s", seed, fmt.Sprint(all))
				}
			}
		})
	}
}

// A program that stalls now and then, or whose datagrams wait before they are recorded, has no fault.
func TestStallsAreNoFaults(t *testing.T) {
	tm := newTeam(100, traffic.Link{Delay: time.Millisecond, Jitter: 2 * time.Millisecond}, 4)
	n := 0
	tm.mutate = func(_ *robot, d *tcm.Datagram) []tcm.Datagram {
		if n++; n%50 == 0 && len(d.Pieces) > 0 && !d.Pieces[0].Fragment {
			d.Pieces[0].Captured = d.Sent + 33e6
		}
		if n%50 == 25 && d.Echo.From.Kind != 0 {
			d.Echo.Sent += 2e9
		}
		return []tcm.Datagram{*d}
	}
	var c check.DatagramChecker
	for from, issues := range tcmCheck(t, tm, 8*time.Second, &c) {
		t.Errorf("%v is blamed: %v", from, issues)
	}
}

// found reports whether one of the issues contains a text.
func found(issues map[string]int, text string) bool {
	for issue := range issues {
		if strings.Contains(issue, text) {
			return true
		}
	}
	return false
}

// The memory for forged senders and messages is bounded, and a sender that keeps sending stays known.
func TestBounds(t *testing.T) {
	var c check.DatagramChecker
	tm := newTeam(1, traffic.Link{}, 1)
	tm.run(2*time.Second, func(p *soccer.Packet) { c.Observe(1, p) })
	real := check.Source{Team: 1, Entity: tm.robots[0].entity}
	before := c.Streams(real)
	now := soccer.Epoch.Add(2 * time.Second)
	for n := range 20_000 {
		now = now.Add(50 * time.Microsecond)
		h := tcm.Header{
			Team: uint8(1 + n%200), From: tcm.Entity{Kind: tcm.Computer, ID: uint8(1 + n%251)}, To: manager, Boot: uint32(n),
			Sequence: uint64(n + 1), Sent: uint64(now), Socket: tcm.Bulk,
		}
		p := tcm.Piece{
			Fragment: true, Module: tcm.PAM, Type: tcm.Image, Number: uint32(n), Captured: uint64(now), Count: 3000,
			Total: 3000 * tcm.PieceSize, Data: make([]byte, tcm.PieceSize),
		}
		c.Observe(uint64(n), &soccer.Packet{Time: now, Data: tcm.Seal(p.Append(h.Append(nil)), nil)})
	}
	if after := c.Streams(real); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after the flood %s has %v, before %v", real.Entity, after, before)
	}
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	if stats.HeapAlloc > 200<<20 {
		t.Errorf("the flood takes %d MiB", stats.HeapAlloc>>20)
	}
	runtime.KeepAlive(&c)
}

// Only robots book the ball.
func TestComputerBooks(t *testing.T) {
	claim, err := (&b3p.Claim{Booker: 3}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := tcm.Header{Team: 1, From: manager, To: mates, Socket: tcm.Robots, Boot: 1, Sequence: 1, Sent: uint64(soccer.Epoch)}
	p := tcm.Piece{Module: tcm.GM, Type: tcm.BookingClaim, Captured: h.Sent, Data: claim}
	var c check.DatagramChecker
	_, issues := c.Observe(1, &soccer.Packet{Time: soccer.Epoch, Data: tcm.Seal(p.Append(h.Append(nil)), nil)})
	if len(issues) != 1 || !strings.Contains(issues[0].Text, "only robots book the ball") || issues[0].Note {
		t.Errorf("got %v, want a fault", issues)
	}
}

// Split finds the datagrams of a burst that was captured as one packet.
func TestSplit(t *testing.T) {
	tm := newTeam(1, traffic.Link{}, 1)
	tm.large(tm.robots[0], 0, 10_000, 4)
	var burst []byte
	var sizes []int
	tm.deliver(soccer.Epoch.Add(time.Hour), func(p *soccer.Packet) {
		burst = append(burst, p.Data...)
		sizes = append(sizes, len(p.Data))
	})
	n := 8 // data pieces of one size; the ninth is shorter
	whole := burst[:n*sizes[0]+sizes[n]]
	parts := check.Split(whole)
	if len(parts) != n+1 || len(parts[0]) != sizes[0] || len(parts[n]) != sizes[n] {
		t.Errorf("got %d datagrams, want %d", len(parts), n+1)
	}
	if pair := check.Split(burst[(n-1)*sizes[0] : n*sizes[0]+sizes[n]]); len(pair) != 2 {
		t.Errorf("got %d datagrams in a burst of %d bytes, want 2", len(pair), sizes[0]+sizes[n])
	}
	for i, b := range [][]byte{nil, []byte("TCM"), parts[0], append(bytes.Clone(parts[0]), make([]byte, 2000)...)} {
		if got := check.Split(b); len(got) != 1 || !bytes.Equal(got[0], b) {
			t.Errorf("case %d: got %d datagrams, want the bytes as they are", i, len(got))
		}
	}
}

// TCM.ini and the team's key are compared with each datagram.
func TestDirectory(t *testing.T) {
	d, err := teamcom.Parse([]byte("[team]\nnumber = 1\ngroup = 239.0.0.1:4000\n[robots]\n1 = 10.0.0.1:5000\n" +
		"[computers]\n1 = 10.0.0.9:6000\n"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := tcm.NewKey([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := tcm.NewKey([]byte("another key of 16"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name    string
		team    uint8
		from    uint8
		to      tcm.Entity
		channel string
		key     *tcm.Key
		want    string
	}{
		{"right", 1, 1, mates, "239.0.0.1:4002", key, ""},
		{"right, by unicast", 1, 1, manager, "10.0.0.9:6002", key, ""},
		{"through an address that nobody knows", 1, 1, manager, "10.0.0.77:1", key, ""},
		{"another team", 2, 1, mates, "239.0.0.1:4002", key, "team: team 2"},
		{"an unknown robot", 1, 3, mates, "239.0.0.1:4002", key, "from.id: robot:3 is not in TCM.ini"},
		{"to an unknown computer", 1, 1, tcm.Entity{Kind: tcm.Computer, ID: 8}, "", key, "to.id: computer:8 is not in"},
		{"another port", 1, 1, mates, "239.0.0.1:4000", key, "is 239.0.0.1:4002, but the datagram went to 239.0.0.1:4000"},
		{"another key", 1, 1, mates, "239.0.0.1:4002", other, "the tag does not fit"},
		{"unsigned", 1, 1, mates, "239.0.0.1:4002", nil, "flags: unsigned"},
	} {
		c := check.DatagramChecker{Directory: d, Key: key}
		h := tcm.Header{
			Team: v.team, From: tcm.Entity{Kind: tcm.Robot, ID: v.from}, To: v.to, Socket: tcm.Telemetry, Boot: 1, Sequence: 1,
			Sent: 1,
		}
		_, issues := c.Observe(1, &soccer.Packet{Channel: v.channel, Data: tcm.Seal(h.Append(nil), v.key)})
		if v.want == "" && len(issues) > 0 || v.want != "" && (len(issues) != 1 || !strings.Contains(issues[0].String(), v.want)) {
			t.Errorf("%s: got %v, want %q", v.name, issues, v.want)
		}
	}
}

// A Checker accepts any bytes, and what it reports fits the datagram.
func FuzzChecker(f *testing.F) {
	tm := newTeam(1, traffic.Link{}, 2)
	tm.run(200*time.Millisecond, func(p *soccer.Packet) { f.Add(p.Data, byte(1), uint64(3)) })
	f.Fuzz(func(t *testing.T, b []byte, at byte, value uint64) {
		var c check.DatagramChecker
		now := soccer.Epoch
		observe := func(b []byte) {
			now = now.Add(time.Millisecond)
			_, issues := c.Observe(1, &soccer.Packet{Time: now, Data: b})
			for _, i := range issues {
				if i.Offset < 0 || i.Offset > max(len(b), tcm.MaxDatagram) || i.Text == "" || i.Source == "" {
					t.Fatalf("issue %+v of %d bytes", i, len(b))
				}
			}
		}
		observe(b)
		if body := len(b) - tcm.SumSize; body >= tcm.HeaderSize { // the same with a right checksum, and with another field
			changed := bytes.Clone(b[:body])
			observe(tcm.Seal(changed, nil))
			changed = bytes.Clone(b[:body])
			binary.LittleEndian.PutUint64(changed[int(at)%(body-8):], value)
			observe(tcm.Seal(changed, nil))
		}
		for _, part := range check.Split(b) {
			observe(part)
		}
		c.Close()
	})
}

// observer returns a function that gives a new Checker the header of a datagram that arrives at a time after the start, and
// returns its issues.
func observer(t *testing.T) func(at time.Duration, h tcm.Header) []wire.Issue {
	var c check.DatagramChecker
	packet := uint64(0)
	return func(at time.Duration, h tcm.Header) []wire.Issue {
		t.Helper()
		d := tcm.Datagram{Header: h}
		b, err := d.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		packet++
		_, issues := c.Observe(packet, &soccer.Packet{Time: soccer.Epoch.Add(at), Data: b})
		return issues
	}
}

// Another program with another clock replaces a robot and sends to one computer alone. The other robots still echo the
// program before: they received nothing of the new one.
func TestEchoOfTheProgramBefore(t *testing.T) {
	check, at := observer(t), time.Duration(0)
	observe := func(h tcm.Header) {
		t.Helper()
		at += 10 * time.Millisecond
		if issues := check(at, h); len(issues) > 0 {
			t.Errorf("at %v: %v", at, issues)
		}
	}
	robot, mate := tcm.Entity{Kind: tcm.Robot, ID: 2}, tcm.Entity{Kind: tcm.Robot, ID: 3}
	const before, after = 2_000_000_000_000, 1_000_000_000_000 // ns, the clocks of both programs
	for i := range uint64(100) {
		observe(tcm.Header{
			Team: 1, From: robot, To: mate, Boot: 1, Sequence: i + 1, Sent: before + i*10e6,
		})
	}
	for i := range uint64(100) {
		observe(tcm.Header{
			Team: 1, From: robot, To: tcm.Entity{Kind: tcm.Computer, ID: 1}, Boot: 2, Sequence: i + 1, Sent: after + i*20e6,
		})
		observe(tcm.Header{
			Team: 1, From: mate, To: robot, Boot: 1, Sequence: i + 1, Sent: 1 + i*20e6,
			Echo: tcm.Echo{From: robot, Held: uint32(20000 * i), Sent: before + 99*10e6},
		})
	}
}

// A recorder that stalls reads late: the time since the echoed datagram then looks shorter than the time for which the
// robot held it, which is the recorder's fault.
func TestEchoOfDatagramRecordedLate(t *testing.T) {
	observe := observer(t)
	robot, mate := tcm.Entity{Kind: tcm.Robot, ID: 2}, tcm.Entity{Kind: tcm.Robot, ID: 3}
	const period, stall = 10 * time.Millisecond, 1200 * time.Millisecond
	send := func(i int, late time.Duration) []wire.Issue {
		at := time.Duration(i) * period
		return observe(at+late, tcm.Header{Team: 1, From: robot, To: mate, Boot: 1, Sequence: uint64(i), Sent: uint64(at) + 1})
	}
	echo := func(sequence uint64, i int, held, late time.Duration) []wire.Issue {
		sent := time.Duration(i) * period
		return observe(sent+late, tcm.Header{
			Team: 1, From: mate, To: robot, Boot: 1, Sequence: sequence, Sent: uint64(sent+held) + 1,
			Echo: tcm.Echo{From: robot, Held: uint32(held / time.Microsecond), Sent: uint64(sent) + 1},
		})
	}
	sequence := uint64(0)
	for i := 1; i <= 200; i++ {
		if issues := send(i, 0); len(issues) > 0 {
			t.Errorf("datagram %d: %v", i, issues)
		}
		sequence++
		if issues := echo(sequence, i, 60*time.Millisecond, 60*time.Millisecond); len(issues) > 0 {
			t.Errorf("echo %d: %v", i, issues)
		}
	}
	if issues := send(201, stall); len(issues) > 0 {
		t.Errorf("the late datagram: %v", issues)
	}
	held := stall + 280*time.Millisecond
	if issues := echo(sequence+1, 201, held, held); len(issues) > 0 {
		t.Errorf("the echo of the late datagram: %v", issues)
	}
	if issues := echo(sequence+2, 201, 2*held, held); len(issues) != 1 || !strings.Contains(issues[0].String(), "arrived only") {
		t.Errorf("an echo held for longer than that: %v, want one issue", issues)
	}
}
