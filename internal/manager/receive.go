package manager

import (
	"slices"
	"strconv"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Handle lets a module of a node receive what robots send to their managers. Answers that make the next request leave go
// through the module's client.
func (d *Desk) Handle(m *teamcom.Module) {
	client := m.Client()
	receive := func(from teamcom.From, data teamcom.Data) {
		d.Receive(from, data, func(to tcm.Entity, request teamcom.Data) {
			_ = client.Send(from.Received, to, request) // the node counts what it drops
		})
	}
	teamcom.Handle(m, func(from teamcom.From, r *team.Management) { receive(from, r) })
	teamcom.Handle(m, func(from teamcom.From, c *team.Challenge) { receive(from, c) })
	teamcom.Handle(m, func(from teamcom.From, p *team.Parameters) { receive(from, p) })
	teamcom.Handle(m, func(from teamcom.From, k *team.KickCheck) { receive(from, k) })
	teamcom.Handle(m, func(from teamcom.From, l *team.LocomotionCheck) { receive(from, l) })
	teamcom.Handle(m, func(from teamcom.From, f *team.File) { receive(from, f) })
	teamcom.Handle(m, func(from teamcom.From, a *team.Answer) { receive(from, a) })
}

// Receive receives a message of a robot: a *team.Management, *team.Challenge, *team.Parameters, *team.KickCheck,
// *team.LocomotionCheck, *team.File or *team.Answer. Requests that leave after an answer go to send.
func (d *Desk) Receive(from teamcom.From, data teamcom.Data, send Send) {
	if from.Entity.Kind != tcm.Robot {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r, now := d.robot(from.Entity.ID), from.Received
	if r == nil {
		return
	}
	switch m := data.(type) {
	case *team.Management:
		r.receiveReport(now, m)
	case *team.Challenge:
		r.challenge, r.challenged = *m, now
	case *team.Parameters:
		r.receiveParameters(m)
	case *team.KickCheck:
		r.receiveKickCheck(from, m)
	case *team.LocomotionCheck:
		r.receiveWalkCheck(from, m)
	case *team.File:
		r.receiveFile(now, m)
	case *team.Answer:
		r.receiveAnswer(now, m, send)
	}
}

// receiveReport receives a robot's report. One with another table is a restart: all that was known is forgotten, and
// requests that wait fail.
func (r *record) receiveReport(now soccer.Time, m *team.Management) {
	if r.table != m.Table {
		r.restart(now, m.Table)
	}
	if m.Revision >= r.since {
		r.backward = 0
	} else if r.backward++; r.backward == maxBackward {
		r.beginAnew()
	}
	kicks := append(r.report.Kicks[:0], m.Kicks...)
	r.report, r.arrived, r.nonce = *m, now, m.Nonce
	r.report.Kicks = kicks
}

// restart forgets the robot's earlier start.
func (r *record) restart(now soccer.Time, table uint32) {
	for _, p := range r.pages {
		r.giveUp(now, p, "the robot restarted")
		p.undo, p.redo = nil, nil
	}
	r.table, r.since, r.parameters, r.backward = table, 0, r.parameters[:0], 0
	r.upload.fail("the robot restarted")
	r.download.fail("the robot restarted")
	r.download.sheet, r.download.colors = nil, nil
	r.attended = 0
	r.checked = checked{}
}

// driveView returns the newest nonce and state.
func (r *record) driveView() *DriveView {
	v := &DriveView{State: r.report.Drive.String(), Kick: r.report.Kick}
	if r.challenged > r.arrived {
		v.State, v.Kick = r.challenge.Drive.String(), r.challenge.Kick
	}
	if r.challenged > 0 {
		v.Nonce = strconv.FormatUint(r.challenge.Nonce, 10)
	}
	return v
}

const (
	// maxBackward reports in a row have a revision below the known one: it was never the robot's. A single report may be
	// overtaken by the parameters that changed after it.
	maxBackward = 3
	// maxAhead is how far a revision may be ahead of the robot's newest report: it changes once with each parameter.
	maxAhead = 10 * MaxParameters
)

// beginAnew lets the robot send its whole table again: the next attendance asks for it. The values stay until then.
func (r *record) beginAnew() {
	r.since, r.backward = 0, 0
	for i := range r.parameters {
		r.parameters[i].Revision = 0
	}
}

// plausible reports whether a revision can be that of the robot's table.
func (r *record) plausible(revision uint32) bool {
	return uint64(revision) <= uint64(r.report.Revision)+maxAhead
}

// receiveParameters receives a part of the robot's table. A part after a gap is of no use: the next attendance asks for
// what is missing. A part whose revisions contradict each other or the robot's reports is refused.
func (r *record) receiveParameters(m *team.Parameters) {
	if m.Table != r.table || m.Since > r.since || m.Upto <= r.since || m.Upto > m.Revision || !r.plausible(m.Revision) ||
		slices.ContainsFunc(m.List, func(p team.Parameter) bool { return p.Revision > m.Upto }) {
		return
	}
	for i := range m.List {
		r.setParameter(&m.List[i])
	}
	r.since = m.Upto
	r.report.Revision = max(r.report.Revision, m.Revision)
}

// setParameter takes a parameter that is newer than the one known.
func (r *record) setParameter(p *team.Parameter) {
	at := r.find(p.Name)
	switch {
	case at == nil && len(r.parameters) == MaxParameters, at != nil && p.Revision <= at.Revision:
		return
	case at == nil:
		r.parameters = append(r.parameters, parameter{})
		at = &r.parameters[len(r.parameters)-1]
	}
	at.Parameter, at.Choices = *p, slices.Clone(p.Choices)
}

// receiveAnswer receives the answer to a request, and sends the page's next one.
func (r *record) receiveAnswer(now soccer.Time, m *team.Answer, send Send) {
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
		if r.plausible(m.Revision) {
			r.report.Revision = max(r.report.Revision, m.Revision)
		}
		r.retry(now, p, send)
		return
	}
}

// readBack takes the value of a parameter from the answer: the part of the table that has it may be lost.
func (r *record) readBack(p *page, q *request, m *team.Answer) {
	at := r.find(q.Text)
	if q.Operation != team.Set || m.Result > team.Adjusted || at == nil || m.Revision <= at.Revision ||
		!r.plausible(m.Revision) {
		return
	}
	at.Value, at.Revision, at.Source, at.By = m.Value, m.Revision, team.FromOperator, p.name
}
