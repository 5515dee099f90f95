package teamcom_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// file returns the next file of a forger, as one small message.
func file(f *forger, now soccer.Time) *soccer.Packet {
	return f.datagram(now, tcm.Piece{Module: tcm.PAM, Type: tcm.File, Number: uint32(f.header.Sequence), Data: []byte("file")})
}

// Two robots run with one id. The one that started last is heard without a gap, the other not at all, and the report
// names the clash, with signatures and without.
func TestTwoBoots(t *testing.T) {
	for _, secret := range [][]byte{nil, secret} {
		l := listen(t, func(cfg *teamcom.Config) { cfg.Secret = secret })
		first, last := newForger(robot(2), robot(1), tcm.Bulk), newForger(robot(2), robot(1), tcm.Bulk)
		first.header.Boot, last.header.Boot = 1_700_000_000, 1_700_000_060
		if secret != nil {
			key, err := tcm.NewKey(secret)
			if err != nil {
				t.Fatal(err)
			}
			first.key, last.key = key, key
		}
		for i := range 200 {
			l.receive(file(first, l.now))
			if i >= 100 {
				l.receive(file(last, l.now.Add(25*time.Millisecond)))
			}
			l.pass(50 * time.Millisecond)
		}
		r := l.Report(l.now)
		if l.whole != 201 || r.Refused.OlderBoot != 99 {
			t.Errorf("%d messages were delivered and %d datagrams refused, want 101 and 99 of the first and 100 of the last: %+v",
				l.whole, r.Refused.OlderBoot, r.Refused)
		}
		v := teamcom.NewOverview(soccer.Epoch).View(l.now, []teamcom.Report{r})
		if len(v.Alarms) != 1 || !strings.Contains(v.Alarms[0], "boot 1700000060 is heard; the one with boot 1700000000 is refused") {
			t.Errorf("got alarms %q, want one with both boots", v.Alarms)
		}
		if len(r.Links) != 1 || !r.Links[0].Clash || r.Links[0].Restarts != 1 || r.Links[0].Boot != last.header.Boot {
			t.Errorf("got links %+v, want one with a clash and one restart", r.Links)
		}
	}
}

// A program with a lower boot takes an id over from one that ended: without a key after 1 s, in a signed team not at
// all. Then the report has its boot, and an alarm names both.
func TestTakeOverWithLowerBoot(t *testing.T) {
	for _, secret := range [][]byte{nil, secret} {
		l := listen(t, func(cfg *teamcom.Config) { cfg.Secret = secret })
		first, second := newForger(robot(2), robot(1), tcm.Bulk), newForger(robot(2), robot(1), tcm.Bulk)
		first.header.Boot, second.header.Boot = 2_177_000_000, 1_795_000_000
		if secret != nil {
			key, err := tcm.NewKey(secret)
			if err != nil {
				t.Fatal(err)
			}
			first.key, second.key = key, key
		}
		for range 40 {
			l.receive(file(first, l.now))
			l.pass(50 * time.Millisecond)
		}
		l.pass(time.Second)
		for range 40 {
			l.receive(file(second, l.now))
			l.pass(50 * time.Millisecond)
		}
		r := l.Report(l.now)
		alarms := teamcom.NewOverview(soccer.Epoch).View(l.now, []teamcom.Report{r}).Alarms
		if secret == nil {
			if l.whole != 80 || r.Links[0].RefusedBoot != 0 || len(alarms) != 0 {
				t.Errorf("%d messages were delivered, want 80; alarms %q, link %+v", l.whole, alarms, r.Links[0])
			}
			continue
		}
		const want = "A program that sends as robot 2 is refused: its boot 1795000000 is below 2177000000"
		if l.whole != 40 || r.Links[0].RefusedBoot != 1_795_000_000 || len(alarms) != 1 || !strings.HasPrefix(alarms[0], want) {
			t.Errorf("signed: %d messages were delivered, want 40; alarms %q, want %q; link %+v", l.whole, alarms, want, r.Links[0])
		}
	}
}

// A robot without a clock battery restarts with a boot that it had before, or a lower one. Unsigned, it is heard again
// after 1 s; copies of its earlier datagrams are not delivered twice.
func TestRestartWithoutBattery(t *testing.T) {
	for _, boot := range []uint32{20, 19} {
		l := listen(t, nil)
		f := newForger(robot(2), robot(1), tcm.Bulk)
		f.header.Boot = 20
		var recorded [][]byte
		for range 2000 {
			p := file(f, l.now)
			recorded = append(recorded, slices.Clone(p.Data))
			l.receive(p)
			l.pass(time.Millisecond)
		}
		for _, data := range recorded {
			l.receive(&soccer.Packet{Time: l.now, Data: data})
		}
		if l.whole != 2000 {
			t.Fatalf("%d messages were delivered, want the 2,000 that were sent", l.whole)
		}
		f.header.Boot, f.header.Sequence = boot, 0
		l.pass(999 * time.Millisecond)
		for range 200 {
			l.pass(time.Millisecond)
			l.receive(file(f, l.now))
		}
		if r := l.Report(l.now); l.whole != 2200 || r.Links[0].Restarts != 1 || r.Links[0].Lost != 0 {
			t.Errorf("boot %d: %d messages were delivered, want all 200 after the restart, too: %+v %+v",
				boot, l.whole, r.Links[0], r.Dropped)
		}
	}
}

// Datagrams that the network repeats after their robot restarted are not delivered again.
func TestDuplicatesAcrossRestart(t *testing.T) {
	for _, secret := range [][]byte{nil, secret} {
		l := listen(t, func(cfg *teamcom.Config) { cfg.Secret = secret })
		f := newForger(robot(2), robot(1), tcm.Bulk)
		if secret != nil {
			key, err := tcm.NewKey(secret)
			if err != nil {
				t.Fatal(err)
			}
			f.key = key
		}
		var recorded [][]byte
		for boot := range uint32(5) {
			f.header.Boot, f.header.Sequence = boot+1, 0
			for range 20 {
				p := file(f, l.now)
				recorded = append(recorded, slices.Clone(p.Data))
				l.receive(p)
				for _, data := range recorded[max(0, len(recorded)-30):] {
					l.receive(&soccer.Packet{Time: l.now, Data: data})
				}
				l.pass(20 * time.Millisecond)
			}
		}
		if l.whole != 100 {
			t.Errorf("%d messages were delivered, want the 100 that were sent: %+v", l.whole, l.Report(l.now).Refused)
		}
	}
}

// Five robots whose clocks are up to an hour apart know each other's clocks after 10 s of beliefs on a bad network:
// offset, latency, loss and the capture times of messages.
func TestClocksApart(t *testing.T) {
	impairment := traffic.Link{Loss: 0.05, Burst: 2, Delay: 4 * time.Millisecond, Jitter: 12 * time.Millisecond, Duplicate: 0.02}
	for seed := range uint64(3) {
		w := newNetwork(t, impairment, seed)
		var worst time.Duration
		var captured soccer.Time // true time of the newest belief of robot 1
		for i, offset := range []time.Duration{0, time.Hour, -time.Hour, 59 * time.Minute, -17 * time.Second} {
			w.offsets[i] = offset
			m := w.module(w.add(robot(uint8(i+1)), nil), tcm.GM)
			teamcom.HandleBytes(m, tcm.Belief, func(from teamcom.From, b []byte) {
				if from.Entity != robot(1) || w.now < soccer.Epoch.Add(5*time.Second) {
					return
				}
				if !from.Synced {
					t.Errorf("robot %d does not know the clock of robot 1 after 5 s", i+1)
				}
				worst = max(worst, from.Captured.Add(-offset).Sub(captured).Abs())
			})
		}
		for range 200 {
			captured = w.now.Add(-30 * time.Millisecond)
			for i, n := range w.nodes {
				err := n.Module(tcm.GM).Client().SendBytes(captured.Add(w.offsets[i]), robots, tcm.Belief, []byte("belief"))
				if err != nil {
					t.Fatal(err)
				}
			}
			w.run(50 * time.Millisecond)
		}
		if worst > 5*time.Millisecond {
			t.Errorf("seed %d: a capture time was %v wrong, want at most 5 ms", seed, worst)
		}
		for i, n := range w.nodes {
			for _, link := range n.Report(w.now.Add(w.offsets[i])).Links {
				peer, err := tcm.ParseEntity(link.Peer)
				if err != nil {
					t.Fatal(err)
				}
				offset := (w.offsets[peer.ID-1] - w.offsets[i]).Seconds() * 1000
				if !link.Synced || math.Abs(link.OffsetMillis-offset) > 5 {
					t.Errorf("seed %d: robot %d has the clock of %s at %v ms, want %v within 5", seed, i+1, link.Peer, link.OffsetMillis, offset)
				}
				if p50 := link.LatencyMillis.P50; math.Abs(p50-10) > 2 {
					t.Errorf("seed %d: robot %d measures a median latency of %v ms from %s, want 10 within 2", seed, i+1, p50, link.Peer)
				}
			}
		}
	}
}

// Datagrams of ids outside the team are refused and counted, and make the node remember nothing; ids that TCM.ini
// begins to list are heard at once, and those that it drops no more.
func TestIDsOutsideTeam(t *testing.T) {
	const base = "[team]\nnumber = 3\n[robots]\n1 = 127.0.0.1:23000\n2 = any\n"
	parse := func(text string) *teamcom.Directory {
		t.Helper()
		d, err := teamcom.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	l := listen(t, func(cfg *teamcom.Config) { cfg.Directory = parse(base) })
	forgers := map[tcm.Entity]*forger{}
	sendAll := func() {
		for _, kind := range []tcm.Kind{tcm.Robot, tcm.Computer} {
			for id := range 256 {
				e := tcm.Entity{Kind: kind, ID: uint8(id)}
				if forgers[e] == nil {
					forgers[e] = newForger(e, robot(1), tcm.Bulk)
					forgers[e].header.Team = 3
				}
				l.receive(file(forgers[e], l.now))
			}
		}
	}
	for i, step := range []struct {
		text            string
		whole           int
		unknown, others uint64
	}{
		{base, 1, 256 + 256 - 4, 0},
		{base + "7 = any\n[computers]\n255 = any\n", 3, 256 + 256 - 6, 0},
		{base, 1, 256 + 256 - 4, 0},
		{"[team]\nnumber = 4\n" + base[len("[team]\nnumber = 3\n"):], 0, 0, 256 + 256 - 2},
	} {
		l.SetDirectory(parse(step.text))
		l.whole = 0
		before := l.Report(l.now).Refused
		sendAll()
		after := l.Report(l.now).Refused
		got := fmt.Sprint(l.whole, after.UnknownSender-before.UnknownSender, after.OtherTeam-before.OtherTeam,
			after.Malformed-before.Malformed)
		if want := fmt.Sprint(step.whole, step.unknown, step.others, 2); got != want {
			t.Errorf("step %d: delivered, unknown, of another team, malformed: got %s, want %s", i, got, want)
		}
		l.pass(time.Second)
	}
}

// Links says of each peer what its report says.
func TestLinks(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	receiver := w.add(robot(3), nil)
	for n := range uint8(2) {
		if err := w.add(robot(n+1), nil).Module(tcm.PAM).Client().Send(w.now, robot(3), &note{"here"}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(10 * time.Millisecond)
	for _, later := range []time.Duration{0, time.Minute} {
		now, seen := w.now.Add(later), 0
		reports := receiver.Report(now).Links
		receiver.Links(now, func(peer tcm.Entity, silent time.Duration, up bool) {
			r := reports[seen]
			if r.Peer != peer.String() || r.Up != up || up != (later == 0) || math.Abs(r.SilentMillis-silent.Seconds()*1e3) > 0.001 {
				t.Errorf("%v, silent for %v, up %t; the report says %+v", peer, silent, up, r)
			}
			seen++
		})
		if seen != 2 || len(reports) != 2 {
			t.Errorf("after %v: %d links, %d reports, want 2", later, seen, len(reports))
		}
	}
}
