package matchlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/ssl"
)

// Yellow is home and blue is away. The field is turned so that home attacks +x in the first half, as in all logs.

const (
	sslTruthPeriod = 50 * time.Millisecond  // between two truths
	sslStatePeriod = time.Second            // between two states without a change
	sslSilence     = time.Second            // after that another tracker, or the vision, counts
	sslSeen        = 200 * time.Millisecond // that an object of the vision counts
)

// sslGame follows a match through the packets of a log.
type sslGame struct {
	referee  ssl.Referee
	tracker  ssl.Tracker
	vision   ssl.Vision
	scene    ssl.Scene
	started  bool // a Referee was read
	state    game.State
	told     soccer.Time // of the newest state
	turned   bool        // yellow attacks the other way than home does
	kick     game.SetPiece
	uuid     []byte      // of the tracker that counts
	tracked  soccer.Time // its newest packet
	truth    soccer.Time // of the newest truth
	ball     soccer.Vec3
	ballAt   soccer.Time
	robots   []sslSight
	field    soccer.Field
	measured bool // field is that of a packet
	others   int  // packets of further trackers
	bad      int  // packets that cannot be decoded
	farthest float64
}

// sslSight is a robot that a camera saw.
type sslSight struct {
	ssl.SceneRobot
	at soccer.Time
}

func newSSLGame() sslGame {
	g := sslGame{}
	g.state.Part = game.PreGame
	return g
}

// apply applies a packet, and returns the channel and the contents of the message that follows from it; nil for none.
func (g *sslGame) apply(now soccer.Time, kind ssl.Kind, b []byte) (channel string, value any) {
	var err error
	switch kind {
	case ssl.KindReferee:
		if err = g.referee.UnmarshalBinary(b); err == nil && g.refereed(now) {
			return States, &g.state
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
		return "", nil
	}
	if kind == ssl.KindReferee || len(g.robots) == 0 && g.ballAt == 0 || now.Sub(g.truth) < sslTruthPeriod && now >= g.truth {
		return "", nil
	}
	return Truth, g.tell(now)
}

var sslParts = map[ssl.Stage]game.Part{
	ssl.FirstHalfPre: game.PreGame, ssl.FirstHalf: game.FirstHalf, ssl.HalfTime: game.HalfTime,
	ssl.SecondHalfPre: game.HalfTime, ssl.SecondHalf: game.SecondHalf, ssl.ExtraTimeBreak: game.PreOvertime,
	ssl.ExtraFirstHalfPre: game.PreOvertime, ssl.ExtraFirstHalf: game.OvertimeFirst,
	ssl.ExtraHalfTime: game.OvertimeHalfTime, ssl.ExtraSecondHalfPre: game.OvertimeHalfTime,
	ssl.ExtraSecondHalf: game.OvertimeSecond, ssl.ShootoutBreak: game.ShootOut, ssl.Shootout: game.ShootOut,
	ssl.PostGame: game.End,
}

// refereed applies a Referee and reports whether the state is to be logged.
func (g *sslGame) refereed(now soccer.Time) bool {
	m, s := &g.referee, &g.state
	was := *s
	part := sslParts[m.Stage]
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
	if m.HasBluePositive {
		g.turned = m.BluePositive != (part.Attack(game.Home) > 0)
	}
	changed := !g.started || s.Part != was.Part || s.Running != was.Running || s.Home.Goals != was.Home.Goals ||
		s.Away.Goals != was.Away.Goals || s.SetPiece != was.SetPiece || s.Taking != was.Taking
	g.started = true
	if !changed && now.Sub(g.told) < sslStatePeriod && now >= g.told {
		return false
	}
	g.told = now
	return true
}

// command applies the referee's command: whether the ball is in play, and which set piece is chosen or taken.
func (g *sslGame) command(part game.Part) {
	m, s := &g.referee, &g.state
	command := m.Command
	if (command == ssl.Stop || command == ssl.PlacementYellow || command == ssl.PlacementBlue) && m.HasNext {
		command = m.NextCommand
	}
	chosen := game.SetPiece{Side: sslSide(command.Team())}
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

// sslSide returns the side of a team.
func sslSide(t ssl.Team) game.Side {
	switch t {
	case ssl.Yellow:
		return game.Home
	case ssl.Blue:
		return game.Away
	}
	return game.Both
}

// track applies a frame of a tracker. Of several trackers the first one counts while it sends.
func (g *sslGame) track(now soccer.Time) error {
	switch {
	case bytes.Equal(g.tracker.UUID, g.uuid) && g.tracked != 0:
	case g.tracked != 0 && now.Sub(g.tracked) < sslSilence && now >= g.tracked:
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
func (g *sslGame) look(now soccer.Time) error {
	if g.vision.HasGeometry {
		if f := ssl.FieldOf(&g.vision.Geometry); f.Length <= 100 && f.Width <= 100 {
			g.field, g.measured = f, true
		}
	}
	if !g.vision.HasDetection || g.tracked != 0 && now.Sub(g.tracked) < sslSilence {
		return nil
	}
	if err := g.vision.Observe(&g.scene); err != nil {
		return err
	}
	g.robots = slices.DeleteFunc(g.robots, func(s sslSight) bool { return now.Sub(s.at) > sslSeen })
	g.see(now)
	return nil
}

// see takes the scene's ball and robots.
func (g *sslGame) see(now soccer.Time) {
	if g.scene.HasBall {
		g.ball, g.ballAt = g.scene.Ball, now
	}
	for _, r := range g.scene.Robots {
		g.farthest = max(g.farthest, math.Abs(r.Pose.X))
		i := slices.IndexFunc(g.robots, func(s sslSight) bool { return s.Team == r.Team && s.ID == r.ID })
		if i < 0 {
			i = len(g.robots)
			g.robots = append(g.robots, sslSight{})
		}
		g.robots[i] = sslSight{r, now}
	}
}

// tell returns the truth.
func (g *sslGame) tell(now soccer.Time) *game.Truth {
	g.truth = now
	t := &game.Truth{Time: now, Ball: g.ball}
	for _, s := range g.robots {
		t.Robots = append(t.Robots, game.TruthRobot{Number: s.ID, Team: sslSide(s.Team), Shape: "robot", Pose: s.Pose})
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

// describe sets the names of the teams and the field, which is one of SSL Rules 2026 if no packet tells it.
func (g *sslGame) describe(meta map[string]string) {
	if g.started {
		meta[MetaHome], meta[MetaAway] = sslName(g.referee.Yellow.Name, "yellow"), sslName(g.referee.Blue.Name, "blue")
	}
	f := g.field
	if !g.measured {
		size := ssl.Geometry{PenaltyDepth: 1000, PenaltyWidth: 2000, PenaltyMark: 6000}
		if g.farthest > 4.9 {
			size = ssl.Geometry{Length: 12000, Width: 9000, GoalWidth: 1800, PenaltyDepth: 1800, PenaltyWidth: 3600, PenaltyMark: 8000}
		}
		f = ssl.FieldOf(&size)
	}
	if b, err := json.Marshal(&f); err == nil {
		meta[MetaMarkings] = string(b)
	}
}

func sslName(name []byte, fallback string) string {
	if len(name) == 0 {
		return fallback
	}
	return string(name[:min(len(name), 64)])
}

// notes returns what the log does not show of the file.
func (g *sslGame) notes() (all []string) {
	if g.others > 0 {
		all = append(all, fmt.Sprintf("several trackers: %d packets of others than the first one do not count for the truth", g.others))
	}
	if g.bad > 0 {
		all = append(all, fmt.Sprintf("%d packets cannot be decoded", g.bad))
	}
	return all
}
