package match

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/monitor"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/watch"
)

// Live runs a session in real time on real sockets: a sending and a receiving one for each participant, and one more for
// the monitor beside the field.
type Live struct {
	Config  Config
	Network transport.Config
	Page    *monitor.Server // nil: nobody looks
	Log     *slog.Logger
	Flags   string // of the command that helps who hears nothing, besides --interface; with a leading blank
	// Referee is the referee box that runs beside the session, with a base station of the mixed team that reports to it. The
	// team, the field and that a new game begins are the session's. Dir "": its logs are gone when Run ends. Listen "": port
	// 28097 of this machine, or a free one when that is taken. nil: there is no referee box.
	Referee *refbox.LiveConfig

	beside   *beside
	session  *Session
	commands chan command
	senders  map[uint8]*transport.Sender
	inbox    map[uint8]*transport.Receiver
	ear      *watch.Ear
	link     watch.Link
	memory   *transport.Memory // where there is no multicast; else nil
	mute     bool              // not all could send lately
	failed   soccer.Time       // when one last could not
	others   bool              // it was said that somebody else sends

	began  time.Time     // real time of session time 0
	paused time.Duration // of real time that the session stood still
	stands bool          // it stands still now
	since  time.Time     // when it was paused
}

// command is one of the page's, on its way to the session's loop.
type command struct {
	name string
	body json.RawMessage
	done chan error
}

const (
	tick = 10 * time.Millisecond
	// A machine that stood still for longer goes on where it was: slow motion can be recovered from, a leap cannot.
	maxCatchUp = 250 * time.Millisecond
	muteFor    = 2 * time.Second // without a failure, and sending works again
)

// NewLive prepares a live session; nothing runs and no socket is open yet.
func NewLive(cfg Config, network transport.Config, log *slog.Logger) (*Live, error) {
	cfg.Group = network.Group.String()
	l := &Live{Config: cfg, Network: network, Log: log, commands: make(chan command),
		senders: map[uint8]*transport.Sender{}, inbox: map[uint8]*transport.Receiver{}, ear: watch.NewEar()}
	var err error
	l.session, err = New(cfg, l.send)
	return l, err
}

// Run runs the session until the context ends, and closes what Open opened.
func (l *Live) Run(ctx context.Context) error {
	defer l.close()
	for _, missing := range l.inbox[Monitor].Degraded() {
		l.Log.Info(missing)
	}
	group, ctx := errgroup.WithContext(ctx)
	for number, r := range l.inbox {
		var guard *traffic.Guard // the monitor hears a flood in full, to tell of it
		if number != Monitor {
			guard = traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
		}
		group.Go(func() error { return l.ear.Listen(ctx, number, r, guard) })
	}
	if l.beside != nil {
		l.beside.box.Page = l.Page
		group.Go(func() error { return l.beside.run(ctx) })
	}
	group.Go(func() error { return l.loop(ctx) })
	return group.Wait()
}

// Open opens everybody's sockets. Where multicast does not work on loopback it says why and goes on in memory; on an
// interface that was asked for by name that is an error.
func (l *Live) Open(ctx context.Context) error {
	trouble := transport.Probe(ctx, l.Network.Interface)
	if ctx.Err() != nil {
		trouble = nil // broken off: that says nothing, and Run ends at once
	}
	if trouble != nil && l.Network.Interface != "" {
		return trouble
	}
	if err := l.open(trouble); err != nil || l.Referee == nil {
		return err
	}
	if err := l.openBeside(ctx); err != nil {
		l.close()
		return err
	}
	return nil
}

// open opens the sockets, in memory where there is trouble with real ones.
func (l *Live) open(trouble error) error {
	l.link = watch.LinkOf(l.Network)
	if trouble != nil {
		l.Log.Warn("multicast does not work here, going on in memory", "why", trouble)
		l.link.Trouble, l.link.Interface = trouble.Error(), "memory"
		var err error
		if l.memory, err = transport.NewMemory(traffic.Link{}, l.Config.Seed); err != nil {
			return err
		}
	}
	numbers := []uint8{Monitor}
	for _, m := range Participants() {
		numbers = append(numbers, m.Number)
	}
	for _, number := range numbers {
		if err := l.openOne(number); err != nil {
			l.close()
			return err
		}
	}
	return nil
}

// Close closes what Open opened; Run does so itself.
func (l *Live) Close() { l.close() }

func (l *Live) close() {
	if l.beside != nil {
		l.beside.close()
	}
	for _, s := range l.senders {
		s.Close()
	}
	for _, r := range l.inbox {
		r.Close()
	}
}

// send puts a robot's datagram on the wire. One that cannot be sent is lost, as on the air; that it is so is said once, and
// shown until all could be sent for a while.
func (l *Live) send(number uint8, b []byte) {
	err := l.senders[number].Send(b)
	now := l.session.Now()
	switch {
	case err != nil:
		if !l.mute {
			l.link.Trouble = err.Error()
			l.Log.Warn("a robot cannot send", "robot", number, "err", err)
		}
		l.mute, l.failed = true, now
	case l.mute && now.Sub(l.failed) > muteFor:
		l.link.Trouble, l.mute = "", false
	}
}

// clock returns the session's time of a real moment.
func (l *Live) clock(real time.Time) soccer.Time {
	if l.stands {
		real = l.since
	}
	return soccer.Epoch.Add(real.Sub(l.began) - l.paused)
}

// hear gives the session what a socket read. A pause is one for what comes from outside, too.
func (l *Live) hear(h *watch.Heard) {
	if from := h.Packet.From; h.To == Monitor && !l.others && !slices.Contains(l.session.addrs[:], from) {
		l.others = true
		l.Log.Warn("somebody else sends on this session's group: if that is no robot of yours but another demo, both go wrong; "+
			"give one of them another --group", "from", from, "group", l.Network.Group)
	}
	if l.stands {
		return
	}
	h.Packet.Time = l.due(h.At) // it may be the first after a standstill
	l.session.Arrive(h.To, &h.Packet)
}

// due returns until when the session goes now.
func (l *Live) due(now time.Time) soccer.Time {
	if behind := l.clock(now).Sub(l.session.Now()); behind > maxCatchUp {
		l.paused += behind - tick
	}
	return l.clock(now)
}

// loop owns the session: everything that touches it happens here.
func (l *Live) loop(ctx context.Context) error {
	l.began = time.Now()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var shown time.Time
	teller := watch.Teller{Page: l.Page}
	for {
		select {
		case <-ctx.Done():
			return nil
		case h := <-l.ear.C:
			l.hear(h)
			l.ear.Done(h)
		case c := <-l.commands:
			c.done <- l.do(c.name, c.body)
		case <-ticker.C:
			now := time.Now()
			l.session.Advance(l.due(now))
			if err := l.note(now); err != nil {
				return err
			}
			if now.Sub(shown) >= watch.WallEvery {
				shown = now
				if err := l.showWall(); err != nil {
					return err
				}
			}
			drops := l.ear.Lost()
			for _, r := range l.inbox {
				drops += r.Drops()
			}
			if err := teller.Tell(l.session.watcher, l.session.Now(), now, drops); err != nil {
				return err
			}
		}
	}
}

// showWall sends this instant to the pages.
func (l *Live) showWall() error {
	if l.Page == nil || !l.Page.Wanted("wall") {
		return nil
	}
	w := l.session.Wall()
	w.Paused, w.Link = l.stands, l.link
	if !l.stands {
		w.Silence = watch.SilenceOf(l.session.watcher.Quiet(l.session.Now()), l.link.Interface, l.Flags)
	}
	return l.Page.Publish("wall", w)
}

// Scores returns how well everybody knew the ball; call it after Run has ended.
func (l *Live) Scores() []Score { return l.session.Scores() }

// Command carries one of the page's commands out; it returns when that is done. It may be called from any goroutine.
func (l *Live) Command(ctx context.Context, name string, body json.RawMessage) error {
	c := command{name, body, make(chan error, 1)}
	select {
	case l.commands <- c:
		return <-c.done
	case <-ctx.Done():
		return fmt.Errorf("match: %s: the session is not running", name)
	}
}
