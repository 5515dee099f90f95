package playback

import (
	"encoding/json"
	"time"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/teamcom"
)

// charted is the time that the charts of a page show.
const charted = time.Minute

// Charts is the minute before a time, for the charts of a page that is opened in the middle of a session.
type Charts struct {
	Networks []NetworkSample `json:"networks"` // oldest first, two a second
	Links    []LinkSample    `json:"links"`    // oldest first, one a second; empty if the TCM was not recorded
}

// NetworkSample is the load of the network at one time.
type NetworkSample struct {
	T        float64      `json:"t"` // s since the session started
	BitsPerS float64      `json:"bitsPerS"`
	Senders  []SenderRate `json:"senders"`
}

// SenderRate is how many packets a sender sent at one time.
type SenderRate struct {
	Key     string  `json:"key"` // as in watch.SenderRow
	Packets uint64  `json:"packets"`
	Rate    float64 `json:"rate"` // Hz
}

// LinkSample is the totals of each link of the TCM at one time.
type LinkSample struct {
	T     float64     `json:"t"` // s since the session started
	Links []LinkTotal `json:"links"`
}

// LinkTotal counts the datagrams of a link since its receiver started.
type LinkTotal struct {
	From     string `json:"from"` // entities
	To       string `json:"to"`
	Received uint64 `json:"received"`
	Lost     uint64 `json:"lost"`
}

// charts returns the minute before a time of the session. Damaged messages are left out.
func (p *Player) charts(team string, t float64) (Charts, error) {
	c := Charts{Networks: []NetworkSample{}, Links: []LinkSample{}}
	m, ok := p.moment(t)
	if !ok {
		return c, nil
	}
	tcm := of(TCMChannel, team)
	for msg, err := range p.source.Messages(m.at.Add(-charted), m.at+1, NetworkChannel, tcm) {
		if err != nil {
			return c, err
		}
		// A pause in this minute moves what was before it: the session's clock stood still.
		at := m.t - m.at.Sub(msg.Time).Seconds()
		if msg.Channel == tcm {
			c.addLinks(at, msg)
		} else {
			c.addNetwork(at, msg)
		}
	}
	return c, nil
}

func (c *Charts) addNetwork(at float64, m matchlog.Message) {
	var n watch.Network
	if json.Unmarshal(m.Data, &n) != nil {
		return
	}
	sample := NetworkSample{T: at, BitsPerS: n.BitsPerS, Senders: []SenderRate{}}
	for i := range n.Senders {
		s := &n.Senders[i]
		sample.Senders = append(sample.Senders, SenderRate{s.Key, s.Packets, s.Rate})
	}
	c.Networks = append(c.Networks, sample)
}

func (c *Charts) addLinks(at float64, m matchlog.Message) {
	var v teamcom.View
	if json.Unmarshal(m.Data, &v) != nil {
		return
	}
	sample := LinkSample{T: at, Links: []LinkTotal{}}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		for k := range n.Links {
			l := &n.Links[k]
			sample.Links = append(sample.Links, LinkTotal{l.Peer, n.Entity, l.Received, l.Lost})
		}
	}
	c.Links = append(c.Links, sample)
}
