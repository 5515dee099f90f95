package hsl

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"

	"touchline/wire"
)

// Kind is one of the messages.
type Kind uint8

// The messages.
const (
	KindControl Kind = iota
	KindTrueState
	KindReturn
	KindForward
	KindRequest
	KindTeam
	kinds
)

var kindNames = [kinds]string{
	"control message", "true state", "return message", "forwarded return message", "monitor request", "team message",
}

// String returns the name of the message.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Identify returns which message b is, and whether it is one, by its first bytes and the UDP port that it was sent to,
// 0 if that is unknown. All else that a team's port gets is a team message, since its format is the team's own.
func Identify(port uint16, b []byte) (Kind, bool) {
	for _, k := range [...]Kind{KindControl, KindTrueState, KindReturn, KindRequest} {
		if hasHeader(b, tables[k].header) {
			return k, true
		}
	}
	isReturn := len(b) >= sizeAddress && hasHeader(b[sizeAddress:], headerReturn)
	switch {
	case isReturn && (port == ForwardPort || port == 0 && len(b) == ForwardSize):
		return KindForward, true
	case port > TeamPort && port < TeamPort+NoTeam:
		return KindTeam, true
	}
	return 0, false
}

// simulatedTeams is the group to which robots of simulated games send their team messages.
var simulatedTeams = netip.AddrFrom4([4]byte{239, 0, 0, 1})

// KindOf is Identify for traffic of which only a part may be the league's: a packet to a team's port is a team message if it
// is broadcast, as the rules demand, or goes to the group of simulated games.
func KindOf(to netip.AddrPort, b []byte) (Kind, bool) {
	kind, ok := Identify(to.Port(), b)
	broadcast := to.Addr() == simulatedTeams || to.Addr().Is4() && to.Addr().As4()[3] == 255
	return kind, ok && (kind != KindTeam || broadcast)
}

// Sizes and offsets of the parts of a message.
const (
	offsetTeams   = 18
	sizeTeam      = 90
	offsetPlayers = 10
	sizePlayer    = 4
	offsetFloats  = 8
	rowFloats     = 5 // index of the first float in the table of the return message
	sizeAddress   = 4
)

// valueKind is how the bytes of a row are read.
type valueKind uint8

const (
	text    valueKind = iota // 4 characters
	address                  // IPv4 address
	u8
	u16
	i16
	f32
)

// size returns the bytes of the value.
func (k valueKind) size() int { return [...]int{4, 4, 1, 2, 2, 4}[k] }

// row is one row of a byte table.
type row struct {
	at          int
	kind        valueKind
	name, unit  string
	names       []string    // names of the values from 0 on; other values break the rule
	bits        *wire.Style // names of the bits; nil for other values
	least, most float64     // range of the values; both are 0 where all are right
	want        string      // the right values in words, for the text of the rule
}

// table is the byte table of a message.
type table struct {
	header  string
	version uint8
	start   int // offset of the header
	size    int
	rows    []row
}

func (t *table) versionAt() int { return t.start + 4 }

// tables holds the byte table of each kind but team messages, which have none.
var tables = [kinds]*table{
	KindControl: &controlTable, KindTrueState: &trueTable, KindReturn: &returnTable, KindForward: &forwardTable,
	KindRequest: &requestTable, KindTeam: {},
}

var (
	controlTable = newTable(headerControl, ControlVersion, controlRows())
	trueTable    = newTable(headerTrue, ControlVersion, controlRows())
	returnTable  = newTable(headerReturn, ReturnVersion, returnRows)
	forwardTable = newTable(headerReturn, ReturnVersion, append([]row{{kind: address, name: "robot"}}, returnRows...))
	requestTable = newTable(headerRequest, 0, []row{{kind: text, name: "header"}, {kind: u8, name: "version"}})
)

// newTable returns the table of rows, whose offsets it fills in.
func newTable(header string, version uint8, rows []row) table {
	t := table{header: header, version: version}
	for _, r := range rows {
		if r.name == "header" {
			t.start = t.size
		}
		r.at = t.size
		t.size += r.kind.size()
		t.rows = append(t.rows, r)
	}
	return t
}

// shotBits names the bits of singleShots.
var shotBits = wire.Style{Bits: []string{
	"shot 1 scored", "shot 2 scored", "shot 3 scored", "shot 4 scored", "shot 5 scored", "shot 6 scored", "shot 7 scored",
	"shot 8 scored", "shot 9 scored", "shot 10 scored", "shot 11 scored", "shot 12 scored", "shot 13 scored", "shot 14 scored",
	"shot 15 scored", "shot 16 scored",
}}

// controlRows returns the rows of the control message.
func controlRows() []row {
	rows := []row{
		{kind: text, name: "header"},
		{kind: u8, name: "version"},
		{kind: u8, name: "packetNumber"},
		{kind: u8, name: "playersPerTeam", least: 1, most: MaxPlayers, want: "1 to 20 players"},
		{kind: u8, name: "competitionType", names: competitionNames},
		{kind: u8, name: "stopped", names: yesNo},
		{kind: u8, name: "gamePhase", names: phaseNames},
		{kind: u8, name: "state", names: stateNames},
		{kind: u8, name: "setPlay", names: setPlayNames},
		{kind: u8, name: "firstHalf", names: yesNo},
		{kind: u8, name: "kickingTeam"},
		{kind: i16, name: "secsRemaining", unit: "s"},
		{kind: i16, name: "secondaryTime", unit: "s"},
	}
	for i := range 2 {
		team := fmt.Sprintf("teams[%d].", i)
		rows = append(rows,
			row{kind: u8, name: team + "teamNumber", most: NoTeam - 1, want: "0 to 254; 255 stands for no team"},
			row{kind: u8, name: team + "fieldPlayerColour", names: colorNames},
			row{kind: u8, name: team + "goalkeeperColour", names: colorNames},
			row{kind: u8, name: team + "goalkeeper", most: MaxPlayers, want: "the number of a player, 1 to 20, or 0 for none"},
			row{kind: u8, name: team + "score"},
			row{kind: u8, name: team + "penaltyShot"},
			row{kind: u16, name: team + "singleShots", bits: &shotBits},
			row{kind: u16, name: team + "messageBudget", unit: "messages"},
		)
		for k := range MaxPlayers {
			player := fmt.Sprintf("%splayers[%d].", team, k)
			rows = append(rows,
				row{kind: u8, name: player + "penalty", names: penaltyNames},
				row{kind: u8, name: player + "secsTillUnpenalised", unit: "s"},
				row{kind: u8, name: player + "warnings"},
				row{kind: u8, name: player + "cautions"},
			)
		}
	}
	return rows
}

// returnRows are the rows of the return message.
var returnRows = []row{
	{kind: text, name: "header"},
	{kind: u8, name: "version"},
	{kind: u8, name: "playerNum", least: 1, most: MaxPlayers, want: "1 to 20; the GameController drops the message"},
	{kind: u8, name: "teamNum", most: NoTeam - 1, want: "the team's number, 0 to 254"},
	{kind: u8, name: "fallen", names: yesNo},
	{kind: f32, name: "pose.x", unit: "mm", least: -maxAway, most: maxAway, want: "at most 20 m from the centre"},
	{kind: f32, name: "pose.y", unit: "mm", least: -maxAway, most: maxAway, want: "at most 20 m from the centre"},
	{kind: f32, name: "pose.theta", unit: "rad"},
	{kind: f32, name: "ballAge", unit: "s"},
	{kind: f32, name: "ball.x", unit: "mm"},
	{kind: f32, name: "ball.y", unit: "mm"},
}

// table returns the byte table of the kind.
func (k Kind) table() *table { return tables[k] }

// Fields returns the byte table of b, decoded as a message of this kind. It covers every byte of b in order. A message
// of another version is listed up to its version. A team message is one field.
func Fields(kind Kind, b []byte) (fields []wire.Field) {
	if len(b) == 0 || kind >= kinds {
		return nil
	}
	t, at := kind.table(), 0
	for i := range t.rows {
		r := &t.rows[i]
		if r.at+r.kind.size() > len(b) || r.at > t.versionAt() && b[t.versionAt()] != t.version {
			break
		}
		at = r.at + r.kind.size()
		fields = append(fields, r.field(b))
	}
	if at < len(b) {
		name := "unreadable"
		switch {
		case kind == KindTeam:
			name = "team message"
		case at == t.size:
			name = "trailing"
		}
		value := fmt.Sprintf("%d bytes", len(b)-at)
		fields = append(fields, wire.Field{Offset: at, Len: len(b) - at, Name: name, Value: value})
	}
	return fields
}

// field returns the field of the row in b.
func (r *row) field(b []byte) wire.Field {
	f := wire.Field{Offset: r.at, Len: r.kind.size(), Name: r.name, Unit: r.unit}
	switch r.kind {
	case text:
		f.Value = wire.Printable(string(b[r.at : r.at+4]))
	case address:
		f.Value = netip.AddrFrom4([4]byte(b[r.at:])).String()
	case f32:
		f.Value = strconv.FormatFloat(r.value(b), 'g', -1, 32)
	default:
		v := int(r.value(b))
		if r.bits != nil {
			f.Value, _ = r.bits.Value(int64(v), r.kind.size())
			return f
		}
		f.Value = strconv.Itoa(v)
		if v >= 0 && v < len(r.names) {
			f.Value += " (" + r.names[v] + ")"
		} else if v == NoTeam && r.name == "kickingTeam" {
			f.Value += " (none)"
		}
	}
	return f
}

// value returns the number of the row in b; 0 for rows that hold no number.
func (r *row) value(b []byte) float64 {
	switch r.kind {
	case u8:
		return float64(b[r.at])
	case u16:
		return float64(binary.LittleEndian.Uint16(b[r.at:]))
	case i16:
		return float64(int16(binary.LittleEndian.Uint16(b[r.at:])))
	case f32:
		return float64(float32At(b, r.at))
	}
	return 0
}

// Describe returns the byte tables of the messages, and the rules of Check for single integers. A forwarded return message
// has its header behind the address of the robot. Team messages have no table.
func Describe() wire.Description {
	d := wire.Description{Rules: []wire.Rule{
		{Key: "truncated", Source: sourceHeader, Text: "a truncated %s"},
		{Key: "trailing", Source: sourceReaders, Text: "bytes behind the message"},
	}, Ports: []wire.Port{
		{Address: fmt.Sprintf(":%d", ControlPort)}, {Address: fmt.Sprintf(":%d", ReturnPort)},
		{Address: fmt.Sprintf(":%d", ForwardPort)}, {Address: fmt.Sprintf(":%d", RequestPort)},
	}}
	for k, t := range tables {
		if t.size == 0 {
			continue
		}
		m := wire.Message{Type: k, Name: kindNames[k]}
		for i := range t.rows {
			m.Rows = append(m.Rows, t.rows[i].describe(t))
		}
		d.Messages = append(d.Messages, m)
	}
	return d
}

// describe returns a row of a table as the generators of dissectors read it.
func (r *row) describe(t *table) wire.Row {
	w := wire.Row{Name: r.name, Size: r.kind.size(), Unit: r.unit}
	switch r.kind {
	case text:
		w.Kind, w.Style = wire.Bytes, &wire.Style{Fixed: t.header}
		return w
	case address:
		w.Kind = wire.Bytes
		return w
	case f32:
		w.Kind = wire.Float
		return w
	case i16:
		w.Kind = wire.Int
	}
	switch {
	case r.name == "version":
		v := float64(t.version)
		w.Range = &wire.Range{Least: v, Most: v, Text: "%d: want version %d"}
	case r.names != nil:
		w.Style = &wire.Style{Names: wire.NamesOf(r.names)}
		w.Range = &wire.Range{Most: float64(len(r.names) - 1), Text: "%d has no meaning: want %d to %d"}
	case r.want != "":
		w.Range = &wire.Range{Least: r.least, Most: r.most, Text: "%d: want " + r.want}
	case r.bits != nil:
		w.Style = r.bits
	case r.name == "kickingTeam":
		w.Style = &wire.Style{Names: map[int64]string{NoTeam: "none"}}
	}
	return w
}
