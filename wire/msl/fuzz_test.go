package msl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/wire"
	. "touchline/wire/msl"
	"touchline/wire/wiretest"
)

// of returns Check for messages of one kind; messages of other kinds are a violation.
func of(k Kind) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue {
		issues := Check(b)
		if KindOf(b) != k {
			issues = append(issues, wire.Issue{Text: "another kind"})
		}
		return issues
	}
}

func FuzzWorldstate(f *testing.F) {
	wiretest.Fuzz[Worldstate](f, of(KindWorldstate), append(seeds(f, "msl-worldstate.txt"), []byte(fullText))...)
}

func FuzzEvent(f *testing.F) {
	wiretest.Fuzz[Event](f, of(KindEvent), seeds(f, "msl-event.txt")...)
}

func FuzzCommand(f *testing.F) {
	wiretest.Fuzz[Command](f, of(KindCommand), seeds(f, "msl-command.txt")...)
}

// FuzzSyntax compares decoding with encoding/json: both accept the same objects with the same values, except for
// duplicate keys and text that is not UTF-8, which encoding/json accepts.
func FuzzSyntax(f *testing.F) {
	for _, b := range seeds(f, "msl-worldstate.txt") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var w Worldstate
		err := w.UnmarshalBinary(b)
		var theirs map[string]any
		object := false
		if json.Valid(b) {
			d := json.NewDecoder(bytes.NewReader(b))
			d.UseNumber() // a number may exceed a float64
			object = d.Decode(&theirs) == nil && theirs != nil
		}
		if issues := Check(b); errors.Is(err, ErrMalformed) != (len(issues) == 1 &&
			issues[0].Source == Check(nil)[0].Source) {
			t.Fatalf("%q: %v, issues %v", b, err, issues)
		}
		if errors.Is(err, ErrMalformed) {
			lenient := jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			if object && len(b) <= MaxMessage && !lenient {
				t.Fatalf("%q: got %v, encoding/json accepts it", b, err)
			}
			return
		}
		if !object {
			t.Fatalf("%q: accepted, encoding/json refuses it", b)
		}
		if len(b) < 5000 { // Fields lists all
			tabled(t, b)
		}
		if err != nil {
			return
		}
		if name, ok := theirs["teamName"].(string); ok && w.TeamName != name {
			t.Fatalf("%q: got teamName %q, encoding/json %q", b, w.TeamName, name)
		}
		if age, ok := theirs["ageMs"].(json.Number); ok {
			like(t, b, w.AgeMillis, age)
		}
		all, _ := theirs["robots"].([]any)
		robots := 0
		for _, r := range all {
			if r, ok := r.(map[string]any); ok && robots < MaxRobots {
				same(t, b, w.Robots[robots].Pose, r["pose"])
				robots++
			}
		}
		if len(w.Robots) != robots {
			t.Fatalf("%q: got %d robots, encoding/json %d", b, len(w.Robots), robots)
		}
	})
}

// same compares a vector with that of encoding/json.
func same(t *testing.T, b []byte, v Vec, theirs any) {
	t.Helper()
	all, _ := theirs.([]any)
	if v.Len != min(len(all), 3) {
		t.Fatalf("%q: got vector %v, encoding/json %v", b, v, all)
	}
	for i := range v.Len {
		if n, ok := all[i].(json.Number); ok {
			like(t, b, v.At[i], n)
		} else if all[i] == nil && v.At[i].Known {
			t.Fatalf("%q: got vector %v, encoding/json %v", b, v, all)
		}
	}
}

// like compares a number with its text; it is unknown if it exceeds a float64.
func like(t *testing.T, b []byte, n Number, text json.Number) {
	t.Helper()
	if want, err := text.Float64(); n.Known != (err == nil) || n.Known && n.Value != want {
		t.Fatalf("%q: got number %v, encoding/json %v", b, n, text)
	}
}

// TestNumbers wants the float64 of strconv for every spelling of a number.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	check := func(text string) {
		var w Worldstate
		if err := w.UnmarshalBinary([]byte(`{"ageMs":` + text + `}`)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if want, err := strconv.ParseFloat(text, 64); err == nil &&
			math.Float64bits(w.AgeMillis.Value) != math.Float64bits(want) {
			t.Errorf("%s is decoded as %v", text, w.AgeMillis.Value)
		}
	}
	for _, text := range []string{"0", "-0", "-0.0", "0.1", "123456789012345", "1234567890123456", "0.000000000000001",
		"9007199254740993", "0.30000000000000004", "1e3", "-1E-3", "1.5e300", "2.2250738585072011e-308", "123.456789012345678"} {
		check(text)
	}
	for range 200_000 {
		check(strconv.FormatFloat((r.Float64()-0.5)*math.Pow(10, float64(r.IntN(16))), 'f', r.IntN(17), 64))
	}
}
