package vss

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/firasim"
)

// onSpot is the distance in m that a ball may roll off its spot while play is stopped.
const onSpot = 0.01

// Referee is the referee of a match without people, by the rules of the Very Small Size league as VSSReferee applies
// them.
//
// A call (KICKOFF, FREE_BALL, PENALTY_KICK, GOAL_KICK) stops play. The ball is placed on its spot at once and kept
// there. When Transition has passed, or both teams have sent their placements, both teams are placed and the command is
// STOP; after another Transition it is GAME_ON. The clock runs only then. The timestamp of a command is the played time
// of the part in seconds. Its team is the team that kicks: after a goal the team that conceded it, NoTeam for free
// balls.
//
// The teams do not change ends: blue always defends -x. After the last part the command stays HALT.
type Referee struct {
	cfg     RefereeConfig
	command firasim.RefereeCommand
	call    firasim.RefereeCommand // the last call: the teams are placed for it
	changed bool                   // Watch has not returned the command yet
	started bool                   // there was a tick
	over    bool
	halted  bool          // STOP or HALT of an operator: play resumes only by another command
	step    uint32        // ms, of the last tick
	played  time.Duration // time of the part
	waited  time.Duration // time since the last command
	slow    time.Duration // time for which the ball has been slow
	slowIn  firasim.Color // the team in whose area it is slow, NoTeam for none
	held    time.Duration // time for which the ball has been near heldAt
	heldAt  soccer.Vec
	crowds  [2][2]time.Duration
	spot    soccer.Vec // place of the ball while play is stopped
	ball    soccer.Vec // its last position
	put     bool       // a placement put the ball behind a goal line
	wishes  [2]wish
	packet  firasim.Packet
}

// wish is the placement that a team sent, in its own frame.
type wish struct {
	sent  bool
	has   [maxPlayers]bool
	poses [maxPlayers]soccer.Pose
}

// NewReferee returns a referee before the first kick-off.
func NewReferee(cfg RefereeConfig) *Referee {
	cfg.Robots = min(max(cfg.Robots, 1), maxPlayers)
	cfg.FirstKick = min(max(cfg.FirstKick, firasim.Blue), firasim.Yellow)
	r := &Referee{cfg: cfg}
	r.command.Half = firasim.FirstHalf
	r.issue(firasim.Kickoff, cfg.FirstKick, 0)
	return r
}

// PlacedBehindLine tells the referee, before Watch, whether a placement put the ball behind the goal line where it is:
// then it is out, not in the goal.
func (r *Referee) PlacedBehindLine(put bool) { r.put = put }

// Watch checks the field once a tick. It returns the command in force, whether it is new, and the replacement for the
// simulator, which may be nil and is valid until the next call. Without a ball in the frame it calls no foul.
func (r *Referee) Watch(env *firasim.Environment) (c firasim.RefereeCommand, changed bool, replace *firasim.Packet) {
	dt := r.passed(env.Step)
	ball := env.Frame.Ball
	seen := env.HasFrame && env.Frame.HasBall && finite(ball.X) && finite(ball.Y)
	if seen {
		r.ball = soccer.Vec{X: ball.X, Y: ball.Y}
	}
	if r.over {
		return r.report(nil)
	}
	r.waited += dt
	switch r.command.Foul {
	case firasim.GameOn:
		r.played += dt
		r.command.Timestamp = r.played.Seconds()
		if r.played >= r.length() {
			r.endPart(env)
		} else if seen {
			r.judge(env, dt)
		}
	case firasim.Halt:
	case firasim.Stop:
		if !r.halted && r.waited >= r.cfg.Transition {
			r.issue(firasim.GameOn, firasim.NoTeam, 0)
		}
	default:
		if r.waited >= r.cfg.Transition || r.wishes[0].sent && r.wishes[1].sent {
			r.issue(firasim.Stop, firasim.NoTeam, 0)
			return r.report(r.placeTeams(env))
		}
	}
	if r.command.Foul != firasim.GameOn && seen && r.ball.Sub(r.spot).Len() > onSpot {
		return r.report(r.placeBall())
	}
	return r.report(nil)
}

func (r *Referee) report(replace *firasim.Packet) (firasim.RefereeCommand, bool, *firasim.Packet) {
	changed := r.changed
	r.changed = false
	return r.command, changed, replace
}

// passed returns the simulated time since the last tick.
func (r *Referee) passed(step uint32) time.Duration {
	dt := time.Duration(step-r.step) * time.Millisecond
	if !r.started || dt > longestTick {
		dt = 0
	}
	r.started, r.step = true, step
	return dt
}

// issue sets the command. A call also sets the ball's spot and drops the teams' placements.
func (r *Referee) issue(foul firasim.Foul, team firasim.Color, quadrant int32) {
	r.command.Foul, r.command.Team, r.command.Quadrant = foul, team, quadrant
	r.command.Timestamp = r.played.Seconds()
	r.changed, r.halted = true, false
	r.waited, r.slow, r.held, r.crowds = 0, 0, 0, [2][2]time.Duration{}
	switch foul {
	case firasim.Kickoff, firasim.PenaltyKick, firasim.GoalKick, firasim.FreeBall:
		r.call = r.command
		r.spot = r.cfg.spot(foul, team, quadrant, r.ball)
		r.wishes = [2]wish{}
	}
}

// hold stops play with the ball at its place until another command.
func (r *Referee) hold(foul firasim.Foul) {
	r.issue(foul, firasim.NoTeam, 0)
	r.halted, r.spot = true, r.ball
	x, y := float64(r.cfg.Field.Length*0.5), float64(r.cfg.Field.Width*0.5)
	r.spot = soccer.Vec{X: min(max(r.spot.X, -x), x), Y: min(max(r.spot.Y, -y), y)}
}

// length returns the length of the present part.
func (r *Referee) length() time.Duration {
	if r.command.Half >= firasim.OvertimeFirst {
		return r.cfg.Overtime
	}
	return r.cfg.Half
}

// endPart starts the next part, or ends the match.
func (r *Referee) endPart(env *firasim.Environment) {
	draw := env.GoalsBlue == env.GoalsYellow
	if r.command.Half == firasim.OvertimeSecond ||
		r.command.Half == firasim.SecondHalf && (r.cfg.Overtime <= 0 || !draw) {
		r.hold(firasim.Halt)
		r.over = true
		return
	}
	r.command.Half++
	r.played = 0
	kick := r.cfg.FirstKick
	if r.command.Half == firasim.SecondHalf || r.command.Half == firasim.OvertimeSecond {
		kick = opponent(kick)
	}
	r.issue(firasim.Kickoff, kick, 0)
}

// judge makes the calls that the rules require.
func (r *Referee) judge(env *firasim.Environment, dt time.Duration) {
	f := &r.cfg.Field
	x, y := math.Abs(r.ball.X), math.Abs(r.ball.Y)
	out := x-float64(f.Length*0.5) > soccer.VSSBallRadius
	switch {
	case out && y <= float64(f.GoalWidth*0.5) && !r.put:
		conceded := firasim.Yellow
		if r.ball.X < 0 {
			conceded = firasim.Blue
		}
		r.issue(firasim.Kickoff, conceded, 0)
	case out || y-float64(f.Width*0.5) > soccer.VSSBallRadius: // out over the wall, or placed there
		r.issue(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case r.judgeArea(env, dt, firasim.Blue) || r.judgeArea(env, dt, firasim.Yellow):
	default:
		r.judgeStuck(env, dt)
	}
}

// judgeArea calls a penalty when too many robots defend their area with the ball in it, and a goal kick when too many
// attack it.
func (r *Referee) judgeArea(env *firasim.Environment, dt time.Duration, defender firasim.Color) bool {
	ball := ownFrame(defender, r.ball)
	inArea, inBig := r.cfg.inArea(ball), r.cfg.Robots > 3 && r.cfg.inBig(ball)
	for i, team := range [2]firasim.Color{defender, opponent(defender)} {
		most := [2]int{r.cfg.BigDefenders, r.cfg.BigAttackers}[i]
		crowd := &r.crowds[defender][i]
		if !(inArea && r.count(env, team, defender, r.cfg.inArea) >= 2 ||
			inBig && r.count(env, team, defender, r.cfg.inBig) >= most) {
			*crowd = 0
			continue
		}
		if *crowd += dt; *crowd >= r.cfg.AreaTime {
			foul := [2]firasim.Foul{firasim.PenaltyKick, firasim.GoalKick}[i]
			r.issue(foul, opponent(team), 0)
			return true
		}
	}
	return false
}

// count returns the number of a team's robots in an area of defender.
func (r *Referee) count(env *firasim.Environment, team, defender firasim.Color, in func(soccer.Vec) bool) (n int) {
	for _, p := range playersOf(env, team) {
		if in(ownFrame(defender, soccer.Vec{X: p.X, Y: p.Y})) {
			n++
		}
	}
	return n
}

// judgeStuck calls a free ball when the ball has been slow for too long, or robots have held it at one spot, which
// VSSReferee leaves to its operator. In an area it is a goal kick if both teams are at the ball, and a penalty
// otherwise.
func (r *Referee) judgeStuck(env *firasim.Environment, dt time.Duration) {
	in := firasim.NoTeam
	for _, team := range [2]firasim.Color{firasim.Blue, firasim.Yellow} {
		if r.cfg.inArea(ownFrame(team, r.ball)) {
			in = team
		}
	}
	speed := soccer.Vec{X: env.Frame.Ball.VX, Y: env.Frame.Ball.VY}.Len()
	if r.slow += dt; in != r.slowIn || !(speed <= r.cfg.StuckSpeed) {
		r.slow, r.slowIn = 0, in
	}
	if r.held += dt; r.ball.Sub(r.heldAt).Len() > r.cfg.HeldWithin {
		r.held, r.heldAt = 0, r.ball
	}
	if r.slow < r.cfg.StuckTime && r.held < r.cfg.HeldTime {
		return
	}
	switch {
	case in == firasim.NoTeam:
		r.issue(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case r.near(env, firasim.Blue) && r.near(env, firasim.Yellow):
		r.issue(firasim.GoalKick, in, 0)
	default:
		r.issue(firasim.PenaltyKick, opponent(in), 0)
	}
}

// near reports whether a robot of a team is at the ball.
func (r *Referee) near(env *firasim.Environment, team firasim.Color) bool {
	for _, p := range playersOf(env, team) {
		if (soccer.Vec{X: p.X, Y: p.Y}).Sub(r.ball).Len() <= r.cfg.NearBall {
			return true
		}
	}
	return false
}

// Do runs a command of an operator, in any letter case: "kickoff [blue|yellow]", "free_ball [1|2|3|4]", "penalty
// blue|yellow" and "goal_kick blue|yellow" with the team that kicks, "stop", "halt" and "game_on". It also accepts the
// names of VSSReferee. After "stop" and "halt" play resumes only by another command. Do refuses
// unknown commands, and all commands after the end of the match.
func (r *Referee) Do(command string) error {
	if r.over {
		return errors.New("referee: the match is over: reset starts a new one")
	}
	word, argument, _ := strings.Cut(strings.ToLower(strings.TrimSpace(command)), " ")
	argument = strings.TrimSpace(argument)
	team, named := map[string]firasim.Color{"blue": firasim.Blue, "yellow": firasim.Yellow}[argument]
	switch {
	case word == "stop" && argument == "":
		r.hold(firasim.Stop)
	case word == "halt" && argument == "":
		r.hold(firasim.Halt)
	case word == "game_on" && argument == "":
		r.issue(firasim.GameOn, firasim.NoTeam, 0)
	case word == "kickoff" && argument == "":
		r.issue(firasim.Kickoff, r.cfg.FirstKick, 0)
	case word == "kickoff" && named:
		r.issue(firasim.Kickoff, team, 0)
	case word == "free_ball" && argument == "":
		r.issue(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case word == "free_ball" && len(argument) == 1 && argument[0] >= '1' && argument[0] <= '4':
		r.issue(firasim.FreeBall, firasim.NoTeam, int32(argument[0])-'0')
	case (word == "penalty" || word == "penalty_kick") && named:
		r.issue(firasim.PenaltyKick, team, 0)
	case word == "goal_kick" && named:
		r.issue(firasim.GoalKick, team, 0)
	default:
		return fmt.Errorf("referee: unknown command %.40q: want kickoff [blue|yellow], free_ball [1|2|3|4], "+
			"penalty blue|yellow, goal_kick blue|yellow, stop, halt or game_on", command)
	}
	return nil
}

// Clone returns a referee that continues the match as r would.
func (r *Referee) Clone() *Referee {
	c := *r
	c.packet = firasim.Packet{}
	return &c
}

// Over reports whether the last part has ended.
func (r *Referee) Over() bool { return r.over }

// Clock returns the part of the match, and its played and remaining time in s.
func (r *Referee) Clock() (part firasim.Half, elapsed, left float64) {
	return r.command.Half, r.played.Seconds(), max(0, (r.length() - r.played).Seconds())
}

func opponent(team firasim.Color) firasim.Color { return firasim.Yellow - team }

// playersOf returns the robots of a team that are on the field.
func playersOf(env *firasim.Environment, team firasim.Color) []firasim.Robot {
	if team == firasim.Yellow {
		return env.Frame.Yellow
	}
	return env.Frame.Blue
}
