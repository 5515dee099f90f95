package manager

import (
	"slices"
	"strconv"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Handle lets a module of a node receive what robots send to their managers. Answers that make the next request leave
// go through the module's client.
func Handle(m *teamcom.Module, d *Desk) {
	client := m.Client()
	teamcom.Handle(m, func(from teamcom.From, r *team.Management) { d.ReceiveManagement(from.Entity, from.Received, r) })
	teamcom.Handle(m, func(from teamcom.From, c *team.Challenge) { d.ReceiveChallenge(from.Entity, from.Received, c) })
	teamcom.Handle(m, func(from teamcom.From, p *team.Parameters) { d.ReceiveParameters(from.Entity, p) })
	teamcom.Handle(m, func(from teamcom.From, k *team.KickCheck) { d.ReceiveKickCheck(from, k) })
	teamcom.Handle(m, func(from teamcom.From, l *team.LocomotionCheck) { d.ReceiveLocomotionCheck(from, l) })
	teamcom.Handle(m, func(from teamcom.From, f *team.File) { d.ReceiveFile(from.Entity, from.Received, f) })
	teamcom.Handle(m, func(from teamcom.From, a *team.Answer) {
		d.ReceiveAnswer(from.Entity, from.Received, a, func(to tcm.Entity, data teamcom.Data) {
			_ = client.Send(from.Received, to, data) // the node counts what it drops
		})
	})
}

// ReceiveManagement receives a robot's report. One with another table is a restart: all that was known is forgotten, and
// requests that wait fail.
func (d *Desk) ReceiveManagement(from tcm.Entity, now soccer.Time, m *team.Management) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.sender(from)
	if r == nil {
		return
	}
	if r.table != m.Table {
		r.restart(now, m.Table)
	}
	kicks := append(r.report.Kicks[:0], m.Kicks...)
	r.report, r.arrived, r.nonce = *m, now, m.Nonce
	r.report.Kicks = kicks
}

// sender returns the robot that sent a message.
func (d *Desk) sender(from tcm.Entity) *managerRobot {
	if from.Kind != tcm.Robot {
		return nil
	}
	return d.robot(from.ID)
}

// restart forgets the robot's earlier start.
func (r *managerRobot) restart(now soccer.Time, table uint32) {
	for _, p := range r.pages {
		r.giveUp(now, p, "the robot restarted")
		p.undo, p.redo = nil, nil
	}
	r.table, r.since, r.parameters = table, 0, r.parameters[:0]
	r.upload.fail("the robot restarted")
	r.download.fail("the robot restarted")
	r.download.sheet, r.download.colors = nil, nil
	r.attended = 0
	r.checked = checked{}
}

// ReceiveChallenge receives the nonce for the operator who drives.
func (d *Desk) ReceiveChallenge(from tcm.Entity, now soccer.Time, m *team.Challenge) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.sender(from); r != nil {
		r.challenge, r.challenged = *m, now
	}
}

// driveView returns the newest nonce and state.
func (r *managerRobot) driveView() *DriveView {
	v := &DriveView{State: r.report.Drive.String(), Kick: r.report.Kick}
	if r.challenged > r.arrived {
		v.State, v.Kick = r.challenge.Drive.String(), r.challenge.Kick
	}
	if r.challenged > 0 {
		v.Nonce = strconv.FormatUint(r.challenge.Nonce, 10)
	}
	return v
}

// ReceiveParameters receives a part of the robot's table. A part after a gap is of no use: the next attendance asks for
// what is missing.
func (d *Desk) ReceiveParameters(from tcm.Entity, m *team.Parameters) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.sender(from)
	if r == nil || m.Table != r.table || m.Since > r.since || m.Upto <= r.since {
		return
	}
	for i := range m.List {
		r.setParameter(&m.List[i])
	}
	r.since = m.Upto
	r.report.Revision = max(r.report.Revision, m.Revision)
}

// setParameter takes a parameter that is newer than the one known.
func (r *managerRobot) setParameter(p *team.Parameter) {
	at := slices.IndexFunc(r.parameters, func(q parameter) bool { return q.Name == p.Name })
	switch {
	case at < 0 && len(r.parameters) == MaxParameters:
		return
	case at < 0:
		r.parameters = append(r.parameters, parameter{})
		at = len(r.parameters) - 1
	case p.Revision <= r.parameters[at].Revision:
		return
	}
	r.parameters[at].Parameter = *p
	r.parameters[at].Choices = slices.Clone(p.Choices)
}

// ReceiveAnswer receives the answer to a request, and sends the page's next one.
func (d *Desk) ReceiveAnswer(from tcm.Entity, now soccer.Time, m *team.Answer, send Send) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.sender(from)
	if r == nil {
		return
	}
	for _, p := range r.pages {
		if p.id != m.Operator || len(p.queue) == 0 || p.queue[0].Number != m.Number {
			continue
		}
		q := p.queue[0]
		if r.verified(now, p, m) || r.fetched(now, p, m) {
			p.pop(now)
		} else {
			r.finish(now, p, m.Result.String(), m.Value, m.Text)
			r.readBack(p, &q, m)
		}
		r.report.Revision = max(r.report.Revision, m.Revision)
		r.retry(now, p, send)
		return
	}
}

// readBack takes the value of a parameter from the answer: the part of the table that has it may be lost.
func (r *managerRobot) readBack(p *page, q *request, m *team.Answer) {
	at := r.find(q.Text)
	if q.Operation != team.Set || m.Result > team.Adjusted || at == nil || m.Revision <= at.Revision {
		return
	}
	at.Value, at.Revision, at.Source, at.By = m.Value, m.Revision, team.FromOperator, p.name
}
