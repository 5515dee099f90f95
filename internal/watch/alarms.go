package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
)

// Thresholds of alarms. An alarm ends at a lower threshold than it starts at, so that it does not flicker.
const (
	floodOn    = 200.0                  // packets a second of one address
	floodOff   = 150.0                  //
	clashAfter = 500 * time.Millisecond // two senders use one number for this long; longer than a restart takes
	clashOff   = 3 * time.Second        // one of them is silent for this long
	maxRobots  = 6                      // robot IDs of one address: jerseys 1 to 6 (Mixed Team Package v2)
)

// alarms returns what is wrong with the network. rows are as returned by sorted.
func (w *Watcher) alarms(rows []*row, bits float64, now soccer.Time) []string {
	texts := []string{}
	if w.over {
		texts = append(texts, fmt.Sprintf("%.2f Mbit/s on the air exceed the team's %.1f Mbit/s: %s sends most of it",
			bits/1e6, w.cfg.Budget/1e6, loudest(rows, now)))
	}
	if w.dropped != 0 && now.Sub(w.dropped) < window {
		texts = append(texts, fmt.Sprintf("this machine is too slow: %d packets were lost before they were read", w.drops))
	}
	if w.crowded != 0 && now.Sub(w.crowded) < window {
		texts = append(texts, fmt.Sprintf("more than %d senders at once: the newest have no row", maxSenders))
	}
	texts = clashes(texts, rows, now)
	texts = floods(texts, rows, now)
	if w.jumped != 0 && now.Sub(w.jumped) < window {
		texts = append(texts, fmt.Sprintf("this machine's clock jumped by %+.1f s against the senders'", w.jump.Seconds()))
	}
	for _, r := range rows {
		// Until then another sender's clock may show that it was this machine's clock that jumped.
		if age := now.Sub(r.jumped); r.jumped != 0 && !r.excused && age >= together && age < window {
			texts = append(texts, fmt.Sprintf("the clock of %s jumped by %+.1f s", r.name(), r.jump.Seconds()))
		}
	}
	return texts
}

// name returns the sender in words.
func (r *row) name() string {
	if r.Foreign {
		return r.Sender.Addr.String()
	}
	return fmt.Sprintf("robot %d (%s, %s)", r.Sender.Robot, r.Sender.Color, r.Sender.Addr)
}

// loudest returns the name of the sender of the most bytes.
func loudest(rows []*row, now soccer.Time) string {
	most, name := -1.0, ""
	for _, r := range rows {
		if _, bytes := r.load.Mean(now, time.Second); bytes > most {
			most, name = bytes, r.name()
		}
	}
	return name
}

// clashes finds senders at several addresses that use one colour and number at the same time. Senders with number 0
// never set it (Falcons) and do not clash.
func clashes(texts []string, rows []*row, now soccer.Time) []string {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Sender.Color == rows[0].Sender.Color && rows[n].Sender.Robot == rows[0].Sender.Robot {
			n++
		}
		same := rows[:n]
		rows = rows[n:]
		var names []string
		for i, r := range same {
			was := r.clash
			r.clash = false
			for k, o := range same {
				if i != k && clash(r, o, was, now) {
					r.clash = true
				}
			}
			if r.clash {
				names = append(names, r.Sender.Addr.String())
			}
		}
		if len(names) > 1 {
			texts = append(texts, fmt.Sprintf("%d senders use number %d (%s): %s", len(names), same[0].Sender.Robot,
				same[0].Sender.Color, strings.Join(names, ", ")))
		}
	}
	return texts
}

// clash reports whether two senders with one number are active at the same time; clashing tells whether they were
// before.
func clash(a, b *row, clashing bool, now soccer.Time) bool {
	within := idleAfter
	if clashing {
		within = clashOff
	}
	for _, r := range [...]*row{a, b} {
		if r.Foreign || r.Sender.Robot == 0 || now.Sub(r.Time) > within {
			return false
		}
	}
	return a.Sender.Addr != b.Sender.Addr && min(a.Time, b.Time).Sub(max(a.first, b.first)) >= clashAfter
}

// floods finds addresses that send too many packets, or for too many robots.
func floods(texts []string, rows []*row, now soccer.Time) []string {
	for i, r := range rows {
		if slices.ContainsFunc(rows[:i], r.sameAddr) {
			continue
		}
		rate, robots, flood := 0.0, 0, false
		for _, o := range rows[i:] {
			if r.sameAddr(o) {
				packets, _ := o.load.Mean(now, time.Second)
				rate += packets
				flood = flood || o.flood
				if !o.Foreign && now.Sub(o.Time) < window {
					robots++
				}
			}
		}
		flood = rate > floodOn || flood && rate > floodOff
		for _, o := range rows[i:] {
			if r.sameAddr(o) {
				o.flood = flood
			}
		}
		if flood {
			texts = append(texts, fmt.Sprintf("%s floods the network: %.0f packets a second", r.Sender.Addr, rate))
		}
		if robots > maxRobots {
			texts = append(texts, fmt.Sprintf("%s sends for %d robots or more: it seems to change its robot ID all the time",
				r.Sender.Addr, robots))
		}
	}
	return texts
}

func (r *row) sameAddr(o *row) bool { return r.Sender.Addr == o.Sender.Addr }
