package refboxnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/wire/msl"
)

// LiveConfig says where a referee box is and what it keeps. DefaultLiveConfig returns it filled; zero means zero.
type Config struct {
	Box refbox.Config
	// Listen is where base stations connect over TCP. Default 127.0.0.1:28097, the port of RefBox 2.1; port 0 is a free
	// one.
	Listen string
	// Dir is the folder of journals, logs and the token; it is created. Default "touchline-games".
	Dir string
	// New begins a new game where an unfinished one would be gone on with.
	New bool
	// Token is the referee's; "" takes the one that Dir keeps, a random one at the first start.
	Token string
	// ScoreClients hear the score 20 times a second over UDP. Default 127.0.0.1:12345, as RefBox 2.1.
	ScoreClients []netip.AddrPort
	// Tap gets each message of the journal, also when the disk refuses it. It must neither block nor keep the message's Data.
	// Default nil.
	Tap func(matchlog.Message)
}

// DefaultLiveConfig returns the configuration of a referee box on this machine alone.
func DefaultConfig() Config {
	return Config{
		Box: refbox.DefaultConfig(), Listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(msl.Port)), Dir: "touchline-games",
		ScoreClients: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:12345")},
	}
}

// Live runs a Box on the network: base stations speak to it over TCP, the referee by the page. One goroutine, the loop,
// owns the Box and the journal. It never waits for a team, a page or the disk: what a decision sends is held until the
// journal is on the disk, and all else goes on meanwhile.
type Server struct {
	Config Config
	Log    *slog.Logger
	// Changed is called when pages have something new to show before their next period; nil: not called.
	Changed func()

	token    string
	resumed  string   // the game that goes on, in words
	copied   string   // the journal to go on with; "": the newest one that is not finished
	older    []string // other journals that were left unfinished
	lock     *os.File // held while this program has Dir
	listener *net.TCPListener
	score    *net.UDPConn // nil: nobody hears the score
	clock    soccer.Clock
	skew     time.Duration // of the clock that the game went by before this laptop took over; 0: this one's
	tail     *journalTail  // for who follows

	calls    chan func(now soccer.Time) // the referee's: they come before everything else
	asks     chan func(now soccer.Time) // the page's
	accepted chan *conn
	next     refbox.ConnID  // accept's
	heard    chan *conn     // has something for the loop in conn.data
	left     chan *conn     // nothing more comes from it
	out      chan *delivery // a decision that all teams were sent
	synced   chan synced
	truth    chan matchlog.Message
	events   chan []byte    // to the score clients
	running  atomic.Value   // string: the game whose log needs the token; "" for none
	ended    chan struct{}  // closed when the loop has ended
	sockets  sync.WaitGroup // goroutines of connections
	files    sync.WaitGroup // goroutines of journals

	// All below belongs to the loop.
	box     *refbox.Box
	journal *journal
	retired []*journal // of the games before: the oldest first
	lost    int        // decisions that their journals never took
	conns   map[refbox.ConnID]*conn
	held    []held
	checked time.Time     // when the machine's clock was last looked at
	ahead   time.Duration // how far the machine's clock is before ours
	leapt   time.Time     // when it last was another way
}

const (
	tickEvery  = 10 * time.Millisecond
	scoreEvery = 50 * time.Millisecond // 20 Hz, as RefBox 2.1
	// A disk that takes longer is not waited for: the game goes on, and the referee is told.
	maxSync = 2 * time.Second
	// How long the answer to a decision waits for the teams' sockets to take it.
	maxDelivery = time.Second
	// A machine's clock that goes otherwise than time does by more is told of.
	clockSlack = 2 * time.Second
)

// errEnded is what a caller gets when nothing is decided any more.
var errEnded = errors.New("refbox: the referee box has ended")

// held is what is sent when the journal is on the disk up to a mark.
type held struct {
	journal *journal
	mark    uint64
	since   time.Time
	e       refbox.Effects // of which it is Send, Close and Score
	written bool           // the journal could be written
	d       *delivery      // nil: it is no decision's
}

// NewLive prepares a referee box; nothing is opened yet. The error names the first wrong field of cfg.
func New(cfg Config, log *slog.Logger) (*Server, error) {
	if _, err := net.ResolveTCPAddr("tcp", cfg.Listen); err != nil {
		return nil, fmt.Errorf("refbox: Listen %q: want an address and a port, like 127.0.0.1:%d: %w", cfg.Listen, msl.Port, err)
	}
	if cfg.Dir == "" {
		return nil, errors.New("refbox: Dir is empty: the journal needs a folder")
	}
	for _, id := range []int{cfg.Box.HomeID, cfg.Box.AwayID} {
		if id != 0 && refbox.TeamByID(cfg.Box.Teams, id).ID == 0 {
			return nil, fmt.Errorf("refbox: team %d is not in the team table", id)
		}
	}
	for _, to := range cfg.ScoreClients {
		if !to.IsValid() || to.Port() == 0 {
			return nil, fmt.Errorf("refbox: ScoreClients: %v is no address with a port", to)
		}
	}
	return &Server{
		Config: cfg, Log: log,
		calls: make(chan func(soccer.Time)), asks: make(chan func(soccer.Time)), accepted: make(chan *conn), heard: make(chan *conn),
		left: make(chan *conn), out: make(chan *delivery, 64), synced: make(chan synced), truth: make(chan matchlog.Message, 64), events: make(chan []byte, 64),
		ended: make(chan struct{}), tail: newJournalTail(), conns: map[refbox.ConnID]*conn{},
	}, nil
}

// Open takes the folder, goes on with the game that was left there or begins one, and opens the sockets. The context
// bounds the opening alone.
func (l *Server) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if err := l.takeDir(); err != nil {
		return err
	}
	listen := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 5}}
	listener, err := listen.Listen(ctx, "tcp", l.Config.Listen)
	if err != nil {
		return fmt.Errorf("refbox: base stations cannot be heard at %s: %w; another referee box may run there: end it, or listen elsewhere", l.Config.Listen, err)
	}
	l.listener = listener.(*net.TCPListener)
	if len(l.Config.ScoreClients) > 0 {
		if l.score, err = net.ListenUDP("udp", nil); err != nil {
			return fmt.Errorf("refbox: no socket for the score: %w", err)
		}
	}
	return l.openGame()
}

// Addr returns where base stations connect; Open comes first.
func (l *Server) Addr() netip.AddrPort { return l.listener.Addr().(*net.TCPAddr).AddrPort() }

// Resumed says which game goes on, like "20260703_155014: CAMBADA 2 : 1 Tech United, second half 11:42"; "" after a new
// beginning.
func (l *Server) Resumed() string { return l.resumed }

// Token returns the referee's token; Open comes first.
func (l *Server) Token() string { return l.token }

// Over reports whether the next start begins another game: this one is over, or nothing has happened in it. Run comes
// first.
func (l *Server) Over() bool { return !l.box.InProgress() || l.box.Untouched() }

// Close gives back what Open took where Run does not come.
func (l *Server) Close() {
	l.close()
	if l.journal == nil || l.journal.w == nil {
		return
	}
	err := l.journal.w.Abandon()
	if err == nil && l.box.Untouched() {
		err = os.Remove(l.journal.path)
	}
	if err != nil {
		l.Log.Warn("the journal could not be closed", "err", err)
	}
}

// close gives back what Open took, but for the journal.
func (l *Server) close() {
	if l.listener != nil {
		l.listener.Close()
	}
	if l.score != nil {
		l.score.Close()
	}
	if l.lock != nil {
		l.lock.Close()
	}
}

// Run referees until the context ends, and closes what Open opened. A game that is not over stays unfinished: the next
// start goes on with it.
func (l *Server) Run(ctx context.Context) error {
	defer l.close()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() { l.listener.Close() })()
	l.startJournal()
	l.files.Go(l.finishOlder)
	group.Go(func() error { return l.accept(ctx) })
	group.Go(func() error { return l.tellScore(ctx) })
	group.Go(func() error {
		defer close(l.ended)
		return l.loop(ctx)
	})
	err := group.Wait()
	for _, c := range l.conns {
		l.hangUp(c)
	}
	l.sockets.Wait()
	lost := l.endJournals()
	l.files.Wait()
	if l.box.Untouched() && err == nil && lost == nil {
		err = os.Remove(l.journal.path)
	}
	return errors.Join(err, lost)
}

func (l *Server) now() soccer.Time { return l.clock.At(time.Now()) }

// loop owns the box. The referee comes first: between any two things that it does it looks for a decision.
func (l *Server) loop(ctx context.Context) error {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		l.urgent()
		select {
		case <-ctx.Done():
			return nil
		case f := <-l.calls:
			f(l.now())
		case s := <-l.synced:
			l.release(s)
		case c := <-l.accepted:
			l.conns[c.id] = c
			l.apply(l.box.Connect(l.now(), c.id, c.addr))
		case c := <-l.heard:
			l.hear(c)
		case c := <-l.left:
			l.part(c)
		case d := <-l.out:
			l.wentOut(d)
		case f := <-l.asks:
			f(l.now())
		case m := <-l.truth:
			l.journal.write(m)
		case <-ticker.C:
			l.tick()
		}
	}
}

// urgent does what does not wait: the referee's calls, and what they sent once the disk has it.
func (l *Server) urgent() {
	for {
		select {
		case f := <-l.calls:
			f(l.now())
		case s := <-l.synced:
			l.release(s)
		default:
			return
		}
	}
}

// tick lets time pass. What was read by then comes first: it counts for windows that are to be closed.
func (l *Server) tick() {
	now := time.Now()
	for range l.conns {
		select {
		case c := <-l.heard:
			l.hear(c)
			continue
		default:
		}
		break
	}
	l.apply(l.box.Tick(l.clock.At(now)))
	l.journal.retry(now, l.clock.At(now))
	l.retire(now)
	l.box.Trouble("disk", l.diskTrouble())
	l.running.Store(l.runningName())
	l.tail.set(l.journal.length())
	for len(l.held) > 0 && now.Sub(l.held[0].since) > maxSync {
		l.box.Trouble("slow disk", fmt.Sprintf("the disk did not answer for %v: decisions were sent before they were kept", maxSync))
		l.journal.note(l.now(), "the disk did not answer: a decision was sent before it was kept")
		l.deliver(l.held[0], false)
		l.held = l.held[1:]
	}
	if now.Sub(l.checked) >= time.Second {
		l.checkClock(now)
	}
}

// checkClock tells of a machine's clock that was set, or of a machine that slept: the game's clocks took no part in it.
func (l *Server) checkClock(now time.Time) {
	ahead := soccer.Time(now.UnixNano()).Sub(l.clock.At(now))
	if d := ahead - l.ahead; !l.checked.IsZero() && (d > clockSlack || d < -clockSlack) {
		text := fmt.Sprintf("the clock of this machine leapt by %v: it was set, or the machine slept; the game's clocks did not leap, correct them if need be", d.Round(time.Second))
		l.box.Trouble("clock", text)
		l.journal.note(l.now(), text)
		l.Log.Warn(text)
		l.leapt = now
	} else if now.Sub(l.leapt) > time.Minute {
		l.box.Trouble("clock", "")
	}
	l.ahead, l.checked = ahead, now
}

// hear gives the box what a connection read, message by message; a decision never waits for more than one of them.
func (l *Server) hear(c *conn) {
	var t turn
	now := l.clock.At(c.at)
	c.split.Split(c.data, func(m []byte) {
		l.apply(l.box.Receive(now, c.id, m))
		t.messages++
		l.urgent()
	})
	l.apply(l.box.Unterminated(now, c.id, c.split.Pending(), c.split.Lost))
	c.turn <- t
}

// part forgets a connection that ended.
func (l *Server) part(c *conn) {
	if _, there := l.conns[c.id]; !there {
		return
	}
	delete(l.conns, c.id)
	if !c.closing && c.stuck.Load() {
		l.tellUnread(c, fmt.Sprintf("not for %v", maxWrite))
	}
	l.apply(l.box.Disconnect(l.now(), c.id))
	l.hangUp(c)
}

// apply does what the box asks for.
func (l *Server) apply(e refbox.Effects) { l.carryOut(e, nil) }

// carryOut does what the box asks for because of d.
func (l *Server) carryOut(e refbox.Effects, d *delivery) {
	if e.NewGame {
		l.beginNext()
	}
	decided := d != nil
	if decided {
		d.journal = l.journal
	}
	// A STOP that changes nothing waits neither for the disk nor behind what does.
	if d != nil && d.stop && !e.Sync {
		e.Send = slices.DeleteFunc(e.Send, l.behindWelcome)
		l.deliver(held{e: e, d: d}, true)
		e.Send, e.Close, e.Score, d = nil, nil, nil, nil
	}
	admitted := false
	for _, m := range e.Log {
		l.journal.write(message(m))
		admitted = admitted || m.Channel == matchlog.Admissions
	}
	if admitted {
		l.journal.setTeams(l.box.Admissions())
	}
	if e.Sync || decided {
		l.tail.set(l.journal.length()) // who follows has it while the disk is waited for
	}
	if len(e.Send)+len(e.Close)+len(e.Score) > 0 || d != nil {
		h := held{journal: l.journal, since: time.Now(), e: e, d: d, written: l.journal.trouble() == ""}
		if e.Sync {
			h.mark = l.journal.sync()
		}
		if len(l.held) > 0 || e.Sync && h.written { // nothing overtakes what waits
			l.held = append(l.held, h)
		} else {
			l.deliver(h, h.written || !e.Sync)
		}
	}
	if e.Over {
		l.journal.export()
	}
	if name := l.runningName(); name != "" { // at the end the next tick takes it back: what was decided is sent by then, or nearly
		l.running.Store(name)
	}
}

// behindWelcome keeps what is for a connection whose WELCOME waits for the disk until that was sent.
func (l *Server) behindWelcome(s refbox.Send) bool {
	c := l.conns[s.To]
	if len(l.held) == 0 || c == nil || c.out != nil {
		return false
	}
	l.held = append(l.held, held{journal: l.journal, since: time.Now(), e: refbox.Effects{Send: []refbox.Send{s}}, written: true})
	return true
}

// release sends what waited for the disk.
func (l *Server) release(s synced) {
	if s.zip {
		text := ""
		if s.err != nil {
			text = fmt.Sprintf("the zip of game %s could not be written: %v. The page /log makes it from the journal", s.journal.name(), s.err)
		}
		l.box.Trouble("zip", text)
		return
	}
	s.journal.took(s)
	if s.err == nil && s.journal == l.journal {
		l.box.Trouble("slow disk", "")
	}
	for len(l.held) > 0 && l.held[0].journal.done >= l.held[0].mark {
		if d := l.held[0].d; d != nil {
			d.disk = time.Since(l.held[0].since)
		}
		l.deliver(l.held[0], s.err == nil && l.held[0].written)
		l.held = l.held[1:]
	}
}

// deliver hands to the sockets what is held no longer; kept reports whether it is on the disk.
func (l *Server) deliver(h held, kept bool) {
	if h.d != nil {
		h.d.kept = kept
		h.d.left.Add(int32(len(h.e.Send)))
	}
	for _, s := range h.e.Send {
		l.send(s, h.d)
	}
	for _, cl := range h.e.Close {
		if c := l.conns[cl.Conn]; c != nil {
			l.Log.Debug("a connection is closed", "from", c.addr, "why", cl.Why)
			l.hangUp(c)
		}
	}
	h.d.wrote() // the one that it counts for itself
	for _, b := range h.e.Score {
		select {
		case l.events <- b:
		default: // the score itself follows in any case
		}
	}
}
