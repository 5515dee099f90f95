package vss

import (
	"fmt"
	"net/netip"
	"slices"
)

// reason says why something was not obeyed.
type reason uint8

const (
	unknownRobot reason = iota
	notANumber
	infinite
	switchedOff
	outside
	notPlace
	tooFast
	tooLate
	noPacket
	tooMany
	allReasons int = iota
)

// reasonTexts are what the page and the log call them.
var reasonTexts = [allReasons]string{
	unknownRobot: "no such robot",
	notANumber:   "wheel speed is not a number",
	infinite:     "infinite wheel speed",
	switchedOff:  "command to a robot that is off",
	outside:      "placement outside the field",
	notPlace:     "placement that is no finite number",
	tooFast:      "ball placed too fast",
	tooLate:      "too much under way with this latency",
	noPacket:     "not a packet",
	tooMany:      "too many packets from one sender",
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

func (s *Session) refuse(why reason, what refusal) {
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
	from := sourceName(r.from)
	switch team := teams[0]; {
	case r.robot == nobody:
		return "from " + from
	case r.robot == theBall:
		return fmt.Sprintf("ball (%g, %g) from %s", r.x, r.y, from)
	default:
		if r.yellow {
			team = teams[1]
		}
		return fmt.Sprintf("%s %d (%g, %g) from %s", team, r.id, r.x, r.y, from)
	}
}

// sourceName returns how the page calls a sender.
func sourceName(from netip.AddrPort) string {
	if !from.IsValid() {
		return builtin
	}
	return from.String()
}

// builtin is who speaks from within this program.
const builtin = "builtin"

// Refused returns what was not obeyed and why, in the order of first times.
func (s *Session) Refused() []ShowCount {
	all := make([]ShowCount, 0, len(s.reasons))
	for _, why := range s.reasons {
		r := &s.refused[why]
		all = append(all, ShowCount{reasonTexts[why], r.count, r.words()})
	}
	return slices.Clip(all)
}
