package msl_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	. "touchline/wire/msl"
	"touchline/wire/wiretest"
)

func vectors(t testing.TB, file string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", file))
}

func seeds(t testing.TB, file string) (all [][]byte) {
	t.Helper()
	for _, v := range vectors(t, file) {
		all = append(all, v.Data)
	}
	return all
}

func TestVectors(t *testing.T) {
	for file, understood := range map[string]func([]byte) any{
		"msl-worldstate.txt": worldstate, "msl-event.txt": event, "msl-command.txt": command,
	} {
		for _, v := range vectors(t, file) {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				if got, want := canonical(t, text(t, understood(v.Data))), canonical(t, v.Expect); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if got := wiretest.Issues(Check(v.Data)); !slices.Equal(got, v.Issues) {
					t.Errorf("got issues\n%q, want\n%q", got, v.Issues)
				}
				var w, same Worldstate
				findings, err := same.Examine(nil, v.Data)
				if wrong := w.UnmarshalBinary(v.Data); !slices.EqualFunc(findings, AppendFindings(nil, v.Data), func(a,
					b Finding) bool {
					return a.Rule == b.Rule && a.Offset == b.Offset && a.Note == b.Note && a.Issue() == b.Issue()
				}) || fmt.Sprint(wrong) != fmt.Sprint(err) || err == nil && text(t, w) != text(t, same) {
					t.Errorf("examined: %+v, %v, %+v; decoded: %v, %+v", findings, err, same, wrong, w)
				}
				for _, i := range Check(v.Data) {
					if i.Text == "" || i.Source == "" {
						t.Errorf("an issue without text: %+v", i)
					}
				}
				tabled(t, v.Data)
			})
		}
	}
}

type object = map[string]any

func worldstate(b []byte) any {
	var w Worldstate
	err := w.UnmarshalBinary(b)
	kind := KindOf(b)
	switch {
	case errors.Is(err, ErrMalformed):
		return object{"malformed": true}
	case errors.Is(err, ErrKind):
		return object{"kind": kind.String()}
	}
	robots, balls, obstacles := []any{}, []any{}, []any{}
	for _, m := range w.Robots {
		robots = append(robots, []any{number(m.ID), vector(m.Pose), vector(m.TargetPose), vector(m.Velocity), m.Intention,
			number(m.BatteryLevel), number(m.BallEngaged)})
	}
	for _, m := range w.Balls {
		balls = append(balls, []any{vector(m.Position), vector(m.Velocity), number(m.Confidence)})
	}
	for _, m := range w.Obstacles {
		obstacles = append(obstacles, []any{vector(m.Position), vector(m.Velocity), number(m.Radius), number(m.Confidence)})
	}
	return object{"kind": kind.String(), "teamName": w.TeamName, "intention": w.Intention, "robots": robots,
		"balls":     balls,
		"obstacles": obstacles, "ageMs": number(w.AgeMillis)}
}

func event(b []byte) any {
	var e Event
	err := e.UnmarshalBinary(b)
	switch {
	case errors.Is(err, ErrMalformed):
		return object{"malformed": true}
	case errors.Is(err, ErrKind):
		return object{"kind": KindOf(b).String()}
	}
	return object{"kind": KindOf(b).String(), "robotId": number(e.RobotID), "event": e.Event}
}

func command(b []byte) any {
	var c Command
	if err := c.UnmarshalBinary(b); errors.Is(err, ErrKind) {
		return object{"kind": KindOf(b).String(), "refused": true}
	}
	return object{"kind": KindOf(b).String(), "command": c.Name, "targetTeam": c.TargetTeam, "robotID": c.RobotID}
}

func number(n Number) any {
	if !n.Known {
		return nil
	}
	return n.Value
}

func vector(v Vec) any {
	if v.Len == 0 {
		return nil
	}
	all := []any{}
	for _, n := range v.At[:v.Len] {
		all = append(all, number(n))
	}
	return all
}

// tabled checks that the fields of b hold every value once, in order: nothing else is left if nulls replace them.
func tabled(t *testing.T, b []byte) {
	t.Helper()
	var rest []byte
	end := 0
	for _, f := range Fields(b) {
		if f.Offset < end || f.Offset+f.Len > len(b) || string(b[f.Offset:f.Offset+f.Len]) != f.Value || f.Name == "" {
			t.Fatalf("%s: field %+v differs from the bytes", b, f)
		}
		rest = append(append(rest, b[end:f.Offset]...), "null"...)
		end = f.Offset + f.Len
	}
	if end == 0 {
		return // not an object, or an empty one
	}
	var left any
	if err := json.Unmarshal(append(rest, b[end:]...), &left); err != nil || !hollow(left) {
		t.Fatalf("%s: the fields leave out %v %v", b, left, err)
	}
}

// hollow reports whether lists and objects hold only nulls.
func hollow(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !hollow(e) })
	case object:
		for _, e := range v {
			if !hollow(e) {
				return false
			}
		}
		return true
	}
	return v == nil
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// canonical returns JSON with sorted keys and uniform numbers.
func canonical(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text(t, v)
}
