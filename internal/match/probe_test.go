package match

import (
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// A probe sees each picture of the robots, and the packages that the link does not lose.
func TestProbe(t *testing.T) {
	cfg := quiet()
	cfg.Link, cfg.NoTCM = traffic.Link{Loss: 0.5}, true
	s := virtual(t, cfg, 0)
	var sensed, received [7]int
	s.Attach(Probe{
		Sensed: func(number uint8, p *soccer.Percepts) {
			sensed[number]++
			if age := s.Now().Sub(p.Time); age != 60*time.Millisecond {
				t.Errorf("robot %d senses a picture after %v, want 60 ms", number, age)
			}
		},
		Received: func(number uint8, p *soccer.Packet) {
			received[number]++
			var h mixedteam.Header
			if _, err := mixedteam.Decode(p.Data, &h, new(soccer.Percepts)); err != nil || h.Robot == number {
				t.Errorf("robot %d receives a package of robot %d, %v", number, h.Robot, err)
			}
		},
	})
	advance(s, 4*time.Second)
	all := 0
	for _, n := range sensed {
		all += n
	}
	for number := uint8(1); number <= 5; number++ {
		if sensed[number] < 45 {
			t.Errorf("robot %d senses %d pictures in 4 s, want at least 45", number, sensed[number])
		}
		if share := float64(received[number]) / float64(all-sensed[number]); share < 0.4 || share > 0.6 {
			t.Errorf("robot %d receives %.2f of the packages, want 0.5", number, share)
		}
	}
}

// World is the belief that the robot's tile shows.
func TestWorldOfARobot(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	var w soccer.World
	if !s.World(2, &w) || !w.Ball.Known || w.Time != s.Now() {
		t.Fatalf("robot 2 believes %+v", w.Ball)
	}
	if shown := s.Wall().Tiles[1].Belief.Ball; shown == nil || shown.X != w.Ball.Position.X {
		t.Errorf("the tile shows %+v, robot 2 believes %+v", shown, w.Ball)
	}
	if s.World(6, &w) {
		t.Error("the substitute believes something")
	}
}
