package matchlog_test

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
)

const recorderBegan = soccer.Time(1467550000e9)

// TestRecorder records from several goroutines, and reads the record back.
func TestRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := matchlog.NewRecorder(w, nil)
	from := netip.MustParseAddrPort("172.16.39.10:2005")
	var all sync.WaitGroup
	for k := range 3 {
		all.Go(func() {
			buf := make([]byte, 200)
			for i := range 1000 {
				for n := range buf {
					buf[n] = byte(i)
				}
				at := recorderBegan + soccer.Time(i)*1e6
				switch k {
				case 0:
					r.Packet(&soccer.Packet{Time: at, Channel: "224.16.32.75:2005", From: from, Data: buf})
				case 1:
					r.Record(matchlog.Message{Time: at, Channel: matchlog.Home, Data: buf[:i%200]})
				case 2:
					r.JSON(at, "topic/wall", map[string]int{"n": i})
				}
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.Record(matchlog.Message{Channel: matchlog.Home}) // has no effect after Close
	if h := r.Health(); h.Messages != 3000 || h.Dropped != 0 || h.Error != "" {
		t.Errorf("got %+v", h)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	next := map[string]int{}
	for m, err := range l.Messages(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		i := next[m.Channel]
		next[m.Channel]++
		want := strings.Repeat(string([]byte{byte(i)}), i%200)
		switch m.Channel {
		case matchlog.Packets:
			p, err := matchlog.ParsePacket(m)
			if want = strings.Repeat(string([]byte{byte(i)}), 200); err != nil || string(p.Data) != want || p.From != from || p.Time != recorderBegan+soccer.Time(i)*1e6 {
				t.Fatalf("packet %d: %+v, %v", i, p, err)
			}
			continue
		case "topic/wall":
			want = fmt.Sprintf(`{"n":%d}`, i)
		}
		if string(m.Data) != want {
			t.Fatalf("%s, message %d: got %q, want %q", m.Channel, i, m.Data, want)
		}
	}
	if i := l.Info(); fmt.Sprint(next) != "map[home:1000 packets:1000 topic/wall:1000]" || !i.Finished {
		t.Errorf("got %v, %+v", next, i)
	}
}

// disk is a Sink that can be full or hang.
type disk struct {
	mu      sync.Mutex
	full    bool
	hang    chan struct{} // nil: it does not
	written []matchlog.Message
}

func (d *disk) WriteAll(messages []matchlog.Message) (int, error) {
	if d.hang != nil {
		<-d.hang
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, m := range messages {
		if d.full {
			return i, errors.New("no space left on device")
		}
		m.Data = append([]byte(nil), m.Data...)
		d.written = append(d.written, m)
	}
	return len(messages), nil
}

func (d *disk) Close() error { return nil }

// messages returns the number of written messages.
func (d *disk) messages() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.written)
}

// TestRecorderGaps counts what a full or slow disk loses, and notes it in the record.
func TestRecorderGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{full: true}
		var reports []string
		r := matchlog.NewRecorder(d, func(text string) { reports = append(reports, text) })
		r.Record(matchlog.Message{Time: 1, Channel: matchlog.Home, Data: []byte("a")})
		r.Record(matchlog.Message{Time: 2, Channel: matchlog.Home, Data: []byte("b")})
		time.Sleep(time.Second) // it writes after 250 ms
		synctest.Wait()
		if h := r.Health(); h.Dropped != 2 || !strings.Contains(r.Trouble(), "2 messages are not recorded: no space") {
			t.Errorf("full disk: %+v", h)
		}
		if len(reports) != 1 || reports[0] != "no space left on device" {
			t.Errorf("reported %q", reports)
		}
		d.mu.Lock()
		d.full, d.hang = false, make(chan struct{})
		d.mu.Unlock()
		r.Record(matchlog.Message{Time: 3, Channel: matchlog.Home, Data: []byte("c")})
		time.Sleep(time.Second) // it writes after 250 ms
		synctest.Wait()
		big := make([]byte, 1<<20)
		for range 40 {
			r.Record(matchlog.Message{Time: 4, Channel: matchlog.Home, Data: big})
		}
		if h := r.Health(); h.Dropped < 20+2 || h.Dropped > 28 || !strings.Contains(r.Trouble(), "too slow") {
			t.Errorf("slow disk: %+v", h)
		}
		close(d.hang)
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "not recorded") {
			t.Errorf("Close: %v", err)
		}
		if n := d.written[0]; n.Channel != matchlog.Notes || string(n.Data) != "2 messages before this are not recorded: no space left on device" || n.Time != 3 {
			t.Errorf("got %+v", n)
		}
		if m := d.written[1]; string(m.Data) != "c" {
			t.Errorf("got %+v", m)
		}
	})
}

// TestRecorderHangs ends although the disk takes nothing.
func TestRecorderHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{hang: make(chan struct{})}
		r := matchlog.NewRecorder(d, nil)
		r.Record(matchlog.Message{Channel: matchlog.Home})
		start := time.Now()
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "wrote nothing for 2s") || time.Since(start) != 2*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		close(d.hang)
	})
}

// TestRecorderBatches writes messages together 250 ms after the first of them, or when a megabyte waits: a crash loses no
// older ones.
func TestRecorderBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(disk)
		r := matchlog.NewRecorder(d, nil)
		time.Sleep(time.Minute)
		for _, c := range []struct {
			length  int           // bytes of the next message; 0: none
			wait    time.Duration // until the messages are counted
			written int
		}{{1, 100 * time.Millisecond, 0}, {1, 149 * time.Millisecond, 0}, {0, 2 * time.Millisecond, 2}, {1 << 19, 0, 2}, {1 << 19, 0, 4}, {1, 0, 4}} {
			if c.length > 0 {
				r.Record(matchlog.Message{Channel: matchlog.Home, Data: make([]byte, c.length)})
			}
			time.Sleep(c.wait)
			synctest.Wait()
			if n := d.messages(); n != c.written {
				t.Errorf("%+v: got %d messages", c, n)
			}
		}
		if err := r.Close(); err != nil || d.messages() != 5 {
			t.Errorf("got %d messages, %v", d.messages(), err)
		}
	})
}
