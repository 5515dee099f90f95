package manager

import (
	"math"
	"sort"
	"sync"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/team"
)

// Times of a Course.
const (
	courseFor    = 30 * time.Second
	coursePeriod = 20 * time.Millisecond
	courseGap    = 200 * time.Millisecond // between two moments: what lies between is not known
	courseLag    = 50 * time.Millisecond  // after the newest moment: a robot may report before it is noted
)

// Place is where a robot truly is.
type Place struct {
	Robot uint8
	Pose  soccer.Pose // in its team frame
}

// Course remembers for 30 s where robots and ball of a simulated field truly were. A desk that has one puts the truth
// beside what robots measure in checks: the robots do not get it. Its methods may be called from any goroutine.
type Course struct {
	mu      sync.Mutex
	moments bounded.Ring[moment]
}

// moment is where everything was at one time.
type moment struct {
	at, field soccer.Time // on the clocks of this computer and of the field, which may be slower
	ball      soccer.Vec3
	robots    []Place
}

// Note notes where everything is at a time of this computer, which is a time of the field. Calls less than 20 ms after the
// one before are ignored.
func (c *Course) Note(at, field soccer.Time, ball soccer.Vec3, robots []Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.moments.Len(); n > 0 && at.Sub(c.moments.At(n-1).at) < coursePeriod {
		return
	}
	m := c.moments.Push(int(courseFor / coursePeriod))
	m.at, m.field, m.ball, m.robots = at, field, ball, append(m.robots[:0], robots...)
}

// around returns the moments before and after a time, and how far between them it is; of says which clock counts.
func (c *Course) around(t soccer.Time, of func(*moment) soccer.Time) (before, after *moment, part float64, ok bool) {
	n := c.moments.Len()
	i := sort.Search(n, func(i int) bool { return of(c.moments.At(i)) > t })
	if i == n && i > 1 && t.Sub(of(c.moments.At(i-1))) < courseLag {
		i-- // it goes on as between the newest two
	}
	if i == 0 || i == n {
		return nil, nil, 0, false
	}
	before, after = c.moments.At(i-1), c.moments.At(i)
	if after.at.Sub(before.at) > courseGap || of(after) == of(before) {
		return nil, nil, 0, false
	}
	return before, after, float64(t.Sub(of(before))) / float64(of(after).Sub(of(before))), true
}

func atHere(m *moment) soccer.Time  { return m.at }
func atField(m *moment) soccer.Time { return m.field }

// fieldTime returns the time of the field at a time of this computer.
func (c *Course) fieldTime(at soccer.Time) (soccer.Time, bool) {
	before, after, part, ok := c.around(at, atHere)
	if !ok {
		return 0, false
	}
	return before.field.Add(time.Duration(part * float64(after.field.Sub(before.field)))), true
}

// poseAt returns where a robot was at a time of the field.
func (c *Course) poseAt(robot uint8, field soccer.Time) (soccer.Pose, bool) {
	before, after, part, ok := c.around(field, atField)
	if !ok {
		return soccer.Pose{}, false
	}
	a, known := before.pose(robot)
	b, still := after.pose(robot)
	return soccer.Pose{
		X: a.X + float64(part*(b.X-a.X)), Y: a.Y + float64(part*(b.Y-a.Y)),
		Theta: soccer.WrapAngle(a.Theta + float64(part*soccer.WrapAngle(b.Theta-a.Theta))),
	}, known && still
}

func (m *moment) pose(robot uint8) (soccer.Pose, bool) {
	for _, p := range m.robots {
		if p.Robot == robot {
			return p.Pose, true
		}
	}
	return soccer.Pose{}, false
}

// try measures a kick of a robot that stood, from its command to now, times of this computer: as the robot does, but from
// where the ball truly was. It returns nil where that is not known.
func (c *Course) try(robot uint8, command, now soccer.Time, asked float32) *TrueTry {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kicked, ok := c.fieldTime(command)
	self, known := c.poseAt(robot, kicked)
	if !ok || !known {
		return nil
	}
	const before = 400 * time.Millisecond
	const exactly = 1e-6 // m^2
	var samples []ballSample
	for i := range c.moments.Len() {
		if m := c.moments.At(i); m.field >= kicked.Add(-before) && m.at <= now {
			at := self.Relative(soccer.Pose{X: m.ball.X, Y: m.ball.Y}).XY()
			samples = append(samples, ballSample{Time: m.field, Position: at, Cov: soccer.Cov{XX: exactly, YY: exactly}})
		}
	}
	kick := launch(kicked, float64(asked), samples)
	if !kick.OK {
		return nil
	}
	rest := samples[len(samples)-1].Position.Sub(soccer.Vec{X: contact})
	return &TrueTry{kick.Speed, kick.Angle, float32(rest.Len())}
}

// point returns where a robot truly was at a point of a path that began at a time of this computer, or nil.
func (c *Course) point(robot uint8, start soccer.Time, p *team.PathPoint) *[3]float32 {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	began, ok := c.fieldTime(start)
	if !ok {
		return nil
	}
	at, ok := c.poseAt(robot, began.Add(time.Duration(math.Round(float64(p.Time)*1e9))))
	if !ok {
		return nil
	}
	return &[3]float32{float32(at.X), float32(at.Y), float32(at.Theta)}
}
