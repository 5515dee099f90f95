package vssnet

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// player is a built-in team with the buffers of its packets.
type player struct {
	team   *vss.Team
	number int // 0 blue, 1 yellow
	env    firasim.Environment
	packet firasim.Packet
	back   firasim.Packet // packet after encoding and decoding
	buf    []byte
}

// newPlayer returns a built-in team of a rung.
func newPlayer(game *vss.Config, number int, rung string) *player {
	p := &player{team: vss.NewTeam(number == 1, game.Field(), game.Robots, game.Seed), number: number}
	share, _ := vss.Pace(rung)
	p.team.Slow(share)
	return p
}

// answer returns the team's answer to a vision packet. It is valid until the next call.
func (p *player) answer(vision []byte, ref firasim.RefereeCommand) ([]byte, error) {
	if err := p.env.UnmarshalBinary(vision); err != nil {
		return nil, err
	}
	p.team.Play(&p.env, ref, &p.packet)
	var err error
	p.buf, err = p.packet.AppendBinary(p.buf[:0])
	return p.buf, err
}

// playInProcess lets a built-in team answer the vision of this tick, in the bytes of the wire.
func (s *Server) playInProcess(team int, p *player) {
	b, err := p.answer(s.vision, s.referee.command())
	if err == nil {
		err = p.back.UnmarshalBinary(b)
	}
	if err != nil {
		s.session.Refuse(vss.NotAPacket, inProcessAddr)
		return
	}
	s.recordSent(inProcessAddr, inProcessAddr, b)
	s.session.Receive(inProcessAddr, &p.back)
}

// remote is a built-in team that plays over sockets, like any client.
type remote struct {
	*player
	conn *net.UDPConn
}

// openPlayer opens the socket of a built-in team and adds it to the targets of vision.
func (s *Server) openPlayer(team int) error {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.net.at.Addr(), 0)))
	if err != nil {
		return fmt.Errorf("vss: socket of the built-in %s team: %w", vss.Teams[team], err)
	}
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	s.net.players = append(s.net.players, &remote{newPlayer(&s.Config.Game, team, s.Config.Builtin[team]), conn})
	return s.openVision(netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String())
}

// runPlayer lets a built-in team play over its socket.
func (s *Server) runPlayer(ctx context.Context, p *remote) error {
	buf := make([]byte, firasim.MaxVision)
	to := net.UDPAddrFromAddrPort(s.net.at)
	for {
		n, err := p.conn.Read(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("vss: built-in %s team: %w", vss.Teams[p.number], err)
		}
		s.mu.Lock()
		ref := s.referee.command()
		s.mu.Unlock()
		b, err := p.answer(buf[:n], ref)
		if err != nil {
			continue // another program sent to this port
		}
		// A packet that cannot be sent is lost, like any packet of a client.
		_, _ = p.conn.WriteTo(b, to)
	}
}
