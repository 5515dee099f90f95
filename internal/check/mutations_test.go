package check_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	. "touchline/internal/check"
	"touchline/wire/msl"
)

// cardMutations are faults in a clean match, with the rule that each breaks.
var cardMutations = []struct {
	name, rule string
	change     func([]sent) []sent
}{
	{"6.7 a second", RuleRate, keep(func(i int) bool { return i%3 == 0 })},
	{"9.5 a second", RuleRate, func(all []sent) []sent {
		all = keep(func(i int) bool { return i%2 == 0 })(all)
		return times(func(i int, s *sent) { s.received = s.received.Add(time.Duration(i) * 5263 * time.Microsecond) })(all)
	}},
	{"5 a second for 15 s", RuleRate, keep(func(i int) bool { return i < 400 || i > 700 || i%4 == 0 })},
	{"silent for 4 s", RuleGap, keep(func(i int) bool { return i < 800 || i > 880 })},
	{"silent for half a second, six times", RuleGap, keep(func(i int) bool { return i%250 > 10 })},
	{"silent for 1.2 s once", RuleGap, keep(func(i int) bool { return i < 800 || i > 823 })},
	{"two messages in the wrong order", RuleBackwards, func(all []sent) []sent {
		for i := 50; i+1 < len(all); i += 100 {
			all[i].world, all[i+1].world = all[i+1].world, all[i].world
			all[i].world.AgeMillis, all[i+1].world.AgeMillis = msl.Num(10), msl.Num(90)
			all[i].data, all[i+1].data = loose(&all[i].world), loose(&all[i+1].world)
		}
		return all
	}},
	{"half a second back once", RuleBackwards, edit(func(i int, w *msl.Worldstate) {
		if i == 700 {
			w.AgeMillis = msl.Num(560)
		}
	})},
	{"ages from another clock", RuleBackwards, edit(func(i int,
		w *msl.Worldstate) {
		w.AgeMillis = msl.Num(float64(10 + i*7919%170))
	})},
	{"every worldstate twice", RuleBurst, func(all []sent) (twice []sent) {
		for _, s := range all {
			twice = append(twice, s, s)
		}
		return twice
	}},
	{"five at once", RuleBurst, func(all []sent) []sent {
		for i := range all {
			all[i].received = all[i/5*5].received
			all[i].world.AgeMillis = all[i/5*5].world.AgeMillis
			all[i].data = loose(&all[i].world)
		}
		return all
	}},
	{"every tenth worldstate twice", RuleBurst, func(all []sent) (some []sent) {
		for i, s := range all {
			if some = append(some, s); i%10 == 0 {
				some = append(some, s)
			}
		}
		return some
	}},
	{"the ball frozen", RuleFrozen, firstBall(func(_ int, b *msl.Ball) { b.Position = msl.Vec3(5.932, 0.003, 0) })},
	{"the ball frozen after 20 s", RuleFrozen, firstBall(func(i int, b *msl.Ball) {
		if i > 400 {
			b.Position = msl.Vec3(1.234, -2.345, 0.11)
		}
	})},
	{"one age", RuleConstant, edit(func(_ int, w *msl.Worldstate) { w.AgeMillis = msl.Num(20) })},
	{"no age ever", RuleConstant, edit(func(_ int, w *msl.Worldstate) { w.AgeMillis = msl.Num(0) })},
	{"one confidence", RuleConstant, balls(func(_ int, b *msl.Ball) { b.Confidence = msl.Num(1) })},
	{"robots without velocity", RuleConstant, robots(func(_ int, r *msl.Robot) { r.Velocity = msl.Vec3(0, 0, 0) })},
	{"ball without velocity", RuleConstant, balls(func(_ int, b *msl.Ball) { b.Velocity = msl.Vec3(0, 0, 0) })},
	{"a target far off", RuleTarget, robots(func(i int, r *msl.Robot) {
		if i%100 == 0 {
			r.TargetPose = msl.Vec3(10.3, -21.1, 0)
		}
	})},
	{"targets in millimetres", RuleUnits, robots(func(_ int, r *msl.Robot) { scaled(&r.TargetPose, 1000) })},
	{"all in millimetres", RuleUnits, turn(func(x, y float64) (float64, float64) { return x * 1000, y * 1000 })},
	{"robots in centimetres", RuleUnits, robots(func(_ int, r *msl.Robot) { scaled(&r.Pose, 100) })},
	{"obstacles in millimetres", RuleUnits, edit(func(_ int, w *msl.Worldstate) {
		for k := range w.Obstacles {
			scaled(&w.Obstacles[k].Position, 1000)
		}
	})},
	{"degrees", RuleUnits, robots(func(_ int, r *msl.Robot) { r.Pose.At[2].Value *= 180 / math.Pi })},
	{"milliradians", RuleUnits, robots(func(_ int, r *msl.Robot) { r.Pose.At[2].Value *= 1000 })},
	{"ages in seconds", RuleUnits, edit(func(_ int, w *msl.Worldstate) { w.AgeMillis.Value /= 1000 })},
	{"batteries from 0 to 1", RuleUnits, robots(func(_ int, r *msl.Robot) { r.BatteryLevel.Value /= 100 })},
	{"confidences in percent", RuleUnits, balls(func(_ int, b *msl.Ball) { b.Confidence.Value *= 100 })},
	{"turned by pi", RuleFrame, turn(func(x, y float64) (float64, float64) { return -x, -y })},
	{"mirrored along Y", RuleFrame, turn(func(x, y float64) (float64, float64) { return x, -y })},
	{"X and Y exchanged", RuleFrame, turn(func(x, y float64) (float64, float64) { return y, x })},
	{"turned by a quarter", RuleFrame, turn(func(x, y float64) (float64, float64) { return -y, x })},
	{"the ball's X twice", RuleFrame, balls(func(_ int, b *msl.Ball) { b.Position.At[1] = b.Position.At[0] })},
	{"X mirrored in positions", RuleFrame, robots(func(_ int, r *msl.Robot) { r.Pose.At[0].Value *= -1 })},
	{"velocities turned by pi", RuleFrame, robots(func(_ int, r *msl.Robot) { scaled(&r.Velocity, -1) })},
	{"millimetres, X to the goal", RuleFrame, turn(func(x, y float64) (float64, float64) { return y * 1000, -x * 1000 })},
	{"no name", RuleName, text(1, `"teamName": "Clean"`, `"teamName": ""`)},
	{"headings from another axis", RuleFrame, robots(func(_ int,
		r *msl.Robot) {
		r.Pose.At[2].Value = math.Mod(r.Pose.At[2].Value+math.Pi/2, 2*math.Pi)
	})},
	{"velocities exchanged", RuleFrame, robots(func(_ int, r *msl.Robot) {
		r.Velocity.At[0], r.Velocity.At[1] = r.Velocity.At[1], r.Velocity.At[0]
	})},
	{"velocities turned by a quarter", RuleFrame, robots(func(_ int, r *msl.Robot) {
		r.Velocity.At[0], r.Velocity.At[1] = msl.Num(-r.Velocity.At[1].Value), r.Velocity.At[0]
	})},
	{"a heading that never changes", RuleConstant, robots(func(_ int, r *msl.Robot) { r.Pose.At[2].Value = 0 })},
	{"a ball in the air", RuleOffField, balls(func(i int, b *msl.Ball) {
		if i%300 == 0 {
			b.Position.At[2] = msl.Num(15)
		}
	})},
	{"a ball's height in millimetres", RuleUnits, balls(func(_ int, b *msl.Ball) { b.Position.At[2].Value *= 1000 })},
	{"velocities in mm/s", RuleSpeed, robots(func(_ int, r *msl.Robot) { scaled(&r.Velocity, 1000) })},
	{"20 m/s now and then", RuleSpeed, robots(func(i int, r *msl.Robot) {
		if i%500 == 0 {
			r.Velocity = msl.Vec3(0, 20.3, 0)
		}
	})},
	{"positions to a decimetre", RuleResolution, robots(func(_ int, r *msl.Robot) {
		r.Pose.At[0].Value, r.Pose.At[1].Value = math.Round(r.Pose.At[0].Value*10)/10, math.Round(r.Pose.At[1].Value*10)/10
	})},
	{"a ball in the next hall", RuleOffField, balls(func(i int, b *msl.Ball) {
		if i%300 == 0 {
			b.Position = msl.Vec3(25, 3, 0)
		}
	})},
	{"a third of the messages empty", RuleEmpty, edit(func(i int, w *msl.Worldstate) {
		if i%3 == 0 {
			w.Robots, w.Balls, w.Obstacles = nil, nil, nil
		}
	})},
	{"negative headings", msl.RuleHeading, robots(func(_ int,
		r *msl.Robot) {
		r.Pose.At[2].Value = math.Remainder(r.Pose.At[2].Value, 2*math.Pi)
	})},
	{"confidence -100", msl.RuleConfidence, balls(func(_ int, b *msl.Ball) { b.Confidence = msl.Num(-100) })},
	{"battery 127", msl.RuleBattery, robots(func(i int, r *msl.Robot) { r.BatteryLevel = msl.Num(float64(i%40 + 90)) })},
	{"battery -90", msl.RuleBattery, robots(func(i int, r *msl.Robot) { r.BatteryLevel = msl.Num(float64(i%40 - 90)) })},
	{"target pose", msl.RuleKey, text(1, "targetPose", "target pose")},
	{"targetPos", msl.RuleKey, text(1, "targetPose", "targetPos")},
	{"Velocity", msl.RuleKey, text(1, "velocity", "Velocity")},
	{"Ball", msl.RuleKey, text(1, `"balls"`, `"Ball"`)},
	{"six robots", msl.RuleCount, edit(func(_ int, w *msl.Worldstate) {
		w.Robots = append(w.Robots, msl.Robot{ID: msl.Num(9), Pose: msl.Vec3(6, 0, 0)})
	})},
	{"seven robots", msl.RuleCount, edit(func(_ int, w *msl.Worldstate) {
		w.Robots = append(w.Robots, msl.Robot{ID: msl.Num(8)}, msl.Robot{ID: msl.Num(9)})
	})},
	{"one number twice", msl.RuleID, edit(func(_ int, w *msl.Worldstate) { w.Robots[2].ID = w.Robots[1].ID })},
	{"number 0", msl.RuleID, edit(func(_ int, w *msl.Worldstate) { w.Robots[2].ID = msl.Num(0) })},
	{"intention null", msl.RuleNull, text(1, `"intention": "attack"`, `"intention": null`)},
	{"confidence null", msl.RuleNull, text(1, `"confidence": 0.9`, `"confidence": null, "c": 0.9`)},
	{"a pose null", msl.RuleNull, times(func(_ int, s *sent) { s.data = nullPose(s.data) })},
	{"NaN", msl.RuleSyntax, text(50, `"ageMs": `, `"ageMs": NaN`)},
	{"unescaped quotes", msl.RuleSyntax, text(1, `\"`, `"`)},
	{"a trailing comma", msl.RuleSyntax, text(7, `]}`, `],}`)},
	{"cut messages", msl.RuleSyntax, times(func(i int, s *sent) {
		if i%40 == 0 {
			s.data = s.data[:len(s.data)/2]
		}
	})},
	{"ageMs as text", msl.RuleValue, func(all []sent) []sent {
		return times(func(_ int, s *sent) {
			at := bytes.Index(s.data, []byte(`"ageMs": `)) + len(`"ageMs": `)
			s.data = slices.Concat(s.data[:at], []byte(`"`), s.data[at:len(s.data)-1], []byte(`"}`))
		})(all)
	}},
	{"ballEngaged true", msl.RuleValue, text(1, `"ballEngaged": 0`, `"ballEngaged": false`)},
	{"no teamName", msl.RuleMissing, text(1, `"teamName": "Clean", `, ``)},
	{"no type", msl.RuleMissing, text(1, `"type": "worldstate", `, ``)},
	{"another type", msl.RuleType, text(1, `"worldstate"`, `"world"`)},
	{"no intention", msl.RuleUpstream, text(1, `"intention": "attack", `, ``)},
	{"poses without heading", msl.RuleVectorSize, robots(func(_ int, r *msl.Robot) { r.Pose.Len = 2 })},
	{"obstacle triplets", msl.RuleVectorSize, edit(func(_ int, w *msl.Worldstate) {
		for k := range w.Obstacles {
			w.Obstacles[k].Position.Len, w.Obstacles[k].Position.At[2] = 3, msl.Num(0)
		}
	})},
	{"a negative radius", msl.RuleRadius, edit(func(_ int, w *msl.Worldstate) { w.Obstacles[0].Radius = msl.Num(-1) })},
	{"balls in any order", msl.RuleOrder, edit(func(_ int, w *msl.Worldstate) { slices.Reverse(w.Balls) })},
	{"ballEngaged 0.5", msl.RuleEngaged, robots(func(_ int, r *msl.Robot) { r.BallEngaged = msl.Num(0.5) })},
	{"a clock as age", msl.RuleAge, times(func(_ int, s *sent) {
		s.world.AgeMillis = msl.Num(math.Floor(float64(s.received) / 1e6))
		s.data = loose(&s.world)
	})},
	{"negative ages", msl.RuleAge, edit(func(_ int, w *msl.Worldstate) { w.AgeMillis.Value -= 100 })},
	{"an event of an unknown robot", RuleEventRobot, times(func(i int, s *sent) {
		if i > 0 && i%100 == 0 {
			s.data = fmt.Appendf(nil, `{"type": "event", "robotId": %d, "event": "kick"}`, i/100)
		}
	})},
	{"a robot jumps 3 m aside", RuleJump, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 3 && i%200 > 190 {
			r.Pose.At[0].Value = math.Copysign(math.Abs(r.Pose.At[0].Value-3), r.Pose.At[0].Value)
		}
	})},
	{"a robot jumps 1.6 m once", RuleJump, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 2 && i == 600 {
			r.Pose.At[1].Value += 1.6
		}
	})},
	{"a robot flips for a while", RuleFlip, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 2 && i%400 > 300 {
			flipped(r)
		}
	})},
	{"a robot flips once", RuleFlip, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 3 && i > 500 {
			flipped(r)
		}
	})},
	{"two robots on top of each other", RuleOverlap, edit(func(_ int, w *msl.Worldstate) {
		w.Robots[2].Pose, w.Robots[2].Velocity = w.Robots[1].Pose, w.Robots[1].Velocity
		w.Robots[2].Pose.At[0].Value += 0.05
	})},
	{"a robot always has the ball", RuleEngagedFar, robots(func(_ int, r *msl.Robot) {
		if r.ID.Value == 3 {
			r.BallEngaged = msl.Num(1)
		}
	})},
	{"a far robot has the ball for a second", RuleEngagedFar, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 1 && i > 500 && i < 521 {
			r.BallEngaged = msl.Num(1)
		}
	})},
	{"no angular velocity", RuleConstant, robots(func(_ int, r *msl.Robot) {
		if r.Velocity.At[2].Known {
			r.Velocity.At[2] = msl.Num(0)
		}
	})},
	{"one ball five times", RuleSameBalls, edit(func(_ int, w *msl.Worldstate) {
		if len(w.Balls) > 0 {
			w.Balls = slices.Repeat(w.Balls[:1], 5)
		}
	})},
	{"targets are poses", RuleTargetPose, robots(func(_ int, r *msl.Robot) { r.TargetPose = r.Pose })},
	{"the target of one robot is its pose", RuleTargetPose, robots(func(_ int, r *msl.Robot) {
		if r.ID.Value == 3 {
			r.TargetPose = r.Pose
		}
	})},
	{"target headings 0", RuleConstant, robots(func(_ int, r *msl.Robot) {
		if r.TargetPose.At[2].Known {
			r.TargetPose.At[2] = msl.Num(0)
		}
	})},
	{"a ball that moves only centimetres", RuleFrozen, firstBall(func(i int, b *msl.Ball) {
		b.Position = msl.Vec3(5.93+0.01*math.Sin(float64(i)), 0.01*math.Cos(float64(i*i)), 0)
		b.Velocity = msl.Vec3(0.01*math.Sin(float64(i)), 0, 0)
	})},
	{"an unknown key", msl.RuleExtra, text(1, `"ageMs"`, `"mood": "good", "ageMs"`)},
	{"commands of a referee box", RuleCommand, times(func(i int, s *sent) {
		if i > 0 && i%100 == 0 {
			s.data = []byte(`{"command": "START", "targetTeam": ""}`)
		}
	})},
	{"a robot that stands to the last digit flips", RuleFlip, robots(func(i int, r *msl.Robot) {
		if r.ID.Value == 3 {
			r.Pose, r.Velocity = msl.Vec3(1.5, -3, 0.7), msl.Vec3(0, 0, 0)
			if i%200 >= 100 {
				flipped(r)
			}
		}
	})},
	{"most targets are poses", RuleTargetPose, robots(func(i int, r *msl.Robot) {
		if i%8 > 0 {
			r.TargetPose = r.Pose
		}
	})},
}
