package robotnet

import (
	"context"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
)

// film sends the robot's managers pictures until ctx ends: those of Config.PictureFolder, or what the simulated camera sees of the
// field. In pictures of another size than the camera's the robot finds nothing.
func (r *Robot) film(ctx context.Context) {
	cfg := camera.DefaultConfig()
	cfg.Field = r.cfg.Robot.World.Field
	know := func(view *camera.View) camera.Params {
		r.mu.Lock()
		view.Self = r.core.SelfAt(r.endpoint.Now())
		r.mu.Unlock()
		return r.agent.View(view)
	}
	window := managernet.NewWindow(r.endpoint, r.cfg.Entity)
	hall := func() *camera.Hall { return camera.MSLHall(cfg.Field, window.Hall()) }
	rate, take := r.cfg.Camera.Rate, managernet.Draw(r.cfg.Camera, hall, uint64(r.cfg.Robot.Number), window.Look, know, nil)
	if r.cfg.PictureFolder != nil {
		rate, take = r.cfg.PictureFolder.Rate, managernet.Play(r.cfg.PictureFolder, r.log, know)
	}
	managernet.SendPictures(ctx, r.endpoint, r.agent.Robot, managernet.NewCameraView(r.cfg.Camera, cfg), rate, take)
}
