package watch

import (
	"time"

	"touchline/internal/bounded"
	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// row holds what is known of one sender.
type row struct {
	Source
	store      soccer.Percepts
	team       string
	identity   mixedteam.Identity
	first      soccer.Time
	packets    uint64
	duplicates uint64
	issues     uint64
	lastIssue  string
	trailing   int
	checked    soccer.Time // when a packet was last checked for issues
	jumps      uint64
	jump       time.Duration // last jump of the sender's clock
	jumped     soccer.Time   // when that was; 0 if never
	excused    bool          // it was this machine's clock
	clash      bool          // alarms that are on
	flood      bool
	load       Load
	beat       check.Beat
	repeats    check.Repeats
	pulses     bounded.Ring[timedPulse]  // pulses of the last 10 s
	last       bounded.Ring[shownPacket] // the newest packets
}

// timedPulse is the arrival of a packet in the beat of its sender.
type timedPulse struct {
	at    soccer.Time
	pulse check.Pulse
}

// shownPacket is a packet that pages may show.
type shownPacket struct {
	at   soccer.Time
	len  int
	data []byte
}

// reset gives the row to another sender. It keeps the buffers.
func (r *row) reset(k sourceKey, now soccer.Time) {
	*r = row{store: r.store, last: r.last, pulses: r.pulses, first: now}
	r.last.Clear()
	r.pulses.Clear()
	r.Sender, r.Foreign, r.Key = k.Sender, k.foreign, keyOf(k)
}

// restart restarts the statistics of time of a sender that was away. Counts continue.
func (r *row) restart(now soccer.Time) {
	r.first, r.beat, r.load = now, check.Beat{}, Load{}
	r.pulses.Clear()
}

// count counts a packet, whose header and percepts are already in r. It returns the jump of the sender's clock, or 0,
// and whether the packet is a duplicate.
func (r *row) count(p *soccer.Packet, id mixedteam.Identity) (jump time.Duration, repeated bool) {
	r.packets++
	changed := r.packets == 1 || id.Variant != r.identity.Variant
	r.identity = id
	if !r.Foreign {
		if changed || r.team == "" {
			r.team = soccer.MSLTeam(int(r.Header.TeamID)).Name
		}
		r.trailing = p.FullSize() - id.Len
		jump, repeated = r.updateTiming(p)
	}
	if changed || p.Time.Sub(r.checked).Abs() >= checkPeriod {
		r.checked = p.Time
		r.check(p.Data)
	}
	l := r.last.Push(keptPackets)
	l.at, l.len = p.Time, p.FullSize()
	l.data = append(l.data[:0], p.Data[:min(len(p.Data), keptBytes)]...)
	return jump, repeated
}

// updateTiming adds p to the statistics of time. It returns the jump of the sender's clock, or 0, and whether p is a
// duplicate.
func (r *row) updateTiming(p *soccer.Packet) (jump time.Duration, repeated bool) {
	if r.repeats.Again(p.Time, r.Header.TimestampMillis, p.Data) {
		r.duplicates++
		return 0, true
	}
	r.dropPulses(p.Time, maxPulses-1)
	pulse := r.beat.Add(p.Time, r.Header.HasTimestamp, r.Header.TimestampMillis)
	*r.pulses.Push(maxPulses) = timedPulse{p.Time, pulse}
	return pulse.Jump, false
}

// excuse takes back the last jump: it was this machine's clock.
func (r *row) excuse() {
	if !r.excused {
		r.excused = true
		r.jumps--
	}
}

// dropPulses removes the pulses that are older than the window, and all but the newest most.
func (r *row) dropPulses(now soccer.Time, most int) {
	for n := r.pulses.Len(); n > most || n > 0 && now.Sub(r.pulses.At(0).at) > window; n-- {
		r.beat.Forget(r.pulses.At(0).pulse)
		r.pulses.Drop(1)
	}
}

// check counts a packet with issues. Notes do not count.
func (r *row) check(data []byte) {
	for _, issue := range check.Issues(data, r.identity.Variant) {
		if !issue.Note {
			r.issues++
			r.lastIssue = issue.String()
			return
		}
	}
}

// rate returns packets and bytes a second within the window.
func (r *row) rate(now soccer.Time) (packets, bytes float64) {
	return r.load.Mean(now, min(window, max(now.Sub(r.first), time.Second)))
}

// report returns the row of the panel.
func (r *row) report(now soccer.Time) SenderRow {
	r.dropPulses(now, maxPulses)
	packets, bytes := r.rate(now)
	row := SenderRow{
		Key:        r.Key,
		Addr:       r.Sender.Addr.String(),
		Number:     r.Sender.Robot,
		Color:      r.Sender.Color,
		Team:       r.team,
		Foreign:    r.Foreign,
		Variant:    r.variant(),
		Sure:       r.identity.Confidence,
		Trailing:   r.trailing,
		Rate:       packets,
		BytesPerS:  bytes,
		Packets:    r.packets,
		Duplicates: r.duplicates,
		ClockJumps: r.jumps,
		Issues:     r.issues,
		LastIssue:  r.lastIssue,
		Age:        float64(max(now.Sub(r.Time), 0)) / 1e6,
	}
	if r.Foreign {
		return row
	}
	row.GapP99 = check.Figure(r.beat.Gap(0.99))
	row.Jitter = check.Figure(r.beat.Jitter())
	if now.Sub(r.Time) < idleAfter { // a silent robot has left, or is off: nobody knows whether it sends
		row.Missing = check.Figure(r.beat.Missing())
	}
	if now.Sub(r.first) >= 2*time.Second && now.Sub(r.Time) < idleAfter {
		row.Note = check.RateNote(row.Rate)
	}
	return row
}

// step is the resolution of a Load.
const step = 250 * time.Millisecond

// Load counts packets and bytes of the last ten seconds.
type Load struct {
	steps  [int(window/step) + 1]struct{ packets, bytes uint64 }
	newest int64 // number of the newest step
}

// advance drops the steps that are older than the window, and all of them when the clock was set back.
func (l *Load) advance(now soccer.Time) {
	at := int64(now) / int64(step)
	if back := l.newest - at; back > int64(time.Second/step) {
		*l = Load{newest: at}
	}
	if at-l.newest > int64(len(l.steps)) {
		l.newest = at - int64(len(l.steps))
	}
	for l.newest < at {
		l.newest++
		l.steps[l.newest%int64(len(l.steps))] = struct{ packets, bytes uint64 }{}
	}
}

// Add counts a packet that takes some bytes on the air.
func (l *Load) Add(now soccer.Time, bytes int) {
	l.advance(now)
	s := &l.steps[l.newest%int64(len(l.steps))]
	s.packets++
	s.bytes += uint64(bytes)
}

// Mean returns packets and bytes a second over the last whole steps within span, which is at most window.
func (l *Load) Mean(now soccer.Time, span time.Duration) (packets, bytes float64) {
	l.advance(now)
	n := int64(span / step)
	for i := max(l.newest-n, 0); i < l.newest; i++ {
		s := l.steps[i%int64(len(l.steps))]
		packets += float64(s.packets)
		bytes += float64(s.bytes)
	}
	seconds := (time.Duration(n) * step).Seconds()
	return packets / seconds, bytes / seconds
}
