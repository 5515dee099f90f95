package ssl

import (
	"errors"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	wire "touchline/wire/ssl"
)

func isOverlap(err error) bool { return errors.Is(err, sim.ErrOverlap) }

// area is that of a ball in pixels, and pixel the size of one in mm.
const (
	area  = 80
	pixel = 5
)

// Look writes the next frame of the camera to d and reuses its memory. Each call draws new noise.
func (s *Session) Look(d *wire.Detection) {
	t := float64(s.Now()) / 1e9
	*d = wire.Detection{Number: s.frame, Captured: t, Sent: t, Balls: d.Balls[:0], Yellow: d.Yellow[:0], Blue: d.Blue[:0]}
	s.frame++
	n := &s.cfg.Noise
	if p, _ := s.engine.Ball(); !s.vanishes() {
		x, y := p.X+s.error(n.Ball), p.Y+s.error(n.Ball)
		d.Balls = append(d.Balls, wire.VisionBall{Confidence: 1, HasArea: true, Area: area, X: mm(x), Y: mm(y), HasZ: true,
			Z: mm(p.Z), PixelX: s.pixel(x, s.field.Length), PixelY: s.pixel(y, s.field.Width)})
	}
	for team, list := range [2]*[]wire.VisionBot{&d.Yellow, &d.Blue} {
		for id := range uint32(wire.MaxID + 1) {
			pose, there := s.engine.RobotPose(index(team, id))
			if !there || s.vanishes() {
				continue
			}
			x, y := pose.X+s.error(n.Robot), pose.Y+s.error(n.Robot)
			*list = append(*list, wire.VisionBot{Confidence: 1, HasID: true, ID: id, X: mm(x), Y: mm(y), HasOrientation: true,
				Orientation: float32(soccer.WrapAngle(pose.Theta + s.error(n.Heading))), HasHeight: true,
				Height: mm(RobotHeight), PixelX: s.pixel(x, s.field.Length), PixelY: s.pixel(y, s.field.Width)})
		}
	}
}

// mm converts m.
func mm(v float64) float32 { return float32(v * 1000) }

// pixel returns the place of a coordinate in the picture, which has the whole field.
func (s *Session) pixel(v, size float64) float32 {
	return max(1, float32((v+float64(size*0.5)+s.field.Border)*(1000/pixel)))
}

// error draws an error; without noise it draws nothing.
func (s *Session) error(sigma float64) float64 {
	if sigma == 0 {
		return 0
	}
	return float64(sigma * exact.Normal(s.random))
}

func (s *Session) vanishes() bool {
	return s.cfg.Noise.Vanish > 0 && s.random.Float64() < s.cfg.Noise.Vanish
}

// Geometry returns the field as vision packets have it.
func (s *Session) Geometry() wire.Geometry { return wire.GeometryOf(&s.field, BallRadius) }

// Feedback appends what the robots of a team sense.
func (s *Session) Feedback(team wire.Team, list []wire.Feedback) []wire.Feedback {
	for t := range teams {
		for id := range uint32(wire.MaxID + 1) {
			if _, there := s.engine.RobotPose(index(t, id)); there && teams[t] == team {
				list = append(list, wire.Feedback{ID: id, HasContact: true, Contact: s.engine.HoldsBall(index(t, id))})
			}
		}
	}
	return list
}

// Track writes the truth as a tracker's frame to m and reuses its memory.
func (s *Session) Track(m *wire.Tracker) {
	*m = wire.Tracker{UUID: append(m.UUID[:0], "touchline-sim"...), SourceName: append(m.SourceName[:0], "touchline"...),
		HasFrame: true, Frame: wire.TrackedFrame{Number: s.frame, Timestamp: float64(s.Now()) / 1e9,
			Balls: m.Frame.Balls[:0], Robots: m.Frame.Robots[:0]}}
	p, v := s.engine.Ball()
	m.Frame.Balls = append(m.Frame.Balls, wire.TrackedBall{X: float32(p.X), Y: float32(p.Y), Z: float32(p.Z), HasVelocity: true,
		VX: float32(v.X), VY: float32(v.Y), VZ: float32(v.Z), HasVisibility: true, Visibility: 1})
	for t, team := range teams {
		for id := range uint32(wire.MaxID + 1) {
			if pose, twist, there := s.engine.Robot(index(t, id)); there {
				m.Frame.Robots = append(m.Frame.Robots, wire.TrackedRobot{ID: id, Team: team, X: float32(pose.X), Y: float32(pose.Y),
					Orientation: float32(pose.Theta), HasVelocity: true, VX: float32(twist.X), VY: float32(twist.Y),
					HasAngular: true, Angular: float32(twist.Theta), HasVisibility: true, Visibility: 1})
			}
		}
	}
}

// Sync executes a request of the synchronous mode: first its commands, those of robots for team, then the step. It writes
// the answer to to and reuses its memory.
func (s *Session) Sync(team wire.Team, m *wire.SyncRequest, to *wire.SyncResponse) {
	var f failures
	if m.HasCommand {
		f = append(f, s.Command(&m.Command)...)
	}
	if m.HasRobots {
		f = append(f, s.Control(team, &m.Robots)...)
	}
	if m.HasStep {
		if dt, err := stepOf(m.Step); err != nil {
			f.add(CodeRange, "%v", err)
		} else {
			s.Step(dt)
		}
	}
	if len(to.Detections) != 1 {
		to.Detections = make([]wire.Detection, 1)
	}
	s.Look(&to.Detections[0])
	to.HasRobots = true
	to.Robots = wire.RobotControlResponse{Errors: f[:min(len(f), wire.MaxObjects)],
		Feedback: s.Feedback(team, to.Robots.Feedback[:0])}
}
