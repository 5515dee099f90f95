// Package station is a team's base station. It hears the packages that its robots send each other, tells the RefBox what
// they say together, and hands the RefBox's commands on.
//
// Station is a pure core: packages, messages of the RefBox and the time go in, messages to the RefBox come out. Live runs
// one on sockets.
//
// # What a worldstate says
//
// It has all seven keys, so that the RefBox 2.1 takes it (facts msl 1.6), and holds one moment: that of the newest
// package in it when its picture was taken, which is when it came less the least age that packages have
// (world.Config.Latency). Robots, ball and obstacles are brought forward to that moment by their own velocities, and no
// further: ageMs, the sending time less that moment, says how old it is, and grows while no package comes. When nothing
// was heard for two seconds the lists are empty and ageMs is 0. No worldstate holds a moment before that of the last one.
//
// Robots are those heard within two seconds, by number. Where two claim one number, or more than five speak, those that
// were listed stay until they are silent for half a second; then the ones heard last come in. One that does not know where
// it is has no pose. There is at most one ball, the one that the packages agree
// on; its confidence is the highest that a robot gave lately to a candidate near it, and is left out where none gave one.
// Obstacles are those that are no teammates, without confidence and radius. Target poses, battery levels, ball contact and
// intentions are in no package, so they are left out, or "" for an intention.
//
// # What it does not say
//
// Nothing is sent before WELCOME: until then the RefBox does not know whose it would be. Events are sent only when
// somebody who knows says so: no package tells of a kick, and a ball that suddenly runs may have bounced or been thrown in.
package station

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/world"
)

// Config says whose base station it is.
type Config struct {
	Team  int          // last octet of the team's multicast group, 1..254: 39 is CAMBADA (facts msl 1.5)
	Name  string       // teamName of its worldstates. Default the team's in the league's table
	Color soccer.Color // side of its robots' packages; those of the other are left out. Default cyan
	World world.Config // how packages are fused
}

// DefaultConfig returns the defaults for a team.
func DefaultConfig(team int) Config {
	cfg := Config{Team: team, Name: fmt.Sprintf("team %d", team), Color: soccer.Cyan, World: world.DefaultConfig(0, soccer.Cyan)}
	if t := soccer.MSLTeam(team); t.ID != 0 {
		cfg.Name = t.Name
	}
	return cfg
}

// Station is a base station. It is not safe for concurrent use.
type Station struct {
	cfg     Config
	model   *world.Model
	header  mixedteam.Header
	heard   soccer.Percepts
	foreign uint64

	// What robots lately said of the ball and how sure they were; older ones are written over.
	candidates [128]candidate
	next       int

	state  State
	before *State // what a doubtful RESET ended

	sent soccer.Time // the moment that the last worldstate held

	listed, spare []soccer.Sender // who is in the last worldstate; scratch

	world soccer.World   // scratch
	out   msl.Worldstate // scratch
}

// candidate is a ball as one robot saw it.
type candidate struct {
	at         soccer.Time // when its package came
	position   soccer.Vec
	confidence float64
}

// New returns a Station that knows nothing yet. It refuses a team outside 1..254 and a name that cannot be written.
func New(cfg Config) (*Station, error) {
	if cfg.Team < 1 || cfg.Team > 254 {
		return nil, fmt.Errorf("station: team %d: give the last octet of its multicast group, 1 to 254, as 39 for 224.16.32.39", cfg.Team)
	}
	if cfg.Color != soccer.Cyan && cfg.Color != soccer.Magenta {
		return nil, errors.New("station: robots play for cyan or magenta")
	}
	const longest = 100
	if cfg.Name == "" || len(cfg.Name) > longest || strings.ToValidUTF8(cfg.Name, "") != cfg.Name {
		return nil, fmt.Errorf("station: name %.40q: give 1 to %d bytes of UTF-8", cfg.Name, longest)
	}
	cfg.World.Robot, cfg.World.Color = 0, cfg.Color
	return &Station{cfg: cfg, model: world.New(cfg.World), sent: math.MinInt64}, nil
}

// Hear takes in one datagram of the robots' channel. What is no mixed team package is counted and left out. A package's
// time is when it arrived, on the clock that Tick is told.
func (s *Station) Hear(p *soccer.Packet) {
	if _, err := mixedteam.Decode(p.Data, &s.header, &s.heard); err != nil {
		s.foreign++
		return
	}
	from := soccer.Sender{Addr: p.From, Color: s.header.Color, Robot: s.header.Robot}
	s.model.Receive(&world.Message{
		From: from, Arrival: p.Time, HasStamp: s.header.HasTimestamp, Stamp: s.header.TimestampMillis, Percepts: &s.heard,
	})
	if from.Color != s.cfg.Color && from.Color != soccer.NoColor {
		return
	}
	for i := range s.heard.Balls {
		if o := &s.heard.Balls[i]; o.Confidence > 0 {
			s.candidates[s.next] = candidate{p.Time, o.Position.XY(), o.Confidence}
			s.next = (s.next + 1) % len(s.candidates)
		}
	}
}

// Left returns what was heard but not fused, and how many datagrams were no packages.
func (s *Station) Left() (world.Counts, uint64) { return s.model.Counts(), s.foreign }

// Tick appends the worldstate that is to be sent now to b, closed by its NUL. Before WELCOME it appends nothing. Seed 002
// wants at least ten a second; RefBox samples at ten, so exactly ten leave some of its windows empty, and twenty do not.
func (s *Station) Tick(b []byte, now soccer.Time) ([]byte, error) {
	if !s.state.Accepted {
		return b, nil
	}
	s.fill(now)
	full, err := s.out.AppendBinary(b)
	if err != nil {
		return b, fmt.Errorf("station: %w", err)
	}
	return append(full, 0), nil
}

// ErrNotAccepted says that the RefBox has not sent WELCOME yet.
var ErrNotAccepted = errors.New("station: the RefBox has not sent WELCOME yet: it would not know whose event this is")

// Event appends an event of one of the team's robots to b, closed by its NUL: "kick", "pass", ... Before WELCOME the error
// is ErrNotAccepted; it refuses numbers that no shirt has, and text that is empty, long or no UTF-8.
func (s *Station) Event(b []byte, robot int, text string) ([]byte, error) {
	const longest = 1000
	switch {
	case robot < 1 || robot > msl.MaxNumber:
		return b, fmt.Errorf("station: event of robot %d: numbers go from 1 to %d", robot, msl.MaxNumber)
	case text == "" || len(text) > longest:
		return b, fmt.Errorf("station: an event of %d bytes: say what it was in 1 to %d", len(text), longest)
	case !s.state.Accepted:
		return b, ErrNotAccepted
	}
	e := msl.Event{RobotID: msl.Num(float64(robot)), Event: text}
	full, err := e.AppendBinary(b)
	if err != nil {
		return b, fmt.Errorf("station: %w", err)
	}
	return append(full, 0), nil
}

// fill writes what is known now into s.out.
func (s *Station) fill(now soccer.Time) {
	w := &s.world
	s.model.World(now, w) // forgets what is too old now
	moment := s.moment(now)
	s.sent = moment
	s.model.World(moment, w)
	s.out.TeamName = s.cfg.Name
	s.out.AgeMillis = msl.Num(math.Round(float64(now.Sub(moment)) / float64(time.Millisecond)))
	s.fillRobots()
	s.out.Balls, s.out.Obstacles = s.out.Balls[:0], s.out.Obstacles[:0]
	if w.Ball.Known {
		s.out.Balls = append(s.out.Balls, msl.NewBall(soccer.Observation{
			Position: w.Ball.Position, Velocity: w.Ball.Velocity, HasVelocity: true, Confidence: s.confidence(moment),
		}))
	}
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		s.out.Obstacles = append(s.out.Obstacles, msl.NewObstacle(soccer.Observation{
			Position: soccer.Vec3{X: o.Position.X, Y: o.Position.Y}, Velocity: soccer.Vec3{X: o.Velocity.X, Y: o.Velocity.Y}, HasVelocity: true,
		}))
	}
}

// moment returns the newest moment of which s.world, which is of now, says anything; now where it is empty. It does not go
// back: an empty worldstate held a later one than the first package after it.
func (s *Station) moment(now soccer.Time) soccer.Time {
	w, newest, known := &s.world, soccer.Time(math.MinInt64), false
	take := func(t soccer.Time) { newest, known = max(newest, t), true }
	for i := range w.Peers {
		take(w.Peers[i].LastReceived.Add(-s.cfg.World.Latency))
	}
	if w.Ball.Known { // its robot may be silent by now
		take(w.Ball.LastSeen)
	}
	for i := range w.Obstacles {
		take(w.Obstacles[i].LastSeen)
	}
	if !known {
		return now
	}
	return min(max(newest, s.sent), now)
}

// mostRobots is how many robots a team has (seed 002 section 3). While one is substituted, six are heard.
const mostRobots = 5

// fillRobots lists the robots of s.world.
func (s *Station) fillRobots() {
	const silent = 500 * time.Millisecond
	peers := s.world.Peers
	slices.SortStableFunc(peers, func(a, b soccer.Peer) int { return cmp.Compare(b.LastReceived, a.LastReceived) })
	s.out.Robots = s.out.Robots[:0]
	listed := s.spare[:0]
	for _, stays := range [2]bool{true, false} {
		for i := range peers {
			p := &peers[i]
			was := slices.Contains(s.listed, p.Sender) && s.world.Time.Sub(p.LastReceived) <= silent
			if was == stays && s.list(p) {
				listed = append(listed, p.Sender)
			}
		}
	}
	s.listed, s.spare = listed, s.listed
	slices.SortFunc(s.out.Robots, func(a, b msl.Robot) int { return cmp.Compare(a.ID.Value, b.ID.Value) })
}

// list adds a robot to the worldstate, unless there is nothing to name it by, another has its number, or there are enough.
func (s *Station) list(p *soccer.Peer) bool {
	if p.Sender.Robot < 1 || p.Sender.Robot > msl.MaxNumber || len(s.out.Robots) == mostRobots {
		return false
	}
	m := msl.Robot{ID: msl.Num(float64(p.Sender.Robot))}
	if slices.ContainsFunc(s.out.Robots, func(r msl.Robot) bool { return r.ID == m.ID }) {
		return false
	}
	m.SetLocalisation(p.Self)
	s.out.Robots = append(s.out.Robots, m)
	return true
}

// confidence returns how sure a robot was, at most, of a candidate near s.world's ball; 0 where none said so lately.
func (s *Station) confidence(moment soccer.Time) (highest float64) {
	const near, lately = 0.5, 200 * time.Millisecond // m; two packages of the slowest sender (seed 000: 10 to 30 a second)
	ball := s.world.Ball.Position.XY()
	for i := range s.candidates {
		c := &s.candidates[i]
		if moment.Sub(c.at) <= lately && c.confidence > highest && c.position.Sub(ball).Len() <= near {
			highest = c.confidence
		}
	}
	return highest
}
