package check

import (
	"fmt"
	"net/netip"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
)

const (
	kindHSL          = "hsl"                        // Checker.Kind of the messages of the Humanoid Soccer League
	prefixHSL        = "HSL "                       // Message of their senders, before the name of the message
	sourceHSL        = "HSL GameController, README" // source of the rules of rate and budget
	sourceParameters = "HSL GameController, config"
)

// Rate of return messages that the GameController demands, in Hz.
const (
	minReturns = 0.5
	maxReturns = 2.0
)

// HSLGame counts the team messages of a game of the Humanoid Soccer League. The zero value knows no game.
type HSLGame struct {
	known   bool        // there was a control message, or the true state
	control hsl.Control // the newest; true states replace those that robots get
	sent    [hsl.NoTeam]uint32
}

// kind returns which message of the league a packet to an address holds, and whether it holds one. Packets to a team's
// port are team messages if they are broadcast, as the rules demand, or if the team is in the game.
func (g *HSLGame) kind(to netip.AddrPort, payload []byte) (hsl.Kind, bool) {
	if kind, ok := hsl.KindOf(to, payload); ok {
		return kind, true
	}
	kind, ok := hsl.Identify(to.Port(), payload)
	return kind, ok && g.team(uint8(to.Port()-hsl.TeamPort)) != nil
}

// team returns a team that plays, or nil.
func (g *HSLGame) team(number uint8) *hsl.Team {
	for i := range g.control.Teams {
		if t := &g.control.Teams[i]; g.known && t.Number == number {
			return t
		}
	}
	return nil
}

// Observe keeps a control message, or the true state.
func (g *HSLGame) Observe(b []byte) {
	var m hsl.Control
	if m.UnmarshalBinary(b) == nil && (m.True || !g.control.True) {
		g.known, g.control = true, m
	}
}

// counts reports whether team messages count against the budget now. Without a control message they do.
func (g *HSLGame) counts() bool {
	s := g.control.State
	return !g.known || g.control.Phase != hsl.PenaltyShootOut && (s == hsl.Ready || s == hsl.Set || s == hsl.Playing)
}

// TeamMessage counts a message of a team and returns what is wrong with its number.
func (g *HSLGame) TeamMessage(number uint8) []wire.Issue {
	if !g.counts() || number == hsl.NoTeam {
		return nil
	}
	g.sent[number]++
	t := g.team(number)
	switch {
	case t != nil && t.MessageBudget == 0:
		return []wire.Issue{{Source: sourceHSL,
			Text: "the team has no messages left: the GameController sets its score to 0 and counts no further goals"}}
	case t == nil && g.sent[number] > hsl.Budget:
		return []wire.Issue{{Source: sourceParameters, Note: true,
			Text: fmt.Sprintf("message %d of the team: it has %d in a game, and %d for each minute of additional or extra time",
				g.sent[number], hsl.Budget, hsl.BudgetPerMinute)}}
	}
	return nil
}

// hslPorts are the ports of the messages of the league, apart from those of teams.
var hslPorts = map[uint16]hsl.Kind{
	hsl.ControlPort: hsl.KindControl, hsl.ReturnPort: hsl.KindReturn, hsl.ForwardPort: hsl.KindForward,
	hsl.RequestPort: hsl.KindRequest,
}

// hslKind returns the kind of a packet of which all are messages of the league.
func (c *Checker) hslKind(p *soccer.Packet) hsl.Kind {
	if kind, ok := c.hsl.kind(c.to, p.Data); ok {
		return kind
	}
	if kind, ok := hslPorts[c.to.Port()]; ok {
		return kind
	}
	return hsl.KindTeam
}

// addHSL checks one packet as a message of the Humanoid Soccer League.
func (c *Checker) addHSL(p *soccer.Packet, kind hsl.Kind) {
	c.count(p, kindHSL)
	c.header = mixedteam.Header{}
	k := key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, message: prefixHSL + kind.String()}
	issues := hsl.Check(kind, p.Data)
	known := false // the team
	switch kind {
	case hsl.KindControl, hsl.KindTrueState:
		c.hsl.Observe(p.Data)
		if kind == hsl.KindTrueState { // each request of a monitor gives it another port
			k.Addr = withoutPort(k.Addr.Addr())
		}
	case hsl.KindReturn:
		var m hsl.Return
		_ = m.UnmarshalBinary(p.Data) // its issues are reported; player and team are known even if a number is NaN
		k.Robot, k.team, known = m.Player, m.Team, m.Player > 0
	case hsl.KindForward:
		var m hsl.Forward
		_ = m.UnmarshalBinary(p.Data)
		if len(p.Data) >= 4 { // the sender is the robot, whatever forwards it
			k.Addr = withoutPort(netip.AddrFrom4([4]byte(p.Data)))
		}
		k.Robot, k.team, known = m.Return.Player, m.Return.Team, m.Return.Player > 0
	case hsl.KindTeam:
		if port := c.to.Port(); port > hsl.TeamPort && port < hsl.TeamPort+hsl.NoTeam {
			k.team, known = uint8(port-hsl.TeamPort), true
			issues = append(issues, c.hsl.TeamMessage(k.team)...)
		}
	}
	r := c.row(k)
	if known && !r.Others {
		r.Team = fmt.Sprintf("team %d", k.team)
	}
	r.Packets++
	wrong := c.addIssues(r, p, issues, func(b []byte) []wire.Field { return hsl.Fields(kind, b) })
	c.addTime(r, p)
	c.countWrong(r, wrong)
}

// withoutPort returns an address of a sender whose port means nothing.
func withoutPort(a netip.Addr) netip.AddrPort { return netip.AddrPortFrom(a, 0) }

// ReturnRateNote returns a note on a rate of return messages in Hz that the GameController does not want, or "".
func ReturnRateNote(rate float64) string {
	const tolerance = 0.1 // Wi-Fi delays messages
	if rate >= (1-tolerance)*minReturns && rate <= (1+tolerance)*maxReturns {
		return ""
	}
	return fmt.Sprintf("%.1f return messages a second: robots must send 0.5 to 2", rate)
}
