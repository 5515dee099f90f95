package firasim_test

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	. "touchline/wire/firasim"
	"touchline/wire/wiretest"
)

func vectors(t testing.TB, file string) []wiretest.Vector {
	t.Helper()
	return wiretest.Vectors(t, filepath.Join("..", "vectors", file))
}

func seeds(f *testing.F, file string) (all [][]byte) {
	f.Helper()
	for _, v := range vectors(f, file) {
		all = append(all, v.Data)
	}
	return all
}

func TestEnvironmentVectors(t *testing.T) {
	environments.vectors(t, "firasim-environment.txt", func(m *Environment) any {
		var ball, field any
		if b := m.Frame.Ball; m.Frame.HasBall {
			ball = numbers(b.X, b.Y, b.Z, b.VX, b.VY, b.VZ)
		}
		if f := m.Field; m.HasField {
			field = numbers(f.Width, f.Length, f.GoalWidth, f.GoalDepth, f.CenterRadius, f.PenaltyWidth,
				f.PenaltyDepth, f.PenaltyPoint)
		}
		robots := func(list []Robot) []any {
			all := []any{}
			for _, r := range list {
				all = append(all, append([]any{r.ID}, numbers(r.X, r.Y, r.Orientation, r.VX, r.VY, r.VOrientation)...))
			}
			return all
		}
		return map[string]any{"step": m.Step, "goals": []uint32{m.GoalsBlue, m.GoalsYellow}, "ball": ball,
			"yellow": robots(m.Frame.Yellow), "blue": robots(m.Frame.Blue), "field": field}
	})
}

func TestPacketVectors(t *testing.T) {
	packets.vectors(t, "firasim-packet.txt", func(m *Packet) any {
		var commands, ball any
		if m.HasCommands {
			list := []any{}
			for _, c := range m.Commands {
				list = append(list, append([]any{c.ID, c.Yellow}, numbers(c.Left, c.Right)...))
			}
			commands = list
		}
		if b := m.Replacement.Ball; m.Replacement.HasBall {
			ball = numbers(b.X, b.Y, b.VX, b.VY)
		}
		robots := []any{}
		for _, r := range m.Replacement.Robots {
			p := r.Position
			robots = append(robots, append(append([]any{p.ID}, numbers(p.X, p.Y, p.Orientation)...), r.Yellow,
				r.TurnOn))
		}
		return map[string]any{"commands": commands, "ball": ball, "robots": robots}
	})
}

func TestRefereeVectors(t *testing.T) {
	refereeCommands.vectors(t, "firasim-referee.txt", func(m *RefereeCommand) any {
		return map[string]any{"foul": int32(m.Foul), "team": int32(m.Team), "quadrant": m.Quadrant,
			"timestamp": numbers(m.Timestamp)[0], "half": int32(m.Half)}
	})
}

func TestPlacementVectors(t *testing.T) {
	placements.vectors(t, "firasim-placement.txt", func(m *Placement) any {
		var team any
		if m.HasWorld {
			team = int32(m.Team)
		}
		robots := []any{}
		for _, r := range m.Robots {
			robots = append(robots, append([]any{r.ID}, numbers(r.X, r.Y, r.Orientation)...))
		}
		return map[string]any{"team": team, "robots": robots}
	})
}

// numbers returns v in the form of the vectors' JSON.
func numbers(v ...float64) (all []any) {
	for _, x := range v {
		switch {
		case math.IsNaN(x):
			all = append(all, "NaN")
		case math.IsInf(x, 1):
			all = append(all, "+Inf")
		case math.IsInf(x, -1):
			all = append(all, "-Inf")
		default:
			all = append(all, x)
		}
	}
	return all
}

// vectors checks the content and the issues of every datagram of file, and compares both with google's runtime.
func (o oracle[T, M]) vectors(t *testing.T, file string, understood func(*T) any) {
	for _, v := range vectors(t, file) {
		t.Run(v.Name, func(t *testing.T) {
			m := new(T)
			got := any(map[string]bool{"malformed": true})
			if err := M(m).UnmarshalBinary(v.Data); err == nil {
				got = understood(m)
			} else if !errors.Is(err, ErrMalformed) {
				t.Errorf("got %v, want ErrMalformed", err)
			}
			if got, want := canonical(t, text(t, got)), canonical(t, v.Expect); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := wiretest.Issues(Check(o.kind, v.Data)); !slices.Equal(got, v.Issues) {
				t.Errorf("got issues\n%q, want\n%q", got, v.Issues)
			}
			o.decode(t, v.Data, new(T))
			covered(t, o.kind, v.Data)
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// canonical sorts the keys of JSON and unifies its numbers.
func canonical(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text(t, v)
}
