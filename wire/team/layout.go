package team

import "unicode/utf8"

var (
	colorNames  = map[uint8]string{0: "cyan", 1: "magenta", 255: "unknown"}
	statusFlags = []string{"target", "ball engaged"}
	senseFlags  = []string{"odometry", "head"}
	motorFlags  = []string{"head"}
	seenFlags   = []string{"ball held"}
)

func (m *Belief) layout(c *coder) {
	c.version()
	c.color(&m.Color)
	m.Ball.layout(c)
	m.Self.layout(c)
}

func (m *Measurements) layout(c *coder) {
	c.version()
	m.percepts(c)
}

// percepts visits the fields that measurements, senses and debug records share.
func (m *Measurements) percepts(c *coder) {
	c.flags(seenFlags, &m.BallHeld)
	m.Self.layout(c)
	m.View.layout(c)
	list(c, "balls", &m.Balls, MaxBalls)
	list(c, "obstacles", &m.Obstacles, MaxSightings)
	for i := range m.Balls {
		c.in("balls", i)
		m.Balls[i].layout(c)
	}
	for i := range m.Obstacles {
		c.in("obstacles", i)
		m.Obstacles[i].layout(c)
	}
	c.in("", -1)
}

func (m *Status) layout(c *coder) {
	c.version()
	c.flags(statusFlags, &m.HasTarget, &m.BallEngaged)
	choice(c, "mode", &m.Mode, modeNames)
	c.percent("battery", &m.Battery)
	m.Self.layout(c)
	c.in("target", -1)
	c.float("x", m.HasTarget, &m.TargetX, &spanPosition)
	c.float("y", m.HasTarget, &m.TargetY, &spanPosition)
	c.float("heading", m.HasTarget, &m.TargetHeading, &spanAngle)
	c.in("", -1)
	c.text("intention", &m.Intention, MaxText)
}

func (m *Debug) layout(c *coder) {
	c.version()
	c.uint32("machine", &m.Machine)
	m.Booking.layout(c)
	m.Ball.layout(c)
	m.Self.layout(c)
	list(c, "states", &m.States, MaxStates)
	list(c, "obstacles", &m.Obstacles, MaxObstacles)
	list(c, "peers", &m.Peers, MaxPeers)
	for i := range m.States {
		c.in("states", i)
		c.text("name", &m.States[i], MaxName)
	}
	for i := range m.Obstacles {
		c.in("obstacles", i)
		m.Obstacles[i].layout(c)
	}
	for i := range m.Peers {
		c.in("peers", i)
		m.Peers[i].layout(c)
	}
	c.in("", -1)
	c.group = "percepts."
	m.Percepts.percepts(c)
	c.group = ""
	m.extension(c)
}

// extension visits the fields that a record of an older program does not have.
func (m *Debug) extension(c *coder) {
	if !c.writing {
		m.Extended = c.err == nil && c.at < len(c.b)
	}
	if !m.Extended {
		m.Dispute, m.Goal = Dispute{}, Goal{}
		for i := range m.Peers {
			p := &m.Peers[i]
			p.BiasHeading, p.What, p.By = 0, NoSubject, 0
		}
		return
	}
	m.Dispute.layout(c)
	m.Goal.layout(c)
	for i := range m.Peers {
		c.in("peers", i)
		m.Peers[i].extension(c)
	}
	c.in("", -1)
}

func (m *Referee) layout(c *coder) {
	c.version()
	choice(c, "state", &m.State, stateNames)
	choice(c, "part", &m.Part, partNames)
	choice(c, "set_piece", &m.SetPiece, setPieceNames)
	choice(c, "side", &m.Side, sideNames)
	c.uint8("goals", &m.Goals)
	c.uint8("conceded", &m.Conceded)
	c.uint32("sequence", &m.Sequence)
	c.robots("out", &m.Out)
	c.text("command", &m.Command, MaxText)
}

func (m *Sense) layout(c *coder) {
	c.version()
	c.flags(senseFlags, &m.HasOdometry, &m.HasHead)
	c.percent("battery", &m.Battery)
	c.uint32("motor", &m.Motor)
	c.in("odometry", -1)
	c.float("x", m.HasOdometry, &m.TravelX, &spanTravel)
	c.float("y", m.HasOdometry, &m.TravelY, &spanTravel)
	c.float("heading", m.HasOdometry, &m.TravelHeading, &spanAngle)
	c.float("vx", m.HasOdometry, &m.VX, &spanSpeed)
	c.float("vy", m.HasOdometry, &m.VY, &spanSpeed)
	c.float("vheading", m.HasOdometry, &m.VHeading, &spanSpin)
	c.in("head", -1)
	c.float("pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.float("tilt", m.HasHead, &m.HeadTilt, &spanAngle)
	c.in("", -1)
	m.Percepts.percepts(c)
	list(c, "lines", &m.Lines, MaxLines)
	for i := range m.Lines {
		c.in("lines", i)
		c.float("x", true, &m.Lines[i].X, &spanPosition)
		c.float("y", true, &m.Lines[i].Y, &spanPosition)
	}
	c.in("", -1)
}

func (m *Motor) layout(c *coder) {
	c.version()
	c.flags(motorFlags, &m.HasHead)
	c.uint32("sequence", &m.Sequence)
	c.float("vx", true, &m.VX, &spanSpeed)
	c.float("vy", true, &m.VY, &spanSpeed)
	c.float("vheading", true, &m.VHeading, &spanSpin)
	c.float("dribbler", true, &m.Dribbler, &spanShare)
	c.uint32("kick", &m.Kick)
	c.float("kick_speed", m.Kick != 0, &m.KickSpeed, &spanKick)
	c.float("kick_elevation", m.Kick != 0, &m.KickElevation, &spanRise)
	c.float("head_pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.float("head_tilt", m.HasHead, &m.HeadTilt, &spanAngle)
}

func (m *Directory) layout(c *coder) {
	c.version()
	n := len(m.Text)
	if !c.writing {
		n = len(c.b) - c.at
	}
	if n > MaxDirectory {
		c.tooLong("text", n, MaxDirectory)
		return
	}
	p := c.next(n)
	if c.writing {
		copy(p, m.Text)
	} else {
		setText(&m.Text, p)
	}
	if c.listing && n > 0 {
		c.row(n, "text", "TCM.ini", "")
	}
	if !utf8.ValidString(m.Text) && !c.listing {
		c.refuse(n, "text", "not UTF-8")
	}
}

// color visits the colour of a team.
func (c *coder) color(v *uint8) {
	c.uint8("color", v)
	if name, ok := colorNames[*v]; c.err == nil && !ok && c.strict {
		c.fault(1, "color", "%d is no colour: 0 is cyan, 1 is magenta, 255 is unknown", *v)
	} else if c.listing && c.err == nil && ok {
		c.fields[len(c.fields)-1].Value = name
	}
}

// percent visits a share in percent.
func (c *coder) percent(field string, v *uint8) {
	c.uint8(field, v)
	if c.strict && c.err == nil && *v > 100 && *v != Unknown {
		c.fault(1, field, "%d: want 0 to 100 percent, or 255 for unknown", *v)
	}
	if n := len(c.fields); c.listing && c.err == nil {
		if c.fields[n-1].Unit = "%"; *v == Unknown {
			c.fields[n-1].Value, c.fields[n-1].Unit = "unknown", ""
		}
	}
}

// AppendBinary appends m to b. It refuses a message for which Check returns a violation.
func (m *Belief) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b. The error is ErrVersion, wraps wire.ErrShort, or names the field that cannot be used.
func (m *Belief) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Measurements) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Measurements) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Status) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Status) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Debug) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Debug) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Referee) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Referee) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Sense) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Sense) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Motor) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Motor) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

// AppendBinary appends m to b, like that of Belief.
func (m *Directory) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Directory) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}
