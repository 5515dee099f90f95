package watch

import (
	"encoding/hex"
	"net/netip"
	"strconv"

	"touchline/internal/check"
	"touchline/internal/formats"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/mixedteam"
)

// Packets returns the last packets of the sender whose row has this key, decoded field by field, newest first. It
// reports false when there is no such sender.
func (w *Watcher) Packets(key string) (PacketView, bool) {
	for _, e := range w.rows.All() {
		if r := e.Value; r.Key == key {
			v := r.view(w.cfg.Start)
			v.Own, v.Reports = w.reports(r)
			return v, true
		}
	}
	return PacketView{}, false
}

// reports returns the newest package of a sender and those of the others of its side; nil for other traffic.
func (w *Watcher) reports(of *row) (own *Belief, others []Report) {
	others = []Report{}
	if of.Foreign {
		return nil, others
	}
	now := max(w.received, w.reported)
	for _, r := range w.sorted(now) {
		report, sameSide := r.Source.report(now), r.Sender.Color == of.Sender.Color
		switch {
		case r == of:
			own = &report.Belief
		case !r.Foreign && sameSide && now.Sub(r.Time) <= awayAfter:
			others = append(others, report)
		}
	}
	return own, others
}

// report converts the newest package of a sender.
func (s *Source) report(now soccer.Time) Report {
	if s.Percepts == nil {
		return Report{}
	}
	age := now.Sub(s.Time)
	return Report{
		Number: s.Sender.Robot, Color: s.Sender.Color, Team: soccer.MSLTeam(int(s.Header.TeamID)).Name,
		Age: age.Seconds() * 1e3, Belief: PerceptsOf(s.Percepts, s.Sender, age),
	}
}

// ReportOf decodes a package that a robot received at p.Time. It reports false for other traffic.
func ReportOf(p *soccer.Packet, now soccer.Time) (Report, bool) {
	s := Source{Time: p.Time, Percepts: new(soccer.Percepts)}
	if id, err := mixedteam.Decode(p.Data, &s.Header, s.Percepts); err != nil || id.Variant == mixedteam.Foreign {
		return Report{}, false
	}
	s.Sender = soccer.Sender{Addr: p.From, Color: s.Header.Color, Robot: s.Header.Robot}
	return s.report(now), true
}

// SenderKey returns the key that the row of a packet's sender has.
func SenderKey(p *soccer.Packet) string {
	var header mixedteam.Header
	id, err := mixedteam.Decode(p.Data, &header, new(soccer.Percepts))
	return keyOf(sourceOf(p, &header, err != nil || id.Variant == mixedteam.Foreign))
}

// PackageNumber returns the number in the field of a package's byte table that has this name; false without one.
func PackageNumber(p *soccer.Packet, name string) (float64, bool) {
	return NumberIn(mixedteam.Fields(p.Data), name)
}

// NumberIn returns the number in the field that has this name; false without one.
func NumberIn(fields []wire.Field, name string) (float64, bool) {
	for i := range fields {
		if fields[i].Name == name {
			v, err := strconv.ParseFloat(fields[i].Value, 64)
			return v, err == nil
		}
	}
	return 0, false
}

func (r *row) view(start soccer.Time) PacketView {
	v := PacketView{Key: r.Key, Packets: []PacketEntry{}}
	for i := r.last.Len() - 1; i >= 0; i-- {
		l := r.last.At(i)
		id := mixedteam.Identify(l.data)
		e := PacketEntry{
			Time:    l.at.Sub(start).Seconds(),
			Variant: id.Variant.String(),
			Sure:    id.Confidence,
			Why:     id.Reason,
			Len:     l.len,
			Hex:     hex.EncodeToString(l.data),
			Fields:  append([]wire.Field{}, mixedteam.Fields(l.data)...),
			Issues:  append([]wire.Issue{}, check.Issues(l.data, id.Variant)...),
		}
		if m := l.message(); id.Variant == mixedteam.Foreign && m != nil {
			e.Variant, e.Sure, e.Why = m.Name, 1, "its first bytes tell"
			e.Fields = append([]wire.Field{}, m.Fields(l.data)...)
		}
		v.Packets = append(v.Packets, e)
	}
	return v
}

// message returns which message of another format a packet is, as its first bytes say; nil for an unknown one.
func (l *shownPacket) message() *formats.Message { return formats.Recognise(netip.AddrPort{}, l.data) }

// variant names the layout of the newest packet, or what it is in place of a package.
func (r *row) variant() string {
	if r.identity.Variant == mixedteam.Foreign && r.last.Len() > 0 {
		if m := r.last.At(r.last.Len() - 1).message(); m != nil {
			return m.Name
		}
	}
	return r.identity.Variant.String()
}
