package camera

import (
	"fmt"
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The unknowns: those of the camera and its pictures, of the robot's pose, then the joint errors of each sample.
const (
	uTilt = iota
	uRoll
	uHeight
	uFocal // logarithm
	uRadial
	uBloom // px by which white reaches beyond all edges
	uX
	uY
	uHeading
	common
)

// priors are the standard deviations of the camera's unknowns before any picture was taken.
var priors = [uX]float64{uTilt: 5 * degree, uRoll: 3 * degree, uHeight: 0.02, uFocal: 0.1, uRadial: 0.05, uBloom: 0.3}

// steps are the differences for numerical derivatives.
var steps = [common]float64{1e-5, 1e-5, 1e-5, 1e-5, 1e-4, 1, 1e-5, 1e-5, 1e-5}

// pixelSigma is the least deviation of an edge point in px: noise, and the part of a pixel by which the tone curve moves
// all edges of a line.
const pixelSigma = 0.4

// thinnest is how many widths of a line a pixel may cover. The edges of a line that is thinner melt into one.
const thinnest = 4

// solver holds a state of the unknowns and what follows from it.
type solver struct {
	p       *Problem
	marks   []soccer.Mark
	own     [][5]int  // for each sample the places of its pose (3), pan error and tilt error in x; -1: rejected
	x       []float64 // unknowns, as differences from the Problem
	sigma   []float64 // prior of each
	normal  []float64 // the normal matrix, by rows
	right   []float64
	targets [][]target // target of each sample and point
	every   int        // only each so many points are looked at
}

// target is the place on a line's edge at which a point is believed to lie.
type target struct {
	at, along soccer.Vec // m on the floor, and a unit vector along the edge
	used      bool
}

func newSolver(p *Problem) *solver {
	s := &solver{p: p, marks: p.Field.Marks(), every: 1}
	s.sigma = append(s.sigma, priors[:]...)
	s.sigma = append(s.sigma, p.PoseSigma, p.PoseSigma, p.HeadingSigma)
	for i := range p.Samples {
		s.targets = append(s.targets, make([]target, len(p.Samples[i].Points)))
		s.own = append(s.own, s.ownOf(i))
	}
	s.x = make([]float64, len(s.sigma))
	s.normal = make([]float64, len(s.x)*len(s.x))
	s.right = make([]float64, len(s.x))
	return s
}

// ownOf returns the places of a sample's own unknowns. A joint repeats itself: samples with the same tilt, within half a
// degree, have the same error of the tilt, and those with the same pan that of the pan. A robot without a head that did not move between
// two samples has the same errors in both; elsewhere its body stands in its own way.
func (s *solver) ownOf(i int) [5]int {
	a := &s.p.Samples[i]
	if a.Rejected {
		return [5]int{-1, -1, -1, -1, -1}
	}
	place := [5]int{uX, uY, uHeading, -1, -1}
	for k := range i {
		b := &s.p.Samples[k]
		if b.Rejected {
			continue
		}
		if a.Self != nil {
			if b.Self != nil && a.Self.XY().Sub(b.Self.XY()).Len() < 0.1 &&
				math.Abs(soccer.WrapAngle(a.Self.Theta-b.Self.Theta)) < 5*degree {
				return s.own[k]
			}
			continue
		}
		if math.Abs(a.Pan-b.Pan) < 0.5*degree {
			place[3] = s.own[k][3]
		}
		if math.Abs(a.Tilt-b.Tilt) < 0.5*degree {
			place[4] = s.own[k][4]
		}
	}
	if a.Self != nil {
		place[0], place[1], place[2] = -1, -1, -1
	}
	for j, sigma := range [5]float64{s.p.PoseSigma, s.p.PoseSigma, s.p.HeadingSigma, s.p.JointSigma, s.p.JointSigma} {
		if place[j] < 0 {
			s.sigma = append(s.sigma, sigma)
			place[j] = len(s.sigma) - 1
		}
	}
	return place
}

// camera returns the camera for the values of the unknowns.
func (s *solver) camera() Camera {
	c, x := s.p.Camera, s.x
	c.Mount.Tilt += x[uTilt]
	c.Mount.Roll += x[uRoll]
	c.Mount.Height += x[uHeight]
	c.Lens.Focal = float64(c.Lens.Focal * exact.Exp(x[uFocal]))
	c.Lens.Radial += x[uRadial]
	return c
}

// poseOf returns where the robot stood for a sample.
func (s *solver) poseOf(i int) soccer.Pose {
	if s.p.Samples[i].Rejected {
		return soccer.Pose{}
	}
	pose, own := s.p.Pose, &s.own[i]
	if at := s.p.Samples[i].Self; at != nil {
		pose = *at
	}
	return soccer.Pose{X: pose.X + s.x[own[0]], Y: pose.Y + s.x[own[1]], Theta: pose.Theta + s.x[own[2]]}
}

// eyeOf returns the eye of a sample for the unknowns, of which number changed is larger by a step; -1: none.
func (s *solver) eyeOf(i, changed int, c *Camera) Eye {
	if changed >= 0 {
		s.x[changed] += stepOf(changed)
		defer func(was float64) { s.x[changed] = was }(s.x[changed] - stepOf(changed))
	}
	*c = s.camera()
	a := &s.p.Samples[i]
	if c.Mount.Down { // it has no joints: the body sways
		c.Mount.Roll += s.x[s.own[i][3]]
		c.Mount.Tilt += s.x[s.own[i][4]]
	}
	return c.EyeAt(s.poseOf(i), a.Pan+s.x[s.own[i][3]], a.Tilt+s.x[s.own[i][4]])
}

func stepOf(unknown int) float64 {
	if unknown < common {
		return steps[unknown]
	}
	return 1e-5
}

// associate finds for each point the line's edge that it lies on: the nearest one that runs in its direction and has
// the white on the same side, if it is nearer than gate px.
func (s *solver) associate(gate float64) {
	var c Camera
	for i := range s.p.Samples {
		if s.p.Samples[i].Rejected {
			continue
		}
		eye := s.eyeOf(i, -1, &c)
		for k := 0; k < len(s.p.Samples[i].Points); k += s.every {
			s.targets[i][k] = s.match(&eye, &s.p.Samples[i].Points[k], gate)
		}
	}
}

// match finds the edge of one point.
func (s *solver) match(eye *Eye, p *Point, gate float64) target {
	at, ok := eye.Floor(p.X, p.Y, 0)
	beside, okBeside := eye.Floor(p.X-p.Normal.Y, p.Y+p.Normal.X, 0)
	white, okWhite := eye.Floor(p.X+p.Normal.X, p.Y+p.Normal.Y, 0)
	if !ok || !okBeside || !okWhite {
		return target{}
	}
	along, toWhite := beside.Sub(at).Unit(), white.Sub(at)
	if toWhite.Len() > float64(thinnest*s.p.Field.LineWidth) {
		return target{}
	}
	best, nearest := target{}, gate
	half := float64(s.p.Field.LineWidth * 0.5)
	for i := range s.marks {
		m := &s.marks[i]
		middle := m.Nearest(at)
		d := at.Sub(middle)
		direction := directionOf(m, middle)
		across := direction.Left()
		if math.Abs(along.Cross(direction)) > 0.35 || math.Abs(d.Dot(direction)) > 0.1 {
			continue // it runs elsewhere, or has ended
		}
		side := half
		if toWhite.Dot(across) > 0 {
			side = -half
		}
		t := target{
			at: middle.Add(across.Scale(side)), along: direction, used: true,
		}
		if off, ok := offset(eye, p, &t); ok && math.Abs(off) < nearest {
			best, nearest = t, math.Abs(off)
		}
	}
	return best
}

// directionOf returns the unit vector along a mark at a place on it.
func directionOf(m *soccer.Mark, at soccer.Vec) soccer.Vec {
	if m.Radius > 0 {
		return at.Sub(m.Centre).Unit().Left()
	}
	return m.To.Sub(m.From).Unit()
}

// offset returns how far a point lies beside its target's edge, in px towards the white.
func offset(eye *Eye, p *Point, t *target) (float64, bool) {
	const reach = 0.02 // m
	x, y, ok := eye.Pixel(soccer.Vec3{X: t.at.X, Y: t.at.Y})
	end := t.at.Add(t.along.Scale(reach))
	u, v, okEnd := eye.Pixel(soccer.Vec3{X: end.X, Y: end.Y})
	if !ok || !okEnd {
		return 0, false
	}
	d := soccer.Vec{X: u - x, Y: v - y}.Unit()
	across := d.Left()
	if across.Dot(p.Normal) < 0 {
		across = across.Turned()
	}
	return across.Dot(soccer.Vec{X: p.X - x, Y: p.Y - y}), true
}

// step moves the unknowns by one step of Gauss-Newton, and returns the size of the step in units of the priors.
func (s *solver) step() float64 {
	s.build()
	n := len(s.x)
	if !factor(s.normal, n) {
		return 0
	}
	solve(s.normal, s.right, n)
	largest := 0.0
	for i, d := range s.right {
		s.x[i] += d
		largest = max(largest, math.Abs(d)/s.sigma[i])
	}
	return largest
}

// build fills the normal equations: priors, and the points with the weights of a robust estimate (Huber).
func (s *solver) build() {
	n := len(s.x)
	clear(s.normal)
	for i := range n {
		weight := 1 / float64(s.sigma[i]*s.sigma[i])
		s.normal[i*n+i] = weight
		s.right[i] = -float64(weight * s.x[i])
	}
	var c [common + 3]Camera
	var eyes [common + 2]Eye
	var places [common + 2]int
	var row [common + 2]float64
	for i := range s.p.Samples {
		if s.p.Samples[i].Rejected {
			continue
		}
		for k := range places {
			places[k] = k
			if k >= uX {
				places[k] = s.own[i][k-uX]
			}
			eyes[k] = s.eyeOf(i, places[k], &c[k])
		}
		here := s.eyeOf(i, -1, &c[common+2])
		for j := 0; j < len(s.targets[i]); j += s.every {
			t, p := &s.targets[i][j], &s.p.Samples[i].Points[j]
			if !t.used {
				continue
			}
			off, ok := offset(&here, p, t)
			for k := range row {
				moved, okMoved := offset(&eyes[k], p, t)
				row[k], ok = (moved-off)/stepOf(places[k]), ok && okMoved
			}
			row[uBloom] = 1
			if ok {
				s.add(&places, &row, off+s.x[uBloom])
			}
		}
	}
}

// add adds one point to the normal equations.
func (s *solver) add(places *[common + 2]int, row *[common + 2]float64, off float64) {
	const huber = 2.5 // deviations
	weight := float64(s.every) / (pixelSigma * pixelSigma)
	if a := math.Abs(off) / pixelSigma; a > huber {
		weight = float64(weight * huber / a)
	}
	n := len(s.x)
	for i, a := range places {
		wa := float64(weight * row[i])
		s.right[a] -= float64(wa * off)
		for j, b := range places {
			s.normal[a*n+b] += float64(wa * row[j])
		}
	}
}

// cost returns the mean square of the offsets in px^2, where points without a target count as far as the gate.
func (s *solver) cost(gate float64) float64 {
	var sum, n float64
	var c Camera
	for i := range s.p.Samples {
		if s.p.Samples[i].Rejected {
			continue
		}
		eye := s.eyeOf(i, -1, &c)
		for j := 0; j < len(s.targets[i]); j += s.every {
			n++
			off, ok := 0.0, false
			if t := &s.targets[i][j]; t.used {
				off, ok = offset(&eye, &s.p.Samples[i].Points[j], t)
				off += s.x[uBloom]
			}
			if !ok || math.Abs(off) > gate {
				off = gate
			}
			sum += float64(off * off)
		}
	}
	return sum / max(n, 1)
}

// undetermined returns the error that names what is missing.
func undetermined(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUndetermined}, args...)...)
}
