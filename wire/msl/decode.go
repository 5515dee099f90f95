package msl

import (
	"bytes"
	"fmt"
	"strings"
)

// KindOf returns the kind of b by its type, or a command by that key. It is KindUnknown if b is not a JSON object.
func KindOf(b []byte) Kind {
	r, err := read(b)
	if err != nil {
		return KindUnknown
	}
	return r.kind()
}

// IsWorldstate reports whether b is a worldstate, perhaps with an invalid text encoding.
func IsWorldstate(b []byte) bool {
	kind := KindOf(b)
	return kind == KindWorldstate || kind == KindUnknown && KindOf(Repaired(b)) == KindWorldstate
}

// Repaired returns a message with a valid text encoding.
func Repaired(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\ufffd")) }

// kind returns the kind of the object in front of r.
func (r reader) kind() Kind {
	found := KindUnknown
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "type":
			if r.peek() != '"' {
				return KindUnknown
			}
			switch string(r.key()) {
			case "worldstate":
				return KindWorldstate
			case "event":
				return KindEvent
			}
			return KindUnknown
		case "command":
			found = KindCommand
			r.skip()
		default:
			r.skip()
		}
	}
	return found
}

// typed reads the value of type, which must be k.
func (r *reader) typed(k Kind) error {
	if got := r.text(k.String()); got != k.String() {
		return fmt.Errorf("%w: type is %.40q, not %q", ErrKind, got, k)
	}
	return nil
}

// UnmarshalBinary decodes one message without its NUL into w and reuses its memory. It accepts all spellings of keys
// that are in use; values that are absent, null or of the wrong type are unknown. The error is ErrMalformed or ErrKind,
// and leaves w undefined.
func (w *Worldstate) UnmarshalBinary(b []byte) error {
	r, err := read(b)
	if err != nil {
		return err
	}
	return w.decode(r)
}

// decode decodes the object in front of r.
func (w *Worldstate) decode(r reader) error {
	old := *w
	*w = Worldstate{Robots: w.Robots[:0], Balls: w.Balls[:0], Obstacles: w.Obstacles[:0]}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "type":
			if err := r.typed(KindWorldstate); err != nil {
				return err
			}
		case "teamName":
			w.TeamName = r.text(old.TeamName)
		case "intention":
			w.Intention = r.text(old.Intention)
		case "robots":
			w.Robots = w.Robots[:0]
			for in := r.list(); in && r.object(len(w.Robots) < MaxRobots, &w.Dropped); {
				w.Robots = grown(w.Robots)
				w.Robots[len(w.Robots)-1].read(&r)
			}
		case "balls", "Ball":
			w.Balls = w.Balls[:0]
			for in := r.list(); in && r.object(len(w.Balls) < MaxBalls, &w.Dropped); {
				w.Balls = grown(w.Balls)
				w.Balls[len(w.Balls)-1].read(&r)
			}
		case "obstacles":
			w.Obstacles = w.Obstacles[:0]
			for in := r.list(); in && r.object(len(w.Obstacles) < MaxObstacles, &w.Dropped); {
				w.Obstacles = grown(w.Obstacles)
				w.Obstacles[len(w.Obstacles)-1].read(&r)
			}
		case "ageMs":
			w.AgeMillis = r.number()
		default:
			r.skip()
		}
	}
	return nil
}

// grown returns all with one more element, which holds what the memory holds.
func grown[T any](all []T) []T {
	if len(all) < cap(all) {
		return all[:len(all)+1]
	}
	var none T
	return append(all, none)
}

// read decodes the object in front of r into m, of which it reuses only the text.
func (m *Robot) read(r *reader) {
	old := m.Intention
	*m = Robot{}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "id":
			m.ID = r.number()
		case "pose":
			m.Pose = r.vector()
		case "targetPose", "target pose", "targetPos":
			m.TargetPose = r.vector()
		case "velocity", "Velocity":
			m.Velocity = r.vector()
		case "intention":
			m.Intention = r.text(old)
		case "batteryLevel":
			m.BatteryLevel = r.number()
		case "ballEngaged":
			m.BallEngaged = r.number()
		default:
			r.skip()
		}
	}
}

func (m *Ball) read(r *reader) {
	*m = Ball{}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "position":
			m.Position = r.vector()
		case "velocity", "Velocity":
			m.Velocity = r.vector()
		case "confidence":
			m.Confidence = r.number()
		default:
			r.skip()
		}
	}
}

func (m *Obstacle) read(r *reader) {
	*m = Obstacle{}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "position":
			m.Position = r.vector()
		case "velocity", "Velocity":
			m.Velocity = r.vector()
		case "radius":
			m.Radius = r.number()
		case "confidence":
			m.Confidence = r.number()
		default:
			r.skip()
		}
	}
}

// UnmarshalBinary decodes one message without its NUL into e. The error is ErrMalformed or ErrKind.
func (e *Event) UnmarshalBinary(b []byte) error {
	r, err := read(b)
	if err != nil {
		return err
	}
	old := *e
	*e = Event{}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "type":
			if err := r.typed(KindEvent); err != nil {
				return err
			}
		case "robotId":
			e.RobotID = r.number()
		case "event":
			e.Event = r.text(old.Event)
		default:
			r.skip()
		}
	}
	return nil
}

// UnmarshalBinary decodes one message without its NUL into c. It trims blanks around the name, reads GAME_OVER as
// GAMEOVER, and keeps unknown names. The error is ErrMalformed, or ErrKind if there is no command.
func (c *Command) UnmarshalBinary(b []byte) error {
	r, err := read(b)
	if err != nil {
		return err
	}
	old := *c
	*c = Command{}
	for r.i++; r.more(); {
		switch key := r.key(); string(key) {
		case "command":
			if c.Name = strings.TrimSpace(r.text(old.Name)); c.Name == "GAME_OVER" {
				c.Name = GameOver
			}
		case "targetTeam":
			c.TargetTeam = r.text(old.TargetTeam)
		case "robotID":
			if n := r.number(); n.Value >= 1 && n.Value <= MaxNumber && n.Value == float64(int(n.Value)) {
				c.RobotID = int(n.Value)
			}
		default:
			r.skip()
		}
	}
	if c.Name == "" {
		return fmt.Errorf("%w: it has no command", ErrKind)
	}
	return nil
}
