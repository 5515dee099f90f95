package teamcom

import "touchline/wire/tcm"

// Options describe how messages of one type travel. They hold for messages that a node sends and for those that it
// receives.
type Options struct {
	Socket tcm.Socket // the class of outgoing messages
	// LatestWins: only the newest message of a source, module and destination matters. A message that waits to leave is
	// replaced by a newer one, and a receiver gives up an incomplete one when a newer one starts.
	LatestWins bool
	// DropOldest: where the queue of the class is full, the oldest waiting messages of the type make room for a new one.
	// Without it the new message is refused.
	DropOldest bool
	// Partial: the handlers of HandleBytes receive incomplete messages, too, with the missing ranges.
	Partial bool
	Parity  uint8 // data pieces per parity piece of a large message; 0: no parity
}

// DefaultOptions returns the options of a type: those of the table in docs/teamcom.md, and for a team's own types the
// bulk class without parity.
func DefaultOptions(t tcm.Type) Options {
	switch t {
	case tcm.Belief, tcm.Measurements:
		return Options{Socket: tcm.Robots, LatestWins: true, DropOldest: true}
	case tcm.BookingClaim, tcm.BookingRelease, tcm.BookingBelief:
		return Options{Socket: tcm.Robots, DropOldest: true}
	case tcm.Status, tcm.Debug, tcm.Sense, tcm.Scene:
		return Options{Socket: tcm.Telemetry, LatestWins: true, DropOldest: true}
	case tcm.Motor:
		return Options{Socket: tcm.Command, LatestWins: true, DropOldest: true}
	case tcm.Management, tcm.KickCheck, tcm.LocomotionCheck:
		return Options{Socket: tcm.Telemetry, LatestWins: true, DropOldest: true}
	case tcm.Teleoperation, tcm.Challenge:
		return Options{Socket: tcm.Command, LatestWins: true, DropOldest: true}
	case tcm.Referee, tcm.Directory, tcm.CameraParameter, tcm.Attend, tcm.Request, tcm.Answer:
		return Options{Socket: tcm.Command}
	case tcm.Image:
		return Options{Socket: tcm.Bulk, LatestWins: true, DropOldest: true, Partial: true, Parity: 4}
	case tcm.Overlay:
		return Options{Socket: tcm.Bulk, LatestWins: true, DropOldest: true}
	case tcm.File:
		return Options{Socket: tcm.Bulk, Partial: true, Parity: 4}
	}
	return Options{Socket: tcm.Bulk}
}
