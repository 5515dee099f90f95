package team_test

import (
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// vectors reads the vectors of a type of message.
func vectors(t testing.TB, name string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", "team-"+name+".txt"))
}

// check returns Check for one type of message.
func check(dataType uint16) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue { return team.Check(dataType, b) }
}

func TestBelief(t *testing.T) { testVectors[team.Belief](t, "belief", team.TypeBelief) }
func TestMeasurements(t *testing.T) {
	testVectors[team.Measurements](t, "measurements", team.TypeMeasurements)
}
func TestStatus(t *testing.T)    { testVectors[team.Status](t, "status", team.TypeStatus) }
func TestDebug(t *testing.T)     { testVectors[team.Debug](t, "debug", team.TypeDebug) }
func TestReferee(t *testing.T)   { testVectors[team.Referee](t, "referee", team.TypeReferee) }
func TestSense(t *testing.T)     { testVectors[team.Sense](t, "sense", team.TypeSense) }
func TestMotor(t *testing.T)     { testVectors[team.Motor](t, "motor", team.TypeMotor) }
func TestDirectory(t *testing.T) { testVectors[team.Directory](t, "directory", team.TypeDirectory) }
func TestFile(t *testing.T)      { testVectors[team.File](t, "file", team.TypeFile) }

// testVectors checks that each vector decodes to its contents and has its faults, and that the codec writes each vector
// without faults.
func testVectors[T any, M wiretest.Message[T]](t *testing.T, name string, dataType uint16) {
	var good []wiretest.Case[T]
	for _, v := range vectors(t, name) {
		t.Run(v.Name, func(t *testing.T) {
			if got := wiretest.Issues(team.Check(dataType, v.Data)); !slices.Equal(got, v.Issues) {
				t.Errorf("check:\ngot  %q\nwant %q", got, v.Issues)
			}
			testFields(t, dataType, v.Data)
			var msg T
			err := M(&msg).UnmarshalBinary(v.Data)
			if v.Expect == `{"refused": true}` {
				if err == nil {
					t.Errorf("accepted as %+v", msg)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := contents[T](t, &v)
			if !reflect.DeepEqual(msg, want) {
				t.Errorf("got  %+v\nwant %+v", msg, want)
			}
			if len(v.Issues) == 0 {
				good = append(good, wiretest.Case[T]{Name: v.Name, Msg: want, Hex: hex.EncodeToString(v.Data)})
			}
		})
	}
	if len(good) < 2 {
		t.Errorf("%d vectors without faults, want 2", len(good))
	}
	switch dataType {
	case team.TypeDirectory, team.TypeDebug: // any part of a text is a text, and part of a record is an older one
		wiretest.RunOpen[T, M](t, check(dataType), good)
		return
	}
	wiretest.Run[T, M](t, check(dataType), good)
}

// contents returns the contents of a vector.
func contents[T any](t *testing.T, v *wiretest.Vector) (msg T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(v.Expect))
	d.DisallowUnknownFields()
	if err := d.Decode(&msg); err != nil {
		t.Fatalf("expect: %v", err)
	}
	return msg
}

// testFields checks that the byte table covers every byte in order.
func testFields(t *testing.T, dataType uint16, b []byte) {
	t.Helper()
	end := 0
	for _, f := range team.Fields(dataType, b) {
		if f.Offset != end || f.Len == 0 || f.Name == "" || f.Value == "" {
			t.Errorf("after byte %d: field %+v", end, f)
		}
		end = f.Offset + f.Len
	}
	if len(b) > 0 && b[0] == team.Version && end != len(b) {
		t.Errorf("the fields end at byte %d of %d", end, len(b))
	}
}

// seeds returns the bytes of the vectors of a type of message.
func seeds(f *testing.F, name string) (all [][]byte) {
	for _, v := range vectors(f, name) {
		all = append(all, v.Data)
	}
	return all
}

func FuzzBelief(f *testing.F) { fuzz[team.Belief](f, "belief", team.TypeBelief) }

func FuzzMeasurements(f *testing.F) {
	fuzz[team.Measurements](f, "measurements", team.TypeMeasurements)
}

func FuzzStatus(f *testing.F) { fuzz[team.Status](f, "status", team.TypeStatus) }

func FuzzDebug(f *testing.F) { fuzz[team.Debug](f, "debug", team.TypeDebug) }

func FuzzReferee(f *testing.F) { fuzz[team.Referee](f, "referee", team.TypeReferee) }

func FuzzSense(f *testing.F) { fuzz[team.Sense](f, "sense", team.TypeSense) }

func FuzzMotor(f *testing.F) { fuzz[team.Motor](f, "motor", team.TypeMotor) }

func FuzzDirectory(f *testing.F) { fuzz[team.Directory](f, "directory", team.TypeDirectory) }

func FuzzFile(f *testing.F) { fuzz[team.File](f, "file", team.TypeFile) }

// fuzz checks the property of every codec, and that the byte table covers every byte.
func fuzz[T any, M wiretest.Message[T]](f *testing.F, name string, dataType uint16) {
	wiretest.Fuzz[T, M](f, func(b []byte) []wire.Issue {
		end := 0
		for _, field := range team.Fields(dataType, b) {
			end += field.Len
		}
		if len(b) > 0 && b[0] == team.Version && end != len(b) {
			panic("the byte table does not cover every byte")
		}
		return team.Check(dataType, b)
	}, seeds(f, name)...)
}
