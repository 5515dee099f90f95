package robot

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Periods of what a robot sends over the TCM.
const (
	beliefPeriod = 50 * time.Millisecond // mean period
	beliefJitter = 10 * time.Millisecond // greatest deviation: robots that start together do not keep sending together
	statusPeriod = 200 * time.Millisecond
	debugPeriod  = 100 * time.Millisecond
	pictureGap   = 30 * time.Millisecond // least gap between the measurements of two pictures
	mateFor      = time.Second           // a teammate's belief counts for this time
)

// For the nodes of robots: LinkTimeout is the time without a datagram after which a link is down, and Beacon that between
// datagrams on a link without messages.
const (
	LinkTimeout = 600 * time.Millisecond
	Beacon      = 200 * time.Millisecond
)

// SilentFor is the time without a message after which a field takes a robot in a program outside for gone. Robots send
// motor commands at least five times a second.
const SilentFor = 800 * time.Millisecond

// Computers of a team: Station takes the status of robots; Field sends robots what they sense, and receives their motor
// commands.
var (
	Station = tcm.Entity{Kind: tcm.Computer, ID: 1}
	Field   = tcm.Entity{Kind: tcm.Computer, ID: 200}
)

// Message is what a robot sends over the TCM at once. It is valid during the call that it is passed to.
type Message struct {
	To       tcm.Entity
	Module   tcm.Module     // module that sends it
	Captured soccer.Time    // when its contents held, on the robot's clock
	Data     []teamcom.Data // one message, or several that share a datagram
}

// messages are what a robot sends over the TCM, and when.
type messages struct {
	rng                   *rand.Rand
	control               soccer.Time                                            // when the next control period ends
	belief, status, debug soccer.Time                                            // when each is due
	believed              soccer.Time                                            // when the newest belief was sent
	booker                uint8                                                  // when the control period ended
	picture               soccer.Time                                            // when measurements may be sent again
	unsent                bool                                                   // the newest picture
	mates                 bounded.Table[uint8, soccer.Localisation, soccer.Time] // where teammates are, by their newest beliefs
	data                  []teamcom.Data                                         // scratch
	out                   Message                                                // scratch

	// scratch memory
	world         soccer.World
	measurements  team.Measurements
	beliefMessage team.Belief
	statusMessage team.Status
	debugMessage  team.Debug
}

// MessagesDue returns when Messages has something to send again.
func (r *Robot) MessagesDue() soccer.Time {
	m := &r.messages
	due := min(m.control, m.status)
	if !r.cfg.NoDebug {
		due = min(due, m.debug)
	}
	if m.unsent {
		due = min(due, m.picture)
	}
	return due
}

// Messages passes to send each message for the TCM that is due at now: the measurements of the newest picture to its
// teammates, at most 33 times a second; to them, too, the belief from the robot's own percepts, about 20 times a second,
// and with it the messages of the ball booking; its status to the station, 5 times; and its debug record with the fused
// world to all computers, 10 times and at once when it believes in another booker. A robot that was late sends each message
// once.
func (r *Robot) Messages(now soccer.Time, send func(*Message)) {
	m := &r.messages
	if m.unsent && m.picture <= now {
		m.unsent, m.picture = false, now.Add(pictureGap)
		m.measurements.SetSense(&r.picture)
		r.pass(send, tcm.Entity{Kind: tcm.Robot}, tcm.GM, r.picture.Time, &m.measurements)
	}
	if m.control <= now {
		m.control = next(m.control, now, controlPeriod)
		r.control(now, send)
		if booker := r.booked(now); booker != m.booker {
			m.booker, m.debug = booker, now
		}
	}
	if m.status <= now {
		m.status = next(m.status, now, statusPeriod)
		r.setStatus(now)
		r.pass(send, Station, tcm.HFSM, now, &m.statusMessage)
	}
	if m.debug <= now && !r.cfg.NoDebug {
		m.debug = next(m.debug, now, debugPeriod)
		r.setDebug(now)
		r.pass(send, tcm.Entity{Kind: tcm.Computer}, tcm.HFSM, now, &m.debugMessage)
	}
}

// pass passes a message to send.
func (r *Robot) pass(send func(*Message), to tcm.Entity, module tcm.Module, captured soccer.Time, data teamcom.Data) {
	m := &r.messages
	m.data = append(m.data[:0], data)
	m.out = Message{to, module, captured, m.data}
	send(&m.out)
}

// next returns when a message that was due is due again. Periods that have passed are skipped.
func next(due, now soccer.Time, period time.Duration) soccer.Time {
	if due = due.Add(period); due > now {
		return due
	}
	return now.Add(period)
}

// receiveBelief notes a belief that a teammate sent. It is not fused: its measurements and packages have the percepts.
func (r *Robot) receiveBelief(from uint8, at soccer.Time, b *team.Belief) {
	const most = 16
	e := r.messages.mates.Find(from)
	if e == nil {
		e, _ = r.messages.mates.Add(from, at, most, 0)
	}
	e.Used, e.Value = at, b.Self.Localisation()
}

// beliefOf returns the robot's own belief: nothing that others reported enters it.
func (r *Robot) beliefOf(now soccer.Time) *team.Belief {
	m := &r.messages
	m.believed = now
	r.OwnWorld(now, &m.world)
	if r.own == nil {
		m.world.Ball = r.ballInPicture(now)
	}
	m.beliefMessage.Color = uint8(r.cfg.Color)
	m.beliefMessage.Ball.SetBelief(now, &m.world.Ball)
	m.beliefMessage.Self.SetLocalisation(r.percepts.Self)
	return &m.beliefMessage
}

// ballInPicture returns the likeliest ball of the newest picture, if that is new.
func (r *Robot) ballInPicture(now soccer.Time) (b soccer.Ball) {
	if len(r.percepts.Balls) == 0 || now.Sub(r.percepts.Time) > poseFor {
		return b
	}
	seen := &r.percepts.Balls[0]
	return soccer.Ball{
		Known: true, Position: seen.Position, Cov: seen.Cov, LastSeen: r.percepts.Time,
		SeenBy: soccer.RobotSet(0).With(r.cfg.Number),
	}
}

// setStatus sets the status message.
func (r *Robot) setStatus(now soccer.Time) {
	m := &r.messages
	mode := team.Playing
	switch {
	case r.penalised:
		mode = team.Penalised
	case !r.percepts.Self.Known:
		mode = team.Idle
	}
	m.statusMessage = team.Status{
		Mode: mode, BallEngaged: r.picture.HasBall, Battery: team.Unknown, Intention: r.intention(now),
	}
	m.statusMessage.Self.SetLocalisation(r.percepts.Self)
	if c := &r.commander; c.player != nil {
		if c.action.HasTarget {
			m.statusMessage.SetTarget(c.action.Target)
		}
		if mode == team.Playing && !r.referee.mayMove(now) {
			m.statusMessage.Mode = team.Stopped
		}
	}
}

// intention returns what the robot is doing.
func (r *Robot) intention(now soccer.Time) string {
	w := &r.messages.world
	r.World(now, w)
	switch {
	case r.commander.player != nil:
		return r.commander.action.Intention
	case r.penalised:
		return "penalised"
	case !r.percepts.Self.Known:
		return "localise"
	case r.picture.HasBall:
		return "hold the ball"
	case w.Booking.Booker == r.cfg.Number:
		return "has the ball booked"
	case w.Booking.Booker != 0:
		return fmt.Sprintf("leave the ball to robot %d", w.Booking.Booker)
	case !w.Ball.Known:
		return "search the ball"
	}
	return "watch the ball"
}

// setDebug sets the debug message.
func (r *Robot) setDebug(now soccer.Time) {
	m := &r.messages
	intention := r.intention(now) // fills m.world
	m.world.Self = r.percepts.Self
	r.addMates(now)
	m.debugMessage.SetWorld(&m.world)
	if c := &r.commander; c.player != nil {
		m.debugMessage.Machine = c.machine
		m.debugMessage.States = append(m.debugMessage.States[:0], c.player.States()...)
	} else {
		m.debugMessage.States = append(m.debugMessage.States[:0], "play", intention)
	}
	m.debugMessage.Percepts.SetSense(&r.picture)
}

// addMates adds the teammates whose beliefs arrived in the last second to the peers of m.world.
func (r *Robot) addMates(now soccer.Time) {
	w := &r.messages.world
	for _, mate := range r.messages.mates.All() {
		if now.Sub(mate.Used) > mateFor {
			continue
		}
		known := false
		for j := range w.Peers {
			if p := &w.Peers[j]; p.Sender.Robot == mate.Key && p.Sender.Color == r.cfg.Color {
				known, p.LastReceived = true, max(p.LastReceived, mate.Used)
			}
		}
		if !known {
			w.Peers = append(w.Peers, soccer.Peer{
				Sender: soccer.Sender{Color: r.cfg.Color, Robot: mate.Key}, Self: mate.Value, LastReceived: mate.Used,
			})
		}
	}
}

// ErrSense is the error of a Sense with values that no sensor measures.
var ErrSense = errors.New("robot: a Sense with NaN, an infinite value or a distance beyond 100 m")

// SenseMessage fuses one picture that the field sent over the TCM, taken at a time of this robot's clock.
func (r *Robot) SenseMessage(captured soccer.Time, m *team.Sense) error {
	m.Percepts.Sense(captured, &r.sense)
	if !plausible(&r.sense) {
		return ErrSense
	}
	r.Sense(&r.sense)
	return nil
}

// plausible reports whether all numbers of a picture are finite and on or near a field.
func plausible(s *soccer.Sense) bool {
	const far = 100 // m, m/s or rad
	ok := func(values ...float64) bool {
		return !slices.ContainsFunc(values, func(v float64) bool { return !(math.Abs(v) <= far) })
	}
	l := &s.Self
	if !ok(l.Pose.X, l.Pose.Y, l.Pose.Theta, l.Twist.X, l.Twist.Y, l.Twist.Theta, l.Confidence) {
		return false
	}
	for _, o := range slices.Concat(s.Balls, s.Obstacles) {
		if !ok(o.Position.X, o.Position.Y, o.Position.Z, o.Confidence) {
			return false
		}
	}
	return true
}
