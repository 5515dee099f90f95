package robot

import (
	"fmt"
	"time"

	"touchline/booking"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
)

const (
	controlPeriod = 20 * time.Millisecond  // period of the decision whether to book the ball
	poseFor       = 500 * time.Millisecond // after its newest picture a robot still knows where it is
	shareGap      = 30 * time.Millisecond  // least gap after which a belief joins a claim or a release
	shareFor      = 61 * time.Millisecond  // without such a message, after which it leaves alone
)

// protocols are the ways to book the ball by name. With nil a robot does not book it.
var protocols = map[string]func() booking.Protocol{
	"lease":   func() booking.Protocol { return new(booking.State) },
	"literal": func() booking.Protocol { return new(booking.Literal) },
	"nearest": func() booking.Protocol { return new(booking.Nearest) },
	"none":    nil,
}

// CheckBooking returns an error that lists the protocols if name is none of them.
func CheckBooking(name string) error {
	if _, ok := protocols[name]; !ok {
		return fmt.Errorf("%.40s: want lease, literal, nearest or none", name)
	}
	return nil
}

// booker books the ball for the robot.
type booker struct {
	protocol booking.Protocol // nil: the robot does not book the ball
	name     string
	cfg      booking.Config
	event    booking.Event // scratch
	out      booking.Output
}

func newBooker(cfg *Config) (booker, error) {
	b := booker{name: cfg.Booking, cfg: booking.DefaultConfig(cfg.Number, members)}
	b.cfg.Seed = cfg.Seed
	if err := CheckBooking(cfg.Booking); err != nil {
		return b, fmt.Errorf("robot: booking %w", err)
	}
	if create := protocols[cfg.Booking]; create != nil {
		b.protocol = create()
	}
	return b, nil
}

// members are the robots of a team: 1 to 6.
const members = 0b1111110

// control carries out a control period: it books the ball, decides what the robot does, and passes what the robot sends
// to its teammates to send.
func (r *Robot) control(now soccer.Time, send func(*Message)) {
	m, b := &r.messages, &r.booker
	b.out.N = 0
	r.change(now)
	if b.protocol != nil || r.commander.player != nil {
		r.team.World(now, &m.world)
	}
	if b.protocol != nil {
		r.view(now, &b.event.View)
		b.event.Message.Type = 0
		b.protocol.Step(&b.cfg, now, &b.event, &b.out)
	}
	if r.commander.player != nil {
		r.decide(now)
	}
	data := m.data[:0]
	switch {
	case b.out.N > 0 && (b.out.Messages[0].Type == b3p.TypeBelief || now.Sub(m.believed) >= shareGap):
		m.belief = now.Add(shareFor)
		data = append(data, r.beliefOf(now))
	case m.belief <= now:
		m.belief = next(m.belief, now, beliefPeriod-beliefJitter+time.Duration(m.rng.Int64N(int64(2*beliefJitter)+1)))
		data = append(data, r.beliefOf(now))
	}
	r.sendBooking(now, data, send)
}

// dataOf returns the part of a message of the protocol that travels.
func dataOf(m *booking.Message) teamcom.Data {
	switch m.Type {
	case b3p.TypeClaim:
		return &m.Claim
	case b3p.TypeRelease:
		return &m.Release
	}
	return &m.Belief
}

// booked returns the robot that has the ball booked as this one believes, 0 for none.
func (r *Robot) booked(now soccer.Time) uint8 {
	if r.booker.protocol == nil {
		return 0
	}
	return r.booker.protocol.Booking(&r.booker.cfg, now).Booker
}

// view sets v to what the robot knows of the ball in the world at now, and whether it may play.
func (r *Robot) view(now soccer.Time, v *booking.View) {
	w, self := &r.messages.world, &r.percepts.Self
	*v = booking.View{Known: w.Ball.Known, Fit: r.fit(now), Reason: b3p.Unfit}
	if !v.Known {
		return
	}
	v.Distance = r.distance(self.Pose.XY(), &w.Ball)
	v.Hidden = members &^ (1 << r.cfg.Number)
	for _, m := range r.messages.mates.All() {
		if m.Value.Known && soccer.RobotSet(members).Has(m.Key) && now.Sub(m.Used) <= mateFor {
			v.Seen[r.booker.cfg.Index(m.Key)] = r.distance(m.Value.Pose.XY(), &w.Ball)
			v.Hidden &^= 1 << m.Key
		}
	}
}

// distance returns how far, in m, a robot at a place has to go for the ball. Robots that play go to where they meet it.
func (r *Robot) distance(from soccer.Vec, b *soccer.Ball) float64 {
	if r.commander.player != nil {
		return play.Reach(from, b)
	}
	return b.Position.XY().Sub(from).Len()
}

// fit reports whether the robot may play and knows where it is.
func (r *Robot) fit(now soccer.Time) bool {
	wants := r.commander.player == nil || r.commander.player.Wants()
	return r.percepts.Self.Known && now.Sub(r.percepts.Time) <= poseFor && !r.penalised && wants
}

// handleBooking registers handlers of all messages of the ball booking.
func handleBooking(m *teamcom.Module, receive func(teamcom.From, booking.Message)) {
	teamcom.Handle(m, func(from teamcom.From, c *b3p.Claim) {
		receive(from, booking.Message{Type: b3p.TypeClaim, Claim: *c})
	})
	teamcom.Handle(m, func(from teamcom.From, r *b3p.Release) {
		receive(from, booking.Message{Type: b3p.TypeRelease, Release: *r})
	})
	teamcom.Handle(m, func(from teamcom.From, b *b3p.Belief) {
		receive(from, booking.Message{Type: b3p.TypeBelief, Belief: *b})
	})
}

// receiveBooking passes a message of a teammate to the ball booking, at a time of this robot's clock, and the robot's
// answer to send.
func (r *Robot) receiveBooking(from tcm.Entity, at soccer.Time, m booking.Message, send func(*Message)) {
	b := &r.booker
	if b.protocol == nil || from.Kind != tcm.Robot {
		return
	}
	b.event.Message, b.event.From = m, from.ID
	b.protocol.Step(&b.cfg, at, &b.event, &b.out)
	r.sendBooking(at, r.messages.data[:0], send)
}

// sendBooking passes messages for the teammates to send: those in data, and what the ball booking has just put out.
func (r *Robot) sendBooking(now soccer.Time, data []teamcom.Data, send func(*Message)) {
	for i := range r.booker.out.N {
		data = append(data, dataOf(&r.booker.out.Messages[i]))
	}
	if r.messages.data = data; len(data) > 0 {
		r.messages.out = Message{tcm.Entity{Kind: tcm.Robot}, tcm.GM, now, data}
		send(&r.messages.out)
	}
}

// Leave passes to send the release of the ball of a robot whose program ends, if it has the ball booked.
func (r *Robot) Leave(now soccer.Time, send func(*Message)) {
	b := &r.booker
	if r.booked(now) != r.cfg.Number {
		return
	}
	b.event = booking.Event{View: booking.View{Reason: b3p.Leaving}}
	b.protocol.Step(&b.cfg, now, &b.event, &b.out)
	r.sendBooking(now, r.messages.data[:0], send)
}

// setBooking sets what a robot believes about the booking at time now.
func (b *booker) setBooking(now soccer.Time, to *soccer.Booking) {
	*to = soccer.Booking{}
	if b.protocol == nil {
		return
	}
	known := b.protocol.Booking(&b.cfg, now)
	*to = soccer.Booking{
		Protocol: b.name, Booker: known.Booker, Distance: known.Distance, Timestamp: known.Timestamp, Epoch: known.Epoch,
		Sequence: known.Sequence, Left: known.Left, Own: known.Own, Ignored: soccer.RobotSet(known.Ignored),
	}
}
