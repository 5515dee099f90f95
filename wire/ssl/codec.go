package ssl

import (
	"errors"
	"fmt"

	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// ErrMalformed is the error for bytes that are not a protobuf message: truncated, a varint of more than ten bytes, an
// invalid field number, a group without its end. Check reports the position.
var ErrMalformed = errors.New("ssl: not a protobuf message")

// malformed returns the error for a negative length.
func malformed(n int) error {
	if err := protobuf.Malformed(n); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// UnmarshalBinary decodes a Vision. It accepts any value, including NaN and invalid ids, and messages without required
// values, and reuses m's memory. The error is ErrMalformed for bytes that are not a protobuf message; m then holds the
// values before the error.
func (m *Vision) UnmarshalBinary(b []byte) error { return malformed((*sslvision.Wrapper)(m).Decode(b)) }

// UnmarshalBinary decodes a Tracker, like that of Vision.
func (m *Tracker) UnmarshalBinary(b []byte) error {
	*m = Tracker{UUID: m.UUID[:0], SourceName: m.SourceName[:0],
		Frame: TrackedFrame{Balls: m.Frame.Balls[:0], Robots: m.Frame.Robots[:0]}}
	return malformed(mergeTracker(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a Referee, like that of Vision.
func (m *Referee) UnmarshalBinary(b []byte) error {
	y, u := &m.Yellow, &m.Blue
	*m = Referee{Source: m.Source[:0], StatusMessage: m.StatusMessage[:0],
		Yellow: TeamInfo{Name: y.Name[:0], YellowCardTimes: y.YellowCardTimes[:0]},
		Blue:   TeamInfo{Name: u.Name[:0], YellowCardTimes: u.YellowCardTimes[:0]}}
	return malformed(mergeReferee(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a SimulatorCommand, like that of Vision.
func (m *SimulatorCommand) UnmarshalBinary(b []byte) error {
	m.reset()
	return malformed(mergeSimulatorCommand(m, b, &m.Dropped))
}

func (m *SimulatorCommand) reset() {
	g := &m.Geometry
	*m = SimulatorCommand{Robots: m.Robots[:0], Specs: m.Specs[:0], Realism: m.Realism[:0],
		Geometry: Geometry{Lines: g.Lines[:0], Arcs: g.Arcs[:0]}}
}

// UnmarshalBinary decodes a SimulatorResponse, like that of Vision.
func (m *SimulatorResponse) UnmarshalBinary(b []byte) error {
	*m = SimulatorResponse{Errors: m.Errors[:0]}
	return malformed(mergeSimulatorResponse(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a RobotControl, like that of Vision.
func (m *RobotControl) UnmarshalBinary(b []byte) error {
	*m = RobotControl{Commands: m.Commands[:0]}
	return malformed(mergeRobotControl(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a RobotControlResponse, like that of Vision.
func (m *RobotControlResponse) UnmarshalBinary(b []byte) error {
	*m = RobotControlResponse{Errors: m.Errors[:0], Feedback: m.Feedback[:0]}
	return malformed(mergeRobotControlResponse(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a SyncRequest, like that of Vision.
func (m *SyncRequest) UnmarshalBinary(b []byte) error {
	m.Command.reset()
	*m = SyncRequest{Command: m.Command, Robots: RobotControl{Commands: m.Robots.Commands[:0]}}
	return malformed(mergeSyncRequest(m, b, &m.Dropped))
}

// UnmarshalBinary decodes a SyncResponse, like that of Vision.
func (m *SyncResponse) UnmarshalBinary(b []byte) error {
	r := &m.Robots
	*m = SyncResponse{Detections: m.Detections[:0],
		Robots: RobotControlResponse{Errors: r.Errors[:0], Feedback: r.Feedback[:0]}}
	return malformed(mergeSyncResponse(m, b, &m.Dropped))
}

// AppendBinary appends the encoding of m to b, with the bytes of protobuf's deterministic encoders. It refuses messages
// with issues of Check other than notes.
func (m *Vision) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := sslvision.AppendWrapper(b, (*sslvision.Wrapper)(m))
	return KindVision.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *Tracker) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendTracker(b, m)
	return KindTracker.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *Referee) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendReferee(b, m)
	return KindReferee.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *SimulatorCommand) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendSimulatorCommand(b, m)
	return KindSimulatorCommand.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *SimulatorResponse) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendSimulatorResponse(b, m)
	return KindSimulatorResponse.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *RobotControl) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendRobotControl(b, m)
	return KindRobotControl.finish(b, start, valid && m.single())
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *RobotControlResponse) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendRobotControlResponse(b, m)
	return KindRobotControlResponse.finish(b, start, valid)
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *SyncRequest) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendSyncRequest(b, m)
	return KindSyncRequest.finish(b, start, valid && m.Robots.single())
}

// AppendBinary appends the encoding of m to b, like that of Vision.
func (m *SyncResponse) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, valid := appendSyncResponse(b, m)
	return KindSyncResponse.finish(b, start, valid)
}

// single reports whether no command moves its robot in several ways.
func (m *RobotControl) single() bool {
	for i := range m.Commands {
		if m.Commands[i].ways() > 1 {
			return false
		}
	}
	return true
}

// ways returns the number of ways in which c moves its robot.
func (c *RobotCommand) ways() (n int) {
	for _, has := range [...]bool{c.HasWheels, c.HasLocal, c.HasGlobal} {
		if has {
			n++
		}
	}
	return n
}

// finish returns b, or the first violation of the message that begins at start and b without that message.
func (k Kind) finish(b []byte, start int, valid bool) ([]byte, error) {
	if valid {
		return b, nil
	}
	for _, issue := range Check(k, b[start:]) {
		if !issue.Note {
			return b[:start], errors.New("ssl: " + issue.String())
		}
	}
	return b, nil
}
