package match

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// refereePeriod is the time between two messages with the state of the game to the robots.
const refereePeriod = 200 * time.Millisecond

// Crash ends the software of a robot at once, without a word to its teammates. It starts again after 3 s with a blank
// memory, or when the robot is switched on. Crash reports an error for a robot whose software runs outside the session.
func (s *Session) Crash(number uint8) error {
	i := s.slot(number)
	if i < 0 {
		return errNotOnField(number)
	}
	if s.slots[i].robot == nil {
		return fmt.Errorf("match: robot %d has no software in the session that could crash", number)
	}
	s.stop(i)
	at := s.now
	s.slots[i].crashed = at
	s.Note("crash", number, fmt.Sprintf("%d crashed", number))
	s.after(restartAfter, func() {
		here := &s.slots[i]
		if here.crashed == at && !here.off && here.robot == nil && here.outside == nil && s.members[here.member].Number == number {
			_ = s.Switch(number, true) // it is on the field
		}
	})
	return nil
}

// Penalise tells the robots that the referee has sent one of them off, or lets it play again: it stays where it is and
// does not play. The team's station repeats this to all robots over the TCM.
func (s *Session) Penalise(number uint8, on bool) error {
	if s.slot(number) < 0 {
		return errNotOnField(number)
	}
	if s.penalised.Has(number) == on {
		return nil
	}
	s.penalised ^= soccer.RobotSet(0).With(number)
	s.decisions++
	text := "%d penalised"
	if !on {
		text = "%d plays again"
	}
	s.Note("penalise", number, fmt.Sprintf(text, number))
	s.refer()
	return nil
}

// refer sends the state of the game to the robots. The practical session is no game: robots move, and operators may
// drive them.
func (s *Session) refer() {
	if s.radio == nil {
		return
	}
	s.radio.Refer(&team.Referee{State: team.Running, Part: team.BeforeGame, Sequence: s.decisions, Out: uint64(s.penalised)})
}

// Partition lets nothing pass between these robots and the others, neither packages nor messages; without robots it
// heals the network. Computers reach all robots.
func (s *Session) Partition(robots []uint8) error {
	var side soccer.RobotSet
	var names []string
	for _, number := range robots {
		if number < 1 || number > maxMembers {
			return fmt.Errorf("match: partition: robot %d: want 1 to %d", number, maxMembers)
		}
		side = side.With(number)
		names = append(names, fmt.Sprint(number))
	}
	if side == s.side {
		return nil
	}
	if s.side = side; side == 0 {
		s.Note("heal", 0, "all robots reach each other again")
		return nil
	}
	s.Note("partition", 0, fmt.Sprintf("%s cut off from the other robots", strings.Join(names, ", ")))
	return nil
}

// Apart returns the robots of which nothing reaches a robot because of the partition.
func (s *Session) Apart(number uint8) (set soccer.RobotSet) {
	for n := uint8(1); n <= maxMembers; n++ {
		if s.apart(number, n) {
			set = set.With(n)
		}
	}
	return set
}

// apart reports whether a partition lies between two robots.
func (s *Session) apart(a, b uint8) bool { return s.side != 0 && s.side.Has(a) != s.side.Has(b) }

// apartTCM is apart for the entities of the TCM.
func (s *Session) apartTCM(a, b tcm.Entity) bool {
	return a.Kind == tcm.Robot && b.Kind == tcm.Robot && s.apart(a.ID, b.ID)
}

// sends returns the number of the robot that sends packages from an address, 0 for others.
func (s *Session) sends(from netip.AddrPort) uint8 {
	for number := uint8(1); number <= maxMembers; number++ {
		if s.addrs[number] == from {
			return number
		}
	}
	return 0
}

// Mirror lets the self-localisation of a robot take one half of the field for the other, or heals it: both halves look
// alike. What the robot sees lies mirrored at the centre, too, until it is healed, switched off or replaced.
func (s *Session) Mirror(number uint8, on bool) error {
	i := s.slot(number)
	if i < 0 {
		return errNotOnField(number)
	}
	at := &s.slots[i]
	if at.robot == nil && at.outside == nil {
		return fmt.Errorf("match: robot %d is switched off", number)
	}
	if at.mirrored == on {
		return nil
	}
	at.mirrored = on
	text := "pose of %d mirrored"
	if !on {
		text = "pose of %d right again"
	}
	s.Note("mirror", number, fmt.Sprintf(text, number))
	return nil
}
