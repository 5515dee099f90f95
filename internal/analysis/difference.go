package analysis

import (
	"cmp"
	"math"
	"slices"

	"touchline/internal/stat"
)

// Difference compares a figure of two teams, or of two versions of one, over many matches. Its JSON is stable.
type Difference struct {
	Name       string         `json:"name"`
	Text       string         `json:"text"`
	Unit       string         `json:"unit"`       // "%": the values are shares from 0 to 1
	N          [2]int         `json:"n"`          // matches that hold it
	A          *float64       `json:"a"`          // mean; null without a match that holds it
	B          *float64       `json:"b"`          // mean
	Difference *float64       `json:"difference"` // b - a
	Interval   *stat.Interval `json:"interval"`   // 95 %; null: too few matches
	// Effect is the difference in standard deviations of one match; null where there is no interval, or where no match
	// differs from another of its side.
	Effect *float64 `json:"effect"`

	Metric *Metric `json:"-"`
	rank   float64
}

// Compare compares the values of a figure in two lists of matches; with paired, value by value.
func (m *Metric) Compare(a, b []float64, paired bool) Difference {
	d := Difference{Name: m.Name, Text: m.Text, Unit: m.Unit, N: [2]int{len(a), len(b)}, Metric: m, rank: -1}
	compare := stat.Unpaired
	if paired {
		compare = stat.Paired
	}
	compared := compare(a, b)
	if len(a) > 0 {
		d.A = &compared.A
	}
	if len(b) > 0 {
		d.B = &compared.B
	}
	if d.A != nil && d.B != nil {
		d.Difference = &compared.By
	}
	if compared.Known {
		d.Interval = &compared.Interval
		if d.rank = math.Abs(compared.Effect); !math.IsInf(d.rank, 0) {
			d.Effect = &compared.Effect
		}
	}
	return d
}

// SortByEffect sorts differences, the largest effect first.
func SortByEffect(all []Difference) {
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(b.rank, a.rank) })
}
