// Package matchlog writes and reads match logs: what was received, sent and decided in a match, in one file. It reads a
// log while the file grows, after a crash and years later. It also reads and writes the zips of RefBox 2016 and RefBox
// 2.1, and the logs of the Small Size League (SSL_LOG_FILE), and reads MCAP files of other programs.
//
// A log is one MCAP file (mcap.dev) without chunks and compression: a written message is in the operating system's
// hands. A packed log holds its messages in chunks that are compressed with zstd: those of a match have 4 MiB, those of a
// live recording the messages of 250 ms (Recorder). The profile is "touchline". A message's log time is Time, its publish
// time is Published, and its sequence number is the CRC-32C of the rest of the record, which reveals damage and a torn end.
// Of a finished log, readers leave damaged records out and note how many messages are lost. While a log is written, zeros
// may follow its last record; Close cuts them off. The metadata record "touchline" describes the log with the keys Meta...;
// the newest record is valid. Metadata records "touchline.annotation" are notes that persons wrote: see Annotation.
//
//	channel       one message is
//	home, away    a message of the team's base station as received, without its NUL, valid JSON or not
//	home/empty,   the empty worldstate (MSL World Model 2015, section 3) of 100 ms without a worldstate; Time is their end
//	away/empty
//	home/untimed, an object in a team's file of the RefBox that is not a record with a timestamp; Time is that of the
//	away/untimed  record before it. Only logs read from the RefBox's files have these channels
//	home/sent,    a game.Departure as JSON: when a message left for the team; Time is that time
//	away/sent
//	commands      a message to the teams as sent, without its NUL; of a station's record, as received
//	decisions     a game.Decision as JSON
//	admissions    a refbox.Admission as JSON: which team has which side
//	lines         a line of the RefBox's log of events (msl.Line), without its line break
//	states        a game.State as JSON, after each decision and once a second: clock, part and score
//	sent          a game.Delivery as JSON, once the messages of a decision are in the sockets of all teams
//	omitted       a game.Omission as JSON: how many messages of a team in one second the log does not hold
//	verdicts      a game.Verdict as JSON: what the referee's review of a decision found
//	notes         free text: trouble, lost bytes, reconnections
//	marks         an event of a VSS simulator as JSON, {"time":s,"kind":"goal","text":"blue scores: blue 1, yellow 0"};
//	              time is that of the simulation
//	truth         the ground truth in the field frame, {"time":ns,"ball":{"x","y","z"},
//	              "robots":[{"number","team","off","pose":{"x","y","theta"}}],"contacts":{...}}: a game.Truth; exports do
//	              not contain it
//	packets       a datagram, received or sent: see AppendPacket
//	tcm           the same for datagrams of the TCM
//	ssl/TYPE      a message of a log of the Small Size League that is no packet; Published is the time in its file
//	topic/NAME    the page's topic NAME as JSON, up to ten times a second. topic/wall has the ground truth and the beliefs
//	              of each robot of a demo, or the senders of a monitor; topic/vss has the field of a VSS simulator
//	machine/HEX   a state machine as JSON (hfsm.Machine), named by the checksum that robots send
//	foxglove/...  the ground truth, the beliefs and the field for Foxglove's 3D panel: see package internal/playback
//
// In the file, messages of the channels lines, notes, packets and tcm are the field 1 of a message of protocol buffers, which
// their schemas describe: Foxglove and Lichtblick refuse files with other encodings. Logs of earlier versions have them as
// they are, with the encodings text and application/octet-stream. Recorded topics, truth, states and foxglove/... have JSON
// Schemas.
package matchlog

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/tcm"
)

// Channels of a log.
const (
	Home        = game.HomeChannel
	Away        = game.AwayChannel
	HomeEmpty   = game.HomeEmptyChannel
	AwayEmpty   = game.AwayEmptyChannel
	HomeUntimed = "home/untimed"
	AwayUntimed = "away/untimed"
	HomeSent    = game.HomeSentChannel
	AwaySent    = game.AwaySentChannel
	Commands    = game.CommandsChannel
	Decisions   = game.DecisionsChannel
	Admissions  = game.AdmissionsChannel
	Lines       = game.LinesChannel
	States      = game.StatesChannel
	Sent        = game.SentChannel
	Omitted     = game.OmittedChannel
	Notes       = game.NotesChannel
	Verdicts    = game.VerdictsChannel
	Marks       = "marks"
	Truth       = "truth"
	VSS         = "topic/vss"
	Packets     = "packets"
	TCM         = "tcm"
)

// StartedAgain is the note of a referee box that continues a game after a crash or a power cut, or in another one's place.
const StartedAgain = "the referee box was started again"

// TopicPrefix begins the name of a channel with a topic of the page.
const TopicPrefix = "topic/"

// Keys of the metadata. All of them are optional; other keys may exist.
const (
	MetaField     = "field"     // name of the field, as given by refbox --name
	MetaMarkings  = "markings"  // the field as JSON (soccer.Field); in place of size
	MetaSize      = "size"      // size of the field in m: "22x14" or "18x12"
	MetaRules     = "rules"     // the rules of the match as JSON
	MetaBegan     = "began"     // start of the match in ns since 1970, decimal
	MetaHome      = "home"      // long name of the team that attacks +x
	MetaAway      = "away"      // long name of the other team
	MetaHomeShort = "homeShort" // short name, used in file names
	MetaAwayShort = "awayShort"
	MetaHomeID    = "homeID" // number in the team table
	MetaAwayID    = "awayID"
	MetaSeed      = "seed"    // seed of the program that made the record
	MetaFlags     = "flags"   // its command with its flags
	metaReceipt   = "receipt" // receiptComputed, or absent: Time of home and away is when the message was received
)

// receiptComputed marks times of receipt that are sums of timestamp and ageMs, as all in the RefBox's files.
const receiptComputed = "computed"

// maxData is the maximum length of a message in bytes.
const maxData = 16 << 20

// Message is one message of a log.
type Message struct {
	Time      soccer.Time // when the message was received or created
	Published soccer.Time // the time that the contents describe: receipt minus ageMs for a worldstate; 0: equal to Time
	Channel   string
	Data      []byte
	Source    Source // place of Data, set by readers; a Writer ignores it

	offset int64 // place of its record in Log.data
}

// Source is the place of a message in the opened file.
type Source struct {
	File   string // name of the file within a zip; "" for the opened file itself
	Line   int64  // line of the message's first byte, from 1; 0 in an MCAP file
	Offset int64  // place of the message's first byte in File; 0 if it is unknown, as in a chunk of an MCAP file
}

// FileName returns the name of a game's RefBox zip, for example 20260703_155014.TechU-Water.zip: the start in UTC and
// the teams' short names, reduced to ASCII letters, digits and underscores.
func FileName(start soccer.Time, home, away string) string {
	return stamp(start) + "." + safeName(home, "HOME") + "-" + safeName(away, "AWAY") + ".zip"
}

// LogName returns the name of a game's log, for example 20260703_155014.mcap.
func LogName(start soccer.Time) string { return stamp(start) + ".mcap" }

func stamp(t soccer.Time) string { return time.Unix(0, int64(t)).UTC().Format("20060102_150405") }

// safeName reduces a team's name to at most 32 letters, digits and underscores; without any it returns fallback.
func safeName(name, fallback string) string {
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
		return fallback
	}
	return string(b)
}

// PacketChannel returns the channel of a datagram: TCM or Packets.
func PacketChannel(p *soccer.Packet) string {
	if tcm.Is(p.Data) {
		return TCM
	}
	return Packets
}

// AppendPacket appends a datagram in the layout of the channels packets and tcm: the number of sent bytes (uint32, little
// endian; larger than the rest if the datagram was cut), the lengths of p.Channel and of the sender's address (one byte
// each), both as text, and the bytes.
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

// ParsePacket decodes a message of the channels packets and tcm. The packet's Data is part of m.Data.
func ParsePacket(m Message) (soccer.Packet, error) {
	b := m.Data
	if len(b) < 6 || len(b) < 6+int(b[4])+int(b[5]) {
		return soccer.Packet{}, fmt.Errorf("matchlog: a message of %d bytes is too short for a packet", len(b))
	}
	channel, from, data := b[6:6+int(b[4])], b[6+int(b[4]):6+int(b[4])+int(b[5])], b[6+int(b[4])+int(b[5]):]
	p := soccer.Packet{Time: m.Time, Channel: string(channel), Data: data}
	if size := binary.LittleEndian.Uint32(b); int64(size) > int64(len(data)) && size <= 1<<16 {
		p.Size = int(size)
	}
	var err error
	if p.From, err = netip.ParseAddrPort(string(from)); err != nil && len(from) > 0 {
		return p, fmt.Errorf("matchlog: the packet's sender %.40q is not an address and port: %w", from, err)
	}
	return p, nil
}
