package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/matchlog"
	"touchline/soccer"
)

// The programs of analysts read the exports. TOUCHLINE_ANALYSTS names a folder with the sources of kloppy, floodlight,
// mplsoccer and common-data-format-validator, and TOUCHLINE_PYTHON a Python that has what they import, default python3.
func TestAnalystsRead(t *testing.T) {
	libraries := os.Getenv("TOUCHLINE_ANALYSTS")
	if libraries == "" {
		t.Skip("no programs of analysts: set TOUCHLINE_ANALYSTS to the folder of their sources")
	}
	read := func(name string, l *matchlog.Log) {
		read := readWithAll(t, libraries, l)
		truth := truthOf(t, l)
		halves := read.tracab.halves
		for as, frames := range map[Format][]readFrame{"kloppy": read.KloppyFrames, "floodlight": read.FloodlightFrames} {
			d := document{rate: 10, halves: halves}
			for i := range frames {
				d.frames = append(d.frames, frames[i].shown(read.tracab.frames, i))
			}
			compareAll(t, as, &d, truth)
		}
		read.check(t, name)
	}
	read("msl18", scripted(t, "18x12", 18, 12))
	read("msl22", scripted(t, "22x14", 22, 14))
	for n := range 20 {
		read(fmt.Sprint("match ", n), drawn(t, n))
	}
}

// readFrame is a frame as a program has read it.
type readFrame struct {
	ID     int
	Alive  bool
	Owner  string
	Ball   []float64
	Robots map[string][]float64
}

// shown returns the frame as the re-readers do. floodlight reads no height: that of the file's own frame stands in for it.
func (f *readFrame) shown(own []shown, i int) shown {
	out := shown{id: f.ID, alive: f.Alive, owner: game.Side(f.Owner), robots: map[autoref.Player]soccer.Vec{}}
	if len(f.Ball) > 1 {
		out.ball = &soccer.Vec3{X: f.Ball[0], Y: f.Ball[1]}
		if len(f.Ball) > 2 {
			out.ball.Z = f.Ball[2]
		} else if i < len(own) && own[i].ball != nil {
			out.ball.Z = own[i].ball.Z
		}
	}
	for name, at := range f.Robots {
		side, number, _ := strings.Cut(name, " ")
		n, _ := strconv.Atoi(number)
		out.robots[autoref.Player{Side: game.Side(side), Number: uint8(n)}] = soccer.Vec{X: at[0], Y: at[1]}
	}
	return out
}

type readSize struct{ Length, Width float64 }

// readByAll is what the programs have read of an export.
type readByAll struct {
	KloppyTracab struct {
		readSize
		Frames, Periods, Alive int
		Keepers                map[string]float64
	}
	KloppyFrames, FloodlightFrames []readFrame
	Floodlight                     struct {
		readSize
		Frames map[string]int
		Robots []int
	}
	KloppyStatsBomb       struct{ Periods, Passes, Shots, Cards, Substitutions, Fouls int }
	Mplsoccer             struct{ Passes, Shots, Robots int }
	Meta, Tracking, Event [2]int

	tracab document
	events []sbEvent
}

func readWithAll(t *testing.T, libraries string, l *matchlog.Log) (got readByAll) {
	t.Helper()
	tracking, _ := exported(t, l, Options{Format: TRACAB})
	events, _ := exported(t, l, Options{Format: StatsBomb})
	common, _ := exported(t, l, Options{Format: CDF})
	c := exec.Command(cmp.Or(os.Getenv("TOUCHLINE_PYTHON"), "python3"), "testdata/readers.py", libraries, tracking, events, common)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil {
		t.Fatalf("%v\n%.2000s\n%s", err, out, errs.Bytes())
	}
	got.tracab = readTRACAB(t, tracking)
	got.events, _ = readStatsBomb(t, events)
	return got
}

// check compares counts and sizes.
func (r *readByAll) check(t *testing.T, name string) {
	t.Helper()
	d, k, fl := &r.tracab, &r.KloppyTracab, &r.Floodlight
	alive := 0
	for _, f := range d.frames {
		if f.alive {
			alive++
		}
	}
	if k.Frames != len(d.frames) || k.Length != d.length || k.Width != d.width || k.Periods != len(d.halves) || k.Alive != alive {
		t.Errorf("%s: kloppy read %+v of %d frames, %d alive", name, k, len(d.frames), alive)
	}
	for key, x := range k.Keepers { // home attacks +x in both halves
		if home := key[:4] == "home"; d.length > 10 && home != (x < -d.length/4) {
			t.Errorf("%s: kloppy has the goalkeeper %s at %g", name, key, x)
		}
	}
	if len(k.Keepers) != 2*len(d.halves) || fl.Length != d.length || fl.Width != d.width || len(fl.Frames) != len(d.halves) {
		t.Errorf("%s: keepers %v, floodlight read %+v", name, k.Keepers, fl)
	}
	n := map[string]int{}
	for _, e := range r.events {
		if n[e.Type.Name]++; e.Bad != nil || e.Foul != nil && e.Foul.Card != nil {
			n["card"]++
		}
	}
	s := r.KloppyStatsBomb
	if m := r.Mplsoccer; m.Passes != n["Pass"] || m.Shots != n["Shot"] || m.Robots != len(d.players) || s.Passes != n["Pass"] ||
		s.Shots != n["Shot"]+n["Own Goal Against"] || s.Cards != n["card"] || s.Fouls != n["Foul Committed"] || s.Substitutions != n["Substitution"] ||
		s.Periods != len(d.halves) {
		t.Errorf("%s: %v; mplsoccer read %+v, kloppy %+v", name, n, m, s)
	}
	if r.Meta != [2]int{1, 0} || r.Tracking != [2]int{len(d.frames), 0} || r.Event != [2]int{n["Pass"] + n["Shot"], 0} {
		t.Errorf("%s: values and errors by the schemas: %v %v %v", name, r.Meta, r.Tracking, r.Event)
	}
}
