package fleet_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
)

// roleOf is the environment variable that makes this test program a node, a worker or a driver until it is killed.
const roleOf = "TOUCHLINE_FLEET_ROLE"

// part is what such a program does.
type part struct {
	Role  string // "node", "worker" or "drive"
	Node  nodePart
	At    queue.Address
	Name  string
	Dir   string // of the driver's results, with the plan
	Match bool   // real matches instead of trivial jobs
}

// nodePart is a fleet.Config that can be written as JSON.
type nodePart struct {
	Listen netip.AddrPort
	Nodes  []netip.AddrPort
	Dir    string
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleOf)
	if text == "" {
		os.Exit(m.Run())
	}
	var p part
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, p.Role+":", err)
		os.Exit(1)
	}
}

// run plays the part until SIGTERM, or until the driver has all results.
func (p *part) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch p.Role {
	case "node":
		node, err := fleet.Start(fleet.Config{Listen: p.Node.Listen, Nodes: p.Node.Nodes, Dir: p.Node.Dir, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer node.Stop()
		q, err := node.Queue("")
		if err != nil {
			return err
		}
		defer q.Close()
		fmt.Println("listens", node.URL())
		if err := q.Prepare(ctx, node.Replicas()); err != nil {
			return nil // it was ended before the others came
		}
		fmt.Println("ready", node.URL())
		<-ctx.Done()
		return nil
	case "worker":
		q := patiently(ctx, p.At)
		if q == nil {
			return nil
		}
		defer q.Close()
		play := trivial
		if p.Match {
			play = batchnet.Play
		}
		_, err := q.Serve(ctx, queue.Work{
			Program: testProgram, Name: p.Name, Cores: 1, Note: func(text string) { fmt.Println("note", text) },
			Done: func(_ queue.Worker, r *batch.Result) { fmt.Println("stored", r.ID) },
			Play: func(ctx context.Context, plan *batch.Plan, job *batch.Job) (batch.Result, bool) {
				fmt.Println("begin", job.ID)
				return play(ctx, plan, job)
			},
		})
		if ctx.Err() != nil {
			return nil
		}
		return err
	default:
		return p.drive(ctx)
	}
}

// trivial gives the result of a job without playing it.
func trivial(_ context.Context, plan *batch.Plan, job *batch.Job) (batch.Result, bool) {
	r := plan.Failed(job, "")
	r.Digest = "of " + job.ID
	return r, true
}

// drive collects the results that its folder lacks.
func (p *part) drive(ctx context.Context) error {
	plan, err := batchnet.ReadPlan(p.Dir)
	if err != nil {
		return err
	}
	folder, jobs := &batchnet.Folder{Path: p.Dir}, plan.Jobs()
	missing := folder.Missing(plan, jobs, func(int, error) {})
	q := patiently(ctx, p.At)
	if q == nil {
		return nil
	}
	defer q.Close()
	err = q.Play(ctx, plan, batch.Each(missing), queue.Events{All: true,
		Result: func(_ *batch.Job, r *batch.Result) error {
			if err := folder.Put(r); err != nil {
				return err
			}
			fmt.Println("result", r.ID)
			return nil
		},
		Note: func(text string) { fmt.Println("note", text) },
	})
	if err == nil {
		fmt.Println("done")
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// patiently connects as soon as a server is there; nil: ctx ended first.
func patiently(ctx context.Context, at queue.Address) *queue.Queue {
	for ctx.Err() == nil {
		if q, err := queue.Connect(at, "test"); err == nil {
			return q
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// process is a program of the test.
type process struct {
	part part
	cmd  *exec.Cmd
	done chan struct{} // closed when its output ends
}

// scene is a batch whose programs are killed.
type scene struct {
	t       testing.TB
	nodes   []*process
	workers []*process
	driver  *process
	at      queue.Address
	plan    *batch.Plan

	lock    sync.Mutex
	begun   map[string]int  // runs of each job
	stored  map[string]bool // that a worker was told
	first   map[string]bool
	last    time.Time     // of a new result
	pause   time.Duration // the longest between two new results
	done    bool
	notes   []string
	ready   chan struct{}
	waiting int // nodes that are not ready yet
}

// start starts a program that plays a part, and reads what it prints.
func (s *scene) start(p part) *process {
	text, err := json.Marshal(p)
	if err != nil {
		s.t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), roleOf+"="+string(text))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	pr := &process{p, c, make(chan struct{})}
	go func() {
		defer close(pr.done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			word, rest, _ := strings.Cut(lines.Text(), " ")
			s.take(p.Role, word, rest)
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	return pr
}

// take takes a line that a program printed.
func (s *scene) take(role, word, rest string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch word {
	case "begin":
		s.begun[rest]++
	case "stored":
		s.stored[rest] = true
	case "result":
		if now := time.Now(); !s.first[rest] {
			s.first[rest] = true
			if !s.last.IsZero() {
				s.pause = max(s.pause, now.Sub(s.last))
			}
			s.last = now
		}
	case "done":
		s.done = true
	case "ready":
		if s.waiting--; s.waiting == 0 {
			close(s.ready)
		}
	case "note":
		s.notes = append(s.notes, role+": "+rest)
	}
}

// kill kills a program, or ends it with SIGTERM, and waits for it.
func (p *process) end(sig os.Signal) {
	_ = p.cmd.Process.Signal(sig)
	<-p.done
	_ = p.cmd.Wait()
}

// freePorts returns ports that are free, and whose ports for routes are.
func freePorts(t testing.TB, n int) (ports []uint16) {
	for range 1000 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port > 65535-fleet.RoutePort {
			continue
		}
		r, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+fleet.RoutePort))
		if err != nil {
			continue
		}
		_ = r.Close()
		if ports = append(ports, uint16(port)); len(ports) == n {
			return ports
		}
	}
	t.Fatal("no free ports")
	return nil
}

var testProgram = batch.Program{Version: "test", Behaviour: "0"}

func newPlan(t testing.TB, jobs int) *batch.Plan {
	t.Helper()
	m := batch.DefaultMatrix()
	m.Teams, m.Half, m.Seeds = []string{"touchline", "still"}, time.Second, jobs/2
	p, err := batch.NewPlan(m, testProgram, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nodeDir is the folder of a node's files.
func nodeDir(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("node%d", i)) }

// newScene starts nodes, workers and a driver for a batch.
func newScene(t testing.TB, nodes, workers int, plan *batch.Plan, dir string, match bool) *scene {
	t.Helper()
	s := &scene{t: t, plan: plan, begun: map[string]int{}, stored: map[string]bool{}, first: map[string]bool{}, ready: make(chan struct{}), waiting: nodes}
	t.Cleanup(s.stop)
	var all []netip.AddrPort
	for _, port := range freePorts(t, nodes) {
		all = append(all, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
	}
	urls := make([]string, nodes)
	for i, a := range all {
		n := nodePart{Listen: a, Dir: filepath.Join(nodeDir(dir, i), "store")}
		if nodes > 1 {
			n.Nodes = all
		}
		urls[i] = "nats://" + a.String()
		s.nodes = append(s.nodes, s.start(part{Role: "node", Node: n}))
	}
	s.at.URL = strings.Join(urls, ",")
	select {
	case <-s.ready:
	case <-time.After(time.Minute):
		t.Fatal("the nodes are not ready after a minute")
	}
	results := filepath.Join(dir, "results")
	if _, err := batchnet.OpenFolder(results, plan); err != nil {
		t.Fatal(err)
	}
	for i := range workers {
		s.workers = append(s.workers, s.start(part{Role: "worker", At: s.at, Name: fmt.Sprint("worker ", i), Match: match}))
	}
	s.driver = s.start(part{Role: "drive", At: s.at, Dir: results})
	return s
}

func (s *scene) stop() {
	for _, p := range append(append([]*process{s.driver}, s.workers...), s.nodes...) {
		if p != nil {
			p.end(os.Kill)
		}
	}
}

// over reports whether the driver has all results.
func (s *scene) over() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.done
}

// wait waits for the end of the batch.
func (s *scene) wait(patience time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(patience); !s.over(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.lock.Lock()
			defer s.lock.Unlock()
			s.t.Fatalf("the batch stands still: %d results, notes %q", len(s.first), s.notes)
		}
	}
}

// leader returns which node leads the results; -1: none.
func (s *scene) leader() int {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		stream, done, err := s.stream(ctx)
		if err != nil {
			continue
		}
		done()
		cluster := stream.CachedInfo().Cluster
		if cluster == nil {
			return -1
		}
		return slices.IndexFunc(s.nodes, func(n *process) bool { return "touchline-"+n.part.Node.Listen.String() == cluster.Leader })
	}
	return -1
}

// stream returns the servers' stream of results, and a function that ends the connection.
func (s *scene) stream(ctx context.Context) (jetstream.Stream, func(), error) {
	conn, err := nats.Connect(s.at.URL)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	stream, err := js.Stream(ctx, "TOUCHLINE_RESULTS")
	if err != nil {
		conn.Close()
	}
	return stream, conn.Close, err
}

// victims are what a kill ends: "leader" and "follower" of the results' stream, "all" nodes, a "worker", or the "driver".
var victims = []string{"leader", "follower", "all", "worker", "driver"}

// strike kills a victim, and starts it again: nodes after down, others at once.
func (s *scene) strike(victim string, random *rand.Rand, down time.Duration) {
	restart := func(ps []*process, which ...int) {
		for _, i := range which {
			ps[i].end(os.Kill)
		}
		if len(which) > 0 && ps[which[0]].part.Role == "node" {
			time.Sleep(down)
		}
		for _, i := range which {
			ps[i] = s.start(ps[i].part)
		}
	}
	s.lock.Lock()
	s.waiting = 1 << 20 // nobody waits for them
	s.lock.Unlock()
	switch victim {
	case "worker":
		restart(s.workers, random.IntN(len(s.workers)))
	case "driver":
		s.driver.end(os.Kill)
		s.driver = s.start(s.driver.part)
	case "all":
		which := make([]int, len(s.nodes))
		for i := range which {
			which[i] = i
		}
		restart(s.nodes, which...)
	default:
		i := max(0, s.leader())
		if victim == "follower" {
			i = (i + 1) % len(s.nodes)
		}
		restart(s.nodes, i)
	}
}

// check compares all that is stored with what must be.
func (s *scene) check(plan *batch.Plan, dir string, match bool) (again int) {
	s.t.Helper()
	folder, jobs := &batchnet.Folder{Path: filepath.Join(dir, "results")}, plan.Jobs()
	for i := range jobs {
		r, err := folder.Get(plan, &jobs[i])
		if err != nil || r == nil {
			s.t.Fatalf("job %s has no result: %v", jobs[i].ID, err)
		}
		if r.Trouble != "" || !match && r.Digest != "of "+r.ID {
			s.t.Fatalf("job %s has the result %+v", jobs[i].ID, r)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	q := patiently(ctx, s.at)
	if q == nil {
		s.t.Fatal("no server at the end")
	}
	defer q.Close()
	for {
		stored, err := q.Batches(ctx)
		if err == nil && len(stored) == 1 && stored[0].Results == len(jobs) {
			break
		}
		if ctx.Err() != nil {
			s.t.Fatalf("the servers keep %+v, %v: want %d results", stored, err, len(jobs))
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for i := range jobs {
		n := s.begun[jobs[i].ID]
		if n == 0 {
			s.t.Errorf("job %s was never begun", jobs[i].ID)
		}
		again += n - 1
	}
	return again
}

// Programs are killed while a batch runs: each kind of victim once. No result is lost, and none is stored twice.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts eight processes; the full tests run it")
	}
	const workers = 3
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint("nodes=", nodes), func(t *testing.T) {
			dir, plan, random := t.TempDir(), newPlan(t, 2000), rand.New(rand.NewPCG(1, uint64(nodes)))
			s := newScene(t, nodes, workers, plan, dir, false)
			kills := 0
			for _, v := range victims {
				if v == "follower" && nodes == 1 {
					continue
				}
				time.Sleep(time.Duration(100+random.IntN(300)) * time.Millisecond)
				if s.over() {
					break
				}
				s.strike(v, random, 200*time.Millisecond)
				kills++
			}
			s.wait(3 * time.Minute)
			again := s.check(plan, dir, false)
			t.Logf("%d kills, %d jobs were played again, longest pause %.1f s", kills, again, s.pause.Seconds())
			if again > kills*workers {
				t.Errorf("%d jobs were played again after %d kills with %d workers", again, kills, workers)
			}
		})
	}
}

// BenchmarkQueue plays b.N trivial jobs: what the queue costs without matches.
func BenchmarkQueue(b *testing.B) {
	for _, nodes := range []int{1, 3} {
		b.Run(fmt.Sprint("nodes=", nodes), func(b *testing.B) {
			jobs := max(b.N, 2)
			dir, plan := b.TempDir(), newPlan(b, jobs)
			s := newScene(b, nodes, 4, plan, dir, false)
			begin := time.Now()
			s.wait(10 * time.Minute)
			b.ReportMetric(float64(jobs)/time.Since(begin).Seconds(), "jobs/s")
			bytes := 0.0
			for i := range s.nodes {
				if err := filepath.WalkDir(nodeDir(dir, i), func(_ string, e fs.DirEntry, err error) error {
					if info, failed := e.Info(); err == nil && failed == nil {
						bytes += float64(info.Size())
					}
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(bytes/float64(jobs), "stored-B/job")
			cpu := 0.0
			for _, n := range s.nodes {
				n.end(syscall.SIGTERM)
				cpu += n.cmd.ProcessState.UserTime().Seconds() + n.cmd.ProcessState.SystemTime().Seconds()
			}
			b.ReportMetric(1e3*cpu/float64(jobs), "ms-of-nodes/job")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkKills kills b.N times, drawn by chance, over batches of 10,000 trivial jobs, or of 200 real matches.
func BenchmarkKills(b *testing.B) {
	const workers = 4
	for _, c := range []struct {
		nodes, jobs int
		match       bool
	}{{1, 10_000, false}, {3, 10_000, false}, {3, 200, true}} {
		b.Run(fmt.Sprintf("nodes=%d/jobs=%d/match=%v", c.nodes, c.jobs, c.match), func(b *testing.B) {
			random := rand.New(rand.NewPCG(7, uint64(c.nodes)))
			kills, again, jobs, batches := 0, 0, 0, 0
			longest := map[string]time.Duration{}
			worst := 0
			for kills < b.N {
				dir, plan := b.TempDir(), newPlan(b, c.jobs)
				s := newScene(b, c.nodes, workers, plan, dir, c.match)
				before := kills
				for kills < b.N {
					time.Sleep(time.Duration(500+random.IntN(3500)) * time.Millisecond)
					if s.over() {
						break
					}
					v := victims[random.IntN(len(victims))]
					s.lock.Lock()
					s.pause = 0
					s.lock.Unlock()
					s.strike(v, random, time.Duration(random.IntN(3000))*time.Millisecond)
					kills++
					for range 100 { // until results come again
						time.Sleep(100 * time.Millisecond)
						s.lock.Lock()
						idle := time.Duration(0)
						if !s.last.IsZero() {
							idle = time.Since(s.last)
						}
						longest[v] = max(longest[v], s.pause, idle)
						s.lock.Unlock()
						if idle < 200*time.Millisecond || s.over() {
							break
						}
					}
				}
				s.wait(5 * time.Minute)
				n := s.check(plan, dir, c.match)
				if kills > before {
					worst = max(worst, (n+kills-before-1)/(kills-before))
				}
				again, jobs, batches = again+n, jobs+c.jobs, batches+1
				s.stop()
			}
			b.ReportMetric(float64(kills), "kills")
			b.ReportMetric(float64(batches), "batches")
			b.ReportMetric(float64(again)/float64(kills), "again/kill")
			b.ReportMetric(float64(worst), "again/kill-worst-batch")
			for _, v := range victims {
				b.ReportMetric(longest[v].Seconds(), v+"-pause-s")
			}
			b.Logf("%d kills over %d batches: 0 of %d results lost or stored twice, %d played again, pauses %v", kills, batches, jobs, again, longest)
		})
	}
}
