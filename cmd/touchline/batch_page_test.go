package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/wire/wiretest"
)

// playedBatch returns a folder with a plan and three of its results, of which one did not end.
func playedBatch(t *testing.T) string {
	t.Helper()
	dir := writePlan(t, smallMatrix)
	plan, err := batchnet.ReadPlan(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := batchnet.OpenFolder(filepath.Join(dir, "results"), plan)
	if err != nil {
		t.Fatal(err)
	}
	jobs := plan.Jobs()
	for i := range 3 {
		r, _ := plan.Play(&jobs[i], func() bool { return false }, nil)
		if i == 2 {
			r.Trouble = "it was not over one minute after its scheduled end"
		}
		if err := folder.Put(&r); err != nil {
			t.Fatal(err)
		}
	}
	return folder.Path
}

// shownBatch is the page of a batch that a command serves.
type shownBatch struct {
	t    *testing.T
	url  string
	conn *websocket.Conn
}

// openBatch runs a command with the page of a batch, and subscribes to it. The channel gets the exit code.
func openBatch(ctx context.Context, t *testing.T, args ...string) (*shownBatch, chan int) {
	t.Helper()
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append(args, "--http", "127.0.0.1:0"), w, io.Discard)
		w.Close()
	}()
	line := make([]byte, 4096)
	n, _ := r.Read(line)
	go func() { _, _ = io.Copy(io.Discard, r) }()
	m := regexp.MustCompile(`^page: (http://\S+/)batch\n$`).FindSubmatch(line[:n])
	if m == nil {
		t.Fatalf("printed %q, want the address of the page", line[:n])
	}
	s := &shownBatch{t: t, url: string(m[1])}
	conn, answer, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+"api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body != nil {
		answer.Body.Close()
	}
	s.conn = conn
	conn.SetReadLimit(1 << 20)
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"subscribe":["batch"]}`)); err != nil {
		t.Fatal(err)
	}
	return s, done
}

// progress reads values until one is as wanted, and returns it.
func (s *shownBatch) progress(ctx context.Context, wanted func(*batch.Progress) bool) *batch.Progress {
	s.t.Helper()
	for {
		_, b, err := s.conn.Read(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		var m struct{ Value batch.Progress }
		if err := json.Unmarshal(b, &m); err != nil {
			s.t.Fatal(err)
		}
		if wanted(&m.Value) {
			return &m.Value
		}
	}
}

// get returns what a page answers.
func (s *shownBatch) get(path string) (string, int) {
	s.t.Helper()
	answer, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b), answer.StatusCode
}

// The page of a folder shows its results and their failures. A match is played again once, and its recording has the
// pages of touchline replay; at the end no file stays.
func TestBatchPage(t *testing.T) {
	single(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := playedBatch(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s, done := openBatch(ctx, t, "batch", "status", dir)
	p := s.progress(t.Context(), func(p *batch.Progress) bool { return p.Report != nil && p.Report.Done == 3 })
	if p.Jobs != 6 || p.Done != 3 || p.Failed != 1 || !strings.Contains(p.Report.Failures[0].Text, "not over") ||
		!p.CanOpen || len(p.Newest) != 3 {
		t.Errorf("%+v", p)
	}
	if page, _ := s.get("batch"); !strings.Contains(page, "batch/batch.js") {
		t.Errorf("the page is %.200s", page)
	}
	id := p.Newest[1].ID
	for range 2 { // a second wish changes nothing
		if answer := postCommandBody(t, s.url, "batch-again", `{"id":"`+id+`"}`); answer != "" {
			t.Fatal(answer)
		}
	}
	p = s.progress(t.Context(), func(p *batch.Progress) bool {
		return len(p.Again) == 1 && p.Again[0].State != batch.AgainPlays && p.Again[0].State != batch.AgainWaits
	})
	if a := p.Again[0]; a.Page != "again/"+id+"/#match" || a.State != batch.AgainReady || a.Text != "" {
		t.Fatalf("%+v", a)
	}
	if page, code := s.get("again/" + id + "/"); code != 200 || !strings.Contains(page, "wall/wall.js") {
		t.Errorf("the recording: status %d, %.200s", code, page)
	}
	if logs, _ := s.get("again/" + id + "/api/logs"); !strings.Contains(logs, id[:8]+".mcap") {
		t.Errorf("the list of logs is %s", logs)
	}
	if page, _ := s.get("again/"); !strings.Contains(page, "batch/batch.js") {
		t.Errorf("above the recording is %.200s", page)
	}
	if text, code := s.get("again/00/"); code != 404 || !strings.Contains(text, "no longer there") {
		t.Errorf("an unknown match: status %d, %s", code, text)
	}
	if answer := postCommandBody(t, s.url, "batch-again", `{"id":"00"}`); !strings.Contains(answer, "no such match") {
		t.Errorf("an unknown match: %s", answer)
	}
	end()
	if code := <-done; code != 0 {
		t.Errorf("exit %d", code)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "touchline-run-*")); err != nil || len(left) > 0 {
		t.Errorf("files stay: %v, %v", left, err)
	}
}

// postCommandBody sends a command and returns the answer, "" for none.
func postCommandBody(t *testing.T, url, name, body string) string {
	t.Helper()
	answer, err := http.Post(url+"api/command/"+name, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A batch that runs shows its page: results come, and the machine that plays them. On Ctrl-C both end.
func TestBatchRunPage(t *testing.T) {
	single(t)
	dir := writePlan(t, strings.Replace(smallMatrix, "seeds = 1", "seeds = 1000", 1))
	results := filepath.Join(dir, "results")
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s, done := openBatch(ctx, t, "batch", "run", filepath.Join(dir, "plan.json"), "--dir", results, "--cores", "1",
		"--yes")
	p := s.progress(t.Context(), func(p *batch.Progress) bool { return p.Done > 0 })
	if len(p.Workers) != 1 || p.Workers[0].Cores != 1 || p.Workers[0].Done == 0 {
		t.Errorf("machines %+v", p.Workers)
	}
	end()
	if code := <-done; code != 1 {
		t.Errorf("exit %d", code)
	}
	entries, err := os.ReadDir(results)
	if err != nil || len(entries) < 2 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// A comparison that workers play shows the running test, and the workers.
func TestComparePageOfWorkers(t *testing.T) {
	single(t)
	node := startFleet(t, "")
	defer startWorker(t, "--nats", node.URL(), "--cores", "2", "--name", "one")()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s, done := openBatch(ctx, t, "batch", "compare", "touchline", "still", "--half", "1s", "--nats", node.URL())
	p := s.progress(t.Context(), func(p *batch.Progress) bool {
		return p.Trial != nil && p.Trial.Pairs.Count() > 2 && len(p.Workers) == 1 && p.Workers[0].Done > 0
	})
	if w := p.Workers[0]; w.Name != "one" || w.Cores != 2 || !p.AtMost || p.Trial.B != "still" || len(p.Trial.Curve) < 2 {
		t.Errorf("worker %+v, trial %+v", w, p.Trial)
	}
	end()
	if code := <-done; code != 1 {
		t.Errorf("exit %d", code)
	}
}

// Without --http nothing listens, and wrong flags are told.
func TestBatchPageFlags(t *testing.T) {
	dir := playedBatch(t)
	if out, _, code := touchline(t, "batch", "status", dir); code != 1 || strings.Contains(out, "http") {
		t.Errorf("without --http: exit %d, %s", code, out)
	}
	for want, flags := range map[string][]string{
		"leave out one": {"--http", "127.0.0.1:0", "--json"}, "an address and a port": {"--http", "8014"},
	} {
		_, errs, code := touchline(t, append([]string{"batch", "status", dir}, flags...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %s", flags, code, errs)
		}
	}
}

// A match that is asked for too often, or that cannot be played, is told.
func TestBatchAgain(t *testing.T) {
	dir := playedBatch(t)
	plan, err := batchnet.ReadPlan(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := pageFlags{http: "127.0.0.1:0"}
	b := f.newBatchPage(plan, plan.Jobs, batchTest, &batchnet.Folder{Path: dir})
	a, err := newAgainMatches(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	jobs := plan.Jobs()
	for i := range jobs {
		if err := a.ask(jobs[i].ID); err != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	wiretest.Eventually(t, "the last records", func() bool {
		states := a.states()
		ready := 0
		for _, s := range states {
			if s.State == batch.AgainReady {
				ready++
			}
		}
		return len(states) == mostAgain && ready == mostAgain && states[0].ID == jobs[len(jobs)-1].ID
	})
	if files, err := filepath.Glob(filepath.Join(a.dir.Path, "*.mcap")); err != nil || len(files) != mostAgain {
		t.Errorf("records %v, %v", files, err)
	}
	end()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
