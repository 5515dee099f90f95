package stationnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
)

// ReplayConfig describes a retransmission.
type ReplayConfig struct {
	From      soccer.Time   // time of the first message
	Speed     float64       // times the original, above 0
	Interface string        // network interface of a multicast group. Default loopback
	Teams     [2]int        // numbers of the home and the away team, 0: unknown; only for a referee box
	Own       [2]netip.Addr // addresses to connect to a referee box from. Default as Target
	// Waiting is called for a team that waits until the referee admits it. Default nil
	Waiting func(side string, team int)
}

// ReplayResult is what was sent.
type ReplayResult struct {
	Messages uint64  `json:"messages"`
	Bytes    uint64  `json:"bytes"`
	Seconds  float64 `json:"seconds"`
	Late     float64 `json:"late"` // s: largest delay
}

// ErrTarget is the error of a target to which the log cannot be sent.
var ErrTarget = errors.New("nothing can be sent there")

// leftOut is returned by a sender for a message that it does not send.
const leftOut = -1

// pace calls send with each message of the channels when it is due. The first one is due at once.
func (cfg *ReplayConfig) pace(ctx context.Context, l *matchlog.Log, send func(*matchlog.Message) (int, error),
	channels ...string) (r ReplayResult, err error) {
	start := time.Now()
	defer func() { r.Seconds = time.Since(start).Seconds() }()
	var first soccer.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	for m, err := range l.Messages(cfg.From, 0, channels...) {
		if err != nil {
			return r, err
		}
		if r.Messages == 0 {
			first = m.Time
		}
		due := time.Duration(float64(m.Time.Sub(first)) / cfg.Speed)
		timer.Reset(due - time.Since(start))
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-timer.C:
		}
		n, err := send(&m)
		if err != nil {
			return r, err
		}
		if n == leftOut {
			continue
		}
		r.Messages, r.Bytes, r.Late = r.Messages+1, r.Bytes+uint64(n), max(r.Late, (time.Since(start)-due).Seconds())
	}
	return r, nil
}

// ReplayPackets retransmits the datagrams of a recording to an ADDRESS:PORT: those that were sent to this address originally. If
// none was, it retransmits all of them without those of the TCM, or those of the TCM if there are no others.
func ReplayPackets(ctx context.Context, l *matchlog.Log, to string, cfg ReplayConfig) (ReplayResult, error) {
	group, _ := netip.ParseAddrPort(to) // a name is no group
	var write func([]byte) error
	if group.Addr().IsMulticast() {
		network := transport.DefaultConfig(group)
		network.Interface = cfg.Interface
		s, err := transport.Dial(network)
		if err != nil {
			return ReplayResult{}, fmt.Errorf("%w: %w", ErrTarget, err)
		}
		defer s.Close()
		write = s.Send
	} else {
		conn, err := net.Dial("udp", to)
		if err != nil {
			return ReplayResult{}, fmt.Errorf("%w: %w", ErrTarget, err)
		}
		defer conn.Close()
		write = func(b []byte) error {
			if _, err := conn.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) { // no program listens yet
				return err
			}
			return nil
		}
	}
	only, err := SentTo(l, to)
	if err != nil {
		return ReplayResult{}, err
	}
	channels := []string{matchlog.Packets, matchlog.TCM}
	if _, others, err := l.Last(matchlog.Packets, l.Info().End); err != nil {
		return ReplayResult{}, err
	} else if !only && others {
		channels = channels[:1]
	}
	return cfg.pace(ctx, l, func(m *matchlog.Message) (int, error) {
		p, err := matchlog.ParsePacket(*m)
		if err != nil {
			return 0, err
		}
		if only && p.Channel != to {
			return leftOut, nil
		}
		return len(p.Data), write(p.Data)
	}, channels...)
}

// SentTo reports whether a log contains datagrams that were sent to an address. Then the others are left out, for
// example a simulator's commands when its vision is retransmitted.
func SentTo(l *matchlog.Log, to string) (bool, error) {
	for m, err := range l.Messages(0, 0, matchlog.Packets, matchlog.TCM) {
		if err != nil {
			return false, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil && p.Channel == to {
			return true, nil
		}
	}
	return false, nil
}
