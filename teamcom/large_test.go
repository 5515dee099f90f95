package teamcom_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// content returns bytes that differ between messages.
func content(size int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, uint64(size)))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// options gives a node options of its own for one type.
func options(t tcm.Type, o teamcom.Options) func(*teamcom.Config) {
	return func(cfg *teamcom.Config) { cfg.Types = map[tcm.Type]teamcom.Options{t: o} }
}

// Messages of all sizes arrive whole, although the network reorders and duplicates their pieces.
func TestLargeMessages(t *testing.T) {
	const longest = 3495 * tcm.PieceSize // the pieces that fit into 4 MiB
	for _, c := range []struct {
		size   int
		parity uint8
	}{
		{0, 0}, {1, 4}, {1200, 4}, {1201, 0}, {2400, 1}, {2401, 255}, {30_000, 4}, {1 << 20, 0}, {1 << 20, 5}, {longest, 0},
		{1747 * tcm.PieceSize, 1},
	} {
		t.Run(fmt.Sprintf("%d bytes, parity %d", c.size, c.parity), func(t *testing.T) {
			w := newNetwork(t, traffic.Link{Delay: time.Millisecond, Jitter: 20 * time.Millisecond, Duplicate: 0.1}, 1)
			change := options(tcm.File, teamcom.Options{Socket: tcm.Bulk, Parity: c.parity})
			sender, receiver := w.add(robot(1), change), w.add(robot(2), change)
			want, got := content(c.size, 1), 0
			teamcom.HandleBytes(w.module(receiver, tcm.Manager), tcm.File, func(from teamcom.From, b []byte) {
				if got++; !bytes.Equal(b, want) || len(from.Missing) > 0 {
					t.Errorf("got %d bytes that differ from the %d that were sent", len(b), len(want))
				}
			})
			if err := sender.Module(tcm.GM).Client().SendBytes(w.now, robot(2), tcm.File, want); err != nil {
				t.Fatal(err)
			}
			w.run(10 * time.Second)
			if got != 1 {
				t.Errorf("got %d messages, want 1: %+v", got, receiver.Report(w.now).Dropped)
			}
		})
	}
}

// A message that no receiver would keep is refused before it leaves.
func TestTooLong(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	n := w.add(robot(1), func(cfg *teamcom.Config) { cfg.Queues[tcm.Bulk].Bytes = 1 << 30 })
	for size, parity := range map[int]tcm.Type{3495*tcm.PieceSize + 1: 1000, 2796*tcm.PieceSize + 1: tcm.File} {
		if err := n.Module(tcm.GM).Client().SendBytes(w.now, robots, parity, make([]byte, size)); err == nil {
			t.Errorf("%d bytes of %v were accepted", size, parity)
		}
	}
}

// images sends 30 kB images at 10 Hz over a link, and returns the share that arrived whole.
func images(t testing.TB, link traffic.Link, parity uint8, count int) float64 {
	w := newNetwork(t, link, 3)
	o := teamcom.DefaultOptions(tcm.Image)
	o.Parity = parity
	camera, station := w.add(robot(1), options(tcm.Image, o)), w.add(computer(1), options(tcm.Image, o))
	whole, part := 0, 0
	teamcom.HandleBytes(w.module(station, tcm.Manager), tcm.Image, func(from teamcom.From, b []byte) {
		if len(from.Missing) > 0 {
			part++
		} else {
			whole++
		}
	})
	image := content(30_000, 1)
	for range count {
		if err := camera.Module(tcm.PAM).Client().SendBytes(w.now, computer(1), tcm.Image, image); err != nil {
			t.Fatal(err)
		}
		w.run(100 * time.Millisecond)
	}
	w.run(time.Second)
	if whole+part > count {
		t.Errorf("%d whole and %d partial images of %d", whole, part, count)
	}
	return float64(whole) / float64(count)
}

// One parity piece for four pieces lets an image survive a bad network. Without it an image of 25 pieces arrives whole
// with a probability of 0.95^25 = 28 % if 5 % of the datagrams are lost.
func TestImagesOnLossyLink(t *testing.T) {
	const delay = 2 * time.Millisecond
	for _, c := range []struct {
		name            string
		link            traffic.Link
		least           float64 // share of whole images with parity
		lowest, highest float64 // and without
	}{
		{"5 % loss", traffic.Link{Loss: 0.05, Delay: delay}, 0.85, 0.24, 0.32},
		{"10 % loss", traffic.Link{Loss: 0.1, Delay: delay}, 0.55, 0.05, 0.1},
		{"5 % loss in runs of 3", traffic.Link{Loss: 0.05, Burst: 3, Delay: delay}, 0.85, 0.55, 0.7},
		{"10 % loss in runs of 3", traffic.Link{Loss: 0.1, Burst: 3, Delay: delay}, 0.7, 0.3, 0.42},
	} {
		with, without := images(t, c.link, 4, 1000), images(t, c.link, 0, 1000)
		t.Logf("%s: %.0f %% of the images are whole with parity 1 in 4, %.0f %% without", c.name, 100*with, 100*without)
		if with < c.least || without < c.lowest || without > c.highest {
			t.Errorf("%s: %.1f %% of the images are whole with parity, %.1f %% without; want %.0f %% or more, and %.0f to %.0f %%",
				c.name, 100*with, 100*without, 100*c.least, 100*c.lowest, 100*c.highest)
		}
	}
}

// After an outage the newest image arrives within one period: no older one holds it up.
func TestNewestImageAfterOutage(t *testing.T) {
	const period = 100 * time.Millisecond
	w := newNetwork(t, traffic.Link{Delay: 2 * time.Millisecond}, 1)
	camera, station := w.add(robot(1), nil), w.add(computer(1), nil)
	var last teamcom.From // newest whole image
	partial := 0
	teamcom.HandleBytes(w.module(station, tcm.Manager), tcm.Image, func(from teamcom.From, b []byte) {
		if len(from.Missing) > 0 {
			partial++
			return
		}
		last = from
	})
	var captured soccer.Time
	send := func() {
		captured = w.now
		err := camera.Module(tcm.PAM).Client().SendBytes(captured, computer(1), tcm.Image, content(30_000, uint64(w.now)))
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		send()
		w.run(period)
	}
	for i := range 20 {
		send()
		w.run(4 * time.Millisecond) // the network fails while an image leaves
		w.lossy = i%5 != 4
		w.run(period - 4*time.Millisecond)
		if w.lossy {
			continue
		}
		send()
		w.run(period)
		if from := last; from.Received.Sub(from.Captured) > period || w.now.Sub(from.Received) > period {
			t.Errorf("the newest whole image was captured %v ago, want %v at most", w.now.Sub(from.Captured), period)
		}
	}
	if dropped := station.Report(w.now).Dropped; dropped.Superseded == 0 || partial == 0 {
		t.Errorf("%d images were given up for newer ones and %d arrived in part, want some of both",
			dropped.Superseded, partial)
	}
}
