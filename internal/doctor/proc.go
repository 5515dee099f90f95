package doctor

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRows bounds what is kept of a table of the kernel.
const maxRows = 4096

// Route is an IPv4 route of the main table.
type Route struct {
	Interface string
	To        netip.Prefix
	Gateway   netip.Addr // 0.0.0.0 without one
	Metric    uint64
}

// rows yields the fields of each line of a table after its heading.
func rows(text string, least int) (all [][]string) {
	_, text, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= least && len(all) < maxRows {
			all = append(all, fields)
		}
	}
	return all
}

// hexAddr reads an IPv4 address as the kernel prints it: the bytes of a 32-bit word of a little-endian processor.
func hexAddr(text string) (netip.Addr, bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != 4 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]}), true
}

// ParseRoutes reads /proc/net/route of a little-endian processor. Lines that it does not understand are skipped.
func ParseRoutes(text string) (all []Route) {
	for _, f := range rows(text, 8) {
		to, ok1 := hexAddr(f[1])
		gateway, ok2 := hexAddr(f[2])
		mask, ok3 := hexAddr(f[7])
		metric, err := strconv.ParseUint(f[6], 10, 32)
		if !ok1 || !ok2 || !ok3 || err != nil {
			continue
		}
		bits := 0
		for m := binary.BigEndian.Uint32(mask.AsSlice()); m&(1<<31) != 0; m <<= 1 {
			bits++
		}
		all = append(all, Route{f[0], netip.PrefixFrom(to, bits).Masked(), gateway, metric})
	}
	return all
}

// ParseUDP returns the sockets on a port in /proc/net/udp.
func ParseUDP(text string, port uint16) (all []PortSocket) {
	for _, f := range rows(text, 13) {
		addr, p, ok := strings.Cut(f[1], ":")
		at, valid := hexAddr(addr)
		n, err := strconv.ParseUint(p, 16, 16)
		if !ok || !valid || err != nil || uint16(n) != port {
			continue
		}
		inode, err := strconv.ParseUint(f[9], 10, 64)
		if err != nil {
			continue
		}
		drops, _ := strconv.ParseUint(f[12], 10, 64)
		all = append(all, PortSocket{Local: netip.AddrPortFrom(at, port), Inode: inode, Drops: drops})
	}
	return all
}

// ParseNeighbor returns the state of an address in /proc/net/arp on an interface.
func ParseNeighbor(text string, addr netip.Addr, iface string) Neighbor {
	const complete = 2
	for _, f := range rows(text, 6) {
		if f[0] != addr.String() || f[5] != iface {
			continue
		}
		if flags, err := strconv.ParseUint(strings.TrimPrefix(f[2], "0x"), 16, 32); err == nil && flags&complete != 0 {
			return Resolved
		}
		return Unresolved
	}
	return UnknownNeighbor
}

// ParseCounter returns a counter of /proc/net/netstat or /proc/net/snmp, where a line of names precedes one of values:
// for example counter "IPReversePathFilter" of group "TcpExt". It is 0 if there is none.
func ParseCounter(text, group, counter string) uint64 {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != group+":" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names {
			if name == counter && i < len(fields) {
				n, _ := strconv.ParseUint(fields[i], 10, 64)
				return n
			}
		}
		names = nil
	}
	return 0
}

// HasWireless reports whether /proc/net/wireless lists an interface.
func HasWireless(text, iface string) bool {
	for _, f := range rows(text, 1) {
		if f[0] == iface+":" {
			return true
		}
	}
	return false
}

// ParseChains returns the chains of "nft --json list ruleset" that drop or reject incoming or outgoing packets, or
// hand them to a chain that may.
func ParseChains(text []byte) (all []Chain) {
	type object struct {
		Family, Table, Name, Chain, Hook, Policy string
		Expr                                     []map[string]jsontext.Value
	}
	var set struct {
		Nftables []struct{ Chain, Rule *object }
	}
	if json.Unmarshal(text, &set, json.MatchCaseInsensitiveNames(true)) != nil {
		return nil
	}
	drops := map[[3]string]bool{}
	for _, o := range set.Nftables {
		if o.Rule == nil {
			continue
		}
		for _, e := range o.Rule.Expr {
			for _, verdict := range []string{"drop", "reject", "jump", "goto"} {
				if _, has := e[verdict]; has {
					drops[[3]string{o.Rule.Family, o.Rule.Table, o.Rule.Chain}] = true
				}
			}
		}
	}
	for _, o := range set.Nftables {
		c := o.Chain
		if c == nil || len(all) == maxRows || !slices.Contains([]string{"ingress", "prerouting", "input", "output"}, c.Hook) {
			continue
		}
		if c.Policy == "drop" || drops[[3]string{c.Family, c.Table, c.Name}] {
			all = append(all, Chain{c.Family, c.Table, c.Name, c.Hook})
		}
	}
	return all
}
