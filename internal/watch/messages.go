package watch

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/internal/check"
	"touchline/internal/formats"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/tcm"
)

// Bounds of an Inspector, which grows to about 10 MiB besides its check.DatagramChecker.
const (
	maxRows           = 512 // rows, one for each sender, destination, module and type
	keptMessages      = 8   // newest messages of a row
	keptMessageBytes  = 2048
	maxMessageSenders = 64
	maxFaults         = 8 // newest faults of a sender
)

// Times of an Inspector.
const (
	messagesFor    = time.Minute // a silent sender keeps its rows for this long
	messagesIdle   = time.Second // a silent row may be lost to a new one
	messagesWindow = 2 * time.Second
)

// How often the page shows what an Inspector knows.
const (
	OverviewPeriod = 500 * time.Millisecond
	MessagesPeriod = 200 * time.Millisecond
)

// Overview is the topic "messages": the senders and their types. Its JSON is stable.
type Overview struct {
	Datagrams  uint64   `json:"datagrams"`  // all
	Unreadable uint64   `json:"unreadable"` // datagrams without a valid header or checksum
	Senders    []Sender `json:"senders"`    // senders of the last minute, sorted by team, kind and id
}

// Sender is what an Inspector knows of one sender.
type Sender struct {
	Team      uint8          `json:"team"`
	Entity    string         `json:"entity"`    // "robot:3"
	Addr      string         `json:"addr"`      // source of the newest datagram; "" if that is unknown
	Restarts  int            `json:"restarts"`  // boots after the first one
	Datagrams uint64         `json:"datagrams"` // without duplicates' contents
	AgeMs     float64        `json:"ageMs"`     // age of the newest datagram
	Faulty    uint64         `json:"faulty"`    // datagrams with faults; notes do not count
	Faults    []SenderFault  `json:"faults"`    // newest kinds of them, newest first
	Streams   []check.Stream `json:"streams"`
	Types     []Type         `json:"types"`
}

// SenderFault is one kind of fault of a sender.
type SenderFault struct {
	wire.Issue
	Count uint64  `json:"count"` // number of datagrams
	AgeMs float64 `json:"ageMs"` // age of the newest one
}

// Type is one row of messages: those of one sender, destination, module and type.
type Type struct {
	Key    string  `json:"key"`    // key of the topic "messages/" + Key
	Rate   float64 `json:"rate"`   // whole messages a second, over two seconds
	AgeMs  float64 `json:"ageMs"`  // age of the newest message
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
	Number     uint32       `json:"number"`     // number of the message
	CaptureMs  float64      `json:"captureMs"`  // time from its capture to its departure, on the sender's clock
	Pieces     int          `json:"pieces"`     // 1: no fragments
	Len        int          `json:"len"`        // bytes
	Hex        string       `json:"hex"`        // the first 2 KiB
	Fields     []wire.Field `json:"fields"`     // fields of these bytes; [] for a type without a known layout
	Issues     []wire.Issue `json:"issues"`     // issues of its contents; offsets count in the message
	Incomplete bool         `json:"incomplete"` // Hex and Fields are a part of the message
}

// Inspector keeps the newest messages of each sender, destination and type of the TCM on one network, for the message
// inspector of the page: decoded fields, issues and bytes. Its memory is bounded. It is not safe for concurrent use.
type Inspector struct {
	// Clock returns the time since the session started, for booking and behaviour: a session may pause or run in slow
	// motion. Default nil: the datagrams' times
	Clock func() time.Duration

	start   soccer.Time
	checker check.DatagramChecker
	count   uint64
	bad     uint64
	rows    bounded.Table[messageKey, *messageRow, soccer.Time]
	senders bounded.Table[check.Source, *messageSender, soccer.Time]
	booking *bookings

	behaviour *behaviour
}

// messageKey identifies a row.
type messageKey struct {
	from check.Source
	check.Kind
}

// String returns the key as topics name it: "1/robot:3/robots/GM/belief".
func (k messageKey) String() string {
	return fmt.Sprintf("%d/%s/%s/%s/%s", k.from.Team, k.from.Entity, k.To, k.Module, k.Type)
}

// messageRow holds the newest messages of one key.
type messageRow struct {
	messageKey
	name   string
	last   soccer.Time
	faulty uint64
	load   Load // whole messages
	kept   bounded.Ring[keptMessage]
}

// keptMessage is a message.
type keptMessage struct {
	at      soccer.Time
	number  uint32
	capture time.Duration
	pieces  int
	size    int
	data    []byte
	issues  []wire.Issue
}

// messageSender is what is known of one sender.
type messageSender struct {
	check.Source
	addr      netip.AddrPort
	last      soccer.Time
	datagrams uint64
	faulty    uint64
	faults    []senderFault // newest last
}

type senderFault struct {
	wire.Issue
	count uint64
	at    soccer.Time
}

// NewInspector returns an Inspector without senders, which knows the default state machine and others. Times of messages
// count from start.
func NewInspector(start soccer.Time, machines ...*hfsm.Machine) *Inspector {
	i := &Inspector{
		start: start, booking: newBookings(start),
		behaviour: newBehaviour(start, append([]*hfsm.Machine{play.Default()}, machines...)...),
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
		if s := i.senders.Find(e.From); s != nil {
			s.Value.add([]wire.Issue{e.Issue}, p.Time)
		}
	}
}

// sender returns what is known of a sender of which a datagram arrived at now; nil if there is no room. A new one
// replaces the one that was silent for longest.
func (i *Inspector) sender(from check.Source, now soccer.Time) *messageSender {
	e := i.senders.Find(from)
	if e == nil {
		if e, _ = i.senders.Add(from, now, maxMessageSenders, messagesIdle); e == nil {
			return nil
		}
		e.Value = &messageSender{Source: from}
	}
	e.Used = now
	return e.Value
}

// add counts the faults of a datagram.
func (s *messageSender) add(issues []wire.Issue, now soccer.Time) {
	wrong := false
	for _, issue := range issues {
		if issue.Note {
			continue
		}
		wrong = true
		f := senderFault{issue, 1, now}
		if at := slices.IndexFunc(s.faults, func(o senderFault) bool { return o.Like(&issue) }); at >= 0 {
			f.count += s.faults[at].count
			s.faults = slices.Delete(s.faults, at, at+1)
		}
		s.faults = bounded.Append(s.faults, f, maxFaults)
	}
	if wrong {
		s.faulty++
	}
}

// keep keeps a whole message.
func (i *Inspector) keep(m *check.Message) {
	timed := *m
	timed.Time = i.sessionTime(m.Time)
	i.booking.message(&timed)
	i.behaviour.message(&timed)
	r := i.row(messageKey{m.From, m.Kind}, m.Time)
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
	r.load.Add(m.Time, len(m.Data))
	k := r.kept.Push(keptMessages)
	*k = keptMessage{
		at: m.Time, number: m.Number, capture: time.Duration(m.Sent - m.Captured), pieces: m.Pieces,
		size: len(m.Data), data: append(k.data[:0], m.Data[:min(len(m.Data), keptMessageBytes)]...),
		issues: append(k.issues[:0], m.Issues...),
	}
}

// row returns the row of a key of which a message arrived at now; nil if there is no room. A new one replaces the one that
// was silent for longest.
func (i *Inspector) row(k messageKey, now soccer.Time) *messageRow {
	e := i.rows.Find(k)
	if e == nil {
		if e, _ = i.rows.Add(k, now, maxRows, messagesIdle); e == nil {
			return nil
		}
		e.Value = &messageRow{messageKey: k, name: k.String()}
	}
	e.Used = now
	return e.Value
}

// Overview returns the topic "messages".
func (i *Inspector) Overview(now soccer.Time) Overview {
	o := Overview{Datagrams: i.count, Unreadable: i.bad, Senders: []Sender{}}
	for _, e := range i.senders.All() {
		if now.Sub(e.Used) < messagesFor {
			o.Senders = append(o.Senders, i.describe(e.Value, now))
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
func (i *Inspector) describe(s *messageSender, now soccer.Time) Sender {
	d := Sender{
		Team: s.Team, Entity: s.Entity.String(), Restarts: i.checker.Restarts(s.Source), Datagrams: s.datagrams,
		AgeMs: millis(now.Sub(s.last)), Faulty: s.faulty, Faults: []SenderFault{}, Streams: i.checker.Streams(s.Source),
		Types: []Type{},
	}
	if s.addr.IsValid() {
		d.Addr = s.addr.String()
	}
	for k := len(s.faults) - 1; k >= 0; k-- {
		f := &s.faults[k]
		d.Faults = append(d.Faults, SenderFault{f.Issue, f.count, millis(now.Sub(f.at))})
	}
	for _, t := range i.checker.Types(s.Source) {
		if e := i.rows.Find(messageKey{s.Source, t.Kind}); e != nil {
			r := e.Value
			rate, _ := r.load.Mean(now, messagesWindow)
			d.Types = append(d.Types, Type{
				Key: r.name, Rate: rate, AgeMs: millis(now.Sub(r.last)), Faulty: r.faulty, Type: t,
			})
		}
	}
	return d
}

// Messages returns the newest messages of the row with this key. It reports false when there is no such row.
func (i *Inspector) Messages(key string) (Messages, bool) {
	for _, e := range i.rows.All() {
		if e.Value.name == key {
			return e.Value.messages(i.start), true
		}
	}
	return Messages{Key: key, Messages: []Entry{}}, false
}

func (r *messageRow) messages(start soccer.Time) Messages {
	v := Messages{Key: r.name, Messages: []Entry{}}
	for n := r.kept.Len() - 1; n >= 0; n-- {
		k := r.kept.At(n)
		v.Messages = append(v.Messages, Entry{
			Time: k.at.Sub(start).Seconds(), Number: k.number, CaptureMs: millis(k.capture), Pieces: k.pieces, Len: k.size,
			Hex: hex.EncodeToString(k.data), Fields: append([]wire.Field{}, formats.Contents(r.Type, k.data)...),
			Issues: append([]wire.Issue{}, k.issues...), Incomplete: k.size > len(k.data),
		})
	}
	return v
}

// Booking returns the topic "booking".
func (i *Inspector) Booking(now soccer.Time) BookingView { return i.booking.view(i.sessionTime(now)) }

// Behaviour returns the topic "behaviour".
func (i *Inspector) Behaviour(now soccer.Time) BehaviourView {
	return i.behaviour.view(i.sessionTime(now))
}

// Doing returns what a robot does now; false for one that is silent.
func (i *Inspector) Doing(group, robot uint8, now soccer.Time) (Doing, bool) {
	return i.behaviour.doing(group, robot, i.sessionTime(now))
}

func (i *Inspector) sessionTime(now soccer.Time) soccer.Time {
	if i.Clock == nil {
		return now
	}
	return i.start.Add(i.Clock())
}
