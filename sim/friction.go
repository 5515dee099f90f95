package sim

// masses are the masses in kg that a robot opposes to friction. They depend on how it gives way by tilting.
type masses struct {
	across float64 // friction of a wheel along its axle
	held   float64 // friction of a wheel whose motor holds the speed
	free   float64 // friction of a wheel whose motor is at its limit
	caster float64
}

// masses returns the masses of a robot that gives way to pitch with nod and to roll with lean.
func (t *train) masses(nod, lean float64) masses {
	give := t.Inverse + float64(t.arm*t.arm*t.InverseYaw)
	height := float64(t.Height * t.Height)
	return masses{
		across: 1 / (t.Inverse + float64(height*lean)),
		held:   1 / (give + float64(height*nod)),
		free:   1 / (give + float64(t.drop*t.drop*nod) + t.inverseRim),
		caster: 1 / (t.Inverse + float64(height*nod)),
	}
}

// across solves the friction of both wheels along their axles and returns its change in N s. v is the speed to the left
// of the robot's lowest points, without skids.
func (t *train) across(d *drive, u, v, w float64) float64 {
	l, r := &d.Left, &d.Right
	// A wheel that skids wants the robot to move against its skid. high wants more than low.
	low, high := &d.left, &d.right
	lowWheel, highWheel := l, r
	wantLow, wantHigh := -d.left.skid, -d.right.skid
	if l.Toe != 0 || r.Toe != 0 {
		wantLow -= float64(l.Toe * (u - float64(t.arm*w) - l.Speed))
		wantHigh -= float64(r.Toe * (u + float64(t.arm*w) - r.Speed))
	}
	if wantLow > wantHigh {
		low, high, lowWheel, highWheel, wantLow, wantHigh = high, low, highWheel, lowWheel, wantHigh, wantLow
	}
	was := l.Hold + r.Hold
	mass := d.masses.across
	apart, most := high.cross-low.cross, high.cross+low.cross
	hold := push(was, float64((wantLow-v)*mass), float64((wantHigh-v)*mass), apart, most)
	switch {
	case wantLow == wantHigh:
		share := 0.5
		if most > 0 {
			share = low.cross / most
		}
		lowWheel.Hold = float64(hold * share)
		highWheel.Hold = hold - lowWheel.Hold
	case hold >= apart:
		highWheel.Hold, lowWheel.Hold = high.cross, hold-high.cross
	default:
		lowWheel.Hold, highWheel.Hold = -low.cross, hold+low.cross
	}
	return hold - was
}

// drawCorners solves the friction of the body's lower corners, with separate limits along the two axes of the field as in
// FIRASim's engine. A robot that brakes on its nose at an angle to them is therefore turned. q and roll are without that
// friction.
func (t *train) drawCorners(d *drive, u, v, w, q, roll float64) (float64, float64, float64) {
	mass := 1 / (t.Inverse + float64(2*t.Half*t.Half*t.InverseYaw) + float64(t.Height*t.Height*(d.nod+d.lean)))
	for i, load := range d.scrape {
		if load <= 0 {
			continue
		}
		x, y := t.corner(i)
		ahead := u - float64(w*y) - float64(d.tall*(q-float64(d.tall*d.ahead*d.nod)))
		aside := v + float64(w*x) + float64(d.tall*(roll+float64(d.tall*d.aside*d.lean)))
		slipX := float64(ahead*d.Cos) - float64(aside*d.Sin)
		slipY := float64(ahead*d.Sin) + float64(aside*d.Cos)
		most := float64(t.Scrape * load)
		toX := within(d.edge[i][0]-float64(slipX*mass), most)
		toY := within(d.edge[i][1]-float64(slipY*mass), most)
		byX, byY := toX-d.edge[i][0], toY-d.edge[i][1]
		d.edge[i] = [2]float64{toX, toY}
		byAhead := float64(byX*d.Cos) + float64(byY*d.Sin)
		byAside := float64(byY*d.Cos) - float64(byX*d.Sin)
		d.ahead += byAhead
		d.aside += byAside
		u += float64(byAhead * t.Inverse)
		v += float64(byAside * t.Inverse)
		w += float64((float64(byAside*x) - float64(byAhead*y)) * t.InverseYaw)
	}
	return u, v, w
}

// corner returns where a lower corner of the body is: m ahead and to the left of the centre.
func (t *train) corner(i int) (x, y float64) {
	x, y = t.Half, t.Half
	if i >= 2 {
		x = -x
	}
	if i%2 == 1 {
		y = -y
	}
	return x, y
}

// turnWheel solves a wheel and its motor. inner and outer are the speeds of the floor under its rims, and q the robot's
// pitch rate.
//
// While the wheel's own speed is between those of its rims, the friction at one rim opposes that at the other. Outside
// that range the wheel pushes or brakes as its load allows, until its speed equals that of the next rim. A motor holds
// the commanded speed as far as its torque suffices.
func (t *train) turnWheel(d *drive, s *side, k *wheel, q, inner, outer float64) {
	fast, slow := inner, outer
	s.idle = float64(t.Along * (s.outer - s.inner))
	if slow > fast {
		fast, slow, s.idle = slow, fast, -s.idle
	}
	before := k.Speed - float64(k.Toe*k.Hold*t.inverseRim) // the wheel's speed without motor and push
	// The wheel at its commanded speed relative to the body. Motor and push then turn the body together.
	speed := s.want + float64(q*t.WheelRadius)
	mass := d.masses.held
	f := push(k.Push, float64((speed-fast)*mass), float64((speed-slow)*mass), s.idle, s.most)
	m := f + float64(t.rim*(speed-before))
	if m > t.motor || m < -t.motor {
		m = within(m, t.motor)
		speed = before + float64((m-k.Push)*t.inverseRim)
		mass = d.masses.free
		f = push(k.Push, float64((speed-fast)*mass), float64((speed-slow)*mass), s.idle, s.most)
	}
	k.Push, k.Motor = f, m
}

// drawCasters solves the casters, and returns the speed ahead. low is the speed of the lowest points.
// In a turn the casters slide apart: their friction then opposes each other before it opposes the robot.
func (t *train) drawCasters(d *drive, u, low float64) float64 {
	front, rear := float64(t.Slide*d.load[4]), float64(t.Slide*d.load[5])
	mass := d.masses.caster
	drag := push(d.Drag, float64((-d.split-low)*mass), float64((d.split-low)*mass), front-rear, front+rear)
	u += float64((drag - d.Drag) * t.Inverse)
	d.Drag = drag
	return u
}

// rub returns the impulse with which the rims of a wheel oppose each other, at most.
func (s *side) rub(k *wheel) float64 {
	if k.Push > s.idle {
		return s.most + s.idle - k.Push
	}
	return s.most - s.idle + k.Push
}

// push returns the impulse of a contact with the impulse p so far, which lacks fast to reach the faster of two surfaces
// and slow to reach the slower one. Between these speeds it is idle. most is the limit.
func push(p, fast, slow, idle, most float64) float64 {
	if q := p + fast; q > idle {
		return within(q, most)
	}
	if q := p + slow; q < idle {
		return within(q, most)
	}
	return idle
}

// within limits x to -most..most. It is faster than min and max, which handle NaN and signed zeros.
func within(x, most float64) float64 {
	if x > most {
		return most
	}
	if x < -most {
		return -most
	}
	return x
}
