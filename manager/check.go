package manager

import (
	"errors"
	"fmt"
	"slices"

	"touchline/manager/checks"
	"touchline/soccer"
	"touchline/wire/tcm"
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
	Run     uint32             `json:"run"`
	Kick    uint8              `json:"kick"`  // of the robot's list
	Total   uint8              `json:"total"` // tries wanted
	State   string             `json:"state"` // "preparing", "executing", "measuring", "finished" or "aborted"
	Note    string             `json:"note"`
	Speed   float32            `json:"speed"` // m/s, asked for
	X       float32            `json:"x"`     // m, place of the ball in the team frame
	Y       float32            `json:"y"`
	Heading float32            `json:"heading"` // rad, direction of the kicks
	Tries   []KickTry          `json:"tries"`
	Summary checks.KickSummary `json:"summary"`
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
	Run     uint32             `json:"run"`
	Figure  string             `json:"figure"`
	Speed   float32            `json:"speed"` // m/s, or rad/s of a turn
	Size    float32            `json:"size"`  // m
	Laps    float32            `json:"laps"`
	State   string             `json:"state"`
	Note    string             `json:"note"`
	Total   int                `json:"total"` // points that the robot has; Path has those that arrived
	Path    []WalkPoint        `json:"path"`
	Summary checks.WalkSummary `json:"summary"`
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
	path    []team.PathPoint // as far as it arrived
	have    []bool
}

// ReceiveKickCheck receives the report of a kick check.
func (d *Desk) ReceiveKickCheck(from tcm.Entity, m *team.KickCheck) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.sender(from)
	if r == nil {
		return
	}
	k := &KickRun{
		Run: m.Run, Kick: m.Kick, Total: m.Total, State: m.State.String(), Note: m.Note, Speed: m.Speed,
		X: m.PlaceX, Y: m.PlaceY, Heading: m.PlaceTheta, Tries: []KickTry{},
	}
	if old := r.checked.kick; old != nil && old.Run == m.Run && len(old.Tries) == len(m.Tries) {
		k.Tries, k.Summary = old.Tries, old.Summary
		r.checked.kick = k
		return
	}
	for i := range m.Tries {
		t := &m.Tries[i]
		try := KickTry{
			OK: t.OK, Inside: t.Inside, Speed: t.Speed, Angle: t.Angle, Distance: t.Distance, Delay: t.Delay,
			SpeedSigma: t.SpeedSigma, AngleSigma: t.AngleSigma, DistanceSigma: t.DistanceSigma,
		}
		if t.TruthKnown {
			try.Truth = &TrueTry{t.TruthSpeed, t.TruthAngle, t.TruthDistance}
		}
		k.Tries = append(k.Tries, try)
	}
	k.Summary = checks.Kicks(m.Tries)
	r.checked.kick = k
}

// ReceiveLocomotionCheck receives a part of the path of a locomotion check.
func (d *Desk) ReceiveLocomotionCheck(from tcm.Entity, m *team.LocomotionCheck) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.sender(from)
	if r == nil || int(m.Total) > maxPath || int(m.First)+len(m.Path) > int(m.Total) {
		return
	}
	c := &r.checked
	if c.walk == nil || c.walk.Run != m.Run {
		c.walk, c.path, c.have = &WalkRun{Path: []WalkPoint{}, Summary: checks.Walk(nil, checks.Exact())}, nil, nil
	}
	w := *c.walk
	w.Run, w.Figure, w.Speed, w.Size, w.Laps = m.Run, m.Figure.String(), m.Speed, m.Size, m.Laps
	w.State, w.Note, w.Total = m.State.String(), m.Note, int(m.Total)
	c.walk = &w
	grown := false
	for i, p := range m.Path {
		at := int(m.First) + i
		for len(c.path) <= at {
			c.path, c.have = append(c.path, team.PathPoint{}), append(c.have, false)
		}
		if !c.have[at] {
			c.path[at], c.have[at], grown = p, true, true
		}
	}
	if !grown {
		return
	}
	var arrived []team.PathPoint
	for i, have := range c.have {
		if have {
			arrived = append(arrived, c.path[i])
		}
	}
	w.Path, w.Summary = walkPoints(arrived), checks.Walk(arrived, checks.Exact())
}

// walkPoints returns a path for pages.
func walkPoints(path []team.PathPoint) []WalkPoint {
	points := make([]WalkPoint, 0, len(path))
	var start soccer.Pose
	if len(path) > 0 {
		start = soccer.Pose{X: float64(path[0].WantX), Y: float64(path[0].WantY), Theta: float64(path[0].WantTheta)}
	}
	for i := range path {
		p := &path[i]
		o := checks.Placed(start,
			soccer.Pose{X: float64(p.OdometryX), Y: float64(p.OdometryY), Theta: float64(p.OdometryTheta)})
		point := WalkPoint{
			Time: p.Time, Want: [3]float32{p.WantX, p.WantY, p.WantTheta},
			Odometry: [3]float32{float32(o.X), float32(o.Y), float32(o.Theta)},
		}
		if p.WorldKnown {
			point.World = &[3]float32{p.WorldX, p.WorldY, p.WorldTheta}
		}
		if p.TruthKnown {
			point.Truth = &[3]float32{p.TruthX, p.TruthY, p.TruthTheta}
		}
		points = append(points, point)
	}
	return points
}

// CheckView returns the topic "checks/ID", or nil for an unknown robot.
func (d *Desk) CheckView(id uint8) *CheckView {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.known(id)
	if r == nil {
		return nil
	}
	return &CheckView{
		Refused: r.checked.refused, Kick: r.checked.kick, Walk: r.checked.walk, Figures: figures(),
		Most: MostCheck{team.MaxTries, checks.MaxPlan},
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
func (r *robot) checkAnswered(result, text string) {
	if r.checked.refused = ""; result != team.Done.String() {
		r.checked.refused = result
		if text != "" {
			r.checked.refused += ": " + text
		}
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
