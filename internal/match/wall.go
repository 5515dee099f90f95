package match

import (
	"fmt"
	"strconv"
	"time"

	"touchline/game"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
)

// Bounds of the timeline.
const (
	matchMarkFor  = 60 * time.Second
	matchMaxMarks = 100
)

// Note puts an event on the timeline; number is the robot that it is about, 0 for none.
func (m *Match) Note(kind string, number uint8, text string) {
	at := m.now.Sub(soccer.Epoch).Seconds()
	m.marks = append(m.marks, watch.Mark{Time: at, Kind: kind, Number: number, Text: text})
	for len(m.marks) > matchMaxMarks || m.marks[0].Time < at-matchMarkFor.Seconds() {
		m.marks = append(m.marks[:0], m.marks[1:]...)
	}
}

// Wall returns the topic "wall": the truth and a tile for each robot. It is drawn so that home attacks +x in each half.
func (m *Match) Wall() *watch.Wall {
	w := &watch.Wall{
		Session: "match", Seed: strconv.FormatUint(m.cfg.Seed, 10), Speed: 1, Time: m.now.Sub(soccer.Epoch).Seconds(),
		Link:  watch.Link{Interface: "virtual time", Loopback: true, Loss: m.cfg.Link.Loss, Delay: m.cfg.Link.Delay.Seconds() * 1e3},
		Field: m.cfg.Field, Waiting: []watch.Member{}, Apart: watch.Jerseys{}, Unreached: watch.Jerseys{},
		Marks: append([]watch.Mark{}, m.marks...),
	}
	truth, bodies := m.truth()
	w.Truth = truth
	for i := range m.players {
		w.Tiles = append(w.Tiles, m.tile(&m.players[i], truth, bodies))
	}
	w.Spread = watch.Spread(w.Tiles)
	return w
}

// truth returns the truth and the places of all bodies, as the wall draws them.
func (m *Match) truth() (*watch.Scene, []soccer.Vec) {
	ball, v := m.engine.Ball()
	turned := m.turned(game.Home)
	if turned {
		ball, v = ball.Turned(), v.Turned()
	}
	scene := &watch.Scene{
		Ball:   watch.Thing{X: ball.X, Y: ball.Y, Z: ball.Z, VX: v.X, VY: v.Y},
		Robots: []watch.Figure{}, Obstacles: []watch.Thing{},
	}
	var bodies []soccer.Vec
	for i := range m.players {
		p := &m.players[i]
		pose, ok := m.engine.RobotPose(p.id)
		if !ok {
			continue
		}
		if turned {
			pose = pose.Turned()
		}
		scene.Robots = append(scene.Robots, watch.Figure{
			Number: p.number, Color: p.side.Color(), Shape: "robot", Pose: pose, Facing: true,
		})
		bodies = append(bodies, pose.XY())
	}
	return scene, bodies
}

// tile returns the tile of one robot.
func (m *Match) tile(p *player, truth *watch.Scene, bodies []soccer.Vec) watch.Tile {
	color := p.side.Color()
	t := watch.Tile{
		Key: fmt.Sprintf("%s/%d", p.side, p.number), Number: p.number, Color: color, Team: m.cfg.Team(p.side).Name, Shape: "robot",
		State: "live", Faults: []watch.Fault{},
	}
	if p.robot == nil {
		if !p.runs(m.now) {
			t.State = "off"
		}
		t.Belief = watch.BeliefOf(&soccer.World{Time: m.now}, color, 0, 0)
	}
	if !m.World(p.side, p.number, &m.world) {
		return t
	}
	t.Belief = watch.BeliefOf(&m.world, color, p.number, 0)
	ball, found, ghosts := t.Belief.Score(opponents(truth, color), bodies)
	t.BallError, t.Found, t.False = ball, &found, &ghosts
	if p.robot == nil {
		return t
	}
	left, foreign := p.robot.Counts()
	t.Left = &watch.Left{
		Unplaced: left.Unplaced, Repeated: left.Duplicate, Stale: left.Stale, OtherColor: left.OtherSide,
		SameNumber: left.SameNumber, Foreign: foreign,
	}
	return t
}

// opponents returns a scene whose obstacles are the robots of the other team: a robot knows its teammates by their
// messages.
func opponents(truth *watch.Scene, own soccer.Color) *watch.Scene {
	scene := &watch.Scene{Ball: truth.Ball}
	for i := range truth.Robots {
		if r := &truth.Robots[i]; r.Color != own {
			scene.Obstacles = append(scene.Obstacles, watch.Thing{X: r.Pose.X, Y: r.Pose.Y})
		}
	}
	return scene
}

// Reports returns what the nodes of a team measured: the station's first, then those of the robots that run. Without
// Config.Debug it says only which links are up.
func (m *Match) Reports(side game.Side) []teamcom.Report {
	reports := []teamcom.Report{m.bases[side.Index()].node.Report(m.now)}
	for i := range m.players {
		if p := &m.players[i]; p.side == side && p.node != nil {
			reports = append(reports, p.node.Report(m.now))
		}
	}
	return reports
}
