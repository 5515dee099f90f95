package refboxnet

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"sync"

	"touchline/internal/refbox"
	"touchline/wire/msl"
)

// ReaderReport is the outcome of a check.
type ReaderReport struct {
	Client  string        `json:"client"` // address of the base station
	Stages  []ReaderStage `json:"stages"`
	Verdict string        `json:"verdict"` // "reads", "loses" or "unknown"
	Text    string        `json:"text"`
	Ended   string        `json:"ended"` // the stage in which the base station closed its connection; "": it stayed
}

// ReaderStage is what a base station read of messages that were sent in one way.
type ReaderStage struct {
	Name string `json:"name"` // "apart", "paced", "together", "split"
	Text string `json:"text"`
	Sent int    `json:"sent"` // messages
	Read *int   `json:"read"` // messages that it showed or answered; null: unknown
	How  string `json:"how"`  // "answers", or "output" of the program; "" where Read is null
}

// evidence collects what a base station answers and what its program prints. Its methods may be called from any
// goroutine.
type evidence struct {
	mu       sync.Mutex
	stage    int          // stage that is being sent, counted from 1; 0: none yet
	answered map[int]bool // robots
	numbered map[int]bool // robots of lines that show one message
	mentions [5]int       // lines with IS_ALIVE, by stage
	rest     []byte       // beginning of an unfinished line
}

func (e *evidence) begin(stage int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stage = stage + 1
}

// Write takes output of the program.
func (e *evidence) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rest = append(e.rest, b...)
	for {
		line, rest, ok := bytes.Cut(e.rest, []byte("\n"))
		if !ok {
			if len(e.rest) > msl.MaxMessage {
				e.rest = nil
			}
			return len(b), nil
		}
		e.line(line)
		e.rest = rest
	}
}

var number = regexp.MustCompile(`\b[6-9][1-6]\b`)

// line takes one line of output. A line with one robot's number shows that message; with several numbers it is a dump of
// what was read.
func (e *evidence) line(line []byte) {
	if !refbox.AnswersCheck(string(line)) {
		return
	}
	e.mentions[e.stage]++
	line = bytes.ReplaceAll(line, []byte(refbox.CheckGroup), nil)
	if found := number.FindAll(line, -1); len(found) == 1 && bytes.Count(bytes.ToUpper(line), []byte(msl.IsAlive)) == 1 {
		n, _ := strconv.Atoi(string(found[0])) // two digits
		if e.numbered == nil {
			e.numbered = map[int]bool{}
		}
		e.numbered[n] = true
	}
}

// receiveAnswers takes the answers of a base station until its connection ends.
func receiveAnswers(conn net.Conn, seen *evidence) error {
	var split msl.Splitter
	for b := make([]byte, 4096); ; {
		n, err := conn.Read(b)
		split.Split(b[:n], func(message []byte) {
			var v msl.Event
			if v.UnmarshalBinary(message) == nil && refbox.AnswersCheck(v.Event) && v.RobotID.Known {
				seen.answer(int(v.RobotID.Value))
			}
		})
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return errReaderEnded
		}
	}
}

func (e *evidence) answer(robot int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answered == nil {
		e.answered = map[int]bool{}
	}
	e.answered[robot] = true
}

// report judges the evidence. The first stage tells how the base station shows a message at all. ended reports that the
// base station closed its connection.
func (e *evidence) report(client string, ended bool) (ReaderReport, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := ReaderReport{Client: client}
	switch {
	case ended && e.stage == 0:
		return r, errReaderEnded
	case ended:
		r.Ended = readerStages[e.stage-1].name
	}
	count, how := e.counter()
	for i, s := range readerStages {
		stage := ReaderStage{Name: s.name, Text: s.text, Sent: s.messages, How: how}
		if count != nil {
			n := min(count(i), s.messages)
			stage.Read = &n
		}
		r.Stages = append(r.Stages, stage)
	}
	r.judge()
	return r, nil
}

// counter returns what counts the messages of a stage that the base station read, nil without evidence.
func (e *evidence) counter() (count func(stage int) int, how string) {
	robots := func(of map[int]bool) func(int) int {
		return func(stage int) (n int) {
			for robot := range readerStages[stage].messages {
				if of[readerStages[stage].first+robot] {
					n++
				}
			}
			return n
		}
	}
	all := readerStages[0].messages
	switch {
	case robots(e.answered)(0) == all:
		return robots(e.answered), "answers"
	case robots(e.numbered)(0) == all:
		return robots(e.numbered), "output"
	case e.mentions[1] >= all: // a program may print each message in several lines
		return func(stage int) int { return e.mentions[stage+1] * all / e.mentions[1] }, "output"
	}
	return nil, ""
}

// judge sets the verdict.
func (r *ReaderReport) judge() {
	const fix = "Split what you read at the NUL byte, and keep the rest for the next read"
	lost := func(stage int) bool { return *r.Stages[stage].Read < r.Stages[stage].Sent }
	switch {
	case r.Stages[0].Read == nil:
		r.Verdict = refbox.Unknown
		r.Text = fmt.Sprintf("nothing is known: the base station answered no message, and no output with %s was seen. "+
			"Compare what your program showed with the robots above", msl.IsAlive)
	case r.Ended == readerStages[0].name:
		r.Verdict, r.Text = refbox.Unknown, "your program closed its connection after a single message"
	case lost(1):
		r.Verdict = refbox.Loses
		r.Text = "your program loses messages that are 25 ms apart: it may miss START in every game. It must not sleep " +
			"between reads. " + fix
	case lost(2):
		r.Verdict = refbox.Loses
		r.Text = "your program parses one message of each read and drops the others. With touchline refbox it receives " +
			"everything; with RefBox 2.1 it misses START at times. " + fix
	case r.Ended != "":
		r.Verdict = refbox.Loses
		r.Text = fmt.Sprintf("your program closed its connection in the stage %q. %s", r.Ended, fix)
	case lost(3):
		r.Verdict = refbox.Loses
		r.Text = "your program loses a message that arrives in two pieces. " + fix
	default:
		r.Verdict, r.Text = refbox.Reads, "your program reads every message, however it arrives"
	}
}
