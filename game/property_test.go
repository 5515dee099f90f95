package game_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	. "touchline/game"
	"touchline/game/gametest"
	"touchline/soccer"
)

const epoch = soccer.Epoch

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// play applies decisions one after the other and checks each.
func play(t *testing.T, all []Decision) *Game {
	t.Helper()
	g := New(DefaultRules(), epoch)
	var sent []Message
	var team listener
	for i, d := range all {
		if i%3 == 0 {
			due := g.Tick(d.Time.Add(-20 * time.Millisecond))
			sent = append(sent, due...)
			team.hear(due)
		}
		before, entries := text(t, g.State()), text(t, g.Log())
		preview, after, previewErr := g.Preview(d)
		if text(t, g.State()) != before || text(t, g.Log()) != entries {
			t.Fatalf("%+v: the preview changed the game", d)
		}
		why := g.Refusal(d)
		out, err := g.Apply(d)
		if (err == nil) != (previewErr == nil) || err == nil && (text(t, out) != text(t, preview) || text(t,
			g.State()) != text(t, after)) {
			t.Fatalf("%+v: %+v (%v), previewed %+v (%v)", d, out, err, preview, previewErr)
		}
		if (err == nil) != (why == "") {
			t.Fatalf("%+v: %v, announced was %q", d, err, why)
		}
		if err != nil && (!errors.Is(err, ErrRefused) || text(t, g.State()) != before || text(t, g.Log()) != entries) {
			t.Fatalf("%+v: refused with %v, but the game changed", d, err)
		}
		sent = append(sent, out.Messages...)
		team.hear(out.Messages)
		team.check(t, d, g.State())
		check(t, g)
	}
	replay(t, g, sent)
	return g
}

// listener holds what a base station knows from the messages alone.
type listener struct {
	running  bool
	setPiece SetPiece
	part     Command // the last that began
	goals    map[Side]int
	repairs  map[Side]int
}

func (l *listener) hear(all []Message) {
	for _, m := range all {
		switch m.Command {
		case Reset:
			*l = listener{}
		case Start:
			l.running, l.setPiece = true, SetPiece{}
		case Stop:
			l.running, l.setPiece = false, SetPiece{}
		case KickOff, FreeKick, GoalKick, ThrowIn, Corner, PenaltyKick, DropBall:
			l.setPiece = SetPiece{m.Command, m.Side}
		case FirstHalfBegins, SecondHalfBegins, OvertimeFirstBegins, OvertimeSecondBegins:
			l.part = m.Command
		case HalfTimeBegins, GameEnds, GameOver:
			l.part, l.running, l.setPiece = m.Command, false, SetPiece{}
		}
		if l.goals == nil {
			l.goals, l.repairs = map[Side]int{}, map[Side]int{}
		}
		switch m.Command {
		case Goal:
			l.goals[m.Side]++
		case SubGoal:
			l.goals[m.Side]--
		case Repair:
			l.repairs[m.Side]++
		case RepairEnds:
			l.repairs[m.Side]--
		}
	}
}

// check compares the listener with the game: after any decision, undo, redo or correction teams know the state.
func (l *listener) check(t *testing.T, d Decision, s State) {
	t.Helper()
	part := map[Part]Command{
		PreGame: l.part, FirstHalf: FirstHalfBegins, HalfTime: HalfTimeBegins, SecondHalf: SecondHalfBegins,
		PreOvertime:   GameEnds,
		OvertimeFirst: OvertimeFirstBegins, OvertimeHalfTime: HalfTimeBegins, OvertimeSecond: OvertimeSecondBegins,
		ShootOut: GameEnds, End: GameOver,
	}[s.Part] // no message announces that the game has not begun
	if l.running != s.Running || l.setPiece != s.SetPiece || l.part != part {
		t.Fatalf("after %+v teams know %+v, the game is %+v", d, l, s)
	}
	for side, team := range map[Side]Team{Home: s.Home, Away: s.Away} {
		out := 0
		for _, p := range team.Penalties {
			if p.Command == Repair && p.Sent && !p.Over {
				out++
			}
		}
		if l.goals[side] != team.Goals || l.repairs[side] != out {
			t.Fatalf("after %+v teams know %+v, the %s team is %+v", d, l, side, team)
		}
	}
}

// check checks the invariants of a game.
func check(t *testing.T, g *Game) {
	t.Helper()
	s := g.State()
	for _, team := range []Team{s.Home, s.Away} {
		out := 0
		for _, p := range team.Penalties {
			if p.Command != YellowCard && !p.Over {
				out++
			}
			if p.Sent && p.Until != 0 && p.Until <= s.Played && !p.Over {
				t.Fatalf("%+v is not over though %v are played", p, s.Played)
			}
		}
		if team.Goals < 0 || team.Goals > 99 || team.Substitutions > 3 || out > 5 {
			t.Fatalf("%+v", team)
		}
	}
	if s.Running && (s.SetPiece != SetPiece{} || s.Part == PreGame || s.Part == End || s.Part == HalfTime) ||
		s.Effective < 0 || s.Total < 0 {
		t.Fatalf("%+v", s)
	}
}

// replay plays the game again from its journal, through JSON and without Ticks.
func replay(t *testing.T, g *Game, sent []Message) {
	t.Helper()
	var journal []Decision
	var again []Message
	for _, e := range g.Log() {
		var d Decision
		if err := json.Unmarshal([]byte(text(t, e.Decision)), &d); err != nil || d != e.Decision {
			t.Fatalf("%+v came back as %+v, %v", e.Decision, d, err)
		}
		journal = append(journal, d)
	}
	r, err := Replay(g.Rules(), epoch, journal)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Log() {
		again = append(again, e.Sent...)
	}
	again = append(again, r.Tick(g.State().Time)...)
	if text(t, r.State()) != text(t, g.State()) || !slices.Equal(again, sent) {
		t.Fatalf("replayed:\n%s\n%v\nwas:\n%s\n%v", text(t, r.State()), again, text(t, g.State()), sent)
	}
}

// undoRedo undoes and redoes each decision at one time: the game is the same afterwards.
func undoRedo(t *testing.T, g *Game) {
	t.Helper()
	now := g.State().Time
	for n := range len(g.Log()) {
		state, standing := remembered(t, g, n), holding(g)
		undone, err := g.Apply(Decision{Time: now, Command: Undo, Ref: n + 1})
		if err != nil {
			continue // undone, void, or itself an undo
		}
		redone, err := g.Apply(Decision{Time: now, Command: Redo, Ref: n + 1})
		if err != nil {
			t.Fatalf("decision %d does not come back: %v", n+1, err)
		}
		if got := remembered(t, g, n); got != state || !slices.Equal(holding(g)[:len(standing)], standing) {
			t.Fatalf("decision %d, %+v, back again:\n%s\nwas\n%s", n+1, g.Log()[n].Decision, got, state)
		}
		if len(undone.Dropped) != len(redone.Restored) || len(undone.Restored) != len(redone.Dropped) {
			t.Fatalf("dropped %v, restored %v; back again %v, %v", undone.Dropped, undone.Restored, redone.Dropped,
				redone.Restored)
		}
	}
}

// remembered returns the state as text. A redone RESET is sent again, so teams forget the cards.
func remembered(t *testing.T, g *Game, n int) string {
	s := g.State()
	if g.Log()[n].Decision.Command == Reset {
		s.Home.TakenBack, s.Away.TakenBack = nil, nil
	}
	return text(t, s)
}

// holding returns for each decision why it is not in effect, "" if it is.
func holding(g *Game) []string {
	var why []string
	for _, e := range g.Log() {
		if e.Undone {
			e.Why = "undone"
		}
		why = append(why, e.Why)
	}
	return why
}

func TestRandomGames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	total := 0
	for range 300 {
		b := make([]byte, 4*rng.IntN(120))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		g := play(t, gametest.Decisions(b))
		undoRedo(t, g)
		total += len(g.Log())
	}
	if total < 3000 {
		t.Errorf("only %d decisions were taken", total)
	}
}

// State and messages do not depend on the time steps.
func TestStepsOfTime(t *testing.T) {
	start := func() *Game {
		g := New(DefaultRules(), epoch)
		at := epoch
		for _, d := range []Decision{
			{Command: KickOff, Side: Home}, {Command: Start}, {Command: Stop}, {Command: Repair, Side: Away, Count: 2},
			{Command: DropBall},
			{Command: Start}, {Command: Stop}, {Command: Repair, Side: Home, Count: 1},
			{Command: YellowCard, Side: Home},
			{Command: YellowCard, Side: Home}, {Command: DropBall}, {Command: Start},
		} {
			at = at.Add(1700 * time.Millisecond)
			d.Time = at
			must(t, g, d)
		}
		return g
	}
	one, many := start(), start()
	end := one.State().Time.Add(100 * time.Second)
	want := one.Tick(end)
	var got []Message
	for rng := rand.New(rand.NewPCG(3, 4)); many.State().Time < end; {
		got = append(got, many.Tick(min(end, many.State().Time.Add(time.Duration(rng.Int64N(3e9)))))...)
	}
	if !slices.Equal(got, want) || text(t, one.State()) != text(t, many.State()) {
		t.Errorf("in steps %v, at once %v", got, want)
	}
	if !slices.Equal(want, []Message{{RepairEnds, Away, 0}, {RepairEnds, Away, 0}, {RepairEnds, Home, 0}}) {
		t.Errorf("%v: the repair that began first ends first", want)
	}
}

func FuzzGame(f *testing.F) {
	f.Add([]byte{4, 0, 1, 10, 0, 4, 0, 40, 1, 4, 0, 10, 6, 0, 0, 3, 19, 0, 0, 1, 20, 0, 0, 1})
	f.Add([]byte{4, 1, 1, 0, 0, 0, 0, 200, 1, 0, 0, 0, 8, 0, 2, 0, 9, 0, 1, 0, 9, 0, 1, 0, 5, 1, 0, 0, 0, 0, 0, 255, 19,
		0, 2, 255, 7, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		undoRedo(t, play(t, gametest.Decisions(b[:min(len(b), 4*60)])))
	})
}

// FuzzDecision applies any decision that JSON can hold: the game's invariants hold afterwards.
func FuzzDecision(f *testing.F) {
	f.Add([]byte(`{"v":1,"time":1415610000000000000,"command":"KICKOFF","side":"home"}`))
	f.Add([]byte(`{"command":"SET_CLOCK","total":9000000000,"effective":-1}`))
	f.Add([]byte(`{"v":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Decision
		if json.Unmarshal(b, &d) != nil {
			return
		}
		g := New(DefaultRules(), epoch)
		must(t, g, Decision{Time: epoch, Command: KickOff, Side: Home})
		must(t, g, Decision{Time: epoch, Command: Start})
		must(t, g, Decision{Time: epoch, Command: Stop})
		if _, err := g.Apply(d); err == nil {
			check(t, g)
		}
		check(t, g)
		g.Tick(d.Time)
		g.Keys()
	})
}

func must(t testing.TB, g *Game, d Decision) Outcome {
	t.Helper()
	out, err := g.Apply(d)
	if err != nil {
		t.Fatalf("%s: %v", d.Command, err)
	}
	return out
}

// journal returns n decisions of a game with an undo in about every twentieth.
func journal(b *testing.B, n int) []Decision {
	b.Helper()
	g := New(DefaultRules(), epoch)
	at := epoch
	pressed := []Decision{
		{Command: Start}, {Command: Stop}, {Command: FreeKick, Side: Home}, {Command: Start}, {Command: Stop},
		{Command: Goal, Side: Away},
		{Command: SubGoal, Side: Away}, {Command: Undo}, {Command: Redo}, {Command: Repair, Side: Home, Count: 1},
		{Command: ThrowIn, Side: Away},
		{Command: Start}, {Command: Stop}, {Command: IsAlive, Side: Away, Robot: 4}, {Command: Corner, Side: Away},
		{Command: Start},
		{Command: Stop}, {Command: DropBall},
	}
	must(b, g, Decision{Time: at, Command: KickOff, Side: Home})
	for i := 0; len(g.Log()) < n; i++ {
		at = at.Add(5 * time.Second)
		d := pressed[i%len(pressed)]
		d.Time = at
		if _, err := g.Apply(d); err != nil {
			b.Fatalf("%s: %v", d.Command, err)
		}
	}
	var all []Decision
	for _, e := range g.Log() {
		all = append(all, e.Decision)
	}
	return all
}

// BenchmarkApply measures one decision in a game of 3,000.
func BenchmarkApply(b *testing.B) {
	pressed := [...]Decision{{Command: KickOff, Side: Home, Force: true}, {Command: Start}, {Command: Stop}}
	b.ReportAllocs()
	var g *Game
	at, i := epoch, 0
	for b.Loop() {
		if i%3000 == 0 {
			g = New(DefaultRules(), at)
		}
		d := pressed[i%3]
		at, i = at.Add(time.Second), i+1
		d.Time = at
		if _, err := g.Apply(d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay measures a restart from a journal of 2,000 decisions.
func BenchmarkReplay(b *testing.B) {
	all := journal(b, 2000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Replay(DefaultRules(), epoch, all); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUndoFirst measures the most expensive undo: of the second of 2,000 decisions.
func BenchmarkUndoFirst(b *testing.B) {
	g, err := Replay(DefaultRules(), epoch, journal(b, 2000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := g.Preview(Decision{Time: g.State().Time, Command: Undo, Ref: 2}); err != nil {
			b.Fatal(err)
		}
	}
}
