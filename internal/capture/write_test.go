package capture_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"touchline/internal/capture"
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
