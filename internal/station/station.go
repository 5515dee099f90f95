// Package station is a team's base station. It receives the packages that its robots send each other, reports their
// fusion to the RefBox, and follows the RefBox's commands. Station is a pure core: packages, messages of the RefBox and
// the time go in, messages to the RefBox come out. Package stationnet runs one on sockets.
//
// # Worldstates
//
// A worldstate has all seven keys, as RefBox 2.1 requires. It describes one time: that at which the newest package in
// it took its picture, which is its arrival less the least age of packages (world.Config.Latency). Robots, ball and
// obstacles are extrapolated to that time with their own velocities, and no further. ageMs, the sending time less that
// time, says how old the worldstate is; it grows while no package arrives. Two seconds after the last package the lists
// are empty and ageMs is 0. The time of a worldstate is never before that of the last one.
//
// Robots are those of the last two seconds, by number. If two use one number, or more than five send, the listed ones
// stay until they have been silent for half a second; then those with the newest packages replace them. A silent robot
// from whose place another one sends, its substitute, is not listed. A robot without self-localisation has no pose. There
// is at most one ball, the one that the packages agree on. Its confidence is the highest that a robot recently gave a
// candidate near it, and is omitted if none did. Obstacles are those that are not teammates, without confidence and
// radius. Packages contain no target poses, battery levels, ball contact and intentions: they are omitted, or "" for an
// intention, unless the robot reports its status over the TCM. A robot that sends no packages is listed by its status, with
// the pose in it. While no robot sends packages, ball and obstacles are those of the newest debug records of the TCM; these
// carry no confidence, and that of their ball falls with the spread of its place.
//
// # Messages that are not sent
//
// Nothing is sent before WELCOME, as the RefBox would not know the sender. Events are sent only on request: no package
// reports a kick, and a ball that suddenly rolls may have bounced or been thrown in.
package station

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/world"
)

// Config describes a base station.
type Config struct {
	Team  int          // last octet of the team's multicast group, 1..254: 39 is CAMBADA
	Name  string       // teamName of its worldstates. Default the team's in the league's table
	Color soccer.Color // side of its robots' packages; those of the other side are ignored. Default cyan
	World world.Config // how packages are fused
}

// DefaultConfig returns the defaults for a team.
func DefaultConfig(team int) Config {
	cfg := Config{
		Team: team, Name: fmt.Sprintf("team %d", team), Color: soccer.Cyan, World: world.DefaultConfig(0, soccer.Cyan),
	}
	if t := soccer.MSLTeam(team); t.ID != 0 {
		cfg.Name = t.Name
	}
	return cfg
}

// Station is a base station. It is not safe for concurrent use.
type Station struct {
	cfg      Config
	model    *world.Model
	header   mixedteam.Header
	percepts soccer.Percepts
	since    unlisted // newest package of a robot that worldstates can list

	candidates bounded.Ring[candidate] // the robots' recent balls

	squad  squad
	report report
	state  State
	before *State // the game that a doubtful RESET ended

	sent soccer.Time // time of the last worldstate

	listed, spare []soccer.Sender // robots of the last worldstate; scratch

	world soccer.World   // scratch
	out   msl.Worldstate // scratch
}

const maxCandidates = 128

// candidate is a ball as one robot saw it.
type candidate struct {
	at         soccer.Time // arrival of its package
	position   soccer.Vec
	confidence float64
}

// New returns a Station without robots. It refuses a team outside 1..254, and a name that a worldstate cannot contain.
func New(cfg Config) (*Station, error) {
	if cfg.Team < 1 || cfg.Team > 254 {
		return nil, fmt.Errorf("station: team %d: want the last octet of its multicast group, 1 to 254, "+
			"for example 39 for 224.16.32.39", cfg.Team)
	}
	if cfg.Color != soccer.Cyan && cfg.Color != soccer.Magenta {
		return nil, errors.New("station: color: want cyan or magenta")
	}
	const longest = 100
	if cfg.Name == "" || len(cfg.Name) > longest || strings.ToValidUTF8(cfg.Name, "") != cfg.Name {
		return nil, fmt.Errorf("station: name %.40q: want 1 to %d bytes of UTF-8", cfg.Name, longest)
	}
	cfg.World.Robot, cfg.World.Color = 0, cfg.Color
	return &Station{cfg: cfg, model: world.New(cfg.World), sent: math.MinInt64}, nil
}

// Receive fuses one datagram of the robots. One that is not a mixed team package is counted and ignored. The packet's
// time is of the same clock as the other methods' now.
func (s *Station) Receive(p *soccer.Packet) {
	if s.since.start == 0 {
		s.since.start = p.Time
	}
	if _, err := mixedteam.Decode(p.Data, &s.header, &s.percepts); err != nil {
		s.since.foreign++
		return
	}
	from := soccer.Sender{Addr: p.From, Color: s.header.Color, Robot: s.header.Robot}
	s.model.Receive(&world.Message{
		From: from, Arrival: p.Time, HasStamp: s.header.HasTimestamp, Stamp: s.header.TimestampMillis,
		Percepts: &s.percepts,
	})
	switch {
	case from.Color != s.cfg.Color && from.Color != soccer.NoColor:
		s.since.otherSide++
		return
	case !hasNumber(from):
		s.since.unnumbered++
	default:
		s.since = unlisted{start: p.Time}
	}
	for i := range s.percepts.Balls {
		if o := &s.percepts.Balls[i]; o.Confidence > 0 {
			*s.candidates.Push(maxCandidates) = candidate{p.Time, o.Position.XY(), o.Confidence}
		}
	}
}

// AppendWorldstate appends the worldstate of now to b, closed by its NUL. Before WELCOME it appends nothing.
func (s *Station) AppendWorldstate(b []byte, now soccer.Time) ([]byte, error) {
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

// ErrNotAccepted is the error of an event before WELCOME.
var ErrNotAccepted = errors.New("station: before WELCOME the RefBox does not know the sender of an event")

// AppendEvent appends an event of one of the team's robots to b, closed by its NUL: "kick", "pass", ... Before WELCOME
// the error is ErrNotAccepted. It refuses robots outside the range of jersey numbers, and text that is empty, too long
// or not UTF-8.
func (s *Station) AppendEvent(b []byte, robot int, text string) ([]byte, error) {
	const longest = 1000
	switch {
	case robot < 1 || robot > msl.MaxNumber:
		return b, fmt.Errorf("station: event of robot %d: want a number from 1 to %d", robot, msl.MaxNumber)
	case text == "" || len(text) > longest:
		return b, fmt.Errorf("station: an event of %d bytes: want a text of 1 to %d bytes", len(text), longest)
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

// fill writes the worldstate of now to s.out.
func (s *Station) fill(now soccer.Time) {
	w := &s.world
	s.model.World(now, w) // drops what is too old
	at := s.time(now)
	s.sent = at
	s.model.World(at, w)
	s.out.TeamName = s.cfg.Name
	s.out.AgeMillis = msl.Num(math.Round(float64(now.Sub(at)) / float64(time.Millisecond)))
	s.fillRobots()
	s.out.Balls, s.out.Obstacles = s.out.Balls[:0], s.out.Obstacles[:0]
	if w.Ball.Known {
		s.out.Balls = append(s.out.Balls, msl.NewBall(soccer.Observation{
			Position: w.Ball.Position, Velocity: w.Ball.Velocity, HasVelocity: true, Confidence: s.confidence(at),
		}))
	}
	for i := range w.Obstacles {
		s.addObstacle(&w.Obstacles[i])
	}
	if len(w.Peers) == 0 && s.report.isRecent(now) {
		s.addReport()
	}
}

// addObstacle adds an obstacle to the worldstate.
func (s *Station) addObstacle(o *soccer.Obstacle) {
	s.out.Obstacles = append(s.out.Obstacles, msl.NewObstacle(soccer.Observation{
		Position: soccer.Vec3{X: o.Position.X, Y: o.Position.Y},
		Velocity: soccer.Vec3{X: o.Velocity.X, Y: o.Velocity.Y}, HasVelocity: true,
	}))
}

// time returns the time of the newest information in s.world, which is the world of now; it returns now if the world is
// empty. It never goes back: the time of an empty worldstate is later than that of the first package after it.
func (s *Station) time(now soccer.Time) soccer.Time {
	w, newest, known := &s.world, soccer.Time(math.MinInt64), false
	add := func(t soccer.Time) { newest, known = max(newest, t), true }
	for i := range w.Peers {
		add(w.Peers[i].LastReceived.Add(-s.cfg.World.Latency))
	}
	if w.Ball.Known { // it outlives a robot that falls silent
		add(w.Ball.LastSeen)
	}
	for i := range w.Obstacles {
		add(w.Obstacles[i].LastSeen)
	}
	for i := range s.squad.status {
		if st := &s.squad.status[i]; !known && st.isRecent(now) {
			newest = max(newest, st.at)
		}
	}
	if newest == math.MinInt64 { // neither packages nor statuses
		return now
	}
	return min(max(newest, s.sent), now)
}

// maxRobots is the number of robots of a team (MSL World Model 2015, section 3). During a substitution six send.
const maxRobots = 5

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
			if was == stays && !s.replaced(p) && s.list(p) {
				listed = append(listed, p.Sender)
			}
		}
	}
	s.listed, s.spare = listed, s.listed
	s.addStatuses()
	slices.SortFunc(s.out.Robots, func(a, b msl.Robot) int { return cmp.Compare(a.ID.Value, b.ID.Value) })
}

// replaced reports whether a robot fell silent and another one sends from its place: a substitute.
func (s *Station) replaced(p *soccer.Peer) bool {
	const place = 0.3 // m, the width of the smallest robots (MSL Rules 2026)
	return p.Self.Known && s.world.Time.Sub(p.LastReceived) > recent &&
		slices.ContainsFunc(s.world.Peers, func(o soccer.Peer) bool {
			return o.Self.Known && s.world.Time.Sub(o.LastReceived) <= recent &&
				o.Self.Pose.XY().Sub(p.Self.Pose.XY()).Len() < place
		})
}

// list adds a robot to the worldstate. It skips a robot without a valid number, or with the number of another, and any
// robot beyond maxRobots.
func (s *Station) list(p *soccer.Peer) bool {
	if !hasNumber(p.Sender) || len(s.out.Robots) == maxRobots {
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

// recent is the time of two packages of the slowest sender, 10 packets a second (Mixed Team Package v2).
const recent = 200 * time.Millisecond

// confidence returns the highest confidence that a robot recently gave a candidate near s.world's ball, 0 without one.
func (s *Station) confidence(at soccer.Time) (highest float64) {
	const near = 0.5 // m
	ball := s.world.Ball.Position.XY()
	for i := range s.candidates.Len() {
		c := s.candidates.At(i)
		if at.Sub(c.at) <= recent && c.confidence > highest && c.position.Sub(ball).Len() <= near {
			highest = c.confidence
		}
	}
	return highest
}
