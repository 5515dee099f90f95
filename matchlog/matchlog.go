// Package matchlog keeps a match: what was heard, sent and decided, in one file as it happens. It reads the file again
// while it grows, after a crash and years later; it reads and writes the zips of RefBox 2.1 and RefBox 2016 too.
//
// A log is one MCAP file (mcap.dev), neither chunked nor compressed: every message is in the system's hands when it was
// written, and its offset finds it again. Its profile is "touchline". A message's log time is Time, its publish time is
// Published, and its sequence is the CRC-32C of the rest of it, by which a torn end is known. While a log is written,
// zeros may stand ahead of its end; Close cuts them off. The metadata record "touchline" says what the log is of, in the
// keys Meta...; the newest one holds.
//
//	channel      one message is
//	home, away   what the team's base station sent, as it came, without its NUL; JSON or not
//	home/empty,  the empty structure (MSL World Model 2015, section 3) for 100 ms without a worldstate; Time is their end
//	away/empty
//	home/untimed, what stands in a team's file of the RefBox, but not as a record with a timestamp; Time is that of the
//	away/untimed  record before it. Only logs that are read from the RefBox's files have it
//	commands     a message to the teams, as sent, without its NUL
//	decisions    a refbox.Decision as JSON
//	admissions   a refbox.Admission as JSON: who has which side since when
//	lines        a line of the RefBox's log of events (wire/msl.Line), without its line break
//	states       a refbox.State as JSON, after each decision and once a second: clock, part and score at any time
//	sent         a game.Delivery as JSON, once the messages of a decision are in the sockets of all teams
//	notes        free text: trouble, lost bytes, reconnections
//	truth        where truth exists, {"time":ns,"ball":{"x","y","z"},"robots":[{"number","team","pose":{"x","y","theta"}}]}
//	             in the field frame; it never leaves with the RefBox's files
//	packets      a datagram, received or sent: see AppendPacket
//	topic/NAME   the page's topic NAME as JSON, as pages get it, up to ten times a second: topic/wall has the ground truth
//	             and the beliefs of each robot of a demo, or what the senders say to a monitor; topic/vss the field of a VSS
//	             simulator
package matchlog

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"touchline/game"
	"touchline/soccer"
)

// The channels of a match.
const (
	Home        = game.HomeChannel
	Away        = game.AwayChannel
	HomeEmpty   = game.HomeEmptyChannel
	AwayEmpty   = game.AwayEmptyChannel
	HomeUntimed = "home/untimed"
	AwayUntimed = "away/untimed"
	Commands    = game.CommandsChannel
	Decisions   = game.DecisionsChannel
	Admissions  = game.AdmissionsChannel
	Lines       = game.LinesChannel
	States      = game.StatesChannel
	Sent        = game.SentChannel
	Notes       = game.NotesChannel
	Truth       = "truth"
	Packets     = "packets"
)

// TopicPrefix precedes the name of a page's topic in the name of its channel.
const TopicPrefix = "topic/"

// Keys of the metadata. All of them are optional, and there may be others.
const (
	MetaField     = "field"     // which field the match was on, as refbox --name says
	MetaSize      = "size"      // of the field: "22x14" or "18x12" m
	MetaRules     = "rules"     // the rules file as JSON
	MetaBegan     = "began"     // ns since 1970, decimal
	MetaHome      = "home"      // long name of the team that attacks +x in drawings
	MetaAway      = "away"      //
	MetaHomeShort = "homeShort" // at most 8 characters, as files are named
	MetaAwayShort = "awayShort"
	MetaHomeID    = "homeID" // in the team table
	MetaAwayID    = "awayID"
	MetaReceipt   = "receipt" // ReceiptComputed, or absent: Time of home and away is when the message was received
)

// ReceiptComputed says that times of receipt are sums of timestamp and ageMs: the RefBox's files have no others.
const ReceiptComputed = "computed"

// MaxData is the most bytes that one message may have.
const MaxData = 16 << 20

// Message is one message of a log.
type Message struct {
	Time      soccer.Time // when it was received or made
	Published soccer.Time // the moment that its contents hold: receipt less ageMs for a worldstate; 0 stands for Time
	Channel   string
	Data      []byte
	Source    Source // of Data; Writer does not write it
}

// Source is where a message stands in the file that was opened.
type Source struct {
	File   string // the file within a zip; "" for the opened file itself
	Line   int64  // line of the message's first byte, from 1; 0 in an MCAP file
	Offset int64  // of the message's first byte in File; 0 where it is unknown: inside a compressed chunk
}

// FileName returns what the RefBox's zip of a game is called, like 20260703_155014.TechU-Water.zip: when it began in UTC
// and the teams' short names with only letters, digits, _ and what no file system minds.
func FileName(start soccer.Time, home, away string) string {
	return stamp(start) + "." + safeName(home, "HOME") + "-" + safeName(away, "AWAY") + ".zip"
}

// LogName returns what the log of a game is called, like 20260703_155014.mcap.
func LogName(start soccer.Time) string { return stamp(start) + ".mcap" }

func stamp(t soccer.Time) string { return time.Unix(0, int64(t)).UTC().Format("20060102_150405") }

// safeName leaves of a team's name what is safe in the name of a file and cannot be taken for its parts; it is cut to
// 32 bytes.
func safeName(name, otherwise string) string {
	b := make([]byte, 0, 32)
	for i := 0; i < len(name) && len(b) < cap(b); i++ {
		switch c := name[i]; {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_':
			b = append(b, c)
		case c == ' ':
			b = append(b, '_')
		}
	}
	if len(b) == 0 {
		return otherwise
	}
	return string(b)
}

// AppendPacket appends a datagram as the channel packets has it: how many bytes were sent (uint32, little endian; more
// than follow where it was cut), the length of the channel's name and of the sender's address (one byte each), both of
// them as text, and the bytes.
func AppendPacket(b []byte, p *soccer.Packet) []byte {
	var text [64]byte
	from := p.From.AppendTo(text[:0])
	channel := p.Channel[:min(len(p.Channel), 255)]
	b = binary.LittleEndian.AppendUint32(b, uint32(p.FullSize()))
	b = append(b, byte(len(channel)), byte(len(from)))
	b = append(b, channel...)
	b = append(b, from...)
	return append(b, p.Data...)
}

// ParsePacket reads what AppendPacket wrote; Data is data's.
func ParsePacket(m Message) (soccer.Packet, error) {
	b := m.Data
	if len(b) < 6 || len(b) < 6+int(b[4])+int(b[5]) {
		return soccer.Packet{}, fmt.Errorf("matchlog: %d bytes are no packet: leave the message out", len(b))
	}
	channel, from, data := b[6:6+int(b[4])], b[6+int(b[4]):6+int(b[4])+int(b[5])], b[6+int(b[4])+int(b[5]):]
	p := soccer.Packet{Time: m.Time, Channel: string(channel), Data: data}
	if size := binary.LittleEndian.Uint32(b); int64(size) > int64(len(data)) && size <= 1<<16 {
		p.Size = int(size)
	}
	var err error
	if p.From, err = netip.ParseAddrPort(string(from)); err != nil && len(from) > 0 {
		return p, fmt.Errorf("matchlog: a packet from %.40q: %w", from, err)
	}
	return p, nil
}
