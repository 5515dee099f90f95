package teamcom

import (
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// Report holds the measurements and counts of a node since its start.
type Report struct {
	Entity      string          `json:"entity"`
	Name        string          `json:"name"`
	Links       []LinkReport    `json:"links"`  // sorted by peer
	Types       []TypeReport    `json:"types"`  // sorted by peer, module and type
	Queues      []QueueReport   `json:"queues"` // ordered as they leave
	Refused     RefusedReport   `json:"refused"`
	Dropped     DroppedReport   `json:"dropped"`
	Repaired    uint64          `json:"repaired"` // pieces restored from parity
	Handlers    []HandlerReport `json:"handlers"` // sorted by module
	BufferBytes int             `json:"bufferBytes"`
}

// QueueReport is the state of one class of outgoing messages.
type QueueReport struct {
	Socket               string `json:"socket"`
	Messages             int    `json:"messages"` // messages that wait
	Bytes                int    `json:"bytes"`
	Datagrams            uint64 `json:"datagrams"`   // datagrams that left
	Sent                 uint64 `json:"sent"`        // messages that left whole
	Unreachable          uint64 `json:"unreachable"` // datagrams for which the directory had no address
	Dropped              uint64 `json:"dropped"`     // messages that never left: no room, or replaced by a newer one
	BudgetBytesPerSecond int    `json:"budgetBytesPerSecond"`
}

// RefusedReport counts refused datagrams by the first reason.
type RefusedReport struct {
	Foreign          uint64 `json:"foreign"`   // not a TCM datagram, or of another version
	Malformed        uint64 `json:"malformed"` // sizes or fields contradict each other
	Checksum         uint64 `json:"checksum"`
	Unsigned         uint64 `json:"unsigned"`
	Forged           uint64 `json:"forged"` // the signature is of another key
	OtherTeam        uint64 `json:"otherTeam"`
	OtherDestination uint64 `json:"otherDestination"`
	OtherSocket      uint64 `json:"otherSocket"` // arrived on a socket that its header does not name
	Own              uint64 `json:"own"`         // this node's own broadcasts
	SameEntity       uint64 `json:"sameEntity"`  // another program uses this node's id
	UnknownSender    uint64 `json:"unknownSender"`
	OtherAddress     uint64 `json:"otherAddress"` // not from the address that the directory gives their sender
	TooManySenders   uint64 `json:"tooManySenders"`
	Duplicate        uint64 `json:"duplicate"`
	Replayed         uint64 `json:"replayed"`
	OlderBoot        uint64 `json:"olderBoot"`
}

// DroppedReport counts messages and pieces of accepted datagrams that no handler received whole.
type DroppedReport struct {
	Unhandled       uint64 `json:"unhandled"`       // pieces of a type without a handler
	Stale           uint64 `json:"stale"`           // pieces of a message that is too old
	Duplicates      uint64 `json:"duplicates"`      // pieces of a message that was delivered or given up
	DuplicatePieces uint64 `json:"duplicatePieces"` // pieces of an incomplete message that had arrived
	UnusedParity    uint64 `json:"unusedParity"`    // parity pieces that arrived after their message
	Inconsistent    uint64 `json:"inconsistent"`    // pieces that contradict the ones before them
	TooLong         uint64 `json:"tooLong"`         // messages above 4 MiB
	Corrupt         uint64 `json:"corrupt"`         // messages with a wrong checksum
	Expired         uint64 `json:"expired"`         // incomplete messages without a new piece for 500 ms
	Superseded      uint64 `json:"superseded"`      // incomplete messages given up for a newer one
	Displaced       uint64 `json:"displaced"`       // incomplete messages beyond a sender's bounds, or of an earlier boot
}

// HandlerReport is the state of one module.
type HandlerReport struct {
	Module      string  `json:"module"`
	Calls       uint64  `json:"calls"`
	Panics      uint64  `json:"panics"`
	LastPanic   string  `json:"lastPanic,omitempty"`
	Undecodable uint64  `json:"undecodable"`
	Dropped     uint64  `json:"dropped"`    // messages that found the queue full
	Superseded  uint64  `json:"superseded"` // latest-wins messages that waited for 100 ms and gave way to a newer one
	Pending     int     `json:"pending"`
	BusyMillis  float64 `json:"busyMillis"` // time in handlers, including the running one
}

// Report returns the node's report at now.
func (n *Node) Report(now soccer.Time) Report {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := Report{
		Entity: n.cfg.Self.String(), Name: n.cfg.Name, Links: []LinkReport{}, Types: []TypeReport{},
		Handlers: []HandlerReport{}, Refused: n.refused, Dropped: n.dropped, Repaired: n.repaired,
		BufferBytes: n.pool.used + n.pool.kept,
	}
	for _, kind := range &n.senders {
		for _, s := range &kind {
			if s == nil || !s.active {
				continue
			}
			var peer LinkReport
			s.link.Report(now, &peer)
			r.Links, r.Types = append(r.Links, peer), append(r.Types, peer.Types...)
		}
	}
	for _, s := range priority {
		q := &n.queues[s]
		r.Queues = append(r.Queues, QueueReport{
			Socket: s.String(), Messages: q.messages, Bytes: q.bytes, Datagrams: q.datagrams, Sent: q.sent,
			Unreachable: q.unreachable, Dropped: q.dropped, BudgetBytesPerSecond: q.budget,
		})
	}
	for _, m := range n.modules {
		if m != nil {
			r.Handlers = append(r.Handlers, m.report(now))
		}
	}
	return r
}

// Links calls each with every peer that this node has a link with: the time since its newest datagram, and whether the
// link is up. It costs far less than a Report. each calls no method of the node.
func (n *Node) Links(now soccer.Time, each func(peer tcm.Entity, silent time.Duration, up bool)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, kind := range &n.senders {
		for _, s := range &kind {
			if s != nil && s.active {
				silent, up := s.link.Silent(now)
				each(s.entity, silent, up)
			}
		}
	}
}

func (m *Module) report(now soccer.Time) HandlerReport {
	r := m.counters
	r.Module, r.Pending = m.id.String(), m.queue.Len()
	r.LastPanic = strings.ToValidUTF8(r.LastPanic, "")
	busy := m.busy
	if m.running {
		busy += max(now.Sub(m.started), 0)
	}
	r.BusyMillis = float64(busy.Microseconds()) / 1000
	return r
}
