package world_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// FuzzModel passes a model arbitrary percepts of itself and of peers, packages and raw pictures, at odd times and with odd
// covariances. It must not panic, and its belief
// must be numbers.
func FuzzModel(f *testing.F) {
	f.Add([]byte("a robot at the centre sees a ball and an obstacle, and another one does not"))
	f.Add(make([]byte, 256))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := soccer.Epoch
		next := func() (v float64) {
			if len(data) < 8 {
				data = nil
				return 1
			}
			v = math.Float64frombits(binary.LittleEndian.Uint64(data))
			if data[0]&3 != 0 { // mostly on the field
				v = float64(int16(binary.LittleEndian.Uint16(data))) / 2000
			}
			data = data[8:]
			return v
		}
		observations := func() (list []soccer.Observation) {
			for range int(math.Abs(math.Mod(next(), 4))) {
				o := soccer.Observation{Position: soccer.Vec3{X: next(), Y: next()}, Confidence: next()}
				if len(data) > 0 && data[0]&4 != 0 {
					o.Cov = soccer.Cov{XX: next(), XY: next() / 100, YY: next()}
				}
				list = append(list, o)
			}
			return list
		}
		pose := func() soccer.Localisation {
			l := at(next(), next())
			if len(data) > 0 && data[0]&4 != 0 {
				l.Cov = soccer.PoseCov{next(), next() / 100, next() / 100, next(), next() / 100, next()}
			}
			return l
		}
		for range 64 {
			if len(data) == 0 {
				break
			}
			kind := data[0]
			step := time.Duration(int8(kind)) * 10 * time.Millisecond
			now = now.Add(step)
			p := soccer.Percepts{Time: now, Self: pose(), Balls: observations(), Obstacles: observations()}
			switch {
			case kind&1 == 0:
				m.Observe(&p)
			case kind&16 != 0:
				p.Time = now.Add(-time.Duration(next() * float64(time.Second)))
				m.Measure(sender(kind&7), now, &p)
			default:
				m.Receive(&world.Message{From: sender(kind & 7), Arrival: now, HasStamp: kind&8 == 0,
					Stamp: uint32(now.Sub(soccer.Epoch)/time.Millisecond) + uint32(kind), Percepts: &p})
			}
			w := belief(m, now)
			if b := &w.Ball; b.Known && !(math.Abs(b.Position.X)+math.Abs(b.Velocity.X)+b.Cov.XX+b.Cov.YY < 1e6) {
				t.Fatalf("the ball is %+v", b)
			}
			for _, o := range w.Obstacles {
				if !(math.Abs(o.Position.X)+math.Abs(o.Velocity.Y)+o.Cov.XX < 1e6) {
					t.Fatalf("an obstacle is %+v", o)
				}
			}
		}
	})
}
