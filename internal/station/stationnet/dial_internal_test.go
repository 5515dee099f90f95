package stationnet

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"
)

// A machine in the team's own network connects from there, also to a RefBox on the same machine.
func TestLocalAddress(t *testing.T) {
	machine := func(addrs ...string) (all []netip.Prefix) {
		for _, a := range addrs {
			all = append(all, netip.MustParsePrefix(a))
		}
		return all
	}
	for _, c := range []struct {
		machine []netip.Prefix
		want    string
	}{
		{nil, "127.0.0.39"},
		{machine("127.0.0.1/8", "::1/128", "192.168.1.4/24", "172.16.63.10/24"), "127.0.0.39"},
		{machine("127.0.39.1/8", "127.0.0.1/8", "fe80::1/64"), "127.0.0.39"},
		{machine("127.0.0.1/8", "10.0.0.4/8", "172.16.39.10/24"), "172.16.39.10"},
	} {
		if got := localAddress(39, c.machine); got.String() != c.want {
			t.Errorf("a machine with %v connects from %v, want %s", c.machine, got, c.want)
		}
	}
}

// An own address of the other family is named, instead of an error of the system.
func TestOtherFamily(t *testing.T) {
	target := Target{Host: "127.0.0.1", Port: "1", From: netip.MustParseAddr("::1")}
	_, err := target.dialOne(t.Context(), netip.MustParseAddr("127.0.0.1"), 39, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "from ::1 to 127.0.0.1: one is an IPv4 address") {
		t.Errorf("got %v", err)
	}
}
