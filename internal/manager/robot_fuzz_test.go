package manager_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// For any messages, the motors get finite commands within the limits, what the robot sends can be encoded, and without
// the nonce nobody drives.
func FuzzRobot(f *testing.F) {
	for kind, m := range []interface{ AppendBinary([]byte) ([]byte, error) }{
		&team.Attend{}, &team.Drive{Operator: 5, Sequence: 1, VX: 9}, &team.Request{Operator: 5, Number: 1, Text: "Eva"},
		&team.File{Transfer: 1, Size: 3, ChunkSize: 1024, Name: "a", Data: []byte("abc")},
	} {
		b, err := m.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(kind), true, b)
	}
	fetch := team.Request{Operator: 5, Number: 2, Operation: team.Fetch, ID: 7, Text: "behaviour.json", Value: 3}
	if b, err := fetch.AppendBinary(nil); err == nil {
		f.Add(uint8(2), true, b)
	}
	f.Fuzz(func(t *testing.T, kind uint8, answered bool, b []byte) {
		r, err := manager.NewRobot(manager.RobotConfig{
			Seed: 1, MaxAhead: 1, MaxSide: 1, MaxTurn: 2, Kicks: []team.Kick{{Name: "flat", Speed: 6}},
			Parameters: []team.Parameter{{Name: "exposure", Value: 8, Min: 0, Max: 20}},
			Adopt:      func(string, []byte) error { return nil },
			Fetch:      func(string) ([]byte, error) { return make([]byte, 5000), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		computer, now, nonce := tcm.Entity{Kind: tcm.Computer, ID: 1}, soccer.Epoch, uint64(0)
		step := func() {
			now = now.Add(20 * time.Millisecond)
			r.Step(now, func(_ tcm.Entity, data teamcom.Data) {
				if _, err := data.AppendBinary(nil); err != nil {
					t.Fatal(err)
				}
				switch m := data.(type) {
				case *team.Management:
					nonce = m.Nonce
				case *team.Challenge:
					nonce = m.Nonce
				}
			})
		}
		encoded := func(_ tcm.Entity, data teamcom.Data) {
			if _, err := data.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
		}
		r.Receive(computer, now, &team.Attend{}, nil)
		step()
		if answered {
			r.Receive(computer, now, &team.Request{Operator: 5, Nonce: nonce, Number: 1, Text: "Eva"}, encoded)
			step()
		}
		var attend team.Attend
		var drive team.Drive
		var request team.Request
		var file team.File
		switch kind % 4 {
		case 0:
			if attend.UnmarshalBinary(b) == nil {
				r.Receive(computer, now, &attend, nil)
			}
		case 1:
			if drive.UnmarshalBinary(b) == nil {
				if answered {
					drive.Nonce = nonce
				}
				r.Receive(computer, now, &drive, nil)
			}
		case 2:
			if request.UnmarshalBinary(b) == nil {
				if answered {
					request.Nonce = nonce
				}
				r.Receive(computer, now, &request, encoded)
			}
		case 3:
			if file.UnmarshalBinary(b) == nil {
				r.Receive(computer, now, &file, nil)
			}
		}
		step()
		m, driven := r.Motor(now)
		if math.Abs(m.Twist.X) > 1 || math.Abs(m.Twist.Y) > 1 || math.Abs(m.Twist.Theta) > 2 || driven && !answered {
			t.Fatalf("driven %v with %+v", driven, m)
		}
	})
}
