package teamcom

import (
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// linkConfig configures a link.
type linkConfig struct {
	Self    tcm.Entity    // the node itself: only echoes of its datagrams count
	Peer    tcm.Entity    // the peer
	Started soccer.Time   // start of the node: echoes of earlier datagrams are ignored. Default 0
	Signed  bool          // datagrams are signed: boots and sequences never go back. Default false
	Timeout time.Duration // a peer that is silent for longer is down. Default 900 ms
	Lean    bool          // counts and latencies are left out: nobody reads a Report. Default false
}

const (
	// silence is the time after which an unsigned peer may restart with an older boot or sequence, so that a robot
	// without a clock battery is not locked out.
	silence = time.Second

	// clashShown is how long a report shows a clash.
	clashShown = 10 * time.Second

	// maxHeld bounds the age of an echo.
	maxHeld = 10 * time.Second
)

// verdict is the fate of a datagram.
type verdict uint8

// A node uses only accepted datagrams.
const (
	accepted  verdict = iota
	duplicate         // arrived before
	replayed          // sequence too far behind or ahead of the newest one
	olderBoot         // from an earlier start of the peer, or from a second peer with its id
)

// String returns the verdict in lower case.
func (v verdict) String() string {
	switch v {
	case accepted:
		return "accepted"
	case duplicate:
		return "duplicate"
	case replayed:
		return "replayed"
	}
	return "older boot"
}

// link is what a node knows of one peer: which of its datagrams are new, what the network loses, duplicates and reorders, how
// the peer's clock runs, and how long its messages take. It is not safe for concurrent use.
//
// Times are those of the node's soccer.Clock, which never jumps. A peer's clock may show any time; the line that
// describes it assumes a drift of at most 1,000 ppm.
type link struct {
	cfg     linkConfig
	streams [2 * tcm.Sockets]*replayWindow // windows of datagrams to the node, then to all of its kind
	types   []*typeState                   // sorted by key
	keys    []typeKey                      // keys of types
	clock   clock
	counts  tally   // counts of datagrams
	rates   tally   // counts of messages
	delays  samples // sent minus arrival of datagrams
	trips   samples // round-trip times

	started   bool // a datagram was accepted
	boot      uint32
	newest    uint32      // highest boot that was accepted
	bootAt    soccer.Time // arrival of the first datagram of boot
	arrived   soccer.Time // arrival of the newest accepted datagram
	sent      uint64      // its departure, by the peer's clock
	restarts  uint64
	replayed  uint64
	olderBoot uint64
	clashes   uint64
	clashedAt soccer.Time
	loser     uint32 // newest boot that was refused although it is no late datagram
	lostAt    soccer.Time
	others    uint64 // messages of types beyond maxTypes
}

// newLink returns the state of a peer that has sent no datagram yet.
func newLink(cfg linkConfig) *link {
	if cfg.Timeout == 0 {
		cfg.Timeout = 900 * time.Millisecond
	}
	return &link{cfg: cfg, delays: newSamples(64), trips: newSamples(16)}
}

// Receive judges a valid datagram of the peer that arrived at now, and updates all figures from its header. size is its
// length in bytes.
func (p *link) Receive(now soccer.Time, h *tcm.Header, size int) verdict {
	if !p.admitBoot(now, h.Boot) {
		p.olderBoot++
		return olderBoot
	}
	i := int(h.Socket) % tcm.Sockets
	if h.To.ID == 0 {
		i += tcm.Sockets
	}
	if p.streams[i] == nil {
		p.streams[i] = &replayWindow{}
	}
	change, verdict := p.place(now, p.streams[i], h)
	change.bytes = uint64(size)
	switch verdict {
	case replayed:
		p.replayed++
		return verdict
	case duplicate:
		p.counts.add(now, counts{duplicates: 1})
		return verdict
	}
	if !p.cfg.Lean {
		p.counts.add(now, change)
	}
	p.arrived, p.sent = now, h.Sent
	p.measure(now, h)
	return accepted
}

// place finds the place of a datagram in its stream.
func (p *link) place(now soccer.Time, s *replayWindow, h *tcm.Header) (counts, verdict) {
	mark := markOf(h.Sent)
	change, verdict := s.place(h.Sequence, mark, p.cfg.Signed)
	copied := verdict == duplicate && s.isCopy(h.Sequence, mark)
	if verdict != accepted && !copied && !p.cfg.Signed && now.Sub(s.last) >= silence {
		// The peer restarted with the same boot and its sequences start again.
		if now.Sub(p.arrived) >= silence {
			p.restart(now, p.boot)
		}
		*s = replayWindow{}
		change, verdict = s.place(h.Sequence, mark, false)
	} else if verdict == duplicate && !copied {
		p.clash(now) // two peers with one id and one boot
	}
	if verdict == accepted {
		s.last = now
	}
	return change, verdict
}

// admitBoot reports whether datagrams of a boot are accepted, and starts a new boot.
func (p *link) admitBoot(now soccer.Time, boot uint32) bool {
	switch {
	case !p.started:
		p.started, p.arrived = true, now
		p.boot, p.newest, p.bootAt = boot, boot, now
		return true
	case boot == p.boot:
		return true
	case boot < p.boot:
		living, late := now.Sub(p.arrived) < silence, now.Sub(p.bootAt) < silence
		if living && !late {
			p.clash(now)
		}
		if living || p.cfg.Signed {
			if !late { // no datagram of the earlier boot that the network held back
				p.loser, p.lostAt = boot, now
			}
			return false
		}
	case boot == p.newest:
		p.clash(now) // the peer with the higher boot was silent, but lives
	}
	p.restart(now, boot)
	return true
}

// restart starts a new boot: its sequences, numbers and clock have nothing in common with those of the boot before.
func (p *link) restart(now soccer.Time, boot uint32) {
	p.restarts++
	p.boot, p.newest, p.bootAt, p.arrived = boot, max(p.newest, boot), now, now
	for _, s := range p.streams {
		if s != nil {
			*s = replayWindow{}
		}
	}
	for _, t := range p.types {
		t.direct, t.all = numbers{}, numbers{}
		t.delays.clear()
	}
	p.clock = clock{}
	p.delays.clear()
	p.trips.clear()
}

// clash counts a datagram that shows that two living peers use one id.
func (p *link) clash(now soccer.Time) {
	p.clashes++
	p.clashedAt = now
}

// measure updates the clock and the latencies with an accepted datagram.
func (p *link) measure(now soccer.Time, h *tcm.Header) {
	if h.Sent == 0 { // a program that fills in no times
		return
	}
	if !p.cfg.Lean {
		p.delays.add(now, int64(h.Sent-uint64(now)))
	}
	e := h.Echo
	if e.From != p.cfg.Self || e.From.ID == 0 || soccer.Time(e.Sent) < p.cfg.Started {
		p.clock.observe(now, h.Sent)
		return
	}
	held := time.Duration(e.Held) * time.Microsecond
	trip := now.Sub(soccer.Time(e.Sent)) - held
	if held > maxHeld || trip < -maxTripError || trip > maxTrip {
		return
	}
	if !p.cfg.Lean {
		p.trips.add(now, int64(max(trip, 0)))
	}
	if p.clock.exchange(now, h.Sent, e.Sent, held) { // the peer's clock was set: earlier readings are worthless
		p.delays.clear()
		for _, t := range p.types {
			t.delays.clear()
		}
	}
}

// Restarts returns how often the peer has restarted. After a restart its messages are numbered from the beginning.
func (p *link) Restarts() uint64 { return p.restarts }

// Echo returns the echo for the next datagram that the peer receives. It is false if no datagram of the peer arrived in
// the last 10 s.
func (p *link) Echo(now soccer.Time) (tcm.Echo, bool) {
	held := max(now.Sub(p.arrived), 0)
	if !p.started || held > maxHeld {
		return tcm.Echo{}, false
	}
	return tcm.Echo{From: p.cfg.Peer, Held: uint32(held / time.Microsecond), Sent: p.sent}, true
}

// Local converts a time of the peer's clock to the node's. It is false before the first two-way exchange, and for times
// more than ten days away.
func (p *link) Local(remote uint64) (soccer.Time, bool) { return p.clock.local(remote) }
