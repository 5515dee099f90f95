package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"touchline/internal/match"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
)

// Config describes a Crew.
type Config struct {
	Program string   // path of this program
	Args    []string // arguments of the command robot, besides --id, --json and the mark of a child
	// Wanted returns the numbers of the robots that run: those on the field and switched on.
	Wanted func() soccer.RobotSet
	// Mark puts an event of a robot on the timeline; kind is "on" or "off".
	Mark func(kind string, number uint8, text string)
	// Air returns how a bad network impairs what a robot receives. Default nil: it is perfect
	Air    func(number uint8) robotnet.Air
	Errors io.Writer // of the robots
	// Restart is the time after a crash until the robot starts again. Default 3 s
	Restart time.Duration
}

// Crew runs the robots of a session as children of this process. A robot that ends by itself crashed: it starts again
// after a while. The children end with this process, however it ends: each reads a pipe from it.
type Crew struct {
	cfg Config
	log *slog.Logger

	running sync.Map // *exec.Cmd by number, a uint8

	mu      sync.Mutex
	reports map[uint8]line    // newest of each running robot
	used    time.Duration     // processor time of processes that ended
	outages map[uint8]*outage // of robots that crashed, until they are back
	ended   []Outage
}

// Periods of a crew.
const (
	checkPeriod  = 20 * time.Millisecond
	stopPatience = 2 * time.Second // a child that does not stop is killed
)

// New returns a crew without robots.
func New(cfg Config, log *slog.Logger) *Crew {
	if cfg.Restart == 0 {
		cfg.Restart = 3 * time.Second
	}
	return &Crew{
		cfg: cfg, log: log, reports: map[uint8]line{},
		outages: map[uint8]*outage{},
	}
}

// Run runs the wanted robots until ctx ends. It returns when all of them have ended.
func (c *Crew) Run(ctx context.Context) error {
	var robots sync.WaitGroup
	for _, p := range match.Participants() {
		robots.Go(func() { c.keep(ctx, p.Number) })
	}
	robots.Wait()
	return nil
}

// keep runs one robot while it is wanted.
func (c *Crew) keep(ctx context.Context, number uint8) {
	for c.wait(ctx, func() bool { return c.cfg.Wanted().Has(number) }, 0) {
		began := time.Now()
		err := c.runOne(ctx, number)
		if ctx.Err() != nil {
			return
		}
		if !c.cfg.Wanted().Has(number) {
			continue
		}
		c.crashed(number, time.Now(), time.Since(began), err)
		c.wait(ctx, func() bool { return !c.cfg.Wanted().Has(number) }, c.cfg.Restart)
		if !c.cfg.Wanted().Has(number) {
			c.forget(number)
		}
	}
}

// wait waits until done returns true, for at most a time; 0: without a limit. It reports whether ctx goes on.
func (c *Crew) wait(ctx context.Context, done func() bool, atMost time.Duration) bool {
	ticker := time.NewTicker(checkPeriod)
	defer ticker.Stop()
	for began := time.Now(); !done() && (atMost == 0 || time.Since(began) < atMost); {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return ctx.Err() == nil
}

// runOne runs one robot's process until it ends. It ends it when the robot is not wanted any more or ctx ends.
func (c *Crew) runOne(ctx context.Context, number uint8) error {
	args := append([]string{"robot", "--id", strconv.Itoa(int(number)), "--json", "--" + childFlag}, c.cfg.Args...)
	cmd := exec.Command(c.cfg.Program, args...)
	cmd.Stderr = c.cfg.Errors
	separate(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.started(number, cmd)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		var air robotnet.Air
		c.wait(ctx, func() bool {
			c.tell(number, stdin, &air)
			return !c.cfg.Wanted().Has(number)
		}, 0)
		stdin.Close()
		time.AfterFunc(stopPatience, func() { _ = cmd.Process.Kill() }) // fails if it has ended
	}()
	c.read(number, stdout)
	err = cmd.Wait()
	c.running.Delete(number)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used += cpu(c.reports[number])
	delete(c.reports, number)
	return err
}

// tell writes to a robot's process how the network impairs what it receives, if that has changed from air.
func (c *Crew) tell(number uint8, stdin io.Writer, air *robotnet.Air) {
	if c.cfg.Air == nil {
		return
	}
	if now := c.cfg.Air(number); now != *air {
		*air = now
		_ = json.NewEncoder(stdin).Encode(now) // a process that ended reads nothing
	}
}

// Kill kills the process of a robot: a crash. It returns false if none runs. It takes no lock, since the session's holds
// where the page asks for it.
func (c *Crew) Kill(number uint8) bool {
	cmd, ok := c.running.Load(number)
	return ok && cmd.(*exec.Cmd).Process.Kill() == nil
}

// started notes that a robot's process runs.
func (c *Crew) started(number uint8, cmd *exec.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running.Store(number, cmd)
	if o := c.outages[number]; o != nil {
		o.started = time.Now()
	}
	c.log.Info("a robot's process started", "robot", number, "pid", cmd.Process.Pid)
}

// crashed notes that a robot's process ended by itself.
func (c *Crew) crashed(number uint8, at time.Time, ran time.Duration, err error) {
	text := "it stopped"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text = exit.String()
	} else if err != nil {
		text = err.Error()
	}
	c.log.Warn("a robot crashed", "robot", number, "why", text, "ran", ran.Round(time.Millisecond),
		"restart in", c.cfg.Restart)
	c.cfg.Mark("off", number, fmt.Sprintf("%d crashed (%s), starts again in %v", number, text, c.cfg.Restart))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outages[number] = &outage{crashed: at, sees: map[uint8]sight{}, Outage: Outage{Robot: number}}
}

// forget forgets the outage of a robot that is switched off or replaced meanwhile.
func (c *Crew) forget(number uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.outages, number)
}

// read reads the reports of a robot until its process ends.
func (c *Crew) read(number uint8, stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			c.log.Warn("a robot printed a line that is not a report", "robot", number, "err", err)
			continue
		}
		c.report(number, &l)
	}
	_, _ = io.Copy(io.Discard, stdout) // after a line that is too long
}

// report keeps the report of a robot.
func (c *Crew) report(number uint8, l *line) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reports[number] = *l
	for peer, o := range c.outages {
		o.compare(number, &l.Report, now)
		c.progress(peer, o)
	}
}

// Reports returns the newest report of each running robot, by number. A nil Crew has none.
func (c *Crew) Reports() []teamcom.Report {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var reports []teamcom.Report
	for _, number := range slices.Sorted(maps.Keys(c.reports)) {
		reports = append(reports, c.reports[number].Report)
	}
	return reports
}
