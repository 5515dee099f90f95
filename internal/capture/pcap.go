package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/soccer"
)

// maxFrame is the longest frame in bytes that is read: libpcap's own limit.
const maxFrame = 1 << 18

// isPcap reports whether a file that begins with b is a pcap or pcapng file.
func isPcap(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	switch binary.BigEndian.Uint32(b) {
	case 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, sectionHeader:
		return true
	}
	return false
}

// frame is one frame as captured from a link; its data holds until the next one is read.
type frame struct {
	data []byte
	time soccer.Time
	link layers.LinkType
}

// datagrams decodes the UDP datagrams in captured frames: Ethernet (with VLAN tags), Linux cooked v1 and v2, loopback
// and raw IP.
type datagrams struct {
	frame   func() (frame, error)
	accept  func(to netip.AddrPort, payload []byte) bool
	skipped *Skipped
	parsers map[layers.LinkType]*gopacket.DecodingLayerParser
	layers  []gopacket.LayerType
	ip      layers.IPv4
	udp     layers.UDP
	to      netip.AddrPort // destination of the last packet, and its name: most packets go to the same
	channel string
}

// pcap lets c read the pcap or pcapng file r.
func (c *Reader) pcap(r *bufio.Reader, accept func(to netip.AddrPort, payload []byte) bool) error {
	if accept == nil {
		accept = func(netip.AddrPort, []byte) bool { return true }
	}
	d := &datagrams{accept: accept, skipped: &c.Skipped}
	c.next = d.next
	d.parsers = d.linkParsers()
	if magic, _ := r.Peek(4); binary.BigEndian.Uint32(magic) == sectionHeader {
		d.frame = (&blocks{r: r}).next
		return nil
	}
	old, err := pcapgo.NewReader(r)
	if err != nil {
		return fmt.Errorf("capture: pcap: %w", err)
	}
	old.SetSnaplen(maxFrame) // no header may ask for more
	d.frame = func() (frame, error) {
		data, info, err := old.ZeroCopyReadPacketData()
		return frame{data, soccer.Time(info.Timestamp.UnixNano()), old.LinkType()}, err
	}
	return nil
}

// linkParsers returns the parsers of all supported link types; they share the memory of one packet.
func (d *datagrams) linkParsers() map[layers.LinkType]*gopacket.DecodingLayerParser {
	var (
		ethernet layers.Ethernet
		vlan     layers.Dot1Q
		cooked   layers.LinuxSLL
		cooked2  layers.LinuxSLL2
		loopback layers.Loopback
	)
	parser := func(first gopacket.LayerType) *gopacket.DecodingLayerParser {
		p := gopacket.NewDecodingLayerParser(first, &ethernet, &vlan, &cooked, &cooked2, &loopback, &d.ip, &d.udp)
		p.IgnoreUnsupported = true
		return p
	}
	raw := parser(layers.LayerTypeIPv4)
	return map[layers.LinkType]*gopacket.DecodingLayerParser{
		layers.LinkTypeEthernet:  parser(layers.LayerTypeEthernet),
		layers.LinkTypeLinuxSLL:  parser(layers.LayerTypeLinuxSLL),
		layers.LinkTypeLinuxSLL2: parser(layers.LayerTypeLinuxSLL2),
		layers.LinkTypeNull:      parser(layers.LayerTypeLoopback),
		layers.LinkTypeLoop:      parser(layers.LayerTypeLoopback),
		layers.LinkTypeRaw:       raw,
		layers.LinkTypeIPv4:      parser(layers.LayerTypeIPv4),
		layers.LinkType(12):      raw, // raw IP as BSD numbers it
	}
}

// next returns the next accepted datagram.
func (d *datagrams) next() (soccer.Packet, error) {
	for {
		f, err := d.frame()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			d.skipped.Torn = true
			return soccer.Packet{}, io.EOF
		}
		if err == io.EOF {
			return soccer.Packet{}, err
		}
		if err != nil {
			return soccer.Packet{}, fmt.Errorf("capture: %w", err)
		}
		if d.decode(f) {
			from, _ := netip.AddrFromSlice(d.ip.SrcIP)
			return soccer.Packet{
				Time:    f.time,
				Channel: d.channel,
				From:    netip.AddrPortFrom(from, uint16(d.udp.SrcPort)),
				Data:    d.udp.Payload,
			}, nil
		}
	}
}

// decode decodes a frame into d.ip and d.udp and reports whether it holds a whole datagram that is accepted.
func (d *datagrams) decode(f frame) bool {
	p := d.parsers[f.link]
	if p == d.parsers[layers.LinkTypeRaw] && len(f.data) > 0 && f.data[0]>>4 == 6 { // IPv6
		d.skipped.Other++
		return false
	}
	if p == nil || p.DecodeLayers(f.data, &d.layers) != nil || len(d.layers) == 0 {
		d.skipped.Unknown++
		return false
	}
	switch last := d.layers[len(d.layers)-1]; {
	case last == layers.LayerTypeIPv4 && d.ip.Protocol == layers.IPProtocolUDP:
		d.skipped.Fragments++
		return false
	case last != layers.LayerTypeUDP || d.ip.Version != 4:
		d.skipped.Other++
		return false
	}
	addr, _ := netip.AddrFromSlice(d.ip.DstIP)
	to := netip.AddrPortFrom(addr, uint16(d.udp.DstPort))
	if !d.accept(to, d.udp.Payload) {
		d.skipped.Other++
		return false
	}
	if p.Truncated {
		d.skipped.Cut++
		return false
	}
	if to != d.to {
		d.to, d.channel = to, to.String()
	}
	return true
}
