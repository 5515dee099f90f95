// Package conform finds what is wrong with mixed team packages and their rhythm, and which source says so.
//
// A Checker takes packets one by one and returns a Report. The live network panel uses its parts: Beat (the rhythm of one
// sender) and Repeats (duplicates). Hex and Capture read packets from text and from pcap and pcapng files.
package conform

import (
	"encoding/hex"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/mixedteam"
)

// Bounds of a Checker's memory.
const (
	maxSenders  = 256  // further ones share one row
	maxFindings = 64   // kinds of finding a sender; further ones are only counted
	maxKept     = 1024 // bytes of a packet that are shown
)

// Sources of the rules that a stream, not a single packet, can break.
const (
	sourceSpec    = "Mixed Team Package v2, Specification"
	sourceRemarks = "Mixed Team Package v2, General Remarks"
)

// Report is what a stream of packets looks like. Its JSON is stable: fields are added, none change.
type Report struct {
	OK       bool     `json:"ok"`       // there were packages, and none broke a rule; notes do not count
	Packets  uint64   `json:"packets"`  // all that were read
	Packages uint64   `json:"packages"` // that are mixed team packages
	Foreign  uint64   `json:"foreign"`  // other traffic, which may share the channel
	Wrong    uint64   `json:"wrong"`    // packets that break a rule
	Senders  []Sender `json:"senders"`  // in the order in which they were first heard
}

// Sender is what one sender's packets look like. Packages are told apart by address, colour and jersey number, other
// traffic by address. A pointer that is nil is not known.
type Sender struct {
	Addr     string    `json:"addr"`    // "" where the input holds no addresses
	Color    string    `json:"color"`   // "cyan", "magenta", "no colour"
	Number   uint8     `json:"number"`  // jersey; 0 where the package does not say
	Team     string    `json:"team"`    // by original_team_id; "" where it is not known
	Foreign  bool      `json:"foreign"` // no mixed team packages
	Others   bool      `json:"others"`  // the row of all senders past the first 256
	Variant  string    `json:"variant"` // of the last packet: "v1", "v2", "v2 padded", "unrecognised"
	Sure     float64   `json:"sure"`    // 0..1, the least of all packets
	Why      string    `json:"why"`     // how the variant of the least sure packet was told
	Packets  uint64    `json:"packets"`
	Wrong    uint64    `json:"wrong"`    // packets that break a rule
	Trailing int       `json:"trailing"` // the last packet's own bytes after the package
	Rate     *float64  `json:"rate"`     // Hz
	GapP50   *float64  `json:"gapP50"`   // ms between packets
	GapP99   *float64  `json:"gapP99"`
	GapMax   *float64  `json:"gapMax"`
	Jitter   *float64  `json:"jitter"`   // ms
	Missing  *float64  `json:"missing"`  // share of packets that did not come, 0..1: an estimate (Beat.Missing)
	Repeated uint64    `json:"repeated"` // packets that came twice
	Findings []Finding `json:"findings"` // first found first
	Further  uint64    `json:"further"`  // findings of kinds past the first 64
}

// Finding is one kind of issue: all of one sender's with the same field, the same source and the same words; figures in
// the text may differ.
type Finding struct {
	wire.Issue         // of the first packet
	Count      uint64  `json:"count"`  // packets that have it
	Packet     uint64  `json:"packet"` // the first of them: its place in the input, from 1
	Time       float64 `json:"time"`   // s since the first packet of the input; 0 where the input holds no times
	Hex        string  `json:"hex"`    // its first 1024 bytes
}

// Checker takes packets one by one. The zero value is ready; its memory is bounded, whatever comes.
type Checker struct {
	report   Report
	began    soccer.Time
	rows     map[key]*row
	order    []*row
	header   mixedteam.Header
	percepts soccer.Percepts
}

type key struct {
	soccer.Sender
	foreign bool
}

// row is one sender as it is counted.
type row struct {
	Sender
	beat        Beat
	repeats     Repeats
	first, last soccer.Time
	firstPacket uint64
	gapMax      time.Duration
}

// Add checks one packet. Its time is 0 where it is not known, its sender's address the zero AddrPort. Nothing of p is
// kept.
func (c *Checker) Add(p *soccer.Packet) {
	c.report.Packets++
	if c.report.Packets == 1 {
		c.began = p.Time
	}
	who, err := mixedteam.Decode(p.Data, &c.header, &c.percepts)
	foreign := err != nil || who.Variant == mixedteam.Foreign
	k := key{soccer.Sender{Addr: p.From, Color: soccer.NoColor}, foreign}
	if foreign {
		c.report.Foreign++
		c.header = mixedteam.Header{}
	} else {
		c.report.Packages++
		k.Color, k.Robot = c.header.Color, c.header.Robot
	}
	r := c.row(k)
	r.Packets++
	if !foreign {
		r.Team, r.Trailing = soccer.MSLTeam(int(c.header.TeamID)).Name, len(p.Data)-who.Len
	}
	if r.Packets == 1 || who.Confidence < r.Sure {
		r.Sure, r.Why = who.Confidence, who.Reason
	}
	r.Variant = who.Variant.String()
	wrong := false
	for _, issue := range Issues(p.Data, who.Variant) {
		wrong = wrong || !issue.Note
		c.find(r, p, issue)
	}
	wrong = c.time(r, p) || wrong
	if wrong {
		r.Wrong++
		c.report.Wrong++
	}
}

// Issues returns all that is wrong with a datagram of the given variant. Other traffic that does not begin with the
// flag may share the channel (Mixed Team Package v2, Network Setup), so nothing is wrong with it.
func Issues(b []byte, v mixedteam.Variant) []wire.Issue {
	if v == mixedteam.Foreign && (len(b) == 0 || b[0] != mixedteam.Flag) {
		return nil
	}
	return mixedteam.Check(b)
}

// row returns the row of a sender, or the common one when there are too many.
func (c *Checker) row(k key) *row {
	r := c.rows[k]
	if r != nil {
		return r
	}
	others := len(c.order) >= maxSenders
	if len(c.order) > maxSenders {
		return c.order[maxSenders]
	}
	r = &row{Sender: Sender{Color: k.Color.String(), Number: k.Robot, Foreign: k.foreign, Others: others}}
	if others {
		r.Sender = Sender{Color: soccer.NoColor.String(), Others: true}
	} else if k.Addr.IsValid() {
		r.Addr = k.Addr.String()
	}
	if c.rows == nil {
		c.rows = make(map[key]*row)
	}
	c.order = append(c.order, r)
	if !others {
		c.rows[k] = r
	}
	return r
}

// time judges when p came and reports whether that breaks a rule.
func (c *Checker) time(r *row, p *soccer.Packet) bool {
	if p.Time == 0 || r.Others {
		return false
	}
	if r.first == 0 {
		r.first, r.last, r.firstPacket = p.Time, p.Time, c.report.Packets
	}
	if !r.Foreign && r.repeats.Again(p.Time, c.header.TimestampMillis, p.Data) {
		r.Repeated++
		return false
	}
	r.gapMax, r.last = max(r.gapMax, p.Time.Sub(r.last)), p.Time
	if r.beat.Add(p.Time, c.header.HasTimestamp, c.header.TimestampMillis).Jump == 0 {
		return false
	}
	c.find(r, p, wire.Issue{
		Field:  "timestamp",
		Source: sourceSpec,
		Text:   "the clock jumped by more than a second against the arrivals: it counts milliseconds since the start of the half",
	})
	return true
}

// find counts one issue of p.
func (c *Checker) find(r *row, p *soccer.Packet, issue wire.Issue) {
	for i := range r.Findings {
		if f := &r.Findings[i]; sameWords(f.Text, issue.Text) && f.Field == issue.Field && f.Source == issue.Source {
			f.Count++
			return
		}
	}
	if len(r.Findings) == maxFindings {
		r.Further++
		return
	}
	f := Finding{Issue: issue, Count: 1, Packet: c.report.Packets, Hex: hex.EncodeToString(p.Data[:min(len(p.Data), maxKept)])}
	if p.Time != 0 {
		f.Time = p.Time.Sub(c.began).Seconds()
	}
	r.Findings = append(r.Findings, f)
}

// sameWords reports whether two texts differ in their figures only.
const figures = "0123456789-"

func sameWords(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, figures), strings.TrimLeft(b, figures)
		i, j := len(a), len(b)
		if n := strings.IndexAny(a, figures); n >= 0 {
			i = n
		}
		if n := strings.IndexAny(b, figures); n >= 0 {
			j = n
		}
		if a[:i] != b[:j] {
			return false
		}
		if a, b = a[i:], b[j:]; a == "" && b == "" {
			return true
		}
	}
}

// Report returns what was found so far.
func (c *Checker) Report() Report {
	report := c.report
	report.OK = report.Packages > 0 && report.Wrong == 0
	report.Senders = make([]Sender, len(c.order))
	for i, r := range c.order {
		report.Senders[i] = r.sum()
	}
	return report
}

// sum returns the row with its figures.
func (r *row) sum() Sender {
	s := r.Sender
	s.Findings = append([]Finding{}, s.Findings...)
	known := func(v float64, ok bool) *float64 {
		if !ok {
			return nil
		}
		return &v
	}
	span := r.last.Sub(r.first).Seconds()
	timed := s.Packets - s.Repeated
	s.Rate = known(float64(timed-1)/span, timed > 1 && span > 0)
	s.GapP50 = known(r.beat.Gap(0.50))
	s.GapP99 = known(r.beat.Gap(0.99))
	s.GapMax = known(float64(r.gapMax)/1e6, timed > 1 && span > 0)
	if !s.Foreign {
		s.Jitter = known(r.beat.Jitter())
		s.Missing = known(r.beat.Missing(r.last))
		if s.Rate != nil && span >= 1 && RateNote(*s.Rate) != "" {
			note := wire.Issue{Source: sourceRemarks, Text: RateNote(*s.Rate), Note: true}
			s.Findings = append(s.Findings, Finding{Issue: note, Count: timed, Packet: r.firstPacket})
		}
	}
	return s
}
