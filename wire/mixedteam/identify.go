package mixedteam

import (
	"encoding/binary"
	"slices"
	"strconv"

	"touchline/soccer"
)

// Identity is the variant of a datagram.
type Identity struct {
	Variant    Variant
	Len        int     // bytes of the package, without the team's own data after it; 0 for Foreign
	Confidence float64 // probability, 0.5..1; below 0.9 another reading is nearly as likely
	Reason     string  // why, as a sentence part
	BigEndian  bool    // the bytes of each field are in the wrong order; Decode swaps them
}

// Identify returns the variant of the package that b begins with, or Foreign. Neither flag nor size decides: v1 and v2
// have the same flag, the version byte of v2 is a robot number in v1, any bytes may follow a package, and other traffic
// shares the channel. Identify scores every reading by how well the fields fit it and returns the best; Confidence says
// by how much it leads.
func Identify(b []byte) Identity {
	id, _ := identify(b)
	return id
}

// Scores are in bits: 10 bits mean that bytes are 2^10 times more likely under a reading than by chance. Each is a
// rounded guess at the habits of senders. Only sums matter, and a reading leads by dozens or hundreds.
const (
	sizeBits   = 6   // the datagram has exactly the length of the package
	cutBits    = -8  // packages are seldom truncated
	clearBits  = -10 // few senders leave zeros in unused fields
	swapBits   = 100 // a package with swapped bytes fits much better when they are swapped back
	floorBits  = -20 // a sender of absurd values is unlikely, but possible
	impossible = -1 << 20
)

// identify is Identify. For a truncated package cut is its variant, else Foreign.
func identify(b []byte) (id Identity, cut Variant) {
	if len(b) == 0 || b[0] != Flag {
		return Identity{Confidence: 1, Reason: "does not start with the flag 123"}, Foreign
	}
	// The score as other traffic is a sum over pieces that end where the packages end, so that readings differ only in the
	// pieces on which they disagree.
	ends := [...]int{1, SizeV1, SizeV2, SizePadded, len(b)}
	var tail [len(ends)]int // tail[v]: of the bytes after variant v; tail[Foreign]: of all but the flag
	for v := len(ends) - 2; v >= 0; v-- {
		tail[v] = tail[v+1] + otherScore(b[min(ends[v], len(b)):min(ends[v+1], len(b))])
	}
	scores := [...]int{Foreign: tail[Foreign], V1: impossible, V2: impossible, V2Padded: impossible}
	for v := V1; v <= V2Padded; v++ {
		l := layoutOf(v)
		score := headerScore(l, b) + max(bodyScore(l, b), floorBits)
		switch {
		case len(b) == l.size:
			scores[v] = score + sizeBits
		case len(b) > l.size:
			scores[v] = score + tail[v]
		case score+cutBits > scores[Foreign]:
			scores[Foreign], cut = score+cutBits, v
		}
	}
	best, second := Foreign, V1
	for v := V1; v <= V2Padded; v++ {
		if scores[v] > scores[best] {
			best, second = v, best
		} else if scores[v] > scores[second] {
			second = v
		}
	}
	// The scores are guesses: four of their bits count as one.
	id.Confidence = 1 - 0.5/float64(uint64(1)<<min((scores[best]-scores[second])/4, 50))
	id.Variant = best
	if best != Foreign {
		id.Len, cut = layoutOf(best).size, Foreign
	}
	id.Reason = reason(best, second, cut, id.Confidence >= 0.9)
	if best == Foreign || id.Confidence < 0.9 {
		for v := V1; v <= V2Padded; v++ {
			if l := layoutOf(v); len(b) >= l.size && swappedScore(l, b)+tail[v] > scores[best]+swapBits {
				return Identity{Variant: v, Len: l.size, Confidence: 0.99, BigEndian: true,
					Reason: "fits " + v.String() + " when the bytes of each field are swapped"}, Foreign
			}
		}
	}
	return id, cut
}

// swappedScore scores a package after swapping the bytes of each field.
func swappedScore(l *layout, b []byte) int {
	var buf [SizePadded]byte
	c := l.swapped(b, &buf)
	return headerScore(l, c) + bodyScore(l, c)
}

// littleEndian returns b, or if its fields are big-endian the package in buf with their bytes swapped.
func (id *Identity) littleEndian(b []byte, buf *[SizePadded]byte) []byte {
	if !id.BigEndian {
		return b
	}
	return layoutOf(id.Variant).swapped(b, buf)
}

// sureReasons are the reasons for a variant that leads, by that variant, and of a foreign datagram by the variant of
// which it is the beginning.
var sureReasons = [...][4]string{
	{"starts with 123, but its fields fit no layout", "a truncated v1 package",
		"a truncated v2 package", "a truncated padded v2 package"},
	V1:       {"its fields fit v1"},
	V2:       {"its fields fit v2"},
	V2Padded: {"its fields fit v2 with a compiler's padding"},
}

// doubts are the reasons where another reading is nearly as likely, by the best and by the second one.
var doubts = [...][4]string{
	Foreign: {V1: "starts with 123 and fits no layout well, v1 best",
		V2:       "starts with 123 and fits no layout well, v2 best",
		V2Padded: "starts with 123 and fits no layout well, padded v2 best"},
	V1: {"fits v1, but may be other traffic that starts with 123", "",
		"fits v1, and v2 nearly as well", "fits v1, and padded v2 nearly as well"},
	V2: {"fits v2, but may be other traffic that starts with 123", "fits v2, and v1 nearly as well",
		"", "fits v2, and padded v2 nearly as well"},
	V2Padded: {"fits padded v2, but may be other traffic that starts with 123", "fits padded v2, and v1 nearly as well",
		"fits padded v2, and v2 nearly as well", ""},
}

func reason(best, second, cut Variant, sure bool) string {
	if sure {
		return sureReasons[best][cut]
	}
	return doubts[best][second]
}

// words returns the doubts by the numbers of both variants, for Describe.
func words() map[string]string {
	m := map[string]string{}
	for best := range doubts {
		for second, text := range doubts[best] {
			m[strconv.Itoa(best)+strconv.Itoa(second)] = text
		}
	}
	return m
}

// otherScore scores bytes as other traffic: text, 32-bit integers, or memory with repeating bytes.
func otherScore(b []byte) int {
	text := 0
	for _, c := range b {
		if c-' ' <= '~'-' ' || c == '\n' || c == '\t' {
			text++
		}
	}
	var wide [4]int // number of integers whose two high bytes are both 0 or both 255, by alignment
	for i := 1; i < len(b); i++ {
		if c := b[i]; c == b[i-1] && (c == 0 || c == 255) {
			wide[i%4]++
		}
	}
	n, r := len(b), max(repeats(b, 1), repeats(b, 2), repeats(b, 4))
	return max(0,
		7*r-(n-r)-2,              // half of the bytes repeat
		(31*r-13*(n-r))/4-2,      // nine in ten repeat
		14*slices.Max(wide[:])-n, // most integers are small
		text*3/2-6*(n-text)-2)    // 98 of 100 are among these 97 characters
}

// repeats counts the bytes that equal the byte one period before.
func repeats(b []byte, period int) (n int) {
	if len(b) < period {
		return 0
	}
	for i, c := range b[period:] {
		if c == b[i] {
			n++
		}
	}
	return n
}

// headerScore scores the fields before the first ball.
func headerScore(l *layout, b []byte) int {
	if len(b) < l.balls {
		return impossible
	}
	score := -4 // few senders have other jersey numbers than 1 to 6
	if n := b[l.robot]; n >= 1 && n <= 6 {
		score = 5
	}
	if l.variant == V1 { // v1 has no other header field: its records must decide
		return score - 10
	}
	switch { // the Falcons write version 1 in their layout of v2
	case b[1] != 1 && b[1] != Version:
		return impossible
	case b[1] == 1 && l.variant == V2:
		score += 3
	default:
		score += 7
	}
	switch t := binary.LittleEndian.Uint32(b[l.timestamp:]); {
	case t < 1<<22: // 70 minutes
		score += 9
	case t <= maxTime:
		score += 3
	case t == neverSet && l.variant == V2Padded:
		return score + 28 // this program never sets colour and robot either
	default:
		score -= 6
	}
	if b[l.color] <= 1 {
		score += 6
	} else {
		score -= 5
	}
	if soccer.MSLTeam(int(b[l.team])).ID != 0 {
		return score + 4
	}
	return score - 3
}

// bodyScore scores the records.
func bodyScore(l *layout, b []byte) int {
	score, cleared := 0, 0
	ordered, counts, last := true, [3]int{}, [3]uint8{255, 255, 255}
	for i := range l.records() {
		r := l.record(i)
		if r.confidence() >= len(b) { // truncated
			score += otherScore(b[min(r.at, len(b)):])
			break
		}
		if isZero(b[r.at : r.confidence()+1]) {
			cleared = clearBits
			score += 8*(2*r.ints+1) - 3
			if at := r.confidence() + 1; l.variant == V2Padded && at < len(b) && b[at] == 0 {
				score += 8 // its padding was cleared too
			}
			continue
		}
		score += recordScore(l, b, r)
		c := b[r.confidence()]
		ordered = ordered && c <= last[r.kind]
		last[r.kind] = c
		if c > 0 {
			counts[r.kind]++
		}
	}
	score += cleared
	if l.variant != V1 {
		return score
	}
	if !ordered {
		return score - 6
	}
	// log2(n!) bits: by chance n confidences have one of n! orders.
	orders := [...]int{0, 0, 1, 2, 4, 7, 9, 12, 15, 18, 21}
	return score + orders[counts[ball]] + orders[counts[obstacle]]
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// recordScore scores one record: unused, absent with old memory, or an object.
func recordScore(l *layout, b []byte, r record) int {
	var v [6]int16
	n := r.int16s(b, &v)
	c := b[r.confidence()]
	if v[0] == Unused && v[1] == Unused {
		score := -6
		if c == 0 {
			score = 7
		}
		for _, x := range v[:n] {
			if x == Unused {
				score += 15
			} else {
				score -= 6
			}
		}
		return score
	}
	if l.variant == V1 && r.kind != self && c == 0 {
		return 3 + otherScore(b[r.at:r.confidence()])
	}
	if v[0] == Unused || v[1] == Unused {
		return -16
	}
	score := placeScore(v[0], v[1])
	if c == 0 {
		score += 2
	}
	switch {
	case r.kind == ball:
		return score + fieldScore(v[2], -200, 4000) + velocityScore(v[3], v[4], 15000) + turnScore(v[5])
	case n == 4:
		return score + velocityScore(v[2], v[3], 8000)
	case n == 6:
		return score + fieldScore(v[2], -maxTheta, maxTheta) + velocityScore(v[3], v[4], 8000) + turnScore(v[5])
	}
	return score
}

func between(v, low, high int16) bool { return v >= low && v <= high }

// placeScore scores a position: on the largest field and its border, near it, or anywhere.
func placeScore(x, y int16) int {
	switch {
	case between(x, -9000, 9000) && between(y, -13000, 13000):
		return 2
	case between(x, -20000, 20000) && between(y, -20000, 20000):
		return -4
	}
	return -10
}

// fieldScore scores a height or a heading.
func fieldScore(v, low, high int16) int {
	switch {
	case v == Unused:
		return 5
	case between(v, low, high):
		return 3
	}
	return -9
}

// velocityScore scores a velocity in the plane. Many senders leave it at zero.
func velocityScore(x, y, limit int16) int {
	switch {
	case x == Unused && y == Unused:
		return 28
	case x == Unused || y == Unused:
		return -16
	case x == 0 && y == 0:
		return 25
	case between(x, -limit, limit) && between(y, -limit, limit):
		return 3
	}
	return -9
}

// turnScore scores a vertical or angular velocity.
func turnScore(v int16) int {
	switch {
	case v == Unused || v == 0:
		return 12
	case between(v, -15000, 15000):
		return 1
	}
	return -9
}
