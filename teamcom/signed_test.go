package teamcom_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

var secret = []byte("a secret of this team only")

func signed(cfg *teamcom.Config) { cfg.Secret = secret }

// attacker sends datagrams without knowing the key: it records, alters and forges.
type attacker struct {
	rng      *rand.Rand
	recorded [][]byte // authentic datagrams, oldest first
	buf      []byte
	wrong    *tcm.Key
}

func newAttacker(t testing.TB) *attacker {
	wrong, err := tcm.NewKey([]byte("a secret of another team"))
	if err != nil {
		t.Fatal(err)
	}
	return &attacker{rng: rand.New(rand.NewPCG(1, 2)), wrong: wrong}
}

func (a *attacker) record(p *soccer.Packet) {
	if len(a.recorded) == 4096 {
		a.recorded = a.recorded[1:]
	}
	a.recorded = append(a.recorded, slices.Clone(p.Data))
}

// attack returns one hostile datagram, in memory that the next call reuses.
func (a *attacker) attack() []byte {
	a.buf = append(a.buf[:0], a.recorded[a.rng.IntN(len(a.recorded))]...)
	end := len(a.buf) - tcm.SumSize
	at := a.rng.IntN(end)
	switch a.rng.IntN(8) {
	case 0: // replayed as it was
		return a.buf
	case 1: // one bit altered, with a checksum that is right again
		a.buf[at] ^= 1 << a.rng.IntN(8)
	case 2: // a higher sequence, so that it is new
		binary.LittleEndian.PutUint64(a.buf[16:], binary.LittleEndian.Uint64(a.buf[16:])+1+a.rng.Uint64N(5000))
	case 3: // a later boot
		binary.LittleEndian.PutUint32(a.buf[12:], 2+a.rng.Uint32N(1000))
	case 4: // unsigned
		a.buf = tcm.Seal(a.buf[:end-tcm.TagSize], nil)
		return a.buf
	case 5: // signed with another key
		a.buf = tcm.Seal(a.buf[:end-tcm.TagSize], a.wrong)
		return a.buf
	case 6: // a random tag
		for i := range tcm.TagSize {
			a.buf[end-tcm.TagSize+i] = byte(a.rng.Uint32())
		}
	case 7: // a byte short, with a checksum that is right again
		end--
	}
	a.buf = binary.LittleEndian.AppendUint32(a.buf[:end], tcm.Sum(a.buf[:end]))
	return a.buf
}

// While signing is on, none of a million forged, replayed or altered datagrams is delivered, and each authentic one is,
// once.
func TestSignedUnderAttack(t *testing.T) {
	l := listen(t, signed)
	key, err := tcm.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	mate, a := newForger(robot(2), robot(1), tcm.Bulk), newAttacker(t)
	mate.key, mate.header.Signed = key, true
	sent := 0
	for i := range 1_000_000 {
		if i%100 == 0 {
			p := mate.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: tcm.File, Number: uint32(sent), Data: []byte("file")})
			a.record(p)
			l.receive(p)
			sent++
			l.now = l.now.Add(10 * time.Millisecond)
		}
		l.receive(&soccer.Packet{Time: l.now, Data: a.attack()})
	}
	if l.whole != sent || l.part != 0 {
		t.Errorf("%d messages were delivered, want the %d authentic ones", l.whole+l.part, sent)
	}
	r := l.Report(l.now).Refused
	refused := r.Foreign + r.Malformed + r.Checksum + r.Unsigned + r.Forged + r.Duplicate + r.Replayed
	if refused != 1_000_000 || r.Forged == 0 || r.Unsigned == 0 || r.Duplicate == 0 || r.Replayed == 0 {
		t.Errorf("%d datagrams were refused, want all of them, for all reasons: %+v", refused, r)
	}
}

// While signing is on, a restarted robot is accepted at once, and nothing of its earlier boot is accepted again, not
// even after the node gave up its place.
func TestSignedRestart(t *testing.T) {
	l := listen(t, func(cfg *teamcom.Config) { signed(cfg); cfg.Senders = 1 })
	key, err := tcm.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	mate, other := newForger(robot(2), robot(1), tcm.Bulk), newForger(robot(3), robot(1), tcm.Bulk)
	mate.key, other.key = key, key
	small := tcm.Piece{Module: tcm.PAM, Type: tcm.File, Data: []byte("file")}
	var recorded [][]byte
	send := func(f *forger) {
		small.Number++
		p := f.datagram(l.now, small)
		recorded = append(recorded, slices.Clone(p.Data))
		l.receive(p)
	}
	send(mate)
	mate.header.Boot, mate.header.Sequence, small.Number = 2, 0, 0
	send(mate)
	if l.whole != 2 {
		t.Fatalf("got %d messages, want one before and one after the restart", l.whole)
	}
	l.pass(time.Minute)
	send(other)
	l.pass(time.Minute)
	for _, data := range recorded {
		l.receive(&soccer.Packet{Time: l.now, Data: data})
	}
	if l.whole != 3 {
		t.Errorf("%d messages were delivered, want the 3 that were sent", l.whole)
	}
}

// A node without a key accepts signed datagrams, and one with a key neither unsigned nor wrongly signed ones.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		sender []byte
		node   []byte
		want   bool
	}{
		{"no key", nil, nil, true}, {"the same key", secret, secret, true}, {"only the sender", secret, nil, true},
		{"only the node", nil, secret, false}, {"another key", []byte("a secret of another team"), secret, false},
	} {
		l := listen(t, func(cfg *teamcom.Config) { cfg.Secret = c.node })
		w := newNetwork(t, traffic.Link{}, 1)
		n := w.add(robot(2), func(cfg *teamcom.Config) { cfg.Secret = c.sender })
		if err := n.Module(tcm.PAM).Client().SendBytes(l.now, robot(1), tcm.File, []byte("file")); err != nil {
			t.Fatal(err)
		}
		out, _ := n.Next(l.now, nil)
		l.receive(&soccer.Packet{Time: l.now, Data: out.Data})
		if got := l.whole == 1; got != c.want {
			t.Errorf("%s: delivered: %t, want %t", c.name, got, c.want)
		}
	}
	cfg := teamcom.DefaultConfig(robot(1))
	cfg.Secret = []byte("short")
	if _, err := teamcom.New(cfg); err == nil {
		t.Error("a key of 5 bytes was accepted")
	}
}
