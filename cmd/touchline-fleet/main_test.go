package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/queue"
	"touchline/internal/console"
)

func fleetCommand(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var o, e bytes.Buffer
	code = console.Run(ctx, rootCommand(), args, &o, &e)
	return o.String(), e.String(), code
}

// startUp runs up until the test ends, and returns what it printed when it was ready.
func startUp(t *testing.T, args ...string) (s started) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		code := console.Run(ctx, rootCommand(), append([]string{"up", "--listen", "127.0.0.1:0", "--json"}, args...), write, &errs)
		_ = write.Close()
		ended <- code
	}()
	t.Cleanup(func() {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		if code := <-ended; code != 0 {
			t.Errorf("up: exit %d, %s", code, errs.String())
		}
	})
	if err := json.NewDecoder(read).Decode(&s); err != nil {
		t.Fatalf("up: %v, %s", err, errs.String())
	}
	return s
}

// The results of a batch are listed, pulled into a folder, and removed.
func TestStored(t *testing.T) {
	dir := t.TempDir()
	s := startUp(t, "--dir", filepath.Join(dir, "fleet"), "--key", filepath.Join(dir, "fleet.key"))
	at := queue.Address{URL: s.URL, Credentials: s.Key}
	q, err := queue.Connect(at, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	m := batch.DefaultMatrix()
	m.Name, m.Teams, m.Half, m.Seeds = "stored", []string{"touchline", "still"}, time.Second, 3
	plan, err := batch.NewPlan(m, batch.Program{Version: "test", Behaviour: "0"}, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_, _ = q.Serve(ctx, queue.Work{Program: plan.Program, Name: "w", Cores: 1, Note: func(string) {}, Done: func(queue.Worker, *batch.Result) {},
			Play: func(_ context.Context, p *batch.Plan, job *batch.Job) (batch.Result, bool) {
				return p.Failed(job, ""), true
			}})
	}()
	err = q.Play(ctx, plan, batch.Each(plan.Jobs()), queue.Events{Result: func(*batch.Job, *batch.Result) error { return nil }})
	cancel()
	<-served
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"--nats", s.URL, "--credentials", s.Key}
	out, errs, code := fleetCommand(t, append([]string{"gc", "--json"}, flags...)...)
	var list []kept
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 1 || list[0].Name != "stored" || list[0].Results != 6 {
		t.Fatalf("gc: exit %d, %s%s", code, out, errs)
	}
	folder := filepath.Join(dir, "results")
	for _, want := range []string{"copied 6 results to", "copied 0 results to"} {
		if out, errs, code := fleetCommand(t, append([]string{"pull", list[0].Key[:4], "--dir", folder}, flags...)...); code != 0 ||
			!strings.Contains(out, want) || !strings.Contains(out, "0 matches have no result yet") {
			t.Errorf("pull: exit %d, %s%s", code, out, errs)
		}
	}
	if out, _, code := fleetCommand(t, append([]string{"gc", "--older", "1h"}, flags...)...); code != 0 || strings.Contains(out, "removed") {
		t.Errorf("gc of what is young: exit %d, %s", code, out)
	}
	if out, _, code := fleetCommand(t, append([]string{"gc", list[0].Key}, flags...)...); code != 0 || !strings.Contains(out, "removed") {
		t.Errorf("gc of a name: exit %d, %s", code, out)
	}
	if _, errs, code := fleetCommand(t, append([]string{"pull", "--dir", folder}, flags...)...); code != 2 || !strings.Contains(errs, "hold no batch") {
		t.Errorf("pull after it: exit %d, %s", code, errs)
	}
}

// A folder is mirrored, listed and pulled.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	s := startUp(t, "--dir", filepath.Join(dir, "fleet"), "--max-gb", "2")
	field, office := filepath.Join(dir, "field"), filepath.Join(dir, "office")
	if err := os.Mkdir(field, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(field, "game.mcap"), []byte("a recording"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{
		{"archive", "send", field, "--field", "3", "--once", "--keep-gb", "1", ""},
		{"archive", "list", "11 bytes  game.mcap"},
		{"archive", "pull", "--field", "3", "--dir", office, "game.mcap: 11 bytes came"},
		{"archive", "pull", "--field", "4", "--dir", office, "no file of this field"},
	} {
		args, want := append(c[:len(c)-1:len(c)-1], "--nats", s.URL), c[len(c)-1]
		if out, errs, code := fleetCommand(t, args...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%v: exit %d, %s%s", args, code, out, errs)
		}
	}
	if b, err := os.ReadFile(filepath.Join(office, "game.mcap")); err != nil || string(b) != "a recording" {
		t.Errorf("it holds %q, %v", b, err)
	}
}

// Bad flags are refused with the cause and the fix.
func TestUsage(t *testing.T) {
	for _, c := range [][]string{
		{"name a command"},
		{"up", "--listen", "localhost", "want an IP address"},
		{"up", "--max-gb", "-1", "want 0 to"},
		{"up", "--listen", "192.0.2.1", "--join", "192.0.2.1,192.0.2.2,192.0.2.3", "--key is missing"},
		{"up", "--join", "127.0.0.1,127.0.0.1:4223", "at least three"},
		{"up", "more", "is neither a command nor a flag"},
		{"pull", "--nats", "nats://127.0.0.1:1", "--dir is missing"},
		{"pull", "--dir", "x", "--nats", "nats://127.0.0.1:1", "no server answers"},
		{"gc", "--nats", "nats://127.0.0.1:1", "no server answers"},
		{"gc", "--older", "-1h", "want a time"},
		{"archive", "archive needs a command"},
		{"archive", "send", "x", "--field", "a b", "want 1 to 64 letters"},
		{"archive", "send", "x", "--field", "a", "--keep-gb", "0", "want at least"},
		{"archive", "pull", "--field", "a", "--dir is missing"},
	} {
		args, want := c[:len(c)-1], c[len(c)-1]
		if len(args) > 0 && args[0] == "up" {
			args = append(args, "--dir", t.TempDir())
		}
		if _, errs, code := fleetCommand(t, args...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}
