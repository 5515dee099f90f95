package dissector

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/internal/formats"
	"touchline/wire"
)

// A new format is a row: its tables alone recognise and dissect it.
func TestNewFormat(t *testing.T) {
	lua, err := exec.LookPath("lua5.4")
	if err != nil {
		if os.Getenv("TOUCHLINE_CHECK") != "" {
			t.Fatal("lua5.4 is missing: ./check installs it")
		}
		t.Skip("lua5.4 is not installed")
	}
	rows := []wire.Row{
		{Kind: wire.Bytes, Name: "header", Size: 4, Style: &wire.Style{Fixed: "RGme"}},
		{Kind: wire.Uint, Name: "version", Size: 1, Range: &wire.Range{Least: 19, Most: 19, Text: "%d: want %d"}},
		{Kind: wire.Uint, Name: "seconds", Size: 2, Unit: "s"},
		{Kind: wire.Each, Name: "players", Size: 2, Rows: []wire.Row{
			{Kind: wire.Uint, Name: "players[#].penalty", Size: 1, Style: &wire.Style{Names: map[int64]string{0: "none"}}},
			{Kind: wire.Int, Name: "players[#].bearing", Size: 2, Unit: "mrad"},
		}},
	}
	before := described()
	defer func() { described = func() []*formats.Format { return before } }()
	described = func() []*formats.Format {
		return append(slices.Clone(before), &formats.Format{Name: "new", League: "A new league",
			Messages: make([]formats.Message, 1), Describe: func() wire.Description {
				return wire.Description{Ports: []wire.Port{{Address: ":3838"}},
					Messages: []wire.Message{{Name: "control", Rows: rows}}}
			}})
	}
	var b bytes.Buffer
	if err := Lua(&b, "test"); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "touchline.lua")
	if err := os.WriteFile(script, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	data := []byte("RGme\x12\x2c\x01\x00\xff\xff\x03\x10\x00")
	c := exec.Command(lua, "testdata/mock.lua", script)
	c.Stdin = strings.NewReader(fmt.Sprintf("new 127.0.0.1 3838 0 %x\n", data))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{"new.expert 4 1 12 Fault: 18: want 19"}
	fields, _ := wire.AppendFields(nil, rows, data, 0)
	for _, f := range fields {
		text := f.Name + ": " + f.Value
		if f.Unit != "" {
			text += " " + f.Unit
		}
		name := strings.NewReplacer("[0]", "", "[1]", "").Replace(f.Name)
		bytes := hex.EncodeToString(data[f.Offset : f.Offset+f.Len])
		want = append(want, fmt.Sprintf("new.%s %d %d %s %s", name, f.Offset, f.Len, bytes, text))
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\nend\n"), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
