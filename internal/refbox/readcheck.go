// Package readcheck finds out how a base station reads: it defines a burst of harmless messages, and judges by the
// answers which of them the base station read.
//
// RefBox 2.1 has no acknowledgement, and the known base stations answer no command (RefBox 2.1, MixedTeamProtocol,
// Falcons). A base station that wants to be judged answers each IS_ALIVE of group Group with an event of that robot
// whose text contains IS_ALIVE. Without answers nothing is known, and the team has to look at its own program.

package refbox

import (
	"fmt"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	// Group is the target of the messages: the one that RefBox 2.1 sends for a side without a team. Every base station
	// takes it for the opponents', so that no robot of its own is meant.
	Group = "224.16.32.0"
	// Messages is the number of messages in a burst: IS_ALIVE of the robots 1 to 6. As many leave before a START that
	// follows a whole set of cards.
	Messages = 6
	// Patience is how long answers may take after the last message: the client of MixedTeamProtocol sleeps 500 ms after
	// each read.
	Patience = 4 * time.Second
)

// Burst returns n messages, each with its NUL, for the robots from first on.
func Burst(first, n int) []byte {
	var b []byte
	for robot := first; robot < first+n; robot++ {
		c := msl.Command{Name: msl.IsAlive, TargetTeam: Group, RobotID: robot}
		data, err := c.AppendBinary(b)
		if err != nil {
			panic(err) // robots from 1 to 99 are valid
		}
		b = append(data, 0)
	}
	return b
}

// Answers reports whether an event answers a message of a burst.
func Answers(text string) bool { return strings.Contains(strings.ToUpper(text), msl.IsAlive) }

// Verdicts of a Result.
const (
	Running = "running" // answers may still come
	Reads   = "reads"   // it read every message
	Loses   = "loses"   // it lost messages
	Unknown = "unknown" // it answered none
)

// Check is one check of a base station's reader.
type Check struct {
	Began    soccer.Time
	messages [Messages]message
	told     string // the verdict of the team itself; "": none
}

// message is one message of the burst.
type message struct {
	left, answered soccer.Time // 0: not yet
	why            string      // why it did not leave
}

// Left reports that a message left, or why it will not.
func (c *Check) Left(command string, at soccer.Time, why string) {
	for i := range c.messages {
		if m := &c.messages[i]; command == name(i) && m.left == 0 && m.why == "" {
			if m.why = why; why == "" {
				m.left = at
			}
		}
	}
}

// name returns a message of the burst as text.
func name(i int) string {
	c := msl.Command{Name: msl.IsAlive, RobotID: i + 1}
	return c.Text()
}

// Answer takes an event of the base station, and reports whether it answers a message.
func (c *Check) Answer(at soccer.Time, robot float64, text string) bool {
	for i := range c.messages {
		if m := &c.messages[i]; robot == float64(i+1) && Answers(text) {
			if m.answered == 0 {
				m.answered = at
			}
			return true
		}
	}
	return false
}

// Tell takes what the team saw: its program showed all messages, or not all.
func (c *Check) Tell(all bool) {
	if c.told = Loses; all {
		c.told = Reads
	}
}

// Result is what is known of a base station's reader.
type Result struct {
	Verdict  string    `json:"verdict"` // "running", "reads", "loses", "unknown"
	Text     string    `json:"text"`    // what is known
	Ask      string    `json:"ask"`     // what the team's program should have shown; "" where nobody needs to be asked
	Began    float64   `json:"began"`   // ms since 1970
	Messages []Message `json:"messages"`
}

// Message is one message of the burst.
type Message struct {
	Text     string   `json:"text"`
	Sent     *float64 `json:"sent"`     // ms after the first one; null: not sent
	Answered *float64 `json:"answered"` // ms after it was sent; null: no answer
	Why      string   `json:"why"`      // why it was not sent
}

// Result returns what is known at now.
func (c *Check) Result(now soccer.Time) Result {
	r := Result{Began: float64(c.Began) / 1e6}
	answered, unsent := 0, 0
	var missing []string
	for i := range c.messages {
		m := &c.messages[i]
		v := Message{Text: name(i), Why: m.why}
		if m.left != 0 {
			sent := float64(m.left.Sub(c.messages[0].left)) / 1e6
			v.Sent = &sent
		}
		switch {
		case m.why != "":
			unsent++
		case m.answered != 0:
			answered++
			after := max(0, float64(m.answered.Sub(m.left))/1e6)
			v.Answered = &after
		default:
			missing = append(missing, name(i))
		}
		r.Messages = append(r.Messages, v)
	}
	last := c.messages[Messages-1].left
	r.judge(answered, unsent, missing, c.told, last != 0 && now > last.Add(Patience) || now > c.Began.Add(2*Patience))
	return r
}

// judge sets the verdict and its texts.
func (r *Result) judge(answered, unsent int, missing []string, told string, over bool) {
	const advice = "Of a burst it receives the first message at least; it may miss a START that follows cards. " +
		"Its reader should split at the NUL byte and keep the rest for the next read"
	switch {
	case unsent > 0:
		r.Verdict, r.Text = Unknown, fmt.Sprintf("%d of %d messages were not sent: the connection ended", unsent, Messages)
	case answered == Messages:
		r.Verdict, r.Text = Reads, fmt.Sprintf("it answered all %d messages: it reads each message of a burst", Messages)
	case !over:
		r.Verdict, r.Text = Running, fmt.Sprintf("%d of %d messages answered so far", answered, Messages)
	case answered > 0:
		r.Verdict = Loses
		r.Text = fmt.Sprintf("it answered %d of %d messages, not %s. %s", answered, Messages, strings.Join(missing, ", "),
			advice)
	case told == Reads:
		r.Verdict, r.Text = Reads, "the team saw all messages: it reads each message of a burst"
	case told == Loses:
		r.Verdict, r.Text = Loses, "the team did not see all messages. "+advice
	default:
		r.Verdict, r.Text = Unknown, "it answered no message, as most base stations: only its team can tell"
		r.Ask = fmt.Sprintf("did your program show %s to %d for the opponents?", name(0), Messages)
	}
}
