package analysis

import (
	"cmp"
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The points between which expected goals are interpolated.
var (
	// xgDistances are the distances of the ball from the goal's middle in m. Built-in robots shoot from up to 8 m.
	xgDistances = [...]float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 7.8, 8.2, 12}
	// xgBearings are the bearings of the ball from the goal's middle in rad: 0, 25, 50 and 80 degrees off the field's length.
	xgBearings = [...]float64{0, 25 * math.Pi / 180, 50 * math.Pi / 180, 80 * math.Pi / 180}
	// xgOpenings are values of XGOpening in rad.
	xgOpenings = [...]float64{0, 0.05, 0.1, 0.2, 0.4, 0.8}
)

const (
	xgD = len(xgDistances)
	xgB = len(xgBearings)
	xgO = len(xgOpenings)
)

// XGBlocks are the rows and columns of the three tables that an XGTable holds one after the other: bearing and distance,
// opening and distance, opening and bearing.
var XGBlocks = [...][2]int{{xgB, xgD}, {xgO, xgD}, {xgO, xgB}}

// XGTable holds the log-odds of a goal as a sum of three tables.
type XGTable [xgB*xgD + xgO*xgD + xgO*xgB]float64

// XGTerm is a cell of an XGTable with its weight for a shot: the log-odds of a goal are the sum of weights times values.
type XGTerm struct {
	Cell   int
	Weight float64
}

// XGTerms returns the terms of a shot at the goal at +x with an opening in rad. It reports false for a place that is no
// number.
func XGTerms(field *soccer.Field, from soccer.Vec, opening float64) (terms [4 * len(XGBlocks)]XGTerm, ok bool) {
	to := soccer.Vec{X: float64(field.Length*0.5) - from.X, Y: from.Y}
	if !(to.Len() <= far) {
		return terms, false
	}
	d := between(xgDistances[:], to.Len())
	b := between(xgBearings[:], math.Abs(exact.Atan2(to.Y, to.X)))
	o := between(xgOpenings[:], opening)
	n, first := 0, 0
	for i, at := range [...][2]xgAxis{{b, d}, {o, d}, {o, b}} {
		for row, u := range at[0].weights {
			for column, v := range at[1].weights {
				terms[n] = XGTerm{first + (at[0].point+row)*XGBlocks[i][1] + at[1].point + column, float64(u * v)}
				n++
			}
		}
		first += XGBlocks[i][0] * XGBlocks[i][1]
	}
	return terms, true
}

// xgAxis is a place between a point and the next one, with their weights.
type xgAxis struct {
	point   int
	weights [2]float64
}

// between finds a value between points. Beyond the ends it is at them.
func between(points []float64, x float64) xgAxis {
	i := 0
	for i < len(points)-2 && x > points[i+1] {
		i++
	}
	share := min(max((x-points[i])/(points[i+1]-points[i]), 0), 1)
	return xgAxis{i, [2]float64{1 - share, share}}
}

// At returns how often a shot is a goal, 0 to 1; 0 for a place that is no number.
func (t *XGTable) At(field *soccer.Field, from soccer.Vec, opening float64) float64 {
	terms, ok := XGTerms(field, from, opening)
	if !ok {
		return 0
	}
	odds := 0.0
	for _, c := range terms {
		odds += float64(c.Weight * t[c.Cell])
	}
	return 1 / (1 + exact.Exp(-odds))
}

// XG returns how many goals a shot at the goal at +x is worth, 0 to 1: how often the built-in robots score from there
// against the built-in goalkeeper, when the opponents leave an XGOpening. It is 0 for a place that is no number and on a
// field whose goal xgFits refuses. In goals of another width than that of the table the odds grow with the square of the
// width, as measured with goals of 2 and 2.4 m.
func XG(field *soccer.Field, from soccer.Vec, opening float64) float64 {
	if !xgFits(field) {
		return 0
	}
	wider := field.GoalWidth / xgGoal
	p := xgTable.At(field, from, opening)
	odds := float64(wider * wider * p)
	return odds / (odds + 1 - p)
}

// xgFits reports whether expected goals are known for a field: they are fitted to robots, ball and goal of the Middle Size
// League, and a goal narrower than 1.5 m or wider than 4 m, or smaller robots, belong to another league.
func xgFits(field *soccer.Field) bool {
	const least, most = 1.5, 4.0 // m
	return field.GoalWidth >= least && field.GoalWidth <= most && scaleOf(field) == 1
}

// XGOpening returns the widest angle between the posts of the goal at +x, in rad as seen from the ball, in which the ball
// touches none of the robots on a straight way along the ground.
func XGOpening(field *soccer.Field, ball soccer.Vec, robots []soccer.Vec) (widest float64) {
	const touching = soccer.RobotRadius + soccer.BallRadius
	end, post := float64(field.Length*0.5), float64(field.GoalWidth*0.5)
	at, last := exact.Atan2(-post-ball.Y, end-ball.X), exact.Atan2(post-ball.Y, end-ball.X)
	var room [16][2]float64
	shadows := room[:0]
	for _, p := range robots {
		if to := p.Sub(ball); p.X <= end && to.Len() <= far { // not in the goal, and not without a place
			middle := exact.Atan2(to.Y, to.X)
			half := exact.Atan2(touching, math.Sqrt(max(to.Dot(to)-touching*touching, 0)))
			shadows = append(shadows, [2]float64{middle - half, middle + half})
		}
	}
	slices.SortFunc(shadows, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for _, s := range shadows {
		widest = max(widest, min(s[0], last)-at)
		at = max(at, s[1])
	}
	return max(widest, last-at)
}

// GuardPlace returns where a goalkeeper of the goal at +x awaits a shot from a place: between the ball and a point behind
// the goal, and between the posts, as the built-in one does.
func GuardPlace(field *soccer.Field, ball soccer.Vec) soccer.Vec {
	const depth, behind = 0.45, 0.6 // m
	end, post := float64(field.Length*0.5), float64(field.GoalWidth*0.5)-0.1
	to := ball.Y * (behind + depth) / (end + behind - ball.X)
	return soccer.Vec{X: end - depth, Y: min(max(to, -post), post)}
}
