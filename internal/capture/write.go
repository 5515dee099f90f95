package capture

import (
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/soccer"
)

// PcapWriter writes UDP datagrams to a pcap file, as raw IP packets with timestamps in nanoseconds.
type PcapWriter struct {
	w     io.Writer
	pcap  *pcapgo.Writer // writes to bytes
	bytes output
	frame gopacket.SerializeBuffer
}

// output collects the bytes of one packet.
type output []byte

func (o *output) Write(b []byte) (int, error) {
	*o = append(*o, b...)
	return len(b), nil
}

// NewPcapWriter writes the header of a pcap file to w and returns a writer of its packets.
func NewPcapWriter(w io.Writer) (*PcapWriter, error) {
	p := &PcapWriter{w: w, frame: gopacket.NewSerializeBuffer()}
	p.pcap = pcapgo.NewWriterNanos(&p.bytes)
	if err := p.pcap.WriteFileHeader(1<<16, layers.LinkTypeRaw); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	return p, p.flush()
}

// WritePacket writes a datagram from p.From to the address to, with one call of Write. An invalid address becomes
// 0.0.0.0:0, or [::]:0 when the other one is IPv6.
func (p *PcapWriter) WritePacket(packet *soccer.Packet, to netip.AddrPort) error {
	if err := serialize(p.frame, packet.From, to, packet.Data); err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	b := p.frame.Bytes()
	info := gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(packet.Time)), CaptureLength: len(b), Length: len(b)}
	if err := p.pcap.WritePacket(info, b); err != nil {
		p.bytes = p.bytes[:0]
		return fmt.Errorf("capture: %w", err)
	}
	return p.flush()
}

// flush hands the collected bytes to w.
func (p *PcapWriter) flush() error {
	_, err := p.w.Write(p.bytes)
	p.bytes = p.bytes[:0]
	return err
}

// serialize writes the IP packet that carries a datagram.
func serialize(b gopacket.SerializeBuffer, from, to netip.AddrPort, data []byte) error {
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	if from.Addr().Is6() || !from.IsValid() && to.Addr().Is6() { // a dual-stack socket receives IPv4, too
		ip := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolUDP, SrcIP: ip16(from), DstIP: ip16(to)}
		if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
			return err
		}
		return gopacket.SerializeLayers(b, options, ip, udp, gopacket.Payload(data))
	}
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: ip4(from), DstIP: ip4(to)}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		return err
	}
	return gopacket.SerializeLayers(b, options, ip, udp, gopacket.Payload(data))
}

func ip4(a netip.AddrPort) []byte {
	if !a.Addr().Is4() {
		return make([]byte, 4)
	}
	return a.Addr().AsSlice()
}

// ip16 returns an IPv6 address; IPv4 in its mapped form.
func ip16(a netip.AddrPort) []byte {
	if !a.IsValid() {
		return make([]byte, 16)
	}
	b := a.Addr().As16()
	return b[:]
}
