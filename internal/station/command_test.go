package station_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"touchline/internal/station"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

// apply applies commands of the RefBox: "KICKOFF" is for both teams, "KICKOFF+" for the station's, "KICKOFF-" for the
// opponent.
func apply(t *testing.T, s *station.Station, words string) (last station.Command) {
	t.Helper()
	for _, word := range strings.Fields(words) {
		target := ""
		switch {
		case strings.HasSuffix(word, "+"):
			target = s.State().Group
		case strings.HasSuffix(word, "-"):
			target = "224.16.32.0"
		}
		message := fmt.Sprintf("{\n  \"command\": %q,\n  \"targetTeam\": %q\n}", strings.Trim(word, "+-"), target)
		var err error
		if last, err = s.Apply(start, []byte(message)); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
	}
	return last
}

func TestGame(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"", "part= running=false piece= for= 0:0 doubt=false"},
		{"KICKOFF+", "part= running=false piece=KICKOFF for=ours 0:0 doubt=false"},
		{"KICKOFF+ FIRST_HALF START", "part=FIRST_HALF running=true piece=KICKOFF for=ours 0:0 doubt=false"},
		{"KICKOFF+ FIRST_HALF START STOP", "part=FIRST_HALF running=false piece= for= 0:0 doubt=false"},
		{"KICKOFF+ FIRST_HALF START STOP FREEKICK-", "part=FIRST_HALF running=false piece=FREEKICK for=theirs 0:0 doubt=false"},
		{"START DROP_BALL", "part= running=false piece=DROP_BALL for=both 0:0 doubt=false"},
		{"FIRST_HALF START GOAL+ KICKOFF- START GOAL- GOAL+ SUBGOAL+",
			"part=FIRST_HALF running=false piece= for= 1:1 doubt=false"},
		{"SUBGOAL+ SUBGOAL-", "part= running=false piece= for= 0:0 doubt=false"},
		{"FIRST_HALF START HALF_TIME", "part=HALF_TIME running=false piece= for= 0:0 doubt=false"},
		{"FIRST_HALF START HALF_TIME KICKOFF- SECOND_HALF START END_GAME",
			"part=END_GAME running=false piece= for= 0:0 doubt=false"},
		{"START GAME_OVER", "part=GAMEOVER running=false piece= for= 0:0 doubt=false"}, // the spelling of the documents
		{"START GAMEOVER", "part=GAMEOVER running=false piece= for= 0:0 doubt=false"},
		{"START REPAIR+ YELLOW_CARD- IS_ALIVE+ SUBSTITUTION+ REPAIR_END+", "part= running=true piece= for= 0:0 doubt=false"},
		{"START PARK", "part= running=false piece= for= 0:0 doubt=false"},
		{"START VAR_CHECK", "part= running=true piece= for= 0:0 doubt=false"}, // a command of a newer RefBox

		// A RESET between games is intended.
		{"GOAL+ RESET", "part= running=false piece= for= 0:0 doubt=false"},
		{"FIRST_HALF START GOAL+ END_GAME RESET", "part= running=false piece= for= 0:0 doubt=false"},
		// During a part it stops the game, and the next command shows whether it was intended.
		{"FIRST_HALF START GOAL+ START RESET", "part= running=false piece= for= 0:0 doubt=true"},
		{"FIRST_HALF START GOAL+ START RESET STOP", "part= running=false piece= for= 0:0 doubt=true"},
		{"FIRST_HALF START GOAL+ START RESET RESET FREEKICK-",
			"part=FIRST_HALF running=false piece=FREEKICK for=theirs 1:0 doubt=false"},
		{"FIRST_HALF START GOAL+ START RESET START", "part=FIRST_HALF running=true piece= for= 1:0 doubt=false"},
		{"FIRST_HALF START GOAL+ RESET GOAL+ HALF_TIME", "part=HALF_TIME running=false piece= for= 2:0 doubt=false"},
		{"FIRST_HALF START GOAL+ RESET KICKOFF- FIRST_HALF START",
			"part=FIRST_HALF running=true piece=KICKOFF for=theirs 0:0 doubt=false"},
	} {
		s := accepted(t, 39)
		apply(t, s, c.words)
		st := s.State()
		got := fmt.Sprintf("part=%s running=%t piece=%s for=%s %d:%d doubt=%t", st.Part, st.Running, st.SetPiece, st.For,
			st.Goals, st.Conceded, st.Doubt)
		if got != c.want || !st.Accepted {
			t.Errorf("%s:\n got %s\nwant %s", c.words, got, c.want)
		}
	}
}

// The second station of one team receives ":1" with WELCOME; any other group is the opponent's.
func TestGroups(t *testing.T) {
	s, err := station.New(station.DefaultConfig(127))
	if err != nil {
		t.Fatal(err)
	}
	applyOne := func(message string) station.Command {
		command, err := s.Apply(start, []byte(message))
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		return command
	}
	if command := applyOne(`{"command":"GOAL","targetTeam":"224.16.32.127"}`); command.Side != station.Theirs ||
		s.State().Accepted {
		t.Errorf("before WELCOME: %+v, %+v", command, s.State())
	}
	if command := applyOne(`{"command":" WELCOME","targetTeam":"224.16.32.127:1"}`); command.Side != station.Ours ||
		!s.State().Accepted || s.State().Group != "224.16.32.127:1" {
		t.Errorf("WELCOME with a blank: %+v, %+v", command, s.State())
	}
	for target, want := range map[string]station.Side{
		"": station.Both, "224.16.32.127:1": station.Ours, "224.16.32.127": station.Theirs, "224.16.32.0": station.Theirs,
	} {
		if command := applyOne(fmt.Sprintf(`{"robotID": 7,"command":"IS_ALIVE","targetTeam":%q}`,
			target)); command.Side != want || command.Command.RobotID != 7 {
			t.Errorf("%q: %+v, want %s", target, command, want)
		}
	}
	command := applyOne(`{"command":"VAR_CHECK","targetTeam":"","reason":"hand"}`)
	if command.Command.Name != "VAR_CHECK" || s.State().Unknown != 1 || s.State().Last != command {
		t.Errorf("unknown command: %+v, %+v", command, s.State())
	}
}

// The state of the game outlives the connection, the admission does not; a RESET right before its end was intended.
func TestDisconnect(t *testing.T) {
	s := accepted(t, 39)
	apply(t, s, "FIRST_HALF START GOAL+ START")
	s.Disconnect()
	if st := s.State(); st.Accepted || st.Group != "" || st.Part != msl.FirstHalf || st.Goals != 1 {
		t.Errorf("%+v", st)
	}
	s = accepted(t, 39)
	apply(t, s, "FIRST_HALF START GOAL+ START RESET")
	s.Disconnect()
	if st := s.State(); st.Doubt || st.Part != "" || st.Goals != 0 {
		t.Errorf("RESET and disconnection: %+v", st)
	}
	apply(t, s, "START")
	if st := s.State(); st.Part != "" {
		t.Errorf("the old game resumed: %+v", st)
	}
}

func TestNotACommand(t *testing.T) {
	s := accepted(t, 39)
	before := s.State()
	for _, message := range []string{
		"", "{", "[]", "null", `"START"`, `{"command":null}`, `{"command":5,"targetTeam":""}`, `{"type":"worldstate","teamName":"x"}`,
		`{"command":"START","targetTeam":"",}`, "\xff\xfe", strings.Repeat(`{"command":`, 5000), strings.Repeat(" ",
			msl.MaxMessage+1),
	} {
		if command, err := s.Apply(start, []byte(message)); err == nil {
			t.Errorf("%.40q: got %+v, want an error", message, command)
		}
	}
	if s.State() != before {
		t.Errorf("they changed the state: %+v", s.State())
	}
}

// The recorded stream of RefBox 2.1 to one base station in a scripted game, in pieces of seven bytes.
func TestCapturedGame(t *testing.T) {
	stream, err := os.ReadFile(wiretest.Data(t, "refbox-2.1-capture", "falcons_left.rx.bin"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := station.New(station.DefaultConfig(74))
	if err != nil {
		t.Fatal(err)
	}
	var split msl.Splitter
	var parts []string
	commands, ours, theirs := 0, 0, 0
	for piece := range slices.Chunk(stream, 7) {
		split.Split(piece, func(message []byte) {
			before := s.State()
			command, err := s.Apply(start, message)
			if err != nil {
				t.Fatalf("%v: %s", err, message)
			}
			commands++
			switch command.Side {
			case station.Ours:
				ours++
			case station.Theirs:
				theirs++
			}
			st := s.State()
			if st.Part != before.Part {
				parts = append(parts, st.Part)
			}
			if command.Command.Name == msl.Reset && (before.Goals != 1 || before.Conceded != 0 ||
				before.Group != "224.16.32.74") {
				t.Errorf("at the end of the game: %+v", before)
			}
		})
	}
	want := []string{"FIRST_HALF", "HALF_TIME", "SECOND_HALF", "END_GAME", "FIRST_HALF_OVERTIME", "HALF_TIME",
		"SECOND_HALF_OVERTIME", "END_GAME", "GAMEOVER", ""}
	if !slices.Equal(parts, want) {
		t.Errorf("parts %q, want %q", parts, want)
	}
	if st := s.State(); commands != 87 || ours == 0 || theirs == 0 || st.Unknown != 0 || st.Doubt || st.Running ||
		!st.Accepted {
		t.Errorf("%d commands, %d ours, %d theirs, state %+v", commands, ours, theirs, st)
	}
}
