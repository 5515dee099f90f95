package check

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire"
	"touchline/wire/firasim"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
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

// Kinds of packets that are no messages of FIRASim, as Checker.Kind has them.
const (
	kindMixedTeam = "mixed-team"
	kindTCM       = "tcm"
)

// firasimKinds are the messages of FIRASim, VSSReferee, SSL-Vision and grSim by their names in Checker.Kind.
var firasimKinds = map[string]firasim.Kind{
	"environment": firasim.KindEnvironment,
	"packet":      firasim.KindPacket,
	"referee":     firasim.KindRefereeCommand,
	"placement":   firasim.KindPlacement,
	"ssl":         firasim.KindSSL,
	"grsim":       firasim.KindGrSim,
}

// Kinds returns the kinds of packets that a Checker knows.
func Kinds() []string {
	return append([]string{kindMixedTeam, kindTCM, kindHSL}, slices.Sorted(maps.Keys(firasimKinds))...)
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
	channel string         // channel of the last packet
	to      netip.AddrPort // channel as an address; zero if it has another form
	kind    firasim.Kind   // the newest kind that guess returned
	guessed bool           // guess returned one
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
	message string // name of FIRASim's message, "TCM", or "HSL" with the name of the message
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
	kind, known := firasimKinds[c.Kind]
	switch {
	case known:
		c.addFIRASim(p, kind)
	case c.Kind == kindMixedTeam:
		c.addPackage(p)
	case c.Kind == kindHSL:
		c.addHSL(p, c.hslKind(p))
	case c.Kind == kindTCM || c.Kind == "" && tcm.Is(p.Data):
		c.addTCM(p)
	default:
		c.addUnknown(p)
	}
}

// addUnknown checks a packet of unknown kind that is no TCM datagram.
func (c *Checker) addUnknown(p *soccer.Packet) {
	if kind, ok := c.hsl.kind(c.to, p.Data); ok {
		c.addHSL(p, kind)
		return
	}
	if kind, ok := sslKind(c.to, p.Data); ok {
		c.addSSL(p, kind)
		return
	}
	kind, known := firasimKind(c.to, p.Data)
	foreign := !known && len(p.Data) > 0 && mixedteam.Identify(p.Data).Variant == mixedteam.Foreign
	elsewhere := foreign && !isMixedTeam(c.to)
	if foreign && isStation(p.Data) && c.addStation(p) && elsewhere {
		return
	}
	if elsewhere {
		kind, known = c.guess(p.Data)
	}
	if known {
		c.addFIRASim(p, kind)
	} else if !elsewhere || !isJSON(p.Data) || !c.addStation(p) {
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
	c.count(p)
	id, err := mixedteam.Decode(p.Data, &c.header, &c.percepts)
	foreign := err != nil || id.Variant == mixedteam.Foreign
	k := key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, foreign: foreign}
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

// addFIRASim checks one packet as a message of FIRASim or VSSReferee.
func (c *Checker) addFIRASim(p *soccer.Packet, kind firasim.Kind) {
	c.count(p)
	c.report.FIRASim++
	c.header = mixedteam.Header{}
	r := c.row(key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, message: kind.String()})
	r.Packets++
	wrong := c.addIssues(r, p, firasim.Check(kind, p.Data), func(b []byte) []wire.Field { return firasim.Fields(kind, b) })
	c.addTime(r, p)
	c.countWrong(r, wrong)
}

func (c *Checker) count(p *soccer.Packet) {
	c.report.Packets++
	if c.report.Packets == 1 {
		c.start = p.Time
	}
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
	r.Sender = Sender{Color: k.Color.String(), Number: k.Robot, Message: k.message, Foreign: k.foreign, Others: others}
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
	report.OK = report.Packages+report.FIRASim+report.TCM+report.HSL+report.SSL > 0 && report.Wrong == 0
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

// Destinations of packets.
var (
	mixedTeam  = netip.MustParseAddrPort(mixedteam.Group)
	vision     = netip.MustParseAddrPort(firasim.Vision)
	visionWiki = netip.MustParseAddrPort(firasim.VisionWiki)
	referee    = netip.MustParseAddrPort(firasim.Referee)
	placements = netip.MustParseAddrPort(firasim.Placements)
	sslVSS     = netip.MustParseAddrPort(firasim.SSLVisionVSS)
	sslVision  = netip.MustParseAddrPort(firasim.SSLVisionGroup)
	sslGrSim   = netip.MustParseAddrPort(firasim.SSLVisionGrSim)
)

// Recognises reports whether a packet to an address is a mixed team package, one of FIRASim's messages, a TCM datagram,
// a message of a base station or one of the Humanoid Soccer League: by the port or the group of the first, by the port of
// the second, with their group if it is multicast, by the first bytes of the third, by the type in the fourth, and by the
// first bytes of the last, or by the port of a team that was seen to play, or that broadcasts.
func (c *Checker) Recognises(to netip.AddrPort, payload []byte) bool {
	_, fira := firasimKind(to, payload)
	_, humanoid := c.hsl.kind(to, payload)
	_, small := sslKind(to, payload)
	if c.Kind == kindHSL && !humanoid {
		_, humanoid = hslPorts[to.Port()]
	}
	return fira || humanoid || small || tcm.Is(payload) || isMixedTeam(to) || isStation(payload)
}

// Dissection is a datagram as people speak of it.
type Dissection struct {
	Protocol string // "mixed team package", "TCM datagram", "VSSRef_Command"; "" for an unknown one
	Team     string // of the sender, "cyan" or "1"; "" if that is unknown
	Robot    string // the sender, "robot 3" or "computer:1"; "" if that is unknown
	// Fields is the byte table, empty for an unknown protocol. Names of messages in a TCM datagram begin with their type,
	// like "belief.ball.x".
	Fields []wire.Field
}

// Dissect decodes a datagram by its first bytes and its destination, like a Checker without a Kind does.
func Dissect(p *soccer.Packet) Dissection {
	if tcm.Is(p.Data) {
		d := Dissection{Protocol: "TCM datagram", Fields: datagramFields(p.Data)}
		var h tcm.Datagram
		if h.UnmarshalBinary(p.Data) == nil {
			d.Team, d.Robot = strconv.Itoa(int(h.Team)), h.From.String()
		}
		return d
	}
	to, _ := netip.ParseAddrPort(p.Channel)
	if kind, ok := new(HSLGame).kind(to, p.Data); ok {
		return dissectHSL(kind, to, p.Data)
	}
	if kind, ok := sslKind(to, p.Data); ok {
		return Dissection{Protocol: kind.String(), Fields: ssl.Fields(kind, p.Data)}
	}
	if kind, ok := firasimKind(to, p.Data); ok {
		return Dissection{Protocol: kind.String(), Fields: firasim.Fields(kind, p.Data)}
	}
	var h mixedteam.Header
	if id, err := mixedteam.Decode(p.Data, &h, new(soccer.Percepts)); err != nil || id.Variant == mixedteam.Foreign {
		return Dissection{}
	}
	d := Dissection{Protocol: "mixed team package", Fields: mixedteam.Fields(p.Data)}
	if h.Color != soccer.NoColor {
		d.Team = h.Color.String()
	}
	if h.Robot > 0 {
		d.Robot = fmt.Sprintf("robot %d", h.Robot)
	}
	return d
}

// isMixedTeam reports whether an address is that of mixed team packages.
func isMixedTeam(to netip.AddrPort) bool {
	return to.Port() == mixedTeam.Port() || to.Addr() == mixedTeam.Addr()
}

// isStation reports whether a packet is a worldstate or an event of a base station.
func isStation(payload []byte) bool {
	if len(payload) == 0 || payload[0] != '{' {
		return false
	}
	kind := msl.KindOf(payload)
	return kind == msl.KindWorldstate || kind == msl.KindEvent
}

// isJSON reports whether a packet begins as a JSON object with a key.
func isJSON(payload []byte) bool {
	return len(payload) > 1 && payload[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(payload[1:], " \t\r\n"), []byte{'"'})
}

// guess returns which message of FIRASim, VSSReferee, SSL-Vision or grSim a packet is that did not go to their ports, and
// whether it is one: the kind that finds no fault in it and the fewest things to note; the kind of the packet before where
// two fit alike, and without a destination also where none fits. Beside mixed team packages it is other traffic.
func (c *Checker) guess(payload []byte) (firasim.Kind, bool) {
	if c.report.Packages > 0 {
		return 0, false
	}
	best, least := firasim.Kind(0), -1
	for kind := firasim.KindEnvironment; kind <= firasim.KindGrSim; kind++ {
		issues := firasim.Check(kind, payload)
		if slices.ContainsFunc(issues, func(i wire.Issue) bool { return !i.Note }) {
			continue
		}
		if n := len(issues); least < 0 || n < least || n == least && c.guessed && kind == c.kind {
			best, least = kind, n
		}
	}
	if least >= 0 {
		c.kind, c.guessed = best, true
	}
	return c.kind, least >= 0 || c.guessed && !c.to.IsValid()
}

// firasimKind returns which message of FIRASim, VSSReferee, SSL-Vision or grSim a packet to an address holds, and whether
// it holds one.
func firasimKind(to netip.AddrPort, payload []byte) (firasim.Kind, bool) {
	is := func(group netip.AddrPort) bool {
		return to.Port() == group.Port() && (to.Addr() == group.Addr() || !to.Addr().IsMulticast())
	}
	switch {
	case is(vision), is(visionWiki):
		return firasim.KindEnvironment, true
	case is(sslVSS), is(sslVision), is(sslGrSim):
		return firasim.KindSSL, true
	case to.Port() == firasim.CommandPort && firasim.IsGrSim(payload):
		return firasim.KindGrSim, true
	case to.Port() == firasim.CommandPort:
		return firasim.KindPacket, true
	case is(referee):
		return firasim.KindRefereeCommand, true
	case is(placements):
		return firasim.KindPlacement, true
	}
	return 0, false
}

// messageTCM is the Message of senders of TCM datagrams.
const messageTCM = "TCM"

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
	c.count(p)
	c.report.TCM++
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
	wrong := c.addIssues(r, p, issues, datagramFields)
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
		c.addIssue(r, &soccer.Packet{Time: e.Time, Data: e.Data}, e.Packet, e.Issue, datagramFields)
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
