package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
)

// Thresholds of alarms. Each stays until a lower one is passed, so that none flickers.
const (
	floodOn    = 200.0                  // packets a second of one address
	floodOff   = 150.0                  //
	clashAfter = 500 * time.Millisecond // that two senders speak side by side with one number: a program that was restarted does not
	clashOff   = 3 * time.Second        // that one of them is silent
	maxRobots  = 6                      // numbers that one address may send for (seed 000: jerseys 1 to 6)
)

// alarms says in plain words what is wrong with the network. rows are as list gives them.
func (w *Watcher) alarms(rows []*row, bits float64, now soccer.Time) []string {
	texts := []string{}
	if w.over {
		texts = append(texts, fmt.Sprintf("%.2f Mbit/s on the air, more than the team's %.1f: %s takes most of it",
			bits/1e6, w.cfg.Budget/1e6, loudest(rows, now)))
	}
	if w.dropped != 0 && now.Sub(w.dropped) < window {
		texts = append(texts, fmt.Sprintf("this machine is too slow: %d packets were lost before they were read", w.drops))
	}
	if w.crowded != 0 && now.Sub(w.crowded) < window {
		texts = append(texts, fmt.Sprintf("more than %d senders at once: those that came last have no row", maxSenders))
	}
	texts = clashes(texts, rows, now)
	texts = floods(texts, rows, now)
	if w.leapt != 0 && now.Sub(w.leapt) < window {
		texts = append(texts, fmt.Sprintf("this machine's clock jumped by %+.1f s against the senders'", w.leap.Seconds()))
	}
	for _, r := range rows {
		// For a while another's clock may yet show that it was this machine's.
		if age := now.Sub(r.jumped); r.jumped != 0 && !r.excused && age >= together && age < window {
			texts = append(texts, fmt.Sprintf("the clock of %s jumped by %+.1f s", r.name(), r.jump.Seconds()))
		}
	}
	return texts
}

// name returns what a person calls a sender.
func (r *row) name() string {
	if r.Foreign {
		return r.Sender.Addr.String()
	}
	return fmt.Sprintf("robot %d (%s, %s)", r.Sender.Robot, r.Sender.Color, r.Sender.Addr)
}

func loudest(rows []*row, now soccer.Time) string {
	most, name := -1.0, ""
	for _, r := range rows {
		if _, bytes := r.air.mean(now, time.Second); bytes > most {
			most, name = bytes, r.name()
		}
	}
	return name
}

// clashes finds senders at several addresses that speak side by side with one colour and number. Number 0 was never set
// (the Falcons' program), so it says nothing.
func clashes(texts []string, rows []*row, now soccer.Time) []string {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Sender.Color == rows[0].Sender.Color && rows[n].Sender.Robot == rows[0].Sender.Robot {
			n++
		}
		alike := rows[:n]
		rows = rows[n:]
		var names []string
		for i, r := range alike {
			was := r.clash
			r.clash = false
			for k, o := range alike {
				if i != k && sideBySide(r, o, was, now) {
					r.clash = true
				}
			}
			if r.clash {
				names = append(names, r.Sender.Addr.String())
			}
		}
		if len(names) > 1 {
			texts = append(texts, fmt.Sprintf("%d senders wear number %d (%s): %s", len(names), alike[0].Sender.Robot,
				alike[0].Sender.Color, strings.Join(names, ", ")))
		}
	}
	return texts
}

// sideBySide reports whether two senders with one number both speak.
func sideBySide(a, b *row, was bool, now soccer.Time) bool {
	within := idle
	if was {
		within = clashOff
	}
	for _, r := range [...]*row{a, b} {
		if r.Foreign || r.Sender.Robot == 0 || now.Sub(r.Time) > within {
			return false
		}
	}
	return a.Sender.Addr != b.Sender.Addr && min(a.Time, b.Time).Sub(max(a.first, b.first)) >= clashAfter
}

// floods finds addresses that send too much, or for too many robots.
func floods(texts []string, rows []*row, now soccer.Time) []string {
	for i, r := range rows {
		if slices.ContainsFunc(rows[:i], r.sameAddr) {
			continue
		}
		rate, robots, flood := 0.0, 0, false
		for _, o := range rows[i:] {
			if r.sameAddr(o) {
				packets, _ := o.air.mean(now, time.Second)
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
			texts = append(texts, fmt.Sprintf("%s speaks for %d robots or more: it seems to change its robot id all the time", r.Sender.Addr, robots))
		}
	}
	return texts
}

func (r *row) sameAddr(o *row) bool { return r.Sender.Addr == o.Sender.Addr }
