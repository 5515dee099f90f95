package manager

import (
	"errors"
	"fmt"
	"math"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Times of a check.
const (
	checkPeriod  = 200 * time.Millisecond // between two reports
	beginWithin  = 2 * time.Second        // of its request, a command must let a check begin
	senseFor     = 500 * time.Millisecond // without a newer picture the robot stands,
	blindFor     = 3 * time.Second        // and then the check ends
	goneFor      = 2 * time.Second        // after the lease of the operator's commands it ends
	partOfPath   = 20                     // points in a report: one datagram
	kicksEvery   = 3                      // reports: tries are reported less often than paths
	maxCheckTurn = 2.0                    // rad/s, on the way to the start
	maxCheckMove = 0.8                    // m/s
)

// Body is what a robot's sensors say at one time.
type Body struct {
	Now      soccer.Time   // on the clock of the pictures
	Sense    *soccer.Sense // newest picture, valid during the call
	Odometry soccer.Pose   // that the wheels measured up to the picture, since any start
}

// The parameters of the odometry, which a robot that executes checks declares in this order: ahead, side and turn.
var odometryNames = [3]string{"odometry ahead", "odometry side", "odometry turn"}

// odometryParameters returns the factors of a calibration of the odometry as parameters.
func odometryParameters() (list []team.Parameter) {
	for _, name := range odometryNames {
		list = append(list, team.Parameter{Name: name, Group: "odometry", Value: 1, Default: 1, Min: 0.5, Max: 2, Step: 0.001})
	}
	return list
}

// check is a check that the robot executes, or the newest one that it did.
type check struct {
	number    uint32 // of the newest run
	state     team.CheckState
	note      string
	active    bool
	holder    team.Operator
	asked     soccer.Time // when the request arrived
	permit    soccer.Time // until when the operator lets it go on; 0: not begun
	gap       soccer.Time // since when the robot must stand; 0: it need not
	blind     bool        // the gap is one of pictures
	gaps      gaps
	motor     soccer.Motor
	sensed    soccer.Time // when the newest picture arrived
	report    soccer.Time // when the next report is due
	turns     int         // of reports
	odometry  odometer
	body      Body // newest
	self      soccer.Localisation
	kick      kickCheck
	walk      walkCheck
	walking   bool // it is a locomotion check
	forbidden bool // by the referee
}

// gaps are those of a check that went on.
type gaps struct {
	number, repeated int // gaps, and tries that were repeated
	length           time.Duration
}

// words returns what gaps did, "" without any.
func (g *gaps) words() string {
	if g.number == 0 {
		return ""
	}
	words := fmt.Sprintf("gaps: %d, %.1f s", g.number, g.length.Seconds())
	if g.repeated > 0 {
		words += fmt.Sprintf(", tries repeated: %d", g.repeated)
	}
	return words
}

// odometer is the calibrated odometry.
type odometer struct {
	known bool
	raw   soccer.Pose
	at    soccer.Pose
}

// errNoChecks is the answer of a robot that cannot execute checks.
var errNoChecks = errors.New("this robot executes no checks")

// forbidsChecks reports whether the referee forbids checks: a game is on, or robots must stop.
func forbidsChecks(m *team.Referee) bool {
	return m.Part != team.BeforeGame || m.State == team.Stop || m.State == team.Parking
}

// ReceiveReferee tells the robot what the referee says. While a game plays nobody drives the robot, and a stop of the
// referee ends a check.
func (r *Robot) ReceiveReferee(m *team.Referee) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.playing, r.check.forbidden = playing(m), forbidsChecks(m)
	if r.playing {
		r.control.stop()
		r.control.hold = hfsm.Hold{}
	}
	if r.check.forbidden {
		r.check.end(team.Aborted, "the referee stopped it")
	}
}

// Observe passes what the robot senses to its checks: each picture once, now being the time of its node. Motor then has
// the command of a check that runs. A picture with places that no robot has is ignored.
func (r *Robot) Observe(now soccer.Time, b *Body) {
	if !plausible(b.Odometry) || !plausible(b.Sense.Self.Pose) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.check
	c.body, c.self, c.sensed = *b, b.Sense.Self, now
	if o := &c.odometry; o.known {
		factors := r.calibration()
		o.at = factors.apply(o.at, o.raw, b.Odometry)
	}
	c.odometry.raw, c.odometry.known = b.Odometry, true
	if r.watchCheck(now); !c.active || c.permit == 0 {
		return
	}
	c.motor = soccer.Motor{}
	if c.gap != 0 && c.stops(now) == "" {
		c.goOn(now, b.Sense.Time)
	}
	if c.gap != 0 && (c.walking || c.kick.phase != measure) {
		return // a ball that rolls is measured by a robot that stands
	}
	if c.walking {
		r.stepWalk(b)
	} else {
		r.stepKick(b)
	}
}

// plausible reports whether a pose is one of a robot on or near a field, or of its odometry after a long match.
func plausible(p soccer.Pose) bool {
	const far = 1e5 // m
	return math.Abs(p.X) <= far && math.Abs(p.Y) <= far && math.Abs(p.Theta) <= far
}

// calibration returns the factors of the odometry's parameters.
func (r *Robot) calibration() Calibration {
	factors := [3]float64{1, 1, 1}
	for i, name := range odometryNames {
		if p := r.table.find(name); p != nil {
			factors[i] = float64(p.Value)
		}
	}
	return Calibration{Ahead: factors[0], Side: factors[1], Turn: factors[2]}
}

// stops returns why the robot must stand although a check runs, "" if it need not.
func (c *check) stops(now soccer.Time) string {
	switch {
	case now >= c.permit:
		return "no command of the operator arrives"
	case now.Sub(c.sensed) > senseFor:
		return "no picture arrives"
	}
	return ""
}

// goOn ends a gap: a check goes on. pictures is the time on their clock.
func (c *check) goOn(now, pictures soccer.Time) {
	c.gaps.number++
	c.gaps.length += now.Sub(c.gap)
	if c.walking {
		c.walk.goOn(pictures)
	} else if c.kick.goOn(pictures, c.blind || c.gap < c.kick.left.Add(kickFor)) {
		c.gaps.repeated++
	}
	c.gap, c.blind = 0, false
}

// watchCheck ends a check without an operator who lets it go on, or without senses. Where they are silent for less, the
// robot stands meanwhile.
func (r *Robot) watchCheck(now soccer.Time) {
	c := &r.check
	switch {
	case !c.active:
	case r.control.holder != c.holder:
		c.end(team.Aborted, "the operator gave the control up or lost it")
	case c.permit == 0 && now.Sub(c.asked) > beginWithin:
		c.end(team.Aborted, "no command of the operator let it begin")
	case c.permit != 0 && now.Sub(c.permit) > goneFor:
		c.end(team.Aborted, fmt.Sprintf("the operator's commands stopped for %v", goneFor))
	case now.Sub(max(c.sensed, c.asked)) > blindFor:
		c.end(team.Aborted, fmt.Sprintf("no picture arrived for %v: the robot's sensors are silent", blindFor))
	case c.gap != 0:
		c.blind = c.blind || now.Sub(c.sensed) > senseFor
	case c.permit != 0 && c.stops(now) != "":
		c.gap, c.blind, c.motor, c.report = now, now.Sub(c.sensed) > senseFor, soccer.Motor{}, 0
		c.note = "stands: " + c.stops(now)
	}
}

// permitCheck receives whether the operator's newest command lets a check go on, until its lease ends.
func (r *Robot) permitCheck(m *team.Drive) {
	c := &r.check
	switch {
	case !c.active:
	case m.Check && (m.VX != 0 || m.VY != 0 || m.VHeading != 0):
		c.end(team.Aborted, "the operator drove")
	case m.Check:
		c.permit = r.control.until
	case c.permit != 0:
		c.end(team.Aborted, "the operator stopped it")
	}
}

// end ends a check that runs: the robot stands.
func (c *check) end(state team.CheckState, note string) {
	if c.active {
		c.active, c.state, c.note, c.motor = false, state, plain(note, team.MaxText), soccer.Motor{}
		c.report = 0
	}
}

// command returns the motor command of a check that runs.
func (c *check) command(now soccer.Time) soccer.Motor {
	if c.permit == 0 || c.gap != 0 || c.stops(now) != "" {
		return soccer.Motor{}
	}
	return c.motor
}

// drive sets the command to velocities within the robot's limits.
func (r *Robot) drive(t soccer.Twist) {
	r.check.motor.Twist = soccer.Twist{
		X: limited(float32(t.X), r.cfg.MaxAhead), Y: limited(float32(t.Y), r.cfg.MaxSide),
		Theta: limited(float32(t.Theta), r.cfg.MaxTurn),
	}
}

// startCheck executes a request for a check, or stops the one that runs.
func (r *Robot) startCheck(now soccer.Time, by team.Operator, m *team.Request) error {
	c := &r.check
	if m.Value == 0 {
		c.end(team.Aborted, "the operator stopped it")
		return nil
	}
	switch {
	case r.cfg.Field.Length == 0 || r.cfg.MaxAhead == 0:
		return errNoChecks
	case c.forbidden || r.playing:
		return errors.New("the referee forbids it: a game is on, or robots must stop")
	case c.active:
		return errors.New("another check runs: stop it first")
	case c.sensed == 0 || now.Sub(c.sensed) > blindFor:
		return errors.New("the robot's sensors are silent")
	case !c.self.Known || !c.self.HasHeading:
		return errors.New("the robot does not know where it is")
	}
	c.publish(now)
	next := check{
		number: c.number + 1, active: true, holder: by, asked: now, sensed: c.sensed, odometry: c.odometry, body: c.body,
		self: c.self, kick: c.kick, walk: c.walk,
	}
	var err error
	if m.Operation == team.CheckKick {
		err = next.kick.plan(&r.cfg, next.number, m)
	} else {
		next.walking, err = true, next.walk.plan(&r.cfg, next.number, m)
	}
	if err == nil {
		*c = next
	}
	return err
}

// publish writes the state of the newest check to its report, and the times of both reports, which leave now.
func (c *check) publish(now soccer.Time) {
	note := c.note
	if words := c.gaps.words(); words != "" && note != "" {
		note = plain(note+"; "+words, team.MaxText)
	} else if words != "" {
		note = words
	}
	if c.walking {
		c.walk.report.State, c.walk.report.Note = c.state, note
	} else {
		c.kick.report.State, c.kick.report.Note = c.state, note
	}
	for i := range c.kick.report.Tries {
		c.kick.tries[i].Ago = float32(now.Sub(c.kick.times[i]).Seconds())
	}
	if c.walk.drives {
		c.walk.report.Ago = float32(now.Sub(c.walk.started).Seconds())
	}
}

// checkReport passes the reports of the newest checks to send, if they are due.
func (r *Robot) checkReport(now soccer.Time, send Send) {
	c := &r.check
	if c.number == 0 || now < c.report || len(r.computers.All()) == 0 {
		return
	}
	c.report = next(c.report, now, checkPeriod)
	c.turns++
	c.publish(now)
	tries := c.kick.report.Run > 0 && c.turns%kicksEvery == 0
	path := c.walk.report.Run > 0
	if path {
		c.walk.turn()
	}
	for _, e := range r.computers.All() {
		to := tcm.Entity{Kind: tcm.Computer, ID: e.Key}
		if tries {
			send(to, &c.kick.report)
		}
		if path {
			send(to, &c.walk.report)
		}
	}
}

// inside refuses a place whose robot would stand on the lines of the field or beyond.
func inside(f *soccer.Field, p soccer.Vec, what string) error {
	const body = soccer.RobotRadius
	if !(math.Abs(p.X) <= float64(0.5*f.Length)-body && math.Abs(p.Y) <= float64(0.5*f.Width)-body) {
		return fmt.Errorf("%s at %.2f, %.2f m leaves the field", what, p.X, p.Y)
	}
	return nil
}

// leaves reports whether a robot is so far beyond the lines that it must stop: about to touch the boundary, or others.
func leaves(f *soccer.Field, p soccer.Vec) bool {
	const beyond = 0.3 // m, of its centre
	return math.Abs(p.X) > float64(0.5*f.Length)+beyond || math.Abs(p.Y) > float64(0.5*f.Width)+beyond
}

// toward returns the velocities in the robot's frame that lead from a pose to another one.
func toward(self, to soccer.Pose) soccer.Twist {
	way := self.Relative(to)
	const rate = 1.5 // 1/s
	t := soccer.Twist{X: way.X * rate, Y: way.Y * rate, Theta: min(max(float64(way.Theta*rate), -maxCheckTurn), maxCheckTurn)}
	if speed := (soccer.Vec{X: t.X, Y: t.Y}).Len(); speed > maxCheckMove {
		t.X, t.Y = t.X*maxCheckMove/speed, t.Y*maxCheckMove/speed
	}
	return t
}

// there reports whether a robot stands about at a pose.
func there(self, at soccer.Pose) bool {
	const near, straight = 0.08, 0.06 // m, rad
	return self.XY().Sub(at.XY()).Len() < near && math.Abs(soccer.WrapAngle(self.Theta-at.Theta)) < straight
}
