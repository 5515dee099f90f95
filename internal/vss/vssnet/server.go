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

	"touchline/internal/bounded"
	"touchline/internal/vss"
	"touchline/sim"
	"touchline/soccer"
)

// Server runs a Session on the network: it receives packets at any time and sends vision after every tick.
type Server struct {
	Config Config
	Log    *slog.Logger

	// Record, if not nil, gets every packet that the server receives or sends, gRPC's messages as datagrams. Packets
	// that stay within this program have the zero AddrPort. It is called from several goroutines, must not block, and
	// keeps nothing of data. Set it before Run.
	Record func(at soccer.Time, from, to netip.AddrPort, data []byte)

	// Marked, if not nil, gets each event of the game, at the latest at the next tick. It must not block. Set it before
	// Run.
	Marked func(at soccer.Time, m vss.ShowMark)

	net      sockets
	received atomic.Uint64 // packets
	sent     atomic.Uint64 // packets
	guarded  atomic.Bool   // the rate of each sender is limited
	held     heldVision    // only the loop uses it
	wake     chan struct{}
	ended    chan struct{} // closed when Run ends

	// mu guards all fields below.
	mu         sync.Mutex
	session    *vss.Session
	teams      [2]*player // built-in teams that play in process
	step       lockstep
	started    time.Time
	clock      soccer.Clock // of records
	due        time.Time    // time of the next tick, if speed is not 0
	speed      float64      // simulated seconds a second, 0: as fast as possible
	paused     bool
	steps      int       // ticks that a paused simulation still has to make
	vision     []byte    // vision of the last tick
	visionLost bool      // the vision of the last tick is lost, or still in flight
	placed     bool      // vision does not show the latest placement yet, in a pause or while lockstep waits
	visionSent time.Time // last time that vision of a match without clients was sent
	broken     error     // vision could not be encoded
	referee    referees
	clients    bounded.Table[netip.AddrPort, client, soccer.Time]
	rates      rates
	slots      map[string]*saved // by name
}

// repeatAfter is the interval at which vision is repeated without ticks: clients may start later.
const repeatAfter = time.Second

// napFrom is the time before a tick at which the loop stops waiting for events and only sleeps.
const napFrom = 2 * time.Millisecond

// maxBehind is the delay of a tick at which the schedule restarts: a machine that stalled continues where it was,
// and does not catch up with a burst of ticks.
const maxBehind = 20 * time.Millisecond

// New returns a simulator without sockets; Open opens them. The error names the first wrong field of cfg.
func New(cfg Config, log *slog.Logger) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	session, err := vss.New(cfg.Game)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: cfg, Log: log, session: session, clock: soccer.NewClock(time.Now()),
		wake: make(chan struct{}, 1), ended: make(chan struct{}), step: newLockstep(cfg), held: heldVision{most: maxHeld},
		rates: rates{refusals: map[string]uint64{}}, slots: map[string]*saved{},
	}
	s.referee.begin(&cfg)
	for team := range s.teams {
		if cfg.Builtin[team] != "" && s.inProcess() {
			s.teams[team] = newPlayer(&cfg.Game, team, cfg.Builtin[team])
		}
	}
	if err := s.setSpeed(cfg.Speed, time.Time{}); err != nil {
		return nil, err
	}
	s.encodeVision()
	return s, nil
}

// inProcess reports whether the built-in teams play without sockets: with the same bytes, but without delay.
func (s *Server) inProcess() bool { return s.Config.Speed == 0 || s.step.on }

// Run simulates until the context or the configured duration ends. A match between the built-in teams at the highest
// speed also ends Run. Call Open before; Run closes the sockets.
func (s *Server) Run(ctx context.Context) error {
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, s.net.interrupt)()
	for _, r := range s.net.commands {
		group.Go(func() error { return s.receiveCommands(ctx, r) })
	}
	for _, e := range s.net.groups {
		group.Go(func() error { return s.receiveGroup(ctx, e) })
	}
	for _, p := range s.net.players {
		group.Go(func() error { return s.runPlayer(ctx, p) })
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

// loop runs the ticks.
func (s *Server) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	s.mu.Lock()
	s.started = time.Now()
	s.due, s.rates.at = s.started, s.started
	s.step.since = s.started.Add(-repeatAfter) // in lockstep the start positions are sent at once
	s.mu.Unlock()
	var vision []byte
	defer s.sendVision() // what is held at the end
	for ctx.Err() == nil {
		var wait time.Duration
		var paced, holds, end bool
		if vision, wait, paced, holds, end = s.advance(vision[:0]); end {
			return nil
		}
		s.holdVision(vision, !holds)
		switch {
		case wait == 0:
		case paced && wait <= napFrom:
			nap(wait)
		default:
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
	}
	return nil
}

// advance runs a tick if one is due. It appends the vision to send to buf, because commands change s.vision, and returns
// the results of nextTick, and whether vision may wait for that of the next tick.
func (s *Server) advance(buf []byte) (vision []byte, wait time.Duration, paced, holds, end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, send := time.Now(), false
	wait, paced, end = s.nextTick(now)
	switch {
	case end:
	case wait == 0:
		s.tick(now)
		send = !s.visionLost && s.sendsVision(now)
		holds = s.speed == 0 && !s.paused && !s.step.on && !s.matchAlone()
	case s.placed:
		s.placed = false
		s.session.RefreshVision()
		s.encodeVision()
		send = !s.visionLost
	case (s.paused || s.step.on) && s.step.repeatDue(now):
		send = true
	}
	if send {
		buf = append(buf, s.vision...)
	}
	return buf, wait, paced, holds, end
}

// wakeLoop makes the loop check again what it waits for.
func (s *Server) wakeLoop() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// nextTick returns the longest time to wait, 0 for a tick now; whether the schedule sets that time; and whether the
// simulation ends.
func (s *Server) nextTick(now time.Time) (wait time.Duration, paced, end bool) {
	if d := s.Config.Duration; d > 0 && s.session.Now() >= d || s.matchAlone() && s.referee.over() {
		return 0, false, true
	}
	if s.paused && s.steps == 0 {
		return s.step.untilRepeat(now), false, false
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

// matchAlone reports whether the built-in teams play against each other at the highest speed.
func (s *Server) matchAlone() bool { return s.teams[0] != nil && s.teams[1] != nil && s.speed == 0 }

// period returns the real time between two ticks.
func (s *Server) period() time.Duration {
	d := sim.Tick
	if s.Config.Game.Compat&vss.CompatClock != 0 {
		d += time.Millisecond
	}
	return time.Duration(float64(d) / s.speed)
}

// tick runs one tick, the built-in referee, and the built-in teams in process.
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
	s.placed = false
	s.encodeVision()
	s.runReferee(now)
	for team, p := range s.teams {
		if p != nil && !s.visionLost {
			s.playInProcess(team, p)
		}
	}
	s.step.ticked(now, s.session)
	for _, m := range s.session.NewMarks() {
		if s.Marked != nil {
			s.Marked(s.clock.At(now), m)
		}
	}
}

// encodeVision encodes the vision of this tick. Where it is lost or in flight, clients in lockstep get the last one
// again: they would wait for ever.
func (s *Server) encodeVision() {
	env, sent := s.session.Vision()
	if !sent && s.step.on && len(s.vision) > 0 {
		return
	}
	s.visionLost = !sent && !s.step.on
	b, err := env.AppendBinary(s.vision[:0])
	if err == nil {
		s.vision = b
		return
	}
	s.visionLost = true
	if s.broken == nil {
		s.Log.Error("vision cannot be encoded; clients receive nothing until this ends", "err", err)
	}
	s.broken = err
}

// sendsVision reports whether the vision of this tick is sent. A match between the built-in teams at the highest speed
// sends it only once in 16 ms of real time: more would flood the network and could not be followed.
func (s *Server) sendsVision(now time.Time) bool {
	if !s.matchAlone() {
		return true
	}
	if now.Sub(s.visionSent) < sim.Tick {
		s.recordSent(inProcessAddr, inProcessAddr, s.vision)
		return false
	}
	s.visionSent = now
	return true
}

// inProcessAddr is the address of the built-in teams and the built-in referee.
var inProcessAddr netip.AddrPort

// record hands a packet and its time to Record.
func (s *Server) record(at soccer.Time, from, to netip.AddrPort, data []byte) {
	if s.Record != nil {
		s.Record(at, from, to, data)
	}
}

// recordSent records a packet that is sent now or stays within this program.
func (s *Server) recordSent(from, to netip.AddrPort, data []byte) {
	s.record(s.clock.At(time.Now()), from, to, data)
}

// Summary is the result of a run.
type Summary struct {
	Seed        string          `json:"seed"`
	Ticks       uint64          `json:"ticks"`
	Seconds     float64         `json:"seconds"` // simulated
	Real        float64         `json:"real"`    // s of real time
	GoalsBlue   uint32          `json:"goalsBlue"`
	GoalsYellow uint32          `json:"goalsYellow"`
	In          uint64          `json:"in"`  // packets received
	Out         uint64          `json:"out"` // packets sent
	Refused     []vss.ShowCount `json:"refused"`
}

// Summary returns the result of the run so far.
func (s *Server) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	blue, yellow := s.session.Goals()
	return Summary{
		Seed: strconv.FormatUint(s.Config.Game.Seed, 10), Ticks: s.session.Ticks(),
		Seconds: s.session.Now().Seconds(), Real: time.Since(s.started).Seconds(),
		GoalsBlue: blue, GoalsYellow: yellow, In: s.received.Load(), Out: s.sent.Load(), Refused: s.session.Refused(),
	}
}

// errEnded is the error of calls that wait for a tick when Run ends.
var errEnded = errors.New("vss: the simulator was stopped")

// reset restarts the match.
func (s *Server) reset() error {
	if err := s.session.Reset(); err != nil {
		return err
	}
	s.referee.begin(&s.Config)
	clients := s.clients.All()
	for i := range clients {
		clients[i].Value.commands, clients[i].Value.places = false, 0
	}
	return nil
}

// setSpeed changes the speed; 0 is as fast as possible.
func (s *Server) setSpeed(x float64, now time.Time) error {
	if err := checkSpeed(x); err != nil {
		return err
	}
	s.speed, s.due = x, now
	s.guarded.Store(x > 0 && x <= 1 && !s.step.on)
	return nil
}
