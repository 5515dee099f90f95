// Package match runs a whole session in one process: the field, the robots, their network; in virtual time from a seed,
// or in real time on sockets.
package match

import (
	"math"

	"touchline/sim"
)

// Participant is who takes part in the practical session of seed 001.
type Participant struct {
	Number uint8  // jersey
	Team   string // as the announcement of the session and the page name it
	TeamID uint8  // its original_team_id, an ID of soccer.MSLTeams: 63 is "Tech United" here, "Tech United Eindhoven" there
	Shape  string // "robot", or "camera" for a unit that has no body of a robot
	Camera sim.Camera
	// PeerScale says how the teams' world models differ: in how much they trust what teammates report (world.Config).
	PeerScale float64
}

// Participants returns the six of seed 001: four robots, NuBot's omnivision unit without a robot, and CAMBADA's laptop,
// which sends packets from a simulation of its own: it knows the same ball, sees through bodies, and adds its own noise.
// Rates lie within the 10 to 30 Hz that seed 000 names; each sends one package a picture.
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
		{5, "NuBot (camera only)", 53, "camera", camera(25, 7, 1.1), 2},
		{6, "VDL Robot Sports", 56, "robot", ahead, 2},
	}
}
