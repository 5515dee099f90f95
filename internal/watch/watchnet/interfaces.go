package watchnet

import (
	"fmt"
	"time"

	"touchline/internal/watch"
	"touchline/transport"
)

// silentAfter is the time without a packet after which the page offers help.
const silentAfter = 5 * time.Second

// LinkOf describes a network for the page. missing is what its receiver cannot do; see transport.Receiver.Degraded.
func LinkOf(network transport.Config, missing []string) watch.Link {
	l := watch.Link{
		Group: network.Group.String(), Interface: network.Interface, Loopback: network.Interface == "", Missing: missing,
	}
	all, _ := transport.Interfaces()
	for _, i := range all {
		if i.Loopback && network.Interface == "" {
			l.Interface = i.Name
		}
		if i.Loopback && i.Name == network.Interface {
			l.Loopback = true
		}
	}
	return l
}

// SilenceBecause returns the help of a program that knows why nothing is received. It returns nil before 5 s.
func SilenceBecause(silent time.Duration, why string) *watch.Silence {
	if silent < silentAfter {
		return nil
	}
	return &watch.Silence{Seconds: silent.Seconds(), Why: why, Interfaces: []watch.Interface{}}
}

// SilenceOf returns help for a user who has received nothing for some time: the other interfaces of this machine and
// the command that listens on the likeliest of them. It returns nil before 5 s. used is the interface in use, "" for
// loopback; flags are further flags of the command, "" or with a leading blank.
func SilenceOf(silent time.Duration, used, flags string) *watch.Silence {
	if silent < silentAfter {
		return nil
	}
	s := &watch.Silence{Seconds: silent.Seconds(), Interfaces: []watch.Interface{}}
	all, err := transport.Interfaces()
	if err != nil {
		return s
	}
	for _, i := range all {
		if i.Name == used || i.Loopback && used == "" {
			continue
		}
		other, reachable := watch.Interface{Name: i.Name, Up: i.Up, Addrs: []string{}}, false
		for _, a := range i.Addrs {
			other.Addrs = append(other.Addrs, a.String())
			reachable = reachable || a.Is4() // the groups are IPv4
		}
		s.Interfaces = append(s.Interfaces, other)
		if s.Command == "" && i.Up && i.Multicast && reachable {
			s.Command = fmt.Sprintf("touchline monitor --interface %s%s", i.Name, flags)
		}
	}
	return s
}
