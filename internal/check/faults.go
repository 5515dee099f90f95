package check

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire"
)

// Fault is what is wrong with one sender's percepts.
type Fault struct {
	wire.Issue              // words of mixed team packages, without an offset; a note is a suspicion
	Short       string      // name in two or three words, for a tile
	First, Last soccer.Time // times of its evidence

	kind  *faultKind
	frame *frame // what turns right directions into the sender's; nil for other faults
}

// faultKind is a fault that percepts show over time, in the words of mixed team packages and of TCM messages. One that
// contradicts a document or physics is a fault; what an omnidirectional robot may also do on purpose is a note.
type faultKind struct {
	short, field, source, text string
	note                       bool
	tcmField, tcmText          string // "" for what TCM messages cannot have, or what their own rules find
}

// axes is the rule of all positions in TCM messages.
const axes = "x leads to the opponents' goal and y to the left, and angles count counter-clockwise from x"

// sendPose is the end of the text about a pose that is never updated.
const sendPose = "send its newest self-localisation in each package"

// The faults that a Judge finds.
var (
	numberInUse = faultKind{short: "number in use", source: sourceSpec, text: "%s already sends as robot %d (%s): this later " +
		"sender at %s is not fused; give each robot its own number, and start one program for each"}
	numberShared = faultKind{short: "number shared", source: sourceSpec, note: true,
		text: "%s sends as robot %d (%s) too: give each robot its own number"}
	metres = faultKind{
		short: "metres", field: "self-loc.x", source: sourceRemarks,
		text: "the robot stays within 12 mm of the centre: the values look like metres; multiply positions by 1000 and " +
			"write mm",
		tcmField: "self.x",
		tcmText: "the robot stays within 12 mm of the centre: the values look a thousand times too small; write " +
			"metres",
	}
	metresPerSecond = faultKind{
		short: "m/s", field: "self-loc.vx", source: sourceRemarks,
		text:     "the velocity is a thousandth of the motion of x and y: it looks like m/s; write mm/s",
		tcmField: "self.vx", tcmText: "the velocity is a thousandth of the motion of x and y: write m/s",
	}
	poseFrozen = faultKind{
		short: "pose frozen", field: "self-loc.x", source: sourceWorldmodel,
		text: "x, y and theta have had the same values for %.1f s while its ball moved %.1f m: the velocity shows that the " +
			"robot moves; " + sendPose,
		tcmField: "self.x", tcmText: tcmPoseFrozen,
	}
	poseFrozenSuspected = faultKind{
		short: "pose frozen", field: "self-loc.x", source: sourceWorldmodel, note: true,
		text: "x, y and theta have had the same values for %.1f s while its ball moved %.1f m: unless this is a fixed " +
			"camera, " + sendPose,
		tcmField: "self.x", tcmText: tcmPoseFrozen,
	}
	turnReversed = faultKind{
		short: "turn direction", field: "self-loc.theta", source: sourceAxes,
		text: "theta falls while vtheta is positive: one of the two counts clockwise; count both counter-clockwise, seen " +
			"from above",
		tcmField: "self.heading",
		tcmText:  "heading falls while vheading is positive: one of the two counts clockwise; " + axes,
	}
	thetaDegrees = faultKind{short: "degrees", field: "self-loc.theta", source: sourceSpec,
		text: "theta looks like degrees, it changes by a seventeenth of vtheta: write milliradians, degrees x 17.453"}
	thetaDegreesAgain = faultKind{short: "degrees", field: "self-loc.theta", source: sourceSpec,
		text: "theta looks like degrees, it turns from %.0f to %.0f and begins again: write milliradians, degrees x 17.453"}
	thetaDegreesSuspected = faultKind{short: "degrees?", field: "self-loc.theta", source: sourceSpec, note: true,
		text: "theta looks like degrees, if the robot mostly drives forwards: write milliradians, degrees x 17.453"}
	turnDegrees = faultKind{short: "degrees/s", field: "self-loc.vtheta", source: sourceSpec, text: "vtheta looks like " +
		"degrees, it is a seventeenth of the change of theta: write milliradians a second, degrees x 17.453"}
	turnMillidegrees = faultKind{
		short: "vtheta scale", field: "self-loc.vtheta", source: sourceSpec,
		text: "vtheta is 57 times the change of theta: it looks like thousandths of a degree a second; write milliradians a " +
			"second",
		tcmField: "self.vheading",
		tcmText:  "it looks like degrees a second, 57 times the change of heading: write rad/s",
	}
	swappedSides = faultKind{
		short: "X/Y swapped?", field: "self-loc.x", source: sourceAxes, note: true,
		text: "X reaches %.1f m, beyond the side of the field, and Y only %.1f m: X leads to the right and Y to the " +
			"opponents' goal",
		tcmField: "self.x",
		tcmText:  "the robot is beyond the side of the field for a second: x and y seem to be swapped; " + axes,
	}
	stampFrozen = faultKind{short: "time frozen", field: "timestamp", source: sourceSpec, text: "the timestamp stands at %d " +
		"ms for %.1f s: send the milliseconds since the start of the half in each package"}
	stampSeconds = faultKind{short: "seconds", field: "timestamp", source: sourceSpec,
		text: "the timestamp advances by 1 a second: write milliseconds, not seconds"}
	stampRate = faultKind{short: "time unit", field: "timestamp", source: sourceSpec,
		text: "the timestamp advances by %.0f a second: write milliseconds, which advance by 1000"}
	stampRestartsTwice = faultKind{short: "time restarts", field: "timestamp", source: sourceSpec,
		text: "the timestamp restarted 2 times within %.0f s: it starts only once, at the start of the half"}
	stampRestartedAlone = faultKind{short: "time restarts", field: "timestamp", source: sourceSpec, text: "the timestamp " +
		"restarted, that of the other robots did not: only the start of a half restarts it, for all robots; keep the start " +
		"when the program restarts"}
	stampRestarted = faultKind{short: "time restarts", field: "timestamp", source: sourceSpec, note: true,
		text: "the timestamp restarted after %.0f s: only the start of a half restarts it"}
	velocityTurned = faultKind{
		short: "velocity frame", field: "self-loc.vx", source: sourceAxes,
		text: "vx and vy are %s relative to the motion of x and y: give both in one frame, X to the right and Y to the " +
			"opponents' goal",
		tcmField: "self.vx",
		tcmText:  "vx and vy are %s relative to the motion of x and y: give both in the team frame; " + axes,
	}
	headingTurned = faultKind{
		field: "self-loc.theta", source: sourceAxes, note: true, text: "%s (judged by the direction of travel)",
		tcmField: "self.heading", tcmText: "the heading %s (judged by the direction of travel): " + axes,
	}
	ballTurned = faultKind{
		short: "frame?", field: "ball_cand_vision[0].x", source: sourceAxes, note: true,
		text: "its ball is where %s, but %s at the centre or axes: X leads to the right and Y to the opponents' goal, for all " +
			"robots of a team",
		tcmField: "ball.x",
		tcmText:  "its ball is where the other robots see it, but %s at the centre or axes: " + axes,
	}
)

const tcmPoseFrozen = "the pose has had the same values for seconds while the ball moved: send the newest self-localisation, " +
	"or unless this is a fixed camera mark it as unknown"

// frame is a transformation that senders apply by mistake: a direction a becomes sign*a + turn.
type frame struct {
	sign, turn float64 // -1: a reflection; rad
	vector     string  // what it does to vectors
	view       string  // the same for a report card
	heading    string  // what headings mean that are so transformed from the direction of travel
	short      string
	tcmVector  string // what it does to vectors of TCM messages
	tcmHeading string
}

const quarter = math.Pi / 2

var frames = [...]frame{
	{
		sign: 1, turn: math.Pi, vector: "turned by 180 degrees", view: "turned by pi", short: "mirrored?",
		heading:   "theta points backwards, or X and Y are negated: theta is 0 towards the opponents' goal, and Y grows towards it",
		tcmVector: "turned by 180 degrees", tcmHeading: "points backwards, or x and y are negated",
	},
	{
		sign: 1, turn: quarter, vector: "turned by 90 degrees counter-clockwise", view: "turned by a quarter",
		short:     "theta from X?",
		heading:   "theta seems to be measured from X: it is 0 towards the opponents' goal (+Y); subtract 1571 mrad",
		tcmVector: "turned by 90 degrees counter-clockwise", tcmHeading: "seems to be measured from -y: subtract pi/2",
	},
	{
		sign: 1, turn: -quarter, vector: "turned by 90 degrees clockwise", view: "turned by a quarter", short: "theta from -X?",
		heading:   "theta seems to be measured from -X: it is 0 towards the opponents' goal (+Y); add 1571 mrad",
		tcmVector: "turned by 90 degrees clockwise", tcmHeading: "seems to be measured from y: add pi/2",
	},
	{
		sign: -1, vector: "mirrored in X", view: "mirrored in X", short: "clockwise?",
		heading:   "theta seems to count clockwise, or X is mirrored: theta counts counter-clockwise, and X leads to the right",
		tcmVector: "mirrored in y", tcmHeading: "seems to count clockwise, or y grows to the right",
	},
	{
		sign: -1, turn: math.Pi, vector: "mirrored in Y", view: "mirrored in Y", short: "Y mirrored?",
		heading:   "Y seems to be mirrored, or theta counts clockwise from the own goal: Y grows towards the opponents' goal",
		tcmVector: "mirrored in x", tcmHeading: "seems to count clockwise from the own goal, or x grows towards it",
	},
	{
		sign: -1, turn: -quarter, vector: "swapped", view: "X and Y exchanged", short: "X/Y swapped?",
		heading: "X and Y seem to be swapped, or theta counts clockwise from X: X leads to the right, Y to the opponents' " +
			"goal",
		tcmVector: "swapped and negated", tcmHeading: "seems to belong to x and y that are swapped and negated",
	},
	{
		sign: -1, turn: quarter, vector: "swapped and negated", view: "X and Y exchanged", short: "X/Y swapped?",
		heading: "X and Y seem to be swapped and negated, or theta counts clockwise from -X: X leads to the right, Y to the " +
			"opponents' goal",
		tcmVector: "swapped", tcmHeading: "seems to belong to x and y that are swapped",
	},
}

// apply returns a vector of the team frame in the frame f.
func (f *frame) apply(v soccer.Vec) soccer.Vec {
	v.Y *= f.sign
	switch f.turn {
	case quarter:
		return v.Left()
	case -quarter:
		return v.Left().Turned()
	case math.Pi:
		return v.Turned()
	}
	return v
}

// fault returns a fault of the kind.
func (k *faultKind) fault(args ...any) Fault {
	issue := wire.Issue{Field: k.field, Source: k.source, Text: fmt.Sprintf(k.text, args...), Note: k.note}
	if k.note {
		issue.Text = "suspicion: " + issue.Text
	}
	return Fault{Issue: issue, Short: k.short, kind: k}
}

// in returns the fault as one that frame f explains.
func (f Fault) in(frame *frame) Fault {
	f.frame = frame
	return f
}

// message returns the fault in the words of TCM messages. It reports false for faults that only mixed team packages can
// have.
func (f *Fault) message() (wire.Issue, bool) {
	text := f.kind.tcmText
	switch {
	case text == "":
		return wire.Issue{}, false
	case f.kind == &headingTurned:
		text = fmt.Sprintf(text, f.frame.tcmHeading)
	case f.frame != nil:
		text = fmt.Sprintf(text, f.frame.tcmVector)
	}
	if f.Note {
		text = "suspicion: " + text
	}
	return wire.Issue{Field: f.kind.tcmField, Source: sourcePayloads, Text: text, Note: f.Note}, true
}
