package refbox

import (
	"fmt"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	// CheckGroup is the target of the messages: the one that RefBox 2.1 sends for a side without a team. Every base station
	// takes it for the opponents', so that no robot of its own is meant.
	CheckGroup = "224.16.32.0"
	// CheckMessages is the number of messages in a burst: IS_ALIVE of the robots 1 to 6. As many leave before a START that
	// follows a whole set of cards.
	CheckMessages = 6
	// checkPatience is how long answers may take after the last message: the client of MixedTeamProtocol sleeps 500 ms after
	// each read.
	checkPatience = 4 * time.Second
)

// CheckBurst returns n messages, each with its NUL, for the robots from first on.
func CheckBurst(first, n int) []byte {
	var b []byte
	for robot := first; robot < first+n; robot++ {
		c := msl.Command{Name: msl.IsAlive, TargetTeam: CheckGroup, RobotID: robot}
		data, err := c.AppendBinary(b)
		if err != nil {
			panic(err) // robots from 1 to 99 are valid
		}
		b = append(data, 0)
	}
	return b
}

// AnswersCheck reports whether an event answers a message of a burst.
func AnswersCheck(text string) bool { return strings.Contains(strings.ToUpper(text), msl.IsAlive) }

// Verdicts of a Result.
const (
	running = "running" // answers may still come
	Reads   = "reads"   // it read every message
	Loses   = "loses"   // it lost messages
	Unknown = "unknown" // it answered none
)

// readerCheck is one check of how a base station reads: it judges by the answers which messages of a burst the base
// station read.
//
// RefBox 2.1 has no acknowledgement, and the known base stations answer no command (RefBox 2.1, MixedTeamProtocol,
// Falcons). A base station that wants to be judged answers each IS_ALIVE of group CheckGroup with an event of that robot
// whose text contains IS_ALIVE. Without answers nothing is known, and the team has to look at its own program.
type readerCheck struct {
	began    soccer.Time
	messages [CheckMessages]checkMessage
	told     string // the verdict of the team itself; "": none
}

// checkMessage is one message of the burst.
type checkMessage struct {
	left, answered soccer.Time // 0: not yet
	why            string      // why it did not leave
}

// left reports that a message left, or why it will not.
func (c *readerCheck) left(command string, at soccer.Time, why string) {
	for i := range c.messages {
		if m := &c.messages[i]; command == checkText(i) && m.left == 0 && m.why == "" {
			if m.why = why; why == "" {
				m.left = at
			}
		}
	}
}

// checkText returns a message of the burst as text.
func checkText(i int) string {
	c := msl.Command{Name: msl.IsAlive, RobotID: i + 1}
	return c.Text()
}

// answer takes an event of the base station, and reports whether it answers a message.
func (c *readerCheck) answer(at soccer.Time, robot float64, text string) bool {
	for i := range c.messages {
		if m := &c.messages[i]; robot == float64(i+1) && AnswersCheck(text) {
			if m.answered == 0 {
				m.answered = at
			}
			return true
		}
	}
	return false
}

// tell takes what the team saw: its program showed all messages, or not all.
func (c *readerCheck) tell(all bool) {
	if c.told = Loses; all {
		c.told = Reads
	}
}

// ReaderResult is what is known of a base station's reader.
type ReaderResult struct {
	Verdict  string          `json:"verdict"` // "running", "reads", "loses", "unknown"
	Text     string          `json:"text"`    // what is known
	Ask      string          `json:"ask"`     // what the team's program should have shown; "" where nobody needs to be asked
	Began    float64         `json:"began"`   // ms since 1970
	Messages []ReaderMessage `json:"messages"`
}

// ReaderMessage is one message of the burst.
type ReaderMessage struct {
	Text     string   `json:"text"`
	Sent     *float64 `json:"sent"`     // ms after the first one; null: not sent
	Answered *float64 `json:"answered"` // ms after it was sent; null: no answer
	Why      string   `json:"why"`      // why it was not sent
}

// result returns what is known at now.
func (c *readerCheck) result(now soccer.Time) ReaderResult {
	r := ReaderResult{Began: float64(c.began) / 1e6}
	answered, unsent := 0, 0
	var missing []string
	for i := range c.messages {
		m := &c.messages[i]
		v := ReaderMessage{Text: checkText(i), Why: m.why}
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
			missing = append(missing, checkText(i))
		}
		r.Messages = append(r.Messages, v)
	}
	last := c.messages[CheckMessages-1].left
	r.judge(answered, unsent, missing, c.told, last != 0 && now > last.Add(checkPatience) || now > c.began.Add(2*checkPatience))
	return r
}

// judge sets the verdict and its texts.
func (r *ReaderResult) judge(answered, unsent int, missing []string, told string, over bool) {
	const advice = "Of a burst it receives the first message at least; it may miss a START that follows cards. " +
		"Its reader should split at the NUL byte and keep the rest for the next read"
	switch {
	case unsent > 0:
		r.Verdict, r.Text = Unknown, fmt.Sprintf("%d of %d messages were not sent: the connection ended", unsent, CheckMessages)
	case answered == CheckMessages:
		r.Verdict, r.Text = Reads, fmt.Sprintf("it answered all %d messages: it reads each message of a burst", CheckMessages)
	case !over:
		r.Verdict, r.Text = running, fmt.Sprintf("%d of %d messages answered so far", answered, CheckMessages)
	case answered > 0:
		r.Verdict = Loses
		r.Text = fmt.Sprintf("it answered %d of %d messages, not %s. %s", answered, CheckMessages, strings.Join(missing, ", "),
			advice)
	case told == Reads:
		r.Verdict, r.Text = Reads, "the team saw all messages: it reads each message of a burst"
	case told == Loses:
		r.Verdict, r.Text = Loses, "the team did not see all messages. "+advice
	default:
		r.Verdict, r.Text = Unknown, "it answered no message, as most base stations: only its team can tell"
		r.Ask = fmt.Sprintf("did your program show %s to %d for the opponents?", checkText(0), CheckMessages)
	}
}
