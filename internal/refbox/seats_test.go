package refbox_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// Admissions and releases after the end of a game are in the next game's journal; a finished journal keeps its teams.
func TestReleaseAfterTheEnd(t *testing.T) {
	for _, end := range []game.Decision{{Command: game.SetPart, Part: game.End}, {Command: game.Reset, Force: true}} {
		r, now := playing(t, refbox.DefaultConfig())
		r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
		r.decide(now, end)
		old := len(r.journal)
		r.do(r.box.Connect(now, 7, netip.MustParseAddrPort("172.16.67.1:1")))
		r.do2(r.box.Release(now, game.Home))
		if r.games != 2 || old == 0 {
			t.Fatalf("%s: %d games", end.Command, r.games)
		}
		r.do2(r.box.Release(now, game.Away))
		r.do(r.box.Connect(now, 8, netip.MustParseAddrPort("172.16.67.1:2")))
		r.do2(r.box.Admit(now, 8, game.Home))
		if v := r.box.Show(now); r.games != 2 || v.Part != game.PreGame || v.Home.Goals != 0 || v.Home.ID != 67 {
			t.Errorf("%s: %d games, %+v", end.Command, r.games, v)
		}
		for _, m := range r.logged(game.AdmissionsChannel) {
			if a, err := refbox.ParseAdmission(m.Data); err != nil || a.ID == 39 {
				t.Errorf("%s", m.Data)
			}
		}
		if b := restored(t, refbox.DefaultConfig(), r.box.Began(), r.journal); text(t, b.Admissions()) != text(t,
			r.box.Admissions()) {
			t.Errorf("%+v, restored %+v", r.box.Admissions(), b.Admissions())
		}
	}
	cfg := refbox.DefaultConfig() // a team on a side that had none
	cfg.HomeID = 39
	r := newRig(t, cfg, epoch)
	r.do(r.box.Connect(epoch, 1, stationOf(39, 1)))
	r.decide(epoch, game.Decision{Command: game.SetPart, Part: game.End})
	r.do(r.box.Connect(epoch, 2, stationOf(63, 1)))
	r.do2(r.box.Admit(epoch, 2, game.Away))
	if a := r.logged(game.AdmissionsChannel); r.games != 2 || len(a) != 2 {
		t.Errorf("%d games, %d admissions", r.games, len(a))
	}
}

// A game with an admission is kept, even after the side was released.
func TestUntouched(t *testing.T) {
	r := newRig(t, refbox.DefaultConfig(), epoch)
	r.do(r.box.Connect(epoch, 1, stationOf(39, 1)))
	if !r.box.Untouched() {
		t.Error("no team was admitted yet, but the game counts as touched")
	}
	r.do2(r.box.Admit(epoch, 1, game.Home))
	r.do2(r.box.Release(epoch, game.Home))
	if r.box.Untouched() || restored(t, refbox.DefaultConfig(), epoch, r.journal).Untouched() {
		t.Error("a team was admitted, but the game counts as untouched")
	}
}

// Two connections of one team wait: the admitted one stays, whichever came first.
func TestAdmittedConnectionStays(t *testing.T) {
	r := newRig(t, refbox.DefaultConfig(), epoch)
	for c := range refbox.ConnID(2) {
		r.do(r.box.Connect(epoch, c+1, netip.AddrPortFrom(netip.MustParseAddr("172.16.39.10"), uint16(c+1))))
	}
	r.do2(r.box.Admit(epoch, 2, game.Home))
	r.want(map[refbox.ConnID]string{2: wire("WELCOME 224.16.32.39")})
	if len(r.closed) != 0 {
		t.Errorf("%v", r.closed)
	}
	r.do(r.box.Disconnect(epoch, 2)) // the other one replaces it
	r.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.39"), 2: wire("WELCOME 224.16.32.39")})
}

// While a team is disconnected another laptop may wait, get its side, and is recognised from then on.
func TestSpareLaptop(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.do(r.box.Disconnect(now, 1))
	for i, addr := range []string{"10.0.0.9:1", "172.16.67.1:1"} {
		spare, again := refbox.ConnID(10+2*i), refbox.ConnID(11+2*i)
		r.forget()
		r.do(r.box.Connect(now, spare, netip.MustParseAddrPort(addr)))
		w := r.box.Referee(now).Waiting
		if len(w) != 1 || !slices.Equal(w[0].Sides, []game.Side{game.Home}) {
			t.Fatalf("%s: %+v, %v", addr, w, r.closed)
		}
		if _, err := r.box.Admit(now, spare, game.Away); err == nil {
			t.Error("it got the side of a connected team")
		}
		r.do2(r.box.Admit(now, spare, game.Home))
		b := restored(t, refbox.DefaultConfig(), r.box.Began(), r.journal)
		if e := b.Connect(now, 1, netip.MustParseAddrPort(addr)); len(e.Send) != 1 {
			t.Errorf("%s is not recognised after a restart", addr)
		}
		r.do(r.box.Disconnect(now, spare))
		r.do(r.box.Connect(now, again, netip.MustParseAddrPort(addr)))
		r.want(map[refbox.ConnID]string{spare: wire("WELCOME 224.16.32.39"), again: wire("WELCOME 224.16.32.39")})
		r.do(r.box.Disconnect(now, again))
	}
	r.do(r.box.Connect(now, 30, netip.MustParseAddrPort("10.0.0.10:1")))
	r.do(r.box.Connect(now, 31, netip.MustParseAddrPort("172.16.39.5:1")))
	if r.closed[30] == "" || r.box.Show(now).Home.ID != 39 {
		t.Errorf("%v", r.closed)
	}
}

// A short name is cut between characters, and a team that is not in the table gets an ID that no other team has.
func TestNamesAndNumbers(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.Teams = []soccer.Team{{ID: 9, Name: "Zürich", Short: "abcdeüx"}, {ID: 254, Name: "last", Short: "last"},
		{ID: 252, Name: "b", Short: "b"}}
	cfg.HomeID, cfg.AwayID = 9, 9
	r := newRig(t, cfg, epoch)
	r.do(r.box.Connect(epoch, 1, stationOf(9, 1)))
	r.do(r.box.Connect(epoch, 2, stationOf(9, 2)))
	if v := r.box.Show(epoch).Away; v.Short != "abcde B" {
		t.Errorf("%q", v.Short)
	}
	cfg.HomeID, cfg.AwayID = 0, 0
	r = newRig(t, cfg, epoch)
	r.do(r.box.Connect(epoch, 1, netip.MustParseAddrPort("10.0.0.1:1")))
	r.do(r.box.Connect(epoch, 2, netip.MustParseAddrPort("10.0.0.2:1")))
	r.do2(r.box.Admit(epoch, 1, game.Away))
	r.do2(r.box.Admit(epoch, 2, game.Home))
	if v := r.box.Show(epoch); v.Away.ID != 253 || v.Home.ID != 251 || v.Home.Name != "Team 251" {
		t.Errorf("%+v", v)
	}
}

// Messages read before the team reconnected count until the old connection disconnects.
func TestReplacedConnectionCounts(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	say := func(c refbox.ConnID) int {
		before := len(r.logged(game.HomeChannel))
		r.do(r.box.Receive(now, c, []byte(minimal)))
		return len(r.logged(game.HomeChannel)) - before
	}
	for c := range refbox.ConnID(3) {
		r.do(r.box.Connect(now, 10+c, stationOf(39, uint16(10+c))))
		now = r.tick(now, 2*time.Second)
	}
	for _, c := range []refbox.ConnID{10, 12, 11, 10} {
		if say(c) != 1 {
			t.Errorf("the message of connection %d is lost", c)
		}
	}
	if v := r.box.Teams(now, true); v.Teams[0].Messages != 4 {
		t.Errorf("%+v", v.Teams[0])
	}
	r.do(r.box.Disconnect(now, 10))
	r.do(r.box.Disconnect(now, 12))
	if say(10) != 0 || say(12) != 0 || say(11) != 1 || r.box.Show(now).Home.Connected {
		t.Error("the messages of the wrong connections count")
	}
}
