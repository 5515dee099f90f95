package datagrams

import (
	"touchline/wire"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// contents judges the contents of a whole message.
func (c *Checker) contents(s *sender, m *Message) []wire.Issue {
	if m.Type < tcm.Belief || m.Type > tcm.Directory {
		return nil // of another package, or a team's own
	}
	return team.Check(uint16(m.Type), m.Data)
}
