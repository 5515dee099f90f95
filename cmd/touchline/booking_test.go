package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// bookingTrace records which booker each robot believes in, and when each robot's datagrams arrived: what the session records.
type bookingTrace struct {
	mu      sync.Mutex
	packets map[uint8][]soccer.Time // by robot
	debugs  []debugRecord
}

// debugRecord is a debugRecord record.
type debugRecord struct {
	robot, booker uint8
	at            soccer.Time
}

func (p *bookingTrace) record(packet *soccer.Packet) {
	var d tcm.Datagram
	if d.UnmarshalBinary(packet.Data) != nil || d.From.Kind != tcm.Robot {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packets[d.From.ID] = append(p.packets[d.From.ID], packet.Time)
	var record team.Debug
	for i := range d.Pieces {
		if d.Pieces[i].Type == tcm.Debug && record.UnmarshalBinary(d.Pieces[i].Data) == nil {
			p.debugs = append(p.debugs, debugRecord{d.From.ID, record.Booking.Booker, packet.Time})
		}
	}
}

// agreed returns the booker that the newest debugRecord records of these robots name, 0 if they do not agree.
func (p *bookingTrace) agreed(robots []uint8) (booker uint8) {
	p.mu.Lock()
	defer p.mu.Unlock()
	newest := map[uint8]uint8{}
	for _, d := range p.debugs {
		newest[d.robot] = d.booker
	}
	for _, robot := range robots {
		if booker != 0 && newest[robot] != booker || newest[robot] == 0 {
			return 0
		}
		booker = newest[robot]
	}
	return booker
}

// takeover returns how long after the last packet of a robot another one has booked the ball, and of that time how long
// the machine stalled: some robot left out its packets, of which each sends one at least every 50 ms.
func (p *bookingTrace) takeover(gone uint8, robots []uint8) (booker uint8, gap, stalled time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.packets[gone][len(p.packets[gone])-1]
	at := slices.IndexFunc(p.debugs, func(d debugRecord) bool { return d.at > last && d.booker == d.robot && d.robot != gone })
	if at < 0 {
		return 0, 0, 0
	}
	end := p.debugs[at].at
	for _, robot := range robots {
		previous := last
		sum := time.Duration(0)
		for _, t := range p.packets[robot] {
			if t <= last {
				continue
			}
			if left := min(t, end).Sub(previous); left > 60*time.Millisecond {
				sum += left - 50*time.Millisecond
			}
			if previous = t; t > end {
				break
			}
		}
		stalled = max(stalled, sum)
	}
	return p.debugs[at].robot, end.Sub(last), stalled
}

// heard reports whether the packets of a robot arrived before a time as the protocol needs them: a robot takes the ball from
// a booker that is silent for 200 ms, and one that has just started from one that is silent for the 90 ms in which it
// listens. Control periods of 20 ms are on top.
func (p *bookingTrace) heard(robot uint8, before soccer.Time, by uint8) bool {
	most := 180 * time.Millisecond
	first := before
	for _, t := range p.packets[by] {
		if before.Sub(t) < time.Second {
			first = min(first, t)
		}
	}
	if before.Sub(first) < 200*time.Millisecond {
		most = 70 * time.Millisecond
	}
	previous := before.Add(-500 * time.Millisecond)
	for _, t := range append(slices.Clone(p.packets[robot]), before) {
		if t <= previous || t > before {
			continue
		}
		if t.Sub(previous) > most {
			return false
		}
		previous = t
	}
	return true
}

// holds reports whether a robot's newest debug record before a time names any booker: else it has released the ball.
func (p *bookingTrace) holds(robot uint8, before soccer.Time) bool {
	holds := false
	for _, d := range p.debugs {
		if d.robot == robot && d.at < before {
			holds = d.booker != 0
		}
	}
	return holds
}

// The booker is killed, and another robot has the ball booked at most 400 ms after its last packet: the lease of 300 ms,
// a control period of 20 ms, and 30 ms for each nearer robot that may claim before. The times are those at which packets
// arrived; time in which the machine let robots wait is not the protocol's. Started again, the robot does not take the
// ball from the one that is now nearer.
func TestKilledBookerIsReplaced(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	packets := &bookingTrace{packets: map[uint8][]soccer.Time{}}
	s, done := startTapped(ctx, t, "224.16.32.75:"+wiretest.FreePort(t, "udp"), io.Discard, packets.record)
	all := []uint8{1, 2, 3, 4, 5}
	for range 3 {
		var booker uint8
		wiretest.Eventually(t, "all robots run and agree on a booker", func() bool {
			booker = packets.agreed(all)
			return s.live() == 5 && booker != 0 && s.pid(strconv.Itoa(int(booker))) != 0
		})
		if _, err := s.Commands().Do("crash", fmt.Appendf(nil, `{"number":%d}`, booker)); err != nil {
			t.Fatal(err)
		}
		mates := slices.DeleteFunc(slices.Clone(all), func(n uint8) bool { return n == booker })
		var next uint8
		wiretest.Eventually(t, "the others agree on another booker", func() bool {
			next = packets.agreed(mates)
			return next != 0 && next != booker
		})
		first, gap, stalled := packets.takeover(booker, mates)
		t.Logf("robot %d was killed: robot %d booked the ball %v after its last packet, the machine stalled for %v", booker,
			first, gap.Round(time.Millisecond), stalled.Round(time.Millisecond))
		if first == 0 || gap-stalled > 400*time.Millisecond {
			t.Errorf("robot %d booked the ball %v after the last packet of robot %d, of which the machine stalled for %v",
				first, gap, booker, stalled)
		}
		s.rejoin(t, packets, booker, next)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// rejoin puts the ball beside the new booker, waits until the old one runs again and follows it, and checks that it never
// believed to be the booker itself while the new one had the ball and its packets arrived.
func (s *liveSession) rejoin(t *testing.T, packets *bookingTrace, old, booker uint8) {
	t.Helper()
	pose := func(number uint8) (at soccer.Pose) {
		for _, r := range s.Wall("wall").(*watch.Wall).Truth.Robots {
			if r.Number == number {
				at = r.Pose
			}
		}
		return at
	}
	near, far := pose(booker), pose(old)
	away := near.XY().Sub(far.XY())
	body, _ := json.Marshal(map[string]float64{"x": near.X + away.X/away.Len()*0.6, "y": near.Y + away.Y/away.Len()*0.6})
	if _, err := s.Commands().Do("place-ball", body); err != nil {
		t.Fatal(err)
	}
	packets.mu.Lock()
	from := len(packets.debugs)
	packets.mu.Unlock()
	wiretest.Eventually(t, "the killed robot runs again and believes in the booker", func() bool {
		return s.live() == 5 && packets.agreed([]uint8{old, booker}) == booker
	})
	packets.mu.Lock()
	defer packets.mu.Unlock()
	for _, d := range packets.debugs[from:] {
		if d.robot != old || d.booker != old {
			continue
		}
		if packets.heard(booker, d.at, old) && packets.holds(booker, d.at) {
			t.Errorf("robot %d took the ball from robot %d, which is nearer and was heard", old, booker)
		} else {
			t.Logf("robot %d took the ball from robot %d, which was silent", old, booker)
		}
		return
	}
}

// A partition and loss reach robots in processes: each side of a partition has a booker of its own, and robots that receive
// nothing all book the ball.
func TestTroubleReachesProcesses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	packets := &bookingTrace{packets: map[uint8][]soccer.Time{}}
	s, done := startTapped(ctx, t, "224.16.32.75:"+wiretest.FreePort(t, "udp"), io.Discard, packets.record)
	all := []uint8{1, 2, 3, 4, 5}
	command := func(name, format string, args ...any) {
		t.Helper()
		if _, err := s.Commands().Do(name, fmt.Appendf(nil, format, args...)); err != nil {
			t.Fatal(err)
		}
	}
	agree := func(what string) (booker uint8) {
		t.Helper()
		wiretest.Eventually(t, what, func() bool {
			booker = packets.agreed(all)
			return s.live() == 5 && booker != 0
		})
		return booker
	}
	booker := agree("all robots run and agree on a booker")
	others := slices.DeleteFunc(slices.Clone(all), func(n uint8) bool { return n == booker })
	command("partition", `{"robots":[%d]}`, booker)
	wiretest.Eventually(t, "each side of the partition has a booker of its own", func() bool {
		other := packets.agreed(others)
		return other != 0 && other != booker && packets.agreed([]uint8{booker}) == booker
	})
	command("partition", `{"robots":[]}`)
	agree("all agree on a booker when the network is whole again")
	command("link", `{"loss":1,"delay":0}`)
	alone := 0
	wiretest.Eventually(t, "at least two robots that hear nobody have the ball booked", func() bool {
		alone = 0
		for _, number := range all {
			if packets.agreed([]uint8{number}) == number {
				alone++
			}
		}
		return alone >= 2
	})
	command("link", `{"loss":0,"delay":20}`)
	agree("all agree on a booker over links with a delay")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
