package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/team"
)

// process is touchline in a process of its own.
type process struct {
	*exec.Cmd
	url   string // of its page
	field string // address of its field

	mu   sync.Mutex
	last []byte // line that it printed
}

// startProcess starts touchline and stops it at the end of the benchmark.
func startProcess(b *testing.B, args ...string) *process {
	b.Helper()
	if args[0] == "demo" {
		args = append(args, "--addresses")
	}
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	b.Cleanup(func() {
		_ = p.Process.Signal(os.Interrupt)
		_ = p.Wait()
	})
	if args[0] == "demo" {
		for p.field == "" && lines.Scan() {
			if p.url == "" {
				p.url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(lines.Text())
			}
			if _, field, ok := strings.Cut(lines.Text(), "--field "); ok {
				p.field = strings.TrimSpace(field)
			}
		}
	}
	go func() {
		for lines.Scan() {
			p.mu.Lock()
			p.last = bytes.Clone(lines.Bytes())
			p.mu.Unlock()
		}
	}()
	return p
}

// cpu returns the processor time of a process, 0 where the system does not tell.
func (p *process) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the third one on
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// looker is a page that shows a robot: it decodes each picture, as a browser does before it draws it.
type looker struct {
	mu       sync.Mutex
	latency  []float64 // ms from the scene to the decoded picture
	partial  int
	radio    float64 // ms, 99th percentile of the slowest link between robots
	pictures chan struct{}
}

// look opens the page of a robot.
func look(b *testing.B, url string, robot int) *looker {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"api/stream", nil)
	if err != nil {
		b.Fatal(err)
	}
	conn.SetReadLimit(4 << 20)
	if err := conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"subscribe":["picture/%d","teamcom"]}`, robot)); err != nil {
		b.Fatal(err)
	}
	l := &looker{pictures: make(chan struct{}, 1000)}
	go func() {
		for ctx.Err() == nil {
			body := fmt.Sprintf(`{"robot":%d,"page":%d,"name":"bench","picture":{"rate":25,"overlay":true}}`, robot, 100+robot)
			if r, err := http.Post(url+"api/command/robot-attend", "application/json", strings.NewReader(body)); err == nil {
				r.Body.Close()
			}
			time.Sleep(500 * time.Millisecond)
		}
	}()
	go func() {
		for {
			_, b, err := conn.Read(ctx)
			if err != nil {
				return
			}
			l.receive(b)
		}
	}()
	return l
}

// receive receives a message of the page's stream.
func (l *looker) receive(b []byte) {
	var m struct {
		Topic string          `json:"topic"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(b, &m) != nil {
		return
	}
	if m.Topic == "teamcom" {
		var v teamcom.View
		if json.Unmarshal(m.Value, &v) == nil {
			l.radioOf(&v)
		}
		return
	}
	var p managernet.PictureView
	if json.Unmarshal(m.Value, &p) != nil || len(p.Data) == 0 {
		return
	}
	if _, err := jpeg.Decode(bytes.NewReader(p.Data)); err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency = append(l.latency, float64(time.Now().UnixMicro())/1e3-p.Millis)
	if p.Missing > 0 {
		l.partial++
	}
	l.pictures <- struct{}{}
}

// radioOf notes how long datagrams between robots took.
func (l *looker) radioOf(v *teamcom.View) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range v.Nodes {
		for _, link := range n.Links {
			if strings.HasPrefix(n.Entity, "robot") && strings.HasPrefix(link.Peer, "robot") {
				l.radio = max(l.radio, link.LatencyMillis.P99)
			}
		}
	}
}

// quantile returns a quantile of values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// BenchmarkStream streams drawn pictures with overlays of one robot and of five to pages. cpu-%/stream is the processor
// time of touchline above that of the session alone, glass the time from the scene to the decoded picture in the page.
func BenchmarkStream(b *testing.B) {
	for _, streams := range []int{1, 5} {
		for _, loss := range []string{"0", "0.05"} {
			b.Run(fmt.Sprintf("streams=%d/loss=%s", streams, loss), func(b *testing.B) {
				p := startProcess(b, "demo", "--http", "127.0.0.1:0", "--seed", "7", "--loss", loss)
				const settle, alone = 2 * time.Second, 6 * time.Second
				time.Sleep(settle)
				before, begin := p.cpu(), time.Now()
				time.Sleep(alone)
				session := (p.cpu() - before).Seconds() / time.Since(begin).Seconds()
				var lookers []*looker
				for i := range streams {
					lookers = append(lookers, look(b, p.url, i+1))
				}
				<-lookers[0].pictures
				time.Sleep(settle)
				for _, l := range lookers {
					l.mu.Lock()
					l.latency, l.partial = nil, 0
					l.mu.Unlock()
				}
				before, begin = p.cpu(), time.Now()
				for b.Loop() {
					<-lookers[0].pictures
				}
				seconds := time.Since(begin).Seconds()
				used := (p.cpu() - before).Seconds() / seconds
				reportStreams(b, lookers, seconds)
				b.ReportMetric(100*(used-session)/float64(streams), "cpu-%/stream")
				b.ReportMetric(1e3*(used-session)*seconds/float64(arrived(lookers)), "cpu-ms/picture")
				b.ReportMetric(100*session, "cpu-%-alone")
			})
		}
	}
}

// arrived returns how many pictures arrived at all pages.
func arrived(lookers []*looker) int {
	n := 1 // of a benchmark without any
	for _, l := range lookers {
		l.mu.Lock()
		n += len(l.latency)
		l.mu.Unlock()
	}
	return n
}

// reportStreams reports what arrived at all pages.
func reportStreams(b *testing.B, lookers []*looker, seconds float64) {
	var all []float64
	partial, radio := 0, 0.0
	for _, l := range lookers {
		l.mu.Lock()
		all, partial, radio = append(all, l.latency...), partial+l.partial, max(radio, l.radio)
		l.mu.Unlock()
	}
	b.ReportMetric(float64(len(all))/seconds/float64(len(lookers)), "Hz/stream")
	b.ReportMetric(quantile(all, 0.5), "glass-p50-ms")
	b.ReportMetric(quantile(all, 0.95), "glass-p95-ms")
	b.ReportMetric(100*float64(partial)/float64(max(len(all), 1)), "partial-%")
	b.ReportMetric(radio, "robots-p99-ms")
	b.ReportMetric(0, "ns/op")
}

// record writes a second of what a robot's camera sees as JPEG files.
func recordPictures(b *testing.B) string {
	dir, cam := b.TempDir(), camera.Perspective()
	renderer := camera.NewRenderer(cam, camera.MSLVenue(soccer.MSL18x12(), 1), 1)
	f := managernet.NewCameraView(cam, camera.DefaultConfig())
	params := camera.DefaultParams()
	var p camera.Picture
	var m team.Image
	for i := range 25 {
		renderer.Render(&camera.Scene{Self: soccer.Pose{X: 0.1 * float64(i)}, HasBall: true, Ball: soccer.Vec3{X: 4, Z: 0.11},
			Light: 1}, &params, &p)
		if err := f.Encode(&p, &team.PictureWish{Quality: 90, Divisor: 1}, &m); err != nil {
			b.Fatal(err)
		}
		file, _, err := new(managernet.Decoder).Decode(nil, &m, nil)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.jpg", i)), file, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkControlLoop runs two robots in processes of their own in one session. Both have a camera that plays files, and
// a page looks at one of them. A figure is the 99th percentile of what a control period deviates from 50 ms.
func BenchmarkControlLoop(b *testing.B) {
	for _, loss := range []string{"0", "0.05"} {
		b.Run("loss="+loss, func(b *testing.B) {
			dir := recordPictures(b)
			p := startProcess(b, "demo", "--http", "127.0.0.1:0", "--seed", "7", "--loss", loss)
			robots := map[int]*process{}
			for _, id := range []int{2, 3} {
				robots[id] = startProcess(b, "robot", "--id", strconv.Itoa(id), "--field", p.field, "--pictures", dir, "--json")
			}
			l := look(b, p.url, 2)
			<-l.pictures
			begin := time.Now()
			for b.Loop() {
				<-l.pictures
			}
			reportStreams(b, []*looker{l}, time.Since(begin).Seconds())
			timing := func(id int) robotnet.Timing {
				r := robots[id]
				r.mu.Lock()
				defer r.mu.Unlock()
				var line struct{ Loop robotnet.Timing }
				if err := json.Unmarshal(r.last, &line); err != nil {
					b.Fatal(err)
				}
				return line.Loop
			}
			streams, quiet := timing(2), timing(3)
			b.ReportMetric(streams.P99, "p99-streaming-ms")
			b.ReportMetric(quiet.P99, "p99-quiet-ms")
			b.ReportMetric(streams.P99/quiet.P99, "ratio")
			b.ReportMetric(float64(quiet.Periods), "periods")
		})
	}
}

// counted counts what a connection reads.
type counted struct {
	net.Conn
	read *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

// openWall opens a wall as a browser does, and counts what arrives.
func openWall(b *testing.B, url string, read *atomic.Int64) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return counted{c, read}, err
	}}}
	conn, _, err := websocket.Dial(b.Context(), "ws"+strings.TrimPrefix(url, "http")+"api/stream",
		&websocket.DialOptions{HTTPClient: client, CompressionMode: websocket.CompressionContextTakeover})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(4 << 20)
	wall := `{"subscribe":["wall","network","teamcom","booking","behaviour","match","session"],` +
		`"most":{"teamcom":0.5,"behaviour":0.5,"match":1}}`
	if err := conn.Write(b.Context(), websocket.MessageText, []byte(wall)); err != nil {
		b.Fatal(err)
	}
	go func() {
		for {
			if _, _, err := conn.Read(b.Context()); err != nil {
				return
			}
		}
	}()
}

// BenchmarkClass shows a session on the walls of a class: what each of the browsers receives, and what the program needs
// with none of them and with all.
func BenchmarkClass(b *testing.B) {
	const pages, length = 30, 10 * time.Second
	demo := startProcess(b, "demo", "--http", "127.0.0.1:0", "--group", freeGroup(b))
	share := func() float64 {
		before, start := demo.cpu(), time.Now()
		time.Sleep(length)
		return 100 * (demo.cpu() - before).Seconds() / time.Since(start).Seconds()
	}
	time.Sleep(3 * time.Second)
	alone := share()
	var read atomic.Int64
	for range pages {
		openWall(b, demo.url, &read)
	}
	time.Sleep(2 * time.Second)
	start, before := time.Now(), read.Load()
	all := share()
	b.ReportMetric(float64(read.Load()-before)/1000/pages/time.Since(start).Seconds(), "kB/s/page")
	b.ReportMetric(alone, "%core/none")
	b.ReportMetric(all, "%core/30")
	b.ReportMetric(0, "ns/op")
}
