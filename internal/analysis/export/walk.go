package export

import (
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/matchlog"
	"touchline/soccer"
)

// frame is a frame of a half. Positions have home attacking +x in every half.
type frame struct {
	id     int32 // counts frames from 1 with the first one of the match, through intervals and gaps
	period int8  // 1 first half, 2 second half, 3 and 4 overtime, 5 shoot-out
	attack float64
	at     soccer.Time
	time   float64 // s since the first frame
	clock  float64 // s since the half began, as the referee counts it
	alive  bool    // the ball is in play
	known  bool    // the ball's place is known
	ball   object
	robots []object  // on the field; home before away, by number
	owner  game.Side // the team of the robot that held or touched the ball last; Both: none since the log began
	source *analysis.Frame
}

// object is the ball or a robot.
type object struct {
	autoref.Player
	x, y, z, heading float64
	vx, vy           float64
	moves            bool // vx and vy are known
	holds            bool // it holds or dribbles the ball
	off              bool // its software does not run
}

// actual returns the position on the field, where the teams change ends.
func (o *object) actual(f *frame) (x, y float64) { return o.x*f.attack + 0, o.y*f.attack + 0 }

// speed returns the speed in m/s; 0 if it is not known.
func (o *object) speed() float64 {
	if !o.moves {
		return 0
	}
	return math.Hypot(o.vx, o.vy)
}

// player is a robot that a match had.
type player struct {
	autoref.Player
	first, last int32 // frames
}

// half is a half of a match.
type half struct {
	period      int8
	attack      float64 // direction along x in which home plays
	first, last int32   // frames
	from, to    soccer.Time
}

const (
	longestStep  = 350 * time.Millisecond // between two frames; no velocity follows from a longer one
	fastestRobot = 10.0                   // m/s: a faster robot was carried
	fastestBall  = 30.0                   // m/s: a faster ball was placed
	gap          = time.Second
	mostNumber   = 127 // of a robot: the tables have a byte for it
)

// walker turns the frames of a log into those of an export.
type walker struct {
	rate     int
	refereed bool // the log holds states of the game
	out      frame
	last     frame       // frame before it, without its source
	start    soccer.Time // of the log
	begin    soccer.Time // of the first half, on the match's clock
	logged   soccer.Time // and on the log's
	players  []player    // sorted as the scene's robots
	halves   []half
	dropped  int // frames whose time is not after the last one's
	gaps     int
	blind    int // frames without a ball
	// Robots in frames, left out for their numbers.
	unnumbered int
}

func newWalker(l *matchlog.Log, m *analysislog.Match, rate int) walker {
	w := walker{rate: rate, start: m.Start}
	for _, c := range l.Info().Channels {
		w.refereed = w.refereed || c.Name == matchlog.States && c.Count > 0
	}
	return w
}

// periods number the halves.
var periods = map[game.Part]int8{
	game.FirstHalf: 1, game.SecondHalf: 2, game.OvertimeFirst: 3, game.OvertimeSecond: 4, game.ShootOut: 5,
}

// period returns the number of the half that a part of the game is; 0 for an interval.
func (w *walker) period(part game.Part) int8 {
	if !w.refereed {
		return 1
	}
	return periods[part]
}

// step returns the frame of an export for one of a log. ok is false for one outside the halves, and for one that is not
// after the last one. The frame is valid until the next step.
func (w *walker) step(f *analysis.Frame) (out *frame, ok bool, err error) {
	part, running := f.State.Part, f.State.Running
	if !w.refereed && part == game.PreGame {
		part, running = game.FirstHalf, true // nobody tells
	}
	period := w.period(part)
	if period == 0 {
		return nil, false, nil
	}
	if w.begin == 0 {
		w.begin, w.logged = f.Time, f.At
	}
	since := f.Time.Sub(w.begin)
	id := 1 + math.Round(since.Seconds()*float64(w.rate))
	switch {
	case id > math.MaxInt32:
		return nil, false, fmt.Errorf("the log's clock jumps by %v: cut the log at the jump with touchline log cut", since)
	case id <= float64(w.out.id):
		w.dropped++
		return nil, false, nil
	case period < w.out.period:
		return nil, false, fmt.Errorf("the game returns to the %s after %.1f s of the log, as after a reset: an export holds one game; "+
			"cut the log there, with touchline log cut --from or --to", part, f.At.Sub(w.start).Seconds())
	}
	w.out, w.last = w.last, w.out // swap their memory
	o := &w.out
	*o = frame{
		id: int32(id), period: period, attack: part.Attack(game.Home), at: f.Time, time: since.Seconds(), alive: running,
		known: f.Known, robots: o.robots[:0], owner: w.last.owner, source: f,
	}
	if o.clock = o.time; w.refereed {
		o.clock = (f.State.Total + max(f.At.Sub(f.State.Time), 0)).Seconds()
	}
	w.place(f)
	w.move()
	return o, true, nil
}

// place sets where ball and robots are.
func (w *walker) place(f *analysis.Frame) {
	o, s := &w.out, &f.Scene
	direction := f.State.Part.Attack(game.Home) // of the scene
	o.ball = object{x: s.Ball.X*direction + 0, y: s.Ball.Y*direction + 0, z: s.Ball.Z}
	if !f.Known {
		o.ball = object{}
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		if !r.There || !(math.Abs(r.Pose.X) < 1000 && math.Abs(r.Pose.Y) < 1000) || away(f.State.Team(r.Side), int(r.Number)) {
			continue
		}
		if r.Number > mostNumber {
			w.unnumbered++
			continue
		}
		pose := r.Pose
		if direction < 0 {
			pose = pose.Turned()
		}
		o.robots = append(o.robots, object{
			Player: r.Player, x: pose.X + 0, y: pose.Y + 0, heading: pose.Theta, off: !r.On,
			holds: r.Player == s.Holder,
		})
	}
	switch {
	case s.Holder.Side != game.Both:
		o.owner = s.Holder.Side
	case s.Touched.Side != game.Both:
		o.owner = s.Touched.Side
	}
}

// away reports whether the referee has sent a robot off, for good or for a repair.
func away(t *game.Team, number int) bool {
	return slices.ContainsFunc(t.Penalties, func(p game.Penalty) bool {
		return p.Robot == number && p.Sent && !p.Over && p.Command != game.YellowCard
	})
}

// move sets the velocities: the way since the last frame, divided by the time.
func (w *walker) move() {
	o, was := &w.out, &w.last
	dt := o.at.Sub(was.at)
	if was.id == 0 || was.period != o.period {
		return
	}
	if dt > max(longestStep, 3*time.Second/time.Duration(2*w.rate)) {
		if dt > gap {
			w.gaps++
		}
		return
	}
	set := func(o, was *object, most float64) {
		o.vx, o.vy = (o.x-was.x)/dt.Seconds(), (o.y-was.y)/dt.Seconds()
		if o.moves = math.Hypot(o.vx, o.vy) <= most; !o.moves {
			o.vx, o.vy = 0, 0
		}
	}
	if o.known && was.known {
		set(&o.ball, &was.ball, fastestBall)
	}
	k := 0 // both are sorted
	for i := range o.robots {
		r := &o.robots[i]
		for k < len(was.robots) && analysis.Compare(was.robots[k].Player, r.Player) < 0 {
			k++
		}
		if k < len(was.robots) && was.robots[k].Player == r.Player {
			set(r, &was.robots[k], fastestRobot)
		}
	}
}

// half returns a half of the match; nil for another period.
func (w *walker) half(period int8) *half {
	for i := range w.halves {
		if w.halves[i].period == period {
			return &w.halves[i]
		}
	}
	return nil
}

// halfOf returns the half of a frame; nil if no half has it.
func (w *walker) halfOf(frame int32) *half {
	for i := range w.halves {
		if h := &w.halves[i]; h.first <= frame && frame <= h.last {
			return h
		}
	}
	return nil
}

// note notes a frame that is exported: its half, and its robots.
func (w *walker) note(f *frame) {
	if n := len(w.halves); n == 0 || w.halves[n-1].period != f.period {
		w.halves = append(w.halves, half{period: f.period, attack: f.attack, first: f.id, from: f.at})
	}
	h := &w.halves[len(w.halves)-1]
	h.last, h.to = f.id, f.at
	if !f.known {
		w.blind++
	}
	for i := range f.robots {
		p := f.robots[i].Player
		at, found := slices.BinarySearchFunc(w.players, p, func(o player, p autoref.Player) int { return analysis.Compare(o.Player, p) })
		if !found {
			w.players = slices.Insert(w.players, at, player{Player: p, first: f.id})
		}
		w.players[at].last = f.id
	}
}
