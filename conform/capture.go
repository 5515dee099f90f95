package conform

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

// ErrNoCapture says that a file is neither pcap nor pcapng.
var ErrNoCapture = errors.New("conform: neither a pcap nor a pcapng file")

// IsCapture reports whether a file that begins with b (4 bytes or more) calls itself pcap or pcapng.
func IsCapture(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	switch binary.BigEndian.Uint32(b) {
	case 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, sectionHeader:
		return true
	}
	return false
}

// Capture reads the UDP datagrams of a pcap or pcapng file. Frames may be Ethernet (with VLAN tags), Linux cooked v1 and
// v2, loopback or raw IP.
type Capture struct {
	Left    Left
	group   netip.AddrPort
	next    func() (frame, error)
	parsers map[layers.LinkType]*gopacket.DecodingLayerParser
	layers  []gopacket.LayerType
	ip      layers.IPv4
	udp     layers.UDP
	to      netip.AddrPort // of the last packet, with its name: most go to the same
	channel string
}

// Left counts the frames that a capture holds besides.
type Left struct {
	Other     int  `json:"other"`     // went elsewhere, or are no UDP over IPv4
	Fragments int  `json:"fragments"` // of IPv4 datagrams: they are not put together
	Cut       int  `json:"cut"`       // shortened by the capturing program (snap length)
	Unknown   int  `json:"unknown"`   // frames of a kind that is not read, or broken ones
	Torn      bool `json:"torn"`      // the file ends within a packet
}

// NewCapture returns a reader of r. It gives the datagrams to group; with the zero AddrPort those to port 2005 and
// those to 224.16.32.75 (seed 000). The error wraps ErrNoCapture when r is something else.
func NewCapture(r io.Reader, group netip.AddrPort) (*Capture, error) {
	buffered := bufio.NewReader(r)
	magic, _ := buffered.Peek(4)
	if !IsCapture(magic) {
		return nil, ErrNoCapture
	}
	c := &Capture{group: group}
	var (
		ethernet layers.Ethernet
		vlan     layers.Dot1Q
		cooked   layers.LinuxSLL
		cooked2  layers.LinuxSLL2
		loopback layers.Loopback
	)
	parser := func(first gopacket.LayerType) *gopacket.DecodingLayerParser {
		p := gopacket.NewDecodingLayerParser(first, &ethernet, &vlan, &cooked, &cooked2, &loopback, &c.ip, &c.udp)
		p.IgnoreUnsupported = true
		return p
	}
	c.parsers = map[layers.LinkType]*gopacket.DecodingLayerParser{
		layers.LinkTypeEthernet:  parser(layers.LayerTypeEthernet),
		layers.LinkTypeLinuxSLL:  parser(layers.LayerTypeLinuxSLL),
		layers.LinkTypeLinuxSLL2: parser(layers.LayerTypeLinuxSLL2),
		layers.LinkTypeNull:      parser(layers.LayerTypeLoopback),
		layers.LinkTypeLoop:      parser(layers.LayerTypeLoopback),
		layers.LinkTypeRaw:       parser(layers.LayerTypeIPv4),
		layers.LinkTypeIPv4:      parser(layers.LayerTypeIPv4),
		layers.LinkType(12):      parser(layers.LayerTypeIPv4), // raw IP as BSD numbers it
	}
	if binary.BigEndian.Uint32(magic) == sectionHeader {
		c.next = (&blocks{r: buffered}).next
		return c, nil
	}
	old, err := pcapgo.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("conform: pcap: %w", err)
	}
	old.SetSnaplen(maxFrame) // no header may ask for more
	c.next = func() (frame, error) {
		data, info, err := old.ZeroCopyReadPacketData()
		return frame{data, soccer.Time(info.Timestamp.UnixNano()), old.LinkType()}, err
	}
	return c, nil
}

// frame is what was captured from a link.
type frame struct {
	data []byte
	time soccer.Time
	link layers.LinkType
}

// Next returns the next datagram; its Data holds until the next call. At the end the error is io.EOF. A file that ends
// within a packet, as one of a capture that was killed does, ends before that packet, and Left.Torn says so.
func (c *Capture) Next() (soccer.Packet, error) {
	for {
		f, err := c.next()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			c.Left.Torn = true
			return soccer.Packet{}, io.EOF
		}
		if err == io.EOF {
			return soccer.Packet{}, err
		}
		if err != nil {
			return soccer.Packet{}, fmt.Errorf("conform: capture: %w", err)
		}
		if c.datagram(f) {
			from, _ := netip.AddrFromSlice(c.ip.SrcIP)
			return soccer.Packet{
				Time:    f.time,
				Channel: c.channel,
				From:    netip.AddrPortFrom(from, uint16(c.udp.SrcPort)),
				Data:    c.udp.Payload,
			}, nil
		}
	}
}

// datagram decodes a frame into c.ip and c.udp and reports whether it holds a whole datagram that is asked for.
func (c *Capture) datagram(f frame) bool {
	p := c.parsers[f.link]
	if p == nil || p.DecodeLayers(f.data, &c.layers) != nil || len(c.layers) == 0 {
		c.Left.Unknown++
		return false
	}
	switch last := c.layers[len(c.layers)-1]; {
	case last == layers.LayerTypeIPv4 && c.ip.Protocol == layers.IPProtocolUDP:
		c.Left.Fragments++
		return false
	case last != layers.LayerTypeUDP || c.ip.Version != 4:
		c.Left.Other++
		return false
	}
	addr, _ := netip.AddrFromSlice(c.ip.DstIP)
	to := netip.AddrPortFrom(addr, uint16(c.udp.DstPort))
	if c.group.IsValid() && to != c.group || !c.group.IsValid() && to.Port() != group.Port() && addr != group.Addr() {
		c.Left.Other++
		return false
	}
	if p.Truncated {
		c.Left.Cut++
		return false
	}
	if to != c.to {
		c.to, c.channel = to, to.String()
	}
	return true
}
