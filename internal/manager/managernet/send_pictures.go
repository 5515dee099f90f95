package managernet

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Take takes a picture of a robot's camera, with what the robot knows about it; captured is its time for the managers. It
// reports false when there is none.
type Take func(now time.Time, captured soccer.Time, p *camera.Picture, view *camera.View) bool

// Know sets what a robot knows when it takes a picture: its pose, its head and its camera. It returns the parameters of
// the camera.
type Know func(*camera.View) camera.Params

// Play returns a Take that plays a folder in the place of a camera. Files that cannot be decoded are logged once each time
// they are due.
func Play(folder *PictureFolder, log *slog.Logger, know Know) Take {
	player := folder.play(time.Now())
	return func(now time.Time, _ soccer.Time, p *camera.Picture, view *camera.View) bool {
		shot, err := player.Shot(now)
		if err != nil {
			if !errors.Is(err, errBad) {
				log.Warn("a picture cannot be played", "err", err)
			}
			return false
		}
		*p = *shot
		know(view)
		return true
	}
}

// turns lets half of the processors at most draw, search and encode pictures. A picture takes several ms, and a message
// between robots that arrives meanwhile would wait for it where no processor is left.
var turns = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// Draw returns a Take that draws what a simulated camera sees, with noise of a seed. scene sets what lies before the camera,
// and reports false where that is not known; hall is asked after it. drew, if not nil, is told what was drawn.
func Draw(
	cam camera.Camera, hall func() *camera.Venue, seed uint64, scene func(*camera.Scene) bool, know Know,
	drew func(captured soccer.Time, scene *camera.Scene, params *camera.Params),
) Take {
	var renderer *camera.Renderer // built when somebody looks
	var now camera.Scene
	return func(_ time.Time, captured soccer.Time, p *camera.Picture, view *camera.View) bool {
		if !scene(&now) {
			return false
		}
		if renderer == nil {
			renderer = camera.NewRenderer(cam, hall(), seed)
		}
		params := know(view)
		renderer.Render(&now, &params, p)
		if drew != nil {
			drew(captured, &now, &params)
		}
		return true
	}
}

// SendPictures sends the pictures of a robot's camera to the computers that wish them, rate pictures a second at most, until ctx
// ends. No picture is taken while nobody looks.
func SendPictures(ctx context.Context, node Node, r *manager.Robot, sees *CameraView, rate float64, take Take) {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	client := node.Module(tcm.Manager).Client()
	var shot camera.Picture
	var view camera.View
	var message team.Image
	var overlay team.Overlay
	var to []tcm.Entity
	taken := time.Time{}
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
		to = to[:0]
		wish := r.Wish(node.Now(), func(e tcm.Entity) { to = append(to, e) })
		if wish.Rate == 0 || now.Sub(taken) < time.Second/time.Duration(wish.Rate)*9/10 {
			continue
		}
		turns <- struct{}{}
		captured := node.Now()
		ok := take(now, captured, &shot, &view)
		if ok {
			taken = now
			sees.setTable(view.Table)
			ok = sees.Encode(&shot, &wish, &message) == nil // a region may lie outside the picture
		}
		if ok && wish.Overlay {
			sees.overlay(&shot, &view, &overlay)
		}
		<-turns
		if !ok {
			continue
		}
		for _, e := range to { // the node counts what it drops
			if wish.Overlay {
				_ = client.Send(captured, e, &overlay)
			}
			_ = client.Send(captured, e, &message)
		}
	}
}
