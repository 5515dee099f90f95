package matchnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
)

// supervisor runs robots, each with sockets of its own: in processes, or in this program. A robot that ends by itself
// crashed: it starts again after a while. A nil supervisor has no robots.
type supervisor struct {
	supervised
	log *slog.Logger

	running sync.Map // software by number, a uint8

	mu      sync.Mutex
	reports map[uint8]RobotReport // newest of each running robot
	used    time.Duration         // processor time of processes that ended
	outages map[uint8]*outage     // of robots that crashed, until they are back
	ended   []Outage
}

// supervised describes the robots of a supervisor.
type supervised struct {
	start func(number uint8, report func(*RobotReport)) (software, error)
	// wanted returns the numbers of the robots that run: those on the field and switched on.
	wanted func() soccer.RobotSet
	// mark puts an event of a robot on the timeline; kind is "on" or "off".
	mark func(kind string, number uint8, text string)
	// reception returns how a bad network impairs what a robot receives.
	reception func(number uint8) robotnet.Reception
	restart   time.Duration // from a crash until the robot starts again
}

// software is the software of one robot, from its start to its end.
type software interface {
	// run returns when the robot has ended: by itself, killed, or after the end of ctx.
	run(ctx context.Context) error
	// kill ends the robot without a word to its teammates, and returns false if it has ended already.
	kill() bool
	impair(robotnet.Reception) error
}

// RobotReport is what a robot says of itself, twice a second and when a link changes. Its JSON is stable.
type RobotReport struct {
	Report teamcom.Report  `json:"report"`
	Loop   robotnet.Timing `json:"loop"` // how well the robot keeps its control period
	CPU    float64         `json:"cpu"`  // processor time of its process so far, in s
}

// crashTime is the time after a crash until a robot's software starts again.
const crashTime = 3 * time.Second

// checkPeriod is the period in which a supervisor looks which robots are wanted, and how they receive.
const checkPeriod = 20 * time.Millisecond

func newSupervisor(cfg supervised, log *slog.Logger) *supervisor {
	if cfg.restart == 0 {
		cfg.restart = crashTime
	}
	return &supervisor{supervised: cfg, log: log, reports: map[uint8]RobotReport{}, outages: map[uint8]*outage{}}
}

// run runs the wanted ones of the robots 1 to most until ctx ends. It returns when all have ended.
func (s *supervisor) run(ctx context.Context, most int) error {
	group, ctx := errgroup.WithContext(ctx)
	for number := range most {
		group.Go(func() error { return s.keep(ctx, uint8(number+1)) })
	}
	return group.Wait()
}

// keep runs one robot while it is wanted. A robot of this program that fails ends them all.
func (s *supervisor) keep(ctx context.Context, number uint8) error {
	for s.wait(ctx, func() bool { return s.wanted().Has(number) }, 0) {
		began := time.Now()
		err := s.runOne(ctx, number)
		if ctx.Err() != nil {
			return nil
		}
		var failed failure
		switch {
		case errors.As(err, &failed):
			return err
		case !s.wanted().Has(number):
			continue
		}
		s.crashed(number, time.Now(), time.Since(began), err)
		s.wait(ctx, func() bool { return !s.wanted().Has(number) }, s.restart)
		if !s.wanted().Has(number) {
			s.forget(number)
		}
	}
	return nil
}

// failure is the error of a robot for which a new start is no remedy.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// wait waits until done returns true, for at most a time; 0: without a limit. It reports whether ctx goes on.
func (s *supervisor) wait(ctx context.Context, done func() bool, atMost time.Duration) bool {
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

// runOne runs one robot until it ends. It ends it when the robot is not wanted any more or ctx ends.
func (s *supervisor) runOne(ctx context.Context, number uint8) error {
	robot, err := s.start(number, func(r *RobotReport) { s.report(number, r) })
	if err != nil {
		return err
	}
	s.started(number, robot)
	ctx, end := context.WithCancel(ctx)
	defer end()
	var told robotnet.Reception
	tell := func() {
		if now := s.reception(number); now != told {
			told = now
			_ = robot.impair(now) // one that ended hears nothing
		}
	}
	tell()
	go s.wait(ctx, func() bool {
		if s.wanted().Has(number) {
			tell()
			return false
		}
		end()
		return true
	}, 0)
	err = robot.run(ctx)
	s.running.Delete(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += seconds(s.reports[number].CPU)
	delete(s.reports, number)
	return err
}

// kill kills a robot: a crash. It returns false if it does not run. It takes no lock: the caller may hold the session's.
func (s *supervisor) kill(number uint8) bool {
	if s == nil {
		return false
	}
	robot, ok := s.running.Load(number)
	return ok && robot.(software).kill()
}

// started notes that a robot runs.
func (s *supervisor) started(number uint8, robot software) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running.Store(number, robot)
	if o := s.outages[number]; o != nil {
		o.started = time.Now()
	}
	if p, ok := robot.(*process); ok {
		s.log.Info("a robot's process started", "robot", number, "pid", p.cmd.Process.Pid)
	}
}

// crashed notes that a robot ended by itself.
func (s *supervisor) crashed(number uint8, at time.Time, ran time.Duration, err error) {
	text := "it stopped"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text = exit.String()
	} else if err != nil {
		text = err.Error()
	}
	s.log.Warn("a robot crashed", "robot", number, "why", text, "ran", ran.Round(time.Millisecond), "restart in", s.restart)
	s.mark("off", number, fmt.Sprintf("%d crashed (%s), starts again in %v", number, text, s.restart))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outages[number] = &outage{crashed: at, why: text, sees: map[uint8]outagePhase{}, Outage: Outage{Robot: number}}
}

// forget forgets the outage of a robot that is switched off or replaced meanwhile.
func (s *supervisor) forget(number uint8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.outages, number)
}

// report keeps the report of a robot.
func (s *supervisor) report(number uint8, r *RobotReport) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports[number] = *r
	for peer, o := range s.outages {
		o.compare(number, &r.Report, now)
		s.progress(peer, o)
	}
}

// each calls f with the newest report of each running robot, by number.
func (s *supervisor) each(f func(number uint8, r *RobotReport)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(s.reports)) {
		r := s.reports[number]
		f(number, &r)
	}
}

// nodes returns what the nodes of the running robots measured, by number.
func (s *supervisor) nodes() (reports []teamcom.Report) {
	s.each(func(_ uint8, r *RobotReport) { reports = append(reports, r.Report) })
	return reports
}

// cpu returns the processor time that the processes used, those that ended included.
func (s *supervisor) cpu() (used time.Duration) {
	if s == nil {
		return 0
	}
	s.each(func(_ uint8, r *RobotReport) { used += seconds(r.CPU) })
	s.mu.Lock()
	defer s.mu.Unlock()
	return used + s.used
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
