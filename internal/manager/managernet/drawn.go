package managernet

import (
	"slices"
	"sync"
	"time"

	"touchline/internal/camera"
	"touchline/soccer"
)

// Drawn remembers for a second what the pictures of a simulated camera were drawn of. Its methods may be called from any
// goroutine.
type Drawn struct {
	camera camera.Camera
	hall   func() *camera.Hall
	mu     sync.Mutex
	newest []drawing // the oldest first
}

// NewDrawn returns what is remembered of a camera in a hall, which is asked for when somebody asks for a picture.
func NewDrawn(cam camera.Camera, hall func() *camera.Hall) *Drawn {
	return &Drawn{camera: cam, hall: hall}
}

// drawing is what a picture was drawn of.
type drawing struct {
	captured soccer.Time
	scene    camera.Scene
	params   camera.Params
}

// Camera returns the camera.
func (d *Drawn) Camera() camera.Camera { return d.camera }

// Keep remembers a picture of a time of this computer.
func (d *Drawn) Keep(captured soccer.Time, scene *camera.Scene, params *camera.Params) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := drawing{captured: captured, scene: *scene, params: *params}
	var oldest camera.Scene // its memory is used again
	if most := max(int(d.camera.Rate), 1); len(d.newest) >= most {
		oldest = d.newest[0].scene
		copy(d.newest, d.newest[1:])
		d.newest = d.newest[:most-1]
	}
	next.scene.Robots = append(oldest.Robots[:0], scene.Robots...)
	next.scene.Obstacles = append(oldest.Obstacles[:0], scene.Obstacles...)
	next.scene.People = append(oldest.People[:0], scene.People...)
	d.newest = append(d.newest, next)
}

// Things returns what the picture of a time shows, row by row, and its width; nil: none was drawn then.
func (d *Drawn) Things(captured soccer.Time) ([]camera.Thing, int) {
	const together = 15 * time.Millisecond // less than half of the time between two pictures; clocks differ by less
	d.mu.Lock()
	i := slices.IndexFunc(d.newest, func(at drawing) bool { return at.captured.Sub(captured).Abs() < together })
	if i < 0 {
		d.mu.Unlock()
		return nil, 0
	}
	at := d.newest[i]
	at.scene.Robots, at.scene.Obstacles = slices.Clone(at.scene.Robots), slices.Clone(at.scene.Obstacles)
	at.scene.People = slices.Clone(at.scene.People)
	d.mu.Unlock()
	return camera.NewRenderer(d.camera, d.hall(), 0).Label(&at.scene, &at.params, nil), d.camera.Width
}
