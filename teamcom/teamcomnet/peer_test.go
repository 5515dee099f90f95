package teamcomnet_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// peer is testdata/peer.py, a second implementation of the datagrams that was written from docs/teamcom.md alone. It
// runs as robot 2.
type peer struct {
	t     *testing.T
	stdin io.Writer
	mu    sync.Mutex
	lines []peerLine
}

// peerLine is a line of the program's output. The fields of other kinds of lines are empty.
type peerLine struct {
	Ready string

	Source, To  string // a message
	Socket      tcm.Socket
	Module      tcm.Module
	Type        tcm.Type
	Number      uint32
	Text, Hex   string
	Dropped     string // a datagram: why
	Sent        string // a datagram, with trace
	Arrived     string // likewise
	Link        string // the state of a link
	Boot        uint32
	RTT, Offset int64 // ns
}

// payload returns the payload of a message.
func (l peerLine) payload() string {
	if l.Hex == "" {
		return l.Text
	}
	b, _ := hex.DecodeString(l.Hex)
	return string(b)
}

// python returns the path of the interpreter, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	return path
}

// startPeer starts the program as robot 2 and waits until its sockets are open. It ends with the test.
func startPeer(t *testing.T, ini string, args ...string) *peer {
	t.Helper()
	c := exec.CommandContext(t.Context(), python(t), append([]string{"testdata/peer.py", ini, robot2.String()}, args...)...)
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, stdin: stdin}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.read(stdout)
	}()
	t.Cleanup(func() {
		stdin.Close()
		<-ended
		c.Wait()
		if stderr.Len() > 0 {
			t.Errorf("the program failed: %s", stderr.String())
		}
	})
	p.await("the program is ready", func(l peerLine) bool { return l.Ready != "" })
	return p
}

// read collects the program's output.
func (p *peer) read(output io.Reader) {
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var l peerLine
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			p.t.Errorf("%s: %v", scanner.Text(), err)
		}
		p.mu.Lock()
		p.lines = append(p.lines, l)
		p.mu.Unlock()
	}
}

// find returns the lines of the output so far for which match returns true.
func (p *peer) find(match func(peerLine) bool) (found []peerLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if match(l) {
			found = append(found, l)
		}
	}
	return found
}

// await waits for a line and returns it.
func (p *peer) await(what string, match func(peerLine) bool) peerLine {
	p.t.Helper()
	var found []peerLine
	wiretest.Eventually(p.t, what, func() bool {
		found = p.find(match)
		return len(found) > 0
	})
	return found[0]
}

// received waits for a message and returns it.
func (p *peer) received(typ tcm.Type, payload string) peerLine {
	p.t.Helper()
	return p.await(fmt.Sprintf("the program receives %v of %d bytes", typ, len(payload)), func(l peerLine) bool {
		return l.Source != "" && l.Type == typ && l.payload() == payload
	})
}

// peerMessage is a message that the program sends.
type peerMessage struct {
	Type tcm.Type `json:"type"`
	Hex  string   `json:"hex"`
}

// send makes the program send messages with one command: small ones share a datagram.
func (p *peer) send(to tcm.Entity, messages ...peerMessage) {
	p.t.Helper()
	p.command(map[string]any{"to": to.String(), "messages": messages})
}

func (p *peer) command(command map[string]any) {
	p.t.Helper()
	b, err := json.Marshal(command)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.stdin.Write(append(b, '\n')); err != nil {
		p.t.Fatal(err)
	}
}

func own(i int, payload string) peerMessage {
	return peerMessage{ownType + tcm.Type(i), hex.EncodeToString([]byte(payload))}
}

// The second implementation decodes the vectors and the examples of the document, and encodes them again.
func TestPeerVectors(t *testing.T) {
	files, err := filepath.Glob("../../wire/vectors/tcm-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files of vectors, %v", len(files), err)
	}
	files = append(files, "../../docs/teamcom.md")
	out, err := exec.Command(python(t), append([]string{"testdata/peer.py", "--vectors"}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), ", 0 differ"); n != len(files) {
		t.Errorf("got %d files without a difference, want %d:\n%s", n, len(files), out)
	}
}

// smallMessages are messages of one datagram, one of which is empty.
var smallMessages = []string{"hello", "", "third\x00\xff"}

// The second implementation and an endpoint exchange messages of one datagram.
func TestPeerMessages(t *testing.T) {
	path := localIni(t, "")
	e := open(t, path, robot1, nil)
	p := startPeer(t, path, "--trace")
	var arrived []<-chan message
	for i := range smallMessages {
		arrived = append(arrived, listen(e, tcm.GM, ownType+tcm.Type(i)))
		send(t, e, robot2, ownType+tcm.Type(i), smallMessages[i]) // they wait for run, and share a datagram
	}
	run(t, e)
	var commands []peerMessage
	for i, want := range smallMessages {
		got := p.received(ownType+tcm.Type(i), want)
		if got.Source != "robot:1" || got.To != "robot:2" || got.Socket != tcm.Bulk || got.Module != tcm.GM {
			t.Errorf("the program got %+v", got)
		}
		commands = append(commands, own(i, want))
	}
	p.send(robot1, commands...)
	for i, want := range smallMessages {
		got := receive(t, arrived[i])
		if got.data != want || got.from.Entity != robot2 || got.from.Module != tcm.FirstOwnModule || got.from.To != robot1 {
			t.Errorf("got %q from %+v, want %q", got.data, got.from, want)
		}
	}
	for _, side := range []func(peerLine) string{
		func(l peerLine) string { return l.Arrived }, func(l peerLine) string { return l.Sent },
	} {
		shared := p.find(func(l peerLine) bool { return pieces(side(l)) == len(smallMessages) })
		if len(shared) != 1 {
			t.Errorf("got %d datagrams with %d messages, want 1", len(shared), len(smallMessages))
		}
	}
	nothingRefused(t, e, p)
}

// pieces returns the number of pieces of a datagram in hexadecimal.
func pieces(datagram string) int {
	b, _ := hex.DecodeString(datagram)
	var d tcm.Datagram
	if d.UnmarshalBinary(b) != nil {
		return 0
	}
	return len(d.Pieces)
}

// nothingRefused reports the datagrams that one of the two implementations refused.
func nothingRefused(t *testing.T, e *teamcomnet.Endpoint, p *peer) {
	t.Helper()
	if dropped := p.find(func(l peerLine) bool { return l.Dropped != "" }); len(dropped) > 0 {
		t.Errorf("the program dropped datagrams: %+v", dropped)
	}
	if r := e.Report(e.Now()); r.Refused != (teamcom.RefusedReport{}) {
		t.Errorf("the endpoint refused datagrams: %+v", r.Refused)
	}
}
