package checknet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/msl"
)

// maxStations is how many base stations Stations accepts.
const maxStations = 16

// Stations acts as a RefBox until end: it welcomes the base stations that connect to listener, and returns their report
// cards.
func Stations(ctx context.Context, listener *net.TCPListener, end time.Time) ([]check.StationReport, error) {
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	if err := listener.SetDeadline(end); err != nil {
		return nil, err
	}
	var (
		stations errgroup.Group
		mu       sync.Mutex // guards reports
		reports  []check.StationReport
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
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			defer conn.Close()
			report := station(conn, end)
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, report)
			return nil
		})
	}
	return reports, stations.Wait()
}

// station welcomes one base station as the team of its address and judges its messages. A team that the league's table
// lacks is that of the address 172.16.T.x.
func station(conn *net.TCPConn, end time.Time) check.StationReport {
	from := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	ip := from.Addr().Unmap()
	team, name := byte(0), from.String()
	if ip.Is4() {
		team = ip.As4()[2]
		if known := soccer.TeamAt(soccer.MSLTeams(), ip); known.ID != 0 {
			team = byte(known.ID)
			name = known.Name + " (" + from.String() + ")"
		}
	}
	card := check.NewCard(name, soccer.Field{})
	welcome := msl.Command{Name: msl.Welcome, TargetTeam: fmt.Sprintf("224.16.32.%d", team)}
	b, err := welcome.AppendBinary(nil)
	if err == nil {
		conn.SetDeadline(end)
		_, err = conn.Write(append(b, 0))
	}
	var splitter msl.Splitter
	number, buf, clock := int64(0), make([]byte, 1<<16), soccer.NewClock(time.Now())
	for err == nil {
		var n int
		n, err = conn.Read(buf)
		now := clock.At(time.Now())
		splitter.Split(buf[:n], func(message []byte) {
			number++
			card.Add(&check.StationMessage{Received: now, Offset: number, Data: message})
		})
	}
	card.SetUnclosed(int64(splitter.Pending()), splitter.Lost)
	return card.Report()
}
