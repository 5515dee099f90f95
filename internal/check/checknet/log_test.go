package checknet_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "touchline/internal/check"
	"touchline/internal/check/checknet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

const (
	of2016 = "refbox-2016-excerpt/test_log2.zip"
	of2026 = "refbox-2.1-capture/20261120_152324.Falcons-Water.zip"
)

func open(t testing.TB, path string) *matchlog.Log {
	t.Helper()
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

func reports(t testing.TB, log *matchlog.Log) []StationReport {
	t.Helper()
	all, err := checknet.Reports(log)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestReports reads real teams' logs: it finds the deviations that were counted by hand, and no others.
func TestReports(t *testing.T) {
	for _, l := range []struct {
		zip  string
		side int
		want []string
	}{
		{of2016, 0, []string{
			RuleRate, msl.RuleKey, RuleFrozen, msl.RuleConfidence, RuleOverlap, msl.RuleBattery, "note " + RuleResolution}},
		{of2016, 1, []string{
			RuleSameBalls, RuleConstant, RuleOverlap, msl.RuleHeading, RuleTarget, "note " + msl.RuleVectorSize, "note " + RuleResolution}},
		{of2026, 0, []string{
			RuleRate, msl.RuleKey, msl.RuleCount, RuleFrozen, msl.RuleConfidence, RuleConstant, msl.RuleHeading,
			msl.RuleBattery, "note " + RuleResolution}},
		{of2026, 1, []string{
			RuleSameBalls, RuleConstant, RuleJump, msl.RuleHeading, RuleTarget, "note " + msl.RuleVectorSize, "note " + RuleResolution}},
	} {
		all := reports(t, open(t, wiretest.Data(t, l.zip)))
		if len(all) != 2 {
			t.Fatalf("%s: %d cards, want 2", l.zip, len(all))
		}
		if got := rules(all[l.side].Findings); !slices.Equal(got, l.want) {
			t.Errorf("%s, %s:\n got %q\nwant %q", l.zip, all[l.side].Team, got, l.want)
		}
	}
}

// rules returns the rules of findings, each once; notes say so.
func rules(all []StationFinding) (names []string) {
	for _, f := range all {
		name := f.Rule
		if f.Note {
			name = "note " + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// TestExportsHaveTheSameCards compares the cards of a RefBox's zip, of its copy as MCAP, and of zips exported from
// both.
func TestExportsHaveTheSameCards(t *testing.T) {
	for _, name := range []string{of2016, of2026} {
		original := open(t, wiretest.Data(t, name))
		want := cards(reports(t, original))
		dir := t.TempDir()

		path := filepath.Join(dir, "copy.mcap")
		w, err := matchlog.Create(path, original.Info().Meta)
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range original.Messages(0, 0) {
			if err == nil {
				err = w.Write(m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		copied := open(t, path)
		if got := cards(reports(t, copied)); got != want {
			t.Errorf("%s as MCAP:\n%s\nwant\n%s", name, got, want)
		}

		for from, log := range map[string]*matchlog.Log{"the zip": original, "the MCAP file": copied} {
			var exported bytes.Buffer
			if err := matchlog.Write(&exported, log, matchlog.Options{}); err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(dir, "export.zip")
			if err := os.WriteFile(path, exported.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := cards(reports(t, open(t, path))); got != want {
				t.Errorf("%s exported from %s:\n%s\nwant\n%s", name, from, got, want)
			}
		}
	}
}

// cards returns as text what cards of the same messages have in common: all but the places in the file.
func cards(all []StationReport) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b,
			"%s %s: %d messages, %d worldstates, %d events, %d broken, %d filled, %d bytes, %.3f s, rate %.4f, "+
				"gaps %.1f %.1f %.1f, empty %.4f, rates %v\n", r.Side, r.Team,
			r.Messages, r.Worldstates, r.Events, r.Broken, r.Filled, r.Bytes, r.Seconds,
			*r.Rate, *r.GapP50, *r.GapP99, *r.GapMax, r.Empty, r.Rates)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "  %s %t %d %.5f at %.3f s: %s | %s\n", f.Rule, f.Note, f.Count, f.Share, f.Time, f.Text,
				f.Excerpt[f.At:f.At+f.Len])
		}
	}
	return b.String()
}

// TestSameCardOfAnExport wants the same card for a game that a referee box logged and for its export, whatever the team
// sent: worldstates in the wrong order, events, empty structures of its own, and messages that are not JSON.
func TestSameCardOfAnExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "Home Team", matchlog.MetaHomeShort: "HOME"})
	if err != nil {
		t.Fatal(err)
	}
	const start = 1_783_000_000_000
	write := func(ms int, channel, text string, age int) {
		at := soccer.Time(start+ms) * 1e6
		m := matchlog.Message{Time: at + 345678, Published: at - soccer.Time(age)*1e6, Channel: channel, Data: []byte(text)}
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	write(0, matchlog.States, `{"part":"first half","running":true,"total":0}`, 0)
	empty := string(msl.EmptyWorldstate("Home Team"))
	for i := range 3000 {
		at := 20 * i / 3 * 3 // three at a time
		switch {
		case i > 1000 && i < 1800:
			if i%5 == 0 {
				write(at, matchlog.HomeEmpty, empty, 0)
			}
		case i%50 == 7:
			write(at, matchlog.Home, empty, 0)
		case i%50 == 17:
			write(at, matchlog.Home, fmt.Sprintf(`{"type":"event","robotId":%d,"event":"kick, goal"}`, 1+i%3), 0)
		case i%50 == 27:
			write(at, matchlog.Home, `{"type":"worldstate","ageMs": NaN}`, 0)
		case i%50 == 37:
			write(at, matchlog.Home, "{\"type\":\"worldstate\",\"teamName\":\"Tr\xe4umer\",\"ageMs\": 5}", 0)
		default:
			age := 10 + i*7919%31
			const text = "{\"type\":\"worldstate\",\"teamName\":\"H\",\n\"robots\":[{\"id\":1,\"pose\":[%.3f,1,-1]}],\"ageMs\": %d}"
			write(at, matchlog.Home, fmt.Sprintf(text, float64(i%200)/100, age), age)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log := open(t, path)
	want := reports(t, log)
	if r := want[0]; len(want) != 1 || r.Filled != 159 || r.Events != 44 || r.Broken != 88 || !slices.Contains(rules(r.Findings), RuleVanished) ||
		!slices.Contains(rules(r.Findings), RuleEventRobot) {
		t.Errorf("got %+v", r)
	}
	var exported bytes.Buffer
	if err := matchlog.Write(&exported, log, matchlog.Options{}); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, exported.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := cards(reports(t, open(t, path))[:1]), cards(want); got != want { // the other list is empty
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestVanished finds a team that is away for half of the game, or of a log without a game, and no team that connects
// late or whose log ends with that of the other team.
func TestVanished(t *testing.T) {
	for _, c := range []struct {
		name     string
		game     bool
		from, to int // s of 100 in which team B sends
		want     string
	}{
		{"always there", true, 0, 100, ""},
		{"gone at half of the game", true, 0, 50, "no message in 50 of the 100 s of the game; the longest absence: 0:50, from 0:50"},
		{"there after half of the game", true, 50, 100, "no message in 50 of the 100 s of the game; the longest absence: 0:50, from the start"},
		{"gone for the end of a log", false, 0, 50, "no message in 50 of the 100 s of the log; the longest absence: 0:50, from 0:50"},
		{"connects late before a game", false, 50, 100, ""},
	} {
		path := filepath.Join(t.TempDir(), "a.mcap")
		w, err := matchlog.Create(path, map[string]string{})
		if err != nil {
			t.Fatal(err)
		}
		write := func(at soccer.Time, channel, text string) {
			if err := w.Write(matchlog.Message{Time: at, Published: at, Channel: channel, Data: []byte(text)}); err != nil {
				t.Fatal(err)
			}
		}
		const start = soccer.Time(1_783_000_000e9)
		if c.game {
			write(start, matchlog.States, `{"part":"first half","running":true,"total":0}`)
		}
		for i := range 2000 {
			at := start.Add(time.Duration(i) * 50 * time.Millisecond)
			write(at, matchlog.Home, `{"type":"worldstate","teamName":"A","ageMs":0}`)
			if i >= 20*c.from && i < 20*c.to {
				write(at, matchlog.Away, `{"type":"worldstate","teamName":"B","ageMs":0}`)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all := reports(t, open(t, path))
		for _, r := range all {
			got, want := "", c.want
			for _, f := range r.Findings {
				if f.Rule == RuleVanished {
					got = f.Text
				}
			}
			if r.Side == "A" {
				want = ""
			}
			if len(all) != 2 || got != want {
				t.Errorf("%s, team %s: got %q, want %q", c.name, r.Side, got, want)
			}
		}
	}
}

// TestBoxAway blames no team for the time without a referee box: after a power cut the box fills the windows of that time,
// and the teams connect again.
func TestBoxAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	const start = soccer.Time(1_783_000_000e9)
	at := func(ms int) soccer.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	write := func(ms int, channel, text string) {
		if err := w.Write(matchlog.Message{Time: at(ms), Published: at(ms), Channel: channel, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for ms := 0; ms < 118_000; ms += 50 {
		off := ms > 30_400 && ms < 92_400
		if ms == 92_400 {
			write(ms, matchlog.Notes, matchlog.StartedAgain)
		}
		if ms%1000 == 0 && !off || ms == 92_400 {
			write(ms, matchlog.States, fmt.Sprintf(`{"part":"first half","running":true,"total":%d}`, int64(ms)*1e6))
		}
		for _, channel := range []string{matchlog.Home, matchlog.Away} {
			if ms <= 30_400 || ms > 93_800 {
				write(ms, channel, fmt.Sprintf(`{"type":"worldstate","teamName":"A","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":%d}`, ms/50%7))
			} else if ms%100 == 0 {
				write(ms, channel+"/empty", `{}`)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range reports(t, open(t, path)) {
		for _, f := range r.Findings {
			if f.Rule == RuleVanished || f.Rule == RuleGap || f.Rule == RuleRate {
				t.Errorf("%s: %s: %s", r.Side, f.Rule, f.Text)
			}
		}
		var text strings.Builder
		if r.WriteText(&text); !strings.Contains(text.String(), "referee box away 62 s") || math.Abs(r.Seconds-118) > 1 ||
			*r.GapMax > 60 || r.Filled > 20 {
			t.Errorf("got\n%s\n%+v", text.String(), r)
		}
	}
}

// TestOrder reads a log that is sorted by the times of its worldstates, as an export is, and one in the order of
// receipt: both get the same card.
func TestOrder(t *testing.T) {
	var plain []string
	for i := range 600 { // every tenth is 300 ms late
		at, age := 1_783_000_000_000+20*i, 30
		if i%10 == 0 {
			age = 330
		}
		plain = append(plain, fmt.Sprintf(
			`{"teamName": "A","timestamp": %d,"gametimeMs": 0,"worldstate": {"type":"worldstate","teamName":"A","ageMs": %d}}`, at-age, age))
	}
	var want string
	for name, all := range map[string][]string{"plain": plain, "sorted": slices.Sorted(slices.Values(plain))} {
		path := filepath.Join(t.TempDir(), "x.A.msl")
		if err := os.WriteFile(path, []byte("["+strings.Join(all, ",\n")+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := reports(t, open(t, path))
		if len(got) != 1 || got[0].Side != "A" || got[0].Team != "A" || got[0].Worldstates != 600 {
			t.Fatalf("%s: got %+v", name, got)
		}
		text := cards(got)
		if !strings.Contains(text, RuleBackwards+" false 59 ") {
			t.Errorf("%s: the late worldstates are not found:\n%s", name, text)
		}
		if want == "" {
			want = text
		} else if text != want {
			t.Errorf("sorted and plain differ:\n%s\n%s", text, want)
		}
	}
}

// TestMissing wants cards of teams whose files are empty, torn or absent.
func TestMissing(t *testing.T) {
	const record = `{"teamName": "A","timestamp": 1000,"gametimeMs": 5,"worldstate": {"type": "worldstate", "teamName": "x"} }`
	path := filepath.Join(t.TempDir(), "x.zip")
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"1.A.msl": "[" + record + ",\n" + record[:40], "1.B.msl": "]\n"}, "A A 1 true, B B 0 false, "},
		{map[string]string{"1.B.msl": "[" + record + "]"}, "B A 1 false, "},
		{map[string]string{"1.msl": "1467553855143,00:40(00:00),Pre-Game,S,STOP\n"}, ""},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write([]byte(c.files[name]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range reports(t, open(t, path)) {
			got += fmt.Sprintf("%s %s %d %t, ", r.Side, r.Team, r.Messages, r.Torn)
		}
		if got != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.files, got, c.want)
		}
	}
}

// BenchmarkCheck130MB judges a zip of 130 MB: the logs of 2016 again and again, each time 50 s later.
func BenchmarkCheck130MB(b *testing.B) {
	source := open(b, wiretest.Data(b, of2016))
	path := filepath.Join(b.TempDir(), "130MB.zip")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	z := zip.NewWriter(file)
	size := 0
	for channel, name := range map[string]string{matchlog.Home: "20160703_155014.A.msl",
		matchlog.Away: "20160703_155014.B.msl"} {
		w, err := z.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		for k := range 48 {
			for m, err := range source.Messages(0, 0, channel) {
				if err != nil {
					b.Fatal(err)
				}
				n, _ := fmt.Fprintf(w, `{"teamName": "T","timestamp": %d,"gametimeMs": %d,"worldstate": %s},`+"\n",
					int64(m.Published)/1e6+int64(k)*50_000, k*50_000, m.Data)
				size += n
			}
		}
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		log, err := matchlog.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		all, err := checknet.Reports(log)
		if err != nil || len(all) != 2 || len(all[0].Findings) < 5 || len(all[1].Findings) < 5 {
			b.Fatalf("%v, too little was found: %+v", err, all)
		}
		if err := log.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
