package manager

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// request executes a request once, and passes the answer to send. A repetition of the newest request gets its answer
// again; older ones, and those whose nonce is unknown or older than 2 s, are ignored. The numbers of an operator count for
// as long: after that none of its requests can arrive again, and its computer may have restarted.
func (r *Robot) request(from tcm.Entity, now soccer.Time, m *team.Request, send Send) {
	issued, ok := r.issued(m.Nonce)
	if !ok || now.Sub(issued) > NonceFor || m.Operator == 0 || m.Number == 0 {
		return
	}
	r.expire(now)
	operator := team.Operator{Computer: from.ID, Page: m.Operator}
	e := r.operators.Find(operator)
	if e == nil {
		e, _ = r.operators.Add(operator, now, maxOperators, 0)
		e.Value = team.Answer{}
	}
	a := &e.Value
	switch newer := int32(m.Number - a.Number); {
	case newer < 0 && now.Sub(e.Used) <= NonceFor:
		return
	case newer != 0 || now.Sub(e.Used) > NonceFor:
		value, err := r.execute(now, operator, m, send)
		*a = team.Answer{
			Operator: m.Operator, Number: m.Number, Value: value, Missing: a.Missing[:0], Revision: r.table.revision,
		}
		if a.Result, a.Text = result(m, value, err); m.Operation == team.Verify && err == nil {
			a.Missing = r.missing(m.ID, a.Missing)
		}
		if len(a.Missing) > 0 {
			a.Result = team.Missing
		}
	}
	e.Used = now
	send(from, a)
}

// result returns how a request ended.
func result(m *team.Request, value float32, err error) (team.Result, string) {
	switch {
	case err != nil:
		return team.Refused, plain(err.Error(), team.MaxText)
	case m.Operation == team.Set && value != m.Value:
		return team.Adjusted, fmt.Sprintf("the robot took %v", value)
	}
	return team.Done, ""
}

// plain returns a text of at most most bytes that a message can carry.
func plain(text string, most int) string {
	text = strings.ToValidUTF8(strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text), "")
	for len(text) > most {
		text = text[:len(text)-1]
		text = strings.ToValidUTF8(text, "")
	}
	return text
}

// execute executes a request of an operator. It returns the value of a parameter, or why the request is refused.
func (r *Robot) execute(now soccer.Time, by team.Operator, m *team.Request, send Send) (float32, error) {
	switch m.Operation {
	case team.Take: // an earlier holder loses the control
		r.control = control{
			holder: by, name: plain(m.Text, team.MaxName), heard: now, challenge: now, number: r.control.number,
		}
		return 0, nil
	case team.Fetch:
		return 0, r.fetchFile(tcm.Entity{Kind: tcm.Computer, ID: by.Computer}, m, send)
	}
	if r.control.holder != by {
		value := float32(0)
		if p := r.table.find(m.Text); p != nil && m.Operation == team.Set {
			value = p.Value
		}
		if r.control.holder.Computer != 0 {
			return value, fmt.Errorf("%s holds the control: %w", r.control.name, errControl)
		}
		return value, errControl
	}
	r.control.heard = now
	switch m.Operation {
	case team.GiveUp:
		r.control = control{number: r.control.number}
		return 0, nil
	case team.Set:
		return r.set(m.Text, m.Value)
	case team.Verify:
		return 0, r.verify(m.ID)
	case team.Adopt:
		return 0, r.adopt(m.ID)
	case team.RollBack:
		if r.cfg.RollBack == nil {
			return 0, errors.New("this robot has no state machine to roll back to")
		}
		return 0, r.cfg.RollBack()
	case team.Hold:
		return 0, r.setHold(m)
	case team.CheckKick, team.CheckWalk:
		return 0, r.startCheck(now, by, m)
	}
	return 0, fmt.Errorf("this robot does not know the operation %v", m.Operation)
}

// set changes a parameter.
func (r *Robot) set(name string, value float32) (float32, error) {
	p := r.table.find(name)
	switch {
	case p == nil:
		return 0, fmt.Errorf("no parameter %q", name)
	case p.ReadOnly:
		return p.Value, fmt.Errorf("%s is read-only", name)
	case !(value >= p.Min && value <= p.Max):
		return p.Value, fmt.Errorf("%v: want %v to %v", value, p.Min, p.Max)
	case p.Kind != team.Number && float64(value) != math.Trunc(float64(value)):
		return p.Value, fmt.Errorf("%v: want a whole number", value)
	}
	took := value
	if r.cfg.Set != nil && !slices.Contains(odometryNames[:], name) {
		var err error
		if took, err = r.cfg.Set(name, value); err != nil {
			return p.Value, err
		}
		if !(took >= p.Min && took <= p.Max) {
			took = p.Value // a device that reads back nonsense
		}
	}
	p.Value, p.Source, p.By = took, team.FromOperator, r.control.name
	r.table.changed(p)
	return took, nil
}
