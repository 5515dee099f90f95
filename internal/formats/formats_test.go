package formats_test

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/internal/formats"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

var update = flag.Bool("update", false, "write the table of docs/formats.md")

// vector returns a packet of wire/vectors.
func vector(t *testing.T, file, name string) []byte {
	t.Helper()
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", file+".txt")) {
		if v.Name == name || name == "" {
			return v.Data
		}
	}
	t.Fatalf("%s has no vector %s", file, name)
	return nil
}

// Datagrams are what their first bytes or their destinations say, and tell their senders.
func TestDissect(t *testing.T) {
	for _, c := range []struct {
		channel, file, name   string
		protocol, team, robot string
	}{
		{"", "hsl-control", "control-ready", "HSL control message", "", ""},
		{"", "hsl-true-state", "true-state-ready", "HSL true state", "", ""},
		{"", "hsl-return", "return-good", "HSL return message", "24", "robot 3"},
		{"10.0.0.1:3940", "hsl-forward", "forward-good", "HSL forwarded return message", "24", "robot 3"},
		{"10.0.0.255:10024", "hsl-team", "team-short", "HSL team message", "24", ""},
		{"224.5.23.2:10010", "ssl-tracker", "", "SSL TrackerWrapperPacket", "", ""},
		{"224.5.23.1:10003", "ssl-referee", "", "SSL Referee", "", ""},
		{"224.5.23.2:10006", "ssl-vision", "", "SSL WrapperPacket", "", ""},
		{"127.0.0.1:10301", "ssl-robot-control", "", "SSL RobotControl", "", ""},
		{"224.0.0.1:10002", "firasim-environment", "", "FIRASim Environment", "", ""},
		{"127.0.0.1:20011", "grsim-packet", "", "FIRASim grSim_Packet", "", ""},
		{"224.5.23.2:10003", "firasim-referee", "", "FIRASim VSSRef_Command", "", ""},
		{"10.0.0.7:10024", "hsl-team", "team-short", "", "", ""}, // not broadcast: it may be anybody's
	} {
		got := formats.Dissect(&soccer.Packet{Channel: c.channel, Data: vector(t, c.file, c.name)})
		if got.Protocol != c.protocol || got.Team != c.team || got.Robot != c.robot || (len(got.Fields) == 0) != (c.protocol == "") {
			t.Errorf("%s to %q: got %q of %q, %q, %d fields", c.file, c.channel, got.Protocol, got.Team, got.Robot, len(got.Fields))
		}
	}
}

// Every vector of a codec is told apart from those of all others, and its byte table is that of its own codec.
func TestKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, f := range formats.All() {
		for i := range f.Messages {
			m := &f.Messages[i]
			if m.Format != f || m.Number != i {
				t.Errorf("%s is number %d of %s", m.Name, m.Number, m.Format.Name)
			}
			if m.Kind != "" && (kinds[m.Kind] || formats.Named(m.Kind) != m) {
				t.Errorf("two messages have the kind %s", m.Kind)
			}
			kinds[m.Kind] = true
		}
	}
	if formats.Named("") != nil || formats.Named("none") != nil {
		t.Error("messages without a kind have been found by it")
	}
	if m := formats.Recognise(netip.AddrPort{}, []byte("GET / HTTP/1.1\r\n")); m != nil {
		t.Errorf("text is a %s", m.Name)
	}
}

// docs/formats.md has a row for each format, and the pages that it names exist.
func TestDocument(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "formats.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table: go test ./internal/formats -update -->\n", "<!-- end of the table -->\n"
	head, rest, found := strings.Cut(string(b), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	want := head + begin + table(t) + end + tail
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Errorf("%s is not what the table of formats says: go test ./internal/formats -update writes it", page)
	}
}

// table returns the formats as a table.
func table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| format | league | messages | `--kind` | known by | page |\n|---|---|---|---|---|---|\n")
	for _, f := range formats.All() {
		if _, err := os.Stat(filepath.Join("..", "..", "docs", f.Page)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join("..", "..", "wire", f.Name)); err != nil {
			t.Error(err)
		}
		var names, kinds, ports []string
		for i := range f.Messages {
			m := &f.Messages[i]
			names = append(names, strings.TrimPrefix(m.Name, "FIRASim "))
			if m.Kind != "" {
				kinds = append(kinds, "`"+m.Kind+"`")
			}
		}
		if f.Describe != nil {
			for _, p := range f.Describe().Ports {
				ports = append(ports, "`"+p.Address+"`")
			}
		}
		if len(names) == 0 {
			names = []string{f.Title + ", in others"}
		}
		fmt.Fprintf(&b, "| `wire/%s` | %s | %s | %s | %s | [%s](%s) |\n", f.Name, f.League, strings.Join(names, ", "),
			strings.Join(kinds, " "), strings.Join(slices.Compact(ports), " "), f.Page, f.Page)
	}
	return b.String()
}
