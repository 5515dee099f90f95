package doctornet_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"touchline/internal/doctor"
	"touchline/internal/doctor/doctornet"
)

// freeGroup returns a group with a port that no program uses.
func freeGroup(t *testing.T) netip.AddrPort {
	t.Helper()
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return netip.AddrPortFrom(netip.MustParseAddr("239.255.75.75"), conn.LocalAddr().(*net.UDPAddr).AddrPort().Port())
}

// Two doctors on loopback exchange all streams.
func TestLoopbackPair(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := doctornet.Config{Group: freeGroup(t)}
	ready, ended := make(chan netip.AddrPort, 1), make(chan error, 1)
	go func() {
		ended <- doctornet.Serve(ctx, &cfg, func(at netip.AddrPort, _ doctor.Interface) { ready <- at })
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	asking := cfg
	select {
	case at := <-ready:
		asking.Peer, asking.Port = at.Addr().String(), at.Port()
	case err := <-ended:
		ended <- nil
		t.Skipf("no multicast on loopback: %v", err)
	}
	var f *doctor.Facts
	for range 3 { // the machine may be busy with other tests
		var err error
		if f, _, err = doctornet.Examine(ctx, &asking); err != nil {
			t.Fatal(err)
		}
		if f.Peer.Answered {
			break
		}
	}
	if !f.Peer.Answered || !f.Interface.Loopback || f.Join != doctor.OK {
		t.Fatalf("%+v", f)
	}
	for _, kind := range []doctor.Kind{doctor.Unicast, doctor.MulticastTo, doctor.MulticastFrom} {
		if s := f.Peer.Result(kind, 3717); s == nil || s.Got == 0 {
			t.Errorf("%s: %+v", kind, s)
		}
	}
}

// The owner of a port that cannot be shared is found, if it is this user's and the system shows it.
func TestPortTaken(t *testing.T) {
	group := freeGroup(t)
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: int(group.Port())})
	if err != nil {
		t.Skip(err) // another program was faster
	}
	defer conn.Close()
	f, _, err := doctornet.Examine(t.Context(), &doctornet.Config{Group: group})
	if err != nil || f.Bind != doctor.InUse {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestWrongNames(t *testing.T) {
	for _, cfg := range []doctornet.Config{{Interface: "no such"}, {Peer: "::1"}} {
		cfg.Group = freeGroup(t)
		if _, _, err := doctornet.Examine(t.Context(), &cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	if err := doctornet.Serve(t.Context(), &doctornet.Config{Interface: "no such"}, nil); err == nil {
		t.Error("served on an interface that does not exist")
	}
}
