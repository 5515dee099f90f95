package teamcom

import (
	"math"
	"time"

	"touchline/soccer"
)

// LinkReport is what pages and programs show of a link. Counts are totals; rates and shares are those of the last 10 s.
type LinkReport struct {
	Peer string `json:"peer"`
	Up   bool   `json:"up"`
	Traffic
	MessagesPerSecond float64 `json:"messagesPerSecond"`
	SilentMillis      float64 `json:"silentMillis"` // time since the newest datagram

	Boot      uint32 `json:"boot"`
	Restarts  uint64 `json:"restarts"`
	Replayed  uint64 `json:"replayed"`  // datagrams refused
	OlderBoot uint64 `json:"olderBoot"` // datagrams refused
	Clash     bool   `json:"clash"`     // in the last 10 s two living peers used this id
	Clashes   uint64 `json:"clashes"`   // datagrams that showed that
	// RefusedBoot is the boot of a program that was refused in the last 10 s, because it is below Boot; 0: none.
	RefusedBoot uint32 `json:"refusedBoot"`

	Synced            bool      `json:"synced"` // the offset is known; if not, the next values are 0
	OffsetMillis      float64   `json:"offsetMillis"`
	OffsetErrorMillis float64   `json:"offsetErrorMillis"`
	DriftPPM          float64   `json:"driftPPM"`
	RTTMillis         float64   `json:"rttMillis"`     // median
	LatencyMillis     Quantiles `json:"latencyMillis"` // time from departure to arrival of datagrams

	Types  []TypeReport `json:"-"`      // sorted by module and type
	Others uint64       `json:"others"` // messages of types that Types leaves out, because there are too many
}

// TypeReport is the traffic of one type of message.
type TypeReport struct {
	Type   string `json:"type"`
	Peer   string `json:"peer"`
	Module string `json:"module"`
	Traffic
	LatencyMillis Quantiles `json:"latencyMillis"` // time from capture to arrival of the whole message
}

// Traffic counts datagrams or messages.
type Traffic struct {
	Received         uint64  `json:"received"` // once each
	Lost             uint64  `json:"lost"`
	Duplicates       uint64  `json:"duplicates"`
	Reordered        uint64  `json:"reordered"`
	LossPercent      float64 `json:"lossPercent"`      // share of those that the peer sent
	DuplicatePercent float64 `json:"duplicatePercent"` // share of those received
	ReorderPercent   float64 `json:"reorderPercent"`   // share of those received
	PerSecond        float64 `json:"perSecond"`
	BytesPerSecond   float64 `json:"bytesPerSecond"`
}

// maxLatency and maxEarly bound the latencies that are shown, in ms: other messages carry no time of capture or a wrong
// one. An error of the offset makes latencies negative.
const (
	maxLatency = 600_000
	maxEarly   = 1000
)

// Report fills r with the state at now, and reuses its slice.
func (p *link) Report(now soccer.Time, r *LinkReport) {
	*r = LinkReport{
		Peer: p.cfg.Peer.String(), Traffic: p.counts.traffic(now),
		Boot: p.boot, Restarts: p.restarts, Replayed: p.replayed, OlderBoot: p.olderBoot,
		Clash: p.clashes > 0 && now.Sub(p.clashedAt) < clashShown, Clashes: p.clashes,
		Synced: p.clock.known, Types: r.Types[:0], Others: p.others,
	}
	if p.lostAt > 0 && now.Sub(p.lostAt) < clashShown {
		r.RefusedBoot = p.loser
	}
	r.MessagesPerSecond = p.rates.traffic(now).PerSecond
	silent, up := p.Silent(now)
	r.Up, r.SilentMillis = up, millis(float64(silent))
	if p.clock.known {
		offset, bound := p.clock.offset(now)
		// Whole milliseconds of the base and the rest apart: the offset may be half a century.
		r.OffsetMillis = float64(p.clock.base/int64(time.Millisecond)) +
			millis(float64(p.clock.base%int64(time.Millisecond))+offset)
		r.OffsetErrorMillis, r.DriftPPM = millis(bound), round(p.clock.drift*1e6)
		r.LatencyMillis, _ = p.delays.quantiles(now, p.latency)
	}
	trips, _ := p.trips.quantiles(now, func(s sample) (float64, bool) { return millis(float64(s.value)), true })
	r.RTTMillis = trips.P50
	for _, t := range p.types {
		row := TypeReport{Type: t.key.kind.String(), Peer: r.Peer, Module: t.key.module.String(), Traffic: t.tally.traffic(now)}
		if p.clock.known {
			row.LatencyMillis, _ = t.delays.quantiles(now, p.latency)
		}
		r.Types = append(r.Types, row)
	}
}

// Silent returns the time since the newest datagram of the peer, 0 before the first one, and whether the link is up. It
// costs far less than a Report.
func (p *link) Silent(now soccer.Time) (silent time.Duration, up bool) {
	if !p.started {
		return 0, false
	}
	silent = max(now.Sub(p.arrived), 0)
	return silent, silent <= p.cfg.Timeout
}

// latency converts the difference between a time of the peer's clock and an arrival to the time that passed.
func (p *link) latency(s sample) (float64, bool) {
	offset, _ := p.clock.offset(s.at)
	passed := millis(offset - float64(s.value-p.clock.base))
	return max(passed, 0), passed >= -maxEarly && passed <= maxLatency
}

// traffic returns the counts of a tally, with the shares and rates of the last 10 s.
func (t *tally) traffic(now soccer.Time) Traffic {
	recent, span := t.recent(now)
	return Traffic{
		Received: t.total.received, Lost: t.total.lost(), Duplicates: t.total.duplicates, Reordered: t.total.reordered,
		LossPercent:      percent(recent.lost(), recent.expected),
		DuplicatePercent: percent(recent.duplicates, recent.received),
		ReorderPercent:   percent(recent.reordered, recent.received),
		PerSecond:        round(float64(recent.received) / span),
		BytesPerSecond:   round(float64(recent.bytes) / span),
	}
}

func percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return round(100 * float64(part) / float64(whole))
}

// millis converts nanoseconds to milliseconds, to a microsecond.
func millis(ns float64) float64 { return round(ns / 1e6) }

// round rounds to three decimals.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
