// Package gametest reads recorded games for tests: the keys that referees pressed and the messages that base stations
// received.
package gametest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// capture is the folder of a whole game of RefBox 2.1, recorded at the base station of the left team. ASML Falcons are
// home, Water is away.
const capture = "refbox-2.1-capture"

// Received is one message that a base station received.
type Received struct {
	game.Message
	After time.Duration // time since the capture began
}

// Messages returns the messages that the base station of the captured game received.
func Messages(t testing.TB) []Received {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(wiretest.Data(t, capture), "falcons_left.rx.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]game.Side{"": game.Both, "224.16.32.74": game.Home, "224.16.32.67": game.Away}
	var all []Received
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
				Command    game.Command
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
			all = append(all, Received{game.Message{Command: m.Command, Side: side, RobotID: m.RobotID},
				time.Duration(line.T * 1e9)})
		}
	}
	return all
}

// Event is one line of a RefBox's log of events that a key made.
type Event struct {
	Time      soccer.Time
	Total     int // s, as the log shows it
	Effective int
	Text      string
	Team      string
	Robot     int
	Line      string
}

// Events reads the log of events of RefBox 2.x (text, robot, team) or 1.x (letter, then the team inside the text).
func Events(t testing.TB, r io.Reader, old bool) []Event {
	t.Helper()
	var all []Event
	for sc := bufio.NewScanner(r); sc.Scan(); {
		f := strings.Split(strings.TrimSpace(sc.Text()), ",")
		ms, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) < 4 {
			continue // a connection
		}
		e := Event{Time: soccer.Time(ms * 1e6), Text: f[3], Line: sc.Text()}
		var m, s, em, es int
		if _, err := fmt.Sscanf(f[1], "%d:%d(%d:%d)", &m, &s, &em, &es); err != nil {
			t.Fatal(err)
		}
		e.Total, e.Effective, e.Team = 60*m+s, 60*em+es, f[len(f)-1]
		if len(f) > 4 && strings.HasPrefix(f[4], "robotID:") {
			e.Robot, _ = strconv.Atoi(f[4][len("robotID:"):])
		}
		if old {
			e.Text, e.Team = f[4], ""
			for _, team := range []string{"CYAN ", "MAGENTA "} {
				if rest, ok := strings.CutPrefix(f[4], team); ok {
					e.Text, e.Team = rest, team
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// keys are the texts of the RefBox's log of events and the commands of the keys that make them.
var keys = map[string]game.Command{
	"START": game.Start, "STOP": game.Stop, "Kickoff": game.KickOff, "Freekick": game.FreeKick,
	"Goalkick": game.GoalKick,
	"Throw In": game.ThrowIn, "Corner": game.Corner, "Penalty": game.PenaltyKick, "Penalty Kick": game.PenaltyKick,
	"Drop Ball": game.DropBall, "Goal+": game.Goal, "Goal-": game.SubGoal, "Substitution": game.Substitution,
	"Is Alive": game.IsAlive, "Halftime": game.EndPart, "End Game": game.EndPart, "Game Over": game.EndPart,
	"Park": game.Park, "Reset Game": game.Reset, "Red Card": game.RedCard, "Repair": game.Repair,
	"Yellow Card": game.YellowCard, "Double Yellow": game.YellowCard,
}

// Key returns the command of the key that made an event; "" for the RefBox's own lines: "1st half", "Repair ended".
func (e *Event) Key() game.Command { return keys[e.Text] }

// Press is a key of the captured game and the line of the log of events that it made.
type Press struct {
	Event
	Decision game.Decision
}

// Presses returns the keys that the referee of the captured game pressed. Cards and repairs are in the log when START
// sends them; here they are pressed 1 s earlier, their latest possible time.
func Presses(t testing.TB) []Press {
	t.Helper()
	f, err := os.Open(filepath.Join(wiretest.Data(t, capture), "20261120_152324.msl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events := Events(t, f, false)
	sides := map[string]game.Side{"ASML Falcons": game.Home, "Water": game.Away}
	var all []Press
	for i, e := range events {
		c := e.Key()
		if c == "" {
			continue
		}
		d := game.Decision{Time: e.Time, Command: c, Side: sides[e.Team], Robot: e.Robot}
		switch c {
		case game.Repair, game.YellowCard, game.RedCard:
			d.Time = e.Time.Add(-time.Second)
			if events[i-1].Text != "Repair" && c == game.Repair {
				d.Count = 2
			} else if c == game.Repair {
				continue
			}
			// The set piece came 0.7 s before START: the decisions stay in their order.
			d.Time = max(d.Time, all[len(all)-1].Decision.Time)
		}
		all = append(all, Press{e, d})
	}
	return all
}
