// Package mixedteam reads and writes the Mixed Team Package of the Middle Size League: what one robot perceived, in one
// datagram to 224.16.32.75:2005 that robots of every team can read. Two versions were published, v1 for the practical
// session of November 2014 (seed 001) and v2 after it (seed 000); a third layout, v2 as a C compiler pads it, is what
// the ASML Falcons' program sends (facts msl 3.1). docs/mixed-team.md tells the rules in one page.
//
// All integers are little-endian. mm, mm/s, mrad and mrad/s are int16, and -32768 says that a field is not used.
// Confidence is a uint8, 1 to 255, and 0 says that it is not known. Offsets and sizes are bytes.
//
//	                                           v1   v2   v2 padded
//	mixed_team_flag        uint8   always 123   0    0     0
//	package_version        uint8   2            -    1     1   (the padded layout carries 1, and 2 bytes of padding follow)
//	timestamp              uint32  ms           -    2     4   since the start of the part was heard
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
// Coordinates are in the MSL frame: X to the right, Y to the opponents' goal. Theta has no unit in the documents; it is
// read in milliradians, as the only public program writes it, and 0 is a robot that faces the opponents' goal. The
// house's frame has x to the opponents' goal; observe.go is the only file that converts.
package mixedteam

import "errors"

const (
	Flag    = 123                 // the first byte of every package
	Version = 2                   // package_version of seed 000
	Group   = "224.16.32.75:2005" // the multicast group and port of seed 000
	Unused  = -32768              // an int16 field that is not used
)

// Sizes of the packages in bytes.
const (
	SizeV1     = 96
	SizeV2     = 169
	SizePadded = 188
)

// ErrForeign says that a datagram is not a mixed team package.
var ErrForeign = errors.New("mixedteam: not a mixed team package")

// Variant is one of the layouts.
type Variant uint8

// The layouts.
const (
	Foreign  Variant = iota // no mixed team package
	V1                      // 96 bytes, seed 001
	V2                      // 169 bytes, seed 000
	V2Padded                // 188 bytes, v2 with a compiler's padding
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
