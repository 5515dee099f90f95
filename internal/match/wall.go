package match

import (
	"fmt"
	"strconv"

	"touchline/game"
	"touchline/internal/camera"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
)

// Wall returns the topic "wall": the truth and a tile for each robot. It is drawn so that home attacks +x in each half.
func (m *Match) Wall() *watch.Wall {
	truth, bodies := m.truth(m.turned(game.Home))
	w := &watch.Wall{
		Session: "match", Seed: strconv.FormatUint(m.cfg.Seed, 10), Speed: 1, Time: seconds(m.now),
		Link:  watch.Link{Interface: "virtual time", Loopback: true, Loss: m.cfg.Link.Loss, Delay: m.cfg.Link.Delay.Seconds() * 1e3},
		Field: m.cfg.Field, Truth: truth, Waiting: []watch.Member{}, Apart: watch.Jerseys{}, Unreached: watch.Jerseys{},
		Marks: append([]watch.Mark{}, m.marks...),
	}
	for i := range m.players {
		w.Tiles = append(w.Tiles, m.tileOf(&m.players[i], truth, bodies))
	}
	w.Spread = watch.Spread(w.Tiles)
	return w
}

// tileOf returns the tile of one robot.
func (m *Match) tileOf(p *player, truth *watch.Scene, bodies []soccer.Vec) watch.Tile {
	var w *soccer.World
	if m.believes(&p.unit, p.at, &m.world) {
		w = &m.world
	}
	t := m.tile(&p.unit, fmt.Sprintf("%s/%d", p.side, p.number), w, 0, opponents(truth, p.color), bodies)
	if !p.runs(m.now) {
		t.State = "off"
		if p.back > m.now {
			t.Crashed = CrashText("", p.back.Sub(m.now))
		}
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

// Scene sets scene to all that the camera of a robot may see, in its team frame. It reports false for a robot that is not
// on the field.
func (m *Match) Scene(side game.Side, number uint8, scene *camera.Scene) bool {
	p := m.player(side, number)
	if p == nil {
		return false
	}
	_, twist, _ := m.engine.Robot(p.id)
	return m.scene(&p.unit, twist.Theta, m.turned(side), scene)
}

// reports returns what the nodes of a team measured: the station's first, then those of the robots that run. Without
// Config.Debug it says only which links are up.
func (m *Match) reports(side game.Side) []teamcom.Report {
	reports := []teamcom.Report{m.bases[side.Index()].node.Report(m.now)}
	for i := range m.players {
		if p := &m.players[i]; p.side == side && p.node != nil {
			reports = append(reports, p.node.Report(m.now))
		}
	}
	return reports
}
