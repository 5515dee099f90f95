package protobuf

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"touchline/wire"
)

// Values collects the issues of values.
type Values struct {
	Issues []wire.Issue
	rules  *Rules
	at     map[string]int // offsets of the fields by name
}

// Check returns all issues of b, a message of t, by offset: those at the level of bytes, and those that own adds.
func (r *Rules) Check(t *Table, b []byte, own func(*Values)) []wire.Issue {
	l := r.List(t, b)
	v := Values{rules: r, at: make(map[string]int, len(l.Fields)), Issues: l.Issues}
	for _, f := range l.Fields {
		v.at[f.Name] = f.Offset
	}
	own(&v)
	slices.SortStableFunc(v.Issues, func(a, b wire.Issue) int { return cmp.Compare(a.Offset, b.Offset) })
	return v.Issues
}

// Add adds the issue that a field breaks a rule. The offset of an absent field is that of its message.
func (r *Values) Add(rule *wire.Rule, name string, values ...any) {
	at, found := 0, false
	for path := name; !found && path != ""; {
		at, found = r.at[path]
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	r.Issues = append(r.Issues, rule.Issue(at, name, values...))
}

// Struct checks each value of a struct of t against its own rule.
func (r *Values) Struct(t *Table, m reflect.Value, path string) {
	for i := range t.fields {
		f := &t.fields[i]
		if f.keeper == "" && !f.inline {
			continue
		}
		switch v := m.Field(f.index); {
		case f.inline:
			r.Struct(f.table, m, path+f.name+".")
		case f.text, f.packed:
		case f.list:
			for i := range v.Len() {
				r.Struct(f.table, v.Index(i), Index(path+f.name, i)+".")
			}
		case f.table != nil:
			r.Struct(f.table, v, path+f.name+".")
		default:
			if v.Kind() == reflect.Array {
				v = v.Index(f.item)
			}
			r.value(f, v, path)
		}
	}
}

// value checks the number v of field f in the message at path.
func (r *Values) value(f *Field, v reflect.Value, path string) {
	switch {
	case v.CanFloat() && f.ratio:
		if !IsRatio(float32(v.Float())) {
			r.Add(r.rules.Ratio, path+f.name, v)
		}
	case v.CanFloat():
		if !Finite(v.Float()) {
			r.Add(r.rules.Finite, path+f.name, v)
		}
	case f.rule == nil:
	case v.CanUint() && v.Uint() > uint64(f.rule.Most), v.CanInt() && uint32(v.Int()) > f.rule.Most:
		r.Add(&wire.Rule{Source: f.rule.Source, Text: f.rule.Text}, path+f.name, v, 0, f.rule.Most)
	}
}

// Index returns the name of an element of a list.
func Index(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
