package autoref

import (
	"math"
	"time"

	"touchline/game"
	"touchline/soccer"
)

// Config holds what a Referee needs to know.
type Config struct {
	Field     soccer.Field  // required
	Rules     game.Rules    // default game.DefaultRules
	FirstKick game.Side     // kicks off the first half; default Home
	HalfTime  time.Duration // how long an interval lasts before the kick-off is chosen; default 5 s
	Settle    time.Duration // time from STOP to the set piece; default 1 s
	Prepare   time.Duration // time from the set piece to START, half as long again while a robot hurries to its place; default 10 s
	Stuck     time.Duration // a ball in play that does not move for so long is dropped; default 5 s
	NoFouls   bool          // only note pushing and dribbling too far, instead of giving a free kick to the other side
}

// New returns the referee of a match. It takes over a game in any state.
func New(cfg Config) *Referee {
	if cfg.Rules == (game.Rules{}) {
		cfg.Rules = game.DefaultRules()
	}
	if cfg.FirstKick == game.Both {
		cfg.FirstKick = game.Home
	}
	for _, d := range []struct {
		of       *time.Duration
		standard time.Duration
	}{
		{&cfg.HalfTime, 5 * time.Second}, {&cfg.Settle, time.Second}, {&cfg.Prepare, 10 * time.Second},
		{&cfg.Stuck, 5 * time.Second},
	} {
		if *d.of <= 0 {
			*d.of = d.standard
		}
	}
	half := soccer.Vec{X: cfg.Field.Length / 2, Y: cfg.Field.Width / 2}
	return &Referee{cfg: cfg, half: half, out: make([]game.Decision, 0, 8)}
}

const (
	longestStep = time.Second // a longer time between two steps counts as this, and a step backwards as none
	again       = time.Second // a decision that had no effect is made again after this time
	mostGoals   = 99          // highest score of a game
)

// Referee is the automatic referee of one match. It is not safe for concurrent use.
type Referee struct {
	cfg          Config
	half         soccer.Vec // half of the field, m
	begun        bool
	last, before soccer.Time   // this step's and the one's before
	dt           time.Duration // time since the step before
	out          []game.Decision

	seen    seen          // the state at the step before
	want    seen          // the state that the referee's own decisions lead to
	yielded bool          // play was stopped by somebody else, who will start it
	ordered bool          // decisions were made whose effect the state does not show yet
	waited  time.Duration // time since the state changed, or since the decisions were made

	plan    Placement // placement of the coming set piece
	planned bool

	ball, was soccer.Vec3 // the last known one, and that of the step before
	known     bool
	play      play
	fouls     fouls
	stuck     int
	stopped   soccer.Time // when play stopped
	tracks    [MaxRobots]track
}

// seen is what the referee follows of a State.
type seen struct {
	running  bool
	part     game.Part
	setPiece game.SetPiece
	taking   game.SetPiece
	goal     game.Side
}

func look(st *game.State) seen { return seen{st.Running, st.Part, st.SetPiece, st.Taking, st.Goal} }

// Step makes the decisions of one time, to be applied in their order; most of the time there are none. st is the state
// at now. The decisions are valid until the next call. The rhythm is the caller's: 10 to 100 steps a second. Decisions
// that the game refuses have no effect: they are made again after a second, as long as they make sense.
func (r *Referee) Step(now soccer.Time, s *Scene, st *game.State) []game.Decision {
	r.out = r.out[:0]
	if r.dt = 0; r.begun && now > r.last {
		r.dt = min(now.Sub(r.last), longestStep)
	}
	r.before, r.last = r.last, now
	r.waited += r.dt
	r.follow(st)
	r.perceive(s)
	pushed := r.watchRobots(s, st)
	switch {
	case st.Part == game.End || st.Part == game.ShootOut:
	case r.ordered && r.waited < again:
	case st.Running:
		r.judge(s, st, pushed)
	case !r.yielded:
		r.restart(s, st)
	}
	for i := range r.out {
		r.out[i].Time = now
	}
	r.begun = true
	return r.out
}

// follow finds out whether the state is what the referee wanted, or somebody else decides.
func (r *Referee) follow(st *game.State) {
	is := look(st)
	if is == r.seen && r.begun {
		return
	}
	switch {
	case is.running:
		r.yielded, r.planned = false, false
		r.play = play{from: r.ball.XY(), still: r.ball.XY(), since: r.before}
	case is.part == game.PreOvertime: // a person wants overtime, or the end
		r.yielded, r.planned = true, false
	case !r.begun || is.part.IsInterval() && is.setPiece.Command == "":
		r.yielded, r.planned = false, false
	case is.running != r.want.running || is.setPiece != r.want.setPiece:
		r.yielded, r.planned = true, false
	}
	if r.seen.running && !is.running {
		r.stopped = r.before
	}
	r.seen, r.ordered, r.waited = is, false, 0
	if !is.running { // a robot that is too near at START stays noted
		r.fouls.noted = [rules]uint16{}
	}
}

// perceive keeps the ball. A ball without numbers stays where it was.
func (r *Referee) perceive(s *Scene) {
	r.was = r.ball
	b := s.Ball
	if sum := b.X + b.Y + b.Z; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return
	}
	const far = 1000.0
	r.ball = soccer.Vec3{X: clamp(b.X, far), Y: clamp(b.Y, far), Z: clamp(b.Z, far)}
	if !r.known {
		r.was, r.known = r.ball, true
	}
}

// order makes a decision.
func (r *Referee) order(d game.Decision) {
	r.out = append(r.out, d)
	r.ordered, r.waited = true, 0
	switch d.Command {
	case game.Start:
		r.want = seen{running: true}
	case game.Stop, game.EndPart:
		r.want = seen{}
	case game.KickOff, game.FreeKick, game.GoalKick, game.ThrowIn, game.Corner, game.PenaltyKick, game.DropBall:
		r.want = seen{setPiece: game.SetPiece{Command: d.Command, Side: d.Side}}
	}
}

// stop stops play for a set piece at the spot that its rules give for the ball at ball.
func (r *Referee) stop(st *game.State, c game.Command, side game.Side, ball soccer.Vec, why string) {
	r.order(game.Decision{Command: game.Stop})
	r.arrange(st, game.SetPiece{Command: c, Side: side}, ball, why)
}

// arrange plans a set piece.
func (r *Referee) arrange(st *game.State, p game.SetPiece, ball soccer.Vec, why string) {
	r.planned = true
	r.plan = Placement{At: r.spot(p.Command, st.Part.Attack(p.Side), ball), For: p, Why: why}
}

// restart leads a stopped game to START.
func (r *Referee) restart(s *Scene, st *game.State) {
	pause := r.cfg.Settle
	if st.Part.IsInterval() && st.Part != game.PreGame {
		pause = r.cfg.HalfTime
	}
	if r.isOver(st) {
		r.endPart(st)
		return
	}
	r.fit(st)
	switch {
	case st.SetPiece.Command == "" && r.waited >= pause:
		r.order(game.Decision{Command: r.plan.For.Command, Side: r.plan.For.Side})
	case st.SetPiece.Command == "":
	case r.ready(s, st), r.waited >= r.cfg.Prepare && (!r.coming(s, st) || r.waited >= r.cfg.Prepare*3/2):
		r.repairs(s, st)
		r.atStart(s, st)
		r.order(game.Decision{Command: game.Start})
	}
}

// fit plans the set piece that the state allows: somebody may have changed the score or the part, or chosen one.
func (r *Referee) fit(st *game.State) {
	at := r.ball.XY()
	kicks := r.kicksOff(st)
	switch chosen := st.SetPiece; {
	case chosen.Command != "":
		if !r.planned || r.plan.For != chosen {
			r.arrange(st, chosen, at, "it was chosen before")
		}
	case kicks != game.Both:
		if p := (game.SetPiece{Command: game.KickOff, Side: kicks}); !r.planned || r.plan.For != p {
			why := "a half begins"
			if st.Goal != game.Both {
				why = "a goal was scored"
			}
			r.arrange(st, p, at, why)
		}
	case !r.planned || r.plan.For.Command == game.KickOff:
		r.arrange(st, game.SetPiece{Command: game.DropBall}, at, "nothing else is known")
	}
}

// kicksOff returns the side that has a kick-off now; Both: none has.
func (r *Referee) kicksOff(st *game.State) game.Side {
	switch {
	case st.Goal != game.Both:
		return st.Goal.Opponent()
	case st.Part == game.PreGame, st.Part.IsInterval() && st.FirstKick == game.Both:
		return r.cfg.FirstKick
	case st.Part == game.PreOvertime:
		return st.FirstKick
	case st.Part.IsInterval():
		return st.FirstKick.Opponent()
	}
	return game.Both
}

// Placement returns where the ball must lie. It reports true from the choice of a set piece until START: then the
// caller puts the ball there and keeps it there.
func (r *Referee) Placement() (Placement, bool) {
	if r.seen.running || r.seen.setPiece.Command == "" {
		return Placement{}, false
	}
	if r.planned && r.plan.For == r.seen.setPiece {
		return r.plan, true
	}
	p := r.seen.setPiece
	return Placement{At: r.spot(p.Command, r.seen.part.Attack(p.Side), r.ball.XY()), For: p, Why: "a person chose it"}, true
}

// Stuck returns how often play was stopped because the ball did not move.
func (r *Referee) Stuck() int { return r.stuck }
