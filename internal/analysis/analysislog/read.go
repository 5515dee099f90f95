// Package analysislog reads matches from logs for the figures of package analysis. It is apart from them because match
// imports them, and a match that runs has no log.
package analysislog

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/matchlog"
	"touchline/soccer"
)

// ErrNoMatch is the error of a log that holds no match.
var ErrNoMatch = errors.New("the log holds neither ground truth nor worldstates nor beliefs of robots: " +
	"nobody can tell from it what happened on the field")

const (
	wallChannel      = matchlog.TopicPrefix + "wall"
	linkChannel      = matchlog.TopicPrefix + "teamcom"
	bookingChannel   = matchlog.TopicPrefix + "booking"
	behaviourChannel = matchlog.TopicPrefix + "behaviour"
	awaySuffix       = ".away"
	gridPeriod       = 100 * time.Millisecond // of frames from worldstates
	stale            = time.Second            // older worldstates and beliefs count for nothing
	sameBall         = 0.75                   // m between two teams' balls that are one
)

// Options say what a reader of a log wants.
type Options struct {
	Beliefs bool // fill in the beliefs, which takes most of the time
	// Stations also takes the worldstates beside ground truth as beliefs, of a log without the robots' own. Default
	// false
	Stations bool
	// From and To bound the time of the log that is read, To excluded. Default 0: all of it
	From, To soccer.Time
	// Links receives what the nodes of a team measured, at a time of the log. Default nil
	Links func(at soccer.Time, side game.Side, links []analysis.Link)
	// Decided receives what the robots told of their decisions. Default nil
	Decided analysis.Decided
}

// Match describes the match of a log.
type Match struct {
	Origin analysis.Origin
	Field  soccer.Field
	Names  [2]string // names of the teams, home and away
	Seed   string    // seed of a simulated match; "" if it is not known
	Flags  string    // command that made the record, with its flags; "" if it is not known
	Start  soccer.Time
	End    soccer.Time

	pieces []piece // set pieces that the log's lines tell, in the order of time
}

// piece is a set piece that the referee chose.
type piece struct {
	at     soccer.Time
	choice game.SetPiece
}

// Describe says what match a log holds. It waits until the log is indexed. The error wraps ErrNoMatch.
func Describe(l *matchlog.Log) (Match, error) {
	m, err := describe(l)
	if err == nil && m.Origin == analysis.FromWorldstates {
		err = m.listPieces(l)
	}
	return m, err
}

// describe is Describe for a log whose metadata has the size of the field, and whose set pieces nobody needs.
func describe(l *matchlog.Log) (Match, error) {
	if err := l.Wait(); err != nil && l.Info().Start == 0 {
		return Match{}, err
	}
	info := l.Info()
	m := Match{
		Field: soccer.MSL18x12(), Names: [2]string{info.Home, info.Away},
		Seed: info.Meta[matchlog.MetaSeed], Flags: info.Meta[matchlog.MetaFlags], Start: info.Start, End: info.End,
	}
	if f, ok := matchlog.FieldOf(info.Meta); ok {
		m.Field = f
	}
	counts := map[string]int{}
	for _, c := range info.Channels {
		counts[c.Name] = int(c.Count)
	}
	switch {
	case counts[matchlog.Truth] > 0:
		m.Origin = analysis.FromTruth
	case counts[matchlog.Home]+counts[matchlog.Away] > 0:
		m.Origin = analysis.FromWorldstates
		return m, nil
	case counts[matchlog.VSS] > 0:
		m.Names, m.Origin = [2]string{"blue", "yellow"}, analysis.FromTruth
		return m, m.newest(l, matchlog.VSS)
	case counts[wallChannel] > 0:
		return m, m.newest(l, wallChannel)
	default:
		return m, ErrNoMatch
	}
	return m, nil
}

// pieceNames are the set pieces in the lines of a RefBox, in small letters without spaces.
var pieceNames = map[string]game.Command{
	"kickoff": game.KickOff, "freekick": game.FreeKick, "goalkick": game.GoalKick, "throwin": game.ThrowIn,
	"corner": game.Corner, "cornerkick": game.Corner, "penalty": game.PenaltyKick, "penaltykick": game.PenaltyKick,
	"droppedball": game.DropBall, "dropball": game.DropBall,
}

// listPieces reads field and set pieces from the events of a log of worldstates.
func (m *Match) listPieces(l *matchlog.Log) error {
	s, err := l.Summary("")
	if err != nil {
		return err
	}
	m.Field = s.Field
	plain := strings.NewReplacer(" ", "", "_", "", "-", "")
	for i := range s.Events {
		e := &s.Events[i]
		if name := pieceNames[plain.Replace(strings.ToLower(e.Text))]; e.Kind == "command" && name != "" {
			at := soccer.Time(e.T * float64(time.Millisecond))
			m.pieces = append(m.pieces, piece{at, game.SetPiece{Command: name, Side: game.Side(e.Side)}})
		}
	}
	return nil
}

// newest sets origin and field by the newest message of a channel of pages.
func (m *Match) newest(l *matchlog.Log, channel string) error {
	message, ok, err := l.Last(channel, m.End)
	if err != nil || !ok {
		return errors.Join(err, ErrNoMatch)
	}
	var w wall
	if json.Unmarshal(message.Data, &w) != nil {
		return ErrNoMatch
	}
	if channel == wallChannel {
		if m.Origin = analysis.FromPackages; w.Truth != nil {
			m.Origin = analysis.FromTruth
		}
		if w.Game != nil && m.Names == [2]string{} {
			m.Names = [2]string{w.Game.Home.Name, w.Game.Away.Name}
		}
	}
	if matchlog.CanBePlayedOn(&w.Field) {
		m.Field = w.Field
	}
	return nil
}

// Read calls f with each frame of a log's match, oldest first, until f returns an error, which Read returns. The frame is
// valid during the call only.
func (m *Match) Read(l *matchlog.Log, o Options, f func(*analysis.Frame) error) error {
	r := &reader{match: m, options: o, emit: f, beliefs: map[autoref.Player]analysis.Belief{}}
	r.frame.State.Part = game.PreGame
	channels := []string{matchlog.States, matchlog.Truth}
	switch {
	case m.Origin == analysis.FromWorldstates:
		channels = []string{matchlog.States, matchlog.Home, matchlog.Away}
	case r.holds(l, matchlog.Truth):
		r.told = true
		if o.Beliefs && o.Stations && !r.holds(l, wallChannel) {
			channels = append(channels, matchlog.Home, matchlog.Away)
		} else if o.Beliefs {
			channels = append(channels, wallChannel)
		}
	case r.holds(l, matchlog.VSS):
		channels = []string{matchlog.VSS}
		r.frame.State.Part = game.FirstHalf
	case r.holds(l, matchlog.States): // a monitor heard the robots and their referee's program
		channels, r.refereed = []string{matchlog.States, wallChannel}, true
	default:
		channels = []string{wallChannel}
		r.frame.State.Part, r.frame.State.Running = game.FirstHalf, true // a session has no referee's clock
	}
	if o.Links != nil {
		channels = append(channels, linkChannel, linkChannel+awaySuffix)
	}
	if o.Decided != nil {
		channels = append(channels, bookingChannel, bookingChannel+awaySuffix, behaviourChannel)
	}
	begin := soccer.Time(0)
	if o.From > 0 {
		begin = max(o.From.Add(-stale), 1) // beliefs of before still count
		if last, ok, err := l.Last(matchlog.States, begin); err != nil {
			return err
		} else if ok {
			if err := r.apply(&message{Message: last}); err != nil {
				return err
			}
		}
	}
	// Unpacking, reading beliefs and counting take about the same time: each has a goroutine.
	read := matchlog.Ahead(r.believed(l.Ahead(begin, o.To, channels...)), func(m message) int { return len(m.Data) })
	for m, err := range read {
		if err != nil {
			return err
		}
		if err := r.apply(&m); err != nil {
			return err
		}
	}
	return r.flush()
}

// message is a message of a log, with what the robots of a wall believe.
type message struct {
	matchlog.Message
	beliefs []analysis.Belief // of a wall that the reader wants, as if home attacked +x
	isWall  bool              // its text is that of a wall
}

// believed reads the beliefs in walls. It uses nothing of the reader that changes.
func (r *reader) believed(all iter.Seq2[matchlog.Message, error]) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		for m, err := range all {
			read := message{Message: m}
			if err == nil && m.Channel == wallChannel && r.options.Beliefs {
				read.beliefs, read.isWall = beliefsOf(&m)
			}
			if !yield(read, err) {
				return
			}
		}
	}
}

// lenient spares the search for repeated names, which a record does not have.
var lenient = fast.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// reader makes frames from the messages of a log.
type reader struct {
	match   *Match
	options Options
	emit    func(*analysis.Frame) error
	frame   analysis.Frame
	told    bool // the log has the truth apart from the wall
	// refereed: the log has states, and its walls draw home attacking +x in each part
	refereed bool
	waiting  bool // the frame was not emitted yet: its state may follow with the same time
	beliefs  map[autoref.Player]analysis.Belief
	views    [2]*matchlog.View
	viewed   [2]soccer.Time
	last     soccer.Time // time of the newest frame of worldstates
	began    soccer.Time // when play began
}

func (r *reader) holds(l *matchlog.Log, channel string) bool {
	return slices.ContainsFunc(l.Info().Channels, func(c matchlog.ChannelInfo) bool { return c.Name == channel && c.Count > 0 })
}

// apply applies a message.
func (r *reader) apply(m *message) error {
	if r.waiting && m.Time != r.frame.At {
		if err := r.flush(); err != nil {
			return err
		}
	}
	switch m.Channel {
	case matchlog.States:
		var st game.State
		if json.Unmarshal(m.Data, &st) == nil {
			st.Time = m.Time
			if r.match.Origin == analysis.FromWorldstates {
				r.complete(&st)
			}
			r.frame.State = st
		}
	case matchlog.Truth:
		var t game.Truth
		if fast.Unmarshal(m.Data, &t, lenient) != nil || !finite(t.Ball.X, t.Ball.Y, t.Ball.Z) {
			return nil
		}
		r.frame.Told, r.frame.Known = analysis.Restore(&r.frame.Scene, &t), true
		r.frame.Time, r.frame.At, r.waiting = m.Time, m.Time, true
		if t.Time > 0 {
			r.frame.Time = t.Time
		}
	case wallChannel:
		r.wall(m)
	case matchlog.VSS:
		r.vss(&m.Message)
	case linkChannel, linkChannel + awaySuffix:
		r.links(&m.Message)
	case bookingChannel, bookingChannel + awaySuffix:
		r.booking(&m.Message)
	case behaviourChannel:
		r.behaviour(&m.Message)
	case matchlog.Home, matchlog.Away:
		if r.match.Origin == analysis.FromTruth {
			r.station(&m.Message)
			return nil
		}
		return r.worldstate(&m.Message)
	}
	return nil
}

// links passes on what the nodes of a team measured.
func (r *reader) links(m *matchlog.Message) {
	side, links := game.Home, []analysis.Link{}
	if m.Channel != linkChannel {
		side = game.Away
	}
	t := text{b: m.Data}
	t.member("nodes", func() {
		t.list(func() {
			var to string
			first := len(links)
			t.object(func(name []byte) {
				switch string(name) {
				case "entity":
					t.decode(&to)
				case "links":
					t.list(func() {
						if l := link(&t); len(links) < mostLinks {
							l.Side = side
							links = append(links, l)
						}
					})
				default:
					t.skip()
				}
			})
			for i := range links[first:] {
				links[first+i].To = to
			}
		})
	})
	if !t.bad {
		r.options.Links(m.Time, side, links)
	}
}

// link reads what a node measured of one of its peers.
func link(t *text) (l analysis.Link) {
	t.object(func(name []byte) {
		switch string(name) {
		case "peer":
			t.decode(&l.From)
		case "received":
			t.decode(&l.Received)
		case "lost":
			t.decode(&l.Lost)
		case "latencyMillis":
			t.member("p50", func() { t.decode(&l.Latency) })
		default:
			t.skip()
		}
	})
	return l
}

// mostLinks bounds the links of a team.
const mostLinks = 32 * 32

// complete adds to a state what the RefBox's lines leave out of it: who scored, and which set piece play began with.
func (r *reader) complete(st *game.State) {
	was := &r.frame.State
	switch {
	case st.Home.Goals > was.Home.Goals:
		st.Goal = game.Home
	case st.Away.Goals > was.Away.Goals:
		st.Goal = game.Away
	case !st.Running:
		st.Goal = was.Goal
	}
	if !st.Running {
		return
	}
	if st.Taking = was.Taking; !was.Running {
		st.Taking = game.SetPiece{}
		for _, p := range r.match.pieces {
			if p.at <= st.Time && p.at > r.began {
				st.Taking = p.choice
			}
		}
		r.began = st.Time
	}
}

// flush emits the frame that waits.
func (r *reader) flush() error {
	if !r.waiting {
		return nil
	}
	r.waiting = false
	if r.frame.At < r.options.From {
		return nil
	}
	r.frame.Beliefs = r.frame.Beliefs[:0]
	if r.options.Beliefs {
		for _, b := range r.beliefs {
			if r.frame.At.Sub(b.At) <= stale {
				r.frame.Beliefs = append(r.frame.Beliefs, b)
			}
		}
		slices.SortFunc(r.frame.Beliefs, func(a, b analysis.Belief) int { return analysis.Compare(a.By, b.By) })
	}
	return r.emit(&r.frame)
}

// wall is what the topic "wall" tells of a match; it is drawn so that home attacks +x in each part.
type wall struct {
	Field soccer.Field `json:"field"`
	Truth *scene       `json:"truth"`
	Fused *scene       `json:"fused"`
	Game  *struct {
		Home, Away struct {
			Name string `json:"name"`
		}
	} `json:"game"`
	Tiles []struct {
		Number uint8        `json:"number"`
		Color  soccer.Color `json:"color"`
		State  string       `json:"state"`
		Belief scene        `json:"belief"`
	} `json:"tiles"`
}

type scene struct {
	Ball   *believedBall `json:"ball"`
	Robots []struct {
		Number uint8        `json:"number"`
		Color  soccer.Color `json:"color"`
		Shape  string       `json:"shape"`
		Pose   soccer.Pose  `json:"pose"`
		Self   bool         `json:"self"`
	} `json:"robots"`
}

type believedBall struct {
	soccer.Vec3
	Cov *soccer.Cov `json:"cov"`
	Age *float64    `json:"age"` // ms
}

// wall applies a recorded wall: the beliefs of its tiles, and the scene where the log has no better one.
func (r *reader) wall(m *message) {
	if r.options.Beliefs && !r.believe(m) || r.told {
		return
	}
	var w wall
	if fast.Unmarshal(m.Data, &w, lenient) != nil {
		return
	}
	switch s := w.Truth; {
	case s != nil && r.match.Origin == analysis.FromTruth:
		r.scene(m.Time, s)
	case r.match.Origin == analysis.FromPackages:
		s := w.Fused
		if s == nil {
			s = new(scene)
		}
		s.Robots = s.Robots[:0]
		for i := range w.Tiles { // each robot knows itself best
			for _, f := range w.Tiles[i].Belief.Robots {
				if f.Self && w.Tiles[i].State == live {
					f.Color, f.Number = w.Tiles[i].Color, w.Tiles[i].Number
					s.Robots = append(s.Robots, f)
				}
			}
		}
		r.scene(m.Time, s)
	}
}

// live is the state of the tile of a robot that is heard.
const live = "live"

// believe notes the beliefs of a wall's tiles. It reports false for a text that is no wall.
func (r *reader) believe(m *message) bool {
	direction := r.frame.State.Part.Attack(game.Home)
	for _, b := range m.beliefs {
		b.Ball = turned(b.Ball, direction)
		if b.Self != nil {
			pose := turn(*b.Self, direction)
			b.Self = &pose
		}
		r.beliefs[b.By] = b
	}
	return m.isWall
}

// beliefsOf returns the beliefs of a wall's tiles, as if home attacked +x; false for a text that is no wall.
func beliefsOf(m *matchlog.Message) ([]analysis.Belief, bool) {
	var beliefs []analysis.Belief
	t := text{b: m.Data}
	t.member("tiles", func() {
		t.list(func() {
			if b, state := tile(&t); state == live && len(beliefs) < analysis.MostRobots {
				b.At = m.Time
				beliefs = append(beliefs, b)
			}
		})
	})
	if t.bad {
		return nil, false
	}
	return beliefs, true
}

// tile reads what a robot believes of ball and itself, as if home attacked +x.
func tile(t *text) (b analysis.Belief, state string) {
	var number uint8
	var color soccer.Color
	t.object(func(name []byte) {
		switch string(name) {
		case "number":
			t.decode(&number)
		case "color":
			t.decode(&color)
		case "state":
			t.decode(&state)
		case "belief":
			t.object(func(name []byte) {
				switch string(name) {
				case "ball":
					ball := (*believedBall)(nil)
					if t.decode(&ball); ball != nil {
						b.Ball, b.Cov = turned(&ball.Vec3, 1), ball.Cov
						if ball.Age != nil {
							seconds := *ball.Age / 1000
							b.Age = &seconds
						}
					}
				case "robots":
					t.list(func() {
						switch f := figure(t); {
						case f.self:
							b.Self = &f.pose
						case f.named.What != "" && len(b.Named) < analysis.MostRobots:
							b.Named = append(b.Named, f.named)
						}
					})
				default:
					t.skip()
				}
			})
		default:
			t.skip()
		}
	})
	b.By = player(color, number)
	return b, state
}

// figured is a robot of a tile.
type figured struct {
	self  bool           // it is the one that believes
	pose  soccer.Pose    // its pose, if it is
	named analysis.Named // a mate whose reports contradict those of the others; What is "" of all others
}

// figure reads a robot of a tile.
func figure(t *text) (f figured) {
	where, number := text{}, uint8(0)
	t.object(func(name []byte) {
		switch string(name) {
		case "number":
			t.decode(&number)
		case "pose":
			where.b = t.skip()
		case "self":
			t.decode(&f.self)
		case "trust":
			t.member("disagrees", func() {
				t.object(func(name []byte) {
					switch string(name) {
					case "what":
						t.decode(&f.named.What)
					case "by":
						t.decode(&f.named.By)
					default:
						t.skip()
					}
				})
			})
		default:
			t.skip()
		}
	})
	if f.named.Number = number; f.self && where.b != nil {
		where.decode(&f.pose)
		t.bad = t.bad || where.bad
	}
	return f
}

// vss makes the frame of a VSS simulator's field: blue is home, and attacks +x. Its robots count from 0.
func (r *reader) vss(m *matchlog.Message) {
	type robot struct {
		ID   uint8       `json:"id"`
		On   bool        `json:"on"`
		Pose soccer.Pose `json:"pose"`
	}
	var v struct {
		Paused bool `json:"paused"`
		Ball   struct {
			Position soccer.Vec3 `json:"position"`
		} `json:"ball"`
		Blue        []robot `json:"blue"`
		Yellow      []robot `json:"yellow"`
		GoalsBlue   int     `json:"goalsBlue"`
		GoalsYellow int     `json:"goalsYellow"`
	}
	if json.Unmarshal(m.Data, &v) != nil || !finite(v.Ball.Position.X, v.Ball.Position.Y, v.Ball.Position.Z) {
		return
	}
	st := &r.frame.State
	st.Running, st.Goal = !v.Paused, game.Both
	switch {
	case v.GoalsBlue > st.Home.Goals:
		st.Goal = game.Home
	case v.GoalsYellow > st.Away.Goals:
		st.Goal = game.Away
	}
	st.Home.Goals, st.Away.Goals = v.GoalsBlue, v.GoalsYellow
	t := game.Truth{Time: m.Time, Ball: v.Ball.Position}
	for i, side := range game.Sides {
		for _, f := range [2][]robot{v.Blue, v.Yellow}[i] {
			if f.On {
				t.Robots = append(t.Robots, game.TruthRobot{Number: f.ID, Team: side, Shape: "robot", Pose: f.Pose})
			}
		}
	}
	analysis.Restore(&r.frame.Scene, &t)
	r.frame.Time, r.frame.At, r.frame.Told, r.frame.Known, r.waiting = m.Time, m.Time, false, true, true
}

// scene makes the frame of a scene of the wall of a session. Without states of a referee it has one half.
func (r *reader) scene(at soccer.Time, s *scene) {
	t, direction := game.Truth{Time: at}, 1.0
	if r.refereed {
		direction = r.frame.State.Part.Attack(game.Home)
	}
	if r.frame.Known = s.Ball != nil && finite(s.Ball.X, s.Ball.Y, s.Ball.Z); r.frame.Known {
		t.Ball = *turned(&s.Ball.Vec3, direction)
	} else {
		t.Ball = r.frame.Scene.Ball
	}
	for i := range s.Robots {
		f := &s.Robots[i]
		p := player(f.Color, f.Number)
		t.Robots = append(t.Robots, game.TruthRobot{Number: p.Number, Team: p.Side, Shape: f.Shape, Pose: turn(f.Pose, direction)})
	}
	analysis.Restore(&r.frame.Scene, &t)
	r.frame.Time, r.frame.At, r.waiting = at, at, true
}

// worldstate applies a worldstate of a team. A frame of the grid shows the newest of both teams.
func (r *reader) worldstate(m *matchlog.Message) error {
	i := 0
	if m.Channel == matchlog.Away {
		i = 1
	}
	v := matchlog.ParseView(m.Data, i == 1)
	if v == nil {
		return nil
	}
	r.views[i], r.viewed[i] = v, m.Time
	at := m.Time - m.Time%soccer.Time(gridPeriod)
	if at <= r.last {
		return nil
	}
	r.last = at
	r.fuse(at)
	return r.flush()
}

// station takes a worldstate as the belief of the team's base station.
func (r *reader) station(m *matchlog.Message) {
	side := game.Home
	if m.Channel == matchlog.Away {
		side = game.Away
	}
	if v := matchlog.ParseView(m.Data, side == game.Away); v != nil {
		by := autoref.Player{Side: side, Number: analysis.Station}
		ball := turned(surest(v.Balls), r.frame.State.Part.Attack(game.Home))
		r.beliefs[by] = analysis.Belief{By: by, At: m.Time, Ball: ball}
	}
}

// fuse makes a frame from the newest worldstates: robots from their own team, and the ball of both.
func (r *reader) fuse(at soccer.Time) {
	f := &r.frame
	direction := f.State.Part.Attack(game.Home)
	t := game.Truth{Time: at}
	balls := [2]*soccer.Vec3{}
	holder := (*game.Contact)(nil)
	for i, v := range r.views {
		if v == nil || at.Sub(r.viewed[i]) > stale {
			continue
		}
		side := game.Sides[i]
		balls[i] = turned(surest(v.Balls), direction)
		for k := range v.Robots {
			b := &v.Robots[k]
			if b.X == nil || b.Y == nil || b.Number < 1 || b.Number >= analysis.Station {
				continue
			}
			pose := soccer.Pose{X: *b.X, Y: *b.Y}
			if b.Theta != nil {
				pose.Theta = *b.Theta
			}
			pose = turn(pose, direction)
			t.Robots = append(t.Robots, game.TruthRobot{Number: uint8(b.Number), Team: side, Shape: "robot", Pose: pose})
			if b.Engaged != nil && *b.Engaged && holder == nil {
				holder = &game.Contact{Team: side, Number: uint8(b.Number), At: at}
			}
		}
		if r.options.Beliefs {
			by := autoref.Player{Side: side, Number: analysis.Station}
			r.beliefs[by] = analysis.Belief{By: by, At: r.viewed[i], Ball: balls[i]}
		}
	}
	t.Ball, f.Known = r.agree(balls)
	analysis.Restore(&f.Scene, &t)
	f.Scene.Holder = autoref.Player{}
	if holder != nil {
		f.Scene.Holder = autoref.Player{Side: holder.Team, Number: holder.Number}
	}
	f.Time, f.At, f.Told, r.waiting = at, at, false, true
}

// agree returns the ball of two teams: between the two if they are one, otherwise the one that is nearer to where it was.
func (r *reader) agree(balls [2]*soccer.Vec3) (ball soccer.Vec3, known bool) {
	was := r.frame.Scene.Ball
	a, b := balls[0], balls[1]
	switch {
	case a == nil && b == nil:
		return was, false
	case b == nil:
		return *a, true
	case a == nil:
		return *b, true
	}
	if a.XY().Sub(b.XY()).Len() <= sameBall {
		return soccer.Vec3{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2, Z: (a.Z + b.Z) / 2}, true
	}
	if r.frame.Known && b.XY().Sub(was.XY()).Len() < a.XY().Sub(was.XY()).Len() {
		return *b, true
	}
	return *a, true
}

// surest returns the ball of a worldstate with the highest confidence; nil without one that has a place.
func surest(balls []matchlog.ViewBall) (best *soccer.Vec3) {
	most := math.Inf(-1)
	for i := range balls {
		b := &balls[i]
		if b.X == nil || b.Y == nil {
			continue
		}
		confidence := 0.0
		if b.Confidence != nil {
			confidence = *b.Confidence
		}
		if confidence <= most {
			continue
		}
		most, best = confidence, &soccer.Vec3{X: *b.X, Y: *b.Y}
		if b.Z != nil {
			best.Z = *b.Z
		}
	}
	return best
}

func player(c soccer.Color, number uint8) autoref.Player {
	if c == game.Away.Color() {
		return autoref.Player{Side: game.Away, Number: number}
	}
	return autoref.Player{Side: game.Home, Number: number}
}

// turned returns a point of the frame in which home attacks +x, in the field frame of a part in which home attacks in
// direction.
func turned(p *soccer.Vec3, direction float64) *soccer.Vec3 {
	if p == nil || !finite(p.X, p.Y, p.Z) {
		return nil
	}
	return &soccer.Vec3{X: p.X * direction, Y: p.Y * direction, Z: p.Z}
}

func turn(p soccer.Pose, direction float64) soccer.Pose {
	if direction < 0 {
		return p.Turned()
	}
	return p
}

func finite(all ...float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
