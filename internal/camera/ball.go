package camera

import (
	"cmp"
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// BallCandidate is an orange blob that looks like a ball, and whether it is one.
type BallCandidate struct {
	Position   soccer.Vec3 // m, its centre
	Cov        soccer.Cov  // m^2, of Position in the plane
	Confidence float64     // 0 to 1
	Rejected   Reason      // why it is not a ball; Accepted: it is one

	X, Y, Radius float64 // px, its circle in the picture
	BySize       float64 // m, from the camera, by its size
	ByFloor      float64 // m, from the camera, as it lies on the floor; 0: it is above the horizon
	Residual     float64 // px, deviation of its edge from a circle
	Fill         float64 // share of its circle that is orange
}

// Reason is why a blob is not a ball.
type Reason uint8

// The reasons, in the order in which they are checked.
const (
	Accepted     Reason = iota
	TooSmall            // fewer pixels than a circle can be fitted to
	NoCircle            // its edge is not a circle
	NotFilled           // its circle is not orange inside, or the blob is larger than the circle
	AboveHorizon        // it does not lie on the floor
	WrongSize           // larger or smaller than a ball at its place on the floor
	NoGreen             // no carpet before it
	OutsideField        // beyond the lines, as the robot knows its own pose
	TooFar              // beyond Config.BallRange
)

var reasonNames = [...]string{
	"", "too small", "no circle", "not filled", "above the horizon", "wrong size", "no green before it", "outside the field",
	"too far",
}

// String returns the reason in words, "" for Accepted.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

const (
	edgeRays   = 24  // along which a ball's edge is looked for
	maxOrange  = 12  // blobs that are examined, the largest first
	leastArea  = 8   // px
	edgeSigma  = 0.2 // px, of a radius whose edge was found all around, at best: blur and noise
	areaSigma  = 0.1 // px, of a small ball's radius by its area
	fieldAlive = 0.5 // m beyond the lines in which a ball is still reported
)

// findBalls examines the orange blobs.
func (f *Finder) findBalls(dst []BallCandidate) []BallCandidate {
	f.orange = f.orange[:0]
	for i := range f.Blobs {
		if f.Blobs[i].Class == Orange && f.Blobs[i].Area >= leastArea {
			f.orange = append(f.orange, i)
		}
	}
	slices.SortStableFunc(f.orange, func(a, b int) int { return cmp.Compare(f.Blobs[b].Area, f.Blobs[a].Area) })
	for _, i := range f.orange[:min(len(f.orange), maxOrange)] {
		dst = append(dst, f.examine(&f.Blobs[i]))
	}
	slices.SortStableFunc(dst, func(a, b BallCandidate) int {
		if (a.Rejected == Accepted) != (b.Rejected == Accepted) {
			return cmp.Compare(a.Rejected, b.Rejected)
		}
		return cmp.Compare(b.Confidence, a.Confidence)
	})
	return dst
}

// edge is the ray of a point of a ball's edge.
type edge struct {
	ray     soccer.Vec3
	outlier bool // belongs to an occluder
}

// examine fits a circle to a blob's edge and judges whether it is a ball.
func (f *Finder) examine(blob *Blob) BallCandidate {
	b := BallCandidate{X: blob.X, Y: blob.Y}
	b.Radius = math.Sqrt(float64(blob.Area) / math.Pi)
	f.findEdge(blob)
	cone, ok := f.fitCone()
	if !ok {
		b.Rejected = NoCircle
		return b
	}
	axis, angle := cone.axis, cone.angle
	if x, y, seen := f.eye.Pixel(soccer.Vec3{X: f.eye.At.X + axis.X, Y: f.eye.At.Y + axis.Y, Z: f.eye.At.Z + axis.Z}); seen {
		b.X, b.Y = x, y
	}
	size := f.pixelSize(b.X, b.Y)
	b.Radius, b.Residual = angle/size, cone.residual/size
	noise := edgeSigma
	if r, ok := f.radiusByArea(b.X, b.Y, b.Radius); ok && cone.points >= edgeRays*3/4 {
		b.Radius, noise = r, areaSigma
		angle = float64(r * size)
	}
	b.Fill = float64(blob.Area) / float64(math.Pi*b.Radius*b.Radius)
	sin, _ := exact.Sincos(angle)
	b.BySize = f.Config.BallRadius / sin
	below := f.eye.At.Z - f.Config.BallRadius
	falls := -axis.Z
	distance := b.BySize
	bySize := float64(b.BySize * noise / b.Radius * math.Sqrt(1+float64(float64(edgeRays-cone.points)*0.2)))
	sigma := bySize
	byFloor := 0.0
	if falls > 0.004 {
		b.ByFloor = below / falls
		flat := float64(b.ByFloor * math.Sqrt(max(1-float64(falls*falls), 0)))
		byFloor = f.floorSigma(flat, below, 0.3)
		weigh, floor := 1/float64(bySize*bySize), 1/float64(byFloor*byFloor)
		distance = (float64(weigh*b.BySize) + float64(floor*b.ByFloor)) / (weigh + floor)
		sigma = 1 / math.Sqrt(weigh+floor)
	}
	b.Position = soccer.Vec3{
		X: f.eye.At.X + float64(distance*axis.X), Y: f.eye.At.Y + float64(distance*axis.Y),
		Z: max(f.eye.At.Z+float64(distance*axis.Z), f.Config.BallRadius),
	}
	across := float64(distance * math.Sqrt(float64(f.Config.JointSigma*f.Config.JointSigma)+float64(size*size*0.04)))
	b.Cov = spread(b.Position.XY(), sigma, across)
	b.Rejected = f.judge(&b, &cone, bySize, byFloor)
	b.Confidence = float64(min(b.Fill, 1)*float64(cone.points)/edgeRays) / (1 + float64(b.Residual*b.Residual))
	return b
}

// judge applies the gates.
func (f *Finder) judge(b *BallCandidate, cone *cone, bySize, byFloor float64) Reason {
	switch {
	case b.Radius < 1.3:
		return TooSmall
	case cone.points < edgeRays*2/5 || b.Residual > 0.35+float64(0.06*b.Radius):
		return NoCircle
	case b.Fill < 0.4 || b.Fill > 1.4:
		return NotFilled
	case b.ByFloor == 0:
		return AboveHorizon
	}
	allowed := float64(3*math.Sqrt(float64(bySize*bySize)+float64(byFloor*byFloor))) + float64(0.04*b.BySize)
	if math.Abs(b.BySize-b.ByFloor) > allowed || b.BySize > 2*b.ByFloor || b.ByFloor > 2*b.BySize {
		return WrongSize
	}
	flat := b.Position.XY()
	if flat.Len() > f.Config.BallRange {
		return TooFar
	}
	if !f.greenBefore(b) {
		return NoGreen
	}
	if f.beyondLines(flat) > fieldAlive {
		return OutsideField
	}
	return Accepted
}

// beyondLines returns how far a place of the robot's frame lies beyond the lines, as the robot knows its own pose; below
// 0 inside, and where it does not know.
func (f *Finder) beyondLines(p soccer.Vec) float64 {
	if !f.self.Known {
		return -1
	}
	at := f.self.Pose.Compose(soccer.Pose{X: p.X, Y: p.Y})
	return max(math.Abs(at.X)-float64(f.Config.Field.Length*0.5), math.Abs(at.Y)-float64(f.Config.Field.Width*0.5))
}

// greenBefore reports whether the carpet is seen between the robot and a ball.
func (f *Finder) greenBefore(b *BallCandidate) bool {
	downX, downY := 0.0, 1.0
	if f.Camera.Mount.Down {
		downX, downY = f.Camera.Lens.CX-b.X, f.Camera.Lens.CY-b.Y
		down := soccer.Vec{X: downX, Y: downY}
		downX, downY = downX/down.Len(), downY/down.Len()
	}
	green, seen := 0, 0
	for _, side := range [...]float64{-0.7, -0.35, 0, 0.35, 0.7} {
		ahead := math.Sqrt(1 - float64(side*side))
		for _, beyond := range [...]float64{2, 3.5, 5} {
			r := b.Radius + beyond
			x := b.X + float64(r*(float64(ahead*downX)-float64(side*downY)))
			y := b.Y + float64(r*(float64(ahead*downY)+float64(side*downX)))
			if x < 0 || y < 0 || x > float64(f.Camera.Width-1) || y > float64(f.Camera.Height-1) {
				continue
			}
			seen++
			if c := f.class(x, y); c == Green || c == White {
				green++
			}
		}
	}
	return seen == 0 || 5*green >= 2*seen // a ball at the lower border of the picture has nothing before it
}

// pixelSize returns the angle in rad between neighbouring pixels at a place.
func (f *Finder) pixelSize(x, y float64) float64 {
	a, b := f.Camera.Lens.ray(x-0.35, y-0.35), f.Camera.Lens.ray(x+0.35, y+0.35)
	d := soccer.Vec3{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z}
	return math.Sqrt(d.Dot(d)) / (0.7 * math.Sqrt2)
}
