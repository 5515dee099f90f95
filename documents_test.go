package touchline_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"touchline/wire/msl"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// codeBlock returns the first code block of docs/refbox.md that begins with the given text.
func codeBlock(t *testing.T, text, begin string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n```"+begin)
	code, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("docs/refbox.md has no block that begins with %q", begin)
	}
	return begin + code + "\n"
}

// bytesOfDump matches the hexadecimal part of a line.
var bytesOfDump = regexp.MustCompile(`^[0-9a-f ]{48}`)

// TestDocumentBytes compares the examples of docs/refbox.md with the codec.
func TestDocumentBytes(t *testing.T) {
	text := read(t, "docs", "refbox.md")
	var dump []byte
	for line := range strings.Lines(strings.TrimSpace(codeBlock(t, text, "\n7b 0a"))) {
		digits := bytesOfDump.FindString(line + strings.Repeat(" ", 48))
		b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		dump = append(dump, b...)
	}
	want, err := (&msl.Command{Name: msl.FreeKick, TargetTeam: "224.16.32.63"}).AppendBinary(nil)
	if err != nil || !bytes.Equal(dump, append(want, 0)) {
		t.Errorf("the bytes of FREEKICK are\n%q, %v\nthe document has\n%q", append(want, 0), err, dump)
	}
	for _, begin := range []string{`{"type": "event"`, `{"type":"worldstate"`} {
		example := strings.TrimSpace(codeBlock(t, text, "\n"+begin))
		if found := msl.Check([]byte(example)); len(found) > 0 {
			t.Errorf("%s: %+v", example, found)
		}
	}
}

// TestDocumentExamples checks the examples of MSL World Model 2015, as printed and as corrected: docs/refbox.md says
// which of them have a finding.
func TestDocumentExamples(t *testing.T) {
	for _, kind := range []string{"worldstate", "event"} {
		vectors := map[string][]byte{}
		for _, v := range wiretest.Vectors(t, filepath.Join("wire", "vectors", "msl-"+kind+".txt")) {
			vectors[v.Name] = v.Data
		}
		for _, name := range []string{"as-printed", "corrected"} {
			message, ok := vectors["document-example-"+name]
			if !ok {
				t.Fatalf("no vector document-example-%s of %s", name, kind)
			}
			found := msl.Check(message)
			var w msl.Worldstate
			var e msl.Event
			err := w.UnmarshalBinary(message)
			if kind == "event" {
				err = e.UnmarshalBinary(message)
			}
			switch {
			case name == "corrected" && (err != nil || len(found) > 0):
				t.Errorf("%s corrected: %v, %v", kind, err, found)
			case name == "as-printed" && (err == nil || len(found) != 1 || found[0].Offset == 0):
				t.Errorf("%s as printed: got error %v and issues %v, want an error and one issue with its offset", kind, err, found)
			case name == "as-printed" && !strings.Contains(found[0].Source, "JSON"):
				t.Errorf("%s as printed: got source %q, want one of JSON", kind, found[0].Source)
			}
		}
	}
}

// TestDocumentContradictions compares the rows of "Where the document contradicts itself" with the findings of package
// msl.
func TestDocumentContradictions(t *testing.T) {
	const head, robot = `{"type":"worldstate","teamName":"T","intention":"","robots":[`, `{"id":%,"pose":[0,-8,0]}`
	robots := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, strings.Replace(robot, "%", strconv.Itoa(i+1), 1))
		}
		return strings.Join(all, ",")
	}
	const rest = `],"balls":[],"obstacles":[],"ageMs":0}`
	const obstacle, tail = head + `],"balls":[],"obstacles":[{"position":[0,0`, `,"radius":0.25,"confidence":1}],"ageMs":0}`
	for _, c := range []struct{ message, want string }{
		{head + rest, ""},
		{head + robots(5) + rest, ""},
		{head + robots(4) + rest, ""},
		{head + robots(6) + rest, "robot-count"},
		{head + `],"Ball":[],"obstacles":[],"ageMs":0}`, "note key"},
		{obstacle + `],"velocity":[0,0]` + tail, ""},
		{obstacle + `],"Velocity":[0,0]` + tail, "note key"},
		{obstacle + `,0],"velocity":[0,0]` + tail, "note vector-size"},
		{head + `{"id":1,"Velocity":[0,0,0]}` + rest, "key"},
		{head + `{"id":1,"pose":[0,0.800,0.1]}` + rest, ""},
		{head + `{"id":1,"pose":[0,0,6.2832]}` + rest, "heading-range"},
		{head + `{"id":1,"pose":[0,0,-0.1]}` + rest, "heading-range"},
		{head + `{"id":1,"ballEngaged":1}` + rest, ""},
		{head + `{"id":1,"ballEngaged":true}` + rest, "value"},
		{head + `{"id":1,"pose":[null,null,null]}` + rest, ""},
		{head + `{"id":1,"pose":null}` + rest, "null"},
		{head + `{"id":1,"batteryLevel":null}` + rest, "null"},
		{head + `{"id":1,"id":2}` + rest, "syntax"},
		{head + robots(1) + `,(...)` + rest, "syntax"},
		{head + rest + `\0`, "syntax"},
		{`{"type":"worldstate","teamName":"T"}`, "note upstream, note upstream, note upstream, note upstream, note upstream"},
	} {
		var found []string
		for _, f := range msl.AppendFindings(nil, []byte(c.message)) {
			found = append(found, strings.Repeat("note ", map[bool]int{true: 1}[f.Note])+f.Rule)
		}
		var w msl.Worldstate
		err := w.UnmarshalBinary([]byte(c.message))
		if got := strings.Join(found, ", "); got != c.want || (err != nil) != (c.want == "syntax") {
			t.Errorf("%s\ngot findings %q, error %v; the document has %q", c.message, got, err, c.want)
		}
	}
}

// TestDocumentPayloads adds up the byte tables of docs/teamcom.md, part Payloads: each field begins where the one before
// it ends, and an empty message has as many bytes as the codec writes.
func TestDocumentPayloads(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "docs", "teamcom.md"), "\n## Payloads\n")
	text, _, _ = strings.Cut(text, "\n## ")
	title := regexp.MustCompile(`\*\*([A-Z][A-Za-z ]*)\*\*[^|\n]*?(?:, | has )(\d+) bytes`)
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (u8|u16|u32|u64|f32|Self|Ball|Percepts)(?: x (\d+))? \| ([^|]*) \|`)
	records := map[string]string{
		"Self": "self.", "Ball": "ball.", "Sighting": "balls[0].", "Obstacle": "obstacles[0].", "Peer": "peers[0].",
	}
	names := map[string]bool{"self": true, "ball": true, "percepts": true}
	for name, dataType := range payloads {
		for _, v := range wiretest.Vectors(t, filepath.Join("wire", "vectors", "team-"+name+".txt")) {
			for _, f := range team.Fields(dataType, v.Data) {
				names[f.Name] = true
			}
		}
	}
	sizes := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4}
	titles := title.FindAllStringSubmatchIndex(text, -1)
	for i, at := range titles {
		name := text[at[2]:at[3]]
		end := len(text)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		rows := row.FindAllStringSubmatch(text[at[1]:end], -1)
		next, _ := strconv.Atoi(rows[0][1]) // 1 after the version byte
		for _, r := range rows {
			if offset, _ := strconv.Atoi(r[1]); offset != next {
				t.Errorf("%s: %q begins at byte %d, want %d", name, r[0], offset, next)
			}
			count := 1
			if r[3] != "" {
				count, _ = strconv.Atoi(r[3])
			}
			next += count * sizes[r[2]]
			for _, field := range regexp.MustCompile(", | to ").Split(r[4], -1) {
				if !names[records[name]+field] {
					t.Errorf("%s: %s%s is no field of the codec", name, records[name], field)
				}
			}
		}
		sizes[name], _ = strconv.Atoi(text[at[4]:at[5]])
		switch name {
		case "Debug record":
			next += sizes["Percepts"] // behind lists
		case "Sense":
			next++ // the number of lines, behind the sightings
		}
		if next != sizes[name] {
			t.Errorf("%s has %d bytes, its table %d", name, sizes[name], next)
		}
	}
	if len(titles) != 14 {
		t.Errorf("%d tables with sizes, want those of 6 records and 8 messages", len(titles))
	}
	for name, m := range map[string]interface{ AppendBinary([]byte) ([]byte, error) }{
		"Belief": &team.Belief{}, "Measurements": &team.Measurements{}, "Status": &team.Status{},
		"Debug record": &team.Debug{}, "Referee": &team.Referee{}, "Sense": &team.Sense{}, "Motor": &team.Motor{},
		"File": &team.File{ChunkSize: team.MinChunk},
	} {
		b, err := m.AppendBinary(nil)
		if err != nil || len(b) != sizes[name] {
			t.Errorf("%s: an empty message has %d bytes, %v; the document has %d", name, len(b), err, sizes[name])
		}
	}
}

// The sizes of messages in docs/manager.md are those of empty messages.
func TestDocumentManager(t *testing.T) {
	text := read(t, "docs", "manager.md")
	for name, m := range map[string]interface{ AppendBinary([]byte) ([]byte, error) }{
		"Attend": &team.Attend{}, "Management": &team.Management{}, "Challenge": &team.Challenge{},
		"Teleoperation": &team.Drive{}, "Parameters": &team.Parameters{}, "Request": &team.Request{}, "Answer": &team.Answer{},
		"Overlay":    &team.Overlay{},
		"Kick check": &team.KickCheck{}, "Locomotion check": &team.LocomotionCheck{},
	} {
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		size := regexp.MustCompile(`\*\*` + name + `\*\* \(type \d+\), (\d+) bytes`).FindStringSubmatch(text)
		if size == nil || size[1] != strconv.Itoa(len(b)) {
			t.Errorf("%s has %d bytes, the page says %q", name, len(b), size)
		}
	}
}

// The worked example of docs/manage.md has the bytes of the messages that it describes.
func TestDocumentManage(t *testing.T) {
	messages := []interface {
		AppendBinary([]byte) ([]byte, error)
	}{
		&team.Attend{},
		&team.Management{
			Table: 24301, Revision: 1, Parameters: 1, Nonce: 0x1122334455667788,
			Holder: team.Operator{Computer: 1, Page: 7}, HolderName: "Ann", Drive: team.DriveReady, MaxAhead: 1, MaxSide: 1, MaxTurn: 2,
			Kicks: []team.Kick{{Name: "push", Speed: 2}},
		},
		&team.Parameters{Table: 24301, Upto: 1, Revision: 1, List: []team.Parameter{{
			Revision: 1, Name: "exposure", Group: "camera", Unit: "ms", Value: 8, Default: 8, Min: 0.1, Max: 20,
		}}},
		&team.Request{
			Operator: 7, Nonce: 0x1122334455667788, Number: 2, Operation: team.Set, Value: 12, Text: "exposure",
		},
		&team.Answer{Operator: 7, Number: 2, Value: 12, Revision: 2},
		&team.Drive{Operator: 7, Nonce: 0x99, Sequence: 1, VX: 0.5, HasHead: true, Kick: 1},
		&team.Challenge{Nonce: 0x9a, Drive: team.Driving, Kick: 1},
	}
	blocks := strings.Split(strings.TrimSpace(snippet(t, "docs/manage.md", "text", 0)), "\n\n")
	if len(blocks) != len(messages) {
		t.Fatalf("%d messages, want %d", len(blocks), len(messages))
	}
	for i, block := range blocks {
		var text strings.Builder
		for line := range strings.Lines(block) {
			hex, _, _ := strings.Cut(line, "  ")
			text.WriteString(hex + " ")
		}
		want, err := messages[i].AppendBinary(nil)
		if got := strings.Join(strings.Fields(text.String()), " "); err != nil || got != fmt.Sprintf("% x", want) {
			t.Errorf("%T is\n% x, %v; the page has\n%s", messages[i], want, err, got)
		}
	}
}
