// Package sslgame follows a match of the Small Size League through the packets that its programs send: the referee's give the
// state of the game, and those of a tracker, or without one of the cameras, the ground truth. A monitor and the reader of logs
// use it. It is a pure core.
//
// Yellow is home and blue is away. The field is turned so that home attacks +x in the first half, as in all logs.
package sslgame

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/ssl"
)

const (
	truthPeriod = 50 * time.Millisecond  // between two truths
	statePeriod = time.Second            // between two states without a change
	silence     = time.Second            // after that another tracker, or the vision, counts
	seen        = 200 * time.Millisecond // that an object of the vision counts
	mostCards   = 100                    // of a colour and team
)

// Game follows a match. It is not safe for concurrent use.
type Game struct {
	referee  ssl.Referee
	tracker  ssl.Tracker
	vision   ssl.Vision
	scene    ssl.Scene
	started  bool // a Referee arrived
	state    game.State
	told     soccer.Time // of the newest state
	turned   bool        // yellow attacks the other way than home does
	kick     game.SetPiece
	cards    int         // given so far
	uuid     []byte      // of the tracker that counts
	tracked  soccer.Time // its newest packet
	truth    soccer.Time // of the newest truth
	ball     soccer.Vec3
	ballAt   soccer.Time
	robots   []sight
	field    soccer.Field
	measured bool // field is that of a packet
	others   int  // packets of further trackers
	bad      int  // packets that cannot be decoded
	farthest float64
}

// sight is a robot that a camera saw.
type sight struct {
	ssl.SceneRobot
	at soccer.Time
}

// New returns a game of which nothing is known.
func New() *Game {
	g := new(Game)
	g.state.Part = game.PreGame
	return g
}

// Apply applies a packet that arrived at now. It returns what a log keeps then: a state of the game, when it changed or once a
// second, or the ground truth, at most twenty times a second; nil for none. Both are valid until the next call.
func (g *Game) Apply(now soccer.Time, kind ssl.Kind, b []byte) (*game.State, *game.Truth) {
	var err error
	switch kind {
	case ssl.KindReferee:
		if err = g.referee.UnmarshalBinary(b); err == nil && g.refereed(now) {
			return &g.state, nil
		}
	case ssl.KindTracker:
		if err = g.tracker.UnmarshalBinary(b); err == nil {
			err = g.track(now)
		}
	case ssl.KindVision:
		if err = g.vision.UnmarshalBinary(b); err == nil {
			err = g.look(now)
		}
	}
	if err != nil {
		g.bad++
		return nil, nil
	}
	if kind == ssl.KindReferee || len(g.robots) == 0 && g.ballAt == 0 || now.Sub(g.truth) < truthPeriod && now >= g.truth {
		return nil, nil
	}
	return nil, g.tell(now)
}

// Referee returns the referee's newest message. It reports false before the first one.
func (g *Game) Referee() (*ssl.Referee, bool) { return &g.referee, g.started }

var parts = map[ssl.Stage]game.Part{
	ssl.FirstHalfPre: game.PreGame, ssl.FirstHalf: game.FirstHalf, ssl.HalfTime: game.HalfTime,
	ssl.SecondHalfPre: game.HalfTime, ssl.SecondHalf: game.SecondHalf, ssl.ExtraTimeBreak: game.PreOvertime,
	ssl.ExtraFirstHalfPre: game.PreOvertime, ssl.ExtraFirstHalf: game.OvertimeFirst,
	ssl.ExtraHalfTime: game.OvertimeHalfTime, ssl.ExtraSecondHalfPre: game.OvertimeHalfTime,
	ssl.ExtraSecondHalf: game.OvertimeSecond, ssl.ShootoutBreak: game.ShootOut, ssl.Shootout: game.ShootOut,
	ssl.PostGame: game.End,
}

// refereed applies a Referee and reports whether the state is to be logged.
func (g *Game) refereed(now soccer.Time) bool {
	m, s := &g.referee, &g.state
	was := *s
	part := parts[m.Stage]
	if part == "" {
		part = s.Part
	}
	s.Time = now
	if since := now.Sub(was.Time); g.started && part == was.Part && since > 0 && since < time.Minute {
		s.Total += since
		if was.Running && !part.IsInterval() && part != game.ShootOut {
			s.Effective, s.Played = s.Effective+since, s.Played+since
		}
	}
	if s.Part = part; part != was.Part {
		s.Total, s.Effective = 0, 0
	}
	g.command(part)
	yellow, blue := int(min(m.Yellow.Score, math.MaxUint16)), int(min(m.Blue.Score, math.MaxUint16))
	switch {
	case yellow > s.Home.Goals && g.started:
		s.Goal = game.Home
	case blue > s.Away.Goals && g.started:
		s.Goal = game.Away
	case s.Running:
		s.Goal = game.Both
	}
	s.Home.Goals, s.Away.Goals = yellow, blue
	carded := g.book(&s.Home, &m.Yellow)
	carded = g.book(&s.Away, &m.Blue) || carded
	if m.HasBluePositive {
		g.turned = m.BluePositive != (part.Attack(game.Home) > 0)
	}
	changed := !g.started || s.Part != was.Part || s.Running != was.Running || s.Home.Goals != was.Home.Goals ||
		s.Away.Goals != was.Away.Goals || carded || s.SetPiece != was.SetPiece || s.Taking != was.Taking
	g.started = true
	if !changed && now.Sub(g.told) < statePeriod && now >= g.told {
		return false
	}
	g.told = now
	return true
}

// book brings a team's cards to those of a Referee, which tells their numbers and how long the newest yellow ones last, and
// reports whether a number changed. It does not tell for which robot they are.
func (g *Game) book(t *game.Team, m *ssl.TeamInfo) (changed bool) {
	all := slices.Clone(t.Penalties)
	for _, color := range [...]struct {
		card  game.Command
		count uint32
	}{{game.YellowCard, m.YellowCards}, {game.RedCard, m.RedCards}} {
		more := int(min(color.count, mostCards))
		for i := range all {
			if all[i].Command == color.card {
				more--
			}
		}
		changed = changed || more != 0
		for ; more > 0; more-- {
			g.cards++
			all = append(all, game.Penalty{Number: g.cards, Command: color.card, Sent: true})
		}
		for i := len(all) - 1; more < 0; i-- { // the referee corrected the number
			if all[i].Command == color.card {
				all = slices.Delete(all, i, i+1)
				more++
			}
		}
	}
	left := len(m.YellowCardTimes)
	for i := len(all) - 1; i >= 0; i-- {
		if p := &all[i]; p.Command == game.YellowCard {
			p.Over, p.Until = left <= 0, 0
			if left--; left >= 0 {
				p.Until = g.state.Played + time.Duration(m.YellowCardTimes[left])*time.Microsecond
			}
		}
	}
	t.Penalties = all
	return changed
}

// command applies the referee's command: whether the ball is in play, and which set piece is chosen or taken.
func (g *Game) command(part game.Part) {
	m, s := &g.referee, &g.state
	command := m.Command
	if (command == ssl.Stop || command == ssl.PlacementYellow || command == ssl.PlacementBlue) && m.HasNext {
		command = m.NextCommand
	}
	chosen := game.SetPiece{Side: sideOf(command.Team())}
	switch command {
	case ssl.KickoffYellow, ssl.KickoffBlue:
		chosen.Command = game.KickOff
	case ssl.PenaltyYellow, ssl.PenaltyBlue:
		chosen.Command = game.PenaltyKick
	case ssl.DirectYellow, ssl.DirectBlue, ssl.IndirectYellow, ssl.IndirectBlue:
		chosen.Command = game.FreeKick
	case ssl.ForceStart:
		chosen.Command = game.DropBall
	default:
		chosen = game.SetPiece{}
	}
	was := s.Running
	switch m.Command {
	case ssl.NormalStart, ssl.ForceStart, ssl.DirectYellow, ssl.DirectBlue, ssl.IndirectYellow, ssl.IndirectBlue:
		s.Running = !part.IsInterval()
	default:
		s.Running = false
	}
	switch {
	case !s.Running:
		s.SetPiece, s.Taking, g.kick = chosen, game.SetPiece{}, chosen
	case m.Command == ssl.NormalStart && !was:
		s.SetPiece, s.Taking = game.SetPiece{}, g.kick
	case m.Command != ssl.NormalStart:
		s.SetPiece, s.Taking = game.SetPiece{}, chosen
	}
	if s.Taking.Command == game.KickOff && part == game.FirstHalf && s.FirstKick == game.Both {
		s.FirstKick = s.Taking.Side
	}
}

// sideOf returns the side of a team.
func sideOf(t ssl.Team) game.Side {
	switch t {
	case ssl.Yellow:
		return game.Home
	case ssl.Blue:
		return game.Away
	}
	return game.Both
}

// track applies a frame of a tracker. Of several trackers the first one counts while it sends.
func (g *Game) track(now soccer.Time) error {
	switch {
	case bytes.Equal(g.tracker.UUID, g.uuid) && g.tracked != 0:
	case g.tracked != 0 && now.Sub(g.tracked) < silence && now >= g.tracked:
		g.others++
		return nil
	default:
		g.uuid = bytes.Clone(g.tracker.UUID)
	}
	if !g.tracker.HasFrame {
		return nil
	}
	if err := g.tracker.Observe(&g.scene); err != nil {
		return err
	}
	g.tracked = now
	g.robots = g.robots[:0]
	g.see(now)
	return nil
}

// look applies a packet of the vision: its field, and what it sees while no tracker sends.
func (g *Game) look(now soccer.Time) error {
	if g.vision.HasGeometry {
		if f := ssl.FieldOf(&g.vision.Geometry); ssl.IsField(&f) {
			g.field, g.measured = f, true
		}
	}
	if !g.vision.HasDetection || g.tracked != 0 && now.Sub(g.tracked) < silence {
		return nil
	}
	if err := g.vision.Observe(&g.scene); err != nil {
		return err
	}
	g.robots = slices.DeleteFunc(g.robots, func(s sight) bool { return now.Sub(s.at) > seen })
	g.see(now)
	return nil
}

// see takes the scene's ball and robots.
func (g *Game) see(now soccer.Time) {
	if g.scene.HasBall {
		g.ball, g.ballAt = g.scene.Ball, now
	}
	for _, r := range g.scene.Robots {
		g.farthest = max(g.farthest, math.Abs(r.Pose.X))
		i := slices.IndexFunc(g.robots, func(s sight) bool { return s.Team == r.Team && s.ID == r.ID })
		if i < 0 {
			i = len(g.robots)
			g.robots = append(g.robots, sight{})
		}
		g.robots[i] = sight{r, now}
	}
}

// tell returns the truth.
func (g *Game) tell(now soccer.Time) *game.Truth {
	g.truth = now
	t := &game.Truth{Time: now, Ball: g.ball}
	for _, s := range g.robots {
		t.Robots = append(t.Robots, game.TruthRobot{Number: s.ID, Team: sideOf(s.Team), Shape: "robot", Pose: s.Pose})
	}
	if g.turned {
		t.Ball = t.Ball.Turned()
		for i := range t.Robots {
			t.Robots[i].Pose = t.Robots[i].Pose.Turned()
		}
	}
	slices.SortFunc(t.Robots, func(a, b game.TruthRobot) int {
		if a.Team != b.Team {
			return map[bool]int{true: -1, false: 1}[a.Team == game.Home]
		}
		return int(a.Number) - int(b.Number)
	})
	return t
}

// State returns the newest state of the game, which is valid until the next Apply.
func (g *Game) State() *game.State { return &g.state }

// Names returns the names of the teams, home first. It reports false before the referee told them.
func (g *Game) Names() (names [2]string, ok bool) {
	return [2]string{nameOf(g.referee.Yellow.Name, "yellow"), nameOf(g.referee.Blue.Name, "blue")}, g.started
}

// Field returns the field of the vision's packets. Before one tells it, the field is one of SSL Rules 2026: division B's, or
// division A's once a robot was seen beyond its goal lines.
func (g *Game) Field() soccer.Field {
	if g.measured {
		return g.field
	}
	size := ssl.Geometry{PenaltyDepth: 1000, PenaltyWidth: 2000, PenaltyMark: 6000}
	if g.farthest > 4.9 {
		size = ssl.Geometry{
			Length: 12000, Width: 9000, GoalWidth: 1800, PenaltyDepth: 1800, PenaltyWidth: 3600, PenaltyMark: 8000,
		}
	}
	return ssl.FieldOf(&size)
}

func nameOf(name []byte, fallback string) string {
	if len(name) == 0 {
		return fallback
	}
	return string(name[:min(len(name), 64)])
}

// Notes returns what does not count of the packets.
func (g *Game) Notes() (all []string) {
	if g.others > 0 {
		all = append(all, fmt.Sprintf("several trackers: %d packets of others than the first one do not count for the truth",
			g.others))
	}
	if g.bad > 0 {
		all = append(all, fmt.Sprintf("%d packets cannot be decoded", g.bad))
	}
	return all
}
