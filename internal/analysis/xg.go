package analysis

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// How the table of expected goals is laid out.
const (
	XGMost      = 2 // robots in the way: more count as this
	XGAngles    = 5 // bearings of the ball from the goal's middle: 0, 20, 40, 60 and 80 degrees off the field's length
	XGDistances = len(xgDistances)

	xgAngle = 20 * math.Pi / 180
)

// xgDistances are the distances of the ball from the goal's middle in m.
var xgDistances = [...]float64{0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 12}

// XGTable holds how often a shot is a goal, by the robots in the way, the bearing and the distance.
type XGTable [XGMost + 1][XGAngles][XGDistances]float64

// XGCell is a cell of a layer of an XGTable, with its weight at a place. The weights of a place sum to 1.
type XGCell struct {
	Angle, Distance int
	Weight          float64
}

// XGCells returns the four cells between which a place lies, for a goal at +x. It reports false for a place that is no
// number.
func XGCells(field *soccer.Field, from soccer.Vec) (cells [4]XGCell, ok bool) {
	to := soccer.Vec{X: float64(field.Length*0.5) - from.X, Y: from.Y}
	d := to.Len()
	if !(d <= far) {
		return cells, false
	}
	angle := min(math.Abs(exact.Atan2(to.Y, to.X))/xgAngle, XGAngles-1)
	a := min(int(angle), XGAngles-2)
	i := 0
	for i < XGDistances-2 && d > xgDistances[i+1] {
		i++
	}
	u := angle - float64(a)
	v := min(max((d-xgDistances[i])/(xgDistances[i+1]-xgDistances[i]), 0), 1)
	return [4]XGCell{
		{a, i, (1 - u) * (1 - v)}, {a, i + 1, float64((1 - u) * v)}, {a + 1, i, float64(u * (1 - v))}, {a + 1, i + 1, float64(u * v)},
	}, true
}

// At returns the value of a table at a place, for a goal at +x, with a number of robots in the way.
func (t *XGTable) At(field *soccer.Field, from soccer.Vec, inWay int) float64 {
	cells, ok := XGCells(field, from)
	if !ok {
		return 0
	}
	layer, sum := &t[min(max(inWay, 0), XGMost)], 0.0
	for _, c := range cells {
		sum += float64(c.Weight * layer[c.Angle][c.Distance])
	}
	return sum
}

// XG returns how many goals a shot at the goal at +x is worth, 0 to 1: how often the built-in robots score from there
// against the built-in goalkeeper. inWay counts the opponents for which InWay holds, the goalkeeper apart. It is 0 for a
// place that is no number and on a field whose goal xgFits refuses. In goals of another width than that of the table it
// grows with the square of the width, as measured with goals of 2 and 2.4 m.
func XG(field *soccer.Field, from soccer.Vec, inWay int) float64 {
	if !xgFits(field) {
		return 0
	}
	wider := field.GoalWidth / xgGoal
	return min(float64(wider*wider*xgTable.At(field, from, inWay)), 1)
}

// xgFits reports whether expected goals are known for a field: they are fitted to robots, ball and goal of the Middle Size
// League, and a goal narrower than 1.5 m or wider than 4 m, or smaller robots, belong to another league.
func xgFits(field *soccer.Field) bool {
	const least, most = 1.5, 4.0 // m
	return field.GoalWidth >= least && field.GoalWidth <= most && scaleOf(field) == 1
}

// InWay reports whether a robot stands in the triangle between a ball and the posts of the goal at +x, or reaches into it.
func InWay(field *soccer.Field, ball, robot soccer.Vec) bool {
	end, post := float64(field.Length*0.5), float64(field.GoalWidth*0.5)
	rel := robot.Sub(ball)
	left, right := soccer.Vec{X: end, Y: post}.Sub(ball), soccer.Vec{X: end, Y: -post}.Sub(ball)
	if robot.X > end {
		return false
	}
	return right.Cross(rel) >= 0 && rel.Cross(left) >= 0 || near(rel, left) || near(rel, right)
}

// near reports whether a robot at p reaches the way from the origin to a place.
func near(p, to soccer.Vec) bool {
	along := min(max(p.Dot(to)/max(to.Dot(to), 1e-9), 0), 1)
	return p.Sub(to.Scale(along)).Len() <= soccer.RobotRadius
}
