package check

import (
	"encoding/binary"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/mixedteam"
	"touchline/wire/tcm"
)

// messageTCM is the Message of senders of TCM datagrams.
const messageTCM = "TCM"

// SetTeam lets the Checker compare TCM datagrams with the team's TCM.ini and verify their tags with its key. Nil leaves
// out a comparison.
func (c *Checker) SetTeam(d *teamcom.Directory, key *tcm.Key) { c.tcm.Directory, c.tcm.Key = d, key }

// AddTCM checks one packet as a TCM datagram, or as several that were captured as one.
func (c *Checker) AddTCM(p *soccer.Packet) {
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

// Streams returns the figures of a sender's datagrams by destination and socket, in the order of their first datagrams.
func (c *DatagramChecker) Streams(from Source) []Stream {
	all := []Stream{}
	if s := c.senders[from]; s != nil {
		for _, e := range s.streams.All() {
			st := e.Value
			all = append(all, Stream{
				To: st.to.String(), Socket: st.socket.String(), Received: st.received, Lost: st.lostBefore + st.lost(),
				Duplicates: st.duplicates, Reordered: st.reordered,
			})
		}
	}
	return all
}

// Types returns the figures of a sender's messages by destination, module and type, in the order of their first ones.
func (c *DatagramChecker) Types(from Source) []Type {
	all := []Type{}
	if s := c.senders[from]; s != nil {
		for _, e := range s.counters.All() {
			n := e.Value
			t := Type{
				Kind: n.Kind, To: n.To.String(), Module: n.Module.String(), Type: n.Type.String(), Received: n.received,
				Lost: n.lostBefore + n.lost(), Incomplete: n.incomplete, Repeated: n.repeated, Bytes: n.bytes,
			}
			for _, p := range s.partials {
				if p.counter == n && !p.done {
					t.Incomplete++
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// Restarts returns how often a sender restarted.
func (c *DatagramChecker) Restarts(from Source) int {
	if s := c.senders[from]; s != nil {
		return s.restarts
	}
	return 0
}

// Split returns the datagrams in b. Linux shows a burst of datagrams of one size, which it carries as a whole, as one
// packet to programs that capture it.
func Split(b []byte) [][]byte {
	if whole(b) {
		return [][]byte{b}
	}
	const least = tcm.HeaderSize + tcm.SumSize
	for size := least; size <= min(tcm.MaxDatagram, len(b)-least); size++ {
		if !tcm.Is(b[size:]) || !whole(b[:size]) {
			continue
		}
		var all [][]byte
		for ; len(b) > size; b = b[size:] {
			all = append(all, b[:size])
		}
		return append(all, b)
	}
	return [][]byte{b}
}

// whole reports whether b ends with the checksum of the bytes before it.
func whole(b []byte) bool {
	end := len(b) - tcm.SumSize
	return end >= tcm.HeaderSize && len(b) <= tcm.MaxDatagram && binary.LittleEndian.Uint32(b[end:]) == tcm.Sum(b[:end])
}
