package match

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// heardMessages counts the messages of the TCM in a session, by sender, destination and type, and hashes its datagrams
// and its packages.
type heardMessages struct {
	t        *testing.T
	datagram tcm.Datagram
	counts   map[string]int
	alone    int // messages of the ball booking whose datagram has no belief
	tcm      []byte
	packages []byte
}

func (h *heardMessages) tap(p *soccer.Packet) {
	if !bytes.HasPrefix(p.Data, []byte("TCM")) {
		h.packages = append(h.packages, p.Data...)
		return
	}
	h.tcm = append(h.tcm, p.Data...)
	if err := h.datagram.UnmarshalBinary(p.Data); err != nil {
		h.t.Fatal(err)
	}
	types := map[tcm.Type]bool{}
	for i := range h.datagram.Pieces {
		piece := &h.datagram.Pieces[i]
		if piece.Index > 0 {
			continue
		}
		h.counts[h.datagram.From.String()+" to "+h.datagram.To.String()+": "+piece.Type.String()]++
		check := team.Check
		if piece.Type >= tcm.BookingClaim && piece.Type <= tcm.BookingBelief {
			check = b3p.Check
		}
		for _, issue := range check(uint16(piece.Type), piece.Data) {
			if !piece.Fragment {
				h.t.Fatalf("%v of %v: %s %s", piece.Type, h.datagram.From, issue.Field, issue.Text)
			}
		}
		types[piece.Type] = true
	}
	if types[tcm.BookingBelief] && !types[tcm.Belief] {
		h.alone++
	}
}

func talk(t *testing.T, cfg Config, d time.Duration) (*Session, *heardMessages) {
	t.Helper()
	h := &heardMessages{t: t, counts: map[string]int{}}
	s, err := Virtual(cfg, h.tap)
	if err != nil {
		t.Fatal(err)
	}
	advance(s, d)
	return s, h
}

// Each robot sends the measurements of each picture to the five others (one waits as the substitute), its belief with each
// message of the ball booking, 20 times a second as the booker and otherwise 25 times, its status 5 times to the station,
// and its debug record 10 times.
func TestRobotsTalk(t *testing.T) {
	_, h := talk(t, quiet(), 10*time.Second)
	for _, p := range Participants()[:5] {
		for what, want := range map[string]int{
			"robots: measurements": int(5 * 10 * p.Camera.Rate), "computer:1: status": 50,
			"computers: debug record": 100,
		} {
			if got := h.counts[fmt.Sprintf("robot:%d to %s", p.Number, what)]; got < want*95/100 || got > want*105/100 {
				t.Errorf("robot %d sent %d to %s, want about %d", p.Number, got, what, want)
			}
		}
	}
	for _, p := range Participants()[:5] {
		const least, most = 5 * 200, 5 * 250
		got := h.counts[fmt.Sprintf("robot:%d to robots: belief", p.Number)]
		if got < least*95/100 || got > most*105/100 {
			t.Errorf("robot %d sent %d beliefs, want %d to %d", p.Number, got, least, most)
		}
	}
	if h.alone > 0 {
		t.Errorf("%d messages of the ball booking have a datagram for themselves", h.alone)
	}
	if n := len(h.tcm); n/10/5 > 70_000 {
		t.Errorf("%d bytes a second of each robot, want at most 70,000", n/10/5)
	}
}

// The TCM changes nothing in the session: its packages are the same with and without it.
func TestTCMLeavesPackagesAsTheyAre(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Link = traffic.Link{Loss: 0.1, Delay: 5 * time.Millisecond}
	_, with := talk(t, cfg, 30*time.Second)
	cfg.NoTCM = true
	_, without := talk(t, cfg, 30*time.Second)
	if len(without.tcm) > 0 || len(with.tcm) == 0 {
		t.Errorf("%d bytes of the TCM without it, %d with it", len(without.tcm), len(with.tcm))
	}
	if !bytes.Equal(with.packages, without.packages) {
		t.Error("the packages differ with and without the TCM")
	}
}

func TestSameSeedSameDatagrams(t *testing.T) {
	run := func(seed uint64) [32]byte {
		cfg := DefaultConfig()
		cfg.Seed = seed
		cfg.Link = traffic.Link{Loss: 0.2, Burst: 3, Delay: 5 * time.Millisecond, Jitter: 20 * time.Millisecond,
			Duplicate: 0.01}
		_, h := talk(t, cfg, 15*time.Second)
		return sha256.Sum256(h.tcm)
	}
	first := run(3)
	if run(3) != first {
		t.Error("the same seed gave different datagrams")
	}
	if run(4) == first {
		t.Error("different seeds gave the same datagrams")
	}
}

// A robot that is switched off or replaced stops sending, and its node is a new one when it is on again.
func TestNodeEndsWithItsRobot(t *testing.T) {
	s, h := talk(t, quiet(), 2*time.Second)
	sent := func(robot string) int {
		clear(h.counts)
		advance(s, time.Second)
		return h.counts["robot:"+robot+" to robots: belief"]
	}
	if n := sent("3"); n < 90 {
		t.Fatalf("robot 3 sent %d beliefs in a second, want about 100", n)
	}
	if err := s.Switch(3, false); err != nil {
		t.Fatal(err)
	}
	if n := sent("3"); n != 0 {
		t.Errorf("robot 3 sent %d beliefs while it was off", n)
	}
	if err := s.Switch(3, true); err != nil {
		t.Fatal(err)
	}
	if n := sent("3"); n < 90 {
		t.Errorf("robot 3 sent %d beliefs after it was on again, want about 100", n)
	}
	if err := s.Substitute(3); err != nil {
		t.Fatal(err)
	}
	if n := sent("6"); n < 90 || h.counts["robot:3 to robots: belief"] > 0 {
		t.Errorf("the substitute sent %d beliefs, the robot that left %d", n, h.counts["robot:3 to robots: belief"])
	}
	boots := map[string]uint32{}
	for _, report := range s.Reports() {
		boots[report.Entity]++
	}
	if len(boots) != 6 || boots["robot:6"] != 1 || boots["robot:3"] != 0 || boots["computer:1"] != 1 {
		t.Errorf("the nodes are %v, want those of the station and of robots 1, 2, 4, 5 and 6", boots)
	}
}
