// Package refboxnet runs the referee box of package refbox: the sockets of the base stations and score clients, the
// journal on disk, recovery after a crash, and the standby on a second laptop.
//
// A Server opens its TCP port itself: only after it has locked the folder of the journals, so that a second referee box
// on the same folder never accepts a team, and, on a standby, only when it takes over.
package refboxnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
)

// Config describes a referee box on a network. DefaultConfig returns it filled; zero means zero.
type Config struct {
	Box refbox.Config
	// Listen is the TCP address for base stations; port 0 stands for any available port. Default 127.0.0.1:28097
	// (RefBox 2.1).
	Listen string
	// Dir is the folder of journals, logs and the token; it is created. Default "touchline-games".
	Dir string
	// New begins a new game instead of resuming an unfinished one. Default false.
	New bool
	// Token is the referee's token. Default "": the token stored in Dir, a random one at the first start.
	Token string
	// ScoreClients receive the score 20 times a second over UDP. Default 127.0.0.1:12345 (RefBox 2.1).
	ScoreClients []netip.AddrPort
	// Tap receives each message of the journal, also if the disk refuses it. It must not block and not keep the
	// message's Data. Default nil.
	Tap func(matchlog.Message)
}

// DefaultConfig returns the configuration of a referee box for this machine alone.
func DefaultConfig() Config {
	return Config{
		Box: refbox.DefaultConfig(), Listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(msl.Port)),
		Dir:          "touchline-games",
		ScoreClients: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:12345")},
	}
}

// Server runs a refbox.Box: base stations connect over TCP, the referee uses Command. One goroutine, the loop, owns the
// box and the journal. It never waits for a team, a page or the disk: the messages of a decision wait until the journal
// is on disk, and everything else continues meanwhile.
type Server struct {
	Config Config
	Log    *slog.Logger
	// Changed is called when pages have something new to show before their next period; nil: not called.
	Changed func()

	token        string
	tokenTrouble string   // why the token is not stored; "": it is
	resumed      string   // the resumed game, as text
	copied       string   // the journal to resume; "": the newest unfinished one
	older        []string // other unfinished journals
	lock         *os.File // held while this program uses Dir
	listener     *net.TCPListener
	score        *net.UDPConn // nil without score clients
	clock        soccer.Clock
	hold         hold          // of clock
	skew         time.Duration // clock of the laptop that this one took over from, less this laptop's
	tail         *tail         // running journal, which standbys copy

	tookOver        soccer.Time // time of its takeover from another one; 0: none
	copiedDecisions int         // decisions in the journal that it took over
	successor       atomic.Pointer[successor]

	calls    chan func(now soccer.Time) // calls of the referee, which have priority
	queries  chan func(now soccer.Time) // calls of pages
	accepted chan *conn
	next     refbox.ConnID  // last number that accept gave
	received chan *conn     // its data waits for the loop
	left     chan *conn     // it has ended
	out      chan *delivery // all teams were sent a decision
	departed chan departure
	synced   chan synced
	truth    chan matchlog.Message
	events   chan []byte    // datagrams for the score clients
	running  atomic.Value   // string: name of the game whose log needs the token; "": none
	ended    chan struct{}  // closed when the loop has ended
	sockets  sync.WaitGroup // goroutines of connections
	files    sync.WaitGroup // goroutines of journals

	// The loop owns the rest.
	box            *refbox.Box
	journal        *journal
	retired        []*journal // journals of earlier games, oldest first
	lost           int        // decisions that their journals never stored
	conns          map[refbox.ConnID]*conn
	pending        []pendingSend
	clockCheckedAt time.Time     // time of the last check of the machine's clock
	clockAhead     time.Duration // machine's clock less ours
	jumpedAt       time.Time     // time of the last jump of the machine's clock
}

// errEnded is returned to callers after the loop has ended.
var errEnded = errors.New("refboxnet: the referee box has stopped")

// New prepares a referee box without opening anything. The error names the first invalid field of cfg.
func New(cfg Config, log *slog.Logger) (*Server, error) {
	if _, err := net.ResolveTCPAddr("tcp", cfg.Listen); err != nil {
		return nil, fmt.Errorf("refboxnet: the address for base stations %q: want an address and a port, for example 127.0.0.1:%d: %w",
			cfg.Listen, msl.Port, err)
	}
	if cfg.Dir == "" {
		return nil, errors.New("refboxnet: the journal needs a folder: none is given")
	}
	for _, id := range []int{cfg.Box.HomeID, cfg.Box.AwayID} {
		if id != 0 && refbox.TeamByID(cfg.Box.Teams, id).ID == 0 {
			return nil, fmt.Errorf("refboxnet: team %d is not in the team table", id)
		}
	}
	for _, to := range cfg.ScoreClients {
		if !to.IsValid() || to.Port() == 0 {
			return nil, fmt.Errorf("refboxnet: score client %v: want an address and a port, for example 127.0.0.1:12345", to)
		}
	}
	cfg.Box.MaxWaiting = transport.Share(cfg.Box.MaxWaiting, 4)
	return &Server{
		Config: cfg, Log: log,
		calls: make(chan func(soccer.Time)), queries: make(chan func(soccer.Time)), accepted: make(chan *conn),
		received: make(chan *conn), left: make(chan *conn), out: make(chan *delivery, 64), synced: make(chan synced),
		truth: make(chan matchlog.Message, 64), events: make(chan []byte, 64), ended: make(chan struct{}),
		departed: make(chan departure, maxBursts), tail: newTail(),
		conns: map[refbox.ConnID]*conn{},
	}, nil
}

// Open locks the folder, resumes the game in it or begins one, and opens the sockets. The context bounds the opening
// alone.
func (srv *Server) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			srv.close()
		}
	}()
	if err := srv.lockFolder(); err != nil {
		return err
	}
	listen := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 5}}
	listener, err := listen.Listen(ctx, "tcp", srv.Config.Listen)
	if err != nil {
		why := cmp.Or(transport.ForeignAddress(err), "another referee box may run there: stop it, or choose another address")
		return fmt.Errorf("refboxnet: no connections at %s: %w; %s", srv.Config.Listen, err, why)
	}
	srv.listener = listener.(*net.TCPListener)
	if len(srv.Config.ScoreClients) > 0 {
		if srv.score, err = net.ListenUDP("udp", nil); err != nil {
			return fmt.Errorf("refboxnet: no socket for the score clients: %w", err)
		}
	}
	if err := srv.openGame(); err != nil {
		return err
	}
	srv.box.Trouble("token", srv.tokenTrouble)
	return nil
}

// Addr returns the address for base stations, after Open.
func (srv *Server) Addr() netip.AddrPort { return srv.listener.Addr().(*net.TCPAddr).AddrPort() }

// Resumed describes the resumed game, like "20260703_155014: CAMBADA 2 : 1 Tech United, second half 11:42"; "" for a
// new one.
func (srv *Server) Resumed() string { return srv.resumed }

// Token returns the referee's token, after Open.
func (srv *Server) Token() string { return srv.token }

// Over reports whether there is no game to resume here: it is over, nothing has happened in it, or another referee box
// took it over. Call it after Run.
func (srv *Server) Over() bool {
	return srv.successor.Load() != nil || !srv.box.InProgress() || srv.box.Untouched()
}

// Close releases what Open opened, if Run is not called.
func (srv *Server) Close() {
	srv.close()
	if srv.journal == nil || srv.journal.w == nil {
		return
	}
	err := srv.journal.w.Abandon()
	if err == nil && srv.box.Untouched() {
		err = srv.journal.remove()
	}
	if err != nil {
		srv.Log.Warn("closing the journal failed", "err", err)
	}
}

// close releases what Open opened, except the journal.
func (srv *Server) close() {
	if srv.listener != nil {
		srv.listener.Close()
	}
	if srv.score != nil {
		srv.score.Close()
	}
	if srv.lock != nil {
		srv.lock.Close()
	}
}

// Run referees until the context ends, then closes what Open opened. An unfinished game is resumed by the next start.
func (srv *Server) Run(ctx context.Context) error {
	defer srv.close()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() { srv.listener.Close() })()
	srv.startJournal()
	srv.files.Go(srv.closeOlder)
	group.Go(func() error { return srv.accept(ctx) })
	group.Go(func() error { return srv.sendScore(ctx) })
	group.Go(func() error {
		defer close(srv.ended)
		return srv.loop(ctx)
	})
	err := group.Wait()
	for _, c := range srv.conns {
		srv.hangUp(c)
	}
	srv.sockets.Wait()
	lost := srv.endJournals()
	srv.files.Wait()
	if srv.box.Untouched() && err == nil && lost == nil {
		err = srv.journal.remove()
	}
	return errors.Join(err, lost)
}

// Now returns the time of the server's clock, which is that of its log.
func (srv *Server) Now() soccer.Time { return srv.at(time.Now()) }

// at returns the time of the server's clock at now.
func (srv *Server) at(now time.Time) soccer.Time {
	srv.hold.Lock()
	defer srv.hold.Unlock()
	if since := srv.hold.since; !since.IsZero() && now.After(since) {
		now = since
	}
	return srv.clock.At(now).Add(-srv.hold.passed)
}

// hold is how the clock of a server stands still.
type hold struct {
	sync.Mutex
	since  time.Time     // zero: it runs
	passed time.Duration // in which it stood
}

// Hold stops the clock of the server, or lets it go on: that of a simulated field that stands still. Messages that
// arrive meanwhile have one time.
func (srv *Server) Hold(on bool) {
	srv.hold.Lock()
	defer srv.hold.Unlock()
	switch now := time.Now(); {
	case on && srv.hold.since.IsZero():
		srv.hold.since = now
	case !on && !srv.hold.since.IsZero():
		srv.hold.passed += now.Sub(srv.hold.since)
		srv.hold.since = time.Time{}
	}
}
