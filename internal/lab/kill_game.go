package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/soccer"
)

// killing is one game whose box is killed again and again.
type killing struct {
	cfg    *KillConfig
	report *KillReport
	dir    string
	random *rand.Rand

	box        *boxProcess
	stations   [2]*baseStation
	game       *game.Game      // of the acknowledged decisions
	acked      []game.Decision // acknowledged, in their order
	copied     int             // of these, so early that a standby must have them
	unanswered *game.Decision  // the request that the kill interrupted
	journal    journal         // as read after the last kill
	starts     []float64       // ms
	answers    []float64       // ms
}

// run plays one game with this many kills, and ends it.
func (k *killing) run(ctx context.Context, kills int, progress func()) error {
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return err
	}
	listen, err := freeAddress()
	if err != nil {
		return err
	}
	page, err := freeAddress()
	if err != nil {
		return err
	}
	defer k.connectStations(ctx, listen)()
	if err := k.start(ctx, listen, page); err != nil {
		return err
	}
	defer func() { k.box.kill() }()
	for range kills {
		if err := k.play(ctx); err != nil {
			return err
		}
		k.kill()
		if k.random.IntN(10) == 0 && k.report.Kills < k.cfg.Kills {
			if err := k.killAtStart(listen, page); err != nil {
				return err
			}
		}
		if err := k.start(ctx, listen, page); err != nil {
			return err
		}
		progress()
	}
	return k.end(ctx)
}

// kill kills the box and checks its log.
func (k *killing) kill() {
	k.box.kill()
	k.report.Kills++
	k.check()
}

// killAtStart kills the box once more, while it starts.
func (k *killing) killAtStart(listen, page string) (err error) {
	if k.box, err = startBox(k.cfg.Program, k.dir, listen, page); err != nil {
		return err
	}
	time.Sleep(time.Duration(k.random.IntN(60_000)) * time.Microsecond)
	k.report.AtStart++
	k.kill()
	return nil
}

// connectStations starts both base stations and returns the function that ends them.
func (k *killing) connectStations(ctx context.Context, listen string) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var stations sync.WaitGroup
	for i, team := range [2]int{39, 63} {
		s := &baseStation{team: team, to: listen, rate: k.cfg.Rate}
		k.stations[i] = s
		stations.Go(func() { s.run(ctx) })
	}
	return func() {
		cancel()
		stations.Wait()
	}
}

// freeAddress returns an address that stays available while the box is dead: the system gives ports from 32768 on to
// connections.
func freeAddress() (address string, err error) {
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// start starts the box, compares its pages with the journal, and waits for both base stations.
func (k *killing) start(ctx context.Context, listen, page string) (err error) {
	began := time.Now()
	if k.box, err = startBox(k.cfg.Program, k.dir, listen, page); err != nil {
		return err
	}
	show, referee, err := k.box.ready(ctx)
	if err != nil {
		return err
	}
	took := time.Since(began)
	k.starts = append(k.starts, took.Seconds()*1000)
	if took > k.cfg.Takeover {
		k.report.fail("%s: %v from the start to the open port and the state", k.dir, took)
	}
	if k.game != nil {
		k.compare(show, referee)
	}
	if err := k.box.waitFor(ctx, bothConnected); err != nil {
		return fmt.Errorf("the base stations were not admitted: %w", err)
	}
	if k.game == nil {
		k.game = game.New(game.DefaultRules(), soccer.Time(time.Now().UnixNano()))
	}
	return nil
}

// end resets the game and interrupts the box, which finishes its log.
func (k *killing) end(ctx context.Context) error {
	k.report.Worldstates += k.worldstates()
	for _, d := range []game.Decision{{Command: game.Stop}, {Command: game.Reset, Force: true}} {
		if err := k.box.decide(d); err != nil {
			return fmt.Errorf("the end of the game: %s: %w", d.Command, err)
		}
	}
	if err := k.box.interrupt(ctx); err != nil {
		return fmt.Errorf("the end of the game: %w", err)
	}
	l, err := matchlog.Open(k.journal.path)
	if err != nil {
		return fmt.Errorf("the log of a game that is over: %w", err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		return fmt.Errorf("the log of a game that is over: %w", err)
	}
	if info := l.Info(); !info.Finished || info.Torn != "" {
		k.report.fail("%s: the log is not finished after RESET and the end of the box: %s", k.journal.path, info.Torn)
	}
	if zips, _ := filepath.Glob(filepath.Join(k.dir, "*.CAMBADA-*.zip")); len(zips) != 1 {
		k.report.fail("%s: %d zips of the game, want 1", k.dir, len(zips))
	}
	return nil
}

// worldstates returns the number of messages from both teams.
func (k *killing) worldstates() (n int) {
	for _, c := range k.journal.info.Channels {
		if c.Name == matchlog.Home || c.Name == matchlog.Away {
			n += int(c.Count)
		}
	}
	return n
}
