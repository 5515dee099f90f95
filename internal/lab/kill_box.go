package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"touchline/game"
	"touchline/internal/refbox"
)

const killToken = "the-lab-referees"

// boxProcess is a running referee box.
type boxProcess struct {
	command *exec.Cmd
	errors  bytes.Buffer // its standard error
	ended   chan struct{}
	listen  string // address for base stations
	page    string // address of the page
	client  *http.Client
}

// startBox starts a referee box with additional flags. kill ends it.
func startBox(program, dir, listen, page string, more ...string) (*boxProcess, error) {
	b := &boxProcess{
		command: exec.Command(program, append([]string{"refbox", "--listen", listen, "--http", page, "--dir", dir,
			"--home", "39", "--away", "63", "--token", killToken, "--name", "lab", "--score-clients", ""}, more...)...),
		ended: make(chan struct{}), listen: listen, page: page,
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}},
	}
	b.command.Stderr = &b.errors
	if err := b.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = b.command.Wait()
		close(b.ended)
	}()
	return b, nil
}

// kill kills the box with SIGKILL and waits for its end.
func (b *boxProcess) kill() {
	_ = b.command.Process.Kill()
	<-b.ended
	b.client.CloseIdleConnections()
}

// interrupt ends the box like Ctrl-C.
func (b *boxProcess) interrupt(ctx context.Context) error {
	if err := b.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-b.ended:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(10 * time.Second):
		return errors.New("the box does not stop")
	}
	if !b.command.ProcessState.Success() {
		return fmt.Errorf("the box ended with %v: %s", b.command.ProcessState, strings.TrimSpace(b.errors.String()))
	}
	return nil
}

// failure returns the error of a box that ended by itself.
func (b *boxProcess) failure() error {
	return fmt.Errorf("the box ended by itself: %s", strings.TrimSpace(b.errors.String()))
}

// ready waits until the port is open and the pages have the state, and returns it.
func (b *boxProcess) ready(ctx context.Context) (refbox.Show, refbox.RefereeShow, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	var last error
	for {
		line, err := net.Dial("tcp", b.listen)
		if err == nil {
			line.Close() // an address without a team disturbs nothing
			show, referee, err := b.show(ctx)
			if err == nil {
				return show, referee, nil
			}
			last = err
		}
		select {
		case <-b.ended:
			return refbox.Show{}, refbox.RefereeShow{}, b.failure()
		case <-ctx.Done():
			return refbox.Show{}, refbox.RefereeShow{}, fmt.Errorf("the box is not ready: %w", errors.Join(err, last))
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// show returns the current values of the pages.
func (b *boxProcess) show(ctx context.Context) (show refbox.Show, referee refbox.RefereeShow, err error) {
	conn, _, err := websocket.Dial(ctx, "ws://"+b.page+"/api/stream", nil)
	if err != nil {
		return show, referee, err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	if err := conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"subscribe":["refbox","referee"],"token":%q}`, killToken)); err != nil {
		return show, referee, err
	}
	for have := map[string]bool{}; len(have) < 2; {
		_, b, err := conn.Read(ctx)
		if err != nil {
			return show, referee, err
		}
		var m struct {
			Topic string
			Value json.RawMessage
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return show, referee, err
		}
		into := any(&show)
		if m.Topic == "referee" {
			into = &referee
		}
		if err := json.Unmarshal(m.Value, into); err != nil {
			return show, referee, fmt.Errorf("topic %s: %w", m.Topic, err)
		}
		have[m.Topic] = true
	}
	return show, referee, nil
}

// waitFor waits until the pages show what is wanted.
func (b *boxProcess) waitFor(ctx context.Context, wanted func(refbox.Show, refbox.RefereeShow) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for {
		show, referee, err := b.show(ctx)
		if err == nil && wanted(show, referee) {
			return nil
		}
		select {
		case <-b.ended:
			return b.failure()
		case <-ctx.Done():
			return fmt.Errorf("the pages never show the awaited state; last %+v: %w", show, errors.Join(err, ctx.Err()))
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// errRefused is the error of a decision that the rules refuse.
var errRefused = errors.New("refused")

// decide requests a decision and returns when it is acknowledged. After an error other than errRefused its result is
// unknown.
func (b *boxProcess) decide(d game.Decision) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return b.post("decide", body)
}

// post sends a command as a page does.
func (b *boxProcess) post(name string, body []byte) error {
	r, err := http.NewRequest("POST", "http://"+b.page+"/api/command/"+name, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+killToken)
	answer, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	switch {
	case answer.StatusCode == http.StatusBadRequest && bytes.Contains(text, []byte("refused")):
		return fmt.Errorf("%w: %s", errRefused, bytes.TrimSpace(text))
	case answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent:
		return fmt.Errorf("%s: %s", answer.Status, bytes.TrimSpace(text))
	}
	return err
}

// baseStation connects from its team's loopback address, reconnects after each end, and sends numbered worldstates.
type baseStation struct {
	team int
	to   string
	rate int

	mu       sync.Mutex
	received []string // commands since the last take, without WELCOME
	lines    int      // number of connections so far
	open     bool     // connected now
}

// run connects until the context ends.
func (s *baseStation) run(ctx context.Context) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(s.team), 1)}, Timeout: time.Second}
	for ctx.Err() == nil {
		if line, err := dialer.DialContext(ctx, "tcp", s.to); err == nil {
			s.talk(ctx, line)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// talk sends and receives on one connection until it ends.
func (s *baseStation) talk(ctx context.Context, line net.Conn) {
	stop := context.AfterFunc(ctx, func() { line.Close() })
	defer stop()
	s.mu.Lock()
	s.lines++
	s.open = true
	number := s.lines
	s.mu.Unlock()
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		s.receive(line)
		line.Close()
	}()
	tick := time.NewTicker(time.Second / time.Duration(s.rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		if _, err := line.Write(worldstate(s.team, number, n)); err != nil {
			break
		}
		select {
		case <-tick.C:
			continue
		case <-silent:
		}
		break
	}
	line.Close()
	<-silent
	s.mu.Lock()
	s.open = false
	s.mu.Unlock()
}

// worldstate returns message n of a connection, of a usual size, with its NUL.
func worldstate(team, line, n int) []byte {
	b := fmt.Appendf(nil, `{"type":"worldstate","teamName":"T%d","intention":"%d/%d","robots":[`, team, line, n)
	for i := range 5 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%d,"pose":[%.3f,%.3f,%.4f],"targetPose":[0.000,1.500,0.0000],"velocity":[0.000,0.000,0.0000],`+
			`"intention":"defend","batteryLevel":93.0,"ballEngaged":0}`, i+1, float64(i), float64(n%100)/50, float64(i))
	}
	return append(fmt.Appendf(b, `],"balls":[{"position":[%.3f,0.000,0.110],"velocity":[0.000,0.000,0.000],"confidence":0.9}],`+
		`"obstacles":[],"ageMs":5}`, float64(n%700)/100), 0)
}

// receive collects commands until the connection ends.
func (s *baseStation) receive(line net.Conn) {
	var rest []byte
	piece := make([]byte, 4096)
	for {
		n, err := line.Read(piece)
		rest = append(rest, piece[:n]...)
		for {
			message, more, found := bytes.Cut(rest, []byte{0})
			if !found {
				break
			}
			if !bytes.Contains(message, []byte(`"WELCOME"`)) {
				s.mu.Lock()
				s.received = append(s.received, string(message))
				s.mu.Unlock()
			}
			rest = more
		}
		if err != nil {
			return
		}
	}
}

// take returns the commands since its last call. Call it after the box has ended: it waits for the end of the
// connection.
func (s *baseStation) take() []string {
	for range 5000 {
		s.mu.Lock()
		open := s.open
		s.mu.Unlock()
		if !open {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	received := s.received
	s.received = nil
	return received
}
