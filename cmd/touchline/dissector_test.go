package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The generators write to the standard output or to a file, and replace only files that they wrote.
func TestGenerators(t *testing.T) {
	for args, want := range map[string]string{
		"dissector":           "Proto(",
		"codec --lang c":      "mixedteam_v2_pack(",
		"codec --lang python": "class MixedteamV2(",
	} {
		fields := strings.Fields(args)
		printed, errs, code := touchline(t, fields...)
		if code != 0 || !strings.Contains(printed, want) {
			t.Errorf("%s: exit code %d, %.300s; %s", args, code, printed, errs)
		}
		file := filepath.Join(t.TempDir(), "out")
		for range 2 {
			if out, errs, code := touchline(t, append(fields, "-o", file)...); code != 0 || out != "" {
				t.Errorf("%s -o: exit code %d, %s%s", args, code, out, errs)
			}
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != printed {
			t.Errorf("%s: the file differs from what is printed: %v", args, err)
		}
		if err := os.WriteFile(file, []byte("my own"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := touchline(t, append(fields, "-o", file)...); code != 2 ||
			!strings.Contains(errs, "choose another name") {
			t.Errorf("%s replaces another file: exit code %d, %s", args, code, errs)
		}
		if _, errs, code := touchline(t, append(fields, "-o", filepath.Join(file, "x"))...); code != 2 || errs == "" {
			t.Errorf("%s into no folder: exit code %d, %s", args, code, errs)
		}
	}
	for _, args := range []string{"codec", "codec --lang rust", "dissector extra", "codec --lang c extra"} {
		if _, errs, code := touchline(t, strings.Fields(args)...); code != 2 || errs == "" {
			t.Errorf("%s: exit code %d, %s", args, code, errs)
		}
	}
}
