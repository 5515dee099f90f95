package lab

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
)

// killing is one game that is killed again and again.
type killing struct {
	cfg    *KillConfig
	report *KillReport
	dir    string
	random *rand.Rand

	box      *boxProcess
	stations [2]*baseStation
	game     *game.Game      // as the acknowledged decisions make it
	acked    []game.Decision // of this game, in their order
	asked    *game.Decision  // cut off by the kill
	journal  journal         // as it was read after the last kill
	starts   []float64       // ms
	answers  []float64       // ms
}

// journal is what a log has of a game.
type journal struct {
	path      string
	began     soccer.Time
	decisions []game.Decision
	commands  []string // messages to the teams, of all connections
	states    int
	info      matchlog.Info
}

// run plays one game with a number of kills, and ends it.
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
	defer k.talk(ctx, listen)()
	if err := k.start(ctx, listen, page); err != nil {
		return err
	}
	defer func() { k.box.kill() }()
	for range kills {
		if err := k.play(ctx); err != nil {
			return err
		}
		k.box.kill()
		k.report.Kills++
		k.look()
		if k.random.IntN(10) == 0 && k.report.Kills < k.cfg.Kills { // once more, while it starts
			if k.box, err = startBox(k.cfg.Program, k.dir, listen, page); err != nil {
				return err
			}
			time.Sleep(time.Duration(k.random.IntN(60_000)) * time.Microsecond)
			k.box.kill()
			k.report.Kills++
			k.report.AtStart++
			k.look()
		}
		if err := k.start(ctx, listen, page); err != nil {
			return err
		}
		progress()
	}
	return k.end(ctx)
}

// talk starts both base stations; what it returns ends them.
func (k *killing) talk(ctx context.Context, listen string) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var talking sync.WaitGroup
	for i, team := range [2]int{39, 63} {
		s := &baseStation{team: team, to: listen, rate: k.cfg.Rate}
		k.stations[i] = s
		talking.Go(func() { s.run(ctx) })
	}
	return func() {
		cancel()
		talking.Wait()
	}
}

// freeAddress returns an address that stays free while the box is dead: ports from 32768 on are given to connections.
func freeAddress() (address string, err error) {
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// start starts the box, compares what it shows with the journal, and waits for both base stations.
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
	if err := k.box.until(ctx, bothThere); err != nil {
		return fmt.Errorf("the base stations were not taken in: %w", err)
	}
	if k.game == nil {
		k.game = game.New(game.DefaultRules(), soccer.Time(time.Now().UnixNano()))
	}
	return nil
}

// play makes decisions until a random moment during one of them or soon after. The box is still alive then.
func (k *killing) play(ctx context.Context) error {
	k.asked = nil
	for n := k.random.IntN(12); ; n-- {
		d, ok := k.next()
		if !ok {
			return errors.New("nothing may be pressed")
		}
		d.Version, d.Time = 0, 0
		if n > 0 {
			if err := k.decide(d); err != nil {
				return err
			}
			continue
		}
		latest := 2_500 // µs: within the decision, mostly
		if k.random.IntN(4) == 0 {
			latest = 40_000
		}
		moment := time.After(time.Duration(k.random.IntN(latest)) * time.Microsecond)
		answered := make(chan error, 1)
		asked := time.Now()
		go func() { answered <- k.box.decide(d) }()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moment:
			k.box.kill()
			k.took(d, asked, <-answered)
		case err := <-answered:
			k.took(d, asked, err)
			<-moment
		}
		return nil
	}
}

// decide makes one decision, which must be answered.
func (k *killing) decide(d game.Decision) error {
	asked := time.Now()
	err := k.box.decide(d)
	if err != nil && !errors.Is(err, errRefused) {
		return fmt.Errorf("%s: %w", d.Command, err)
	}
	k.took(d, asked, err)
	return nil
}

// took notes what became of a decision.
func (k *killing) took(d game.Decision, asked time.Time, err error) {
	now := time.Now()
	d.Time = soccer.Time(now.UnixNano())
	switch {
	case err == nil:
		k.report.Decisions++
		k.answers = append(k.answers, now.Sub(asked).Seconds()*1000)
		k.acked = append(k.acked, d)
		_, _ = k.game.Apply(d) // the journal's times are compared, these only lead to what may come next
	case errors.Is(err, errRefused):
		k.report.Refused++
	default:
		k.report.Unanswered++
		k.asked = &d
	}
}

// next chooses what a referee might press: mostly what brings the game on.
func (k *killing) next() (game.Decision, bool) {
	var may []game.Decision
	for _, key := range k.game.Keys() {
		weight := 2
		switch key.Command {
		case game.Reset, game.SetPart, game.Park:
			continue
		case game.EndPart:
			if p := k.game.State().Part; p == game.ShootOut || p == game.PreOvertime {
				continue // the game is not over before the last kill
			}
			weight = 1
		case game.Start, game.Stop:
			weight = 12
		}
		d := game.Decision{Command: key.Command, Side: key.Side}
		switch key.Command {
		case game.IsAlive, game.Substitution:
			d.Robot = 1 + k.random.IntN(99)
		case game.YellowCard, game.RedCard:
			d.Robot = k.random.IntN(6)
		case game.Repair:
			d.Count = 1
		case game.SetScore:
			d.Count = k.random.IntN(10)
		case game.SetClock:
			d.Total = time.Duration(k.random.IntN(900)) * time.Second
			d.Effective = d.Total / 2
		}
		if k.game.Refusal(d) == "" {
			for range weight {
				may = append(may, d)
			}
		}
	}
	if len(may) == 0 {
		return game.Decision{}, false
	}
	return may[k.random.IntN(len(may))], true
}

// look reads the log as the kill left it: every acknowledged decision is there, and nothing that nobody asked for.
func (k *killing) look() {
	where := fmt.Sprintf("%s, kill %d", k.dir, k.report.Kills)
	before := len(k.journal.commands)
	j, err := k.read()
	if err != nil {
		k.report.fail("%s: %v", where, err)
		return
	}
	if j.info.Torn != "" {
		k.report.Torn++
	}
	k.journal = j
	switch more := len(j.decisions) - len(k.acked); {
	case more < 0 || more > 1 || more == 1 && k.asked == nil:
		k.report.fail("%s: %d decisions were acknowledged, the journal has %d", where, len(k.acked), len(j.decisions))
	case more == 1:
		k.report.Unasked++
		k.acked = append(k.acked, *k.asked)
	}
	for i := range min(len(k.acked), len(j.decisions)) {
		if !sameDecision(j.decisions[i], k.acked[i]) {
			k.report.fail("%s: decision %d is %+v, acknowledged was %+v", where, i+1, j.decisions[i], k.acked[i])
			break
		}
	}
	for _, s := range k.stations {
		heard := s.take()
		k.report.Commands += len(heard)
		said := j.commands[min(before, len(j.commands)):]
		if n := len(heard); n > 0 && k.asked != nil && k.asked.Command == game.Stop && !contains(said, heard) &&
			contains(said, heard[:n-1]) && strings.Contains(heard[n-1], `"STOP"`) {
			k.report.StopsAhead++ // one that changes nothing goes out first
		} else if !contains(said, heard) {
			k.report.fail("%s: team %d heard %d commands that are not among the %d of the journal", where, s.team, len(heard), len(said))
		}
	}
	k.asked = nil
	game, err := game.Replay(game.DefaultRules(), j.began, j.decisions)
	if err != nil {
		k.report.fail("%s: %v", where, err)
		return
	}
	k.game = game
}

// sameDecision reports whether a journal has what was asked for: it adds the version, the moment, and what UNDO meant.
func sameDecision(a, b game.Decision) bool {
	a.Version, a.Time, b.Version, b.Time = 0, 0, 0, 0
	if a.Command == game.Undo || a.Command == game.Redo {
		a.Ref, b.Ref = 0, 0
	}
	return a == b
}

// read reads the only log of the folder, and exports it.
func (k *killing) read() (j journal, err error) {
	found, err := filepath.Glob(filepath.Join(k.dir, "*.mcap"))
	if err != nil || len(found) > 1 {
		return j, fmt.Errorf("%d logs, %w", len(found), err)
	}
	if len(found) == 0 && len(k.acked) == 0 {
		return j, nil
	}
	if len(found) == 0 {
		return j, errors.New("no log")
	}
	l, err := matchlog.Open(found[0])
	if err != nil {
		return j, err
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		return j, err
	}
	j.path, j.info = found[0], l.Info()
	for m, err := range l.Messages(0, math.MaxInt64) {
		if err != nil {
			return j, err
		}
		switch m.Channel {
		case matchlog.Decisions:
			d, err := refbox.ParseDecision(m.Data)
			if err != nil {
				return j, err
			}
			j.decisions = append(j.decisions, d)
		case matchlog.Commands:
			if !bytes.Contains(m.Data, []byte(`"WELCOME"`)) {
				j.commands = append(j.commands, string(m.Data))
			}
		case matchlog.States:
			j.states++
			if !json.Valid(m.Data) {
				return j, fmt.Errorf("state %d is no JSON", j.states)
			}
		}
	}
	began, err := strconv.ParseInt(j.info.Meta[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return j, fmt.Errorf("the log does not say when the game began: %w", err)
	}
	j.began = soccer.Time(began)
	return j, exports(l)
}

// contains reports whether some follows part of all, without gaps: what is sent before a team is back it does not hear.
func contains(all, some []string) bool {
	for i := range len(all) - len(some) + 1 {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}

// exports writes the RefBox's zip of a log and has the standard library read it.
func exports(l *matchlog.Log) error {
	var b bytes.Buffer
	if err := matchlog.Export(&b, l, matchlog.ExportOptions{}); err != nil {
		return fmt.Errorf("the export: %w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return fmt.Errorf("the exported zip: %w", err)
	}
	if len(z.File) != 3 {
		return fmt.Errorf("the exported zip has %d members", len(z.File))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if !strings.HasSuffix(f.Name, ".A.msl") && !strings.HasSuffix(f.Name, ".B.msl") {
			continue // lines
		}
		var records []struct {
			TeamName   *string
			Timestamp  *int64
			GameMillis *int64 `json:"gametimeMs"`
			Worldstate map[string]any
		}
		if err := json.Unmarshal(text, &records); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		for i, r := range records {
			if r.TeamName == nil || r.Timestamp == nil || r.GameMillis == nil || r.Worldstate["type"] != "worldstate" {
				return fmt.Errorf("%s: record %d lacks a key", f.Name, i+1)
			}
		}
	}
	return nil
}

// compare compares what is shown after a start with the game that the journal makes.
func (k *killing) compare(show refbox.Show, referee refbox.RefereeShow) {
	where := fmt.Sprintf("%s, kill %d", k.dir, k.report.Kills)
	now := soccer.Time(show.Time * 1e6)
	k.game.Tick(now)
	s := k.game.State()
	pending := 0 // what START will send: not what teams were told before it was taken back and put back
	for _, t := range [2]*game.Team{&s.Home, &s.Away} {
		for _, p := range t.Penalties {
			told := slices.ContainsFunc(t.TakenBack, func(o game.Penalty) bool { return o.Number == p.Number && o.Index == p.Index })
			if !p.Sent && !told {
				pending++
			}
		}
	}
	type seen struct {
		Part           game.Part
		Running        bool
		Home, Away     int
		SetPiece       game.SetPiece
		Subs, AwaySubs int
		Pending        int
	}
	got := seen{show.Part, show.Running, show.Home.Goals, show.Away.Goals, show.SetPiece, show.Home.Substitutions, show.Away.Substitutions,
		len(referee.Pending)}
	want := seen{s.Part, s.Running, s.Home.Goals, s.Away.Goals, s.SetPiece, s.Home.Substitutions, s.Away.Substitutions, pending}
	if got != want {
		k.report.fail("%s: it shows %+v, the journal makes %+v", where, got, want)
	}
	if d := math.Abs(show.Total - s.Total.Seconds()); d > 0.05 {
		k.report.fail("%s: the clock shows %.3f s, the journal makes %.3f s", where, show.Total, s.Total.Seconds())
	}
	if d := math.Abs(show.Effective - s.Effective.Seconds()); d > 0.05 {
		k.report.fail("%s: the effective clock shows %.3f s, the journal makes %.3f s", where, show.Effective, s.Effective.Seconds())
	}
}

// end resets the game and ends the box: its log is finished then.
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
		k.report.fail("%s: %d zips of the game", k.dir, len(zips))
	}
	return nil
}

// worldstates counts what both teams said.
func (k *killing) worldstates() (n int) {
	for _, c := range k.journal.info.Channels {
		if c.Name == matchlog.Home || c.Name == matchlog.Away {
			n += int(c.Count)
		}
	}
	return n
}
