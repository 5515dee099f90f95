package world

import (
	"testing"
	"time"

	"touchline/soccer"
)

// The sigma of kicks grows after fast ones, and is never less than the configured one. One kick counts once, and only when
// its velocity is known.
func TestKicksLearnFastOnes(t *testing.T) {
	var k kickSpeeds
	at := soccer.Epoch
	kick := func(speed, variance float64) {
		at = at.Add(time.Second)
		for range 10 {
			k.see(at, soccer.Vec{Y: -speed}, variance)
		}
	}
	for range 20 {
		kick(3, 0.1)
	}
	if s := k.sigma(3); s != 3 {
		t.Errorf("sigma %v m/s after kicks of 3 m/s, want the configured 3", s)
	}
	kick(9, 2)
	if s := k.sigma(3); s != 3 {
		t.Errorf("sigma %v m/s after a kick of unknown speed", s)
	}
	kick(9, 0.1)
	if s := k.sigma(3); s > 4.5 {
		t.Errorf("sigma %v m/s after one fast kick: it counts several times", s)
	}
	for range 10 {
		kick(8, 0.1)
	}
	if s := k.sigma(3); s < 5 || s > 6 {
		t.Errorf("sigma %v m/s after kicks of 8 m/s, want 5 to 6", s)
	}
}
