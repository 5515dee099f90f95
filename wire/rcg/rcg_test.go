package rcg_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"touchline/wire/rcg"
)

// game returns the lines of a game that rcssserver 19.0.0 played and wrote in a format: two teams that run to the ball and
// kick it.
func game(t testing.TB, format int) []string {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("testdata/format%d.rcg.gz", format))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

// The codec reads the same from real lines as regular expressions do.
func TestGames(t *testing.T) {
	ball := regexp.MustCompile(`^\(show (\d+) \(\(b\) (\S+) (\S+) (\S+) ([^)]+)\)`)
	player := regexp.MustCompile(`\(\(([lr]) (\d+)\) \d+ (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) `)
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for format, want := range map[int]map[rcg.Kind]int{
		4: {rcg.KindShow: 79, rcg.KindMode: 5, rcg.KindTeams: 2}, 5: {rcg.KindShow: 79, rcg.KindMode: 5, rcg.KindTeams: 2},
		6: {rcg.KindShow: 270, rcg.KindMode: 28, rcg.KindTeams: 12},
	} {
		lines := game(t, format)
		if v := rcg.Version([]byte(lines[0])); v != format || rcg.CheckVersion(v) != nil {
			t.Errorf("version %d, want %d", v, format)
		}
		var l rcg.Line
		found := map[rcg.Kind]int{}
		for i, line := range lines[1:] {
			if err := l.UnmarshalText([]byte(line)); err != nil {
				t.Fatalf("format %d, line %d: %v", format, i+2, err)
			}
			found[l.Kind]++
			if l.Kind != rcg.KindShow {
				continue
			}
			b := ball.FindStringSubmatch(line)
			if got := (rcg.Ball{X: number(b[2]), Y: number(b[3]), VX: number(b[4]), VY: number(b[5])}); strconv.Itoa(l.Cycle) != b[1] || l.Show.Ball != got {
				t.Fatalf("line %d: %+v", i+2, l)
			}
			all := player.FindAllStringSubmatch(line, -1)
			if len(all) != len(l.Show.Players) || len(all) != rcg.Players {
				t.Fatalf("line %d: %d players, want %d", i+2, len(l.Show.Players), len(all))
			}
			for k, m := range all {
				state, err := strconv.ParseUint(m[3], 0, 32)
				want := rcg.Player{
					Right: m[1] == "r", Number: uint8(number(m[2])), State: rcg.State(state), X: number(m[4]), Y: number(m[5]),
					VX: number(m[6]), VY: number(m[7]), Body: number(m[8]), Neck: number(m[9]),
				}
				if err != nil || l.Show.Players[k] != want {
					t.Fatalf("line %d: %+v, want %+v", i+2, l.Show.Players[k], want)
				}
			}
		}
		for kind, n := range want {
			if found[kind] != n {
				t.Errorf("format %d: %d lines of kind %d, want %d", format, found[kind], kind, n)
			}
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text string
		want rcg.Line
	}{
		{"(team 272 Alpha null 1 0 2 3 3 2)", rcg.Line{Kind: rcg.KindTeams, Cycle: 272, Left: rcg.Team{Name: "Alpha", Score: 1, Scored: 2, Missed: 3},
			Right: rcg.Team{Scored: 3, Missed: 2}}},
		{"(playmode 160 penalty_setup_r)", rcg.Line{Kind: rcg.KindMode, Cycle: 160, Mode: "penalty_setup_r"}},
		{`(msg 600 1 "(result 202611280626 A_1-vs-B_2)")`, rcg.Line{Kind: rcg.KindMessage, Cycle: 600, Text: "(result 202611280626 A_1-vs-B_2)"}},
		{`(server_param (team_l_start "(a")(half_time 300)(simulator_step 100)(extra_half_time 100))`,
			rcg.Line{Kind: rcg.KindParams, Params: rcg.Params{HalfTime: 300, ExtraHalfTime: 100, Step: 100}}},
		{"(draw 1 (circle 0 0 1 \"red\"))", rcg.Line{}},
	} {
		var l rcg.Line
		if err := l.UnmarshalText([]byte(c.text)); err != nil || fmt.Sprint(l) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, %v", c.text, l, err)
		}
	}
}

func TestMalformed(t *testing.T) {
	const player = "((l 1) 0 0x1 0 0 0 0 0 0 (v h 90) (s 1 1 1))"
	for _, text := range []string{
		"", "(", ")", "show 1", "(show", "(show 1", "(show x ((b) 0 0 0 0))", "(show -1 ((b) 0 0 0 0))", "(show 1 ((b) 0 0 0 0)", "(show 1 ((b) 0 0 NaN 0))",
		"(show 1 ((b) 0 0 1e999 0))", "(show 1 ((c) 0 0 0 0))", "(show 1 ((b) 0 0 0 0)) 2", "(show 1 ((l 12) 0 0x1 0 0 0 0 0 0))",
		"(show 1 ((l 0) 0 0x1 0 0 0 0 0 0))", "(show 1 ((l 1) 0 0x100000000 0 0 0 0 0 0))", "(show 1 " + player + " " + player + ")",
		"(playmode 1)", "(team 1 A B 0)", "(team 1 A B 0 0 1)", "(team 99999999999999999999 A B 0 0)", "(server_param (half_time x))", `(server_param (a "b))`,
		"(show 1 " + strings.Repeat("(", rcg.MaxLine) + ")",
	} {
		var l rcg.Line
		if err := l.UnmarshalText([]byte(text)); !errors.Is(err, rcg.ErrMalformed) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	for head, want := range map[string]int{"ULG6": 6, "ULG\x02": 2, "ULG7": 7, "ULGx": 0, "ULG": 0, "": 0, "ULZ6": 0} {
		v := rcg.Version([]byte(head))
		if v != want || v != 0 && rcg.CheckVersion(v) == nil != (v == 6) {
			t.Errorf("%q: version %d, %v", head, v, rcg.CheckVersion(v))
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, line := range game(f, 6)[1:40] {
		f.Add([]byte(line))
	}
	f.Add([]byte("(team 272 Alpha null 1 0 2 3 3 2)"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var l, again rcg.Line
		if err := l.UnmarshalText(b); err != nil {
			if !errors.Is(err, rcg.ErrMalformed) {
				t.Error(err)
			}
			return
		}
		if len(l.Show.Players) > rcg.Players {
			t.Errorf("%d players", len(l.Show.Players))
		}
		if err := again.UnmarshalText(bytes.Clone(b)); err != nil || fmt.Sprint(l) != fmt.Sprint(again) {
			t.Error(err)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	lines := game(b, 6)
	bytes := 0
	for _, line := range lines[1:] {
		bytes += len(line)
	}
	b.SetBytes(int64(bytes / (len(lines) - 1)))
	var l rcg.Line
	for i := 0; b.Loop(); i++ {
		if err := l.UnmarshalText([]byte(lines[1+i%(len(lines)-1)])); err != nil {
			b.Fatal(err)
		}
	}
}
