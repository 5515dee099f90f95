// Package capture recognises recorded files and reads the packets in them: pcap and pcapng captures, hex text, JSON
// messages of base stations, and a bare datagram. It also writes pcap files. Match logs (MCAP, the zips and team logs
// of a RefBox) are recognised and left to package matchlog.
package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// maxDatagram is the payload of the largest IPv4 datagram in bytes.
const maxDatagram = 65507

// Format is what a file is.
type Format string

// The formats that Sniff recognises.
const (
	Pcap        Format = "capture"      // pcap or pcapng
	Hex         Format = "hex"          // datagrams as hex digits
	HexMessages Format = "hex messages" // JSON messages of a base station as hex digits
	Datagram    Format = "datagram"     // the bytes of one datagram
	Messages    Format = "messages"     // JSON messages of a base station
	Zip         Format = "zip"          // match log: zip, as a RefBox writes it
	MCAP        Format = "mcap"         // match log: MCAP
	TeamLog     Format = "team log"     // match log: worldstates of one team, .A.msl or .B.msl of a RefBox
	EventLog    Format = "event log"    // events of a match, .msl of a RefBox
	SSLLog      Format = "ssl log"      // match log of the Small Size League, SSL_LOG_FILE
	Gzip        Format = "gzip"
)

// MatchLog reports whether package matchlog reads files of the format.
func (f Format) MatchLog() bool { return f == Zip || f == MCAP || f == TeamLog || f == SSLLog }

// Station reports whether a file of the format holds what base stations sent.
func (f Format) Station() bool { return f == Messages || f == HexMessages || f.MatchLog() }

// byteOrderMark may stand before text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// ErrEmpty says that a file holds no bytes.
var ErrEmpty = errors.New("capture: the file is empty")

// sniffed is how many bytes of a file Sniff checks.
const sniffed = 1024

// Sniff returns the format of the file that r is about to read, and consumes nothing of it. Any file that is not
// recognised is a Datagram.
func Sniff(r *bufio.Reader) (Format, error) {
	head, err := r.Peek(sniffed)
	switch {
	case len(head) == 0 && err == io.EOF:
		return "", ErrEmpty
	case len(head) == 0:
		return "", err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n\x00")
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Zip, nil
	case bytes.HasPrefix(head, []byte("\x89MCAP0\r\n")):
		return MCAP, nil
	case bytes.HasPrefix(head, []byte("SSL_LOG_FILE")):
		return SSLLog, nil
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return Gzip, nil
	case isPcap(head):
		return Pcap, nil
	case isMessages(text) && !bytes.Contains(head, []byte(`"gametimeMs"`)):
		return Messages, nil
	case isMessages(text):
		return TeamLog, nil // a part of one
	case len(text) > 0 && (text[0] == '[' || string(bytes.TrimSpace(text)) == "]"): // an empty log of RefBox 2.1 is "]"
		return TeamLog, nil
	case head[0] == mixedteam.Flag || !isText(head):
		return Datagram, nil
	case msl.IsEventLog(text):
		return EventLog, nil
	}
	if isMessages(firstHex(head)) {
		return HexMessages, nil
	}
	return Hex, nil
}

// firstHex returns what head, the beginning of a hex text, holds of the first datagram.
func firstHex(head []byte) []byte {
	first, err := newHex(bytes.NewReader(head)).next()
	if err != nil && len(head) == sniffed { // cut between the two digits of a byte
		first, _ = newHex(bytes.NewReader(head[:len(head)-1])).next()
	}
	return first
}

// isMessages reports whether text begins with a JSON object. A mixed team package begins with the same byte, 123; its
// second byte is a small number.
func isMessages(text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	after := bytes.TrimLeft(text[1:], " \t\r\n")
	return len(after) > 0 && (after[0] == '"' || after[0] == '}') || isText(bytes.ReplaceAll(text, []byte{0}, nil))
}

// isText reports whether b holds no control characters but tabs and line breaks.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// Reader reads the packets of a file.
type Reader struct {
	Format  Format
	Skipped Skipped
	Line    int64 // line of the newest packet in a file of messages, from 1; 0 in other files
	Offset  int64 // position of its first byte
	next    func() (soccer.Packet, error)
}

// Skipped counts what a Reader does not return, most of it frames of a pcap or pcapng file. Its JSON is stable.
type Skipped struct {
	Other     int  `json:"other"`     // not accepted, or not UDP over IPv4
	Fragments int  `json:"fragments"` // IPv4 fragments, which are not reassembled
	Cut       int  `json:"cut"`       // shortened by the capturing program (snap length)
	Unknown   int  `json:"unknown"`   // unsupported link type, or broken
	Torn      bool `json:"torn"`      // the file ends within a packet or message
}

// NewReader returns a reader of the packets in r. Of a pcap or pcapng file it returns the UDP datagrams that accept
// accepts, by their destination and payload; nil accepts all. The error names the format of a file without packets.
func NewReader(r io.Reader, accept func(to netip.AddrPort, payload []byte) bool) (*Reader, error) {
	buffered := bufio.NewReader(r)
	format, err := Sniff(buffered)
	if err != nil {
		return nil, err
	}
	c := &Reader{Format: format}
	switch format {
	case Pcap:
		err = c.pcap(buffered, accept)
	case Hex, HexMessages:
		h := newHex(buffered)
		c.next = func() (soccer.Packet, error) {
			data, err := h.next()
			return soccer.Packet{Data: data}, err
		}
	case Messages:
		err = c.messages(buffered)
	case Datagram:
		c.next = datagram(buffered)
	case Zip, MCAP, TeamLog:
		err = errors.New("capture: this is a match log: open it with package matchlog")
	default:
		err = fmt.Errorf("capture: a file of kind %q holds no packets", format)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Next returns the next packet; its Data holds until the next call. Packets of a pcap file have a time, a sender and
// the destination as Channel; other packets have none of them. At the end the error is io.EOF. A pcap file that ends
// within a packet, as a killed capturing program leaves it, ends before that packet, and Skipped.Torn is set.
func (c *Reader) Next() (soccer.Packet, error) { return c.next() }

// datagram returns a function that reads all of r as one packet.
func datagram(r io.Reader) func() (soccer.Packet, error) {
	done := false
	return func() (soccer.Packet, error) {
		if done {
			return soccer.Packet{}, io.EOF
		}
		done = true
		b, err := io.ReadAll(io.LimitReader(r, maxDatagram+1))
		if err == nil && len(b) > maxDatagram {
			err = fmt.Errorf("capture: the file is neither pcap, pcapng nor hex text, and too long for a datagram of at most %d bytes", maxDatagram)
		}
		return soccer.Packet{Data: b}, err
	}
}
