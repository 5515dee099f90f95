package vss

import (
	"fmt"
	"net/netip"
	"slices"
)

// Reason says why something was not obeyed.
type Reason uint8

// The reasons. A Session finds most of them itself; NotAPacket and TooManyPackets come from its shell, see Refuse.
const (
	unknownRobot Reason = iota
	notANumber
	infinite
	switchedOff
	OutsideField
	notPlace
	tooFast
	tooLate
	NotAPacket
	TooManyPackets
	allReasons int = iota
)

var reasonTexts = [allReasons]string{
	unknownRobot:   "no such robot",
	notANumber:     "wheel speed is not a number",
	infinite:       "infinite wheel speed",
	switchedOff:    "command to a robot that is off",
	OutsideField:   "placement outside the field",
	notPlace:       "placement that is no finite number",
	tooFast:        "ball placed too fast",
	tooLate:        "too much under way with this latency",
	NotAPacket:     "not a packet",
	TooManyPackets: "too many packets from one sender",
}

// String returns the reason as the page and the log call it.
func (r Reason) String() string { return reasonTexts[r] }

// Refuse counts a packet of a sender that was dropped before it reached the session.
func (s *Session) Refuse(why Reason, from netip.AddrPort) {
	s.refuse(why, refusal{from: from, robot: nobody})
}

// What a refusal is about, if it is no robot.
const (
	nobody  = -2
	theBall = -3
)

// refusal is what was refused last for one reason, and how often. It is put into words only when somebody looks: a flood
// must cost nothing.
type refusal struct {
	count  uint64
	from   netip.AddrPort
	robot  int // index of the session's robots; -1 for an unknown one, nobody, or theBall
	id     uint32
	yellow bool
	x, y   float64
}

func (s *Session) refuse(why Reason, what refusal) {
	if s.refused[why].count == 0 {
		s.reasons = append(s.reasons, why)
	}
	what.count = s.refused[why].count + 1
	if what.robot >= 0 { // the engine refused it: the robot says who
		what.yellow, what.id = what.robot >= s.cfg.Robots, uint32(what.robot%s.cfg.Robots)
	}
	s.refused[why] = what
}

// words says what was refused.
func (r *refusal) words() string {
	from := SourceName(r.from)
	switch team := Teams[0]; {
	case r.robot == nobody:
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

// SourceName returns how the page calls a sender.
func SourceName(from netip.AddrPort) string {
	if !from.IsValid() {
		return Builtin
	}
	return from.String()
}

// Builtin is who speaks from within this program.
const Builtin = "builtin"

// Refused returns what was not obeyed and why, in the order of first times.
func (s *Session) Refused() []ShowCount {
	all := make([]ShowCount, 0, len(s.reasons))
	for _, why := range s.reasons {
		r := &s.refused[why]
		all = append(all, ShowCount{reasonTexts[why], r.count, r.words()})
	}
	return slices.Clip(all)
}
