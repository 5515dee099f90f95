package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/wiretest"
)

// session runs a session whose robots are processes.
type liveSession struct {
	*matchnet.Session
	mu   sync.Mutex
	pids map[string]int // by robot, of the newest process
}

// Write reads the log of the crew. It notes the processes that start.
func (s *liveSession) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, pid := attr(string(b), "robot="), attr(string(b), "pid=")
	if n, err := strconv.Atoi(pid); err == nil {
		s.pids[number] = n
	}
	return len(b), nil
}

// attr returns an attribute of a log line.
func attr(line, name string) string {
	_, rest, _ := strings.Cut(line, name)
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return value
}

func (s *liveSession) pid(robot string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pids[robot]
}

func start(ctx context.Context, t interface{ Fatal(...any) }, group string, log io.Writer) (*liveSession, chan error) {
	return startTapped(ctx, t, group, log, nil)
}

// startTapped is start, and passes the datagrams of the TCM that the session records to tap.
func startTapped(ctx context.Context, t interface{ Fatal(...any) }, group string, log io.Writer, tap func(*soccer.Packet),
) (*liveSession, chan error) {
	cfg := match.DefaultConfig()
	cfg.Kick, cfg.Substitute = [2]time.Duration{}, [2]time.Duration{}
	s := &liveSession{pids: map[string]int{}}
	var err error
	s.Session, err = matchnet.New(matchnet.Config{
		Match: cfg, Network: transport.DefaultConfig(netip.MustParseAddrPort(group)), TapTCM: tap, Processes: &matchnet.Processes{
			Program: os.Args[0], Args: []string{"--group", group}, Errors: os.Stderr, Restart: 3 * time.Second,
		},
	}, slog.New(slog.NewTextHandler(io.MultiWriter(s, log), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return s, done
}

// live returns the number of tiles with a belief from their own robot's debug record.
func (s *liveSession) live() (n int) {
	for _, tile := range s.Wall("wall").(*watch.Wall).Tiles {
		if tile.State == "live" && tile.Belief.Ball != nil && len(tile.Belief.Robots) == 5 {
			n++
		}
	}
	return n
}

// judges returns how many tiles tell how much the robot doubts each of its four mates.
func (s *liveSession) judges() (n int) {
	for _, tile := range s.Wall("wall").(*watch.Wall).Tiles {
		judged := 0
		for i := range tile.Belief.Robots {
			if trust := tile.Belief.Robots[i].Trust; trust != nil && trust.Doubt > 0 {
				judged++
			}
		}
		if judged == 4 {
			n++
		}
	}
	return n
}

// links returns the robots whose link to peer is up, or down. Base station and manager have links, too.
func (s *liveSession) links(peer string, up bool) (robots []string) {
	for _, r := range s.Teamcom() {
		for i := range r.Links {
			if strings.HasPrefix(r.Entity, "robot:") && r.Links[i].Peer == peer && r.Links[i].Up == up {
				robots = append(robots, r.Entity)
			}
		}
	}
	return robots
}

// A robot that is killed is gone for its teammates and comes back; the others keep running.
func TestKilledRobotComesBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, done := start(ctx, t, "224.16.32.75:"+wiretest.FreePort(t, "udp"), io.Discard)
	wiretest.Eventually(t, "all tiles show the beliefs of their processes", func() bool { return s.live() == 5 })
	wiretest.Eventually(t, "all tiles tell what the processes learnt of their mates", func() bool { return s.judges() == 5 })
	wiretest.Eventually(t, "the other four have a link to robot 3", func() bool { return len(s.links("robot:3", true)) == 4 })
	victim := s.pid("3")
	process, err := os.FindProcess(victim)
	if err != nil || victim == 0 {
		t.Fatalf("process %d of robot 3: %v", victim, err)
	}
	others := []int{s.pid("1"), s.pid("2"), s.pid("4"), s.pid("5")}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	sawGone := map[string]bool{} // on a loaded machine never all four at one time
	wiretest.Eventually(t, "the other four see that robot 3 is gone", func() bool {
		for _, robot := range s.links("robot:3", false) {
			sawGone[robot] = true
		}
		return len(sawGone) == 4
	})
	wiretest.Eventually(t, "robot 3 is back", func() bool { return len(s.Outages()) == 1 && s.live() == 5 })
	rows := 0
	for _, r := range s.Network("network").(watch.Network).Senders {
		if r.Number == 3 {
			rows++
		}
	}
	if rows != 1 {
		t.Errorf("robot 3 has %d rows, want one", rows)
	}
	var attended time.Time
	wiretest.Eventually(t, "an operator sees a picture of its camera", func() bool {
		if now := time.Now(); now.Sub(attended) > 300*time.Millisecond {
			attended = now
			body := `{"robot": 3, "page": 5, "name": "Eva", "picture": {"rate": 25}}`
			if _, err := s.Commands().Do("robot-attend", []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		p, _ := s.Managed("picture/3").(*managernet.PictureView)
		return p != nil && p.Missing == 0 && p.Width == 208
	})
	if now := s.pid("3"); now == victim {
		t.Errorf("robot 3 is still process %d", now)
	}
	for i, robot := range []string{"1", "2", "4", "5"} {
		if now := s.pid(robot); now != others[i] {
			t.Errorf("robot %s is process %d, was %d: want it to keep running", robot, now, others[i])
		}
	}
	o := s.Outages()[0]
	t.Logf("gone after %.2f to %.2f s, back after %.2f to %.2f s", o.Gone.First, o.Gone.Last, o.Back.First, o.Back.Last)
	if o.Robot != 3 || o.Gone.First <= 0 || o.Gone.Last < o.Gone.First || o.Back.First <= 0 {
		t.Errorf("outage %+v", o)
	}
	var marks []string
	for _, m := range s.Wall("wall").(*watch.Wall).Marks {
		marks = append(marks, m.Text)
	}
	text := strings.Join(marks, "; ")
	for _, want := range []string{"3 crashed (signal: killed), starts again in 3s", "3 is gone for its teammates", "3 is back"} {
		if !strings.Contains(text, want) {
			t.Errorf("the timeline has %q, want %q", text, want)
		}
	}

	// The process of a substituted robot ends, and the substitute's starts.
	if _, err := s.Commands().Do("substitute", []byte(`{"number":2}`)); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the substitute's process runs in place of robot 2", func() bool {
		entities := map[string]bool{}
		for _, r := range s.Teamcom() {
			entities[r.Entity] = true
		}
		return entities["robot:6"] && !entities["robot:2"] && s.live() == 5
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, r := range s.Teamcom() {
		if strings.HasPrefix(r.Entity, "robot:") {
			t.Errorf("%s runs after the end", r.Entity)
		}
	}
}

// parent runs a session until it is killed. It prints the crew's log.
func parent(group string) {
	_, done := start(context.Background(), fatal{}, group, os.Stdout)
	<-done
}

type fatal struct{}

func (fatal) Fatal(v ...any) { panic(v) }

// The children of a parent that is killed end.
func TestChildrenEndWithTheirParent(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TOUCHLINE_TEST_PARENT=224.16.32.75:"+wiretest.FreePort(t, "udp"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var pids []int
	for lines := bufio.NewScanner(out); len(pids) < 5 && lines.Scan(); {
		if pid, err := strconv.Atoi(attr(lines.Text(), "pid=")); err == nil {
			pids = append(pids, pid)
		}
	}
	if len(pids) < 5 {
		t.Fatalf("%d robots started, want 5", len(pids))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	wiretest.Eventually(t, "all children have ended", func() bool {
		for _, pid := range pids {
			if running(pid) {
				return false
			}
		}
		return true
	})
}

// Mistakes in the flags name the flag, the value and what is accepted.
func TestRobotFlags(t *testing.T) {
	good := map[string]string{"id": "3", "field": "127.0.0.1:20000"}
	for _, c := range []struct{ flag, value, want string }{
		{"id", "7", "--id 7: want the number of a robot of the session, 1 to 6"},
		{"id", "0", "--id 0: want"},
		{"team", "B", "--team B: want A"},
		{"plays", "touchline", "--plays: team A does not use it"},
		{"field", "", "--field : want the address and the base port"},
		{"field", "127.0.0.1", "--field 127.0.0.1: want"},
		{"field", "127.0.0.1:0", "--field 127.0.0.1:0: want"},
		{"group", "here", "--group here: want"},
		{"package", "v9", "--package v9: want v1, v2 or falcons"},
		{"size", "9x6", "--size 9x6: want 18x12 or 22x14"},
		{"booking", "paxos", "--booking paxos: want lease, literal, nearest or none"},
		{"duration", "-1s", "--duration -1s: want a time above 0"},
	} {
		command := robotBesideField()
		var args []string
		for name, value := range good {
			if name != c.flag {
				args = append(args, "--"+name, value)
			}
		}
		command.SetArgs(append(args, "--"+c.flag, c.value))
		command.SilenceErrors, command.SilenceUsage = true, true
		if err := command.Execute(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s %s: got error %v, want %q", c.flag, c.value, err, c.want)
		}
	}
}

// Mistakes in the flags of a robot of a match are named, too.
func TestRobotOfMatchFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--id 6":                       "--id 6: want the number of a robot of the match, 1 to 5",
		"--id 3 --plays dream":         "--plays \"dream\": want touchline",
		"--id 3 --plays external":      "--plays external: choose a team of touchline",
		"--id 3 --size 9x6":            "--size 9x6: want 18x12 or 22x14",
		"--id 3 --booking none":        "--booking: team away does not use it",
		"--id 3 --group 224.0.0.1:1":   "--group: team away does not use it",
		"--id 3 --field 127.0.0.1:nil": "--field 127.0.0.1:nil: want the address",
	} {
		command := robotBesideField()
		command.SetArgs(append([]string{"--team", "away", "--field", "127.0.0.1:20000"}, strings.Fields(args)...))
		command.SilenceErrors, command.SilenceUsage = true, true
		if err := command.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", args, err, want)
		}
	}
}

// A robot waits for a field that is not there until its time is over, and fails.
func TestRobotWithoutField(t *testing.T) {
	for _, more := range [][]string{nil, {"--json"}} {
		command := robotBesideField()
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(append([]string{"--id", "3", "--field", "127.0.0.1:" + wiretest.FreePort(t, "udp"),
			"--duration", "300ms"}, more...))
		if err := command.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "never answered") {
			t.Errorf("%v: got error %v", more, err)
		}
	}
}
