// Package matchnet runs the practical session and matches of package match for users: in real time on a network, with a
// referee box and base stations, or a match in virtual time at the speed that the page sets. It answers the pages' topics
// and commands.
//
// In real time it opens its sockets itself, since it opens many: one to send and one to receive for each participant of a
// session, the nodes of the TCM, one for the monitor, one for each base station, and the referee box's. If multicast does
// not work on the loopback interface, a session opens those of packages on a network in memory instead. Robots are part of
// the program, or a supervisor runs each with sockets of its own, in this program or as a process.
package matchnet

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// Config describes a session on a network.
type Config struct {
	Match   match.Config     // Group is set to the network's. Default match.DefaultConfig
	Network transport.Config // of the robots' packages. Default the mixed teams' group on the loopback interface
	// Story is the name of the story that the session plays, with a pause at each figure until the command next; see
	// match.Stories. Match is then changed to the story's. Default "": none
	Story string
	// RefBox is the referee box of the session; a base station of the mixed team reports to it. New, team and field
	// are set by the session. Dir "": the log is deleted at the end. Listen "": port 28097 of this machine, or a free
	// port if that is taken. Default nil: no referee box
	RefBox *refboxnet.Config
	// Processes runs each robot in a process of its own; Match.Outside is set then. Default nil: the robots are part of this
	// program
	Processes *Processes
	// Profiles is the folder of the profiles of robots' parameters. Default "": they are not kept
	Profiles string
	// Picture receives pictures of robots' cameras that arrive: see managernet.WorkstationConfig. Default nil
	Picture func(*managernet.PictureView)
	// PictureFolder plays in the place of the robots' cameras. Default nil: what they see is drawn
	PictureFolder *managernet.PictureFolder
	// TapTCM receives each datagram of the TCM that arrives at a node of the session or leaves for a robot outside. It keeps
	// nothing of it, and is called from several goroutines. Default nil
	TapTCM func(*soccer.Packet)
	// Tap is the Tap of the monitor's transport.Receiver: it receives each datagram of the group once. Default nil
	Tap func(*soccer.Packet)
}

// DefaultConfig returns the configuration of the session of 2014 on the loopback interface, without a referee box.
func DefaultConfig() Config {
	return Config{
		Match: match.DefaultConfig(), Network: transport.DefaultConfig(netip.MustParseAddrPort(mixedteam.Group)),
	}
}

// Session runs a match.Session in real time. Its methods may be called from any goroutine.
type Session struct {
	cfg       Config
	log       *slog.Logger
	inbox     *transport.Inbox
	senders   map[uint8]*transport.Sender
	receivers map[uint8]*transport.Receiver // of robots, and match.Monitor's
	memory    *transport.Memory             // nil where multicast works
	referee   *referee                      // nil without a referee box
	tcm       *teamNodes                    // nil without the TCM
	robots    *supervisor                   // nil without Config.Processes
	truthDue  time.Time                     // when the ground truth is next logged; of the loop

	elapsed atomic.Int64 // ns of the session up to now; see Elapsed

	mu          sync.Mutex
	core        *match.Session
	story       *match.Story // nil without one
	ended       bool
	clock       soccer.Clock  // of the session since the last change of speed, without pauses
	speed       float64       // of the session's time: 1 is real time, less is slow motion
	asked       float64       // speed that the story asked for last
	paused      time.Duration // sum of the pauses since then
	standing    bool          // paused now
	pausedAt    time.Time
	reported    time.Time // when the network was last reported
	link        watch.Link
	failing     bool                // sending failed within failingFor
	failed      soccer.Time         // when it last did
	sawForeign  bool                // the warning about other senders was logged
	skipped     time.Duration       // of the session, since skippedFrom
	skippedFrom time.Time           // when the session fell behind, slowWindow ago at most
	slow        bool                // the warning about a slow machine was logged
	lastMessage map[uint8]time.Time // when robots outside the session last sent a message of the TCM
	world       soccer.World        // scratch
}

const (
	tick = 10 * time.Millisecond
	// A session that falls further behind skips the time: slow motion is harmless, a leap of the field is not.
	maxCatchUp = 250 * time.Millisecond
	// A machine is too slow for a session that skips more than slowLimit in slowWindow. A single standstill, for example
	// while the machine sleeps, counts as slowOnce at most.
	slowWindow, slowLimit, slowOnce = 10 * time.Second, 1500 * time.Millisecond, time.Second
	// failingFor is the time without a failure after which sending counts as working.
	failingFor = 2 * time.Second
	// truthPeriod is the period of the ground truth in the log: once in each window of the referee box, about 100 ms
	// (MSL World Model 2015).
	truthPeriod = 100 * time.Millisecond
)

// New returns a session. It opens no socket; see Open.
func New(cfg Config, log *slog.Logger) (*Session, error) { return newSession(cfg, log, match.New) }

// Virtual returns a session without sockets, for RunVirtual: its packets and messages stay in this program. tap receives
// each datagram of the TCM.
func Virtual(cfg Config, tap func(*soccer.Packet), log *slog.Logger) (*Session, error) {
	return newSession(cfg, log, func(c match.Config, _ func(uint8, []byte)) (*match.Session, error) { return match.Virtual(c, tap) })
}

func newSession(cfg Config, log *slog.Logger, open func(match.Config, func(uint8, []byte)) (*match.Session, error)) (*Session, error) {
	var err error
	if cfg.Story != "" {
		if cfg.Match, err = match.StoryConfig(cfg.Story, cfg.Match); err != nil {
			return nil, err
		}
	}
	cfg.Match.Group, cfg.Match.Outside = cfg.Network.Group.String(), cfg.Match.Outside || cfg.Processes != nil
	cfg.Match.Remote = cfg.Network.Interface != ""
	s := &Session{
		cfg: cfg, log: log, speed: 1, asked: 1, inbox: transport.NewInbox(),
		senders: map[uint8]*transport.Sender{}, receivers: map[uint8]*transport.Receiver{},
		lastMessage: map[uint8]time.Time{},
	}
	cfg.Match.Background = inBackground
	cfg.Match.Known = s.knownOfCamera
	if s.core, err = open(cfg.Match, s.send); err == nil && cfg.Story != "" {
		s.story, err = match.NewStory(cfg.Story, s.core)
	}
	return s, err
}

// Run runs the session until ctx ends, and closes what Open opened.
func (s *Session) Run(ctx context.Context) error {
	defer s.Close()
	for _, missing := range s.receivers[match.Monitor].Degraded() {
		s.log.Info(missing)
	}
	group, ctx := errgroup.WithContext(ctx)
	for number, r := range s.receivers {
		var guard *traffic.Guard // none for the monitor, which reports floods
		if number != match.Monitor {
			guard = traffic.NewGuard(traffic.GuardRate, traffic.GuardBurst)
		}
		group.Go(func() error { return s.inbox.Receive(ctx, number, r, guard) })
	}
	if s.referee != nil {
		group.Go(func() error { return s.referee.run(ctx) })
	}
	if s.robots != nil {
		group.Go(func() error { return s.robots.run(ctx, len(match.Participants())) })
	}
	group.Go(func() error { return s.loop(ctx) })
	return group.Wait()
}

// RunVirtual plays a session of Virtual until ctx ends, and goes on where it stopped.
func (s *Session) RunVirtual(ctx context.Context) error {
	s.mu.Lock()
	s.setSpeed(time.Now(), s.speed)
	s.clock.Start = s.core.Now()
	s.mu.Unlock()
	return each(ctx, tick, s.advance)
}

// loop drives the session's clock and delivers what the sockets receive.
func (s *Session) loop(ctx context.Context) error {
	s.begin(time.Now())
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			s.mu.Lock()
			s.ended = true
			s.mu.Unlock()
			return nil
		case a := <-s.inbox.C:
			s.receive(a)
			s.inbox.Release(a)
		case <-ticker.C:
			if err := s.advance(time.Now()); err != nil {
				return err
			}
		}
	}
}

// begin starts the session's clock.
func (s *Session) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = soccer.Clock{Start: soccer.Epoch, Began: now}
}

// advance runs the session up to now and hands its events and the ground truth to the referee box.
func (s *Session) advance(now time.Time) error {
	s.mu.Lock()
	if s.tcm != nil {
		s.tcm.drive()
	}
	s.core.Advance(s.due(now))
	s.elapsed.Store(int64(s.core.Now().Sub(soccer.Epoch)))
	s.expireRobots(now)
	s.tell(now)
	events := s.core.Events()
	var truth *watch.Scene
	if s.referee != nil && !now.Before(s.truthDue) {
		truth, s.truthDue = s.core.Truth(), now.Add(truthPeriod)
	}
	if now.Sub(s.reported) >= 2*watch.NetworkPeriod { // no page watches the network
		s.report(now)
	}
	s.mu.Unlock()
	if s.referee == nil {
		return nil
	}
	s.referee.send(events)
	if truth == nil {
		return nil
	}
	return s.referee.logTruth(truth)
}

// at returns the session's time at now. It requires s.mu.
func (s *Session) at(now time.Time) soccer.Time {
	if s.standing {
		now = s.pausedAt
	}
	elapsed := now.Sub(s.clock.Began) - s.paused
	return s.clock.Start.Add(time.Duration(float64(elapsed) * s.speed))
}

// due returns the time up to which the session runs at now; it skips what exceeds maxCatchUp. It requires s.mu.
func (s *Session) due(now time.Time) soccer.Time {
	if behind := s.at(now).Sub(s.core.Now()); behind > maxCatchUp {
		left := time.Duration(float64(behind-tick) / s.speed)
		s.paused += left
		s.skip(now, left)
	}
	return s.at(now)
}

// skip notes that the session skips a time, and reports once that it does so again and again. It requires s.mu.
func (s *Session) skip(now time.Time, left time.Duration) {
	if now.Sub(s.skippedFrom) > slowWindow {
		s.skippedFrom, s.skipped = now, 0
	}
	if s.skipped += min(left, slowOnce); s.skipped > slowLimit && !s.slow {
		s.slow = true
		s.log.Warn("this machine is too slow for the session now: its clock falls behind, and gaps, losses and ages of packets "+
			"are this machine's; end other programs, or start fewer robots, for example --robots 3", "skipped", s.skipped,
			"within", now.Sub(s.skippedFrom))
	}
}

// receive delivers a datagram. A paused session drops what arrives.
func (s *Session) receive(a *transport.Arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.standing {
		a.Packet.Time = s.due(a.At) // it may be the first after a standstill
		s.core.Deliver(a.To, &a.Packet)
	}
	if from := a.Packet.From; a.To == match.Monitor && !s.sawForeign && !s.core.Bound(from) {
		s.sawForeign = true
		s.log.Warn("another program sends to this session's group: if it is another demo instead of a robot, "+
			"give one of the two another --group", "from", from, "group", s.cfg.Network.Group)
	}
}

// send sends a robot's datagram. One that cannot be sent is lost, as on the air; the log reports the first, and the
// page shows the error until sending has worked for a while. It requires s.mu, which its caller holds during Advance.
func (s *Session) send(number uint8, b []byte) {
	err := s.senders[number].Send(b)
	now := s.core.Now()
	switch {
	case err != nil:
		if !s.failing {
			s.link.Trouble = err.Error()
			s.log.Warn("a robot cannot send", "robot", number, "err", err)
		}
		s.failing, s.failed = true, now
	case s.failing && now.Sub(s.failed) > failingFor:
		s.link.Trouble, s.failing = "", false
	}
}

// markReferee puts a command of the referee on the timeline.
func (s *Session) markReferee(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.core.Note("referee", 0, text)
}

// report requires s.mu.
func (s *Session) report(now time.Time) watch.Network {
	s.reported = now
	drops := s.inbox.Lost()
	for _, r := range s.receivers {
		drops += r.Drops()
	}
	return s.core.Network(drops)
}

// Elapsed returns the time of the session since it started, to 10 ms. It waits for nothing.
func (s *Session) Elapsed() time.Duration { return time.Duration(s.elapsed.Load()) }

// Wall returns the topic "wall", a *watch.Wall.
func (s *Session) Wall(string) any {
	crashes := s.robots.crashes(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.core.Wall()
	for i := range w.Tiles {
		if t := &w.Tiles[i]; !t.Real && t.State == "off" {
			t.Crashed = cmp.Or(crashes[t.Number], t.Crashed)
		}
	}
	w.Paused, w.Speed, w.Link = s.standing, s.speed, s.link
	if s.story != nil {
		w.Story = s.story.Show()
	}
	impaired := s.core.Link()
	w.Link.Loss, w.Link.Delay = impaired.Loss, impaired.Delay.Seconds()*1e3
	if !s.standing {
		w.Silence = watchnet.SilenceBecause(s.core.SilentFor(), silentBecause(w))
	}
	return w
}

// Story returns the story as it stands, nil without one.
func (s *Session) Story() *watch.Story {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.story == nil {
		return nil
	}
	return s.story.Show()
}

// Preview returns the session in small: of its robots those that run.
func (s *Session) Preview() watch.Preview {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.core.Wall()
	p := watch.Preview{Field: w.Field, Scene: w.Truth, Said: []watch.Figure{}}
	if w.Truth != nil {
		scene := *w.Truth
		scene.Robots = slices.DeleteFunc(slices.Clone(scene.Robots), func(r watch.Figure) bool {
			return !slices.ContainsFunc(w.Tiles, func(t watch.Tile) bool {
				return t.Number == r.Number && t.Color == r.Color && t.State == "live"
			})
		})
		p.Scene = &scene
	}
	for i := range w.Tiles {
		for _, r := range w.Tiles[i].Belief.Robots {
			if w.Tiles[i].Mirrored && r.Self {
				p.Said = append(p.Said, r)
			}
		}
	}
	if s.story != nil {
		story := s.story.Show()
		p.Text = fmt.Sprintf("figure %d: %s", story.Figure, story.Title)
	}
	return p
}

// silentBecause says why no package of the session's robots arrives.
func silentBecause(w *watch.Wall) string {
	running := slices.ContainsFunc(w.Tiles, func(t watch.Tile) bool { return !t.Real && t.State == "live" })
	switch {
	case w.Link.Loss >= 1:
		return "The loss slider is at 100 %: nothing arrives."
	case !running:
		return "No robot runs: switch one on."
	}
	return "The robots of the session send no packages: the program's log says why."
}

// Network returns the topic "network", a watch.Network.
func (s *Session) Network(string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report(time.Now())
}

// Packets returns a topic "packets/KEY", a watch.PacketView, or nil for an unknown sender.
func (s *Session) Packets(topic string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if view, ok := s.core.Packets(strings.TrimPrefix(topic, "packets/")); ok {
		return view
	}
	return nil
}

// Scores returns the scores so far.
func (s *Session) Scores() []match.Score {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Scores()
}
