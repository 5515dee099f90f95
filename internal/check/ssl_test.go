package check_test

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/ssl"
	"touchline/wire/wiretest"
)

// Packets to the groups of the Small Size League are its messages, and those to the groups of FIRASim are not.
func TestSSL(t *testing.T) {
	var c check.Checker
	n, wrong := uint64(0), uint64(0)
	for file, to := range map[string]string{"ssl-tracker.txt": ssl.TrackerGroup, "ssl-referee.txt": ssl.RefereeGroup,
		"ssl-vision.txt": ssl.VisionSimGroup, "ssl-robot-control.txt": "127.0.0.1:10301"} {
		for _, v := range wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", file)) {
			p := soccer.Packet{Channel: to, Data: v.Data}
			c.Add(&p)
			at := netip.MustParseAddrPort(to)
			if !c.Recognises(at, v.Data) {
				t.Errorf("%s, %s is not recognised", file, v.Name)
			}
			n++
			if kind, _ := ssl.KindOf(at, v.Data); strings.Contains(strings.Join(wiretest.Issues(ssl.Check(kind, v.Data)), " "), "issue") {
				wrong++
			}
		}
	}
	c.Close()
	r := c.Report()
	if r.SSL != n || r.Wrong != wrong || r.FIRASim != 0 || !strings.Contains(r.Checked(), "SSL packets") {
		t.Errorf("%d packets, %d wrong: got %+v, %q", n, wrong, r, r.Checked())
	}
	for _, s := range r.Senders {
		if !strings.HasPrefix(s.Message, "SSL ") {
			t.Errorf("a sender of %q", s.Message)
		}
	}
}

// Without a destination, as in hex, packets of tracker and referee are told from those of FIRASim.
func TestSSLWithoutDestination(t *testing.T) {
	for _, file := range []string{"ssl-tracker.txt", "ssl-referee.txt"} {
		var c check.Checker
		n := uint64(0)
		for _, v := range wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", file)) {
			c.Add(&soccer.Packet{Data: v.Data})
			n++
		}
		if r := c.Report(); r.SSL != n || r.Packets != n {
			t.Errorf("%s: %d of %d packets are the league's", file, r.SSL, r.Packets)
		}
	}
}
