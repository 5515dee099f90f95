package refboxnet

import (
	"fmt"
	"strings"
	"testing"

	"touchline/internal/refbox"
)

// output returns evidence of a program that shows the first messages of each stage, in the given form.
func output(form func(robot int) string, shown ...int) *evidence {
	var e evidence
	for i, n := range shown {
		e.begin(i)
		for robot := range n {
			fmt.Fprintln(&e, form(readerStages[i].first+robot))
		}
	}
	return &e
}

func TestVerdicts(t *testing.T) {
	numbered := func(robot int) string { return fmt.Sprintf("06:43:23.788 IS_ALIVE theirs robot %d", robot) }
	plain := func(int) string { return "received is_alive\ncommand: IS_ALIVE; target 224.16.32.0" }
	object := func(robot int) string {
		return fmt.Sprintf("{'robotID': %d, 'command': 'IS_ALIVE', 'targetTeam': '224.16.32.0'}", robot)
	}
	dump := func(int) string { return "IS_ALIVE 81 IS_ALIVE 82 IS_ALIVE 83" }
	for _, test := range []struct {
		name          string
		evidence      *evidence
		verdict, text string
		ended         bool
	}{
		{"everything", output(numbered, 6, 6, 6, 2), refbox.Reads, "every message", false},
		{"objects", output(object, 6, 6, 6, 2), refbox.Reads, "every message", false},
		{"lines without numbers", output(plain, 6, 6, 6, 2), refbox.Reads, "every message", false},
		{"one object a read", output(numbered, 6, 6, 1, 1), refbox.Loses, "one message of each read", false},
		{"one object a read, lines without numbers", output(plain, 6, 6, 1, 1), refbox.Loses, "one message of each read", false},
		{"sleeping between reads", output(object, 6, 2, 1, 1), refbox.Loses, "25 ms apart", false},
		{"no carry-over", output(object, 6, 6, 6, 1), refbox.Loses, "two pieces", false},
		{"dumps of what was read", output(dump, 0, 0, 6, 0), refbox.Unknown, "nothing is known", false},
		{"an end in the last stage", output(object, 6, 6, 6, 0), refbox.Loses, "in the stage \"split\"", true},
		{"nothing", &evidence{}, refbox.Unknown, "nothing is known", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := test.evidence.report("127.0.0.1:1", test.ended)
			if err != nil || r.Verdict != test.verdict || !strings.Contains(r.Text, test.text) {
				t.Errorf("got %+v, %v, want %s with %q", r, err, test.verdict, test.text)
			}
		})
	}
}
