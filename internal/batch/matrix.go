package batch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"

	"touchline/internal/bounded"
	"touchline/internal/match"
	"touchline/transport/traffic"
)

// Bounds of a matrix.
const (
	maxMatrix = 256 << 10 // bytes of its text
	MaxJobs   = 1_000_000
	maxTeams  = 64
	maxSets   = 32 // networks, and sets of faults
	maxFaults = 16 // of a set
	maxName   = 80 // bytes
)

// Matrix says what a batch plays: each two teams, on each field, network and set of faults, with each seed, twice with
// swapped sides.
type Matrix struct {
	Name     string        `json:"name"`
	Teams    []string      `json:"teams"`             // as match.FindTeam knows them
	Against  []string      `json:"against,omitempty"` // their opponents. Default: each other
	Half     time.Duration `json:"half"`              // ns, of each half. Default 60 s
	First    uint64        `json:"seed"`              // first seed. Default 1
	Seeds    int           `json:"seeds"`             // of each pairing under each condition. Default 20
	Robots   int           `json:"robots"`            // of a team. Default 5
	Fields   []string      `json:"fields"`            // Default 18x12
	Mixed    bool          `json:"mixed"`
	Localise bool          `json:"localise"`
	Networks []Network     `json:"networks"` // Default perfect
	Faults   []FaultSet    `json:"faults"`   // Default none
}

// Network is a network with a name.
type Network struct {
	Name string       `json:"name"`
	Link traffic.Link `json:"link"`
}

// FaultSet is a set of faults with a name. They happen in one match.
type FaultSet struct {
	Name   string        `json:"name"`
	Faults []match.Fault `json:"faults"`
}

// DefaultMatrix returns a matrix without teams.
func DefaultMatrix() Matrix {
	return Matrix{
		Name: "batch", Half: time.Minute, First: 1, Seeds: 20, Robots: match.MostRobots, Fields: []string{"18x12"},
		Networks: []Network{{"perfect", traffic.Link{Burst: 1}}}, Faults: []FaultSet{{Name: "none", Faults: []match.Fault{}}},
	}
}

// ParseMatrix reads a matrix from TOML, as docs/batch.md describes it. An error names the line, what is wrong with it, and
// what is accepted.
func ParseMatrix(b []byte) (Matrix, error) {
	m := DefaultMatrix()
	if len(b) > maxMatrix {
		return m, fmt.Errorf("the matrix has %d bytes; the limit is %d", len(b), maxMatrix)
	}
	if err := bounded.CheckTOML(b); err != nil {
		return m, err
	}
	var values map[string]any
	meta, err := toml.Decode(string(b), &values)
	if err != nil {
		if parse, ok := errors.AsType[toml.ParseError](err); ok {
			return m, fmt.Errorf("line %d: %s", parse.Position.Line, parse.Message)
		}
		return m, err
	}
	r := &reader{text: string(b)}
	r.known(meta.Keys())
	top := table{r: r, values: values}
	m.Name = top.text("name", m.Name)
	m.Teams, m.Against = top.texts("teams", nil), top.texts("against", nil)
	m.Half = top.time("half", m.Half)
	m.First = uint64(top.whole("seed", 1, 0, 1<<53))
	m.Seeds = int(top.whole("seeds", int64(m.Seeds), 1, MaxJobs))
	m.Robots = int(top.whole("robots", int64(m.Robots), 1, match.MostRobots))
	m.Fields = top.texts("fields", m.Fields)
	m.Mixed, m.Localise = top.truth("mixed"), top.truth("localise")
	if all := top.tables("network"); len(all) > 0 {
		m.Networks = nil
		for _, t := range all {
			m.Networks = append(m.Networks, Network{t.text("name", ""), traffic.Link{
				Loss: t.number("loss", 0), Burst: t.number("burst", 1), Delay: t.time("delay", 0), Jitter: t.time("jitter", 0),
			}})
		}
	}
	if all := top.tables("faults"); len(all) > 0 {
		m.Faults = nil
		for _, t := range all {
			m.Faults = append(m.Faults, FaultSet{t.text("name", ""), t.faults("list")})
		}
	}
	if r.err == nil {
		r.check(&m)
	}
	return m, r.err
}

// check checks a matrix that was read, and names the line of what is wrong.
func (r *reader) check(m *Matrix) {
	err := m.Validate()
	wrong, ok := errors.AsType[*matrixError](err)
	switch {
	case ok:
		r.fail(wrong.section, wrong.at, wrong.key, "%s", wrong.text)
	case err != nil:
		r.err = err
	}
}

// matrixError is what is wrong with a value of a matrix.
type matrixError struct {
	section string // "network", "faults"; "": at the top
	at      int    // which one
	key     string
	text    string
}

func (e *matrixError) Error() string {
	if e.section != "" {
		return fmt.Sprintf("%s %d, %s: %s", e.section, e.at+1, e.key, e.text)
	}
	return e.key + ": " + e.text
}

func wrong(key, format string, args ...any) error {
	return &matrixError{key: key, text: fmt.Sprintf(format, args...)}
}

// Validate returns an error that names the first value out of range and the range. It does not look for the teams.
func (m *Matrix) Validate() error {
	switch {
	case checkName(m.Name) != nil:
		return wrong("name", "%v", checkName(m.Name))
	case len(m.Teams) < 1 || len(m.Teams) > maxTeams || len(m.Against) > maxTeams:
		return wrong("teams", "%d teams and %d in against: want 1 to %d, for example teams = [\"touchline\", \"play:new.json\"]",
			len(m.Teams), len(m.Against), maxTeams)
	case len(m.Teams) < 2 && len(m.Against) == 0:
		return wrong("teams", "one team alone: name a second one, or its opponents with against")
	case m.Half < time.Second || m.Half > time.Hour || m.Half%time.Second != 0:
		return wrong("half", "%v: want whole seconds from 1s to 1h, for example 60s", m.Half)
	case m.Seeds < 1 || m.Seeds > MaxJobs:
		return wrong("seeds", "%d: want 1 to %d", m.Seeds, MaxJobs)
	case m.First > 1<<53:
		return wrong("seed", "%d: want 0 to %d", m.First, uint64(1)<<53)
	case m.Robots < 1 || m.Robots > match.MostRobots:
		return wrong("robots", "%d: want 1 to %d", m.Robots, match.MostRobots)
	case len(m.Fields) < 1:
		return wrong("fields", "no field: want 18x12 or 22x14")
	}
	if err := m.checkNames(); err != nil {
		return err
	}
	if err := m.checkConditions(); err != nil {
		return err
	}
	if len(m.pairings()) == 0 {
		return wrong("against", "it names the only team: name another opponent")
	}
	if n := m.Count(); n > MaxJobs {
		return wrong("seeds", "the matrix gives %d matches: want at most %d; lower seeds, teams or conditions", n, MaxJobs)
	}
	return nil
}

// checkNames checks the lists of names.
func (m *Matrix) checkNames() error {
	for _, list := range []struct {
		key   string
		names []string
	}{{"teams", m.Teams}, {"against", m.Against}, {"fields", m.Fields}} {
		for i, name := range list.names {
			switch {
			case checkName(name) != nil:
				return wrong(list.key, "%v", checkName(name))
			case slices.Contains(list.names[:i], name):
				return wrong(list.key, "%q is listed twice: remove one", name)
			case list.key == "fields" && match.Fields[name] == nil:
				return wrong(list.key, "%q: want 18x12 or 22x14", name)
			}
		}
	}
	return nil
}

// checkConditions checks the networks and the sets of faults.
func (m *Matrix) checkConditions() error {
	if len(m.Networks) < 1 || len(m.Networks) > maxSets || len(m.Faults) < 1 || len(m.Faults) > maxSets {
		return wrong("network", "%d networks and %d sets of faults: want 1 to %d of each", len(m.Networks), len(m.Faults), maxSets)
	}
	for i := range m.Networks {
		n := &m.Networks[i]
		fail := func(key string, err error) error { return &matrixError{"network", i, key, err.Error()} }
		if err := checkName(n.Name); err != nil {
			return fail("name", err)
		}
		if slices.ContainsFunc(m.Networks[:i], func(o Network) bool { return o.Name == n.Name }) {
			return fail("name", fmt.Errorf("%q is listed twice: choose another name", n.Name))
		}
		if err := n.Link.Validate(); err != nil {
			key, _, _ := strings.Cut(err.Error(), " ")
			return fail(key, err)
		}
	}
	for i := range m.Faults {
		s := &m.Faults[i]
		fail := func(key string, err error) error { return &matrixError{"faults", i, key, err.Error()} }
		if err := checkName(s.Name); err != nil {
			return fail("name", err)
		}
		if slices.ContainsFunc(m.Faults[:i], func(o FaultSet) bool { return o.Name == s.Name }) {
			return fail("name", fmt.Errorf("%q is listed twice: choose another name", s.Name))
		}
		if len(s.Faults) > maxFaults {
			return fail("list", fmt.Errorf("%d faults: want at most %d", len(s.Faults), maxFaults))
		}
		cfg := match.DefaultMatchConfig()
		cfg.Home.Robots, cfg.Away.Robots, cfg.Faults = m.Robots, m.Robots, s.Faults
		if err := cfg.Validate(); err != nil {
			return fail("list", err)
		}
	}
	return nil
}

// checkName checks a name that reports show.
func checkName(name string) error {
	printable := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if name == "" || len(name) > maxName || !printable || strings.TrimSpace(name) != name {
		return fmt.Errorf("%.80q: want a name of 1 to %d printable characters, without a space at an end", name, maxName)
	}
	return nil
}

// pairings returns the pairs of teams that play each other, by their numbers in All.
func (m *Matrix) pairings() (pairs [][2]int) {
	all := m.All()
	if len(m.Against) == 0 {
		for a := range all {
			for b := a + 1; b < len(all); b++ {
				pairs = append(pairs, [2]int{a, b})
			}
		}
		return pairs
	}
	for a := range m.Teams {
		for _, name := range m.Against {
			b := slices.Index(all, name)
			pair := [2]int{a, b}
			if a != b && !slices.Contains(pairs, [2]int{b, a}) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// All returns the names of all teams: those of Teams, then those of Against that are not among them.
func (m *Matrix) All() []string {
	all := slices.Clone(m.Teams)
	for _, name := range m.Against {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Count returns the number of matches.
func (m *Matrix) Count() int {
	return 2 * m.Seeds * len(m.pairings()) * len(m.Networks) * len(m.Faults) * len(m.Fields)
}
