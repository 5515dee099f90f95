package wiretest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// patience is how long Eventually waits. No test may depend on the speed of a machine, which others may load.
const patience = 2 * time.Minute

// Eventually waits until holds returns true, and fails the test after two minutes. what names the condition.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// FreePort returns a port of network, "udp" or "tcp", as FreePorts does.
func FreePort(t testing.TB, network string) string {
	t.Helper()
	return strconv.Itoa(FreePorts(t, network, 1))
}

// FreePorts returns the first of n consecutive ports of network, "udp" or "tcp", that no socket has and that no other
// test gets before t ends. The system may give its own free ports, 32768 and above, to another program at any time:
// these ports lie below them. Sockets of the other network keep them for t.
func FreePorts(t testing.TB, network string, n int) int {
	t.Helper()
	for range 100 {
		first := 12000 + rand.IntN(8000)
		kept, err := keepPorts(network, first, n)
		if err != nil {
			continue
		}
		t.Cleanup(func() { closeAll(kept) })
		return first
	}
	t.Fatalf("no %d consecutive free ports", n)
	return 0
}

// keepPorts opens sockets of the other network on n ports. A port of network is tried, without a listener: a program that
// another test starts just now would inherit it for some milliseconds.
func keepPorts(network string, first, n int) (kept []io.Closer, err error) {
	for port := first; port < first+n; port++ {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		var s io.Closer
		if network == "tcp" {
			s, err = net.ListenPacket("udp", address)
		} else {
			s, err = net.Listen("tcp", address)
		}
		if err == nil {
			kept = append(kept, s)
			err = tryPort(network, address)
		}
		if err != nil {
			closeAll(kept)
			return nil, err
		}
	}
	return kept, nil
}

// tryPort returns an error if a socket has the port.
func tryPort(network, address string) error {
	if network == "tcp" {
		if conn, err := net.Dial(network, address); err == nil {
			_ = conn.Close()
			return fmt.Errorf("a program listens at %s", address)
		}
		return nil
	}
	s, err := net.ListenPacket(network, address)
	if err != nil {
		return err
	}
	return s.Close()
}

func closeAll(sockets []io.Closer) {
	for _, s := range sockets {
		_ = s.Close()
	}
}

// Data returns the path of a recording by others, which has no licence to be part of this repository. It lies in the
// folder that the environment variable TOUCHLINE_DATA names, or in ../shared/data beside the repository. Without it the
// test is skipped, which ./check reports in its closing line; with the environment variable CI set it fails.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("TOUCHLINE_DATA")
	if dir == "" {
		dir = filepath.Join(repository(), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("no recordings at %s: CI needs them; set TOUCHLINE_DATA to their folder", path)
	}
	t.Skipf("no recordings at %s: set TOUCHLINE_DATA to their folder", path)
	return ""
}

// repository returns the folder of go.mod, above the folder of the running test.
func repository() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}
