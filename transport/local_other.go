//go:build !linux

package transport

import (
	"errors"
	"net"
	"net/netip"
)

// capturer exists on Linux only.
type capturer struct{}

func openCapturer() (*capturer, error) { return nil, errors.ErrUnsupported }

func (*capturer) close() {}

func (*capturer) receiveWith(*net.UDPConn, netip.AddrPort, *net.Interface) (net.PacketConn, error) {
	return nil, errors.ErrUnsupported
}
