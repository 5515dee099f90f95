// Package referee is the referee of a Very Small Size match without people, by the rules of the league as VSSReferee
// applies them. It is a pure core: it reads vision and returns commands and replacements.
package referee

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/firasim"
)

// What Referee.Do refuses; the error says more.
var (
	ErrCommand = errors.New("referee: no such command")
	ErrOver    = errors.New("referee: the match is over")
)

// longestTick is what may pass between two looks at the field; the simulator makes no longer step, so a longer one, or
// one back, is another run of it and counts for nothing.
const longestTick = time.Second

// onSpot is how far in m a ball may roll while play rests before it is put back.
const onSpot = 0.01

// Referee is the referee of a match without people, by the rules of the Very Small Size league as VSSReferee has them.
//
// A call (KICKOFF, FREE_BALL, PENALTY_KICK, GOAL_KICK) stops play. The ball goes to its spot at once and is kept there.
// When Transition is over, or as soon as both teams have said where they want to stand, both are placed and it is STOP;
// after another Transition it is GAME_ON. Only then does the clock run. A command's timestamp is the seconds that were
// played of its part; its team is who kicks, after a goal who conceded it, NoTeam for free balls.
//
// Teams do not change sides: blue always defends -x. When the last part is over the referee says HALT for good.
type Referee struct {
	cfg     Config
	command firasim.RefereeCommand
	call    firasim.RefereeCommand // the last one that the teams are placed for
	changed bool                   // the command has not been reported yet
	begun   bool                   // there was a tick
	over    bool
	halted  bool          // an operator's STOP or HALT: nothing goes on by itself
	step    uint32        // ms, of the last tick
	played  time.Duration // of the part
	waited  time.Duration // since the last command
	slow    time.Duration // for how long the ball has been slow
	slowIn  firasim.Color // in whose area that was, NoTeam for none
	held    time.Duration // for how long the ball has been near heldAt
	heldAt  soccer.Vec
	crowds  [2][2]time.Duration
	spot    soccer.Vec // the ball's, while play rests
	ball    soccer.Vec // where it was last seen
	wishes  [2]wish
	packet  firasim.Packet
}

// wish is where a team wants its players, in its own frame.
type wish struct {
	there bool
	has   [maxPlayers]bool
	poses [maxPlayers]soccer.Pose
}

// New returns a referee who is about to call the first kick-off.
func New(cfg Config) *Referee {
	cfg.Robots = min(max(cfg.Robots, 1), maxPlayers)
	cfg.FirstKick = min(max(cfg.FirstKick, firasim.Blue), firasim.Yellow)
	r := &Referee{cfg: cfg}
	r.command.Half = firasim.FirstHalf
	r.say(firasim.Kickoff, cfg.FirstKick, 0)
	return r
}

// Watch looks at the field once a tick. It returns the command that holds, whether it is a new one, and what the
// simulator is to move, which may be nil and is valid until the next call. Without a ball in the frame no foul is called.
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
		if r.played >= r.part() {
			r.endPart(env)
		} else if seen {
			r.judge(env, dt)
		}
	case firasim.Halt:
	case firasim.Stop:
		if !r.halted && r.waited >= r.cfg.Transition {
			r.say(firasim.GameOn, firasim.NoTeam, 0)
		}
	default:
		if r.waited >= r.cfg.Transition || r.wishes[0].there && r.wishes[1].there {
			r.say(firasim.Stop, firasim.NoTeam, 0)
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
	if !r.begun || dt > longestTick {
		dt = 0
	}
	r.begun, r.step = true, step
	return dt
}

// say makes a command, and of a call what goes with it.
func (r *Referee) say(foul firasim.Foul, team firasim.Color, quadrant int32) {
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

// hold stops play where the ball is, until somebody orders something else.
func (r *Referee) hold(foul firasim.Foul) {
	r.say(foul, firasim.NoTeam, 0)
	r.halted, r.spot = true, r.ball
	limit := soccer.Vec{X: float64(r.cfg.Field.Length * 0.5), Y: float64(r.cfg.Field.Width * 0.5)}
	r.spot.X = min(max(r.spot.X, -limit.X), limit.X)
	r.spot.Y = min(max(r.spot.Y, -limit.Y), limit.Y)
}

// part returns how long the part is that is being played.
func (r *Referee) part() time.Duration {
	if r.command.Half >= firasim.OvertimeFirst {
		return r.cfg.Overtime
	}
	return r.cfg.Half
}

// endPart begins the next part, or ends the match.
func (r *Referee) endPart(env *firasim.Environment) {
	draw := env.GoalsBlue == env.GoalsYellow
	if r.command.Half == firasim.OvertimeSecond || r.command.Half == firasim.SecondHalf && (r.cfg.Overtime <= 0 || !draw) {
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
	r.say(firasim.Kickoff, kick, 0)
}

// judge calls what the rules forbid to go on.
func (r *Referee) judge(env *firasim.Environment, dt time.Duration) {
	f := &r.cfg.Field
	x, y := math.Abs(r.ball.X), math.Abs(r.ball.Y)
	out := x-float64(f.Length*0.5) > soccer.VSSBallRadius
	switch {
	case out && y <= float64(f.GoalWidth*0.5):
		conceded := firasim.Yellow
		if r.ball.X < 0 {
			conceded = firasim.Blue
		}
		r.say(firasim.Kickoff, conceded, 0)
	case out || y-float64(f.Width*0.5) > soccer.VSSBallRadius: // over the wall
		r.say(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case r.judgeArea(env, dt, firasim.Blue) || r.judgeArea(env, dt, firasim.Yellow):
	default:
		r.judgeStuck(env, dt)
	}
}

// judgeArea calls a penalty where too many defend their area with the ball in it, and a goal kick where too many attack it.
func (r *Referee) judgeArea(env *firasim.Environment, dt time.Duration, defender firasim.Color) bool {
	ball := ownFrame(defender, r.ball)
	inArea, inBig := r.cfg.inArea(ball), r.cfg.Robots > 3 && r.cfg.inBig(ball)
	for i, team := range [2]firasim.Color{defender, opponent(defender)} {
		most := [2]int{r.cfg.BigDefenders, r.cfg.BigAttackers}[i]
		crowd := &r.crowds[defender][i]
		if !(inArea && r.count(env, team, defender, r.cfg.inArea) >= 2 || inBig && r.count(env, team, defender, r.cfg.inBig) >= most) {
			*crowd = 0
			continue
		}
		if *crowd += dt; *crowd >= r.cfg.AreaTime {
			foul := [2]firasim.Foul{firasim.PenaltyKick, firasim.GoalKick}[i]
			r.say(foul, opponent(team), 0)
			return true
		}
	}
	return false
}

// count returns how many of a team stand in an area of defender.
func (r *Referee) count(env *firasim.Environment, team, defender firasim.Color, in func(soccer.Vec) bool) (n int) {
	for _, p := range playersOf(env, team) {
		if in(ownFrame(defender, soccer.Vec{X: p.X, Y: p.Y})) {
			n++
		}
	}
	return n
}

// judgeStuck calls a free ball where the ball has been slow for too long, or was held on one spot by robots that jostle
// it, which VSSReferee leaves to its operator. In an area it is a goal kick if both teams are at the ball, else a penalty.
func (r *Referee) judgeStuck(env *firasim.Environment, dt time.Duration) {
	in := firasim.NoTeam
	for _, team := range [2]firasim.Color{firasim.Blue, firasim.Yellow} {
		if r.cfg.inArea(ownFrame(team, r.ball)) {
			in = team
		}
	}
	if r.slow += dt; in != r.slowIn || !(soccer.Vec{X: env.Frame.Ball.VX, Y: env.Frame.Ball.VY}.Len() <= r.cfg.StuckSpeed) {
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
		r.say(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case r.near(env, firasim.Blue) && r.near(env, firasim.Yellow):
		r.say(firasim.GoalKick, in, 0)
	default:
		r.say(firasim.PenaltyKick, opponent(in), 0)
	}
}

// near reports whether a player of a team disputes the ball.
func (r *Referee) near(env *firasim.Environment, team firasim.Color) bool {
	for _, p := range playersOf(env, team) {
		if (soccer.Vec{X: p.X, Y: p.Y}).Sub(r.ball).Len() <= r.cfg.NearBall {
			return true
		}
	}
	return false
}

// Do obeys an operator: "kickoff [blue|yellow]", "free_ball [1|2|3|4]", "penalty blue|yellow", "goal_kick blue|yellow" (who
// kicks), "stop", "halt" and "game_on", in any case; also with VSSReferee's names. After "stop" and "halt" play goes on by
// another command only. The error is ErrCommand for anything else, ErrOver after the end.
func (r *Referee) Do(command string) error {
	if r.over {
		return fmt.Errorf("%w; start a new one", ErrOver)
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
		r.say(firasim.GameOn, firasim.NoTeam, 0)
	case word == "kickoff" && argument == "":
		r.say(firasim.Kickoff, r.cfg.FirstKick, 0)
	case word == "kickoff" && named:
		r.say(firasim.Kickoff, team, 0)
	case word == "free_ball" && argument == "":
		r.say(firasim.FreeBall, firasim.NoTeam, quadrantOf(r.ball))
	case word == "free_ball" && len(argument) == 1 && argument[0] >= '1' && argument[0] <= '4':
		r.say(firasim.FreeBall, firasim.NoTeam, int32(argument[0])-'0')
	case (word == "penalty" || word == "penalty_kick") && named:
		r.say(firasim.PenaltyKick, team, 0)
	case word == "goal_kick" && named:
		r.say(firasim.GoalKick, team, 0)
	default:
		return fmt.Errorf("%w %.40q; it is kickoff [blue|yellow], free_ball [1|2|3|4], penalty blue|yellow, goal_kick blue|yellow, stop, halt or game_on",
			ErrCommand, command)
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

// Clock returns the part of the match and how many seconds of it were played and are left.
func (r *Referee) Clock() (part firasim.Half, elapsed, left float64) {
	return r.command.Half, r.played.Seconds(), max(0, (r.part() - r.played).Seconds())
}

func opponent(team firasim.Color) firasim.Color { return firasim.Yellow - team }

// playersOf returns the robots of a team that are on the field.
func playersOf(env *firasim.Environment, team firasim.Color) []firasim.Robot {
	if team == firasim.Yellow {
		return env.Frame.Yellow
	}
	return env.Frame.Blue
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
