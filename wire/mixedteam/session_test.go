package mixedteam_test

import (
	"context"
	"log/slog"
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/transport"
	. "touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// TestSessionOnTheWire runs the practical session on real sockets and decodes its packages with the independent
// decoder.
func TestSessionOnTheWire(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		size    int
		read    func([]byte) map[string]int
	}{
		{V1, 96, decodeV1}, {V2, 169, decodeV2}, {V2Padded, 188, decodePadded},
	} {
		t.Run(c.variant.String(), func(t *testing.T) {
			t.Parallel()
			const trailer = 7
			group := netip.MustParseAddrPort("224.16.32.75:" + wiretest.FreePort(t, "udp"))
			packets := record(t, c.variant, trailer, group)
			robots := map[int]bool{}
			for from, sent := range packets {
				last := math.MinInt
				for _, b := range sent {
					if len(b) != c.size+trailer {
						t.Fatalf("got %d bytes, want %d and a trailer of %d", len(b), c.size, trailer)
					}
					f := c.read(b)
					robots[f["robot"]] = true
					plausible(t, f)
					if c.variant == V1 {
						continue
					}
					if last != math.MinInt && (f["timestamp"]-last < 33 || f["timestamp"]-last > 100) {
						t.Errorf("%v: %d ms between two packets, want 33 to 100 (10 to 30 Hz)", from, f["timestamp"]-last)
					}
					last = f["timestamp"]
				}
			}
			for n := range 5 {
				if !robots[n+1] {
					t.Errorf("no packet of robot %d", n+1)
				}
			}
		})
	}
}

// plausible fails the test if a field cannot be one of the session.
func plausible(t *testing.T, f map[string]int) {
	t.Helper()
	const unused = -32768
	version, hasVersion := f["version"]
	if f["flag"] != 123 ||
		hasVersion && (version != 2 && version != 1 || f["color"] != 0 || f["team"] < 39 || f["team"] > 74) {
		t.Fatalf("got header %v", f)
	}
	// In the MSL frame x runs across the field of 12 m and y along its 18 m; false balls lie within a camera's range.
	if abs(f["self.x"]) > 6500 || abs(f["self.y"]) > 9500 || f["self.c"] == 0 {
		t.Fatalf("self-loc (%d, %d) mm with confidence %d", f["self.x"], f["self.y"], f["self.c"])
	}
	if hasVersion && (f["self.theta"] < 0 || f["self.theta"] > 6283) {
		t.Fatalf("theta is %d mrad, want 0 to 6283", f["self.theta"])
	}
	for _, ball := range []string{"ball0", "ball1", "ball2"} {
		x, y, c := f[ball+".x"], f[ball+".y"], f[ball+".c"]
		if (x == unused) != (c == 0) || (x == unused) != (y == unused) {
			t.Fatalf("%s: (%d, %d) with confidence %d", ball, x, y, c)
		}
		if x != unused && (abs(x) > 17500 || abs(y) > 20500) {
			t.Fatalf("%s at (%d, %d) mm", ball, x, y)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// record runs a session until five senders have sent 20 datagrams each, and returns all datagrams by sender.
func record(t *testing.T, variant Variant, trailer int, group netip.AddrPort) map[netip.AddrPort][][]byte {
	t.Helper()
	network := transport.DefaultConfig(group)
	r, err := transport.Listen(network)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg := match.DefaultConfig()
	cfg.Variant, cfg.Trailer, cfg.NoTCM = variant, trailer, true
	s, err := matchnet.New(matchnet.Config{Match: cfg, Network: network}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Open(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- s.Run(ctx)
		r.Close()
	}()
	packets := map[netip.AddrPort][][]byte{}
	buf := make([]byte, transport.MaxDatagram)
	for complete := 0; complete < 5; {
		p, err := r.ReadPacket(buf)
		if err != nil {
			t.Fatalf("%d of 5 senders are complete: %v", complete, err)
		}
		if packets[p.From] = append(packets[p.From], append([]byte(nil), p.Data...)); len(packets[p.From]) == 20 {
			complete++
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return packets
}
