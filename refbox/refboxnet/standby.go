package refboxnet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/refbox"
	"touchline/soccer"
)

// Copy is the second laptop: it keeps a copy of a referee box's journal while it is written, shows the game, and becomes
// the referee box itself when its page is told to take over. Only then it opens the port for base stations.
type Standby struct {
	Log *slog.Logger
	// Changed is the Server's.
	Changed func()

	config   Config
	follower *mirror
	next     *Server                 // not open yet
	live     atomic.Pointer[Server]  // open; nil while this is a copy
	handlers map[string]http.Handler // live's
	promote  chan chan error
	taken    chan struct{} // closed when this is no copy any more
	ended    chan struct{} // closed when Run returns
}

// errStandby is what a copy answers to what only the referee box itself can do.
var errStandby = errors.New("this is a copy: take over first, when the referee box is gone")

// NewCopy prepares a copy of the referee box whose page is at host, HOST:PORT. The configuration is what it referees by
// after taking over; its Token is that of the referee box that it follows.
func NewStandby(cfg Config, host string, log *slog.Logger) (*Standby, error) {
	if cfg.Token == "" {
		return nil, errors.New("refbox: following needs the referee's token: it was printed where the referee box was started")
	}
	if cfg.New {
		return nil, errors.New("refbox: a copy goes on with the game that it follows, it cannot begin a new one")
	}
	if name, port, err := net.SplitHostPort(host); err != nil || name == "" || port == "" {
		return nil, fmt.Errorf("refbox: %q: want the address of the other referee box's page, like 172.16.1.2:8014", host)
	}
	next, err := New(cfg, log)
	if err != nil {
		return nil, err
	}
	return &Standby{
		Log: log, config: cfg, follower: newMirror(host, cfg.Token, cfg.Dir), next: next,
		promote: make(chan chan error), taken: make(chan struct{}), ended: make(chan struct{}),
	}, nil
}

// Run follows until it is told to take over, and referees then, until the context ends.
func (c *Standby) Run(ctx context.Context) error {
	defer close(c.ended)
	if err := os.MkdirAll(c.config.Dir, 0o755); err != nil {
		return fmt.Errorf("refbox: the folder for the copy: %w; name another one", err)
	}
	for {
		answer, err := c.follow(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		err = c.takeOver(ctx)
		answer <- err
		if err == nil {
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return c.next.Run(ctx) })
			group.Go(func() error { return c.warn(ctx) })
			return group.Wait()
		}
		c.Log.Error("taking over failed: the copy goes on", "err", err)
		if c.next, err = New(c.config, c.Log); err != nil {
			return err
		}
	}
}

// follow copies until somebody takes over, and returns who wants to know how that went.
func (c *Standby) follow(ctx context.Context) (answer chan error, err error) {
	lock, err := lockDir(c.config.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	group, ctx := errgroup.WithContext(ctx)
	copying, stop := context.WithCancel(ctx)
	group.Go(func() error { return c.follower.Run(copying) })
	group.Go(func() error {
		defer stop()
		select {
		case <-ctx.Done():
		case answer = <-c.promote:
		}
		return nil
	})
	return answer, group.Wait()
}

// Snapshot returns the value of a topic as Server's does: of the copy until it takes over, then of the server.
func (c *Standby) Snapshot(topic string) any {
	if live := c.live.Load(); live != nil {
		return live.Snapshot(topic)
	}
	switch topic {
	case "refbox":
		v, _ := c.follower.show(c.config.Box, time.Now())
		return v
	case "referee":
		_, v := c.follower.show(c.config.Box, time.Now())
		return v
	}
	return refbox.TeamsShow{Teams: []refbox.TeamHealth{}} // the box that receives the worldstates judges them
}

// takeOver makes this the referee box: the game of the copy goes on, by the clock of the laptop that it came from.
func (c *Standby) takeOver(ctx context.Context) error {
	began := time.Now()
	if c.follower.size == 0 {
		return fmt.Errorf("refbox: nothing was copied from %s yet, there is no game to go on with: without a copy start touchline refbox without --follow", c.follower.host)
	}
	c.next.copied = filepath.Join(c.config.Dir, c.follower.name)
	c.next.Changed, c.next.skew = c.Changed, c.follower.ahead(began)
	if err := c.next.Open(ctx); err != nil {
		return err
	}
	c.live.Store(c.next)
	close(c.taken)
	c.Log.Warn("this is the referee box now", "followed", c.follower.host, "game", c.next.Resumed(), "baseStations", c.next.Addr(),
		"took", time.Since(began))
	return nil
}

// warn tells the referee as long as the other one answers still: a laptop that only lost its network comes back, and two
// referee boxes would speak to the teams.
func (c *Standby) warn(ctx context.Context) error {
	dialer := net.Dialer{Timeout: followWarn}
	for ; ; sleep(ctx, followWarn) {
		text := ""
		line, err := dialer.DialContext(ctx, "tcp", c.follower.host)
		if err == nil {
			line.Close()
			text = fmt.Sprintf("%s still answers: end it, or two referee boxes speak to the teams", c.follower.host)
		}
		if ctx.Err() != nil {
			return nil
		}
		_ = c.next.call(c.next.asks, func(soccer.Time) { c.next.box.Trouble("two boxes", text) }) // it ends, or is just busy
	}
}

// Command carries out a command of a page that has the referee's token. Before it has taken over, a standby only carries
// out promote.
func (c *Standby) Command(name string, body []byte, received time.Time) (any, error) {
	if live := c.live.Load(); live != nil {
		return live.Command(name, body, received)
	}
	if name != "promote" {
		return nil, errStandby
	}
	answer := make(chan error, 1)
	select {
	case c.promote <- answer:
		return nil, <-answer
	case <-c.taken:
		return nil, errNoStandby
	case <-c.ended:
		return nil, errEnded
	case <-time.After(5 * time.Second):
		return nil, errNotOpen
	}
}

// Handlers returns Server's handlers. They answer once the standby has taken over.
func (c *Standby) Handlers(authorised func(*http.Request) bool) map[string]http.Handler {
	var once sync.Once
	var handlers map[string]http.Handler
	all := map[string]http.Handler{}
	for pattern := range c.next.Handlers(authorised) {
		all[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if live := c.live.Load(); live != nil {
				once.Do(func() { handlers = live.Handlers(authorised) })
				handlers[pattern].ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_ = json.NewEncoder(w).Encode(map[string]string{
				"error": fmt.Sprintf("this is a standby of %s: it has logs once it has taken over", c.follower.host),
			})
		})
	}
	return all
}

// Copied says what the copy holds: the log's name, its bytes, and the time since the other one was last heard of; "" and
// zeros before the first byte.
func (c *Standby) Copied() (name string, size int64, lag time.Duration) {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	if !c.follower.heard.IsZero() {
		lag = time.Since(c.follower.heard)
	}
	return c.follower.name, c.follower.size, lag
}

// Live returns the referee box that this has become; nil while it is a copy.
func (c *Standby) Live() *Server { return c.live.Load() }
