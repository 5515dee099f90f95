package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/conform"
	"touchline/reportcard"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/msl"
)

// maxStations is how many base stations are heard in one live check.
const maxStations = 16

// hear checks what comes from the network.
func (f *checkFlags) hear(ctx context.Context, group netip.AddrPort, progress io.Writer) (checkInput, error) {
	input := checkInput{Name: group.String(), Kind: "live"}
	cfg := transport.DefaultConfig(group)
	cfg.Interface = f.iface
	receiver, err := transport.Listen(cfg)
	if err != nil {
		return input, err
	}
	stop := context.AfterFunc(ctx, func() { receiver.Close() })
	defer stop()
	defer receiver.Close()
	if err := receiver.SetReadDeadline(time.Now().Add(f.live)); err != nil {
		return input, err
	}
	fmt.Fprintf(progress, "listening to %s for %v\n", group, f.live)
	var checker conform.Checker
	for buf := make([]byte, transport.MaxDatagram); ; {
		p, err := receiver.ReadPacket(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return input, err
		}
		checker.Add(&p)
	}
	input.Dropped, input.Report = receiver.Drops(), checker.Report()
	return input, nil
}

// accept plays a referee box for a while: it welcomes base stations and checks what they send.
func (f *checkFlags) accept(ctx context.Context, progress io.Writer) (checkInput, error) {
	addr, err := netip.ParseAddrPort(f.listen)
	if err != nil {
		return checkInput{}, fmt.Errorf("--listen %s: write it like 127.0.0.1:%d", f.listen, msl.Port)
	}
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(addr))
	if err != nil {
		return checkInput{}, err
	}
	defer l.Close()
	end := time.Now().Add(f.live)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	if err := l.SetDeadline(end); err != nil {
		return checkInput{}, err
	}
	input := checkInput{Name: l.Addr().String(), Kind: "live base stations"}
	fmt.Fprintf(progress, "waiting for base stations on %s for %v\n", l.Addr(), f.live)
	var (
		stations errgroup.Group
		mu       sync.Mutex
		heard    int
	)
	for {
		conn, err := l.AcceptTCP()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return input, errors.Join(err, stations.Wait())
		}
		if heard++; heard > maxStations {
			conn.Close()
			continue
		}
		stations.Go(func() error {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			defer stop()
			defer conn.Close()
			card := hearStation(conn, end)
			mu.Lock()
			defer mu.Unlock()
			input.Cards = append(input.Cards, card)
			return nil
		})
	}
	if err := stations.Wait(); err != nil {
		return input, err
	}
	slices.SortFunc(input.Cards, func(a, b reportcard.Report) int { return compareCards(&a, &b) })
	input.judge()
	return input, nil
}

func compareCards(a, b *reportcard.Report) int {
	switch {
	case a.Team < b.Team:
		return -1
	case a.Team > b.Team:
		return 1
	}
	return 0
}

// hearStation welcomes one base station as the team of its address (127.0.T.x, 172.16.T.x) and checks what it sends.
func hearStation(conn *net.TCPConn, end time.Time) reportcard.Report {
	from := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	ip := from.Addr().Unmap()
	team, name := byte(0), from.String()
	if ip.Is4() {
		team = ip.As4()[2]
		if known := soccer.MSLTeam(int(team)); known.ID != 0 {
			name = known.Name + " (" + from.String() + ")"
		}
	}
	card := reportcard.New(name, soccer.Field{})
	welcome := msl.Command{Name: msl.Welcome, TargetTeam: fmt.Sprintf("224.16.32.%d", team)}
	b, err := welcome.AppendBinary(nil)
	if err == nil {
		conn.SetDeadline(end)
		_, err = conn.Write(append(b, 0))
	}
	var splitter msl.Splitter
	number, buf := int64(0), make([]byte, 1<<16)
	for err == nil {
		var n int
		n, err = conn.Read(buf)
		now := soccer.Time(time.Now().UnixNano())
		splitter.Split(buf[:n], func(message []byte) {
			number++
			card.Add(&reportcard.Message{Received: now, Offset: number, Data: message})
		})
	}
	card.SetUnclosed(int64(splitter.Pending()), splitter.Lost)
	return card.Report()
}
