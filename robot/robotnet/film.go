package robotnet

import (
	"context"

	"touchline/camera"
	"touchline/camera/percept"
	"touchline/manager/film"
	"touchline/manager/managernet"
)

// film plays Config.Reel for the robot's managers until ctx ends. The lens is that of camera.Perspective, if the pictures
// have its size, with the head as it is at the start; with others the robot finds nothing.
func (r *Robot) film(ctx context.Context) {
	params := camera.DefaultParams()
	f := film.New(camera.Perspective(), percept.DefaultConfig())
	managernet.Film(ctx, r.endpoint, r.agent, f, r.cfg.Reel.Rate, managernet.Play(r.cfg.Reel, r.log, func(view *percept.View) {
		r.mu.Lock()
		defer r.mu.Unlock()
		view.Self, view.Pan, view.Tilt = r.core.SelfAt(r.endpoint.Now()), params.Pan, params.Tilt
	}))
}
