package lab

import (
	"strings"
	"testing"
)

// A STOP may arrive before messages that were decided earlier, and instead of those that move robots.
func TestPaced(t *testing.T) {
	for _, test := range []struct {
		decided, received string
		want              bool
	}{
		{"GOAL KICKOFF START", "KICKOFF START", true},
		{"GOAL KICKOFF START", "GOAL START", false},
		{"REPAIR FIRST_HALF START STOP CORNER", "REPAIR STOP FIRST_HALF CORNER", true},
		{"REPAIR FIRST_HALF START STOP CORNER", "REPAIR STOP CORNER", false},
		{"REPAIR FIRST_HALF START STOP CORNER", "REPAIR FIRST_HALF STOP", true},
		{"REPAIR_END REPAIR_END STOP", "REPAIR_END STOP REPAIR_END", true},
		{"GOAL KICKOFF START", "STOP", false},
		{"GOAL", "", true},
	} {
		if got := contains(messages(test.decided), messages(test.received)); got != test.want {
			t.Errorf("%q of %q: got %t", test.received, test.decided, got)
		}
	}
}

func messages(commands string) (all []string) {
	for c := range strings.FieldsSeq(commands) {
		all = append(all, `{"command": "`+c+`"}`)
	}
	return all
}
