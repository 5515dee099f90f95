package wiretest

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"testing"
)

var update = flag.Bool("generate", false, "write generated.go from the tables")

// Generated checks that generated.go of the tested package is text, formatted. The flag -generate writes it.
func Generated(t *testing.T, text []byte) {
	t.Helper()
	want, err := format.Source(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if *update {
		if err := os.WriteFile("generated.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("generated.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("generated.go is not what the tables say: run this test with -generate (%v)", err)
	}
}
