package wiretest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"touchline/wire"
)

// Vector is one entry of a file in wire/vectors: a message, its contents and its faults.
type Vector struct {
	Name   string
	Data   []byte
	Expect string   // contents as JSON; the head of the file explains its keys
	Issues []string // "issue OFFSET FIELD" or "note OFFSET FIELD", as Issues prints them
}

// Vectors reads a file of vectors. A line begins with a keyword, a line that begins with a blank continues the one
// before, and "#" begins a comment:
//
//	name TEXT             begins a vector
//	hex BYTES             the message in hexadecimal
//	expect JSON           its contents
//	issue OFFSET FIELD    a violation; FIELD is "-" for the whole message
//	note OFFSET FIELD     a note
func Vectors(t testing.TB, file string) []Vector {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []Vector
	var hex strings.Builder
	key, number := "", 0
	flush := func() {
		if len(all) == 0 {
			return
		}
		data, err := Bytes(hex.String())
		if err != nil {
			t.Fatalf("%s: vector %s: %v", file, all[len(all)-1].Name, err)
		}
		all[len(all)-1].Data = data
		hex.Reset()
	}
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		rest := line
		if line[0] != ' ' && line[0] != '\t' {
			key, rest, _ = strings.Cut(strings.TrimRight(line, "\n"), " ")
		}
		rest = strings.TrimSpace(rest)
		if key == "name" {
			flush()
			all = append(all, Vector{Name: rest})
			continue
		}
		if len(all) == 0 {
			t.Fatalf("%s:%d: %q before the first name", file, number, key)
		}
		v := &all[len(all)-1]
		switch key {
		case "hex":
			fmt.Fprintln(&hex, rest)
		case "expect":
			v.Expect += rest
		case "issue", "note":
			v.Issues = append(v.Issues, key+" "+strings.Join(strings.Fields(rest), " "))
		default:
			t.Fatalf("%s:%d: unknown keyword %q", file, number, key)
		}
	}
	flush()
	return all
}

// Issues formats issues as the lines of a file of vectors.
func Issues(issues []wire.Issue) []string {
	var lines []string
	for _, i := range issues {
		key, field := "issue", i.Field
		if i.Note {
			key = "note"
		}
		if field == "" {
			field = "-"
		}
		lines = append(lines, fmt.Sprintf("%s %d %s", key, i.Offset, field))
	}
	return lines
}

// Decodes checks that a vector has its faults and decodes to its contents, which it returns. It reports false for a vector
// that must be refused.
func Decodes[T comparable, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, v *Vector) (want T, decoded bool) {
	t.Helper()
	if got := Issues(check(v.Data)); !slices.Equal(got, v.Issues) {
		t.Errorf("check:\ngot  %q\nwant %q", got, v.Issues)
	}
	var msg T
	err := M(&msg).UnmarshalBinary(v.Data)
	if v.Expect == `{"refused": true}` {
		if err == nil {
			t.Errorf("accepted as %+v", msg)
		}
		return want, false
	}
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(v.Expect))
	d.DisallowUnknownFields()
	if err := d.Decode(&want); err != nil {
		t.Fatalf("expect: %v", err)
	}
	if msg != want {
		t.Errorf("got  %+v\nwant %+v", msg, want)
	}
	return want, true
}
