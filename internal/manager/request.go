package manager

import (
	"errors"
	"fmt"
	"slices"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

var errQueue = errors.New("manager: too many requests wait for this robot's answer: wait, or reload the page")

// ask queues a request of a page. A value that still waits to leave is replaced by a newer one of the same parameter.
func (r *record) ask(now soccer.Time, p *page, q request) error {
	if _, err := q.AppendBinary(nil); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	if q.Operation == team.Set && q.kind == fromOperator {
		for i := len(p.queue) - 1; i > 0; i-- {
			if w := &p.queue[i]; w.Operation == team.Set && w.Text == q.Text && w.kind == fromOperator &&
				w.group == q.group {
				w.Value = q.Value
				return nil
			}
		}
	}
	if len(p.queue) >= maxQueue {
		return errQueue
	}
	q.Operator, q.asked = p.id, now
	p.queue = append(p.queue, q)
	return nil
}

// retry sends the first request of a page, again if no answer arrived. After a while it gives up all that wait.
func (r *record) retry(now soccer.Time, p *page, send Send) {
	if len(p.queue) > 0 && now.Sub(p.queue[0].asked) > answerFor {
		r.giveUp(now, p, "the robot did not answer within 5 s")
	}
	if len(p.queue) == 0 || r.nonce == 0 {
		return
	}
	q := &p.queue[0]
	if q.Number == 0 {
		r.number++
		q.Number, q.first, q.asked = r.number, now, now
		if at := r.find(q.Text); q.Operation == team.Set && at != nil {
			q.from = at.Value
		}
	} else if now.Sub(q.sent) < retryPeriod {
		return
	}
	q.sent, q.Nonce = now, r.nonce
	send(tcm.Entity{Kind: tcm.Robot, ID: r.id}, &q.Request)
}

// giveUp ends all requests of a page.
func (r *record) giveUp(now soccer.Time, p *page, why string) {
	for len(p.queue) > 0 {
		r.finish(now, p, "no answer", 0, why)
	}
}

// find returns a parameter, or nil.
func (r *record) find(name string) *parameter {
	if i := slices.IndexFunc(r.parameters, func(p parameter) bool { return p.Name == name }); i >= 0 {
		return &r.parameters[i]
	}
	return nil
}

// finish ends the first request of a page and logs what became of it.
func (r *record) finish(now soccer.Time, p *page, result string, value float32, text string) {
	q := p.queue[0]
	p.pop(now)
	if q.Operation == team.Fetch { // it changes nothing
		r.download.fail(text)
		return
	}
	c := Change{
		Millis: now.Sub(r.desk.cfg.Start).Seconds() * 1e3, Robot: r.id, Operator: p.name, What: q.Operation.String(),
		Result: result, Text: text, Delay: max(0, now.Sub(q.first).Seconds()*1e3),
	}
	switch q.Operation {
	case team.Set:
		c.What, c.From, c.Asked, c.To = q.Text, q.from, q.Value, value
		if at := r.find(q.Text); at != nil {
			at.result, at.text = result, text
		}
		if result == team.Done.String() || result == team.Adjusted.String() {
			p.remember(q.kind, step{q.Text, q.from, value, q.group})
		}
	case team.Take:
		c.What = "took the control"
	case team.Hold:
		switch q.Value {
		case 0:
			c.What = "let the state machine go on"
		case 2:
			c.What = "one transition"
		}
	case team.GiveUp:
		c.What = "gave up the control"
	case team.Verify, team.Adopt:
		if c.What = "state machine"; r.upload.file.Name == ColorsFile {
			c.What = "colour table"
			if q.Operation == team.Adopt && result == team.Done.String() {
				r.download.colors = r.upload.data
			}
		}
		r.upload.end(result, text)
	case team.CheckKick, team.CheckWalk:
		if q.Value == 0 {
			c.What = "stop the check"
		}
		r.checkAnswered(result, text)
	}
	r.log(c)
}

// pop removes the first request of a queue. The time of the next one begins.
func (p *page) pop(now soccer.Time) {
	if p.queue = slices.Delete(p.queue, 0, 1); len(p.queue) > 0 {
		p.queue[0].asked = now
	}
}

// log adds a change to the list, and to the audit log.
func (r *record) log(c Change) {
	r.changes = bounded.Append(r.changes, c, maxChanges)
	if r.desk.cfg.Changed != nil {
		r.desk.cfg.Changed(c)
	}
}

// remember puts an executed change on the list that takes it back.
func (p *page) remember(k kind, s step) {
	switch {
	case s.from == s.to:
		return
	case k == fromUndo:
		p.redo = append(p.redo, step{s.name, s.to, s.from, s.group})
		return
	case k == fromOperator:
		p.redo = nil
	}
	p.undo = bounded.Append(p.undo, step{s.name, s.to, s.from, s.group}, maxSteps)
}

// takeBack asks for the newest step of a list, and for those that were set together with it. Parameters that somebody
// changed since stay.
func (r *record) takeBack(now soccer.Time, p *page, l *steps, k kind) error {
	if len(*l) == 0 {
		return errors.New("manager: nothing to take back")
	}
	var changed error
	asked := false
	for group := (*l)[len(*l)-1].group; len(*l) > 0; {
		s := (*l)[len(*l)-1]
		if s.group != group {
			break
		}
		if at := r.find(s.name); at != nil && at.Value != s.from {
			changed = fmt.Errorf("manager: %s is %v: somebody changed it since", s.name, at.Value)
		} else if err := r.ask(now, p, request{Request: team.Request{Operation: team.Set, Text: s.name, Value: s.to}, kind: k,
			group: group}); err != nil {
			return err
		} else {
			asked = true
		}
		if *l = (*l)[:len(*l)-1]; group == 0 {
			break
		}
	}
	if asked {
		return nil
	}
	return changed
}
