// Package booking is the ball booking protocol (TeamChaos paper, section 4): the robots of a team agree on one of them
// that goes to the ball. State is the protocol of one robot, Step its only transition; robots, simulations and the
// exhaustive check run the same code. docs/booking.md has the state chart, the guarantees and their limits.
//
// The protocol is a lease. A robot that finds the ball free claims it, and renews the claim while it is the booker; the
// others believe a booker until its lease has expired since the newest renewal that they know. Claims are ordered: the
// higher epoch wins, then the smaller claimed distance, then the lower id. All robots compute the same order from the
// numbers in the messages, so two bookers that can reach each other become one.
//
//	rule        when                                               what
//	free        nobody has booked the ball                         claim with the next epoch, the nearest robot first
//	expiry      the lease has expired                              claim with the same epoch
//	silence     all say that they miss the booker's renewals       as expiry, after Silence, the nearest robot first
//	challenge   nearer than the booker by more than Hysteresis     claim with the next epoch
//	held up     its own control periods stopped for Recent         listen first: messages may wait
//	renewal     booker, each Renewal                               claim again, with the next sequence number
//	held back   a renewal that was late on its way                 count the lease from when it was due
//	yield       booker, a claim that beats the own one             believe it
//	answer      a claim that loses, or a belief that is behind     renew, or tell what it believes, at once
//	release     booker, the ball is lost or the robot is unfit     release: the ball is free
//	gossip      not the booker, each Gossip                        tell what it believes, with the age
//
// Only the robot's own clock matters: a lease is counted from the arrival of a renewal. Clocks need not agree.
package booking

import (
	"math/bits"
	"time"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// Config holds the constants of the protocol. All robots of a team need the same.
type Config struct {
	Self    uint8  // id of this robot, 1 to b3p.MaxRobot
	Members uint64 // robots of the team: bit n is robot n. At most MaxMembers

	Renewal    time.Duration // between two renewals of the booker. Default 50 ms
	Change     float64       // m, by which its distance changes before the booker renews at once. Default 0: never
	Gossip     time.Duration // between two beliefs of another robot; 0: it sends none. Default 40 ms
	Jitter     float64       // of Renewal and Gossip, to each side, as a share. Default 0.1
	Lease      time.Duration // without a renewal, after which the ball is free. Default 300 ms: 6 renewals
	Silence    time.Duration // as Lease, if all teammates say that they miss the renewals, too. Default 200 ms
	Recent     time.Duration // without a renewal, after which another robot's renewal is believed. Default 150 ms
	Hysteresis float64       // m, by which a robot must be nearer to take the ball from the booker. Default 0.3
	Dwell      time.Duration // after a change of the booker, before a robot takes the ball. Default 100 ms
	Slot       time.Duration // that a robot waits for each nearer teammate before it claims. Default 30 ms
	Repeats    uint8         // times that a new claim and a release are sent again. Default 2
	Gap        time.Duration // between them. Default 20 ms
	Lost       time.Duration // without the ball, after which the booker releases it. Default 500 ms
	Listen     time.Duration // after the start, before the first claim: a renewal and two latencies. Default 90 ms
	Smoothing  float64       // share of a new distance in the filtered one, each control period of 20 ms. Default 0.2
	Jump       uint32        // largest step of an epoch that a robot believes at once. Default 1000
	Lie        float64       // m, by which a teammate may claim to be nearer than it is seen. Default 1.5
	LieFor     time.Duration // of such claims, after which they are ignored; 0: never. Default 1 s
	Pardon     time.Duration // of claims that fit, after which they are believed again. Default 3 s
	Seed       uint64        // of the jitter. Default 1
}

// MaxMembers is the largest number of robots of a team.
const MaxMembers = 16

// DefaultConfig returns the defaults for a robot of a team.
func DefaultConfig(self uint8, members uint64) Config {
	return Config{
		Self: self, Members: members,
		Renewal: 50 * time.Millisecond, Gossip: 40 * time.Millisecond, Jitter: 0.1,
		Lease: 300 * time.Millisecond, Silence: 200 * time.Millisecond, Recent: 150 * time.Millisecond,
		Hysteresis: 0.3, Dwell: 100 * time.Millisecond, Slot: 30 * time.Millisecond,
		Repeats: 2, Gap: 20 * time.Millisecond, Lost: 500 * time.Millisecond, Listen: 90 * time.Millisecond,
		Smoothing: 0.2, Jump: 1000, Lie: 1.5, LieFor: time.Second, Pardon: 3 * time.Second, Seed: 1,
	}
}

// BudgetConfig returns the constants for a team that may send few messages: 1,200 in a game of 20 minutes, as in the
// Standard Platform League. Only the booker sends, when its distance changes much and otherwise seldom; the others
// neither gossip nor tell their distances. It takes seconds until a crashed booker is replaced.
func BudgetConfig(self uint8, members uint64) Config {
	c := DefaultConfig(self, members)
	c.Renewal, c.Change, c.Gossip = 2200*time.Millisecond, 2, 0
	c.Lease, c.Silence, c.Recent = 5*time.Second, 5*time.Second, 3*time.Second
	c.Hysteresis, c.Dwell, c.Slot, c.Repeats, c.Listen = 0.5, 200*time.Millisecond, 0, 1, 2400*time.Millisecond
	return c
}

// Protocol is what decides which robot goes to the ball. State is the protocol that robots use; Literal, Nearest and
// Auction are the ones with which it is compared.
type Protocol interface {
	// Step carries out one event at time now of the robot's own clock, and sets out to what the robot sends.
	Step(c *Config, now soccer.Time, e *Event, out *Output)
	// Booking returns the booking that the robot believes in at time now.
	Booking(c *Config, now soccer.Time) Booking
}

// State is what a robot knows about the booking. It is a plain value: a copy is a snapshot.
type State struct {
	Booker     uint8       // the robot that booked the ball; 0: none
	Released   uint8       // the robot that gave up the ball, while there is no booker
	Epoch      uint32      // of the booking
	Sequence   uint32      // of the newest renewal
	Claimed    uint16      // mm, the smallest distance that the booker sent
	Advertised uint16      // mm, the newest distance that the booker sent
	Heard      soccer.Time // when the newest renewal was heard, or sent
	Since      soccer.Time // when the booker changed; without a booker, from when the ball may be claimed

	OwnDistance
	Mates   [MaxMembers]Mate
	Ignored uint64 // robots whose claims contradict what this robot sees: bit n is robot n
	Counts  Counts

	began    bool
	replaced bool        // the booker took the ball by expiry: within the epoch of another one
	learnt   bool        // an epoch of the team
	late     bool        // the newest renewal was held back
	ready    soccer.Time // until when the robot listens
	due      soccer.Time // the next renewal or belief
	claimed  soccer.Time // when the robot sent its newest claim
	acted    soccer.Time // the newest control period
	repeats  uint8       // of the last claim or release that are still to be sent
	reason   b3p.Reason  // of the release
	sequence uint32      // newest that the robot sent or heard
	random   uint64
	strange  struct {
		from  uint8
		epoch uint32
		since soccer.Time
	} // a claim whose epoch is far from the team's
	clock, behind soccer.Time // the newest time, and what is added to a clock that ran backwards
}

// OwnDistance is the distance of the robot itself to the ball.
type OwnDistance struct {
	Own      uint16      // mm, filtered, in steps of 50 mm; b3p.Unknown: it cannot play the ball
	SeenAt   soccer.Time // when the robot saw the ball
	distance float64     // m, filtered
}

// Mate is what a robot knows about a teammate's distance. Config.Index is its place.
type Mate struct {
	Own    uint16      // mm, as it says; b3p.Unknown: it cannot play the ball
	At     soccer.Time // when it was heard; 0: never
	misses uint8       // the booker whose renewals it has not heard for Recent, as it says; 0: none
	books  bool        // its newest message was a claim: it has booked the ball
	lied   soccer.Time // when it last told of a booking that its booker does not make; 0: never
	turned soccer.Time // since when it contradicts what this robot sees or, ignored, since when it fits; 0: not
}

// Counts say how many messages were left out, and why.
type Counts struct {
	Stranger uint32 // from a robot outside the team, or about one
	Twin     uint32 // from another robot with the own id
	Absurd   uint32 // with a distance that no field has, or in another robot's name
	Jump     uint32 // with an epoch far from the team's
	Lie      uint32 // from a robot whose claims contradict what this robot sees
	Old      uint32 // replayed, duplicated or overtaken
	Backward uint32 // times that the clock ran backwards
}

// Event is what happens to a robot: the end of a control period, or a message.
type Event struct {
	Message Message // of robot From; its type 0: the end of a control period
	From    uint8
	View    View // at the end of a control period
}

// Message is one message of the protocol. Only the part that Type names is set.
type Message struct {
	Type    uint16 // b3p.TypeClaim, TypeRelease or TypeBelief, or TypeBid; 0: none
	Claim   b3p.Claim
	Release b3p.Release
	Belief  b3p.Belief
	Bid     Bid // of Auction
}

// View is what a robot knows at the end of a control period.
type View struct {
	Known    bool       // the ball's position
	Distance float64    // m, from the robot to the ball
	Fit      bool       // it may and can play: not penalised, not fallen, localised
	Reason   b3p.Reason // why it is unfit
	// Seen are the distances of the members to the ball in m, as this robot believes both; 0: unknown. Config.Index is
	// the place of a member.
	Seen [MaxMembers]float64
	// Hidden are the members whose place nobody has told this robot: bit n is robot n. Their claims cannot be checked.
	Hidden uint64
}

// Output is what a robot sends after an event.
type Output struct {
	Messages [2]Message
	N        int
}

func (o *Output) send(m Message) {
	o.Messages[o.N] = m
	o.N++
}

// Booking is the booking of the ball in the paper's four variables, and the lease.
type Booking struct {
	Booked    bool          // a robot has booked the ball
	Booker    uint8         // that robot; 0: none
	Distance  float64       // m, from the booker to the ball, as the booker sent it
	Timestamp soccer.Time   // local time of the booking or its newest renewal
	Epoch     uint32        // of the lease
	Sequence  uint32        // of the newest renewal
	Left      time.Duration // until the lease expires; 0: expired
	Own       float64       // m, from this robot to the ball; 0: unknown
	Ignored   uint64        // robots whose claims contradict what this robot sees: bit n is robot n
}

// Booking returns the booking that the robot believes in at time now. An expired booking counts as none.
func (s *State) Booking(c *Config, now soccer.Time) Booking {
	b := Booking{Booker: s.Booker, Timestamp: s.Heard, Epoch: s.Epoch, Sequence: s.Sequence, Own: s.metres(),
		Ignored: s.Ignored}
	if s.Booker != 0 {
		b.Left = max(0, c.Lease-(now+s.behind).Sub(s.Heard))
		b.Distance = float64(s.Advertised) / 1000
	}
	if b.Booked = b.Left > 0; !b.Booked {
		b.Booker, b.Distance = 0, 0
	}
	return b
}

// Index returns the place of a member in State.Mates and View.Seen: how many members have a lower id.
func (c *Config) Index(robot uint8) int { return bits.OnesCount64(c.Members & (1<<robot - 1)) }

// member reports whether a robot is one of the team.
func (c *Config) member(robot uint8) bool {
	return robot > 0 && robot <= b3p.MaxRobot && c.Members>>robot&1 == 1 && c.Index(robot) < MaxMembers
}
