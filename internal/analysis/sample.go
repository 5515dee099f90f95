package analysis

import (
	"math"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Sample copies a scene with the digits that a record has, whole millimetres and milliradians: the figures of a match that
// runs and those of its record are the same then. It reuses to's robots.
func Sample(to, from *autoref.Scene) {
	robots := append(to.Robots[:0], from.Robots...)
	*to = *from
	to.Robots = robots
	for i := range robots {
		p := &robots[i].Pose
		p.X, p.Y, p.Theta = thousandths(p.X), thousandths(p.Y), thousandths(p.Theta)
	}
	for _, v := range []*soccer.Vec3{&to.Ball, &to.Velocity, &to.KickBall, &to.KickVelocity} {
		v.X, v.Y, v.Z = thousandths(v.X), thousandths(v.Y), thousandths(v.Z)
	}
}

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

// Truth returns a scene as a log keeps it.
func Truth(now soccer.Time, s *autoref.Scene) game.Truth {
	t := game.Truth{
		Time: now, Ball: s.Ball, Robots: make([]game.TruthRobot, 0, len(s.Robots)),
		Contacts: &game.Contacts{
			Touched: contact(s.Touched, s.TouchedAt), Kicked: contact(s.Kicked, s.KickedAt),
			KickBall: s.KickBall, KickVelocity: s.KickVelocity,
		},
	}
	if s.Holder.Side != game.Both {
		holder := contact(s.Holder, now)
		t.Contacts.Holder = &holder
	}
	for i := range s.Robots {
		if r := &s.Robots[i]; r.There {
			t.Robots = append(t.Robots, game.TruthRobot{
				Number: r.Number, Team: r.Side, Shape: "robot", Off: !r.On, Pose: r.Pose,
			})
		}
	}
	return t
}

func contact(p autoref.Player, at soccer.Time) game.Contact {
	return game.Contact{Team: p.Side, Number: p.Number, At: at}
}

// MostRobots is the number of robots of both teams that the figures count, two teams of the Humanoid Soccer League with
// some to spare; later ones are left out.
const MostRobots = 48

// Restore sets a scene from a Truth of a log, and reports whether it tells who handled the ball. The robots of a scene keep
// their places: one that is not on the field stays with On false. Robots beyond MostRobots are left out.
func Restore(s *autoref.Scene, t *game.Truth) (told bool) {
	s.Ball = t.Ball
	for i := range s.Robots {
		s.Robots[i].On, s.Robots[i].There = false, false
	}
	for i := range t.Robots {
		from := &t.Robots[i]
		if index(from.Team) == 2 || from.Shape == "camera" {
			continue
		}
		if r := Place(s, autoref.Player{Side: from.Team, Number: from.Number}); r != nil {
			r.Pose, r.On, r.There = from.Pose, !from.Off, true
		}
	}
	c := t.Contacts
	if c == nil {
		return false
	}
	s.Holder = autoref.Player{}
	if c.Holder != nil {
		s.Holder = player(c.Holder)
	}
	s.Touched, s.TouchedAt, s.Kicked, s.KickedAt = player(&c.Touched), c.Touched.At, player(&c.Kicked), c.Kicked.At
	s.KickBall, s.KickVelocity = c.KickBall, c.KickVelocity
	return true
}

func player(c *game.Contact) autoref.Player { return autoref.Player{Side: c.Team, Number: c.Number} }

// Place returns the robot of a player in a scene, which gets it when it has none; nil when the scene is full. Robots are
// sorted: home before away, by number.
func Place(s *autoref.Scene, p autoref.Player) *autoref.Robot {
	at := 0
	for ; at < len(s.Robots); at++ {
		r := &s.Robots[at]
		if r.Player == p {
			return r
		}
		if Compare(p, r.Player) < 0 {
			break
		}
	}
	if len(s.Robots) >= MostRobots {
		return nil
	}
	s.Robots = append(s.Robots, autoref.Robot{})
	copy(s.Robots[at+1:], s.Robots[at:])
	s.Robots[at] = autoref.Robot{Player: p}
	return &s.Robots[at]
}

// Compare orders players: home before away, by number.
func Compare(a, b autoref.Player) int {
	if by := index(a.Side) - index(b.Side); by != 0 {
		return by
	}
	return int(a.Number) - int(b.Number)
}
