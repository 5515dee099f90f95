package matchnet_test

import (
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/wire/wiretest"
)

// A page looks through the cameras of robots of both teams while they play, and sees their parameters.
func TestLook(t *testing.T) {
	l := live(t, func(*matchnet.MatchConfig) {})
	pages := []string{"3", "13"} // of robot 3 of home and of away
	pictures := map[string]*managernet.PictureView{}
	var attended time.Time
	wiretest.Eventually(t, "pictures and parameters of a robot of each team", func() bool {
		if now := time.Now(); now.Sub(attended) > 300*time.Millisecond {
			attended = now
			for _, page := range pages {
				body := `{"robot": ` + page + `, "page": 5, "name": "Eva", "picture": {"rate": 25, "overlay": true}}`
				if _, err := l.Commands().Do("robot-attend", []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, page := range pages {
			if p, ok := l.Robot("picture/" + page).(*managernet.PictureView); ok && p.Missing == 0 && len(p.Overlay) > 0 {
				pictures[page] = p
			}
			if v, ok := l.Robot("robot/" + page).(*manager.View); !ok || !v.Seen || len(v.Parameters) < 5 {
				return false
			}
		}
		return len(pictures) == 2
	})
	for page, p := range pictures {
		if p.Width != 208 || p.Type != "image/jpeg" {
			t.Errorf("%s: %d px, %s", page, p.Width, p.Type)
		}
	}
}

// Nobody looks at the robots of another program.
func TestLookAtExternalTeam(t *testing.T) {
	l := live(t, func(cfg *matchnet.MatchConfig) { cfg.Match.Away.External = true })
	if _, err := l.Commands().Do("robot-attend", []byte(`{"robot": 13, "page": 5, "name": "Eva"}`)); err == nil {
		t.Error("a page looks at a robot of another program")
	}
	if l.Robot("robot/13") != nil || l.Robot("picture/13") != nil {
		t.Error("a robot of another program is shown")
	}
}

// A camera sees a match in the team frame of its robot: both teams see the ball before them alike.
func TestScene(t *testing.T) {
	l := live(t, func(*matchnet.MatchConfig) {})
	l.Look(func(s *match.Show) {
		var scenes [2]camera.Scene
		for i, side := range game.Sides {
			if !s.Scene(side, 4, &scenes[i]) || len(scenes[i].Robots) != 2*match.MostRobots-1 || !scenes[i].HasBall {
				t.Errorf("%s: %+v", side, scenes[i])
			}
		}
		var v match.View
		s.View(&v)
		for i, scene := range scenes {
			ball, self := v.Ball, v.Robots[i*match.MostRobots+3].Pose
			if v.Turned == (i == 0) {
				ball, self = ball.Turned(), self.Turned()
			}
			if scene.Ball != ball || scene.Self != self {
				t.Errorf("team %d: %v sees the ball at %v, want %v and %v", i, scene.Self, scene.Ball, self, ball)
			}
		}
		if s.Scene(game.Home, 9, &scenes[0]) {
			t.Error("a robot that is not there sees something")
		}
	})
}
