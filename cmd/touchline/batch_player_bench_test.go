package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch/queue"
	"touchline/internal/console"
)

// BenchmarkCompareByWorkers plays the same comparisons on one core of this machine, and then through a queue with two workers
// of one core each. rate-x is the ratio of the rates. On a machine that others use it says little, and efficiency more: the
// processor time on this machine, divided by that of workers, driver and server. in-vain is the share of matches that were
// played and do not count.
func BenchmarkCompareByWorkers(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("the machine has one core")
	}
	node := startFleet(b, "")
	var workers [2]*exec.Cmd
	for i := range workers {
		workers[i] = oneCore(b, "worker", "--nats", node.URL(), "--cores", "1", "--name", fmt.Sprint("worker ", i))
		errs, err := workers[i].StderrPipe()
		if err == nil {
			err = workers[i].Start()
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = workers[i].Process.Kill() }) // where the benchmark fails
		lines := bufio.NewScanner(errs)
		for lines.Scan() && !strings.Contains(lines.Text(), "plays for") {
		}
	}
	q, err := queue.Connect(queue.Address{URL: node.URL()}, "test")
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	var wall, busy [2]float64 // s, on this machine and by workers
	before, matches := console.CPUTime(), 0
	for seed := 1; b.Loop(); seed += 1000 {
		var texts [2]string
		for k, where := range [][]string{{"--cores", "1"}, {"--nats", node.URL()}} {
			c := oneCore(b, append([]string{"batch", "compare", "touchline-nobooking", "touchline", "--half", "10s", "--elo1", "50", "--pairs",
				"60", "--yes", "--json", "--seed", fmt.Sprint(seed)}, where...)...)
			begin := time.Now()
			text, _ := c.Output() // it exits with its verdict
			wall[k] += time.Since(begin).Seconds()
			busy[k] += processorTime(c)
			texts[k] = string(text)
		}
		var r batchCompared
		if err := json.Unmarshal([]byte(texts[0]), &r); err != nil || texts[0] != texts[1] {
			b.Fatalf("the verdict is\n%s\nand that of workers\n%s, %v", texts[0], texts[1], err)
		}
		matches += r.Matches
	}
	busy[1] += (console.CPUTime() - before).Seconds() // of the server
	for _, w := range workers {
		if err := w.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		_ = w.Wait()
		busy[1] += processorTime(w)
	}
	all, err := q.Batches(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	played := 0
	for _, s := range all {
		played += s.Results
	}
	b.ReportMetric(wall[0]/wall[1], "rate-x")
	b.ReportMetric(busy[0]/busy[1], "efficiency")
	b.ReportMetric(float64(matches)/float64(b.N), "matches/round")
	b.ReportMetric(float64(played-matches)/float64(matches), "in-vain")
	b.ReportMetric(0, "ns/op")
}

// oneCore returns a command that runs as a process of its own on one core.
func oneCore(b *testing.B, args ...string) *exec.Cmd {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asProgram+"=1", "GOMAXPROCS=1")
	return c
}

// processorTime returns the seconds that a process has computed.
func processorTime(c *exec.Cmd) float64 {
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}
