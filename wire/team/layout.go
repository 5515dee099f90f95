package team

import (
	"unicode/utf8"

	"touchline/wire"
	"touchline/wire/internal/coder"
)

var (
	colorNames  = map[int64]string{0: "cyan", 1: "magenta", 255: "unknown"}
	statusFlags = []string{"target", "ball engaged"}
	senseFlags  = []string{"odometry", "head"}
	motorFlags  = []string{"head"}
	seenFlags   = []string{"ball held"}
)

func (m *Belief) layout(c *coder.Coder) {
	c.CheckVersion()
	color(c, &m.Color)
	m.Ball.layout(c)
	m.Self.layout(c)
}

func (m *Measurements) layout(c *coder.Coder) {
	c.CheckVersion()
	m.percepts(c)
}

// percepts visits the fields that measurements, senses and debug records share.
func (m *Measurements) percepts(c *coder.Coder) {
	c.Flags(seenFlags, &m.BallHeld)
	m.Self.layout(c)
	m.View.layout(c)
	coder.List(c, "balls", &m.Balls, MaxBalls)
	coder.List(c, "obstacles", &m.Obstacles, MaxSightings)
	for i := range m.Balls {
		c.In("balls", i)
		m.Balls[i].layout(c)
	}
	for i := range m.Obstacles {
		c.In("obstacles", i)
		m.Obstacles[i].layout(c)
	}
	c.In("", -1)
}

func (m *Status) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Flags(statusFlags, &m.HasTarget, &m.BallEngaged)
	coder.Choice(c, "mode", &m.Mode, modeNames)
	percent(c, "battery", &m.Battery)
	m.Self.layout(c)
	c.In("target", -1)
	c.Float("x", m.HasTarget, &m.TargetX, &spanPosition)
	c.Float("y", m.HasTarget, &m.TargetY, &spanPosition)
	c.Float("heading", m.HasTarget, &m.TargetHeading, &spanAngle)
	c.In("", -1)
	c.Text("intention", &m.Intention, MaxText)
}

func (m *Debug) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("machine", &m.Machine)
	m.Booking.layout(c)
	m.Ball.layout(c)
	m.Self.layout(c)
	coder.List(c, "states", &m.States, MaxStates)
	coder.List(c, "obstacles", &m.Obstacles, MaxObstacles)
	coder.List(c, "peers", &m.Peers, MaxPeers)
	for i := range m.States {
		c.In("states", i)
		c.Text("name", &m.States[i], MaxName)
	}
	for i := range m.Obstacles {
		c.In("obstacles", i)
		m.Obstacles[i].layout(c)
	}
	for i := range m.Peers {
		c.In("peers", i)
		m.Peers[i].layout(c)
	}
	c.In("", -1)
	c.Group = "percepts."
	m.Percepts.percepts(c)
	c.Group = ""
	m.extension(c)
}

// extension visits the fields that a record of an older program does not have.
func (m *Debug) extension(c *coder.Coder) {
	if !c.Writing {
		m.Extended = c.More()
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
		c.In("peers", i)
		m.Peers[i].extension(c)
	}
	c.In("", -1)
}

func (m *Referee) layout(c *coder.Coder) {
	c.CheckVersion()
	coder.Choice(c, "state", &m.State, stateNames)
	coder.Choice(c, "part", &m.Part, partNames)
	coder.Choice(c, "set_piece", &m.SetPiece, setPieceNames)
	coder.Choice(c, "side", &m.Side, sideNames)
	c.Uint8("goals", &m.Goals)
	c.Uint8("conceded", &m.Conceded)
	c.Uint32("sequence", &m.Sequence)
	c.Robots("out", &m.Out)
	c.Text("command", &m.Command, MaxText)
}

func (m *Sense) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Flags(senseFlags, &m.HasOdometry, &m.HasHead)
	percent(c, "battery", &m.Battery)
	c.Uint32("motor", &m.Motor)
	c.In("odometry", -1)
	c.Float("x", m.HasOdometry, &m.TravelX, &spanTravel)
	c.Float("y", m.HasOdometry, &m.TravelY, &spanTravel)
	c.Float("heading", m.HasOdometry, &m.TravelHeading, &spanAngle)
	c.Float("vx", m.HasOdometry, &m.VX, &spanSpeed)
	c.Float("vy", m.HasOdometry, &m.VY, &spanSpeed)
	c.Float("vheading", m.HasOdometry, &m.VHeading, &spanSpin)
	c.In("head", -1)
	c.Float("pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.Float("tilt", m.HasHead, &m.HeadTilt, &spanAngle)
	c.In("", -1)
	m.Percepts.percepts(c)
	coder.List(c, "lines", &m.Lines, MaxLines)
	for i := range m.Lines {
		c.In("lines", i)
		c.Float("x", true, &m.Lines[i].X, &spanPosition)
		c.Float("y", true, &m.Lines[i].Y, &spanPosition)
	}
	c.In("", -1)
}

func (m *Motor) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Flags(motorFlags, &m.HasHead)
	c.Uint32("sequence", &m.Sequence)
	c.Float("vx", true, &m.VX, &spanSpeed)
	c.Float("vy", true, &m.VY, &spanSpeed)
	c.Float("vheading", true, &m.VHeading, &spanSpin)
	c.Float("dribbler", true, &m.Dribbler, &spanShare)
	c.Uint32("kick", &m.Kick)
	c.Float("kick_speed", m.Kick != 0, &m.KickSpeed, &spanKick)
	c.Float("kick_elevation", m.Kick != 0, &m.KickElevation, &spanRise)
	c.Float("head_pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.Float("head_tilt", m.HasHead, &m.HeadTilt, &spanAngle)
}

func (m *Directory) layout(c *coder.Coder) {
	if c.CheckVersion(); c.Special("directory") {
		return
	}
	n := len(m.Text)
	if !c.Writing {
		n = len(c.B) - c.At
	}
	if n > MaxDirectory {
		c.TooLong("text", n, MaxDirectory)
		return
	}
	p := c.Next(n)
	if c.Writing {
		copy(p, m.Text)
	} else {
		coder.SetText(&m.Text, p)
	}
	if c.Listing && n > 0 {
		c.Row(n, "text", "TCM.ini", "")
	}
	if !utf8.ValidString(m.Text) && !c.Listing {
		c.Refuse(n, "text", "%s", ruleUTF8.Text)
	}
}

var (
	styleColor = &wire.Style{Names: colorNames, Alone: true}
	rangeColor = &wire.Range{Most: 1, Also: []float64{255},
		Text: "%d is no colour: 0 is cyan, 1 is magenta, 255 is unknown"}
	stylePercent = &wire.Style{Names: map[int64]string{Unknown: "unknown"}, Alone: true}
	rangePercent = &wire.Range{Most: 100, Also: []float64{Unknown}, Text: "%d: want 0 to 100 percent, or 255 for unknown"}
)

// color visits the colour of a team.
func color(c *coder.Coder, v *uint8) {
	c.Uint8("color", v)
	c.Show(styleColor)
	c.Within(1, "color", uint64(*v), rangeColor)
}

// percent visits a share in percent.
func percent(c *coder.Coder, field string, v *uint8) {
	c.Byte(field, "%", v)
	c.Show(stylePercent)
	c.Within(1, field, uint64(*v), rangePercent)
}
