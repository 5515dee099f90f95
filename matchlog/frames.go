package matchlog

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	maxFrames  = 200
	maxEvents  = 20000
	maxSeconds = 100e3            // of rates
	staleView  = 10 * time.Second // a team that said nothing for so long has no view
	staleTruth = time.Second
)

// Frame is a moment of a match. Positions are in the field frame in which home attacks +x, whatever the part.
type Frame struct {
	T         float64         `json:"t"`         // ms since 1970
	Clock     float64         `json:"clock"`     // s since the part began
	Effective float64         `json:"effective"` // s of it in play
	Part      string          `json:"part"`
	Running   bool            `json:"running"`
	GoalsHome int             `json:"goalsHome"`
	GoalsAway int             `json:"goalsAway"`
	Home      *View           `json:"home"` // nil: it said nothing for 10 s
	Away      *View           `json:"away"`
	Truth     json.RawMessage `json:"truth"` // as it is logged; null where there is none
}

// View is what a team said last; what it did not say is nil.
type View struct {
	Age       float64        `json:"age"` // s since the moment that it holds
	Intention string         `json:"intention"`
	Robots    []ViewRobot    `json:"robots"`
	Balls     []ViewBall     `json:"balls"`
	Obstacles []ViewObstacle `json:"obstacles"`
}

// ViewRobot is a robot of a View, in m, rad and m/s.
type ViewRobot struct {
	Number    int      `json:"number"` // 0: not said
	X         *float64 `json:"x"`
	Y         *float64 `json:"y"`
	Theta     *float64 `json:"theta"`
	TX        *float64 `json:"tx"` // where it goes
	TY        *float64 `json:"ty"`
	VX        *float64 `json:"vx"`
	VY        *float64 `json:"vy"`
	Intention string   `json:"intention"`
	Battery   *float64 `json:"battery"` // percent
	Engaged   *bool    `json:"engaged"` // with the ball
}

// ViewBall is where a ball may be, in m.
type ViewBall struct {
	X          *float64 `json:"x"`
	Y          *float64 `json:"y"`
	Z          *float64 `json:"z"`
	Confidence *float64 `json:"confidence"`
}

// ViewObstacle is what stands in the way, in m.
type ViewObstacle struct {
	X      *float64 `json:"x"`
	Y      *float64 `json:"y"`
	Radius *float64 `json:"radius"`
}

// Frames returns the moments from, from+step and so on, up to to: at most 200 of them. It does not wait for the indexing.
func (l *Log) Frames(from, to soccer.Time, step time.Duration) ([]Frame, error) {
	step = max(step, time.Millisecond)
	frames := []Frame{}
	var last [2]struct { // views are decoded once
		at   soccer.Time
		view *View
		when soccer.Time
	}
	var state *game.Moment
	since := time.Duration(0) // states may be few: all are sought once, then what came since
	for t := from; t <= to && len(frames) < maxFrames; t = t.Add(step) {
		f := Frame{T: Millis(t), Part: string(game.PreGame)}
		m, ok, err := l.newest(States, t, since, nil)
		if err != nil {
			return nil, err
		}
		since = step
		var said game.Moment
		if ok && json.Unmarshal(m.Data, &said) == nil {
			said.Time = m.Time
			state = &said
		}
		if state != nil {
			now := state.At(t)
			f.Clock, f.Effective, f.Part, f.Running = now.Total.Seconds(), now.Effective.Seconds(), string(now.Part), now.Running
			f.GoalsHome, f.GoalsAway = now.Home.Goals, now.Away.Goals
		}
		for i, channel := range []string{Home, Away} {
			m, ok, err := l.newest(channel, t, staleView, isWorldstate)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			v := &last[i]
			if v.view == nil || v.at != m.Time || v.when != m.Published {
				v.at, v.when, v.view = m.Time, m.Published, newView(m.Data, channel == Away)
			}
			if v.view != nil {
				copied := *v.view
				copied.Age = t.Sub(m.Published).Seconds()
				*[]**View{&f.Home, &f.Away}[i] = &copied
			}
		}
		if m, ok, err = l.newest(Truth, t, staleTruth, json.Valid); err != nil {
			return nil, err
		} else if ok {
			f.Truth = m.Data
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// newest returns the newest message of a channel at or before a moment that is fit, and no older than that. Where that is
// not asked for, old is 0 and fit nil.
func (l *Log) newest(channel string, at soccer.Time, old time.Duration, fit func([]byte) bool) (Message, bool, error) {
	e := entry{time: at, offset: math.MaxInt64}
	oldest := soccer.Time(math.MinInt64)
	if old > 0 {
		oldest = at.Add(-old)
	}
	for range 20 { // events stand between worldstates
		var ok bool
		if e, ok = l.before(channel, e, oldest); !ok {
			return Message{}, false, nil
		}
		var buf []byte
		m, err := l.message(e, &buf)
		if err != nil || fit == nil || fit(m.Data) {
			return m, err == nil, err
		}
	}
	return Message{}, false, nil
}

// before returns the newest message of a channel before another, and not before a moment.
func (l *Log) before(channel string, next entry, oldest soccer.Time) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, known := l.all.ids[channel]
	if !known {
		return entry{}, false
	}
	for i := l.after(next.time, next.offset) - 1; i >= 0 && l.index[i].time >= oldest; i-- {
		if l.index[i].channel == id-1 {
			return l.index[i], true
		}
	}
	return entry{}, false
}

// newView decodes a worldstate; nil where it is none. turned is the away team's, which attacks the other way.
func newView(data []byte, turned bool) *View {
	var w msl.Worldstate
	if w.UnmarshalBinary(data) != nil {
		data, _ = mend(data)
		if w.UnmarshalBinary(data) != nil {
			return nil
		}
	}
	if turned {
		w.Turn()
	}
	v := &View{Intention: w.Intention, Robots: []ViewRobot{}, Balls: []ViewBall{}, Obstacles: []ViewObstacle{}}
	for i := range w.Robots {
		m := &w.Robots[i]
		r := ViewRobot{Intention: m.Intention, Battery: known(m.BatteryLevel)}
		if n := m.ID.Value; n >= 1 && n <= math.MaxInt32 {
			r.Number = int(n)
		}
		r.X, r.Y = fieldXY(&m.Pose)
		if m.Pose.At[2].Known {
			theta := soccer.WrapAngle(m.Pose.At[2].Value) // 0 leads to the opponents' goal in both frames
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

// fieldXY returns a vector of the wire, whose Y leads to the opponents' goal and X to the right, as x and y of the field.
func fieldXY(v *msl.Vec) (x, y *float64) {
	x, y = known(v.At[1]), known(v.At[0])
	if y != nil {
		*y = 0 - *y
	}
	return x, y
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

// Event is something that happened in a match.
type Event struct {
	T     float64 `json:"t"`    // ms since 1970
	Kind  string  `json:"kind"` // "command", "event", "goal", "card", "part", "note"
	Side  string  `json:"side"` // "home", "away", "" for both or neither
	Text  string  `json:"text"`
	Robot int     `json:"robot"` // jersey number; 0: none
}

// Summary is what a page needs of a log besides its frames.
type Summary struct {
	Name   string       `json:"name"`
	Start  float64      `json:"start"` // ms since 1970
	End    float64      `json:"end"`
	Ready  float64      `json:"ready"` // share that is indexed: the rest is of that share
	Home   string       `json:"home"`
	Away   string       `json:"away"`
	Field  soccer.Field `json:"field"`
	Events []Event      `json:"events"` // by time, at most 20,000
	Rates  struct {
		Home []int `json:"home"` // messages in each second from Start on
		Away []int `json:"away"`
	} `json:"rates"`
	Torn  string   `json:"torn"`
	Notes []string `json:"notes"`
}

// Summary returns what is known of the log by now. It does not wait for the indexing.
func (l *Log) Summary(name string) (Summary, error) {
	i := l.Info()
	s := Summary{
		Name: name, Start: Millis(i.Start), End: Millis(i.End), Ready: i.Ready, Home: i.Home, Away: i.Away,
		Field: field(i.Meta[MetaSize], i.Start), Events: []Event{}, Torn: i.Torn, Notes: i.Notes,
	}
	n := int(max(min(i.Duration+1, maxSeconds), 1))
	s.Rates.Home, s.Rates.Away = make([]int, n), make([]int, n)
	teams := sides{s.Home, s.Away}
	var short []entry
	l.mu.Lock()
	l.order()
	home, away := l.wanted([]string{Home}), l.wanted([]string{Away})
	lines, notes := l.wanted([]string{Lines, Commands}), l.wanted([]string{Notes})
	hasLines := l.all.ids[Lines] != 0
	for _, e := range l.index {
		second := int(e.time.Sub(i.Start) / time.Second)
		inTime := second >= 0 && second < n
		switch said := home(e.channel) || away(e.channel); {
		case home(e.channel) && inTime:
			s.Rates.Home[second]++
		case away(e.channel) && inTime:
			s.Rates.Away[second]++
		case said || !lines(e.channel) && !notes(e.channel):
			continue
		}
		if (e.length < 1024 || lines(e.channel)) && len(short) < 50*maxEvents { // no worldstate of robots is so short
			short = append(short, e)
		}
	}
	l.mu.Unlock()
	var buf []byte
	for _, e := range short {
		m, err := l.message(e, &buf)
		if err != nil {
			return s, err
		}
		if len(s.Events) == maxEvents {
			break
		}
		if v := teams.event(&m, hasLines); v.Kind != "" {
			v.T = Millis(m.Time)
			s.Events = append(s.Events, v)
		}
	}
	return s, nil
}

// field returns the field of a match: the one that the log names, else the one that was in use then.
func field(size string, at soccer.Time) soccer.Field {
	if size == "18x12" || size == "" && at < 1609459200e9 { // until 2020
		return soccer.MSL18x12()
	}
	return soccer.MSL22x14()
}

// event returns what a message of the channels Home, Away, Lines, Commands and Notes says that happened; without a Kind
// it is nothing.
func (s *sides) event(m *Message, hasLines bool) Event {
	switch m.Channel {
	case Notes:
		return Event{Kind: "note", Text: string(m.Data)}
	case Home, Away:
		var v msl.Event
		if v.UnmarshalBinary(m.Data) != nil {
			return Event{}
		}
		e := Event{Kind: "event", Side: m.Channel, Text: v.Event}
		if n := v.RobotID.Value; n >= 1 && n <= msl.MaxNumber {
			e.Robot = int(n)
		}
		return e
	case Commands:
		var c msl.Command
		if hasLines || c.UnmarshalBinary(m.Data) != nil { // the lines say it in words
			return Event{}
		}
		return Event{Kind: kindOf(strings.ToLower(c.Name)), Text: c.Name, Robot: c.RobotID}
	}
	var l msl.Line
	l.UnmarshalBinary(m.Data)
	if l.Text != "" {
		return Event{Kind: "note", Text: l.Text}
	}
	return Event{Kind: kindOf(strings.ToLower(l.Description)), Side: s.of(&l), Text: l.Description, Robot: l.RobotID}
}

// kindOf sorts the RefBox's words, in small letters.
func kindOf(text string) string {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasPrefix(text, "event "):
		return "event"
	case has("goal kick", "goalkick"):
		return "command"
	case has("goal"):
		return "goal"
	case has("card", "yellow", "red "):
		return "card"
	case has(" half", "_half", "halftime", "half_time", "end game", "end_game", "game over", "gameover", "reset"):
		return "part"
	}
	return "command"
}
