package wiretest

import (
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// patience is how long Eventually waits. No test may depend on the speed of a machine, which others may load.
const patience = 30 * time.Second

// Eventually waits until holds returns true, and fails the test after 30 s. what names the condition.
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

// FreePort returns a port of network, "udp" or "tcp", that no socket has and that no other test gets before t ends. The
// system may give its own free ports, 32768 and above, to another program at any time: this port lies below them. The
// socket of the other network keeps it for t.
func FreePort(t testing.TB, network string) string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(12000+rand.IntN(8000)))
		datagrams, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			datagrams.Close()
			continue
		}
		free, kept := datagrams.Close, listener.Close
		if network == "tcp" {
			free, kept = kept, free
		}
		if err := free(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = kept() })
		_, port, _ := net.SplitHostPort(address)
		return port
	}
	t.Fatal("no free port")
	return ""
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
