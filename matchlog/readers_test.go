package matchlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

const releaseBegan = soccer.Time(1467550000e9)

// odd are messages that some reader of JSON or some terminal cannot take, and their value v after an export: a number,
// the code points of a text, null, or "empty" for the empty worldstate.
var odd = []struct{ name, message, value string }{
	{"plain", `{"v":"text"}`, "74 65 78 74"},
	{"a number of 5,000 digits", `{"v":` + strings.Repeat("9", 5000) + `}`, "null"},
	{"a negative number of 5,000 digits", `{"v":-` + strings.Repeat("9", 5000) + `}`, "null"},
	{"a number of 300 digits", `{"v":1` + strings.Repeat("0", 300) + `}`, "1e+300"},
	{"a fraction of 5,000 digits", `{"v":0.5` + strings.Repeat("0", 5000) + `1}`, "0.5"},
	{"a huge exponent", `{"v":1e999}`, "null"},
	{"a huge exponent in a list", `{"v":1.5,"w":[[1E+400],{"x":-1e400}]}`, "1.5"},
	{"a tiny exponent", `{"v":1e-999}`, "0"},
	{"an exponent of 5,000 digits", `{"v":1e` + strings.Repeat("9", 5000) + `}`, "null"},
	{"line breaks between tokens", "{\r\n\t\"v\"\n:\r\n[\n]\n,\"v\":\n7\n}\n", "7"},
	{"a line that begins like a record", "{\"w\":\n{\"teamName\": 1},\"v\":8}", "8"},
	{"an unpaired surrogate", `{"v":"\ud800x\uDC00"}`, "fffd 78 fffd"},
	{"a pair of surrogates", `{"v":"\ud83d\ude00"}`, "1f600"},
	{"invalid UTF-8", "{\"v\":\"\xff\xc0\xaf\"}", "fffd fffd fffd"},
	{"an encoded surrogate", "{\"v\":\"\xed\xa0\x80\"}", "fffd fffd fffd"},
	{"duplicate keys", `{"v":1,"v":2}`, "2"},
	{"escapes", `{"v":"\u0000\u001b\n\"\\\u2028"}`, "0 1b a 22 5c 2028"},
	{"NaN", `{"v":NaN}`, "empty"},
	{"Infinity", `{"v":-Infinity}`, "empty"},
	{"2,000 levels", `{"v":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "empty"},
	{"200,000 open brackets", strings.Repeat("[", 200_000), "empty"},
	{"a byte order mark", "\ufeff{\"v\":1}", "empty"},
	{"control characters in a text", "{\"v\":\"\x01\x1b[2J\"}", "empty"},
	{"C1 controls", "{\"v\":\"\u0085\u009b2J\x7f\"}", "85 9b 32 4a 7f"},
	{"direction marks", "{\"v\":\"a\u202eb\u2066c\u200f\"}", "61 202e 62 2066 63 200f"},
	{"line separators", "{\"v\":\"a\u2028b\u2029\"}", "61 2028 62 2029"},
	{"characters without width", "{\"v\":\"a\u200bb\ufeff\u00ad\U000e0041\"}", "61 200b 62 feff ad e0041"},
	{"the end of a text", `{"v":"x`, "empty"},
	{"an empty message", ``, "empty"},
	{"two values", `{"v":1}{"v":2}`, "empty"},
	{"a long text", `{"v":1,"w":"` + strings.Repeat("é", 1<<19) + `"}`, "1"},
	{"a message longer than any", `{"w":"LONG"}`, "empty"},
}

// released writes the messages to a log and returns the files of its zip.
func released(t *testing.T, o matchlog.Options) (files map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "Home\u202e\x1b[2J", matchlog.MetaHomeShort: "H\u2028,\n"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range odd {
		at := releaseBegan + soccer.Time(i)*1e9
		for _, m := range []matchlog.Message{
			{Channel: matchlog.Home, Data: []byte(strings.Replace(odd[i].message, "LONG", strings.Repeat("x", 5<<20), 1))},
			{Channel: matchlog.Home, Data: []byte(`{"type":"event","robotId":2,"event":"` + "a\u202e\u0085\u2028,b" + `\u001b[2J\n"}`)},
			{Channel: matchlog.Lines, Data: []byte("line \x1b[2J\u202e\u0085\xff\r\n")},
		} {
			m.Time, m.Published = at, at
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var b bytes.Buffer
	if err := matchlog.Write(&b, l, o); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name[strings.Index(f.Name, "."):]] = string(text)
	}
	return files
}

// The programs print the value of each record, read line by line, and fail if the whole file cannot be read.
const inPython = `
import json, sys
def show(w):
    if "ageMs" in w: return "empty"
    v = w["v"]
    if v is None: return "null"
    if isinstance(v, str): return " ".join("%x" % ord(c) for c in v)
    return "%g" % v
name = sys.argv[1]
for line in open(name, encoding="utf-8", newline="\n"):
    line = line.strip().rstrip(",")
    if line not in ("[", "]"):
        print(show(json.loads(line)["worldstate"]))
assert len(json.load(open(name, encoding="utf-8"))) > 0
`

const inNode = `
const show = w => {
  if ('ageMs' in w) return 'empty'
  if (w.v === null) return 'null'
  if (typeof w.v === 'string') return [...w.v].map(c => c.codePointAt(0).toString(16)).join(' ')
  return String(w.v)
}
const text = new TextDecoder('utf-8', {fatal: true}).decode(require('fs').readFileSync(process.argv[2]))
for (const line of text.split('\n').map(line => line.replace(/,$/, ''))) {
  if (!['', '[', ']'].includes(line)) console.log(show(JSON.parse(line).worldstate))
}
JSON.parse(text)
`

// inGo does the same.
func inGo(t *testing.T, text string) string {
	t.Helper()
	show := func(w map[string]any) string {
		if _, empty := w["ageMs"]; empty {
			return "empty"
		}
		switch v := w["v"].(type) {
		case nil:
			return "null"
		case string:
			return strings.Trim(fmt.Sprintf("%x", []rune(v)), "[]")
		default:
			return fmt.Sprint(v)
		}
	}
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSuffix(line, ","); line == "" || line == "[" || line == "]" {
			continue
		}
		var r struct{ Worldstate map[string]any }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		fmt.Fprintln(&out, show(r.Worldstate))
	}
	var all []any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// run runs a program of another language on a file.
func run(t *testing.T, tool, end, program, text string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Fatalf("%s is missing: ./check installs it", tool)
	}
	source, file := filepath.Join(t.TempDir(), "read"+end), filepath.Join(t.TempDir(), "x.A.msl")
	for name, content := range map[string]string{source: program, file: text} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(path, source, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, out)
	}
	return string(out)
}

// TestReaders reads an export of every kind of odd message with the JSON of Python, Node.js and Go, line by line and as
// a whole. They agree on the values.
func TestReaders(t *testing.T) {
	files := released(t, matchlog.Options{})
	records := files[".A.msl"]
	for language, got := range map[string]string{
		"Go": inGo(t, records), "Python": run(t, "python3", ".py", inPython, records),
		"Node.js": run(t, "node", ".js", inNode, records),
	} {
		lines := strings.Split(strings.TrimSpace(got), "\n")
		if len(lines) != len(odd) {
			t.Fatalf("%s reads %d records, want %d:\n%s", language, len(lines), len(odd), got)
		}
		for i, line := range lines {
			if line != odd[i].value {
				t.Errorf("%s reads %s as %.80s, want %s", language, odd[i].name, line, odd[i].value)
			}
		}
	}
}

// TestNoControlCharacters searches an export for characters that control a terminal or the direction of text.
func TestNoControlCharacters(t *testing.T) {
	for name, text := range released(t, matchlog.Options{}) {
		for _, line := range strings.SplitAfter(text, "\n") {
			if at := strings.IndexFunc(strings.TrimSuffix(line, "\n"), wire.IsControl); at >= 0 {
				t.Errorf("%s holds %q in %.80q", name, line[at:at+1], line[max(0, at-40):])
			}
		}
	}
}

// TestFaultsAreNamed counts the lines about messages that an export does not hold as they were sent.
func TestFaultsAreNamed(t *testing.T) {
	lines := strings.Split(released(t, matchlog.Options{})[".msl"], "\n")
	for i, m := range odd {
		about := fmt.Sprintf("at %d ms: ", time.Duration(releaseBegan+soccer.Time(i)*1e9).Milliseconds())
		named := ""
		for _, line := range lines {
			if _, text, ok := strings.Cut(line, about); ok {
				named = text
			}
		}
		replaced := strings.HasPrefix(named, "its record holds the empty worldstate: ")
		if (m.value == "empty") != replaced {
			t.Errorf("%s: the line about it is %q", m.name, named)
		}
		if (m.value == "null") != strings.Contains(named, "beyond the range") && m.name != "a huge exponent in a list" {
			t.Errorf("%s: the line about it is %q", m.name, named)
		}
	}
}
