package check

import (
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/mixedteam"
)

// Sources of the rules.
const (
	sourceSpec       = "Mixed Team Package v2, Specification"
	sourceRemarks    = "Mixed Team Package v2, General Remarks"
	sourceWorldmodel = "Mixed Team Package v2, Worldmodel"
	sourceAxes       = "MSL World Model 2015, section 2"
)

// Bounds and times of a Judge.
const (
	maxTraces  = 64
	maxFaults  = 16
	historyGap = 2 * time.Second  // after this gap a sender's history restarts
	hold       = 10 * time.Second // a fault is reported until this time after its last evidence
	together   = time.Second      // senders that were received within this time are active together
)

// Package is one decoded package.
type Package struct {
	From     soccer.Sender
	Header   mixedteam.Header
	Percepts *soccer.Percepts // team frame; valid during the call only
}

// Judge judges whether the percepts of the senders on one channel can be true: a layout may be right while a robot sends
// metres for millimetres, counts headings clockwise or never updates its pose. The zero value is ready, and its memory
// is bounded. It is not safe for concurrent use.
type Judge struct {
	// Field tells when a robot that leaves the sides seems to swap X and Y. Default the largest, 22 x 14 m.
	Field soccer.Field

	traces bounded.Table[soccer.Sender, *trace, soccer.Time]
	found  []Fault // scratch
}

// trace is the history of one sender.
type trace struct {
	sender      soccer.Sender
	number      string // name of the field with the jersey number
	first, last soccer.Time
	faults      []Fault

	stamps  stamps
	scale   scale
	pose    pose
	path    path
	turn    turning
	balls   balls
	degrees degrees
	beyond  soccer.Time // time since which the robot is beyond the sides; 0: it is not
}

// Observe judges one package that arrived at now. Duplicates must not be passed.
func (j *Judge) Observe(now soccer.Time, p *Package) {
	e := j.traces.Find(p.From)
	if e == nil {
		e, _ = j.traces.Add(p.From, now, maxTraces, 0)
		e.Value = &trace{sender: p.From, first: now, last: now}
	}
	e.Used = now
	t := e.Value
	if now.Sub(t.last) > historyGap || now < t.last {
		*t = trace{sender: t.sender, first: now, faults: t.faults}
	}
	t.last, t.number = now, "mixed_team_robot_id"
	if p.Header.Variant == mixedteam.V1 {
		t.number = "robot_id"
	}
	j.judgeJersey(t, now)
	if p.Header.HasTimestamp {
		if late := j.judgeStamp(t, now, p.Header.TimestampMillis); late {
			return
		}
	}
	t.judgeScale(now, p.Percepts)
	t.judgePose(now, p.Percepts)
	t.judgeTurning(now, &p.Percepts.Self)
	t.watchDegrees(now, &p.Percepts.Self)
	if t.path.add(now, &p.Percepts.Self) {
		t.judgeVelocity(now)
		t.judgeHeading(now)
	}
	j.judgeSides(t, now, p.Percepts)
	j.judgeBall(t, now, p.Percepts)
}

// Faults returns what is wrong with a sender at now: faults first, then suspicions, each in the order in which they
// were found. The result is valid until the next call.
func (j *Judge) Faults(from soccer.Sender, now soccer.Time) []Fault {
	j.found = j.found[:0]
	e := j.traces.Find(from)
	if e == nil {
		return nil
	}
	for _, note := range [...]bool{false, true} {
		for _, f := range e.Value.faults {
			if f.Note == note && now.Sub(f.Last) < hold {
				j.found = append(j.found, f)
			}
		}
	}
	return j.found
}

// report records evidence for a fault. A suspicion that became a fault replaces it.
func (t *trace) report(now soccer.Time, f Fault) {
	f.First, f.Last = now, now
	for i := range t.faults {
		if old := &t.faults[i]; old.Short == f.Short {
			if now.Sub(old.Last) < hold {
				f.First = old.First
			}
			*old = f
			return
		}
	}
	if len(t.faults) < maxFaults {
		t.faults = append(t.faults, f)
	}
}

// judgeJersey finds another active sender with the same colour and number. The later one is at fault. Number 0 was
// never set.
func (j *Judge) judgeJersey(t *trace, now soccer.Time) {
	for _, e := range j.traces.All() {
		o := e.Value
		same := o != t && o.sender.Color == t.sender.Color && o.sender.Robot == t.sender.Robot &&
			o.sender.Addr != t.sender.Addr && t.sender.Robot != 0
		// A program that restarts may send from a new address, but not together with the old one.
		if !same || now.Sub(o.last) > together || min(now, o.last).Sub(max(t.first, o.first)) < together/2 {
			continue
		}
		newer, older := t, o
		if o.first > t.first {
			newer, older = o, t
		}
		f := numberInUse.fault(older.sender.Addr, older.sender.Robot, older.sender.Color, newer.sender.Addr)
		f.Field = newer.number
		newer.report(now, f)
		f = numberShared.fault(newer.sender.Addr, older.sender.Robot, older.sender.Color)
		f.Field = older.number
		older.report(now, f)
	}
}
