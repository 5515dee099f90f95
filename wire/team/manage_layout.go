package team

import (
	"touchline/wire"
	"touchline/wire/internal/coder"
)

// Ranges of the manager's numbers.
var (
	spanNumber = coder.NewSpan(-1e9, 1e9, "")
	spanPath   = coder.NewSpan(-1000, 1000, "m")
	spanLaps   = coder.NewSpan(0, 1000, "")
)

var (
	driveFlags     = []string{"head", "check"}
	parameterFlags = []string{"read-only"}
	tryFlags       = []string{"ok", "inside"}
	pointFlags     = []string{"world"}
	pictureFlags   = []string{"overlay"}
)

func (m *Attend) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("holder", &m.Holder)
	c.Uint32("table", &m.Table)
	c.Uint32("since", &m.Since)
	c.In("picture", -1)
	p := &m.Picture
	bounded(c, "rate", &p.Rate, rangeRate)
	coder.Choice(c, "format", &p.Format, formatNames)
	bounded(c, "quality", &p.Quality, rangeQuality)
	bounded(c, "divisor", &p.Divisor, rangeDivisor)
	c.Uint16("x", "", &p.X)
	c.Uint16("y", "", &p.Y)
	c.Uint16("width", "", &p.Width)
	c.Uint16("height", "", &p.Height)
	c.Flags(pictureFlags, &p.Overlay)
	c.In("", -1)
}

func (m *Management) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("table", &m.Table)
	c.Uint32("revision", &m.Revision)
	c.Uint32("parameters", &m.Parameters)
	c.Uint64("nonce", "", &m.Nonce)
	c.In("holder", -1)
	c.Uint8("computer", &m.Holder.Computer)
	c.Uint32("page", &m.Holder.Page)
	c.Text("name", &m.HolderName, MaxName)
	c.In("", -1)
	coder.Choice(c, "drive", &m.Drive, driveNames)
	c.Uint32("kick", &m.Kick)
	c.Uint32("machine", &m.Machine)
	c.Uint32("previous", &m.Previous)
	c.Uint32("waiting", &m.Waiting)
	c.In("most", -1)
	c.Float("ahead", true, &m.MaxAhead, &spanKick)
	c.Float("side", true, &m.MaxSide, &spanKick)
	c.Float("turn", true, &m.MaxTurn, &spanSpin)
	c.Float("pan", true, &m.MaxPan, &spanAngle)
	c.Float("tilt", true, &m.MaxTilt, &spanAngle)
	c.In("", -1)
	coder.List(c, "kicks", &m.Kicks, MaxKicks)
	for i := range m.Kicks {
		c.In("kicks", i)
		c.Text("name", &m.Kicks[i].Name, MaxName)
		c.Float("speed", true, &m.Kicks[i].Speed, &spanKick)
		c.Float("elevation", true, &m.Kicks[i].Elevation, &spanRise)
	}
	c.In("", -1)
}

func (m *Challenge) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint64("nonce", "", &m.Nonce)
	coder.Choice(c, "drive", &m.Drive, driveNames)
	c.Uint32("kick", &m.Kick)
}

func (m *Drive) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Flags(driveFlags, &m.HasHead, &m.Check)
	c.Uint32("operator", &m.Operator)
	c.Uint64("nonce", "", &m.Nonce)
	c.Uint32("sequence", &m.Sequence)
	c.Float("vx", true, &m.VX, &spanSpeed)
	c.Float("vy", true, &m.VY, &spanSpeed)
	c.Float("vheading", true, &m.VHeading, &spanSpin)
	c.Float("dribbler", true, &m.Dribbler, &spanShare)
	c.Float("head_pan", m.HasHead, &m.HeadPan, &spanAngle)
	c.Float("head_tilt", m.HasHead, &m.HeadTilt, &spanAngle)
	c.Uint32("kick", &m.Kick)
	c.Uint8("kick_index", &m.KickIndex)
}

func (m *Parameters) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("table", &m.Table)
	c.Uint32("since", &m.Since)
	c.Uint32("upto", &m.Upto)
	c.Uint32("revision", &m.Revision)
	coder.List(c, "list", &m.List, MaxParameters)
	for i := range m.List {
		c.In("list", i)
		m.List[i].layout(c)
	}
	c.In("", -1)
}

func (p *Parameter) layout(c *coder.Coder) {
	c.Flags(parameterFlags, &p.ReadOnly)
	coder.Choice(c, "kind", &p.Kind, parameterKinds)
	coder.Choice(c, "source", &p.Source, parameterSources)
	c.Uint32("revision", &p.Revision)
	c.Text("name", &p.Name, MaxName)
	c.Text("group", &p.Group, MaxName)
	c.Text("unit", &p.Unit, MaxUnit)
	c.Float("value", true, &p.Value, &spanNumber)
	c.Float("default", true, &p.Default, &spanNumber)
	c.Float("min", true, &p.Min, &spanNumber)
	c.Float("max", true, &p.Max, &spanNumber)
	c.Float("step", true, &p.Step, &spanNumber)
	coder.List(c, "choices", &p.Choices, MaxChoices)
	c.Repeat("choices")
	for i := range p.Choices {
		c.Text("choice", &p.Choices[i], MaxName)
	}
	c.Repeat("")
	c.Text("by", &p.By, MaxName)
}

func (m *Request) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("operator", &m.Operator)
	c.Uint64("nonce", "", &m.Nonce)
	c.Uint32("number", &m.Number)
	coder.Choice(c, "operation", &m.Operation, operationNames)
	c.Uint64("id", "", &m.ID)
	c.Float("value", true, &m.Value, &spanNumber)
	c.Text("text", &m.Text, MaxText)
	coder.List(c, "numbers", &m.Numbers, MaxNumbers)
	for i := range m.Numbers {
		c.In("numbers", i)
		c.Float("value", true, &m.Numbers[i], &spanNumber)
	}
	c.In("", -1)
}

func (m *Answer) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("operator", &m.Operator)
	c.Uint32("number", &m.Number)
	coder.Choice(c, "result", &m.Result, resultNames)
	c.Float("value", true, &m.Value, &spanNumber)
	c.Uint32("revision", &m.Revision)
	c.Text("text", &m.Text, MaxText)
	coder.List(c, "missing", &m.Missing, MaxMissing)
	for i := range m.Missing {
		c.In("missing", i)
		c.Uint32("chunk", &m.Missing[i])
	}
	c.In("", -1)
}

func (m *KickCheck) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("run", &m.Run)
	c.Uint8("kick", &m.Kick)
	bounded(c, "total", &m.Total, rangeTries)
	coder.Choice(c, "state", &m.State, checkNames)
	c.Float("speed", true, &m.Speed, &spanKick)
	c.Float("place_x", true, &m.PlaceX, &spanPath)
	c.Float("place_y", true, &m.PlaceY, &spanPath)
	c.Float("place_theta", true, &m.PlaceTheta, &spanAngle)
	c.Text("note", &m.Note, MaxText)
	coder.List(c, "tries", &m.Tries, MaxTries)
	for i := range m.Tries {
		c.In("tries", i)
		m.Tries[i].layout(c)
	}
	c.In("", -1)
}

func (t *KickTry) layout(c *coder.Coder) {
	c.Flags(tryFlags, &t.OK, &t.Inside)
	c.Float("speed", true, &t.Speed, &spanKick)
	c.Float("angle", true, &t.Angle, &spanAngle)
	c.Float("distance", true, &t.Distance, &spanDistance)
	c.Float("delay", true, &t.Delay, &spanAge)
	c.Float("speed_sigma", true, &t.SpeedSigma, &spanKick)
	c.Float("angle_sigma", true, &t.AngleSigma, &spanSigmaRad)
	c.Float("distance_sigma", true, &t.DistanceSigma, &spanSigma)
	c.Float("ago", true, &t.Ago, &spanAge)
}

func (m *LocomotionCheck) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint32("run", &m.Run)
	coder.Choice(c, "figure", &m.Figure, figureNames)
	coder.Choice(c, "state", &m.State, checkNames)
	c.Float("speed", true, &m.Speed, &spanKick)
	c.Float("size", true, &m.Size, &spanPath)
	c.Float("laps", true, &m.Laps, &spanLaps)
	c.Float("ago", true, &m.Ago, &spanAge)
	c.Text("note", &m.Note, MaxText)
	c.Uint16("total", "", &m.Total)
	c.Uint16("first", "", &m.First)
	coder.List(c, "path", &m.Path, MaxPath)
	for i := range m.Path {
		c.In("path", i)
		m.Path[i].layout(c)
	}
	c.In("", -1)
}

func (p *PathPoint) layout(c *coder.Coder) {
	c.Flags(pointFlags, &p.WorldKnown)
	c.Float("time", true, &p.Time, &spanAge)
	c.Float("odometry_x", true, &p.OdometryX, &spanPath)
	c.Float("odometry_y", true, &p.OdometryY, &spanPath)
	c.Float("odometry_theta", true, &p.OdometryTheta, &spanAngle)
	c.Float("world_x", p.WorldKnown, &p.WorldX, &spanPath)
	c.Float("world_y", p.WorldKnown, &p.WorldY, &spanPath)
	c.Float("world_theta", p.WorldKnown, &p.WorldTheta, &spanAngle)
	c.Float("want_x", true, &p.WantX, &spanPath)
	c.Float("want_y", true, &p.WantY, &spanPath)
	c.Float("want_theta", true, &p.WantTheta, &spanAngle)
}

// bounded visits a whole number within a range.
func bounded(c *coder.Coder, field string, v *uint8, r *wire.Range) {
	c.Uint8(field, v)
	c.Bounded(1, field, uint64(*v), r)
}

// upTo returns the range from 0 to most.
func upTo(most float64) *wire.Range { return &wire.Range{Most: most, Text: "%d: want %d to %d"} }

var rangeRate, rangeQuality, rangeDivisor, rangeTries = upTo(MaxRate), upTo(100), upTo(8), upTo(MaxTries)
