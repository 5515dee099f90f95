package refbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// Cards, repairs and substitutions on the page before and after START.
func TestShowPenalties(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.do(r.box.Receive(now, 1, world("20", 2, 3, 4, 11, 6, 7, 8))) // more robots than play
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	want("at first", states(r.box.Show(now).Home), "2 plays, 3 plays, 4 plays, 6 plays, 11 plays")
	want("who never spoke", states(r.box.Show(now).Away), "1 plays, 2 plays, 3 plays, 4 plays, 5 plays")
	r.decide(now, game.Decision{Command: game.YellowCard, Side: game.Home, Robot: 4})
	r.decide(now, game.Decision{Command: game.Repair, Side: game.Home, Count: 2})
	r.decide(now, game.Decision{Command: game.RedCard, Side: game.Away, Robot: 9})
	want("waiting", states(r.box.Show(now).Home),
		"2 plays, 3 plays, 4 yellow waits, 6 plays, 11 plays; repair waits, repair waits")
	want("waiting", states(r.box.Show(now).Away), "1 plays, 2 plays, 3 plays, 4 plays, 5 plays, 9 red waits")
	v := r.box.Referee(now)
	want("pending", strings.Join(v.Pending, ", "),
		"repair CAMBADA, repair CAMBADA, yellow card CAMBADA 4, red card TU/e 9")
	want("undo", v.Undo, "red card TU/e 9")
	if e := v.Entries[1]; e.Text != "repair CAMBADA, 2 robots" || e.State != "waits" || len(e.Sent) != 0 ||
		e.Number != 5 {
		t.Errorf("%+v", e)
	}
	r.decide(now, game.Decision{Command: game.Corner, Side: game.Home})
	r.decide(now, game.Decision{Command: game.Start})
	r.box.Delivered(8, 1.25)
	now = r.tick(now, 2*time.Second)
	show := r.box.Show(now)
	want("begun", states(show.Home), "2 plays, 3 plays, 4 yellow, 6 plays, 11 plays; repair 18, repair 18")
	v = r.box.Referee(now)
	if e := v.Entries[2]; e.State != "sent" || len(v.Pending) != 0 {
		t.Errorf("%+v %v", e, v.Pending)
	}
	if e := v.Entries[0]; *e.Millis != 1.25 || !slices.Equal(e.Sent, []string{"REPAIR CAMBADA", "REPAIR CAMBADA",
		"YELLOW_CARD CAMBADA", "RED_CARD TU/e", "START"}) {
		t.Errorf("%+v", e)
	}
	if c := show.Countdowns; len(c) != 3 || c[0] != (refbox.Countdown{"set piece", game.Home, 0, 5, 7, false}) ||
		c[1] != (refbox.Countdown{"repair", game.Home, 0, 18, 20, true}) {
		t.Errorf("%+v", c)
	}
	if !show.Running || !show.Play || show.Length != 900 || show.Taking != (game.SetPiece{Command: game.Corner,
		Side: game.Home}) || show.Last != "START" {
		t.Errorf("%+v", show)
	}
	checkScore(t, r, now)
	r.decide(now, game.Decision{Command: game.Stop})
	r.decide(now, game.Decision{Command: game.YellowCard, Side: game.Home, Robot: 4})
	r.decide(now, game.Decision{Command: game.Substitution, Side: game.Away, Robot: 12})
	r.decide(now, game.Decision{Command: game.DropBall})
	r.decide(now, game.Decision{Command: game.Start})
	now = r.tick(now, time.Second)
	show = r.box.Show(now)
	want("second yellow", states(show.Home),
		"2 plays, 3 plays, 4 double yellow 89, 6 plays, 11 plays; repair 17, repair 17")
	if c := show.Countdowns; len(c) != 5 || c[3] != (refbox.Countdown{"card", game.Home, 4, 89, 90, true}) ||
		c[4] != (refbox.Countdown{"substitution", game.Away, 12, 19, 20, false}) {
		t.Errorf("%+v", c)
	}
	now = r.tick(now, 100*time.Second)
	want("served", states(r.box.Show(now).Home), "2 plays, 3 plays, 4 plays, 6 plays, 11 plays")
}

// A robot with a red card waits for no end of its second yellow one, and behind the end of the game nobody waits.
func TestCountdownsEnd(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	card := func(command game.Command, robot int) {
		r.decide(now, game.Decision{Command: command, Side: game.Home, Robot: robot})
	}
	card(game.YellowCard, 4)
	card(game.YellowCard, 4)
	card(game.YellowCard, 6)
	card(game.YellowCard, 6)
	card(game.RedCard, 4)
	r.decide(now, game.Decision{Command: game.Corner, Side: game.Home})
	r.decide(now, game.Decision{Command: game.Start})
	now = r.tick(now, 10*time.Second)
	if c := r.box.Show(now).Countdowns; len(c) != 1 || c[0].Kind != "card" || c[0].Robot != 6 {
		t.Errorf("with a red card of robot 4: %+v", c)
	}
	r.decide(now, game.Decision{Command: game.Stop})
	r.decide(now, game.Decision{Command: game.SetPart, Part: game.End})
	if show := r.box.Show(now); show.Part != game.End || len(show.Countdowns) != 0 {
		t.Errorf("in part %s: %+v", show.Part, show.Countdowns)
	}
}

// A waiting yellow card that a second one follows is sent as well: both are shown.
func TestPendingDoubleYellow(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for range 2 {
		r.decide(now, game.Decision{Command: game.YellowCard, Side: game.Home, Robot: 4})
	}
	want := []string{"yellow card CAMBADA 4", "second yellow card CAMBADA 4"}
	if got := r.box.Referee(now).Pending; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.decide(now, game.Decision{Command: game.Corner, Side: game.Home})
	r.forget()
	r.decide(now, game.Decision{Command: game.Start})
	if got := r.box.Referee(now); len(got.Pending) != 0 || strings.Count(string(r.sent[1]), "command") != 3 {
		t.Errorf("%q waits, %s was sent", got.Pending, r.sent[1])
	}
}

// states returns a team's robots, and after a semicolon its penalties that name no robot.
func states(v refbox.TeamShow) string {
	list := func(robots []refbox.RobotShow) string {
		var all []string
		for _, robot := range robots {
			text := robot.State
			if robot.Number != 0 {
				text = fmt.Sprintf("%d %s", robot.Number, text)
			}
			if robot.Waits {
				text += " waits"
			}
			if robot.Left != nil {
				text += fmt.Sprintf(" %.0f", *robot.Left)
			}
			all = append(all, text)
		}
		return strings.Join(all, ", ")
	}
	if len(v.Unnumbered) == 0 {
		return list(v.Robots)
	}
	return list(v.Robots) + "; " + list(v.Unnumbered)
}

// checkScore checks the slots of RefBox 2.1: repairs from the first up, a red card in the fourth, a yellow card in the
// fifth.
func checkScore(t *testing.T, r *rig, now soccer.Time) {
	t.Helper()
	m := structure(t, r.box.Score(now)[:len(r.box.Score(now))-1])
	home, away := m["teamA"].(map[string]any), m["teamB"].(map[string]any)
	if got := fmt.Sprint(home["robotState"], home["robotWaitTime"], away["robotState"], away["robotWaitTime"]); got !=
		"[repair repair play play yellow] [18 18 0 0 0] [play play play red play] [0 0 0 0 0]" {
		t.Errorf("%s", got)
	}
}

// Undo and redo as text, and the preview of a correction.
func TestShowUndo(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
	r.decide(now, game.Decision{Command: game.KickOff, Side: game.Away})
	p := r.box.Preview(game.Decision{Command: game.Undo, Ref: 4})
	if p.Why != "" || !slices.Contains(p.Messages, "SUBGOAL CAMBADA") {
		t.Errorf("%+v", p)
	}
	if last := r.box.Preview(game.Decision{Command: game.Undo}); last.Ref != 5 ||
		last.Text != "kick-off TU/e" || p.Ref != 4 || p.Text != "goal CAMBADA" {
		t.Errorf("%+v %+v", last, p)
	}
	r.decide(now, game.Decision{Command: game.Undo, Ref: 4})
	if redo := r.box.Referee(now).Redo; redo != "goal CAMBADA" {
		t.Errorf("redo applies to %q", redo)
	}
	r.decide(now, game.Decision{Command: game.SetClock, Total: 65 * time.Second, Effective: 60 * time.Second})
	v := r.box.Referee(now)
	if v.Redo != "" || !strings.Contains(v.Entries[3].Final, "a new decision ends") || v.Entries[2].Final != "" || v.Entries[1].Text != "undo: goal CAMBADA" || v.Entries[1].Of != 4 ||
		v.Entries[3].Of != 0 || v.Entries[3].State != "undone" || !strings.Contains(v.Entries[3].Why,
		"undone by decision 6") {
		t.Errorf("%+v", v.Entries)
	}
	if e := v.Entries[0]; e.Text != "clock 01:05, playing time 01:00" || e.State != "noted" {
		t.Errorf("%+v", e)
	}
	r.decide(now, game.Decision{Command: game.Undo, Ref: 5})
	if p := r.box.Preview(game.Decision{Command: game.RedCard, Side: game.Away}); p.Why != "" || len(p.Messages) != 0 ||
		!slices.Equal(p.Notes, []string{"waits for the next START"}) {
		t.Errorf("%+v", p)
	}
	if p := r.box.Preview(game.Decision{Command: game.Start,
		Side: game.Home}); p.Why != "START has no side: leave it out" || len(p.Messages) != 0 {
		t.Errorf("%+v", p)
	}
}

// A warning is shown as long as it lasts.
func TestTrouble(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.box.Trouble("disk", "the disk is full")
	r.box.Trouble("clock", "the clock leapt")
	r.box.Trouble("disk", "the disk is fuller")
	r.box.Trouble("net", "")
	if got := r.box.Show(now).Trouble; !slices.Equal(got, []string{"the disk is fuller", "the clock leapt"}) {
		t.Errorf("%q", got)
	}
	r.box.Trouble("disk", "")
	if got := r.box.Show(now).Trouble; !slices.Equal(got, []string{"the clock leapt"}) {
		t.Errorf("%q", got)
	}
}

// A score datagram stays below 60,000 bytes: the longer worldstate is omitted, then both.
func TestScoreFits(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	long := func(n int) []byte {
		return []byte(`{"type":"worldstate","teamName":"` + strings.Repeat("x", n) + `"}`)
	}
	for _, c := range []struct{ home, away, least, most int }{
		{20000, 30000, 50000, 52000}, {20000, 50000, 20000, 22000}, {50000, 20000, 20000, 22000},
		{60000, 20000, 20000, 22000}, {60000, 61000, 500, 2000},
	} {
		r.do(r.box.Receive(now, 1, long(c.home)))
		r.do(r.box.Receive(now, 2, long(c.away)))
		score := r.box.Score(now)
		structure(t, score[:len(score)-1])
		if len(score) < c.least || len(score) > c.most {
			t.Errorf("%+v: %d bytes", c, len(score))
		}
	}
}

// A box that begins at time 0.
func TestBeginningOfTime(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.HomeID = 39
	r := newRig(t, cfg, 0)
	r.do(r.box.Connect(0, 1, stationOf(39, 1)))
	for now := soccer.Time(0); now < 3e9; now += 50e6 {
		r.do(r.box.Receive(now, 1, []byte(minimal)))
		r.do(r.box.Tick(now))
		r.box.Teams(now, true)
		r.box.Referee(now)
	}
	if h := r.box.Teams(3e9, true).Teams[0]; h.Rate != 19 && h.Rate != 20 || len(h.Rates) != 3 {
		t.Errorf("%+v", h)
	}
}

// Seconds before a restart are not counted as silence.
func TestRatesAfterRestart(t *testing.T) {
	cfg := refbox.DefaultConfig()
	began := soccer.Epoch
	a := refbox.Admission{Time: began.Add(time.Second), Side: game.Home, ID: 39, Name: "CAMBADA", Group: "224.16.32.39",
		Addr: "127.0.39.1:5"}
	b, err := refbox.Restore(cfg, refbox.History{Began: began, Last: began.Add(100 * time.Second),
		Admissions: []refbox.Admission{a}})
	if err != nil {
		t.Fatal(err)
	}
	now := began.Add(110*time.Second + 300*time.Millisecond)
	b.Tick(now)
	b.Connect(now, 1, stationOf(39, 5))
	for range 80 {
		now = now.Add(50 * time.Millisecond)
		b.Receive(now, 1, []byte(minimal))
		b.Tick(now)
	}
	for _, rates := range [][]int{b.Teams(now, true).Teams[0].Rates, b.Referee(now).Home.Rates} {
		if !slices.Equal(rates, []int{20, 20, 20}) {
			t.Errorf("the rates are %v", rates)
		}
	}
}

// The views change nothing, for any time.
func TestPagesChangeNothing(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Repair, Side: game.Home, Count: 1})
	r.decide(now, game.Decision{Command: game.DropBall})
	r.decide(now, game.Decision{Command: game.Start})
	before := text(t, r.box.Game().State())
	for _, d := range []time.Duration{-time.Hour, 19 * time.Second, time.Hour} {
		r.box.Show(now.Add(d))
		r.box.Referee(now.Add(d))
		r.box.Teams(now.Add(d), true)
		r.box.Score(now.Add(d))
	}
	if after := text(t, r.box.Game().State()); after != before {
		t.Errorf("%s\nbefore: %s", after, before)
	}
	r.forget()
	r.tick(now, 21*time.Second)
	r.want(map[refbox.ConnID]string{1: wire("REPAIR_END 224.16.32.39"), 2: wire("REPAIR_END 224.16.32.39")})
}

// TestFieldFrame checks that both teams' robots and balls reach the page in one frame, in which home attacks to x.
func TestFieldFrame(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	state := []byte(`{"type":"worldstate","teamName":"x","intention":"","ageMs":20,"obstacles":[],
		"robots":[{"id":3,"pose":[1,5,0.5]},{"id":4,"pose":[null,null,0]},{"id":5,"pose":[1,-2,null]}],
		"balls":[{"position":[2,8,0.1]},{"position":[0,0,0]},{"position":[0,0,0]},{"position":[0,0,0]}]}`)
	r.do(r.box.Receive(now, 1, state))
	r.do(r.box.Receive(now, 2, state))
	text := func(v refbox.Received) string {
		s := ""
		for _, robot := range v.Robots {
			s += fmt.Sprintf("%d at %g %g", robot.Number, robot.X, robot.Y)
			if robot.Theta != nil {
				s += fmt.Sprintf(" facing %.4f", *robot.Theta)
			}
			s += ", "
		}
		return fmt.Sprintf("%s%d balls, first at %g %g", s, len(v.Balls), v.Balls[0].X, v.Balls[0].Y)
	}
	v := r.box.Referee(now)
	if got, want := text(v.Home), "3 at 5 -1 facing 0.5000, 5 at -2 -1, 3 balls, first at 8 -2"; got != want {
		t.Errorf("home: got %s, want %s", got, want)
	}
	if got, want := text(v.Away), "3 at -5 1 facing -2.6416, 5 at 2 1, 3 balls, first at -8 2"; got != want {
		t.Errorf("away: got %s, want %s", got, want)
	}
	if v.Home.Silent == nil || *v.Home.Silent != 0 {
		t.Errorf("silent: got %v, want 0 s", v.Home.Silent)
	}
}
