package vss

import (
	"math"

	"touchline/soccer"
	"touchline/wire/firasim"
)

// Place stores the placement that a team wants for the last call. It ignores values that are not finite, unknown teams
// and unknown robots. A robot whose place breaks a rule gets the referee's own place.
func (r *Referee) Place(p *firasim.Placement) {
	if !p.HasWorld || p.Team != firasim.Blue && p.Team != firasim.Yellow {
		return
	}
	w := &r.wishes[p.Team]
	*w = wish{sent: true}
	for _, robot := range p.Robots {
		if int64(robot.ID) >= int64(r.cfg.Robots) || !finite(robot.X) || !finite(robot.Y) ||
			!finite(robot.Orientation) {
			continue
		}
		own := soccer.Pose{X: robot.X, Y: robot.Y, Theta: math.Remainder(robot.Orientation, 360) * (math.Pi / 180)}
		if p.Team == firasim.Yellow {
			own = own.Turned()
		}
		w.has[robot.ID], w.poses[robot.ID] = true, own
	}
}

// placeBall returns the replacement of the ball at its spot, at rest.
func (r *Referee) placeBall() *firasim.Packet {
	r.packet.HasReplacement = true
	r.packet.Replacement = firasim.Replacement{
		HasBall: true, Ball: firasim.BallReplacement{X: r.spot.X, Y: r.spot.Y}, Robots: r.packet.Replacement.Robots[:0],
	}
	return &r.packet
}

// placeTeams returns the replacement of the ball and both teams. Switched-off robots stay off.
func (r *Referee) placeTeams(env *firasim.Environment) *firasim.Packet {
	p := r.placeBall()
	for _, team := range [2]firasim.Color{firasim.Blue, firasim.Yellow} {
		var on [maxPlayers]bool
		for _, robot := range playersOf(env, team) {
			if int64(robot.ID) < int64(r.cfg.Robots) {
				on[robot.ID] = true
			}
		}
		duties := r.duties(team, on)
		for id, duty := range duties {
			if !on[id] {
				continue
			}
			pose := r.place(team, id, duty)
			p.Replacement.Robots = append(p.Replacement.Robots, firasim.RobotReplacement{
				HasPosition: true, Yellow: team == firasim.Yellow, TurnOn: true,
				Position: firasim.Robot{
					ID: uint32(id), X: pose.X, Y: pose.Y, Orientation: pose.Theta * (180 / math.Pi),
				},
			})
		}
	}
	return p
}

// duties assigns the keeper and the kicker: the robots whose wanted places are closest to the goal and to the ball;
// without placements those with the lowest ids. The others follow in the order of their ids.
func (r *Referee) duties(team firasim.Color, on [maxPlayers]bool) (duties [maxPlayers]int) {
	goal := soccer.Vec{X: -float64(r.cfg.Field.Length * 0.5)}
	free := on
	next := keeps
	for _, target := range [2]soccer.Vec{goal, ownFrame(team, r.spot)} {
		if id := r.nearest(team, free, target); id >= 0 {
			duties[id], free[id] = next, false
		}
		next++
	}
	for id := range free {
		if free[id] {
			duties[id] = next
			next++
		}
	}
	return duties
}

// nearest returns the free robot of a team whose wanted place is closest to target, -1 for none.
func (r *Referee) nearest(team firasim.Color, free [maxPlayers]bool, target soccer.Vec) int {
	best, at := -1, math.Inf(1)
	w := &r.wishes[team]
	for id := range free {
		if !free[id] {
			continue
		}
		distance := math.MaxFloat64
		if w.has[id] {
			distance = w.poses[id].XY().Sub(target).Len()
		}
		if distance < at {
			best, at = id, distance
		}
	}
	return best
}

// place returns the place of a robot in the field frame: the wanted one if the rules allow it.
func (r *Referee) place(team firasim.Color, id, duty int) soccer.Pose {
	spot, kicking := ownFrame(team, r.spot), r.call.Team == team
	pose := r.cfg.formation(r.call.Foul, kicking, spot, duty)
	if w := &r.wishes[team]; w.has[id] && r.cfg.allowed(r.call.Foul, kicking, spot, duty, w.poses[id]) {
		pose = w.poses[id]
	}
	if team == firasim.Yellow {
		return pose.Turned()
	}
	return pose
}
