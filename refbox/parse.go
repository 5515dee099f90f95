package refbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"touchline/game"
	"touchline/soccer"

	"github.com/go-json-experiment/json/jsontext"
)

// mostJSON is the longest text of rules or of a decision that is read, in bytes.
const mostJSON = 64 << 10

// ParseDecision reads one decision as json.Marshal writes it. It refuses what Decision has no field for, and another
// version; what a game refuses, Apply does.
func ParseDecision(b []byte) (game.Decision, error) {
	var d game.Decision
	if err := parseOne(b, "decision", &d); err != nil {
		return game.Decision{}, err
	}
	if d.Version != 0 && d.Version != game.Version {
		return game.Decision{}, fmt.Errorf("refbox: decision of version %d: this program knows %d", d.Version, game.Version)
	}
	return d, nil
}

// ParseAdmission reads one admission as the journal has it. It refuses what Admission has no field for; RestoreBox
// looks at the rest.
func ParseAdmission(b []byte) (Admission, error) {
	var a Admission
	if err := parseOne(b, "admission", &a); err != nil {
		return Admission{}, err
	}
	return a, nil
}

// parseOne reads one JSON object with the keys of v, each once and in small letters.
func parseOne(b []byte, what string, v any) error {
	if len(b) > mostJSON {
		return fmt.Errorf("refbox: %s of %d bytes: %d are the most", what, len(b), mostJSON)
	}
	// encoding/json takes keys that come twice, or in other letters.
	strict := jsontext.NewDecoder(bytes.NewReader(b))
	for {
		t, err := strict.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("refbox: %s: %w", what, err)
		}
		_, n := strict.StackIndex(strict.StackDepth())
		if key := strict.StackDepth() > 0 && t.Kind() == '"' && n%2 == 1; key && strings.ContainsFunc(t.String(), func(r rune) bool { return r < 'a' || r > 'z' }) {
			return fmt.Errorf("refbox: %s: unknown key %.40q", what, t.String())
		}
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("refbox: %s: %w", what, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("refbox: %s: something follows it: one JSON object is one %s", what, what)
	}
	return nil
}

// ParseRules reads a file of rules: one JSON object of Rules' keys. A key that is not given keeps its default; one that is
// unknown, given twice or out of range is an error with its line.
func ParseRules(b []byte) (game.Rules, error) {
	r := game.DefaultRules()
	if len(b) > mostJSON {
		return game.Rules{}, fmt.Errorf("refbox: rules of %d bytes: %d are the most", len(b), mostJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	fail := func(format string, args ...any) (game.Rules, error) {
		line := 1 + bytes.Count(b[:dec.InputOffset()], []byte{'\n'})
		return game.Rules{}, fmt.Errorf("refbox: rules, line %d: %w", line, fmt.Errorf(format, args...))
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fail("one JSON object is expected, as --print-rules shows it")
	}
	given := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return fail("%w", err)
		}
		key := t.(string) // a decoder gives nothing else here
		if given[key] {
			return fail("key %q is given twice", key)
		}
		given[key] = true
		if t, err = dec.Token(); err != nil {
			return fail("key %q: %w", key, err)
		}
		if why := setRule(&r, key, t); why != "" {
			return fail("key %q %s", key, why)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fail("%w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fail("something follows the object")
	}
	if r.LeastRobots > r.Robots {
		return fail("keys \"leastRobots\" and \"robots\": %d are to stay of %d", r.LeastRobots, r.Robots)
	}
	return r, nil
}

// set sets one key of the rules, or says why not.
func setRule(r *game.Rules, key string, value json.Token) string {
	if key == "name" {
		name, ok := value.(string)
		if !ok || name == "" || len(name) > 80 {
			return "takes a text of 1 to 80 bytes"
		}
		r.Name = name
		return ""
	}
	for _, f := range [...]struct {
		key         string
		to          *int
		least, most int
	}{
		{"halfSeconds", &r.HalfSeconds, 1, 7200},
		{"halfTimeSeconds", &r.HalfTimeSeconds, 1, 7200},
		{"overtimeSeconds", &r.OvertimeSeconds, 1, 7200},
		{"repairSeconds", &r.RepairSeconds, 1, 7200},
		{"doubleYellowSeconds", &r.DoubleYellowSeconds, 1, 7200},
		{"setPieceSeconds", &r.SetPieceSeconds, 1, 600},
		{"substitutionSeconds", &r.SubstitutionSeconds, 1, 600},
		{"substitutions", &r.Substitutions, 0, 99},
		{"robots", &r.Robots, 1, 11},
		{"leastRobots", &r.LeastRobots, 0, 11},
	} {
		if f.key != key {
			continue
		}
		n, _ := value.(json.Number)
		v, err := n.Int64()
		if err != nil || v < int64(f.least) || v > int64(f.most) {
			return fmt.Sprintf("takes a whole number from %d to %d, not %v", f.least, f.most, value)
		}
		*f.to = int(v)
		return ""
	}
	return "is not known: the keys are those that --print-rules shows"
}

// PrintRules returns rules as ParseRules reads them.
func PrintRules(r game.Rules) string {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // texts and whole numbers
	}
	return string(b) + "\n"
}

// ParseTeams reads a team table: a JSON list of objects with "id", "name", "short" and, where it is not
// 172.16.id.0/24, "address"; PrintTeams shows one. The RefBox's own msl_teams.json is read, too. A key that is unknown,
// given twice or out of range, an id or an address that two teams have, is an error with its line.
func ParseTeams(b []byte) ([]soccer.Team, error) {
	if len(b) > mostJSON {
		return nil, fmt.Errorf("refbox: teams of %d bytes: %d are the most", len(b), mostJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	fail := func(format string, args ...any) ([]soccer.Team, error) {
		line := 1 + bytes.Count(b[:dec.InputOffset()], []byte{'\n'})
		return nil, fmt.Errorf("refbox: teams, line %d: %w", line, fmt.Errorf(format, args...))
	}
	if !utf8.Valid(b) {
		return fail("the file is no UTF-8")
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return fail("a JSON list of teams is expected, as --print-teams shows it")
	}
	var teams []soccer.Team
	for dec.More() {
		row, why := parseTeam(dec)
		if why == "" {
			why = clash(&row, teams)
		}
		if why != "" {
			return fail("%s", why)
		}
		teams = append(teams, row)
	}
	if _, err := dec.Token(); err != nil {
		return fail("%w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fail("something follows the list")
	}
	if len(teams) < 2 {
		return fail("%d teams: two are needed for a game", len(teams))
	}
	return teams, nil
}

// parseTeam reads one team, or says what is wrong with it.
func parseTeam(dec *json.Decoder) (row soccer.Team, why string) {
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return row, "a team is an object, as --print-teams shows it"
	}
	given := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return row, err.Error()
		}
		key := t.(string) // a decoder gives nothing else here
		if given[key] {
			return row, fmt.Sprintf("key %q is given twice", key)
		}
		given[key] = true
		if t, err = dec.Token(); err != nil {
			return row, fmt.Sprintf("key %q: %v", key, err)
		}
		if why := setTeam(&row, key, t); why != "" {
			return row, fmt.Sprintf("key %q %s", key, why)
		}
	}
	if _, err := dec.Token(); err != nil {
		return row, err.Error()
	}
	switch {
	case row.ID == 0:
		return row, `key "id" is missing`
	case row.Name == "":
		return row, `key "name" is missing`
	case row.Short == "":
		return row, `key "short" is missing`
	}
	return row, ""
}

// setTeam sets one key of a team, or says why not. The names behind those of ours are the RefBox's (facts msl 1.5).
func setTeam(t *soccer.Team, key string, value json.Token) string {
	text, isText := value.(string)
	switch key {
	case "id":
		n, _ := value.(json.Number)
		v, err := n.Int64()
		if err != nil || v < leastTeamID || v > mostTeamID {
			return fmt.Sprintf("takes a whole number from %d to %d, not %v", leastTeamID, mostTeamID, value)
		}
		t.ID = int(v)
	case "MulticastAddr":
		a, err := netip.ParseAddr(text)
		if err != nil || !a.Is4() || !prefix(224, 16, 32).Contains(a) || a.As4()[3] < leastTeamID || a.As4()[3] > mostTeamID {
			return fmt.Sprintf("takes a group from 224.16.32.%d to 224.16.32.%d, not %.40q", leastTeamID, mostTeamID, text)
		}
		t.ID = int(a.As4()[3])
	case "name", "Team":
		if !isText || !printable(text, mostName) {
			return fmt.Sprintf("takes a text of 1 to %d bytes", mostName)
		}
		t.Name = text
	case "short", "shortname8":
		if text = strings.TrimRight(text, " "); !isText || !printable(text, mostShort) {
			return fmt.Sprintf("takes a text of 1 to %d bytes", mostShort)
		}
		t.Short = text
	case "address", "UnicastAddr":
		if start, ok := strings.CutSuffix(text, ".*"); ok {
			text = start + ".0/24"
		}
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() || p.Bits() < 8 {
			return fmt.Sprintf("takes addresses like 172.16.39.0/24, not %.40q", text)
		}
		t.Network = p
	case "longame24": // the name once more, cut
	default:
		return `is not known: the keys are "id", "name", "short" and "address"`
	}
	return ""
}

// printable reports whether a text of 1 to most bytes can be shown in a line.
func printable(s string, most int) bool {
	return s != "" && len(s) <= most && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// clash says what t has that another one has; "" if nothing.
func clash(t *soccer.Team, teams []soccer.Team) string {
	if len(teams) == mostTeams {
		return fmt.Sprintf("more than %d teams", mostTeams)
	}
	for i := range teams {
		switch o := &teams[i]; {
		case o.ID == t.ID:
			return fmt.Sprintf("id %d is that of %s already", t.ID, o.Name)
		case o.BaseStations().Overlaps(t.BaseStations()):
			return fmt.Sprintf("the addresses %v are also those of %s, %v", t.BaseStations(), o.Name, o.BaseStations())
		}
	}
	return ""
}

// journalJSON returns a decision, an admission or a state as the journal holds it.
func journalJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types hold nothing that JSON has not
	}
	return b
}
