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

	at *float64 // field of the camera that Set writes
}

// ErrParam is the error of a parameter that a camera does not have, or of a value that it refuses.
var ErrParam = errors.New("camera: parameter")

// Declare returns the parameters that the camera has, in a fixed order, with their values in p. A camera without a head
// has neither pan nor tilt. The longest exposure is the time between two pictures.
func (c *Camera) Declare(p *Params) []Param {
	d := DefaultParams()
	all := []Param{
		param("exposure", "ms", 0.1, 1000/max(c.Rate, 1), d.Exposure, &p.Exposure),
		param("gain", "dB", 0, 24, d.Gain, &p.Gain),
		param("white_red", "", 0.25, 4, d.WhiteRed, &p.WhiteRed),
		param("white_blue", "", 0.25, 4, d.WhiteBlue, &p.WhiteBlue),
		param("focus", "m", 0.1, 20, d.Focus, &p.Focus),
	}
	if c.Head != (Head{}) {
		all = append(all, param("pan", "rad", -c.Head.PanMax, c.Head.PanMax, d.Pan, &p.Pan),
			param("tilt", "rad", c.Head.TiltMin, c.Head.TiltMax, d.Tilt, &p.Tilt))
	}
	return all
}

// DeclareKnock returns by how much the camera was knocked out of its place, as Declare does.
func (c *Camera) DeclareKnock(p *Params) []Param {
	return []Param{
		param("knock_tilt", "rad", -maxKnock, maxKnock, 0, &p.KnockTilt),
		param("knock_roll", "rad", -maxKnock, maxKnock, 0, &p.KnockRoll),
	}
}

// param returns a parameter that is kept in a variable.
func param(name, unit string, least, most, standard float64, at *float64) Param {
	return Param{Name: name, Unit: unit, Min: least, Max: most, Default: standard, Now: *at, at: at}
}

// Set sets a parameter and returns the value that the camera took. The error is ErrParam, and p is unchanged, for a name
// that neither Declare nor DeclareKnock lists and for a value outside of its range; the text says which range.
func (c *Camera) Set(p *Params, name string, value float64) (float64, error) {
	return set(append(c.Declare(p), c.DeclareKnock(p)...), c.Name, name, value)
}

// set sets one of the declared parameters of a camera.
func set(declared []Param, camera, name string, value float64) (float64, error) {
	for _, d := range declared {
		if d.Name != name {
			continue
		}
		// A limit that was rounded to 32 bits on its way to an operator and back is still the limit.
		if math.IsNaN(value) || float32(value) < float32(d.Min) || float32(value) > float32(d.Max) {
			return d.Now, fmt.Errorf("%w: %s is %g: want %g to %g %s", ErrParam, name, value, d.Min, d.Max, d.Unit)
		}
		value = min(max(value, d.Min), d.Max)
		*d.at = value
		return value, nil
	}
	return 0, fmt.Errorf("%w: %s has no %q", ErrParam, camera, name)
}

// maxKnock is how far the camera of a robot may be turned from where it was built, in rad: 20 degrees.
const maxKnock = 20 * degree

// DeclareOptics returns what a robot's software assumes of its camera's lens and place, and a calibration finds: each with
// the value of this camera as it was built as default, and that of believed. A camera that looks up into a mirror has the
// mirror's parameter, too, which a calibration takes as it is.
func (c *Camera) DeclareOptics(believed *Camera) []Param {
	lens, mount, is, at := &c.Lens, &c.Mount, &believed.Lens, &believed.Mount
	all := []Param{
		param("focal", "px", 0.7*lens.Focal, 1.4*lens.Focal, lens.Focal, &is.Focal),
		param("radial", "", -0.5, 0.5, lens.Radial, &is.Radial),
		param("camera_ahead", "m", -0.5, 0.5, mount.Ahead, &at.Ahead),
		param("camera_height", "m", 0.05, 2, mount.Height, &at.Height),
		param("camera_tilt", "rad", -maxKnock, maxKnock, mount.Tilt, &at.Tilt),
		param("camera_roll", "rad", -maxKnock, maxKnock, mount.Roll, &at.Roll),
	}
	if mount.Down {
		all = append(all, param("mirror", "", 0, 1, lens.Mirror, &is.Mirror))
	}
	return all
}

// SetOptics sets a parameter of DeclareOptics in believed, with the errors of Set.
func (c *Camera) SetOptics(believed *Camera, name string, value float64) (float64, error) {
	return set(c.DeclareOptics(believed), c.Name, name, value)
}
