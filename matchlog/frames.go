package matchlog

import (
	"encoding/json"
	"math"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

const (
	maxFrames  = 200
	staleView  = 10 * time.Second // a team without a worldstate for this time has no View
	staleTruth = time.Second
)

// Frame is the state of a match at one time. Positions are in the field frame in which home attacks +x in every part.
type Frame struct {
	T         float64         `json:"t"`         // ms since 1970
	Clock     float64         `json:"clock"`     // s since the part began
	Effective float64         `json:"effective"` // s of it in play
	Part      string          `json:"part"`
	Running   bool            `json:"running"`
	GoalsHome int             `json:"goalsHome"`
	GoalsAway int             `json:"goalsAway"`
	Home      *View           `json:"home"` // nil: no worldstate for 10 s
	Away      *View           `json:"away"`
	Truth     json.RawMessage `json:"truth"` // message of the channel truth; null if there is none
	VSS       json.RawMessage `json:"vss"`   // message of the channel topic/vss, the field of a simulator; null if there is none
}

// View is the last worldstate of a team. Values that it does not contain are nil.
type View struct {
	Age       float64        `json:"age"` // s since the time that it describes
	Intention string         `json:"intention"`
	Robots    []ViewRobot    `json:"robots"`
	Balls     []ViewBall     `json:"balls"`
	Obstacles []ViewObstacle `json:"obstacles"`
}

// ViewRobot is a robot of a View, in m, rad and m/s.
type ViewRobot struct {
	Number    int      `json:"number"` // jersey; 0: unknown
	X         *float64 `json:"x"`
	Y         *float64 `json:"y"`
	Theta     *float64 `json:"theta"`
	TX        *float64 `json:"tx"` // target position
	TY        *float64 `json:"ty"`
	VX        *float64 `json:"vx"`
	VY        *float64 `json:"vy"`
	Intention string   `json:"intention"`
	Battery   *float64 `json:"battery"` // percent
	Engaged   *bool    `json:"engaged"` // the robot holds the ball
}

// ViewBall is a ball hypothesis, in m.
type ViewBall struct {
	X          *float64 `json:"x"`
	Y          *float64 `json:"y"`
	Z          *float64 `json:"z"`
	Confidence *float64 `json:"confidence"`
}

// ViewObstacle is an obstacle, in m.
type ViewObstacle struct {
	X      *float64 `json:"x"`
	Y      *float64 `json:"y"`
	Radius *float64 `json:"radius"`
}

// Frames returns the frames at from, from+step and so on up to to, at most 200. It uses what is indexed now.
func (l *Log) Frames(from, to soccer.Time, step time.Duration) ([]Frame, error) {
	step = max(step, time.Millisecond)
	frames := []Frame{}
	var last [2]struct { // each view is decoded once
		at   soccer.Time
		view *View
		when soccer.Time
	}
	var state *game.Moment
	since := time.Duration(0) // the first search goes back to the start, later ones to the last frame
	for t := from; t <= to && len(frames) < maxFrames; t = t.Add(step) {
		f := Frame{T: Millis(t), Part: string(game.PreGame)}
		m, ok, err := l.newest(States, t, since, nil)
		if err != nil {
			return nil, err
		}
		since = step
		var logged game.Moment
		if ok && json.Unmarshal(m.Data, &logged) == nil {
			logged.Time = m.Time
			state = &logged
		}
		if state != nil {
			now := state.At(t)
			f.Clock, f.Effective = now.Total.Seconds(), now.Effective.Seconds()
			f.Part, f.Running = string(now.Part), now.Running
			f.GoalsHome, f.GoalsAway = now.Home.Goals, now.Away.Goals
		}
		for i, channel := range []string{Home, Away} {
			m, ok, err := l.newest(channel, t, staleView, msl.IsWorldstate)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			v := &last[i]
			if v.view == nil || v.at != m.Time || v.when != m.Published {
				v.at, v.when, v.view = m.Time, m.Published, ParseView(m.Data, channel == Away)
			}
			if v.view != nil {
				copied := *v.view
				copied.Age = t.Sub(m.Published).Seconds()
				*[]**View{&f.Home, &f.Away}[i] = &copied
			}
		}
		for i, channel := range []string{Truth, VSS} {
			if m, ok, err = l.newest(channel, t, staleTruth, json.Valid); err != nil {
				return nil, err
			} else if ok {
				*[]*json.RawMessage{&f.Truth, &f.VSS}[i] = m.Data
			}
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// newest returns the newest message of a channel at or before a time that passes the filter and is at most old; an old
// of 0 and a nil filter do not restrict it.
func (l *Log) newest(
	channel string, at soccer.Time, old time.Duration, filter func([]byte) bool,
) (Message, bool, error) {
	e := entry{time: at, offset: math.MaxInt64}
	oldest := soccer.Time(math.MinInt64)
	if old > 0 {
		oldest = at.Add(-old)
	}
	for range 20 { // events may follow the newest worldstate
		var ok bool
		if e, ok = l.before(channel, e, oldest); !ok {
			return Message{}, false, nil
		}
		var buf []byte
		m, err := l.message(&e, &buf)
		if err != nil || filter == nil || filter(m.Data) {
			return m, err == nil, err
		}
	}
	return Message{}, false, nil
}

// before returns the newest message of a channel before next, but not before oldest.
func (l *Log) before(channel string, next entry, oldest soccer.Time) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, known := l.all.ids[channel]
	if !known {
		return entry{}, false
	}
	if i := l.index.before(l.index.search(next.time, next.offset), id-1, oldest); i >= 0 {
		return l.index.at(i), true
	}
	return entry{}, false
}

// ParseView decodes a worldstate; nil if data is something else. turned is true for the away team, which attacks -x. Age is
// not set.
func ParseView(data []byte, turned bool) *View {
	var w msl.Worldstate
	if w.UnmarshalBinary(data) != nil && w.UnmarshalBinary(msl.Repaired(data)) != nil {
		return nil
	}
	if turned {
		w.Turn()
	}
	v := &View{Intention: wire.Printable(w.Intention), Robots: []ViewRobot{}, Balls: []ViewBall{}, Obstacles: []ViewObstacle{}}
	for i := range w.Robots {
		m := &w.Robots[i]
		r := ViewRobot{Intention: wire.Printable(m.Intention), Battery: known(m.BatteryLevel)}
		if n := m.ID.Value; n >= 1 && n <= math.MaxInt32 {
			r.Number = int(n)
		}
		r.X, r.Y = fieldXY(&m.Pose)
		if m.Pose.At[2].Known {
			theta := soccer.WrapAngle(m.Pose.At[2].Value) // 0 points to the opponents' goal in both frames
			r.Theta = finite(theta)
		}
		r.TX, r.TY = fieldXY(&m.TargetPose)
		r.VX, r.VY = fieldXY(&m.Velocity)
		if m.BallEngaged.Known {
			engaged := m.BallEngaged.Value != 0
			r.Engaged = &engaged
		}
		v.Robots = append(v.Robots, r)
	}
	for i := range w.Balls {
		b := ViewBall{Z: known(w.Balls[i].Position.At[2]), Confidence: known(w.Balls[i].Confidence)}
		b.X, b.Y = fieldXY(&w.Balls[i].Position)
		v.Balls = append(v.Balls, b)
	}
	for i := range w.Obstacles {
		o := ViewObstacle{Radius: known(w.Obstacles[i].Radius)}
		o.X, o.Y = fieldXY(&w.Obstacles[i].Position)
		v.Obstacles = append(v.Obstacles, o)
	}
	return v
}

// fieldXY converts a vector of the MSL frame (X to the right, Y to the opponents' goal) to x and y of the field frame.
func fieldXY(v *msl.Vec) (x, y *float64) {
	fx, fy := v.Field()
	return known(fx), known(fy)
}

func known(n msl.Number) *float64 {
	if !n.Known {
		return nil
	}
	return finite(n.Value)
}

func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
