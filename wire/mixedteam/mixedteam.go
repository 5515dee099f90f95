// Package mixedteam encodes and decodes the Mixed Team Package of the Middle Size League: what one robot perceived, in
// one datagram to 224.16.32.75:2005 that robots of all teams understand. Three layouts exist: v1, for the demonstration
// of November 2014 (Practical Session 2014); v2, adopted after it (Mixed Team Package v2); and v2 with the padding of a
// C compiler, which the program of the Falcons sends. docs/mixed-team.md has the rules on one page.
//
// Append and Decode convert between packages and soccer.Percepts, in SI units and the team frame. PackageV1, PackageV2
// and PackagePadded hold the integers of the wire. Check and Fields describe a datagram for people.
//
// All integers are little-endian. mm, mm/s, mrad and mrad/s are int16; -32768 marks an unused field. Confidence is a
// uint8 from 1 to 255; 0 means unknown. Offsets and sizes are in bytes.
//
//	                                           v1   v2   v2 padded
//	mixed_team_flag        uint8   always 123   0    0     0
//	package_version        uint8   2            -    1     1   (padded: 1, and 2 bytes of padding follow)
//	timestamp              uint32  ms           -    2     4   since the referee box's start of the half
//	team_color             uint8                -    6     8   0 cyan, 1 magenta
//	original_team_id       uint8                -    7     9   last octet of the team's multicast group
//	mixed_team_robot_id    uint8   1 to 6       1    8    10   v1 calls it robot_id; padded: 1 byte of padding follows
//	ball_cand_vision       3 candidates         2    9    12
//	  each                                     13   13    14   size; padded: 1 byte of padding at its end
//	    x y z              int16   mm          +0   +0    +0
//	    vx vy vz           int16   mm/s        +6   +6    +6
//	    confidence         uint8              +12  +12   +12
//	obstacles              10 in v1, else 12   41   48    54
//	  each                                      5    9    10   size; padded: 1 byte of padding at its end
//	    x y                int16   mm          +0   +0    +0
//	    vx vy              int16   mm/s         -   +4    +4
//	    confidence         uint8               +4   +8    +8
//	self-loc                                   91  156   174
//	    x y                int16   mm          +0   +0    +0
//	    theta              int16   mrad         -   +4    +4   written 0 to 6283; padded: measured from X
//	    vx vy              int16   mm/s         -   +6    +6
//	    vtheta             int16   mrad/s       -  +10   +10
//	    confidence         uint8               +4  +12   +12   padded: 1 byte of padding follows
//	whole package                              96  169   188   a team's own bytes may follow
//
// Coordinates are in the MSL frame: X to the right, Y to the opponents' goal. The documents give no unit for theta;
// this package takes milliradians, as the only public program does, and 0 for a robot that faces the opponents' goal.
// The team frame of package soccer has x to the opponents' goal; only observe.go converts.
package mixedteam

import "errors"

const (
	Flag    = 123                 // the first byte of every package
	Version = 2                   // package_version of v2
	Group   = "224.16.32.75:2005" // multicast group and port
	Unused  = -32768              // value of an unused int16 field
)

// Sizes of the packages in bytes.
const (
	SizeV1     = 96
	SizeV2     = 169
	SizePadded = 188
)

// ErrForeign is the error of a datagram that is not a mixed team package.
var ErrForeign = errors.New("mixedteam: not a mixed team package")

// Variant is a layout of the package.
type Variant uint8

// The layouts.
const (
	Foreign  Variant = iota // not a mixed team package
	V1                      // 96 bytes, Practical Session 2014
	V2                      // 169 bytes, Mixed Team Package v2
	V2Padded                // 188 bytes, Falcons: v2 with a compiler's padding
)

// String returns "unrecognised", "v1", "v2" or "v2 padded".
func (v Variant) String() string {
	switch v {
	case V1:
		return "v1"
	case V2:
		return "v2"
	case V2Padded:
		return "v2 padded"
	}
	return "unrecognised"
}
