package managernet

import (
	"sync"
	"time"

	"touchline/internal/bounded"
	"touchline/internal/camera"
	"touchline/soccer"
)

// Drawn remembers for a second what the pictures of a simulated camera were drawn of. Its methods may be called from any
// goroutine.
type Drawn struct {
	camera camera.Camera
	hall   func() *camera.Hall
	mu     sync.Mutex
	newest bounded.Ring[drawing]
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
	at := d.newest.Push(max(int(d.camera.Rate), 1))
	at.captured, at.params = captured, *params
	copyScene(&at.scene, scene)
}

// copyScene sets a scene to another one, in its own memory.
func copyScene(to, from *camera.Scene) {
	robots, obstacles, people := to.Robots[:0], to.Obstacles[:0], to.People[:0]
	*to = *from
	to.Robots, to.Obstacles = append(robots, from.Robots...), append(obstacles, from.Obstacles...)
	to.People = append(people, from.People...)
}

// Things returns what the picture of a time shows, row by row, and its width; nil: none was drawn then.
func (d *Drawn) Things(captured soccer.Time) ([]camera.Thing, int) {
	const together = 15 * time.Millisecond // less than half of the time between two pictures; clocks differ by less
	d.mu.Lock()
	i := 0
	for i < d.newest.Len() && d.newest.At(i).captured.Sub(captured).Abs() >= together {
		i++
	}
	if i == d.newest.Len() {
		d.mu.Unlock()
		return nil, 0
	}
	var at drawing
	copyScene(&at.scene, &d.newest.At(i).scene)
	at.params = d.newest.At(i).params
	d.mu.Unlock()
	return camera.NewRenderer(d.camera, d.hall(), 0).Label(&at.scene, &at.params, nil), d.camera.Width
}
