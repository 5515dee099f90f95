package vssnet

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/internal/vss"
	"touchline/sim"
	"touchline/wire/firasim"
)

// ShowPeriod is the time between two snapshots for the page.
const ShowPeriod = time.Second / 30

// clientTime is the time for which a sender is shown as a client after its last packet.
const clientTime = 10 * time.Second

// maxClients bounds the remembered senders.
const maxClients = 32

// client is a sender of commands or placements.
type client struct {
	packets  uint64 // since the rate was updated
	rate     float64
	drives   [2]uint8 // robots of blue and yellow: bit n for robot n
	commands bool     // it has sent commands
	places   int      // packets with placements since the time placed
	placed   time.Time
	packet   []byte // the first bytes of the last packet
	length   int    // size of the whole packet
	received time.Duration
}

// keptBytes is how many bytes of a client's last packet are kept for the page.
const keptBytes = 2048

// keep remembers the last packet. The array of c.packet is reused.
func (c *client) keep(b []byte, at time.Duration) {
	c.packet, c.length, c.received = append(c.packet[:0], b[:min(len(b), keptBytes)]...), len(b), at
}

// noteClient updates the client that sent the packet p with the bytes b.
func (s *Server) noteClient(from netip.AddrPort, p *firasim.Packet, b []byte, now time.Time) {
	at := s.clock.At(now)
	e := s.clients.Find(from)
	if e == nil {
		e, _ = s.clients.Add(from, at, maxClients, 0)
		e.Value = client{packet: e.Value.packet}
	}
	e.Used = at
	c := &e.Value
	c.packets++
	c.keep(b, s.session.Now())
	c.commands = c.commands || len(p.Commands) > 0
	for k := range p.Commands {
		team := 0
		if p.Commands[k].Yellow {
			team = 1
		}
		if p.Commands[k].ID < uint32(s.Config.Game.Robots) {
			c.drives[team] |= 1 << p.Commands[k].ID
		}
	}
	if !p.HasReplacement {
		return
	}
	if now.Sub(c.placed) > otherTime {
		c.places, c.placed = 0, now
	}
	c.places++
	if s.Config.Referee && !c.commands && c.places >= otherAfter && !s.referee.other.IsValid() {
		s.yieldTo(from)
	}
}

// rates are the figures that are updated each second.
type rates struct {
	at                    time.Time
	ticks, received, sent uint64
	in, out, rate         float64
	refusals              map[string]uint64 // by reason
}

// count updates the rates and logs refusals, each second, until the context ends.
func (s *Server) count(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			s.mu.Lock()
			s.updateRates(now)
			s.logRefusals()
			s.mu.Unlock()
		}
	}
}

func (s *Server) updateRates(now time.Time) {
	r := &s.rates
	dt := now.Sub(r.at).Seconds()
	if dt <= 0 {
		return
	}
	received, sent, ticks := s.received.Load(), s.sent.Load(), s.session.Ticks()
	r.in, r.out = float64(received-r.received)/dt, float64(sent-r.sent)/dt
	r.rate = max(0, float64(ticks)-float64(r.ticks)) * sim.Tick.Seconds() / dt
	r.at, r.received, r.sent, r.ticks = now, received, sent, ticks
	clients := s.clients.All()
	for i := range clients {
		c := &clients[i].Value
		c.rate, c.packets = float64(c.packets)/dt, 0
	}
}

// logRefusals logs each reason when it first occurs, and placements outside the field whenever there are new ones.
func (s *Server) logRefusals() {
	for _, c := range s.session.Refused() {
		was := s.rates.refusals[c.Reason]
		if c.Count > was && (was == 0 || c.Reason == vss.OutsideField.String()) {
			s.Log.Warn("refused: "+c.Reason, "what", c.Last, "count", c.Count)
		}
		s.rates.refusals[c.Reason] = c.Count
	}
}

// Show returns a snapshot for the page. It may be called from any goroutine.
func (s *Server) Show() *vss.Show {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.session.Show()
	v.Paused, v.Speed, v.Rate, v.Lockstep = s.paused, s.speed, s.rates.rate, s.step.on
	v.Referee, v.Vision, v.Commands = s.showReferee(), slices.Clone(s.Config.Vision), s.net.names
	for _, to := range s.Config.SSLVision {
		v.Vision = append(v.Vision, to+" (SSL-Vision)")
	}
	v.In, v.Out, v.Clients = s.rates.in, s.rates.out, s.showClients(time.Now())
	for team, name := range vss.Teams {
		if s.step.on && s.step.missing(team, s.session) {
			v.Waiting = append(v.Waiting, name)
		}
	}
	v.Trouble = s.troubles()
	return v
}

// PacketPeriod is the time between two snapshots of a client's last packet for the page.
const PacketPeriod = 200 * time.Millisecond

// ShowPacket returns the last packet of the client with an address, nil if there is no such client. It may be called
// from any goroutine.
func (s *Server) ShowPacket(address string) *vss.ShowPacket {
	from, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.clients.Find(from)
	if e == nil {
		return nil
	}
	c := &e.Value
	v := &vss.ShowPacket{
		Address: address, Time: c.received.Seconds(), Len: c.length, Hex: hex.EncodeToString(c.packet),
		Fields: firasim.Fields(s.kindOf(c.packet), c.packet),
	}
	if c.length == len(c.packet) {
		v.Issues = firasim.Check(s.kindOf(c.packet), c.packet)
	}
	return v
}

// troubles returns all problems in one line.
func (s *Server) troubles() string {
	var all []string
	for _, e := range s.net.vision {
		if e.trouble != nil {
			all = append(all, e.trouble.Error())
		}
	}
	if o := &s.referee; o.own != nil && o.other.IsValid() {
		all = append(all, fmt.Sprintf("the referee at %s controls the match and the built-in referee is silent; "+
			"the command resume gives the match back to it", o.other))
	}
	if s.broken != nil {
		all = append(all, s.broken.Error())
	}
	return strings.Join(all, "; ")
}

func (s *Server) showReferee() *vss.ShowReferee {
	o := &s.referee
	if !o.known && o.own == nil {
		return nil
	}
	v := &vss.ShowReferee{
		Source: vss.Builtin, Foul: o.last.Foul.String(), Team: teamName(o.last.Team), Half: o.last.Half.String(),
	}
	if o.source.IsValid() {
		v.Source = o.source.String()
	} else if o.other.IsValid() {
		v.Source = o.other.String()
	}
	if !o.silent() {
		_, v.Clock, v.Left = o.own.Clock()
	}
	return v
}

func (s *Server) showClients(now time.Time) []vss.ShowClient {
	all := []vss.ShowClient{}
	clients := s.clients.All()
	for i := range clients {
		e, c := &clients[i], &clients[i].Value
		if s.clock.At(now).Sub(e.Used) <= clientTime {
			all = append(all, vss.ShowClient{
				Address: e.Key.String(), Rate: c.rate, Blue: idsOf(c.drives[0]), Yellow: idsOf(c.drives[1]),
			})
		}
	}
	slices.SortFunc(all, func(a, b vss.ShowClient) int { return strings.Compare(a.Address, b.Address) })
	return all
}

// idsOf returns the indices of the set bits.
func idsOf(mask uint8) []int {
	ids := []int{}
	for id := range 8 {
		if mask>>id&1 == 1 {
			ids = append(ids, id)
		}
	}
	return ids
}
