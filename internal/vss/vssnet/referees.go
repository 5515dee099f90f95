package vssnet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"touchline/internal/vss"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/firasim"
)

// referees are the built-in referee and the other one on the network that controls the match instead. Once another
// referee is received, the built-in one stays silent until the command resume or a reset.
type referees struct {
	own       *vss.Referee // nil: none
	env       firasim.Environment
	last      firasim.RefereeCommand // of either referee
	source    netip.AddrPort         // sender of last
	known     bool                   // last is set
	other     netip.AddrPort         // another referee that controls the match; invalid: none
	published time.Time              // last time that own's command was sent
	buf       []byte
}

// publishEvery is the interval at which an unchanged command of the built-in referee is repeated: clients may start
// later.
const publishEvery = time.Second

// A sender of otherAfter packets with placements within otherTime, and none with commands, is a referee: VSSReferee
// sends 60 a second (VSSReferee), a team that places robots for training only a few.
const (
	otherAfter = 10
	otherTime  = 2 * time.Second
)

// begin prepares for a new match.
func (o *referees) begin(cfg *Config) {
	*o = referees{buf: o.buf}
	if cfg.Referee {
		o.own = vss.NewReferee(vss.DefaultRefereeConfig(cfg.Game.Field(), cfg.Game.Robots))
	}
}

// command returns the command in force: GAME_ON without a referee.
func (o *referees) command() firasim.RefereeCommand {
	if !o.known {
		return firasim.RefereeCommand{Foul: firasim.GameOn, Team: firasim.NoTeam}
	}
	return o.last
}

// over reports whether the built-in referee has ended the match.
func (o *referees) over() bool { return o.own != nil && o.own.Over() }

// silent reports whether there is no built-in referee, or another one controls the match.
func (o *referees) silent() bool { return o.own == nil || o.other.IsValid() }

// runReferee runs the built-in referee for this tick.
func (s *Server) runReferee(now time.Time) {
	o := &s.referee
	if o.silent() {
		return
	}
	s.session.Environment(&o.env)
	o.own.PlacedBehindLine(s.session.PlacedBehindLine())
	command, changed, replace := o.own.Watch(&o.env)
	first := !o.known
	o.last, o.source, o.known = command, inProcessAddr, true
	if replace != nil {
		s.session.ReceiveNow(replace)
	}
	if changed || first {
		s.session.Mark("referee", refereeText(command))
	}
	if changed || first || now.Sub(o.published) >= publishEvery {
		o.published = now
		s.publish(command)
	}
}

// foulWords are the commands of a referee in words.
var foulWords = map[firasim.Foul]string{
	firasim.FreeKick: "free kick", firasim.PenaltyKick: "penalty", firasim.GoalKick: "goal kick",
	firasim.FreeBall: "free ball", firasim.Kickoff: "kick-off", firasim.Stop: "stop", firasim.GameOn: "play on",
	firasim.Halt: "halt",
}

// refereeText returns a command in words.
func refereeText(c firasim.RefereeCommand) string {
	text := foulWords[c.Foul]
	if team := teamName(c.Team); team != "" {
		text += " for " + team
	}
	if c.Quadrant > 0 {
		text += fmt.Sprintf(" in quadrant %d", c.Quadrant)
	}
	return text
}

func teamName(c firasim.Color) string {
	if c == firasim.Blue || c == firasim.Yellow {
		return vss.Teams[c]
	}
	return ""
}

// publish sends the command of the built-in referee to the teams. A lost one is repeated.
func (s *Server) publish(c firasim.RefereeCommand) {
	if s.net.referee == nil {
		return
	}
	b, err := c.AppendBinary(s.referee.buf[:0])
	if err != nil {
		return
	}
	s.referee.buf = b
	if s.net.referee.Send(b) == nil {
		s.sent.Add(1)
		s.recordSent(s.net.referee.LocalAddr(), s.net.refereeTo, b)
	}
}

// groupListener receives the commands of referees, or with placements the placements that teams want.
type groupListener struct {
	receiver   *transport.Receiver
	group      netip.AddrPort
	placements bool
}

// openReferee joins the group of referees. With the built-in referee it also opens the socket that it sends from, and
// joins the group of the teams' placements. The simulator works without them: only an invalid address is an error.
func (s *Server) openReferee() error {
	commands, err := s.groupConfig(s.Config.RefereeGroup)
	if err != nil {
		return err
	}
	s.net.refereeTo = commands.Group
	placements, err := s.groupConfig(s.Config.PlacementGroup)
	if err != nil {
		return err
	}
	s.listenTo(commands, false)
	if !s.Config.Referee {
		return nil
	}
	s.listenTo(placements, true)
	if s.net.referee, err = transport.Dial(commands); err != nil {
		s.Log.Warn("the built-in referee cannot send its commands", "err", err)
	}
	return nil
}

func (s *Server) groupConfig(address string) (transport.Config, error) {
	group, err := netip.ParseAddrPort(address)
	if err != nil || !group.Addr().Is4() || !group.Addr().IsMulticast() || group.Port() == 0 {
		return transport.Config{}, fmt.Errorf("vss: the referee's group %q: want an address in 224.0.0.0-239.255.255.255 "+
			"and a port, for example %s", address, firasim.Referee)
	}
	cfg := transport.DefaultConfig(group)
	cfg.Interface = s.Config.Interface
	return cfg, nil
}

func (s *Server) listenTo(cfg transport.Config, placements bool) {
	cfg.ThisMachine = cfg.Interface == "" // VSSReferee and teams send through the interface that the system chooses
	r, err := transport.Listen(cfg)
	if err != nil {
		s.Log.Warn("other referees and the teams' placements cannot be received", "group", cfg.Group, "err", err)
		return
	}
	for _, missing := range r.Degraded() {
		s.Log.Info("referees are received with restrictions", "group", cfg.Group, "what", missing)
	}
	s.net.groups = append(s.net.groups, &groupListener{r, cfg.Group, placements})
}

// receiveGroup receives the packets of a group until the context ends.
func (s *Server) receiveGroup(ctx context.Context, e *groupListener) error {
	buf := make([]byte, 2048)
	guard := traffic.NewGuard(guardRate, guardBurst)
	var command firasim.RefereeCommand
	var placement firasim.Placement
	for {
		p, err := e.receiver.ReadPacket(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		own := s.net.referee != nil && p.From == s.net.referee.LocalAddr()
		if own || !guard.Allow(p.From, p.Time) {
			continue
		}
		s.received.Add(1)
		s.record(p.Time, p.From, e.group, p.Data)
		if e.placements {
			err = placement.UnmarshalBinary(p.Data)
		} else {
			err = decodeCommand(&command, p.Data)
		}
		if err != nil {
			s.refuse(vss.NotAPacket, p.From)
			continue
		}
		s.mu.Lock()
		switch {
		case !e.placements:
			s.acceptReferee(p.From, command)
		case s.referee.own != nil:
			s.referee.own.Place(&placement)
		}
		s.mu.Unlock()
	}
}

// errNotACommand is the error for bytes that no referee sends.
var errNotACommand = errors.New("vss: not a referee's command")

// decodeCommand decodes the command of a referee. It is strict: other programs use this port too, and a packet that is
// mistaken for a command would stop the match.
func decodeCommand(c *firasim.RefereeCommand, b []byte) error {
	if len(b) == 0 { // in protobuf a free kick for blue
		return errNotACommand
	}
	for _, issue := range firasim.Check(firasim.KindRefereeCommand, b) {
		if !issue.Note {
			return errNotACommand
		}
	}
	return c.UnmarshalBinary(b)
}

// acceptReferee applies the command of another referee.
func (s *Server) acceptReferee(from netip.AddrPort, c firasim.RefereeCommand) {
	o := &s.referee
	if was := o.last; !o.known || o.source != from || was.Foul != c.Foul || was.Team != c.Team ||
		was.Quadrant != c.Quadrant {
		s.session.Mark("referee", refereeText(c))
	}
	o.last, o.source, o.known = c, from, true
	s.yieldTo(from)
}

// yieldTo gives control of the match to another referee.
func (s *Server) yieldTo(to netip.AddrPort) {
	if s.referee.own != nil && !s.referee.other.IsValid() {
		s.session.Mark("referee", "the referee at "+to.String()+" controls the match; the built-in referee is silent")
		s.Log.Warn("another referee controls the match: the built-in referee is silent until the command resume or reset; "+
			"two simulators need different groups, see --referee-group", "at", to, "group", s.Config.RefereeGroup)
	}
	s.referee.other = to
}
