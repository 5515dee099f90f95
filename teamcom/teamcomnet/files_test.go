package teamcomnet_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// Progress is that of the file: the parity and the buffers of the chunks that wait are not subtracted from it.
func TestSendFileProgress(t *testing.T) {
	const chunks, size = 8, 8*teamcomnet.ChunkSize - 10
	path := filepath.Join(t.TempDir(), "log.bin")
	if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := teamcomnet.OpenFile(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	e := open(t, localIni(t, ""), computer, func(c *teamcomnet.Config) { c.Node.Budget[tcm.Bulk] = 200_000 })
	waiting := func() int { n, _ := e.Waiting(tcm.Bulk); return n }
	running, halt := context.WithCancel(t.Context())
	sending, stop := context.WithCancel(t.Context())
	calls := 0
	err = e.SendFile(sending, robot1, file, func(sent uint64) {
		switch calls++; calls {
		case chunks + 1: // all chunks wait: let some leave, and hold the others
			if sent != 0 || waiting() != chunks {
				t.Errorf("%d bytes left while %d of %d chunks wait", sent, waiting(), chunks)
			}
			ended := make(chan error)
			go func() { ended <- e.Run(running) }()
			wiretest.Eventually(t, "three chunks leave", func() bool { return waiting() <= chunks-3 })
			halt()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		case chunks + 2:
			if want := min((chunks-waiting())*teamcomnet.ChunkSize, size); sent != uint64(want) {
				t.Errorf("progress of %d bytes, want %d: %d of %d chunks wait", sent, want, waiting(), chunks)
			}
			stop()
		}
	})
	stop()
	if calls < chunks+2 || err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls of progress, %v", calls, err)
	}
}
