package mixedteam

import (
	"encoding/binary"
	"fmt"
	"slices"

	"touchline/wire"
)

// Ball is one ball candidate.
type Ball struct {
	XMillimetres           int16 // Unused in X or Y: no candidate
	YMillimetres           int16
	ZMillimetres           int16
	VXMillimetresPerSecond int16
	VYMillimetresPerSecond int16
	VZMillimetresPerSecond int16
	Confidence             uint8 // 1..255; 0: unknown
}

// Obstacle is one obstacle of v2.
type Obstacle struct {
	XMillimetres           int16
	YMillimetres           int16
	VXMillimetresPerSecond int16
	VYMillimetresPerSecond int16
	Confidence             uint8
}

// Position is a position alone: an obstacle or the self-localisation of v1.
type Position struct {
	XMillimetres int16
	YMillimetres int16
	Confidence   uint8
}

// Self is the self-localisation of v2.
type Self struct {
	XMillimetres                int16
	YMillimetres                int16
	ThetaMilliradians           int16
	VXMillimetresPerSecond      int16
	VYMillimetresPerSecond      int16
	VThetaMilliradiansPerSecond int16
	Confidence                  uint8
}

// PackageV1 is the package of the Practical Session 2014. It has neither timestamp nor team.
type PackageV1 struct {
	RobotID   uint8 // jersey number 1..6
	Balls     [3]Ball
	Obstacles [10]Position
	Self      Position
}

// PackageV2 is the package of Mixed Team Package v2.
type PackageV2 struct {
	TimestampMillis uint32 // time since the start of the half, from the referee box
	TeamColor       uint8  // 0 cyan, 1 magenta
	OriginalTeamID  uint8  // last octet of the team's multicast group
	RobotID         uint8  // jersey number 1..6
	Balls           [3]Ball
	Obstacles       [12]Obstacle
	Self            Self
}

// PackagePadded is v2 with the padding of a C compiler (Falcons). Self.ThetaMilliradians is measured from X. Padding is
// encoded as zeros and skipped in decoding.
type PackagePadded struct {
	PackageV2
}

// Four and two int16 with the value Unused.
const (
	unused4 uint64 = 0x8000_8000_8000_8000
	unused2 uint32 = 0x8000_8000
)

// hasUnused reports whether one of the four int16 in w is Unused.
func hasUnused(w uint64) bool {
	w ^= unused4
	return (w-0x0001_0001_0001_0001)&^w&unused4 != 0
}

// AppendBinary appends the 96 bytes of m to b. It refuses a package for which Check returns a violation.
func (m *PackageV1) AppendBinary(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, SizeV1)[:n+SizeV1]
	p := (*[SizeV1]byte)(b[n:])
	p[0], p[1] = Flag, m.RobotID
	suspect := m.RobotID-1 > 5
	last := uint8(255)
	for i := range m.Balls {
		o := &m.Balls[i]
		suspect = putBall((*[13]byte)(p[2+13*i:]), o) || suspect ||
			o.Confidence > last || o.Confidence == 0 && o.XMillimetres != Unused
		last = o.Confidence
	}
	last = 255
	for i := range m.Obstacles {
		o := &m.Obstacles[i]
		suspect = putPosition((*[5]byte)(p[41+5*i:]), o) || suspect ||
			o.Confidence > last || o.Confidence == 0 && o.XMillimetres != Unused
		last = o.Confidence
	}
	suspect = putPosition((*[5]byte)(p[91:]), &m.Self) || suspect
	return checked(V1, b, n, suspect)
}

// UnmarshalBinary decodes the first 96 bytes of b. It accepts every value; the error is ErrForeign or wraps
// wire.ErrShort.
func (m *PackageV1) UnmarshalBinary(b []byte) error {
	if err := checkPrefix(b, SizeV1); err != nil {
		return err
	}
	p := (*[SizeV1]byte)(b)
	m.RobotID = p[1]
	for i := range m.Balls {
		getBall((*[13]byte)(p[2+13*i:]), &m.Balls[i])
	}
	for i := range m.Obstacles {
		getPosition((*[5]byte)(p[41+5*i:]), &m.Obstacles[i])
	}
	getPosition((*[5]byte)(p[91:]), &m.Self)
	return nil
}

// AppendBinary appends the 169 bytes of m to b. It refuses a package for which Check returns a violation.
func (m *PackageV2) AppendBinary(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, SizeV2)[:n+SizeV2]
	p := (*[SizeV2]byte)(b[n:])
	p[0], p[1] = Flag, Version
	binary.LittleEndian.PutUint32(p[2:], m.TimestampMillis)
	p[6], p[7], p[8] = m.TeamColor, m.OriginalTeamID, m.RobotID
	suspect := m.TeamColor > 1 || m.RobotID-1 > 5
	for i := range m.Balls {
		suspect = putBall((*[13]byte)(p[9+13*i:]), &m.Balls[i]) || suspect
	}
	for i := range m.Obstacles {
		suspect = putObstacle((*[9]byte)(p[48+9*i:]), &m.Obstacles[i]) || suspect
	}
	suspect = putSelf((*[13]byte)(p[156:]), &m.Self) || suspect
	return checked(V2, b, n, suspect)
}

// UnmarshalBinary decodes the first 169 bytes of b. It accepts every value; the error is ErrForeign or wraps
// wire.ErrShort.
func (m *PackageV2) UnmarshalBinary(b []byte) error {
	if err := checkPrefix(b, SizeV2); err != nil {
		return err
	}
	p := (*[SizeV2]byte)(b)
	m.TimestampMillis = binary.LittleEndian.Uint32(p[2:])
	m.TeamColor, m.OriginalTeamID, m.RobotID = p[6], p[7], p[8]
	for i := range m.Balls {
		getBall((*[13]byte)(p[9+13*i:]), &m.Balls[i])
	}
	for i := range m.Obstacles {
		getObstacle((*[9]byte)(p[48+9*i:]), &m.Obstacles[i])
	}
	getSelf((*[13]byte)(p[156:]), &m.Self)
	return nil
}

// AppendBinary appends the 188 bytes of m to b. It refuses a package for which Check returns a violation, other than
// the layout itself and its version byte 1.
func (m *PackagePadded) AppendBinary(b []byte) ([]byte, error) {
	n := len(b)
	b = slices.Grow(b, SizePadded)[:n+SizePadded]
	p := (*[SizePadded]byte)(b[n:])
	*p = [SizePadded]byte{0: Flag, 1: 1, 8: m.TeamColor, 9: m.OriginalTeamID, 10: m.RobotID}
	binary.LittleEndian.PutUint32(p[4:], m.TimestampMillis)
	suspect := m.TeamColor > 1 || m.RobotID-1 > 5 || m.TimestampMillis == neverSet
	for i := range m.Balls {
		suspect = putBall((*[13]byte)(p[12+14*i:]), &m.Balls[i]) || suspect
	}
	for i := range m.Obstacles {
		suspect = putObstacle((*[9]byte)(p[54+10*i:]), &m.Obstacles[i]) || suspect
	}
	suspect = putSelf((*[13]byte)(p[174:]), &m.Self) || suspect
	return checked(V2Padded, b, n, suspect)
}

// UnmarshalBinary decodes the first 188 bytes of b. It accepts every value; the error is ErrForeign or wraps
// wire.ErrShort.
func (m *PackagePadded) UnmarshalBinary(b []byte) error {
	if err := checkPrefix(b, SizePadded); err != nil {
		return err
	}
	p := (*[SizePadded]byte)(b)
	m.TimestampMillis = binary.LittleEndian.Uint32(p[4:])
	m.TeamColor, m.OriginalTeamID, m.RobotID = p[8], p[9], p[10]
	for i := range m.Balls {
		getBall((*[13]byte)(p[12+14*i:]), &m.Balls[i])
	}
	for i := range m.Obstacles {
		getObstacle((*[9]byte)(p[54+10*i:]), &m.Obstacles[i])
	}
	getSelf((*[13]byte)(p[174:]), &m.Self)
	return nil
}

// checked returns b, or b without the package that begins at n and the violation of a suspect one.
func checked(v Variant, b []byte, n int, suspect bool) ([]byte, error) {
	if suspect {
		if err := firstViolation(v, b[n:]); err != nil {
			return b[:n], err
		}
	}
	return b, nil
}

// checkPrefix returns an error unless b has the flag and holds a package of this size.
func checkPrefix(b []byte, size int) error {
	if len(b) < size {
		return fmt.Errorf("mixedteam: %w: %d bytes of %d", wire.ErrShort, len(b), size)
	}
	if b[0] != Flag {
		return ErrForeign
	}
	return nil
}

// The put functions encode a record and report whether it is suspect, so that AppendBinary must apply the rules. They
// pack four int16 into one word, since one comparison of a word is cheaper than four of its parts. This keeps the
// strict checks cheaper than copying the package.

func putBall(p *[13]byte, o *Ball) bool {
	w := uint64(uint16(o.XMillimetres)) | uint64(uint16(o.YMillimetres))<<16 |
		uint64(uint16(o.ZMillimetres))<<32 | uint64(uint16(o.VXMillimetresPerSecond))<<48
	v := uint32(uint16(o.VYMillimetresPerSecond)) | uint32(uint16(o.VZMillimetresPerSecond))<<16
	binary.LittleEndian.PutUint64(p[:8], w)
	binary.LittleEndian.PutUint32(p[8:12], v)
	p[12] = o.Confidence
	return (hasUnused(w) || hasUnused(uint64(v))) && (w != unused4 || v != unused2 || o.Confidence != 0)
}

func putObstacle(p *[9]byte, o *Obstacle) bool {
	w := uint64(uint16(o.XMillimetres)) | uint64(uint16(o.YMillimetres))<<16 |
		uint64(uint16(o.VXMillimetresPerSecond))<<32 | uint64(uint16(o.VYMillimetresPerSecond))<<48
	binary.LittleEndian.PutUint64(p[:8], w)
	p[8] = o.Confidence
	return hasUnused(w) && (w != unused4 || o.Confidence != 0)
}

func putSelf(p *[13]byte, o *Self) bool {
	w := uint64(uint16(o.XMillimetres)) | uint64(uint16(o.YMillimetres))<<16 |
		uint64(uint16(o.ThetaMilliradians))<<32 | uint64(uint16(o.VXMillimetresPerSecond))<<48
	v := uint32(uint16(o.VYMillimetresPerSecond)) | uint32(uint16(o.VThetaMilliradiansPerSecond))<<16
	binary.LittleEndian.PutUint64(p[:8], w)
	binary.LittleEndian.PutUint32(p[8:12], v)
	p[12] = o.Confidence
	return (hasUnused(w) || hasUnused(uint64(v)) || uint16(o.ThetaMilliradians) > maxTheta) &&
		(w != unused4 || v != unused2 || o.Confidence != 0)
}

func putPosition(p *[5]byte, o *Position) bool {
	v := uint32(uint16(o.XMillimetres)) | uint32(uint16(o.YMillimetres))<<16
	binary.LittleEndian.PutUint32(p[:4], v)
	p[4] = o.Confidence
	return hasUnused(uint64(v)) && (v != unused2 || o.Confidence != 0)
}

func getBall(p *[13]byte, o *Ball) {
	w := binary.LittleEndian.Uint64(p[:8])
	v := binary.LittleEndian.Uint32(p[8:12])
	o.XMillimetres = int16(w)
	o.YMillimetres = int16(w >> 16)
	o.ZMillimetres = int16(w >> 32)
	o.VXMillimetresPerSecond = int16(w >> 48)
	o.VYMillimetresPerSecond = int16(v)
	o.VZMillimetresPerSecond = int16(v >> 16)
	o.Confidence = p[12]
}

func getObstacle(p *[9]byte, o *Obstacle) {
	w := binary.LittleEndian.Uint64(p[:8])
	o.XMillimetres = int16(w)
	o.YMillimetres = int16(w >> 16)
	o.VXMillimetresPerSecond = int16(w >> 32)
	o.VYMillimetresPerSecond = int16(w >> 48)
	o.Confidence = p[8]
}

func getSelf(p *[13]byte, o *Self) {
	w := binary.LittleEndian.Uint64(p[:8])
	v := binary.LittleEndian.Uint32(p[8:12])
	o.XMillimetres = int16(w)
	o.YMillimetres = int16(w >> 16)
	o.ThetaMilliradians = int16(w >> 32)
	o.VXMillimetresPerSecond = int16(w >> 48)
	o.VYMillimetresPerSecond = int16(v)
	o.VThetaMilliradiansPerSecond = int16(v >> 16)
	o.Confidence = p[12]
}

func getPosition(p *[5]byte, o *Position) {
	v := binary.LittleEndian.Uint32(p[:4])
	o.XMillimetres = int16(v)
	o.YMillimetres = int16(v >> 16)
	o.Confidence = p[4]
}
