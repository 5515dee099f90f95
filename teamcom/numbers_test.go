package teamcom_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// Numbers of messages wrap without a gap, for small messages and for large ones.
func TestNumbersWrap(t *testing.T) {
	for _, size := range []int{10, 3000} {
		l := listen(t, nil)
		f := newForger(robot(2), robot(1), tcm.Bulk)
		number := uint32(math.MaxUint32 - 99)
		for range 200 {
			pieces := []tcm.Piece{{Module: tcm.PAM, Type: tcm.File, Number: number, Data: content(size, 1)}}
			if size > tcm.PieceSize {
				pieces = fragments(number, content(size, 1))
			}
			for _, p := range pieces {
				l.receive(f.datagram(l.now, p))
			}
			number++
		}
		if dropped := l.Report(l.now).Dropped; l.whole != 200 || dropped != (teamcom.DroppedReport{}) {
			t.Errorf("%d bytes: %d messages arrived over the wrap of numbers, want 200: %+v", size, l.whole, dropped)
		}
	}
}

// A message is delivered once, even if another datagram repeats it, and messages that overtake each other are
// delivered, too. Of a latest-wins type no message is delivered after a newer one.
func TestOrderOfNumbers(t *testing.T) {
	numbers := []uint32{5, 6, 6, 4, 8, 7, 8, 80, 17, 16, 80}
	for typ, want := range map[tcm.Type][]byte{
		tcm.FirstOwnType: {5, 6, 4, 8, 7, 80, 17},
		tcm.Belief:       {5, 6, 8, 80},
	} {
		l := listen(t, nil)
		var got []byte
		teamcom.HandleBytes(l.module, typ, func(_ teamcom.From, b []byte) { got = append(got, b...) })
		f := newForger(robot(2), robot(1), tcm.Bulk)
		for _, number := range numbers {
			l.receive(f.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: typ, Number: number, Data: []byte{byte(number)}}))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: messages %v were delivered of %v, want %v", typ, got, numbers, want)
		}
	}
}

// A robot that restarts while a message is incomplete starts afresh: nothing of the two boots mixes.
func TestRestart(t *testing.T) {
	l := listen(t, nil)
	f := newForger(robot(2), robot(1), tcm.Bulk)
	before, after := fragments(0, content(3000, 1)), fragments(0, content(3000, 2))
	l.receive(f.datagram(l.now, before[0], tcm.Piece{Module: tcm.PAM, Type: tcm.Belief}))
	f.header.Boot, f.header.Sequence = 2, 0
	for _, p := range after[1:] {
		l.receive(f.datagram(l.now, p))
	}
	if l.whole != 0 {
		t.Fatal("pieces of two boots became one message")
	}
	l.receive(f.datagram(l.now, after[0]))
	f.header.Boot = 1
	l.receive(f.datagram(l.now, before[1]))
	if r := l.Report(l.now); l.whole != 1 || r.Refused.OlderBoot != 1 || r.Dropped.Inconsistent != 0 {
		t.Errorf("%d messages arrived, want that of the second boot: %+v %+v", l.whole, r.Refused, r.Dropped)
	}
}

// A node that only receives answers with beacons, so that both sides measure the link.
func TestBeacons(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: 5 * time.Millisecond}, 1)
	talker, quiet := w.add(robot(1), nil), w.add(computer(1), nil)
	teamcom.HandleBytes(w.module(quiet, tcm.Manager), tcm.Status, func(teamcom.From, []byte) {})
	for range 50 {
		if err := talker.Module(tcm.GM).Client().SendBytes(w.now, computers, tcm.Status, nil); err != nil {
			t.Fatal(err)
		}
		w.run(200 * time.Millisecond)
	}
	for _, n := range w.nodes {
		links := n.Report(w.now).Links
		if len(links) != 1 || !links[0].Up || links[0].RTTMillis < 9.9 || links[0].RTTMillis > 10.1 {
			t.Errorf("%v has the links %+v, want one with a round trip of 10 ms", n.Self(), links)
		}
	}
	if got := quiet.Report(w.now).Queues[1].Datagrams; got < 15 || got > 25 {
		t.Errorf("the quiet node sent %d beacons in 10 s, want one each 500 ms", got)
	}
}

// A whole session of five robots and a station on a bad network gives the same datagrams for the same seed.
func TestDeterminism(t *testing.T) {
	session := func(seed uint64) (sum [sha256.Size]byte, received string) {
		link := traffic.Link{Loss: 0.1, Burst: 2, Delay: time.Millisecond, Jitter: 8 * time.Millisecond, Duplicate: 0.02}
		w := newNetwork(t, link, seed)
		w.keep = true
		counts := map[string]int{}
		for id := range uint8(6) {
			self := robot(id + 1)
			if id == 5 {
				self = computer(1)
			}
			m := w.module(w.add(self, nil), tcm.GM)
			for _, typ := range []tcm.Type{tcm.Belief, tcm.Status, tcm.Image} {
				teamcom.HandleBytes(m, typ, func(from teamcom.From, b []byte) {
					counts[fmt.Sprint(self, from.Entity, typ, len(from.Missing) > 0)]++
				})
			}
		}
		for range 40 {
			for _, n := range w.nodes[:5] {
				client := n.Module(tcm.GM).Client()
				for _, err := range []error{
					client.SendBytes(w.now, robots, tcm.Belief, content(100, 1)),
					client.SendBytes(w.now, computers, tcm.Status, content(50, 1)),
					client.SendBytes(w.now, computers, tcm.Image, content(10_000, 1)),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				w.run(10 * time.Millisecond)
			}
		}
		all := sha256.New()
		for _, data := range w.sent {
			all.Write(data)
		}
		return [sha256.Size]byte(all.Sum(nil)), fmt.Sprint(counts)
	}
	sum, received := session(1)
	if again, same := session(1); again != sum || same != received {
		t.Errorf("two sessions of one seed differ: %x and %x, %s and %s", sum, again, received, same)
	}
	if other, _ := session(2); other == sum {
		t.Error("sessions of two seeds are the same")
	}
}

// Robot-to-robot messages never queue behind bulk data: while images and files saturate the bulk class, each belief
// leaves within a datagram's time.
func TestLatencyBesideBulk(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	sender, receiver := w.add(robot(1), nil), w.add(robot(2), nil)
	var latencies []time.Duration
	m := w.module(receiver, tcm.GM)
	teamcom.HandleBytes(m, tcm.Belief, func(from teamcom.From, b []byte) {
		latencies = append(latencies, from.Received.Sub(soccer.Time(binary.LittleEndian.Uint64(b))))
	})
	files := 0
	teamcom.HandleBytes(m, tcm.File, func(from teamcom.From, b []byte) { files++ })
	client := sender.Module(tcm.GM).Client()
	file := content(1<<20, 1)
	for i := range 500 {
		for client.SendBytes(w.now, robot(2), tcm.File, file) == nil { // the queue is always full
		}
		sent := binary.LittleEndian.AppendUint64(nil, uint64(w.now))
		if err := client.SendBytes(w.now, robots, tcm.Belief, sent); err != nil {
			t.Fatal(err)
		}
		w.run(20*time.Millisecond + time.Duration(i)*time.Microsecond)
	}
	slices.Sort(latencies)
	if len(latencies) != 500 || latencies[494] > 2*time.Millisecond {
		t.Errorf("%d beliefs arrived, 99 %% within %v; want 500 within 2 ms",
			len(latencies), latencies[len(latencies)*99/100])
	}
	if files < 10 {
		t.Errorf("%d files of 1 MB arrived in 11 s, want 10 or more at 2 MB/s", files)
	}
}
