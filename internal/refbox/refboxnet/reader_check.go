package refboxnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/refbox"
	"touchline/wire/msl"
)

// ReaderConfig describes a check of how a team's own base station reads: this program listens in the place of a referee
// box, sends harmless messages in several ways, and judges by the base station's output or answers which of them it read.
// DefaultReaderConfig returns it filled.
type ReaderConfig struct {
	// Listen is the TCP address for the base station. Default 127.0.0.1:28097.
	Listen string
	// Group is the group of the team, which the WELCOME contains. Default "224.16.32.127", localhost.
	Group string
	// Program is the base station and its arguments, started once the port is open. Default none: the team starts it.
	Program []string
	// Output receives the output of Program. Default io.Discard.
	Output io.Writer
	// Apart is the time between messages that surely have a read of their own each. Default 700 ms: the client of
	// MixedTeamProtocol reads twice a second.
	Apart time.Duration
	// Settle is the time for answers after the last message of a stage. Default 1.5 s.
	Settle time.Duration
	// Progress is called with what happens, as text. Default: nothing.
	Progress func(text string)
}

// DefaultReaderConfig returns a check on this machine.
func DefaultReaderConfig() ReaderConfig {
	return ReaderConfig{Listen: fmt.Sprintf("127.0.0.1:%d", msl.Port), Group: "224.16.32.127", Output: io.Discard,
		Apart: 700 * time.Millisecond, Settle: 1500 * time.Millisecond, Progress: func(string) {}}
}

// readerStages are the ways in which messages are sent. The robots of a stage are numbered from first on, so that a number in
// the program's output tells the stage; it is no number of a clock.
var readerStages = []struct {
	name, text      string
	first, messages int
	send            func(context.Context, *ReaderConfig, net.Conn, []byte) error
}{
	{"apart", "6 messages, far apart", 61, refbox.CheckMessages, sendApart},
	{"paced", "6 messages 25 ms apart, as touchline refbox sends them", 71, refbox.CheckMessages, sendPaced},
	{"together", "6 messages at once, as RefBox 2.1 sends them at times", 81, refbox.CheckMessages, sendTogether},
	{"split", "2 messages in 3 pieces, as a network may deliver them", 91, 2, sendSplit},
}

// errReaderEnded is returned when the base station closed its connection during the check.
var errReaderEnded = errors.New("the base station closed its connection during the check")

// CheckReader checks the first base station that connects. It returns an error where the check could not be completed.
func CheckReader(ctx context.Context, cfg ReaderConfig) (ReaderReport, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return ReaderReport{}, fmt.Errorf("no connections at %s: %w; end the referee box that runs there, or choose another address",
			cfg.Listen, err)
	}
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	defer listener.Close()
	cfg.takeTurns()
	cfg.Progress(fmt.Sprintf("listening on %s in the place of a referee box", listener.Addr()))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var seen evidence
	exited := make(chan error, 1)
	if len(cfg.Program) > 0 {
		if err := startProgram(ctx, &cfg, &seen, exited); err != nil {
			return ReaderReport{}, err
		}
	} else {
		cfg.Progress("start your base station now")
	}
	conn, err := acceptStation(ctx, listener, exited)
	if err != nil {
		return ReaderReport{}, err
	}
	defer conn.Close()
	cfg.Progress(fmt.Sprintf("connected: %s", conn.RemoteAddr()))
	group, sending := errgroup.WithContext(ctx)
	defer context.AfterFunc(sending, func() { conn.Close() })()
	group.Go(func() error { return receiveAnswers(conn, &seen) })
	group.Go(func() error {
		defer conn.Close()
		return sendStages(sending, &cfg, conn, &seen)
	})
	err = group.Wait()
	switch {
	case ctx.Err() != nil:
		return ReaderReport{}, errors.New("the check was interrupted")
	case err != nil && !errors.Is(err, errReaderEnded):
		return ReaderReport{}, err
	}
	return seen.report(conn.RemoteAddr().String(), err != nil)
}

// takeTurns lets one goroutine at a time write to Output or call Progress: both may end in the same place.
func (c *ReaderConfig) takeTurns() {
	var mu sync.Mutex
	progress := c.Progress
	c.Progress = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		progress(text)
	}
	c.Output = turns{&mu, c.Output}
}

type turns struct {
	mu *sync.Mutex
	io.Writer
}

func (t turns) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Writer.Write(b)
}

// startProgram starts the program of the team.
func startProgram(ctx context.Context, cfg *ReaderConfig, seen *evidence, exited chan<- error) error {
	c := exec.CommandContext(ctx, cfg.Program[0], cfg.Program[1:]...)
	c.Env = append(os.Environ(), "PYTHONUNBUFFERED=1") // its output must arrive while the check runs
	c.WaitDelay = time.Second
	c.Stdout = io.MultiWriter(cfg.Output, seen)
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return fmt.Errorf("the program does not start: %w", err)
	}
	cfg.Progress(fmt.Sprintf("started %s", c))
	go func() { exited <- c.Wait() }()
	return nil
}

// acceptStation waits for the base station.
func acceptStation(ctx context.Context, listener net.Listener, exited <-chan error) (net.Conn, error) {
	accepted := make(chan net.Conn, 1)
	failed := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			failed <- err
			return
		}
		accepted <- conn
	}()
	select {
	case conn := <-accepted:
		return conn, nil
	case err := <-failed:
		if ctx.Err() != nil {
			return nil, errors.New("no base station connected")
		}
		return nil, err
	case err := <-exited:
		select {
		case conn := <-accepted: // it connected before it ended
			return conn, nil
		case <-time.After(time.Second):
		}
		how := "without an error"
		if err != nil {
			how = err.Error()
		}
		return nil, fmt.Errorf("the program ended before it connected (%s): it must connect to %s", how, listener.Addr())
	case <-ctx.Done():
		return nil, errors.New("no base station connected")
	}
}

// sendStages sends all stages.
func sendStages(ctx context.Context, cfg *ReaderConfig, conn net.Conn, seen *evidence) error {
	welcome := msl.Command{Name: msl.Welcome, TargetTeam: cfg.Group}
	data, err := welcome.AppendBinary(nil)
	if err != nil {
		return fmt.Errorf("the group %.40q: %w", cfg.Group, err)
	}
	if _, err := conn.Write(append(data, 0)); err != nil {
		return errReaderEnded
	}
	if err := wait(ctx, cfg.Settle); err != nil {
		return err
	}
	for i, s := range readerStages {
		seen.begin(i)
		cfg.Progress(fmt.Sprintf("%s: %s; your program should show IS_ALIVE of the robots %d to %d", s.name, s.text, s.first,
			s.first+s.messages-1))
		if err := s.send(ctx, cfg, conn, refbox.CheckBurst(s.first, s.messages)); err != nil {
			return err
		}
		if err := wait(ctx, cfg.Settle); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for d, or for the end of the check.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errReaderEnded
	}
}

func sendApart(ctx context.Context, cfg *ReaderConfig, conn net.Conn, burst []byte) error {
	for _, m := range messages(burst) {
		if _, err := conn.Write(m); err != nil {
			return errReaderEnded
		}
		if err := wait(ctx, cfg.Apart); err != nil {
			return err
		}
	}
	return nil
}

func sendPaced(_ context.Context, _ *ReaderConfig, conn net.Conn, messages []byte) error {
	bursts := make(chan *burst, 1)
	bursts <- &burst{Send: refbox.Send{Data: messages}}
	close(bursts)
	var failed error
	<-startWriter(conn, bursts, func(x departure) {
		if x.Why != "" {
			failed = errReaderEnded
		}
	})
	_ = conn.SetWriteDeadline(time.Time{}) // on a closed socket the next Write fails as well
	return failed
}

func sendTogether(_ context.Context, _ *ReaderConfig, conn net.Conn, burst []byte) error {
	if _, err := conn.Write(burst); err != nil {
		return errReaderEnded
	}
	return nil
}

// sendSplit cuts both messages in the middle.
func sendSplit(ctx context.Context, cfg *ReaderConfig, conn net.Conn, burst []byte) error {
	first := len(messages(burst)[0])
	for _, piece := range [][]byte{burst[:first/2], burst[first/2 : first*3/2], burst[first*3/2:]} {
		if _, err := conn.Write(piece); err != nil {
			return errReaderEnded
		}
		if err := wait(ctx, cfg.Apart); err != nil {
			return err
		}
	}
	return nil
}

// messages returns the messages of a burst, each with its NUL.
func messages(burst []byte) [][]byte {
	all := bytes.SplitAfter(burst, []byte{0})
	return all[:len(all)-1]
}
