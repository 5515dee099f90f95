package vssnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/firasim"
)

// Limits of each sender in packets a second: ten times what five robots need, with a burst of a second after a stall.
const (
	guardRate  = 3200
	guardBurst = 3200
)

// openCommands opens the sockets for commands, and in lockstep those of the gRPC service.
func (s *Server) openCommands() error {
	host, port, err := net.SplitHostPort(s.Config.Commands)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil {
		return fmt.Errorf("vss: commands at %q: want an address and a port, for example 127.0.0.1:%d",
			s.Config.Commands, firasim.CommandPort)
	}
	hosts := []string{host}
	if host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for range freePorts {
		err = s.openHosts(hosts, uint16(number))
		if err == nil || number != 0 || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		s.closeCommands()
		s.net.commands, s.net.services, s.net.names = nil, nil, ""
	}
	return err
}

// freePorts is the number of attempts to find an available port: the system chooses a port that is available for one
// socket, and up to four sockets share it.
const freePorts = 10

// openHosts opens the sockets for commands on one port.
func (s *Server) openHosts(hosts []string, port uint16) error {
	for i, host := range hosts {
		err := s.openCommand(host, port)
		if i > 0 && errors.Is(err, errNoAddress) {
			return nil // this machine has no IPv6
		}
		if err != nil {
			return err
		}
		port = s.net.at.Port()
	}
	return nil
}

func (s *Server) closeCommands() {
	for _, r := range s.net.commands {
		r.Close()
	}
	for _, s := range s.net.services {
		s.Close()
	}
}

// errNoAddress is the error for an address that this machine does not have.
var errNoAddress = errors.New("vss: this machine does not have the address")

func (s *Server) openCommand(host string, port uint16) error {
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	to, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return fmt.Errorf("vss: commands at %s: %w", address, err)
	}
	if to.IP.IsMulticast() {
		return fmt.Errorf("vss: commands at %s: clients send them to an address of this machine, not to a group",
			address)
	}
	conn, err := net.ListenUDP("udp", to)
	if err != nil {
		return explainListen("UDP", address, port, err)
	}
	_ = conn.SetReadBuffer(1 << 20) // a smaller buffer only loses more packets of a flood
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	s.net.commands = append(s.net.commands, transport.NewReceiver(conn, at.String()))
	if s.net.names != "" {
		s.net.names += ", "
	}
	s.net.names += at.String()
	if len(s.net.commands) == 1 {
		s.net.at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
		if at.Addr().IsUnspecified() {
			s.net.at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
		}
	}
	if !s.step.on {
		return nil
	}
	tcp, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(int(at.Port()))))
	if err != nil {
		return explainListen("TCP", address, at.Port(), err)
	}
	s.net.services = append(s.net.services, tcp)
	return nil
}

// portHolder are shell commands that show which program uses a port.
var portHolder = map[string]map[string]string{
	"linux":   {"UDP": "ss -ulnp 'sport = :%d'", "TCP": "ss -tlnp 'sport = :%d'"},
	"darwin":  {"UDP": "lsof -nP -iUDP:%d", "TCP": "lsof -nP -iTCP:%d"},
	"windows": {"UDP": "netstat -ano -p UDP | findstr :%d", "TCP": "netstat -ano -p TCP | findstr :%d"},
}

// Windows' numbers of EADDRINUSE, EADDRNOTAVAIL and EAFNOSUPPORT.
const (
	wsaeAddrInUse    = syscall.Errno(10048)
	wsaeAddrNotAvail = syscall.Errno(10049)
	wsaeNoFamily     = syscall.Errno(10047)
)

func explainListen(protocol, address string, port uint16, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeAddrInUse):
		show, ok := portHolder[runtime.GOOS]
		if !ok {
			show = portHolder["darwin"]
		}
		return fmt.Errorf("vss: %s port %d is in use, perhaps by another simulator; this command shows the program: %s (%w)",
			protocol, port, fmt.Sprintf(show[protocol], port), err)
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT),
		errors.Is(err, wsaeAddrNotAvail), errors.Is(err, wsaeNoFamily):
		return fmt.Errorf("%w: %s (%w)", errNoAddress, address, err)
	}
	return fmt.Errorf("vss: commands at %s: %w", address, err)
}

// receiveCommands receives packets until the context ends.
func (s *Server) receiveCommands(ctx context.Context, r *transport.Receiver) error {
	buf := make([]byte, transport.MaxDatagram)
	guard := traffic.NewGuard(guardRate, guardBurst)
	var packet firasim.Packet
	var grSim firasim.GrSimPacket
	at, _ := netip.ParseAddrPort(r.Channel()) // the channel is the socket's address
	for {
		p, err := r.ReadPacket(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("vss: commands at %s: %w", r.Channel(), err)
		}
		s.received.Add(1)
		p.From = netip.AddrPortFrom(p.From.Addr().Unmap(), p.From.Port())
		s.record(p.Time, p.From, at, p.Data)
		if s.guarded.Load() && !guard.Allow(p.From, p.Time) {
			s.refuse(vss.TooManyPackets, p.From)
			continue
		}
		if s.kindOf(p.Data) == firasim.KindGrSim {
			s.receiveGrSim(&p, &grSim, &packet)
			continue
		}
		if err := packet.UnmarshalBinary(p.Data); err != nil {
			s.refusePacket(&p)
			continue
		}
		s.receive(&p, &packet)
	}
}

// refusePacket counts a packet that cannot be decoded. The page shows the last one of a client, too.
func (s *Server) refusePacket(p *soccer.Packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Refuse(vss.NotAPacket, p.From)
	if e := s.clients.Find(p.From); e != nil {
		e.Value.keep(p.Data, s.session.Now())
	}
}

func (s *Server) refuse(why vss.Reason, from netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Refuse(why, from)
}

// receive applies a packet from the network.
func (s *Server) receive(p *soccer.Packet, packet *firasim.Packet) {
	if !packet.HasCommands && !packet.HasReplacement {
		return // an empty datagram is a valid packet without content
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteClient(p.From, packet, p.Data, now)
	s.session.Receive(p.From, packet)
	// In lockstep, a placement with commands takes effect in their tick.
	if packet.HasReplacement && (s.paused || s.step.on && len(packet.Commands) == 0) {
		s.applyPlacements()
		s.wakeLoop()
	}
	if s.step.on {
		s.step.note(packet, false, now)
		if !s.step.waits(s.session) {
			s.wakeLoop()
		}
	}
}
