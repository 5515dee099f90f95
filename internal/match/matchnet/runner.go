package matchnet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"touchline/internal/camera"
	"touchline/internal/robot/robotnet"
	"touchline/teamcom"
)

// crashTime is the time after a crash until a robot's software starts again.
const crashTime = 3 * time.Second

// runner runs the software of a robot in a loop and with sockets of its own, again and again after crashes.
type runner struct {
	club   *club
	number uint8
	airing sync.Mutex // of breathe; taken before mu and the match's lock

	mu       sync.Mutex
	boots    uint64
	robot    *robotnet.Robot // nil while it is down
	crash    context.CancelCauseFunc
	reported *teamcom.Report // its newest one, nil while it is down
}

// run runs the robot until ctx ends.
func (r *runner) run(ctx context.Context) error {
	for ctx.Err() == nil {
		life, crash := context.WithCancelCause(ctx)
		robot, err := r.start(crash)
		if err == nil {
			err = r.breathe()
		}
		if err == nil {
			err = robot.Run(life)
		}
		crash(nil)
		r.stopped()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(crashTime):
			r.club.live.Note("on", r.number, fmt.Sprintf("%s %d starts again", r.club.side, r.number))
		}
	}
	return nil
}

// start returns the robot's software, which knows nothing.
func (r *runner) start(crash context.CancelCauseFunc) (*robotnet.Robot, error) {
	l, c := r.club.live, r.club
	r.mu.Lock()
	defer r.mu.Unlock()
	r.boots++
	cfg := robotnet.Config{
		Robot: l.cfg.Match.Software(c.side, r.number), Name: l.cfg.Match.Team(c.side).Name, Team: TeamNumber(c.side),
		Field: c.field.Address(), Entity: c.field.endpoint.Self(), Camera: camera.Perspective(), Tap: l.cfg.Tap,
		OnReport: func(report teamcom.Report) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reported = &report
		},
	}
	cfg.Robot.Seed = l.cfg.Match.Seed*1_000_003 + uint64(c.side.Index())<<40 + uint64(r.number)<<32 + r.boots
	robot, err := robotnet.New(cfg, l.log.With("team", c.side, "robot", r.number))
	if err != nil {
		return nil, err
	}
	r.robot, r.crash = robot, crash
	return robot, nil
}

// stopped notes that the robot's software ended.
func (r *runner) stopped() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.robot, r.crash, r.reported = nil, nil, nil
}

// kill ends the robot's software without a word. It returns false if it does not run.
func (r *runner) kill() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.crash == nil {
		return false
	}
	r.crash(robotnet.ErrCrash)
	r.crash = nil
	return true
}

// breathe tells the robot how the network impairs what it receives.
func (r *runner) breathe() error {
	r.airing.Lock()
	defer r.airing.Unlock()
	air := r.club.live.Air(r.club.side, r.number)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.robot == nil {
		return nil // it asks when it starts
	}
	return r.robot.SetAir(air)
}

// report returns what the robot's node measured, if it runs.
func (r *runner) report() (teamcom.Report, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reported == nil {
		return teamcom.Report{}, false
	}
	return *r.reported, true
}

// timing returns how well the robot's loop keeps its period, if it runs.
func (r *runner) timing() (robotnet.Timing, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.robot == nil {
		return robotnet.Timing{}, false
	}
	return r.robot.Timing(), true
}
