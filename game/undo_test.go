package game_test

import (
	"slices"
	"strings"
	"testing"

	. "touchline/game"
)

// plus returns steps followed by more.
func plus(steps []string, more ...string) []string { return append(slices.Clone(steps), more...) }

// Undo and redo send the messages that correct the teams: SUBGOAL for a GOAL, REPAIR_END for a REPAIR, nothing for a
// card that waits, and otherwise the current part, set piece or START.
func TestUndoMessages(t *testing.T) {
	for name, steps := range map[string][]string{
		"goal":              plus(firstHalf, "GOAL home", "UNDO -> SUBGOAL home", "REDO -> GOAL home"),
		"withdrawal":        plus(firstHalf, "GOAL home", "SUBGOAL home", "UNDO -> GOAL home", "REDO -> SUBGOAL home"),
		"set piece":         plus(firstHalf, "CORNER home", "UNDO -> STOP", "REDO -> CORNER home"),
		"card that waits":   plus(firstHalf, "RED_CARD home -> ", "UNDO -> ", "DROP_BALL", "START"),
		"repair that waits": plus(firstHalf, "REPAIR home 3 -> ", "UNDO -> ", "DROP_BALL", "START"),
		"repair": plus(firstHalf, "REPAIR home 2 -> ", "DROP_BALL", "START -> REPAIR home, REPAIR home, START",
			"UNDO 4 -> REPAIR_END home, REPAIR_END home", "+60s -> ", "REDO -> "),
		"repair put back in time": plus(firstHalf, "REPAIR home 1 -> ", "DROP_BALL", "START -> REPAIR home, START",
			"UNDO 4 -> REPAIR_END home",
			"REDO -> REPAIR home", "+20s -> REPAIR_END home"),
		"a card that was sent is not sent twice": plus(firstHalf, "RED_CARD home -> ", "DROP_BALL",
			"START -> RED_CARD home, START", "UNDO 4 -> ",
			"REDO 4 -> ", "STOP", "DROP_BALL", "START"),
		"nor with the next START": plus(firstHalf, "RED_CARD home -> ", "DROP_BALL",
			"START -> RED_CARD home, START", "UNDO -> STOP, DROP_BALL", "START"),
		"start": {"KICKOFF home", "START -> FIRST_HALF, START", "UNDO -> STOP, KICKOFF home",
			"REDO -> FIRST_HALF, START"},
		"stop": plus(firstHalf, "UNDO -> START", "REDO -> STOP"),
		"end of a part": plus(firstHalf, "END_PART -> HALF_TIME", "UNDO -> FIRST_HALF, STOP",
			"REDO -> HALF_TIME"),
		"end of a part, set piece chosen": plus(firstHalf, "END_PART -> HALF_TIME", "KICKOFF away",
			"UNDO 4 -> FIRST_HALF, STOP, KICKOFF away"),
		"reset": plus(firstHalf, "GOAL away", "RESET ! -> RESET", "UNDO -> GOAL away, FIRST_HALF, STOP",
			"REDO -> RESET",
			"UNDO -> GOAL away, FIRST_HALF, STOP"),
		"substitution, sign of life": plus(firstHalf, "SUBSTITUTION home 7", "UNDO -> ", "IS_ALIVE home 7", "UNDO -> "),
		"correction": plus(firstHalf, "SET_SCORE away 2 -> GOAL away, GOAL away",
			"UNDO -> SUBGOAL away, SUBGOAL away"),
		"one in the middle": plus(firstHalf, "GOAL home", "KICKOFF away", "START", "STOP",
			"UNDO 4 -> SUBGOAL home", "REDO 4 -> GOAL home"),
		"a set piece that was begun": plus(firstHalf, "CORNER home", "START", "UNDO 4 -> ", "REDO 4 -> "),
		"several": plus(firstHalf, "GOAL home", "SUBGOAL home", "UNDO -> GOAL home", "UNDO -> SUBGOAL home",
			"UNDO -> START", "REDO -> STOP",
			"REDO -> GOAL home", "REDO -> SUBGOAL home", "REDO -x no decision is undone"),
		"what would not fit": plus(firstHalf, "GOAL home", "SUBGOAL home", "UNDO 5 -> GOAL home",
			"UNDO 4 -> SUBGOAL home",
			"REDO 5 -x does not fit any more: there is no goal", "REDO 4 -> GOAL home", "REDO 5 -> SUBGOAL home"),
		"a new decision ends redo": plus(firstHalf, "GOAL home", "UNDO -> SUBGOAL home", "GOAL away",
			"REDO -x no decision is undone since the last new one",
			"REDO 4 -x decision 4 was undone before decision 6, GOAL: a new decision ends the possibility to redo",
			"UNDO -> SUBGOAL away", "REDO -> GOAL away", "REDO -x no decision is undone"),
		"a STOP that changes nothing leaves redo alone": plus(firstHalf, "GOAL home", "UNDO -> SUBGOAL home", "STOP",
			"REDO -> GOAL home"),
		"what cannot be": plus(firstHalf, "UNDO 3 -> START", "UNDO 3 -x is undone already",
			"UNDO 4 -x itself UNDO of decision 3", "REDO 1 -x is not undone"),
	} {
		t.Run(name, func(t *testing.T) { script(t, steps...) })
	}
}

// A journal of an earlier version may redo a decision after new ones: it reads as the same game.
func TestReplayLateRedo(t *testing.T) {
	g := script(t, plus(firstHalf, "GOAL home", "UNDO -> SUBGOAL home", "CORNER away")...)
	var journal []Decision
	for _, e := range g.Log() {
		journal = append(journal, e.Decision)
	}
	late := press("REDO 4")
	late.Version, late.Time = Version, g.State().Time.Add(1e9)
	if _, err := g.Apply(late); err == nil {
		t.Fatal("a redo after a new decision was accepted")
	}
	again, err := Replay(DefaultRules(), epoch, append(journal, late))
	if err != nil || again.State().Home.Goals != 1 {
		t.Errorf("got %+v, %v, want the goal back", again.State().Home, err)
	}
}

// A repair without a count is of one robot, and the log says so.
func TestRepairOfOne(t *testing.T) {
	g := script(t, plus(firstHalf, "REPAIR home -> ", "DROP_BALL", "START -> REPAIR home, START")...)
	if d := g.Log()[3].Decision; d.Count != 1 {
		t.Errorf("got %+v, want count 1", d)
	}
}

// Undoing an earlier goal leaves clock and part alone, and names the decisions that become impossible.
func TestUndoInTheMiddle(t *testing.T) {
	g := script(t, plus(firstHalf, "GOAL home", "KICKOFF away", "START", "+50s -> ", "STOP", "FREEKICK home",
		"SUBGOAL home -x STOP cancels it")...)
	was := g.State()
	out := must(t, g, press("UNDO 4"))
	if s := g.State(); len(out.Dropped) != 0 || s.Effective != was.Effective || s.SetPiece != was.SetPiece ||
		s.Home.Goals != 0 {
		t.Errorf("%+v: %+v", out, s)
	}

	g = script(t, plus(firstHalf, "GOAL home", "SUBGOAL home", "GOAL away")...)
	preview, after, err := g.Preview(press("UNDO 4"))
	if err != nil || len(preview.Dropped) != 1 || preview.Dropped[0].Number != 5 ||
		!strings.Contains(preview.Dropped[0].Why, "no goal to cancel") ||
		after.Home.Goals != 0 || after.Away.Goals != 1 || len(preview.Messages) != 0 {
		t.Errorf("%+v, %v", preview, err)
	}
	if g.Log()[4].Why != "" {
		t.Error("the preview dropped a decision")
	}
	follow(t, g, "UNDO 4 -> ", "UNDO 5 -x is void")
	if out := must(t, g, press("REDO 4")); len(out.Restored) != 1 || out.Restored[0].Number != 5 ||
		g.Log()[4].Why != "" || g.State().Home.Goals != 0 {
		t.Errorf("%+v", out)
	}

	g = script(t, plus(firstHalf, "CORNER home", "START", "STOP", "END_PART -> HALF_TIME")...)
	out = must(t, g, press("UNDO 6")) // the STOP: the ball has been in play since, so the part did not end
	if len(out.Dropped) != 1 || out.Dropped[0].Number != 7 || said(out.Messages) != "FIRST_HALF, START" {
		t.Errorf("%+v", out)
	}
}

func TestUndoNotes(t *testing.T) {
	g := script(t, plus(firstHalf, "YELLOW_CARD home 4 -> ", "YELLOW_CARD home 4 -> ", "DROP_BALL",
		"START -> YELLOW_CARD home, DOUBLE_YELLOW home, START")...)
	out := must(t, g, press("UNDO 4"))
	if len(out.Messages) != 0 || len(out.Notes) != 2 || !strings.Contains(out.Notes[0],
		"YELLOW_CARD for robot 4 of the home team was sent, and no message withdraws it") ||
		!strings.Contains(out.Notes[1], "DOUBLE_YELLOW for robot 4 of the home team was sent and is a YELLOW_CARD now") {
		t.Errorf("%+v", out)
	}
	if b := g.State().Home.TakenBack; len(b) != 2 || b[0].Command != YellowCard || b[1].Command != DoubleYellow {
		t.Errorf("taken back: %+v", b)
	}
	if p := g.State().Home.Penalties; len(p) != 1 || p[0].Command != YellowCard || p[0].Over {
		t.Errorf("stands: %+v", p)
	}
	out = must(t, g, press("REDO"))
	if len(out.Messages) != 0 || len(out.Notes) != 0 || g.State().Home.TakenBack != nil ||
		g.State().Home.Penalties[1].Command != DoubleYellow {
		t.Errorf("%+v, %+v", out, g.State().Home)
	}
	g = script(t, "KICKOFF home", "START -> FIRST_HALF, START")
	if out, _, err := g.Preview(press("UNDO")); err != nil || len(out.Notes) != 1 || !strings.Contains(out.Notes[0],
		"the game has not begun") {
		t.Errorf("%+v, %v", out, err)
	}
}

// The log holds the messages of each decision, and which decisions are in effect.
func TestLog(t *testing.T) {
	g := script(t, plus(firstHalf, "GOAL home", "UNDO -> SUBGOAL home")...)
	log := g.Log()
	if len(log) != 5 || said(log[1].Sent) != "FIRST_HALF, START" || !log[3].Undone || log[4].Undone ||
		log[4].Decision.Ref != 4 ||
		log[1].Part != PreGame || log[3].Part != FirstHalf || log[3].Total != 2e9 ||
		log[3].Decision.Version != Version {
		t.Errorf("%+v", log)
	}
}
