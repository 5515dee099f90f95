// Package teamcomnet runs the team communication module of one robot or computer on the network (package teamcom). An
// Endpoint owns four UDP sockets on consecutive ports and those of the team's multicast groups, one goroutine for each
// module's handlers, and one that sends. It reads TCM.ini and applies its changes while it runs.
//
// Everything stays on the loopback interface unless TCM.ini gives the robot or computer another address.
//
// SendFile cuts a file into messages of the TCM, and Files put it together at its destination. The TCM does not acknowledge
// or repeat messages: a chunk that is lost stays lost. A file is delivered only if every chunk arrived and the checksum is
// right; of any other file nothing is kept, and the missing ranges are reported.
package teamcomnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire/tcm"
)

// Endpoint is a Node on the network. Its methods may be called from several goroutines.
type Endpoint struct {
	*teamcom.Node

	// Record, if not nil, gets every datagram that arrives or leaves. It is called from several goroutines, must not
	// block, and keeps nothing of data. Set it before Run.
	Record func(at soccer.Time, from, to netip.AddrPort, data []byte)

	// Impair, if not nil, simulates a bad network: it returns the delay of each copy of a datagram that arrives from an
	// address, none if the datagram is lost. It is called from several goroutines. Set it before Run.
	Impair func(from netip.AddrPort) []time.Duration

	cfg     Config
	log     *slog.Logger
	clock   soccer.Clock
	sockets atomic.Pointer[sockets]
	wake    chan struct{} // wakes the sender
	planned atomic.Int64  // when the sender wakes without it, a soccer.Time
	workers [256]*worker  // goroutine of each module

	place   place   // only Open and reload use it
	version version // version of TCM.ini; only Open and reload use it

	late chan late // datagrams that Impair delays

	sendErrors atomic.Uint64 // datagrams that the system refused
}

// Open reads TCM.ini and opens the sockets. Run runs the endpoint; without it Close closes the sockets.
func Open(cfg Config, log *slog.Logger) (*Endpoint, error) {
	e := &Endpoint{log: log, clock: soccer.NewClock(time.Now()), wake: make(chan struct{}, 1), late: make(chan late, 64)}
	e.version = versionOf(cfg.Ini)
	d, err := cfg.directory()
	if err != nil {
		return nil, err
	}
	if e.place, err = cfg.placeIn(d); err != nil {
		return nil, err
	}
	if cfg.Node.Secret, err = cfg.readKey(d); err != nil {
		return nil, err
	}
	cfg.Node.Directory = d
	if e.Node, err = teamcom.New(cfg.Node); err != nil {
		return nil, err
	}
	opened, err := cfg.openSockets(e.place, e.clock)
	if err != nil {
		return nil, err
	}
	e.sockets.Store(opened)
	e.cfg = cfg
	e.Node.Notify(e.wakeSender, e.wakeModule)
	return e, nil
}

// Now returns the time of the endpoint's clock, for Send.
func (e *Endpoint) Now() soccer.Time { return e.clock.At(time.Now()) }

// Address returns the address of the first of the four sockets.
func (e *Endpoint) Address() netip.AddrPort { return e.sockets.Load().base() }

// Drops returns the number of datagrams that the system dropped: received ones that were not read in time, and ones
// that it did not send.
func (e *Endpoint) Drops() (received, sent uint64) {
	return e.sockets.Load().drops(), e.sendErrors.Load()
}

// Close closes the sockets of an Endpoint that does not run.
func (e *Endpoint) Close() { e.sockets.Load().close() }

// handlersEnd is how long Run waits at its end for handlers that still run.
const handlersEnd = time.Second

// Run receives, sends and calls the handlers until the context ends. It closes the sockets.
func (e *Endpoint) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	s := e.sockets.Load()
	e.receiveOwn(ctx, group, s)
	e.receiveGroups(ctx, group, s)
	group.Go(func() error { return e.send(ctx) })
	if e.Impair != nil {
		group.Go(func() error { return e.deliverLate(ctx) })
	}
	group.Go(func() error {
		defer func() { e.sockets.Load().close() }() // ends the reads
		if err := e.reload(ctx, group); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	err := group.Wait()
	e.stopModules()
	return err
}

// receiveOwn starts to receive from the four sockets.
func (e *Endpoint) receiveOwn(ctx context.Context, group *errgroup.Group, s *sockets) {
	for i, own := range s.own {
		group.Go(func() error { return e.receive(ctx, tcm.Socket(i), own) })
	}
}

// receiveGroups starts to receive broadcasts.
func (e *Endpoint) receiveGroups(ctx context.Context, group *errgroup.Group, s *sockets) {
	for _, g := range s.groups {
		group.Go(func() error { return e.receiveGroup(ctx, g) })
	}
}

// receive gives the datagrams of one socket to the node.
func (e *Endpoint) receive(ctx context.Context, socket tcm.Socket, s *transport.Socket) error {
	buf := make([]byte, transport.MaxDatagram)
	at := s.LocalAddr()
	for {
		p, size, err := s.ReadBurst(buf)
		if err != nil {
			return ended(ctx, err)
		}
		burst := p.Data
		for {
			p.Data = burst[:min(size, len(burst))]
			e.record(p.Time, p.From, at, p.Data)
			e.arrive(&p, socket)
			if burst = burst[len(p.Data):]; len(burst) == 0 {
				break
			}
		}
		e.wakeEarlier()
	}
}

// receiveGroup gives the broadcasts of one class to the node.
func (e *Endpoint) receiveGroup(ctx context.Context, g groupSocket) error {
	buf := make([]byte, transport.MaxDatagram)
	at, _ := netip.ParseAddrPort(g.receiver.Channel()) // the channel is the group's address
	for {
		p, err := g.receiver.ReadPacket(buf)
		if err != nil {
			return ended(ctx, err)
		}
		e.record(p.Time, p.From, at, p.Data)
		e.arrive(&p, g.socket)
		e.wakeEarlier()
	}
}

// ended returns the error of a read, nil if the endpoint ends.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return fmt.Errorf("teamcomnet: %w", err)
}

func (e *Endpoint) record(at soccer.Time, from, to netip.AddrPort, data []byte) {
	if e.Record != nil {
		e.Record(at, from, to, data)
	}
}
