// Package doctornet gathers the facts for package doctor: it asks the system, sends datagrams to this machine, and
// exchanges streams with a second machine.
package doctornet

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"touchline/internal/doctor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
)

// Port is the UDP port on which a doctor serves if none is named.
const Port = 28111

const (
	listenTime = 1500 * time.Millisecond // for packets of other machines
	selfTime   = 200 * time.Millisecond  // for a datagram to this machine, three times
	maxSenders = 16                      // whose addresses are examined
	maxRobots  = 64                      // remembered while listening
)

// Config is what the user asks for.
type Config struct {
	Interface string         // "" for loopback
	Group     netip.AddrPort // of the robots
	Peer      string         // host or address of a machine that serves, "" without one
	Port      uint16         // on which it serves
	Snooping  time.Duration  // length of the test of IGMP snooping, 0 without it
	Progress  func(string)   // called with what happens next
}

// Examine gathers the facts, and notes about what it could not read. It takes less than 5 s without a peer. An error
// is one of the command line: an interface or a host that does not exist.
func Examine(ctx context.Context, cfg *Config) (*doctor.Facts, []string, error) {
	f := &doctor.Facts{System: runtime.GOOS, Root: os.Geteuid() == 0, Group: cfg.Group}
	ifi, err := interfaces(f, cfg.Interface)
	if err != nil {
		return nil, nil, err
	}
	var host netip.Addr
	if cfg.Peer != "" {
		if host, err = resolve(ctx, cfg.Peer); err != nil {
			return nil, nil, err
		}
	}
	notes := system(f)
	if !f.Interface.Up || !f.Interface.IPv4().IsValid() {
		return f, notes, nil // nothing can be sent
	}
	before := counters()
	route(f)
	group, err := openGroup(ifi, f.Group)
	if _, joining := errors.AsType[*joinError](err); joining {
		f.Join = outcome(err)
	} else {
		f.Bind = outcome(err)
	}
	if group != nil {
		f.Join = doctor.OK
		defer group.conn.Close()
	}
	self(f, ifi, group)
	if group != nil {
		cfg.progress("listening to " + f.Group.String() + " on " + ifi.Name)
		listen(ctx, f, group)
	}
	f.Claims = claims(f, ifi, host)
	if cfg.Peer != "" {
		f.Peer = &doctor.Peer{Host: cfg.Peer, Addr: netip.AddrPortFrom(host, cfg.Port)}
		if err := pair(ctx, f, cfg, ifi, group); err != nil {
			return nil, nil, err
		}
	}
	now := counters()
	f.Risen = doctor.Counters{ReversePath: now.ReversePath - before.ReversePath, Buffer: now.Buffer - before.Buffer,
		Reassembly: now.Reassembly - before.Reassembly}
	drops(f)
	return f, notes, nil
}

func (c *Config) progress(text string) {
	if c.Progress != nil {
		c.Progress(text)
	}
}

// resolve returns the IPv4 address of a host.
func resolve(ctx context.Context, host string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return a, nil
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
	if err != nil || len(all) == 0 {
		return netip.Addr{},
			fmt.Errorf("%q is neither an IPv4 address nor a known host: give the address that the other doctor "+
				"prints", host)
	}
	return all[0].Unmap(), nil
}

// interfaces fills the interfaces of f, and returns the one with a name, the loopback interface for "".
func interfaces(f *doctor.Facts, name string) (*net.Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("cannot list the network interfaces: %w", err)
	}
	var named *net.Interface
	var names []string
	for i := range all {
		ifi := &all[i]
		one := doctor.Interface{Name: ifi.Name, Up: ifi.Flags&net.FlagUp != 0, Running: ifi.Flags&net.FlagRunning != 0,
			Loopback:     ifi.Flags&net.FlagLoopback != 0,
			PointToPoint: ifi.Flags&net.FlagPointToPoint != 0, MTU: ifi.MTU, Prefixes: []netip.Prefix{}}
		addrs, _ := ifi.Addrs() // an interface that has vanished has none
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				one.Prefixes = append(one.Prefixes, p)
			}
		}
		names = append(names, ifi.Name)
		if named == nil && (ifi.Name == name || name == "" && one.Loopback) {
			named, f.Interface = ifi, one
		} else {
			f.Others = append(f.Others, one)
		}
	}
	if named == nil {
		return nil, fmt.Errorf("there is no interface %q; choose one of this machine's: %s", name, strings.Join(names, ", "))
	}
	return named, nil
}

// route asks where a program sends that names no interface.
func route(f *doctor.Facts) {
	addr, err := transport.AddressTo(f.Group)
	f.Route, f.RouteSource = outcome(err), addr
}

// nonce returns a datagram that no program takes for another one.
func nonce() []byte {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return (&doctor.Client{Session: binary.NativeEndian.Uint64(b[:])}).Hello(nil, 0)
}

// self sends datagrams to this machine. Their TTL is 0: because this machine has joined the group, they stay on it.
func self(f *doctor.Facts, ifi *net.Interface, group *socket) {
	if group == nil {
		return
	}
	from, err := openUnicast(ifi, netip.AddrPortFrom(f.Interface.IPv4().Addr(), 0), 0)
	if err != nil {
		f.SelfGroup = outcome(err)
		return
	}
	defer from.conn.Close()
	f.SelfGroup = echo(from, group, f.Group)
	if other, err := openGroup(ifi, netip.AddrPortFrom(f.Group.Addr(), 0)); err == nil {
		f.SelfOther = echo(from, other, netip.AddrPortFrom(f.Group.Addr(), other.port))
		other.conn.Close()
	}
	if from.setWhole(true) {
		f.Full = outcome(from.write(make([]byte, 1472), f.Group))
	}
}

// echo sends a datagram from one socket to another, at most three times.
func echo(from, to *socket, group netip.AddrPort) doctor.Outcome {
	want, buf := nonce(), make([]byte, doctor.MaxMessage)
	for range 3 {
		if err := from.write(want, group); err != nil {
			return outcome(err)
		}
		_ = to.conn.SetReadDeadline(time.Now().Add(selfTime))
		for {
			n, _, _, err := to.read(buf)
			if err != nil {
				break // the deadline
			}
			if slices.Equal(buf[:n], want) {
				return doctor.OK
			}
		}
	}
	return doctor.Lost
}

// listen counts what others send to the group.
func listen(ctx context.Context, f *doctor.Facts, group *socket) {
	defer context.AfterFunc(ctx, func() { _ = group.conn.SetReadDeadline(time.Unix(1, 0)) })()
	_ = group.conn.SetReadDeadline(time.Now().Add(listenTime))
	buf := make([]byte, 1<<16)
	for ctx.Err() == nil {
		n, _, from, err := group.read(buf)
		if err != nil {
			return
		}
		heard(f, buf[:n], from.Addr())
	}
}

func heard(f *doctor.Facts, b []byte, from netip.Addr) {
	if doctor.IsMessage(b) {
		return
	}
	if !f.Has(from) {
		f.Heard.Packets++
		if len(f.Heard.Senders) < maxSenders && !slices.Contains(f.Heard.Senders, from) {
			f.Heard.Senders = append(f.Heard.Senders, from)
		}
	}
	var h mixedteam.Header
	var p soccer.Percepts
	if _, err := mixedteam.Decode(b, &h, &p); err != nil || h.TeamID == 0 {
		return
	}
	r := doctor.Robot{Team: int(h.TeamID), ID: int(h.Robot), From: from}
	if len(f.Heard.Robots) < maxRobots && !slices.Contains(f.Heard.Robots, r) {
		f.Heard.Robots = append(f.Heard.Robots, r)
	}
}

func unixTime() soccer.Time { return soccer.Time(time.Now().UnixNano()) }
