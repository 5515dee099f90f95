// Package check finds the faults of what robots, base stations and simulators send, with the source of each broken rule.
//
// A Checker takes packets of the formats in package formats one by one and returns a Report. Its parts also serve the live pages: a Judge judges percepts over time, a DatagramChecker the TCM, Beat the rhythm of a
// sender, and Repeats finds duplicates. A Card takes all messages of one base station and returns a report card; Compare
// checks two teams against each other. Package checknet feeds them from the network and from match logs.
package check

import "touchline/wire"

// Report is what a Checker found in a stream of packets. Its JSON is stable: fields are added, none change.
type Report struct {
	OK       bool   `json:"ok"`       // there are packets other than Foreign, and none breaks a rule; notes do not count
	Packets  uint64 `json:"packets"`  // all packets
	Packages uint64 `json:"packages"` // mixed team packages
	FIRASim  uint64 `json:"firasim"`  // FIRASim's and VSSReferee's messages
	TCM      uint64 `json:"tcm"`      // TCM datagrams
	HSL      uint64 `json:"hsl"`      // messages of the Humanoid Soccer League
	SSL      uint64 `json:"ssl"`      // messages of the Small Size League
	// Formats counts the messages of each format, under the names in docs/formats.md
	Formats map[string]uint64 `json:"formats"`
	Foreign uint64            `json:"foreign"` // other traffic, which may share the channel
	Wrong   uint64            `json:"wrong"`   // packets that break a rule
	Senders []Sender          `json:"senders"` // senders in the order of their first packets
}

// Sender is what a Checker found in one sender's packets. Packages are told apart by address, colour and jersey number,
// FIRASim's messages by address and kind, TCM datagrams by team and entity, unreadable ones and other traffic by address.
// A nil pointer stands for an unknown figure.
type Sender struct {
	Addr     string     `json:"addr"`    // "" if the input holds no addresses
	Color    string     `json:"color"`   // "cyan", "magenta", "no colour"
	Number   uint8      `json:"number"`  // on the jersey; 0 if the package does not tell
	Team     string     `json:"team"`    // by original_team_id, or "team 24" of the Humanoid League; "" if that is unknown
	Message  string     `json:"message"` // FIRASim's message, such as "Environment"; "TCM"; "HSL control message"; "" for others
	Foreign  bool       `json:"foreign"` // other traffic
	Others   bool       `json:"others"`  // the row of all senders after the first 256
	Variant  string     `json:"variant"` // layout of the last packet: "v1", "v2", "v2 padded", "unrecognised"; "" for FIRASim
	Sure     float64    `json:"sure"`    // confidence in the variant, 0..1, the least of all packets
	Why      string     `json:"why"`     // reason for the variant of that packet
	Packets  uint64     `json:"packets"`
	Wrong    uint64     `json:"wrong"`    // packets that break a rule
	Trailing int        `json:"trailing"` // bytes after the package in the last packet
	Rate     *float64   `json:"rate"`     // Hz
	GapP50   *float64   `json:"gapP50"`   // ms between packets
	GapP99   *float64   `json:"gapP99"`
	GapMax   *float64   `json:"gapMax"`
	Jitter   *float64   `json:"jitter"`   // ms
	Missing  *float64   `json:"missing"`  // share of lost packets, 0..1; estimated (see Beat.Missing), exact for TCM datagrams
	Repeated uint64     `json:"repeated"` // duplicates
	Findings []Finding  `json:"findings"` // findings in the order in which they were found
	Further  uint64     `json:"further"`  // findings of kinds after the first 64
	TCM      *TCMSender `json:"tcm"`      // nil for unreadable datagrams and other packets

	name string // of the message, "FIRASim Environment"
}

// TCMSender is what a Checker counted in the TCM datagrams of one entity.
type TCMSender struct {
	Team     uint8    `json:"team"`
	Entity   string   `json:"entity"` // "robot:3"
	Restarts int      `json:"restarts"`
	Streams  []Stream `json:"streams"` // by destination and socket
	Types    []Type   `json:"types"`   // by destination, module and type
}

// Stream is what was observed of a sender's datagrams to one destination and socket. Its JSON is stable.
type Stream struct {
	To         string `json:"to"`         // "robots", "computer:1"
	Socket     string `json:"socket"`     // "robots", "bulk", "telemetry", "command"
	Received   uint64 `json:"received"`   // datagrams
	Lost       uint64 `json:"lost"`       // sequence numbers that are missing
	Duplicates uint64 `json:"duplicates"` // datagrams that arrived again
	Reordered  uint64 `json:"reordered"`  // datagrams that a newer one overtook
}

// Type is what was observed of a sender's messages of one type to one destination. Its JSON is stable.
type Type struct {
	Kind       Kind   `json:"-"`
	To         string `json:"to"`
	Module     string `json:"module"`     // "GM", "module 64"
	Type       string `json:"type"`       // "belief", "type 1000"
	Received   uint64 `json:"received"`   // whole messages
	Lost       uint64 `json:"lost"`       // messages of which no piece arrived
	Incomplete uint64 `json:"incomplete"` // messages of which pieces are missing
	Repeated   uint64 `json:"repeated"`   // messages and pieces that were sent again
	Bytes      uint64 `json:"bytes"`      // length of the whole messages
}

// Finding is one kind of issue: all issues of one sender with the same field, source and text, apart from the numbers
// in the text.
type Finding struct {
	wire.Issue         // issue of the first packet that has it
	Count      uint64  `json:"count"`  // number of packets
	Packet     uint64  `json:"packet"` // number of the first packet in the input, from 1
	Time       float64 `json:"time"`   // s since the first packet of the input; 0 if the input holds no times
	Value      string  `json:"value"`  // value of the field in that packet, with its unit; "" for a whole message
	Hex        string  `json:"hex"`    // the packet's first 1024 bytes
}

// Figure returns a figure of a report: nil if it is unknown.
func Figure(v float64, known bool) *float64 {
	if !known {
		return nil
	}
	return &v
}
