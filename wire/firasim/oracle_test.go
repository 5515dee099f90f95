package firasim_test

import (
	. "touchline/wire/firasim"
	"touchline/wire/firasim/firasimpb"
)

func environmentPB(m *Environment) *firasimpb.Environment {
	p := &firasimpb.Environment{Step: m.Step, GoalsBlue: m.GoalsBlue, GoalsYellow: m.GoalsYellow}
	if m.HasFrame {
		p.Frame = new(firasimpb.Frame)
		if m.Frame.HasBall {
			b := m.Frame.Ball
			p.Frame.Ball = &firasimpb.Ball{X: b.X, Y: b.Y, Z: b.Z, Vx: b.VX, Vy: b.VY, Vz: b.VZ}
		}
		for _, r := range m.Frame.Yellow {
			p.Frame.RobotsYellow = append(p.Frame.RobotsYellow, robotPB(r))
		}
		for _, r := range m.Frame.Blue {
			p.Frame.RobotsBlue = append(p.Frame.RobotsBlue, robotPB(r))
		}
	}
	if m.HasField {
		f := m.Field
		p.Field = &firasimpb.Field{Width: f.Width, Length: f.Length, GoalWidth: f.GoalWidth, GoalDepth: f.GoalDepth,
			CenterRadius: f.CenterRadius, PenaltyWidth: f.PenaltyWidth, PenaltyDepth: f.PenaltyDepth, PenaltyPoint: f.PenaltyPoint}
	}
	return p
}

func robotPB(r Robot) *firasimpb.Robot {
	return &firasimpb.Robot{RobotId: r.ID, X: r.X, Y: r.Y, Orientation: r.Orientation, Vx: r.VX, Vy: r.VY, Vorientation: r.VOrientation}
}
