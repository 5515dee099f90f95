package teamcomnet_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
	Restored    int    // data pieces
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
	out, err := exec.Command(python(t), append([]string{"testdata/peer.py", "vectors"}, files...)...).CombinedOutput()
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
	for _, side := range []func(peerLine) string{traceArrived, traceSent} {
		p.await("a datagram with all messages", func(l peerLine) bool { return pieces(side(l)) == len(smallMessages) })
	}
	nothingRefused(t, e, p)
}

// peerParity is the number of data pieces per parity piece of an image.
const peerParity = 4

// Both sides restore an image of which one data piece of each group is lost: the program loses it on the way in and out.
func TestPeerParity(t *testing.T) {
	image := string(bytes.Repeat([]byte("0123456789abc"), 2309)) // 30,017 bytes
	count := (len(image) + 1199) / 1200
	groups := (count + peerParity - 1) / peerParity
	for _, lost := range []string{"first", "last"} {
		t.Run(lost, func(t *testing.T) {
			path := localIni(t, "")
			e := open(t, path, robot1, nil)
			arrived := listen(e, tcm.GM, tcm.Image)
			run(t, e)
			p := startPeer(t, path, "--lose", lost)
			p.send(robot1, peerMessage{tcm.Image, hex.EncodeToString([]byte(image))})
			if got := receive(t, arrived); got.data != image {
				t.Errorf("the endpoint got %d bytes, want %d, or they differ", len(got.data), len(image))
			}
			if got := e.Report(e.Now()).Repaired; got != uint64(groups) {
				t.Errorf("the endpoint restored %d pieces, want %d", got, groups)
			}
			send(t, e, robot2, tcm.Image, image)
			if got := p.received(tcm.Image, image).Restored; got != groups {
				t.Errorf("the program restored %d pieces, want %d", got, groups)
			}
			nothingRefused(t, e, p)
		})
	}
}

// A broadcast without a multicast group goes to each listed entity of the kind, and not back to its source.
func TestPeerBroadcast(t *testing.T) {
	at := bases(t, 3)
	path := filepath.Join(t.TempDir(), "TCM.ini")
	text := fmt.Sprintf("; the team\n[Robots]\n1 = %s ; here\n2=%s # the program\n3 =%s\n", at[0], at[1], at[2])
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	robot3 := tcm.Entity{Kind: tcm.Robot, ID: 3}
	e1, e3 := open(t, path, robot1, nil), open(t, path, robot3, nil)
	at1, at3 := listen(e1, tcm.GM, tcm.Belief), listen(e3, tcm.GM, tcm.Belief)
	run(t, e1, e3)
	p := startPeer(t, path)
	p.send(robots, peerMessage{tcm.Belief, hex.EncodeToString([]byte("from the program"))})
	for _, arrived := range []<-chan message{at1, at3} {
		if got := receive(t, arrived); got.data != "from the program" || got.from.To != robots {
			t.Errorf("got %q to %v", got.data, got.from.To)
		}
	}
	send(t, e1, robots, tcm.Belief, "from an endpoint")
	if got := p.received(tcm.Belief, "from an endpoint"); got.To != "robots" || got.Socket != tcm.Robots {
		t.Errorf("the program got %+v", got)
	}
	if got := receive(t, at3); got.data != "from an endpoint" {
		t.Errorf("got %q", got.data)
	}
	nothingRefused(t, e1, p)
	nothingRefused(t, e3, p)
}

// Both sides measure the offset of the other's clock, and answer silent links with beacons.
func TestPeerClock(t *testing.T) {
	decades := -time.Since(time.Unix(0, 0))
	for name, shift := range map[string]time.Duration{
		"hour ahead": time.Hour, "hour behind": -time.Hour, "from 0": decades + time.Minute, "below 0": decades - time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			const near = 100 * time.Millisecond
			path := localIni(t, "")
			e := open(t, path, robot1, nil)
			arrived := listen(e, tcm.GM, ownType)
			run(t, e)
			p := startPeer(t, path, fmt.Sprintf("--shift=%.3f", shift.Seconds()))
			p.send(robot1, own(0, "first")) // nothing else follows: beacons carry the echoes
			receive(t, arrived)
			wiretest.Eventually(t, "the endpoint knows the offset", func() bool {
				for _, l := range e.Report(e.Now()).Links {
					offset := time.Duration(l.OffsetMillis * float64(time.Millisecond))
					return l.Peer == robot2.String() && l.Synced && (offset-shift).Abs() < near
				}
				return false
			})
			p.await("the program knows the offset", func(l peerLine) bool {
				return l.Link == robot1.String() && (time.Duration(l.Offset)+shift).Abs() < near
			})
			p.send(robot1, own(0, "second"))
			got := receive(t, arrived).from
			if age := time.Duration(got.Received - got.Captured); !got.Synced || age.Abs() > time.Minute {
				t.Errorf("captured %v before it arrived, synced %v", age, got.Synced)
			}
			nothingRefused(t, e, p)
		})
	}
}

// signedIni is localIni of a team with a key.
func signedIni(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "team.key")
	if err := os.WriteFile(file, []byte("0123456789abcdef\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return localIni(t, "key = "+file)
}

// attack is a datagram that a receiver of signed datagrams refuses.
type attack struct {
	name     string // of the program's reason to drop it
	datagram []byte
}

// attacks returns attacks made from a signed datagram that the receiver accepted.
func attacks(t *testing.T, accepted []byte) []attack {
	t.Helper()
	other, err := tcm.NewKey([]byte("fedcba9876543210"))
	if err != nil {
		t.Fatal(err)
	}
	var d tcm.Datagram
	if err := d.UnmarshalBinary(accepted); err != nil || !d.Signed {
		t.Fatalf("signed %v, %v", d.Signed, err)
	}
	body := bytes.Clone(accepted[:len(accepted)-20]) // without tag and CRC
	body[16]++                                       // the sequence
	unsigned := bytes.Clone(body)
	unsigned[4] = 0
	altered := append(bytes.Clone(body), d.Tag[:]...)
	altered = binary.LittleEndian.AppendUint32(altered, tcm.Sum(altered))
	return []attack{
		{"replayed", accepted},
		{"unsigned", tcm.Seal(unsigned, nil)},
		{"forged", tcm.Seal(bytes.Clone(body), other)},
		{"forged", altered},
	}
}

// datagramWith waits for a datagram of the program's trace that carries a message.
func (p *peer) datagramWith(side func(peerLine) string, payload string) []byte {
	p.t.Helper()
	text := hex.EncodeToString([]byte(payload))
	line := p.await("the trace has the datagram", func(l peerLine) bool { return strings.Contains(side(l), text) })
	b, err := hex.DecodeString(side(line))
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func traceSent(l peerLine) string    { return l.Sent }
func traceArrived(l peerLine) string { return l.Arrived }

// Both sides exchange signed messages and refuse replayed, unsigned and forged datagrams.
func TestPeerSigned(t *testing.T) {
	path := signedIni(t)
	e := open(t, path, robot1, nil)
	arrived := listen(e, tcm.GM, ownType)
	run(t, e)
	p := startPeer(t, path, "--trace")
	p.send(robot1, own(0, "signed by the program"))
	receive(t, arrived)
	for _, a := range attacks(t, p.datagramWith(traceSent, "signed by the program")) {
		p.command(map[string]any{"to": "robot:1", "socket": tcm.Bulk, "raw": hex.EncodeToString(a.datagram)})
	}
	wiretest.Eventually(t, "the endpoint refuses four datagrams", func() bool {
		r := e.Report(e.Now()).Refused
		return r.Duplicate == 1 && r.Unsigned == 1 && r.Forged == 2
	})

	send(t, e, robot2, ownType, "signed by the endpoint")
	p.received(ownType, "signed by the endpoint")
	for _, a := range attacks(t, p.datagramWith(traceArrived, "signed by the endpoint")) {
		before := len(p.find(func(l peerLine) bool { return l.Dropped == a.name }))
		sendTo(t, path, a.datagram)
		wiretest.Eventually(t, "the program drops a datagram that is "+a.name, func() bool {
			return len(p.find(func(l peerLine) bool { return l.Dropped == a.name })) > before
		})
	}

	p.send(robot1, own(0, "last"))
	if got := receive(t, arrived); got.data != "last" {
		t.Errorf("the endpoint got %q after the attacks", got.data)
	}
	send(t, e, robot2, ownType, "last")
	p.received(ownType, "last")
	if got := p.find(func(l peerLine) bool { return l.Source != "" }); len(got) != 2 {
		t.Errorf("the program got %d messages, want 2: %+v", len(got), got)
	}
}

// sendTo sends a datagram to the program's socket bulk from a port that is not the endpoint's.
func sendTo(t *testing.T, path string, datagram []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := teamcom.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range d.Entries {
		if entry.Entity == robot2 {
			to := netip.AddrPortFrom(entry.Addr.Addr(), entry.Addr.Port()+uint16(tcm.Bulk))
			conn, err := net.Dial("udp", to.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(datagram); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Each side accepts a restart of the other with a higher boot, and with signing never one with a lower boot.
func TestPeerRestart(t *testing.T) {
	path := signedIni(t)
	boot := func(n uint32) func(*teamcomnet.Config) {
		return func(cfg *teamcomnet.Config) { cfg.Node.Boot = n }
	}
	t.Run("program", func(t *testing.T) {
		e := open(t, path, robot1, nil)
		arrived := listen(e, tcm.GM, ownType)
		run(t, e)
		for _, n := range []uint32{100, 101} {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				text := fmt.Sprint("boot ", n)
				startPeer(t, path, "--boot", fmt.Sprint(n)).send(robot1, own(0, text))
				if got := receive(t, arrived); got.data != text || got.from.Number != 0 {
					t.Errorf("got %q, number %d, want %q, number 0", got.data, got.from.Number, text)
				}
			})
		}
		startPeer(t, path, "--boot", "99").send(robot1, own(0, "boot 99"))
		wiretest.Eventually(t, "the endpoint refuses the older boot", func() bool {
			return e.Report(e.Now()).Refused.OlderBoot > 0
		})
		if links := e.Report(e.Now()).Links; len(links) != 1 || links[0].Boot != 101 || links[0].Restarts != 1 {
			t.Errorf("got %+v, want one link with boot 101 and one restart", links)
		}
		if len(arrived) > 0 {
			t.Errorf("got %q", receive(t, arrived).data)
		}
	})
	t.Run("endpoint", func(t *testing.T) {
		p := startPeer(t, path)
		for _, n := range []uint32{100, 101, 99} {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				text := fmt.Sprint("boot ", n)
				e := open(t, path, robot1, boot(n))
				run(t, e)
				send(t, e, robot2, ownType, text)
				if n == 99 {
					p.await("the program drops the older boot", func(l peerLine) bool { return l.Dropped == "older boot" })
				} else {
					p.received(ownType, text)
				}
			})
		}
		if got := p.find(func(l peerLine) bool { return l.Source != "" }); len(got) != 2 {
			t.Errorf("the program got %d messages, want 2: %+v", len(got), got)
		}
	})
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
