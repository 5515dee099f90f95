package matchnet

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"time"

	"touchline/internal/robot/robotnet"
	"touchline/teamcom"
)

// Processes says how robots run in processes of their own.
type Processes struct {
	Program string // path of this program. Default "": that of the running one
	// Args are further arguments of the command robot, besides its number, the field and ChildFlag. Default none
	Args    []string
	Errors  io.Writer     // of the robots
	Restart time.Duration // from a crash until a robot starts again. Default 3 s
}

// ChildFlag is the flag of the command robot that marks a process of a session or match: it ends with its standard input,
// on which it is told how the network impairs what it receives.
const ChildFlag = "child"

// stopPatience is the time after which a process that does not stop is killed.
const stopPatience = 2 * time.Second

// program returns the path of the program that runs robots.
func (p *Processes) program() (string, error) {
	if p.Program != "" {
		return p.Program, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("touchline cannot find its own executable to start the robots: %w", err)
	}
	return program, nil
}

// KeyVariable is the variable of the environment that holds the key with which a robot signs.
const KeyVariable = "TOUCHLINE_KEY"

// starter returns the function that starts the process of a robot, which signs with a key if there is one.
func (p *Processes) starter(log *slog.Logger, key string, args ...string) (func(uint8, func(*RobotReport)) (software, error), error) {
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	return func(number uint8, report func(*RobotReport)) (software, error) {
		own := append([]string{"robot", "--id", strconv.Itoa(int(number)), "--json", "--" + ChildFlag}, args...)
		cmd := exec.Command(program, append(own, p.Args...)...)
		cmd.Env = append(os.Environ(), KeyVariable+"="+key)
		return startProcess(cmd, p.Errors, report, log.With("robot", number))
	}, nil
}

// process is a robot that runs as a child of this process. It ends with this process, however that ends: it reads a pipe
// from it.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
	report func(*RobotReport)
	log    *slog.Logger
}

func startProcess(cmd *exec.Cmd, errs io.Writer, report func(*RobotReport), log *slog.Logger) (software, error) {
	p := &process{cmd: cmd, report: report, log: log}
	cmd.Stderr = errs
	separate(cmd)
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, cmd.Start()
}

func (p *process) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		p.stdin.Close()
		time.AfterFunc(stopPatience, func() { p.kill() })
	})()
	p.read()
	err := p.cmd.Wait()
	p.stdin.Close()
	return err
}

// read reads the reports of the robot until its process ends.
func (p *process) read() {
	lines := bufio.NewScanner(p.stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r RobotReport
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			p.log.Warn("a robot printed a line that is not a report", "err", err)
			continue
		}
		p.report(&r)
	}
	_, _ = io.Copy(io.Discard, p.stdout) // after a line that is too long
}

func (p *process) kill() bool { return p.cmd.Process.Kill() == nil }

func (p *process) impair(to robotnet.Reception) error { return json.NewEncoder(p.stdin).Encode(to) }

// inside is a robot that runs in this program.
type inside struct {
	*robotnet.Robot
	life context.Context
	end  context.CancelCauseFunc
}

// startInside starts a robot in this program, with software that knows nothing.
func startInside(cfg robotnet.Config, report func(*RobotReport), log *slog.Logger) (software, error) {
	in := new(inside)
	in.life, in.end = context.WithCancelCause(context.Background())
	cfg.OnReport = func(r teamcom.Report) { report(&RobotReport{Report: r, Loop: in.Timing()}) }
	var err error
	if in.Robot, err = robotnet.New(cfg, log); err != nil {
		in.end(nil)
		return nil, failure{err}
	}
	return in, nil
}

func (in *inside) run(ctx context.Context) error {
	defer in.end(nil)
	defer context.AfterFunc(ctx, func() { in.end(context.Cause(ctx)) })()
	if err := in.Run(in.life); err != nil {
		return failure{err}
	}
	return nil
}

func (in *inside) kill() bool {
	if in.life.Err() != nil {
		return false
	}
	in.end(robotnet.ErrCrash)
	return true
}

func (in *inside) impair(to robotnet.Reception) error { return in.SetReception(to) }
