package matchnet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/scratch"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
)

// liveReferee is the liveReferee box of a match in real time: it connects the automatic liveReferee, which sees the field, to a
// liveReferee box on the network. It is a match.Box, whose methods require the match's lock.
type liveReferee struct {
	live   *Live
	server *refboxnet.Server
	folder *scratch.Folder    // of the log, deleted at the end; nil if the log stays
	ran    bool               // the server was closed by its own Run
	orders chan game.Decision // of the automatic referee

	// require the match's lock
	waiting int // orders that are not carried out
	state   game.State
	looked  time.Time // when the server told state; zero: it has not
	began   bool      // both base stations were admitted, and the external teams are there
}

// Periods of a referee.
const (
	lookPeriod = 50 * time.Millisecond
	awayAfter  = time.Second // without an answer the referee box counts as away
)

// openReferee opens the referee box of a match.
func openReferee(ctx context.Context, l *Live) (*liveReferee, error) {
	r := &liveReferee{live: l, orders: make(chan game.Decision, 16)}
	cfg := refboxnet.DefaultConfig()
	cfg.Dir, cfg.New, cfg.ScoreClients = l.cfg.Dir, true, nil
	cfg.Box.Name, cfg.Box.Field, cfg.Box.Resync, cfg.Box.NewCard = "match", l.cfg.Match.Field, true, l.cfg.NewCard
	cfg.Box.Rules.HalfSeconds = int(l.cfg.Match.Half / time.Second)
	cfg.Box.HomeID, cfg.Box.AwayID = firstTeam, firstTeam+1
	for i, side := range game.Sides {
		cfg.Box.Teams = append(cfg.Box.Teams, soccer.Team{
			ID: firstTeam + i, Name: l.cfg.Match.Team(side).Name, Short: string(side),
		})
	}
	var err error
	if cfg.Dir == "" {
		if r.folder, err = scratch.New(); err != nil {
			return nil, fmt.Errorf("fiveasidenet: cannot create a folder for the log: %w", err)
		}
		cfg.Dir = r.folder.Path
	}
	for _, cfg.Listen = range []string{cfg.Listen, "127.0.0.1:0"} {
		if r.server, err = refboxnet.New(cfg, l.log); err != nil {
			break
		}
		if err = r.server.Open(ctx); err == nil {
			return r, nil
		}
		r.server = nil
	}
	r.close()
	return nil, err
}

// close closes what openReferee opened.
func (r *liveReferee) close() {
	if r.server != nil && !r.ran {
		r.server.Close()
	}
	_ = r.folder.Remove() // the next program tries again
}

// run carries out the orders of the automatic referee, and looks at the state of the game, until ctx ends.
func (r *liveReferee) run(ctx context.Context) error {
	ticker := time.NewTicker(lookPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			r.look(0)
		case d := <-r.orders:
			out, err := r.server.Decide(ctx, d)
			if err != nil && !errors.Is(err, game.ErrRefused) && ctx.Err() == nil { // the referee tries again
				r.live.log.Warn("the referee box does not take a decision", "decision", d.Command, "err", err)
			}
			for i := range out.Messages {
				r.live.Note("referee", 0, match.Phrase(&out.Messages[i]))
			}
			r.look(1)
		}
	}
}

// look notes the state of the game, after a number of orders was carried out.
func (r *liveReferee) look(done int) {
	state, err := r.server.Game()
	l := r.live
	l.mu.Lock()
	defer l.mu.Unlock()
	r.waiting -= done
	if err == nil {
		r.state, r.looked = state, time.Now()
	}
	r.began = r.began || l.complete()
}

// State returns the state of the game now.
func (r *liveReferee) State() (game.State, bool) {
	l, st := r.live, r.state
	if r.looked.IsZero() {
		return game.State{Part: game.PreGame}, false
	}
	shift := l.at(r.looked).Sub(st.Time)
	for _, t := range []*soccer.Time{&st.Time, &st.TakingUntil, &st.SubstitutionUntil} {
		*t = t.Add(shift)
	}
	return st.At(l.show.Now()), r.began && r.waiting == 0 && !l.connections.silent() && time.Since(r.looked) < awayAfter
}

// Decide orders a decision of the automatic referee.
func (r *liveReferee) Decide(d game.Decision) {
	select {
	case r.orders <- d:
		r.waiting++
	default: // the referee decides again
	}
}

// connections are those of the base stations to the referee box, which trouble interrupts.
type connections struct {
	mu      sync.Mutex
	down    bool
	changed chan struct{} // closed by the next change; nil before the first look
}

// now returns whether the connections are down, and what the next change closes.
func (c *connections) now() (down bool, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.down, c.changed
}

// silent reports whether the connections are down.
func (c *connections) silent() bool {
	down, _ := c.now()
	return down
}

// set interrupts the connections, or lets the stations connect again. It reports whether that changed something.
func (c *connections) set(down bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down == down {
		return false
	}
	c.down = down
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	return true
}

// keep runs a station while the connections are not down, until ctx ends.
func (c *connections) keep(ctx context.Context, station *stationnet.Client) error {
	for ctx.Err() == nil {
		down, changed := c.now()
		connected, end := context.WithCancel(ctx)
		go func() {
			defer end()
			select {
			case <-ctx.Done():
			case <-changed:
			}
		}()
		if down {
			<-connected.Done()
			continue
		}
		if err := station.Run(connected, nil); err != nil {
			return err
		}
	}
	return nil
}
