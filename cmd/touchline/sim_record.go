package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"

	"touchline/capture"
	"touchline/soccer"
)

// maxUnwritten bounds what waits for a slow disk, in bytes. What comes then is not recorded.
const maxUnwritten = 16 << 20

// closeTime is how long the end waits for a slow disk.
const closeTime = 2 * time.Second

// pcapRecorder writes packets to a pcap file, as IP packets with times in ns, and holds up nobody who brings them.
type pcapRecorder struct {
	file *os.File
	log  *slog.Logger
	more chan struct{}
	done chan struct{}

	mu     sync.Mutex
	pcap   *capture.PcapWriter // writes to buf
	buf    waiting
	lost   uint64
	failed error
	closed bool
}

// waiting are the file's next bytes.
type waiting []byte

// Write takes b in; it never fails.
func (w *waiting) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

func newPcapRecorder(name string, log *slog.Logger) (*pcapRecorder, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--record %s: %w", name, err)
	}
	r := &pcapRecorder{file: file, log: log, more: make(chan struct{}, 1), done: make(chan struct{})}
	if r.pcap, err = capture.NewPcapWriter(&r.buf); err != nil {
		return nil, fmt.Errorf("--record %s: %w", name, err)
	}
	go r.run()
	return r, nil
}

// run writes until close, or until that fails.
func (r *pcapRecorder) run() {
	defer close(r.done)
	var out waiting
	whole := 0 // bytes of whole packets in the file
	for {
		r.mu.Lock()
		out, r.buf = r.buf, out[:0]
		closed := r.closed
		r.mu.Unlock()
		switch {
		case len(out) > 0:
			n, err := r.file.Write(out)
			whole += capture.WholePackets(out[:n], whole == 0)
			if err != nil {
				_ = r.file.Truncate(int64(whole)) // half a packet stays where that cannot be had
				r.fail(fmt.Errorf("%w; make room, and start again to record", err))
				return
			}
		case closed:
			return
		default:
			<-r.more
		}
	}
}

// fail ends recording; the run goes on.
func (r *pcapRecorder) fail(err error) {
	r.mu.Lock()
	r.failed, r.buf = err, nil
	r.mu.Unlock()
	r.log.Error("recording has stopped", "file", r.file.Name(), "err", err)
}

// trouble returns why not everything is recorded, "" if it is.
func (r *pcapRecorder) trouble() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failed != nil:
		return fmt.Sprintf("recording has stopped: %v", r.failed)
	case r.lost > 0:
		return fmt.Sprintf("the disk is too slow: %d packets are not recorded", r.lost)
	}
	return ""
}

// packet records a UDP datagram. It reports nothing: what goes wrong with the record is the record's.
func (r *pcapRecorder) packet(at soccer.Time, from, to netip.AddrPort, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failed != nil || r.closed:
		return
	case len(r.buf) > maxUnwritten:
		r.lost++
		return
	}
	if err := r.pcap.WritePacket(&soccer.Packet{Time: at, From: from, Data: data}, to); err != nil {
		r.lost++
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// close writes what is left and closes the file.
func (r *pcapRecorder) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
	select {
	case <-r.done:
	case <-time.After(closeTime):
		r.fail(fmt.Errorf("its disk takes nothing for %v; the last packets are missing", closeTime))
		return
	}
	if err := r.file.Close(); err != nil {
		r.fail(err)
	}
}
