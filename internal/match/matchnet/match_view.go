package matchnet

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot/robotnet"
	"touchline/internal/watch"
	"touchline/soccer"
)

// Match returns the topic "match", a *match.ShowView.
func (m *Match) Match(string) any {
	var v *match.ShowView
	m.Look(func(s *match.Show) {
		v = s.State()
		v.Controls, v.Paused, v.Speed = !m.watched, m.paused, m.speed
	})
	if m.teams != nil {
		v.Loops = &match.Loops{CPU: m.load.read(time.Now())}
		for _, t := range m.timings() {
			v.Loops.Robots++
			v.Loops.P99 = max(v.Loops.P99, t.P99)
		}
	}
	return v
}

// Preview returns the match in small.
func (m *Match) Preview() watch.Preview {
	v := m.Match("match").(*match.ShowView)
	scene := &watch.Scene{Ball: v.Ball, Obstacles: []watch.Thing{}}
	for _, r := range v.Robots {
		if r.On {
			scene.Robots = append(scene.Robots, watch.Figure{Number: r.Number, Color: r.Color, Shape: "robot", Pose: r.Pose, Facing: true})
		}
	}
	home, away := v.Home.Name, v.Away.Name
	if home == away {
		home, away = string(game.Home), string(game.Away)
	}
	text := fmt.Sprintf("%s %d:%d %s", home, v.Home.Tally.Goals, v.Away.Tally.Goals, away)
	return watch.Preview{Field: v.Field, Scene: scene, Text: text, Said: []watch.Figure{}}
}

// Wall returns the topic "wall", a *watch.Wall.
func (m *Match) Wall(string) (w any) {
	crashes := map[soccer.Color]map[uint8]string{}
	for _, t := range m.teams {
		crashes[t.side.Color()] = t.robots.crashes(time.Now())
	}
	m.Look(func(s *match.Show) {
		wall := s.Wall()
		for i := range wall.Tiles {
			if t := &wall.Tiles[i]; t.State == "off" {
				t.Crashed = cmp.Or(crashes[t.Color][t.Number], t.Crashed)
			}
		}
		if wall.Paused = m.paused; m.teams != nil {
			wall.Link.Interface = "loopback"
		}
		w = wall
	})
	return w
}

// Network returns the topic "network", a watch.Network: the robots send no mixed team packages.
func (m *Match) Network(string) any {
	return watch.Network{Group: "TCM of each team", Senders: []watch.SenderRow{}, Alarms: []string{}}
}

// Nodes returns the topics "teamcom" and "teamcom.away", each a teamcom.View.
func (m *Match) Nodes(topic string) (v any) {
	m.Look(func(s *match.Show) { v = s.Nodes(match.SideOf(topic)) })
	return v
}

// Booking returns the topics "booking" and "booking.away", each a watch.BookingsView.
func (m *Match) Booking(topic string) (v any) {
	m.Look(func(s *match.Show) { v = s.Booking(match.SideOf(topic)) })
	return v
}

// Behaviour returns the topic "behaviour", a watch.BehaviourView of both teams.
func (m *Match) Behaviour(string) (v any) {
	m.Look(func(s *match.Show) { v = s.Behaviour() })
	return v
}

// awayFrom is the page of robot 0 of away: those of its robots follow those of home.
const awayFrom = 10

// player returns the team and the number of the robot of a page. The team is nil if its robots are another program's.
func (m *Match) player(page uint8) (*liveTeam, uint8) {
	side, number := game.Home, page
	if page > awayFrom {
		side, number = game.Away, page-awayFrom
	}
	if t := m.teams[side.Index()]; !t.external {
		return t, number
	}
	return nil, number
}

// Robot returns the topics "robot/PAGE" and "picture/PAGE" of a match in real time, or nil: robots of home have the pages
// 1 to 5, those of away 11 to 15.
func (m *Match) Robot(topic string) any {
	kind, id, _ := strings.Cut(topic, "/")
	page, err := strconv.ParseUint(id, 10, 8)
	if err != nil {
		return nil
	}
	t, number := m.player(uint8(page))
	if t == nil {
		return nil
	}
	switch kind {
	case "robot":
		if v := t.desk.View(number, t.node.Now()); v != nil {
			v.Robot = uint8(page)
			return v
		}
	case "picture":
		if v := t.pictures.View(number, t.node.Now()); v != nil {
			v.Robot = uint8(page)
			return v
		}
	}
	return nil
}

// Timing is how well the loop of a robot keeps its period.
type Timing struct {
	Side   game.Side `json:"side"`
	Number uint8     `json:"number"`
	robotnet.Timing
}

// timings returns how well the loops of the robots keep their period, home first. Robots that do not run, and those of
// other programs, are missing.
func (m *Match) timings() (all []Timing) {
	for _, t := range m.teams {
		t.robots.each(func(number uint8, r *RobotReport) { all = append(all, Timing{t.side, number, r.Loop}) })
	}
	return all
}

// Report is what a match in real time was like. Its JSON is stable.
type Report struct {
	Seconds float64   `json:"seconds"` // of the match
	Part    string    `json:"part"`
	Names   [2]string `json:"names"`  // home, away
	Goals   [2]int    `json:"goals"`  // home, away
	CPU     float64   `json:"cpu"`    // share of one core over the whole run
	Robots  []Timing  `json:"robots"` // those that run when the match is left
}

// Report returns what a match in real time is like now.
func (m *Match) Report() Report {
	v := m.Match("match").(*match.ShowView)
	return Report{
		Seconds: v.Time, Part: v.Part, Names: [2]string{v.Home.Name, v.Away.Name}, Goals: [2]int{v.Home.Tally.Goals, v.Away.Tally.Goals},
		CPU: m.load.whole(time.Now()), Robots: m.timings(),
	}
}

// String returns the report for people.
func (r *Report) String() string {
	text := fmt.Sprintf("%s, %.0f s, %s %d:%d %s, %.0f %% of one core\n", r.Part, r.Seconds, r.Names[0], r.Goals[0], r.Goals[1],
		r.Names[1], 100*r.CPU)
	for _, t := range r.Robots {
		text += fmt.Sprintf("%s %d: period %.0f ms, 99 %% within %.1f ms, worst %.1f ms\n", t.Side, t.Number, t.Period, t.P99,
			t.Worst)
	}
	return text
}

// cpu returns the processor time of this process and of the robots' processes.
func (m *Match) cpu() (used time.Duration) {
	if m.cfg.CPU != nil {
		used = m.cfg.CPU()
	}
	for _, t := range m.teams {
		used += t.robots.cpu()
	}
	return used
}

// meter measures the share of one core that a program uses.
type meter struct {
	cpu    func() time.Duration // processor time so far
	began  time.Time
	before time.Duration // used until then

	mu    sync.Mutex
	at    time.Time     // when the window began
	used  time.Duration // up to then
	share float64       // in the window before; 0 in the first one
}

// meterWindow is the time over which the share is taken.
const meterWindow = 5 * time.Second

func newMeter(cpu func() time.Duration) *meter {
	m := &meter{cpu: cpu, began: time.Now(), before: cpu()}
	m.at, m.used = m.began, m.before
	return m
}

// read returns the share in the last full window; in the first one, the share since its begin.
func (m *meter) read(now time.Time) float64 {
	used := m.cpu()
	m.mu.Lock()
	defer m.mu.Unlock()
	passed := now.Sub(m.at)
	share := float64(used-m.used) / float64(max(passed, 1))
	if passed >= meterWindow {
		m.at, m.used, m.share = now, used, share
	}
	if m.share == 0 {
		return share
	}
	return m.share
}

// whole returns the share since the meter began.
func (m *meter) whole(now time.Time) float64 {
	return float64(m.cpu()-m.before) / float64(max(now.Sub(m.began), 1))
}
