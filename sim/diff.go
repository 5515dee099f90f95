package sim

import "math"

// A robot of the Very Small Size league stands on two wheels and two casters. This file and friction.go, joint.go, load.go
// and rest.go compute how motors, friction and weight move it, as FIRASim's rigid bodies do.
//
// A wheel touches the floor at the two rims of its tread, which move at different speeds while the robot turns. Each rim
// and each caster bears a part of the weight, which shifts with acceleration (the robot pitches onto a caster, or rolls
// onto a wheel), and friction is limited by that load. Within a sub-step the loads are computed first, without friction,
// and the limits of friction follow from them, as in FIRASim's engine.
//
// That engine also turns bodies in steps that are not infinitely small. The joints of a fast wheel therefore err by
// angles and distances that grow with its speed (Camber, Toe, stray): they load the inner rim, let the wheel skid
// sideways, and in the end let a spinning robot hop, so that its yaw rate levels off.

// wheel is the state of one wheel.
type wheel struct {
	Speed    float64 // m/s of the rim; positive drives ahead
	Cos, Sin float64 // cosine and sine of the angle of its heavy axis from the vertical, ahead
	Camber   float64 // rad by which the left end of its axle is above the right one, relative to the body
	Toe      float64 // rad by which the left end is in front of the right one

	// Of the last sub-step, in N s: along its path, along its axle, and of the motor at the rim.
	Push, Hold, Motor float64
}

// driveState is the state of a drive between two sub-steps; the zero value of the other fields and Wheels from AtRest mean a
// robot at rest.
type driveState struct {
	Left, Right         wheel
	Drag                float64 // N s of the casters in the last sub-step
	Scrub               float64 // N m s of rims that rub while the robot turns, in the last sub-step
	Rise                float64 // m above its height at rest
	Pitch, Roll         float64 // rad: the front is down, the left side is up
	RiseRate            float64 // m/s
	PitchRate, RollRate float64 // rad/s
	steadiness
}

// standing returns the state of a robot that stands.
func standing() driveState { return driveState{Left: wheel{Sin: 1}, Right: wheel{Sin: 1}} }

// driveNumbers is the number of Floats of a State.
const driveNumbers = 2*8 + 8 + 5

// numbers returns all numbers of s.
func (s *driveState) numbers() [driveNumbers]float64 {
	l, r := &s.Left, &s.Right
	return [driveNumbers]float64{
		l.Speed, l.Cos, l.Sin, l.Camber, l.Toe, l.Push, l.Hold, l.Motor,
		r.Speed, r.Cos, r.Sin, r.Camber, r.Toe, r.Push, r.Hold, r.Motor,
		s.Drag, s.Scrub, s.Rise, s.Pitch, s.Roll, s.RiseRate, s.PitchRate, s.RollRate,
		s.Ahead, s.steadiness.Left, s.Turn, float64(s.Ticks), float64(s.Slow),
	}
}

// driveStateOf returns the state with these Floats, and whether a robot can be in it.
func driveStateOf(f *[driveNumbers]float64) (driveState, bool) {
	s := driveState{
		Left:  wheel{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]},
		Right: wheel{f[8], f[9], f[10], f[11], f[12], f[13], f[14], f[15]},
		Drag:  f[16], Scrub: f[17], Rise: f[18], Pitch: f[19], Roll: f[20],
		RiseRate: f[21], PitchRate: f[22], RollRate: f[23],
		steadiness: steadiness{Ahead: f[24], Left: f[25], Turn: f[26]},
	}
	ticks, slow := f[27], f[28]
	ok := s.Left.plausible() && s.Right.plausible() && ticks >= 0 && ticks <= steadyTicks && slow >= 0 && slow < slowSteps
	if ok {
		s.Ticks, s.Slow = uint8(ticks), uint8(slow)
		ok = same(float64(s.Ticks), ticks) && same(float64(s.Slow), slow) // whole numbers
	}
	for _, x := range f {
		ok = ok && math.Abs(x) <= utmost
	}
	return s, ok
}

// same reports whether two numbers have the same bits: -0 is not 0.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func (k *wheel) plausible() bool {
	length := float64(k.Cos*k.Cos) + float64(k.Sin*k.Sin)
	return math.Abs(length-1) < 1e-6 && math.Abs(k.Camber) <= askew && math.Abs(k.Toe) <= askew
}

// drive is a State with working values of a sub-step.
type drive struct {
	driveState
	// Held tells that another body or a wall holds the robot upright in this sub-step: motors and friction do not tilt it.
	Held bool
	// Cos and Sin are those of the robot's heading: its body scrapes along the axes of the field.
	Cos, Sin float64

	left, right  side
	want         [6]float64 // m/s that contacts require upwards: inner and outer rim left, right, caster in front, behind
	more         [4]float64 // m/s of the rims' want that their wheel's motion gives
	load         [6]float64 // N s
	scrape       [4]float64 // N s on the body's lower corners: in front left and right, behind left and right
	scrapes      bool       // one of them is loaded
	grounded     bool       // all rims and casters overlap the floor, and the body's edges do not
	even         float64    // m/s at which a robot with all wheels and casters on the floor rises
	pitchBase    float64    // rad/s of it, without friction and motors
	rollBase     float64
	heave        float64 // m/s after the sub-step
	pitch, roll  float64 // rad/s without friction and motors
	nod, lean    float64 // 1/(kg m^2): how pitch and roll give way
	masses       masses
	gyro         float64       // N m s about the axis ahead, of wheels that change their direction
	yaw          float64       // N m s
	split        float64       // m/s: the casters slide apart by twice that
	turn         float64       // rad/s, of the robot at the start of the sub-step
	tall         float64       // m, of the centre of mass above the floor
	stray        float64       // m that the wheels are too far outside
	edge         [4][2]float64 // N s of friction at these corners, along the field's axes
	ahead, aside float64       // N s of it in all, ahead and to the left
}

// side is the working values of one wheel.
type side struct {
	want  float64 // m/s commanded
	inner float64 // N s, load of the inner rim
	outer float64
	idle  float64 // N s that the rims give while the wheel's speed is between theirs
	most  float64 // N s of friction along its path
	cross float64 // N s of friction along its axle
	skid  float64 // m/s along the axle, without motion of the robot
	lever float64 // m from the robot's centre to the middle of the tread
	inset float64 // m that the tread is displaced inwards
}

// command sets the wheel speeds in rad/s.
func (d *drive) command(t *WheeledRobot, left, right float64) {
	if t.MaxWheel > 0 {
		left, right = within(left, t.MaxWheel), within(right, t.MaxWheel)
	}
	d.left.want, d.right.want = left*t.WheelRadius, right*t.WheelRadius
}

// start begins a sub-step of a robot that moves with u ahead, v to its left and the angular velocity w: it computes the
// loads, and applies the impulses of the last sub-step. It returns the velocity afterwards, which Pull then corrects at
// least once.
func (t *train) start(d *drive, u, v, w float64) (float64, float64, float64) {
	l, r := &d.Left, &d.Right
	d.gyro, d.yaw, d.stray, d.split = 0, 0, 0, 0
	if w != 0 {
		by := t.turnOf(w)
		t.strain(d, w, by)
		less, sin := -float64(2*by.tan*by.tan*by.share), float64(2*by.tan*by.share)
		t.precess(d, l, w, less, sin)
		t.precess(d, r, w, less, sin)
	}
	t.sink(d)
	d.tall = t.Height + d.Rise
	d.turn = w
	// The limits of friction are those of motors that run freely.
	free := within((d.left.want-l.Speed)*t.rim, t.motor) + within((d.right.want-r.Speed)*t.rim, t.motor)
	moment := float64(t.WheelRadius * free)
	if d.Held {
		moment = 0
	}
	t.settle(d, -moment, d.gyro)
	if d.scrapes {
		d.edge, d.ahead, d.aside = [4][2]float64{}, 0, 0
	}
	d.pitch += float64(moment * d.nod)
	switch {
	case d.Held:
		d.nod, d.lean = 0, 0
		d.masses = t.upright
	case d.nod == t.nod && d.lean == t.roll:
		d.masses = t.even
	default:
		d.masses = t.masses(d.nod, d.lean)
	}
	t.limit(&d.left, l, d.load[0], d.load[1], -1)
	t.limit(&d.right, r, d.load[2], d.load[3], 1)
	d.left.skid -= float64(mend * d.stray)
	d.right.skid += float64(mend * d.stray)

	u += float64((l.Push + r.Push + d.Drag + float64(l.Toe*l.Hold) + float64(r.Toe*r.Hold)) * t.Inverse)
	v += float64((l.Hold + r.Hold) * t.Inverse)
	turn := float64(r.Push*d.right.lever) - float64(l.Push*d.left.lever) +
		float64((float64(r.Toe*r.Hold)-float64(l.Toe*l.Hold))*t.arm) + d.Scrub + d.yaw
	return u, v, w + float64(turn*t.InverseYaw)
}

// limit sets the limits of a wheel's friction from the loads of its rims. inwards is 1 where the left end of the axle
// is the inner one, and -1 otherwise.
func (t *train) limit(s *side, k *wheel, inner, outer, inwards float64) {
	s.inner, s.outer = inner, outer
	s.most = float64(t.Along * (inner + outer))
	s.cross = float64(t.Across * (inner + outer))
	s.skid = -float64(mend * k.Camber * t.WheelRadius)
	s.inset = float64(t.WheelRadius * k.Camber * inwards)
	s.lever = t.arm - s.inset
}

// pull solves wheels and casters in addition to the impulses so far, and returns the velocity afterwards.
func (t *train) pull(d *drive, u, v, w float64) (float64, float64, float64) {
	l, r := &d.Left, &d.Right
	hold, push := l.Hold+r.Hold, l.Push+r.Push
	motors := l.Motor + r.Motor
	q := d.pitch - float64((float64(t.drop*push)+float64(t.WheelRadius*motors)+float64(d.tall*d.Drag))*d.nod)
	roll := d.roll + float64(t.Height*hold*d.lean)
	if d.scrapes {
		u, v, w = t.drawCorners(d, u, v, w, q, roll)
		q -= float64(d.tall * d.ahead * d.nod)
		roll += float64(d.tall * d.aside * d.lean)
	}

	toLeft, toRight := float64(l.Toe*l.Hold), float64(r.Toe*r.Hold)
	v += float64(t.across(d, u, v+float64(t.Height*roll), w) * t.Inverse)
	toLeft, toRight = float64(l.Toe*l.Hold)-toLeft, float64(r.Toe*r.Hold)-toRight
	u += float64((toLeft + toRight) * t.Inverse)
	w += float64(float64(t.arm*(toRight-toLeft)) * t.InverseYaw)

	// Both wheels are solved together, so that equal commands never turn a robot.
	wide := float64((t.arm + d.stray) * w)
	onLeft, onRight := w+float64(mend*l.Toe), w+float64(mend*r.Toe)
	wasLeft, wasRight := l.Push, r.Push
	hub := u - float64(t.drop*q)
	t.turnWheel(d, &d.left, l, q,
		hub-wide+float64(onLeft*(t.tread+d.left.inset)), hub-wide-float64(onLeft*(t.tread-d.left.inset)))
	t.turnWheel(d, &d.right, r, q,
		hub+wide-float64(onRight*(t.tread+d.right.inset)), hub+wide+float64(onRight*(t.tread-d.right.inset)))
	byLeft, byRight := l.Push-wasLeft, r.Push-wasRight
	u += float64((byLeft + byRight) * t.Inverse)
	w += float64((float64(byRight*d.right.lever) - float64(byLeft*d.left.lever)) * t.InverseYaw)
	q -= float64((float64(t.drop*(byLeft+byRight)) + float64(t.WheelRadius*(l.Motor+r.Motor-motors))) * d.nod)

	u = t.drawCasters(d, u, u-float64(d.tall*q))
	scrub := within(d.Scrub-float64(w*t.Yaw), float64(t.tread*(d.left.rub(l)+d.right.rub(r))))
	w += float64((scrub - d.Scrub) * t.InverseYaw)
	d.Scrub = scrub
	return u, v, w
}
