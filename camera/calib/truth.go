package calib

import (
	"touchline/camera"
	"touchline/camera/percept"
)

// ClassOf returns the class that the pixels of a thing should get in a hall of the Middle Size League.
func ClassOf(t camera.Thing) percept.Class {
	switch t {
	case camera.Carpet:
		return percept.Green
	case camera.FieldLine, camera.Goal:
		return percept.White
	case camera.Ball:
		return percept.Orange
	case camera.RobotBody:
		return percept.Black
	case camera.CyanMarker:
		return percept.Cyan
	case camera.MagentaMarker:
		return percept.Magenta
	}
	return percept.None
}

// Sorted counts the pixels of each thing (row) that got each class (column).
type Sorted [camera.Things][percept.Classes]int

// Count adds a segmented picture. Both slices have one element a pixel; the longer one's rest is ignored.
func (s *Sorted) Count(truth []camera.Thing, segmented []percept.Class) {
	for i := range min(len(truth), len(segmented)) {
		s[truth[i]%camera.Things][segmented[i]%percept.Classes]++
	}
}
