// Package formats is the table of the datagrams that touchline knows, a row for each codec in wire. All code that treats
// them alike reads it: the checks, the byte tables on pages and in comparisons, the dissector with the codecs in C and
// Python, and docs/formats.md.
package formats

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/firasim"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/wire/ssl"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Format is a row: the messages of one codec.
type Format struct {
	Name  string // of the codec's folder in wire
	Title string // of a message in a sentence: "TCM datagram"
	// League is whose messages they are, as a title: "Humanoid Soccer League"
	League string
	Page   string // that describes them, in docs
	// Packed: the messages have fixed sizes, and codecs in other languages pack them
	Packed bool
	// Describe returns the byte tables
	Describe func() wire.Description
	// Messages are the messages that fill a datagram, by their numbers in the codec; none if others carry them
	Messages []Message

	find   func(to netip.AddrPort, b []byte) (number int, ok bool)
	sender func(number int, to netip.AddrPort, b []byte) (team, robot string) // nil: the messages do not tell it
}

// Message is a message that fills a datagram.
type Message struct {
	*Format
	Number int
	Kind   string // as check takes it: "environment"; "" for one that it finds out
	Name   string // "FIRASim Environment"
	Check  func(b []byte) []wire.Issue
	Fields func(b []byte) []wire.Field
}

// all are the formats in the order in which Recognise asks them: first those that their first bytes tell.
var all = [...]*Format{
	{Name: "b3p", Title: "ball booking", League: "Middle Size League", Page: "booking.md", Packed: true, Describe: b3p.Describe},
	{Name: "team", Title: "TCM payload", League: "Middle Size League", Page: "teamcom.md", Packed: true, Describe: team.Describe},
	{Name: "tcm", Title: "TCM datagram", League: "Middle Size League", Page: "teamcom.md", Packed: true, Describe: tcm.Describe,
		Messages: []Message{{Kind: "tcm", Name: "TCM datagram", Check: tcm.Check, Fields: datagramFields}},
		find:     func(_ netip.AddrPort, b []byte) (int, bool) { return 0, tcm.Is(b) }, sender: senderTCM},
	{Name: "hsl", Title: "HSL packet", League: "Humanoid Soccer League", Page: "hsl.md", Describe: hsl.Describe,
		Messages: messages("HSL", hsl.Check, hsl.Fields, []string{hsl.KindTeam: "hsl"}),
		find:     func(to netip.AddrPort, b []byte) (int, bool) { return found(hsl.KindOf(to, b)) }, sender: senderHSL},
	{Name: "ssl", Title: "SSL packet", League: "Small Size League", Page: "ssl.md", Describe: ssl.Describe,
		Messages: messages("SSL", ssl.Check, ssl.Fields, []string{"ssl-vision", "ssl-tracker", "ssl-referee", "ssl-simulator",
			"ssl-simulator-response", "ssl-robots", "ssl-robots-response", "ssl-sync", "ssl-sync-response"}),
		find: findSSL},
	{Name: "firasim", Title: "FIRASim packet", League: "Very Small Size", Page: "firasim.md", Describe: firasim.Describe,
		Messages: messages("FIRASim", firasim.Check, firasim.Fields,
			[]string{"environment", "packet", "referee", "placement", "ssl", "grsim"}),
		find: func(to netip.AddrPort, b []byte) (int, bool) { return found(firasim.KindOf(to, b)) }},
	{Name: "mixedteam", Title: "mixed team package", League: "Middle Size League", Page: "mixed-team.md", Packed: true,
		Describe: mixedteam.Describe,
		Messages: []Message{{Kind: "mixed-team", Name: "mixed team package", Check: mixedteam.Check, Fields: mixedteam.Fields}},
		find: func(_ netip.AddrPort, b []byte) (int, bool) {
			return 0, mixedteam.Identify(b).Variant != mixedteam.Foreign
		},
		sender: senderMixedTeam},
	{Name: "msl", Title: "message of a base station", League: "Middle Size League", Page: "refbox.md", Describe: msl.Describe,
		Messages: []Message{{Name: "message of a base station", Check: msl.Check, Fields: msl.Fields}},
		find:     func(_ netip.AddrPort, b []byte) (int, bool) { return 0, isStation(b) }},
}

func init() {
	for _, f := range all {
		for i := range f.Messages {
			f.Messages[i].Format, f.Messages[i].Number = f, i
		}
	}
}

// messages returns the messages of a codec whose kinds are numbered from 0. kinds are their names for check.
func messages[K interface {
	~uint8
	String() string
}](prefix string, check func(K, []byte) []wire.Issue, fields func(K, []byte) []wire.Field, kinds []string) []Message {
	all := make([]Message, len(kinds))
	for i, kind := range kinds {
		k := K(i)
		name := prefix + " " + strings.TrimPrefix(k.String(), prefix+"_")
		all[i] = Message{Kind: kind, Name: name, Check: func(b []byte) []wire.Issue { return check(k, b) },
			Fields: func(b []byte) []wire.Field { return fields(k, b) }}
	}
	return all
}

// All returns the formats.
func All() []*Format { return all[:] }

// Named returns the message of a kind, as check takes it; nil for another text.
func Named(kind string) *Message {
	if kind == "" {
		return nil
	}
	for _, f := range all {
		for i := range f.Messages {
			if m := &f.Messages[i]; m.Kind == kind {
				return m
			}
		}
	}
	return nil
}

// Recognise returns which message a datagram to an address is, by its first bytes or its destination; nil for an unknown
// one. The zero address stands for an unknown destination.
func Recognise(to netip.AddrPort, b []byte) *Message {
	for _, f := range all {
		if f.find == nil {
			continue
		}
		if number, ok := f.find(to, b); ok {
			return &f.Messages[number]
		}
	}
	return nil
}

// Dissection is a datagram as people speak of it.
type Dissection struct {
	Protocol string // the message's Name; "" for an unknown one
	Team     string // of the sender, "cyan" or "1"; "" if that is unknown
	Robot    string // the sender, "robot 3" or "computer:1"; "" if that is unknown
	// Fields is the byte table, empty for an unknown message. Names of messages in a TCM datagram begin with their type,
	// like "belief.ball.x".
	Fields []wire.Field
}

// Dissect decodes a datagram whose Channel is its destination.
func Dissect(p *soccer.Packet) Dissection {
	to, _ := netip.ParseAddrPort(p.Channel)
	m := Recognise(to, p.Data)
	if m == nil {
		return Dissection{}
	}
	d := Dissection{Protocol: m.Name, Fields: m.Fields(p.Data)}
	if m.sender != nil {
		d.Team, d.Robot = m.sender(m.Number, to, p.Data)
	}
	return d
}

func found[K ~uint8](kind K, ok bool) (int, bool) { return int(kind), ok }

// findSSL finds messages of the Small Size League. Other leagues use the ports of its vision and referee for single
// machines.
func findSSL(to netip.AddrPort, b []byte) (int, bool) {
	kind, ok := ssl.KindOf(to, b)
	return int(kind), ok && (to.Addr().IsMulticast() || kind != ssl.KindVision && kind != ssl.KindReferee)
}

// isStation reports whether b is a worldstate or an event of a base station.
func isStation(b []byte) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	kind := msl.KindOf(b)
	return kind == msl.KindWorldstate || kind == msl.KindEvent
}

func senderTCM(_ int, _ netip.AddrPort, b []byte) (team, robot string) {
	var h tcm.Datagram
	if h.UnmarshalBinary(b) != nil {
		return "", ""
	}
	return strconv.Itoa(int(h.Team)), h.From.String()
}

func senderHSL(number int, to netip.AddrPort, b []byte) (team, robot string) {
	var m hsl.Return
	switch hsl.Kind(number) {
	case hsl.KindReturn:
		_ = m.UnmarshalBinary(b) // player and team are known even if a number is NaN
	case hsl.KindForward:
		var f hsl.Forward
		_ = f.UnmarshalBinary(b)
		m = f.Return
	case hsl.KindTeam:
		return strconv.Itoa(int(to.Port() - hsl.TeamPort)), ""
	}
	if m.Player == 0 {
		return "", ""
	}
	return strconv.Itoa(int(m.Team)), fmt.Sprintf("robot %d", m.Player)
}

func senderMixedTeam(_ int, _ netip.AddrPort, b []byte) (team, robot string) {
	var h mixedteam.Header
	_, _ = mixedteam.Decode(b, &h, new(soccer.Percepts)) // what Identify knows can be decoded
	if h.Color != soccer.NoColor {
		team = h.Color.String()
	}
	if h.Robot > 0 {
		robot = fmt.Sprintf("robot %d", h.Robot)
	}
	return team, robot
}
