package managernet

import (
	"sync"
	"time"

	"touchline/internal/camera"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// sceneFor is the time that a camera waits for the answer of the field.
const sceneFor = 20 * time.Millisecond

// Window is what a simulated camera looks through: it asks the field what lies before the robot.
type Window struct {
	node    Node
	field   tcm.Entity
	arrived chan struct{} // there is a new scene

	mu    sync.Mutex
	scene camera.Scene
	hall  uint64
}

// NewWindow returns the window of a robot whose node asks a field.
func NewWindow(node Node, field tcm.Entity) *Window {
	w := &Window{node: node, field: field, arrived: make(chan struct{}, 1)}
	teamcom.Handle(node.Module(tcm.Cmd), func(from teamcom.From, m *team.Scene) {
		if from.Entity != field || !m.Known {
			return
		}
		w.mu.Lock()
		setScene(&w.scene, m, from.Captured)
		w.hall = m.Hall
		w.mu.Unlock()
		select {
		case w.arrived <- struct{}{}:
		default:
		}
	})
	return w
}

// Look sets scene to what lies before the robot now. It reports false where the field does not say so in 20 ms.
func (w *Window) Look(scene *camera.Scene) bool {
	select {
	case <-w.arrived: // too late for the picture before
	default:
	}
	if w.node.Module(tcm.Cmd).Client().Send(w.node.Now(), w.field, &team.Scene{}) != nil {
		return false
	}
	patience := time.NewTimer(sceneFor)
	defer patience.Stop()
	select {
	case <-w.arrived:
	case <-patience.C:
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	*scene, w.scene = w.scene, *scene
	return true
}

// Hall returns the seed of the hall of the newest scene.
func (w *Window) Hall() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hall
}

// SetScene sets a message to a scene in a hall of a seed. Bodies and obstacles that it has no room for are left out.
func SetScene(m *team.Scene, s *camera.Scene, hall uint64) {
	*m = team.Scene{
		Known: true, HasBall: s.HasBall, Hall: hall, X: float32(s.Self.X), Y: float32(s.Self.Y), Heading: float32(s.Self.Theta),
		Turning: float32(s.Turning), Light: float32(s.Light), Warmth: float32(s.Warmth),
		Robots: m.Robots[:0], Obstacles: m.Obstacles[:0],
	}
	if s.HasBall {
		m.Ball = [3]float32{float32(s.Ball.X), float32(s.Ball.Y), float32(s.Ball.Z)}
	}
	for _, b := range s.Robots[:min(len(s.Robots), team.MaxBodies)] {
		m.Robots = append(m.Robots, team.Body{
			Color: uint8(b.Color), X: float32(b.Pose.X), Y: float32(b.Pose.Y), Heading: float32(b.Pose.Theta),
		})
	}
	for _, o := range s.Obstacles[:min(len(s.Obstacles), team.MaxDrums)] {
		m.Obstacles = append(m.Obstacles, team.Spot{X: float32(o.X), Y: float32(o.Y)})
	}
}

// setScene sets a scene to that of a message, at a time.
func setScene(s *camera.Scene, m *team.Scene, now soccer.Time) {
	*s = camera.Scene{
		Time: now, Self: pose(m.X, m.Y, m.Heading), Turning: float64(m.Turning), HasBall: m.HasBall,
		Ball:  soccer.Vec3{X: float64(m.Ball[0]), Y: float64(m.Ball[1]), Z: float64(m.Ball[2])},
		Light: float64(m.Light), Warmth: float64(m.Warmth), Robots: s.Robots[:0], Obstacles: s.Obstacles[:0],
	}
	for _, b := range m.Robots {
		s.Robots = append(s.Robots, camera.Body{Pose: pose(b.X, b.Y, b.Heading), Color: soccer.Color(b.Color)})
	}
	for _, o := range m.Obstacles {
		s.Obstacles = append(s.Obstacles, soccer.Vec{X: float64(o.X), Y: float64(o.Y)})
	}
}

func pose(x, y, heading float32) soccer.Pose {
	return soccer.Pose{X: float64(x), Y: float64(y), Theta: float64(heading)}
}
