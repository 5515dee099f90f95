//go:build unix

package batchnet_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
)

// A match whose program fails is a failed one with the reason, and is played again with the same plan: the program may
// have lacked something. A program that changes while the batch runs plays no match of the plan.
func TestProgramFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("mine", "#!/bin/sh\n[ -e policy ] || { echo no policy >&2; exit 3; }\nexec cat\n")
	m := batch.DefaultMatrix()
	m.Teams, m.Half, m.Seeds = []string{"still", "program:./mine"}, time.Second, 1
	plan, err := batchnet.NewPlan(m, batch.Program{Version: "test", Behaviour: "0"}, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := batchnet.OpenFolder(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	run := func() (results []*batch.Result) {
		t.Helper()
		missing := folder.Missing(plan, plan.Jobs(), func(int, error) {})
		err := batchnet.OnCores(2)(t.Context(), plan, batch.Each(missing), func(_ *batch.Job, r *batch.Result) error {
			return folder.Put(r)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range plan.Jobs() {
			r, err := folder.Get(plan, &job)
			if err != nil || r == nil {
				t.Fatalf("the result is %v: %v", r, err)
			}
			results = append(results, r)
		}
		return results
	}
	for _, r := range run() {
		if !r.Outside || !strings.Contains(r.Trouble, "program:./mine: it ended before the match was over: exit status 3") ||
			!strings.Contains(r.Trouble, "no policy") {
			t.Errorf("the trouble is %q", r.Trouble)
		}
	}
	write("policy", "")
	for _, r := range run() {
		if r.Trouble != "" || r.Outside || r.Seconds == 0 {
			t.Errorf("the trouble is %q after %v s", r.Trouble, r.Seconds)
		}
	}
	if missing := folder.Missing(plan, plan.Jobs(), func(int, error) {}); len(missing) > 0 {
		t.Errorf("%d matches are still missing", len(missing))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job := plan.Jobs()[0]
	if _, played := batchnet.Play(ctx, plan, &job); played {
		t.Error("a match ends after Ctrl-C")
	}
	write("mine", "#!/bin/sh\nexec cat\n")
	if r, _ := batchnet.Play(t.Context(), plan, &job); !strings.Contains(r.Trouble, "mine has changed since the plan was made") {
		t.Errorf("the trouble is %q", r.Trouble)
	}
}
