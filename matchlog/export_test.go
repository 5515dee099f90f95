package matchlog_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

type record struct {
	TeamName   string          `json:"teamName"`
	Timestamp  int64           `json:"timestamp"`
	GametimeMs int64           `json:"gametimeMs"`
	Worldstate json.RawMessage `json:"worldstate"`
}

// export returns the three files of a log's zip.
func export(t testing.TB, l *matchlog.Log, o matchlog.Options) (path string, lines []string, home, away []record) {
	t.Helper()
	var b bytes.Buffer
	if err := matchlog.Write(&b, l, o); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 3 {
		t.Fatalf("got %d files in the zip", len(z.File))
	}
	read := func(i int, end string) []byte {
		if name := z.File[i].Name; !strings.HasSuffix(name, end) || len(name) != len("20160703_155014")+len(end) {
			t.Fatalf("file %d is %s, want one with %s", i, name, end)
		}
		f, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	list := func(data []byte) (records []record) {
		if err := json.Unmarshal(data, &records); err != nil {
			t.Fatalf("%v in %.2000s", err, data)
		}
		for i := range records {
			if i > 0 && records[i].Timestamp < records[i-1].Timestamp {
				t.Fatalf("record %d is of %d, the one before of %d", i, records[i].Timestamp, records[i-1].Timestamp)
			}
		}
		return records
	}
	if text := strings.TrimSuffix(string(read(0, ".msl")), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	home, away = list(read(1, ".A.msl")), list(read(2, ".B.msl"))
	path = write(t, filepath.Join(t.TempDir(), "match.zip"), b.Bytes())
	return path, lines, home, away
}

const empty = `{"type":"worldstate","teamName":"Home Team","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":0}`

func worldstate(n int) string {
	return fmt.Sprintf(`{"type":"worldstate","teamName":"H","intention":"%d","robots":[],"balls":[],"obstacles":[],"ageMs":30}`, n)
}

// played writes a log of 1 s before the admission of home and 1 s after it, with every kind of invalid message.
func played(t testing.TB) *matchlog.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaBegan: fmt.Sprint(int64(began) - 5e9), matchlog.MetaHome: "Home Team", matchlog.MetaHomeShort: "Ho/me"})
	if err != nil {
		t.Fatal(err)
	}
	say := func(ms int, channel, text string, age int) {
		at := began + soccer.Time(ms)*1e6
		m := matchlog.Message{Time: at, Published: at - soccer.Time(age)*1e6, Channel: channel, Data: []byte(text)}
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	say(0, matchlog.Lines, "New BaseStation @ 127.0.39.1", 0)
	say(1000, matchlog.Admissions, fmt.Sprintf(`{"time":%d,"side":"home","id":39,"name":"Home Team","short":"Ho/me"}`, int64(began)+1e9), 0)
	say(1000, matchlog.States, `{"part":"first half","running":true,"total":60000000000,"effective":30000000000}`, 0)
	say(1010, matchlog.Home, worldstate(1), 30)
	say(1020, matchlog.Home, worldstate(2), 30)
	say(1110, matchlog.Home, `{"type":"event","robotId":4,"event":"kick, pass"}`, 0)
	say(1300, matchlog.HomeEmpty, empty, 0)
	say(1200, matchlog.HomeEmpty, empty, 0)
	say(1310, matchlog.Home, "{\"type\":\"worldstate\",\"teamName\":\"\xff\",\"ageMs\":30}", 30)
	say(1320, matchlog.Home, `{"type":"worldstate","ball": NaN}`, 0)
	say(1330, matchlog.Home, `{"what":"is this"}`, 0)
	say(1410, matchlog.Home, worldstate(3), 3000)
	say(1500, matchlog.States, `{"part":"end","total":0}`, 0)
	say(1550, matchlog.States, `{"part":"first half","running":false,"total":60550000000,"effective":30550000000}`, 0)
	say(2000, matchlog.States, `{"part":"end","total":0}`, 0)
	say(2100, matchlog.Truth, `{}`, 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestExport(t *testing.T) {
	l := played(t)
	if file := matchlog.Name(l); file != "20160703_124635.Home-AWAY.zip" {
		t.Errorf("got the name %s", file)
	}
	path, lines, home, away := export(t, l, matchlog.Options{})
	wantLines := []string{
		"New BaseStation @ 127.0.39.1",
		"1467550001110,01:00(00:30),1st Half,Event kick; pass,robotID:4,Home Team",
		"Message of Ho/me at 1467550001310 ms: its text encoding was repaired",
		"Message of Ho/me at 1467550001320 ms: its record holds the empty worldstate: ",
	}
	if len(lines) != len(wantLines) {
		t.Fatalf("lines %q", lines)
	}
	for i, want := range wantLines {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %q, want %q", lines[i], want)
		}
	}
	var got []string
	for _, r := range home {
		got = append(got, fmt.Sprintf("%d %d %s %s", r.Timestamp-int64(began)/1e6, r.GametimeMs, r.TeamName, r.Worldstate))
	}
	want := []string{
		"-1590 60410 Ho/me " + worldstate(3), "980 60010 Ho/me " + worldstate(1), "990 60020 Ho/me " + worldstate(2),
		"1200 60200 Ho/me " + empty,
		"1280 60310 Ho/me {\"type\":\"worldstate\",\"teamName\":\"\ufffd\",\"ageMs\":30}",
		"1300 60300 Ho/me " + empty, "1320 60320 Ho/me " + empty, `1330 60330 Ho/me {"what":"is this"}`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
	if len(away) != 0 {
		t.Errorf("got %d records of away, which was never admitted", len(away))
	}
	again := open(t, path)
	texts := func(l *matchlog.Log, channel string) (texts []string) { // as they were sent, whatever their records hold
		for _, m := range all(t, l, 0, 0, channel) {
			texts = append(texts, strings.Replace(string(m.Data), "kick, pass", "kick; pass", 1))
		}
		return slices.Sorted(slices.Values(texts))
	}
	for _, channel := range []string{matchlog.Home, matchlog.HomeEmpty} {
		if got, want := texts(again, channel), texts(l, channel); !slices.Equal(got, want) {
			t.Errorf("%s of the export: got %q, want %q", channel, got, want)
		}
	}
	if i := again.Info(); len(i.Notes) != 0 || i.Home != "Ho/me" {
		t.Errorf("got %+v", i)
	}
}

func TestExportGrid(t *testing.T) {
	_, _, home, _ := export(t, played(t), matchlog.Options{Grid: true})
	var got []string
	for _, r := range home {
		text := "empty"
		if string(r.Worldstate) != empty {
			text = string(r.Worldstate)
		}
		got = append(got, fmt.Sprintf("%d %s", r.Timestamp-int64(began)/1e6, text))
	}
	want := []string{ // ten windows from 1000 to 2000
		"-1590 " + worldstate(3), "990 " + worldstate(2), "1200 empty", "1280 {\"type\":\"worldstate\",\"teamName\":\"\ufffd\",\"ageMs\":30}",
		"1300 empty", "1600 empty", "1700 empty", "1800 empty", "1900 empty", "2000 empty",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// TestExportHostile exports messages that are valid JSON alone but could make the list unreadable: each record is read
// back.
func TestExportHostile(t *testing.T) {
	path, w := create(t, 0)
	cut := "{\"type\":\"worldstate\",\"teamName\":\"H\",\"extra\":\n{\"teamName\":1},\"ageMs\":30}"
	for i, text := range []string{
		strings.Repeat("[", 20000) + strings.Repeat("]", 20000), `{"type":"worldstate","deep":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 65),
		cut, "null", `"text"`, worldstate(1),
	} {
		at := began + soccer.Time(i)*1e9
		if err := w.Write(matchlog.Message{Time: at, Published: at, Channel: matchlog.Home, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path, lines, home, _ := export(t, open(t, path), matchlog.Options{})
	if len(lines) != 2 || !strings.Contains(lines[0], "max depth") || !strings.Contains(lines[1], "more than 64 deep") {
		t.Errorf("lines %.300q", lines)
	}
	again := all(t, open(t, path), 0, 0, matchlog.Home)
	if len(home) != 6 || len(again) != 6 || string(again[2].Data) != strings.Replace(cut, "\n", " ", 1) {
		t.Errorf("got %d records, and %d messages when they are read again: %.300q", len(home), len(again), again[2].Data)
	}
}

// TestExportOfNothing exports a log without messages of teams.
func TestExportOfNothing(t *testing.T) {
	path, w := create(t, 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, grid := range []bool{false, true} {
		if _, lines, home, away := export(t, open(t, path), matchlog.Options{Grid: grid}); len(lines)+len(home)+len(away) != 0 {
			t.Errorf("%q, %v, %v", lines, home, away)
		}
	}
}

// TestRealLogs reads logs of the league, exports them and reads the exports.
func TestRealLogs(t *testing.T) {
	for _, c := range []struct {
		name                     string
		lines, home, away        int
		homeName, awayName, text string
		goals                    [2]int
	}{
		{"refbox-2016-excerpt/test_log2.zip", 128, 323, 885, "Tech Uni", "Water", `"part":"end"`, [2]int{}},
		{"refbox-2.1-capture/20261120_152324.Falcons-Water.zip", 92, 1028, 2000, "Falcons", "Water", `"part":"end"`, [2]int{1, 0}},
	} {
		if testing.Short() && c.goals != [2]int{} {
			continue // the race detector takes long over it
		}
		path := wiretest.Data(t, c.name)
		var first []matchlog.Message
		for round := range 2 {
			l := open(t, path)
			i := l.Info()
			if i.Format != "zip" || i.Home != c.homeName || i.Away != c.awayName || len(i.Notes) > 0 {
				t.Fatalf("%s, round %d: %+v", c.name, round, i)
			}
			if lines := all(t, l, 0, 0, matchlog.Lines); len(lines) != c.lines {
				t.Errorf("%s, round %d: %d lines, want %d", c.name, round, len(lines), c.lines)
			}
			said := all(t, l, 0, 0, matchlog.Home, matchlog.Away)
			slices.SortStableFunc(said, func(a, b matchlog.Message) int { // the RefBox's order does not come back within a moment
				return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Published, b.Published), cmp.Compare(a.Channel, b.Channel), bytes.Compare(a.Data, b.Data))
			})
			if home := all(t, l, 0, 0, matchlog.Home); len(home) != c.home || len(said)-len(home) != c.away {
				t.Errorf("%s, round %d: %d and %d worldstates", c.name, round, len(home), len(said)-len(home))
			}
			state, ok, err := l.Last(matchlog.States, i.End)
			if !ok || err != nil || !strings.Contains(string(state.Data), c.text) {
				t.Errorf("%s: the last state is %s", c.name, state.Data)
			}
			var m game.Moment
			if err := json.Unmarshal(state.Data, &m); err != nil || c.goals != [2]int{} && c.goals != [2]int{m.Home.Goals, m.Away.Goals} {
				t.Errorf("%s: %v, score %d : %d", c.name, err, m.Home.Goals, m.Away.Goals)
			}
			if round == 0 {
				first = said
				path, _, _, _ = export(t, l, matchlog.Options{})
				continue
			}
			for k, want := range first { // records of an export are on one line
				want.Data = []byte(strings.NewReplacer("\r", " ", "\n", " ", "\t", " ").Replace(string(want.Data)))
				same(t, said[k], want)
			}
		}
	}
}

// TestGametime wants each gametimeMs of a RefBox's log in its export. The RefBox reads its two clocks one after the
// other: they deviate by some milliseconds, also between worldstates of one instant.
func TestGametime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	var at, gametime int64 = 1467550000000, 37164
	var want []int64
	var b strings.Builder
	for i := range 2000 {
		if i%3 != 0 { // two worldstates in each instant
			at += 40
		}
		gametime = max(gametime, at-1467549962836+rng.Int64N(4)-2)
		want = append(want, gametime)
		fmt.Fprintf(&b, ",\n{\"teamName\": \"T\",\"timestamp\": %d,\"gametimeMs\": %d,\"worldstate\": %s}", at-20, gametime, worldstate(20))
	}
	l := open(t, write(t, filepath.Join(t.TempDir(), "x.A.msl"), []byte("["+b.String()[1:]+"]")))
	_, _, home, _ := export(t, l, matchlog.Options{})
	off := 0
	for i, r := range home {
		if i < len(want) && r.GametimeMs != want[i] {
			off++
		}
	}
	if len(home) != len(want) || off > 0 {
		t.Errorf("%d records, want %d; the gametimeMs of %d differs", len(home), len(want), off)
	}
}

// TestAges checks the time of receipt that follows from a record's timestamp and its worldstate's age.
func TestAges(t *testing.T) {
	var b strings.Builder
	b.WriteString("[\n")
	for i, age := range []string{"50", "70.9", `"20"`, "null", "1.7e12", "-3", "0"} {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"teamName": "T","timestamp": %d,"gametimeMs": 0,"worldstate": {"ageMs": %s}}`, 1000*(i+1), age)
	}
	b.WriteString(",\n{\"teamName\": \"T\",\"timestamp\": 9000,\"gametimeMs\": 0,\"worldsta") // torn
	l := open(t, write(t, filepath.Join(t.TempDir(), "x.A.msl"), []byte(b.String())))
	var got []int64
	for _, m := range all(t, l, 0, 0, matchlog.Home) {
		got = append(got, time.Duration(m.Time).Milliseconds())
	}
	if fmt.Sprint(got) != "[1050 2070 3020 4000 5000 6000 7000]" {
		t.Errorf("got the times of receipt %v", got)
	}
	if n := l.Info().Notes; len(n) != 1 || !strings.Contains(n[0], "1 torn record") {
		t.Errorf("notes %q", n)
	}
}

// TestOddZip reads the files that RefBox 2.1 writes for a match with an absent team and a team that sent no JSON, and
// exports them correctly.
func TestOddZip(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	record := `{"teamName": "T","timestamp": %d,"gametimeMs": 5,"worldstate": %s}`
	for _, f := range [][2]string{
		{"logs/../20260703_155014.A.msl", "]"},
		{"20260703_155014.B.msl", "[\n" + strings.Join([]string{
			fmt.Sprintf(record, 1467550002000, `{"type":"worldstate","teamName":"T","x": NaN,"ageMs":7}`),
			fmt.Sprintf(record, 1467550001000, `{"type":"worldstate","teamName":"T}],{ ","ageMs":1}`),
			fmt.Sprintf(record, 1467550003000, `{"type":"worldstate","teamName":"T","robots":[{]],"ageMs":9`),
			fmt.Sprintf(record, 1467550004000, `{"type":"worldstate","teamName":"T","ageMs":9}`),
			`{"teamName": "T","timest`,
		}, ",\n")},
		{"20260703_155014.msl", ""},
		{"20260703_155014.merged.msl", "what nobody needs"},
		{"README", "x"},
	} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f[1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, write(t, filepath.Join(t.TempDir(), "x.zip"), b.Bytes()))
	if got := all(t, l, 0, 0, matchlog.Away); len(got) != 4 || len(all(t, l, 0, 0, matchlog.Home)) != 0 {
		t.Errorf("got %d messages", len(got))
	}
	i := l.Info()
	if text := strings.Join(i.Notes, "\n"); i.Home != "" || i.Away != "T" || !strings.Contains(text, "1 torn record") || !strings.Contains(text, "README") {
		t.Errorf("got %+v", i)
	}
	_, lines, home, away := export(t, l, matchlog.Options{})
	if len(home) != 0 || len(away) != 4 || len(lines) != 2 {
		t.Errorf("got %d and %d records, lines %q", len(home), len(away), lines)
	}
}
