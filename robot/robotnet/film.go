package robotnet

import (
	"context"

	"touchline/camera"
	"touchline/camera/percept"
	"touchline/manager/film"
	"touchline/manager/managernet"
)

// film plays Config.Reel for the robot's managers until ctx ends. In pictures of another size than the camera's the robot
// finds nothing.
func (r *Robot) film(ctx context.Context) {
	cfg := percept.DefaultConfig()
	cfg.Field = r.cfg.Robot.World.Field
	take := managernet.Play(r.cfg.Reel, r.log, func(view *percept.View) camera.Params {
		r.mu.Lock()
		view.Self = r.core.SelfAt(r.endpoint.Now())
		r.mu.Unlock()
		return r.agent.View(view)
	})
	managernet.Film(ctx, r.endpoint, r.agent.Robot, film.New(r.cfg.Camera, cfg), r.cfg.Reel.Rate, take)
}
