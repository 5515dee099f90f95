package camera

import (
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// orangeness is how orange a place is: Cr - Cb, between the pixels around it.
func (f *Finder) orangeness(x, y float64) float64 {
	w, h := f.Camera.Width, f.Camera.Height
	x, y = min(max(x, 0), float64(w)-1.001), min(max(y, 0), float64(h)-1.001)
	i := int(y)*w + int(x)
	u, v := x-math.Floor(x), y-math.Floor(y)
	p := f.picture
	at := func(i int) float64 { return float64(int(p.Cr[i]) - int(p.Cb[i])) }
	top := at(i) + float64(u*(at(i+1)-at(i)))
	bottom := at(i+w) + float64(u*(at(i+w+1)-at(i+w)))
	return top + float64(v*(bottom-top))
}

// findEdge fills f.edges with the points at which the colour changes, along rays from a blob's centroid: half-way
// between the colour inside and that outside, each ray for itself, because a ball is darker below.
func (f *Finder) findEdge(blob *Blob) {
	f.edges = f.edges[:0]
	width, height := float64(blob.Right-blob.Left+1), float64(blob.Last-blob.Top+1)
	reach := min(float64(max(width, height)*0.75)+3, float64(0.9*math.Sqrt(float64(blob.Area)))+4)
	const step = 0.5
	var profile [160]float64
	n := min(int(reach/step), len(profile))
	for k := range edgeRays {
		sin, cos := exact.Sincos(float64(k) * (2 * math.Pi / edgeRays))
		scale := float64(reach / float64(n))
		for j := range n {
			r := float64(float64(j) * scale)
			profile[j] = f.orangeness(blob.X+float64(r*cos), blob.Y+float64(r*sin))
		}
		r, ok := crossing(profile[:n], scale)
		if !ok {
			continue
		}
		x, y := blob.X+float64(r*cos), blob.Y+float64(r*sin)
		if x < 1 || y < 1 || x > float64(f.Camera.Width-2) || y > float64(f.Camera.Height-2) {
			continue // the picture's border, not the ball's
		}
		f.edges = append(f.edges, edge{ray: f.eye.Ray(x, y)})
	}
}

// smallBall is the radius in px below which a ball's size follows from the amount of orange: few pixels of it lie
// inside of the blur of its edge, but blur keeps the sum.
const smallBall = 5

// radiusByArea returns the radius of a small ball: the square root of the orange around its centre, in units of the
// orange in its middle.
func (f *Finder) radiusByArea(x, y, radius float64) (float64, bool) {
	if radius > smallBall || radius < 1 {
		return 0, false
	}
	reach := int(radius + 4)
	cx, cy := int(x+0.5), int(y+0.5)
	if cx < reach || cy < reach || cx+reach >= f.Camera.Width || cy+reach >= f.Camera.Height {
		return 0, false
	}
	middle := f.orangeness(x, y)
	for _, d := range [...]soccer.Vec{{X: 0.5}, {X: -0.5}, {Y: 0.5}, {Y: -0.5}} {
		middle += f.orangeness(x+d.X, y+d.Y)
	}
	middle /= 5
	var ring, inRing, sum, n float64
	inner, outer := radius+1.5, radius+3
	for py := cy - reach; py <= cy+reach; py++ {
		for px := cx - reach; px <= cx+reach; px++ {
			u, v := float64(px)-x, float64(py)-y
			r2 := float64(u*u) + float64(v*v)
			if r2 > float64(outer*outer) {
				continue
			}
			i := py*f.Camera.Width + px
			o := float64(int(f.picture.Cr[i]) - int(f.picture.Cb[i]))
			if r2 > float64(inner*inner) {
				ring, inRing = ring+o, inRing+1
			} else {
				sum, n = sum+o, n+1
			}
		}
	}
	ground := ring / inRing
	if middle-ground < 25 {
		return 0, false
	}
	return math.Sqrt(max((sum-float64(n*ground))/(middle-ground), 0) / math.Pi), true
}

// crossing returns at which distance a profile falls from the value inside to that outside: the place of its first
// steep fall over 3 px, refined to where it passes the mean of the values on both sides.
func crossing(profile []float64, scale float64) (float64, bool) {
	reach := max(int(1.5/scale), 1)
	steepest := 0.0
	for j := reach; j+reach < len(profile); j++ {
		steepest = max(steepest, profile[j-reach]-profile[j+reach])
	}
	if steepest < 25 {
		return 0, false
	}
	at := reach // the first steep fall: beyond the ball others may follow
	for profile[at-reach]-profile[at+reach] < float64(0.7*steepest) {
		at++
	}
	for at+1+reach < len(profile) && profile[at+1-reach]-profile[at+1+reach] > profile[at-reach]-profile[at+reach] {
		at++
	}
	inside := profile[max(at-reach-1, 0)]
	outside := profile[min(at+reach+1, len(profile)-1)]
	half := float64((inside + outside) * 0.5)
	for j := max(at-reach, 0); j+1 < len(profile) && j < at+reach; j++ {
		if a, b := profile[j], profile[j+1]; a >= half && b < half {
			return float64((float64(j) + (a-half)/(a-b)) * scale), true
		}
	}
	return 0, false
}

// cone is the cone of rays that touches a ball.
type cone struct {
	axis     soccer.Vec3 // a unit vector
	angle    float64     // rad, half its opening
	residual float64     // rad, rms of the edge points
	points   int
}

// fits is how often fitCone fits at most.
const fits = 6

// fitCone fits a cone to the rays of the edge, and leaves out points that lie far off: an
// occluder hides the ball there. Each ray r of a cone with the axis u and the half angle a has r.u = cos a, which is linear in w = u/cos a.
func (f *Finder) fitCone() (cone, bool) {
	var c cone
	for pass := range fits {
		w, n, ok := f.solveCone()
		if !ok {
			return cone{}, false
		}
		length := math.Sqrt(w.Dot(w))
		if length <= 1 {
			return cone{}, false
		}
		c.axis = soccer.Vec3{X: w.X / length, Y: w.Y / length, Z: w.Z / length}
		c.angle = exact.Atan2(math.Sqrt(float64(length*length)-1), 1)
		c.points, c.residual = n, f.residual(&c)
		if pass+1 < fits && !f.leaveOut(&c) {
			break
		}
	}
	return c, true
}

// offset returns by which angle an edge point lies outside of a cone.
func (e *edge) offset(c *cone) float64 {
	x := soccer.Vec3{
		X: float64(e.ray.Y*c.axis.Z) - float64(e.ray.Z*c.axis.Y), Y: float64(e.ray.Z*c.axis.X) - float64(e.ray.X*c.axis.Z),
		Z: float64(e.ray.X*c.axis.Y) - float64(e.ray.Y*c.axis.X),
	}
	return exact.Atan2(math.Sqrt(x.Dot(x)), e.ray.Dot(c.axis)) - c.angle
}

func (f *Finder) residual(c *cone) float64 {
	var sum float64
	for i := range f.edges {
		if e := &f.edges[i]; !e.outlier {
			off := e.offset(c)
			sum += float64(off * off)
		}
	}
	return math.Sqrt(sum / float64(max(c.points, 1)))
}

// leaveOut marks the points that are more than twice as far off as the median, and reports whether any changed.
func (f *Finder) leaveOut(c *cone) bool {
	var off [edgeRays]float64
	for i := range f.edges {
		off[i] = math.Abs(f.edges[i].offset(c))
	}
	sorted := off
	slices.Sort(sorted[:len(f.edges)])
	limit := max(float64(2*sorted[len(f.edges)/2]), float64(0.25/f.Camera.Lens.Focal))
	changed := false
	for i := range f.edges {
		outlier := off[i] > limit
		changed = changed || outlier != f.edges[i].outlier
		f.edges[i].outlier = outlier
	}
	return changed
}

// solveCone solves the least squares for w, by the normal equations. A ball of 2 px leaves them about six digits.
func (f *Finder) solveCone() (w soccer.Vec3, n int, ok bool) {
	var a [3][4]float64
	for i := range f.edges {
		e := &f.edges[i]
		if e.outlier {
			continue
		}
		n++
		r := [3]float64{e.ray.X, e.ray.Y, e.ray.Z}
		for row := range 3 {
			for col := range 3 {
				a[row][col] += float64(r[row] * r[col])
			}
			a[row][3] += r[row]
		}
	}
	if n < 5 {
		return w, n, false
	}
	for col := range 3 { // Gauss, with the largest pivot
		pivot := col
		for row := col + 1; row < 3; row++ {
			if math.Abs(a[row][col]) > math.Abs(a[pivot][col]) {
				pivot = row
			}
		}
		a[col], a[pivot] = a[pivot], a[col]
		if math.Abs(a[col][col]) < 1e-13 {
			return w, n, false
		}
		for row := range 3 {
			if row == col {
				continue
			}
			factor := a[row][col] / a[col][col]
			for k := col; k < 4; k++ {
				a[row][k] -= float64(factor * a[col][k])
			}
		}
	}
	return soccer.Vec3{X: a[0][3] / a[0][0], Y: a[1][3] / a[1][1], Z: a[2][3] / a[2][2]}, n, true
}
