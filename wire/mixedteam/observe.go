package mixedteam

import (
	"fmt"
	"math"

	"touchline/soccer"
)

// Header is what a package says beside its percepts.
type Header struct {
	Variant         Variant
	HasTimestamp    bool         // false: v1, or a padded package whose sender never sets it
	TimestampMillis uint32       // since the start of the sender's current part
	Color           soccer.Color // NoColor where the package does not say
	TeamID          uint8        // original_team_id, 0 where the package does not say
	Robot           uint8        // jersey number, 0 where the package does not say
}

// Decode identifies b and reads it into h and p, whose slices it uses again; p.Time is 0, since only who reads knows the
// clocks. Percepts are in the team frame and in SI units. The error is ErrForeign when b is not a package, and h and p
// are empty then.
func Decode(b []byte, h *Header, p *soccer.Percepts) (Identity, error) {
	*h = Header{Color: soccer.NoColor}
	*p = soccer.Percepts{Balls: p.Balls[:0], Obstacles: p.Obstacles[:0]}
	id := Identify(b)
	h.Variant = id.Variant
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
		// The program that sends this layout sets neither time nor colour nor number: they are believed together.
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

// paddedTurn is how far the padded layout's heading is ahead of ours: it is measured from X (facts msl 3.1).
const paddedTurn = math.Pi / 2

func (m *PackageV1) observe(p *soccer.Percepts) {
	for i := range m.Balls {
		if m.Balls[i].Confidence > 0 { // 0: absent, whatever the coordinates
			p.Balls = m.Balls[i].observe(p.Balls)
		}
	}
	for i := range m.Obstacles {
		if o := &m.Obstacles[i]; o.Confidence > 0 && o.XMillimetres != Unused && o.YMillimetres != Unused {
			x, y := fromMSL(o.XMillimetres, o.YMillimetres)
			p.Obstacles = append(p.Obstacles, soccer.Observation{Position: soccer.Vec3{X: x, Y: y}, Confidence: probability(o.Confidence)})
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
		p.Self.Pose.Theta = soccer.WrapAngle(thousandth(s.ThetaMilliradians) - turn)
	}
	if s.VXMillimetresPerSecond != Unused && s.VYMillimetresPerSecond != Unused {
		p.Self.HasTwist = true
		p.Self.Twist.X, p.Self.Twist.Y = fromMSL(s.VXMillimetresPerSecond, s.VYMillimetresPerSecond)
		p.Self.Twist.Theta = thousandth(s.VThetaMilliradiansPerSecond)
	}
}

// observe appends what o says to seen, if it says anything.
func (o *Ball) observe(seen []soccer.Observation) []soccer.Observation {
	if o.XMillimetres == Unused || o.YMillimetres == Unused {
		return seen
	}
	s := soccer.Observation{Confidence: probability(o.Confidence)}
	s.Position.X, s.Position.Y = fromMSL(o.XMillimetres, o.YMillimetres)
	s.Position.Z = thousandth(o.ZMillimetres)
	if o.VXMillimetresPerSecond != Unused && o.VYMillimetresPerSecond != Unused {
		s.HasVelocity = true
		s.Velocity.X, s.Velocity.Y = fromMSL(o.VXMillimetresPerSecond, o.VYMillimetresPerSecond)
		s.Velocity.Z = thousandth(o.VZMillimetresPerSecond)
	}
	return append(seen, s)
}

// fromMSL turns a position or velocity of the MSL frame into the team frame.
func fromMSL(x, y int16) (float64, float64) { return float64(y) / 1000, float64(-int32(x)) / 1000 }

// thousandth returns v in whole units; what is not used reads as 0.
func thousandth(v int16) float64 {
	if v == Unused {
		return 0
	}
	return float64(v) / 1000
}

func probability(c uint8) float64 { return float64(c) / 255 }

// Append appends p to b as the package of h.Variant. Of more candidates than the package holds the most confident are
// kept; they are written by falling confidence, equal ones in p's order. A confidence of 0, not known, is written as 0
// in v2 and as 1 in v1, where 0 would say that nothing is there. A value that is NaN, infinite or too large for the
// wire, and a header that AppendBinary refuses, is an error that names the field; b is returned as it was.
func Append(b []byte, h *Header, p *soccer.Percepts) ([]byte, error) {
	m := PackagePadded{PackageV2{TimestampMillis: h.TimestampMillis, TeamColor: uint8(h.Color), OriginalTeamID: h.TeamID, RobotID: h.Robot}}
	turn := 0.0
	if h.Variant == V2Padded {
		turn = paddedTurn
	}
	if err := m.fill(p, turn); err != nil {
		return b, err
	}
	switch h.Variant {
	case V1:
		v1 := m.narrow()
		return v1.AppendBinary(b)
	case V2:
		return m.PackageV2.AppendBinary(b)
	case V2Padded:
		return m.AppendBinary(b)
	}
	return b, fmt.Errorf("mixedteam: %q cannot be written: choose v1, v2 or v2 padded", h.Variant)
}

// Records that say nothing.
var (
	noBall     = Ball{Unused, Unused, Unused, Unused, Unused, Unused, 0}
	noObstacle = Obstacle{Unused, Unused, Unused, Unused, 0}
	noSelf     = Self{Unused, Unused, Unused, Unused, Unused, Unused, 0}
)

// fill writes p into m, with a heading that is turned by turn.
func (m *PackageV2) fill(p *soccer.Percepts, turn float64) error {
	var w writer
	var best [len(m.Obstacles)]int
	w.in, w.index = "Balls", 0
	n := w.mostConfident(p.Balls, best[:len(m.Balls)])
	for i := range m.Balls {
		m.Balls[i] = noBall
		if i < n {
			w.index = best[i]
			m.Balls[i] = w.ball(&p.Balls[best[i]])
		}
	}
	w.in = "Obstacles"
	n = w.mostConfident(p.Obstacles, best[:])
	for i := range m.Obstacles {
		m.Obstacles[i] = noObstacle
		if i < n {
			w.index = best[i]
			m.Obstacles[i] = w.obstacle(&p.Obstacles[best[i]])
		}
	}
	w.in, w.index = "Self", -1
	m.Self = w.self(&p.Self, turn)
	return w.err
}

// narrow returns what v1 can say of m.
func (m *PackageV2) narrow() PackageV1 {
	v1 := PackageV1{RobotID: m.RobotID, Balls: m.Balls, Self: Position{m.Self.XMillimetres, m.Self.YMillimetres, m.Self.Confidence}}
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

// writer turns SI into the wire's integers; the first value that does not fit stays in err.
type writer struct {
	err   error
	in    string // the part of the percepts that is being written
	index int    // and the element of it, or -1
}

func (w *writer) fail(field string, v float64, want string) {
	if w.err != nil {
		return
	}
	in := w.in
	if w.index >= 0 {
		in = fmt.Sprintf("%s[%d]", w.in, w.index)
	}
	w.err = fmt.Errorf("mixedteam: %s.%s is %v: give %s", in, field, v, want)
}

// mostConfident puts the indices of the most confident into best and returns how many there are.
func (w *writer) mostConfident(seen []soccer.Observation, best []int) int {
	n := 0
	for i := range seen {
		c := seen[i].Confidence
		if !(c >= 0 && c <= 1) {
			w.index = i
			w.fail("Confidence", c, "a probability from 0 to 1")
			return 0
		}
		at := n
		for at > 0 && seen[best[at-1]].Confidence < c {
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

func (w *writer) ball(o *soccer.Observation) Ball {
	m := noBall
	m.XMillimetres, m.YMillimetres = w.toMSL("Position.X", o.Position.X, "Position.Y", o.Position.Y)
	m.ZMillimetres = w.thousand("Position.Z", o.Position.Z)
	if o.HasVelocity {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = w.toMSL("Velocity.X", o.Velocity.X, "Velocity.Y", o.Velocity.Y)
		m.VZMillimetresPerSecond = w.thousand("Velocity.Z", o.Velocity.Z)
	}
	m.Confidence = w.confidence(o.Confidence)
	return m
}

func (w *writer) obstacle(o *soccer.Observation) Obstacle {
	m := noObstacle
	m.XMillimetres, m.YMillimetres = w.toMSL("Position.X", o.Position.X, "Position.Y", o.Position.Y)
	if o.HasVelocity {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = w.toMSL("Velocity.X", o.Velocity.X, "Velocity.Y", o.Velocity.Y)
	}
	m.Confidence = w.confidence(o.Confidence)
	return m
}

func (w *writer) self(s *soccer.Localisation, turn float64) Self {
	m := noSelf
	if !s.Known {
		return m
	}
	m.XMillimetres, m.YMillimetres = w.toMSL("Pose.X", s.Pose.X, "Pose.Y", s.Pose.Y)
	if s.HasHeading {
		m.ThetaMilliradians = w.heading(s.Pose.Theta, turn)
	}
	if s.HasTwist {
		m.VXMillimetresPerSecond, m.VYMillimetresPerSecond = w.toMSL("Twist.X", s.Twist.X, "Twist.Y", s.Twist.Y)
		m.VThetaMilliradiansPerSecond = w.thousand("Twist.Theta", s.Twist.Theta)
	}
	m.Confidence = w.confidence(s.Confidence)
	return m
}

// toMSL turns a position or velocity of the team frame into the MSL frame.
func (w *writer) toMSL(xField string, x float64, yField string, y float64) (int16, int16) {
	return -w.thousand(yField, y), w.thousand(xField, x)
}

// thousand returns v in mm, mm/s, mrad or mrad/s.
func (w *writer) thousand(field string, v float64) int16 {
	m := math.Round(v * 1000)
	if !(m >= -math.MaxInt16 && m <= math.MaxInt16) { // -32768 is Unused, NaN fails every comparison
		w.fail(field, v, "-32.767 to 32.767")
		return 0
	}
	return int16(m)
}

// heading returns theta, turned, within one turn from 0.
func (w *writer) heading(theta, turn float64) int16 {
	a := math.Mod(theta+turn, 2*math.Pi)
	if math.IsNaN(a) {
		w.fail("Pose.Theta", theta, "an angle in rad")
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

func (w *writer) confidence(p float64) uint8 {
	switch {
	case p == 0:
		return 0
	case p > 0 && p <= 1:
		return uint8(max(1, math.Round(p*255)))
	}
	w.fail("Confidence", p, "a probability from 0 to 1")
	return 0
}
