package main

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/playback"
	"touchline/matchlog"
)

// A recording of a session in virtual time holds what the page shows of the booking, at each time.
func TestRecordsTheBooking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcap")
	record, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runVirtual(t.Context(), match.DefaultConfig(), 3*time.Second, record); err != nil {
		t.Fatal(err)
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	replay, err := playback.OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	if err := replay.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{1, 2.5} {
		v, err := replay.Booking("", at)
		if err != nil || math.Abs(v.Time-at) > 0.2 {
			t.Errorf("at %v s: got the booking of %v s, %v", at, v.Time, err)
		}
	}
}
