package manager

import (
	"math"

	"touchline/internal/stat"
	"touchline/wire/team"
)

// Spread describes a measured quantity over several tries. The variance of the measurements is taken out of SD.
type Spread struct {
	Tries  int           `json:"tries"`
	Mean   float64       `json:"mean"`
	MeanIn stat.Interval `json:"meanIn"`
	SD     float64       `json:"sd"` // standard deviation of the robot's kicks; 0 if the measurement explains the spread
	SDIn   stat.Interval `json:"sdIn"`
}

// KickSummary is the result of a kick check.
type KickSummary struct {
	Speed    Spread        `json:"speed"`    // m/s at launch
	Angle    Spread        `json:"angle"`    // rad at launch
	Distance Spread        `json:"distance"` // m, of the tries that stayed inside the field
	Delay    Spread        `json:"delay"`    // s from the command to the ball's motion
	Tries    int           `json:"tries"`
	Good     int           `json:"good"` // tries in which the ball left
	Rate     stat.Interval `json:"rate"` // of Good, from 0 to 1 (Clopper and Pearson)
}

// Kicks summarises the tries of a kick check.
func Kicks(tries []team.KickTry) KickSummary {
	var s KickSummary
	var speed, angle, distance, delay samples
	for i := range tries {
		t := &tries[i]
		s.Tries++
		if !t.OK {
			continue
		}
		s.Good++
		speed.add(t.Speed, t.SpeedSigma)
		angle.add(t.Angle, t.AngleSigma)
		delay.add(t.Delay, 0)
		if t.Inside {
			distance.add(t.Distance, t.DistanceSigma)
		}
	}
	s.Speed, s.Angle, s.Distance, s.Delay = speed.spread(), angle.spread(), distance.spread(), delay.spread()
	s.Rate = stat.Proportion(s.Good, s.Tries)
	return s
}

// samples are values with the variances of their measurements.
type samples struct {
	values   []float64
	variance float64 // sum
}

func (s *samples) add(value, sigma float32) {
	s.values = append(s.values, float64(value))
	s.variance += float64(float64(sigma) * float64(sigma))
}

// spread returns mean and standard deviation with their intervals. The interval of the standard deviation is that of the
// measured variance, less the variance of the measurements.
func (s *samples) spread() Spread {
	n := float64(len(s.values))
	out := Spread{Tries: len(s.values)}
	if len(s.values) == 0 {
		return out
	}
	for _, v := range s.values {
		out.Mean += v / n
	}
	out.MeanIn = stat.Interval{From: out.Mean, To: out.Mean}
	if len(s.values) < 2 {
		return out
	}
	squares := 0.0
	for _, v := range s.values {
		squares += float64((v - out.Mean) * (v - out.Mean))
	}
	measured, noise := squares/(n-1), s.variance/n
	half := float64(stat.StudentT(0.975, n-1) * math.Sqrt(measured/n))
	out.MeanIn = stat.Interval{From: out.Mean - half, To: out.Mean + half}
	own := func(variance float64) float64 { return math.Sqrt(max(0, variance-noise)) }
	out.SD = own(measured)
	out.SDIn = stat.Interval{From: own(squares / stat.ChiSquared(0.975, n-1)), To: own(squares / stat.ChiSquared(0.025, n-1))}
	return out
}
