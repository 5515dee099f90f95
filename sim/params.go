package sim

import "math"

// WheeledRobot describes a robot. The zero value of a field means zero. Moments of inertia are about the centre of mass.
type WheeledRobot struct {
	Mass   float64 // kg
	Yaw    float64 // kg m^2, about the vertical
	Roll   float64 // kg m^2, about the axis that points ahead
	Pitch  float64 // kg m^2, about the axis to the left, without the spin of the wheels
	Height float64 // m, of the centre of mass above the floor
	Caster float64 // m, from the centre to the caster in front and to the one behind

	CasterRadius float64 // m

	WheelMass   float64 // kg
	WheelRadius float64 // m
	WheelHeavy  float64 // kg m^2, largest moment of inertia of a wheel, about an axis across its axle
	WheelLight  float64 // kg m^2, about its axle and the third axis
	RimInner    float64 // m from the robot's centre to the inner rim of a wheel's tread
	RimOuter    float64 // m to the outer rim
	Torque      float64 // N m, largest torque of a wheel's motor
	MaxWheel    float64 // rad/s, limit of commanded wheel speeds; 0: no limit

	Along  float64 // coefficient of friction of a wheel along its path
	Across float64 // coefficient of friction of a wheel along its axle
	Slide  float64 // coefficient of friction of a caster ahead and back; it rolls to the sides
	Scrape float64 // coefficient of friction of the body against the floor
	Soft   float64 // m/s at which a contact with the floor gives way, for each N of load

	Half      float64 // m, half the length of the body's edges
	Clearance float64 // m, height of the body's bottom
}

// firasimRobot returns the robot of FIRASim. It consists of a box of 2 kg with edges of 75 mm, two wheels of 0.2 kg, and two
// casters of 1 g. FIRASim gives its wheels the inertia of a cylinder that lies across the axle: they are lopsided.
func firasimRobot() WheeledRobot {
	return WheeledRobot{
		Mass: 2.402, Yaw: 0.0025769, Roll: 0.002692, Pitch: 0.001995, Height: 0.035604, Caster: 0.0275, CasterRadius: 0.01,
		WheelMass: 0.2, WheelRadius: 0.02, WheelHeavy: 4e-5, WheelLight: 2.0417e-5,
		RimInner: 0.0375, RimOuter: 0.0425, Torque: 0.11,
		Along: 0.8, Across: 1, Slide: 1, Scrape: 0.5, Soft: 0.002, Half: 0.0375, Clearance: 0.00125,
	}
}

// rsimRobot returns the robot of rSim: light, fast, and quick to turn. Its mass is that of body and wheels. It stays level,
// and its wheels do not slip ahead: that gives the measured 7.4 m/s^2.
func rsimRobot() WheeledRobot {
	p := firasimRobot()
	p.Mass, p.Yaw, p.Roll, p.Pitch, p.Height = 0.52, 0.00078, 1000, 1000, 0
	p.WheelMass, p.WheelRadius, p.WheelHeavy, p.WheelLight = 0, 0.026, 1e-6, 1e-6
	p.Torque, p.MaxWheel, p.Along = 0.0725, 440*2*math.Pi/60, 10
	p.RimOuter = p.RimInner // its track is 0.075 m at 14 rad/s already
	return p
}

// Heavier returns a robot of factor times the mass, which stands equally high on stiffer contacts.
func (p WheeledRobot) Heavier(factor float64) WheeledRobot {
	for _, m := range []*float64{
		&p.Mass, &p.Yaw, &p.Roll, &p.Pitch, &p.WheelMass, &p.WheelHeavy, &p.WheelLight,
	} {
		*m *= factor
	}
	p.Soft /= factor
	return p
}

// bounded returns p with every number limited to the range in which the solver works; NaN becomes the lower limit.
func (p WheeledRobot) bounded() WheeledRobot {
	const most = 1000
	for _, f := range [...]struct {
		value    *float64
		from, to float64
	}{
		{&p.Mass, 0.01, most}, {&p.Yaw, 1e-6, most}, {&p.Roll, 1e-6, most}, {&p.Pitch, 1e-6, most},
		{&p.Height, 0, 1}, {&p.Caster, 1e-3, 1}, {&p.CasterRadius, 0, 1},
		{&p.WheelMass, 0, most}, {&p.WheelRadius, 1e-3, 1}, {&p.WheelHeavy, 1e-7, 1}, {&p.WheelLight, 1e-7, 1},
		{&p.RimInner, 1e-3, 1}, {&p.RimOuter, 1e-3, 1}, {&p.Torque, 0, most}, {&p.MaxWheel, 0, math.Inf(1)},
		{&p.Along, 0, 100}, {&p.Across, 0, 100}, {&p.Slide, 0, 100}, {&p.Scrape, 0, 100}, {&p.Soft, 1e-6, 1},
		{&p.Half, 1e-3, 1}, {&p.Clearance, 0, 1},
	} {
		if !(*f.value >= f.from) {
			*f.value = f.from
		}
		*f.value = min(*f.value, f.to)
	}
	p.RimOuter = max(p.RimOuter, p.RimInner)
	return p
}

const (
	mend         = 62.5   // 1/s: share of an overlap or a joint's error that is removed (FIRASim's engine: 0.2 a sub-step)
	stiff        = 1e-3   // softness of the body on the floor, relative to that of wheels and casters
	fastestWheel = 1000.0 // rad/s, limit of a wheel
	askew        = 0.5    // rad, limit of Camber and Toe: a joint's error beyond it has no meaning
	tipped       = 0.3    // rad, limit of a tilt that shifts the contacts with the floor
	utmost       = 1e4    // limit of the numbers of a State
	tiny         = 1e-9   // rad; a smaller error is a rounding error
)

// train is Params prepared for sub-steps of one length.
type train struct {
	WheeledRobot
	Seconds    float64 // length of a sub-step
	Inverse    float64 // 1/kg
	InverseYaw float64 // 1/(kg m^2)

	arm, tread       float64 // m from the robot's centre to the middle of a wheel's tread, and half its width
	drop             float64 // m from the centre of mass down to the axles
	rim, inverseRim  float64 // kg: the inertia of a wheel at its rim, and its inverse
	inverseRadius    float64 // 1/m
	motor            float64 // N s at the rim, at most
	weight           float64 // N s
	rest             float64 // m that the contacts of a robot at rest overlap the floor
	firm             float64 // N s for each m/s at a contact
	heave, roll, nod float64 // 1/kg and 1/(kg m^2): how a robot with all wheels and casters on the floor gives way
	upright, even    masses  // masses of a robot that cannot tilt, and of one with all wheels and casters on the floor
	outward          float64 // kg of the wheels times their arm
}

// train returns p prepared for sub-steps of h seconds.
func (p *WheeledRobot) train(h float64) train {
	t := train{WheeledRobot: *p, Seconds: h, Inverse: 1 / p.Mass, InverseYaw: 1 / p.Yaw}
	t.arm, t.tread = float64((p.RimInner+p.RimOuter)*0.5), float64((p.RimOuter-p.RimInner)*0.5)
	t.drop = p.Height - p.WheelRadius
	t.inverseRadius = 1 / p.WheelRadius
	t.rim = p.WheelLight * t.inverseRadius * t.inverseRadius
	t.inverseRim = 1 / t.rim
	t.motor = p.Torque * h * t.inverseRadius
	t.weight = p.Mass * gravity * h
	t.firm = h / p.Soft
	rims := float64(p.RimInner*p.RimInner) + float64(p.RimOuter*p.RimOuter)
	t.rest = t.weight / float64(6*t.firm*mend)
	t.heave = 1 / (p.Mass + float64(6*t.firm))
	t.roll = 1 / (p.Roll + float64(2*t.firm*rims))
	t.nod = 1 / (p.Pitch + float64(2*t.firm*p.Caster*p.Caster))
	t.outward = 2 * p.WheelMass * t.arm
	t.upright, t.even = t.masses(0, 0), t.masses(t.nod, t.roll)
	return t
}
