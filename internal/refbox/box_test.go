package refbox_test

import (
	"net/netip"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// stationOf returns the address of a team's base station on this machine.
func stationOf(team byte, port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, team, 1}), port)
}

// The simple path: two expected teams connect, the referee decides, both receive the command, and one sends a worldstate.
func TestBoxSimplePath(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.HomeID, cfg.AwayID = 39, 63
	b := refbox.New(cfg, soccer.Epoch)
	now := soccer.Epoch.Add(time.Second)
	e := b.Connect(now, 1, stationOf(39, 1000))
	if len(e.Send) != 1 || string(e.Send[0].Data) != "{\n  \"command\": \"WELCOME\",\n  \"targetTeam\": \"224.16.32.39\"\n}\x00" {
		t.Fatalf("%+v", e.Send)
	}
	if e = b.Connect(now, 2, stationOf(63, 1000)); len(e.Send) != 1 {
		t.Fatalf("%+v", e.Send)
	}
	out, e, err := b.Decide(now, game.Decision{Command: game.KickOff, Side: game.Away})
	if err != nil || len(out.Messages) != 1 || len(e.Send) != 2 || !e.Sync {
		t.Fatalf("%+v %+v %v", out, e, err)
	}
	if want := "{\n  \"command\": \"KICKOFF\",\n  \"targetTeam\": \"224.16.32.63\"\n}\x00"; string(e.Send[0].Data) != want || string(e.Send[1].Data) != want {
		t.Fatalf("%+v", e.Send)
	}
	e = b.Receive(now.Add(20*time.Millisecond), 1, []byte(`{"type":"worldstate","teamName":"CAMBADA","robots":[{"id":7}],"ageMs":15}`))
	if len(e.Log) != 1 || e.Log[0].Channel != "home" || e.Log[0].Time.Sub(e.Log[0].Published) != 15*time.Millisecond {
		t.Fatalf("%+v", e.Log)
	}
	if v := b.Show(now.Add(30 * time.Millisecond)); !v.Home.Connected || v.Home.Robots[0].Number != 7 ||
		v.Last != "kick-off TU/e" {
		t.Errorf("%+v", v)
	}
	b.Referee(now)
	b.Teams(now, true)
	t.Logf("%s", b.Score(now))
}
