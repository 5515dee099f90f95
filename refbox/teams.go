package refbox

import (
	"fmt"
	"net/netip"
	"strings"

	"touchline/soccer"
)

const (
	leastTeamID = 1 // the last number of the team's multicast group
	mostTeamID  = 254
	mostTeams   = 254
	mostName    = 48 // bytes; the longest of the league's table has 25
	mostShort   = 8  // bytes (facts msl 1.5)
)

// nobodysGroup is the targetTeam of a side that nobody has had, as the RefBox 2.1 sends it (facts msl 1.2).
const nobodysGroup = "224.16.32.0"

func prefix(a, b, c byte) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, 0}), 24)
}

// teamAt returns the team whose base station has an address; ID 0 is nobody of the table. For trying out on one machine
// 127.0.T.* is team T, too, and ::1 is 127.0.0.1, which is the team LOCALHOST as the RefBox has it.
func teamAt(teams []soccer.Team, a netip.Addr) soccer.Team {
	a = a.Unmap()
	if a == netip.IPv6Loopback() {
		a = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	for i := range teams {
		if teams[i].BaseStations().Contains(a) {
			return teams[i]
		}
	}
	if b := a.As16(); a.Is4() && b[12] == 127 && b[13] == 0 {
		return teamOf(teams, int(b[14]))
	}
	return soccer.Team{}
}

// teamOf returns the team of an id; ID 0 if the table does not have it.
func teamOf(teams []soccer.Team, id int) soccer.Team {
	for i := range teams {
		if teams[i].ID == id {
			return teams[i]
		}
	}
	return soccer.Team{}
}

// PrintTeams returns a team table as ParseTeams reads it.
func PrintTeams(teams []soccer.Team) string {
	var s strings.Builder
	s.WriteString("[\n")
	for i := range teams {
		t := &teams[i]
		fmt.Fprintf(&s, "  {\"id\": %d, \"name\": %s, \"short\": %s, \"address\": \"%s\"}", t.ID, quoted(t.Name), quoted(t.Short), t.BaseStations())
		if i < len(teams)-1 {
			s.WriteByte(',')
		}
		s.WriteByte('\n')
	}
	s.WriteString("]\n")
	return s.String()
}
