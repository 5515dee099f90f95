package team

import (
	"math"
	"math/bits"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The functions of this file convert between messages and the types of package soccer. Both use SI units and the team
// frame. NaN, infinite values and values out of range are errors of AppendBinary and UnmarshalBinary, which name the
// field.

// Localisation returns the self-localisation.
func (m *Self) Localisation() soccer.Localisation {
	l := soccer.Localisation{Known: m.Known}
	if !m.Known {
		return l
	}
	l.Pose.X, l.Pose.Y, l.Confidence = float64(m.X), float64(m.Y), float64(m.Confidence)
	if l.HasHeading = m.HasHeading; m.HasHeading {
		l.Pose.Theta = soccer.WrapAngle(float64(m.Heading))
	}
	if l.HasTwist = m.HasVelocity; m.HasVelocity {
		l.Twist = soccer.Twist{X: float64(m.VX), Y: float64(m.VY), Theta: float64(m.VHeading)}
	}
	if m.HasCov {
		for i, v := range m.Cov {
			l.Cov[i] = float64(v)
		}
	}
	return l
}

// SetLocalisation sets m to l.
func (m *Self) SetLocalisation(l soccer.Localisation) {
	if *m = (Self{Known: l.Known}); !l.Known {
		return
	}
	m.X, m.Y, m.Confidence = float32(l.Pose.X), float32(l.Pose.Y), float32(l.Confidence)
	if m.HasHeading = l.HasHeading; l.HasHeading {
		m.Heading = angle(l.Pose.Theta)
	}
	if m.HasVelocity = l.HasTwist; l.HasTwist {
		m.VX, m.VY, m.VHeading = float32(l.Twist.X), float32(l.Twist.Y), float32(l.Twist.Theta)
	}
	if m.HasCov = l.Cov != (soccer.PoseCov{}); m.HasCov {
		for i, v := range l.Cov {
			m.Cov[i] = float32(v)
		}
	}
}

// Belief returns the ball at the time of the message.
func (m *Ball) Belief(at soccer.Time) soccer.Ball {
	if !m.Known {
		return soccer.Ball{}
	}
	return soccer.Ball{
		Known:    true,
		Position: soccer.Vec3{X: float64(m.X), Y: float64(m.Y), Z: float64(m.Z)},
		Velocity: soccer.Vec3{X: float64(m.VX), Y: float64(m.VY), Z: float64(m.VZ)},
		Cov:      soccer.Cov{XX: float64(m.Cov[0]), XY: float64(m.Cov[1]), YY: float64(m.Cov[4])},
		CrossCov: [2][2]float64{
			{float64(m.Cov[2]), float64(m.Cov[3])}, {float64(m.Cov[5]), float64(m.Cov[6])},
		},
		VelocityCov: soccer.Cov{XX: float64(m.Cov[7]), XY: float64(m.Cov[8]), YY: float64(m.Cov[9])},
		HeightVar:   float64(m.ZVar), ClimbVar: float64(m.VZVar),
		LastSeen: before(at, m.Age), SeenBy: soccer.RobotSet(m.Sources),
	}
}

// SetBelief sets m to the ball of a world at the time now.
func (m *Ball) SetBelief(now soccer.Time, b *soccer.Ball) {
	if *m = (Ball{Known: b.Known}); !b.Known {
		return
	}
	m.HasVelocity, m.HasCov = true, true
	m.X, m.Y, m.Z = float32(b.Position.X), float32(b.Position.Y), float32(b.Position.Z)
	m.VX, m.VY, m.VZ = float32(b.Velocity.X), float32(b.Velocity.Y), float32(b.Velocity.Z)
	p, v, c := &b.Cov, &b.VelocityCov, &b.CrossCov
	m.Cov = [10]float32{
		float32(p.XX), float32(p.XY), float32(c[0][0]), float32(c[0][1]), float32(p.YY), float32(c[1][0]), float32(c[1][1]),
		float32(v.XX), float32(v.XY), float32(v.YY),
	}
	m.ZVar, m.VZVar = float32(b.HeightVar), float32(b.ClimbVar)
	m.Age, m.Sources = age(now, b.LastSeen), uint64(b.SeenBy)
}

// SetSense sets m to a picture: to its first MaxBalls balls and its first MaxSightings obstacles.
func (m *Measurements) SetSense(s *soccer.Sense) {
	m.BallHeld = s.HasBall
	m.Self.SetLocalisation(s.Self)
	m.View = View{Bearing: angle(s.View.Bearing), Width: float32(s.View.Width), Range: float32(s.View.Range)}
	m.Balls, m.Obstacles = m.Balls[:0], m.Obstacles[:0]
	for i := range s.Balls[:min(len(s.Balls), MaxBalls)] {
		m.Balls = append(m.Balls, sighting(TheBall, &s.Balls[i]))
	}
	for i := range s.Obstacles[:min(len(s.Obstacles), MaxSightings)] {
		m.Obstacles = append(m.Obstacles, sighting(Unidentified, &s.Obstacles[i]))
	}
}

// Sense writes the picture, taken at a time, to s, reusing its slices.
func (m *Measurements) Sense(at soccer.Time, s *soccer.Sense) {
	s.Time, s.Self, s.HasBall = at, m.Self.Localisation(), m.BallHeld
	s.View = soccer.View{Bearing: float64(m.View.Bearing), Width: float64(m.View.Width), Range: float64(m.View.Range)}
	s.Balls, s.Obstacles = s.Balls[:0], s.Obstacles[:0]
	for i := range m.Balls {
		s.Balls = append(s.Balls, m.Balls[i].Observation())
	}
	for i := range m.Obstacles {
		s.Obstacles = append(s.Obstacles, m.Obstacles[i].Observation())
	}
}

// sighting returns an observation in polar coordinates.
func sighting(kind Kind, o *soccer.Observation) Sighting {
	distance := o.Position.XY().Len()
	s := Sighting{
		Kind: kind, Range: float32(distance), Bearing: angle(exact.Atan2(o.Position.Y, o.Position.X)),
		Height: float32(o.Position.Z), Confidence: float32(o.Confidence),
	}
	if distance > 0 && o.Cov != (soccer.Cov{}) {
		ray := o.Cov.Rotated(-o.Position.Y/distance, o.Position.X/distance)
		s.RangeSigma = float32(math.Sqrt(max(0, ray.XX)))
		s.BearingSigma = min(float32(math.Sqrt(max(0, ray.YY))/distance), maxSigmaRad)
	}
	return s
}

// Observation returns the object in the robot's frame, without a velocity. Without both standard deviations it has no
// covariance.
func (m *Sighting) Observation() soccer.Observation {
	sin, cos := exact.Sincos(float64(m.Bearing))
	var cov soccer.Cov
	if m.RangeSigma > 0 && m.BearingSigma > 0 {
		along, across := float64(m.RangeSigma), float64(m.Range)*float64(m.BearingSigma)
		cov = soccer.Cov{XX: float64(along * along), YY: float64(across * across)}.Rotated(sin, cos)
	}
	return soccer.Observation{
		Position: soccer.Vec3{
			X: float64(float64(m.Range) * cos), Y: float64(float64(m.Range) * sin), Z: float64(m.Height),
		},
		Cov: cov, Confidence: float64(m.Confidence),
	}
}

// Target returns the pose to which the robot drives, and whether there is one.
func (m *Status) Target() (soccer.Pose, bool) {
	p := soccer.Pose{X: float64(m.TargetX), Y: float64(m.TargetY), Theta: soccer.WrapAngle(float64(m.TargetHeading))}
	return p, m.HasTarget
}

// SetTarget sets the pose to which the robot drives.
func (m *Status) SetTarget(p soccer.Pose) {
	m.HasTarget = true
	m.TargetX, m.TargetY, m.TargetHeading = float32(p.X), float32(p.Y), angle(p.Theta)
}

// Twist returns the desired velocity in the robot's frame.
func (m *Motor) Twist() soccer.Twist {
	return soccer.Twist{X: float64(m.VX), Y: float64(m.VY), Theta: float64(m.VHeading)}
}

// SetTwist sets the desired velocity in the robot's frame.
func (m *Motor) SetTwist(t soccer.Twist) {
	m.VX, m.VY, m.VHeading = float32(t.X), float32(t.Y), float32(t.Theta)
}

// Command returns the command to motors, dribbler and kicker, without sequence and head.
func (m *Motor) Command() soccer.Motor {
	return soccer.Motor{
		Twist: m.Twist(), Dribbler: float64(m.Dribbler),
		Kick: m.Kick, KickSpeed: float64(m.KickSpeed), KickElevation: float64(m.KickElevation),
	}
}

// SetCommand sets motors, dribbler and kicker to a command, and keeps sequence and head.
func (m *Motor) SetCommand(c *soccer.Motor) {
	m.SetTwist(c.Twist)
	m.Dribbler, m.Kick = float32(c.Dribbler), c.Kick
	m.KickSpeed, m.KickElevation = float32(c.KickSpeed), float32(c.KickElevation)
}

// SetBooking sets m to a robot's belief about the booking.
func (m *Booking) SetBooking(b *soccer.Booking) {
	*m = Booking{
		Protocol: Protocol(max(0, slices.Index(protocolNames, b.Protocol))), Booked: b.Booker != 0, Booker: b.Booker,
		Distance: float32(b.Distance), Timestamp: uint64(b.Timestamp), Epoch: b.Epoch, Sequence: b.Sequence,
		Left: float32(b.Left.Seconds()), Own: float32(b.Own),
	}
}

// SetWorld sets ball, self, booking, obstacles and peers to those of a world: the first MaxObstacles obstacles and the first
// MaxPeers peers.
func (m *Debug) SetWorld(w *soccer.World) {
	m.Ball.SetBelief(w.Time, &w.Ball)
	m.Self.SetLocalisation(w.Self)
	m.Booking.SetBooking(&w.Booking)
	m.Extended, m.Dispute, m.Goal = true, Dispute{}, Goal{}
	if d := &w.SelfDisagrees; d.Since != 0 {
		m.Dispute = Dispute{What: Subject(d.What), Since: age(w.Time, d.Since), By: float32(d.By)}
	}
	if g := &w.Goal; g.At != 0 {
		m.Goal = Goal{By: Ours, Age: age(w.Time, g.At), Probability: float32(g.Probability)}
		if g.Conceded {
			m.Goal.By = Theirs
		}
	}
	m.Obstacles, m.Peers = m.Obstacles[:0], m.Peers[:0]
	for i := range w.Obstacles[:min(len(w.Obstacles), MaxObstacles)] {
		o := &w.Obstacles[i]
		m.Obstacles = append(m.Obstacles, Obstacle{
			X: float32(o.Position.X), Y: float32(o.Position.Y), VX: float32(o.Velocity.X), VY: float32(o.Velocity.Y),
			Cov:       [3]float32{float32(o.Cov.XX), float32(o.Cov.XY), float32(o.Cov.YY)},
			Existence: 1, Age: age(w.Time, o.LastSeen),
		})
	}
	for i := range w.Peers[:min(len(w.Peers), MaxPeers)] {
		m.Peers = append(m.Peers, peerOf(w, &w.Peers[i]))
	}
	for robots := uint64(w.Booking.Ignored); robots != 0 && len(m.Peers) < MaxPeers; robots &= robots - 1 {
		number := uint8(bits.TrailingZeros64(robots)) // one that tells no place is no peer of the world
		if !slices.ContainsFunc(m.Peers, func(p Peer) bool { return p.Number == number }) {
			m.Peers = append(m.Peers, Peer{Number: number, Ignored: true})
		}
	}
}

// peerOf returns a peer of a world.
func peerOf(w *soccer.World, p *soccer.Peer) Peer {
	peer := Peer{
		Number: p.Sender.Robot, Known: p.Self.Known, Age: age(w.Time, p.LastReceived),
		Ignored: w.Booking.Ignored.Has(p.Sender.Robot), Trust: float32(1 - p.Doubt),
		BiasX: float32(p.PoseError.X), BiasY: float32(p.PoseError.Y), BiasHeading: angle(p.PoseError.Theta),
	}
	if d := &p.Disagrees; d.Since != 0 {
		peer.Disagrees, peer.What, peer.Since, peer.By = true, Subject(d.What), age(w.Time, d.Since), float32(d.By)
	}
	if peer.Known {
		peer.X, peer.Y = float32(p.Self.Pose.X), float32(p.Self.Pose.Y)
		if peer.HasHeading = p.Self.HasHeading; peer.HasHeading {
			peer.Heading = angle(p.Self.Pose.Theta)
		}
	}
	return peer
}

// World writes the world at the time of the message to w, reusing its slices, without the booking.
func (m *Debug) World(at soccer.Time, w *soccer.World) {
	w.Time, w.Self, w.Ball = at, m.Self.Localisation(), m.Ball.Belief(at)
	w.Obstacles, w.Peers = w.Obstacles[:0], w.Peers[:0]
	for i := range m.Obstacles {
		o := &m.Obstacles[i]
		w.Obstacles = append(w.Obstacles, soccer.Obstacle{
			Position: soccer.Vec{X: float64(o.X), Y: float64(o.Y)}, Velocity: soccer.Vec{X: float64(o.VX), Y: float64(o.VY)},
			Cov:      soccer.Cov{XX: float64(o.Cov[0]), XY: float64(o.Cov[1]), YY: float64(o.Cov[2])},
			LastSeen: before(at, o.Age),
		})
	}
	for i := range m.Peers {
		w.Peers = append(w.Peers, m.Peers[i].world(at))
	}
	w.SelfDisagrees, w.Goal = disagreement(at, m.Dispute.What, m.Dispute.Since, m.Dispute.By), soccer.Goal{}
	if g := &m.Goal; g.By == Ours || g.By == Theirs {
		w.Goal = soccer.Goal{At: before(at, g.Age), Conceded: g.By == Theirs, Probability: float64(g.Probability)}
	}
}

// world returns the peer as part of the world at the time of the message.
func (m *Peer) world(at soccer.Time) soccer.Peer {
	p := soccer.Peer{
		Sender: soccer.Sender{Robot: m.Number, Color: soccer.NoColor}, LastReceived: before(at, m.Age),
		PoseError: soccer.Pose{X: float64(m.BiasX), Y: float64(m.BiasY), Theta: float64(m.BiasHeading)},
		Doubt:     1 - float64(m.Trust),
	}
	if m.Disagrees {
		p.Disagrees = disagreement(at, m.What, m.Since, m.By)
	}
	if p.Self.Known = m.Known; m.Known {
		p.Self.Pose.X, p.Self.Pose.Y, p.Self.HasHeading = float64(m.X), float64(m.Y), m.HasHeading
	}
	if m.Known && m.HasHeading {
		p.Self.Pose.Theta = soccer.WrapAngle(float64(m.Heading))
	}
	return p
}

// disagreement returns a disagreement at the time of a message.
func disagreement(at soccer.Time, what Subject, since, by float32) soccer.Disagreement {
	if what != BallSubject && what != PoseSubject {
		return soccer.Disagreement{}
	}
	return soccer.Disagreement{Since: before(at, since), What: soccer.Subject(what), By: float64(by)}
}

// angle wraps an angle into the range of the wire. NaN stays NaN.
func angle(a float64) float32 { return float32(soccer.WrapAngle(a)) }

// age returns the time from t to now in s; 0 for a time after now.
func age(now, t soccer.Time) float32 { return float32(max(0, now.Sub(t).Seconds())) }

// before returns the time seconds before at.
func before(at soccer.Time, seconds float32) soccer.Time {
	return at - soccer.Time(math.Round(float64(float64(seconds)*1e9)))
}

// SetOdometry sets the way that the robot's wheels measured, in m and rad, and its velocity: v is in the frame in which the
// robot has this heading.
func (m *Sense) SetOdometry(travel soccer.Pose, v soccer.Twist, heading float64) {
	m.TravelX, m.TravelY, m.TravelHeading = float32(travel.X), float32(travel.Y), float32(travel.Theta)
	sin, cos := exact.Sincos(heading)
	m.VX = float32(float64(cos*v.X) + float64(sin*v.Y))
	m.VY = float32(float64(cos*v.Y) - float64(sin*v.X))
	m.VHeading = float32(v.Theta)
}
