package export

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/matchlog"
	"touchline/soccer"
)

var update = flag.Bool("update", false, "write the golden files")

// The files of scripted logs are those that kloppy, floodlight, mplsoccer and the schemas of the Common Data Format accepted.
func TestGolden(t *testing.T) {
	for name, l := range map[string]*matchlog.Log{
		"msl18": scripted(t, "18x12", 18, 12), "msl22": scripted(t, "22x14", 22, 14), "vss": scriptedVSS(t),
	} {
		for _, as := range []Format{TRACAB, StatsBomb, CDF, CSV} {
			dir, r := exported(t, l, Options{Format: as})
			want := filepath.Join("testdata", name, string(as))
			if *update {
				if err := errors.Join(os.RemoveAll(want), os.CopyFS(want, os.DirFS(dir))); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range r.Files {
				got := content(t, dir, f.Name)
				if int64(len(got)) != f.Bytes {
					t.Errorf("%s has %d bytes, the result says %d", f.Name, len(got), f.Bytes)
				}
				if golden := content(t, want, f.Name); !bytes.Equal(got, golden) {
					t.Errorf("%s, %s: %s differs from the golden file; if it should, run go test -update\n%.2000s", name, as, f.Name, got)
				}
			}
			golden := 0
			if err := filepath.WalkDir(want, func(_ string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					golden++
				}
				return err
			}); err != nil || golden != len(r.Files) {
				t.Errorf("%s: %d files, want %d (%v)", want, len(r.Files), golden, err)
			}
		}
	}
}

// The notes of persons have the times of the other tables: s since the first frame of the match.
func TestNotes(t *testing.T) {
	end := 2.2
	want := []noteRow{
		{"final", 2, 0, -0.2, nil, "before the game"}, {"final", 3, 1, 0.3, nil, "the kick-off"},
		{"final", 1, 2, 1.8, &end, `"well", he said, kicked`},
	}
	for _, as := range []Format{CSV, Parquet} {
		dir, _ := exported(t, scripted(t, "18x12", 18, 12), Options{Format: as})
		if got := readTable[noteRow](t, dir, "notes", as); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", as, got, want)
		}
	}
}

// A robot is in the frames until it is sent off or replaced, and from when it comes; its software may be off.
func TestRobotsOfFrames(t *testing.T) {
	dir, r := exported(t, scripted(t, "18x12", 18, 12), Options{Format: TRACAB})
	if d := readTRACAB(t, dir); len(d.frames) != 26 || r.Frames != 26 {
		t.Fatalf("%d frames, want the 12 and 14 of the halves", len(d.frames))
	} else {
		for _, f := range d.frames {
			n := f.id + 1 // of the script: the first half begins with its third frame
			for number, want := range map[uint8]bool{1: true, 2: n < 8, 3: n < 18, 4: true, 5: true, 6: n >= 18} {
				if _, there := f.robots[autoref.Player{Side: game.Home, Number: number}]; there != want {
					t.Errorf("frame %d: home %d is there: %t, want %t", n, number, there, want)
				}
			}
			if alive := n >= 4 && n < 12 || n >= 20 && n < 28; f.alive != alive || f.owner != game.Home {
				t.Errorf("frame %d: alive %t, owner %s", n, f.alive, f.owner)
			}
		}
		if want := map[int]span{1: {1, 12, true}, 2: {15, 28, false}}; !reflect.DeepEqual(d.halves, want) {
			t.Errorf("halves %v, want %v", d.halves, want)
		}
	}
	dir, _ = exported(t, scripted(t, "18x12", 18, 12), Options{Format: CSV})
	for _, row := range readTable[trackingRow](t, dir, "tracking", CSV) {
		n := row.Frame + 1
		off := row.Team == "away" && row.Number == 3
		has := row.Team == "home" && row.Number == 5 && (n >= 8 && n < 16 || n >= 24)
		if (row.State != nil && *row.State == "off") != off || row.HasBall != has {
			t.Errorf("frame %d: %s %d: state %v, has the ball: %t", n, row.Team, row.Number, row.State, row.HasBall)
		}
	}
	events := readTable[eventRow](t, dir, "events", CSV)
	passes := slices.DeleteFunc(events, func(e eventRow) bool { return e.Type != "pass" })
	if len(passes) != 2 {
		t.Fatalf("passes %+v, want one in each half", passes)
	}
	for i, e := range passes {
		if e.Team != "home" || e.Number != 4 || e.Receiver == nil || *e.Receiver != 5 || !*e.Success || int(e.Period) != i+1 || *e.EndX <= 0 {
			t.Errorf("pass %+v, want one from home 4 to home 5 towards +x", e)
		}
	}
}

// truthOf returns the frames of the halves of a match as its log has them.
func truthOf(t *testing.T, l *matchlog.Log) (frames []analysis.Frame) {
	m, err := analysislog.Describe(l)
	if err == nil {
		detector := analysis.Detector{Field: m.Field}
		err = m.Read(l, analysislog.Options{}, func(f *analysis.Frame) error {
			detector.Fill(f)
			if !f.State.Part.IsInterval() {
				c := *f
				c.Scene.Robots = slices.Clone(f.Scene.Robots)
				frames = append(frames, c)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

// Every frame of every format has the positions of the log, within a centimetre, and the same owner and state.
func TestFramesAreThoseOfTheLog(t *testing.T) {
	for seed := range uint64(4) {
		size, length, width := "18x12", 18.0, 12.0
		if seed%2 == 1 {
			size, length, width = "22x14", 22, 14
		}
		l := played(t, seed+1, size)
		truth := truthOf(t, l)
		for as, read := range map[Format]func(*testing.T, string) document{TRACAB: readTRACAB, CDF: readCDF} {
			dir, _ := exported(t, l, Options{Format: as})
			d := read(t, dir)
			if d.length != length || d.width != width {
				t.Fatalf("%s: %g x %g m", as, d.length, d.width)
			}
			compareAll(t, as, &d, truth)
		}
		compareTables(t, l, truth)
	}
}

// Matches of all kinds have the frames, positions, owners and states of their logs in all formats.
func TestDrawnMatches(t *testing.T) {
	for n := range 2 * kinds {
		l := drawn(t, n)
		truth := truthOf(t, l)
		for as, read := range map[Format]func(*testing.T, string) document{TRACAB: readTRACAB, CDF: readCDF} {
			dir, _ := exported(t, l, Options{Format: as})
			d := read(t, dir)
			compareAll(t, as, &d, truth)
		}
		compareTables(t, l, truth)
		dir, _ := exported(t, l, Options{Format: StatsBomb})
		events, _ := readStatsBomb(t, dir)
		cards, changes := 0, 0
		for _, e := range events {
			if e.Bad != nil || e.Foul != nil && e.Foul.Card != nil {
				cards++
			}
			if e.Substitution != nil {
				changes++
			}
		}
		if want := 1 - n%kinds/2; cards != want || changes != want { // the other kinds have none
			t.Errorf("match %d: %d cards, %d substitutions, want %d of each", n, cards, changes, want)
		}
	}
}

// compareAll compares the frames of a format in which teams change ends with those of the log.
func compareAll(t *testing.T, as Format, d *document, truth []analysis.Frame) {
	t.Helper()
	if len(d.frames) != len(truth) || d.rate != 10 {
		t.Fatalf("%s: %d frames, %d a second; the log has %d", as, len(d.frames), d.rate, len(truth))
	}
	for i := range truth {
		compare(t, as, d, i, &truth[i], truth[0].Time)
	}
}

// compare compares a frame of a format in which teams change ends with one of the log.
func compare(t *testing.T, as Format, d *document, i int, want *analysis.Frame, begin soccer.Time) {
	t.Helper()
	f, s := &d.frames[i], &want.Scene
	if id := 1 + int(want.Time.Sub(begin)/(100*time.Millisecond)); f.id != id || f.alive != want.State.Running {
		t.Fatalf("%s: frame %d, alive %t; want %d, %t", as, f.id, f.alive, id, want.State.Running)
	}
	h := d.halves[int(periods[want.State.Part])]
	if f.id < h.first || f.id > h.last || h.right != (want.State.Part.Attack(game.Home) > 0) {
		t.Fatalf("%s: frame %d of the %s, the half is %+v", as, f.id, want.State.Part, h)
	}
	if want.Known != (f.ball != nil) || want.Known && (f.ball.XY().Sub(s.Ball.XY()).Len() > 0.01 || math.Abs(f.ball.Z-s.Ball.Z) > 0.01) {
		t.Fatalf("%s: frame %d: ball %v, want %v", as, f.id, f.ball, s.Ball)
	}
	n := 0
	for _, r := range s.Robots {
		if !r.There || away(want.State.Team(r.Side), int(r.Number)) {
			continue
		}
		if p, ok := f.robots[r.Player]; !ok || p.Sub(r.Pose.XY()).Len() > 0.01 {
			t.Fatalf("%s: frame %d: %v at %v, want %v", as, f.id, r.Player, p, r.Pose)
		}
		n++
	}
	if len(f.robots) != n {
		t.Fatalf("%s: frame %d has %d robots, want %d", as, f.id, len(f.robots), n)
	}
	owner := s.Holder.Side
	if owner == game.Both {
		owner = s.Touched.Side
	}
	if owner != game.Both && f.owner != owner {
		t.Fatalf("%s: frame %d: owner %s, want %s", as, f.id, f.owner, owner)
	}
}

// compareTables compares the table tracking with the log, and CSV with Parquet.
func compareTables(t *testing.T, l *matchlog.Log, truth []analysis.Frame) {
	t.Helper()
	dir, _ := exported(t, l, Options{Format: CSV})
	packed, _ := exported(t, l, Options{Format: Parquet})
	rows := readTable[trackingRow](t, dir, "tracking", CSV)
	same(t, "tracking", rows, readTable[trackingRow](t, packed, "tracking", Parquet))
	same(t, "events", readTable[eventRow](t, dir, "events", CSV), readTable[eventRow](t, packed, "events", Parquet))
	same(t, "matches", readTable[matchRow](t, dir, "matches", CSV), readTable[matchRow](t, packed, "matches", Parquet))
	frames := map[int32]*analysis.Frame{}
	for i := range truth {
		frames[1+int32(truth[i].Time.Sub(truth[0].Time)/(100*time.Millisecond))] = &truth[i]
	}
	balls, known := 0, 0
	for i := range truth {
		if truth[i].Known {
			known++
		}
	}
	for _, row := range rows {
		f := frames[row.Frame]
		if f == nil {
			t.Fatalf("no frame %d", row.Frame)
		}
		direction := f.State.Part.Attack(game.Home)
		at := soccer.Vec{X: float64(row.X) * direction, Y: float64(row.Y) * direction}
		want := f.Scene.Ball.XY()
		if row.Object == "robot" {
			i := slices.IndexFunc(f.Scene.Robots, func(r autoref.Robot) bool {
				return r.Player == autoref.Player{Side: game.Side(row.Team), Number: uint8(row.Number)}
			})
			want = f.Scene.Robots[i].Pose.XY()
		} else {
			balls++
		}
		if at.Sub(want).Len() > 0.001 || row.Alive != f.State.Running || row.Period != periods[f.State.Part] {
			t.Fatalf("row %+v, want it at %v in the %s", row, want, f.State.Part)
		}
		if row.VX != nil && math.Hypot(float64(*row.VX), float64(*row.VY)) > fastestBall {
			t.Fatalf("row %+v is too fast", row)
		}
	}
	if balls != known {
		t.Errorf("%d rows of a ball, which %d frames have", balls, known)
	}
}

// same compares the rows of two tables.
func same[T any](t *testing.T, name string, a, b []T) {
	t.Helper()
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%s: %d rows of CSV, %d of Parquet", name, len(a), len(b))
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Fatalf("%s, row %d: CSV has %+v, Parquet %+v", name, i, a[i], b[i])
		}
	}
}

// StatsBomb's events are those of the report. The team that acts attacks +x: at a shot the other goalkeeper stands there.
func TestStatsBombOfMatch(t *testing.T) {
	shots := 0
	for seed := range uint64(4) {
		l := played(t, seed+1, "18x12")
		dir, _ := exported(t, l, Options{Format: StatsBomb})
		tables, _ := exported(t, l, Options{Format: CSV})
		events, _ := readStatsBomb(t, dir)
		counts := map[string]int{}
		for i, e := range events {
			if i < 2 != (e.Type.ID == 35) || i < 2 && (e.Tactics.Formation != 442 || len(e.Tactics.Lineup) != 5) {
				t.Fatalf("event %d is %+v", i, e)
			}
			key := fmt.Sprintf("%s %s %d", e.Type.Name, e.Team.Name, e.Period)
			counts[key]++
			if e.Type.Name == "Pass" && e.Pass.Outcome == nil {
				counts["arrived"]++
				if e.Pass.Recipient == nil || len(e.Related) != 1 {
					t.Errorf("pass %+v", e.Pass)
				}
			}
			if e.Shot == nil {
				continue
			}
			shots++
			for _, r := range e.Shot.Freeze {
				x, _ := r.Location[0].Float64()
				if r.Position.Name == "Goalkeeper" && (x > 60) == r.Teammate {
					t.Errorf("seed %d: shot of %s in period %d: goalkeeper at %g, teammate: %t", seed+1, e.Player.Name, e.Period, x, r.Teammate)
				}
			}
			if len(e.Shot.Freeze) != 9 {
				t.Errorf("%d other robots at a shot, want 9", len(e.Shot.Freeze))
			}
		}
		for _, e := range readTable[eventRow](t, tables, "events", CSV) {
			if e.Type == "pass" && *e.Success {
				counts["arrived"]--
			}
		}
		// Both teams of these matches have the same name.
		if counts["Half Start home 1"] != 1 || counts["Half End away 2"] != 1 || counts["arrived"] != 0 {
			t.Errorf("seed %d: %v", seed+1, counts)
		}
	}
	if shots == 0 {
		t.Error("no shot in four matches")
	}
}

// StatsBomb has the cards, with the fouls that they follow, and the substitutions. A card that was taken back is none.
func TestStatsBombOfReferee(t *testing.T) {
	dir, _ := exported(t, scripted(t, "18x12", 18, 12), Options{Format: StatsBomb})
	events, _ := readStatsBomb(t, dir)
	var told []string
	for _, e := range events {
		switch {
		case e.Bad != nil:
			told = append(told, fmt.Sprintf("%d %s %s: %s, %s", e.Period, e.Timestamp, e.Type.Name, e.Bad.Card.Name, e.Player.Name))
		case e.Substitution != nil:
			in := e.Substitution.Replacement.Name
			told = append(told, fmt.Sprintf("%d %s %s: %s, %s", e.Period, e.Timestamp, e.Type.Name, e.Player.Name, in))
		}
	}
	if want := []string{"1 00:00:00.600 Bad Behaviour: Red Card, Lions 2", "2 00:00:00.200 Substitution: Lions 3, Lions 6"}; !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
	l := newLog(t, nil, func(s *script) {
		for n := range 60 {
			st := game.State{Time: at(n), Part: game.FirstHalf, Running: n%20 >= 5}
			if st.Running {
				st.Taking = []game.SetPiece{
					{Command: game.KickOff, Side: game.Home}, {Command: game.FreeKick, Side: game.Home}, {Command: game.PenaltyKick, Side: game.Away},
				}[n/20]
			}
			if n >= 21 {
				st.Away.Penalties = []game.Penalty{{Number: 1, Command: game.YellowCard, Robot: 3}}
			}
			if n >= 30 && n < 32 {
				st.Away.Penalties = append(st.Away.Penalties, game.Penalty{Number: 2, Command: game.RedCard, Robot: 1})
			}
			s.put(at(n), matchlog.States, &st)
			truth := scriptedTruth(n%16, 18, 12, 1)
			truth.Time = at(n)
			s.put(at(n), matchlog.Truth, truth)
		}
	})
	dir, _ = exported(t, l, Options{Format: StatsBomb})
	events, _ = readStatsBomb(t, dir)
	told = nil
	for _, e := range events {
		if e.Bad != nil {
			t.Errorf("a card that was taken back: %+v", e)
		}
		if e.Type.ID == 22 {
			text := fmt.Sprint(e.Timestamp, " ", e.Team.Name)
			if e.Player != nil {
				text += fmt.Sprintf(", robot %s", e.Player.Name)
			}
			if e.Foul != nil && e.Foul.Card != nil {
				text += ", " + e.Foul.Card.Name
			}
			if e.Foul != nil && e.Foul.Penalty {
				text += ", penalty"
			}
			told = append(told, text)
		}
	}
	if want := []string{"00:00:02.500 away, robot away 3, Yellow Card", "00:00:04.500 home, penalty"}; !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
}

// A half whose ball nobody knows has no rows of a ball. Worldstates are no truth, and a team may be alone.
func TestHalfWithoutBall(t *testing.T) {
	l := worldstates(t)
	dir, r := exported(t, l, Options{Format: CSV})
	balls := map[int8]int{}
	for _, row := range readTable[trackingRow](t, dir, "tracking", CSV) {
		if row.Object == "ball" {
			balls[row.Period]++
			if row.X != 2 || row.Y != -1.5 { // the MSL frame has X to the right
				t.Fatalf("ball at %g, %g", row.X, row.Y)
			}
		}
	}
	if balls[1] != 0 || balls[2] != 20 {
		t.Errorf("balls in the halves: %v, want none and 20", balls)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"worldstates, not ground truth", "20 frames have no ball", "no robot of away"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q: %s", want, notes)
		}
	}
	for _, row := range readTable[beliefRow](t, dir, "beliefs", CSV) {
		if row.Observer != 0 || row.Error != nil {
			t.Errorf("belief %+v of a base station: no error is known without a truth", row)
		}
	}
	dir, _ = exported(t, l, Options{Format: TRACAB})
	for i, f := range readTRACAB(t, dir).frames {
		if (f.ball == nil) != (i < 20) || f.ball != nil && f.ball.X != -2 {
			t.Errorf("TRACAB, frame %d: ball %v", i, f.ball)
		}
	}
	dir, _ = exported(t, l, Options{Format: CDF})
	for i, f := range readCDF(t, dir).frames {
		if (f.ball == nil) != (i < 20) {
			t.Errorf("CDF, frame %d: ball %v", i, f.ball)
		}
	}
}

// A lower rate leaves frames out.
func TestThinned(t *testing.T) {
	dir, r := exported(t, scripted(t, "18x12", 18, 12), Options{Format: TRACAB, Rate: 5})
	d := readTRACAB(t, dir)
	if r.Rate != 5 || d.rate != 5 || len(d.frames) != 13 || d.frames[1].id != 2 {
		t.Errorf("rate %d, %d frames", d.rate, len(d.frames))
	}
}

// Prepare refuses what cannot be exported, and says what to do.
func TestRefused(t *testing.T) {
	l := scripted(t, "18x12", 18, 12)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "match.mcap"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	reset := newLog(t, nil, func(s *script) {
		for n := range 20 {
			st := game.State{Part: game.SecondHalf, Running: true}
			if n >= 10 {
				st.Part = game.FirstHalf
			}
			s.put(at(n), matchlog.States, &st)
			s.put(at(n), matchlog.Truth, scriptedTruth(n, 18, 12, 1))
		}
	})
	jump := newLog(t, nil, func(s *script) {
		for n := range 20 {
			when := at(n)
			if n == 19 {
				when = when.Add(1 << 62)
			}
			truth := scriptedTruth(n, 18, 12, 1)
			truth.Time = when
			s.put(when, matchlog.Truth, truth)
		}
	})
	dir := t.TempDir()
	for want, o := range map[string]struct {
		l *matchlog.Log
		Options
	}{
		"--as xml: want tracab":                  {l, Options{Format: "xml", Dir: dir}},
		"-o is required":                         {l, Options{Format: CSV}},
		"the folder already contains match.mcap": {l, Options{Format: CSV, Dir: full}},
		"name a new or empty folder":             {l, Options{Format: CSV, Dir: filepath.Join(full, "match.mcap")}},
		"--rate 25: the log has 10 frames":       {l, Options{Format: CSV, Dir: dir, Rate: 25}},
		"--rate 4: the log has 10 frames":        {l, Options{Format: CSV, Dir: dir, Rate: 4}},
		"--rate 5: statsbomb holds events":       {l, Options{Format: StatsBomb, Dir: dir, Rate: 5}},
		"neither ground truth nor worldstates":   {newLog(t, nil, func(*script) {}), Options{Format: CSV, Dir: dir}},
		"returns to the first half after 1.0 s":  {reset, Options{Format: CSV, Dir: dir}},
		"the log's clock jumps":                  {jump, Options{Format: CSV, Dir: dir}},
	} {
		e, err := Prepare(o.l, o.Options)
		if err == nil {
			_, err = e.Write(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v is left", want, left)
		}
	}
}

// An export that fails leaves nothing behind.
func TestNothingIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, as := range Formats() {
		dir := filepath.Join(t.TempDir(), "out")
		e, err := Prepare(scripted(t, "18x12", 18, 12), Options{Format: Format(as), Dir: dir, ID: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was interrupted", as, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %s is left", as, dir)
		}
	}
}

// Frames of a pause, of a clock that was set back, and gaps are said.
func TestOddClocks(t *testing.T) {
	l := newLog(t, nil, func(s *script) {
		for n := range 30 {
			when := at(n)
			switch {
			case n >= 20:
				when = when.Add(5 * time.Second)
			case n >= 10:
				when = at(9) // the match stands still
			}
			truth := scriptedTruth(n, 18, 12, 1)
			truth.Time = when
			s.put(at(n), matchlog.Truth, truth)
		}
	})
	dir, r := exported(t, l, Options{Format: CDF})
	d := readCDF(t, dir)
	if len(d.frames) != 20 || d.frames[10].id != 71 || !strings.Contains(strings.Join(r.Notes, " "), "10 frames of a pause") ||
		!strings.Contains(strings.Join(r.Notes, " "), "1 gaps of more than a second") {
		t.Errorf("%d frames, %q", len(d.frames), r.Notes)
	}
}
