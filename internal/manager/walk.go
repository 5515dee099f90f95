package manager

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// Calibration corrects odometry: motion ahead, to the side and turning are multiplied by its factors.
type Calibration struct {
	Ahead float64 `json:"ahead"`
	Side  float64 `json:"side"`
	Turn  float64 `json:"turn"`
}

// Exact is the calibration of odometry that needs none.
func Exact() Calibration { return Calibration{1, 1, 1} }

// corrected returns a motion that the odometry measured as the calibration has it.
func (c *Calibration) corrected(by soccer.Pose) soccer.Pose {
	return soccer.Pose{X: by.X * c.Ahead, Y: by.Y * c.Side, Theta: float64(by.Theta * c.Turn)}
}

// WalkSummary is the result of a locomotion check.
type WalkSummary struct {
	Distance float64     `json:"distance"` // m, by the localisation
	Turned   float64     `json:"turned"`   // rad
	PerMetre float64     `json:"perMetre"` // rms error of the odometry's position after a metre, in m
	PerTurn  float64     `json:"perTurn"`  // error of its heading after a full turn, in rad, by its size
	Suggest  Calibration `json:"suggest"`  // the factors that fit this path; 1 where the path does not tell
}

// increment is the motion between two points of a path, in the robot's frame at the first one.
type increment struct{ odometry, world soccer.Pose }

// least is the motion in m or rad that a path needs along an axis for a factor of its own.
const least = 1.0

// Walk judges the odometry of a path with a calibration, and suggests a better one. The localisation is taken as the
// truth; points without one are left out.
func Walk(path []team.PathPoint, with Calibration) WalkSummary {
	steps := increments(path)
	var s WalkSummary
	var ahead, side, turn regression
	for _, i := range steps {
		s.Distance += i.world.XY().Len()
		s.Turned += math.Abs(i.world.Theta)
		ahead.add(i.odometry.X, i.world.X)
		side.add(i.odometry.Y, i.world.Y)
		turn.add(i.odometry.Theta, i.world.Theta)
	}
	s.Suggest = Calibration{ahead.factor(), side.factor(), turn.factor()}
	s.PerMetre, s.PerTurn = drift(steps, with)
	return s
}

// increments returns the motion between consecutive points with a localisation. The heading of the middle of a step
// turns it into the robot's frame.
func increments(path []team.PathPoint) (steps []increment) {
	for i := 1; i < len(path); i++ {
		a, b := &path[i-1], &path[i]
		if !a.WorldKnown || !b.WorldKnown {
			continue
		}
		steps = append(steps, increment{
			odometry: motion(pose(a.OdometryX, a.OdometryY, a.OdometryTheta), pose(b.OdometryX, b.OdometryY, b.OdometryTheta)),
			world:    motion(pose(a.WorldX, a.WorldY, a.WorldTheta), pose(b.WorldX, b.WorldY, b.WorldTheta)),
		})
	}
	return steps
}

func pose(x, y, theta float32) soccer.Pose {
	return soccer.Pose{X: float64(x), Y: float64(y), Theta: float64(theta)}
}

// motion returns the way from a to b in the frame of a robot with the heading halfway.
func motion(a, b soccer.Pose) soccer.Pose {
	turn := soccer.WrapAngle(b.Theta - a.Theta)
	sin, cos := exact.Sincos(a.Theta + float64(turn*0.5))
	d := b.XY().Sub(a.XY()).Rotated(-sin, cos)
	return soccer.Pose{X: d.X, Y: d.Y, Theta: turn}
}

// moved returns where a robot is after a motion.
func moved(from, by soccer.Pose) soccer.Pose {
	sin, cos := exact.Sincos(from.Theta + float64(by.Theta*0.5))
	return soccer.Pose{
		X: from.X + float64(cos*by.X) - float64(sin*by.Y), Y: from.Y + float64(sin*by.X) + float64(cos*by.Y),
		Theta: soccer.WrapAngle(from.Theta + by.Theta),
	}
}

// regression fits a factor from odometry to the world.
type regression struct{ xx, xy, way float64 }

func (r *regression) add(x, y float64) {
	r.xx += float64(x * x)
	r.xy += float64(x * y)
	r.way += math.Abs(x)
}

func (r *regression) factor() float64 {
	if r.way < least || r.xx == 0 {
		return 1
	}
	return min(max(r.xy/r.xx, 0.5), 2)
}

// drift returns how far the odometry is off after each metre, as rms, and its heading after a full turn. Signed errors
// of the heading add up over the whole path: noise of the localisation does not.
func drift(steps []increment, with Calibration) (perMetre, perTurn float64) {
	var sum, metres, off, turned float64
	var odometry, world soccer.Pose
	way := 0.0
	for _, i := range steps {
		o := with.corrected(i.odometry)
		odometry, world = moved(odometry, o), moved(world, i.world)
		way += i.world.XY().Len()
		if i.world.Theta != 0 {
			off += float64(math.Copysign(1, i.world.Theta) * (o.Theta - i.world.Theta))
			turned += math.Abs(i.world.Theta)
		}
		if way >= 1 {
			miss := odometry.XY().Sub(world.XY()).Len() / way
			sum += float64(miss * miss)
			metres++
			odometry, world, way = soccer.Pose{}, soccer.Pose{}, 0
		}
	}
	if metres > 0 {
		perMetre = math.Sqrt(sum / metres)
	}
	if turned > least {
		perTurn = math.Abs(off) / turned * 2 * math.Pi
	}
	return perMetre, perTurn
}
