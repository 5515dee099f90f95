// Package watch observes the mixed team packages on a network: senders, rates, gaps, variants, decoded fields, issues
// and alarms. It is a pure core: packets and the time go in, the values that the pages show come out. Memory is
// bounded, whatever arrives.
package watch

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"touchline/internal/bounded"
	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// Bounds of a Watcher, which grows to about 3 MiB.
const (
	maxSenders   = 64 // rows
	maxOfAddress = 8  // rows of one address, so that a sender that changes its robot ID does not evict the others
	keptPackets  = 8  // last packets of a sender
	keptBytes    = 2048
	maxPulses    = 512
)

// Times of a Watcher.
const (
	window      = 10 * time.Second        // span of rates, gaps and alarms
	idleAfter   = time.Second             // a sender that was silent for this long may lose its row to a new one
	awayAfter   = 2 * time.Second         // a sender that was silent for longer was away: its rate and gaps restart
	tileFor     = 10 * time.Second        // a sender that is silent for longer gives its tile to one with its number
	silentTiles = 12                      // tiles of senders that are silent for longer than tileFor
	rowFor      = time.Minute             // time that a silent sender keeps its row
	checkPeriod = 200 * time.Millisecond  // pause between checked packets of one sender
	setBack     = 250 * time.Millisecond  // a step back of the caller's time from which its clock was set
	settleTime  = 1500 * time.Millisecond // without load counts after a set clock or a pause of the caller
	together    = time.Second             // two senders' clocks jump together within this time
	alike       = 250 * time.Millisecond  // two jumps by the same step within this are one of this machine's clock
)

// How often the pages show what a Watcher knows.
const (
	WallPeriod    = 30 * time.Millisecond
	NetworkPeriod = 500 * time.Millisecond
	PacketsPeriod = 200 * time.Millisecond
)

// Config describes the channel.
type Config struct {
	Group  string       // the channel's name on the page. Default "224.16.32.75:2005"
	Start  soccer.Time  // when the session started; times of packets count from it. Default 0
	Budget float64      // bandwidth of a team in bit/s. Default 2.2e6, a fifth of the access point (MSL Rules 2026)
	Field  soccer.Field // field of the robots. Default the largest, 22 x 14 m
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{Group: mixedteam.Group, Budget: 2.2e6, Field: soccer.MSL22x14()}
}

// Watcher observes the senders on one channel. It is not safe for concurrent use.
type Watcher struct {
	cfg      Config
	rows     bounded.Table[sourceKey, *row, soccer.Time]
	listed   []*row // scratch
	load     Load   // load of the whole channel
	over     bool   // over budget, with hysteresis
	drops    uint64 // number passed to the last Report
	percepts soccer.Percepts
	judge    check.Judge

	// Times are 0 for events that never happened.
	received  soccer.Time   // time of the last Receive
	reported  soccer.Time   // time of the last Report
	dropped   soccer.Time   // when drops last grew
	crowded   soccer.Time   // when a sender last found no row
	unsettled soccer.Time   // when the caller's time was last set back, or resumed after a pause
	stood     soccer.Time   // where the caller's time last stood still
	jump      time.Duration // last jump of this machine's clock against the senders'
	jumped    soccer.Time   // when that was
}

// sourceKey identifies a sender: packages by address, colour and number, other traffic by address.
type sourceKey struct {
	soccer.Sender
	foreign bool
}

// Source is a sender with its newest packet.
type Source struct {
	Key      string // key of its row; "" when there is no room for one
	Sender   soccer.Sender
	Foreign  bool             // the packet is not a mixed team package: Header is zero and Percepts nil
	Header   mixedteam.Header // header of the newest package
	Percepts *soccer.Percepts // contents of the newest package; valid until the next Receive
	Time     soccer.Time      // when it arrived
}

// New returns a Watcher without senders.
func New(cfg Config) *Watcher {
	return &Watcher{cfg: cfg, judge: check.Judge{Field: cfg.Field}}
}

// Receive decodes and counts one packet, whose Time is now. It keeps a copy of the first 2 KiB at most. It checks five
// packets a second of each sender for issues, and each packet whose variant differs from that of the one before.
func (w *Watcher) Receive(p *soccer.Packet) Source {
	var header mixedteam.Header
	id, err := mixedteam.Decode(p.Data, &header, &w.percepts)
	foreign := err != nil || id.Variant == mixedteam.Foreign
	if foreign {
		header = mixedteam.Header{}
	}
	k := sourceOf(p, &header, foreign)
	w.follow(&w.received, p.Time)
	size, settled := OnAir(p.FullSize()), w.unsettled == 0 || p.Time.Sub(w.unsettled) >= settleTime
	if settled {
		w.load.Add(p.Time, size)
	}
	r := w.row(k, p.Time)
	if r == nil {
		w.crowded = p.Time
		source := Source{Sender: k.Sender, Foreign: foreign, Header: header, Time: p.Time}
		if !foreign {
			source.Percepts = &w.percepts
		}
		return source
	}
	if !foreign {
		r.store, w.percepts = w.percepts, r.store
		r.Percepts = &r.store
	}
	if r.packets > 0 && p.Time.Sub(r.Time) > awayAfter {
		r.restart(p.Time)
	}
	r.Header, r.Time = header, p.Time
	if settled {
		r.load.Add(p.Time, size)
	} else {
		r.first = p.Time // its rate counts from when the load is settled
	}
	jump, repeated := r.count(p, id)
	if jump != 0 {
		w.noteJump(r, jump)
	}
	if !foreign && !repeated {
		w.judge.Observe(p.Time, &check.Package{From: r.Sender, Header: header, Percepts: r.Percepts})
	}
	return r.Source
}

// SilentFor returns the time since the last packet, or since the session's start.
func (w *Watcher) SilentFor(now soccer.Time) time.Duration {
	return max(0, now.Sub(max(w.received, w.cfg.Start)))
}

// follow advances the time of the last Receive or Report to now. If the caller's time was set back, all stored times
// move back with it and statistics of time restart. After that, and after a pause of the caller, queued packets may
// arrive at once: until they have settled no load is counted, as it would look like a flood.
func (w *Watcher) follow(last *soccer.Time, now soccer.Time) {
	newest := max(w.received, w.reported)
	switch {
	case last.Sub(now) > setBack:
		back := newest.Sub(now)
		for i, all := 0, w.rows.All(); i < len(all); i++ {
			r := all[i].Value
			r.Time = r.Time.Add(-back)
			all[i].Used = r.Time
			r.restart(r.Time)
			r.jumped = 0
		}
		w.received, w.reported = w.received.Add(-back), w.reported.Add(-back)
		w.load = Load{}
		w.dropped, w.crowded, w.jumped, w.stood, w.unsettled = 0, 0, 0, 0, now
	case newest != 0 && now.Sub(newest) > awayAfter:
		w.unsettled = now
	}
	*last = now
}

// noteJump records that the clock of r's sender gained by on this machine's. If the clocks of two addresses jump alike,
// it was this machine's clock that jumped.
func (w *Watcher) noteJump(r *row, by time.Duration) {
	if w.stood != 0 && r.Time.Sub(w.stood) <= awayAfter {
		return // the sender's clock ran while the caller's time stood still
	}
	r.jumps++
	r.jump, r.jumped, r.excused = by, r.Time, false
	for _, e := range w.rows.All() {
		o := e.Value
		other := o.jumped != 0 && o.Sender.Addr != r.Sender.Addr
		if other && r.Time.Sub(o.jumped) < together && (o.jump-by).Abs() < alike {
			w.jump, w.jumped = -by, r.Time
			o.excuse()
			r.excuse()
		}
	}
}

// Forget leaves out the packages from an address: another one took its place.
func (w *Watcher) Forget(addr netip.AddrPort) {
	w.rows.Delete(func(e bounded.Entry[sourceKey, *row, soccer.Time]) bool { return e.Value.Sender.Addr == addr })
}

// row returns the row of a sender, or nil when there is no room for a new one: all senders are active.
func (w *Watcher) row(k sourceKey, now soccer.Time) *row {
	e := w.rows.Find(k)
	if e == nil {
		sameAddr := func(o sourceKey) bool { return o.Addr == k.Addr }
		if e, _ = w.rows.AddToGroup(k, now, maxSenders, idleAfter, maxOfAddress, sameAddr); e == nil {
			return nil
		}
		if e.Value == nil {
			e.Value = new(row)
		}
		e.Value.reset(k, now)
	}
	e.Used = now
	return e.Value
}

// sorted returns the rows of the senders of the last minute: packages by colour, number and address, then other
// traffic.
func (w *Watcher) sorted(now soccer.Time) []*row {
	return w.list(func(r *row) bool { return now.Sub(r.Time) < rowFor })
}

// list returns the rows that fit, ordered as those of sorted.
func (w *Watcher) list(fits func(*row) bool) []*row {
	w.listed = w.listed[:0]
	for _, e := range w.rows.All() {
		if fits(e.Value) {
			w.listed = append(w.listed, e.Value)
		}
	}
	slices.SortFunc(w.listed, func(a, b *row) int {
		if a.Foreign != b.Foreign {
			if a.Foreign {
				return 1
			}
			return -1
		}
		return cmp.Or(
			cmp.Compare(a.Sender.Color, b.Sender.Color),
			cmp.Compare(a.Sender.Robot, b.Sender.Robot),
			a.Sender.Addr.Compare(b.Sender.Addr),
		)
	})
	return w.listed
}

// Senders yields the senders of packages of the last minute with their rates in Hz, by colour, number and address.
func (w *Watcher) Senders(now soccer.Time) iter.Seq2[Source, float64] {
	return func(yield func(Source, float64) bool) {
		for _, r := range w.sorted(now) {
			if packets, _ := r.rate(now); !r.Foreign && !yield(r.Source, packets) {
				return
			}
		}
	}
}

// Report returns the network panel. drops is the number of datagrams that were lost before they were read. Alarms have
// hysteresis: call Report at least once a second, also while the time stands still.
func (w *Watcher) Report(now soccer.Time, drops uint64) Network {
	if now == w.reported {
		w.stood = now
	}
	w.follow(&w.reported, now)
	if drops > w.drops {
		w.drops, w.dropped = drops, now
	}
	rows := w.sorted(now)
	_, bytes := w.load.Mean(now, time.Second)
	n := Network{
		Group:      w.cfg.Group,
		BitsPerS:   8 * bytes,
		BudgetBits: w.cfg.Budget,
		Drops:      drops,
		Senders:    make([]SenderRow, len(rows)),
	}
	if w.over {
		w.over = n.BitsPerS >= 0.9*w.cfg.Budget
	} else {
		w.over = n.BitsPerS > w.cfg.Budget
	}
	n.OverBudget = w.over
	for i, r := range rows {
		n.Senders[i] = r.report(now)
		n.Senders[i].Faults = w.Faults(r.Sender, now)
	}
	n.Alarms = w.alarms(rows, n.BitsPerS, now)
	return n
}

// sourceOf returns whose packet it is, by the header of its package.
func sourceOf(p *soccer.Packet, header *mixedteam.Header, foreign bool) sourceKey {
	from := p.From
	if from.Addr().Is4In6() {
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	}
	k := sourceKey{soccer.Sender{Addr: from, Color: soccer.NoColor}, foreign}
	if !foreign {
		k.Color, k.Robot = header.Color, header.Robot
	}
	return k
}

// keyOf names a sender in topics of the page: "10.0.0.3:4000/cyan/3", or "10.0.0.9:4000" for other traffic.
func keyOf(k sourceKey) string {
	if k.foreign {
		return k.Addr.String()
	}
	color := "none"
	if k.Color != soccer.NoColor {
		color = k.Color.String()
	}
	return k.Addr.String() + "/" + color + "/" + strconv.Itoa(int(k.Robot))
}

// OnAir returns the bytes that a datagram of n bytes takes on the air: a UDP header of 8 bytes, then for each fragment
// of up to 1480 bytes an IP header of 20 and an Ethernet header of 14.
func OnAir(n int) int {
	n += 8
	return n + (n+1479)/1480*(20+14)
}
