// Package inspect keeps the newest messages of each sender, destination and type of the TCM, for the message inspector
// of the page: decoded fields, issues and bytes. It is a pure core with bounded memory.

package watch

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/check"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
)

// Bounds of an Inspector, which grows to about 10 MiB besides its check.DatagramChecker.
const (
	maxRows           = 512 // of one sender, destination, module and type
	keptMessages      = 8   // newest messages of a row
	inspectKeptBytes  = 2048
	inspectMaxSenders = 64
	maxFaults         = 8 // newest faults of a sender
)

// Times of an Inspector.
const (
	inspectRowFor    = time.Minute // that a silent sender keeps its rows
	inspectIdleAfter = time.Second // a silent row may be lost to a new one
	inspectWindow    = 2 * time.Second
)

// How often the page shows what an Inspector knows.
const (
	OverviewPeriod = 500 * time.Millisecond
	MessagesPeriod = 200 * time.Millisecond
)

// Overview is the topic "messages": the senders and their types. Its JSON is stable.
type Overview struct {
	Datagrams  uint64   `json:"datagrams"`  // all
	Unreadable uint64   `json:"unreadable"` // of them without a valid header or checksum
	Senders    []Sender `json:"senders"`    // of the last minute, by team, kind and id
}

// Sender is what an Inspector knows of one sender.
type Sender struct {
	Team      uint8          `json:"team"`
	Entity    string         `json:"entity"`    // "robot:3"
	Addr      string         `json:"addr"`      // of the newest datagram; "" if that is unknown
	Restarts  int            `json:"restarts"`  // boots after the first one
	Datagrams uint64         `json:"datagrams"` // without duplicates' contents
	AgeMs     float64        `json:"ageMs"`     // of the newest datagram
	Faulty    uint64         `json:"faulty"`    // datagrams with faults; notes do not count
	Faults    []InspectFault `json:"faults"`    // newest kinds of them, newest first
	Streams   []check.Stream `json:"streams"`
	Types     []Type         `json:"types"`
}

// InspectFault is one kind of fault of a sender.
type InspectFault struct {
	wire.Issue
	Count uint64  `json:"count"` // of datagrams
	AgeMs float64 `json:"ageMs"` // of the newest one
}

// Type is one row of messages: those of one sender, destination, module and type.
type Type struct {
	Key    string  `json:"key"`    // of the topic "messages/" + Key
	Rate   float64 `json:"rate"`   // whole messages a second, over two seconds
	AgeMs  float64 `json:"ageMs"`  // of the newest message
	Faulty uint64  `json:"faulty"` // messages whose contents have faults
	check.Type
}

// Messages is the topic "messages/KEY": the newest messages of a row. Its JSON is stable.
type Messages struct {
	Key      string  `json:"key"`
	Messages []Entry `json:"messages"` // newest first, at most 8
}

// Entry is one message.
type Entry struct {
	Time       float64      `json:"time"`       // s since the session started, when its last piece arrived
	Number     uint32       `json:"number"`     // of the message
	CaptureMs  float64      `json:"captureMs"`  // from its capture to its departure, on the sender's clock
	Pieces     int          `json:"pieces"`     // 1: no fragments
	Len        int          `json:"len"`        // bytes
	Hex        string       `json:"hex"`        // the first 2 KiB
	Fields     []wire.Field `json:"fields"`     // of these bytes; [] for a type without a known layout
	Issues     []wire.Issue `json:"issues"`     // in its contents; offsets in the message
	Incomplete bool         `json:"incomplete"` // Hex and Fields are a part of the message
}

// Inspector observes the datagrams of one network. It is not safe for concurrent use.
type Inspector struct {
	// Clock returns the time since the session started, for booking and behaviour: a session may pause or run in slow motion.
	// Default nil: the datagrams' times
	Clock func() time.Duration

	start   soccer.Time
	checker check.DatagramChecker
	count   uint64
	bad     uint64
	rows    map[key]*inspectRow
	order   []*inspectRow
	senders map[check.Source]*sender
	listed  []*sender // the same
	booking *BookingsTimeline

	behaviour *BehaviourTimeline
}

// key identifies a row.
type key struct {
	from check.Source
	check.Kind
}

// String returns the key as topics name it: "1/robot:3/robots/GM/belief".
func (k key) String() string {
	return fmt.Sprintf("%d/%s/%s/%s/%s", k.from.Team, k.from.Entity, k.To, k.Module, k.Type)
}

// inspectRow holds the newest messages of one key.
type inspectRow struct {
	key
	name   string
	last   soccer.Time
	faulty uint64
	steps  [9]struct { // whole messages in steps of a quarter of a second
		step  int64
		count int
	}
	kept [keptMessages]kept
	next int // of kept
}

// kept is a message.
type kept struct {
	used    bool
	at      soccer.Time
	number  uint32
	capture time.Duration
	pieces  int
	size    int
	data    []byte
	issues  []wire.Issue
}

// sender is what is known of one sender.
type sender struct {
	check.Source
	addr      netip.AddrPort
	last      soccer.Time
	datagrams uint64
	faulty    uint64
	faults    []fault // newest last
}

type fault struct {
	wire.Issue
	count uint64
	at    soccer.Time
}

// NewInspector returns an Inspector without senders, which knows the default state machine and others. Times of messages
// count from start.
func NewInspector(start soccer.Time, machines ...*hfsm.Machine) *Inspector {
	i := &Inspector{
		start: start, rows: map[key]*inspectRow{}, senders: map[check.Source]*sender{}, booking: NewBookings(start),
		behaviour: NewBehaviour(start, append([]*hfsm.Machine{play.Default()}, machines...)...),
	}
	i.checker.Message = i.keep
	return i
}

// Receive inspects one datagram, whose Time is now. It ignores datagrams of other protocols. It keeps no reference to
// p.
func (i *Inspector) Receive(p *soccer.Packet) {
	if !tcm.Is(p.Data) {
		return
	}
	i.count++
	from, issues := i.checker.Observe(i.count, p)
	if from == (check.Source{}) {
		i.bad++
		return
	}
	s := i.sender(from, p.Time)
	if s == nil {
		return
	}
	s.last, s.addr = p.Time, p.From
	s.datagrams++
	s.add(issues, p.Time)
	for _, e := range i.checker.Ended() {
		if s := i.senders[e.From]; s != nil {
			s.add([]wire.Issue{e.Issue}, p.Time)
		}
	}
}

// sender returns what is known of a sender. A new one replaces the one that was silent for longest.
func (i *Inspector) sender(from check.Source, now soccer.Time) *sender {
	if s := i.senders[from]; s != nil {
		return s
	}
	if len(i.listed) == inspectMaxSenders {
		oldest := slices.MinFunc(i.listed, func(a, b *sender) int { return cmp.Compare(a.last, b.last) })
		if now.Sub(oldest.last) < inspectIdleAfter {
			return nil
		}
		delete(i.senders, oldest.Source)
		i.listed = slices.DeleteFunc(i.listed, func(s *sender) bool { return s == oldest })
	}
	s := &sender{Source: from}
	i.senders[from] = s
	i.listed = append(i.listed, s)
	return s
}

// add counts the faults of a datagram.
func (s *sender) add(issues []wire.Issue, now soccer.Time) {
	wrong := false
	for _, issue := range issues {
		if issue.Note {
			continue
		}
		wrong = true
		f := fault{issue, 1, now}
		if at := slices.IndexFunc(s.faults, func(o fault) bool { return o.Like(&issue) }); at >= 0 {
			f.count += s.faults[at].count
			s.faults = slices.Delete(s.faults, at, at+1)
		} else if len(s.faults) == maxFaults {
			s.faults = slices.Delete(s.faults, 0, 1)
		}
		s.faults = append(s.faults, f)
	}
	if wrong {
		s.faulty++
	}
}

// keep keeps a whole message.
func (i *Inspector) keep(m *check.Message) {
	timed := *m
	timed.Time = i.sessionTime(m.Time)
	i.booking.Message(&timed)
	i.behaviour.Message(&timed)
	r := i.row(key{m.From, m.Kind}, m.Time)
	if r == nil {
		return
	}
	r.last = m.Time
	for _, issue := range m.Issues {
		if !issue.Note {
			r.faulty++
			break
		}
	}
	step := int64(m.Time) / int64(inspectWindow/8)
	c := &r.steps[step%int64(len(r.steps))]
	if c.step != step {
		c.step, c.count = step, 0
	}
	c.count++
	k := &r.kept[r.next]
	r.next = (r.next + 1) % keptMessages
	*k = kept{
		used: true, at: m.Time, number: m.Number, capture: time.Duration(m.Sent - m.Captured), pieces: m.Pieces,
		size: len(m.Data), data: append(k.data[:0], m.Data[:min(len(m.Data), inspectKeptBytes)]...),
		issues: append(k.issues[:0], m.Issues...),
	}
}

// row returns the row of a key; nil if there is no room. A new one replaces the one that was silent for longest.
func (i *Inspector) row(k key, now soccer.Time) *inspectRow {
	if r := i.rows[k]; r != nil {
		return r
	}
	r := &inspectRow{key: k, name: k.String()}
	if len(i.order) < maxRows {
		i.order = append(i.order, r)
	} else {
		at := 0
		for n, o := range i.order {
			if o.last < i.order[at].last {
				at = n
			}
		}
		if now.Sub(i.order[at].last) < inspectIdleAfter {
			return nil
		}
		delete(i.rows, i.order[at].key)
		i.order[at] = r
	}
	i.rows[k] = r
	return r
}

// Overview returns the topic "messages".
func (i *Inspector) Overview(now soccer.Time) Overview {
	o := Overview{Datagrams: i.count, Unreadable: i.bad, Senders: []Sender{}}
	for _, s := range i.listed {
		if now.Sub(s.last) < inspectRowFor {
			o.Senders = append(o.Senders, i.describe(s, now))
		}
	}
	slices.SortFunc(o.Senders, func(a, b Sender) int {
		x, _ := tcm.ParseEntity(a.Entity)
		y, _ := tcm.ParseEntity(b.Entity)
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID))
	})
	return o
}

// describe describes a sender.
func (i *Inspector) describe(s *sender, now soccer.Time) Sender {
	d := Sender{
		Team: s.Team, Entity: s.Entity.String(), Restarts: i.checker.Restarts(s.Source), Datagrams: s.datagrams,
		AgeMs: inspectMillis(now.Sub(s.last)), Faulty: s.faulty, Faults: []InspectFault{}, Streams: i.checker.Streams(s.Source),
		Types: []Type{},
	}
	if s.addr.IsValid() {
		d.Addr = s.addr.String()
	}
	for k := len(s.faults) - 1; k >= 0; k-- {
		f := &s.faults[k]
		d.Faults = append(d.Faults, InspectFault{f.Issue, f.count, inspectMillis(now.Sub(f.at))})
	}
	for _, t := range i.checker.Types(s.Source) {
		if r := i.rows[key{s.Source, t.Kind}]; r != nil {
			d.Types = append(d.Types, Type{
				Key: r.name, Rate: r.rate(now), AgeMs: inspectMillis(now.Sub(r.last)), Faulty: r.faulty, Type: t,
			})
		}
	}
	return d
}

// rate returns the whole messages a second over the last whole steps.
func (r *inspectRow) rate(now soccer.Time) float64 {
	n, step := 0, int64(now)/int64(inspectWindow/8)
	for _, c := range r.steps {
		if c.step < step && c.step >= step-8 {
			n += c.count
		}
	}
	return float64(n) / inspectWindow.Seconds()
}

// Messages returns the newest messages of the row with this key. It reports false when there is no such row.
func (i *Inspector) Messages(key string) (Messages, bool) {
	for _, r := range i.order {
		if r.name == key {
			return r.messages(i.start), true
		}
	}
	return Messages{Key: key, Messages: []Entry{}}, false
}

func (r *inspectRow) messages(start soccer.Time) Messages {
	v := Messages{Key: r.name, Messages: []Entry{}}
	for n := 1; n <= keptMessages; n++ {
		k := &r.kept[(r.next-n+keptMessages)%keptMessages]
		if !k.used {
			break
		}
		v.Messages = append(v.Messages, Entry{
			Time: k.at.Sub(start).Seconds(), Number: k.number, CaptureMs: inspectMillis(k.capture), Pieces: k.pieces, Len: k.size,
			Hex: hex.EncodeToString(k.data), Fields: append([]wire.Field{}, check.Contents(r.Type, k.data)...),
			Issues: append([]wire.Issue{}, k.issues...), Incomplete: k.size > len(k.data),
		})
	}
	return v
}

func inspectMillis(d time.Duration) float64 { return float64(max(d, 0).Microseconds()) / 1e3 }
