package refbox_test

import (
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// The table is that of the RefBox, whose file is read unchanged.
func TestLeagueTeams(t *testing.T) {
	ours := soccer.MSLTeams()
	if back, err := refbox.ParseTeams([]byte(refbox.PrintTeams(ours))); err != nil || len(back) != 60 ||
		refbox.PrintTeams(back) != refbox.PrintTeams(ours) {
		t.Fatalf("%d teams, %v", len(back), err)
	}
	b, err := os.ReadFile(wiretest.Data(t, "msl_teams.json"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := refbox.ParseTeams(b)
	if err != nil {
		t.Fatal(err)
	}
	by := map[int]soccer.Team{}
	for _, row := range theirs {
		by[row.ID] = row
	}
	for _, row := range ours {
		row.Network = row.BaseStations()
		if !reflect.DeepEqual(by[row.ID], row) {
			t.Errorf("%+v, the RefBox has %+v", row, by[row.ID])
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d teams, the RefBox has %d", len(ours), len(theirs))
	}
}

// TestAddresses checks the team of an address.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		addr string
		id   int
		name string
	}{
		{"172.16.39.10", 39, "CAMBADA"}, {"::ffff:172.16.39.10", 39, "CAMBADA"}, {"172.16.100.3", 100, "Mixed teams"},
		{"127.0.39.1", 39, "CAMBADA"}, {"127.0.0.1", 127, "localhost"}, {"::1", 127, "localhost"},
		{"127.0.127.1", 127, "localhost"}, {"127.0.0.39", 39, "CAMBADA"}, {"127.0.0.2", 127, "localhost"},
		{"192.168.1.7", 1, "irislab"}, {"127.0.1.1", 1, "irislab"},
		{"172.16.1.2", 0, "unknown"}, {"127.0.200.1", 0, "unknown"}, {"127.1.39.1", 0, "unknown"},
		{"192.168.2.1", 0, "unknown"}, {"fe80::1", 0, "unknown"},
	} {
		r := newRig(t, refbox.DefaultConfig(), epoch)
		r.do(r.box.Connect(epoch, 1, netip.AddrPortFrom(netip.MustParseAddr(c.addr), 1)))
		if w := r.box.Referee(epoch).Waiting; len(w) != 1 || w[0].ID != c.id || w[0].Name != c.name {
			t.Errorf("%s: %+v", c.addr, w)
		}
	}
}

func TestParseTeams(t *testing.T) {
	two := func(s string) string {
		return "[\n" + `{"id": 39, "name": "CAMBADA", "short": "CAMBADA"},` + "\n" + s + "\n]"
	}
	teams, err := refbox.ParseTeams([]byte(two(`{"id": 7, "name": "Seven", "short": "7", "address": "10.7.0.0/16"}`)))
	if err != nil || len(teams) != 2 || teams[1].BaseStations() != netip.MustParsePrefix("10.7.0.0/16") ||
		teams[0].BaseStations() != netip.MustParsePrefix("172.16.39.0/24") || teams[1].Group() != "224.16.32.7" {
		t.Errorf("%+v %v", teams, err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "line 1: want a JSON list of teams"},
		{`{"id": 39}`, "line 1: want a JSON list"},
		{"[]", "the table has 0 teams"},
		{two(`{"id": 39, "name": "X", "short": "X"}`), "line 3: id 39 belongs to CAMBADA already"},
		{two(`{"id": 40, "name": "X", "short": "X", "address": "172.16.0.0/16"}`), "line 3: the addresses 172.16.0.0/16 overlap those of CAMBADA"},
		{two(`{"id": 40, "name": "X", "short": "X", "address": "172.16.40.1/24"}`), `key "address" takes addresses like`},
		{two(`{"id": 40, "name": "X", "short": "X", "address": "0.0.0.0/0"}`), `key "address" takes addresses like`},
		{two(`{"id": 40, "name": "X", "short": "nine bytes"}`), `line 3: key "short" takes a text of 1 to 8 bytes`},
		{two(`{"id": 40, "name": "X\nY", "short": "X"}`), `line 3: key "name" takes a text`},
		{two(`{"id": 40, "name": 5, "short": "X"}`), `line 3: key "name" takes a text`},
		{two(`{"id": 40.5, "name": "X", "short": "X"}`), `key "id" takes a whole number from 1 to 254, not 40.5`},
		{two(`{"id": "40", "name": "X", "short": "X"}`), `key "id" takes a whole number`},
		{two(`{"id": 255, "name": "X", "short": "X"}`), `key "id" takes a whole number`},
		{two(`{"id": 40, "name": "X"}`), `line 3: key "short" is missing`},
		{two(`{"id": 40, "name": "X", "short": "X", "colour": "red"}`), `key "colour" is not known`},
		{two(`{"id": 40, "id": 41, "name": "X", "short": "X"}`), `key "id" is given twice`},
		{two(`{"id": 40, "name": "X", "short": "X"},`), "line 3: invalid character"},
		{two(`{"id": 40, "name": "X", "short": ["X"]}`), `key "short" takes`},
		{two(`{"id": 40, "name": "X", "short": "X"}`) + "x", "something follows"},
		{two(`{"id": 40, "name": "X", "short": "X`), "line 3"},
		{two(`{"id": 40, "name": "` + "\xff"), "line 3: invalid UTF-8"},
		{two(`{"MulticastAddr": "224.16.33.40", "Team": "X", "shortname8": "X"}`), `key "MulticastAddr" takes a group`},
		{strings.Repeat(" ", 70000), "the limit is 65536"},
	} {
		if _, err := refbox.ParseTeams([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestPrintRules(t *testing.T) {
	if back, err := refbox.ParseRules([]byte(refbox.PrintRules(game.DefaultRules()))); err != nil ||
		back != game.DefaultRules() {
		t.Errorf("%+v %v", back, err)
	}
}

// Every file of teams is refused, or can be printed and read again.
func FuzzParseTeams(f *testing.F) {
	f.Add([]byte(refbox.PrintTeams(soccer.MSLTeams()[:3])))
	f.Add([]byte(`[{"UnicastAddr": "127.0.0.*", "MulticastAddr": "224.16.32.127", "Team": "localhost", "longame24": "x", "shortname8": "local"}, {"id":1,"name":"é","short":"é"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		teams, err := refbox.ParseTeams(b)
		if err != nil {
			return
		}
		back, err := refbox.ParseTeams([]byte(refbox.PrintTeams(teams)))
		if err != nil || refbox.PrintTeams(back) != refbox.PrintTeams(teams) {
			t.Fatalf("%v: %+v, %+v", err, teams, back)
		}
	})
}
