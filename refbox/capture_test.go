package refbox_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	. "touchline/refbox"
	"touchline/soccer"
)

// data returns a folder of recorded data, and skips the test without it.
func data(t *testing.T, folder string) string {
	t.Helper()
	root := os.Getenv("TOUCHLINE_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(root, folder)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data folder absent: %v", err)
	}
	return path
}

// heard is one message of the capture: Message by its bytes, and when it came.
type heard struct {
	Message
	at time.Duration // since the capture began
}

// captured returns what the base station of the left team heard. Falcons are home.
func captured(t *testing.T) []heard {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data(t, "refbox-2.1-capture"), "falcons_left.rx.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]Side{"": Both, "224.16.32.74": Home, "224.16.32.67": Away}
	var all []heard
	for dec := json.NewDecoder(bytes.NewReader(b)); dec.More(); {
		var line struct {
			T    float64
			Data string
		}
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.SplitAfter(line.Data, "\x00") {
			var m struct {
				Command    Command
				TargetTeam string
				RobotID    int
			}
			if text == "" {
				continue
			}
			if err := json.Unmarshal([]byte(strings.TrimSuffix(text, "\x00")), &m); err != nil {
				t.Fatal(err)
			}
			side, ok := sides[m.TargetTeam]
			if !ok {
				t.Fatalf("target %q", m.TargetTeam)
			}
			all = append(all, heard{Message{m.Command, side, m.RobotID}, time.Duration(line.T * 1e9)})
		}
	}
	return all
}

// logged is one line of a RefBox's event log that a key made.
type logged struct {
	time      soccer.Time
	total     int // s, as the log shows it
	effective int
	text      string
	team      string
	robot     int
	line      string
}

// events reads the event log of RefBox 2.x (text, robot, team) or 1.x (letter, then the team inside the text).
func events(t *testing.T, r io.Reader, old bool) []logged {
	t.Helper()
	var all []logged
	for sc := bufio.NewScanner(r); sc.Scan(); {
		f := strings.Split(strings.TrimSpace(sc.Text()), ",")
		ms, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) < 4 {
			continue // connections
		}
		e := logged{time: soccer.Time(ms * 1e6), text: f[3], line: sc.Text()}
		var m, s, em, es int
		if _, err := fmt.Sscanf(f[1], "%d:%d(%d:%d)", &m, &s, &em, &es); err != nil {
			t.Fatal(err)
		}
		e.total, e.effective, e.team = 60*m+s, 60*em+es, f[len(f)-1]
		if len(f) > 4 && strings.HasPrefix(f[4], "robotID:") {
			e.robot, _ = strconv.Atoi(f[4][len("robotID:"):])
		}
		if old {
			e.text, e.team = f[4], ""
			for _, team := range []string{"CYAN ", "MAGENTA "} {
				if rest, ok := strings.CutPrefix(f[4], team); ok {
					e.text, e.team = rest, team
				}
			}
		}
		all = append(all, e)
	}
	return all
}

var keys = map[string]Command{
	"START": Start, "STOP": Stop, "Kickoff": KickOff, "Freekick": FreeKick, "Goalkick": GoalKick, "Throw In": ThrowIn,
	"Corner": Corner, "Penalty": PenaltyKick, "Penalty Kick": PenaltyKick, "Drop Ball": DropBall, "Goal+": Goal, "Goal-": SubGoal,
	"Substitution": Substitution, "Is Alive": IsAlive, "Halftime": EndPart, "End Game": EndPart, "Game Over": EndPart,
	"Park": Park, "Reset Game": Reset, "Red Card": RedCard, "Repair": Repair, "Yellow Card": YellowCard, "Double Yellow": YellowCard,
}

// pressed is a key of the captured game and the line of the log of events that it made.
type pressed struct {
	logged
	decision Decision
}

// pressedKeys returns what the referee of the captured game pressed. Falcons are home. Cards and repairs stand in the log
// when they go out with START; here they are pressed 1 s before, as they were at that time at the latest.
func pressedKeys(t *testing.T) []pressed {
	t.Helper()
	f, err := os.Open(filepath.Join(data(t, "refbox-2.1-capture"), "20261120_152324.msl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := events(t, f, false)
	sides := map[string]Side{"ASML Falcons": Home, "Water": Away}
	var all []pressed
	for i, e := range lines {
		c := keys[e.text]
		if c == "" {
			continue // what RefBox says itself: "1st half", "Repair ended", "Welcome"
		}
		d := Decision{Time: e.time, Command: c, Side: sides[e.team], Robot: e.robot}
		switch c {
		case Repair, YellowCard, RedCard:
			d.Time = e.time.Add(-time.Second)
			if lines[i-1].text != "Repair" && c == Repair {
				d.Count = 2
			} else if c == Repair {
				continue
			}
			// The set piece came 0.7 s before START: what was pressed earlier goes in earlier.
			d.Time = max(d.Time, all[len(all)-1].decision.Time)
		}
		all = append(all, pressed{e, d})
	}
	return all
}

// The whole game of the capture: what the referee pressed gives what the base station heard.
func TestCapturedGame(t *testing.T) {
	want := captured(t)
	if len(want) != 87 || want[0].Command != "WELCOME" {
		t.Fatalf("%d messages, the first %v", len(want), want[0])
	}
	want = want[1:] // the server says it to each team alone, by its address
	g := New(DefaultRules(), pressedKeys(t)[0].time)
	var got []Message
	var decisions []Decision
	for _, p := range pressedKeys(t) {
		d := p.decision
		decisions = append(decisions, d)
		got = append(got, g.Tick(d.Time)...)
		if d.Time == p.time {
			checkClock(t, g, p.logged)
		}
		out, err := g.Apply(d)
		if err != nil {
			t.Fatalf("%s: %v", p.line, err)
		}
		got = append(got, out.Messages...)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i].Message {
			t.Fatalf("message %d: got %v, captured %v", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
	t.Logf("%d messages are those of the capture", len(got))
	checkRepairEnd(t, decisions, want)
}

// checkClock compares with what RefBox showed at a key. It counts in frames of 40 ms, and an interval's clock begins when
// the program does.
func checkClock(t *testing.T, g *Game, e logged) {
	t.Helper()
	s := g.State()
	if s.Part == PreGame {
		return
	}
	if d := math.Abs(s.Total.Seconds() - float64(e.total) - 0.5); d > 0.8 {
		t.Errorf("%s: total clock %v", e.line, s.Total)
	}
	if d := math.Abs(s.Effective.Seconds() - float64(e.effective) - 0.5); d > 1.2 {
		t.Errorf("%s: effective clock %v", e.line, s.Effective)
	}
}

// REPAIR_END came 20 s of playing time after REPAIR, through two stops: ours is due within 100 ms of it, two at once.
func checkRepairEnd(t *testing.T, decisions []Decision, want []heard) {
	t.Helper()
	var began, ended time.Duration
	for _, m := range want {
		switch m.Command {
		case FirstHalfBegins:
			began = m.at
		case RepairEnds:
			ended = m.at
		}
	}
	g := New(DefaultRules(), decisions[0].Time)
	var first soccer.Time
	for _, d := range decisions {
		if d.Command == Start && first == 0 {
			first = d.Time
		}
		due := first.Add(ended - began)
		if first != 0 && d.Time > due {
			if m := g.Tick(due.Add(-100 * time.Millisecond)); len(m) != 0 {
				t.Errorf("too early: %v", m)
			}
			if m := g.Tick(due.Add(100 * time.Millisecond)); len(m) != 2 || m[0] != (Message{RepairEnds, Home, 0}) || m[1] != m[0] {
				t.Errorf("got %v, want REPAIR_END for home twice", m)
			}
			return
		}
		if _, err := g.Apply(d); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("no REPAIR_END was due")
}

// Every key that the referee of a real match pressed could have been pressed here, and overtime and shoot-out are reached.
func TestRealMatch(t *testing.T) {
	z, err := zip.OpenReader(filepath.Join(data(t, "refbox-2016-excerpt"), "test_log2.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var pressed []logged
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".A.msl") && !strings.HasSuffix(f.Name, ".B.msl") && strings.HasSuffix(f.Name, ".msl") {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			pressed = events(t, r, true)
		}
	}
	sides := map[string]Side{"CYAN ": Home, "MAGENTA ": Away}
	g := New(DefaultRules(), pressed[0].time)
	n := 0
	for _, e := range pressed {
		c := keys[e.text]
		if c == "" {
			continue
		}
		n++
		if _, err := g.Apply(Decision{Time: e.time, Command: c, Side: sides[e.team]}); err != nil {
			t.Errorf("%s: %v", e.line, err)
		}
	}
	if n < 100 {
		t.Errorf("%d decisions", n)
	}
}
