// Package doctor names the cause why a machine hears nothing, and the command that fixes it. It is a core: facts about
// the machine, its network and a second machine go in, findings come out. Package doctornet gathers the facts.
package doctor

import (
	"net/netip"
	"strings"
	"time"
)

// Outcome says how an attempt of the system ended. Other texts than those below are the system's own errors.
type Outcome string

// Outcomes.
const (
	Untried     Outcome = ""
	OK          Outcome = "ok"
	Lost        Outcome = "lost"        // sent, and not received
	Refused     Outcome = "refused"     // EPERM, EACCES: a firewall
	Unreachable Outcome = "unreachable" // ENETUNREACH, EHOSTUNREACH: no route
	NoBuffers   Outcome = "no buffers"  // ENOBUFS: too many memberships
	InUse       Outcome = "in use"      // EADDRINUSE: another program does not share the port
	TooLong     Outcome = "too long"    // EMSGSIZE: longer than the interface's MTU
)

// Interface is a network interface of this machine.
type Interface struct {
	Name         string         `json:"name"`
	Up           bool           `json:"up"`
	Running      bool           `json:"running"` // it has a link
	Loopback     bool           `json:"loopback"`
	PointToPoint bool           `json:"pointToPoint"`
	Wireless     bool           `json:"wireless"`
	MTU          int            `json:"mtu"` // bytes
	Prefixes     []netip.Prefix `json:"prefixes"`
}

// IPv4 returns the first IPv4 address with its network, an invalid one if there is none.
func (i *Interface) IPv4() netip.Prefix {
	for _, p := range i.Prefixes {
		if p.Addr().Is4() {
			return p
		}
	}
	return netip.Prefix{}
}

// has reports whether the interface has an address.
func (i *Interface) has(a netip.Addr) bool {
	for _, p := range i.Prefixes {
		if p.Addr() == a || i.Loopback && p.Contains(a) {
			return true
		}
	}
	return false
}

// tunnel reports whether the interface looks like that of a VPN.
func (i *Interface) tunnel() bool {
	if i.PointToPoint {
		return true
	}
	for _, prefix := range []string{"tun", "tap", "wg", "utun", "ppp", "tailscale", "zt"} {
		if strings.HasPrefix(i.Name, prefix) {
			return true
		}
	}
	return false
}

// PortSocket is a socket of another program on the group's port.
type PortSocket struct {
	Local   netip.AddrPort `json:"local"`
	Inode   uint64         `json:"-"`
	PID     int            `json:"pid"`     // 0: not readable without root
	Program string         `json:"program"` // "" if PID is 0
	Started uint64         `json:"-"`       // of the program, in clock ticks since boot
	Drops   uint64         `json:"drops"`   // datagrams that the system dropped because the program did not read them
}

// Chain is a chain of nftables at the hook of incoming or outgoing packets that drops or rejects some.
type Chain struct {
	Family, Table, Name, Hook string
}

// Claim is an address with the hardware addresses of the network cards that answer ARP for it.
type Claim struct {
	Addr  netip.Addr
	Cards []string
}

// Heard is what was received on the group in a short time of listening.
type Heard struct {
	Packets int          // of other programs and machines
	Senders []netip.Addr // of them, other machines only
	Robots  []Robot      // of mixed team packages, in the order of arrival
}

// Robot is a robot whose package was received.
type Robot struct {
	Team, ID int
	From     netip.Addr
}

// Counters are counters of the kernel that rise while the doctor listens.
type Counters struct {
	ReversePath uint64 // packets that the reverse path filter dropped
	Buffer      uint64 // UDP datagrams that found a full buffer
	Reassembly  uint64 // datagrams that could not be put together from fragments
}

// Facts are what Diagnose needs to know. The zero value of a field means that it is unknown.
type Facts struct {
	System    string // runtime.GOOS
	Root      bool   // commands need no sudo
	Group     netip.AddrPort
	Interface Interface   // the one that the user named
	Others    []Interface // other interfaces of this machine

	Route       Outcome    // of the group, for a program that names no interface
	RouteSource netip.Addr // its source address
	Routes      []Route
	Gateway     netip.Addr // default gateway on Interface

	Join      Outcome // of the group on Interface
	SelfGroup Outcome // a datagram to group and port, looped back by the system
	SelfOther Outcome // to a free port of the group
	Full      Outcome // 1,472 bytes without fragmentation

	Bind    Outcome      // the group's port, shared as programs share ports of groups
	Sockets []PortSocket // of other programs on the port
	Claims  []Claim      // of addresses on the network, if this program may send ARP

	Firewall string // "ufw", "firewalld" or ""
	Chains   []Chain

	MaxMemberships int  // per socket; valid if Kernel
	RPFilter       int  // in force on Interface: 0 off, 1 strict, 2 loose; valid if Kernel
	FragmentBytes  int  // memory for fragments, net.ipv4.ipfrag_high_thresh; valid if Kernel
	Kernel         bool // Linux' settings were readable
	Risen          Counters

	Container string // kind of the container that this program runs in, "" outside of one
	WSL       bool   // Windows Subsystem for Linux
	Heard     Heard

	Peer *Peer // nil without --peer
}

// interfaceWith returns the interface of this machine that has an address.
func (f *Facts) interfaceWith(a netip.Addr) *Interface {
	if f.Interface.has(a) {
		return &f.Interface
	}
	for i := range f.Others {
		if f.Others[i].has(a) {
			return &f.Others[i]
		}
	}
	return nil
}

// Has reports whether an address is one of this machine.
func (f *Facts) Has(a netip.Addr) bool { return f.interfaceWith(a) != nil }

// Finding is a fault with its fix.
type Finding struct {
	Cause string `json:"cause"` // a name that stays, such as "wrong-interface"
	Seen  string `json:"seen"`  // what was measured
	Means string `json:"means"` // what it means for the robots
	Fix   string `json:"fix"`   // a command to run as it is; "" if no command helps
	Where string `json:"where"` // where to run Fix, or what to do in place of it
}

// Report is what "touchline doctor --json" prints. Fields may be added, none change.
type Report struct {
	OK        bool           `json:"ok"` // no findings
	Interface string         `json:"interface"`
	Group     netip.AddrPort `json:"group"`
	Findings  []Finding      `json:"findings"` // the first is the first cause
	Notes     []string       `json:"notes"`    // what could not be read, and what else was seen
	Peer      *Peer          `json:"peer"`     // null without --peer
	Seconds   float64        `json:"seconds"`  // that the examination took
}

// Peer is what the streams between this machine and another one gave.
type Peer struct {
	Host     string         `json:"host"`     // as the user gave it
	Addr     netip.AddrPort `json:"addr"`     // where it was asked
	Answered bool           `json:"answered"` // it did
	Neighbor Neighbor       `json:"neighbor"` // its hardware address is known, or not, or it is not in the table
	Router   Neighbor       `json:"router"`   // that of the default gateway, if the peer did not answer
	Offset   time.Duration  `json:"offsetNS"` // its clock minus ours
	RTT      time.Duration  `json:"rttNS"`    // the shortest
	Streams  []StreamResult `json:"streams"`
	Snooping Snooping       `json:"snooping"`
}

// Snooping is the result of the long test. Times count from its start.
type Snooping struct {
	Ran           time.Duration `json:"ranNS"`           // 0: not tried
	LastMulticast time.Duration `json:"lastMulticastNS"` // from the peer
	LastUnicast   time.Duration `json:"lastUnicastNS"`
	Multicast     int           `json:"multicast"` // received
	Unicast       int           `json:"unicast"`
}

// Neighbor is the state of an address in the table of hardware addresses.
type Neighbor string

// States of a Neighbor.
const (
	UnknownNeighbor Neighbor = ""
	Resolved        Neighbor = "resolved"
	Unresolved      Neighbor = "unresolved"
)

// StreamResult counts the datagrams of one stream. The peer sends an answer for each datagram that it receives.
type StreamResult struct {
	Kind       Kind `json:"kind"`
	Size       int  `json:"size"`       // bytes of UDP payload
	Sent       int  `json:"sent"`       // by us
	PeerGot    int  `json:"peerGot"`    // of them, without duplicates; answers that it sent are as many
	PeerTwice  int  `json:"peerTwice"`  // duplicates
	PeerTTL    int  `json:"peerTTL"`    // the lowest received by the peer; 0 if unknown
	Got        int  `json:"got"`        // answers that we received, without duplicates
	Twice      int  `json:"twice"`      // duplicates of answers
	TTL        int  `json:"ttl"`        // the lowest received by us; 0 if unknown
	Unsendable bool `json:"unsendable"` // our system refused to send
}

// to returns the share of our datagrams that did not reach the peer.
func (s *StreamResult) to() float64 { return lost(s.PeerGot, s.Sent) }

// from returns the share of the peer's answers that did not reach us.
func (s *StreamResult) from() float64 { return lost(s.Got, s.PeerGot) }

func lost(got, of int) float64 {
	if of == 0 {
		return 0
	}
	return 1 - float64(min(got, of))/float64(of)
}

// Result returns the peer's result for a stream of a size, nil if it did not run.
func (p *Peer) Result(k Kind, size int) *StreamResult {
	for i := range p.Streams {
		if s := &p.Streams[i]; s.Kind == k && s.Size == size && s.Sent > 0 {
			return s
		}
	}
	return nil
}
