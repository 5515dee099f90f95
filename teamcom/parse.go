package teamcom

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"touchline/wire"
	"touchline/wire/tcm"
)

// Bounds of a TCM.ini.
const (
	maxText   = 64 << 10
	maxErrors = 20
)

// highestBase is the highest base port: the four ports end at 65535.
const highestBase = 65535 - tcm.Sockets + 1

// parser holds the state of one Parse.
type parser struct {
	dir     Directory
	line    int
	section string         // "" before the first one; "?" in an unknown one, whose lines are skipped
	keys    map[string]int // line of each key, by section and key
	lines   []int          // line of each entry
	groups  [2]int         // lines of group and managers
	faults  []fault
}

// fault is one error of the file.
type fault struct {
	line int
	text string
}

// Parse reads the text of a TCM.ini. Its error lists every fault with its line, up to 20 of them.
func Parse(text []byte) (*Directory, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the file has %d bytes: want at most %d", len(text), maxText)
	}
	p := parser{dir: Directory{Team: 1}, keys: map[string]int{}}
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		p.line++
		p.parseLine(line)
	}
	p.checkPorts()
	if err := p.err(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.dir.Entries, func(a, b Entry) int { return compare(a.Entity, b.Entity) })
	return &p.dir, nil
}

// failf records an error of a line.
func (p *parser) failf(line int, format string, args ...any) {
	p.faults = append(p.faults, fault{line, fmt.Sprintf(format, args...)})
}

// err returns the faults in the order of their lines, one a line of text.
func (p *parser) err() error {
	slices.SortStableFunc(p.faults, func(a, b fault) int { return a.line - b.line })
	var all []error
	for i, f := range p.faults {
		if i == maxErrors {
			all = append(all, fmt.Errorf("and %d more errors", len(p.faults)-maxErrors))
			break
		}
		all = append(all, fmt.Errorf("line %d: %s", f.line, f.text))
	}
	return errors.Join(all...)
}

// quoted returns text of the file for an error.
func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return fmt.Sprintf("%.60s", wire.Printable(text))
}

// blanks are the characters between words.
const blanks = " \t\r\n"

// withoutComment cuts a comment, which starts with a ";" or "#" at the start of the line, after a blank or after "=".
func withoutComment(line string) string {
	for i := range len(line) {
		if (line[i] == ';' || line[i] == '#') && (i == 0 || strings.IndexByte(blanks+"=", line[i-1]) >= 0) {
			return line[:i]
		}
	}
	return line
}

func (p *parser) parseLine(line string) {
	if !utf8.ValidString(line) {
		p.failf(p.line, "%s: want text in UTF-8", quoted(strings.Trim(line, blanks)))
		return
	}
	line = strings.Trim(withoutComment(line), blanks)
	if line == "" {
		return
	}
	if strings.HasPrefix(line, "[") {
		p.startSection(line)
		return
	}
	key, value, ok := strings.Cut(line, "=")
	key, value = strings.ToLower(strings.Trim(key, blanks)), strings.Trim(value, blanks)
	switch {
	case p.section == "?":
	case !ok:
		p.failf(p.line, "%s: want KEY = VALUE, for example 3 = 192.168.1.13:23000", quoted(line))
	case p.section == "":
		p.failf(p.line, "%s comes before the first section: want [team], [robots] or [computers] above it", quoted(line))
	case p.section == "team":
		p.setTeam(key, value)
	case p.section == "robots":
		p.addEntry(tcm.Robot, key, value)
	default:
		p.addEntry(tcm.Computer, key, value)
	}
}

func (p *parser) startSection(line string) {
	name, ok := strings.CutSuffix(strings.TrimPrefix(line, "["), "]")
	switch p.section = strings.ToLower(strings.Trim(name, blanks)); {
	case ok && slices.Contains([]string{"team", "robots", "computers"}, p.section):
	default:
		p.section = "?"
		p.failf(p.line, "section %s: want [team], [robots] or [computers]", quoted(line))
	}
}

// isFirst reports whether a key is the first of its name in its section.
func (p *parser) isFirst(key string) bool {
	name := p.section + "." + key
	if first := p.keys[name]; first > 0 {
		p.failf(p.line, "%s is given twice in [%s], first in line %d: want it once", quoted(key), p.section, first)
		return false
	}
	p.keys[name] = p.line
	return true
}

func (p *parser) setTeam(key, value string) {
	switch key {
	case "number", "group", "managers", "key":
		if !p.isFirst(key) {
			return
		}
	default:
		p.failf(p.line, "key %s: want number, group, managers or key in [team], for example number = 1", quoted(key))
		return
	}
	switch key {
	case "number":
		n, err := strconv.ParseUint(value, 10, 8)
		if err != nil || n == 0 {
			p.failf(p.line, "number %s: want the number of the team from 1 to 255, for example number = 1", quoted(value))
		}
		p.dir.Team = uint8(n)
	case "group":
		p.dir.Group, p.groups[0] = p.group(key, value), p.line
	case "managers":
		p.dir.Managers, p.groups[1] = p.group(key, value), p.line
	case "key":
		if value == "" {
			p.failf(p.line, "key is empty: want the file with the team's key, for example key = team.key")
		}
		p.dir.KeyFile = value
	}
}

// group parses the address of a multicast group.
func (p *parser) group(key, value string) netip.AddrPort {
	addr, ok := parseBase(value)
	if !ok || !addr.Addr().IsMulticast() {
		p.failf(p.line, "%s %s: want a multicast address and a base port from 1 to %d, for example %s = 239.0.0.1:23100",
			key, quoted(value), highestBase, key)
		return netip.AddrPort{}
	}
	return addr
}

// parseBase parses an address with a base port.
func parseBase(value string) (netip.AddrPort, bool) {
	addr, err := netip.ParseAddrPort(value)
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	return addr, err == nil && addr.Port() >= 1 && addr.Port() <= highestBase
}

func (p *parser) addEntry(kind tcm.Kind, key, value string) {
	id, err := strconv.ParseUint(key, 10, 8)
	if err != nil || id == 0 {
		p.failf(p.line, "id %s: want 1 to 255, for example 3 = 192.168.1.13:23000", quoted(key))
		return
	}
	if !p.isFirst(strconv.Itoa(int(id))) {
		return
	}
	e := Entry{Entity: tcm.Entity{Kind: kind, ID: uint8(id)}}
	if strings.EqualFold(value, "any") {
		e.Learn = true
	} else if e.Addr = p.unicast(e.Entity, value); !e.Addr.IsValid() {
		return
	}
	p.dir.Entries, p.lines = append(p.dir.Entries, e), append(p.lines, p.line)
}

// unicast parses the address of an entity. It returns the zero address after an error.
func (p *parser) unicast(e tcm.Entity, value string) netip.AddrPort {
	addr, ok := parseBase(value)
	ip := addr.Addr()
	wrong := ""
	switch {
	case !ok:
	case ip.IsUnspecified():
		wrong = " is the address of no machine"
	case ip.IsMulticast():
		wrong = " is a multicast group, which belongs into [team]"
	case ip.Is4() && ip.As4()[3] == 255:
		wrong = " is an IP broadcast address, which the MSL forbids"
	default:
		return addr
	}
	p.failf(p.line, "%v = %s%s: want ADDRESS:BASEPORT with a base port from 1 to %d, or any, for example %d = 192.168.1.13:23000",
		e, quoted(value), wrong, highestBase, e.ID)
	return netip.AddrPort{}
}

// checkPorts finds entries and groups with an address in common whose four ports overlap.
func (p *parser) checkPorts() {
	var claims []claim
	for i, e := range p.dir.Entries {
		if !e.Learn {
			claims = append(claims, claim{e.Entity.String(), e.Addr, p.lines[i]})
		}
	}
	for i, g := range []netip.AddrPort{p.dir.Group, p.dir.Managers} {
		if g.IsValid() {
			claims = append(claims, claim{[]string{"group", "managers"}[i], g, p.groups[i]})
		}
	}
	slices.SortFunc(claims, func(a, b claim) int { return a.line - b.line })
	for i, c := range claims {
		if j := slices.IndexFunc(claims[:i], c.overlaps); j >= 0 {
			first, port := claims[j], c.addr.Port()
			p.failf(c.line, "%s = %v needs ports %d to %d, but %s in line %d needs ports %d to %d: want other ports, for example %d",
				c.name, c.addr, port, port+tcm.Sockets-1, first.name, first.line, first.addr.Port(),
				first.addr.Port()+tcm.Sockets-1, freeBase(first.addr.Port()))
		}
	}
}

// claim is a line of the file that needs four ports.
type claim struct {
	name string
	addr netip.AddrPort
	line int
}

// overlaps reports whether two claims share a port of one address.
func (c claim) overlaps(other claim) bool {
	a, b := int(c.addr.Port()), int(other.addr.Port())
	return c.addr.Addr() == other.addr.Addr() && max(a, b)-min(a, b) < tcm.Sockets
}

// freeBase returns a base port whose four ports do not overlap those of another base port.
func freeBase(taken uint16) uint16 {
	if taken > highestBase-tcm.Sockets {
		return taken - tcm.Sockets
	}
	return taken + tcm.Sockets
}
