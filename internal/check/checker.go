package check

import (
	"bytes"
	"encoding/hex"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/internal/formats"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
	"touchline/wire/ssl"
	"touchline/wire/tcm"
)

// Bounds of a Checker's memory.
const (
	maxSenders  = 256  // further ones share one row
	maxFindings = 64   // kinds of findings per sender; further ones are only counted
	maxKept     = 1024 // bytes kept of a packet
	maxCards    = 16   // base stations
)

// Kinds returns the kinds of packets that a Checker knows, sorted.
func Kinds() (kinds []string) {
	for _, f := range formats.All() {
		for i := range f.Messages {
			if kind := f.Messages[i].Kind; kind != "" {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Checker checks packets one by one. The zero value is ready; its memory is bounded, whatever it receives.
type Checker struct {
	// Kind is what all packets are, one of Kinds. Default "": Add finds it out
	Kind string

	report   Report
	start    soccer.Time
	rows     map[key]*row
	order    []*row
	header   mixedteam.Header
	percepts soccer.Percepts
	judge    Judge
	tcm      DatagramChecker

	hsl     HSLGame
	channel string           // channel of the last packet
	to      netip.AddrPort   // channel as an address; zero if it has another form
	guessed *formats.Message // the newest one that guess returned
	cards   []stationCard
}

// stationCard is the card of the base station at an address.
type stationCard struct {
	from netip.AddrPort
	n    int64 // messages
	*Card
}

// key tells senders apart.
type key struct {
	soccer.Sender
	message string // name of a message that is no mixed team package, or "TCM"
	team    uint8  // of a message of the Humanoid Soccer League
	tcm     Source
	foreign bool
}

// row counts the packets of one sender.
type row struct {
	Sender
	beat        Beat
	repeats     Repeats
	first, last soccer.Time
	firstPacket uint64
	gapMax      time.Duration
	tcm         Source
}

// Add checks one packet as one of its Kind. Without a Kind, the first bytes tell a TCM datagram and a message of the
// Humanoid Soccer League, and the Channel tells a message of FIRASim or a team of that league; any other packet is checked
// as a mixed team package. A packet that is no such package, and was sent elsewhere, is checked as JSON of a base station,
// or as the FIRASim message whose rules it keeps. Time is 0 and From the zero AddrPort if they are unknown. Add keeps
// nothing of p.
func (c *Checker) Add(p *soccer.Packet) {
	if p.Channel != c.channel {
		c.channel = p.Channel
		c.to, _ = netip.ParseAddrPort(p.Channel)
	}
	if m := formats.Named(c.Kind); m != nil {
		c.add(p, m)
	} else {
		c.addUnknown(p)
	}
}

// add checks one packet as a message; as one of the Humanoid Soccer League it may be another one.
func (c *Checker) add(p *soccer.Packet, m *formats.Message) {
	switch m.Format.Name {
	case "tcm":
		c.addTCM(p)
	case "hsl":
		c.addHSL(p, c.hslKind(p))
	case "mixedteam":
		c.addPackage(p)
	default:
		c.addMessage(p, m)
	}
}

// addUnknown checks a packet of unknown kind.
func (c *Checker) addUnknown(p *soccer.Packet) {
	if kind, ok := c.hsl.kind(c.to, p.Data); ok && !tcm.Is(p.Data) { // also at a team's port that another league uses
		c.addHSL(p, kind)
		return
	}
	m := formats.Recognise(c.to, p.Data)
	station := m != nil && m.Format.Name == "msl"
	if m != nil && !station {
		c.add(p, m)
		return
	}
	elsewhere := len(p.Data) > 0 && !isMixedTeam(c.to)
	if station && c.addStation(p) && elsewhere {
		return
	}
	if elsewhere {
		if m = c.guess(p.Data); m != nil {
			c.add(p, m)
			return
		}
	}
	if !elsewhere || !isJSON(p.Data) || !c.addStation(p) {
		c.addPackage(p)
	}
}

// addStation judges a JSON message of a base station. It reports false for a station too many.
func (c *Checker) addStation(p *soccer.Packet) bool {
	i := slices.IndexFunc(c.cards, func(s stationCard) bool { return s.from == p.From })
	if i < 0 && len(c.cards) == maxCards {
		return false
	}
	if i < 0 {
		name := "team"
		if p.From.IsValid() {
			name = p.From.String()
		}
		i, c.cards = len(c.cards), append(c.cards, stationCard{p.From, 0, NewCard(name, soccer.Field{})})
	}
	s := &c.cards[i]
	s.n++
	s.Add(&StationMessage{Received: p.Time, Offset: s.n, Data: p.Data})
	return true
}

// Cards returns the report cards of the base stations whose messages are among the packets.
func (c *Checker) Cards() (all []StationReport) {
	for i := range c.cards {
		s := &c.cards[i]
		if own := s.OwnName(); own != "" {
			s.SetTeam(own)
		}
		all = append(all, s.Report())
	}
	return all
}

// addPackage checks one packet as a mixed team package.
func (c *Checker) addPackage(p *soccer.Packet) {
	id, err := mixedteam.Decode(p.Data, &c.header, &c.percepts)
	foreign := err != nil || id.Variant == mixedteam.Foreign
	k := key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, foreign: foreign}
	if foreign {
		c.count(p, "")
		c.header = mixedteam.Header{}
	} else {
		c.count(p, "mixedteam")
		k.Color, k.Robot = c.header.Color, c.header.Robot
	}
	r := c.row(k)
	r.Packets++
	if !foreign {
		r.Team, r.Trailing = soccer.MSLTeam(int(c.header.TeamID)).Name, len(p.Data)-id.Len
	}
	if r.Packets == 1 || id.Confidence < r.Sure {
		r.Sure, r.Why = id.Confidence, id.Reason
	}
	r.Variant = id.Variant.String()
	wrong := c.addIssues(r, p, Issues(p.Data, id.Variant), mixedteam.Fields)
	jumped, repeated := c.addTime(r, p)
	if wrong = wrong || jumped; !foreign && !repeated {
		wrong = c.addMeaning(r, p, k.Sender) || wrong
	}
	c.countWrong(r, wrong)
}

// addMeaning judges the contents of a package and reports whether they have a fault. Without times they say nothing.
func (c *Checker) addMeaning(r *row, p *soccer.Packet, from soccer.Sender) (wrong bool) {
	if p.Time == 0 || r.Others {
		return false
	}
	c.judge.Observe(p.Time, &Package{From: from, Header: c.header, Percepts: &c.percepts})
	for _, f := range c.judge.Faults(from, p.Time) {
		c.addIssue(r, p, c.report.Packets, f.Issue, mixedteam.Fields)
		wrong = wrong || !f.Note
	}
	return wrong
}

// addMessage checks one packet as a message that says nothing about others.
func (c *Checker) addMessage(p *soccer.Packet, m *formats.Message) {
	c.count(p, m.Format.Name)
	c.header = mixedteam.Header{}
	r := c.row(key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, message: m.Name})
	r.Packets++
	wrong := c.addIssues(r, p, m.Check(p.Data), m.Fields)
	c.addTime(r, p)
	c.countWrong(r, wrong)
}

// count counts a packet of a format; "" for other traffic.
func (c *Checker) count(p *soccer.Packet, format string) {
	c.report.Packets++
	if c.report.Packets == 1 {
		c.start = p.Time
	}
	if format == "" {
		c.report.Foreign++
		return
	}
	if c.report.Formats == nil {
		c.report.Formats = make(map[string]uint64)
	}
	c.report.Formats[format]++
}

func (c *Checker) countWrong(r *row, wrong bool) {
	if wrong {
		r.Wrong++
		c.report.Wrong++
	}
}

// Issues returns the faults of a datagram of the given variant. A datagram that does not begin with the flag has none:
// other traffic may share the channel (Mixed Team Package v2).
func Issues(b []byte, v mixedteam.Variant) []wire.Issue {
	if v == mixedteam.Foreign && (len(b) == 0 || b[0] != mixedteam.Flag) {
		return nil
	}
	issues := mixedteam.Check(b)
	if len(issues) > 0 && v == mixedteam.Foreign && isJSON(b) {
		issues[0].Text = "JSON, whose { is 123, the first byte of mixed team packages: send it to another port, and worldstates to " +
			"the RefBox over TCP"
	}
	return issues
}

// row returns the row of a sender, or the common one if there are too many.
func (c *Checker) row(k key) *row {
	r := c.rows[k]
	if r != nil {
		return r
	}
	others := len(c.order) >= maxSenders
	if len(c.order) > maxSenders {
		return c.order[maxSenders]
	}
	r = &row{}
	r.tcm = k.tcm
	r.Sender = Sender{Color: k.Color.String(), Number: k.Robot, Foreign: k.foreign, Others: others, name: k.message}
	r.Message = strings.TrimPrefix(k.message, "FIRASim ") // as it always was in the JSON
	if others {
		r.Sender = Sender{Color: soccer.NoColor.String(), Others: true}
	} else if k.Addr.IsValid() {
		if r.Addr = k.Addr.String(); k.Addr.Port() == 0 {
			r.Addr = k.Addr.Addr().String()
		}
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

// addTime counts the arrival of a packet. It reports whether its sender's clock jumped, and whether the packet is a
// duplicate.
func (c *Checker) addTime(r *row, p *soccer.Packet) (jumped, repeated bool) {
	if p.Time == 0 || r.Others {
		return false, false
	}
	if r.first == 0 {
		r.first, r.last, r.firstPacket = p.Time, p.Time, c.report.Packets
	}
	if !r.Foreign && r.Message == "" && r.repeats.Again(p.Time, c.header.TimestampMillis, p.Data) {
		r.Repeated++
		return false, true
	}
	r.gapMax, r.last = max(r.gapMax, p.Time.Sub(r.last)), p.Time
	if r.beat.Add(p.Time, c.header.HasTimestamp, c.header.TimestampMillis).Jump == 0 {
		return false, false
	}
	c.addIssue(r, p, c.report.Packets, wire.Issue{
		Field:  "timestamp",
		Source: sourceSpec,
		Text:   "the clock jumped by more than a second relative to the arrivals: it counts milliseconds since the start of the half",
	}, mixedteam.Fields)
	return true, false
}

// fieldsFunc is the Fields of a codec.
type fieldsFunc func(b []byte) []wire.Field

// addIssues counts the issues of p and reports whether one of them is more than a note.
func (c *Checker) addIssues(r *row, p *soccer.Packet, issues []wire.Issue, fields fieldsFunc) (wrong bool) {
	for _, issue := range issues {
		wrong = wrong || !issue.Note
		c.addIssue(r, p, c.report.Packets, issue, fields)
	}
	return wrong
}

// addIssue counts one issue of p, the number-th packet.
func (c *Checker) addIssue(r *row, p *soccer.Packet, number uint64, issue wire.Issue, fields fieldsFunc) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Like(&issue) {
			f.Count++
			return
		}
	}
	if len(r.Findings) == maxFindings {
		r.Further++
		return
	}
	f := Finding{Issue: issue, Count: 1, Packet: number,
		Hex: hex.EncodeToString(p.Data[:min(len(p.Data), maxKept)])}
	if issue.Field != "" {
		f.setValue(fields(p.Data))
	}
	if p.Time != 0 {
		f.Time = p.Time.Sub(c.start).Seconds()
	}
	r.Findings = append(r.Findings, f)
}

// setValue sets the value of the finding's field with its unit, and its offset if the rule does not know it.
func (f *Finding) setValue(fields []wire.Field) {
	for i := range fields {
		if fields[i].Name != f.Field {
			continue
		}
		f.Value = strings.TrimSpace(fields[i].Value + " " + fields[i].Unit)
		if f.Offset == 0 {
			f.Offset = fields[i].Offset
		}
		return
	}
}

// Report returns the findings so far.
func (c *Checker) Report() Report {
	report := c.report
	known := map[string]uint64{}
	maps.Copy(known, report.Formats)
	report.Formats = known
	report.Packages, report.FIRASim, report.TCM = known["mixedteam"], known["firasim"], known["tcm"]
	report.HSL, report.SSL = known["hsl"], known["ssl"]
	report.OK = len(known) > 0 && report.Wrong == 0
	report.Senders = make([]Sender, len(c.order))
	for i, r := range c.order {
		report.Senders[i] = r.sender()
		if r.tcm != (Source{}) {
			c.addFigures(&report.Senders[i], r.tcm)
		}
	}
	return report
}

// sender returns the row with its figures.
func (r *row) sender() Sender {
	s := r.Sender
	s.Findings = append([]Finding{}, s.Findings...)
	span := r.last.Sub(r.first).Seconds()
	timed := s.Packets - s.Repeated
	s.Rate = Figure(float64(timed-1)/span, timed > 1 && span > 0)
	s.GapP50 = Figure(r.beat.Gap(0.50))
	s.GapP99 = Figure(r.beat.Gap(0.99))
	s.GapMax = Figure(float64(r.gapMax)/1e6, timed > 1 && span > 0)
	if !s.Foreign && s.Message != messageTCM {
		s.Jitter = Figure(r.beat.Jitter())
	}
	if s.Message == prefixHSL+hsl.KindReturn.String() && s.Rate != nil && span >= 5 && ReturnRateNote(*s.Rate) != "" {
		note := wire.Issue{Source: sourceHSL, Text: ReturnRateNote(*s.Rate), Note: true}
		s.Findings = append(s.Findings, Finding{Issue: note, Count: timed, Packet: r.firstPacket})
	}
	if s.Foreign || s.Message != "" {
		return s
	}
	s.Missing = Figure(r.beat.Missing())
	if s.Rate != nil && span >= 1 && RateNote(*s.Rate) != "" {
		note := wire.Issue{Source: sourceRemarks, Text: RateNote(*s.Rate), Note: true}
		s.Findings = append(s.Findings, Finding{Issue: note, Count: timed, Packet: r.firstPacket})
	}
	return s
}

// mixedTeam is the destination of mixed team packages.
var mixedTeam = netip.MustParseAddrPort(mixedteam.Group)

// Recognises reports whether a packet to an address is one that a Checker knows: by its first bytes or by its destination,
// which is that of mixed team packages, or the port of a team that was seen to play.
func (c *Checker) Recognises(to netip.AddrPort, payload []byte) bool {
	_, humanoid := c.hsl.kind(to, payload)
	if c.Kind == kindHSL && !humanoid {
		_, humanoid = hslPorts[to.Port()]
	}
	return humanoid || isMixedTeam(to) || formats.Recognise(to, payload) != nil
}

// isMixedTeam reports whether an address is that of mixed team packages.
func isMixedTeam(to netip.AddrPort) bool {
	return to.Port() == mixedTeam.Port() || to.Addr() == mixedTeam.Addr()
}

// isJSON reports whether a packet begins as a JSON object with a key.
func isJSON(payload []byte) bool {
	return len(payload) > 1 && payload[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(payload[1:], " \t\r\n"), []byte{'"'})
}

// guess returns which message a packet is that neither its first bytes nor its destination tell; nil for none: that of
// FIRASim, VSSReferee, SSL-Vision or grSim in which the check finds no fault and the fewest things to note; the one of the
// packet before where two fit alike, and without a destination also where none fits. Where all have things to note, it may be
// one of a tracker or of the referee of the Small Size League. Beside mixed team packages it is other traffic.
func (c *Checker) guess(payload []byte) *formats.Message {
	if c.report.Formats["mixedteam"] > 0 {
		return nil
	}
	var best *formats.Message
	least := -1
	for i := range firasimMessages {
		m := &firasimMessages[i]
		issues := m.Check(payload)
		if slices.ContainsFunc(issues, func(i wire.Issue) bool { return !i.Note }) {
			continue
		}
		if n := len(issues); least < 0 || n < least || n == least && m == c.guessed {
			best, least = m, n
		}
	}
	if kind, ok := ssl.Guess(payload); ok && least != 0 && kind != ssl.KindVision { // SSL-Vision is among the others
		best = &sslMessages[kind]
	}
	if best != nil {
		c.guessed = best
	} else if !c.to.IsValid() {
		return c.guessed
	}
	return best
}

var firasimMessages, sslMessages = formats.Named("environment").Messages, formats.Named("ssl-vision").Messages

// messageTCM is the Message of senders of TCM datagrams.
const messageTCM = "TCM"

var tcmMessage = formats.Named("tcm")

// SetTeam lets the Checker compare TCM datagrams with the team's TCM.ini and verify their tags with its key. Nil leaves
// out a comparison.
func (c *Checker) SetTeam(d *teamcom.Directory, key *tcm.Key) { c.tcm.Directory, c.tcm.Key = d, key }

// addTCM checks one packet as a TCM datagram, or as several that were captured as one.
func (c *Checker) addTCM(p *soccer.Packet) {
	one := *p
	for _, one.Data = range Split(p.Data) {
		c.addDatagram(&one)
	}
}

func (c *Checker) addDatagram(p *soccer.Packet) {
	c.count(p, "tcm")
	c.header = mixedteam.Header{}
	from, issues := c.tcm.Observe(c.report.Packets, p)
	k := key{Sender: soccer.Sender{Color: soccer.NoColor}, message: messageTCM, tcm: from}
	if from == (Source{}) {
		k.Addr = p.From
	}
	r := c.row(k)
	if !r.Others && p.From.IsValid() {
		r.Addr = p.From.String()
	}
	r.Packets++
	wrong := c.addIssues(r, p, issues, tcmMessage.Fields)
	c.addTime(r, p)
	c.countWrong(r, wrong)
	c.addEnded(c.tcm.Ended())
}

// Close ends the input: messages in TCM datagrams of which pieces are missing stay incomplete. Call it once, before
// Report.
func (c *Checker) Close() { c.addEnded(c.tcm.Close()) }

// addEnded adds the findings on incomplete messages.
func (c *Checker) addEnded(ended []Ended) {
	for i := range ended {
		e := &ended[i]
		r := c.row(key{Sender: soccer.Sender{Color: soccer.NoColor}, message: messageTCM, tcm: e.From})
		c.addIssue(r, &soccer.Packet{Time: e.Time, Data: e.Data}, e.Packet, e.Issue, tcmMessage.Fields)
		c.countWrong(r, !e.Note)
	}
}

// addFigures adds the exact figures of a sender of TCM datagrams.
func (c *Checker) addFigures(s *Sender, from Source) {
	t := &TCMSender{
		Team: from.Team, Entity: from.Entity.String(), Restarts: c.tcm.Restarts(from), Streams: c.tcm.Streams(from),
		Types: c.tcm.Types(from),
	}
	var lost, all uint64
	for _, st := range t.Streams {
		s.Repeated += st.Duplicates
		lost += st.Lost
		all += st.Received - st.Duplicates + st.Lost
	}
	s.TCM, s.Missing = t, Figure(float64(lost)/float64(max(all, 1)), all > 0)
}
