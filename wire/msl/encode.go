package msl

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Decimals. MSL World Model 2015, section 2, demands three for positions and four for angles; the others are those of
// its example, or finer.
const (
	positionDigits = 3
	angleDigits    = 4
	batteryDigits  = 1
)

// AppendBinary appends w as one message without its NUL: the keys of the example in MSL World Model 2015, section 4, in
// that order, without those of unknown values. It wraps headings into [0, 2 pi) and sorts balls by falling confidence.
// It refuses faults that Check finds, numbers that are not finite, and text that is not UTF-8.
func (w *Worldstate) AppendBinary(b []byte) ([]byte, error) {
	e := encoder{b: b}
	e.b = append(e.b, `{"type":"worldstate"`...)
	e.text("teamName", w.TeamName)
	e.text("intention", w.Intention)
	e.begin("robots")
	for i := range w.Robots {
		e.robot(&w.Robots[i])
	}
	e.end()
	e.begin("balls")
	e.balls(w.Balls)
	e.end()
	e.begin("obstacles")
	for i := range w.Obstacles {
		e.obstacle(&w.Obstacles[i])
	}
	e.end()
	e.number("ageMs", w.AgeMillis, 0)
	e.b = append(e.b, '}')
	return e.done(b)
}

// AppendBinary appends e as one message without its NUL. It refuses faults that Check finds.
func (e *Event) AppendBinary(b []byte) ([]byte, error) {
	x := encoder{b: b}
	x.b = append(x.b, `{"type":"event"`...)
	x.number("robotId", e.RobotID, -1)
	x.text("event", e.Event)
	x.b = append(x.b, '}')
	return x.done(b)
}

// AppendBinary appends c as one message without its NUL, byte for byte as the RefBox 2.1 does: indented by two blanks,
// robotID first. It refuses faults that Check finds.
func (c *Command) AppendBinary(b []byte) ([]byte, error) {
	e := encoder{b: b}
	e.b = append(e.b, '{')
	if c.RobotID != 0 {
		e.b = append(e.b, "\n  \"robotID\": "...)
		e.b = strconv.AppendInt(e.b, int64(c.RobotID), 10)
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, "\n  \"command\": "...)
	e.quote("command", c.Name)
	e.b = append(e.b, ",\n  \"targetTeam\": "...)
	e.quote("targetTeam", c.TargetTeam)
	e.b = append(e.b, "\n}"...)
	return e.done(b)
}

// encoder appends to b and keeps the first error.
type encoder struct {
	b    []byte
	err  error
	list string // current list, "" outside
	next int    // index of the next object in it
}

// fail keeps an error in the value of a key.
func (e *encoder) fail(name, format string, args ...any) {
	if e.err != nil {
		return
	}
	if e.list != "" {
		name = e.list + "[" + strconv.Itoa(e.next-1) + "]." + name
	}
	e.err = fmt.Errorf("msl: %s: %s", name, fmt.Sprintf(format, args...))
}

// done returns the result, or before and the error.
func (e *encoder) done(before []byte) ([]byte, error) {
	if e.err != nil {
		return before, e.err
	}
	if found := appendFindings(nil, e.b[len(before):], true); len(found) > 0 {
		i := found[0].Issue()
		return before, fmt.Errorf("msl: %s: %s (%s)", i.Field, i.Text, i.Source)
	}
	return e.b, nil
}

// key appends a key, with a comma if it is not the first.
func (e *encoder) key(name string) {
	if e.b[len(e.b)-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '"')
	e.b = append(e.b, name...)
	e.b = append(e.b, `":`...)
}

// begin starts a list of objects.
func (e *encoder) begin(name string) {
	e.key(name)
	e.b = append(e.b, '[')
	e.list, e.next = name, 0
}

// end ends the list.
func (e *encoder) end() {
	e.b = append(e.b, ']')
	e.list = ""
}

// open starts an object of the list.
func (e *encoder) open() {
	e.next++
	if e.b[len(e.b)-1] != '[' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '{')
}

func (e *encoder) text(name, v string) {
	e.key(name)
	e.quote(name, v)
}

func (e *encoder) quote(name, v string) {
	var err error
	if e.b, err = jsontext.AppendQuote(e.b, v); err != nil {
		e.fail(name, "%.40q is not UTF-8", v)
	}
}

// number appends a known number with some decimals; -1 stands for as many as are needed.
func (e *encoder) number(name string, v Number, digits int) {
	if v.Known {
		e.key(name)
		e.value(name, v.Value, digits)
	}
}

func (e *encoder) value(name string, v float64, digits int) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.fail(name, "%v is not finite: leave it unknown", v)
		return
	}
	start := len(e.b)
	e.b = strconv.AppendFloat(e.b, v, 'f', digits, 64)
	if e.b[start] != '-' {
		return
	}
	for _, c := range e.b[start+1:] {
		if c != '0' && c != '.' {
			return
		}
	}
	e.b = append(e.b[:start], e.b[start+1:]...) // -0.000 becomes 0.000
}

// angle appends a heading in [0, 2 pi).
func (e *encoder) angle(name string, v float64) {
	start := len(e.b)
	if e.value(name, heading(v), angleDigits); string(e.b[start:]) == "6.2832" {
		e.b = append(e.b[:start], "0.0000"...)
	}
}

// third is the quantity of the third component of a vector.
type third uint8

const (
	thirdPosition third = iota // m, or m/s
	thirdHeading               // rad
	thirdSpin                  // rad/s
)

func (e *encoder) vector(name string, v *Vec, kind third) {
	if v.Len <= 0 {
		return
	}
	e.key(name)
	e.b = append(e.b, '[')
	for i := range min(v.Len, len(v.At)) {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		switch n := v.At[i]; {
		case !n.Known:
			e.b = append(e.b, "null"...)
		case i == 2 && kind == thirdHeading:
			e.angle(name, n.Value)
		case i == 2 && kind == thirdSpin:
			e.value(name, n.Value, angleDigits)
		default:
			e.value(name, n.Value, positionDigits)
		}
	}
	e.b = append(e.b, ']')
}

func (e *encoder) robot(m *Robot) {
	e.open()
	e.number("id", m.ID, -1)
	e.vector("pose", &m.Pose, thirdHeading)
	e.vector("targetPose", &m.TargetPose, thirdHeading)
	e.vector("velocity", &m.Velocity, thirdSpin)
	e.text("intention", m.Intention)
	e.number("batteryLevel", m.BatteryLevel, batteryDigits)
	e.number("ballEngaged", m.BallEngaged, -1)
	e.b = append(e.b, '}')
}

// balls appends balls by falling confidence, those without one last; equal ones keep their order.
func (e *encoder) balls(balls []Ball) {
	var order [MaxBalls]int
	if len(balls) > len(order) {
		e.list = ""
		e.fail("balls", "%d, at most %d are written", len(balls), MaxBalls)
		return
	}
	for i := range balls {
		at := i
		for ; at > 0 && rank(&balls[i]) > rank(&balls[order[at-1]]); at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	for _, i := range order[:len(balls)] {
		m := &balls[i]
		e.open()
		e.vector("position", &m.Position, thirdPosition)
		e.vector("velocity", &m.Velocity, thirdPosition)
		e.number("confidence", m.Confidence, positionDigits)
		e.b = append(e.b, '}')
	}
}

// rank returns a ball's confidence, and -1 for one without.
func rank(m *Ball) float64 {
	if !m.Confidence.Known {
		return -1
	}
	return m.Confidence.Value
}

func (e *encoder) obstacle(m *Obstacle) {
	e.open()
	e.vector("position", &m.Position, thirdPosition)
	e.vector("velocity", &m.Velocity, thirdPosition)
	e.number("radius", m.Radius, positionDigits)
	e.number("confidence", m.Confidence, positionDigits)
	e.b = append(e.b, '}')
}
