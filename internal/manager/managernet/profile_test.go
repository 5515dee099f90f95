package managernet

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"touchline/internal/manager"
)

func declaredRobot() *manager.View {
	return &manager.View{Robot: 3, Parameters: []manager.ParameterView{
		{Name: "exposure", Kind: "number", Value: 6.1}, {Name: "rows", Kind: "integer", Value: 160},
		{Name: "automatic", Kind: "switch", Value: 1}, {Name: "size", Kind: "choice", Value: 1, Choices: []string{"big", "small"}},
		{Name: "temperature", Kind: "number", Value: 40, ReadOnly: true},
	}}
}

// A profile that was saved changes nothing on its robot, and on another one what differs; what means nothing to that
// declaredRobot is named.
func TestSaveAndCompare(t *testing.T) {
	shelf := profileFolder{Dir: filepath.Join(t.TempDir(), "profiles")}
	if err := shelf.save("Eindhoven hall 2", profileOf(declaredRobot()), nil); err != nil {
		t.Fatal(err)
	}
	p, err := shelf.load("Eindhoven hall 2")
	if err != nil {
		t.Fatal(err)
	}
	if changes, foreign := p.compare(declaredRobot()); len(changes) > 0 || len(foreign) > 0 {
		t.Errorf("on its own robot: %v, %v", changes, foreign)
	}
	other := declaredRobot()
	other.Parameters = other.Parameters[1:]
	other.Parameters[1].Value = 0
	other.Parameters[2].Choices = []string{"small", "big"}
	rows := shelf.rows(other, nil)
	want := []Row{{
		Name: "Eindhoven hall 2", Robot: 3, Colors: "none", Foreign: []string{"exposure"},
		Changes: []Difference{{Name: "automatic", Have: 0, Want: 1}, {Name: "size", Have: 1, Want: 0}},
	}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %+v\nwant %+v", rows, want)
	}
}

// A colour table is kept beside the parameters, compared with the robot's, and gone when the name is saved without one.
func TestProfileColors(t *testing.T) {
	shelf := profileFolder{Dir: t.TempDir()}
	expect := func(kept, runs []byte, want string) {
		t.Helper()
		if err := shelf.save("hall", profileOf(declaredRobot()), kept); err != nil {
			t.Fatal(err)
		}
		if rows := shelf.rows(declaredRobot(), runs); len(rows) != 1 || rows[0].Colors != want || rows[0].Fault != "" {
			t.Errorf("%q beside %q: %+v, want %s", kept, runs, rows, want)
		}
		if got, err := shelf.colors("hall"); err != nil || string(got) != string(kept) {
			t.Errorf("read %q, %v, want %q", got, err, kept)
		}
	}
	expect([]byte("a"), nil, "unknown")
	expect([]byte("a"), []byte("a"), "same")
	expect([]byte("b"), []byte("a"), "other")
	expect(nil, []byte("a"), "none")
	if _, err := shelf.colors("../hall"); err == nil {
		t.Error("read a file of another folder")
	}
	if err := os.WriteFile(filepath.Join(shelf.Dir, "hall.colors.table"), make([]byte, manager.MaxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if rows := shelf.rows(declaredRobot(), nil); len(rows) != 1 || !strings.Contains(rows[0].Fault, "want at most") {
		t.Errorf("a table that is too long: %+v", rows)
	}
}

// Files that are no profiles are refused, and listed with their fault.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"version = 1\nrobot = 3\nspeed = 1\n":          `unknown key "speed"`,
		"version = 2\n":                                "version 2: want 1",
		"version = 1\n[parameters]\na = nan\n":         `parameter "a": want a number`,
		"version = 1\n[parameters]\na = [1]\n":         `parameter "a": want a number`,
		"version = 1\nrobot = 300\n":                   "300",
		"version = ":                                   "profile: toml",
		"version = 1\n[parameters]\na = 1\na = 2\n":    "profile: toml",
		"version = 1\n#" + strings.Repeat("x", 200000): "want at most",
	} {
		if err := os.WriteFile(filepath.Join(dir, "bad.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rows := (profileFolder{Dir: dir}).rows(declaredRobot(), nil)
		if len(rows) != 1 || !strings.Contains(rows[0].Fault, want) {
			t.Errorf("%.40q: %+v, want %q", text, rows, want)
		}
	}
	for _, name := range []string{"", "../etc", "a/b", " a", strings.Repeat("x", 33), "a.b", "a\nb"} {
		if err := (profileFolder{Dir: dir}).save(name, profileOf(declaredRobot()), nil); err == nil {
			t.Errorf("saved as %q", name)
		}
	}
	if _, err := (profileFolder{}).load("a"); err == nil {
		t.Error("loaded without a folder")
	}
}

// A file whose keys or values lie deep within each other is refused before it is decoded, which would take gigabytes. Dots
// and brackets in texts and comments, and those of numbers, do not count.
func TestNesting(t *testing.T) {
	deep := map[string]string{
		"a key with dots":   "version = 1\n" + strings.Repeat("a.", 16_000) + "a = 1\n",
		"quoted":            "version = 1\n" + strings.Repeat(`"a".`, 8000) + "a = 1\n",
		"after a text":      "a = \"\\\"\"\n" + strings.Repeat("a.", 15_000) + "a = 1\n",
		"after a multiline": "a = \"\"\"\n'\"\"\"\n" + strings.Repeat("a.", 15_000) + "a = 1\n",
		"a table":           "[" + strings.Repeat("a.", 16_000) + "a]\n",
		"tables in a line":  "a = " + strings.Repeat("{a=", 10_000),
		"lists":             "a = " + strings.Repeat("[", 30_000),
	}
	for what, text := range deep {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parseProfile([]byte(text))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "want one value a line") {
			t.Errorf("%s: got %v", what, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes of memory for a file of %d", what, took, len(text))
		}
	}
	fine := "version = 1 # a.b.c.d.e.f.g.h.i.j.k.l [[[[[\n[parameters] # ' \" \n\"a.b.c.d.e.f.g.h.i.j.k\" = 1.5\n" +
		"b = 'x.y.z [[[[ {{{{ .........'\nc = \"\\\"............\"\nd = 1.5\n"
	if p, err := parseProfile([]byte(fine)); err != nil || len(p.Parameters) != 4 {
		t.Errorf("got %+v, %v, want 4 parameters", p, err)
	}
}

// Only regular files are read, also through a link: a pipe would wait for ever, a device never ends.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "device.toml")); err != nil {
		t.Skip("this system has no links")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	rows := (profileFolder{Dir: dir}).rows(declaredRobot(), nil)
	if len(rows) != 2 || !strings.Contains(rows[0].Fault, "is no regular file") || !strings.Contains(rows[1].Fault, "is no regular file") {
		t.Errorf("got %+v", rows)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("version = 1\nrobot = 3\n[parameters]\nexposure = 6.5\nautomatic = true\nsize = \"big\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := parseProfile(b); err == nil {
			p.compare(declaredRobot())
		}
	})
}

// A folder takes at most 200 profiles; the present ones may still be saved again.
func TestProfilesAreBounded(t *testing.T) {
	folder := profileFolder{Dir: t.TempDir()}
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(folder.Dir, fmt.Sprintf("p%d.toml", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := folder.save("one more", profileOf(declaredRobot()), nil)
	if err == nil || !strings.Contains(err.Error(), "200 profiles") {
		t.Errorf("the 201st profile: %v", err)
	}
	if err := folder.save("p7", profileOf(declaredRobot()), nil); err != nil {
		t.Errorf("a profile that is there: %v", err)
	}
}
