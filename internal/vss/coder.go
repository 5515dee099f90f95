package vss

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"touchline/soccer"
	"touchline/wire/firasim"
)

// Coder turns a state into bytes, or bytes into a state: the same calls in the same order do both, so that one function
// describes the bytes of a type.
type Coder struct {
	b     []byte
	reads bool
	err   error
}

// AppendCoded appends the bytes of what code codes.
func AppendCoded(b []byte, code func(*Coder)) ([]byte, error) {
	c := &Coder{b: b}
	code(c)
	return c.b, c.err
}

// Decode reads what code codes from all of b. The error is ErrState.
func Decode(b []byte, code func(*Coder)) error {
	c := &Coder{b: b, reads: true}
	code(c)
	if c.err == nil && len(c.b) > 0 {
		c.fail("%d bytes too many", len(c.b))
	}
	return c.err
}

// Fail ends reading with an error, and reports whether there is one.
func (c *Coder) Fail(err error) bool {
	if err != nil {
		c.fail("%v", err)
	}
	return c.err != nil
}

// fail notes the first error of reading.
func (c *Coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes, zeros if they are missing.
func (c *Coder) take(n int) []byte {
	if n > len(c.b) {
		c.fail("it ends too early")
		c.b = nil
		return make([]byte, n)
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// Whole codes a whole number.
func Whole[T ~int | ~int64 | ~uint32 | ~uint64](c *Coder, v *T) {
	if c.reads {
		*v = T(binary.LittleEndian.Uint64(c.take(8)))
	} else {
		c.b = binary.LittleEndian.AppendUint64(c.b, uint64(*v))
	}
}

// count codes a length or an index from least to most, at most 255 more, as one byte.
func (c *Coder) count(v *int, least, most int) {
	if !c.reads {
		c.b = append(c.b, byte(*v-least))
	} else if *v = least + int(c.take(1)[0]); *v > most {
		c.fail("%d is not from %d to %d", *v, least, most)
		*v = least
	}
}

// Bools codes truth values.
func (c *Coder) Bools(all ...*bool) {
	for _, v := range all {
		n := 0
		if *v {
			n = 1
		}
		c.count(&n, 0, 1)
		*v = n == 1
	}
}

// Float codes a finite number.
func Float[T ~float32 | ~float64](c *Coder, v *T) {
	bits := math.Float64bits(float64(*v))
	Whole(c, &bits)
	if *v = T(math.Float64frombits(bits)); c.reads && !finite(float64(*v)) {
		c.fail("a number is not finite")
	}
}

// Floats codes finite numbers.
func (c *Coder) Floats(all ...*float64) {
	for _, v := range all {
		Float(c, v)
	}
}

func (c *Coder) pose(p *soccer.Pose) { c.Floats(&p.X, &p.Y, &p.Theta) }

func (c *Coder) vecs(all ...*soccer.Vec) {
	for _, v := range all {
		c.Floats(&v.X, &v.Y)
	}
}

func (c *Coder) times(all ...*time.Duration) {
	for _, v := range all {
		Whole(c, v)
	}
}

// Random codes a stream of random numbers.
func (c *Coder) Random(source *rand.PCG) {
	if !c.reads {
		c.b, _ = source.AppendBinary(c.b) // it never fails
		return
	}
	const size = 20 // bytes of a PCG
	if b := c.take(size); c.err == nil {
		if err := source.UnmarshalBinary(b); err != nil {
			c.fail("random numbers: %v", err)
		}
	}
}

// bytes codes a list of bytes.
func (c *Coder) bytes(b *[]byte) {
	n := len(*b)
	switch Whole(c, &n); {
	case !c.reads:
		c.b = append(c.b, *b...)
	case n < 0 || n > len(c.b):
		c.fail("it ends too early")
	default:
		*b = bytes.Clone(c.take(n))
	}
}

var errInFlight = errors.New("vss: commands are in flight: a game with latency of commands has no bytes")

// Code codes the state of a Session. To read, s is a state that a Session of the same Config saved. Addresses of senders
// are not coded.
func (s *State) Code(c *Coder) {
	if len(s.queue) > 0 {
		c.err = errInFlight
		return
	}
	c.bytes(&s.engine)
	for i := range s.state.robots {
		r := &s.state.robots[i]
		c.Bools(&r.on, &r.commanded, &r.turnOn)
		Whole(c, &r.driven)
		Whole(c, &r.lastTick)
		Whole(c, &r.placed)
		c.Floats(&r.command.wheels.Left, &r.command.wheels.Right)
		c.pose(&r.place)
		c.pose(&r.pose)
	}
	Whole(c, &s.ticks)
	Whole(c, &s.received)
	Whole(c, &s.ball.placed)
	c.Floats(&s.ball.to.X, &s.ball.to.Y, &s.ball.to.VX, &s.ball.to.VY, &s.inGoal)
	for i := range s.goals {
		Whole(c, &s.goals[i])
	}
	for i := range s.vision {
		c.Bools(&s.lost[i])
		c.environment(&s.vision[i], s.robots)
	}
	for _, n := range [...]*stream{&s.noise.position, &s.noise.heading, &s.noise.vanish, &s.noise.loss, &s.noise.commands} {
		c.Random(n.source)
	}
}

// environment codes a vision packet except for the field, which does not change.
func (c *Coder) environment(e *firasim.Environment, robots int) {
	Whole(c, &e.Step)
	Whole(c, &e.GoalsBlue)
	Whole(c, &e.GoalsYellow)
	f := &e.Frame
	c.Bools(&f.HasBall)
	c.Floats(&f.Ball.X, &f.Ball.Y, &f.Ball.Z, &f.Ball.VX, &f.Ball.VY, &f.Ball.VZ)
	for _, team := range [...]*[]firasim.Robot{&f.Blue, &f.Yellow} {
		n := len(*team)
		if c.count(&n, 0, robots); c.reads {
			*team = make([]firasim.Robot, n)
		}
		for i := range *team {
			r := &(*team)[i]
			id := int(r.ID)
			c.count(&id, 0, robots-1)
			r.ID = uint32(id)
			c.Floats(&r.X, &r.Y, &r.Orientation, &r.VX, &r.VY, &r.VOrientation)
		}
	}
}

// Code codes the team's memory. To read, t is a team of the same side, field and size.
func (t *Team) Code(c *Coder) {
	Whole(c, &t.step)
	c.times(&t.dt, &t.variation)
	c.vecs(&t.ball, &t.rolling)
	for _, players := range [...]*[maxPlayers]footballer{&t.own, &t.other} {
		for i := range players {
			p := &players[i]
			c.Bools(&p.seen)
			c.vecs(&p.position, &p.heading, &p.before, &p.jam)
			c.Floats(&p.speed, &p.wheels.Left, &p.wheels.Right, &p.back, &p.turn)
			c.times(&p.stuck, &p.patience, &p.escape)
		}
	}
	c.count(&t.keeper, -1, maxPlayers-1)
	c.count(&t.striker, -1, maxPlayers-1)
	c.Floats(&t.pace, &t.bias)
	c.Random(t.source)
}
