package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
)

// startFleet starts a server for workers.
func startFleet(t testing.TB, key string) *fleet.Node {
	t.Helper()
	node, err := fleet.Start(fleet.Config{
		Listen: netip.MustParseAddrPort("127.0.0.1:0"), Dir: t.TempDir(), Key: key, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Stop)
	return node
}

// startWorker runs the command worker, and returns a function that ends it and returns its output.
func startWorker(t testing.TB, args ...string) func() (out, errs string, code int) {
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, append([]string{"worker"}, args...), &out, &errs) }()
	return func() (string, string, int) {
		cancel()
		c := <-code
		return out.String(), errs.String(), c
	}
}

// Workers play a plan, and its report is that of one process, byte by byte.
func TestWorkers(t *testing.T) {
	single(t)
	dir, key := writePlan(t, smallMatrix), filepath.Join(t.TempDir(), "fleet.key")
	if err := fleet.MakeKey(key); err != nil {
		t.Fatal(err)
	}
	plan, here, there := filepath.Join(dir, "plan.json"), filepath.Join(dir, "here"), filepath.Join(dir, "there")
	node := startFleet(t, key)
	if _, errs, code := touchline(t, "batch", "run", plan, "--dir", there, "--nats", node.URL()); code != 2 ||
		!strings.Contains(errs, "pass the key file with --credentials") {
		t.Errorf("without a key: exit %d, %s", code, errs)
	}
	end := startWorker(t, "--nats", node.URL(), "--credentials", key, "--name", "one", "--json")
	if out, errs, code := touchline(t, "batch", "run", plan, "--dir", there, "--nats", node.URL(), "--credentials", key); code != 0 ||
		!strings.Contains(out, "6 were played now") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	out, errs, code := end()
	var w queue.Worker
	if err := json.Unmarshal([]byte(out), &w); err != nil || code != 0 || w.Name != "one" || w.Done != 6 || w.Failed != 0 {
		t.Errorf("the worker: exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := touchline(t, "batch", "run", plan, "--dir", here); code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}
	one, _, _ := touchline(t, "batch", "report", here, "--json")
	other, _, _ := touchline(t, "batch", "report", there, "--json")
	if one == "" || one != other {
		t.Errorf("the reports differ:\n%s\n%s", one, other)
	}
}

// A worker waits for its server and says so; a wrong address, flag or file is refused.
func TestWorkerUsage(t *testing.T) {
	end := startWorker(t, "--nats", "nats://127.0.0.1:1")
	for _, c := range [][]string{
		{"--nats", "127.0.0.1", "is not the address"}, {"--cores", "-1", "--cores"}, {"--credentials", "/nowhere", "/nowhere"},
		{"--ca", "/nowhere", "/nowhere"},
	} {
		if _, errs, code := touchline(t, append([]string{"worker"}, c[:len(c)-1]...)...); code != 2 || !strings.Contains(errs, c[len(c)-1]) {
			t.Errorf("%v: exit %d, %s", c, code, errs)
		}
	}
	if out, errs, code := end(); code != 0 || !strings.Contains(out, "0 matches played") || !strings.Contains(errs, "waiting for it") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}
