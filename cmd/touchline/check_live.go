package main

import (
	"cmp"
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

	"touchline/reportcard"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// maxStations is how many base stations a live check accepts.
const maxStations = 16

// receive checks packets from the network for the time of --live.
func (f *checkFlags) receive(ctx context.Context, progress io.Writer) (checkInput, error) {
	group := f.to
	if !group.IsValid() {
		group = netip.MustParseAddrPort(mixedteam.Group)
	}
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
	fmt.Fprintf(progress, "listening on %s for %v\n", group, f.live)
	checker := f.checker()
	for buf := make([]byte, transport.MaxDatagram); ; {
		p, err := receiver.ReadPacket(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return input, err
		}
		checker.add(&p)
	}
	input.Dropped, input.Report = receiver.Drops(), checker.Report()
	return input, nil
}

// accept acts as a RefBox for the time of --live: it welcomes base stations and checks their messages.
func (f *checkFlags) accept(ctx context.Context, progress io.Writer) (checkInput, error) {
	addr, err := netip.ParseAddrPort(f.listen)
	if err != nil {
		return checkInput{}, fmt.Errorf("--listen %s: write an address and a port, for example 127.0.0.1:%d", f.listen, msl.Port)
	}
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(addr))
	if err != nil {
		return checkInput{}, err
	}
	defer listener.Close()
	end := time.Now().Add(f.live)
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	if err := listener.SetDeadline(end); err != nil {
		return checkInput{}, err
	}
	input := checkInput{Name: listener.Addr().String(), Kind: "live base stations"}
	fmt.Fprintf(progress, "waiting for base stations on %s for %v\n", listener.Addr(), f.live)
	if input.Cards, err = acceptStations(ctx, listener, end); err != nil {
		return input, err
	}
	slices.SortFunc(input.Cards, func(a, b reportcard.Report) int { return cmp.Compare(a.Team, b.Team) })
	input.sumUp()
	return input, nil
}

// acceptStations checks the base stations that connect before the listener's deadline, and returns their cards at the end.
func acceptStations(ctx context.Context, listener *net.TCPListener, end time.Time) (cards []reportcard.Report, err error) {
	var (
		stations errgroup.Group
		mu       sync.Mutex // of cards
	)
	for accepted := 0; ; {
		conn, err := listener.AcceptTCP()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, stations.Wait())
		}
		if accepted++; accepted > maxStations {
			conn.Close()
			continue
		}
		stations.Go(func() error {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			defer stop()
			defer conn.Close()
			card := checkStation(conn, end)
			mu.Lock()
			defer mu.Unlock()
			cards = append(cards, card)
			return nil
		})
	}
	return cards, stations.Wait()
}

// checkStation welcomes one base station as the team of its address (127.0.T.x, 172.16.T.x) and checks its messages.
func checkStation(conn *net.TCPConn, end time.Time) reportcard.Report {
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
