package vss

import (
	"fmt"
	"net/netip"
	"slices"
)

// Reason is why a command or a placement had no effect.
type Reason uint8

// The reasons. A Session finds most of them itself; NotAPacket and TooManyPackets come from its server through Refuse.
const (
	unknownRobot Reason = iota
	notANumber
	infinite
	switchedOff
	OutsideField
	notPlace
	tooFast
	queueFull
	NotAPacket
	TooManyPackets
	fourWheels
	allReasons int = iota
)

var reasonTexts = [allReasons]string{
	unknownRobot:   "no such robot",
	notANumber:     "wheel speed is not a number",
	infinite:       "infinite wheel speed",
	switchedOff:    "command to a switched-off robot",
	OutsideField:   "placement outside the field",
	notPlace:       "placement is not a finite number",
	tooFast:        "ball placed too fast",
	queueFull:      "too many packets in flight at this latency",
	NotAPacket:     "packet cannot be decoded",
	TooManyPackets: "too many packets from one sender",
	fourWheels:     "grSim's speeds of four wheels; send veltangent and velangular",
}

// String returns the reason in the words of the page and the log.
func (r Reason) String() string { return reasonTexts[r] }

// Refuse counts a packet of a sender that was dropped before it reached the session.
func (s *Session) Refuse(why Reason, from netip.AddrPort) {
	s.refuse(why, refusal{from: from, robot: wholePacket})
}

// Values of refusal.robot other than indices of robots.
const (
	wholePacket = -2
	theBall     = -3
)

// refusal is the last refused item for one reason, and their number. It becomes text only when it is shown, so that a
// flood costs little.
type refusal struct {
	count  uint64
	from   netip.AddrPort
	robot  int // index in Session.robots; -1: an unknown robot; wholePacket; theBall
	id     uint32
	yellow bool
	x, y   float64
}

func (s *Session) refuse(why Reason, what refusal) {
	if s.refused[why].count == 0 {
		s.reasons = append(s.reasons, why)
	}
	what.count = s.refused[why].count + 1
	if what.robot >= 0 { // id and team follow from the index
		what.yellow, what.id = what.robot >= s.cfg.Robots, uint32(what.robot%s.cfg.Robots)
	}
	s.refused[why] = what
}

// words describes the refused item.
func (r *refusal) words() string {
	from := sourceName(r.from)
	switch team := Teams[0]; {
	case r.robot == wholePacket:
		return "from " + from
	case r.robot == theBall:
		return fmt.Sprintf("ball (%g, %g) from %s", r.x, r.y, from)
	default:
		if r.yellow {
			team = Teams[1]
		}
		return fmt.Sprintf("%s %d (%g, %g) from %s", team, r.id, r.x, r.y, from)
	}
}

// sourceName returns the name of a sender on the page.
func sourceName(from netip.AddrPort) string {
	if !from.IsValid() {
		return Builtin
	}
	return from.String()
}

// Builtin is the name of the built-in teams and the built-in referee as senders.
const Builtin = "builtin"

// Refused returns the reasons of refusals with their counts, in the order in which they first occurred.
func (s *Session) Refused() []ShowCount {
	all := make([]ShowCount, 0, len(s.reasons))
	for _, why := range s.reasons {
		r := &s.refused[why]
		all = append(all, ShowCount{reasonTexts[why], r.count, r.words()})
	}
	return slices.Clip(all)
}
