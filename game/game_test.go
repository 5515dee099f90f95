package game_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	. "touchline/game"
)

// press parses a decision: "FREEKICK home", "REPAIR away 2" (robots), "YELLOW_CARD home 4" (number), "SET_PART
// first half", "SET_CLOCK 90s 60s", "SET_SCORE home 2", "UNDO 3", "KICKOFF home !" (forced).
func press(words string) Decision {
	f := strings.Fields(words)
	d := Decision{Command: Command(f[0])}
	if d.Command == SetPart {
		d.Part = Part(strings.Join(f[1:], " "))
		return d
	}
	if d.Command == SetClock {
		d.Total, _ = time.ParseDuration(f[1])
		d.Effective, _ = time.ParseDuration(f[2])
		return d
	}
	for _, w := range f[1:] {
		n := 0
		for _, c := range w {
			n = 10*n + int(c-'0')
		}
		switch {
		case w == "home" || w == "away":
			d.Side = Side(w)
		case w == "!":
			d.Force = true
		case d.Command == Undo || d.Command == Redo:
			d.Ref = n
		case d.Command == Repair || d.Command == SetScore:
			d.Count = n
		default:
			d.Robot = n
		}
	}
	return d
}

// said formats messages: "START, GOAL home, IS_ALIVE away 4".
func said(all []Message) string {
	var words []string
	for _, m := range all {
		w := string(m.Command)
		if m.Side != Both {
			w += " " + string(m.Side)
		}
		if m.RobotID > 0 {
			w += " " + string(rune('0'+m.RobotID))
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

// script presses keys one second apart. A step is "decision -> messages"; "+20s -> messages" lets time pass; "decision
// -x text" is refused with that text.
func script(t *testing.T, steps ...string) *Game {
	t.Helper()
	g := New(DefaultRules(), epoch)
	follow(t, g, steps...)
	return g
}

func follow(t *testing.T, g *Game, steps ...string) {
	t.Helper()
	for _, step := range steps {
		now := g.State().Time.Add(time.Second)
		if words, want, refused := strings.Cut(step, " -x "); refused {
			d := press(words)
			d.Time = now
			_, err := g.Apply(d)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s: %v", step, err)
			}
			continue
		}
		words, want, _ := strings.Cut(step, " -> ")
		if wait, ok := strings.CutPrefix(words, "+"); ok {
			d, err := time.ParseDuration(wait)
			if err != nil {
				t.Fatal(err)
			}
			if got := said(g.Tick(g.State().Time.Add(d))); got != want {
				t.Fatalf("%s: got %q", step, got)
			}
			continue
		}
		d := press(words)
		d.Time = now
		out, err := g.Apply(d)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if got := said(out.Messages); got != want && !(want == "" && got == words) {
			t.Fatalf("%s: got %q", step, got)
		}
	}
}

// firstHalf starts the first half and stops it.
var firstHalf = []string{"KICKOFF home", "START -> FIRST_HALF, START", "STOP"}

func TestParts(t *testing.T) {
	toOvertime := []string{
		"KICKOFF away", "START -> FIRST_HALF, START", "STOP", "END_PART -> HALF_TIME",
		"KICKOFF away -x the home team has the kick-off", "KICKOFF home", "START -> SECOND_HALF, START", "STOP",
		"END_PART -> END_GAME",
	}
	overtime := []string{
		"KICKOFF home -x the away team has the kick-off", "KICKOFF away", "START -> FIRST_HALF_OVERTIME, START", "STOP",
		"END_PART -> HALF_TIME",
		"KICKOFF away -x the home team has the kick-off", "KICKOFF home", "START -> SECOND_HALF_OVERTIME, START",
		"STOP", "END_PART -> END_GAME",
		"FREEKICK home -x only penalties", "KICKOFF home -x only penalties", "DROP_BALL -x only penalties",
		"START", "STOP", "PENALTY home", "PENALTY away", "START", "STOP", "GOAL away", "GOAL away",
		"END_PART -> GAMEOVER",
	}
	over := []string{
		"PARK", "STOP", "START -x the game is over", "GOAL home -x the game is over", "END_PART -x the game is over",
		"SUBSTITUTION home 2 -x the game is over", "RESET",
	}
	g := script(t, slices.Concat(toOvertime, overtime, over)...)
	if s := g.State(); s.Part != PreGame || s.Away.Goals != 0 || s.Total != 0 {
		t.Errorf("after RESET: %+v", s)
	}
	g = script(t, slices.Concat(toOvertime, []string{"END_PART -> GAMEOVER"}, over[:3])...)
	if g.State().Part != End {
		t.Errorf("a game without overtime is in %s", g.State().Part)
	}
}

// TestAllowed checks which keys are possible when, as with RefBox 2.1.
func TestAllowed(t *testing.T) {
	for name, steps := range map[string][]string{
		"before the game": {
			"START -x set piece first", "FREEKICK home -x begins with a kick-off",
			"GOAL home -x begins with a kick-off", "END_PART -x no half",
			"YELLOW_CARD home -x kick-off", "SUBSTITUTION home 1 -x before the first", "PARK -x only in intervals",
			"STOP", "RESET",
			"KICKOFF away", "KICKOFF home -x STOP cancels it", "RESET -x needs force", "STOP", "KICKOFF home",
			"KICKOFF home", "RESET ! -> RESET",
		},
		"in play": {
			"KICKOFF home", "START -> FIRST_HALF, START", "START -x already", "FREEKICK home -x press STOP",
			"GOAL home -x press STOP",
			"REPAIR home 1 -x press STOP", "IS_ALIVE home 1 -x press STOP", "SUBSTITUTION home 1 -x press STOP",
			"END_PART -x press STOP",
			"PARK -x press STOP", "DROP_BALL -x press STOP", "SET_PART half-time -x press STOP", "RESET -x needs force",
			"STOP", "STOP",
		},
		"stopped": append(slices.Clone(firstHalf),
			"START -x set piece first", "KICKOFF home -x force", "KICKOFF home ! -> KICKOFF home", "STOP",
			"PARK -x only in intervals",
			"CORNER away", "CORNER away", "GOALKICK home -x STOP cancels it", "DROP_BALL -x STOP cancels it",
			"GOAL away -x STOP cancels it",
			"END_PART -x STOP cancels it", "STOP", "GOALKICK home", "START", "STOP", "IS_ALIVE away 9", "DROP_BALL",
			"START",
		),
		"after a goal": append(slices.Clone(firstHalf),
			"GOAL home", "GOAL away -x after a goal", "FREEKICK away -x after a goal", "DROP_BALL -x after a goal",
			"RED_CARD away -x after a goal",
			"KICKOFF home -x the away team has", "SUBSTITUTION away 7", "STOP", "KICKOFF away", "YELLOW_CARD home -> ",
			"START -> YELLOW_CARD home, START", "STOP", "GOAL away", "END_PART -> HALF_TIME",
		),
		"withdrawn goals": append(slices.Clone(firstHalf),
			"SUBGOAL home -x no goal", "GOAL home", "SUBGOAL away -x no goal", "SUBGOAL home", "FREEKICK away", "START",
			"STOP", "GOAL home",
			"KICKOFF away", "SUBGOAL home -x STOP cancels it", "START", "STOP", "SUBGOAL home",
			"SUBGOAL home -x no goal",
		),
		"half-time": append(slices.Clone(firstHalf),
			"END_PART -> HALF_TIME", "GOAL home -x kick-off", "RED_CARD home -x kick-off", "END_PART -x no half",
			"PARK", "SUBSTITUTION home 4",
			"RESET -x needs force", "KICKOFF away", "PARK -x only in intervals", "STOP",
			"KICKOFF home ! -> KICKOFF home",
		),
		"substitutions": append(slices.Clone(firstHalf),
			"SUBSTITUTION home 1", "SUBSTITUTION home 2", "SUBSTITUTION home 3",
			"SUBSTITUTION home 4 -x has no substitutions left: 3", "SUBSTITUTION away 4",
			"SUBSTITUTION away 100 -x 1 to 99", "SUBSTITUTION away -x needs a robot", "IS_ALIVE away -x needs a robot",
		),
		"repair": append(slices.Clone(firstHalf),
			"REPAIR home 4 -x 1 to 3", "REPAIR home 3 -> ",
			"REPAIR home 1 -x the home team has 2 robots on the field; 2 must stay", "REPAIR away 2 -> ",
			"RED_CARD home -> ", "RED_CARD home -> ", "RED_CARD home -x the home team has no robot on the field",
		),
		"malformed": {
			"START home -x has no side", "FREEKICK -x needs a side", "GOAL home 3 -x has no robot",
			"STOP ! -x has no force", "DOUBLE_YELLOW home -x unknown decision",
			"SET_PART nowhere -x unknown part", "SET_CLOCK 1s 2s -x effective at most total",
			"SET_CLOCK 25h 2s -x 24 h", "SET_SCORE home 100 -x 0 to 99", "UNDO -x no decision",
			"REDO -x no decision", "UNDO 5 -x no decision 5 yet",
		},
	} {
		t.Run(name, func(t *testing.T) { script(t, steps...) })
	}
	g := New(DefaultRules(), epoch)
	follow(t, g, "SET_SCORE home 99 -> "+strings.Repeat("GOAL home, ", 98)+"GOAL home", "KICKOFF home",
		"START -> FIRST_HALF, START", "STOP",
		"GOAL home -x the highest score is 99")
	for _, d := range []Decision{
		{Command: Stop, Version: 2}, {Command: Stop, Time: -1}, {Command: Stop, Time: 1<<63 - 1},
		{Command: Undo, Ref: -1},
		{Command: RedCard, Side: Home, Robot: -1}, {Command: Repair, Side: Home, Robot: 4, Count: 2},
		{Command: Goal, Side: "left"},
	} {
		if _, err := g.Apply(d); !errors.Is(err, ErrRefused) {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// Keys and Refusal agree on every key, and each key is listed once.
func TestKeys(t *testing.T) {
	for _, k := range New(DefaultRules(), epoch).Keys() {
		if may := k.Why == ""; may != slices.Contains([]Command{Stop, KickOff, Reset, SetClock, SetPart, SetScore},
			k.Command) {
			t.Errorf("before the game, %s %s: %q", k.Command, k.Side, k.Why)
		}
	}
	g := script(t, firstHalf...)
	var alive []string
	for _, k := range g.Keys() {
		if k.Why == "" {
			alive = append(alive, said([]Message{{Command: k.Command, Side: k.Side}}))
		}
	}
	want := "STOP, DROP_BALL, END_PART, UNDO, SET_CLOCK, SET_PART"
	for _, side := range []string{" home", " away"} {
		for _, c := range []string{"FREEKICK", "GOALKICK", "THROWIN", "CORNER", "PENALTY", "GOAL", "IS_ALIVE",
			"SUBSTITUTION", "REPAIR", "YELLOW_CARD", "RED_CARD", "SET_SCORE"} {
			want += ", " + c + side
		}
	}
	if got := strings.Join(alive, ", "); got != want {
		t.Errorf("alive after a STOP:\n%s\nwant\n%s", got, want)
	}
	if n := len(g.Keys()); n != 38 {
		t.Errorf("%d keys", n)
	}
}

// Cards and repairs wait for START: home's first, repairs before cards, then the part, then START.
func TestBurst(t *testing.T) {
	g := script(t, append(slices.Clone(firstHalf),
		"RED_CARD away -> ", "YELLOW_CARD home 4 -> ", "YELLOW_CARD home 4 -> ", "RED_CARD home 2 -> ",
		"REPAIR home 1 -> ", "REPAIR away 2 -> ",
	)...)
	if p := g.State().Home.Penalties; len(p) != 4 || p[0].Sent || p[3].Sent || p[1].Command != DoubleYellow ||
		p[1].Robot != 4 {
		t.Errorf("not sent yet: %+v", p)
	}
	follow(t, g,
		"END_PART -> HALF_TIME", "KICKOFF away",
		"START -> REPAIR home, YELLOW_CARD home, RED_CARD home, DOUBLE_YELLOW home, REPAIR away, REPAIR away, RED_CARD away, SECOND_HALF, START",
	)
	if p := g.State().Home.Penalties; !p[0].Sent || !p[0].Over || !p[1].Sent || p[1].Over {
		t.Errorf("sent: %+v", p)
	}
}

// A second yellow card is one for the same robot, or where it was not said for which one, of the team.
func TestYellowCards(t *testing.T) {
	for cards, want := range map[string]string{
		"4 4":     "YELLOW_CARD home, DOUBLE_YELLOW home",
		"4 5":     "YELLOW_CARD home, YELLOW_CARD home",
		"0 0":     "YELLOW_CARD home, DOUBLE_YELLOW home",
		"4 0":     "YELLOW_CARD home, DOUBLE_YELLOW home",
		"4 4 4":   "YELLOW_CARD home, YELLOW_CARD home, DOUBLE_YELLOW home",
		"4 4 4 4": "YELLOW_CARD home, YELLOW_CARD home, DOUBLE_YELLOW home, DOUBLE_YELLOW home",
	} {
		g := script(t, firstHalf...)
		for _, robot := range strings.Fields(cards) {
			d := press("YELLOW_CARD home " + robot)
			d.Time = g.State().Time
			must(t, g, d)
		}
		follow(t, g, "DROP_BALL", "START -> "+want+", START")
	}
}

func TestPlayingTime(t *testing.T) {
	t.Run("20 s of repair, stops do not count", func(t *testing.T) {
		g := script(t, append(slices.Clone(firstHalf), "REPAIR home 2 -> ", "DROP_BALL",
			"START -> REPAIR home, REPAIR home, START")...)
		follow(t, g, "+18.9s -> ", "STOP", "+300s -> ", "DROP_BALL", "START", "+99ms -> ",
			"+1ms -> REPAIR_END home, REPAIR_END home", "+300s -> ")
	})
	t.Run("an interval ends repair", func(t *testing.T) {
		g := script(t, append(slices.Clone(firstHalf), "REPAIR away 1 -> ", "DROP_BALL", "START -> REPAIR away, START",
			"STOP")...)
		follow(t, g, "END_PART -> HALF_TIME, REPAIR_END away", "KICKOFF away", "START -> SECOND_HALF, START",
			"+30s -> ")
	})
	t.Run("90 s of a second yellow card, on through half-time", func(t *testing.T) {
		g := script(t, append(slices.Clone(firstHalf), "YELLOW_CARD away -> ", "YELLOW_CARD away -> ", "DROP_BALL",
			"START -> YELLOW_CARD away, DOUBLE_YELLOW away, START", "+49s -> ", "STOP", "END_PART -> HALF_TIME",
			"KICKOFF away", "START -> SECOND_HALF, START")...)
		follow(t, g, "+39.9s -> ")
		if p := g.State().Away.Penalties[1]; p.Over || p.Until-g.State().Played != 100*time.Millisecond {
			t.Errorf("at 89.9 s: %+v", p)
		}
		follow(t, g, "+100ms -> ")
		if p := g.State().Away.Penalties[1]; !p.Over {
			t.Errorf("at 90 s: %+v", p)
		}
	})
	t.Run("what is due comes before the next decision", func(t *testing.T) {
		g := script(t, append(slices.Clone(firstHalf), "REPAIR home 1 -> ", "DROP_BALL",
			"START -> REPAIR home, START")...)
		out := must(t, g, Decision{Command: Stop, Time: g.State().Time.Add(time.Minute)})
		if got := said(out.Messages); got != "REPAIR_END home, STOP" {
			t.Error(got)
		}
	})
}

func TestClocks(t *testing.T) {
	g := script(t, "KICKOFF home", "+60s -> ", "START -> FIRST_HALF, START", "+10s -> ", "STOP", "+5s -> ")
	if s := g.State(); s.Total != 16*time.Second || s.Effective != 11*time.Second {
		t.Errorf("first half: total %v, effective %v", s.Total, s.Effective)
	}
	follow(t, g, "END_PART -> HALF_TIME", "+9s -> ")
	if s := g.State(); s.Total != 9*time.Second || s.Effective != 0 {
		t.Errorf("half-time: total %v, effective %v", s.Total, s.Effective)
	}
	follow(t, g, "KICKOFF away", "START -> SECOND_HALF, START", "+7s -> ")
	if s := g.State(); s.Total != 7*time.Second || s.Effective != 7*time.Second || s.Played != 18*time.Second {
		t.Errorf("second half: total %v, effective %v, played %v", s.Total, s.Effective, s.Played)
	}
	if s := g.State(); s.Taking != (SetPiece{KickOff, Away}) || s.TakingUntil != s.Time {
		t.Errorf("7 s for the kick-off: %+v until %v, now %v", s.Taking, s.TakingUntil, s.Time)
	}
	follow(t, g, "STOP", "SUBSTITUTION away 3")
	if s := g.State(); s.Taking.Command != "" || s.SubstitutionUntil.Sub(s.Time) != 20*time.Second {
		t.Errorf("%+v", s)
	}
	// Setting the clock back does not turn time back.
	before := g.State()
	must(t, g, Decision{Command: Stop, Time: epoch})
	g.Tick(epoch)
	g.Tick(1<<63 - 1)
	if got := g.Log()[len(g.Log())-1].Decision.Time; got != before.Time || g.State().Time != before.Time {
		t.Errorf("a STOP from the past is at %v, want %v", got, before.Time)
	}
}

// A robot off the field gets no repair, and one with a red card no other card; other robots may still get a card.
func TestRobotsOffTheField(t *testing.T) {
	g := script(t, plus(firstHalf, "RED_CARD home 4 -> ", "RED_CARD home 4 -x robot 4 of the home team is off",
		"YELLOW_CARD home 4 -x is off",
		"RED_CARD away 4 -> ", "RED_CARD home 5 -> ")...)
	repair := Decision{Command: Repair, Side: Home, Robot: 4, Count: 1}
	if why := g.Refusal(repair); !strings.Contains(why, "off the field") {
		t.Errorf("repair of robot 4: %q", why)
	}
	repair.Robot = 6
	must(t, g, repair)
	follow(t, g, "RED_CARD home 6 -> ")
}

func TestReplayNamesTheRefusedDecision(t *testing.T) {
	_, err := Replay(DefaultRules(), epoch, []Decision{press("KICKOFF home"), press("START"), press("START")})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "decision 3, START") {
		t.Error(err)
	}
}

func TestCorrections(t *testing.T) {
	g := script(t, append(slices.Clone(firstHalf),
		"SET_SCORE home 2 -> GOAL home, GOAL home", "SET_SCORE home 1 -> SUBGOAL home", "SET_SCORE home 1 -> ",
		"SET_CLOCK 600s 400s -> ",
	)...)
	if s := g.State(); s.Home.Goals != 1 || s.Total != 600*time.Second || s.Effective != 400*time.Second {
		t.Errorf("%+v", s)
	}
	follow(t, g, "END_PART -> HALF_TIME", "SET_PART first half -> FIRST_HALF, STOP", "FREEKICK home", "START", "STOP",
		"SET_PART shoot-out -> END_GAME, STOP", "SET_PART end -> GAMEOVER", "SET_PART half-time -> HALF_TIME",
		"SET_PART half-time -x in this part already")
	d := press("SET_PART pre-game")
	out, _, err := g.Preview(d)
	if err != nil || len(out.Messages) != 0 || len(out.Notes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}
