package autoref

import (
	"math"
	"time"

	"touchline/game"
	"touchline/soccer"
)

// track is what the referee remembers of one robot, by its place in the Scene.
type track struct {
	heard  soccer.Time   // when it received the newest STOP
	brakes soccer.Time   // when it braked at the latest
	speed  float64       // m/s, at heard, or when another robot last touched it
	goal   time.Duration // time in a goal area where it may not be
	area   time.Duration // time in a penalty area
	end    float64       // end of that penalty area, +1 or -1
	excess time.Duration // time as one robot too many there
	pushes time.Duration // an opponent
	down   time.Duration // time since it went down
	told   bool          // the referee has taken it out since then
	off    bool          // it was sent off, and stands beyond a touch line
}

// watchRobots notes the rules that robots break whatever the ball does, and reports whether the first of Pushing was
// noted now, with the side that pushed.
func (r *Referee) watchRobots(s *Scene, st *game.State) (pushed game.Side) {
	for i := range s.robots() {
		robot, t := &s.Robots[i], &r.tracks[i]
		if !robot.usable() {
			*t = track{down: t.down + r.dt, told: t.told}
			continue
		}
		t.off = math.Abs(robot.Pose.Y) > r.half.Y && r.isOff(st, robot.Player)
		t.down, t.told = 0, false
		if robot.StopHeard != t.heard {
			t.heard, t.speed = robot.StopHeard, robot.speed()
			t.brakes = t.heard.Add(stopWithin + stopSlack)
		}
		switch {
		case st.Running:
			if r.pushes(s, i) {
				pushed = robot.Side
			}
			r.areas(s, st.Part, i)
		case st.SetPiece.Command == "" && !st.Part.IsInterval():
			r.halts(s, i)
		}
		if st.Running && !r.play.taken {
			r.keepsAway(s, st, i)
		}
	}
	return pushed
}

// halts notes a robot that does not brake after a STOP. A robot that touches another one may get speed from it.
func (r *Referee) halts(s *Scene, i int) {
	robot, t := &s.Robots[i], &r.tracks[i]
	if t.heard < r.stopped {
		return
	}
	if r.nearest(s, i, game.Both) >= 0 {
		t.speed, t.brakes = robot.speed(), max(t.brakes, r.last)
	}
	late := r.last.Sub(t.brakes).Seconds()
	if limit := max(standing, t.speed-float64(leastBraking*late)); late > 0 && robot.speed() > limit {
		r.note(s, i, StillMoving, "%.1f m/s, %.2f s after the STOP came", robot.speed(), r.last.Sub(t.heard).Seconds())
	}
}

// nearest returns the place of a robot of a side (Both: of either) that robot i touches; -1: it touches none.
func (r *Referee) nearest(s *Scene, i int, side game.Side) int {
	at := s.Robots[i].Pose.XY()
	for j := range s.robots() {
		other := &s.Robots[j]
		if j != i && (side == game.Both || other.Side == side) && other.Pose.XY().Sub(at).Len() < touching {
			return j
		}
	}
	return -1
}

// keepsAway notes a robot of the other side that comes too near to the ball before a set piece is taken.
func (r *Referee) keepsAway(s *Scene, st *game.State, i int) {
	robot, taking := &s.Robots[i], st.Taking
	if taking.Side == game.Both || taking.Side == robot.Side {
		return
	}
	if rule, away, bad := r.misplaced(s, taking, st.Part, r.play.from, i, -1); bad && rule == TooNear {
		r.note(s, i, rule, "%.1f m from the ball before the %s was taken", away, taking.Command)
	}
}

// areas notes a robot that stays in a goal area, or as one too many in a penalty area. A goal area belongs to the
// goalkeeper of its team.
func (r *Referee) areas(s *Scene, part game.Part, i int) {
	robot, t, f := &s.Robots[i], &r.tracks[i], &r.cfg.Field
	at := robot.Pose.XY()
	end := math.Copysign(1, at.X)
	if part.Attack(robot.Side) != end && r.keeps(s, i) {
		t.goal, t.area, t.excess = 0, 0, 0
		return
	}
	switch {
	case !inArea(f, at, end, f.GoalAreaLength, f.GoalAreaWidth):
		t.goal = 0
	case r.nearest(s, i, robot.Side.Opponent()) < 0: // opponents can hold a robot there
		t.goal += r.dt
	}
	if t.area += r.dt; end != t.end || !inArea(f, at, end, f.PenaltyAreaLength, f.PenaltyAreaWidth) {
		t.area, t.end = 0, end
	}
	if t.goal > goalAreaFor {
		r.note(s, i, AreaCrowded, "in a goal area for %.1f s", t.goal.Seconds())
	}
	if t.excess += r.dt; t.area == 0 || r.longer(s, i) < mostInArea {
		t.excess = 0
	}
	if t.excess > crowdedFor {
		r.note(s, i, AreaCrowded, "in a penalty area with %d robots of its team for %.0f s", r.longer(s, i), t.excess.Seconds())
	}
}

// longer returns how many robots of its team have been in a robot's penalty area longer than it.
func (r *Referee) longer(s *Scene, i int) int {
	t, n := &r.tracks[i], 0
	for j := range s.robots() {
		o := &r.tracks[j]
		if j != i && s.Robots[j].Side == s.Robots[i].Side && o.end == t.end && o.area > 0 &&
			(o.area > t.area || o.area == t.area && j < i) {
			n++
		}
	}
	return n
}

// keeps reports whether a robot is its team's goalkeeper: number 1, or while that is not on the field the robot nearest
// to its own goal line.
func (r *Referee) keeps(s *Scene, i int) bool {
	robot := &s.Robots[i]
	if robot.Number == soccer.Goalkeeper {
		return true
	}
	for j := range s.robots() {
		o := &s.Robots[j]
		if o.Side != robot.Side || j == i || !o.usable() {
			continue
		}
		if o.Number == soccer.Goalkeeper || math.Abs(o.Pose.X) > math.Abs(robot.Pose.X) && o.Pose.X*robot.Pose.X > 0 {
			return false
		}
	}
	return true
}

// pushes reports whether a robot has pushed an opponent for long enough, and notes it.
func (r *Referee) pushes(s *Scene, i int) bool {
	robot, t := &s.Robots[i], &r.tracks[i]
	j := r.nearest(s, i, robot.Side.Opponent())
	if j < 0 || !drives(robot, &s.Robots[j], r.ball.XY()) {
		t.pushes = 0
		return false
	}
	was := t.pushes
	if t.pushes += r.dt; was > pushGrace || t.pushes <= pushGrace {
		return false
	}
	r.note(s, i, Pushing, "robot %d of %s", s.Robots[j].Number, s.Robots[j].Side.Text())
	return true
}

// drives reports whether robot a drives towards b, and b gives way, away from the ball. A robot that races another one
// to the ball, side by side or behind it, does not push it.
func drives(a, b *Robot, ball soccer.Vec) bool {
	to := b.Pose.XY().Sub(a.Pose.XY())
	return along(a.Velocity, to) > pushSpeed && along(b.Velocity, to) > pushSpeed &&
		along(b.Velocity, b.Pose.XY().Sub(ball)) > pushSpeed
}

// along returns the part of v in the direction of to.
func along(v, to soccer.Vec) float64 {
	return v.Dot(to) / max(to.Len(), 1e-6)
}

// repairs takes the robots that are down out of the game, before START, as far as the rules leave enough robots.
func (r *Referee) repairs(s *Scene, st *game.State) {
	if st.Part.IsInterval() {
		return
	}
	off := [2]int{r.penalties(st, game.Home), r.penalties(st, game.Away)}
	for i := range s.robots() {
		robot, t := &s.Robots[i], &r.tracks[i]
		if robot.Side == game.Both || robot.Number < 1 || robot.Number > 99 || t.down < downGrace || t.told ||
			r.isOff(st, robot.Player) || r.cfg.Rules.Robots-off[robot.Side.Index()]-1 < r.cfg.Rules.LeastRobots {
			continue
		}
		t.told = true
		off[robot.Side.Index()]++
		r.order(game.Decision{Command: game.Repair, Side: robot.Side, Robot: int(robot.Number)})
	}
}

// penalties counts the robots that cards and repairs keep off the field.
func (r *Referee) penalties(st *game.State, side game.Side) int {
	n := 0
	for i := range st.Team(side).Penalties {
		if p := &st.Team(side).Penalties[i]; !p.Over && p.Command != game.YellowCard {
			n++
		}
	}
	return n
}

// isOff reports whether a card or repair keeps a robot off the field.
func (r *Referee) isOff(st *game.State, who Player) bool {
	all := st.Team(who.Side).Penalties
	for i := range all {
		if p := &all[i]; p.Robot == int(who.Number) && !p.Over && p.Command != game.YellowCard {
			return true
		}
	}
	return false
}
