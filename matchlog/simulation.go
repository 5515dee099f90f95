package matchlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/rcg"
)

// simulation converts a game log of the 2D simulation to the channels States, Truth and Marks. The left team is home. It does
// not change sides at half-time, as home does in the other leagues: the field is turned instead.
type simulation struct {
	p     *packer
	line  rcg.Line
	state game.State
	told  bool // the state is written
	mode  string

	start        soccer.Time
	step         time.Duration // of a cycle
	half, extra  int           // cycles of a half, and of one of overtime
	shows        int
	cycle, began int // of the game's clock; the one in which the part began
	ball         rcg.Ball
	contacts     game.Contacts
	bad          int
	why          error // of the first malformed line
}

// convertSimulation converts a game log of the 2D simulation.
func (l *Log) convertSimulation() error {
	r, read, err := l.unpacked()
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.all.meta = map[string]string{MetaMarkings: markings(soccer.Simulation2D())}
	l.mu.Unlock()
	s := &simulation{
		p: &packer{l: l, read: read}, state: game.State{Part: game.PreGame}, start: begin(l.path),
		step: 100 * time.Millisecond, half: 3000, extra: 1000, // rcssserver's defaults
	}
	err = s.read(bufio.NewReaderSize(r, rcg.MaxLine))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Finished = s.state.Part == game.End
	if !l.state.Finished {
		l.note("the log ends before the match does")
	}
	if s.bad > 0 {
		l.lose("%d lines cannot be read; the first one: %v", s.bad, s.why)
	}
	return err
}

// read converts all lines.
func (s *simulation) read(in *bufio.Reader) error {
	place := Source{Line: 1}
	for {
		b, err := in.ReadSlice('\n')
		at, n := place, len(b)
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			b, err = in.ReadSlice('\n')
			n += len(b)
		}
		place.Line, place.Offset = place.Line+1, place.Offset+int64(n)
		if n > len(b) {
			s.fault(at.Line, fmt.Errorf("it has %d bytes, and one of a game log has at most %d", n, rcg.MaxLine))
		} else if b = bytes.TrimRight(b, "\r\n"); len(b) > 0 && at.Line > 1 {
			if bad := s.line.UnmarshalText(b); bad != nil {
				s.fault(at.Line, bad)
			} else if err := s.take(at); err != nil {
				return err
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.p.l.mu.Lock()
				s.p.l.lose("line %d: the rest cannot be read: %v", at.Line, err)
				s.p.l.mu.Unlock()
			}
			return s.p.flush()
		}
	}
}

// fault counts a line that cannot be read.
func (s *simulation) fault(line int64, err error) {
	if s.bad++; s.bad == 1 {
		s.why = fmt.Errorf("line %d: %w", line, err)
	}
}

// now is the time of the newest cycle.
func (s *simulation) now() soccer.Time { return s.start.Add(time.Duration(max(s.shows, 1)-1) * s.step) }

// begin returns when a game log begins by its name, "20260703155014-Alpha_2-vs-Beta_0.rcg": the file does not tell, and
// nothing tells the time zone, so that it is taken for UTC. Another name gives the time at which all simulations begin.
func begin(name string) soccer.Time {
	const format = "20060102150405"
	name, _, _ = strings.Cut(filepath.Base(name), "-")
	if t, err := time.Parse(format, name); err == nil && t.Year() >= 1996 && t.Year() < 2100 {
		return soccer.Time(t.Sub(time.Unix(0, 0)))
	}
	return soccer.Epoch
}

// take converts a line.
func (s *simulation) take(at Source) error {
	l := &s.line
	switch l.Kind {
	case rcg.KindParams:
		if p := &l.Params; p.Step >= 1 && p.Step <= 10_000 && p.HalfTime >= 1 && p.HalfTime <= 100_000 {
			s.step = time.Duration(p.Step) * time.Millisecond
			s.half, s.extra = p.HalfTime*1000/p.Step, max(min(p.ExtraHalfTime, 100_000), 1)*1000/p.Step
		}
	case rcg.KindTeams:
		s.p.l.mu.Lock()
		if meta := s.p.l.all.meta; l.Left.Name != "" && l.Right.Name != "" {
			meta[MetaHome], meta[MetaAway] = l.Left.Name, l.Right.Name
		}
		s.p.l.mu.Unlock()
		s.state.Home.Goals, s.state.Away.Goals, s.told = l.Left.Score, l.Right.Score, false
	case rcg.KindMode:
		if l.Mode == s.mode {
			return nil
		}
		s.advance(l.Cycle)
		s.enter(l.Mode)
		name, side := split(l.Mode)
		text := strings.ReplaceAll(name, "_", " ") + map[game.Side]string{game.Home: ", left", game.Away: ", right"}[side]
		return s.add(Marks, at, map[string]any{"time": s.now().Sub(s.start).Seconds(), "kind": kindOf(text), "text": text})
	case rcg.KindShow:
		return s.show(at)
	}
	return nil
}

// advance moves the game's clock.
func (s *simulation) advance(cycle int) {
	d := time.Duration(max(cycle-s.cycle, 0)) * s.step
	s.cycle = max(cycle, s.cycle)
	if s.state.Running && s.state.Part != game.ShootOut {
		s.state.Effective += d
		s.state.Played += d
	}
	s.setPart()
	s.state.Total = time.Duration(s.cycle-s.began) * s.step
}

// halves are the parts in which the game's clock runs, and the intervals before them.
var halves = [4][2]game.Part{
	{game.PreGame, game.FirstHalf}, {game.HalfTime, game.SecondHalf},
	{game.PreOvertime, game.OvertimeFirst}, {game.OvertimeHalfTime, game.OvertimeSecond},
}

// setPart sets the part by the game's clock. The referee announces none: at half-time the play mode may just stay.
func (s *simulation) setPart() {
	part, began, waits := game.Part(""), 0, s.mode == "" || s.mode == "before_kick_off"
	switch {
	case s.mode == "time_over":
		part = game.End
	case strings.HasPrefix(s.mode, "penalty_") && !strings.HasPrefix(s.mode, "penalty_kick"):
		part = game.ShootOut
	default:
		lengths := [4]int{s.half, s.half, s.extra, s.extra}
		n := 0
		for ; n < 3 && (s.cycle > began+lengths[n] || waits && s.cycle == began+lengths[n]); n++ {
			began += lengths[n]
		}
		if part = halves[n][1]; waits {
			part = halves[n][0]
		}
	}
	if part == s.state.Part {
		return
	}
	s.state.Part, s.told = part, false
	if !part.IsInterval() && part != game.ShootOut {
		s.began, s.state.Effective = began, 0
	}
}

// setPieces are the play modes in which a team brings the ball into play.
var setPieces = map[string]game.Command{
	"kick_off": game.KickOff, "kick_in": game.ThrowIn, "free_kick": game.FreeKick, "indirect_free_kick": game.FreeKick,
	"corner_kick": game.Corner, "goal_kick": game.GoalKick, "drop_ball": game.DropBall, "penalty_kick": game.PenaltyKick,
	"penalty_taken": game.PenaltyKick,
}

// split returns the name of a play mode without its side.
func split(mode string) (name string, side game.Side) {
	if left := strings.TrimSuffix(mode, "_l"); left != mode {
		return left, game.Home
	}
	if right := strings.TrimSuffix(mode, "_r"); right != mode {
		return right, game.Away
	}
	return mode, game.Both
}

// enter takes a play mode of the referee.
func (s *simulation) enter(mode string) {
	s.mode, s.told = mode, false
	st := &s.state
	name, side := split(mode)
	piece, isPiece := setPieces[name]
	st.Running = name == "play_on" || isPiece
	s.setPart()
	switch {
	case isPiece:
		st.Taking = game.SetPiece{Command: piece, Side: side}
	case !st.Running:
		st.Taking = game.SetPiece{}
	}
	if name == "goal" || name == "penalty_score" {
		st.Goal = side
	} else if st.Running && name == "play_on" {
		st.Goal = game.Both
	}
	s.contacts.Holder = nil
}

// show writes a cycle.
func (s *simulation) show(at Source) error {
	s.advance(s.line.Cycle)
	s.shows++
	now := s.now()
	if !s.told {
		s.told, s.state.Time = true, now
		if err := s.add(States, at, &s.state); err != nil {
			return err
		}
	}
	b := s.line.Show.Ball
	s.handle(now, &s.line.Show)
	t := game.Truth{Time: now, Ball: s.place(b.X, b.Y), Contacts: &s.contacts}
	for i := range s.line.Show.Players {
		p := &s.line.Show.Players[i]
		if p.State&rcg.Stand == 0 {
			continue
		}
		where := s.place(p.X, p.Y)
		pose := soccer.Pose{X: where.X, Y: where.Y, Theta: soccer.WrapAngle(-p.Body * math.Pi / 180)}
		if s.ends() < 0 {
			pose.Theta = soccer.WrapAngle(pose.Theta + math.Pi)
		}
		t.Robots = append(t.Robots, game.TruthRobot{Number: p.Number, Team: sideOf(p), Shape: "robot", Pose: pose})
	}
	s.ball = b
	return s.add(Truth, at, &t)
}

// ends is 1 while home attacks +x, and -1 otherwise.
func (s *simulation) ends() float64 { return s.state.Part.Attack(game.Home) }

// place converts a place, whose y is downwards.
func (s *simulation) place(x, y float64) soccer.Vec3 {
	return soccer.Vec3{X: x * s.ends(), Y: -y * s.ends()}
}

func sideOf(p *rcg.Player) game.Side {
	if p.Right {
		return game.Away
	}
	return game.Home
}

// handle notes which players handled the ball in a cycle. Of several that kicked at once, the one counts that was nearest to
// the ball.
func (s *simulation) handle(now soccer.Time, show *rcg.Show) {
	c, nearest := &s.contacts, math.Inf(1)
	for i := range show.Players {
		p := &show.Players[i]
		touched := p.State.Kicked() || p.State.Caught() || p.State&rcg.Collided != 0
		away := math.Hypot(p.X-s.ball.X, p.Y-s.ball.Y)
		if !touched || away >= nearest {
			continue
		}
		nearest = away
		c.Touched = game.Contact{Team: sideOf(p), Number: p.Number, At: now}
		if p.State.Caught() {
			holder := c.Touched
			c.Holder = &holder
		}
		if p.State.Kicked() {
			per := 1 / s.step.Seconds()
			c.Kicked, c.KickBall, c.Holder = c.Touched, s.place(s.ball.X, s.ball.Y), nil
			c.KickVelocity = s.place(show.Ball.VX*per, show.Ball.VY*per)
		}
	}
}

// add writes a message of the newest cycle.
func (s *simulation) add(channel string, at Source, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	return s.p.add(&Message{Time: s.now(), Channel: channel, Data: wire.RoundNumbers(b), Source: at}, 0)
}
