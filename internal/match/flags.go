package match

import (
	"fmt"
	"time"

	"touchline/soccer"
)

// Flags are the flags of touchline match on which a match depends: the same Flags give the same match. Records hold them,
// and jobs of batches.
type Flags struct {
	Seed       uint64        `json:"seed"`
	Half       time.Duration `json:"half"` // ns
	Home       string        `json:"home"` // as FindTeam knows it
	Away       string        `json:"away"`
	HomeName   string        `json:"homeName,omitempty"`
	AwayName   string        `json:"awayName,omitempty"`
	HomeRobots int           `json:"homeRobots"`
	AwayRobots int           `json:"awayRobots"`
	Field      string        `json:"field"` // a key of Fields
	Loss       float64       `json:"loss"`
	Burst      float64       `json:"burst"`
	Delay      time.Duration `json:"delay"`  // ns
	Jitter     time.Duration `json:"jitter"` // ns
	Mixed      bool          `json:"mixed"`
	Localise   bool          `json:"localise"`
	Faults     []Fault       `json:"faults"`
}

// Fields are the fields of matches by their names: "18x12" is 18 x 12 m.
var Fields = map[string]func() soccer.Field{"18x12": soccer.MSL18x12, "22x14": soccer.MSL22x14}

// Config returns the match of the flags. read reads the file of a team's state machine. The error names the first flag that
// is wrong, without its dashes.
func (f *Flags) Config(read func(path string) ([]byte, error)) (MatchConfig, error) {
	c := DefaultMatchConfig()
	c.Seed, c.Half, c.Mixed, c.Localise, c.Faults = f.Seed, f.Half, f.Mixed, f.Localise, f.Faults
	c.Link.Loss, c.Link.Burst, c.Link.Delay, c.Link.Jitter = f.Loss, f.Burst, f.Delay, f.Jitter
	for _, team := range []struct {
		flag, name, title string
		robots            int
		to                *Team
	}{{"home", f.Home, f.HomeName, f.HomeRobots, &c.Home}, {"away", f.Away, f.AwayName, f.AwayRobots, &c.Away}} {
		found, err := FindTeam(team.name, read)
		if err != nil {
			return c, fmt.Errorf("%s %w", team.flag, err)
		}
		found.Robots, found.Title = team.robots, team.title
		*team.to = found
	}
	field, ok := Fields[f.Field]
	if !ok {
		return c, fmt.Errorf("field %.40s: want 18x12 or 22x14", f.Field)
	}
	c.Field = field()
	return c, c.Validate()
}
