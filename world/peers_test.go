package world_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// team passes m pictures of robots 2..last at now, which see the ball from (0, 0) and nothing else.
func team(m *world.Model, last uint8, now soccer.Time, x, y float64) {
	for robot := uint8(2); robot <= last; robot++ {
		receive(m, sender(robot), now, 60*time.Millisecond, oneBall(at(0, 0), x, y))
	}
}

func TestPeerWithoutPose(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 10 {
		p := soccer.Percepts{Balls: []soccer.Observation{seen(2, 1, 0.8)}, Obstacles: []soccer.Observation{seen(3, 3, 0.5)}}
		receive(m, sender(2), now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	w := belief(m, now)
	if len(w.Peers) != 1 || w.Peers[0].Self.Known {
		t.Errorf("got peers %+v, want one without a pose", w.Peers)
	}
	if w.Ball.Known || len(w.Obstacles) > 0 {
		t.Error("observations of a robot without a pose were fused")
	}
	if got := m.Counts().Unplaced; got != 20 {
		t.Errorf("%d observations counted as unplaced, want 20", got)
	}
}

func TestOtherColorIsNotFused(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	away := sender(2)
	away.Color = soccer.Magenta
	p := oneBall(at(1, 0), 2, 1)
	none := sender(3)
	none.Color = soccer.NoColor
	for range 5 {
		receive(m, away, now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := belief(m, now); w.Ball.Known || len(w.Peers) > 0 || m.Counts().OtherSide != 5 {
		t.Errorf("packages of the other side were fused: %+v, %+v", w, m.Counts())
	}
	for range 5 {
		receive(m, none, now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := belief(m, now); !w.Ball.Known || len(w.Peers) != 1 {
		t.Errorf("a sender without a colour was not fused as a teammate: %+v", w)
	}
}

func TestClockOffsets(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(100 * time.Second)
	send := func(stamp uint32) {
		m.Receive(&world.Message{From: sender(2), Arrival: now, HasStamp: true, Stamp: stamp,
			Percepts: new(oneBall(at(-3, 0), 2, 1))})
		now += 40 * ms
	}
	for i := range uint32(10) {
		send(5_000_000 + 40*i) // a clock with a far offset
	}
	if b := belief(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Fatalf("sender with another clock origin: ball last seen %v ago, want at most 150 ms", now.Sub(b.LastSeen))
	}
	send(5_000_000 + 40*9)
	if m.Counts().Duplicate != 1 {
		t.Error("a repeated package was not counted")
	}
	for i := range uint32(10) {
		send(40 * (i + 1)) // a new half: back to 0
	}
	if got := m.Counts().ClockJumps; got != 1 {
		t.Errorf("%d clock jumps, want 1", got)
	}
	if b := belief(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Errorf("after the start of a half the ball was last seen %v ago, want at most 150 ms", now.Sub(b.LastSeen))
	}
	send(math.MaxUint32) // one absurd stamp
	for i := range uint32(10) {
		send(40 * (i + 20))
	}
	if b := belief(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Errorf("after one absurd stamp the ball was last seen %v ago, want at most 150 ms", now.Sub(b.LastSeen))
	}
}

// Before the half starts every stamp is 0: the contents are as old as the configured latency.
func TestStampZero(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	for range 100 {
		captured := now.Add(-60 * time.Millisecond)
		x := 2 * captured.Sub(soccer.Epoch).Seconds() / 4
		m.Receive(&world.Message{From: sender(2), Arrival: now, HasStamp: true,
			Percepts: new(oneBall(at(-3, 0), x, 1))})
		now += 40 * ms
		if b := belief(m, now).Ball; b.Known && now.Sub(b.LastSeen) > 101*time.Millisecond {
			t.Fatalf("ball last seen %v ago, want at most 101 ms", now.Sub(b.LastSeen))
		}
	}
	if c := m.Counts(); c.Stale+c.ClockJumps+c.Duplicate > 0 {
		t.Errorf("got counts %+v, want none", c)
	}
}

// A package without a stamp was captured one latency ago, and copies that arrive at once count once.
func TestWithoutStamp(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	send := func(from soccer.Sender) {
		m.Receive(&world.Message{From: from, Arrival: now, Percepts: &soccer.Percepts{
			Self: at(-3, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)},
		}})
	}
	for range 3 {
		send(sender(2))
	}
	if w := belief(m, now); w.Ball.Known || m.Counts().Duplicate != 2 {
		t.Errorf("three copies: got ball %+v and %d duplicates, want no ball and 2", w.Ball, m.Counts().Duplicate)
	}
	for range 3 {
		now += 40 * ms
		send(sender(2))
	}
	if b := belief(m, now).Ball; now.Sub(b.LastSeen) != 60*time.Millisecond {
		t.Errorf("ball seen %v before the package arrived, want the latency of 60 ms", now.Sub(b.LastSeen))
	}
}

// A teammate that sends a thousand packages a second has no more weight than one that sends 25.
func TestAFloodHasNoWeight(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 2000 {
		if i%40 == 0 {
			team(m, 5, now, 2, 1)
		}
		receive(m, sender(6), now, 60*time.Millisecond, oneBall(at(0, 0), -5, 3))
		now += ms
	}
	if b := belief(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.1 {
		t.Errorf("got ball at %+v, want (2, 1) despite the flood", b.Position)
	}
}

// Repeating old contents adds no weight.
func TestOldStampsHaveNoWeight(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 2000 {
		if i%40 == 0 {
			team(m, 5, now, 2, 1)
		}
		if i%6 == 0 {
			old := time.Duration(i%25) * 16 * time.Millisecond
			receive(m, sender(6), now.Add(-old), 60*time.Millisecond+old, oneBall(at(0, 0), 1.6, 1))
		}
		now += ms
	}
	if c := m.Counts(); c.Duplicate+c.Stale < 200 { // of 334; it never had more than one picture in 16 ms
		t.Errorf("got counts %+v, want at least 200 duplicate or stale packages", c)
	}
	if b := belief(m, now).Ball; math.Abs(b.Position.X-2) > 0.12 { // one of five with the same weight moves it by 0.08
		t.Errorf("got ball at x = %.3f, want 2 as four robots report; one often reports 1.6", b.Position.X)
	}
}

// Tracks expire even when nobody asks for the World: a new ball needs confirmation again.
func TestTracksExpireUnasked(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	send := func(x float64, n int) {
		for range n {
			receive(m, sender(2), now, 60*time.Millisecond, oneBall(at(0, 0), x, 1))
			now += 40 * ms
		}
	}
	send(2, 10)
	now = now.Add(10 * time.Second)
	send(-7, 1)
	if b := belief(m, now).Ball; b.Known {
		t.Errorf("one sighting after 10 s confirmed a ball at %+v", b.Position)
	}
}

// One address that sends for many robots has one vote about the ball.
func TestOneVotePerAddress(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 50 {
		team(m, 3, now, 2, 1)
		for robot := range uint8(8) {
			from := sender(9)
			from.Robot = robot
			receive(m, from, now, 60*time.Millisecond, oneBall(at(0, 0), -5, 3))
		}
		now += 40 * ms
	}
	if b := belief(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.1 {
		t.Errorf("got ball at %+v, want (2, 1): eight robots of one address outvoted two others", b.Position)
	}
}

// An offset is dropped after two windows of 10 s, so that the model follows a drifting clock or a longer delay.
func TestOffsetFollowsDelay(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	start := soccer.Epoch.Add(time.Second)
	var now soccer.Time
	for i := range 1000 { // 40 s
		captured := start.Add(time.Duration(i) * 40 * time.Millisecond)
		late := time.Duration(0)
		if i > 100 {
			late = 300 * time.Millisecond
		}
		receive(m, sender(2), captured, 60*time.Millisecond+late, oneBall(at(-3, 0), 2, 1))
		now = captured.Add(60*time.Millisecond + late)
	}
	if b := belief(m, now).Ball; now.Sub(b.LastSeen) > 70*time.Millisecond {
		t.Errorf("35 s after the delay grew the ball was last seen %v ago, want the latency of 60 ms", now.Sub(b.LastSeen))
	}
}

// Packages that were held up and arrive in a burst are late; they are no sign of another clock.
func TestDelayedBurst(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	start := soccer.Epoch.Add(time.Second)
	send := func(i int, late time.Duration) {
		captured := start.Add(time.Duration(i) * 40 * time.Millisecond)
		receive(m, sender(2), captured, 60*time.Millisecond+late, soccer.Percepts{Self: at(float64(i)*0.04, 0)})
	}
	for i := range 25 {
		send(i, 0)
	}
	for i := 25; i < 65; i++ { // held up until package 65 is due
		send(i, time.Duration(65-i)*40*time.Millisecond)
	}
	now := start.Add(65*40*time.Millisecond + 60*time.Millisecond)
	if x := belief(m, now).Peers[0].Self.Pose.X; math.Abs(x-64*0.04) > 0.01 {
		t.Errorf("got peer at x = %.2f, want %.2f as in the newest package", x, 64*0.04)
	}
	if c := m.Counts(); c.ClockJumps != 0 || c.Stale == 0 {
		t.Errorf("got counts %+v, want the oldest of the burst stale and no clock jump", c)
	}
}

func TestPeersAreBounded(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range uint8(250) { // all from one address
		from := sender(1)
		from.Robot = i
		receive(m, from, now, 0, soccer.Percepts{Self: at(0, 3)})
	}
	if w := belief(m, now); len(w.Peers) != 8 {
		t.Errorf("%d peers of one address, want 8", len(w.Peers))
	}
	now = now.Add(3 * time.Second)
	for i := range 1000 {
		from := sender(uint8(i))
		from.Addr = netip.AddrPortFrom(from.Addr.Addr(), uint16(1000+i))
		receive(m, from, now, 0, soccer.Percepts{Self: at(0, 3)})
		now += ms
	}
	w := belief(m, now)
	if len(w.Peers) != 64 {
		t.Fatalf("%d peers, want 64", len(w.Peers))
	}
	for _, p := range w.Peers {
		if p.Sender.Addr.Port() < 1000+936 {
			t.Errorf("an older sender, port %d, was kept instead of a newer one", p.Sender.Addr.Port())
		}
	}
}

// A second sender with the number of an active robot does not move the ball; once the first is silent, it takes over.
func TestSecondSenderOfANumberIsNotFused(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	second := sender(2)
	second.Addr = netip.MustParseAddrPort("10.0.0.77:5000")
	for range 20 {
		receive(m, sender(2), now, 60*time.Millisecond, oneBall(at(0, 0), 2, 1))
		receive(m, second, now+10*ms, 60*time.Millisecond, oneBall(at(0, 0), -4, 1))
		now += 50 * ms
	}
	if w := belief(m, now); len(w.Peers) != 1 || math.Abs(w.Ball.Position.X-2) > 0.2 || m.Counts().SameNumber != 20 {
		t.Errorf("got ball %v of peers %+v, and %d packages of a number in use", w.Ball.Position, w.Peers,
			m.Counts().SameNumber)
	}
	for range 60 {
		receive(m, second, now, 60*time.Millisecond, oneBall(at(0, 0), -4, 1))
		now += 50 * ms
	}
	if w := belief(m, now); math.Abs(w.Ball.Position.X+4) > 0.2 {
		t.Errorf("got ball %v after the first robot left, want x = -4", w.Ball.Position)
	}
	before := m.Counts().SameNumber
	receive(m, sender(1), now, 60*time.Millisecond, oneBall(at(0, 0), 3, 3))
	if w := belief(m, now); len(w.Peers) != 1 || m.Counts().SameNumber != before+1 {
		t.Errorf("a sender with this robot's own number is a peer: %+v", w.Peers)
	}
}

// Senders that differ only in the first half of an IPv6 address are two peers, and a peer stays one when others leave.
func TestPeersAreToldApart(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	from := func(ip string, robot uint8) soccer.Sender {
		return soccer.Sender{Addr: netip.MustParseAddrPort("[" + ip + "]:5000"), Robot: robot}
	}
	first, second, third := from("fd00:1::7", 0), from("fd00:2::7", 0), from("fd00:2::7", 3)
	for range 2 {
		receive(m, first, now, 0, soccer.Percepts{Self: at(1, 0)})
		receive(m, second, now, 0, soccer.Percepts{Self: at(2, 0)})
		receive(m, third, now, 0, soccer.Percepts{Self: at(3, 0)})
		now += 40 * ms
	}
	check := func(want ...float64) {
		t.Helper()
		w := belief(m, now)
		if len(w.Peers) != len(want) {
			t.Fatalf("got %d peers, want %d", len(w.Peers), len(want))
		}
		for i, x := range want {
			if got := w.Peers[i].Self.Pose.X; got != x {
				t.Errorf("peer %d is at x = %v, want %v", i, got, x)
			}
		}
	}
	check(1, 2, 3)
	for range 60 { // the first one falls silent
		receive(m, second, now, 0, soccer.Percepts{Self: at(4, 0)})
		receive(m, third, now, 0, soccer.Percepts{Self: at(5, 0)})
		now += 40 * ms
	}
	check(4, 5)
	receive(m, first, now, 0, soccer.Percepts{Self: at(6, 0)})
	check(4, 5, 6)
}
