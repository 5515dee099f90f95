package match

import (
	"sync"
	"testing"
	"time"

	"touchline/internal/camera"

	"touchline/soccer"
)

// TestPixels compares what NuBot's camera finds in its pixels with the field, and a session that draws beside itself with
// one that waits.
func TestPixels(t *testing.T) {
	type seen struct {
		pictures, balls, right int
		last                   soccer.Vec3
	}
	run := func(change func(*Config)) (found seen) {
		cfg := DefaultConfig()
		cfg.Pixels, cfg.Kick, cfg.Substitute = soccer.RobotSet(0).With(5), [2]time.Duration{}, [2]time.Duration{}
		change(&cfg)
		s, err := New(cfg, func(uint8, []byte) {})
		if err != nil {
			t.Fatal(err)
		}
		var scene camera.Scene
		s.Attach(Probe{Sensed: func(number uint8, p *soccer.Percepts) {
			if number != 5 {
				return
			}
			found.pictures++
			for _, b := range p.Balls {
				found.balls++
				found.last = b.Position
				if s.Scene(5, &scene) && b.Position.XY().Sub(scene.Ball.XY()).Len() < 1 {
					found.right++
				}
			}
		}})
		for k := range 12 { // around the camera, 1 to 5 m away
			s.Scene(5, &scene)
			at := soccer.Vec{X: scene.Self.X - float64(1+k%5), Y: scene.Self.Y + 0.3*float64(k)}
			if err := s.PlaceBall(at); err != nil {
				t.Fatal(err)
			}
			s.Advance(s.Now().Add(500 * time.Millisecond))
		}
		return found
	}
	waited := run(func(*Config) {})
	if waited.pictures < 50 || waited.pictures > 62 || waited.balls < 30 || 10*waited.right < 9*waited.balls {
		t.Errorf("%+v", waited)
	}
	beside := run(func(cfg *Config) {
		cfg.Background = func(work func()) func() {
			var done sync.WaitGroup
			done.Go(work)
			return done.Wait
		}
	})
	if beside != waited {
		t.Errorf("drawn beside the session %+v, by the session %+v", beside, waited)
	}
	dark := run(func(cfg *Config) {
		cfg.Known = func(uint8) Known {
			return Known{Params: camera.Params{Exposure: 0.1, WhiteRed: 1, WhiteBlue: 1, Focus: 2}}
		}
	})
	if dark.balls > 0 {
		t.Errorf("with an exposure of 0.1 ms it saw %d balls", dark.balls)
	}
}
