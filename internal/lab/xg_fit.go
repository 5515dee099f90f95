package lab

import (
	"cmp"
	"math"
	"slices"

	"touchline/internal/analysis"
	"touchline/internal/exact"
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
	Bins       []XGBin        `json:"bins"`       // of the others, sorted by xG: ten bins with the same number of shots
	Top        XGBin          `json:"top"`        // the others with the highest xG, one of 100
	Within     bool           `json:"within"`     // in no bin the mean xG is more than 0.03 off the goals
	Before     XGBefore       `json:"before"`     // the table of the program, against the others
	// Table is in the order of analysis.XGTable: bearings and openings, distance.
	Table analysis.XGTable `json:"table"`
	size  [2]float64       // of the goal in m
}

// XGBefore compares the table of the program with shots.
type XGBefore struct {
	XG    float64 `json:"xg"`    // mean
	Goals float64 `json:"goals"` // share
	Brier float64 `json:"brier"`
}

// XGBin compares shots of like xG with their goals.
type XGBin struct {
	From   float64 `json:"from"` // lowest xG
	To     float64 `json:"to"`   // highest xG
	Shots  int     `json:"shots"`
	XG     float64 `json:"xg"`     // mean
	Goals  float64 `json:"goals"`  // share
	Chance float64 `json:"chance"` // 95 of 100 samples have goals within this of XG, if the xG is right
}

const (
	xgBins  = 10
	xgLimit = 0.03 // by which the mean xG of a bin may be off
)

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
	all := make([]judged, len(shots))
	for i, s := range shots {
		now := analysis.XG(&cfg.Field, s.from, s.opening)
		all[i].xg = now
		if cfg.Shots > 0 {
			all[i].xg = r.Table.At(&cfg.Field, s.from, s.opening)
		}
		if s.outcome == scored {
			all[i].goal = 1
		}
		xg, goal := all[i].xg, all[i].goal
		r.Before.XG += now / float64(len(shots))
		r.Before.Goals += goal / float64(len(shots))
		r.Before.Brier += (now - goal) * (now - goal) / float64(len(shots))
		r.Brier += (xg - goal) * (xg - goal) / float64(len(shots))
		r.Constant += (r.Goals - goal) * (r.Goals - goal) / float64(len(shots))
	}
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(a.xg, b.xg) })
	r.Within = true
	for i := range xgBins {
		b := newXGBin(all[i*len(all)/xgBins : (i+1)*len(all)/xgBins])
		r.Within = r.Within && math.Abs(b.XG-b.Goals) <= xgLimit
		r.Bins = append(r.Bins, b)
	}
	r.Top = newXGBin(all[len(all)-len(all)/100:])
}

// judged is the xG of a shot, and 1 for a goal.
type judged struct{ xg, goal float64 }

// newXGBin sums up shots, sorted by their xG.
func newXGBin(shots []judged) XGBin {
	n := float64(len(shots))
	b := XGBin{From: shots[0].xg, To: shots[len(shots)-1].xg, Shots: len(shots)}
	variance := 0.0
	for _, s := range shots {
		b.XG += s.xg / n
		b.Goals += s.goal / n
		variance += s.xg * (1 - s.xg)
	}
	b.Chance = 1.96 * math.Sqrt(variance) / n
	return b
}

const xgCells = len(analysis.XGTable{})

// fit returns the table that makes the goals of the shots the likeliest, by Newton's method.
func fit(cfg *XGConfig, shots []shot) (table analysis.XGTable) {
	const rounds = 12
	for range rounds {
		n := new(normal)
		for _, s := range shots {
			n.add(cfg, &table, &s)
		}
		n.smooth()
		table = n.solve()
	}
	for i, x := range table {
		table[i] = math.Round(x*100) / 100
	}
	return table
}

// normal are the equations a x = b of the next values x of a table's cells, row by row.
type normal struct {
	a [xgCells][xgCells]float64
	b [xgCells]float64
}

// add adds a shot.
func (n *normal) add(cfg *XGConfig, table *analysis.XGTable, s *shot) {
	terms, ok := analysis.XGTerms(&cfg.Field, s.from, s.opening)
	if !ok {
		return
	}
	odds := 0.0
	for _, c := range terms {
		odds += float64(c.Weight * table[c.Cell])
	}
	p := 1 / (1 + exact.Exp(-odds))
	variance := float64(p * (1 - p))
	rest := float64(variance*odds) - p
	if s.outcome == scored {
		rest++
	}
	for _, c := range terms {
		n.b[c.Cell] += float64(c.Weight * rest)
		for _, d := range terms {
			n.a[c.Cell][d.Cell] += float64(variance * float64(c.Weight*d.Weight))
		}
	}
}

// smooth draws neighbours together, which fills the cells without shots, and all a little to 0, since what one of the three
// tables has another one may have instead.
func (n *normal) smooth() {
	const beside, zero = 0.2, 0.01      // as many shots
	above := [...]float64{5, 5, beside} // between rows
	pull := func(i, k int, shots float64) {
		n.a[i][i] += shots
		n.a[k][k] += shots
		n.a[i][k] -= shots
		n.a[k][i] -= shots
	}
	first := 0
	for block, size := range analysis.XGBlocks {
		rows, columns := size[0], size[1]
		for i := range rows * columns {
			n.a[first+i][first+i] += zero
			if i+columns < rows*columns {
				pull(first+i, first+i+columns, above[block])
			}
			if (i+1)%columns > 0 {
				pull(first+i, first+i+1, beside)
			}
		}
		first += rows * columns
	}
}

// solve solves the equations by elimination. The matrix is positive definite: no pivot is 0.
func (n *normal) solve() analysis.XGTable {
	for i := range n.b {
		for k := range n.b {
			if k == i || n.a[k][i] == 0 {
				continue
			}
			q := n.a[k][i] / n.a[i][i]
			for j := i; j < xgCells; j++ {
				n.a[k][j] -= float64(q * n.a[i][j])
			}
			n.b[k] -= float64(q * n.b[i])
		}
	}
	for i := range n.b {
		n.b[i] /= n.a[i][i]
	}
	return n.b
}
