package refbox

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

const began = soccer.Epoch

// sent returns a check whose messages have left 25 ms apart.
func sent() *readerCheck {
	c := &readerCheck{began: began}
	for i, command := range commands() {
		c.left(command, began.Add(time.Duration(i)*25*time.Millisecond), "")
	}
	return c
}

func commands() []string {
	return []string{"IS_ALIVE 1", "IS_ALIVE 2", "IS_ALIVE 3", "IS_ALIVE 4", "IS_ALIVE 5", "IS_ALIVE 6"}
}

func TestBurst(t *testing.T) {
	var c msl.Command
	all := bytes.Split(CheckBurst(21, 3), []byte{0})
	if len(all) != 4 || len(all[3]) != 0 {
		t.Fatalf("burst %q", all)
	}
	if err := c.UnmarshalBinary(all[2]); err != nil || c.Name != msl.IsAlive || c.RobotID != 23 ||
		c.TargetTeam != CheckGroup {
		t.Errorf("the last message is %+v, %v", c, err)
	}
}

func TestResult(t *testing.T) {
	end := began.Add(10 * time.Second)
	for _, test := range []struct {
		name    string
		answers []int
		tell    func(*readerCheck)
		at      soccer.Time
		verdict string
		text    string
		ask     bool
	}{
		{"all answered", []int{1, 2, 3, 4, 5, 6}, nil, began.Add(time.Second), Reads, "all 6", false},
		{"answers may come", []int{1, 2}, nil, began.Add(time.Second), running, "2 of 6", false},
		{"only the first of each read", []int{1, 4}, nil, end, Loses,
			"not IS_ALIVE 2, IS_ALIVE 3, IS_ALIVE 5, IS_ALIVE 6.", false},
		{"no answer", nil, nil, end, Unknown, "only its team can tell", true},
		{"the team saw all", nil, func(c *readerCheck) { c.tell(true) }, end, Reads, "team saw all", false},
		{"the team missed some", nil, func(c *readerCheck) { c.tell(false) }, end, Loses, "did not see all", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := sent()
			for _, robot := range test.answers {
				if !c.answer(began.Add(time.Duration(robot)*30*time.Millisecond), float64(robot), "received is_alive") {
					t.Errorf("the answer of robot %d does not count", robot)
				}
			}
			if test.tell != nil {
				test.tell(c)
			}
			r := c.result(test.at)
			if r.Verdict != test.verdict || !strings.Contains(r.Text, test.text) || (r.Ask != "") != test.ask {
				t.Errorf("got %+v, want %s with %q, a question: %t", r, test.verdict, test.text, test.ask)
			}
			for i, m := range r.Messages {
				if m.Sent == nil || *m.Sent != float64(i*25) || (m.Answered != nil) != slices.Contains(test.answers, i+1) {
					t.Errorf("message %d: %+v", i+1, m)
				}
			}
		})
	}
}

// Messages that did not leave prove nothing about the reader. Other events are no answers.
func TestNoEvidence(t *testing.T) {
	c := &readerCheck{began: began}
	c.left("IS_ALIVE 1", began, "")
	c.left("IS_ALIVE 2", began, "the connection ended")
	if r := c.result(began.Add(time.Hour)); r.Verdict != Unknown || r.Messages[1].Why == "" {
		t.Errorf("got %+v", r)
	}
	if c.answer(began, 1, "kick") || c.answer(began, 7, "IS_ALIVE") {
		t.Error("another event counts as an answer")
	}
}
