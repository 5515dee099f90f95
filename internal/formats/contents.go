package formats

import (
	"fmt"

	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// datagramFields returns the byte table of a datagram and of the messages in it, whose names begin with their type, like
// "belief.ball.x". A message of which the datagram holds only a fragment stays undecoded.
func datagramFields(b []byte) []wire.Field {
	table := tcm.Fields(b)
	var d tcm.Datagram
	if d.UnmarshalBinary(b) != nil {
		return table
	}
	fields := make([]wire.Field, 0, 2*len(table))
	piece := 0
	for _, f := range table {
		for piece < len(d.Pieces) && len(d.Pieces[piece].Data) == 0 {
			piece++
		}
		if piece == len(d.Pieces) || f.Name != fmt.Sprintf("piece[%d].payload", piece) {
			fields = append(fields, f)
			continue
		}
		p := &d.Pieces[piece]
		piece++
		var inside []wire.Field
		if !p.Fragment {
			inside = Contents(p.Type, p.Data)
		}
		if inside == nil {
			inside = []wire.Field{{Len: f.Len, Name: f.Name, Value: f.Value, Unit: f.Unit}}
		} else {
			for i := range inside {
				inside[i].Name = p.Type.String() + "." + inside[i].Name
			}
		}
		for _, field := range inside {
			field.Offset += f.Offset
			fields = append(fields, field)
		}
	}
	return fields
}

// Contents returns the byte table of the contents of a message, nil for a type or version without a known layout.
func Contents(t tcm.Type, data []byte) []wire.Field {
	if t >= tcm.BookingClaim && t <= tcm.BookingBelief {
		return b3p.Fields(uint16(t), data)
	}
	return team.Fields(uint16(t), data)
}
