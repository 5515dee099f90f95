package hsl_test

import (
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/hsl"
	"touchline/wire/wiretest"
)

func vectors(t testing.TB, name string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", "hsl-"+name+".txt"))
}

// check returns Check for one kind of message. It panics if the byte table does not cover every byte.
func check(kind hsl.Kind) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue {
		end := 0
		for _, f := range hsl.Fields(kind, b) {
			if f.Offset != end || f.Len == 0 || f.Name == "" || f.Value == "" {
				panic("a field without a place")
			}
			end += f.Len
		}
		if end != len(b) {
			panic("the byte table does not cover every byte")
		}
		return hsl.Check(kind, b)
	}
}

func TestControl(t *testing.T)   { testVectors[hsl.Control](t, "control", hsl.KindControl) }
func TestTrueState(t *testing.T) { testVectors[hsl.Control](t, "true-state", hsl.KindTrueState) }
func TestReturn(t *testing.T)    { testVectors[hsl.Return](t, "return", hsl.KindReturn) }
func TestForward(t *testing.T)   { testVectors[hsl.Forward](t, "forward", hsl.KindForward) }
func TestRequest(t *testing.T)   { testVectors[hsl.Request](t, "request", hsl.KindRequest) }

// testVectors checks that each vector decodes to its contents and has its faults, that the codec writes each vector
// without faults, and that it refuses to write the others.
func testVectors[T comparable, M wiretest.Message[T]](t *testing.T, name string, kind hsl.Kind) {
	var good []wiretest.Case[T]
	for _, v := range vectors(t, name) {
		t.Run(v.Name, func(t *testing.T) {
			want, decoded := wiretest.Decodes[T, M](t, check(kind), &v)
			if !decoded {
				return
			}
			violation := slices.ContainsFunc(v.Issues, func(i string) bool {
				return strings.HasPrefix(i, "issue") && !strings.HasSuffix(i, "trailing")
			})
			switch b, err := M(&want).AppendBinary([]byte("x")); {
			case len(v.Issues) == 0:
				good = append(good, wiretest.Case[T]{Name: v.Name, Msg: want, Hex: hex.EncodeToString(v.Data)})
			case violation != (err != nil), violation && string(b) != "x":
				t.Errorf("violation %v, but the codec writes % x: %v", violation, b, err)
			}
		})
	}
	if len(good) == 0 {
		t.Error("no vector without faults")
	}
	wiretest.Run[T, M](t, check(kind), good)
}

// TestVersions names what an older and a newer struct mean for the reader.
func TestVersions(t *testing.T) {
	texts := map[string]string{
		"control-version-18": "older struct of a GameController before March 2026",
		"control-version-20": "newer than version 19",
		"return-version-3":   "an older struct, which the GameController drops",
		"return-version-5":   "newer than version 4",
	}
	for _, name := range []string{"control", "return"} {
		for _, v := range vectors(t, name) {
			want := texts[v.Name]
			if want == "" {
				continue
			}
			delete(texts, v.Name)
			kind, ok := hsl.Identify(0, v.Data)
			if issues := hsl.Check(kind, v.Data); !ok || len(issues) != 1 || !strings.Contains(issues[0].Text, want) {
				t.Errorf("%s: got %v, want %q", v.Name, issues, want)
			}
			fields := hsl.Fields(kind, v.Data)
			if len(fields) != 3 || fields[1].Name != "version" || fields[2].Name != "unreadable" {
				t.Errorf("%s: fields %+v, want header, version and the rest", v.Name, fields)
			}
			var c hsl.Control
			var r hsl.Return
			if err := errors.Join(c.UnmarshalBinary(v.Data), r.UnmarshalBinary(v.Data)); !errors.Is(err, hsl.ErrVersion) {
				t.Errorf("%s: got %v, want ErrVersion", v.Name, err)
			}
		}
	}
	if len(texts) > 0 {
		t.Errorf("no vectors %v", texts)
	}
}

// TestPhases says in words what is wrong with timeouts and penalty shots.
func TestPhases(t *testing.T) {
	messages := map[string][]byte{}
	for _, v := range vectors(t, "true-state") {
		messages[strings.TrimPrefix(v.Name, "true-state-written-")] = v.Data
	}
	const left, right = 18, 18 + 90
	for _, c := range []struct {
		of    string
		at    int
		bytes []byte
		want  string // of the issue at the changed byte; "": none
		note  bool
	}{
		{"timeout", 9, []byte{4}, "4 has no meaning: want 0 to 3", false},
		{"timeout", 11, []byte{4}, "throw-in in a timeout: want none", false},
		{"timeout", 16, []byte{0xff, 0xff}, "-1 s: the timeout should have ended 1 s ago", true},
		{"timeout", 16, []byte{0, 0x80}, "-32768 s: the timeout should have ended 32768 s ago", true},
		{"half-time", 16, []byte{0xfe, 0xff}, "-2 s: the break should have ended 2 s ago", true},
		{"ready", 16, []byte{0xfe, 0xff}, "-2 s: ready time and the time for a set play end at 0", false},
		{"shot-8", 10, []byte{1}, "ready in a penalty shoot-out, in which set begins a shot", false},
		{"shot-8", 12, []byte{1}, "1 in a penalty shoot-out: want 0", false},
		{"shot-8", 13, []byte{255}, "255: in a penalty shoot-out one of the teams shoots", false},
		{"shot-8", left + 5, []byte{5}, "", false},
		{"shot-8", left + 5, []byte{7}, "7: a team has 3 shots, and 3 more in sudden death", true},
		{"shot-8", left + 5, []byte{17}, "17: singleShots has a bit for each of 16 shots", false},
		{"shot-8", left + 5, []byte{255}, "255: singleShots has a bit for each of 16 shots", false},
		{"shot-8", right + 5, []byte{6}, "6, but the other team has had 4 shots: they shoot in turn", true},
		{"shot-8", left + 6, []byte{16, 0}, "shot 5 was a goal, but the team has had 4", false},
		{"shot-8", right + 6, []byte{255, 255}, "shot 16 was a goal, but the team has had 4", false},
		{"shot-8", left + 10, []byte{0}, "2 take part in a penalty shot: want one, the others are substitutes", false},
		{"ready", left + 5, []byte{1}, "1, but the phase is normal: shots belong to the penalty shoot-out", false},
		{"extra-time-second-half", left + 5, []byte{2}, "2, but the phase is extra time: shots belong", false},
	} {
		b := slices.Clone(messages[c.of])
		copy(b[c.at:], c.bytes)
		issues := check(hsl.KindTrueState)(b)
		found := slices.ContainsFunc(issues, func(i wire.Issue) bool {
			return i.Offset == c.at && i.Note == c.note && strings.HasPrefix(i.Text, c.want)
		})
		if found != (c.want != "") || c.want == "" && len(issues) > 0 {
			t.Errorf("%s, % x at %d: %v, want %q", c.of, c.bytes, c.at, issues, c.want)
		}
	}
}

// TestTeamMessages checks their size only: the format is the team's own.
func TestTeamMessages(t *testing.T) {
	for _, v := range vectors(t, "team") {
		if got := wiretest.Issues(check(hsl.KindTeam)(v.Data)); !slices.Equal(got, v.Issues) {
			t.Errorf("%s: got %q, want %q", v.Name, got, v.Issues)
		}
	}
}

func TestIdentify(t *testing.T) {
	kinds := map[string]hsl.Kind{
		"control": hsl.KindControl, "true-state": hsl.KindTrueState, "return": hsl.KindReturn, "forward": hsl.KindForward,
		"request": hsl.KindRequest,
	}
	for name, kind := range kinds {
		v := vectors(t, name)[0]
		for _, port := range []uint16{0, hsl.ForwardPort} {
			if got, ok := hsl.Identify(port, v.Data); !ok || got != kind {
				t.Errorf("%s to port %d: got %v, %v", v.Name, port, got, ok)
			}
		}
	}
	for _, c := range []struct {
		port uint16
		data string
		want hsl.Kind
		ok   bool
	}{
		{10000, "abc", 0, false}, {10001, "abc", hsl.KindTeam, true}, {10254, "", hsl.KindTeam, true},
		{10255, "abc", 0, false}, {0, "abc", 0, false}, {3838, "RGm", 0, false}, {hsl.ForwardPort, "1234RGr", 0, false},
		{0, "1234RGrt", 0, false}, {hsl.ForwardPort, "1234RGrt", hsl.KindForward, true},
	} {
		if got, ok := hsl.Identify(c.port, []byte(c.data)); got != c.want || ok != c.ok {
			t.Errorf("port %d, %q: got %v, %v, want %v, %v", c.port, c.data, got, ok, c.want, c.ok)
		}
	}
	if hsl.Fields(99, []byte{1}) != nil || len(hsl.Check(99, []byte{1})) != 1 {
		t.Error("kind 99 has fields, or no issue")
	}
}

// TestDocument compares the byte tables of docs/hsl.md with Fields.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "hsl.md"))
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^\| offset `).Split(string(text), -1)
	if len(parts) != 4 {
		t.Fatalf("docs/hsl.md has %d byte tables, want those of the control message, its teams and the return message", len(parts)-1)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) \| (\w+) \|`)
	control := hsl.Fields(hsl.KindControl, vectors(t, "control")[0].Data)
	for i, table := range []struct {
		fields []wire.Field
		start  int
		prefix string
		end    int
	}{{control, 0, "", 198}, {control, 18, "teams[0].", 108}, {hsl.Fields(hsl.KindReturn, vectors(t, "return")[0].Data), 0, "", 32}} {
		at := table.start
		for _, m := range row.FindAllStringSubmatch(parts[i+1], -1) {
			offset, _ := strconv.Atoi(m[1])
			size, _ := strconv.Atoi(m[2])
			k := slices.IndexFunc(table.fields, func(f wire.Field) bool { return f.Offset == at })
			if offset += table.start; offset != at || k < 0 || !strings.HasPrefix(table.fields[k].Name, table.prefix+m[3]) {
				t.Errorf("docs/hsl.md has %s at %d, after a row that ends at %d", m[3], offset, at)
			}
			at = offset + size
		}
		if at != table.end {
			t.Errorf("table %d of docs/hsl.md ends at %d, want %d", i, at, table.end)
		}
	}
}

func TestObserve(t *testing.T) {
	var p soccer.Percepts
	m := hsl.Return{Player: 3, Team: 24, X: -1500, Y: 2000, Theta: math.Pi / 2, BallAge: 0.25, BallX: 1000, BallY: -500}
	age, err := m.Observe(&p)
	if err != nil || age != 250*time.Millisecond || len(p.Balls) != 1 {
		t.Fatalf("got %v, %v, %+v", age, err, p)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	self, ball := p.Self.Pose, p.Balls[0].Position
	if !near(self.X, -1.5) || !near(self.Y, 2) || !near(self.Theta, math.Pi/2) {
		t.Errorf("pose %+v, want -1.5 m, 2 m, a quarter turn", self)
	}
	if !near(ball.X, -1) || !near(ball.Y, 3) {
		t.Errorf("ball %+v, want -1 m, 3 m: ahead of the robot is +y, to its right +x", ball)
	}
	m.BallAge, m.BallX = -1, float32(math.Inf(1))
	if _, err := m.Observe(&p); err != nil || len(p.Balls) != 0 {
		t.Errorf("a ball that was never seen: %v, %+v", err, p.Balls)
	}
	nan := float32(math.NaN())
	for name, m := range map[string]hsl.Return{
		"pose.x": {X: nan}, "pose.y": {Y: 30_000}, "pose.theta": {Theta: float32(math.Inf(-1))}, "ballAge": {BallAge: 1e6},
		"ball.x": {BallX: nan}, "ball.y": {BallY: -30_000},
	} {
		if _, err := m.Observe(&p); err == nil || !strings.Contains(err.Error(), name) || p.Self.Known {
			t.Errorf("%s: got error %v and %+v", name, err, p.Self)
		}
	}
}

// TestNames prints every name, and numbers without one.
func TestNames(t *testing.T) {
	var got []string
	for _, s := range []interface{ String() string }{
		hsl.Large, hsl.Timeout, hsl.Playing, hsl.SetPlay(6), hsl.Color(9), hsl.Penalty(11), hsl.KindTeam, hsl.State(5),
		hsl.Kind(9),
	} {
		got = append(got, s.String())
	}
	want := []string{
		"large", "timeout", "playing", "corner kick", "gray", "substitute", "team message", "state 5", "kind 9",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzControl(f *testing.F)   { fuzz[hsl.Control](f, "control", hsl.KindControl) }
func FuzzTrueState(f *testing.F) { fuzz[hsl.Control](f, "true-state", hsl.KindTrueState) }
func FuzzReturn(f *testing.F)    { fuzz[hsl.Return](f, "return", hsl.KindReturn) }
func FuzzForward(f *testing.F)   { fuzz[hsl.Forward](f, "forward", hsl.KindForward) }

func fuzz[T any, M wiretest.Message[T]](f *testing.F, name string, kind hsl.Kind) {
	var seeds [][]byte
	for _, v := range vectors(f, name) {
		seeds = append(seeds, v.Data)
	}
	wiretest.Fuzz[T, M](f, check(kind), seeds...)
}

// BenchmarkControl encodes and decodes a control message.
func BenchmarkControl(b *testing.B) {
	var m hsl.Control
	if err := m.UnmarshalBinary(vectors(b, "control")[0].Data); err != nil {
		b.Fatal(err)
	}
	benchmark(b, &m)
}

// BenchmarkReturn encodes and decodes a return message, which 40 robots send twice a second.
func BenchmarkReturn(b *testing.B) {
	benchmark(b, &hsl.Return{Player: 3, Team: 24, X: -1500, Y: 2250, Theta: 1.5, BallAge: 0.25, BallX: 820, BallY: -310})
}

func benchmark[T comparable, M wiretest.Message[T]](b *testing.B, m M) {
	var buf []byte
	var got T
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
		if err = M(&got).UnmarshalBinary(buf); err != nil {
			b.Fatal(err)
		}
	}
	if got != *m {
		b.Errorf("got %+v, want %+v", got, *m)
	}
}

// BenchmarkCheck looks for the faults of a return message.
func BenchmarkCheck(b *testing.B) {
	data := vectors(b, "return")[0].Data
	b.ReportAllocs()
	for b.Loop() {
		if issues := hsl.Check(hsl.KindReturn, data); len(issues) > 0 {
			b.Fatal(issues)
		}
	}
}
