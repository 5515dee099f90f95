package camera

import (
	"errors"
	"fmt"
	"math"

	"touchline/soccer"
)

// Point is a place on the edge of a white line, in a picture.
type Point struct {
	X, Y   float64    // px
	Normal soccer.Vec // a unit vector across the edge, towards the white
}

// Sample is one picture that a standing robot took.
type Sample struct {
	Pan, Tilt float64      // rad, of the head as its joints say
	Self      *soccer.Pose // believed pose of the robot; nil: Problem.Pose, where it stood for all of these
	Points    []Point
	Rejected  bool // rejected by the operator: left out
}

// Problem is what a calibration starts from.
type Problem struct {
	Camera       Camera // believed camera
	Field        soccer.Field
	Pose         soccer.Pose // believed pose of the robot
	JointSigma   float64     // rad, error of each picture's pan and of its tilt; default 0.3 degrees
	PoseSigma    float64     // m, error of Pose in x and in y; default 0.08
	HeadingSigma float64     // rad, error of its heading; default 1.1 degrees
	Samples      []Sample
}

// NewProblem returns a Problem with the default sigmas and no samples.
func NewProblem(cam Camera, field soccer.Field, pose soccer.Pose) Problem {
	return Problem{
		Camera: cam, Field: field, Pose: pose, JointSigma: 0.3 * degree, PoseSigma: 0.08, HeadingSigma: 1.1 * degree,
	}
}

// Result is what a calibration found.
type Result struct {
	Camera Camera
	Pose   soccer.Pose // pose of the robot
	Sigma  Sigma
	RMS    float64        // px, of all points that lie on lines
	Fits   []SampleResult // result of each sample
}

// Sigma holds the predicted standard deviations of a result.
type Sigma struct {
	Tilt, Roll float64 // rad
	Height     float64 // m
	Focal      float64 // relative
	Radial     float64
}

// SampleResult is how well one sample fits.
type SampleResult struct {
	Points, Used int         // Used lie on lines
	RMS          float64     // px, of these
	Pose         soccer.Pose // pose of the robot
}

// The accuracy below which a set of pictures determines a camera.
const (
	maxTiltSigma  = 0.15 * degree
	maxFocalSigma = 0.005
)

// ErrUndetermined is the error of a set of pictures that does not determine the camera; the text says why, and what to
// do.
var ErrUndetermined = errors.New("calib: the pictures do not determine the camera")

// ErrInput is the error of a Problem that makes no sense.
var ErrInput = errors.New("calib: input")

const (
	maxSamples  = 64
	leastPoints = 60 // least number of points on lines, over all samples
)

func (p *Problem) check() error {
	if len(p.Samples) > maxSamples {
		return fmt.Errorf("%w: %d samples: want at most %d", ErrInput, len(p.Samples), maxSamples)
	}
	for i := range p.Samples {
		s := &p.Samples[i]
		if !finite(s.Pan) || !finite(s.Tilt) {
			return fmt.Errorf("%w: sample %d: pan %g, tilt %g", ErrInput, i, s.Pan, s.Tilt)
		}
		if a := s.Self; a != nil && !(finite(a.X) && finite(a.Y) && finite(a.Theta)) {
			return fmt.Errorf("%w: sample %d: pose %v", ErrInput, i, *a)
		}
		for _, q := range s.Points {
			if !finite(q.X) || !finite(q.Y) || !(math.Abs(q.Normal.Len()-1) < 0.01) {
				return fmt.Errorf("%w: sample %d has a point that is not finite: %v", ErrInput, i, q)
			}
		}
	}
	if !(p.JointSigma > 0 && p.PoseSigma > 0 && p.HeadingSigma > 0) {
		return fmt.Errorf("%w: sigmas must be above 0", ErrInput)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Collect appends the edges of line points to dst, each with the direction in which the picture grows brighter there.
func Collect(p *Picture, lines []LinePoint, dst []Point) []Point {
	for i := range lines {
		near, far := lines[i].NearPixel, lines[i].FarPixel
		dst = appendEdge(dst, p, near, far.Sub(near))
		dst = appendEdge(dst, p, far, near.Sub(far))
	}
	return dst
}

// appendEdge appends the edge at a pixel, if its gradient agrees with the direction towards the white.
func appendEdge(dst []Point, p *Picture, at, white soccer.Vec) []Point {
	x, y := int(at.X+0.5), int(at.Y+0.5)
	if x < 1 || y < 1 || x >= p.Width-1 || y >= p.Height-1 {
		return dst
	}
	luma := func(dx, dy int) float64 { return float64(p.Y[(y+dy)*p.Width+x+dx]) }
	gx := luma(1, -1) + 2*luma(1, 0) + luma(1, 1) - luma(-1, -1) - 2*luma(-1, 0) - luma(-1, 1)
	gy := luma(-1, 1) + 2*luma(0, 1) + luma(1, 1) - luma(-1, -1) - 2*luma(0, -1) - luma(1, -1)
	gradient := soccer.Vec{X: gx, Y: gy}
	if gradient.Len() < 60 || gradient.Dot(white) <= 0 {
		return dst
	}
	return append(dst, Point{at.X, at.Y, gradient.Unit()})
}
