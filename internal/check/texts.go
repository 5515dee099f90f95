package check

import (
	"fmt"
	"math"
	"time"

	"touchline/wire"
)

// fault returns a fault that contradicts a document or physics.
func fault(short, field, source, format string, args ...any) Fault {
	return Fault{Short: short, Issue: wire.Issue{Field: field, Source: source, Text: fmt.Sprintf(format, args...)}}
}

// suspicion returns a fault that may also be what the robot does.
func suspicion(short, field, source, format string, args ...any) Fault {
	f := fault(short, field, source, format, args...)
	f.Text, f.Note = "suspicion: "+f.Text, true
	return f
}

func numberInUse(newer, older *trace) Fault {
	return fault("number in use", newer.number, sourceSpec,
		"%s already sends as robot %d (%s): this later sender at %s is not fused; give each robot its own number, and start "+
			"one program for each", older.sender.Addr, older.sender.Robot, older.sender.Color, newer.sender.Addr)
}

func numberShared(newer, older *trace) Fault {
	return suspicion("number shared", older.number, sourceSpec,
		"%s sends as robot %d (%s) too: give each robot its own number", newer.sender.Addr, older.sender.Robot,
		older.sender.Color)
}

func metres() Fault {
	return fault("metres", "self-loc.x", sourceRemarks,
		"the robot stays within 12 mm of the centre: the values look like metres; multiply positions by 1000 and write mm")
}

func metresPerSecond() Fault {
	return fault("m/s", "self-loc.vx", sourceRemarks,
		"the velocity is a thousandth of the motion of x and y: it looks like m/s; write mm/s")
}

func frozenPose(still time.Duration, ball float64, moves bool) Fault {
	const text = "x, y and theta have had the same values for %.1f s while its ball moved %.1f m: "
	const source = "Mixed Team Package v2, Worldmodel"
	if moves {
		return fault("pose frozen", "self-loc.x", source, text+"the velocity shows that the robot moves; send its newest "+
			"self-localisation in each package", still.Seconds(), ball)
	}
	return suspicion("pose frozen", "self-loc.x", source, text+"unless this is a fixed camera, send its newest "+
		"self-localisation in each package", still.Seconds(), ball)
}

func turnReversed() Fault {
	return fault("turn direction", "self-loc.theta", sourceAxes,
		"theta falls while vtheta is positive: one of the two counts clockwise; count both counter-clockwise, seen from above")
}

func thetaDegrees() Fault {
	return fault("degrees", "self-loc.theta", sourceSpec,
		"theta looks like degrees, it changes by a seventeenth of vtheta: write milliradians, degrees x 17.453")
}

func thetaDegreesSuspected() Fault {
	return suspicion("degrees?", "self-loc.theta", sourceSpec,
		"theta looks like degrees, if the robot mostly drives forwards: write milliradians, degrees x 17.453")
}

func turnDegrees() Fault {
	return fault("degrees/s", "self-loc.vtheta", sourceSpec,
		"vtheta looks like degrees, it is a seventeenth of the change of theta: write milliradians a second, degrees x 17.453")
}

func turnMillidegrees() Fault {
	return fault("vtheta scale", "self-loc.vtheta", sourceSpec,
		"vtheta is 57 times the change of theta: it looks like thousandths of a degree a second; write milliradians a second")
}

func swappedSides(x, y float64) Fault {
	return suspicion("X/Y swapped?", "self-loc.x", sourceAxes,
		"X reaches %.1f m, beyond the side of the field, and Y only %.1f m: X leads to the right and Y to the opponents' goal",
		x, y)
}

func stampFrozen(at uint32, still time.Duration) Fault {
	return fault("time frozen", "timestamp", sourceSpec,
		"the timestamp stands at %d ms for %.1f s: send the milliseconds since the start of the half in each package", at,
		still.Seconds())
}

func stampSeconds() Fault {
	return fault("seconds", "timestamp", sourceSpec, "the timestamp advances by 1 a second: write milliseconds, not seconds")
}

func stampRate(perSecond float64) Fault {
	return fault("time unit", "timestamp", sourceSpec,
		"the timestamp advances by %.0f a second: write milliseconds, which advance by 1000", perSecond)
}

func stampRestartsTwice(within time.Duration) Fault {
	return fault("time restarts", "timestamp", sourceSpec,
		"the timestamp restarted 2 times within %.0f s: it starts only once, at the start of the half", within.Seconds())
}

func stampRestartedAlone() Fault {
	return fault("time restarts", "timestamp", sourceSpec, "the timestamp restarted, that of the other robots did not: "+
		"only the start of a half restarts it, for all robots; keep the start when the program restarts")
}

func stampRestarted(after time.Duration) Fault {
	return suspicion("time restarts", "timestamp", sourceSpec,
		"the timestamp restarted after %.0f s: only the start of a half restarts it", after.Seconds())
}

// frame is a transformation that senders apply by mistake: a direction a becomes sign*a + turn.
type frame struct {
	sign, turn float64 // -1: a reflection; rad
	vector     string  // what it does to vectors
	heading    string  // what headings mean that are so transformed from the direction of travel
	short      string
}

const quarter = math.Pi / 2

var frames = [...]frame{
	{1, math.Pi, "turned by 180 degrees",
		"theta points backwards, or X and Y are negated: theta is 0 towards the opponents' goal, and Y grows towards it",
		"mirrored?"},
	{1, quarter, "turned by 90 degrees counter-clockwise",
		"theta seems to be measured from X: it is 0 towards the opponents' goal (+Y); subtract 1571 mrad", "theta from X?"},
	{1, -quarter, "turned by 90 degrees clockwise",
		"theta seems to be measured from -X: it is 0 towards the opponents' goal (+Y); add 1571 mrad", "theta from -X?"},
	{-1, 0, "mirrored in X",
		"theta seems to count clockwise, or X is mirrored: theta counts counter-clockwise, and X leads to the right",
		"clockwise?"},
	{-1, math.Pi, "mirrored in Y",
		"Y seems to be mirrored, or theta counts clockwise from the own goal: Y grows towards the opponents' goal",
		"Y mirrored?"},
	{-1, -quarter, "swapped",
		"X and Y seem to be swapped, or theta counts clockwise from X: X leads to the right, Y to the opponents' goal",
		"X/Y swapped?"},
	{-1, quarter, "swapped and negated",
		"X and Y seem to be swapped and negated, or theta counts clockwise from -X: X leads to the right, Y to the " +
			"opponents' goal", "X/Y swapped?"},
}

func velocityTurned(f *frame) Fault {
	return f.mark(fault("velocity frame", "self-loc.vx", sourceAxes, "vx and vy are %s relative to the motion of x and y: give "+
		"both in one frame, X to the right and Y to the opponents' goal", f.vector))
}

func headingTurned(f *frame) Fault {
	return f.mark(suspicion(f.short, "self-loc.theta", sourceAxes, "%s (judged by the direction of travel)", f.heading))
}

func ballTurned(f *frame, alone bool) Fault {
	others := "the other robots see it"
	if alone {
		others = "the only other robot sees it; one of the two is wrong"
	}
	return f.mark(suspicion("frame?", "ball_cand_vision[0].x", sourceAxes, "its ball is where %s, but %s at the centre or axes: X "+
		"leads to the right and Y to the opponents' goal, for all robots of a team", others, f.vector))
}

// mark notes the frame in a fault.
func (f *frame) mark(of Fault) Fault {
	for i := range frames {
		if f == &frames[i] {
			of.Frame = i + 1
		}
	}
	return of
}

// Frames is the number of transformations that senders apply by mistake. In the frame of package soccer they are: 1 a
// turn by 180 degrees, 2 a turn by 90 degrees counter-clockwise, 3 the same clockwise, 4 a negated y, 5 a negated x,
// 6 x and y swapped and negated, 7 x and y swapped.
const Frames = len(frames)
