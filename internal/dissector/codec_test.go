package dissector_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"touchline/internal/dissector"
	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/mixedteam"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// sample is the bytes of a message of fixed size, and its numbers as Go reads them.
type sample struct {
	name    string // in C: "mixedteam_v2"
	data    []byte
	numbers []string
}

// samples cuts the messages of fixed size out of all vectors.
func samples(t *testing.T) []sample {
	t.Helper()
	rows := map[string][]wire.Row{}
	for prefix, d := range map[string]wire.Description{
		"mixedteam": mixedteam.Describe(), "tcm": tcm.Describe(), "team": team.Describe(), "b3p": b3p.Describe(),
	} {
		for _, m := range d.Messages {
			rows[strings.ReplaceAll(prefix+"_"+m.Name, " ", "_")] = m.Rows
		}
	}
	var all []sample
	for _, c := range []struct {
		name, vectors string
		at            int
	}{
		{"mixedteam_v1", "mixedteam-v1", 0}, {"mixedteam_v2", "mixedteam-v2", 0},
		{"mixedteam_v2_padded", "mixedteam-v2-padded", 0}, {"tcm_header", "tcm-*", 0},
		{"tcm_piece", "tcm-*", tcm.HeaderSize}, {"tcm_fragment", "tcm-fragments", tcm.HeaderSize + tcm.PieceHeader},
		{"team_belief", "team-belief", 0}, {"team_motor", "team-motor", 0}, {"team_teleoperation", "team-drive", 0},
		{"team_attend", "team-attend", 0}, {"team_challenge", "team-challenge", 0}, {"b3p_claim", "b3p-claim", 0},
		{"b3p_release", "b3p-release", 0}, {"b3p_belief", "b3p-belief", 0},
	} {
		files, _ := filepath.Glob("../../wire/vectors/" + c.vectors + ".txt")
		found := len(all)
		for _, file := range files {
			for _, v := range wiretest.Vectors(t, file) {
				var numbers []string
				end := flatten(rows[c.name], v.Data, c.at, &numbers)
				if end > 0 {
					all = append(all, sample{c.name, v.Data[c.at:end], numbers})
				}
			}
		}
		if len(all) == found {
			t.Fatalf("no vector of %s", c.name)
		}
	}
	return all
}

// flatten appends the numbers of rows to list, and returns the offset behind them; 0 if b ends before.
func flatten(rows []wire.Row, b []byte, at int, list *[]string) int {
	for i := range rows {
		r := &rows[i]
		for n := 0; r.Kind == wire.Each && n < r.Size; n++ {
			if at = flatten(r.Rows, b, at, list); at == 0 {
				return 0
			}
		}
		if r.Kind > wire.Bytes {
			continue
		}
		if at+r.Size > len(b) {
			return 0
		}
		switch field := b[at : at+r.Size]; r.Kind {
		case wire.Bytes:
			*list = append(*list, hex.EncodeToString(field))
		case wire.Float:
			*list = append(*list, strconv.FormatUint(uint64(wire.Integer(field, false)), 10))
		case wire.Int:
			*list = append(*list, strconv.FormatInt(wire.Integer(field, true), 10))
		default:
			*list = append(*list, strconv.FormatUint(uint64(wire.Integer(field, false)), 10))
		}
		at += r.Size
	}
	return at
}

// feed runs a program that answers each line, a name and bytes, with the bytes that it packs, and compares them.
func feed(t *testing.T, all []sample, numbers bool, name string, args ...string) {
	t.Helper()
	var in strings.Builder
	for _, s := range all {
		fmt.Fprintf(&in, "%s %x\n", s.name, s.data)
	}
	c := exec.Command(name, args...)
	c.Stdin = strings.NewReader(in.String())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d answers, want %d: %.500s", len(lines), len(all), out)
	}
	for i, s := range all {
		packed, read, _ := strings.Cut(lines[i], " ")
		if packed != hex.EncodeToString(s.data) {
			t.Errorf("%s: packed again\ngot  %s\nwant %x", s.name, packed, s.data)
		}
		if want := strings.Join(s.numbers, " "); numbers && read != want {
			t.Errorf("%s: unpacked\ngot  %s\nwant %s", s.name, read, want)
		}
	}
}

// TestC compiles the header with all warnings and sanitizers, and unpacks and packs every vector with it.
func TestC(t *testing.T) {
	gcc := tool(t, "gcc")
	all := samples(t)
	header := dissector.C("test")
	var cases strings.Builder
	for _, m := range regexp.MustCompile(`void ([a-z0-9_]+)_unpack\(`).FindAllSubmatch(header, -1) {
		fmt.Fprintf(&cases, "\t\tif (strcmp(name, \"%s\") == 0 && n == %s_SIZE) {\n\t\t\t%s_t m;\n\t\t\t%s_unpack(&m, b);\n"+
			"\t\t\tmemset(b, 0x55, sizeof b);\n\t\t\t%s_pack(b, &m);\n\t\t\tdone = 1;\n\t\t}\n",
			m[1], bytes.ToUpper(m[1]), m[1], m[1], m[1])
	}
	program := "#include <stdio.h>\n#include \"touchline.h\"\n#include \"touchline.h\"\n\nint main(void) {\n\tchar name[64], text[4000];\n" +
		"\twhile (scanf(\"%63s %3999s\", name, text) == 2) {\n\t\tuint8_t b[2000];\n\t\tint n = (int)strlen(text) / 2, done = 0, i;\n" +
		"\t\tfor (i = 0; i < n; i++) {\n\t\t\tunsigned v;\n\t\t\tif (sscanf(text + 2 * i, \"%2x\", &v) != 1) return 3;\n" +
		"\t\t\tb[i] = (uint8_t)v;\n\t\t}\n" + cases.String() + "\t\tif (!done) return 2;\n" +
		"\t\tfor (i = 0; i < n; i++) printf(\"%02x\", b[i]);\n\t\tprintf(\"\\n\");\n\t}\n\treturn 0;\n}\n"
	dir := t.TempDir()
	for name, content := range map[string][]byte{"touchline.h": header, "main.c": []byte(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "codec")
	out, err := exec.Command(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-fsanitize=address,undefined",
		"-fno-sanitize-recover", "-o", binary, filepath.Join(dir, "main.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	feed(t, all, false, binary)
}

// TestPython unpacks and packs every vector with the module, and compares its numbers with those of Go.
func TestPython(t *testing.T) {
	python := tool(t, "python3")
	dir := t.TempDir()
	program := `import struct, sys
sys.path.insert(0, sys.argv[1])
import touchline_codec as codec

def numbers(m):
    for name, form, record, count in m._FIELDS:
        value = getattr(m, name)
        if record:
            for one in value:
                yield from numbers(one)
        elif form.endswith("s"):
            yield value.hex()
        elif form == "<f":
            yield str(struct.unpack("<I", struct.pack(form, value))[0])
        else:
            yield str(value)

for line in sys.stdin:
    name, text = line.split()
    cls = getattr(codec, "".join(word.capitalize() for word in name.split("_")))
    data = bytes.fromhex(text)
    m = cls.unpack(b"xy" + data, 2)
    assert len(data) == cls.SIZE and cls.unpack(m.pack()).pack() == data
    assert len(cls().pack()) == cls.SIZE
    for short in (b"", data[:-1]):
        try:
            cls.unpack(short)
        except ValueError:
            pass
        else:
            raise AssertionError("a short message is accepted")
    print(m.pack().hex(), *numbers(m))
`
	for name, content := range map[string][]byte{"touchline_codec.py": dissector.Python("test"), "main.py": []byte(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	feed(t, samples(t), true, python, "-B", "-W", "error", filepath.Join(dir, "main.py"), dir)
}
