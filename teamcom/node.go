// Package teamcom is the team communication module of TeamChaos (TeamChaos paper, section 3): modules send messages of
// any type to a robot, to all robots or to computers over UDP, and handlers receive them by type. There are no
// connections, acknowledgements or retransmissions.
//
// A Node is the module of one robot or computer. Its program gives it the datagrams that arrive (Receive), sends those
// that the node returns (Next, at Wake) and lets each Module run its handlers (Run). The node has no socket, clock or
// goroutine, and in steady state it does not allocate. Every bound has a counter in its Report.
//
// Package teamcom runs a node on sockets. docs/teamcom.md describes the datagrams.
package teamcom

import (
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Never is the time that Wake returns when the node waits for nothing.
const Never soccer.Time = math.MaxInt64

// Unlimited is a Budget that does not pace: 2 GB/s, more than a socket takes.
const Unlimited = math.MaxInt32

// maxPartialBytes bounds the slabs of all senders together: 2 MiB for each of 32.
const maxPartialBytes = 64 << 20

// Bounds of one sender's state in a node (docs/teamcom.md, "Bounds of our node").
const (
	maxPartials    = 8                              // incomplete messages
	maxSenderBytes = 4 << 20                        // bytes of the slabs that hold their pieces
	maxPieces      = maxSenderBytes / tcm.PieceSize // pieces of one message, with its parity
	partialIdle    = 500 * time.Millisecond
	maxStreams     = 64 // destinations, modules and types whose numbers a node remembers
)

// Config configures a node.
type Config struct {
	Self tcm.Entity // this robot or computer; its ID is 1..255
	Name string     // shown in reports, for example "CAMBADA 3". Default ""
	Team uint8      // number of the team, 1..255; a Directory has its own. Other teams' datagrams are refused. Default 1
	// Boot is greater after each start of the same entity: tenths of a second since 2020-01-01. Default 1
	Boot uint32
	// Secret is the contents of the team's key file, at least 16 bytes. With it the node signs its datagrams and refuses
	// those that are not signed with it. Default nil, unsigned
	Secret []byte
	// Directory has the addresses of the team. With it the node refuses senders that are not listed. Default nil: every
	// sender is accepted, and Outgoing has no addresses
	Directory *Directory
	Types     map[tcm.Type]Options // options of types. Default DefaultOptions of each type
	Queues    [tcm.Sockets]Limits  // outgoing messages of each class. Default 1,024 messages, 8 MiB (bulk) or 1 MiB
	Budget    [tcm.Sockets]int     // bytes/s of each class that leave, 1 or more. Default 2,000,000
	Modules   Limits               // messages that wait for the handlers of each module. Default 256 messages, 8 MiB
	Senders   int                  // robots and computers that the node listens to, 1..510. Default 32
	// Beacon is the time after which the node answers a silent link: it sends a datagram without a message to each sender
	// of the last 3 s. With it both sides measure latency and clock offset. 0: no beacons. Default 500 ms
	Beacon  time.Duration
	Timeout time.Duration // a sender that is silent for longer is down. Default 900 ms
	// Lean leaves out the counts and latencies of links and types, where nobody reads a Report. Default false
	Lean bool
}

// Limits bound a queue: the number of its messages, and the bytes of their buffers, which are up to a quarter larger
// than the messages and have at least 256 bytes.
type Limits struct{ Messages, Bytes int }

// DefaultConfig returns the Config of a node.
func DefaultConfig(self tcm.Entity) Config {
	const rate = 2_000_000
	control := Limits{Messages: 1024, Bytes: 1 << 20}
	bulk := Limits{Messages: 1024, Bytes: 8 << 20}
	return Config{
		Self: self, Team: 1, Boot: 1,
		Queues:  [tcm.Sockets]Limits{tcm.Robots: control, tcm.Bulk: bulk, tcm.Telemetry: control, tcm.Command: control},
		Budget:  [tcm.Sockets]int{rate, rate, rate, rate},
		Modules: Limits{Messages: 256, Bytes: 8 << 20},
		Senders: 32, Beacon: 500 * time.Millisecond, Timeout: 900 * time.Millisecond,
	}
}

func (c *Config) validate() error {
	if (c.Self.Kind != tcm.Robot && c.Self.Kind != tcm.Computer) || c.Self.ID == 0 {
		return fmt.Errorf("teamcom: a node of %v: want one robot or computer, for example robot:3", c.Self)
	}
	if c.Team == 0 && c.Directory == nil {
		return fmt.Errorf("teamcom: team 0: want 1 to 255")
	}
	if c.Senders < 1 || c.Senders > 510 {
		return fmt.Errorf("teamcom: %d senders: want 1 to 510", c.Senders)
	}
	if c.Beacon < 0 {
		return fmt.Errorf("teamcom: a beacon each %v: want 0 (none) or more, for example 500ms", c.Beacon)
	}
	for s, limits := range c.Queues {
		if limits.Messages < 1 || limits.Bytes < 1 {
			return fmt.Errorf("teamcom: the %v queue has room for %d messages and %d bytes: want 1 or more of each",
				tcm.Socket(s), limits.Messages, limits.Bytes)
		}
		if c.Budget[s] < 1 {
			return fmt.Errorf("teamcom: a budget of %d bytes/s for %v: want 1 or more, for example 2000000",
				c.Budget[s], tcm.Socket(s))
		}
	}
	if c.Modules.Messages < 1 || c.Modules.Bytes < 1 {
		return fmt.Errorf("teamcom: a module's queue has room for %d messages and %d bytes: want 1 or more of each",
			c.Modules.Messages, c.Modules.Bytes)
	}
	return nil
}

// Node is the team communication module of one robot or computer. Its methods may be called concurrently; handlers run
// outside its lock.
type Node struct {
	mu  sync.Mutex
	cfg Config
	key *tcm.Key

	started   soccer.Time // first call of Receive or Next
	modules   [256]*Module
	listeners []listeners
	pool      pool
	spares    struct { // memory for reuse
		message  *message
		partial  *partial
		encoding []byte
	}
	delivered func(*Module)
	queued    func()

	// sending
	queues    [tcm.Sockets]queue
	numbers   map[streamKey]uint32
	sequences [2][256][tcm.Sockets]uint64
	parity    [tcm.PieceSize]byte
	head      tcm.Header
	piece     tcm.Piece

	routes     map[route][]netip.AddrPort
	nextBeacon soccer.Time

	// receiving
	datagram     tcm.Datagram
	senders      [2][256]*sender
	active       []*sender // ordered by their first datagram
	partialBytes int       // bytes of the slabs of all senders
	expiry       soccer.Time
	refused      RefusedReport
	dropped      DroppedReport
	repaired     uint64
}

// New returns a node.
func New(cfg Config) (*Node, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	n := &Node{
		cfg: cfg, numbers: map[streamKey]uint32{}, expiry: Never,
		routes: map[route][]netip.AddrPort{}, nextBeacon: Never,
	}
	if cfg.Directory != nil {
		n.cfg.Team = cfg.Directory.Team
	}
	if cfg.Secret != nil {
		key, err := tcm.NewKey(cfg.Secret)
		if err != nil {
			return nil, fmt.Errorf("teamcom: %w", err)
		}
		n.key = key
	}
	for s := range n.queues {
		n.queues[s].socket = tcm.Socket(s)
		n.queues[s].limits = cfg.Queues[s]
		n.queues[s].budget = cfg.Budget[s]
	}
	return n, nil
}

// Self returns the node's entity.
func (n *Node) Self() tcm.Entity { return n.cfg.Self }

// Notify sets functions for a shell that waits. The node calls queued after a message was queued to leave, and
// delivered after one was added to a module's queue. Both must return at once and may not call the node. It is called
// before the node is used.
func (n *Node) Notify(queued func(), delivered func(*Module)) {
	n.queued, n.delivered = queued, delivered
}

// start keeps the time at which the node started.
func (n *Node) start(now soccer.Time) {
	if n.started == 0 {
		n.started = now
	}
}

// options returns how messages of a type travel.
func (n *Node) options(t tcm.Type) Options {
	if o, ok := n.cfg.Types[t]; ok {
		return o
	}
	return DefaultOptions(t)
}

// streamKey identifies messages that are numbered together.
type streamKey struct {
	to     tcm.Entity
	module tcm.Module
	typ    tcm.Type
}
