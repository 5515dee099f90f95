package refboxnet_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// fullWorldstate is as large as a real one: five robots, two balls, eight obstacles.
func fullWorldstate(team, intention string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"worldstate","teamName":%q,"intention":%q,"robots":[`, team, intention)
	for i := range 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"pose":[%d.002,-8.933,6.2800],"targetPose":[0.002,-2.993,0.4934],"velocity":[0.000,-0.004,0.0000],"intention":"pass the ball","batteryLevel":93.0,"ballEngaged":0}`, i+1, i-2)
	}
	b.WriteString(`],"balls":[{"position":[-0.002,-0.001,0.110],"velocity":[0.100,0.000,0.000],"confidence":0.959},{"position":[1.002,-0.001,0.110],"velocity":[0.000,0.000,0.000],"confidence":0.300}],"obstacles":[`)
	for i := range 8 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"position":[%d.150,-4.677],"velocity":[0.000,0.000],"radius":0.250,"confidence":0.800}`, i-4)
	}
	b.WriteString(`],"ageMs":20}`)
	return b.String()
}

// sender sends worldstates at 100 Hz until the context ends; the intention holds their number.
func sender(ctx context.Context, s *station, team string, said *atomic.Int64, at func(n int)) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		b := fullWorldstate(team, fmt.Sprintf("number %08d of %s", n, team)) + "\x00"
		if at != nil {
			at(n)
		}
		if _, err := io.WriteString(s, b); err != nil {
			return
		}
		said.Add(1)
	}
}

// garbage is data of hostile connections.
var garbage = [][]byte{
	bytes.Repeat([]byte("x"), 1<<20),                     // never a NUL
	[]byte(`{"type":"worldstate","ageMs":NaN}` + "\x00"), // NaN
	append(bytes.Repeat([]byte("["), 1<<16), 0),          // depth
	[]byte("{\"teamName\":\"\xff\xfe\"}\x00"),            // not UTF-8
	[]byte(`{"type":"event","type":"worldstate"}` + "\x00" + `{"type":"event"}` + "\x00"),
	[]byte("x"), // one byte a second
}

// crowdOf is the environment variable that turns this program into the hostile clients of a referee box.
const crowdOf = "REFBOX_TEST_CROWD"

// crowd starts clients without a team: 200 idle connections and 50 hostile ones from 250 addresses, which reconnect when
// they are closed. They run in a program of their own, so that its goroutines do not delay this one.
func crowd(t testing.TB, to string) (stop func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestCrowdProcess$")
	c.Env = append(os.Environ(), crowdOf+"="+to)
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		in.Close() // this ends it
		_ = c.Wait()
	}
}

// TestCrowdProcess is that program.
func TestCrowdProcess(t *testing.T) {
	to := os.Getenv(crowdOf)
	if to == "" {
		t.Skip("part of the benchmarks")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	var all sync.WaitGroup
	for i := range 250 {
		all.Go(func() {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(200+i%50), byte(1+i/50))}}
			for ctx.Err() == nil {
				c, err := d.DialContext(ctx, "tcp", to)
				if err != nil {
					_ = wait(ctx, 200*time.Millisecond)
					continue
				}
				stop := context.AfterFunc(ctx, func() { c.Close() })
				b := garbage[i%len(garbage)]
				for i < 50 && err == nil {
					if _, err = c.Write(b); len(b) == 1 && err == nil {
						err = wait(ctx, time.Second)
					}
				}
				_, _ = io.Copy(io.Discard, c) // until it is closed
				stop()
				c.Close()
				_ = wait(ctx, 200*time.Millisecond)
			}
		})
	}
	all.Wait()
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// quantile returns the value that a share of the values does not exceed.
func quantile(values []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return s[min(len(s)-1, int(math.Ceil(q*float64(len(s))))-1)]
}

// BenchmarkDecide measures from a POST to the last byte read by both teams' sockets, while both send at 100 Hz, with and
// without hostile clients. sent-* is from the request to the last byte in a socket, disk-* the share of the journal.
func BenchmarkDecide(b *testing.B) {
	for _, load := range []string{"quiet", "hostile"} {
		b.Run(load, func(b *testing.B) {
			f := open(b, liveConfig(b.TempDir()))
			home, away := f.both()
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var said atomic.Int64
			go sender(ctx, home, "CAMBADA", &said, nil)
			go sender(ctx, away, "TUE", &said, nil)
			if load == "hostile" {
				defer crowd(b, f.live.Addr().String())()
			}
			f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`)
			for _, s := range []*station{home, away} {
				s.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""))
			}
			cycle := [][2]string{
				{`{"command":"STOP"}`, command("STOP", "")},
				{`{"command":"FREEKICK","side":"away"}`, command("FREEKICK", techUnited)},
				{`{"command":"START"}`, command("START", "")},
			}
			var whole, sent, disk []float64
			for i := 0; b.Loop(); i++ {
				c := cycle[i%len(cycle)]
				began := time.Now()
				read := make(chan struct{})
				go func() { away.receives(c[1]); close(read) }()
				answer := f.decide(c[0])
				home.receives(c[1])
				<-read
				whole = append(whole, float64(time.Since(began))/1e6)
				sent, disk = append(sent, *answer.Millis), append(disk, answer.Disk)
				time.Sleep(3 * time.Millisecond) // faster than any referee
			}
			b.ReportMetric(0, "ns/op")
			for name, v := range map[string][]float64{"whole": whole, "sent": sent, "disk": disk} {
				b.ReportMetric(quantile(v, 0.5), name+"-p50-ms")
				b.ReportMetric(quantile(v, 0.99), name+"-p99-ms")
				b.ReportMetric(slices.Max(v), name+"-max-ms")
			}
		})
	}
}

// BenchmarkTeams measures two base stations at 100 Hz among hostile clients for one second an operation: from sending a
// worldstate to reading it back from the journal, which is polled once a millisecond; lost worldstates; and the memory of
// this process.
func BenchmarkTeams(b *testing.B) {
	f := open(b, liveConfig(b.TempDir()))
	home, away := f.both()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var mu sync.Mutex
	at := map[string]time.Time{}
	var said atomic.Int64
	var senders sync.WaitGroup
	for team, s := range map[string]*station{"CAMBADA": home, "TUE": away} {
		senders.Go(func() {
			sender(ctx, s, team, &said, func(n int) {
				mu.Lock()
				at[fmt.Sprintf("number %08d of %s", n, team)] = time.Now()
				mu.Unlock()
			})
		})
	}
	stopCrowd := crowd(b, f.live.Addr().String())
	path := journals(b, f.live.Config.Dir, ".mcap")[0]
	log, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	var latency []float64
	var offset int64
	piece := make([]byte, 256<<10)
	look := func() {
		n, _ := log.ReadAt(piece, offset)
		for rest := piece[:n]; ; {
			i := bytes.Index(rest, []byte("number "))
			if i < 0 || i+40 > len(rest) {
				return
			}
			text, _, _ := strings.Cut(string(rest[i:i+40]), `"`)
			mu.Lock()
			if t, ok := at[text]; ok {
				latency = append(latency, float64(time.Since(t))/1e6)
				delete(at, text)
			}
			mu.Unlock()
			rest = rest[i+40:]
			offset += int64(i + 40)
		}
	}
	for b.Loop() {
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			look()
		}
	}
	rss := residentMB(b)
	cancel()
	stopCrowd()
	senders.Wait()
	wiretest.Eventually(b, "all is in the journal", func() bool {
		return len(read(b, path, matchlog.Home))+len(read(b, path, matchlog.Away)) >= int(said.Load())
	})
	kept := len(read(b, path, matchlog.Home)) + len(read(b, path, matchlog.Away))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(said.Load())-float64(kept), "lost")
	b.ReportMetric(float64(kept), "messages")
	b.ReportMetric(quantile(latency, 0.5), "kept-p50-ms")
	b.ReportMetric(quantile(latency, 0.99), "kept-p99-ms")
	b.ReportMetric(slices.Max(latency), "kept-max-ms")
	b.ReportMetric(rss, "RSS-MB")
}

// residentMB returns the memory of this process, 0 where the system does not report it.
func residentMB(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kB / 1024
}
