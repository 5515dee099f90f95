package camera

import (
	"fmt"
	"math"
	"math/rand/v2"

	"touchline/soccer"
)

// Config is what a Finder knows of the field and of its robot.
type Config struct {
	Field      soccer.Field
	BallRadius float64 // m; default 0.11, the ball of the Middle Size League
	JointSigma float64 // rad, error of the camera's pan and tilt as joints and body give them; default 0.3 degrees
	BallRange  float64 // m, farther balls are not reported; default 6
	Goals      bool    // look for white goal posts; default true

	// Uncalibrated accepts stripes of any width as lines: where the camera's pose is wrong, their places on the floor are.
	// Default false.
	Uncalibrated bool
}

// DefaultConfig returns the configuration for the Middle Size League.
func DefaultConfig() Config {
	return Config{
		Field: soccer.MSL18x12(), BallRadius: soccer.BallRadius, JointSigma: 0.3 * math.Pi / 180, BallRange: 6, Goals: true,
	}
}

// FourLeggedConfig returns the configuration for the Four-Legged League: its goals are blobs of a colour.
func FourLeggedConfig() Config {
	return Config{
		Field: soccer.FourLegged(), BallRadius: soccer.FourLeggedBallRadius, JointSigma: 0.3 * math.Pi / 180, BallRange: 6,
	}
}

// View is what a robot knows about a picture besides its pixels.
type View struct {
	Pan, Tilt float64 // rad, of the head as its joints say
	Self      soccer.Localisation

	// Camera is what the robot assumes of its camera, of the same size, and Table its colours. Default nil: the Finder's.
	Camera *Camera
	Table  *Table
}

// Percepts are the things that were found in one picture, in the robot's frame.
type Percepts struct {
	Time      soccer.Time
	Balls     []BallCandidate // the most confident first; rejected ones after the others
	Lines     []LinePoint
	Segments  []Segment
	Posts     []Post
	Obstacles []Obstacle
}

// Finder finds percepts in the pictures of one camera. It reuses its buffers and is not safe for concurrent use.
type Finder struct {
	Camera Camera
	Config Config
	Table  *Table
	Blobs  []Blob // blobs of the last picture

	eye     Eye
	self    soccer.Localisation
	picture *Picture

	spans   [][2]int // pixels of each row that can show something
	classes []Class
	runs    []run
	slots   []int32
	scans   []scan
	random  *rand.PCG
	edges   []edge
	chosen  []bool
	posts   []postScan
	orange  []int
}

// NewFinder returns a Finder for a camera, with a table that the caller may change between pictures.
func NewFinder(cam Camera, cfg Config, table *Table) *Finder {
	f := &Finder{Camera: cam, Config: cfg, Table: table, random: rand.NewPCG(1, 2)}
	f.classes = make([]Class, cam.Width*cam.Height)
	f.spans = make([][2]int, cam.Height)
	for y := range f.spans {
		f.spans[y] = [2]int{0, cam.Width}
		if c := cam.Lens.Circle; c > 0 {
			v := float64(y) - cam.Lens.CY
			half := math.Sqrt(max(float64(c*c)-float64(v*v), 0))
			f.spans[y] = [2]int{max(int(cam.Lens.CX-half)+2, 0), max(min(int(cam.Lens.CX+half)-1, cam.Width), 0)}
			if half < 3 {
				f.spans[y] = [2]int{}
			}
		}
	}
	f.layScans()
	return f
}

// Find writes what it finds in a picture to dst, whose slices are reused. The error is that of a picture whose size is
// not the camera's.
func (f *Finder) Find(p *Picture, v *View, dst *Percepts) error {
	n := len(f.classes)
	if p.Width != f.Camera.Width || p.Height != f.Camera.Height || len(p.Y) != n || len(p.Cb) != n || len(p.Cr) != n {
		return fmt.Errorf("percept: a picture of %d x %d px with %d, %d and %d bytes: the camera has %d x %d px",
			p.Width, p.Height, len(p.Y), len(p.Cb), len(p.Cr), f.Camera.Width, f.Camera.Height)
	}
	if v.Camera != nil {
		f.Camera = *v.Camera
	}
	if v.Table != nil {
		f.Table = v.Table
	}
	f.eye = f.Camera.Eye(v.Pan, v.Tilt)
	f.self, f.picture = v.Self, p
	f.random.Seed(uint64(p.Time), 3)
	f.segment(p)
	dst.Time = p.Time
	dst.Balls = f.findBalls(dst.Balls[:0])
	dst.Obstacles = f.findObstacles(dst.Obstacles[:0])
	dst.Lines, f.posts = f.scanLines(dst.Lines[:0], f.posts[:0])
	dst.Posts = f.findPosts(dst.Posts[:0])
	dst.Segments = f.fitSegments(dst.Lines, dst.Segments[:0])
	return nil
}

// segmented returns the class of each pixel of the last picture, row by row. It is valid until the next Find.
func (f *Finder) segmented() []Class { return f.classes }

// class returns the class of the pixel at a place, or None outside of the picture.
func (f *Finder) class(x, y float64) Class {
	if !(x > -0.5 && y > -0.5 && x < float64(f.Camera.Width)-0.5 && y < float64(f.Camera.Height)-0.5) {
		return None
	}
	return f.classes[int(y+0.5)*f.Camera.Width+int(x+0.5)]
}

// spread returns the covariance on the floor of a point at a distance, given its deviations along and across the ray.
func spread(at soccer.Vec, along, across float64) soccer.Cov {
	d := at.Len()
	if d == 0 {
		return soccer.Cov{XX: float64(along * along), YY: float64(along * along)}
	}
	return soccer.Cov{XX: float64(along * along), YY: float64(across * across)}.Rotated(at.Y/d, at.X/d)
}

// floorSigma returns the deviation along the ray of a point that the floor's distance gives: how far it moves with the
// camera's tilt, and with a part of a pixel. flat is its distance on the floor, height how far below the camera it is.
func (f *Finder) floorSigma(flat, height, pixels float64) float64 {
	slope := (float64(flat*flat) + float64(height*height)) / height // d flat / d tilt
	joint, pixel := f.Config.JointSigma, pixels/f.Camera.Lens.Focal
	return float64(slope * math.Sqrt(float64(joint*joint)+float64(pixel*pixel)))
}
