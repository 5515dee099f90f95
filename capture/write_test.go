package capture_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"slices"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"touchline/capture"
	"touchline/soccer"
)

// pieces keeps what each call of Write brought.
type pieces [][]byte

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, bytes.Clone(b))
	return len(b), nil
}

func TestPcapWriter(t *testing.T) {
	var file pieces
	w, err := capture.NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	sent := []soccer.Packet{
		{Time: soccer.Epoch + 1, From: from, Data: []byte("one")},
		{Time: soccer.Epoch + 2, Data: []byte("inside the program")},
		{Time: soccer.Epoch + 3, From: netip.MustParseAddrPort("[::1]:9"), Data: []byte("six")},
	}
	for i, p := range sent {
		if err := w.WritePacket(&p, []netip.AddrPort{toGroup, {}, netip.MustParseAddrPort("[::1]:10")}[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(file) != 4 {
		t.Fatalf("%d calls of Write, want one for the header and for each packet", len(file))
	}
	whole := bytes.Join(file, nil)
	got, skipped, err := packets(whole, nil)
	if err != nil || len(got) != 2 || skipped != (capture.Skipped{Other: 1}) {
		t.Fatalf("got %v, %+v, %v; want two packets over IPv4", got, skipped, err)
	}
	if p := got[0]; p.Time != sent[0].Time || p.From != from || p.Channel != toGroup.String() || string(p.Data) != "one" {
		t.Errorf("got %+v", p)
	}
	if p := got[1]; p.From.String() != "0.0.0.0:0" || p.Channel != "0.0.0.0:0" {
		t.Errorf("inside the program: got %+v", p)
	}
	if r, err := pcapgo.NewReader(bytes.NewReader(whole)); err != nil {
		t.Error(err)
	} else {
		for range sent {
			if _, _, err := r.ReadPacketData(); err != nil {
				t.Error(err)
			}
		}
	}
	head, one := len(file[0]), len(file[0])+len(file[1])
	for _, c := range []struct {
		b      []byte
		header bool
		want   int
	}{
		{whole, true, len(whole)}, {whole[:one], true, one}, {whole[:one+20], true, one}, {whole[:one-1], true, head},
		{whole[:head-1], true, 0}, {file[1], false, len(file[1])}, {file[1][:30], false, 0}, {nil, false, 0},
	} {
		if got := capture.WholePackets(c.b, c.header); got != c.want {
			t.Errorf("%d bytes: got %d whole, want %d", len(c.b), got, c.want)
		}
	}
}

// failing refuses the second write.
type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if f.n++; f.n == 2 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestPcapWriterError(t *testing.T) {
	w, err := capture.NewPcapWriter(&failing{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WritePacket(&soccer.Packet{From: from}, toGroup); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v, want the error of Write", err)
	}
}

// Each prefix of a file ends before the packet in which it ends.
func TestWholePacketsOfPrefixes(t *testing.T) {
	var file bytes.Buffer
	w, err := capture.NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{file.Len()}
	for _, size := range []int{100, 0, 7} {
		if err := w.WritePacket(&soccer.Packet{From: from, Data: make([]byte, size)}, toGroup); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, file.Len())
	}
	want := 0
	for n := range file.Len() + 1 {
		if slices.Contains(ends, n) {
			want = n
		}
		if got := capture.WholePackets(file.Bytes()[:n], true); got != want {
			t.Fatalf("of %d bytes got %d whole, want %d", n, got, want)
		}
	}
}
