package matchlog

import (
	"testing"

	"touchline/wire/msl"
)

func TestSideOfALongName(t *testing.T) {
	for _, c := range []struct {
		teams sides
		line  msl.Line
		want  string
	}{
		{sides{"CAMBADA", "TU/e"}, msl.Line{Team: "Tech United Eindhoven"}, Away},
		{sides{"TU/e", "CAMBADA"}, msl.Line{Team: "Tech United Eindhoven"}, Home},
		{sides{"CAMBADA", "Tech United"}, msl.Line{Team: "Tech United Eindhoven"}, Away},
		{sides{"CAMBADA", "TU/e"}, msl.Line{Team: "CAMBADA"}, Home},
		{sides{"CAMBADA", "TU/e"}, msl.Line{Team: "VDL Robot Sports"}, ""},
	} {
		if got := c.teams.of(&c.line); got != c.want {
			t.Errorf("%v, %q: %q, want %q", c.teams, c.line.Team, got, c.want)
		}
	}
}
