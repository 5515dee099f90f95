package firasim

import (
	"fmt"
	"math"
	"strconv"

	"touchline/wire"
)

func (r *rules) sslVision(m *SSLVision, size int) {
	if size > MaxVision {
		r.issues = append(r.issues, wire.Issue{Offset: MaxVision, Source: sourceVSSVision,
			Text: fmt.Sprintf("%d bytes: clients receive at most %d and lose the rest", size, MaxVision)})
	}
	if !m.HasDetection && !m.HasGeometry {
		r.add(true, "", sourceSSL, "neither a detection nor the field: the packet has no effect")
	}
	r.sslDetection(&m.Detection)
	g := &m.Geometry
	for i, v := range []int32{g.Length, g.Width, g.GoalWidth, g.GoalDepth, g.Boundary, 0, 0, g.PenaltyDepth,
		g.PenaltyWidth, g.CircleRadius} {
		if v < 0 {
			r.add(false, "geometry.field."+sslGeometryParts[0].parts[i].name, sourceSSL, "%d mm: want a size", v)
		}
	}
}

func (r *rules) sslDetection(d *SSLDetection) {
	r.numbers("detection", sslDetectionParts[1:3], d.Captured, d.Sent)
	if d.Dropped > 0 || max(len(d.Balls), len(d.Yellow), len(d.Blue)) > MaxRobots {
		r.add(false, "detection", sourceSSL, "more than the limit of %d balls or robots a team", MaxRobots)
	}
	for i := range d.Balls {
		b, path := &d.Balls[i], "detection.balls["+strconv.Itoa(i)+"]"
		r.seen(path, b.Confidence, b.PixelX, b.PixelY)
		r.numbers(path, sslBallParts[2:4], float64(b.X), float64(b.Y))
		r.numbers(path, sslBallParts[5:], float64(b.PixelX), float64(b.PixelY))
	}
	for _, team := range []struct {
		name   string
		robots []SSLRobot
	}{{"robots_yellow", d.Yellow}, {"robots_blue", d.Blue}} {
		for i := range team.robots {
			r.sslRobot(&team.robots[i], "detection."+team.name+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (r *rules) sslRobot(m *SSLRobot, path string) {
	r.seen(path, m.Confidence, m.PixelX, m.PixelY)
	r.numbers(path, sslRobotParts[2:7], float64(m.X), float64(m.Y), float64(m.Orientation), float64(m.PixelX),
		float64(m.PixelY))
	switch {
	case m.ID > maxSSLID:
		r.add(false, path+".robot_id", sourceSSL, "invalid id %d: want 0 to %d", m.ID, maxSSLID)
	case !m.HasID:
		r.add(true, path+".robot_id", sourceSSL, "missing: the camera did not recognise the robot's pattern")
	}
	switch {
	case !m.HasOrientation:
		r.add(true, path+".orientation", sourceSSL, "missing: the robot's heading is unknown")
	case math.Abs(float64(m.Orientation)) > 2*math.Pi:
		r.add(true, path+".orientation", sourceSSL, "%v looks like degrees: orientations are in rad", m.Orientation)
	}
}

// seen checks what receivers take for a sight that is none.
func (r *rules) seen(path string, confidence, x, y float32) {
	switch {
	case !confident(confidence):
		r.add(false, path+".confidence", sourceSSL, "%v: want 0 to 1", confidence)
	case confidence == 0:
		r.add(true, path+".confidence", sourceDropped, "0: receivers take it for an object that was not seen")
	case x == 0 && y == 0:
		r.add(true, path+".pixel_x", sourceDropped,
			"the place in the picture is (0, 0): receivers take it for an object that was not seen")
	}
}

func (r *rules) grSim(m *GrSimPacket) {
	if !m.HasCommands && !m.HasReplacement {
		r.add(true, "", sourceGrSim, "neither commands nor a replacement: the packet has no effect")
	}
	if m.Dropped > 0 || len(m.Commands) > MaxCommands || len(m.Robots) > MaxRobots {
		r.add(false, "", sourceGrSim, "more than the limits of %d commands and %d robots", MaxCommands, MaxRobots)
	}
	r.numbers("commands", grSimParts[0].parts[:1], m.Timestamp)
	for i := range m.Commands {
		c, path := &m.Commands[i], "commands.robot_commands["+strconv.Itoa(i)+"]"
		r.id(path+".id", c.ID, "the simulator ignores larger ids")
		v := c.numbers()
		r.numbers(path, grSimCommandParts[1:6], v[:5]...)
		r.numbers(path, grSimCommandParts[8:], v[5:]...)
		switch {
		case c.ByWheel:
			r.add(true, path+".wheelsspeed", sourceGrSim,
				"true: the speeds of four wheels have no meaning for a robot with two, and touchline refuses them")
		case c.Normal != 0:
			r.add(true, path+".velnormal", sourceGrSim, "%v m/s: a robot with two wheels cannot move sideways", c.Normal)
		}
	}
	if m.HasBall {
		r.numbers("replacement.ball", ballReplacementParts, m.Ball.Value[:]...)
	}
	for i := range m.Robots {
		p, path := &m.Robots[i], "replacement.robots["+strconv.Itoa(i)+"]"
		r.id(path+".id", p.ID, "the simulator ignores larger ids")
		r.numbers(path, grSimRobotParts[:3], p.X, p.Y, p.Dir)
		r.degrees(path+".dir", p.Dir)
		if p.Off {
			r.add(true, path+".turnon", sourceGrSim, "false: this switches the robot off")
		}
	}
}
