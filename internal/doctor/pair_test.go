package doctor_test

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"touchline/internal/doctor"
	"touchline/soccer"
)

var (
	asker = netip.MustParseAddrPort("172.16.1.2:40000")
	start = soccer.Time(1_700_000_000_000_000_000)
)

// exchange sends a datagram of the client to a server, whose clock is offset, and gives the client the answer.
func exchange(t *testing.T, c *doctor.Client, s *doctor.Server, b []byte, group bool, offset time.Duration) bool {
	t.Helper()
	out, answersGroup := s.Handle(&doctor.Received{Data: b, From: asker, Group: group, TTL: 64, At: start.Add(offset)},
		start.Add(offset))
	if len(out) > len(b) {
		t.Fatalf("an answer of %d bytes to a request of %d", len(out), len(b))
	}
	return out != nil && c.Handle(out, answersGroup, 63, start)
}

// Every stream is counted in both directions, duplicates apart, and the offset of the clock is found.
func TestPair(t *testing.T) {
	c, s := &doctor.Client{Session: 7}, doctor.NewServer(make([]byte, 32))
	if !exchange(t, c, s, c.Hello(nil, start), false, time.Second) || !c.Welcomed() {
		t.Fatal("no cookie")
	}
	for i, stream := range doctor.Streams {
		for range 3 {
			b := c.Probe(nil, i, start)
			if len(b) != stream.Size {
				t.Fatalf("a datagram of %d bytes, want %d", len(b), stream.Size)
			}
			group := stream.Kind == doctor.MulticastTo
			if exchange(t, c, s, b, !group, time.Second) {
				t.Errorf("stream %d was answered on the wrong way", i)
			}
			if !exchange(t, c, s, b, group, time.Second) || exchange(t, c, s, b, group, time.Second) {
				t.Errorf("stream %d: want one answer", i)
			}
		}
	}
	if !exchange(t, c, s, c.Ask(nil, start), false, time.Second) || !c.Counted() {
		t.Fatal("no counts")
	}
	var p doctor.Peer
	c.Result(&p, start)
	if !p.Answered || p.Offset != time.Second || len(p.Streams) != len(doctor.Streams) {
		t.Errorf("%+v", p)
	}
	for _, r := range p.Streams {
		if r.Sent != 3 || r.PeerGot != 3 || r.PeerTwice != 3 || r.Got != 3 || r.Twice != 0 || r.TTL != 63 || r.PeerTTL != 64 {
			t.Errorf("%+v", r)
		}
	}
}

// Strangers get nothing: no answer without a cookie, none longer than its request, no more sessions and answers than
// allowed.
func TestServerIsBounded(t *testing.T) {
	c, s := &doctor.Client{Session: 7}, doctor.NewServer(make([]byte, 32))
	if exchange(t, c, s, c.Probe(nil, 0, start), false, 0) || exchange(t, c, s, c.Ask(nil, start), false, 0) {
		t.Error("an answer without a cookie")
	}
	if exchange(t, c, s, c.Hello(nil, start)[:doctor.AskSize-1], false, 0) || exchange(t, c, s, c.Hello(nil, start), true,
		0) {
		t.Error("an answer to a short request, or to one that came to the group")
	}
	served := 0
	for i := range 20 {
		c := &doctor.Client{Session: uint64(i)}
		exchange(t, c, s, c.Hello(nil, start), false, 0)
		if exchange(t, c, s, c.Probe(nil, 0, start), false, 0) {
			served++
		}
	}
	if served != 8 {
		t.Errorf("%d sessions, want 8", served)
	}
	answers := 0
	for range 3000 {
		if exchange(t, c, s, c.Hello(nil, start), false, 0) {
			answers++
		}
	}
	if answers > 2000 || answers < 1000 {
		t.Errorf("%d answers in a second, want at most 2000", answers)
	}
}

func FuzzPair(f *testing.F) {
	c := &doctor.Client{Session: 7}
	f.Add(c.Hello(nil, start), false)
	f.Add(c.Probe(nil, 4, start), true)
	f.Fuzz(func(t *testing.T, b []byte, group bool) {
		before := bytes.Clone(b)
		s := doctor.NewServer(make([]byte, 32))
		out, _ := s.Handle(&doctor.Received{Data: b, From: asker, Group: group, At: start}, start)
		if len(out) > len(b) || !bytes.Equal(b, before) {
			t.Fatalf("an answer of %d bytes to %d", len(out), len(b))
		}
		client := &doctor.Client{Session: 7}
		client.Probe(nil, 0, start)
		client.Handle(b, group, 1, start)
		client.Result(&doctor.Peer{}, start)
	})
}
