package queue

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"touchline/internal/batch"
)

// FuzzMessages reads any bytes as a job and as a worker's report. A job that the plan holds is one that it made.
func FuzzMessages(f *testing.F) {
	m := batch.DefaultMatrix()
	m.Teams, m.Half, m.Seeds = []string{"touchline", "still"}, time.Second, 1
	plan, err := batch.NewPlan(m, batch.Program{Version: "test", Behaviour: "0"}, os.ReadFile)
	if err != nil {
		f.Fatal(err)
	}
	jobs := plan.Jobs()
	for _, v := range []any{jobs[0], Worker{Worker: batch.Worker{Name: "w", Cores: 2}}, "x"} {
		b, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, stop := (&Queue{}).newCollection(plan, batch.Each(jobs), Events{})
		defer stop()
		c.report(b, time.Unix(0, 0))
		if len(c.workers)+len(c.others) > 1 {
			t.Errorf("one report makes %d workers", len(c.workers)+len(c.others))
		}
		job, err := decodeJob(b)
		if err != nil || !plan.Holds(job) {
			return
		}
		if again, err := json.Marshal(job); err != nil || len(again) > batch.MaxResult {
			t.Errorf("%d bytes, %v", len(again), err)
		}
	})
}
