package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/msl"
)

// worldstates returns n valid worldstates 50 ms apart, and their times of receipt in ms.
func worldstates(t *testing.T, n int) (all [][]byte, received []int64) {
	t.Helper()
	for i := range n {
		x := math.Abs(float64((i+97)%194-97)) / 23 // back and forth
		age := int64(12 + i*7%31)
		w := msl.Worldstate{TeamName: "MYTEAM", Intention: "attack", AgeMillis: msl.Num(float64(age))}
		for k := range 5 {
			w.Robots = append(w.Robots, msl.Robot{ID: msl.Num(float64(k + 1)), Pose: msl.Vec3(x/7+float64(k), 0.37*x-8+3*float64(k), x)})
		}
		w.Balls = []msl.Ball{{Position: msl.Vec3(x/3, -x/2, 0.11), Confidence: msl.Num(0.5 + x/10)}}
		b, err := w.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		all, received = append(all, b), append(received, 1_783_000_000_000+int64(i)*50+age)
	}
	return all, received
}

// teamFile returns a team's log as the RefBox writes it.
func teamFile(t *testing.T, team string, all [][]byte, received []int64) []byte {
	t.Helper()
	b := []byte("[\n")
	for i, m := range all {
		var w msl.Worldstate
		_ = w.UnmarshalBinary(m)
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = fmt.Appendf(b, `{"teamName": %q,"timestamp": %d,"gametimeMs": %d,"worldstate": %s}`, team, received[i]-int64(w.AgeMillis.Value), i*50, m)
	}
	return append(b, "\n]"...)
}

// zipped returns a zip of files.
func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// replaced returns messages with a text replaced.
func replaced(all [][]byte, from, to string) (bad [][]byte) {
	for _, m := range all {
		bad = append(bad, bytes.ReplaceAll(m, []byte(from), []byte(to)))
	}
	return bad
}

func TestCheckZip(t *testing.T) {
	all, received := worldstates(t, 300)
	match := zipped(t, map[string][]byte{
		"20260703_155014.msl":   []byte("1467553855143,00:40(00:00),Pre-Game,S,STOP\n"),
		"20260703_155014.A.msl": teamFile(t, "CAMBADA", all, received),
		"20260703_155014.B.msl": teamFile(t, "<b>", replaced(all, `"confidence":`, `"confidence":-`), received),
	})
	out, code := wantChecks(t, string(match), "-", "--json")
	var report checkReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if code != 1 || report.OK || len(report.Inputs) != 1 || len(report.Findings) != 1 || report.Inputs[0].Kind != "zip" {
		t.Fatalf("exit %d, printed:\n%s", code, out)
	}
	f := report.Findings[0]
	if f.Team != "<b>" || f.Side != "B" || f.Rule != "confidence-range" || f.Note || f.Count != 300 || f.Line != 2 || f.Game != 0 || !strings.Contains(f.Text, "-0.5") {
		t.Errorf("got %+v", f)
	}
	log := teamFile(t, "<b>", replaced(all, `"confidence":`, `"confidence":-`), received)
	if at := f.First + int64(f.Offset); !bytes.HasPrefix(log[at:], []byte("-0.5")) {
		t.Errorf("byte %d is %.20q", at, log[at:])
	}
	if got := f.Excerpt[f.At : f.At+f.Len]; got != "-0.500" {
		t.Errorf("marked %q", got)
	}
	cards := report.Inputs[0].Cards
	if len(cards) != 2 || !cards[0].OK || cards[0].Team != "CAMBADA" || cards[0].Worldstates != 300 || cards[1].OK {
		t.Errorf("got %+v", cards)
	}
	var shape map[string]any
	if err := json.Unmarshal([]byte(out), &shape); err != nil {
		t.Fatal(err)
	}
	input := shape["inputs"].([]any)[0].(map[string]any)
	for _, c := range []struct {
		name, want string
		got        any
	}{
		{"the report", "findings inputs ok", shape},
		{"an input", "cards dropped kind left name notes report", input},
		{"a card", "ageMax ageP50 boxAway broken bytes commands empty error events filled findings gapMax gapP50 gapP99 messages ok rate rateStep rates seconds side silent team torn worldstates",
			input["cards"].([]any)[0]},
		{"a finding", "at count excerpt first fix game input len line note offset rule share side source team text time", shape["findings"].([]any)[0]},
	} {
		names := slices.Sorted(maps.Keys(c.got.(map[string]any)))
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s has the keys %s, want %s", c.name, got, c.want)
		}
	}
	out, code = wantChecks(t, string(match), "-")
	for _, want := range []string{"A CAMBADA: 300 worldstates in 15 s, 20.0 Hz", "fault    300 x  confidence-range (100 %)", "line 2, byte", "^^^^", "WRONG: <b> has 1 fault"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 1 {
		t.Errorf("exit %d", code)
	}
}

func TestCheckPage(t *testing.T) {
	all, received := worldstates(t, 60)
	evil := replaced(all, `"attack"`, `"</pre><script>alert(1)</script>", "battery<i>": 3`)
	match := zipped(t, map[string][]byte{"1.A.msl": teamFile(t, "<script>", evil, received)})
	out, code := wantChecks(t, string(match), "-", "--html", "-")
	if code != 0 || strings.Contains(out, "<script") || strings.Contains(out, "<i>") || !strings.Contains(out, "&lt;script&gt;") || !strings.Contains(out, "<svg") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
	name := filepath.Join(t.TempDir(), "report.html")
	if out, code = wantChecks(t, string(match), "-", "--html", name); code != 0 || !strings.HasPrefix(out, "- (zip)") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
	if b, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(b, []byte("<!doctype html>")) || !bytes.Contains(b, []byte("extra-key")) {
		t.Errorf("%v, wrote %.200s", err, b)
	}
	if out, code = wantChecks(t, goodPackage, "-", "--html", "-"); code != 0 || !strings.Contains(out, "robot 4, magenta, Tech United Eindhoven") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
}

func TestCheckMessages(t *testing.T) {
	all, received := worldstates(t, 40)
	good := string(all[0])
	event := `{"type": "event", "robotId": 2, "event": "kick"}`
	command := `{"command": "START", "targetTeam": ""}`
	list := teamFile(t, "CAMBADA", all, received)
	broken := slices.Clone(all)
	broken[7] = []byte(`{"type": "worldstate", "teamName": "A "quoted" name"}`)
	for _, c := range []struct {
		name, in, want string
		code           int
	}{
		{"a worldstate", good, "OK: no faults in 1 message", 0},
		{"indented", " \n" + strings.ReplaceAll(good, ",", ",\n ") + "\n", "OK: no faults in 1 message", 0},
		{"with a byte order mark", "\xef\xbb\xbf" + good, "OK: no faults in 1 message", 0},
		{"commands", command + "\x00" + command, "team: 0 worldstates, 2 commands of a referee box\nOK: no faults in 2 messages", 0},
		{"a command and an event", command + "\x00" + event, "1 command of a referee box, sent by the team", 1},
		{"an event", event, "team: 0 worldstates, 1 event", 0},
		{"a stream", good + "\x00" + event + "\x00\x00" + good + "\x00", "OK: no faults in 3 messages", 0},
		{"a stream that does not end", good + "\x00" + good[:100], "syntax (50 %)", 1},
		{"lines", good + "\n" + good + "\n", "OK: no faults in 2 messages", 0},
		{"a list", "[" + good + ",\n" + good + "]", "OK: no faults in 2 messages", 0},
		{"a comma too many", good[:len(good)-1] + ",}", "syntax", 1},
		{"a key without quotes", `{type: "worldstate"}`, "syntax", 1},
		{"no JSON after a brace", "{", "syntax", 1},
		{"a team's log", string(list), "CAMBADA: 40 worldstates in 2 s", 0},
		{"a torn log", string(list[:len(list)-200]), "the input ends in the middle of a message", 0},
		{"a log with quotes in it", string(teamFile(t, "CAMBADA", broken, received)), "fault      1 x  syntax", 1},
		{"a log of nothing", "]\n", "no message", 1},
		{"in hex", "# a worldstate\n" + fmt.Sprintf("% x", good) + "\n\n" + fmt.Sprintf("%x", event) + "\n", "OK: no faults in 2 messages", 0},
		{"vectors", "\n\nname a\nhex " + fmt.Sprintf("% x", good[:300]) + " # text\nhex " + fmt.Sprintf("% x", good[300:]) + "\nexpect {}\n\nname b\nhex 7b\n", "syntax (50 %)", 1},
		{"another direction", strings.Replace(good, `"intention"`, "\"a\u202eb\":1,\"intention\"", 1), "a.b: is an unknown key", 0},
		{"events of the referee", "New BaseStation @ 1.2.3.4\n1467553855143,00:40(00:00),Pre-Game,S,STOP\n", "check the .A.msl", 2},
		{"a broken zip", "PK\x03\x04 and so on", "copy it again", 2},
		{"another zip", string(zipped(t, map[string][]byte{"a.txt": nil})), "no .msl file", 2},
		{"a broken mcap", "\x89MCAP0\r\n and so on", "header", 2},
	} {
		out, code := wantChecks(t, c.in, "-")
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, want %d and %q; printed:\n%s", c.name, code, c.code, c.want, out)
		}
	}
}

// TestCheckDamaged wants the cards of both teams of a damaged zip, with the reason on the card of the damaged file.
func TestCheckDamaged(t *testing.T) {
	all, received := worldstates(t, 300)
	good := zipped(t, map[string][]byte{"1.A.msl": teamFile(t, "CAMBADA", all, received), "1.B.msl": teamFile(t, "Water", all, received)})
	second := bytes.LastIndex(good, []byte("1.B.msl")) - 46 // its entry in the directory of the zip
	local := int(binary.LittleEndian.Uint32(good[second+42:]))
	for name, damage := range map[string]struct {
		do   func(z []byte)
		want string
	}{
		"in its data":    {func(z []byte) { copy(z[local+2000:], "\xff\xff\xff\xff\xff\xff\xff\xff") }, "1.B.msl: "},
		"its checksum":   {func(z []byte) { z[second+16]++ }, "checksum"},
		"its length":     {func(z []byte) { z[second+26]++ }, "shorter than the zip says"},
		"its method":     {func(z []byte) { z[second+10] = 14 }, "unsupported"},
		"where it lies":  {func(z []byte) { z[second+44]++ }, "1.B.msl: "},
		"its name twice": {func(z []byte) { copy(z[second+46:], "1.A") }, ""},
	} {
		z := bytes.Clone(good)
		damage.do(z)
		out, code := wantChecks(t, string(z), "-")
		if damage.want == "" {
			if code != 0 || strings.Count(out, "300 worldstates") != 1 {
				t.Errorf("%s: exit %d, printed:\n%s", name, code, out)
			}
			continue
		}
		if code != 1 || !strings.Contains(out, "A CAMBADA: 300 worldstates") || !strings.Contains(out, "could not be read: 1.B.msl: ") ||
			!strings.Contains(out, damage.want) || !strings.Contains(out, "WRONG: ") || strings.Contains(out, "middle of") {
			t.Errorf("%s: exit %d, printed:\n%s", name, code, out)
		}
	}
}

// TestCheckZipOfMatches wants each match of a zip checked under its name, however its entries are ordered.
func TestCheckZipOfMatches(t *testing.T) {
	all, received := worldstates(t, 60)
	file := teamFile(t, "CAMBADA", all, received)
	out, code := wantChecks(t, string(zipped(t, map[string][]byte{"day/1.A.msl": file, "day/1.B.msl": file, "day/2.A.msl": file})), "-")
	if code != 0 || strings.Count(out, "60 worldstates") != 3 || strings.Contains(out, "is not read") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
	for _, match := range []string{"match 1", "match 2"} {
		if !strings.Contains(out, match) {
			t.Errorf("got no card of %s in\n%s", match, out)
		}
	}
}

// TestCheckBomb wants a limit on the unpacked size of a zip.
func TestCheckBomb(t *testing.T) {
	bomb := zipped(t, map[string][]byte{"1.A.msl": append([]byte("["), bytes.Repeat([]byte(`{"a":`), 1<<20)...)})
	if out, code := wantChecks(t, string(bomb), "-"); code != 2 || !strings.Contains(out, "a record of more than") {
		t.Errorf("exit %d, printed:\n%.300s", code, out)
	}
}

func TestCheckMCAP(t *testing.T) {
	name := filepath.Join(t.TempDir(), "20260703_155014.mcap")
	w, err := matchlog.Create(name, map[string]string{matchlog.MetaHomeShort: "CAMBADA"})
	if err != nil {
		t.Fatal(err)
	}
	all, received := worldstates(t, 300)
	for i, m := range replaced(all, `"robots"`, `"robot"`) {
		at := soccer.Time(received[i] * 1e6)
		if err := w.Write(matchlog.Message{Time: at, Published: at.Add(-20 * time.Millisecond), Channel: matchlog.Home, Data: m}); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(matchlog.Message{Time: at, Channel: matchlog.Away, Data: all[i]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, code := wantChecks(t, "", name)
	for _, want := range []string{"(mcap)", "A CAMBADA: 300 worldstates in 15 s, 20.0 Hz", "extra-key", "B MYTEAM: 300 worldstates", "OK: no faults in 600 messages"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	log, err := matchlog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var exported bytes.Buffer
	if err := matchlog.Write(&exported, log, matchlog.Options{}); err != nil {
		t.Fatal(err)
	}
	if out, code = wantChecks(t, exported.String(), "-"); code != 0 || !strings.Contains(out, "B MYTEAM: 300 worldstates in 15 s, 20.0 Hz") {
		t.Errorf("exported, exit %d, printed:\n%s", code, out)
	}
}

// TestCheckExported wants the same card for a log and for its export, which is sorted by timestamp: late worldstates go
// backwards in both, and gaps are as long.
func TestCheckExported(t *testing.T) {
	name := filepath.Join(t.TempDir(), "20260703_155014.mcap")
	w, err := matchlog.Create(name, map[string]string{matchlog.MetaHomeShort: "CAMBADA"})
	if err != nil {
		t.Fatal(err)
	}
	all, received := worldstates(t, 600)
	for i, m := range all {
		var world msl.Worldstate
		if err := world.UnmarshalBinary(m); err != nil {
			t.Fatal(err)
		}
		age := int64(world.AgeMillis.Value)
		switch {
		case i >= 300 && i < 340:
			continue
		case i%20 == 0: // a late one
			m, age = bytes.Replace(m, fmt.Appendf(nil, `"ageMs":%d`, age), fmt.Appendf(nil, `"ageMs":%d`, age+200), 1), age+200
		}
		at := soccer.Time(received[i]*1e6 + 123456)
		if err := w.Write(matchlog.Message{Time: at, Published: at - soccer.Time(age*1e6), Channel: matchlog.Home, Data: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := matchlog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var exported bytes.Buffer
	if err := matchlog.Write(&exported, log, matchlog.Options{}); err != nil {
		t.Fatal(err)
	}
	card := func(in, name string) (c check.StationReport, findings []string) {
		out, _ := wantChecks(t, in, name, "--json")
		var report checkReport
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		c = report.Inputs[0].Cards[0]
		for _, f := range c.Findings {
			findings = append(findings, fmt.Sprint(f.Rule, f.Note, f.Count, f.Share, f.Time, f.Text))
		}
		c.Findings = nil
		return c, findings
	}
	c, findings := card("", name)
	again, others := card(exported.String(), "-")
	if !slices.Equal(findings, others) || !slices.ContainsFunc(findings, func(f string) bool { return strings.HasPrefix(f, "time-backwardsfalse ") }) {
		t.Errorf("log:\n%s\nexport:\n%s", strings.Join(findings, "\n"), strings.Join(others, "\n"))
	}
	if a, b := fmt.Sprintf("%+v", c.Rates), fmt.Sprintf("%+v", again.Rates); a != b || *c.GapMax != *again.GapMax || c.Silent != again.Silent || c.Empty != again.Empty {
		t.Errorf("log: %+v, export: %+v", c, again)
	}
}
