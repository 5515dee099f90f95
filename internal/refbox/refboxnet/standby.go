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

	"touchline/internal/control"
	"touchline/internal/refbox"
)

// Standby is the referee box on a second laptop: it copies the journal of another referee box as it is written, shows
// the game, and becomes the referee box on the command promote. Only then does it open the port for base stations.
type Standby struct {
	Log *slog.Logger
	// Changed is the Server's.
	Changed func()

	config   Config
	mirror   *mirror
	next     *Server                // not opened yet
	live     atomic.Pointer[Server] // next once it is open; nil before the takeover
	promote  chan chan error
	tookOver chan struct{} // closed by the takeover
	ended    chan struct{} // closed when Run returns
}

// errStandby refuses commands that only the referee box itself can carry out.
var errStandby = errors.New("this is a standby: take over first, if the referee box has failed")

// NewStandby prepares a standby of the referee box whose page is at host, HOST:PORT. cfg is its configuration after the
// takeover; cfg.Token is the token of the referee box that it follows.
func NewStandby(cfg Config, host string, log *slog.Logger) (*Standby, error) {
	if cfg.Token == "" {
		return nil, errors.New("refboxnet: a standby needs the referee's token: it was printed at the start of the referee box")
	}
	if cfg.New {
		return nil, errors.New("refboxnet: a standby continues the game that it follows: it cannot begin a new one")
	}
	name, port, err := net.SplitHostPort(host)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || name == "" || port == "" {
		return nil, fmt.Errorf("refboxnet: %q: want the address of the other referee box's page, for example 172.16.1.2:8014", host)
	}
	next, err := New(cfg, log)
	if err != nil {
		return nil, err
	}
	return &Standby{
		Log: log, config: cfg, mirror: newMirror(host, cfg.Token, cfg.Dir), next: next,
		promote: make(chan chan error), tookOver: make(chan struct{}), ended: make(chan struct{}),
	}, nil
}

// Run copies until the takeover, then referees until the context ends.
func (s *Standby) Run(ctx context.Context) error {
	defer close(s.ended)
	if err := os.MkdirAll(s.config.Dir, 0o755); err != nil {
		return fmt.Errorf("refboxnet: the folder for the copy: %w; choose another one", err)
	}
	for {
		answer, err := s.follow(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		err = s.takeOver(ctx)
		answer <- err
		if err == nil {
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return s.next.Run(ctx) })
			group.Go(func() error { return s.announce(ctx) })
			return group.Wait()
		}
		s.Log.Error("taking over failed; copying continues", "err", err)
		if s.next, err = New(s.config, s.Log); err != nil {
			return err
		}
	}
}

// follow copies until the takeover, and returns the channel for its result.
func (s *Standby) follow(ctx context.Context) (answer chan error, err error) {
	lock, err := lockDir(s.config.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	group, ctx := errgroup.WithContext(ctx)
	copying, stop := context.WithCancel(ctx)
	group.Go(func() error { return s.mirror.run(copying) })
	group.Go(func() error {
		defer stop()
		select {
		case <-ctx.Done():
		case answer = <-s.promote:
		}
		return nil
	})
	return answer, group.Wait()
}

// Snapshot returns the value of a topic as Server's does: of the copy until it takes over, then of the server.
func (s *Standby) Snapshot(topic string) any {
	if live := s.live.Load(); live != nil {
		return live.Snapshot(topic)
	}
	switch topic {
	case "refbox":
		v, _ := s.mirror.show(s.config.Box, time.Now())
		return v
	case "referee":
		_, v := s.mirror.show(s.config.Box, time.Now())
		return v
	}
	return refbox.TeamsShow{Teams: []refbox.TeamHealth{}} // the box that receives the worldstates judges them
}

// takeOver makes this the referee box: it resumes the copied game on the clock of the other laptop.
func (s *Standby) takeOver(ctx context.Context) error {
	began := time.Now()
	if s.mirror.size == 0 {
		return fmt.Errorf("nothing is copied from %s yet, so there is no game to resume: "+
			"start touchline refbox without --follow", s.mirror.host)
	}
	s.next.copied = filepath.Join(s.config.Dir, s.mirror.name)
	s.next.Changed, s.next.skew = s.Changed, s.mirror.clockAhead(began)
	if err := s.next.Open(ctx); err != nil {
		return err
	}
	s.next.tookOver, s.next.copiedDecisions = s.next.Now(), len(s.next.box.Game().Log())
	s.live.Store(s.next)
	close(s.tookOver)
	s.Log.Warn("this is the referee box now", "followed", s.mirror.host, "game", s.next.Resumed(), "baseStations",
		s.next.Addr(),
		"took", time.Since(began))
	return nil
}

// Commands returns the commands of pages that have the referee's token. Before it has taken over, a standby only carries
// out promote.
func (s *Standby) Commands() control.Table {
	return s.next.Commands().Around(func(r control.Request, do func() (any, error)) (any, error) {
		switch {
		case s.live.Load() != nil:
			return do()
		case r.Name == "promote":
			return nil, s.promoted()
		}
		return nil, errStandby
	})
}

// promoted makes the standby take over, and returns when it has.
func (s *Standby) promoted() error {
	answer := make(chan error, 1)
	select {
	case s.promote <- answer:
		return <-answer
	case <-s.tookOver:
		return errNoStandby
	case <-s.ended:
		return errEnded
	case <-time.After(5 * time.Second):
		return errNotOpen
	}
}

// Handlers returns Server's handlers. They answer once the standby has taken over.
func (s *Standby) Handlers(authorised func(*http.Request) bool) map[string]http.Handler {
	var once sync.Once
	var handlers map[string]http.Handler
	all := map[string]http.Handler{}
	for pattern := range s.next.Handlers(authorised) {
		all[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if live := s.live.Load(); live != nil {
				once.Do(func() { handlers = live.Handlers(authorised) })
				handlers[pattern].ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_ = json.NewEncoder(w).Encode(map[string]string{
				"error": fmt.Sprintf("this is a standby of %s: it has logs once it has taken over", s.mirror.host),
			})
		})
	}
	return all
}
