package export

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"touchline/matchlog"
)

// The programs of analysts read the exports. TOUCHLINE_ANALYSTS names a folder with the sources of kloppy, floodlight,
// mplsoccer and common-data-format-validator, and TOUCHLINE_PYTHON a Python that has what they import, default python3.
func TestAnalystsRead(t *testing.T) {
	libraries := os.Getenv("TOUCHLINE_ANALYSTS")
	if libraries == "" {
		t.Skip("no programs of analysts: set TOUCHLINE_ANALYSTS to the folder of their sources")
	}
	for name, l := range map[string]*matchlog.Log{
		"msl18": scripted(t, "18x12", 18, 12), "msl22": scripted(t, "22x14", 22, 14), "match": played(t, 3, "18x12"),
		"match22": played(t, 4, "22x14"),
	} {
		tracking, _ := exported(t, l, Options{Format: TRACAB})
		events, _ := exported(t, l, Options{Format: StatsBomb})
		common, _ := exported(t, l, Options{Format: CDF})
		out, err := exec.Command(cmp.Or(os.Getenv("TOUCHLINE_PYTHON"), "python3"), "testdata/readers.py", libraries, tracking, events,
			common).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		type size struct{ Length, Width float64 }
		var got struct {
			KloppyTracab struct {
				size
				Frames, Periods, Alive int
				Keepers                map[string]float64
				Ball                   []float64
			}
			Floodlight struct {
				size
				Frames map[string]int
				Robots []int
			}
			KloppyStatsBomb       struct{ Periods, Passes, Shots int }
			Mplsoccer             struct{ Passes, Shots, Robots int }
			Meta, Tracking, Event [2]int
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		d := readTRACAB(t, tracking)
		alive := 0
		for _, f := range d.frames {
			if f.alive {
				alive++
			}
		}
		k, fl := &got.KloppyTracab, &got.Floodlight
		if k.Frames != len(d.frames) || k.Length != d.length || k.Width != d.width || k.Periods != 2 || k.Alive != alive {
			t.Errorf("%s: kloppy read %+v of %d frames, %d alive", name, k, len(d.frames), alive)
		}
		for key, x := range k.Keepers { // home attacks +x in both halves
			if home := key[:4] == "home"; home != (x < -d.length/4) {
				t.Errorf("%s: kloppy has the goalkeeper %s at %g", name, key, x)
			}
		}
		if len(k.Keepers) != 4 || fl.Length != d.length || fl.Width != d.width || len(fl.Frames) != 2 {
			t.Errorf("%s: keepers %v, floodlight read %+v", name, k.Keepers, fl)
		}
		sent, _ := readStatsBomb(t, events)
		passes, shots := 0, 0
		for _, e := range sent {
			if e.Pass != nil {
				passes++
			}
			if e.Shot != nil {
				shots++
			}
		}
		if m, s := got.Mplsoccer, got.KloppyStatsBomb; m.Passes != passes || m.Shots != shots || m.Robots != len(d.players) ||
			s.Passes != passes || s.Shots != shots || s.Periods != 2 {
			t.Errorf("%s: %d passes and %d shots; mplsoccer read %+v, kloppy %+v", name, passes, shots, m, s)
		}
		if got.Meta != [2]int{1, 0} || got.Tracking != [2]int{len(d.frames), 0} || got.Event != [2]int{passes + shots, 0} {
			t.Errorf("%s: values and errors by the schemas: %v %v %v", name, got.Meta, got.Tracking, got.Event)
		}
	}
}
