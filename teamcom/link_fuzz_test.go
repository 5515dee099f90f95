package teamcom

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// FuzzLinkReceive gives a peer arbitrary headers and messages, 40 bytes each, at arbitrary times.
func FuzzLinkReceive(f *testing.F) {
	f.Add(true, make([]byte, 160))
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 4000)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed%2 == 0, data)
	}
	f.Fuzz(func(t *testing.T, signed bool, data []byte) {
		p, now := newPeer(signed), soccer.Epoch
		type place struct {
			restarts uint64
			boot     uint32
			to       tcm.Entity
			socket   tcm.Socket
			sequence uint64
		}
		taken := map[place]bool{}
		for ; len(data) >= 40; data = data[40:] {
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[i:]) }
			now = now.Add(time.Duration(int8(data[0])) << (data[1] % 32))
			h := &tcm.Header{From: far, To: near, Socket: tcm.Socket(data[2]), Boot: uint32(data[3]), Sequence: word(4), Sent: word(12)}
			switch {
			case data[2]&0x40 != 0:
				h.Sequence = uint64(data[4])
			case data[2]&0x80 != 0:
				h.To.ID, h.Sent = 0, uint64(now)-word(12)%1e9
			}
			h.Echo = tcm.Echo{From: near, Held: uint32(word(20)), Sent: word(28)}
			if data[2]&0x20 != 0 {
				h.Echo.Held, h.Echo.Sent = h.Echo.Held%1e6, uint64(now)-word(28)%1e9
			}
			got := p.Receive(now, h, 100)
			at := place{report(p, 0).Restarts, h.Boot, h.To, h.Socket % tcm.Sockets, h.Sequence}
			if got == accepted && signed {
				if taken[at] {
					t.Fatalf("%+v was accepted twice", at)
				}
				taken[at] = true
			}
			p.Local(word(28))
			p.Echo(now)
			p.Message(now, h.To, tcm.Module(data[36]), tcm.Type(data[37]), uint32(word(4)), word(12), int(data[38]))
		}
		var r LinkReport
		p.Report(now, &r)
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err) // NaN and infinities
		}
		if len(r.Types) > 32 {
			t.Fatalf("%d types are counted one by one, want at most 32", len(r.Types))
		}
		for _, row := range append(r.Types, TypeReport{Traffic: r.Traffic}) {
			if row.LossPercent < 0 || row.LossPercent > 100 || row.BytesPerSecond < 0 {
				t.Fatalf("impossible figures: %+v", row)
			}
		}
	})
}
