package manager

import (
	"errors"
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// Times of a locomotion check, on the clock of the pictures.
const (
	pointPeriod = 200 * time.Millisecond
	standFor    = 500 * time.Millisecond // before and after the path
	reachWithin = 40 * time.Second       // of its beginning, the robot must be at the start
	longestStep = 250 * time.Millisecond // between pictures: after a longer gap the path goes on where it was
)

// maxPoints is the most points of a path.
const maxPoints = int(maxPlan/0.2) + 10

// walkCheck is a locomotion check: the robot drives a path by its odometry alone.
type walkCheck struct {
	report  team.LocomotionCheck // its Path is a part of path
	path    []team.PathPoint
	way     *plan
	start   soccer.Pose // team frame: asked, then where the robot believes to begin
	origin  soccer.Pose // odometry there
	begun   soccer.Time // when the check came
	there   soccer.Time // since when the robot is at the start; 0: it is not
	drives  bool
	since   soccer.Time // when it began to drive,
	started soccer.Time // and on the node's clock
	at      float64     // s of the plan in the newest picture
	last    soccer.Time // of the newest picture
	due     float64     // s of the plan, of the next point
}

// plan prepares a check. It refuses a path that leaves the field.
func (w *walkCheck) plan(cfg *RobotConfig, number uint32, m *team.Request) error {
	if len(m.Numbers) != 5 {
		return errors.New("a locomotion check needs size, laps, and the start's x, y and heading")
	}
	size, laps := float64(m.Numbers[0]), float64(m.Numbers[1])
	start := soccer.Pose{X: float64(m.Numbers[2]), Y: float64(m.Numbers[3]), Theta: soccer.WrapAngle(float64(m.Numbers[4]))}
	if m.ID > uint64(team.Eight) || !(laps >= 1 && laps <= 100) {
		return errors.New("want a figure from 0 to 5, and 1 lap or more")
	}
	figure := team.Figure(m.ID)
	if figure == team.Turn {
		size = 0 // it has none
	}
	way, err := newPlan(figure, float64(m.Value), size, int(laps))
	if err != nil {
		return err
	}
	most := float64(cfg.MaxAhead)
	switch figure {
	case team.Sideways:
		most = float64(cfg.MaxSide)
	case team.Turn:
		most = float64(cfg.MaxTurn)
	}
	if float64(m.Value) > most {
		return errors.New("the robot cannot go that fast")
	}
	for t := 0.0; t <= way.duration; t += 0.1 {
		p, _ := way.at(t)
		if err := inside(&cfg.Field, start.Compose(p).XY(), "the path"); err != nil {
			return err
		}
	}
	*w = walkCheck{way: way, start: start, path: w.path[:0], report: team.LocomotionCheck{
		Run: number, Figure: figure, Speed: m.Value, Size: float32(size), Laps: float32(math.Floor(laps)), Path: w.report.Path[:0],
	}}
	return nil
}

// turn sets the report to the next part of the path.
func (w *walkCheck) turn() {
	m, n := &w.report, len(w.path)
	first := int(m.First) + len(m.Path)
	if first >= n {
		first = 0
	}
	m.Total, m.First, m.Path = uint16(n), uint16(first), w.path[first:min(n, first+partOfPath)]
}

// stepWalk continues a locomotion check with a picture.
func (r *Robot) stepWalk(b *Body) {
	c, w, self := &r.check, &r.check.walk, b.Sense.Self
	now := b.Sense.Time
	if w.begun == 0 {
		w.begun = now
	}
	if self.Known && leaves(&r.cfg.Field, self.Pose.XY()) {
		c.end(team.Aborted, "the robot would leave the field")
		return
	}
	if w.drives {
		r.followPath(b)
		return
	}
	c.state, c.note = team.Preparing, "goes to the start"
	switch {
	case now.Sub(w.begun) > reachWithin:
		c.end(team.Aborted, "the robot did not reach the start: is the way free?")
	case !self.Known:
		w.there = 0
	case !there(self.Pose, w.start):
		w.there = 0
		r.drive(toward(self.Pose, w.start))
	case w.there == 0:
		w.there = now
	case now.Sub(w.there) >= standFor:
		w.drives, w.start, w.origin, w.last = true, self.Pose, c.odometry.at, now
		w.since, w.started = now, c.sensed.Add(now.Sub(b.Now))
		r.followPath(b)
	}
}

// followPath drives the path, and notes where the robot is.
func (r *Robot) followPath(b *Body) {
	c, w := &r.check, &r.check.walk
	now := b.Sense.Time
	w.at += min(now.Sub(w.last), longestStep).Seconds()
	w.last = now
	want, _ := w.way.at(w.at)
	odometry := w.origin.Relative(c.odometry.at)
	const leap = 50 // m
	if odometry.XY().Sub(want.XY()).Len() > leap {
		c.end(team.Aborted, "the odometry leaps")
		return
	}
	c.state, c.note = team.Executing, ""
	done := w.at > w.way.duration+standFor.Seconds()
	if (w.at >= w.due || done) && len(w.path) < maxPoints {
		w.due = max(w.due+pointPeriod.Seconds(), w.at)
		w.path = append(w.path, w.point(b, odometry, w.start.Compose(want)))
	}
	if done {
		c.end(team.Finished, "")
		return
	}
	const rate = 2.0                                              // 1/s, of the error's decay
	_, speed := w.way.at(w.at + max(0, b.Now.Sub(now).Seconds())) // the picture is older than the command
	sin, cos := exact.Sincos(odometry.Theta)
	v := soccer.Vec{X: speed.X, Y: speed.Y}.Add(want.XY().Sub(odometry.XY()).Scale(rate)).Rotated(-sin, cos)
	r.drive(soccer.Twist{
		X: v.X, Y: v.Y, Theta: speed.Theta + float64(rate*soccer.WrapAngle(want.Theta-odometry.Theta)),
	})
}

// goOn goes on after a time in which the robot had to stand: on the path where it was.
func (w *walkCheck) goOn(now soccer.Time) {
	w.last, w.there = now, 0
	if !w.drives {
		w.begun = now
	}
}

// point returns a point of the path.
func (w *walkCheck) point(b *Body, odometry, want soccer.Pose) team.PathPoint {
	p := team.PathPoint{Time: float32(b.Sense.Time.Sub(w.since).Seconds())}
	set := func(from soccer.Pose, x, y, theta *float32) {
		*x, *y, *theta = float32(from.X), float32(from.Y), float32(from.Theta)
	}
	set(odometry, &p.OdometryX, &p.OdometryY, &p.OdometryTheta)
	set(want, &p.WantX, &p.WantY, &p.WantTheta)
	if s := &b.Sense.Self; s.Known {
		p.WorldKnown = true
		set(s.Pose, &p.WorldX, &p.WorldY, &p.WorldTheta)
	}
	return p
}
