package vssnet

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/sim"
	"touchline/soccer"
	"touchline/vss"
	"touchline/vss/team"
	"touchline/wire/firasim"
)

// Server runs a Session on the network: packets are heard as they come, every tick sends vision.
type Server struct {
	Config Config
	Log    *slog.Logger

	// Record, if not nil, gets every packet that the server receives or sends, gRPC's messages as datagrams. Packets that
	// stay within this program have the zero AddrPort. It is called from several goroutines, must not block, and keeps
	// nothing of data. Set it before Run.
	Record func(at soccer.Time, from, to netip.AddrPort, data []byte)

	net     sockets
	heard   atomic.Uint64 // packets
	sent    atomic.Uint64
	guarded atomic.Bool // senders are held to a rate
	wake    chan struct{}
	ended   chan struct{} // closed when Run ends

	// All below belongs to who holds mu.
	mu      sync.Mutex
	session *vss.Session
	teams   [2]*player // the built-in ones that play in process
	step    lockstep
	began   time.Time
	due     time.Time // when the next tick is, if it is paced
	speed   float64
	paused  bool
	steps   int       // ticks that a paused session still makes
	vision  []byte    // of the last tick
	mute    bool      // and it is lost
	stale   bool      // something was placed since, and time stands still
	watched time.Time // when vision of a match that runs alone was last sent
	broken  error     // vision could not be encoded
	referee officials
	clients []client
	rates   rates
	slots   map[string]*saved // by name
}

// repeatAfter is how long time stands still until vision is sent again, for those who were not there yet.
const repeatAfter = time.Second

// napFrom is how long before a tick the loop stops listening and only waits.
const napFrom = 2 * time.Millisecond

// maxBehind is how late a tick may come before the schedule is given up for a new one: a machine that stood still goes on
// where it was, and does not catch up with a burst.
const maxBehind = 20 * time.Millisecond

// New prepares a simulator; no socket is open yet. The error names the first wrong field of cfg.
func New(cfg Config, log *slog.Logger) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	session, err := vss.New(cfg.Game)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: cfg, Log: log, session: session,
		wake: make(chan struct{}, 1), ended: make(chan struct{}), step: newLockstep(cfg),
		rates: rates{refusals: map[string]uint64{}}, slots: map[string]*saved{},
	}
	s.referee.begin(&cfg)
	for team := range s.teams {
		if cfg.Builtin[team] && s.inProcess() {
			s.teams[team] = newPlayer(&cfg.Game, team)
		}
	}
	if err := s.setSpeed(cfg.Speed, time.Time{}); err != nil {
		return nil, err
	}
	s.look()
	return s, nil
}

// inProcess reports whether the built-in teams play without sockets: the same bytes, but they are never late.
func (s *Server) inProcess() bool { return s.Config.Speed == 0 || s.step.on }

// Run plays until the context or the configured duration ends, or the match, where the built-in teams play it alone as
// fast as they can. Open comes first; Run closes what that opened.
func (s *Server) Run(ctx context.Context) error {
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, s.net.interrupt)()
	for _, r := range s.net.commands {
		group.Go(func() error { return s.listen(ctx, r) })
	}
	for _, e := range s.net.ears {
		group.Go(func() error { return s.overhear(ctx, e) })
	}
	for _, p := range s.net.players {
		group.Go(func() error { return s.playOn(ctx, p) })
	}
	for _, tcp := range s.net.services {
		group.Go(func() error { return s.serveSimulate(ctx, tcp) })
	}
	group.Go(func() error { return s.count(ctx) })
	group.Go(func() error {
		defer cancel()
		defer close(s.ended)
		return s.loop(ctx)
	})
	return group.Wait()
}

// loop makes the ticks.
func (s *Server) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	s.mu.Lock()
	s.began = time.Now()
	s.due, s.rates.at = s.began, s.began
	s.step.since = s.began.Add(-repeatAfter) // in lockstep the start is shown at once
	s.mu.Unlock()
	for ctx.Err() == nil {
		s.mu.Lock()
		now := time.Now()
		wait, paced, end := s.next(now)
		send := false
		switch {
		case end:
			s.mu.Unlock()
			return nil
		case wait == 0:
			s.tick(now)
			send = !s.mute && s.worthSending(now)
		case s.stale:
			s.stale = false
			s.session.RefreshVision()
			s.look()
			send = !s.mute
		case (s.paused || s.step.on) && s.step.repeat(now):
			send = true
		}
		s.mu.Unlock()
		if send {
			s.sendVision()
		}
		if wait == 0 {
			continue
		}
		if paced && wait <= napFrom {
			nap(wait)
			continue
		}
		if paced {
			wait -= napFrom
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.wake:
		}
	}
	return nil
}

// poke lets the loop look again at what it waits for.
func (s *Server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next returns how long it is until something may happen, 0 for a tick now, whether that is by the schedule, and whether
// all is over.
func (s *Server) next(now time.Time) (wait time.Duration, paced, end bool) {
	alone := s.teams[0] != nil && s.teams[1] != nil && s.speed == 0
	if d := s.Config.Duration; d > 0 && s.session.Now() >= d || alone && s.referee.over() {
		return 0, false, true
	}
	if s.paused && s.steps == 0 {
		return s.step.again(now), false, false
	}
	if s.speed > 0 {
		if wait = s.due.Sub(now); wait > 0 {
			return wait, true, false
		}
	}
	if s.step.on {
		return s.step.wait(now, s.session), false, false
	}
	return 0, false, false
}

// period returns how long a tick takes in real time.
func (s *Server) period() time.Duration {
	d := sim.Tick
	if s.Config.Game.Compat&vss.CompatClock != 0 {
		d += time.Millisecond
	}
	return time.Duration(float64(d) / s.speed)
}

// tick makes one tick and lets those within this program see it.
func (s *Server) tick(now time.Time) {
	if s.paused {
		s.steps--
	}
	if s.speed > 0 {
		period := s.period()
		if now.Sub(s.due) > max(period, maxBehind) {
			s.due = now
		}
		s.due = s.due.Add(period)
	}
	s.session.Tick()
	s.stale = false
	s.look()
	s.officiate(now)
	for team, p := range s.teams {
		if p != nil && !s.mute {
			s.letPlay(team, p)
		}
	}
	s.step.ticked(now, s.session)
}

// look writes down the vision of this tick. Where it is lost or still under way, clients in lockstep get the last one
// again: they would wait for ever.
func (s *Server) look() {
	env, sent := s.session.Vision()
	if !sent && s.step.on && len(s.vision) > 0 {
		return
	}
	s.mute = !sent && !s.step.on
	b, err := env.AppendBinary(s.vision[:0])
	if err == nil {
		s.vision = b
		return
	}
	s.mute = true
	if s.broken == nil {
		s.Log.Error("this moment cannot be told to the clients", "err", err)
	}
	s.broken = err
}

// letPlay lets a team within this program answer the vision of this tick, in the bytes of the wire.
func (s *Server) letPlay(team int, p *player) {
	b, err := p.answer(s.vision, s.referee.command())
	if err == nil {
		err = p.back.UnmarshalBinary(b)
	}
	if err != nil {
		s.session.Refuse(vss.NotAPacket, nowhere)
		return
	}
	s.recordSent(nowhere, nowhere, b)
	s.session.Receive(nowhere, &p.back)
}

// worthSending keeps a match of the built-in teams alone, as fast as it goes, from filling the network: nobody could
// follow. Once a tick's time is enough to watch it.
func (s *Server) worthSending(now time.Time) bool {
	if s.teams[0] == nil || s.teams[1] == nil || s.speed > 0 {
		return true
	}
	if now.Sub(s.watched) < sim.Tick {
		s.recordSent(nowhere, nowhere, s.vision)
		return false
	}
	s.watched = now
	return true
}

// player is a built-in team on either side of the wire.
type player struct {
	team   *team.Team
	number int // 0 blue, 1 yellow
	env    firasim.Environment
	packet firasim.Packet
	back   firasim.Packet // the packet as the simulator reads it
	buf    []byte
}

func newPlayer(game *vss.Config, number int) *player {
	return &player{team: team.New(number == 1, game.Field(), game.Robots, game.Seed), number: number}
}

// answer returns the packet with which the team answers a vision packet. It holds until the next call.
func (p *player) answer(vision []byte, ref firasim.RefereeCommand) ([]byte, error) {
	if err := p.env.UnmarshalBinary(vision); err != nil {
		return nil, err
	}
	p.team.Play(&p.env, ref, &p.packet)
	var err error
	p.buf, err = p.packet.AppendBinary(p.buf[:0])
	return p.buf, err
}

// nowhere is the address of the built-in teams and the built-in referee.
var nowhere netip.AddrPort

// record passes on a packet that was received or sent at a time.
func (s *Server) record(at soccer.Time, from, to netip.AddrPort, data []byte) {
	if s.Record != nil {
		s.Record(at, from, to, data)
	}
}

// recordSent records a packet that is sent now, or stays within this program.
func (s *Server) recordSent(from, to netip.AddrPort, data []byte) {
	s.record(soccer.Time(time.Now().UnixNano()), from, to, data)
}

// Summary is how a run went.
type Summary struct {
	Seed        string          `json:"seed"`
	Ticks       uint64          `json:"ticks"`
	Seconds     float64         `json:"seconds"` // simulated
	Real        float64         `json:"real"`    // s that it took
	GoalsBlue   uint32          `json:"goalsBlue"`
	GoalsYellow uint32          `json:"goalsYellow"`
	In          uint64          `json:"in"`  // packets heard
	Out         uint64          `json:"out"` // packets sent
	Refused     []vss.ShowCount `json:"refused"`
}

// Summary returns how the run went so far.
func (s *Server) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	blue, yellow := s.session.Goals()
	return Summary{
		Seed: strconv.FormatUint(s.Config.Game.Seed, 10), Ticks: s.session.Ticks(), Seconds: s.session.Now().Seconds(), Real: time.Since(s.began).Seconds(),
		GoalsBlue: blue, GoalsYellow: yellow, In: s.heard.Load(), Out: s.sent.Load(), Refused: s.session.Refused(),
	}
}

// errEnded is what a caller gets when there are no more ticks.
var errEnded = errors.New("vss: the simulator has ended")

// reset starts the match again.
func (s *Server) reset() error {
	if err := s.session.Reset(); err != nil {
		return err
	}
	s.referee.begin(&s.Config)
	for i := range s.clients {
		s.clients[i].commands, s.clients[i].places = false, 0
	}
	return nil
}

// setSpeed changes how fast time goes; 0 is as fast as it can.
func (s *Server) setSpeed(x float64, now time.Time) error {
	if err := checkSpeed(x); err != nil {
		return err
	}
	s.speed, s.due = x, now
	s.guarded.Store(x > 0 && x <= 1 && !s.step.on)
	return nil
}
