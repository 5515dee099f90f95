package camera

import ()

// ClassOf returns the class that the pixels of a thing should get in a hall of the Middle Size League.
func ClassOf(t Thing) Class {
	switch t {
	case Carpet:
		return Green
	case FieldLine, Goal:
		return White
	case Ball:
		return Orange
	case RobotBody:
		return Black
	case CyanMarker:
		return Cyan
	case MagentaMarker:
		return Magenta
	}
	return None
}

// Sorted counts the pixels of each thing (row) that got each class (column).
type Sorted [Things][Classes]int

// Count adds a segmented picture. Both slices have one element a pixel; the longer one's rest is ignored.
func (s *Sorted) Count(truth []Thing, segmented []Class) {
	for i := range min(len(truth), len(segmented)) {
		s[truth[i]%Things][segmented[i]%Classes]++
	}
}
