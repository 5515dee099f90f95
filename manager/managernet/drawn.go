package managernet

import (
	"slices"
	"sync"
	"time"

	"touchline/camera"
	"touchline/soccer"
)

// Drawn remembers for a second what the pictures of a simulated camera were drawn of. Its methods may be called from any
// goroutine; the zero Drawn is ready.
type Drawn struct {
	mu     sync.Mutex
	camera camera.Camera
	hall   func() *camera.Hall
	newest []drawing // the oldest first
}

// drawing is what a picture was drawn of.
type drawing struct {
	captured soccer.Time
	scene    camera.Scene
	params   camera.Params
}

// keep remembers a picture.
func (d *Drawn) keep(captured soccer.Time, scene *camera.Scene, params *camera.Params) {
	if d == nil {
		return
	}
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
