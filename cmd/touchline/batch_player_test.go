package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
	"touchline/wire/wiretest"
)

// stored returns what a server keeps of the one batch that it has.
func stored(t *testing.T, at queue.Address) (s queue.Stored) {
	t.Helper()
	q, err := queue.Connect(at, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	all, err := q.Batches(t.Context())
	if err != nil || len(all) > 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if len(all) == 1 {
		s = all[0]
	}
	return s
}

// results waits until a server has some results of its batch.
func results(t *testing.T, at queue.Address, n int) {
	t.Helper()
	wiretest.Eventually(t, "results", func() bool { return stored(t, at).Results >= n })
}

// asProcess starts a command as a process of its own.
func asProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := exec.Command(self, args...)
	p.Env = append(os.Environ(), asProgram+"=1")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // where the test fails
	return p
}

// kill kills a process.
func kill(t *testing.T, p *exec.Cmd) {
	t.Helper()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
}

// untilDone runs a command for as long as a loaded machine needs.
func untilDone(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, &o, &e)
	return o.String(), e.String(), code
}

// The verdict of workers is that of this machine, byte by byte: of one worker, with Ctrl-C in between; and of three, of which
// one is killed, with a driver that is killed and started again. No job stays in the queue, and no match is played twice.
func TestCompareByWorkers(t *testing.T) {
	single(t)
	compare := []string{"batch", "compare", "touchline", "still", "--half", "1s", "--elo1", "100", "--pairs", "60", "--yes"}
	with := func(args ...string) []string { return append(slices.Clone(compare), args...) }
	dir := filepath.Join(t.TempDir(), "here")
	want, errs, code := untilDone(t, with("--json", "--dir", dir)...)
	var r batchCompared
	if err := json.Unmarshal([]byte(want), &r); err != nil || code != 1 || r.Pairs.Count() < 10 || r.Pairs.Count() > 50 {
		t.Fatalf("want a test that stops: exit %d, %s%s", code, want, errs)
	}
	wantText, _, _ := untilDone(t, with("--dir", dir)...)
	key := filepath.Join(t.TempDir(), "fleet.key")
	if err := fleet.MakeKey(key); err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, flags []string, at queue.Address) {
		t.Helper()
		for _, c := range []struct{ format, want string }{{"--json=true", want}, {"--json=false", wantText}} {
			out, errs, code := untilDone(t, with(append(flags, c.format)...)...)
			if out != c.want || code != 1 || errs != "" {
				t.Errorf("%s: exit %d, %s\nworkers say\n%s\nwant\n%s", c.format, code, errs, out, c.want)
			}
		}
		wiretest.Eventually(t, "no job waits", func() bool { return stored(t, at).Waiting == 0 })
	}
	t.Run("one worker", func(t *testing.T) {
		node := startFleet(t, key)
		at := queue.Address{URL: node.URL(), Credentials: key}
		flags := []string{"--nats", at.URL, "--credentials", key}
		if _, errs, code := touchline(t, with("--nats", at.URL)...); code != 2 || !strings.Contains(errs, "pass the key file with --credentials") {
			t.Errorf("without a key: exit %d, %s", code, errs)
		}
		end := startWorker(t, append(flags, "--cores", "1", "--json")...)
		ctx, interrupt := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		interrupted := make(chan int, 1)
		go func() { interrupted <- run(ctx, with(flags...), &out, &errs) }()
		results(t, at, 6)
		interrupt()
		if code := <-interrupted; code != 1 || !strings.Contains(errs.String(), "interrupted: ") || !strings.Contains(out.String(), "undecided") {
			t.Errorf("Ctrl-C: exit %d, %s%s", code, &out, &errs)
		}
		wiretest.Eventually(t, "no job waits after Ctrl-C", func() bool { return stored(t, at).Waiting == 0 })
		check(t, flags, at)
		var w queue.Worker
		text, _, _ := end()
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			t.Fatal(err)
		}
		// A result that is stored while the worker ends is none of those that it counts.
		if n := stored(t, at).Results; w.Done != n && w.Done != n-1 {
			t.Errorf("the worker played %d matches for %d results", w.Done, n)
		}
	})
	t.Run("three workers", func(t *testing.T) {
		node := startFleet(t, key)
		at := queue.Address{URL: node.URL(), Credentials: key}
		flags := []string{"--nats", at.URL, "--credentials", key}
		worker := append([]string{"worker", "--cores", "1"}, flags...)
		first := asProcess(t, worker...)
		for range 2 {
			end := startWorker(t, worker[1:]...)
			defer end()
		}
		driver := asProcess(t, with(flags...)...)
		results(t, at, 4)
		kill(t, first)
		results(t, at, 8)
		kill(t, driver)
		check(t, flags, at)
	})
}

// A league and a search that workers play end as those of this machine.
func TestLeagueAndTuneByWorkers(t *testing.T) {
	single(t)
	node := startFleet(t, "")
	end := startWorker(t, "--nats", node.URL(), "--cores", "2")
	defer end()
	league := []string{"batch", "league", "touchline", "still", "--half", "1s", "--seeds", "2", "--json"}
	here, errs, code := untilDone(t, league...)
	if there, more, _ := untilDone(t, append(league, "--nats", node.URL())...); code != 0 || here == "" || there != here {
		t.Errorf("a league: exit %d, %s%s\nworkers say\n%s\nwant\n%s", code, errs, more, there, here)
	}
	dir := t.TempDir()
	tune := func(args ...string) (out, machine string) {
		t.Helper()
		t.Chdir(t.TempDir())
		out, errs, code := untilDone(t, append([]string{"batch", "tune", filepath.Join(dir, "play.json"), "-o", "tuned.json", "--half", "1s",
			"--steps", "2", "--pairs", "1"}, args...)...)
		text, err := os.ReadFile("tuned.json")
		if err != nil || code != 0 {
			t.Errorf("exit %d, %s, %v", code, errs, err)
		}
		return out, string(text)
	}
	text, err := os.ReadFile("../../docs/play.json")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "play.json"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, machine := tune()
	if by, its := tune("--nats", node.URL()); by != out || its != machine {
		t.Errorf("a search: workers say\n%s\nwant\n%s", by, out)
	}
	if s := stored(t, queue.Address{URL: node.URL()}); s.Name != "league" || s.Results != 4 || s.Waiting != 0 {
		t.Errorf("the servers keep %+v", s)
	}
}

// Flags that contradict each other are refused, and nobody waits for a server that is not there.
func TestPlayerFlags(t *testing.T) {
	single(t)
	for want, flags := range map[string]string{
		"leave it out": "--nats nats://127.0.0.1:1 --cores 2", "--credentials and --ca need --nats": "--credentials x",
		"no server answers": "--nats nats://127.0.0.1:1", "is not the address": "--nats 127.0.0.1", "holds neither": "--nats nats://127.0.0.1:1 --credentials batch.go",
	} {
		args := append([]string{"batch", "compare", "touchline", "still"}, strings.Fields(flags)...)
		begin := time.Now()
		if _, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d after %v, %s", flags, code, time.Since(begin), errs)
		}
	}
}
