package vssnet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/vss"
	"touchline/vss/referee"
	"touchline/wire/firasim"
)

// officials are who says what the game is at: the built-in referee, or another one on the network. Once another one is
// heard, the built-in one is silent until somebody says resume, or the match is reset.
type officials struct {
	own       *referee.Referee // nil: there is none
	env       firasim.Environment
	said      firasim.RefereeCommand // the last command, by whoever
	source    netip.AddrPort         // of it; the zero AddrPort is the built-in one
	spoken    bool                   // there was one
	foreign   netip.AddrPort         // who else is a referee; the zero AddrPort: nobody
	published time.Time
	buf       []byte
}

// publishEvery is how often the built-in referee's command is sent though it is the same, for teams that begin to listen.
const publishEvery = time.Second

// foreignAfter is how many packets with placements within foreignTime, and none with commands, make a sender a referee:
// VSSReferee sends 60 a second (facts firasim 1), a team that places for training some in a while.
const (
	foreignAfter = 10
	foreignTime  = 2 * time.Second
)

// begin starts a match.
func (o *officials) begin(cfg *Config) {
	*o = officials{buf: o.buf}
	if cfg.Referee {
		o.own = referee.New(referee.DefaultConfig(cfg.Game.Field(), cfg.Game.Robots))
	}
}

// command returns what teams have to obey. Without a referee the game is on.
func (o *officials) command() firasim.RefereeCommand {
	if !o.spoken {
		return firasim.RefereeCommand{Foul: firasim.GameOn, Team: firasim.NoTeam}
	}
	return o.said
}

// over reports whether the built-in referee has ended the match.
func (o *officials) over() bool { return o.own != nil && o.own.Over() }

// silent reports whether the built-in referee leaves the match to another one, or does not exist.
func (o *officials) silent() bool { return o.own == nil || o.foreign.IsValid() }

// officiate lets the built-in referee look at this tick.
func (s *Server) officiate(now time.Time) {
	o := &s.referee
	if o.silent() {
		return
	}
	s.session.Environment(&o.env)
	said, changed, replace := o.own.Watch(&o.env)
	first := !o.spoken
	o.said, o.source, o.spoken = said, nowhere, true
	if replace != nil {
		s.session.ReceiveNow(replace)
	}
	if changed || first {
		s.session.Mark("referee", refereeText(said))
	}
	if changed || first || now.Sub(o.published) >= publishEvery {
		o.published = now
		s.publish(said)
	}
}

// foulWords are a referee's commands in words.
var foulWords = map[firasim.Foul]string{
	firasim.FreeKick: "free kick", firasim.PenaltyKick: "penalty", firasim.GoalKick: "goal kick", firasim.FreeBall: "free ball",
	firasim.Kickoff: "kick-off", firasim.Stop: "stop", firasim.GameOn: "play on", firasim.Halt: "halt",
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

// publish sends the built-in referee's command to the teams. One that is lost is followed by another.
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

// ear hears referees, or with wishes what teams want from the built-in one.
type ear struct {
	receiver *transport.Receiver
	group    netip.AddrPort
	wishes   bool
}

// openReferee opens what a referee is heard on, and with the built-in one what it speaks and hears on. Without them the
// simulator is still one: only an address that is none is an error.
func (s *Server) openReferee() error {
	say, err := s.groupConfig(s.Config.RefereeGroup)
	if err != nil {
		return err
	}
	s.net.refereeTo = say.Group
	wishes, err := s.groupConfig(s.Config.WishesGroup)
	if err != nil {
		return err
	}
	s.openEar(say, false)
	if !s.Config.Referee {
		return nil
	}
	s.openEar(wishes, true)
	if s.net.referee, err = transport.Dial(say); err != nil {
		s.Log.Warn("nobody hears the built-in referee", "why", err)
	}
	return nil
}

func (s *Server) groupConfig(address string) (transport.Config, error) {
	group, err := netip.ParseAddrPort(address)
	if err != nil || !group.Addr().Is4() || !group.Addr().IsMulticast() || group.Port() == 0 {
		return transport.Config{}, fmt.Errorf("vss: a referee's group %q: want an address in 224.0.0.0-239.255.255.255 and a port, for example %s", address, firasim.Referee)
	}
	cfg := transport.DefaultConfig(group)
	cfg.Interface = s.Config.Interface
	return cfg, nil
}

func (s *Server) openEar(cfg transport.Config, wishes bool) {
	cfg.ThisMachine = cfg.Interface == "" // VSSReferee and teams send through whatever interface the system chooses
	r, err := transport.Listen(cfg)
	if err != nil {
		s.Log.Warn("other referees and wishes are not heard", "why", err)
		return
	}
	for _, missing := range r.Degraded() {
		s.Log.Info("this system hears less of referees", "group", cfg.Group, "what", missing)
	}
	s.net.ears = append(s.net.ears, &ear{r, cfg.Group, wishes})
}

// overhear listens to a referee's group until the context ends.
func (s *Server) overhear(ctx context.Context, e *ear) error {
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
		s.heard.Add(1)
		s.record(p.Time, p.From, e.group, p.Data)
		if e.wishes {
			err = placement.UnmarshalBinary(p.Data)
		} else {
			err = readCommand(&command, p.Data)
		}
		if err != nil {
			s.refuse(vss.NotAPacket, p.From)
			continue
		}
		s.mu.Lock()
		switch {
		case !e.wishes:
			s.hearReferee(p.From, command)
		case s.referee.own != nil:
			s.referee.own.Place(&placement)
		}
		s.mu.Unlock()
	}
}

// errNoCommand says that bytes are no referee's.
var errNoCommand = errors.New("vss: not a referee's command")

// readCommand reads what a referee says. It is strict: other programs use this port too, and whoever is taken for a
// referee stops a match.
func readCommand(c *firasim.RefereeCommand, b []byte) error {
	if len(b) == 0 { // protobuf would read a free kick for blue
		return errNoCommand
	}
	for _, issue := range firasim.Check(firasim.KindRefereeCommand, b) {
		if !issue.Note {
			return errNoCommand
		}
	}
	return c.UnmarshalBinary(b)
}

// hearReferee takes in what another referee says.
func (s *Server) hearReferee(from netip.AddrPort, c firasim.RefereeCommand) {
	o := &s.referee
	if was := o.said; !o.spoken || o.source != from || was.Foul != c.Foul || was.Team != c.Team || was.Quadrant != c.Quadrant {
		s.session.Mark("referee", refereeText(c))
	}
	o.said, o.source, o.spoken = c, from, true
	s.yield(from)
}

// yield leaves the match to another referee.
func (s *Server) yield(to netip.AddrPort) {
	if s.referee.own != nil && !s.referee.foreign.IsValid() {
		s.session.Mark("referee", "the built-in referee leaves the match to "+to.String())
		s.Log.Warn("another referee is there: the built-in one is silent until the command resume or reset; two simulators need groups of their own, see --referee-group",
			"at", to, "group", s.Config.RefereeGroup)
	}
	s.referee.foreign = to
}
