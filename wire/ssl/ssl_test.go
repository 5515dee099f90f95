package ssl_test

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/soccer"
	"touchline/wire"
	. "touchline/wire/ssl"
	"touchline/wire/wiretest"
)

func vectors(t testing.TB, file string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", file))
}

func check(k Kind) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue { return Check(k, b) }
}

// leaves returns the values of a byte table by their paths, without lengths of messages and names of enumerations.
func leaves(k Kind, b []byte) map[string]string {
	all := map[string]string{}
	for _, f := range Fields(k, b) {
		value, _, _ := strings.Cut(f.Value, " (")
		if f.Unit != "bytes" || strings.HasSuffix(f.Value, "(not shown)") {
			all[f.Name] = value
		}
	}
	return all
}

// hidden are ends of fields that Fields does not show.
var hidden = []string{"custom[0].value", "field_lines[0].name", "field_arcs[0].name"}

// testVectors checks what Fields and Check say of the vectors of a file, and that the codec writes the same bytes for
// those without a violation.
func testVectors[T any, M wiretest.Message[T]](t *testing.T, file string, k Kind) {
	for _, v := range vectors(t, file) {
		t.Run(v.Name, func(t *testing.T) {
			var want map[string]string
			if err := json.Unmarshal([]byte(v.Expect), &want); err != nil {
				t.Fatal(err)
			}
			got := leaves(k, v.Data)
			for _, all := range []map[string]string{got, want} {
				maps.DeleteFunc(all, func(name, _ string) bool {
					return slices.ContainsFunc(hidden, func(end string) bool { return strings.HasSuffix(name, end) })
				})
			}
			if !maps.Equal(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
			if got := wiretest.Issues(Check(k, v.Data)); !slices.Equal(got, v.Issues) {
				t.Errorf("got issues\n%q, want\n%q", got, v.Issues)
			}
			var m T
			if err := M(&m).UnmarshalBinary(v.Data); err != nil {
				t.Fatal(err)
			}
			bad := slices.ContainsFunc(v.Issues, func(s string) bool { return strings.HasPrefix(s, "issue") })
			b, err := M(&m).AppendBinary([]byte("x"))
			switch {
			case slices.Contains(lossy, v.Name): // absent values and empty texts are the same for the codec
			case bad && (err == nil || string(b) != "x"):
				t.Errorf("got % x, %v, want a refusal", b, err)
			case !bad && (err != nil || string(b[1:]) != string(v.Data)):
				t.Errorf("got  % x, %v\nwant % x", b[1:], err, v.Data)
			}
		})
	}
}

// lossy are vectors whose bytes the codec does not write: with values that it does not keep, or required ones missing,
// which it adds.
var lossy = []string{"capabilities", "missing"}

func TestReferee(t *testing.T) { testVectors[Referee](t, "ssl-referee.txt", KindReferee) }

func TestTracker(t *testing.T) { testVectors[Tracker](t, "ssl-tracker.txt", KindTracker) }

func TestSimulatorCommand(t *testing.T) {
	testVectors[SimulatorCommand](t, "ssl-simulator-command.txt", KindSimulatorCommand)
}

func TestSimulatorResponse(t *testing.T) {
	testVectors[SimulatorResponse](t, "ssl-simulator-response.txt", KindSimulatorResponse)
}

func TestRobotControl(t *testing.T) {
	testVectors[RobotControl](t, "ssl-robot-control.txt", KindRobotControl)
}

func TestRobotControlResponse(t *testing.T) {
	testVectors[RobotControlResponse](t, "ssl-robot-control-response.txt", KindRobotControlResponse)
}

func TestSyncRequest(t *testing.T) {
	testVectors[SyncRequest](t, "ssl-sync-request.txt", KindSyncRequest)
}

func TestSyncResponse(t *testing.T) {
	testVectors[SyncResponse](t, "ssl-sync-response.txt", KindSyncResponse)
}

// vectorCase returns a case of the bytes of a vector.
func vectorCase[T any](t *testing.T, file, name string, m T) wiretest.Case[T] {
	t.Helper()
	for _, v := range vectors(t, file) {
		if v.Name == name {
			return wiretest.Case[T]{Name: name, Msg: m, Hex: hex.EncodeToString(v.Data)}
		}
	}
	t.Fatalf("%s has no vector %s", file, name)
	return wiretest.Case[T]{}
}

func TestTrackerStruct(t *testing.T) {
	wiretest.RunOpen(t, check(KindTracker), []wiretest.Case[Tracker]{vectorCase(t, "ssl-tracker.txt", "kick", Tracker{
		UUID: []byte("b2f4"), SourceName: []byte("TIGERs"), HasFrame: true, Frame: TrackedFrame{
			Number: 90210, Timestamp: 1790000000.25,
			Balls: []TrackedBall{{X: 1.25, Y: -0.5, Z: 0.021, HasVelocity: true, VX: 3, VY: -2, VZ: 0.5,
				HasVisibility: true, Visibility: 1}, {X: -4, Y: 2}},
			Robots: []TrackedRobot{{Team: Yellow, X: -5.5, Y: 0.25, Orientation: 0.5, HasVelocity: true, VX: 0.25,
				HasAngular: true, Angular: -1, HasVisibility: true, Visibility: 0.5},
				{ID: 11, Team: Blue, X: 2, Y: 3, Orientation: -3}},
			HasKicked: true, Kicked: KickedBall{X: 1, Y: -0.25, VX: 4, VY: -2.5, VZ: 0.75, Start: 1790000000.125,
				HasStop: true, Stop: 1790000004.5, HasStopPlace: true, StopX: 4.5, StopY: -2, HasRobot: true, ID: 3,
				Team: Yellow}}})})
}

func TestRefereeStruct(t *testing.T) {
	wiretest.RunOpen(t, check(KindReferee), []wiretest.Case[Referee]{vectorCase(t, "ssl-referee.txt", "placement", Referee{
		Source: []byte("6f1c1a2e-6b0e-4d60-9f4e-000000000001"), MatchType: 2, PacketTime: 1790000000123456,
		Stage: SecondHalf, HasStageTime: true, StageTimeLeft: -1500000, Command: PlacementBlue, CommandCounter: 7,
		CommandTime: 1789999999000000, HasPlace: true, PlaceX: -4200.5, PlaceY: 2800, HasBluePositive: true,
		BluePositive: true, HasNext: true, NextCommand: DirectBlue, HasActionTime: true, ActionTimeLeft: 29500000,
		StatusMessage: []byte("Ball placement by blue"),
		Yellow: TeamInfo{Name: []byte("ER-Force"), Score: 2, RedCards: 1, YellowCardTimes: []uint32{5000000, 119000000},
			YellowCards: 3, Timeouts: 4, TimeoutTime: 300000000, FoulCounter: 5, PlacementFailures: 2, CanPlaceBall: true,
			MaxAllowedBots: 9, SubstitutionIntent: true, PlacementFailuresReached: true, SubstitutionAllowed: true,
			SubstitutionsLeft: 4, SubstitutionTimeLeft: 10000000, HullColor: 2},
		Blue: TeamInfo{Name: []byte("TIGERs Mannheim"), Timeouts: 4, TimeoutTime: 300000000, Goalkeeper: 11,
			HullColor: 1, YellowCardTimes: nil}})})
}

func TestRobotControlStruct(t *testing.T) {
	wiretest.RunOpen(t, check(KindRobotControl), []wiretest.Case[RobotControl]{vectorCase(t, "ssl-robot-control.txt", "three",
		RobotControl{Commands: []RobotCommand{
			{HasMove: true, HasLocal: true, Local: [3]float32{1, -0.5, 2}, HasKickSpeed: true, KickSpeed: 6, KickAngle: 45,
				HasKickAngle: true, HasDribbler: true, DribblerSpeed: 1000},
			{ID: 1, HasMove: true, HasGlobal: true, Global: [3]float32{0.25, 0, -1}},
			{ID: 15, HasMove: true, HasWheels: true, Wheels: [4]float32{1, 2, -3, -4}},
			{ID: 2, HasKickSpeed: true, HasDribbler: true}}})})
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		to, file string
		want     Kind
		known    bool
	}{
		{TrackerGroup, "ssl-tracker.txt", KindTracker, true}, {RefereeGroup, "ssl-referee.txt", KindReferee, true},
		{"127.0.0.1:10300", "ssl-simulator-command.txt", KindSimulatorCommand, true},
		{"127.0.0.1:10302", "ssl-robot-control.txt", KindRobotControl, true},
		{"127.0.0.1:10300", "ssl-sync-request.txt", KindSyncRequest, true},
		{"127.0.0.1:10301", "ssl-sync-request.txt", KindSyncRequest, true},
		{"224.5.23.2:10003", "firasim-referee.txt", 0, false},
	} {
		for _, v := range vectors(t, c.file) {
			if got, known := KindOf(netip.MustParseAddrPort(c.to), v.Data); (got != c.want || known != c.known) && v.Name != "empty" {
				t.Errorf("%s %s: got %v, %v", c.to, v.Name, got, known)
			}
		}
	}
	for file, want := range map[string]Kind{"ssl-tracker.txt": KindTracker, "ssl-referee.txt": KindReferee, "ssl-vision.txt": KindVision} {
		for _, v := range vectors(t, file)[:2] {
			if got, known := Guess(v.Data); got != want || !known {
				t.Errorf("%s %s: got %v, %v", file, v.Name, got, known)
			}
		}
	}
}

// fuzz fuzzes a kind with the vectors of a file.
func fuzz[T any, M wiretest.Message[T]](f *testing.F, file string, k Kind) {
	var seeds [][]byte
	for _, v := range vectors(f, file) {
		seeds = append(seeds, v.Data)
	}
	wiretest.Fuzz[T, M](f, check(k), seeds...)
}

func FuzzVision(f *testing.F)  { fuzz[Vision](f, "ssl-vision.txt", KindVision) }
func FuzzTracker(f *testing.F) { fuzz[Tracker](f, "ssl-tracker.txt", KindTracker) }
func FuzzReferee(f *testing.F) { fuzz[Referee](f, "ssl-referee.txt", KindReferee) }
func FuzzSimulatorCommand(f *testing.F) {
	fuzz[SimulatorCommand](f, "ssl-simulator-command.txt", KindSimulatorCommand)
}
func FuzzRobotControl(f *testing.F) { fuzz[RobotControl](f, "ssl-robot-control.txt", KindRobotControl) }
func FuzzSyncRequest(f *testing.F)  { fuzz[SyncRequest](f, "ssl-sync-request.txt", KindSyncRequest) }
func FuzzSyncResponse(f *testing.F) { fuzz[SyncResponse](f, "ssl-sync-response.txt", KindSyncResponse) }

func TestObserve(t *testing.T) {
	var m Tracker
	if err := m.UnmarshalBinary(vectors(t, "ssl-tracker.txt")[0].Data); err != nil {
		t.Fatal(err)
	}
	var s Scene
	if err := m.Observe(&s); err != nil || s.Time != 1790000000250000000 || s.Ball.X != 1.25 || s.Ball.Y != -0.5 ||
		!slices.Equal(s.Robots, []SceneRobot{{Yellow, 0, soccer.Pose{X: -5.5, Y: 0.25, Theta: 0.5}},
			{Blue, 11, soccer.Pose{X: 2, Y: 3, Theta: -3}}}) {
		t.Errorf("got %+v, %v", s, err)
	}
	m.Frame.Robots[1].X = float32(math.NaN())
	if err := m.Observe(&s); err == nil || !strings.Contains(err.Error(), "BLUE 11") || len(s.Robots) > 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	v := Vision{HasDetection: true, Detection: Detection{Captured: 1.5, Balls: []VisionBall{{Confidence: 0.5, X: 9},
		{Confidence: 0.75, X: -1234.5, Y: 21.5}}, Blue: []VisionBot{{HasID: true, ID: 3, X: 100}, {X: 7}}}}
	if err := v.Observe(&s); err != nil || s.Ball.X != -1.2345 || s.Ball.Y != 0.0215 ||
		!slices.Equal(s.Robots, []SceneRobot{{Blue, 3, soccer.Pose{X: 0.1}}}) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestFieldOf(t *testing.T) {
	f := soccer.Field{Name: "SSL 9 x 6 m", Length: 9, Width: 6, Border: 0.3, LineWidth: 0.01, GoalWidth: 1,
		GoalHeight: 0.155, GoalDepth: 0.18, PenaltyAreaLength: 1, PenaltyAreaWidth: 2, PenaltySpot: 6, CircleRadius: 0.5}
	g := GeometryOf(&f, 0.0215)
	if got := FieldOf(&g); got != f || g.BallRadius != 21.5 || len(g.Lines) != 12 {
		t.Errorf("got %+v, %+v", got, g)
	}
	m := Vision{HasGeometry: true, Geometry: g}
	if b, err := m.AppendBinary(nil); err != nil || len(b) > 1400 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

func TestIsField(t *testing.T) {
	a := Geometry{Length: 12000, Width: 9000, GoalWidth: 1800, GoalDepth: 180, Boundary: 300, PenaltyDepth: 1800,
		PenaltyWidth: 3600, CircleRadius: 500, PenaltyMark: 8000}
	for _, g := range []Geometry{{}, a, {Length: 2000, Width: 1500}} {
		if f := FieldOf(&g); !IsField(&f) {
			t.Errorf("%+v: want a field", f)
		}
	}
	for _, change := range []func(*Geometry){
		func(g *Geometry) { g.Length = 200_000 }, func(g *Geometry) { g.Boundary = math.MaxInt32 },
		func(g *Geometry) { g.GoalWidth = 9000 }, func(g *Geometry) { g.PenaltyDepth = 13000 },
		func(g *Geometry) { g.CircleRadius = 1e6 }, func(g *Geometry) { g.LineThickness = 1e6 },
	} {
		g := a
		change(&g)
		if f := FieldOf(&g); IsField(&f) {
			t.Errorf("%+v: want no field", f)
		}
	}
}
