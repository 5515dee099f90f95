package analysis

import (
	"math"
	"slices"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/bounded"
	"touchline/soccer"
)

const (
	wide      = 0.5 // m beside the posts: a kick there is a shot, too. VSS: a sixth
	slowing   = 0.5 // m/s^2, by which a rolling ball slows down
	leastShot = 2.0 // m/s. VSS: a sixth
)

// kick is a kick that nobody has got yet.
type kick struct {
	at    soccer.Time
	from  soccer.Vec
	by    autoref.Player
	open  bool
	shot  bool
	on    bool           // target
	got   autoref.Player // the robot that touched the ball next
	event int            // its place among the events; -1: none
}

// follow counts kicks, and who gets them.
func (t *Tally) follow(s *autoref.Scene, st *game.State) {
	if index(s.Kicked.Side) < 2 && s.KickedAt >= t.from && s.KickedAt != t.kick.at {
		from := s.KickBall.XY().Scale(st.Part.Attack(game.Home))
		if !(math.Abs(from.X) <= far && math.Abs(from.Y) <= far) {
			from = t.ball
		}
		t.kick = kick{at: s.KickedAt, from: from, by: s.Kicked, open: true, event: -1}
		t.saved = game.Both
		t.begin(s.Kicked.Side)
		if t.shot(s, st.Part.Attack(s.Kicked.Side)); t.kick.shot {
			t.kick.event = t.note(st, Event{
				At: s.KickedAt, Kind: Shot, By: s.Kicked, From: from, End: from, Result: t.view.Tried[len(t.view.Tried)-1].Result,
			})
		} else {
			t.kick.event = t.note(st, Event{At: s.KickedAt, Kind: Passed, By: s.Kicked, From: from, End: from, Result: Untouched})
		}
	}
	if s.Touched == t.touched || index(s.Touched.Side) == 2 || s.TouchedAt < t.from {
		return
	}
	had := t.touched
	t.touched, t.got, t.saved = s.Touched, t.ball, game.Both
	k := &t.kick
	kicked := k.open && s.Touched != k.by && s.TouchedAt >= k.at
	if had.Side == s.Touched.Side.Opponent() && !(kicked && k.shot) {
		cause, by, from := Tackled, had, t.ball
		if kicked && k.by.Side == had.Side {
			cause, by, from = Intercepted, k.by, k.from
		}
		t.lose(st, by, s.Touched, from, cause)
	}
	t.begin(s.Touched.Side)
	if !kicked {
		return
	}
	k.open, k.got = false, s.Touched
	e := t.event(k.event)
	if e != nil {
		e.To, e.End = s.Touched, t.ball
	}
	switch kicker, other := t.view.Team(k.by.Side), t.view.Team(s.Touched.Side); {
	case k.by.Side == s.Touched.Side && !k.shot:
		kicker.Passes++
		v := &t.view
		v.Arrived = bounded.Append(v.Arrived, TallyPass{v.Elapsed, k.by.Side, k.from, t.ball}, mostPasses)
		if e != nil {
			e.Result, e.Success = Arrived, true
		}
	case k.by.Side == s.Touched.Side:
	case k.on && s.Touched.Number == soccer.Goalkeeper && plays(s, s.Touched):
		other.Saves++
		t.resolve(shotSaved)
		t.saved = s.Touched.Side
	case !k.shot:
		kicker.PassesLost++
		if e != nil {
			e.Result = Intercepted
		}
	}
}

// plays reports whether a robot runs: one that is switched off only lies in the way.
func plays(s *autoref.Scene, p autoref.Player) bool {
	return slices.ContainsFunc(s.Robots, func(r autoref.Robot) bool { return r.Player == p && r.On })
}

// shot finds out whether a kick is a shot, from the ball's motion right after it. direction is that in which the kicker's
// team plays.
func (t *Tally) shot(s *autoref.Scene, direction float64) {
	ball, v := s.KickBall, s.KickVelocity
	ball.X, v.X = float64(ball.X*direction), float64(v.X*direction)
	if t.kick.shot, t.kick.on = Aimed(&t.field, ball, v); !t.kick.shot {
		return
	}
	team := t.view.Team(t.kick.by.Side)
	team.Shots++
	result := shotWide
	if t.kick.on {
		team.OnTarget++
		result = shotOnTarget
	}
	t.try(t.kick.by, t.kick.from, result)
}

// Aimed reports whether a ball with a velocity in m/s is a shot at the goal at +x, and whether it is on target: between the
// posts and under the bar.
func Aimed(field *soccer.Field, ball, v soccer.Vec3) (shot, on bool) {
	scale := scaleOf(field)
	radius := float64(scale * soccer.BallRadius)
	speed, ahead := v.XY().Len(), float64(field.Length*0.5)-ball.X
	if !(v.X > 0) || speed < scale*leastShot || !(ahead > 0) {
		return false, false
	}
	in := ahead / v.X // s; a rolling ball needs longer
	if float64(speed*in) > float64(speed*speed)/(2*slowing) {
		return false, false // it stops before
	}
	off := math.Abs(ball.Y+float64(v.Y*in)) - float64(field.GoalWidth*0.5)
	if !(off <= scale*wide) {
		return false, false
	}
	height := ball.Z + float64(v.Z*in) - float64(0.5*soccer.Gravity*float64(in*in))
	return true, off <= -radius && height <= field.GoalHeight-radius
}

// try notes a shot.
func (t *Tally) try(by autoref.Player, from soccer.Vec, result string) {
	v := &t.view
	v.Tried = bounded.Append(v.Tried, TallyShot{v.Elapsed, by, from, result}, mostShots)
}

// resolve notes what became of the newest shot.
func (t *Tally) resolve(result string) {
	if n := len(t.view.Tried); n > 0 {
		t.view.Tried[n-1].Result = result
	}
	if e := t.event(t.kick.event); e != nil && e.Kind == Shot {
		e.Result, e.Success = result, result == shotGoal
	}
}

// goals follows the score. A goal without a kick before it was a shot, too: a robot pushed the ball in.
func (t *Tally) goals(st *game.State) {
	v := &t.view
	for _, side := range [2]game.Side{game.Home, game.Away} {
		team := v.Team(side)
		was := team.Goals
		team.Goals = st.Team(side).Goals
		switch {
		case team.Goals == was+1 && st.Goal == side:
			t.score(side, st)
		case team.Goals == was-1: // it was taken back
			for i := len(v.Goals) - 1; i >= 0; i-- {
				if v.Goals[i].Side == side {
					v.Goals = append(v.Goals[:i], v.Goals[i+1:]...)
					break
				}
			}
		}
	}
}

// nearGoal reports whether the ball is in the quarter of the field before the goal that a side attacks.
func (t *Tally) nearGoal(side game.Side) bool {
	ahead := t.ball.X
	if side == game.Away {
		ahead = -ahead
	}
	return ahead > t.field.Length/4
}

// score counts a goal.
func (t *Tally) score(side game.Side, st *game.State) {
	v := &t.view
	// A touch of a defender on the way does not make a shot that robot's goal.
	k := &t.kick
	shot := k.on && k.by.Side == side && (k.open || t.touched == k.by || t.touched == k.got)
	scorer := t.touched
	if shot {
		scorer = k.by
	}
	own := scorer.Side == side.Opponent()
	if own && !t.nearGoal(side) { // a goal that was counted late, or by hand: nobody's own goal
		scorer, own = autoref.Player{}, false
	}
	v.Goals = bounded.Append(v.Goals, TallyGoal{
		At: v.Elapsed, Part: st.Part, Clock: st.Total.Seconds(), Side: side, Scorer: scorer, Own: own,
	}, mostGoals)
	if t.saved == side.Opponent() {
		v.Team(t.saved).Saves--
		t.saved = game.Both
	}
	t.note(st, Event{Kind: Scored, By: scorer, From: t.got, End: t.ball, Success: !own})
	switch team := v.Team(side); {
	case own:
	case shot:
		t.resolve(shotGoal)
	default:
		team.Shots++
		team.OnTarget++
		t.try(scorer, t.got, shotGoal)
		t.note(st, Event{Kind: Shot, By: scorer, From: t.got, End: t.ball, Result: shotGoal, Success: true})
	}
}
