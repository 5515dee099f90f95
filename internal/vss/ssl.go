package vss

import (
	"net/netip"
	"time"

	"touchline/sim"
	"touchline/wire/firasim"
)

// The picture of SSLVision: a pixel has a side of 1 mm, and its corner lies this far outside the field's corner. No
// object is at pixel (0, 0): team programs take that for an object that was not seen (vss-vision).
const pictureMargin = 250 // mm

// SSLVision translates a vision packet of FIRASim to one of SSL-Vision: the same objects in mm, and the field. It reuses
// the memory of to. Velocities, the ball's height and goals have no place there. The camera is 0, the frame number counts
// ticks, and both times are simulated seconds since the start, as grSim sends them. Each confidence is 1.
func SSLVision(env *firasim.Environment, to *firasim.SSLVision) {
	d, f := &to.Detection, &env.Field
	seconds := float64(env.Step) / 1000
	const tick = uint32(sim.Tick / time.Millisecond)
	*to = firasim.SSLVision{
		HasDetection: true,
		Detection: firasim.SSLDetection{
			Number: uint32((uint64(env.Step) + uint64(tick/2)) / uint64(tick)), Captured: seconds, Sent: seconds,
			Balls: d.Balls[:0], Yellow: d.Yellow[:0], Blue: d.Blue[:0],
		},
		HasGeometry: env.HasField,
		Geometry: firasim.SSLGeometry{
			Length: millimetres(f.Length), Width: millimetres(f.Width), GoalWidth: millimetres(f.GoalWidth),
			GoalDepth: millimetres(f.GoalDepth), PenaltyDepth: millimetres(f.PenaltyDepth),
			PenaltyWidth: millimetres(f.PenaltyWidth), CircleRadius: millimetres(f.CenterRadius),
		},
	}
	if b := &env.Frame.Ball; env.Frame.HasBall {
		px, py := pixel(b.X, b.Y, f)
		d.Balls = append(d.Balls, firasim.SSLBall{
			Confidence: 1, X: float32(b.X * 1000), Y: float32(b.Y * 1000), PixelX: px, PixelY: py,
		})
	}
	d.Yellow = appendSights(d.Yellow, env.Frame.Yellow, f)
	d.Blue = appendSights(d.Blue, env.Frame.Blue, f)
}

// millimetres rounds to whole mm.
func millimetres(m float64) int32 { return int32(float64(m*1000) + 0.5) }

// pixel returns the place of a point (m) in the picture: x to the right, y downwards.
func pixel(x, y float64, f *firasim.Field) (px, py float32) {
	return float32(float64((x+float64(f.Length*0.5))*1000) + pictureMargin),
		float32(float64((float64(f.Width*0.5)-y)*1000) + pictureMargin)
}

func appendSights(to []firasim.SSLRobot, robots []firasim.Robot, f *firasim.Field) []firasim.SSLRobot {
	for i := range robots {
		r := &robots[i]
		px, py := pixel(r.X, r.Y, f)
		to = append(to, firasim.SSLRobot{
			HasID: true, ID: r.ID, HasOrientation: true, Confidence: 1, X: float32(r.X * 1000), Y: float32(r.Y * 1000),
			Orientation: float32(r.Orientation), PixelX: px, PixelY: py,
		})
	}
	return to
}

// FromGrSim translates a packet of grSim to one of FIRASim that Receive accepts, and reuses the memory of to. Wheel
// speeds follow from the velocity forwards and the angular velocity; a velocity to the left, kicks and spinners have no
// effect. Commands for four wheels are refused. Absent values of a placed ball are those that it has now.
func (s *Session) FromGrSim(from netip.AddrPort, p *firasim.GrSimPacket, to *firasim.Packet) {
	*to = firasim.Packet{
		HasCommands: p.HasCommands, Commands: to.Commands[:0], HasReplacement: p.HasReplacement,
		Replacement: firasim.Replacement{HasBall: p.HasBall, Robots: to.Replacement.Robots[:0]},
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.ByWheel {
			s.refuse(fourWheels, refusal{from: from, robot: wholePacket})
			continue
		}
		speed, turn := float64(c.Tangent)/s.wheel, float64(float64(c.Angular)*s.arm)/s.wheel
		to.Commands = append(to.Commands, firasim.Command{
			ID: c.ID, Yellow: p.Yellow, Left: speed - turn, Right: speed + turn,
		})
	}
	if p.HasBall {
		ball, v := s.engine.Ball()
		now := [4]float64{ball.X, ball.Y, v.X, v.Y}
		for i, has := range p.Ball.HasValue {
			if has {
				now[i] = p.Ball.Value[i]
			}
		}
		to.Replacement.Ball = firasim.BallReplacement{X: now[0], Y: now[1], VX: now[2], VY: now[3]}
	}
	for i := range p.Robots {
		r := &p.Robots[i]
		to.Replacement.Robots = append(to.Replacement.Robots, firasim.RobotReplacement{
			HasPosition: true, Position: firasim.Robot{ID: r.ID, X: r.X, Y: r.Y, Orientation: r.Dir},
			Yellow: r.Yellow, TurnOn: !r.Off,
		})
	}
}
