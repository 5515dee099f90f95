package teamcom_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// FuzzReceive gives a node arbitrary datagrams. Each starts with the time since the one before (ms), a byte of flags
// and its length; most checksums are made right, since the fuzzer would not find them. The node does not panic, stays
// within its memory, and its handlers receive messages of the size that they claim.
func FuzzReceive(f *testing.F) {
	seed := func(packets ...*soccer.Packet) {
		var b []byte
		for _, p := range packets {
			b = append(b, 10, byte(tcm.Bulk))
			b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Data)))
			b = append(b, p.Data...)
		}
		f.Add(b)
	}
	hostile := newForger(robot(2), robot(1), tcm.Bulk)
	var all []*soccer.Packet
	for _, p := range fragments(1, content(3000, 1)) {
		p.Every = 2
		d := *hostile.datagram(soccer.Epoch, p)
		d.Data = slices.Clone(d.Data)
		all = append(all, &d)
		seed(&d, &d)
	}
	seed(all...)
	seed(hostile.datagram(soccer.Epoch, tcm.Piece{Type: tcm.File, Data: []byte("a")}, tcm.Piece{Type: tcm.Image}))
	f.Fuzz(func(t *testing.T, b []byte) {
		cfg := teamcom.DefaultConfig(robot(1))
		cfg.Modules.Bytes = 1 << 20
		n, err := teamcom.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m := n.Module(tcm.GM)
		for _, typ := range []tcm.Type{tcm.File, tcm.Image, tcm.Belief} {
			teamcom.HandleBytes(m, typ, func(from teamcom.From, b []byte) {
				if len(b) != from.Size || from.Type != typ || from.Entity.ID == 0 || from.Entity == n.Self() {
					t.Errorf("a message of %d bytes from %+v", len(b), from)
				}
				for _, r := range from.Missing {
					if r.Start < 0 || r.End <= r.Start || r.End > len(b) || slices.Max(b[r.Start:r.End]) != 0 {
						t.Errorf("the missing range %v of %d bytes", r, len(b))
					}
				}
			})
		}
		now := soccer.Epoch
		clock := func() soccer.Time { return now }
		for len(b) >= 4 {
			wait, flags, size := b[0], b[1], int(binary.LittleEndian.Uint16(b[2:]))
			b = b[4:]
			data := slices.Clone(b[:min(size, len(b))])
			b = b[len(data):]
			if end := len(data) - tcm.SumSize; end >= 0 && flags&128 == 0 {
				binary.LittleEndian.PutUint32(data[end:], tcm.Sum(data[:end]))
			}
			now = now.Add(time.Duration(wait) * time.Millisecond)
			n.Receive(&soccer.Packet{Time: now, Data: data}, tcm.Socket(flags&3))
			for range 3 {
				n.Next(now, nil)
			}
			if flags&64 == 0 {
				m.Run(clock, 100)
			}
		}
		r := n.Report(now)
		if bound := len(r.Links)*4<<20 + 1<<20 + 8<<20; r.BufferBytes > bound {
			t.Errorf("%d bytes of buffers for %d senders, want %d at most", r.BufferBytes, len(r.Links), bound)
		}
		now = now.Add(time.Minute)
		n.Next(now, nil)
		for m.Pending() > 0 {
			m.Run(clock, 100)
		}
		if r := n.Report(now); r.BufferBytes > 8<<20 {
			t.Errorf("%d bytes of buffers remain after all messages ended, want 8 MiB at most", r.BufferBytes)
		}
	})
}
