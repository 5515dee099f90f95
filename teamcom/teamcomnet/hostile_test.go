package teamcomnet_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// partialMessages appends datagrams, each with the last piece of another message of 1,201 bytes from robot 2.
func partialMessages(b []byte, first, n int) []byte {
	for i := first; i < first+n; i++ {
		h := tcm.Header{
			Team: 1, From: robot2, To: computer, Socket: tcm.Bulk, Boot: 1, Sequence: uint64(i + 1), Sent: uint64(i),
		}
		p := tcm.Piece{
			Fragment: true, Module: tcm.GM, Type: ownType, Number: uint32(i), Index: 1, Count: 2, Total: tcm.PieceSize + 1,
			Data: []byte{1},
		}
		b = append(b, tcm.Seal(p.Append(h.Append(nil)), nil)...)
	}
	return b
}

// A sender that begins a million messages and ends none makes a node keep only its bound, and the messages of others
// arrive meanwhile.
func TestMillionPartialMessages(t *testing.T) {
	path := localIni(t, "")
	honest, receiver := open(t, path, robot1, nil), open(t, path, computer, nil)
	arrived := listen(receiver, tcm.Manager, ownType)
	var received atomic.Int64
	directory, err := teamcom.Parse(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	in, _ := directory.Entry(robot2) // from another address nothing is accepted
	hostile, err := transport.OpenSocket(transport.DefaultSocketConfig(teamcom.Port(in.Addr, tcm.Bulk)))
	if err != nil {
		t.Fatal(err)
	}
	defer hostile.Close()
	receiver.Record = func(_ soccer.Time, from, _ netip.AddrPort, _ []byte) {
		if from == hostile.LocalAddr() {
			received.Add(1)
		}
	}
	run(t, honest, receiver)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	const total, burst, flight = 1_000_000, 50, 20_000
	to := teamcom.Port(receiver.Address(), tcm.Bulk)
	buf := make([]byte, 0, transport.MaxBurst)
	honestMessages := 0
	for sent := 0; sent < total; sent += burst {
		buf = partialMessages(buf[:0], sent, burst)
		if err := hostile.WriteBurst(buf, len(buf)/burst, to); err != nil {
			t.Fatal(err)
		}
		if sent%flight == 0 {
			text := fmt.Sprint("honest ", sent)
			send(t, honest, computer, ownType, text)
			if got := receive(t, arrived); got.data != text || got.from.Entity != robot1 {
				t.Fatalf("got %q from %v, want %q", got.data, got.from.Entity, text)
			}
			honestMessages++
			wiretest.Eventually(t, "the flood arrives", func() bool { return received.Load() >= int64(sent-flight) })
		}
	}
	wiretest.Eventually(t, "all partial messages arrive", func() bool { return received.Load() == total })
	r := receiver.Report(receiver.Now())
	if d := r.Dropped; d.Displaced+d.Expired < total-8 || honestMessages != total/flight {
		t.Errorf("%d messages were displaced and %d expired, want all but the newest 8 of %d", d.Displaced, d.Expired, total)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	const bound = 24 << 20 // of buffers for two senders, and those kept for reuse
	if r.BufferBytes > bound || after.HeapAlloc > before.HeapAlloc+bound {
		t.Errorf("%d bytes of buffers, the heap grew from %d to %d bytes, want %d more at most", r.BufferBytes, before.HeapAlloc,
			after.HeapAlloc, bound)
	}
}

// A robot that starts again is received at once, under its new boot id.
func TestTwoBoots(t *testing.T) {
	path := localIni(t, "")
	receiver := open(t, path, robot2, nil)
	arrived := listen(receiver, tcm.GM, ownType)
	run(t, receiver)
	for boot := range 3 {
		t.Run(fmt.Sprint("boot ", boot), func(t *testing.T) {
			e := open(t, path, robot1, func(c *teamcomnet.Config) { c.Node.Boot += uint32(boot) }) // starts are 0.1 s apart
			run(t, e)
			for i := range 5 {
				text := fmt.Sprint(boot, i)
				send(t, e, robot2, ownType, text)
				if got := receive(t, arrived); got.data != text {
					t.Errorf("got %q, want %q", got.data, text)
				}
			}
		})
	}
	r := receiver.Report(receiver.Now())
	if len(r.Links) != 1 || r.Links[0].Restarts != 2 || r.Refused != (teamcom.RefusedReport{}) {
		t.Errorf("got links %+v, refused %+v, want 2 restarts of one link", r.Links, r.Refused)
	}
}

// keyFile writes a key.
func keyFile(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.key")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Only datagrams with the team's key arrive.
func TestKeys(t *testing.T) {
	right, wrong := keyFile(t, "the team's secret 1\n"), keyFile(t, "the team's secret 2\n")
	path := localIni(t, "key = "+right)
	receiver := open(t, path, robot2, nil)
	arrived := listen(receiver, tcm.GM, ownType)
	run(t, receiver)
	unsigned := filepath.Join(t.TempDir(), "TCM.ini")
	d, err := teamcom.Parse(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	d.KeyFile = ""
	if err := os.WriteFile(unsigned, d.Append(nil), 0o644); err != nil {
		t.Fatal(err)
	}
	refused := func() teamcom.RefusedReport { return receiver.Report(receiver.Now()).Refused }
	t.Run("wrong key", func(t *testing.T) {
		e := open(t, path, robot1, func(c *teamcomnet.Config) { c.Key = wrong })
		run(t, e)
		send(t, e, robot2, ownType, "wrong key")
		wiretest.Eventually(t, "a forged datagram", func() bool { return refused().Forged == 1 })
	})
	t.Run("no key", func(t *testing.T) {
		e := open(t, unsigned, robot1, nil)
		run(t, e)
		send(t, e, robot2, ownType, "no key")
		wiretest.Eventually(t, "an unsigned datagram", func() bool { return refused().Unsigned == 1 })
	})
	t.Run("right key", func(t *testing.T) {
		e := open(t, path, robot1, func(c *teamcomnet.Config) { c.Key = right })
		run(t, e)
		send(t, e, robot2, ownType, "right key")
		if got := receive(t, arrived); got.data != "right key" {
			t.Errorf("got %q: a message without the right key arrived", got.data)
		}
	})
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Datagrams that are not of the TCM, cut ones and those of strangers are counted by reason; the endpoint continues.
func TestForeignDatagrams(t *testing.T) {
	path := localIni(t, "")
	a, b := open(t, path, robot1, nil), open(t, path, robot2, nil)
	arrived := listen(b, tcm.GM, ownType)
	s, err := transport.OpenSocket(transport.DefaultSocketConfig(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(t, a, b)
	datagram := func(from tcm.Entity, team uint8) []byte {
		h := tcm.Header{Team: team, From: from, To: robot2, Socket: tcm.Command, Boot: 1, Sequence: 1}
		p := tcm.Piece{Module: tcm.GM, Type: ownType, Data: []byte("never")}
		return tcm.Seal(p.Append(h.Append(nil)), nil)
	}
	whole := datagram(robot1, 1)
	to := teamcom.Port(b.Address(), tcm.Command)
	for _, data := range [][]byte{
		{}, []byte("hello"), make([]byte, 65_000), whole[:len(whole)-1], datagram(robot1, 2), datagram(tcm.Entity{Kind: tcm.Robot, ID: 9}, 1),
	} {
		if err := s.WriteBurst(data, max(len(data), 1), to); err != nil {
			t.Fatal(err)
		}
	}
	var got teamcom.RefusedReport
	wiretest.Eventually(t, "six refused datagrams", func() bool {
		got = b.Report(b.Now()).Refused
		return got.Malformed+got.Foreign+got.Checksum+got.OtherTeam+got.UnknownSender == 6
	})
	if got.Checksum != 1 || got.OtherTeam != 1 || got.UnknownSender != 1 {
		t.Errorf("got %+v", got)
	}
	send(t, a, robot2, ownType, "still here")
	if got := receive(t, arrived); got.data != "still here" {
		t.Errorf("got %q", got.data)
	}
}
