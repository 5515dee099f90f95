package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
)

// lobbyOf returns a lobby in which n teams are there, each from an address of its own.
func lobbyOf(t *testing.T, cfg LobbyConfig, n int) (*Lobby, func(soccer.Time)) {
	t.Helper()
	l, err := NewLobby(cfg)
	if err != nil {
		t.Fatal(err)
	}
	count := uint64(0)
	enter := func(now soccer.Time) {
		for i := range n {
			count++
			r := LobbyRequest{Name: fmt.Sprintf("team %d", i+1), Nonce: fmt.Sprint(i), Count: count}
			if _, err := l.Enter(now, addressOf(i), &r); err != nil {
				t.Fatal(err)
			}
		}
	}
	enter(soccer.Epoch)
	return l, enter
}

func addressOf(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i / 3), 1}) }

// Thirty teams of ten addresses play: everybody plays as often as everybody else, meets everybody before anybody twice as
// far as that goes, and the table is the sum of the results.
func TestLobby(t *testing.T) {
	l, enter := lobbyOf(t, DefaultLobbyConfig(), 30)
	random := rand.New(rand.NewPCG(7, 7))
	sum, met := map[string]*LobbyRow{}, map[string]int{}
	const matches = 435 // each team meets each other one once
	for n := range matches {
		now := soccer.Epoch.Add(time.Duration(n) * time.Minute)
		enter(now)
		f := l.Draw(now)
		if f == nil || f.Number != n+1 || f.Home == f.Away || l.Draw(now) != nil {
			t.Fatalf("match %d is %+v", n+1, f)
		}
		met[min(f.Home, f.Away)+max(f.Home, f.Away)]++
		goals := [2]int{random.IntN(4), random.IntN(4)}
		quit := [2]bool{random.IntN(20) == 0, random.IntN(20) == 0}
		l.Finish(now.Add(time.Second), goals, quit, "a test")
		l.Finish(now, goals, quit, "twice")
		last := l.fixtures[len(l.fixtures)-1]
		for i, name := range []string{last.Home, last.Away} {
			if sum[name] == nil {
				sum[name] = &LobbyRow{Name: name, Here: true}
			}
			r := sum[name]
			own, other := last.Goals[i], last.Goals[1-i]
			r.Played, r.For, r.Against = r.Played+1, r.For+own, r.Against+other
			switch {
			case quit[i] || own < other:
				r.Lost++
			case own > other:
				r.Won, r.Points = r.Won+1, r.Points+3
			default:
				r.Drawn, r.Points = r.Drawn+1, r.Points+1
			}
		}
	}
	table := l.Table(soccer.Epoch.Add(matches * time.Minute))
	for i, r := range table {
		r.Here = true
		if *sum[r.Name] != r || r.Played < 28 || r.Played > 30 {
			t.Errorf("the table has %+v, the results %+v", r, *sum[r.Name])
		}
		if i > 0 && table[i-1].Points < r.Points {
			t.Errorf("%s with %d points is behind %s with %d", r.Name, r.Points, table[i-1].Name, table[i-1].Points)
		}
	}
	for two, n := range met {
		if n > 2 {
			t.Errorf("%s met %d times", two, n)
		}
	}
	if len(l.fixtures) != keptFixtures {
		t.Errorf("%d matches are listed, want %d", len(l.fixtures), keptFixtures)
	}
}

// A team that does not play loses by three goals, or by more if it is behind by more; two of them lose without goals.
func TestLobbyWalkover(t *testing.T) {
	for _, c := range []struct {
		goals [2]int
		quit  [2]bool
		want  [2]int
	}{
		{[2]int{2, 1}, [2]bool{}, [2]int{2, 1}},
		{[2]int{2, 1}, [2]bool{true, false}, [2]int{0, 3}},
		{[2]int{1, 5}, [2]bool{true, false}, [2]int{1, 5}},
		{[2]int{0, 0}, [2]bool{false, true}, [2]int{3, 0}},
		{[2]int{2, 1}, [2]bool{true, true}, [2]int{0, 0}},
	} {
		l, _ := lobbyOf(t, DefaultLobbyConfig(), 2)
		l.Draw(soccer.Epoch)
		l.Finish(soccer.Epoch, c.goals, c.quit, "gone")
		if f := l.fixtures[0]; f.Goals != c.want || f.Reason != "gone" {
			t.Errorf("%v with %v gone counts as %v, want %v", c.goals, c.quit, f.Goals, c.want)
		}
		lost := 0
		for _, r := range l.Table(soccer.Epoch) {
			lost += r.Lost
		}
		if want := len(slices.DeleteFunc(c.quit[:], func(b bool) bool { return !b })); lost != max(want, 1) {
			t.Errorf("%v with %v gone: %d teams lost", c.goals, c.quit, lost)
		}
	}
}

// A lobby begins when the number of teams is there for which it waits, draws only teams that are there, and ends after its
// matches.
func TestLobbyWaits(t *testing.T) {
	cfg := DefaultLobbyConfig()
	cfg.Wait, cfg.Matches = 3, 1
	l, _ := lobbyOf(t, cfg, 2)
	if f := l.Draw(soccer.Epoch); f != nil {
		t.Fatalf("%+v begins with two teams", f)
	}
	late := soccer.Epoch.Add(6 * time.Second) // the two are silent by now
	for i, name := range []string{"a", "b", "c"} {
		if _, err := l.Enter(late, addressOf(i), &LobbyRequest{Name: name, Nonce: "n", Count: 1}); err != nil {
			t.Fatal(err)
		}
	}
	f := l.Draw(late)
	if f == nil || strings.Contains(f.Home+f.Away, "team") {
		t.Fatalf("the match is %+v, want two teams that are there", f)
	}
	l.Finish(late, [2]int{}, [2]bool{}, "")
	if !l.Over() || l.Draw(late) != nil {
		t.Error("the lobby goes on after its last match")
	}
}

// Requests that a lobby refuses change nothing.
func TestLobbyRefuses(t *testing.T) {
	cfg := DefaultLobbyConfig()
	cfg.Teams, cfg.PerAddress = 4, 2
	l, _ := lobbyOf(t, cfg, 2)
	before := l.Table(soccer.Epoch)
	request := func(r LobbyRequest) LobbyRequest {
		if r.Name == "" {
			r.Name = "new"
		}
		r.Nonce, r.Count = r.Nonce+"n", r.Count+1000
		return r
	}
	for what, r := range map[string]LobbyRequest{
		"a long name":        request(LobbyRequest{Name: strings.Repeat("x", 25)}),
		"a name of blanks":   request(LobbyRequest{Name: " a"}),
		"a line break":       request(LobbyRequest{Name: "a\nb"}),
		"an escape":          request(LobbyRequest{Name: "\x1b[31m"}),
		"no nonce":           {Name: "new", Count: 9},
		"a long nonce":       request(LobbyRequest{Nonce: strings.Repeat("x", 64)}),
		"too many robots":    request(LobbyRequest{Robots: make([]netip.AddrPort, 6)}),
		"an invalid address": request(LobbyRequest{Robots: make([]netip.AddrPort, 1)}),
		"another program":    request(LobbyRequest{Name: "team 1"}),
		"a replay":           {Name: "team 1", Nonce: "0", Count: 1},
	} {
		if _, err := l.Enter(soccer.Epoch, addressOf(9), &r); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if _, err := l.Enter(soccer.Epoch, addressOf(0), &LobbyRequest{Name: "third", Nonce: "n", Count: 1}); err == nil {
		t.Error("a third team of one address is accepted")
	}
	if after := l.Table(soccer.Epoch); !slices.Equal(before, after) {
		t.Errorf("the table was %+v and is %+v", before, after)
	}
	for i := range 2 {
		r := request(LobbyRequest{Name: fmt.Sprint("full", i)})
		if _, err := l.Enter(soccer.Epoch, addressOf(9+3*i), &r); err != nil {
			t.Fatal(err)
		}
	}
	r := request(LobbyRequest{Name: "fifth"})
	if _, err := l.Enter(soccer.Epoch, addressOf(90), &r); err == nil {
		t.Error("a fifth team of four is accepted")
	}
	// Those that went away without a match make room, and a restarted program takes its team over.
	late := soccer.Epoch.Add(2 * time.Minute)
	if _, err := l.Enter(late, addressOf(90), &r); err != nil || len(l.Table(late)) != 1 {
		t.Errorf("after two minutes: %v, %d teams", err, len(l.Table(late)))
	}
	if _, err := l.Enter(late, addressOf(90), &r); !errors.Is(err, ErrReplayed) {
		t.Errorf("the same request again: %v", err)
	}
	r.Nonce, r.Count = "restarted", r.Count+1
	if _, err := l.Enter(late.Add(6*time.Second), addressOf(90), &r); err != nil {
		t.Error(err)
	}
}
