package teamcom_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"touchline/teamcom"
	"touchline/wire/tcm"
)

func directoryRobot(id uint8) tcm.Entity    { return tcm.Entity{Kind: tcm.Robot, ID: id} }
func directoryComputer(id uint8) tcm.Entity { return tcm.Entity{Kind: tcm.Computer, ID: id} }

const example = "\ufeff; the robots of the lab\r\n" + `
[team]
number   = 7                  # the mixed team
group    = 239.7.0.1:23100
managers = 239.7.0.1:23200
key      = keys/team#7.key    ; not in Git

[Robots]
3 = 192.168.1.13:23000
1 = 192.168.1.11:23000
4 = ANY

[computers]
  1 = [fe80::1]:24000 ; the coach's laptop
# 2 = 192.168.1.51:24000
2 = [::ffff:192.168.1.50]:24000` // no end of line

func TestParse(t *testing.T) {
	got, err := teamcom.Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := &teamcom.Directory{
		Team:     7,
		Group:    netip.MustParseAddrPort("239.7.0.1:23100"),
		Managers: netip.MustParseAddrPort("239.7.0.1:23200"),
		KeyFile:  "keys/team#7.key",
		Entries: []teamcom.Entry{
			{Entity: directoryRobot(1), Addr: netip.MustParseAddrPort("192.168.1.11:23000")},
			{Entity: directoryRobot(3), Addr: netip.MustParseAddrPort("192.168.1.13:23000")},
			{Entity: directoryRobot(4), Learn: true},
			{Entity: directoryComputer(1), Addr: netip.MustParseAddrPort("[fe80::1]:24000")},
			{Entity: directoryComputer(2), Addr: netip.MustParseAddrPort("192.168.1.50:24000")},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	again, err := teamcom.Parse(got.Append(nil))
	if err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("written and parsed again: got %+v, %v\nwant %+v\nthe text is\n%s", again, err, got, got.Append(nil))
	}
}

func TestParseEmpty(t *testing.T) {
	for _, text := range []string{"", "; nobody yet\n", "[team]\n[robots]\n[robots]"} {
		d, err := teamcom.Parse([]byte(text))
		if err != nil || d.Team != 1 || len(d.Entries) > 0 {
			t.Errorf("%q: got %+v, %v, want an empty directory of team 1", text, d, err)
		}
	}
}

func TestLookup(t *testing.T) {
	d, err := teamcom.Parse([]byte("[team]\ngroup = 239.0.0.1:23100\n[robots]\n2 = 10.0.0.2:23000\n250 = any\n[computers]\n2 = 10.0.0.9:1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for e, want := range map[tcm.Entity]string{directoryRobot(2): "10.0.0.2:23003", directoryComputer(2): "10.0.0.9:4"} {
		entry, ok := d.Entry(e)
		if got := teamcom.Port(entry.Addr, tcm.Command).String(); !ok || got != want {
			t.Errorf("the command socket of %v: got %s, %t, want %s", e, got, ok, want)
		}
	}
	if entry, ok := d.Entry(directoryRobot(250)); !ok || !entry.Learn {
		t.Errorf("robot:250: got %+v, %t, want an address to learn", entry, ok)
	}
	for _, e := range []tcm.Entity{directoryRobot(1), directoryRobot(0), directoryComputer(250), {}} {
		if entry, ok := d.Entry(e); ok {
			t.Errorf("%v: got %+v, want no entry", e, entry)
		}
	}
	if group, ok := d.Multicast(tcm.Robot); !ok || group != netip.MustParseAddrPort("239.0.0.1:23100") {
		t.Errorf("the robots' group: got %v, %t", group, ok)
	}
	if group, ok := d.Multicast(tcm.Computer); ok {
		t.Errorf("the computers' group: got %v, want none", group)
	}
}

// Each error names the line, the value, what is accepted and an example.
func TestParseErrors(t *testing.T) {
	const robots = "[robots]\n"
	for _, c := range []struct{ text, want string }{
		{"3 = any", "line 1: 3 = any comes before the first section: want [team], [robots] or [computers] above it"},
		{"[robot]\n3 = any\nnonsense", "line 1: section [robot]: want [team], [robots] or [computers]"},
		{"[robots\n", "line 1: section [robots: want [team], [robots] or [computers]"},
		{"[robots] 3", "line 1: section [robots] 3: want [team], [robots] or [computers]"},
		{robots + "three", "line 2: three: want KEY = VALUE, for example 3 = 192.168.1.13:23000"},
		{robots + "0 = any", "line 2: id 0: want 1 to 255, for example 3 = 192.168.1.13:23000"},
		{robots + "256 = any", "line 2: id 256: want 1 to 255, for example 3 = 192.168.1.13:23000"},
		{robots + "-1 = any", "line 2: id -1: want 1 to 255, for example 3 = 192.168.1.13:23000"},
		{robots + "= any", "line 2: id nothing: want 1 to 255, for example 3 = 192.168.1.13:23000"},
		{robots + "3 = any\n\n03 = 10.0.0.3:23000", "line 4: 3 is given twice in [robots], first in line 2: want it once"},
		{robots + "3 = any\n[computers]\n3 = any\n[ROBOTS]\n3=any", "line 6: 3 is given twice in [robots], first in line 2: want it once"},
		{robots + "3 =", "line 2: robot:3 = nothing: want ADDRESS:BASEPORT with a base port from 1 to 65532, or any, " +
			"for example 3 = 192.168.1.13:23000"},
		{robots + "3 = 10.0.0.3", "line 2: robot:3 = 10.0.0.3: want ADDRESS:BASEPORT"},
		{robots + "3 = 10.0.0.3:0", "line 2: robot:3 = 10.0.0.3:0: want ADDRESS:BASEPORT"},
		{robots + "3 = 10.0.0.3:65533", "line 2: robot:3 = 10.0.0.3:65533: want ADDRESS:BASEPORT"},
		{robots + "3 = robot3.local:23000", "line 2: robot:3 = robot3.local:23000: want ADDRESS:BASEPORT"},
		{robots + "3 = 0.0.0.0:23000", "line 2: robot:3 = 0.0.0.0:23000 is the address of no machine: want"},
		{robots + "3 = 239.0.0.1:23000", "line 2: robot:3 = 239.0.0.1:23000 is a multicast group, which belongs into [team]: want"},
		{robots + "3 = 255.255.255.255:23000", "line 2: robot:3 = 255.255.255.255:23000 is an IP broadcast address, which the MSL forbids: want"},
		{robots + "3 = 172.16.39.255:23000", "line 2: robot:3 = 172.16.39.255:23000 is an IP broadcast address, which the MSL forbids: want"},
		{robots + "3 = [::ffff:10.0.0.255]:23000", "line 2: robot:3 = [::ffff:10.0.0.255]:23000 is an IP broadcast address"},
		{robots + "1 = 10.0.0.3:23003\n2 = 10.0.0.2:23000\n3 = 10.0.0.3:23000\n[computers]\n1 = 10.0.0.3:23000",
			"line 4: robot:3 = 10.0.0.3:23000 needs ports 23000 to 23003, but robot:1 in line 2 needs ports 23003 to 23006: " +
				"want other ports, for example 23007\n" +
				"line 6: computer:1 = 10.0.0.3:23000 needs ports 23000 to 23003, but robot:1 in line 2 needs ports 23003 to 23006"},
		{"[team]\ncolour = red", "line 2: key colour: want number, group, managers or key in [team], for example number = 1"},
		{"[team]\nnumber = 0", "line 2: number 0: want the number of the team from 1 to 255, for example number = 1"},
		{"[team]\nnumber = 1e2", "line 2: number 1e2: want the number of the team from 1 to 255, for example number = 1"},
		{"[team]\nnumber = 1\nNumber = 2", "line 3: number is given twice in [team], first in line 2: want it once"},
		{"[team]\nkey = ; nothing", "line 2: key is empty: want the file with the team's key, for example key = team.key"},
		{"[team]\ngroup = 10.0.0.1:23000", "line 2: group 10.0.0.1:23000: want a multicast address and a base port from 1 to 65532, " +
			"for example group = 239.0.0.1:23100"},
		{"[team]\nmanagers = 255.255.255.255:1", "line 2: managers 255.255.255.255:1: want a multicast address and a base port"},
		{"[team]\nmanagers = 239.0.0.1:23000\ngroup = 239.0.0.1:23003",
			"line 3: group = 239.0.0.1:23003 needs ports 23003 to 23006, but managers in line 2 needs ports 23000 to 23003"},
		{robots + "\xff = 3", "line 2: \uFFFD = 3: want text in UTF-8"},
		{robots + "\x1b[2J = 3", "line 2: id .[2j: want 1 to 255"},
		{strings.Repeat("x", 100), "line 1: " + strings.Repeat("x", 60) + ": want KEY = VALUE"},
		{strings.Repeat("?\n", 25), "line 20: ?: want KEY = VALUE, for example 3 = 192.168.1.13:23000\nand 5 more errors"},
		{strings.Repeat("\n", 65<<10), "the file has 66560 bytes: want at most 65536"},
	} {
		d, err := teamcom.Parse([]byte(c.text))
		if err == nil {
			t.Errorf("%.80q: got %+v, want error %q", c.text, d, c.want)
		} else if got := err.Error(); !strings.Contains(got, c.want) ||
			strings.Count(got, "\n") > strings.Count(c.want, "\n") && len(c.text) < 1000 && !strings.Contains(got, "more errors") {
			t.Errorf("%.80q: got error\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// The largest directory parses, and what Append writes parses again.
func TestParseLargest(t *testing.T) {
	var text strings.Builder
	for _, section := range []string{"robots", "computers"} {
		fmt.Fprintf(&text, "[%s]\n", section)
		for id := 255; id > 0; id-- {
			fmt.Fprintf(&text, "%d = 127.0.0.%d:%d\n", id, len(section), 20000+4*id)
		}
	}
	d, err := teamcom.Parse([]byte(text.String()))
	if err != nil || len(d.Entries) != 510 {
		t.Fatalf("got %d entries, %v, want 510", len(d.Entries), err)
	}
	if e, ok := d.Entry(directoryComputer(200)); !ok || e.Addr.String() != "127.0.0.9:20800" {
		t.Errorf("computer:200: got %v, %t", e, ok)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("[team]\nkey=;a\n[robots]\r\n"))
	f.Add([]byte("[team]\nkey = a ;\n[robots]\n1=[::1%lo]:5\n2 = any"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := teamcom.Parse(text)
		if err != nil {
			if n := len(err.Error()); n > 10_000 {
				t.Errorf("the error has %d bytes", n)
			}
			return
		}
		written := d.Append(nil)
		again, err := teamcom.Parse(written)
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Errorf("written and parsed again: got %+v, %v\nwant %+v\nthe text is\n%s", again, err, d, written)
		}
	})
}
