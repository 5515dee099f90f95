package camera

import (
	"math"

	"touchline/soccer"
)

// Post is a white post of a goal, in the robot's frame.
type Post struct {
	Position soccer.Vec // m, of its middle on the floor
	Cov      soccer.Cov // m^2
	X, Y     float64    // px, its foot
}

// postScan is a scan line that runs up a post.
type postScan struct {
	scan int
	foot soccer.Vec // px
	at   soccer.Vec // m, on the floor
}

const (
	leastPost = 8   // px, the least length of a post
	postBlur  = 0.2 // m of floor that a pixel covers, at most: farther away a line and the boards behind it merge
)

// scanPost appends a scan line of a post if the white from pixel from to pixel to of a scan line begins on the floor and
// ends above the horizon.
func (f *Finder) scanPost(posts []postScan, s *scan, number, from, to int) []postScan {
	if !f.Config.Goals || to-from < leastPost || len(posts) >= maxPoints {
		return posts
	}
	top := f.between(s, float64(to-1))
	if f.eye.Ray(top.X, top.Y).Z < 0.01 {
		return posts
	}
	foot := f.between(s, float64(from)-0.5)
	at, ok := f.eye.Floor(foot.X, foot.Y, 0)
	flat, h := at.Sub(f.eye.At.XY()).Len(), f.eye.At.Z
	if !ok || (float64(flat*flat)+float64(h*h))/h*f.pixelSize(foot.X, foot.Y) > postBlur {
		return posts
	}
	return append(posts, postScan{number, foot, at})
}

// findPosts joins neighbouring scan lines of a post. The foot that is seen is the near edge of the goal line, on
// which posts stand.
func (f *Finder) findPosts(dst []Post) []Post {
	for i := 0; i < len(f.posts); {
		j, sum, px := i, soccer.Vec{}, soccer.Vec{}
		for ; j < len(f.posts) && f.posts[j].scan-f.posts[i].scan == j-i; j++ {
			if j > i && f.posts[j].at.Sub(f.posts[j-1].at).Len() > 0.4 {
				break
			}
			s := &f.posts[j]
			sum, px = sum.Add(s.at), px.Add(s.foot)
		}
		n := float64(j - i)
		at := soccer.Vec{X: sum.X / n, Y: sum.Y / n}
		flat := at.Len()
		pixels := f.posts[j-1].foot.Sub(f.posts[i].foot).Len() + scanEvery
		if wide := pixels * flat / f.Camera.Lens.Focal; wide < 0.5 && flat > 0.3 {
			reach := 1 + float64(f.Config.Field.LineWidth*0.5)/flat
			p := Post{Position: at.Scale(reach), X: px.X / n, Y: px.Y / n}
			p.Cov = spread(p.Position, f.floorSigma(flat, f.eye.At.Z, 1), float64(flat*0.01)+0.03)
			dst = append(dst, p)
		}
		i = j
	}
	return dst
}

// Obstacle is a robot or another dark thing that stands on the floor, in the robot's frame.
type Obstacle struct {
	Position                 soccer.Vec   // m, its centre
	Cov                      soccer.Cov   // m^2
	Color                    soccer.Color // color of the marker that was seen on it; NoColor: none
	Left, Top, Right, Bottom int          // px
}

// findObstacles takes dark blobs whose foot is on the floor, and which are as wide as a robot there.
func (f *Finder) findObstacles(dst []Obstacle) []Obstacle {
	for i := range f.Blobs {
		b := &f.Blobs[i]
		if b.Class != Black || b.Area < 40 {
			continue
		}
		foot, ok := f.eye.Floor(b.NearX, b.NearY, 0)
		flat := foot.Sub(f.eye.At.XY()).Len()
		if !ok || flat > 8 || foot.Len() < soccer.RobotRadius*1.3 {
			continue
		}
		across := float64(b.Right - b.Left + 1)
		if f.Camera.Mount.Down {
			across = min(across, float64(b.Last-b.Top+1))
		}
		wide := float64(float64(across*f.pixelSize(b.X, b.Y)) * math.Sqrt(float64(flat*flat)+float64(f.eye.At.Z*f.eye.At.Z)))
		if wide < 0.12 || wide > 1.3 || !f.greenAt(b) {
			continue
		}
		reach := 1 + soccer.RobotRadius/max(foot.Len(), 0.1)
		o := Obstacle{
			Position: foot.Scale(reach), Color: f.marker(b),
			Left: b.Left, Top: b.Top, Right: b.Right, Bottom: b.Last,
		}
		if f.beyondLines(o.Position) > f.Config.Field.Border {
			continue // what is dark there are people and boards
		}
		if !f.known(dst, &o) {
			o.Cov = spread(o.Position, f.floorSigma(flat, f.eye.At.Z, 1)+0.05, float64(flat*0.01)+0.05)
			dst = append(dst, o)
		}
	}
	return dst
}

// known reports whether an obstacle is there already: the ring of a robot splits its body into two blobs.
func (f *Finder) known(all []Obstacle, o *Obstacle) bool {
	for i := range all {
		k := &all[i]
		if k.Left < o.Right && o.Left < k.Right && k.Position.Sub(o.Position).Len() < float64(0.5*k.Position.Len())+0.5 {
			if k.Position.Len() > o.Position.Len() { // the lower part is the nearer one
				o.Color = min(o.Color, k.Color)
				o.Cov = k.Cov
				*k = *o
			}
			return true
		}
	}
	return false
}

// greenAt reports whether the carpet begins within a few pixels before a blob's foot.
func (f *Finder) greenAt(b *Blob) bool {
	dx, dy := 0.0, 1.0
	if f.Camera.Mount.Down {
		dx, dy = f.Camera.Lens.CX-b.NearX, f.Camera.Lens.CY-b.NearY
		length := max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1e-9)
		dx, dy = dx/length, dy/length
	}
	for k := 1.0; k < 14; k++ { // a shadow lies before the foot
		if f.class(b.NearX+float64(k*dx), b.NearY+float64(k*dy)) == Green {
			return true
		}
	}
	return false
}

// marker returns the team whose colour is seen beside or above a dark blob.
func (f *Finder) marker(b *Blob) soccer.Color {
	best, color := 0, soccer.NoColor
	for i := range f.Blobs {
		m := &f.Blobs[i]
		if (m.Class == Cyan || m.Class == Magenta) && m.Area > best && m.Area > 10 &&
			m.Left <= b.Right+2 && m.Right >= b.Left-2 && m.Top <= b.Last+2 && m.Last >= b.Top-4 {
			best = m.Area
			if color = soccer.Cyan; m.Class == Magenta {
				color = soccer.Magenta
			}
		}
	}
	return color
}
