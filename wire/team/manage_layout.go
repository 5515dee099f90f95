package team

// Ranges of the manager's numbers.
var (
	spanNumber = span{-1e9, 1e9, ""}
	spanPath   = span{-1000, 1000, "m"}
	spanLaps   = span{0, 1000, ""}
)

var (
	driveFlags     = []string{"head", "check"}
	parameterFlags = []string{"read-only"}
	tryFlags       = []string{"ok", "inside"}
	pointFlags     = []string{"world"}
	pictureFlags   = []string{"overlay"}
)

func (m *Attend) layout(c *coder) {
	c.version()
	c.uint32("holder", &m.Holder)
	c.uint32("table", &m.Table)
	c.uint32("since", &m.Since)
	c.in("picture", -1)
	p := &m.Picture
	c.bounded("rate", &p.Rate, 0, MaxRate)
	choice(c, "format", &p.Format, formatNames)
	c.bounded("quality", &p.Quality, 0, 100)
	c.bounded("divisor", &p.Divisor, 0, 8)
	c.uint16("x", &p.X)
	c.uint16("y", &p.Y)
	c.uint16("width", &p.Width)
	c.uint16("height", &p.Height)
	c.flags(pictureFlags, &p.Overlay)
	c.in("", -1)
}

func (m *Management) layout(c *coder) {
	c.version()
	c.uint32("table", &m.Table)
	c.uint32("revision", &m.Revision)
	c.uint32("parameters", &m.Parameters)
	c.uint64("nonce", "", &m.Nonce)
	c.in("holder", -1)
	c.uint8("computer", &m.Holder.Computer)
	c.uint32("page", &m.Holder.Page)
	c.text("name", &m.HolderName, MaxName)
	c.in("", -1)
	choice(c, "drive", &m.Drive, driveNames)
	c.uint32("kick", &m.Kick)
	c.uint32("machine", &m.Machine)
	c.uint32("previous", &m.Previous)
	c.uint32("waiting", &m.Waiting)
	c.in("most", -1)
	c.float("ahead", true, &m.MaxAhead, &spanKick)
	c.float("side", true, &m.MaxSide, &spanKick)
	c.float("turn", true, &m.MaxTurn, &spanSpin)
	c.float("pan", true, &m.MaxPan, &spanAngle)
	c.float("tilt", true, &m.MaxTilt, &spanAngle)
	c.in("", -1)
	list(c, "kicks", &m.Kicks, MaxKicks)
	for i := range m.Kicks {
		c.in("kicks", i)
		c.text("name", &m.Kicks[i].Name, MaxName)
		c.float("speed", true, &m.Kicks[i].Speed, &spanKick)
		c.float("elevation", true, &m.Kicks[i].Elevation, &spanRise)
	}
	c.in("", -1)
}

func (m *Challenge) layout(c *coder) {
	c.version()
	c.uint64("nonce", "", &m.Nonce)
	choice(c, "drive", &m.Drive, driveNames)
	c.uint32("kick", &m.Kick)
}

func (m *Drive) layout(c *coder) {
	c.version()
	c.flags(driveFlags, &m.HasHead, &m.Check)
	c.uint32("operator", &m.Operator)
	c.uint64("nonce", "", &m.Nonce)
	c.uint32("sequence", &m.Sequence)
	c.float("vx", true, &m.VX, &spanSpeed)
	c.float("vy", true, &m.VY, &spanSpeed)
	c.float("vheading", true, &m.VHeading, &spanSpin)
	c.float("dribbler", true, &m.Dribbler, &spanShare)
	c.float("head_pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.float("head_tilt", m.HasHead, &m.HeadTilt, &spanAngle)
	c.uint32("kick", &m.Kick)
	c.uint8("kick_index", &m.KickIndex)
}

func (m *Parameters) layout(c *coder) {
	c.version()
	c.uint32("table", &m.Table)
	c.uint32("since", &m.Since)
	c.uint32("upto", &m.Upto)
	c.uint32("revision", &m.Revision)
	list(c, "list", &m.List, MaxParameters)
	for i := range m.List {
		c.in("list", i)
		m.List[i].layout(c)
	}
	c.in("", -1)
}

func (p *Parameter) layout(c *coder) {
	c.flags(parameterFlags, &p.ReadOnly)
	choice(c, "kind", &p.Kind, parameterKinds)
	choice(c, "source", &p.Source, parameterSources)
	c.uint32("revision", &p.Revision)
	c.text("name", &p.Name, MaxName)
	c.text("group", &p.Group, MaxName)
	c.text("unit", &p.Unit, MaxUnit)
	c.float("value", true, &p.Value, &spanNumber)
	c.float("default", true, &p.Default, &spanNumber)
	c.float("min", true, &p.Min, &spanNumber)
	c.float("max", true, &p.Max, &spanNumber)
	c.float("step", true, &p.Step, &spanNumber)
	list(c, "choices", &p.Choices, MaxChoices)
	for i := range p.Choices {
		c.text("choice", &p.Choices[i], MaxName)
	}
	c.text("by", &p.By, MaxName)
}

func (m *Request) layout(c *coder) {
	c.version()
	c.uint32("operator", &m.Operator)
	c.uint64("nonce", "", &m.Nonce)
	c.uint32("number", &m.Number)
	choice(c, "operation", &m.Operation, operationNames)
	c.uint64("id", "", &m.ID)
	c.float("value", true, &m.Value, &spanNumber)
	c.text("text", &m.Text, MaxText)
	list(c, "numbers", &m.Numbers, MaxNumbers)
	for i := range m.Numbers {
		c.in("numbers", i)
		c.float("value", true, &m.Numbers[i], &spanNumber)
	}
	c.in("", -1)
}

func (m *Answer) layout(c *coder) {
	c.version()
	c.uint32("operator", &m.Operator)
	c.uint32("number", &m.Number)
	choice(c, "result", &m.Result, resultNames)
	c.float("value", true, &m.Value, &spanNumber)
	c.uint32("revision", &m.Revision)
	c.text("text", &m.Text, MaxText)
	list(c, "missing", &m.Missing, MaxMissing)
	for i := range m.Missing {
		c.in("missing", i)
		c.uint32("chunk", &m.Missing[i])
	}
	c.in("", -1)
}

func (m *KickCheck) layout(c *coder) {
	c.version()
	c.uint32("run", &m.Run)
	c.uint8("kick", &m.Kick)
	c.bounded("total", &m.Total, 0, MaxTries)
	choice(c, "state", &m.State, checkNames)
	c.float("speed", true, &m.Speed, &spanKick)
	c.float("place_x", true, &m.PlaceX, &spanPath)
	c.float("place_y", true, &m.PlaceY, &spanPath)
	c.float("place_theta", true, &m.PlaceTheta, &spanAngle)
	c.text("note", &m.Note, MaxText)
	list(c, "tries", &m.Tries, MaxTries)
	for i := range m.Tries {
		c.in("tries", i)
		m.Tries[i].layout(c)
	}
	c.in("", -1)
}

func (t *KickTry) layout(c *coder) {
	c.flags(tryFlags, &t.OK, &t.Inside)
	c.float("speed", true, &t.Speed, &spanKick)
	c.float("angle", true, &t.Angle, &spanAngle)
	c.float("distance", true, &t.Distance, &spanDistance)
	c.float("delay", true, &t.Delay, &spanAge)
	c.float("speed_sigma", true, &t.SpeedSigma, &spanKick)
	c.float("angle_sigma", true, &t.AngleSigma, &spanSigmaRad)
	c.float("distance_sigma", true, &t.DistanceSigma, &spanSigma)
	c.float("ago", true, &t.Ago, &spanAge)
}

func (m *LocomotionCheck) layout(c *coder) {
	c.version()
	c.uint32("run", &m.Run)
	choice(c, "figure", &m.Figure, figureNames)
	choice(c, "state", &m.State, checkNames)
	c.float("speed", true, &m.Speed, &spanKick)
	c.float("size", true, &m.Size, &spanPath)
	c.float("laps", true, &m.Laps, &spanLaps)
	c.float("ago", true, &m.Ago, &spanAge)
	c.text("note", &m.Note, MaxText)
	c.uint16("total", &m.Total)
	c.uint16("first", &m.First)
	list(c, "path", &m.Path, MaxPath)
	for i := range m.Path {
		c.in("path", i)
		m.Path[i].layout(c)
	}
	c.in("", -1)
}

func (p *PathPoint) layout(c *coder) {
	c.flags(pointFlags, &p.WorldKnown)
	c.float("time", true, &p.Time, &spanAge)
	c.float("odometry_x", true, &p.OdometryX, &spanPath)
	c.float("odometry_y", true, &p.OdometryY, &spanPath)
	c.float("odometry_theta", true, &p.OdometryTheta, &spanAngle)
	c.float("world_x", p.WorldKnown, &p.WorldX, &spanPath)
	c.float("world_y", p.WorldKnown, &p.WorldY, &spanPath)
	c.float("world_theta", p.WorldKnown, &p.WorldTheta, &spanAngle)
	c.float("want_x", true, &p.WantX, &spanPath)
	c.float("want_y", true, &p.WantY, &spanPath)
	c.float("want_theta", true, &p.WantTheta, &spanAngle)
}

// bounded visits a whole number from least to most.
func (c *coder) bounded(field string, v *uint8, least, most uint8) {
	c.uint8(field, v)
	if c.err == nil && (*v < least || *v > most) {
		c.refuse(1, field, "%d: want %d to %d", *v, least, most)
	}
}
