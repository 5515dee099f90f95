package vssnet

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/soccer"
)

// nowhere is the address of those within this program; in a record it is 0.0.0.0:0.
var nowhere netip.AddrPort

// maxUnwritten bounds what waits for a slow disk, in bytes. What comes then is not recorded.
const maxUnwritten = 16 << 20

// closeTime is how long the end waits for a slow disk.
const closeTime = 2 * time.Second

// recorder writes packets to a pcap file, as IP packets with times in ns, and holds up nobody who brings them.
type recorder struct {
	file *os.File
	log  *slog.Logger
	more chan struct{}
	done chan struct{}

	mu     sync.Mutex
	pcap   *pcapgo.Writer // writes to waiting
	frame  gopacket.SerializeBuffer
	buf    waiting
	lost   uint64
	failed error
	closed bool
}

// waiting are the file's next bytes.
type waiting []byte

// Write takes b in; it never fails.
func (w *waiting) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

func newRecorder(name string, log *slog.Logger) (*recorder, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("vss: the record: %w", err)
	}
	r := &recorder{file: file, log: log, more: make(chan struct{}, 1), done: make(chan struct{}), frame: gopacket.NewSerializeBuffer()}
	r.pcap = pcapgo.NewWriterNanos(&r.buf)
	if err := r.pcap.WriteFileHeader(1<<16, layers.LinkTypeRaw); err != nil {
		return nil, fmt.Errorf("vss: the record: %w", err)
	}
	go r.run()
	return r, nil
}

// run writes until close, or until that fails.
func (r *recorder) run() {
	defer close(r.done)
	var out waiting
	whole := 0 // bytes of whole packets in the file
	for {
		r.mu.Lock()
		out, r.buf = r.buf, out[:0]
		closed := r.closed
		r.mu.Unlock()
		switch {
		case len(out) > 0:
			header := 0
			if whole == 0 {
				header = pcapHeader
			}
			n, err := r.file.Write(out)
			whole += wholePackets(out[:n], header)
			if err != nil {
				_ = r.file.Truncate(int64(whole)) // half a packet stays where that cannot be had
				r.fail(fmt.Errorf("%w; make room, and start again to record", err))
				return
			}
		case closed:
			return
		default:
			<-r.more
		}
	}
}

// Lengths of pcap's headers in bytes, of the file and of each packet.
const (
	pcapHeader   = 24
	packetHeader = 16
)

// wholePackets returns how many bytes of b are whole packets, after so many of the file's header.
func wholePackets(b []byte, header int) (whole int) {
	for next := header; next <= len(b); {
		whole = next
		if len(b)-next < packetHeader {
			break
		}
		next += packetHeader + int(binary.LittleEndian.Uint32(b[next+8:])) // what is captured of the packet
	}
	return whole
}

// fail ends recording; the run goes on.
func (r *recorder) fail(err error) {
	r.mu.Lock()
	r.failed, r.buf = err, nil
	r.mu.Unlock()
	r.log.Error("recording has stopped", "file", r.file.Name(), "err", err)
}

// trouble returns why not everything is recorded, "" if it is.
func (r *recorder) trouble() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failed != nil:
		return fmt.Sprintf("recording has stopped: %v", r.failed)
	case r.lost > 0:
		return fmt.Sprintf("the disk is too slow: %d packets are not recorded", r.lost)
	}
	return ""
}

// packet records a UDP datagram. It reports nothing: what goes wrong with the record is the record's.
func (r *recorder) packet(at time.Time, from, to netip.AddrPort, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failed != nil || r.closed:
		return
	case len(r.buf) > maxUnwritten:
		r.lost++
		return
	}
	if err := serialize(r.frame, from, to, data); err != nil {
		r.lost++
		return
	}
	b := r.frame.Bytes()
	if err := r.pcap.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(b), Length: len(b)}, b); err != nil {
		r.lost++
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// serialize writes the IP packet that carries a datagram.
func serialize(b gopacket.SerializeBuffer, from, to netip.AddrPort, data []byte) error {
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	if from.Addr().Is6() || !from.IsValid() && to.Addr().Is6() { // a socket for both hears IPv4, too
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

// ip16 returns an IPv6 address; one of IPv4 in its mapped form.
func ip16(a netip.AddrPort) []byte {
	if !a.IsValid() {
		return make([]byte, 16)
	}
	b := a.Addr().As16()
	return b[:]
}

// close writes what is left and closes the file.
func (r *recorder) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
	select {
	case <-r.done:
	case <-time.After(closeTime):
		r.fail(fmt.Errorf("its disk takes nothing for %v; the last packets are missing", closeTime))
		return
	}
	if err := r.file.Close(); err != nil {
		r.fail(err)
	}
}

// openRecord opens the file of packets, if there is to be one.
func (s *Server) openRecord() error {
	if s.Config.Record == "" {
		return nil
	}
	var err error
	s.record, err = newRecorder(s.Config.Record, s.Log)
	return err
}

// recordPacket records what is sent or stays within this program.
func (s *Server) recordPacket(from, to netip.AddrPort, data []byte) {
	if s.record != nil {
		s.record.packet(time.Now(), from, to, data)
	}
}

// recordHeard records what came, with the time at which it came.
func (s *Server) recordHeard(p *soccer.Packet, to netip.AddrPort) {
	if s.record != nil {
		s.record.packet(time.Unix(0, int64(p.Time)), p.From, to, p.Data)
	}
}
