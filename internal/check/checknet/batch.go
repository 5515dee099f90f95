package checknet

import (
	"touchline/internal/check"
	"touchline/wire/msl"
)

// batch holds consecutive messages of a team. Several batches are examined at the same time, because examining messages
// takes most of the time of a card.
type batch struct {
	examined chan struct{} // closed when all messages are examined
	n        int
	messages [32]message
}

// message is a message of a batch. The batch uses its buffers again.
type message struct {
	check.StationMessage
	filled bool // filled in by the referee box: not examined
	world  msl.Worldstate
	found  []msl.Finding
	err    error
}

// enough is how many messages a batch has at least. It has more if those of one millisecond continue.
const enough = 16

// endsBefore reports whether m belongs into the next batch.
func (b *batch) endsBefore(m *check.StationMessage) bool {
	return b.n == len(b.messages) || b.n >= enough && b.messages[b.n-1].Received != m.Received
}

func (b *batch) clear() { b.n = 0 }

// append copies m.
func (b *batch) append(m *check.StationMessage, filled bool) {
	to := &b.messages[b.n]
	data := append(to.Data[:0], m.Data...)
	to.StationMessage, to.filled = *m, filled
	to.Data = data
	b.n++
	b.order()
}

// order moves the last message before those of the same millisecond that describe a later time: an export, which is
// sorted by these times, does not keep the order within a millisecond.
func (b *batch) order() {
	for k := b.n - 1; k > 0; k-- {
		m, before := &b.messages[k], &b.messages[k-1]
		if m.Received == 0 || m.Received != before.Received || m.Published >= before.Published {
			return
		}
		*m, *before = *before, *m
	}
}

func (b *batch) examine() {
	defer close(b.examined)
	for i := range b.messages[:b.n] {
		if m := &b.messages[i]; !m.filled {
			m.found, m.err = m.world.Examine(m.found[:0], m.Data)
		}
	}
}

// addTo adds the messages to a card in their order.
func (b *batch) addTo(card *check.Card) {
	for i := range b.messages[:b.n] {
		if m := &b.messages[i]; m.filled {
			card.AddFilled(&m.StationMessage)
		} else {
			card.AddExamined(&m.StationMessage, &m.world, m.found, m.err)
		}
	}
}
