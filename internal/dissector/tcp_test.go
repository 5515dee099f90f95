package dissector_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/msl"
)

// station is the protocol of base stations and the RefBox.
var station = protocol{name: "msl", vectors: []string{"msl-worldstate", "msl-event", "msl-command"}, fields: msl.Fields,
	issues: func(b []byte) []wire.Issue {
		issues := msl.Check(b)
		if len(issues) == 1 && msl.Fields(b) == nil { // the dissector has one text for all faults of syntax
			issues[0] = wire.Issue{Text: "is not valid JSON, or not an object"}
		}
		return issues
	}}

// segment is a TCP segment of a connection of its own, given by its port.
type segment struct {
	port     uint16
	sequence uint32
	data     []byte
}

// writeSegments writes segments into a new capture: Ethernet, IPv4, TCP.
func writeSegments(t testing.TB, segments []segment) string {
	t.Helper()
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 4, 0, 1, 0, 0, 0)
	for i, s := range segments {
		frame := append(make([]byte, 12), 8, 0, 0x45, 0)
		frame = binary.BigEndian.AppendUint16(frame, uint16(40+len(s.data)))
		frame = append(frame, 0, 0, 0, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1)
		frame = binary.BigEndian.AppendUint16(frame, s.port)
		frame = binary.BigEndian.AppendUint16(frame, msl.Port)
		frame = binary.BigEndian.AppendUint32(frame, s.sequence)
		frame = append(frame, 0, 0, 0, 1, 0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0)
		frame = append(frame, s.data...)
		for _, v := range []int{i / 1000, i % 1000, len(frame), len(frame)} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		b = append(b, frame...)
	}
	path := filepath.Join(t.TempDir(), "segments.pcap")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// mutateText returns a changed copy of a JSON message, most of them valid JSON.
func mutateText(rng *rand.Rand, b []byte) []byte {
	words := []string{
		"null", "true", "1e400", "-0.5", "7", "\"x\"", "[]", "{}", "[1,2,3,4]",
		"6.2832", "1e5", "\"\\u00e4\\n\"", "{\"a\":[1]}",
	}
	b = slices.Clone(b)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(b))
		switch n := rng.IntN(8); {
		case n < 5: // another value in place of a number
			if i := bytes.IndexAny(b[at:], "0123456789"); i >= 0 {
				end := at + i
				for end < len(b) && strings.IndexByte("0123456789.eE+-", b[end]) >= 0 {
					end++
				}
				b = slices.Concat(b[:at+i], []byte(words[rng.IntN(len(words))]), b[end:])
			}
		case n == 5:
			if b[at] >= 'a' && b[at] <= 'z' {
				b[at]++
			}
		case n == 6:
			b[at] = max(1, byte(rng.IntN(256)))
		default:
			b = slices.Concat(b[:at], []byte(" "), b[at:])
		}
	}
	return b
}

// TestOracleTCP compares what Wireshark shows of messages over TCP with Fields and Check.
func TestOracleTCP(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	all := slices.DeleteFunc(seeds(t, &station), func(b []byte) bool {
		return b[0] == 0 || bytes.IndexByte(b, 0) >= 0 || len(b) > 60000 ||
			!bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
	})
	messages := slices.Clone(all)
	mutated := 2000
	if testing.Short() {
		mutated = 300
	}
	for range mutated {
		b := mutateText(rng, all[rng.IntN(len(all))])
		if bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) && bytes.IndexByte(b, 0) < 0 && len(b) < 60000 {
			messages = append(messages, b)
		}
	}
	segments := make([]segment, len(messages))
	for i, b := range messages {
		segments[i] = segment{uint16(40000 + i), 1, append(slices.Clone(b), 0)}
	}
	got := readPDML(t, bytes.NewReader(tshark(t, "-r", writeSegments(t, segments), "-T", "pdml", "-j", "msl")))
	if len(got) != len(messages) {
		t.Fatalf("%d packets, want %d", len(got), len(messages))
	}
	failed := 0
	for i, d := range got {
		difference := ""
		if msl.Fields(messages[i]) != nil {
			difference = compareFields(&station, messages[i], d.fields)
		}
		if difference == "" {
			difference = compareFaults(&station, messages[i], d.faults)
		}
		if difference != "" {
			if failed++; failed <= 8 {
				t.Errorf("message %d: %s\n%.3000s", i+1, difference, messages[i])
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d messages differ", failed, len(messages))
	}
	t.Logf("%d messages", len(messages))
}

// TestReassembly: messages end at their NUL, whatever the segments are.
func TestReassembly(t *testing.T) {
	one := []byte(`{"command": "START", "targetTeam": ""}`)
	two := []byte(`{"type": "event", "robotId": 3, "event": "kick"}`)
	stream := slices.Concat(one, []byte{0}, two, []byte{0, 0}, one, []byte{0})
	var segments []segment
	for at := 0; at < len(stream); at += 25 {
		segments = append(segments, segment{50000, uint32(1 + at), stream[at:min(at+25, len(stream))]})
	}
	segments = append(segments, segment{50001, 1, stream})
	got := readPDML(t, bytes.NewReader(tshark(t, "-r", writeSegments(t, segments), "-T", "pdml", "-j", "msl")))
	labels := map[bool][]string{}
	for i, d := range got {
		for _, f := range d.fields {
			labels[i == len(got)-1] = append(labels[i == len(got)-1], f.label)
		}
	}
	want := []string{
		`command: "START"`, `targetTeam: ""`, `type: "event"`, `robotId: 3`, `event: "kick"`, `command: "START"`,
		`targetTeam: ""`,
	}
	for _, whole := range []bool{false, true} {
		if !slices.Equal(labels[whole], want) {
			t.Errorf("in one segment %t: got %q", whole, labels[whole])
		}
	}
}
