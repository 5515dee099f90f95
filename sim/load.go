package sim

import "math"

// sink computes how fast each contact with the floor requires to rise. Contacts are soft: they sink under a load.
func (t *train) sink(d *drive) {
	level := t.rest - d.Rise
	pitch := float64(d.Pitch * t.Caster)
	rollInner, rollOuter := float64(d.Roll*t.RimInner), float64(d.Roll*t.RimOuter)
	li, lo, ri, ro := level-rollInner, level-rollOuter, level+rollInner, level+rollOuter
	var moreLI, moreLO, moreRI, moreRO float64
	if l, r := &d.Left, &d.Right; l.Camber != 0 || r.Camber != 0 {
		// The outer rim of the left wheel and the inner one of the right wheel are to the left of their wheel's middle.
		tip, lift := float64(t.tread*l.Camber), float64(0.5*t.WheelRadius*l.Camber*l.Camber)
		li, lo = li+tip-lift, lo-tip-lift
		tip, lift = float64(t.tread*r.Camber), float64(0.5*t.WheelRadius*r.Camber*r.Camber)
		ri, ro = ri-tip-lift, ro+tip-lift
		moreLI, moreLO = t.drive(l, -t.tread), t.drive(l, t.tread)
		moreRI, moreRO = t.drive(r, t.tread), t.drive(r, -t.tread)
	}
	ahead, behind := level+pitch, level-pitch
	d.more[0], d.more[1], d.more[2], d.more[3] = moreLI, moreLO, moreRI, moreRO
	n0, n1, n2, n3 := float64(mend*li)+moreLI, float64(mend*lo)+moreLO, float64(mend*ri)+moreRI, float64(mend*ro)+moreRO
	n4, n5 := float64(mend*ahead), float64(mend*behind)
	d.want[0], d.want[1], d.want[2], d.want[3], d.want[4], d.want[5] = n0, n1, n2, n3, n4, n5
	rise := n0 + n1 + n2 + n3 + n4 + n5
	toRoll := float64((n0-n2)*t.RimInner) + float64((n1-n3)*t.RimOuter)
	d.even = float64((float64(t.Mass*d.RiseRate) + float64(t.firm*rise) - t.weight) * t.heave)
	d.rollBase = float64((float64(t.WheeledRobot.Roll*d.RollRate) + float64(t.firm*toRoll)) * t.roll)
	d.pitchBase = float64((float64(t.WheeledRobot.Pitch*d.PitchRate) + float64(t.firm*float64((n5-n4)*t.Caster))) * t.nod)
	tilt := math.Abs(d.Pitch) + math.Abs(d.Roll)
	d.grounded = li > 0 && lo > 0 && ri > 0 && ro > 0 && ahead > 0 && behind > 0 &&
		float64(tilt*t.Half)+level < t.Clearance
}

// drive returns the speed at which a rim of a tilted wheel moves down, at offset to the left of the wheel's middle: the
// joint turns the axle back, and the wheel rolls on a point that is not below its axle.
func (t *train) drive(k *wheel, offset float64) float64 {
	e := k.Camber
	at := offset + float64(t.WheelRadius*e)
	return float64(mend*e*at) + float64(k.Speed*t.inverseRadius*k.Toe*at)
}

// settle computes the loads under moments in N m s about the axes to the left and ahead.
func (t *train) settle(d *drive, toPitch, toRoll float64) {
	if d.grounded {
		rise := d.even
		pitch, roll := d.pitchBase+float64(toPitch*t.nod), d.rollBase+float64(toRoll*t.roll)
		inner, outer, tip := float64(roll*t.RimInner), float64(roll*t.RimOuter), float64(pitch*t.Caster)
		n0, n1 := d.want[0]-rise-inner, d.want[1]-rise-outer
		n2, n3 := d.want[2]-rise+inner, d.want[3]-rise+outer
		n4, n5 := d.want[4]-rise+tip, d.want[5]-rise-tip
		if n0 >= 0 && n1 >= 0 && n2 >= 0 && n3 >= 0 && n4 >= 0 && n5 >= 0 {
			d.heave, d.pitch, d.roll, d.nod, d.lean = rise, pitch, roll, t.nod, t.roll
			// One by one: a whole array is made elsewhere and copied, which takes longer than all the rest.
			d.load[0], d.load[1], d.load[2] = n0*t.firm, n1*t.firm, n2*t.firm
			d.load[3], d.load[4], d.load[5] = n3*t.firm, n4*t.firm, n5*t.firm
			d.scrapes = false
			return
		}
	}
	t.settleUneven(d, toPitch, toRoll)
}

// foot is a contact with the floor.
type foot struct {
	x, y  float64 // m ahead and to the left of the centre of mass
	want  float64 // m/s upwards
	firm  float64 // N s for each m/s
	load  float64 // N s
	bears bool
	index int // index of loads; from 6: corners of the body, those in front first
}

// settleUneven is settle for a robot of which a part is off the floor, or whose body touches it.
func (t *train) settleUneven(d *drive, toPitch, toRoll float64) {
	const rounds = 12
	var feet [10]foot
	n := t.feet(d, &feet)
	for range rounds {
		t.balance(d, feet[:n], toPitch, toRoll)
		changed := false
		for i := range feet[:n] {
			f := &feet[i]
			f.load = float64((f.want - d.heave - float64(d.roll*f.y) + float64(d.pitch*f.x)) * f.firm)
			if bears := f.load > 0; bears != f.bears {
				f.bears, changed = bears, true
			}
		}
		if !changed {
			break
		}
	}
	d.load, d.scrape, d.scrapes = [6]float64{}, [4]float64{}, false
	for i := range feet[:n] {
		f := &feet[i]
		if load := max(f.load, 0); f.index < 6 {
			d.load[f.index] = load
		} else {
			d.scrape[f.index-6] = load
			d.scrapes = d.scrapes || load > 0
		}
	}
}

// feet writes to dst the contacts that overlap the floor, and returns their number. A part that is below the centre of
// mass moves back and up when the robot tips onto its front.
func (t *train) feet(d *drive, dst *[10]foot) int {
	n := 0
	tip, lean := within(d.Pitch, tipped), within(d.Roll, tipped)
	half := float64((float64(tip*tip) + float64(lean*lean)) * 0.5)
	hub, ball, bottom := t.drop, t.Height-t.CasterRadius, t.Height-t.Clearance
	back, aside, up := float64(hub*tip), float64(hub*lean), float64(mend*hub*half)
	y := [4]float64{t.RimInner, t.RimOuter, -t.RimInner, -t.RimOuter}
	for i := range y {
		if want := d.want[i] - up; want > d.more[i] {
			dst[n] = foot{x: -back, y: y[i] + aside, want: want, firm: t.firm, index: i, bears: true}
			n++
		}
	}
	back, aside, up = float64(ball*tip), float64(ball*lean), float64(mend*ball*half)
	x := [2]float64{t.Caster, -t.Caster}
	for i := range x {
		if want := d.want[4+i] - up; want > 0 {
			dst[n] = foot{x: x[i] - back, y: aside, want: want, firm: t.firm, index: 4 + i, bears: true}
			n++
		}
	}
	low := t.rest - d.Rise - t.Clearance
	if low+float64((math.Abs(d.Pitch)+math.Abs(d.Roll))*t.Half) <= 0 {
		return n
	}
	back, aside, up = float64(bottom*tip), float64(bottom*lean), float64(bottom*half)
	for i := range d.scrape {
		x, y := t.corner(i)
		if depth := low - float64(d.Roll*y) + float64(d.Pitch*x) - up; depth > 0 {
			dst[n] = foot{x: x - back, y: y + aside, want: float64(mend * depth), firm: t.firm / stiff, index: 6 + i, bears: true}
			n++
		}
	}
	return n
}

// balance computes how fast the robot rises, pitches and rolls on the feet that bear it.
func (t *train) balance(d *drive, feet []foot, toPitch, toRoll float64) {
	// The symmetric matrix of (rise, roll, pitch), and the right side.
	zz, rr, pp := t.Mass, t.WheeledRobot.Roll, t.WheeledRobot.Pitch
	var zr, zp, rp float64
	rollRate, pitchRate := t.turned(d)
	z := float64(t.Mass*d.RiseRate) - t.weight
	r := float64(rr*rollRate) + toRoll
	p := float64(pp*pitchRate) + toPitch
	for i := range feet {
		f := &feet[i]
		if !f.bears {
			continue
		}
		byRoll, byPitch := float64(f.firm*f.y), float64(-f.firm*f.x)
		zz += f.firm
		zr += byRoll
		zp += byPitch
		rr += float64(byRoll * f.y)
		rp += float64(byPitch * f.y)
		pp -= float64(byPitch * f.x)
		z += float64(f.firm * f.want)
		r += float64(byRoll * f.want)
		p += float64(byPitch * f.want)
	}
	czz, czr, czp := float64(rr*pp)-float64(rp*rp), float64(zp*rp)-float64(zr*pp), float64(zr*rp)-float64(zp*rr)
	crr, crp, cpp := float64(zz*pp)-float64(zp*zp), float64(zr*zp)-float64(zz*rp), float64(zz*rr)-float64(zr*zr)
	scale := 1 / (float64(zz*czz) + float64(zr*czr) + float64(zp*czp))
	d.heave = float64((float64(czz*z) + float64(czr*r) + float64(czp*p)) * scale)
	d.roll = float64((float64(czr*z) + float64(crr*r) + float64(crp*p)) * scale)
	d.pitch = float64((float64(czp*z) + float64(crp*r) + float64(cpp*p)) * scale)
	d.nod, d.lean = cpp*scale, crr*scale
}

// turned returns the rates of roll and pitch of a robot off the floor that keeps its angular momentum while it turns: in
// the frame of the heading, the turn makes roll of pitch and pitch of roll.
func (t *train) turned(d *drive) (roll, pitch float64) {
	if t.Height == 0 {
		return d.RollRate, d.PitchRate // it stays level
	}
	turn := float64(d.turn * t.Seconds)
	both := turn * (t.WheeledRobot.Roll + t.WheeledRobot.Pitch - t.Yaw)
	toRoll, toPitch := both/t.WheeledRobot.Roll, both/t.WheeledRobot.Pitch
	less := 1 / (1 + float64(toRoll*toPitch)) // implicit, so that no energy comes of it
	roll = float64((d.RollRate + float64(toRoll*d.PitchRate)) * less)
	pitch = float64((d.PitchRate - float64(toPitch*d.RollRate)) * less)
	turn *= d.turn
	roll -= float64(turn*(t.Yaw-t.WheeledRobot.Pitch)*d.Roll) / t.WheeledRobot.Roll
	pitch -= float64(turn*(t.Yaw-t.WheeledRobot.Roll)*d.Pitch) / t.WheeledRobot.Pitch
	return roll, pitch
}
