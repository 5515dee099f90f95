package match

import "fmt"

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
	s.mark("mirror", number, fmt.Sprintf(text, number))
	return nil
}

func (s *Session) mirrored(number uint8) bool {
	i := s.slot(number)
	return i >= 0 && s.slots[i].mirrored
}
