package managernet

import (
	"testing"
	"time"
)

// FuzzCommand sends a room any bodies of commands, with a picture that is held and samples that are collected: none panics,
// and what is asked of the robot is within the ranges of its parameters.
func FuzzCommand(f *testing.F) {
	commands := []string{
		"robot-hold", "robot-remember", "robot-adjust", "robot-paint", "robot-unpaint", "robot-learn", "robot-send-colors",
		"robot-collect", "robot-stop-collecting", "robot-reject", "robot-show-sample", "robot-commit", "robot-dance",
	}
	for i, body := range []string{
		`{}`, `{"x": 8, "y": 13, "width": 48, "height": 25}`, `{"x": 8, "y": 13, "width": 48, "height": 25, "like": "grey"}`,
		`{"pixels": [1, 2, 3071], "class": "blue", "spread": 4}`, `{"count": 12}`, `{"index": 1, "rejected": true}`,
		`{"index": -9223372036854775808}`, `{"pixels": [-1]}`, `{"x": 9223372036854775807, "width": 9223372036854775807}`,
	} {
		f.Add(byte(i), byte(3*i), body, body)
	}
	f.Fuzz(func(t *testing.T, first, second byte, one, other string) {
		b := newBench(t)
		b.shot = &shot{Divisor: 1}
		b.shot.Picture.Resize(64, 48)
		for i := range b.shot.Picture.Y {
			b.shot.Picture.Y[i], b.shot.Picture.Cb[i], b.shot.Picture.Cr[i] = byte(i), byte(i/64*5), 128
		}
		b.must("robot-hold", nil)
		b.must("robot-collect", map[string]any{"count": 4})
		b.run(2 * time.Second)
		b.must("robot-stop-collecting", nil)
		for _, c := range []struct {
			name byte
			body string
		}{{first, one}, {second, other}} {
			asked, err := b.room.command(b.now, commands[int(c.name)%len(commands)], []byte(c.body))
			if err != nil {
				continue
			}
			b.set(asked.Values)
		}
	})
}
