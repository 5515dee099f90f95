package managernet

import (
	"slices"

	"touchline/internal/camera"
)

// against is a comparison with the colour table of a robot.
type against struct {
	number  uint32 // of the edited table
	runs    *byte  // the robot's
	added   [camera.Classes]int
	removed [camera.Classes]int
}

// compare sets the colours of a view to those with what the edited table changes of the robot's. runs is the file of the
// robot's table; with nil, which is not known, the view stays as it is.
func (r *room) compare(v *View, runs []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.robots[v.Robot]; at != nil && v.Colors != nil && len(runs) > 0 {
		v.Colors = at.colors.compare(runs)
	}
}

// compare returns what is shown, with what the table changes of the robot's.
func (c *colors) compare(runs []byte) *ColorsView {
	if a := &c.against; a.number != c.number || a.runs != &runs[0] {
		theirs := new(camera.Table)
		if theirs.UnmarshalBinary(runs) != nil {
			return c.shown
		}
		*a = against{number: c.number, runs: &runs[0]}
		for i, class := range c.used() {
			if was := theirs[i]; was != class {
				a.added[class]++
				a.removed[was]++
			}
		}
	}
	v := *c.shown
	v.Compared, v.Classes = true, slices.Clone(v.Classes)
	for class := range v.Classes {
		v.Classes[class].Added, v.Classes[class].Removed = c.against.added[class], c.against.removed[class]
	}
	return &v
}
