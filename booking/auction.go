package booking

import (
	"touchline/soccer"
	"touchline/wire/b3p"
)

// Auction is the consensus-based bundle algorithm for one task, for comparison: a robot bids when its bid is better
// than the winning one that it knows, sends what it knows, and merges what it hears by the rules of CBBA, table I. The
// task is the ball, a bid is the distance, and the smaller distance wins; of equal ones that of the lower id.
//
// CBBA leaves open what follows; Auction decides it in favour of the algorithm.
//   - The distances change: the winner replaces its bid in each control period.
//   - A time stamp is the time at which the robot itself sent what is known of it, by its own clock. They are exact and
//     need no common clock. CBBA takes the time of reception.
//   - A robot whose time stamp has not changed for Config.Lease has left the team, and its bid is void.
//   - A robot sends what it knows each Config.Renewal, and at once when it knows of another winner.
type Auction struct {
	Winner   uint8  // the robot that wins the ball, as this robot knows; 0: none
	Distance uint16 // mm, its bid
	Stamps   [MaxMembers]Stamp
	OwnDistance
	told  uint8 // the winner that was sent last
	began bool
	due   soccer.Time
}

// Stamp is the newest time of a robot that another one knows of. It is indexed as State.Mates.
type Stamp struct {
	Millis uint32      // of the robot's own clock; 0: nothing is known
	At     soccer.Time // when it changed
}

// TypeBid is the type of a message that holds a Bid. It is not on the wire: no robot uses Auction.
const TypeBid uint16 = 1<<16 - 1

// Bid is what a robot knows about the auction.
type Bid struct {
	Winner   uint8  // 0: none
	Distance uint16 // mm, the winner's bid
	Millis   [MaxMembers]uint32
}

// Step carries out one event at time now of the robot's own clock, and sets out to what the robot sends.
func (a *Auction) Step(c *Config, now soccer.Time, e *Event, out *Output) {
	*out = Output{}
	if !a.began {
		a.began, a.Own, a.due = true, b3p.Unknown, now
	}
	if m := &e.Message; m.Type != 0 {
		if m.Type == TypeBid && c.member(e.From) && e.From != c.Self && (m.Bid.Winner == 0 || c.member(m.Bid.Winner)) {
			a.merge(c, now, e.From, &m.Bid)
		}
		return
	}
	a.see(c, now, &e.View)
	a.bid(c, now)
	if a.due <= now || a.told != a.Winner {
		a.due, a.told = now.Add(c.Renewal), a.Winner
		out.send(a.message(c, now))
	}
}

// bid bids for the ball if this robot can win it.
func (a *Auction) bid(c *Config, now soccer.Time) {
	if a.Winner != 0 && a.Winner != c.Self && now.Sub(a.Stamps[c.Index(a.Winner)].At) >= c.Lease {
		a.reset()
	}
	own := a.exact()
	switch {
	case own != b3p.Unknown && (a.Winner == c.Self || a.better(c.Self, own)):
		a.Winner, a.Distance = c.Self, own
	case a.Winner == c.Self:
		a.reset()
	}
}

func (a *Auction) reset() { a.Winner, a.Distance = 0, 0 }

// better reports whether a bid beats the known one.
func (a *Auction) better(robot uint8, distance uint16) bool {
	return a.Winner == 0 || distance < a.Distance || distance == a.Distance && robot < a.Winner
}

// decision is what a receiver does with the sender's winner.
type decision int

const (
	leave decision = iota
	update
	reset
)

// merge merges what a mate knows.
func (a *Auction) merge(c *Config, now soccer.Time, from uint8, b *Bid) {
	switch a.decide(c, from, b) {
	case update:
		a.Winner, a.Distance = b.Winner, b.Distance
	case reset:
		a.reset()
	}
	for i := range a.Stamps {
		if s := &a.Stamps[i]; i != c.Index(c.Self) && fresher(b.Millis[i], s.Millis) {
			*s = Stamp{b.Millis[i], now}
		}
	}
}

// decide applies the rules of CBBA, table I, for sender k = from and receiver i = c.Self.
func (a *Auction) decide(c *Config, from uint8, b *Bid) decision {
	knows := func(robot uint8) bool { // the sender knows more recent news of a third robot
		return fresher(b.Millis[c.Index(robot)], a.Stamps[c.Index(robot)].Millis)
	}
	when := func(condition bool, d decision) decision {
		if condition {
			return d
		}
		return leave
	}
	if !knows(from) {
		return leave // overtaken or duplicated: CBBA supposes messages in order
	}
	switch b.Winner {
	case from:
		switch a.Winner {
		case c.Self:
			return when(a.better(from, b.Distance), update)
		case from, 0:
			return update
		}
		return when(knows(a.Winner) || a.better(from, b.Distance), update)
	case c.Self:
		switch a.Winner {
		case c.Self, 0:
			return leave
		case from:
			return reset
		}
		return when(knows(a.Winner), reset)
	case 0:
		switch a.Winner {
		case c.Self, 0:
			return leave
		case from:
			return update
		}
		return when(knows(a.Winner), update)
	}
	return a.third(c, from, b, knows)
}

// third applies the rules for a winner that is neither the sender nor the receiver.
func (a *Auction) third(c *Config, from uint8, b *Bid, knows func(uint8) bool) decision {
	newest := knows(b.Winner)
	switch a.Winner {
	case c.Self:
		if newest && a.better(b.Winner, b.Distance) {
			return update
		}
	case from:
		if newest {
			return update
		}
		return reset
	case b.Winner, 0:
		if newest {
			return update
		}
	default:
		switch {
		case newest && (knows(a.Winner) || a.better(b.Winner, b.Distance)):
			return update
		case knows(a.Winner) && fresher(a.Stamps[c.Index(b.Winner)].Millis, b.Millis[c.Index(b.Winner)]):
			return reset
		}
	}
	return leave
}

// fresher reports whether the time a is after b. Nothing is known at 0.
func fresher(a, b uint32) bool { return a != 0 && (b == 0 || newer(a, b)) }

// message returns what the robot knows.
func (a *Auction) message(c *Config, now soccer.Time) Message {
	m := Message{Type: TypeBid, Bid: Bid{Winner: a.Winner, Distance: a.Distance}}
	for i := range a.Stamps {
		m.Bid.Millis[i] = a.Stamps[i].Millis
	}
	m.Bid.Millis[c.Index(c.Self)] = max(1, uint32(now/1e6))
	return m
}

// Booking returns the winner that the robot knows at time now.
func (a *Auction) Booking(c *Config, now soccer.Time) Booking {
	b := Booking{Own: a.metres()}
	switch a.Winner {
	case 0:
		return b
	case c.Self:
		b.Timestamp, b.Left = now, c.Lease
	default:
		b.Timestamp = a.Stamps[c.Index(a.Winner)].At
		b.Left = max(0, c.Lease-now.Sub(b.Timestamp))
	}
	if b.Booked = b.Left > 0; b.Booked {
		b.Booker, b.Distance = a.Winner, float64(a.Distance)/1000
	}
	return b
}
