package tcm_test

import (
	"testing"

	. "touchline/wire/tcm"
)

// The benchmarks have two datagrams: a belief of 80 bytes and the largest fragment. The difference between plain and
// signed is the cost of authentication.

func datagrams() map[string]Datagram {
	p := belief()
	p.Data = make([]byte, 80)
	return map[string]Datagram{"belief": {Header: header(), Pieces: []Piece{p}}, "fragment": largest()}
}

func BenchmarkAppend(b *testing.B) {
	for name, d := range datagrams() {
		for _, signed := range []bool{false, true} {
			b.Run(name+variant(signed), func(b *testing.B) {
				k := key(b)
				buf := make([]byte, 0, MaxDatagram)
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if signed {
						buf, err = d.AppendSigned(buf[:0], k)
					} else {
						buf, err = d.AppendBinary(buf[:0])
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(len(buf)))
			})
		}
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	for name, d := range datagrams() {
		for _, signed := range []bool{false, true} {
			b.Run(name+variant(signed), func(b *testing.B) {
				k := key(b)
				data := encode(b, &d)
				if signed {
					var err error
					if data, err = d.AppendSigned(nil, k); err != nil {
						b.Fatal(err)
					}
				}
				var got Datagram
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := got.UnmarshalBinary(data); err != nil || signed && !k.Valid(data) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func variant(signed bool) string {
	if signed {
		return "/signed"
	}
	return "/plain"
}

func BenchmarkSum(b *testing.B) {
	data := make([]byte, OwnDatagram)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Sum(data)
	}
}
