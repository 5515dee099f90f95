package mixedteam_test

import (
	"errors"
	"path/filepath"
	"testing"

	"touchline/soccer"
	. "touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// seeds returns the datagrams of all vectors.
func seeds(f *testing.F) (all [][]byte) {
	f.Helper()
	for _, file := range []string{"mixedteam-v1.txt", "mixedteam-v2.txt", "mixedteam-v2-padded.txt"} {
		for _, v := range wiretest.Vectors(f, filepath.Join("..", "vectors", file)) {
			all = append(all, v.Data)
		}
	}
	return all
}

func FuzzV1(f *testing.F) { wiretest.Fuzz[PackageV1](f, only(V1), seeds(f)...) }

func FuzzV2(f *testing.F) { wiretest.Fuzz[PackageV2](f, only(V2), seeds(f)...) }

func FuzzPadded(f *testing.F) { wiretest.Fuzz[PackagePadded](f, only(V2Padded), seeds(f)...) }

// FuzzIdentify checks that no function panics, and that all agree on the variant of b.
func FuzzIdentify(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		id := Identify(b)
		var h Header
		var p soccer.Percepts
		decoded, err := Decode(b, &h, &p)
		if decoded != id || h.Variant != id.Variant || errors.Is(err, ErrForeign) != (id.Variant == Foreign) {
			t.Fatalf("Identify returns %+v, Decode %+v: %v", id, decoded, err)
		}
		if id.Len > len(b) || id.Confidence < 0.5 || id.Confidence > 1 || id.Reason == "" ||
			(id.Len == 0) != (id.Variant == Foreign) {
			t.Fatalf("got identity %+v of %d bytes", id, len(b))
		}
		flagged := len(b) > 0 && b[0] == Flag
		if issues := Check(b); id.Variant == Foreign && (len(issues) > 0) != flagged {
			t.Fatalf("foreign, flag %v: got issues %v", flagged, issues)
		}
		at := 0
		for _, field := range Fields(b) {
			if field.Offset != at {
				t.Fatalf("got field %+v at byte %d", field, at)
			}
			at += field.Len
		}
		if id.Variant != Foreign && at != len(b) {
			t.Fatalf("fields cover %d bytes of %d", at, len(b))
		}
		if len(p.Balls) > 3 || len(p.Obstacles) > 12 {
			t.Fatalf("got %d balls and %d obstacles, want at most 3 and 12", len(p.Balls), len(p.Obstacles))
		}
	})
}
