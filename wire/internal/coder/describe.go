package coder

import (
	"bytes"
	"slices"

	"touchline/wire"
)

// recorder collects the rows of a message that is listed.
type recorder struct {
	blocks [][]wire.Row // rows of the message, and of the elements of lists that are being visited
	opened []wire.Row   // the lists of blocks 1 and up
}

func (t *recorder) control(r wire.Row) {
	if t != nil {
		top := len(t.blocks) - 1
		t.blocks[top] = append(t.blocks[top], r)
	}
}

// add records the row of the next field.
func (t *recorder) add(c *Coder, field string, r *wire.Row) {
	if t != nil {
		row := *r
		row.Name = c.rowName(field)
		t.control(row)
	}
}

// last returns the row of the newest field.
func (t *recorder) last() *wire.Row {
	rows := t.blocks[len(t.blocks)-1]
	return &rows[len(rows)-1]
}

// counted makes the newest row, which is a length, that of a text or a list.
func (t *recorder) counted(kind wire.RowKind, name string, most int) {
	r := t.last()
	*r = wire.Row{Kind: kind, Name: name, Size: 1, Most: most}
}

// element begins the rows of an element of a list, index 0, or ends those of the element before.
func (t *recorder) element(list string, index int) {
	for len(t.opened) > 0 {
		t.end()
	}
	if index == 0 {
		t.begin(wire.Each, list)
	}
}

func (t *recorder) begin(kind wire.RowKind, list string) {
	t.opened = append(t.opened, wire.Row{Kind: kind, Name: list})
	t.blocks = append(t.blocks, nil)
}

func (t *recorder) end() {
	top := len(t.opened) - 1
	list := t.opened[top]
	list.Rows = t.blocks[top+1]
	t.opened, t.blocks = t.opened[:top], t.blocks[:top+1]
	t.control(list)
}

// rowName returns the name of a field with # in place of the index.
func (c *Coder) rowName(field string) string {
	record := c.Group + c.record
	if c.index >= 0 {
		record += "[#]"
	}
	if record == "" || c.record == "" {
		return record + field
	}
	return record + "." + field
}

// Repeat begins the fields of an element of a list within an element: their names have no index. "" ends them.
func (c *Coder) Repeat(list string) {
	switch {
	case c.table == nil:
	case list == "":
		c.table.end()
	default:
		c.table.begin(wire.Again, c.rowName(list))
	}
}

// More reports whether a message that is read has more bytes: those of older programs end here.
func (c *Coder) More() bool {
	if c.table != nil {
		c.table.control(wire.Row{Kind: wire.More})
	}
	return c.Err == nil && c.At < len(c.B)
}

// Special reports whether the message is described, not read: what follows has a layout that no row describes.
func (c *Coder) Special(name string) bool {
	if c.table != nil {
		c.table.control(wire.Row{Kind: wire.Special, Name: name})
	}
	return c.table != nil
}

// Describe returns the rows of a message. It lists bytes that it chooses: once with all flags set, and once more without
// each of them, which shows the numbers that depend on it.
func (p *Protocol) Describe(empty func() func(*Coder)) []wire.Row {
	b := bytes.Repeat([]byte{1}, 1<<13)
	b[0] = p.Version
	run := func(b []byte) ([]wire.Field, *recorder) {
		c := p.Reader(b)
		c.Listing, c.table = true, &recorder{blocks: make([][]wire.Row, 1)}
		empty()(&c)
		c.table.element("", -1)
		return c.fields, c.table
	}
	fields, t := run(b)
	rows := inOrder(nil, t.blocks[0])
	for i, f := range fields {
		if r := rows[i]; r.Style != nil && r.Style.Bits != nil {
			b[f.Offset] = 1<<len(r.Style.Bits) - 1
		}
	}
	all, _ := run(b)
	for i, f := range fields {
		r := rows[i]
		if r.Kind != wire.Uint {
			continue
		}
		bits := []int{-1}
		if r.Style != nil && r.Style.Bits != nil {
			bits = bits[:0]
			for bit := range r.Style.Bits {
				bits = append(bits, bit)
			}
		}
		for _, bit := range bits {
			less := slices.Clone(b)
			if bit < 0 {
				clear(less[f.Offset : f.Offset+f.Len])
			} else {
				less[f.Offset] &^= 1 << bit
			}
			if without, _ := run(less); len(without) == len(all) {
				for j := range all {
					if all[j].Value != "unused" && without[j].Value == "unused" {
						rows[j].When = append(rows[j].When, wire.Cond{Name: r.Name, Bit: bit})
					}
				}
			}
		}
	}
	return t.blocks[0]
}

// inOrder appends the row of each field, in the order of the fields: a text has two.
func inOrder(all []*wire.Row, rows []wire.Row) []*wire.Row {
	for i := range rows {
		switch r := &rows[i]; r.Kind {
		case wire.Each, wire.Again:
			all = inOrder(all, r.Rows)
		case wire.More, wire.Matrix, wire.Special:
		case wire.Text:
			all = append(all, r, r)
		default:
			all = append(all, r)
		}
	}
	return all
}

// Rules returns the rules that all messages share, without their source. Ranges have their own texts.
func Rules() []wire.Rule {
	return []wire.Rule{
		{Key: "version", Text: textVersion}, {Key: "truncated", Text: textTruncated},
		{Key: "trailing", Text: textTrailing, Note: true}, {Key: "span", Text: textSpan},
		{Key: "unused", Text: textUnused}, {Key: "covariance", Text: textMatrix}, {Key: "text", Text: textPlain},
		{Key: "most", Text: textMost},
	}
}
