package match

import (
	"math"
	"math/rand/v2"

	"touchline/internal/camera"
	"touchline/internal/exact"
	"touchline/soccer"
)

// Known is what operators set at a camera, and what its robot assumes of it.
type Known struct {
	Params camera.Params
	Camera *camera.Camera // nil: as it is
	Table  *camera.Table  // of colours; nil: camera.DefaultTable
}

// eyes are the camera of one robot. They reuse their buffers and are not safe for concurrent use.
type eyes struct {
	Known // an operator may change it between pictures

	renderer *camera.Renderer
	finder   *camera.Finder
	picture  camera.Picture
	percepts camera.Percepts
	random   *rand.Rand
	sway     float64 // rad
}

// newEyes returns the eyes of a robot with a camera in a venue, with the table of colours of camera.DefaultTable. It reports
// balls up to reach m away. The camera sways by as much as the percepts' covariances allow for.
func newEyes(cam camera.Camera, venue *camera.Venue, reach float64, seed uint64) *eyes {
	cfg := camera.DefaultConfig()
	cfg.Field, cfg.BallRadius, cfg.BallRange = venue.Field, venue.BallRadius, reach
	return &eyes{
		Known: Known{Params: camera.DefaultParams()}, renderer: camera.NewRenderer(cam, venue, seed),
		finder: camera.NewFinder(cam, cfg, camera.DefaultTable()), random: rand.New(rand.NewPCG(seed, 0xe7e5)),
		sway: cfg.JointSigma,
	}
}

// look draws the scene and replaces the balls, the obstacles and the view of a Sense by those of the pixels. The robot's
// own pose in it says which balls lie outside of the field. scene.Sway is overwritten.
func (e *eyes) look(scene *camera.Scene, dst *soccer.Sense) {
	scene.Sway = camera.Sway{
		Pan: e.sway * exact.Normal(e.random), Tilt: e.sway * exact.Normal(e.random), Roll: e.sway * exact.Normal(e.random),
	}
	e.renderer.Render(scene, &e.Params, &e.picture)
	view := camera.View{Pan: e.Params.Pan, Tilt: e.Params.Tilt, Self: dst.Self, Camera: e.Camera, Table: e.Table}
	if err := e.finder.Find(&e.picture, &view, &e.percepts); err != nil {
		panic(err) // the renderer and the finder have one camera
	}
	dst.Balls = dst.Balls[:0]
	for i := range e.percepts.Balls {
		if b := &e.percepts.Balls[i]; b.Rejected == camera.Accepted {
			dst.Balls = append(dst.Balls, soccer.Observation{Position: b.Position, Cov: b.Cov, Confidence: b.Confidence})
		}
	}
	dst.Obstacles = dst.Obstacles[:0]
	for i := range e.percepts.Obstacles {
		o := &e.percepts.Obstacles[i]
		dst.Obstacles = append(dst.Obstacles, soccer.Observation{
			Position: soccer.Vec3{X: o.Position.X, Y: o.Position.Y}, Cov: o.Cov, Confidence: 0.8,
		})
	}
	dst.View = e.view()
}

// view returns what the camera covers.
func (e *eyes) view() soccer.View {
	cam := e.finder.Camera
	v := soccer.View{Bearing: e.Params.Pan, Width: 2 * math.Pi, Range: e.finder.Config.BallRange}
	if !cam.Mount.Down {
		v.Width = 2 * exact.Atan2(float64(cam.Width)*0.5, cam.Lens.Focal)
	} else {
		v.Bearing = 0
	}
	return v
}
