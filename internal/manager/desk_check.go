package manager

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/team"
)

// maxPath is the most points of a path that a desk keeps.
const maxPath = 2000

// CheckView is the topic "checks/ID": the newest checks of a robot.
type CheckView struct {
	Refused string    `json:"refused"` // why the robot refused the newest request for a check, or did not answer; "": it did not
	Kick    *KickRun  `json:"kick"`    // null: none yet
	Walk    *WalkRun  `json:"walk"`    // null: none yet
	Figures []string  `json:"figures"` // of locomotion checks
	Most    MostCheck `json:"most"`
}

// MostCheck holds the limits of checks.
type MostCheck struct {
	Tries   int     `json:"tries"`
	Seconds float64 `json:"seconds"` // of a path
}

// KickRun is a kick check. Angles are from the robot's heading at the kick, left is positive.
type KickRun struct {
	Run     uint32      `json:"run"`
	Kick    uint8       `json:"kick"`  // of the robot's list
	Total   uint8       `json:"total"` // tries wanted
	State   string      `json:"state"` // "preparing", "waiting" for the ball, "executing", "measuring", "finished" or "aborted"
	Note    string      `json:"note"`
	Speed   float32     `json:"speed"` // m/s, asked for
	X       float32     `json:"x"`     // m, place of the ball in the team frame
	Y       float32     `json:"y"`
	Heading float32     `json:"heading"` // rad, direction of the kicks
	Tries   []KickTry   `json:"tries"`
	Summary KickSummary `json:"summary"`
}

// KickTry is a measured kick.
type KickTry struct {
	OK            bool     `json:"ok"`       // the ball left
	Inside        bool     `json:"inside"`   // it came to rest in sight and inside the field: the distance holds
	Speed         float32  `json:"speed"`    // m/s, at launch
	Angle         float32  `json:"angle"`    // rad, at launch
	Distance      float32  `json:"distance"` // m
	Delay         float32  `json:"delay"`    // s from the command to the ball's motion
	SpeedSigma    float32  `json:"speedSigma"`
	AngleSigma    float32  `json:"angleSigma"`
	DistanceSigma float32  `json:"distanceSigma"`
	Truth         *TrueTry `json:"truth"` // null: unknown
}

// TrueTry is the truth of a simulator.
type TrueTry struct {
	Speed    float32 `json:"speed"`
	Angle    float32 `json:"angle"`
	Distance float32 `json:"distance"`
}

// WalkRun is a locomotion check.
type WalkRun struct {
	Run     uint32      `json:"run"`
	Figure  string      `json:"figure"`
	Speed   float32     `json:"speed"` // m/s, or rad/s of a turn
	Size    float32     `json:"size"`  // m
	Laps    float32     `json:"laps"`
	State   string      `json:"state"`
	Note    string      `json:"note"`
	Total   int         `json:"total"` // points that the robot has; Path has those that arrived
	Path    []WalkPoint `json:"path"`
	Summary WalkSummary `json:"summary"`
}

// WalkPoint is where the robot should have been and where it was: x and y in m, heading in rad, in the team frame. The
// odometry begins where the robot believed to begin.
type WalkPoint struct {
	Time     float32     `json:"time"` // s since the start
	Want     [3]float32  `json:"want"`
	Odometry [3]float32  `json:"odometry"`
	World    *[3]float32 `json:"world"` // by its localisation; null: unknown
	Truth    *[3]float32 `json:"truth"` // of a simulator; null: unknown
}

// checked is what a desk knows of a robot's checks.
type checked struct {
	refused string
	kick    *KickRun
	walk    *WalkRun
	path    []heardPoint // of walk
	running [2]Running   // kick and walk; zero: none
}

// heardPoint is a point of a path, and whether it arrived.
type heardPoint struct {
	team.PathPoint
	arrived bool
	truth   *[3]float32 // nil: unknown
}

// runningFor is the time for which a check runs whose reports stopped.
const runningFor = 2 * time.Second

// Running is a check that a robot executes.
type Running struct {
	Robot uint8
	Waits bool        // for somebody who puts the ball at its place
	Place soccer.Vec  // m, in the team frame
	Said  soccer.Time // when its newest report arrived
}

// Checks returns the checks that robots execute, for helpers beside the field.
func (d *Desk) Checks(now soccer.Time) (list []Running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.robots {
		for _, c := range r.checked.running {
			if c.Said != 0 && now.Sub(c.Said) <= runningFor {
				list = append(list, c)
			}
		}
	}
	return list
}

// runs reports whether a check in this state goes on.
func runs(s team.CheckState) bool { return s != team.Finished && s != team.Aborted }

// receiveKickCheck receives the report of a kick check, which left the robot at from.Captured.
func (r *record) receiveKickCheck(from teamcom.From, m *team.KickCheck) {
	r.checked.running[0] = Running{}
	if runs(m.State) {
		r.checked.running[0] = Running{
			r.id, m.State == team.AwaitingBall, soccer.Vec{X: float64(m.PlaceX), Y: float64(m.PlaceY)}, from.Received,
		}
	}
	k := &KickRun{
		Run: m.Run, Kick: m.Kick, Total: m.Total, State: m.State.String(), Note: m.Note, Speed: m.Speed,
		X: m.PlaceX, Y: m.PlaceY, Heading: m.PlaceTheta, Tries: []KickTry{},
	}
	known := 0
	if old := r.checked.kick; old != nil && old.Run == m.Run && len(old.Tries) <= len(m.Tries) {
		known = len(old.Tries)
		k.Tries = append(k.Tries, old.Tries...)
	}
	for i := known; i < len(m.Tries); i++ {
		t := &m.Tries[i]
		try := KickTry{
			OK: t.OK, Inside: t.Inside, Speed: t.Speed, Angle: t.Angle, Distance: t.Distance, Delay: t.Delay,
			SpeedSigma: t.SpeedSigma, AngleSigma: t.AngleSigma, DistanceSigma: t.DistanceSigma,
		}
		try.Truth = r.desk.cfg.Course.try(r.id, before(from.Captured, t.Ago), from.Captured, m.Speed)
		k.Tries = append(k.Tries, try)
	}
	k.Summary = Kicks(m.Tries)
	r.checked.kick = k
}

// before returns the time some seconds before another one.
func before(t soccer.Time, seconds float32) soccer.Time {
	return t.Add(-time.Duration(math.Round(float64(seconds) * 1e9)))
}

// receiveWalkCheck receives a part of the path of a locomotion check, which left the robot at from.Captured.
func (r *record) receiveWalkCheck(from teamcom.From, m *team.LocomotionCheck) {
	if int(m.Total) > maxPath || int(m.First)+len(m.Path) > int(m.Total) {
		return
	}
	c := &r.checked
	c.running[1] = Running{}
	if runs(m.State) {
		c.running[1] = Running{Robot: r.id, Said: from.Received}
	}
	if c.walk == nil || c.walk.Run != m.Run {
		c.walk, c.path = &WalkRun{Path: []WalkPoint{}, Summary: Walk(nil, Exact())}, nil
	}
	w := *c.walk
	w.Run, w.Figure, w.Speed, w.Size, w.Laps = m.Run, m.Figure.String(), m.Speed, m.Size, m.Laps
	w.State, w.Note, w.Total = m.State.String(), m.Note, int(m.Total)
	c.walk = &w
	grown := false
	for i, p := range m.Path {
		at := int(m.First) + i
		for len(c.path) <= at {
			c.path = append(c.path, heardPoint{})
		}
		if !c.path[at].arrived {
			c.path[at] = heardPoint{p, true, r.desk.cfg.Course.point(r.id, before(from.Captured, m.Ago), &p)}
			grown = true
		}
	}
	if !grown {
		return
	}
	w.Path = make([]WalkPoint, 0, len(c.path))
	var path []team.PathPoint
	for i := range c.path {
		if p := &c.path[i]; p.arrived {
			path = append(path, p.PathPoint)
			w.Path = append(w.Path, p.view(pose(path[0].WantX, path[0].WantY, path[0].WantTheta)))
		}
	}
	w.Summary = Walk(path, Exact())
}

// view returns a point for pages, of a path that begins at start.
func (p *heardPoint) view(start soccer.Pose) WalkPoint {
	o := start.Compose(pose(p.OdometryX, p.OdometryY, p.OdometryTheta))
	v := WalkPoint{
		Time: p.Time, Want: [3]float32{p.WantX, p.WantY, p.WantTheta},
		Odometry: [3]float32{float32(o.X), float32(o.Y), float32(o.Theta)}, Truth: p.truth,
	}
	if p.WorldKnown {
		v.World = &[3]float32{p.WorldX, p.WorldY, p.WorldTheta}
	}
	return v
}

// CheckView returns the topic "checks/ID", or nil for an unknown robot.
func (d *Desk) CheckView(id uint8) *CheckView { return of(d, id, (*record).checkView) }

func (r *record) checkView() *CheckView {
	return &CheckView{
		Refused: r.checked.refused, Kick: r.checked.kick, Walk: r.checked.walk, Figures: figures(),
		Most: MostCheck{team.MaxTries, maxPlan},
	}
}

// figures returns the names of the figures in their order.
func figures() (names []string) {
	for f := team.Straight; f <= team.Eight; f++ {
		names = append(names, f.String())
	}
	return names
}

// checkAnswered notes whether the robot refused a request for a check.
func (r *record) checkAnswered(result, text string) {
	if r.checked.refused = ""; result != team.Done.String() {
		r.checked.refused = outcome(result, text)
	}
}

// errStop is the error of a check without a speed or tries: the robot would take it as a stop.
var errStop = errors.New("manager: a check needs a speed, and a kick check 1 try or more")

func (c *call) kickCheck() error {
	if c.Tries == 0 || c.Speed <= 0 {
		return errStop
	}
	return c.ask(team.Request{
		Operation: team.CheckKick, ID: uint64(c.Index), Value: float32(c.Tries),
		Numbers: []float32{c.Speed, c.X, c.Y, c.Heading},
	})
}

func (c *call) walkCheck() error {
	figure := slices.Index(figures(), c.Figure)
	switch {
	case c.Speed <= 0:
		return errStop
	case figure < 0:
		return fmt.Errorf("manager: figure %.40q: want one of %q", c.Figure, figures())
	}
	return c.ask(team.Request{
		Operation: team.CheckWalk, ID: uint64(figure), Value: c.Speed,
		Numbers: []float32{c.Size, float32(c.Laps), c.X, c.Y, c.Heading},
	})
}

func (c *call) stopCheck() error { return c.ask(team.Request{Operation: team.CheckKick}) }
