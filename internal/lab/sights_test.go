package lab

import (
	"errors"
	"testing"

	"touchline/internal/camera"
)

// TestBallFromPixels compares the ball that the pixels give with the truth, for each camera: nine of ten errors stay
// below 5 % of the distance plus 3 cm, and the covariance does not claim more than that.
func TestBallFromPixels(t *testing.T) {
	for _, p := range presets(1) {
		t.Run(p.Name, func(t *testing.T) {
			b, err := newCamera(p, camera.DefaultTable(), 1).measure(defaultTrial(120))
			if err != nil {
				t.Fatal(err)
			}
			nees := 0.0
			for _, v := range b.NEES {
				nees += v / float64(len(b.NEES))
			}
			if b.InView < 60 || b.Found*100 < 92*b.InView || b.withinLimit() < 0.9 || b.False > 0 || nees > 3 {
				t.Errorf("found %d of %d, %.1f %% within the limit, %d false, NEES %.2f",
					b.Found, b.InView, 100*b.withinLimit(), b.False, nees)
			}
		})
	}
}

// TestNoFalseBalls takes pictures of fields without a ball, with orange posters on the boards.
func TestNoFalseBalls(t *testing.T) {
	trial := defaultTrial(200)
	trial.Ball = false
	b, err := newCamera(presets(1)[0], camera.DefaultTable(), 2).measure(trial)
	if err != nil || b.Pictures != 200 || b.False > 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestCalibrate calibrates wrong cameras from pictures of lines, and checks that sets of pictures that cannot determine
// the camera are refused; a mirror, from several places, too.
func TestCalibrate(t *testing.T) {
	useless := []HeadPoses{onePose, panOnly, oneLine}
	for i, pictures := range []int{12, 24, 10} {
		p, sets := presets(1)[i], useless
		if p.Camera.Mount.Down {
			sets = useless[:2] // from several places one line tells enough
		}
		t.Run(p.Name, func(t *testing.T) {
			c, err := calibrate(p, 2, pictures, varied)
			if err != nil || !c.good() || c.HoldOut > 1.7 || c.HoldOut < 0.3 {
				t.Errorf("%+v, %v", c, err)
			}
			for _, poses := range sets {
				c, err := calibrate(p, 1, pictures, poses)
				if err != nil || !errors.Is(c.Refused, camera.ErrUndetermined) {
					t.Errorf("set %d: %v, %v", poses, c.Refused, err)
				}
			}
		})
	}
}
