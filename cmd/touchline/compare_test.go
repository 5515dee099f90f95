package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/analysis"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// copied writes the messages of a log to a new one, each as change returns it, and returns its path.
func copied(t testing.TB, from string, change func(n int, m matchlog.Message) []matchlog.Message) string {
	t.Helper()
	l, err := matchlog.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	path := filepath.Join(t.TempDir(), "b.mcap")
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	w, err := matchlog.CreatePacked(path, l.Info().Meta)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	for m, err := range l.Messages(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		numbers[m.Channel]++
		m.Data = bytes.Clone(m.Data)
		for _, m := range change(numbers[m.Channel], m) {
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// planted copies a log with a change of one message of a channel.
func planted(t testing.TB, from, channel string, number int, change func(m matchlog.Message) []matchlog.Message) string {
	return copied(t, from, func(n int, m matchlog.Message) []matchlog.Message {
		if m.Channel == channel && n == number {
			return change(m)
		}
		return []matchlog.Message{m}
	})
}

// recordMatch records a short match.
func recordMatch(t testing.TB, path string, args ...string) {
	t.Helper()
	if _, errs, code := touchline(t, append([]string{"match", "--quiet", "--record", path}, args...)...); code != 0 {
		t.Fatal(errs)
	}
}

// compareJSONOf runs compare with --json.
func compareJSONOf[T any](t testing.TB, want int, args ...string) (r T, errs string) {
	t.Helper()
	out, errs, code := touchline(t, append([]string{"compare", "--json"}, args...)...)
	if code != want {
		t.Fatalf("compare %s: exit %d, want %d: %s", strings.Join(args, " "), code, want, errs)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("compare %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return r, errs
}

// TestCompareLogs compares a record of a match with others and with changed copies of itself.
func TestCompareLogs(t *testing.T) {
	a := filepath.Join(t.TempDir(), "a.mcap")
	recordMatch(t, a, "--seed", "3", "--half", "1s")
	t.Run("equal", func(t *testing.T) { testCompareEqual(t, a) })
	t.Run("planted", func(t *testing.T) { testComparePlanted(t, a) })
	t.Run("parts", func(t *testing.T) { testCompareParts(t, a) })
}

// Two records of one seed are equal, and so is a log with itself.
func testCompareEqual(t *testing.T, a string) {
	b := filepath.Join(t.TempDir(), "b.mcap")
	recordMatch(t, b, "--seed", "3", "--half", "1s")
	for _, other := range []string{a, b} {
		r, _ := compareJSONOf[comparedLogs](t, 0, a, other)
		if !r.Equal || r.First != nil || r.Messages == 0 || len(r.Metadata) != 0 || len(r.Figures) < 20 || len(r.Notes) != 0 {
			t.Errorf("got %+v", r)
		}
		for _, f := range r.Figures {
			if d := f.Home.Difference; d != nil && *d != 0 {
				t.Errorf("%s differs by %v", f.Name, *d)
			}
		}
	}
}

// The first difference is found whatever was planted: a byte of a datagram, a member of JSON, a message that is missing.
func testComparePlanted(t *testing.T, a string) {
	one := func(change func(m *matchlog.Message)) func(matchlog.Message) []matchlog.Message {
		return func(m matchlog.Message) []matchlog.Message {
			change(&m)
			return []matchlog.Message{m}
		}
	}
	replace := func(old, new string) func(matchlog.Message) []matchlog.Message {
		return one(func(m *matchlog.Message) {
			i := bytes.Index(m.Data, []byte(old))
			if i < 0 {
				t.Fatalf("%s does not hold %s", m.Data, old)
			}
			m.Data = append(append(bytes.Clone(m.Data[:i]), new...), m.Data[i+len(old):]...)
		})
	}
	for _, c := range []struct {
		name, channel string
		change        func(matchlog.Message) []matchlog.Message
		want          logDifference
	}{
		{"bit of the sequence number in a TCM datagram", matchlog.TCM, one(func(m *matchlog.Message) { m.Data[packetAt(t, *m)+16] ^= 0x40 }),
			logDifference{Kind: differs, contentDifference: contentDifference{Protocol: "TCM datagram", Byte: 16, Field: "sequence"}}},
		{"member of a robot in the truth", matchlog.Truth, replace(`"theta":`, `"theta":7`),
			logDifference{Kind: differs, contentDifference: contentDifference{Protocol: "JSON", Team: "home", Robot: "robot 1", Field: "robots[0].pose.theta"}}},
		{"name of a member", matchlog.Truth, replace(`"ball"`, `"bell"`),
			logDifference{Kind: differs, contentDifference: contentDifference{Protocol: "JSON", Field: "ball", B: nothing}}},
		{"blank in JSON", matchlog.States, replace(`{`, `{ `), logDifference{Kind: differs, contentDifference: contentDifference{Protocol: "JSON", Byte: 1}}},
		{"missing message", matchlog.TCM, func(matchlog.Message) []matchlog.Message { return nil }, logDifference{Kind: missingIn, In: "b"}},
		{"message too many", matchlog.Truth, func(m matchlog.Message) []matchlog.Message { return []matchlog.Message{m, m} },
			logDifference{Kind: missingIn, In: "a", Message: 8}},
		{"time", matchlog.Truth, one(func(m *matchlog.Message) { m.Published++ }), logDifference{Kind: timed}},
		{"message that came later", matchlog.States, one(func(m *matchlog.Message) { m.Time++; m.Published++ }), logDifference{Kind: missingIn, In: "b"}},
	} {
		b := planted(t, a, c.channel, 7, c.change)
		r, _ := compareJSONOf[comparedLogs](t, 1, a, b, "--metrics", "none")
		d := r.First
		if r.Equal || d == nil || r.Messages == 0 {
			t.Errorf("%s: got %+v", c.name, r)
			continue
		}
		w := &c.want
		if d.Kind != w.Kind || d.In != w.In || d.Channel != c.channel || d.Message != max(w.Message, 7) ||
			w.Protocol != "" && d.Protocol != w.Protocol || w.Field != "" && d.Field != w.Field || w.Byte > 0 && d.Byte != w.Byte ||
			w.Robot != "" && d.Robot != w.Robot || w.Team != "" && d.Team != w.Team || w.B != "" && d.B != w.B {
			t.Errorf("%s: got %+v, want %+v", c.name, *d, *w)
		}
		if d.Kind == differs && (d.A == d.B || d.Byte < 0 || d.Protocol == "TCM datagram" && d.Robot == "") {
			t.Errorf("%s: got %+v", c.name, *d)
		}
		t.Log(d.Text)
		if r, _ := compareJSONOf[comparedLogs](t, 0, a, b, "--metrics", "none", "--skip", c.channel); !r.Equal {
			t.Errorf("%s: with --skip %s the logs differ: %+v", c.name, c.channel, r.First)
		}
		if back, _ := compareJSONOf[comparedLogs](t, 1, b, a, "--metrics", "none"); back.First.Seconds != d.Seconds || back.First.Kind != d.Kind ||
			d.B != nothing && (back.First.A != d.B || back.First.B != d.A) {
			t.Errorf("%s: the other way round %+v", c.name, back.First)
		}
	}
}

// The first difference of two datagrams: a field with its robot and team, the destination, the sender, the size, other bytes.
func TestComparePackets(t *testing.T) {
	v2 := mixedteam.PackageV2{TeamColor: 1, OriginalTeamID: 39, RobotID: 4}
	v2.Self.XMillimetres = 1500
	a, err := v2.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	v2.Self.XMillimetres++
	b, err := v2.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	group, from := "224.16.32.75:2005", netip.MustParseAddrPort("172.16.39.4:2005")
	for _, c := range []struct {
		name     string
		one, two soccer.Packet
		want     contentDifference
	}{
		{"field", soccer.Packet{Channel: group, From: from, Data: a}, soccer.Packet{Channel: group, From: from, Data: b},
			contentDifference{Protocol: "mixed team package", Team: "magenta", Robot: "robot 4", Field: "self-loc.x", A: "1500 mm", B: "1501 mm"}},
		{"destination", soccer.Packet{Channel: group, From: from, Data: a}, soccer.Packet{Channel: "10.0.0.1:2005", From: from, Data: a},
			contentDifference{Protocol: "mixed team package", Team: "magenta", Robot: "robot 4", Byte: -1, Field: "destination", A: group, B: "10.0.0.1:2005"}},
		{"sender", soccer.Packet{Channel: group, From: from, Data: a}, soccer.Packet{Channel: group, Data: a},
			contentDifference{Protocol: "mixed team package", Team: "magenta", Robot: "robot 4", Byte: -1, Field: "sender", A: from.String(), B: "unknown"}},
		{"size", soccer.Packet{Channel: group, From: from, Data: a, Size: 300}, soccer.Packet{Channel: group, From: from, Data: a, Size: 301},
			contentDifference{Protocol: "mixed team package", Team: "magenta", Robot: "robot 4", Byte: -1, Field: "size", A: "300", B: "301"}},
		{"unknown bytes", soccer.Packet{Channel: "10.0.0.1:9", From: from, Data: []byte("\x01\x02")}, soccer.Packet{Channel: "10.0.0.1:9", From: from, Data: []byte("\x01\x03")},
			contentDifference{Byte: 1, A: "0x02", B: "0x03"}},
		{"end", soccer.Packet{Channel: "10.0.0.1:9", From: from, Data: []byte("abc")}, soccer.Packet{Channel: "10.0.0.1:9", From: from, Data: []byte("ab")},
			contentDifference{Byte: 2, A: `"c"`, B: nothing}},
	} {
		got := compareContents(matchlog.Packets, matchlog.AppendPacket(nil, &c.one), matchlog.AppendPacket(nil, &c.two))
		if c.want.Field == "self-loc.x" {
			c.want.Byte = firstByte(a, b)
		}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := compareContents(matchlog.Packets, []byte("x"), []byte("y")); got.Byte != 0 || got.A != `"x"` {
		t.Errorf("no packet: got %+v", got)
	}
}

// The first member that differs in JSON, also where one text has more members, or is no JSON.
func TestCompareJSON(t *testing.T) {
	for _, c := range []struct{ a, b, field, x, y string }{
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, "b", "2", "3"},
		{`{"a":1}`, `{"a":1,"b":3}`, "b", nothing, "3"},
		{`{"a":1,"b":3}`, `{"b":3}`, "a", "1", nothing},
		{`{"b":3}`, `{"a":[1],"b":3}`, "a", nothing, "a list of 1"},
		{`{"l":[1,2]}`, `{"l":[1,2,{"c":4}]}`, "l[2]", nothing, "an object of 1 members"},
		{`{"l":[1,2]}`, `{"l":[1]}`, "l[1]", "2", nothing},
		{`{"l":[[0,{"x":1.0}]]}`, `{"l":[[0,{"x":1}]]}`, "l[0][1].x", "1.0", "1"},
		{`{"l":null}`, `{"l":{}}`, "l", "null", "an object of 0 members"},
		{`{"a/b~":true}`, `{"a/b~":false}`, "a/b~", "true", "false"},
		{`7`, `8`, "", "7", "8"},
		{`{"a": 1}`, `{"a":1}`, "", "", ""},
	} {
		got := compareContents("topic/x", []byte(c.a), []byte(c.b))
		if got.Protocol != "JSON" || got.Field != c.field || c.x != "" && (got.A != c.x || got.B != c.y) {
			t.Errorf("%s and %s: got %+v", c.a, c.b, got)
		}
	}
	if got := compareContents("home", []byte(`{"a":`), []byte(`{"a"]`)); got.Protocol != "" || got.Byte != 4 || got.Team != "home" {
		t.Errorf("broken JSON: got %+v", got)
	}
}

// packetAt returns the place of the datagram in a message.
func packetAt(t testing.TB, m matchlog.Message) int {
	p, err := matchlog.ParsePacket(m)
	if err != nil {
		t.Fatal(err)
	}
	return len(m.Data) - len(p.Data)
}

// A log that ends earlier, two recordings whose clocks differ, and damage.
func testCompareParts(t *testing.T, a string) {
	short := copied(t, a, func(_ int, m matchlog.Message) []matchlog.Message {
		if m.Time.Sub(soccer.Epoch) > 1500*time.Millisecond {
			return nil
		}
		return []matchlog.Message{m}
	})
	r, _ := compareJSONOf[comparedLogs](t, 1, a, short, "--metrics", "none")
	if d := r.First; d.Kind != missingIn || d.In != "b" || d.Seconds < 1.5 || d.Seconds > 1.6 || !strings.Contains(d.Text, "has ended") {
		t.Errorf("shorter: got %+v", *d)
	}
	shifted := copied(t, a, func(n int, m matchlog.Message) []matchlog.Message {
		m.Time += soccer.Time(n % 3 * 1e6)
		m.Published = m.Time
		return []matchlog.Message{m}
	})
	if r, _ := compareJSONOf[comparedLogs](t, 1, a, shifted, "--metrics", "none"); r.First.Kind != missingIn {
		t.Errorf("other times: got %+v", *r.First)
	}
	compareJSONOf[comparedLogs](t, 0, a, shifted, "--metrics", "none", "--tolerance", "2ms")
	changed := planted(t, shifted, matchlog.Truth, 9, func(m matchlog.Message) []matchlog.Message {
		m.Data = bytes.Replace(m.Data, []byte(`"number":4`), []byte(`"number":5`), 1)
		return []matchlog.Message{m}
	})
	r, _ = compareJSONOf[comparedLogs](t, 1, a, changed, "--metrics", "none", "--tolerance", "2ms")
	if d := r.First; d.Kind != differs || d.Field != "robots[3].number" || d.Channel != matchlog.Truth || d.A != "4" || d.B != "5" {
		t.Errorf("within the tolerance: got %+v", *d)
	}
	later := copied(t, a, func(_ int, m matchlog.Message) []matchlog.Message {
		m.Time, m.Published = m.Time.Add(time.Hour), m.Time.Add(time.Hour)
		return []matchlog.Message{m}
	})
	compareJSONOf[comparedLogs](t, 0, a, later, "--metrics", "none")
	data, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/3] ^= 1
	damaged := filepath.Join(t.TempDir(), "damaged.mcap")
	if err := os.WriteFile(damaged, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ = compareJSONOf[comparedLogs](t, 1, a, damaged, "--metrics", "none")
	if r.First == nil || len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "damaged.mcap: ") {
		t.Errorf("damaged: got %+v", r)
	}
}

// Logs of other programs, and of two matches.
func TestCompareOtherLogs(t *testing.T) {
	single(t)
	zip := wiretest.Data(t, "refbox-2016-excerpt/test_log2.zip")
	r, _ := compareJSONOf[comparedLogs](t, 0, zip, zip, "--metrics", "possession")
	if !r.Equal || len(r.Figures) != 1 || r.Messages < 100 {
		t.Errorf("got %+v", r)
	}
	var number int
	b := copied(t, zip, func(n int, m matchlog.Message) []matchlog.Message {
		if i := bytes.LastIndex(m.Data, []byte(`"batteryLevel"`)); m.Channel == matchlog.Away && i > 0 && number == 0 && n > 20 {
			number = n
			m.Data[bytes.IndexAny(m.Data[i+14:], "0123456789")+i+14] ^= 1
		}
		return []matchlog.Message{m}
	})
	r, _ = compareJSONOf[comparedLogs](t, 1, zip, b, "--metrics", "none")
	d := r.First
	if d == nil || d.Channel != matchlog.Away || d.Message != uint64(number) || d.Team != "away" || !strings.HasPrefix(d.Robot, "robot ") ||
		!strings.HasSuffix(d.Field, ".batteryLevel") {
		t.Errorf("got %+v, want a battery in message %d of away", d, number)
	}
	t.Log(d.Text)
	one, two := filepath.Join(t.TempDir(), "1.mcap"), filepath.Join(t.TempDir(), "2.mcap")
	recordMatch(t, one, "--seed", "1", "--half", "1s")
	recordMatch(t, two, "--seed", "2", "--half", "1s", "--home-name", "Lions")
	out, _, code := touchline(t, "compare", one, two, "--metrics", "driven,xg")
	if code != 1 || !strings.Contains(out, "driven by each robot") || !strings.Contains(out, "metadata, match.seed: 1 and 2") ||
		!strings.Contains(out, "Lions") || strings.Contains(out, "possession") {
		t.Errorf("exit %d, printed\n%s", code, out)
	}
}

// The differences of figures that are known: pairs by seed and opponent, the largest effect first, what is too few.
func TestCompareFigures(t *testing.T) {
	metrics, err := analysis.MetricsOf([]string{"goals", "xg", "ballError"})
	if err != nil {
		t.Fatal(err)
	}
	// The hours of sleep of Student (1908), whose intervals R's t.test prints: paired and not.
	a := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	b := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	list := func(values []float64, seed func(i int) string) (all []matchFigures) {
		for i, v := range values {
			all = append(all, matchFigures{pair: seed(i), seconds: 60, values: []float64{1, v, math.NaN()}})
		}
		return all
	}
	own := func(i int) string { return fmt.Sprint(i, " against Tigers") }
	backwards := func(values []float64) []matchFigures {
		all := list(values, own)
		slices.Reverse(all)
		return all
	}
	none := func(int) string { return "" }
	for _, c := range []struct {
		name     string
		a, b     []matchFigures
		paired   bool
		from, to float64
		note     string
	}{
		{"pairs in any order", list(a, own), backwards(b), true, 0.7001142, 2.4598858, ""},
		{"pairs, and two matches without one", append(list(a, own), list(a[:2], none)...), list(b, own), true, 0.7001142, 2.4598858, "2 matches in A and 0 in B"},
		{"no seeds", list(a, none), list(b, none), false, -0.2054832, 3.3654832, ""},
		{"one pair only", append(list(a[:1], own), list(a[1:], none)...), list(b, own), false, -0.2054832, 3.3654832, "only 1 match"},
		{"one seed for all", list(a, func(int) string { return "1" }), list(b, func(int) string { return "1" }), false, -0.2054832, 3.3654832, ""},
	} {
		var r comparedTeams
		r.compare(metrics, [2][]matchFigures{c.a, c.b})
		f := r.Figures[0]
		if r.Paired != c.paired || f.Name != "xg" || f.Interval == nil || math.Abs(f.Interval.From-c.from) > 1e-6 || math.Abs(f.Interval.To-c.to) > 1e-6 ||
			math.Abs(*f.Difference-1.58) > 1e-9 || math.Abs(*f.Effect-0.8321811) > 1e-6 || !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
			t.Errorf("%s: paired %t, %+v, notes %q", c.name, r.Paired, f, r.Notes)
		}
		if g := r.Figures[1]; g.Name != "goals" || *g.Difference != 0 || *g.Effect != 0 {
			t.Errorf("%s: %+v", c.name, g)
		}
		if g := r.Figures[2]; g.Name != "ballError" || g.A != nil || g.Difference != nil || g.Interval != nil || g.N != [2]int{} {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
	var r comparedTeams
	r.compare(metrics, [2][]matchFigures{list(a[:1], own), list(b[:1], own)})
	if f := r.Figures[1]; f.Interval != nil || f.Effect != nil || math.Abs(*f.Difference-1.2) > 1e-9 || !strings.Contains(r.Notes[0], "one match is too few") {
		t.Errorf("one match: %+v, notes %q", f, r.Notes)
	}
	r = comparedTeams{}
	longer := list(b[:3], none)
	longer[1].seconds = 100
	r.compare(metrics, [2][]matchFigures{list([]float64{1, 1, 1}, none), longer})
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "from 60 to 100 s") || !strings.Contains(r.Notes[1], "3 matches are few") {
		t.Errorf("notes %q", r.Notes)
	}
}

// Two folders of matches: pairs of their seeds, and a file without a match, which is named and left out.
func TestCompareFolders(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"old", "new"} {
		folder := filepath.Join(dir, version)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, seed := range []string{"1", "2"} {
			recordMatch(t, filepath.Join(folder, seed+".mcap"), "--seed", seed, "--half", "1s", "--loss", map[string]string{"old": "0", "new": "0.3"}[version])
		}
	}
	before, after := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	r, errs := compareJSONOf[comparedTeams](t, 0, before, after, "--metrics", "radioLoss,goals", "--side", "away")
	if !r.Paired || r.Matches != [2]int{2, 2} || r.Side != "away" || len(r.Skipped) != 0 || len(r.Figures) != 2 || errs != "" {
		t.Errorf("got %+v, printed %q", r, errs)
	}
	if f := r.Figures[0]; f.Name != "radioLoss" || *f.A != 0 || *f.B < 0.2 || *f.B > 0.4 || f.Interval == nil || *f.Effect < 1 || f.N != [2]int{2, 2} {
		t.Errorf("got %+v", f)
	}
	if err := os.WriteFile(filepath.Join(before, "broken.mcap"), []byte("no log"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := touchline(t, "compare", filepath.Join(before, "*.mcap"), after, "--metrics", "radioLoss")
	if code != 1 || !strings.Contains(errs, "broken.mcap") || !strings.Contains(out, "lost datagrams") || !strings.Contains(out, "2 matches are few") {
		t.Errorf("exit %d, printed %q and\n%s", code, errs, out)
	}
	t.Log(out)
}

// The documents list the figures as --metrics names them.
func TestCompareDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range analysis.Metrics {
		m := &analysis.Metrics[i]
		if row := fmt.Sprintf("| `%s` | %s |\n", m.Name, m.Text); !strings.Contains(string(text), row) {
			t.Errorf("docs/analysis.md lacks the row %s", row)
		}
	}
}

func TestCompareRefusals(t *testing.T) {
	single(t)
	t.Chdir(t.TempDir())
	recordMatch(t, "m.mcap", "--half", "1s")
	for _, dir := range []string{"empty", "broken", "one"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	recordMatch(t, "one/m.mcap", "--half", "1s", "--seed", "2")
	for name, text := range map[string]string{"text.txt": "no log", "broken/x.mcap": "no log", "empty/notes.txt": "notes"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"m.mcap", 2, "arg"},
		{"m.mcap missing.mcap", 2, "no such file"},
		{"m.mcap text.txt", 2, "text.txt"},
		{"m.mcap one", 2, "cannot compare one log with several"},
		{"m.mcap m.mcap --metrics luck", 2, "want one or more of goals, "},
		{"m.mcap m.mcap --skip nowhere", 2, "neither log has this channel"},
		{"m.mcap m.mcap --side home", 2, "--side needs folders"},
		{"m.mcap m.mcap --tolerance -1s", 2, "--tolerance"},
		{"m.mcap m.mcap --tolerance 1h", 2, "--tolerance"},
		{"one one --side left", 2, "want home or away"},
		{"one one", 2, "the same logs"},
		{"one empty", 2, "empty holds no .mcap or .zip"},
		{"one no-*.mcap", 2, "no file matches this pattern"},
		{"one broken", 1, "none of its 1 log holds a match"},
		{"one *.mcap --skip tcm", 2, "--skip and --tolerance need two logs"},
		{"one *.mcap --metrics none", 2, "two folders are compared by their figures"},
		{"one *.mcap", 0, ""},
	} {
		_, errs, code := touchline(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("compare %s: exit %d, printed %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
}

// BenchmarkCompare compares records of 30 minutes: equal ones, and ones with another bit in the last minute, whose chunks
// begin at the same messages or at others.
func BenchmarkCompare(b *testing.B) {
	short := filepath.Join(b.TempDir(), "a.mcap")
	recordMatch(b, short, "--seed", "3", "--half", "30s")
	long := repeated(b, short, false, false)
	for _, c := range []struct {
		name             string
		changed, shifted bool
		want             int
	}{{"equal", false, false, 0}, {"bit", true, false, 1}, {"bit and chunks", true, true, 1}} {
		other := repeated(b, short, c.changed, c.shifted)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				out, errs, code := touchline(b, "compare", long, other, "--metrics", "none")
				if code != c.want {
					b.Fatalf("exit %d: %s", code, errs)
				}
				b.Log(out)
			}
		})
	}
}

// repeated writes a record again and again until it has 30 minutes. changed: a bit of the last datagram differs; shifted:
// the first message has a chunk of its own.
func repeated(b *testing.B, from string, changed, shifted bool) string {
	l, err := matchlog.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		b.Fatal(err)
	}
	info := l.Info()
	i := slices.IndexFunc(info.Channels, func(c matchlog.ChannelInfo) bool { return c.Name == matchlog.TCM })
	path := filepath.Join(b.TempDir(), "long.mcap")
	w, err := matchlog.CreatePacked(path, info.Meta)
	if err != nil {
		b.Fatal(err)
	}
	period, size, number := info.End.Sub(info.Start)+time.Millisecond, 0, uint64(0)
	rounds := 1 + int(30*time.Minute/period)
	for round := range rounds {
		for m, err := range l.Messages(0, 0) {
			if err != nil {
				b.Fatal(err)
			}
			if m.Channel == matchlog.TCM {
				if number++; changed && number == info.Channels[i].Count*uint64(rounds) {
					m.Data[len(m.Data)-1] ^= 1
				}
			}
			m.Time, m.Published = m.Time.Add(time.Duration(round)*period), m.Published.Add(time.Duration(round)*period)
			if size += len(m.Data); shifted && size == len(m.Data) {
				_, err = w.WriteAll([]matchlog.Message{m})
			} else {
				err = w.Write(m)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.Logf("%v, %d MB, %d MB packed", time.Duration(rounds)*period, size/1e6, w.Size()/1e6)
	return path
}
