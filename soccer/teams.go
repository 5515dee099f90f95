package soccer

import (
	"fmt"
	"net/netip"
	"slices"
)

// Team is one team of the Middle Size League. Its ID is the last octet of the multicast group that the league assigned
// to it. Commands of the referee box name a team by this group, mixed team packages by the octet, as original_team_id.
type Team struct {
	ID      int          // 1 to 254
	Name    string       // name that the referee box shows
	Short   string       // at most 8 bytes; part of the names of log files
	Network netip.Prefix // addresses of its base stations; the zero Prefix means 172.16.ID.0/24
}

// Group returns the team's multicast group, "224.16.32.39" for team 39.
func (t *Team) Group() string { return fmt.Sprintf("224.16.32.%d", t.ID) }

// BaseStations returns the addresses of the team's base stations: Network, or 172.16.ID.0/24 where Network is zero.
func (t *Team) BaseStations() netip.Prefix {
	if t.Network.IsValid() {
		return t.Network
	}
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16, byte(t.ID), 0}), 24)
}

// MSLTeams returns a copy of the league's team table, ordered by ID: the 60 teams that RefBox 2.1 ships in its file
// msl_teams.json, with short names trimmed of padding. Teams also go by other names: the participants of the practical
// session of 2014 (package match) have the names of its announcement and refer to this table by ID.
func MSLTeams() []Team { return slices.Clone(mslTeams) }

// MSLTeam returns the team of MSLTeams with this ID, or the zero Team if there is none.
func MSLTeam(id int) Team {
	for i := range mslTeams {
		if mslTeams[i].ID == id {
			return mslTeams[i]
		}
	}
	return Team{}
}

// TeamAt returns the team of a table whose base stations include an address, or the zero Team. For base stations on the
// referee box's own machine 127.0.0.T (see LoopbackAddress) and 127.0.T.* are team T of the table, too, and ::1 is
// 127.0.0.1, RefBox 2.1's team "localhost".
func TeamAt(teams []Team, a netip.Addr) Team {
	a = a.Unmap()
	if a == netip.IPv6Loopback() {
		a = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	if b := a.As16(); a.Is4() && b[12] == 127 && b[13] == 0 {
		id := int(b[14]) // 127.0.T.*
		if id == 0 && b[15] != 1 {
			id = int(b[15]) // 127.0.0.T; 127.0.0.1 is the address of any program
		}
		if i := slices.IndexFunc(teams, func(t Team) bool { return t.ID == id }); i >= 0 {
			return teams[i]
		}
	}
	i := slices.IndexFunc(teams, func(t Team) bool { return t.BaseStations().Contains(a) })
	if i < 0 {
		return Team{}
	}
	return teams[i]
}

// LoopbackAddress returns 127.0.0.T, the address from which the base station of team T connects to a referee box on its
// own machine. RefBox 2.1 admits all of 127.0.0.* as its team "localhost"; it refuses 127.0.T.1, and sends RESET to the
// teams of its game.
func LoopbackAddress(id int) netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, byte(id)}) }

// mslTeams is the table of RefBox 2.1. Two rows, 87 and 88, are reserved there without a team.
var mslTeams = []Team{
	{ID: 1, Name: "irislab", Short: "test", Network: netip.MustParsePrefix("192.168.1.0/24")},
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
	{ID: 127, Name: "localhost", Short: "local", Network: netip.MustParsePrefix("127.0.0.0/24")},
}
