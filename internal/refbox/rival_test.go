package refbox_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// send lets a base station send a worldstate every 50 ms.
func (r *rig) send(now soccer.Time, c refbox.ConnID, d time.Duration) soccer.Time {
	for end := now.Add(d); now < end; now = r.tick(now, 50*time.Millisecond) {
		r.do(r.box.Receive(now, c, []byte(minimal)))
	}
	return now
}

const twoAddresses = "CAMBADA connects from two addresses: 172.16.39.5 and 172.16.39.7"

// While the base station of a team sends, one at another address waits for the referee, and the pages and the log name
// both. It gets the side as soon as the first one is gone or silent.
func TestSecondAddress(t *testing.T) {
	for name, end := range map[string]func(r *rig, now soccer.Time) soccer.Time{
		"accepted": func(r *rig, now soccer.Time) soccer.Time {
			if w := r.box.Referee(now).Waiting; len(w) != 1 || w[0].Other != "172.16.39.5" || w[0].Name != "CAMBADA" ||
				len(w[0].Sides) != 1 {
				t.Fatalf("waiting: %+v", w)
			}
			r.do2(r.box.Admit(now, 3, game.Home))
			return now
		},
		"the first one is gone": func(r *rig, now soccer.Time) soccer.Time {
			r.do(r.box.Disconnect(now, 1))
			return now
		},
		"the first one is silent": func(r *rig, now soccer.Time) soccer.Time {
			return r.tick(now, 1100*time.Millisecond)
		},
	} {
		r, now := playing(t, refbox.DefaultConfig())
		now = r.send(now, 1, time.Second)
		r.do(r.box.Connect(now, 3, netip.MustParseAddrPort("172.16.39.7:1000")))
		now = r.send(now, 1, 3*time.Second)
		r.want(nil)
		if v := r.box.Show(now); len(v.Trouble) != 1 || !strings.Contains(v.Trouble[0], twoAddresses) {
			t.Errorf("%s: trouble %q", name, v.Trouble)
		}
		if v := r.box.Teams(now, false).Teams[0]; !strings.Contains(v.Trouble, twoAddresses) {
			t.Errorf("%s: %+v", name, v)
		}
		if v := r.box.Referee(now).Home; v.Level != "poor" || !strings.Contains(v.Text, twoAddresses) {
			t.Errorf("%s: %+v", name, v)
		}
		lines := ""
		for _, m := range r.logged(game.LinesChannel) {
			lines += string(m.Data) + "\n"
		}
		if strings.Count(lines, twoAddresses) != 1 {
			t.Errorf("%s: the log has\n%s", name, lines)
		}
		now = end(r, now)
		r.want(map[refbox.ConnID]string{3: wire("WELCOME 224.16.32.39")})
		now = r.send(now, 3, 11*time.Second)
		if v := r.box.Show(now); len(v.Trouble) != 0 || len(r.box.Referee(now).Waiting) != 0 {
			t.Errorf("%s: afterwards %q, %+v", name, v.Trouble, r.box.Referee(now).Waiting)
		}
	}
}

// A third address neither fills the log nor hides the second one.
func TestThreeAddresses(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for i := range 100 {
		r.do(r.box.Receive(now, 1, []byte(minimal)))
		for j, addr := range []string{"172.16.39.7", "172.16.39.8"} {
			c := refbox.ConnID(10 + 2*i + j)
			r.do(r.box.Connect(now, c, netip.AddrPortFrom(netip.MustParseAddr(addr), uint16(c))))
			if i > 0 {
				r.do(r.box.Disconnect(now, c-2))
			}
		}
		now = r.tick(now, 200*time.Millisecond)
	}
	n := 0
	for _, m := range r.logged(game.LinesChannel) {
		n += strings.Count(string(m.Data), "two addresses")
	}
	if v := r.box.Show(now); n > 3 || len(v.Trouble) != 1 || !strings.Contains(v.Trouble[0], twoAddresses) {
		t.Errorf("%d lines in 20 s, trouble %q", n, v.Trouble)
	}
}

// Two base stations that connect whenever they are closed no longer replace each other.
func TestNoPingPong(t *testing.T) {
	for name, c := range map[string]struct{ first, second, text string }{
		"two addresses": {"172.16.39.5", "172.16.39.7", "two addresses"},
		"one address":   {"172.16.39.5", "172.16.39.5", "two programs at 172.16.39.5 connect as CAMBADA"},
	} {
		cfg := refbox.DefaultConfig()
		cfg.HomeID, cfg.AwayID = 39, 63
		r := newRig(t, cfg, epoch)
		now, next := epoch, refbox.ConnID(0)
		from := [2]string{c.first, c.second}
		var conns [2]refbox.ConnID
		for range 400 { // 20 s
			for i := range conns {
				if conns[i] != 0 && r.closed[conns[i]] != "" {
					r.do(r.box.Disconnect(now, conns[i]))
					conns[i] = 0
				}
				if conns[i] == 0 {
					next++
					conns[i] = next
					r.do(r.box.Connect(now, next, netip.AddrPortFrom(netip.MustParseAddr(from[i]), uint16(next))))
				}
				r.do(r.box.Receive(now, conns[i], []byte(minimal)))
			}
			now = r.tick(now, 50*time.Millisecond)
		}
		if next > 4 {
			t.Errorf("%s: %d connections in 20 s", name, next)
		}
		if v := r.box.Show(now); len(v.Trouble) != 1 || !strings.Contains(v.Trouble[0], c.text) {
			t.Errorf("%s: trouble %q", name, v.Trouble)
		}
	}
}

// A client that restarts at the same address gets its side back at once, also if its old connection is half open.
func TestRestartAtTheSameAddress(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	now = r.send(now, 1, time.Second)
	r.do(r.box.Connect(now, 3, netip.MustParseAddrPort("172.16.39.5:1001")))
	r.want(map[refbox.ConnID]string{3: wire("WELCOME 224.16.32.39")})
	if v := r.box.Show(now); len(v.Trouble) != 0 {
		t.Errorf("trouble %q", v.Trouble)
	}
}

// A base station that the referee refused is closed for 10 s without another question.
func TestRefusedStationAsksOnce(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	connect := func(c refbox.ConnID) int {
		r.do(r.box.Connect(now, c, netip.AddrPortFrom(netip.MustParseAddr("172.16.39.7"), uint16(c))))
		if r.closed[c] != "" {
			r.do(r.box.Disconnect(now, c))
		}
		return len(r.box.Referee(now).Waiting)
	}
	now = r.send(now, 1, time.Second)
	if connect(3) != 1 {
		t.Fatal("the second base station does not wait")
	}
	r.do2(r.box.Refuse(now, 3))
	for c := refbox.ConnID(4); c < 9; c++ {
		now = r.send(now, 1, time.Second)
		if n := connect(c); n != 0 {
			t.Errorf("%d wait after the referee refused the address", n)
		}
	}
	now = r.send(now, 1, 10*time.Second)
	if connect(9) != 1 {
		t.Error("the refusal holds for ever")
	}
}

// A team of the table takes the place of an unknown connection when the queue is full, and no unknown one does.
func TestTeamTakesThePlaceOfAStranger(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.MaxWaiting = 3
	r := newRig(t, cfg, epoch)
	for i, addr := range []string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1", "10.0.0.4:1", "172.16.39.1:1", "172.16.63.1:1",
		"172.16.67.1:1", "172.16.67.2:1", "10.0.0.5:1"} {
		r.do(r.box.Connect(epoch, refbox.ConnID(i+1), netip.MustParseAddrPort(addr)))
	}
	var names []string
	for _, w := range r.box.Referee(epoch).Waiting {
		names = append(names, w.Name)
	}
	if got := strings.Join(names, ", "); got != "CAMBADA, Tech United Eindhoven, Water" {
		t.Errorf("waiting: %s, closed: %v", got, r.closed)
	}
	if !strings.Contains(r.closed[3], "CAMBADA takes its place") || r.closed[4] != "3 connections are waiting already" {
		t.Errorf("closed: %v", r.closed)
	}
}
