package booking

import (
	"math"

	"touchline/soccer"
	"touchline/wire/b3p"
)

// see filters the robot's distance to the ball. Without the ball the distance holds until Lost.
func (s *OwnDistance) see(c *Config, now soccer.Time, v *View) {
	switch d := v.Distance; {
	case !v.Fit:
		s.Own = b3p.Unknown
	case v.Known && d >= 0 && d*1000 <= b3p.MaxDistance: // neither NaN
		if s.Own == b3p.Unknown {
			s.distance = d
		}
		s.distance += float64(c.Smoothing * (d - s.distance))
		s.Own, s.SeenAt = millimetres(s.distance), now
	case now.Sub(s.SeenAt) > c.Lost:
		s.Own = b3p.Unknown
	}
}

// millimetres returns a distance as the messages carry it, in steps of 50 mm.
func millimetres(m float64) uint16 { return uint16(math.Round(m*20)) * 50 }

// metres returns the robot's distance to the ball, 0 if it cannot play the ball.
func (s *OwnDistance) metres() float64 {
	if s.Own == b3p.Unknown {
		return 0
	}
	return float64(s.Own) / 1000
}
