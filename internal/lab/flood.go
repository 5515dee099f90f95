package lab

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"touchline/game"
	"touchline/matchlog"
)

// FloodConfig describes a game in which both base stations flood the referee box.
type FloodConfig struct {
	Program  string        // path of the program touchline
	Rate     int           // messages a second of each base station; default 10,200
	Duration time.Duration // of the flood; default 60 s
	Memory   int           // limit of the box's memory in MB; default 80
	Message  string        // the flooding message, without its NUL; default {}
}

// DefaultFloodConfig returns the defaults of touchline-lab refbox-flood.
func DefaultFloodConfig() FloodConfig {
	return FloodConfig{Rate: 10_200, Duration: time.Minute, Memory: 80, Message: "{}"}
}

// FloodReport is the report of Flood. Every fault counts in Failed and is among Failures.
type FloodReport struct {
	Sent       int     `json:"sent"`      // messages written to the sockets
	Kept       int     `json:"kept"`      // in the log
	Omitted    int     `json:"omitted"`   // counted in the log
	LogBytes   int64   `json:"logBytes"`  // of the log
	ZipBytes   int64   `json:"zipBytes"`  // of the RefBox's zip
	ZipMillis  float64 `json:"zipMillis"` // from the end of the game to its zip
	FloodedMB  float64 `json:"floodedMB"` // peak of the box's memory during the flood
	PeakMB     float64 `json:"peakMB"`    // with the zip
	RestartMB  float64 `json:"restartMB"` // of the box that is started again
	StopMillis Spread  `json:"stopMillis"`
	failures
}

// Flood plays a game in which both base stations send the same message over and over, ends it, kills the box and starts
// it again. It measures the box's memory, and checks that the log names all messages and that the zip can be read. It
// reads /proc, as Linux has it. The error says why the batch ended early, or that a limit was exceeded; when ctx ends, it
// is the cause.
func Flood(ctx context.Context, cfg FloodConfig) (r *FloodReport, err error) {
	r = &FloodReport{failures: failures{Failures: []string{}}}
	defer func() {
		if err != nil && ended(ctx) {
			err = ctx.Err()
		}
	}()
	dir, err := os.MkdirTemp("", "refbox-flood")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	listen, err := freeAddress()
	if err != nil {
		return r, err
	}
	page, err := freeAddress()
	if err != nil {
		return r, err
	}
	box, err := startBox(cfg.Program, dir, listen, page)
	if err != nil {
		return r, err
	}
	defer func() { box.kill() }()
	if _, _, err := box.ready(ctx); err != nil {
		return r, err
	}
	if err := r.play(ctx, &cfg, box); err != nil {
		return r, err
	}
	if err := r.awaitCounts(ctx, box, dir); err != nil {
		return r, err
	}
	began := time.Now()
	if err := box.decide(game.Decision{Command: game.SetPart, Part: game.End}); err != nil {
		return r, fmt.Errorf("the end of the game: %w", err)
	}
	path, err := awaitZip(ctx, box, dir)
	if err != nil {
		return r, err
	}
	r.ZipMillis = float64(time.Since(began)) / 1e6
	if r.PeakMB, err = peakMemory(box); err != nil {
		return r, err
	}
	box.kill()
	if box, err = startBox(cfg.Program, dir, listen, page); err != nil {
		return r, err
	}
	show, _, err := box.ready(ctx)
	if err != nil {
		return r, err
	}
	if text := strings.Join(show.Trouble, "; "); strings.Contains(text, "zip") {
		r.fail("the box warns after its restart: %s", text)
	}
	r.RestartMB, err = peakMemory(box)
	return r, errors.Join(err, r.judge(&cfg, path))
}

// play floods the box while the referee stops and starts the game.
func (r *FloodReport) play(ctx context.Context, cfg *FloodConfig, box *boxProcess) error {
	flood, stop := context.WithCancel(ctx)
	defer stop()
	var sent atomic.Int64
	var teams sync.WaitGroup
	defer teams.Wait()
	welcomed := make(chan struct{}) // messages before the admission do not count
	for _, team := range []byte{39, 63} {
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, team, 1)}}).DialContext(ctx, "tcp", box.listen)
		if err != nil {
			return err
		}
		defer conn.Close()
		teams.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // until the box has read everything
		teams.Go(func() {
			select {
			case <-welcomed:
			case <-flood.Done():
			}
			sent.Add(int64(send(flood, conn, cfg)))
			_ = conn.(*net.TCPConn).CloseWrite() // the box may have ended
		})
	}
	if err := box.waitFor(ctx, bothConnected); err != nil {
		return fmt.Errorf("the base stations were not admitted: %w", err)
	}
	close(welcomed)
	if err := box.decide(game.Decision{Command: game.KickOff, Side: game.Home}); err != nil {
		return err
	}
	var stops []float64
	for end := time.Now().Add(cfg.Duration); time.Now().Before(end) && ctx.Err() == nil; {
		began := time.Now()
		if err := box.decide(game.Decision{Command: game.Stop}); err != nil {
			return err
		}
		stops = append(stops, float64(time.Since(began))/1e6)
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	teams.Wait()
	r.Sent, r.StopMillis = int(sent.Load()), spread(stops)
	var err error
	r.FloodedMB, err = peakMemory(box)
	return errors.Join(err, ctx.Err())
}

// send floods a connection until the context ends, and returns the number of written messages.
func send(ctx context.Context, conn net.Conn, cfg *FloodConfig) (sent int) {
	const period = 10 * time.Millisecond
	tick := time.NewTicker(period)
	defer tick.Stop()
	burst := max(cfg.Rate*int(period)/int(time.Second), 1)
	messages := bytes.Repeat(append([]byte(cfg.Message), 0), burst)
	for ctx.Err() == nil {
		n, err := conn.Write(messages)
		if sent += n / (len(cfg.Message) + 1); err != nil {
			return sent
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return sent
}

// awaitCounts waits until the log names all messages: the box records those of a second after its end.
func (r *FloodReport) awaitCounts(ctx context.Context, box *boxProcess, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		logs, _ := filepath.Glob(filepath.Join(dir, "*.mcap")) // the pattern is valid
		if len(logs) != 1 {
			return fmt.Errorf("%d logs, want 1", len(logs))
		}
		if err := r.count(logs[0]); err != nil {
			return err
		}
		if r.Kept+r.Omitted == r.Sent {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-box.ended:
			return box.failure()
		case <-ctx.Done():
			return fmt.Errorf("the log names %d of %d messages", r.Kept+r.Omitted, r.Sent)
		}
	}
}

// judge checks the limits and the zip.
func (r *FloodReport) judge(cfg *FloodConfig, path string) error {
	for name, mb := range map[string]float64{"during the flood": r.FloodedMB, "with the zip": r.PeakMB, "after the restart": r.RestartMB} {
		if mb > float64(cfg.Memory) {
			r.fail("%.0f MB %s, the limit is %d", mb, name, cfg.Memory)
		}
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	if len(z.File) != 3 {
		r.fail("%d files in the zip, want 3", len(z.File))
	}
	if stat, err := os.Stat(path); err == nil {
		r.ZipBytes = stat.Size()
	}
	if r.Failed > 0 {
		return errors.New("a limit was exceeded: see the failures in the report")
	}
	return nil
}

// count counts the messages that a log holds and those that it names.
func (r *FloodReport) count(path string) error {
	l, err := matchlog.Open(path)
	if err != nil {
		return err
	}
	defer l.Close()
	r.Kept, r.Omitted = 0, 0
	perSecond := map[string]int{}
	for m, err := range l.Messages(0, 0, matchlog.Home, matchlog.Away, matchlog.Omitted) {
		if err != nil {
			return err
		}
		if m.Channel == matchlog.Omitted {
			var o game.Omission
			if err := json.Unmarshal(m.Data, &o); err != nil {
				return err
			}
			r.Omitted += int(o.Omitted)
			continue
		}
		r.Kept++
		second := fmt.Sprint(m.Channel, int64(m.Time)/int64(time.Second))
		if perSecond[second]++; perSecond[second] > maxKept {
			return fmt.Errorf("the log holds more than %d messages of %s in a second", maxKept, m.Channel)
		}
	}
	r.LogBytes = l.Info().Bytes
	return nil
}

// maxKept is the number of messages of a team that a log holds of each second.
const maxKept = 200

// awaitZip waits for the RefBox's zip in a folder.
func awaitZip(ctx context.Context, box *boxProcess, dir string) (string, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if zips, _ := filepath.Glob(filepath.Join(dir, "*.zip")); len(zips) == 1 {
			return zips[0], nil
		}
		select {
		case <-tick.C:
		case <-box.ended:
			return "", box.failure()
		case <-ctx.Done():
			return "", fmt.Errorf("no zip: %w", ctx.Err())
		}
	}
}

// peakMemory returns the highest amount of memory that a box used so far, in MB.
func peakMemory(box *boxProcess) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", box.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ := strings.Cut(rest, " kB")
	kB, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("the peak of the memory is %q: %w", text, err)
	}
	return float64(kB) / 1024, nil
}
