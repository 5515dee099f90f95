package vss

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/firasim"
)

// officials are who says what the game is at: the built-in referee, or another one on the network. Once another one is
// heard, the built-in one is silent until somebody says resume, or the match is reset.
type officials struct {
	own       *Referee // nil: there is none
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
func (o *officials) begin(cfg *Config, field soccer.Field) {
	*o = officials{buf: o.buf}
	if cfg.Referee != nil {
		rules := *cfg.Referee
		rules.Field, rules.Robots = field, cfg.Robots
		o.own = NewReferee(rules)
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
func (l *Live) officiate(now time.Time) {
	o := &l.referee
	if o.silent() {
		return
	}
	l.session.Environment(&o.env)
	said, changed, replace := o.own.Watch(&o.env)
	first := !o.spoken
	o.said, o.source, o.spoken = said, nowhere, true
	if replace != nil {
		l.session.hear(nowhere, replace, 0) // a referee's hand is no packet that is late or lost
	}
	if changed || first {
		l.session.mark("referee", refereeText(said))
	}
	if changed || first || now.Sub(o.published) >= publishEvery {
		o.published = now
		l.publish(said)
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
		return teams[c]
	}
	return ""
}

// publish sends the built-in referee's command to the teams. One that is lost is followed by another.
func (l *Live) publish(c firasim.RefereeCommand) {
	if l.net.referee == nil {
		return
	}
	b, err := c.AppendBinary(l.referee.buf[:0])
	if err != nil {
		return
	}
	l.referee.buf = b
	if l.net.referee.Send(b) == nil {
		l.sent.Add(1)
		l.recordPacket(l.net.referee.LocalAddr(), l.net.refereeTo, b)
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
func (l *Live) openReferee() error {
	say, err := l.groupConfig(l.Config.RefereeGroup)
	if err != nil {
		return err
	}
	l.net.refereeTo = say.Group
	wishes, err := l.groupConfig(l.Config.WishesGroup)
	if err != nil {
		return err
	}
	l.openEar(say, false)
	if l.Config.Referee == nil {
		return nil
	}
	l.openEar(wishes, true)
	if l.net.referee, err = transport.Dial(say); err != nil {
		l.Log.Warn("nobody hears the built-in referee", "why", err)
	}
	return nil
}

func (l *Live) groupConfig(address string) (transport.Config, error) {
	group, err := netip.ParseAddrPort(address)
	if err != nil || !group.Addr().Is4() || !group.Addr().IsMulticast() || group.Port() == 0 {
		return transport.Config{}, fmt.Errorf("vss: a referee's group %q: want an address in 224.0.0.0-239.255.255.255 and a port, for example %s", address, firasim.Referee)
	}
	cfg := transport.DefaultConfig(group)
	cfg.Interface = l.Config.Interface
	return cfg, nil
}

func (l *Live) openEar(cfg transport.Config, wishes bool) {
	cfg.ThisMachine = cfg.Interface == "" // VSSReferee and teams send through whatever interface the system chooses
	r, err := transport.Listen(cfg)
	if err != nil {
		l.Log.Warn("other referees and wishes are not heard", "why", err)
		return
	}
	for _, missing := range r.Degraded() {
		l.Log.Info("this system hears less of referees", "group", cfg.Group, "what", missing)
	}
	l.net.ears = append(l.net.ears, &ear{r, cfg.Group, wishes})
}

// overhear listens to a referee's group until the context ends.
func (l *Live) overhear(ctx context.Context, e *ear) error {
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
		own := l.net.referee != nil && p.From == l.net.referee.LocalAddr()
		if own || !guard.Allow(p.From, p.Time) {
			continue
		}
		l.heard.Add(1)
		l.recordHeard(&p, e.group)
		if e.wishes {
			err = placement.UnmarshalBinary(p.Data)
		} else {
			err = readCommand(&command, p.Data)
		}
		if err != nil {
			l.refuse(noPacket, p.From)
			continue
		}
		l.mu.Lock()
		switch {
		case !e.wishes:
			l.hearReferee(p.From, command)
		case l.referee.own != nil:
			l.referee.own.Place(&placement)
		}
		l.mu.Unlock()
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
func (l *Live) hearReferee(from netip.AddrPort, c firasim.RefereeCommand) {
	o := &l.referee
	if was := o.said; !o.spoken || o.source != from || was.Foul != c.Foul || was.Team != c.Team || was.Quadrant != c.Quadrant {
		l.session.mark("referee", refereeText(c))
	}
	o.said, o.source, o.spoken = c, from, true
	l.yield(from)
}

// yield leaves the match to another referee.
func (l *Live) yield(to netip.AddrPort) {
	if l.referee.own != nil && !l.referee.foreign.IsValid() {
		l.session.mark("referee", "the built-in referee leaves the match to "+to.String())
		l.Log.Warn("another referee is there: the built-in one is silent until the command resume or reset; two simulators need groups of their own, see --referee-group",
			"at", to, "group", l.Config.RefereeGroup)
	}
	l.referee.foreign = to
}
