package refbox

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/soccer"
)

const (
	minTeamID = 1 // the last octet of the team's multicast group
	maxTeamID = 254
	maxTeams  = 254
	maxName   = 48 // bytes; the longest name of the league's table has 25
	maxShort  = 8  // bytes (RefBox 2.1)
)

// freeGroup is the targetTeam of a side without a team, as RefBox 2.1 sends it.
const freeGroup = "224.16.32.0"

// groups are the multicast groups of the league's teams.
var groups = netip.MustParsePrefix("224.16.32.0/24")

// TeamByID returns the team of an ID, or the zero Team if the table does not have it.
func TeamByID(teams []soccer.Team, id int) soccer.Team {
	for i := range teams {
		if teams[i].ID == id {
			return teams[i]
		}
	}
	return soccer.Team{}
}

// PrintTeams returns a team table in the format of ParseTeams.
func PrintTeams(teams []soccer.Team) string {
	var s strings.Builder
	s.WriteString("[\n")
	for i := range teams {
		t := &teams[i]
		fmt.Fprintf(&s, "  {\"id\": %d, \"name\": %s, \"short\": %s, \"address\": \"%s\"}", t.ID, quoted(t.Name),
			quoted(t.Short), t.BaseStations())
		if i < len(teams)-1 {
			s.WriteByte(',')
		}
		s.WriteByte('\n')
	}
	s.WriteString("]\n")
	return s.String()
}

// ParseTeams reads a team table: a JSON list of objects with "id", "name", "short" and, unless it is 172.16.id.0/24,
// "address". PrintTeams prints one. It also reads the RefBox's own msl_teams.json. An unknown, repeated or out-of-range
// key, and an id or address that two teams have, is an error with its line.
func ParseTeams(b []byte) ([]soccer.Team, error) {
	p, err := newFileParser(b, "teams")
	if err != nil {
		return nil, err
	}
	teams, err := p.teams()
	if err != nil {
		return nil, p.at(err)
	}
	return teams, nil
}

// teams reads the whole list.
func (p *fileParser) teams() ([]soccer.Team, error) {
	if err := p.begin('[', "want a JSON list of teams, as --print-teams prints it"); err != nil {
		return nil, err
	}
	var teams []soccer.Team
	for p.dec.PeekKind() != ']' {
		team, err := p.team()
		if err == nil {
			err = clash(&team, teams)
		}
		if err != nil {
			return nil, err
		}
		teams = append(teams, team)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	if len(teams) < 2 {
		return nil, fmt.Errorf("the table has %d teams; a game needs 2", len(teams))
	}
	return teams, nil
}

// team reads one team.
func (p *fileParser) team() (soccer.Team, error) {
	var team soccer.Team
	if kind := p.dec.PeekKind(); kind != '{' {
		if _, err := p.dec.ReadToken(); err != nil {
			return team, err
		}
	}
	err := p.object("a team is an object, as --print-teams prints it", func(key string, value jsontext.Value) error {
		return setTeam(&team, key, value)
	})
	switch {
	case err != nil:
	case team.ID == 0:
		err = errors.New(`key "id" is missing`)
	case team.Name == "":
		err = errors.New(`key "name" is missing`)
	case team.Short == "":
		err = errors.New(`key "short" is missing`)
	}
	return team, err
}

// setTeam sets one key of a team. The alternative names are those of msl_teams.json (RefBox 2.1).
func setTeam(t *soccer.Team, key string, value jsontext.Value) error {
	text, isText := text(value)
	switch key {
	case "id":
		n, err := wholeNumber(value, minTeamID, maxTeamID)
		t.ID = n
		return err
	case "MulticastAddr":
		a, err := netip.ParseAddr(text)
		if err != nil || !groups.Contains(a) || a.As4()[3] < minTeamID || a.As4()[3] > maxTeamID {
			return fmt.Errorf("takes a group from 224.16.32.%d to 224.16.32.%d, not %.40q", minTeamID, maxTeamID, text)
		}
		t.ID = int(a.As4()[3])
	case "name", "Team":
		if !isText || !printable(text, maxName) {
			return fmt.Errorf("takes a text of 1 to %d bytes", maxName)
		}
		t.Name = text
	case "short", "shortname8":
		if text = strings.TrimRight(text, " "); !isText || !printable(text, maxShort) {
			return fmt.Errorf("takes a text of 1 to %d bytes", maxShort)
		}
		t.Short = text
	case "address", "UnicastAddr":
		if start, ok := strings.CutSuffix(text, ".*"); ok {
			text = start + ".0/24"
		}
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() || p.Bits() < 8 {
			return fmt.Errorf("takes addresses like 172.16.39.0/24, not %.40q", text)
		}
		t.Network = p
	case "longame24": // repeats the name, shortened
	default:
		return errors.New(`is not known: the keys are "id", "name", "short" and "address"`)
	}
	return nil
}

// printable reports whether a text has 1 to most bytes and fits into a line.
func printable(s string, most int) bool {
	return s != "" && len(s) <= most && strings.TrimSpace(s) == s && !strings.ContainsFunc(s,
		func(r rune) bool { return !unicode.IsPrint(r) })
}

// clash returns an error if a team has the id or the addresses of another one.
func clash(t *soccer.Team, teams []soccer.Team) error {
	if len(teams) == maxTeams {
		return fmt.Errorf("the table has more than %d teams", maxTeams)
	}
	for i := range teams {
		switch o := &teams[i]; {
		case o.ID == t.ID:
			return fmt.Errorf("id %d belongs to %s already", t.ID, o.Name)
		case o.BaseStations().Overlaps(t.BaseStations()):
			return fmt.Errorf("the addresses %v overlap those of %s, %v", t.BaseStations(), o.Name, o.BaseStations())
		}
	}
	return nil
}
