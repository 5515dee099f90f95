package selfloc_test

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
	"touchline/world/selfloc"
)

// A robot drives from a place that it was told. Its wheels measure 10 % too much; its camera corrects them.
func Example() {
	field := soccer.MSL18x12()
	l := selfloc.New(selfloc.DefaultConfig(field))
	now := soccer.Epoch
	truth := soccer.Pose{X: -4, Y: 1, Theta: 0.5}
	l.Place(now, truth, 0.1, 0.05) // exact to 0.1 m and 0.05 rad

	var travel soccer.Pose // of the wheels, since they started
	for range 100 {
		now = now.Add(40 * time.Millisecond)
		truth.X += 0.04 // 1 m/s along x
		travel.X += 0.044 * math.Cos(truth.Theta)
		travel.Y -= 0.044 * math.Sin(truth.Theta)
		l.Odometry(now, travel)
		l.Lines(now, linesInView(field, truth))
	}

	e := l.Estimate(now.Add(20 * time.Millisecond)) // when the robot uses it
	fmt.Printf("wheels: %.2f m, truth: %.2f m\n", math.Hypot(travel.X, travel.Y), truth.X+4)
	fmt.Printf("pose %.1f %.1f m, heading %.2f rad, %.0f %% sure\n", e.Self.Pose.X, e.Self.Pose.Y, e.Self.Pose.Theta,
		100*e.Self.Confidence)
	fmt.Printf("error below 5 cm: %v\n", math.Hypot(e.Self.Pose.X-truth.X-0.02, e.Self.Pose.Y-truth.Y) < 0.05)
	// Output:
	// wheels: 4.40 m, truth: 4.00 m
	// pose 0.0 1.0 m, heading 0.50 rad, 100 % sure
	// error below 5 cm: true
}

// linesInView stands for a camera: it returns points of lines up to 4 m away, in the robot's frame.
func linesInView(field soccer.Field, robot soccer.Pose) (points []soccer.Vec) {
	sin, cos := math.Sincos(robot.Theta)
	for _, mark := range field.Marks() {
		for angle := 0.0; angle < 2*math.Pi; angle += 0.5 {
			at := mark.Nearest(soccer.Vec{X: robot.X + 3*math.Cos(angle), Y: robot.Y + 3*math.Sin(angle)})
			if d := at.Sub(robot.XY()); d.Len() > 0.5 && d.Len() < 4 {
				points = append(points, soccer.Vec{X: cos*d.X + sin*d.Y, Y: cos*d.Y - sin*d.X})
			}
		}
	}
	return points
}
