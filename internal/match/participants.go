package match

import (
	"math"

	"touchline/sim"
)

// Participant is one of the six participants of the session (Practical Session 2014).
type Participant struct {
	Number uint8  // jersey
	Team   string // the name in the session's announcement and on the page
	TeamID uint8  // original_team_id of the package; the names of soccer.MSLTeams are longer
	Shape  string // "robot", or "camera" for a unit without a robot
	Camera sim.Camera
	// PeerScale makes the teams' world models differ: it scales the variance of teammates' reports (see world.Config).
	PeerScale float64
}

// Participants returns the six participants: four robots, NuBot's omnivision unit without a robot, and CAMBADA's
// laptop, which sends packets of its own simulation: it knows the same ball, sees through bodies, and adds its own
// noise. Each sends one package a picture, at 10 to 30 Hz (Mixed Team Package v2).
func Participants() []Participant {
	camera := func(rate, reach, noise float64) sim.Camera {
		c := sim.DefaultCamera()
		c.Rate, c.Range = rate, reach
		c.SigmaBase *= noise
		c.SigmaRange *= noise
		c.SigmaBearing *= noise
		c.PoseSigma *= noise
		return c
	}
	laptop := camera(20, 11, 1)
	laptop.SeesThrough = true
	ahead := camera(15, 9, 0.8)
	ahead.FOV = 4 * math.Pi / 3
	return []Participant{
		{1, "CAMBADA (laptop)", 39, "robot", laptop, 1},
		{2, "Tech United", 63, "robot", camera(30, 8, 0.8), 1},
		{3, "ASML Falcons", 74, "robot", camera(20, 7, 1), 1.5},
		{4, "Carpe Noctem", 40, "robot", camera(12.5, 6, 1.4), 3},
		{5, "NuBot (camera)", 53, "camera", camera(25, 7, 1.1), 2},
		{6, "VDL Robot Sports", 56, "robot", ahead, 2},
	}
}
