package playback

import (
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/watch/behaviour"
	"touchline/watch/bookings"
	"touchline/watch/inspect"
)

// HasTCM reports whether a recording shows the TCM.
func (p *Player) HasTCM() bool { return p.tcm }

// HasMatch reports whether a recording shows a match.
func (p *Player) HasMatch() bool { return p.match }

// of returns the channel of a topic of the team with a key: "" for the first team, Away for the second one of a match.
func of(channel, key string) string {
	if key == "" {
		return channel
	}
	return channel + "." + key
}

// Away is the key of the second team's topics.
const Away = "away"

// TCM returns what the page showed of a team's TCM at a time; nil if it was not recorded.
func (p *Player) TCM(team string, t float64) (*overview.View, error) {
	m, ok := p.moment(t)
	if !ok {
		return nil, nil
	}
	v, left := new(overview.View), maxBytes
	if ok, err := p.decode(of(TCMChannel, team), m.at, v, &left); err != nil || !ok {
		return nil, err
	}
	return v, nil
}

// Booking returns what the page showed of a team's booking of the ball at a time. If that was not recorded, it comes from
// the datagrams of the ten seconds before.
func (p *Player) Booking(team string, t float64) (bookings.View, error) {
	var v bookings.View
	m, ok := p.moment(t)
	left := maxBytes
	if ok {
		if ok, err := p.decode(of(BookingChannel, team), m.at, &v, &left); err != nil || ok {
			return v, err
		}
	}
	i, at, err := p.inspect(t)
	return i.Booking(at), err
}

// Behaviour returns what the page showed of the robots' state machines at a time. If that was not recorded, it comes from
// the datagrams of the ten seconds before.
func (p *Player) Behaviour(t float64) (behaviour.View, error) {
	var v behaviour.View
	m, ok := p.moment(t)
	left := maxBytes
	if ok {
		if ok, err := p.decode(BehaviourChannel, m.at, &v, &left); err != nil || ok {
			return v, err
		}
	}
	i, at, err := p.inspect(t)
	return i.Behaviour(at), err
}

// Traffic returns the senders of the TCM and their types, by the datagrams of the ten seconds before a time, as topic
// messages.
func (p *Player) Traffic(t float64) (inspect.Overview, error) {
	i, at, err := p.inspect(t)
	return i.Overview(at), err
}

// Messages returns the newest messages of one sender and type of the ten seconds before a time, as topic messages/KEY.
func (p *Player) Messages(key string, t float64) (inspect.Messages, error) {
	i, _, err := p.inspect(t)
	view, _ := i.Messages(key)
	return view, err
}

// inspect inspects the datagrams of the ten seconds before a time of the session, and returns that time of the record.
func (p *Player) inspect(t float64) (*inspect.Inspector, soccer.Time, error) {
	m, ok := p.moment(t)
	i := inspect.New(m.at.Add(-seconds(m.t)))
	if !ok {
		return i, m.at, nil
	}
	for msg, err := range p.source.Messages(m.at.Add(-maxAge), m.at+1, matchlog.TCM) {
		if err != nil {
			return i, m.at, err
		}
		if packet, err := matchlog.ParsePacket(msg); err == nil {
			i.Receive(&packet)
		}
	}
	return i, m.at, nil
}
