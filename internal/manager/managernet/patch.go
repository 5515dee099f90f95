package managernet

import (
	"errors"
	"fmt"

	"touchline/internal/camera"
	"touchline/internal/manager"
)

// measure measures the patch of the command.
func (c *call) measure() (camera.Patch, error) {
	if c.robot.held == nil {
		return camera.Patch{}, errors.New("calibration: no picture is held: take one, and drag over a patch in it")
	}
	const most = 1 << 20 // px: sums stay far from overflow
	if min(c.X, c.Y, c.Width, c.Height) < 0 || max(c.X, c.Y, c.Width, c.Height) > most {
		return camera.Patch{}, fmt.Errorf("calibration: a patch of %d x %d px at %d, %d", c.Width, c.Height, c.X, c.Y)
	}
	return camera.Measure(&c.robot.held.Picture, c.X, c.Y, c.X+c.Width, c.Y+c.Height)
}

// remember keeps how a patch looks in good light.
func (c *call) remember() error {
	patch, err := c.measure()
	if err != nil {
		return err
	}
	c.robot.remembered = &patch
	c.robot.patch = &PatchView{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height, Seen: patch[:], Like: "remembered"}
	return nil
}

// adjust sets exposure, gain and white balance so that a patch looks as it should.
func (c *call) adjust() error {
	seen, err := c.measure()
	if err != nil {
		return err
	}
	var want camera.Patch
	switch c.Like {
	case "grey":
		want = camera.GreyPatch
	case "carpet":
		want = camera.CarpetPatch
	case "remembered":
		if c.robot.remembered == nil {
			return errors.New("calibration: no patch is remembered: drag over one in good light, and remember it")
		}
		want = *c.robot.remembered
	default:
		return fmt.Errorf("calibration: a patch like %.40q: want grey, carpet or remembered", c.Like)
	}
	set, err := camera.Adjust(parameters(c.view), seen, want)
	if err != nil {
		return err
	}
	for _, p := range set {
		c.Values = append(c.Values, manager.Value{Name: p.Name, Value: float32(p.Now)})
	}
	c.robot.patch = &PatchView{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height, Seen: seen[:], Want: want[:], Like: c.Like,
		Values: c.Values}
	return nil
}

// parameters returns what can be set at a robot.
func parameters(v *manager.View) (list []camera.Param) {
	for i := range v.Parameters {
		if p := &v.Parameters[i]; !p.ReadOnly {
			list = append(list, camera.Param{Name: p.Name, Unit: p.Unit, Min: float64(p.Min), Max: float64(p.Max),
				Default: float64(p.Default), Now: float64(p.Value)})
		}
	}
	return list
}
