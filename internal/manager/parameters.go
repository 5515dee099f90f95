package manager

import (
	"fmt"
	"slices"
	"sort"

	"touchline/wire/team"
)

// table is the table of parameters.
type table struct {
	list     []team.Parameter // as declared
	order    []int            // indexes into list, by revision
	revision uint32           // newest
}

// maxPart is the most bytes of a part of the table: it fits into one datagram.
const maxPart = 1100

// declare sets the table. It refuses what no receiver accepts.
func (t *table) declare(list []team.Parameter) error {
	if len(list) > MaxParameters {
		return fmt.Errorf("managed: %d parameters: give at most %d", len(list), MaxParameters)
	}
	t.list = slices.Clone(list)
	for i := range t.list {
		p := &t.list[i]
		if slices.ContainsFunc(t.list[:i], func(q team.Parameter) bool { return q.Name == p.Name }) {
			return fmt.Errorf("managed: parameter %q is there twice", p.Name)
		}
		t.revision++
		p.Revision, p.By = t.revision, ""
		t.order = append(t.order, i)
		if err := checkParameter(p); err != nil {
			return err
		}
	}
	return nil
}

// checkParameter returns what is wrong with a parameter.
func checkParameter(p *team.Parameter) error {
	if _, err := (&team.Parameters{List: []team.Parameter{*p}}).AppendBinary(nil); err != nil {
		return fmt.Errorf("managed: parameter %q: %w", p.Name, err)
	}
	if p.Kind == team.Choice {
		p.Min, p.Max = 0, float32(len(p.Choices)-1)
	}
	if p.Kind == team.Switch {
		p.Min, p.Max = 0, 1
	}
	switch {
	case p.Name == "":
		return fmt.Errorf("managed: a parameter without a name")
	case !(p.Min <= p.Max):
		return fmt.Errorf("managed: parameter %q: range %v to %v", p.Name, p.Min, p.Max)
	case !(p.Min <= p.Value && p.Value <= p.Max):
		return fmt.Errorf("managed: parameter %q: value %v: give %v to %v", p.Name, p.Value, p.Min, p.Max)
	}
	return nil
}

// find returns a parameter, or nil.
func (t *table) find(name string) *team.Parameter {
	if i := slices.IndexFunc(t.list, func(p team.Parameter) bool { return p.Name == name }); i >= 0 {
		return &t.list[i]
	}
	return nil
}

// changed gives a parameter a new revision.
func (t *table) changed(p *team.Parameter) {
	at := slices.IndexFunc(t.order, func(i int) bool { return &t.list[i] == p })
	index := t.order[at]
	t.order = append(slices.Delete(t.order, at, at+1), index)
	t.revision++
	p.Revision = t.revision
}

// part sets m to the parameters after a revision that fit into one message.
func (t *table) part(id, since uint32, m *team.Parameters) {
	*m = team.Parameters{Table: id, Since: since, Upto: t.revision, Revision: t.revision, List: m.List[:0]}
	from := sort.Search(len(t.order), func(i int) bool { return t.list[t.order[i]].Revision > since })
	size := 0
	for _, i := range t.order[from:] {
		p := &t.list[i]
		if size += sizeOf(p); len(m.List) == team.MaxParameters || len(m.List) > 0 && size > maxPart {
			m.Upto = m.List[len(m.List)-1].Revision
			return
		}
		m.List = append(m.List, *p)
	}
}

// sizeOf returns the bytes of a parameter in a message.
func sizeOf(p *team.Parameter) int {
	const fixed = 32 // flags, kind, source, revision, five numbers, five lengths
	n := fixed + len(p.Name) + len(p.Group) + len(p.Unit) + len(p.By)
	for _, c := range p.Choices {
		n += 1 + len(c)
	}
	return n
}

// Set sets a parameter by the robot itself, for example by automatic exposure, and tells all computers.
func (r *Robot) Set(name string, value float32) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.table.find(name)
	if p == nil {
		return fmt.Errorf("managed: no parameter %q", name)
	}
	if !(value >= p.Min && value <= p.Max) {
		return fmt.Errorf("managed: %s %v: want %v to %v", name, value, p.Min, p.Max)
	}
	if p.Value != value || p.Source != team.FromRobot {
		p.Value, p.Source, p.By = value, team.FromRobot, ""
		r.table.changed(p)
	}
	return nil
}

// Value returns the value of a parameter.
func (r *Robot) Value(name string) (float32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.table.find(name); p != nil {
		return p.Value, true
	}
	return 0, false
}
