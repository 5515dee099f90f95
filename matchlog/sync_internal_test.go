package matchlog

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
)

// BenchmarkSync writes a decision and syncs fifty times a second while the teams send 600 kB/s into the same log: with
// zeros behind the last record and without.
func BenchmarkSync(b *testing.B) {
	for _, c := range []struct {
		name  string
		zeros bool
	}{{"zeros", true}, {"append", false}} {
		b.Run(c.name, func(b *testing.B) {
			w, err := Create(filepath.Join(b.TempDir(), "a.mcap"), nil)
			if err != nil {
				b.Fatal(err)
			}
			for range 40 { // the game is on for a while
				if err := w.Write(Message{Time: 1, Channel: Away, Data: make([]byte, 1<<20)}); err != nil {
					b.Fatal(err)
				}
			}
			if err := dataSync(w.f); err != nil {
				b.Fatal(err)
			}
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				data := bytes.Repeat([]byte("x"), 3000)
				for {
					select {
					case <-stop:
						return
					case <-tick.C:
						w.Write(Message{Time: 1, Channel: Home, Data: data})
					}
				}
			}()
			if c.zeros { // they stand before the first decision
				w.Sync()
				w.Write(Message{Time: 1, Channel: Home})
				for w.mu.Lock(); w.extending; {
					w.idle.Wait()
				}
				w.mu.Unlock()
			}
			var took []time.Duration
			decision := Message{Time: soccer.Epoch, Channel: Decisions, Data: bytes.Repeat([]byte("d"), 200)}
			for b.Loop() {
				began := time.Now()
				if err := w.Write(decision); err != nil {
					b.Fatal(err)
				}
				if c.zeros {
					err = w.Sync()
				} else {
					err = dataSync(w.f)
				}
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
				time.Sleep(20*time.Millisecond - time.Since(began))
			}
			close(stop)
			<-stopped
			w.Abandon()
			slices.Sort(took)
			for _, p := range []struct {
				name string
				at   int
			}{{"ms/p50", 50}, {"ms/p99", 99}, {"ms/max", 100}} {
				b.ReportMetric(took[min(len(took)*p.at/100, len(took)-1)].Seconds()*1e3, p.name)
			}
		})
	}
}
