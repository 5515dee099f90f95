package refboxnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// oneObjectReader is a client that reads once a period and parses the first object of what it read, as clients of the
// league do. After a stall of this machine, which can merge any two messages, it parses all objects of a read.
type oneObjectReader struct {
	station *station
	period  time.Duration
	stalls  *stalls
	mu      sync.Mutex
	parsed  []string
	lost    []string
}

func (r *oneObjectReader) run() {
	buffer := make([]byte, 4096)
	before := time.Now() // the read before this one
	for {
		time.Sleep(r.period)
		began := time.Now()
		_ = r.station.SetReadDeadline(began.Add(time.Millisecond)) // as good as a read that does not block
		n, err := r.station.Read(buffer)
		all := objects(buffer[:n])
		stalled := time.Since(before) > refbox.Gap-time.Millisecond || r.stalls.recent()
		if n > 0 || time.Since(began) >= time.Millisecond { // otherwise the deadline was over before the read
			before = began
		}
		r.mu.Lock()
		if len(all) <= 1 || stalled {
			r.parsed = append(r.parsed, all...)
		} else {
			r.parsed, r.lost = append(r.parsed, all[0]), append(r.lost, all[1:]...)
		}
		r.mu.Unlock()
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// stalls notices when this machine lets a program wait.
type stalls struct{ last atomic.Int64 }

// watchStalls watches for stalls until the test ends.
func watchStalls(t *testing.T) *stalls {
	var s stalls
	go func() {
		for before := time.Now(); t.Context().Err() == nil; {
			time.Sleep(time.Millisecond)
			now := time.Now()
			if now.Sub(before) > 4*time.Millisecond {
				s.last.Store(now.UnixNano())
			}
			before = now
		}
	}()
	return &s
}

// recent reports whether a stall may have delayed messages that were just read.
func (s *stalls) recent() bool {
	return time.Since(time.Unix(0, s.last.Load())) < 4*refbox.Gap
}

// got returns the commands that it parsed and those that it lost so far.
func (r *oneObjectReader) got() (parsed, lost []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.parsed), slices.Clone(r.lost)
}

// read returns how many commands it has read.
func (r *oneObjectReader) read() int {
	parsed, lost := r.got()
	return len(parsed) + len(lost)
}

// objects returns the commands in a piece of the stream.
func objects(b []byte) []string {
	var all []string
	for text := range bytes.SplitSeq(b, []byte{0}) {
		var m struct {
			Command string
			RobotID int
		}
		if json.Unmarshal(text, &m) == nil {
			all = append(all, commandText(m.Command, m.RobotID))
		}
	}
	return all
}

func commandText(command string, robot int) string {
	if robot == 0 {
		return command
	}
	return fmt.Sprintf("%s %d", command, robot)
}

// steps are the decisions of a whole game: two halves, an overtime and a shoot-out.
func steps() []string {
	var all []string
	add := func(command, side string, more ...string) {
		d := fmt.Sprintf(`{"command":%q`, command)
		if side != "" {
			d += fmt.Sprintf(`,"side":%q`, side)
		}
		all = append(all, d+strings.Join(more, "")+"}")
	}
	sides := [2]string{"home", "away"}
	for half, part := range []string{"FIRST_HALF", "SECOND_HALF", "FIRST_HALF_OVERTIME", "SECOND_HALF_OVERTIME"} {
		add("KICKOFF", sides[half%2])
		add("START", "")
		add("STOP", "")
		for i, piece := range []string{"FREEKICK", "GOALKICK", "THROWIN", "CORNER", "PENALTY"} {
			side := sides[i%2]
			switch {
			case part == "FIRST_HALF" && i < 2:
				add("REPAIR", side, `,"count":2`)
				add("YELLOW_CARD", side, `,"robot":3`)
			case part == "SECOND_HALF" && i == 2:
				add("RED_CARD", side, `,"robot":5`)
				add("SUBSTITUTION", sides[1], `,"robot":7`)
				add("IS_ALIVE", side, `,"robot":2`)
			}
			add(piece, side)
			add("START", "")
			add("STOP", "")
			if i == 3 {
				add("GOAL", side)
				add("KICKOFF", sides[(i+1)%2])
				add("START", "")
				add("STOP", "")
			}
		}
		add("DROP_BALL", "")
		add("START", "")
		add("STOP", "")
		add("END_PART", "")
	}
	add("PENALTY", "home")
	add("START", "")
	add("STOP", "")
	add("END_PART", "")
	return all
}

// TestOneObjectReaders plays a whole game against a client that parses one object a read every 20 ms, and against one
// that reads 4,096 bytes as soon as there are any and parses the first object: both receive every message, in order.
func TestOneObjectReaders(t *testing.T) {
	f, stalls := open(t, liveConfig(t.TempDir())), watchStalls(t)
	readers := []*oneObjectReader{
		{station: f.dial("127.0.39.1"), period: 20 * time.Millisecond, stalls: stalls},
		{station: f.dial("127.0.63.1"), period: time.Millisecond, stalls: stalls},
	}
	for _, r := range readers {
		go r.run()
		wiretest.Eventually(t, "the team is admitted", func() bool { return r.read() == 1 })
	}
	want, all := []string{"WELCOME"}, steps()
	for _, d := range all {
		for _, m := range f.decide(d).Messages {
			want = append(want, commandText(string(m.Command), m.RobotID))
		}
	}
	if len(all) < 110 || len(want) < 110 {
		t.Fatalf("the game has only %d decisions and %d messages", len(all), len(want))
	}
	for _, r := range readers {
		wiretest.Eventually(t, "everything is read", func() bool { return r.read() >= len(want) })
		if got, lost := r.got(); !slices.Equal(got, want) {
			t.Errorf("reading every %v: parsed %d messages of %d, lost %v; %v, want %v", r.period, len(got), len(want),
				lost, got, want)
		}
	}
	f.stop()
	log, err := matchlog.Open(journals(t, f.live.Config.Dir, ".mcap")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, channel := range []string{matchlog.HomeSent, matchlog.AwaySent} {
		var sent []string
		var last soccer.Time
		for m, err := range log.Messages(0, 1<<62, channel) {
			var d game.Departure
			if err := errors.Join(err, json.Unmarshal(m.Data, &d)); err != nil || d.Why != "" {
				t.Fatalf("%s: %v", m.Data, err)
			}
			if d.Message != string(game.Stop) && m.Time.Sub(last) < refbox.Gap {
				t.Errorf("%s: %s left %v after %s", channel, d.Message, m.Time.Sub(last), sent[len(sent)-1])
			}
			sent, last = append(sent, d.Message), m.Time
		}
		if !slices.Equal(sent, want) {
			t.Errorf("%s in the journal: %v, want %v", channel, sent, want)
		}
	}
}

// A STOP overtakes what waits. Cards still arrive; START never follows it.
func TestStopOvertakes(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	home, away := f.both()
	go func() { _, _ = io.Copy(io.Discard, away) }()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`)
	home.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""))
	f.decide(`{"command":"REPAIR","side":"home","count":3}`, `{"command":"YELLOW_CARD","side":"away","robot":2}`,
		`{"command":"RED_CARD","side":"away","robot":3}`, `{"command":"CORNER","side":"away"}`)
	home.receives(command("CORNER", techUnited))
	started := make(chan refbox.Decided, 1)
	go func() { started <- f.decide(`{"command":"START"}`) }()
	home.receives(command("REPAIR", cambada)) // the burst has begun
	f.decide(`{"command":"STOP"}`)
	var got []string
	r := &oneObjectReader{station: home, period: time.Millisecond, stalls: watchStalls(t)}
	go r.run()
	count := func(c string) (n int) {
		for _, g := range got {
			if g == c {
				n++
			}
		}
		return n
	}
	start := <-started
	wiretest.Eventually(t, "the cards arrive", func() bool {
		parsed, lost := r.got()
		got = append(parsed, lost...)
		return count("REPAIR") == 2 && count("YELLOW_CARD") == 1 && count("RED_CARD") == 1 && count("STOP") > 0
	})
	if slices.Index(got, "START") > slices.Index(got, "STOP") {
		t.Errorf("START follows STOP: %v", got)
	}
	if void := slices.Equal(start.Void, []string{"START"}); void == (count("START") == 1) {
		t.Errorf("the answer to START: void %q; received %v", start.Void, got)
	}
	var v refbox.TeamsShow
	f.topic("teams", &v, func() bool { return len(v.Teams) == 2 && len(v.Teams[0].Sent) >= 6 })
	if len(start.Void) > 0 && !slices.ContainsFunc(v.Teams[0].Sent, func(m refbox.SentShow) bool {
		return m.Text == "START" && m.Why != ""
	}) {
		t.Errorf("the teams' page does not show that START was not sent: %+v", v.Teams[0].Sent)
	}
}

// BenchmarkStopInBurst measures a STOP from its POST to the last byte read by both teams, while a burst waits.
func BenchmarkStopInBurst(b *testing.B) {
	f := open(b, liveConfig(b.TempDir()))
	home, away := f.both()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`)
	stops := make(chan time.Time, 16)
	for _, s := range []*station{home, away} {
		s.receives(command("KICKOFF", cambada), command("FIRST_HALF", ""), command("START", ""), command("STOP", ""))
		_ = s.SetReadDeadline(time.Time{})
		go func() {
			for buffer := make([]byte, 4096); ; {
				n, err := s.Read(buffer)
				if err != nil {
					return
				}
				if at := time.Now(); bytes.Contains(buffer[:n], []byte(`"STOP"`)) {
					stops <- at
				}
			}
		}()
	}
	var latency []float64
	for b.Loop() {
		var burst sync.WaitGroup
		for robot := range 5 {
			burst.Go(func() {
				alive := game.Decision{Command: game.IsAlive, Side: game.Home, Robot: 1 + robot}
				if _, err := f.live.Decide(context.Background(), alive); err != nil {
					b.Error(err)
				}
			})
		}
		time.Sleep(10 * time.Millisecond)
		began := time.Now()
		f.decide(`{"command":"STOP"}`)
		for range 2 {
			latency = append(latency, float64((<-stops).Sub(began))/1e6)
		}
		burst.Wait()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(latency, 0.5), "p50-ms")
	b.ReportMetric(quantile(latency, 0.99), "p99-ms")
	b.ReportMetric(slices.Max(latency), "max-ms")
}
