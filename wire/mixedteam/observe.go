package mixedteam

import (
	"fmt"
	"math"

	"touchline/soccer"
)

// Header holds the fields of a package other than its percepts.
type Header struct {
	Variant         Variant
	HasTimestamp    bool         // false: v1, or a padded package whose sender never sets it
	TimestampMillis uint32       // time since the start of the half, on the sender's clock
	Color           soccer.Color // NoColor where the package has none
	TeamID          uint8        // original_team_id; 0 where the package has none
	Robot           uint8        // jersey number; 0 where the package has none
}

// Decode identifies the package that b begins with and decodes it to h and p, reusing the slices of p. Percepts are in
// the team frame and SI units. p.Time is 0: only the caller knows the offset of the sender's clock. If b is not a
// package the error is ErrForeign, and h and p are empty.
func Decode(b []byte, h *Header, p *soccer.Percepts) (Identity, error) {
	*h = Header{Color: soccer.NoColor}
	*p = soccer.Percepts{Balls: p.Balls[:0], Obstacles: p.Obstacles[:0]}
	id := Identify(b)
	h.Variant = id.Variant
	var buf [SizePadded]byte
	b = id.littleEndian(b, &buf)
	switch id.Variant {
	case V1:
		var m PackageV1
		if err := m.UnmarshalBinary(b); err != nil {
			return id, err
		}
		h.Robot = m.RobotID
		m.observe(p)
	case V2:
		var m PackageV2
		if err := m.UnmarshalBinary(b); err != nil {
			return id, err
		}
		h.HasTimestamp, h.TimestampMillis = true, m.TimestampMillis
		h.TeamID, h.Robot = m.OriginalTeamID, m.RobotID
		if m.TeamColor <= 1 {
			h.Color = soccer.Color(m.TeamColor)
		}
		m.observe(p, 0)
	case V2Padded:
		var m PackagePadded
		if err := m.UnmarshalBinary(b); err != nil {
			return id, err
		}
		h.TeamID = m.OriginalTeamID
		// The Falcons' program sets neither time nor colour nor number. Other senders set all three.
		if m.TimestampMillis <= maxTime && m.TeamColor <= 1 && m.RobotID >= 1 && m.RobotID <= 6 {
			h.HasTimestamp, h.TimestampMillis = true, m.TimestampMillis
			h.Color, h.Robot = soccer.Color(m.TeamColor), m.RobotID
		}
		m.observe(p, paddedTurn)
	default:
		return id, ErrForeign
	}
	return id, nil
}

// paddedTurn is the heading of the padded layout minus that of v2, in rad: the Falcons measure it from X.
const paddedTurn = math.Pi / 2

func (m *PackageV1) observe(p *soccer.Percepts) {
	for i := range m.Balls {
		if m.Balls[i].Confidence > 0 { // 0 marks an absent ball, whatever its coordinates
			p.Balls = m.Balls[i].observe(p.Balls)
		}
	}
	for i := range m.Obstacles {
		if o := &m.Obstacles[i]; o.Confidence > 0 && o.XMillimetres != Unused && o.YMillimetres != Unused {
			x, y := fromMSL(o.XMillimetres, o.YMillimetres)
			p.Obstacles = append(p.Obstacles, soccer.Observation{
				Position: soccer.Vec3{X: x, Y: y}, Confidence: probability(o.Confidence),
			})
		}
	}
	if s := &m.Self; s.XMillimetres != Unused && s.YMillimetres != Unused {
		p.Self.Known, p.Self.Confidence = true, probability(s.Confidence)
		p.Self.Pose.X, p.Self.Pose.Y = fromMSL(s.XMillimetres, s.YMillimetres)
	}
}

func (m *PackageV2) observe(p *soccer.Percepts, turn float64) {
	for i := range m.Balls {
		p.Balls = m.Balls[i].observe(p.Balls)
	}
	for i := range m.Obstacles {
		o := &m.Obstacles[i]
		if o.XMillimetres == Unused || o.YMillimetres == Unused {
			continue
		}
		seen := soccer.Observation{Confidence: probability(o.Confidence)}
		seen.Position.X, seen.Position.Y = fromMSL(o.XMillimetres, o.YMillimetres)
		if o.VXMillimetresPerSecond != Unused && o.VYMillimetresPerSecond != Unused {
			seen.HasVelocity = true
			seen.Velocity.X, seen.Velocity.Y = fromMSL(o.VXMillimetresPerSecond, o.VYMillimetresPerSecond)
		}
		p.Obstacles = append(p.Obstacles, seen)
	}
	s := &m.Self
	if s.XMillimetres == Unused || s.YMillimetres == Unused {
		return
	}
	p.Self.Known, p.Self.Confidence = true, probability(s.Confidence)
	p.Self.Pose.X, p.Self.Pose.Y = fromMSL(s.XMillimetres, s.YMillimetres)
	if s.ThetaMilliradians != Unused {
		p.Self.HasHeading = true
		p.Self.Pose.Theta = soccer.WrapAngle(fromMilli(s.ThetaMilliradians) - turn)
	}
	if s.VXMillimetresPerSecond != Unused && s.VYMillimetresPerSecond != Unused {
		p.Self.HasTwist = true
		p.Self.Twist.X, p.Self.Twist.Y = fromMSL(s.VXMillimetresPerSecond, s.VYMillimetresPerSecond)
		p.Self.Twist.Theta = fromMilli(s.VThetaMilliradiansPerSecond)
	}
}

// observe appends the observation of o to seen, unless o is unused.
func (o *Ball) observe(seen []soccer.Observation) []soccer.Observation {
	if o.XMillimetres == Unused || o.YMillimetres == Unused {
		return seen
	}
	s := soccer.Observation{Confidence: probability(o.Confidence)}
	s.Position.X, s.Position.Y = fromMSL(o.XMillimetres, o.YMillimetres)
	s.Position.Z = fromMilli(o.ZMillimetres)
	if o.VXMillimetresPerSecond != Unused && o.VYMillimetresPerSecond != Unused {
		s.HasVelocity = true
		s.Velocity.X, s.Velocity.Y = fromMSL(o.VXMillimetresPerSecond, o.VYMillimetresPerSecond)
		s.Velocity.Z = fromMilli(o.VZMillimetresPerSecond)
	}
	return append(seen, s)
}

// fromMSL converts a position or velocity from the MSL frame to the team frame, and from mm to m.
func fromMSL(x, y int16) (float64, float64) { return float64(y) / 1000, float64(-int32(x)) / 1000 }

// fromMilli returns v/1000, or 0 if v is unused.
func fromMilli(v int16) float64 {
	if v == Unused {
		return 0
	}
	return float64(v) / 1000
}

func probability(c uint8) float64 { return float64(c) / 255 }

// Append appends h and p to b as a package of h.Variant. Of more candidates than the package holds it keeps the most
// confident, in order of falling confidence; equal ones stay in p's order. An unknown confidence of 0 becomes 0 in v2,
// and 1 in v1, where 0 marks an absent object. If a value is NaN, infinite or out of range, or AppendBinary refuses a
// field of h, Append returns b unchanged and an error that names the field.
func Append(b []byte, h *Header, p *soccer.Percepts) ([]byte, error) {
	m := PackagePadded{PackageV2{
		TimestampMillis: h.TimestampMillis, TeamColor: uint8(h.Color), OriginalTeamID: h.TeamID, RobotID: h.Robot,
	}}
	turn := 0.0
	if h.Variant == V2Padded {
		turn = paddedTurn
	}
	if err := m.fill(p, turn); err != nil {
		return b, err
	}
	switch h.Variant {
	case V1:
		v1 := m.toV1()
		return v1.AppendBinary(b)
	case V2:
		return m.PackageV2.AppendBinary(b)
	case V2Padded:
		return m.AppendBinary(b)
	}
	return b, fmt.Errorf("mixedteam: variant %q cannot be encoded: choose v1, v2 or v2 padded", h.Variant)
}

// Unused records.
var (
	noBall     = Ball{Unused, Unused, Unused, Unused, Unused, Unused, 0}
	noObstacle = Obstacle{Unused, Unused, Unused, Unused, 0}
	noSelf     = Self{Unused, Unused, Unused, Unused, Unused, Unused, 0}
)

// fill sets the records of m from p, with turn added to the heading.
func (m *PackageV2) fill(p *soccer.Percepts, turn float64) error {
	var c converter
	var best [len(m.Obstacles)]int
	c.in, c.index = "Balls", 0
	n := c.mostConfident(p.Balls, best[:len(m.Balls)])
	for i := range m.Balls {
		m.Balls[i] = noBall
		if i < n {
			c.index = best[i]
			m.Balls[i] = c.ball(&p.Balls[best[i]])
		}
	}
	c.in = "Obstacles"
	n = c.mostConfident(p.Obstacles, best[:])
	for i := range m.Obstacles {
		m.Obstacles[i] = noObstacle
		if i < n {
			c.index = best[i]
			m.Obstacles[i] = c.obstacle(&p.Obstacles[best[i]])
		}
	}
	c.in, c.index = "Self", -1
	m.Self = c.self(&p.Self, turn)
	return c.err
}

// toV1 returns the part of m that v1 can hold.
func (m *PackageV2) toV1() PackageV1 {
	self := Position{m.Self.XMillimetres, m.Self.YMillimetres, m.Self.Confidence}
	v1 := PackageV1{RobotID: m.RobotID, Balls: m.Balls, Self: self}
	for i := range v1.Balls {
		if o := &v1.Balls[i]; o.XMillimetres != Unused {
			o.Confidence = max(o.Confidence, 1)
		}
	}
	for i := range v1.Obstacles {
		o := &m.Obstacles[i]
		v1.Obstacles[i] = Position{o.XMillimetres, o.YMillimetres, o.Confidence}
		if o.XMillimetres != Unused {
			v1.Obstacles[i].Confidence = max(o.Confidence, 1)
		}
	}
	return v1
}

// converter converts SI units to the integers of the wire. It keeps the first error.
type converter struct {
	err   error
	in    string // current field of the percepts
	index int    // current element of it, or -1
}

func (c *converter) fail(field string, v float64, want string) {
	if c.err != nil {
		return
	}
	in := c.in
	if c.index >= 0 {
		in = fmt.Sprintf("%s[%d]", c.in, c.index)
	}
	c.err = fmt.Errorf("mixedteam: %s.%s is %v: give %s", in, field, v, want)
}

// mostConfident sets best to the indices of the most confident observations and returns their number.
func (c *converter) mostConfident(seen []soccer.Observation, best []int) int {
	n := 0
	for i := range seen {
		p := seen[i].Confidence
		if !(p >= 0 && p <= 1) {
			c.index = i
			c.fail("Confidence", p, "a probability from 0 to 1")
			return 0
		}
		at := n
		for at > 0 && seen[best[at-1]].Confidence < p {
			at--
		}
		if at == len(best) {
			continue
		}
		n = min(n+1, len(best))
		copy(best[at+1:n], best[at:])
		best[at] = i
	}
	return n
}

func (c *converter) ball(o *soccer.Observation) Ball {
	m := noBall
	m.XMillimetres, m.YMillimetres = c.toMSL("Position.X", o.Position.X, "Position.Y", o.Position.Y)
	m.ZMillimetres = c.milli("Position.Z", o.Position.Z)
	if o.HasVelocity {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = c.toMSL("Velocity.X", o.Velocity.X, "Velocity.Y", o.Velocity.Y)
		m.VZMillimetresPerSecond = c.milli("Velocity.Z", o.Velocity.Z)
	}
	m.Confidence = c.confidence(o.Confidence)
	return m
}

func (c *converter) obstacle(o *soccer.Observation) Obstacle {
	m := noObstacle
	m.XMillimetres, m.YMillimetres = c.toMSL("Position.X", o.Position.X, "Position.Y", o.Position.Y)
	if o.HasVelocity {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = c.toMSL("Velocity.X", o.Velocity.X, "Velocity.Y", o.Velocity.Y)
	}
	m.Confidence = c.confidence(o.Confidence)
	return m
}

func (c *converter) self(s *soccer.Localisation, turn float64) Self {
	m := noSelf
	if !s.Known {
		return m
	}
	m.XMillimetres, m.YMillimetres = c.toMSL("Pose.X", s.Pose.X, "Pose.Y", s.Pose.Y)
	if s.HasHeading {
		m.ThetaMilliradians = c.heading(s.Pose.Theta, turn)
	}
	if s.HasTwist {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = c.toMSL("Twist.X", s.Twist.X, "Twist.Y", s.Twist.Y)
		m.VThetaMilliradiansPerSecond = c.milli("Twist.Theta", s.Twist.Theta)
	}
	m.Confidence = c.confidence(s.Confidence)
	return m
}

// toMSL converts a position or velocity from the team frame to the MSL frame, and from m to mm.
func (c *converter) toMSL(xField string, x float64, yField string, y float64) (int16, int16) {
	return -c.milli(yField, y), c.milli(xField, x)
}

// milli returns v in mm, mm/s, mrad or mrad/s.
func (c *converter) milli(field string, v float64) int16 {
	m := math.Round(v * 1000)
	if !(m >= -math.MaxInt16 && m <= math.MaxInt16) { // -32768 is Unused, NaN fails every comparison
		c.fail(field, v, "-32.767 to 32.767")
		return 0
	}
	return int16(m)
}

// heading returns theta + turn in mrad, from 0 to 6283.
func (c *converter) heading(theta, turn float64) int16 {
	a := math.Mod(theta+turn, 2*math.Pi)
	if math.IsNaN(a) {
		c.fail("Pose.Theta", theta, "an angle in rad")
		return 0
	}
	if a < 0 {
		a += 2 * math.Pi
	}
	m := int16(math.Round(a * 1000))
	if m > maxTheta {
		return 0
	}
	return m
}

func (c *converter) confidence(p float64) uint8 {
	switch {
	case p == 0:
		return 0
	case p > 0 && p <= 1:
		return uint8(max(1, math.Round(p*255)))
	}
	c.fail("Confidence", p, "a probability from 0 to 1")
	return 0
}
