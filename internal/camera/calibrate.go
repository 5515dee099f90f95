package camera

import (
	"cmp"
	"math"
	"slices"

	"touchline/soccer"
)

// Calibrate finds the camera from the lines in the samples. It does not need to know which line a point lies on: it
// starts from several guesses around the camera of the Problem, assigns each point to the nearest edge of a line that
// runs the same way, and narrows the limit of "near" as the fit improves.
//
// The error is ErrUndetermined where the pictures do not determine the camera; the Result then still holds the best fit.
func Calibrate(p *Problem) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	s := newSolver(p)
	points := 0
	for i := range p.Samples {
		if !p.Samples[i].Rejected {
			points += len(p.Samples[i].Points)
		}
	}
	if points < leastPoints {
		return Result{}, undetermined("%d points on lines are in view, want %d: %s", points, leastPoints,
			s.advice("turn the head to more lines"))
	}
	s.every = max(points/400, 1)
	starts := s.guesses()
	s.every = 1
	best := math.Inf(1)
	var chosen []float64
	for _, x := range starts[:min(len(starts), 5)] {
		copy(s.x, x.x)
		for gate := 16.0; gate > 3; gate *= 0.75 {
			s.associate(gate)
			s.step()
		}
		for range 8 {
			s.associate(lastGate)
			if s.step() < 0.002 {
				break
			}
		}
		s.associate(lastGate)
		if cost := s.cost(lastGate); cost < best {
			best, chosen = cost, slices.Clone(s.x)
		}
	}
	copy(s.x, chosen)
	s.associate(lastGate)
	return s.result()
}

// lastGate is the limit in px within which a point belongs to a line in the end.
const lastGate = 3.0

// guess is a start of the solver, and how well it fits.
type guess struct {
	x    []float64
	cost float64
}

// guesses tries the camera with several tilts, rolls and focal lengths, and returns them with the best first.
func (s *solver) guesses() []guess {
	var all []guess
	for _, tilt := range []float64{-6, -4, -2, 0, 2, 4, 6} {
		for _, roll := range []float64{-3, 0, 3} {
			for _, focal := range []float64{-0.1, 0, 0.1} {
				clear(s.x)
				s.x[uTilt], s.x[uRoll], s.x[uFocal] = tilt*degree, roll*degree, focal
				for _, gate := range []float64{12, 8, 6} {
					s.associate(gate)
					s.step()
				}
				s.associate(4)
				all = append(all, guess{slices.Clone(s.x), s.cost(4)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(a.cost, b.cost) })
	return all
}

// result describes the state of the solver, and refuses it where it is not exact enough.
func (s *solver) result() (Result, error) {
	var r Result
	r.Camera = s.camera()
	r.Pose = soccer.Pose{X: s.p.Pose.X + s.x[uX], Y: s.p.Pose.Y + s.x[uY], Theta: s.p.Pose.Theta + s.x[uHeading]}
	r.Fits, r.RMS = s.fits()
	used := 0
	for i := range r.Fits {
		used += r.Fits[i].Used
	}
	r.Sigma = s.deviations(r.RMS)
	switch {
	case used < leastPoints:
		return r, undetermined("%d points lie on lines of the field, want %d: the robot stands elsewhere than it believes, "+
			"or too few lines are in view", used, leastPoints)
	case r.Sigma.Tilt > maxTiltSigma:
		return r, undetermined("the tilt is known to %.2f degrees, want %.2f: %s", r.Sigma.Tilt/degree, maxTiltSigma/degree,
			s.advice("take pictures with more tilts and pans of the head, with lines near and far"))
	case r.Sigma.Roll > maxTiltSigma:
		return r, undetermined("the roll is known to %.2f degrees, want %.2f: %s", r.Sigma.Roll/degree, maxTiltSigma/degree,
			s.advice("take pictures with lines in different directions"))
	case r.Sigma.Focal > maxFocalSigma:
		return r, undetermined("the focal length is known to %.2f %%, want %.2f %%: %s", 100*r.Sigma.Focal, 100*maxFocalSigma,
			s.advice("take pictures with more tilts and pans of the head, with lines in different directions"))
	}
	return r, nil
}

// advice returns what helps a camera on a head, or what helps one that looks into a mirror.
func (s *solver) advice(head string) string {
	if s.p.Camera.Mount.Down {
		return "take pictures in more places, with lines near and far"
	}
	return head
}

// fits returns how well the samples fit.
func (s *solver) fits() (all []SampleResult, rms float64) {
	var total, n float64
	var c Camera
	for i := range s.p.Samples {
		f := SampleResult{Points: len(s.p.Samples[i].Points), Pose: s.poseOf(i)}
		if !s.p.Samples[i].Rejected {
			eye := s.eyeOf(i, -1, &c)
			var sum float64
			for j := range s.targets[i] {
				t := &s.targets[i][j]
				if !t.used {
					continue
				}
				if off, ok := offset(&eye, &s.p.Samples[i].Points[j], t); ok {
					off += s.x[uBloom]
					f.Used++
					sum += float64(off * off)
				}
			}
			total, n = total+sum, n+float64(f.Used)
			f.RMS = math.Sqrt(sum / float64(max(f.Used, 1)))
		}
		all = append(all, f)
	}
	return all, math.Sqrt(total / max(n, 1))
}

// deviations returns the predicted deviations: the inverse of the normal matrix, larger where the points scatter more
// than pixelSigma.
func (s *solver) deviations(rms float64) Sigma {
	s.build()
	n := len(s.x)
	if !factor(s.normal, n) {
		return Sigma{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	scatter := max(rms/pixelSigma, 1)
	var sigma [uX]float64
	for i := range sigma {
		column := make([]float64, n)
		column[i] = 1
		solve(s.normal, column, n)
		sigma[i] = float64(math.Sqrt(column[i]) * scatter)
	}
	return Sigma{sigma[uTilt], sigma[uRoll], sigma[uHeight], sigma[uFocal], sigma[uRadial]}
}

// ownPose reports whether an unknown is of the pose of one sample.
func (s *solver) ownPose(unknown int) bool {
	return slices.ContainsFunc(s.own, func(own [5]int) bool { return slices.Contains(own[:3], unknown) })
}

// HoldOut returns how far the points of samples that were not used lie from the nearest lines, in px (rms), as the
// calibrated camera sees them from the robot's pose with the joints as they are read, and how many points lie on lines. A
// sample with a pose of its own is moved to where its points fit best: that pose was only believed.
func HoldOut(r *Result, field soccer.Field, samples []Sample) (rms float64, used int, err error) {
	p := NewProblem(r.Camera, field, r.Pose)
	p.Samples = samples
	if err := p.check(); err != nil {
		return 0, 0, err
	}
	s := newSolver(&p)
	for i := range s.sigma { // only poses of samples and the pictures' bloom may change
		if i != uBloom && (i < common || !s.ownPose(i)) {
			s.sigma[i] = 1e-9
		}
	}
	for gate := 8.0; gate > lastGate; gate *= 0.75 {
		s.associate(gate)
		s.step()
	}
	s.associate(8)
	fits, rms := s.fits()
	for _, f := range fits {
		used += f.Used
	}
	return rms, used, nil
}
