package tcm_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"touchline/wire"
	. "touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// corrected returns b with a correct checksum, in a copy: mutations would hardly ever find one.
func corrected(b []byte) []byte {
	if len(b) < SumSize {
		return b
	}
	end := len(b) - SumSize
	return binary.LittleEndian.AppendUint32(b[:end:end], Sum(b[:end]))
}

// summed is a datagram whose checksum is corrected before it is decoded.
type summed struct{ detached }

func (d *summed) UnmarshalBinary(b []byte) error { return d.detached.UnmarshalBinary(corrected(b)) }

func seeds(f *testing.F) (all [][]byte) {
	f.Helper()
	for _, v := range vectors(f) {
		all = append(all, v.Data)
	}
	return all
}

func FuzzDatagram(f *testing.F) {
	wiretest.Fuzz[summed](f, func(b []byte) []wire.Issue { return Check(corrected(b)) }, seeds(f)...)
}

// FuzzCheck compares Check with the decoder: every refused datagram has a violation, and every datagram without one
// encodes to its own bytes.
func FuzzCheck(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		covered(t, b)
		b = corrected(b)
		covered(t, b)
		violations := 0
		for _, i := range Check(b) {
			if !i.Note {
				violations++
			}
		}
		var d Datagram
		err := d.UnmarshalBinary(b)
		if err != nil && violations == 0 {
			t.Fatalf("refused without a violation: %v", err)
		}
		if errors.Is(err, ErrSum) && len(b) >= HeaderSize+SumSize {
			t.Fatal("the checksum is right, and was refused")
		}
		if violations > 0 {
			return
		}
		if again := encode(t, &d); string(again) != string(b) {
			t.Fatalf("encoded again:\ngot  % x\nwant % x", again, b)
		}
	})
}
