package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/internal/capture"
	"touchline/soccer"
)

var (
	from    = netip.MustParseAddrPort("10.0.0.3:4000")
	toGroup = netip.MustParseAddrPort("224.16.32.75:2005")
	start   = time.Date(2014, 11, 10, 9, 0, 0, 123456000, time.UTC)
)

// frame returns a UDP datagram as captured from a link.
func frame(t testing.TB, link layers.LinkType, to netip.AddrPort, payload []byte, edit func(*layers.IPv4)) []byte {
	t.Helper()
	ip := &layers.IPv4{Version: 4, TTL: 1, Protocol: layers.IPProtocolUDP, SrcIP: from.Addr().AsSlice(),
		DstIP: to.Addr().AsSlice()}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(ip)
	}
	mac := net.HardwareAddr{1, 0, 0x5e, 0x10, 0x20, 0x4b}
	var all []gopacket.SerializableLayer
	var head []byte
	switch link {
	case layers.LinkTypeEthernet:
		all = append(all, &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: layers.EthernetTypeDot1Q},
			&layers.Dot1Q{VLANIdentifier: 7, Type: layers.EthernetTypeIPv4})
	case layers.LinkTypeNull:
		all = append(all, &layers.Loopback{Family: layers.ProtocolFamilyIPv4})
	case layers.LinkTypeLinuxSLL: // the library only decodes these
		head = []byte{0, 2, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0}
	case layers.LinkTypeLinuxSLL2:
		head = []byte{8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 6, 1, 2, 3, 4, 5, 6, 0, 0}
	}
	all = append(all, ip, udp, gopacket.Payload(payload))
	buf := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		all...); err != nil {
		t.Fatal(err)
	}
	return append(head, buf.Bytes()...)
}

// pcap returns a pcap file with these frames, 50 ms apart, each of them shortened by cut bytes.
func pcap(t testing.TB, link layers.LinkType, cut int, frames ...[]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := pcapgo.NewWriterNanos(&file)
	err := w.WriteFileHeader(65536, link)
	for i, f := range frames {
		info := gopacket.CaptureInfo{Timestamp: start.Add(time.Duration(i) * 50 * time.Millisecond),
			CaptureLength: len(f) - cut, Length: len(f)}
		err = errors.Join(err, w.WritePacket(info, f[:len(f)-cut]))
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// pcapng returns a pcapng file with these frames, 50 ms apart.
func pcapng(t testing.TB, link layers.LinkType, frames ...[]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := pcapgo.NewNgWriterInterface(&file, pcapgo.NgInterface{Name: "eth0", LinkType: link, TimestampResolution: 9},
		pcapgo.DefaultNgWriterOptions)
	for i, f := range frames {
		info := gopacket.CaptureInfo{Timestamp: start.Add(time.Duration(i) * 50 * time.Millisecond), CaptureLength: len(f),
			Length: len(f)}
		err = errors.Join(err, w.WritePacket(info, f))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// to accepts one destination.
func to(group netip.AddrPort) func(netip.AddrPort, []byte) bool {
	return func(to netip.AddrPort, _ []byte) bool { return to == group }
}

// packets returns all packets of a file.
func packets(file []byte, accept func(netip.AddrPort, []byte) bool) (got []soccer.Packet, skipped capture.Skipped, err error) {
	c, err := capture.NewReader(bytes.NewReader(file), accept)
	if err != nil {
		return nil, skipped, err
	}
	for {
		p, err := c.Next()
		if errors.Is(err, io.EOF) {
			return got, c.Skipped, nil
		}
		if err != nil {
			return got, c.Skipped, err
		}
		p.Data = bytes.Clone(p.Data)
		got = append(got, p)
	}
}

func TestPcapLinks(t *testing.T) {
	for _, link := range []layers.LinkType{layers.LinkTypeEthernet, layers.LinkTypeLinuxSLL, layers.LinkTypeLinuxSLL2,
		layers.LinkTypeNull, layers.LinkTypeRaw, layers.LinkTypeIPv4} {
		a, b := frame(t, link, toGroup, []byte("one"), nil), frame(t, link, toGroup, []byte("second"), nil)
		for name, file := range map[string][]byte{"pcap": pcap(t, link, 0, a, b), "pcapng": pcapng(t, link, a, b)} {
			got, skipped, err := packets(file, nil)
			if err != nil || len(got) != 2 || skipped != (capture.Skipped{}) {
				t.Errorf("%v %s: got %v, %+v, %v", link, name, got, skipped, err)
				continue
			}
			for i, p := range got {
				want := soccer.Time(start.UnixNano() + int64(i)*50e6)
				if p.Time != want || p.From != from || p.Channel != "224.16.32.75:2005" || string(p.Data) != []string{"one",
					"second"}[i] {
					t.Errorf("%v %s: packet %d is %+v", link, name, i, p)
				}
			}
		}
	}
}

func TestPcapFilter(t *testing.T) {
	const link = layers.LinkTypeEthernet
	frames := [][]byte{
		frame(t, link, toGroup, []byte("group"), nil),
		frame(t, link, netip.MustParseAddrPort("224.16.32.75:2006"), []byte("other port"), nil),
		frame(t, link, netip.MustParseAddrPort("224.16.32.77:2005"), []byte("other group"), nil),
		frame(t, link, netip.MustParseAddrPort("224.16.32.74:3000"), []byte("elsewhere"), nil),
	}
	file := pcapng(t, link, frames...)
	for _, c := range []struct {
		name   string
		accept func(netip.AddrPort, []byte) bool
		want   int
	}{{"all", nil, 4}, {"port", func(to netip.AddrPort, _ []byte) bool { return to.Port() == 2005 }, 2}, {"group", to(toGroup),
		1}, {"elsewhere", to(netip.MustParseAddrPort("224.16.32.74:3000")), 1}} {
		if got, skipped, err := packets(file, c.accept); err != nil || len(got) != c.want || skipped.Other != 4-c.want {
			t.Errorf("%s: got %d packets, %+v, %v; want %d", c.name, len(got), skipped, err, c.want)
		}
	}
}

func TestPcapSkips(t *testing.T) {
	const link = layers.LinkTypeEthernet
	fragment := func(ip *layers.IPv4) { ip.Flags = layers.IPv4MoreFragments }
	tcp := func(ip *layers.IPv4) { ip.Protocol = layers.IPProtocolTCP }
	good := frame(t, link, toGroup, bytes.Repeat([]byte("good"), 20), nil)
	file := pcap(t, link, 0, frame(t, link, toGroup, []byte("part"), fragment), good, frame(t, link, toGroup,
		[]byte("stream"), tcp), []byte{1, 2, 3})
	got, skipped, err := packets(file, nil)
	if want := (capture.Skipped{Fragments: 1, Other: 1, Unknown: 1}); err != nil || len(got) != 1 || skipped != want {
		t.Errorf("got %d packets, %+v, %v; want 1, %+v", len(got), skipped, err, want)
	}
	got, skipped, err = packets(pcap(t, link, 20, good), nil)
	if want := (capture.Skipped{Cut: 1}); err != nil || len(got) != 0 || skipped != want {
		t.Errorf("shortened by the capture: got %d packets, %+v, %v", len(got), skipped, err)
	}
	for name, whole := range map[string][]byte{"pcap": pcap(t, link, 0, good, good), "pcapng": pcapng(t, link, good,
		good)} {
		got, skipped, err = packets(whole[:len(whole)-5], nil)
		if err != nil || len(got) != 1 || !skipped.Torn {
			t.Errorf("torn %s: got %d packets, %+v, %v", name, len(got), skipped, err)
		}
	}
}

func TestPcapngClock(t *testing.T) {
	// The clock of the interface ticks 1024 times per second and starts at 1000 s; the byte order is big-endian.
	var file []byte
	block := func(kind uint32, body ...any) {
		var b []byte
		for _, v := range body {
			b, _ = binary.Append(b, binary.BigEndian, v)
		}
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		n := uint32(len(b) + 12)
		file, _ = binary.Append(file, binary.BigEndian, []uint32{kind, n})
		file, _ = binary.Append(append(file, b...), binary.BigEndian, n)
	}
	data := frame(t, layers.LinkTypeRaw, toGroup, []byte("tick"), nil)
	block(0x0a0d0d0a, uint32(0x1a2b3c4d), uint16(1), uint16(0), int64(-1))
	block(0xbad, []byte("a block of an unknown kind"))
	block(1, uint16(layers.LinkTypeRaw), uint16(0), uint32(0), uint16(9), uint16(1), []byte{0x8a, 0, 0, 0}, uint16(14),
		uint16(8), int64(1000), uint32(0))
	block(6, uint32(0), uint32(0), uint32(1536), uint32(len(data)), uint32(len(data)), data)
	got, _, err := packets(file, nil)
	if err != nil || len(got) != 1 || got[0].Time != 1001.5e9 {
		t.Errorf("got %v, %v; want one packet at 1001.5 s", got, err)
	}
}

func TestPcapErrors(t *testing.T) {
	section := pcapng(t, layers.LinkTypeRaw)
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "is empty", nil},
		{"text", "is not hex", []byte("hello, world")},
		{"version", "version", append([]byte{0xd4, 0xc3, 0xb2, 0xa1, 9}, make([]byte, 40)...)},
		{"huge block", "at most", append(bytes.Clone(section), 6, 0, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0, 0)},
		{"odd block", "damaged", append(bytes.Clone(section), 6, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0)},
		{"no interface", "does not describe", append(bytes.Clone(section), 6, 0, 0, 0, 32, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0)},
		{"no time", "editcap", append(bytes.Clone(section), 3, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0)},
	} {
		if _, _, err := packets(c.file, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want one with %q", c.name, err, c.want)
		}
	}
}

func FuzzPcap(f *testing.F) {
	a := frame(f, layers.LinkTypeEthernet, toGroup, []byte("one"), nil)
	b := frame(f, layers.LinkTypeLinuxSLL, toGroup, []byte("second"), nil)
	f.Add(pcap(f, layers.LinkTypeEthernet, 0, a))
	f.Add(pcapng(f, layers.LinkTypeEthernet, a, a))
	f.Add(pcap(f, layers.LinkTypeLinuxSLL, 0, b))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, _, _ := packets(file, nil)
		total := 0
		for _, p := range got {
			total += len(p.Data)
		}
		if total > len(file) {
			t.Fatalf("%d bytes of datagrams in a file of %d", total, len(file))
		}
	})
}

func BenchmarkPcap(b *testing.B) {
	one := frame(b, layers.LinkTypeEthernet, toGroup, make([]byte, 169), nil)
	file := pcapng(b, layers.LinkTypeEthernet, slices.Repeat([][]byte{one}, 1000)...)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		c, err := capture.NewReader(bytes.NewReader(file), nil)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := c.Next(); err != nil {
				break
			}
		}
	}
}
