package capture

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readHex reads every datagram of a text.
func readHex(text string) (got [][]byte, err error) {
	h := newHex(strings.NewReader(text))
	for {
		b, err := h.next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, bytes.Clone(b))
	}
}

func TestHex(t *testing.T) {
	long := strings.Repeat("7b", 64)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "7b02ff\n", []string{"7b02ff"}},
		{"spaced, upper case, no end of line", "7B 02\tFf", []string{"7b02ff"}},
		{"short lines are one datagram", "7b # flag\n# the rest\n02 ff\r\n", []string{"7b02ff"}},
		{"empty lines separate datagrams", "\n\n7b\n\n02\n \nff\n\n", []string{"7b", "02", "ff"}},
		{"after a long first line each line is a datagram", long + "\n" + "7b\n" + long, []string{long, "7b", long}},
		{"until an empty line", long + "\n\n7b\n02\n", []string{long, "7b02"}},
		{"vectors",
			"name a\nhex 7b # x\nhex " + long + "\n# why\nhex 02\nexpect {\n  \"7b\"}\nname b\nhex 7b 03\nissue 1 flag", []string{"7b" + long + "02", "7b03"}},
		{"only comments", "# nothing\n#\n", nil},
		{"empty", "", nil},
	} {
		got, err := readHex(c.text)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: got %x, %v; want %s", c.name, got, err, c.want)
			continue
		}
		for i := range got {
			if hex.EncodeToString(got[i]) != c.want[i] {
				t.Errorf("%s: datagram %d is %x, want %s", c.name, i, got[i], c.want[i])
			}
		}
	}
}

func TestHexErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"odd", "7b\n7b0", "line 2: \"7b0\" has an odd number"},
		{"not hex", "# fine\n\nhello!\n", "line 3: \"hello!\" is not hex"},
		{"long line", "7b\n" + strings.Repeat("7b", 40000), "line 2 is longer than 65536 bytes"},
		{"long datagram", strings.Repeat("7b 02 03\n", 22000), "at most 65507 bytes"},
	} {
		if _, err := readHex(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestHexReadsVectors(t *testing.T) {
	files, err := filepath.Glob("../../wire/vectors/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := 0 // an entry may be an empty payload
		for entry := range strings.SplitSeq("\n"+string(text), "\nname ") {
			if strings.Contains(entry, "\nhex ") {
				want++
			}
		}
		if got, err := readHex(string(text)); err != nil || len(got) != want {
			t.Errorf("%s: %d datagrams, want %d; %v", name, len(got), want, err)
		}
	}
}

func FuzzHex(f *testing.F) {
	f.Add("7b 02 # flag\n\n7b02\n")
	f.Add(strings.Repeat("7b", 70) + "\n7b\n")
	f.Add("7")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readHex(text)
		// The datagrams, written plainly, are read back.
		var plain strings.Builder
		total := 0
		for _, b := range got {
			if len(b) == 0 || len(b) > maxDatagram {
				t.Fatalf("a datagram of %d bytes", len(b))
			}
			total += len(b)
			plain.WriteString(hex.EncodeToString(b) + "\n\n")
		}
		if total > len(text) {
			t.Fatalf("%d bytes of %d characters", total, len(text))
		}
		again, err2 := readHex(plain.String())
		if err2 != nil && strings.Contains(err2.Error(), "longer") {
			return
		}
		if err2 != nil || len(again) != len(got) {
			t.Fatalf("first %d and %v, then %d and %v", len(got), err, len(again), err2)
		}
		for i := range got {
			if !bytes.Equal(got[i], again[i]) {
				t.Fatalf("datagram %d: first %x, then %x", i, got[i], again[i])
			}
		}
	})
}
