package matchlog_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/game"
	"touchline/matchlog"
	"touchline/soccer"
)

// simulated returns the text of a game of rcssserver.
func simulated(t testing.TB, format int) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "wire", "rcg", "testdata", fmt.Sprintf("format%d.rcg.gz", format)))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A game with two halves of 50 cycles, two of 30 and a shoot-out: what the referee did, and where the players stood.
func TestSimulation(t *testing.T) {
	text := simulated(t, 6)
	l := open(t, write(t, filepath.Join(t.TempDir(), "20260703155014-Alpha_0-vs-Beta_2_0.rcg"), text))
	info := l.Info()
	if info.Home != "Alpha" || info.Away != "Beta_2" || !info.Finished || len(info.Notes) > 0 || info.Torn != "" ||
		info.Start != 1783093814e9 {
		t.Errorf("%+v", info)
	}
	var parts []game.Part
	kicks := map[game.Contact]bool{}
	var st game.State
	shows, newest := 0, soccer.Time(0)
	for _, m := range all(t, l, 0, 0) {
		if m.Time < newest {
			t.Fatalf("%v after %v", m.Time, newest)
		}
		newest = m.Time
		switch m.Channel {
		case matchlog.States:
			if err := json.Unmarshal(m.Data, &st); err != nil {
				t.Fatal(err)
			}
			if len(parts) == 0 || parts[len(parts)-1] != st.Part {
				parts = append(parts, st.Part)
			}
		case matchlog.Truth:
			var truth game.Truth
			if err := json.Unmarshal(m.Data, &truth); err != nil || len(truth.Robots) != 8 || truth.Contacts == nil {
				t.Fatalf("%v: %s", err, m.Data)
			}
			if shows++; truth.Contacts.Kicked.Number > 0 {
				kicks[truth.Contacts.Kicked] = true
			}
			checkSides(t, st.Part, &truth)
		}
	}
	want := []game.Part{game.FirstHalf, game.SecondHalf, game.OvertimeFirst, game.OvertimeSecond, game.ShootOut, game.End}
	if !slices.Equal(parts, want) || shows != 270 || len(kicks) < 5 {
		t.Errorf("parts %v, %d cycles, %d kicks", parts, shows, len(kicks))
	}
	s, err := l.Summary("")
	if err != nil || s.Field.Length != 105 || len(s.Events) < 20 {
		t.Errorf("%v, %+v", err, s)
	}
}

// checkSides checks that each goalkeeper stands before its own goal while the teams play.
func checkSides(t *testing.T, part game.Part, truth *game.Truth) {
	t.Helper()
	if part == game.ShootOut || part == game.End {
		return
	}
	for _, r := range truth.Robots {
		if own := -52.5 * part.Attack(r.Team); r.Number == 1 && math.Abs(r.Pose.X-own) > 30 {
			t.Fatalf("%s: the goalkeeper of %s is at x %.1f, and its goal at %.1f", part, r.Team, r.Pose.X, own)
		}
	}
}

// Damaged games lose what is damaged, and say so; packed ones are the same as their text.
func TestSimulationDamaged(t *testing.T) {
	text := simulated(t, 5)
	lines := strings.SplitAfter(string(text), "\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	z.Close()
	for name, c := range map[string]struct {
		text    string
		shows   int
		problem string
	}{
		"packed": {packed.String(), 79, ""},
		"torn":   {string(text[:len(text)/2]), -1, "1 lines cannot be read"},
		"cut":    {packed.String()[:packed.Len()/2], -1, "cannot be read: unexpected EOF"},
		"long":   {strings.Join(lines[:30], "") + "(show " + strings.Repeat("9", 1<<20) + ")\n" + strings.Join(lines[30:], ""), 79, "1 lines cannot be read"},
		"wrong":  {strings.Join(lines[:30], "") + "(show 8 ((b) x 0 0 0))\n" + strings.Join(lines[30:], ""), 79, "line 31: rcg: malformed line"},
	} {
		l := open(t, write(t, filepath.Join(t.TempDir(), "game.rcg"), []byte(c.text)))
		got := 0
		for _, m := range all(t, l, 0, 0) {
			if m.Channel == matchlog.Truth {
				got++
			}
		}
		notes := strings.Join(l.Info().Notes, "; ")
		if c.shows >= 0 && got != c.shows || got == 0 || !strings.Contains(notes, c.problem) || c.problem == "" && notes != "" {
			t.Errorf("%s: %d cycles, %q", name, got, notes)
		}
	}
	for _, head := range []string{"ULG\x02abc", "ULG7\n", "ULG", "\x1f\x8b", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00hello"} {
		if _, err := matchlog.Open(write(t, filepath.Join(t.TempDir(), "x.rcg"), []byte(head))); !errors.Is(err, matchlog.ErrFormat) {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// FuzzSimulation opens damaged games.
func FuzzSimulation(f *testing.F) {
	lines := bytes.SplitAfter(simulated(f, 6), []byte("\n"))
	f.Add(bytes.Join(lines[:30], nil))
	f.Add([]byte("ULG6\n(playmode 0 before_kick_off)\n(show 3000 ((b) 0 0 0 0))\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.HasPrefix(b, []byte("ULG")) {
			return
		}
		l, err := matchlog.Open(write(t, filepath.Join(dir, "x.rcg"), b))
		if err != nil {
			return
		}
		defer l.Close()
		if err := l.Wait(); err != nil {
			t.Error(err)
		}
	})
}
