package vss

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/monitor"
	"touchline/sim"
	"touchline/wire/firasim"
)

// Live runs a Session on the network: packets are heard as they come, every tick sends vision.
type Live struct {
	Config Config
	Page   *monitor.Server // nil: nobody looks
	Log    *slog.Logger

	net     sockets
	record  *recorder     // nil: nothing is recorded
	heard   atomic.Uint64 // packets
	sent    atomic.Uint64
	guarded atomic.Bool // senders are held to a rate
	wake    chan struct{}
	ended   chan struct{} // closed when Run ends

	// All below belongs to who holds mu.
	mu      sync.Mutex
	session *Session
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
}

// repeatAfter is how long time stands still until vision is sent again, for those who were not there yet.
const repeatAfter = time.Second

// napFrom is how long before a tick the loop stops listening and only waits.
const napFrom = 2 * time.Millisecond

// maxBehind is how late a tick may come before the schedule is given up for a new one: a machine that stood still goes on
// where it was, and does not catch up with a burst.
const maxBehind = 20 * time.Millisecond

// NewLive prepares a simulator; no socket is open yet. The error names the first wrong field of cfg.
func NewLive(cfg Config, log *slog.Logger) (*Live, error) {
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	l := &Live{
		Config: cfg, Log: log, session: s,
		wake: make(chan struct{}, 1), ended: make(chan struct{}), step: newLockstep(cfg),
	}
	l.referee.begin(&cfg, s.field)
	for team := range l.teams {
		if cfg.Builtin[team] && l.inProcess() {
			l.teams[team] = newPlayer(&cfg, team)
		}
	}
	if err := l.setSpeed(cfg.Speed, time.Time{}); err != nil {
		return nil, err
	}
	l.look()
	return l, nil
}

// inProcess reports whether the built-in teams play without sockets: the same bytes, but they are never late.
func (l *Live) inProcess() bool { return l.Config.Speed == 0 || l.step.on }

// Run plays until the context or the configured duration ends, or the match, where the built-in teams play it alone as
// fast as they can. Open comes first; Run closes what that opened.
func (l *Live) Run(ctx context.Context) error {
	defer l.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, l.net.interrupt)()
	for _, r := range l.net.commands {
		group.Go(func() error { return l.listen(ctx, r) })
	}
	for _, e := range l.net.ears {
		group.Go(func() error { return l.overhear(ctx, e) })
	}
	for _, p := range l.net.players {
		group.Go(func() error { return l.playOn(ctx, p) })
	}
	for _, tcp := range l.net.services {
		group.Go(func() error { return l.serveSimulate(ctx, tcp) })
	}
	group.Go(func() error { return l.show(ctx) })
	group.Go(func() error {
		defer cancel()
		defer close(l.ended)
		return l.loop(ctx)
	})
	return group.Wait()
}

// loop makes the ticks.
func (l *Live) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	l.mu.Lock()
	l.began = time.Now()
	l.due, l.rates.at = l.began, l.began
	l.step.since = l.began.Add(-repeatAfter) // in lockstep the start is shown at once
	l.mu.Unlock()
	for ctx.Err() == nil {
		l.mu.Lock()
		now := time.Now()
		wait, paced, end := l.next(now)
		send := false
		switch {
		case end:
			l.mu.Unlock()
			return nil
		case wait == 0:
			l.tick(now)
			send = !l.mute && l.worthSending(now)
		case l.stale:
			l.stale = false
			l.session.Renew()
			l.look()
			send = !l.mute
		case (l.paused || l.step.on) && l.step.repeat(now):
			send = true
		}
		l.mu.Unlock()
		if send {
			l.sendVision()
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
		case <-l.wake:
		}
	}
	return nil
}

// poke lets the loop look again at what it waits for.
func (l *Live) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// next returns how long it is until something may happen, 0 for a tick now, whether that is by the schedule, and whether
// all is over.
func (l *Live) next(now time.Time) (wait time.Duration, paced, end bool) {
	alone := l.teams[0] != nil && l.teams[1] != nil && l.speed == 0
	if d := l.Config.Duration; d > 0 && l.session.Now() >= d || alone && l.referee.over() {
		return 0, false, true
	}
	if l.paused && l.steps == 0 {
		return l.step.again(now), false, false
	}
	if l.speed > 0 {
		if wait = l.due.Sub(now); wait > 0 {
			return wait, true, false
		}
	}
	if l.step.on {
		return l.step.wait(now, l.session), false, false
	}
	return 0, false, false
}

// period returns how long a tick takes in real time.
func (l *Live) period() time.Duration {
	d := sim.Tick
	if l.Config.Compat&CompatClock != 0 {
		d += time.Millisecond
	}
	return time.Duration(float64(d) / l.speed)
}

// tick makes one tick and lets those within this program see it.
func (l *Live) tick(now time.Time) {
	if l.paused {
		l.steps--
	}
	if l.speed > 0 {
		period := l.period()
		if now.Sub(l.due) > max(period, maxBehind) {
			l.due = now
		}
		l.due = l.due.Add(period)
	}
	l.session.Tick()
	l.stale = false
	l.look()
	l.officiate(now)
	for team, p := range l.teams {
		if p != nil && !l.mute {
			l.letPlay(team, p)
		}
	}
	l.step.ticked(now, l.session)
}

// look writes down the vision of this tick. Where it is lost or still under way, clients in lockstep get the last one
// again: they would wait for ever.
func (l *Live) look() {
	env, sent := l.session.Vision()
	if !sent && l.step.on && len(l.vision) > 0 {
		return
	}
	l.mute = !sent && !l.step.on
	b, err := env.AppendBinary(l.vision[:0])
	if err == nil {
		l.vision = b
		return
	}
	l.mute = true
	if l.broken == nil {
		l.Log.Error("this moment cannot be told to the clients", "err", err)
	}
	l.broken = err
}

// letPlay lets a team within this program answer the vision of this tick, in the bytes of the wire.
func (l *Live) letPlay(team int, p *player) {
	b, err := p.answer(l.vision, l.referee.command())
	if err == nil {
		err = p.back.UnmarshalBinary(b)
	}
	if err != nil {
		l.session.refuse(noPacket, refusal{robot: nobody})
		return
	}
	l.recordPacket(nowhere, nowhere, b)
	l.session.Hear(nowhere, &p.back)
}

// worthSending keeps a match of the built-in teams alone, as fast as it goes, from filling the network: nobody could
// follow. Once a tick's time is enough to watch it.
func (l *Live) worthSending(now time.Time) bool {
	if l.teams[0] == nil || l.teams[1] == nil || l.speed > 0 {
		return true
	}
	if now.Sub(l.watched) < sim.Tick {
		l.recordPacket(nowhere, nowhere, l.vision)
		return false
	}
	l.watched = now
	return true
}

// player is a built-in team on either side of the wire.
type player struct {
	team   *Team
	number int // 0 blue, 1 yellow
	env    firasim.Environment
	packet firasim.Packet
	back   firasim.Packet // the packet as the simulator reads it
	buf    []byte
}

func newPlayer(cfg *Config, team int) *player {
	return &player{team: NewTeam(team == 1, cfg.field(), cfg.Robots, cfg.Seed), number: team}
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

// Summary is how a run went.
type Summary struct {
	Seed        string      `json:"seed"`
	Ticks       uint64      `json:"ticks"`
	Seconds     float64     `json:"seconds"` // simulated
	Real        float64     `json:"real"`    // s that it took
	GoalsBlue   uint32      `json:"goalsBlue"`
	GoalsYellow uint32      `json:"goalsYellow"`
	In          uint64      `json:"in"`  // packets heard
	Out         uint64      `json:"out"` // packets sent
	Refused     []ShowCount `json:"refused"`
	RecordError string      `json:"recordError"` // why the record is not whole; "" if it is, or there is none
}

// Summary returns how the run went so far.
func (l *Live) Summary() Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, trouble := l.session, ""
	if l.record != nil {
		trouble = l.record.trouble()
	}
	return Summary{
		Seed: strconv.FormatUint(l.Config.Seed, 10), Ticks: s.ticks, Seconds: s.Now().Seconds(), Real: time.Since(l.began).Seconds(),
		GoalsBlue: s.goals[0], GoalsYellow: s.goals[1], In: l.heard.Load(), Out: l.sent.Load(), Refused: s.Refused(), RecordError: trouble,
	}
}

// errEnded is what a caller gets when there are no more ticks.
var errEnded = errors.New("vss: the simulator has ended")

// reset starts the match again.
func (l *Live) reset() error {
	if err := l.session.Reset(); err != nil {
		return err
	}
	l.referee.begin(&l.Config, l.session.field)
	for i := range l.clients {
		l.clients[i].commands, l.clients[i].places = false, 0
	}
	return nil
}

// setSpeed changes how fast time goes; 0 is as fast as it can.
func (l *Live) setSpeed(x float64, now time.Time) error {
	if err := checkSpeed(x); err != nil {
		return err
	}
	l.speed, l.due = x, now
	l.guarded.Store(x > 0 && x <= 1 && !l.step.on)
	return nil
}
