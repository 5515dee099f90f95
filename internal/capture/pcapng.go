package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/gopacket/gopacket/layers"

	"touchline/soccer"
)

// Kinds of pcapng blocks.
const (
	sectionHeader  = 0x0a0d0d0a // the same in both byte orders
	interfaceBlock = 1
	oldPacket      = 2
	simplePacket   = 3
	enhancedPacket = 6
)

// Bounds of a pcapng file.
const (
	maxBlock      = maxFrame + 1<<16 // bytes
	maxInterfaces = 256              // per section
)

// blocks reads the frames of a pcapng file. The library pcapgo reads the format too, but it keeps decryption secrets
// and name records of any size and trusts the length that a packet claims; blocks uses at most maxBlock bytes.
type blocks struct {
	r          *bufio.Reader
	order      binary.ByteOrder
	body       []byte
	interfaces []netInterface
}

// netInterface is an interface that frames were captured from.
type netInterface struct {
	link  layers.LinkType
	units uint64 // clock ticks per second
	since int64  // s since 1970 at tick 0
}

// next returns the next frame, which is valid until the next call.
func (b *blocks) next() (frame, error) {
	for {
		kind, err := b.read()
		if err != nil {
			return frame{}, err
		}
		switch kind {
		case interfaceBlock:
			err = b.describe()
		case enhancedPacket:
			return b.packet()
		case oldPacket, simplePacket:
			err = errors.New(`packets without a timestamp or in an obsolete block: convert the file with "editcap -F pcap IN OUT"`)
		}
		if err != nil {
			return frame{}, err
		}
	}
}

// read reads the next block with frames or an interface into body and returns its kind.
func (b *blocks) read() (uint32, error) {
	for {
		head, err := b.r.Peek(12)
		if len(head) == 0 && err == io.EOF {
			return 0, io.EOF
		} else if err != nil {
			return 0, broken(err)
		}
		first := binary.BigEndian.Uint32(head) == sectionHeader
		if first {
			b.interfaces, b.order = b.interfaces[:0], binary.LittleEndian
			if head[8] == 0x1a {
				b.order = binary.BigEndian
			}
		}
		kind, size := b.order.Uint32(head), b.order.Uint32(head[4:])
		if size < 12 || size%4 != 0 {
			return 0, fmt.Errorf("a block claims to have %d bytes: the file is damaged", size)
		}
		wanted := kind == interfaceBlock || kind == enhancedPacket || kind == oldPacket || kind == simplePacket
		if !wanted {
			if _, err := io.CopyN(io.Discard, b.r, int64(size)); err != nil {
				return 0, broken(err)
			}
			continue
		}
		if size > maxBlock {
			return 0, fmt.Errorf("a block of %d bytes: at most %d are accepted", size, maxBlock)
		}
		if cap(b.body) < int(size) {
			b.body = make([]byte, size, maxBlock)
		}
		b.body = b.body[:size]
		if _, err := io.ReadFull(b.r, b.body); err != nil {
			return 0, broken(err)
		}
		b.body = b.body[8 : size-4]
		return kind, nil
	}
}

// broken turns the end of the file within a block into an error.
func broken(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// describe adds the interface in body: its link and the options 9 (resolution of its clock) and 14 (offset of its
// clock).
func (b *blocks) describe() error {
	if len(b.body) < 8 || len(b.interfaces) == maxInterfaces {
		return fmt.Errorf("interface %d is damaged, or there are too many", len(b.interfaces))
	}
	i := netInterface{link: layers.LinkType(b.order.Uint16(b.body)), units: 1e6}
	for options := b.body[8:]; len(options) >= 4; {
		code, size := b.order.Uint16(options), int(b.order.Uint16(options[2:]))
		if size > len(options)-4 {
			return fmt.Errorf("an option of interface %d is damaged", len(b.interfaces))
		}
		value := options[4 : 4+size]
		switch {
		case code == 9 && size == 1:
			if i.units = units(value[0]); i.units == 0 {
				return fmt.Errorf("the clock of interface %d has too fine a resolution", len(b.interfaces))
			}
		case code == 14 && size == 8:
			i.since = int64(b.order.Uint64(value))
		}
		options = options[min(4+(size+3)/4*4, len(options)):]
	}
	b.interfaces = append(b.interfaces, i)
	return nil
}

// units returns the clock ticks per second of a resolution; 0 if they are too many.
func units(resolution byte) uint64 {
	if resolution&0x80 != 0 {
		return 1 << (resolution & 0x7f)
	}
	if resolution > 19 {
		return 0
	}
	n := uint64(1)
	for range resolution {
		n *= 10
	}
	return n
}

// packet returns the frame in body.
func (b *blocks) packet() (frame, error) {
	if len(b.body) < 20 {
		return frame{}, errors.New("the block of a packet is damaged")
	}
	from, size := b.order.Uint32(b.body), b.order.Uint32(b.body[12:])
	if uint64(from) >= uint64(len(b.interfaces)) {
		return frame{}, fmt.Errorf("a packet of interface %d, which the file does not describe", from)
	}
	if int64(size) > int64(len(b.body)-20) {
		return frame{}, fmt.Errorf("a packet of %d bytes in a block of %d", size, len(b.body)+12)
	}
	i := b.interfaces[from]
	stamp := uint64(b.order.Uint32(b.body[4:]))<<32 | uint64(b.order.Uint32(b.body[8:]))
	high, low := bits.Mul64(stamp%i.units, 1e9)
	nanos, _ := bits.Div64(high, low, i.units)
	return frame{
		data: b.body[20 : 20+size],
		time: soccer.Time((int64(stamp/i.units)+i.since)*1e9 + int64(nanos)),
		link: i.link,
	}, nil
}
