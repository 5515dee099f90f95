package vss

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
func (l *Live) Open() error {
	err := l.open()
	if err != nil {
		l.close()
	}
	return err
}

func (l *Live) open() error {
	if err := l.openCommands(); err != nil {
		return err
	}
	for _, to := range l.Config.Vision {
		if err := l.openVision(to); err != nil {
			return err
		}
	}
	for team, builtin := range l.Config.Builtin {
		if builtin && l.teams[team] == nil {
			if err := l.openPlayer(team); err != nil {
				return err
			}
		}
	}
	if err := l.openReferee(); err != nil {
		return err
	}
	return l.openRecord()
}

// Heard returns where commands are heard once Open is through: addresses and ports, separated by commas.
func (l *Live) Heard() string { return l.net.names }

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

// close closes what open opened.
func (l *Live) close() {
	n := &l.net
	l.closeCommands()
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
	if l.record != nil {
		l.record.close()
	}
}

// openCommands opens the sockets that packets are heard on, and those of the service where there is lockstep.
func (l *Live) openCommands() error {
	host, port, err := net.SplitHostPort(l.Config.Commands)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil {
		return fmt.Errorf("vss: commands at %q: want an address and a port, for example 127.0.0.1:%d", l.Config.Commands, firasim.CommandPort)
	}
	hosts := []string{host}
	if host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for range freePorts {
		err = l.openHosts(hosts, uint16(number))
		if err == nil || number != 0 || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		l.closeCommands()
		l.net.commands, l.net.services, l.net.names = nil, nil, ""
	}
	return err
}

// freePorts is how many times a free port is looked for: the system gives one that is free for one socket, and there are
// up to four.
const freePorts = 10

// openHosts opens the sockets for commands on one port.
func (l *Live) openHosts(hosts []string, port uint16) error {
	for i, host := range hosts {
		err := l.openCommand(host, port)
		if i > 0 && errors.Is(err, errNoAddress) {
			return nil // there is no IPv6 here
		}
		if err != nil {
			return err
		}
		port = l.net.at.Port()
	}
	return nil
}

func (l *Live) closeCommands() {
	for _, r := range l.net.commands {
		r.Close()
	}
	for _, s := range l.net.services {
		s.Close()
	}
}

// errNoAddress says that the machine does not have this address.
var errNoAddress = errors.New("vss: no such address here")

func (l *Live) openCommand(host string, port uint16) error {
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
	l.net.commands = append(l.net.commands, transport.NewReceiver(conn, at.String()))
	if l.net.names != "" {
		l.net.names += ", "
	}
	l.net.names += at.String()
	if len(l.net.commands) == 1 {
		l.net.at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
		if at.Addr().IsUnspecified() {
			l.net.at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
		}
	}
	if !l.step.on {
		return nil
	}
	tcp, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(int(at.Port()))))
	if err != nil {
		return explainListen("TCP", address, at.Port(), err)
	}
	l.net.services = append(l.net.services, tcp)
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
func (l *Live) openVision(to string) error {
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
	l.net.vision = append(l.net.vision, e)
	if a.IsMulticast() {
		cfg := transport.DefaultConfig(e.address)
		cfg.Interface = l.Config.Interface
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
	if err != nil && l.Config.Interface != "" {
		return err
	}
	if err != nil {
		l.setTrouble(e, err)
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
func (l *Live) setTrouble(e *eye, err error) {
	if err != nil {
		err = fmt.Errorf("vision does not go to %s: %w", e.to, err)
		l.Log.Warn(err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.trouble = err
}

// sendVision sends the vision of the last tick to all. What cannot be sent is lost.
func (l *Live) sendVision() {
	for _, e := range l.net.vision {
		if e.sender == nil {
			continue
		}
		err := e.sender.Send(l.vision)
		if err == nil {
			l.sent.Add(1)
			l.recordPacket(e.from, e.address, l.vision)
		}
		if (err == nil) != (e.trouble == nil) {
			l.setTrouble(e, err)
		}
	}
}

// listen hears packets until the context ends.
func (l *Live) listen(ctx context.Context, r *transport.Receiver) error {
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
		l.heard.Add(1)
		p.From = netip.AddrPortFrom(p.From.Addr().Unmap(), p.From.Port())
		l.recordHeard(&p, at)
		if l.guarded.Load() && !guard.Allow(p.From, p.Time) {
			l.refuse(tooMany, p.From)
			continue
		}
		if err := packet.UnmarshalBinary(p.Data); err != nil {
			l.refuse(noPacket, p.From)
			continue
		}
		l.hear(&p, &packet)
	}
}

func (l *Live) refuse(why reason, from netip.AddrPort) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session.refuse(why, refusal{from: from, robot: nobody})
}

// hear takes in a packet from the network.
func (l *Live) hear(p *soccer.Packet, packet *firasim.Packet) {
	if !packet.HasCommands && !packet.HasReplacement {
		return // also an empty datagram is a packet
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.client(p.From, packet, now)
	l.session.Hear(p.From, packet)
	// In lockstep, what comes with commands works with them.
	if packet.HasReplacement && (l.paused || l.step.on && len(packet.Commands) == 0) {
		l.settle()
		l.poke()
	}
	if l.step.on {
		l.step.hear(packet, false, now)
		if !l.step.waits(l.session) {
			l.poke()
		}
	}
}

// openPlayer opens the socket of a built-in team, which vision is sent to besides.
func (l *Live) openPlayer(team int) error {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(l.net.at.Addr(), 0)))
	if err != nil {
		return fmt.Errorf("vss: a socket for the built-in %s team: %w", teams[team], err)
	}
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	l.net.players = append(l.net.players, &remote{newPlayer(&l.Config, team), conn})
	return l.openVision(netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String())
}

// playOn lets a built-in team play over its socket.
func (l *Live) playOn(ctx context.Context, p *remote) error {
	buf := make([]byte, firasim.MaxVision)
	to := net.UDPAddrFromAddrPort(l.net.at)
	for {
		n, err := p.conn.Read(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("vss: the built-in %s team: %w", teams[p.number], err)
		}
		l.mu.Lock()
		ref := l.referee.command()
		l.mu.Unlock()
		b, err := p.answer(buf[:n], ref)
		if err != nil {
			continue // somebody else wrote to this port
		}
		// What cannot be sent is lost, as any client's packet.
		_, _ = p.conn.WriteTo(b, to)
	}
}
