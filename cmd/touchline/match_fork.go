package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// matchFork is a time at which a match went on with another seed.
type matchFork struct {
	At   time.Duration `json:"at"`   // ns since the start
	Seed uint64        `json:"seed"` // from then on
}

// setup is the metadata of a record from which a match is played again.
type setup struct {
	match.Flags
	Forks []matchFork `json:"forks"`
}

// setup returns the flags that a match depends on.
func (f *matchFlags) setup() *setup {
	c := &f.cfg
	return &setup{match.Flags{
		Seed: c.Seed, Half: c.Half, Home: f.home, Away: f.away, HomeName: c.Home.Title, AwayName: c.Away.Title,
		HomeRobots: c.Home.Robots, AwayRobots: c.Away.Robots, Field: f.field, Loss: c.Link.Loss, Burst: c.Link.Burst,
		Delay: c.Link.Delay, Jitter: c.Link.Jitter, Mixed: c.Mixed, Localise: c.Localise, Faults: c.Faults,
	}, f.forks}
}

// besideFork are the flags that may be given beside --fork: the others come from its record.
var besideFork = []string{"fork", "at", "seed", "speed", "record", "json", "junit", "assert", "quiet"}

// prepareFork replaces the flags by those of the record of --fork.
func (f *matchFlags) prepareFork(set *pflag.FlagSet) error {
	if f.fork == "" {
		if set.Changed("at") {
			return errors.New("--at needs --fork: it is the time at which the match departs from its recording")
		}
		return nil
	}
	var other error
	set.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(besideFork, flag.Name) {
			other = fmt.Errorf("--%s: leave it out with --fork, which takes it from the recording", flag.Name)
		}
	})
	if other != nil {
		return other
	}
	if f.at <= 0 || !set.Changed("seed") {
		return errors.New("--fork needs --at, the time at which the match departs from its recording, and another --seed, for example " +
			"--at 612s --seed 8")
	}
	l, err := matchlog.Open(f.fork)
	if err != nil {
		return fmt.Errorf("--fork: %w", err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		return fmt.Errorf("--fork: %w", err)
	}
	was, ok, err := recordedSetup(l)
	if err != nil {
		return fmt.Errorf("--fork %s: %w", f.fork, err)
	}
	if !ok {
		return fmt.Errorf("--fork %s: not a recording of touchline match; record one with touchline match --record", f.fork)
	}
	if end := l.Info().End.Sub(soccer.Epoch); f.at > end {
		return fmt.Errorf("--at %v: the recording %s ends after %v", f.at, f.fork, end)
	}
	f.apply(was)
	return nil
}

// recordedSetup returns the flags of the match of a log. ok is false for a log that is no record of touchline match.
func recordedSetup(l *matchlog.Log) (was *setup, ok bool, err error) {
	text, ok := l.Info().Meta[metaMatch]
	if !ok {
		return nil, false, nil
	}
	was = new(setup)
	return was, true, wire.DecodeJSON([]byte(text), "the match of the record", was)
}

// apply sets the flags to those of a record, and adds the fork.
func (f *matchFlags) apply(was *setup) {
	own := matchFork{At: f.at, Seed: f.cfg.Seed}
	f.use(was)
	f.forks = slices.DeleteFunc(f.forks, func(k matchFork) bool { return k.At <= 0 || k.At >= own.At })
	f.forks = append(f.forks, own)
}

// use sets the flags to those of a record.
func (f *matchFlags) use(was *setup) {
	c := &f.cfg
	c.Seed, c.Half, f.home, f.away = was.Seed, was.Half, was.Home, was.Away
	c.Home.Title, c.Away.Title = was.HomeName, was.AwayName
	c.Home.Robots, c.Away.Robots, f.field = was.HomeRobots, was.AwayRobots, was.Field
	c.Link.Loss, c.Link.Burst, c.Link.Delay, c.Link.Jitter = was.Loss, was.Burst, was.Delay, was.Jitter
	c.Mixed, c.Localise, c.Faults = was.Mixed, was.Localise, was.Faults
	f.forks = slices.Clone(was.Forks)
	slices.SortStableFunc(f.forks, func(a, b matchFork) int { return int(min(max(a.At-b.At, -1), 1)) })
}

// pass advances a match through the forks that are due by then, the last of which leaves the record o, and returns the
// others.
func pass(m *match.Match, due soccer.Time, forks []matchFork, o *original) []matchFork {
	for len(forks) > 0 && soccer.Epoch.Add(forks[0].At) <= due {
		m.Advance(soccer.Epoch.Add(forks[0].At))
		if len(forks) == 1 {
			o.leave()
		}
		m.Reseed(forks[0].Seed)
		forks = forks[1:]
	}
	return forks
}

// original is the record that a match forks from. The match is played again up to the fork, and each of its datagrams is
// compared with the record. Without a fork it is nil.
type original struct {
	path string
	log  *matchlog.Log
	next func() (matchlog.Message, error, bool)
	stop func()
	left bool
	sent int // datagrams that were equal
	why  error
}

// original opens the record of --fork.
func (f *matchFlags) original() (*original, error) {
	if f.fork == "" {
		return nil, nil
	}
	l, err := matchlog.Open(f.fork)
	if err == nil {
		err = l.Wait()
	}
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--fork: %w", err))
	}
	o := &original{path: f.fork, log: l}
	o.next, o.stop = iter.Pull2(l.Messages(0, 1<<62, matchlog.TCM))
	return o, nil
}

// compare compares a datagram of the match with the next one of the record.
func (o *original) compare(p *soccer.Packet) {
	if o == nil || o.left || o.why != nil || matchlog.PacketChannel(p) != matchlog.TCM {
		return
	}
	m, err, ok := o.next()
	at := p.Time.Sub(soccer.Epoch)
	switch was, broken := matchlog.ParsePacket(m); {
	case !ok:
		o.why = fmt.Errorf("--fork %s: the recording ends after %v, before --at", o.path, at)
	case err != nil || broken != nil:
		o.why = fmt.Errorf("--fork %s: %w", o.path, errors.Join(err, broken))
	case m.Time != p.Time || !bytes.Equal(was.Data, p.Data):
		o.why = fmt.Errorf("--fork %s: the replayed match differs from its recording after %v: it was recorded by another "+
			"version of touchline, or changed", o.path, at)
	}
	o.sent++
}

// leave ends the comparison: from now on the match is another one.
func (o *original) leave() {
	if o != nil {
		o.left = true
	}
}

func (o *original) err() error {
	if o == nil || o.why == nil {
		return nil
	}
	return console.Usage(o.why)
}

func (o *original) close() {
	if o != nil {
		o.stop()
		o.log.Close()
	}
}
