package teamcom

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"touchline/wire/tcm"
)

// Directory is the content of a TCM.ini, the file that gives each robot and computer of a team its address (TeamChaos paper,
// section 3).
type Directory struct {
	Team     uint8          // number of the team, 1..255. Default 1
	Group    netip.AddrPort // multicast group and base port of broadcasts to the robots; zero: unicast to each robot
	Managers netip.AddrPort // the same for broadcasts to the computers
	KeyFile  string         // file with the team's key, relative to the folder of TCM.ini; "": datagrams are unsigned
	Entries  []Entry        // robots first, each kind by id
}

// Entry is one robot or computer.
type Entry struct {
	Entity tcm.Entity
	Addr   netip.AddrPort // address and base port; zero if Learn is set
	Learn  bool           // the address is that from which the entity's valid datagrams come
}

// Entry returns the entry of an entity.
func (d *Directory) Entry(e tcm.Entity) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(d.Entries, e, func(x Entry, e tcm.Entity) int { return compare(x.Entity, e) })
	if !ok {
		return Entry{}, false
	}
	return d.Entries[i], true
}

// At returns the entity one of whose sockets has an address, the zero Entity for another address.
func (d *Directory) At(addr netip.AddrPort) tcm.Entity {
	for i := range d.Entries {
		if e := &d.Entries[i]; Listens(e.Addr, addr) {
			return e.Entity
		}
	}
	return tcm.Entity{}
}

// Listens reports whether an address is that of a socket of the entity with a base address.
func Listens(base, addr netip.AddrPort) bool {
	return addr.Addr() == base.Addr() && addr.Port()-base.Port() < tcm.Sockets
}

// Multicast returns the base address of broadcasts to all entities of a kind; it is false if they go by unicast.
func (d *Directory) Multicast(to tcm.Kind) (netip.AddrPort, bool) {
	if to == tcm.Computer {
		return d.Managers, d.Managers.IsValid()
	}
	return d.Group, d.Group.IsValid()
}

// Port returns the address of a socket, given the base address of an entity or a group: its four sockets have
// consecutive ports.
func Port(base netip.AddrPort, s tcm.Socket) netip.AddrPort {
	return netip.AddrPortFrom(base.Addr(), base.Port()+uint16(s))
}

// compare orders robots before computers, and each kind by id.
func compare(a, b tcm.Entity) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

// Append appends the directory as the text of a TCM.ini.
func (d *Directory) Append(b []byte) []byte {
	b = fmt.Appendf(b, "[team]\nnumber = %d\n", max(d.Team, 1))
	for _, group := range []struct {
		key  string
		addr netip.AddrPort
	}{{"group", d.Group}, {"managers", d.Managers}} {
		if group.addr.IsValid() {
			b = fmt.Appendf(b, "%s = %v\n", group.key, group.addr)
		}
	}
	if d.KeyFile != "" {
		b = fmt.Appendf(b, "key = %s\n", d.KeyFile)
	}
	for _, section := range []struct {
		name string
		kind tcm.Kind
	}{{"robots", tcm.Robot}, {"computers", tcm.Computer}} {
		b = fmt.Appendf(b, "\n[%s]\n", section.name)
		for _, e := range d.Entries {
			switch {
			case e.Entity.Kind != section.kind:
			case e.Learn:
				b = fmt.Appendf(b, "%d = any\n", e.Entity.ID)
			default:
				b = fmt.Appendf(b, "%d = %v\n", e.Entity.ID, e.Addr)
			}
		}
	}
	return b
}
