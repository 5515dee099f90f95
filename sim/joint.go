package sim

import (
	"math"

	"touchline/internal/exact"
)

// strain computes how far the joints of a robot that turns with w rad/s lag behind. In a sub-step the wheels move
// straight ahead and the joints pull them back onto their circle later, so that they stay outside of it by stray. The
// turn of the wheels' velocities from one sub-step to the next takes a moment from the robot's turn.
func (t *train) strain(d *drive, w float64, by turn) {
	angle, pull := float64(w*t.Seconds), float64(mend*t.Seconds)
	half := float64(angle * angle * 0.5)
	ahead := float64(angle * (1 - float64(pull*0.5)))
	scale := half / (float64(pull*pull) + float64(ahead*ahead))
	out, behind := float64(scale*pull), float64(scale*ahead)
	d.stray = float64(t.arm * out)
	d.split = float64(mend * t.Caster * out)
	turned := float64(half*(w+float64(mend*behind))) - float64(angle*mend*out)
	d.yaw -= float64(t.outward * t.arm * turned * by.share)
}

// turn is a robot's turn in a sub-step: the tangent of half the angle, and 1/(1 + tangent^2).
type turn struct{ tan, share float64 }

func (t *train) turnOf(w float64) turn {
	tan := float64(w * t.Seconds * 0.5)
	return turn{tan, 1 / (1 + float64(tan*tan))}
}

// precess applies the moments of a wheel that spins while the robot turns with w. FIRASim's engine solves for them
// implicitly, which brakes a wheel whose moments of inertia differ. less and sin are the cosine of the robot's turn in the
// sub-step minus 1, and the sine.
func (t *train) precess(d *drive, k *wheel, w, less, sin float64) {
	heavy, light := t.WheelHeavy, t.WheelLight
	h, spin := t.Seconds, float64(k.Speed*t.inverseRadius)
	// About the heavy axis, the axis across it, and the axle: angular velocity, angular momentum.
	w1, w2 := float64(w*k.Cos), -float64(w*k.Sin)
	l1, l2, l3 := float64(heavy*w1), float64(light*w2), float64(light*spin)
	s1, s23 := float64(l1*l1), float64(l2*l2)+float64(l3*l3)
	h2 := float64(h * h)
	scale := 1 / (float64(heavy*light*light) + float64(h2*(float64(heavy*s1)+float64(light*s23))))
	all := float64(h2 * (s1 + s23))
	own, cross := float64(heavy*light)+all, float64(h*(heavy-light))
	d1 := float64(heavy * (float64(l1*(float64(light*light)+all)*scale) - w1))
	d2 := float64(light * (float64((float64(l2*own)-float64(cross*l1*l3))*scale) - w2))
	spin3 := float64((float64(l3*own) + float64(cross*l1*l2)) * scale)
	d.yaw += float64(d1*k.Cos) - float64(d2*k.Sin)
	upright := float64(heavy*k.Sin*k.Sin) + float64(light*k.Cos*k.Cos)
	d.gyro += float64(d1*k.Sin) + float64(d2*k.Cos) + float64(w*spin*upright*h)
	// The axle points elsewhere after the sub-step.
	k.Speed = float64((spin3 + float64(spin*less) + float64(mend*k.Camber*sin)) * t.WheelRadius)
}

// finish ends a sub-step of a robot that turns with w after it: wheels, height and tilt move on. It returns the tangent
// of half the angle by which the robot turns, and 1/(1 + tangent^2).
func (t *train) finish(d *drive, w float64) (tan, share float64) {
	l, r := &d.Left, &d.Right
	toPitch := -float64(t.drop*(l.Push+r.Push)) - float64(t.WheelRadius*(l.Motor+r.Motor)) - float64(d.tall*d.Drag)
	toRoll := float64(t.Height * (l.Hold + r.Hold))
	if d.scrapes {
		toPitch -= float64(d.tall * d.ahead)
		toRoll += float64(d.tall * d.aside)
	}
	if d.Held {
		toPitch, toRoll = 0, 0
	}
	t.settle(d, toPitch, toRoll+d.gyro)
	d.RiseRate, d.PitchRate, d.RollRate = d.heave, d.pitch, d.roll
	d.Rise += float64(d.heave * t.Seconds)
	d.Pitch += float64(d.pitch * t.Seconds)
	d.Roll += float64(d.roll * t.Seconds)
	by := turn{0, 1}
	if w != 0 {
		by = t.turnOf(w)
	}
	t.spin(l, by)
	t.spin(r, by)
	return by.tan, by.share
}

// spin turns a wheel, and its axle against the body: both are turned as FIRASim's engine does, about one axis, and the
// joint draws them together.
func (t *train) spin(k *wheel, by turn) {
	k.Speed += float64((k.Motor - k.Push - float64(k.Toe*k.Hold)) * t.inverseRim)
	turns := within(float64(k.Speed*t.inverseRadius), fastestWheel)
	k.Speed = float64(turns * t.WheelRadius)
	half := float64(t.Seconds * 0.5)
	ty := float64(turns * half)
	ty2 := float64(ty * ty)
	n, wobbles := 1+ty2, by.tan != 0 || k.Camber != 0 || k.Toe != 0
	var tx, tz, s float64
	if wobbles {
		tx, tz = -float64(mend*k.Camber*half), by.tan+float64(mend*k.Toe*half)
		all := n + float64(tx*tx) + float64(tz*tz)
		inverse := 1 / (n * all) // one division for both
		n, s = float64(inverse*all), float64(2*inverse*n)
	} else {
		n = 1 / n
	}
	cos, sin := float64((1-ty2)*n), float64(2*ty*n)
	k.Cos, k.Sin = float64(k.Cos*cos)-float64(k.Sin*sin), float64(k.Sin*cos)+float64(k.Cos*sin)
	lost := 1.5 - float64(0.5*(float64(k.Cos*k.Cos)+float64(k.Sin*k.Sin)))
	k.Cos, k.Sin = float64(k.Cos*lost), float64(k.Sin*lost)
	if !wobbles {
		return
	}
	cx, cy, cz := float64(ty*k.Camber)-tz, float64(tz*k.Toe)-float64(tx*k.Camber), tx-float64(ty*k.Toe)
	ahead := k.Toe + float64(s*(cx+float64(ty*cz)-float64(tz*cy)))
	along := 1 + float64(s*(cy+float64(tz*cx)-float64(tx*cz)))
	up := k.Camber + float64(s*(cz+float64(tx*cy)-float64(ty*cx)))
	b := by.tan
	toe := float64((float64(ahead*(1-float64(b*b))) + float64(along*2*b)) * by.share)
	if up > -tiny && up < tiny && toe > -tiny && toe < tiny {
		up, toe = 0, 0
	}
	k.Camber, k.Toe = within(up, askew), within(toe, askew)
}

// arctan returns the arc tangent of t, with an error below 1e-9 for small ones.
func arctan(t float64) float64 {
	if math.Abs(t) > 0.2 {
		return exact.Atan2(t, 1)
	}
	t2 := float64(t * t)
	s := 1.0/9 - float64(t2*(1.0/11))
	s = 1.0/7 - float64(t2*s)
	s = 1.0/5 - float64(t2*s)
	s = 1.0/3 - float64(t2*s)
	return float64(t * (1 - float64(t2*s)))
}
