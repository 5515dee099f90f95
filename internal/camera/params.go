package camera

import (
	"errors"
	"fmt"
	"math"
)

// Params is what an operator sets while a camera runs.
type Params struct {
	Exposure  float64 // ms; default 10
	Gain      float64 // dB; default 0
	WhiteRed  float64 // gain of red relative to green; default 1
	WhiteBlue float64 // gain of blue relative to green; default 1
	Focus     float64 // m, the distance that is sharp; default 2
	Pan       float64 // rad, of the head, to the left; default 0
	Tilt      float64 // rad, of the head, upwards; default -15 degrees

	// A trouble of the simulator: by how much the camera was knocked out of its place, which the robot does not know.
	KnockTilt float64 // rad, upwards; default 0
	KnockRoll float64 // rad, the right side downwards; default 0
}

// DefaultParams returns the parameters with which a camera starts. They suit a hall of Light 1.
func DefaultParams() Params {
	return Params{Exposure: 10, WhiteRed: 1, WhiteBlue: 1, Focus: 2, Tilt: -15 * degree}
}

// Param describes one parameter of a camera.
type Param struct {
	Name, Unit             string
	Min, Max, Default, Now float64
}

// ErrParam is the error of a parameter that a camera does not have, or of a value that it refuses.
var ErrParam = errors.New("camera: parameter")

// value returns the field of a parameter's name, or nil.
func (p *Params) value(name string) *float64 {
	switch name {
	case "exposure":
		return &p.Exposure
	case "gain":
		return &p.Gain
	case "white_red":
		return &p.WhiteRed
	case "white_blue":
		return &p.WhiteBlue
	case "focus":
		return &p.Focus
	case "pan":
		return &p.Pan
	case "tilt":
		return &p.Tilt
	case "knock_tilt":
		return &p.KnockTilt
	case "knock_roll":
		return &p.KnockRoll
	}
	return nil
}

// Declare returns the parameters that the camera has, in a fixed order, with their values in p. A camera without a head
// has neither pan nor tilt. The longest exposure is the time between two pictures.
func (c *Camera) Declare(p *Params) []Param {
	all := []Param{
		{Name: "exposure", Unit: "ms", Min: 0.1, Max: 1000 / max(c.Rate, 1)},
		{Name: "gain", Unit: "dB", Max: 24},
		{Name: "white_red", Min: 0.25, Max: 4},
		{Name: "white_blue", Min: 0.25, Max: 4},
		{Name: "focus", Unit: "m", Min: 0.1, Max: 20},
	}
	if c.Head != (Head{}) {
		all = append(all, Param{Name: "pan", Unit: "rad", Min: -c.Head.PanMax, Max: c.Head.PanMax},
			Param{Name: "tilt", Unit: "rad", Min: c.Head.TiltMin, Max: c.Head.TiltMax})
	}
	return p.fill(all)
}

// DeclareKnock returns by how much the camera was knocked out of its place, as Declare does.
func (c *Camera) DeclareKnock(p *Params) []Param {
	return p.fill([]Param{
		{Name: "knock_tilt", Unit: "rad", Min: -MaxKnock, Max: MaxKnock},
		{Name: "knock_roll", Unit: "rad", Min: -MaxKnock, Max: MaxKnock},
	})
}

// fill sets defaults and values.
func (p *Params) fill(all []Param) []Param {
	standard := DefaultParams()
	for i := range all {
		all[i].Default, all[i].Now = *standard.value(all[i].Name), *p.value(all[i].Name)
	}
	return all
}

// Set sets a parameter and returns the value that the camera took. The error is ErrParam, and p is unchanged, for a name
// that neither Declare nor DeclareKnock lists and for a value outside of its range; the text says which range.
func (c *Camera) Set(p *Params, name string, value float64) (float64, error) {
	return set(append(c.Declare(p), c.DeclareKnock(p)...), c.Name, name, value, p.value)
}

// set sets one of the declared parameters of a camera.
func set(declared []Param, camera, name string, value float64, at func(name string) *float64) (float64, error) {
	for _, d := range declared {
		if d.Name != name {
			continue
		}
		// A limit that was rounded to 32 bits on its way to an operator and back is still the limit.
		if math.IsNaN(value) || float32(value) < float32(d.Min) || float32(value) > float32(d.Max) {
			return d.Now, fmt.Errorf("%w: %s is %g: want %g to %g %s", ErrParam, name, value, d.Min, d.Max, d.Unit)
		}
		value = min(max(value, d.Min), d.Max)
		*at(name) = value
		return value, nil
	}
	return 0, fmt.Errorf("%w: %s has no %q", ErrParam, camera, name)
}

// MaxKnock is how far the camera of a robot may be turned from where it was built, in rad: 20 degrees.
const MaxKnock = 20 * degree

// optic returns the field of an optical parameter's name, or nil.
func (c *Camera) optic(name string) *float64 {
	switch name {
	case "focal":
		return &c.Lens.Focal
	case "radial":
		return &c.Lens.Radial
	case "camera_ahead":
		return &c.Mount.Ahead
	case "camera_height":
		return &c.Mount.Height
	case "camera_tilt":
		return &c.Mount.Tilt
	case "camera_roll":
		return &c.Mount.Roll
	case "mirror":
		return &c.Lens.Mirror
	}
	return nil
}

// DeclareOptics returns what a robot's software assumes of its camera's lens and place, and a calibration finds: each with
// the value of this camera as it was built as default, and that of believed. A camera that looks up into a mirror has the
// mirror's parameter, too, which a calibration takes as it is.
func (c *Camera) DeclareOptics(believed *Camera) []Param {
	all := []Param{
		{Name: "focal", Unit: "px", Min: 0.7 * c.Lens.Focal, Max: 1.4 * c.Lens.Focal},
		{Name: "radial", Min: -0.5, Max: 0.5},
		{Name: "camera_ahead", Unit: "m", Min: -0.5, Max: 0.5},
		{Name: "camera_height", Unit: "m", Min: 0.05, Max: 2},
		{Name: "camera_tilt", Unit: "rad", Min: -MaxKnock, Max: MaxKnock},
		{Name: "camera_roll", Unit: "rad", Min: -MaxKnock, Max: MaxKnock},
	}
	if c.Mount.Down {
		all = append(all, Param{Name: "mirror", Max: 1})
	}
	for i := range all {
		all[i].Default, all[i].Now = *c.optic(all[i].Name), *believed.optic(all[i].Name)
	}
	return all
}

// SetOptics sets a parameter of DeclareOptics in believed, with the errors of Set.
func (c *Camera) SetOptics(believed *Camera, name string, value float64) (float64, error) {
	return set(c.DeclareOptics(believed), c.Name, name, value, believed.optic)
}
