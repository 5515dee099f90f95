package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"touchline/soccer"
)

// ErrState is the error for bytes that are not a state of the Engine.
var ErrState = errors.New("sim: not a state")

// head returns the first bytes of a state, which name its version.
func (e *Engine) head() string {
	if e.cfg.Side > 0 {
		return "touchline sim 3\n" // adds the state of wheels and the tilt of robots
	}
	return "touchline sim 2\n" // adds drives, kickers and the last touch
}

// AppendState appends the whole state to b. Restore sets an Engine with the same Config to that state; afterwards equal
// calls give equal states. Equal states have equal bytes. Contacts of the last Step is part of the state. Restore
// checks the field's size and Config.Side; the caller keeps the rest of the Config the same.
func (e *Engine) AppendState(b []byte) []byte {
	b = append(b, e.head()...)
	b = appendFloats(b, e.cfg.Field.Length, e.cfg.Field.Width, e.cfg.Side)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.now))
	b = binary.LittleEndian.AppendUint32(b, uint32(e.contacts))
	for _, v := range [...]soccer.Vec3{e.position, e.velocity, e.spin} {
		b = appendFloats(b, v.X, v.Y, v.Z)
	}
	b = e.placing.append(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.robots)))
	for i := range e.robots {
		r := &e.robots[i]
		b = append(b, r.id)
		b = appendFloats(b, r.pose.X, r.pose.Y, r.pose.Theta, r.twist.X, r.twist.Y, r.twist.Theta,
			r.wheels.Left, r.wheels.Right, r.cos, r.sin)
		if e.cfg.Side == 0 {
			b = appendDrive(b, r.omni)
		} else {
			f := r.drive.numbers()
			b = appendFloats(b, f[:]...)
			b = append(b, bits(r.still), uint8(r.contacts))
		}
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.obstacles)))
	for _, o := range e.obstacles {
		b = appendFloats(b, o.X, o.Y)
	}
	if e.cfg.Side == 0 {
		b = binary.LittleEndian.AppendUint64(append(b, e.touch.id), uint64(e.touch.at))
	}
	for id, y := range &e.eyes {
		if y != nil {
			b = append(b, uint8(id))
			b = y.sight.append(b)
			b = y.drift.append(b)
			if e.cfg.Side == 0 {
				b = y.kicks.append(b)
			}
			b = appendFloats(b, y.off[:]...)
			b = binary.LittleEndian.AppendUint64(b, uint64(y.time))
		}
	}
	return b
}

// Restore sets the state to one of AppendState. On an error, ErrState, nothing changes.
func (e *Engine) Restore(b []byte) error {
	next := *e
	next.robots, next.obstacles, next.eyes = nil, nil, [256]*eye{}
	s := reader{b: b, part: "the field"}
	if head := e.head(); string(s.take(len(head))) != head {
		return fmt.Errorf("%w: it does not begin with %q", ErrState, head)
	}
	var field [3]float64
	s.floats(field[:], math.Inf(1))
	if !s.short && field != [3]float64{e.cfg.Field.Length, e.cfg.Field.Width, e.cfg.Side} {
		return fmt.Errorf("%w of this engine: got a field of %g x %g m and robots of %g m, want %g x %g m and %g m",
			ErrState, field[0], field[1], field[2], e.cfg.Field.Length, e.cfg.Field.Width, e.cfg.Side)
	}
	next.now = soccer.Time(s.uint64())
	next.contacts = int(s.uint32())
	s.part = "the ball"
	next.position, next.velocity, next.spin = s.vec3(fastest), s.vec3(fastestBall), s.vec3(fastest)
	next.placing = s.random()
	for range s.count(1 + 10*8) {
		var r robot
		r.id = s.uint8()
		s.part = fmt.Sprintf("robot %d", r.id)
		r = s.robot(r.id)
		if e.cfg.Side == 0 {
			r.omni = s.drive()
		} else {
			s.motion(&r)
		}
		next.robots = append(next.robots, r)
	}
	s.part = "an obstacle"
	for range s.count(16) {
		var o [2]float64
		s.floats(o[:], fastest)
		next.obstacles = append(next.obstacles, soccer.Vec{X: o[0], Y: o[1]})
	}
	next.touch, next.kicks, next.before = ballTouch{}, nil, nil
	if e.cfg.Side == 0 {
		next.touch = ballTouch{s.uint8(), soccer.Time(s.uint64())}
	}
	for last := -1; len(s.b) > 0 && !s.short; {
		id := s.uint8()
		s.part = fmt.Sprintf("the camera of robot %d", id)
		y := &eye{sight: s.random(), drift: s.random()}
		if e.cfg.Side == 0 {
			y.kicks = s.random()
		}
		s.floats(y.off[:], fastest)
		y.time = soccer.Time(s.uint64())
		s.check(int(id) > last)
		last = int(id)
		next.eyes[id] = y
	}
	switch {
	case s.short:
		return fmt.Errorf("%w: its %d bytes end too early", ErrState, len(b))
	case s.bad != "":
		return fmt.Errorf("%w: a number of %s is out of range", ErrState, s.bad)
	}
	if part := next.implausible(); part != "" {
		return fmt.Errorf("%w: %s has values that this engine cannot reach", ErrState, part)
	}
	for i := range next.robots {
		r := &next.robots[i]
		still, rest := r.still, r.drive.steadiness
		next.command(r, r.wheels)
		r.still, r.drive.steadiness = still, rest
	}
	*e = next
	return nil
}

// Bounds of a state's numbers.
const (
	fastest     = 1e4 // m, m/s, rad/s: positions, speeds of robots, spins
	fastestBall = 100 // m/s
)

// implausible returns the part of a restored state that no engine can be in, "" if there is none.
func (e *Engine) implausible() string {
	switch {
	case e.now < 0 || e.now > 1<<62:
		return "the clock"
	case !(e.position.Z >= 0 && e.position.Z <= Ceiling) || e.inside("ball", -1, e.position.XY(), 0) != nil:
		return "the ball"
	case e.cfg.Side != 0 && len(e.obstacles) > 0:
		return "an obstacle"
	}
	for i := range e.robots {
		r := &e.robots[i]
		length2 := float64(r.cos*r.cos) + float64(r.sin*r.sin)
		if i > 0 && r.id <= e.robots[i-1].id || e.inside("robot", int(r.id), r.pose.XY(), 0) != nil ||
			soccer.WrapAngle(r.pose.Theta) != r.pose.Theta || math.Abs(length2-1) > 1e-9 || e.eyes[r.id] == nil ||
			r.omni != nil && !e.drivable(r) || r.omni == nil && !pushable(r) {
			return fmt.Sprintf("robot %d", r.id)
		}
	}
	return ""
}

// pushable reports whether a robot on two wheels can have its velocity: ten times what wheels and collisions give it. Far
// beyond that its contacts overflow within some ticks.
func pushable(r *robot) bool {
	const fastest, spin = 20, 400 // m/s, rad/s
	return soccer.Vec{X: r.twist.X, Y: r.twist.Y}.Len() <= fastest && math.Abs(r.twist.Theta) <= spin
}

// drivable reports whether a driven robot can have its velocity and its command.
func (e *Engine) drivable(r *robot) bool {
	const rounding = 1e-6
	speed, way := soccer.Vec{X: r.twist.X, Y: r.twist.Y}.Len(), r.omni.travelTo(r.pose)
	return speed <= 2*e.body.speed && math.Abs(r.twist.Theta) <= e.body.turn+rounding &&
		finite(way.X) && finite(way.Y) && checkMotor(&r.omni.Command) == nil && r.omni.Since <= e.now && r.omni.KickedAt <= e.now
}

// appendDrive appends whether a robot is driven, and its drive.
func appendDrive(b []byte, d *omniDrive) []byte {
	if d == nil {
		return append(b, 0)
	}
	b, _ = binary.Append(append(b, 1), binary.LittleEndian, d) // its size is fixed: it never fails
	return b
}

func (s *reader) drive() *omniDrive {
	if !s.bool() {
		return nil
	}
	d := new(omniDrive)
	_, _ = binary.Decode(s.take(binary.Size(d)), binary.LittleEndian, d)
	return d
}

// bits returns 1 for true.
func bits(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// motion reads what a Very Small Size robot has beyond pose, twist and command.
func (s *reader) motion(r *robot) {
	var f [driveNumbers]float64
	s.floats(f[:], math.Inf(1))
	state, ok := driveStateOf(&f)
	s.check(ok)
	r.drive.driveState = state
	r.still = s.bool()
	r.touched, r.contacts = r.still, int(s.uint8())
}

// bool reads a byte that is 0 or 1.
func (s *reader) bool() bool {
	n := s.uint8()
	s.check(n <= 1)
	return n == 1
}

func appendFloats(b []byte, f ...float64) []byte {
	for _, x := range f {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// random is a stream of random numbers with a state that can be saved.
type random struct {
	*rand.Rand
	source *rand.PCG
}

const randomBytes = 20 // size of a PCG's state

func (r *random) append(b []byte) []byte {
	b, _ = r.source.AppendBinary(b) // never fails
	return b
}

// reader decodes a state. Missing bytes are 0.
type reader struct {
	b     []byte
	short bool
	part  string // the part that is decoded
	bad   string // the first part with a number out of range
}

// check notes the part that is being read as bad unless ok.
func (s *reader) check(ok bool) {
	if !ok && s.bad == "" {
		s.bad = s.part
	}
}

func (s *reader) take(n int) []byte {
	if len(s.b) < n {
		s.b, s.short = nil, true
		return make([]byte, n)
	}
	b := s.b[:n]
	s.b = s.b[n:]
	return b
}

func (s *reader) uint8() uint8   { return s.take(1)[0] }
func (s *reader) uint32() uint32 { return binary.LittleEndian.Uint32(s.take(4)) }
func (s *reader) uint64() uint64 { return binary.LittleEndian.Uint64(s.take(8)) }

// count returns the number of items of size bytes that follow; 0 if the bytes do not suffice.
func (s *reader) count(size int) int {
	n := int64(s.uint32())
	if n*int64(size) > int64(len(s.b)) {
		s.short = true
		return 0
	}
	return int(n)
}

// floats fills dst and checks that the numbers are at most most.
func (s *reader) floats(dst []float64, most float64) {
	for i := range dst {
		dst[i] = math.Float64frombits(s.uint64())
		s.check(math.Abs(dst[i]) <= most)
	}
}

func (s *reader) vec3(most float64) soccer.Vec3 {
	var f [3]float64
	s.floats(f[:], most)
	return soccer.Vec3{X: f[0], Y: f[1], Z: f[2]}
}

func (s *reader) robot(id uint8) robot {
	var f [6]float64
	var wheels [2]float64
	var heading [2]float64
	s.floats(f[:], fastest)
	s.floats(wheels[:], math.MaxFloat64)
	s.floats(heading[:], 2)
	return robot{
		id: id, pose: soccer.Pose{X: f[0], Y: f[1], Theta: f[2]}, twist: soccer.Twist{X: f[3], Y: f[4], Theta: f[5]},
		wheels: soccer.Wheels{Left: wheels[0], Right: wheels[1]}, cos: heading[0], sin: heading[1],
	}
}

func (s *reader) random() random {
	source := new(rand.PCG)
	if err := source.UnmarshalBinary(s.take(randomBytes)); err != nil {
		s.check(false)
	}
	return random{rand.New(source), source}
}
