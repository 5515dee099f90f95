package batchnet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
)

// folderOf is the environment variable that makes this test program play a plan into a folder until it is killed.
const folderOf = "TOUCHLINE_BATCH_FOLDER"

func TestMain(m *testing.M) {
	dir := os.Getenv(folderOf)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := playMissing(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// playMissing plays the jobs of a folder that have no result, two at a time, and prints begin and end of each match.
func playMissing(dir string) error {
	plan, err := batchnet.ReadPlan(dir)
	if err != nil {
		return err
	}
	folder, jobs := &batchnet.Folder{Path: dir}, plan.Jobs()
	return batchnet.OnCores(2)(context.Background(), plan, func(yield func(*batch.Job) bool) {
		for job := range batch.Each(jobs) {
			if r, err := folder.Get(plan, job); r != nil && err == nil {
				continue
			}
			fmt.Println("begin", job.ID)
			if !yield(job) {
				return
			}
		}
	}, func(job *batch.Job, r *batch.Result) error {
		if err := folder.Put(r); err != nil {
			return err
		}
		fmt.Println("end", job.ID)
		return nil
	})
}

func newPlan(t testing.TB, seeds int, teams ...string) *batch.Plan {
	t.Helper()
	m := batch.DefaultMatrix()
	m.Teams, m.Half, m.Seeds = teams, time.Second, seeds
	p, err := batch.NewPlan(m, batch.Program{Version: "test", Behaviour: "0"}, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Twenty times a program is killed while it plays. No result is lost, changed or there twice, and a kill costs at most the
// two matches that were running.
func TestKilled(t *testing.T) {
	const kills = 20
	dir, plan := t.TempDir(), newPlan(t, 22, "touchline", "still")
	folder, err := batchnet.OpenFolder(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	random, begun, kept := rand.New(rand.NewPCG(1, 2)), 0, map[string]string{}
	for kill := range kills + 1 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), folderOf+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ends, lines := 1+random.IntN(2), bufio.NewScanner(out)
		for lines.Scan() {
			switch word, id, _ := strings.Cut(lines.Text(), " "); word {
			case "begin":
				if begun++; kept[id] != "" {
					t.Errorf("kill %d: job %s is played again", kill, id)
				}
			case "end":
				b, err := os.ReadFile(filepath.Join(dir, id[:2], id+".json"))
				if err != nil || kept[id] != "" {
					t.Fatalf("a result that was told: %v, there before: %q", err, kept[id])
				}
				kept[id] = string(b)
				if ends--; ends == 0 && kill < kills {
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
					_ = c.Process.Kill()
				}
			}
		}
		_ = c.Wait()
		for _, job := range plan.Jobs() { // a result that was written, but not told
			if r, err := folder.Get(plan, &job); err != nil {
				t.Fatalf("after kill %d: %v", kill, err)
			} else if r != nil && kept[job.ID] == "" {
				kept[job.ID] = string(r.Text())
			}
		}
	}
	jobs := plan.Jobs()
	for i := range jobs {
		b, err := os.ReadFile(filepath.Join(dir, jobs[i].ID[:2], jobs[i].ID+".json"))
		if err != nil || string(b) != kept[jobs[i].ID] {
			t.Errorf("job %s: the result is lost or another one: %v", jobs[i].ID, err)
		}
	}
	if again := begun - len(jobs); again < 0 || again > 2*kills {
		t.Errorf("%d matches were begun for %d jobs and %d kills", begun, len(jobs), kills)
	}
	stray, err := folder.Stray(jobs, 100)
	t.Logf("%d kills: %d matches were begun for %d jobs, %d temporary files stayed", kills, begun, len(jobs), len(stray))
	if err != nil || len(stray) > 2*kills {
		t.Errorf("%d stray files, %v", len(stray), err)
	}
}

// A result that is torn, changed or another job's is told, and replaced.
func TestDamage(t *testing.T) {
	plan := newPlan(t, 1, "touchline", "still")
	jobs := plan.Jobs()
	folder, err := batchnet.OpenFolder(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := plan.Play(&jobs[0], func() bool { return false }, nil)
	path := filepath.Join(folder.Path, jobs[0].ID[:2], jobs[0].ID+".json")
	other := r
	other.ID = jobs[1].ID
	for name, text := range map[string][]byte{
		"torn": r.Text()[:200], "empty": {}, "no JSON": []byte("hello"), "another job": other.Text(), "huge": make([]byte, 1<<20),
	} {
		if err := folder.Put(&r); err != nil {
			t.Fatal(err)
		}
		if got, err := folder.Get(plan, &jobs[0]); err != nil || string(got.Text()) != string(r.Text()) {
			t.Fatalf("it reads %v, %v", got, err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := folder.Get(plan, &jobs[0]); got != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if _, err := batchnet.OpenFolder(folder.Path, newPlan(t, 2, "touchline", "still")); err == nil ||
		!strings.Contains(err.Error(), "another plan") {
		t.Errorf("a folder of another plan: %v", err)
	}
	if _, err := batchnet.OpenFolder(folder.Path, plan); err != nil {
		t.Errorf("the folder again: %v", err)
	}
}

// A folder that cannot be written ends the run with the file and the cause, and no half of a file stays.
func TestUnwritable(t *testing.T) {
	plan := newPlan(t, 1, "touchline", "still")
	jobs := plan.Jobs()
	folder, err := batchnet.OpenFolder(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs { // a file stands where the folder should be
		if err := os.WriteFile(filepath.Join(folder.Path, jobs[i].ID[:2]), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err = batchnet.OnCores(1)(t.Context(), plan, batch.Each(jobs), func(_ *batch.Job, r *batch.Result) error {
		return folder.Put(r)
	})
	if err == nil || !strings.Contains(err.Error(), folder.Path) {
		t.Errorf("got %v", err)
	}
	if _, err := batchnet.OpenFolder(filepath.Join(folder.Path, "plan.json", "x"), plan); err == nil {
		t.Error("a folder in a file is opened")
	}
}

// Ordered hands the results over in the order of the jobs, takes those that are there, and ends when it is told.
func TestOrdered(t *testing.T) {
	plan := newPlan(t, 4, "touchline", "still")
	folder, err := batchnet.OpenFolder(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	all := plan.Jobs()
	play := func(most int) (ids []string, played int) {
		counted := func(ctx context.Context, plan *batch.Plan, jobs iter.Seq[*batch.Job],
			put func(*batch.Job, *batch.Result) error) error {
			var lock sync.Mutex
			return batchnet.OnCores(3)(ctx, plan, jobs, func(job *batch.Job, r *batch.Result) error {
				lock.Lock()
				played++
				lock.Unlock()
				return put(job, r)
			})
		}
		err := batchnet.Player(counted).Ordered(t.Context(), plan, batch.Each(all), folder, func(job *batch.Job, r *batch.Result) bool {
			if job.ID != r.ID {
				t.Errorf("the result of %s comes with %s", r.ID, job.ID)
			}
			ids = append(ids, job.ID)
			return len(ids) < most
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids, played
	}
	first, played := play(3)
	if len(first) != 3 || played < 3 || played > 5 {
		t.Errorf("%d results, %d matches were played", len(first), played)
	}
	ids, again := play(100)
	for i, id := range ids {
		if id != all[i].ID {
			t.Fatalf("result %d is that of %s, want %s", i, id, all[i].ID)
		}
	}
	if len(ids) != len(all) || again > len(all)-3 {
		t.Errorf("%d results, %d matches were played again", len(ids), again)
	}
}

// On Ctrl-C the run ends with the cause.
func TestInterrupted(t *testing.T) {
	plan := newPlan(t, 50, "touchline", "still")
	ctx, cancel := context.WithCancel(t.Context())
	var lock sync.Mutex
	done := 0
	err := batchnet.OnCores(2)(ctx, plan, plan.Seeds(50), func(*batch.Job, *batch.Result) error {
		lock.Lock()
		defer lock.Unlock()
		if done++; done == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || done > 3 {
		t.Errorf("%d matches, %v", done, err)
	}
}

// BenchmarkReport reads 10,000 results and makes their report and its page.
func BenchmarkReport(b *testing.B) {
	plan := newPlan(b, 834, "touchline", "touchline-nobooking", "touchline-nearest", "still") // 10,008 matches
	folder, err := batchnet.OpenFolder(b.TempDir(), plan)
	if err != nil {
		b.Fatal(err)
	}
	jobs := plan.Jobs()
	r, _ := plan.Play(&jobs[0], func() bool { return false }, nil)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range jobs {
		r.ID, r.Flags = jobs[i].ID, jobs[i].Flags
		r.Home.Goals, r.Away.Goals = random.IntN(3), random.IntN(3)
		path := filepath.Join(folder.Path, r.ID[:2], r.ID+".json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, r.Text(), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		plan, err := batchnet.ReadPlan(folder.Path)
		if err != nil {
			b.Fatal(err)
		}
		report := batch.NewReport(plan, plan.Jobs(), func(job *batch.Job) *batch.Result {
			r, err := folder.Get(plan, job)
			if err != nil {
				b.Fatal(err)
			}
			return r
		})
		if page := batchnet.Page(report); report.Done != len(jobs) || len(page) < 1000 {
			b.Fatalf("%d results", report.Done)
		}
	}
}
