package check

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// maxTeams is how many teams are judged by the meaning of their messages.
const maxTeams = 8

// squad is a team whose messages are compared.
type squad struct {
	beliefs  Judge
	statuses Judge
	belief   team.Belief // scratch
	status   team.Status
	percepts soccer.Percepts
}

// contents judges the contents of a whole message. Offsets are those in the message.
func (c *DatagramChecker) contents(s *sender, m *Message) []wire.Issue {
	if books(m.Type) {
		issues := b3p.Check(uint16(m.Type), m.Data)
		checked := len(issues)
		issues = append(issues, s.claims.judge(m)...)
		locate(issues[checked:], b3p.Fields(uint16(m.Type), m.Data))
		return issues
	}
	if m.Type < tcm.Belief || m.Type > tcm.Directory {
		return nil // type of another package, or a team's own
	}
	issues := team.Check(uint16(m.Type), m.Data)
	if len(issues) > 0 {
		hint(issues, team.Fields(uint16(m.Type), m.Data))
	}
	if m.Time == 0 || m.From.Entity.Kind != tcm.Robot {
		return issues
	}
	t := found(&c.squads, m.From.Team, maxTeams, func() *squad { return &squad{} })
	if t == nil {
		return issues
	}
	var faults []Fault
	var belief *team.Belief
	switch {
	case m.Type == tcm.Belief && t.belief.UnmarshalBinary(m.Data) == nil:
		t.percepts = soccer.Percepts{Self: t.belief.Self.Localisation(), Balls: t.percepts.Balls[:0]}
		if b := &t.belief.Ball; b.Known && b.Age < maxAge {
			t.percepts.Balls = append(t.percepts.Balls, soccer.Observation{
				Position: soccer.Vec3{X: float64(b.X), Y: float64(b.Y), Z: float64(b.Z)}, Confidence: float64(b.Confidence),
			})
		}
		faults = t.observe(&t.beliefs, m)
		belief = &t.belief
	case m.Type == tcm.Status && t.status.UnmarshalBinary(m.Data) == nil:
		t.percepts = soccer.Percepts{Self: t.status.Self.Localisation(), Balls: t.percepts.Balls[:0]}
		faults = t.observe(&t.statuses, m)
	}
	judged := len(issues)
	if belief != nil {
		issues = judgeVariances(issues, belief)
		issues = append(issues, s.ball.judge(c, s, m, belief)...)
	}
	for i := range faults {
		if issue, ok := faults[i].message(); ok {
			issues = append(issues, issue)
		}
	}
	if len(issues) > judged {
		locate(issues[judged:], team.Fields(uint16(m.Type), m.Data))
	}
	return issues
}

// judgeVariances adds the faults of variances that no robot can have.
func judgeVariances(issues []wire.Issue, b *team.Belief) []wire.Issue {
	const most = 400 // m^2: 20 m, about the length of a field
	for _, v := range [...]struct {
		field string
		used  bool
		value float32
	}{
		{"ball.cov_xx", b.Ball.Known && b.Ball.HasCov, b.Ball.Cov[0]},
		{"ball.cov_yy", b.Ball.Known && b.Ball.HasCov, b.Ball.Cov[4]},
		{"self.cov_xx", b.Self.Known && b.Self.HasCov, b.Self.Cov[0]},
		{"self.cov_yy", b.Self.Known && b.Self.HasCov, b.Self.Cov[3]},
	} {
		issue := wire.Issue{Field: v.field, Source: sourcePayloads}
		switch {
		case !v.used:
			continue
		case v.value == 0:
			issue.Text = "a variance of 0 means an exact position, which teammates trust more than their own cameras: write the " +
				"variance, or leave out the covariance"
		case v.value > most:
			issue.Text = "a variance beyond 400 m^2 means a position that may be anywhere on the field: mark it as unknown, or write " +
				"the variance in m^2"
		default:
			continue
		}
		issues = append(issues, issue)
	}
	return issues
}

// locate sets the offsets of issues by the names of their fields.
func locate(issues []wire.Issue, fields []wire.Field) {
	for i := range issues {
		for _, f := range fields {
			if f.Name == issues[i].Field {
				issues[i].Offset = f.Offset
			}
		}
	}
}

// maxAge is the age in s of a ball that a robot still sees.
const maxAge = 0.5

// observe passes the percepts of a message to a judge, and returns what is wrong with its sender.
func (t *squad) observe(j *Judge, m *Message) []Fault {
	from := soccer.Sender{Color: soccer.NoColor, Robot: m.From.Entity.ID}
	j.Observe(m.Time, &Package{From: from, Percepts: &t.percepts})
	return j.Faults(from, m.Time)
}

// hint adds the likely unit to issues of values out of range.
func hint(issues []wire.Issue, fields []wire.Field) {
	for i := range issues {
		for _, f := range fields {
			if f.Offset != issues[i].Offset || f.Name != issues[i].Field {
				continue
			}
			v, err := strconv.ParseFloat(f.Value, 64)
			switch v = math.Abs(v); {
			case err != nil:
			case f.Unit == "m" && v > 100 && v <= 30_000:
				issues[i].Text += "; it looks like millimetres: write metres"
			case f.Unit == "m/s" && v > 100 && v <= 12_000:
				issues[i].Text += "; it looks like mm/s: write m/s"
			case f.Unit == "rad" && v > math.Pi && v <= 360:
				issues[i].Text += "; it looks like degrees, or like an angle from 0 to 2 pi: write radians from -pi to pi"
			case f.Unit == "rad/s" && v > 100:
				issues[i].Text += "; it looks like degrees a second: write rad/s"
			}
		}
	}
}

// sourcePayloads is the label of the messages' rules.
const sourcePayloads = "TCM payloads"

// frozenBall watches for a ball that is never updated.
type frozenBall struct {
	at     soccer.Vec
	seen   soccer.Time // when the newest message had a ball
	since  soccer.Time // time since which it is at the same place; 0: there is none
	count  int         // messages
	others soccer.Vec  // mean of the other robots' balls then
	known  int         // number of these robots
}

// Bounds of a frozen ball.
const (
	ballStill   = 3 * time.Second
	ballTimes   = 20
	ballMoved   = 1.0 // m, that the other robots' ball moved meanwhile
	othersFresh = 500 * time.Millisecond
)

// judge finds a ball that stays at the same place to the last digit, and is said to be new, while the other robots'
// ball moves.
func (b *frozenBall) judge(c *DatagramChecker, s *sender, m *Message, belief *team.Belief) []wire.Issue {
	if !belief.Ball.Known || belief.Ball.Age >= maxAge {
		b.since = 0
		return nil
	}
	at := soccer.Vec{X: float64(belief.Ball.X), Y: float64(belief.Ball.Y)}
	b.seen = m.Time
	others, known := c.othersBall(s, m.Time)
	if b.since == 0 || at != b.at || known > 0 && b.known == 0 {
		*b = frozenBall{at: at, seen: m.Time, since: m.Time, others: others, known: known}
	}
	b.count++
	still := m.Time.Sub(b.since)
	if still < ballStill || b.count < ballTimes || known == 0 || others.Sub(b.others).Len() < ballMoved {
		return nil
	}
	return []wire.Issue{{Field: "ball.x", Source: sourcePayloads, Text: "the ball has had the same position for " +
		strconv.Itoa(int(still.Seconds())) + " s while the other robots' ball moved: send the newest one, or its age"}}
}

// othersBall returns the mean of the balls of the other robots of a team, and how many there are.
func (c *DatagramChecker) othersBall(s *sender, now soccer.Time) (mean soccer.Vec, n int) {
	for _, o := range c.order {
		if o != s && o.Team == s.Team && o.ball.since != 0 && now.Sub(o.ball.seen) < othersFresh {
			mean = mean.Add(o.ball.at)
			n++
		}
	}
	if n > 0 {
		mean.X, mean.Y = mean.X/float64(n), mean.Y/float64(n)
	}
	return mean, n
}

// sourceBooking is the label of the rules of the ball booking.
const sourceBooking = "Ball booking messages"

// books reports whether a type is one of the ball booking.
func books(t tcm.Type) bool { return t >= tcm.BookingClaim && t <= tcm.BookingBelief }

// claims is what is known of a sender's claims since it started.
type claims struct {
	kind     Kind
	number   uint32 // number of the newest message
	known    bool
	epoch    uint32
	sequence uint32
}

// judge judges whether a message of the ball booking can be true.
func (l *claims) judge(m *Message) (issues []wire.Issue) {
	var claim b3p.Claim
	var release b3p.Release
	var belief b3p.Belief
	fault := func(field, format string, args ...any) {
		issues = append(issues, wire.Issue{Field: field, Source: sourceBooking, Text: fmt.Sprintf(format, args...)})
	}
	booker := uint8(0)
	switch {
	case m.Type == tcm.BookingClaim && claim.UnmarshalBinary(m.Data) == nil:
		booker = claim.Booker
	case m.Type == tcm.BookingRelease && release.UnmarshalBinary(m.Data) == nil:
		booker = release.Booker
	case m.Type == tcm.BookingBelief && belief.UnmarshalBinary(m.Data) == nil:
	default:
		return nil // Check says why
	}
	switch {
	case m.From.Entity.Kind != tcm.Robot:
		fault("", "%v sends a %v: only robots book the ball", m.From.Entity, m.Type)
		return issues
	case m.Type == tcm.BookingBelief:
		return nil
	case booker != m.From.Entity.ID:
		fault("booker", "robot %d, but %v is the sender: a robot books the ball only for itself, and receivers drop the rest",
			booker, m.From.Entity)
		return issues
	case m.Type == tcm.BookingRelease:
		return nil
	}
	if l.known && l.kind == m.Kind && int32(m.Number-l.number) < 0 {
		return nil // overtaken on the way
	}
	if l.known && int32(claim.Epoch-l.epoch) < 0 {
		fault("epoch", "falls from %d to %d without a restart: receivers take the claim for an old one; use the newest epoch "+
			"that was heard, or the next", l.epoch, claim.Epoch)
	}
	if l.known && int32(claim.Sequence-l.sequence) < 0 {
		fault("sequence", "falls from %d to %d without a restart: receivers take the claim for an old one; advance it by 1 with "+
			"each renewal, also in the next booking", l.sequence, claim.Sequence)
	}
	*l = claims{m.Kind, m.Number, true, claim.Epoch, claim.Sequence}
	return issues
}
