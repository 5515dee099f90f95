package playback

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"touchline/internal/playback/foxglovenet"
	"touchline/matchlog"
	"touchline/soccer"
)

// Reel plays a recording to clients of Foxglove: the messages of its channels as they are in the file, on one clock for all
// clients, which each of them controls. It begins when a client first subscribes. Its methods may be called from any
// goroutine.
type Reel struct {
	log     *matchlog.Log
	schemas map[string]matchlog.Schema

	mu     sync.Mutex
	begun  bool // a client has subscribed
	paused bool
	speed  float64
	at     soccer.Time // all messages before are sent
	sought bool        // Run has not yet played the seek to at
	ended  bool
}

// reelPeriod is the time between two steps of a Reel, and mostBehind the longest that one step plays in real time: a reel
// that does not keep up with its speed plays slower.
const reelPeriod, mostBehind = 20 * time.Millisecond, 100 * time.Millisecond

// NewReel returns a Reel of a recording for a server with Config.
func NewReel(r *Replay) *Reel {
	return &Reel{log: r.log, schemas: r.log.Schemas(), speed: 1, at: r.log.Info().Start}
}

// Configure sets what a server needs of the Reel.
func (r *Reel) Configure(cfg *foxglovenet.Config) {
	cfg.Schema = func(channel string) matchlog.Schema { return r.schemas[channel] }
	cfg.First, cfg.Range, cfg.Control = r.first, r.bounds, r.control
}

// bounds returns the times of the first and the last message.
func (r *Reel) bounds() (from, to soccer.Time) {
	info := r.log.Info()
	return info.Start, info.End
}

// first returns the newest message of a channel that a client subscribes to.
func (r *Reel) first(channel string) (m matchlog.Message, ok bool) {
	r.mu.Lock()
	r.begun = true
	at := r.at
	r.mu.Unlock()
	m, ok, err := r.log.Last(channel, at-1) // Run sends the rest
	return m, ok && err == nil
}

// control carries out what a client wants, and returns the state after it.
func (r *Reel) control(c foxglovenet.Control) foxglovenet.Playback {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.paused, r.speed = true, c.Paused, c.Speed
	if c.Seeks {
		info := r.log.Info()
		r.at, r.sought, r.ended = min(max(c.Time, info.Start), info.End+1), true, false
	} else if r.ended && !c.Paused { // play at the end begins again
		r.at, r.sought, r.ended = r.log.Info().Start, true, false
	}
	p := r.state()
	p.Sought = c.Seeks
	return p
}

// state returns the state. It requires r.mu.
func (r *Reel) state() foxglovenet.Playback {
	p := foxglovenet.Playback{Status: foxglovenet.Playing, Time: r.at, Speed: r.speed}
	switch {
	case r.ended:
		p.Status = foxglovenet.Ended
	case r.paused, !r.begun:
		p.Status = foxglovenet.Paused
	}
	return p
}

// Run plays the recording to the clients of a server until ctx ends. The clients are told where it cannot be read.
func (r *Reel) Run(ctx context.Context, clients *foxglovenet.Server) error {
	if err := r.log.Wait(); err != nil {
		clients.Warn(err.Error())
	}
	r.mu.Lock()
	r.schemas, r.at = r.log.Schemas(), max(r.at, r.log.Info().Start)
	clients.Renew()
	clients.Tell(r.state())
	r.mu.Unlock()
	for _, c := range r.log.Info().Channels {
		// The encodings of other programs are not known.
		if s := r.schemas[c.Name]; s.Encoding == "" || s.Name == ownSchema(c.Name) {
			clients.Wants(c.Name)
		}
	}
	film := film{log: r.log}
	defer film.stop()
	ticker := time.NewTicker(reelPeriod)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			behind := min(now.Sub(last), mostBehind)
			last = now
			if err := r.step(behind, &film, clients); err != nil {
				film.stop()
				r.mu.Lock()
				r.ended = true
				clients.Tell(r.state())
				r.mu.Unlock()
				clients.Warn(fmt.Sprintf("the recording cannot be read further, seek to a later time: %v", err))
			}
		}
	}
}

// ownSchema returns the name of the schema that all files have of a channel; "" for none.
func ownSchema(channel string) string {
	_, s := matchlog.Encoding(channel)
	return s.Name
}

// step plays what a time brings.
func (r *Reel) step(passed time.Duration, film *film, clients *foxglovenet.Server) error {
	r.mu.Lock()
	from, sought, plays := r.at, r.sought, r.begun && !r.paused && !r.ended
	to := from
	if plays {
		to = from.Add(time.Duration(float64(passed) * r.speed))
	}
	r.at, r.sought = to, false
	ends := plays && to > r.log.Info().End
	r.ended = r.ended || ends
	r.mu.Unlock()
	if plays || sought {
		clients.SetTime(to)
	}
	if sought {
		film.wind(from)
		for _, channel := range clients.Wanted() {
			m, ok, err := r.log.Last(channel, from-1)
			if err != nil {
				return err
			}
			if ok {
				clients.Put(m)
			}
		}
	}
	if !plays && !sought {
		return nil
	}
	for {
		m, ok, err := film.before(to)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if clients.Wants(m.Channel) {
			m.Data = append([]byte(nil), m.Data...)
			clients.Put(m)
		}
	}
	if ends {
		r.mu.Lock()
		if r.ended { // no client has sought since
			clients.Tell(r.state())
		}
		r.mu.Unlock()
	}
	return nil
}

// film reads the messages of a log in order.
type film struct {
	log     *matchlog.Log
	next    func() (matchlog.Message, error, bool)
	close   func()
	pending matchlog.Message // was read, and is not before the last time that was asked for
	has     bool
}

// wind goes on with the messages from a time on.
func (f *film) wind(to soccer.Time) {
	f.stop()
	f.next, f.close = iter.Pull2(f.log.Messages(to, 0))
	f.has = false
}

func (f *film) stop() {
	if f.close != nil {
		f.close()
	}
	f.next, f.close = nil, nil
}

// before returns the next message if it is before a time. Its Data is valid until the next call.
func (f *film) before(to soccer.Time) (m matchlog.Message, ok bool, err error) {
	if f.next == nil {
		f.wind(0)
	}
	if !f.has {
		if f.pending, err, f.has = f.next(); err != nil || !f.has {
			return m, false, err
		}
	}
	if f.pending.Time >= to {
		return m, false, nil
	}
	f.has = false
	return f.pending, true, nil
}
