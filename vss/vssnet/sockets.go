package vssnet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/vss"
	"touchline/wire/firasim"
)

// sockets are what a Live talks through.
type sockets struct {
	commands []*transport.Receiver
	at       netip.AddrPort // of the first of commands, as somebody on this machine calls it
	names    string         // of all of them
	vision   []*eye
	players  []*remote
	ears     []*ear
	services []net.Listener
	referee  *transport.Sender // nil: nothing is published

	refereeTo netip.AddrPort
}

// eye is one address that vision goes to.
type eye struct {
	to      string
	address netip.AddrPort
	from    netip.AddrPort    // where vision comes from on the way there
	sender  *transport.Sender // nil: it could not be opened
	trouble error             // why vision does not get there; Live.mu guards it against the page
}

// remote is a built-in team that plays over sockets, like any client.
type remote struct {
	*player
	conn *net.UDPConn
}

// A sender may speak for five robots, one packet each a tick, ten times over; and a stall may release a second's worth.
const (
	guardRate  = 3200
	guardBurst = 3200
)

// Open opens all sockets. Where multicast does not work it says why in the log and goes on without; wrong addresses and
// a port that is taken are errors.
func (s *Server) Open() error {
	err := s.open()
	if err != nil {
		s.Close()
	}
	return err
}

func (s *Server) open() error {
	if err := s.openCommands(); err != nil {
		return err
	}
	for _, to := range s.Config.Vision {
		if err := s.openVision(to); err != nil {
			return err
		}
	}
	for team, builtin := range s.Config.Builtin {
		if builtin && s.teams[team] == nil {
			if err := s.openPlayer(team); err != nil {
				return err
			}
		}
	}
	return s.openReferee()
}

// CommandsAt returns the addresses for UDP commands after Open, separated by commas.
func (s *Server) CommandsAt() string { return s.net.names }

// interrupt ends all reading.
func (n *sockets) interrupt() {
	past := time.Unix(1, 0)
	for _, r := range n.commands {
		_ = r.SetReadDeadline(past) // it is closed already if this fails
	}
	for _, e := range n.ears {
		_ = e.receiver.SetReadDeadline(past)
	}
	for _, p := range n.players {
		_ = p.conn.SetReadDeadline(past)
	}
}

// Close closes the sockets of Open. Run does so itself.
func (s *Server) Close() {
	n := &s.net
	s.closeCommands()
	for _, e := range n.vision {
		if e.sender != nil {
			e.sender.Close()
		}
	}
	for _, p := range n.players {
		p.conn.Close()
	}
	for _, e := range n.ears {
		e.receiver.Close()
	}
	if n.referee != nil {
		n.referee.Close()
	}
}

// openCommands opens the sockets that packets are heard on, and those of the service where there is lockstep.
func (s *Server) openCommands() error {
	host, port, err := net.SplitHostPort(s.Config.Commands)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil {
		return fmt.Errorf("vss: commands at %q: want an address and a port, for example 127.0.0.1:%d", s.Config.Commands, firasim.CommandPort)
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

// freePorts is how many times a free port is looked for: the system gives one that is free for one socket, and there are
// up to four.
const freePorts = 10

// openHosts opens the sockets for commands on one port.
func (s *Server) openHosts(hosts []string, port uint16) error {
	for i, host := range hosts {
		err := s.openCommand(host, port)
		if i > 0 && errors.Is(err, errNoAddress) {
			return nil // there is no IPv6 here
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

// errNoAddress says that the machine does not have this address.
var errNoAddress = errors.New("vss: no such address here")

func (s *Server) openCommand(host string, port uint16) error {
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	to, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return fmt.Errorf("vss: commands at %s: %w", address, err)
	}
	if to.IP.IsMulticast() {
		return fmt.Errorf("vss: commands at %s: clients send them to an address of this machine, not to a group", address)
	}
	conn, err := net.ListenUDP("udp", to)
	if err != nil {
		return explainListen("UDP", address, port, err)
	}
	_ = conn.SetReadBuffer(1 << 20) // a smaller one only loses more of a flood
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

// whoHolds are commands that show which program holds a port.
var whoHolds = map[string]map[string]string{
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
		show, ok := whoHolds[runtime.GOOS]
		if !ok {
			show = whoHolds["darwin"]
		}
		return fmt.Errorf("vss: %s port %d is taken, perhaps by another simulator; this shows by whom: %s (%w)",
			protocol, port, fmt.Sprintf(show[protocol], port), err)
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT), errors.Is(err, wsaeAddrNotAvail), errors.Is(err, wsaeNoFamily):
		return fmt.Errorf("%w: %s (%w)", errNoAddress, address, err)
	}
	return fmt.Errorf("vss: commands at %s: %w", address, err)
}

// openVision opens the way to one address.
func (s *Server) openVision(to string) error {
	name := to
	if port, ok := strings.CutPrefix(to, "localhost:"); ok {
		name = "127.0.0.1:" + port // where clients that use no multicast listen
	}
	address, err := netip.ParseAddrPort(name)
	if err != nil || address.Port() == 0 {
		return fmt.Errorf("vss: vision to %q: want an address and a port, a group in 224.0.0.0-239.255.255.255 as %s or one machine as 127.0.0.1:10002", to, firasim.Vision)
	}
	a := address.Addr().Unmap()
	if a.IsUnspecified() || broadcast(a) || a.Is6() && a.IsMulticast() || a.Is4() && a.As4()[0] >= 240 {
		return fmt.Errorf("vss: vision to %s: give a group in 224.0.0.0-239.255.255.255, or the address of one machine", to)
	}
	e := &eye{to: to, address: netip.AddrPortFrom(a, address.Port())}
	s.net.vision = append(s.net.vision, e)
	if a.IsMulticast() {
		cfg := transport.DefaultConfig(e.address)
		cfg.Interface = s.Config.Interface
		e.sender, err = transport.Dial(cfg)
	} else {
		var conn *net.UDPConn
		local := &net.UDPAddr{}
		if a.IsLoopback() {
			local.IP = a.AsSlice()
		}
		if conn, err = net.ListenUDP("udp", local); err == nil {
			e.sender = transport.NewSender(conn, e.address)
		}
	}
	if err != nil && s.Config.Interface != "" {
		return err
	}
	if err != nil {
		s.setTrouble(e, err)
		return nil
	}
	e.from = sourceTo(e.address, e.sender.LocalAddr())
	return nil
}

// broadcast reports whether a means all machines of a network that this one is in.
func broadcast(a netip.Addr) bool {
	for _, p := range transport.Prefixes() {
		if !p.Addr().Is4() || p.Bits() > 30 || !p.Contains(a) {
			continue
		}
		b := a.As4()
		if hosts := uint32(1)<<(32-p.Bits()) - 1; binary.BigEndian.Uint32(b[:])&hosts == hosts {
			return true
		}
	}
	return false
}

// sourceTo returns the address that a socket bound to local sends from on the way to one machine. The system chooses it
// where local is any address; nothing is sent to find out.
func sourceTo(to, local netip.AddrPort) netip.AddrPort {
	if !local.Addr().IsUnspecified() {
		return local
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return local // there is no way yet
	}
	defer conn.Close()
	return netip.AddrPortFrom(conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), local.Port())
}

// setTrouble notes whether vision gets to e, and says once why it does not.
func (s *Server) setTrouble(e *eye, err error) {
	if err != nil {
		err = fmt.Errorf("vision does not go to %s: %w", e.to, err)
		s.Log.Warn(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.trouble = err
}

// sendVision sends the vision of the last tick to all. What cannot be sent is lost.
func (s *Server) sendVision() {
	for _, e := range s.net.vision {
		if e.sender == nil {
			continue
		}
		err := e.sender.Send(s.vision)
		if err == nil {
			s.sent.Add(1)
			s.recordSent(e.from, e.address, s.vision)
		}
		if (err == nil) != (e.trouble == nil) {
			s.setTrouble(e, err)
		}
	}
}

// listen hears packets until the context ends.
func (s *Server) listen(ctx context.Context, r *transport.Receiver) error {
	buf := make([]byte, transport.MaxDatagram)
	guard := traffic.NewGuard(guardRate, guardBurst)
	var packet firasim.Packet
	at, _ := netip.ParseAddrPort(r.Channel()) // it is the socket's address
	for {
		p, err := r.ReadPacket(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("vss: commands at %s: %w", r.Channel(), err)
		}
		s.heard.Add(1)
		p.From = netip.AddrPortFrom(p.From.Addr().Unmap(), p.From.Port())
		s.record(p.Time, p.From, at, p.Data)
		if s.guarded.Load() && !guard.Allow(p.From, p.Time) {
			s.refuse(vss.TooManyPackets, p.From)
			continue
		}
		if err := packet.UnmarshalBinary(p.Data); err != nil {
			s.refusePacket(&p)
			continue
		}
		s.hear(&p, &packet)
	}
}

// refusePacket counts a packet that cannot be decoded. The page shows the last one of a client, too.
func (s *Server) refusePacket(p *soccer.Packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Refuse(vss.NotAPacket, p.From)
	if i := s.findClient(p.From); i >= 0 {
		s.clients[i].keep(p.Data, s.session.Now())
	}
}

func (s *Server) refuse(why vss.Reason, from netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Refuse(why, from)
}

// hear takes in a packet from the network.
func (s *Server) hear(p *soccer.Packet, packet *firasim.Packet) {
	if !packet.HasCommands && !packet.HasReplacement {
		return // also an empty datagram is a packet
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteClient(p.From, packet, p.Data, now)
	s.session.Receive(p.From, packet)
	// In lockstep, what comes with commands works with them.
	if packet.HasReplacement && (s.paused || s.step.on && len(packet.Commands) == 0) {
		s.settle()
		s.poke()
	}
	if s.step.on {
		s.step.hear(packet, false, now)
		if !s.step.waits(s.session) {
			s.poke()
		}
	}
}

// openPlayer opens the socket of a built-in team, which vision is sent to besides.
func (s *Server) openPlayer(team int) error {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.net.at.Addr(), 0)))
	if err != nil {
		return fmt.Errorf("vss: a socket for the built-in %s team: %w", vss.Teams[team], err)
	}
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	s.net.players = append(s.net.players, &remote{newPlayer(&s.Config.Game, team), conn})
	return s.openVision(netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String())
}

// playOn lets a built-in team play over its socket.
func (s *Server) playOn(ctx context.Context, p *remote) error {
	buf := make([]byte, firasim.MaxVision)
	to := net.UDPAddrFromAddrPort(s.net.at)
	for {
		n, err := p.conn.Read(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("vss: the built-in %s team: %w", vss.Teams[p.number], err)
		}
		s.mu.Lock()
		ref := s.referee.command()
		s.mu.Unlock()
		b, err := p.answer(buf[:n], ref)
		if err != nil {
			continue // somebody else wrote to this port
		}
		// What cannot be sent is lost, as any client's packet.
		_, _ = p.conn.WriteTo(b, to)
	}
}
