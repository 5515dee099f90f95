package teamcom

import (
	"bytes"

	"touchline/wire/tcm"
)

// Shared keeps the newest message of one type from each sender for several nodes of one program: what one node has
// decoded, the others take over if they receive the same bytes. The zero value is ready. It is not safe for concurrent
// use: one goroutine runs the handlers of all the nodes.
type Shared[T any, P Payload[T]] struct {
	newest [2][256]*decoded[T] // newest message of each sender
}

// decoded is a message with its bytes.
type decoded[T any] struct {
	bytes   []byte
	valid   bool
	message T
}

// HandleShared registers fn like Handle. The other nodes read the message, too: fn may not change it.
func HandleShared[T any, P Payload[T]](m *Module, shared *Shared[T, P], fn func(From, P)) {
	m.register(tcm.Type(P(new(T)).DataType()), func(from *From, b []byte) error {
		if len(from.Missing) > 0 {
			return errIncomplete
		}
		message, err := shared.decode(from.Entity, b)
		if err != nil {
			return err
		}
		fn(*from, message)
		return nil
	})
}

// decode returns the message of a sender that b holds.
func (s *Shared[T, P]) decode(from tcm.Entity, b []byte) (P, error) {
	newest := &s.newest[from.Kind-1][from.ID]
	if *newest == nil {
		*newest = new(decoded[T])
	}
	d := *newest
	if d.valid && bytes.Equal(d.bytes, b) {
		return &d.message, nil
	}
	d.valid, d.bytes = false, append(d.bytes[:0], b...)
	if err := P(&d.message).UnmarshalBinary(b); err != nil {
		return nil, err
	}
	d.valid = true
	return &d.message, nil
}
