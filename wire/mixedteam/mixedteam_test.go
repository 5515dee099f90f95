package mixedteam_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/soccer"
	"touchline/wire"
	. "touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// only returns a Check for datagrams of one variant. For the padded layout it omits the faults of the layout itself.
func only(v Variant) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue {
		if Identify(b).Variant != v {
			return []wire.Issue{{Text: "another variant"}}
		}
		return slices.DeleteFunc(Check(b), func(i wire.Issue) bool {
			return v == V2Padded && (i.Offset == 1 || i.Offset == 2)
		})
	}
}

var (
	noBall     = Ball{Unused, Unused, Unused, Unused, Unused, Unused, 0}
	noObstacle = Obstacle{Unused, Unused, Unused, Unused, 0}
	noPosition = Position{Unused, Unused, 0}
)

func scene() PackageV2 {
	m := PackageV2{TimestampMillis: 61234, TeamColor: 1, OriginalTeamID: 53, RobotID: 5}
	m.Balls = [3]Ball{{1000, -2000, 300, -400, 500, -600, 255}, noBall, noBall}
	for i := range m.Obstacles {
		m.Obstacles[i] = noObstacle
	}
	m.Obstacles[0] = Obstacle{-7000, 11000, 1, -1, 1}
	m.Self = Self{258, -258, 6283, 0, -1, 32767, 128}
	return m
}

const (
	ballHex     = "e8 03 30 f8 2c 01  70 fe f4 01 a8 fd  ff  # x y z  vx vy vz  confidence\n"
	noBallHex   = "0080 0080 0080 0080 0080 0080 00 # not used\n"
	noObstHex   = "0080 0080 0080 0080 00\n"
	obstacleHex = "a8 e4 f8 2a  01 00 ff ff  01  # x y  vx vy  confidence\n"
	selfHex     = "02 01 fe fe 8b 18  00 00 ff ff ff 7f  80  # x y theta  vx vy vtheta  confidence\n"
)

func TestV1(t *testing.T) {
	m := PackageV1{RobotID: 6, Balls: [3]Ball{scene().Balls[0], noBall, noBall}, Self: Position{258, -258, 0}}
	for i := range m.Obstacles {
		m.Obstacles[i] = noPosition
	}
	m.Obstacles[0] = Position{-7000, 11000, 1}
	wiretest.Run(t, only(V1), []wiretest.Case[PackageV1]{{Name: "scene", Msg: m, Hex: "7b 06\n" + ballHex +
		strings.Repeat(noBallHex, 2) + "a8 e4 f8 2a 01" + strings.Repeat("0080 0080 00\n", 9) + "02 01 fe fe 00"}})
}

func TestV2(t *testing.T) {
	wiretest.Run(t, only(V2), []wiretest.Case[PackageV2]{{Name: "scene", Msg: scene(), Hex: "7b 02 32ef0000 01 35 05\n" +
		ballHex + strings.Repeat(noBallHex, 2) + obstacleHex + strings.Repeat(noObstHex, 11) + selfHex}})
}

func TestPadded(t *testing.T) {
	pad := func(s string) string { return strings.ReplaceAll(s, "\n", "\n 00 # padding\n") }
	wiretest.Run(t, only(V2Padded), []wiretest.Case[PackagePadded]{{Name: "scene", Msg: PackagePadded{scene()},
		Hex: "7b 01 0000 32ef0000 01 35 05 00 \n" + pad(ballHex+strings.Repeat(noBallHex, 2)+obstacleHex+
			strings.Repeat(noObstHex, 11)+selfHex)}})
}

// TestAllocations covers what wiretest.Run does not: suspect packages, Append and Decode.
func TestAllocations(t *testing.T) {
	m := scene()
	m.OriginalTeamID = 200
	m.Self = Self{1, 2, Unused, Unused, Unused, Unused, 0}
	m.Balls[0].ZMillimetres = Unused
	buf := make([]byte, 0, SizePadded)
	var h Header
	var p soccer.Percepts
	check := func(name string, f func() error) {
		if n := testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	check("append", func() (err error) { buf, err = m.AppendBinary(buf[:0]); return err })
	check("decode", func() error { _, err := Decode(buf, &h, &p); return err })
	garbage := append([]byte{Flag}, make([]byte, 300)...)
	check("decode garbage", func() error {
		if _, err := Decode(garbage, &h, &p); err != ErrForeign {
			return errors.New("garbage was decoded")
		}
		return nil
	})
	check("decode again", func() error { _, err := Decode(buf, &h, &p); return err })
	for _, h.Variant = range []Variant{V1, V2, V2Padded} {
		check(h.Variant.String(), func() (err error) { buf, err = Append(buf[:0], &h, &p); return err })
	}
}

// expectation is the "expect" of a vector.
type expectation struct {
	Variant   string
	Length    int
	Trailing  int
	Timestamp *uint32
	Color     *string
	Team      uint8
	Robot     uint8
	Balls     [][]*int
	Obstacles [][]*int
	Self      []*int
}

// decoded returns the result of Decode as the expectation of a vector.
func decoded(t *testing.T, b []byte) expectation {
	t.Helper()
	var h Header
	p := soccer.Percepts{Time: 1, Self: soccer.Localisation{Known: true}, Balls: make([]soccer.Observation, 2)}
	id, err := Decode(b, &h, &p)
	got := expectation{Variant: id.Variant.String(), Length: id.Len}
	if id.Variant != h.Variant || p.Time != 0 {
		t.Errorf("got header variant %v, identity %v, time %d", h.Variant, id.Variant, p.Time)
	}
	if id.Variant == Foreign {
		if err != ErrForeign || len(p.Balls)+len(p.Obstacles) > 0 || p.Self.Known || h.Color != soccer.NoColor {
			t.Errorf("a foreign datagram: got %v, %+v, %+v", err, h, p)
		}
		return got
	}
	if err != nil {
		t.Fatal(err)
	}
	got.Trailing, got.Team, got.Robot = len(b)-id.Len, h.TeamID, h.Robot
	if h.HasTimestamp {
		got.Timestamp = &h.TimestampMillis
	}
	if h.Color != soccer.NoColor {
		name := h.Color.String()
		got.Color = &name
	}
	got.Balls, got.Obstacles = [][]*int{}, [][]*int{}
	for _, o := range p.Balls {
		v := []*int{milli(-o.Position.Y), milli(o.Position.X), milli(o.Position.Z), nil, nil, nil, score(o.Confidence)}
		if o.HasVelocity {
			v[3], v[4], v[5] = milli(-o.Velocity.Y), milli(o.Velocity.X), milli(o.Velocity.Z)
		}
		got.Balls = append(got.Balls, v)
	}
	for _, o := range p.Obstacles {
		v := []*int{milli(-o.Position.Y), milli(o.Position.X), nil, nil, score(o.Confidence)}
		if o.HasVelocity {
			v[2], v[3] = milli(-o.Velocity.Y), milli(o.Velocity.X)
		}
		got.Obstacles = append(got.Obstacles, v)
	}
	if s := p.Self; s.Known {
		got.Self = []*int{milli(-s.Pose.Y), milli(s.Pose.X), nil, nil, nil, nil, score(s.Confidence)}
		if s.HasHeading {
			got.Self[2] = milli(math.Mod(s.Pose.Theta+2*math.Pi, 2*math.Pi))
		}
		if s.HasTwist {
			got.Self[3], got.Self[4], got.Self[5] = milli(-s.Twist.Y), milli(s.Twist.X), milli(s.Twist.Theta)
		}
	}
	return got
}

func milli(v float64) *int {
	n := int(math.Round(v * 1000))
	return &n
}

func score(p float64) *int {
	n := int(math.Round(p * 255))
	return &n
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestVectors(t *testing.T) {
	for _, file := range []string{"mixedteam-v1.txt", "mixedteam-v2.txt", "mixedteam-v2-padded.txt"} {
		for _, v := range wiretest.Vectors(t, filepath.Join("..", "vectors", file)) {
			t.Run(v.Name, func(t *testing.T) {
				var want expectation
				if err := json.Unmarshal([]byte(v.Expect), &want); err != nil {
					t.Fatal(err)
				}
				if got, want := text(decoded(t, v.Data)), text(want); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if id := Identify(v.Data); id.Confidence < 0.9 {
					t.Errorf("got confidence %v, want 0.9 at least: %s", id.Confidence, id.Reason)
				}
				if got := wiretest.Issues(Check(v.Data)); !slices.Equal(got, v.Issues) {
					t.Errorf("got issues %q, want %q", got, v.Issues)
				}
				reencode(t, v.Data)
			})
		}
	}
}

// reencode encodes the package that b decodes to. It wants the same bytes if b has no fault, else an error.
func reencode(t *testing.T, b []byte) {
	t.Helper()
	var m interface {
		AppendBinary([]byte) ([]byte, error)
		UnmarshalBinary([]byte) error
	}
	id := Identify(b)
	switch id.Variant {
	case V1:
		m = new(PackageV1)
	case V2:
		m = new(PackageV2)
	case V2Padded:
		m = new(PackagePadded)
	default:
		return
	}
	if err := m.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	faults := slices.DeleteFunc(only(id.Variant)(b), func(i wire.Issue) bool {
		return i.Note || i.Field == "package_version"
	})
	out, err := m.AppendBinary([]byte("x"))
	if len(faults) > 0 {
		if err == nil || string(out) != "x" || !strings.Contains(err.Error(), faults[0].Field) {
			t.Errorf("%v, but it is encoded: %v, % x", faults[0], err, out)
		}
		return
	}
	want := append([]byte("x"), b[:id.Len]...)
	if id.Variant == V2 {
		want[2] = Version
	} else if id.Variant == V2Padded {
		want[2] = 1
	}
	if err != nil || !slices.Equal(out, want) {
		t.Errorf("encoded again: %v\n% x\nwant\n% x", err, out, want)
	}
}

// TestScene decodes packages of one scene that other programs laid out, and compares them with it to 1 mm and 1 mrad.
func TestScene(t *testing.T) {
	for _, c := range []struct {
		file    string
		variant Variant
		theta   float64 // heading on the wire minus heading of the scene, rad
	}{
		{"cnc_v1_96.bin", V1, 0},
		{"spec_packed_169.bin", V2, 0},
		{"falcons_natural_align_188.bin", V2Padded, math.Pi / 2},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile(wiretest.Data(t, "mixed-team-packets", c.file))
			if err != nil {
				t.Fatal(err)
			}
			var h Header
			var p soccer.Percepts
			id, err := Decode(data, &h, &p)
			if err != nil || id.Variant != c.variant || id.Len != len(data) || id.Confidence < 0.9 {
				t.Fatalf("got %+v, %v, want %v of %d bytes", id, err, c.variant, len(data))
			}
			if len(p.Balls) != 1 || len(p.Obstacles) != 2 || !p.Self.Known {
				t.Fatalf("got %d balls, %d obstacles, self known: %t, want 1, 2, true",
					len(p.Balls), len(p.Obstacles), p.Self.Known)
			}
			near := func(name string, got, want float64) {
				if math.Abs(got-want) > 0.001000001 {
					t.Errorf("%s: got %v, want %v", name, got, want)
				}
			}
			ball := p.Balls[0]
			near("ball x", -ball.Position.Y, 1.234)
			near("ball y", ball.Position.X, -2.5)
			near("ball z", ball.Position.Z, 0.11)
			near("ball vx", -ball.Velocity.Y, 0.5)
			near("ball vy", ball.Velocity.X, -3.25)
			near("ball vz", ball.Velocity.Z, 0)
			for i, want := range []soccer.Vec{{X: 3, Y: 8}, {X: -4.5, Y: 0.25}} {
				near("obstacle x", -p.Obstacles[i].Position.Y, want.X)
				near("obstacle y", p.Obstacles[i].Position.X, want.Y)
				if p.Obstacles[i].HasVelocity != (c.variant != V1) {
					t.Errorf("obstacle %d: got a velocity: %t", i, p.Obstacles[i].HasVelocity)
				}
			}
			near("self x", -p.Self.Pose.Y, -3)
			near("self y", p.Self.Pose.X, -7.125)
			if p.Self.HasHeading != (c.variant != V1) || p.Self.HasTwist != p.Self.HasHeading || !ball.HasVelocity {
				t.Errorf("got self %+v, ball %+v: wrong parts are known", p.Self, ball)
			}
			if p.Self.HasHeading {
				near("self theta", p.Self.Pose.Theta+c.theta, 1.5708)
			}
			if c.variant == V2Padded && (h.HasTimestamp || h.Color != soccer.NoColor || h.Robot != 0 || h.TeamID != 74) {
				t.Errorf("fields that the sender never set were decoded: %+v", h)
			}
		})
	}
}

// Fields names every byte once, in order.
func TestFields(t *testing.T) {
	for _, v := range []Variant{V1, V2, V2Padded} {
		h := Header{Variant: v, Robot: 3, TeamID: 63, Color: soccer.Magenta, TimestampMillis: 70000}
		p := soccer.Percepts{Balls: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1, Z: 0.5}, Confidence: 0.5}}}
		data, err := Append(nil, &h, &p)
		if err != nil {
			t.Fatal(err)
		}
		size := len(data)
		data = append(data, "own"...)
		at := 0
		values := map[string]string{}
		for _, f := range Fields(data) {
			if f.Offset != at || f.Len < 1 || f.Name == "" || f.Value == "" {
				t.Fatalf("%v: got field %+v at byte %d", v, f, at)
			}
			at += f.Len
			values[f.Name] = strings.TrimSpace(f.Value + " " + f.Unit)
		}
		want := map[string]string{
			"mixed_team_flag": "123", "ball_cand_vision[0].x": "-1000 mm", "ball_cand_vision[0].y": "2000 mm",
			"ball_cand_vision[0].vx": "unused", "ball_cand_vision[0].confidence": "128", "self-loc.x": "unused",
			"self-loc.confidence": "unknown", "trailing": "3 of the team's own bytes",
		}
		if v == V1 {
			want["robot_id"] = "3"
		} else {
			want["mixed_team_robot_id"], want["team_color"], want["timestamp"] = "3", "1 (magenta)", "70000 ms"
			want["original_team_id"] = "63 (Tech United Eindhoven)"
		}
		for name, value := range want {
			if values[name] != value {
				t.Errorf("%v: %s: got %q, want %q", v, name, values[name], value)
			}
		}
		if at != size+3 {
			t.Errorf("%v: fields cover %d bytes of %d", v, at, size+3)
		}
	}
	if Fields([]byte("{}")) != nil || Fields(nil) != nil {
		t.Error("a foreign datagram has fields")
	}
}

// Decoding overwrites every field of a struct that holds another package.
func TestUnmarshalDirty(t *testing.T) {
	m := full()
	s := scene()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(m, s) {
		t.Errorf("got %v, %+v, want %+v", err, m, s)
	}
	if err := m.UnmarshalBinary(b[:168]); !errors.Is(err, wire.ErrShort) {
		t.Errorf("168 bytes: got %v, want ErrShort", err)
	}
	b[0] = 122
	if err := m.UnmarshalBinary(b); err != ErrForeign {
		t.Errorf("flag 122: got %v, want ErrForeign", err)
	}
}
