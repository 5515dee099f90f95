package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/internal/formats"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// contentDifference is where two messages differ.
type contentDifference struct {
	Protocol string `json:"protocol"` // what the bytes are: "TCM datagram", "JSON"; "" for other bytes
	Team     string `json:"team"`     // "home", "cyan" or a number; "" if no team is concerned
	Robot    string `json:"robot"`    // "robot 3" or "robot:3"; "" if no robot is concerned
	Byte     int    `json:"byte"`     // offset of the first byte that differs, in the datagram or in the message; -1: none does
	Field    string `json:"field"`    // field of the datagram, or path of the JSON member: "robots[2].pose.x"; "" if unknown
	A        string `json:"a"`        // its value
	B        string `json:"b"`
}

// nothing is the value of what one of the messages does not hold.
const nothing = "nothing"

// firstByte returns the offset of the first byte that differs; -1 for equal bytes.
func firstByte(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

// compareContents tells where two messages of a channel differ.
func compareContents(channel string, a, b []byte) contentDifference {
	if channel == matchlog.Packets || channel == matchlog.TCM {
		p, err := matchlog.ParsePacket(matchlog.Message{Data: a})
		q, err2 := matchlog.ParsePacket(matchlog.Message{Data: b})
		if err == nil && err2 == nil {
			return comparePackets(&p, &q)
		}
	}
	if d, ok := compareJSON(a, b); ok {
		if d.Team == "" {
			d.Team = teamOfChannel(channel)
		}
		return d
	}
	i := firstByte(a, b)
	return contentDifference{Byte: i, Team: teamOfChannel(channel), A: bytesAt(a, i), B: bytesAt(b, i)}
}

// teamOfChannel returns the team whose base station sent the messages of a channel, or that a topic is about.
func teamOfChannel(channel string) string {
	first, _, _ := strings.Cut(channel, "/")
	switch {
	case first == matchlog.Home || first == matchlog.Away:
		return first
	case strings.HasSuffix(channel, ".away"):
		return matchlog.Away
	}
	return ""
}

// describeContent tells whose message only one of two logs has.
func describeContent(channel string, data []byte) contentDifference {
	d := contentDifference{Byte: -1, Team: teamOfChannel(channel)}
	if channel != matchlog.Packets && channel != matchlog.TCM {
		return d
	}
	if p, err := matchlog.ParsePacket(matchlog.Message{Data: data}); err == nil {
		known := formats.Dissect(&p)
		d.Protocol, d.Team, d.Robot = known.Protocol, known.Team, known.Robot
	}
	return d
}

// bytesAt shows the bytes at an offset: as text where they are text.
func bytesAt(b []byte, i int) string {
	const most = 24
	if i >= len(b) || i < 0 {
		return nothing
	}
	part := b[i:min(len(b), i+most)]
	if !slices.ContainsFunc(part, func(c byte) bool { return c < ' ' || c > '~' }) {
		return strconv.Quote(string(part))
	}
	return "0x" + hex.EncodeToString(part[:1])
}

// comparePackets tells where two datagrams differ.
func comparePackets(a, b *soccer.Packet) contentDifference {
	known, other := formats.Dissect(a), formats.Dissect(b)
	if len(known.Fields) < len(other.Fields) {
		known = other // the one that can be read
	}
	d := contentDifference{Protocol: known.Protocol, Team: known.Team, Robot: known.Robot, Byte: firstByte(a.Data, b.Data)}
	switch i := d.Byte; {
	case a.Channel != b.Channel:
		d.Byte, d.Field, d.A, d.B = -1, "destination", wire.Printable(a.Channel), wire.Printable(b.Channel)
	case a.From != b.From:
		d.Byte, d.Field, d.A, d.B = -1, "sender", addressText(a), addressText(b)
	case i < 0:
		d.Field, d.A, d.B = "size", strconv.Itoa(a.FullSize()), strconv.Itoa(b.FullSize())
	default:
		d.A, d.B = bytesAt(a.Data, i), bytesAt(b.Data, i)
		at := slices.IndexFunc(known.Fields, func(f wire.Field) bool { return f.Offset <= i && i < f.Offset+f.Len })
		if at < 0 {
			break
		}
		d.Field = known.Fields[at].Name
		for text, of := range map[*string]*soccer.Packet{&d.A: a, &d.B: b} {
			if v, found := fieldValue(of, known.Fields[at].Name); found {
				*text = v
			}
		}
		if d.A == d.B { // the values are rounded
			d.A, d.B = d.A+" ("+bytesAt(a.Data, i)+")", d.B+" ("+bytesAt(b.Data, i)+")"
		}
	}
	return d
}

func addressText(p *soccer.Packet) string {
	if !p.From.IsValid() {
		return "unknown"
	}
	return p.From.String()
}

// fieldValue returns the value of a datagram's field with its unit.
func fieldValue(p *soccer.Packet, name string) (string, bool) {
	for _, f := range formats.Dissect(p).Fields {
		if f.Name == name && f.Value != "" {
			return wire.Printable(strings.TrimSpace(f.Value + " " + f.Unit)), true
		}
	}
	return "", false
}

// compareJSON returns the first member in which two JSON texts differ; false if one of them is none.
func compareJSON(a, b []byte) (contentDifference, bool) {
	path, ok := firstMember(a, b)
	if !ok {
		return contentDifference{}, false
	}
	d := contentDifference{Protocol: "JSON", Byte: firstByte(a, b)}
	if path == nil { // written differently
		d.A, d.B = bytesAt(a, d.Byte), bytesAt(b, d.Byte)
		return d, true
	}
	d.A, _ = d.follow(a, *path)
	text, found := d.follow(b, *path)
	if d.B = text; !found {
		d.follow(a, *path) // the path is that of the other
	}
	return d, true
}

// follow sets field, robot and team by the members on a path through a JSON text, and returns the value at its end.
func (d *contentDifference) follow(text []byte, path jsontext.Pointer) (value string, found bool) {
	var at any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if numbers.Decode(&at) != nil {
		return nothing, false
	}
	d.Field, d.Robot, d.Team = "", "", ""
	list := "" // the list around
	for name := range path.Tokens() {
		d.identify(at, list)
		switch v := at.(type) {
		case map[string]any:
			if list = name; d.Field != "" {
				d.Field += "."
			}
			d.Field += wire.Printable(name)
			if at, found = v[name]; !found {
				return nothing, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			d.Field += "[" + name + "]"
			if err != nil || i < 0 || i >= len(v) {
				return nothing, false
			}
			at = v[i]
		default:
			return nothing, false
		}
	}
	d.identify(at, list)
	return shortJSON(at), true
}

// robotLists are the members with robots, which may be those of a team.
var robotLists = []string{"robots", "tiles", "blue", "yellow", "home", "away", "nodes"}

// identify sets robot and team by an object on the path, if it is the first one about a robot.
func (d *contentDifference) identify(at any, list string) {
	if d.Team == "" && slices.Contains([]string{"home", "away", "blue", "yellow"}, list) {
		d.Team = list
	}
	o, ok := at.(map[string]any)
	if !ok || d.Robot != "" {
		return
	}
	team, hasTeam := o["team"].(string)
	if hasTeam && team != "" {
		d.Team = wire.Printable(team)
	} else if n, ok := o["color"].(json.Number); ok && !hasTeam {
		if color, err := strconv.ParseUint(n.String(), 10, 8); err == nil {
			d.Team = soccer.Color(color).String()
		}
	}
	if !hasTeam && !slices.Contains(robotLists, list) {
		return
	}
	for _, name := range []string{"number", "id"} {
		if n, ok := o[name].(json.Number); ok {
			d.Robot = "robot " + n.String()
			return
		}
	}
	if name, ok := o["entity"].(string); ok {
		d.Robot = wire.Printable(name)
	}
}

// shortJSON returns a value as text of one line.
func shortJSON(v any) string {
	const most = 60
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		return v.String()
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case string:
		if r := []rune(v); len(r) > most {
			v = string(r[:most]) + "…"
		}
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}

// firstMember returns the path of the first value in which two JSON texts differ, nil if only their writing does. It
// reports false if one of them is no JSON before that.
func firstMember(a, b []byte) (*jsontext.Pointer, bool) {
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	x, y := jsontext.NewDecoder(bytes.NewReader(a), options...), jsontext.NewDecoder(bytes.NewReader(b), options...)
	for depth := -1; depth != 0; depth = x.StackDepth() {
		s, err := x.ReadToken()
		t, err2 := y.ReadToken()
		if err != nil || err2 != nil {
			return nil, false
		}
		if s.Kind() == t.Kind() && s.String() == t.String() {
			continue
		}
		path, other := x.StackPointer(), y.StackPointer()
		if s.Kind() == '}' || s.Kind() == ']' || path != other && holds(b, path) {
			path = other // the value that a lacks
		}
		return &path, true
	}
	return nil, true
}

// holds reports whether a JSON text has a value at a path.
func holds(text []byte, path jsontext.Pointer) bool {
	_, found := new(contentDifference).follow(text, path)
	return found
}
