package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"touchline/game"
	"touchline/match/fiveaside"
	"touchline/match/tally"
	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/watch"
	"touchline/watch/behaviour"
	"touchline/watch/bookings"
	"touchline/watch/inspect"
	"touchline/wire/team"
)

// Sides are the teams in the order of pages.
var Sides = [2]game.Side{game.Home, game.Away}

const (
	keptMarks = time.Minute
	parts     = 240 // of the possession strip
)

// Show makes the topics of one match. It is not safe for concurrent use.
type Show struct {
	match      *fiveaside.Match
	inspectors [2]*inspect.Inspector
	overviews  [2]*overview.Overview
	apart      [2]soccer.RobotSet
	marks      []watch.Mark

	view  fiveaside.View // scratch
	world soccer.World   // scratch
}

// New returns a Show and the match that it shows. tap also receives what happens.
func New(cfg fiveaside.Config, tap fiveaside.Tap) (*Show, error) {
	s := new(Show)
	for i := range Sides {
		s.inspectors[i] = inspect.New(soccer.Epoch)
		s.overviews[i] = overview.New(overview.Config{Start: soccer.Epoch})
	}
	cfg.Debug = true
	outer := tap
	tap.Packet = func(side game.Side, p *soccer.Packet) {
		s.inspectors[index(side)].Receive(p)
		if outer.Packet != nil {
			outer.Packet(side, p)
		}
	}
	tap.Note = func(at soccer.Time, kind string, number uint8, text string) {
		s.mark(at, kind, number, text)
		if outer.Note != nil {
			outer.Note(at, kind, number, text)
		}
	}
	var err error
	s.match, err = fiveaside.New(cfg, tap)
	return s, err
}

// Match returns the match, to advance it.
func (s *Show) Match() *fiveaside.Match { return s.match }

// Cut cuts robots of a team off from the others; an empty set connects all again.
func (s *Show) Cut(side game.Side, robots soccer.RobotSet) {
	i := index(side)
	if robots != s.apart[i] {
		kind, text := "partition", "cut off"
		if robots == 0 {
			kind, text = "heal", "healed"
		}
		s.mark(s.match.Now(), kind, 0, text)
	}
	s.apart[i] = robots
	s.match.Cut(side, robots)
}

func (s *Show) mark(at soccer.Time, kind string, number uint8, text string) {
	s.marks = append(s.marks, watch.Mark{Time: seconds(at), Kind: kind, Number: number, Text: text})
	old := 0
	for old < len(s.marks) && s.marks[old].Time < seconds(at)-keptMarks.Seconds() {
		old++
	}
	s.marks = append(s.marks[:0], s.marks[old:]...)
}

// index returns the place of a side in arrays.
func index(side game.Side) int {
	if side == game.Away {
		return 1
	}
	return 0
}

func seconds(at soccer.Time) float64 { return at.Sub(soccer.Epoch).Seconds() }

// View returns the topic "match". The caller fills in Controls, Paused and Speed.
func (s *Show) View() *View {
	m, v := s.match, &s.view
	m.View(v)
	cfg := m.Config()
	out := &View{
		Time: seconds(v.Time), Seed: strconv.FormatUint(cfg.Seed, 10), Speed: 1, Loss: cfg.Link.Loss,
		Delay: cfg.Link.Delay.Seconds() * 1e3, Field: cfg.Field, Part: string(v.Game.Part), Clock: v.Game.Total.Seconds(),
		Running: v.Game.Running, Phase: phase(&v.Game, cfg.Home.Name, cfg.Away.Name), Over: m.Over(),
		Ball: thing(v.Ball, v.BallVelocity, v.Turned), Robots: make([]Robot, 0, len(v.Robots)), Goals: []Goal{},
	}
	for i, side := range Sides {
		t := Team{Name: cfg.Home.Name, Color: color(side), Group: uint8(i + 1), Apart: jerseys(s.apart[i]), Tally: *v.Tally.Team(side)}
		if side == game.Away {
			t.Name = cfg.Away.Name
		}
		t.Ball = s.teamBall(side)
		*[2]*Team{&out.Home, &out.Away}[i] = t
	}
	for i := range v.Robots {
		out.Robots = append(out.Robots, s.robot(&v.Robots[i], v))
	}
	for _, g := range v.Tally.Goals {
		out.Goals = append(out.Goals, Goal{g.At, g.Side == game.Home})
	}
	out.Length = max(2*cfg.Half.Seconds(), out.Time)
	out.Possession = possession(v.Tally.Spans, out.Time, out.Length)
	return out
}

// color returns the colour of a side.
func color(side game.Side) soccer.Color {
	if side == game.Away {
		return soccer.Magenta
	}
	return soccer.Cyan
}

// thing converts a ball to the frame of the page.
func thing(p, v soccer.Vec3, turned bool) watch.Thing {
	if turned {
		p.X, p.Y, v.X, v.Y = -p.X, -p.Y, -v.X, -v.Y
	}
	return watch.Thing{X: p.X, Y: p.Y, Z: p.Z, VX: v.X, VY: v.Y}
}

func jerseys(set soccer.RobotSet) watch.Jerseys {
	all := watch.Jerseys{}
	for n := range uint8(fiveaside.MostRobots + 1) {
		if set.Has(n) {
			all = append(all, n)
		}
	}
	return all
}

// teamBall returns the ball as the robot of a team believes that is surest of it.
func (s *Show) teamBall(side game.Side) *watch.Thing {
	var best *watch.Thing
	for i := range s.view.Robots {
		r := &s.view.Robots[i]
		if r.Side != side || !r.Running || !s.match.World(side, r.Number, &s.world) {
			continue
		}
		ball := watch.BeliefOf(&s.world, color(side), r.Number, 0).Ball
		if ball != nil && (best == nil || ball.Cov.XX+ball.Cov.YY < best.Cov.XX+best.Cov.YY) {
			best = ball
		}
	}
	return best
}

// robot converts a robot to the frame of the page, with what its messages tell.
func (s *Show) robot(r *fiveaside.RobotView, v *fiveaside.View) Robot {
	i := index(r.Side)
	out := Robot{Color: color(r.Side), Number: r.Number, On: r.On, Running: r.Running, Pose: r.Pose}
	if v.Turned {
		out.Pose = r.Pose.Turned()
	}
	d, ok := s.inspectors[i].Doing(uint8(i+1), r.Number, v.Time)
	if !ok || !r.Running {
		return out
	}
	out.State, out.Booker = d.State, d.Booked
	if st := d.Status; st != nil {
		out.Ball, out.Penalised = st.BallEngaged, st.Mode == team.Penalised
		if st.HasTarget {
			out.Target = &soccer.Vec{X: float64(st.TargetX), Y: float64(st.TargetY)}
			if r.Side == game.Away { // from its team frame
				out.Target.X, out.Target.Y = -out.Target.X, -out.Target.Y
			}
		}
	}
	return out
}

// phase tells what goes on in words.
func phase(g *game.State, home, away string) string {
	name := func(side game.Side) string {
		if side == game.Away {
			return away
		}
		return home
	}
	piece := func(p game.SetPiece) string {
		text := strings.ToLower(strings.ReplaceAll(string(p.Command), "_", " "))
		if p.Side != game.Both {
			text += " " + name(p.Side)
		}
		return text
	}
	switch {
	case g.Part == game.End:
		return "full time"
	case g.Running && g.Taking.Command != "":
		return piece(g.Taking)
	case g.Running:
		return "play on"
	case g.SetPiece.Command != "":
		return piece(g.SetPiece)
	case g.Goal != game.Both:
		return "goal for " + name(g.Goal)
	case g.Part.IsInterval():
		return "interval"
	}
	return "stop"
}

// possession returns who had the ball in each part of the match until now.
func possession(spans []tally.Span, now, length float64) string {
	long := length / parts
	var had [parts][3]float64
	for _, sp := range spans {
		who := map[game.Side]int{game.Home: 1, game.Away: 2}[sp.Side]
		for k := int(max(sp.From, 0) / long); k < parts && float64(k)*long < sp.To; k++ {
			begin := float64(k) * long
			had[k][who] += min(sp.To, begin+long) - max(sp.From, begin)
		}
	}
	var b strings.Builder
	for k := 0; k < parts && float64(k)*long < now; k++ {
		_, home, away := had[k][0], had[k][1], had[k][2]
		switch {
		case home == 0 && away == 0:
			b.WriteByte('-')
		case home >= away:
			b.WriteByte('h')
		default:
			b.WriteByte('a')
		}
	}
	return b.String()
}

// Wall returns the topic "wall": the ground truth, and a tile for each robot. The caller fills in Paused and Speed.
func (s *Show) Wall() *watch.Wall {
	m, v := s.match, &s.view
	m.View(v)
	cfg := m.Config()
	truth := &watch.Scene{Ball: thing(v.Ball, v.BallVelocity, v.Turned), Robots: []watch.Figure{}, Obstacles: []watch.Thing{}}
	w := &watch.Wall{
		Session: "five against five", Seed: strconv.FormatUint(cfg.Seed, 10), Time: seconds(v.Time), Speed: 1, Field: cfg.Field,
		Truth: truth, Waiting: []watch.Member{}, Apart: watch.Jerseys{}, Unreached: watch.Jerseys{}, Tiles: []watch.Tile{},
		Marks: append([]watch.Mark{}, s.marks...),
		Link: watch.Link{
			Group: "TCM of each team", Interface: "virtual time", Loopback: true, Missing: []string{}, Loss: cfg.Link.Loss,
			Delay: cfg.Link.Delay.Seconds() * 1e3,
		},
	}
	var bodies [2][]soccer.Vec // of the other team: obstacles of this one
	for i := range v.Robots {
		r := &v.Robots[i]
		if !r.On {
			continue
		}
		pose := r.Pose
		if v.Turned {
			pose = pose.Turned()
		}
		truth.Robots = append(truth.Robots, watch.Figure{Number: r.Number, Color: color(r.Side), Shape: "robot", Pose: pose, Facing: true})
		bodies[index(r.Side)] = append(bodies[index(r.Side)], pose.XY())
	}
	for i := range v.Robots {
		w.Tiles = append(w.Tiles, s.tile(&v.Robots[i], &cfg, truth, bodies[1-index(v.Robots[i].Side)]))
	}
	w.Spread = watch.Spread(w.Tiles)
	return w
}

// tile returns the tile of one robot.
func (s *Show) tile(r *fiveaside.RobotView, cfg *fiveaside.Config, truth *watch.Scene, others []soccer.Vec) watch.Tile {
	t := watch.Tile{
		Key: fmt.Sprintf("%s/%d", r.Side, r.Number), Number: r.Number, Color: color(r.Side), Team: cfg.Home.Name, Shape: "robot",
		State: "live", Faults: []watch.Fault{},
	}
	if r.Side == game.Away {
		t.Team = cfg.Away.Name
	}
	if !r.Running || !s.match.World(r.Side, r.Number, &s.world) {
		t.State = "off"
		t.Belief = watch.BeliefOf(&soccer.World{Time: s.view.Time}, t.Color, 0, 0)
		return t
	}
	t.Belief = watch.BeliefOf(&s.world, t.Color, r.Number, 0)
	ball, found, ghosts := t.Belief.Score(truth, others)
	t.BallError, t.Found, t.False = ball, &found, &ghosts
	return t
}

// Nodes returns the topic "teamcom" of a team.
func (s *Show) Nodes(side game.Side) overview.View {
	return s.overviews[index(side)].View(s.match.Now(), s.match.Reports(side))
}

// Booking returns the topic "booking" of a team.
func (s *Show) Booking(side game.Side) bookings.View {
	return s.inspectors[index(side)].Booking(s.match.Now())
}

// Behaviour returns the topic "behaviour" of both teams.
func (s *Show) Behaviour() behaviour.View {
	v := s.inspectors[0].Behaviour(s.match.Now())
	away := s.inspectors[1].Behaviour(s.match.Now())
	v.Robots = append(v.Robots, away.Robots...)
	for _, m := range away.Machines {
		known := false
		for _, o := range v.Machines {
			known = known || o.Checksum == m.Checksum
		}
		if !known {
			v.Machines = append(v.Machines, m)
		}
	}
	return v
}
