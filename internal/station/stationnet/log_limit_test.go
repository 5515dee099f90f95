package stationnet_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"touchline/internal/station/stationnet"
)

// A message that repeats is one line a second, with a count; other messages pass.
func TestLogLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := stationnet.LimitLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
					return slog.Attr{}
				}
				return a
			},
		})))
		for i := range 2500 { // for 2.5 s
			log.Warn("flood", "i", i)
			time.Sleep(time.Millisecond)
		}
		log.With("team", 39).Info("other")
		log.Info("twice", "i", 1)
		log.Info("twice", "i", 2)
		time.Sleep(3 * time.Second)
		log.Warn("flood", "i", "later")
		synctest.Wait()
		got := out.String()
		if n := strings.Count(got, "msg=flood"); n != 5 {
			t.Errorf("got %d lines of the flood, want its first, three sums and the later one:\n%s", n, got)
		}
		for _, want := range []string{"msg=flood i=0\n", "msg=flood i=2499 times=", "msg=other team=39\n", "msg=twice i=1\n",
			"msg=twice i=2\n", "msg=flood i=later\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		counted := 2 // the first and the later one
		for line := range strings.Lines(got) {
			var i, times int
			if n, _ := fmt.Sscanf(line, "msg=flood i=%d times=%d", &i, &times); n == 2 {
				counted += times
			}
		}
		if counted != 2501 {
			t.Errorf("the lines stand for %d records, want 2501", counted)
		}
	})
}
