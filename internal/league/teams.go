package league

import "fmt"

// hslTeams are the names of the teams by their numbers (HSL GameController, config/teams.yaml).
var hslTeams = map[uint8]string{
	0: "Invisibles", 3: "Bembelbots", 4: "Berlin United", 5: "B-Human", 6: "Hamburg Bit-Bots", 8: "whIRLwind Amsterdam",
	9: "WF Wolves", 12: "Ruhrbot Devils", 14: "HTWK Robots", 17: "ZJUDancer", 19: "SPQR", 24: "HULKs", 50: "R-ZWEI KICKERS",
	70: "B-Team",
}

// HSLTeam returns the name of a team of the Humanoid Soccer League, "team 99" for a number without one.
func HSLTeam(number uint8) string {
	if name, ok := hslTeams[number]; ok {
		return name
	}
	return fmt.Sprintf("team %d", number)
}
