package playback

import (
	"errors"
	"slices"

	"touchline/internal/robot/hfsm"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
)

// of returns the channel of a topic of the team with a key: "" for the first team, away for the second one of a match.
func of(channel, key string) string {
	if key == "" {
		return channel
	}
	return channel + "." + key
}

// away is the key of the second team's topics.
const away = "away"

// tcm returns what the page showed of a team's TCM at a time; nil if it was not recorded.
func (p *Player) tcm(team string, t float64) (*teamcom.View, error) {
	return topicAt[teamcom.View](p, of(TCMChannel, team), t)
}

// Booking returns what the page showed of a team's booking of the ball at a time. If that was not recorded, it comes from
// the datagrams of the ten seconds before.
func (p *Player) Booking(team string, t float64) (watch.BookingView, error) {
	if v, err := topicAt[watch.BookingView](p, of(BookingChannel, team), t); v != nil {
		return *v, err
	} else if err != nil {
		return watch.BookingView{}, err
	}
	i, at, err := p.inspect(t)
	return i.Booking(at), err
}

// behaviour returns what the page showed of the robots' state machines at a time. If that was not recorded, it comes from
// the datagrams of the ten seconds before.
func (p *Player) behaviour(t float64) (watch.BehaviourView, error) {
	recorded, err := topicAt[watch.BehaviourView](p, BehaviourChannel, t)
	if err != nil {
		return watch.BehaviourView{}, err
	}
	if recorded == nil {
		i, at, err := p.inspect(t)
		v := i.Behaviour(at)
		return v, errors.Join(err, p.addMachines(&v))
	}
	err = p.addMachines(recorded)
	return *recorded, err
}

// addMachines adds the recorded state machines of a view's robots.
func (p *Player) addMachines(v *watch.BehaviourView) error {
	for i := range v.Robots {
		checksum := v.Robots[i].Machine
		has := slices.ContainsFunc(v.Machines, func(m watch.BehaviourMachine) bool { return m.Checksum == checksum })
		if checksum == 0 || has {
			continue
		}
		m, err := p.machine(checksum)
		if err != nil {
			return err
		}
		if m != nil {
			v.Machines = append(v.Machines, watch.BehaviourMachine{Checksum: checksum, Machine: m})
		}
	}
	return nil
}

// machine returns the recorded state machine with a checksum; nil if there is none, or a damaged one.
func (p *Player) machine(checksum uint32) (*hfsm.Machine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.machines[checksum]; m != nil || len(p.moments) == 0 {
		return m, nil
	}
	found, ok, err := p.source.Last(machineChannel(checksum), p.moments[len(p.moments)-1].at)
	if err != nil || !ok {
		return nil, err
	}
	m, err := hfsm.Parse(found.Data)
	if err != nil || m.Checksum() != checksum {
		return nil, nil
	}
	if p.machines == nil {
		p.machines = map[uint32]*hfsm.Machine{}
	}
	p.machines[checksum] = m
	return m, nil
}

// traffic returns the senders of the TCM and their types, by the datagrams of the ten seconds before a time, as topic
// messages.
func (p *Player) traffic(t float64) (watch.Overview, error) {
	i, at, err := p.inspect(t)
	return i.Overview(at), err
}

// messages returns the newest messages of one sender and type of the ten seconds before a time, as topic messages/KEY.
func (p *Player) messages(key string, t float64) (watch.Messages, error) {
	i, _, err := p.inspect(t)
	view, _ := i.Messages(key)
	return view, err
}

// inspect inspects the datagrams of the ten seconds before a time of the session, and returns that time of the record.
func (p *Player) inspect(t float64) (*watch.Inspector, soccer.Time, error) {
	m, ok := p.moment(t)
	i := watch.NewInspector(m.at.Add(-seconds(m.t)))
	if !ok {
		return i, m.at, nil
	}
	for packet, err := range p.datagrams(matchlog.TCM, m.at.Add(-maxAge), m.at) {
		if err != nil {
			return i, m.at, err
		}
		i.Receive(packet)
	}
	return i, m.at, nil
}
