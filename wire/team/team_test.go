package team_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/team"
)

// Senders and receivers refuse the same values, and name the field.
func TestErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		msg  interface{ AppendBinary([]byte) ([]byte, error) }
		want string
	}{
		{&team.Belief{Ball: team.Ball{Known: true, X: nan}}, "team: ball.x: NaN: want -100 to 100 m"},
		{&team.Belief{Color: 2}, "team: color: 2 is no colour: 0 is cyan, 1 is magenta, 255 is unknown"},
		{
			&team.Belief{Ball: team.Ball{VX: 1}},
			"team: ball.vx: 1, but the flags say that it is not used: write 0",
		},
		{
			&team.Belief{Self: team.Self{Known: true, HasCov: true, Cov: [6]float32{1, 2, 0, 1}}},
			"team: self.cov_xy: 2: want the elements of a covariance",
		},
		{&team.Measurements{Balls: make([]team.Sighting, 17)}, "team: balls: 17: want at most 16"},
		{&team.Measurements{Obstacles: make([]team.Sighting, 300)}, "team: obstacles: 300: want at most 16"},
		{
			&team.Measurements{Obstacles: []team.Sighting{{}, {Bearing: 4}}},
			"team: obstacles[1].bearing: 4: want -3.1416 to 3.1416 rad",
		},
		{&team.Status{Battery: 101}, "team: battery: 101: want 0 to 100 percent, or 255 for unknown"},
		{&team.Status{Mode: 8}, "team: mode: 8 has no meaning: want 0 to 7"},
		{&team.Status{Intention: strings.Repeat("x", 101)}, "team: intention.length: 101: want at most 100"},
		{&team.Status{Intention: "a\tb"}, `team: intention: want UTF-8 without control characters`},
		{
			&team.Debug{States: []string{"play", "\xff"}},
			`team: states[1].name: want UTF-8 without control characters`,
		},
		{
			&team.Debug{Percepts: team.Measurements{Balls: []team.Sighting{{Range: -1}}}},
			"team: percepts.balls[0].range: -1: want 0 to 1000 m",
		},
		{&team.Sense{HasOdometry: true, VX: float32(math.Inf(1))}, "team: odometry.vx: +Inf: want -100 to 100 m/s"},
		{&team.Motor{VHeading: nan}, "team: vheading: NaN: want -100 to 100 rad/s"},
		{&team.Directory{Text: strings.Repeat("x", 65537)}, "team: text: 65537: want at most 65536"},
		{&team.Directory{Text: "\xff"}, "team: text: not UTF-8"},
	} {
		b, err := c.msg.AppendBinary([]byte("before"))
		if err == nil || err.Error() != c.want || string(b) != "before" {
			t.Errorf("got %q and %v\nwant %s", b, err, c.want)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	var motor team.Motor
	b, err := (&team.Motor{VX: 1}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := motor.UnmarshalBinary(b[:20]); !errors.Is(err, wire.ErrShort) {
		t.Errorf("a truncated message: got %v, want ErrShort", err)
	}
	b[0] = 2
	if err := motor.UnmarshalBinary(b); !errors.Is(err, team.ErrVersion) {
		t.Errorf("version 2: got %v, want ErrVersion", err)
	}
	if issues := team.Check(team.TypeMotor, b); len(issues) != 1 || issues[0].Text != "2: want 1" {
		t.Errorf("version 2: got %v", issues)
	}
	b[0], b[8], b[9] = team.Version, 0x80, 0x7f // vx: +Inf
	const want = "team: vx: +Inf: want -100 to 100 m/s"
	if err := motor.UnmarshalBinary(b); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A message that cannot be used leaves nothing of the one before in reused memory.
func TestNothingOfTheLastMessageRemains(t *testing.T) {
	full, err := (&team.Status{Intention: "attack", Self: team.Self{Known: true, X: 1}}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var status team.Status
	if err := status.UnmarshalBinary(full); err != nil {
		t.Fatal(err)
	}
	if err := status.UnmarshalBinary(full[:3]); err == nil || status != (team.Status{}) {
		t.Errorf("after a truncated message: %+v, %v", status, err)
	}
}

func TestCheckTexts(t *testing.T) {
	b, err := (&team.Measurements{Balls: []team.Sighting{{Kind: team.TheBall, Range: 2}}}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dataType uint16
		b        []byte
		want     string
	}{
		{team.TypeMeasurements, b, ""},
		{
			team.TypeMeasurements, b[:90],
			"byte 90: a truncated measurements message: it ends before its last field (TCM payloads)",
		},
		{
			team.TypeMeasurements, append(b[:len(b):len(b)], 0),
			"byte 99, trailing: bytes after the last field: receivers skip them (TCM payloads)",
		},
		{1000, b, "byte 0: type 1000 is not one of the messages 1 to 8 and 32 to 44 (TCM payloads)"},
	} {
		got := ""
		for _, issue := range team.Check(c.dataType, c.b) {
			got += issue.String()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestFieldsOfMessage(t *testing.T) {
	b, err := (&team.Status{
		Mode: team.Stopped, Battery: team.Unknown, BallEngaged: true, Intention: "wait",
	}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]wire.Field{
		"version":     {Offset: 0, Len: 1, Name: "version", Value: "1"},
		"flags":       {Offset: 1, Len: 1, Name: "flags", Value: "ball engaged"},
		"mode":        {Offset: 2, Len: 1, Name: "mode", Value: "stopped"},
		"battery":     {Offset: 3, Len: 1, Name: "battery", Value: "unknown"},
		"self.flags":  {Offset: 4, Len: 1, Name: "self.flags", Value: "none"},
		"self.x":      {Offset: 5, Len: 4, Name: "self.x", Value: "unused"},
		"intention":   {Offset: 70, Len: 4, Name: "intention", Value: "wait"},
		"self.cov_hh": {Offset: 49, Len: 4, Name: "self.cov_hh", Value: "unused"},
	}
	for _, f := range team.Fields(team.TypeStatus, b) {
		if w, ok := want[f.Name]; ok && f != w {
			t.Errorf("got %+v, want %+v", f, w)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("no fields %v", want)
	}
	if f := team.Fields(1000, b); f != nil {
		t.Errorf("an unknown type has the fields %v", f)
	}
}
