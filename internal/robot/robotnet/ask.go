package robotnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Periods of the request for the directory.
const (
	askPeriod = 100 * time.Millisecond
	askLog    = 3 * time.Second // without an answer the log says so after this time
)

// asker asks the field for the team's directory through a socket of its own: the robot does not know its address yet.
type asker struct {
	robot *Robot
	node  *teamcom.Node
	conn  *net.UDPConn
	clock soccer.Clock
	buf   []byte
	text  string // the answer
}

// askDirectory asks the field for TCM.ini until it answers or ctx ends.
func (r *Robot) askDirectory(ctx context.Context) (string, error) {
	cfg := teamcom.DefaultConfig(r.self())
	// The robot's own node follows with a greater boot id.
	cfg.Team, cfg.Boot, cfg.Beacon, cfg.Secret = r.cfg.Team, teamcomnet.DefaultConfig(r.self()).Node.Boot-1, 0, r.cfg.Secret
	node, err := teamcom.New(cfg)
	if err != nil {
		return "", err
	}
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(source(r.cfg.Field.Addr()), 0)))
	if err != nil {
		return "", fmt.Errorf("robot: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	a := &asker{
		robot: r, node: node, conn: conn, clock: soccer.NewClock(time.Now()), buf: make([]byte, tcm.MaxDatagram),
	}
	teamcom.Handle(node.Module(tcm.Cmd), func(from teamcom.From, m *team.Directory) {
		if from.Entity == r.cfg.Entity {
			a.text = m.Text
		}
	})
	began, logged := time.Now(), false
	for ctx.Err() == nil && a.text == "" {
		if err := a.ask(); err != nil && ctx.Err() == nil {
			return "", fmt.Errorf("robot: the field at %v cannot be asked for TCM.ini: %w", r.cfg.Field, err)
		}
		if !logged && time.Since(began) > askLog {
			logged = true
			r.log.Warn("the field does not answer: does it run at this address, and is this robot on the field and "+
				"switched on? Still asking", "field", r.cfg.Field)
		}
	}
	return a.text, nil
}

// ask sends a request and waits for the answer.
func (a *asker) ask() error {
	now := a.clock.At(time.Now())
	if err := a.node.Module(tcm.Cmd).Client().Send(now, a.robot.cfg.Entity, &team.Directory{}); err != nil {
		return err
	}
	for {
		out, ok := a.node.Next(now, a.buf)
		if !ok {
			break
		}
		if _, err := a.conn.WriteToUDPAddrPort(out.Data, teamcom.Port(a.robot.cfg.Field, out.Socket)); err != nil {
			return err
		}
	}
	if err := a.conn.SetReadDeadline(time.Now().Add(askPeriod)); err != nil {
		return err
	}
	for a.text == "" {
		n, from, err := a.conn.ReadFromUDPAddrPort(a.buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
		at := a.clock.At(time.Now())
		a.node.Receive(&soccer.Packet{Time: at, From: from, Data: a.buf[:n]}, tcm.Command)
		a.node.Module(tcm.Cmd).Run(func() soccer.Time { return at }, 1)
	}
	return nil
}

// source returns the address to ask another address from.
func source(to netip.Addr) netip.Addr {
	switch {
	case to.IsLoopback():
		return to
	case to.Is4():
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}
