package robot

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// FuzzReceive passes a robot arbitrary datagrams of two senders at odd times. It must not panic, and its belief must
// stay finite and bounded.
func FuzzReceive(f *testing.F) {
	good, err := mixedteam.Append(nil, &mixedteam.Header{
		Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: 1000, TeamID: 63, Robot: 3,
	}, &soccer.Percepts{
		Self:      soccer.Localisation{Known: true, HasHeading: true, Confidence: 1},
		Balls:     []soccer.Observation{{Position: soccer.Vec3{X: 1}, Confidence: 1}},
		Obstacles: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1}, Confidence: 0}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, good[:100], uint16(40))
	f.Add(good[:96], good, uint16(0))
	f.Fuzz(func(t *testing.T, a, b []byte, step uint16) {
		r := start(t, 1)
		now := soccer.Epoch.Add(2 * time.Second)
		for i := range 12 {
			for j, data := range [][]byte{a, b} {
				data = append([]byte(nil), data...)
				if i%3 == 2 && len(data) > 40 {
					data[2+7*i%38]++ // another packet than before
				}
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(4000+j))
				r.Receive(&soccer.Packet{Time: now, From: from, Data: data})
			}
			now += soccer.Time(step) * ms / 4
		}
		var w soccer.World
		r.World(now, &w)
		finite := func(values ...float64) {
			for _, v := range values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("a number is not finite: %+v", w)
				}
			}
		}
		c := w.Ball.Cov
		finite(w.Ball.Position.X, w.Ball.Position.Y, w.Ball.Position.Z, w.Ball.Velocity.X, w.Ball.Velocity.Y)
		finite(c.XX, c.XY, c.YY)
		if w.Ball.Known && (c.XX <= 0 || c.YY <= 0 || c.XX*c.YY <= c.XY*c.XY) {
			t.Fatalf("the ball's covariance is not positive definite: %+v", c)
		}
		for _, o := range w.Obstacles {
			finite(o.Position.X, o.Position.Y, o.Velocity.X, o.Velocity.Y, o.Cov.XX, o.Cov.XY, o.Cov.YY)
		}
		for _, p := range w.Peers {
			finite(p.Self.Pose.X, p.Self.Pose.Y, p.Self.Pose.Theta)
		}
		if len(w.Peers) > 64 || len(w.Obstacles) > 32 {
			t.Fatalf("got %d peers and %d obstacles, want at most 64 and 32", len(w.Peers), len(w.Obstacles))
		}
	})
}
