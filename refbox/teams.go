package refbox

import (
	"fmt"
	"net/netip"
	"strings"
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

// TeamRow is one team of the team table. A base station is known by its address.
type TeamRow struct {
	ID      int          `json:"id"`      // 1 to 254: the last number of its multicast group
	Name    string       `json:"name"`    // 1 to 48 bytes
	Short   string       `json:"short"`   // 1 to 8 bytes
	Address netip.Prefix `json:"address"` // of its base station; the zero value is 172.16.ID.0/24
}

// Group returns the multicast group that names the team on the wire (facts msl 1.5).
func (t *TeamRow) Group() string { return fmt.Sprintf("224.16.32.%d", t.ID) }

// Prefix returns the addresses of the team's base stations.
func (t *TeamRow) Prefix() netip.Prefix {
	if t.Address.IsValid() {
		return t.Address
	}
	return prefix(172, 16, byte(t.ID))
}

func prefix(a, b, c byte) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, 0}), 24)
}

// teamAt returns the team whose base station has an address; ID 0 is nobody of the table. For trying out on one machine
// 127.0.T.* is team T, too, and ::1 is 127.0.0.1, which is the team LOCALHOST as the RefBox has it.
func teamAt(teams []TeamRow, a netip.Addr) TeamRow {
	a = a.Unmap()
	if a == netip.IPv6Loopback() {
		a = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	for i := range teams {
		if teams[i].Prefix().Contains(a) {
			return teams[i]
		}
	}
	if b := a.As16(); a.Is4() && b[12] == 127 && b[13] == 0 {
		return teamOf(teams, int(b[14]))
	}
	return TeamRow{}
}

// teamOf returns the team of an id; ID 0 if the table does not have it.
func teamOf(teams []TeamRow, id int) TeamRow {
	for i := range teams {
		if teams[i].ID == id {
			return teams[i]
		}
	}
	return TeamRow{}
}

// PrintTeams returns a team table as ParseTeams reads it.
func PrintTeams(teams []TeamRow) string {
	var s strings.Builder
	s.WriteString("[\n")
	for i := range teams {
		t := &teams[i]
		fmt.Fprintf(&s, "  {\"id\": %d, \"name\": %s, \"short\": %s, \"address\": \"%s\"}", t.ID, quoted(t.Name), quoted(t.Short), t.Prefix())
		if i < len(teams)-1 {
			s.WriteByte(',')
		}
		s.WriteByte('\n')
	}
	s.WriteString("]\n")
	return s.String()
}

// LeagueTeams returns the league's 60 teams as the RefBox 2.1 has them (facts msl 1.5). Short names end without blanks.
func LeagueTeams() []TeamRow {
	return []TeamRow{
		{ID: 1, Name: "irislab", Short: "test", Address: prefix(192, 168, 1)},
		{ID: 32, Name: "Organization", Short: "Organiza"},
		{ID: 33, Name: "5DPO", Short: "5DPO"},
		{ID: 34, Name: "AIS/BIT Robots", Short: "AIS/BIT"},
		{ID: 35, Name: "AllemaniACs", Short: "Allemani"},
		{ID: 36, Name: "Team Aros", Short: "Team Aro"},
		{ID: 37, Name: "Attempto Tubingen", Short: "Attempto"},
		{ID: 38, Name: "Brainstormers Tribots", Short: "Brainsto"},
		{ID: 39, Name: "CAMBADA", Short: "CAMBADA"},
		{ID: 40, Name: "Carpe Noctem Cassel (CNC)", Short: "Carpe No"},
		{ID: 41, Name: "RFC Stuttgart", Short: "RFC Stut"},
		{ID: 42, Name: "EIGEN", Short: "EIGEN"},
		{ID: 43, Name: "FU-Fighters", Short: "FU-Fight"},
		{ID: 44, Name: "Hibikino-Musashi", Short: "Hibikino"},
		{ID: 45, Name: "ISePorto", Short: "ISePorto"},
		{ID: 46, Name: "SocRob", Short: "SocRob"},
		{ID: 47, Name: "Jiao Long", Short: "Jiao Lon"},
		{ID: 48, Name: "Khorasgan University", Short: "Khorasga"},
		{ID: 49, Name: "MINHO", Short: "MINHO"},
		{ID: 50, Name: "Mostly Harmless", Short: "Mostly H"},
		{ID: 51, Name: "MRL", Short: "MRL"},
		{ID: 52, Name: "MRT - Milan Robocup Team", Short: "MRT - Mi"},
		{ID: 53, Name: "NuBot", Short: "NuBot"},
		{ID: 54, Name: "Paderkicker", Short: "Paderkic"},
		{ID: 55, Name: "Persian Gulf (IAUT)", Short: "Persian"},
		{ID: 56, Name: "VDL Robot Sports", Short: "VDL Robo"},
		{ID: 57, Name: "The Orient", Short: "The Orie"},
		{ID: 58, Name: "Osaka University Trackies", Short: "Osaka Un"},
		{ID: 59, Name: "Robofoot EPM", Short: "Robofoot"},
		{ID: 60, Name: "Satrap", Short: "Satrap"},
		{ID: 61, Name: "Smoking Jays", Short: "Smoking"},
		{ID: 62, Name: "Su-Spada", Short: "Su-Spada"},
		{ID: 63, Name: "Tech United Eindhoven", Short: "TU/e"},
		{ID: 64, Name: "TKU-ITRI", Short: "TKU-ITRI"},
		{ID: 65, Name: "Ulm Sparrows", Short: "Ulm Spar"},
		{ID: 66, Name: "WinKIT", Short: "WinKIT"},
		{ID: 67, Name: "Water", Short: "Water"},
		{ID: 68, Name: "Adro", Short: "Adro"},
		{ID: 69, Name: "Endeavor", Short: "Endeavor"},
		{ID: 70, Name: "Hong Kong Dragons", Short: "Hong Kon"},
		{ID: 71, Name: "MU Penguins", Short: "MU Pengu"},
		{ID: 72, Name: "Strive-Legends", Short: "Strive-L"},
		{ID: 73, Name: "ROBIT", Short: "ROBIT"},
		{ID: 74, Name: "ASML Falcons", Short: "Falcons"},
		{ID: 75, Name: "RV-Infinity", Short: "Infinity"},
		{ID: 76, Name: "ARES", Short: "ARES"},
		{ID: 77, Name: "Lushan", Short: "Lushan"},
		{ID: 78, Name: "CS Rob", Short: "CS Rob"},
		{ID: 79, Name: "Robot Club Toulonnais", Short: "RCToulon"},
		{ID: 80, Name: "IRIS", Short: "IRIS"},
		{ID: 81, Name: "Barelang 64", Short: "Barelang"},
		{ID: 82, Name: "ERSOW", Short: "ERSOW"},
		{ID: 83, Name: "ICRS FC", Short: "ICRS FC"},
		{ID: 84, Name: "UM Croatia", Short: "UMC"},
		{ID: 85, Name: "ERA", Short: "ERA"},
		{ID: 86, Name: "BigHeroX", Short: "BigHeroX"},
		{ID: 87, Name: "n.a.", Short: "n.a."},
		{ID: 88, Name: "n.a.", Short: "n.a."},
		{ID: 100, Name: "Mixed teams", Short: "Mixed te"},
		{ID: 127, Name: "localhost", Short: "local", Address: prefix(127, 0, 0)},
	}
}
