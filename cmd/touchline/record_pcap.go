package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"

	"touchline/capture"
	"touchline/matchlog"
)

// openPcap starts a record of datagrams in a pcap file.
func openPcap(name string, log *slog.Logger) (*recording, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, exitError{2, fmt.Errorf("--record %s: %w", name, err)}
	}
	p := &pcapFile{file: file}
	if p.pcap, err = capture.NewPcapWriter(&p.next); err != nil {
		file.Close()
		return nil, fmt.Errorf("--record %s: %w", name, err)
	}
	p.header = len(p.next)
	return newRecording(name, p, log), nil
}

// pcapFile writes the datagrams of a record as IP packets with times in ns. It leaves out everything else.
type pcapFile struct {
	file   truncatable
	pcap   *capture.PcapWriter // writes to next
	next   pending
	header int   // bytes of the file's header, which stay in next until they are written
	ends   []int // of each message in next
	whole  int64 // bytes of the file that are whole packets
}

// truncatable is an *os.File.
type truncatable interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
}

func newPcapFile(file truncatable) (*pcapFile, error) {
	f := &pcapFile{file: file}
	var err error
	f.pcap, err = capture.NewPcapWriter(&f.next)
	f.header = len(f.next)
	return f, err
}

// pending are bytes for a file.
type pending []byte

// Write appends b; it never fails.
func (p *pending) Write(b []byte) (int, error) {
	*p = append(*p, b...)
	return len(b), nil
}

// WriteAll writes the datagrams among messages. On a full disk the file ends with the last whole packet.
func (f *pcapFile) WriteAll(messages []matchlog.Message) (int, error) {
	encoded := f.encode(messages)
	n, err := f.file.Write(f.next)
	written, whole := 0, 0
	for written < len(f.ends) && f.ends[written] <= n {
		whole = f.ends[written]
		written++
	}
	f.whole += int64(whole)
	if f.whole > 0 {
		f.next = f.next[:0]
	} else {
		f.next = f.next[:f.header]
	}
	if err != nil { // half a packet stays where the file cannot be cut
		_ = f.file.Truncate(f.whole)
		_, _ = f.file.Seek(f.whole, io.SeekStart)
		return written, err
	}
	return written, encoded
}

// encode appends the datagrams among messages to next. An error says why the message after the last end is not there.
func (f *pcapFile) encode(messages []matchlog.Message) error {
	f.ends = f.ends[:0]
	for i := range messages {
		if m := &messages[i]; m.Channel == matchlog.Packets {
			p, err := matchlog.ParsePacket(*m)
			if err != nil {
				return err
			}
			to, _ := netip.ParseAddrPort(p.Channel) // the zero address where there is none
			if err := f.pcap.WritePacket(&p, to); err != nil {
				return err
			}
		}
		f.ends = append(f.ends, len(f.next))
	}
	return nil
}

// Close closes the file.
func (f *pcapFile) Close() error {
	_, err := f.file.Write(f.next) // the header of a record without packets
	return errors.Join(err, f.file.Close())
}
