package watch

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// Bounds of a Watcher: after warm-up it holds some 3 MiB, whatever is sent.
const (
	maxSenders = 64 // rows
	maxOfOne   = 8  // rows of one address: a sender that changes its robot id takes no other's place
	kept       = 8  // last packets of a sender
	maxKept    = 2048
	maxPulses  = 512
)

// Times of a Watcher.
const (
	window     = 10 * time.Second        // of rates, gaps and alarms
	idle       = time.Second             // a sender that was silent for so long may lose its row to a new one
	away       = 2 * time.Second         // a sender that was silent for longer was away: its rate and gaps begin afresh
	gone       = 10 * time.Second        // and after this it has no monitor any more
	forgotten  = time.Minute             // nor a row
	checkEvery = 200 * time.Millisecond  // of a sender's packets that are searched for issues
	setBack    = 250 * time.Millisecond  // a caller's time that goes back by more was set: packets come in order
	settle     = 1500 * time.Millisecond // after that, or a while without calls, no load is counted
	together   = time.Second             // two senders' clocks that jump within this
	alike      = 250 * time.Millisecond  // and differ by less stayed: it was this machine's that jumped
)

// Config says what is watched.
type Config struct {
	Group  string      // what the page calls the channel. Default "224.16.32.75:2005"
	Start  soccer.Time // when the session began: the packets' times count from it. Default 0
	Budget float64     // bit/s that a team may use. Default 2.2e6 (facts msl 5: a fifth of the access point)
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config { return Config{Group: mixedteam.Group, Budget: 2.2e6} }

// Watcher keeps what is known of the senders on one channel. It is not safe for concurrent use.
type Watcher struct {
	cfg      Config
	rows     map[who]*row
	slots    []*row // the same rows
	listed   []*row // scratch
	air      load
	over     bool          // the budget, with hysteresis
	drops    uint64        // as last handed in
	dropped  soccer.Time   // when they last grew; 0 when they never did
	crowded  soccer.Time   // when a sender last found no room; 0 when all did
	heard    soccer.Time   // of the last Hear
	reported soccer.Time   // of the last Report
	torn     soccer.Time   // when the caller's time last went back, or nobody had called for long; 0 when that never was
	stood    soccer.Time   // where it last stood still; 0 when it never did
	leap     time.Duration // the last one of this machine's clock against the senders'
	leapt    soccer.Time   // 0 when it never did
	percepts soccer.Percepts
}

// who tells senders apart: packages by address, colour and number, other traffic by address.
type who struct {
	soccer.Sender
	foreign bool
}

// Speaker says who sent a packet and, if it is a mixed team package, what it says.
type Speaker struct {
	Key      string // of its row; "" when there is no room for one
	Sender   soccer.Sender
	Foreign  bool             // no mixed team package: Header is zero and Percepts nil
	Header   mixedteam.Header // of its newest package
	Percepts *soccer.Percepts // of its newest package; they hold until the next Hear
	Time     soccer.Time      // when that came
}

// New returns a Watcher that has heard nothing.
func New(cfg Config) *Watcher {
	return &Watcher{cfg: cfg, rows: make(map[who]*row, maxSenders)}
}

// Hear takes in one packet, whose Time is now, and decodes it. Nothing of p is kept but a copy of its first 2 KiB. Only
// five packets a second of each sender, and each with another variant than the one before, are searched for issues.
func (w *Watcher) Hear(p *soccer.Packet) Speaker {
	var header mixedteam.Header
	id, err := mixedteam.Decode(p.Data, &header, &w.percepts)
	foreign := err != nil || id.Variant == mixedteam.Foreign
	from := p.From
	if from.Addr().Is4In6() {
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	}
	k := who{soccer.Sender{Addr: from, Color: soccer.NoColor}, foreign}
	if foreign {
		header = mixedteam.Header{}
	} else {
		k.Color, k.Robot = header.Color, header.Robot
	}
	w.follow(&w.heard, p.Time)
	size, settled := onAir(p.FullSize()), w.torn == 0 || p.Time.Sub(w.torn) >= settle
	if settled {
		w.air.add(p.Time, size)
	}
	r := w.place(k, p.Time)
	if r == nil {
		w.crowded = p.Time
		heard := Speaker{Sender: k.Sender, Foreign: foreign, Header: header, Time: p.Time}
		if !foreign {
			heard.Percepts = &w.percepts
		}
		return heard
	}
	if !foreign {
		r.store, w.percepts = w.percepts, r.store
		r.Percepts = &r.store
	}
	if r.packets > 0 && p.Time.Sub(r.Time) > away {
		r.resume(p.Time)
	}
	r.Header, r.Time = header, p.Time
	if settled {
		r.air.add(p.Time, size)
	} else {
		r.first = p.Time // its rate begins when all is settled
	}
	if jump := r.take(p, id); jump != 0 {
		w.jumped(r, jump)
	}
	return r.Speaker
}

// Quiet returns for how long nothing at all was heard, since the session began at most.
func (w *Watcher) Quiet(now soccer.Time) time.Duration {
	return max(0, now.Sub(max(w.heard, w.cfg.Start)))
}

// follow brings the time of the last call of one kind, Hear or Report, up to now. When that went back all times that are
// kept go back too, and what was measured by them is forgotten. Then, and when nobody had called for long, what was queued
// meanwhile may come at once: until that is settled no load is counted, or it would look like a flood.
func (w *Watcher) follow(last *soccer.Time, now soccer.Time) {
	newest := max(w.heard, w.reported)
	switch {
	case last.Sub(now) > setBack:
		back := newest.Sub(now)
		for _, r := range w.slots {
			r.Time = r.Time.Add(-back)
			r.resume(r.Time)
			r.jumped = 0
		}
		w.heard, w.reported = w.heard.Add(-back), w.reported.Add(-back)
		w.air = load{}
		w.dropped, w.crowded, w.leapt, w.stood, w.torn = 0, 0, 0, 0, now
	case newest != 0 && now.Sub(newest) > away:
		w.torn = now
	}
	*last = now
}

// jumped takes in that the clock of r's sender gained on this machine's. When those of two do alike it is this machine's
// that jumped.
func (w *Watcher) jumped(r *row, by time.Duration) {
	if w.stood != 0 && r.Time.Sub(w.stood) <= away {
		return // it ran on while the caller's time did not
	}
	r.jumps++
	r.jump, r.jumped, r.excused = by, r.Time, false
	for _, o := range w.slots {
		if o.jumped != 0 && o.Sender.Addr != r.Sender.Addr && r.Time.Sub(o.jumped) < together && (o.jump-by).Abs() < alike {
			w.leap, w.leapt = -by, r.Time
			o.excuse()
			r.excuse()
		}
	}
}

// place returns the row of a sender, or nil when there is no room.
func (w *Watcher) place(k who, now soccer.Time) *row {
	if r := w.rows[k]; r != nil {
		return r
	}
	r := w.room(k, now)
	if r != nil {
		r.begin(k, now)
		w.rows[k] = r
	}
	return r
}

// room returns a row for a new sender: an unused one, or that of the sender which was silent for longest. It returns nil
// when all speak.
func (w *Watcher) room(k who, now soccer.Time) *row {
	var oldest, own *row
	same := 0
	for _, r := range w.slots {
		if oldest == nil || r.Time < oldest.Time {
			oldest = r
		}
		if r.Sender.Addr == k.Addr {
			same++
			if own == nil || r.Time < own.Time {
				own = r
			}
		}
	}
	switch {
	case same >= maxOfOne:
		oldest = own
	case len(w.slots) < maxSenders:
		r := new(row)
		w.slots = append(w.slots, r)
		return r
	case now.Sub(oldest.Time) < idle:
		return nil
	}
	delete(w.rows, who{oldest.Sender, oldest.Foreign})
	return oldest
}

// list returns the rows that were heard within the last minute: packages by colour, number and address, then the rest.
func (w *Watcher) list(now soccer.Time) []*row {
	w.listed = w.listed[:0]
	for _, r := range w.slots {
		if now.Sub(r.Time) < forgotten {
			w.listed = append(w.listed, r)
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

// Senders yields the senders of packages that were heard within the last minute, with their rates in Hz; by colour,
// number and address.
func (w *Watcher) Senders(now soccer.Time) iter.Seq2[Speaker, float64] {
	return func(yield func(Speaker, float64) bool) {
		for _, r := range w.list(now) {
			if packets, _ := r.rate(now); !r.Foreign && !yield(r.Speaker, packets) {
				return
			}
		}
	}
}

// Report returns the network panel. drops is how many datagrams the kernel dropped so far before they were read.
// Alarms remember what they said, so that they do not flicker: one caller, about twice a second, also while its time
// stands still.
func (w *Watcher) Report(now soccer.Time, drops uint64) Network {
	if now == w.reported {
		w.stood = now
	}
	w.follow(&w.reported, now)
	if drops > w.drops {
		w.drops, w.dropped = drops, now
	}
	rows := w.list(now)
	_, bytes := w.air.mean(now, time.Second)
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
	}
	n.Alarms = w.alarms(rows, n.BitsPerS, now)
	return n
}

// keyOf names a sender in addresses of the page: "10.0.0.3:4000/cyan/3", "10.0.0.9:4000" for other traffic.
func keyOf(k who) string {
	if k.foreign {
		return k.Addr.String()
	}
	color := "none"
	if k.Color != soccer.NoColor {
		color = k.Color.String()
	}
	return k.Addr.String() + "/" + color + "/" + strconv.Itoa(int(k.Robot))
}

// onAir returns how many bytes a datagram of n bytes takes on the air: UDP 8, then IP 20 and Ethernet 14 for each
// fragment of up to 1480 bytes (facts msl 5).
func onAir(n int) int {
	n += 8
	return n + (n+1479)/1480*(20+14)
}
