package match

import (
	"math"
	"testing"
	"time"

	"touchline/soccer"
)

// Helpers at the touchline kick the ball in every few seconds, past robots, and stop it where it rolls out. The sixth
// robot is substituted now and then.
func TestSessionContinues(t *testing.T) {
	cfg := DefaultConfig()
	s, err := New(cfg, func(uint8, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	kicks, substitutions, passed := 0, 0, 0
	last, near := 0.0, false
	for s.Now() < soccer.Epoch.Add(5*time.Minute) {
		before := s.Wall().Truth
		advance(s, 20*time.Millisecond)
		w := s.Wall()
		ball := w.Truth.Ball
		if math.Abs(ball.X) > 9.7 || math.Abs(ball.Y) > 6.7 {
			t.Fatalf("the ball is at (%.2f, %.2f), beyond the boundary", ball.X, ball.Y)
		}
		for _, r := range w.Truth.Robots {
			near = near || math.Hypot(r.Pose.X-ball.X, r.Pose.Y-ball.Y) < 1.5
		}
		for _, m := range w.Marks {
			if m.Time <= last {
				continue
			}
			if m.Kind == "substitute" {
				substitutions++
			}
			if m.Text != "kick-in" {
				continue
			}
			kicks++
			if near {
				passed++
			}
			near = false
			if inside := min(9-math.Abs(before.Ball.X), 6-math.Abs(before.Ball.Y)); inside > 0.6 {
				t.Errorf("kicked in from (%.2f, %.2f), %.2f m inside the lines", before.Ball.X, before.Ball.Y, inside)
			}
		}
		if n := len(w.Marks); n > 0 {
			last = w.Marks[n-1].Time
			if first := w.Marks[0].Time; w.Time-first > 61+20 { // a new mark removes old ones, every few seconds
				t.Fatalf("a mark is still there after %.1f s", w.Time-first)
			}
		}
	}
	if kicks < 30 || substitutions < 7 || passed < kicks/2 {
		t.Errorf("%d kick-ins in 5 min, %d of which passed a robot, %d substitutions", kicks, passed, substitutions)
	}
}

// The laptop of CAMBADA simulates the same ball: unlike a camera it sees it at all times and through bodies.
func TestLaptopAlwaysSeesBall(t *testing.T) {
	for _, score := range virtual(t, DefaultConfig(), time.Minute).Scores() {
		switch share := score.Alone.Share(); {
		case score.Number == 1 && score.Alone.Samples > 0 && share < 0.98:
			t.Errorf("the laptop alone has a ball %.0f %% of the time, want 98 %%", 100*share)
		case score.Number != 1 && share > 0.9:
			t.Errorf("%s alone has a ball %.0f %% of the time, want at most 90 %% with a camera", score.Team, 100*share)
		}
	}
}

func TestLinkLoss(t *testing.T) {
	cfg := quiet()
	cfg.Link.Loss = 0.5
	s := virtual(t, cfg, 12*time.Second)
	for i, tile := range s.Wall().Tiles {
		full := Participants()[i].Camera.Rate
		if math.Abs(tile.Rate-full/2) > full/5 {
			t.Errorf("%s is received at %.1f Hz, want half of %.1f", tile.Team, tile.Rate, full)
		}
	}
	cfg.Link.Loss, cfg.Link.Delay = 0, 300*time.Millisecond
	s = virtual(t, cfg, 3*time.Second)
	if err := s.Kick(soccer.Vec3{X: 4}); err != nil {
		t.Fatal(err)
	}
	advance(s, 200*time.Millisecond)
	for _, tile := range s.Wall().Tiles[1:] {
		if b := tile.Belief.Ball; b != nil && !tile.Belief.SeesBall && math.Abs(b.VX) > 1 {
			t.Errorf("%s knows of a kick after 200 ms from packets with a delay of 300 ms", tile.Team)
		}
	}
}

func TestPlaceBall(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	if err := s.PlaceBall(soccer.Vec{X: 1, Y: -2}); err != nil {
		t.Fatal(err)
	}
	if b := s.Wall().Truth.Ball; b.X != 1 || b.Y != -2 || b.VX != 0 {
		t.Errorf("the ball is at %+v", b)
	}
	if err := s.PlaceBall(soccer.Vec{X: 100}); err == nil {
		t.Error("a ball was placed outside")
	}
}
