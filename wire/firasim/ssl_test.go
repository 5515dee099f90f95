package firasim_test

import (
	"encoding/hex"
	"slices"
	"testing"

	. "touchline/wire/firasim"
	"touchline/wire/wiretest"
)

// floats returns v in the form of the vectors' JSON.
func floats(v ...float32) (all []any) {
	for _, x := range v {
		all = append(all, numbers(float64(x))...)
	}
	return all
}

// given returns v, or null for an absent value.
func given(has bool, v any) any {
	if !has {
		return nil
	}
	return v
}

func sslContents(m *SSLVision) any {
	d := &m.Detection
	balls := []any{}
	for _, b := range d.Balls {
		balls = append(balls, floats(b.Confidence, b.X, b.Y, b.PixelX, b.PixelY))
	}
	team := func(list []SSLRobot) []any {
		all := []any{}
		for _, r := range list {
			f := floats(r.Confidence, r.X, r.Y, r.Orientation, r.PixelX, r.PixelY)
			all = append(all, []any{f[0], given(r.HasID, r.ID), f[1], f[2], given(r.HasOrientation, f[3]), f[4], f[5]})
		}
		return all
	}
	g := &m.Geometry
	return map[string]any{
		"frame": given(m.HasDetection, []any{d.Number, d.Captured, d.Sent, d.Camera}), "balls": balls,
		"yellow": team(d.Yellow), "blue": team(d.Blue),
		"field": given(m.HasGeometry, []int32{g.Length, g.Width, g.GoalWidth, g.GoalDepth, g.Boundary, g.PenaltyDepth,
			g.PenaltyWidth, g.CircleRadius}),
	}
}

func grSimContents(m *GrSimPacket) any {
	commands, robots := []any{}, []any{}
	for _, c := range m.Commands {
		all := append([]any{c.ID}, floats(c.KickX, c.KickZ, c.Tangent, c.Normal, c.Angular)...)
		commands = append(commands, append(append(all, c.Spinner, c.ByWheel), floats(c.Wheel[:]...)...))
	}
	for _, r := range m.Robots {
		robots = append(robots, append(numbers(r.X, r.Y, r.Dir), r.ID, r.Yellow, !r.Off))
	}
	ball := numbers(m.Ball.Value[:]...)
	for i := range ball {
		ball[i] = given(m.Ball.HasValue[i], ball[i])
	}
	return map[string]any{"team": given(m.HasCommands, []any{m.Timestamp, m.Yellow}), "commands": commands,
		"ball": given(m.HasBall, ball), "robots": robots}
}

func TestSSLVision(t *testing.T) {
	testSSL(t, "ssl-vision.txt", KindSSL, sslContents)
}

func TestGrSim(t *testing.T) {
	testSSL(t, "grsim-packet.txt", KindGrSim, grSimContents)
}

// testSSL checks the contents and the faults of the vectors of a file. The codec writes the same bytes as Google's
// runtime for those without a violation whose values it keeps, and refuses those with one.
func testSSL[T any, M wiretest.Message[T]](t *testing.T, file string, kind Kind, contents func(*T) any) {
	var good []wiretest.Case[T]
	for _, v := range vectors(t, file) {
		t.Run(v.Name, func(t *testing.T) {
			var m T
			if err := M(&m).UnmarshalBinary(v.Data); err != nil {
				t.Fatal(err)
			}
			if got, want := canonical(t, text(t, contents(&m))), canonical(t, v.Expect); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := wiretest.Issues(Check(kind, v.Data)); !slices.Equal(got, v.Issues) {
				t.Errorf("got issues\n%q, want\n%q", got, v.Issues)
			}
			covered(t, kind, v.Data)
			b, err := M(&m).AppendBinary([]byte("x"))
			switch bad := violation(Check(kind, v.Data)); {
			case v.Name == "missing": // decoded, absent values are zero, and encoded they are present
			case bad != nil && (err == nil || err.Error() != "firasim: "+bad.String() || string(b) != "x"):
				t.Errorf("got % x, %v\nwant %v", b, err, bad)
			case bad == nil && v.Name != "all-fields-grSim" && v.Name != "replacement":
				good = append(good, wiretest.Case[T]{Name: v.Name, Msg: m, Hex: hex.EncodeToString(v.Data)})
			}
		})
	}
	wiretest.RunOpen[T, M](t, check(kind), good)
}

func TestIsGrSim(t *testing.T) {
	for _, v := range vectors(t, "grsim-packet.txt") {
		if got, want := IsGrSim(v.Data), v.Name != "ball-speed" && v.Name != "empty"; got != want {
			t.Errorf("%s: got %v", v.Name, got)
		}
	}
	for _, v := range vectors(t, "firasim-packet.txt") {
		if IsGrSim(v.Data) {
			t.Errorf("FIRASim's packet %s is taken for grSim's", v.Name)
		}
	}
}

// TestVisionFitsClients checks that five robots a team fit into the buffers of vss-vision's clients.
func TestVisionFitsClients(t *testing.T) {
	m := SSLVision{HasDetection: true, HasGeometry: true, Detection: SSLDetection{Number: 1 << 31},
		Geometry: SSLGeometry{Length: 2200, Width: 1800, GoalWidth: 400, GoalDepth: 150, PenaltyDepth: 150,
			PenaltyWidth: 500, CircleRadius: 250}}
	m.Detection.Balls = []SSLBall{{Confidence: 1}}
	for id := range uint32(5) {
		m.Detection.Blue = append(m.Detection.Blue, SSLRobot{HasID: true, ID: id, HasOrientation: true})
	}
	m.Detection.Yellow = m.Detection.Blue
	b, err := m.AppendBinary(nil)
	if err != nil || len(b) > 450 {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
	for range 30 {
		m.Detection.Yellow = append(m.Detection.Yellow, m.Detection.Yellow[0])
	}
	if b, err := m.AppendBinary(nil); err == nil || len(b) > 0 {
		t.Errorf("got %d bytes, want an error", len(b))
	}
}

func FuzzSSLVision(f *testing.F) {
	wiretest.Fuzz[SSLVision](f, check(KindSSL), seeds(f, "ssl-vision.txt")...)
}

func FuzzGrSim(f *testing.F) {
	wiretest.Fuzz[GrSimPacket](f, check(KindGrSim), seeds(f, "grsim-packet.txt")...)
}
