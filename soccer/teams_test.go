package soccer_test

import (
	"net/netip"
	"testing"

	"touchline/soccer"
)

func TestMSLTeam(t *testing.T) {
	for id, want := range map[int]string{
		1: "irislab", 39: "CAMBADA", 40: "Carpe Noctem Cassel (CNC)", 53: "NuBot", 56: "VDL Robot Sports",
		63: "Tech United Eindhoven", 74: "ASML Falcons", 75: "RV-Infinity", 100: "Mixed teams", 127: "localhost",
		-1: "", 0: "", 200: "", 256 + 39: "",
	} {
		if got := soccer.MSLTeam(id).Name; got != want {
			t.Errorf("team %d is %q, want %q", id, got, want)
		}
	}
}

// Each row has its own ID and addresses, and names of a length that the referee box accepts.
func TestMSLTeams(t *testing.T) {
	teams := soccer.MSLTeams()
	if len(teams) != 60 {
		t.Fatalf("got %d teams, RefBox 2.1 has 60", len(teams))
	}
	for i, a := range teams {
		if a.ID < 1 || a.ID > 254 || a.Name == "" || a.Short == "" || len(a.Short) > 8 {
			t.Errorf("row %d is %+v", i, a)
		}
		for _, b := range teams[:i] {
			if a.ID <= b.ID || a.BaseStations().Overlaps(b.BaseStations()) {
				t.Errorf("%+v follows %+v: want rising IDs and addresses of its own", a, b)
			}
		}
	}
	teams[0].Name = "changed"
	if got := soccer.MSLTeam(teams[0].ID).Name; got != "irislab" {
		t.Errorf("a change to the returned table renamed a team to %q", got)
	}
}

func TestTeamAddresses(t *testing.T) {
	team := soccer.MSLTeam(39)
	if got, want := team.BaseStations(), netip.MustParsePrefix("172.16.39.0/24"); got != want {
		t.Errorf("base stations at %v, want %v", got, want)
	}
	if got, want := team.Group(), "224.16.32.39"; got != want {
		t.Errorf("group %s, want %s", got, want)
	}
	local := soccer.MSLTeam(127)
	if got, want := local.BaseStations(), netip.MustParsePrefix("127.0.0.0/24"); got != want {
		t.Errorf("base stations at %v, want %v", got, want)
	}
}

// On the referee box's own machine each team has an address that RefBox 2.1 accepts and that names the team.
func TestTeamAt(t *testing.T) {
	teams := soccer.MSLTeams()
	for _, team := range teams {
		if team.ID == 1 {
			continue // 127.0.0.1 is the address of any program
		}
		a := soccer.LoopbackAddress(team.ID)
		if got := soccer.TeamAt(teams, a); got != team {
			t.Errorf("%v is of team %d, want %d", a, got.ID, team.ID)
		}
		if local := soccer.MSLTeam(127); !local.BaseStations().Contains(a) {
			t.Errorf("RefBox 2.1 refuses %v", a)
		}
	}
	for addr, want := range map[string]int{
		"127.0.0.1": 127, "::1": 127, "127.0.0.250": 127, "127.0.39.1": 39, "127.0.250.1": 0, "172.16.63.9": 63,
		"::ffff:172.16.63.9": 63, "192.168.1.4": 1, "10.0.0.1": 0, "fe80::1": 0,
	} {
		if got := soccer.TeamAt(teams, netip.MustParseAddr(addr)).ID; got != want {
			t.Errorf("%s is of team %d, want %d", addr, got, want)
		}
	}
}
