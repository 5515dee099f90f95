// Package programnet lets the programs of others play teams of a match in lockstep: over their standard input and output,
// in virtual time (docs/match.md, "A program in lockstep"). It is apart from matchnet because a batch needs no sockets.
package programnet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Limits of a program.
const (
	// patience is the wall time for one turn. A turn of the team in Python takes 0.2 ms: a program that needs 10 s for 20 ms
	// of a match hangs, even on a machine that is 1,000 times too busy.
	patience = 10 * time.Second
	// firstPatience is that for the first turn, before which a program loads its libraries and its policy.
	firstPatience = 60 * time.Second
	// parting is the time in which a program ends by itself after its standard input has ended.
	parting = 2 * time.Second
	// mostFrames is the number of frames of a turn: 50 of each robot, in a time in which a robot needs one.
	mostFrames = 50 * match.MostRobots
)

// Config says how the programs of a match run.
type Config struct {
	Dir string // folder in which they are started. Default "": that of this process
	// Tell receives lines for the user: what programs write to their standard error, and what is wrong with their datagrams. It
	// is called by the goroutine of the match, and by that of Close. Default nil
	Tell func(line string)

	first, later time.Duration // patience; 0: the constants
}

// Programs are the programs that play teams of one match.
type Programs struct {
	all   []*program
	ended func() bool
}

// Start starts the programs of a match. When ctx ends they are killed. The error names the program that does not start.
func Start(ctx context.Context, cfg Config, of *match.MatchConfig) (*Programs, error) {
	all := &Programs{ended: func() bool { return ctx.Err() != nil }}
	for _, side := range game.Sides {
		if of.Team(side).Program == nil {
			continue
		}
		p, err := start(ctx, cfg, of, side)
		if err != nil {
			all.Close()
			return nil, err
		}
		all.all = append(all.all, p)
	}
	return all, nil
}

// Tap completes a match's tap. Without programs it changes nothing.
func (all *Programs) Tap(tap *match.Tap) {
	if len(all.all) == 0 {
		return
	}
	sense, referee := tap.Sense, tap.Referee
	tap.Sense = func(side game.Side, number uint8, age time.Duration, m *team.Sense) {
		if p := all.of(side); p != nil {
			p.send(tcm.Entity{Kind: tcm.Robot, ID: number}, age, m)
		} else if sense != nil {
			sense(side, number, age, m)
		}
	}
	tap.Referee = func(side game.Side, m *team.Referee) {
		if p := all.of(side); p != nil {
			p.send(tcm.Entity{Kind: tcm.Robot}, 0, m)
		} else if referee != nil {
			referee(side, m)
		}
	}
	tap.Turn = all.turn
}

// of returns the program of a side, nil without one.
func (all *Programs) of(side game.Side) *program {
	for _, p := range all.all {
		if p.side == side {
			return p
		}
	}
	return nil
}

// turn gives each program its turn. Two programs think at the same time. The error is nil after the end of ctx: whoever
// advances the match looks at it.
func (all *Programs) turn(m *match.Match) error {
	for _, p := range all.all {
		p.ask(m)
	}
	var failed error
	for _, p := range all.all {
		if err := p.answer(m); err != nil && !all.ended() {
			failed = cmp.Or(failed, p.failure(err))
		}
		p.tell(false)
	}
	return failed
}

// Close ends the programs, and tells what was wrong with their datagrams.
func (all *Programs) Close() {
	for _, p := range all.all {
		p.in.Close() // all of them end at the same time
	}
	for _, p := range all.all {
		p.end(parting)
		p.tell(true)
	}
}

// program is a program that plays a team.
type program struct {
	side   game.Side
	name   string
	tells  func(string)
	later  time.Duration // patience after the first turn
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	frames *frames
	words  words
	exited chan struct{}
	exit   error // set when exited is closed

	node   *teamcom.Node
	field  *teamcom.Module
	match  *match.Match // of the turn
	turn   []byte       // frames of the next turn
	buf    []byte       // scratch
	reader tcm.Datagram // scratch
	timer  *time.Timer
	asked  error // why the turn was not written

	mu   sync.Mutex
	late time.Duration // patience that it did not keep; 0: it did

	counts    [2]count // malformed datagrams, refused motor commands
	datagrams int
}

// count counts what is wrong, and keeps the first reason.
type count struct {
	n     int
	first string
}

func (c *count) add(at soccer.Time, err error) {
	if c.n++; c.n == 1 {
		c.first = fmt.Sprintf("at %.2f s: %v", at.Sub(soccer.Epoch).Seconds(), err)
	}
}

// start starts the program of a side.
func start(ctx context.Context, cfg Config, of *match.MatchConfig, side game.Side) (*program, error) {
	t := of.Team(side)
	p := &program{side: side, name: t.Name, tells: cfg.Tell, later: cmp.Or(cfg.later, patience), exited: make(chan struct{})}
	if err := p.openNode(); err != nil {
		return nil, err
	}
	values := strings.NewReplacer("{team}", strconv.Itoa(side.Index()+1), "{robots}", strconv.Itoa(t.Robots),
		"{seed}", strconv.FormatUint(of.Seed, 10))
	words := make([]string, len(t.Program))
	for i, word := range t.Program {
		words[i] = values.Replace(word)
	}
	p.cmd = exec.Command(words[0], words[1:]...)
	p.cmd.Dir, p.cmd.Stderr, p.cmd.WaitDelay = cfg.Dir, &p.words, parting
	separate(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, p.named(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, p.named(errors.Join(err, in.Close()))
	}
	p.cmd.Stdout = w
	p.in, p.out, p.frames = in, r, newFrames(r)
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, p.named(fmt.Errorf("it does not start: %w", err))
	}
	p.timer = time.AfterFunc(cmp.Or(cfg.first, firstPatience), func() { p.giveUp(cmp.Or(cfg.first, firstPatience)) })
	interrupt := context.AfterFunc(ctx, func() { kill(p.cmd) })
	go func() {
		p.exit = p.cmd.Wait()
		interrupt()
		close(p.exited)
	}()
	return p, nil
}

// openNode opens the field's node of the team: that of touchline match --away external, without sockets.
func (p *program) openNode() error {
	cfg := teamcom.DefaultConfig(robot.Field)
	cfg.Name, cfg.Team, cfg.Timeout, cfg.Beacon, cfg.Lean = "field", uint8(p.side.Index()+1), robot.LinkTimeout, 0, true
	cfg.Types = map[tcm.Type]teamcom.Options{tcm.Type(team.TypeReferee): teamcom.DefaultOptions(tcm.Type(team.TypeSense))}
	for i := range cfg.Budget {
		cfg.Budget[i] = teamcom.Unlimited
	}
	var err error
	if p.node, err = teamcom.New(cfg); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	p.field = p.node.Module(tcm.Field)
	teamcom.Handle(p.field, func(from teamcom.From, m *team.Motor) {
		if from.Entity.Kind != tcm.Robot {
			return
		}
		if err := p.match.Drive(p.side, from.Entity.ID, m); err != nil {
			p.counts[1].add(from.Now, err)
		}
	})
	teamcom.Handle(p.field, func(from teamcom.From, m *team.Debug) {
		if from.Entity.Kind == tcm.Robot {
			p.match.Believe(p.side, from.Entity.ID, from.Now.Sub(from.Captured), m)
		}
	})
	return nil
}

// send puts a message about something that happened age ago into the next turn.
func (p *program) send(to tcm.Entity, age time.Duration, m teamcom.Data) {
	now := p.now()
	_ = p.field.Client().Send(now.Add(-max(age, 0)), to, m) // the queue is empty
	p.pump(now)
}

// now returns the time of the match.
func (p *program) now() soccer.Time {
	if p.match == nil {
		return soccer.Epoch
	}
	return p.match.Now()
}

// pump moves the datagrams of the node into the next turn.
func (p *program) pump(now soccer.Time) {
	for {
		out, ok := p.node.Next(now, p.buf)
		if !ok {
			return
		}
		p.buf = out.Data[:0]
		p.turn = appendFrame(p.turn, out.Data)
	}
}

// ask writes what the robots have sensed since the last turn.
func (p *program) ask(m *match.Match) {
	if p.match != nil { // the timer of the first turn runs since the start
		p.timer = time.AfterFunc(p.later, func() { p.giveUp(p.later) })
	}
	p.match = m
	p.turn = appendFrame(p.turn, nil)
	_, p.asked = p.in.Write(p.turn)
	p.turn = p.turn[:0]
}

// giveUp ends a program that does not answer.
func (p *program) giveUp(after time.Duration) {
	p.mu.Lock()
	p.late = after
	p.mu.Unlock()
	kill(p.cmd)
	p.in.Close()  // a write ends
	p.out.Close() // a read ends, also where a process outside the group holds the other end
}

// answer reads the datagrams of a turn, and hands them to the match.
func (p *program) answer(m *match.Match) error {
	defer p.timer.Stop()
	if p.asked != nil {
		return p.asked
	}
	for n := 0; ; n++ {
		datagram, err := p.frames.next()
		if err != nil {
			return err
		}
		if len(datagram) == 0 {
			return nil
		}
		if n == mostFrames {
			return fmt.Errorf("it wrote more than %d frames in one turn: one motor command per robot is enough, and an empty frame "+
				"ends the turn", mostFrames)
		}
		p.receive(m.Now(), datagram)
	}
}

// receive hands a datagram to the field. A malformed one is counted.
func (p *program) receive(now soccer.Time, datagram []byte) {
	p.datagrams++
	if err := p.reader.UnmarshalBinary(datagram); err != nil {
		p.counts[0].add(now, err)
		return
	}
	p.node.Receive(&soccer.Packet{Time: now, Data: datagram}, p.reader.Socket)
	for p.field.Run(p.now, 64) > 0 {
	}
	p.pump(now)
}

// named adds the team and the program to an error.
func (p *program) named(err error) error {
	return fmt.Errorf("the %s team, %s: %w", p.side, p.name, err)
}

// failure ends a program whose turn failed, and says why it did.
func (p *program) failure(err error) error {
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == p.asked
	if ended {
		p.end(parting)
	} else {
		p.end(0)
	}
	p.mu.Lock()
	late := p.late
	p.mu.Unlock()
	switch {
	case late > 0:
		err = fmt.Errorf("no answer for %v of wall time: it must answer the empty frame of each turn with an empty frame, and flush",
			late)
	case ended && p.exit == nil:
		err = errors.New("it ended or closed its standard output before the match was over: a program must play until its standard input ends")
	case ended:
		err = fmt.Errorf("it ended before the match was over: %v", p.exit) // its exit status is not that of this process
	}
	return p.named(fmt.Errorf("%w%s (docs/match.md, \"A program in lockstep\")", err, p.words.quote()))
}

// end ends a program: by itself within a time after its standard input has ended, or by force.
func (p *program) end(within time.Duration) {
	p.timer.Stop()
	p.in.Close()
	if within > 0 {
		timer := time.NewTimer(within)
		defer timer.Stop()
		select {
		case <-p.exited:
		case <-timer.C:
		}
	}
	kill(p.cmd) // also what it started
	<-p.exited
	p.out.Close()
}

// tell tells the user what the program wrote to its standard error; over: also what was wrong with its datagrams.
func (p *program) tell(over bool) {
	lines := p.words.take(over)
	if over {
		lines = append(lines, p.faults()...)
	}
	if p.tells == nil {
		return
	}
	for _, line := range lines {
		p.tells(fmt.Sprintf("%s: %s", p.side, line))
	}
}

// faults returns what was wrong with the program's datagrams.
func (p *program) faults() (lines []string) {
	for i, what := range []string{"malformed datagrams", "refused motor commands"} {
		if c := &p.counts[i]; c.n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d, the first %s", what, c.n, c.first))
		}
	}
	r := p.node.Report(p.now())
	r.Dropped.Superseded = 0 // by newer ones
	for _, h := range r.Handlers {
		if h.Undecodable > 0 {
			lines = append(lines, fmt.Sprintf("messages that did not decode, or held values that no robot can mean: %d (docs/teamcom.md)",
				h.Undecodable))
		}
	}
	for what, counts := range map[string]any{"refused": &r.Refused, "not used": &r.Dropped} {
		if text := nonzero(counts); text != "" {
			lines = append(lines, fmt.Sprintf("of %d datagrams some were %s: %s (docs/teamcom.md)", p.datagrams, what, text))
		}
	}
	slices.Sort(lines)
	return lines
}

// nonzero returns the counters of a report that are not 0.
func nonzero(report any) string {
	text, err := json.Marshal(report)
	if err != nil {
		panic(err) // numbers
	}
	var counts map[string]uint64
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&counts); err != nil {
		panic(err) // numbers
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			all = append(all, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return strings.Join(all, ", ")
}
