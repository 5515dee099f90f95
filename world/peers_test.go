package world_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// sayTheSame lets robots from..to-1 tell of the ball at (2, 1).
func sayTheSame(m *world.Model, from, to uint8, now soccer.Time) {
	for robot := from; robot < to; robot++ {
		hear(m, sender(robot), now, 60*time.Millisecond, soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
	}
}

func TestPeerWithoutPose(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 10 {
		p := soccer.Percepts{Balls: []soccer.Observation{seen(2, 1, 0.8)}, Obstacles: []soccer.Observation{seen(3, 3, 0.5)}}
		hear(m, sender(2), now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	w := believed(m, now)
	if len(w.Peers) != 1 || w.Peers[0].Self.Known {
		t.Errorf("peers %+v: want one that lives without a pose", w.Peers)
	}
	if w.Ball.Known || len(w.Obstacles) > 0 {
		t.Error("the candidates of a robot that does not know where it is were fused")
	}
	if got := m.Counts().Unplaced; got != 20 {
		t.Errorf("%d candidates counted as unplaced, want 20", got)
	}
}

func TestOtherColorIsNotFused(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	away := sender(2)
	away.Color = soccer.Magenta
	p := soccer.Percepts{Self: at(1, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}}
	none := sender(3)
	none.Color = soccer.NoColor
	for range 5 {
		hear(m, away, now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := believed(m, now); w.Ball.Known || len(w.Peers) > 0 || m.Counts().OtherSide != 5 {
		t.Errorf("the other side's packets were taken in: %+v, %+v", w, m.Counts())
	}
	for range 5 {
		hear(m, none, now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := believed(m, now); !w.Ball.Known || len(w.Peers) != 1 {
		t.Errorf("a sender without a colour is a teammate, got %+v", w)
	}
}

func TestClockOffsets(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(100 * time.Second)
	send := func(stamp uint32) {
		m.Receive(&world.Message{From: sender(2), Arrival: now, HasStamp: true, Stamp: stamp,
			Percepts: &soccer.Percepts{Self: at(-3, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}}})
		now += 40 * ms
	}
	for i := range uint32(10) {
		send(5_000_000 + 40*i) // a clock that is off by far
	}
	if b := believed(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Fatalf("a sender with another clock origin is not fused at the right time: seen %v ago", now.Sub(b.LastSeen))
	}
	send(5_000_000 + 40*9)
	if m.Counts().Duplicate != 1 {
		t.Error("a repeated packet was not noticed")
	}
	for i := range uint32(10) {
		send(40 * (i + 1)) // a new part: back to 0
	}
	if got := m.Counts().ClockJumps; got != 1 {
		t.Errorf("%d clock resets, want 1", got)
	}
	if b := believed(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Errorf("after a new part the ball was last seen %v ago", now.Sub(b.LastSeen))
	}
	send(math.MaxUint32) // nonsense once
	for i := range uint32(10) {
		send(40 * (i + 20))
	}
	if b := believed(m, now).Ball; !b.Known || now.Sub(b.LastSeen) > 150*time.Millisecond {
		t.Errorf("one absurd stamp made the sender's packets stale: ball seen %v ago", now.Sub(b.LastSeen))
	}
}

func TestStampZero(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	for range 100 {
		captured := now.Add(-60 * time.Millisecond)
		x := 2 * captured.Sub(soccer.Epoch).Seconds() / 4
		m.Receive(&world.Message{From: sender(2), Arrival: now, HasStamp: true,
			Percepts: &soccer.Percepts{Self: at(-3, 0), Balls: []soccer.Observation{seen(x, 1, 0.8)}}})
		now += 40 * ms
		if b := believed(m, now).Ball; b.Known && now.Sub(b.LastSeen) > 101*time.Millisecond {
			t.Fatalf("ball seen %v ago", now.Sub(b.LastSeen))
		}
	}
	if c := m.Counts(); c.Stale+c.ClockJumps+c.Duplicate > 0 {
		t.Errorf("counts %+v, want none", c)
	}
}

func TestWithoutStamp(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	say := func(from soccer.Sender) {
		m.Receive(&world.Message{From: from, Arrival: now, Percepts: &soccer.Percepts{
			Self: at(-3, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)},
		}})
	}
	for range 3 {
		say(sender(2))
	}
	if w := believed(m, now); w.Ball.Known || m.Counts().Duplicate != 2 {
		t.Errorf("one package that came three times confirmed a ball: %+v, repeated %d", w.Ball, m.Counts().Duplicate)
	}
	for range 3 {
		now += 40 * ms
		say(sender(2))
	}
	if b := believed(m, now).Ball; now.Sub(b.LastSeen) != 60*time.Millisecond {
		t.Errorf("ball seen %v before the package came, want the latency of 60 ms", now.Sub(b.LastSeen))
	}
}

func TestAFloodHasNoWeight(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 2000 {
		if i%40 == 0 {
			sayTheSame(m, 2, 6, now)
		}
		hear(m, sender(6), now, 60*time.Millisecond, soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(-5, 3, 0.8)}})
		now += ms
	}
	if b := believed(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.1 {
		t.Errorf("the ball of a flood is believed in: %+v", b.Position)
	}
}

func TestOldStampsHaveNoWeight(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 2000 {
		if i%40 == 0 {
			sayTheSame(m, 2, 6, now)
		}
		if i%6 == 0 {
			old := time.Duration(i%25) * 16 * time.Millisecond
			hear(m, sender(6), now.Add(-old), 60*time.Millisecond+old, soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(1.6, 1, 0.8)}})
		}
		now += ms
	}
	if c := m.Counts(); c.Duplicate+c.Stale < 200 { // of 334; it never had more than one picture in 16 ms
		t.Errorf("%+v: old contents count again", c)
	}
	if b := believed(m, now).Ball; math.Abs(b.Position.X-2) > 0.1 {
		t.Errorf("the ball is at x = %.3f; four robots say 2, one says 1.6 and says it often", b.Position.X)
	}
}

func TestForgetsUnasked(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	say := func(x float64, n int) {
		for range n {
			hear(m, sender(2), now, 60*time.Millisecond, soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(x, 1, 0.8)}})
			now += 40 * ms
		}
	}
	say(2, 10)
	now = now.Add(10 * time.Second)
	say(-7, 1)
	if b := believed(m, now).Ball; b.Known {
		t.Errorf("one sight after 10 s makes a ball: %+v", b.Position)
	}
}

func TestACrowdIsOneVoice(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 50 {
		sayTheSame(m, 2, 4, now)
		for robot := range uint8(8) {
			from := sender(9)
			from.Robot = robot
			hear(m, from, now, 60*time.Millisecond, soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(-5, 3, 0.8)}})
		}
		now += 40 * ms
	}
	if b := believed(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.1 {
		t.Errorf("eight robots of one address are believed against two of two: %+v", b.Position)
	}
}

func TestOffsetFollows(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	start := soccer.Epoch.Add(time.Second)
	var now soccer.Time
	for i := range 1000 { // 40 s
		captured := start.Add(time.Duration(i) * 40 * time.Millisecond)
		late := time.Duration(0)
		if i > 100 {
			late = 300 * time.Millisecond
		}
		hear(m, sender(2), captured, 60*time.Millisecond+late, soccer.Percepts{Self: at(-3, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
		now = captured.Add(60*time.Millisecond + late)
	}
	if b := believed(m, now).Ball; now.Sub(b.LastSeen) > 70*time.Millisecond {
		t.Errorf("35 s after the way became longer the ball is seen %v ago, want the latency of 60 ms", now.Sub(b.LastSeen))
	}
}

func TestHeldUpPackets(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	start := soccer.Epoch.Add(time.Second)
	say := func(i int, late time.Duration) {
		captured := start.Add(time.Duration(i) * 40 * time.Millisecond)
		hear(m, sender(2), captured, 60*time.Millisecond+late, soccer.Percepts{Self: at(float64(i)*0.04, 0)})
	}
	for i := range 25 {
		say(i, 0)
	}
	for i := 25; i < 65; i++ { // held up until packet 65 would come
		say(i, time.Duration(65-i)*40*time.Millisecond)
	}
	now := start.Add(65*40*time.Millisecond + 60*time.Millisecond)
	if x := believed(m, now).Peers[0].Self.Pose.X; math.Abs(x-64*0.04) > 0.01 {
		t.Errorf("the peer stands at x = %.2f, the newest packet says %.2f", x, 64*0.04)
	}
	if c := m.Counts(); c.ClockJumps != 0 || c.Stale == 0 {
		t.Errorf("counts %+v: want the oldest of the burst stale, and no other clock", c)
	}
}

func TestPeersAreBounded(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range uint8(250) { // all from one address
		from := sender(1)
		from.Robot = i
		hear(m, from, now, 0, soccer.Percepts{Self: at(0, 3)})
	}
	if w := believed(m, now); len(w.Peers) != 8 {
		t.Errorf("%d peers of one address are kept, want 8", len(w.Peers))
	}
	now = now.Add(3 * time.Second)
	for i := range 1000 {
		from := sender(uint8(i))
		from.Addr = netip.AddrPortFrom(from.Addr.Addr(), uint16(1000+i))
		hear(m, from, now, 0, soccer.Percepts{Self: at(0, 3)})
		now += ms
	}
	w := believed(m, now)
	if len(w.Peers) != 64 {
		t.Fatalf("%d peers are kept, want 64", len(w.Peers))
	}
	for _, p := range w.Peers {
		if p.Sender.Addr.Port() < 1000+936 {
			t.Errorf("an older sender (port %d) was kept instead of a newer one", p.Sender.Addr.Port())
		}
	}
}
