package check

import (
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
	wrong := c.addIssues(r, p, issues, Fields)
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
		c.addIssue(r, &soccer.Packet{Time: e.Time, Data: e.Data}, e.Packet, e.Issue, Fields)
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
