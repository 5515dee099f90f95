package check

import (
	"encoding/binary"

	"touchline/wire/tcm"
)

// Split returns the datagrams in b. Linux shows a burst of datagrams of one size, which it carries as a whole, as one
// packet to programs that capture it.
func Split(b []byte) [][]byte {
	if whole(b) {
		return [][]byte{b}
	}
	const least = tcm.HeaderSize + tcm.SumSize
	for size := least; size <= min(tcm.MaxDatagram, len(b)-least); size++ {
		if !tcm.Is(b[size:]) || !whole(b[:size]) {
			continue
		}
		var all [][]byte
		for ; len(b) > size; b = b[size:] {
			all = append(all, b[:size])
		}
		return append(all, b)
	}
	return [][]byte{b}
}

// whole reports whether b ends with the checksum of the bytes before it.
func whole(b []byte) bool {
	end := len(b) - tcm.SumSize
	return end >= tcm.HeaderSize && len(b) <= tcm.MaxDatagram && binary.LittleEndian.Uint32(b[end:]) == tcm.Sum(b[:end])
}
