package camera

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// LinePoint is where a scan line crosses a white line of the field. Both edges are measured: the middle between two
// pixels is not the middle between their places on the floor.
type LinePoint struct {
	Position  soccer.Vec // m, half-way between Near and Far
	Near, Far soccer.Vec // m, on the line's edges
	Cov       soccer.Cov // m^2, of Position
	NearPixel soccer.Vec // px
	FarPixel  soccer.Vec // px
}

// scan is a sequence of pixels along which lines are looked for, from the robot's feet outwards or across.
type scan struct {
	pixels  []int32
	outward bool // it leads away from the robot: posts are looked for, too
}

const (
	scanEvery = 4  // px between columns
	rowEvery  = 12 // px between rows
	ringEvery = 14 // px between the rings of a camera that looks down
	maxPoints = 400
)

// layScans chooses the scan lines: columns and rows, or radii and rings for a camera that looks down.
func (f *Finder) layScans() {
	c := &f.Camera
	if c.Mount.Down {
		f.layRings()
		return
	}
	for x := scanEvery / 2; x < c.Width; x += scanEvery {
		s := scan{outward: true}
		for y := c.Height - 1; y >= 0; y-- {
			s.pixels = append(s.pixels, int32(y*c.Width+x))
		}
		f.scans = append(f.scans, s)
	}
	for y := c.Height / 4; y < c.Height; y += rowEvery {
		var s scan
		for x := range c.Width {
			s.pixels = append(s.pixels, int32(y*c.Width+x))
		}
		f.scans = append(f.scans, s)
	}
}

func (f *Finder) layRings() {
	c := &f.Camera
	at := func(r, angle float64) int32 {
		sin, cos := exact.Sincos(angle)
		return int32(int(c.Lens.CY+float64(r*sin)+0.5)*c.Width + int(c.Lens.CX+float64(r*cos)+0.5))
	}
	const radii = 240
	for k := range radii {
		s := scan{outward: true}
		for r := float64(c.Lens.Focal * 0.2); r < c.Lens.Circle-4; r++ {
			s.pixels = append(s.pixels, at(r, float64(k)*(2*math.Pi/radii)))
		}
		f.scans = append(f.scans, s)
	}
	for r := float64(c.Lens.Focal * 0.25); r < 0.95*c.Lens.Focal; r += ringEvery {
		var s scan
		n := int(2 * math.Pi * r)
		for k := range n + 30 { // beyond a full turn, for a line at its beginning
			s.pixels = append(s.pixels, at(r, float64(k)*(2*math.Pi)/float64(n)))
		}
		f.scans = append(f.scans, s)
	}
}

// scanLines looks along all scan lines for stripes of white between green, and for posts.
func (f *Finder) scanLines(dst []LinePoint, posts []postScan) ([]LinePoint, []postScan) {
	for k := range f.scans {
		s := &f.scans[k]
		lastGreen, white := -10, -1
		for i, p := range s.pixels {
			switch c := f.classes[p]; {
			case c == White && white < 0:
				white = i
			case c == Green:
				if white >= 0 && white-lastGreen <= 3 && len(dst) < maxPoints {
					if point, ok := f.stripe(s, white, i); ok {
						dst = append(dst, point)
					}
				}
				lastGreen, white = i, -1
			case white >= 0 && c != White && i-white > 3:
				if s.outward && white-lastGreen <= 3 {
					posts = f.scanPost(posts, s, k, white, i)
				}
				if f.classes[s.pixels[min(i+2, len(s.pixels)-1)]] != Green {
					white = -1
				}
			}
		}
	}
	return dst, posts
}

// stripe measures a stripe whose white begins at pixel from of a scan line, and after which the green is back at pixel
// to.
func (f *Finder) stripe(s *scan, from, to int) (LinePoint, bool) {
	if to-from > 90 || from < 3 || to+2 >= len(s.pixels) {
		return LinePoint{}, false
	}
	brightest := 0.0
	for i := from; i < to; i++ {
		brightest = max(brightest, f.luma(s, i))
	}
	near, okNear := f.rise(s, from-3, from+2, (f.luma(s, from-3)+brightest)*0.5, 1)
	far, okFar := f.rise(s, to+2, to-3, (f.luma(s, to+2)+brightest)*0.5, -1)
	if !okNear || !okFar || far <= near {
		return LinePoint{}, false
	}
	p := LinePoint{NearPixel: f.between(s, near), FarPixel: f.between(s, far)}
	var seen, seenFar bool
	p.Near, seen = f.eye.Floor(p.NearPixel.X, p.NearPixel.Y, 0)
	p.Far, seenFar = f.eye.Floor(p.FarPixel.X, p.FarPixel.Y, 0)
	width := p.Far.Sub(p.Near).Len() / f.Config.Field.LineWidth
	if !f.Config.Uncalibrated && (!seen || !seenFar || width < 0.4 || width > 5) {
		return LinePoint{}, false
	}
	p.Position = p.Near.Add(p.Far).Scale(0.5)
	flat := p.Position.Sub(f.eye.At.XY()).Len()
	p.Cov = spread(p.Position, f.floorSigma(flat, f.eye.At.Z, 0.4), float64(flat*f.Config.JointSigma)+0.005)
	return p, true
}

func (f *Finder) luma(s *scan, i int) float64 { return float64(f.picture.Y[s.pixels[i]]) }

// rise returns where the brightness passes half, on the way from pixel a to pixel b of a scan line.
func (f *Finder) rise(s *scan, a, b int, half float64, step int) (float64, bool) {
	for i := a; i != b; i += step {
		if i < 0 || i+step < 0 || i >= len(s.pixels) || i+step >= len(s.pixels) {
			return 0, false
		}
		before, after := f.luma(s, i), f.luma(s, i+step)
		if before < half && after >= half {
			return float64(i) + float64(float64(step)*((half-before)/(after-before))), true
		}
	}
	return 0, false
}

// between returns the place of a fractional pixel of a scan line.
func (f *Finder) between(s *scan, i float64) soccer.Vec {
	k := min(max(int(i), 0), len(s.pixels)-2)
	u := i - float64(k)
	w := int32(f.Camera.Width)
	a, b := s.pixels[k], s.pixels[k+1]
	return soccer.Vec{
		X: float64(a%w) + float64(u*float64(b%w-a%w)), Y: float64(a/w) + float64(u*float64(b/w-a/w)),
	}
}

// Segment is a straight piece of a line, fitted to line points, in the robot's frame.
type Segment struct {
	From, To soccer.Vec // m
	Points   int
}

const (
	maxSegments    = 8
	leastOfSegment = 7  // least number of points of a segment
	guesses        = 20 // pairs of points that are tried for each segment
)

// fitSegments finds straight pieces by RANSAC: the line through two random points that passes most others, then least
// squares over these.
func (f *Finder) fitSegments(points []LinePoint, dst []Segment) []Segment {
	f.chosen = f.chosen[:0]
	for range points {
		f.chosen = append(f.chosen, false)
	}
	for left := len(points); left >= leastOfSegment && len(dst) < maxSegments; {
		best, bestCount := line{}, 0
		for range guesses {
			a, b := int(f.random.Uint64()%uint64(len(points))), int(f.random.Uint64()%uint64(len(points)))
			if f.chosen[a] || f.chosen[b] {
				continue
			}
			l, ok := lineThrough(points[a].Position, points[b].Position)
			if !ok {
				continue
			}
			if n := f.near(points, &l); n > bestCount {
				best, bestCount = l, n
			}
		}
		if bestCount < leastOfSegment {
			break
		}
		segment := f.fit(points, &best)
		if segment.Points < leastOfSegment {
			break
		}
		left -= segment.Points
		dst = append(dst, segment)
	}
	return dst
}

// line is a line on the floor: a point and a direction of unit length.
type line struct{ at, along soccer.Vec }

func lineThrough(a, b soccer.Vec) (line, bool) {
	d := b.Sub(a)
	length := d.Len()
	if length < 0.15 {
		return line{}, false
	}
	return line{a, d.Unit()}, true
}

// off returns the distance of a point from the line.
func (l *line) off(p soccer.Vec) float64 {
	return math.Abs(p.Sub(l.at).Cross(l.along))
}

// tolerance returns how far a point of a line may lie beside it.
func tolerance(p soccer.Vec) float64 {
	return 0.02 + float64(0.006*p.Dot(p))
}

func (f *Finder) near(points []LinePoint, l *line) (n int) {
	for i := range points {
		if !f.chosen[i] && l.off(points[i].Position) < tolerance(points[i].Position) {
			n++
		}
	}
	return n
}

// fit fits a line to the points near l, marks them as chosen, and returns the segment from the first to the last.
func (f *Finder) fit(points []LinePoint, l *line) Segment {
	var n, x, y float64
	for i := range points {
		if p := points[i].Position; !f.chosen[i] && l.off(p) < tolerance(p) {
			n, x, y = n+1, x+p.X, y+p.Y
		}
	}
	mean := soccer.Vec{X: x / n, Y: y / n}
	var xx, xy, yy float64
	for i := range points {
		if p := points[i].Position; !f.chosen[i] && l.off(p) < tolerance(p) {
			d := p.Sub(mean)
			xx, xy, yy = xx+float64(d.X*d.X), xy+float64(d.X*d.Y), yy+float64(d.Y*d.Y)
		}
	}
	sin, cos := exact.Sincos(float64(exact.Atan2(2*xy, xx-yy) * 0.5))
	fitted := line{mean, soccer.Vec{X: cos, Y: sin}}
	s := Segment{}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range points {
		p := points[i].Position
		if f.chosen[i] || fitted.off(p) >= tolerance(p) {
			continue
		}
		f.chosen[i] = true
		s.Points++
		along := p.Sub(mean).Dot(fitted.along)
		low, high = min(low, along), max(high, along)
	}
	s.From, s.To = mean.Add(fitted.along.Scale(low)), mean.Add(fitted.along.Scale(high))
	return s
}
