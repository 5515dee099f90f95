package teamcomnet_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// verdictTypes are the types of the messages in TestPeerVerdicts: with and without latest-wins and parity. The last one
// ends the output.
var verdictTypes = []tcm.Type{tcm.Belief, tcm.Referee, tcm.Image, tcm.File, ownType, ownType + 1}

const lastType = ownType + 2

// The second implementation and a node deliver the same messages of a bad network with restarts, replays, contradictory
// pieces and altered bytes.
func TestPeerVerdicts(t *testing.T) {
	for _, secret := range []string{"", "0123456789abcdef"} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("key %q seed %d", secret, seed), func(t *testing.T) {
				compareVerdicts(t, secret, seed)
			})
		}
	}
}

func compareVerdicts(t *testing.T, secret string, seed uint64) {
	path := localIni(t, "")
	if secret != "" {
		path = signedIni(t)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := teamcom.DefaultConfig(robot2)
	if cfg.Directory, err = teamcom.Parse(text); err != nil {
		t.Fatal(err)
	}
	cfg.Beacon = 0
	if secret != "" {
		cfg.Secret = []byte(secret)
	}
	node, err := teamcom.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	module := node.Module(tcm.GM)
	for _, typ := range append(slices.Clone(verdictTypes), lastType) {
		teamcom.HandleBytes(module, typ, func(from teamcom.From, b []byte) {
			if len(from.Missing) == 0 { // the program delivers whole messages only
				want = append(want, fmt.Sprintf("%v %v %v %d %d %x", from.Entity, from.To, uint8(from.Module), from.Type,
					from.Number, tcm.Sum(b)))
			}
		})
	}
	p := startPeer(t, path)
	n := newNetwork(seed, secret)
	for i := range 3000 {
		now, socket, datagram := n.next()
		if i == 2999 {
			now, socket, datagram = n.last()
		}
		var out []byte
		for ok := true; ok; { // expired messages
			_, ok = node.Next(now, out)
		}
		node.Receive(&soccer.Packet{Time: now, Data: datagram}, socket)
		module.Run(func() soccer.Time { return now }, 100)
		p.command(map[string]any{"arrived": hex.EncodeToString(datagram), "socket": socket, "at": now})
	}
	p.await("the program receives the last message", func(l peerLine) bool { return l.Type == lastType })
	var got []string
	for _, l := range p.find(func(l peerLine) bool { return l.Source != "" }) {
		if slices.Contains(verdictTypes, l.Type) || l.Type == lastType {
			got = append(got, fmt.Sprintf("%v %v %v %d %d %x", l.Source, l.To, uint8(l.Module), l.Type, l.Number,
				tcm.Sum([]byte(l.payload()))))
		}
	}
	t.Logf("%d messages", len(want))
	if len(want) < 100 {
		t.Errorf("got %d messages, want 100 at least", len(want))
	}
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("message %d: the program delivered %s, the node %s", i, at(got, i), at(want, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// network makes the datagrams of two sources that a bad network delivers to robot 2.
type network struct {
	rand    *rand.Rand
	key     *tcm.Key
	now     soccer.Time
	sources []*badSource
	waiting []sentDatagram // they arrive later
	past    []sentDatagram // they may arrive again
}

type sentDatagram struct {
	socket tcm.Socket
	data   []byte
}

// badSource is a source whose boots, sequences and numbers jump.
type badSource struct {
	entity    tcm.Entity
	boot      uint32
	older     uint32 // how much older the next datagrams are
	sequences map[tcm.Entity]uint64
	numbers   map[tcm.Type]uint32
}

func newNetwork(seed uint64, secret string) *network {
	n := &network{rand: rand.New(rand.NewPCG(seed, 11)), now: 1_000_000_000e9} // long ago: the program sends no beacons
	if secret != "" {
		n.key, _ = tcm.NewKey([]byte(secret))
	}
	for _, e := range []tcm.Entity{robot1, computer} {
		n.sources = append(n.sources, &badSource{
			entity: e, boot: 100, sequences: map[tcm.Entity]uint64{}, numbers: map[tcm.Type]uint32{},
		})
	}
	return n
}

// chance is true with a probability of one in k.
func (n *network) chance(k int) bool { return n.rand.IntN(k) == 0 }

// next returns the next datagram that arrives.
func (n *network) next() (soccer.Time, tcm.Socket, []byte) {
	n.now += soccer.Time(n.rand.Int64N(int64(5 * time.Millisecond)))
	switch {
	case n.chance(300):
		n.now += soccer.Time(1100 * time.Millisecond)
	case n.chance(50):
		n.now += soccer.Time(510 * time.Millisecond)
	}
	for len(n.waiting) == 0 {
		n.send(n.sources[n.rand.IntN(len(n.sources))])
		if n.chance(20) { // many messages arrive mixed
			s := n.sources[n.rand.IntN(len(n.sources))]
			for range 16 {
				n.send(s)
			}
			n.rand.Shuffle(len(n.waiting), func(i, k int) { n.waiting[i], n.waiting[k] = n.waiting[k], n.waiting[i] })
		}
	}
	i := 0
	if n.chance(4) {
		i = n.rand.IntN(len(n.waiting))
	}
	d := n.waiting[i]
	n.waiting = slices.Delete(n.waiting, i, i+1)
	if n.chance(10) && len(n.past) > 0 {
		d = n.past[n.rand.IntN(len(n.past))]
	}
	n.past = append(n.past, d)
	if n.chance(20) {
		d.data = n.alter(d.data)
	}
	return n.now, d.socket, d.data
}

// alter changes a byte before the payload. The checksum is right, and perhaps the signature.
func (n *network) alter(b []byte) []byte {
	b = bytes.Clone(b)
	b[n.rand.IntN(min(len(b), 80))] ^= 1 << n.rand.IntN(8)
	if n.chance(3) {
		return b
	}
	if n.key != nil && n.chance(2) {
		return tcm.Seal(b[:len(b)-20], n.key)
	}
	return binary.LittleEndian.AppendUint32(b[:len(b)-4], tcm.Sum(b[:len(b)-4]))
}

// send makes the datagrams of a message, some of which are lost.
func (n *network) send(s *badSource) {
	to := robot2
	if n.chance(3) {
		to = robots
	}
	switch {
	case n.chance(40):
		s.boot++
	case n.chance(60):
		s.older = 1
	case s.older > 0 && n.chance(3):
		s.older = 0
	case n.chance(60):
		clear(s.sequences)
	case n.chance(60):
		s.sequences[to] += []uint64{1000, 1023, 1024, 1025, 1 << 32, 1<<32 + 1}[n.rand.IntN(6)]
	}
	typ := verdictTypes[n.rand.IntN(len(verdictTypes))]
	number := s.numbers[typ] - 30 // wraps around
	s.numbers[typ]++
	if n.chance(20) {
		s.numbers[typ] += []uint32{62, 63, 64, 65}[n.rand.IntN(4)]
	}
	if n.chance(20) {
		number -= []uint32{1, 62, 63, 64, 65, 1 << 31}[n.rand.IntN(6)]
	}
	message := make([]byte, []int{0, 20, 1200, 1201, 3600, 9000}[n.rand.IntN(6)])
	for i := range message {
		message[i] = byte(n.rand.Uint32())
	}
	p := tcm.Piece{Module: tcm.GM, Type: typ, Number: number, Captured: uint64(n.now)}
	if len(message) <= 1200 {
		p.Data = message
		n.depart(s, to, p)
		return
	}
	p.Fragment, p.Total, p.Sum = true, uint32(len(message)), tcm.Sum(message)
	p.Count, p.Every = uint16((len(message)+1199)/1200), uint8(n.rand.IntN(4))
	if n.chance(20) {
		p.Sum++
	}
	parity := make([][1200]byte, p.Groups())
	for i := range int(p.Count) {
		piece := p
		piece.Index, piece.Data = uint16(i), message[1200*i:min(1200*(i+1), len(message))]
		if len(parity) > 0 {
			for k, c := range piece.Data {
				parity[i%len(parity)][k] ^= c
			}
		}
		if n.chance(50) {
			piece.Captured++
		}
		n.depart(s, to, piece)
	}
	for g := range parity {
		piece := p
		piece.Parity, piece.Index, piece.Data = true, uint16(g), parity[g][:]
		n.depart(s, to, piece)
	}
}

// depart makes a datagram of a piece, and perhaps of a second one, or loses it.
func (n *network) depart(s *badSource, to tcm.Entity, piece tcm.Piece) {
	s.sequences[to] = max(s.sequences[to], 3000) + 1
	h := tcm.Header{
		Team: 1, From: s.entity, To: to, Socket: tcm.Bulk, Boot: s.boot - s.older, Sequence: s.sequences[to], Sent: n.rand.Uint64(),
	}
	if n.chance(20) { // at the edge of the window
		h.Sequence -= 1021 + n.rand.Uint64N(6)
	}
	b := piece.Append(h.Append(nil))
	if len(piece.Data) < 100 && n.chance(2) {
		piece.Number++
		b = piece.Append(b)
	}
	d := sentDatagram{h.Socket, tcm.Seal(b, n.key)}
	if n.chance(100) {
		d.socket = tcm.Robots
	}
	if !n.chance(10) {
		n.waiting = append(n.waiting, d)
	}
}

// last returns a datagram that every receiver accepts.
func (n *network) last() (soccer.Time, tcm.Socket, []byte) {
	h := tcm.Header{Team: 1, From: robot1, To: robot2, Socket: tcm.Command, Boot: math.MaxUint32, Sequence: 1, Sent: 1}
	p := tcm.Piece{Module: tcm.GM, Type: lastType}
	return n.now, h.Socket, tcm.Seal(p.Append(h.Append(nil)), n.key)
}
