package station_test

import (
	"net/netip"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// FuzzReceive gives a station any packets: Check and RefBox 2.1 accept its worldstate.
func FuzzReceive(f *testing.F) {
	good, err := mixedteam.Append(nil, &mixedteam.Header{
		Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: 1000, TeamID: 63, Robot: 3,
	}, &soccer.Percepts{
		Self: soccer.Localisation{Known: true, HasHeading: true, Confidence: 1, HasTwist: true,
			Twist: soccer.Twist{X: 30}},
		Balls:     []soccer.Observation{{Position: soccer.Vec3{X: 1}, Confidence: 1}},
		Obstacles: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1}}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, good[:100], uint16(40))
	f.Add(good[:96], good, uint16(0))
	f.Fuzz(func(t *testing.T, a, b []byte, step uint16) {
		s := accepted(t, 39)
		now := start.Add(time.Second)
		for i := range 12 {
			for j, data := range [][]byte{a, b} {
				data = append([]byte(nil), data...)
				if i%3 == 2 && len(data) > 40 {
					data[2+7*i%38]++ // not a duplicate
				}
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(4000+j))
				s.Receive(&soccer.Packet{Time: now, From: from, Data: data})
			}
			now = now.Add(time.Duration(step) * time.Millisecond / 4)
			got := tick(t, s, now)
			if why := rejected(got); why != "" {
				t.Fatalf("RefBox 2.1 drops it for its %s: %s", why, got)
			}
			if issues := msl.Check(got); len(issues) > 0 && !issues[0].Note {
				t.Fatalf("%v in %s", issues, got)
			}
		}
	})
}

// FuzzApply gives a station any messages: it does not panic, and its state stays in bounds.
func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"command":"WELCOME","targetTeam":"224.16.32.39:1"}`), []byte(`{"command":"RESET","targetTeam":""}`))
	f.Add([]byte(`{"command":"FIRST_HALF","targetTeam":""}`),
		[]byte(`{"robotID": 4,"command":"SUBGOAL","targetTeam":"x"}`))
	f.Add([]byte(`{"command":null}`), []byte(`{"command":" GAME_OVER"}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		s, err := station.New(station.DefaultConfig(39))
		if err != nil {
			t.Fatal(err)
		}
		for i, message := range [][]byte{a, b, a, b, b} {
			before := s.State()
			command, err := s.Apply(start.Add(time.Duration(i)), message)
			st := s.State()
			if err != nil && st != before {
				t.Fatalf("%q is not a command but changes %+v to %+v", message, before, st)
			}
			if err == nil && (st.Last != command || st.Goals < 0 || st.Conceded < 0 || command.RobotID < 0 ||
				command.RobotID > msl.MaxNumber) {
				t.Fatalf("%q: %+v, %+v", message, command, st)
			}
			if i == 2 {
				s.Disconnect()
			}
		}
	})
}

// BenchmarkReceiveAndSend measures one worldstate with five robots' packages.
func BenchmarkReceiveAndSend(b *testing.B) {
	s := accepted(b, 39)
	sees := soccer.Percepts{
		Self:  soccer.Localisation{Known: true, HasHeading: true, Confidence: 1},
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 1}, Confidence: 0.8}},
	}
	for i := range 4 {
		sees.Obstacles = append(sees.Obstacles, soccer.Observation{Position: soccer.Vec3{X: float64(i) - 4, Y: 3},
			Confidence: 0.5})
	}
	stamp, now := uint32(0), start
	var packets [5][]byte
	var out []byte
	for b.Loop() {
		stamp += 50
		now = now.Add(50 * time.Millisecond)
		for i := range packets {
			sees.Self.Pose.Y = float64(i)
			var err error
			packets[i], err = mixedteam.Append(packets[i][:0], &mixedteam.Header{
				Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: stamp, TeamID: 39, Robot: uint8(i + 1),
			}, &sees)
			if err != nil {
				b.Fatal(err)
			}
			s.Receive(&soccer.Packet{Time: now, From: netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(i)), Data: packets[i]})
		}
		var err error
		if out, err = s.AppendWorldstate(out[:0], now); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(out)))
}
