package teamcom_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// forger sends datagrams that no node of ours would send.
type forger struct {
	header tcm.Header
	buf    []byte
	key    *tcm.Key
}

func newForger(from, to tcm.Entity, socket tcm.Socket) *forger {
	return &forger{header: tcm.Header{Team: 1, From: from, To: to, Socket: socket, Boot: 1}}
}

// datagram returns the next datagram with pieces, in memory that the next call reuses.
func (f *forger) datagram(now soccer.Time, pieces ...tcm.Piece) *soccer.Packet {
	f.header.Sequence++
	f.header.Sent = uint64(now)
	f.buf = f.header.Append(f.buf[:0])
	for i := range pieces {
		f.buf = pieces[i].Append(f.buf)
	}
	f.buf = tcm.Seal(f.buf, f.key)
	return &soccer.Packet{Time: now, Data: f.buf}
}

// fragments returns the pieces of a message, each with its own data.
func fragments(number uint32, whole []byte) []tcm.Piece {
	count := (len(whole) + tcm.PieceSize - 1) / tcm.PieceSize
	var list []tcm.Piece
	for i := range count {
		list = append(list, tcm.Piece{
			Fragment: true, Module: tcm.PAM, Type: tcm.File, Number: number, Index: uint16(i), Count: uint16(count),
			Total: uint32(len(whole)), Sum: tcm.Sum(whole),
			Data: whole[i*tcm.PieceSize : min((i+1)*tcm.PieceSize, len(whole))],
		})
	}
	return list
}

// listener is a node with one module that counts the files it receives.
type listener struct {
	*teamcom.Node
	module      *teamcom.Module
	whole, part int
	missing     []teamcom.Range // of the newest partial file
	now         soccer.Time
}

func listen(t testing.TB, change func(*teamcom.Config)) *listener {
	w := newNetwork(t, traffic.Link{}, 1)
	l := &listener{Node: w.add(robot(1), change), now: soccer.Epoch}
	l.module = l.Module(tcm.Manager)
	teamcom.HandleBytes(l.module, tcm.File, func(from teamcom.From, b []byte) {
		if len(from.Missing) > 0 {
			l.part++
			l.missing = append(l.missing[:0], from.Missing...)
			return
		}
		l.whole++
	})
	return l
}

// receive gives the node a datagram and runs its handlers.
func (l *listener) receive(p *soccer.Packet) {
	l.Receive(p, tcm.Bulk)
	l.module.Run(func() soccer.Time { return l.now }, 100)
}

// pass lets time pass.
func (l *listener) pass(d time.Duration) {
	l.now = l.now.Add(d)
	l.Next(l.now, nil)
	l.module.Run(func() soccer.Time { return l.now }, 100)
}

// Pieces that contradict the ones before them, and pieces that arrive twice, do not harm their message.
func TestContradictingPieces(t *testing.T) {
	l := listen(t, nil)
	f := newForger(robot(2), robot(1), tcm.Bulk)
	pieces := fragments(7, content(3000, 1))
	contradict := func(change func(*tcm.Piece)) {
		p := pieces[1]
		change(&p)
		l.receive(f.datagram(l.now, p))
	}
	l.receive(f.datagram(l.now, pieces[0]))
	l.receive(f.datagram(l.now, pieces[0]))
	contradict(func(p *tcm.Piece) { p.Total++ })
	contradict(func(p *tcm.Piece) { p.Sum++ })
	contradict(func(p *tcm.Piece) { p.Captured++ })
	contradict(func(p *tcm.Piece) { p.Every = 2 })
	contradict(func(p *tcm.Piece) { p.Count, p.Total = 4, 4000 })
	contradict(func(p *tcm.Piece) { p.Count, p.Total = 65535, 65535*1200 })
	l.receive(f.datagram(l.now, pieces[1]))
	l.receive(f.datagram(l.now, pieces[2]))
	l.receive(f.datagram(l.now, pieces[1]))
	got := l.Report(l.now).Dropped
	want := teamcom.DroppedReport{Inconsistent: 6, DuplicatePieces: 1, Duplicates: 1}
	if l.whole != 1 || got != want {
		t.Errorf("%d messages arrived, want 1; got drops %+v, want %+v", l.whole, got, want)
	}
}

// A message that is longer than 4 MiB, one with a wrong checksum, one of an unknown type and one of type 0 are dropped
// and counted, once each.
func TestUnacceptableMessages(t *testing.T) {
	l := listen(t, nil)
	f := newForger(robot(2), robot(1), tcm.Bulk)
	data := make([]byte, tcm.PieceSize)
	huge := tcm.Piece{
		Fragment: true, Module: tcm.PAM, Type: tcm.File, Number: 1, Count: 65535, Total: 65535 * tcm.PieceSize, Data: data,
	}
	for range 3 {
		l.receive(f.datagram(l.now, huge))
	}
	corrupt := fragments(2, content(2000, 1))
	for i := range corrupt {
		corrupt[i].Sum++
		l.receive(f.datagram(l.now, corrupt[i]))
	}
	l.receive(f.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: 999, Data: data}))
	l.receive(f.datagram(l.now, tcm.Piece{Module: tcm.PAM, Type: 0, Data: data}))
	got := l.Report(l.now).Dropped
	want := teamcom.DroppedReport{TooLong: 1, Duplicates: 2, Corrupt: 1, Unhandled: 2}
	if l.whole+l.part != 0 || got != want {
		t.Errorf("%d messages arrived, want 0; got drops %+v, want %+v", l.whole+l.part, got, want)
	}
}

// An incomplete file arrives 500 ms after its newest piece, with the ranges that are missing; it is never whole.
func TestPartialFile(t *testing.T) {
	l := listen(t, nil)
	f := newForger(robot(2), robot(1), tcm.Bulk)
	for i, p := range fragments(1, content(12_100, 1)) {
		if i != 0 && i != 3 && i != 4 && i != 10 {
			l.receive(f.datagram(l.now, p))
		}
	}
	l.pass(499 * time.Millisecond)
	if l.part != 0 {
		t.Fatal("the file was given up before 500 ms were over")
	}
	l.pass(time.Millisecond)
	want := []teamcom.Range{{Start: 0, End: 1200}, {Start: 3600, End: 6000}, {Start: 12_000, End: 12_100}}
	if l.whole != 0 || l.part != 1 || !slices.Equal(l.missing, want) {
		t.Errorf("got %d whole and %d partial files, missing %v; want one partial, missing %v",
			l.whole, l.part, l.missing, want)
	}
	if got := l.Report(l.now).Dropped.Expired; got != 1 {
		t.Errorf("got %d expired messages, want 1", got)
	}
}

// A sender that opens a million messages keeps its own bound of memory and takes nothing from another one.
func TestMillionPartialMessages(t *testing.T) {
	l := listen(t, func(cfg *teamcom.Config) { cfg.Modules.Bytes = 1 << 20 })
	hostile, fair := newForger(robot(9), robots, tcm.Bulk), newForger(robot(2), robot(1), tcm.Bulk)
	piece := tcm.Piece{
		Fragment: true, Module: tcm.PAM, Type: tcm.File, Count: 3000, Total: 2999*tcm.PieceSize + 1, Index: 2999,
		Data: []byte{1},
	}
	file := fragments(0, content(30_000, 1))
	sent, most := 0, 0
	for i := range 1_000_000 {
		piece.Number = uint32(i)
		l.receive(hostile.datagram(l.now, piece))
		if i%1000 != 0 {
			continue
		}
		p := file[i/1000%len(file)]
		if p.Number = uint32(sent); p.Index+1 == p.Count {
			sent++
		}
		l.receive(fair.datagram(l.now, p))
		l.now = l.now.Add(time.Millisecond)
		most = max(most, l.Report(l.now).BufferBytes)
	}
	if l.whole != sent || sent == 0 {
		t.Errorf("%d of %d messages of another robot arrived", l.whole, sent)
	}
	if bound := 2*4<<20 + 8<<20 + 1<<20; most > bound {
		t.Errorf("the node's buffers grew to %d bytes, want %d at most", most, bound)
	}
	if got := l.Report(l.now).Dropped.Displaced; got < 999_000 {
		t.Errorf("%d messages were displaced by newer ones, want nearly a million", got)
	}
}

// More senders than the node listens to: the known ones keep their delivery, and a new one is accepted once another was
// silent for 10 s.
func TestTooManySenders(t *testing.T) {
	l := listen(t, func(cfg *teamcom.Config) { cfg.Senders = 3 })
	small := tcm.Piece{Module: tcm.PAM, Type: tcm.File, Data: []byte("file")}
	var senders [250]*forger
	for i := range senders {
		senders[i] = newForger(robot(uint8(i+2)), robot(1), tcm.Bulk)
	}
	for round := range 3 {
		small.Number = uint32(round)
		for _, s := range senders {
			l.receive(s.datagram(l.now, small))
		}
	}
	if got := l.Report(l.now).Refused.TooManySenders; l.whole != 9 || got != 3*247 {
		t.Errorf("got %d messages and %d refused datagrams, want 9 and %d", l.whole, got, 3*247)
	}
	l.pass(10 * time.Second)
	l.receive(senders[100].datagram(l.now, small))
	if l.whole != 10 {
		t.Error("no new sender was accepted after the others were silent for 10 s")
	}
}

// Last pieces of messages of about 4 MiB from as many senders as a node listens to take memory for what arrived, not for
// what they announce.
func TestLastPiecesTakeLittleMemory(t *testing.T) {
	l := listen(t, nil)
	var senders [32]*forger
	for i := range senders {
		senders[i] = newForger(robot(uint8(i+2)), robots, tcm.Bulk)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	most := 0
	const datagrams = 20_000
	for i := range datagrams {
		last := uint16(100 + rng.IntN(3395)) // messages of all sizes: buffers of one size do not fit the others
		piece := tcm.Piece{
			Fragment: true, Module: tcm.PAM, Type: tcm.File, Number: uint32(i), Count: last + 1,
			Total: uint32(last)*tcm.PieceSize + tcm.PieceSize, Index: last, Data: content(tcm.PieceSize, 1),
		}
		l.receive(senders[i%len(senders)].datagram(l.now, piece))
		l.now = l.now.Add(1300 * time.Microsecond) // 0.9 MB/s
		l.Next(l.now, nil)
		most = max(most, l.Report(l.now).BufferBytes)
	}
	runtime.ReadMemStats(&after)
	if bound := 16 << 20; most > bound {
		t.Errorf("the node's buffers grew to %d bytes, want %d at most", most, bound)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / datagrams; each > 100_000 {
		t.Errorf("each datagram took %d bytes of new memory, want 100,000 at most", each)
	}
}
