package lab

import (
	"math"

	"touchline/internal/analysis"
	"touchline/internal/stat"
)

// XGReport is what XGRun found.
type XGReport struct {
	Field      string         `json:"field"`
	Seed       uint64         `json:"seed"`
	Shots      int            `json:"shots"`      // that the table is fitted to; 0: none is, and the program's is checked
	Situations int            `json:"situations"` // that were drawn for all shots
	Goals      float64        `json:"goals"`      // share of the shots of the table, without them of the others
	Outcomes   map[string]int `json:"outcomes"`   // of the same shots
	Checks     int            `json:"checks"`     // other shots
	Brier      float64        `json:"brier"`      // mean of (xG - goal)^2 over the others
	Constant   float64        `json:"constant"`   // the same for one xG for all: the share of the goals
	Bins       []XGBin        `json:"bins"`       // of the others, ten ranges of xG
	Before     XGBefore       `json:"before"`     // the table of the program, against the others
	// Table is in the order of analysis.XGTable: robots in the way, bearing, distance.
	Table analysis.XGTable `json:"table"`
	size  [2]float64       // of the goal in m
}

// XGBefore compares the table of the program with shots.
type XGBefore struct {
	XG    float64 `json:"xg"`    // mean
	Goals float64 `json:"goals"` // share
	Brier float64 `json:"brier"`
}

// XGBin compares the shots in a range of xG with their goals.
type XGBin struct {
	From     float64       `json:"from"` // of the xG
	To       float64       `json:"to"`
	Shots    int           `json:"shots"`
	XG       float64       `json:"xg"`       // mean; 0 without shots
	Goals    float64       `json:"goals"`    // share; 0 without shots
	Interval stat.Interval `json:"interval"` // 95 % of the share
}

const xgBins = 10

func newXGReport(cfg *XGConfig, shots []shot, tried []int) XGReport {
	fitted, others := shots[:cfg.Shots], shots[cfg.Shots:]
	r := XGReport{
		Field: cfg.Field.Name, Seed: cfg.Seed, Shots: len(fitted), Checks: len(others), Outcomes: map[string]int{},
		size: [2]float64{cfg.Field.GoalWidth, cfg.Field.GoalHeight},
	}
	if len(fitted) == 0 {
		fitted = others
	} else {
		r.Table = fit(cfg, fitted)
	}
	for _, n := range tried {
		r.Situations += n
	}
	for _, s := range fitted {
		r.Outcomes[outcomes[s.outcome]]++
	}
	r.Goals = float64(r.Outcomes[outcomes[scored]]) / float64(len(fitted))
	r.check(cfg, others)
	return r
}

// check compares the table with shots that it was not fitted to.
func (r *XGReport) check(cfg *XGConfig, shots []shot) {
	r.Bins = make([]XGBin, xgBins)
	goals := [xgBins]int{}
	for _, s := range shots {
		now, goal := analysis.XG(&cfg.Field, s.from, s.inWay), 0.0
		xg := now
		if cfg.Shots > 0 {
			xg = r.Table.At(&cfg.Field, s.from, s.inWay)
		}
		k := min(int(xg*xgBins), xgBins-1)
		if s.outcome == scored {
			goal = 1
			goals[k]++
		}
		r.Before.XG += now / float64(len(shots))
		r.Before.Goals += goal / float64(len(shots))
		r.Before.Brier += (now - goal) * (now - goal) / float64(len(shots))
		r.Bins[k].Shots++
		r.Bins[k].XG += xg
		r.Brier += (xg - goal) * (xg - goal) / float64(len(shots))
		r.Constant += (r.Goals - goal) * (r.Goals - goal) / float64(len(shots))
	}
	for i := range r.Bins {
		b := &r.Bins[i]
		b.From, b.To, b.Interval = float64(i)/xgBins, float64(i+1)/xgBins, stat.Proportion(goals[i], b.Shots)
		if b.Shots > 0 {
			b.XG, b.Goals = b.XG/float64(b.Shots), float64(goals[i])/float64(b.Shots)
		}
	}
}

const (
	xgColumns = analysis.XGDistances
	xgCells   = analysis.XGAngles * xgColumns
)

// normal are the normal equations of a layer of the table: the values x of its cells with the least squares solve a x = b.
type normal struct {
	a [xgCells][xgCells]float64
	b [xgCells]float64
}

// fit returns the table whose interpolated values have the least squares to the shots, of those that fall with the distance.
func fit(cfg *XGConfig, shots []shot) (table analysis.XGTable) {
	for layer := range table {
		n := new(normal)
		for _, s := range shots {
			cells, ok := analysis.XGCells(&cfg.Field, s.from)
			if !ok || min(s.inWay, analysis.XGMost) != layer {
				continue
			}
			for _, c := range cells {
				i := c.Angle*xgColumns + c.Distance
				for _, d := range cells {
					n.a[i][d.Angle*xgColumns+d.Distance] += c.Weight * d.Weight
				}
				if s.outcome == scored {
					n.b[i] += c.Weight
				}
			}
		}
		n.smooth()
		for i, x := range n.falling() {
			table[layer][i/xgColumns][i%xgColumns] = math.Round(min(x, 1)*1000) / 1000
		}
	}
	return table
}

// smooth draws neighbours together. It fills the cells without shots, above all with those of the same distance.
func (n *normal) smooth() {
	const beside, beyond = 10.0, 0.1 // as many shots
	pull := func(i, k int, penalty float64) {
		n.a[i][i] += penalty
		n.a[k][k] += penalty
		n.a[i][k] -= penalty
		n.a[k][i] -= penalty
	}
	for i := range n.b {
		if i+xgColumns < xgCells {
			pull(i, i+xgColumns, beside)
		}
		if (i+1)%xgColumns > 0 {
			pull(i, i+1, beyond)
		}
	}
}

// falling solves the equations for values that fall along each row and are not below 0. The unknowns are the steps from
// each value to the next: none may be negative, and each is set in turn to its best value until nothing changes any more.
func (n *normal) falling() (x [xgCells]float64) {
	const sweeps = 20_000
	a, b := n.a, n.b
	for i := range b { // a step belongs to all values before it
		if i%xgColumns > 0 {
			b[i] += b[i-1]
			for k := range b {
				a[i][k] += a[i-1][k]
			}
		}
	}
	for k := range b {
		if k%xgColumns > 0 {
			for i := range b {
				a[i][k] += a[i][k-1]
			}
		}
	}
	for range sweeps {
		for i := range x {
			rest := b[i]
			for k := range x {
				rest -= a[i][k] * x[k]
			}
			x[i] = max(x[i]+rest/a[i][i], 0)
		}
	}
	for i := xgCells - 2; i >= 0; i-- {
		if (i+1)%xgColumns > 0 {
			x[i] += x[i+1]
		}
	}
	return x
}
